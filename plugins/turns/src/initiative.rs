//! `!init`, `!next`, `!done`, `!delay`, `!go`, `!round`: what people do with the turn order.

use crate::cards;
use crate::entrants::{Entrant, Value};
use crate::here::Here;
use crate::order::{Begins, Mode, Side};
use crate::{Change, referees};
use plugin_api::{CharacterId, Moment, Name, Refusal, Reply, Text, Turn, names};

/// The most of a kind that stand in front of their name.
const MOST_OF_A_KIND: i32 = 9;
/// The most characters in the order.
const MOST_IN_ORDER: usize = 60;

pub(crate) fn init(here: &mut Here, turn: &mut Turn, change: Option<Change>) -> Result<Reply, Refusal> {
    match change {
        None => shown(here, turn),
        Some(Change::Set { entrants } | Change::Add { entrants }) => enter(here, turn, entrants),
        Some(Change::Remove { characters }) => remove(here, turn, &characters),
        Some(Change::Start) if here.order.round() > 0 => {
            Err(Refusal::new(format!("round {} is already on", here.order.round())).example("next"))
        }
        Some(Change::Start) => next(here, turn, None),
        Some(Change::Clear) => {
            if here.order.is_empty() {
                return Err(none_is_set());
            }
            referees(turn, "end the turn order")?;
            here.order.clear();
            *here.cards = None;
            turn.close_offers(None, &["done", "next"]);
            Ok("The turn order is over.".into())
        }
        Some(Change::Sides) => follow(here, turn, Mode::Sides, "Each side acts as a block, in any order."),
        Some(Change::Cards { deck }) => {
            let cards = cards::deck(turn, deck.as_ref())?;
            let reply = follow(
                here,
                turn,
                Mode::Sides,
                "Each side acts as a block, and a card says each round which is first.",
            )?;
            *here.cards = Some(cards);
            Ok(reply)
        }
        Some(Change::Ties { first }) => ties(here, turn, first),
        Some(Change::Free) => follow(here, turn, Mode::Free, "Whoever acts names who is next."),
        Some(Change::Listed) => follow(here, turn, Mode::Listed, "Turns go down the list."),
    }
}

fn none_is_set() -> Refusal {
    Refusal::new("there is no turn order yet").example("init Ann 17, Bob 12")
}

fn follow(here: &mut Here, turn: &mut Turn, mode: Mode, says: &str) -> Result<Reply, Refusal> {
    referees(turn, "change how turns follow each other")?;
    here.order.follow(mode);
    *here.cards = None;
    turn.close_offers(None, &["done", "next"]);
    Ok(Reply::from(says).text(order_after(here, turn)))
}

/// Shows or says who goes first of those with the same number.
fn ties(here: &mut Here, turn: &Turn, first: Option<Text>) -> Result<Reply, Refusal> {
    if let Some(Text { text, .. }) = first {
        let side = match text.to_lowercase().trim_end_matches(" first") {
            "pc" | "hero" | "player" => Some(Side::Heroes),
            "npc" | "opposition" | "foe" | "enemy" | "monster" => Some(Side::Opposition),
            "off" | "none" | "no" => None,
            _ => {
                let what = "of equal numbers pc or npc goes first, or with off whoever came first";
                return Err(Refusal::new(what).about(&text).example("init ties pc"));
            }
        };
        referees(turn, "say who goes first of equal numbers")?;
        here.order.tie(side, &|who| turn.opposes(who));
    }
    let says = match here.order.ties() {
        Some(side) => format!("Of equal numbers the {} go first.", side.name()),
        None => "Of equal numbers whoever came first goes first.".to_owned(),
    };
    Ok(Reply::from(says).text(order_after(here, turn)))
}

/// The order, behind a sentence.
fn order_after(here: &Here, turn: &Turn) -> String {
    text_of(here, turn).map(|order| format!(" {order}")).unwrap_or_default()
}

fn text_of(here: &Here, turn: &Turn) -> Option<String> {
    let order = here.order.shown(&|who| turn.name(who).to_owned(), &|who| turn.opposes(who));
    order.map(|order| order.drawn())
}

fn shown(here: &Here, turn: &Turn) -> Result<Reply, Refusal> {
    text_of(here, turn).map(|order| facts(Reply::from(order), here, turn)).ok_or_else(none_is_set)
}

fn facts(reply: Reply, here: &Here, turn: &Turn) -> Reply {
    let names: Vec<_> = here.order.all().map(|(who, _)| turn.name(who).to_owned()).collect();
    let reply = reply.fact("order", names).fact("round", here.order.round());
    let now = here.order.current().map(|who| turn.name(who).to_owned());
    now.into_iter().fold(reply, |reply, now| reply.fact("turn", now))
}

