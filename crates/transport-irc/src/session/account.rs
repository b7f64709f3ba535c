//! The bot's own account after registration: it logs in again when the network's services are back, and gets its nick
//! back from a ghost.

use super::{Memory, Moment, Session};
use crate::login::{Missing, Registered, registered_mode};
use crate::outbox::Outbox;
use crate::proofs::{self, Proofs, Verdict};
use crate::settings::Settings;
use crate::trouble::legible;
use crate::wire;
use crate::wire::Incoming;
use irc_proto::{CapSubCommand, Command};
use jiff::SignedDuration;
use std::collections::VecDeque;
use std::time::Duration;
use tokio::time::Instant;

/// How long the server or a service may take for one step.
const STEP: Duration = Duration::from_secs(15);
/// How long the server may take to confirm the login after the service has answered.
const YES: Duration = Duration::from_secs(2);
/// Waiting times as multiples of those between two connections: for services that are away, the first time and at most;
/// and after a refusal, at first. Services shut out who tries a wrong password often.
const FIRST: u32 = 15;
const LONGEST: u32 = 3;
const REFUSED: u32 = 6;
/// The words that make services free a nick: of Atheme, of Anope, and older ones. They name no password: services know that
/// the nick is the account's.
const WORDS: [&str; 3] = ["REGAIN", "RECOVER", "GHOST"];

/// The account, and the attempt to log in to it.
pub(super) struct Own {
    /// The account that the bot is logged in to.
    account: Option<String>,
    /// Why it is not, though it should be.
    missing: Option<Missing>,
    /// The mechanisms of SASL that the server lists; `None` if it offers no SASL.
    sasl: Option<String>,
    try_at: Option<Instant>,
    retry: Duration,
    attempt: Attempt,
    /// The words that were not tried yet to get the nick back.
    words: VecDeque<&'static str>,
}

/// A step of logging in, with the time at which it is given up.
enum Attempt {
    None,
    /// Asked the server whether it offers SASL again. Not every server announces that.
    Listed(Instant),
    Sasl(Proofs, Instant),
    /// Asked the server whether the service is an operator of the network. Anyone may take its nick while it is away.
    Asked(Instant),
    /// Told the service, which may have answered.
    Told(Instant, Option<String>),
}

impl Attempt {
    /// True if it has not begun to log in.
    fn is_open(&self) -> bool {
        matches!(self, Attempt::None | Attempt::Listed(_))
    }

    fn until(&self) -> Option<Instant> {
        match self {
            Attempt::None => None,
            Attempt::Listed(until) | Attempt::Sasl(_, until) | Attempt::Asked(until) | Attempt::Told(until, _) => {
                Some(*until)
            }
        }
    }
}

impl Own {
    pub fn new(settings: &Settings, registered: &Registered, now: Instant) -> Self {
        let logged_in = registered.account.is_some();
        let mut own = Own {
            account: registered.account.clone(),
            missing: None,
            sasl: registered.sasl.clone(),
            try_at: None,
            retry: Duration::ZERO,
            attempt: Attempt::None,
            words: if logged_in { WORDS.into() } else { VecDeque::new() },
        };
        if let Some(missing) = registered.missing.clone() {
            own.wait(settings, missing, now);
        }
        own
    }

    /// The bot is not logged in. It tries again later.
    fn wait(&mut self, settings: &Settings, missing: Missing, now: Instant) {
        let milliseconds = |number: u32| Duration::from_millis(u64::from(number));
        let (first, most) = (milliseconds(settings.reconnect_first_ms), milliseconds(settings.reconnect_most_ms));
        let shortest = match missing {
            Missing::Away(_) => first * FIRST,
            Missing::Refused(_) => most * REFUSED,
        };
        let longest = shortest.max(most * LONGEST);
        let wait = self.retry.max(shortest).min(longest);
        (self.try_at, self.retry) = (Some(now + wait), (wait * 2).min(longest));
        (self.missing, self.attempt) = (Some(missing), Attempt::None);
    }

    /// True if the bot is logged in to an account.
    pub fn is_proved(&self) -> bool {
        self.account.is_some()
    }

