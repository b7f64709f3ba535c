//! What happens in a run apart from the order: who says what, what breaks and when. It follows from a seed, and moves
//! can be left out.

use crate::dice::DEADLY;
use crate::disk::{Blow, Fault, Standby};
use crate::luck::Luck;
use crate::net::Kind;
use crate::players::{self, Wants};

/// The people on each network, in every room: their ids and names. One uses another's id as name.
pub const PEOPLE: [(&str, &str); 4] = [("gus", "Gus"), ("ann", "Ann"), ("bob", "Robert"), ("mal", "Bob")];

/// The room admin's index in [`PEOPLE`].
pub const ADMIN: usize = 0;

/// The index in [`PEOPLE`] of the one who is never made a referee by anybody who may.
pub const ATTACKER: usize = 3;

/// The index of somebody whom the room's admin makes a referee.
const ANN: usize = 1;

/// The first rooms of a network; it may have fewer, and in a year many more.
const ROOMS: [&str; 3] = ["hall", "attic", "cellar"];

/// The name of a network's room at this index.
pub fn room_at(index: usize) -> String {
    ROOMS.get(index).map_or_else(|| format!("room{index}"), |name| (*name).to_owned())
}

/// A run.
#[derive(Clone, Debug)]
pub struct Script {
    /// The seed.
    pub seed: u64,
    /// The storage under the bot.
    pub on: On,
    /// How the second server of a database follows that two machines share.
    pub standby: Standby,
    /// The networks, and how many rooms each has.
    pub nets: Vec<(Kind, usize)>,
    /// The most batches that the committer writes at once.
    pub groups: usize,
    /// The percentage of steps of the bot's tasks that are held up.
    pub holds: u32,
    /// The percentage of posts refused by their network.
    pub refuses: u32,
    /// True if rooms come to share tables, and people to have two accounts.
    pub linked: bool,
    /// True for the program's own limits; false for limits so wide that everything is answered.
    pub limited: bool,
    /// The moves.
    pub moves: Vec<Move>,
}

/// The storage under the bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// A store of whole batches.
    Whole,
    /// The log in front of a database, on a disk of bytes.
    Log,
    /// A database that two machines share.
    Shared,
}

/// One event, and what the bot gets done until the next one.
#[derive(Clone, Debug)]
pub struct Move {
    /// The event.
    pub act: Act,
    /// The number of steps after it.
    pub steps: u32,
    /// The seed that decides these steps.
    pub luck: u64,
}

/// An event.
#[derive(Clone, Debug)]
pub enum Act {
    /// Somebody says something.
    Say(Saying),
    /// Somebody edits the message with this id.
    Edit(Saying, String),
    /// Somebody takes back the message with this id.
    Redact(Saying, String),
    /// The bot dies at once.
    Crash,
    /// The bot dies in its next write.
    CrashInWrite,
    /// The bot is stopped in order, with all the time it wants.
    Stop,
    /// The next write goes wrong.
    Fail(Fault),
    /// Something befalls the database that the machines share.
    Befalls(Blow),
    /// A machine stands still.
    Freeze,
    /// It goes on.
    Thaw,
    /// Faults are repaired, and all machines are on.
    Heal,
    /// This many milliseconds pass.
    Pass(u64),
    /// Old records are removed, between other writes.
    Sweep,
    /// The wall clock becomes wrong by this many seconds.
    Wrong(i64),
}

/// A message.
#[derive(Clone, Debug)]
pub struct Saying {
    /// The network's index.
    pub net: usize,
    /// The room's index; `None` for a private chat with the bot.
    pub room: Option<usize>,
    /// The sender's index.
    pub who: usize,
    /// Its id.
    pub id: String,
    /// The words.
    pub text: String,
    /// Its expected effect.
    pub wants: Wants,
    /// By how many seconds its time is forged.
    pub forged: i64,
}

impl Saying {
    /// True if it was said in private on behalf of a room.
    pub fn is_for_another(&self) -> bool {
        self.room.is_none() && self.text.starts_with("in ")
    }
}

/// A network and one of its rooms; `None` for a private chat with the bot.
type Place = (usize, Option<usize>);

/// The number of moves in a run.
const MOVES: usize = 60;

/// How many rooms there are in a year, how many lines are said a day, and how often a day old records are removed.
const TABLES: usize = 10_000;
const LINES: usize = 120;
const SWEEPS: usize = 12;

/// A message is edited or taken back while it is among this many last ones.
const RECENT: usize = 200;

/// A day in milliseconds.
const DAY: u64 = 86_400_000;

