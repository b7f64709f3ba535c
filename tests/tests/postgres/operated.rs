//! What an operator sees of a database, and what they can do about it.

use super::machine::{Machine, comes, mia_on};
use std::fs;
use std::process::{Command, Output, Stdio};
use tests::irc::stage::CHANNEL;
use tests::irc::{Ngircd, NgircdOptions, plain};
use tests::postgres::Server;
use tests::shipped::with_postgres;
use tests::{free_port, until};

/// Runs a command of the program beside a machine's bot.
fn run(machine: &Machine, words: &[&str]) -> Output {
    let home = machine.home.path();
    let mut command = Command::new(with_postgres());
    command.arg("--config").arg(home.join("astragal.toml")).arg("--data").arg(home.join("data")).args(words);
    command.stdin(Stdio::null()).output().expect("it runs")
}

/// What a command says, whether or not it succeeds.
fn told(machine: &Machine, words: &[&str]) -> String {
    let output = run(machine, words);
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

/// What is at this path of an address that is watched, with its status.
fn get(port: u16, path: &str) -> (String, String) {
    let address = format!("http://127.0.0.1:{port}{path}");
    let output = Command::new("curl").args(["-s", "-w", "\n%{http_code}", &address]).output().expect("curl is there");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let (text, status) = text.rsplit_once('\n').expect("a status");
    (text.to_owned(), status.to_owned())
}

/// Lets a machine be watched on the port that is returned.
fn watched(machine: &Machine) -> u16 {
    let (file, port) = (machine.home.path().join("astragal.toml"), free_port());
    let text = fs::read_to_string(&file).expect("it is there");
    fs::write(file, format!("{text}[watch]\nlisten = \"127.0.0.1:{port}\"\n")).expect("it is ours");
    port
}

#[test]
fn an_operator_sees_the_database_and_hands_over_only_to_somebody() {
    let (server, network) = (Server::start(), Ngircd::start(&NgircdOptions::default()));
    let machines = [(); 2].map(|()| Machine::new(&server.database(), &network));
    let port = watched(&machines[0]);
    let mut mia = mia_on(&network);
    let first = machines[0].start();
    mia.wait_for(comes);
    let status = told(&machines[0], &["ctl", "status"]);
    assert!(status.contains("store: the shard main on PostgreSQL; it has no standby"), "{status}");
    assert!(status.contains("standing by: no other bot"), "{status}");
    let refused = run(&machines[0], &["ctl", "hand-over"]);
    assert!(!refused.status.success());
    let refused = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.contains("no other bot stands by for the shard main"), "{refused}");

    let second = machines[1].stand_by();
    let not_yet = told(&machines[1], &["ctl", "status"]);
    assert!(not_yet.contains("does not play yet") && !not_yet.contains("os error"), "{not_yet}");
    let looked = told(&machines[1], &["doctor"]);
    assert!(looked.contains("ok     database: the shard main on PostgreSQL; it has no standby"), "{looked}");
    let looked = told(&machines[0], &["doctor"]);
    assert!(looked.contains("another bot stands by"), "{looked}");
    assert_eq!(get(port, "/ready").1, "200");

    // One that is frozen, as a machine is that lost its power, does not stand by.
    second.signal("STOP");
    let alone = || told(&machines[0], &["ctl", "status"]).contains("standing by: no other bot");
    until("the other one is missed", alone);
    assert!(!run(&machines[0], &["ctl", "hand-over"]).status.success());
    second.signal("CONT");
    until("the other one is back", || !alone());

    mia.say(CHANNEL, "!insp +3");
    mia.wait_for(|line| plain(line).contains("inspiration 3"));
    let handed = told(&machines[0], &["ctl", "hand-over"]);
    assert!(handed.starts_with("handing over to ") && handed.contains("then stands by"), "{handed}");
    mia.wait_for(comes);
    mia.say(CHANNEL, "!insp +1");
    mia.wait_for(|line| plain(line).contains("inspiration 4"));
    machines[0].wait_until(|| machines[0].said("stands by") == 1);
    // And back, as owners may want it.
    let handed = told(&machines[1], &["ctl", "hand-over"]);
    assert!(handed.starts_with("handing over to "), "{handed}");
    mia.wait_for(comes);
    mia.say(CHANNEL, "!insp");
    mia.wait_for(|line| plain(line).contains("inspiration 4"));
    drop((first, second));
}

