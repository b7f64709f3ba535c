//! Mecha vs Kaiju 202X: actions and counters with a fortune die, impact, inspiration, stress.
//!
//! `rules` computes the results; this module has the commands and the table's state.

mod follow;
mod glossary;
mod rules;
mod sentence;
mod show;
mod spend;

use plugin_api::{
    Answers, Argument, ArgumentKind, Arguments, CharacterId, Choice, Commands, DiceWord, EarlierRoll, Fit, Game, Name,
    Number, Part, Past, Plugin, Refusal, Reply, Touching, Turn, Value,
};
use rules::{Edge, Kind, Roll, SIZES, Whether};
use serde::{Deserialize, Serialize};
use spend::Spendable;
use std::collections::BTreeMap;

/// The game as a plugin.
pub fn plugin() -> Box<dyn Plugin> {
    plugin_api::plugin::<Mvk>()
}

struct Mvk;

/// The state of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct State {
    /// By character; a character without anything may be missing.
    characters: BTreeMap<CharacterId, Holdings>,
}

/// The state of a character.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Holdings {
    /// Points of inspiration, never below 0.
    #[serde(default)]
    inspiration: i64,
    /// True while under this stress.
    #[serde(default)]
    overwhelmed: bool,
    /// True while under this stress.
    #[serde(default)]
    staggered: bool,
    /// True if they left the table with this game's own command, from before the table had one; kept only as stored.
    #[serde(default)]
    away: bool,
}

/// What can be typed. The dice of an action or a counter, and how they are rolled.
#[derive(Clone, Default, Arguments)]
struct Pool {
    /// your character dice, d4 to d12
    dice: Vec<DiceWord>,
    /// roll two d20 and keep the higher
    #[flag("adv", "advantage", "advantaged")]
    advantage: bool,
    /// roll two d20 and keep the lower
    #[flag("dis", "disadvantage", "disadv", "disadvantaged")]
    disadvantage: bool,
    /// this once, or for longer with the stress command
    #[flag("overwhelmed", "ow")]
    overwhelmed: bool,
    /// this once, or for longer with the stress command
    #[flag("staggered", "st")]
    staggered: bool,
    /// a die that a rule scratches: it is rolled, and counts for nothing
    #[word("scratch", "scratching", "scratched")]
    scratch: Vec<NamedDie>,
}

