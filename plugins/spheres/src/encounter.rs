//! Encounters with their Fate Pool, and the order of turns.

use crate::asking::referee_only;
use crate::rules::Kind;
use crate::state::{Fate, Fatigue, InOrder, State};
use crate::{show, surge};
use plugin_api::{Choice, Forms, Moment, Name, Refusal, Reply, Turn, names, suggest_within};

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
            Err(Refusal::new("an encounter is already on").example("encounter end"))
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
            no_turn(state, turn);
            let (triumph, tragedy) = (fate.stones.triumph, fate.stones.tragedy);
            let (winner, says) = match triumph.cmp(&tragedy) {
                std::cmp::Ordering::Greater => ("heroes", "something good follows for the heroes"),
                std::cmp::Ordering::Less => ("opposition", "something good follows for the opposition"),
                std::cmp::Ordering::Equal => ("none", "nothing follows"),
            };
            let reply = Reply::new().bold(format!("encounter over with {triumph} Triumph, {tragedy} Tragedy: {says}"));
            Ok(show::fate_fact(reply, state).fact("winner", winner))
        }
    }
}

/// The most stones of a kind in a pool.
const MOST_STONES: i64 = 999;

pub(crate) fn fate(state: &mut State, turn: &Turn, kind: Option<Kind>, change: Option<i32>) -> Result<Reply, Refusal> {
    match (kind, change) {
        (None, None) => return Ok(show::fate(state)),
        (Some(kind), Some(change)) => {
            referee_only(turn, "correct the stones")?;
            let Some(fate) = &mut state.fate else {
                return Err(Refusal::new("no encounter is on, so there are no stones").example("encounter start"));
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

/// The most characters in the order of turns.
const MOST_IN_ORDER: usize = 50;

/// What becomes of the order of turns.
#[derive(Clone, Forms)]
pub(crate) enum Order {
    /// Only these act, in this order.
    #[form(bare)]
    Set { characters: Vec<Name> },
    /// Add them at the end.
    #[form("add", "+")]
    Add { characters: Vec<Name> },
    /// Remove them from the order.
    #[form("remove", "-")]
    Remove { characters: Vec<Name> },
    /// Empty the order.
    Clear,
}

/// Refuses an order that begins with what is nearly `add` or `remove`: everybody else would be out of it.
fn slip_of_a_change(turn: &mut Turn, characters: &[Name]) -> Result<(), Refusal> {
    let [Name(first), _, ..] = characters else { return Ok(()) };
    let nobody = first.starts_with(char::is_lowercase) && turn.character(first).is_err();
    match suggest_within(1, first, ["add", "remove"]).filter(|_| nobody) {
        Some(meant) => {
            Err(Refusal::new(format!("nobody here is called {first}: did you mean {meant}?")).about_meant(first, meant))
        }
        None => Ok(()),
    }
}

pub(crate) fn order(state: &mut State, turn: &mut Turn, change: Option<Order>) -> Result<Reply, Refusal> {
    let Some(change) = change else { return Ok(show_order(state, turn)) };
    referee_only(turn, "set the order")?;
    match without_then(turn, change) {
        Order::Set { characters } if ends(turn, &characters) => {
            return Err(Refusal::new("an encounter ends with its order").example("encounter end"));
        }
        // `initiative order: Ogre, Bob`
        Order::Set { characters } if is_order(turn, &characters) => {
            state.order = with(turn, Vec::new(), &characters[1..])?;
            no_turn(state, turn);
        }
        Order::Set { characters } => {
            slip_of_a_change(turn, &characters)?;
            state.order = with(turn, Vec::new(), &characters)?;
            no_turn(state, turn);
        }
        Order::Add { characters } => state.order = with(turn, state.order.clone(), &characters)?,
        Order::Remove { characters } => {
            for name in &characters {
                let who = in_order(turn, name)?;
                if !state.order.contains(&who) {
                    let what = format!("{} is not in the order", show::named_in_order(turn, &who));
                    return Err(Refusal::new(what).about(&name.0).example("order"));
                }
                leaves(state, turn, &who);
            }
        }
        Order::Clear => {
            state.order.clear();
            no_turn(state, turn);
        }
    }
    Ok(show_order(state, turn))
}

/// `order Astra, then Blaze` are two.
fn without_then(turn: &mut Turn, change: Order) -> Order {
    let Order::Set { mut characters } = change else { return change };
    characters.retain(|Name(name)| !name.eq_ignore_ascii_case("then") || turn.character(name).is_ok());
    Order::Set { characters }
}

/// True if the first of several is no name but the word for the list.
fn is_order(turn: &mut Turn, names: &[Name]) -> bool {
    matches!(names, [Name(word), _, ..] if word.eq_ignore_ascii_case("order") && turn.character(word).is_err())
}

/// True if these are no names: `order end`.
fn ends(turn: &mut Turn, names: &[Name]) -> bool {
    matches!(names, [Name(word)] if ["end", "over", "off", "stop"].contains(&&*word.to_lowercase()) && turn.character(word).is_err())
}

/// The order with these characters added at the end.
fn with(turn: &mut Turn, mut order: Vec<InOrder>, names: &[Name]) -> Result<Vec<InOrder>, Refusal> {
    if names.is_empty() {
        return Err(Refusal::new("who? Names are missing").example("order Ann Ogre Bob"));
    }
    if order.len() + names.len() > MOST_IN_ORDER {
        return Err(Refusal::new(format!("{MOST_IN_ORDER} in an order are the most")));
    }
    for name in names {
        let next = in_order(turn, name)?;
        if order.contains(&next) {
            return Err(Refusal::new(format!("{} is there twice", show::named_in_order(turn, &next))).about(&name.0));
        }
        order.push(next);
    }
    Ok(order)
}

/// Takes somebody out of the order. If it was their turn, the turn goes back to the character before them, so that the
/// next turn is that of the character after them.
fn leaves(state: &mut State, turn: &mut Turn, who: &InOrder) {
    if state.current.as_ref() == Some(who) {
        turn.close_offers(None, &["next"]);
        let at = state.order.iter().position(|each| each == who).unwrap_or_default();
        let before = (at + state.order.len() - 1) % state.order.len();
        state.current = state.order.get(before).filter(|each| *each != who).cloned();
    }
    state.order.retain(|each| each != who);
}

/// From now on it is nobody's turn, and nobody is waited for.
fn no_turn(state: &mut State, turn: &mut Turn) {
    state.current = None;
    turn.close_offers(None, &["next"]);
}

/// The character called `name`, or for a referee a new name, unless it looks like a typo.
fn in_order(turn: &mut Turn, name: &Name) -> Result<InOrder, Refusal> {
    match turn.character(&name.0) {
        Ok(id) => Ok(InOrder::Character(id)),
        Err(nobody) if nobody.what.contains("did you mean") || !turn.by_referee() => Err(nobody),
        Err(nobody) if !names::may_be_new(&name.0) => Err(nobody),
        Err(_) if let Some(why) = names::misread(&name.0) => {
            Err(Refusal::new(format!("{} is no name: {why}", name.0)).about(&name.0).example("order Ann Ogre Bob"))
        }
        Err(_) => Ok(InOrder::Named(name.0.chars().take(MOST_NAME).collect())),
    }
}

/// The most characters of a name in the order.
const MOST_NAME: usize = 32;

fn show_order(state: &State, turn: &Turn) -> Reply {
    let here = |who: &&InOrder| !matches!(who, InOrder::Character(id) if turn.is_away(*id));
    let names: Vec<_> = state.order.iter().filter(here).map(|who| show::named_in_order(turn, who)).collect();
    if names.is_empty() {
        return Reply::from("no order is set: ").code("order Ann Ogre Bob").text(" sets one");
    }
    let reply = Reply::from(format!("order: {}; ", names.join(", ")));
    let reply = match &state.current {
        Some(who) => reply.text(format!("it is {}'s turn", show::named_in_order(turn, who))),
        None => reply.code("next").text(" begins the first turn"),
    };
    reply.fact("order", names)
}

pub(crate) fn next(state: &mut State, turn: &mut Turn) -> Result<Reply, Refusal> {
    let Some(first) = state.order.first().cloned() else {
        let everybody: Vec<_> = turn.heroes().into_iter().map(|id| turn.name(id).to_owned()).collect();
        return Err(Refusal::new("no order is set").example(format!("order {}", everybody.join(" "))));
    };
    if state.current != Some(InOrder::Character(turn.actor)) && !turn.by_referee() {
        return Err(
            Refusal::new("only the referee, or the player whose turn it is, goes on to the next turn").example("turn")
        );
    }
    let at = state.current.as_ref().and_then(|who| state.order.iter().position(|each| each == who));
    let here = |who: &&InOrder| !matches!(who, InOrder::Character(id) if turn.is_away(*id));
    // Characters who are away have no turn until they are back.
    let then = state.order.iter().skip(at.map_or(0, |at| at + 1)).find(here).or_else(|| state.order.iter().find(here));
    let who = then.cloned().unwrap_or(first);
    if let InOrder::Character(who) = &who {
        turn.touches(*who)?;
    }
    Ok(begin(state, turn, who))
}

pub(crate) fn turn(state: &mut State, turn: &mut Turn, who: Option<Name>) -> Result<Reply, Refusal> {
    let Some(who) = who else { return Ok(show_order(state, turn)) };
    if ends(turn, std::slice::from_ref(&who)) {
        return Err(Refusal::new("the next turn ends this one").example("next"));
    }
    referee_only(turn, "begin a turn")?;
    let named = |each: &&InOrder| matches!(each, InOrder::Named(known) if known.eq_ignore_ascii_case(&who.0));
    let who = match state.order.iter().find(named) {
        Some(named) => named.clone(),
        None => InOrder::Character(turn.character(&who.0)?),
    };
    Ok(begin(state, turn, who))
}

/// Begins a turn: blocks end, everybody may Surge again, and the fatigue of a Surge comes.
fn begin(state: &mut State, turn: &mut Turn, who: InOrder) -> Reply {
    // If somebody has acted for a name by now, it is a character.
    let who = match who {
        InOrder::Named(name) => turn.character(&name).map_or(InOrder::Named(name), InOrder::Character),
        character => character,
    };
    state.turns += 1;
    turn.close_offers(None, &["boost", "degree", "stunt", "next"]);
    if let Some(fate) = &mut state.fate {
        fate.blocked.clear();
    }
    let reply = Reply::new().bold(format!("{}'s turn", show::named_in_order(turn, &who)));
    for (id, held) in &mut state.characters {
        (held.surged_this_turn, held.surge_unsaid) = (false, false);
        held.actions.turn_begins();
        surge::turn_begins(held);
        if who == InOrder::Character(*id) {
            held.actions.own_turn_begins();
            surge::own_turn_begins(held);
        }
    }
    let mut tired = false;
    let mut fatigue = Fatigue::Ok;
    if let InOrder::Character(id) = who {
        turn.begins(Moment::Turn, Some(id));
        let held = state.of(id);
        tired = std::mem::take(&mut held.surge_pending);
        if tired {
            held.fatigue = held.fatigue.worse();
        }
        fatigue = held.fatigue;
    }
    let reply = if tired { reply.text(format!(": {} from the Surge", fatigue.word())) } else { reply };
    // The referee has the turns of NPCs in view.
    let reply = match &who {
        InOrder::Character(id) if *id == turn.actor => reply.ask("next", "end your turn"),
        InOrder::Character(id) if !turn.opposes(*id) => reply.ask_of(turn.name(*id), "next", "end your turn"),
        _ => reply,
    };
    state.current = Some(who);
    show::fate_fact(reply, state).fact("condition", fatigue.word()).fact("pending", false)
}
