//! Several changes of values in one line: `hp -2; stress +1`.

use crate::by_dice::ByDice;
use crate::sheet::Sheet;
use dice::Dialect;
use plugin_api::Refusal;
use std::collections::BTreeSet;

/// The line that sets all the values which this line changes, if it changes several.
///
/// # Errors
/// They cannot be changed in one line: by dice, the same one twice, one of the table's, or beside a roll.
pub(super) fn several(sheet: &Sheet<'_>, line: &str, dialect: Dialect) -> Result<Option<String>, Refusal> {
    let at = [line.find('#'), line.find(" //")].into_iter().flatten().min();
    let (front, said) = line.split_at(at.unwrap_or(line.len()));
    let said = said.trim_start_matches(['#', '/', ' ']).trim_end();
    let parts =
        front.split([';', ',']).flat_map(|part| part.split(AND)).map(|part| part.trim().trim_end_matches(['.', '!']));
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    let changes: Vec<bool> = parts.iter().map(|part| is_change(sheet, part, dialect)).collect();
    if !changes.contains(&true) {
        return Ok(None);
    }
    if parts.len() == 1 {
        // `hp -7;` and `hp -7 // ouch; 2 more`
        let said = if said.is_empty() { String::new() } else { format!(" # {said}") };
        let odd = front.contains(';') || line[front.len()..].starts_with(" //");
        return Ok(if odd { sheet.called(&format!("{}{said}", parts[0])) } else { None });
    }
    let refused = |what: &str| Err(Refusal::new(what).about(line).example(parts[0]));
    if changes.contains(&false) {
        // `hp -7; ouch` goes on with a remark, and `fire, combat +1` names no value.
        let others = || parts.iter().zip(&changes).filter(|(_, changes)| !**changes);
        let counts =
            others().any(|(part, _)| sheet.called(part).is_some() || part.contains(|c: char| c.is_ascii_digit()));
        return match front.contains(';') && counts {
            true => refused("a change of a value has a line of its own"),
            false => Ok(None),
        };
    }
    let last = parts.len() - 1;
    let sets: Option<Vec<Set>> = parts.iter().enumerate().map(|(at, part)| Set::of(sheet, part, at == last)).collect();
    match sets {
        Some(sets) if sets.iter().map(|set| &set.name).collect::<BTreeSet<_>>().len() == sets.len() => {
            let all: Vec<String> = sets.iter().map(|set| format!("{}: {}", set.name, set.value)).collect();
            let said = sets.iter().map(|set| set.said.as_str()).chain([said]).filter(|said| !said.is_empty());
            let said: String = said.map(|said| format!(" # {said}")).collect();
            Ok(Some(format!("set {}{said}", all.join("; "))))
        }
        _ => refused("each of these changes has a line of its own"),
    }
}

/// What joins changes in words.
const AND: &str = " and ";

/// Whether a part of a line changes a value.
fn is_change(sheet: &Sheet<'_>, part: &str, dialect: Dialect) -> bool {
    let sets = sheet.called(part).is_some_and(|sets| sets.contains(": "));
    sets || matches!(ByDice::of(sheet, part, dialect), Ok(Some(_)) | Err(_))
}

/// What a part of a line makes of a value of the character's own.
struct Set {
    name: String,
    value: String,
    /// What is said of it.
    said: String,
}

impl Set {
    /// `hp -2` makes 18/20 of hp. Only the last part may say something behind it.
    fn of(sheet: &Sheet<'_>, part: &str, last: bool) -> Option<Self> {
        let sets = sheet.called(part)?;
        let (name, value) = sets.strip_prefix("set ").filter(|sets| !sets.starts_with("table "))?.split_once(": ")?;
        let (value, said) = value.split_once(" # ").unwrap_or((value, ""));
        let (name, value, said) = (name.to_owned(), value.to_owned(), said.to_owned());
        (last || said.is_empty()).then_some(Set { name, value, said })
    }
}
