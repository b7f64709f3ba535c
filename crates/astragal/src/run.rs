//! Runs the bot in this terminal.

use crate::beside::keep;
use crate::config::Config;
use crate::ending::{HandOver, Signals};
use crate::game_files::{GameFiles, WithFiles};
use crate::log::Log;
use crate::look::Pages;
use crate::networks::Networks;
use crate::operator::Operator;
use crate::out::out;
use crate::place::{Home, Place};
use crate::request::SOCKET;
use crate::stand_down::Watch;
use crate::store::{Kept, Playing, Wait};
use crate::{backup, backups, check, control, ending, housekeeping, owner, reload, service, store, watch};
use anyhow::Context;
use bot::{Bot, serve};
use chat::{Clock, RoomId, SystemClock, Transport};
use journal::Entropy;
use journal::committer::Committer;
use journal::store::Batch;
use std::cell::RefCell;
use std::io::{IsTerminal, stdin};
use std::path::Path;
use std::sync::{Arc, RwLock};
use store_sled::DataDir;
use table::{FairBox, Host, Plugins, Settings};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Mutex;
use transport_console::{Completes, Console, Input, Opening};

/// Runs on the networks of the configuration, or else in this terminal, until the end of input or a signal, or until an
/// operator lets another bot play on.
pub fn run(place: Place, log: Log) -> anyhow::Result<()> {
    let config = Arc::new(place.config()?);
    warn(&place, &config)?;
    let (data, home) = claimed(&place, &config)?;
    let written = check::last_written(&data);
    check::before_a_start(&data, &home)?;
    // An upgrade may replace it while it runs.
    let program = std::env::current_exe().context("this program does not find itself")?;
    let signals = Signals::listen()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().context("cannot start threads")?;
    let waiting = runtime.spawn(ending::end_while_waiting(signals.clone()));
    let store = Arc::new(opened(&data, &config, &home)?);
    // A signal that comes from now on lets the store go to others, in order.
    waiting.abort();
    let Made { bot, game_files, pages, nonce } = Made::of(&config, &store)?;

    let (watch, hand_over) = (Watch::start(store.store.clone())?, Arc::<HandOver>::default());
    let served = runtime.block_on(async {
        let transports = match !config.networks.is_empty() {
            true => config.networks.transports(&home.data),
            false => vec![console(&config, &data, &bot, nonce)?],
        };
        let operator = Arc::new(Operator {
            bot: bot.clone(),
            store: store.clone(),
            hand_over: hand_over.clone(),
            transports: RwLock::new(transports.clone()),
            place,
            reloading: Mutex::default(),
            data: home.data,
            backups: home.backups,
            backup_trouble: RwLock::new(None),
            game_files,
            level: log.level(),
            written,
            since: SystemClock.now(),
            started: config.clone(),
            config: RwLock::new(config.clone()),
        });
        bot.operated_by(operator.clone());
        keep_at_work(&operator, &data, &store, log).await?;
        pages.map(|pages| pages.show(&bot)).transpose()?;
        service::ready(&config);
        log_start(&config.networks, &operator.data);
        let stop = ending::wanted(signals.clone(), watch.end(), &hand_over);
        serve(bot.clone(), transports, stop).await.context("the bot cannot go on")?;
        watch.lasted()
    });
    // The console's thread may still wait for a key that nobody will press.
    runtime.shutdown_background();
    // That thread may keep the store alive.
    leave(&store, &bot, watch);
    let again = || ending::stand_by_again(signals, program);
    let ended = if hand_over.is_wanted() { served.and_then(|()| again()) } else { served };
    if ended.is_ok() && !config.networks.is_empty() {
        tracing::info!("stopped");
    }
    ended
}

/// The data directory, which is this bot's from now on.
fn claimed(place: &Place, config: &Config) -> anyhow::Result<(DataDir, Home)> {
    let path = place.data_of(config)?;
    owner::must_not_be_roots(&path)?;
    let data = DataDir::claim(&path)?;
    let home = Home { backups: path.join(&config.backups.directory), data: path, kept: config.store.kept() };
    backups::remove_unfinished(&home.data, &home.backups);
    Ok((data, home))
}

/// Opens the store, once no other bot has it.
fn opened(data: &DataDir, config: &Config, home: &Home) -> anyhow::Result<Playing> {
    let store = store::open(data, config, Wait::ForAsLong(&stand_by())).with_context(|| open_failed(home))?;
    let standing = store.standing().map(|standing| standing.lines());
    standing.iter().flatten().take(1).for_each(|line| tracing::info!("{line}"));
    Ok(store)
}

/// A bot that does not play yet, and what belongs to it.
struct Made {
    bot: Arc<Bot>,
    game_files: GameFiles,
    pages: Option<Pages>,
    nonce: String,
}

impl Made {
    fn of(config: &Config, store: &Playing) -> anyhow::Result<Self> {
        let (game_files, plugins) = plugins(config)?;
        let mut entropy = Entropy::from_system();
        let nonce = journal::hex(&entropy.secret()[..8]);
        let pages = Pages::of(config)?;
        let settings = Settings { pages: pages.as_ref().map(Pages::address), ..config.settings() };
        let committer = Committer::keeping(store.store.clone(), config.store.cache());
        let host = Host::over(committer, settings, plugins, entropy, Box::new(FairBox))?;
        Ok(Made { bot: Arc::new(Bot::new(host)), game_files, pages, nonce })
    }
}

