//! Shows rolls and holdings, and states their facts.

use crate::plan::Made;
use crate::rules::{Keep, Throw, pool_size};
use crate::state::{Holdings, State};
use plugin_api::{CharacterId, Reply, Turn};
use serde_json::{Map, Value};

/// How a roll ended.
pub(crate) fn ending(throw: &Throw) -> Reply {
    Reply::new().fact("total", throw.total()).fact("outcome", throw.band().word())
}

/// `SUCCESS on 11 (+1: keep 2 high of 3)`.
pub(crate) fn headline(reply: Reply, result: &str, throw: &Throw) -> Reply {
    reply.bold(format!("{result} on {}", throw.total())).text(position(throw))
}

/// ` (+1: keep 2 high of 3)`; empty at the middle of the ladder.
pub(crate) fn position(throw: &Throw) -> String {
    match throw.keep() {
        Keep::All => String::new(),
        keep => format!(" ({:+}: keep 2 {} of {})", throw.net, keep.word(), throw.dice.len()),
    }
}

/// A roll after its headline: dice, what was spent and used, facts.
pub(crate) fn throw(reply: Reply, state: &State, made: &Made) -> Reply {
    let throw = &made.throw;
    let mut reply = dice(reply.text(" |"), throw);
    if !made.spotlight.is_empty() {
        reply = reply.fact("pool", state.pool);
    }
    let notes = notes(state, made);
    if !notes.is_empty() {
        reply = reply.text(format!(" | {}", notes.join(", ")));
    }
    reply
        .why(sum(throw))
        .fact("net", throw.net)
        .fact("keep", throw.keep().word())
        .fact("rolled", throw.dice.len())
        .fact("band", throw.band().word())
}

/// What was spent on a roll, and what was used that had waited for it.
pub(crate) fn notes(state: &State, made: &Made) -> Vec<String> {
    let mut notes = Vec::new();
    if !made.spotlight.is_empty() {
        let aspects: Vec<_> = made.spotlight.iter().map(|aspect| aspect.word()).collect();
        notes.push(format!("spotlight {}, {} left", aspects.join(" and "), count(state.pool, "token")));
    }
    notes.extend(made.used.iter().map(|each| format!("{:+} {}", each.steps, each.from)));
    notes
}

/// The sum behind a total.
pub(crate) fn sum(throw: &Throw) -> String {
    let which = match throw.keep() {
        Keep::All => "both dice".to_owned(),
        keep => format!("{} dice for {:+}, the two {}est", throw.dice.len(), throw.net, keep.word()),
    };
    format!("{} from {which}: 2 to 6 fails, 7 to 9 is mixed, 10 and more succeeds", throw.total())
}

/// The dice from low to high, with those that do not count in parentheses.
pub(crate) fn dice(mut reply: Reply, throw: &Throw) -> Reply {
    for (value, kept) in throw.sorted() {
        reply = reply.text(" ");
        reply = if kept { reply.die(value.to_string()) } else { reply.dropped(value.to_string()) };
    }
    reply
}

/// `Spotlight: 9 of 12 left (4 players, 1 dial; next Episode 11)`.
pub(crate) fn pool(state: &State) -> Reply {
    let State { players, dials, pool, full, .. } = state;
    if *players == 0 {
        return Reply::from("Spotlight: no Series has begun; ")
            .code("series 4")
            .text(" begins one for four players")
            .fact("pool", 0);
    }
    let next = pool_size(*players, *dials);
    let counts = format!("{}, {}", count(*players, "player"), count(*dials, "dial"));
    let reply = Reply::from(format!("Spotlight: {pool} of {full} left ({counts}; next Episode {next})"));
    reply.fact("pool", *pool).fact("players", *players).fact("dials", *dials).fact("next_pool", next)
}

/// `1 token`, `2 tokens`.
pub(crate) fn count(number: u32, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// The benefits and obstacles waiting for a character.
pub(crate) fn pending(state: &State, turn: &Turn, who: CharacterId) -> Reply {
    let reply = turn.about(who).text(format!("next Intention {}", waiting(&state.held(who))));
    pending_fact(reply, state, turn, who)
}

pub(crate) fn pending_fact(reply: Reply, state: &State, turn: &Turn, who: CharacterId) -> Reply {
    let mut pending = Map::new();
    pending.insert(turn.name(who).to_owned(), Value::from(state.held(who).waiting()));
    reply.fact("pending", pending)
}

/// `-1d (rain)`, `+1d (+2d help of Ann, -1d rain)`.
fn waiting(held: &Holdings) -> String {
    if held.pending.is_empty() {
        return "as typed, nothing waits".to_owned();
    }
    let each = match held.pending.as_slice() {
        [only] => only.from.clone(),
        several => several.iter().map(|each| format!("{:+}d {}", each.steps, each.from)).collect::<Vec<_>>().join(", "),
    };
    format!("{:+}d ({each})", held.waiting())
}

/// Everything a character and the table hold.
pub(crate) fn sheet(state: &State, turn: &Turn, who: CharacterId) -> Reply {
    let held = state.held(who);
    let others = state.characters.iter().filter(|(id, _)| **id != who && !turn.is_away(**id));
    let others: Vec<_> = others.map(|(id, each)| format!("{} {}", turn.name(*id), holdings(each))).collect();
    let others: Vec<_> = others.iter().map(|other| other.trim_end()).collect();
    let mut own = holdings(&held);
    if turn.is_away(who) {
        own = format!("{own}{}away", if own.is_empty() { "" } else { ", " });
    }
    let own = if own.is_empty() { "nothing waits, has control" } else { own.as_str() };
    let mut reply = turn.about(who).text(own).text(format!(" | {}", pool(state).plain()));
    if state.reboot {
        reply = reply.text(" | Reboot");
    }
    if !others.is_empty() {
        reply = reply.text(format!(" | at the table: {}", others.join("; ")));
    }
    let mut waits = Map::new();
    for (id, each) in &state.characters {
        waits.insert(turn.name(*id).to_owned(), Value::from(each.waiting()));
    }
    waits.entry(turn.name(who).to_owned()).or_insert(Value::from(0));
    let control = if held.ceded { "ceded" } else { "kept" };
    reply.fact("pending", waits).fact("control", control).fact("pool", state.pool).fact("reboot", state.reboot)
}

/// Who ceded control of their character.
pub(crate) fn control(state: &State, turn: &Turn) -> Reply {
    let ceded = state.characters.iter().filter(|(_, held)| held.ceded);
    let ceded: Vec<&str> = ceded.map(|(who, _)| turn.name(*who)).collect();
    match ceded.as_slice() {
        [] => "Everybody has control of their character.".into(),
        _ => format!("Control ceded: {}", ceded.join(", ")).into(),
    }
}

fn holdings(held: &Holdings) -> String {
    let mut words = Vec::new();
    words.extend((!held.pending.is_empty()).then(|| format!("next roll {}", waiting(held))));
    words.extend(held.paid.iter().map(|aspect| format!("spotlight {} paid", aspect.word())));
    words.extend(held.ceded.then(|| "control ceded".to_owned()));
    words.extend((held.dials > 0).then(|| format!("dials {}", held.dials)));
    words.join(", ")
}
