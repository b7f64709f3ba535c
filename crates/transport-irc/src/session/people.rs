//! What people do in sight of the bot, and who they are by then: joins, departures, nick changes, accounts and modes.

use super::{Moment, Session};
use crate::outbox::Outbox;
use crate::view::Account;
use crate::wire::Incoming;
use chat::{Event, PlayerId, RoomId, Speaker, Trust};
use irc_proto::Command;
use tokio::time::Instant;

impl Session {
    pub(super) fn hear_of_people(&mut self, command: &Command, line: &Incoming, moment: &mut Moment<'_>) {
        let source = line.source();
        match command {
            Command::JOIN(..) => self.hear_join(line, moment),
            Command::PART(channel, _) => self.hear_left(source, channel, None, moment),
            Command::KICK(channel, nick, why) => {
                self.hear_left(nick, channel, Some((source, why.as_deref().unwrap_or(""))), moment);
            }
            Command::QUIT(_) => self.hear_quit(source, moment),
            Command::NICK(to) if !to.is_empty() => self.hear_nick(source, to, moment.now, moment.outbox),
            // The library takes the modes of some channels for user modes.
            Command::ChannelMODE(channel, _) | Command::UserMODE(channel, _) if !self.view.is_me(channel) => {
                // It may speak now; otherwise it is told again.
                self.mute.remove(&self.view.isupport.fold(channel));
                let parameters = line.params.get(1..).unwrap_or_default();
                for (change, mode, nick) in self.view.isupport.member_modes(parameters) {
                    self.view.mode(channel, change, mode, nick);
                }
            }
            Command::ACCOUNT(account) => self.hear_account(source, Account::of(account)),
            Command::CHGHOST(user, host) if self.view.is_me(source) => {
                self.view.mask = Some((user.clone(), host.clone()));
            }
            _ => {}
        }
    }

    fn hear_quit(&mut self, nick: &str, moment: &mut Moment<'_>) {
        self.view.leave(nick, None, &mut self.events);
        self.askers.rename(nick, None);
        if self.view.isupport.fold(nick) == self.view.isupport.fold(&self.settings.nick) {
            self.regain(moment.now, moment.outbox);
        }
    }

    fn hear_nick(&mut self, from: &str, to: &str, now: Instant, outbox: &mut Outbox) {
        let fold = |name: &str| self.view.isupport.fold(name);
        let freed = fold(from) == fold(&self.settings.nick) && fold(to) != fold(from);
        let mine = self.view.is_me(from);
        let (id, sent) = (self.next_id(), self.clock.now());
        self.view.rename(from, to, &mut self.events, renamed(id, sent));
        self.askers.rename(from, Some(to));
        if freed && !mine {
            self.regain(now, outbox);
        }
    }

    pub(super) fn hear_account(&mut self, nick: &str, account: Account) {
        let (id, sent) = (self.next_id(), self.clock.now());
        self.view.set_account(nick, account, &mut self.events, renamed(id, sent));
    }
}

/// Turns somebody's new identity into events, each with an id of its own.
fn renamed(id: String, sent: jiff::Timestamp) -> impl FnMut(RoomId, (PlayerId, Trust), Speaker) -> Event {
    move |room, (from, trust), speaker| Event::Renamed { id: id.clone(), room, from, trust, speaker, sent }
}
