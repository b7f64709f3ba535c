//! Two machines with one store: one plays, the other stands by and takes over.
//!
//! `ASTRAGAL_TAKEOVERS` sets how often the one that plays is killed, and the database. The default is 2; `tests/run --long`
//! uses 50.

use super::server::Server;
use crate::irc::endurance::{Heard, times, whole};
use crate::postgres::place;
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::Duration;
use store_postgres::{PostgresStore, Wait};
use tempfile::TempDir;
use tests::irc::stage::{BOT, CHANNEL};
use tests::irc::{Client, Message, Ngircd, NgircdOptions, plain};
use tests::shipped::with_postgres;
use tests::unattended::Program;

/// How long to listen for late answers.
const LATE: Duration = Duration::from_millis(400);

/// A machine with the bot, its configuration and a data directory of its own.
struct Machine {
    home: TempDir,
}

impl Machine {
    fn new(database: &Server, network: &Ngircd) -> Self {
        let home = tempfile::tempdir().expect("a directory");
        let config = format!(
            "[store]\npostgres = \"{}\"\n\
             [limits]\nper_player = 100000\nper_table = 100000\nsame_answers = 100000\n[rooms]\nplugins = [\"roll\", \"mvk\"]\n\
             [irc.irc]\nserver = \"127.0.0.1\"\nport = {}\ntls = false\nline_every_ms = 0\nreconnect_first_ms = 100\n\
             [irc.irc.channels]\n\"{CHANNEL}\" = {{}}\n",
            database.database(),
            network.port()
        );
        fs::write(home.path().join("astragal.toml"), config).expect("it is ours");
        Machine { home }
    }

    fn start(&self) -> Program {
        let mut command = Command::new(with_postgres());
        command
            .arg("--data")
            .arg(self.home.path().join("data"))
            .arg("--config")
            .arg(self.home.path().join("astragal.toml"));
        command.stderr(File::options().create(true).append(true).open(self.log()).expect("it is ours"));
        Program::run(command)
    }

    fn log(&self) -> PathBuf {
        self.home.path().join("log")
    }

    /// Starts it, and waits until it stands by.
    fn stand_by(&self) -> Program {
        let before = self.said("stands by");
        let program = self.start();
        self.wait_until(|| self.said("stands by") > before);
        program
    }

    /// How often its log says this.
    fn said(&self, what: &str) -> usize {
        fs::read_to_string(self.log()).unwrap_or_default().matches(what).count()
    }

    fn wait_until(&self, done: impl Fn() -> bool) {
        for _ in 0..1_200 {
            if done() {
                return;
            }
            thread::sleep(Duration::from_millis(50));
        }
        panic!("that took more than a minute: {}", fs::read_to_string(self.log()).unwrap_or_default());
    }
}

fn comes(line: &str) -> bool {
    line.starts_with(&format!(":{BOT}")) && line.contains(" JOIN ")
}

/// The first of the bots, which had its nick before the others came.
fn goes(line: &str) -> bool {
    line.starts_with(&format!(":{BOT}!")) && line.contains(" QUIT")
}

/// Says twenty commands.
fn play(mia: &mut Client) {
    for n in 0..20 {
        mia.say(CHANNEL, if n % 4 == 3 { "!roll d6" } else { "!insp +1" });
    }
}

/// Hears everything until a line like this.
fn hear_until(mia: &mut Client, heard: &mut Heard, last: impl Fn(&str) -> bool) {
    loop {
        let line = mia.next();
        heard.take(&line);
        if last(&line) {
            return;
        }
    }
}

fn audit(server: &Server, heard: &Heard) {
    let place = place(&server.database(), "main", "audit");
    let store = PostgresStore::open(place, "0", Wait::ForAsLong(&|_| {})).expect("nobody plays any more");
    assert!(heard.0.len() > 5, "hardly anything was heard");
    whole(&store, heard);
}

