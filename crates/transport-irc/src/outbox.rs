//! The queue of what to say: fair among rooms, no faster than the network allows, and kept until it is proved to have
//! arrived.

mod job;
mod lanes;

pub use lanes::{Aside, Side};

use crate::pace::Bucket;
use crate::settings::Settings;
use crate::wire;
use chat::{Event, Post, Recipient, SendError, Sent};
use irc_proto::Command;
use job::Job;
use lanes::{Lane, Lanes, Next};
use std::collections::VecDeque;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::Instant;

/// The prefix of PING tokens that prove arrival.
pub const BARRIER: &str = "said-";
/// After this many unproved lines a proof is requested even though there is more to say.
const MOST_UNPROVED: u32 = 4;
/// While more answers to one player than this wait in a lane, each is cut to one line; the rest is shown on request.
const MOST_WHOLE: usize = 3;
/// Of this many lines, one may be spent on asking who somebody is or on answering somebody's client.
const ASIDE: u32 = 4;
/// How much the pace slows each time the server closes the link for flooding, and how much at most.
const SLOWER: u32 = 2;
const SLOWEST: u32 = 8;
/// The slowest pace in that case, if the operator set no limit.
const SLOW: Duration = Duration::from_millis(500);
/// How long the bot stays careful after flooding.
const CAREFUL: Duration = Duration::from_secs(1_800);

/// Receives the answer to "was it said?".
pub type Said = oneshot::Sender<Result<Sent, SendError>>;

/// How a line is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// PRIVMSG.
    Message,
    /// NOTICE.
    Notice,
}

/// The destination of a post.
pub enum Address {
    /// This nick or channel, in lines of at most this many bytes of text.
    Here(String, Verb, usize),
    /// Nowhere until the bot is in the channel.
    Later,
    /// Nowhere, for this reason.
    Never(String),
}

/// What an outbox needs to know about the place where it speaks.
pub trait Place {
    /// True if the server echoes lines under the labels they were sent with.
    fn labels(&self) -> bool;
    /// The destination of a post.
    fn address(&self, post: &Post, now: Instant) -> Address;
    /// Who reads a post.
    fn side(&self, post: &Post) -> Side;
}

/// A post whose last line was written but not proved to have arrived.
struct Unproved {
    job: Job,
    /// The label of its last line, if the server echoes labels.
    label: Option<String>,
    /// The number of the PING after it, once there is one.
    barrier: Option<u64>,
}

/// Everything to be said.
pub struct Outbox {
    lanes: Lanes,
    /// The bot's own commands, ahead of all lanes. Questions and answers that other people cause are asides instead.
    control: VecDeque<Command>,
    /// People whom the server was just asked about.
    pub asked: Vec<String>,
    unproved: VecDeque<Unproved>,
    /// Lines written since the last PING.
    since_barrier: u32,
    number: u64,
    bucket: Bucket,
    /// The operator's pace, and until when the bot is slower than that.
    usual: (Duration, u32),
    careful_until: Option<Instant>,
    most_lines: usize,
    /// The parts that did not fit, reported to the core before anybody can ask for them.
    pub rests: Vec<Event>,
}

impl Outbox {
    /// An empty outbox.
    pub fn new(settings: &Settings, now: Instant) -> Self {
        Outbox {
            lanes: Lanes::new(Bucket::new(settings.line_every() * ASIDE, 2, now)),
            control: VecDeque::new(),
            asked: Vec::new(),
            unproved: VecDeque::new(),
            since_barrier: 0,
            number: 0,
            bucket: Bucket::new(settings.line_every(), settings.burst, now),
            usual: (settings.line_every(), settings.burst),
            careful_until: None,
            most_lines: settings.lines_per_answer,
            rests: Vec::new(),
        }
    }

    /// Takes a post.
    pub fn put(&mut self, post: Post, said: Said) {
        self.lane(&post).jobs.push_back(Job { post, said, begun: None });
    }

    fn lane(&mut self, post: &Post) -> &mut Lane {
        match &post.to {
            Recipient::Room => self.lanes.lane(&post.room.id),
            Recipient::Player(player) => self.lanes.lane(&player.id),
        }
    }

    /// Takes one of the bot's own commands.
    pub fn command(&mut self, command: Command) {
        self.control.push_back(command);
    }

