//! `!now`: what is going on, and who is waited for. One screen, whatever the table holds.

use crate::{link, orders, scene, show, waiting};
use chat::{Line, Reply, Span};
use journal::documents::RollDoc;
use journal::store::StoreError;
use plugin_api::{Counter, EarlierRoll, Fit, Role};
use std::collections::{BTreeMap, BTreeSet};
use table::own::{Act, HouseTurn, Unplayed, seen_from};

/// The most lines of each kind.
const MOST: usize = 8;
/// How many of the newest entries are searched for rolls without a difficulty.
const LOOKED_AT: u64 = 30;
/// The commands by which a game settles a roll against a difficulty.
const SETTLES: [&str; 2] = ["vs", "dn"];
/// The most things shown that are left for later.
const COMING: usize = 3;
/// The most counters shown of a character.
const COUNTERS: usize = 4;

/// Where it is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    /// To whoever asked.
    Once,
    /// In a message that stays, to everybody.
    OnBoard,
}

/// What is going on here, or in every scene.
pub(super) fn now(turn: &mut HouseTurn, all: bool) -> Result<Reply, Unplayed> {
    let here = turn.table.apart(turn.room_id);
    match (scene::is_split(turn)?, all) {
        (false, _) => page(turn, here, Shown::Once),
        (true, true) => side_by_side(turn, here),
        (true, false) => {
            let reply = page(turn, here, Shown::Once)?.line().text("The party is split: ");
            Ok(reply.code(format!("{}now all", turn.room.prefix)).text(" shows every scene."))
        }
    }
}

/// What the board shows: the same for everybody, without what only some may know, without anyone's words, and without
/// what changes as time passes.
pub(super) fn board(turn: &mut HouseTurn) -> Result<Reply, Unplayed> {
    let here = turn.table.apart(turn.room_id);
    page(turn, here, Shown::OnBoard)
}

/// What is going on in one scene, and at the table.
fn page(turn: &mut HouseTurn, scene: Option<u64>, shown: Shown) -> Result<Reply, Unplayed> {
    let all = waiting::all(turn)?;
    let open = open_in(turn, scene, MOST, shown, &all);
    let mut lines = match shown {
        Shown::Once => waiting::listed(turn, &open, before),
        Shown::OnBoard => waiting::on_board(turn, &open, before),
    };
    if shown == Shown::Once {
        lines.extend(to_settle(turn, scene, &all)?);
    }
    lines.extend(of_plugins(turn, scene)?);
    lines.extend(at_the_table(turn, shown)?);
    let title = turn.ledger.scene(turn.table, scene)?.map(|scene| scene.title);
    let mut reply = title.into_iter().fold(Reply::new(), |reply, title| reply.bold(title).text(" | "));
    let waits = open.iter().any(waiting::Open::is_must);
    reply = reply.text(match (waits, !open.is_empty() || shown == Shown::OnBoard) {
        (true, _) => "Waited for:",
        (false, true) => "Nobody is waited for.",
        (false, false) => "Nobody is waited for",
    });
    if open.is_empty() && shown == Shown::Once {
        let newest = turn.ledger.page(turn.ledger.head().number)?;
        reply = newest.into_iter().fold(reply, |reply, page| {
            let name = turn.table.name_of(page.entry.character);
            let last = format!("; last was #{} by {name}, {}", page.number(), show::ago(turn.now, page.entry.time));
            reply.text(last)
        });
    }
    Ok(if lines.is_empty() { reply } else { reply.list(lines) })
}

fn before(open: &waiting::Open) -> &'static str {
    if open.is_must() { "on" } else { "may still choose on" }
}

/// Every scene with its rooms, that of this room first, and then what they share.
fn side_by_side(turn: &mut HouseTurn, here: Option<u64>) -> Result<Reply, Unplayed> {
    let mut rooms: BTreeMap<Option<u64>, Vec<String>> = BTreeMap::new();
    for room in turn.ledger.rooms_at(turn.ledger.id())?.keys() {
        rooms.entry(turn.table.apart(room)).or_default().push(link::name(turn, room, turn.room_id)?);
    }
    let mut scenes: Vec<_> = rooms.into_iter().collect();
    scenes.sort_by_key(|(scene, _)| *scene != here);
    let (all, most) = (waiting::all(turn)?, (MOST / scenes.len().max(1)).max(1));
    let (mut open, mut held) = (Vec::new(), Vec::new());
    for (scene, _) in &scenes {
        open.push(open_in(turn, *scene, most, Shown::Once, &all));
        held.push(of_plugins(turn, *scene)?);
    }
    // Choices are numbered through, whichever scene they are in.
    let mut listed = waiting::listed(turn, &open.concat(), before).into_iter();
    let shared: Vec<Line> = held
        .first()
        .into_iter()
        .flatten()
        .filter(|line| held.iter().all(|each| each.contains(line)))
        .cloned()
        .collect();
    let mut reply = Reply::new();
    for (place, (((scene, rooms), open), held)) in scenes.iter().zip(&open).zip(held).enumerate() {
        let mut lines: Vec<Line> = listed.by_ref().take(open.len()).collect();
        lines.extend(to_settle(turn, *scene, &all)?);
        lines.extend(held.into_iter().filter(|line| !shared.contains(line)));
        let title = turn.ledger.scene(turn.table, *scene)?.map(|scene| scene.title);
        reply = if place == 0 { reply } else { reply.line() };
        reply = title.into_iter().fold(reply, |reply, title| reply.bold(title).text(" in "));
        let waits = open.iter().any(waiting::Open::is_must);
        let waits = if waits { "waited for:" } else { "nobody is waited for." };
        reply = reply.text(format!("{} | {waits}", rooms.join(", ")));
        reply = if lines.is_empty() { reply } else { reply.list(lines) };
    }
    let lines: Vec<Line> = shared.into_iter().chain(at_the_table(turn, Shown::Once)?).collect();
    Ok(if lines.is_empty() { reply } else { reply.line().text("In every scene:").list(lines) })
}

