//! Removes temporary records once they are old: one page at a time, by the bot's own measure of age.
//!
//! Rows against playing twice, the rest of long answers, corrected lines and unused move words would otherwise pile up
//! for ever. Records need not carry their age when written: the first sweep that sees one notes it, and a later sweep
//! removes it.

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

/// Number of records in a page.
const PAGE: usize = 200;
/// The most the bot ages from one sweep to the next: a clock that was set forward must not age anything.
const STEP: SignedDuration = SignedDuration::from_hours(2);
/// What is swept, in this order.
const SWEPT: [(&str, Look); 6] = [
    (keys::INBOX, row),
    (keys::RESTS, rest),
    (keys::MENDED, mended),
    (keys::LEAVES, word),
    (keys::LINKS, word),
    (keys::ACCOUNT_WORDS, word),
];
/// The field of a row that holds the bot's age when a sweep first saw it.
const SEEN: &str = "seen";

/// The bot's age: how long it has run, by the differences its clock showed.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Age {
    seconds: i64,
    at: Timestamp,
}

/// One pass over all temporary records.
#[derive(Clone, Debug)]
pub struct Sweep {
    time: Time,
    place: usize,
    after: Option<String>,
}

/// The ages that decide what is old.
#[derive(Clone, Copy, Debug)]
struct Time {
    /// The bot's age, in seconds.
    age: i64,
    /// Records seen at this age or earlier are removed.
    old: i64,
    now: Timestamp,
}

/// Decides what happens to a record.
type Look = fn(&Page<'_>, &str, &[u8], &mut Batch) -> Result<(), StoreError>;

/// A page of records.
struct Page<'a> {
    store: &'a dyn Store,
    time: Time,
    /// The keys of messages accepted but not played yet, read on first use: there may be thousands.
    waiting: OnceCell<BTreeSet<String>>,
}

impl Sweep {
    /// Starts removing what has been stored for this many days.
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

    /// Sweeps one more page. Returns `None` once the sweep is over.
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

/// Works on the store between two commits, so what it reads cannot change before it writes.
async fn between<T: Send + 'static>(
    host: &Host,
    work: impl FnOnce(&dyn Store) -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    let (done, ended) = oneshot::channel();
    host.committer().between_commits(move |store| {
        // The receiver may have stopped waiting.
        let _ = done.send(work(store));
    });
    ended.await.unwrap_or_else(|_| Err(StoreError::Unavailable("the bot is stopping".to_owned())))
}

/// The stored outcome of a message. One that still waits to be played is left alone. A message marked as waiting that
/// no longer waits, such as an edit that could not be played, is treated like one that was refused.
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
            // Only an edit or a redaction of the message would look up its answers.
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

/// The word that lets a table be continued elsewhere, or a room be linked to it.
fn word(page: &Page<'_>, key: &str, value: &[u8], batch: &mut Batch) -> Result<(), StoreError> {
    #[derive(Deserialize)]
    struct Word {
        until: Timestamp,
    }
    if from_json::<Word>(key, value)?.until < page.time.now {
        batch.delete(key);
    }
    Ok(())
}

fn read<T: serde::de::DeserializeOwned>(store: &dyn Store, key: &str) -> Result<Option<T>, StoreError> {
    store.read(key)?.map(|bytes| from_json(key, &bytes)).transpose()
}
