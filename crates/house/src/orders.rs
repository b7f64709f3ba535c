//! `!remind`, `!at`, `!when`, `!deadline`: what people ask the bot to do later. The table carries it out.

use crate::{show, view, waiting};
use chat::{Line, PlayerId, Readers, Reply, Span, Trust, cut};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use journal::documents::{DueDoc, Order, When};
use journal::keys;
use journal::store::StoreError;
use plugin_api::names::ONESELF;
use plugin_api::{CharacterId, Refusal, Role, Text, Trait, suggest};
use std::collections::BTreeSet;
use table::own::times::{self, NoTime, TIMEZONE, Typed};
use table::own::{AT, Act, DEADLINE, HouseTurn, REMIND, Unplayed, YES, line_of, moment};
use table::words::{CommandLine, behind};

/// The most orders of a table, and of one player.
const MOST: usize = 200;
const MOST_OWN: usize = 20;
/// The most orders listed, and letters of each.
const MOST_LISTED: usize = 20;
const MOST_SHOWN: usize = 80;
/// The most words of a name.
const MOST_WORDS: usize = 4;
/// What is carried out later than this is labelled.
const LATE: SignedDuration = SignedDuration::from_mins(2);
/// What is said of an order that was due: its player is not heard here, or gave too many commands.
const WAITS: &str = "waits";
/// Words for everybody at the table.
const ALL: [&str; 4] = ["all", "everyone", "everybody", "us"];

pub(super) fn remind(turn: &mut HouseTurn, words: Option<&Text>) -> Result<Reply, Unplayed> {
    let Some(Text { text, .. }) = words else {
        return match turn.ordered {
            Some(number) => reminded(turn, number),
            None => listed(turn),
        };
    };
    let (whom, text) = addressee(turn, text)?;
    let typed = read_time(turn, text, "remind 2d the truce ends")?;
    if typed.rest.is_empty() {
        return Err(Refusal::new("of what?").example(format!("remind {text} the truce ends")).into());
    }
    if whom == Whom::All {
        turn.needs(Act::SetTable, "remind everybody")?;
    }
    ask(turn, When::At(typed.at))?;
    let reply = Reply::from(format!("I will remind {} {}.", whom.shown(turn), when_shown(turn, typed.at)));
    Ok(while_here(turn, with_clock(turn, reply, &typed)))
}

pub(super) fn at(turn: &mut HouseTurn, words: Option<&Text>) -> Result<Reply, Unplayed> {
    let example = "at friday 20:00 roll d6";
    let text = words.map_or("", |words| &words.text);
    let typed = read_time(turn, text, example)?;
    let line = playable(turn, typed.rest, example)?;
    ask(turn, When::At(typed.at))?;
    let reply = Reply::new().code(format!("{}{line}", turn.room.prefix));
    let reply = reply.text(format!(" is played {}.", when_shown(turn, typed.at)));
    Ok(while_here(turn, with_clock(turn, reply, &typed)))
}

pub(super) fn when(turn: &mut HouseTurn, words: Option<&Text>) -> Result<Reply, Unplayed> {
    let example = "when my turn: roll d20";
    let Some(Text { text, .. }) = words else { return listed(turn) };
    if ["off", "none", "stop"].contains(&text.trim().to_lowercase().as_str()) {
        return off(turn);
    }
    let Some((moment, line)) = moment(text) else {
        let what = "when what? I know: my turn, attacked, asked, round, scene";
        return Err(Refusal::new(what).example(example).into());
    };
    let line = playable(turn, line, example)?;
    let same = |order: &Order| order.when == When::Each(moment) && order.by == turn.actor;
    let own = |order: &Order| turn.speaker.is(&order.player);
    if let Some((number, _)) = turn.table.orders.iter().find(|(_, order)| same(order) && own(order)) {
        let what = format!("you have an order for that moment, #{number}, and I keep one; undo it first");
        return Err(Refusal::new(what).example(format!("undo #{number}")).into());
    }
    ask(turn, When::Each(moment))?;
    let prefix = &turn.room.prefix;
    let reply = Reply::new().text("Each time: ").code(format!("{prefix}{line}"));
    Ok(reply.text(" | ").code(format!("{prefix}when off")).text(" ends that"))
}

