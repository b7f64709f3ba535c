//! Each statement does in a PostgreSQL what it does in the tables of the simulation.

use super::place;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;
use store_postgres::database::{Database, Line};
use store_postgres::statements::{
    Begin, Claim, Commit, GoOn, Holder, KeepOut, LetGo, Look, Next, Read, Renew, Scan, Statement, Writes,
};
use store_postgres::tables::{Tables, Time};
use store_postgres::{Hosts, Intent, Wire};
use tests::postgres::Server;

/// How many statements are run one after the other,
const STATEMENTS: u32 = 60;
/// and how often that is done from the beginning.
const ROUNDS: u32 = 40;

/// A database and tables that are told the same.
struct Both {
    line: Wire,
    tables: Tables,
    now: Time,
}

impl Both {
    /// Runs a statement in both. What it finds must be the same, as far as it is `shown`.
    fn run<S: Statement, T: PartialEq + Debug>(&mut self, statement: S, shown: impl Fn(S::Answer) -> T) -> T {
        self.now = self.now + Duration::from_millis(1);
        self.line.begin(Duration::from_secs(5));
        let here = shown(statement.apply(&mut self.tables, self.now));
        let there = shown(self.line.run(statement).expect("it answers"));
        assert_eq!(here, there, "{}, with {:?}", std::any::type_name::<S>(), self.tables.leases);
        there
    }
}

/// What can be compared: two servers write times in their own ways.
fn timeless(holder: Holder) -> (String, i64, Option<String>) {
    let is_end = holder.until.ends_with("infinity");
    (holder.owner, holder.fence, is_end.then_some(holder.until))
}

/// Choices that follow from a number.
struct Choices(u64);

impl Choices {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

fn step(both: &mut Both, choices: &mut Choices) {
    let row = both.tables.leases.get("main").cloned();
    // Mostly whoever has it, under its fence, with its number.
    let holder = row.as_ref().map(|row| row.owner.clone()).filter(|_| choices.below(4) > 0);
    let owner = holder.unwrap_or_else(|| ["a/1/x", "a/2/x", "b/1/y"][choices.below(3) as usize].to_owned());
    // It is over at once, or lasts for longer than the test.
    let seconds = if choices.below(3) == 0 { 0.0 } else { 3_600.0 };
    let claim = Claim { shard: "main".to_owned(), owner, seconds };
    let about = |number: i64, choices: &mut Choices| number + [0, 0, 0, 0, -1, 1][choices.below(6) as usize];
    let fence = about(row.as_ref().map_or(1, |row| row.fence), choices);
    let key = |choices: &mut Choices| vec![b'k', choices.below(4) as u8];
    match choices.below(12) {
        0 => drop(both.run(Begin(claim), |fence| fence)),
        1..=2 => {
            let Some(before) = both.tables.leases.get("main").map(|row| row.owner.clone()) else { return };
            let before = Holder { owner: before, fence, until: String::new(), commits: 0 };
            let (same, still) = (["a/", "b/"][choices.below(2) as usize].to_owned(), choices.below(2) == 0);
            both.run(Next { claim, before, same, still }, |fence| fence);
        }
        3 => drop(both.run(Renew { claim, fence }, |done| done)),
        4 => drop(both.run(GoOn(claim), |row| row)),
        5 if choices.below(3) == 0 => both.run(LetGo { claim, fence }, |()| ()),
        6 if choices.below(8) == 0 => {
            let why = "it lost something".to_owned();
            both.run(KeepOut { claim, why, key: b"lost".to_vec() }, |()| ());
        }
        7 => {
            let keys = vec![key(choices), key(choices)];
            both.run(Read { keys }, |found| found);
        }
        8 => {
            let (after, from, to) = (key(choices), key(choices), key(choices));
            both.run(Scan { after, from, to, limit: 2 }, |found| found);
        }
        _ => {
            let number = about(row.map_or(1, |row| row.commits + 1), choices);
            let written = key(choices);
            let deleted = vec![key(choices)].into_iter().filter(|key| *key != written).collect();
            let writes = Writes { deleted, keys: vec![written], values: vec![vec![choices.below(250) as u8]] };
            both.run(Commit { claim, fence, number, writes }, |done| done);
        }
    }
    both.run(Look { shard: "main".to_owned() }, |holder| holder.map(timeless));
}

#[test]
fn a_statement_does_in_the_database_what_the_simulation_takes_it_for() {
    let server = Server::start();
    let mut written = 0;
    for round in 0..ROUNDS {
        let hosts =
            Arc::new(Hosts::new(place(&server.database(), "main", "a"), "0", Intent::Look).expect("it is right"));
        let line = hosts.connect(0).expect("it runs");
        let mut both = Both { line, tables: Tables::default(), now: Time(0) };
        let mut choices = Choices(u64::from(round));
        (0..STATEMENTS).for_each(|_| step(&mut both, &mut choices));
        let all = Scan { after: Vec::new(), from: Vec::new(), to: vec![255], limit: 1_000 };
        written += both.run(all, |found| found).len();
        server.run("truncate record, lease");
    }
    assert!(written > ROUNDS as usize, "hardly anything was written: {written}");
}