fn enter(here: &mut Here, turn: &mut Turn, entrants: Vec<Entrant>) -> Result<Reply, Refusal> {
    let count: usize = entrants.iter().map(|each| each.times.unwrap_or(1) as usize).sum();
    if entrants.is_empty() {
        return Err(Refusal::new("who? Names are missing").example("init Ann 17, Bob 12"));
    }
    if here.order.len() + count > MOST_IN_ORDER {
        return Err(Refusal::new(format!("{MOST_IN_ORDER} in an order are the most")).example("init remove Ogre"));
    }
    unless_several_stand_in_front(turn, &entrants)?;
    turn.close_offers(None, &["next"]);
    // Several names put the order as it is typed.
    let alone = entrants.len() == 1;
    let mut entering: Vec<(CharacterId, Option<Value>)> = Vec::new();
    let entrants = with_the_last_value(with_values_in_front(turn, entrants));
    if entrants.iter().skip(1).any(|entrant| entrant.name.is_none()) {
        let what = "whose is the number or roll that has no name in front of it? Your own goes first";
        return Err(Refusal::new(what).example("init 17, Bob 12"));
    }
    for entrant in entrants {
        for who in named(turn, &entrant)? {
            if entering.iter().any(|(each, _)| *each == who) {
                return Err(Refusal::new(format!("{} is there twice", turn.name(who))));
            }
            if who != turn.actor {
                referees(turn, &format!("put {} into the order", turn.name(who)))?;
            }
            if entrant.value.is_none() && alone && here.order.all().any(|(each, _)| each == who) {
                let name = turn.name(who);
                return Err(Refusal::new(format!("{name} is in the order already")).example(format!("next {name}")));
            }
            entering.push((who, entrant.value.clone()));
        }
    }
    // No die falls before it is clear that all of them enter.
    let mut rolled = Vec::new();
    for (who, value) in entering {
        let value = value.map(|value| value.settled(turn)).transpose()?;
        if let Some((_, Some(how))) = &value {
            rolled.push(format!("{} {how}", turn.name(who)));
        }
        here.order.enter(who, value.map(|(total, _)| total), &|who| turn.opposes(who));
    }
    let reply = rolled.into_iter().fold(Reply::new(), |reply, roll| reply.die(roll).text(" | "));
    let order = text_of(here, turn).unwrap_or_default();
    let reply = facts(reply.text(order), here, turn);
    Ok(match here.order.round() {
        0 if turn.by_referee() => reply.offer("next", "begin the first turn"),
        _ => reply,
    })
}

/// Refuses `3 goblins d20+1`, which would be a 3 for the speaker and one of the name.
///
/// # Errors
/// Several of a kind that are not known yet follow a small number.
fn unless_several_stand_in_front(turn: &mut Turn, entrants: &[Entrant]) -> Result<(), Refusal> {
    let several = entrants.windows(2).find_map(|pair| {
        let (Entrant { name: None, times: None, value: Some(Value::Number(many)) }, kind) = (&pair[0], &pair[1]) else {
            return None;
        };
        let one = kind.name.as_ref().and_then(|name| name.strip_suffix('s')).filter(|one| one.len() > 2)?;
        let few = (2..=MOST_OF_A_KIND).contains(many) && kind.times.is_none();
        (few && turn.character(&format!("{one}s")).is_err()).then_some((*many, one))
    });
    let Some((many, one)) = several else { return Ok(()) };
    let mut letters = one.chars();
    let one: String = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
    Err(Refusal::new(format!("{many} of a kind go behind their name")).example(format!("init {one} x{many} d20+1")))
}

/// `12 Ogre, 15 Ann`: a line that begins with a value and ends with a name has each value in front of its name. A word that
/// is neither somebody's name nor written like one is none.
fn with_values_in_front(turn: &mut Turn, mut entrants: Vec<Entrant>) -> Vec<Entrant> {
    let begins = entrants.first().is_some_and(|first| first.name.is_none());
    let ends = entrants.last().is_some_and(|last| {
        let named = |name: &String| names::may_be_new(name) || turn.character(name).is_ok();
        last.value.is_none() && last.name.as_ref().is_some_and(named)
    });
    let [_, between @ .., _] = entrants.as_slice() else { return entrants };
    if begins && ends && between.iter().all(|each| each.name.is_some() && each.value.is_some()) {
        for next in (1..entrants.len()).rev() {
            entrants[next].value = entrants[next - 1].value.take();
        }
        entrants.remove(0);
    }
    entrants
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
    let new = entrant.value.is_some() || names::may_be_new(name);
    let who = if new { turn.brought_in(name) } else { turn.character(name) };
    Ok(vec![who.map_err(|refusal| refusal.example(format!("init {} 12", turn.name(turn.actor))))?])
}

