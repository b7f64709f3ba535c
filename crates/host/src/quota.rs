//! How much data one player and one table may store: seats, shortcuts, files, and what a player adds to journals in a day.
//! Players near a limit are told before they reach it.

use chat::PlayerId;
use journal::documents::{Named, TableDoc, to_json};
use plugin_api::Refusal;

/// The most players with a seat at one table.
pub const MOST_SEATS: usize = 500;
/// The most characters at a table before nobody new can sit down: those of players, and as many made by hand.
pub const MOST_PEOPLE: usize = 1_000;
/// The most characters that one player may name.
pub const MOST_OWN: usize = 20;
/// The most bytes of all shortcuts of one player, as they are stored: the table's document, with all of them, is written
/// whenever one changes.
pub const PLAYER_BYTES: usize = 20_000;
/// The same for a table.
pub const TABLE_BYTES: usize = 60_000;
/// The most exports for one player in an hour.
pub const PLAYER_EXPORTS: usize = 6;
/// The most exports for one table in an hour.
pub const TABLE_EXPORTS: usize = 20;

/// The most bytes that one player adds to the journals of all tables within a day: some thirty thousand rolls.
pub const DAILY_BYTES: usize = 10_000_000;

/// The percentage of a limit from which players are told how much is left.
const NEAR: usize = 80;

/// How much of a limit is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Used {
    /// How much is used.
    pub used: usize,
    /// The limit.
    pub most: usize,
}

impl Used {
    /// True if the limit is near.
    pub fn is_near(self) -> bool {
        self.used * 100 >= self.most * NEAR
    }

    /// A warning near the limit: ` You have 17 of 20 characters.`, where `have` is `You have` and `what` is
    /// `characters`.
    pub fn told(self, have: &str, what: &str) -> Option<String> {
        let Used { used, most } = self;
        self.is_near().then(|| format!(" {have} {used} of {most} {what}."))
    }
}

/// Exports within the hour, including the current one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exports {
    /// The player's.
    pub own: Used,
    /// The table's.
    pub table: Used,
}

impl Exports {
    /// A warning when few are left.
    pub fn told(self) -> Option<String> {
        let told = |Used { used, most }: Used, have: &str, whose: &str| match most.saturating_sub(used) {
            0 => format!(" That was the last of {whose} {most} exports for this hour."),
            left => format!(" {have} {left} of {most} exports left for this hour."),
        };
        let own = self.own.is_near().then(|| told(self.own, "You have", "your"));
        let table = self.table.is_near().then(|| told(self.table, "This table has", "this table's"));
        (own.is_some() || table.is_some()).then(|| [own, table].into_iter().flatten().collect())
    }
}

/// How much of a table's document is used.
pub trait Quotas {
    /// True if somebody new can sit down.
    fn has_room(&self) -> bool;

    /// How many characters a player has.
    fn own_characters(&self, player: &PlayerId) -> Used;

    /// The bytes of shortcuts: the player's own, and all.
    fn shortcut_bytes(&self, player: &PlayerId) -> (Used, Used);

    /// Refuses more shortcuts than allowed; otherwise returns a warning when few are left.
    fn keep_names(&self, player: &PlayerId) -> Result<Option<String>, Refusal>;
}

impl Quotas for TableDoc {
    fn has_room(&self) -> bool {
        self.seats.len() < MOST_SEATS && self.characters.len() < MOST_PEOPLE
    }

    fn own_characters(&self, player: &PlayerId) -> Used {
        let own = self.characters.values().filter(|each| each.owner.as_ref() == Some(player));
        Used { used: own.count(), most: MOST_OWN }
    }

    fn shortcut_bytes(&self, player: &PlayerId) -> (Used, Used) {
        let theirs = |id| self.characters.get(id).is_some_and(|each| each.owner.as_ref() == Some(player));
        let named = &self.shortcuts;
        let own = named.own.iter().filter(|(id, _)| theirs(id)).map(|(_, named)| stored(named)).sum();
        let all = named.own.values().chain([&named.table]).map(stored).sum();
        (Used { used: own, most: PLAYER_BYTES }, Used { used: all, most: TABLE_BYTES })
    }

    fn keep_names(&self, player: &PlayerId) -> Result<Option<String>, Refusal> {
        let (own, all) = self.shortcut_bytes(player);
        for (Used { used, most }, whose) in [(own, "your values and macros"), (all, "the values and macros here")] {
            if used > most {
                let what =
                    format!("{whose} would take {used} bytes, and {most} is the most: remove one first, with none");
                return Err(Refusal::new(what));
            }
        }
        let of = "bytes for values and macros";
        Ok(own.told("You have used", of).or_else(|| all.told("This table has used", of)))
    }
}

/// The bytes of shortcuts as they are stored.
fn stored(named: &Named) -> usize {
    if named.is_empty() { 0 } else { to_json(named).len() }
}
