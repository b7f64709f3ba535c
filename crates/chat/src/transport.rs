//! The boundary between the core and a network.

use crate::{Block, Delivery, File, Image, PlayerId, RoomId, clean};
use async_trait::async_trait;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// A network: it hands what is said to the desk, and says what it is given.
///
/// A transport knows no game, no role and no store. What it must remember over a restart goes with a
/// [`Delivery`] as a note and is read back from [`Desk::note`].
#[async_trait]
pub trait Transport: Send + Sync {
    /// The network's name, as the operator gave it: the first part of every room and player id.
    fn network(&self) -> &str;

    /// What can be relied on there.
    fn guarantees(&self) -> Guarantees;

    /// Listens until there is nothing more to hear, or for ever.
    ///
    /// # Errors
    /// What the operator must mend; troubles that pass are waited out inside.
    async fn run(&self, desk: Arc<dyn Desk>) -> Result<(), TransportError>;

    /// Takes a post, to say it as soon as it can be said: however long that takes, and whether or not anybody waits for
    /// what comes back. The posts of a room are said in the order of the calls; no room waits for another.
    fn send(&self, post: Post) -> Saying;

    /// Returns once posts can be said: before that, the core does not say again what an earlier run may have said.
    async fn ready(&self) {}

    /// How it is doing.
    async fn status(&self) -> Status {
        Status::default()
    }

    /// Comes into a room at an operator's word, and back into it after a restart; its id.
    ///
    /// # Errors
    /// Why not.
    async fn join(&self, room: &str) -> Result<String, String> {
        Err(format!("{}: nobody comes into {room} there at a word", self.network()))
    }

    /// Leaves a room at an operator's word.
    ///
    /// # Errors
    /// Why not.
    async fn leave(&self, room: &str) -> Result<(), String> {
        Err(format!("{}: the bot is not in {room}", self.network()))
    }

    /// No more posts will come: says what can be said now, answers [`SendError::Unsaid`] for the others, and leaves.
    async fn close(&self) {}
}

/// What can be relied on in a network. The default is the least: what was not accepted is lost, a post that is said twice is
/// there twice, and nothing said can be changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Guarantees {
    /// What becomes of messages that were not accepted.
    pub unaccepted: Unaccepted,
    /// What people see of a post that is said twice under the same key.
    pub repeated: Repeated,
    /// Whether what was said can be changed, by people and by the bot.
    pub edits: Edits,
}

/// What becomes of messages that were not accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unaccepted {
    /// They are lost.
    #[default]
    Lost,
    /// They come again: accepting and playing are two durable steps.
    ComeAgain,
}

/// What people see of a post that is said twice under the same key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Repeated {
    /// Both: a doubtful post is marked when it is repeated.
    #[default]
    Twice,
    /// One: a doubtful post is repeated silently.
    Once,
}

/// Whether what was said can be changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Edits {
    /// It stays as it is.
    #[default]
    None,
    /// People can edit their messages, and the bot its posts.
    Shown,
}

impl Guarantees {
    /// Whether a message may be heard twice, or in another version: what became of it must be kept then.
    pub fn may_be_heard_again(self) -> bool {
        self.unaccepted == Unaccepted::ComeAgain || self.edits == Edits::Shown
    }
}

/// How a network is doing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Status {
    /// Whether what is said there is heard.
    pub connected: bool,
    /// As whom the bot is there: a nick, a user id.
    pub me: String,
    /// When something was last heard from the network.
    pub heard: Option<Timestamp>,
    /// The rooms it is in.
    pub rooms: Vec<RoomStatus>,
}

/// A room that the bot is in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RoomStatus {
    /// Its id on the network.
    pub id: String,
    /// What people call it, if that is something else.
    pub name: Option<String>,
    /// How many are in it besides the bot.
    pub others: u64,
    /// The configuration wants the bot there.
    pub configured: bool,
}

/// Resolves once the network has the post, or if it will never have it.
pub type Saying = Pin<Box<dyn Future<Output = Result<Sent, SendError>> + Send>>;

/// The core as a transport sees it.
#[async_trait]
pub trait Desk: Send + Sync {
    /// Takes a delivery. When it returns, the delivery is accepted; from a network that redelivers, durably so.
    ///
    /// # Errors
    /// Nothing of the delivery is accepted: deliver it again.
    async fn accept(&self, delivery: Delivery) -> Result<(), DeskError>;

    /// Returns once everything accepted so far was played and its answers were said.
    async fn settle(&self);

