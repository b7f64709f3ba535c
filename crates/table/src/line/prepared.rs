//! A game's command ready to be played: with the table's dice, or with all possible rolls.

use super::reading::{Misread, safely};
use super::resolve::Followed;
use crate::attempt::Attempt;
use crate::budget::{self, MOST_BLOCK, MOST_TEXT};
use crate::draft::Draft;
use crate::host::Host;
use crate::room::{Answered, settings_of};
use crate::sheet::{Sheet, has_value};
use crate::state::GameState;
use crate::unplayed::Unplayed;
use crate::words::Arguments;
use chat::Readers;
use dice::fair::MessageKey;
use dice::{Dice, Notation};
use jiff::Timestamp;
use journal::digest;
use journal::documents::RollDoc;
use plugin_api::{
    Cast, CharacterId, CommandSpec, FollowUp, Left, Played, Plugin, Ready, Refusal, Role, Secrets, Target, Turn,
    Wanted, Words,
};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A command with everything it needs except dice.
pub(super) struct Prepared<'a> {
    pub plugin: &'a dyn Plugin,
    pub arguments: Arguments,
    /// The roll it follows up on.
    pub target: Option<Arc<Target<Value>>>,
    pub ready: Ready,
    /// The values of the sheet that were put in, such as `acrobatics 7 +4`.
    pub looked_up: Vec<String>,
    pub cast: Cast,
    pub settings: Arc<BTreeMap<String, String>>,
    pub actor: CharacterId,
    pub player: String,
    pub role: Role,
    pub readers: Readers,
    pub secrets: Secrets,
    pub now: Timestamp,
    pub scene: Option<u64>,
    /// The size of the game's state in bytes.
    pub bytes: usize,
}

impl Draft {
    /// Prepares a plugin's command, whose arguments begin at byte `from` of the typed line. Also returns the game's
    /// state.
    pub(super) fn prepare<'a>(
        &mut self,
        host: &Host,
        plugin: &'a dyn Plugin,
        spec: &CommandSpec,
        from: usize,
        attempt: &mut Attempt<'_>,
    ) -> Result<(Prepared<'a>, GameState), Unplayed> {
        // However the line came about, it must not be longer than a typed one.
        let most = if spec.lines { MOST_BLOCK } else { MOST_TEXT };
        budget::fits_within(most, &attempt.typed)?;
        let looked_up = self.look_up(host, plugin, spec, from, attempt);
        budget::fits_within(most, &attempt.typed)?;
        let message = attempt.message;
        let cast = attempt.cast(host);
        let mut arguments = Arguments::of(&attempt.typed, spec.follow_up);
        let target = match spec.follow_up {
            FollowUp::No => None,
            _ => {
                let (actor, rights, offered) = (attempt.actor, &attempt.rights, attempt.offered);
                let followed = Followed { plugin, spec, cast: &cast, actor, rights, offered, from };
                self.target(host, message, &followed, &mut arguments)?
            }
        };
        if let Some(target) = &target {
            let roll = self.ledger(host).roll(target.entry)?;
            let readers = roll.as_ref().map_or(Readers::Everybody, RollDoc::readers);
            if attempt.readers > readers {
                let what = format!("#{} is public, so a follow-up on it is too", target.entry);
                return Err(Refusal::new(what).example(attempt.typed.as_str()).into());
            }
            attempt.only_for(readers);
            attempt.must_reach()?;
        }
        let stumbled = || stumbled(&plugin.manifest().id, spec, &attempt.key);
        let state = safely(|| self.game(host, plugin)).unwrap_or_else(|| Err(stumbled().into()))?;
        arguments.takes_numbers_it_names(spec)?;
        if spec.notation {
            arguments.take_prose(from, attempt.room.dialect());
        }
        let words = Words::new(&arguments.typed, from.min(arguments.typed.len()));
        let mut words = words.with_names(|name| cast.is_called(name)).with_remarks();
        let ready = safely(|| plugin.ready(&state.held, &spec.name, &mut words));
        let misread = Misread { plugin, spec, cast: &cast, typed: &attempt.typed, from };
        let ready = ready.unwrap_or_else(|| Err(stumbled())).map_err(|refusal| misread.wholly_corrected(refusal))?;
        arguments.add_remark(words.remark());
        let prepared = Prepared {
            plugin,
            ready,
            arguments,
            target: target.map(Arc::new),
            looked_up,
            cast,
            settings: Arc::new(settings_of(plugin.manifest(), &attempt.doc, &attempt.room)),
            actor: attempt.actor,
            player: message.speaker.name.clone(),
            role: attempt.rights.role(),
            readers: attempt.readers,
            secrets: attempt.secrets(),
            now: message.sent,
            scene: attempt.doc.scene.as_ref().map(|scene| scene.since),
            bytes: state.bytes,
        };
        Ok((prepared, state))
    }
}

