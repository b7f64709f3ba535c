//! What was kept for a while is removed when it is old: a page at a time, by a clock of the bot's own.
//!
//! Rows against playing twice, what was left of long answers, lines that would have been right, and words that nobody used in
//! time would otherwise pile up for ever. None has to know its age when it is written: the first look at it notes that, a later one removes it.

use chat::Event;
use jiff::{SignedDuration, Timestamp};
use journal::documents::{InboxRow, MendedDoc, RestDoc, from_json, to_json};
use journal::keys;
use journal::store::{Batch, Store, StoreError, scan_all};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use table::Host;
use tokio::sync::oneshot;

/// Records that one page looks at.
const PAGE: usize = 200;
/// By how much the bot grows older from one sweep to the next, at the most: a clock that was set says nothing of age.
const STEP: SignedDuration = SignedDuration::from_hours(2);
/// What is swept, in this order.
const SWEPT: [(&str, Look); 4] =
    [(keys::INBOX, row), (keys::RESTS, rest), (keys::MENDED, mended), (keys::LEAVES, leave)];
/// The field of a row that says how old the bot was when it was first looked at.
const SEEN: &str = "seen";

/// How old the bot is: how long it has run, by what its clock said in between.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Age {
    seconds: i64,
    at: Timestamp,
}

/// One way through all that is kept for a while.
#[derive(Clone, Debug)]
pub struct Sweep {
    time: Time,
    place: usize,
    after: Option<String>,
}

/// By what is old.
#[derive(Clone, Copy, Debug)]
struct Time {
    /// The bot's age, in seconds.
    age: i64,
    /// What was seen at this age or before is removed.
    old: i64,
    now: Timestamp,
}

/// What becomes of a record.
type Look = fn(&Page<'_>, &str, &[u8], &mut Batch) -> Result<(), StoreError>;

/// A page of them.
struct Page<'a> {
    store: &'a dyn Store,
    time: Time,
    /// The rows of messages that were accepted and not played yet, once somebody asked: there may be thousands of them.
    waiting: OnceCell<BTreeSet<String>>,
}

impl Sweep {
    /// Begins to remove what was kept for so many days.
    ///
    /// # Errors
    /// The store cannot be read or written.
    pub async fn begin(host: &Host, now: Timestamp, days: u16) -> Result<Sweep, StoreError> {
        between(host, move |store| {
            let before: Option<Age> = read(store, keys::AGE_KEY)?;
            let before = before.unwrap_or(Age { seconds: 0, at: now });
            let step = now.duration_since(before.at).clamp(SignedDuration::ZERO, STEP);
            let age = Age { seconds: before.seconds + step.as_secs(), at: now };
            let mut batch = Batch::default();
            batch.put(keys::AGE_KEY, to_json(&age));
            store.commit(&batch)?;
            let old = age.seconds - SignedDuration::from_hours(24 * i64::from(days)).as_secs();
            Ok(Sweep { time: Time { age: age.seconds, old, now }, place: 0, after: None })
        })
        .await
    }

    /// Looks at one more page; nothing once the sweep is over.
    ///
    /// # Errors
    /// The store cannot be read or written.
    pub async fn on(self, host: &Host) -> Result<Option<Sweep>, StoreError> {
        between(host, move |store| self.page(store)).await
    }

    fn page(mut self, store: &dyn Store) -> Result<Option<Self>, StoreError> {
        let Some((prefix, look)) = SWEPT.get(self.place) else { return Ok(None) };
        let page = store.scan(prefix, self.after.as_deref(), PAGE)?;
        let (of_page, mut batch) = (Page { store, time: self.time, waiting: OnceCell::new() }, Batch::default());
        for (key, value) in &page {
            if let Err(error) = look(&of_page, key, value, &mut batch) {
                tracing::error!(%error, "left where it is, since it cannot be read");
            }
        }
        self.after = page.last().map(|(key, _)| key.clone());
        if page.len() < PAGE {
            (self.place, self.after) = (self.place + 1, None);
        }
        store.commit(&batch)?;
        Ok((self.place < SWEPT.len()).then_some(self))
    }
}

