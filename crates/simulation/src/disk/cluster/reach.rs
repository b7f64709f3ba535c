//! The database as a machine reaches it. The statements are the program's; what becomes of them on their way is chosen here.

use super::{Cluster, Late, PAIR, SHARD, Stuck};
use journal::store::StoreError;
use std::any::type_name;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use store_postgres::Mark;
use store_postgres::database::{Database, Line, Name};
use store_postgres::statements::Statement;
use store_postgres::tables::{Tables, Time};

/// How long a statement waits for a row.
const ROW: Duration = Duration::from_secs(1);

/// How long whoever connects waits for a greeting.
const GREETING: Duration = Duration::from_secs(2);

/// What becomes of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
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
pub const ASTRAY: [Way; 3] = [Way::Lost, Way::Unheard, Way::Late];

/// How long before the limit a slow answer comes.
const JUST: Duration = Duration::from_millis(10);

/// The database as one run of the bot on a machine reaches it.
pub struct Reach {
    cluster: Cluster,
    machine: usize,
    name: Name,
    first: AtomicUsize,
    /// What the machine has noted, over all runs.
    noted: Arc<Mutex<Option<Mark>>>,
    /// What its clock shows at the beginning of the world.
    clock: Duration,
    /// True once the bot is dead: nothing is asked any more.
    is_dead: AtomicBool,
    /// True if the next statement is its last.
    is_last: AtomicBool,
}

impl Reach {
    /// The `run`th run of the bot on this machine.
    pub fn new(cluster: &Cluster, machine: usize, run: u64, noted: &Arc<Mutex<Option<Mark>>>) -> Arc<Self> {
        let same = format!("b{machine}/");
        let name = Name { shard: SHARD.to_owned(), owner: format!("{same}{run}/machine{machine}"), same };
        let clock = Duration::from_secs(1_000 * machine as u64);
        let (first, is_dead, is_last) = (AtomicUsize::new(0), AtomicBool::new(false), AtomicBool::new(false));
        let (cluster, noted) = (cluster.clone(), noted.clone());
        Arc::new(Reach { cluster, machine, name, first, noted, clock, is_dead, is_last })
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

    fn called(&self, host: usize) -> String {
        format!("server {host}")
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

    fn noted(&self) -> Option<Mark> {
        *self.noted.lock().expect("nothing panics holding it")
    }

    fn note(&self, mark: Mark) {
        *self.noted.lock().expect("nothing panics holding it") = Some(mark);
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
