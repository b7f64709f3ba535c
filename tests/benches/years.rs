//! A bot that runs for years, in minutes: `cargo bench -p tests --bench years`.
//!
//! - `rooms`: a million commands in ten rooms. It shows how memory and disk grow, how long a commit waits during a
//!   backup, and how long the next start takes until the first answer.
//! - `tables`: ten thousand rooms at twenty commands a second, and the next start.
//!
//! `-- rooms` runs one of the two. Each part has a process of its own, so that memory is measured separately.
//! `COMMANDS=40000` and `SPAN=60` (seconds) make it shorter, and `DATABASE=redb` keeps everything in redb.

#[path = "shared/stage.rs"]
mod stage;

use astragal::store::{Database, look, make};
use bot::Bot;
use jiff::Timestamp;
use journal::backup::Steady;
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tests::seated::Seating;

/// The program's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ROOMS: usize = 10;
const TABLES: usize = 10_000;
/// Commands a second, over all tables.
const PACE: f64 = 20.0;
/// How long answers are measured at that pace while nothing else happens.
const QUIET: Duration = Duration::from_secs(30);
/// Measures after these numbers of commands, and at the end.
const LOOKS: [u64; 4] = [1_000, 40_000, 200_000, 500_000];
/// Typed in turn.
const TYPED: [&str; 5] = ["!roll 1d20+5", "!insp +1", "!roll 4d6kh3", "!insp -1", "!roll 2d6 # at the door"];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--bench")).collect();
    // `cargo test --benches` measures nothing.
    if words.iter().any(|word| word == "--test") {
        return;
    }
    if let [part, directory] = words.as_slice() {
        return run(part, Path::new(directory));
    }
    let wanted = words.first().map_or("", String::as_str);
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    for part in ["rooms", "start of rooms", "tables", "start of tables"] {
        if part.contains(wanted) {
            let program = std::env::current_exe().expect("it finds itself");
            let status = Command::new(program).arg(part).arg(directory.path()).status().expect("it runs");
            assert!(status.success(), "{part} failed");
        }
    }
}

fn run(part: &str, directory: &Path) {
    match part {
        "rooms" => rooms(&directory.join("rooms")),
        "start of rooms" => start(&directory.join("rooms"), "a start with all of that"),
        "start of tables" => start(&directory.join("tables"), "a start with ten thousand tables"),
        _ => tables(&directory.join("tables")),
    }
}

/// A number from the environment.
fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().map_or(usual, |text| text.parse().expect("a number"))
}

fn bot(path: &Path) -> Arc<Bot> {
    let store = look(path).expect("a store");
    Arc::new(Bot::new(Seating::of(|| vec![mvk::plugin(), roll::plugin()]).over(store).host()))
}

fn made(path: &Path) -> Arc<Bot> {
    let database =
        if std::env::var("DATABASE").is_ok_and(|name| name == "redb") { Database::Redb } else { Database::Sled };
    drop(make(path, database).expect("a store"));
    bot(path)
}

fn rooms(path: &Path) {
    let (bot, path, commands) = (made(path), path.to_owned(), number("COMMANDS", 1_000_000));
    let during = bot.clone();
    stage::play(bot, 0, move |mut voice| async move {
        let begun = now();
        for room in 0..ROOMS {
            voice.say(stage::room(room), TYPED[0]).await;
        }
        for count in 1..=commands {
            let room = voice.heard().await;
            if LOOKS.contains(&count) || count == commands {
                grown(&path, count, begun.elapsed());
            }
            voice.say(room, typed(count)).await;
        }
        let quiet = waits(&mut voice, 20_000).await;
        say(&format!("waits without a backup: {quiet}"));
        let backup = backup(&during, path.with_extension("backup"));
        let mut waited = Waits::default();
        while !backup.is_finished() {
            waited.add(waits(&mut voice, 1_000).await);
        }
        say(&format!("waits while one is written, {}: {waited}", backup.await.expect("it does not panic")));
        for _ in 0..ROOMS {
            voice.heard().await;
        }
        let mut pace = Pace::default();
        let begun = now();
        let quiet = pace.keep(&mut voice, ROOMS, || begun.elapsed() < QUIET).await;
        say(&format!("waits at {PACE} a second without a backup: {quiet}"));
        let backup = self::backup(&during, path.with_extension("second.backup"));
        let waited = pace.keep(&mut voice, ROOMS, || !backup.is_finished()).await;
        say(&format!("waits at {PACE} a second, {}: {waited}", backup.await.expect("it does not panic")));
    });
}

/// Types at [`PACE`], and goes on where it stopped.
#[derive(Default)]
struct Pace(usize);

