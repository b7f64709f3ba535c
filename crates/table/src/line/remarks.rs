//! What a game's command was typed with besides its arguments: a remark, or a line that may be meant otherwise.

use super::reading::stumbled;
use crate::attempt::{Asked, Attempt};
use host::Host;
use host::words::Arguments;
use plugin_api::{Cast, CommandSpec, Effect, Held, Plugin, Ready, Refusal, Role, Words, names, suggest};
use std::ops::Range;
use understand::reading::{reads, safely};
use understand::remark::{Doubt, Doubted, Known, Nowhere, Read, Shown, doubted, is_remark};

/// A command of a plugin, and where its arguments begin in a line, in bytes.
#[derive(Clone, Copy)]
pub(crate) struct Command<'a> {
    pub plugin: &'a dyn Plugin,
    pub spec: &'a CommandSpec,
    pub from: usize,
}

impl<'a> Command<'a> {
    /// Reads a line without its comment as this command: what no argument takes, and whether it is clear that it is a remark.
    ///
    /// # Errors
    /// It does not read as the command.
    pub fn read(&self, typed: &str, here: &Here<'_, '_>) -> Result<(Option<String>, bool), Refusal> {
        let (ready, words) = self.ready(&self.plugin.first(), typed, here);
        ready?;
        let remark = words.remark().map(str::to_owned);
        let clear = remark.is_none() || is_remark(self.reading(typed, &words.taken()), &here.about(typed));
        Ok((remark, clear))
    }

    /// True if a line without its comment reads as this command, and what of it is a remark is clear.
    pub fn reads(&self, typed: &str, here: &Here<'_, '_>) -> bool {
        self.read(typed, here).is_ok_and(|(_, clear)| clear)
    }

    /// The same before anything of its room is read: names and values are unknown.
    pub fn reads_anywhere(&self, typed: &str) -> bool {
        let mut words = Words::new(typed, self.from.min(typed.len())).with_remark();
        reads(self.plugin, self.spec, &mut words)
            && (words.remark().is_none() || is_remark(self.reading(typed, &words.taken()), &Nowhere))
    }

    /// Reads it to be played on what a table stores of the game. A plugin that panics over it does not read it.
    pub fn ready(&self, held: &Held, typed: &str, here: &Here<'_, '_>) -> (Result<Ready, Refusal>, Words) {
        let words = Words::new(typed, self.from.min(typed.len()));
        let mut words = words.with_names(|name| here.cast.is_called(name)).with_remark();
        let ready = safely(|| self.plugin.ready(held, &self.spec.name, &mut words));
        let stumbled = || Err(stumbled(&self.plugin.manifest().id, self.spec, &here.attempt.key));
        (ready.unwrap_or_else(stumbled), words)
    }

    fn reading<'r>(&'r self, typed: &'r str, taken: &'r [Range<usize>]) -> Read<'r> {
        Read { typed, from: self.from.min(typed.len()), taken, spec: self.spec }
    }

    /// Refuses a line of which it is not clear what of it is a remark, with `#` put in front of that. `taken` are the places of
    /// its arguments.
    ///
    /// # Errors
    /// It may be meant otherwise.
    pub fn unless_it_is_clear(
        &self,
        host: &Host,
        (typed, taken): (&str, &[Range<usize>]),
        cast: &Cast,
        attempt: &mut Attempt<'_>,
    ) -> Result<(), Refusal> {
        let Some((said, _)) = attempt.said.clone().filter(|_| attempt.offered.is_none()) else { return Ok(()) };
        // What was stored is played as it was.
        if attempt.stored {
            return Ok(());
        }
        let doubt = doubted(self.reading(typed, taken), &Here::of(host, cast, attempt).about(typed));
        let Some(doubt) = doubt else { return Ok(()) };
        let refusal = self.refusal((&said, typed), &doubt, &Here::of(host, cast, attempt));
        attempt.typed = said;
        attempt.asked = Some(if doubt.nearly { Asked::OrElse } else { Asked::Only });
        Err(refusal)
    }

    /// The same of a line that has a remark and was typed as it is here, with its comment, if it reads.
    ///
    /// # Errors
    /// It does not read, or may be meant otherwise.
    pub fn must_be_clear(&self, line: &str, here: &Here<'_, '_>) -> Result<(), Refusal> {
        let typed = Arguments::of(line, self.spec.follow_up).typed;
        let (ready, words) = self.ready(&self.plugin.first(), &typed, here);
        ready?;
        let doubt = words.remark().and_then(|_| doubted(self.reading(&typed, &words.taken()), &here.about(&typed)));
        doubt.map_or(Ok(()), |doubt| Err(self.refusal((line, &typed), &doubt, here)))
    }

    /// Why a line is not clear, which was said as `said` and read as `typed`. Only what was said is told: in the line that was
    /// read stands a value that not everybody may know.
    fn refusal(&self, (said, typed): (&str, &str), doubt: &Doubted, here: &Here<'_, '_>) -> Refusal {
        let place = place_of(said, (self, typed), doubt.at.clone());
        let told = place.clone().map_or("that", |place| said[place].trim());
        let lacks = !self.plugin.manifest().values.is_empty() && doubt.because == Doubt::ArgumentBehind;
        let what = match doubt.shown {
            Shown::Without => "was that a question?".to_owned(),
            // `check perception +5`
            Shown::Nothing
                if lacks && told.chars().all(char::is_alphabetic) && !here.is_value(&told.to_lowercase()) =>
            {
                let what = format!("\"{told}\" is not on your sheet");
                return Refusal::new(what).about(told).example(format!("set {} 2", told.to_lowercase()));
            }
            Shown::Nothing => format!("I do not understand \"{told}\" here"),
            _ => format!("\"{told}\" would only be a comment"),
        };
        let refusal = Refusal { usage: true, ..Refusal::new(what) };
        let Some(place) = place else { return refusal };
        let right = match doubt.shown {
            Shown::Nothing => None,
            Shown::Without => Some(said[..place.start].trim_end().to_owned()),
            Shown::InFront if here.attempt.rights.role() >= Role::Referee => Some(in_front(said, &place)),
            _ => Some(commented(said, &place, self)),
        };
        refusal.at(place).mended(0..said.len(), right)
    }
}

