//! A session on a real network. The bot runs in this process with dice and time set by the test. Each network has its
//! own way to speak and to hear.

use chat::{Clock, PlayerId, Post, RoomId};
use dice::Dice;
use dice::fair::MessageKey;
use journal::documents::{RoomDoc, TableDoc, from_json};
use journal::keys;
use journal::store::{Memory, Store};
use plugin_api::PrintedDecks;
use plugin_testkit::session::{self, Directive, Step, What, Whose};
use plugin_testkit::{SessionDice, set_up};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use table::{DiceBox, Settings};
use tests::serving::{Make, PLUGINS, Running, SetClock};
use tests::watched::Watched;

/// Where a session does not go as written: its line and what is wrong there.
pub type Wrong = (usize, String);

/// What somebody says.
pub struct Line<'a> {
    /// Who.
    pub name: &'a str,
    /// What they type; the prefix may be missing.
    pub text: &'a str,
    /// The scripted dice, if any.
    pub dice: Option<Vec<(u32, u32)>>,
    /// True if it replaces what they said last.
    pub edit: bool,
}

/// A line of an answer in a session file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected<'a> {
    /// Its line number in the file.
    pub line: usize,
    /// Its text, or the beginning of it if it ends in `...`.
    pub text: &'a str,
}

/// A network where a session is played.
pub trait Played {
    /// Follows a directive.
    fn direct(&mut self, directive: &Directive) -> impl Future<Output = Result<(), String>> + Send;

    /// Says a line and hears the whole answer.
    fn say(&mut self, line: Line<'_>) -> impl Future<Output = Result<(), String>> + Send;

    /// Compares the answer to the line `said` with the file, as one person alone heard it or everybody. Returns how many
    /// lines are as written.
    fn compare(&mut self, said: usize, reader: Option<&str>, expected: &[Expected]) -> Result<usize, Wrong>;
}

/// Plays these steps. Returns how many lines of answers were as written, or where and how they differ.
pub async fn play(network: &mut impl Played, steps: &[Step]) -> Result<usize, Wrong> {
    let mut count = 0;
    for (n, Step { line, what }) in steps.iter().enumerate() {
        match what {
            What::Direct(directive) => network.direct(directive).await.map_err(|what| (*line, what))?,
            What::Say { name, text, dice, edit } => {
                let said = Line { name, text, dice: dice.clone(), edit: *edit };
                network.say(said).await.map_err(|what| (*line, what))?;
                for (reader, expected) in expected(&steps[n + 1..]) {
                    count += network.compare(*line, reader, &expected)?;
                }
            }
            What::Expect { .. } => {}
        }
    }
    Ok(count)
}

/// The answer that is expected before somebody speaks again, by the person who alone reads it.
fn expected(steps: &[Step]) -> BTreeMap<Option<&str>, Vec<Expected<'_>>> {
    let mut expected: BTreeMap<Option<&str>, Vec<Expected>> = BTreeMap::new();
    for step in steps.iter().take_while(|step| !matches!(step.what, What::Say { .. })) {
        if let What::Expect { whose, text } = &step.what {
            let reader = match whose {
                Whose::Private(name) => Some(name.as_str()),
                Whose::Table | Whose::Refused => None,
            };
            expected.entry(reader).or_default().push(Expected { line: step.line, text });
        }
    }
    expected
}

/// The rooms of a session.
pub fn rooms(steps: &[Step]) -> BTreeSet<String> {
    let named = steps.iter().filter_map(|step| match &step.what {
        What::Direct(Directive::Room(name)) => Some(name.clone()),
        _ => None,
    });
    named.chain([session::ROOM.to_owned()]).collect()
}

/// The bot of a session, which comes and goes, and what it must know.
pub struct Evening {
    network: &'static str,
    plugins: Vec<&'static str>,
    decks: PrintedDecks,
    unlimited: bool,
    /// Everybody in the file, by name.
    pub players: BTreeMap<String, PlayerId>,
    /// Room ids by the names in the session.
    pub rooms: BTreeMap<String, String>,
    room: String,
    store: Arc<dyn Store>,
    dice: SessionDice,
    lines: Arc<Mutex<Lines>>,
    /// The time, which stands still.
    pub clock: Arc<SetClock>,
    bot: Option<(Running, Arc<Watched>)>,
}

/// The numbers that lines have when the core alone plays the file. They determine the dice.
#[derive(Default)]
struct Lines {
    said: usize,
    /// Lines by message, where messages have ids.
    by_message: BTreeMap<String, usize>,
}

impl Evening {
    /// The bot is away, and everybody is in the first room.
    pub fn new(
        network: &'static str,
        steps: &[Step],
        players: BTreeMap<String, PlayerId>,
        rooms: BTreeMap<String, String>,
    ) -> Result<Self, String> {
        let wanted = session::plugins(steps).unwrap_or_else(|| BTreeSet::from(["roll".to_owned()]));
        if let Some(unknown) = wanted.iter().find(|id| !PLUGINS.contains(&id.as_str())) {
            return Err(format!("the bot of these tests has no plugin {unknown}"));
        }
        Ok(Evening {
            network,
            plugins: PLUGINS.iter().copied().filter(|id| wanted.contains(*id)).collect(),
            decks: session::decks(steps),
            unlimited: true,
            players,
            rooms,
            room: session::ROOM.to_owned(),
            store: Arc::new(Memory::default()),
            dice: SessionDice::default(),
            lines: Arc::default(),
            clock: Arc::new(SetClock::at(session::START)),
            bot: None,
        })
    }

