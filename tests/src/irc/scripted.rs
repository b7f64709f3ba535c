//! A server that the test plays line by line, to do what real servers do not.

use crate::deadline::Deadline;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

/// How long to wait for a connection.
const ACCEPT: Duration = Duration::from_secs(30);
/// How long to wait for a line.
const LINE: Duration = Duration::from_secs(20);
/// The time between two checks.
const LOOK: Duration = Duration::from_millis(5);
/// Tokens in one line of ISUPPORT.
const TOKENS: usize = 12;

/// A port on which the test itself answers.
pub struct Scripted {
    listener: TcpListener,
}

impl Scripted {
    /// Listens on a free port.
    pub fn listen() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port is free");
        listener.set_nonblocking(true).expect("it is a socket");
        Scripted { listener }
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.listener.local_addr().expect("it listens").port()
    }

    /// The next connection; panics after 30 s without one.
    #[track_caller]
    pub fn accept(&self) -> Peer {
        self.try_accept(ACCEPT).expect("the bot connects")
    }

    /// The next connection within a time.
    pub fn try_accept(&self, time: Duration) -> Option<Peer> {
        let deadline = Deadline::after(time);
        loop {
            match self.listener.accept() {
                Ok((stream, _)) => return Some(Peer::new(stream)),
                Err(error) => assert!(error.kind() == ErrorKind::WouldBlock, "no link: {error}"),
            }
            deadline.left()?;
            thread::sleep(LOOK);
        }
    }
}

/// The server's side of the bot's connection. It reads only when asked for a line, and answers nothing by itself.
/// Dropping it closes the connection.
pub struct Peer {
    stream: TcpStream,
    pending: Vec<u8>,
    ended: bool,
}

impl Peer {
    fn new(stream: TcpStream) -> Self {
        stream.set_nonblocking(false).expect("it is a socket");
        stream.set_nodelay(true).expect("it is TCP");
        stream.set_write_timeout(Some(LINE)).expect("it is a socket");
        Peer { stream, pending: Vec::new(), ended: false }
    }

    /// The next line from the bot; panics after 20 s without one.
    #[track_caller]
    pub fn line(&mut self) -> String {
        let line = self.next(Deadline::after(LINE));
        line.unwrap_or_else(|| panic!("no line from the bot: {}", self.state()))
    }

    /// The next line from the bot within a time.
    pub fn try_line(&mut self, time: Duration) -> Option<String> {
        self.next(Deadline::after(time))
    }

    /// The next line with this beginning; skips others. Panics after 20 s without one.
    #[track_caller]
    pub fn expect(&mut self, beginning: &str) -> String {
        let mut passed = Vec::new();
        match self.find(beginning, LINE, &mut passed) {
            Some(line) => line,
            None => panic!("no {beginning:?} from the bot: {}; it sent:\n{}", self.state(), passed.join("\n")),
        }
    }

    /// The next line with this beginning within a time; skips others.
    pub fn try_expect(&mut self, beginning: &str, time: Duration) -> Option<String> {
        self.find(beginning, time, &mut Vec::new())
    }

    /// Sends a line.
    #[track_caller]
    pub fn send(&mut self, line: &str) {
        self.send_bytes(format!("{line}\r\n").as_bytes());
    }

    /// Sends bytes as they are, even if the bot has closed the link.
    #[track_caller]
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        if let Err(error) = self.stream.write_all(bytes) {
            let gone = [ErrorKind::BrokenPipe, ErrorKind::ConnectionReset, ErrorKind::ConnectionAborted];
            assert!(gone.contains(&error.kind()), "the bot does not read: {error}");
        }
    }

    /// Lets the bot in as a plain server of that name, without capabilities. Returns the bot's nick.
    #[track_caller]
    pub fn register(&mut self, nick_of_server: &str, isupport: &str) -> String {
        let server = nick_of_server;
        let (mut nick, mut user, mut negotiating) = (None, false, false);
        while nick.is_none() || !user || negotiating {
            let line = self.line();
            let mut words = line.split_whitespace();
            let command = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
            match command {
                ("NICK", name) => nick = Some(name.trim_start_matches(':').to_owned()),
                ("USER", _) => user = true,
                ("CAP", "LS") => {
                    negotiating = true;
                    self.send(&format!(":{server} CAP * LS :"));
                }
                ("CAP", "REQ") => {
                    let list = line.split_once(':').map(|(_, list)| list).unwrap_or_default();
                    self.send(&format!(":{server} CAP * NAK :{list}"));
                }
                ("CAP", "END") => negotiating = false,
                _ => {}
            }
        }
        let nick = nick.expect("the loop ends with a nick");
        self.send(&format!(":{server} 001 {nick} :Welcome to the tests, {nick}"));
        self.send(&format!(":{server} 002 {nick} :Your host is {server}, running version scripted"));
        self.send(&format!(":{server} 003 {nick} :This server was made for this test"));
        self.send(&format!(":{server} 004 {nick} {server} scripted io bklmnopstv"));
        let tokens: Vec<_> = isupport.split_whitespace().collect();
        for tokens in tokens.chunks(TOKENS) {
            self.send(&format!(":{server} 005 {nick} {} :are supported by this server", tokens.join(" ")));
        }
        self.send(&format!(":{server} 422 {nick} :There is no message of the day"));
        nick
    }

    /// True if the bot closes the link within a time. Its lines can still be read afterwards.
    pub fn closed(&mut self, time: Duration) -> bool {
        let deadline = Deadline::after(time);
        while self.read(deadline) {}
        self.ended
    }

    fn find(&mut self, beginning: &str, time: Duration, passed: &mut Vec<String>) -> Option<String> {
        let deadline = Deadline::after(time);
        loop {
            let line = self.next(deadline)?;
            if line.starts_with(beginning) {
                return Some(line);
            }
            passed.push(line);
        }
    }

    fn next(&mut self, deadline: Deadline) -> Option<String> {
        loop {
            if let Some(end) = self.pending.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.pending.drain(..=end).collect();
                return Some(String::from_utf8_lossy(&line).trim_end_matches(['\r', '\n']).to_owned());
            }
            if !self.read(deadline) {
                return None;
            }
        }
    }

    /// Reads once. True if reading can go on.
    fn read(&mut self, deadline: Deadline) -> bool {
        // Bytes that have already arrived count even after the deadline.
        let left = deadline.left().unwrap_or_default().max(Duration::from_millis(1));
        if self.ended {
            return false;
        }
        self.stream.set_read_timeout(Some(left)).expect("it is a socket");
        let mut bytes = [0; 4096];
        match self.stream.read(&mut bytes) {
            Ok(0) => self.ended = true,
            Ok(count) => self.pending.extend_from_slice(&bytes[..count]),
            Err(error) if [ErrorKind::WouldBlock, ErrorKind::TimedOut].contains(&error.kind()) => {
                return deadline.left().is_some();
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => self.ended = true,
        }
        !self.ended
    }

    fn state(&self) -> &'static str {
        if self.ended { "it closed the link" } else { "nothing came in time" }
    }
}
