//! The boundary between the core and a network.

use crate::{Block, Delivery, File, Image, PlayerId, RoomId};
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

/// A network: it hands what is said to the desk, and says what it is given.
///
/// A transport knows no game, no role and no store. What it must remember over a restart goes with a
/// [`Delivery`] as a note and is read back from [`Desk::note`].
#[async_trait]
pub trait Transport: Send + Sync {
    /// The network's name, as the operator gave it: the first part of every room and player id.
    fn network(&self) -> &str;

    /// Whether the network delivers again what was not accepted. Then accepting and playing are two durable steps.
    fn redelivers(&self) -> bool;

    /// Whether saying a post twice under the same key shows it once. Then a doubtful post is repeated silently.
    fn says_once(&self) -> bool;

    /// Whether people can edit what they said there, and the bot its posts.
    fn edits(&self) -> bool {
        self.redelivers()
    }

    /// Listens until there is nothing more to hear, or for ever.
    ///
    /// # Errors
    /// What the operator must mend; troubles that pass are waited out inside.
    async fn run(&self, desk: Arc<dyn Desk>) -> Result<(), TransportError>;

    /// Says one post and returns once the network has it. Posts of a network are said one after another.
    ///
    /// # Errors
    /// [`SendError::Later`] to be asked again, [`SendError::Never`] if this post can never be said.
    async fn send(&self, post: &Post) -> Result<Sent, SendError>;
}

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

/// Something to say, once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Post {
    /// Names this post for ever: the same key is the same post.
    pub key: String,
    /// In which room, or out of which room if it is private.
    pub room: RoomId,
    /// To everybody there or to one.
    pub to: Recipient,
    /// The id of the message it answers, if it answers one.
    pub answers: Option<String>,
    /// The name of whom it answers: put in front where replies cannot be shown.
    pub addressee: Option<String>,
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
    /// The post that this one takes the place of: edited where the network can, else said as a correction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrects: Option<Earlier>,
    /// It may have been said before; a transport that cannot tell marks it.
    pub again: bool,
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
#[derive(Clone, Debug, thiserror::Error)]
pub enum SendError {
    /// Not now; after this time if the network named one.
    #[error("not now: {reason}")]
    Later {
        /// What the network said.
        reason: String,
        /// How long it asked to wait.
        wait: Option<Duration>,
    },
    /// Not ever.
    #[error("cannot be said: {0}")]
    Never(String),
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
