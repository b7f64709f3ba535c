//! Playing a command that was found, and what it changed. A game's panic ends here.

use super::chances::{Prepared, chances_of_offers};
use super::ledger::Ledger;
use super::line::Attempt;
use super::resolve::NotFound;
use super::{Stored, Table};
use crate::budget::{self, MOST_STATE};
use crate::host::Host;
use crate::house::{self, HouseTurn};
use crate::people::People;
use crate::rights::Act;
use crate::route::CommandLine;
use chat::{Reply, RoomId};
use dice::fair::MessageKey;
use dice::{Budget, Dice};
use journal::documents::{GameDoc, RollDoc, RoomDoc, to_json};
use journal::store::Batch;
use journal::{Added, Change, Changes, Document, HOUSE, Place, diff, digest};
use plugin_api::{Closed, CommandSpec, FollowUp, Left, Played, Plugin, Refusal, SavedState, Target, Words};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// What a command did, before it is written down.
pub(super) struct Done<'a> {
    pub game: &'a str,
    pub spec: &'a CommandSpec,
    pub reply: Reply,
    pub comment: Option<String>,
    pub changes: Changes,
    /// What the table holds of the game, if it changed, and its JSON.
    pub state: Option<(Arc<GameDoc>, Vec<u8>)>,
    /// The roll it followed up on, with its record replaced if it was.
    pub followed: Option<(Target<Value>, Option<Value>)>,
    /// Offers that are open no longer.
    pub closed: Vec<Closed>,
    /// Its dice fell, and nothing came of it, for this reason.
    pub nothing: Option<String>,
}

/// What one of the table's own commands does besides changing the documents it was lent.
#[derive(Default)]
pub(crate) struct Effects {
    /// See [`journal::Entry`] for these.
    pub undoes: Option<u64>,
    pub reveals: Vec<u64>,
    pub erases: Vec<u64>,
    pub publishes: Vec<u32>,
    /// The changes it makes, where they are known before they are made.
    pub made: Option<Vec<Change>>,
    /// Other records it writes.
    pub writes: Batch,
    /// What is in memory of these games is outdated by those.
    pub outdated_games: Vec<String>,
    /// What rooms are set to now.
    pub rooms: BTreeMap<RoomId, RoomDoc>,
    /// What can be done about rolls now.
    pub rolls: BTreeMap<u64, RollDoc>,
    /// The seed of the epoch that begins with it.
    pub next_seed: Option<[u8; 32]>,
    /// What a player binds the seed with whose dice are to come.
    pub adds: Option<Added>,
    /// Its answer shows what must be on the disk first.
    pub shows_head: bool,
    /// Its answer is for the player and the referees alone.
    pub secret: bool,
}

impl<'a> Done<'a> {
    /// One of the table's own commands answered this, and did nothing.
    pub fn looked(spec: &'a CommandSpec, reply: Reply) -> Self {
        Done {
            game: HOUSE,
            spec,
            reply,
            comment: None,
            changes: Changes::default(),
            state: None,
            followed: None,
            closed: Vec::new(),
            nothing: None,
        }
    }
}

impl Effects {
    /// Whether it belongs into the journal, whatever it changed.
    pub fn counts(&self) -> bool {
        let shows = !self.reveals.is_empty() || !self.publishes.is_empty();
        self.undoes.is_some() || shows || !self.erases.is_empty()
    }
}

