//! What was missed while the bot was away, where the server keeps a history (draft/chathistory).

use crate::trouble::legible;
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

/// How long the server may take to tell the next of the past.
const PATIENCE: Duration = Duration::from_secs(15);
/// Batches that may be open at once.
const MOST_OPEN: usize = 64;

/// How it comes that something is heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speech {
    /// It was said just now.
    Live,
    /// It was said while the bot was away, and the server plays it back.
    Playback,
}

/// What was heard last in each channel, and what is being asked.
#[derive(Debug, Default)]
pub struct Past {
    heard: BTreeMap<String, Timestamp>,
    noted: Option<Instant>,
    asked: BTreeMap<String, Asked>,
    /// Batches that are being told.
    open: BTreeMap<String, Told>,
}

/// A channel whose past is to be told.
#[derive(Debug)]
struct Asked {
    channel: String,
    /// What was heard before the bot was away.
    known: Timestamp,
    since: Timestamp,
    sent: bool,
    until: Instant,
    held: Vec<Incoming>,
}

/// A batch: its channel, and the last time in it.
#[derive(Debug)]
struct Told {
    folded: String,
    reached: Option<Timestamp>,
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

    /// The bot comes into a channel: from here on it holds what is said there until it knows what it missed, unless it was
    /// never there before.
    pub fn enter(&mut self, folded: &str, channel: &str, entered: Timestamp, now: Instant) {
        let Some(heard) = self.heard.get(folded) else {
            // What was said before is none of its business, not even by the overlap.
            self.heard.insert(folded.to_owned(), entered.checked_add(OVERLAP).unwrap_or(entered));
            return;
        };
        let known = *heard;
        let since = known.checked_sub(OVERLAP).unwrap_or(known);
        let (channel, until) = (channel.to_owned(), now + PATIENCE);
        self.asked.insert(folded.to_owned(), Asked { channel, known, since, sent: false, until, held: Vec::new() });
    }

    /// A channel has another name.
    pub fn rename(&mut self, old: &str, new: &str, called: &str, notes: &mut BTreeMap<String, Option<String>>) {
        if let Some(heard) = self.heard.remove(old) {
            self.heard.insert(new.to_owned(), heard);
        }
        if let Some(asked) = self.asked.remove(old) {
            self.asked.insert(new.to_owned(), Asked { channel: called.to_owned(), ..asked });
        }
        self.open.values_mut().filter(|told| told.folded == old).for_each(|told| new.clone_into(&mut told.folded));
        self.note(notes);
    }

    /// The bot left a channel.
    pub fn left(&mut self, folded: &str) {
        self.asked.remove(folded);
    }

    /// Everything about a channel is known: asks for what was missed there.
    pub fn ask(&mut self, folded: &str, most: usize, now: Instant) -> Option<Command> {
        let asked = self.asked.get_mut(folded).filter(|asked| !asked.sent)?;
        (asked.sent, asked.until) = (true, now + PATIENCE);
        Some(request(&asked.channel, asked.since, most))
    }

    /// How it comes that a line is heard; nothing, if it is not. Of the past, what nobody asked for is not, nor what may have been
    /// heard before and has no id by which to know it.
    pub fn speech(&self, line: &Incoming) -> Option<Speech> {
        let Some(told) = line.tag("batch").and_then(|batch| self.open.get(batch)) else { return Some(Speech::Live) };
        let asked = self.asked.get(&told.folded).filter(|asked| asked.sent)?;
        let fresh = || line.tag("time").and_then(when).is_some_and(|sent| sent > asked.known);
        (line.tag("msgid").is_some() || fresh()).then_some(Speech::Playback)
    }

    /// A line of a batch; whether that tells of the past.
    pub fn told(&mut self, batch: &str, sent: Option<Timestamp>, now: Instant) -> bool {
        let Some(told) = self.open.get_mut(batch) else { return false };
        told.reached = told.reached.max(sent);
        if let Some(asked) = self.asked.get_mut(&told.folded) {
            asked.until = now + PATIENCE;
        }
        true
    }

    /// Holds what is said in a channel while its past is being told; whether it did.
    pub fn hold(&mut self, folded: &str, line: &Incoming) -> bool {
        let Some(asked) = self.asked.get_mut(folded).filter(|asked| asked.held.len() < MOST_HELD) else { return false };
        asked.held.push(line.clone());
        true
    }

    /// A batch begins or ends.
    pub fn batch(
        &mut self,
        params: &[String],
        most: usize,
        now: Instant,
        fold: impl Fn(&str) -> String,
    ) -> Option<Ended> {
        let reference = params.first()?;
        if let Some(begun) = reference.strip_prefix('+') {
            // Bouncers tell of the past unasked, each in its way.
            let past = |kind: &String| kind == "chathistory" || kind.ends_with("/playback");
            if params.get(1).is_some_and(past) && self.open.len() < MOST_OPEN {
                let folded = fold(params.get(2).map_or("", String::as_str));
                self.open.insert(begun.to_owned(), Told { folded, reached: None });
            }
            return None;
        }
        let told = self.open.remove(reference.strip_prefix('-')?)?;
        let asked = self.asked.get_mut(&told.folded).filter(|asked| asked.sent)?;
        // As long as it leads on, more is asked: what is known already may fill more than a batch.
        let reached = told.reached.and_then(|reached| reached.checked_sub(SignedDuration::from_millis(1)).ok());
        if let Some(reached) = reached.filter(|reached| *reached > asked.since) {
            (asked.since, asked.until) = (reached, now + PATIENCE);
            return Some(Ended { ask: Some(request(&asked.channel, reached, most)), held: Vec::new() });
        }
        let asked = self.asked.remove(&told.folded)?;
        Some(Ended { ask: None, held: asked.held })
    }

    /// When [`late`](Self::late) has something to do.
    pub fn due(&self) -> Option<Instant> {
        self.asked.values().map(|asked| asked.until).min()
    }

    /// The server takes too long: what was held.
    pub fn late(&mut self, now: Instant) -> Vec<Incoming> {
        self.give_up(|_, asked| asked.until <= now)
    }

    /// The server does not tell the past of one of these channels, or of any if it names none: what was held.
    pub fn refused(&mut self, names: &[String]) -> Vec<Incoming> {
        let named = names.iter().any(|name| self.asked.contains_key(name));
        self.give_up(|folded, _| !named || names.contains(folded))
    }

    fn give_up(&mut self, which: impl Fn(&String, &Asked) -> bool) -> Vec<Incoming> {
        let (over, going) = std::mem::take(&mut self.asked).into_iter().partition(|(name, asked)| which(name, asked));
        self.asked = going;
        let over: BTreeMap<String, Asked> = over;
        over.keys()
            .for_each(|channel| tracing::warn!(channel = legible(channel), "the server does not tell what was missed"));
        over.into_values().flat_map(|asked| asked.held).collect()
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
