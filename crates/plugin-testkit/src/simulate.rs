//! Plays a command very often, to compare its results with computed ones.

use dice::fair::{FairDice, MessageKey};
use jiff::Timestamp;
use plugin_api::{Cast, CharacterId, Plugin, Turn, Words};
use serde_json::{Map, Value};

/// Plays `command` this many times on the first state of `plugin`, with one stream of fair dice of this seed; `look`
/// gets the facts of each answer.
///
/// Panics if it is refused.
pub fn simulate(plugin: &dyn Plugin, command: &str, times: u32, seed: u8, mut look: impl FnMut(&Map<String, Value>)) {
    let key = MessageKey { network: "test".into(), room: "test".into(), id: command.into(), ordinal: 1 };
    let mut dice = FairDice::new(&[seed; 32], &key);
    let (word, _) = command.split_once(' ').unwrap_or((command, ""));
    let name = &plugin.manifest().command(word).expect("there is such a command").name;
    let ready = plugin.ready(&plugin.first(), name, &mut Words::new(command, word.len())).expect("it reads");
    let cast = Cast::new([(CharacterId(1), "Ann".to_owned())]);
    for _ in 0..times {
        let mut turn = Turn::new(CharacterId(1), cast.clone(), Timestamp::UNIX_EPOCH, &mut dice);
        look(&ready.play(&mut turn).expect("it is played").reply.facts);
    }
}

/// True if `count` of `times` is plausible for the chance `p`: within 4 standard errors.
pub fn within_four_errors(count: u32, times: u32, p: f64) -> bool {
    let (n, count) = (f64::from(times), f64::from(count));
    let error = (n * p * (1.0 - p)).sqrt();
    (count - n * p).abs() <= 4.0 * error.max(1e-9)
}
