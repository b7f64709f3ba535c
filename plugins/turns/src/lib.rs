//! Turn order, rounds, conditions and clocks, for any game. It knows no rules: who acts first is typed or rolled as a
//! line says, and what a condition does is the table's business.

mod cards;
mod clocks;
mod conditions;
mod entrants;
mod here;
mod initiative;
mod lasting;
mod order;
mod sentence;

use cards::RoundCards;
use clocks::Clocks;
use conditions::Conditions;
use entrants::Entrant;
use here::Paced;
use order::Order;
use plugin_api::{
    Cast, CharacterId, Commands, Forms, Game, Kind, Name, Number, Past, Piece, Plugin, Refusal, Reply, Scenes, Shown,
    Text, Turn,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The tool as a plugin.
pub fn plugin() -> Box<dyn Plugin> {
    plugin_api::plugin::<Turns>()
}

struct Turns;

/// What a table stores.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct State {
    #[serde(default)]
    order: Order,
    #[serde(default)]
    conditions: Conditions,
    #[serde(default)]
    clocks: Clocks,
    /// The cards that say which side acts first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cards: Option<RoundCards>,
    /// The orders of scenes that are played apart, by the entry with which they began to be.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    apart: BTreeMap<u64, Paced>,
}

#[derive(Clone, Commands)]
enum Command {
    /// Show the turn order, or put somebody into it: with a number, with dice, or in the order you name them.
    ///
    /// The highest number acts first. A number with a sign rolls a d20 and adds it. Players enter their own characters;
    /// the referee enters anyone, and a new name makes an NPC: init Goon x3 d20+1. With sides, each side acts as a
    /// block, in any order. With free, whoever acts names who is next.
    #[command(
        shows,
        main,
        alias = "initiative",
        example = "init 17",
        example = "init d20+3",
        example = "init Ann 17, Bob 12, Ogre d20+1",
        example = "init Goon x3 9",
        example = "init remove Bob",
        example = "init sides",
        example = "init cards drama",
        example = "init free",
        example = "init ties pc",
        example = "init clear"
    )]
    Init { change: Option<Change> },
    /// Begin the next turn. The referee does that, or whoever's turn it is; with a name, the referee begins that turn.
    #[command(changes, alias = "nextturn", example = "next", example = "next Bob")]
    Next { character: Option<Name> },
    /// End your turn.
    #[command(changes, alias = "endturn", example = "done")]
    Done {
        /// may follow: done with my turn
        #[flag("turn")]
        _turn: bool,
        character: Option<Name>,
    },
    /// Wait with your turn. You act when you type go.
    #[command(changes, alias = "hold", alias = "ready", example = "delay")]
    Delay { character: Option<Name> },
    /// Take the turn that you delayed, now.
    #[command(changes, example = "go")]
    Go { character: Option<Name> },
    /// Show the round and who has yet to act. With next, the referee begins the next round.
    #[command(shows, example = "round", example = "round next")]
    Round {
        #[flag("next", "new", "over", "end")]
        next: bool,
    },
    /// Conditions and clocks.
    Lasting(Lasting),
}

/// What lasts for a while.
#[derive(Clone, Commands)]
enum Lasting {
    /// Show the conditions of everyone, or give somebody some: for a number of rounds, until a turn or the scene ends, or
    /// until you clear them.
    #[command(
        shows,
        alias = "cond",
        alias = "conditions",
        example = "condition Ann prone 3 rounds, blinded",
        example = "condition",
        example = "condition Ann stunned until Bob's next turn",
        example = "condition Ann inspired until scene",
        example = "condition Ann clear prone",
        example = "condition Ann clear"
    )]
    Condition { character: Option<Name>, conditions: Option<Text> },
    /// Show the clocks, begin one with its size, or move one on or back.
    #[command(
        shows,
        alias = "clocks",
        example = "clock The ritual 6",
        example = "clock",
        example = "clock The ritual +1",
        example = "clock The ritual none"
    )]
    Clock { change: Option<Text> },
}

/// What becomes of the turn order.
#[derive(Clone, Forms)]
enum Change {
    /// Put these into the order.
    #[form(bare)]
    Set { entrants: Vec<Entrant> },
    /// The same.
    Add { entrants: Vec<Entrant> },
    /// Take these out of the order.
    #[form("remove", "drop", "out")]
    Remove { characters: Vec<Name> },
    /// Begin the first round.
    #[form("start", "begin")]
    Start,
    /// End the order.
    #[form("clear", "end", "stop", "off")]
    Clear,
    /// Sides act as blocks.
    #[form("sides", "side", "block", "blocks")]
    Sides,
    /// Sides act as blocks, and a card of one of the operator's decks says each round which is first.
    #[form("cards", "card", "deck")]
    Cards { deck: Option<Text> },
    /// Whoever acts names the next.
    #[form("free", "popcorn")]
    Free,
    /// Say who goes first of those with the same number: pc, npc, or off for whoever came first.
    #[form("ties", "tie")]
    Ties { first: Option<Text> },
    /// One after the other, as listed.
    #[form("list", "listed")]
    Listed,
}

