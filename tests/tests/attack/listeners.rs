//! Nobody who reaches a listener can stop the bot, and the bot notices when a task dies.

use async_trait::async_trait;
use chat::{Desk, Guarantees, Post, Saying, Sent, SystemClock, Transport, TransportError};
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tests::irc::{Client, Ngircd, NgircdOptions};
use tests::serving::Make;
use tests::{Conversation, astragal, free_port, program};
use tokio::sync::watch;
use transport_irc::{Irc, Nonces, Settings};

/// The bot's limit of descriptors, and connections held open against it.
const DESCRIPTORS: usize = 128;
const STRANGERS: usize = 300;

/// A bot with few descriptors, with monitoring on this port.
fn watched(home: &Path, port: u16) -> Conversation {
    fs::write(home.join("bot.toml"), format!("[watch]\nlisten = \"127.0.0.1:{port}\"\n"))
        .expect("a step of the test works");
    let mut command = Command::new("prlimit");
    command
        .arg(format!("--nofile={DESCRIPTORS}:{DESCRIPTORS}"))
        .arg(program())
        .arg("--config")
        .arg(home.join("bot.toml"));
    Conversation::with(command.arg("--data").arg(home.join("data")).stdout(Stdio::piped()).stderr(Stdio::null()))
}

/// The response to a complete request.
fn get(port: u16, path: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a step of the test works");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").expect("a step of the test works");
    let mut answer = String::new();
    // If the connection breaks off, the part before it shows.
    let _ = stream.read_to_string(&mut answer);
    answer
}

/// The bot still plays, and still opens new files.
#[track_caller]
fn is_well(home: &Path, bot: &mut Conversation) {
    for _ in 0..20 {
        let answer = bot.ask("!roll 2d1");
        assert!(answer.contains("2 | 2d1 [1 1] #"), "{answer}");
    }
    let kept = astragal(&home.join("data")).args(["ctl", "backup"]).output().expect("a step of the test works");
    assert!(kept.status.success(), "{}", String::from_utf8_lossy(&kept.stderr));
}

#[test]
fn half_sent_requests_stop_neither_the_bot_nor_later_guests() {
    let (home, port) = (tempfile::tempdir().unwrap(), free_port());
    let mut bot = watched(home.path(), port);
    let half_sent =
        ["", "GET", "GET /metrics HTTP/1.1\r\nHost:", "POST /live HTTP/1.1\r\nContent-Length: 1000\r\n\r\nx"];
    let strangers = half_sent.iter().cycle().take(STRANGERS).map(|request| {
        let mut stranger = TcpStream::connect(("127.0.0.1", port)).unwrap();
        // The bot may already have closed this connection.
        let _ = stranger.write_all(request.as_bytes());
        stranger
    });
    let strangers: Vec<_> = strangers.collect();
    assert!(get(port, "/live").starts_with("HTTP/1.1 200"), "{}", get(port, "/live"));
    assert!(get(port, "/metrics").contains("astragal_"));
    is_well(home.path(), &mut bot);
    drop(strangers);
    assert!(bot.end());
}

#[test]
fn a_request_without_end_is_cut_off() {
    let (home, port) = (tempfile::tempdir().unwrap(), free_port());
    let mut bot = watched(home.path(), port);
    let mut stranger = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stranger.write_all(b"GET /live HTTP/1.1\r\nHost: ").unwrap();
    let mut sent = 0;
    while stranger.write_all(&[b'x'; 4_096]).is_ok() {
        sent += 4_096;
        assert!(sent < 64 << 20, "it reads too much");
    }
    is_well(home.path(), &mut bot);
    assert!(bot.end());
}

#[test]
fn silent_connections_to_the_socket_do_not_stop_the_bot() {
    let (home, port) = (tempfile::tempdir().unwrap(), free_port());
    let mut bot = watched(home.path(), port);
    let socket = home.path().join("data/control");
    // More than are let in at once, but few enough to wait outside.
    let silent: Vec<_> = (0..STRANGERS).map(|_| UnixStream::connect(&socket).unwrap()).collect();
    for _ in 0..20 {
        let answer = bot.ask("!roll 2d1");
        assert!(answer.contains("2 | 2d1 [1 1] #"), "{answer}");
    }
    drop(silent);
    is_well(home.path(), &mut bot);
    assert!(bot.end());
}

