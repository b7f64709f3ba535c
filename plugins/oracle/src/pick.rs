//! Picks one or more of several things that were typed: `pick a, b, c`, `choose tea or coffee`, `pick 2 of a, b, c`.

use crate::seen::Seen;
use plugin_api::random_table::folded;
use plugin_api::{Refusal, Reply, Turn, number_word};

/// Most things to pick from.
const MOST_THINGS: usize = 50;

/// The things, divided by the first of these that is there: `|`, `;`, commas, `or`, slashes, spaces.
fn things(typed: &str) -> Vec<&str> {
    let typed = typed.trim().trim_end_matches('?');
    let divided = |between: char| typed.split(between).map(str::trim).filter(|thing| !thing.is_empty());
    for between in ['|', ';'] {
        if typed.contains(between) {
            return divided(between).take(MOST_THINGS + 1).collect();
        }
    }
    if typed.contains(',') {
        // `a, b or c` and `a, b, or c`
        return divided(',').flat_map(by_or).take(MOST_THINGS + 1).collect();
    }
    if let Some((one, other)) = typed.strip_prefix("between ").and_then(|typed| typed.split_once(" and ")) {
        return vec![one.trim(), other.trim()];
    }
    match by_or(typed) {
        several if several.len() > 1 => several.into_iter().take(MOST_THINGS + 1).collect(),
        _ if typed.contains('/') => divided('/').take(MOST_THINGS + 1).collect(),
        // `a card` is one thing.
        _ if typed.split_whitespace().any(belongs_to_the_next) => vec![typed],
        _ => typed.split_whitespace().take(MOST_THINGS + 1).collect(),
    }
}

fn belongs_to_the_next(word: &str) -> bool {
    ["a", "an", "the", "this", "my", "your", "our", "his", "her", "their"].contains(&word.to_lowercase().as_str())
}

fn by_or(typed: &str) -> Vec<&str> {
    let typed =
        ["or ", "between ", "from ", "one of "].iter().find_map(|leads| typed.strip_prefix(leads)).unwrap_or(typed);
    typed.split(" or ").map(str::trim).filter(|thing| !thing.is_empty()).take(MOST_THINGS + 1).collect()
}

/// How many are picked, and the text of the things.
fn counted(typed: &str) -> (usize, &str) {
    let several = || {
        let (many, rest) = typed.trim().split_once(char::is_whitespace)?;
        // `one, tea or coffee`
        let one = many.strip_suffix([',', ':']).filter(|many| many.eq_ignore_ascii_case("one"));
        if one.is_some() && rest.contains(" or ") {
            return Some((1, rest.trim_start()));
        }
        let many = number_word(many).map_or_else(|| many.parse().ok(), |many| usize::try_from(many).ok())?;
        let rest = rest.trim_start();
        let rest = ["of ", "from "].iter().find_map(|leads| rest.strip_prefix(leads))?;
        Some((many, rest.trim_start().strip_prefix("the ").unwrap_or(rest)))
    };
    several().unwrap_or((1, typed))
}

/// Refuses `2 tea, coffee, a walk`, which may be two of three things.
///
/// # Errors
/// Only the first thing begins with a number.
fn unless_some_are_counted(typed: &str, things: &[&str]) -> Result<(), Refusal> {
    let number = |thing: &str| thing.split_once(' ').is_some_and(|(many, _)| many.parse::<u32>().is_ok());
    let alone = things.first().is_some_and(|first| number(first)) && !things.iter().skip(1).any(|thing| number(thing));
    let Some((many, rest)) = typed.split_once(' ').filter(|_| alone && things.len() > 1) else { return Ok(()) };
    let fewer = many.parse::<usize>().is_ok_and(|many| many < things.len());
    let example = if fewer { format!("pick {many} of {rest}") } else { "pick 2 of tea, coffee, a walk".to_owned() };
    Err(Refusal::new(format!("do you mean {many} of them?")).example(example))
}

/// Picks as many as were asked for, each at most once.
///
/// # Errors
/// There are not at least two, too many, or no more than are to be picked.
pub(crate) fn pick(seen: &Seen, turn: &mut Turn, typed: &str) -> Result<Reply, Refusal> {
    let (many, typed) = counted(typed);
    let mut things = things(typed);
    unless_some_are_counted(typed, &things)?;
    if things.len() > MOST_THINGS {
        return Err(Refusal::new(format!("{MOST_THINGS} things are the most to pick from")));
    }
    if things.len() < 2 {
        let table = things.first().and_then(|only| seen.named().find(|(key, _)| *key == folded(only)));
        let what = "pick from what? Name at least two things, with commas between them";
        return Err(match table {
            Some((key, _)) => {
                Refusal::new(format!("{key} is a table, which oracle rolls on")).example(format!("oracle {key}"))
            }
            None => Refusal::new(what).example("pick tea, coffee, a walk"),
        });
    }
    if !(1..things.len()).contains(&many) {
        let what = format!("{many} of {} is no choice: name more things, or pick fewer", things.len());
        return Err(Refusal::new(what).example("pick 2 of tea, coffee, a walk"));
    }
    let (mut picked, mut dice) = (Vec::new(), Vec::new());
    for _ in 0..many {
        let die = turn.throw_die(things.len() as u32)?;
        picked.push(things.remove(die.value.saturating_sub(1) as usize));
        dice.push(die.to_string());
    }
    let picked = picked.join(", ");
    Ok(Reply::new()
        .bold(&picked)
        .text(" | ")
        .die(dice.join(" "))
        .fact("picked", picked.as_str())
        .fact("outcome", picked))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_many_are_picked_stands_in_front() {
        for (typed, read) in [
            ("2 of tea, coffee", (2, "tea, coffee")),
            ("two from the red, the blue", (2, "red, the blue")),
            ("tea, coffee", (1, "tea, coffee")),
            ("2 teas, 3 coffees", (1, "2 teas, 3 coffees")),
            ("of one, of two", (1, "of one, of two")),
        ] {
            assert_eq!(counted(typed), read, "{typed}");
        }
    }

    #[test]
    fn things_are_divided_as_people_type_them() {
        for typed in [
            "tea, coffee, a walk",
            "tea; coffee; a walk",
            "tea | coffee | a walk",
            "tea, coffee or a walk",
            "between tea, coffee, or a walk?",
        ] {
            assert_eq!(things(typed), ["tea", "coffee", "a walk"], "{typed}");
        }
        assert_eq!(things("tea or coffee"), ["tea", "coffee"]);
        assert_eq!(things("tea coffee"), ["tea", "coffee"]);
        assert_eq!(things("between fight and flight"), ["fight", "flight"]);
        assert_eq!(things("a card"), ["a card"]);
        assert_eq!(things("left / right / back home"), ["left", "right", "back home"]);
        assert_eq!(things("Orla, Gregor"), ["Orla", "Gregor"]);
        assert_eq!(things("tea"), ["tea"]);
        assert!(things(" , ?").is_empty() && things("").is_empty());
        assert_eq!(things(&"a,".repeat(5_000)).len(), MOST_THINGS + 1);
    }
}
