//! One command through the whole core: accepted, played, kept and answered, on the memory store and on the program's
//! own, at one table and at 64 at once. Each table types its next command when the last one is answered. The same run
//! also measures raw writes of 500 bytes with `fdatasync` in the same directory.

#[path = "shared/rate.rs"]
mod rate;
#[path = "shared/stage.rs"]
mod stage;

use chat::{Guarantees, RoomId};
use journal::keys::TableId;
use journal::store::{Memory, Store};
use rate::{TIME, commands, host, now};
use std::fs::File;
use std::io::Write;
use std::sync::Arc;
use table::Table;

type Shared = Arc<dyn Store>;

/// The program's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    // `cargo test --benches` measures nothing.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let raw = raw_writes(directory.path());
    let mut out = std::io::stdout().lock();
    // `cargo bench -p tests -- kept` measures only lines with that in their name.
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    let mut line = |name: &str, rate: f64| {
        writeln!(out, "{name:<44} {rate:>10.0}/s {:>8.1} us {:>6.2} x raw", 1e6 / rate, rate / raw).expect("printed");
    };
    line("raw write of 500 bytes + fdatasync", raw);
    let odds = "odds of a game's command, the core alone";
    if odds.contains(&wanted) {
        line(odds, alone("!odds act d8 d10 vs 12"));
    }
    for (what, command) in [("stateless !roll 1d20+5", "!roll 1d20+5"), ("state-changing !insp +1", "!insp +1")] {
        let name = format!("{what}, the core alone");
        if name.contains(&wanted) {
            line(&name, alone(command));
        }
        for tables in [1, 64] {
            let path = directory.path().join(format!("{}-{tables}", command.len()));
            let kept = || -> Shared { astragal::store::look(&path).expect("a store") };
            let memory = || -> Shared { Arc::<Memory>::default() };
            let stores: [(&str, &dyn Fn() -> Shared); 2] = [("memory", &memory), ("kept", &kept)];
            for (store, make) in stores {
                let name = format!("{what}, {store}, {tables} table(s)");
                if name.contains(&wanted) {
                    line(&name, commands(make(), tables, command));
                }
            }
        }
    }
}

/// The core's own work for a command, from the message to the posts and the batch, without queues, tasks and threads.
fn alone(command: &'static str) -> f64 {
    let host = host(Arc::<Memory>::default());
    let room = RoomId::new("bench", "hall");
    let mut table = Table::open(&host, TableId::of(&room)).expect("it opens");
    let start = now();
    let mut count = 0u32;
    while start.elapsed() < TIME {
        for event in stage::message(room.clone(), count.to_string(), command).events {
            let lines = table.lines(&host, &event).expect("memory does not fail");
            let laid = table.lay(&host, &event, &lines, Guarantees::default());
            let heard = table.hear(&host, &event, &lines, Guarantees::default()).expect("memory does not fail");
            assert!(laid.is_some() == (count == 0) && heard.posts.len() == 1);
        }
        count += 1;
    }
    f64::from(count) / start.elapsed().as_secs_f64()
}

fn raw_writes(directory: &std::path::Path) -> f64 {
    let mut file = File::create(directory.join("raw")).expect("a file");
    let start = now();
    let mut count = 0u32;
    while start.elapsed() < TIME {
        file.write_all(&[7; 500]).and_then(|()| file.sync_data()).expect("written");
        count += 1;
    }
    f64::from(count) / start.elapsed().as_secs_f64()
}
