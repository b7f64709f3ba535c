//! What happens to networks while the bot runs: they come, go, and give up. Does not know how.

use chat::Transport;
use jiff::Timestamp;
use journal::store::StoreError;
use std::sync::Arc;
use tokio::sync::oneshot;

/// A network that comes or goes, and who wants to know when that is done.
pub(super) enum Change {
    /// It comes, in place of one with the same name.
    Come(Arc<dyn Transport>, Done),
    /// It goes.
    Go(String, Done),
}

/// Told the result of a change.
pub(super) type Done = oneshot::Sender<Result<(), StoreError>>;

/// A network that gave up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GaveUp {
    /// What the operator needs to know.
    pub reason: String,
    /// When it is tried again.
    pub again: Timestamp,
}
