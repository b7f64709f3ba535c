//! For operators: a first configuration, errors with names, reports to the service manager, a unit with few rights.

mod addresses;
mod backups;
mod containers;
mod doctor;
mod mistakes;
mod owners;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use std::fs;
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;
use tests::irc::played::{let_in, let_join, welcome};
use tests::irc::{Client, Ngircd, NgircdOptions, Scripted};
use tests::matrix::Synapse;
use tests::program;

fn astragal(home: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(program());
    command.args(arguments).env_clear().env("HOME", home).stdin(Stdio::null());
    command.output().expect("astragal runs")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|found| std::os::unix::fs::MetadataExt::uid(&found) == 0)
}

#[test]
fn a_first_configuration_is_written_checked_and_shown() {
    let home = tempfile::tempdir().unwrap();
    let flags = ["--irc", "irc.libera.chat", "--channel", "#tavern", "--owner", "libera:account:mia"];
    let written = astragal(home.path(), &[&["init"][..], &flags].concat());
    assert!(written.status.success(), "{}", said(&written));
    let file = home.path().join(".config/astragal/astragal.toml");
    assert!(said(&written).starts_with(&format!("{} is written. Try it", file.display())), "{}", said(&written));
    let checked = astragal(home.path(), &["check-config"]);
    assert_eq!((said(&checked), checked.status.success()), (format!("{}: no mistakes\n", file.display()), true));
    let again = astragal(home.path(), &[&["init"][..], &flags].concat());
    assert!(!again.status.success() && said(&again).contains("is there already"), "{}", said(&again));
    // A secret that everybody can read causes a warning and is not shown.
    let text = fs::read_to_string(&file).unwrap().replace("#: password = \"sesame\"", "password = \"sesame\"");
    fs::write(&file, text).unwrap();
    fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    let checked = said(&astragal(home.path(), &["check-config"]));
    assert!(checked.contains("warning: everybody on this machine can read the secret in"), "{checked}");
    let shown = said(&astragal(home.path(), &["config", "show"]));
    assert!(shown.contains("password = \"[secret]\"") && !shown.contains("sesame"), "{shown}");
    let schema: Value = serde_json::from_slice(&astragal(home.path(), &["config", "schema"]).stdout).unwrap();
    assert_eq!(schema["properties"]["name"]["default"], "astragal");
}

#[test]
fn every_mistake_is_named_at_once() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("wrong.toml");
    fs::write(&file, "nam = \"x\"\n[rooms]\nplugins = [\"rol\"]\n[irc.libera]\nport = \"x\"\n").unwrap();
    let checked = astragal(home.path(), &["--config", file.to_str().unwrap(), "check-config"]);
    assert!(!checked.status.success());
    let expected = [
        "wrong.toml has mistakes:",
        "line 1: there is no key nam: did you mean name?",
        "line 5: irc.libera.port: a whole number, not a text in quotation marks",
    ];
    assert!(expected.iter().all(|line| said(&checked).contains(line)), "{}", said(&checked));
}

#[test]
fn init_with_nobody_to_ask_names_the_flags() {
    let home = tempfile::tempdir().unwrap();
    let output = astragal(home.path(), &["init"]);
    assert!(said(&output).contains("name a network, such as --irc irc.libera.chat --channel '#tavern'"));
}

#[test]
fn shells_and_man_know_the_commands() {
    let home = tempfile::tempdir().unwrap();
    for (arguments, expected) in [
        (&["completions", "bash"][..], "check-config"),
        (&["completions", "zsh"], "#compdef astragal"),
        (&["completions", "fish"], "check-config"),
        (&["man"], ".TH astragal 1"),
        (&["man"], ".SH \"CHECK-CONFIG\""),
        (&["man", "ctl", "join"], ".TH astragal-ctl-join 1"),
        (&["man", "ctl", "join"], ".SH EXAMPLES"),
        (&["man", "backup"], ".SH FILES"),
        (&["man", "backup"], ".SH ENVIRONMENT"),
        (&["man", "backup"], ".SH \"EXIT STATUS\""),
    ] {
        let output = astragal(home.path(), arguments);
        assert!(output.status.success() && said(&output).contains(expected), "{arguments:?}: {}", said(&output));
    }
}

