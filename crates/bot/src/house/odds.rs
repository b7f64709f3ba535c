//! `!odds`, `!explain`: how likely the results of some dice are, and what those do.

use chat::{Line, Reply, Span};
use dice::fair::{FairDice, MessageKey};
use dice::{Certainty, Comparison, Expression, Notation, NotationError, Number, Odds, OddsError, Repeated};
use plugin_api::{Refusal, Text};

/// Lines of a chart, and characters of its longest bar.
const LINES: usize = 12;
const LONGEST: f64 = 20.0;
/// What comes less often than this, and all beyond it, is one line at the end of a chart.
const RARE: f64 = 0.005;
/// Rolls of an estimate.
const ROLLS: u32 = 10_000;

pub(super) fn explain(roll: Option<&Text>) -> Result<Reply, Refusal> {
    let Some(text) = roll else { return Err(Refusal::new("explain what?")) };
    let notation = text.text.parse::<Notation>().map_err(|error| unreadable(text, error))?;
    let reply = Reply::new().bold(notation.to_string());
    Ok(match notation.in_words().as_slice() {
        [only] => reply.text(format!(" | {only}")),
        several => reply.list(several.iter().map(|each| vec![Span::Text(each.clone())]).collect()),
    })
}

fn unreadable(text: &Text, error: NotationError) -> Refusal {
    Refusal::usage(error.what, text.at + error.at.start..text.at + error.at.end)
}

pub(super) fn odds(roll: Option<&Text>, estimate: bool) -> Result<Reply, Refusal> {
    let Some(roll) = roll else { return Err(Refusal::new("the odds of what?")) };
    let text = roll.text.as_str();
    // What no die can show is meant for the sum.
    let notation =
        text.parse::<Notation>().or_else(|error| Notation::comparing(text).map_err(|_| unreadable(roll, error)))?;
    let [repeated] = notation.rolls.as_slice() else {
        return Err(Refusal::new("the odds of one roll at a time"));
    };
    let look = |expression: &Expression| {
        let repeated = Repeated { expression: expression.clone(), ..repeated.clone() };
        if estimate { estimated(&repeated) } else { repeated.odds().map_err(|error| refused(error, text)) }
    };
    match &repeated.expression {
        Expression::Compared(left, _, right) => {
            let whole = look(&repeated.expression)?;
            let chance = whole.chance(Comparison::Equal, Number::from(1));
            let (left, right) = (look(left)?, look(right)?);
            Ok(compared(&notation, &left, &right, chance, whole.certainty))
        }
        expression => Ok(spread(&notation, &look(expression)?)),
    }
}

fn refused(error: OddsError, text: &str) -> Refusal {
    match error {
        OddsError::Roll(error) => error.into(),
        error => Refusal::new(format!("{error}; an estimate is quick")).example(format!("odds estimate {text}")),
    }
}

/// The odds as rolling says, with dice that are no table's: the same each time.
fn estimated(repeated: &Repeated) -> Result<Odds, Refusal> {
    let key = MessageKey { network: "odds".into(), room: String::new(), id: repeated.to_string(), ordinal: 1 };
    Ok(repeated.estimate(&mut FairDice::new(&[0; 32], &key), ROLLS)?)
}

/// The odds of a comparison.
fn compared(notation: &Notation, left: &Odds, right: &Odds, chance: f64, certainty: Certainty) -> Reply {
    let mut reply = Reply::new().bold(percent(chance)).text(format!(" | {notation}{}", how_sure(certainty)));
    reply = reply.text(format!(" | {:.2} on average", left.mean()));
    if right.outcomes.len() > 1 {
        let (higher, same) = left.against(right);
        let lower = (1.0 - higher - same).max(0.0);
        reply = reply.text(format!(
            " against {:.2}: higher {}, the same {}, lower {}",
            right.mean(),
            percent(higher),
            percent(same),
            percent(lower)
        ));
    }
    facts(reply, left).fact("chance", chance)
}

