//! A database on two servers, as two machines reach it: a primary, and a standby that each of its commits waits for. The
//! statements are the program's; what becomes of them on their way is chosen here.

use crate::log::Log;
use crate::luck::Luck;
use journal::store::{Batch, Memory, Store, StoreError};
use std::any::type_name;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use store_postgres::database::{Database, Line, Name};
use store_postgres::statements::Statement;
use store_postgres::tables::{Tables, Time};

/// The shard that is played.
const SHARD: &str = "main";

/// How many servers and machines there are.
pub const PAIR: usize = 2;

/// How long a statement waits for a row.
const ROW: Duration = Duration::from_secs(1);

/// How long whoever connects waits for a greeting.
const GREETING: Duration = Duration::from_secs(2);

/// What befalls the servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blow {
    /// The primary does not reach its standby: its commits wait.
    Parted,
    /// The standby becomes the primary. The old one does not know, and its commits wait for ever.
    Promoted,
    /// The primary starts again. What waited for the standby can be seen from now on.
    Restarted,
    /// A server stands still.
    Frozen,
    /// It goes on.
    Thawed,
    /// A machine does not reach the primary.
    CutOff,
    /// The primary's clock is set to another time.
    Clock,
}

/// What becomes of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// It is done and answered.
    Well,
    /// It does not arrive.
    Lost,
    /// It is done and answered, and that takes almost as long as anybody waits.
    Slow,
    /// It is done, and nobody learns that.
    Unheard,
    /// It arrives some other time.
    Late,
}

/// What can go wrong.
const ASTRAY: [Way; 3] = [Way::Lost, Way::Unheard, Way::Late];

/// How much sooner than nobody waits any more a slow answer comes.
const JUST: Duration = Duration::from_millis(10);

/// The database. Clones are the same one.
#[derive(Clone)]
pub struct Cluster {
    state: Arc<Mutex<State>>,
    log: Log,
}

struct State {
    luck: Luck,
    /// The age of the world.
    now: Duration,
    servers: [Server; PAIR],
    /// Which of them was promoted last.
    primary: usize,
    /// True if the other one follows it.
    follows: bool,
    /// True if the other one still takes itself for the primary.
    parted_for_good: bool,
    /// What arrives some other time.
    late: Vec<Late>,
    /// The ways of the next statements.
    ways: Vec<Way>,
    is_full: bool,
    /// The machine that does not reach the primary.
    cut_off: Option<usize>,
}

#[derive(Default)]
struct Server {
    tables: Tables,
    /// What a commit that waits for the standby will have made of them. It keeps the row of the lease.
    waiting: Option<Tables>,
    /// By how many milliseconds its clock differs.
    clock: i64,
    is_frozen: bool,
    /// How often it was started.
    starts: u64,
}

/// What a statement does.
type Change = Box<dyn Fn(&mut Tables, Time) + Send>;

/// A statement that arrives some other time, at this server, if that was not started again.
struct Late {
    server: usize,
    starts: u64,
    run: Change,
}

impl Cluster {
    /// An empty database.
    pub fn new(log: Log, mut luck: Luck) -> Self {
        let clock = |luck: &mut Luck| *luck.pick(&[0, -90_000, 3_600_000]);
        let servers = [(); PAIR].map(|()| Server { clock: clock(&mut luck), ..Server::default() });
        let state = State {
            luck,
            now: Duration::ZERO,
            servers,
            primary: 0,
            follows: true,
            parted_for_good: false,
            late: Vec::new(),
            ways: Vec::new(),
            is_full: false,
            cut_off: None,
        };
        Cluster { state: Arc::new(Mutex::new(state)), log }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nothing panics holding it")
    }

    /// The age of the world, in which the database's answers take time.
    pub fn now(&self) -> Duration {
        self.state().now
    }

    /// Lets time pass up to this age.
    pub fn pass(&self, now: Duration) {
        let mut state = self.state();
        state.now = state.now.max(now);
    }

    /// The next statement does not arrive, or is done slowly or without an answer, or arrives some other time.
    pub fn stray(&self, luck: &mut Luck) {
        let way = if luck.percent(25) { Way::Slow } else { *luck.pick(&ASTRAY) };
        self.state().ways.push(way);
    }

    /// From now on there is no room for anything new.
    pub fn fill(&self) {
        self.state().is_full = true;
    }

    /// Something befalls the servers.
    pub fn befalls(&self, blow: Blow, luck: &mut Luck) {
        let mut state = self.state();
        let primary = state.primary;
        match blow {
            Blow::Parted => state.follows = false,
            Blow::Promoted => state.promote(),
            Blow::Restarted => state.servers[primary].start_again(),
            Blow::Frozen => state.servers[luck.below(PAIR)].is_frozen = true,
            Blow::Thawed => {
                state.servers.iter_mut().for_each(|server| server.is_frozen = false);
                state.catch_up();
            }
            Blow::CutOff => state.cut_off = Some(luck.below(PAIR)),
            Blow::Clock => state.servers[primary].clock = *luck.pick(&[-20_000, 0, 5_000, 40_000]),
        }
    }