    /// The name of the room where people speak now.
    pub fn room(&self) -> &str {
        &self.room
    }

    /// The network's id of that room.
    pub fn place(&self) -> &str {
        &self.rooms[&self.room]
    }

    /// Follows a directive, except that only the network knows how to make somebody an admin.
    pub async fn direct(&mut self, directive: &Directive) -> Result<(), String> {
        match directive {
            Directive::Plugins(_) | Directive::Deck(..) | Directive::Admin(_) => {}
            Directive::Game(id) => self.set_up(|doc| doc.main_game = Some(id.clone())).await?,
            Directive::Referee(name) => {
                let player = self.players[name].clone();
                self.set_up(|doc| drop(doc.referees.insert(player, name.clone()))).await?;
            }
            Directive::Now(time) => self.clock.set(*time),
            Directive::Wait(span) => {
                let later = self.clock.now().checked_add(*span);
                self.clock.set(later.map_err(|error| format!("time ends there: {error}"))?);
            }
            Directive::Room(name) => self.room.clone_from(name),
            Directive::Limits(on) => {
                self.leave().await;
                self.unlimited = !on;
            }
            Directive::Seed(seed) => self.dice.use_seed(*seed),
        }
        Ok(())
    }

    /// Changes the table directly while the bot is away.
    async fn set_up(&mut self, set: impl FnOnce(&mut TableDoc)) -> Result<(), String> {
        self.leave().await;
        let room = RoomId::new(self.network, self.place());
        set_up(&*self.store, &room, set).map_err(|error| error.to_string())
    }

    /// True if the bot runs.
    pub fn is_there(&self) -> bool {
        self.bot.is_some()
    }

    /// Starts the bot.
    pub fn come(&mut self, network: Arc<Watched>) {
        let dice = LineDice { dice: self.dice.clone(), rooms: self.rooms.clone(), lines: self.lines.clone() };
        let make = Make {
            store: self.store.clone(),
            plugins: self.plugins.clone(),
            decks: self.decks.clone(),
            dice: Box::new(dice),
            own_clock: self.clock.clone(),
            unlimited: self.unlimited,
            ..Make::default()
        };
        self.bot = Some((make.serve(vec![network.clone()]), network));
    }

    /// Stops the bot, if it runs. It comes back for the next line.
    pub async fn leave(&mut self) {
        if let Some((bot, _)) = self.bot.take() {
            bot.stop().await;
        }
    }

    fn network(&self) -> &Watched {
        &self.bot.as_ref().expect("it came").1
    }

    /// Begins a line with these dice. Returns the text to type, with the prefix.
    pub fn begin(&self, line: &Line) -> Result<String, String> {
        let text = session::typed(line.text, &self.prefix()?, &Settings::default().name);
        // What the bot said before, such as its greeting, is not part of the answer.
        self.network().posts();
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).said += 1;
        self.dice.script(line.dice.clone());
        Ok(text)
    }

    /// The line that was begun has become this message.
    pub fn is_message(&self, id: String) {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let number = lines.said;
        lines.by_message.insert(id, number);
    }

    /// How many lines the bot has played and answered.
    pub fn answered(&self) -> usize {
        self.network().done().said
    }

    /// Waits until it has answered so many. True if that was in time.
    pub async fn until_answered(&self, goal: usize) -> bool {
        self.network().until(|done| done.said >= goal).await
    }

    /// What the bot has said since the line was begun.
    pub fn posts(&self) -> Vec<Post> {
        self.network().posts()
    }

    /// How the dice differ from the script, if they do.
    pub fn dice_differ(&self) -> Option<String> {
        self.dice.finish().map(|wrong| format!("the dice differ: {wrong}"))
    }

    /// A text with the names that rooms have in sessions.
    pub fn as_in_sessions(&self, text: &str) -> String {
        self.rooms.iter().fold(text.to_owned(), |text, (name, id)| {
            text.replace(&format!("{}/{id}", self.network), &format!("{}/{name}", session::NETWORK)).replace(id, name)
        })
    }

    /// This room's command prefix.
    fn prefix(&self) -> Result<String, String> {
        let key = keys::room(&RoomId::new(self.network, self.place()));
        let stored = self.store.read(&key).map_err(|error| error.to_string())?;
        let room = stored.map(|room| from_json::<RoomDoc>(&key, &room)).transpose();
        let room = room.map_err(|error| error.to_string())?;
        Ok(room.map_or_else(|| Settings::default().prefix, |room| room.prefix))
    }
}

/// The session's dice. Fair ones are the dice that the line would get if the core alone played the file.
struct LineDice {
    dice: SessionDice,
    rooms: BTreeMap<String, String>,
    lines: Arc<Mutex<Lines>>,
}

impl DiceBox for LineDice {
    fn dice(&self, seed: &[u8; 32], key: &MessageKey) -> Box<dyn Dice + Send> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let number = lines.by_message.get(&key.id).copied().unwrap_or(lines.said);
        let key = MessageKey {
            network: session::NETWORK.to_owned(),
            room: self.rooms.iter().find(|(_, id)| **id == key.room).map(|(name, _)| name.clone()).unwrap_or_default(),
            id: format!("m{number}"),
            ordinal: key.ordinal,
        };
        self.dice.dice(seed, &key)
    }
}
