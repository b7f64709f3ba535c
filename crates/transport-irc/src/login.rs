//! Registration: capabilities, SASL, a nick, and what the server says about itself; all before any channel is joined.
//!
//! Knows no sockets: it takes lines and answers with commands. Over an unencrypted link it sends only the request for
//! capabilities until it knows that the server does not want TLS.

mod account;

use crate::isupport::Isupport;
use crate::proofs::{Proofs, service};
use crate::settings::Settings;
use crate::sts::{Advice, Way};
use crate::trouble::{Trouble, legible};
use crate::wire::Incoming;
use irc_proto::{CapSubCommand, Command};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;
use tokio::time::Instant;

/// How long registration may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long one step of SASL, or NickServ, may take.
const STEP: Duration = Duration::from_secs(15);
/// How long the server may take to confirm the login after NickServ has answered.
const YES: Duration = Duration::from_secs(2);
/// Bytes of capability names requested at once.
const MOST_ASKED: usize = 400;

/// Capabilities to request where offered.
const WANTED: &[&str] = &[
    "account-notify",
    "account-tag",
    "batch",
    "cap-notify",
    "chghost",
    "draft/channel-rename",
    "draft/chathistory",
    "echo-message",
    "extended-join",
    "invite-notify",
    "labeled-response",
    "message-tags",
    "multi-prefix",
    "server-time",
];

/// True if the bot can use this capability.
pub fn is_wanted(cap: &str) -> bool {
    WANTED.contains(&cap)
}

/// The result of registering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registered {
    /// The nick the bot got.
    pub nick: String,
    /// The account it is logged in to.
    pub account: Option<String>,
    /// The capabilities in use.
    pub caps: BTreeSet<String>,
    /// The server's ISUPPORT.
    pub isupport: Isupport,
    /// What failed without being required.
    pub remarks: Vec<String>,
    /// Why the bot is not logged in to the account that it is meant to have.
    pub missing: Option<Missing>,
    /// The mechanisms of SASL that the server lists; `None` if it offers no SASL.
    pub sasl: Option<String>,
    /// The way the server was reached.
    pub way: Way,
}

/// Why the bot is not logged in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The network's services do not answer; they may come back.
    Away(String),
    /// The login was refused.
    Refused(String),
}

impl Missing {
    /// In words for the operator.
    pub fn why(&self) -> &str {
        let (Missing::Away(why) | Missing::Refused(why)) = self;
        why
    }
}

/// What was learned about a server that matters next time, whatever the result this time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Learned {
    /// True if it pretended to know the password.
    pub caught: bool,
    /// The port it was reached on over TLS, and what it advertised there.
    pub advice: Option<(u16, Advice)>,
}

/// The server to log in to.
#[derive(Clone, Copy, Debug)]
pub struct Server<'a> {
    /// The operator's settings.
    pub settings: &'a Settings,
    /// The way it is reached.
    pub way: Way,
    /// True if it was caught before.
    pub distrusted: bool,
}

/// A registration in progress.
#[derive(Debug)]
pub struct Login<'a> {
    settings: &'a Settings,
    way: Way,
    distrusted: bool,
    /// What matters next time.
    pub learned: Learned,
    nonce: String,
    stage: Stage,
    offered: BTreeMap<String, String>,
    /// The capabilities of each request that are not acknowledged yet.
    asked: VecDeque<BTreeSet<String>>,
    caps: BTreeSet<String>,
    nicks: VecDeque<String>,
    marks: u32,
    nick: String,
    /// The first nick that the server refused, and what it said about that.
    refused: Option<(String, String)>,
    proofs: Proofs,
    account: Option<String>,
    missing: Option<Missing>,
    isupport: Isupport,
    remarks: Vec<String>,
    deadline: Instant,
    step: Option<Instant>,
    /// NickServ's first words.
    nickserv: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
enum Stage {
    /// Over a plain link: asking whether the server wants TLS.
    Sounding,
    /// Capabilities, SASL, nick.
    Negotiating,
    /// Welcome, and the lines after it.
    Welcomed,
    /// Identifying to NickServ.
    Identifying,
}

/// How far the registration is.
pub enum Progress {
    /// In progress.
    Going,
    /// Done.
    Registered(Box<Registered>),
    /// The server wants TLS, on this port.
    Upgrade(u16),
}

