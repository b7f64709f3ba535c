//! Rolls not typed in full: `!d20+5`, `!roll again`, or `!roll +2` on the last roll.

use super::followed::replied;
use crate::attempt::Attempt;
use crate::draft::Draft;
use dice::{Dialect, Expression, Notation};
use host::Host;
use host::budget::MOST_REROLLED;
use host::notation::{guessed, throws_dice};
use host::rights::Act;
use host::room::Answered;
use host::unplayed::Unplayed;
use host::words::{Arguments, CommandLine};
use journal::Page;
use plugin_api::{CommandSpec, FollowUp, Kind, Plugin, Refusal, suggest_within};
use serde_json::Value;
use understand::notation::{AGAIN, is_on_the_last};

/// Any dice, in front of what changes them.
const ANY: &str = "d20 ";

/// What people call their last roll, in front of `again`.
const IT: [&str; 4] = ["it ", "that ", "this ", "them "];

/// `it again` is `again`.
fn without_it(words: &str) -> &str {
    IT.iter().find_map(|it| words.strip_prefix(it)).filter(|again| again.starts_with(AGAIN)).unwrap_or(words)
}

/// The roll meant by a line of just dice: `d20+5`, or `roll4d6kh3` without a space.
pub(super) fn bare_dice(host: &Host, line: &CommandLine, attempt: &Attempt<'_>) -> Option<CommandLine> {
    let command = host.plugins.notation(&attempt.room)?;
    let glued = command.names().find_map(|word| {
        let start = line.typed.get(..word.len())?;
        start.eq_ignore_ascii_case(word).then(|| &line.typed[word.len()..])
    });
    let mut texts = [Some(line.typed.as_str()), glued].into_iter().flatten();
    let dialect = attempt.room.dialect();
    let throws = |text: &str| {
        let text = Arguments::of(text, FollowUp::No).typed;
        let text = text.as_str();
        let plain = Notation::plainly(text, dialect);
        let text = plain.as_deref().unwrap_or(text);
        let dice = Notation::prose_in_doubt(text, dialect).map_or(text, |at| &text[..at]);
        throws_dice(dice, dialect)
            || Notation::of_spoken(dice, dialect).is_some()
            || Notation::of_several(dice, dialect).is_some()
    };
    let sheet = attempt.sheet();
    let cast = attempt.cast(host);
    let reads = |text: &str| {
        let text = guessed(text);
        // `d20+5 vs Ogre`
        let (dice, name) = text.split_once(" vs ").unwrap_or((&text, ""));
        let text = match cast.meant(name.split_whitespace().next().unwrap_or_default()) {
            Some(_) => dice.to_owned(),
            None => text,
        };
        throws(&text) || sheet.filled_dice(&text, 0, throws).is_some()
    };
    let dice = texts.find(|text| reads(text))?;
    // `brawl courage vs 15` is no plain roll in a game with a roll of its own.
    let first = dice.split([' ', '+', ',']).next().unwrap_or_default();
    if first.trim_end_matches('!').chars().all(char::is_alphabetic)
        && host.plugins.rolling(&attempt.room, &attempt.doc).is_some()
    {
        return None;
    }
    Some(CommandLine { typed: format!("{} {dice}", command.name), ..*line })
}

/// The name of the table's value that is rolled where no dice are typed.
const DIE: &str = "die";

/// The full line for a roll that is not typed in full: the game's command behind `roll`, dice as phones type them, or
/// what begins with `again` or an operator. Its words begin at byte `from`.
pub(super) fn in_full(
    draft: &Draft,
    host: &Host,
    line: &CommandLine,
    from: usize,
    attempt: &Attempt<'_>,
) -> Result<Option<CommandLine>, Unplayed> {
    let arguments = Arguments::of(&line.typed, FollowUp::No);
    let words = arguments.typed.get(from..).unwrap_or_default().trim();
    let (behind, dialect) = (&line.typed[arguments.typed.len()..], attempt.room.dialect());
    let first = words.split_whitespace().next().unwrap_or_default().to_lowercase();
    // `roll check 5 +2`, `roll initiative`
    let rolls = |(plugin, spec): &(&dyn Plugin, &CommandSpec)| plugin.manifest().kind == Kind::Game || spec.main;
    if first.len() > 1 && host.plugins.knowing(&first, &attempt.room).iter().any(rolls) {
        return Ok(Some(CommandLine { typed: format!("{words}{behind}"), ..*line }));
    }
    let command = line.typed.get(..from).unwrap_or_default();
    // `roll`, and `roll perception vs 12`
    let is_one = |die: &&String| Notation::typed_in(dialect, die).is_ok_and(|read| read.sum().is_some());
    let usual = attempt.doc.shortcuts.table.variables.get(DIE).filter(is_one);
    let name = 0..words.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(words.len());
    if let Some(die) = usual.filter(|_| words.is_empty() || attempt.sheet().filled_at(words, name).is_some()) {
        let added = if words.is_empty() { String::new() } else { format!("+{words}") };
        return Ok(Some(CommandLine { typed: format!("{} {die}{added}{behind}", command.trim_end()), ..*line }));
    }
    if let Some(plain) = Notation::plainly(words, dialect) {
        return Ok(Some(CommandLine { typed: format!("{command} {plain}{behind}"), ..*line }));
    }
    on_the_last(draft, host, line, from, attempt)
}

