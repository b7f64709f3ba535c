//! Networks that come, go, change and stay away, as an operator sees them.

use super::Operated;
use std::fs;
use tests::irc::{Client, Ngircd, NgircdOptions};
use tests::matrix::Synapse;

impl Operated {
    /// Rewrites its configuration.
    pub(super) fn rewrite(&self, change: impl FnOnce(String) -> String) {
        let text = fs::read_to_string(self.config()).expect("it is there");
        fs::write(self.config(), change(text)).expect("it can be written");
    }
}

#[test]
fn status_tells_the_truth_about_a_dead_server_with_the_reason_and_the_next_try() {
    let operated = Operated::start();
    assert!(operated.told(&["status", "--check"]).contains("net: connected as astragal"));
    operated.server.kill();
    let port = operated.server.port();
    let refused = format!("net: not connected: 127.0.0.1:{port} cannot be reached: Connection refused");
    operated.until("the reason", || operated.told(&["status"]).contains(&refused));
    operated.until("the next try", || operated.told(&["status"]).contains("; tries again at 20"));
    let checked = operated.ctl(&["status", "--check"]);
    assert_eq!(checked.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&checked.stdout).contains("net: not connected: "), "{checked:?}");
    assert!(String::from_utf8_lossy(&checked.stderr).contains("not connected: net"), "{checked:?}");
    assert!(operated.get("/metrics").1.contains("astragal_connected{network=\"net\"} 0"));
    operated.server.restart();
    operated.until("back", || operated.ctl(&["status", "--check"]).status.success());
}

#[test]
fn a_network_that_gave_up_is_not_connected_with_the_reason_and_the_next_try() {
    let operated = Operated::start();
    let homeserver = Synapse::shared().url();
    let more = format!("[matrix.other]\nhomeserver = \"{homeserver}\"\nuser = \"nobody\"\npassword = \"wrong\"\n");
    operated.rewrite(|text| text + more.as_str());
    assert_eq!(operated.told(&["reload"]), "configuration reloaded: other: connecting\n");
    let refused = format!("other: not connected: {homeserver} does not let nobody in with this password");
    let line = || {
        let status = operated.told(&["status"]);
        status.lines().find(|line| line.starts_with(&refused)).map(str::to_owned)
    };
    operated.until("the reason", || line().is_some_and(|line| line.contains("; tries again at 20")));
    assert!(operated.refused(&["status", "--check"]).contains("not connected: other"));
    assert!(operated.told(&["status"]).contains("net: connected as astragal"));
}

#[test]
fn a_reload_joins_and_leaves_channels_at_once_and_says_so() {
    let operated = Operated::start();
    operated.until("#tavern", || operated.told(&["status"]).contains("#tavern: nobody else\n"));
    let mut ann = operated.comes("ann", &["#ops", "#den"]);
    ann.raw("MODE #den +k open");
    operated.rewrite(|text| text.replace("\"#tavern\" = {}", "\"#den\" = { key = \"open\" }"));
    assert_eq!(operated.told(&["reload"]), "configuration reloaded: net: joining #den, leaving #tavern\n");
    let there = || operated.told(&["status"]);
    operated.until("#den", || there().contains("#den: 1 other\n") && !there().contains("#tavern"));
    ann.say("#den", "!roll 2d1");
    assert!(ann.answer("astragal", "#den").contains("2 | 2d1 [1 1]"));
    let connections = "astragal_connections_total{network=\"net\"} 1";
    assert!(operated.get("/metrics").1.contains(connections), "it did not connect again");
    assert_eq!(operated.told(&["reload"]), "configuration reloaded: nothing has changed\n");
    drop(ann);
    operated.server.kill();
    operated.until("away", || operated.get("/ready").0 == 503);
    operated.server.restart();
    operated.until("only what is wanted", || there().contains("#den: nobody else\n") && !there().contains("#tavern"));
}

