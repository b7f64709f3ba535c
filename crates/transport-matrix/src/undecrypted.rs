//! Messages that came before their key. They are remembered across restarts and played when the key comes; if it takes
//! too long, the sender is told.

mod complaints;
mod kept;

use crate::authors::{self, Forged, Note};
use crate::gap::Missed;
use crate::link::Link;
use crate::outbox::Outbox;
use crate::{listen, outbox, standing};
use chat::{Block, Delivery, Post, RoomId, Span};
use complaints::Complaints;
use futures::StreamExt;
use jiff::SignedDuration;
use kept::{Kept, Waiting};
use matrix_sdk::Room;
use matrix_sdk::deserialized_responses::{TimelineEvent, TimelineEventKind};
use matrix_sdk::ruma::EventId;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

/// The note that stores them.
const NOTE: &str = "undecrypted";
/// A key that has not come after this long may never come.
const PATIENCE: SignedDuration = SignedDuration::from_secs(60);
/// How often to check whether somebody has waited too long.
const LOOK: Duration = Duration::from_secs(5);

/// The messages waiting for their keys.
pub(crate) struct Undecrypted {
    link: Arc<Link>,
    outbox: Arc<Outbox>,
    waiting: Mutex<Kept>,
    complaints: Mutex<Complaints>,
    forgeries: Mutex<Complaints>,
    added: Notify,
    changed: AtomicBool,
}

impl Undecrypted {
    /// Loads the messages from the note.
    pub fn new(link: Arc<Link>, outbox: Arc<Outbox>) -> Arc<Self> {
        let noted = link.note(NOTE).and_then(|note| serde_json::from_str(&note).ok());
        Arc::new(Undecrypted {
            link,
            outbox,
            waiting: Mutex::new(noted.unwrap_or_default()),
            complaints: Mutex::default(),
            forgeries: Mutex::default(),
            added: Notify::new(),
            changed: AtomicBool::new(false),
        })
    }

    /// Remembers an event that cannot be read yet; durable once the note of [`Undecrypted::note`] is stored.
    pub fn add(&self, room: &Room, event: &TimelineEvent) {
        let TimelineEventKind::UnableToDecrypt { utd_info, .. } = &event.kind else { return };
        let (Some(id), Some(session)) = (event.event_id(), &utd_info.session_id) else { return };
        let sender = event.sender().map(|sender| sender.to_string()).unwrap_or_default();
        tracing::debug!(network = self.link.network, room = %room.room_id(), event = %id, "a message waits for its key");
        self.waiting().add(Waiting {
            room: room.room_id().to_string(),
            event: id.to_string(),
            sender,
            session: session.clone(),
            since: self.link.clock.now(),
            told: false,
        });
        self.changed.store(true, Ordering::Release);
        self.added.notify_one();
    }

    /// The note to store.
    pub fn note(&self) -> (String, Option<String>) {
        let waiting = self.waiting();
        let text = || serde_json::to_string(&*waiting).expect("they have text keys");
        (NOTE.to_owned(), (!waiting.is_empty()).then(text))
    }

    /// True if some were added since the last call.
    pub fn take_changed(&self) -> bool {
        self.changed.swap(false, Ordering::AcqRel)
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.waiting().is_empty()
    }

