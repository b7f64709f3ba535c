//! The boundary between the core and a network.

use crate::erased::GONE;
use crate::{Block, Delivery, Erased, File, Permit, Picture, PlayerId, RoomId, Span, Status, Terminal, clean};
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::any::Any;
use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// A network: it delivers what people say to the desk, and says the posts it is given.
///
/// A transport knows no game, no role and no store. Anything it must remember across a restart goes into a [`Delivery`]
/// as a note and is read back with [`Desk::note`].
#[async_trait]
pub trait Transport: Any + Send + Sync {
    /// The network's name, as the operator gave it: the first part of every room and player id.
    fn network(&self) -> &str;

    /// What the core can rely on there.
    fn guarantees(&self) -> Guarantees;

    /// Listens until there is nothing more to hear, or for ever.
    ///
    /// # Errors
    /// Something the operator must fix. Temporary troubles are waited out inside.
    async fn run(&self, desk: Arc<dyn Desk>) -> Result<(), TransportError>;

    /// Takes a post and says it as soon as possible, however long that takes and whether or not anyone awaits the
    /// result. Posts of one room are said in the order of the calls; rooms do not wait for each other.
    fn send(&self, post: Post) -> Saying;

    /// Returns once posts can be said. Until then, the core does not repeat what an earlier run may have said.
    async fn ready(&self) {}

    /// Returns its state.
    async fn status(&self) -> Status {
        Status::default()
    }

    /// Joins a room on an operator's request, now and after each restart. Returns the room's id.
    ///
    /// # Errors
    /// The reason why it cannot.
    async fn join(&self, room: &str) -> Result<String, String> {
        Err(format!("{}: nobody comes into {room} there at a word", self.network()))
    }

    /// Leaves a room on an operator's request.
    ///
    /// # Errors
    /// The reason why it cannot.
    async fn leave(&self, room: &str) -> Result<(), String> {
        Err(format!("{}: the bot is not in {room}", self.network()))
    }

    /// Waits until somebody there asks to verify the bot, and goes through it with them; the operator compares what both
    /// sides see. Returns true if it succeeds. Whoever drops it stops waiting.
    ///
    /// # Errors
    /// The reason why it cannot.
    async fn verify(&self, _operator: &mut dyn Terminal) -> Result<bool, String> {
        Err(format!("{}: nobody verifies anybody on that network", self.network()))
    }

    /// Called when no more posts will come. Says what can be said now, answers [`SendError::Unsaid`] for the rest, and
    /// leaves.
    async fn close(&self) {}
}

/// What the core can rely on in a network. The default is the least: messages that were not accepted are lost, a post
/// said twice appears twice, and posts cannot be changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Guarantees {
    /// What happens to messages that were not accepted.
    pub unaccepted: Unaccepted,
    /// What people see of a post that is said twice under the same key.
    pub repeated: Repeated,
    /// Whether people and the bot can change what they said.
    pub edits: Edits,
}

/// What happens to messages that were not accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unaccepted {
    /// They are lost.
    #[default]
    Lost,
    /// They are redelivered; accepting and playing are two durable steps.
    ComeAgain,
}

/// What people see of a post that is said twice under the same key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Repeated {
    /// Both copies: a post that may have been said already is marked when it is repeated.
    #[default]
    Twice,
    /// One copy: a post that may have been said already is repeated unmarked.
    Once,
}

/// Whether messages and posts can be changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Edits {
    /// They stay as they are.
    #[default]
    None,
    /// People can edit their messages, and the bot its posts.
    Shown,
}

impl Guarantees {
    /// True if a message may be heard twice, or in another version, so its outcome must be stored.
    pub fn may_be_heard_again(self) -> bool {
        self.unaccepted == Unaccepted::ComeAgain || self.edits == Edits::Shown
    }
}

/// Resolves once the network has the post, or when it is certain that it never will.
pub type Saying = Pin<Box<dyn Future<Output = Result<Sent, SendError>> + Send>>;

/// The core as a transport sees it.
#[async_trait]
pub trait Desk: Send + Sync {
    /// Accepts a delivery. When it returns, the delivery is accepted; durably so if the network redelivers.
    ///
    /// # Errors
    /// Nothing of the delivery is accepted; deliver it again.
    async fn accept(&self, delivery: Delivery) -> Result<(), DeskError>;