#[test]
fn every_page_that_a_man_page_names_is_there() {
    let pages = tempfile::tempdir().unwrap();
    let output = astragal(pages.path(), &["man", "--all", pages.path().to_str().unwrap()]);
    assert!(output.status.success(), "{}", said(&output));
    let main = fs::read_to_string(pages.path().join("astragal.1")).unwrap();
    let (_, named) = main.split_once(".SH SUBCOMMANDS").unwrap();
    let named: Vec<_> = named.split("(1)").filter_map(|text| text.rsplit("astragal\\-").next()).collect();
    let names: Vec<String> = named.iter().map(|name| format!("astragal-{}.1", name.replace('\\', ""))).collect();
    assert!(names.len() > 15, "{names:?}");
    for name in names.iter().take(names.len() - 1) {
        let page = fs::read_to_string(pages.path().join(name)).unwrap_or_else(|_| panic!("there is no {name}"));
        assert!(page.contains(".SH EXAMPLES") && page.contains(".SH FILES"), "{name}: {page}");
    }
    assert!(pages.path().join("astragal-matrix-recovery-new.1").exists());
}

#[test]
fn logs_are_json_if_the_operator_wants_that() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("open.toml");
    fs::write(&file, "[irc.x]\nserver = \"127.0.0.1\"\nport = 1\ntls = false\npassword = \"sesame\"\n").unwrap();
    fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    let mut command = Command::new(program());
    command.args(["--log-format", "json", "--config"]).arg(&file).arg("--data").arg(home.path().join("data"));
    let mut bot = command.stderr(Stdio::piped()).stdin(Stdio::null()).spawn().unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(bot.stderr.take().unwrap()));
    let first: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(first["level"], "WARN");
    assert!(first["message"].as_str().unwrap().contains("can read the secret"), "{first}");
    bot.kill().unwrap();
    bot.wait().unwrap();
}

#[test]
fn the_log_tells_of_the_start_and_the_stop() {
    let home = tempfile::tempdir().unwrap();
    let (file, data) = (home.path().join("a.toml"), home.path().join("data"));
    fs::write(&file, "[irc.x]\nserver = \"127.0.0.1\"\nport = 1\ntls = false\n").unwrap();
    let mut command = Command::new(program());
    command.args(["--log-format", "json", "--config"]).arg(&file).arg("--data").arg(&data).stdin(Stdio::null());
    let mut bot = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(bot.stderr.take().unwrap())).map_while(Result::ok);
    let started: Value = serde_json::from_str(&lines.next().unwrap()).unwrap();
    assert_eq!((&started["message"], &started["networks"]), (&"started".into(), &"IRC x".into()), "{started}");
    assert_eq!(started["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(started["data"], data.to_str().unwrap());
    assert!(Command::new("kill").arg(bot.id().to_string()).status().unwrap().success());
    let stopped = lines.last().unwrap();
    assert!(stopped.contains("\"message\":\"stopped\""), "{stopped}");
    assert!(bot.wait().unwrap().success());
}

#[test]
fn rooms_begin_as_the_operator_wants_and_enable_what_is_offered() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("rooms.toml");
    let rule = "{ rooms = \"console/ca*\", prefix = \".\", settings = { dialect = \"roll20\" } }";
    fs::write(&file, format!("[rooms]\nallowed = [\"roll\", \"torg\"]\nrules = [{rule}]\n")).unwrap();
    let mut command = Command::new(program());
    command.arg("--config").arg(&file).arg("--data").arg(home.path().join("data")).stdin(Stdio::piped());
    let mut bot = command.stdout(Stdio::piped()).spawn().unwrap();
    let typed = b"!plugin enable mvk\n!plugin enable torg\n!plugins\n/room cave\n.roll d1; 2d1>1\n";
    std::io::Write::write_all(&mut bot.stdin.take().unwrap(), typed).unwrap();
    let answers = said(&bot.wait_with_output().unwrap());
    for expected in [
        "The operator of this bot does not offer mvk here. Example: !plugins",
        "Torg Eternity is enabled in this room.",
        "1 | 1d1 [1]; SUCCESS +1 (2 vs 1) | 2d1 [1 1] vs 1",
    ] {
        assert!(answers.contains(expected), "{expected} is missing in\n{answers}");
    }
    assert!(!answers.contains("mvk Mecha"), "a game that is not offered is listed:\n{answers}");
}

