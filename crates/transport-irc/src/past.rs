//! Fetches what was missed while the bot was away, if the server keeps a history (draft/chathistory).

use crate::trouble::legible;
use crate::wire::Incoming;
use irc_proto::Command;
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::Instant;

/// The note that stores what was heard last in each channel.
pub const HEARD: &str = "heard";
/// How often that is stored while people talk.
const NOTE_EVERY: Duration = Duration::from_secs(60);
/// How far before the last message the request starts; messages already known are not played twice.
const OVERLAP: SignedDuration = SignedDuration::from_secs(120);
/// The most lines held back while the past is being fetched.
const MOST_HELD: usize = 500;

/// How long the server has for the next line of the past.
const PATIENCE: Duration = Duration::from_secs(15);
/// Batches that may be open at once.
const MOST_OPEN: usize = 64;

/// How a line came to be heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speech {
    /// It was said just now.
    Live,
    /// It was said while the bot was away, and the server plays it back.
    Playback,
}

/// What was heard last in each channel, and what is being fetched.
#[derive(Debug, Default)]
pub struct Past {
    heard: BTreeMap<String, Timestamp>,
    noted: Option<Instant>,
    asked: BTreeMap<String, Asked>,
    /// Open batches.
    open: BTreeMap<String, Told>,
}

/// A channel whose past is being fetched.
#[derive(Debug)]
struct Asked {
    channel: String,
    /// The time of the last message heard before the bot was away.
    known: Timestamp,
    since: Timestamp,
    sent: bool,
    until: Instant,
    held: Vec<Incoming>,
}

/// A batch: its channel, and the latest time in it.
#[derive(Debug)]
struct Told {
    folded: String,
    reached: Option<Timestamp>,
}

/// The end of a batch.
pub struct Ended {
    /// The next request.
    pub ask: Option<Command>,
    /// The lines held back meanwhile, if there is no next request.
    pub held: Vec<Incoming>,
}

impl Past {
    /// Reads the note.
    pub fn read(note: Option<&str>) -> Self {
        let heard = note.and_then(|note| serde_json::from_str(note).ok()).unwrap_or_default();
        Past { heard, ..Past::default() }
    }

    /// Something was said in a channel; now and then that is stored.
    pub fn heard(&mut self, folded: &str, sent: Timestamp, now: Instant, notes: &mut BTreeMap<String, Option<String>>) {
        let last = self.heard.entry(folded.to_owned()).or_insert(sent);
        *last = sent.max(*last);
        if self.noted.is_none_or(|noted| now.duration_since(noted) >= NOTE_EVERY) {
            self.noted = Some(now);
            self.note(notes);
        }
    }

    /// Stores what was heard last.
    pub fn note(&self, notes: &mut BTreeMap<String, Option<String>>) {
        if let (false, Ok(note)) = (self.heard.is_empty(), serde_json::to_string(&self.heard)) {
            notes.insert(HEARD.to_owned(), Some(note));
        }
    }

    /// The bot joins a channel. Unless it was never there before, what is said there is held back from now on until it
    /// knows what it missed.
    pub fn enter(&mut self, folded: &str, channel: &str, entered: Timestamp, now: Instant) {
        let Some(heard) = self.heard.get(folded) else {
            // It has no business with anything said before, not even within the overlap.
            self.heard.insert(folded.to_owned(), entered.checked_add(OVERLAP).unwrap_or(entered));
            return;
        };
        let known = *heard;
        let since = known.checked_sub(OVERLAP).unwrap_or(known);
        let (channel, until) = (channel.to_owned(), now + PATIENCE);
        self.asked.insert(folded.to_owned(), Asked { channel, known, since, sent: false, until, held: Vec::new() });
    }

    /// A channel was renamed.
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

    /// The channel is fully known: asks for what was missed there.
    pub fn ask(&mut self, folded: &str, most: usize, now: Instant) -> Option<Command> {
        let asked = self.asked.get_mut(folded).filter(|asked| !asked.sent)?;
        (asked.sent, asked.until) = (true, now + PATIENCE);
        Some(request(&asked.channel, asked.since, most))
    }

    /// Tells how a line came to be heard. Returns `None` if it is not to be heard: a past line that nobody asked for,
    /// or one that may have been heard before and has no id to recognise it by.
    pub fn speech(&self, line: &Incoming) -> Option<Speech> {
        let Some(told) = line.tag("batch").and_then(|batch| self.open.get(batch)) else { return Some(Speech::Live) };
        let asked = self.asked.get(&told.folded).filter(|asked| asked.sent)?;
        let fresh = || line.tag("time").and_then(when).is_some_and(|sent| sent > asked.known);
        (line.tag("msgid").is_some() || fresh()).then_some(Speech::Playback)
    }

    /// Takes note of a line in a batch. Returns true if the batch tells of the past.
    pub fn told(&mut self, batch: &str, sent: Option<Timestamp>, now: Instant) -> bool {
        let Some(told) = self.open.get_mut(batch) else { return false };
        told.reached = told.reached.max(sent);
        if let Some(asked) = self.asked.get_mut(&told.folded) {
            asked.until = now + PATIENCE;
        }
        true
    }

    /// Holds back a line while the past of its channel is being fetched. Returns true if it did.
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
            // Bouncers send the past unasked, each in its own way.
            let past = |kind: &String| kind == "chathistory" || kind.ends_with("/playback");
            if params.get(1).is_some_and(past) && self.open.len() < MOST_OPEN {
                let folded = fold(params.get(2).map_or("", String::as_str));
                self.open.insert(begun.to_owned(), Told { folded, reached: None });
            }
            return None;
        }
        let told = self.open.remove(reference.strip_prefix('-')?)?;
        let asked = self.asked.get_mut(&told.folded).filter(|asked| asked.sent)?;
        // Asks on as long as that leads further, because known messages alone may fill a batch.
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

    /// The server takes too long: returns the lines held back.
    pub fn late(&mut self, now: Instant, network: &str) -> Vec<Incoming> {
        self.give_up(network, |_, asked| asked.until <= now)
    }

    /// The server refuses the past of these channels, or of all if it names none. Returns the lines held back.
    pub fn refused(&mut self, names: &[String], network: &str) -> Vec<Incoming> {
        let named = names.iter().any(|name| self.asked.contains_key(name));
        self.give_up(network, |folded, _| !named || names.contains(folded))
    }

    fn give_up(&mut self, network: &str, which: impl Fn(&String, &Asked) -> bool) -> Vec<Incoming> {
        let (over, going) = std::mem::take(&mut self.asked).into_iter().partition(|(name, asked)| which(name, asked));
        self.asked = going;
        let over: BTreeMap<String, Asked> = over;
        for channel in over.keys() {
            tracing::warn!(network, channel = legible(channel), "the server does not tell what was missed");
        }
        over.into_values().flat_map(|asked| asked.held).collect()
    }

    /// The connection is over. The lines held back are lost, as for anyone who is away, unless the history brings them
    /// again.
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

/// Parses the time of a `time` tag.
pub fn when(tag: &str) -> Option<Timestamp> {
    tag.parse().ok()
}
