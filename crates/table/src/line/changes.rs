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
    let (front, said) = line.split_once('#').map_or((line, ""), |(front, said)| (front, said.trim()));
    let at = front.find([';', ',']).or_else(|| front.find(AND));
    let Some((first, _)) = at.map(|at| front.split_at(at)).filter(|(first, _)| is_change(sheet, first, dialect)) else {
        return Ok(None);
    };
    let parts: Vec<&str> = front.split([';', ',']).flat_map(|part| part.split(AND)).map(str::trim).collect();
    let others = || parts.iter().filter(|part| !is_change(sheet, part, dialect));
    let refused = |what: &str| Err(Refusal::new(what).about(line).example(first.trim()));
    if others().next().is_some() {
        // `hp -7; ouch` goes on with a remark.
        let counts = others().any(|part| part.contains(|c: char| c.is_ascii_digit()));
        return match front.contains(';') && counts {
            true => refused("a change of a value has a line of its own"),
            false => Ok(None),
        };
    }
    let sets: Option<Vec<String>> = parts.iter().map(|part| own_value(sheet, part)).collect();
    let name = |set: &String| set.split(':').next().unwrap_or_default().to_owned();
    match sets {
        Some(sets) if sets.iter().map(name).collect::<BTreeSet<_>>().len() == sets.len() => {
            let said = if said.is_empty() { String::new() } else { format!(" # {said}") };
            Ok(Some(format!("set {}{said}", sets.join("; "))))
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

/// What a part of a line makes of a value of the character's own: `hp: 18/20`.
fn own_value(sheet: &Sheet<'_>, part: &str) -> Option<String> {
    let sets = sheet.called(part)?;
    let sets = sets.strip_prefix("set ").filter(|sets| !sets.starts_with("table ") && !sets.contains('#'))?;
    Some(sets.to_owned())
}
