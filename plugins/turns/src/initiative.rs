//! `!init`, `!next`, `!done`, `!delay`, `!go`, `!round`: what people do with the turn order.

use crate::cards;
use crate::entrants::Entrant;
use crate::order::{Begins, Mode, Side};
use crate::{Change, State, referees};
use plugin_api::{CharacterId, Moment, Name, Refusal, Reply, Turn};

/// The most characters in the order.
const MOST_IN_ORDER: usize = 60;

pub(crate) fn init(state: &mut State, turn: &mut Turn, change: Option<Change>) -> Result<Reply, Refusal> {
    match change {
        None => shown(state, turn),
        Some(Change::Set { entrants } | Change::Add { entrants }) => enter(state, turn, entrants),
        Some(Change::Remove { characters }) => remove(state, turn, &characters),
        Some(Change::Start) if state.order.round() > 0 => {
            Err(Refusal::new(format!("round {} is already on", state.order.round())).example("next"))
        }
        Some(Change::Start) => next(state, turn, None),
        Some(Change::Clear) => {
            if state.order.is_empty() {
                return Err(none_is_set());
            }
            referees(turn, "end the turn order")?;
            state.order.clear();
            state.cards = None;
            turn.close_offers(None, &["done", "next"]);
            Ok("The turn order is over.".into())
        }
        Some(Change::Sides) => follow(state, turn, Mode::Sides, "Each side acts as a block, in any order."),
        Some(Change::Cards { deck }) => {
            let cards = cards::deck(turn, deck.as_ref())?;
            let reply = follow(
                state,
                turn,
                Mode::Sides,
                "Each side acts as a block, and a card says each round which is first.",
            )?;
            state.cards = Some(cards);
            Ok(reply)
        }
        Some(Change::Free) => follow(state, turn, Mode::Free, "Whoever acts names who is next."),
        Some(Change::Listed) => follow(state, turn, Mode::Listed, "Turns go down the list."),
    }
}

fn none_is_set() -> Refusal {
    Refusal::new("there is no turn order yet").example("init Ann 17, Bob 12")
}

fn follow(state: &mut State, turn: &mut Turn, mode: Mode, says: &str) -> Result<Reply, Refusal> {
    referees(turn, "change how turns follow each other")?;
    state.order.follow(mode);
    state.cards = None;
    turn.close_offers(None, &["done", "next"]);
    Ok(Reply::from(says).text(order_after(state, turn)))
}

/// The order, behind a sentence.
fn order_after(state: &State, turn: &Turn) -> String {
    text_of(state, turn).map(|order| format!(" {order}")).unwrap_or_default()
}

fn text_of(state: &State, turn: &Turn) -> Option<String> {
    state.order.shown(&|who| turn.name(who).to_owned(), &|who| turn.opposes(who))
}

fn shown(state: &State, turn: &Turn) -> Result<Reply, Refusal> {
    text_of(state, turn).map(|order| facts(Reply::from(order), state, turn)).ok_or_else(none_is_set)
}

fn facts(reply: Reply, state: &State, turn: &Turn) -> Reply {
    let names: Vec<_> = state.order.all().map(|(who, _)| turn.name(who).to_owned()).collect();
    let reply = reply.fact("order", names).fact("round", state.order.round());
    let now = state.order.current().map(|who| turn.name(who).to_owned());
    now.into_iter().fold(reply, |reply, now| reply.fact("turn", now))
}

