//! People whom the bot shares no channel with: how much of them is heard, and who they are.
//!
//! Where messages do not tell the account of who sent them, the server is asked. A nick that the bot does not see may
//! change hands unseen, so an account counts for what was said before the answer and nothing else; that there is none is
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

/// Lines of one stranger that are heard at once, and then one in so long a time. The core says once that this is too much
/// before it comes to that.
const BURST: u32 = 12;
const EVERY: Duration = Duration::from_secs(5);
/// The same for all of them together.
const ALL_BURST: u32 = 40;
const ALL_EVERY: Duration = Duration::from_secs(1);
/// Hosts that are told apart.
const MOST_HOSTS: usize = 256;
/// How long the server may take to tell who somebody is, and how long it may take until it is asked.
const WHO: Duration = Duration::from_secs(5);
const WAIT: Duration = Duration::from_secs(30);
/// Lines of one that are held meanwhile.
const MOST_HELD: usize = 50;
/// People of whom it is asked at the same time who they are.
const MOST_ASKED: usize = 20;
/// How long somebody without an account is believed to have none, and how many are remembered.
const NOBODY: Duration = Duration::from_secs(30);
const MOST_NOBODIES: usize = 256;
/// The token by which answers to questions about one person are known: with user and host, unlike those about channels.
pub(super) const ABOUT_ONE: &str = "714";

/// What is known of strangers.
pub(super) struct Strangers {
    hosts: PerSender,
    all: Bucket,
    held: BTreeMap<String, Held>,
    /// Who has no account, by nick, user and host, and when that was told.
    nobodies: BTreeMap<String, Instant>,
    log: Seldom,
}

/// Lines of somebody whose account is being asked for.
struct Held {
    lines: Vec<Incoming>,
    until: Instant,
    /// What the server has told by now, and of which user and host.
    account: Account,
    mask: Option<(String, String)>,
}

/// Whether a line of somebody is heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hearing {
    /// It is.
    Now,
    /// Once the server has told who that is.
    Later,
    /// It is not: they say too much.
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

    /// When somebody's lines are held no longer.
    pub fn due(&self) -> Option<Instant> {
        self.held.values().map(|held| held.until).min()
    }

    /// Whose lines were held long enough.
    pub fn late(&self, now: Instant) -> Vec<String> {
        self.held.iter().filter(|(_, held)| held.until <= now).map(|(nick, _)| nick.clone()).collect()
    }

    /// Whether somebody was told to have no account, a moment ago.
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

    fn drop_line(&mut self, line: &Incoming, now: Instant) -> Hearing {
        if let Some(more) = self.log.tell(now) {
            let from = legible(&line.address());
            tracing::info!(from, more, "somebody in none of the bot's channels says too much, and is not heard");
        }
        Hearing::Never
    }
}

impl Session {
    /// Whether a line that somebody in none of our channels says to the bot alone is one too many of theirs.
    pub(super) fn is_too_much(&mut self, line: &Incoming, now: Instant) -> bool {
        let host = line.host().unwrap_or_else(|| line.source()).to_owned();
        !self.strangers.hosts.take(&host, now) && self.strangers.drop_line(line, now) == Hearing::Never
    }

    /// Whether strangers, all of them together, say more than is heard; whoever is admin there is heard.
    pub(super) fn are_too_many(&mut self, line: &Incoming, account: &Account, now: Instant) -> bool {
        let welcome = self.view.is_named(line.source(), account) || self.strangers.all.take(now);
        !welcome && self.strangers.drop_line(line, now) == Hearing::Never
    }

    /// Whether somebody of whom it is not known who they are is heard, and asks the server if that must be.
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
                // Who is in a channel is heard all the same, as somebody without an account.
                return if stranger { self.strangers.drop_line(line, now) } else { Hearing::Now };
            }
            let held = Held { lines: Vec::new(), until: now + WAIT, account: Account::Unknown, mask: None };
            self.strangers.held.insert(folded.clone(), held);
        }
        if let Some(held) = self.strangers.held.get_mut(&folded).filter(|held| held.lines.len() < MOST_HELD) {
            held.lines.push(line.clone());
        }
        Hearing::Later
    }

    /// The server was asked just now who these are.
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

    /// Plays what was held of somebody; who was not told to have an account has none. The answer is about whoever has the
    /// nick by now: it counts for who had it with the same user and host.
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