    /// Plays messages as their keys come, for ever.
    pub async fn watch(self: Arc<Self>) {
        // The keys of messages from before a crash may be there already.
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
                    // More keys came than could be reported.
                    Some(Err(_)) => self.retry(|_| true).await,
                    None => return,
                },
                () = tokio::time::sleep(LOOK), if !self.is_empty() => self.tell().await,
                () = self.added.notified() => {}
            }
        }
    }

    /// Tries again to read the messages that `which` chooses.
    async fn retry(&self, which: impl Fn(&Waiting) -> bool) {
        let chosen: Vec<_> = self.waiting().iter().filter(|waiting| which(waiting)).cloned().collect();
        for waiting in chosen {
            let Some((event, note)) = self.read(&waiting).await else { continue };
            self.waiting().remove(&waiting.event);
            let notes = [self.note()].into_iter().chain(note).collect();
            let delivery = Delivery { events: event.into_iter().collect(), notes };
            if let Err(error) = self.link.accept(delivery).await {
                tracing::error!(network = self.link.network, %error, "what can be read at last is not heard");
                self.waiting().add(waiting);
            }
        }
    }

    /// The event of a message, if its key is there now, and the note that remembers it; `None` means that it is not.
    async fn read(&self, waiting: &Waiting) -> Option<(Option<chat::Event>, Option<Note>)> {
        let Ok(room) = outbox::room_of(&self.link, &waiting.room) else { return Some((None, None)) };
        let id = EventId::parse(&waiting.event).ok()?;
        let event = room.event(&id, None).await.ok().filter(|event| !event.kind.is_utd())?;
        let Some(sender) = event.sender() else { return Some((None, None)) };
        let link = &self.link;
        let note = match authors::check(link, &room, &event).await {
            Ok(note) => note,
            Err(forged) => {
                self.tell_forged(&room, &event, forged);
                return Some((None, None));
            }
        };
        let speaker = standing::speaker(&link.network, &link.settings, &room, &sender).await;
        Some((listen::message(link, &room, &event, speaker, listen::Reached::Afterwards).await, note))
    }

    /// Says that a message does not count, seldom. The log has each.
    pub fn tell_forged(&self, room: &Room, event: &TimelineEvent, forged: Forged) {
        let (Some(id), Some(sender), now) = (event.event_id(), event.sender(), self.link.clock.now()) else { return };
        let (network, room) = (&self.link.network, self.link.room_id(room.room_id()));
        let why = forged.name();
        tracing::warn!(network, %room, %sender, event = %id, why, "a message is not played");
        let mut told = self.forgeries.lock().unwrap_or_else(PoisonError::into_inner);
        if told.may(now, &room.id, sender.as_str()) {
            let key = format!("forged/{id}");
            self.say(Post { answers: Some(id.to_string()), ..Post::new(key, room, vec![line(forged.words())]) });
        }
    }

    /// Complains about keys that have not come for long: seldom, and to each sender once.
    async fn tell(&self) {
        let now = self.link.clock.now();
        let mut late = Vec::new();
        let mut changed = false;
        {
            let mut complaints = self.complaints.lock().unwrap_or_else(PoisonError::into_inner);
            let mut waiting = self.waiting();
            for waiting in waiting.iter_mut().filter(|waiting| !waiting.told) {
                if now.duration_since(waiting.since) > PATIENCE {
                    (waiting.told, changed) = (true, true);
                    if complaints.may(now, &waiting.room, &waiting.sender) {
                        late.push(waiting.clone());
                    }
                }
            }
        }
        if !changed {
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

    /// Says that not everything from the bot's absence was looked through.
    pub fn tell_missed(&self, room: &RoomId, up_to: &str, missed: Missed) {
        let words = match missed {
            Missed::TooMuch => format!(
                "I was away for long, and looked through the last {} messages here only: what was asked before that, \
                 please ask again.",
                self.link.settings.catch_up
            ),
            Missed::OutOfReach => {
                "I was away, and the homeserver does not give me all that was said here meanwhile. If \
                                   I did not answer you, please ask again."
                    .to_owned()
            }
        };
        self.say(Post::new(format!("bound/{up_to}"), room.clone(), vec![line(&words)]));
    }

    fn say(&self, post: Post) {
        // Not awaited: nothing depends on it being said.
        tokio::spawn(self.outbox.say(post));
    }

    fn waiting(&self) -> MutexGuard<'_, Kept> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn line(text: &str) -> Block {
    Block::Line(vec![Span::Text(text.to_owned())])
}