impl Script {
    /// The run of a seed.
    pub fn new(seed: u64) -> Self {
        let mut luck = Luck::new(seed);
        let kinds = [Kind::Matrix, Kind::Irc, Kind::History, Kind::Doubtful];
        let nets = (0..1 + luck.below(2)).map(|_| (*luck.pick(&kinds), 1 + luck.below(ROOMS.len())));
        let mut nets: Vec<_> = nets.collect();
        let mut holds = *luck.pick(&[0, 10, 30, 70]);
        let refuses = *luck.pick(&[0, 0, 5]);
        let limited = luck.percent(10);
        let mut disk = Luck::new(!seed);
        let on = if disk.percent(50) { On::Log } else { On::Whole };
        // One write after another fails at one busy table, and what waits behind one is in a group of its own.
        let shaky = disk.percent(25);
        let groups = if shaky { 1 } else { *disk.pick(&[1, 2, 1_024]) };
        if shaky {
            nets = vec![(nets[0].0, 1)];
            holds = holds.max(30);
        }
        let linked = !shaky && Luck::new(seed ^ 0x11c5).percent(25);
        if linked && nets.len() == 1 {
            nets = vec![(nets[0].0, 2), (*disk.pick(&kinds), 1)];
        }
        let mut crowd = Luck::new(seed ^ 0xc0d5);
        let crowded = linked && crowd.percent(20);
        if crowded {
            nets = vec![(nets[0].0, 6), (nets[1].0, 5)];
        }
        let standby = Standby::Waited;
        let mut script = Script { seed, on, standby, groups, nets, holds, refuses, linked, limited, moves: Vec::new() };
        let trouble = (*luck.pick(&[0, 5, 15, 30])).max(if shaky { 15 } else { 0 });
        let busy = *luck.pick(&[2, 6, 15, 40]);
        let mut said = Vec::new();
        if linked && !crowded {
            script.link(&mut luck);
        }
        if crowded {
            script.crowd(&mut crowd);
        }
        for number in 0..MOVES {
            let act = match script.act(number, trouble, &mut said, &mut luck) {
                Act::Crash | Act::Heal | Act::Sweep | Act::Pass(_) if shaky => Act::Fail(Fault::Broken),
                act => act,
            };
            let steps = luck.below(busy) as u32;
            script.moves.push(Move { act, steps, luck: luck.number() });
        }
        script
    }

    /// The run of a seed on two machines, one of which stands by.
    pub fn pair(seed: u64) -> Self {
        let mut luck = Luck::new(seed ^ 0x9a12);
        let kinds = [Kind::Matrix, Kind::Irc, Kind::History, Kind::Doubtful];
        let nets = (0..1 + luck.below(2)).map(|_| (*luck.pick(&kinds), 1 + luck.below(2))).collect();
        let (holds, groups) = (*luck.pick(&[0, 10, 30]), *luck.pick(&[1, 2, 1_024]));
        let (on, refuses, linked, limited) = (On::Shared, 0, false, false);
        let standby = if Luck::new(seed ^ 0xbe41).percent(25) { Standby::Behind } else { Standby::Waited };
        let mut script = Script { seed, on, standby, groups, nets, holds, refuses, linked, limited, moves: Vec::new() };
        let (trouble, busy) = (*luck.pick(&[15, 30, 45]), *luck.pick(&[6, 15, 40]));
        let mut said = Vec::new();
        for number in 0..MOVES {
            let act = script.act(number, trouble, &mut said, &mut luck);
            let steps = luck.below(busy) as u32;
            script.moves.push(Move { act, steps, luck: luck.number() });
        }
        script
    }

    /// The run of a seed that takes a year, in ten thousand rooms: few lines a day in any of them, a crash now and then,
    /// and what the program does by itself every few hours.
    pub fn year(seed: u64, days: u64) -> Self {
        let mut luck = Luck::new(seed ^ 0x7ea5);
        let kind = *luck.pick(&[Kind::Matrix, Kind::History]);
        let (on, groups, nets) = (On::Whole, 1_024, vec![(kind, TABLES)]);
        let (linked, limited, standby) = (false, false, Standby::Waited);
        let mut script =
            Script { seed, on, standby, groups, nets, holds: 0, refuses: 0, linked, limited, moves: Vec::new() };
        let mut said = Vec::new();
        for number in 0..days as usize * LINES {
            if number % LINES == 0 {
                script.moves.push(Move { act: Act::Heal, steps: 0, luck: luck.number() });
            }
            if number % (LINES / SWEEPS) == 0 {
                script.moves.push(Move { act: Act::Sweep, steps: 20, luck: luck.number() });
            }
            let act = match script.act(number, u32::from(luck.percent(30)), &mut said, &mut luck) {
                // The age of records is what is watched here.
                Act::Wrong(_) | Act::Sweep => Act::Stop,
                act => act,
            };
            if said.len() > 2 * RECENT {
                said.drain(..RECENT);
            }
            script.moves.push(Move { act, steps: 40, luck: luck.number() });
            let wait = DAY / LINES as u64;
            script.moves.push(Move { act: Act::Pass(wait), steps: 0, luck: luck.number() });
        }
        script
    }