pub(super) fn deadline(turn: &mut HouseTurn, words: Option<&Text>) -> Result<Reply, Unplayed> {
    if turn.ordered.is_some() {
        return time_is_up(turn);
    }
    turn.needs(Act::SetTable, "set a deadline")?;
    if turn.in_secret || (turn.in_private && turn.said_in != turn.room_id) {
        let what = "a deadline is for everybody who is asked something: set it in the room, where they read it";
        return Err(Refusal::new(what).into());
    }
    let text = words.map_or("", |words| &words.text);
    let typed = read_time(turn, text, "deadline 48h")?;
    ask(turn, When::At(typed.at))?;
    let until = times::shown(typed.at, &zone(turn));
    let reply = Reply::from(format!("Whoever is asked something has until {until}; then I call them and the referee."));
    Ok(with_clock(turn, reply, &typed))
}

/// Whom a reminder is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whom {
    Me,
    All,
    Other(CharacterId),
}

impl Whom {
    fn shown(self, turn: &HouseTurn) -> String {
        match self {
            Whom::Me => "you".to_owned(),
            Whom::All => "everybody".to_owned(),
            Whom::Other(who) => turn.cast().with_account(who),
        }
    }
}

/// Whom a reminder is for, and the text behind that.
fn addressee<'t>(turn: &HouseTurn, text: &'t str) -> Result<(Whom, &'t str), Refusal> {
    let zone = zone(turn);
    let has_time = |text: &str| !matches!(times::read(text, turn.now, &zone), Err(NoTime::NoneTyped));
    let (first, behind) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    match first.to_lowercase() {
        _ if has_time(text) => return Ok((Whom::Me, text)),
        word if ONESELF.contains(&word.as_str()) => return Ok((Whom::Me, behind)),
        word if ALL.contains(&word.as_str()) => return Ok((Whom::All, behind)),
        _ => {}
    }
    let cast = turn.cast();
    let ends: Vec<usize> = text.match_indices(char::is_whitespace).map(|(at, _)| at).take(MOST_WORDS).collect();
    let named = |end: &usize| Some((cast.by_id(&text[..*end]).or_else(|| cast.meant(&text[..*end]))?, *end));
    let found = ends.iter().rev().filter_map(named).find(|(_, end)| has_time(text[*end..].trim_start()));
    let Some((who, end)) = found else { return Ok((Whom::Me, text)) };
    if who != turn.actor {
        cast.means_only(who, &text[..end])?;
    }
    Ok((Whom::Other(who), text[end..].trim_start()))
}

/// The time at the beginning of a text.
pub(super) fn read_time<'t>(turn: &HouseTurn, text: &'t str, example: &str) -> Result<Typed<'t>, Refusal> {
    let zone = zone(turn);
    times::read(text, turn.now, &zone).map_err(|error| {
        let what = match error {
            NoTime::NoneTyped if text.is_empty() => "when?".to_owned(),
            NoTime::NoneTyped => {
                "I see no time there: type 2d, 3h, tomorrow 20:00, friday 8pm or 2026-12-24".to_owned()
            }
            NoTime::Past => format!("that is over already: it is {}", times::shown(turn.now, &zone)),
            NoTime::TooFar => "that is more than a year away".to_owned(),
        };
        Refusal::new(what).example(example)
    })
}

