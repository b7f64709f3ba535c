//! A registered connection: what the server says becomes events, and what the bot must do about it becomes commands.
//!
//! Knows no sockets: it is told lines, and writes into a buffer.

use crate::login::Registered;
use crate::outbox::{Address, Outbox, Verb};
use crate::past::{Past, when};
use crate::settings::{Invites, Settings};
use crate::trouble::Trouble;
use crate::view::{Account, View};
use crate::wire::{self, Incoming};
use chat::{Clock, Event, Message, PlayerId, Post, Recipient, RoomId, Speaker};
use irc_proto::{CapSubCommand, Command};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// How often the wanted nick is tried again.
const REGAIN: Duration = Duration::from_secs(60);
/// How long it takes until a channel that did not let us in is tried again: at first, and at the most.
const FIRST_RETRY: Duration = Duration::from_secs(30);
const LONGEST_RETRY: Duration = Duration::from_secs(960);
/// How long an answer to "who is that?" is waited for.
const WHO: Duration = Duration::from_secs(5);
/// Lines that are held while it is asked who somebody is.
const MOST_HELD: usize = 50;
/// CTCP requests that are answered: a burst, and then one in so long a time.
const CTCP_BURST: u32 = 3;
const CTCP_EVERY: Duration = Duration::from_secs(10);
/// Invitations that are followed in a minute.
const INVITATIONS: usize = 6;
/// Bytes of user and host in front of our lines, while we do not know them: the most there are.
const LONGEST_MASK: usize = 10 + 63;
/// Bytes of a line that are left at the least, whatever stands around them.
const LEAST: usize = 80;
/// How long channels may take to let the bot in, before what an earlier run left is said all the same.
const ARRIVAL: Duration = Duration::from_secs(15);
/// The token by which answers to our WHO are known.
const TOKEN: &str = "713";
/// Batches of answers to one labelled line that may be open at once.
const MOST_LABELLED: usize = 64;

/// What outlives a connection.
#[derive(Debug)]
pub struct Memory {
    /// Channels the bot was invited to.
    pub invited: BTreeSet<String>,
    /// What was heard last in each channel.
    pub past: Past,
    /// What the core is to keep, with the next delivery.
    pub notes: BTreeMap<String, Option<String>>,
}

/// The note that names the channels the bot was invited to.
pub const INVITED: &str = "invited";

/// A registered connection.
pub struct Session {
    settings: Arc<Settings>,
    clock: Arc<dyn Clock>,
    nonce: String,
    lines: u64,
    /// What the bot sees.
    pub view: View,
    caps: BTreeSet<String>,
    /// The label of what each open batch answers.
    labelled: BTreeMap<String, String>,
    /// What happened, for the core.
    pub events: Vec<Event>,
    wanted: BTreeMap<String, Wanted>,
    held: BTreeMap<String, Held>,
    regain_at: Option<Instant>,
    ctcp: (u32, Instant),
    invitations: VecDeque<Instant>,
    arriving: BTreeSet<String>,
    settled_at: Instant,
}

/// A channel the bot wants to be in.
struct Wanted {
    name: String,
    key: Option<String>,
    try_at: Option<Instant>,
    retry: Duration,
}

/// Lines of somebody whose account is being asked for.
struct Held {
    lines: Vec<Incoming>,
    until: Instant,
}

impl Session {
    /// Begins what follows registration.
    pub fn begin(
        network: &str,
        settings: &Arc<Settings>,
        clock: &Arc<dyn Clock>,
        nonce: String,
        registered: Registered,
        memory: &Memory,
        now: Instant,
    ) -> Self {
        let Registered { nick, caps, isupport, .. } = registered;
        let configured = settings.channels.iter().map(|(name, channel)| (name.clone(), channel.key.as_ref()));
        let invited = memory.invited.iter().map(|name| (name.clone(), None));
        let wanted = invited.chain(configured).map(|(name, key)| {
            let key = key.map(|key| key.expose().to_owned());
            (isupport.fold(&name), Wanted { name, key, try_at: Some(now), retry: FIRST_RETRY })
        });
        let wanted: BTreeMap<_, _> = wanted.collect();
        Session {
            settings: settings.clone(),
            clock: clock.clone(),
            nonce,
            lines: 0,
            arriving: wanted.keys().cloned().collect(),
            wanted,
            view: View::new(network, settings, isupport, nick),
            caps,
            labelled: BTreeMap::new(),
            events: Vec::new(),
            held: BTreeMap::new(),
            regain_at: Some(now + REGAIN),
            ctcp: (CTCP_BURST, now),
            invitations: VecDeque::new(),
            settled_at: now + ARRIVAL,
        }
    }