/// The full line for a roll that begins with `again` or an operator.
fn on_the_last(
    draft: &Draft,
    host: &Host,
    line: &CommandLine,
    from: usize,
    attempt: &Attempt<'_>,
) -> Result<Option<CommandLine>, Unplayed> {
    let arguments = Arguments::of(&line.typed, FollowUp::No);
    let words = without_it(arguments.typed.get(from..).unwrap_or_default().trim());
    let first = words.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    if suggest_within(1, first, [AGAIN]).is_some() && !first.eq_ignore_ascii_case(AGAIN) {
        let what = format!("I cannot read {first} here: did you mean {AGAIN}?");
        let start = first.as_ptr() as usize - arguments.typed.as_ptr() as usize;
        return Err(Refusal::usage(what, start..start + first.len())
            .mended(start..start + first.len(), Some(AGAIN))
            .into());
    }
    if !is_on_the_last(words) {
        return Ok(None);
    }
    let again = first.eq_ignore_ascii_case(AGAIN);
    let last = match last_roll(draft, host, attempt)? {
        Some(last) => last,
        None if again => return Err(Refusal::new("you have not rolled here yet").example("roll 2d6+3").into()),
        None => return Ok(None),
    };
    let (number, text) = (last.number(), last.line().unwrap_or_default());
    let before = Arguments::of(&text, FollowUp::No);
    let parts = Parts::of(&before.typed, attempt.room.dialect());
    let comment = arguments.comment.as_deref();
    let several = || {
        let what = format!("your last roll, #{number}, was several rolls");
        Refusal::new(what).example("roll again")
    };
    let typed = if again {
        let more = words[first.len()..].trim();
        // `again with +2`
        let with = ["with ", "w/ ", "w/", "w "].iter().find_map(|with| more.strip_prefix(with));
        let more = with.map_or(more, str::trim_start);
        // `again +2 flanking`
        let said = Notation::prose_behind(&format!("{ANY}{more}"), attempt.room.dialect());
        let (more, said) = more.split_at(said.map_or(more.len(), |at| at - ANY.len()));
        let (more, said) = (more.trim_end(), Some(said).filter(|said| !said.is_empty()));
        let comment = comment.or(said).or(before.comment.as_deref());
        let commented = |comment: Option<&str>| comment.map(|said| format!(" # {said}")).unwrap_or_default();
        match (more, parts) {
            ("", _) => format!("{}{}", before.typed, commented(comment)),
            (more, Some(parts)) => format!("{}{}", parts.with(more), commented(comment.or(parts.prose))),
            (_, None) => return Err(several().into()),
        }
    } else {
        let total = last.facts().get("total").and_then(Value::as_i64);
        let (Some(total), false) = (total, last.facts().contains_key("totals")) else {
            return Err(several().into());
        };
        let why = comment.map_or(format!("on #{number}"), |comment| format!("on #{number}, {comment}"));
        let rest = parts.map_or("", |parts| parts.rest);
        format!("{} {total} {words}{rest} # {why}", &line.typed[..from])
    };
    Ok(Some(CommandLine { typed, ..*line }))
}

/// The roll of plain dice that the message replies to, or else the actor's last one, if every reader of the answer
/// may know of it.
fn last_roll(draft: &Draft, host: &Host, attempt: &Attempt<'_>) -> Result<Option<Page>, Unplayed> {
    let ledger = draft.ledger(host);
    let replied = replied(draft, host, attempt.message)?.map(|number| ledger.page(ledger.current(number)?));
    let is_dice = |page: &Page| host.plugins.is_notation(&page.entry.game, &page.entry.command);
    let own = ledger.of_character(attempt.actor)?.take(MOST_REROLLED);
    for page in replied.transpose()?.flatten().map(Ok).into_iter().chain(own) {
        let page = page?;
        let known =
            !page.is_secret() || (attempt.is_secret() && attempt.rights.may(&attempt.doc, Act::Read(&page.entry)));
        if is_dice(&page) && known && !page.is_void() && page.text().is_some() {
            return Ok(Some(page));
        }
    }
    Ok(None)
}

/// The parts of a line with one roll.
struct Parts<'a> {
    /// The words before the dice, with the space after them.
    command: &'a str,
    /// How often it is rolled, as it is typed: `3x `.
    times: &'a str,
    /// The sum, or the left side of a comparison.
    dice: &'a str,
    /// The rest of a comparison, and how several results are combined.
    rest: &'a str,
    /// The words behind the roll that say what it is for.
    prose: Option<&'a str>,
    /// True if the roll is a sum of several parts.
    sum: bool,
    /// True if the rest is a comparison and nothing else.
    compares: bool,
}

