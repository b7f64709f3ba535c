//! How likely the example of a command succeeds, on a sheet of which nothing was set.

use crate::game::Game;
use crate::plugin::plugin;
use dice::Every;
use jiff::Timestamp;
use plugin_api::{Cast, CharacterId, Effect, Turn, Wanted, Words};
use std::sync::Arc;

/// The most dice that are thrown to find out.
const MOST_DICE: usize = 20_000;
/// The fact that says whether a command succeeded.
const SUCCESS: &str = "success";

/// The first example of the command called `name`, and its chance to succeed, from 0 to 1. `None` if it follows another's roll, says
/// nothing of success, or has too many ways to fall.
pub fn of_example(game: &Arc<Game>, name: &str) -> Option<(String, f64)> {
    let at = game.manifest.commands.iter().position(|spec| spec.name == name)?;
    let spec = &game.manifest.commands[at];
    if spec.effect != Effect::Rolls || !game.commands[at].follows.is_empty() {
        return None;
    }
    let example = spec.examples.first()?.split('#').next()?.trim();
    let (_, end) = game.manifest.begun(example)?;
    let played = plugin(game.clone());
    let ready = played.ready(&played.first(), name, &mut Words::new(example, end)).ok()?;
    let who = CharacterId(1);
    let (mut every, mut chance) = (Every::new(0.0), 0.0);
    loop {
        let cast = Cast::new([(who, String::new())]);
        let mut turn = Turn::new(who, cast, Timestamp::UNIX_EPOCH, &mut every).wanted_for(Wanted::Ending);
        let succeeded = ready.play(&mut turn).ok()?.reply.facts.get(SUCCESS)?.as_bool()?;
        chance += if succeeded { every.chance() } else { 0.0 };
        if !every.turn() {
            return Some((example.to_owned(), chance));
        }
        if every.dice() > MOST_DICE {
            return None;
        }
    }
}
