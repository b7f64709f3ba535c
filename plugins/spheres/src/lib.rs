//! Shattered Spheres: checks, Fate stones, Destiny dice, the Tilt, Stress, Surge.
//!
//! `rules` computes the results, `state` is what a table stores, `words` parses arguments; this module has the
//! commands.

mod actions;
mod asking;
mod check;
mod destiny;
mod encounter;
mod glossary;
mod labels;
mod oppose;
mod record;
mod rules;
mod sentence;
mod show;
mod spend;
mod state;
mod stress;
mod surge;
mod tilt;
mod told;
mod words;

use asking::DESTINY_DIE;
use check::Asked;
use plugin_api::{
    Answers, CharacterId, Commands, EarlierRoll, Fit, Game, Name, Number, Past, Plugin, Refusal, Reply, Setting, Text,
    Turn, Typed,
};
use record::Record;
use rules::{Kind, Mode};
use serde_json::Value;
use state::{Fatigue, State};
use words::{Count, DicePool, Difficulty, Level, LuckControl, Opponent, Percent, Spendable, Use, What, Whose};

/// The game as a plugin.
pub fn plugin() -> Box<dyn Plugin> {
    plugin_api::plugin::<Spheres>()
}

struct Spheres;

/// What can be typed.
#[derive(Clone, Commands)]
enum Command {
    /// Roll d20 + skill with Advantage (+) and Disadvantage (-) dice.
    ///
    /// The number without a sign is the skill; numbers with a sign are ranks. Untrained? Leave the skill out. Against
    /// somebody, they answer with resist. Without a difficulty I show the total, and vs settles it later.
    #[command(
        rolls,
        alias = "c",
        main,
        example = "check 7 +4 -1 vs 15",
        example = "check 7 advantage 4 vs level 5 hard attack",
        example = "check 5 -minor vs Ann # past the guard"
    )]
    Check {
        /// the difficulty, or who answers
        #[word("vs", "dc", "against", "versus", "v", "dn", "difficulty")]
        difficulty: Option<Difficulty>,
        #[group]
        what: What,
        #[group]
        dice: DicePool,
    },
    /// Other checks, and how to settle one later.
    Checks(Checks),
    /// Destiny dice (held, awarded from the Pool, spent).
    Destiny(DestinyDice),
    /// The Tilt (when the Pool is empty).
    Tilt(Tilting),
    /// Encounters (Fate stones, turns).
    Encounter(Encounters),
    /// Heroes (Stress, rest, Surge, conditions).
    Heroes(Heroes),
}

/// Checks besides the plain one, and what settles them.
#[derive(Clone, Commands)]
enum Checks {
    /// Settle your last check against a difficulty.
    #[command(changes, follow_up, example = "vs 15", example = "vs Ann 15", example = "vs #12 level 5 hard")]
    Vs { difficulty: Difficulty },
    /// Check without pressure: the d20 counts as 10, and only Advantage and Disadvantage dice are rolled.
    #[command(rolls, example = "routine 7 +4 vs 15")]
    Routine {
        #[word("vs", "dc", "against", "versus", "v", "dn", "difficulty")]
        difficulty: Option<Difficulty>,
        #[group]
        what: What,
        #[group]
        dice: DicePool,
    },
    /// Show a passive value, a defense class or damage: 10 + skill, with Advantage and Disadvantage dice.
    #[command(shows, alias = "defense", example = "passive 7 +3")]
    Passive {
        #[group]
        what: What,
        #[group]
        dice: DicePool,
    },
    /// Check against somebody: roll both sides at once, or they answer with resist.
    #[command(
        rolls,
        example = "oppose 5 +3 vs foe 4 +2",
        example = "oppose 5 +3 vs passive 4 +2",
        example = "oppose 5 vs Bob"
    )]
    Oppose {
        /// a 20 always succeeds, a 1 always fails
        #[flag("attack")]
        attack: bool,
        /// a 20 always succeeds, a 1 always fails
        #[flag("resist")]
        resist: bool,
        #[side("vs", "against", "versus", "v")]
        other: Opponent,
        #[group]
        whose: Whose,
        #[group]
        dice: DicePool,
    },
    /// Answer a check against you.
    #[command(rolls, follow_up = "anyone", example = "resist 4 +2", example = "resist #12 passive 4")]
    Resist {
        #[flag("passive")]
        passive: bool,
        #[group]
        dice: DicePool,
    },
    /// Add a Fortune die to your last check.
    #[command(rolls, follow_up, example = "fortune")]
    Fortune,
    /// Add a Misfortune die to your last check.
    #[command(rolls, follow_up, example = "misfortune")]
    Misfortune,
    /// Check Intuition where luck decides. Luck ranks above 0 are Advantage, below 0 Disadvantage.
    #[command(rolls, example = "intuition 3 luck +2 vs 15")]
    Intuition {
        #[word("vs", "dc", "against", "versus", "v", "dn", "difficulty")]
        difficulty: Option<Difficulty>,
        #[word("luck")]
        luck: Option<Number<-40, 40>>,
        #[group]
        what: What,
        #[group]
        dice: DicePool,
    },
    /// Check by sheer luck: a Fortune die is added as rolled, and a Misfortune die subtracted.
    #[command(rolls, example = "luck 3 +2 vs 15")]
    Luck {
        #[word("vs", "dc", "against", "versus", "v", "dn", "difficulty")]
        difficulty: Option<Difficulty>,
        #[group]
        what: What,
        #[group]
        dice: DicePool,
    },
    /// Show the difficulty for a level.
    ///
    /// It is the level x 0 (easy), 1 (moderate) or 2 (hard), plus 10. With roll it is plus a d20 instead.
    #[command(shows, example = "dc 5 hard", example = "dc 12 moderate roll")]
    Dc { level: Level },
    /// Roll for a chance in steps of 5 %.
    #[command(rolls, example = "percent 45")]
    Percent { chance: Percent },
}

