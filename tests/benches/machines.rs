//! What a store on a PostgreSQL costs, on this machine and over a link on which each packet takes a millisecond. A probe sends
//! the same statement to the same server, with nothing around it.

#[path = "shared/rate.rs"]
mod rate;
#[path = "shared/stage.rs"]
mod stage;

use chat::{Event, Message, PlayerId, Speaker};
use journal::store::{Memory, Store};
use rate::{TIME, commands, now};
use std::io::Write;
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use store_postgres::statements::{Begin, Claim, Commit, Statement, Writes};
use store_postgres::{Place, PostgresStore, Wait};
use table::Sitting;
use tests::postgres::{Server, Wire};
use tokio_postgres::NoTls;

/// The program's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How long a packet takes on the link.
const LINK: Duration = Duration::from_millis(1);
/// Entries in the journal whose tools are measured.
const ENTRIES: u32 = 1_000;

fn main() {
    // `cargo test --benches` measures nothing.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let server = Server::start();
    let wire = Wire::to(&server, || {
        thread::sleep(LINK);
        true
    });
    let mut out = std::io::stdout().lock();
    let mut line = |name: String, value: f64, unit: &str| {
        writeln!(out, "{name:<60} {value:>10.2} {unit}").expect("printed");
    };
    let memory = commands(Arc::<Memory>::default(), 64, "!insp +1");
    line("memory, 64 tables".to_owned(), memory, "commands/s");
    let bot_alone = 1e3 / commands(Arc::<Memory>::default(), 1, "!insp +1");
    line("memory, one after the other".to_owned(), bot_alone, "ms each");
    for (at, database) in [("here", server.database()), ("1 ms a packet", wire.database())] {
        line(format!("{at}: the probe, one after the other"), probe(&database), "ms each");
        let shards = ["one", "many", "tools"].map(|name| format!("{name}-{}", at.len()));
        let alone = commands(open(&database, &shards[0]), 1, "!insp +1");
        line(format!("{at}: !insp +1, one after the other"), 1e3 / alone, "ms each");
        let many = commands(open(&database, &shards[1]), 64, "!insp +1");
        line(format!("{at}: !insp +1, 64 tables"), many, "commands/s");
        line(format!("{at}: !insp +1, 64 tables, of memory"), many / memory, "x");
        let mut table = Play::at(open(&database, &shards[2]));
        for _ in 0..ENTRIES {
            table.say("insp +1");
        }
        drop(table);
        for command in ["!now", "!history", "!story"] {
            let first = Play::at(open(&database, &shards[2])).say(&command[1..]);
            line(format!("{at}: {command}, the first after a start"), first, "ms");
            let each = 1e3 / commands(open(&database, &shards[2]), 1, command);
            line(format!("{at}: {command}"), each, "ms each");
        }
    }
}

fn open(database: &str, shard: &str) -> Arc<dyn Store> {
    let [database, shard, bot, machine] = [database, shard, "b0", "here"].map(str::to_owned);
    let place = Place { database, password: None, authority: None, shard, bot, machine, mark: None };
    Arc::new(PostgresStore::open(place, "0", Wait::Briefly).expect("it can be opened"))
}

/// Milliseconds for a command's writes: four records of 300 bytes and one that goes.
fn probe(database: &str) -> f64 {
    // The store makes the tables.
    drop(open(database, "tables"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(database, NoTls).await.expect("it lets us in");
        tokio::spawn(connection);
        let claim = Claim { shard: format!("probe-{}", database.len()), owner: "probe".to_owned(), seconds: 600.0 };
        let begin = Begin(claim.clone());
        client.execute(Begin::SQL, &begin.parameters()).await.expect("it can be taken");
        let commit = client.prepare(Commit::SQL).await.expect("it is right");
        let (start, mut number) = (now(), 0);
        while start.elapsed() < TIME {
            number += 1;
            let key = |of: i64| format!("{}/{of}", claim.shard).into_bytes();
            let keys: Vec<_> = (number * 4..number * 4 + 4).map(key).collect();
            let writes = Writes { deleted: vec![key(number * 4 - 1)], values: vec![vec![7; 300]; keys.len()], keys };
            let statement = Commit { claim: claim.clone(), fence: 1, number, writes };
            let rows = client.query(&commit, &statement.parameters()).await.expect("it is done");
            assert!(Commit::answer(&rows));
        }
        start.elapsed().as_secs_f64() * 1e3 / f64::from(i32::try_from(number).expect("few"))
    })
}

/// A table.
struct Play {
    sitting: Sitting,
    said: u32,
}

impl Play {
    fn at(store: Arc<dyn Store>) -> Self {
        Play { sitting: Sitting::new(Arc::new(rate::host(store))), said: 0 }
    }

    /// Says something. Returns how many milliseconds the answer took.
    fn say(&mut self, line: &str) -> f64 {
        self.said += 1;
        let speaker = Speaker::new(PlayerId::new("bench", "ann"), "Ann");
        let (room, sent) = (stage::room(0), jiff::Timestamp::UNIX_EPOCH);
        let id = format!("{line}, {}", self.said);
        let message = Message { unlimited: true, ..Message::new(id, room, speaker, sent, format!("!{line}")) };
        let start = now();
        let heard = self.sitting.play(&Event::Said(message)).expect("the database does not fail");
        assert_eq!(heard.posts.len(), 1, "{line}");
        start.elapsed().as_secs_f64() * 1e3
    }
}
