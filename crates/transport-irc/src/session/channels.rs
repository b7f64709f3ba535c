//! Joining and leaving channels: by configuration, by invitation, by force.

use super::{INVITED, Memory, Moment, RENAMED, Session};
use crate::connection::Ask;
use crate::outbox::Outbox;
use crate::past::when;
use crate::settings::{Settings, is_name};
use crate::trouble::legible;
use crate::view::Account;
use crate::wire::Incoming;
use chat::{AwaitedRoom, RoomStatus, Status};
use irc_proto::Command;
use jiff::SignedDuration;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// How long to wait before trying again to join a channel that refused the bot: at first and at most.
pub(super) const FIRST_RETRY: Duration = Duration::from_secs(30);
const LONGEST_RETRY: Duration = Duration::from_secs(960);
/// The most channels remembered from invitations.
pub(super) const MOST_INVITED: usize = 50;
/// The most renamed channels remembered.
const MOST_RENAMED: usize = 100;

/// A channel the bot wants to be in.
pub(super) struct Wanted {
    pub name: String,
    pub key: Option<String>,
    pub try_at: Option<Instant>,
    pub retry: Duration,
    /// Why the channel did not let the bot in.
    pub refused: Option<String>,
}

impl Session {
    /// Joins the channels whose time has come, several per line.
    pub(super) fn join_what_is_due(&mut self, now: Instant, outbox: &mut Outbox) {
        /// Most channels in one JOIN.
        const TOGETHER: usize = 8;
        /// Most bytes of their names and keys.
        const JOIN: usize = 400;
        let mut due: Vec<(String, Option<String>)> = Vec::new();
        for wanted in self.wanted.values_mut() {
            if wanted.try_at.is_some_and(|at| at <= now) {
                // Try again later in any case, unless the bot turns out to be in.
                wanted.try_at = Some(now + wanted.retry);
                wanted.retry = (wanted.retry * 2).min(LONGEST_RETRY);
                due.push((wanted.name.clone(), wanted.key.clone()));
            }
        }
        // Channels with a key come first, because keys are matched by position.
        due.sort_by_key(|(_, key)| key.is_none());
        while !due.is_empty() {
            let bytes = |(name, key): &(String, Option<String>)| name.len() + key.as_ref().map_or(0, String::len) + 2;
            let mut sum = 0;
            let fitting = due.iter().take(TOGETHER).take_while(|each| {
                sum += bytes(each);
                sum <= JOIN
            });
            let together = fitting.count().max(1);
            let rest = due.split_off(together);
            let (names, keys): (Vec<_>, Vec<_>) = std::mem::replace(&mut due, rest).into_iter().unzip();
            let keys: Vec<String> = keys.into_iter().flatten().collect();
            let words = std::iter::once(names.join(",")).chain((!keys.is_empty()).then(|| keys.join(",")));
            outbox.command(Command::Raw("JOIN".to_owned(), words.collect()));
        }
    }

    /// A channel is fully known: tells the core and asks for what was missed.
    pub(super) fn settle(&mut self, channel: &str, moment: &mut Moment<'_>) {
        if !self.view.is_in(channel) {
            return;
        }
        self.arriving.remove(&self.view.isupport.fold(channel));
        self.view.announce(channel, &mut self.events);
        if let (true, Some(most)) = (self.keeps_history(), self.view.isupport.chathistory) {
            let folded = self.view.isupport.fold(channel);
            let asked = moment.memory.past.ask(&folded, most, moment.now);
            asked.into_iter().for_each(|command| moment.outbox.command(command));
        }
    }

    pub(super) fn hear_join(&mut self, line: &Incoming, moment: &mut Moment<'_>) {
        let (nick, channel) = (line.source(), line.param(0));
        if self.view.is_me(nick) {
            return self.hear_own_join(line, channel, moment);
        }
        let account = match (self.caps.contains("extended-join"), line.params.len()) {
            (true, 3..) => Some(Account::of(line.param(1))),
            // The server will never tell.
            _ if !self.knows_accounts() => Some(Account::None),
            _ => None,
        };
        if !self.view.is_seen(nick) {
            self.askers.forget(nick);
        }
        self.view.put(channel, nick, "", account, &mut self.events);
    }