/// Keeps an order, unless there are too many. Those that were carried out are dropped.
fn ask(turn: &mut HouseTurn, when: When) -> Result<(), Unplayed> {
    if turn.ordered.is_some() {
        return Err(Refusal::new("I promise nothing while I keep a promise: ask me yourself").into());
    }
    drop_carried_out(turn)?;
    let (player, number) = (turn.speaker.player.clone(), turn.number);
    let (orders, over) = (&turn.table.orders, carried_out(turn)?);
    let waits = |(number, _): &(&u64, &Order)| !over.contains(number);
    let all = orders.iter().filter(waits).count();
    let own = orders.iter().filter(waits).filter(|(_, order)| turn.speaker.is(&order.player)).count();
    if own >= MOST_OWN || all >= MOST {
        let (most, whose) = if own >= MOST_OWN { (MOST_OWN, "you have") } else { (MOST, "the table has") };
        let mut mine = orders.iter().filter(waits).filter(|(_, order)| turn.speaker.is(&order.player));
        let oldest = mine.next().map_or(0, |(number, _)| *number);
        let what = format!("{whose} {most} of these already, which is the most; undo one");
        return Err(Refusal::new(what).example(format!("undo #{oldest}")).into());
    }
    let own = turn.in_private || turn.in_secret;
    let (by, trust, role) = (turn.actor, turn.speaker.trust, turn.rights.role());
    turn.table_mut().orders.insert(number, Order { by, player, trust, role, when, own, room: None });
    if own {
        turn.effects.readers = Readers::Player;
    }
    Ok(())
}

/// Drops the orders that were carried out. Those that somebody gave in private go with their next private one, because
/// everybody reads the changes of a public entry.
pub(super) fn drop_carried_out(turn: &mut HouseTurn) -> Result<(), StoreError> {
    let alone = turn.in_private || turn.in_secret;
    let mut over = carried_out(turn)?;
    let (orders, speaker) = (&turn.table.orders, turn.speaker);
    let theirs = |order: &Order| !order.own || (alone && speaker.is(&order.player));
    over.retain(|number| orders.get(number).is_some_and(theirs));
    if !over.is_empty() {
        turn.table_mut().orders.retain(|number, _| !over.contains(number));
    }
    Ok(())
}

/// The orders that were carried out.
fn carried_out(turn: &HouseTurn) -> Result<BTreeSet<u64>, StoreError> {
    let mut over = BTreeSet::new();
    for (number, order) in &turn.table.orders {
        let past = match order.when {
            When::At(at) => at <= turn.now,
            When::Each(_) | When::Waited(_) | When::Shown => false,
            When::Opened => !turn.table.sealed.values().any(|sealed| sealed == number),
        };
        if past && turn.ledger.read::<DueDoc>(&keys::due(turn.ledger.id(), *number))?.is_none() {
            over.insert(*number);
        }
    }
    Ok(over)
}

/// The command that is to be played, if this table knows it.
fn playable(turn: &HouseTurn, text: &str, example: &str) -> Result<String, Refusal> {
    let line = text.trim().strip_prefix(turn.room.prefix.as_str()).unwrap_or(text).trim();
    if line.is_empty() {
        return Err(Refusal::new("and what do I play then?").example(example));
    }
    let (word, _) = turn.host.plugins.begun(&CommandLine::new(line).typed, turn.room);
    let now = turn.host.plugins.house().iter().any(|spec| spec.is(Trait::Now) && spec.answers_to(&word));
    if now || word == YES {
        return Err(Refusal::new(format!("{word} cannot be left for later")).about(word).example(example));
    }
    if turn.knows(&word) {
        // Who runs a room does so by the standing they have when they speak, and an order has none.
        if turn.host.plugins.house_command(&word, turn.room).is_some_and(|spec| spec.role >= Role::Admin) {
            let what = format!("{word} is for a room admin, who must be here: it cannot be left for later");
            return Err(Refusal::new(what).about(word).example(example));
        }
        return Ok(line.to_owned());
    }
    let plugins = turn.host.plugins.enabled(turn.room);
    let known = plugins.iter().flat_map(|plugin| &plugin.manifest().commands).chain(turn.host.plugins.house());
    let meant = suggest(&word, known.map(|command| command.name.as_str()));
    let what = format!("there is no command {word} here, so I could not play that later");
    Err(match meant {
        Some(meant) => Refusal::new(what).about_meant(word, meant.to_owned()),
        None => Refusal::new(what).about(word).example(example),
    })
}

/// The zone of the clock that people mean here.
pub(super) fn zone(turn: &HouseTurn) -> TimeZone {
    times::zone_of(turn.table).unwrap_or(TimeZone::UTC)
}

