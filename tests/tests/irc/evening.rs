//! Plays a session on IRC: the bot runs in this process with dice and time set by the test, and each speaker has a
//! client.

use crate::evening::{self, Evening, Expected, Line, Wrong, rooms};
use crate::irc::answers::{first_missing, heard, without_carets};
use crate::irc::stage::{BOT, nonces, settings};
use chat::{PlayerId, Post, Recipient};
use plugin_testkit::Difference;
use plugin_testkit::session::{self, Directive, Step, What};
use std::collections::BTreeMap;
use std::sync::Arc;
use tests::irc::{Client, Message, plain};
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
    let mut evening = OnIrc::new(port, &steps).map_err(|what| at(1, what))?;
    let result = evening::play(&mut evening, &steps[..end]).await;
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

fn channel(room: &str) -> String {
    format!("#{}", room.to_lowercase())
}

fn player(name: &str) -> PlayerId {
    PlayerId::new(NETWORK, format!("nick:{}", name.to_lowercase()))
}

struct OnIrc {
    port: u16,
    evening: Evening,
    /// Everybody in the file, once the bot is there.
    clients: BTreeMap<String, Client>,
    oper: Client,
    answers: Answers,
}

/// The answers to a line, by channel and by person.
#[derive(Default)]
struct Answers {
    posts: Vec<Post>,
    public: BTreeMap<String, Vec<String>>,
    private: BTreeMap<String, Vec<String>>,
}

impl evening::Played for OnIrc {
    async fn direct(&mut self, directive: &Directive) -> Result<(), String> {
        if let Directive::Admin(name) = directive {
            self.come().await?;
            for channel in self.evening.rooms.values() {
                self.oper.raw(&format!("MODE {channel} +o {name}"));
            }
            sync(&mut self.oper);
        }
        self.evening.direct(directive).await
    }

    async fn say(&mut self, line: Line<'_>) -> Result<(), String> {
        self.come().await?;
        let text = self.evening.begin(&line)?;
        let goal = self.evening.answered() + 1;
        self.clients.get_mut(line.name).expect("who speaks is there").say(self.evening.place(), &text);
        let in_time = self.evening.until_answered(goal).await;
        self.hear()?;
        if !in_time {
            return Err(format!("the bot is not done with this line\n{}", self.answers.show()));
        }
        self.evening.dice_differ().map_or(Ok(()), |wrong| Err(format!("{wrong}\n{}", self.answers.show())))
    }

    fn compare(&mut self, said: usize, reader: Option<&str>, expected: &[Expected]) -> Result<usize, Wrong> {
        let heard = self.answers.of(reader).map_err(|what| (said, what))?;
        let heard: Vec<String> = heard.iter().map(|line| self.evening.as_in_sessions(line)).collect();
        let expected = without_carets(expected);
        if let Some(missing) = first_missing(&expected, &heard) {
            let whom = reader.map(|name| format!(" by {name} alone")).unwrap_or_default();
            let heard = heard.join("\n  heard:    ");
            let what = format!("this was not heard{whom}\n  expected: {}\n  heard:    {heard}", missing.text);
            return Err((missing.line, what));
        }
        Ok(expected.len())
    }
}

impl OnIrc {
    fn new(port: u16, steps: &[Step]) -> Result<Self, String> {
        let players = session::people(steps).into_iter().map(|name| (name.clone(), player(&name)));
        let channels = rooms(steps).into_iter().map(|room| (room.clone(), channel(&room)));
        let evening = Evening::new(NETWORK, steps, players.collect(), channels.collect())?;
        let mut oper = Client::connect(port, OPER);
        oper.raw("OPER oper operpw");
        oper.wait_for(|line| Message::parse(line).command == "381");
        Ok(OnIrc { port, evening, clients: BTreeMap::new(), oper, answers: Answers::default() })
    }

    /// Starts the bot, if it is away, and then connects everybody else.
    async fn come(&mut self) -> Result<(), String> {
        if self.evening.is_there() {
            return Ok(());
        }
        let channels: Vec<String> = self.evening.rooms.values().cloned().collect();
        let irc = Settings {
            trust_nicks: true,
            lines_per_answer: LINES,
            channels: channels.iter().map(|channel| (channel.clone(), transport_irc::Channel::default())).collect(),
            ..settings(self.port, "")
        };
        let network = Irc::new(NETWORK, irc, self.evening.clock.clone(), nonces());
        let network = Arc::new(Watched::new(Arc::new(network)));
        self.evening.come(network.clone());
        if !network.until(|done| done.arrived >= channels.len()).await {
            return Err("the bot does not come".to_owned());
        }
        for name in
            self.evening.players.keys().filter(|name| !self.clients.contains_key(*name)).cloned().collect::<Vec<_>>()
        {
            let mut client = Client::connect(self.port, &name);
            channels.iter().for_each(|channel| client.join(channel));
            self.clients.insert(name, client);
        }
        Ok(())
    }

    /// Collects everything the clients heard up to now.
    fn hear(&mut self) -> Result<(), String> {
        let channel = self.evening.place();
        self.answers = Answers { posts: self.evening.posts(), ..Answers::default() };
        let said = |line: &String, target: &str| Message::parse(line).is_said(BOT, target);
        let text = |line: &String| plain(Message::parse(line).text());
        for (name, client) in &mut self.clients {
            let lines = sync(client);
            let public: Vec<_> = lines.iter().filter(|line| said(line, channel)).map(text).collect();
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

    /// Disconnects everybody.
    async fn end(mut self) {
        self.evening.leave().await;
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