    /// Takes a question or answer that somebody else causes. Returns true if there is room for it.
    pub fn aside(&mut self, aside: Aside) -> bool {
        self.lanes.put_aside(aside)
    }

    /// True if nothing is left to say and everything said is proved.
    pub fn is_done(&self) -> bool {
        !self.lanes.has_to_say() && self.unproved.is_empty()
    }

    /// When more can be said; `None` if there is nothing.
    pub fn due(&self) -> Option<Instant> {
        let to_prove = self.unproved.iter().any(|each| each.label.is_none() && each.barrier.is_none());
        let free = self.bucket.free_at();
        let to_say = (self.lanes.has_to_say() || !self.control.is_empty()).then_some(free);
        let aside = self.lanes.aside_at().map(|at| at.max(free));
        let soon = to_say.into_iter().chain(aside).min();
        soon.or_else(|| to_prove.then(|| self.bucket.spare_at()))
    }

    /// The server closed the link because too much came at once: slows down for a while.
    pub fn too_fast(&mut self, now: Instant) {
        let (every, _) = self.usual;
        let most = every.max(SLOW) * SLOWEST;
        (self.bucket.every, self.bucket.burst) = ((self.bucket.every * SLOWER).clamp(SLOW, most), 1);
        self.careful_until = Some(now + CAREFUL);
    }

    /// Writes what may be said now.
    pub fn pump(&mut self, now: Instant, place: &impl Place, out: &mut VecDeque<u8>) {
        if self.careful_until.take_if(|until| *until <= now).is_some() {
            (self.bucket.every, self.bucket.burst) = self.usual;
        }
        while !self.control.is_empty() && self.bucket.take(now) {
            let command = self.control.pop_front().expect("it was just looked at");
            wire::write(out, &command);
        }
        self.lanes.look(|job| place.side(&job.post));
        while let Some(next) = self.lanes.next(now) {
            let goes_on = match next {
                Next::Say(name) => self.say(&name, now, place, out),
                Next::Aside => self.bucket.take(now) && self.ask(now, out),
            };
            if !goes_on {
                break;
            }
        }
        self.prove(now, out);
    }

    fn ask(&mut self, now: Instant, out: &mut VecDeque<u8>) -> bool {
        let Some(Aside { command, of }) = self.lanes.aside(now) else { return false };
        wire::write(out, &command);
        self.asked.extend(of);
        true
    }

    /// Says the next line of a lane, or finds that it cannot be said. Returns true to go on.
    fn say(&mut self, name: &str, now: Instant, place: &impl Place, out: &mut VecDeque<u8>) -> bool {
        let paced = !self.bucket.every.is_zero();
        let lane = self.lanes.busy(name);
        let (waiting, mut begins) = (lane.choose(), false);
        let job = lane.jobs.front_mut().expect("it has something");
        job.forget_erased();
        if !job.post.permit.is_given() {
            lane.jobs.pop_front().expect("it was just looked at").left();
            return true;
        }
        // Looked up for each line, because a nick may change hands in between.
        match (place.address(&job.post, now), &mut job.begun) {
            (Address::Here(target, ..), Some(begun)) => begun.target = target,
            (Address::Here(target, verb, room), None) => {
                let most = if paced && waiting > MOST_WHOLE { 1 } else { self.most_lines };
                let rest = job.begin(target, verb, (room, most));
                self.rests.extend(rest);
                begins = true;
            }
            (Address::Later, _) => {
                lane.outside = true;
                return true;
            }
            (Address::Never(why), _) => {
                let job = lane.jobs.pop_front().expect("it was just looked at");
                // The receiver may have stopped waiting.
                let _ = job.said.send(Err(SendError::Never(why)));
                return true;
            }
        }
        if job.begun.as_ref().is_some_and(|begun| begun.lines.is_empty()) {
            lane.jobs.pop_front().expect("it was just looked at").arrived(None);
            return true;
        }
        if begins {
            lane.served();
        }
        if !self.bucket.take(now) {
            return false;
        }
        self.write(name, place, out);
        self.lanes.said(name);
        true
    }

