//! Ember: roll some d6, the highest counts; push your luck and get into heat.

use plugin_api::{CharacterId, Commands, Die, Game, Number, Plugin, Refusal, Reply, Target, Turn};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The game as a plugin.
pub fn plugin() -> Box<dyn Plugin> {
    plugin_api::plugin::<Ember>()
}

struct Ember;

/// What a table holds: the heat each character is in.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
struct State {
    heat: BTreeMap<CharacterId, u32>,
}

#[derive(Clone, Commands)]
enum Command {
    /// Risk something: roll that many d6, the highest counts.
    #[command(rolls, main, example = "risk 2", example = "risk 3 # over the wall")]
    Risk { dice: Number<1, 6> },
    /// Push your last risk: one more die, one more heat.
    #[command(rolls, follow_up, example = "push")]
    Push,
    /// Show the heat you are in.
    #[command(shows, example = "heat")]
    Heat,
}

impl Game for Ember {
    const ID: &'static str = "ember";
    const TITLE: &'static str = "Ember";
    const ABOUT: &'static str = "a small game of risk and heat";

    type State = State;
    type Command = Command;

    fn play(state: &mut State, command: Command, turn: &mut Turn) -> Result<Reply, Refusal> {
        match command {
            Command::Risk { dice: Number(count) } => {
                let dice = turn.throw_dice((0..count).map(|_| 6))?;
                Ok(shown(&dice).offer("push", "one more die, one more heat"))
            }
            Command::Push => {
                let Target { actor, record: mut dice, .. } = turn.target::<Vec<Die>>()?;
                if dice.len() >= 6 {
                    return Err(Refusal::new("six dice are all there are"));
                }
                dice.push(turn.throw_die(6)?);
                let heat = state.heat.entry(actor).or_default();
                *heat += 1;
                turn.amend(&dice);
                Ok(shown(&dice).text(format!(" | heat {heat}")).fact("heat", *heat))
            }
            Command::Heat => {
                let heat = state.heat.get(&turn.actor).copied().unwrap_or_default();
                Ok(Reply::from(format!("{} is in heat {heat}", turn.name(turn.actor))).fact("heat", heat))
            }
        }
    }
}

/// The rule: a 6 is a triumph, 4 and 5 come at a price, all else fails.
fn result(dice: &[Die]) -> &'static str {
    match dice.iter().map(|die| die.value).max() {
        Some(6) => "TRIUMPH",
        Some(4 | 5) => "AT A PRICE",
        _ => "FAILURE",
    }
}

fn shown(dice: &[Die]) -> Reply {
    let mut reply = Reply::new().bold(result(dice)).text(" |").fact("result", result(dice));
    for die in dice {
        reply = reply.text(" ").die(die.to_string());
    }
    reply.record(&dice)
}
