//! `!now`: what is going on, and who is waited for. One screen, whatever the table holds.

use crate::view::{self, Open, Scene, Unsettled};
use crate::{link, orders, scene, show, waiting};
use chat::{Line, Reply, Span};
use plugin_api::piece::{dials, drawn};
use std::collections::BTreeMap;
use table::own::{HouseTurn, Looking, Unplayed};

/// The most lines of each kind.
const MOST: usize = 8;
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
fn page(turn: &mut HouseTurn, apart: Option<u64>, shown: Shown) -> Result<Reply, Unplayed> {
    let looking = turn.looking();
    let mut all = view::all(&looking)?;
    if shown == Shown::Once {
        // The asker's own come first.
        all.sort_by_key(|open| !open.mine);
    }
    let scene = Scene::of(&looking, apart, &all, MOST)?;
    let picture = dials(&scene.pieces);
    let mut lines = to_settle(&looking, &scene.unsettled);
    lines.extend(drawn(&scene.pieces));
    lines.extend(at_the_table(turn, shown)?);
    let open = match shown {
        Shown::Once => waiting::listed(turn, &scene.open, before),
        Shown::OnBoard => waiting::on_board(turn, &scene.open, before),
    };
    let lines: Vec<Line> = open.into_iter().chain(lines).collect();
    let waits = scene.waits();
    let mut reply = scene.title.into_iter().fold(Reply::new(), |reply, title| reply.bold(title).text(" | "));
    reply = reply.text(match (waits, !scene.open.is_empty() || shown == Shown::OnBoard) {
        (true, _) => "Waited for:",
        (false, true) => "Nobody is waited for.",
        (false, false) => "Nobody is waited for",
    });
    if scene.open.is_empty() && shown == Shown::Once {
        let newest = turn.ledger.page(turn.ledger.head().number)?;
        reply = newest.into_iter().fold(reply, |reply, page| {
            let name = turn.table.name_of(page.entry.character);
            let last = format!("; last was #{} by {name}, {}", page.number(), show::ago(turn.now, page.entry.time));
            reply.text(last)
        });
    }
    let reply = picture.into_iter().fold(reply, Reply::picture);
    Ok(if lines.is_empty() { reply } else { reply.list(lines) })
}

fn before(open: &Open) -> &'static str {
    if open.is_must() { "on" } else { "may still choose on" }
}

/// Every scene with its rooms, that of this room first, and then what they share.
fn side_by_side(turn: &mut HouseTurn, here: Option<u64>) -> Result<Reply, Unplayed> {
    let mut rooms: BTreeMap<Option<u64>, Vec<String>> = BTreeMap::new();
    for room in turn.ledger.rooms_at(turn.ledger.id())?.keys() {
        rooms.entry(turn.table.apart(room)).or_default().push(link::name(turn, room, turn.room_id)?);
    }
    let looking = turn.looking();
    let mut all = view::all(&looking)?;
    all.sort_by_key(|open| !open.mine);
    let most = (MOST / rooms.len().max(1)).max(1);
    let mut scenes = Vec::new();
    for (apart, rooms) in rooms {
        scenes.push((Scene::of(&looking, apart, &all, most)?, rooms));
    }
    scenes.sort_by_key(|(scene, _)| scene.apart != here);
    let held: Vec<Vec<Line>> = scenes.iter().map(|(scene, _)| drawn(&scene.pieces)).collect();
    let to_settle: Vec<Vec<Line>> = scenes.iter().map(|(scene, _)| to_settle(&looking, &scene.unsettled)).collect();
    // Choices are numbered through, whichever scene they are in.
    let open: Vec<Open> = scenes.iter().flat_map(|(scene, _)| scene.open.clone()).collect();
    let mut listed = waiting::listed(turn, &open, before).into_iter();
    let shared: Vec<Line> = held
        .first()
        .into_iter()
        .flatten()
        .filter(|line| held.iter().all(|each| each.contains(line)))
        .cloned()
        .collect();
    let mut reply = Reply::new();
    for (place, (((scene, rooms), to_settle), held)) in scenes.into_iter().zip(to_settle).zip(held).enumerate() {
        let mut lines: Vec<Line> = listed.by_ref().take(scene.open.len()).collect();
        lines.extend(to_settle);
        lines.extend(held.into_iter().filter(|line| !shared.contains(line)));
        reply = if place == 0 { reply } else { reply.line() };
        let waits = if scene.waits() { "waited for:" } else { "nobody is waited for." };
        reply = scene.title.into_iter().fold(reply, |reply, title| reply.bold(title).text(" in "));
        reply = reply.text(format!("{} | {waits}", rooms.join(", ")));
        reply = if lines.is_empty() { reply } else { reply.list(lines) };
    }
    let lines: Vec<Line> = shared.into_iter().chain(at_the_table(turn, Shown::Once)?).collect();
    Ok(if lines.is_empty() { reply } else { reply.line().text("In every scene:").list(lines) })
}

/// What is the same in every scene: the party's counters, and what is left for later.
fn at_the_table(turn: &HouseTurn, shown: Shown) -> Result<Vec<Line>, Unplayed> {
    let mut lines = counters(&turn.looking());
    match shown {
        Shown::Once => lines.extend(orders::coming(turn, COMING)?),
        Shown::OnBoard => lines.extend(orders::dates(turn, COMING)),
    }
    Ok(lines)
}

/// Rolls that have no difficulty yet, with the line that settles each.
fn to_settle(looking: &Looking, unsettled: &[Unsettled]) -> Vec<Line> {
    let line = |Unsettled { entry, who, command }: &Unsettled| {
        vec![
            Span::Bold(who.clone()),
            Span::Text(format!(" on #{entry} has no difficulty yet: ")),
            Span::Code(format!("{}{command} #{entry} 15", looking.room.prefix)),
        ]
    };
    unsettled.iter().map(line).collect()
}

/// The counters of the party: `Ann: hp 33/40`. Those of the opposition are the referee's.
fn counters(looking: &Looking) -> Vec<Line> {
    let lines = view::sheets(looking).into_iter().filter(|sheet| !sheet.opposes).filter_map(|sheet| {
        let counted = sheet.values.iter().filter(|value| value.counts.is_some()).take(COUNTERS);
        let counted: Vec<String> = counted.map(|value| format!("{} {}", value.name, value.text)).collect();
        (!counted.is_empty()).then(|| vec![Span::Bold(sheet.who), Span::Text(format!(": {}", counted.join(", ")))])
    });
    lines.take(MOST).collect()
}
