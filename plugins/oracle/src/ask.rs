//! What is asked for: the words after `oracle`, in whichever order people type them.

use crate::words::{self, Verb};
use plugin_api::random_table::folded;
use plugin_api::{Refusal, number_word};

/// The longest line, in bytes, that a refusal shows corrected.
const MOST_SHOWN: usize = 200;

/// What the words ask for, with names as they were typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Asked<'a> {
    /// Which tables there are.
    All,
    /// A roll on a table, so many times.
    Roll(&'a str, u32),
    /// A table with these lines, in place of one that has the name.
    Make(&'a str, &'a str),
    /// More lines for a table.
    Add(&'a str, &'a str),
    /// Something else with a table.
    With(Verb, &'a str),
    /// Yes or no, at this chance in percent, to a question that may be empty.
    YesNo(u32, &'a str),
}

/// Reads the words; `knows` tells whether there is a table of a name.
///
/// # Errors
/// Something is missing.
pub(crate) fn read(text: &str, knows: impl Fn(&str) -> bool) -> Result<Asked<'_>, Refusal> {
    let text = text.trim();
    let (first, rest) = first_word(text);
    let (before, last) = last_word(text);
    if rest.is_empty() && (first.is_empty() || words::asks_for_all(first)) {
        return Ok(Asked::All);
    }
    // `likley: is it guarded?` makes no table.
    if let Some(slip) = first.strip_suffix(':').filter(|word| text.ends_with('?') && words::chance(word).is_none())
        && let Some(chance) = words::slip_of_a_chance(slip)
    {
        return Err(Refusal::new(format!("did you mean {chance}?")).about_meant(slip, chance));
    }
    // `oracle 70 % is the gate open?`, `oracle 70 percent is it?`
    if let Some((number, question)) = [" %", " percent"].iter().find_map(|percent| text.split_once(percent))
        && let Some(chance) = words::chance(&format!("{number}%"))
    {
        return Ok(Asked::YesNo(chance, question.trim_start_matches([':', ',', ' '])));
    }
    if let Some(asked) = added(text, &knows).or_else(|| made(text)) {
        return Ok(asked);
    }
    if text.contains('|') {
        let what = format!("a colon is missing after the table's name, if that is {first}");
        let fits = text.len() < MOST_SHOWN && words::name(first).is_ok();
        let example = if fits { format!("oracle {first}: {rest}") } else { "oracle omen: a crow | silence".to_owned() };
        return Err(Refusal::new(what).example(example));
    }
    if let Some(verb) = words::verb(last).filter(|_| !before.is_empty()) {
        return Ok(Asked::With(verb, before));
    }
    if let Some(verb) = words::verb(first) {
        return match rest {
            "" => Err(Refusal::new("of which table?").example(format!("oracle omen {}", first.to_lowercase()))),
            name => Ok(Asked::With(verb, name)),
        };
    }
    let (name, times) = repeated(text);
    if !knows(&folded(name)) {
        // `likely, is the door locked?`
        let first = first.trim_end_matches(',');
        if let Some(chance) = words::chance(first) {
            return Ok(Asked::YesNo(chance, after_yes(rest)));
        }
        if let Some(chance) = words::slip_of_a_chance(first).filter(|_| text.ends_with('?')) {
            return Err(Refusal::new(format!("did you mean {chance}?")).about_meant(first, chance));
        }
        // `is the gate guarded? likely`, `does he lie, unlikely`
        if let Some(chance) = words::chance(last.trim_end_matches(['.', '?'])).filter(|_| before.ends_with(['?', ',']))
        {
            return Ok(Asked::YesNo(chance, before.trim_end_matches(',')));
        }
        // `weather, what does the morning bring?`
        if let Some((table, said)) = text.split_once(',').filter(|(table, _)| knows(&folded(table))) {
            let what = format!("\"{}\" would only be a comment", said.trim());
            return Err(Refusal::new(what).about_meant(text, format!("{table} # {}", said.trim())));
        }
        if text.ends_with('?') && !knows(&folded(text.trim_end_matches('?'))) {
            must_be_yes_or_no(text)?;
            return Ok(Asked::YesNo(50, text));
        }
    }
    match name {
        "" => Err(Refusal::new("which table?").example("oracle")),
        name => Ok(Asked::Roll(name, times)),
    }
}

/// Refuses a question that asks for more than yes or no, `who did it?`, or that begins with a chance that is none:
/// `almost certain is she lying?`.
fn must_be_yes_or_no(question: &str) -> Result<(), Refusal> {
    let (first, _) = first_word(question);
    if words::asks_for_more(first) {
        let what = "I answer with yes or no; a random table tells more";
        return Err(Refusal::new(what).about(first).example("oracle likely is the door locked?"));
    }
    let Some(at) = words::question_in(question).filter(|at| *at > 0) else { return Ok(()) };
    let chance = question[..at].trim_end();
    let percent = format!("{chance}%");
    let refusal = Refusal::new(format!("\"{chance}\" is no chance that I know: likely, unlikely, or 30%"));
    Err(match words::chance(&percent) {
        Some(_) => refusal.about_meant(chance, percent),
        None => refusal.about(chance).example("oracle likely is the door locked?"),
    })
}

fn first_word(text: &str) -> (&str, &str) {
    let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (first, rest.trim_start())
}

fn last_word(text: &str) -> (&str, &str) {
    let (before, last) = text.rsplit_once(char::is_whitespace).unwrap_or(("", text));
    (before.trim_end(), last)
}

/// The question after `yes`, as in `yes or no` and `yes no`.
fn after_yes(rest: &str) -> &str {
    match first_word(rest) {
        (word, rest) if ["or", "no", "/", "no?"].contains(&word.to_lowercase().as_str()) => after_yes(rest),
        _ => rest,
    }
}

/// `omen + fog | snow`, `omen add: fog`. Without a sign, only for a table that there is, since it may be prose.
fn added<'a>(text: &'a str, knows: &impl Fn(&str) -> bool) -> Option<Asked<'a>> {
    let head = &text[..text.find([':', '|']).unwrap_or(text.len())];
    let mut at = head.len() - first_word(head).1.len();
    while at > 0 && at < head.len() {
        let (word, rest) = first_word(&head[at..]);
        let sign = word.starts_with('+');
        if words::adds(word) || sign {
            let end = if sign { at + 1 } else { at + word.len() };
            let (name, body) = (head[..at].trim(), text[end..].trim_start());
            let colon = body.strip_prefix(':');
            let meant = sign || colon.is_some() || knows(&folded(name));
            return meant.then_some(Asked::Add(name, colon.unwrap_or(body).trim()));
        }
        at = if rest.is_empty() { head.len() } else { head.len() - rest.len() };
    }
    None
}

