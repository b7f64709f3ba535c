//! Registration: capabilities, SASL, a nick, and what the server says of itself; all before anything is joined.
//!
//! Knows no sockets: it is told lines and answers with commands.

use crate::isupport::Isupport;
use crate::sasl::{Exchange, Mechanism};
use crate::settings::Settings;
use crate::trouble::Trouble;
use crate::wire::Incoming;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use irc_proto::{CapSubCommand, Command};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;
use tokio::time::Instant;

/// How long registration may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long one step of SASL, or NickServ, may take.
const STEP: Duration = Duration::from_secs(15);
/// How long the server may take to tell that NickServ agreed, when that has answered.
const YES: Duration = Duration::from_secs(2);
/// Bytes of base64 in one AUTHENTICATE.
const CHUNK: usize = 400;
/// Bytes that a server may send in one step of SASL.
const MOST_CHALLENGE: usize = 16 << 10;
/// Bytes of a list of capabilities that are asked for at once.
const MOST_ASKED: usize = 400;

/// What is asked for where it is offered.
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

/// Whether a capability is of use.
pub fn is_wanted(cap: &str) -> bool {
    WANTED.contains(&cap)
}

/// What came of registering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registered {
    /// The nick the bot got.
    pub nick: String,
    /// The account it is logged in to.
    pub account: Option<String>,
    /// The capabilities in use.
    pub caps: BTreeSet<String>,
    /// What the server supports.
    pub isupport: Isupport,
    /// What did not work and is not needed.
    pub remarks: Vec<String>,
}

/// Registration on its way.
#[derive(Debug)]
pub struct Login<'a> {
    settings: &'a Settings,
    nonce: String,
    stage: Stage,
    offered: BTreeMap<String, String>,
    /// What is not acknowledged yet of each request.
    asked: VecDeque<BTreeSet<String>>,
    caps: BTreeSet<String>,
    nicks: VecDeque<String>,
    marks: u32,
    nick: String,
    mechanisms: VecDeque<Mechanism>,
    exchange: Option<Exchange>,
    challenge: String,
    account: Option<String>,
    isupport: Isupport,
    remarks: Vec<String>,
    deadline: Instant,
    step: Option<Instant>,
    /// What NickServ said first.
    nickserv: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Capabilities, SASL, nick.
    Negotiating,
    /// Welcome, and what follows it.
    Welcomed,
    /// NickServ was told who the bot is.
    Identifying,
}

/// How far it is.
pub enum Progress {
    /// Not done.
    Going,
    /// Done.
    Registered(Box<Registered>),
}

impl<'a> Login<'a> {
    /// Begins; `nonce` is fresh randomness, in text.
    pub fn begin(settings: &'a Settings, nonce: String, now: Instant, send: &mut Vec<Command>) -> Self {
        send.push(Command::CAP(None, CapSubCommand::LS, None, Some("302".to_owned())));
        if let Some(password) = &settings.password {
            send.push(Command::PASS(password.expose().to_owned()));
        }
        send.push(Command::NICK(settings.nick.clone()));
        let user = settings.user.clone().unwrap_or_else(|| settings.nick.clone());
        send.push(Command::Raw(
            "USER".to_owned(),
            vec![user, "0".to_owned(), "*".to_owned(), settings.real_name.clone()],
        ));
        Login {
            settings,
            nonce,
            stage: Stage::Negotiating,
            offered: BTreeMap::new(),
            asked: VecDeque::new(),
            caps: BTreeSet::new(),
            nicks: settings.alternative_nicks.iter().cloned().collect(),
            marks: 0,
            nick: settings.nick.clone(),
            mechanisms: Mechanism::possible(settings).into(),
            exchange: None,
            challenge: String::new(),
            account: None,
            isupport: Isupport::default(),
            remarks: Vec::new(),
            deadline: now + PATIENCE,
            step: None,
            nickserv: None,
        }
    }

    /// When [`tick`](Self::tick) must be called, if nothing is heard before.
    pub fn deadline(&self) -> Instant {
        self.step.map_or(self.deadline, |step| step.min(self.deadline))
    }

