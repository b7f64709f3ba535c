//! A second client that talks to the bot through a real server.

use super::certificates::Certificates;
use super::message::{Message, plain};
use crate::deadline::Deadline;
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

/// How long to wait for the next line.
const SILENCE: Duration = Duration::from_secs(30);
/// How long to wait for a particular line.
const WAIT: Duration = Duration::from_secs(120);
/// How many lines a failure shows.
const SEEN: usize = 20;
/// How much of each line it shows.
const SHOWN: usize = 600;

/// A client that does what the test says, and answers PING by itself.
pub struct Client {
    nick: String,
    lines: Receiver<String>,
    outbox: Sender<Outgoing>,
    seen: VecDeque<String>,
    /// The process that speaks TLS for it.
    openssl: Option<Child>,
}

enum Outgoing {
    Line(String),
    Close,
}

impl Client {
    /// Connects without capabilities and reads up to the end of the message of the day.
    #[track_caller]
    pub fn connect(port: u16, nick: &str) -> Self {
        let mut client = Self::open(port, nick);
        client.introduce();
        client.greeted();
        client
    }

    /// Like `connect`, with TLS and the client's certificate.
    #[track_caller]
    pub fn connect_tls(port: u16, nick: &str, certificates: &Certificates) -> Self {
        let mut client = Self::open_tls(port, nick, certificates);
        client.introduce();
        client.greeted();
        client
    }

    /// Like `connect`, to a server with a password.
    #[track_caller]
    pub fn connect_with_password(port: u16, nick: &str, password: &str) -> Self {
        let mut client = Self::open(port, nick);
        client.raw(&format!("PASS {password}"));
        client.introduce();
        client.greeted();
        client
    }

    /// Connects and logs in to an account by SASL PLAIN.
    #[track_caller]
    pub fn login(port: u16, nick: &str, account: &str, password: &str) -> Self {
        let mut client = Self::open(port, nick);
        client.raw("CAP REQ :sasl");
        client.introduce();
        let answer = client.wait_for(|line| Message::parse(line).command == "CAP");
        assert!(answer.contains(" ACK "), "no SASL here: {answer}");
        client.raw("AUTHENTICATE PLAIN");
        client.wait_for(|line| Message::parse(line).command == "AUTHENTICATE");
        client.raw(&format!("AUTHENTICATE {}", base64(format!("{account}\0{account}\0{password}").as_bytes())));
        // 903 is success; 902, 904 and 905 say why not.
        let answer = client.wait_for(|line| matches!(Message::parse(line).command, "902" | "903" | "904" | "905"));
        assert!(Message::parse(&answer).command == "903", "no login: {answer}");
        client.raw("CAP END");
        client.greeted();
        client
    }