    /// The bot is in a channel: to stay, or to leave at once if it has no business there.
    fn hear_own_join(&mut self, line: &Incoming, channel: &str, moment: &mut Moment<'_>) {
        if let Some(irc_proto::Prefix::Nickname(_, user, host)) = &line.message.prefix {
            self.view.mask = Some((user.clone(), host.clone()));
        }
        let folded = self.view.isupport.fold(channel);
        let Some(wanted) = self.wanted.get_mut(&folded) else {
            let (network, channel_name) = (self.view.network(), legible(channel));
            match self.forwarded.remove(&folded) {
                Some(from) => {
                    let (channel, to) = (from, channel_name);
                    tracing::warn!(network, channel, to, "a channel forwards the bot to another one, which it leaves");
                }
                None => {
                    let channel = channel_name;
                    let what = "somebody put the bot into a channel it was not asked into; it leaves";
                    tracing::warn!(network, channel, "{what}");
                }
            }
            moment.outbox.command(Command::PART(channel.to_owned(), None));
            return;
        };
        (wanted.try_at, wanted.retry, wanted.refused) = (None, FIRST_RETRY, None);
        self.mute.remove(&folded);
        self.view.enter(channel);
        if self.keeps_history() && self.view.isupport.chathistory.is_some() {
            let entered = line.tag("time").and_then(when).unwrap_or_else(|| self.clock.now());
            moment.memory.past.enter(&folded, channel, entered, moment.now);
        }
        tracing::info!(network = self.view.network(), channel = legible(channel), "joined");
    }

    pub(super) fn hear_left(
        &mut self,
        nick: &str,
        channel: &str,
        kicked: Option<(&str, &str)>,
        moment: &mut Moment<'_>,
    ) {
        let mine = self.view.is_me(nick);
        self.view.leave(nick, Some(channel), &mut self.events);
        if !mine {
            return;
        }
        let folded = self.view.isupport.fold(channel);
        moment.memory.past.left(&folded);
        if !self.wanted.contains_key(&folded) {
            tracing::info!(network = self.view.network(), channel = legible(channel), "left, as it was told to");
            return;
        }
        let (by, why) = kicked.unwrap_or_default();
        tracing::warn!(
            network = self.view.network(),
            channel = legible(channel),
            by = legible(by),
            why = legible(why),
            "the bot is no longer in a channel"
        );
        if !self.settings.channels.keys().any(|name| self.view.isupport.fold(name) == folded) {
            // Whoever invited it has changed their mind.
            self.wanted.remove(&folded);
            moment.memory.forget(&folded);
        } else if let Some(wanted) = self.wanted.get_mut(&folded) {
            wanted.refused = kicked.map(|(by, why)| format!("kicked by {}: {}", legible(by), legible(why)));
            let rejoin = u64::from(self.settings.rejoin_seconds);
            if rejoin > 0 {
                wanted.try_at = Some(moment.now + Duration::from_secs(rejoin));
            }
        }
    }

    /// A channel was renamed: the bot stays in it and will rejoin it by its new name.
    pub(super) fn hear_channel_renamed(&mut self, from: &str, to: &str, memory: &mut Memory) {
        let (old, new) = (self.view.isupport.fold(from), self.view.isupport.fold(to));
        if !self.view.is_in(from) || !self.view.isupport.is_channel(to) {
            return;
        }
        let configured = self.settings.channels.keys().any(|name| self.view.isupport.fold(name) == old);
        let hint = if configured { "; the configuration should name it so" } else { "" };
        let (network, was) = (self.view.network(), legible(from));
        tracing::warn!(network, from = was, to = legible(to), "a channel has another name{hint}");
        self.view.rename_channel(from, to, &mut self.events);
        if old == new {
            return;
        }
        memory.rename(&old, &new, to);
        self.renamed.clone_from(&memory.renamed);
        self.settings = Arc::new(self.settings.now_called(&self.renamed, |name| self.view.isupport.fold(name)));
        if let Some(wanted) = self.wanted.remove(&old) {
            self.wanted.insert(new.clone(), Wanted { name: to.to_owned(), ..wanted });
        }
        if self.arriving.remove(&old) {
            self.arriving.insert(new);
        }
    }