#[derive(Clone, Commands)]
enum Command {
    /// Act: roll a d20 and your character dice for a total and an impact.
    ///
    /// The total is the sum of the two highest dice. Impact is 1 for a d20 of 4 or more, plus 1 for each character die
    /// of 4 to 9 and 2 for each of 10 or more. A 1 on the d20 is a fumble and scratches your lowest die that is not a
    /// 1. A 20 that succeeds is a critical success. Stress set with the stress command applies automatically.
    #[command(
        rolls,
        alias = "action",
        main,
        example = "act d8 d10 vs 17",
        example = "act d8 d10 vs Gojinka",
        example = "act 2d8, d12 adv staggered # the bridge"
    )]
    Act {
        #[group]
        pool: Pool,
        /// the counter total, if known, or who counters
        #[word("vs", "against", "versus", "v", "dc", "dn", "difficulty", "counter")]
        counter: Option<Against>,
    },
    /// Counter an action: the same dice, without critical success.
    ///
    /// It settles an action against you, or the action you name.
    #[command(rolls, follow_up = "if any", example = "counter d8 d10", example = "counter #7 d8 d10")]
    Counter {
        #[group]
        pool: Pool,
    },
    /// Set the counter total for your last action, and settle it.
    #[command(changes, follow_up, alias = "versus", example = "vs 17", example = "vs #12 17", example = "vs Ann 17")]
    Vs { counter: Number<0, 200> },
    /// Use your critical success: 2 more impact, or 1 inspiration.
    #[command(changes, follow_up, example = "crit impact", example = "crit inspire")]
    Crit {
        choice: CritChoice,
        /// as the offer says: +2 impact
        #[signed]
        _more: Option<i32>,
    },
    /// Scratch a die of your last roll: it counts for nothing.
    ///
    /// After a fumble with a 1 it is scratched instead of the lowest die, and cannot be one that shows 1. With "also" it
    /// is scratched besides that one.
    #[command(changes, follow_up, example = "scratch d10", example = "scratch d8=5", example = "scratch d10 also")]
    Scratch {
        die: NamedDie,
        /// besides the die that a fumble scratches
        #[flag("also", "too", "besides")]
        also: bool,
    },
    /// Show or change inspiration. A referee can change anyone's.
    #[command(shows, keeps, alias = "insp", example = "inspiration", example = "insp +1", example = "insp Ann")]
    Inspiration {
        character: Option<Name>,
        #[signed]
        change: Option<i32>,
    },
    /// Spend 1 inspiration, or the impact of your last action; or more than 1.
    ///
    /// Impact is spent on what the table agrees on. Spent on stress, it needs an action that succeeded; "on overwhelmed"
    /// or "on staggered" also sets that stress for whom you acted against, or for somebody you name.
    #[command(
        changes,
        by_object,
        follow_up = "if any",
        example = "spend inspiration",
        example = "spend 2 inspiration",
        example = "spend 1 impact on stress",
        example = "spend 1 impact on staggered for Gojinka",
        example = "spend 2 impact # tear the gate open"
    )]
    Spend { points: Option<Number<1, 100>>, what: Spendable },
    /// Show or set the stress that counts in every roll of yours. It lasts until it is cleared. A referee can set
    /// anyone's.
    #[command(shows, example = "stress overwhelmed", example = "stress staggered", example = "stress clear")]
    Stress {
        changes: Vec<StressWord>,
        /// whose, if not your own
        character: Option<Name>,
    },
    /// Show everything a character and the table hold.
    #[command(shows, example = "sheet", example = "sheet Ann")]
    Sheet { character: Option<Name> },
}

/// What a critical success is used for.
#[derive(Clone, Copy, Choice)]
enum CritChoice {
    /// 2 more impact.
    Impact,
    /// 1 inspiration.
    #[choice("inspire", "inspiration")]
    Inspire,
}

/// What stress becomes.
#[derive(Choice, Clone, Copy)]
enum StressWord {
    /// It is there.
    #[choice("overwhelmed", "ow")]
    Overwhelmed,
    /// It is there.
    #[choice("staggered", "st")]
    Staggered,
    /// Clear all stress, or what is named beside it.
    #[choice("clear", "none", "off", "no")]
    Clear,
}

/// The opposition to an action.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Against {
    /// A counter total.
    Total(i64),
    /// A character who counters.
    Somebody(Name),
    /// The dice of a character who counters, from their sheet.
    Dice(DiceWord),
}

impl Argument for Against {
    fn kind() -> ArgumentKind {
        ArgumentKind::Either(vec![Number::<0, 200>::kind(), DiceWord::kind(), Name::kind()])
    }

    fn shown() -> Option<String> {
        Some("NUMBER|NAME".to_owned())
    }

    fn from_value(value: Value) -> Result<Self, Refusal> {
        Ok(match value {
            Value::Number { number, .. } => Against::Total(number),
            Value::Dice(dice) => Against::Dice(dice),
            name => Against::Somebody(Name::from_value(name)?),
        })
    }
}

/// A die of a roll, by its size and, if needed, its value: `d8`, `d8=5`.
#[derive(Clone)]
struct NamedDie {
    typed: String,
    sides: u32,
    value: Option<u32>,
}

impl Argument for NamedDie {
    fn kind() -> ArgumentKind {
        let value = ArgumentKind::between(1, 100).behind(&["="]);
        let value = Part::unlisted("value", value).touching(Touching::Must);
        ArgumentKind::Pattern(vec![Part::one("die", ArgumentKind::Dice { most: 1 }), value])
    }

    fn from_value(value: Value) -> Result<Self, Refusal> {
        let mut parts = value.parts()?;
        let DiceWord { typed, .. } = &DiceWord::from_value(parts.one("die")?)?;
        let value = parts.take("value").map(|value| value.number()).transpose()?.map(|(value, _)| value as u32);
        let sides = typed.trim_start_matches(['d', 'D']).parse();
        let sides = sides.map_err(|_| Refusal::new(format!("{typed} is not one die")))?;
        let typed = value.map_or_else(|| typed.to_string(), |value| format!("{typed}={value}"));
        Ok(NamedDie { typed, sides, value })
    }
}

