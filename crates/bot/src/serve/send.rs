//! Saying posts: hands them to the network in order and marks them as said when it has them.

use super::Busy;
use super::survive::survive;
use crate::bot::Bot;
use crate::metric;
use crate::pace::Step;
use chat::{Earlier, Edits, Permit, Post, Repeated, SendError, Sent, Transport, What};
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use journal::documents::{from_json, to_json};
use journal::keys::{self, TableId};
use journal::store::{Batch, Lease, StoreError};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::future::ready;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use table::Outgoing;
use tokio::sync::{Mutex, mpsc, watch};

/// How long to wait before trying again what an earlier run left, if the disk fails.
const PAUSE: Duration = Duration::from_secs(1);

/// What comes to a sender.
pub(crate) enum ToSay {
    /// A post.
    Post(Box<Outgoing>, Busy),
    /// The words of these entries of a table are erased: no post that waits may hold them any more.
    Erased(TableId, Arc<[u64]>),
}

/// A post that waits until the one that it is about is said.
type Waiting = (Outgoing, Busy);
/// The posts handed to the network, by number, with their outcomes.
type Saying = FuturesUnordered<Pin<Box<dyn Future<Output = (u64, Result<Sent, SendError>)> + Send>>>;

/// The channel to a sender.
type Posts = mpsc::UnboundedReceiver<ToSay>;

/// Says the posts of a network until no more can come, then leaves it. First come those `left` by an earlier run, which
/// may have said them. If saying one panics, the others are still said; those already handed over are repeated after
/// the next start.
pub(super) async fn say_always(
    bot: Arc<Bot>,
    transport: Arc<dyn Transport>,
    left: Vec<Waiting>,
    posts: Posts,
    closing: watch::Receiver<bool>,
) {
    let what = format!("the sender of {}", transport.network());
    let (mut left, posts) = (Some(left), Arc::new(Mutex::new(posts)));
    let say = || {
        let left = left.take().unwrap_or_default();
        say_all(bot.clone(), transport.clone(), left, posts.clone(), closing.clone())
    };
    survive(&what, say).await;
}

async fn say_all(
    bot: Arc<Bot>,
    transport: Arc<dyn Transport>,
    left: Vec<Waiting>,
    posts: Arc<Mutex<Posts>>,
    mut closing: watch::Receiver<bool>,
) {
    let mut posts = posts.lock().await;
    let mut sayer = Sayer::new(&bot, &*transport, left);
    if !sayer.left.is_empty() {
        if sayer.until_ready(&mut posts, &mut closing).await.is_err() {
            return transport.close().await;
        }
        sayer.say_left().await;
    }
    let mut later = (!sayer.left.is_empty()).then(|| bot.pace.sleep(PAUSE));
    loop {
        tokio::select! {
            biased;
            Some((number, said)) = sayer.saying.next() => {
                bot.at(Step::Said).await;
                sayer.finish(number, said);
            }
            next = posts.recv() => match next {
                Some(next) => {
                    bot.at(Step::Say).await;
                    sayer.take(next);
                }
                None => break,
            },
            // At the end they stay for the next start.
            () = async { drop(closing.wait_for(|closing| *closing).await) }, if later.is_some() => {
                (later, sayer.left) = (None, Vec::new());
            }
            () = async { if let Some(later) = &mut later { later.await } }, if later.is_some() => {
                sayer.say_left().await;
                later = (!sayer.left.is_empty()).then(|| bot.pace.sleep(PAUSE));
            }
        }
    }
    sayer.left.clear();
    let rest = async {
        while let Some((number, said)) = sayer.saying.next().await {
            sayer.finish(number, said);
        }
    };
    tokio::join!(transport.close(), rest);
}

/// Picks the posts of an earlier run to say now. Where that may show a post twice, it is marked as repeated, and that
/// is stored first: a post already repeated is not said a third time.
async fn repeated(bot: &Bot, transport: &dyn Transport, left: &[Waiting]) -> Result<Vec<Waiting>, StoreError> {
    if transport.guarantees().repeated == Repeated::Once {
        return Ok(left.to_vec());
    }
    let mut batch = Batch::default();
    let mut once_more = Vec::new();
    for (mut outgoing, busy) in left.iter().cloned() {
        if outgoing.post.again {
            tracing::warn!(post = outgoing.post.key, "an answer was repeated already and may not have arrived");
            batch.delete(outgoing.key);
            continue;
        }
        outgoing.post.again = true;
        batch.put(outgoing.key.clone(), to_json(&outgoing));
        once_more.push((outgoing, busy));
    }
    let stopped = || StoreError::Unavailable("the bot is stopping".to_owned());
    bot.host().committer().submit(None, batch).await.map_err(|_| stopped())??;
    Ok(once_more)
}