    /// A channel refuses the bot. It retries channels of its own.
    pub(super) fn hear_closed(&mut self, channel: &str, reason: &str, memory: &mut Memory) {
        let folded = self.view.isupport.fold(channel);
        self.arriving.remove(&folded);
        let (network, channel, reason) = (self.view.network(), legible(channel), legible(reason));
        if memory.invited.contains(&folded) {
            tracing::warn!(network, channel, reason, "a channel the bot was invited to does not let it in");
            self.wanted.remove(&folded);
            memory.forget(&folded);
        } else {
            tracing::warn!(network, channel, reason, "a channel does not let the bot in; it tries again");
            if let Some(wanted) = self.wanted.get_mut(&folded) {
                wanted.refused = Some(reason);
            }
        }
    }
}

impl Session {
    /// Does what the operator asks.
    pub fn asked(&mut self, ask: Ask, moment: &mut Moment<'_>) {
        match ask {
            Ask::Status(asked) => drop(asked.send(self.status(moment.now))),
            Ask::Join(channel, asked) => drop(asked.send(self.come(&channel, moment))),
            Ask::Leave(channel, asked) => drop(asked.send(self.go(&channel, moment))),
        }
    }

    /// The state of the connection.
    pub fn status(&self, now: Instant) -> Status {
        let is_configured = |name: &str| self.settings.channels.keys().any(|own| self.folds_to(own, name));
        let room = |(name, others): (&str, u64)| RoomStatus {
            id: self.view.isupport.fold(name),
            name: None,
            others,
            configured: is_configured(name),
            mute: self.mute.get(&self.view.isupport.fold(name)).cloned(),
        };
        let rooms = self.view.crowds().map(room).collect();
        let (trouble, again) = self.not_logged_in(now).map_or((None, None), |(why, again)| (Some(why), again));
        let (awaited, me) = (self.awaited(now), self.view.nick.clone());
        Status { connected: true, me, heard: Some(self.clock.now()), rooms, awaited, trouble, again }
    }

    /// The channels that the bot should be in and is not.
    fn awaited(&self, now: Instant) -> Vec<AwaitedRoom> {
        let at = |due: Instant| SignedDuration::try_from(due.saturating_duration_since(now)).ok();
        let away = self.wanted.iter().filter(|(_, wanted)| !self.view.is_in(&wanted.name));
        let room = |(id, wanted): (&String, &Wanted)| AwaitedRoom {
            id: id.clone(),
            configured: self.settings.channels.keys().any(|own| self.folds_to(own, id)),
            why: wanted.refused.clone().unwrap_or_else(|| "the bot is not in the channel".to_owned()),
            again: wanted.try_at.and_then(at).and_then(|wait| self.clock.now().checked_add(wait).ok()),
        };
        away.map(room).collect()
    }

    /// True if this can be the name of a channel; a JOIN with anything else may do something else.
    pub(super) fn is_name_of_channel(&self, name: &str) -> bool {
        self.view.isupport.is_channel(name) && is_name(name)
    }

    fn folds_to(&self, one: &str, other: &str) -> bool {
        self.view.isupport.fold(one) == self.view.isupport.fold(other)
    }