/// What is waited for in a scene, then what each character may still choose on their newest roll that offers anything;
/// up to `most` of each.
fn open_in(
    turn: &HouseTurn,
    scene: Option<u64>,
    most: usize,
    shown: Shown,
    all: &[waiting::Open],
) -> Vec<waiting::Open> {
    let here = all.iter().filter(|open| turn.table.still_apart(open.roll.apart) == scene).cloned();
    let (mut asked, mut may): (Vec<_>, Vec<_>) = here.partition(waiting::Open::is_must);
    let mut seen = BTreeSet::new();
    may.retain(|open| seen.insert(open.character));
    for open in [&mut asked, &mut may] {
        if shown == Shown::Once {
            open.sort_by_key(|open| !turn.may(Act::AnswerFor(open.character)));
        }
        open.truncate(most);
    }
    asked.append(&mut may);
    asked
}

/// What is the same in every scene: the party's counters, and what is left for later.
fn at_the_table(turn: &HouseTurn, shown: Shown) -> Result<Vec<Line>, Unplayed> {
    let mut lines = counters(turn);
    match shown {
        Shown::Once => lines.extend(orders::coming(turn, COMING)?),
        Shown::OnBoard => lines.extend(orders::dates(turn, COMING)),
    }
    Ok(lines)
}

/// For a referee: the newest rolls of a scene that have no difficulty yet, with the line that settles each. Whoever is asked
/// to answer one of these `open` rolls settles it, so it stands there once.
fn to_settle(turn: &HouseTurn, scene: Option<u64>, open: &[waiting::Open]) -> Result<Vec<Line>, StoreError> {
    if turn.rights.role() < Role::Referee {
        return Ok(Vec::new());
    }
    let (newest, mut lines) = (turn.ledger.head().number, Vec::new());
    for number in (newest.saturating_sub(LOOKED_AT) + 1..=newest).rev() {
        let asked = open.iter().any(|open| open.is_must() && open.entry == number);
        let still = |roll: &RollDoc| turn.table.still_apart(roll.apart) == roll.apart;
        let here = |roll: &RollDoc| !roll.secret && !asked && roll.apart == scene && still(roll);
        let Some(roll) = turn.ledger.roll(number)?.filter(here) else { continue };
        let (Some(record), Some(plugin)) = (&roll.record, turn.host.plugins.get(&roll.game)) else { continue };
        let commands = plugin.manifest().commands.iter().map(|command| command.name.as_str());
        let fits = |command: &&str| {
            let earlier = EarlierRoll { record, offered: false };
            SETTLES.contains(command) && plugin.fits(command, &earlier) == Fit::Open
        };
        if let Some(command) = commands.into_iter().find(fits) {
            lines.push(vec![
                Span::Bold(turn.table.name_of(roll.character).to_owned()),
                Span::Text(format!(" on #{number} has no difficulty yet: ")),
                Span::Code(format!("{}{command} #{number} 15", turn.room.prefix)),
            ]);
        }
        if lines.len() == MOST {
            break;
        }
    }
    Ok(lines)
}

/// What the room's games and tools hold that is going on in a scene, such as whose turn it is.
fn of_plugins(turn: &HouseTurn, scene: Option<u64>) -> Result<Vec<Line>, Unplayed> {
    let (cast, scenes, mut lines) = (turn.cast(), seen_from(turn.table, scene), Vec::new());
    for plugin in turn.host.plugins.enabled(turn.room) {
        if let Some(held) = turn.ledger.held(plugin)? {
            lines.extend(plugin.now(&held, &cast, &scenes, turn.rights.role()));
        }
    }
    Ok(lines)
}

/// The counters of the party: `Ann: hp 33/40`. Those of the opposition are the referee's.
fn counters(turn: &HouseTurn) -> Vec<Line> {
    let cast = turn.cast();
    let all =
        turn.table.shortcuts.own.iter().filter(|(id, _)| !cast.opposes(**id) && turn.table.characters.contains_key(id));
    let lines = all.filter_map(|(id, named)| {
        let counted =
            named.variables.iter().filter(|(_, value)| Counter::read(value).is_some_and(|value| value.most.is_some()));
        let counted: Vec<String> = counted.take(COUNTERS).map(|(name, value)| format!("{name} {value}")).collect();
        let name = Span::Bold(turn.table.name_of(*id).to_owned());
        (!counted.is_empty()).then(|| vec![name, Span::Text(format!(": {}", counted.join(", ")))])
    });
    lines.take(MOST).collect()
}
