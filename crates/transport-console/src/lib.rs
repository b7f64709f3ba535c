//! The terminal as a network: whoever sits at it speaks as anybody, in any room, and runs every room.
//!
//! On a terminal a line is edited and remembered; on a pipe lines are read as they come, each is answered before the
//! next is read, and the end of the file ends the bot. Lines that begin with `/` are for the console itself.

mod format;
mod input;

pub use input::Input;

use async_trait::async_trait;
use chat::{
    Clock, Delivery, Desk, Event, Message, PlayerId, Post, RoomId, SendError, Sent, Speaker, Standing, Transport,
    TransportError, Trust, clean, cut,
};
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{mpsc, oneshot, watch};

/// The name of the network.
pub const NETWORK: &str = "console";
/// Characters that a name typed at the console may have.
const MOST_NAME: usize = 32;

/// What is shown at the start, and who speaks first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// Lines shown before the first prompt.
    pub greeting: Vec<String>,
    /// Who speaks until `/as` names another.
    pub name: String,
    /// In which room until `/room` names another.
    pub room: String,
    /// Makes the ids of this run's messages different from those of all others.
    pub nonce: String,
}

/// The terminal as a network.
pub struct Console {
    opening: Opening,
    clock: Arc<dyn Clock>,
    input: Mutex<Option<Input>>,
    output: Mutex<Box<dyn Write + Send>>,
    here: Mutex<String>,
    /// Nothing is said before the greeting.
    greeted: watch::Sender<bool>,
    style: format::Style,
}

/// A request for the next line, asked with this prompt.
type Ask = (String, oneshot::Sender<std::io::Result<Option<String>>>);

impl Console {
    /// Reads from `input` and writes to `output`.
    pub fn new(opening: Opening, clock: Arc<dyn Clock>, input: Input, output: Box<dyn Write + Send>) -> Self {
        let style = if input.is_terminal() { format::Style::Terminal } else { format::Style::Plain };
        let here = Mutex::new(opening.room.clone());
        Console {
            opening,
            clock,
            input: Mutex::new(Some(input)),
            output: Mutex::new(output),
            here,
            greeted: watch::Sender::new(false),
            style,
        }
    }

    fn print(&self, text: &str) -> Result<(), TransportError> {
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        output.write_all(text.as_bytes()).and_then(|()| output.flush()).map_err(trouble)
    }

    fn room(&self) -> RoomId {
        RoomId::new(NETWORK, self.here.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }

    fn message(&self, name: &str, number: u64, line: &str) -> Message {
        Message {
            id: format!("{}-{number}", self.opening.nonce),
            room: self.room(),
            speaker: Speaker {
                player: PlayerId::new(NETWORK, name.to_lowercase()),
                name: name.to_owned(),
                // It is one person under all names, and the bot is theirs.
                standing: Standing::Admin,
                trust: Trust::Account,
            },
            sent: self.clock.now(),
            body: line.to_owned(),
            reply_to: None,
            private: false,
            addressed: false,
            late: false,
            unlimited: true,
        }
    }

    /// A line that is for the console itself: what to show, or that it is time to go.
    fn own_command(&self, line: &str, name: &mut String) -> Option<String> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let cleaned = clean(rest.trim());
        let given = cut(&cleaned, MOST_NAME);
        Some(match (word.to_lowercase().as_str(), given.is_empty()) {
            ("/as", false) => {
                *name = given.into_owned();
                format!("You speak as {name}.")
            }
            ("/room", false) => {
                *self.here.lock().unwrap_or_else(PoisonError::into_inner) = given.replace('/', "-");
                format!("You are in the room {}.", self.room().id)
            }
            ("/as", true) => format!("You speak as {name}. Another: /as Ann"),
            ("/room", true) => format!("You are in the room {}. Another: /room tavern", self.room().id),
            ("/quit" | "/exit", _) => return None,
            _ => "The console knows /as NAME, /room NAME and /quit; commands of the bot begin with its prefix."
                .to_owned(),
        })
    }
}

#[async_trait]
impl Transport for Console {
    fn network(&self) -> &str {
        NETWORK
    }

    fn redelivers(&self) -> bool {
        false
    }

    fn says_once(&self) -> bool {
        false
    }

    async fn run(&self, desk: Arc<dyn Desk>) -> Result<(), TransportError> {
        let input = self.input.lock().unwrap_or_else(PoisonError::into_inner).take();
        let input = input.ok_or_else(|| trouble(std::io::Error::other("the console runs once")))?;
        let lines = listen(input);
        let mut name = self.opening.name.clone();
        let mut number = 0;
        for line in &self.opening.greeting {
            self.print(&format!("{line}\n"))?;
        }
        self.greeted.send_replace(true);
        loop {
            // What is left from an earlier run, or was asked in the last line, is said before the next prompt.
            desk.settle().await;
            let prompt = format!("{name}@{}> ", self.room().id);
            let (answer, line) = oneshot::channel();
            let ended = || trouble(std::io::Error::other("the reading thread ended"));
            lines.send((prompt, answer)).map_err(|_| ended())?;
            let Some(line) = line.await.map_err(|_| ended())?.map_err(trouble)? else {
                return Ok(());
            };
            // What is pasted comes at once; each line of it is a line.
            for line in line.split('\n') {
                if line.starts_with('/') {
                    match self.own_command(line.trim_end(), &mut name) {
                        Some(says) => self.print(&format!("{says}\n"))?,
                        None => return Ok(()),
                    }
                    continue;
                }
                number += 1;
                let said = Event::Said(self.message(&name, number, line));
                if let Err(error) = desk.accept(Delivery::from(said)).await {
                    self.print(&format!("That was not heard: {error}\n"))?;
                }
                desk.settle().await;
            }
        }
    }

    async fn send(&self, post: &Post) -> Result<Sent, SendError> {
        let greeted = self.greeted.subscribe().wait_for(|greeted| *greeted).await.is_ok();
        debug_assert!(greeted, "the console holds the sender");
        let text = format::post(post, &self.room(), self.style);
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        let written = output.write_all(text.as_bytes()).and_then(|()| output.flush());
        written.map(|()| Sent::default()).map_err(|error| SendError::Never(error.to_string()))
    }
}

/// Reads lines in a thread of its own, one at a time, when asked.
fn listen(mut input: Input) -> mpsc::UnboundedSender<Ask> {
    let (lines, mut asked) = mpsc::unbounded_channel::<Ask>();
    std::thread::spawn(move || {
        while let Some((prompt, answer)) = asked.blocking_recv() {
            // Whoever asked may be gone: the bot is stopping.
            let _ = answer.send(input.next(&prompt));
        }
        input.close();
    });
    lines
}

fn trouble(error: std::io::Error) -> TransportError {
    TransportError { network: NETWORK.to_owned(), reason: error.to_string() }
}