/// A network that panics a number of times while listening or while saying a post.
struct Clumsy {
    listening: AtomicU32,
    saying: AtomicU32,
    said: watch::Sender<u32>,
    begun: watch::Sender<u32>,
}

/// Counts down. False once it is at zero.
fn again(left: &AtomicU32) -> bool {
    left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
}

#[async_trait]
impl Transport for Clumsy {
    fn network(&self) -> &str {
        "clumsy"
    }

    fn guarantees(&self) -> Guarantees {
        Guarantees::default()
    }

    async fn run(&self, desk: Arc<dyn Desk>) -> Result<(), TransportError> {
        self.begun.send_modify(|begun| *begun += 1);
        assert!(!again(&self.listening), "a bug");
        for number in 0..2 {
            let speaker = chat::Speaker::new(chat::PlayerId::new("clumsy", "ann"), "Ann");
            let (room, now) = (chat::RoomId::new("clumsy", "hall"), jiff::Timestamp::UNIX_EPOCH);
            let message = chat::Message::new(number.to_string(), room, speaker, now, "!roll 2d1");
            desk.accept(chat::Delivery::from(chat::Event::Said(message))).await.expect("memory does not fail");
            desk.settle().await;
        }
        std::future::pending().await
    }

    fn send(&self, _: Post) -> Saying {
        assert!(!again(&self.saying), "another bug");
        self.said.send_modify(|said| *said += 1);
        Box::pin(async { Ok(Sent::default()) })
    }
}

/// Runs a clumsy network until it has said something.
async fn says_something(listening: u32, saying: u32) -> u32 {
    let (listening, saying) = (AtomicU32::new(listening), AtomicU32::new(saying));
    let clumsy = Arc::new(Clumsy { listening, saying, said: watch::Sender::new(0), begun: watch::Sender::new(0) });
    let running = Make::default().serve(vec![clumsy.clone()]);
    let said =
        tokio::time::timeout(Duration::from_secs(60), clumsy.said.subscribe().wait_for(|said| *said > 0)).await.is_ok();
    assert!(said, "it was started {} times", *clumsy.begun.borrow());
    running.stop().await;
    *clumsy.begun.borrow()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_network_whose_task_panics_is_restarted_and_the_bot_goes_on() {
    assert_eq!(says_something(1, 0).await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_network_whose_saying_panics_says_the_next_post() {
    assert_eq!(says_something(0, 1).await, 1);
}

/// Settings for a server on this machine.
fn settings(port: u16) -> Settings {
    let text = format!(
        "server = \"127.0.0.1\"\nport = {port}\ntls = false\nline_every_ms = 0\nreconnect_first_ms = 100\n\
         [channels]\n\"#hall\" = {{}}\n"
    );
    toml::from_str::<Settings>(&text).expect("settings").complete().expect("valid settings")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_panics_before_or_after_its_login_is_restarted() {
    let server = Ngircd::start(&NgircdOptions::default());
    // The connection asks for nonces as it connects, and again once it is in.
    for panics_at in [0, 1] {
        let asked = Arc::new(AtomicU32::new(0));
        let count = asked.clone();
        let nonces: Nonces = Arc::new(move || {
            let number = count.fetch_add(1, Ordering::Relaxed);
            assert!(number != panics_at, "a bug");
            format!("nonce{number}")
        });
        let irc = Arc::new(Irc::new("net", settings(server.port()), Arc::new(SystemClock), nonces));
        let running = Make::default().serve(vec![irc]);
        let port = server.port();
        let heard = tokio::task::spawn_blocking(move || {
            let mut ann = Client::connect(port, &format!("ann{panics_at}"));
            ann.join("#hall");
            ann.wait_for(|line| {
                line.contains("JOIN") && line.contains(":astragal!") || line.contains("astragal = #hall")
            });
            ann.say("#hall", "!roll 2d1");
            ann.wait_for(|line| line.contains(" | 2d1 [1 1] #"))
        });
        assert!(heard.await.unwrap().contains("#hall"));
        assert!(asked.load(Ordering::Relaxed) > panics_at + 1);
        running.stop().await;
    }
}
