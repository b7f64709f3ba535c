//! What was missed while the bot was away, where the server keeps a history (draft/chathistory).

use crate::wire::Incoming;
use irc_proto::Command;
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::Instant;

/// The note that says what was heard last in each channel.
pub const HEARD: &str = "heard";
/// How often that is noted while people talk.
const NOTE_EVERY: Duration = Duration::from_secs(60);
/// How far behind the last message is asked again: what is known already is not played twice.
const OVERLAP: SignedDuration = SignedDuration::from_secs(120);
/// Lines that are held while the past is being told.
const MOST_HELD: usize = 500;

/// What was heard last in each channel, and what is being asked.
#[derive(Debug, Default)]
pub struct Past {
    heard: BTreeMap<String, Timestamp>,
    noted: Option<Instant>,
    asked: BTreeMap<String, Asked>,
    /// Batches that are being told: the channel of each, how many lines, and the last one's time.
    open: BTreeMap<String, Told>,
}

#[derive(Debug)]
struct Asked {
    channel: String,
    held: Vec<Incoming>,
}

#[derive(Debug)]
struct Told {
    folded: String,
    from: Option<Timestamp>,
}

/// A batch is over.
pub struct Ended {
    /// What is asked next.
    pub ask: Option<Command>,
    /// What was said meanwhile, if nothing is asked any more.
    pub held: Vec<Incoming>,
}

impl Past {
    /// As it was noted.
    pub fn read(note: Option<&str>) -> Self {
        let heard = note.and_then(|note| serde_json::from_str(note).ok()).unwrap_or_default();
        Past { heard, ..Past::default() }
    }

    /// Something was said in a channel. Now and then that is noted.
    pub fn heard(&mut self, folded: &str, sent: Timestamp, now: Instant, notes: &mut BTreeMap<String, Option<String>>) {
        let last = self.heard.entry(folded.to_owned()).or_insert(sent);
        *last = sent.max(*last);
        if self.noted.is_none_or(|noted| now.duration_since(noted) >= NOTE_EVERY) {
            self.noted = Some(now);
            self.note(notes);
        }
    }

    /// Notes what was heard last.
    pub fn note(&self, notes: &mut BTreeMap<String, Option<String>>) {
        if let (false, Ok(note)) = (self.heard.is_empty(), serde_json::to_string(&self.heard)) {
            notes.insert(HEARD.to_owned(), Some(note));
        }
    }

    /// The bot is in a channel: asks for what it missed there, unless it was never there before.
    pub fn ask(&mut self, folded: &str, channel: &str, most: usize) -> Option<Command> {
        let since = self.heard.get(folded)?.checked_sub(OVERLAP).ok()?;
        self.asked.insert(folded.to_owned(), Asked { channel: channel.to_owned(), held: Vec::new() });
        Some(request(channel, since, most))
    }

    /// Whether this batch tells of the past.
    pub fn is_open(&self, batch: &str) -> bool {
        self.open.contains_key(batch)
    }

    /// Holds what is said in a channel while its past is being told; whether it did.
    pub fn hold(&mut self, folded: &str, line: &Incoming) -> bool {
        let Some(asked) = self.asked.get_mut(folded).filter(|asked| asked.held.len() < MOST_HELD) else { return false };
        asked.held.push(line.clone());
        true
    }

    /// A batch begins or ends.
    pub fn batch(&mut self, params: &[String], most: usize, fold: impl Fn(&str) -> String) -> Option<Ended> {
        let reference = params.first()?;
        if let Some(begun) = reference.strip_prefix('+') {
            if params.get(1).is_some_and(|kind| kind == "chathistory") {
                let folded = fold(params.get(2)?);
                let from = self.heard.get(&folded).copied();
                self.open.insert(begun.to_owned(), Told { folded, from });
            }
            return None;
        }
        let told = self.open.remove(reference.strip_prefix('-')?)?;
        let asked = self.asked.get(&told.folded)?;
        let reached = self.heard.get(&told.folded).copied();
        // As long as it leads on, more is asked; what is known already makes no difference.
        if let (true, Some(reached)) = (reached > told.from, reached) {
            let since = reached.checked_sub(SignedDuration::from_millis(1)).unwrap_or(reached);
            return Some(Ended { ask: Some(request(&asked.channel, since, most)), held: Vec::new() });
        }
        let asked = self.asked.remove(&told.folded)?;
        Some(Ended { ask: None, held: asked.held })
    }

    /// The connection is over: what was held is lost, as it is for who is not there, unless the past brings it again.
    pub fn end(&mut self) {
        self.asked.clear();
        self.open.clear();
    }
}

fn request(channel: &str, since: Timestamp, most: usize) -> Command {
    let since = format!("timestamp={}", since.strftime("%Y-%m-%dT%H:%M:%S%.3fZ"));
    let words = ["AFTER", channel, &since, &most.to_string()].map(str::to_owned);
    Command::Raw("CHATHISTORY".to_owned(), words.to_vec())
}

/// The time of a `time` tag.
pub fn when(tag: &str) -> Option<Timestamp> {
    tag.parse().ok()
}
