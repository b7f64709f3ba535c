//! What a connection is asked to do: by who speaks through it, and by the operator.

use crate::outbox::Said;
use chat::{Post, Status};
use tokio::sync::oneshot;

/// What a connection is asked to do.
pub enum Order {
    /// Say this.
    Say(Box<Post>, Said),
    /// Do what the operator asks for.
    Ask(Ask),
    /// Say what can be said, and leave.
    Close(oneshot::Sender<()>),
}

/// What an operator asks of a connection. Whoever asked may have stopped waiting.
pub enum Ask {
    /// How it is.
    Status(oneshot::Sender<Status>),
    /// Come into a channel.
    Join(String, oneshot::Sender<Result<String, String>>),
    /// Leave one.
    Leave(String, oneshot::Sender<Result<(), String>>),
}

impl Ask {
    /// There is no connection.
    pub fn refuse(self) {
        let why = || "there is no connection now".to_owned();
        match self {
            Ask::Status(asked) => drop(asked.send(Status::default())),
            Ask::Join(_, asked) => drop(asked.send(Err(why()))),
            Ask::Leave(_, asked) => drop(asked.send(Err(why()))),
        }
    }
}