impl Table {
    /// Plays one of the table's own commands.
    pub(super) fn play_own<'a>(
        &self,
        host: &Host,
        spec: &'a CommandSpec,
        attempt: &mut Attempt<'_>,
    ) -> Result<Done<'a>, NotFound> {
        budget::fits(&attempt.typed)?;
        // These have no comments: `#12` is an entry, or does not belong there.
        let line = CommandLine { typed: attempt.typed.clone(), by_name: true };
        let replied = self.replied(host, attempt.message)?;
        let mut words = Words::new(&line.typed, line.word().1.end);
        let side = &self.rooms[&attempt.message.room];
        let present = host.roster.present(&attempt.message.room);
        let mut arrived = attempt.doc.clone();
        let number = self.next_number();
        let mut turn = HouseTurn {
            host,
            ledger: Ledger { host, table: self },
            effects: &mut attempt.effects,
            number,
            replied,
            now: attempt.message.sent,
            heard: attempt.message.heard_at(),
            in_private: attempt.message.private || attempt.message.aside.is_some(),
            in_secret: attempt.secret,
            speaker: &attempt.message.speaker,
            room_id: &attempt.message.room,
            said_in: attempt.message.said_in(),
            actor: attempt.actor,
            rights: &attempt.rights,
            present: &present,
            table: &mut attempt.doc,
            files_left: attempt.files_left,
            arrived: &mut arrived,
            room: &mut attempt.room,
            head: &mut attempt.head,
        };
        // What a panic leaves half done is dropped with the attempt.
        let played = catch_unwind(AssertUnwindSafe(|| house::play(&spec.name, &mut words, &mut turn)));
        let reply = played.unwrap_or_else(|_| Err(stumbled("me", spec, &attempt.key).into()))?;
        let changed_anything = !Arc::ptr_eq(&arrived, &attempt.doc) || !Arc::ptr_eq(&side.doc.doc, &attempt.room);
        if attempt.secret
            && !attempt.effects.secret
            && (changed_anything || attempt.effects.counts() || attempt.effects.adds.is_some())
        {
            let what = format!("{} concerns the whole table: type it there, and not in secret", spec.name);
            return Err(Refusal::new(what).example(attempt.typed.as_str()).into());
        }
        if (changed_anything || attempt.effects.counts()) && !attempt.rights.may(&attempt.doc, Act::ChangeTheTable) {
            let what =
                format!("{} is typed by whoever means it: here it stands in words that somebody else named", spec.name);
            return Err(Refusal::new(what).example(attempt.typed.as_str()).into());
        }
        attempt.secret |= attempt.effects.secret;
        let mut changes = Changes::default();
        changed(&Document::Table, &self.doc, &arrived, &attempt.doc, &mut changes);
        let place = Document::Room(attempt.message.room.clone());
        changed(&place, &side.doc, &side.doc.doc, &attempt.room, &mut changes);
        if let Some(made) = attempt.effects.made.take() {
            changes.made = made;
        }
        if !changes.made.is_empty() || !changes.begun.is_empty() {
            note(&mut attempt.doc, &self.doc.doc, |doc| doc.touched.note(&Document::Table, changes.all(), number));
            note(&mut attempt.room, &side.doc.doc, |room| room.touched.note(&place, changes.all(), number));
        }
        Ok(Done { changes, ..Done::looked(spec, reply) })
    }

    /// Plays a plugin's command, whose arguments begin at byte `from`.
    pub(super) fn play_game<'a>(
        &mut self,
        host: &Host,
        plugin: &'a dyn Plugin,
        spec: &'a CommandSpec,
        from: usize,
        attempt: &mut Attempt<'_>,
    ) -> Result<Done<'a>, NotFound> {
        let game = &plugin.manifest().id;
        let (play, state) = self.prepare(host, plugin, spec, from, attempt)?;
        let number = self.next_number();
        let mut source = host.dice.dice(&self.dice_seed(), &attempt.key);
        let fell = self.fell_before(attempt.key.ordinal);
        let mut budget = Budget::after(&mut source, fell);
        let played = play_safely(&play, &mut budget, &attempt.key);
        attempt.strayed = budget.strayed();
        attempt.thrown = budget.into_thrown();
        let (Played { state: after, mut reply }, left) = match played {
            Ok(played) => played,
            Err(refusal) if attempt.thrown.len() > fell.len() => {
                return Ok(self.comes_to_nothing(game, spec, &refusal.what, attempt));
            }
            Err(refusal) => return Err(refusal.into()),
        };
        chances_of_offers(&play, &after, &left, &mut reply, number);
        let (Prepared { arguments, target, .. }, Left { cast, amended, followed, closed, took }) = (play, left);
        attempt.rights.took(took);
        let target = target.filter(|_| followed || spec.follow_up != FollowUp::IfAny);

        if !cast.newcomers().is_empty() {
            Arc::make_mut(&mut attempt.doc).sit(&mut attempt.head, &cast);
        }
        let mut changes = Changes::default();
        changed(&Document::Table, &self.doc, &attempt.doc, &attempt.doc, &mut changes);
        note(&mut attempt.doc, &self.doc.doc, |doc| doc.touched.note(&Document::Table, changes.all(), number));
        let mut grown = None;
        if (after.version, &after.state) != (state.doc.version, &state.doc.state) {
            let place = Document::Game(game.to_owned());
            let SavedState { version, state: after } = after;
            let mut after = Arc::new(GameDoc { version, state: after, touched: state.doc.touched.clone() });
            changed(&place, &state, &state.doc, &after, &mut changes);
            note(&mut after, &state.doc, |after| after.touched.note(&place, changes.all(), number));
            let stored = to_json(&*after);
            if stored.len() > MOST_STATE {
                let what = format!("this table's {game} would grow too large to be kept");
                return if attempt.thrown.is_empty() {
                    Err(Refusal::new(what).into())
                } else {
                    Ok(self.comes_to_nothing(game, spec, &what, attempt))
                };
            }
            grown = Some((after, stored));
        }
        if let (Some(target), Some(amended)) = (&target, &amended) {
            let path = Place::Record(target.entry).path();
            changes.made.extend(diff(&path, Some(&target.record), Some(amended)));
        }
        let followed = target.map(|target| (target, amended));
        let comment = arguments.comment;
        Ok(Done { game, spec, reply, comment, changes, state: grown, followed, closed, nothing: None })
    }
}

