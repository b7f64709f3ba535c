//! Open pages: for everyone who sees the same there is one pair of eyes, which looks again whenever something changed.

use crate::answer::{Unread, reading};
use crate::draw::{self, At};
use crate::limits::Limits;
use crate::metric::OPEN;
use axum::body::Bytes;
use chat::{Clock, SystemClock};
use house::view::{Ask, Looks, Place, Reader, View};
use serde_json::json;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast};

/// A page is looked at again no sooner than after this time.
const AT_MOST: Duration = Duration::from_millis(250);
/// How long to wait if it could not be read.
const UNREAD: Duration = Duration::from_secs(5);
/// How many changes may wait for a page that takes them slowly; then it gets everything again.
const WAITING: usize = 8;

/// All open pages.
pub(crate) struct Hub {
    looks: Arc<dyn Looks>,
    limits: Limits,
    streams: Arc<Semaphore>,
    eyes: Mutex<BTreeMap<Place, Weak<Eyes>>>,
    /// What tells this run of the bot from others.
    run: String,
}

/// Those who see the same.
pub(crate) struct Eyes {
    place: Place,
    last: Mutex<Option<Arc<Seen>>>,
    changes: broadcast::Sender<Change>,
    open: AtomicUsize,
    /// True once nobody looks again: the link has ended.
    ended: AtomicBool,
}

/// What is on a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    /// What names this state of the page.
    pub state: String,
    /// Its parts by the ids of their elements, from top to bottom.
    parts: Vec<(String, String)>,
    /// An event with all of them, which all who come now share.
    whole: OnceLock<Bytes>,
}

/// What changes on a page, for all who see it.
#[derive(Clone)]
pub(crate) enum Change {
    /// An event as it is sent, which all who see it share.
    Event(Bytes),
    /// The link has ended.
    End,
}

/// One open page.
pub(crate) struct Look {
    eyes: Arc<Eyes>,
    pub changes: broadcast::Receiver<Change>,
    _place: OwnedSemaphorePermit,
}

/// Why a page is not kept up to date.
pub(crate) enum Full {
    /// Too many pages are open.
    Bot,
    /// Too many are open by this link.
    Link,
}

