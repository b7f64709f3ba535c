//! Plays a session in encrypted rooms: the bot runs in this process with dice and time set by the test, and each
//! speaker has a client.

use crate::matrix::stage::{Make, NETWORK, Running, settings, transport};
use chat::{Clock, PlayerId, Post, Recipient, RoomId, Transport};
use dice::Dice;
use dice::fair::MessageKey;
use journal::documents::{RoomDoc, TableDoc, from_json};
use journal::keys;
use journal::store::{Memory, Store};
use plugin_api::PrintedDecks;
use plugin_testkit::session::{self, Directive, Step, What, Whose};
use plugin_testkit::{Difference, SessionDice, set_up};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use table::DiceBox;
use tests::matrix::{Heard, Person, Synapse, name};
use tests::serving::{PLUGINS, SetClock};
use tests::watched::Watched;

/// People by their names in sessions. Clients are slow to make, so one session after another uses them.
pub struct People {
    server: &'static Synapse,
    host: Person,
    there: BTreeMap<String, Person>,
}

impl People {
    /// Nobody yet except the host, who makes the rooms.
    pub async fn new(server: &'static Synapse) -> Self {
        People { server, host: Person::register(server, &name("host")).await, there: BTreeMap::new() }
    }

    async fn come(&mut self, who: &str) {
        if !self.there.contains_key(who) {
            let person = Person::register(self.server, &name(&who.to_lowercase().replace(' ', "-"))).await;
            person.client.account().set_display_name(Some(who)).await.expect("a name");
            self.there.insert(who.to_owned(), person);
        }
    }
}

/// Plays the session `text`. Returns how many lines of answers were heard as written.
///
/// # Errors
///
/// The first line that does not go as written.
pub async fn play(people: &mut People, file: &str, text: &str) -> Result<usize, Difference> {
    let at = |line: usize, what: String| Difference { file: file.to_owned(), line, what };
    let steps = session::parse(text).map_err(|error| at(error.line, error.what))?;
    let mut evening = Evening::new(people, &steps).await;
    let played = evening.play(&steps).await;
    evening.leave().await;
    played.map_err(|(line, what)| at(line, what))
}

struct Evening<'a> {
    people: &'a mut People,
    names: BTreeSet<String>,
    plugins: Vec<&'static str>,
    decks: PrintedDecks,
    unlimited: bool,
    /// Room ids by the names in the session.
    rooms: BTreeMap<String, String>,
    user: String,
    own: String,
    device: tempfile::TempDir,
    store: Arc<dyn Store>,
    dice: SessionDice,
    ids: Arc<Mutex<Ids>>,
    clock: Arc<SetClock>,
    bot: Option<(Running, Arc<Watched>)>,
    room: String,
    admins: BTreeMap<String, u32>,
    last_said: BTreeMap<String, String>,
    /// Lines of the last answer, by the person who alone heard them.
    answers: BTreeMap<Option<String>, Vec<String>>,
}

/// Maps events to the numbers that their lines have when the core alone plays the file.
#[derive(Default)]
struct Ids {
    said: usize,
    by_event: BTreeMap<String, usize>,
}

impl<'a> Evening<'a> {
    async fn new(people: &'a mut People, steps: &[Step]) -> Self {
        let wanted = session::plugins(steps).unwrap_or_else(|| BTreeSet::from(["roll".to_owned()]));
        let names = session::people(steps);
        for name in &names {
            people.come(name).await;
        }
        let user = name("dice");
        let own = people.server.register(&user);
        let named = steps.iter().filter_map(|step| match &step.what {
            What::Direct(Directive::Room(name)) => Some(name.clone()),
            _ => None,
        });
        let named: BTreeSet<String> = named.chain([session::ROOM.to_owned()]).collect();
        let mut rooms = BTreeMap::new();
        for room in named {
            let invited: Vec<String> = names.iter().map(|name| people.there[name].id()).chain([own.clone()]).collect();
            let invited: Vec<&str> = invited.iter().map(String::as_str).collect();
            let id = people.host.make_room(&room, true, &invited).await;
            people.host.join(&id).await;
            for name in &names {
                people.there[name].join(&id).await;
            }
            rooms.insert(room, id);
        }
        Evening {
            people,
            names,
            plugins: PLUGINS.iter().copied().filter(|id| wanted.contains(*id)).collect(),
            decks: session::decks(steps),
            unlimited: true,
            rooms,
            user,
            own,
            device: tempfile::tempdir().expect("a directory"),
            store: Arc::new(Memory::default()),
            dice: SessionDice::default(),
            ids: Arc::default(),
            clock: Arc::new(SetClock::at(session::START)),
            bot: None,
            room: session::ROOM.to_owned(),
            admins: BTreeMap::new(),
            last_said: BTreeMap::new(),
            answers: BTreeMap::new(),
        }
    }

