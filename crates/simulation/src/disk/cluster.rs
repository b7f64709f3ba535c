//! A database on two servers: a primary, and a standby that each of its commits waits for, or that follows a little behind.

mod reach;

pub use reach::Reach;

use crate::log::Log;
use crate::luck::Luck;
use journal::store::{Batch, Memory, Store};
use reach::{ASTRAY, Way};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use store_postgres::tables::{Tables, Time};

/// The shard that is played.
const SHARD: &str = "main";

/// How many servers and machines there are.
pub const PAIR: usize = 2;

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

/// How the standby follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standby {
    /// Each commit waits for it.
    Waited,
    /// It may be behind. If it takes over, the old primary is dead, and the newest commits may be lost.
    Behind,
}

/// The database. Clones are the same one.
#[derive(Clone)]
pub struct Cluster {
    state: Arc<Mutex<State>>,
    log: Log,
}

struct State {
    luck: Luck,
    standby: Standby,
    /// How many commits there were when some were lost for the first time.
    lost: Option<u64>,
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
    pub fn new(log: Log, mut luck: Luck, standby: Standby) -> Self {
        let clock = |luck: &mut Luck| *luck.pick(&[0, -90_000, 3_600_000]);
        let servers = [(); PAIR].map(|()| Server { clock: clock(&mut luck), ..Server::default() });
        let state = State {
            luck,
            standby,
            lost: None,
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

    /// How many commits the shard has.
    pub fn commits(&self) -> u64 {
        let state = self.state();
        commits(&state.servers[state.primary].tables)
    }

    /// How many commits were left, if acknowledged ones were lost.
    pub fn lost(&self) -> Option<u64> {
        self.state().lost
    }

    /// True if nobody may take the lease.
    pub fn keeps_out(&self) -> bool {
        let state = self.state();
        let row = state.servers[state.primary].tables.leases.get(SHARD);
        row.is_some_and(|row| row.until == Time::NEVER)
    }

    /// The operator says that the bots are to go on without what was lost.
    pub fn goes_on_without(&self) {
        let mut state = self.state();
        let primary = state.primary;
        for server in [primary, 1 - primary] {
            state.servers[server].tables.leases.get_mut(SHARD).into_iter().for_each(|row| row.until = Time::LET_GO);
        }
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
        let is_empty = self.servers[1 - self.primary].tables.leases.is_empty();
        if self.parted_for_good || self.standby == Standby::Behind && is_empty {
            // A database without the shard is a new one.
            return;
        }
        let (old, new) = (self.primary, 1 - self.primary);
        self.primary = new;
        self.follows = false;
        self.servers[new].is_frozen = false;
        match self.standby {
            Standby::Waited => self.parted_for_good = true,
            Standby::Behind => {
                self.servers[old].start_again();
                let [before, left] = [old, new].map(|server| commits(&self.servers[server].tables));
                self.lost = self.lost.or((left < before).then_some(left));
            }
        }
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
            true if self.standby == Standby::Behind => false,
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
            match self.standby {
                Standby::Waited if self.follows => drop(run(&mut self.servers[1 - at].tables, now)),
                Standby::Behind if !self.servers[1 - at].is_frozen && self.luck.percent(40) => self.catch_up(),
                _ => {}
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

/// How many commits the shard has.
fn commits(tables: &Tables) -> u64 {
    tables.leases.get(SHARD).map_or(0, |row| u64::try_from(row.commits).expect("they are counted from 0"))
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