/// `omen: a crow | silence`. With `|` between the lines, `=` is as good as a colon.
fn made(text: &str) -> Option<Asked<'_>> {
    let equals = || text.split_once('=').filter(|(head, body)| body.contains('|') && !head.contains('|'));
    // An address is no table.
    let colon = text.split_once(':').filter(|(head, body)| !head.contains('|') && !body.starts_with("//"));
    let (mut head, mut body) = colon.or_else(equals)?;
    let (first, rest) = first_word(head.trim());
    if words::makes(first) && !rest.is_empty() {
        head = rest;
        // `new table rumours`, `make a table called rumours`
        for idle in ["a ", "new ", "table ", "called "] {
            head = head.strip_prefix(idle).filter(|name| !name.trim().is_empty()).unwrap_or(head);
        }
    }
    // `weather 1-3: rain | 4: wind` has its first colon in a line.
    let (before, last) = last_word(head.trim());
    let number = last.starts_with(|c: char| c.is_ascii_digit())
        && last.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | '\u{2013}'));
    let next = |part: &str| part.trim().starts_with(|c: char| c.is_ascii_digit());
    if number && !before.is_empty() && body.contains('|') && body.split('|').skip(1).all(next) {
        body = &text[text.find(last)?..];
        head = before;
    }
    if let Some(chance) = words::chance(head.trim()) {
        return Some(Asked::YesNo(chance, body.trim()));
    }
    if words::verb(body.trim()) == Some(Verb::Remove) {
        return Some(Asked::With(Verb::Remove, head.trim()));
    }
    Some(Asked::Make(head.trim(), body.trim()))
}

