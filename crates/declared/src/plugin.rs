//! A game as the core plays it.

use crate::evaluate::Value;
use crate::game::Game;
use crate::play::{Record, play};
use chat::Role;
use plugin_api::{
    ArgumentSpec, Cast, CharacterId, EarlierRoll, Fit, Found, Held, HeldState, Line, Manifest, Many, Past, Place,
    Played, Plugin, Readers, Ready, Refusal, SavedState, Scenes, Words,
};
use serde_json::Value as Json;
use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Wraps a game for the core.
pub fn plugin(game: Arc<Game>) -> Box<dyn Plugin> {
    Box::new(Declared(game))
}

struct Declared(Arc<Game>);

/// What a table stores of it: nothing, since its numbers stand on the sheets and the rest in its rolls.
struct Nothing;

impl HeldState for Nothing {
    fn saved(&self) -> SavedState {
        SavedState { version: 1, state: Json::Null }
    }

    fn equals(&self, other: &dyn Any) -> bool {
        other.is::<Nothing>()
    }
}

impl Plugin for Declared {
    fn manifest(&self) -> &Manifest {
        &self.0.manifest
    }

    fn first(&self) -> Held {
        Held::new(Nothing)
    }

    fn readers(&self, _: &[&str]) -> Readers {
        Readers::Everybody
    }

    fn fits(&self, command: &str, roll: &EarlierRoll) -> Fit {
        let at = self.0.manifest.commands.iter().position(|spec| spec.name == command);
        let follows = at.map(|at| &self.0.commands[at].follows);
        match roll.record::<Record>().filter(|record| follows.is_some_and(|all| all.contains(&record.command))) {
            Some(record) if roll.offered || !record.done.iter().any(|done| done == command) => Fit::Open,
            Some(_) => Fit::Done,
            None => Fit::No,
        }
    }

    fn now(&self, _: &Held, _: &Cast, _: &Scenes, _: Role) -> Vec<Line> {
        Vec::new()
    }

    fn told(&self, _: &[&str], _: Option<&Json>, _: &dyn Fn(CharacterId) -> String) -> Option<String> {
        None
    }

    fn sentence(&self, _: &Past) -> Option<String> {
        None
    }

    fn held(&self, _: &SavedState) -> Result<Held, Refusal> {
        Ok(self.first())
    }

    fn ready(&self, held: &Held, name: &str, words: &mut Words) -> Result<Ready, Refusal> {
        let at = self.0.manifest.commands.iter().position(|spec| spec.name == name);
        let at = at.ok_or_else(|| Refusal::new(format!("there is no command {name}")))?;
        let arguments = &self.0.manifest.commands[at].arguments;
        let values = words.values(arguments)?;
        words.finish_with(arguments)?;
        let typed = typed(arguments, values.found());
        let (game, held) = (self.0.clone(), held.clone());
        Ok(Ready::new(move |turn| Ok(Played { reply: play(&game, at, &typed, turn)?, held: held.clone() })))
    }
}

/// What was typed for each argument, by its name.
fn typed(arguments: &[ArgumentSpec], found: &[Vec<Found>]) -> BTreeMap<String, Value> {
    let value = |argument: &ArgumentSpec, found: &[Found]| match (&argument.place, argument.many) {
        (Place::Flag, _) => Value::Flag(!found.is_empty()),
        (_, Many::Repeated) => {
            let all = found.iter().filter_map(|found| found.value.as_ref()?.number().ok());
            Value::Number(all.fold(0, |sum, (number, _)| sum.saturating_add(number)))
        }
        _ => match found.first().and_then(|found| found.value.as_ref()) {
            Some(plugin_api::Value::Number { number, .. }) => Value::Number(*number),
            Some(other) => other.text().map_or(Value::Nothing, |text| Value::Word(text.to_owned())),
            None => Value::Nothing,
        },
    };
    let named = arguments.iter().zip(found);
    named.map(|(argument, found)| (argument.field.clone(), value(argument, found))).collect()
}
