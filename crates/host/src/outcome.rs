//! The outcome of a command line, and of its message.

use crate::outgoing::Outgoing;
use chat::{Block, Line, PlayerId, Reply, RoomId};
use dice::Die;
use journal::documents::to_json;
use journal::store::Batch;
use std::collections::{BTreeMap, BTreeSet};

/// The outcome of a command line.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// How it ended.
    pub kind: OutcomeKind,
    /// The name of the player who typed it.
    pub player: String,
    /// The name of the character who acted.
    pub actor: String,
    /// The answer, ready to be shown; empty if nothing is said.
    pub reply: Reply,
    /// The dice rolled.
    pub dice: Vec<Die>,
    /// The number of its entry, if it has one.
    pub entry: Option<u64>,
    /// The roll it followed up on.
    pub follows: Option<u64>,
    /// The entry it undid.
    pub undoes: Option<u64>,
    /// The notice for everybody, if not everybody may read the answer.
    pub notice: Option<Line>,
    /// What it tells others in private, by player.
    pub tells: BTreeMap<PlayerId, Vec<Block>>,
    /// What it tells other rooms.
    pub announces: BTreeMap<RoomId, String>,
    /// What the other rooms of the table are shown of it; empty if nothing.
    pub mirrored: Vec<Block>,
    /// What the board of its room is to show.
    pub board: Option<OnBoard>,
    /// Other players to whom it offers something.
    pub calls: BTreeSet<PlayerId>,
    /// True if the answer shows something that must be on the disk first.
    pub shows_head: bool,
    /// True if it changed something, so the answer waits for the disk.
    pub changed: bool,
    /// The corrected line, without the prefix, if it was refused and a correction is known.
    pub mended: Option<String>,
    /// True if it was refused because it does not parse, whatever the table's state.
    pub misread: bool,
    /// True if it was refused because it is an edit that asked for a different die than the one rolled before.
    pub strayed: bool,
    /// If its dice were rolled but it had no effect: the reason.
    pub nothing: Option<String>,
    /// The entries whose words it erased.
    pub erased: Vec<u64>,
    /// The entries whose secrets it showed.
    pub revealed: Vec<u64>,
}

/// What a board is to show.
#[derive(Clone, Debug, PartialEq)]
pub struct OnBoard {
    /// The entry that asked for the board.
    pub order: u64,
    /// What it shows.
    pub blocks: Vec<Block>,
    /// A digest of that, to see whether it changed.
    pub digest: String,
}

/// How a command line ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutcomeKind {
    /// It was played.
    Played,
    /// It was refused, and the answer says why.
    Refused,
    /// It was not for this bot, or exceeded the limits.
    Silent,
}

impl Outcome {
    /// The outcome before anything has happened.
    pub fn silent(player: &str, actor: &str) -> Self {
        Outcome {
            kind: OutcomeKind::Silent,
            player: player.to_owned(),
            actor: actor.to_owned(),
            reply: Reply::new(),
            dice: Vec::new(),
            entry: None,
            follows: None,
            undoes: None,
            notice: None,
            tells: BTreeMap::new(),
            announces: BTreeMap::new(),
            mirrored: Vec::new(),
            board: None,
            calls: BTreeSet::new(),
            shows_head: false,
            changed: false,
            mended: None,
            misread: false,
            strayed: false,
            nothing: None,
            erased: Vec::new(),
            revealed: Vec::new(),
        }
    }
}

/// What to do after hearing an event.
#[derive(Debug, Default)]
pub struct Heard {
    /// The writes to make durable.
    pub batch: Batch,
    /// The posts to say: at once if [`early`](Self::early), else when the batch is durable.
    pub posts: Vec<Outgoing>,
    /// True if the dice changed nothing, so the posts may be said while the batch is written.
    pub early: bool,
    /// The outcome of each command line.
    pub outcomes: Vec<Outcome>,
    /// Once the batch is durable, entries up to this number may be shown early; see
    /// `Table::confirm`.
    pub reserved: u64,
}

impl Heard {
    /// The entries that its lines made.
    pub fn entries(&self) -> Vec<u64> {
        self.outcomes.iter().filter_map(|outcome| outcome.entry).collect()
    }

    /// Adds a post, to be stored with the rest and then said.
    pub fn say(&mut self, outgoing: Outgoing) {
        self.batch.put(outgoing.key.clone(), to_json(&outgoing));
        self.posts.push(outgoing);
    }

    /// The entries whose words were erased.
    pub fn erased(&self) -> Vec<u64> {
        self.outcomes.iter().flat_map(|outcome| &outcome.erased).copied().collect()
    }

    /// Nothing to do.
    pub fn nothing() -> Self {
        Heard { early: true, ..Heard::default() }
    }
}
