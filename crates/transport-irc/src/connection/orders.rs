//! Orders to a connection, from the transport's posts and from the operator.

use crate::outbox::Said;
use crate::settings::Settings;
use chat::{Post, Status};
use std::sync::Arc;
use tokio::sync::oneshot;

/// An order to a connection.
pub enum Order {
    /// Say this.
    Say(Box<Post>, Said),
    /// Do what the operator asks.
    Ask(Ask),
    /// Go by these settings, which need no new connection.
    Adopt(Arc<Settings>),
    /// Say what can be said, and leave.
    Close(oneshot::Sender<()>),
}

/// A request of the operator. The receiver of the answer may have stopped waiting.
pub enum Ask {
    /// Report the state of the connection.
    Status(oneshot::Sender<Status>),
    /// Join a channel.
    Join(String, oneshot::Sender<Result<String, String>>),
    /// Leave a channel.
    Leave(String, oneshot::Sender<Result<(), String>>),
}

impl Ask {
    /// Answers that there is no connection, and how that is.
    pub fn refuse(self, status: &Status) {
        let why = || "the bot is not connected there now: astragal ctl status says why".to_owned();
        match self {
            Ask::Status(asked) => drop(asked.send(status.clone())),
            Ask::Join(_, asked) => drop(asked.send(Err(why()))),
            Ask::Leave(_, asked) => drop(asked.send(Err(why()))),
        }
    }
}