fn remove(here: &mut Here, turn: &mut Turn, characters: &[Name]) -> Result<Reply, Refusal> {
    if characters.is_empty() {
        return Err(Refusal::new("who leaves the order?").example("init remove Ogre"));
    }
    for Name(name) in characters {
        let who = turn.character(name)?;
        if !here.order.has(who) {
            return Err(Refusal::new(format!("{} is not in the order", turn.name(who))).about(name).example("init"));
        }
        if who != turn.actor {
            referees(turn, &format!("take {} out of the order", turn.name(who)))?;
        }
        here.order.leave(who);
    }
    let left = text_of(here, turn).unwrap_or_else(|| "Nobody is left in the turn order.".to_owned());
    Ok(facts(left.into(), here, turn))
}

pub(crate) fn next(here: &mut Here, turn: &mut Turn, character: Option<Name>) -> Result<Reply, Refusal> {
    must_be_set(here)?;
    let of_round = |name: &str, refusal: Refusal| match name.eq_ignore_ascii_case("round") {
        true => refusal.example("round next"),
        false => refusal,
    };
    let found = character.map(|Name(name)| turn.character(&name).map_err(|refusal| of_round(&name, refusal)));
    if let Some(who) = found.transpose()? {
        return call(here, turn, who);
    }
    if here.order.mode() == Mode::Free && here.order.current() == Some(turn.actor) {
        return Err(choose(here, turn));
    }
    may_end(here, turn)?;
    go_on(here, turn, Reply::new())
}

/// Begins the turn of somebody who was named.
fn call(here: &mut Here, turn: &mut Turn, who: CharacterId) -> Result<Reply, Refusal> {
    let name = turn.name(who).to_owned();
    if !here.order.has(who) {
        return Err(Refusal::new(format!("{name} is not in the order")).example(format!("init {name} 12")));
    }
    let hands_on = here.order.mode() == Mode::Free && here.order.current() == Some(turn.actor);
    if hands_on && here.order.has_acted(who) {
        return Err(Refusal::new(format!("{name} has acted this round")).example("round"));
    }
    if !hands_on {
        referees(turn, "begin the turn of somebody out of order")?;
    }
    let before = here.order.round();
    here.order.begin(who);
    Ok(begun(here, turn, Begins::Turn(who), before, Reply::new()))
}

/// Refuses everybody but the referee and whoever has the turn.
fn may_end(here: &Here, turn: &Turn) -> Result<(), Refusal> {
    let own = here.order.round() > 0 && here.order.current() == Some(turn.actor);
    if own || turn.by_referee() { Ok(()) } else { Err(not_the_turn_of(here, turn, turn.actor)) }
}

fn not_the_turn_of(here: &Here, turn: &Turn, who: CharacterId) -> Refusal {
    let whose = if who == turn.actor { "your".to_owned() } else { format!("{}'s", turn.name(who)) };
    let but = here.order.current().map(|who| format!(": it is {}'s", turn.name(who))).unwrap_or_default();
    Refusal::new(format!("it is not {whose} turn{but}")).example("init")
}

fn must_be_set(here: &Here) -> Result<(), Refusal> {
    if here.order.is_empty() { Err(none_is_set()) } else { Ok(()) }
}

/// Asks who is next in a free order.
fn choose(here: &Here, turn: &Turn) -> Refusal {
    let open = |who: &CharacterId| !here.order.has_acted(*who) && here.order.current() != Some(*who);
    let left: Vec<_> = here.order.all().map(|(who, _)| who).filter(open).map(|who| turn.name(who)).collect();
    match left.first() {
        Some(first) => Refusal::new(format!("who is next: {}?", left.join(", "))).example(format!("next {first}")),
        None => Refusal::new("everybody has acted; the referee begins the next round").example("round next"),
    }
}

/// Goes on to the next turn, and says so behind `reply`.
fn go_on(here: &mut Here, turn: &mut Turn, reply: Reply) -> Result<Reply, Refusal> {
    let before = here.order.round();
    let card = cards::turned(here, turn)?;
    let begins = here.order.next(&|who| !turn.is_away(who), &|who| turn.opposes(who));
    let reply = begun(here, turn, begins, before, reply);
    Ok(card.into_iter().fold(reply, |reply, card| reply.text(" | ").bold(card)))
}

