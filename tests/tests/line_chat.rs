//! A new kind of network: its transport keeps the contract, and the program runs on it without any other change.

use async_trait::async_trait;
use chat::conformance::{Stand, suite};
use chat::{RoomId, Transport};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tests::line_chat::{BOT, LineChat, Settings};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Longer than anything should take.
const PATIENCE: Duration = Duration::from_secs(60);

struct LineStand {
    transport: Arc<LineChat>,
    server: TcpListener,
    link: Option<tokio::io::BufReader<TcpStream>>,
}

impl LineStand {
    async fn new() -> Self {
        let server = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let address = server.local_addr().expect("it listens").to_string();
        LineStand { transport: Arc::new(LineChat::new("lines", Settings { server: address })), server, link: None }
    }

    async fn link(&mut self) -> &mut tokio::io::BufReader<TcpStream> {
        if self.link.is_none() {
            let (stream, _) = self.server.accept().await.expect("the bot connects");
            self.link = Some(tokio::io::BufReader::new(stream));
        }
        self.link.as_mut().expect("it is there")
    }
}

#[async_trait]
impl Stand for LineStand {
    fn transport(&self) -> Arc<dyn Transport> {
        self.transport.clone()
    }

    fn room(&self) -> RoomId {
        RoomId::new("lines", "den")
    }

    async fn say(&mut self, player: &str, line: &str) {
        let line = format!("den\t{player}\t{line}\n");
        self.link().await.write_all(line.as_bytes()).await.expect("the bot reads");
    }

    async fn hear(&mut self) -> String {
        let mut line = String::new();
        self.link().await.read_line(&mut line).await.expect("the bot writes text");
        text(&line)
    }
}

/// The text of the bot's line.
fn text(line: &str) -> String {
    let (_, text) = line.split_once(&format!("\t{BOT}\t")).expect("a line of the bot's");
    text.trim_end_matches('\n').to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_keep_the_contract() {
    suite(async || LineStand::new().await).await;
}

/// The program with that network.
fn program() -> &'static Path {
    static PROGRAM: LazyLock<std::path::PathBuf> = LazyLock::new(|| {
        let built = tests::cargo().args(["build", "--quiet", "--workspace", "--example", "line_chat"]).status();
        assert!(built.expect("cargo runs").success(), "the example does not build");
        tests::program_beside("examples/line_chat")
    });
    &PROGRAM
}

fn command(data: &Path, config: &str) -> Command {
    let file = data.with_extension("toml");
    std::fs::write(&file, config).expect("it can be written");
    let mut command = Command::new(program());
    command.arg("--data").arg(data).arg("--config").arg(file).env_remove("ASTRAGAL_LOG").stdin(Stdio::null());
    command
}

fn check_config(data: &Path, config: &str) -> String {
    let Output { stdout, stderr, .. } = command(data, config).arg("check-config").output().expect("the program runs");
    String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned()
}

/// A program that is killed when the test ends.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        self.0.wait().expect("it ends");
    }
}

#[test]
fn the_program_plays_there() {
    let home = tempfile::tempdir().unwrap();
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let config = format!("[lines.den]\nserver = \"{}\"\n", server.local_addr().unwrap());
    let bot = Running(command(&home.path().join("data"), &config).spawn().expect("the program runs"));
    let (mut link, _) = server.accept().unwrap();
    link.set_read_timeout(Some(PATIENCE)).unwrap();
    link.write_all(b"hall\tAnn\t!roll 2d6\n").unwrap();
    let mut lines = BufReader::new(link.try_clone().unwrap()).lines().map(|line| text(&line.unwrap()));
    let answer = lines.find(|line| line.starts_with("Ann: ")).expect("an answer");
    let total: u32 = answer.trim_start_matches("Ann: ").split(' ').next().unwrap().parse().expect("a number");
    assert!((2..=12).contains(&total), "{answer}");
    drop(bot);
}

#[test]
fn its_section_is_checked_like_any_other() {
    let home = tempfile::tempdir().unwrap();
    let checked = |config: &str| check_config(&home.path().join("data"), config);
    let wrong = checked("owners = [\"dem:mia\"]\n[lines.den]\nsevrer = 1\n[irc.x]\nserver = \"x\"\n");
    for expected in [
        "line 1: owners: dem:mia is on no network of this configuration: did you mean den?",
        "line 3: there is no key lines.den.sevrer: did you mean server?",
        "line 4: irc.x: this astragal is built without IRC (cargo feature irc)",
    ] {
        assert!(wrong.contains(expected), "{wrong}");
    }
    let wrong = checked("[lines.den]\nserver = \"den\"\n");
    assert!(wrong.contains("line 2: lines.den.server: it needs a host and a port"), "{wrong}");
    assert!(checked("[lines.den]\nserver = \"localhost:7000\"\n").contains("no mistakes"));
}

#[test]
fn a_network_missing_from_the_build_is_named_and_its_secrets_stay_hidden() {
    let home = tempfile::tempdir().unwrap();
    let config = "[matrix.home]\nhomeserver = \"https://example.org\"\npassword = \"sesame\"\n";
    let data = home.path().join("data");
    let checked = check_config(&data, config);
    assert!(checked.contains("matrix.home: this astragal is built without Matrix (cargo feature matrix)"), "{checked}");
    let Output { stdout, stderr, .. } = command(&data, config).args(["config", "show"]).output().unwrap();
    let shown = String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned();
    assert!(shown.contains("[matrix.home]") && !shown.contains("sesame"), "{shown}");
}
