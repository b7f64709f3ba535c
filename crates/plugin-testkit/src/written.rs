//! Measures what a command writes, by the kind of record.

use crate::play::failed;
use chat::{Event, Message, PlayerId, RoomId, Speaker};
use jiff::{SignedDuration, Timestamp};
use journal::Entropy;
use journal::store::{Batch, Memory};
use plugin_api::Plugin;
use std::collections::BTreeMap;
use std::sync::Arc;
use table::{FairBox, Host, Settings, Sitting};

/// Names on a network, for measuring.
#[derive(Clone, Copy, Debug)]
pub struct Names {
    /// The network.
    pub network: &'static str,
    /// The room's id.
    pub room: &'static str,
    /// The player's id.
    pub player: &'static str,
    /// The beginning of message ids; a four-digit number follows.
    pub message: &'static str,
}

/// How often the command is played before it is measured, so that its player is seated and everything stored once is
/// there.
const BEFORE: u32 = 20;
/// When the first message is sent, in seconds since 1970, and the seconds between messages.
const FIRST: i64 = 1_767_225_600;
const APART: i64 = 60;

/// The bytes of keys and values that `line` writes when said again by the same player, by the kind of record: `head`,
/// `inbox` and so on. The post counts as written and then removed, which repeats its key.
///
/// # Errors
/// The store failed or the line was not played.
pub fn written(plugin: Box<dyn Plugin>, line: &str, names: Names) -> Result<BTreeMap<String, usize>, String> {
    let settings = Settings { plugins: [plugin.manifest().id.clone()].into(), ..Settings::default() };
    let plugins = house::with_plugins(vec![plugin]).map_err(|error| error.to_string())?;
    let store = Arc::new(Memory::default());
    let host = Host::new(settings, plugins, store, Entropy::from_seed([0; 32]), Box::new(FairBox));
    let mut sitting = Sitting::new(Arc::new(host.map_err(|error| error.to_string())?));
    let start = Timestamp::from_second(FIRST).map_err(|error| error.to_string())?;
    let mut counted = None;
    for n in 0..=BEFORE {
        let id = format!("{}{:04}", names.message, 1_000 + n);
        let speaker = Speaker::new(PlayerId::new(names.network, names.player), names.player);
        let sent = start + SignedDuration::from_millis(i64::from(n) * APART * 1_000 + i64::from(n) * 7);
        let message = Message::new(id, RoomId::new(names.network, names.room), speaker, sent, line);
        let heard = sitting.play(&Event::Said(message)).map_err(failed)?;
        counted = heard.outcomes.first().and_then(|outcome| outcome.entry).map(|_| heard);
    }
    let heard = counted.ok_or_else(|| format!("{line:?} left no entry"))?;
    let mut bytes = bytes(&heard.batch);
    let removed: usize = heard.posts.iter().map(|post| post.key.len()).sum();
    *bytes.entry("outbox".to_owned()).or_default() += removed;
    Ok(bytes)
}

fn bytes(batch: &Batch) -> BTreeMap<String, usize> {
    let mut bytes = BTreeMap::new();
    for (key, value) in batch {
        *bytes.entry(kind(key).to_owned()).or_default() += key.len() + value.as_ref().map_or(0, Vec::len);
    }
    bytes
}

/// The kind of a record by its key: the first word, or for a table's record the word after the table's name.
fn kind(key: &str) -> &str {
    let mut words = key.split('/');
    match (words.next(), words.nth(1)) {
        (Some("table"), Some(kind)) => kind,
        (first, _) => first.unwrap_or(key),
    }
}
