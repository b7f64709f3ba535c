//! A network in memory, for tests: it redelivers nothing, and everything said can be looked at.

use crate::{Delivery, Desk, Event, Post, SendError, Sent, Transport, TransportError};
use async_trait::async_trait;
use std::sync::{Arc, Mutex};
use tokio::sync::mpsc;

/// A network in memory.
pub struct Fake {
    network: String,
    incoming: mpsc::UnboundedSender<Event>,
    listening: tokio::sync::Mutex<mpsc::UnboundedReceiver<Event>>,
    said: mpsc::UnboundedSender<Post>,
    heard: tokio::sync::Mutex<mpsc::UnboundedReceiver<Post>>,
    failures: Mutex<Vec<SendError>>,
}

impl Fake {
    /// A network of that name, nobody on it yet.
    pub fn new(network: &str) -> Arc<Self> {
        let (incoming, listening) = mpsc::unbounded_channel();
        let (said, heard) = mpsc::unbounded_channel();
        Arc::new(Fake {
            network: network.to_owned(),
            incoming,
            listening: listening.into(),
            said,
            heard: heard.into(),
            failures: Mutex::default(),
        })
    }

    /// Lets something happen in a room.
    pub fn happen(&self, event: Event) {
        self.incoming.send(event).expect("the fake network holds the other end");
    }

    /// The next post that was said, waiting for it.
    pub async fn hear(&self) -> Post {
        self.heard
            .lock()
            .await
            .recv()
            .await
            .expect("the fake network holds the other end")
    }

    /// The next sends fail in this way, the last one first.
    pub fn fail(&self, failures: Vec<SendError>) {
        *self.failures.lock().expect("nothing panics holding it") = failures;
    }
}

#[async_trait]
impl Transport for Fake {
    fn network(&self) -> &str {
        &self.network
    }

    fn redelivers(&self) -> bool {
        false
    }

    fn says_once(&self) -> bool {
        false
    }

    async fn run(&self, desk: Arc<dyn Desk>) -> Result<(), TransportError> {
        while let Some(event) = self.listening.lock().await.recv().await {
            let taken = desk.accept(Delivery::from(event)).await;
            taken.map_err(|error| TransportError {
                network: self.network.clone(),
                reason: error.to_string(),
            })?;
        }
        Ok(())
    }

    async fn send(&self, post: &Post) -> Result<Sent, SendError> {
        if let Some(failure) = self.failures.lock().expect("nothing panics holding it").pop() {
            return Err(failure);
        }
        self.said
            .send(post.clone())
            .expect("the fake network holds the other end");
        Ok(Sent {
            id: Some(format!("said-{}", post.key)),
        })
    }
}
