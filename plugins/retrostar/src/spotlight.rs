//! Spotlight Tokens: Series and Episodes fill the pool, Intentions empty it, Personal Dials shrink it.

use crate::rules::{Aspect, pool_size};
use crate::state::State;
use crate::{SPOTMAX, show};
use plugin_api::{Name, Refusal, Reply, Turn};

/// Takes a token from the pool.
///
/// # Errors
/// The pool is empty.
pub(crate) fn pay(state: &mut State) -> Result<(), Refusal> {
    if state.players == 0 {
        return Err(Refusal::new("no tokens left: no Series has begun, which fills the pool").example("series 4"));
    }
    state.pool = state
        .pool
        .checked_sub(1)
        .ok_or_else(|| Refusal::new("no tokens left in the pool; a new Episode fills it").example("intent +1"))?;
    Ok(())
}

/// Refuses more tokens for one Intention than this table allows.
pub(crate) fn allow(turn: &Turn, tokens: usize) -> Result<(), Refusal> {
    let most = turn.setting(&SPOTMAX);
    if tokens as i64 <= most {
        return Ok(());
    }
    let what = match most {
        1 => "one token an Intention is the most, and one is spent already".to_owned(),
        most => format!("{most} tokens an Intention are the most"),
    };
    Err(Refusal::new(what).about("spot").example("intent +1"))
}

pub(crate) fn spend(
    state: &mut State,
    turn: &mut Turn,
    aspect: Option<Aspect>,
    who: Option<Name>,
) -> Result<Reply, Refusal> {
    let who = turn.named(who)?;
    let Some(aspect) = aspect else {
        let what = "a token brings an aspect into play: background, casting or descriptor";
        return Err(Refusal::new(what).example("spend spotlight casting"));
    };
    turn.touches(who)?;
    allow(turn, state.held(who).paid.len() + 1)?;
    pay(state)?;
    state.of(who).paid.push(aspect);
    let left = show::count(state.pool, "token");
    let says = format!("spotlight {}: +2d on the next Intention, {left} left", aspect.word());
    Ok(turn.about(who).text(says).fact("pool", state.pool))
}

pub(crate) fn show_or_correct(state: &mut State, turn: &Turn, change: Option<i32>) -> Result<Reply, Refusal> {
    if let Some(change) = change {
        if !turn.by_referee() {
            return Err(Refusal::new("only the Showrunner corrects the tokens").example("spot"));
        }
        let corrected = i64::from(state.pool) + i64::from(change);
        state.pool = u32::try_from(corrected).ok().filter(|pool| *pool <= MOST_TOKENS).ok_or_else(|| {
            let what = format!("{} and {change:+} is not from 0 to {MOST_TOKENS}", show::count(state.pool, "token"));
            Refusal::new(what).about(format!("{change:+}")).example("spot +1")
        })?;
    }
    Ok(show::pool(state))
}

/// The most tokens in a pool.
const MOST_TOKENS: u32 = 999;
/// The most Personal Dials at a table.
const MOST_DIALS: i64 = 999;

/// What an Episode leaves open: a 7 to 9 that is not settled, and what nobody resisted.
const CHOICES: [&str; 5] = ["keep", "cede", "empower", "hinder", "resist"];

pub(crate) fn series(state: &mut State, turn: &mut Turn, players: u32) -> Reply {
    turn.close_offers(None, &CHOICES);
    (state.players, state.dials) = (players, 0);
    for held in state.characters.values_mut() {
        held.dials = 0;
        held.pending.clear();
    }
    fill(state);
    lead("A new Series. ", show::pool(state))
}

pub(crate) fn episode(state: &mut State, turn: &mut Turn, number: Option<i64>) -> Result<Reply, Refusal> {
    if state.players == 0 {
        return Err(Refusal::new("no Series has begun: say for how many players").example("series 4"));
    }
    fill(state);
    turn.close_offers(None, &CHOICES);
    let which = number.map_or("A new Episode. ".to_owned(), |number| format!("Episode {number}. "));
    Ok(lead(&which, show::pool(state)))
}

pub(crate) fn players(state: &mut State, players: u32) -> Reply {
    state.players = players;
    show::pool(state)
}

pub(crate) fn dial(state: &mut State, turn: &mut Turn, who: Option<Name>, change: i32) -> Result<Reply, Refusal> {
    if who.is_none() && turn.opposes(turn.actor) {
        return Err(Refusal::new("whose dial? Type the character's name").example("dial Ann"));
    }
    let who = turn.named(who)?;
    if change != 1 && !turn.by_referee() {
        return Err(Refusal::new("only the Showrunner takes a dial back, or several at once").example("dial Ann"));
    }
    turn.touches(who)?;
    let all = i64::from(state.dials) + i64::from(change);
    let own = i64::from(state.held(who).dials) + i64::from(change);
    if own < 0 || !(0..=MOST_DIALS).contains(&all) {
        let what = format!("{} has {} dials, and {change:+} is not possible", turn.name(who), state.held(who).dials);
        return Err(Refusal::new(what).example("dial Ann"));
    }
    (state.dials, state.of(who).dials) = (all as u32, own as u32);
    let defined = show::count(own as u32, "Personal Dial");
    let reply = turn.about(who).text(format!("has {defined}. "));
    Ok(append(reply, show::pool(state)))
}

/// Fills the pool for a new Episode. Everybody gets control back, and tokens of the last pool are gone.
fn fill(state: &mut State) {
    for held in state.characters.values_mut() {
        held.ceded = false;
        held.paid.clear();
    }
    state.pool = pool_size(state.players, state.dials);
    state.full = state.pool;
}

fn lead(words: &str, reply: Reply) -> Reply {
    append(Reply::from(words), reply)
}

/// Appends one answer to another, on one line.
fn append(first: Reply, second: Reply) -> Reply {
    let plain = second.plain();
    Reply { facts: second.facts, ..first.text(plain) }
}