    /// Says that it is a bot, and joins its channels.
    pub fn settle_in(&mut self, now: Instant, outbox: &mut Outbox) {
        if let Some(bot) = self.view.isupport.bot {
            let words = vec![self.view.nick.clone(), format!("+{bot}")];
            outbox.command(Command::Raw("MODE".to_owned(), words));
        }
        self.join_what_is_due(now, outbox);
    }

    /// Whether the server sends back what it was sent, labelled.
    pub fn labels(&self) -> bool {
        ["echo-message", "labeled-response", "batch"].iter().all(|cap| self.caps.contains(*cap))
    }

    /// Whether the server tells who is logged in.
    pub fn knows_accounts(&self) -> bool {
        ["account-tag", "extended-join", "account-notify"].iter().any(|cap| self.caps.contains(*cap))
            || self.view.isupport.whox
    }

    /// Whether each channel was joined by now, or said why not, or took too long.
    pub fn arrived(&self) -> bool {
        self.arriving.is_empty()
    }

    /// When [`tick`](Self::tick) has something to do.
    pub fn due(&self) -> Option<Instant> {
        let joins = self.wanted.values().filter_map(|wanted| wanted.try_at);
        let held = self.held.values().map(|held| held.until);
        let arrival = (!self.arriving.is_empty()).then_some(self.settled_at);
        joins.chain(held).chain(self.regain_at).chain(arrival).min()
    }

    /// Does what is due.
    pub fn tick(&mut self, now: Instant, memory: &mut Memory, outbox: &mut Outbox) {
        self.join_what_is_due(now, outbox);
        let late = self.held.iter().filter(|(_, held)| held.until <= now).map(|(nick, _)| nick.clone());
        for nick in late.collect::<Vec<_>>() {
            self.release(&nick, now, memory, outbox);
        }
        for line in memory.past.late(now) {
            self.hear_said(&line, now, memory, outbox);
        }
        if now >= self.settled_at {
            self.arriving.clear();
        }
        if self.regain_at.is_some_and(|at| at <= now) {
            self.regain(now, outbox);
        }
    }

    /// Asks for the wanted nick, if it is not ours.
    fn regain(&mut self, now: Instant, outbox: &mut Outbox) {
        self.regain_at = Some(now + REGAIN);
        if !self.view.is_me(&self.settings.nick) {
            outbox.command(Command::NICK(self.settings.nick.clone()));
        }
    }

    /// Joins the channels whose time has come, several with a line.
    fn join_what_is_due(&mut self, now: Instant, outbox: &mut Outbox) {
        /// Channels in one JOIN.
        const TOGETHER: usize = 8;
        let mut due: Vec<(String, Option<String>)> = Vec::new();
        for wanted in self.wanted.values_mut() {
            if wanted.try_at.is_some_and(|at| at <= now) {
                // Whatever comes of it, it is tried again later, unless that tells of us being in.
                wanted.try_at = Some(now + wanted.retry);
                wanted.retry = (wanted.retry * 2).min(LONGEST_RETRY);
                due.push((wanted.name.clone(), wanted.key.clone()));
            }
        }
        // Those with a key come first: keys are matched by place.
        due.sort_by_key(|(_, key)| key.is_none());
        for some in due.chunks(TOGETHER) {
            let names = some.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(",");
            let keys: Vec<&str> = some.iter().filter_map(|(_, key)| key.as_deref()).collect();
            let words = std::iter::once(names).chain((!keys.is_empty()).then(|| keys.join(",")));
            outbox.command(Command::Raw("JOIN".to_owned(), words.collect()));
        }
    }