    /// The rooms of two networks, or two of one, come to share a table, and mostly see each other's rolls.
    fn link(&mut self, luck: &mut Luck) {
        let other = if luck.percent(70) { (1, 0) } else { (0, self.nets[0].1 - 1) };
        let lines = [((0, 0), "!gm me"), ((0, 0), "!link"), (other, "!link WORD really"), ((0, 0), "!mirror on")];
        for (place, ((net, room), text)) in lines.into_iter().enumerate() {
            self.type_in((net, Some(room)), ADMIN, text, (format!("link{place}"), 60, luck));
        }
    }

    /// Many rooms come to one table in one moment, by one word or each by its own, or take it over, or two of them link to
    /// each other; and two accounts use a word that was given to a third.
    fn crowd(&mut self, luck: &mut Luck) {
        let of_net = |net: usize| (0..self.nets[net].1).map(move |room| (net, Some(room)));
        let rooms: Vec<Place> = (0..self.nets.len()).flat_map(of_net).collect();
        let (hall, others) = (rooms[0], &rooms[1..]);
        let all = |text: &str| others.iter().map(|room| (*room, ADMIN, text.to_owned())).collect::<Vec<_>>();
        let one = |text: &str| vec![(hall, ADMIN, text.to_owned())];
        let (given, typed) = match luck.below(4) {
            0 => (one("!link"), all("!link WORD really")),
            1 => {
                let own = others.iter().zip(0..).map(|(room, back)| (*room, ADMIN, format!("!link WORD{back} really")));
                (vec![one("!link another"); others.len()].concat(), own.collect())
            }
            2 => (one("!export move"), all("!import WORD really")),
            _ => {
                let mut given = all("!link");
                given.truncate(1);
                let typed = [(hall, "!link WORD really"), (others[0], "!link WORD1 really")];
                let typed = typed.map(|(room, text)| (room, ADMIN, text.to_owned()));
                ([one("!link"), given].concat(), typed.into())
            }
        };
        let asks = ((0, None), ANN, "me link".to_owned());
        let claims = [ADMIN, ATTACKER].map(|who| ((1, None), who, "me link WORD really".to_owned()));
        let begun = [one("!gm me"), given, vec![asks]].concat();
        for (place, (at, who, text)) in begun.into_iter().chain(typed).chain(claims).enumerate() {
            let at_once = text.contains(players::WORD);
            let steps = if at_once { luck.below(3) as u32 } else { 60 };
            self.type_in(at, who, &text, (format!("crowd{place}"), steps, luck));
        }
    }

    /// Somebody types a line at the beginning.
    fn type_in(&mut self, (net, room): Place, who: usize, text: &str, (id, steps, luck): (String, u32, &mut Luck)) {
        let (text, wants, forged) = (text.to_owned(), Wants::default(), 0);
        let act = Act::Say(Saying { net, room, who, id, text, wants, forged });
        self.moves.push(Move { act, steps, luck: luck.number() });
    }

    fn act(&self, number: usize, trouble: u32, said: &mut Vec<Saying>, luck: &mut Luck) -> Act {
        if luck.percent(trouble) {
            return if self.on == On::Shared { trouble_of_two(luck) } else { trouble_of(luck) };
        }
        if luck.percent(10) {
            return Act::Pass(*luck.pick(&[1, 2, 5, 1_000, 20_000, 700_000]));
        }
        let mut saying = self.saying(number, luck);
        let earlier: Vec<&Saying> = said.iter().filter(|other| other.net == saying.net).collect();
        if !earlier.is_empty() && luck.percent(12) {
            // Mostly one's own message, but not always.
            let other = (*luck.pick(&earlier)).clone();
            saying.room = other.room;
            saying.who = if luck.percent(80) || other.room.is_none() { other.who } else { saying.who };
            // Nobody repeats what another said.
            saying.text = players::says(number, saying.who, luck).0;
            saying.wants = Wants::default();
            if luck.percent(25) {
                saying.text.clear();
                return Act::Redact(saying, other.id);
            }
            if luck.percent(30) {
                saying.text = other.text;
            }
            let never = luck.percent(5).then(|| format!("never{number}"));
            return Act::Edit(saying, never.unwrap_or(other.id));
        }
        if let Some(next) = goes_on(said.last(), &saying, luck) {
            saying = next;
        }
        said.push(saying.clone());
        Act::Say(saying)
    }

