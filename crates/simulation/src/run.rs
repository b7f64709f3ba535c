//! One run: the bot with everything it depends on, in one thread, and the director, who chooses what happens next.
//!
//! Between two choices the bot's tasks run until each of them waits for something. The director controls all of that:
//! time, the disk, the network, and places where tasks are held.

mod berth;
mod lost;
pub mod machine;

use crate::disk::{Leased, Logged, Medium, Whole};
use crate::ground::Ground;
use crate::log::Log;
use crate::luck::Luck;
use crate::net::{Lane, Net, PRIVATE};
use crate::oracle::{Oracle, TEMPORARY};
use crate::script::{ADMIN, Act, Move, On, PEOPLE, Saying, Script, room_at};
use berth::Berth;
use chat::{Clock, Event, Message, PlayerId, RoomId, Speaker, Standing};
use jiff::{SignedDuration, Timestamp};
use journal::committer::Wait;
use journal::store::Lease;
use machine::Machine;
use std::sync::Arc;
use std::time::Duration;

/// The most choices until everything is at rest.
const REST: u32 = 20_000;

/// The longest time until then. What was asked for while the clock was years ahead is due in years.
const LONGEST: Duration = Duration::from_secs(10 * 86_400);

/// The most starts until everything is at rest.
const STARTS: u64 = 100;

/// How often a lease is renewed.
const RENEWED: Duration = Duration::from_secs(2);

/// For how many days temporary records are kept.
const DAYS: u16 = 14;

/// The most rooms of a network where they are asked,
const PROBED: usize = 20;
/// the questions asked before and after a last restart, which must not change the answers.
const PROBES: [&str; 5] = ["!history 30", "!set", "!macro", "!waiting", "!insp"];

/// The result of a run.
#[derive(Debug)]
pub struct Ended {
    /// What happened, one line each.
    pub log: Vec<String>,
    /// The first thing that was wrong.
    pub wrong: Option<String>,
}

/// Plays a script.
pub fn run(script: &Script) -> Ended {
    let mut director = Director::new(script);
    for each in &script.moves {
        director.play(each);
        if director.oracle.verdict().is_some() || director.has_lost() {
            break;
        }
    }
    if director.oracle.verdict().is_none() {
        if director.has_lost() { director.go_on_after_a_loss() } else { director.end() }
    }
    (0..director.berths.len()).for_each(|at| director.die(at));
    Ended { log: director.log.lines(), wrong: director.oracle.verdict().map(str::to_owned) }
}

struct Director<'a> {
    script: &'a Script,
    log: Log,
    /// The age of the world.
    elapsed: Duration,
    /// One machine, or two that share a store.
    berths: Vec<Berth>,
    nets: Vec<Arc<Net>>,
    starts: u64,
    oracle: Oracle,
    /// Makes the choices that no move determines.
    luck: Luck,
}

/// A possible next step, on one of the machines.
enum Choice {
    /// Start the bot, or let it look whether it may play.
    Start(usize),
    /// Release a held task.
    Release(usize, u64),
    /// Let a network deliver something.
    Deliver(usize),
    /// Let a network take a step for a post.
    GoOn(usize, Lane),
    /// Give the committer's writer a turn.
    Write(usize),
    /// Let the store do its work besides commits.
    Work(usize),
    /// Let this much time pass.
    Pass(Duration),
}

impl<'a> Director<'a> {
    fn new(script: &'a Script) -> Self {
        let log = Log::default();
        let mut luck = Luck::new(script.seed ^ 0x5eed);
        let mut grounds = Luck::new(luck.number());
        let net = |(place, (kind, rooms)): (usize, &(crate::net::Kind, usize))| {
            let name = format!("net{place}");
            let rooms = (0..*rooms).map(|room| RoomId::new(&name, room_at(room)));
            let members = |_: &RoomId| PEOPLE.map(|(id, shown)| (PlayerId::new(&name, id), shown.to_owned())).to_vec();
            let rooms = rooms.map(|room| (room.clone(), members(&room))).collect();
            Net::new(&name, *kind, rooms, log.clone())
        };
        let nets = script.nets.iter().enumerate().map(net).collect();
        let oracle = Oracle::new(log.clone(), script);
        let disks: Vec<Box<dyn Medium>> = match script.on {
            On::Whole => vec![Box::new(Whole::new(log.clone()))],
            On::Log => vec![Box::new(Logged::new(log.clone(), Luck::new(script.seed ^ 0xd15c)))],
            On::Shared => Leased::pair(&log, Luck::new(script.seed ^ 0x1ea5), script.standby)
                .map(|disk| Box::new(disk) as _)
                .into(),
        };
        let berth = |disk| {
            let ground = Ground::new(grounds.clone(), script.holds);
            grounds.number();
            Berth::new(disk, ground)
        };
        let berths = disks.into_iter().map(berth).collect();
        Director { script, log, elapsed: Duration::ZERO, berths, nets, starts: 0, oracle, luck }
    }