/// The most dice typed in one command.
const MOST_DICE: usize = 20;
/// The most inspiration given or taken at once.
const MOST_CHANGE: i32 = 100;

impl Game for Mvk {
    const ID: &'static str = "mvk";
    const TITLE: &'static str = "Mecha vs Kaiju 202X";
    const ABOUT: &'static str = "actions, counters, impact, inspiration, stress";

    const GLOSSARY: &'static [(&'static str, &'static str)] = glossary::GLOSSARY;
    const SYNONYMS: &'static [(&'static str, &'static str)] = &[
        ("attack", "act {}"),
        ("atk", "act {}"),
        ("fight", "act {}"),
        ("check", "act {}"),
        ("test", "act {}"),
        ("defend", "counter {}"),
        ("defense", "counter {}"),
        ("dodge", "counter {}"),
        ("parry", "counter {}"),
        ("block", "counter {}"),
        ("dc", "vs {}"),
        ("target", "vs {}"),
        ("against", "vs {}"),
        ("versus", "vs {}"),
        ("dn", "vs {}"),
        ("difficulty", "vs {}"),
        ("hp", "stress {}"),
        ("wound", "stress {}"),
        ("status", "stress {}"),
        ("wounds", "stress {}"),
        ("condition", "stress {}"),
        ("inspire", "crit inspire"),
        ("impact", "crit impact"),
        ("impact 1", "spend 1 impact {}"),
        ("impact 2", "spend 2 impact {}"),
        ("impact 3", "spend 3 impact {}"),
        ("impact on", "spend impact on {}"),
    ];

    type State = State;
    type Command = Command;

    fn answers() -> Vec<Answers> {
        let after = ["vs", "against", "versus", "v", "dc", "dn"];
        vec![Answers::to(&["act"], &after, &["counter", "defense", "defence"]).or_dice()]
    }

    fn fits(command: &str, roll: &EarlierRoll) -> Fit {
        let Some(roll) = roll.record::<Roll>() else { return Fit::No };
        match command {
            "vs" if roll.kind == Kind::Counter => Fit::No,
            "vs" if roll.counter.is_some() => Fit::Done,
            "crit" if roll.judge().crit == Whether::No => Fit::No,
            "crit" if roll.crit.is_some() => Fit::Done,
            "spend" if roll.kind == Kind::Counter => Fit::No,
            _ => Fit::Open,
        }
    }

    fn sentence(past: &Past) -> Option<String> {
        sentence::of(past)
    }

    fn play(state: &mut State, command: Command, turn: &mut Turn) -> Result<Reply, Refusal> {
        match command {
            Command::Act { pool, counter } => {
                let (total, against) = match counter {
                    None => (None, None),
                    Some(Against::Total(total)) => (Some(total), None),
                    Some(Against::Somebody(name)) => (None, Some(somebody_else(turn, &name)?)),
                    Some(Against::Dice(dice)) => return follow::both(state, turn, &pool, dice),
                };
                let actor = turn.actor;
                let roll = throw(state, turn, (actor, Kind::Action), &pool)?;
                settle(state, turn, Roll { counter: total, against, ..roll })
            }
            Command::Counter { pool } => match follow::countered(turn)? {
                Some(_) if pool.dice.is_empty() => Err(Refusal::new("with which dice?").example("counter d8 d10")),
                Some(action) => follow::counter(state, turn, &action, &pool),
                None => {
                    let actor = turn.actor;
                    let roll = throw(state, turn, (actor, Kind::Counter), &pool)?;
                    settle(state, turn, roll)
                }
            },
            Command::Vs { counter: Number(total) } => follow::vs(state, turn, total),
            Command::Crit { choice, .. } => follow::crit(state, turn, choice),
            Command::Scratch { die, also } => {
                let what = if also { follow::Scratched::ByRule } else { follow::Scratched::ForTheFumble };
                follow::scratch(state, turn, &die, what)
            }
            Command::Inspiration { character, change } => inspiration(state, turn, character, change),
            Command::Spend { points, what } => {
                let points = points.map_or(1, |Number(points)| points);
                match what {
                    Spendable::Inspiration => change_inspiration(state, turn, turn.actor, -points),
                    Spendable::Impact { on, whose } => spend::impact(state, turn, points, (on, whose)),
                }
            }
            Command::Stress { changes, character } => stress(state, turn, &changes, character),
            Command::Sheet { character } => {
                let who = turn.named(character)?;
                Ok(show::sheet(state, turn, who))
            }
        }
    }
}