fn enter(state: &mut State, turn: &mut Turn, entrants: Vec<Entrant>) -> Result<Reply, Refusal> {
    let count: usize = entrants.iter().map(|each| each.times.unwrap_or(1) as usize).sum();
    if entrants.is_empty() {
        return Err(Refusal::new("who? Names are missing").example("init Ann 17, Bob 12"));
    }
    if state.order.len() + count > MOST_IN_ORDER {
        return Err(Refusal::new(format!("{MOST_IN_ORDER} in an order are the most")).example("init remove Ogre"));
    }
    turn.close_offers(None, &["next"]);
    let (mut rolled, mut entered) = (Vec::new(), Vec::new());
    for entrant in with_the_last_value(entrants) {
        for who in named(turn, &entrant)? {
            if entered.contains(&who) {
                return Err(Refusal::new(format!("{} is there twice", turn.name(who))));
            }
            if who != turn.actor {
                referees(turn, &format!("put {} into the order", turn.name(who)))?;
            }
            let value = entrant.value.as_ref().map(|value| value.settled(turn)).transpose()?;
            if let Some((_, Some(how))) = &value {
                rolled.push(format!("{} {how}", turn.name(who)));
            }
            state.order.enter(who, value.map(|(total, _)| total));
            entered.push(who);
        }
    }
    let reply = rolled.into_iter().fold(Reply::new(), |reply, roll| reply.die(roll).text(" | "));
    let order = text_of(state, turn).unwrap_or_default();
    let reply = facts(reply.text(order), state, turn);
    Ok(match state.order.round() {
        0 if turn.by_referee() => reply.offer("next", "begin the first turn"),
        _ => reply,
    })
}

/// `Ann, Bob d20` is for both of them: a value after names without any is everyone's.
fn with_the_last_value(mut entrants: Vec<Entrant>) -> Vec<Entrant> {
    if let Some((last, others)) = entrants.split_last_mut()
        && others.iter().all(|each| each.value.is_none())
    {
        others.iter_mut().for_each(|each| each.value.clone_from(&last.value));
    }
    entrants
}

/// Whom an entrant stands for: several if there are so many of them.
fn named(turn: &mut Turn, entrant: &Entrant) -> Result<Vec<CharacterId>, Refusal> {
    let Some(name) = &entrant.name else { return Ok(vec![turn.actor]) };
    if let Some(times) = entrant.times {
        return (1..=times).map(|number| turn.brought_in(&format!("{name}{number}"))).collect();
    }
    // A word in small letters without a number is prose and no new NPC.
    let new = entrant.value.is_some() || name.chars().any(char::is_uppercase);
    let who = if new { turn.brought_in(name) } else { turn.character(name) };
    Ok(vec![who.map_err(|refusal| refusal.example(format!("init {} 12", turn.name(turn.actor))))?])
}

fn remove(state: &mut State, turn: &mut Turn, characters: &[Name]) -> Result<Reply, Refusal> {
    if characters.is_empty() {
        return Err(Refusal::new("who? A name is missing").example("init remove Ogre"));
    }
    for Name(name) in characters {
        let who = turn.character(name)?;
        if !state.order.has(who) {
            return Err(Refusal::new(format!("{} is not in the order", turn.name(who))).about(name).example("init"));
        }
        if who != turn.actor {
            referees(turn, &format!("take {} out of the order", turn.name(who)))?;
        }
        state.order.leave(who);
    }
    let left = text_of(state, turn).unwrap_or_else(|| "Nobody is left in the turn order.".to_owned());
    Ok(facts(left.into(), state, turn))
}

pub(crate) fn next(state: &mut State, turn: &mut Turn, character: Option<Name>) -> Result<Reply, Refusal> {
    must_be_set(state)?;
    let named = character.map(|Name(name)| turn.character(&name)).transpose()?;
    if let Some(who) = named {
        return call(state, turn, who);
    }
    if state.order.mode() == Mode::Free && state.order.current() == Some(turn.actor) {
        return Err(choose(state, turn));
    }
    may_end(state, turn)?;
    go_on(state, turn, Reply::new())
}

/// Begins the turn of somebody who was named.
fn call(state: &mut State, turn: &mut Turn, who: CharacterId) -> Result<Reply, Refusal> {
    let name = turn.name(who).to_owned();
    if !state.order.has(who) {
        return Err(Refusal::new(format!("{name} is not in the order")).example(format!("init {name} 12")));
    }
    let hands_on = state.order.mode() == Mode::Free && state.order.current() == Some(turn.actor);
    if hands_on && state.order.has_acted(who) {
        return Err(Refusal::new(format!("{name} has acted this round")).example("round"));
    }
    if !hands_on {
        referees(turn, "begin the turn of somebody out of order")?;
    }
    let before = state.order.round();
    state.order.begin(who);
    Ok(begun(state, turn, Begins::Turn(who), before, Reply::new()))
}

