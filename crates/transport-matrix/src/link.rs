//! What the parts share while the bot is logged in.

use crate::lately::Lately;
use crate::session::Home;
use crate::{Randomness, Settings};
use chat::{Clock, Delivery, Desk, DeskError, RoomId};
use jiff::Timestamp;
use matrix_sdk::Client;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

/// Events that are remembered, so that answers to them need not be looked up.
const REMEMBERED: usize = 10_000;

/// How long it may take to say who the bot is.
const PATIENCE: Duration = Duration::from_secs(30);

/// The account, logged in, with the core behind it.
pub(crate) struct Link {
    pub network: String,
    pub settings: Settings,
    pub client: Client,
    pub home: Home,
    /// Whoever runs the transport holds it: posts are still said when nobody listens any more.
    pub desk: Weak<dyn Desk>,
    pub clock: Arc<dyn Clock>,
    pub randomness: Randomness,
    pub trail: Trail,
    pub lately: Lately,
}

impl Link {
    pub fn room_id(&self, room: &matrix_sdk::ruma::RoomId) -> RoomId {
        RoomId::new(&self.network, room.as_str())
    }

    /// What was noted under this name; nothing if the store cannot be read, which is logged.
    pub fn note(&self, name: &str) -> Option<String> {
        let noted = self.desk.upgrade().map_or_else(|| Err(stopping()), |desk| desk.note(name));
        noted.unwrap_or_else(|DeskError(error)| {
            tracing::error!(network = self.network, name, error, "a note cannot be read");
            None
        })
    }

    /// Hands something to the core.
    ///
    /// # Errors
    /// It was not taken.
    pub async fn accept(&self, delivery: Delivery) -> Result<(), DeskError> {
        self.desk.upgrade().ok_or_else(stopping)?.accept(delivery).await
    }

    /// Whether the homeserver answers at all. If it does, what fails is the matter of one room.
    pub async fn is_up(&self) -> bool {
        matches!(tokio::time::timeout(PATIENCE, self.client.whoami()).await, Ok(Ok(_)))
    }

    /// Notes something apart from any event. Whether it was written is logged.
    pub async fn keep(&self, name: String, note: Option<String>) {
        let delivery = Delivery { events: Vec::new(), notes: BTreeMap::from([(name, note)]) };
        if let Err(error) = self.accept(delivery).await {
            tracing::error!(network = self.network, %error, "a note was not written");
        }
    }
}

fn stopping() -> DeskError {
    DeskError("the bot is stopping".to_owned())
}

/// Where an event stood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Step {
    /// The first event of its thread.
    pub thread: Option<String>,
    /// The event it is a new version of.
    pub original: Option<String>,
    /// The name its sender shows.
    pub shown: Option<String>,
    /// It was heard as it was said, for the first time: nothing can have been answered to it before.
    pub live: bool,
    /// The event says itself where it stood, in a part that only those with the key read.
    pub claimed: bool,
    /// Who sent it.
    pub sender: Option<String>,
}

/// The events that were heard lately.
#[derive(Default)]
pub(crate) struct Trail(Mutex<Steps>);

#[derive(Default)]
struct Steps {
    by_event: BTreeMap<String, Step>,
    order: VecDeque<String>,
    heard: Option<Timestamp>,
}

impl Trail {
    /// Remembers an event.
    pub fn remember(&self, event: &str, step: Step) {
        let mut steps = self.steps();
        if steps.by_event.insert(event.to_owned(), step).is_none() {
            steps.order.push_back(event.to_owned());
        }
        if steps.order.len() > REMEMBERED
            && let Some(oldest) = steps.order.pop_front()
        {
            steps.by_event.remove(&oldest);
        }
    }

    /// The homeserver has answered a sync.
    pub fn hear(&self, now: Timestamp) {
        self.steps().heard = Some(now);
    }

    /// When it last did.
    pub fn heard(&self) -> Option<Timestamp> {
        self.steps().heard
    }

    /// What is remembered of an event.
    pub fn of(&self, event: &str) -> Option<Step> {
        self.steps().by_event.get(event).cloned()
    }

    fn steps(&self) -> MutexGuard<'_, Steps> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