    /// Gives up what takes too long.
    ///
    /// # Errors
    /// Registration as a whole takes too long.
    pub fn tick(&mut self, now: Instant, send: &mut Vec<Command>) -> Result<Progress, Trouble> {
        if now >= self.deadline {
            return Err(Trouble::link(format!("the server did not let us in within {} seconds", PATIENCE.as_secs())));
        }
        if self.step.is_some_and(|step| now >= step) {
            self.step = None;
            if self.stage == Stage::Identifying {
                let service = self.service();
                let says = self.nickserv.take().map(|says| format!("{service} says: {says}"));
                self.remarks.push(says.unwrap_or_else(|| format!("{service} does not answer")));
                return self.finish();
            }
            if self.exchange.is_none() {
                self.asked.clear();
                self.after_caps(now, send)?;
                return Ok(Progress::Going);
            }
            send.push(Command::AUTHENTICATE("*".to_owned()));
            self.mechanisms.clear();
            self.next_mechanism("services do not answer".to_owned(), now, send)?;
        }
        Ok(Progress::Going)
    }

    /// Takes a line.
    ///
    /// # Errors
    /// The server does not let us in.
    pub fn hear(&mut self, line: &Incoming, now: Instant, send: &mut Vec<Command>) -> Result<Progress, Trouble> {
        match &line.message.command {
            Command::PING(..) => send.push(Command::PONG(line.last().to_owned(), None)),
            Command::CAP(_, kind, ..) => self.hear_cap(kind, line, now, send)?,
            Command::AUTHENTICATE(chunk) => self.hear_challenge(chunk, now, send)?,
            Command::ERROR(why) => return Err(closed(why)),
            // Older services tell it so.
            Command::UserMODE(..) if self.stage == Stage::Identifying && registered_mode(&line.params) => {
                self.account.clone_from(&self.settings.account);
                return self.finish();
            }
            Command::NICK(to) if line.source().eq_ignore_ascii_case(&self.nick) && !to.is_empty() => {
                self.nick.clone_from(to);
            }
            Command::NOTICE(_, text) if self.stage == Stage::Identifying => {
                if line.source().eq_ignore_ascii_case(self.service()) && self.nickserv.is_none() {
                    self.nickserv = Some(crate::wire::unstyled(text));
                    // Whether that was a yes, the server tells.
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
            900 => {
                self.account = Some(line.param(2).to_owned());
                if self.stage == Stage::Identifying {
                    return self.finish();
                }
            }
            903 | 907 if self.exchange.as_ref().is_some_and(|exchange| !exchange.convinces()) => {
                self.account = None;
                self.mechanisms.clear();
                self.next_mechanism("the server has not shown that it knows the password".to_owned(), now, send)?;
            }
            903 | 907 if self.stage == Stage::Negotiating && self.exchange.is_some() => {
                self.step = None;
                self.exchange = None;
                // Where 900 was left out, the account is the one that was named.
                self.account = self.account.take().or_else(|| self.settings.account.clone());
                send.push(cap_end());
            }
            902 | 904 | 905 | 906 if self.stage == Stage::Negotiating && self.exchange.is_some() => {
                self.next_mechanism(line.last().to_owned(), now, send)?;
            }
            908 => {
                let known: Vec<&str> = line.param(1).split(',').collect();
                self.mechanisms.retain(|mechanism| known.contains(&mechanism.name()));
            }
            432 | 433 | 436 | 437 if self.stage == Stage::Negotiating => self.next_nick(number, send)?,
            464 => {
                let what = "the server wants a password, or another one: password_file = \"FILE\"";
                return Err(Trouble::setting(what.to_owned()));
            }
            465 => return Err(Trouble::setting(format!("the server bans us: {}", line.last()))),
            401 if self.stage == Stage::Identifying => {
                self.remarks.push(format!("there is no {} here", self.service()));
                return self.finish();
            }
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
    ) -> Result<(), Trouble> {
        let listed = || line.last().split(' ').filter(|cap| !cap.is_empty());
        match kind {
            CapSubCommand::LS if self.stage == Stage::Negotiating => {
                for cap in listed() {
                    let (name, value) = cap.split_once('=').unwrap_or((cap, ""));
                    self.offered.insert(name.to_owned(), value.to_owned());
                }
                if line.param(2) != "*" || line.params.len() < 4 {
                    self.ask(now, send)?;
                }
            }
            CapSubCommand::ACK | CapSubCommand::NAK => {
                let more = line.param(2) == "*" && line.params.len() >= 4;
                let Some(request) = self.asked.front_mut() else { return Ok(()) };
                if *kind == CapSubCommand::ACK {
                    // It may come in several lines. A NAK answers all of it, even if it repeats only the beginning.
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
        Ok(())
    }

    /// Asks for what is wanted of what is offered.
    fn ask(&mut self, now: Instant, send: &mut Vec<Command>) -> Result<(), Trouble> {
        let sasl = (!self.mechanisms.is_empty()).then_some("sasl");
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
        // A server that does not answer is gone on without.
        self.step = Some(now + STEP);
        let request = |caps| Command::CAP(None, CapSubCommand::REQ, None, Some(caps));
        send.extend(asked.into_iter().map(request));
        if self.asked.is_empty() { self.after_caps(now, send) } else { Ok(()) }
    }

    /// Capabilities are settled: proves who the bot is, or goes on.
    fn after_caps(&mut self, now: Instant, send: &mut Vec<Command>) -> Result<(), Trouble> {
        self.step = None;
        if !self.mechanisms.is_empty() {
            if self.caps.contains("sasl") {
                let known = self.offered.get("sasl").map_or("", String::as_str);
                let known: Vec<&str> = known.split(',').filter(|name| !name.is_empty()).collect();
                self.mechanisms.retain(|mechanism| known.is_empty() || known.contains(&mechanism.name()));
                return self.next_mechanism("it offers no mechanism that we have".to_owned(), now, send);
            }
            if self.settings.login_required && self.settings.account_password.is_none() {
                return Err(Trouble::link("the server offers no SASL, and login_required is set".to_owned()));
            }
        }
        send.push(cap_end());
        Ok(())
    }

    fn next_mechanism(&mut self, why: String, now: Instant, send: &mut Vec<Command>) -> Result<(), Trouble> {
        match self.mechanisms.pop_front() {
            Some(mechanism) => {
                self.exchange = Some(Exchange::new(mechanism, self.settings, &self.nonce));
                self.challenge.clear();
                self.step = Some(now + STEP);
                send.push(Command::AUTHENTICATE(mechanism.name().to_owned()));
                Ok(())
            }
            None => {
                self.step = None;
                self.exchange = None;
                let account = self.settings.account.as_deref().unwrap_or("of the certificate");
                let what = format!("the login to the account {account} was refused: {why}");
                if self.settings.login_required {
                    return Err(Trouble::link(what));
                }
                self.remarks.push(what);
                send.push(cap_end());
                Ok(())
            }
        }
    }

    fn hear_challenge(&mut self, chunk: &str, now: Instant, send: &mut Vec<Command>) -> Result<(), Trouble> {
        let Some(exchange) = &mut self.exchange else { return Ok(()) };
        if chunk != "+" {
            self.challenge += chunk;
        }
        if chunk.len() == CHUNK && self.challenge.len() <= MOST_CHALLENGE {
            return Ok(());
        }
        let challenge = BASE64_STANDARD.decode(std::mem::take(&mut self.challenge));
        let answer = challenge.map_err(|_| "the server does not speak base64".to_owned());
        match answer.and_then(|challenge| exchange.answer(&challenge)) {
            Ok(answer) => {
                self.step = Some(now + STEP);
                let text = BASE64_STANDARD.encode(answer);
                let mut chunks: Vec<&str> =
                    text.as_bytes().chunks(CHUNK).map(|chunk| std::str::from_utf8(chunk).unwrap_or_default()).collect();
                if chunks.last().is_none_or(|last| last.len() == CHUNK) {
                    chunks.push("+");
                }
                send.extend(chunks.into_iter().map(|chunk| Command::AUTHENTICATE(chunk.to_owned())));
                Ok(())
            }
            Err(why) => {
                // The server answers that with 906, which tries the next one.
                self.remarks.push(format!("SASL: {why}"));
                if exchange.is_faked() {
                    // Whoever that is, they are not told the password.
                    self.mechanisms.clear();
                }
                send.push(Command::AUTHENTICATE("*".to_owned()));
                Ok(())
            }
        }
    }

    fn next_nick(&mut self, number: u16, send: &mut Vec<Command>) -> Result<(), Trouble> {
        /// Nicks of its own making that it tries, and characters of one that every server takes.
        const MOST_MARKS: u32 = 9;
        const SHORTEST: usize = 8;
        let next = self.nicks.pop_front().or_else(|| {
            self.marks += 1;
            let start: String = self.settings.nick.chars().take(SHORTEST).collect();
            match self.marks {
                1 | 2 => Some(format!("{}_", self.nick)),
                // It may be that the server cuts long nicks, and so takes each of them for the same.
                3..=MOST_MARKS => Some(format!("{start}{}", self.marks)),
                _ => None,
            }
        });
        let Some(next) = next else {
            let why = if number == 432 { "the server takes no such nick" } else { "all of them are taken" };
            return Err(Trouble::link(format!("no nick: {why}; name others with alternative_nicks")));
        };
        self.nick.clone_from(&next);
        send.push(Command::NICK(next));
        Ok(())
    }

    /// The nick of who is told the account.
    fn service(&self) -> &'a str {
        self.settings.identify.split(['@', ' ']).next().unwrap_or_default()
    }

    /// Welcomed: where SASL did not do it, NickServ is told who the bot is.
    fn identify(&mut self, now: Instant, send: &mut Vec<Command>) -> Result<Progress, Trouble> {
        let tried = self.caps.contains("sasl");
        let (None, false, Some(account), Some(password)) =
            (&self.account, tried, &self.settings.account, &self.settings.account_password)
        else {
            return self.finish();
        };
        let Some((service, _)) = self.settings.identify.split_once(' ') else { return self.finish() };
        self.stage = Stage::Identifying;
        self.step = Some(now + STEP);
        let words = self.settings.identify.replace("{account}", account).replace("{password}", password.expose());
        send.push(Command::PRIVMSG(service.to_owned(), words[service.len()..].trim_start().to_owned()));
        Ok(Progress::Going)
    }

    fn finish(&mut self) -> Result<Progress, Trouble> {
        if self.settings.login_required && self.account.is_none() {
            let said = self.remarks.join("; ");
            return Err(Trouble::link(format!("not logged in, and login_required is set: {said}")));
        }
        Ok(Progress::Registered(Box::new(Registered {
            nick: self.nick.clone(),
            account: self.account.take(),
            caps: std::mem::take(&mut self.caps),
            isupport: self.isupport.clone(),
            remarks: std::mem::take(&mut self.remarks),
        })))
    }
}

/// Whether a MODE says that the bot is registered now: `+r`.
fn registered_mode(params: &[String]) -> bool {
    let set = params.get(1).and_then(|modes| modes.strip_prefix('+')).unwrap_or_default();
    set.split('-').next().is_some_and(|set| set.contains('r'))
}

/// The server ends the link.
pub fn closed(why: &str) -> Trouble {
    Trouble::link(format!("the server closed the link: {why}"))
}

fn cap_end() -> Command {
    Command::CAP(None, CapSubCommand::END, None, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_answers_nothing_is_given_up() {
        let settings: Settings = toml::from_str("server = \"x\"").unwrap();
        let (now, mut send) = (Instant::now(), Vec::new());
        let mut login = Login::begin(&settings, String::new(), now, &mut send);
        assert_eq!(login.deadline(), now + PATIENCE);
        let early = login.tick(now + PATIENCE / 2, &mut send);
        assert!(matches!(early, Ok(Progress::Going)));
        let late = login.tick(now + PATIENCE, &mut send);
        assert!(late.is_err_and(|trouble| trouble.what.contains("did not let us in")));
    }
}