/// Makes posts forget what was erased, and returns the writes that make the store forget it.
pub(super) fn forgetting<'a>(
    waiting: impl Iterator<Item = &'a mut Outgoing>,
    mut forgets: impl FnMut(&mut Outgoing) -> bool,
) -> Batch {
    let mut batch = Batch::default();
    for outgoing in waiting {
        if forgets(outgoing) && !outgoing.key.is_empty() {
            batch.put(outgoing.key.clone(), to_json(outgoing));
        }
    }
    batch
}

/// Fills in the id of the earlier post, said meanwhile, that a correction or withdrawal is about.
fn with_earlier(bot: &Bot, mut post: Post) -> Post {
    if let What::Correct(earlier) | What::Withdraw(earlier) = &mut post.what {
        let key = keys::answer(&earlier.key);
        match bot.host().committer().read(&key).and_then(|id| id.map(|id| from_json(&key, &id)).transpose()) {
            Ok(id) => earlier.id = id,
            Err(error) => tracing::error!(%error, "an answer cannot be edited and is sent again"),
        }
    }
    post
}

/// The key of the post that a post is about, or its own key.
fn subject(post: &Post) -> String {
    post.is_about().map_or(&post.key, |earlier| &earlier.key).clone()
}

/// The bot stops.
struct Stopped;

/// What is asked before anything is said, if another bot may have the store some day.
fn permit(bot: &Bot) -> Permit {
    let host = bot.host();
    match host.committer().lease() {
        Lease::Own => Permit::default(),
        _ => Permit::while_true(move || host.committer().lease() == Lease::Held),
    }
}

/// Hands posts to the network.
struct Sayer<'a> {
    bot: &'a Bot,
    transport: &'a dyn Transport,
    permit: Permit,
    /// Posts of an earlier run, not handed over yet, and their keys. Such a post may come twice if it was stored while a
    /// network was replaced.
    left: Vec<Waiting>,
    known: BTreeSet<String>,
    /// Posts that came before those could be handed over.
    early: VecDeque<Waiting>,
    /// Posts handed over, by number.
    saying: Saying,
    with_network: BTreeMap<u64, Waiting>,
    number: u64,
    /// The posts that wait for one that was handed over, under its subject.
    under_way: BTreeMap<String, VecDeque<Waiting>>,
}

impl<'a> Sayer<'a> {
    fn new(bot: &'a Bot, transport: &'a dyn Transport, left: Vec<Waiting>) -> Self {
        let known = left.iter().map(|(outgoing, _)| outgoing.key.clone()).collect();
        let (early, saying, with_network) = (VecDeque::new(), Saying::new(), BTreeMap::new());
        let permit = permit(bot);
        Sayer {
            bot,
            transport,
            permit,
            left,
            known,
            early,
            saying,
            with_network,
            number: 0,
            under_way: BTreeMap::new(),
        }
    }

    /// Waits until the network can say what an earlier run left.
    async fn until_ready(&mut self, posts: &mut Posts, closing: &mut watch::Receiver<bool>) -> Result<(), Stopped> {
        let (mut ready, mut open) = (self.transport.ready(), true);
        loop {
            tokio::select! {
                biased;
                () = &mut ready => return Ok(()),
                _ = closing.wait_for(|closing| *closing) => return Err(Stopped),
                next = posts.recv(), if open => match next {
                    Some(ToSay::Post(outgoing, busy)) => self.early.push_back((*outgoing, busy)),
                    Some(ToSay::Erased(table, erased)) => self.forget(&table, &erased),
                    None => open = false,
                }
            }
        }
    }

    fn take(&mut self, next: ToSay) {
        match next {
            ToSay::Post(outgoing, busy) => self.say_in_turn(*outgoing, busy),
            ToSay::Erased(table, erased) => self.forget(&table, &erased),
        }
    }

    /// Takes the words of these entries out of all posts that wait.
    fn forget(&mut self, table: &TableId, erased: &[u64]) {
        let waiting = self.left.iter_mut().chain(&mut self.early).chain(self.with_network.values_mut());
        let waiting = waiting.chain(self.under_way.values_mut().flatten()).map(|(outgoing, _)| outgoing);
        let batch = forgetting(waiting, |outgoing| outgoing.forget(table, erased));
        // Not awaited: if it is lost, they forget it at the next start.
        drop(self.bot.host().committer().submit_soon(None, batch));
    }

