//! What people say to the bot, and where its own words go.

use super::strangers::Hearing;
use super::{Memory, Moment, Session};
use crate::outbox::{Address, Aside, Outbox, Place, Side, Verb};
use crate::past::{Speech, when};
use crate::view::{Account, PrivateLines};
use crate::wire::{self, Incoming};
use chat::{Event, Message, Post, Recipient, RoomId, Speaker, Trust};
use irc_proto::Command;
use jiff::SignedDuration;
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;
use tokio::time::Instant;

/// The most bytes that user and host take in front of our lines; assumed until they are known.
const LONGEST_MASK: usize = 10 + 63;
/// Bytes reserved for the nick of the recipient.
const NICK: usize = 30;
/// The fewest bytes left for text, whatever else is on the line.
const LEAST: usize = 80;
/// How many messages to remember the askers of, and for how long: less if the bot cannot see whether the nick is still
/// theirs.
const MOST_ASKERS: usize = 500;
const ASKED: Duration = Duration::from_secs(600);
const ASKED_UNSEEN: Duration = Duration::from_secs(20);
/// How far a server's clock may be ahead of the bot's.
const AHEAD: SignedDuration = SignedDuration::from_hours(24);
/// CTCP requests that are answered: a burst, then one per interval.
pub(super) const CTCP_BURST: u32 = 3;
const CTCP_EVERY: Duration = Duration::from_secs(10);

/// Who asked what lately. The answer goes to the nick that asked, even if it has changed.
#[derive(Debug, Default)]
pub(super) struct Askers {
    /// By message id: the nick, its player id at the time, and when.
    asked: BTreeMap<String, (String, String, Instant)>,
    order: VecDeque<String>,
}

impl Askers {
    fn note(&mut self, id: &str, nick: &str, player: &str, now: Instant) {
        while self.order.len() >= MOST_ASKERS {
            self.order.pop_front().map(|oldest| self.asked.remove(&oldest));
        }
        self.asked.insert(id.to_owned(), (nick.to_owned(), player.to_owned(), now));
        self.order.push_back(id.to_owned());
    }

    /// The nick under which `player` asked the message with this id, and how long ago.
    fn nick(&self, id: &str, player: &str, now: Instant) -> Option<(&str, Duration)> {
        let (nick, asker, at) = self.asked.get(id)?;
        (asker == player).then(|| (nick.as_str(), now.duration_since(*at)))
    }

    /// The player who asked the message with this id.
    pub fn player(&self, id: &str) -> Option<&str> {
        self.asked.get(id).map(|(_, player, _)| player.as_str())
    }

    /// Somebody arrived with this nick: whoever asked under it and has not been seen since may be a different person.
    pub fn forget(&mut self, nick: &str) {
        self.asked.retain(|_, (asker, ..)| asker != nick);
    }

    /// Somebody changed their nick (`None`: left).
    pub fn rename(&mut self, from: &str, to: Option<&str>) {
        match to {
            Some(to) => {
                self.forget(to);
                for (nick, ..) in self.asked.values_mut().filter(|(nick, ..)| nick == from) {
                    to.clone_into(nick);
                }
            }
            None => self.forget(from),
        }
    }
}

/// A message from somebody.
struct Words<'l> {
    line: &'l Incoming,
    nick: &'l str,
    /// The folded channel name; `None` if it is said to the bot alone.
    channel: Option<String>,
    /// True if it is a private message from somebody in none of the bot's channels.
    stranger: bool,
    speech: Speech,
}

impl Session {
    pub(super) fn hear_said(&mut self, line: &Incoming, moment: &mut Moment<'_>) {
        self.hear_from(line, None, moment);
    }

    /// The same for a line whose sender's account was asked for.
    pub(super) fn hear_from(&mut self, line: &Incoming, known: Option<Account>, moment: &mut Moment<'_>) {
        let Some(words) = self.words(line, known.as_ref(), moment) else { return };
        if let Some(request) = line.last().strip_prefix('\x01') {
            // A client that asked while the bot was away no longer waits.
            if words.speech == Speech::Live {
                self.hear_ctcp(words.nick, request.trim_end_matches('\x01'), moment.now, moment.outbox);
            }
            return;
        }
        match &words.channel {
            None => self.view.set_private_lines(words.nick, PrivateLines::Taken),
            Some(channel) if words.speech == Speech::Live => {
                if moment.memory.past.hold(channel, line) || !self.view.is_in(channel) {
                    return;
                }
            }
            Some(_) => {}
        }
        if let Some(account) = self.account_behind(&words, known, moment) {
            self.pass_on(&words, &account, moment);
        }
    }

