//! `take: rating, number 0 to 6`: what somebody may type for a command.

use crate::expression::Kind;
use crate::lines::Line;
use crate::mistake::Mistake;
use plugin_api::{Argument, ArgumentKind, ArgumentSpec, Listed, Many, Name, Place, Spelled, suggest};

/// A number that nothing else is said of is at most so large.
const MOST: i64 = 1_000_000;
/// What can be taken, as a file says it.
pub const TAKEN: [&str; 7] = ["number", "one of", "flag", "signed", "dice", "somebody", "text"];
/// The most dice that somebody may type for one of them.
const MOST_TYPED: u32 = 40;

/// What a command takes.
pub struct Taken {
    /// Its name in the file.
    pub name: String,
    /// What it is there.
    pub kind: Kind,
    /// How it is typed.
    pub spec: ArgumentSpec,
    /// What it is if only the word is typed that leads to it.
    pub alone: Option<i64>,
}

/// Reads what a line takes.
///
/// # Errors
/// It cannot be read.
pub fn take(line: &Line) -> Result<Taken, Mistake> {
    let wrong = |what: String| line.value_wrong(what);
    let Some((name, what)) = line.value().split_once(',') else {
        return Err(wrong("this needs a name and what it is, as in \"take: rating, number 0 to 6\"".to_owned()));
    };
    let name = name.trim().to_lowercase();
    let (what, more) = what.split_once(';').map_or((what.trim(), ""), |(what, more)| (what.trim(), more.trim()));
    let alone = more.strip_prefix("alone ").and_then(|number| number.trim().parse().ok());
    if !matches!(more, "" | "optional") && alone.is_none() {
        let what = format!("behind the ; I know \"optional\" and \"alone 1\", and not \"{more}\"");
        return Err(wrong(what));
    }
    let (what, after) = match what.split_once(" after ") {
        Some((what, after)) => (what.trim(), words(after)),
        None => (what, Vec::new()),
    };
    let (kind, typed, place, many) = what_is_taken(line, what)?;
    let behind_a_word = matches!(place, Place::Here);
    if !after.is_empty() && !behind_a_word {
        return Err(wrong("only a number, a choice, a text or somebody can go behind a word".to_owned()));
    }
    if matches!(&typed, ArgumentKind::Choice(all) if all.iter().all(|each| each.words.is_empty())) {
        return Err(wrong("the words are missing".to_owned()));
    }
    let place = match (after.is_empty(), alone) {
        (true, None) => place,
        (false, None) => Place::Word(after),
        (false, Some(_)) if kind == Kind::Number => Place::Follows(after),
        (_, Some(_)) => {
            let what = "only a number behind a word counts when that word is alone, as in \"number 1 to 2 after bonus; alone 1\"";
            return Err(wrong(what.to_owned()));
        }
    };
    let many = if !more.is_empty() && many == Many::One { Many::Maybe } else { many };
    let spec =
        ArgumentSpec { field: name.clone(), help: String::new(), place, many, kind: typed, shared: 0, shown: None };
    Ok(Taken { name, kind, spec, alone })
}

fn what_is_taken(line: &Line, what: &str) -> Result<(Kind, ArgumentKind, Place, Many), Mistake> {
    if let Some(range) = what.strip_prefix("number") {
        let (range, names) = range.split_once(',').unwrap_or((range, ""));
        let (least, most) = range_of(line, range.trim())?;
        let names = names_of(line, names)?;
        let names: Vec<(&str, i64)> = names.iter().map(|(name, number)| (name.as_str(), *number)).collect();
        let kind = ArgumentKind::between(least, most).named(&names, Listed::Shown);
        return Ok((Kind::Number, kind, Place::Here, Many::One));
    }
    if let Some(all) = what.strip_prefix("one of ") {
        let all = words(all);
        let spelled = all.iter().map(|word| Spelled::new(&[word], Listed::Shown)).collect();
        return Ok((Kind::Word(all), ArgumentKind::Choice(spelled), Place::Here, Many::One));
    }
    if let Some(all) = what.strip_prefix("flag ") {
        let all = words(all);
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let spelled = vec![Spelled::new(&all, Listed::Shown)];
        return Ok((Kind::Flag, ArgumentKind::Choice(spelled), Place::Flag, Many::Maybe));
    }
    match what {
        "signed" => Ok((Kind::Number, ArgumentKind::between(-MOST, MOST), Place::Signed, Many::Repeated)),
        "dice" => Ok((Kind::Unthrown, ArgumentKind::Dice { most: MOST_TYPED }, Place::Here, Many::One)),
        "somebody" => Ok((Kind::Somebody, Name::kind(), Place::Here, Many::One)),
        "text" => Ok((Kind::Text, ArgumentKind::Text, Place::Here, Many::One)),
        "flag" | "one of" => {
            Err(line.value_wrong(format!("behind \"{what}\" its words are missing, as in \"{what} crew, together\"")))
        }
        unknown => {
            let first = unknown.split(' ').next().unwrap_or_default();
            let meant = suggest(first, TAKEN.map(|known| known.split(' ').next().unwrap_or_default()));
            let meant = meant.map_or(String::new(), |meant| format!(": did you mean \"{meant}\"?"));
            Err(line.value_wrong(format!("\"{unknown}\" is none of {}{meant}", TAKEN.join(", "))))
        }
    }
}

/// Numbers that have names: `easy 1, hard 3`.
fn names_of(line: &Line, names: &str) -> Result<Vec<(String, i64)>, Mistake> {
    let named = |name: String| {
        let (word, number) = name.rsplit_once(' ')?;
        Some((word.to_owned(), number.parse().ok().filter(|number| (-MOST..=MOST).contains(number))?))
    };
    let all = words(names).into_iter().map(|name| {
        let what = format!("\"{name}\" is no number with a name: write the name and the number, as in easy 1");
        named(name).ok_or_else(|| line.value_wrong(what))
    });
    all.collect()
}

/// `0 to 6`
///
/// # Errors
/// It is none.
pub fn range_of(line: &Line, range: &str) -> Result<(i64, i64), Mistake> {
    if range.is_empty() {
        return Ok((-MOST, MOST));
    }
    let ends = range
        .split_once(" to ")
        .and_then(|(least, most)| Some((least.trim().parse().ok()?, most.trim().parse().ok()?)));
    match ends.filter(|(least, most): &(i64, i64)| least <= most && *least >= -MOST && *most <= MOST) {
        Some(ends) => Ok(ends),
        None => Err(line.value_wrong(format!("\"{range}\" is no range: write the least and the most, as in 0 to 6"))),
    }
}

/// `vs, dc`
pub fn words(list: &str) -> Vec<String> {
    let words = list.split(',').map(|word| word.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase());
    words.filter(|word| !word.is_empty()).collect()
}
