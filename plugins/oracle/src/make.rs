//! Makes tables, adds to them and removes them. A table belongs to whoever made it, and to the referee.

use crate::seen::{Origin, Seen};
use crate::state::{Kept, MOST_BYTES, MOST_OF_ONE, MOST_OF_TABLE, MOST_TABLES, State, Table};
use crate::words;
use plugin_api::random_table::{After, Line, MOST_LINES, Piece, canonical, folded, pieces, read, sides};
use plugin_api::{Refusal, Reply, Turn};

/// Names of missing tables that an answer shows.
const MOST_MISSING: usize = 3;

/// Makes a table in place of one that has the name.
///
/// # Errors
/// Its name, its lines or its size are refused, or it belongs to somebody else.
pub(crate) fn make(state: &mut State, turn: &Turn, name: &str, body: &str) -> Result<Reply, Refusal> {
    let name = words::name(name)?;
    let key = folded(&name);
    let lines = lines(turn, body, After::Name)?;
    if lines.is_empty() {
        let what =
            format!("what is on {name}? Its lines follow the colon, with | between them or each on a line of its own");
        return Err(Refusal::new(what).example(format!("oracle {name}: a crow | blood moon | 3x silence")));
    }
    let kept = if turn.in_secret() { Kept::Hidden } else { Kept::Openly };
    let key = state.key(kept, &key, turn);
    let before = state.kept(kept).get(&key).cloned();
    if before.is_none() && state.count(None) >= MOST_TABLES {
        let what = format!("there are {MOST_TABLES} tables, and no more fit: remove one first");
        return Err(Refusal::new(what).example("oracle omen none"));
    }
    let by = before.as_ref().map_or(turn.actor, |table| table.by);
    let table = Table { name, by, lines };
    state.kept(kept).insert(key, table.clone());
    fits(state, &table)?;
    match &before {
        Some(before) => may_change(before, turn, "replace")?,
        None if state.count(Some(turn.actor)) > MOST_OF_ONE && !turn.by_referee() => {
            let what = format!("you have {MOST_OF_ONE} tables, the most for one player: remove one first");
            return Err(Refusal::new(what).example("oracle omen none"));
        }
        None => {}
    }
    let instead = before.map(|before| format!(", in place of {}", count(before.lines.len())));
    Ok(told(&known_with(state, turn, kept), &table, &instead.unwrap_or_default()))
}

/// Adds lines to a table.
///
/// # Errors
/// There is no such table, its lines or its size are refused, or it belongs to somebody else.
pub(crate) fn add(state: &mut State, turn: &Turn, name: &str, body: &str) -> Result<Reply, Refusal> {
    let (kept, key) = made_here(state, turn, name)?;
    let place = state.key(kept, &key, turn);
    let Some(before) = state.kept(kept).get(&place).cloned() else {
        return Err(Refusal::new("there is no such table"));
    };
    not_in_secret(kept, &key, turn)?;
    let more = lines(turn, body, After::Lines(sides(&before.lines)))?;
    if more.is_empty() {
        return Err(Refusal::new(format!("add what to {key}?")).example(format!("oracle {key} + a white hart")));
    }
    if before.lines.len() + more.len() > MOST_LINES {
        return Err(Refusal::new(format!("a table has at most {MOST_LINES} lines")).example("oracle"));
    }
    let added = more.len();
    let mut table = before.clone();
    table.lines.extend(more);
    state.kept(kept).insert(place, table.clone());
    fits(state, &table)?;
    may_change(&before, turn, "add to")?;
    Ok(told(&known_with(state, turn, kept), &table, &format!(", {added} of them new")))
}

/// Where the table that was typed is kept, and the name by which it is found.
fn made_here(state: &State, turn: &Turn, name: &str) -> Result<(Kept, String), Refusal> {
    let seen = state.seen(turn);
    let (key, table) = seen.find(name)?;
    match table.origin {
        Origin::Made(_, kept) => Ok((kept, key.to_owned())),
        Origin::Brought(game) => {
            let what = format!("{} brings {key}; a table of your own with this name goes before it", game.title);
            Err(Refusal::new(what).example(format!("oracle {key}: a crow | blood moon | 3x silence")))
        }
    }
}

/// The tables that those of this kind can name.
fn known_with<'s, 't: 's>(state: &'s State, turn: &Turn<'t>, kept: Kept) -> Seen<'s> {
    match kept {
        Kept::Openly => state.open(turn),
        Kept::Hidden => state.seen(turn),
    }
}