/// Says what begins, who comes after, and which conditions ended.
fn begun(here: &mut Here, turn: &mut Turn, begins: Begins, round_before: u32, reply: Reply) -> Reply {
    turn.close_offers(None, &["done", "next"]);
    let round = here.order.round();
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
        Begins::Choice => format!("Round {round}: who acts first?"),
    };
    let act = match begins {
        Begins::Turn(who) => vec![who],
        Begins::Side(side) => on_side(here, turn, side),
        Begins::Choice => Vec::new(),
    };
    act.into_iter().for_each(|who| turn.begins(Moment::Turn, Some(who)));
    let mut reply = reply.bold(headline);
    if let Some(then) = here.order.after(&|who| !turn.is_away(who)) {
        reply = reply.text(format!(", then {}", turn.name(then)));
    }
    for (who, label) in here.pass() {
        reply = reply.text(format!(" | {label} on {} is over", turn.name(who)));
    }
    let reply = facts(reply, here, turn);
    match begins {
        // The referee has the turns of NPCs in view.
        Begins::Turn(who) if turn.opposes(who) && who != turn.actor => reply,
        Begins::Turn(who) => with_offer(reply, turn, who),
        Begins::Side(side) => {
            let open: Vec<CharacterId> = on_side(here, turn, side);
            let names: Vec<_> = open.iter().map(|who| turn.name(*who)).collect();
            let reply = reply.text(format!(", in any order: {}", names.join(", ")));
            open.into_iter().filter(|who| !turn.opposes(*who)).fold(reply, |reply, who| with_offer(reply, turn, who))
        }
        Begins::Choice => reply.text(" Type ").code("next").text(" and a name"),
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
fn on_side(here: &Here, turn: &Turn, side: Side) -> Vec<CharacterId> {
    let of_side = |who: &CharacterId| turn.opposes(*who) == (side == Side::Opposition) && !turn.is_away(*who);
    here.order.all().map(|(who, _)| who).filter(of_side).collect()
}

pub(crate) fn done(here: &mut Here, turn: &mut Turn, character: Option<Name>) -> Result<Reply, Refusal> {
    must_be_set(here)?;
    let who = turn.own(character, "end the turn of")?;
    let name = turn.name(who).to_owned();
    let Some(side) = here.order.side().filter(|_| here.order.mode() == Mode::Sides) else {
        if here.order.current() != Some(who) {
            return Err(not_the_turn_of(here, turn, who));
        }
        if here.order.mode() == Mode::Free {
            return Err(choose(here, turn));
        }
        return go_on(here, turn, Reply::new());
    };
    if !here.order.has(who) || turn.opposes(who) != (side == Side::Opposition) {
        return Err(
            Refusal::new(format!("the {} act now, and {name} is not one of them", plural(side))).example("init")
        );
    }
    if here.order.has_acted(who) {
        return Err(Refusal::new(format!("{name} has acted this round")).example("round"));
    }
    let of_side = |each| turn.opposes(each) == (side == Side::Opposition);
    if here.order.act(who, &|each| !turn.is_away(each), &of_side) {
        return go_on(here, turn, Reply::new());
    }
    turn.close_offers(Some(who), &["done"]);
    let left = on_side(here, turn, side).into_iter().filter(|each| !here.order.has_acted(*each));
    let left: Vec<_> = left.map(|each| turn.name(each)).collect();
    Ok(Reply::from(format!("{name} is done; still to act: {}", left.join(", "))))
}

pub(crate) fn delay(here: &mut Here, turn: &mut Turn, character: Option<Name>) -> Result<Reply, Refusal> {
    must_be_set(here)?;
    let who = turn.own(character, "delay the turn of")?;
    if here.order.mode() != Mode::Listed || here.order.current() != Some(who) {
        let what = format!("only whoever has the turn can delay it, and that is not {}", turn.name(who));
        return Err(Refusal::new(what).example("init"));
    }
    here.order.delay(who);
    let waits = Reply::from(format!("{} waits. ", turn.name(who)));
    let reply = go_on(here, turn, waits)?;
    Ok(match who == turn.actor {
        true => reply.offer("go", "take your turn now"),
        false => reply.offer_to(turn.name(who), "go", "take your turn now"),
    })
}

pub(crate) fn go(here: &mut Here, turn: &mut Turn, character: Option<Name>) -> Result<Reply, Refusal> {
    must_be_set(here)?;
    let who = turn.own(character, "take the turn of")?;
    if !here.order.is_delayed(who) {
        return Err(Refusal::new(format!("{} has not delayed a turn", turn.name(who))).example("init"));
    }
    turn.close_offers(Some(who), &["go"]);
    let before = here.order.round();
    here.order.come_in(who);
    Ok(begun(here, turn, Begins::Turn(who), before, Reply::new()))
}

pub(crate) fn round(here: &mut Here, turn: &mut Turn, next: bool) -> Result<Reply, Refusal> {
    must_be_set(here)?;
    if !next {
        return shown(here, turn);
    }
    referees(turn, "begin the next round")?;
    here.order.end_round();
    go_on(here, turn, Reply::new())
}
