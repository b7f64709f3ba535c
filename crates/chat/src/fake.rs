//! A network in memory, for tests: every post can be inspected, and sending can be made to fail.

use crate::{
    Delivery, Desk, Edits, Event, Guarantees, Post, Saying, SendError, Sent, Transport, TransportError, Unaccepted,
};
use async_trait::async_trait;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{mpsc, watch};

/// A network in memory.
pub struct Fake {
    network: String,
    incoming: mpsc::UnboundedSender<Delivery>,
    listening: tokio::sync::Mutex<mpsc::UnboundedReceiver<Delivery>>,
    said: mpsc::UnboundedSender<Post>,
    heard: tokio::sync::Mutex<mpsc::UnboundedReceiver<Post>>,
    failure: Mutex<Option<SendError>>,
    down: AtomicBool,
    kept: AtomicUsize,
    closed: watch::Sender<bool>,
    guarantees: Guarantees,
}

impl Fake {
    /// A network with this name that delivers everything once.
    pub fn new(network: &str) -> Arc<Self> {
        Self::make(network, Guarantees::default())
    }

    /// A network with this name that redelivers what was not accepted.
    pub fn redelivering(network: &str) -> Arc<Self> {
        let guarantees = Guarantees { unaccepted: Unaccepted::ComeAgain, edits: Edits::Shown, ..Guarantees::default() };
        Self::make(network, guarantees)
    }

    fn make(network: &str, guarantees: Guarantees) -> Arc<Self> {
        let (incoming, listening) = mpsc::unbounded_channel();
        let (said, heard) = mpsc::unbounded_channel();
        Arc::new(Fake {
            network: network.to_owned(),
            incoming,
            listening: listening.into(),
            said,
            heard: heard.into(),
            failure: Mutex::default(),
            down: AtomicBool::new(false),
            kept: AtomicUsize::new(0),
            closed: watch::Sender::new(false),
            guarantees,
        })
    }

    /// Makes something happen in a room.
    pub fn happen(&self, event: Event) {
        self.deliver(vec![event]);
    }

    /// Makes several things happen, which are delivered together.
    pub fn deliver(&self, events: Vec<Event>) {
        let delivery = Delivery { events, ..Delivery::default() };
        self.incoming.send(delivery).expect("the fake network holds the other end");
    }

    /// Waits a while for the next post and returns it.
    pub async fn hear(&self) -> Post {
        const WHILE: Duration = Duration::from_secs(30);
        let mut heard = self.heard.lock().await;
        let post = tokio::time::timeout(WHILE, heard.recv()).await.expect("nothing was said for long");
        post.expect("the fake network holds the other end")
    }

    /// Makes the next post fail for this reason.
    pub fn fail(&self, reason: &str) {
        *self.failure.lock().expect("nothing panics holding it") = Some(SendError::Never(reason.to_owned()));
    }

    /// From now on posts are taken but never said.
    pub fn go_down(&self) {
        self.down.store(true, Ordering::SeqCst);
    }

    /// From now on posts are said again, except those already taken.
    pub fn come_back(&self) {
        self.down.store(false, Ordering::SeqCst);
    }

    /// The number of posts that were taken but not said.
    pub fn kept(&self) -> usize {
        self.kept.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Transport for Fake {
    fn network(&self) -> &str {
        &self.network
    }

    fn guarantees(&self) -> Guarantees {
        self.guarantees
    }

    async fn run(&self, desk: Arc<dyn Desk>) -> Result<(), TransportError> {
        while let Some(delivery) = self.listening.lock().await.recv().await {
            let taken = desk.accept(delivery).await;
            taken.map_err(|error| TransportError { network: self.network.clone(), reason: error.to_string() })?;
        }
        Ok(())
    }

    fn send(&self, post: Post) -> Saying {
        if let Some(failure) = self.failure.lock().expect("nothing panics holding it").take() {
            return Box::pin(async { Err(failure) });
        }
        if self.down.load(Ordering::SeqCst) {
            self.kept.fetch_add(1, Ordering::SeqCst);
            let mut closed = self.closed.subscribe();
            return Box::pin(async move {
                // Closed or gone altogether, it ends either way.
                let _ = closed.wait_for(|closed| *closed).await;
                Err(SendError::Unsaid)
            });
        }
        let sent = Sent { id: Some(format!("said-{}", post.key)) };
        self.said.send(post).expect("the fake network holds the other end");
        Box::pin(async { Ok(sent) })
    }

    async fn close(&self) {
        self.closed.send_replace(true);
    }
}