/// Destiny dice, and how they are spent.
#[derive(Clone, Commands)]
enum DestinyDice {
    /// Show the Destiny Pool and who holds which dice. A referee can correct it.
    #[command(
        shows,
        example = "destiny",
        example = "destiny Ann triumph +1",
        example = "destiny add triumph 5",
        example = "destiny drop tragedy 2"
    )]
    Destiny { correction: Option<destiny::Correction> },
    /// Spend Destiny dice or Fate stones: degree, edit, boost, inspire, recover or stunt.
    ///
    /// If you name no use, I roll a die you hold and offer its uses. On another player's roll it takes the power of
    /// luck control.
    #[command(
        changes,
        by_object,
        follow_up = "if any",
        example = "spend triumph boost",
        example = "spend triumph",
        example = "spend triumph x2 edit",
        example = "spend 3 stones boost"
    )]
    Spend {
        /// as in fate stones
        #[flag("fate")]
        _fate: bool,
        what: Spendable,
        #[word("for")]
        #[bare]
        purpose: Option<Use>,
        control: Option<LuckControl>,
        count: Option<Count>,
    },
    /// Begin a session: everyone gets a Triumph and a Tragedy, and the Destiny Pool is rolled.
    ///
    /// Within an hour of the last one, say again: everyone gets dice once more.
    #[command(rolls, referee, example = "session Ann Bob Cem", example = "session", example = "session again")]
    Session {
        #[flag("again")]
        again: bool,
        characters: Vec<Name>,
    },
    /// Award a die from the Destiny Pool: the highest, or the one named.
    #[command(changes, referee, example = "award Ann triumph", example = "award Ann tragedy 1")]
    Award { kind: Kind, value: Option<Number<1, 100>>, character: Name },
    /// Bring somebody's Hubris into play with a Tragedy die from the Pool. They keep the die.
    #[command(changes, example = "hubris Bob", example = "hubris Bob 5")]
    Hubris { value: Option<Number<1, 100>>, character: Name },
    /// Veto an edit. What was spent on it is given back.
    #[command(changes, referee, example = "veto Ann", example = "veto")]
    Veto { character: Option<Name> },
    /// Join the session with a Triumph and a Tragedy. The Pool does not change.
    #[command(changes, example = "join", example = "join Dee")]
    Join { character: Option<Name> },
}

/// The Tilt and its votes.
#[derive(Clone, Commands)]
enum Tilting {
    /// Show the Tilt, or run it: choose its table, close a ballot, break a tie, write a label.
    #[command(
        shows,
        example = "tilt",
        example = "tilt soft",
        example = "tilt next",
        example = "tilt pick 3",
        example = "tilt label soft 3 The ground gives way",
        example = "tilt label hard 3.2 A debt is called in"
    )]
    Tilt { step: Option<tilt::Step> },
    /// Vote in the open ballot with one of your dice that shows that number.
    #[command(changes, example = "vote 3", example = "vote good 3")]
    Vote { ballot: Option<tilt::Side>, number: Number<1, 6> },
}