    /// Joins a channel, now and after each start, until told to leave.
    fn come(&mut self, channel: &str, moment: &mut Moment<'_>) -> Result<String, String> {
        if !self.is_name_of_channel(channel) {
            return Err(format!("{channel:?} is not a channel there: a channel looks like \"#tavern\""));
        }
        let folded = self.view.isupport.fold(channel);
        if self.view.is_in(channel) {
            return Err(format!("the bot is in {channel} already"));
        }
        if !self.wanted.contains_key(&folded) {
            if moment.memory.invited.len() >= MOST_INVITED {
                return Err(format!("the bot keeps at most {MOST_INVITED} channels that are not in its configuration"));
            }
            moment.memory.invite(&folded);
        }
        self.want(channel, moment);
        Ok(folded)
    }

    /// Goes by other settings from now on: joins the channels that are new in them, and leaves those that are gone.
    pub fn adopt(&mut self, settings: &Settings, moment: &mut Moment<'_>) {
        let fold = |name: &String| self.view.isupport.fold(name);
        let settings = Arc::new(settings.now_called(&self.renamed, |name| self.view.isupport.fold(name)));
        let now: BTreeMap<String, &String> = settings.channels.keys().map(|name| (fold(name), name)).collect();
        let gone: Vec<String> =
            self.settings.channels.keys().filter(|name| !now.contains_key(&fold(name))).cloned().collect();
        for (folded, name) in &now {
            let key = settings.channels[*name].key.as_ref().map(|key| key.expose().to_owned());
            let try_at = (!self.view.is_in(name)).then_some(moment.now);
            self.wanted.insert(
                folded.clone(),
                Wanted { name: (*name).clone(), key, try_at, retry: FIRST_RETRY, refused: None },
            );
            if moment.memory.invited.contains(folded) {
                moment.memory.forget(folded);
            }
        }
        self.view.adopt(&settings);
        self.settings = settings.clone();
        for name in gone {
            // It may have been left meanwhile.
            let _ = self.go(&name, moment);
        }
        self.join_what_is_due(moment.now, moment.outbox);
    }

    /// Joins a channel as soon as allowed, and again whenever the bot is out of it.
    pub(super) fn want(&mut self, channel: &str, moment: &mut Moment<'_>) {
        let fresh = || Wanted { name: channel.to_owned(), key: None, try_at: None, retry: FIRST_RETRY, refused: None };
        self.wanted.entry(self.view.isupport.fold(channel)).or_insert_with(fresh).try_at = Some(moment.now);
        self.join_what_is_due(moment.now, moment.outbox);
    }

    /// Leaves a channel; one from the configuration only until the next start.
    fn go(&mut self, channel: &str, moment: &mut Moment<'_>) -> Result<(), String> {
        let folded = self.view.isupport.fold(channel);
        if !self.view.is_in(channel) && !self.wanted.contains_key(&folded) {
            return Err(format!("the bot is not in {channel}"));
        }
        self.wanted.remove(&folded);
        moment.memory.forget(&folded);
        moment.outbox.command(Command::PART(channel.to_owned(), None));
        Ok(())
    }
}

impl Memory {
    pub(super) fn invite(&mut self, channel: &str) {
        self.invited.insert(channel.to_owned());
        self.keep_invited();
    }

    fn forget(&mut self, channel: &str) {
        self.invited.remove(channel);
        self.keep_invited();
    }

    fn rename(&mut self, old: &str, new: &str, called: &str) {
        if self.invited.remove(old) {
            self.invite(new);
        }
        self.past.rename(old, new, called, &mut self.notes);
        self.renamed.values_mut().filter(|now| *now == old).for_each(|now| new.clone_into(now));
        if self.renamed.len() < MOST_RENAMED {
            self.renamed.insert(old.to_owned(), new.to_owned());
        }
        self.renamed.retain(|old, now| old != now);
        let names = serde_json::to_string(&self.renamed).expect("names are text");
        self.notes.insert(RENAMED.to_owned(), Some(names));
    }

    fn keep_invited(&mut self) {
        let names = self.invited.iter().cloned().collect::<Vec<_>>().join(" ");
        self.notes.insert(INVITED.to_owned(), (!names.is_empty()).then_some(names));
    }
}
