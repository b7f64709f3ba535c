//! Shows rolls: the result first, then the dice.

use crate::bands::Bands;
use crate::compared;
use dice::{
    Comparison, Counting, Expression, Modifier, Number, OfPool, Operator, Piece, Pool, Roll, Rolls, Shown, Throw,
    Together, Verdict,
};
use plugin_api::Reply;
use std::collections::BTreeMap;
use std::convert::Infallible;

/// Characters used for an answer's dice; further dice are only counted.
const MOST_SHOWN: usize = 280;
/// The most totals of repeats shown.
const MOST_TOTALS: usize = 25;

/// What the total of a roll is called, if it is one roll that is neither compared nor counted.
pub(crate) fn named<'b>(rolls: &Rolls, bands: &'b Bands) -> Option<&'b str> {
    let [only] = rolls.rolls.as_slice() else { return None };
    let counted = only.throws.iter().any(|throw| throw.tally.is_some());
    let plain = only.verdict.is_none() && !counted && !only.throws.is_empty() && head(only) == only.total().to_string();
    bands.of(only.total()).filter(|_| plain)
}

/// Adds a roll with all its repeats.
pub(crate) fn rolls(reply: Reply, rolls: &Rolls, bands: &Bands) -> Reply {
    match rolls.rolls.as_slice() {
        [only] if rolls.repeated.together.is_none() => {
            let head = head(only);
            let head = named(rolls, bands).map_or(head.clone(), |name| format!("{name}, {head}"));
            let reply = reply.bold(head).text(" | ");
            let reply = show_roll(reply, only);
            labels(reply, only)
        }
        several => show_repeats(totals(reply, rolls, several), rolls),
    }
}

/// A roll compared with a value that players may not know, of somebody of this name. `None` if it is more than one roll.
pub(crate) fn against(rolls: &[Rolls], name: &str) -> Option<Reply> {
    let [Rolls { rolls, .. }] = rolls else { return None };
    let [roll] = rolls.as_slice() else { return None };
    let (Expression::Compared(left, _, _), Some(verdict)) = (roll.expression, roll.verdict) else { return None };
    let end = if verdict.success { "SUCCESS" } else { "FAILURE" };
    let reply = Reply::new().bold(format!("{end} ({} vs {name})", verdict.value)).text(" | ");
    let left = Roll { expression: left, labels: Vec::new(), verdict: None, ..roll.clone() };
    Some(show_roll(reply, &left).fact("success", verdict.success))
}

/// The result of a roll, in a word or two.
fn head(roll: &Roll) -> String {
    if let Some(verdict) = roll.verdict {
        return told(verdict);
    }
    if let (Some(value), Expression::ComparedWithEach(_, comparison, _)) = (roll.compared, roll.expression) {
        return met(roll, value, *comparison);
    }
    if counts_successes(roll.expression) == Some(true) {
        return successes(roll.total());
    }
    if let Some(words) = roll.words() {
        return words_shown(roll, &words);
    }
    let Expression::Pool(pool) = roll.expression else { return roll.total().to_string() };
    let Some(throw) = roll.throws.last() else { return roll.total().to_string() };
    if let Some(tally) = throw.tally {
        let what = counted(pool);
        let plural = if tally.value == 1 { "" } else { what.1 };
        return if tally.is_botch() { "BOTCH".to_owned() } else { format!("{} {}{plural}", tally.value, what.0) };
    }
    roll.total().to_string()
}

/// True if a sum adds successes up, of two pools or more; false if it is a number, or one pool. `None` if something else is in it.
fn counts_successes(expression: &Expression) -> Option<bool> {
    match expression {
        Expression::Number(_) => Some(false),
        Expression::Pool(pool) => {
            pool.modifiers.iter().any(Modifier::counts).then_some(false).filter(|_| counted(pool) == SUCCESSES)
        }
        Expression::Labelled(inner, _) | Expression::Parentheses(inner) => counts_successes(inner),
        Expression::Chain(first, rest) => {
            let sums = rest.iter().all(|(sign, _)| matches!(sign, Operator::Plus | Operator::Minus));
            let mut each = rest.iter().map(|(_, each)| each).chain([&**first]);
            (sums && each.all(|each| counts_successes(each).is_some()) && expression.throws()).then_some(true)
        }
        _ => None,
    }
}

fn successes(count: i64) -> String {
    format!("{count} {}{}", SUCCESSES.0, if count == 1 { "" } else { SUCCESSES.1 })
}

/// The outcome of a comparison: `SUCCESS +2 (17 vs 15)`.
fn told(Verdict { value, comparison, against, success, margin }: Verdict) -> String {
    let end = if success { "SUCCESS" } else { "FAILURE" };
    let sign = sign(comparison);
    let margin =
        margin.map_or_else(String::new, |margin| format!(" {}{margin}", if margin >= Number::ZERO { "+" } else { "" }));
    format!("{end}{margin} ({value} {sign} {against})")
}

fn sign(comparison: Comparison) -> String {
    match comparison {
        Comparison::AtLeast => "vs".to_owned(),
        other => other.to_string(),
    }
}

/// With how many dice a comparison holds: `1 of 2 (7 vs 4 9)`.
fn met(roll: &Roll, value: Number, comparison: Comparison) -> String {
    let dice: Vec<i64> = roll.throws.last().into_iter().flat_map(|throw| throw.kept().map(|die| die.value)).collect();
    let shown = dice.iter().take(MOST_TOTALS).map(i64::to_string).collect::<Vec<_>>().join(" ");
    let more = if dice.len() > MOST_TOTALS { " …" } else { "" };
    let alike = if dice.len() > 1 && dice.windows(2).all(|two| two[0] == two[1]) { ", alike" } else { "" };
    format!("{} of {}{alike} ({value} {} {shown}{more})", roll.total(), dice.len(), sign(comparison))
}