    fn saying(&self, number: usize, luck: &mut Luck) -> Saying {
        let net = luck.below(self.nets.len());
        let who = luck.below(PEOPLE.len());
        let room = (!luck.percent(if self.linked { 16 } else { 8 })).then(|| luck.below(self.nets[net].1));
        let of_links = self.linked && luck.percent(if room.is_some() { 6 } else { 70 });
        let who = if of_links && room.is_some() { ADMIN } else { who };
        let (text, wants) = match room {
            Some(_) if of_links => (format!("!{}", luck.pick(&players::LINKS)), Wants::default()),
            None if of_links => ((*luck.pick(&players::ACCOUNTS)).to_owned(), Wants::default()),
            Some(_) => players::says(number, who, luck),
            None => players::says_aside(number, who, luck),
        };
        let forged = if luck.percent(5) { *luck.pick(&[-4_000_000_000, -60, 60, 200_000_000_000]) } else { 0 };
        // Nobody counts how often a message repeated by a history was played: the history is asked only for what was
        // not heard yet.
        let deadly = luck.percent(1) && self.nets[net].0.loses_nothing();
        let id = if deadly { format!("{DEADLY}{number}") } else { format!("m{number}") };
        Saying { net, room, who, id, text, wants, forged }
    }
}

/// What is often said next: the same person, or sometimes another, agrees to a correction, or undoes a secret roll and
/// reveals it; somebody asks for what a referee keeps for later; and who was a referee tries to undo what they did as one.
fn goes_on(last: Option<&Saying>, instead_of: &Saying, luck: &mut Luck) -> Option<Saying> {
    let last = last?;
    let same = |luck: &mut Luck| if luck.percent(80) { last.who } else { instead_of.who };
    let (who, text) = match last.text.as_str() {
        text if text.starts_with("in hall handout map ") => (instead_of.who, "in hall handout map".to_owned()),
        _ if last.room.is_none() => return None,
        _ if last.wants.mistyped && luck.percent(60) => (same(luck), players::AGREES.to_owned()),
        players::AGREES if luck.percent(60) => (same(luck), players::AGREES.to_owned()),
        _ if last.wants.secret && luck.percent(25) => (same(luck), "!undo".to_owned()),
        "!undo" if luck.percent(40) => (same(luck), format!("!reveal #{}", 1 + luck.below(4))),
        "!gm add Ann" if luck.percent(80) => (ANN, "!scene The ford".to_owned()),
        "!scene The ford" if last.who == ANN && luck.percent(60) => (ADMIN, "!gm remove Ann".to_owned()),
        "!gm remove Ann" if luck.percent(50) => (ANN, format!("!undo #{}", players::LATEST)),
        "!gm remove Ann" if luck.percent(60) => (ANN, "!undo".to_owned()),
        _ => return None,
    };
    let (net, room, wants) = (last.net, last.room, Wants::default());
    Some(Saying { net, room, who, text, wants, ..instead_of.clone() })
}

fn trouble_of(luck: &mut Luck) -> Act {
    match luck.below(12) {
        0..=2 => Act::Crash,
        3..=4 => Act::CrashInWrite,
        5 => Act::Stop,
        6 => Act::Heal,
        7..=8 => {
            Act::Fail(*luck.pick(&[Fault::Broken, Fault::Broken, Fault::Full, Fault::InDoubtDone, Fault::InDoubtLost]))
        }
        9..=10 => Act::Sweep,
        _ => Act::Wrong(*luck.pick(&[0, -3_600, 400_000_000])),
    }
}

/// What befalls two machines and their database, and how long it takes until the other one plays.
fn trouble_of_two(luck: &mut Luck) -> Act {
    use Blow::{Clock, CutOff, Frozen, Parted, Promoted, Restarted, Thawed};
    match luck.below(20) {
        0 => Act::Crash,
        1 => Act::CrashInWrite,
        2 => Act::Stop,
        3..=4 => Act::Heal,
        5..=6 => Act::Fail(*luck.pick(&[Fault::Broken, Fault::Broken, Fault::Broken, Fault::Full])),
        7..=8 => Act::Freeze,
        9..=10 => Act::Thaw,
        11..=14 => Act::Pass(*luck.pick(&[3_000, 8_000, 11_000, 15_000, 30_000])),
        15 => Act::Sweep,
        _ => Act::Befalls(*luck.pick(&[Parted, Promoted, Restarted, Frozen, Thawed, CutOff, Clock])),
    }
}