    pub fn due(&self) -> Option<Instant> {
        self.attempt.until().or(self.try_at)
    }
}

impl Session {
    /// Why the bot is not logged in, and when it tries again.
    pub(super) fn not_logged_in(&self, now: Instant) -> Option<(String, Option<jiff::Timestamp>)> {
        let missing = self.own.missing.as_ref()?;
        let account = self.settings.account.as_deref().unwrap_or("of the certificate");
        let again = self.own.try_at.and_then(|at| {
            let left = SignedDuration::try_from(at.saturating_duration_since(now)).ok()?;
            self.clock.now().checked_add(left).ok()
        });
        Some((format!("not logged in to the account {account}: {}", legible(missing.why())), again))
    }

    /// Tries to log in, or gives up an attempt, if it is time.
    pub(super) fn tick_account(&mut self, moment: &mut Moment<'_>) {
        let now = moment.now;
        if self.own.attempt.until().is_some_and(|until| until <= now) {
            let service = proofs::service(&self.settings).to_owned();
            let missing = match std::mem::replace(&mut self.own.attempt, Attempt::None) {
                Attempt::Listed(_) => return self.ask_for_service(moment),
                Attempt::Told(_, Some(says)) => Missing::Refused(format!("{service} says: {says}")),
                Attempt::Told(_, None) | Attempt::Asked(_) => Missing::Away(format!("{service} does not answer")),
                Attempt::Sasl(..) | Attempt::None => {
                    moment.outbox.command(Command::AUTHENTICATE("*".to_owned()));
                    Missing::Away("services do not answer".to_owned())
                }
            };
            self.not_let_in(missing, now);
        } else if matches!(self.own.attempt, Attempt::None) && self.own.try_at.is_some_and(|at| at <= now) {
            self.log_in(moment);
        }
    }

