//! The Destiny Pool: sessions, awards, Hubris, and held dice.

use crate::asking::{GM, die_size, referee_only};
use crate::rules::Kind;
use crate::state::{Pool, State};
use crate::{show, tilt};
use plugin_api::{Argument, ArgumentKind, CharacterId, Forms, Name, Number, Part, Refusal, Reply, Turn, Value};

/// A die of the Pool, as typed: `triumph 5`.
#[derive(Clone, Copy)]
pub(crate) struct PoolDie(Kind, u32);

impl Argument for PoolDie {
    fn kind() -> ArgumentKind {
        let shows = Part::one("n", Number::<1, 20>::kind()).or_else("which {} die? Say its number");
        ArgumentKind::Pattern(vec![Part::one("kind", Kind::kind()), shows])
    }

    fn from_value(value: Value) -> Result<Self, Refusal> {
        let mut parts = value.parts()?;
        Ok(PoolDie(Kind::from_value(parts.one("kind")?)?, parts.one("n")?.number()?.0 as u32))
    }
}

/// Whose dice are shown, or what a referee puts right.
#[derive(Clone, Forms)]
pub(crate) enum Correction {
    /// what somebody holds, or a change to it
    #[form(bare)]
    Held {
        kind: Option<Kind>,
        character: Option<Name>,
        #[signed]
        change: Option<i32>,
    },
    /// add a missing die to the Pool
    Add { die: PoolDie },
    /// remove a die from the Pool
    #[form("drop", "remove")]
    Drop { die: PoolDie },
}

/// The most dice of a kind that somebody holds, or in the Pool.
const MOST_DICE: i64 = 99;

pub(crate) fn show_or_correct(
    state: &mut State,
    turn: &mut Turn,
    correction: Option<Correction>,
) -> Result<Reply, Refusal> {
    match &correction {
        None | Some(Correction::Held { character: None, kind: None, change: None }) => {}
        Some(Correction::Held { character: Some(who), kind: None, change: None }) => {
            let who = turn.character(&who.0)?;
            return Ok(show::sheet(state, turn, who));
        }
        Some(_) => referee_only(turn, "correct what is held")?,
    }
    match correction {
        Some(Correction::Add { die: PoolDie(kind, shows) }) => {
            if state.pool.of(kind).len() as i64 >= MOST_DICE {
                return Err(Refusal::new(format!("{MOST_DICE} dice of a kind are the most")).example("destiny"));
            }
            state.pool.of_mut(kind).push(shows);
        }
        Some(Correction::Drop { die: PoolDie(kind, shows) }) => {
            state.pool.take(kind, Some(shows))?;
        }
        Some(Correction::Held { character, kind: Some(kind), change: Some(change) }) => {
            correct_held(state, turn, character, kind, change)?;
        }
        Some(Correction::Held { change: Some(_), .. }) => {
            return Err(Refusal::new("dice of which kind: triumph or tragedy?").example("destiny Ann triumph +1"));
        }
        Some(Correction::Held { kind: Some(_), .. }) => {
            return Err(Refusal::new("how many more or less?").example("destiny Ann triumph +1"));
        }
        Some(Correction::Held { .. }) | None => {}
    }
    Ok(show::destiny(state, turn))
}

/// Gives somebody this many dice of a kind, or takes them.
fn correct_held(state: &mut State, turn: &mut Turn, who: Option<Name>, kind: Kind, change: i32) -> Result<(), Refusal> {
    let (held, name) = match &who {
        Some(Name(name)) if name.eq_ignore_ascii_case(GM) && kind == Kind::Triumph => {
            let what = "the referee holds only Tragedy dice";
            return Err(Refusal::new(what).about("triumph").example("destiny GM tragedy +1"));
        }
        Some(Name(name)) if name.eq_ignore_ascii_case(GM) => (&mut state.gm, GM.to_owned()),
        who => {
            let who = who.as_ref().map_or(Ok(turn.actor), |name| turn.character(&name.0))?;
            (&mut state.of(who).held, turn.name(who).to_owned())
        }
    };
    let now = held.of(kind) + i64::from(change);
    if !(0..=MOST_DICE).contains(&now) {
        let what = format!("{name} holds {} {}, and {change:+} is not possible", held.of(kind), kind.name());
        return Err(Refusal::new(what).about(format!("{change:+}")).example("destiny Ann triumph +1"));
    }
    *held.of_mut(kind) = now;
    Ok(())
}

/// The most players in a session.
const MOST_PLAYERS: usize = 20;

/// Seconds after which another session needs no confirmation.
const SOON: i64 = 3_600;

/// Refuses a session that is begun so soon after the last that it is likely meant for that one.
pub(crate) fn not_just_begun(state: &State, turn: &Turn, names: &[Name]) -> Result<(), Refusal> {
    let Some(ago) = state.session_began.map(|began| turn.now.as_second() - began).filter(|ago| *ago < SOON) else {
        return Ok(());
    };
    let names: String = names.iter().map(|Name(name)| format!(" {name}")).collect();
    let what = format!("a session began {} min ago, and another gives everyone dice once more", ago.max(0) / 60);
    Err(Refusal::new(what).example(format!("session again{names}")))
}

