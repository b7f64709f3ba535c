//! The bot's side of a network: a transport for one run of the bot.

use super::{Kind, Listening, Net, Sending};
use async_trait::async_trait;
use chat::{
    Delivery, Desk, Event, Guarantees, Post, Repeated, Saying, SendError, Sent, Transport, TransportError, Trust,
};
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};

/// The network's answer about a post, and who waits for it.
#[derive(Default)]
pub struct Answer {
    result: Option<Result<Sent, SendError>>,
    waker: Option<Waker>,
}

/// Gives the answer.
pub fn answer(answer: &Mutex<Answer>, result: Result<Sent, SendError>) {
    let mut answer = answer.lock().expect("nothing panics holding it");
    answer.result = Some(result);
    answer.waker.take().into_iter().for_each(Waker::wake);
}

/// The name of the note with the connection's place.
const SINCE: &str = "since";

/// A connection to a network, from this machine.
pub struct Link(pub Arc<Net>, pub usize);

impl Link {
    /// Starts listening from where the kind of network allows.
    async fn connect(&self, desk: &Arc<dyn Desk>) {
        let since = desk.note(SINCE).ok().flatten().and_then(|since| since.parse().ok());
        let at = {
            let mut inner = self.0.inner();
            let end = inner.timeline.len();
            inner.desk = Some(desk.clone());
            let at = match self.0.kind {
                Kind::Matrix | Kind::Doubtful => since.unwrap_or(0),
                Kind::Irc => end,
                Kind::History => inner.known.saturating_sub(4),
            };
            (inner.away, inner.machine, inner.listening) = (end, self.1, Listening::No);
            (inner.at, inner.known) = (at, inner.known.max(at));
            at
        };
        self.0.log.note(format!("{} is connected, from {at}", self.0.name));
        let present = self.0.members.iter().flat_map(|(room, members)| {
            members.iter().map(|(player, name)| Event::Present {
                room: room.clone(),
                player: player.clone(),
                name: name.clone(),
                trust: Trust::Account,
            })
        });
        // Each connection reports again who is there; it does not matter if that is not accepted.
        let _ = desk.accept(Delivery { events: present.collect(), notes: BTreeMap::new() }).await;
    }

    /// The part of the timeline to hand over next.
    async fn next(&self) -> (usize, usize) {
        poll_fn(|context| {
            let mut inner = self.0.inner();
            if inner.machine != self.1 {
                return Poll::Pending;
            }
            if let Listening::May(from, to) = inner.listening {
                inner.listening = Listening::No;
                return Poll::Ready((from, to));
            }
            inner.listening = Listening::Waits(context.waker().clone());
            Poll::Pending
        })
        .await
    }

    fn delivery(&self, from: usize, to: usize) -> Delivery {
        let inner = self.0.inner();
        let mut events = inner.timeline[from..to].to_vec();
        for (place, event) in (from..).zip(&mut events) {
            let late = place < inner.away;
            event.message_mut().into_iter().for_each(|message| {
                message.late = late;
                message.comes_again = self.0.kind == Kind::History;
            });
        }
        let since = (self.0.kind.loses_nothing()).then(|| (SINCE.to_owned(), Some(to.max(inner.at).to_string())));
        Delivery { events, notes: since.into_iter().collect() }
    }
}

#[async_trait]
impl Transport for Link {
    fn network(&self) -> &str {
        &self.0.name
    }

    fn guarantees(&self) -> Guarantees {
        self.0.kind.guarantees()
    }

    async fn run(&self, desk: Arc<dyn Desk>) -> Result<(), TransportError> {
        self.connect(&desk).await;
        loop {
            let (from, to) = self.next().await;
            self.0.log.note(format!("{} delivers {from}..{to}", self.0.name));
            let accepted = desk.accept(self.delivery(from, to)).await;
            let mut inner = self.0.inner();
            match accepted {
                Ok(()) => inner.accepted.extend(from..to),
                Err(error) => {
                    self.0.log.note(format!("{}: {from}..{to} is not accepted: {error}", self.0.name));
                    if self.0.kind.loses_nothing() {
                        continue;
                    }
                }
            }
            inner.at = inner.at.max(to);
        }
    }

    fn send(&self, post: Post) -> Saying {
        let answer = Arc::<Mutex<Answer>>::default();
        let sending = Sending { post: post.clone(), said: None, answer: answer.clone() };
        self.0.inner().sending.entry((self.1, post.room)).or_default().push_back(sending);
        Box::pin(poll_fn(move |context| {
            let mut answer = answer.lock().expect("nothing panics holding it");
            match answer.result.take() {
                Some(result) => Poll::Ready(result),
                None => {
                    answer.waker = Some(context.waker().clone());
                    Poll::Pending
                }
            }
        }))
    }

    async fn close(&self) {
        let sending = self.0.inner().taken(self.1);
        for each in sending.into_iter().flatten() {
            // A post without an answer stays in doubt, if repeating it would be visible.
            let may_repeat = self.guarantees().repeated == Repeated::Twice && !each.post.again;
            let known = each.said.filter(|_| !may_repeat);
            answer(&each.answer, known.unwrap_or(Err(SendError::Unsaid)));
        }
        self.0.inner().disconnect(self.1);
    }
}