/// Refuses everybody but the referee and whoever has the turn.
fn may_end(state: &State, turn: &Turn) -> Result<(), Refusal> {
    let own = state.order.round() > 0 && state.order.current() == Some(turn.actor);
    if own || turn.by_referee() { Ok(()) } else { Err(not_the_turn_of(state, turn, turn.actor)) }
}

fn not_the_turn_of(state: &State, turn: &Turn, who: CharacterId) -> Refusal {
    let whose = if who == turn.actor { "your".to_owned() } else { format!("{}'s", turn.name(who)) };
    let but = state.order.current().map(|who| format!(": it is {}'s", turn.name(who))).unwrap_or_default();
    Refusal::new(format!("it is not {whose} turn{but}")).example("init")
}

fn must_be_set(state: &State) -> Result<(), Refusal> {
    if state.order.is_empty() { Err(none_is_set()) } else { Ok(()) }
}

/// Asks who is next in a free order.
fn choose(state: &State, turn: &Turn) -> Refusal {
    let open = |who: &CharacterId| !state.order.has_acted(*who) && state.order.current() != Some(*who);
    let left: Vec<_> = state.order.all().map(|(who, _)| who).filter(open).map(|who| turn.name(who)).collect();
    match left.first() {
        Some(first) => Refusal::new(format!("who is next: {}?", left.join(", "))).example(format!("next {first}")),
        None => Refusal::new("everybody has acted; the referee begins the next round").example("round next"),
    }
}

/// Goes on to the next turn, and says so behind `reply`.
fn go_on(state: &mut State, turn: &mut Turn, reply: Reply) -> Result<Reply, Refusal> {
    let before = state.order.round();
    let card = cards::turned(state, turn)?;
    let begins = state.order.next(&|who| !turn.is_away(who), &|who| turn.opposes(who));
    let reply = begun(state, turn, begins, before, reply);
    Ok(card.into_iter().fold(reply, |reply, card| reply.text(" | ").bold(card)))
}

/// Says what begins, who comes after, and which conditions ended.
fn begun(state: &mut State, turn: &mut Turn, begins: Begins, round_before: u32, reply: Reply) -> Reply {
    turn.close_offers(None, &["done", "next"]);
    let round = state.order.round();
    if round > round_before {
        turn.begins(Moment::Round, None);
        // Whoever still waited has lost that turn.
        turn.close_offers(None, &["go"]);
    }
    let new_round = if round > round_before { format!("Round {round}: ") } else { String::new() };
    let headline = match begins {
        Begins::Turn(who) => format!("{new_round}{}'s turn", turn.name(who)),
        Begins::Side(side) if new_round.is_empty() => format!("The {} act", plural(side)),
        Begins::Side(side) => format!("{new_round}the {} act", plural(side)),
        Begins::Choice => format!("Round {round}: who acts first? Type next and a name"),
    };
    let act = match begins {
        Begins::Turn(who) => vec![who],
        Begins::Side(side) => on_side(state, turn, side),
        Begins::Choice => Vec::new(),
    };
    act.into_iter().for_each(|who| turn.begins(Moment::Turn, Some(who)));
    let mut reply = reply.bold(headline);
    if let Some(then) = state.order.after(&|who| !turn.is_away(who)) {
        reply = reply.text(format!(", then {}", turn.name(then)));
    }
    for (who, label) in state.conditions.pass(round, state.order.current()) {
        reply = reply.text(format!(" | {label} on {} is over", turn.name(who)));
    }
    let reply = facts(reply, state, turn);
    match begins {
        // The referee has the turns of NPCs in view.
        Begins::Turn(who) if turn.opposes(who) && who != turn.actor => reply,
        Begins::Turn(who) => with_offer(reply, turn, who),
        Begins::Side(side) => {
            let open: Vec<CharacterId> = on_side(state, turn, side);
            let names: Vec<_> = open.iter().map(|who| turn.name(*who)).collect();
            let reply = reply.text(format!(", in any order: {}", names.join(", ")));
            open.into_iter().filter(|who| !turn.opposes(*who)).fold(reply, |reply, who| with_offer(reply, turn, who))
        }
        Begins::Choice => reply,
    }
}

