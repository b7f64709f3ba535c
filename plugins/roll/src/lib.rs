//! Plain dice, for any game: `!roll 4d6kh3 + 2 # strength`. Knows no rules but those of the notation.

use dice::{Notation, Piece, Roll};
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
        dice: Text,
    },
}

/// Dice of one answer that are shown one by one.
const MOST_SHOWN: usize = 150;

impl Game for Dice {
    const ID: &'static str = "roll";
    const TITLE: &'static str = "Dice";
    const ABOUT: &'static str = "plain dice for any game";

    type State = ();
    type Command = Command;

    fn play((): &mut (), Command::Roll { dice }: Command, turn: &mut Turn) -> Result<Reply, Refusal> {
        let Text { text, at } = dice;
        let notation: Notation = text
            .parse()
            .map_err(|error: dice::NotationError| Refusal::usage(error.what, at + error.at.start..at + error.at.end))?;
        let rolls = notation.roll(turn)?;
        let totals: Vec<i64> = rolls.iter().map(|roll| roll.total).collect();
        let shown = totals.iter().map(i64::to_string).collect::<Vec<_>>().join(" ");
        let mut reply = Reply::new().bold(shown).text(" | ");
        reply = match rolls.as_slice() {
            [only] => show_roll(reply, only),
            several => show_repeats(reply.text(format!("{notation} |")), several),
        };
        Ok(match totals.as_slice() {
            [total] => reply.fact("total", *total),
            _ => reply.fact("totals", totals).fact("total", rolls.iter().map(|roll| roll.total).sum::<i64>()),
        })
    }
}

fn show_roll(reply: Reply, roll: &Roll) -> Reply {
    let mut show = Show::new(reply);
    let Ok(()) = roll.show(&mut |piece| show.add(piece));
    show.reply
}

/// Of each repeat only the dice: the notation stands in front once.
fn show_repeats(reply: Reply, rolls: &[Roll]) -> Reply {
    let mut show = Show::new(reply);
    for throw in rolls.iter().flat_map(|roll| &roll.throws) {
        let Ok(()) = show.add(Piece::Text(&" "));
        let Ok(()) = throw.show(&mut |piece| show.add(piece));
    }
    show.reply
}

/// Puts pieces of a roll into an answer, no more dice than can be read.
struct Show {
    reply: Reply,
    dice: usize,
}

impl Show {
    fn new(reply: Reply) -> Self {
        Show { reply, dice: 0 }
    }

    fn add(&mut self, piece: Piece) -> Result<(), Infallible> {
        let reply = std::mem::take(&mut self.reply);
        self.dice += usize::from(!matches!(piece, Piece::Text(_)));
        self.reply = match piece {
            // Only what stands between dice is left out; the notation behind them is not.
            Piece::Text(text) if self.dice > MOST_SHOWN && text.to_string().trim().is_empty() => reply,
            Piece::Text(text) => reply.text(text.to_string()),
            _ if self.dice == MOST_SHOWN + 1 => reply.text("…"),
            _ if self.dice > MOST_SHOWN => reply,
            Piece::Kept(value) => reply.die(value.to_string()),
            Piece::Out(value) => reply.dropped(value.to_string()),
        };
        Ok(())
    }
}
