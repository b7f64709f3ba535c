//! Plays a session in encrypted rooms: the bot runs in this process with dice and time set by the test, and each
//! speaker has a client.

use crate::evening::{self, Evening, Expected, Line, Wrong, rooms};
use crate::matrix::stage::{NETWORK, settings, transport};
use chat::{PlayerId, Post, Recipient, Transport};
use plugin_testkit::Difference;
use plugin_testkit::session::{self, Directive, Step};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tests::matrix::{Heard, Person, Synapse, name};
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
    let mut evening = OnMatrix::new(people, &steps).await.map_err(|what| at(1, what))?;
    let played = evening::play(&mut evening, &steps).await;
    evening.evening.leave().await;
    played.map_err(|(line, what)| at(line, what))
}

struct OnMatrix<'a> {
    people: &'a mut People,
    evening: Evening,
    user: String,
    own: String,
    device: tempfile::TempDir,
    admins: BTreeMap<String, u32>,
    last_said: BTreeMap<String, String>,
    /// Lines of the last answer, by the person who alone heard them.
    answers: BTreeMap<Option<String>, Vec<String>>,
}

impl evening::Played for OnMatrix<'_> {
    async fn direct(&mut self, directive: &Directive) -> Result<(), String> {
        if let Directive::Admin(name) = directive {
            self.admins.insert(self.people.there[name].id(), 50);
            for id in self.evening.rooms.values() {
                let room = self.people.host.known(id).expect("in it");
                let powers = json!({ "users": self.admins });
                let sent = room.send_state_event_raw("m.room.power_levels", "", powers).await;
                sent.map_err(|error| error.to_string())?;
            }
        }
        self.evening.direct(directive).await
    }

    async fn say(&mut self, line: Line<'_>) -> Result<(), String> {
        self.come().await;
        let text = self.evening.begin(&line)?;
        let goal = self.evening.answered() + 1;
        let (room, person) = (self.evening.place(), &self.people.there[line.name]);
        let said = if line.edit {
            let first =
                self.last_said.get(line.name).ok_or_else(|| format!("{} said nothing yet to edit", line.name))?;
            person.edit(room, first, &text).await
        } else {
            let said = person.say(room, &text).await;
            self.last_said.insert(line.name.to_owned(), said.clone());
            said
        };
        self.evening.is_message(said);
        if !self.evening.until_answered(goal).await {
            return Err("the bot is not done with this line".to_owned());
        }
        self.hear_all(line.name).await?;
        self.evening.dice_differ().map_or(Ok(()), |wrong| Err(format!("{wrong}\n{:#?}", self.answers)))
    }

    fn compare(&mut self, _: usize, reader: Option<&str>, expected: &[Expected]) -> Result<usize, Wrong> {
        let heard = self.answers.get(&reader.map(str::to_owned)).map(Vec::as_slice).unwrap_or_default();
        for (n, Expected { line, text }) in expected.iter().enumerate() {
            let next = heard.get(n).map(String::as_str);
            let fits = next.is_some_and(|next| match text.strip_suffix("...") {
                Some(beginning) => next.starts_with(beginning),
                None => next == *text,
            });
            if !fits {
                let what = format!("expected: {text}\n  heard:    {next:?}\n  all of it: {:#?}", self.answers);
                return Err((*line, what));
            }
        }
        Ok(expected.len())
    }
}

impl<'a> OnMatrix<'a> {
    async fn new(people: &'a mut People, steps: &[Step]) -> Result<Self, String> {
        let names = session::people(steps);
        for name in &names {
            people.come(name).await;
        }
        let user = name("dice");
        let own = people.server.register(&user);
        let mut places = BTreeMap::new();
        for room in rooms(steps) {
            let invited: Vec<String> = names.iter().map(|name| people.there[name].id()).chain([own.clone()]).collect();
            let invited: Vec<&str> = invited.iter().map(String::as_str).collect();
            let id = people.host.make_room(&room, true, &invited).await;
            people.host.join(&id).await;
            for name in &names {
                people.there[name].join(&id).await;
            }
            places.insert(room, id);
        }
        let players = names.iter().map(|name| (name.clone(), PlayerId::new(NETWORK, people.there[name].id())));
        let evening = Evening::new(NETWORK, steps, players.collect(), places)?;
        let device = tempfile::tempdir().expect("a directory");
        let (admins, last_said, answers) = Default::default();
        Ok(OnMatrix { people, evening, user, own, device, admins, last_said, answers })
    }

    async fn come(&mut self) {
        if self.evening.is_there() {
            return;
        }
        // The host is not a player.
        let host = format!("ignore = [\"{}\"]", self.people.host.id());
        let account = settings(&self.people.server.url(), &self.user, &host);
        let network = transport(account, self.device.path());
        let network = Arc::new(Watched::by_the_clock(network, self.evening.clock.clone()));
        self.evening.come(network.clone());
        network.ready().await;
        for name in self.evening.players.keys() {
            for room in self.evening.rooms.values() {
                self.people.there[name].meet(room, &self.own).await;
            }
        }
    }

    /// Hears the whole answer to somebody, by all its readers.
    async fn hear_all(&mut self, speaker: &str) -> Result<(), String> {
        self.answers.clear();
        // Its greeting is not part of the answer.
        let greets = |post: &Post| post.key.ends_with("/arrival");
        for post in self.evening.posts().into_iter().filter(|post| !greets(post)) {
            let whose = match &post.to {
                Recipient::Room => None,
                Recipient::Player(id) => {
                    self.evening.players.iter().find(|(_, player)| *player == id).map(|(name, _)| name.clone())
                }
            };
            let everybody = || self.evening.players.keys().cloned().collect();
            let readers: BTreeSet<String> = whose.clone().map_or_else(everybody, |reader| BTreeSet::from([reader]));
            let mut lines: Option<Vec<String>> = None;
            for reader in readers {
                let heard = self.hear(&reader, &post).await;
                let heard = self.lines(speaker, &post, &heard)?;
                if lines.as_ref().is_some_and(|lines| *lines != heard) {
                    return Err(format!("{reader} hears {heard:?} and another {lines:?}"));
                }
                lines = Some(heard);
            }
            let lines = lines.unwrap_or_default();
            self.answers.entry(whose).or_default().extend(lines);
        }
        Ok(())
    }

    /// The event with a post, as a reader's client shows it.
    async fn hear(&mut self, reader: &str, post: &Post) -> Heard {
        let (own, rooms) = (self.own.clone(), &self.evening.rooms);
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
        let out_of = if private { format!("[{}] ", self.evening.room()) } else { String::new() };
        let body = body.strip_prefix(&out_of).ok_or_else(|| format!("{out_of:?} is not in front of {body}"))?;
        let body = body.strip_prefix(&address).ok_or_else(|| format!("{address:?} is not in front of {body}"))?;
        let readers = format!("(only {}) ", post.readers.join(", "));
        let body = body.strip_prefix(&readers).unwrap_or(body);
        Ok(self.evening.as_in_sessions(body).lines().map(str::to_owned).collect())
    }
}
