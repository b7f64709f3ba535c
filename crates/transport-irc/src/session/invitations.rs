//! Invitations into channels: whose are followed, and how often.

use super::channels::MOST_INVITED;
use super::{Moment, Session};
use crate::pace::{Bucket, PerSender, Seldom};
use crate::settings::Invites;
use crate::trouble::legible;
use crate::view::Account;
use crate::wire::Incoming;
use std::time::Duration;
use tokio::time::Instant;

/// How many invitations are followed at once, and the interval after that.
const ALL: (u32, Duration) = (6, Duration::from_secs(10));
/// The same for each sender.
const ONE: (u32, Duration) = (3, Duration::from_secs(60));
/// The most senders tracked.
const MOST_SENDERS: usize = 256;
/// Of the channels the bot may be invited into, how many are reserved for invitations by admins.
const KEPT: usize = 10;

/// Limits on invitations.
pub(super) struct Invitations {
    all: Bucket,
    senders: PerSender,
    log: Seldom,
}

/// Why an invitation is not followed.
enum Declined {
    NotAllowed,
    TooMany,
    NoChannel,
    ThereAlready,
}

impl Invitations {
    pub fn new(now: Instant) -> Self {
        let senders = PerSender::new(Bucket::new(ONE.1, ONE.0, now), MOST_SENDERS);
        Invitations { all: Bucket::new(ALL.1, ALL.0, now), senders, log: Seldom::new(now) }
    }
}

impl Session {
    pub(super) fn hear_invitation(&mut self, line: &Incoming, channel: &str, moment: &mut Moment<'_>) {
        let account = match line.tag("account") {
            Some(account) => Account::of(account),
            None => self.view.account(line.source()),
        };
        let folded = self.view.isupport.fold(channel);
        if let Err(why) = self.whether_invited(line, channel, &account, moment) {
            return self.decline(line, channel, &account, &why, moment.now);
        }
        if !self.wanted.contains_key(&folded) {
            moment.memory.invite(&folded);
        }
        self.want(channel, moment);
    }

    fn whether_invited(
        &mut self,
        line: &Incoming,
        channel: &str,
        account: &Account,
        moment: &Moment<'_>,
    ) -> Result<(), Declined> {
        let now = moment.now;
        let folded = self.view.isupport.fold(channel);
        let by_admin = self.view.invites_as_admin(line.source(), account, &folded);
        // The bot follows anybody's invitation into a channel of its own.
        let own = self.wanted.contains_key(&folded);
        let welcome = match self.settings.invites {
            Invites::Nobody => false,
            Invites::Admins => by_admin,
            Invites::Anybody => true,
        };
        if !welcome && !own {
            return Err(Declined::NotAllowed);
        }
        if !self.is_name_of_channel(channel) {
            return Err(Declined::NoChannel);
        }
        if self.view.is_in(channel) {
            return Err(Declined::ThereAlready);
        }
        let most = if by_admin { MOST_INVITED } else { MOST_INVITED - KEPT };
        let sender = line.host().unwrap_or_else(|| line.source());
        // An admin is not limited by other people's invitations.
        let in_time = by_admin || (self.invitations.senders.take(sender, now) && self.invitations.all.take(now));
        match in_time && (own || moment.memory.invited.len() < most) {
            true => Ok(()),
            false => Err(Declined::TooMany),
        }
    }

    fn decline(&mut self, line: &Incoming, channel: &str, account: &Account, why: &Declined, now: Instant) {
        let Some(more) = self.invitations.log.tell(now) else { return };
        let (network, by, channel) = (self.view.network(), legible(line.source()), legible(channel));
        let admin = match account {
            Account::Is(account) => format!("account:{}", legible(account)),
            _ if self.settings.trust_nicks => format!("nick:{by}"),
            _ => "account:ACCOUNT".to_owned(),
        };
        let meant = format!("[irc.{network}] admins = [\"{admin}\"], or invites = \"anybody\"");
        let why = match why {
            Declined::NotAllowed => "in the configuration this would allow it",
            Declined::TooMany => "too many came at once",
            Declined::NoChannel => "no channel is called so",
            Declined::ThereAlready => "the bot is there already",
        };
        tracing::warn!(network, channel, by, meant, more, "an invitation is not followed: {why}");
    }
}
