//! Playing a command that was found, and what it changed. A game's panic ends here.

use super::line::Attempt;
use super::resolve::{Followed, NotFound};
use super::{Kept, Table};
use crate::bot::Bot;
use crate::documents::{settings_of, to_json};
use crate::house::{self, HouseTurn};
use crate::journal::{Changes, diff, digest, pointer};
use crate::route::Arguments;
use chat::Reply;
use dice::Budget;
use dice::fair::MessageKey;
use plugin_api::{Cast, CommandSpec, FollowUp, Played, Plugin, Refusal, SavedState, Target, Turn, Words};
use serde::Serialize;
use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// What a command did, before it is written down.
pub(super) struct Done<'a> {
    pub game: &'a str,
    pub spec: &'a CommandSpec,
    pub reply: Reply,
    pub comment: Option<String>,
    pub changes: Changes,
    /// The game's state, if it changed, and its JSON.
    pub state: Option<(Arc<SavedState>, Vec<u8>)>,
    /// The roll it followed up on, with its record replaced if it was.
    pub followed: Option<(Target<Value>, Option<Value>)>,
}

/// Bytes that a game may keep for a table.
const MOST_STATE: usize = 64 << 10;

impl Table {
    /// Plays one of the table's own commands.
    pub(super) fn play_own<'a>(
        &self,
        bot: &Bot,
        spec: &'a CommandSpec,
        attempt: &mut Attempt<'_>,
    ) -> Result<Done<'a>, NotFound> {
        let arguments = Arguments::of(&attempt.typed, false);
        let from = arguments.typed.find(char::is_whitespace).unwrap_or(arguments.typed.len());
        let mut words = Words::new(&arguments.typed, from);
        let side = &self.rooms[&attempt.message.room];
        let present = bot.roster.present(&attempt.message.room);
        let arrived = attempt.doc.clone();
        let mut turn = HouseTurn {
            bot,
            speaker: &attempt.message.speaker,
            room_id: &attempt.message.room,
            actor: attempt.actor,
            role: attempt.role,
            present: &present,
            table: &mut attempt.doc,
            room: &mut attempt.room,
            head: &mut attempt.head,
        };
        let reply = house::play(&spec.name, &mut words, &mut turn)?;
        let mut changes = Changes::default();
        changed("/table", &self.doc, &arrived, &attempt.doc, &mut changes);
        let path = pointer("/rooms", &attempt.message.room.to_string());
        changed(&path, &side.doc, &side.doc.doc, &attempt.room, &mut changes);
        Ok(Done { game: house::GAME, spec, reply, comment: None, changes, state: None, followed: None })
    }

    /// Plays a plugin's command, whose arguments begin at byte `from`.
    pub(super) fn play_game<'a>(
        &mut self,
        bot: &Bot,
        plugin: &'a dyn Plugin,
        spec: &'a CommandSpec,
        from: usize,
        attempt: &mut Attempt<'_>,
    ) -> Result<Done<'a>, NotFound> {
        let game = &plugin.manifest().id;
        let message = attempt.message;
        let cast = attempt.doc.cast(&attempt.head, bot.roster.present(&message.room));
        let mut arguments = Arguments::of(&attempt.typed, spec.follow_up != FollowUp::No);
        arguments.roll = arguments.roll.or(attempt.offered);
        let target = match spec.follow_up {
            FollowUp::No => None,
            _ => {
                let player = &message.speaker.player;
                let (role, actor) = (attempt.role, attempt.actor);
                let followed = Followed { plugin, spec, cast: &cast, actor, player, role, from };
                Some(self.target(bot, message, &followed, &mut arguments)?)
            }
        };
        let state = self.game(bot, plugin)?;
        let seed = self.seed.as_ref().expect("a table is laid before it hears a command");
        let mut source = bot.dice.dice(seed, &attempt.key);
        let mut budget = Budget::new(&mut source);
        let mut turn = Turn::new(attempt.actor, cast, message.sent, &mut budget)
            .with_settings(settings_of(plugin.manifest(), &attempt.doc, &attempt.room))
            .with_target(target.clone());
        turn.player.clone_from(&message.speaker.name);
        turn.role = attempt.role;
        turn.comment.clone_from(&arguments.comment);
        let mut words = Words::new(&arguments.typed, from.min(arguments.typed.len()));
        let played = play_safely(plugin, &state.doc, spec, &mut words, turn, &attempt.key);
        attempt.thrown = budget.into_thrown();
        let (Played { state: after, reply }, cast, amended) = played?;

        if !cast.newcomers().is_empty() {
            Arc::make_mut(&mut attempt.doc).sit(&mut attempt.head, &cast);
        }
        let mut changes = Changes::default();
        changed("/table", &self.doc, &attempt.doc, &attempt.doc, &mut changes);
        let after = Arc::new(after);
        let stored = if after == state.doc { None } else { Some(to_json(&*after)) };
        if let Some(stored) = &stored {
            if stored.len() > MOST_STATE {
                return Err(Refusal::new(format!("this table's {game} would grow too large to be kept")).into());
            }
            changed(&pointer("/games", game), &state, &state.doc, &after, &mut changes);
        }
        if let (Some(target), Some(amended)) = (&target, &amended) {
            let path = format!("/rolls/{}/record", target.entry);
            changes.made.extend(diff(&path, Some(&target.record), Some(amended)));
        }
        let state = stored.map(|stored| (after, stored));
        let followed = target.map(|target| (target, amended));
        Ok(Done { game, spec, reply, comment: arguments.comment, changes, state, followed })
    }
}

/// Runs a plugin. If it panics, nothing happened, and the player gets an id that the log has too.
fn play_safely(
    plugin: &dyn Plugin,
    state: &SavedState,
    spec: &CommandSpec,
    words: &mut Words,
    mut turn: Turn<'_>,
    key: &MessageKey,
) -> Result<(Played, Cast, Option<Value>), Refusal> {
    // What a panic may leave half done, the words and the turn, is dropped here; the state was only lent.
    let result = catch_unwind(AssertUnwindSafe(|| {
        let played = plugin.play(state, &spec.name, words, &mut turn)?;
        let (cast, amended) = turn.finish();
        Ok((played, cast, amended))
    }));
    result.unwrap_or_else(|_| {
        let (plugin, id) = (&plugin.manifest().id, &digest(&key.to_bytes())[..8]);
        tracing::error!(plugin, command = spec.name, id, "a plugin panicked; the table is as it was");
        Err(Refusal::new(format!(
            "sorry, {plugin} stumbled over that and nothing changed; tell the operator the id {id}"
        )))
    })
}

/// What became of a document: `arrived` is how it was when the command itself began to work on it.
fn changed<T: Serialize>(path: &str, before: &Kept<T>, arrived: &Arc<T>, after: &Arc<T>, changes: &mut Changes) {
    if Arc::ptr_eq(&before.doc, after) {
        return;
    }
    let value = |document: &T| serde_json::to_value(document).expect("documents have text keys and finite numbers");
    let (first, middle, last) = (value(&before.doc), value(arrived), value(after));
    if !before.stored {
        changes.begun.extend(diff(path, None, Some(&first)));
    }
    changes.begun.extend(diff(path, Some(&first), Some(&middle)));
    changes.made.extend(diff(path, Some(&middle), Some(&last)));
}
