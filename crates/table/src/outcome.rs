//! What came of a command line, and of the message it was part of.

use chat::{PlayerId, Post, Reply};
use dice::Die;
use journal::keys::TableId;
use journal::store::Batch;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What became of a command line.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// How it ended.
    pub kind: OutcomeKind,
    /// The name of who typed.
    pub player: String,
    /// The name of who acted.
    pub actor: String,
    /// The answer, dressed for showing; empty if nothing is said.
    pub reply: Reply,
    /// What was thrown.
    pub dice: Vec<Die>,
    /// The number of its entry, if it has one.
    pub entry: Option<u64>,
    /// The roll it followed up on.
    pub follows: Option<u64>,
    /// The entry it took back.
    pub undoes: Option<u64>,
    /// What everybody is told of it, if the answer itself is not for everybody.
    pub notice: Option<String>,
    /// Who else than the one who typed is offered something by it.
    pub calls: BTreeSet<PlayerId>,
    /// The answer shows what must be on the disk first.
    pub shows_head: bool,
    /// It changed something, so that the answer waits for the disk.
    pub changed: bool,
    /// How the line would have been right, without the prefix, if it was refused and that is known.
    pub mended: Option<String>,
    /// It was refused because it does not read as its command, whatever the table holds.
    pub misread: bool,
    /// It was refused because it is an edit that asked for another die than the one that fell before.
    pub strayed: bool,
    /// Its dice fell, and nothing came of it, for this reason.
    pub nothing: Option<String>,
}

/// How a command line ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutcomeKind {
    /// It was played.
    Played,
    /// It was not, and the answer says why.
    Refused,
    /// It was not for this bot, or was over the limits.
    Silent,
}

impl Outcome {
    /// Nothing came of the line yet.
    pub(crate) fn silent(player: &str, actor: &str) -> Self {
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
            calls: BTreeSet::new(),
            shows_head: false,
            changed: false,
            mended: None,
            misread: false,
            strayed: false,
            nothing: None,
        }
    }
}

/// What hearing an event leaves to do.
#[derive(Debug, Default)]
pub struct Heard {
    /// To be made durable.
    pub batch: Batch,
    /// To be said: at once if [`early`](Self::early), else when the batch is durable.
    pub posts: Vec<Outgoing>,
    /// What was thrown changes nothing: it may be said while the batch is being written.
    pub early: bool,
    /// What became of each command line.
    pub outcomes: Vec<Outcome>,
    /// With the batch durable, entries up to here may be shown early: see [`Table::confirm`](crate::Table::confirm).
    pub reserved: u64,
}

impl Heard {
    /// The entries that its lines made.
    pub(crate) fn entries(&self) -> Vec<u64> {
        self.outcomes.iter().filter_map(|outcome| outcome.entry).collect()
    }

    /// Nothing is to be done.
    pub(crate) fn nothing() -> Self {
        Heard { early: true, ..Heard::default() }
    }
}

/// A post on its way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outgoing {
    /// Where it stands in the store until it was said.
    pub key: String,
    /// The post.
    pub post: Post,
    /// The roll it shows: a reply to it follows up on that.
    pub roll: Option<(TableId, u64)>,
    /// The command in front of a number that somebody puts at it as a sign.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numbers: Option<String>,
}