    /// Makes a move, then lets the bot work for a while.
    fn play(&mut self, each: &Move) {
        let mut luck = Luck::new(each.luck);
        if !matches!(each.act, Act::Say(_)) {
            self.log.note(format!("{:?}", each.act));
        }
        match &each.act {
            Act::Say(saying) => self.say(saying, None, &mut luck),
            Act::Edit(saying, of) | Act::Redact(saying, of) => self.say(saying, Some((of, &each.act)), &mut luck),
            Act::Crash => {
                let at = self.some_bot(&mut luck);
                self.crash(at, &mut luck);
                self.berths[at].is_off = self.is_shared() && luck.percent(50);
            }
            Act::CrashInWrite => self.some_disk(&mut luck).stop_in_write(Luck::new(luck.number())),
            Act::Stop => {
                let at = self.some_bot(&mut luck);
                self.stop(at, &mut luck);
            }
            Act::Fail(fault) => {
                self.oracle.marks_failed = true;
                self.some_disk(&mut luck).fail(*fault, Luck::new(luck.number()));
            }
            Act::Befalls(blow) => {
                self.oracle.marks_failed = true;
                self.some_disk(&mut luck).befalls(*blow, Luck::new(luck.number()));
            }
            Act::Freeze => {
                self.oracle.marks_failed = true;
                let at = self.some_bot(&mut luck);
                self.berths.iter_mut().for_each(|berth| berth.is_frozen = false);
                self.berths[at].is_frozen = true;
            }
            Act::Thaw => self.thaw(),
            Act::Heal => self.heal(),
            Act::Pass(ms) => self.pass_slowly(Duration::from_millis(*ms), &mut luck),
            Act::Sweep => self.sweep(),
            Act::Wrong(seconds) => self.set_wrong(SignedDuration::from_secs(*seconds)),
        }
        self.look(&mut luck);
        for _ in 0..each.steps {
            self.step(&mut luck);
        }
    }

    fn say(&mut self, saying: &Saying, about: Option<(&String, &Act)>, luck: &mut Luck) {
        let net = self.nets[saying.net].clone();
        let saying = &self.oracle.filled_in(&net.name, saying);
        let (player, shown) = PEOPLE[saying.who];
        let room = saying.room.map_or_else(|| format!("{PRIVATE}{player}"), room_at);
        let standing = if saying.who == ADMIN { Standing::Admin } else { Standing::Member };
        let speaker = Speaker { standing, ..Speaker::new(PlayerId::new(&net.name, player), shown) };
        let sent = self.now().saturating_add(SignedDuration::from_secs(saying.forged));
        let sent = sent.unwrap_or(Timestamp::UNIX_EPOCH);
        let room = RoomId::new(&net.name, room);
        self.log.note(format!("{} in {room}: {} {:?}", shown, saying.id, saying.text));
        let private = saying.room.is_none();
        let message = Message { private, ..Message::new(&saying.id, room, speaker, sent, &saying.text) };
        let event = match about {
            None => Event::Said(message),
            Some((of, act)) => {
                self.oracle.touched(&net.name, of);
                match act {
                    Act::Redact(..) => Event::Redacted { message, of: of.clone() },
                    _ => Event::Edited { message, original: of.clone() },
                }
            }
        };
        // Where nothing can be edited, edits are not heard either.
        if about.is_none() || net.kind.guarantees().edits == chat::Edits::Shown {
            self.oracle.said(&net.name, saying);
            net.happen(event, luck);
        }
    }

    /// Removes old records, after a look at how much is kept.
    fn sweep(&mut self) {
        let now = self.now();
        for berth in &self.berths {
            if let (Some(bot), false) = (&berth.bot, berth.is_frozen) {
                let records = TEMPORARY.iter().map(|prefix| bot.kept(prefix)).sum();
                self.oracle.bounded(records, berth.ground.wakings().len());
                bot.sweep(now, DAYS);
            }
        }
    }

    fn is_shared(&self) -> bool {
        self.script.on == On::Shared
    }

