//! The state that the parts share while the bot is logged in.

use crate::authors::Copies;
use crate::health::Health;
use crate::joining::Awaited;
use crate::lately::Lately;
use crate::session::Home;
use crate::{Randomness, Settings};
use chat::{Clock, Delivery, Desk, DeskError, RoomId};
use jiff::Timestamp;
use matrix_sdk::Client;
use matrix_sdk::sync::SyncResponse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::broadcast;

/// The most events remembered, so that answers to them need no lookup.
const REMEMBERED: usize = 10_000;

/// How long asking for the bot's identity may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// The logged-in account, connected to the core.
pub(crate) struct Link {
    pub network: String,
    pub settings: Settings,
    pub client: Client,
    pub home: Home,
    /// Held by whoever runs the transport: posts are still said when nobody listens any more.
    pub desk: Weak<dyn Desk>,
    pub clock: Arc<dyn Clock>,
    pub randomness: Randomness,
    pub trail: Trail,
    pub lately: Lately,
    pub copies: Copies,
    /// Rooms whose board cannot be pinned.
    pub unpinned: Once,
    /// Rooms where the bot knocked.
    pub knocked: Once,
    pub health: Arc<Health>,
    /// The rooms that do not let the bot in.
    pub awaited: Awaited,
    /// What each sync brings, for whoever verifies the bot meanwhile.
    pub syncs: broadcast::Sender<Arc<SyncResponse>>,
}

impl Link {
    pub fn room_id(&self, room: &matrix_sdk::ruma::RoomId) -> RoomId {
        RoomId::new(&self.network, room.as_str())
    }

    /// The note with this name; `None` if the store cannot be read, which is logged.
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
    /// It was not accepted.
    pub async fn accept(&self, delivery: Delivery) -> Result<(), DeskError> {
        self.desk.upgrade().ok_or_else(stopping)?.accept(delivery).await
    }

    /// Lets others hear what a sync brought, if anybody listens.
    pub fn pass_on(&self, response: &SyncResponse) {
        if self.syncs.receiver_count() > 0 {
            // They may have gone since.
            let _ = self.syncs.send(Arc::new(response.clone()));
        }
    }

    /// True if the homeserver answers at all; then a failure concerns only one room.
    pub async fn is_up(&self) -> bool {
        matches!(tokio::time::timeout(PATIENCE, self.client.whoami()).await, Ok(Ok(_)))
    }

    /// Stores a note apart from any event. A failure is logged.
    pub async fn keep(&self, name: String, note: Option<String>) {
        let delivery = Delivery { events: Vec::new(), notes: BTreeMap::from([(name, note)]) };
        if let Err(error) = self.accept(delivery).await {
            tracing::error!(network = self.network, %error, "a note was not written");
        }
    }
}

/// Names of what happened already.
#[derive(Default)]
pub(crate) struct Once(Mutex<BTreeSet<String>>);

impl Once {
    /// Adds a name. Returns true if it is new.
    pub fn insert(&self, name: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned())
    }

    pub fn contains(&self, name: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(name)
    }
}

fn stopping() -> DeskError {
    DeskError("the bot is stopping".to_owned())
}

/// The context of an event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Step {
    /// The first event of its thread.
    pub thread: Option<String>,
    /// The event of which it is a new version.
    pub original: Option<String>,
    /// The name its sender shows.
    pub shown: Option<String>,
    /// True if it was heard live and for the first time, so nothing can have been answered to it before.
    pub live: bool,
    /// True if only the encrypted part of the event gives this context.
    pub claimed: bool,
    /// The sender.
    pub sender: Option<String>,
}

/// The events heard lately.
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

    /// Notes that the homeserver answered a sync.
    pub fn hear(&self, now: Timestamp) {
        self.steps().heard = Some(now);
    }

    /// When it last answered one.
    pub fn heard(&self) -> Option<Timestamp> {
        self.steps().heard
    }

    /// The remembered context of an event.
    pub fn of(&self, event: &str) -> Option<Step> {
        self.steps().by_event.get(event).cloned()
    }

    fn steps(&self) -> MutexGuard<'_, Steps> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