impl<'a> Login<'a> {
    /// Starts registration; `nonce` is fresh randomness, as text.
    pub fn begin(server: Server<'a>, nonce: String, now: Instant, send: &mut Vec<Command>) -> Self {
        let Server { settings, way, distrusted } = server;
        send.push(Command::CAP(None, CapSubCommand::LS, None, Some("302".to_owned())));
        let mut login = Login {
            settings,
            way,
            distrusted,
            learned: Learned::default(),
            nonce,
            stage: Stage::Sounding,
            offered: BTreeMap::new(),
            asked: VecDeque::new(),
            caps: BTreeSet::new(),
            nicks: settings.alternative_nicks.iter().cloned().collect(),
            marks: 0,
            nick: settings.nick.clone(),
            refused: None,
            proofs: Proofs::new(settings),
            account: None,
            missing: None,
            isupport: Isupport::default(),
            remarks: Vec::new(),
            deadline: now + PATIENCE,
            step: Some(now + STEP),
            nickserv: None,
        };
        if way.is_encrypted() {
            login.introduce(send);
        }
        login
    }

    /// Sends the password, nick and user.
    fn introduce(&mut self, send: &mut Vec<Command>) {
        if self.stage != Stage::Sounding {
            return;
        }
        (self.stage, self.step) = (Stage::Negotiating, None);
        let settings = self.settings;
        if let Some(password) = &settings.password {
            send.push(Command::PASS(password.expose().to_owned()));
        }
        send.push(Command::NICK(settings.nick.clone()));
        let user = settings.user.clone().unwrap_or_else(|| settings.nick.clone());
        send.push(Command::Raw(
            "USER".to_owned(),
            vec![user, "0".to_owned(), "*".to_owned(), settings.real_name.clone()],
        ));
    }

    /// When [`tick`](Self::tick) must be called if nothing is heard before.
    pub fn deadline(&self) -> Instant {
        self.step.map_or(self.deadline, |step| step.min(self.deadline))
    }

    /// Gives up steps that take too long.
    ///
    /// # Errors
    /// Registration as a whole takes too long.
    pub fn tick(&mut self, now: Instant, send: &mut Vec<Command>) -> Result<Progress, Trouble> {
        if now >= self.deadline {
            return Err(Trouble::link(format!("the server did not let us in within {} seconds", PATIENCE.as_secs())));
        }
        if self.step.is_some_and(|step| now >= step) {
            self.step = None;
            if self.stage == Stage::Sounding {
                // A server that does not know the request.
                self.introduce(send);
                return Ok(Progress::Going);
            }
            if self.stage == Stage::Identifying {
                let service = service(self.settings);
                let missing = match self.nickserv.take() {
                    Some(says) => Missing::Refused(format!("{service} says: {says}")),
                    None => Missing::Away(format!("{service} does not answer")),
                };
                self.remark(missing.why().to_owned());
                self.missing = Some(missing);
                return self.finish();
            }
            if !self.proofs.goes_on() {
                self.asked.clear();
                self.after_caps(now, send)?;
                return Ok(Progress::Going);
            }
            send.push(Command::AUTHENTICATE("*".to_owned()));
            self.proofs.give_up();
            self.missing = Some(Missing::Away("services do not answer".to_owned()));
            self.next_mechanism("services do not answer".to_owned(), now, send)?;
        }
        Ok(Progress::Going)
    }

    /// Takes a line.
    ///
    /// # Errors
    /// The server does not let the bot in.
    pub fn hear(&mut self, line: &Incoming, now: Instant, send: &mut Vec<Command>) -> Result<Progress, Trouble> {
        match &line.message.command {
            Command::PING(..) => send.push(Command::PONG(line.last().to_owned(), None)),
            Command::CAP(_, kind, ..) => return self.hear_cap(kind, line, now, send),
            Command::AUTHENTICATE(chunk) => self.hear_challenge(chunk, now, send),
            Command::ERROR(why) => return Err(Trouble::closed(why)),
            // Older services confirm it this way.
            Command::UserMODE(..) if self.stage == Stage::Identifying && registered_mode(&line.params) => {
                self.account.clone_from(&self.settings.account);
                return self.finish();
            }
            Command::NICK(to) if line.source().eq_ignore_ascii_case(&self.nick) && !to.is_empty() => {
                self.nick.clone_from(to);
            }
            Command::NOTICE(_, text) if self.stage == Stage::Identifying => {
                if line.source().eq_ignore_ascii_case(service(self.settings)) && self.nickserv.is_none() {
                    self.nickserv = Some(crate::wire::unstyled(text));
                    // The server tells whether that was a yes.
                    self.step = Some(now + YES);
                }
            }
            _ => {
                if let Some(number) = line.numeric() {
                    return self.hear_numeric(number, line, now, send);
                }
            }
        }
        Ok(Progress::Going)
    }

