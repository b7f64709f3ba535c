//! The store's contract on a real PostgreSQL, also when connections are cut, and who may write.

mod drill;
mod engines;
mod failovers;
mod machine;
mod machines;
mod operated;
mod statements;

use journal::store::conformance::{self, Fuse};
use journal::store::{Batch, Lease, Store, StoreError};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use store_postgres::{Cost, LOST, Place, PostgresStore, Wait, try_out};
use tests::irc::Certificates;
use tests::postgres::{Server, Wire};

fn place(database: &str, shard: &str, bot: &str) -> Place {
    let [database, shard, bot, machine] = [database, shard, bot, "here"].map(str::to_owned);
    Place { database, password: None, authority: None, shard, bot, machine, mark: None }
}

/// A run of a bot.
fn run_of(bot: &str, database: &str, shard: &str) -> Result<PostgresStore, StoreError> {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let run = RUNS.fetch_add(1, Ordering::SeqCst).to_string();
    PostgresStore::open(place(database, shard, bot), &run, Wait::Briefly)
}

fn open(database: &str, shard: &str) -> Result<PostgresStore, StoreError> {
    run_of("b0", database, shard)
}

/// Opens a shard, and a new one each time a fresh store is wanted.
fn opener(database: String, shards: AtomicU32) -> impl Fn(bool) -> Arc<dyn Store> {
    move |fresh| {
        let number = shards.fetch_add(u32::from(fresh), Ordering::SeqCst) + u32::from(fresh);
        Arc::new(open(&database, &format!("s{number}")).expect("it can be opened"))
    }
}

fn one(key: &str, value: &str) -> Batch {
    let mut batch = Batch::default();
    batch.put(key, value);
    batch
}

#[test]
fn postgresql_keeps_the_contract_of_a_store() {
    let server = Server::start();
    conformance::suite(opener(server.database(), AtomicU32::new(0)));
}

#[test]
fn while_one_table_waits_for_the_database_others_on_its_thread_play() {
    let server = Server::start();
    // Nothing of an answer passes before another task has run.
    let (gate, closed) = (Arc::new(std::sync::Barrier::new(2)), Arc::new(AtomicBool::new(false)));
    let (at, when) = (gate.clone(), closed.clone());
    let wire = Wire::to(&server, move || {
        if when.swap(false, Ordering::SeqCst) {
            at.wait();
        }
        true
    });
    let store = open(&wire.database(), "main").expect("it can be opened");
    store.commit(&one("k", "v")).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().expect("a runtime");
    let read = runtime.block_on(async {
        let (begin, begun) = tokio::sync::oneshot::channel();
        let (played, has_played) = {
            let played = Arc::<AtomicBool>::default();
            (played.clone(), played)
        };
        let other = tokio::spawn(async move {
            begun.await.expect("it begins");
            played.store(true, Ordering::SeqCst);
            gate.wait();
        });
        let waits = tokio::spawn(async move {
            closed.store(true, Ordering::SeqCst);
            begin.send(()).expect("somebody waits for it");
            let read = store.read("k");
            (read, has_played.load(Ordering::SeqCst))
        });
        other.await.expect("it runs");
        waits.await.expect("it runs")
    });
    let (read, has_played) = read;
    assert_eq!(read.unwrap().as_deref(), Some(&b"v"[..]));
    assert!(has_played, "the other task waited for the database, too");
}

#[test]
fn wherever_a_connection_is_cut_a_commit_says_what_came_of_it() {
    let server = Server::start();
    let fuse: Arc<Fuse> = Arc::default();
    let blows = fuse.clone();
    let wire = Wire::to(&server, move || !blows.blows());
    conformance::failures(&fuse, opener(wire.database(), AtomicU32::new(0)));
}

#[test]
fn what_another_shard_holds_is_neither_read_nor_written() {
    let server = Server::start();
    let [mine, other] = ["a", "ab"].map(|shard| open(&server.database(), shard).unwrap());
    mine.commit(&one("k", "mine")).unwrap();
    other.commit(&one("k", "other")).unwrap();
    other.commit(&one("l", "other")).unwrap();
    assert_eq!(mine.read("k").unwrap().as_deref(), Some(&b"mine"[..]));
    assert_eq!(mine.scan("", None, 10).unwrap().len(), 1);
    assert_eq!(other.scan("", None, 10).unwrap().len(), 2);
    assert_eq!(mine.read_many(&["l".to_owned(), "k".to_owned(), "k".to_owned()]).unwrap().iter().flatten().count(), 2);
}

