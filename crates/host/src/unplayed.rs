//! Why a command line was not played.

use journal::store::StoreError;
use plugin_api::Refusal;

/// Why a command line was not played.
#[derive(Debug)]
pub enum Unplayed {
    /// Not for this bot: nothing is said.
    Silent,
    /// Refused: the player is told.
    Refused(Refusal),
    /// The store cannot be read.
    Store(StoreError),
}

impl From<Refusal> for Unplayed {
    fn from(refusal: Refusal) -> Self {
        Unplayed::Refused(refusal)
    }
}

impl From<StoreError> for Unplayed {
    fn from(error: StoreError) -> Self {
        Unplayed::Store(error)
    }
}
