//! What is to be said: fair among rooms, no faster than the network bears, and kept until it is proved to have arrived.

use crate::format;
use crate::settings::Settings;
use crate::wire;
use chat::{Event, Post, Recipient, SendError, Sent};
use irc_proto::Command;
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::Instant;

/// What stands in front of the tokens of PINGs that prove something.
pub const BARRIER: &str = "said-";
/// Lines without a proof after which one is asked for, though more is to be said.
const MOST_UNPROVED: u32 = 4;

/// Where the answer to "was it said?" goes.
pub type Said = oneshot::Sender<Result<Sent, SendError>>;

/// What is to be said in a room, or to somebody. A lane with much to say takes its turns one after another; one that
/// comes with little goes in between.
#[derive(Default)]
struct Lane {
    jobs: VecDeque<Job>,
    turn: u64,
    /// The bot is not in the channel yet.
    outside: bool,
}

/// A post on its way.
struct Job {
    post: Post,
    said: Said,
    /// Once it is begun.
    begun: Option<Begun>,
}

struct Begun {
    verb: Verb,
    target: String,
    lines: VecDeque<String>,
    /// Something of it was written.
    written: bool,
}

/// How a line is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// PRIVMSG.
    Message,
    /// NOTICE.
    Notice,
}

/// Where a post goes.
pub enum Address {
    /// To this nick or channel, in lines of at most so many bytes of text.
    Here(String, Verb, usize),
    /// Nowhere before the bot is in the channel.
    Later,
    /// Nowhere: why.
    Never(String),
}

/// A post whose last line was written.
struct Unproved {
    job: Job,
    /// The label of its last line, where the server echoes those.
    label: Option<String>,
    /// The number of the PING behind it, once there is one.
    barrier: Option<u64>,
}

/// What is to be said.
pub struct Outbox {
    lanes: BTreeMap<String, Lane>,
    /// The turn of the line that was written last.
    turn: u64,
    /// Commands of the bot's own, in front of all lanes.
    control: VecDeque<Command>,
    unproved: VecDeque<Unproved>,
    /// Lines written since the last PING.
    since_barrier: u32,
    number: u64,
    bucket: Bucket,
    most_lines: usize,
    /// What did not fit: told to the core before anybody can ask for it.
    pub rests: Vec<Event>,
}

/// Lets a burst through, and then a line at a time.
struct Bucket {
    every: Duration,
    burst: u32,
    /// When the bucket will be full again; what of that lies ahead is what was used.
    full_at: Instant,
}

impl Bucket {
    /// When the next line may go.
    fn free_at(&self) -> Instant {
        self.full_at - self.every * self.burst.saturating_sub(1)
    }

    /// When a line may go that leaves one more to go at once, if the burst has two.
    fn spare_at(&self) -> Instant {
        self.full_at - self.every * self.burst.saturating_sub(2)
    }

    fn take(&mut self, now: Instant) -> bool {
        if self.every.is_zero() {
            return true;
        }
        if self.full_at > now && self.free_at() > now {
            return false;
        }
        self.full_at = self.full_at.max(now) + self.every;
        true
    }
}

impl Outbox {
    /// Empty.
    pub fn new(settings: &Settings, now: Instant) -> Self {
        Outbox {
            lanes: BTreeMap::new(),
            turn: 0,
            control: VecDeque::new(),
            unproved: VecDeque::new(),
            since_barrier: 0,
            number: 0,
            bucket: Bucket { every: settings.line_every(), burst: settings.burst, full_at: now },
            most_lines: settings.lines_per_answer,
            rests: Vec::new(),
        }
    }

    /// Takes a post.
    pub fn put(&mut self, post: Post, said: Said) {
        self.lane(&post).jobs.push_back(Job { post, said, begun: None });
    }

    fn lane(&mut self, post: &Post) -> &mut Lane {
        let name = match &post.to {
            Recipient::Room => &post.room.id,
            Recipient::Player(player) => &player.id,
        };
        // What was said there before the others' last turn makes no difference any more.
        self.lanes.retain(|each, lane| each == name || !lane.jobs.is_empty() || lane.turn > self.turn);
        let lane = self.lanes.entry(name.clone()).or_default();
        if lane.jobs.is_empty() {
            lane.turn = lane.turn.max(self.turn);
        }
        lane
    }

