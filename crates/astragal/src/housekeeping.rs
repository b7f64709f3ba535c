//! Unasked work: reports networks that stay away, leaves rooms where nobody is left, erases old words, removes old
//! temporary records.

use crate::calendar::{Calendar, Jump};
use crate::operator::Operator;
use crate::order::Order;
use crate::{backup, backups};
use bot::Sweep;
use chat::{Clock, RoomId, Status, SystemClock};
use jiff::{SignedDuration, Timestamp};
use journal::documents::{from_json, to_json};
use journal::keys::CALENDAR_KEY;
use journal::moving;
use journal::store::{Batch, StoreError};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use table::OutcomeKind;
use tokio::time::Instant;

/// How often the networks are checked.
const LOOK: Duration = Duration::from_secs(5);
/// A network that is away this long is reported.
const AWAY: Duration = Duration::from_secs(300);
/// How often the rest is done.
const ROUND: Duration = Duration::from_secs(3600);

/// Does all of it while the bot runs.
pub async fn keep_house(operator: Arc<Operator>) {
    let mut away = Away::default();
    let mut round: Option<Instant> = None;
    let mut sweep: Option<Sweep> = None;
    loop {
        tokio::time::sleep(LOOK).await;
        let networks = operator.networks().await;
        for (network, status) in &networks {
            let news = match status.connected {
                true => away.there(network),
                false => away.gone(network, Instant::now()),
            };
            match news {
                Some(News::Gone) => {
                    tracing::error!(network, "the network cannot be reached for five minutes; it is tried on and on");
                }
                Some(News::Back) => tracing::warn!(network, "the network is there again"),
                None => {}
            }
        }
        sweep = sweep_on(&operator, sweep).await;
        if round.is_none_or(|at| at.elapsed() >= ROUND) {
            let ran = round.map_or(Duration::ZERO, |at| at.elapsed());
            round = Some(Instant::now());
            if sweep.is_none() {
                sweep = begin_sweep(&operator, operator.config().journals.keep_message_days).await;
            }
            match look_at_the_clock(&operator, ran).await {
                Ok(calendar) => make_a_round(&operator, &calendar, &networks).await,
                Err(error) => tracing::error!(%error, "what is old is not known, and nothing is done about it"),
            }
            tracing::debug!("a round was made");
        }
    }
}

/// Starts removing what has been kept for this many days.
async fn begin_sweep(operator: &Operator, days: u16) -> Option<Sweep> {
    let begun = Sweep::begin(&operator.bot.host(), SystemClock.now(), days.max(1)).await;
    begun.inspect_err(|error| tracing::error!(%error, "what is old was not removed")).ok()
}

/// Removes another page of it. A failure is retried in the next round.
async fn sweep_on(operator: &Operator, sweep: Option<Sweep>) -> Option<Sweep> {
    let swept = sweep?.on(&operator.bot.host()).await;
    swept.inspect_err(|error| tracing::error!(%error, "what is old was not removed")).ok().flatten()
}

/// Looks at the clock and stores its time. A jump is reported before anything depends on it.
async fn look_at_the_clock(operator: &Operator, ran: Duration) -> Result<Calendar, StoreError> {
    let now = SystemClock.now();
    let host = operator.bot.host();
    let committer = host.committer();
    let noted = committer.read(CALENDAR_KEY)?.map(|noted| from_json(CALENDAR_KEY, &noted)).transpose()?;
    let mut calendar: Calendar = noted.unwrap_or_else(|| Calendar::at(operator.written.unwrap_or(now)));
    if let Some(Jump { from, to }) = calendar.look(now, SignedDuration::try_from(ran).unwrap_or(SignedDuration::MAX)) {
        tracing::error!(
            "the clock of this machine says {to:.0}, and {from:.0} was expected: until the bot ran a day by it, nothing is \
             erased or deleted for its age, and no room left; set it right if it is wrong"
        );
    }
    let mut batch = Batch::default();
    batch.put(CALENDAR_KEY, to_json(&calendar));
    let stopping = |_| StoreError::Unavailable("the bot is stopping".to_owned());
    committer.submit(None, batch).await.map_err(stopping)??;
    Ok(calendar)
}

/// Handles what is old by now.
async fn make_a_round(operator: &Operator, calendar: &Calendar, networks: &[(String, Status)]) {
    let config = operator.config();
    leave_empty_rooms(operator, config.rooms.leave_alone_days, networks, calendar.day()).await;
    let Some(day) = calendar.day() else { return };
    if config.journals.keep_text_days > 0 {
        // Ages count by the clock, which may be ahead of the day.
        let days = u32::from(config.journals.keep_text_days) + calendar.behind();
        erase_old_words(operator, days).await;
    }
    if let Err(error) = backups::delete_old(&operator.backups, config.backups.keep, day) {
        tracing::error!(error = format!("{error:#}"), "an old backup was not deleted");
    }
}

