//! `!now`: what is going on, and who is waited for. One screen, whatever the table holds.

use super::{orders, show, waiting};
use crate::rights::Act;
use crate::sheet::numbers;
use crate::turn::HouseTurn;
use crate::unplayed::Unplayed;
use chat::{Line, Reply, Span};
use journal::store::StoreError;
use plugin_api::{EarlierRoll, Fit, Role};
use std::collections::BTreeSet;

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

pub(super) fn now(turn: &mut HouseTurn) -> Result<Reply, Unplayed> {
    page(turn, Shown::Once)
}

/// What the board shows: the same for everybody, without what only some may know, without anyone's words, and without
/// what changes as time passes.
pub(super) fn board(turn: &mut HouseTurn) -> Result<Reply, Unplayed> {
    page(turn, Shown::OnBoard)
}

fn page(turn: &mut HouseTurn, shown: Shown) -> Result<Reply, Unplayed> {
    let mut lines = Vec::new();
    // What is waited for, then what each character may still choose on their newest roll that offers anything.
    let (mut asked, mut may): (Vec<_>, Vec<_>) = waiting::all(turn)?.into_iter().partition(waiting::Open::is_must);
    let mut seen = BTreeSet::new();
    may.retain(|open| seen.insert(open.character));
    for open in [&mut asked, &mut may] {
        if shown == Shown::Once {
            open.sort_by_key(|open| !turn.may(Act::AnswerFor(open.character)));
        }
        open.truncate(MOST);
    }
    let waits = !asked.is_empty();
    asked.append(&mut may);
    let open = !asked.is_empty();
    let before = |open: &waiting::Open| if open.is_must() { "on" } else { "may still choose on" };
    match shown {
        Shown::Once => lines.extend(waiting::listed(turn, &asked, before)),
        Shown::OnBoard => lines.extend(waiting::on_board(turn, &asked, before)),
    }
    if shown == Shown::Once {
        lines.extend(to_settle(turn)?);
    }
    lines.extend(of_plugins(turn)?);
    lines.extend(counters(turn));
    match shown {
        Shown::Once => lines.extend(orders::coming(turn, COMING)?),
        Shown::OnBoard => lines.extend(orders::dates(turn, COMING)),
    }
    let scene = turn.table.scene.as_ref().map(|scene| scene.title.clone());
    let mut reply = Reply::new();
    reply = match scene {
        Some(title) => reply.bold(title).text(" | "),
        None => reply,
    };
    reply = reply.text(match (waits, open || shown == Shown::OnBoard) {
        (true, _) => "Waited for:",
        (false, true) => "Nobody is waited for.",
        (false, false) => "Nobody is waited for",
    });
    if !open && shown == Shown::Once {
        let newest = turn.ledger.page(turn.ledger.head().number)?;
        reply = newest.into_iter().fold(reply, |reply, page| {
            let name = turn.table.name_of(page.entry.character);
            let last = format!("; last was #{} by {name}, {}", page.number(), show::ago(turn.now, page.entry.time));
            reply.text(last)
        });
    }
    Ok(if lines.is_empty() { reply } else { reply.list(lines) })
}

/// For a referee: the newest rolls that have no difficulty yet, with the line that settles each.
fn to_settle(turn: &HouseTurn) -> Result<Vec<Line>, StoreError> {
    if turn.rights.role() < Role::Referee {
        return Ok(Vec::new());
    }
    let (newest, mut lines) = (turn.ledger.head().number, Vec::new());
    for number in (newest.saturating_sub(LOOKED_AT) + 1..=newest).rev() {
        let Some(roll) = turn.ledger.roll(number)?.filter(|roll| !roll.secret) else { continue };
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

/// What the room's games and tools hold that is going on, such as whose turn it is.
fn of_plugins(turn: &HouseTurn) -> Result<Vec<Line>, Unplayed> {
    let (cast, mut lines) = (turn.cast(), Vec::new());
    for plugin in turn.host.plugins.enabled(turn.room) {
        if let Some(held) = turn.ledger.held(plugin)? {
            lines.extend(plugin.now(&held, &cast, turn.rights.role()));
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
        let counted = named.variables.iter().filter(|(_, value)| matches!(numbers(value), Some((_, Some(_)))));
        let counted: Vec<String> = counted.take(COUNTERS).map(|(name, value)| format!("{name} {value}")).collect();
        let name = Span::Bold(turn.table.name_of(*id).to_owned());
        (!counted.is_empty()).then(|| vec![name, Span::Text(format!(": {}", counted.join(", ")))])
    });
    lines.take(MOST).collect()
}
