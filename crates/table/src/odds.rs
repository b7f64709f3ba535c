//! Shows odds: in words, as a chart, with their certainty.

use chat::{Bar, Reply};
use dice::{Cancel, Certainty, Comparison, Expression, Notation, Number, Odds};
use host::trials::Trials;
use plugin_api::Refusal;

/// Bars in a chart.
const LINES: usize = 12;
/// Results rarer than this, and all beyond them, share one line at the end of a chart.
const RARE: f64 = 0.005;

/// The chance of each word, for dice with words that are not counted otherwise.
pub fn words_of(expression: &Expression) -> Option<String> {
    let (chances, on) = expression.chances_of_words()?;
    let each = chances.into_iter().map(|(word, chance)| format!("{word} {}", percent(chance)));
    Some(each.collect::<Vec<_>>().join(", ") + on)
}

/// The odds of words that cancel each other: how likely more of the one are left, or more of the other.
pub fn cancelled(Cancel { word, against }: &Cancel, left: &Odds) -> String {
    let [more, even, less] = [Comparison::Greater, Comparison::Equal, Comparison::Less]
        .map(|comparison| percent(left.chance(comparison, Number::ZERO)));
    format!("{word} {more}, even {even}, {against} {less}")
}

/// The odds of a game's command that was played with all possible rolls, or with `estimated` many.
pub(crate) fn of_trials(typed: &str, trials: &Trials, estimated: Option<u32>) -> Result<Reply, Refusal> {
    if !trials.thrown {
        return Err(Refusal::new("that rolls no dice, so there are no odds").example(typed));
    }
    let certainty = match estimated {
        Some(throws) => Certainty::Estimated(throws),
        None if trials.left > 0.0 => Certainty::Within(trials.left),
        None => Certainty::Exact,
    };
    let success = trials.success();
    let outcomes =
        trials.totals().map(|totals| totals.into_iter().map(|(total, chance)| (total.into(), chance)).collect());
    let odds = outcomes.map(|outcomes| Odds { outcomes, certainty });
    let words: Vec<_> =
        trials.outcomes().into_iter().map(|(word, chance)| format!("{word} {}", percent(chance))).collect();
    let mut parts = Vec::new();
    parts.extend(success.map(|chance| format!("{} to succeed", percent(chance))));
    // With only two words, the chance of success says it all.
    parts.extend((words.len() > if success.is_some() { 2 } else { 1 }).then(|| words.join(", ")));
    // Who asks whether it succeeds needs no average.
    let average = odds.as_ref().filter(|_| success.is_none());
    parts.extend(average.map(|odds| format!("{} on average", decimal(odds.mean()))));
    let Some((first, rest)) = parts.split_first() else {
        return Err(Refusal::new("I cannot work out the odds of that command").example("odds 2d6 vs 9"));
    };
    let mut reply = Reply::new().bold(first.as_str()).text(format!(" | {typed}{}", how_sure(certainty)));
    reply = rest.iter().fold(reply, |reply, part| reply.text(format!(" | {part}")));
    if let Some(odds) = &odds {
        if success.is_none() {
            reply = reply.text(format!(", deviation {:.2}", odds.deviation()));
            reply = if odds.outcomes.len() > 1 { reply.chart(chart(odds)) } else { reply };
        }
        reply = facts(reply, odds);
    }
    Ok(success.into_iter().fold(reply, |reply, chance| reply.fact("chance", chance)))
}

/// The odds of a comparison.
pub fn compared(notation: &Notation, left: &Odds, comparison: Comparison, right: &Odds) -> Reply {
    let (higher, same) = left.against(right);
    let lower = (1.0 - higher - same).max(0.0);
    let chance = match comparison {
        Comparison::Less => lower,
        Comparison::AtMost => lower + same,
        Comparison::Equal => same,
        Comparison::Unequal => higher + lower,
        Comparison::AtLeast => higher + same,
        Comparison::Greater => higher,
    };
    let sure = if left.certainty == Certainty::Exact { right.certainty } else { left.certainty };
    let mut reply = Reply::new().bold(percent(chance)).text(format!(" | {notation}{}", how_sure(sure)));
    reply = reply.text(format!(" | {} on average", decimal(left.mean())));
    if right.outcomes.len() > 1 {
        reply = reply.text(format!(
            " against {}: higher {}, the same {}, lower {}",
            decimal(right.mean()),
            percent(higher),
            percent(same),
            percent(lower)
        ));
    }
    facts(reply, left).fact("chance", chance)
}

/// The odds of each result, as a chart.
pub fn spread(notation: &Notation, odds: &Odds) -> Reply {
    let (low, high) = odds.ends();
    let range = match odds.certainty {
        Certainty::Within(_) => format!(" | {low} and up"),
        // For results too rare for a rounded number, it is not known whether they exist.
        Certainty::Rounded => String::new(),
        Certainty::Exact | Certainty::Estimated(_) => format!(" | {low} to {high}"),
    };
    let first = odds.outcomes.first().map_or(0.0, |(_, chance)| *chance);
    let even = odds.outcomes.iter().all(|(_, chance)| (chance - first).abs() < 1e-9);
    let often = if even { String::new() } else { format!(", most often {}", odds.likeliest()) };
    let each =
        if notation.rolls.iter().any(|roll| roll.times.is_some() && roll.together.is_none()) { " each" } else { "" };
    let reply = Reply::new()
        .bold(format!("{} on average", decimal(odds.mean())))
        .text(format!("{each} | {notation}{}{range}{often}", how_sure(odds.certainty)))
        .text(format!(", deviation {:.2}", odds.deviation()));
    let reply = if odds.outcomes.len() > 1 { reply.chart(chart(odds)) } else { reply };
    facts(reply, odds)
}

/// A bar for each result, or for several neighbours if there are many; the rarest are at the ends.
fn chart(odds: &Odds) -> Vec<Bar> {
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
    let bar = |(name, chance): (String, f64)| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of the highest, 0 to 100")]
        let length = (chance / highest * 100.0).round() as u8;
        Bar { name, length, value: percent(chance) }
    };
    bars.into_iter().map(bar).collect()
}

fn how_sure(certainty: Certainty) -> String {
    match certainty {
        Certainty::Exact => String::new(),
        Certainty::Rounded => " (rounded)".to_owned(),
        Certainty::Within(_) => " (cut off where hardly anything is left)".to_owned(),
        Certainty::Estimated(rolls) => format!(" (an estimate, rolled {rolls} times)"),
    }
}

/// A number with two decimals; never "-0.00".
fn decimal(number: f64) -> String {
    format!("{:.2}", if number.abs() < 0.005 { 0.0 } else { number })
}

/// A chance for people; 0 % and 100 % only if exact.
fn percent(chance: f64) -> String {
    let percent = chance * 100.0;
    match percent {
        percent if percent <= 0.0 => "0 %".to_owned(),
        percent if percent < 0.01 => "under 0.01 %".to_owned(),
        percent if percent < 1.0 || (percent > 99.0 && percent < 99.995) => format!("{percent:.2} %"),
        percent => format!("{percent:.1} %"),
    }
}

fn facts(reply: Reply, odds: &Odds) -> Reply {
    let (low, high) = odds.ends();
    let reply = reply.fact("mean", odds.mean()).fact("sd", odds.deviation());
    reply.fact("min", low.approximate()).fact("max", high.approximate())
}
