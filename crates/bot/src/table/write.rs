//! Writing a played command down: its entry, the documents it changed, what can follow it.

use super::line::Attempt;
use super::play::Done;
use super::{Heard, Kept, OutcomeKind, Table, dress};
use crate::bot::Bot;
use crate::documents::{OffersDoc, RollDoc, RoomDoc, to_json};
use crate::journal::{Draft, Entry, Link};
use crate::keys;
use crate::store::StoreError;
use chat::Reply;
use dice::Die;
use dice::fair::commitment;
use plugin_api::{CharacterId, FollowUp};
use serde_json::Value;
use std::sync::Arc;

/// Numbers that are reserved beyond the last entry at the most.
const FURTHEST_AHEAD: u64 = 64;
/// So many commands that each found everything before it durable are a calm table.
const CALM: u32 = 8;

impl Table {
    /// Dresses the answer of a played command, and if it threw dice or changed something makes it an entry; the number
    /// and the answer come back. A command that only looked leaves nothing.
    pub(super) fn finish_line(
        &mut self,
        bot: &Bot,
        attempt: Attempt<'_>,
        mut done: Done<'_>,
        thrown: &[Die],
    ) -> Result<(Option<u64>, Reply), StoreError> {
        let prefix = attempt.room.prefix.clone();
        let reply = std::mem::take(&mut done.reply);
        if thrown.is_empty() && done.changes.made.is_empty() {
            return Ok((None, dress::answer(reply, done.comment.as_deref(), &prefix, None)));
        }
        let number = self.gap.map_or(self.head.number, |(_, last)| last) + 1;
        let mut reply = dress::answer(reply, done.comment.as_deref(), &prefix, Some(number));
        let record = reply.record.take();
        self.enter(bot, number, &attempt, &done, &reply, record.as_ref(), thrown);
        let followed = done.followed.as_ref().map(|(target, _)| target.entry);
        self.keep_offers(&attempt, followed.unwrap_or(number), &reply);
        self.keep_roll(bot, number, attempt.actor, &mut done, record)?;
        self.keep_documents(attempt, done);
        Ok((Some(number), reply))
    }

    /// Writes the entry behind the chain.
    #[expect(clippy::too_many_arguments, reason = "an entry is made of all that a command was")]
    fn enter(
        &mut self,
        bot: &Bot,
        number: u64,
        attempt: &Attempt<'_>,
        done: &Done<'_>,
        reply: &Reply,
        record: Option<&Value>,
        thrown: &[Die],
    ) {
        let answer = reply.plain();
        let (text, facts, changes) = (attempt.typed.as_str(), &reply.facts, &done.changes);
        let draft = Draft { text, answer: &answer, dice: thrown, facts, record, changes };
        let (digests, parts) = bot.with_entropy(|entropy| draft.seal(entropy));
        let seed = self.seed.as_ref().expect("a table is laid before it hears a command");
        let entry = Entry {
            number,
            skipped: self.gap.take(),
            epoch: self.head.epoch,
            commitment: (!self.head.committed).then(|| commitment(seed)),
            key: attempt.key.clone(),
            player: attempt.message.speaker.player.clone(),
            character: attempt.actor,
            time: attempt.message.sent,
            game: done.game.to_owned(),
            command: done.spec.name.clone(),
            follows: done.followed.as_ref().map(|(target, _)| target.entry),
            digests,
        };
        let link = Link::new(&self.head.hash, &entry, parts);
        self.writes.put(keys::entry(&self.id, number), to_json(&link));
        self.head.number = number;
        self.head.hash = link.hash;
        self.head.committed = true;
        self.head.next_character = attempt.head.next_character;
    }

    /// Keeps what a later command may follow up on: this roll, or the one that this command followed up on.
    fn keep_roll(
        &mut self,
        bot: &Bot,
        number: u64,
        actor: CharacterId,
        done: &mut Done<'_>,
        record: Option<Value>,
    ) -> Result<(), StoreError> {
        match (done.followed.take(), record) {
            (Some((target, Some(amended))), _) => {
                let key = keys::roll(&self.id, target.entry);
                if let Some(roll) = self.read::<RollDoc>(bot, &key)? {
                    self.writes.put(key, to_json(&RollDoc { record: amended, ..roll }));
                }
            }
            (None, Some(record)) if done.spec.follow_up == FollowUp::No => {
                let latest = keys::latest(&self.id, actor.0, done.game);
                let previous = self.read(bot, &latest)?;
                let roll = RollDoc { character: actor, game: done.game.to_owned(), record, previous };
                self.writes.put(keys::roll(&self.id, number), to_json(&roll));
                self.writes.put(latest, number.to_string());
            }
            _ => {}
        }
        Ok(())
    }

    /// Keeps what the answer offers to who typed, for the character that acted, under the roll that it is about.
    fn keep_offers(&mut self, attempt: &Attempt<'_>, entry: u64, reply: &Reply) {
        let offers: Vec<_> = reply.offers.iter().filter(|offer| offer.to.is_none()).cloned().collect();
        if !offers.is_empty() {
            let offers = OffersDoc { entry, character: attempt.actor, offers };
            self.writes.put(keys::offers(&self.id, &attempt.message.speaker.player), to_json(&offers));
        }
    }

    /// Keeps the documents that the command changed.
    fn keep_documents(&mut self, attempt: Attempt<'_>, done: Done<'_>) {
        if !Arc::ptr_eq(&attempt.doc, &self.doc.doc) {
            self.writes.put(keys::doc(&self.id), to_json(&*attempt.doc));
            self.doc = Kept { doc: attempt.doc, stored: true };
        }
        self.keep_room(&attempt.message.room, attempt.room);
        if let Some((state, json)) = done.state {
            self.writes.put(keys::game(&self.id, done.game), json);
            self.games.insert(done.game.to_owned(), Kept { doc: state, stored: true });
        }
    }

    fn keep_room(&mut self, id: &chat::RoomId, room: Arc<RoomDoc>) {
        let side = self.rooms.get_mut(id).expect("the room of a message is open");
        if !Arc::ptr_eq(&room, &side.doc.doc) {
            self.writes.put(keys::room(id), to_json(&*room));
            side.doc = Kept { doc: room, stored: true };
        }
    }

    /// Reserves numbers beyond the last entry, and decides whether the answers may go before the disk.
    pub(super) fn reserve(&mut self, heard: &mut Heard) {
        let entries = || heard.outcomes.iter().filter_map(|outcome| outcome.entry);
        let Some(last) = entries().max() else {
            heard.early = true;
            heard.reserved = self.safe;
            return;
        };
        let changed = heard.outcomes.iter().any(|outcome| outcome.kind == OutcomeKind::Played && outcome.changed);
        heard.early = !changed && last <= self.safe;
        self.look_ahead(heard.early || changed);
        self.head.reserved = self.head.reserved.max(self.head.number + self.ahead);
        heard.reserved = self.head.reserved;
        heard.batch.put(keys::head(&self.id), to_json(&self.head));
    }

    /// How far numbers are reserved ahead: twice as far whenever a roll had to wait for the disk just for its number,
    /// nearer again once commands come slowly, so that a crash leaves out as few numbers as can be.
    fn look_ahead(&mut self, in_time: bool) {
        let all_durable = self.safe >= self.head.reserved;
        if !in_time {
            self.ahead = (self.ahead * 2).min(FURTHEST_AHEAD);
            self.calm = 0;
        } else if all_durable {
            self.calm += 1;
            if self.calm >= CALM {
                self.ahead = (self.ahead / 2).max(1);
                self.calm = 0;
            }
        } else {
            self.calm = 0;
        }
    }
}