/// The odds of each result, as a chart.
fn spread(notation: &Notation, odds: &Odds) -> Reply {
    let (low, high) = odds.ends();
    let up = match odds.certainty {
        Certainty::Within(_) if high > low => "and up".to_owned(),
        _ => format!("to {high}"),
    };
    let likeliest = odds.likeliest();
    let chance = |value: Number| odds.chance(Comparison::Equal, value);
    let even = odds.outcomes.iter().all(|(value, _)| (chance(*value) - chance(likeliest)).abs() < 1e-9);
    let often = if even { String::new() } else { format!(", most often {likeliest}") };
    let each =
        if notation.rolls.iter().any(|roll| roll.times.is_some() && roll.together.is_none()) { " each" } else { "" };
    let reply = Reply::new()
        .bold(format!("{:.2} on average", odds.mean()))
        .text(format!("{each} | {notation}{} | {low} {up}{often}", how_sure(odds.certainty)))
        .text(format!(", deviation {:.2}", odds.deviation()));
    let reply = if odds.outcomes.len() > 1 { reply.list(chart(odds)) } else { reply };
    facts(reply, odds)
}

/// A bar for each result, or for several side by side where there are many; what hardly ever comes stands at the ends.
fn chart(odds: &Odds) -> Vec<Line> {
    let rare = |outcomes: &mut dyn Iterator<Item = &(Number, f64)>| {
        let mut so_far = 0.0;
        let below = outcomes.take_while(|(_, chance)| {
            so_far += chance;
            so_far < RARE
        });
        below.count()
    };
    let all = odds.outcomes.as_slice();
    let (mut low, mut high) = (rare(&mut all.iter()), rare(&mut all.iter().rev()));
    if all.len() <= LINES {
        (low, high) = (0, 0);
    }
    let (before, rest) = all.split_at(low.min(all.len() - 1));
    let (middle, behind) = rest.split_at((rest.len() - high.min(rest.len() - 1)).max(1));
    let sum = |some: &[(Number, f64)]| some.iter().map(|(_, chance)| chance).sum::<f64>();
    let mut bars = Vec::new();
    match before {
        [] => {}
        [(only, chance)] => bars.push((only.to_string(), *chance)),
        [.., (last, _)] => bars.push((format!("{last} or less"), sum(before))),
    }
    let lines = LINES - usize::from(!before.is_empty()) - usize::from(!behind.is_empty());
    for some in middle.chunks(middle.len().div_ceil(lines)) {
        let (first, last) = (some[0].0, some[some.len() - 1].0);
        bars.push((if first == last { first.to_string() } else { format!("{first} to {last}") }, sum(some)));
    }
    if let Some((first, _)) = behind.first() {
        bars.push((format!("{first} or more"), sum(behind)));
    }
    let highest = bars.iter().map(|(_, chance)| *chance).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let bar = |(named, chance): (String, f64)| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a bar is 0 to 20 characters long")]
        let length = (chance / highest * LONGEST).round() as usize;
        let bar = if length == 0 { String::new() } else { "█".repeat(length) + " " };
        vec![Span::Text(format!("{named}: {bar}{}", percent(chance)))]
    };
    bars.into_iter().map(bar).collect()
}

fn how_sure(certainty: Certainty) -> String {
    match certainty {
        Certainty::Exact => String::new(),
        Certainty::Within(_) => " (cut off where hardly anything is left)".to_owned(),
        Certainty::Estimated(rolls) => format!(" (an estimate, rolled {rolls} times)"),
    }
}

/// A chance as people read it: none and all only if it is so.
fn percent(chance: f64) -> String {
    let percent = chance * 100.0;
    match percent {
        percent if percent > 0.0 && percent < 0.01 => "under 0.01 %".to_owned(),
        percent if percent < 1.0 || (percent > 99.0 && percent < 99.995) => format!("{percent:.2} %"),
        percent => format!("{percent:.1} %"),
    }
}

fn facts(reply: Reply, odds: &Odds) -> Reply {
    let (low, high) = odds.ends();
    let reply = reply.fact("mean", odds.mean()).fact("sd", odds.deviation());
    reply.fact("min", low.approximate()).fact("max", high.approximate())
}