/// Writes what is still to be written, and lets others have the store.
fn leave(store: &Playing, bot: &Bot, watch: Watch) {
    if let Err(error) = bot.host().committer().commit(None, Batch::default()) {
        tracing::warn!(%error, "it is not stored that the newest answers were said, so some may be repeated");
    }
    if let Err(error) = store.apply() {
        tracing::warn!(%error, "the newest commits stay in the log until the next start");
    }
    drop(watch);
    store.store.let_go();
}

/// Logs what may be wrong with the configuration.
fn warn(place: &Place, config: &Config) -> anyhow::Result<()> {
    let exposed = place.exposed_secrets()?;
    exposed.into_iter().for_each(|exposed| tracing::warn!("{}", exposed.trim_start_matches("warning: ")));
    config.networks.doubts().into_iter().for_each(|doubt| tracing::warn!("{doubt}"));
    Ok(())
}

/// All games and tools, and what was read of those that are files.
fn plugins(config: &Config) -> anyhow::Result<(GameFiles, Plugins)> {
    let files = GameFiles::default();
    let WithFiles { plugins, wrong, .. } = files.added_to(house::with_plugins(games::all())?, config.games.as_deref());
    wrong.iter().for_each(|wrong| tracing::error!("{wrong}"));
    Ok((files, plugins))
}

/// Logs what has started. In the terminal the greeting says it.
fn log_start(networks: &Networks, data: &Path) {
    if !networks.is_empty() {
        let (version, data) = (env!("CARGO_PKG_VERSION"), data.display());
        tracing::info!(version, %data, networks = networks.titles(), "started");
    }
}

/// Starts everything that runs next to the networks while the bot runs.
async fn keep_at_work(operator: &Arc<Operator>, data: &DataDir, store: &Arc<Playing>, log: Log) -> anyhow::Result<()> {
    let config = operator.config();
    if let Some(address) = config.watch.listen {
        watch::listen(address, operator.clone()).await?;
    }
    let hangup = Arc::new(Mutex::new(signal(SignalKind::hangup())?));
    let (telling, log) = (operator.bot.clone(), Arc::new(log));
    keep("telling the operator", move || log.clone().tell_operator(telling.clone()));
    keep("telling the service manager", service::stay_alive);
    let reloading = operator.clone();
    keep("reading the configuration again", move || reload::on_hangup(hangup.clone(), reloading.clone()));
    let (socket, asked) = (data.file(SOCKET), operator.clone());
    keep("the control socket", move || control::listen(socket.clone(), asked.clone()));
    if config.backups.keep > 0 {
        let (told, store) = (operator.clone(), store.clone());
        keep("the daily backup", move || {
            let (settings, operator) = (told.clone(), told.clone());
            let after = move || settings.config().backups.after.clone();
            let tell = move |trouble| operator.backed_up(trouble);
            backup::daily(told.backups.clone(), told.bot.clone(), store.clone(), after, tell)
        });
    }
    let house = operator.clone();
    keep("keeping house", move || housekeeping::keep_house(house.clone()));
    Ok(())
}

/// The terminal as a network.
fn console(config: &Config, data: &DataDir, bot: &Arc<Bot>, nonce: String) -> anyhow::Result<Arc<dyn Transport>> {
    let user = || std::env::var("USER").ok().filter(|user| !user.is_empty());
    let name = config.console.name.clone().or_else(user).unwrap_or_else(|| "Player".to_owned());
    let room = config.console.room.clone();
    let prefix = bot.host().prefix_of(&RoomId::new(transport_console::NETWORK, &room))?;
    let pages = if bot.host().settings().pages.is_some() {
        format!(", {prefix}page this table in a browser")
    } else {
        String::new()
    };
    let greeting = vec![
        format!("I roll dice, know the rules of your game, and keep what your table holds. You are {name} in {room}."),
        format!(
            "{prefix}help shows what I do{pages}; /as NAME speaks as another player, /room NAME goes elsewhere, /quit ends."
        ),
        format!("Example: {prefix}roll 4d6kh3"),
    ];
    let files = data.file("exports");
    let opening = Opening { greeting, name, room, nonce, files };
    let input = if stdin().is_terminal() && out().is_terminal() {
        Input::terminal(&data.file("history"), completes(bot.clone())).context("the terminal cannot be used")?
    } else {
        Input::pipe(stdin())
    };
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    Ok(Arc::new(Console::new(opening, clock, input, Box::new(out()))))
}

/// What Tab completes in the terminal.
fn completes(bot: Arc<Bot>) -> Completes {
    Arc::new(move |typed| match table::completions(&bot.host(), typed) {
        Ok(found) => (found.from, found.words),
        Err(error) => {
            tracing::warn!(%error, "nothing can be completed");
            (0, Vec::new())
        }
    })
}

/// Says that another bot plays, each time that it is another one, and that this one is alive.
fn stand_by() -> impl Fn(&str) {
    let told = RefCell::new(String::new());
    move |other| {
        if told.replace(other.to_owned()) != other {
            tracing::info!("{other} plays; this one stands by, and is on no network");
            service::standing_by(other);
        }
        service::alive();
    }
}

fn open_failed(home: &Home) -> String {
    match &home.kept {
        Kept::Here(_) => format!("the database in {} cannot be opened and was left as it is", home.data.display()),
        Kept::There(remote) => format!("{remote} cannot be opened"),
    }
}
