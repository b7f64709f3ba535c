//! Operating a running bot on a real server: through its socket, in the owner's rooms and by HTTP; and the reports that
//! come without asking.

#[path = "control/games.rs"]
mod games;
#[path = "control/looks.rs"]
mod looks;
#[path = "control/networks.rs"]
mod networks;

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;
use tests::irc::{Client, Ngircd, NgircdOptions};
use tests::unattended::Program;
use tests::{free_port, program};

/// How long to wait for something that comes by itself.
const PATIENCE: Duration = Duration::from_secs(30);

/// A bot on ngIRCd in #tavern and #ops, owned by ann, with its directory.
struct Operated {
    server: Ngircd,
    home: tempfile::TempDir,
    watched: u16,
    bot: Program,
}

impl Operated {
    fn start() -> Self {
        Self::start_with("", |_| {})
    }

    /// The same with more lines at the start of its configuration and a prepared data directory.
    fn start_with(more: &str, prepare: impl Fn(&Path)) -> Self {
        let server = Ngircd::start(&NgircdOptions::default());
        let home = tempfile::tempdir().expect("a directory");
        let watched = free_port();
        let text = format!(
            "{more}owners = [\"net:nick:ann\"]\nadmin_rooms = [\"net/#ops\"]\n[watch]\nlisten = \"127.0.0.1:{watched}\"\n\
             [irc.net]\nserver = \"127.0.0.1\"\nport = {}\ntls = false\ntrust_nicks = true\nadmins = [\"nick:ann\"]\n\
             line_every_ms = 0\nreconnect_first_ms = 100\n[irc.net.channels]\n\"#tavern\" = {{}}\n\"#ops\" = {{}}\n",
            server.port()
        );
        fs::write(home.path().join("bot.toml"), text).expect("it can be written");
        prepare(&home.path().join("data"));
        let bot = Program::start(&home.path().join("data"), &home.path().join("bot.toml"));
        let operated = Operated { server, home, watched, bot };
        operated.until("ready", || operated.get("/ready").0 == 200);
        operated
    }

    fn config(&self) -> PathBuf {
        self.home.path().join("bot.toml")
    }

    fn ctl(&self, words: &[&str]) -> Output {
        let mut command = Command::new(program());
        command.arg("--config").arg(self.config()).arg("--data").arg(self.home.path().join("data")).arg("ctl");
        command.args(words).stdin(Stdio::null()).output().expect("astragal runs")
    }

    /// The output of a command that succeeds.
    #[track_caller]
    fn told(&self, words: &[&str]) -> String {
        let output = self.ctl(words);
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    }

    /// The output of a command, even if the bot does not run yet.
    fn told_or_nothing(&self, words: &[&str]) -> String {
        String::from_utf8(self.ctl(words).stdout).expect("text")
    }

