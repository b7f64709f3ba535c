//! Plays a session on IRC: the bot runs in this process with dice and time set by the test, and each speaker has a
//! client.

use crate::irc::answers::{Expected, first_missing, heard, without_carets};
use crate::irc::stage::{BOT, Make, Running, nonces, settings};
use chat::{Clock, PlayerId, Post, Recipient, RoomId};
use dice::Dice;
use dice::fair::MessageKey;
use journal::documents::{RoomDoc, TableDoc, from_json};
use journal::keys;
use journal::store::{Memory, Store};
use plugin_api::PrintedDecks;
use plugin_testkit::session::{self, Directive, Step, What, Whose};
use plugin_testkit::{Difference, SessionDice, set_up};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use table::DiceBox;
use tests::irc::{Client, Message, plain};
use tests::serving::{PLUGINS, SetClock};
use tests::watched::Watched;
use transport_irc::{Irc, Settings};

/// The network's name for the bot.
const NETWORK: &str = "irc";
/// Lines per answer: as many as there are.
const LINES: usize = 1_000;
/// A text of this many bytes fits into any line.
const LONGEST: usize = 400;
/// A server operator who is in no channel and may op people in each.
const OPER: &str = "server-oper";

/// How much of a session was played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Played {
    /// Lines said.
    pub said: usize,
    /// Lines left out: the first one that cannot be said on IRC, and all after it.
    pub left_out: usize,
    /// Lines of answers heard as written.
    pub heard: usize,
}

/// Plays the session `text` on the server at `port`, up to the first line that cannot be said on IRC.
///
/// # Errors
///
/// The first line that does not go as written.
pub async fn play(port: u16, file: &str, text: &str) -> Result<Played, Difference> {
    let at = |line: usize, what: String| Difference { file: file.to_owned(), line, what };
    let steps = session::parse(text).map_err(|error| at(error.line, error.what))?;
    let said = |steps: &[Step]| steps.iter().filter(|step| matches!(step.what, What::Say { .. })).count();
    let end = if session::people(&steps).iter().all(|name| is_nick(name)) {
        steps.iter().position(|step| !can_be_said(&step.what)).unwrap_or(steps.len())
    } else {
        0
    };
    let mut played = Played { said: said(&steps[..end]), left_out: said(&steps[end..]), heard: 0 };
    if played.said == 0 {
        return Ok(played);
    }
    let mut evening = Evening::new(port, &steps).map_err(|what| at(1, what))?;
    let result = evening.play(&steps[..end]).await;
    evening.end().await;
    played.heard = result.map_err(|(line, what)| at(line, what))?;
    Ok(played)
}

/// True if this can be a nick on IRC.
fn is_nick(name: &str) -> bool {
    let fits = name.len() <= 30 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    fits && ![BOT, OPER].iter().any(|taken| name.eq_ignore_ascii_case(taken))
}

/// IRC has no edits, and a message there is one short line.
fn can_be_said(what: &What) -> bool {
    !matches!(what, What::Say { edit, text, .. } if *edit || text.len() > LONGEST || text.contains('⏎'))
}

fn room_id(room: &str) -> RoomId {
    RoomId::new(NETWORK, channel(room))
}

fn channel(room: &str) -> String {
    format!("#{}", room.to_lowercase())
}

fn player(name: &str) -> PlayerId {
    PlayerId::new(NETWORK, format!("nick:{}", name.to_lowercase()))
}

struct Evening {
    port: u16,
    plugins: Vec<&'static str>,
    decks: PrintedDecks,
    unlimited: bool,
    rooms: BTreeSet<String>,
    store: Arc<dyn Store>,
    dice: SessionDice,
    /// The number of lines said, which determines the dice of the next one.
    said: Arc<AtomicUsize>,
    clock: Arc<SetClock>,
    bot: Option<(Running, Arc<Watched>)>,
    /// Everybody in the file, once the bot is there.
    clients: BTreeMap<String, Client>,
    people: BTreeSet<String>,
    oper: Client,
    room: String,
    answers: Answers,
}

/// The answers to a line, by channel and by person.
#[derive(Default)]
struct Answers {
    posts: Vec<Post>,
    public: BTreeMap<String, Vec<String>>,
    private: BTreeMap<String, Vec<String>>,
}

impl Evening {
    fn new(port: u16, steps: &[Step]) -> Result<Self, String> {
        let wanted = session::plugins(steps).unwrap_or_else(|| BTreeSet::from(["roll".to_owned()]));
        if let Some(unknown) = wanted.iter().find(|id| !PLUGINS.contains(&id.as_str())) {
            return Err(format!("the bot of these tests has no plugin {unknown}"));
        }
        let rooms = steps.iter().filter_map(|step| match &step.what {
            What::Direct(Directive::Room(name)) => Some(name.clone()),
            _ => None,
        });
        let mut oper = Client::connect(port, OPER);
        oper.raw("OPER oper operpw");
        oper.wait_for(|line| Message::parse(line).command == "381");
        Ok(Evening {
            port,
            plugins: PLUGINS.iter().copied().filter(|id| wanted.contains(*id)).collect(),
            decks: session::decks(steps),
            unlimited: true,
            rooms: rooms.chain([session::ROOM.to_owned()]).collect(),
            store: Arc::new(Memory::default()),
            dice: SessionDice::default(),
            said: Arc::default(),
            clock: Arc::new(SetClock::at(session::START)),
            bot: None,
            clients: BTreeMap::new(),
            people: session::people(steps),
            oper,
            room: session::ROOM.to_owned(),
            answers: Answers::default(),
        })
    }

