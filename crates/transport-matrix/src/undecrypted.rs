//! Messages that came before their key: remembered over restarts, played when the key comes, and after a while of waiting
//! somebody is told.

use crate::link::Link;
use crate::outbox::Outbox;
use crate::{listen, outbox, standing};
use chat::{Block, Delivery, Post, RoomId, Span};
use futures_util::StreamExt;
use jiff::{SignedDuration, Timestamp};
use matrix_sdk::Room;
use matrix_sdk::deserialized_responses::{TimelineEvent, TimelineEventKind};
use matrix_sdk::ruma::EventId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

/// The note that names them.
const NOTE: &str = "undecrypted";
/// So many are remembered; the oldest go first.
const MOST: usize = 500;
/// A key that has not come after this long may never come.
const PATIENCE: SignedDuration = SignedDuration::from_secs(60);
/// How often it is looked whether somebody waits too long.
const LOOK: Duration = Duration::from_secs(5);

/// A message that waits for its key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Waiting {
    room: String,
    event: String,
    /// The key that it waits for.
    session: String,
    /// When it was heard.
    since: Timestamp,
    /// Somebody was told.
    told: bool,
}

/// The messages that wait for their keys.
pub(crate) struct Undecrypted {
    link: Arc<Link>,
    outbox: Arc<Outbox>,
    waiting: Mutex<Vec<Waiting>>,
    added: Notify,
    changed: AtomicBool,
}

impl Undecrypted {
    /// Those that were noted.
    pub fn new(link: Arc<Link>, outbox: Arc<Outbox>) -> Arc<Self> {
        let noted = link.note(NOTE).and_then(|note| serde_json::from_str(&note).ok());
        Arc::new(Undecrypted {
            link,
            outbox,
            waiting: Mutex::new(noted.unwrap_or_default()),
            added: Notify::new(),
            changed: AtomicBool::new(false),
        })
    }

    /// Remembers an event that cannot be read yet; durably so with the note of [`Undecrypted::note`].
    pub fn add(&self, room: &Room, event: &TimelineEvent) {
        let TimelineEventKind::UnableToDecrypt { utd_info, .. } = &event.kind else { return };
        let (Some(id), Some(session)) = (event.event_id(), &utd_info.session_id) else { return };
        let mut waiting = self.waiting();
        if waiting.iter().any(|waiting| waiting.event == id.as_str()) {
            return;
        }
        tracing::info!(network = self.link.network, room = %room.room_id(), event = %id, "a message waits for its key");
        waiting.push(Waiting {
            room: room.room_id().to_string(),
            event: id.to_string(),
            session: session.clone(),
            since: self.link.clock.now(),
            told: false,
        });
        if waiting.len() > MOST {
            waiting.remove(0);
        }
        self.changed.store(true, Ordering::Release);
        self.added.notify_one();
    }

    /// What is to be noted of them.
    pub fn note(&self) -> (String, Option<String>) {
        let waiting = self.waiting();
        let text = || serde_json::to_string(&*waiting).expect("they have text keys");
        (NOTE.to_owned(), (!waiting.is_empty()).then(text))
    }

    /// Whether some were added since this was last asked.
    pub fn take_changed(&self) -> bool {
        self.changed.swap(false, Ordering::AcqRel)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.waiting().is_empty()
    }

    /// Plays what can be read, as keys come, for ever.
    pub async fn watch(self: Arc<Self>) {
        // What came before a crash may have its key already.
        self.retry(|_| true).await;
        let Some(keys) = self.link.client.encryption().room_keys_received_stream().await else { return };
        let mut keys = std::pin::pin!(keys);
        loop {
            tokio::select! {
                key = keys.next() => match key {
                    Some(Ok(keys)) => {
                        let came = |waiting: &Waiting| keys.iter().any(|key| key.session_id == waiting.session);
                        self.retry(came).await;
                    }
                    // More keys came than could be told.
                    Some(Err(_)) => self.retry(|_| true).await,
                    None => return,
                },
                () = tokio::time::sleep(LOOK), if !self.is_empty() => self.tell().await,
                () = self.added.notified() => {}
            }
        }
    }

    /// Tries once more to read those that `which` chooses.
    async fn retry(&self, which: impl Fn(&Waiting) -> bool) {
        let chosen: Vec<_> = self.waiting().iter().filter(|waiting| which(waiting)).cloned().collect();
        for waiting in chosen {
            let Some(event) = self.read(&waiting).await else { continue };
            self.waiting().retain(|other| other.event != waiting.event);
            let delivery = Delivery { events: event.into_iter().collect(), notes: BTreeMap::from([self.note()]) };
            if let Err(error) = self.link.accept(delivery).await {
                tracing::error!(network = self.link.network, %error, "what can be read at last is not heard");
                self.waiting().push(waiting);
            }
        }
    }

    /// What an event says, now that its key may be there. Nothing while it is not.
    async fn read(&self, waiting: &Waiting) -> Option<Option<chat::Event>> {
        let Ok(room) = outbox::room_of(&self.link, &waiting.room) else { return Some(None) };
        let id = EventId::parse(&waiting.event).ok()?;
        let event = room.event(&id, None).await.ok().filter(|event| !event.kind.is_utd())?;
        let Some(sender) = event.sender() else { return Some(None) };
        let link = &self.link;
        let speaker = standing::speaker(&link.network, &link.settings, &room, &sender).await;
        Some(listen::message(link, &room, &link.room_id(room.room_id()), &event, speaker, true).await)
    }

    /// Says once of each key that has not come for long that it is missed.
    async fn tell(&self) {
        let now = self.link.clock.now();
        let mut late = Vec::new();
        {
            let mut waiting = self.waiting();
            let sessions: Vec<String> =
                waiting.iter().filter(|waiting| waiting.told).map(|waiting| waiting.session.clone()).collect();
            for waiting in waiting.iter_mut().filter(|waiting| !waiting.told) {
                if now.duration_since(waiting.since) > PATIENCE {
                    waiting.told = true;
                    let first = |late: &Waiting| late.session == waiting.session;
                    if !sessions.contains(&waiting.session) && !late.iter().any(first) {
                        late.push(waiting.clone());
                    }
                }
            }
        }
        if late.is_empty() {
            return;
        }
        let (name, note) = self.note();
        self.link.keep(name, note).await;
        for waiting in late {
            let words = "I cannot read this: I was not given the key. If it was for me, please say it again. If that \
                         happens every time, your app may be set to trust verified devices only.";
            let room = RoomId::new(&self.link.network, &waiting.room);
            let key = format!("undecrypted/{}", waiting.session);
            self.say(Post { answers: Some(waiting.event), ..Post::new(key, room, vec![line(words)]) });
        }
    }

    /// Says that not everything was looked through that came while the bot was away.
    pub fn tell_bound(&self, room: &RoomId, up_to: &str) {
        let words = format!(
            "I was away for long, and looked through the last {} messages here only: what was asked before that, please \
             ask again.",
            self.link.settings.catch_up
        );
        self.say(Post::new(format!("bound/{up_to}"), room.clone(), vec![line(&words)]));
    }

    fn say(&self, post: Post) {
        // Nobody waits for it: what it says is true without having been said.
        tokio::spawn(self.outbox.say(post));
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn line(text: &str) -> Block {
    Block::Line(vec![Span::Text(text.to_owned())])
}