    /// Everything works: the servers follow each other, and whoever took itself for the primary starts again.
    pub fn heal(&self) {
        let mut state = self.state();
        (state.is_full, state.cut_off) = (false, None);
        state.ways.clear();
        state.servers.iter_mut().for_each(|server| server.is_frozen = false);
        if std::mem::take(&mut state.parted_for_good) {
            let other = 1 - state.primary;
            state.servers[other].start_again();
        }
        state.follows = true;
        state.catch_up();
    }

    /// Something that was late arrives.
    pub fn arrive(&self, luck: &mut Luck) {
        let mut state = self.state();
        if state.late.is_empty() {
            return;
        }
        let place = luck.below(state.late.len());
        if state.servers[state.late[place].server].is_frozen {
            return;
        }
        let Late { server, starts, run } = state.late.swap_remove(place);
        if state.servers[server].starts == starts {
            self.log.note("something that was late arrives at the database");
            // Nobody is told.
            let _ = state.execute(server, |tables, now| run(tables, now));
        }
    }

    /// Everything that the primary holds of the shard.
    pub fn store(&self) -> Memory {
        let (store, mut all, front) = (Memory::default(), Batch::default(), format!("{SHARD}\0"));
        let state = self.state();
        for (key, value) in &state.servers[state.primary].tables.records {
            let key = std::str::from_utf8(key).expect("keys are text");
            all.put(key.strip_prefix(&front).expect("there is one shard"), value.as_slice());
        }
        store.commit(&all).expect("memory does not fail");
        store
    }
}

impl State {
    /// The standby becomes the primary; nothing stands by any more.
    fn promote(&mut self) {
        if self.parted_for_good {
            return;
        }
        self.primary = 1 - self.primary;
        (self.follows, self.parted_for_good) = (false, true);
        self.servers[self.primary].is_frozen = false;
    }

    /// The standby gets what it lacks, if it follows, and what waited for it is done.
    fn catch_up(&mut self) {
        if !self.follows || self.parted_for_good {
            return;
        }
        let primary = &mut self.servers[self.primary];
        if let Some(done) = primary.waiting.take() {
            primary.tables = done;
        }
        let tables = primary.tables.clone();
        self.servers[1 - self.primary].tables = tables;
    }

    /// True if a machine gets no answer from a server.
    fn is_out_of_reach(&self, server: usize, machine: usize) -> bool {
        self.servers[server].is_frozen || server == self.primary && self.cut_off == Some(machine)
    }

    /// True if the commits of this server wait for another, which does not come.
    fn waits(&self, server: usize) -> bool {
        match server == self.primary {
            true => !self.parted_for_good && (!self.follows || self.servers[1 - server].is_frozen),
            false => true,
        }
    }

    /// What a server's clock shows.
    fn time(&self, at: usize) -> Time {
        Time(i64::try_from(self.now.as_millis()).expect("a run is short") + self.servers[at].clock)
    }

    /// Runs a statement.
    fn execute<T>(&mut self, at: usize, run: impl Fn(&mut Tables, Time) -> T) -> Result<T, Stuck> {
        let now = self.time(at);
        if !self.waits(at) && !self.is_full {
            let answer = run(&mut self.servers[at].tables, now);
            if self.follows {
                run(&mut self.servers[1 - at].tables, now);
            }
            return Ok(answer);
        }
        let server = &mut self.servers[at];
        let mut after = server.tables.clone();
        let answer = run(&mut after, now);
        if after == server.tables {
            return Ok(answer);
        }
        if self.is_full {
            return Err(Stuck::Full);
        }
        if server.waiting.is_some() {
            return Err(Stuck::Row);
        }
        server.waiting = Some(after);
        Err(Stuck::Standby)
    }
}

/// Why a statement is not done.
enum Stuck {
    /// There is no room.
    Full,
    /// Another one keeps the row.
    Row,
    /// It waits for the standby, and may be done later.
    Standby,
}

impl Server {
    /// All connections are gone, and what waited was written.
    fn start_again(&mut self) {
        if let Some(done) = self.waiting.take() {
            self.tables = done;
        }
        (self.starts, self.is_frozen) = (self.starts + 1, false);
    }
}

/// The database as one run of the bot on a machine reaches it.
pub struct Reach {
    cluster: Cluster,
    machine: usize,
    name: Name,
    first: AtomicUsize,
    /// What its clock shows at the beginning of the world.
    clock: Duration,
    /// True once the bot is dead: nothing is asked any more.
    is_dead: AtomicBool,
    /// True if the next statement is its last.
    is_last: AtomicBool,
}

impl Reach {
    /// The `run`th run of the bot on this machine.
    pub fn new(cluster: &Cluster, machine: usize, run: u64) -> Arc<Self> {
        let same = format!("b{machine}/");
        let name = Name { shard: SHARD.to_owned(), owner: format!("{same}{run}/machine{machine}"), same };
        let clock = Duration::from_secs(1_000 * machine as u64);
        let (first, is_dead, is_last) = (AtomicUsize::new(0), AtomicBool::new(false), AtomicBool::new(false));
        Arc::new(Reach { cluster: cluster.clone(), machine, name, first, clock, is_dead, is_last })
    }