#[test]
fn two_do_not_write_the_same_shard() {
    let server = Server::start();
    let first = open(&server.database(), "main").unwrap();
    let refused = run_of("b1", &server.database(), "main").map(drop).unwrap_err();
    assert!(refused.to_string().contains("here (b0) plays the shard \"main\""), "{refused}");
    first.commit(&one("k", "first")).unwrap();
    // Somebody takes the lease by force, as after a pause of this machine.
    server.run("update lease set fence = fence + 1, owner = 'thief' where shard = 'main'");
    let late = first.commit(&one("k", "late")).unwrap_err();
    assert!(matches!(late, StoreError::Unavailable(_) | StoreError::InDoubt(_)), "{late}");
    assert_eq!(server.run("select convert_from(value, 'UTF8') from record"), "first");
    drop(first);
    assert_eq!(server.run("select owner from lease"), "thief", "whoever lost it does not let it go");
}

#[test]
fn one_that_crashed_goes_on_at_once_and_its_old_self_writes_nothing() {
    let server = Server::start();
    let first = open(&server.database(), "main").unwrap();
    first.commit(&one("k", "first")).unwrap();
    let second = open(&server.database(), "main").unwrap();
    assert!(first.commit(&one("k", "late")).is_err());
    second.commit(&one("l", "second")).unwrap();
    assert_eq!(second.read("k").unwrap().as_deref(), Some(&b"first"[..]));
    // Letting go by the old one is no letting go.
    drop(first);
    second.commit(&one("k", "second")).unwrap();
}

#[test]
fn an_encrypted_connection_needs_a_certificate_that_is_trusted() {
    let certificates = Certificates::make();
    let port = tests::free_port();
    let server = Server::encrypting(&certificates, port);
    let database = format!("host=localhost port={port} user=astragal dbname=postgres sslmode=verify-full");
    let with = |authority: &Path| Place { authority: Some(authority.to_owned()), ..place(&database, "main", "test") };
    let refused = try_out(with(&certificates.other_ca)).unwrap_err().to_string();
    assert!(refused.contains("certificate"), "{refused}");
    let store = PostgresStore::open(with(&certificates.ca), "0", Wait::Briefly).unwrap();
    store.commit(&one("k", "v")).unwrap();
    let encrypted = "select bool_and(ssl) from pg_stat_ssl join pg_stat_activity using (pid) \
                     where application_name = 'astragal'";
    assert_eq!(server.run(encrypted), "t");
}

#[test]
fn what_a_failure_would_cost_is_said_and_that_takes_no_lease() {
    let server = Server::start();
    let _plays = open(&server.database(), "main").unwrap();
    assert_eq!(try_out(place(&server.database(), "main", "b1")).unwrap().cost, Cost::Alone);
    server.set("synchronous_standby_names", "other");
    assert_eq!(try_out(place(&server.database(), "main", "b1")).unwrap().cost, Cost::Synchronous);
    server.run("alter system reset all");
    server.run("select pg_reload_conf()");
}

#[test]
fn whoever_plays_sees_the_bots_that_stand_by_and_no_others() {
    let server = Server::start();
    let plays = open(&server.database(), "main").unwrap();
    let others = |bot: &str| try_out(place(&server.database(), "main", bot)).unwrap().others;
    let (database, (told, tells)) = (server.database(), std::sync::mpsc::channel());
    let waits = |shard: &'static str, bot: &'static str, told: std::sync::mpsc::Sender<String>| {
        let database = database.clone();
        std::thread::spawn(move || {
            let tell = move |other: &str| drop(told.send(other.to_owned()));
            PostgresStore::open(place(&database, shard, bot), "0", Wait::ForAsLong(&tell))
        })
    };
    let elsewhere = waits("mainland", "b3", told.clone()).join().unwrap();
    assert!(others("b0").is_empty(), "whoever only looks is not seen, and neither is a bot of another shard");
    let stands_by = waits("main", "b1", told);
    assert_eq!(tells.recv().unwrap(), "here (b0)");
    assert_eq!(others("b0"), ["here (b1)"]);
    assert!(others("b1").is_empty(), "nobody is another bot of its own");
    drop(elsewhere);
    drop(plays);
    drop(stands_by.join().unwrap().unwrap());
}