    /// A machine where a bot runs, or any.
    fn some_bot(&self, luck: &mut Luck) -> usize {
        if !self.is_shared() {
            return 0;
        }
        let first = luck.below(self.berths.len());
        let all = (first..first + self.berths.len()).map(|at| at % self.berths.len());
        all.clone().find(|at| self.berths[*at].bot.is_some() && !self.berths[*at].is_frozen).unwrap_or(first)
    }

    fn some_disk(&self, luck: &mut Luck) -> &dyn Medium {
        &*self.berths[self.some_bot(luck)].disk
    }

    /// The wall clock of a machine that goes on.
    fn now(&self) -> Timestamp {
        self.berths.iter().find(|berth| !berth.is_frozen).unwrap_or(&self.berths[0]).ground.now()
    }

    fn set_wrong(&self, by: SignedDuration) {
        self.berths.iter().for_each(|berth| berth.ground.set_wrong(by));
    }

    /// The machines that are on and not frozen.
    fn going(&self) -> Vec<usize> {
        (0..self.berths.len()).filter(|at| self.berths[*at].goes()).collect()
    }

    fn thaw(&mut self) {
        self.berths.iter_mut().for_each(|berth| (berth.is_frozen, berth.is_off) = (false, false));
        self.pass_to(self.elapsed);
    }

    fn heal(&mut self) {
        self.berths.iter().for_each(|berth| berth.disk.heal());
        self.thaw();
    }

    /// Makes one choice.
    fn step(&mut self, luck: &mut Luck) {
        if !self.is_shared() && self.berths[0].bot.is_none() {
            return self.start(0);
        }
        let mut choices = Vec::new();
        for at in self.going() {
            let berth = &self.berths[at];
            if berth.bot.is_none() {
                choices.push(Choice::Start(at));
                continue;
            }
            choices.extend(berth.ground.held().into_iter().map(|id| Choice::Release(at, id)));
        }
        choices.extend((0..self.nets.len()).filter(|place| self.nets[*place].can_deliver()).map(Choice::Deliver));
        choices.extend(self.busy().into_iter().map(|(net, lane)| Choice::GoOn(net, lane)));
        for at in self.going().into_iter().filter(|at| self.berths[*at].bot.is_some()) {
            choices.extend([Choice::Write(at), Choice::Write(at)]);
            choices.extend((self.script.on != On::Whole).then_some(Choice::Work(at)));
        }
        choices.push(Choice::Pass(Duration::from_millis(luck.number() % 5)));
        let choice = choices.swap_remove(luck.below(choices.len()));
        match choice {
            Choice::Start(at) => self.start(at),
            Choice::Release(at, id) => self.berths[at].ground.release(id),
            Choice::Deliver(place) => self.nets[place].deliver(luck),
            Choice::GoOn(place, lane) => self.nets[place].go_on(&lane, luck, self.script.refuses),
            Choice::Write(at) => drop(self.berths[at].write()),
            Choice::Work(at) => self.berths[at].disk.work(Luck::new(luck.number())),
            Choice::Pass(time) => self.pass_to(self.elapsed + time),
        }
        self.look(luck);
    }

    /// Lets time pass up to this age of the world.
    fn pass_to(&mut self, elapsed: Duration) {
        self.elapsed = self.elapsed.max(elapsed);
        self.berths.iter().for_each(|berth| berth.pass(self.elapsed));
    }

    /// Lets time pass. Where a lease must be renewed meanwhile, it mostly is.
    fn pass_slowly(&mut self, time: Duration, luck: &mut Luck) {
        let until = self.elapsed + time;
        while self.is_shared() && self.elapsed + RENEWED < until && self.oracle.verdict().is_none() {
            self.pass_to(self.elapsed + RENEWED);
            for at in self.going() {
                match self.berths[at].bot {
                    None => self.start(at),
                    Some(_) if luck.percent(95) => self.berths[at].disk.renew(),
                    Some(_) => {}
                }
            }
            self.look(luck);
        }
        self.pass_to(until);
    }

    /// Lets the tasks run until all wait, and checks the result.
    fn look(&mut self, luck: &mut Luck) {
        if let Some(now) = self.berths[0].disk.now() {
            self.pass_to(now);
        }
        for at in 0..self.berths.len() {
            self.look_at(at, luck);
        }
        if let Some(panic) = machine::panicked() {
            self.oracle.wrong(format!("a panic: {panic}"));
        }
        if self.has_lost() {
            // What was said is no longer what is kept.
            return;
        }
        self.oracle.tells_time(self.now());
        for net in self.nets.clone() {
            net.new_wires().into_iter().for_each(|wire| self.oracle.saw(&net, wire));
        }
        if let Some(wrong) = self.berths[0].disk.wrong() {
            self.oracle.wrong(wrong);
        }
    }

