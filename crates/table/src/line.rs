//! One command line, from the typed text to its outcome: what it means ([`meant`]), what it does ([`play`]), and its
//! entry ([`enter`]). A line for a group is played for each member ([`group`]). A refused line leaves nothing behind.

mod answer;
mod around;
mod asked;
mod by_dice;
mod chances;
mod changes;
mod enter;
mod filled;
mod followed;
mod group;
mod last_roll;
mod meant;
mod nothing;
mod offers;
mod play;
mod prepared;
mod reading;
mod rehearsed;
mod remarks;
mod resolve;
mod shape;
mod totals;
mod touched;
pub(crate) mod unknown;
mod verbosity;
mod watched;

use crate::attempt::{Attempt, unreached};
use crate::draft::{Draft, Named};
use answer::RefusedLine;
use by_dice::play_of_the_table;
use chances::odds_of_game;
use chat::{Message, Readers};
use dice::fair::MessageKey;
use host::Host;
use host::done::Done;
use host::outcome::{Outcome, OutcomeKind};
use host::rights::Rights;
use host::unplayed::Unplayed;
use host::words::CommandLine;
use journal::store::StoreError;
use meant::{Meant, mean};
use play::play_game;
use plugin_api::{CharacterId, Refusal};

pub(crate) use enter::write_room;
pub(crate) use followed::replied;
pub(crate) use group::play_typed;
pub(crate) use nothing::comes_to_nothing_after;
pub(crate) use offers::keep_roll;
pub use offers::opened;
pub(crate) use play::{changed, note};
pub(crate) use remarks::Command;

impl Draft {
    /// Plays a line. If it is played, the draft changes and records what to write.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn play_line(
        &mut self,
        host: &Host,
        message: &Message,
        ordinal: u32,
        line: &CommandLine,
    ) -> Result<Outcome, StoreError> {
        self.room(host, &message.room)?;
        let mut attempt = self.attempt(host, message, ordinal, line);
        let before = (attempt.actor, attempt.name().to_owned());
        let played = match self.try_line(host, line, &mut attempt) {
            Err(Unplayed::Silent) if let Some((named, refusal)) = meant::among_others(host, line, &attempt) => {
                match self.refused(host, &named, refusal, &mut attempt) {
                    Unplayed::Refused(refusal) if refusal.mended.is_some() => Err(refusal.into()),
                    _ => Err(Unplayed::Silent),
                }
            }
            Err(Unplayed::Refused(refusal)) => match self.refused(host, line, refusal, &mut attempt) {
                Unplayed::Refused(refusal) if unknown::is_a_cry(host, line, &refusal) => Err(Unplayed::Silent),
                unplayed => Err(unplayed),
            },
            played => played,
        };
        self.end_line(host, line, attempt, played, before)
    }

    /// Answers a line that is refused before it is known what it means.
    pub fn refuse_line(
        &mut self,
        host: &Host,
        message: &Message,
        ordinal: u32,
        line: &CommandLine,
        why: Unplayed,
    ) -> Result<Outcome, StoreError> {
        let attempt = self.attempt(host, message, ordinal, line);
        let before = (attempt.actor, attempt.name().to_owned());
        // An answer counts against the limit, whatever it says.
        let why = match &why {
            Unplayed::Refused(_) => self.keep_pace(host, message).err().unwrap_or(why),
            Unplayed::Silent | Unplayed::Store(_) => why,
        };
        self.end_line(host, line, attempt, Err(why), before)
    }

    /// Writes a line down that was played, or says why it was not; `before` is who would act for a start.
    fn end_line(
        &mut self,
        host: &Host,
        line: &CommandLine,
        attempt: Attempt<'_>,
        played: Result<Done<'_>, Unplayed>,
        before: (CharacterId, String),
    ) -> Result<Outcome, StoreError> {
        let (message, ordinal) = (attempt.message, attempt.key.ordinal);
        let mut outcome = Outcome::silent(&message.speaker.name, attempt.name());
        match played {
            Ok(mut done) => {
                outcome.kind = OutcomeKind::Played;
                outcome.follows = done.followed.as_ref().map(|(target, _)| target.entry);
                outcome.nothing = done.nothing.take();
                self.enter(host, attempt, done, ordinal, &mut outcome)?;
            }
            Err(Unplayed::Silent) => {}
            Err(Unplayed::Refused(Refusal { what, daily: true, .. }))
                if !host.told.may_happen((what.clone(), message.room.to_string()), 24, message.heard_at()) => {}
            Err(Unplayed::Refused(refusal)) => {
                outcome.kind = OutcomeKind::Refused;
                // A name that was refused belongs to nobody.
                if attempt.actor == before.0 {
                    outcome.actor = before.1;
                }
                self.show_refusal(line, &attempt, refusal, &mut outcome);
            }
            Err(Unplayed::Store(error)) => return Err(error),
        }
        Ok(outcome)
    }

    /// Builds the answer to a refused line.
    fn show_refusal(&self, line: &CommandLine, attempt: &Attempt<'_>, refusal: Refusal, outcome: &mut Outcome) {
        // Somebody who cannot be told privately gets only that as an answer in the room.
        let alone = attempt.is_secret() && attempt.message.speaker.reachable;
        let refusal = if alone || !attempt.is_secret() { refusal } else { unreached(&line.typed) };
        outcome.misread = refusal.usage;
        outcome.strayed = attempt.strayed;
        let prefix = &self.state.rooms[&attempt.message.room].doc.prefix;
        let around = match line.typed.strip_suffix(attempt.typed.as_str()) {
            // A macro stands for a whole line, unless it was inside another command.
            None if !meant::stands_around(&line.word().0) => Some(""),
            around => around,
        };
        let group = self.group.as_ref();
        let refused = RefusedLine { typed: &attempt.typed, around, spec: attempt.spec, prefix, group };
        let mended;
        (outcome.reply, mended) = answer::refusal(refusal, &refused);
        // A correction of somebody else's macro must not be sent with `!y`.
        let own = line.typed.ends_with(&attempt.typed) || attempt.reworded.as_ref() == Some(&attempt.typed);
        outcome.mended = mended.filter(|_| own);
        if alone {
            outcome.reply.readers = Readers::Player;
        }
    }

    /// A line, so far knowing only who typed it.
    pub fn attempt<'a>(&self, host: &'a Host, message: &'a Message, ordinal: u32, line: &CommandLine) -> Attempt<'a> {
        let key = MessageKey {
            network: message.room.network.clone(),
            room: message.said_in().id.clone(),
            id: match (&self.replacing, self.named) {
                (Some(first), _) => first.id.clone(),
                (None, Named::ByItsNetwork) => message.id.clone(),
                (None, Named::ByItsEntry) => format!("#{}", self.state.next_number()),
            },
            ordinal,
        };
        let rights = Rights::of(host, &self.state, message);
        let mut attempt = Attempt::new(host, &self.state, message, key, rights, &self.fuel);
        attempt.typed.clone_from(&line.typed);
        attempt.actor = attempt.seat();
        attempt
    }

    fn try_line<'a>(
        &mut self,
        host: &'a Host,
        line: &CommandLine,
        attempt: &mut Attempt<'a>,
    ) -> Result<Done<'a>, Unplayed> {
        match mean(self, host, line, attempt)? {
            Meant::Own(spec) => play_of_the_table(self, host, spec, attempt),
            Meant::Game(plugin, spec, from) => play_game(self, host, plugin, spec, from, attempt),
            Meant::Odds(asked) => odds_of_game(self, host, asked, attempt),
        }
    }
}
