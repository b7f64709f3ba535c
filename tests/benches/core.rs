//! One command through the whole core: accepted, played, kept, answered; on the memory store and on the program's own, at one
//! table and at 64 at once, each table's next command typed when its last was answered. Beside it, in the same run and
//! directory, the rate of raw writes of 500 bytes with `fdatasync`.

use async_trait::async_trait;
use bot::{Bot, serve};
use chat::{
    Delivery, Desk, Event, Guarantees, Message, PlayerId, Post, RoomId, Saying, Sent, Speaker, Standing, Transport,
    TransportError,
};
use journal::Entropy;
use journal::keys::TableId;
use journal::store::{Memory, Store};
use std::fs::File;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};
use table::{FairBox, Host, Plugins, Settings, Table};
use tokio::sync::{Mutex, mpsc};

type Shared = Arc<dyn Store>;

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How long each line of the table is measured.
const TIME: Duration = Duration::from_secs(2);

/// A network whose every answer makes the room say the next command.
struct Carousel {
    tables: usize,
    command: &'static str,
    answered: mpsc::UnboundedSender<RoomId>,
    answers: Mutex<mpsc::UnboundedReceiver<RoomId>>,
    rate: std::sync::Mutex<f64>,
}

impl Carousel {
    fn message(&self, room: RoomId, number: u64) -> Delivery {
        Delivery::from(Event::Said(Message {
            unlimited: true,
            ..Message::new(
                number.to_string(),
                room,
                Speaker { standing: Standing::Admin, ..Speaker::new(PlayerId::new("bench", "ann"), "Ann") },
                jiff::Timestamp::UNIX_EPOCH,
                self.command,
            )
        }))
    }
}

#[async_trait]
impl Transport for Carousel {
    fn network(&self) -> &str {
        "bench"
    }

    fn guarantees(&self) -> Guarantees {
        Guarantees::default()
    }

    async fn run(&self, desk: Arc<dyn Desk>) -> Result<(), TransportError> {
        let mut answers = self.answers.lock().await;
        let mut number = 0;
        let mut say = async |room| {
            number += 1;
            desk.accept(self.message(room, number)).await.expect("accepted");
        };
        // The first command lays the table; it is not counted.
        for table in 0..self.tables {
            say(RoomId::new("bench", format!("room{table}"))).await;
        }
        let start = now();
        let mut count = 0u32;
        while start.elapsed() < TIME {
            let room = answers.recv().await.expect("answered");
            count += 1;
            say(room).await;
        }
        *self.rate.lock().expect("nothing panics") = f64::from(count) / start.elapsed().as_secs_f64();
        Ok(())
    }

    fn send(&self, post: Post) -> Saying {
        // After the last round nobody listens any more.
        let _ = self.answered.send(post.room);
        Box::pin(async { Ok(Sent::default()) })
    }
}

fn main() {
    // Under `cargo test --benches` there is nothing to measure.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let raw = raw_writes(directory.path());
    let mut out = std::io::stdout().lock();
    // `cargo bench -p tests -- kept` measures what has that in its name.
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

/// The core's own work for a command, without queues, tasks and threads: from the message to the posts and the batch.
fn alone(command: &'static str) -> f64 {
    let host = host(Arc::<Memory>::default());
    let (answered, answers) = mpsc::unbounded_channel();
    let (answers, rate) = (Mutex::new(answers), std::sync::Mutex::new(0.0));
    let carousel = Carousel { tables: 1, command, answered, answers, rate };
    let room = RoomId::new("bench", "hall");
    let mut table = Table::open(&host, TableId::of(&room)).expect("it opens");
    let start = now();
    let mut count = 0u32;
    while start.elapsed() < TIME {
        for event in carousel.message(room.clone(), u64::from(count)).events {
            let lines = table.lines(&host, &event).expect("memory does not fail");
            let laid = table.lay(&host, &event, &lines, Guarantees::default());
            let heard = table.hear(&host, &event, &lines, Guarantees::default()).expect("memory does not fail");
            assert!(laid.is_some() == (count == 0) && heard.posts.len() == 1);
        }
        count += 1;
    }
    f64::from(count) / start.elapsed().as_secs_f64()
}

fn host(store: Shared) -> Host {
    let plugins = Plugins::new(vec![mvk::plugin(), roll::plugin()]).expect("they live together");
    let settings = Settings { plugins: ["mvk".to_owned(), "roll".to_owned()].into(), ..Settings::default() };
    Host::new(settings, plugins, store, Entropy::from_seed([1; 32]), Box::new(FairBox)).expect("it starts")
}

fn commands(store: Shared, tables: usize, command: &'static str) -> f64 {
    let bot = Bot::new(host(store));
    let (answered, answers) = mpsc::unbounded_channel();
    let (answers, rate) = (Mutex::new(answers), std::sync::Mutex::new(0.0));
    let carousel = Arc::new(Carousel { tables, command, answered, answers, rate });
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("threads");
    let transports: Vec<Arc<dyn Transport>> = vec![carousel.clone()];
    runtime.block_on(serve(Arc::new(bot), transports, std::future::pending())).expect("it serves");
    *carousel.rate.lock().expect("nothing panics")
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

fn now() -> Instant {
    #[expect(clippy::disallowed_methods, reason = "a benchmark measures")]
    Instant::now()
}