    fn look_at(&mut self, at: usize, luck: &mut Luck) {
        if self.berths[at].disk.stopped() {
            self.log.note("the machine stopped in a write");
            return self.crash(at, luck);
        }
        let Berth { bot: Some(bot), is_frozen: false, .. } = &mut self.berths[at] else { return };
        bot.run_until_idle();
        if bot.fallen.is_deadly() {
            self.log.note("the bot does not survive that");
            self.oracle.deaths += 1;
            return self.crash(at, luck);
        }
        if let Some(ended) = bot.ended() {
            self.log.note(format!("the bot ended: {ended}"));
            self.die(at);
            return self.berths[at].disk.let_go();
        }
        // Whoever watches the lease may come a little late.
        match bot.lease() {
            Lease::Own | Lease::Held => {}
            Lease::Ended => bot.stop(),
            Lease::Taken => {
                self.log.note("the lease is over, and the bot ends where it stands");
                self.crash(at, luck);
            }
        }
    }

    fn start(&mut self, at: usize) {
        // Looking whether it may play is no start.
        self.starts += u64::from(!self.is_shared());
        let number = self.starts + u64::from(self.is_shared());
        let berth = &mut self.berths[at];
        match Machine::start(self.script, (number, at), &*berth.disk, &berth.ground, &self.nets) {
            Ok(bot) => {
                self.log.note(format!("start {number}, on machine {at}"));
                (berth.bot, self.starts) = (Some(bot), number);
            }
            Err(error) => self.log.note(format!("it does not start on machine {at}: {error}")),
        }
        let mut luck = self.luck.clone();
        self.look(&mut luck);
    }

    /// Kills a bot, losing everything in its memory.
    fn crash(&mut self, at: usize, luck: &mut Luck) {
        self.log.note("crash");
        self.berths[at].disk.crash(Luck::new(luck.number()));
        self.die(at);
        self.nets.iter().for_each(|net| net.cut(at, luck));
        self.look(luck);
    }

    fn die(&mut self, at: usize) {
        if let Some(bot) = self.berths[at].bot.take() {
            self.oracle.ends += 1;
            bot.die();
        }
    }

    /// Stops a bot in order.
    fn stop(&mut self, at: usize, luck: &mut Luck) {
        let Berth { bot: Some(bot), is_frozen: false, .. } = &mut self.berths[at] else { return };
        bot.stop();
        for _ in 0..REST {
            self.look(luck);
            if self.berths[at].bot.is_none() {
                return;
            }
            let wait = self.berths[at].write();
            self.look(luck);
            let ground = &self.berths[at].ground;
            let held = ground.held();
            held.iter().for_each(|id| ground.release(*id));
            // Posts may or may not be said while the bot waits for them.
            for (net, lane) in self.busy() {
                if luck.percent(30) {
                    self.nets[net].go_on(&lane, luck, 0);
                }
            }
            if held.is_empty() && !matches!(wait, Some(Wait::No)) {
                self.pass_to(self.elapsed + Duration::from_millis(500));
                self.berths[at].disk.renew();
            }
        }
        self.oracle.wrong("the bot does not stop");
    }

    /// Where posts are under way: the networks, and machines that go on.
    fn busy(&self) -> Vec<(usize, Lane)> {
        let lanes = |place: usize| self.nets[place].busy_lanes().into_iter().map(move |lane| (place, lane));
        let all = (0..self.nets.len()).flat_map(lanes);
        all.filter(|(_, (machine, _))| self.berths[*machine].goes()).collect()
    }

    /// Nothing goes wrong any more and everything comes to rest. Then everything must be right, also after a restart.
    fn end(&mut self) {
        let mut luck = self.luck.clone();
        self.log.note("from now on nothing goes wrong");
        self.heal();
        self.berths.iter().for_each(|berth| berth.ground.calm());
        self.rest(&mut luck);
        self.check();
        if self.oracle.verdict().is_some() {
            return;
        }
        let asked = self.now();
        let before = self.probe("before", &mut luck);
        let at = self.some_bot(&mut luck);
        if luck.percent(50) {
            self.crash(at, &mut luck);
        } else {
            self.stop(at, &mut luck);
        }
        // Then the other one takes over.
        self.berths[at].is_off = self.is_shared() && luck.percent(50);
        self.oracle.marks_failed = false;
        self.rest(&mut luck);
        // Asked at the same wall-clock time, because some answers say how long ago something was.
        self.set_wrong(asked.duration_since(self.now()));
        let after = self.probe("after", &mut luck);
        if self.oracle.verdict().is_some() {
            return;
        }
        for (before, after) in before.iter().zip(&after).filter(|(before, after)| before != after) {
            self.oracle.wrong(format!("a restart changed an answer: {before:?} became {after:?}"));
        }
        self.check();
        self.grow_old(&mut luck);
    }