pub(crate) fn session(state: &mut State, turn: &mut Turn, names: &[Name]) -> Result<Reply, Refusal> {
    let mut players: Vec<CharacterId> = Vec::new();
    for name in names {
        let who = turn.character(&name.0)?;
        opposes_not(turn, who)?;
        if players.contains(&who) {
            return Err(Refusal::new(format!("{} is there twice", turn.name(who))).about(&name.0));
        }
        players.push(who);
    }
    if players.is_empty() {
        // Those of the last session, or else everybody who is there.
        players = if state.players.is_empty() { turn.heroes() } else { state.players.clone() };
        players.retain(|who| !turn.is_away(*who) && !turn.opposes(*who));
    }
    if players.is_empty() || players.len() > MOST_PLAYERS {
        return Err(Refusal::new(format!("a session has 1 to {MOST_PLAYERS} players: name them")));
    }
    let size = die_size(turn);
    state.pool = Pool::default();
    state.tilt = None;
    for who in &players {
        let holdings = state.of(*who);
        holdings.held.triumph += 1;
        holdings.held.tragedy += 1;
        holdings.awards.clear();
        holdings.edits.clear();
        turn.welcome(*who);
    }
    turn.close_offers(None, &["award"]);
    // A Triumph and a Tragedy for each player, and for the referee last.
    for _ in 0..=players.len() {
        for kind in [Kind::Triumph, Kind::Tragedy] {
            let shows = turn.throw_die(size)?.value;
            state.pool.of_mut(kind).push(shows);
        }
    }
    state.players = players;
    state.session_began = Some(turn.now.as_second());
    Ok(show::behind("A session begins. ", show::destiny(state, turn)))
}

/// Refuses a command for players if it names the opposition, because the referee has dice of their own.
fn opposes_not(turn: &Turn, who: CharacterId) -> Result<(), Refusal> {
    if !turn.opposes(who) {
        return Ok(());
    }
    let what = format!("{} belongs to the opposition: this is for players", turn.name(who));
    Err(Refusal::new(what).about(turn.name(who)).example("destiny"))
}

pub(crate) fn award(
    state: &mut State,
    turn: &mut Turn,
    kind: Kind,
    value: Option<u32>,
    who: &Name,
) -> Result<Reply, Refusal> {
    let who = turn.character(&who.0)?;
    opposes_not(turn, who)?;
    let value = state.pool.take(kind, value)?;
    let holdings = state.of(who);
    *holdings.held.of_mut(kind) += 1;
    holdings.awards.push(value);
    let name = turn.name(who).to_owned();
    let reply = Reply::new().bold(format!("{name} gets a {} die of {value}", kind.name()));
    let reply = reply.text(", kept").fact("value", value);
    taken(state, turn, reply.offer_to(name, "spend award", format!("worth {value} at once")))
}

pub(crate) fn hubris(state: &mut State, turn: &mut Turn, value: Option<u32>, who: &Name) -> Result<Reply, Refusal> {
    let who = turn.character(&who.0)?;
    opposes_not(turn, who)?;
    if who == turn.actor && !turn.by_referee() {
        return Err(Refusal::new("another player or the referee brings your Hubris into play").example("destiny"));
    }
    turn.touches(who)?;
    let value = state.pool.take(Kind::Tragedy, value)?;
    state.of(who).held.tragedy += 1;
    let reply = Reply::new().bold(format!("Hubris of {}: severity {value}", turn.name(who)));
    taken(state, turn, reply.text(", the Tragedy is kept").fact("value", value))
}

/// Handles the removal of a die from the Pool: if it was the last, a Tilt begins.
fn taken(state: &mut State, turn: &mut Turn, reply: Reply) -> Result<Reply, Refusal> {
    let tilts = state.pool.is_empty();
    let reply = if tilts { tilt::begin(state, turn, reply)? } else { show::pool_behind(reply, state) };
    Ok(show::destiny_facts(reply, state, turn).fact("tilt", tilts))
}

pub(crate) fn join(state: &mut State, turn: &mut Turn, who: Option<Name>) -> Result<Reply, Refusal> {
    let who = turn.named(who)?;
    turn.touches(who)?;
    let was_away = turn.is_away(who);
    turn.welcome(who);
    if state.players.contains(&who) {
        let says = if was_away { "is at the table again" } else { "is at the table already" };
        return Ok(show::destiny_facts(Reply::from(format!("{} {says}", turn.name(who))), state, turn));
    }
    if state.players.len() >= MOST_PLAYERS {
        return Err(Refusal::new(format!("{MOST_PLAYERS} players are the most")).example("leave Dee"));
    }
    state.players.push(who);
    let holdings = state.of(who);
    holdings.held.triumph += 1;
    holdings.held.tragedy += 1;
    let reply = Reply::from(format!("{} joins with a Triumph and a Tragedy; the Pool stays", turn.name(who)));
    Ok(show::destiny_facts(reply, state, turn))
}