impl State {
    fn of(&mut self, character: CharacterId) -> &mut Holdings {
        self.characters.entry(character).or_default()
    }

    fn inspiration_of(&self, character: CharacterId) -> i64 {
        self.characters.get(&character).map_or(0, |holdings| holdings.inspiration)
    }
}

/// Rolls a pool: a d20, the character dice in the order typed, and the second d20, which is last so that advantage can be
/// added to a roll. Dice that are added to a roll with advantage fall behind both.
fn throw(state: &State, turn: &mut Turn, (who, kind): (CharacterId, Kind), thrown: &Pool) -> Result<Roll, Refusal> {
    let typed = sizes(&thrown.dice)?;
    let held = state.characters.get(&who).cloned().unwrap_or_default();
    let stresses = [thrown.overwhelmed || held.overwhelmed, thrown.staggered || held.staggered];
    let (mut pool, stress) = rules::under_stress(&typed, stresses.into_iter().filter(|under| *under).count());
    let edge = Edge::of(thrown.advantage, thrown.disadvantage);
    may_be_scratched(&thrown.scratch, &pool)?;
    let second_after = turn.earlier_version::<Roll>().and_then(|earlier| earlier.second_falls_after());
    let second_after = second_after.filter(|after| edge.fortune_dice() == 2 && *after < pool.len());
    let first = turn.throw_die(20)?.value;
    let added = pool.split_off(second_after.unwrap_or(pool.len()));
    let mut dice = turn.throw_dice(pool)?;
    let (fortune, dropped_fortune) = match edge.fortune_dice() {
        2 => {
            let (kept, dropped) = edge.keep(first, turn.throw_die(20)?.value);
            (kept, Some(dropped))
        }
        _ => (first, None),
    };
    dice.extend(turn.throw_dice(added)?);
    let (scratch, counter, against, crit, removed) = (None, None, None, None, Vec::new());
    let spent = 0;
    let mut roll = Roll {
        kind,
        fortune,
        dropped_fortune,
        edge,
        dice,
        stress,
        scratch,
        counter,
        against,
        crit,
        removed,
        spent,
        second_after,
    };
    for die in &thrown.scratch {
        roll.remove_lowest(die.sides);
    }
    Ok(roll)
}

/// Refuses dice to scratch that are not in the pool, before it is rolled.
fn may_be_scratched(scratched: &[NamedDie], pool: &[u32]) -> Result<(), Refusal> {
    let mut left = pool.to_vec();
    for NamedDie { typed, sides, value } in scratched {
        if value.is_some() {
            let what = "before the roll no die shows anything: name the die to scratch by its size";
            return Err(Refusal::new(what).about_meant(typed, format!("d{sides}")));
        }
        match left.iter().position(|size| size == sides) {
            Some(at) => drop(left.swap_remove(at)),
            None => return Err(Refusal::new(format!("this roll has no d{sides} to scratch")).about(typed)),
        }
    }
    Ok(())
}

/// The character called `name`, who must not be the actor.
fn somebody_else(turn: &mut Turn, name: &Name) -> Result<CharacterId, Refusal> {
    match turn.character(&name.0)? {
        who if who == turn.actor => Err(Refusal::new("you cannot counter your own action").about(&name.0)),
        who => Ok(who),
    }
}

