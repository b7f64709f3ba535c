//! What is going on in a scene: who is waited for, whose turn it is, and what a referee has still to settle.

use super::choices::{Open, shown_first};
use journal::documents::RollDoc;
use journal::store::StoreError;
use plugin_api::{EarlierRoll, Fit, Piece, Role};
use table::own::{Looking, Unplayed, seen_from};

/// How many of the newest entries are searched for rolls without a difficulty.
const LOOKED_AT: u64 = 30;
/// The most rolls without a difficulty.
const MOST: usize = 8;
/// The commands by which a game settles a roll against a difficulty.
const SETTLES: [&str; 2] = ["vs", "dn"];

/// A scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// The entry with which its room began to play apart; `None` for the common one.
    pub apart: Option<u64>,
    /// Its title, if one was begun.
    pub title: Option<String>,
    /// Who is waited for, and who may still choose something.
    pub open: Vec<Open>,
    /// For a referee: rolls that have no difficulty yet.
    pub unsettled: Vec<Unsettled>,
    /// What the room's games and tools show of it.
    pub pieces: Vec<Piece>,
}

/// A roll without a difficulty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsettled {
    /// Its entry.
    pub entry: u64,
    /// Who rolled.
    pub who: String,
    /// The command that settles it, which takes the entry and a number.
    pub command: String,
}

impl Scene {
    /// The scene of those who began to play apart with this entry, or the common one. Of `all` open choices it has its own, up
    /// to `most` of each kind.
    pub(crate) fn of(looking: &Looking, apart: Option<u64>, all: &[Open], most: usize) -> Result<Self, Unplayed> {
        let here = all.iter().filter(|open| looking.table.still_apart(open.apart) == apart).cloned();
        Ok(Scene {
            apart,
            title: looking.ledger.scene(looking.table, apart)?.map(|scene| scene.title),
            open: shown_first(here.collect(), most),
            unsettled: to_settle(looking, apart, all)?,
            pieces: pieces(looking, apart)?,
        })
    }

    /// True if anybody is waited for.
    pub fn waits(&self) -> bool {
        self.open.iter().any(Open::is_must)
    }
}

/// For a referee: the newest rolls of a scene that have no difficulty yet. Whoever is asked to answer one of these `open`
/// rolls settles it, so it stands there once.
fn to_settle(looking: &Looking, scene: Option<u64>, open: &[Open]) -> Result<Vec<Unsettled>, StoreError> {
    if looking.rights.role() < Role::Referee {
        return Ok(Vec::new());
    }
    let (newest, mut found) = (looking.ledger.head().number, Vec::new());
    for (number, roll) in looking.ledger.rolls((newest.saturating_sub(LOOKED_AT) + 1..=newest).rev())? {
        let asked = open.iter().any(|open| open.is_must() && open.entry == number);
        let still = |roll: &RollDoc| looking.table.still_apart(roll.apart) == roll.apart;
        if roll.secret || asked || roll.apart != scene || !still(&roll) {
            continue;
        }
        let (Some(record), Some(plugin)) = (&roll.record, looking.host.plugins.get(&roll.game)) else { continue };
        let commands = plugin.manifest().commands.iter().map(|command| command.name.as_str());
        let fits = |command: &&str| {
            let earlier = EarlierRoll { record, offered: false };
            SETTLES.contains(command) && plugin.fits(command, &earlier) == Fit::Open
        };
        if let Some(command) = commands.into_iter().find(fits) {
            let who = looking.table.name_of(roll.character).to_owned();
            found.push(Unsettled { entry: number, who, command: command.to_owned() });
        }
        if found.len() == MOST {
            break;
        }
    }
    Ok(found)
}

/// What the room's games and tools hold that is going on in a scene, such as whose turn it is, as far as the reader may see
/// it.
fn pieces(looking: &Looking, scene: Option<u64>) -> Result<Vec<Piece>, Unplayed> {
    let (cast, scenes, mut pieces) = (looking.cast(), seen_from(looking.table, scene), Vec::new());
    for plugin in looking.host.plugins.enabled(looking.room) {
        if let Some(held) = looking.ledger.held(plugin)? {
            let all = plugin.now(&held, &cast, &scenes).into_iter();
            pieces.extend(all.filter(|shown| looking.sees(shown.seen)).map(|shown| shown.piece));
        }
    }
    Ok(pieces)
}