impl<'a> Parts<'a> {
    /// Splits a line without its comment; `None` if it has several rolls.
    fn of(line: &'a str, dialect: Dialect) -> Option<Self> {
        let read = |text: &str| Notation::typed_in(dialect, text).ok();
        let starts = || line.match_indices(char::is_whitespace).map(|(at, _)| at + 1);
        let plain = || starts().find_map(|start| Some((start, line.len(), read(&line[start..])?)));
        // `roll d20+5 perception`
        let with_prose = || {
            starts().find_map(|start| {
                let end = start + Notation::prose_behind(&line[start..], dialect)?;
                Some((start, end, read(line[start..end].trim_end())?))
            })
        };
        let (start, prose, notation) = plain().or_else(with_prose)?;
        let (line, prose) = (line[..prose].trim_end(), Some(line[prose..].trim()).filter(|prose| !prose.is_empty()));
        let [roll] = notation.rolls.as_slice() else { return None };
        let added = roll.expression.compared().unwrap_or(&roll.expression);
        // The longest beginning that is a sum.
        let ends = line.char_indices().map(|(at, _)| at).chain([line.len()]).rev();
        let mut ends = ends.take_while(|end| *end > start);
        let end = ends.find(|end| {
            let begun = read(&line[start..*end]).map(|notation| notation.rolls).unwrap_or_default();
            matches!(begun.as_slice(), [only] if only.expression == *added && only.together.is_none())
        })?;
        let end = start + line[start..end].trim_end().len();
        let counted = |c: char| c.is_ascii_digit() || c.is_whitespace() || matches!(c, 'x' | 'X' | '#');
        let times = if roll.times.is_some() { &line[start..end] } else { "" };
        // `6x 4d6`, and `6 4d6` in a notation that repeats so
        let behind = times.find(['x', 'X', '#']).or_else(|| times.trim_start().find(' ')).map_or(0, |at| at + 1);
        let behind = start + if times[..behind].chars().all(counted) { behind } else { 0 };
        Some(Parts {
            command: &line[..start],
            times: &line[start..behind],
            dice: &line[behind..end],
            rest: &line[end..],
            prose,
            sum: matches!(added, Expression::Chain(..)),
            compares: roll.expression.compared().is_some() && roll.together.is_none(),
        })
    }

    /// The line with more behind its sum: a part of the sum, what all of it is multiplied with or divided by, or another
    /// comparison.
    fn with(&self, more: &str) -> String {
        let Parts { command, times, dice, rest, .. } = self;
        let compares =
            more.starts_with(COMPARING) || more.get(..3).is_some_and(|begun| begun.eq_ignore_ascii_case("vs "));
        let rest = if compares && self.compares { "" } else { rest };
        match self.sum && more.starts_with(['*', '/', '%']) {
            true => format!("{command}{times}({}) {more}{rest}", dice.trim()),
            false => format!("{command}{times}{dice} {more}{rest}"),
        }
    }
}

/// What comparisons begin with.
const COMPARING: [char; 6] = ['<', '>', '=', '≤', '≥', '≠'];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_roll_has_its_dice_and_what_they_are_compared_with() {
        let parts = |line| {
            let Parts { command, times, dice, rest, .. } = Parts::of(line, Dialect::Native)?;
            Some([command, times, dice, rest])
        };
        assert_eq!(parts("roll d20+5 vs 15"), Some(["roll ", "", "d20+5", " vs 15"]));
        assert_eq!(parts("r  2d6kh1 >=9"), Some(["r ", "", " 2d6kh1", " >=9"]));
        assert_eq!(parts("roll 3x d20 sum"), Some(["roll ", "3x", " d20", " sum"]));
        assert_eq!(parts("roll 5d10>=7"), Some(["roll ", "", "5d10>=7", ""]));
        assert_eq!(parts("roll d20; 2d6"), None);
        assert_eq!(parts("roll d20+5 perception"), Some(["roll ", "", "d20+5", ""]));
        let with = |line, more| Parts::of(line, Dialect::Native).map(|parts| parts.with(more)).unwrap_or_default();
        assert_eq!(with("roll d20+5 perception", "+2"), "roll d20+5 +2");
        assert_eq!(with("roll d20+5 vs 15", "vs 12"), "roll d20+5 vs 12");
        assert_eq!(with("roll d20+5 vs 15", "+1"), "roll d20+5 +1 vs 15");
        assert_eq!(with("roll 2d6+3", "/2"), "roll (2d6+3) /2");
        assert_eq!(with("roll 3x 2d6+3 sum", "/2"), "roll 3x(2d6+3) /2 sum");
    }
}