#[test]
fn a_hangup_reads_the_configuration_again_and_a_wrong_one_changes_nothing() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("live.toml");
    fs::write(&file, "[rooms]\nallowed = [\"roll\"]\n").unwrap();
    let mut command = Command::new(program());
    command.arg("--config").arg(&file).arg("--data").arg(home.path().join("data")).stdin(Stdio::piped());
    let mut bot = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut log = std::io::BufRead::lines(std::io::BufReader::new(bot.stderr.take().unwrap()));
    let mut answers =
        std::io::BufRead::lines(std::io::BufReader::new(bot.stdout.take().unwrap())).skip(tests::GREETING);
    let mut typed = bot.stdin.take().unwrap();
    let mut ask = |text: &str| {
        std::io::Write::write_all(&mut typed, text.as_bytes()).unwrap();
        // The repeated input and the mark under it are indented.
        answers.by_ref().map(Result::unwrap).find(|line| !line.starts_with(' ')).unwrap()
    };
    let mut logged_after_hangup = |text: &str| {
        fs::write(&file, text).unwrap();
        assert!(Command::new("kill").args(["-HUP", &bot.id().to_string()]).status().unwrap().success());
        log.by_ref().map(Result::unwrap).find(|line| line.contains("configuration")).unwrap()
    };
    assert!(ask("!plugin enable mvk\n").contains("does not offer mvk"));
    let wrong = logged_after_hangup("[rooms]\nallowed = [\"mvk\"]\nprefx = 1\n");
    assert!(wrong.contains("the old configuration stays"), "{wrong}");
    assert!(ask("!plugin enable torg\n").contains("does not offer torg"));
    let right = logged_after_hangup("[rooms]\nallowed = [\"mvk\"]\n");
    assert!(right.contains("configuration reloaded"), "{right}");
    assert!(ask("!plugin enable mvk\n").contains("is enabled"));
    assert!(ask("!insp +1\n").contains("inspiration 1"));
    // A room's own plugin is played as long as it is offered, and the default ones always.
    let taken = logged_after_hangup("[rooms]\nallowed = [\"torg\"]\n");
    assert!(taken.contains("configuration reloaded"), "{taken}");
    assert!(ask("!insp +1\n").contains("does not offer mvk here"));
    assert!(ask("!roll 1d1\n").contains("1 | 1d1 [1]"));
    let again = logged_after_hangup("[rooms]\nallowed = [\"mvk\"]\n");
    assert!(again.contains("configuration reloaded"), "{again}");
    assert!(ask("!insp +1\n").contains("inspiration 2"));
    bot.kill().unwrap();
    bot.wait().unwrap();
}

#[test]
fn the_service_manager_is_told_the_bots_state() {
    let home = tempfile::tempdir().unwrap();
    let socket = home.path().join("notify");
    let manager = UnixDatagram::bind(&socket).unwrap();
    manager.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let hear = || {
        let mut message = [0; 1_024];
        let length = manager.recv(&mut message).expect("the manager gets a message");
        String::from_utf8_lossy(&message[..length]).into_owned()
    };
    let mut command = Command::new(program());
    command.arg("--data").arg(home.path().join("data")).env("NOTIFY_SOCKET", &socket).env("WATCHDOG_USEC", "400000");
    let mut bot = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut told = hear();
    while !told.contains("READY=1") {
        told = hear();
    }
    assert!(told.contains("STATUS=astragal: in the terminal"), "{told}");
    assert_eq!([hear(), hear()].map(|told| told.trim().to_owned()), ["WATCHDOG=1", "WATCHDOG=1"]);
    let stopped = Command::new("kill").arg(bot.id().to_string()).status().unwrap();
    assert!(stopped.success());
    while !told.contains("STOPPING=1") {
        told = hear();
    }
    assert!(bot.wait().unwrap().success());
}

