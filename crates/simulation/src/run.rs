//! One run: the bot with everything it depends on, in one thread, and the director, who chooses what happens next.
//!
//! Between two choices the bot's tasks run until each of them waits for something. The director controls all of that:
//! time, the disk, the network, and places where tasks are held.

pub mod machine;

use crate::disk::{Logged, Medium, Whole};
use crate::ground::Ground;
use crate::log::Log;
use crate::luck::Luck;
use crate::net::{Net, PRIVATE};
use crate::oracle::{Oracle, TEMPORARY};
use crate::script::{ADMIN, Act, Move, On, PEOPLE, Saying, Script, room_at};
use chat::{Clock, Event, Message, PlayerId, RoomId, Speaker, Standing};
use jiff::{SignedDuration, Timestamp};
use journal::committer::Wait;
use machine::Machine;
use std::sync::Arc;
use std::time::Duration;

/// The most choices until everything is at rest.
const REST: u32 = 20_000;

/// The longest time until then. What was asked for while the clock was years ahead is due in years.
const LONGEST: Duration = Duration::from_secs(10 * 86_400);

/// The most starts until everything is at rest.
const STARTS: u64 = 100;

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
        if director.oracle.verdict().is_some() {
            break;
        }
    }
    if director.oracle.verdict().is_none() {
        director.end();
    }
    director.die();
    Ended { log: director.log.lines(), wrong: director.oracle.verdict().map(str::to_owned) }
}

struct Director<'a> {
    script: &'a Script,
    log: Log,
    ground: Ground,
    disk: Box<dyn Medium>,
    nets: Vec<Arc<Net>>,
    machine: Option<Machine>,
    starts: u64,
    oracle: Oracle,
    /// Makes the choices that no move determines.
    luck: Luck,
}

/// A possible next step.
enum Choice {
    /// Release a held task.
    Release(u64),
    /// Let a network deliver something.
    Deliver(usize),
    /// Let a network take a step for a post.
    GoOn(usize, RoomId),
    /// Give the committer's writer a turn.
    Write,
    /// Let the store do its work besides commits.
    Work,
    /// Let this much time pass.
    Pass(Duration),
}

impl<'a> Director<'a> {
    fn new(script: &'a Script) -> Self {
        let log = Log::default();
        let mut luck = Luck::new(script.seed ^ 0x5eed);
        let ground = Ground::new(Luck::new(luck.number()), script.holds);
        let net = |(place, (kind, rooms)): (usize, &(crate::net::Kind, usize))| {
            let name = format!("net{place}");
            let rooms = (0..*rooms).map(|room| RoomId::new(&name, room_at(room)));
            let members = |_: &RoomId| PEOPLE.map(|(id, shown)| (PlayerId::new(&name, id), shown.to_owned())).to_vec();
            let rooms = rooms.map(|room| (room.clone(), members(&room))).collect();
            Net::new(&name, *kind, rooms, log.clone())
        };
        let nets = script.nets.iter().enumerate().map(net).collect();
        let oracle = Oracle::new(log.clone(), (script.limited, script.linked));
        let disk: Box<dyn Medium> = match script.on {
            On::Whole => Box::new(Whole::new(log.clone())),
            On::Log => Box::new(Logged::new(log.clone(), Luck::new(script.seed ^ 0xd15c))),
        };
        Director { script, log, ground, disk, nets, machine: None, starts: 0, oracle, luck }
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
            Act::Crash => self.crash(&mut luck),
            Act::CrashInWrite => self.disk.stop_in_write(Luck::new(luck.number())),
            Act::Stop => self.stop(&mut luck),
            Act::Fail(fault) => {
                self.oracle.marks_failed = true;
                self.disk.fail(*fault, Luck::new(luck.number()));
            }
            Act::Heal => self.disk.heal(),
            Act::Pass(ms) => self.pass(Duration::from_millis(*ms)),
            Act::Sweep => self.sweep(),
            Act::Wrong(seconds) => self.ground.set_wrong(SignedDuration::from_secs(*seconds)),
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
        let sent = self.ground.now().saturating_add(SignedDuration::from_secs(saying.forged));
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
        let Some(machine) = &self.machine else { return };
        let records = TEMPORARY.iter().map(|prefix| machine.kept(prefix)).sum();
        let asleep = self.ground.wakings().len();
        self.oracle.bounded(records, asleep);
        machine.sweep(self.ground.now(), DAYS);
    }