#[test]
fn a_lease_that_cannot_be_renewed_is_told_and_so_is_that_it_can_be_again() {
    let server = Server::start();
    let store = open(&server.database(), "main").unwrap();
    assert_eq!((store.trouble(), store.failures()), (None, 0));
    server.freeze();
    tests::until("it is in trouble", || {
        store.trouble().is_some_and(|why| why.contains("did not answer within 2 seconds"))
    });
    assert!(store.failures() > 0 && store.renewed_ago() > std::time::Duration::ZERO);
    server.thaw();
    tests::until("it is well again", || store.trouble().is_none());
}

#[test]
fn whoever_may_not_write_is_told_so_before_they_play() {
    let server = Server::start();
    drop(open(&server.database(), "main").expect("it makes the tables"));
    server.run("create role guest login");
    let guest = || try_out(place(&server.database().replace("user=astragal", "user=guest"), "main", "b1"));
    let refused = guest().unwrap_err().to_string();
    assert!(refused.contains("lacks rights"), "{refused}");
    server.run("grant all on record, lease to guest");
    assert_eq!(guest().unwrap().cost, Cost::Alone);
    server.set("default_transaction_read_only", "on");
    let refused = guest().unwrap_err().to_string();
    assert!(refused.contains("it is set to read only"), "{refused}");
}

#[test]
fn a_database_that_may_lose_what_it_acknowledged_is_refused() {
    let server = Server::with(&["fsync=off"]);
    let refused = open(&server.database(), "main").map(drop).unwrap_err();
    assert!(refused.to_string().contains("fsync = off"), "{refused}");
}

#[test]
fn statements_that_are_in_each_others_way_are_tried_again() {
    let server = Server::start();
    drop(open(&server.database(), "first").expect("it makes the tables"));
    server.run(
        "create sequence turns;
        create function in_the_way() returns trigger language plpgsql as $$ declare turn bigint := nextval('turns') % 10; begin
            if turn = 0 then raise exception 'in the way' using errcode = '40001'; end if;
            if turn = 5 then raise exception 'in the way' using errcode = '40P01'; end if;
            return new; end $$;
        create trigger in_the_way before update on lease for each row execute function in_the_way()",
    );
    conformance::suite(opener(server.database(), AtomicU32::new(0)));
}

#[test]
fn a_database_that_lost_what_it_acknowledged_is_noticed() {
    let server = Server::start();
    let store = open(&server.database(), "main").unwrap();
    for number in 0..5 {
        store.commit(&one("k", &number.to_string())).unwrap();
    }
    // A standby that was behind has taken over.
    server.run("update lease set commits = commits - 2; update record set value = '2'");
    server.run("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'astragal'");
    let lost = store.commit(&one("k", "6")).unwrap_err();
    assert!(lost.to_string().contains("the database lost the last 2 of 5 writes"), "{lost}");
    assert_eq!(store.lease(), Lease::Taken);
    assert_eq!(server.run("select convert_from(value, 'UTF8') from record where right(key::text, 2) = '6b'"), "2");
    drop(store);
    // Nobody plays before the operator says so, and whoever plays then knows.
    let kept_out = open(&server.database(), "main").map(drop).unwrap_err().to_string();
    let (said, word) = kept_out.split_once(" by this statement in it: ").expect("it says what to do");
    assert!(said.starts_with("the database lost the last 2 of 5 writes, and nothing is played"), "{said}");
    server.run(word);
    let store = open(&server.database(), "main").unwrap();
    assert!(store.read(LOST).unwrap().is_some());
    store.commit(&one("k", "7")).unwrap();
}