#[test]
fn every_metric_on_the_dashboard_is_counted() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let text = |path: &str| fs::read_to_string(root.join(path)).unwrap();
    let counted =
        ["crates/bot/src/metric.rs", "crates/journal/src/committer/writer.rs", "crates/journal/src/store/cached.rs"]
            .map(text)
            .concat();
    for path in ["deploy/alerts.yml", "deploy/alerts-machines.yml", "deploy/dashboard.json"] {
        let watched = text(path);
        let names = watched.split(|c: char| !c.is_alphanumeric() && c != '_');
        let names = names.filter(|name| name.starts_with("astragal_") || name.starts_with("process_"));
        let names: Vec<&str> = names.map(|name| name.trim_end_matches("_bucket")).collect();
        assert!(names.len() > 5, "{path}");
        for name in names {
            assert!(counted.contains(&format!("\"{name}\"")), "{path}: nobody counts {name}");
        }
    }
    serde_json::from_str::<Value>(&text("deploy/dashboard.json")).expect("the dashboard is JSON");
}

#[test]
fn the_unit_has_few_rights() {
    let unit = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("deploy/astragal.service");
    // The threshold is ten times the level: 1.5.
    let looked = Command::new("systemd-analyze")
        .args(["security", "--no-pager", "--offline=true", "--threshold=15"])
        .arg(&unit)
        .output()
        .expect("tests/run installs systemd-analyze");
    assert!(looked.status.success(), "{}", said(&looked));
    assert!(said(&looked).contains("Overall exposure level for astragal.service: 1."), "{}", said(&looked));
}

/// The log of a bot after an invitation from somebody its configuration does not name.
fn uninvited(home: &Path) -> String {
    let server = Ngircd::start(&NgircdOptions::default());
    let config = home.join("invited.toml");
    let text = format!(
        "[irc.x]\nserver = \"127.0.0.1\"\nport = {}\ntls = false\n[irc.x.channels]\n\"#a\" = {{}}\n",
        server.port()
    );
    fs::write(&config, text).expect("it can be written");
    let mut command = Command::new(program());
    command.arg("--config").arg(&config).arg("--data").arg(home.join("invited")).stdin(Stdio::null());
    let mut bot = command.stderr(Stdio::piped()).spawn().expect("it runs");
    let mut log =
        std::io::BufRead::lines(std::io::BufReader::new(bot.stderr.take().expect("piped"))).map_while(Result::ok);
    log.find(|line| line.contains("joined")).expect("it comes");
    let mut ann = Client::connect(server.port(), "ann");
    ann.join("#mine");
    ann.raw("INVITE astragal #mine");
    let line = log.find(|line| line.contains("invitation")).expect("it is logged");
    assert!(line.contains("[irc.x] admins = [\\\"account:ACCOUNT\\\"], or invites"), "{line}");
    bot.kill().expect("it runs");
    bot.wait().expect("it ends");
    line
}

