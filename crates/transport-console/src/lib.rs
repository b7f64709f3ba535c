//! The terminal as a network. Its user can speak as anyone, in any room, and is admin of every room.
//!
//! On a terminal, lines can be edited and recalled, and Tab completes them. From a pipe, each line is answered before the next is read, and the
//! end of the file ends the bot. Lines that begin with `/` are for the console itself.

mod complete;
mod format;
mod input;

pub use complete::Completes;
pub use input::Input;

use async_trait::async_trait;
use chat::{
    Clock, Delivery, Desk, Edits, Event, Guarantees, Message, PlayerId, Post, RoomId, Saying, SendError, Sent, Speaker,
    Standing, Status, Transport, TransportError, clean, cut,
};
use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{mpsc, oneshot, watch};

/// The name of the network.
pub const NETWORK: &str = "console";
/// The most characters of a name typed at the console.
const MOST_NAME: usize = 32;

/// What to show at the start, and who speaks first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// Lines shown before the first prompt.
    pub greeting: Vec<String>,
    /// The speaker until `/as` names another.
    pub name: String,
    /// The room until `/room` names another.
    pub room: String,
    /// Makes this run's message ids different from those of all other runs.
    pub nonce: String,
    /// The directory for files that the bot hands out.
    pub files: PathBuf,
}

/// The terminal as a network.
pub struct Console {
    opening: Opening,
    clock: Arc<dyn Clock>,
    input: Mutex<Option<Input>>,
    output: Mutex<Box<dyn Write + Send>>,
    here: Mutex<String>,
    /// True once the greeting was shown; nothing is said before.
    greeted: watch::Sender<bool>,
    /// True if nobody reads the output any more.
    unread: AtomicBool,
    style: format::Style,
}

/// A request for the next line, with the prompt to show and the message that it will be.
type Ask = (String, Message, oneshot::Sender<std::io::Result<Option<String>>>);

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
            unread: AtomicBool::new(false),
            style,
        }
    }

    fn print(&self, text: &str) -> io::Result<()> {
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        output.write_all(text.as_bytes()).and_then(|()| output.flush())
    }

    fn room(&self) -> RoomId {
        RoomId::new(NETWORK, self.here.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }

    // The user of the terminal is one person under all names, and owns the bot.
    fn message(&self, Seat { name, private, .. }: &Seat, number: u64, line: &str) -> Message {
        Message {
            private: *private,
            unlimited: true,
            ..Message::new(
                format!("{}-{number}", self.opening.nonce),
                self.room(),
                Speaker {
                    standing: Standing::Admin,
                    ..Speaker::new(PlayerId::new(NETWORK, name.to_lowercase()), name.clone())
                },
                self.clock.now(),
                line,
            )
        }
    }

    /// Obeys a line for the console itself. Returns the result.
    fn own_command(&self, line: &str, seat: &mut Seat) -> Own {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let cleaned = clean(rest.trim());
        let given = cut(&cleaned, MOST_NAME);
        let name = seat.name.clone();
        Own::Says(match (word.to_lowercase().as_str(), given.is_empty()) {
            ("/as", false) => {
                seat.name = given.into_owned();
                if seat.private {
                    self.go(&private_room(&seat.name));
                }
                format!("You speak as {}.", seat.name)
            }
            ("/room", false) => {
                seat.private = false;
                self.go(&given.replace('/', "-"));
                format!("You are in the room {}.", self.room().id)
            }
            ("/private", true) => {
                let room = self.room().id;
                let back = if seat.private { &self.opening.room } else { &room };
                let says = format!("You are in a private chat with the bot. Back: /room {back}");
                seat.private = true;
                self.go(&private_room(&name));
                says
            }
            ("/edit", false) => match seat.said.get(&(name, self.room().id)) {
                Some(original) => return Own::Edit(original.clone(), rest.trim().to_owned()),
                None => "You said nothing here yet that could be edited.".to_owned(),
            },
            ("/as", true) => format!("You speak as {name}. Another: /as Ann"),
            ("/room", true) => format!("You are in the room {}. Another: /room tavern", self.room().id),
            ("/edit", true) => "Type the whole line after it: /edit !roll 2d6".to_owned(),
            ("/quit" | "/exit", _) => return Own::Quit,
            _ => "The console knows /as NAME, /room NAME, /private, /edit LINE and /quit; commands of the bot begin with \
                  its prefix."
                .to_owned(),
        })
    }

    fn go(&self, room: &str) {
        room.clone_into(&mut *self.here.lock().unwrap_or_else(PoisonError::into_inner));
    }

    async fn hand_over(&self, desk: &dyn Desk, event: Event) -> io::Result<()> {
        if let Err(error) = desk.accept(Delivery::from(event)).await {
            self.print(&format!("That was not heard: {error}\n"))?;
        }
        desk.settle().await;
        Ok(())
    }

    /// Reads and delivers lines until the input ends or nobody reads the answers any more.
    async fn talk(&self, desk: &dyn Desk) -> io::Result<()> {
        let input = self.input.lock().unwrap_or_else(PoisonError::into_inner).take();
        let input = input.ok_or_else(|| io::Error::other("the console runs once"))?;
        let lines = listen(input);
        let mut seat = Seat { name: self.opening.name.clone(), private: false, said: BTreeMap::new() };
        let mut number = 0;
        for line in &self.opening.greeting {
            self.print(&format!("{line}\n"))?;
        }
        self.greeted.send_replace(true);
        loop {
            // Answers left from an earlier run, or to the last line, come before the next prompt.
            desk.settle().await;
            if self.unread.load(Ordering::Relaxed) {
                return Ok(());
            }
            let prompt = format!("{}@{}> ", seat.name, self.room().id);
            let (answer, line) = oneshot::channel();
            let ended = || io::Error::other("the reading thread ended");
            lines.send((prompt, self.message(&seat, number, ""), answer)).map_err(|_| ended())?;
            let Some(line) = line.await.map_err(|_| ended())?? else {
                return Ok(());
            };
            // Pasted text comes at once; split it into lines.
            for line in line.split('\n') {
                number += 1;
                if line.starts_with('/') {
                    match self.own_command(line.trim_end(), &mut seat) {
                        Own::Says(says) => self.print(&format!("{says}\n"))?,
                        Own::Edit(original, line) => {
                            let message = self.message(&seat, number, &line);
                            self.hand_over(desk, Event::Edited { message, original }).await?;
                        }
                        Own::Quit => return Ok(()),
                    }
                    continue;
                }
                let message = self.message(&seat, number, line);
                seat.said.insert((seat.name.clone(), self.room().id), message.id.clone());
                self.hand_over(desk, Event::Said(message)).await?;
            }
        }
    }

    fn say(&self, post: &Post) -> Result<Sent, SendError> {
        if post.copy {
            // The user has already read it as the player it was for.
            return Ok(Sent::default());
        }
        let mut text = format::post(post, &self.room(), self.style);
        for file in &post.files {
            text += &self.put(file).map_err(|error| SendError::Never(format!("{}: {error}", file.name)))?;
        }
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        let written = output.write_all(text.as_bytes()).and_then(|()| output.flush());
        written.map(|()| Sent::default()).map_err(|error| match error.kind() {
            ErrorKind::BrokenPipe => {
                self.unread.store(true, Ordering::Relaxed);
                SendError::Unsaid
            }
            _ => SendError::Never(error.to_string()),
        })
    }

    /// Writes a file where the user can find it. Returns its place.
    fn put(&self, file: &chat::File) -> std::io::Result<String> {
        std::fs::create_dir_all(&self.opening.files)?;
        let name: String = file.name.chars().filter(|c| !c.is_control() && *c != '/').collect();
        let path = self.opening.files.join(name.trim_start_matches('.'));
        std::fs::write(&path, &file.text)?;
        Ok(format!("(written to {})\n", path.display()))
    }
}

