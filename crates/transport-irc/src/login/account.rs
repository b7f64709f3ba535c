//! Proves the account during registration: by SASL, or by a message to the network's services.

use super::{Login, Progress, STEP, Stage, cap_end};
use crate::sasl::{Exchange, Mechanism};
use crate::settings::TellPassword;
use crate::trouble::Trouble;
use crate::wire::Incoming;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use irc_proto::Command;
use tokio::time::Instant;

/// Bytes of base64 in one AUTHENTICATE.
const CHUNK: usize = 400;
/// The most bytes a server may send in one step of SASL.
const MOST_CHALLENGE: usize = 16 << 10;

impl Login<'_> {
    /// Returns why the password itself must not be sent to the other end, if that is so.
    fn withheld(&self) -> Option<&'static str> {
        if self.distrusted || self.learned.caught {
            return Some(
                "the server pretended to know the password without knowing it, so it is not told; if it is the right \
                 server, change the account's password, here too",
            );
        }
        match self.settings.tell_password {
            TellPassword::Always => None,
            TellPassword::Tls if self.way.is_encrypted() => None,
            TellPassword::Tls => Some(
                "the link is not encrypted, so the password itself is not told: set tls = true, or, if nobody can listen \
                 on the way, tell_password = \"always\"",
            ),
            TellPassword::Never => Some("the password itself is not told: tell_password = \"never\""),
        }
    }

    /// Drops the mechanisms that would reveal the password, if it must not be revealed.
    fn withhold(&mut self) {
        if self.withheld().is_some() {
            self.mechanisms.retain(|mechanism| *mechanism != Mechanism::Plain);
        }
    }

    /// Capabilities are settled: proves who the bot is, or goes on.
    pub(super) fn after_caps(&mut self, now: Instant, send: &mut Vec<Command>) -> Result<(), Trouble> {
        self.step = None;
        if !self.mechanisms.is_empty() {
            if self.caps.contains("sasl") {
                let known = self.offered.get("sasl").map_or("", String::as_str);
                let known: Vec<&str> = known.split(',').filter(|name| !name.is_empty()).collect();
                self.mechanisms.retain(|mechanism| known.is_empty() || known.contains(&mechanism.name()));
                self.withhold();
                return self.next_mechanism("it offers no mechanism that we have".to_owned(), now, send);
            }
            if self.settings.login_required && self.settings.account_password.is_none() {
                return Err(Trouble::link("the server offers no SASL, and login_required is set".to_owned()));
            }
        }
        send.push(cap_end());
        Ok(())
    }

    pub(super) fn next_mechanism(&mut self, why: String, now: Instant, send: &mut Vec<Command>) -> Result<(), Trouble> {
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
                let withheld = self.withheld().filter(|_| self.settings.account_password.is_some());
                let withheld = withheld.map(|why| format!("; {why}")).unwrap_or_default();
                let what = format!("the login to the account {account} was refused: {why}{withheld}");
                if self.settings.login_required {
                    return Err(Trouble::link(what));
                }
                self.remark(what);
                send.push(cap_end());
                Ok(())
            }
        }
    }

    pub(super) fn hear_challenge(&mut self, chunk: &str, now: Instant, send: &mut Vec<Command>) -> Result<(), Trouble> {
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
                // The server answers that with 906, and then the next mechanism is tried.
                if exchange.is_faked() {
                    // Whoever that is, they are not told the password.
                    self.learned.caught = true;
                    self.mechanisms.clear();
                }
                self.remark(format!("SASL: {why}"));
                send.push(Command::AUTHENTICATE("*".to_owned()));
                Ok(())
            }
        }
    }

    /// Takes the server's verdict on the account the bot claims.
    pub(super) fn hear_verdict(
        &mut self,
        number: u16,
        line: &Incoming,
        now: Instant,
        send: &mut Vec<Command>,
    ) -> Result<Progress, Trouble> {
        let proving = self.stage == Stage::Negotiating && self.exchange.is_some();
        match number {
            900 => {
                self.account = Some(line.param(2).to_owned());
                if self.stage == Stage::Identifying {
                    return self.finish();
                }
            }
            903 | 907 if self.exchange.as_ref().is_some_and(|exchange| !exchange.convinces()) => {
                self.account = None;
                self.learned.caught |= number == 903;
                self.mechanisms.clear();
                self.next_mechanism("the server has not shown that it knows the password".to_owned(), now, send)?;
            }
            903 | 907 if proving => {
                self.step = None;
                self.exchange = None;
                // If there was no 900, the account is the one that was claimed.
                self.account = self.account.take().or_else(|| self.settings.account.clone());
                send.push(cap_end());
            }
            902 | 904 | 905 | 906 if proving => self.next_mechanism(line.last().to_owned(), now, send)?,
            908 => {
                let known: Vec<&str> = line.param(1).split(',').collect();
                self.mechanisms.retain(|mechanism| known.contains(&mechanism.name()));
            }
            _ => {}
        }
        Ok(Progress::Going)
    }

    /// The nick of the service that is told the account.
    pub(super) fn service(&self) -> String {
        self.settings.identify.split(['@', ' ']).next().unwrap_or_default().to_owned()
    }

    /// After the welcome: identifies to NickServ if SASL did not log the bot in.
    pub(super) fn identify(&mut self, now: Instant, send: &mut Vec<Command>) -> Result<Progress, Trouble> {
        let tried = self.caps.contains("sasl");
        let (None, false, Some(account), Some(password)) =
            (&self.account, tried, &self.settings.account, &self.settings.account_password)
        else {
            return self.finish();
        };
        let Some((whom, words)) = self.settings.identify.split_once(' ') else { return self.finish() };
        if let Some(why) = self.withheld() {
            self.remark(why.to_owned());
            return self.finish();
        }
        self.stage = Stage::Identifying;
        self.step = Some(now + STEP);
        let words = words.trim_start().replace("{account}", account).replace("{password}", password.expose());
        send.push(Command::PRIVMSG(whom.to_owned(), words));
        Ok(Progress::Going)
    }
}