/// Whoever typed a time of the day where nobody ever said what clock that is shall not be surprised.
pub(super) fn with_clock(turn: &HouseTurn, reply: Reply, typed: &Typed<'_>) -> Reply {
    if !typed.by_the_clock || times::zone_of(turn.table).is_some() {
        return reply;
    }
    let set = format!("{}table {TIMEZONE} Europe/Berlin", turn.room.prefix);
    reply.text(" Another clock: ").code(set)
}

/// What somebody left in secret who has nothing but a nick is told to nobody who has that nick later.
fn while_here(turn: &HouseTurn, reply: Reply) -> Reply {
    if turn.speaker.trust == Trust::Account || !(turn.in_private || turn.in_secret) {
        return reply;
    }
    reply.text(" Stay here until then, or log in to the network first: somebody else may have your nick later.")
}

/// `in 2 days, on Fri 4 Dec 20:00 (UTC)`
fn when_shown(turn: &HouseTurn, at: Timestamp) -> String {
    let zone = zone(turn);
    format!("{}, on {}", times::until_there(turn.now, at, &zone), times::shown(at, &zone))
}

/// What a reminder says when its time has come.
fn reminded(turn: &mut HouseTurn, number: u64) -> Result<Reply, Unplayed> {
    let page = turn.ledger.must_have(number)?;
    let order = turn.table.orders.get(&number).cloned();
    let typed = page.text().unwrap_or_default();
    let asked = behind(&typed, &[REMIND, "reminder", "reminders"]).unwrap_or_default();
    let (whom, text) = addressee(turn, asked)?;
    let says = times::behind(text).unwrap_or(text).to_owned();
    let owners = |turn: &HouseTurn, who: CharacterId| -> BTreeSet<PlayerId> {
        turn.table.characters.get(&who).and_then(|each| each.owner.clone()).into_iter().collect()
    };
    let called = match whom {
        Whom::Me => BTreeSet::from([turn.speaker.player.clone()]),
        Whom::All => turn.table.seats.keys().filter(|player| turn.present.contains_key(player)).cloned().collect(),
        Whom::Other(who) => {
            let mut others = owners(turn, who);
            others.retain(|player| turn.is_here(player));
            // The referee calls whom they like; anybody else calls another once an hour, and the words stand there anyway.
            if !turn.may(Act::Know) {
                let (calls, by) = (&turn.host.calls, turn.speaker);
                let pair = |player: &PlayerId| (by.player.to_string(), player.to_string());
                others.retain(|player| by.is(player) || calls.may_happen(pair(player), 1, turn.now));
            }
            others
        }
    };
    turn.effects.calls = called;
    let mut reply = match whom {
        Whom::Me => Reply::new().bold("Reminder"),
        whom => Reply::new().bold(format!("Reminder for {}", whom.shown(turn))),
    };
    if order.as_ref().is_some_and(|order| order.own) {
        turn.effects.readers = Readers::Player;
    }
    reply = reply.text(format!(": {says}")).text(format!(" (asked {})", show::ago(turn.now, page.entry.time)));
    Ok(late(turn, reply, order.as_ref()))
}

/// Says of something that is carried out late when it was due.
fn late(turn: &HouseTurn, reply: Reply, order: Option<&Order>) -> Reply {
    match order.map(|order| order.when) {
        Some(When::At(at)) if turn.heard.duration_since(at) > LATE => {
            reply.text(format!(", due {}", times::shown(at, &zone(turn))))
        }
        _ => reply,
    }
}

/// Calls those who are still asked something, and the referees.
fn time_is_up(turn: &mut HouseTurn) -> Result<Reply, Unplayed> {
    let order = turn.ordered.and_then(|number| turn.table.orders.get(&number).cloned());
    let mut asked = view::all(&turn.looking())?;
    asked.retain(view::Open::is_must);
    let owner = |open: &view::Open| turn.table.characters.get(&open.character)?.owner.clone();
    let called = asked.iter().filter_map(owner).chain(turn.table.referees.keys().cloned());
    let called = called.filter(|player| turn.is_here(player)).collect();
    turn.effects.calls = called;
    if asked.is_empty() {
        return Ok(late(turn, Reply::from("The time is up, and nobody is waited for"), order.as_ref()));
    }
    let reply = late(turn, Reply::new().bold("The time is up"), order.as_ref()).text(". Waited for:");
    Ok(reply.list(waiting::listed(turn, &asked, |_| "on")))
}

