//! What is kept of rolls and messages: what is still open about a roll, what a player's numbers mean, how a message was
//! played, and the rest of its answer.

use super::to_json;
use crate::keys::TableId;
use chat::{Block, CharacterId, Offer, OfferKind, PlayerId, Readers, Seen};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;

/// What can still be done about a roll.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RollDoc {
    /// The character who rolled.
    pub character: CharacterId,
    /// The plugin that made it.
    pub game: String,
    /// The plugin's record as it stands now; `None` if the roll cannot be followed up, or is undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<Value>,
    /// The character's previous roll of that game, which becomes the latest again while this one is undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<u64>,
    /// Offers not taken yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<OpenOffer>,
    /// Since when they have been open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// The entry that last changed any of this.
    #[serde(default)]
    pub by: u64,
    /// The entry with which the room began to play apart where it was made; `None` in the common scene.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apart: Option<u64>,
    /// True if the roll is secret; anything that follows from it is as secret.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub secret: bool,
    /// Whose value it was measured against, if only the referees know that value. Its record is for them alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden: Option<CharacterId>,
    /// The characters who were reminded of what it asks of them.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub called: BTreeSet<CharacterId>,
}

impl RollDoc {
    /// Who may see the offers, and the record unless it tells a hidden value.
    pub fn seen(&self) -> Seen {
        Seen::by(if self.secret { Readers::Referees } else { Readers::Everybody })
    }

    /// Who may see the value it was measured against.
    pub fn measured(&self) -> Seen {
        self.hidden.map_or(Seen::EVERYBODY, Seen::of)
    }

    /// True if the table waits for somebody because of it.
    pub fn asks(&self) -> bool {
        self.open.iter().any(|open| open.kind(self.character) == OfferKind::Must)
    }

    /// Who may see the record.
    pub fn record_seen(&self) -> Seen {
        self.seen().and_of(self.measured())
    }
}

/// An open offer of a roll.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenOffer {
    /// The character it is for.
    pub character: CharacterId,
    /// The command, without the prefix.
    pub command: String,
    /// What it does, in a few words.
    pub label: String,
    /// Whether the table waits for it, if that is not usual: it waits for what another's roll asks, and not for what
    /// somebody may do about their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<OfferKind>,
}

impl OpenOffer {
    /// What is offered to `character` on a roll of `by`.
    pub fn new(by: CharacterId, character: CharacterId, offer: &Offer) -> Self {
        let kind = Some(offer.kind).filter(|kind| *kind != usual(by, character));
        OpenOffer { character, command: offer.command.clone(), label: offer.label.clone(), kind }
    }

    /// Whether the table waits for it, on a roll of `by`.
    pub fn kind(&self, by: CharacterId) -> OfferKind {
        self.kind.unwrap_or_else(|| usual(by, self.character))
    }
}

fn usual(by: CharacterId, character: CharacterId) -> OfferKind {
    if by == character { OfferKind::Option } else { OfferKind::Must }
}

/// The meaning of a player's numbers `!1`, `!2`: the choices last shown to them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChoicesDoc {
    /// In the order of their numbers.
    #[serde(default)]
    pub choices: Vec<Choice>,
    /// The entry whose answer showed them.
    #[serde(default)]
    pub shown: u64,
}

/// The corrected form of a refused line. `!y` plays it as the next version of its message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MendedDoc {
    /// The message whose only command it was.
    pub message: String,
    /// The corrected line, without the prefix.
    pub line: String,
    /// The message that it replied to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// The table at which it was refused.
    pub table: TableId,
    /// The player's newest entry there. Once they do anything else, the correction no longer applies.
    pub after: Option<u64>,
    /// The bot's age when a sweep first saw this record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<i64>,
}

/// An offer as it was shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// The roll that it belongs to.
    pub entry: u64,
    /// The character it is for.
    pub character: CharacterId,
    /// The command, without the prefix.
    pub command: String,
}

/// The outcome of a message, stored so that it is not played twice and its edits are understood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InboxRow {
    /// Accepted and not played yet.
    Waiting,
    /// All its commands were refused; an edit of it is played.
    Refused {
        /// Digests of its command lines.
        lines: Vec<String>,
        /// The sender, who may edit it; older versions did not store this.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<PlayerId>,
    },
    /// At least one command of it was played.
    Played {
        /// Digests of its command lines.
        lines: Vec<String>,
        /// The entries they made.
        entries: Vec<u64>,
        /// The table.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        table: Option<TableId>,
        /// The sender, who may edit it; older versions did not store this.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<PlayerId>,
    },
}

/// The rest of a long answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RestDoc {
    /// As first stored.
    Fresh(Vec<Block>),
    /// With the bot's age when a sweep first saw it.
    Seen {
        /// The rest.
        blocks: Vec<Block>,
        /// The bot's age, in seconds.
        seen: i64,
    },
}

/// The most bytes stored of a rest.
const MOST_REST: usize = 32 << 10;

impl RestDoc {
    /// Builds it from the rest of an answer, cut to the size that is stored.
    pub fn of(mut blocks: Vec<Block>) -> Self {
        while to_json(&blocks).len() > MOST_REST {
            blocks.truncate(blocks.len() / 2);
        }
        RestDoc::Fresh(blocks)
    }

    /// The rest.
    pub fn into_blocks(self) -> Vec<Block> {
        match self {
            RestDoc::Fresh(blocks) | RestDoc::Seen { blocks, .. } => blocks,
        }
    }
}

impl InboxRow {
    /// For a message by this player with these lines, at least one of which was played, and the entries they made.
    pub fn played(table: &TableId, by: &PlayerId, lines: Vec<String>, entries: Vec<u64>) -> Self {
        InboxRow::Played { lines, entries, table: Some(table.clone()), by: Some(by.clone()) }
    }
}