    /// Takes a line.
    ///
    /// # Errors
    /// The server ends the connection.
    pub fn hear(
        &mut self,
        line: &Incoming,
        now: Instant,
        memory: &mut Memory,
        outbox: &mut Outbox,
        out: &mut VecDeque<u8>,
    ) -> Result<(), Trouble> {
        let batch = line.tag("batch");
        let of_batch = || self.labelled.get(batch?).map(String::as_str);
        let label = line.tag("label").or_else(of_batch).map(str::to_owned);
        let label = label.as_deref();
        let past = batch.is_some_and(|batch| memory.past.told(batch, line.tag("time").and_then(when), now));
        match &line.message.command {
            // Only what was said is of use once it is over.
            command if past && !matches!(command, Command::PRIVMSG(..) | Command::BATCH(..)) => {}
            Command::PING(..) => wire::write(out, &Command::PONG(line.last().to_owned(), None)),
            Command::PONG(..) => outbox.passed(line.last()),
            Command::ERROR(why) => return Err(crate::login::closed(why)),
            Command::PRIVMSG(..) | Command::NOTICE(..) if self.view.is_me(line.source()) => {
                if let Some(label) = label {
                    outbox.echoed(label, line.tag("msgid"));
                }
            }
            Command::PRIVMSG(..) => self.hear_said(line, now, memory, outbox),
            Command::JOIN(..) => self.hear_join(line, now, memory),
            Command::PART(channel, _) => self.hear_left(line.source(), channel, None, now, memory),
            Command::KICK(channel, nick, why) => {
                self.hear_left(nick, channel, Some((line.source(), why.as_deref().unwrap_or(""))), now, memory);
            }
            Command::QUIT(_) => {
                self.view.leave(line.source(), None, &mut self.events);
                if self.view.isupport.fold(line.source()) == self.view.isupport.fold(&self.settings.nick) {
                    self.regain(now, outbox);
                }
            }
            Command::NICK(to) if !to.is_empty() => self.hear_nick(line.source(), to, now, outbox),
            Command::ChannelMODE(channel, _) | Command::UserMODE(channel, _) if !self.view.is_me(channel) => {
                for (set, mode, nick) in self.view.isupport.member_modes(line.params.get(1..).unwrap_or_default()) {
                    self.view.mode(channel, set, mode, nick);
                }
            }
            Command::ACCOUNT(account) => self.hear_account(line.source(), Account::of(account)),
            Command::CHGHOST(user, host) if self.view.is_me(line.source()) => {
                self.view.mask = Some((user.clone(), host.clone()));
            }
            Command::INVITE(nick, channel) if self.view.is_me(nick) => {
                self.hear_invitation(line, channel, now, memory, outbox);
            }
            Command::CAP(_, kind, ..) => self.hear_cap(kind, line, outbox),
            Command::BATCH(..) => self.hear_batch(line, now, memory, outbox),
            Command::Raw(command, _) if command == "ACK" => {
                label.into_iter().for_each(|label| outbox.echoed(label, None));
            }
            Command::Raw(command, _) if command == "FAIL" && line.param(0) == "CHATHISTORY" => {
                let names: Vec<_> = line.params.iter().skip(1).map(|name| self.view.isupport.fold(name)).collect();
                for line in memory.past.refused(&names) {
                    self.hear_said(&line, now, memory, outbox);
                }
            }
            _ => {
                if let Some(number) = line.numeric() {
                    self.hear_numeric(number, line, label, now, memory, outbox);
                }
            }
        }
        Ok(())
    }