impl Pace {
    /// Types in these rooms, one command after another, as long as `more` says so.
    async fn keep(&mut self, voice: &mut stage::Voice, rooms: usize, more: impl Fn() -> bool) -> Waits {
        let (begun, first, mut waits) = (now(), self.0, Waits::default());
        while more() {
            let due = begun + Duration::from_secs_f64((self.0 - first) as f64 / PACE);
            tokio::time::sleep_until(due.into()).await;
            let asked = now();
            voice.say(stage::room(self.0.wrapping_mul(7_919) % rooms), TYPED[self.0 % TYPED.len()]).await;
            voice.heard().await;
            waits.0.push(asked.elapsed().as_micros());
            self.0 += 1;
        }
        waits
    }
}

fn typed(count: u64) -> &'static str {
    TYPED[usize::try_from(count / ROOMS as u64).expect("in range") % TYPED.len()]
}

fn grown(path: &Path, count: u64, time: Duration) {
    let rate = count as f64 / time.as_secs_f64();
    let (memory, disk) = (memory(), on_disk(path));
    say(&format!(
        "{count:>9} commands: {memory:>4} MB of memory, {:>5} MB on disk, {:>5} bytes a command; {rate:.0}/s",
        disk >> 20,
        disk / count
    ));
}

/// How long answers took, in microseconds.
#[derive(Default)]
struct Waits(Vec<u128>);

impl Waits {
    fn add(&mut self, mut more: Waits) {
        self.0.append(&mut more.0);
    }
}

impl std::fmt::Display for Waits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let at = |share: usize| {
            sorted.get(sorted.len() * share / 1_000).or(sorted.last()).copied().unwrap_or(0) as f64 / 1e3
        };
        write!(f, "median {:.2}, p99 {:.2}, most {:.2} ms of {}", at(500), at(990), at(1_000), sorted.len())
    }
}

/// Types this many more commands. Each room types its next one when the last is answered.
async fn waits(voice: &mut stage::Voice, commands: u64) -> Waits {
    let mut waits = Waits::default();
    let mut since: std::collections::BTreeMap<chat::RoomId, Instant> = Default::default();
    for count in 0..commands {
        let room = voice.heard().await;
        let asked = since.insert(room.clone(), now());
        waits.0.extend(asked.map(|asked| asked.elapsed().as_micros()));
        voice.say(room, typed(count)).await;
    }
    waits
}

/// Writes a backup during play, and reports its size and time.
fn backup(bot: &Bot, file: std::path::PathBuf) -> tokio::task::JoinHandle<String> {
    let (done, written) = tokio::sync::oneshot::channel();
    bot.host().committer().snapshot(move |store| {
        let begun = now();
        let mut out = Steady::new(File::create(&file).expect("a file"));
        journal::backup::write(store, Timestamp::UNIX_EPOCH, &mut out).expect("it is written");
        out.finish().expect("it is written");
        let bytes = fs::metadata(&file).expect("it is there").len();
        // The run may have ended already.
        let _ = done.send(format!("{} MB in {:.1} s", bytes >> 20, begun.elapsed().as_secs_f64()));
    });
    tokio::spawn(async { written.await.expect("the backup reports") })
}

/// Measures from the start to the first answer.
fn start(path: &Path, what: &str) {
    let begun = now();
    let bot = bot(path);
    let what = what.to_owned();
    stage::play(bot, begun.elapsed().as_nanos() as u64, move |mut voice| async move {
        voice.say(stage::room(0), TYPED[0]).await;
        voice.heard().await;
        say(&format!(
            "{what}: {:.0} ms to the first answer, {} MB of memory",
            begun.elapsed().as_secs_f64() * 1e3,
            memory()
        ));
    });
}

fn tables(path: &Path) {
    let seconds = number("SPAN", 3_600);
    stage::play(made(path), 0, move |mut voice| async move {
        for table in 0..TABLES {
            voice.say(stage::room(table), TYPED[0]).await;
            voice.heard().await;
        }
        say(&format!("{TABLES} tables: {} MB of memory", memory()));
        let (begun, mut pace, mut waits) = (now(), Pace::default(), Waits::default());
        for look in 1..=4 {
            let end = Duration::from_secs(seconds * look / 4);
            waits.add(pace.keep(&mut voice, TABLES, || begun.elapsed() < end).await);
            say(&format!("after {} s at {PACE} a second: {} MB of memory, waits: {waits}", end.as_secs(), memory()));
        }
    });
}

/// Resident memory of this process, in MB.
fn memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("VmRSS is listed");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") >> 10
}

/// The bytes used on disk.
fn on_disk(path: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let files = fs::read_dir(path).expect("a directory").map(|entry| entry.expect("readable"));
    let size = |entry: fs::DirEntry| match entry.path() {
        path if path.is_dir() => on_disk(&path),
        path => fs::metadata(path).map_or(0, |file| file.blocks() * 512),
    };
    files.map(size).sum()
}

#[expect(clippy::print_stdout, reason = "a benchmark says what it measured")]
fn say(what: &str) {
    println!("{what}");
}

fn now() -> Instant {
    #[expect(clippy::disallowed_methods, reason = "a benchmark measures")]
    Instant::now()
}