    /// Says the posts of an earlier run and those that came since. If it cannot be stored that they are repeated, they are
    /// left for another try.
    async fn say_left(&mut self) {
        match repeated(self.bot, self.transport, &self.left).await {
            Ok(once_more) => {
                self.left.clear();
                for (mut outgoing, busy) in once_more {
                    self.bot.host().make_again(&mut outgoing.post);
                    self.hand_over(outgoing, busy);
                }
            }
            Err(error) => tracing::error!(%error, "answers of an earlier run cannot be said yet"),
        }
        for (outgoing, busy) in std::mem::take(&mut self.early) {
            self.say_in_turn(outgoing, busy);
        }
    }

    fn say_in_turn(&mut self, outgoing: Outgoing, busy: Busy) {
        if !self.known.contains(&outgoing.key) {
            self.hand_over(outgoing, busy);
        }
    }

    /// Says a post. A post about another one waits until that one is said, because it needs the id the network gives
    /// it. Nothing else waits.
    fn hand_over(&mut self, outgoing: Outgoing, busy: Busy) {
        match self.under_way.entry(subject(&outgoing.post)) {
            Entry::Occupied(mut others) if outgoing.post.is_about().is_some() => {
                others.get_mut().push_back((outgoing, busy));
            }
            others => {
                others.or_default();
                self.say(outgoing, busy);
            }
        }
    }

    fn say(&mut self, mut outgoing: Outgoing, busy: Busy) {
        outgoing.post = with_earlier(self.bot, outgoing.post);
        outgoing.post.permit = self.permit.clone();
        let said = match self.permit.is_given() {
            true => self.transport.send(outgoing.post.clone()),
            // Whoever has the store next says it.
            false => Box::pin(ready(Err(SendError::Unsaid))),
        };
        let waiting = self.bot.host().waiting.with(&outgoing.post);
        self.number += 1;
        let number = self.number;
        self.with_network.insert(number, (outgoing, busy));
        self.saying.push(Box::pin(async move {
            let said = said.await;
            drop(waiting);
            (number, said)
        }));
    }

    fn keep(&self, mut outgoing: Outgoing) {
        if outgoing.post.again && !outgoing.key.is_empty() {
            outgoing.post.again = false;
            let mut batch = Batch::default();
            batch.put(outgoing.key.clone(), to_json(&outgoing));
            drop(self.bot.host().committer().submit_soon(None, batch));
        }
    }

    /// Marks a post as said and says the posts that waited for it.
    fn finish(&mut self, number: u64, said: Result<Sent, SendError>) {
        let Some((outgoing, busy)) = self.with_network.remove(&number) else { return };
        let subject = subject(&outgoing.post);
        self.mark(outgoing, busy, said);
        match self.under_way.get_mut(&subject).map(VecDeque::pop_front) {
            Some(Some((next, busy))) => self.say(next, busy),
            _ => drop(self.under_way.remove(&subject)),
        }
    }

    fn mark(&self, outgoing: Outgoing, busy: Busy, said: Result<Sent, SendError>) {
        let network = self.transport.network();
        let said = match said {
            Ok(said) => {
                let seconds = metrics::histogram!(metric::ANSWER, "network" => network.to_owned());
                seconds.record(busy.since.elapsed().as_secs_f64());
                said
            }
            // It stays stored for the next start. If it was to be repeated and was not, it may be then.
            Err(SendError::Unsaid) => return self.keep(outgoing),
            Err(SendError::Never(reason)) => {
                metrics::counter!(metric::DROPPED, "network" => network.to_owned()).increment(1);
                tracing::warn!(network, reason, "a post cannot be said and is dropped");
                Sent::default()
            }
        };
        if outgoing.key.is_empty() {
            return;
        }
        let mut batch = Batch::default();
        if let (Some(id), Some(roll)) = (&said.id, &outgoing.roll) {
            batch.put(keys::said(network, id), to_json(roll));
        }
        if let (Some(id), Some(command)) = (&said.id, &outgoing.numbers) {
            batch.put(keys::numbers(network, id), to_json(command));
        }
        // An edit keeps the id of the edited post; only a correction said as a new post has another.
        let first = match outgoing.post.what {
            What::Correct(Earlier { id: Some(_), .. }) => None,
            What::Correct(earlier) => Some(earlier.key),
            What::Say | What::Withdraw(_) => Some(outgoing.post.key),
        };
        let editable = self.transport.guarantees().edits == Edits::Shown;
        if let (Some(id), Some(first), true) = (&said.id, first, editable) {
            batch.put(keys::answer(&first), to_json(id));
        }
        batch.delete(outgoing.key);
        // Not awaited: if it is lost, the post is merely repeated after the next start.
        drop(self.bot.host().committer().submit_soon(None, batch));
        drop(busy);
    }
}