    fn hear_numeric(
        &mut self,
        number: u16,
        line: &Incoming,
        now: Instant,
        send: &mut Vec<Command>,
    ) -> Result<Progress, Trouble> {
        match number {
            1 => {
                if !line.param(0).is_empty() {
                    line.param(0).clone_into(&mut self.nick);
                }
                self.stage = Stage::Welcomed;
                self.step = None;
            }
            5 => {
                let tokens = line.params.iter().skip(1).flat_map(|word| word.split(' '));
                self.isupport.read(tokens);
            }
            376 | 422 if self.stage == Stage::Welcomed => return self.identify(now, send),
            900..=908 => return self.hear_verdict(number, line, now, send),
            432 | 433 | 436 | 437 if self.stage == Stage::Negotiating => {
                self.note_refused(number, line.last());
                self.next_nick(send)?;
            }
            464 => {
                let what = "the server wants a password, or another one: password_file = \"FILE\"";
                return Err(Trouble::setting(what.to_owned()));
            }
            465 => return Err(Trouble::setting(format!("the server bans us: {}", line.last()))),
            401 if self.stage == Stage::Identifying => {
                let what = format!("there is no {} here", service(self.settings));
                self.remark(what.clone());
                self.missing = Some(Missing::Away(what));
                return self.finish();
            }
            // It does not know the request for capabilities.
            400..=499 if self.stage == Stage::Sounding => self.introduce(send),
            _ => {}
        }
        Ok(Progress::Going)
    }

    fn hear_cap(
        &mut self,
        kind: &CapSubCommand,
        line: &Incoming,
        now: Instant,
        send: &mut Vec<Command>,
    ) -> Result<Progress, Trouble> {
        let listed = || line.last().split(' ').filter(|cap| !cap.is_empty());
        match kind {
            CapSubCommand::LS | CapSubCommand::NEW => {
                if let Some(upgrade) = listed().filter_map(Advice::of).find_map(|advice| self.advised(advice)) {
                    return Ok(upgrade);
                }
                if *kind == CapSubCommand::NEW || self.stage > Stage::Negotiating {
                    return Ok(Progress::Going);
                }
                for cap in listed() {
                    let (name, value) = cap.split_once('=').unwrap_or((cap, ""));
                    self.offered.insert(name.to_owned(), value.to_owned());
                }
                if line.param(2) != "*" || line.params.len() < 4 {
                    self.introduce(send);
                    self.ask(now, send)?;
                }
            }
            CapSubCommand::ACK | CapSubCommand::NAK => {
                let more = line.param(2) == "*" && line.params.len() >= 4;
                let Some(request) = self.asked.front_mut() else { return Ok(Progress::Going) };
                if *kind == CapSubCommand::ACK {
                    // The list may come in several lines. A NAK refuses the whole request even if it repeats only its
                    // beginning.
                    request.retain(|cap| !listed().any(|listed| listed == cap));
                    self.caps.extend(listed().map(str::to_owned));
                }
                if !more && (*kind == CapSubCommand::NAK || request.is_empty()) {
                    self.asked.pop_front();
                    if self.asked.is_empty() {
                        self.after_caps(now, send)?;
                    }
                }
            }
            _ => {}
        }
        Ok(Progress::Going)
    }

    /// The server advertises that it wants TLS. Over TLS that is stored for later; otherwise this link is of no use.
    fn advised(&mut self, advice: Advice) -> Option<Progress> {
        match self.way {
            Way::Tls(port) => {
                self.learned.advice = Some((port, advice));
                None
            }
            Way::Plain(_) => advice.port.map(Progress::Upgrade),
        }
    }

    /// Notes something that failed without being required.
    fn remark(&mut self, what: String) {
        self.remarks.push(legible(&what));
    }

    /// Requests the offered capabilities that the bot wants.
    fn ask(&mut self, now: Instant, send: &mut Vec<Command>) -> Result<(), Trouble> {
        let sasl = (!self.proofs.is_empty()).then_some("sasl");
        let wanted = WANTED.iter().copied().chain(sasl).filter(|cap| self.offered.contains_key(*cap));
        let mut asked = vec![String::new()];
        for cap in wanted {
            let last = asked.last_mut().expect("there is one from the start");
            if last.len() + cap.len() > MOST_ASKED {
                asked.push(cap.to_owned());
            } else {
                *last += if last.is_empty() { "" } else { " " };
                *last += cap;
            }
        }
        asked.retain(|caps| !caps.is_empty());
        let words = |caps: &String| caps.split(' ').map(str::to_owned).collect();
        self.asked = asked.iter().map(words).collect();
        // If the server does not answer, go on without.
        self.step = Some(now + STEP);
        let request = |caps| Command::CAP(None, CapSubCommand::REQ, None, Some(caps));
        send.extend(asked.into_iter().map(request));
        if self.asked.is_empty() { self.after_caps(now, send) } else { Ok(()) }
    }