/// What most pools count.
const SUCCESSES: (&str, &str) = ("success", "es");

/// The name of what a pool counts, and its plural ending.
fn counted(pool: &Pool) -> (&'static str, &'static str) {
    let counts = |modifier: &Modifier| match modifier {
        Modifier::Count(Counting::Sets(_)) => Some(("set", "s")),
        Modifier::Count(Counting::Matches) => Some(("alike", "")),
        Modifier::Count(Counting::Even) => Some(("even", "")),
        Modifier::Count(Counting::Odd) => Some(("odd", "")),
        _ => None,
    };
    pool.modifiers.iter().find_map(counts).unwrap_or(SUCCESSES)
}

/// How often each word shows; of one die, the word alone if it shows one.
fn words_shown(roll: &Roll, words: &BTreeMap<&str, usize>) -> String {
    let one = roll.throws.iter().flat_map(Throw::kept).count() == 1 && roll.cancels.is_empty();
    let each = words.iter().map(|(word, often)| match often {
        1 if one => (*word).to_owned(),
        often => format!("{often} {word}"),
    });
    let all = each.collect::<Vec<_>>().join(", ");
    if all.is_empty() { "nothing left".to_owned() } else { all }
}

/// The results of the repeats.
fn totals(reply: Reply, rolls: &Rolls, several: &[Roll]) -> Reply {
    let each = |between: &str| {
        let one = |roll: &Roll| if roll.compared.is_some() { roll.total() } else { compared(roll).floor() };
        let shown: Vec<_> = several.iter().take(MOST_TOTALS).map(|roll| one(roll).to_string()).collect();
        shown.join(between) + if several.len() > MOST_TOTALS { " …" } else { "" }
    };
    if several.iter().any(|roll| roll.verdict.is_some()) {
        let good = several.iter().filter(|roll| roll.verdict.is_some_and(|verdict| verdict.success)).count();
        return reply.bold(format!("{good} of {} succeed", several.len())).text(format!(" | {} | ", each(" ")));
    }
    if rolls.repeated.together == Some(Together::Sum) {
        let sum = several.iter().map(Roll::total).fold(0, i64::saturating_add);
        return reply.bold(sum.to_string()).text(format!(" = {} | ", each(" + ")));
    }
    let words = |roll: &Roll| roll.words().map(|words| words_shown(roll, &words));
    if let Some(mut words) = several.iter().take(MOST_TOTALS).map(words).collect::<Option<Vec<_>>>() {
        words.extend((several.len() > MOST_TOTALS).then(|| "…".to_owned()));
        return reply.bold(words.join("; ")).text(" | ");
    }
    reply.bold(each(" ")).text(" | ")
}

/// An answer being built, and the room left in it.
struct Page {
    reply: Reply,
    left: usize,
    /// True inside the brackets around dice, the only place where something is left out.
    inside: bool,
    /// The number of dice left out.
    more: usize,
}

impl Page {
    fn new(reply: Reply) -> Self {
        Page { reply, left: MOST_SHOWN, inside: false, more: 0 }
    }

    fn add(&mut self, piece: Piece) {
        if let Piece::Text(Shown::Word("]")) = piece {
            self.inside = false;
        }
        let reply = std::mem::take(&mut self.reply);
        if self.inside && self.left == 0 {
            let first = self.more == 0;
            self.more += usize::from(!matches!(piece, Piece::Text(_)));
            self.reply = if first && self.more > 0 { reply.text("…") } else { reply };
            return;
        }
        let (Piece::Text(shown) | Piece::Kept(shown) | Piece::Out(shown)) = piece;
        let text = shown.to_string();
        if self.inside {
            self.left = self.left.saturating_sub(text.chars().count());
        }
        self.inside |= matches!(piece, Piece::Text(Shown::Word("[")));
        self.reply = match piece {
            Piece::Text(_) => reply.text(text),
            Piece::Kept(_) => reply.die(text),
            Piece::Out(_) => reply.dropped(text),
        };
    }

    fn end(self) -> Reply {
        match self.more {
            0 => self.reply,
            more => self.reply.text(format!(" | {more} dice more: ")).code("why").text(" shows all"),
        }
    }
}

fn show_roll(reply: Reply, roll: &Roll) -> Reply {
    let mut page = Page::new(reply);
    let Ok(()) = roll.show::<Infallible>(&mut |piece| {
        page.add(piece);
        Ok(())
    });
    page.end()
}

/// For repeats only the dice are shown each time; the notation comes first, once.
fn show_repeats(reply: Reply, rolls: &Rolls) -> Reply {
    let mut page = Page::new(reply.text(format!("{} |", rolls.repeated)));
    for (pool, throw) in rolls.rolls.iter().flat_map(Roll::terms) {
        if page.left == 0 {
            page.reply = if page.more == 0 { page.reply.text(" …") } else { page.reply };
            page.more += throw.dice.len();
            continue;
        }
        page.add(Piece::Text(Shown::Word(" ")));
        let Ok(()) = OfPool(pool, throw).show::<Infallible>(&mut |piece| {
            page.add(piece);
            Ok(())
        });
    }
    page.end()
}

/// The results of the labelled parts.
fn labels(reply: Reply, roll: &Roll) -> Reply {
    if roll.labels.is_empty() {
        return reply;
    }
    let each: Vec<_> = roll.labels.iter().map(|(label, value)| format!("{label} {value}")).collect();
    reply.text(format!(" | {}", each.join(", ")))
}