/// Since when networks have been away.
#[derive(Default)]
struct Away {
    since: BTreeMap<String, Instant>,
    told: BTreeSet<String>,
}

/// News about a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum News {
    Gone,
    Back,
}

impl Away {
    /// A network is there: that is news if it was reported as away.
    fn there(&mut self, network: &str) -> Option<News> {
        self.since.remove(network);
        self.told.remove(network).then_some(News::Back)
    }

    /// A network is not there: that is news once, if it stays away.
    fn gone(&mut self, network: &str, now: Instant) -> Option<News> {
        let since = *self.since.entry(network.to_owned()).or_insert(now);
        let long = now.duration_since(since) >= AWAY;
        (long && self.told.insert(network.to_owned())).then_some(News::Gone)
    }
}

/// Leaves rooms in which the bot has been alone for this many days by this day, unless the configuration wants it
/// there. If the day is unknown, only notes where the bot is not alone.
async fn leave_empty_rooms(operator: &Operator, days: u16, networks: &[(String, Status)], day: Option<Timestamp>) {
    for (network, status) in networks.iter().filter(|(_, status)| status.connected) {
        for room in &status.rooms {
            let id = RoomId::new(network, &room.id);
            let alone = room.others == 0 && !room.configured && days > 0;
            if alone && day.is_none() {
                continue;
            }
            let since = match alone_since(operator, &id, day.filter(|_| alone)).await {
                Ok(since) => since,
                Err(error) => {
                    tracing::error!(room = %id, %error, "since when the bot is alone there is not known");
                    continue;
                }
            };
            let long = SignedDuration::from_hours(24 * i64::from(days));
            if since.zip(day).is_none_or(|(since, day)| day.duration_since(since) < long) {
                continue;
            }
            let order = Order::Leave { place: vec![network.clone(), room.id.clone()] };
            match operator.obey(order).await {
                Ok(_) => {
                    tracing::warn!(room = %id, days, "left, since nobody else was there; what its table holds stays")
                }
                Err(error) => tracing::warn!(room = %id, error = format!("{error:#}"), "an empty room was not left"),
            }
        }
    }
}

/// Since when the bot has been alone there. A time noted by a clock that was ahead counts from now on.
async fn alone_since(
    operator: &Operator,
    room: &RoomId,
    day: Option<Timestamp>,
) -> Result<Option<Timestamp>, StoreError> {
    let since = operator.bot.alone_since(room, day).await?;
    if since > day {
        operator.bot.alone_since(room, None).await?;
        return operator.bot.alone_since(room, day).await;
    }
    Ok(since)
}

/// Erases everything typed more than this many days ago, at every table, including those that all rooms have left.
async fn erase_old_words(operator: &Operator, days: u32) {
    let bot = &operator.bot;
    let tables = backup::between_commits(bot, |store| Ok((moving::tables(store)?, moving::seatings(store)?))).await;
    let (tables, seatings) = match tables {
        Ok(found) => found,
        Err(error) => return tracing::error!(error = format!("{error:#}"), "old words were not erased"),
    };
    for table in tables {
        let seated = seatings.iter().find(|(_, at)| *at == table).map(|(room, _)| room.clone());
        let room = seated.unwrap_or_else(|| table.first_room());
        // Each command erases a part; the one that finds nothing is refused.
        loop {
            match bot.order_at(table.clone(), &room, &format!("erase older {days}"), SystemClock.now()).await {
                Ok(outcomes) if outcomes.iter().any(|outcome| outcome.kind == OutcomeKind::Played) => {
                    tracing::info!(%room, days, "what was typed there longer ago is erased");
                }
                Ok(_) => break,
                Err(error) => {
                    tracing::error!(%room, %error, "old words were not erased");
                    break;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn that_a_network_stays_away_is_news_once() {
        let (mut away, start) = (Away::default(), Instant::now());
        let mut see = |second: u64, connected| match connected {
            true => away.there("libera"),
            false => away.gone("libera", start + Duration::from_secs(second)),
        };
        let seen =
            [(0, true), (1, false), (300, false), (301, false), (900, false), (901, true), (902, true), (903, false)];
        let news = seen.map(|(second, connected)| see(second, connected));
        assert_eq!(news, [None, None, None, Some(News::Gone), None, Some(News::Back), None, None]);
    }
}
