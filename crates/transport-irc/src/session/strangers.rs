//! People who share no channel with the bot: how much of what they say is heard, and who they are.
//!
//! If messages do not carry the sender's account, the bot asks the server. A nick out of the bot's sight may change
//! hands unseen, so an account counts only for what was said before the answer. The answer that there is no account is
//! believed for a while.

use super::{Moment, Session};
use crate::outbox::{Aside, Outbox};
use crate::pace::{Bucket, PerSender, Seldom};
use crate::trouble::legible;
use crate::view::Account;
use crate::wire::Incoming;
use irc_proto::Command;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::Instant;

/// Lines of one stranger that are heard at once, and the interval after that. Before it comes to this, the core says
/// once that it is too much.
const BURST: u32 = 12;
const EVERY: Duration = Duration::from_secs(5);
/// The same for all strangers together.
const ALL_BURST: u32 = 40;
const ALL_EVERY: Duration = Duration::from_secs(1);
/// The most hosts tracked.
const MOST_HOSTS: usize = 256;
/// How long the server has to tell who somebody is, and how long it may take until it is asked.
const WHO: Duration = Duration::from_secs(5);
const WAIT: Duration = Duration::from_secs(30);
/// The most lines of one person held back meanwhile.
const MOST_HELD: usize = 50;
/// The most people asked about at the same time.
const MOST_ASKED: usize = 20;
/// How long the answer that somebody has no account is believed, and how many such answers are remembered.
const NOBODY: Duration = Duration::from_secs(30);
const MOST_NOBODIES: usize = 256;
/// The token of replies about one person; unlike replies about channels they include user and host.
pub(super) const ABOUT_ONE: &str = "714";

/// What is known of strangers.
pub(super) struct Strangers {
    hosts: PerSender,
    all: Bucket,
    held: BTreeMap<String, Held>,
    /// People without an account, by nick, user and host, and when the server said so.
    nobodies: BTreeMap<String, Instant>,
    log: Seldom,
}

/// Lines of somebody whose account is being looked up.
struct Held {
    lines: Vec<Incoming>,
    until: Instant,
    /// What the server has told so far, and about which user and host.
    account: Account,
    mask: Option<(String, String)>,
}

/// Whether a line is heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hearing {
    /// Heard now.
    Now,
    /// Heard once the server has told who it is.
    Later,
    /// Not heard: they say too much.
    Never,
}

impl Strangers {
    pub fn new(now: Instant) -> Self {
        Strangers {
            hosts: PerSender::new(Bucket::new(EVERY, BURST, now), MOST_HOSTS),
            all: Bucket::new(ALL_EVERY, ALL_BURST, now),
            held: BTreeMap::new(),
            nobodies: BTreeMap::new(),
            log: Seldom::new(now),
        }
    }

    /// When held lines must be released.
    pub fn due(&self) -> Option<Instant> {
        self.held.values().map(|held| held.until).min()
    }

    /// People whose lines were held long enough.
    pub fn late(&self, now: Instant) -> Vec<String> {
        self.held.iter().filter(|(_, held)| held.until <= now).map(|(nick, _)| nick.clone()).collect()
    }

    /// True if the server said a moment ago that this address has no account.
    fn is_nobody(&self, address: &str, now: Instant) -> bool {
        self.nobodies.get(address).is_some_and(|told| now.duration_since(*told) < NOBODY)
    }

    fn note_nobody(&mut self, address: String, now: Instant) {
        if self.nobodies.len() >= MOST_NOBODIES {
            self.nobodies.retain(|_, told| now.duration_since(*told) < NOBODY);
        }
        if self.nobodies.len() < MOST_NOBODIES {
            self.nobodies.insert(address, now);
        }
    }

    fn drop_line(&mut self, line: &Incoming, network: &str, now: Instant) -> Hearing {
        if let Some(more) = self.log.tell(now) {
            let from = legible(&line.address());
            tracing::info!(
                network,
                from,
                more,
                "somebody in none of the bot's channels says too much, and is not heard"
            );
        }
        Hearing::Never
    }
}