/// The name of a table, and how often it is rolled: `3x omen`, `omen x3`, `omen 3 times`, `omen twice`.
fn repeated(text: &str) -> (&str, u32) {
    let (first, rest) = first_word(text);
    if let Some(times) = words::times(first) {
        return (rest, times);
    }
    let (before, last) = last_word(text);
    if let Some(times) = words::times(last) {
        return (before, times);
    }
    let (name, count) = last_word(before);
    match (last.to_lowercase().as_str(), count.to_lowercase().as_str()) {
        ("twice", _) => (before, 2),
        ("times", number) if let Some(times) = number_word(number) => (name, times),
        // `omen x 3`
        (number, "x") => number.parse().map_or((text, 1), |times| (name, times)),
        ("times", number) | (number, "times") => number.parse().map_or((text, 1), |times| (name, times)),
        _ => (text, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str) -> Asked<'_> {
        read(text, |name| ["omen", "blood moon"].contains(&name)).unwrap_or_else(|why| panic!("{text}: {}", why.what))
    }

    #[test]
    fn a_table_is_made_and_grows_as_people_type_it() {
        let make = Asked::Make("omen", "a crow | silence");
        for typed in ["omen: a crow | silence", "new omen : a crow | silence", "omen = a crow | silence"] {
            assert_eq!(asked(typed), make, "{typed}");
        }
        assert_eq!(asked("weather 1-3: rain | 4: sun"), Asked::Make("weather", "1-3: rain | 4: sun"));
        assert_eq!(asked("weather: 1-3: rain | 4: sun"), Asked::Make("weather", "1-3: rain | 4: sun"));
        assert_eq!(asked("level 2: a rat | a bat"), Asked::Make("level 2", "a rat | a bat"));
        assert_eq!(asked("show: a | b"), Asked::Make("show", "a | b"));
        let fog = Asked::Add("omen", "7: fog");
        for typed in ["omen + 7: fog", "omen +7: fog", "omen add 7: fog", "omen add: 7: fog", "omen +: 7: fog"] {
            assert_eq!(asked(typed), fog, "{typed}");
        }
        assert_eq!(asked("omen: a + b | c"), Asked::Make("omen", "a + b | c"));
    }

    #[test]
    fn a_roll_may_be_said_to_happen_several_times() {
        for typed in ["3x omen", "omen x3", "omen x 3", "omen 3 times", "omen 3x"] {
            assert_eq!(asked(typed), Asked::Roll("omen", 3), "{typed}");
        }
        assert_eq!(asked("blood moon twice"), Asked::Roll("blood moon", 2));
        assert_eq!(asked("Omen?"), Asked::Roll("Omen?", 1));
        assert_eq!(asked("level 2"), Asked::Roll("level 2", 1));
    }

    #[test]
    fn verbs_stand_on_either_side_of_the_name() {
        for typed in ["omen show", "show omen"] {
            assert_eq!(asked(typed), Asked::With(Verb::Show, "omen"), "{typed}");
        }
        for typed in ["omen none", "omen: none", "delete omen"] {
            assert_eq!(asked(typed), Asked::With(Verb::Remove, "omen"), "{typed}");
        }
        assert_eq!(asked("blood moon export"), Asked::With(Verb::Export, "blood moon"));
        for typed in ["", "list", "show", "Tables"] {
            assert_eq!(asked(typed), Asked::All, "{typed}");
        }
    }

    #[test]
    fn a_question_for_more_than_yes_or_no_is_refused_and_so_is_a_chance_that_is_none() {
        let refused = |text: &str| read(text, |name| name == "omen").expect_err(text);
        for text in ["who did it?", "what's there?", "almost certain is she lying?"] {
            assert!(refused(text).mended.is_none(), "{text}");
        }
        assert_eq!(refused("80 is she lying?").mended.map(|right| right.by), Some("80%".to_owned()));
        for text in ["is she lying?", "Kenji is the killer?", "will it hold?"] {
            assert_eq!(asked(text), Asked::YesNo(50, text));
        }
    }

    #[test]
    fn a_question_is_answered_with_yes_or_no() {
        assert_eq!(asked("yes no"), Asked::YesNo(50, ""));
        assert_eq!(asked("yes or no is it locked?"), Asked::YesNo(50, "is it locked?"));
        assert_eq!(asked("Likely is it locked?"), Asked::YesNo(75, "is it locked?"));
        assert_eq!(asked("likely: is it locked?"), Asked::YesNo(75, "is it locked?"));
        assert_eq!(asked("is it locked? likely"), Asked::YesNo(75, "is it locked?"));
        assert_eq!(asked("30% rain"), Asked::YesNo(30, "rain"));
        assert_eq!(asked("is it safe to add salt?"), Asked::YesNo(50, "is it safe to add salt?"));
    }
}
