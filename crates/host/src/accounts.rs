//! Players with two accounts: who they are besides the one that speaks.
//!
//! Each of the two accounts has a record that names the other, and they count only together; so no two links that are
//! made at the same time leave anybody with half of one. The records are no table's, and in no export. What an account
//! owned or did stays its own: a link only lets the other one act on it, as long as it lasts.

use crate::ledger::Ledger;
use crate::shared::Host;
use chat::{CharacterId, Event, PlayerId, RoomId, Speaker, Standing, Trust};
use jiff::{SignedDuration, Timestamp};
use journal::documents::{TableDoc, to_json};
use journal::keys;
use journal::store::{Batch, StoreError};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// How long an account may be silent before its link ends: services give names away that nobody uses, and whoever
/// registers one next is somebody else.
const SILENT: SignedDuration = SignedDuration::from_hours(30 * 24);
/// How exactly it is noted when an account was used.
const NOTED: SignedDuration = SignedDuration::from_hours(24);

/// The other account of a player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Linked {
    /// The other account.
    pub other: PlayerId,
    /// Since when both are one player.
    pub since: Timestamp,
}

impl Linked {
    /// True if an account that was last used then is still the same person's.
    pub fn is_in_use(used: Option<Timestamp>, now: Timestamp) -> bool {
        used.is_some_and(|used| now.duration_since(used) < SILENT)
    }
}

impl Ledger<'_> {
    /// What links a player's two accounts, whether or not they have been used lately.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn link_of(&self, player: &PlayerId) -> Result<Option<Linked>, StoreError> {
        both(player, |key| self.read(key))
    }

    /// The same; `writes` are made only if that is still so then.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn rely_on_link_of(&self, player: &PlayerId, writes: &mut Batch) -> Result<Option<Linked>, StoreError> {
        both(player, |key| self.rely_on(key, writes))
    }
}

/// What links two accounts, if both records say the same, with `read` for these.
fn both<E>(player: &PlayerId, mut read: impl FnMut(&str) -> Result<Option<Linked>, E>) -> Result<Option<Linked>, E> {
    let Some(linked) = read(&keys::account(player))? else { return Ok(None) };
    let back = read(&keys::account(&linked.other))?;
    Ok(back.is_some_and(|back| back.other == *player).then_some(linked))
}

impl Host {
    /// The other account of a player, while both are in use.
    pub fn other_account(&self, player: &PlayerId, now: Timestamp) -> Result<Option<PlayerId>, StoreError> {
        let Some(Linked { other, .. }) = both(player, |key| self.read_doc(key))? else { return Ok(None) };
        for account in [player, &other] {
            if !Linked::is_in_use(self.read_doc(&keys::account_used(account))?, now) {
                return Ok(None);
            }
        }
        Ok(Some(other))
    }

    /// The event with the other account of whoever speaks. What a network or a stored event says of it does not count.
    pub fn with_accounts<'e>(&self, event: &'e Event) -> Result<Cow<'e, Event>, StoreError> {
        let Some(message) = event.message() else { return Ok(Cow::Borrowed(event)) };
        let also = self.also(&message.speaker, message.heard_at())?;
        if also == message.speaker.also {
            return Ok(Cow::Borrowed(event));
        }
        let mut event = event.clone();
        event.message_mut().into_iter().for_each(|message| message.speaker.also.clone_from(&also));
        Ok(Cow::Owned(event))
    }

    fn also(&self, speaker: &Speaker, now: Timestamp) -> Result<Option<PlayerId>, StoreError> {
        if speaker.trust != Trust::Account || speaker.standing == Standing::Operator {
            return Ok(None);
        }
        self.other_account(&speaker.player, now)
    }

    /// Notes that one of a player's two accounts is in use.
    pub fn note_use(&self, speaker: &Speaker, now: Timestamp, writes: &mut Batch) -> Result<(), StoreError> {
        if speaker.also.is_none() {
            return Ok(());
        }
        let key = keys::account_used(&speaker.player);
        let used: Option<Timestamp> = self.read_doc(&key)?;
        // The message itself may have ended the link.
        if writes.get(&key).is_none() && used.is_none_or(|used| now.duration_since(used) > NOTED) {
            writes.put(key, to_json(&now));
        }
        Ok(())
    }
}

/// The character that one of a player's accounts plays for the other one, which has no seat of its own.
pub fn shared(doc: &TableDoc, speaker: &Speaker) -> Option<CharacterId> {
    let seat = doc.seats.get(speaker.also.as_ref()?)?;
    owns(doc, speaker, seat.plays).then_some(seat.plays)
}

/// True if a character belongs to whoever speaks, or to nobody.
pub fn owns(doc: &TableDoc, speaker: &Speaker, character: CharacterId) -> bool {
    let owner = doc.characters.get(&character).and_then(|each| each.owner.as_ref());
    owner.is_none_or(|owner| speaker.is(owner))
}

impl Ledger<'_> {
    /// Where a player can be told something that nobody else may read: the account that was used here last,
    /// among those that the network vouches for in a room of this table, and that room, if possible this one.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn reached(&self, owner: &PlayerId, (here, now): (&RoomId, Timestamp)) -> Result<Option<Reached>, StoreError> {
        let other = self.host.other_account(owner, now)?;
        let mut found: Option<(u64, Reached)> = None;
        for account in std::iter::once(owner.clone()).chain(other) {
            let Some(room) = self.room_of(&account, here)? else { continue };
            let last = self.last_of_player(&account)?.unwrap_or_default();
            if found.as_ref().is_none_or(|(before, _)| last > *before) {
                found = Some((last, Reached { account, room }));
            }
        }
        Ok(found.map(|(_, reached)| reached))
    }

    /// The room of this table where the network vouches for an account, if possible this one.
    pub fn room_of(&self, account: &PlayerId, here: &RoomId) -> Result<Option<RoomId>, StoreError> {
        let vouched = |room: &RoomId| self.host.roster.vouches_for(room, account);
        if vouched(here) {
            return Ok(Some(here.clone()));
        }
        Ok(self.rooms_at(self.id())?.into_keys().find(vouched))
    }

    /// These players with their other accounts that have a seat here. Nobody else at the table knows of any other.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn with_accounts(&self, players: BTreeSet<PlayerId>, now: Timestamp) -> Result<BTreeSet<PlayerId>, StoreError> {
        let (mut all, seats) = (players.clone(), &self.state.doc.doc.seats);
        for player in &players {
            all.extend(self.host.other_account(player, now)?.filter(|other| seats.contains_key(other)));
        }
        Ok(all)
    }
}

/// Where somebody can be told something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// Which of their accounts.
    pub account: PlayerId,
    /// A private chat with it.
    pub room: RoomId,
}