    /// Returns once everything accepted so far has been played and answered.
    async fn settle(&self);

    /// What the transport noted under `key`.
    ///
    /// # Errors
    /// The store cannot be read.
    fn note(&self, key: &str) -> Result<Option<String>, DeskError>;
}

/// Something to say, once. Offers are data inside its lines ([`Span::Offer`](crate::Span::Offer)).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Post {
    /// Identifies this post for ever: the same key is the same post.
    pub key: String,
    /// The room it is said in; for a private post, the room it concerns.
    pub room: RoomId,
    /// To everybody there or to one.
    pub to: Recipient,
    /// The only player who may read it, though it is addressed to everybody in the room: the room is a private chat
    /// with them. If it is no longer private when the post is said, the post goes to them alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_for: Option<PlayerId>,
    /// The id of the message it answers, if it answers one.
    pub answers: Option<String>,
    /// The player whose message it follows from. Where a network is slow, players take turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<PlayerId>,
    /// True if it shows the room what was done in another one. The room's own answers go first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mirrored: bool,
    /// The name of the player it answers, put in front where replies cannot be shown.
    pub addressee: Option<String>,
    /// Others whose turn it is and who should look; notified where the network can.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub calls: BTreeSet<PlayerId>,
    /// What is shown.
    pub blocks: Vec<Block>,
    /// Pictures of what is shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pictures: Vec<Picture>,
    /// The address of a page that shows the roll that it tells, for networks without anything better.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
    /// Text files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<File>,
    /// True if it says that something was refused.
    pub refusal: bool,
    /// The names of everyone who sees it, if it is private. The list is complete even though the post goes to one of
    /// them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub readers: Vec<String>,
    /// True for a duplicate for another reader. The console, where one person sees all, skips it.
    #[serde(default)]
    pub copy: bool,
    /// What to do with it.
    #[serde(flatten)]
    pub what: What,
    /// True if it may have been said before; a transport that cannot tell marks it.
    pub again: bool,
    /// True if this room wants no styling.
    #[serde(default)]
    pub plain: bool,
    /// True if it is the board of its room, which the bot keeps up to date by correcting it. It is pinned where that is
    /// possible, and no answer waits for it. Only on networks where posts can be edited.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub board: bool,
    /// What to type for the part that does not fit; see [`Event::Rest`](crate::Event::Rest).
    #[serde(default)]
    pub more: String,
    /// The content as data, for each command it answers. Not stored: posts said after a restart have none.
    #[serde(skip)]
    pub told: Vec<Told>,
    /// Set if its words are erased while it waits. A network that begins to say it looks, by
    /// [`forget_erased`](Self::forget_erased).
    #[serde(skip)]
    pub erased: Erased,
    /// Asked before each of its lines. If it is not given, the post is [`Unsaid`](SendError::Unsaid).
    #[serde(skip)]
    pub permit: Permit,
}

/// The answer to one command, as data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// The number of its entry, if it has one.
    pub entry: Option<u64>,
    /// Its named values.
    pub facts: Map<String, Value>,
    /// How the result came about, one sentence each.
    pub why: Vec<String>,
}

impl Post {
    /// A post for everybody in a room.
    pub fn new(key: impl Into<String>, room: RoomId, blocks: Vec<Block>) -> Self {
        Post {
            key: key.into(),
            room,
            to: Recipient::Room,
            only_for: None,
            answers: None,
            by: None,
            mirrored: false,
            addressee: None,
            calls: BTreeSet::new(),
            blocks,
            pictures: Vec::new(),
            page: None,
            files: Vec::new(),
            refusal: false,
            readers: Vec::new(),
            copy: false,
            what: What::Say,
            again: false,
            plain: false,
            board: false,
            more: String::new(),
            told: Vec::new(),
            erased: Erased::default(),
            permit: Permit::default(),
        }
    }

    /// If its words were erased while it waited, says that instead, and returns true once.
    pub fn forget_erased(&mut self) -> bool {
        let erased = self.erased.is_set() && self.withdraws().is_none();
        if erased {
            self.erased = Erased::default();
            self.blocks = vec![Block::Line(vec![Span::Text(GONE.to_owned())])];
            (self.pictures, self.files, self.told, self.page) = (Vec::new(), Vec::new(), Vec::new(), None);
        }
        erased
    }