    /// Reads a line as somebody's words. Returns `None` if they are not for the bot or not to be heard.
    fn words<'l>(&mut self, line: &'l Incoming, known: Option<&Account>, moment: &Moment<'_>) -> Option<Words<'l>> {
        let (nick, target) = (line.source(), line.param(0));
        let is_bot = line.message.tags.iter().flatten().any(|tag| tag.0 == "bot" || tag.0.ends_with("/bot"));
        if nick.is_empty() || is_bot || self.view.is_bot(nick) || self.view.isupport.is_part_of_channel(target) {
            return None;
        }
        let channel = self.view.isupport.is_channel(target).then(|| self.view.isupport.fold(target));
        if channel.is_none() && !self.view.is_me(target) {
            // It goes to the users of a server, or to part of a channel in a form the server did not announce.
            return None;
        }
        let stranger = channel.is_none() && !self.view.is_seen(nick);
        // A line held back while the account was asked for was counted when it came.
        if stranger && known.is_none() && self.is_too_much(line, moment.now) {
            return None;
        }
        let speech = moment.memory.past.speech(line)?;
        Some(Words { line, nick, channel, stranger, speech })
    }

    /// The account of the speaker; `None` if their words are heard later or not at all.
    fn account_behind(
        &mut self,
        words: &Words<'_>,
        known: Option<Account>,
        moment: &mut Moment<'_>,
    ) -> Option<Account> {
        let Words { line, nick, speech, .. } = *words;
        let account = match (line.tag("account"), known) {
            (Some(account), _) => Account::of(account),
            (None, Some(known)) => known,
            // If lines carry accounts, a line without one comes from somebody logged out. And a past speaker may be
            // gone.
            (None, None) if speech == Speech::Playback || self.caps.contains("account-tag") => Account::None,
            (None, None) => self.view.account(nick),
        };
        if speech == Speech::Live {
            let asks = account == Account::Unknown && self.view.isupport.whox;
            if asks && self.whether_known(line, moment.now, moment.outbox) != Hearing::Now {
                return None;
            }
            if words.stranger && self.are_too_many(line, &account, moment.now) {
                return None;
            }
            self.hear_account(nick, account.clone());
        }
        Some(account)
    }

    /// Passes words on to the core.
    fn pass_on(&mut self, words: &Words<'_>, account: &Account, moment: &mut Moment<'_>) {
        let Words { line, nick, channel, speech, .. } = words;
        let own_id = self.next_id();
        let id = line.tag("msgid").map_or(own_id, str::to_owned);
        let sent = line.tag("time").and_then(when).unwrap_or_else(|| self.clock.now());
        let speaker = self.view.speaker(nick, account, channel.as_deref(), *speech);
        let speaker = Speaker { address: line.address(), ..speaker };
        self.askers.note(&id, nick, &speaker.player.id, moment.now);
        let private = channel.is_none();
        let room = match channel {
            Some(channel) => self.view.room(channel),
            None => RoomId::new(&speaker.player.network, &speaker.player.id),
        };
        if private && speaker.trust == Trust::NickOnly && !self.view.goes_on_talking(nick) {
            // Nobody knows whether this is the nick's former holder, so they do not get what that person held.
            self.events.push(Event::Gone { room: room.clone(), player: speaker.player.clone() });
        }
        let text = wire::unstyled(line.last());
        let (body, addressed) = match self.called(&text) {
            Some(rest) => (rest.to_owned(), true),
            None => (text, false),
        };
        let history = self.keeps_history();
        if let (true, Some(channel)) = (history, channel) {
            // A time far ahead comes from a wrong clock; with it, nothing would count as missed ever again.
            let heard = sent.min(self.clock.now().saturating_add(AHEAD).unwrap_or(sent));
            let Memory { past, notes, .. } = &mut *moment.memory;
            past.heard(channel, heard, moment.now, notes);
        }
        let late = *speech == Speech::Playback;
        let comes_again = history && line.tag("msgid").is_some();
        let reply_to = line.tag("+draft/reply").or_else(|| line.tag("+reply")).map(str::to_owned);
        let message = Message::new(id, room, speaker, sent, body);
        self.events.push(Event::Said(Message { reply_to, private, addressed, late, comes_again, ..message }));
    }

