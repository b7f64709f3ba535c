//! What a game costs because it is a file: Blades' action as the file says it and as a compiled game, through the whole core;
//! reading many files; and a mistyped line in a room with three such games, whose words all have to be known.

use chat::{Event, Guarantees, Message, PlayerId, RoomId, Speaker, Standing};
use journal::keys::TableId;
use journal::store::Memory;
use plugin_api::{Choice, Commands, Counter, Die, Game, Number, Plugin, Refusal, Reply, SheetValue, Turn};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};
use table::{Host, Table};
use tests::seated::Seating;

/// The program's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How long each turn takes, and how many each line has.
const TURN: Duration = Duration::from_millis(200);
const TURNS: usize = 15;
/// How many files are read.
const FILES: usize = 500;

/// What both keep on the sheet, and the most of it.
const STRESS: &str = "stress";
const MOST_STRESS: i64 = 9;

/// Blades' action, compiled, and the resistance that follows it.
struct Compiled;

/// What an action keeps for whoever resists.
#[derive(Serialize, Deserialize)]
struct Acted {
    best: u32,
}

#[derive(Clone, Copy, Choice, PartialEq)]
enum Position {
    /// Not dangerous.
    Controlled,
    /// As usual.
    Risky,
    /// Very dangerous.
    Desperate,
}

#[derive(Clone, Commands)]
enum Scoundrel {
    /// Roll an action: the highest die counts.
    #[command(rolls, main, example = "action 2 desperate push")]
    Action {
        /// how many dice
        rating: Number<0, 6>,
        /// how bad it gets
        position: Option<Position>,
        /// one more die, for stress
        #[flag("push", "pushed")]
        push: bool,
        /// one more die, of a friend
        #[flag("help", "helped", "assist")]
        help: bool,
        /// one more die, at a price
        #[flag("bargain", "devil")]
        bargain: bool,
    },
    /// Resist a consequence of your last action.
    #[command(rolls, follow_up, example = "resist 2")]
    Resist {
        /// how many dice
        attribute: Number<0, 4>,
    },
}

impl Game for Compiled {
    const ID: &'static str = "scoundrels";
    const TITLE: &'static str = "Scoundrels";
    const ABOUT: &'static str = "action and stress";
    type State = ();
    type Command = Scoundrel;

    fn values() -> Vec<SheetValue> {
        let first = format!("0/{MOST_STRESS}");
        vec![SheetValue { name: STRESS.to_owned(), also: Vec::new(), first, bounds: None, tables: false }]
    }

    fn play((): &mut (), command: Scoundrel, turn: &mut Turn) -> Result<Reply, Refusal> {
        let (rating, position, push, more) = match command {
            Scoundrel::Action { rating, position, push, help, bargain } => {
                (rating.0, position, push, usize::from(push || bargain) + usize::from(help))
            }
            Scoundrel::Resist { attribute } => {
                let acted = turn.target::<Acted>()?.record;
                let (_, best, sixes) = thrown(turn, attribute.0, 0)?;
                turn.amend(&acted);
                let cost = if sixes >= 2 { 0 } else { 6 - best };
                suffers(turn, i64::from(cost))?;
                return Ok(Reply::new().bold(format!("RESISTED at {cost} stress")).fact("outcome", "RESISTED"));
            }
        };
        let (pool, best, sixes) = thrown(turn, rating, more)?;
        let (outcome, success) = match (sixes, best) {
            (2.., _) => ("CRITICAL", true),
            (_, 6) => ("FULL SUCCESS", true),
            (_, 4..) => ("PARTIAL SUCCESS", true),
            _ => ("BAD OUTCOME", false),
        };
        let mut reply = Reply::new().bold(outcome).fact("outcome", outcome).fact("success", success).text(" | ");
        for die in pool {
            reply = reply.die(die.to_string()).text(" ");
        }
        if push {
            let stress = suffers(turn, 2)?;
            reply = reply.text(format!("| stress {stress}"));
        }
        let reply = if position == Some(Position::Desperate) { reply.text(" | mark experience") } else { reply };
        let reply = reply.record(&Acted { best });
        Ok(if best < 6 { reply.offer("resist 2", "take less of the consequence") } else { reply })
    }
}

/// So much more stress on the sheet. Returns what it is then.
fn suffers(turn: &mut Turn, more: i64) -> Result<Counter, Refusal> {
    let before = turn.value(STRESS)?.unwrap_or(Counter { now: 0, most: Some(MOST_STRESS) });
    let after = before.at((before.now + more).min(MOST_STRESS));
    turn.change_value(STRESS, after);
    Ok(after)
}