impl Session {
    /// True if a private line from a stranger exceeds their own limit.
    pub(super) fn is_too_much(&mut self, line: &Incoming, now: Instant) -> bool {
        let host = line.host().unwrap_or_else(|| line.source()).to_owned();
        !self.strangers.hosts.take(&host, now)
            && self.strangers.drop_line(line, self.view.network(), now) == Hearing::Never
    }

    /// True if strangers together exceed the common limit; a network-wide admin is exempt.
    pub(super) fn are_too_many(&mut self, line: &Incoming, account: &Account, now: Instant) -> bool {
        let welcome = self.view.is_named(line.source(), account) || self.strangers.all.take(now);
        !welcome && self.strangers.drop_line(line, self.view.network(), now) == Hearing::Never
    }

    /// Decides whether to hear somebody whose account is unknown, and asks the server if need be.
    pub(super) fn whether_known(&mut self, line: &Incoming, now: Instant, outbox: &mut Outbox) -> Hearing {
        let nick = line.source();
        let folded = self.view.isupport.fold(nick);
        let stranger = !self.view.is_seen(nick);
        if !self.strangers.held.contains_key(&folded) {
            if stranger && self.strangers.is_nobody(&line.address(), now) {
                return Hearing::Now;
            }
            let words = vec![nick.to_owned(), format!("%tcuhnfa,{ABOUT_ONE}")];
            let command = Command::Raw("WHO".to_owned(), words);
            let asks =
                self.strangers.held.len() < MOST_ASKED && outbox.aside(Aside { command, of: Some(folded.clone()) });
            if !asks {
                // Somebody in a channel is heard all the same, as a person without an account.
                return if stranger { self.strangers.drop_line(line, self.view.network(), now) } else { Hearing::Now };
            }
            let held = Held { lines: Vec::new(), until: now + WAIT, account: Account::Unknown, mask: None };
            self.strangers.held.insert(folded.clone(), held);
        }
        if let Some(held) = self.strangers.held.get_mut(&folded).filter(|held| held.lines.len() < MOST_HELD) {
            held.lines.push(line.clone());
        }
        Hearing::Later
    }

    /// The server was just asked about these people.
    pub fn asked_of(&mut self, asked: &mut Vec<String>, now: Instant) {
        for folded in asked.drain(..) {
            if let Some(held) = self.strangers.held.get_mut(&folded) {
                held.until = now + WHO;
            }
        }
    }

    /// The server tells who somebody is: token, channel, user, host, nick, flags, account.
    pub(super) fn hear_who(&mut self, line: &Incoming) {
        let (nick, flags, account) = (line.param(5).to_owned(), line.param(6), Account::of(line.param(7)));
        let bot = self.view.isupport.is_flagged_bot(flags);
        if let Some(held) = self.strangers.held.get_mut(&self.view.isupport.fold(&nick)) {
            held.account = account.clone();
            held.mask = Some((line.param(3).to_owned(), line.param(4).to_owned()));
            if bot {
                held.lines.clear();
            }
        }
        self.hear_account(&nick, account);
        if bot {
            self.view.mark_bot(&nick);
        }
    }

    /// Plays the held lines of somebody; without an account in the answer they have none. The answer is about the
    /// nick's current holder, so it counts only for lines with the same user and host.
    pub(super) fn release(&mut self, folded: &str, moment: &mut Moment<'_>) {
        let Some(held) = self.strangers.held.remove(folded) else { return };
        let account = match (held.account, self.view.account(folded)) {
            (Account::Unknown, Account::Unknown) => Account::None,
            (Account::Unknown, seen) => seen,
            (told, _) => told,
        };
        for line in held.lines {
            let same = held.mask.as_ref().is_none_or(|(user, host)| line.is_from(user, host));
            let account = if same { account.clone() } else { Account::None };
            if account == Account::None && !self.view.is_seen(folded) {
                self.strangers.note_nobody(line.address(), moment.now);
            }
            self.hear_from(&line, Some(account), moment);
        }
    }
}