impl Draft {
    /// Puts values of the actor's sheet into a line that does not read without them, or that lacks a value and has a
    /// name of one. Returns what it put in. Taken offers are never looked up.
    fn look_up(
        &self,
        host: &Host,
        plugin: &dyn Plugin,
        spec: &CommandSpec,
        from: usize,
        attempt: &mut Attempt<'_>,
    ) -> Vec<String> {
        let doc = attempt.doc.clone();
        let sheet = Sheet { doc: &doc, character: attempt.actor };
        if attempt.offered.is_some() || doc.shortcuts.is_empty() {
            return Vec::new();
        }
        let arguments = |line: &str| Arguments::of(line, spec.follow_up).typed;
        let (line, typed) = (attempt.typed.clone(), arguments(&attempt.typed));
        let from = from.min(typed.len());
        let filled = if spec.notation {
            let dialect = attempt.room.dialect();
            let reads = |line: &str| {
                let dice = &arguments(line)[from..];
                Notation::typed_in(dialect, dice).is_ok() || Notation::prose_behind(dice, dialect).is_some()
            };
            if reads(&line) { None } else { sheet.filled_dice(&line, from, reads) }
        } else {
            let cast = attempt.cast(host);
            let remark = |line: &str| {
                let typed = arguments(line);
                let mut words = Words::new(&typed, from).with_names(|name| cast.is_called(name)).with_remarks();
                let reads = safely(|| plugin.ready(&plugin.first(), &spec.name, &mut words).is_ok());
                reads.unwrap_or_default().then(|| words.remark().map(str::to_owned))
            };
            let known = |word: &str| spec.words().any(|known| known == word) || cast.is_called(word);
            match remark(&line) {
                None => sheet.filled(&line, from..typed.len(), known, |line| remark(line).is_some()),
                // `check acrobatics to cross the ledge`
                Some(Some(prose)) if !has_value(typed[from..].split(prose.as_str()).next().unwrap_or_default()) => {
                    let begins = typed[from..].find(prose.as_str()).unwrap_or_default() + from;
                    sheet.filled_before(&line, &prose, begins).filter(|filled| remark(filled.line()).is_some())
                }
                Some(_) => None,
            }
        };
        let Some((typed, shown)) = filled.map(|filled| filled.under(&mut attempt.rights, &doc)) else {
            return Vec::new();
        };
        attempt.typed = typed;
        shown
    }
}

impl Prepared<'_> {
    /// Plays it with these dice, for as much of its answer as is `wanted`; `None` if the game panics.
    ///
    /// # Errors
    /// The game refuses.
    pub fn with(&self, dice: &mut dyn Dice, wanted: Wanted) -> Option<Result<(Played, Left), Refusal>> {
        // A panic may leave the turn half done, which is dropped; the state is a copy.
        safely(|| {
            let mut turn = Turn::new(self.actor, self.cast.clone(), self.now, dice)
                .wanted_for(wanted)
                .with_role(self.role)
                .with_readers(self.readers)
                .with_secrets(self.secrets)
                .with_settings(self.settings.clone())
                .with_target(self.target.clone());
            turn.player.clone_from(&self.player);
            turn.scene = self.scene;
            turn.comment.clone_from(&self.arguments.comment);
            let played = self.ready.play(&mut turn)?;
            Ok((played, turn.finish()))
        })
    }
}

/// What the player is told after a panic in a command of `whose`; the log has the same id.
pub(super) fn stumbled(whose: &str, spec: &CommandSpec, key: &MessageKey) -> Refusal {
    let id = &digest(&key.to_bytes())[..8];
    tracing::error!(whose, command = spec.name, id, "a command panicked; the table is as it was");
    Refusal::new(format!(
        "sorry, that hit a bug in {whose} and nothing changed: please give the operator error id {id}"
    ))
}