    /// Why the password itself is not told, if that is so.
    fn withheld(&self, memory: &Memory) -> Option<&'static str> {
        let distrusted = memory.distrust.is_about(&self.settings).then_some(proofs::DISTRUSTED);
        distrusted.or_else(|| proofs::withheld(&self.settings, self.way))
    }

    fn not_let_in(&mut self, missing: Missing, now: Instant) {
        let network = self.view.network();
        tracing::warn!(network, reason = legible(missing.why()), "the bot is not logged in to its account");
        let settings = self.settings.clone();
        self.own.wait(&settings, missing, now);
    }

    /// Begins to log in.
    fn log_in(&mut self, moment: &mut Moment<'_>) {
        let now = moment.now;
        self.own.try_at = None;
        if self.own.account.is_some() || self.own.missing.is_none() {
            return;
        }
        let withheld = self.withheld(moment.memory);
        if let Some(known) = &self.own.sasl {
            if !self.caps.contains("sasl") {
                let request = Command::CAP(None, CapSubCommand::REQ, None, Some("sasl".to_owned()));
                self.own.try_at = Some(now + STEP);
                return moment.outbox.command(request);
            }
            let mut proofs = Proofs::new(&self.settings);
            proofs.keep(known);
            if withheld.is_some() {
                proofs.withhold();
            }
            self.next_proof(proofs, "it offers no mechanism that we have".to_owned(), moment);
        } else if !Proofs::new(&self.settings).is_empty() {
            let list = Some("302".to_owned());
            moment.outbox.command(Command::CAP(None, CapSubCommand::LS, None, list));
            self.own.attempt = Attempt::Listed(now + STEP);
        }
    }

    /// Where there is no SASL, the service may be told the password.
    fn ask_for_service(&mut self, moment: &mut Moment<'_>) {
        let now = moment.now;
        if let Some(why) = self.withheld(moment.memory) {
            self.not_let_in(Missing::Refused(why.to_owned()), now);
        } else if proofs::identification(&self.settings).is_some() {
            let service = proofs::service(&self.settings).to_owned();
            moment.outbox.command(Command::Raw("USERHOST".to_owned(), vec![service]));
            self.own.attempt = Attempt::Asked(now + STEP);
        } else {
            self.not_let_in(Missing::Away("the server offers no SASL now".to_owned()), now);
        }
    }

    /// The server lists what it offers, for the second time.
    pub(super) fn hear_listed(&mut self, line: &Incoming, moment: &mut Moment<'_>) {
        if !matches!(self.own.attempt, Attempt::Listed(_)) {
            return;
        }
        let more = line.param(2) == "*" && line.params.len() >= 4;
        match sasl_in(line.last()) {
            Some(mechanisms) => self.hear_sasl_offered(&mechanisms, moment),
            None if !more => {
                self.own.attempt = Attempt::None;
                self.ask_for_service(moment);
            }
            None => {}
        }
    }

    fn next_proof(&mut self, mut proofs: Proofs, why: String, moment: &mut Moment<'_>) {
        let nonce = self.next_id();
        match proofs.next(&self.settings, &nonce) {
            Some(command) => {
                moment.outbox.command(command);
                self.own.attempt = Attempt::Sasl(proofs, moment.now + STEP);
            }
            None => self.not_let_in(Missing::Refused(why), moment.now),
        }
    }

    /// The server offers SASL again: its services are back.
    pub(super) fn hear_sasl_offered(&mut self, mechanisms: &str, moment: &mut Moment<'_>) {
        self.own.sasl = Some(mechanisms.to_owned());
        if self.own.missing.is_some() && self.own.attempt.is_open() {
            self.own.attempt = Attempt::None;
            self.log_in(moment);
        }
    }

    /// The server grants SASL, which was asked for to log in.
    pub(super) fn hear_sasl_granted(&mut self, moment: &mut Moment<'_>) {
        if matches!(self.own.attempt, Attempt::None) {
            self.log_in(moment);
        }
    }

    /// The server offers SASL no longer: its services are away.
    pub(super) fn hear_sasl_withdrawn(&mut self, now: Instant) {
        self.own.sasl = None;
        if matches!(self.own.attempt, Attempt::Sasl(..)) {
            self.not_let_in(Missing::Away("the network's services went away".to_owned()), now);
        }
    }

    pub(super) fn hear_challenge(&mut self, chunk: &str, moment: &mut Moment<'_>) {
        let Attempt::Sasl(proofs, until) = &mut self.own.attempt else { return };
        let Some(answer) = proofs.challenged(chunk) else { return };
        *until = moment.now + STEP;
        let caught = proofs.caught;
        answer.send.into_iter().for_each(|command| moment.outbox.command(command));
        if let Some(wrong) = answer.wrong {
            tracing::warn!(network = self.view.network(), "{}", legible(&wrong));
        }
        if caught {
            moment.memory.caught(&self.settings, self.view.network());
        }
    }

    /// Takes the server's word on the bot's account.
    pub(super) fn hear_verdict(&mut self, number: u16, line: &Incoming, moment: &mut Moment<'_>) {
        match number {
            900 if !matches!(&self.own.attempt, Attempt::Sasl(proofs, _) if !proofs.is_convinced()) => {
                self.logged_in(Some(line.param(2).to_owned()), moment);
            }
            901 if self.own.account.take().is_some() => {
                self.not_let_in(Missing::Away("services logged the bot out".to_owned()), moment.now);
            }
            900 | 901 => {}
            _ => {
                let Attempt::Sasl(proofs, _) = &mut self.own.attempt else { return };
                match proofs.judged(number, line.param(1), line.last()) {
                    Some(Verdict::In) => self.logged_in(self.settings.account.clone(), moment),
                    Some(Verdict::Refused(why)) => self.proof_refused(why, moment),
                    None => {}
                }
            }
        }
    }

    fn proof_refused(&mut self, why: String, moment: &mut Moment<'_>) {
        let Attempt::Sasl(proofs, _) = std::mem::replace(&mut self.own.attempt, Attempt::None) else { return };
        if proofs.caught {
            moment.memory.caught(&self.settings, self.view.network());
        }
        self.next_proof(proofs, why, moment);
    }

    fn logged_in(&mut self, account: Option<String>, moment: &mut Moment<'_>) {
        let account = account.unwrap_or_default();
        if self.own.account.as_ref() != Some(&account) {
            tracing::info!(network = self.view.network(), account = legible(&account), "logged in");
        }
        let own = &mut self.own;
        (own.account, own.missing, own.try_at, own.retry) = (Some(account), None, None, Duration::ZERO);
        // After the server's word there is nothing more to say in this attempt.
        own.attempt = Attempt::None;
        own.words = WORDS.into();
        self.regain_at = Some(moment.now);
    }

    /// The server says whether the service is an operator of the network: `NickServ*=+services@services.test`.
    pub(super) fn hear_userhost(&mut self, line: &Incoming, moment: &mut Moment<'_>) {
        if !matches!(self.own.attempt, Attempt::Asked(_)) {
            return;
        }
        let service = proofs::service(&self.settings).to_owned();
        let told = line.last().split(' ').find_map(|reply| {
            let (nick, _) = reply.split_once('=')?;
            let bare = nick.strip_suffix('*').unwrap_or(nick);
            bare.eq_ignore_ascii_case(&service).then_some(nick != bare)
        });
        match (told, proofs::identification(&self.settings)) {
            (Some(true), Some(command)) => {
                moment.outbox.command(command);
                self.own.attempt = Attempt::Told(moment.now + STEP, None);
            }
            (Some(_), _) => {
                let why = format!("{service} is no operator of the network, so it is not told the password");
                self.not_let_in(Missing::Away(why), moment.now);
            }
            (None, _) => self.not_let_in(Missing::Away(format!("there is no {service} here")), moment.now),
        }
    }

    /// The service answers in words. The server tells whether that was a yes.
    pub(super) fn hear_service(&mut self, line: &Incoming, now: Instant) {
        if !line.source().eq_ignore_ascii_case(proofs::service(&self.settings)) {
            return;
        }
        if let Attempt::Told(until, says @ None) = &mut self.own.attempt {
            (*until, *says) = (now + YES, Some(wire::unstyled(line.last())));
        }
        if self.own.words.len() < WORDS.len() && !self.own.words.is_empty() {
            // If it did not free the nick, the next word may.
            (self.regain_at, self.regained_at) = (Some(now + YES), None);
        }
    }

    /// The modes of the bot change. Older services confirm a login this way.
    pub(super) fn hear_own_mode(&mut self, line: &Incoming, moment: &mut Moment<'_>) {
        if matches!(self.own.attempt, Attempt::Told(..)) && registered_mode(&line.params) {
            self.logged_in(self.settings.account.clone(), moment);
        }
    }

    /// Asks the services for the wanted nick, in words that were not tried yet. Returns true if there were any.
    pub(super) fn asks_services_for_nick(&mut self, outbox: &mut Outbox) -> bool {
        let whom = self.settings.identify.split_once(' ').map(|(whom, _)| whom.to_owned());
        let (Some(whom), true) = (whom, self.own.is_proved()) else { return false };
        let Some(word) = self.own.words.pop_front() else { return false };
        outbox.command(Command::PRIVMSG(whom, format!("{word} {}", self.settings.nick)));
        true
    }
}

/// The mechanisms of SASL in a list of capabilities, if SASL is in it.
pub(super) fn sasl_in(caps: &str) -> Option<String> {
    let mut caps = caps.split(' ').map(|cap| cap.split_once('=').unwrap_or((cap, "")));
    caps.find(|(name, _)| *name == "sasl").map(|(_, mechanisms)| mechanisms.to_owned())
}

impl Memory {
    /// Notes that a server pretended to know the account's password.
    pub fn caught(&mut self, settings: &Settings, network: &str) {
        if self.distrust.is_about(settings) {
            return;
        }
        self.distrust.note(settings, &mut self.notes);
        let server = settings.server.as_str();
        tracing::error!(
            network,
            server,
            "the server pretended to know the account's password: it may be another's. The password is not told there \
             from now on; if it is the right server, change the password, here too"
        );
    }
}