#[test]
fn whichever_machine_is_killed_the_other_goes_on_and_nothing_is_lost_or_doubled() {
    let (server, network) = (Server::start(), Ngircd::start(&NgircdOptions::default()));
    let machines = [Machine::new(&server, &network), Machine::new(&server, &network)];
    let mut heard = Heard::default();
    let mut mia = Client::connect(network.port(), "mia");
    mia.join(CHANNEL);
    let mut plays = machines[0].start();
    mia.wait_for(comes);
    for round in 0..times("ASTRAGAL_TAKEOVERS", 2) as usize {
        let next = machines[(round + 1) % 2].stand_by();
        play(&mut mia);
        thread::sleep(Duration::from_millis(30 * (round as u64 % 10 + 1)));
        drop(plays);
        // Whoever stands by comes once the lease is over, and answers what was left.
        hear_until(&mut mia, &mut heard, comes);
        plays = next;
    }
    mia.drain(LATE).iter().for_each(|line| heard.take(line));
    mia.say(CHANNEL, "!insp +1");
    heard.take(&mia.wait_for(|line| Message::parse(line).is_said(BOT, CHANNEL) && !line.contains("(again)")));
    drop(plays);
    audit(&server, &heard);
}

#[test]
fn one_that_is_told_to_end_hands_over_at_once() {
    let (server, network) = (Server::start(), Ngircd::start(&NgircdOptions::default()));
    let machines = [Machine::new(&server, &network), Machine::new(&server, &network)];
    let mut mia = Client::connect(network.port(), "mia");
    mia.join(CHANNEL);
    let mut first = machines[0].start();
    mia.wait_for(comes);
    let second = machines[1].stand_by();
    mia.say(CHANNEL, "!insp +3");
    mia.wait_for(|line| line.contains("inspiration"));
    first.signal("TERM");
    mia.wait_for(comes);
    assert!(first.wait(), "it ended in order");
    let of_the_first = fs::read_to_string(machines[0].home.path().join("data/bot-id")).expect("it has one");
    let taken = format!("select until = '-infinity' or not starts_with(owner, '{of_the_first}') from lease");
    assert_eq!(server.run(&taken), "t", "it was let go");
    mia.say(CHANNEL, "!insp");
    mia.wait_for(|line| plain(line).contains("inspiration 3"));
    drop(second);
}

#[test]
fn one_that_was_frozen_says_nothing_once_it_is_thawed() {
    let (server, network) = (Server::start(), Ngircd::start(&NgircdOptions::default()));
    let machines = [Machine::new(&server, &network), Machine::new(&server, &network)];
    let mut mia = Client::connect(network.port(), "mia");
    mia.join(CHANNEL);
    let mut frozen = machines[0].start();
    mia.wait_for(comes);
    let next = machines[1].stand_by();
    mia.say(CHANNEL, "!insp +1");
    mia.wait_for(|line| line.contains("inspiration"));
    frozen.signal("STOP");
    // It has these in its hands as it wakes up.
    ["!roll d6", "!help", "!insp +1"].iter().for_each(|line| mia.say(CHANNEL, line));
    mia.wait_for(comes);
    mia.drain(LATE);
    frozen.signal("CONT");
    let mut said = Vec::new();
    loop {
        let line = mia.next();
        if goes(&line) {
            break;
        }
        said.push(line);
    }
    let of_the_thawed = |line: &&String| line.starts_with(&format!(":{BOT}!")) && line.contains("PRIVMSG");
    assert_eq!(said.iter().find(of_the_thawed), None);
    assert!(!frozen.wait(), "it says that it did not end as it was told to");
    assert_eq!(machines[0].said("the lease of the store ended"), 1);
    mia.say(CHANNEL, "!insp +1");
    mia.wait_for(|line| plain(line).contains("inspiration 2 (+1) #2"));
    drop(next);
}

#[test]
fn a_database_that_crashes_during_play_loses_and_doubles_nothing() {
    let (mut server, network) = (Server::start(), Ngircd::start(&NgircdOptions::default()));
    let machine = Machine::new(&server, &network);
    let mut heard = Heard::default();
    let mut mia = Client::connect(network.port(), "mia");
    mia.join(CHANNEL);
    let mut bot = machine.start();
    mia.wait_for(comes);
    for round in 0..times("ASTRAGAL_TAKEOVERS", 2) {
        play(&mut mia);
        thread::sleep(Duration::from_millis(u64::from(round % 10) * 5));
        server = server.crash();
        // It is asked until it answers again. If that took the database too long, it has ended, and is started again.
        let answered = (0..200).any(|_| {
            if bot.has_ended() {
                bot = machine.start();
                mia.wait_for(comes);
            }
            mia.say(CHANNEL, "!insp +1");
            let lines = mia.drain(LATE);
            lines.iter().for_each(|line| heard.take(line));
            lines.iter().any(|line| line.contains("inspiration"))
        });
        assert!(answered, "it does not answer again");
    }
    drop(bot);
    audit(&server, &heard);
}
