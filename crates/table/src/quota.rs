//! How much one player, and one table, may have others keep: seats, names with what they stand for, files. Rolls have no quota.
//! Whoever comes near the end of one is told so before it is reached.

use chat::PlayerId;
use journal::documents::Named;
use journal::documents::TableDoc;
use plugin_api::Refusal;

/// Players with a seat at one table.
pub const MOST_SEATS: usize = 500;
/// Characters of a table at which nobody new sits down: those of players, and as many that were made.
pub const MOST_PEOPLE: usize = 1_000;
/// Characters of one player that they name themselves.
pub const MOST_OWN: usize = 20;
/// Letters of all names that one player gave, with what they stand for.
pub const PLAYER_LETTERS: usize = 20_000;
/// The same of a table.
pub const TABLE_LETTERS: usize = 60_000;
/// Files with the journal for one player, and for one table, within an hour.
pub const PLAYER_EXPORTS: usize = 6;
pub const TABLE_EXPORTS: usize = 20;

/// From so many hundredths on it is said how much is left.
const NEAR: usize = 80;

/// So much of `most` is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Used {
    pub used: usize,
    pub most: usize,
}

impl Used {
    /// There will soon be.
    pub fn is_near(self) -> bool {
        self.used * 100 >= self.most * NEAR
    }

    /// What is said to whoever comes near the end: ` You have 17 of 20 characters.`, of `have` that is `You have` and `what`
    /// that is `characters`.
    pub fn told(self, have: &str, what: &str) -> Option<String> {
        let Used { used, most } = self;
        self.is_near().then(|| format!(" {have} {used} of {most} {what}."))
    }
}

/// Files within the hour, with the one that was just asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exports {
    /// The player's.
    pub own: Used,
    /// The table's.
    pub table: Used,
}

impl Exports {
    /// What is said of how many are left, once few are.
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
pub(crate) trait Quotas {
    /// Whether somebody new can sit down.
    fn has_room(&self) -> bool;

    /// How many characters a player has.
    fn own_characters(&self, player: &PlayerId) -> Used;

    /// The letters of names and of what they stand for: of those that are a player's, and of all.
    fn letters(&self, player: &PlayerId) -> (Used, Used);

    /// Refuses more names than may be kept; else what is to be said of how many are left.
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

    fn letters(&self, player: &PlayerId) -> (Used, Used) {
        let theirs = |id| self.characters.get(id).is_some_and(|each| each.owner.as_ref() == Some(player));
        let named = &self.shortcuts;
        let own = named.own.iter().filter(|(id, _)| theirs(id)).map(|(_, named)| letters(named)).sum();
        let all = named.own.values().chain([&named.table]).map(letters).sum();
        (Used { used: own, most: PLAYER_LETTERS }, Used { used: all, most: TABLE_LETTERS })
    }

    fn keep_names(&self, player: &PlayerId) -> Result<Option<String>, Refusal> {
        let (own, all) = self.letters(player);
        for (Used { used, most }, whose) in [(own, "your variables and macros"), (all, "the variables and macros here")]
        {
            if used > most {
                let what =
                    format!("{whose} would have {used} letters, and {most} is the most: remove one first, with none");
                return Err(Refusal::new(what));
            }
        }
        let of = "letters for variables and macros";
        Ok(own.told("You have used", of).or_else(|| all.told("This table has used", of)))
    }
}

fn letters(named: &Named) -> usize {
    let all = named.variables.iter().chain(&named.macros);
    all.map(|(name, text)| name.chars().count() + text.chars().count()).sum()
}