    /// The lane whose turn it is.
    fn next(&self) -> Option<String> {
        let ready = self.lanes.iter().filter(|(_, lane)| !lane.jobs.is_empty() && !lane.outside);
        ready.min_by_key(|(_, lane)| (lane.turn, lane.jobs.len())).map(|(name, _)| name.clone())
    }

    /// Takes a command of the bot's own.
    pub fn command(&mut self, command: Command) {
        self.control.push_back(command);
    }

    /// Whether nothing is left that can be said, or is not proved.
    pub fn is_done(&self) -> bool {
        self.next().is_none() && self.unproved.is_empty()
    }

    /// When more can be said; `None` if there is nothing.
    pub fn due(&self) -> Option<Instant> {
        let to_prove = self.unproved.iter().any(|each| each.label.is_none() && each.barrier.is_none());
        let to_say = self.next().is_some() || !self.control.is_empty();
        to_say.then(|| self.bucket.free_at()).or_else(|| to_prove.then(|| self.bucket.spare_at()))
    }

    /// Writes what may be said now. `labels`: the server echoes what it was sent, under the label it was sent with.
    pub fn pump(&mut self, now: Instant, labels: bool, address: impl Fn(&Post) -> Address, out: &mut VecDeque<u8>) {
        while !self.control.is_empty() && self.bucket.take(now) {
            let command = self.control.pop_front().expect("it was just looked at");
            wire::write(out, &command);
        }
        self.lanes.values_mut().for_each(|lane| lane.outside = false);
        while let Some(name) = self.next() {
            let lane = self.lanes.get_mut(&name).expect("it was just found");
            let job = lane.jobs.front_mut().expect("it has something");
            if job.begun.is_none() {
                match address(&job.post) {
                    Address::Here(target, verb, room) => {
                        let format::Said { lines, rest } = format::post(&job.post, room, self.most_lines);
                        job.begun = Some(Begun { verb, target, lines: lines.into(), written: false });
                        if !rest.is_empty() {
                            let Post { room, to, .. } = job.post.clone();
                            self.rests.push(Event::Rest { room, to, blocks: rest });
                        }
                    }
                    Address::Later => {
                        lane.outside = true;
                        continue;
                    }
                    Address::Never(why) => {
                        let job = lane.jobs.pop_front().expect("it was just looked at");
                        // Who asked may have stopped waiting, here and below.
                        let _ = job.said.send(Err(SendError::Never(why)));
                        continue;
                    }
                }
            }
            if job.begun.as_ref().is_some_and(|begun| begun.lines.is_empty()) {
                lane.jobs.pop_front().expect("it was just looked at").arrived(None);
                continue;
            }
            if !self.bucket.take(now) {
                break;
            }
            self.turn = lane.turn;
            lane.turn += 1;
            let begun = job.begun.as_mut().expect("it was just begun");
            begun.written = true;
            let text = begun.lines.pop_front().unwrap_or_default();
            let command = match begun.verb {
                Verb::Message => Command::PRIVMSG(begun.target.clone(), text),
                Verb::Notice => Command::NOTICE(begun.target.clone(), text),
            };
            let last = begun.lines.is_empty();
            let label = (labels && last).then(|| {
                self.number += 1;
                format!("a{}", self.number)
            });
            match &label {
                Some(label) => wire::write_text(out, &format!("@label={label} {}", String::from(&command))),
                None => wire::write(out, &command),
            }
            self.since_barrier += 1;
            if last {
                let job = lane.jobs.pop_front().expect("it was just looked at");
                self.unproved.push_back(Unproved { job, label, barrier: None });
            }
        }
        self.prove(now, out);
    }