/// What the player is told of a panic in a command of `whose`; the log has the same id.
fn stumbled(whose: &str, spec: &CommandSpec, key: &MessageKey) -> Refusal {
    let id = &digest(&key.to_bytes())[..8];
    tracing::error!(whose, command = spec.name, id, "a command panicked; the table is as it was");
    Refusal::new(format!(
        "sorry, that hit a bug in {whose} and nothing changed: please give the operator error id {id}"
    ))
}

/// Runs a plugin. If it panics, nothing happened, and the player gets an id that the log has too.
fn play_safely(play: &Prepared<'_>, dice: &mut dyn Dice, key: &MessageKey) -> Result<(Played, Left), Refusal> {
    // What a panic may leave half done, the words and the turn, is dropped there; the state was only lent.
    let result = catch_unwind(AssertUnwindSafe(|| play.with(dice)));
    result.unwrap_or_else(|_| Err(stumbled(&play.plugin.manifest().id, play.spec, key)))
}

/// What became of a document: `arrived` is how it was when the command itself began to work on it.
pub(super) fn changed<T: Serialize>(
    document: &Document,
    before: &Stored<T>,
    arrived: &Arc<T>,
    after: &Arc<T>,
    changes: &mut Changes,
) {
    if Arc::ptr_eq(&before.doc, after) {
        return;
    }
    let value = |holds: &T| {
        let mut value = serde_json::to_value(holds).expect("documents have text keys and finite numbers");
        // Which entry changed what is no part of what is played.
        value.as_object_mut().map(|object| object.remove("touched"));
        value
    };
    let (first, path) = (value(&before.doc), &document.path());
    if !before.stored {
        changes.begun.extend(diff(path, None, Some(&first)));
    }
    let middle = if Arc::ptr_eq(&before.doc, arrived) {
        first
    } else {
        let middle = value(arrived);
        changes.begun.extend(diff(path, Some(&first), Some(&middle)));
        middle
    };
    if !Arc::ptr_eq(arrived, after) {
        changes.made.extend(diff(path, Some(&middle), Some(&value(after))));
    }
}

/// Notes in a document which entry changed it, if it is another than it was.
pub(super) fn note<T: Clone>(after: &mut Arc<T>, before: &Arc<T>, note: impl FnOnce(&mut T)) {
    if !Arc::ptr_eq(after, before) {
        note(Arc::make_mut(after));
    }
}