    /// Makes one choice.
    fn step(&mut self, luck: &mut Luck) {
        if self.machine.is_none() {
            return self.start();
        }
        let mut choices: Vec<Choice> = self.ground.held().into_iter().map(Choice::Release).collect();
        choices.extend((0..self.nets.len()).filter(|place| self.nets[*place].can_deliver()).map(Choice::Deliver));
        for (place, net) in self.nets.iter().enumerate() {
            choices.extend(net.busy_rooms().into_iter().map(|room| Choice::GoOn(place, room)));
        }
        choices.extend([Choice::Write, Choice::Write]);
        choices.extend((self.script.on == On::Log).then_some(Choice::Work));
        choices.push(Choice::Pass(Duration::from_millis(luck.number() % 5)));
        let choice = choices.swap_remove(luck.below(choices.len()));
        match choice {
            Choice::Release(id) => self.ground.release(id),
            Choice::Deliver(place) => self.nets[place].deliver(luck),
            Choice::GoOn(place, room) => self.nets[place].go_on(&room, luck, self.script.refuses),
            Choice::Write => drop(self.write()),
            Choice::Work => self.disk.work(Luck::new(luck.number())),
            Choice::Pass(time) => self.pass(time),
        }
        self.look(luck);
    }

    /// Gives the committer's writer a turn. Returns when it needs the next one.
    fn write(&mut self) -> Option<Wait> {
        let now = self.ground.elapsed();
        self.machine.as_mut().and_then(|machine| machine.write(now))
    }

    fn pass(&self, time: Duration) {
        self.ground.pass(self.ground.elapsed() + time);
    }

    /// Lets the tasks run until all wait, and checks the result.
    fn look(&mut self, luck: &mut Luck) {
        if self.disk.stopped() {
            self.log.note("the machine stopped in a write");
            return self.crash(luck);
        }
        if let Some(machine) = &mut self.machine {
            machine.run_until_idle();
            if machine.fallen.is_deadly() {
                self.log.note("the bot does not survive that");
                self.oracle.deaths += 1;
                return self.crash(luck);
            }
            if let Some(ended) = machine.ended() {
                self.log.note(format!("the bot ended: {ended}"));
                self.die();
            }
        }
        self.oracle.tells_time(self.ground.now());
        for net in self.nets.clone() {
            net.new_wires().into_iter().for_each(|wire| self.oracle.saw(&net, wire));
        }
        if let Some(wrong) = self.disk.wrong() {
            self.oracle.wrong(wrong);
        }
        if let Some(panic) = machine::panicked() {
            self.oracle.wrong(format!("a panic: {panic}"));
        }
    }

    fn start(&mut self) {
        self.starts += 1;
        self.log.note(format!("start {}", self.starts));
        match Machine::start(self.script, self.starts, &*self.disk, &self.ground, &self.nets) {
            Ok(machine) => self.machine = Some(machine),
            Err(error) => self.log.note(format!("it does not start: {error}")),
        }
        let mut luck = self.luck.clone();
        self.look(&mut luck);
    }

    /// Kills the bot, losing everything in its memory.
    fn crash(&mut self, luck: &mut Luck) {
        self.log.note("crash");
        self.disk.crash(Luck::new(luck.number()));
        self.die();
        self.nets.iter().for_each(|net| net.cut(luck));
        self.look(luck);
    }

    fn die(&mut self) {
        if let Some(machine) = self.machine.take() {
            self.oracle.ends += 1;
            machine.die();
        }
    }