    /// The bot dies while it waits for the answer to the next statement.
    pub fn dies_in_next(&self) {
        self.is_last.store(true, Ordering::Relaxed);
    }

    /// The bot is dead.
    pub fn dies(&self) {
        self.is_dead.store(true, Ordering::Relaxed);
    }

    /// True if it is.
    pub fn is_dead(&self) -> bool {
        self.is_dead.load(Ordering::Relaxed)
    }
}

fn failed(why: &str) -> StoreError {
    StoreError::Unavailable(why.to_owned())
}

impl Database for Reach {
    type Line = Connection;

    fn name(&self) -> &Name {
        &self.name
    }

    fn hosts(&self) -> usize {
        PAIR
    }

    fn first(&self) -> usize {
        self.first.load(Ordering::Relaxed)
    }

    fn try_first(&self, host: usize) {
        self.first.store(host, Ordering::Relaxed);
    }

    fn connect(self: &Arc<Self>, host: usize) -> Result<Connection, StoreError> {
        let mut state = self.cluster.state();
        if self.is_dead() {
            return Err(failed("nobody is there to ask"));
        }
        if state.is_out_of_reach(host, self.machine) {
            state.now += GREETING;
            return Err(failed("the server does not answer"));
        }
        if host != state.primary && !state.parted_for_good {
            return Err(failed("the server is a standby"));
        }
        let starts = state.servers[host].starts;
        let (until, is_broken, is_new) =
            (Mutex::new(state.now + GREETING), AtomicBool::new(false), AtomicBool::new(true));
        Ok(Connection { reach: self.clone(), host, starts, is_broken, until, is_new })
    }

    fn now(&self) -> Duration {
        self.cluster.now() + self.clock
    }

    fn pause(&self, time: Duration) {
        self.cluster.state().now += time;
    }
}

/// A connection to a server.
pub struct Connection {
    reach: Arc<Reach>,
    host: usize,
    starts: u64,
    is_broken: AtomicBool,
    /// Until when its question may take, and whether it was asked none yet.
    until: Mutex<Duration>,
    is_new: AtomicBool,
}

impl Line for Connection {
    fn begin(&self, within: Duration) {
        if !self.is_new.swap(false, Ordering::Relaxed) {
            *self.until.lock().expect("nothing panics holding it") = self.reach.cluster.now() + within;
        }
    }

    fn run<S: Statement>(&self, statement: S) -> Result<S::Answer, StoreError> {
        let answer = match self.is_broken.load(Ordering::Relaxed) {
            true => Err(failed("the connection was lost")),
            false => self.asked(statement),
        };
        if let Err(error) = &answer {
            let what = type_name::<S>().rsplit("::").next().unwrap_or_default();
            self.reach.cluster.log.note(format!("{}: {what} at server {}: {error}", self.reach.name.owner, self.host));
            self.is_broken.store(true, Ordering::Relaxed);
            self.reach.try_first((self.host + 1) % PAIR);
        }
        answer
    }
}

impl Connection {
    fn asked<S: Statement>(&self, statement: S) -> Result<S::Answer, StoreError> {
        let (mut state, host) = (self.reach.cluster.state(), self.host);
        let within = self.until.lock().expect("nothing panics holding it").saturating_sub(state.now);
        if self.reach.is_dead() || state.servers[host].starts != self.starts {
            return Err(failed("the connection was lost"));
        }
        let apply = move |tables: &mut Tables, now: Time| statement.apply(tables, now);
        let way = match state.ways.pop() {
            _ if self.reach.is_last.load(Ordering::Relaxed) => {
                self.reach.dies();
                *state.luck.pick(&ASTRAY)
            }
            _ if state.is_out_of_reach(host, self.reach.machine) => match state.luck.percent(50) {
                true => Way::Late,
                false => Way::Lost,
            },
            way => way.unwrap_or(Way::Well),
        };
        let late = || failed("the server does not answer");
        match way {
            Way::Lost => {
                state.now += within;
                Err(late())
            }
            Way::Late => {
                let run = Box::new(move |tables: &mut Tables, now: Time| drop(apply(tables, now)));
                state.late.push(Late { server: host, starts: self.starts, run });
                state.now += within;
                Err(late())
            }
            Way::Unheard => {
                // Whether it was done or not.
                let _ = state.execute(host, apply);
                Err(failed("the connection was lost"))
            }
            Way::Well | Way::Slow => {
                let done = state.execute(host, apply);
                let (takes, done) = match done {
                    Ok(answer) if way == Way::Slow => (within.saturating_sub(JUST), Ok(answer)),
                    Ok(answer) => (Duration::ZERO, Ok(answer)),
                    Err(Stuck::Full) => (Duration::ZERO, Err(failed("no space left on device"))),
                    Err(Stuck::Row) => (ROW.min(within), Err(late())),
                    Err(Stuck::Standby) => (within, Err(late())),
                };
                state.now += takes;
                done
            }
        }
    }
}