    fn hear_numeric(
        &mut self,
        number: u16,
        line: &Incoming,
        label: Option<&str>,
        now: Instant,
        memory: &mut Memory,
        outbox: &mut Outbox,
    ) {
        match number {
            5 => {
                let tokens = line.params.iter().skip(1).flat_map(|word| word.split(' '));
                self.view.isupport.read(tokens);
            }
            396 => {
                if let Some((_, host)) = &mut self.view.mask {
                    let shown = line.param(1);
                    shown.rsplit('@').next().unwrap_or(shown).clone_into(host);
                }
            }
            353 => {
                let (channel, names) = (line.param(2).to_owned(), line.last().to_owned());
                for name in names.split(' ').filter(|name| !name.is_empty()) {
                    let (modes, mask) = self.view.isupport.marks(name);
                    let nick = mask.split('!').next().unwrap_or(mask);
                    self.view.put(&channel, nick, &modes, None, &mut self.events);
                }
            }
            366 if self.view.is_in(line.param(1)) => {
                let channel = line.param(1).to_owned();
                match self.view.isupport.whox {
                    true => {
                        let words = vec![channel, format!("%tcnfa,{TOKEN}")];
                        outbox.command(Command::Raw("WHO".to_owned(), words));
                    }
                    false => self.settle(&channel, now, memory, outbox),
                }
            }
            354 if line.param(1) == TOKEN => {
                let (nick, flags) = (line.param(3).to_owned(), line.param(4));
                let bot = self.view.isupport.bot.is_some_and(|bot| flags.contains(bot));
                self.hear_account(&nick, Account::of(line.param(5)));
                if bot {
                    self.view.mark_bot(&nick);
                }
            }
            315 => {
                let mask = line.param(1).to_owned();
                if self.view.isupport.is_channel(&mask) {
                    self.settle(&mask, now, memory, outbox);
                } else {
                    let nick = self.view.isupport.fold(&mask);
                    self.release(&nick, now, memory, outbox);
                }
            }
            403 | 405 | 437 | 471 | 473..=477 | 489
                if self.wanted.contains_key(&self.view.isupport.fold(line.param(1))) =>
            {
                let channel = line.param(1);
                if !self.view.is_in(channel) {
                    self.arriving.remove(&self.view.isupport.fold(channel));
                    tracing::warn!(channel, reason = line.last(), "a channel does not let the bot in; it tries again");
                }
                self.refused(line, label, outbox);
            }
            401 | 402 | 404 | 407 | 412 | 417 | 477 | 482 | 531 => self.refused(line, label, outbox),
            400..=599 if label.is_some() => self.refused(line, label, outbox),
            _ => {}
        }
    }

    /// The server did not take a line.
    fn refused(&self, line: &Incoming, label: Option<&str>, outbox: &mut Outbox) {
        let fold = |name: &str| self.view.isupport.fold(name);
        let why = format!("{}: {}", line.param(1), line.last());
        outbox.refused(label, |target| fold(target) == fold(line.param(1)), &why);
    }

    /// Where a post goes.
    pub fn address(&self, post: &Post) -> Address {
        let to = match &post.to {
            Recipient::Room if self.view.isupport.is_channel(&post.room.id) => {
                let channel = &post.room.id;
                return match (self.view.is_in(channel), self.wanted.contains_key(channel)) {
                    (true, _) => Address::Here(channel.clone(), Verb::Message, self.room_for(channel)),
                    (false, true) => Address::Later,
                    (false, false) => Address::Never(format!("the bot is not in {channel} any more")),
                };
            }
            Recipient::Room => &post.room.id,
            Recipient::Player(player) => &player.id,
        };
        match self.view.nick_of(to) {
            Some(nick) => {
                let verb = if post.refusal { Verb::Notice } else { Verb::Message };
                let room = self.room_for(&nick);
                Address::Here(nick, verb, room)
            }
            None => Address::Never(format!("{to} is not here")),
        }
    }

    /// Bytes of text that a line to this target may have.
    fn room_for(&self, target: &str) -> usize {
        let mask = self.view.mask.as_ref().map_or(LONGEST_MASK, |(user, host)| user.len() + host.len());
        let around = format!(":{}!@ PRIVMSG {target} :\r\n", self.view.nick).len() + mask;
        self.view.isupport.linelen.saturating_sub(around).max(LEAST)
    }

    /// Everything about a channel is known: the core is told, and asks for what was missed.
    fn settle(&mut self, channel: &str, now: Instant, memory: &mut Memory, outbox: &mut Outbox) {
        if !self.view.is_in(channel) {
            return;
        }
        self.arriving.remove(&self.view.isupport.fold(channel));
        self.view.announce(channel, &mut self.events);
        if let (true, Some(most)) = (self.keeps_history(), self.view.isupport.chathistory) {
            let folded = self.view.isupport.fold(channel);
            let asked = memory.past.ask(&folded, most, now);
            asked.into_iter().for_each(|command| outbox.command(command));
        }
    }

    fn keeps_history(&self) -> bool {
        ["draft/chathistory", "batch", "server-time", "message-tags"].iter().all(|cap| self.caps.contains(*cap))
    }

