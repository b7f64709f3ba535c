//! Plain dice, for any game: `!roll 4d6kh3 + 2 # strength`. Knows no rules but those of the notation.

use dice::{DiceTerm, Fate, Notation, NotationError, Piece, Roll, ShownDie, Throw};
use plugin_api::{Commands, Game, Plugin, Refusal, Reply, Text, Turn};
use std::convert::Infallible;

/// Plain dice as a plugin.
pub fn plugin() -> Box<dyn Plugin> {
    plugin_api::plugin::<Dice>()
}

struct Dice;

#[derive(Commands)]
enum Command {
    /// Roll dice. Take 4d6, keep the highest 3 (kh3), explode (!), reroll (r1), add, subtract, multiply, divide.
    ///
    /// NdS, d%, dF; kh kl dh dl N keep or drop; ! explodes on the highest face, !>=5 from 5 up; r1 or r<3 rerolls;
    /// + - * / and parentheses, / rounds down; 6x in front repeats; text behind # is a label.
    #[command(alias = "r", main, example = "roll 4d6kh3+2 # strength", example = "roll 6x 4d6kh3")]
    Roll {
        /// the dice, such as 2d6+3 or 10d6!kh5
        dice: Option<Text>,
    },
}

/// Characters of an answer's dice; of more, only their number is shown.
const MOST_SHOWN: usize = 280;
/// Terms whose dice are explained, and dice of a term that are.
const MOST_EXPLAINED: usize = 10;
const MOST_IN_A_STEP: usize = 40;
/// Totals of repeats that are shown.
const MOST_TOTALS: usize = 25;

impl Game for Dice {
    const ID: &'static str = "roll";
    const TITLE: &'static str = "Dice";
    const ABOUT: &'static str = "plain dice for any game";

    type State = ();
    type Command = Command;

    fn play((): &mut (), Command::Roll { dice }: Command, turn: &mut Turn) -> Result<Reply, Refusal> {
        let Some(Text { text, at }) = dice else {
            return Err(Refusal::new("what do you roll?"));
        };
        let notation: Notation = text
            .parse()
            .map_err(|error: NotationError| Refusal::usage(error.what, at + error.at.start..at + error.at.end))?;
        let rolls = notation.roll(turn)?;
        let totals: Vec<i64> = rolls.iter().map(|roll| roll.total).collect();
        let mut reply = Reply::new().bold(shown_totals(&totals)).text(" | ");
        reply = match rolls.as_slice() {
            [only] => show_roll(reply, &notation, only),
            several => show_repeats(reply, &notation, several),
        };
        reply = rolls.iter().flat_map(Roll::terms).filter_map(explain).take(MOST_EXPLAINED).fold(reply, Reply::why);
        Ok(match totals.as_slice() {
            [total] => reply.fact("total", *total),
            _ => reply.fact("total", totals.iter().sum::<i64>()).fact("totals", totals),
        })
    }
}

/// What became of the dice of a term, if more than being added.
fn explain((term, throw): (&DiceTerm, &Throw)) -> Option<String> {
    let plain = |die: &ShownDie| die.fate == Fate::Kept && !die.exploded;
    if throw.0.iter().all(plain) || throw.0.len() > MOST_IN_A_STEP {
        return None;
    }
    let each = throw.0.iter().map(|die| match (die.fate, die.exploded) {
        (Fate::Kept, false) => format!("{} counts", die.value),
        (Fate::Kept, true) => format!("{} counts and explodes into", die.value),
        (Fate::Dropped, false) => format!("{} is dropped", die.value),
        (Fate::Dropped, true) => format!("{} is dropped, exploded into", die.value),
        (Fate::Rerolled, _) => format!("{} is rerolled as", die.value),
    });
    let each: Vec<_> = each.collect();
    Some(format!("{term}: {} = {}", each.join(", ").replace("as, ", "as ").replace("into, ", "into "), throw.total()))
}

fn shown_totals(totals: &[i64]) -> String {
    let shown: Vec<_> = totals.iter().take(MOST_TOTALS).map(i64::to_string).collect();
    let more = if totals.len() > MOST_TOTALS { " …" } else { "" };
    shown.join(" ") + more
}

fn show_roll(reply: Reply, notation: &Notation, roll: &Roll) -> Reply {
    if roll.to_string().len() > MOST_SHOWN {
        return counted(reply, notation, std::slice::from_ref(roll));
    }
    let mut reply = Some(reply);
    let Ok(()) = roll.show(&mut |piece| add(&mut reply, piece));
    reply.unwrap_or_default()
}

/// Of each repeat only the dice: the notation stands in front once.
fn show_repeats(reply: Reply, notation: &Notation, rolls: &[Roll]) -> Reply {
    let throws = || rolls.iter().flat_map(|roll| &roll.throws);
    if throws().map(|throw| throw.to_string().len() + 1).sum::<usize>() > MOST_SHOWN {
        return counted(reply, notation, rolls);
    }
    let mut reply = Some(reply.text(format!("{notation} |")));
    for throw in throws() {
        let Ok(()) = add(&mut reply, Piece::Text(&" "));
        let Ok(()) = throw.show(&mut |piece| add(&mut reply, piece));
    }
    reply.unwrap_or_default()
}

/// More dice than anybody reads: how many there are.
fn counted(reply: Reply, notation: &Notation, rolls: &[Roll]) -> Reply {
    let dice: usize = rolls.iter().flat_map(|roll| &roll.throws).map(|throw| throw.0.len()).sum();
    reply.text(format!("{notation} | {dice} dice, too many to show"))
}

fn add(reply: &mut Option<Reply>, piece: Piece) -> Result<(), Infallible> {
    *reply = reply.take().map(|reply| match piece {
        Piece::Text(text) => reply.text(text.to_string()),
        Piece::Kept(value) => reply.die(value.to_string()),
        Piece::Out(value) => reply.dropped(value.to_string()),
    });
    Ok(())
}
