//! Whoever looks at a table, and what they may read of it. Every reader comes this way: a command's speaker, and somebody
//! who looks without saying anything.

use crate::ledger::Ledger;
use crate::rights::{Act, Rights, is_for_its_player};
use crate::shared::Host;
use crate::state::State;
use crate::unplayed::Unplayed;
use chat::{PlayerId, RoomId, Seen, Speaker, Trust};
use jiff::Timestamp;
use journal::documents::{Head, RoomDoc, TableDoc};
use journal::keys::TableId;
use journal::store::StoreError;
use journal::{Change, HOUSE, Page};
use plugin_api::{Cast, CharacterId};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Somebody looks at a table. They can change nothing of it.
#[derive(Clone, Copy)]
pub struct Looking<'a> {
    /// The bot.
    pub host: &'a Host,
    /// Who looks.
    pub speaker: &'a Speaker,
    /// The room from which they look.
    pub room_id: &'a RoomId,
    /// The table's document.
    pub table: &'a Arc<TableDoc>,
    /// The room's document.
    pub room: &'a RoomDoc,
    /// What they may do.
    pub rights: &'a Rights<'a>,
    /// The end of the journal.
    pub head: &'a Head,
    /// The journal.
    pub ledger: Ledger<'a>,
    /// The time, for display.
    pub now: Timestamp,
    /// True if nobody else reads along.
    pub alone: bool,
    /// True if what they read is only for them and the referees.
    pub in_secret: bool,
}

/// Somebody who looks without saying anything.
pub struct Onlooker {
    /// Who they would be if they said something.
    pub speaker: Speaker,
    /// True if they look as a referee.
    pub referee: bool,
    /// True if nobody else reads along.
    pub alone: bool,
}

impl Looking<'_> {
    /// Lets somebody look at a table as it is in the store; `who` says who looks, from the table's document. `None` if it is
    /// nobody, or no room is at the table.
    ///
    /// # Errors
    /// As `see`, or the store cannot be read.
    pub fn at<T>(
        bot: &Arc<Host>,
        table: &TableId,
        who: impl FnOnce(&TableDoc) -> Result<Option<Onlooker>, StoreError>,
        see: impl FnOnce(&Looking<'_>) -> Result<T, Unplayed>,
    ) -> Result<Option<T>, Unplayed> {
        let mut state = State::read_from(bot, table.clone())?;
        let doc = state.doc.doc.clone();
        let Some(Onlooker { speaker, referee, alone }) = who(&doc)? else { return Ok(None) };
        let host = state.plays_with(bot)?;
        let rooms = Ledger { host: &host, state: &state, writes: None }.rooms_at(table)?;
        let is_in = |room: &&RoomId| host.roster.present(room).contains_key(&speaker.player);
        let Some(room) = rooms.keys().find(is_in).or_else(|| rooms.keys().next()) else { return Ok(None) };
        state.room(&host, room)?;
        let rights = Rights::to_look(&doc, &speaker, room, referee.then_some(&speaker.player));
        let looking = Looking {
            host: &host,
            speaker: &speaker,
            room_id: room,
            table: &doc,
            room: &state.rooms[room].doc,
            rights: &rights,
            head: &state.head,
            ledger: Ledger { host: &host, state: &state, writes: None },
            now: host.now(),
            alone,
            in_secret: alone,
        };
        see(&looking).map(Some)
    }

    /// True if they may do this.
    pub fn may(&self, act: Act<'_>) -> bool {
        self.rights.may(self.table, act)
    }

    /// True if they may see something for these readers where they look.
    pub fn sees(&self, seen: Seen) -> bool {
        let knows = || seen.whose().is_some_and(|who| self.may_know_of(who)) || self.may(Act::Know);
        seen.by_everybody() || (self.in_secret && knows())
    }

    /// The characters who are theirs.
    pub fn plays(&self) -> BTreeSet<CharacterId> {
        let is_theirs = |owner: &PlayerId| self.speaker.trust == Trust::Account && self.speaker.is(owner);
        let all = self.table.characters.iter().filter(|(_, each)| each.owner.as_ref().is_some_and(is_theirs));
        all.map(|(id, _)| *id).collect()
    }

    /// Everyone who can be named.
    pub fn cast(&self) -> Cast {
        let present = self.host.roster.present(self.room_id);
        self.ledger.state.casting.cast(self.table, self.head, present)
    }

    /// The name of the player who typed an entry.
    pub fn who(&self, page: &Page) -> String {
        let player = &page.entry.player;
        self.table.seats.get(player).map_or_else(|| player.id.clone(), |seat| seat.name.clone())
    }

    /// True if a public entry tells values that only referees may know: its words are from before they were kept apart, or
    /// before the character was a referee's. What was shown on purpose is told already.
    pub fn tells_values(&self, page: &Page) -> bool {
        let public = page.entry.game == HOUSE && !page.is_secret() && page.link.fate.revealed_by.is_none();
        public && page.changes().all().any(|change| self.ledger.tells_values(change))
    }

    /// True if they may read all of an entry, including what it withholds.
    pub fn may_see(&self, page: &Page) -> bool {
        !page.withholds() || self.may(Act::Read(&page.entry))
    }

    /// Who may read a secret entry, and show it to everybody.
    pub fn who_reads(&self, page: &Page) -> String {
        let player = self.who(page);
        if is_for_its_player(&page.entry) { format!("only {player}") } else { format!("{player} or a referee") }
    }

    /// True if an entry withholds a roll against a value that not even its player may know.
    pub fn hides_a_value(&self, page: &Page) -> Result<bool, StoreError> {
        for number in page.withheld().all().filter_map(Change::roll) {
            if self.ledger.roll(number)?.is_some_and(|roll| !roll.measured().by_everybody()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// True if what a character keeps secret is theirs to know.
    pub fn may_know_of(&self, who: CharacterId) -> bool {
        let owned = self.table.characters.get(&who).is_some_and(|each| each.owner.is_some());
        let own = (owned || self.table.referees.is_empty()) && self.may(Act::AnswerFor(who));
        own || self.may(Act::Know)
    }

    /// True if they may know all changes of an entry. Acting for somebody else's character is not enough.
    pub fn may_know(&self, page: &Page) -> Result<bool, StoreError> {
        if self.may_know_of(page.entry.character) {
            return Ok(self.may_see(page));
        }
        for change in page.changes().with(page.withheld()).all().filter(|change| change.roll() != Some(page.number())) {
            if !self.ledger.seen_of(change)?.by_everybody() {
                return Ok(false);
            }
        }
        Ok(self.may_see(page))
    }
}