impl Game for Turns {
    const ID: &'static str = "turns";
    const TITLE: &'static str = "Turns";
    const ABOUT: &'static str = "turn order, rounds, conditions and clocks";
    const KIND: Kind = Kind::Tool;

    const SYNONYMS: &'static [(&'static str, &'static str)] = &[
        ("turn", "init {}"),
        ("turn order", "init {}"),
        ("turn end", "done {}"),
        ("turn over", "done {}"),
        ("turn done", "done {}"),
        ("skip", "done {}"),
        ("order", "init {}"),
        ("turnorder", "init {}"),
        ("combat", "init {}"),
        ("begin", "init start"),
        ("effect", "condition {}"),
        ("status", "condition {}"),
        ("countdown", "clock {}"),
        ("progress", "clock {}"),
        ("tick", "clock {} +1"),
        ("advance", "clock {} +1"),
    ];

    type State = State;
    type Command = Command;

    fn sentence(past: &Past) -> Option<String> {
        Some(sentence::of(past))
    }

    fn play(state: &mut State, command: Command, turn: &mut Turn) -> Result<Reply, Refusal> {
        if turn.in_secret() && matches!(command, Command::Init { change: Some(_) }) {
            // Before its dice fall.
            return Err(seen_by_all());
        }
        if turn.in_secret() {
            // What is over goes anyway.
            state.tidy(&turn.scenes);
        }
        let before = turn.in_secret().then(|| state.clone());
        let reply = play(state, command, turn)?;
        if before.is_some_and(|before| before != *state) {
            return Err(seen_by_all());
        }
        Ok(reply)
    }

    fn now(state: &State, cast: &Cast, scenes: &Scenes) -> Vec<Shown> {
        let named = |who| cast.name(who).to_owned();
        let order = state.order(scenes.apart).and_then(|order| order.shown(&named, &|who| cast.opposes(who)));
        let pieces = order.into_iter().map(Piece::Order).chain(state.conditions_shown(scenes, &named));
        pieces.chain(state.clocks.shown()).map(Piece::to_all).collect()
    }

    fn told(place: &[&str], after: Option<&Value>, named: &dyn Fn(CharacterId) -> String) -> Option<String> {
        match place {
            ["order", rest @ ..] | ["apart", _, "order", rest @ ..] => Some(Order::told(rest, after, named)),
            ["conditions", who] => Some(conditions::told(&named(CharacterId(who.parse().ok()?)), after)),
            ["cards", ..] | ["apart", ..] => Some(String::new()),
            ["clocks", name, field] => Some(clocks::told(name, field, after)),
            _ => None,
        }
    }
}

/// Plays a command.
fn play(state: &mut State, command: Command, turn: &mut Turn) -> Result<Reply, Refusal> {
    let before = state.round(turn.scenes.apart);
    let mut here = state.here(&turn.scenes);
    let reply = match command {
        Command::Init { change } => initiative::init(&mut here, turn, change),
        Command::Next { character } => initiative::next(&mut here, turn, character),
        Command::Done { character, .. } => initiative::done(&mut here, turn, character),
        Command::Delay { character } => initiative::delay(&mut here, turn, character),
        Command::Go { character } => initiative::go(&mut here, turn, character),
        Command::Round { next } => initiative::round(&mut here, turn, next),
        Command::Lasting(Lasting::Condition { character, conditions }) => {
            conditions::condition(state, turn, character, conditions)
        }
        Command::Lasting(Lasting::Clock { change }) => clocks::clock(state, turn, change),
    };
    if state.round(turn.scenes.apart) == 0 {
        state.conditions.wait_for_an_order(turn.scenes.apart, before);
    }
    state.tidy(&turn.scenes);
    reply
}

/// The refusal of a secret change: everybody reads these, so that it would be secret in name only.
fn seen_by_all() -> Refusal {
    let what =
        "everyone sees the turn order, conditions and clocks, so they do not change in secret: type it in the room";
    Refusal::new(what)
}

/// Refuses players what is the referee's.
fn referees(turn: &Turn, what: &str) -> Result<(), Refusal> {
    match turn.by_referee() {
        true => Ok(()),
        false => Err(Refusal::new(format!("only the referee may {what}"))),
    }
}

/// The most rounds that can be counted.
type Rounds = Number<1, 1000>;