fn with_offer(reply: Reply, turn: &Turn, who: CharacterId) -> Reply {
    match who == turn.actor {
        true => reply.ask("done", "end your turn"),
        false => reply.ask_of(turn.name(who), "done", "end your turn"),
    }
}

fn plural(side: Side) -> &'static str {
    match side {
        Side::Heroes => "heroes",
        Side::Opposition => "foes",
    }
}

/// The characters of a side who are at the table.
fn on_side(state: &State, turn: &Turn, side: Side) -> Vec<CharacterId> {
    let of_side = |who: &CharacterId| turn.opposes(*who) == (side == Side::Opposition) && !turn.is_away(*who);
    state.order.all().map(|(who, _)| who).filter(of_side).collect()
}

pub(crate) fn done(state: &mut State, turn: &mut Turn, character: Option<Name>) -> Result<Reply, Refusal> {
    must_be_set(state)?;
    let who = turn.own(character, "end the turn of")?;
    let name = turn.name(who).to_owned();
    let Some(side) = state.order.side().filter(|_| state.order.mode() == Mode::Sides) else {
        if state.order.current() != Some(who) {
            return Err(not_the_turn_of(state, turn, who));
        }
        if state.order.mode() == Mode::Free {
            return Err(choose(state, turn));
        }
        return go_on(state, turn, Reply::new());
    };
    if !state.order.has(who) || turn.opposes(who) != (side == Side::Opposition) {
        return Err(
            Refusal::new(format!("the {} act now, and {name} is not one of them", plural(side))).example("init")
        );
    }
    if state.order.has_acted(who) {
        return Err(Refusal::new(format!("{name} has acted this round")).example("round"));
    }
    let of_side = |each| turn.opposes(each) == (side == Side::Opposition);
    if state.order.act(who, &|each| !turn.is_away(each), &of_side) {
        return go_on(state, turn, Reply::new());
    }
    turn.close_offers(Some(who), &["done"]);
    let left = on_side(state, turn, side).into_iter().filter(|each| !state.order.has_acted(*each));
    let left: Vec<_> = left.map(|each| turn.name(each)).collect();
    Ok(Reply::from(format!("{name} is done; still to act: {}", left.join(", "))))
}

pub(crate) fn delay(state: &mut State, turn: &mut Turn, character: Option<Name>) -> Result<Reply, Refusal> {
    must_be_set(state)?;
    let who = turn.own(character, "delay the turn of")?;
    if state.order.mode() != Mode::Listed || state.order.current() != Some(who) {
        let what = format!("only whoever has the turn can delay it, and that is not {}", turn.name(who));
        return Err(Refusal::new(what).example("init"));
    }
    state.order.delay(who);
    let waits = Reply::from(format!("{} waits. ", turn.name(who)));
    let reply = go_on(state, turn, waits)?;
    Ok(match who == turn.actor {
        true => reply.offer("go", "take your turn now"),
        false => reply.offer_to(turn.name(who), "go", "take your turn now"),
    })
}

pub(crate) fn go(state: &mut State, turn: &mut Turn, character: Option<Name>) -> Result<Reply, Refusal> {
    must_be_set(state)?;
    let who = turn.own(character, "take the turn of")?;
    if !state.order.is_delayed(who) {
        return Err(Refusal::new(format!("{} has not delayed a turn", turn.name(who))).example("init"));
    }
    turn.close_offers(Some(who), &["go"]);
    let before = state.order.round();
    state.order.come_in(who);
    Ok(begun(state, turn, Begins::Turn(who), before, Reply::new()))
}

pub(crate) fn round(state: &mut State, turn: &mut Turn, next: bool) -> Result<Reply, Refusal> {
    must_be_set(state)?;
    if !next {
        return shown(state, turn);
    }
    referees(turn, "begin the next round")?;
    state.order.end_round();
    go_on(state, turn, Reply::new())
}