    fn hear_batch(&mut self, line: &Incoming, now: Instant, memory: &mut Memory, outbox: &mut Outbox) {
        let reference = line.param(0);
        if let (Some(begun), Some(label)) = (reference.strip_prefix('+'), line.tag("label")) {
            if self.labelled.len() < MOST_LABELLED {
                self.labelled.insert(begun.to_owned(), label.to_owned());
            }
        } else if let Some(label) = reference.strip_prefix('-').and_then(|ended| self.labelled.remove(ended)) {
            // Whatever was in it, the server has worked through the line.
            outbox.echoed(&label, None);
        }
        let most = self.view.isupport.chathistory.unwrap_or_default();
        let fold = |name: &str| self.view.isupport.fold(name);
        let Some(ended) = memory.past.batch(&line.params, most, now, fold) else { return };
        ended.ask.into_iter().for_each(|command| outbox.command(command));
        // What was said meanwhile is played behind what was said before.
        for line in ended.held {
            self.hear_said(&line, now, memory, outbox);
        }
    }

    fn hear_join(&mut self, line: &Incoming, now: Instant, memory: &mut Memory) {
        let (nick, channel) = (line.source().to_owned(), line.param(0).to_owned());
        if self.view.is_me(&nick) {
            if let Some(irc_proto::Prefix::Nickname(_, user, host)) = &line.message.prefix {
                self.view.mask = Some((user.clone(), host.clone()));
            }
            self.view.enter(&channel);
            if self.keeps_history() && self.view.isupport.chathistory.is_some() {
                let entered = line.tag("time").and_then(when).unwrap_or_else(|| self.clock.now());
                memory.past.enter(&self.view.isupport.fold(&channel), &channel, entered, now);
            }
            tracing::info!(channel, "joined");
            if let Some(wanted) = self.wanted.get_mut(&self.view.isupport.fold(&channel)) {
                (wanted.try_at, wanted.retry) = (None, FIRST_RETRY);
            }
            return;
        }
        let account = match (self.caps.contains("extended-join"), line.params.len()) {
            (true, 3..) => Some(Account::of(line.param(1))),
            _ if !self.knows_accounts() => Some(Account::None),
            _ => None,
        };
        self.view.put(&channel, &nick, "", account, &mut self.events);
    }

    fn hear_left(
        &mut self,
        nick: &str,
        channel: &str,
        kicked: Option<(&str, &str)>,
        now: Instant,
        memory: &mut Memory,
    ) {
        let mine = self.view.is_me(nick);
        self.view.leave(nick, Some(channel), &mut self.events);
        if !mine {
            return;
        }
        let folded = self.view.isupport.fold(channel);
        memory.past.left(&folded);
        let (by, why) = kicked.unwrap_or_default();
        tracing::warn!(channel, by, why, "the bot is no longer in a channel");
        if !self.settings.channels.keys().any(|name| self.view.isupport.fold(name) == folded) {
            // Who invited it has changed their mind.
            self.wanted.remove(&folded);
            memory.forget(&folded);
        } else if let (true, Some(wanted)) = (self.settings.rejoin_seconds > 0, self.wanted.get_mut(&folded)) {
            wanted.try_at = Some(now + Duration::from_secs(u64::from(self.settings.rejoin_seconds)));
        }
    }

    fn hear_nick(&mut self, from: &str, to: &str, now: Instant, outbox: &mut Outbox) {
        let fold = |name: &str| self.view.isupport.fold(name);
        let freed = fold(from) == fold(&self.settings.nick) && fold(to) != fold(from);
        let mine = self.view.is_me(from);
        let (id, sent) = (self.next_id(), self.clock.now());
        self.view.rename(from, to, &mut self.events, renamed(id, sent));
        if freed && !mine {
            self.regain(now, outbox);
        }
    }

    fn hear_account(&mut self, nick: &str, account: Account) {
        let (id, sent) = (self.next_id(), self.clock.now());
        self.view.set_account(nick, account, &mut self.events, renamed(id, sent));
    }

