//! A game as the core plays it.

use crate::evaluate::Value;
use crate::game::Game;
use crate::kept::{self, Kept};
use crate::play::{Record, STORY, play};
use plugin_api::{
    ArgumentKind, ArgumentSpec, Cast, CharacterId, CommandSpec, EarlierRoll, Fit, Found, Held, Manifest, Many, Past,
    Place, Played, Plugin, Readers, Ready, Refusal, SavedState, Scenes, Shown, Upgrade, Words, number_word,
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

    fn now(&self, _: &Held, _: &Cast, _: &Scenes) -> Vec<Shown> {
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
        let spec = &self.game.manifest.commands[at];
        let values = words.values(arguments).map_err(|refusal| self.of_no_value(spec, refusal, words))?;
        words.finish_with(arguments).map_err(|refusal| self.of_no_value(spec, refusal, words))?;
        let typed = typed(arguments, &self.game.commands[at].alone, values.found());
        let (game, held, kept) = (self.game.clone(), held.clone(), held.of_type::<Kept>());
        let kept = kept.expect("a game is played on what a table holds of it");
        Ok(Ready::new(move |turn| Ok(Played { reply: play((&game, &kept), at, &typed, turn)?, held: held.clone() })))
    }
}

impl Declared {
    /// The refusal of a word where a number may be, if it can have been meant as the name of one: what would make it a number.
    fn of_no_value(&self, spec: &CommandSpec, refusal: Refusal, words: &Words) -> Refusal {
        let place = refusal.at.clone().unwrap_or_default();
        let Some((word, _)) = words.all().find(|(_, at)| *at == place).filter(|_| refusal.mended.is_none()) else {
            return refusal;
        };
        let not_a_number = refusal.what.starts_with(&format!("\"{word}\" is not a number"));
        let number =
            |argument: &ArgumentSpec| argument.place == Place::Here && matches!(argument.kind, ArgumentKind::Number(_));
        let left = refusal.what == format!("I do not understand \"{word}\" here");
        let may_be_one = not_a_number || left && spec.arguments.iter().any(number);
        if !may_be_one || !word.chars().all(char::is_alphabetic) || number_word(word).is_some() {
            return refusal;
        }
        let before = words.all().take_while(|(_, at)| at.end <= place.start).last().map_or("", |(before, _)| before);
        let rules = self.game.manifest.answers.iter().filter(|rule| rule.commands.contains(&spec.name));
        match rules.flat_map(|rule| rule.after.iter().zip(rule.names.first())).find(|(after, _)| *after == before) {
            Some((_, name)) => Refusal {
                what: format!("\"{word}\" is neither a number nor somebody with {name} on their sheet"),
                ..refusal
            },
            None => {
                let mut example = spec.examples.iter().filter_map(|line| line.split(' ').nth(1)?.parse::<i64>().ok());
                let set = format!("set {} {}", word.to_lowercase(), example.next().unwrap_or(2));
                // It may be on the sheet, where the rest of the line left no place for it.
                let what = format!("\"{word}\" is not a number, and no number on your sheet fits here");
                Refusal { what, ..refusal }.example(set)
            }
        }
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