    /// Opens the connection without sending anything.
    #[track_caller]
    pub fn open(port: u16, nick: &str) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).expect("the server listens");
        stream.set_nodelay(true).expect("it is TCP");
        let from_server = stream.try_clone().expect("a link has two handles");
        Self::over(nick, from_server, stream, None)
    }

    /// Opens a TLS connection with the client's certificate, without sending anything.
    pub fn open_tls(port: u16, nick: &str, certificates: &Certificates) -> Self {
        let mut openssl = Command::new("openssl")
            .args(["s_client", "-quiet", "-verify_return_error", "-connect", &format!("127.0.0.1:{port}")])
            .args(["-verify_hostname", "localhost", "-CAfile"])
            .arg(&certificates.ca)
            .arg("-cert")
            .arg(&certificates.client)
            .arg("-key")
            .arg(&certificates.client_key)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("openssl runs");
        let (stdin, stdout) = (openssl.stdin.take(), openssl.stdout.take());
        let (stdin, stdout) = (stdin.expect("it was piped"), stdout.expect("it was piped"));
        Self::over(nick, stdout, stdin, Some(openssl))
    }

    fn over(nick: &str, from: impl Read + Send + 'static, to: impl Link, openssl: Option<Child>) -> Self {
        let (outbox, outgoing) = mpsc::channel();
        let (sender, lines) = mpsc::channel();
        let pongs = outbox.clone();
        thread::spawn(move || read(from, &sender, &pongs));
        // A separate thread writes, so that a slow server never holds up the test.
        thread::spawn(move || write(to, outgoing));
        Client { nick: nick.to_owned(), lines, outbox, seen: VecDeque::new(), openssl }
    }

    fn introduce(&mut self) {
        let nick = self.nick.clone();
        self.raw(&format!("NICK {nick}"));
        self.raw(&format!("USER {nick} 0 * :{nick}"));
    }

    #[track_caller]
    fn greeted(&mut self) {
        // 432 and 433: the server refuses the nick. 464: it refuses the password.
        let end = ["376", "422", "432", "433", "464", "ERROR"];
        let last = self.wait_for(|line| end.contains(&Message::parse(line).command));
        assert!(matches!(Message::parse(&last).command, "376" | "422"), "{} is not let in: {last}", self.nick);
    }

    /// The nick it asked for.
    pub fn nick(&self) -> &str {
        &self.nick
    }

    /// Sends a line as it is.
    pub fn raw(&mut self, line: &str) {
        self.remember(format!("-> {line}"));
        // If the link is closed, the next read says so.
        self.outbox.send(Outgoing::Line(format!("{line}\r\n"))).ok();
    }

    /// Joins a channel and waits for the confirmation.
    #[track_caller]
    pub fn join(&mut self, channel: &str) {
        self.raw(&format!("JOIN {channel}"));
        self.wait_for(|line| {
            let message = Message::parse(line);
            message.command == "366" && message.params.get(1).is_some_and(|name| name.eq_ignore_ascii_case(channel))
        });
    }

    /// Says something to a channel or a nick.
    pub fn say(&mut self, target: &str, text: &str) {
        self.raw(&format!("PRIVMSG {target} :{text}"));
    }

    /// Leaves, and waits until the server has closed the link.
    #[track_caller]
    pub fn quit(mut self) {
        self.raw("QUIT");
        assert!(self.closed(SILENCE), "the server does not close the link\n{}", self.last_lines());
    }

    /// The server's next line other than PING.
    #[expect(clippy::should_implement_trait, reason = "a client is no iterator: it panics rather than ends")]
    #[track_caller]
    pub fn next(&mut self) -> String {
        match self.next_until(Deadline::after(SILENCE)) {
            Some(line) => line,
            None => panic!("{} heard nothing for {SILENCE:?}\n{}", self.nick, self.last_lines()),
        }
    }

    /// The first line that matches; skips others.
    #[track_caller]
    pub fn wait_for(&mut self, what: impl Fn(&str) -> bool) -> String {
        let deadline = Deadline::after(WAIT);
        while let Some(line) = self.next_until(deadline.or_after(SILENCE)) {
            if what(&line) {
                return line;
            }
        }
        panic!("{} waited in vain\n{}", self.nick, self.last_lines())
    }

    /// The same within a time. Panics if the link closes in that time.
    #[track_caller]
    pub fn try_for(&mut self, time: Duration, what: impl Fn(&str) -> bool) -> Option<String> {
        let deadline = Deadline::after(time);
        loop {
            let line = self.next_until(deadline)?;
            if what(&line) {
                return Some(line);
            }
        }
    }

    /// The text of the next PRIVMSG or NOTICE from this nick to this target, without formatting codes.
    #[track_caller]
    pub fn hear(&mut self, from: &str, target: &str) -> String {
        let line = self.wait_for(|line| Message::parse(line).is_said(from, target));
        plain(Message::parse(&line).text())
    }

    /// The nick's next message here that begins with our name. Skips messages to nobody, such as a room's greeting.
    #[track_caller]
    pub fn answer(&mut self, from: &str, target: &str) -> String {
        let front = format!("{}: ", self.nick());
        loop {
            if let Some((_, answer)) = self.hear(from, target).split_once(&front) {
                return answer.to_owned();
            }
        }
    }

    /// The text of the next PRIVMSG or NOTICE within a time.
    #[track_caller]
    pub fn hear_within(&mut self, from: &str, target: &str, time: Duration) -> Option<String> {
        let line = self.try_for(time, |line| Message::parse(line).is_said(from, target))?;
        Some(plain(Message::parse(&line).text()))
    }

    /// Every line within a time, or until the link closes.
    pub fn drain(&mut self, time: Duration) -> Vec<String> {
        let deadline = Deadline::after(time);
        let next = || self.lines.recv_timeout(deadline.left().unwrap_or_default()).ok();
        std::iter::from_fn(next).collect()
    }

    /// True if the server closes the link within a time; skips lines.
    pub fn closed(&mut self, time: Duration) -> bool {
        let deadline = Deadline::after(time);
        loop {
            match self.lines.recv_timeout(deadline.left().unwrap_or_default()) {
                Ok(line) => self.remember(line),
                Err(error) => return error == RecvTimeoutError::Disconnected,
            }
        }
    }

    #[track_caller]
    fn next_until(&mut self, deadline: Deadline) -> Option<String> {
        match self.lines.recv_timeout(deadline.left().unwrap_or_default()) {
            Ok(line) => {
                self.remember(line.clone());
                Some(line)
            }
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                panic!("the server closed the link of {}\n{}", self.nick, self.last_lines())
            }
        }
    }

    fn remember(&mut self, line: String) {
        if self.seen.len() == SEEN {
            self.seen.pop_front();
        }
        self.seen.push_back(line);
    }

    fn last_lines(&self) -> String {
        let lines: Vec<_> = self.seen.iter().map(|line| line.chars().take(SHOWN).collect::<String>()).collect();
        format!("the last lines:\n{}", lines.join("\n"))
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Lines sent before still go out.
        self.outbox.send(Outgoing::Close).ok();
        if let Some(openssl) = &mut self.openssl {
            openssl.kill().ok();
            openssl.wait().ok();
        }
    }
}

