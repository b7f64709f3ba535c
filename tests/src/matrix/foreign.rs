//! A person whose client is matrix-nio, which does not share a library with the bot.

use super::synapse::{Synapse, python};
use crate::directory::Directory;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

/// How long any step may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// The Python side.
const SCRIPT: &str = include_str!("foreign.py");

/// A person with a foreign client. Everything blocks; async tests call it from a separate thread.
pub struct Foreigner {
    child: Child,
    orders: ChildStdin,
    told: Receiver<Value>,
    kept: Vec<Value>,
    _store: Directory,
}

impl Foreigner {
    /// Makes the account and logs in.
    pub fn register(server: &Synapse, user: &str) -> Self {
        server.register(user);
        let store = Directory::make("nio");
        let mut child = Command::new(python())
            .args(["-c", SCRIPT, &server.url(), user, &format!("pw-{user}")])
            .arg(store.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Python runs");
        let orders = child.stdin.take().expect("it was piped");
        let lines = BufReader::new(child.stdout.take().expect("it was piped")).lines();
        let (sender, told) = mpsc::channel();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let told = serde_json::from_str(&line).unwrap_or_else(|_| json!({ "text": line }));
                if sender.send(told).is_err() {
                    return;
                }
            }
        });
        let mut foreigner = Foreigner { child, orders, told, kept: Vec::new(), _store: store };
        foreigner.wait_for(|told| told.get("ready").is_some());
        foreigner
    }

    /// Joins a room.
    pub fn join(&mut self, room: &str) {
        self.order(&json!({ "join": room }));
        self.wait_for(|told| told["joined"] == room);
    }

    /// Waits until somebody is in a room and their devices are known.
    pub fn meet(&mut self, room: &str, user: &str) {
        self.order(&json!({ "do": "meet", "room": room, "user": user }));
        self.wait_for(|told| told["met"] == user);
    }

    /// Says a line and returns its event id.
    pub fn say(&mut self, room: &str, text: &str) -> String {
        self.send("say", room, text)
    }

    /// Says an encrypted line and withholds the key.
    pub fn say_without_key(&mut self, room: &str, text: &str) -> String {
        self.send("say_without_key", room, text)
    }

    /// Says something encrypted whose relation is visible only to those who can decrypt it. Returns its event id.
    pub fn say_relating_in_secret(&mut self, room: &str, content: &Value) -> String {
        self.order(&json!({ "do": "say_relating_in_secret", "room": room, "content": content }));
        let told = self.wait_for(|told| told.get("sent").is_some());
        told["sent"].as_str().expect("an id").to_owned()
    }

    /// Shares the key with everyone in the room.
    pub fn share_key(&mut self, room: &str) {
        self.order(&json!({ "do": "share_key", "room": room }));
        self.wait_for(|told| told["shared"] == true);
    }

    /// The message that is a reply to an event: its content, and true if it was encrypted.
    pub fn answer(&mut self, event: &str) -> (Value, bool) {
        let answers = |told: &Value| told["content"]["m.relates_to"]["m.in_reply_to"]["event_id"] == event;
        let told = self.wait_for(answers);
        (told["content"].clone(), told["encrypted"] == true)
    }

    fn send(&mut self, how: &str, room: &str, text: &str) -> String {
        self.order(&json!({ "do": how, "room": room, "text": text }));
        let told = self.wait_for(|told| told.get("sent").is_some());
        told["sent"].as_str().expect("an id").to_owned()
    }

    fn order(&mut self, order: &Value) {
        writeln!(self.orders, "{order}").expect("Python listens");
    }

    fn wait_for(&mut self, which: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.kept.iter().position(&which) {
            return self.kept.remove(at);
        }
        loop {
            let Ok(told) = self.told.recv_timeout(PATIENCE) else { panic!("not told; told: {:#?}", self.kept) };
            if which(&told) {
                return told;
            }
            self.kept.push(told);
        }
    }
}

impl Drop for Foreigner {
    fn drop(&mut self) {
        // It may have ended already.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
