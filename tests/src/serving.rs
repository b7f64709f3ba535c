//! The bot in this process, on networks of the test's choice.

use bot::{Bot, serve};
use chat::{Clock, Fake, Message, PlayerId, RoomId, Speaker, Standing, SystemClock, Transport};
use jiff::{SignedDuration, Timestamp};
use journal::Entropy;
use journal::store::{Memory, Store};
use plugin_api::{Plugin, PrintedDecks};
use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use table::{DiceBox, FairBox, Host, Settings};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A bot in this process.
pub struct Running {
    /// The bot.
    pub bot: Arc<Bot>,
    /// Its store.
    pub store: Arc<dyn Store>,
    stop: oneshot::Sender<()>,
    served: JoinHandle<()>,
}

/// All plugins of the program.
pub static PLUGINS: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| games::ids().into_iter().map(|id| &*id.leak()).collect());

/// The parts of a bot. By default it plays with fair dice and keeps everything in memory.
pub struct Make {
    /// Its store.
    pub store: Arc<dyn Store>,
    /// The plugins that it has.
    pub games: fn() -> Vec<Box<dyn Plugin>>,
    /// The operator's decks.
    pub decks: PrintedDecks,
    /// The plugins enabled in new rooms.
    pub plugins: Vec<&'static str>,
    /// The seeds of its dice.
    pub entropy: Entropy,
    /// Its dice.
    pub dice: Box<dyn DiceBox>,
    /// The clock of a test's networks.
    pub clock: Arc<dyn Clock>,
    /// The bot's own clock.
    pub own_clock: Arc<dyn Clock>,
    /// True if it answers without rate limits.
    pub unlimited: bool,
    /// Its owners.
    pub owners: BTreeSet<PlayerId>,
    /// The people it never answers.
    pub ignore: BTreeSet<String>,
}

impl Default for Make {
    fn default() -> Self {
        let store: Arc<Memory> = Arc::default();
        let plugins = vec!["roll", "mvk"];
        let (owners, ignore) = Default::default();
        let (dice, clock, own_clock) = (Box::new(FairBox), Arc::new(SystemClock), Arc::new(SystemClock));
        let (games, decks, entropy) = (games::all as _, PrintedDecks::new(), Entropy::from_system());
        Make { store, games, decks, plugins, entropy, dice, clock, own_clock, unlimited: false, owners, ignore }
    }
}

impl Make {
    /// Starts it on these networks.
    pub fn serve(self, networks: Vec<Arc<dyn Transport>>) -> Running {
        let plugins: BTreeSet<String> = self.plugins.into_iter().map(str::to_owned).collect();
        let (owners, ignore) = (self.owners, self.ignore);
        let decks = Arc::new(self.decks);
        let mut settings = Settings { decks, plugins, owners, ignore, ..Settings::default() };
        if self.unlimited {
            let limits = &mut settings.limits;
            (limits.per_player, limits.per_table, limits.same_answers) = (100_000, 100_000, 100_000);
        }
        let plugins = house::with_plugins((self.games)()).expect("the plugins fit together");
        let host = Host::new(settings, plugins, self.store.clone(), self.entropy, self.dice);
        let bot = Arc::new(Bot::new(host.expect("it starts").with_clock(self.own_clock)));
        let (stop, stopped) = oneshot::channel();
        let served = serve(bot.clone(), networks, async move {
            // Dropping the sender stops it too.
            let _ = stopped.await;
        });
        let served = tokio::spawn(async move { served.await.expect("it serves") });
        Running { bot, store: self.store, stop, served }
    }
}

impl Make {
    /// Runs it on a network during `play`, then stops it in order and returns its store.
    pub async fn during(self, network: Arc<Fake>, play: impl AsyncFnOnce(&Fake)) -> Arc<dyn Store> {
        let running = self.serve(vec![network.clone()]);
        play(&network).await;
        running.stop().await
    }
}

/// A message of Ann, an admin on the network `fake`. No limit holds her back.
pub fn by_ann(id: &str, room: &str, body: &str) -> Message {
    let speaker = Speaker { standing: Standing::Admin, ..Speaker::new(PlayerId::new("fake", "ann"), "Ann") };
    let message = Message::new(id, RoomId::new("fake", room), speaker, Timestamp::UNIX_EPOCH, body);
    Message { unlimited: true, ..message }
}

impl Running {
    /// Stops it in order and returns its store.
    pub async fn stop(self) -> Arc<dyn Store> {
        drop(self.stop);
        self.served.await.expect("it ends");
        self.store
    }
}

/// A clock that a test sets.
pub struct SetClock(Mutex<Timestamp>);

impl SetClock {
    /// A clock set to this time.
    pub fn at(time: Timestamp) -> Self {
        SetClock(Mutex::new(time))
    }

    /// Sets it.
    pub fn set(&self, time: Timestamp) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = time;
    }

    /// Moves it forward.
    pub fn go_on(&self, by: SignedDuration) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) += by;
    }
}

impl Clock for SetClock {
    fn now(&self) -> Timestamp {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
