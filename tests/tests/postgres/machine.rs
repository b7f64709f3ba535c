//! A machine that plays on IRC with a store on a PostgreSQL, and whoever plays with it.

use crate::irc::endurance::{Heard, whole};
use crate::postgres::place;
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;
use store_postgres::{PostgresStore, Wait};
use tempfile::TempDir;
use tests::irc::stage::{BOT, CHANNEL};
use tests::irc::{Client, Ngircd};
use tests::postgres::Server;
use tests::shipped::with_postgres;
use tests::unattended::Program;

/// How long to listen for late answers.
pub const LATE: Duration = Duration::from_millis(400);

/// A machine with the bot, its configuration and a data directory of its own.
pub struct Machine {
    pub home: TempDir,
}

impl Machine {
    /// One with a database and a network.
    pub fn new(database: &str, network: &Ngircd) -> Self {
        Machine::of(("main", BOT, CHANNEL), database, network)
    }

    /// One with a shard, whose bot has this nick and plays in this channel.
    pub fn of((shard, nick, channel): (&str, &str, &str), database: &str, network: &Ngircd) -> Self {
        let home = tempfile::tempdir().expect("a directory");
        let config = format!(
            "[store]\npostgres = \"{database}\"\nshard = \"{shard}\"\n\
             [limits]\nper_player = 100000\nper_table = 100000\nsame_answers = 100000\n[rooms]\nplugins = [\"roll\", \"mvk\"]\n\
             [irc.irc]\nserver = \"127.0.0.1\"\nport = {}\nnick = \"{nick}\"\ntls = false\nline_every_ms = 0\n\
             reconnect_first_ms = 100\n[irc.irc.channels]\n\"{channel}\" = {{}}\n",
            network.port()
        );
        fs::write(home.path().join("astragal.toml"), config).expect("it is ours");
        Machine { home }
    }

    /// Starts the bot.
    pub fn start(&self) -> Program {
        let mut command = Command::new(with_postgres());
        command
            .arg("--data")
            .arg(self.home.path().join("data"))
            .arg("--config")
            .arg(self.home.path().join("astragal.toml"));
        command.stderr(File::options().create(true).append(true).open(self.log()).expect("it is ours"));
        Program::run(command)
    }

    /// The file of its log.
    pub fn log(&self) -> PathBuf {
        self.home.path().join("log")
    }

    /// Starts it, and waits until it stands by.
    pub fn stand_by(&self) -> Program {
        let before = self.said("stands by");
        let program = self.start();
        self.wait_until(|| self.said("stands by") > before);
        program
    }

    /// How often its log says this.
    pub fn said(&self, what: &str) -> usize {
        fs::read_to_string(self.log()).unwrap_or_default().matches(what).count()
    }

    /// Waits for something.
    pub fn wait_until(&self, done: impl Fn() -> bool) {
        tests::until(&format!("what {} should say", self.log().display()), done);
    }
}

/// Somebody who plays.
pub fn mia_on(network: &Ngircd) -> Client {
    let mut mia = Client::connect(network.port(), "mia");
    mia.join(CHANNEL);
    mia
}

/// True if a bot comes to the channel.
pub fn comes(line: &str) -> bool {
    line.starts_with(&format!(":{BOT}")) && line.contains(" JOIN ")
}

/// True if the first of the bots goes, which had its nick before the others came.
pub fn goes(line: &str) -> bool {
    line.starts_with(&format!(":{BOT}!")) && line.contains(" QUIT")
}

/// Says twenty commands.
pub fn play(mia: &mut Client) {
    for n in 0..20 {
        mia.say(CHANNEL, if n % 4 == 3 { "!roll d6" } else { "!insp +1" });
    }
}

/// Hears everything until a line like this.
pub fn hear_until(mia: &mut Client, heard: &mut Heard, last: impl Fn(&str) -> bool) {
    loop {
        let line = mia.next();
        heard.take(&line);
        if last(&line) {
            return;
        }
    }
}

/// Hears so many more answers.
pub fn hear(mia: &mut Client, heard: &mut Heard, answers: usize) {
    let enough = heard.0.len() + answers;
    while heard.0.len() < enough {
        heard.take(&mia.next());
    }
}

/// Asks until there is an answer. A bot that has ended meanwhile is started again.
pub fn ask_until_answered(mia: &mut Client, heard: &mut Heard, machine: &Machine, bot: &mut Program) {
    let answered = (0..200).any(|_| {
        if bot.has_ended() {
            *bot = machine.start();
            hear_until(mia, heard, comes);
        }
        mia.say(CHANNEL, "!insp +1");
        let lines = mia.drain(LATE);
        lines.iter().for_each(|line| heard.take(line));
        lines.iter().any(|line| line.contains("inspiration"))
    });
    assert!(answered, "it does not answer again");
}

/// Checks what is stored against what was heard, once nobody plays any more.
pub fn audit(server: &Server, heard: &Heard) {
    let place = place(&server.database(), "main", "audit");
    let store = PostgresStore::open(place, "0", Wait::ForAsLong(&|_| {})).expect("nobody plays any more");
    assert!(heard.0.len() > 5, "hardly anything was heard");
    whole(&store, heard);
}