    /// Checks that temporary records are gone once they are old.
    fn grow_old(&mut self, luck: &mut Luck) {
        // The first sweep gives each record its age.
        for _ in 0..2 {
            let bots = self.berths.iter().filter_map(|berth| berth.bot.as_ref());
            bots.for_each(|bot| bot.sweep(self.now(), 0));
            self.rest(luck);
        }
        if self.oracle.verdict().is_none() {
            self.oracle.grown_old(&self.berths[0].disk.contents());
        }
    }

    fn check(&mut self) {
        let contents = self.berths[0].disk.contents();
        for bot in self.berths.iter_mut().filter_map(|berth| berth.bot.as_mut()) {
            if let Some(key) = bot.unwritten(&contents) {
                self.oracle.wrong(format!("{key} is read otherwise than it is on the disk when everything is at rest"));
            }
            for net in &self.nets {
                if net.desk().is_some_and(|desk| !bot.settles(desk)) {
                    self.oracle.wrong(format!("{} does not settle when everything is at rest", net.name));
                }
            }
        }
        if let Some(wrong) = self.berths[0].disk.wrong() {
            self.oracle.wrong(wrong);
        }
        let fell = self.berths.iter().find_map(|berth| berth.bot.as_ref()).map(|bot| bot.fallen.all());
        self.oracle.at_rest(&self.nets.clone(), contents, &fell.unwrap_or_default());
    }

    /// Asks for what the tables know. Returns the answers.
    fn probe(&mut self, when: &str, luck: &mut Luck) -> Vec<Vec<String>> {
        let mut asked = Vec::new();
        for (net, (_, rooms)) in self.script.nets.iter().enumerate().filter(|_| !self.script.limited) {
            for room in (0..*rooms).step_by(rooms.div_ceil(PROBED)) {
                for (place, text) in PROBES.iter().enumerate() {
                    let (id, text) = (format!("{when}-{place}"), (*text).to_owned());
                    let id = format!("{id}-{room}");
                    asked.push((net, room, id.clone()));
                    let (wants, forged) = Default::default();
                    self.say(&Saying { net, room: Some(room), who: ADMIN, id, text, wants, forged }, None, luck);
                }
            }
        }
        self.rest(luck);
        let answers = |(net, room, id): &(usize, usize, String)| {
            let name = &self.nets[*net].name;
            self.oracle.answers_to(name, &RoomId::new(name, room_at(*room)), id)
        };
        asked.iter().map(answers).collect()
    }

    /// Lets everything happen until nothing more can.
    fn rest(&mut self, luck: &mut Luck) {
        let most = self.starts + STARTS;
        let longest = self.elapsed + LONGEST;
        for _ in 0..REST {
            if self.starts > most {
                return self.oracle.wrong("the bot does not survive what it plays at each start");
            }
            if self.oracle.verdict().is_some() {
                return;
            }
            let Some(at) = self.berths.iter().position(|berth| berth.bot.is_some()) else {
                self.going().into_iter().for_each(|at| self.start(at));
                if self.is_shared() {
                    self.pass_to(self.elapsed + RENEWED);
                }
                continue;
            };
            self.look(luck);
            let wait = self.berths[at].write();
            let mut busy = matches!(wait, Some(Wait::No));
            for place in 0..self.nets.len() {
                if self.nets[place].can_deliver() {
                    self.nets[place].deliver(luck);
                    busy = true;
                }
            }
            for (net, lane) in self.busy() {
                self.nets[net].go_on(&lane, luck, 0);
                busy = true;
            }
            self.look(luck);
            if busy {
                continue;
            }
            let berth = &self.berths[at];
            let due = berth.bot.as_ref().and_then(|bot| bot.due(wait));
            match due.into_iter().chain(berth.ground.wakings().into_iter().min()).min() {
                Some(time) if time <= longest => self.pass_to(time),
                _ if berth.bot.is_some() => return berth.disk.settle(),
                // The bot did not survive what it played.
                _ => continue,
            }
            self.berths[at].disk.renew();
            self.look(luck);
        }
        self.oracle.wrong("it does not come to rest");
    }
}
