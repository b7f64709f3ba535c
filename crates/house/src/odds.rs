//! `!odds`, `!explain`: the chances of dice results, and explanations of notation.

use crate::budget::ROLLS;
use chat::{Bar, Block, Reply, Span};
use dice::{Dialect, Expression, Fuel, Notation, NotationError, Number, ODDS, Odds, OddsError, Repeated};
use plugin_api::{FollowUp, Refusal, Text};
use table::own::{cancelled, compared, dice_of_no_table, spread, words_of};
use table::words::Arguments;

pub(super) fn explain(roll: Option<&Text>, dialect: Dialect) -> Result<Reply, Refusal> {
    let Some(text) = roll else { return Err(Refusal::new("explain what?")) };
    let typed = Arguments::of(&text.text, FollowUp::No).typed;
    let notation = Notation::as_said(&typed, dialect).map_err(|error| unreadable(text, error))?;
    let reply = Reply::new().bold(notation.to_string());
    Ok(match notation.in_words().as_slice() {
        [only] => reply.text(format!(" | {only}")),
        several => reply.list(several.iter().map(|each| vec![Span::Text(each.clone())]).collect()),
    })
}

fn unreadable(text: &Text, error: NotationError) -> Refusal {
    Refusal::usage(error.what, text.at + error.at.start..text.at + error.at.end)
}

pub(super) fn odds(roll: Option<&Text>, estimate: bool, dialect: Dialect) -> Result<Reply, Refusal> {
    let Some(roll) = roll else { return Err(Refusal::new("the odds of what?")) };
    let text = Arguments::of(&roll.text, FollowUp::No).typed;
    let notation = Notation::as_said(&text, dialect).map_err(|error| unreadable(roll, error))?;
    let [repeated] = notation.rolls.as_slice() else {
        return Err(Refusal::new("I show the odds of one roll at a time"));
    };
    let mut fuel = Fuel::new(ODDS);
    let mut look = |repeated: &Repeated, side: &str| match estimate {
        true => estimated(repeated, side, &mut fuel),
        false => repeated.odds_within(&mut fuel).map_err(|error| refused(error, &text)),
    };
    let left = repeated.cancels.iter().map(|pair| Ok(cancelled(pair, &look(&repeated.left_of(pair), "left")?)));
    let left = left.collect::<Result<Vec<_>, Refusal>>()?.join("; ");
    let is_compared = matches!((&repeated.expression, repeated.together), (Expression::Compared(..), None));
    let words = Some(left).filter(|left| !left.is_empty()).or_else(|| words_of(&repeated.expression));
    match words.filter(|_| !is_compared) {
        Some(words) => Ok(Reply::new().bold(words).text(format!(" | {notation}"))),
        None => Ok(shown(&notation, repeated, look)?.1),
    }
}

/// The odds of a roll, and how they are shown; if it is compared with something, of its left side.
fn shown<E>(
    notation: &Notation,
    repeated: &Repeated,
    mut look: impl FnMut(&Repeated, &str) -> Result<Odds, E>,
) -> Result<(Odds, Reply), E> {
    let of = |expression: &Expression| Repeated { expression: expression.clone(), ..repeated.clone() };
    match (&repeated.expression, repeated.together) {
        (Expression::Compared(left, comparison, right), None) => {
            let (left, right) = (look(&of(left), "left")?, look(&of(right), "right")?);
            let reply = compared(notation, &left, *comparison, &right);
            Ok((left, reply))
        }
        _ => {
            let odds = look(repeated, "whole")?.rounded_down();
            let reply = spread(notation, &odds);
            Ok((odds, reply))
        }
    }
}

/// Whose spellings of dice there are.
const SPELLINGS: [Dialect; 5] =
    [Dialect::Native, Dialect::Roll20, Dialect::Foundry, Dialect::Avrae, Dialect::DiceMaiden];
/// What may be spent on the odds of a roll that somebody only looks at.
const LOOKED_AT: u64 = ODDS / 50;

/// How likely each total of a roll was, for whoever looks at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chances {
    /// In words, the average first.
    pub says: String,
    /// A bar for each total, or for several neighbours; none for a comparison.
    pub bars: Vec<Bar>,
}

/// The odds of dice that were rolled earlier by this line and gave a total. `None` if it was more than dice, if it means other
/// dice by now, or if working them out takes long.
pub(crate) fn of_earlier(line: &str, total: i64, dialect: Dialect) -> Option<Chances> {
    let typed = Arguments::of(line, FollowUp::No).typed;
    let words = typed.split_once(char::is_whitespace).map_or(typed.as_str(), |(_, words)| words.trim());
    // The values in it are those of then, since a roll is noted with their numbers; but nobody notes whose spelling it was in.
    let read = |text: &str, dialect| Notation::as_said(text, dialect).ok();
    let (text, notation) = [words, &typed].into_iter().find_map(|text| Some((text, read(text, dialect)?)))?;
    if !SPELLINGS
        .into_iter()
        .filter_map(|other| read(text, other))
        .all(|other| other.to_string() == notation.to_string())
    {
        return None;
    }
    let [repeated] = notation.rolls.as_slice() else { return None };
    if repeated.times.is_some() || !repeated.cancels.is_empty() || words_of(&repeated.expression).is_some() {
        return None;
    }
    let mut fuel = Fuel::new(LOOKED_AT);
    let (odds, shown) = shown(&notation, repeated, |repeated, _| repeated.odds_within(&mut fuel)).ok()?;
    odds.outcomes.iter().find(|(outcome, _)| *outcome == Number::from(total))?;
    let says = shown.blocks.first()?.plain();
    let bars =
        shown.blocks.into_iter().find_map(|block| if let Block::Chart(bars) = block { Some(bars) } else { None });
    Some(Chances { says, bars: bars.unwrap_or_default() })
}

fn refused(error: OddsError, text: &str) -> Refusal {
    match error {
        OddsError::Roll(error) => error.into(),
        error => Refusal::new(format!("{error}; an estimate is quick")).example(format!("odds estimate {text}")),
    }
}

/// Odds estimated by rolling, with different dice on each side of a comparison.
fn estimated(repeated: &Repeated, side: &str, fuel: &mut Fuel) -> Result<Odds, Refusal> {
    Ok(repeated.estimate_within(&mut dice_of_no_table(&format!("{side} {repeated}")), ROLLS, fuel)?)
}