    /// Plays these steps. Returns how many lines of answers were as written, or where and how they differ.
    async fn play(&mut self, steps: &[Step]) -> Result<usize, (usize, String)> {
        let mut count = 0;
        for (n, Step { line, what }) in steps.iter().enumerate() {
            match what {
                What::Direct(directive) => self.direct(directive).await.map_err(|what| (*line, what))?,
                What::Say { name, text, dice, .. } => {
                    self.say(name, text, dice.clone()).await.map_err(|what| (*line, what))?;
                    let answer = steps[n + 1..].iter().take_while(|step| !matches!(step.what, What::Say { .. }));
                    count += self.compare(*line, answer)?;
                }
                What::Expect { .. } => {}
            }
        }
        Ok(count)
    }

    async fn direct(&mut self, directive: &Directive) -> Result<(), String> {
        match directive {
            Directive::Plugins(_) | Directive::Deck(..) => {}
            Directive::Game(id) => self.set_up(|doc| doc.main_game = Some(id.clone())).await?,
            Directive::Referee(name) => {
                self.set_up(|doc| drop(doc.referees.insert(player(name), name.clone()))).await?
            }
            Directive::Admin(name) => {
                self.come().await?;
                for channel in self.rooms.iter().map(|room| channel(room)) {
                    self.oper.raw(&format!("MODE {channel} +o {name}"));
                }
                sync(&mut self.oper);
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
        set_up(&*self.store, &room_id(&self.room), set).map_err(|error| error.to_string())
    }

    /// Stops the bot, if it runs. It comes back for the next line.
    async fn leave(&mut self) {
        if let Some((bot, _)) = self.bot.take() {
            bot.stop().await;
        }
    }

    /// Starts the bot, if it is away, and then connects everybody else.
    async fn come(&mut self) -> Result<(), String> {
        if self.bot.is_some() {
            return Ok(());
        }
        let channels = self.rooms.iter().map(|room| (channel(room), transport_irc::Channel::default()));
        let irc = Settings {
            trust_nicks: true,
            lines_per_answer: LINES,
            channels: channels.collect(),
            ..settings(self.port, "")
        };
        let make = Make {
            store: self.store.clone(),
            plugins: self.plugins.clone(),
            decks: self.decks.clone(),
            dice: Box::new(LineDice { dice: self.dice.clone(), rooms: self.rooms.clone(), said: self.said.clone() }),
            own_clock: self.clock.clone(),
            unlimited: self.unlimited,
            ..Make::default()
        };
        let network = Irc::new(NETWORK, irc, self.clock.clone(), nonces());
        let network = Arc::new(Watched::new(Arc::new(network)));
        self.bot = Some((make.serve(vec![network.clone()]), network.clone()));
        if !network.until(|done| done.arrived >= self.rooms.len()).await {
            return Err("the bot does not come".to_owned());
        }
        for name in self.people.iter().filter(|name| !self.clients.contains_key(*name)).cloned().collect::<Vec<_>>() {
            let mut client = Client::connect(self.port, &name);
            self.rooms.iter().for_each(|room| client.join(&channel(room)));
            self.clients.insert(name, client);
        }
        Ok(())
    }

    /// Says a line and hears the whole answer.
    async fn say(&mut self, name: &str, text: &str, dice: Option<Vec<(u32, u32)>>) -> Result<(), String> {
        self.come().await?;
        let text = session::typed(text, &self.prefix()?, BOT);
        let (_, network) = self.bot.as_ref().expect("it came");
        // Its greeting is not part of the answer.
        network.posts();
        let goal = network.done().said + 1;
        self.said.fetch_add(1, Ordering::Relaxed);
        self.dice.script(dice);
        let client = self.clients.get_mut(name).expect("who speaks is there");
        client.say(&channel(&self.room), &text);
        let in_time = network.until(|done| done.said >= goal).await;
        self.hear()?;
        if !in_time {
            return Err(format!("the bot is not done with this line\n{}", self.answers.show()));
        }
        match self.dice.finish() {
            Some(wrong) => Err(format!("the dice differ: {wrong}\n{}", self.answers.show())),
            None => Ok(()),
        }
    }

    /// Collects everything the clients heard up to now.
    fn hear(&mut self) -> Result<(), String> {
        let channel = channel(&self.room);
        self.answers = Answers::default();
        self.answers.posts = self.bot.as_ref().map(|(_, network)| network.posts()).unwrap_or_default();
        let said = |line: &String, target: &str| Message::parse(line).is_said(BOT, target);
        let text = |line: &String| plain(Message::parse(line).text());
        for (name, client) in &mut self.clients {
            let lines = sync(client);
            let public: Vec<_> = lines.iter().filter(|line| said(line, &channel)).map(text).collect();
            let private: Vec<_> = lines.iter().filter(|line| said(line, name)).map(text).collect();
            self.answers.public.insert(name.clone(), public);
            self.answers.private.insert(name.clone(), private);
        }
        let mut heard = self.answers.public.values();
        let first = heard.next();
        match heard.all(|other| Some(other) == first) {
            true => Ok(()),
            false => Err(format!("not everybody hears the same in {channel}: {:?}", self.answers.public)),
        }
    }

    /// Compares the answer with the file. Returns how many lines are as written.
    fn compare<'a>(&self, said: usize, steps: impl Iterator<Item = &'a Step>) -> Result<usize, (usize, String)> {
        let mut expected: BTreeMap<Option<&str>, Vec<Expected>> = BTreeMap::new();
        for step in steps {
            if let What::Expect { whose, text } = &step.what {
                let reader = match whose {
                    Whose::Private(name) => Some(name.as_str()),
                    Whose::Table | Whose::Refused => None,
                };
                expected.entry(reader).or_default().push(Expected { line: step.line, text });
            }
        }
        let mut count = 0;
        for (reader, expected) in expected {
            let heard = self.answers.of(reader).map_err(|what| (said, what))?;
            let heard: Vec<String> = heard.iter().map(|line| self.as_in_sessions(line)).collect();
            let expected = without_carets(&expected);
            if let Some(missing) = first_missing(&expected, &heard) {
                let whom = reader.map(|name| format!(" by {name} alone")).unwrap_or_default();
                let heard = heard.join("\n  heard:    ");
                let what = format!("this was not heard{whom}\n  expected: {}\n  heard:    {heard}", missing.text);
                return Err((missing.line, what));
            }
            count += expected.len();
        }
        Ok(count)
    }

    /// Translates channel names to the names in sessions.
    fn as_in_sessions(&self, line: &str) -> String {
        self.rooms.iter().fold(line.to_owned(), |line, room| {
            let there = session::NETWORK;
            line.replace(&room_id(room).to_string(), &format!("{there}/{room}")).replace(&channel(room), room)
        })
    }

    /// This room's command prefix.
    fn prefix(&self) -> Result<String, String> {
        let key = keys::room(&room_id(&self.room));
        let stored = self.store.read(&key).map_err(|error| error.to_string())?;
        let room =
            stored.map(|room| from_json::<RoomDoc>(&key, &room)).transpose().map_err(|error| error.to_string())?;
        Ok(room.map_or_else(|| table::Settings::default().prefix, |room| room.prefix))
    }

    /// Disconnects everybody.
    async fn end(mut self) {
        self.leave().await;
        self.clients.into_values().chain([self.oper]).for_each(Client::quit);
    }
}

impl Answers {
    /// The lines for one reader, or for the room, as they were before they were split to fit.
    fn of(&self, reader: Option<&str>) -> Result<Vec<String>, String> {
        let (lines, to) = match reader {
            Some(name) => (self.private.get(name), Recipient::Player(player(name))),
            None => (self.public.values().next(), Recipient::Room),
        };
        let mut posts = self.posts.iter().filter(|post| post.to == to);
        match (posts.next(), posts.next(), lines) {
            (Some(post), None, Some(lines)) => heard(post, lines),
            (Some(_), Some(_), _) => Err("a message is answered by two posts to one reader".to_owned()),
            _ => Ok(Vec::new()),
        }
    }