/// The sizes of the character dice typed. A d20 is the fortune die, which is rolled anyway.
fn sizes(words: &[DiceWord]) -> Result<Vec<u32>, Refusal> {
    let mut pool = Vec::new();
    let mut fortune_dice = 0;
    for word in words {
        for sides in word.sides() {
            match sides {
                20 if fortune_dice == 0 => fortune_dice = 1,
                20 => {
                    let what = "a roll has one d20; for a second one say adv or dis";
                    return Err(Refusal::new(what).about_meant(&*word.typed, "adv"));
                }
                sides if SIZES.contains(&sides) => pool.push(sides),
                sides => {
                    let what = format!("there is no d{sides} here: character dice are d4, d6, d8, d10 and d12");
                    let near = SIZES.iter().rev().find(|size| **size < sides).unwrap_or(&SIZES[0]);
                    let meant = word.typed.to_lowercase().replace(&format!("d{sides}"), &format!("d{near}"));
                    return Err(Refusal::new(what).about_meant(&*word.typed, meant));
                }
            }
        }
    }
    if pool.len() > MOST_DICE {
        return Err(Refusal::new(format!("{} dice are too many: I take at most {MOST_DICE}", pool.len())));
    }
    Ok(pool)
}

/// Judges a new roll, gives its inspiration, and answers.
fn settle(state: &mut State, turn: &Turn, roll: Roll) -> Result<Reply, Refusal> {
    let judgement = roll.judge();
    let actor = turn.actor;
    if judgement.inspiration != 0 {
        state.of(actor).inspiration += judgement.inspiration;
    }
    let now = state.inspiration_of(actor);
    Ok(turn.answer(show::ending(&judgement), |reply| {
        let reply = show::roll(reply, turn, &roll, &judgement, (judgement.inspiration, now)).record(&roll);
        match roll.against.filter(|_| roll.counter.is_none()) {
            Some(against) => reply.ask_of(turn.name(against), "counter", "with your dice after it"),
            None => reply,
        }
    }))
}

fn inspiration(state: &mut State, turn: &mut Turn, who: Option<Name>, change: Option<i32>) -> Result<Reply, Refusal> {
    let who = turn.named(who)?;
    let Some(change) = change else {
        let held = state.inspiration_of(who);
        return Ok(turn.about(who).text("inspiration ").bold(held.to_string()).fact("inspiration", held));
    };
    if who != turn.actor && !turn.by_referee() {
        return Err(Refusal::new(format!("only the referee may change the inspiration of {}", turn.name(who))));
    }
    if change.abs() > MOST_CHANGE {
        return Err(Refusal::new(format!("{MOST_CHANGE} at a time is the most")).about(format!("{change:+}")));
    }
    change_inspiration(state, turn, who, i64::from(change))
}

fn change_inspiration(state: &mut State, turn: &Turn, who: CharacterId, change: i64) -> Result<Reply, Refusal> {
    let held = state.inspiration_of(who);
    if held + change < 0 {
        let name = turn.name(who);
        return Err(
            Refusal::new(format!("{name} has inspiration {held}, which does not go below 0")).example("inspiration")
        );
    }
    state.of(who).inspiration += change;
    let now = held + change;
    let reply = turn.about(who).text("inspiration ").bold(now.to_string());
    Ok(reply.text(format!(" ({change:+})")).fact("inspiration", now).fact("inspiration_change", change))
}

fn stress(
    state: &mut State,
    turn: &mut Turn,
    changes: &[StressWord],
    character: Option<Name>,
) -> Result<Reply, Refusal> {
    let who = match changes {
        [] => turn.named(character)?,
        _ => turn.own(character, "set the stress of")?,
    };
    if !changes.is_empty() {
        let held = state.of(who);
        // `stress clear staggered` clears that alone.
        let clears = changes.iter().any(|change| matches!(change, StressWord::Clear));
        for change in changes {
            match change {
                StressWord::Overwhelmed => held.overwhelmed = !clears,
                StressWord::Staggered => held.staggered = !clears,
                StressWord::Clear if changes.len() == 1 => (held.overwhelmed, held.staggered) = (false, false),
                StressWord::Clear => {}
            }
        }
    }
    Ok(show::stress(state, turn, who))
}