    fn hear_invitation(
        &mut self,
        line: &Incoming,
        channel: &str,
        now: Instant,
        memory: &mut Memory,
        outbox: &mut Outbox,
    ) {
        let folded = self.view.isupport.fold(channel);
        let account = match line.tag("account") {
            Some(account) => Account::of(account),
            None => self.view.account(line.source()),
        };
        let welcome = match self.settings.invites {
            Invites::Nobody => false,
            Invites::Admins => self.view.invites_as_admin(line.source(), &account, &folded),
            Invites::Anybody => true,
        };
        // Into a channel of its own the bot goes whoever asks.
        let welcome = welcome || self.wanted.contains_key(&folded);
        while self.invitations.front().is_some_and(|at| now.duration_since(*at) > Duration::from_secs(60)) {
            self.invitations.pop_front();
        }
        if !welcome || self.view.is_in(channel) || self.invitations.len() >= INVITATIONS {
            tracing::info!(channel, by = line.source(), "an invitation is not followed");
            return;
        }
        self.invitations.push_back(now);
        if !self.wanted.contains_key(&folded) {
            memory.invite(&folded);
        }
        let fresh = || Wanted { name: channel.to_owned(), key: None, try_at: None, retry: FIRST_RETRY };
        self.wanted.entry(folded).or_insert_with(fresh).try_at = Some(now);
        self.join_what_is_due(now, outbox);
    }

    fn hear_cap(&mut self, kind: &CapSubCommand, line: &Incoming, outbox: &mut Outbox) {
        let listed: Vec<String> =
            line.last().split(' ').filter_map(|cap| cap.split('=').next()).map(str::to_owned).collect();
        match kind {
            CapSubCommand::NEW => {
                let wanted: Vec<_> = listed.into_iter().filter(|cap| crate::login::is_wanted(cap)).collect();
                if !wanted.is_empty() {
                    outbox.command(Command::CAP(None, CapSubCommand::REQ, None, Some(wanted.join(" "))));
                }
            }
            CapSubCommand::ACK => self.caps.extend(listed),
            CapSubCommand::DEL => self.caps.retain(|cap| !listed.contains(cap)),
            _ => {}
        }
    }

    fn hear_said(&mut self, line: &Incoming, now: Instant, memory: &mut Memory, outbox: &mut Outbox) {
        let (nick, target, text) = (line.source().to_owned(), line.param(0), line.last());
        let is_bot = line.message.tags.iter().flatten().any(|tag| tag.0 == "bot" || tag.0.ends_with("/bot"));
        if nick.is_empty() || is_bot || self.view.is_bot(&nick) || self.view.isupport.is_part_of_channel(target) {
            return;
        }
        let channel = self.view.isupport.is_channel(target).then(|| self.view.isupport.fold(target));
        if channel.is_none() && !self.view.is_me(target) {
            // To the users of a server, or to a part of a channel that the server did not tell of.
            return;
        }
        let past = line.tag("batch").is_some_and(|batch| memory.past.is_open(batch));
        if let Some(request) = text.strip_prefix('\x01') {
            if past {
                return;
            }
            return self.hear_ctcp(&nick, request.trim_end_matches('\x01'), now, outbox);
        }
        if let (Some(channel), false) = (&channel, past) {
            if memory.past.hold(channel, line) {
                return;
            }
            if !self.view.is_in(channel) {
                return;
            }
        }
        let account = match (line.tag("account"), past || self.caps.contains("account-tag")) {
            (Some(account), _) => Account::of(account),
            (None, true) => Account::None,
            (None, false) => self.view.account(&nick),
        };
        if !past {
            if channel.is_none() {
                self.view.meet(&nick);
            }
            if account == Account::Unknown && self.view.isupport.whox {
                return self.hold(&nick, line, now, outbox);
            }
            self.hear_account(&nick, account.clone());
        }
        self.lines += 1;
        let id = line.tag("msgid").map_or_else(|| format!("{}-{}", self.nonce, self.lines), str::to_owned);
        let sent = line.tag("time").and_then(when).unwrap_or_else(|| self.clock.now());
        let speaker = self.view.speaker(&nick, &account, channel.as_deref());
        let room = match &channel {
            Some(channel) => self.view.room(channel),
            None => RoomId::new(&speaker.player.network, &speaker.player.id),
        };
        let text = wire::unstyled(text);
        let (body, addressed) = match self.called(&text) {
            Some(rest) => (rest.to_owned(), true),
            None => (text, false),
        };
        let history = self.keeps_history();
        if let (true, Some(channel)) = (history, &channel) {
            memory.past.heard(channel, sent, now, &mut memory.notes);
        }
        let comes_again = history && line.tag("msgid").is_some();
        let reply_to = line.tag("+draft/reply").or_else(|| line.tag("+reply")).map(str::to_owned);
        let private = channel.is_none();
        let message = Message::new(id, room, speaker, sent, body);
        self.events.push(Event::Said(Message { reply_to, private, addressed, late: past, comes_again, ..message }));
    }