    fn write(&mut self, name: &str, place: &impl Place, out: &mut VecDeque<u8>) {
        let lane = self.lanes.busy(name);
        let begun = lane.jobs.front_mut().and_then(|job| job.begun.as_mut()).expect("it was just begun");
        begun.written = true;
        let text = begun.lines.pop_front().unwrap_or_default();
        let command = match begun.verb {
            Verb::Message => Command::PRIVMSG(begun.target.clone(), text),
            Verb::Notice => Command::NOTICE(begun.target.clone(), text),
        };
        let last = begun.lines.is_empty();
        let label = (place.labels() && last).then(|| {
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

    /// Asks the server for a sign that it has processed everything written so far.
    fn prove(&mut self, now: Instant, out: &mut VecDeque<u8>) {
        let bare = |each: &Unproved| each.label.is_none() && each.barrier.is_none();
        if self.since_barrier < MOST_UNPROVED && self.lanes.has_to_say() {
            return;
        }
        let number = self.number + 1;
        if !self.unproved.iter().any(bare) {
            return;
        }
        // The PING counts against the pace like any line, but the next answer must not have to wait for it.
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

    /// The server has processed everything before this PING.
    pub fn passed(&mut self, token: &str) {
        let Some(number) = token.strip_prefix(BARRIER).and_then(|number| number.parse::<u64>().ok()) else { return };
        let behind = |each: &Unproved| each.barrier.is_some_and(|barrier| barrier <= number);
        let (proved, open): (VecDeque<_>, _) = std::mem::take(&mut self.unproved).into_iter().partition(behind);
        self.unproved = open;
        proved.into_iter().for_each(|each| each.job.arrived(None));
    }

    /// The server echoed a line under this label; `id` is the message id it gave.
    pub fn echoed(&mut self, label: &str, id: Option<&str>) {
        if let Some(at) = self.labelled(label) {
            let proved = self.unproved.remove(at).expect("it was just found");
            proved.job.arrived(id.map(str::to_owned));
        }
    }

    fn labelled(&self, label: &str) -> Option<usize> {
        self.unproved.iter().position(|each| each.label.as_deref() == Some(label))
    }

    /// The server refused a line: the one with this label, or else the first to this target. Returns the post if it cannot
    /// be said at all.
    pub fn refused(&mut self, label: Option<&str>, is_target: impl Fn(&str) -> bool) -> Option<(Post, Said)> {
        let to = |each: &Unproved| each.job.begun.as_ref().is_some_and(|begun| is_target(&begun.target));
        let at = match label {
            Some(label) => self.labelled(label),
            None => self.unproved.iter().position(to),
        };
        let Unproved { mut job, .. } = at.and_then(|at| self.unproved.remove(at))?;
        if job.post.plain {
            return Some((job.post, job.said));
        }
        // The channel may forbid colours.
        (job.post.plain, job.begun) = (true, None);
        self.lane(&job.post).jobs.push_front(job);
        None
    }

    /// The link is lost. Posts that may not have arrived are repeated once, marked; those already repeated are not.
    pub fn lost(&mut self, network: &str, now: Instant) {
        self.control.clear();
        self.lanes.drop_asides(now);
        self.asked.clear();
        // Servers count by connection.
        self.bucket.refill(now);
        self.since_barrier = 0;
        let begun = self.lanes.each().filter_map(|lane| {
            // The bot may have a longer nick next time, so the remaining lines may be too long.
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
                tracing::warn!(network, post = job.post.key, "an answer was repeated and may not have arrived");
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
        let waiting = self.lanes.take_all().into_iter();
        for job in waiting.chain(std::mem::take(&mut self.unproved).into_iter().map(|each| each.job)) {
            job.left();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chat::{Block, Erased, Permit, PlayerId, RoomId, Span};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// A place with one channel, where every line may be long.
    struct Hall;

    impl Place for Hall {
        fn labels(&self) -> bool {
            false
        }

        fn address(&self, post: &Post, _: Instant) -> Address {
            Address::Here(post.room.id.clone(), Verb::Message, 400)
        }

        fn side(&self, _: &Post) -> Side {
            Side::Channel
        }
    }

    /// An outbox that says a line a second, three in each answer.
    fn outbox(now: Instant) -> Outbox {
        Outbox::new(&toml::from_str("server = \"x\"\nburst = 1").unwrap(), now)
    }

    /// An answer of three lines to somebody.
    fn put(outbox: &mut Outbox, by: &str, number: u32, mirrored: bool) {
        let lines = (1..=3).map(|line| Block::Line(vec![Span::Text(format!("{by} {number} line {line}"))])).collect();
        let post = Post::new(format!("{by}{number}"), RoomId::new("n", "#hall"), lines);
        outbox.put(Post { by: Some(PlayerId::new("n", by)), mirrored, ..post }, oneshot::channel().0);
    }

    /// The first word and number of each answer said in so many seconds, and the number of lines.
    fn said(outbox: &mut Outbox, from: Instant, seconds: u32) -> (Vec<String>, usize) {
        let mut out = VecDeque::new();
        (0..seconds).for_each(|second| outbox.pump(from + Duration::from_secs(1) * second, &Hall, &mut out));
        let text = String::from_utf8(out.into()).unwrap();
        let lines: Vec<_> = text.lines().filter_map(|line| line.split_once(" :")).map(|(_, said)| said).collect();
        let mut answers: Vec<String> = lines.iter().map(|said| said.chars().take(5).collect()).collect();
        answers.dedup();
        (answers, lines.len())
    }

    #[test]
    fn who_has_much_to_be_answered_holds_nobody_up_in_the_same_room() {
        let now = Instant::now();
        let mut outbox = outbox(now);
        (1..=9).for_each(|number| put(&mut outbox, "mia", number, false));
        put(&mut outbox, "gus", 1, false);
        put(&mut outbox, "ann", 1, false);
        let (answers, _) = said(&mut outbox, now, 12);
        assert_eq!(answers[..4], ["mia 1", "gus 1", "ann 1", "mia 2"]);
    }

    #[test]
    fn while_many_answers_to_one_player_wait_each_is_one_line() {
        let now = Instant::now();
        let mut outbox = outbox(now);
        (1..=9).for_each(|number| put(&mut outbox, "mia", number, false));
        let (answers, lines) = said(&mut outbox, now, 60);
        assert_eq!((answers.len(), lines), (9, 6 + 3 * 3), "the last three wait alone and are whole");
        assert_eq!(outbox.rests.len(), 6, "the rest is there to be asked for");
    }

    #[test]
    fn a_rooms_own_answers_go_before_what_is_mirrored() {
        let now = Instant::now();
        let mut outbox = outbox(now);
        (1..=3).for_each(|number| put(&mut outbox, "far", number, true));
        put(&mut outbox, "mia", 1, false);
        put(&mut outbox, "gus", 1, false);
        put(&mut outbox, "mia", 2, false);
        let (answers, _) = said(&mut outbox, now, 60);
        assert_eq!(answers, ["mia 1", "gus 1", "mia 2", "far 1", "far 2", "far 3"]);
    }

    #[test]
    fn nothing_is_said_once_it_may_not_be_and_what_waits_is_left_for_later() {
        let (now, may) = (Instant::now(), Arc::new(AtomicBool::new(true)));
        let mut outbox = outbox(now);
        (1..=3).for_each(|number| put(&mut outbox, "mia", number, false));
        for job in outbox.lanes.each().flat_map(|lane| &mut lane.jobs) {
            let may = may.clone();
            job.post.permit = Permit::while_true(move || may.load(Ordering::Relaxed));
        }
        assert_eq!(said(&mut outbox, now, 1).0, ["mia 1"]);
        may.store(false, Ordering::Relaxed);
        assert_eq!(said(&mut outbox, now + Duration::from_secs(60), 20).1, 0);
        assert!(!outbox.lanes.has_to_say());
    }

    #[test]
    fn words_that_are_erased_while_an_answer_waits_are_not_said() {
        let now = Instant::now();
        let mut outbox = outbox(now);
        put(&mut outbox, "mia", 1, false);
        put(&mut outbox, "gus", 1, false);
        let erased: Vec<_> =
            outbox.lanes.each().flat_map(|lane| &lane.jobs).map(|job| job.post.erased.clone()).collect();
        assert_eq!(said(&mut outbox, now, 1).0, ["mia 1"]);
        erased.iter().for_each(Erased::set);
        let (answers, lines) = said(&mut outbox, now + Duration::from_secs(10), 20);
        assert_eq!((answers, lines), (vec!["What ".to_owned()], 1), "a note in place of what was not begun");
        assert!(!outbox.lanes.has_to_say());
    }
}