/// The program's output with an IRC server without TLS that asks for a password it does not know, and with strangers
/// who send a lot.
fn distrusted(home: &Path) -> String {
    let server = Scripted::listen();
    let config = home.join("distrusted.toml");
    let text = "[irc.x]\nserver = \"127.0.0.1\"\ntls = false\naccount = \"a\"\naccount_password = \"b\"\n";
    fs::write(&config, format!("{text}port = {}\n[irc.x.channels]\n\"#hall\" = {{}}\n", server.port()))
        .expect("a step of the test works");
    let config = config.to_str().expect("a step of the test works");
    let told = std::thread::scope(|scope| {
        let checked = scope.spawn(|| said(&astragal(home, &["--config", config, "check-config", "--online"])));
        let_in(&mut server.accept(), "sasl=PLAIN", "");
        checked.join().expect("it ends")
    });
    let data = home.join("distrusting");
    let mut command = Command::new(program());
    command
        .args(["--config", config, "--data", data.to_str().expect("a step of the test works")])
        .stderr(Stdio::piped());
    let mut bot = command.spawn().expect("the program runs");
    let log = std::io::BufRead::lines(std::io::BufReader::new(bot.stderr.take().expect("piped")));
    let mut peer = server.accept();
    peer.expect("CAP LS 302");
    peer.send(":irc.test CAP * LS :sasl=SCRAM-SHA-256");
    peer.expect("CAP REQ");
    peer.send(":irc.test CAP * ACK :sasl");
    peer.expect("AUTHENTICATE SCRAM-SHA-256");
    peer.send("AUTHENTICATE +");
    peer.expect("AUTHENTICATE ");
    // A nonce that does not contain the bot's.
    peer.send(&format!("AUTHENTICATE {}", BASE64_STANDARD.encode("r=x,s=AAAA,i=4096")));
    peer.expect("AUTHENTICATE *");
    peer.send(":irc.test 906 astragal :SASL authentication aborted");
    peer.expect("CAP END");
    welcome(&mut peer, "astragal", "");
    let_join(&mut peer, "astragal");
    (0..30).for_each(|_| peer.send(":x!u@far.test PRIVMSG astragal :hi"));
    let mut lines = String::new();
    for line in log.map_while(Result::ok) {
        lines.push_str(&line);
        if line.contains("says too much") {
            break;
        }
    }
    bot.kill().expect("it runs");
    bot.wait().expect("it ends");
    told + lines.as_str()
}