/// The Fate Pool and turns.
#[derive(Clone, Commands)]
enum Encounters {
    /// Begin or end an encounter. Each encounter has its own Fate Pool.
    #[command(changes, referee, example = "encounter start", example = "encounter end")]
    Encounter { what: encounter::StartEnd },
    /// Show the Fate stones. A referee can correct them.
    #[command(shows, example = "fate", example = "fate triumph +1")]
    Fate {
        #[flag("pool")]
        _pool: bool,
        kind: Option<Kind>,
        #[signed]
        change: Option<i32>,
    },
    /// Show the turn order. A referee can set it.
    #[command(
        shows,
        alias = "init",
        alias = "initiative",
        example = "order",
        example = "order Ann Gus Bob",
        example = "order add Ogre",
        example = "order remove Bob"
    )]
    Order { change: Option<encounter::Order> },
    /// Begin the next turn in the order.
    #[command(changes, alias = "endturn", alias = "nextturn", alias = "done", example = "next")]
    Next,
    /// Show whose turn it is. A referee can begin a turn.
    ///
    /// Then stones can be earned again, everyone may Surge again, and fatigue from a Surge sets in.
    #[command(shows, alias = "round", example = "turn", example = "turn Ann")]
    Turn { character: Option<Name> },
}

/// Heroes (Stress, rest, Surge, conditions).
#[derive(Clone, Commands)]
enum Heroes {
    /// Show everything a character and the table hold.
    #[command(shows, example = "sheet", example = "sheet Ann")]
    Sheet { character: Option<Name> },
    /// Show or change Stress, 0 to 10.
    #[command(shows, keeps, example = "stress", example = "stress +1", example = "stress Ann -1")]
    Stress {
        #[signed]
        change: Option<i32>,
        character: Option<Name>,
    },
    /// Recover, once an encounter: take 1 Stress to remove a step of fatigue.
    #[command(changes, example = "recover")]
    Recover,
    /// Heal somebody. They take 1 Stress. A supernatural healer can take it instead, with self.
    #[command(changes, example = "heal Bob", example = "heal Bob self")]
    Heal {
        #[flag("self")]
        own: bool,
        character: Name,
    },
    /// Take a short or a long rest.
    ///
    /// A short rest is a Recover. A long rest removes Stress equal to your Tier, less 1 for each Recover you take.
    #[command(changes, example = "rest short", example = "rest long", example = "rest long 1")]
    Rest {
        length: stress::Length,
        recovers: Option<Number<0, 5>>,
        #[flag("recover", "recovers")]
        _recovers: bool,
    },
    /// Surge, once a turn. Fatigue sets in on your next turn.
    ///
    /// It gives an action, an effect, a trait, negate (no Disadvantage), deny (no Advantage for an opponent), an edge, a
    /// counter or a retry. If you Surge while controlled, fatigue waits until you are free.
    #[command(changes, example = "surge action", example = "surge retry controlled", example = "surge free")]
    Surge { how: Option<surge::Surge> },
    /// Show what you may still do this turn, or note that you take an action.
    ///
    /// Each turn has a standard, a move and a quick action. A standard action can be a move or a quick one instead, a
    /// move a quick one. A reaction is once in each turn, whoever's it is.
    #[command(shows, alias = "actions", example = "action", example = "action standard", example = "action reaction")]
    Action { kind: Option<actions::Kind> },
    /// Show everybody's conditions, or add or clear somebody's. They do not change any roll.
    #[command(
        shows,
        example = "condition Bob wounded",
        example = "condition",
        example = "condition Bob clear wounded",
        example = "condition Bob clear"
    )]
    Condition {
        character: Option<Name>,
        #[flag("clear")]
        clear: bool,
        label: Option<Text>,
    },
    /// Correct somebody's fatigue.
    #[command(changes, referee, example = "fatigue Ann ok", example = "fatigue Ann exhausted")]
    Fatigue { state: Fatigue, character: Name },
    /// Show or set a Tier, from 1 to 5.
    #[command(shows, keeps, example = "tier 2", example = "tier Ann 2")]
    Tier { tier: Option<Number<1, 5>>, character: Option<Name> },
}