    /// Asks the server for a sign that it has worked through what was written.
    fn prove(&mut self, now: Instant, out: &mut VecDeque<u8>) {
        let bare = |each: &Unproved| each.label.is_none() && each.barrier.is_none();
        if self.since_barrier < MOST_UNPROVED && self.next().is_some() {
            return;
        }
        let number = self.number + 1;
        if !self.unproved.iter().any(bare) {
            return;
        }
        // It counts as any line does, where the server counts; but the next answer shall not have to wait for it.
        let in_time =
            self.since_barrier >= MOST_UNPROVED || now >= self.bucket.spare_at() || self.bucket.every.is_zero();
        if !in_time || !self.bucket.take(now) {
            return;
        }
        for each in self.unproved.iter_mut().filter(|each| bare(each)) {
            each.barrier = Some(number);
        }
        self.number = number;
        wire::write(out, &Command::PING(format!("{BARRIER}{number}"), None));
        self.since_barrier = 0;
    }

    /// The server has worked through everything up to this PING.
    pub fn passed(&mut self, token: &str) {
        let Some(number) = token.strip_prefix(BARRIER).and_then(|number| number.parse::<u64>().ok()) else { return };
        let behind = |each: &Unproved| each.barrier.is_some_and(|barrier| barrier <= number);
        let (proved, open): (VecDeque<_>, _) = std::mem::take(&mut self.unproved).into_iter().partition(behind);
        self.unproved = open;
        proved.into_iter().for_each(|each| each.job.arrived(None));
    }

    /// The server sent back what it was sent under this label; `id` is what it calls it.
    pub fn echoed(&mut self, label: &str, id: Option<&str>) {
        if let Some(at) = self.labelled(label) {
            let proved = self.unproved.remove(at).expect("it was just found");
            proved.job.arrived(id.map(str::to_owned));
        }
    }

    fn labelled(&self, label: &str) -> Option<usize> {
        self.unproved.iter().position(|each| each.label.as_deref() == Some(label))
    }

    /// The server did not take a line: the one of this label, else the first to this target.
    pub fn refused(&mut self, label: Option<&str>, is_target: impl Fn(&str) -> bool, why: &str) {
        let to = |each: &Unproved| each.job.begun.as_ref().is_some_and(|begun| is_target(&begun.target));
        let at = match label {
            Some(label) => self.labelled(label),
            None => self.unproved.iter().position(to),
        };
        let Some(Unproved { mut job, .. }) = at.and_then(|at| self.unproved.remove(at)) else { return };
        if job.post.plain {
            let _ = job.said.send(Err(SendError::Never(why.to_owned())));
        } else {
            // Channels may take no colours.
            (job.post.plain, job.begun) = (true, None);
            self.lane(&job.post).jobs.push_front(job);
        }
    }

    /// The link is gone. What may not have arrived is said once more, marked; what was said once more already is not.
    pub fn lost(&mut self, now: Instant) {
        self.control.clear();
        // Servers count by connection.
        self.bucket.full_at = now;
        self.since_barrier = 0;
        let begun = self.lanes.values_mut().filter_map(|lane| {
            // The lines that are left are too long, maybe, under the nick that the bot will have.
            let first = lane.jobs.front_mut()?;
            match first.is_written() {
                true => lane.jobs.pop_front(),
                false => {
                    first.begun = None;
                    None
                }
            }
        });
        let begun: Vec<Job> = begun.collect();
        let unproved = std::mem::take(&mut self.unproved).into_iter().map(|each| each.job);
        for mut job in unproved.chain(begun).collect::<Vec<_>>().into_iter().rev() {
            if job.post.again {
                tracing::warn!(post = job.post.key, "an answer was repeated and may not have arrived");
                job.arrived(None);
                continue;
            }
            job.begun = None;
            job.post.again = true;
            self.lane(&job.post).jobs.push_front(job);
        }
    }

    /// Nothing more will be said.
    pub fn give_up(&mut self) {
        let waiting = std::mem::take(&mut self.lanes).into_values().flat_map(|lane| lane.jobs);
        for job in waiting.chain(std::mem::take(&mut self.unproved).into_iter().map(|each| each.job)) {
            if job.post.again && job.is_written() {
                // It was repeated, and is not repeated again.
                job.arrived(None);
            } else {
                let _ = job.said.send(Err(SendError::Unsaid));
            }
        }
    }
}

impl Job {
    fn is_written(&self) -> bool {
        self.begun.as_ref().is_some_and(|begun| begun.written)
    }

    fn arrived(self, id: Option<String>) {
        let _ = self.said.send(Ok(Sent { id }));
    }
}