/// Makes things go wrong. The page for operators quotes the messages.
#[test]
fn the_page_for_operators_quotes_what_the_program_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let page = fs::read_to_string(root.join("docs/operators.md")).unwrap();
    let (_, troubles) = page.split_once("## When something is wrong").unwrap();
    let quoted: Vec<&str> = troubles
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` |"))
        .map(|(quoted, _)| quoted)
        .collect();
    let home = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = home.path().join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let mut all = String::new();
    let quiet = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = quiet.local_addr().unwrap().port();
    let mut waiting = Command::new(program());
    waiting
        .args(["--config", &file("l.toml", &format!("[irc.x]\nserver = \"127.0.0.1\"\nport = {port}\ntls = false\n"))]);
    waiting.args(["check-config", "--online"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let waiting = waiting.spawn().unwrap();
    let mut run = |arguments: &[&str]| all.push_str(&said(&astragal(home.path(), arguments)));
    run(&["--config", &file("a.toml", "nam = 1\n"), "check-config"]);
    run(&["--config", &file("b.toml", "[rooms]\nplugins = [\"rol\"]\n"), "check-config"]);
    let secret = "[irc.x]\nserver = \"x\"\naccount = \"a\"\naccount_password_file = \"nope\"\n";
    run(&["--config", &file("c.toml", secret), "check-config"]);
    run(&["--config", &file("m.toml", "[irc.x]\nserver = \"x\"\nport = 6697\ntls = false\n"), "check-config"]);
    let closed = "[irc.x]\nserver = \"127.0.0.1\"\nport = 1\ntls = false\npassword = \"sesame\"\n";
    run(&["--config", &file("d.toml", closed), "check-config", "--online"]);
    run(&[
        "--config",
        &file("f.toml", "[matrix.x]\nhomeserver = \"http://127.0.0.1:1\"\nuser = \"dice\"\npassword = \"x\"\n"),
        "check-config",
        "--online",
    ]);
    run(&[
        "--config",
        &file("i.toml", "[matrix.x]\nhomeserver = \"http://127.0.0.1:1\"\nuser = \"dice\"\n"),
        "check-config",
        "--online",
    ]);
    let trusting =
        file("j.toml", "[matrix.x]\nhomeserver = \"http://127.0.0.1:1\"\nuser = \"dice\"\npassword = \"x\"\n");
    let mut bare = Command::new(program());
    bare.args(["--config", &trusting, "check-config", "--online"]).env_clear().env("HOME", home.path());
    let bare = bare.env("SSL_CERT_FILE", "/dev/null").env("SSL_CERT_DIR", "/nonexistent").output().unwrap();
    let homeserver = format!("[matrix.x]\nhomeserver = \"{}\"\nuser = \"dicebot\"\n", Synapse::shared().url());
    run(&["--config", &file("g.toml", &(homeserver.clone() + "token = \"expired\"\n")), "check-config", "--online"]);
    run(&["--config", &file("h.toml", &(homeserver + "password = \"wrong\"\n")), "check-config", "--online"]);
    run(&["--config", "nope.toml", "check-config"]);
    all.push_str(&said(&bare));
    let mut run = |arguments: &[&str]| all.push_str(&said(&astragal(home.path(), arguments)));
    run(&["--data", home.path().to_str().unwrap(), "ctl", "status"]);
    run(&["init"]);
    run(&["--config", &file("e.toml", ""), "init", "--irc", "irc.libera.chat"]);
    run(&["--data", &format!("{}/below", file("none", ""))]);
    run(&["--data", "/proc/nowhere"]);
    run(&["--data", "nowhere", "tables"]);
    let (open, half) = (home.path().join("open"), home.path().join("half"));
    fs::create_dir_all(half.join("store.part")).unwrap();
    fs::create_dir(&open).unwrap();
    fs::write(open.join("diary"), "dear diary").unwrap();
    fs::set_permissions(&open, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    run(&["--data", open.to_str().unwrap()]);
    run(&["--data", half.to_str().unwrap()]);
    let data = home.path().join("data");
    let mut first = Command::new(program());
    first.arg("--data").arg(&data).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut first = first.spawn().unwrap();
    let mut greeting = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(first.stdout.as_mut().unwrap()), &mut greeting).unwrap();
    run(&["--data", data.to_str().unwrap()]);
    first.kill().unwrap();
    first.wait().unwrap();
    // The clock is behind the files, and files may not grow, or only a little.
    let touched = Command::new("touch").args(["-d", "+1 day"]).arg(data.join("store/db")).status().unwrap();
    assert!(touched.success());
    run(&["--data", data.to_str().unwrap()]);
    for (kib, data) in [(0, home.path().join("full")), (300, home.path().join("filling"))] {
        let limited =
            format!("trap '' XFSZ; ulimit -S -f {kib}; exec {} --data {}", program().display(), data.display());
        let mut command = Command::new("bash");
        command.args(["-c", &limited]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut bot = command.spawn().unwrap();
        let mut typed = bot.stdin.take().unwrap();
        // It may end before it has read everything.
        let writer = std::thread::spawn(move || {
            drop(std::io::Write::write_all(&mut typed, "!iam Ann\n!iam Bob\n".repeat(500).as_bytes()))
        });
        all.push_str(&said(&bot.wait_with_output().unwrap()));
        writer.join().unwrap();
    }
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let watching = file("k.toml", &format!("[watch]\nlisten = \"{}\"\n", taken.local_addr().unwrap()));
    let watched = home.path().join("watched");
    all.push_str(&said(&astragal(home.path(), &["--config", &watching, "--data", watched.to_str().unwrap()])));
    all.push_str(&said(&waiting.wait_with_output().unwrap()));
    all.push_str(&uninvited(home.path()));
    all.push_str(&distrusted(home.path()));
    assert!(quoted.len() > 10, "{quoted:?}");
    for quoted in quoted {
        assert!(all.contains(quoted), "{quoted} was not printed:\n{all}");
    }
}