/// The values that answer a check, from the one that is meant if none is named.
const DEFENSES: [&str; 9] = ["defense", "defence", "dc", "dodge", "parry", "fortitude", "reflex", "will", "perception"];

impl Game for Spheres {
    const ID: &'static str = "spheres";
    const TITLE: &'static str = "Shattered Spheres";
    const ABOUT: &'static str = "checks, Fate stones, Destiny dice, the Tilt, Stress, Surge";
    const CREDIT: &'static str = "Rules of Shattered Spheres by its authors, shatteredspheres.wikidot.com/rules, \
        CC BY-SA 2.5. The bot uses words of its own.";

    const GLOSSARY: &'static [(&'static str, &'static str)] = glossary::GLOSSARY;
    const SYNONYMS: &'static [(&'static str, &'static str)] = &[
        ("attack", "check {} attack"),
        ("atk", "check {} attack"),
        ("fight", "check {} attack"),
        ("chk", "check {}"),
        ("test", "check {}"),
        ("act", "check {}"),
        ("take 10", "routine {}"),
        ("patch up", "heal {}"),
        ("first aid", "heal {}"),
        ("endencounter", "encounter end"),
        ("save", "check {} resist"),
        ("resist", "check {} resist"),
        ("dodge", "resist {}"),
        ("counter", "resist {}"),
        ("parry", "resist {}"),
        ("block", "resist {}"),
        ("difficulty", "vs {}"),
        ("chance", "percent {}"),
        ("percentage", "percent {}"),
        ("percentile", "percent {}"),
        ("dn", "vs {}"),
        ("against", "vs {}"),
        ("versus", "vs {}"),
        ("defend", "resist {}"),
        ("hp", "stress {}"),
        ("wound", "condition {} wounded"),
        ("wounds", "condition {}"),
        ("conditions", "condition {}"),
        ("give", "award {}"),
        ("grant", "award {}"),
        ("stones", "fate"),
        ("stone", "fate"),
        ("triumph", "spend triumph {}"),
        ("tragedy", "spend tragedy {}"),
        ("boost", "spend triumph boost {}"),
        ("inspire", "spend triumph inspire {}"),
        ("degree", "spend triumph degree {}"),
    ];

    type State = State;
    type Command = Command;

    fn settings() -> Vec<Setting> {
        vec![DESTINY_DIE.declared()]
    }

    fn answers() -> Vec<Answers> {
        let checks = ["check", "routine", "intuition", "luck"];
        vec![Answers::to(&checks, &["vs", "dc", "against", "versus", "v", "dn"], &DEFENSES)]
    }

    fn fits(command: &str, roll: &EarlierRoll) -> Fit {
        match (command, roll.record::<Record>()) {
            ("vs", Some(record)) if record.check.dc.is_some() => Fit::Done,
            _ => Fit::Open,
        }
    }

    fn told(place: &[&str], after: Option<&Value>, named: &dyn Fn(CharacterId) -> String) -> Option<String> {
        told::of(place, after, named)
    }

    fn sentence(past: &Past) -> Option<String> {
        sentence::of(past)
    }

    fn play(state: &mut State, command: Command, turn: &mut Turn) -> Result<Reply, Refusal> {
        match command {
            Command::Check { difficulty, what, dice } => {
                check::check(state, turn, Asked { difficulty, what: &what, dice: &dice, mode: Mode::Roll, luck: 0 })
            }
            Command::Checks(command) => checks(state, turn, command),
            Command::Destiny(command) => destinies(state, turn, command),
            Command::Tilt(Tilting::Tilt { step }) => tilt::tilt(state, turn, step),
            Command::Tilt(Tilting::Vote { ballot, number: Number(number) }) => {
                tilt::vote(state, turn, ballot, number as u32)
            }
            Command::Encounter(command) => encounters(state, turn, command),
            Command::Heroes(command) => heroes(state, turn, command),
        }
    }
}

