//! Playing an event again when another table's queue was faster with something that lies between tables.

use super::{Busy, Worker};
use chat::Event;
use journal::store::StoreError;
use table::Outcome;

/// How often an event is played at most. Each time some other queue got on, so rooms are in each other's way less often.
const MOST_TIMES: usize = 100;

impl Worker {
    /// Plays an event and says its posts if a `busy` guard is given. Returns the outcome of each line. If something that it
    /// relied on was changed before it could be written, nothing of it was, and it is played on what is true now.
    pub(super) async fn play(
        &mut self,
        event: &Event,
        waiting: Option<String>,
        busy: Option<&Busy>,
    ) -> Result<Vec<Outcome>, StoreError> {
        for _ in 0..MOST_TIMES {
            match self.try_to_play(event, waiting.clone(), busy).await {
                Err(StoreError::Overtaken) => self.give_up().await,
                played => return played,
            }
        }
        Err(StoreError::Unavailable("what it relies on changes again and again".to_owned()))
    }
}