impl Drop for Look {
    fn drop(&mut self) {
        self.eyes.open.fetch_sub(1, Ordering::AcqRel);
        OPEN.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Look {
    /// Everything on the page, unless it is in this state already.
    pub fn whole(&self, known: Option<&str>) -> Option<Change> {
        let last = self.eyes.last.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
        Some(Change::Event(if known == Some(last.state.as_str()) { last.event(&[]) } else { last.whole() }))
    }
}

impl Seen {
    /// An event that replaces these parts.
    fn event(&self, parts: &[(String, String)]) -> Bytes {
        let parts: Vec<_> = parts.iter().map(|(id, html)| json!({ "id": id, "html": html })).collect();
        // Whoever has no entry from here on has missed some in between, and begins the list again.
        let entries = self.parts.iter().filter_map(|(id, _)| id.strip_prefix('e')?.parse::<u64>().ok());
        let data = json!({ "version": env!("CARGO_PKG_VERSION"), "from": entries.min(), "parts": parts });
        format!("id: {}\ndata: {data}\n\n", self.state).into()
    }

    /// An event that replaces all parts.
    fn whole(&self) -> Bytes {
        self.whole.get_or_init(|| self.event(&self.parts)).clone()
    }

    /// The parts that were not so before. What is on the page no more went down and is out of sight.
    fn new_since(&self, before: &Seen) -> Vec<(String, String)> {
        self.parts.iter().filter(|part| !before.parts.contains(part)).cloned().collect()
    }
}

impl Hub {
    pub fn new(looks: Arc<dyn Looks>, limits: Limits) -> Self {
        let started = SystemClock.now().as_millisecond();
        let streams = Arc::new(Semaphore::new(limits.streams));
        Hub { looks, limits, streams, eyes: Mutex::default(), run: format!("{started:x}") }
    }

    /// What names the state of a page.
    pub fn state(&self, view: &View, at: At<'_>) -> String {
        seen(&self.run, view, at).state
    }

    /// Keeps a page up to date.
    pub fn look(&self, place: Place, link: String) -> Result<Look, Full> {
        let permit = self.streams.clone().try_acquire_owned().map_err(|_| Full::Bot)?;
        let (eyes, new) = {
            let mut all = self.eyes.lock().unwrap_or_else(PoisonError::into_inner);
            all.retain(|_, eyes| eyes.strong_count() > 0);
            let open = |eyes: &Weak<Eyes>| eyes.upgrade().map_or(0, |eyes| eyes.open.load(Ordering::Acquire));
            let here = all.iter().filter(|(other, _)| other.is_at_the_table_of(&place));
            if here.map(|(_, eyes)| open(eyes)).sum::<usize>() >= self.limits.streams_of_a_table {
                return Err(Full::Bot);
            }
            let known = all.get(&place).and_then(Weak::upgrade);
            let known = known.filter(|eyes| !eyes.ended.load(Ordering::Acquire));
            // The link for everyone is shared by many.
            let shared = *place.reader() == Reader::Anyone;
            let of_one = known.as_ref().map_or(0, |eyes| eyes.open.load(Ordering::Acquire));
            if !shared && of_one >= self.limits.streams_of_a_link {
                return Err(Full::Link);
            }
            let new = known.is_none();
            let eyes = known.unwrap_or_else(|| {
                let (last, changes, open) = (Mutex::default(), broadcast::Sender::new(WAITING), AtomicUsize::new(0));
                let ended = AtomicBool::new(false);
                let eyes = Arc::new(Eyes { place: place.clone(), last, changes, open, ended });
                all.insert(place, Arc::downgrade(&eyes));
                eyes
            });
            eyes.open.fetch_add(1, Ordering::AcqRel);
            (eyes, new)
        };
        let changes = eyes.changes.subscribe();
        OPEN.fetch_add(1, Ordering::Relaxed);
        let look = Look { eyes: eyes.clone(), changes, _place: permit };
        if new {
            let (looks, run) = (self.looks.clone(), self.run.clone());
            tokio::spawn(watch(Arc::downgrade(&eyes), looks, run, link));
        }
        Ok(look)
    }
}

fn seen(run: &str, view: &View, at: At<'_>) -> Seen {
    let parts = draw::parts(view, at);
    let mut digest = Sha256::new();
    parts.iter().for_each(|(id, html)| {
        digest.update(id);
        digest.update(html);
    });
    let digest: String = digest.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    Seen { state: format!("{run}.{}.{digest}", view.proof.newest), parts, whole: OnceLock::new() }
}

/// Looks whenever something changed, until nobody is there any more.
async fn watch(eyes: Weak<Eyes>, looks: Arc<dyn Looks>, run: String, link: String) {
    let Some(place) = eyes.upgrade().map(|eyes| eyes.place.clone()) else { return };
    let mut changed = looks.follow(&place);
    loop {
        changed.mark_unchanged();
        let (looking, there, run, base) = (looks.clone(), place.clone(), run.clone(), link.clone());
        let seen = reading(move || {
            let view = looking.look(&there, &Ask::Now);
            view.map(|view| view.map(|view| seen(&run, &view, At { base: &base })))
        });
        let seen = seen.await;
        let Some(eyes) = eyes.upgrade() else { return };
        let seen = match seen {
            Ok(Some(seen)) => Arc::new(seen),
            Ok(None) => {
                eyes.ended.store(true, Ordering::Release);
                // Nobody may be there to hear it.
                let _ = eyes.changes.send(Change::End);
                return;
            }
            Err(Unread) => {
                drop(eyes);
                tokio::time::sleep(UNREAD).await;
                continue;
            }
        };
        let before = eyes.last.lock().unwrap_or_else(PoisonError::into_inner).replace(seen.clone());
        let event = match before {
            Some(before) if before.state == seen.state => None,
            Some(before) => Some(seen.event(&seen.new_since(&before))),
            None => Some(seen.whole()),
        };
        if let Some(event) = event {
            let _ = eyes.changes.send(Change::Event(event));
        }
        drop(eyes);
        tokio::time::sleep(AT_MOST).await;
        // It ends with the bot.
        if changed.changed().await.is_err() {
            return;
        }
    }
}