#[test]
fn the_figures_that_the_alerts_for_machines_name_are_there_from_the_start() {
    let (server, network) = (Server::start(), Ngircd::start(&NgircdOptions::default()));
    let machine = Machine::new(&server.database(), &network);
    let port = watched(&machine);
    let mut mia = mia_on(&network);
    let _bot = machine.start();
    mia.wait_for(comes);
    let (shown, _) = get(port, "/metrics");
    let alerts =
        fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/alerts-machines.yml")).expect("there");
    let names: Vec<&str> = alerts
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| word.starts_with("astragal_") || word.starts_with("process_"))
        .collect();
    assert!(names.len() > 8, "{names:?}");
    for name in names {
        let line = shown.lines().find(|line| line.starts_with(&format!("{name}{{")));
        let line = line.unwrap_or_else(|| panic!("{name} is not in\n{shown}"));
        assert!(line.contains("shard=\"main\""), "{line}");
    }
    assert!(!shown.contains("astragal_store_bytes"), "nobody knows the size of a shard");
}

#[test]
fn while_the_database_is_away_the_bot_says_so_and_it_is_not_ready() {
    let (server, network) = (Server::start(), Ngircd::start(&NgircdOptions::default()));
    let machine = Machine::new(&server.database(), &network);
    let port = watched(&machine);
    let mut mia = mia_on(&network);
    let mut bot = machine.start();
    mia.wait_for(comes);
    server.freeze();
    let mut seen = String::new();
    // It ends after seven seconds, which a slow machine may miss.
    until("it is not ready, or has ended", || {
        let (why, status) = get(port, "/ready");
        seen.push_str(&why);
        status == "503" && why.contains("did not answer within 2 seconds") || bot.has_ended()
    });
    machine.wait_until(|| machine.said("the lease cannot be renewed") == 1);
    server.thaw();
    assert!(seen.contains("did not answer within 2 seconds") || bot.has_ended(), "{seen}");
    until("it is ready again, or has ended", || get(port, "/ready").1 == "200" || bot.has_ended());
}

#[test]
fn one_that_stands_by_ends_at_once_when_it_is_told_to() {
    let (server, network) = (Server::start(), Ngircd::start(&NgircdOptions::default()));
    let machines = [(); 2].map(|()| Machine::new(&server.database(), &network));
    let mut mia = mia_on(&network);
    let _first = machines[0].start();
    mia.wait_for(comes);
    let mut second = machines[1].stand_by();
    second.signal("TERM");
    assert!(second.wait(), "it ends well");
    assert_eq!(machines[1].said("stopped before it played"), 1);
}

#[test]
fn the_bots_of_the_compose_file_have_a_configuration_without_mistakes() {
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/machines.yml")).expect("there");
    let home = tempfile::tempdir().expect("a directory");
    let mut command = Command::new(with_postgres());
    let set = text.lines().filter_map(|line| line.trim().strip_prefix("ASTRAGAL__")?.split_once(": "));
    let set: Vec<(&str, &str)> = set.collect();
    assert_eq!(set.len(), 5, "{set:?}");
    for (key, value) in set {
        command.env(format!("ASTRAGAL__{key}"), value.trim_matches(['\'', '"']));
    }
    let output = command.env("HOME", home.path()).arg("check-config").stdin(Stdio::null()).output().expect("it runs");
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success() && said.contains("and names IRC town"), "{said}");
    for image in ["image: postgres:18", "image: ghcr.io/ergochat/ergo:stable"] {
        assert!(text.contains(image), "{image}");
    }
}