#[test]
fn a_network_comes_changes_and_goes_without_a_restart() {
    let operated = Operated::start();
    let other = Ngircd::start(&NgircdOptions::default());
    let before = fs::read_to_string(operated.config()).expect("it is there");
    let more = format!(
        "[irc.other]\nserver = \"127.0.0.1\"\nport = {}\ntls = false\nline_every_ms = 0\n[irc.other.channels]\n\"#a\" = {{}}\n",
        other.port()
    );
    operated.rewrite(|text| format!("name = \"dicey\"\nignore = [\"net:nick:troll\"]\n{text}{more}"));
    let told = operated.told(&["reload"]);
    assert_eq!(told, "configuration reloaded: changed: ignore; other: connecting; waits for a restart: name\n");
    operated.until("#a", || operated.told(&["status"]).contains("#a: nobody else\n"));
    assert_eq!(operated.get("/ready").0, 200);
    let mut bob = Client::connect(other.port(), "bob");
    bob.join("#a");
    bob.say("#a", "!roll 2d1");
    assert!(bob.answer("astragal", "#a").contains("2 | 2d1 [1 1]"));

    operated.rewrite(|text| text.replace("[irc.other]\n", "[irc.other]\nnick = \"dicey\"\n"));
    let told = operated.told(&["reload"]);
    assert_eq!(told, "configuration reloaded: other: connecting again; waits for a restart: name\n");
    operated.until("its new nick", || operated.told(&["status"]).contains("other: connected as dicey"));
    operated.until("#a", || operated.told(&["status"]).contains("#a: 1 other\n"));
    bob.say("#a", "!roll 3d1");
    assert!(bob.answer("dicey", "#a").contains("3 | 3d1 [1 1 1]"));

    operated.rewrite(|_| before);
    let told = operated.told(&["reload"]);
    assert_eq!(told, "configuration reloaded: changed: ignore; other: disconnected\n");
    let status = operated.told(&["status"]);
    assert!(status.contains("net: connected") && !status.contains("other"), "{status}");
    assert!(bob.wait_for(|line| line.contains("QUIT")).contains("dicey"));
}

#[test]
fn an_owner_who_gives_orders_in_private_is_told_there_what_goes_wrong() {
    let operated = Operated::start();
    operated.rewrite(|text| text.replace("admin_rooms = [\"net/#ops\"]\n", ""));
    operated.told(&["reload"]);
    let mut ann = operated.comes("ann", &["#tavern"]);
    operated.until("ann", || operated.told(&["status"]).contains("#tavern: 1 other"));
    ann.say("astragal", "ctl");
    assert!(ann.answer("astragal", "ann").starts_with("There are status, join"), "the orders that there are");
    operated.rewrite(|text| format!("nam = 1\n{text}"));
    operated.bot.signal("HUP");
    let told = ann.wait_for(|line| line.contains("the old configuration stays"));
    assert!(told.contains("PRIVMSG ann"), "{told}");
}

#[test]
fn the_figures_that_the_alerts_and_the_dashboard_name_are_there_from_the_start() {
    let operated = Operated::start();
    let mut ann = operated.comes("ann", &["#tavern"]);
    ann.say("#tavern", "!roll 2d1");
    ann.answer("astragal", "#tavern");
    operated.until("a backup", || !operated.get("/metrics").1.contains("astragal_backup_timestamp_seconds 0\n"));
    let (_, shown) = operated.get("/metrics");
    let value = |name: &str| {
        let line = shown.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("{name} is not in\n{shown}")).parse::<f64>().expect("a number")
    };
    for nothing in ["astragal_errors_total", "astragal_undecryptable_total{network=\"net\"}"] {
        assert_eq!(value(nothing), 0.0, "{nothing}");
    }
    assert_eq!(value("astragal_logins_refused_total{network=\"net\"}"), 0.0);
    assert_eq!(value(&format!("astragal_build_info{{version=\"{}\"}}", env!("CARGO_PKG_VERSION"))), 1.0);
    for some in ["astragal_store_bytes", "astragal_disk_free_bytes", "process_start_time_seconds", "process_threads"] {
        assert!(value(some) > 0.0, "{some}");
    }
    assert!(value("process_resident_memory_bytes") > 1e6 && value("process_max_fds") >= value("process_open_fds"));
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/");
    for file in ["alerts.yml", "dashboard.json"] {
        let text = fs::read_to_string(format!("{root}{file}")).expect("it is there");
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        let names: Vec<&str> =
            words.filter(|word| word.starts_with("astragal_") || word.starts_with("process_")).collect();
        assert!(names.len() > 10, "{file}: {names:?}");
        for name in names {
            assert!(shown.contains(&format!("\n{name}")), "{file} names {name}, which is not in\n{shown}");
        }
    }
}