#[test]
fn a_loss_is_noticed_at_the_next_start_by_what_the_machine_has_noted() {
    let (server, home) = (Server::start(), tempfile::tempdir().unwrap());
    let open = |shard: &str| {
        let noted = place(&server.database(), shard, "b0");
        let noted = Place { mark: Some(home.path().join(shard)), ..noted };
        PostgresStore::open(noted, "0", Wait::Briefly)
    };
    let store = open("main").unwrap();
    for number in 0..5 {
        store.commit(&one("k", &number.to_string())).unwrap();
    }
    drop(store);
    // It was restored to an earlier moment.
    server.run("update lease set commits = commits - 2");
    let lost = open("main").map(drop).unwrap_err().to_string();
    assert!(lost.contains("the database lost the last 2 of 5 writes"), "{lost}");
    let kept_out = open("main").map(drop).unwrap_err().to_string();
    server.run(kept_out.split_once(" by this statement in it: ").expect("it says what to do").1);
    for _ in 0..2 {
        drop(open("main").unwrap());
    }
    // A shard that is new, or that was removed, lacks nothing.
    drop(open("other").unwrap());
    server.run("truncate lease, record");
    drop(open("main").unwrap());
}

#[test]
fn a_loss_is_noticed_at_a_takeover_by_whoever_stood_by() {
    let server = Server::start();
    let store = open(&server.database(), "main").unwrap();
    for number in 0..5 {
        store.commit(&one("k", &number.to_string())).unwrap();
    }
    let (told, tells) = std::sync::mpsc::channel();
    let database = server.database();
    let stands_by = std::thread::spawn(move || {
        let tell = move |other: &str| drop(told.send(other.to_owned()));
        PostgresStore::open(place(&database, "main", "b1"), "0", Wait::ForAsLong(&tell)).map(drop)
    });
    // It looks each second, and the lease is renewed every two.
    (0..5).for_each(|_| drop(tells.recv().unwrap()));
    server.run("update lease set commits = commits - 2, until = '-infinity'");
    let lost = stands_by.join().unwrap().unwrap_err().to_string();
    assert!(lost.contains("the database lost the last 2 of 5 writes"), "{lost}");
    drop(store);
    assert_eq!(server.run("select until from lease"), "infinity", "nobody plays before the operator says so");
}

#[test]
fn what_was_asked_before_a_connection_was_lost_is_not_done_after_it() {
    let server = Server::start();
    let store = open(&server.database(), "main").unwrap();
    store.commit(&one("k", "first")).unwrap();
    // A commit waits for the row of the lease until it is given up.
    let holds = server.hold("begin; select from lease for update; select pg_sleep(2.5); commit");
    let late = store.commit(&one("k", "late"));
    drop(holds);
    let kept = server.run("select convert_from(value, 'UTF8') from record");
    assert_eq!(late.is_ok(), kept == "late", "{late:?}: {kept}");
    store.commit(&one("k", "next")).unwrap();
    store.commit(&one("l", "and one more")).unwrap();
    assert_eq!(server.run("select count(*) from record"), "2");
    assert_eq!(server.run("select convert_from(value, 'UTF8') from record where right(key::text, 2) = '6b'"), "next");
}

#[test]
fn what_comes_before_the_rest_is_written_in_pieces() {
    let server = Server::start();
    let store = open(&server.database(), "main").unwrap();
    let mut first = Batch::default();
    (0..4_500).for_each(|number| first.put(format!("k/{number:05}"), "v"));
    store.commit_behind(first, one("last", "v")).unwrap();
    assert_eq!(server.run("select count(*) from record"), "4501");
    assert_eq!(server.run("select commits from lease"), "4");
    store.clear().unwrap();
    assert_eq!(server.run("select count(*) from record"), "0");
}

#[test]
fn a_server_that_answers_reads_alone_is_left_for_the_next() {
    // The first one hangs at every write, as an old primary does that lost its standby.
    let (old, new) = (Server::with(&["port=5433"]), Server::with(&["port=5434"]));
    drop(open(&format!("{} port=5433", old.database()), "main").expect("it makes the tables"));
    old.run(
        "create function hangs() returns trigger language plpgsql as $$ begin perform pg_sleep(60); return new; end $$;
             create trigger hangs before update on lease for each row execute function hangs()",
    );
    let both = format!(
        "host={},{} port=5433,5434 user=astragal dbname=postgres",
        old.directory().display(),
        new.directory().display()
    );
    let store = open(&both, "main").unwrap();
    store.commit(&one("k", "v")).unwrap();
    assert_eq!(new.run("select count(*) from record"), "1");
}
