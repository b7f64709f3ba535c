//! The running bot: its runtime, the core, and the committer's writer. All of it is gone when it dies.

use crate::dice::Fallen;
use crate::disk::Medium;
use crate::ground::Ground;
use crate::harbour;
use crate::net::{Link, Net};
use crate::script::Script;
use bot::{Bot, Sweep};
use chat::{Desk, Transport};
use jiff::{SignedDuration, Timestamp};
use journal::Entropy;
use journal::committer::{Committer, Wait, Writer};
use journal::store::Lease;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};
use std::time::Duration;
use table::{Host, Settings};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;
use tokio::time::Instant;

/// A running bot.
pub struct Machine {
    runtime: Runtime,
    idle: Arc<Idle>,
    bot: Arc<Bot>,
    writer: Writer,
    /// The dice it rolled.
    pub fallen: Fallen,
    /// The instant that the committer takes for the beginning of the world.
    beginning: Instant,
    ended: Arc<Mutex<Option<String>>>,
    stop: Option<oneshot::Sender<()>>,
}

/// Whether all tasks wait, and whom to tell.
#[derive(Default)]
struct Idle {
    all_wait: AtomicBool,
    waker: Mutex<Option<Waker>>,
}

impl Machine {
    /// Starts it for the `start`th time, on this machine.
    ///
    /// # Errors
    /// Why it does not start.
    pub fn start(
        script: &Script,
        (start, at): (u64, usize),
        disk: &dyn Medium,
        ground: &Ground,
        nets: &[Arc<Net>],
    ) -> Result<Machine, String> {
        let store = disk.open().map_err(|error| error.to_string())?;
        journal::schema::prepare(&*store).map_err(|error| error.to_string())?;
        let (committer, writer) = Committer::by_hand(store);
        let writer = writer.in_groups_of(script.groups);
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&script.seed.to_le_bytes());
        seed[8..16].copy_from_slice(&start.to_le_bytes());
        let plugins = house::with_plugins(games::all()).map_err(|error| error.to_string())?;
        let plugins = harbour::with_file(plugins, start)?;
        let (entropy, fallen) = (Entropy::from_seed(seed), Fallen::default());
        let host = Host::over(committer, settings(script), plugins, entropy, Box::new(fallen.clone()));
        let host = host.map_err(|error| error.to_string())?.with_clock(Arc::new(ground.clone()));
        let bot = Arc::new(Bot::paced(host, Arc::new(ground.clone())));
        let (runtime, idle) = runtime();
        let transports = nets.iter().map(|net| Arc::new(Link(net.clone(), at)) as Arc<dyn Transport>).collect();
        let (stop, stopped) = oneshot::channel::<()>();
        let ended = Arc::<Mutex<Option<String>>>::default();
        runtime.spawn({
            let (bot, ended) = (bot.clone(), ended.clone());
            async move {
                let stopped = async { drop(stopped.await) };
                let how = bot::serve(bot, transports, stopped).await;
                *ended.lock().expect("nothing panics holding it") = Some(format!("{how:?}"));
            }
        });
        Ok(Machine { runtime, idle, bot, writer, fallen, beginning: Instant::now(), ended, stop: Some(stop) })
    }

    /// Runs the tasks until each waits for something.
    pub fn run_until_idle(&mut self) {
        let idle = &self.idle;
        idle.all_wait.store(false, Ordering::Relaxed);
        self.runtime.block_on(poll_fn(|context| {
            if idle.all_wait.load(Ordering::Relaxed) {
                return Poll::Ready(());
            }
            *idle.waker.lock().expect("nothing panics holding it") = Some(context.waker().clone());
            Poll::Pending
        }));
    }

    /// Gives the committer's writer a turn at this age of the world.
    pub fn write(&mut self, now: Duration) -> Option<Wait> {
        self.writer.turn(self.beginning + now)
    }

    /// The age of the world at which the writer wants its next turn.
    pub fn due(&self, wait: Option<Wait>) -> Option<Duration> {
        match wait {
            Some(Wait::Until(time)) => Some(time - self.beginning),
            _ => None,
        }
    }

    /// Makes it remove temporary records older than this many days.
    pub fn sweep(&self, now: Timestamp, days: u16) {
        let bot = self.bot.clone();
        self.runtime.spawn(async move {
            let mut sweep = Sweep::begin(&bot.host(), now, days).await.map(Some);
            // A failed sweep is started again some other time.
            while let Ok(Some(page)) = sweep {
                sweep = page.on(&bot.host()).await;
            }
        });
    }

    /// How many records with this prefix it keeps.
    pub fn kept(&self, prefix: &str) -> usize {
        self.bot.host().committer().stored(prefix).count()
    }

    /// Whether it may write and speak.
    pub fn lease(&self) -> Lease {
        self.bot.host().committer().lease()
    }

    /// Tells it to stop.
    pub fn stop(&mut self) {
        self.stop = None;
    }

    /// How it ended, if it did.
    pub fn ended(&self) -> Option<String> {
        self.ended.lock().expect("nothing panics holding it").clone()
    }

    /// True if the core says that a network's work is done.
    pub fn settles(&mut self, desk: Arc<dyn Desk>) -> bool {
        let settling = self.runtime.spawn(async move { desk.settle().await });
        self.run_until_idle();
        settling.is_finished()
    }

    /// A key whose value reads differently from the disk.
    pub fn unwritten(&self, contents: &BTreeMap<String, Vec<u8>>) -> Option<String> {
        let host = self.bot.host();
        let committer = host.committer();
        let other = |(key, value): &(&String, &Vec<u8>)| committer.read(key).ok().flatten().as_ref() != Some(*value);
        contents.iter().find(other).map(|(key, _)| key.clone())
    }

    /// Kills it without telling anybody.
    pub fn die(self) {
        let Machine { runtime, bot, writer, .. } = self;
        drop(runtime);
        drop(bot);
        drop(writer);
    }
}

/// A single-threaded runtime that tells when all its tasks wait.
fn runtime() -> (Runtime, Arc<Idle>) {
    let idle = Arc::<Idle>::default();
    let runtime = Builder::new_current_thread()
        .on_thread_park({
            let idle = idle.clone();
            move || {
                idle.all_wait.store(true, Ordering::Relaxed);
                let waker = idle.waker.lock().expect("nothing panics holding it").take();
                waker.into_iter().for_each(Waker::wake);
            }
        })
        .build();
    (runtime.expect("a runtime of one thread needs nothing"), idle)
}

fn settings(script: &Script) -> Settings {
    let mut settings =
        Settings { plugins: BTreeSet::from(["roll", "mvk", harbour::ID].map(str::to_owned)), ..Settings::default() };
    if !script.limited {
        let limits = &mut settings.limits;
        (limits.per_player, limits.per_table, limits.same_answers) = (10_000, 10_000, 10_000);
        limits.silence = SignedDuration::ZERO;
    }
    settings
}

thread_local! {
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// From now on panics are kept for [`panicked`], per thread, instead of printed.
pub fn keep_panics() {
    std::panic::set_hook(Box::new(|panic| {
        PANIC.with(|kept| kept.borrow_mut().get_or_insert_with(|| panic.to_string()).truncate(2_000));
    }));
}

/// The panic on this thread since the last call, if any.
pub fn panicked() -> Option<String> {
    PANIC.with(|kept| kept.borrow_mut().take())
}