/// The user's current name and place.
struct Seat {
    name: String,
    /// True in a private chat with the bot.
    private: bool,
    /// The id of the last message by each name in each room.
    said: BTreeMap<(String, String), String>,
}

/// The result of a line for the console itself.
enum Own {
    Says(String),
    /// Replace the message with this id by this line.
    Edit(String, String),
    Quit,
}

/// The private chat between this name and the bot.
fn private_room(name: &str) -> String {
    format!("private-{}", name.to_lowercase().replace('/', "-"))
}

#[async_trait]
impl Transport for Console {
    fn network(&self) -> &str {
        NETWORK
    }

    fn guarantees(&self) -> Guarantees {
        Guarantees { edits: Edits::Shown, ..Guarantees::default() }
    }

    async fn run(&self, desk: Arc<dyn Desk>) -> Result<(), TransportError> {
        match self.talk(&*desk).await {
            // Nobody reads the output, which ends it like `/quit`.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            ended => ended.map_err(trouble),
        }
    }

    async fn status(&self) -> Status {
        Status { connected: true, me: "the terminal".to_owned(), ..Status::default() }
    }

    fn send(&self, post: Post) -> Saying {
        let said = self.say(&post);
        Box::pin(async { said })
    }

    async fn ready(&self) {
        // The console holds the sender, so this cannot fail.
        let _ = self.greeted.subscribe().wait_for(|greeted| *greeted).await;
    }
}

/// Reads lines in a thread of its own, one per request.
fn listen(mut input: Input) -> mpsc::UnboundedSender<Ask> {
    let (lines, mut asked) = mpsc::unbounded_channel::<Ask>();
    std::thread::spawn(move || {
        while let Some((prompt, empty, answer)) = asked.blocking_recv() {
            // The receiver may be gone, because the bot is stopping.
            let _ = answer.send(input.next(&prompt, empty));
        }
        input.close();
    });
    lines
}

fn trouble(error: io::Error) -> TransportError {
    TransportError { network: NETWORK.to_owned(), reason: error.to_string() }
}
