//! A network that reports its progress, so that a test can go on the moment an answer is complete.

use async_trait::async_trait;
use chat::{Clock, Delivery, Desk, DeskError, Event, Guarantees, Post, Saying, Transport, TransportError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// Watches a network and passes everything on unchanged.
pub struct Watched {
    network: Arc<dyn Transport>,
    done: Arc<watch::Sender<Done>>,
    posts: Mutex<Vec<Post>>,
    clock: Option<Arc<dyn Clock>>,
}

/// What has been played and answered, with the answers confirmed by the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Rooms the bot has joined.
    pub arrived: usize,
    /// Lines said or edited.
    pub said: usize,
}

impl Watched {
    /// This network.
    pub fn new(network: Arc<dyn Transport>) -> Self {
        Watched { network, done: Arc::default(), posts: Mutex::default(), clock: None }
    }

    /// This network, with every message dated by this clock.
    pub fn by_the_clock(network: Arc<dyn Transport>, clock: Arc<dyn Clock>) -> Self {
        Watched { clock: Some(clock), ..Self::new(network) }
    }

    /// The progress so far.
    pub fn done(&self) -> Done {
        *self.done.borrow()
    }

    /// Waits until the progress is enough. True if that was in time.
    pub async fn until(&self, enough: impl FnMut(&Done) -> bool) -> bool {
        let mut done = self.done.subscribe();
        // This value holds the sender, so waiting cannot fail.
        tokio::time::timeout(PATIENCE, done.wait_for(enough)).await.is_ok()
    }

    /// The bot's posts since the last call.
    pub fn posts(&self) -> Vec<Post> {
        std::mem::take(&mut *self.posts.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[async_trait]
impl Transport for Watched {
    fn network(&self) -> &str {
        self.network.network()
    }

    fn guarantees(&self) -> Guarantees {
        self.network.guarantees()
    }

    async fn run(&self, desk: Arc<dyn Desk>) -> Result<(), TransportError> {
        self.network.run(Arc::new(WatchedDesk { desk, done: self.done.clone(), clock: self.clock.clone() })).await
    }

    fn send(&self, post: Post) -> Saying {
        self.posts.lock().unwrap_or_else(PoisonError::into_inner).push(post.clone());
        self.network.send(post)
    }

    async fn ready(&self) {
        self.network.ready().await;
    }

    async fn close(&self) {
        self.network.close().await;
    }
}

struct WatchedDesk {
    desk: Arc<dyn Desk>,
    done: Arc<watch::Sender<Done>>,
    clock: Option<Arc<dyn Clock>>,
}

#[async_trait]
impl Desk for WatchedDesk {
    async fn accept(&self, mut delivery: Delivery) -> Result<(), DeskError> {
        if let Some(clock) = &self.clock {
            for event in &mut delivery.events {
                if let Event::Said(message) | Event::Edited { message, .. } = event {
                    (message.sent, message.unlimited) = (clock.now(), false);
                }
            }
        }
        let count = |what: fn(&Event) -> bool| delivery.events.iter().filter(|event| what(event)).count();
        let arrived = count(|event| matches!(event, Event::Arrived { .. }));
        let said = count(|event| matches!(event, Event::Said(_) | Event::Edited { .. }));
        self.desk.accept(delivery).await?;
        // A network that stores a note while it says a post would wait for itself.
        if arrived + said > 0 {
            self.desk.settle().await;
        }
        self.done.send_modify(|done| {
            done.arrived += arrived;
            done.said += said;
        });
        Ok(())
    }

    async fn settle(&self) {
        self.desk.settle().await;
    }

    fn note(&self, key: &str) -> Result<Option<String>, DeskError> {
        self.desk.note(key)
    }
}
