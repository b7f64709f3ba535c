//! From one database to another, and back: the same journals.

use crate::postgres::open;
use journal::store::Store;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;
use tests::postgres::Server;
use tests::shipped::with_postgres;

/// A place with a configuration, and a data directory of its own.
struct Bot {
    home: TempDir,
}

impl Bot {
    fn new(store: &str) -> Self {
        let home = tempfile::tempdir().expect("a directory");
        fs::write(home.path().join("astragal.toml"), format!("[store]\n{store}\n")).expect("it is ours");
        Bot { home }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn run(&self, arguments: &[&str], typed: &str) -> Output {
        let mut command = Command::new(with_postgres());
        command.arg("--data").arg(self.file("data")).arg("--config").arg(self.file("astragal.toml")).args(arguments);
        command.env("USER", "mia").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut bot = command.spawn().expect("it runs");
        bot.stdin.take().expect("it is piped").write_all(typed.as_bytes()).expect("it reads");
        bot.wait_with_output().expect("it ends")
    }

    /// Runs it, and expects that it ends well.
    fn does(&self, arguments: &[&str], typed: &str) -> String {
        let Output { status, stdout, stderr } = self.run(arguments, typed);
        assert!(status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&stderr));
        String::from_utf8_lossy(&stdout).into_owned()
    }

    /// Runs it, and expects that it refuses.
    fn refuses(&self, arguments: &[&str]) -> String {
        let Output { status, stderr, .. } = self.run(arguments, "");
        assert!(!status.success(), "{arguments:?} was done");
        String::from_utf8_lossy(&stderr).into_owned()
    }

    fn export(&self, name: &str) -> String {
        let file = self.file(name);
        self.does(&["export", "console/hall", text(&file)], "");
        // The first line has the time of the export, and the last one sums that up.
        let text = fs::read_to_string(file).expect("it was written");
        text.lines().skip(1).filter(|line| !line.starts_with("{\"end\"")).collect::<Vec<_>>().join("\n")
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a plain name")
}

#[test]
fn a_backup_leads_from_sled_to_postgresql_and_back_with_the_same_journals() {
    let server = Server::start();
    let sled = Bot::new("database = \"sled\"");
    let postgres = Bot::new(&format!("postgres = \"{}\"\nshard = \"two\"", server.database()));
    sled.does(&[], "!gm me\n!roll 4d6kh3\n!hp 20\n!secret roll d20\n!note The bridge is out\n");
    let backup = sled.file("all.backup");
    sled.does(&["backup", text(&backup)], "");
    assert_eq!(
        postgres.does(&["restore", text(&backup)], "").lines().last().unwrap_or_default().split_once(' ').unwrap().1,
        "records restored to the shard two on PostgreSQL"
    );
    assert_eq!(postgres.export("first.journal"), sled.export("first.journal"));
    assert!(postgres.does(&["check"], "").contains("everything stored is intact"));
    assert!(postgres.does(&["tables"], "").contains("console/hall"));
    let again = postgres.refuses(&["restore", text(&backup)]);
    assert!(again.contains("the shard two on PostgreSQL holds data already"), "{again}");
    // It is played on, and comes back.
    assert!(postgres.does(&[], "!roll 3d1\n!undo\n!roll 2d1\n").contains("2 | 2d1 [1 1]"));
    let later = postgres.file("later.backup.gz");
    postgres.does(&["backup", text(&later)], "");
    let back = Bot::new("database = \"redb\"");
    back.does(&["restore", text(&later)], "");
    assert_eq!(back.export("second.journal"), postgres.export("second.journal"));
    assert!(back.does(&["check"], "").contains("everything stored is intact"));
}

#[test]
fn a_restore_that_was_interrupted_is_not_played_with_and_is_done_again() {
    let server = Server::start();
    let sled = Bot::new("database = \"sled\"");
    sled.does(&[], "!roll 3d1\n");
    let backup = sled.file("all.backup");
    sled.does(&["backup", text(&backup)], "");
    let postgres = Bot::new(&format!("postgres = \"{}\"", server.database()));
    let mut half = journal::store::Batch::default();
    half.put("restoring", "true");
    half.put("table/console/hall/doc", "{}");
    open(&server.database(), "main").unwrap().commit(&half).unwrap();
    let elsewhere = postgres.refuses(&["check"]);
    assert!(elsewhere.contains("is not there: name the bot's data directory with --data"), "{elsewhere}");
    assert!(!postgres.file("data").exists(), "looking makes nothing");
    fs::create_dir(postgres.file("data")).unwrap();
    let refused = postgres.refuses(&["check"]);
    assert!(refused.contains("a restore into the shard main on PostgreSQL was interrupted"), "{refused}");
    postgres.does(&["restore", text(&backup)], "");
    assert_eq!(postgres.export("there"), sled.export("there"));
}

#[test]
fn what_is_wrong_with_the_database_is_said_in_plain_words() {
    let server = Server::start();
    let directory = server.directory().display().to_string();
    let says = |store: &str, told: &str| {
        let bot = Bot::new(store);
        fs::create_dir(bot.file("data")).unwrap();
        let said = bot.refuses(&["check"]);
        assert!(said.contains(told), "{store}: {said}");
    };
    says(&format!("postgres = \"host={directory} user=astragal dbname=other\""), "there is no such database");
    says(&format!("postgres = \"host={directory} user=stranger dbname=postgres\""), "does not let this user in");
    says("postgres = \"host=/nowhere user=astragal\"", "the database");
    says("postgres = \"nonsense\"", "the connection string of the database is wrong");
    says(&format!("postgres = \"{}\"\nshard = \"a b\"", server.database()), "store.shard: \"a b\" is no name for it");
    says("postgres = \"host=/x\"\ndatabase = \"redb\"", "leave out one of the two");
    server.run("create role weak login; revoke create on schema public from public");
    says(&format!("postgres = \"host={directory} user=weak dbname=postgres\""), "lacks rights");
    let online = Bot::new(&format!("postgres = \"{}\"", server.database()));
    let said = online.does(&["check-config", "--online"], "");
    assert!(said.contains("store: it has no standby"), "{said}");
    let moved = Bot::new("database = \"sled\"");
    moved.does(&[], "!roll d6\n");
    fs::write(moved.file("astragal.toml"), format!("[store]\npostgres = \"{}\"\n", server.database())).unwrap();
    let refused = moved.refuses(&["tables"]);
    assert!(refused.contains("the data is kept in sled"), "{refused}");
}