    /// The earlier post that it corrects or withdraws.
    pub fn is_about(&self) -> Option<&Earlier> {
        match &self.what {
            What::Say => None,
            What::Correct(earlier) | What::Withdraw(earlier) => Some(earlier),
        }
    }

    /// The earlier post that it corrects.
    pub fn corrects(&self) -> Option<&Earlier> {
        self.is_about().filter(|_| matches!(self.what, What::Correct(_)))
    }

    /// The earlier post that it withdraws.
    pub fn withdraws(&self) -> Option<&Earlier> {
        self.is_about().filter(|_| matches!(self.what, What::Withdraw(_)))
    }

    /// The text in front of the first line, where the network cannot show it otherwise: whom it answers, whether it
    /// repeats or corrects a post, and who else sees it.
    pub fn front(&self) -> String {
        let mut front = self.addressee.as_ref().map_or_else(String::new, |name| format!("{}: ", clean(name)));
        if self.again {
            front += "(again) ";
        }
        if self.corrects().is_some() {
            front += "(corrected) ";
        }
        if !self.readers.is_empty() {
            front += &format!("(only {}) ", clean(&self.readers.join(", ")));
        }
        front
    }
}

/// What to do with a post.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "About", into = "About")]
pub enum What {
    /// Say it.
    #[default]
    Say,
    /// Replace an earlier post: edit it where the network can, else say this one as a correction.
    Correct(Earlier),
    /// Take the earlier post back and say nothing. Only on networks that send
    /// [`Event::Redacted`](crate::Event::Redacted).
    Withdraw(Earlier),
}

/// [`What`] in its stored form: one field for each kind.
#[derive(Serialize, Deserialize)]
struct About {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    corrects: Option<Earlier>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    withdraws: Option<Earlier>,
}

impl From<About> for What {
    fn from(about: About) -> Self {
        match about {
            About { withdraws: Some(earlier), .. } => What::Withdraw(earlier),
            About { corrects: Some(earlier), .. } => What::Correct(earlier),
            About { corrects: None, withdraws: None } => What::Say,
        }
    }
}

impl From<What> for About {
    fn from(what: What) -> Self {
        match what {
            What::Say => About { corrects: None, withdraws: None },
            What::Correct(earlier) => About { corrects: Some(earlier), withdraws: None },
            What::Withdraw(earlier) => About { corrects: None, withdraws: Some(earlier) },
        }
    }
}

/// An earlier post.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Earlier {
    /// Its [`Post::key`].
    pub key: String,
    /// The id the network gave it, if known.
    pub id: Option<String>,
}

/// Whom a post is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Recipient {
    /// Everybody in the room.
    Room,
    /// One player, privately.
    Player(PlayerId),
}

/// Confirms that a post was said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// The id the network gave it, so replies to it can be recognised.
    pub id: Option<String>,
}

/// A post was not said.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// It can never be said, for this reason.
    #[error("cannot be said: {0}")]
    Never(String),
    /// The bot stopped before it was said, or before it was known to have arrived; it may be said (again) later. If it
    /// was already marked as repeated, it was said before, and repeating it once counts as having arrived.
    #[error("not said before the end")]
    Unsaid,
}

/// The transport had to give up.
#[derive(Debug, thiserror::Error)]
#[error("{network}: {reason}")]
pub struct TransportError {
    /// Which network.
    pub network: String,
    /// What the operator needs to know.
    pub reason: String,
}

/// The core could not accept or read something.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct DeskError(pub String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_post_does_is_stored_in_a_field_of_its_own() {
        let earlier = Earlier { key: "first".to_owned(), id: Some("$1".to_owned()) };
        for (what, field) in [
            (What::Say, None),
            (What::Correct(earlier.clone()), Some("corrects")),
            (What::Withdraw(earlier), Some("withdraws")),
        ] {
            let post = Post { what, ..Post::new("second", RoomId::new("test", "hall"), Vec::new()) };
            let stored = serde_json::to_value(&post).unwrap();
            let fields = ["corrects", "withdraws"].map(|field| stored.get(field).map(|_| field));
            assert_eq!(fields.into_iter().flatten().next(), field, "{stored}");
            assert!(stored.get("what").is_none() && stored.get("told").is_none(), "{stored}");
            assert_eq!(serde_json::from_value::<Post>(stored).unwrap(), post);
        }
    }
}
