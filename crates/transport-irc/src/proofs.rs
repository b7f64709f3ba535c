//! Proves the account to a server by SASL: one mechanism after another until one is accepted. Used while the bot registers,
//! and again when the network's services come back.

use crate::sasl::{Exchange, Mechanism};
use crate::settings::{Settings, TellPassword};
use crate::sts::Way;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use irc_proto::Command;
use std::collections::VecDeque;

/// Bytes of base64 in one AUTHENTICATE.
const CHUNK: usize = 400;
/// The most bytes a server may send in one step of SASL.
const MOST_CHALLENGE: usize = 16 << 10;

/// Proofs that were not tried yet, and the one in progress.
#[derive(Debug)]
pub struct Proofs {
    mechanisms: VecDeque<Mechanism>,
    exchange: Option<Exchange>,
    challenge: String,
    /// True once the server pretended to know the password.
    pub caught: bool,
}

/// The server's word on a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The bot is logged in.
    In,
    /// It is not, for this reason.
    Refused(String),
}

/// The answer to a challenge.
#[derive(Debug, Default)]
pub struct Answer {
    /// What to send.
    pub send: Vec<Command>,
    /// What is wrong with the challenge.
    pub wrong: Option<String>,
}

impl Proofs {
    /// Every proof that these settings allow.
    pub fn new(settings: &Settings) -> Self {
        let mechanisms = Mechanism::possible(settings).into();
        Proofs { mechanisms, exchange: None, challenge: String::new(), caught: false }
    }

    /// True if no proof is left to try.
    pub fn is_empty(&self) -> bool {
        self.mechanisms.is_empty()
    }

    /// True while the server is being convinced.
    pub fn goes_on(&self) -> bool {
        self.exchange.is_some()
    }

    /// True if the server's word can be believed: it has shown what the proof in progress requires, or none is in progress.
    pub fn is_convinced(&self) -> bool {
        self.exchange.as_ref().is_none_or(Exchange::convinces)
    }

    /// Keeps the proofs among these; an empty list means that the server does not say.
    pub fn keep(&mut self, known: &str) {
        let known: Vec<&str> = known.split(',').filter(|name| !name.is_empty()).collect();
        self.mechanisms.retain(|mechanism| known.is_empty() || known.contains(&mechanism.name()));
    }

    /// Drops the proofs that reveal the password.
    pub fn withhold(&mut self) {
        self.mechanisms.retain(|mechanism| *mechanism != Mechanism::Plain);
    }

    /// Gives up the rest.
    pub fn give_up(&mut self) {
        self.mechanisms.clear();
    }

    /// Begins the next proof with a fresh nonce. Returns `None` if there is none.
    pub fn next(&mut self, settings: &Settings, nonce: &str) -> Option<Command> {
        self.challenge.clear();
        let mechanism = self.mechanisms.pop_front();
        self.exchange = mechanism.map(|mechanism| Exchange::new(mechanism, settings, nonce));
        mechanism.map(|mechanism| Command::AUTHENTICATE(mechanism.name().to_owned()))
    }

    /// Takes a piece of a challenge. Returns `None` if more is to come, or if no proof is in progress.
    pub fn challenged(&mut self, chunk: &str) -> Option<Answer> {
        let exchange = self.exchange.as_mut()?;
        if chunk != "+" {
            self.challenge += chunk;
        }
        if chunk.len() == CHUNK && self.challenge.len() <= MOST_CHALLENGE {
            return None;
        }
        let challenge = BASE64_STANDARD.decode(std::mem::take(&mut self.challenge));
        let challenge = challenge.map_err(|_| "the server does not speak base64".to_owned());
        match challenge.and_then(|challenge| exchange.answer(&challenge)) {
            Ok(answer) => Some(Answer { send: in_chunks(&answer), wrong: None }),
            Err(why) => {
                // The server answers that with 906, and then the next mechanism is tried.
                if exchange.is_faked() {
                    // Whoever that is, they are not told the password.
                    self.caught = true;
                    self.mechanisms.clear();
                }
                let send = vec![Command::AUTHENTICATE("*".to_owned())];
                Some(Answer { send, wrong: Some(format!("SASL: {why}")) })
            }
        }
    }

    /// Takes the numeric reply to a proof, with its text. Returns `None` if it decides nothing.
    pub fn judged(&mut self, number: u16, listed: &str, text: &str) -> Option<Verdict> {
        match number {
            903 | 907 if !self.is_convinced() => {
                self.caught |= number == 903;
                self.mechanisms.clear();
                Some(Verdict::Refused("the server has not shown that it knows the password".to_owned()))
            }
            903 | 907 if self.exchange.take().is_some() => Some(Verdict::In),
            902 | 904 | 905 | 906 if self.exchange.is_some() => Some(Verdict::Refused(text.to_owned())),
            908 => {
                self.keep(listed);
                None
            }
            _ => None,
        }
    }
}

fn in_chunks(answer: &[u8]) -> Vec<Command> {
    let text = BASE64_STANDARD.encode(answer);
    let chunks = text.as_bytes().chunks(CHUNK);
    let mut chunks: Vec<&str> = chunks.map(|chunk| std::str::from_utf8(chunk).unwrap_or_default()).collect();
    if chunks.last().is_none_or(|last| last.len() == CHUNK) {
        chunks.push("+");
    }
    chunks.into_iter().map(|chunk| Command::AUTHENTICATE(chunk.to_owned())).collect()
}

/// Why the password itself is not sent to a server that was caught.
pub const DISTRUSTED: &str = "the server pretended to know the password without knowing it, so it is not told; if it is the right server, change \
     the account's password, here too";

/// Returns why the password itself must not be sent over a link, whatever is at its other end, if that is so.
pub fn withheld(settings: &Settings, way: Way) -> Option<&'static str> {
    match settings.tell_password {
        TellPassword::Always => None,
        TellPassword::Tls if way.is_encrypted() => None,
        TellPassword::Tls => Some(
            "the link is not encrypted, so the password itself is not told: set tls = true, or, if nobody can listen on \
             the way, tell_password = \"always\"",
        ),
        TellPassword::Never => Some("the password itself is not told: tell_password = \"never\""),
    }
}

/// The nick of the service that is told the account; empty if none is.
pub fn service(settings: &Settings) -> &str {
    settings.identify.split(['@', ' ']).next().unwrap_or_default()
}

/// The message that logs in where there is no SASL.
pub fn identification(settings: &Settings) -> Option<Command> {
    let (account, password) = (settings.account.as_ref()?, settings.account_password.as_ref()?);
    let (whom, words) = settings.identify.split_once(' ')?;
    let words = words.trim_start().replace("{account}", account).replace("{password}", password.expose());
    Some(Command::PRIVMSG(whom.to_owned(), words))
}