impl Page<'_> {
    fn waiting(&self) -> Result<&BTreeSet<String>, StoreError> {
        if let Some(waiting) = self.waiting.get() {
            return Ok(waiting);
        }
        let row = |record: Result<(String, Vec<u8>), StoreError>| {
            let (key, event) = record?;
            let event: Event = from_json(&key, &event)?;
            Ok(event.message().map(|message| keys::inbox(message.said_in(), &message.id)))
        };
        let rows = scan_all(self.store, keys::WAITING).map(row).filter_map(Result::transpose);
        let rows = rows.collect::<Result<_, StoreError>>()?;
        Ok(self.waiting.get_or_init(|| rows))
    }
}

/// Works on the store between two commits: what it read cannot change before it is written.
async fn between<T: Send + 'static>(
    host: &Host,
    work: impl FnOnce(&dyn Store) -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    let (done, ended) = oneshot::channel();
    host.committer().between_commits(move |store| {
        // Whoever waits may have stopped.
        let _ = done.send(work(store));
    });
    ended.await.unwrap_or_else(|_| Err(StoreError::Unavailable("the bot is stopping".to_owned())))
}

/// What became of a message. One that was accepted and not played yet is left alone; of one of which nothing came, such as
/// an edit that could not be played, nobody knows more than of one that was refused.
fn row(page: &Page<'_>, key: &str, value: &[u8], batch: &mut Batch) -> Result<(), StoreError> {
    let mut row: Value = from_json(key, value)?;
    if from_json(key, value).is_ok_and(|row: InboxRow| row == InboxRow::Waiting) {
        if page.waiting()?.contains(key) {
            return Ok(());
        }
        row = serde_json::json!({"refused": {"lines": []}});
    }
    let fields = row.as_object_mut().and_then(|row| row.values_mut().next()).and_then(Value::as_object_mut);
    let Some(fields) = fields else { return Ok(()) };
    match fields.get(SEEN).and_then(Value::as_i64) {
        None => {
            fields.insert(SEEN.to_owned(), page.time.age.into());
            batch.put(key, to_json(&row));
        }
        Some(seen) if seen <= page.time.old => {
            batch.delete(key);
            // Only an edit, or taking the message back, would ask for its answers.
            if let Some((room, message)) = keys::message_of_inbox(key) {
                let answers = page.store.scan(&keys::answers_to(&room, &message), None, PAGE)?;
                answers.into_iter().for_each(|(answer, _)| batch.delete(answer));
            }
        }
        Some(_) => {}
    }
    Ok(())
}

fn rest(page: &Page<'_>, key: &str, value: &[u8], batch: &mut Batch) -> Result<(), StoreError> {
    match from_json(key, value)? {
        RestDoc::Fresh(blocks) => batch.put(key, to_json(&RestDoc::Seen { blocks, seen: page.time.age })),
        RestDoc::Seen { seen, .. } if seen <= page.time.old => batch.delete(key),
        RestDoc::Seen { .. } => {}
    }
    Ok(())
}

fn mended(page: &Page<'_>, key: &str, value: &[u8], batch: &mut Batch) -> Result<(), StoreError> {
    let doc: MendedDoc = from_json(key, value)?;
    match doc.seen {
        None => batch.put(key, to_json(&MendedDoc { seen: Some(page.time.age), ..doc })),
        Some(seen) if seen <= page.time.old => batch.delete(key),
        Some(_) => {}
    }
    Ok(())
}

/// The word for a table that may be gone on with elsewhere.
fn leave(page: &Page<'_>, key: &str, value: &[u8], batch: &mut Batch) -> Result<(), StoreError> {
    #[derive(Deserialize)]
    struct Leave {
        until: Timestamp,
    }
    if from_json::<Leave>(key, value)?.until < page.time.now {
        batch.delete(key);
    }
    Ok(())
}

fn read<T: serde::de::DeserializeOwned>(store: &dyn Store, key: &str) -> Result<Option<T>, StoreError> {
    store.read(key)?.map(|bytes| from_json(key, &bytes)).transpose()
}