/// Where a remark is in the line as it was typed, in which names of values may stand for the values.
fn place_of(said: &str, (command, typed): (&Command<'_>, &str), remark: Range<usize>) -> Option<Range<usize>> {
    let front = Arguments::of(said, command.spec.follow_up).typed;
    let words = |text: &str| text.split_whitespace().count();
    let behind = words(&typed[remark.end..]);
    let end = front.len() - from_behind(&front, behind)?;
    let start = front[..end].len() - from_behind(&front[..end], words(&typed[remark]))?;
    Some(start..front[..end].trim_end().len())
}

/// The line with a part of it behind `#`.
fn commented(said: &str, remark: &Range<usize>, command: &Command<'_>) -> String {
    let front = Arguments::of(said, command.spec.follow_up).typed;
    let around = |c: char| c.is_whitespace() || matches!(c, ',' | '-' | '(');
    let arguments = format!("{} {}", said[..remark.start].trim_end_matches(around), front[remark.end..].trim());
    let comment = said[front.len()..].trim();
    format!("{} # {} {comment}", arguments.trim(), said[remark.clone()].trim()).trim().to_owned()
}

/// The line with a part of it in front: who acts.
fn in_front(said: &str, remark: &Range<usize>) -> String {
    let around = |c: char| c.is_whitespace() || matches!(c, ',' | '-' | '(' | ')' | '"' | '.' | '!');
    let command = format!("{} {}", said[..remark.start].trim_end_matches(around), said[remark.end..].trim());
    format!("{} {}", said[remark.clone()].trim_matches(around), command.trim())
}

/// How many bytes so many words take up at the end of a text, with what is between them.
fn from_behind(text: &str, words: usize) -> Option<usize> {
    let starts = text.char_indices().filter(|(at, c)| !c.is_whitespace() && text[..*at].ends_with(char::is_whitespace));
    match words {
        0 => Some(text.len() - text.trim_end().len()),
        words => starts.map(|(at, _)| text.len() - at).rev().nth(words - 1),
    }
}

/// True if every word of a line was typed, and none was put in for a name. Whether it was does not depend on what was put in:
/// a word more than those that were typed is never among them.
fn is_as_typed(line: &str, said: &str) -> bool {
    let mut said = said.split_whitespace();
    line.split_whitespace().all(|word| said.any(|typed| typed == word))
}

/// What the room of an attempt knows.
#[derive(Clone, Copy)]
pub(crate) struct Here<'a, 'h> {
    host: &'a Host,
    pub cast: &'a Cast,
    pub attempt: &'a Attempt<'h>,
    as_typed: bool,
}

impl<'a, 'h> Here<'a, 'h> {
    pub fn of(host: &'a Host, cast: &'a Cast, attempt: &'a Attempt<'h>) -> Self {
        Here { host, cast, attempt, as_typed: true }
    }

    /// The same about this line.
    fn about(self, line: &str) -> Self {
        let said = self.attempt.said.as_ref();
        Here { as_typed: said.is_none_or(|(said, _)| is_as_typed(line, said)), ..self }
    }
}

impl Known for Here<'_, '_> {
    fn is_name(&self, word: &str) -> bool {
        let group = [&names::EVERYBODY[..], &names::HEROES, &names::FOES].iter().any(|group| group.contains(&word));
        group || self.cast.is_called(word)
    }

    fn is_value(&self, word: &str) -> bool {
        self.attempt.sheet().named(word).is_some()
    }

    fn is_nearly_value(&self, word: &str) -> bool {
        suggest(word, self.attempt.sheet().names()).is_some()
    }

    fn is_command(&self, word: &str) -> bool {
        self.host.plugins.has(word, &self.attempt.room)
    }

    fn throws_dice(&self, word: &str) -> bool {
        let found = self.host.plugins.knowing(word, &self.attempt.room);
        found.iter().any(|(_, spec)| spec.effect == Effect::Rolls)
    }

    fn is_as_typed(&self) -> bool {
        self.as_typed
    }
}