/// The writing side of a connection.
trait Link: Write + Send + 'static {
    /// Closes the writing side.
    fn end(self) -> io::Result<()>;
}

impl Link for TcpStream {
    fn end(self) -> io::Result<()> {
        self.shutdown(Shutdown::Write)
    }
}

impl Link for ChildStdin {
    fn end(self) -> io::Result<()> {
        Ok(())
    }
}

fn read(stream: impl Read, lines: &Sender<String>, pongs: &Sender<Outgoing>) {
    let mut stream = BufReader::new(stream);
    let mut bytes = Vec::new();
    while stream.read_until(b'\n', &mut bytes).is_ok_and(|count| count > 0) {
        let line = String::from_utf8_lossy(&bytes).trim_end_matches(['\r', '\n']).to_owned();
        bytes.clear();
        let message = Message::parse(&line);
        if message.command == "PING" {
            pongs.send(Outgoing::Line(format!("PONG :{}\r\n", message.text()))).ok();
        } else {
            // The client may be gone; the link still ends in order.
            lines.send(line).ok();
        }
    }
}

fn write(mut stream: impl Link, outgoing: Receiver<Outgoing>) {
    for next in outgoing {
        match next {
            Outgoing::Line(line) if stream.write_all(line.as_bytes()).is_ok() => {}
            Outgoing::Line(_) => break,
            Outgoing::Close => {
                stream.end().ok();
                break;
            }
        }
    }
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, at| bits << 8 | usize::from(chunk.get(at).copied().unwrap_or(0)));
        for digit in 0..4 {
            let known = digit <= chunk.len();
            text.push(if known { char::from(DIGITS[bits >> (18 - 6 * digit) & 63]) } else { '=' });
        }
    }
    text
}
