//! Protects the operator's terminal and disk from what servers and strangers put into the log.

use std::fs;
use std::io::Read;
use std::process::{Child, Stdio};
use tests::irc::played::{SERVER, cut, seat};
use tests::irc::stage::BOT;
use tests::irc::{Peer, Scripted};

/// The program on a server that the test plays.
struct Logged {
    child: Child,
    home: tempfile::TempDir,
}

impl Logged {
    fn start(port: u16) -> Self {
        let home = tempfile::tempdir().expect("a directory");
        let config = home.path().join("astragal.toml");
        let text = format!(
            "[irc.irc]\nserver = \"127.0.0.1\"\nport = {port}\ntls = false\nline_every_ms = 0\nreconnect_first_ms = 100\n\
             reconnect_most_ms = 200\n[irc.irc.channels]\n\"#hall\" = {{}}\n"
        );
        fs::write(&config, text).expect("it can be written");
        let mut command = tests::astragal(&home.path().join("data"));
        let log = fs::File::create(home.path().join("log")).expect("it can be made");
        let child = command.arg("--config").arg(&config).stdout(Stdio::null()).stderr(log).spawn();
        Logged { child: child.expect("the program runs"), home }
    }

    /// Ends it and returns its log.
    fn end(mut self) -> String {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
        let mut log = Vec::new();
        fs::File::open(self.home.path().join("log"))
            .and_then(|mut file| file.read_to_end(&mut log))
            .expect("it is there");
        String::from_utf8_lossy(&log).into_owned()
    }
}

/// Terminal escapes in seven bits and in eight, in a very long line.
fn steering(peer: &mut Peer, line: &str) {
    let steer = format!("\u{1b}]0;owned\u{7}\u{9b}2J\u{1b}[31m{}", "x".repeat(5_000));
    peer.send(&line.replace("{}", &steer));
}

#[test]
fn a_server_cannot_control_a_terminal_through_the_log() {
    let server = Scripted::listen();
    let program = Logged::start(server.port());
    for line in ["ERROR :{}", ":irc.test 465 astragal :{}", ":irc.test 432 astragal :{}"] {
        let mut peer = server.accept();
        peer.expect("CAP LS");
        steering(&mut peer, line);
        if line.contains("432") {
            steering(&mut peer, "ERROR :{}");
        }
    }
    let mut peer = server.accept();
    seat(&mut peer);
    steering(&mut peer, ":gus!gus@home.test KICK #hall astragal :{}");
    steering(&mut peer, ":irc.test 474 astragal #hall :{}");
    steering(&mut peer, ":{}!u@h INVITE astragal #a{}");
    steering(&mut peer, ":astragal!a@b JOIN #{}");
    steering(&mut peer, "ERROR :{}");
    server.accept().expect("CAP LS");
    let log = program.end();
    assert!(log.contains("owned"), "{log}");
    let steers: Vec<char> = log.chars().filter(|c| c.is_control() && *c != '\n').collect();
    assert!(steers.is_empty(), "{steers:?} in the log");
    let longest = log.lines().map(str::len).max().unwrap_or_default();
    assert!(longest < 4_000, "a line of {longest} bytes in the log");
}

/// With several networks a line without the network's name tells nobody where to look.
#[test]
fn each_line_of_irc_names_its_network_and_a_forward_is_nobodys_doing() {
    let server = Scripted::listen();
    let program = Logged::start(server.port());
    drop(server.accept());
    let mut peer = server.accept();
    seat(&mut peer);
    peer.send(&format!(":{BOT}!dice@bot.test JOIN #trap"));
    peer.expect("PART #trap");
    peer.send(&format!(":{SERVER} 470 {BOT} #hall ##overflow :Forwarding to another channel"));
    peer.send(":gus!gus@home.test KICK #hall astragal :out");
    peer.send(&format!(":{SERVER} 470 {BOT} #hall ##overflow :Forwarding to another channel"));
    peer.send(&format!(":{BOT}!dice@bot.test JOIN ##overflow"));
    peer.expect("PART ##overflow");
    (0..40).for_each(|_| peer.send(&format!(":x!u@far.test PRIVMSG {BOT} :hi")));
    peer.send(&format!(":gus!gus@home.test INVITE {BOT} #trap"));
    cut(peer);
    server.accept().expect("CAP LS");
    let log = program.end();
    let lines: Vec<_> = log.lines().filter(|line| line.contains("transport_irc")).collect();
    assert!(lines.len() >= 8, "{log}");
    for line in lines {
        assert!(line.contains("network=\"irc\""), "no network: {line}");
        assert!(!line.contains("##overflow") || !line.contains("somebody"), "{line}");
    }
    assert!(log.contains("a channel forwards the bot to another one, which it leaves"), "{log}");
}

#[test]
fn invitations_and_floods_write_little_into_the_log() {
    let server = Scripted::listen();
    let program = Logged::start(server.port());
    let mut peer = server.accept();
    seat(&mut peer);
    for n in 0..2_000 {
        peer.send(&format!(":x{n}!u@host{n}.test INVITE {BOT} #trap{n}"));
        peer.send(&format!(":x{n}!u@far.test PRIVMSG {BOT} :hi"));
    }
    peer.send(&format!(":{SERVER} NOTICE {BOT} :nothing"));
    cut(peer);
    let log = program.end();
    assert!(log.contains("an invitation is not followed"), "{log}");
    let lines = log.lines().count();
    assert!(lines < 60, "{lines} lines in the log");
}

/// A template that would make the program panic at login.
#[test]
fn check_config_names_a_wrong_template() {
    let home = tempfile::tempdir().expect("a directory");
    let config = home.path().join("astragal.toml");
    let text =
        "[irc.irc]\nserver = \"x\"\naccount = \"a\"\naccount_password = \"b\"\nidentify = \"{account} X {password}\"\n";
    fs::write(&config, text).expect("it can be written");
    let mut command = tests::astragal(&home.path().join("data"));
    let checked = command.arg("--config").arg(&config).arg("check-config").output().expect("it runs");
    let said = String::from_utf8_lossy(&[checked.stdout, checked.stderr].concat()).into_owned();
    assert!(
        !checked.status.success() && said.contains("line 5: irc.irc.identify: whom and with which words"),
        "{said}"
    );
}