    async fn play(&mut self, steps: &[Step]) -> Result<usize, (usize, String)> {
        let mut count = 0;
        for Step { line, what } in steps {
            match what {
                What::Direct(directive) => self.direct(directive).await.map_err(|what| (*line, what))?,
                What::Say { name, text, dice, edit } => {
                    self.say(name, text, dice.clone(), *edit).await.map_err(|what| (*line, what))?;
                }
                What::Expect { whose, text } => {
                    self.expect(whose, text).map_err(|what| (*line, what))?;
                    count += 1;
                }
            }
        }
        Ok(count)
    }

    async fn direct(&mut self, directive: &Directive) -> Result<(), String> {
        match directive {
            Directive::Plugins(_) | Directive::Deck(..) => {}
            Directive::Admin(name) => {
                self.admins.insert(self.people.there[name].id(), 50);
                for id in self.rooms.values() {
                    let room = self.people.host.known(id).expect("in it");
                    let powers = json!({ "users": self.admins });
                    room.send_state_event_raw("m.room.power_levels", "", powers)
                        .await
                        .map_err(|error| error.to_string())?;
                }
            }
            Directive::Game(id) => self.set_up(|doc| doc.main_game = Some(id.clone())).await?,
            Directive::Referee(name) => {
                let player = self.player(name);
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

    fn player(&self, name: &str) -> PlayerId {
        PlayerId::new(NETWORK, self.people.there[name].id())
    }

    fn room_id(&self) -> RoomId {
        RoomId::new(NETWORK, &self.rooms[&self.room])
    }

    /// Changes the table directly while the bot is away.
    async fn set_up(&mut self, set: impl FnOnce(&mut TableDoc)) -> Result<(), String> {
        self.leave().await;
        set_up(&*self.store, &self.room_id(), set).map_err(|error| error.to_string())
    }

    /// Stops the bot, if it runs. It comes back for the next line.
    async fn leave(&mut self) {
        if let Some((bot, _)) = self.bot.take() {
            bot.stop().await;
        }
    }

    async fn come(&mut self) {
        if self.bot.is_some() {
            return;
        }
        let dice = LineDice { dice: self.dice.clone(), rooms: self.rooms.clone(), ids: self.ids.clone() };
        let make = Make {
            store: self.store.clone(),
            plugins: self.plugins.clone(),
            decks: self.decks.clone(),
            dice: Box::new(dice),
            own_clock: self.clock.clone(),
            unlimited: self.unlimited,
            ..Make::default()
        };
        // The host is not a player.
        let host = format!("ignore = [\"{}\"]", self.people.host.id());
        let account = settings(&self.people.server.url(), &self.user, &host);
        let network = transport(account, self.device.path());
        let network = Arc::new(Watched::by_the_clock(network, self.clock.clone()));
        self.bot = Some((make.serve(vec![network.clone()]), network.clone()));
        network.ready().await;
        for name in &self.names {
            for room in self.rooms.values() {
                self.people.there[name].meet(room, &self.own).await;
            }
        }
    }

    /// Says a line and hears the whole answer.
    async fn say(&mut self, name: &str, text: &str, dice: Option<Vec<(u32, u32)>>, edit: bool) -> Result<(), String> {
        self.come().await;
        let text = session::typed(text, &self.prefix()?, &table::Settings::default().name);
        let (_, network) = self.bot.as_ref().expect("it came");
        let network = network.clone();
        network.posts();
        let goal = network.done().said + 1;
        let number = {
            let mut ids = self.ids.lock().unwrap_or_else(PoisonError::into_inner);
            ids.said += 1;
            ids.said
        };
        self.dice.script(dice);
        let room = self.rooms[&self.room].clone();
        let person = &self.people.there[name];
        let said = if edit {
            let first = self.last_said.get(name).ok_or_else(|| format!("{name} said nothing yet to edit"))?;
            person.edit(&room, first, &text).await
        } else {
            let said = person.say(&room, &text).await;
            self.last_said.insert(name.to_owned(), said.clone());
            said
        };
        self.ids.lock().unwrap_or_else(PoisonError::into_inner).by_event.insert(said, number);
        if !network.until(|done| done.said >= goal).await {
            return Err("the bot is not done with this line".to_owned());
        }
        self.answers.clear();
        // Its greeting is not part of the answer.
        let greets = |post: &Post| post.key.ends_with("/arrival");
        for post in network.posts().into_iter().filter(|post| !greets(post)) {
            let whose = match &post.to {
                Recipient::Room => None,
                Recipient::Player(id) => self.names.iter().find(|name| self.player(name) == *id).cloned(),
            };
            let readers = whose.clone().map_or_else(|| self.names.clone(), |reader| BTreeSet::from([reader]));
            let mut lines: Option<Vec<String>> = None;
            for reader in readers {
                let heard = self.hear(&reader, &post).await;
                let heard = self.lines(name, &post, &heard)?;
                if lines.as_ref().is_some_and(|lines| *lines != heard) {
                    return Err(format!("{reader} hears {heard:?} and another {lines:?}"));
                }
                lines = Some(heard);
            }
            let lines = lines.unwrap_or_default();
            self.answers.entry(whose).or_default().extend(lines);
        }
        match self.dice.finish() {
            Some(wrong) => Err(format!("the dice differ: {wrong}\n{:#?}", self.answers)),
            None => Ok(()),
        }
    }

    /// The event with a post, as a reader's client shows it.
    async fn hear(&mut self, reader: &str, post: &Post) -> Heard {
        let (own, rooms) = (self.own.clone(), &self.rooms);
        let person = self.people.there.get_mut(reader).expect("who reads is there");
        let message = |heard: &Heard| {
            let here = match &post.to {
                Recipient::Room => heard.room == post.room.id,
                Recipient::Player(_) => rooms.values().all(|room| heard.room != *room),
            };
            let greeting = heard.body().starts_with("I am astragal: ");
            here && heard.sender == own && heard.kind == "m.room.message" && !greeting
        };
        person.wait_for("an answer", message).await
    }

    /// The lines of an answer without their prefixes.
    fn lines(&self, speaker: &str, post: &Post, heard: &Heard) -> Result<Vec<String>, String> {
        if !heard.encrypted {
            return Err(format!("not encrypted: {}", heard.body()));
        }
        let body = match &heard.content["m.new_content"] {
            Value::Null => heard.body(),
            edit => edit["body"].as_str().unwrap_or_default(),
        };
        // The reply relation shows whom it answers, if that is the speaker.
        let private = post.to != Recipient::Room;
        let shown = !private && post.answers.is_some() && post.addressee.as_deref() == Some(speaker);
        let address = post.addressee.as_ref().filter(|_| !shown).map(|name| format!("{name}: ")).unwrap_or_default();
        let out_of = if private { format!("[{}] ", self.room) } else { String::new() };
        let body = body.strip_prefix(&out_of).ok_or_else(|| format!("{out_of:?} is not in front of {body}"))?;
        let body = body.strip_prefix(&address).ok_or_else(|| format!("{address:?} is not in front of {body}"))?;
        let readers = format!("(only {}) ", post.readers.join(", "));
        let body = body.strip_prefix(&readers).unwrap_or(body);
        // Rooms have other names in sessions.
        let body = self.rooms.iter().fold(body.to_owned(), |body, (name, id)| {
            body.replace(&format!("{NETWORK}/{id}"), &format!("{}/{name}", session::NETWORK)).replace(id, name)
        });
        Ok(body.lines().map(str::to_owned).collect())
    }

    /// Checks that the answer's next line is this one, or begins like this.
    fn expect(&mut self, whose: &Whose, text: &str) -> Result<(), String> {
        let reader = match whose {
            Whose::Private(name) => Some(name.clone()),
            Whose::Table | Whose::Refused => None,
        };
        let lines = self.answers.entry(reader).or_default();
        let next = if lines.is_empty() { None } else { Some(lines.remove(0)) };
        let fits = next.as_deref().is_some_and(|next| match text.strip_suffix("...") {
            Some(beginning) => next.starts_with(beginning),
            None => next == text,
        });
        if fits {
            Ok(())
        } else {
            Err(format!("expected: {text}\n  heard:    {next:?}\n  behind it: {:#?}", self.answers))
        }
    }

    /// This room's command prefix.
    fn prefix(&self) -> Result<String, String> {
        let key = keys::room(&self.room_id());
        let stored = self.store.read(&key).map_err(|error| error.to_string())?;
        let room =
            stored.map(|room| from_json::<RoomDoc>(&key, &room)).transpose().map_err(|error| error.to_string())?;
        Ok(room.map_or_else(|| table::Settings::default().prefix, |room| room.prefix))
    }
}

/// The session's dice. Fair ones are the dice that the line would get if the core alone played the file.
struct LineDice {
    dice: SessionDice,
    rooms: BTreeMap<String, String>,
    ids: Arc<Mutex<Ids>>,
}

impl DiceBox for LineDice {
    fn dice(&self, seed: &[u8; 32], key: &MessageKey) -> Box<dyn Dice + Send> {
        let ids = self.ids.lock().unwrap_or_else(PoisonError::into_inner);
        let number = ids.by_event.get(&key.id).copied().unwrap_or(ids.said);
        let key = MessageKey {
            network: session::NETWORK.to_owned(),
            room: self.rooms.iter().find(|(_, id)| **id == key.room).map(|(name, _)| name.clone()).unwrap_or_default(),
            id: format!("m{number}"),
            ordinal: key.ordinal,
        };
        self.dice.dice(seed, &key)
    }
}