    /// What stands behind the bot's nick, if the text begins with that.
    fn called<'a>(&self, text: &'a str) -> Option<&'a str> {
        let text = text.trim_start();
        let end = text.find([':', ',', ' '])?;
        let (name, rest) = text.split_at(end);
        let name = name.strip_prefix('@').map_or_else(|| (!rest.starts_with(' ')).then_some(name), Some)?;
        self.view.is_me(name).then(|| rest.trim_start_matches([':', ',']).trim_start())
    }

    /// Holds what somebody said until the server has told who they are.
    fn hold(&mut self, nick: &str, line: &Incoming, now: Instant, outbox: &mut Outbox) {
        let held = self.held.entry(self.view.isupport.fold(nick)).or_insert_with(|| {
            outbox.command(Command::Raw("WHO".to_owned(), vec![nick.to_owned(), format!("%tcnfa,{TOKEN}")]));
            Held { lines: Vec::new(), until: now + WHO }
        });
        if held.lines.len() < MOST_HELD {
            held.lines.push(line.clone());
        }
    }

    /// Plays what was held of somebody; who was not told to have an account has none.
    fn release(&mut self, folded: &str, now: Instant, memory: &mut Memory, outbox: &mut Outbox) {
        let Some(held) = self.held.remove(folded) else { return };
        if self.view.account(folded) == Account::Unknown {
            self.hear_account(folded, Account::None);
        }
        for line in held.lines {
            self.hear_said(&line, now, memory, outbox);
        }
    }

    /// Answers what other programs ask of this one: to them alone, and rarely.
    fn hear_ctcp(&mut self, nick: &str, request: &str, now: Instant, outbox: &mut Outbox) {
        let (word, rest) = request.split_once(' ').unwrap_or((request, ""));
        let answer = match word.to_ascii_uppercase().as_str() {
            "VERSION" => concat!("astragal ", env!("CARGO_PKG_VERSION")).to_owned(),
            "PING" => rest.chars().take(64).collect(),
            "TIME" => self.clock.now().strftime("%Y-%m-%d %H:%M:%S UTC").to_string(),
            "CLIENTINFO" => "ACTION CLIENTINFO PING TIME VERSION".to_owned(),
            _ => return,
        };
        let (left, since) = &mut self.ctcp;
        while *left < CTCP_BURST && now.duration_since(*since) >= CTCP_EVERY {
            *left += 1;
            *since += CTCP_EVERY;
        }
        if *left == 0 {
            return;
        }
        if *left == CTCP_BURST {
            *since = now;
        }
        *left -= 1;
        let text = format!("\x01{} {}\x01", word.to_ascii_uppercase(), chat::clean(&answer));
        outbox.command(Command::NOTICE(nick.to_owned(), text));
    }

    fn next_id(&mut self) -> String {
        self.lines += 1;
        format!("{}-{}", self.nonce, self.lines)
    }

    /// The connection is over: nobody is anywhere any more.
    pub fn end(&mut self) {
        for channel in self.view.channels().map(str::to_owned).collect::<Vec<_>>() {
            let nick = self.view.nick.clone();
            self.view.leave(&nick, Some(&channel), &mut self.events);
        }
    }
}

impl Memory {
    fn invite(&mut self, channel: &str) {
        self.invited.insert(channel.to_owned());
        self.keep_invited();
    }

    fn forget(&mut self, channel: &str) {
        self.invited.remove(channel);
        self.keep_invited();
    }

    fn keep_invited(&mut self) {
        let names = self.invited.iter().cloned().collect::<Vec<_>>().join(" ");
        self.notes.insert(INVITED.to_owned(), (!names.is_empty()).then_some(names));
    }
}

/// Makes events of somebody's new identity, each with an id of its own.
fn renamed(id: String, sent: jiff::Timestamp) -> impl FnMut(RoomId, PlayerId, Speaker) -> Event {
    move |room, from, speaker| Event::Renamed { id: id.clone(), room, from, speaker, sent }
}