    fn show(&self) -> String {
        let public = self.public.values().next().into_iter().flatten().map(|line| format!("  heard: {line}"));
        let private = self.private.iter().flat_map(|(name, lines)| lines.iter().map(move |line| (name, line)));
        let private = private.map(|(name, line)| format!("  heard by {name} alone: {line}"));
        public.chain(private).collect::<Vec<_>>().join("\n")
    }
}

/// Everything a client has heard up to now.
fn sync(client: &mut Client) -> Vec<String> {
    client.raw("PING here");
    let mut lines = Vec::new();
    loop {
        let line = client.next();
        if Message::parse(&line).command == "PONG" {
            return lines;
        }
        lines.push(line);
    }
}

/// The session's dice. Fair ones are the dice that the line would get if the core alone played the file.
struct LineDice {
    dice: SessionDice,
    rooms: BTreeSet<String>,
    said: Arc<AtomicUsize>,
}

impl DiceBox for LineDice {
    fn dice(&self, seed: &[u8; 32], key: &MessageKey) -> Box<dyn Dice + Send> {
        let key = MessageKey {
            network: session::NETWORK.to_owned(),
            room: self.rooms.iter().find(|room| channel(room) == key.room).cloned().unwrap_or_default(),
            id: format!("m{}", self.said.load(Ordering::Relaxed)),
            ordinal: key.ordinal,
        };
        self.dice.dice(seed, &key)
    }
}