/// Removes a table.
///
/// # Errors
/// There is no such table, or it belongs to somebody else.
pub(crate) fn remove(state: &mut State, turn: &Turn, name: &str) -> Result<Reply, Refusal> {
    let (kept, key) = made_here(state, turn, name)?;
    not_in_secret(kept, &key, turn)?;
    let place = state.key(kept, &key, turn);
    let Some(table) = state.kept(kept).remove(&place) else { return Err(Refusal::new("there is no such table")) };
    may_change(&table, turn, "remove")?;
    Ok(Reply::new()
        .bold(&table.name)
        .text(format!(" is gone, with {}", count(table.lines.len())))
        .fact("table", table.name))
}

/// Reads lines as they are kept.
fn lines(turn: &Turn, body: &str, after: After) -> Result<Vec<Line>, Refusal> {
    if turn.comment.as_ref().is_some_and(|comment| comment.contains('|')) {
        let what = "a # begins a comment, so the lines after it would be lost: leave it out, or write no.";
        return Err(Refusal::new(what).example("oracle door: no. 1 | no. 2"));
    }
    let mut lines = read(body, after)?;
    // Of a table with one line nothing is drawn.
    let divided = [" / ", "; ", ", "].iter().find(|between| body.contains(**between));
    if let Some(between) = divided.filter(|_| lines.len() == 1 && matches!(after, After::Name)) {
        let what = "that is one line: lines have | between them";
        return Err(Refusal::new(what).about_meant(body, body.replace(between, " | ")));
    }
    for line in &mut lines {
        let words: Vec<&str> = line.text.split_whitespace().collect();
        line.text = canonical(&words.join(" "), turn.dialect())?;
    }
    Ok(lines)
}

/// Refuses a table that is too much to keep, in itself or with the others.
fn fits(state: &State, table: &Table) -> Result<(), Refusal> {
    if table.bytes() > MOST_OF_TABLE {
        let what =
            format!("one table has at most {} kB: make two of it, and let one name the other", MOST_OF_TABLE >> 10);
        return Err(Refusal::new(what).example("oracle omen: @crows | @moons"));
    }
    if state.bytes() > MOST_BYTES {
        let what =
            format!("all tables together have at most {} kB: remove one, or make this one shorter", MOST_BYTES >> 10);
        return Err(Refusal::new(what).example("oracle omen none"));
    }
    Ok(())
}

/// Refuses to change somebody else's table. Asked last, because the referee's right is recorded.
fn may_change(table: &Table, turn: &Turn, what: &str) -> Result<(), Refusal> {
    if table.by == turn.actor || turn.by_referee() {
        return Ok(());
    }
    let (name, owner) = (&table.name, turn.name(table.by));
    let what = format!("{name} is {owner}'s table: only {owner} or the referee may {what} it");
    Err(Refusal::new(what).example(format!("oracle {name}")))
}

/// Refuses to change in secret what everybody knows of.
fn not_in_secret(kept: Kept, name: &str, turn: &Turn) -> Result<(), Refusal> {
    if kept == Kept::Hidden || !turn.in_secret() {
        return Ok(());
    }
    let what = format!(
        "everybody knows of {name}, so it changes in front of everybody; in secret, give another table its lines"
    );
    Err(Refusal::new(what).example(format!("secret oracle hidden {name}: a crow | blood moon")))
}

/// What a table is like now.
fn told(seen: &Seen, table: &Table, more: &str) -> Reply {
    let (lines, sides) = (table.lines.len(), sides(&table.lines));
    let reply = Reply::new().bold(&table.name).text(format!(": {}{more}; a d{sides} decides", count(lines)));
    let missing = missing(seen, table);
    let reply =
        if missing.is_empty() { reply } else { reply.text(format!(" | still missing: {}", missing.join(", "))) };
    reply.fact("table", table.name.as_str()).fact("lines", lines).fact("sides", sides)
}

/// Tables that a table names and that there are not yet.
fn missing(seen: &Seen, table: &Table) -> Vec<String> {
    let mut missing = Vec::new();
    for line in &table.lines {
        for piece in pieces(&line.text, |name| seen.knows(name)) {
            if let Piece::Missing(name) = piece
                && missing.len() < MOST_MISSING
                && !missing.iter().any(|each| each == name)
            {
                missing.push(name.to_owned());
            }
        }
    }
    missing
}

/// A number of lines in words.
pub(crate) fn count(lines: usize) -> String {
    format!("{lines} {}", if lines == 1 { "line" } else { "lines" })
}