    /// Stops the bot in order.
    fn stop(&mut self, luck: &mut Luck) {
        let Some(machine) = &mut self.machine else { return };
        machine.stop();
        for _ in 0..REST {
            self.look(luck);
            if self.machine.is_none() {
                return;
            }
            let wait = self.write();
            self.look(luck);
            let held = self.ground.held();
            held.iter().for_each(|id| self.ground.release(*id));
            // Posts may or may not be said while the bot waits for them.
            for (net, room) in self.busy() {
                if luck.percent(30) {
                    net.go_on(&room, luck, 0);
                }
            }
            if held.is_empty() && !matches!(wait, Some(Wait::No)) {
                self.pass(Duration::from_millis(500));
            }
        }
        self.oracle.wrong("the bot does not stop");
    }

    fn busy(&self) -> Vec<(Arc<Net>, RoomId)> {
        let rooms = |net: &Arc<Net>| net.busy_rooms().into_iter().map(|room| (net.clone(), room)).collect::<Vec<_>>();
        self.nets.iter().flat_map(rooms).collect()
    }

    /// Nothing goes wrong any more and everything comes to rest. Then everything must be right, also after a restart.
    fn end(&mut self) {
        let mut luck = self.luck.clone();
        self.log.note("from now on nothing goes wrong");
        self.disk.heal();
        self.ground.calm();
        self.rest(&mut luck);
        self.check();
        if self.oracle.verdict().is_some() {
            return;
        }
        let asked = self.ground.now();
        let before = self.probe("before", &mut luck);
        if luck.percent(50) {
            self.crash(&mut luck);
        } else {
            self.stop(&mut luck);
        }
        self.oracle.marks_failed = false;
        self.rest(&mut luck);
        // Asked at the same wall-clock time, because some answers say how long ago something was.
        self.ground.set_wrong(asked.duration_since(self.ground.now()));
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
            self.machine.iter().for_each(|machine| machine.sweep(self.ground.now(), 0));
            self.rest(luck);
        }
        if self.oracle.verdict().is_none() {
            self.oracle.grown_old(&self.disk.contents());
        }
    }

    fn check(&mut self) {
        let contents = self.disk.contents();
        if let Some(machine) = &self.machine
            && let Some(key) = machine.unwritten(&contents)
        {
            self.oracle.wrong(format!("{key} is read otherwise than it is on the disk when everything is at rest"));
        }
        for net in &self.nets {
            if let (Some(machine), Some(desk)) = (&mut self.machine, net.desk())
                && !machine.settles(desk)
            {
                self.oracle.wrong(format!("{} does not settle when everything is at rest", net.name));
            }
        }
        if let Some(wrong) = self.disk.wrong() {
            self.oracle.wrong(wrong);
        }
        let fell = self.machine.as_ref().map(|machine| machine.fallen.all()).unwrap_or_default();
        self.oracle.at_rest(&self.nets.clone(), contents, &fell);
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
        let longest = self.ground.elapsed() + LONGEST;
        for _ in 0..REST {
            if self.starts > most {
                return self.oracle.wrong("the bot does not survive what it plays at each start");
            }
            if self.oracle.verdict().is_some() {
                return;
            }
            if self.machine.is_none() {
                self.start();
                continue;
            }
            self.look(luck);
            let wait = self.write();
            let mut busy = matches!(wait, Some(Wait::No));
            for place in 0..self.nets.len() {
                if self.nets[place].can_deliver() {
                    self.nets[place].deliver(luck);
                    busy = true;
                }
            }
            for (net, room) in self.busy() {
                net.go_on(&room, luck, 0);
                busy = true;
            }
            self.look(luck);
            if busy {
                continue;
            }
            let due = self.machine.as_ref().and_then(|machine| machine.due(wait));
            match due.into_iter().chain(self.ground.wakings().into_iter().min()).min() {
                Some(time) if time <= longest => self.ground.pass(time),
                _ if self.machine.is_some() => return self.disk.settle(),
                // The bot did not survive what it played.
                _ => continue,
            }
            self.look(luck);
        }
        self.oracle.wrong("it does not come to rest");
    }
}