    /// The error of a command that fails.
    #[track_caller]
    fn refused(&self, words: &[&str]) -> String {
        let output = self.ctl(words);
        assert!(!output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stdout));
        String::from_utf8(output.stderr).expect("text")
    }

    /// The status and body of a page.
    fn get(&self, path: &str) -> (u16, String) {
        let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        match agent.get(format!("http://127.0.0.1:{}{path}", self.watched)).call() {
            Ok(mut page) => (page.status().as_u16(), page.body_mut().read_to_string().unwrap_or_default()),
            Err(_) => (0, String::new()),
        }
    }

    #[track_caller]
    fn until(&self, what: &str, holds: impl Fn() -> bool) {
        for _ in 0..PATIENCE.as_millis() / 50 {
            if holds() {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("{what} never came: {}", String::from_utf8_lossy(&self.ctl(&["status"]).stdout));
    }

    fn comes(&self, nick: &str, channels: &[&str]) -> Client {
        let mut client = Client::connect(self.server.port(), nick);
        channels.iter().for_each(|channel| client.join(channel));
        client
    }
}

#[test]
fn an_operator_uses_the_socket() {
    let operated = Operated::start();
    operated.until("#tavern", || operated.told(&["status"]).contains("#tavern: nobody else\n"));
    let status: Value = serde_json::from_str(&operated.told(&["--json", "status"])).unwrap();
    let network = &status["networks"]["net"];
    assert_eq!((&network["me"], &network["connected"]), (&"astragal".into(), &true.into()), "{status}");
    assert_eq!(status["version"], env!("CARGO_PKG_VERSION"));

    assert_eq!(operated.told(&["join", "net", "#den"]), "net: coming into #den\n");
    operated.until("#den", || operated.told(&["status"]).contains("#den: nobody else, not in the configuration"));
    let mut ann = operated.comes("ann", &["#den"]);
    let enabled = operated.told(&["plugin", "enable", "net/#den", "mvk"]);
    assert!(enabled.starts_with("Mecha vs Kaiju 202X is enabled in this room."), "{enabled}");
    // The room was not told, but everybody can read it in the journal.
    ann.say("#den", "!history");
    assert!(ann.answer("astragal", "#den").contains("1 entry up to #1"));
    assert!(ann.hear("astragal", "#den").starts_with("- #1 the operator, "));
    ann.say("#den", "!insp +2");
    assert_eq!(ann.answer("astragal", "#den"), "inspiration 2 (+2) #2");
    assert_eq!(operated.told(&["leave", "net/#den"]), "net: leaving #den; what its table holds stays\n");
    operated.until("its end", || !operated.told(&["status"]).contains("#den"));

    // Ignoring applies everywhere, by id or by mask.
    let mut bob = operated.comes("bob", &["#tavern"]);
    ann.join("#tavern");
    for pattern in ["net:nick:bob", "bob!*@*"] {
        assert_eq!(operated.told(&["ignore", pattern]), format!("{pattern} is ignored everywhere\n"));
        assert_eq!(operated.told(&["ignore"]), format!("{pattern}\n"));
        bob.say("astragal", "roll 1d1");
        bob.say("#tavern", "!roll 1d1");
        // Whoever speaks after Bob is answered only once the bot has heard Bob.
        ann.hear("bob", "#tavern");
        ann.say("#tavern", "!roll 3d1");
        ann.answer("astragal", "#tavern");
        assert_eq!(operated.told(&["ignore", "--no", pattern]), format!("{pattern} is answered again\n"));
        bob.say("#tavern", "!roll 2d1");
        assert!(bob.answer("astragal", "#tavern").starts_with("2 | 2d1 [1 1]"), "the first answer");
        ann.hear("bob", "#tavern");
    }
    let file = operated.told(&["backup"]);
    let file = file.trim().strip_prefix("written to ").unwrap();
    let unpacked = Command::new("gzip").args(["-dc", file]).output().unwrap();
    assert!(String::from_utf8_lossy(&unpacked.stdout).contains("table/net%2F#den/"), "{file}");
    assert_eq!(operated.told(&["log", "info"]), "logs info\n");
    assert_eq!(operated.told(&["reload"]), "configuration reloaded: nothing has changed\n");

    for (words, says) in [
        (&["join", "nat", "#den"][..], "there is no network nat; the only one is net"),
        (&["join", "net", "den"], "\"den\" is not a channel there: a channel looks like \"#tavern\""),
        (&["leave", "net", "#den"], "the bot is not in #den"),
        (&["ignore", "troll"], "\"troll\" can match nobody; patterns look like libera:account:troll"),
        (&["ignore", "--no", "a:b"], "a:b was not ignored by you"),
        (&["plugin", "enable", "net/#tavern", "mvkk"], "There is no plugin mvkk: did you mean mvk?"),
        (&["plugin", "enable", "#tavern", "mvk"], "a room is named as network/room: libera/#tavern"),
        (&["ignore", "net:bob"], "somebody is net:account:bob, or net:nick:bob"),
        (&["plugin", "enable", "net/#none", "mvk"], "the bot is not in net/#none"),
        (&["log", "warn,a=b=c"], "is no filter"),
        (&["log", "verbos"], "\"verbos\" is no level: there are off, error"),
    ] {
        let said = operated.refused(words);
        assert!(said.contains(says), "{words:?}: {said}");
    }
    drop(operated.bot);
    let none =
        Command::new(program()).arg("--data").arg(operated.home.path()).args(["ctl", "status"]).output().unwrap();
    assert!(String::from_utf8_lossy(&none.stderr).contains("no bot answers on"), "{none:?}");
}

#[test]
fn an_owner_gives_orders_in_private_and_in_their_own_rooms() {
    let operated = Operated::start();
    let mut ann = operated.comes("ann", &["#tavern", "#ops"]);
    operated.until("ann", || operated.told(&["status"]).contains("#ops: 1 other"));
    ann.say("#ops", "!ctl ignore net:nick:troll");
    assert_eq!(ann.answer("astragal", "#ops"), "net:nick:troll is ignored everywhere");
    ann.say("astragal", "ctl ignore");
    assert_eq!(ann.answer("astragal", "ann"), "net:nick:troll");
    ann.say("astragal", "!ctl ignore net:nick:troll");
    assert_eq!(ann.answer("astragal", "ann"), "net:nick:troll is ignored already");
    ann.say("#ops", "!ctl stats");
    let told = ann.answer("astragal", "#ops");
    assert!(told.starts_with("There is no order stats. Did you mean !ctl status? There are status, join"), "{told}");
    ann.say("#ops", "!ctl status");
    assert!(ann.answer("astragal", "#ops").starts_with("astragal "));
    // Elsewhere, or from others, it is not a command.
    ann.say("#tavern", "!ctl ignore");
    let mut bob = operated.comes("bob", &["#ops"]);
    bob.say("#ops", "!ctl leave net #tavern");
    bob.say("astragal", "ctl status");
    assert!(bob.hear("astragal", "bob").contains("There is no command ctl"));
    ann.say("#tavern", "!roll 1d1");
    assert!(ann.answer("astragal", "#tavern").contains("1d1 [1]"), "the first answer there");
}

#[test]
fn monitoring_shows_the_bots_state_and_the_owner_is_told_once() {
    let operated = Operated::start();
    let mut ann = operated.comes("ann", &["#tavern", "#ops"]);
    ann.say("#tavern", "!roll 1d1");
    ann.answer("astragal", "#tavern");
    ann.say("#tavern", "!roll 1d");
    ann.answer("astragal", "#tavern");
    let (status, page) = operated.get("/metrics");
    assert_eq!(status, 200);
    for expected in [
        "astragal_commands_total{network=\"net\",outcome=\"played\"} 1",
        "astragal_commands_total{network=\"net\",outcome=\"refused\"} 1",
        "astragal_connected{network=\"net\"} 1",
        "astragal_connections_total{network=\"net\"} 1",
        "astragal_rooms{network=\"net\"} 2",
        "astragal_answer_seconds_count{network=\"net\"}",
        "astragal_store_sync_seconds_bucket{le=\"0.001\"}",
        "# HELP astragal_answer_seconds From a message's acceptance",
    ] {
        assert!(page.contains(expected), "{expected} is missing in\n{page}");
    }
    assert_eq!(operated.get("/live"), (200, "live\n".to_owned()));

    // The owner hears only once about a configuration that was wrong twice.
    let right = fs::read_to_string(operated.config()).unwrap();
    fs::write(operated.config(), format!("nam = 1\n{right}")).unwrap();
    operated.bot.signal("HUP");
    let told = ann.wait_for(|line| line.contains("the old configuration stays"));
    assert!(told.contains("PRIVMSG #ops") && told.contains("did you mean name?"), "{told}");
    operated.bot.signal("HUP");
    assert!(ann.hear_within("astragal", "#ops", Duration::from_secs(2)).is_none(), "once");

    operated.server.kill();
    operated.until("away", || operated.get("/ready") == (503, "not connected: net\n".to_owned()));
    assert_eq!(operated.get("/live").0, 200);
    operated.server.restart();
    operated.until("back", || operated.get("/ready").0 == 200);
}

#[test]
fn a_table_goes_on_in_another_channel_and_comes_back() {
    let operated = Operated::start_with("limits.per_player = 50\n", |_| {});
    let mut ann = operated.comes("ann", &["#tavern", "#ops"]);
    ann.say("#tavern", "!plugin enable mvk");
    ann.answer("astragal", "#tavern");
    ann.say("#tavern", "!insp +3");
    assert_eq!(ann.answer("astragal", "#tavern"), "inspiration 3 (+3) #2");
    // A passer-by cannot move the table.
    let mut bob = operated.comes("bob", &["#tavern"]);
    bob.say("#tavern", "!export move");
    assert!(
        bob.answer("astragal", "#tavern")
            .starts_with("Only a room admin, while there is no referee, may move the table elsewhere")
    );
    ann.say("#tavern", "!export move");
    let told = ann.answer("astragal", "ann");
    let word =
        told.split("!import ").nth(1).and_then(|rest| rest.split_whitespace().next()).expect("a word").to_owned();
    ann.say("#ops", &format!("!import {word}"));
    let asked = ann.answer("astragal", "#ops");
    assert!(asked.contains("This seats the room at net/#tavern, with ann, up to #2"), "{asked}");
    ann.say("#ops", &format!("!import {word} really"));
    assert!(ann.answer("astragal", "#ops").contains("goes on with net/#tavern, from #2 on"));
    ann.say("#ops", "!plugin enable mvk");
    ann.answer("astragal", "#ops");
    ann.say("#ops", "!insp +1");
    assert_eq!(ann.answer("astragal", "#ops"), "inspiration 4 (+1) #4");
    ann.say("#tavern", "!insp");
    assert_eq!(ann.answer("astragal", "#tavern"), "inspiration 4");
    // The code word works once.
    ann.say("#ops", "!import back really");
    ann.answer("astragal", "#ops");
    ann.say("#ops", "!insp");
    assert_eq!(ann.answer("astragal", "#ops"), "inspiration 0");
    ann.say("#ops", &format!("!import {word} really"));
    let again = ann.answer("astragal", "#ops");
    assert!(again.contains("No table has that code word"), "{again}");
}

#[test]
fn old_text_is_erased_and_empty_rooms_are_left() {
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/v1.jsonl");
    let mut operated = Operated::start_with("journals.keep_text_days = 1\n", |data| {
        let restored = Command::new(program()).arg("--data").arg(data).args(["restore", golden]).output().unwrap();
        assert!(restored.status.success(), "{restored:?}");
    });
    let journal = || {
        let file = operated.home.path().join("journal.txt");
        let _ = fs::remove_file(&file);
        let mut command = Command::new(program());
        command
            .arg("--data")
            .arg(operated.home.path().join("data"))
            .args(["export", "--text", "console/hall"])
            .arg(&file);
        assert!(command.output().unwrap().status.success());
        fs::read_to_string(&file).unwrap()
    };
    operated.until("their end", || journal().contains("erase older 1"));
    let text = journal();
    assert!(!text.contains("Kaiju") && text.contains("more than 1 day ago is erased, in 12 entries"), "{text}");
    operated.told(&["join", "net", "#den"]);
    operated.told(&["join", "net", "#cave"]);
    operated.until("both", || {
        ["#den: nobody", "#cave: nobody"].iter().all(|room| operated.told(&["status"]).contains(room))
    });

    // As far as the bot knows, one of the rooms has been empty for long.
    let data = operated.home.path().join("data");
    operated.bot = {
        operated.bot.signal("TERM");
        operated.bot.wait();
        let store = astragal::store::look(&data.join("store")).unwrap();
        let mut batch = journal::store::Batch::default();
        let key = journal::keys::alone(&chat::RoomId::new("net", "#den"));
        batch.put(key, "\"2026-01-01T00:00:00Z\"");
        journal::store::Store::commit(&store, &batch).unwrap();
        drop(store);
        Program::start(&data, &operated.config())
    };
    operated.until("#cave", || operated.told_or_nothing(&["status"]).contains("#cave: nobody"));
    operated.until("its end", || !operated.told(&["status"]).contains("#den"));
    assert!(
        operated.told(&["status"]).contains("#cave: nobody else, not in the configuration")
            && operated.told(&["status"]).contains("#tavern")
    );
}