/// Dice for a rating, with the best of them and the number of sixes.
fn thrown(turn: &mut Turn, rating: i64, more: usize) -> Result<(Vec<Die>, u32, usize), Refusal> {
    let dice = usize::try_from(rating).expect("it is not below 0") + more;
    let pool = turn.throw_alike(if dice == 0 { 2 } else { dice }, 6)?;
    let values = pool.iter().map(|die| die.value);
    let best = if dice == 0 { values.min() } else { values.max() }.unwrap_or_default();
    let sixes = if dice == 0 { 0 } else { pool.iter().filter(|die| die.value == 6).count() };
    Ok((pool, best, sixes))
}

fn declared(id: &str) -> Box<dyn Plugin> {
    let game = games::files().into_iter().find(|game| game.manifest.id == id).expect("it comes with the program");
    declared::plugin(game)
}

fn room() -> RoomId {
    RoomId::new("bench", "hall")
}

fn said(id: String, line: &str) -> Event {
    let speaker = Speaker { standing: Standing::Admin, ..Speaker::new(PlayerId::new("bench", "ann"), "Ann") };
    let message = Message::new(id, room(), speaker, jiff::Timestamp::UNIX_EPOCH, line);
    Event::Said(Message { unlimited: true, ..message })
}

/// A room where one line is typed again and again.
struct Room {
    host: Host,
    table: Table,
    line: &'static str,
    typed: usize,
}

impl Room {
    fn new(plugins: fn() -> Vec<Box<dyn Plugin>>, line: &'static str) -> Self {
        let host = Seating::of(plugins).over(Arc::<Memory>::default()).host();
        let table = Table::open(&host, TableId::of(&room())).expect("memory does not fail");
        Room { host, table, line, typed: 0 }
    }

    /// The time of one line in a turn, in microseconds.
    fn turn(&mut self) -> f64 {
        let (start, before) = (now(), self.typed);
        while start.elapsed() < TURN {
            let event = said(self.typed.to_string(), self.line);
            let lines = self.table.lines(&self.host, &event).expect("memory does not fail");
            self.table.lay(&self.host, &event, &lines, Guarantees::default());
            let heard =
                self.table.hear(&self.host, &event, &lines, Guarantees::default()).expect("memory does not fail");
            assert!(!heard.posts.is_empty());
            self.typed += 1;
        }
        start.elapsed().as_secs_f64() * 1e6 / (self.typed - before) as f64
    }
}

fn main() {
    // `cargo test --benches` measures nothing.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let mut out = std::io::stdout().lock();
    let action = "!action 2 desperate push";
    let mut rooms = vec![
        ("Blades' action, compiled", Room::new(|| vec![plugin_api::plugin::<Compiled>()], action)),
        ("Blades' action, a file", Room::new(|| vec![declared("blades")], action)),
        ("a mistyped line, Blades alone", Room::new(|| vec![declared("blades")], "!acton 2")),
        (
            "a mistyped line, three files",
            Room::new(|| ["blades", "coc7", "ironsworn"].map(declared).into(), "!acton 2"),
        ),
    ];
    // `cargo bench --bench games -- compiled` measures that one alone.
    let asked: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    rooms.retain(|(name, _)| asked.iter().all(|asked| name.contains(asked.as_str())));
    let mut all: Vec<Vec<f64>> = vec![Vec::new(); rooms.len()];
    for _ in 0..TURNS {
        rooms.iter_mut().zip(&mut all).for_each(|((_, room), times)| times.push(room.turn()));
    }
    for ((name, _), times) in rooms.iter().zip(&mut all) {
        writeln!(out, "{name:<44} {:>8.1} us", median(times)).expect("printed");
    }
    if !asked.is_empty() {
        return;
    }
    let text = games::files().into_iter().map(|game| game.text.clone()).collect::<Vec<_>>();
    let start = now();
    let read = text.iter().cycle().take(FILES).filter(|text| games::read(text).is_ok()).count();
    assert_eq!(read, FILES);
    writeln!(out, "{:<44} {:>8.0} ms", format!("reading {FILES} files"), start.elapsed().as_secs_f64() * 1e3)
        .expect("printed");
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn now() -> Instant {
    #[expect(clippy::disallowed_methods, reason = "a benchmark measures")]
    Instant::now()
}