fn off(turn: &mut HouseTurn) -> Result<Reply, Unplayed> {
    let actor = turn.actor;
    let mine = |order: &Order| order.by == actor && matches!(order.when, When::Each(_));
    let count = turn.table.orders.values().filter(|order| mine(order)).count();
    if count == 0 {
        return Err(Refusal::new("you have no standing orders").example("when my turn: roll d20").into());
    }
    turn.table_mut().orders.retain(|_, order| !mine(order));
    Ok(Reply::from(match count {
        1 => "Your standing order is off.".to_owned(),
        _ => format!("Your {count} standing orders are off."),
    }))
}

fn listed(turn: &mut HouseTurn) -> Result<Reply, Unplayed> {
    let lines = coming(turn, MOST_LISTED)?;
    if turn.in_private || turn.in_secret {
        turn.effects.readers = Readers::Player;
    }
    if lines.is_empty() {
        let prefix = &turn.room.prefix;
        let reply = Reply::new().text("Nothing is left for later. ").code(format!("{prefix}remind 2d the truce ends"));
        return Ok(reply.text(" reminds you."));
    }
    Ok(Reply::new().text("Left for later:").list(lines))
}

/// When something of everybody's is due next, without anyone's words, for a message that stays.
pub(super) fn dates(turn: &HouseTurn, most: usize) -> Vec<Line> {
    let due = |(number, order): (&u64, &Order)| {
        let at = order.when.at().filter(|at| *at > turn.now && !order.own)?;
        Some((at, *number, order.by))
    };
    let mut dates: Vec<_> = turn.table.orders.iter().filter_map(due).collect();
    dates.sort();
    let line = |(at, number, by): (Timestamp, u64, CharacterId)| {
        let says = format!(" {}, on {}", turn.table.name_of(by), times::shown(at, &zone(turn)));
        vec![Span::Bold(format!("#{number}")), Span::Text(says)]
    };
    dates.into_iter().take(most).map(line).collect()
}

/// What is left for later, the next first; others' private orders are left out, and one's own where others read.
pub(super) fn coming(turn: &HouseTurn, most: usize) -> Result<Vec<Line>, Unplayed> {
    let alone = turn.in_private || turn.in_secret;
    let mine = |number: u64, order: &Order| !order.own || (alone && turn.rights.gave(&order.player, number));
    let over = carried_out(turn)?;
    let waits = |order: &Order| matches!(order.when, When::At(_) | When::Each(_));
    let left = turn.table.orders.iter().filter(|(number, _)| !over.contains(number));
    let mut orders: Vec<_> = left.filter(|(number, order)| mine(**number, order) && waits(order)).collect();
    orders.sort_by_key(|(number, order)| match order.when {
        When::At(at) => (at, **number),
        _ => (Timestamp::MAX, **number),
    });
    let mut lines = Vec::new();
    for (number, order) in orders.into_iter().take(most) {
        let Some(page) = turn.ledger.page(*number)? else { continue };
        let Some(typed) = page.text() else { continue };
        let name = turn.table.name_of(order.by);
        let says = match (order.when, page.entry.command.as_str()) {
            (When::At(at), command) => {
                let what = match command {
                    AT => line_of(&page).map_or(String::new(), |line| format!("{}{line}", turn.room.prefix)),
                    DEADLINE => "the time is up for whoever is asked something".to_owned(),
                    _ => behind(&typed, &[command])
                        .and_then(|asked| addressee(turn, asked).ok())
                        .and_then(|(_, text)| times::behind(text).map(str::to_owned))
                        .unwrap_or_default(),
                };
                let until = if at > turn.now { times::until(turn.now, at) } else { WAITS.to_owned() };
                format!(" {name}, {until}: {}", cut(&what, MOST_SHOWN))
            }
            (_, command) => {
                let what = behind(&typed, &[command]).unwrap_or_default();
                format!(" {name}, {command} {}", cut(what, MOST_SHOWN))
            }
        };
        lines.push(vec![Span::Bold(format!("#{number}")), Span::Text(says)]);
    }
    Ok(lines)
}
