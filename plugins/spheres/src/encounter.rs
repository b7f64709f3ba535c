//! Encounters with their Fate Pool, and whose turn it is.

use crate::rules::Kind;
use crate::state::{Fate, State};
use crate::{referee_only, show, surge};
use plugin_api::{CharacterId, Choice, Name, Refusal, Reply, Role, Turn};

/// What happens to an encounter.
#[derive(Choice, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StartEnd {
    /// It begins.
    #[choice("start", "begin", "on")]
    Start,
    /// It ends.
    #[choice("end", "off", "over")]
    End,
}

pub(crate) fn encounter(state: &mut State, turn: &mut Turn, what: StartEnd) -> Result<Reply, Refusal> {
    for held in state.characters.values_mut() {
        held.recovered = false;
    }
    turn.close_offers(None, &["stones", "stone"]);
    match what {
        StartEnd::Start if state.fate.is_some() => {
            Err(Refusal::new("an encounter is on already").example("encounter end"))
        }
        StartEnd::Start => {
            state.encounters += 1;
            state.fate = Some(Fate::default());
            Ok(show::behind("encounter on. ", show::fate(state)))
        }
        StartEnd::End => {
            let Some(fate) = state.fate.take() else {
                return Err(Refusal::new("no encounter is on").example("encounter start"));
            };
            for held in state.characters.values_mut() {
                held.surges.clear();
            }
            let (triumph, tragedy) = (fate.stones.triumph, fate.stones.tragedy);
            let (winner, says) = match triumph.cmp(&tragedy) {
                std::cmp::Ordering::Greater => ("heroes", "something good follows for the heroes"),
                std::cmp::Ordering::Less => ("opposition", "something good follows for the opposition"),
                std::cmp::Ordering::Equal => ("none", "nothing follows"),
            };
            let reply = Reply::new().bold(format!("encounter over, T{triumph} G{tragedy}: {says}"));
            Ok(show::fate_fact(reply, state).fact("winner", winner))
        }
    }
}

/// Stones of a kind that a pool may hold.
const MOST_STONES: i64 = 999;

pub(crate) fn fate(state: &mut State, turn: &Turn, kind: Option<Kind>, change: Option<i32>) -> Result<Reply, Refusal> {
    match (kind, change) {
        (None, None) => return Ok(show::fate(state)),
        (Some(kind), Some(change)) => {
            referee_only(turn, "correct the stones")?;
            let Some(fate) = &mut state.fate else {
                return Err(Refusal::new("no encounter is on, and so there are no stones").example("encounter start"));
            };
            let now = fate.stones.of(kind) + i64::from(change);
            if !(0..=MOST_STONES).contains(&now) {
                let what = format!("{} {} stones and {change:+} is not possible", fate.stones.of(kind), kind.name());
                return Err(Refusal::new(what).about(format!("{change:+}")).example("fate triumph +1"));
            }
            *fate.stones.of_mut(kind) = now;
        }
        _ => return Err(Refusal::new("which stones, and how many more or less?").example("fate triumph +1")),
    }
    Ok(show::fate(state))
}

/// Characters in the order of turns.
const MOST_IN_ORDER: usize = 50;

pub(crate) fn order(state: &mut State, turn: &mut Turn, who: &[Name]) -> Result<Reply, Refusal> {
    if who.is_empty() {
        return Ok(show_order(state, turn));
    }
    referee_only(turn, "set the order")?;
    if who.len() > MOST_IN_ORDER {
        return Err(Refusal::new(format!("{MOST_IN_ORDER} in an order are the most")));
    }
    let mut order: Vec<CharacterId> = Vec::new();
    for name in who {
        let id = turn.character(&name.0)?;
        if order.contains(&id) {
            return Err(Refusal::new(format!("{} is there twice", turn.name(id))).about(&name.0));
        }
        order.push(id);
    }
    (state.order, state.current) = (order, None);
    Ok(show_order(state, turn))
}

fn show_order(state: &State, turn: &Turn) -> Reply {
    let names: Vec<_> = state.order.iter().map(|id| turn.name(*id)).collect();
    let now =
        state.current.map_or("next begins the first turn".to_owned(), |id| format!("it is {}'s turn", turn.name(id)));
    match names.is_empty() {
        true => Reply::from("no order is set: order Ann Ogre Bob sets one"),
        false => Reply::from(format!("order: {}; {now}", names.join(", "))).fact("order", names),
    }
}

pub(crate) fn next(state: &mut State, turn: &mut Turn) -> Result<Reply, Refusal> {
    let Some(first) = state.order.first().copied() else {
        let everybody: Vec<_> = turn.heroes().into_iter().map(|id| turn.name(id).to_owned()).collect();
        return Err(Refusal::new("no order is set").example(format!("order {}", everybody.join(" "))));
    };
    if turn.role < Role::Referee && state.current != Some(turn.actor) {
        return Err(Refusal::new("the referee goes on to the next turn, or whose turn it is").example("turn"));
    }
    let at = state.current.and_then(|id| state.order.iter().position(|each| *each == id));
    let who = at.and_then(|at| state.order.get(at + 1)).copied().unwrap_or(first);
    Ok(begin(state, turn, who))
}

pub(crate) fn turn(state: &mut State, turn: &mut Turn, who: Option<Name>) -> Result<Reply, Refusal> {
    let who = turn.named(who)?;
    if who != turn.actor && turn.role < Role::Referee {
        return Err(Refusal::new("the referee begins somebody else's turn").example("turn"));
    }
    Ok(begin(state, turn, who))
}

/// A turn begins: blocks end, everybody may Surge again, the fatigue of a Surge comes.
fn begin(state: &mut State, turn: &mut Turn, who: CharacterId) -> Reply {
    state.turns += 1;
    state.current = Some(who);
    turn.close_offers(None, &["boost", "degree", "stunt"]);
    if let Some(fate) = &mut state.fate {
        fate.blocked.clear();
    }
    for (id, held) in &mut state.characters {
        (held.surged_this_turn, held.surge_unsaid) = (false, false);
        surge::turn_begins(held, *id == who);
    }
    let held = state.of(who);
    let tired = std::mem::take(&mut held.surge_pending);
    if tired {
        held.fatigue = held.fatigue.worse();
    }
    let fatigue = held.fatigue.word();
    let reply = Reply::new().bold(format!("{}'s turn", turn.name(who)));
    let reply = if tired { reply.text(format!(": {fatigue} from the Surge")) } else { reply };
    show::fate_fact(reply, state).fact("condition", fatigue).fact("pending", false)
}