    /// Notes why the first nick was refused. That one is taken happens; anything else is for the operator to know.
    fn note_refused(&mut self, number: u16, why: &str) {
        const TAKEN: u16 = 433;
        if self.refused.is_none() {
            self.refused = Some((self.nick.clone(), why.to_owned()));
            if number != TAKEN {
                self.remark(format!("the server refused the nick {}: {why}", self.nick));
            }
        }
    }

    fn next_nick(&mut self, send: &mut Vec<Command>) -> Result<(), Trouble> {
        /// How many nicks with marks of its own it tries, and the characters of a nick that every server accepts.
        const MOST_MARKS: u32 = 9;
        const SHORTEST: usize = 8;
        let next = self.nicks.pop_front().or_else(|| {
            self.marks += 1;
            let start: String = self.settings.nick.chars().take(SHORTEST).collect();
            match self.marks {
                1 | 2 => Some(format!("{}_", self.nick)),
                // The server may cut long nicks, so that all of them look the same to it.
                3..=MOST_MARKS => Some(format!("{start}{}", self.marks)),
                _ => None,
            }
        });
        let Some(next) = next else {
            let (nick, why) = self.refused.take().unwrap_or_default();
            return Err(Trouble::link(format!(
                "the server refused the nick {nick} ({why}) and all others: set another nick, or name some in alternative_nicks"
            )));
        };
        self.nick.clone_from(&next);
        send.push(Command::NICK(next));
        Ok(())
    }

    fn finish(&mut self) -> Result<Progress, Trouble> {
        if self.settings.login_required && self.account.is_none() {
            let said = self.remarks.join("; ");
            return Err(Trouble::link(format!("not logged in, and login_required is set: {said}")));
        }
        let logged_in = self.account.is_some();
        Ok(Progress::Registered(Box::new(Registered {
            nick: self.nick.clone(),
            account: self.account.take(),
            caps: std::mem::take(&mut self.caps),
            isupport: self.isupport.clone(),
            remarks: std::mem::take(&mut self.remarks),
            missing: self.missing.take().filter(|_| !logged_in),
            sasl: self.offered.get("sasl").cloned(),
            way: self.way,
        })))
    }
}

/// True if a MODE says that the bot is registered now: `+r`.
pub fn registered_mode(params: &[String]) -> bool {
    let set = params.get(1).and_then(|modes| modes.strip_prefix('+')).unwrap_or_default();
    set.split('-').next().is_some_and(|set| set.contains('r'))
}

fn cap_end() -> Command {
    Command::CAP(None, CapSubCommand::END, None, None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Encoding;

    #[test]
    fn a_server_that_answers_nothing_is_given_up() {
        let settings: Settings = toml::from_str("server = \"x\"").unwrap();
        let (now, mut send) = (Instant::now(), Vec::new());
        let server = Server { settings: &settings, way: Way::Tls(6_697), distrusted: false };
        let mut login = Login::begin(server, String::new(), now, &mut send);
        assert_eq!(login.deadline(), now + PATIENCE);
        let early = login.tick(now + PATIENCE / 2, &mut send);
        assert!(matches!(early, Ok(Progress::Going)));
        let late = login.tick(now + PATIENCE, &mut send);
        assert!(late.is_err_and(|trouble| trouble.what.contains("did not let us in")));
    }

    #[test]
    fn the_servers_reason_for_refusing_a_nick_is_said() {
        let settings: Settings = toml::from_str("server = \"x\"").unwrap();
        let (now, mut send) = (Instant::now(), Vec::new());
        let server = Server { settings: &settings, way: Way::Tls(6_697), distrusted: false };
        let hear = |login: &mut Login<'_>, line: &str, send: &mut Vec<Command>| {
            let line = Incoming::read(line.as_bytes(), Encoding::Mixed).expect("a line");
            login.hear(&line, now, send)
        };
        let refusal = ":irc.test 432 * astragal :Erroneous Nickname: Reserved for services";
        let mut login = Login::begin(server, String::new(), now, &mut send);
        let given_up = (0..20).find_map(|_| hear(&mut login, refusal, &mut send).err()).expect("it gives up");
        let reason = "the server refused the nick astragal (Erroneous Nickname: Reserved for services) and all others";
        assert!(given_up.what.starts_with(reason), "{given_up}");
        // If another one is taken, the reason is a remark; that a nick is in use is none.
        for (refusal, remarks) in [(refusal, 1), (":irc.test 433 * astragal :Nickname is already in use.", 0)] {
            let mut login = Login::begin(server, String::new(), now, &mut send);
            assert!(hear(&mut login, refusal, &mut send).is_ok());
            assert_eq!(login.remarks.len(), remarks, "{:?}", login.remarks);
        }
    }
}
