//! Proves the account during registration: by SASL, or by a message to the network's services.

use super::{Login, Missing, Progress, STEP, Stage, cap_end};
use crate::proofs::{self, Verdict};
use crate::trouble::Trouble;
use crate::wire::Incoming;
use irc_proto::Command;
use tokio::time::Instant;

impl Login<'_> {
    /// Returns why the password itself must not be sent to the other end, if that is so.
    fn withheld(&self) -> Option<&'static str> {
        let distrusted = (self.distrusted || self.proofs.caught).then_some(proofs::DISTRUSTED);
        distrusted.or_else(|| proofs::withheld(self.settings, self.way))
    }

    /// Capabilities are settled: proves who the bot is, or goes on.
    pub(super) fn after_caps(&mut self, now: Instant, send: &mut Vec<Command>) -> Result<(), Trouble> {
        self.step = None;
        if !self.proofs.is_empty() {
            if self.caps.contains("sasl") {
                self.proofs.keep(self.offered.get("sasl").map_or("", String::as_str));
                if self.withheld().is_some() {
                    self.proofs.withhold();
                }
                return self.next_mechanism("it offers no mechanism that we have".to_owned(), now, send);
            }
            if self.settings.login_required && self.settings.account_password.is_none() {
                return Err(Trouble::link("the server offers no SASL, and login_required is set".to_owned()));
            }
            self.missing = Some(Missing::Away("the server offers no SASL now".to_owned()));
        }
        send.push(cap_end());
        Ok(())
    }

    pub(super) fn next_mechanism(&mut self, why: String, now: Instant, send: &mut Vec<Command>) -> Result<(), Trouble> {
        match self.proofs.next(self.settings, &self.nonce) {
            Some(command) => {
                self.step = Some(now + STEP);
                send.push(command);
                Ok(())
            }
            None => {
                self.step = None;
                let account = self.settings.account.as_deref().unwrap_or("of the certificate");
                let withheld = self.withheld().filter(|_| self.settings.account_password.is_some());
                let withheld = withheld.map(|why| format!("; {why}")).unwrap_or_default();
                let what = format!("the login to the account {account} was refused: {why}{withheld}");
                if self.settings.login_required {
                    return Err(Trouble::link(what));
                }
                self.missing.get_or_insert(Missing::Refused(what.clone()));
                self.remark(what);
                send.push(cap_end());
                Ok(())
            }
        }
    }

    pub(super) fn hear_challenge(&mut self, chunk: &str, now: Instant, send: &mut Vec<Command>) {
        let Some(answer) = self.proofs.challenged(chunk) else { return };
        self.learned.caught |= self.proofs.caught;
        match answer.wrong {
            None => self.step = Some(now + STEP),
            Some(wrong) => self.remark(wrong),
        }
        send.extend(answer.send);
    }

    /// Takes the server's verdict on the account the bot claims.
    pub(super) fn hear_verdict(
        &mut self,
        number: u16,
        line: &Incoming,
        now: Instant,
        send: &mut Vec<Command>,
    ) -> Result<Progress, Trouble> {
        if number == 900 {
            self.account = Some(line.param(2).to_owned());
            return if self.stage == Stage::Identifying { self.finish() } else { Ok(Progress::Going) };
        }
        if self.stage != Stage::Negotiating {
            return Ok(Progress::Going);
        }
        match self.proofs.judged(number, line.param(1), line.last()) {
            Some(Verdict::In) => {
                self.step = None;
                // If there was no 900, the account is the one that was claimed.
                self.account = self.account.take().or_else(|| self.settings.account.clone());
                send.push(cap_end());
            }
            Some(Verdict::Refused(why)) => {
                self.account = None;
                self.learned.caught |= self.proofs.caught;
                self.next_mechanism(why, now, send)?;
            }
            None => {}
        }
        Ok(Progress::Going)
    }

    /// After the welcome: identifies to NickServ if SASL did not log the bot in.
    pub(super) fn identify(&mut self, now: Instant, send: &mut Vec<Command>) -> Result<Progress, Trouble> {
        let tried = self.caps.contains("sasl");
        let (None, false, Some(command)) = (&self.account, tried, proofs::identification(self.settings)) else {
            return self.finish();
        };
        if let Some(why) = self.withheld() {
            self.missing = Some(Missing::Refused(why.to_owned()));
            self.remark(why.to_owned());
            return self.finish();
        }
        self.stage = Stage::Identifying;
        self.step = Some(now + STEP);
        send.push(command);
        Ok(Progress::Going)
    }
}
