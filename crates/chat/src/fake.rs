//! A network in memory, for tests: everything said can be looked at, and sending can be made to fail.

use crate::{Delivery, Desk, Event, Post, SendError, Sent, Transport, TransportError};
use async_trait::async_trait;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::mpsc;

/// A network in memory.
pub struct Fake {
    network: String,
    incoming: mpsc::UnboundedSender<Event>,
    listening: tokio::sync::Mutex<mpsc::UnboundedReceiver<Event>>,
    said: mpsc::UnboundedSender<Post>,
    heard: tokio::sync::Mutex<mpsc::UnboundedReceiver<Post>>,
    failures: Mutex<Vec<SendError>>,
    redelivers: bool,
}

impl Fake {
    /// A network of that name that delivers everything once.
    pub fn new(network: &str) -> Arc<Self> {
        Self::make(network, false)
    }

    /// A network of that name that delivers again what was not accepted.
    pub fn redelivering(network: &str) -> Arc<Self> {
        Self::make(network, true)
    }

    fn make(network: &str, redelivers: bool) -> Arc<Self> {
        let (incoming, listening) = mpsc::unbounded_channel();
        let (said, heard) = mpsc::unbounded_channel();
        Arc::new(Fake {
            network: network.to_owned(),
            incoming,
            listening: listening.into(),
            said,
            heard: heard.into(),
            failures: Mutex::default(),
            redelivers,
        })
    }

    /// Lets something happen in a room.
    pub fn happen(&self, event: Event) {
        self.incoming.send(event).expect("the fake network holds the other end");
    }

    /// The next post that was said, waiting for it a while.
    pub async fn hear(&self) -> Post {
        const WHILE: Duration = Duration::from_secs(30);
        let mut heard = self.heard.lock().await;
        let post = tokio::time::timeout(WHILE, heard.recv()).await.expect("nothing was said for long");
        post.expect("the fake network holds the other end")
    }

    /// The next sends fail in this way, the last one first.
    pub fn fail(&self, failures: Vec<SendError>) {
        *self.failures.lock().expect("nothing panics holding it") = failures;
    }

    /// How many of them are still to come.
    pub fn failures_left(&self) -> usize {
        self.failures.lock().expect("nothing panics holding it").len()
    }
}

#[async_trait]
impl Transport for Fake {
    fn network(&self) -> &str {
        &self.network
    }

    fn redelivers(&self) -> bool {
        self.redelivers
    }

    fn says_once(&self) -> bool {
        false
    }

    async fn run(&self, desk: Arc<dyn Desk>) -> Result<(), TransportError> {
        while let Some(event) = self.listening.lock().await.recv().await {
            let taken = desk.accept(Delivery::from(event)).await;
            taken.map_err(|error| TransportError { network: self.network.clone(), reason: error.to_string() })?;
        }
        Ok(())
    }

    async fn send(&self, post: &Post) -> Result<Sent, SendError> {
        if let Some(failure) = self.failures.lock().expect("nothing panics holding it").pop() {
            return Err(failure);
        }
        self.said.send(post.clone()).expect("the fake network holds the other end");
        Ok(Sent { id: Some(format!("said-{}", post.key)) })
    }
}