    /// What the transport noted under `key`.
    ///
    /// # Errors
    /// The store cannot be read.
    fn note(&self, key: &str) -> Result<Option<String>, DeskError>;
}

/// Something to say, once. Offers stand in its lines as data ([`Span::Offer`](crate::Span::Offer)).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Post {
    /// Names this post for ever: the same key is the same post.
    pub key: String,
    /// In which room, or out of which room if it is private.
    pub room: RoomId,
    /// To everybody there or to one.
    pub to: Recipient,
    /// The one who may read it, though it is said to everybody in the room: it is a private chat with them. Should it be none
    /// when the post is said, it is said to them alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_for: Option<PlayerId>,
    /// The id of the message it answers, if it answers one.
    pub answers: Option<String>,
    /// The name of whom it answers: put in front where replies cannot be shown.
    pub addressee: Option<String>,
    /// Who else should look, since it is their turn: called where the network can.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub calls: BTreeSet<PlayerId>,
    /// What is shown.
    pub blocks: Vec<Block>,
    /// Pictures.
    pub images: Vec<Image>,
    /// Text files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<File>,
    /// It says that something was not done.
    pub refusal: bool,
    /// Who alone sees it, by name, if it is private: all of them, though the post is for one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub readers: Vec<String>,
    /// The same goes to another reader as a post of its own: where one person reads everything, this one is left out.
    #[serde(default)]
    pub copy: bool,
    /// What is done with it.
    #[serde(flatten)]
    pub what: What,
    /// It may have been said before; a transport that cannot tell marks it.
    pub again: bool,
    /// No styling, in this room.
    #[serde(default)]
    pub plain: bool,
    /// What to type for the part that does not fit; see [`Event::Rest`](crate::Event::Rest).
    #[serde(default)]
    pub more: String,
    /// What it says as data, for each command that it answers. It is not stored: what is said after a restart is without.
    #[serde(skip)]
    pub told: Vec<Told>,
}

/// What the answer to a command says, as data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// The number of its entry, if it has one.
    pub entry: Option<u64>,
    /// What it states, as named values.
    pub facts: Map<String, Value>,
    /// How the result came to be, a sentence each.
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
            addressee: None,
            calls: BTreeSet::new(),
            blocks,
            images: Vec::new(),
            files: Vec::new(),
            refusal: false,
            readers: Vec::new(),
            copy: false,
            what: What::Say,
            again: false,
            plain: false,
            more: String::new(),
            told: Vec::new(),
        }
    }

    /// The earlier post that it is about: whose place it takes, or that it takes back.
    pub fn is_about(&self) -> Option<&Earlier> {
        match &self.what {
            What::Say => None,
            What::Correct(earlier) | What::Withdraw(earlier) => Some(earlier),
        }
    }

    /// The earlier post whose place it takes.
    pub fn corrects(&self) -> Option<&Earlier> {
        self.is_about().filter(|_| matches!(self.what, What::Correct(_)))
    }

    /// The earlier post that it takes back.
    pub fn withdraws(&self) -> Option<&Earlier> {
        self.is_about().filter(|_| matches!(self.what, What::Withdraw(_)))
    }

    /// What stands in front of its first line where that must say it: whom it answers, whether it was said before or takes
    /// the place of something, who alone sees it.
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

/// What is done with a post.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "About", into = "About")]
pub enum What {
    /// It is said.
    #[default]
    Say,
    /// It takes the place of an earlier one: edited where the network can, else said as a correction.
    Correct(Earlier),
    /// The earlier one is taken back: nothing is said then. Only where [`Event::Redacted`](crate::Event::Redacted) comes from.
    Withdraw(Earlier),
}

/// [`What`] as it is stored: a field for each kind.
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
    /// The id the network gave it, as far as it is known.
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

/// A post was said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// The id the network gave it, so that replies to it can be understood.
    pub id: Option<String>,
}

/// A post was not said.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// It never can be: why.
    #[error("cannot be said: {0}")]
    Never(String),
    /// The bot stops before it was said, or before it is known that it arrived; it may be said (once more) later. One that is
    /// marked as repeated was said before: once it is said again, it counts as having arrived.
    #[error("not said before the end")]
    Unsaid,
}

/// A transport had to give up.
#[derive(Debug, thiserror::Error)]
#[error("{network}: {reason}")]
pub struct TransportError {
    /// Which network.
    pub network: String,
    /// What the operator must know.
    pub reason: String,
}

/// The core could not take or read something.
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
