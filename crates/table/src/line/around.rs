//! What is around a typed line, for those who guess what it means.

use super::filled::{reads_perhaps_named, reads_whole};
use super::reading::applied;
use super::remarks::{Command, Here};
use crate::attempt::Attempt;
use dice::Dialect;
use host::notation::throws_dice;
use host::people::People;
use host::room::Answered as _;
use host::words::{Arguments, CommandLine};
use host::{Host, times};
use plugin_api::{Cast, CharacterId, CommandSpec, Plugin, Role};
use std::rc::Rc;
use understand::guess::Vocabulary;
use understand::surroundings::{Of, Surroundings};

/// What is around an attempt.
pub(super) struct Around<'a, 'h> {
    host: &'a Host,
    attempt: &'a Attempt<'h>,
    cast: Cast,
    addressed: bool,
}

impl<'a, 'h> Around<'a, 'h> {
    /// Around a line that is meant for this bot if anything in it is.
    pub fn of(host: &'a Host, attempt: &'a Attempt<'h>) -> Self {
        Around { host, attempt, cast: attempt.cast(host), addressed: true }
    }

    /// Around this line, by which other bots may be meant.
    pub fn among_others(self, line: &CommandLine) -> Self {
        Around { addressed: line.by_name, ..self }
    }
}

impl Surroundings for Around<'_, '_> {
    fn is_addressed(&self) -> bool {
        self.addressed
    }

    fn is_command(&self) -> bool {
        self.attempt.said.is_some()
    }

    fn is_doubted(&self) -> bool {
        self.attempt.asked.is_some()
    }

    fn plugins(&self) -> Vec<&dyn Plugin> {
        self.host.plugins.enabled(&self.attempt.room)
    }

    fn main_game(&self) -> Option<&str> {
        self.attempt.doc.main_game.as_deref()
    }

    fn house(&self) -> &[CommandSpec] {
        self.host.plugins.house()
    }

    fn house_command(&self, word: &str) -> Option<&CommandSpec> {
        self.host.plugins.house_command(word, &self.attempt.room)
    }

    fn knowing(&self, word: &str) -> Vec<Of<'_>> {
        self.host.plugins.knowing(word, &self.attempt.room)
    }

    fn cast(&self) -> &Cast {
        &self.cast
    }

    fn actor(&self) -> CharacterId {
        self.attempt.actor
    }

    fn own_name(&self) -> Option<&str> {
        (self.attempt.rights.role() < Role::Referee).then(|| self.attempt.name())
    }

    fn may_act_for(&self, who: CharacterId) -> bool {
        self.attempt.doc.may_act_for(who, &self.attempt.rights).is_ok()
    }

    fn value(&self, whose: CharacterId, name: &str) -> Option<&str> {
        self.attempt.sheet_of(whose).named(name)
    }

    fn values(&self, whose: CharacterId) -> Vec<&str> {
        self.attempt.sheet_of(whose).names().collect()
    }

    fn counts(&self, whose: CharacterId, name: &str) -> bool {
        self.attempt.sheet_of(whose).counts(name)
    }

    fn dialect(&self) -> Dialect {
        self.attempt.room.dialect()
    }

    fn throws_dice(&self, text: &str) -> bool {
        throws_dice(text, self.dialect())
    }

    fn is_a_time(&self, text: &str) -> bool {
        times::behind(text) == Some("")
    }

    fn reads(&self, (plugin, spec): Of<'_>, (line, from): (&str, usize)) -> bool {
        let typed = Arguments::of(line, spec.follow_up).typed;
        reads_whole(self.host, (plugin, spec), (&typed, from), self.attempt)
    }

    fn reads_perhaps_named(&self, (plugin, spec): Of<'_>, (line, from): (&str, usize)) -> bool {
        let typed = Arguments::of(line, spec.follow_up).typed;
        reads_perhaps_named(self.host, (plugin, spec), (&typed, from), self.attempt)
    }

    fn corrected(&self, (plugin, spec): Of<'_>, (line, from): (&str, usize)) -> Option<String> {
        let here = Here::of(self.host, &self.cast, self.attempt);
        applied(line, &Command { plugin, spec, from }.must_be_clear(line, &here).err()?)
    }

    fn vocabulary(&self) -> Rc<Vocabulary> {
        let of = (self.attempt.room.clone(), self.attempt.doc.clone(), self.attempt.actor);
        self.attempt.fuel.vocabulary(of, || Vocabulary::of(self))
    }

    fn takes(&self, steps: usize) -> bool {
        self.attempt.fuel.takes(steps)
    }

    fn affords(&self, line: &str) -> bool {
        self.attempt.fuel.reads(line)
    }
}
