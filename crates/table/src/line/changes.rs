//! Changes of values: several in one line, `hp -2; stress +1`, and what is said behind one that is more than a remark.

use crate::attempt::Attempt;
use crate::by_dice::ByDice;
use crate::sheet::Sheet;
use dice::Dialect;
use host::Host;
use host::names::ACT_AS;
use host::people::People;
use host::words::CommandLine;
use plugin_api::{Refusal, names};
use std::collections::BTreeSet;
use understand::english::{Class, is, is_any};

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

/// The line with `;` between its changes, if it is nothing but changes: `hp -3 ammo -1`.
pub(super) fn divided(sheet: &Sheet<'_>, line: &str, dialect: Dialect) -> Option<String> {
    let mut divided = String::new();
    for word in line.split_whitespace() {
        divided.extend([if sheet.named(word).is_some() { "; " } else { " " }, word]);
    }
    let divided = divided.trim_start_matches("; ").to_owned();
    (divided.contains("; ") && matches!(several(sheet, &divided, dialect), Ok(Some(_)))).then_some(divided)
}

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

/// The most words of a name.
const LONGEST_NAME: usize = 3;
/// What says how much a change counts is among so many first words.
const FIRST: usize = 2;

/// Why a change of the actor's own value is not played that `sets` a value, if what is said behind it is more than a remark: it
/// is for somebody else, it names another value, or it says when or how much it counts: `hp -7 to Bob`, `hp -8 halved`.
pub(super) fn doubted(host: &Host, line: &CommandLine, sets: &str, attempt: &Attempt<'_>) -> Option<Refusal> {
    let (_, said) = sets.split_once(" # ").filter(|_| !line.typed.contains('#'))?;
    let change = line.typed[..line.typed.rfind(said)?].trim_end_matches([' ', ',', '-', '–', '—']);
    let plain = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let words: Vec<String> = said.split_whitespace().map(plain).filter(|word| !word.is_empty()).collect();
    let refused = |right: Option<String>| {
        let what = format!("\"{said}\" would only be a comment");
        Some(Refusal::new(what).mended(0..line.typed.len(), right))
    };
    let led = words.first().is_some_and(|word| is(word, Class::Recipient));
    let whom = &words[usize::from(led)..];
    let ends = |count: &usize| led || *count == whom.len();
    let group = [&names::EVERYBODY[..], &names::HEROES, &names::FOES].concat();
    if let Some(group) = whom.first().filter(|word| group.contains(&word.as_str()) && ends(&1)) {
        return refused(Some(format!("{ACT_AS} {group} {change}")));
    }
    let cast = attempt.cast(host);
    let named = |count: usize| Some((cast.known(&whom.get(..count)?.join(" "))?, count));
    let who = (1..=LONGEST_NAME).rev().filter(ends).find_map(named).filter(|(who, _)| *who != attempt.actor);
    if let Some((who, _)) = who {
        return refused(Some(match attempt.doc.may_act_for(who, &attempt.rights) {
            Ok(()) => format!("{ACT_AS} {} {change}", cast.written(who)),
            Err(_) => format!("{change} # {said}"),
        }));
    }
    if attempt.sheet().named(&words.join(" ")).is_some() {
        return refused(None);
    }
    let counts = |word: &String| is_any(word, &[Class::Factor, Class::Condition]);
    let condition = words.iter().take(FIRST).any(counts);
    if condition { refused(Some(format!("{change} # {said}"))) } else { None }
}
