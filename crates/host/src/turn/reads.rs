//! What the speaker may read of the journal's entries.

use super::HouseTurn;
use crate::rights::{Act, is_for_its_player};
use journal::store::StoreError;
use journal::{Change, HOUSE, Page};
use plugin_api::CharacterId;

impl HouseTurn<'_> {
    /// The name of the player who typed an entry.
    pub fn who(&self, page: &Page) -> String {
        let player = &page.entry.player;
        self.table.seats.get(player).map_or_else(|| player.id.clone(), |seat| seat.name.clone())
    }

    /// True if a public entry tells values that only referees may know: its words are from before they were kept apart, or
    /// before the character was a referee's.
    pub fn tells_values(&self, page: &Page) -> bool {
        let public = page.entry.game == HOUSE && !page.is_secret();
        public && page.changes().all().any(|change| self.ledger.tells_values(change))
    }

    /// True if the speaker may read all of an entry, including what it withholds.
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

    /// True if what a character keeps secret is the speaker's to know.
    pub fn may_know_of(&self, who: CharacterId) -> bool {
        let owned = self.table.characters.get(&who).is_some_and(|each| each.owner.is_some());
        let own = (owned || self.table.referees.is_empty()) && self.may(Act::AnswerFor(who));
        own || self.may(Act::Know)
    }

    /// True if the speaker may know all changes of an entry. Acting for somebody else's character is not enough.
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