fn checks(state: &mut State, turn: &mut Turn, command: Checks) -> Result<Reply, Refusal> {
    match command {
        Checks::Vs { difficulty } => check::settle(state, turn, difficulty),
        Checks::Routine { difficulty, what, dice } => {
            check::check(state, turn, Asked { difficulty, what: &what, dice: &dice, mode: Mode::Routine, luck: 0 })
        }
        Checks::Passive { what, dice } => check::passive(state, turn, &what, &dice),
        Checks::Oppose { attack, resist, other, whose, dice } => {
            oppose::oppose(state, turn, &What { attack, resist, whose }, &dice, &other)
        }
        Checks::Resist { passive: true, dice } => oppose::resist(state, turn, Mode::Passive, &dice),
        Checks::Resist { passive: false, dice } => oppose::resist(state, turn, Mode::Roll, &dice),
        Checks::Fortune => check::late(state, turn, check::Late::Fortune),
        Checks::Misfortune => check::late(state, turn, check::Late::Misfortune),
        Checks::Intuition { difficulty, luck, what, dice } => {
            let luck = luck.map_or(0, |Number(luck)| luck);
            check::check(state, turn, Asked { difficulty, what: &what, dice: &dice, mode: Mode::Roll, luck })
        }
        Checks::Luck { difficulty, what, dice } => {
            check::check(state, turn, Asked { difficulty, what: &what, dice: &dice, mode: Mode::Luck, luck: 0 })
        }
        Checks::Dc { level } => check::dc(turn, &level),
        Checks::Percent { chance: Percent(chance) } => check::percent(turn, chance),
    }
}

fn destinies(state: &mut State, turn: &mut Turn, command: DestinyDice) -> Result<Reply, Refusal> {
    match command {
        DestinyDice::Destiny { correction } => destiny::show_or_correct(state, turn, correction),
        DestinyDice::Spend { what, purpose, control, count, .. } => {
            let (count, control) = (count.map(|Count(count)| count), control.is_some());
            spend::spend(state, turn, spend::Wish { what, count, use_for: purpose, control })
        }
        DestinyDice::Session { again, characters } => {
            if !again {
                destiny::not_just_begun(state, turn, &characters)?;
            }
            destiny::session(state, turn, &characters)
        }
        DestinyDice::Award { kind, value, character } => {
            destiny::award(state, turn, kind, value.map(|Number(value)| value as u32), &character)
        }
        DestinyDice::Hubris { value, character } => {
            destiny::hubris(state, turn, value.map(|Number(value)| value as u32), &character)
        }
        DestinyDice::Veto { character } => spend::veto(state, turn, character),
        DestinyDice::Join { character } => destiny::join(state, turn, character),
    }
}

fn encounters(state: &mut State, turn: &mut Turn, command: Encounters) -> Result<Reply, Refusal> {
    match command {
        Encounters::Encounter { what } => encounter::encounter(state, turn, what),
        Encounters::Fate { kind, change, .. } => encounter::fate(state, turn, kind, change),
        Encounters::Order { change } => encounter::order(state, turn, change),
        Encounters::Next => encounter::next(state, turn),
        Encounters::Turn { character } => encounter::turn(state, turn, character),
    }
}

fn heroes(state: &mut State, turn: &mut Turn, command: Heroes) -> Result<Reply, Refusal> {
    match command {
        Heroes::Sheet { character } => {
            let who = turn.named(character)?;
            Ok(show::sheet(state, turn, who))
        }
        Heroes::Stress { change, character } => stress::stress(state, turn, change, character),
        Heroes::Recover => {
            let actor = turn.actor;
            stress::recover(state, turn, actor)
        }
        Heroes::Heal { own, character } => stress::heal(state, turn, &character, own),
        Heroes::Rest { length, recovers, .. } => {
            stress::rest(state, turn, length, recovers.map_or(0, |Number(recovers)| recovers))
        }
        Heroes::Surge { how } => surge::surge(state, turn, how),
        Heroes::Action { kind } => actions::action(state, turn, kind),
        Heroes::Condition { character: Some(character), clear, label } => {
            stress::condition(state, turn, &character, clear, label.map(|label| label.text))
        }
        Heroes::Condition { character: None, clear: false, .. } => Ok(stress::conditions(state, turn)),
        Heroes::Condition { .. } => Err(Refusal::new("whose?").example("condition Ann clear")),
        Heroes::Fatigue { state: fatigue, character } => stress::fatigue(state, turn, fatigue, &character),
        Heroes::Tier { tier, character } => stress::tier(state, turn, tier.map(|Number(tier)| tier as u32), character),
    }
}