    /// Returns the text after the bot's nick, if the text begins with that.
    pub(super) fn called<'a>(&self, text: &'a str) -> Option<&'a str> {
        let text = text.trim_start();
        let end = text.find([':', ',', ' '])?;
        let (name, rest) = text.split_at(end);
        let name = name.strip_prefix('@').map_or_else(|| (!rest.starts_with(' ')).then_some(name), Some)?;
        self.view.is_me(name).then(|| rest.trim_start_matches([':', ',']).trim_start())
    }

    /// Answers CTCP requests of other clients: privately, and rarely.
    pub(super) fn hear_ctcp(&mut self, nick: &str, request: &str, now: Instant, outbox: &mut Outbox) {
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
        // Too many requests are not answered.
        outbox.aside(Aside { command: Command::NOTICE(nick.to_owned(), text), of: None });
    }

    /// How many bytes of text fit into a line to this target.
    pub(super) fn room_for(&self, target: &str) -> usize {
        let mask = self.view.mask.as_ref().map_or(LONGEST_MASK, |(user, host)| user.len() + host.len());
        let around = format!(":{}!@ PRIVMSG {target} :\r\n", self.view.nick).len() + mask;
        self.view.isupport.linelen.saturating_sub(around).max(LEAST)
    }
}

impl Place for Session {
    fn labels(&self) -> bool {
        ["echo-message", "labeled-response", "batch"].iter().all(|cap| self.caps.contains(*cap))
    }

    fn side(&self, post: &Post) -> Side {
        let to = match &post.to {
            Recipient::Room => &post.room.id,
            Recipient::Player(player) => &player.id,
        };
        if self.view.isupport.is_channel(to) {
            return Side::Channel;
        }
        if self.view.nick_of(to).is_some() { Side::Person } else { Side::Stranger }
    }

    fn address(&self, post: &Post, now: Instant) -> Address {
        let to = match &post.to {
            Recipient::Room if self.view.isupport.is_channel(&post.room.id) => {
                let channel = &post.room.id;
                let channel =
                    self.renamed.get(channel).filter(|_| !self.wanted.contains_key(channel)).unwrap_or(channel);
                return match (self.view.is_in(channel), self.wanted.contains_key(channel)) {
                    (true, _) => Address::Here(channel.clone(), Verb::Message, self.room_for(channel)),
                    (false, true) => Address::Later,
                    (false, false) => Address::Never(format!("the bot is not in {channel} any more")),
                };
            }
            Recipient::Room => &post.room.id,
            Recipient::Player(player) if player.network != post.room.network => {
                return Address::Never(format!("{player} is on another network"));
            }
            Recipient::Player(player) => &player.id,
        };
        let asker = post.answers.as_ref().and_then(|id| self.askers.nick(id, to, now));
        let asker = asker.filter(|(nick, ago)| *ago < if self.view.is_seen(nick) { ASKED } else { ASKED_UNSEEN });
        // The holder of a bare nick may not be the person a secret is for, so it goes only to whoever was seen asking
        // for it.
        let secret = !post.readers.is_empty() && self.view.is_bare(to);
        let found = || if secret { None } else { self.view.nick_of(to) };
        match asker.map(|(nick, _)| nick.to_owned()).or_else(found) {
            Some(nick) => {
                let verb = if post.refusal { Verb::Notice } else { Verb::Message };
                // Their nick may change before the last line.
                let room = self.room_for(&format!("{nick:NICK$}"));
                Address::Here(nick, verb, room)
            }
            // Players, too, come back after a server was gone; but by then somebody else may have their nick.
            None if self.complete_at.is_some() && !secret => Address::Later,
            None => Address::Never(format!("{to} is not here")),
        }
    }
}
