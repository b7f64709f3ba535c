//! `!odds`, `!explain`: the chances of dice results, and explanations of notation.

use crate::budget::ROLLS;
use chat::{Reply, Span};
use dice::{Dialect, Expression, Fuel, Notation, NotationError, ODDS, Odds, OddsError, Repeated};
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
    let of = |expression: &Expression| Repeated { expression: expression.clone(), ..repeated.clone() };
    match (&repeated.expression, repeated.together) {
        (Expression::Compared(left, comparison, right), None) => {
            let (left, right) = (look(&of(left), "left")?, look(&of(right), "right")?);
            Ok(compared(&notation, &left, *comparison, &right))
        }
        (expression, _) => match Some(left).filter(|left| !left.is_empty()).or_else(|| words_of(expression)) {
            Some(words) => Ok(Reply::new().bold(words).text(format!(" | {notation}"))),
            None => Ok(spread(&notation, &look(repeated, "whole")?.rounded_down())),
        },
    }
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
