//! Saying posts: hands them to the network in order and marks them as said when it has them.

use super::Busy;
use super::survive::survive;
use crate::bot::Bot;
use crate::pace::Step;
use journal::documents::{from_json, to_json};

use crate::metric;
use chat::{Earlier, Edits, Post, Repeated, SendError, Sent, Transport, What};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use journal::keys;
use journal::store::{Batch, StoreError};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use table::Outgoing;
use tokio::sync::{Mutex, mpsc, watch};

/// How long to wait before trying again what an earlier run left, if the disk fails.
const PAUSE: Duration = Duration::from_secs(1);

/// The outcome of a post.
type Said = (Outgoing, Busy, Result<Sent, SendError>);
/// Posts handed to the network.
type Saying = FuturesUnordered<Pin<Box<dyn Future<Output = Said> + Send>>>;

/// The channel of posts to be said.
type Posts = mpsc::UnboundedReceiver<(Outgoing, Busy)>;

/// Says the posts of a network until no more can come, then leaves it. First come those `left` by an earlier run, which
/// may have said them. If saying one panics, the others are still said; those already handed over are repeated after
/// the next start.
pub(super) async fn say_always(
    bot: Arc<Bot>,
    transport: Arc<dyn Transport>,
    left: Vec<(Outgoing, Busy)>,
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
    mut left: Vec<(Outgoing, Busy)>,
    posts: Arc<Mutex<Posts>>,
    mut closing: watch::Receiver<bool>,
) {
    let mut posts = posts.lock().await;
    // A post that was stored while a network was replaced may come both ways.
    let known: BTreeSet<String> = left.iter().map(|(outgoing, _)| outgoing.key.clone()).collect();
    let mut sayer = Sayer { bot: &bot, transport: &*transport, saying: Saying::new(), under_way: BTreeMap::new() };
    if !left.is_empty() {
        let stopped = async { drop(closing.wait_for(|closing| *closing).await) };
        tokio::select! {
            biased;
            () = transport.ready() => {}
            () = stopped => return transport.close().await,
        }
        sayer.say_left(&mut left).await;
    }
    let mut later = (!left.is_empty()).then(|| bot.pace.sleep(PAUSE));
    loop {
        tokio::select! {
            biased;
            Some(said) = sayer.saying.next() => {
                bot.at(Step::Said).await;
                sayer.finish(said);
            }
            next = posts.recv() => match next {
                Some((outgoing, _)) if known.contains(&outgoing.key) => {}
                Some((outgoing, busy)) => {
                    bot.at(Step::Say).await;
                    sayer.say_in_turn(outgoing, busy);
                }
                None => break,
            },
            // At the end they stay for the next start.
            () = async { drop(closing.wait_for(|closing| *closing).await) }, if later.is_some() => {
                (later, left) = (None, Vec::new());
            }
            () = async { if let Some(later) = &mut later { later.await } }, if later.is_some() => {
                sayer.say_left(&mut left).await;
                later = (!left.is_empty()).then(|| bot.pace.sleep(PAUSE));
            }
        }
    }
    drop(left);
    let rest = async {
        while let Some(said) = sayer.saying.next().await {
            sayer.finish(said);
        }
    };
    tokio::join!(transport.close(), rest);
}

/// Picks the posts of an earlier run to say now. Where that may show a post twice, it is marked as repeated, and that
/// is stored first: a post already repeated is not said a third time.
async fn repeated(
    bot: &Bot,
    transport: &dyn Transport,
    left: &[(Outgoing, Busy)],
) -> Result<Vec<(Outgoing, Busy)>, StoreError> {
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

/// Hands posts to the network.
struct Sayer<'a> {
    bot: &'a Bot,
    transport: &'a dyn Transport,
    saying: Saying,
    /// Posts handed over, each under its subject, with the posts that wait for it.
    under_way: BTreeMap<String, VecDeque<(Outgoing, Busy)>>,
}

impl Sayer<'_> {
    /// Says the posts of an earlier run. If it cannot be stored that they are repeated, they are left for another try.
    async fn say_left(&mut self, left: &mut Vec<(Outgoing, Busy)>) {
        match repeated(self.bot, self.transport, left).await {
            Ok(once_more) => {
                left.clear();
                for (mut outgoing, busy) in once_more {
                    self.bot.host().make_again(&mut outgoing.post);
                    self.say_in_turn(outgoing, busy);
                }
            }
            Err(error) => tracing::error!(%error, "answers of an earlier run cannot be said yet"),
        }
    }

    /// Says a post. A post about another one waits until that one is said, because it needs the id the network gives
    /// it. Nothing else waits.
    fn say_in_turn(&mut self, outgoing: Outgoing, busy: Busy) {
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

    fn say(&self, outgoing: Outgoing, busy: Busy) {
        let outgoing = Outgoing { post: with_earlier(self.bot, outgoing.post), ..outgoing };
        let said = self.transport.send(outgoing.post.clone());
        let waiting = self.bot.host().waiting.with(&outgoing.post);
        self.saying.push(Box::pin(async move {
            let said = said.await;
            drop(waiting);
            (outgoing, busy, said)
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
    fn finish(&mut self, (outgoing, busy, said): Said) {
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
