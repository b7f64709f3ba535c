//! A game as the core plays it.

use crate::evaluate::Value;
use crate::game::Game;
use crate::kept::{self, Kept};
use crate::play::{Record, STORY, play};
use chat::Role;
use plugin_api::{
    ArgumentSpec, Cast, CharacterId, EarlierRoll, Fit, Found, Held, Line, Manifest, Many, Past, Place, Played, Plugin,
    Readers, Ready, Refusal, SavedState, Scenes, Upgrade, Words,
};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Wraps a game for the core.
pub fn plugin(game: Arc<Game>) -> Box<dyn Plugin> {
    let first = Arc::new(Kept::first(&game));
    Box::new(Declared { game, first })
}

struct Declared {
    game: Arc<Game>,
    first: Arc<Kept>,
}

impl Plugin for Declared {
    fn manifest(&self) -> &Manifest {
        &self.game.manifest
    }

    fn first(&self) -> Held {
        Held::shared(self.first.clone())
    }

    fn readers(&self, _: &[&str]) -> Readers {
        Readers::Everybody
    }

    fn fits(&self, command: &str, roll: &EarlierRoll) -> Fit {
        let at = self.game.manifest.commands.iter().position(|spec| spec.name == command);
        let follows = at.map(|at| &self.game.commands[at].follows);
        match roll.record::<Record>().filter(|record| follows.is_some_and(|all| all.contains(&record.command))) {
            Some(record) if roll.offered || !record.done.iter().any(|done| done == command) => Fit::Open,
            Some(_) => Fit::Done,
            None => Fit::No,
        }
    }

    fn now(&self, _: &Held, _: &Cast, _: &Scenes, _: Role) -> Vec<Line> {
        Vec::new()
    }

    fn told(&self, place: &[&str], after: Option<&Json>, _: &dyn Fn(CharacterId) -> String) -> Option<String> {
        let title = &self.game.manifest.title;
        Some(match place {
            ["plays"] => format!("the table plays version {} of {title}", after?),
            // The text itself is for nobody to read in a chat.
            _ => String::new(),
        })
    }

    fn sentence(&self, past: &Past) -> Option<String> {
        if let Some(story) = past.word(STORY) {
            return Some(format!("{} {story}", past.who));
        }
        let outcome = past.word("outcome")?.to_lowercase();
        Some(format!("{}'s {}: {outcome}", past.who, past.command))
    }

    fn held(&self, saved: &SavedState) -> Result<Held, Refusal> {
        Ok(Held::new(Kept::of(saved)?))
    }

    fn is_a_file(&self) -> bool {
        true
    }

    fn is_as_kept(&self, saved: &SavedState) -> bool {
        kept::is_as_kept(&self.game, saved)
    }

    fn upgrade(&self, saved: &SavedState) -> Option<Upgrade> {
        kept::upgrade(&self.game, saved)
    }

    fn ready(&self, held: &Held, name: &str, words: &mut Words) -> Result<Ready, Refusal> {
        let at = self.game.manifest.commands.iter().position(|spec| spec.name == name);
        let at = at.ok_or_else(|| Refusal::new(format!("there is no command {name}")))?;
        let arguments = &self.game.manifest.commands[at].arguments;
        let values = words.values(arguments)?;
        words.finish_with(arguments)?;
        let typed = typed(arguments, &self.game.commands[at].alone, values.found());
        let (game, held, kept) = (self.game.clone(), held.clone(), held.of_type::<Kept>());
        let kept = kept.expect("a game is played on what a table holds of it");
        Ok(Ready::new(move |turn| Ok(Played { reply: play((&game, &kept), at, &typed, turn)?, held: held.clone() })))
    }
}

/// What was typed for each argument, by its name.
fn typed(arguments: &[ArgumentSpec], alone: &BTreeMap<String, i64>, found: &[Vec<Found>]) -> BTreeMap<String, Value> {
    let value = |argument: &ArgumentSpec, found: &[Found]| match (&argument.place, argument.many) {
        (Place::Flag, _) => Value::Flag(!found.is_empty()),
        (Place::Follows(_), _) if let [Found { value: None, .. }] = found => {
            alone.get(&argument.field).map_or(Value::Nothing, |alone| Value::Number(*alone))
        }
        (_, Many::Repeated) => {
            let all = found.iter().filter_map(|found| found.value.as_ref()?.number().ok());
            Value::Number(all.fold(0, |sum, (number, _)| sum.saturating_add(number)))
        }
        _ => match found.first().and_then(|found| found.value.as_ref()) {
            Some(plugin_api::Value::Number { number, .. }) => Value::Number(*number),
            Some(plugin_api::Value::Dice(dice)) => Value::Pool(dice.sides().map(|sides| (sides, 0)).collect()),
            Some(other) => other.text().map_or(Value::Nothing, |text| Value::Word(text.to_owned())),
            None => Value::Nothing,
        },
    };
    let named = arguments.iter().zip(found);
    named.map(|(argument, found)| (argument.field.clone(), value(argument, found))).collect()
}
