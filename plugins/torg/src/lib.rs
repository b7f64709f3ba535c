//! Torg Eternity: tests with exploding dice, Possibilities, cards, damage, soak.
//!
//! `rules` computes the results, `words` parses arguments; this module has the commands and the table's state.

mod glossary;
mod harm;
mod rules;
mod sentence;
mod show;
mod test;
mod told;
mod words;

use plugin_api::{
    Answers, Arguments, CharacterId, Commands, EarlierRoll, Fit, Game, Name, Number, NumberSetting, Past, Plugin,
    Refusal, Reply, Setting, SettingScope, Turn, Typed,
};
use rules::{Harm, Test};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use words::{
    Also, BonusDice, CardWord, Cards, Circumstance, Decide, Difficulties, Mishap, NamedDifficulty, Now, OnOff, OneCard,
    PlayedCards, STANDARD, Spendable, Toughness, Wounds,
};

/// The game as a plugin.
pub fn plugin() -> Box<dyn Plugin> {
    plugin_api::plugin::<Torg>()
}

struct Torg;

/// The state of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct State {
    /// The Possibilities that everybody had when the act began; the table's setting if `None`.
    #[serde(default)]
    act: Option<i64>,
    /// By character; one who holds just what an act begins with may be missing.
    #[serde(default)]
    characters: BTreeMap<CharacterId, Holdings>,
}

/// The state of a character.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Holdings {
    /// Possibilities spent in this act; those from a referee count below 0.
    #[serde(default)]
    spent: i64,
    /// True while cut off from their reality and unable to spend Possibilities.
    #[serde(default)]
    disconnected: bool,
    /// The reality skill, as last typed for a soak.
    #[serde(default)]
    reality: Option<i64>,
    /// The entries of damage that was soaked.
    #[serde(default)]
    soaked: Vec<u64>,
    /// Wounds and Shock.
    #[serde(default)]
    harm: Harm,
    /// True if they left the table with this game's own command, from before the table had one; kept only as stored.
    #[serde(default)]
    away: bool,
}

/// What can be typed.
#[derive(Clone, Commands)]
enum Command {
    /// Test a skill or attribute: roll a d20 and add the bonus for it; 10s and 20s explode.
    ///
    /// The first number without a sign is the skill or attribute; numbers with a sign are modifiers. Without a
    /// difficulty I show the total, and dn settles it later. Name several difficulties for several targets.
    #[command(
        rolls,
        main,
        alias = "t",
        example = "test 12 dn 14",
        example = "test 12 dn very hard favored -2",
        example = "test 14 up dn 10 12 14 # a burst at all three"
    )]
    Test {
        skill: Option<Number<0, 200>>,
        /// a number, or very easy, easy, standard, challenging, hard, very hard, heroic, near impossible; dn alone
        /// means 10
        #[flag("dn", "vs", "against", "versus", "v", "dc", "difficulty")]
        difficulty: Option<Difficulties>,
        /// a difficulty by name, without dn
        named: Option<NamedDifficulty>,
        #[group]
        how: How,
    },
    /// Spend a Possibility on your last test: one more die, which counts at least 10.
    #[command(rolls, by_object, follow_up, example = "spend possibility", example = "spend poss nomin")]
    Spend {
        what: Spendable,
        /// without the minimum of 10
        #[flag("nomin")]
        nomin: bool,
    },
    /// Reroll the first die of your favored test. The new roll counts.
    #[command(rolls, follow_up, example = "reroll")]
    Reroll,
    /// Add the die of an Up condition to your last test.
    #[command(rolls, follow_up, example = "up")]
    Up,
    /// Add the die of a Hero card, which counts at least 10.
    #[command(rolls, follow_up, example = "hero", example = "hero nomin")]
    Hero {
        /// nomin: without the minimum of 10
        more: Vec<CardWord>,
    },
    /// Add the die of a Drama card, which counts at least 10.
    #[command(rolls, follow_up, example = "drama", example = "drama nomin")]
    Drama {
        /// nomin: without the minimum of 10
        more: Vec<CardWord>,
    },
    /// Play cards on your last test: each adds 3.
    #[command(rolls, follow_up, alias = "cards", example = "card", example = "card 2")]
    Card { count: Option<Cards> },
    /// Set the difficulty of a test that was made without one.
    #[command(
        changes,
        follow_up,
        example = "dn 14",
        example = "dn very hard",
        example = "dn #12 14",
        example = "dn Ann 14"
    )]
    Dn { difficulty: Difficulties },
    /// Roll bonus dice: d6s, where a 6 counts as 5 and explodes.
    #[command(rolls, alias = "bonusdice", example = "bd 2", example = "bd 3 reroll1")]
    Bd {
        count: Number<1, 20>,
        /// reroll 1s once
        #[flag("reroll1")]
        reroll: bool,
    },
    /// Compare damage with Toughness, with bonus dice if you add them.
    ///
    /// Say who is hit, and I ask them whether they soak it.
    #[command(rolls, alias = "dmg", example = "damage 17 vs 12 on Bob", example = "damage 17 vs 12 bd 1")]
    Damage {
        damage: Number<0, 500>,
        #[word("vs", "against", "versus", "v", "toughness", "tough")]
        #[bare]
        toughness: Option<Toughness>,
        /// bonus dice
        count: Option<BonusDice>,
        /// who is hit and may soak it
        #[word("on", "to", "hits")]
        #[bare]
        character: Option<Name>,
    },
    /// Soak damage: test your reality skill against 10. It costs a Possibility.
    #[command(rolls, follow_up = "if any", example = "soak 9", example = "soak #12 9 up")]
    Soak {
        reality: Option<Number<0, 200>>,
        #[group]
        how: How,
    },
    /// Defend actively: roll a die for its bonus, at least +1.
    #[command(
        rolls,
        alias = "activedefense",
        alias = "activedefence",
        example = "defend",
        example = "defend unskilled"
    )]
    Defend {
        #[flag("unskilled")]
        unskilled: bool,
    },
    /// Show the bonus for a die total.
    #[command(shows, example = "bonus 41")]
    Bonus { total: Number<1, 10_000> },
    /// Show the Possibilities. A referee can give or take them.
    #[command(shows, keeps, alias = "poss", example = "possibilities", example = "possibilities Ann +1")]
    Possibilities {
        character: Option<Name>,
        #[signed]
        change: Option<i32>,
    },
    /// Show or change your Wounds. Each is -1 to your tests.
    ///
    /// Damage on somebody and soaking it count here by themselves. A referee changes anybody's.
    #[command(shows, keeps, alias = "wound", example = "wounds", example = "wounds -1", example = "wounds Ann 2")]
    Wounds {
        /// changes the Shock too
        #[word("shock")]
        shock: Option<Also>,
        #[group]
        kept: Kept,
    },
    /// Show or change your Shock.
    #[command(shows, keeps, example = "shock", example = "shock -2", example = "shock none")]
    Shock {
        /// changes the Wounds too
        #[word("wounds", "wound")]
        wounds: Option<Also>,
        #[group]
        kept: Kept,
    },
    /// Show everything a character and the table hold.
    #[command(shows, example = "sheet", example = "sheet Ann")]
    Sheet { character: Option<Name> },
    /// Record that somebody is disconnected from their reality, or reconnected.
    #[command(changes, example = "disconnect on", example = "disconnect Ann off")]
    Disconnect { on: OnOff, character: Option<Name> },
    /// Begin an act: everyone has the Possibilities that an act starts with.
    #[command(changes, referee, example = "newact")]
    Newact,
}

/// Wounds or Shock to show or change.
#[derive(Clone, Arguments)]
struct Kept {
    /// the new count
    now: Option<Now>,
    #[signed]
    change: Option<i32>,
    character: Option<Name>,
}

/// What goes into a test besides its value and difficulty.
#[derive(Clone, Arguments)]
struct How {
    /// the first die may be rerolled; with auto, I decide
    #[flag("favored", "favoured", "fav")]
    favored: Option<Decide>,
    /// one more die
    #[flag("up")]
    up: bool,
    /// only a 10 explodes
    #[flag("unskilled", "untrained")]
    unskilled: bool,
    /// a first die from 1 to 2, 3 or 4 is a Mishap
    #[word("mishap", "mishaps")]
    mishap: Vec<Mishap>,
    /// actions or targets besides the first, -2 each
    #[word("multi")]
    multi: Option<Number<1, 20>>,
    /// characters who act together, 2 to 6: +1, +2, +3
    #[word("combined")]
    combined: Option<Number<2, 6>>,
    /// wounds, -1 each, instead of those I know of
    wounds: Option<Wounds>,
    /// spend a Possibility at once
    #[flag("possibility", "poss")]
    possibility: bool,
    /// play a Hero card at once
    #[flag("hero")]
    hero: Option<OneCard>,
    /// play a Drama card at once
    #[flag("drama")]
    drama: Option<OneCard>,
    /// cards that add 3 each
    cards: Option<PlayedCards>,
    /// Possibilities and cards have no minimum of 10
    #[flag("nomin")]
    nomin: bool,
    #[signed]
    mods: Vec<i32>,
    circumstances: Vec<Circumstance>,
}

const ACTMAX: NumberSetting = NumberSetting {
    key: "actmax",
    help: "Possibilities that everybody has at the beginning of an act",
    default: 3,
    least: 0,
    most: 20,
    scope: SettingScope::Table,
};

/// The values that answer a test, from the one that is meant if none is named.
const DEFENSES: [&str; 11] = [
    "dodge",
    "defense",
    "defence",
    "melee weapons",
    "unarmed combat",
    "maneuver",
    "intimidation",
    "taunt",
    "trick",
    "willpower",
    "dn",
];

impl Game for Torg {
    const ID: &'static str = "torg";
    const TITLE: &'static str = "Torg Eternity";
    const ABOUT: &'static str = "tests, Possibilities, cards, damage, soak";

    const GLOSSARY: &'static [(&'static str, &'static str)] = glossary::GLOSSARY;
    const SYNONYMS: &'static [(&'static str, &'static str)] = &[
        ("check", "test {}"),
        ("attack", "test {}"),
        ("fight", "test {}"),
        ("active", "defend {}"),
        ("defence", "defend {}"),
        ("defense", "defend {}"),
        ("skill", "test {}"),
        ("vs", "dn {}"),
        ("dc", "dn {}"),
        ("target", "dn {}"),
        ("against", "dn {}"),
        ("versus", "dn {}"),
        ("difficulty", "dn {}"),
        ("hit", "damage {}"),
        ("dodge", "defend {}"),
        ("possibility", "spend possibility {}"),
        ("possibility", "possibilities {}"),
        ("resist", "soak {}"),
        ("hp", "wounds {}"),
        ("heal", "wounds -{}"),
        ("injury", "wounds {}"),
        ("act", "test {}"),
        ("reconnect", "disconnect off {}"),
        ("reconnected", "disconnect off {}"),
    ];

    type State = State;
    type Command = Command;

    fn settings() -> Vec<Setting> {
        vec![ACTMAX.declared()]
    }

    fn answers() -> Vec<Answers> {
        let (against, hits) = (["vs", "against", "versus", "v", "toughness", "tough"], ["on", "to", "hits"]);
        let damage = |after: &[&str], unless: &[&str]| {
            let answers = Answers::to(&["damage"], after, &["toughness", "tough"]).unless(unless);
            answers.putting("vs {value} on {name}").even_without_dice()
        };
        vec![
            Answers::to(&["test"], &["dn", "vs", "against", "versus", "v", "dc"], &DEFENSES),
            damage(&against, &hits),
            damage(&hits, &against),
        ]
    }

    fn fits(command: &str, roll: &EarlierRoll) -> Fit {
        match (command, roll.record::<Test>()) {
            ("soak", _) => Fit::Open,
            (_, None) => Fit::No,
            ("dn", Some(test)) if !test.dns.is_empty() => Fit::Done,
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
            Command::Test { skill, difficulty, named, how } => {
                // `heroic difficulty`: the word alone means 10 unless a difficulty is named.
                let alone = |dns: &Vec<i64>| named.is_some() && *dns == [STANDARD];
                let dns = difficulty.map(|Difficulties(dns)| dns).filter(|dns| !alone(dns)).unwrap_or_default();
                let named = named.into_iter().map(|NamedDifficulty(dn)| dn);
                let mut dns: Vec<i64> = dns.into_iter().chain(named).collect();
                // `test dn 14 12`: the value comes after the difficulty.
                let behind = if skill.is_none() && dns.len() > 1 { dns.pop() } else { None };
                match skill.map(|Number(skill)| skill).or(behind) {
                    Some(skill) => test::test(state, turn, skill, dns, &how),
                    None => Err(Refusal::new("which skill or attribute? Say its number, without + or -")),
                }
            }
            Command::Spend { what: Spendable::Possibility, nomin } => {
                test::follow(state, turn, test::More::Possibility { minimum: !nomin })
            }
            Command::Reroll => test::follow(state, turn, test::More::Reroll),
            Command::Up => test::follow(state, turn, test::More::Up),
            Command::Hero { more } => test::follow(state, turn, test::More::Hero { minimum: has_minimum(&more) }),
            Command::Drama { more } => test::follow(state, turn, test::More::Drama { minimum: has_minimum(&more) }),
            Command::Card { count } => {
                test::follow(state, turn, test::More::Cards(count.map_or(1, |Cards(count)| count)))
            }
            Command::Dn { difficulty: Difficulties(dns) } => test::follow(state, turn, test::More::Dn(dns)),
            Command::Bd { count: Number(dice), reroll } => harm::bonus_dice(turn, dice as u32, reroll),
            Command::Damage { damage: Number(damage), toughness, count, character } => {
                let Some(Toughness(toughness)) = toughness else {
                    return Err(Refusal::new("against which Toughness? Say its number"));
                };
                let dice = count.map_or(0, |BonusDice(dice)| dice);
                harm::damage(state, turn, (damage, toughness), dice, character)
            }
            Command::Soak { reality, how } => harm::soak(state, turn, reality.map(|Number(skill)| skill), &how),
            Command::Defend { unskilled } => harm::defend(turn, unskilled),
            Command::Bonus { total: Number(total) } => {
                let bonus = rules::bonus(total as u32);
                Ok(Reply::from(format!("a die total of {total} gives {bonus:+}")).fact("bonus", bonus))
            }
            Command::Possibilities { character, change } => possibilities(state, turn, character, change),
            Command::Wounds { kept, shock } => harm::kept(state, turn, harm::Kind::Wounds, kept, shock),
            Command::Shock { kept, wounds } => harm::kept(state, turn, harm::Kind::Shock, kept, wounds),
            Command::Sheet { character } => {
                let who = turn.named(character)?;
                Ok(show::sheet(state, turn, who))
            }
            Command::Disconnect { on, character } => disconnect(state, turn, character, on == OnOff::On),
            Command::Newact => Ok(new_act(state, turn)),
        }
    }
}

fn has_minimum(typed: &[CardWord]) -> bool {
    !typed.contains(&CardWord::Nomin)
}

/// The most Possibilities somebody may have.
const MOST_POSSIBILITIES: i64 = 100;

impl State {
    fn of(&mut self, character: CharacterId) -> &mut Holdings {
        self.characters.entry(character).or_default()
    }

    fn held(&self, character: CharacterId) -> Holdings {
        self.characters.get(&character).cloned().unwrap_or_default()
    }

    /// The Possibilities of a character; the opposition has only those from a referee.
    fn possibilities(&self, turn: &Turn, character: CharacterId) -> i64 {
        let beginning = match turn.opposes(character) {
            true => 0,
            false => self.act.unwrap_or_else(|| turn.setting(&ACTMAX)),
        };
        (beginning - self.held(character).spent).max(0)
    }
}

fn possibilities(state: &mut State, turn: &mut Turn, who: Option<Name>, change: Option<i32>) -> Result<Reply, Refusal> {
    let Some(change) = change else {
        return match who {
            None => Ok(show::possibilities(state, turn)),
            Some(who) => {
                let who = turn.character(&who.0)?;
                Ok(show::possibilities_of(state, turn, who))
            }
        };
    };
    if !turn.by_referee() {
        return Err(Refusal::new("only the referee gives and takes Possibilities").example("possibilities"));
    }
    let Some(who) = who else {
        return Err(Refusal::new("whose Possibilities?").example("possibilities Ann +1"));
    };
    let who = turn.character(&who.0)?;
    let now = state.possibilities(turn, who) + i64::from(change);
    if !(0..=MOST_POSSIBILITIES).contains(&now) {
        let held = state.possibilities(turn, who);
        let what = format!("{} has {held}, and {change:+} is not from 0 to {MOST_POSSIBILITIES}", turn.name(who));
        return Err(Refusal::new(what).about(format!("{change:+}")).example("possibilities Ann +1"));
    }
    let spent = state.possibilities(turn, who) - now;
    state.of(who).spent += spent;
    if now == 0 {
        turn.close_offers(Some(who), &["possibility", "soak"]);
    }
    Ok(show::possibilities_of(state, turn, who))
}

fn disconnect(state: &mut State, turn: &mut Turn, who: Option<Name>, on: bool) -> Result<Reply, Refusal> {
    let who = turn.own(who, "say that of")?;
    state.of(who).disconnected = on;
    if on {
        turn.close_offers(Some(who), &["possibility", "soak"]);
    }
    let reply = turn.about(who);
    let reply = match on {
        true => reply.text("disconnected: no Possibilities until ").code("disconnect off"),
        false => reply.text("connected again"),
    };
    Ok(reply.fact("disconnected", on))
}

fn new_act(state: &mut State, turn: &mut Turn) -> Reply {
    turn.close_offers(None, &["possibility", "soak", "reroll"]);
    state.act = Some(turn.setting(&ACTMAX));
    state.characters.values_mut().for_each(|held| held.spent = 0);
    let reply = show::possibilities(state, turn);
    Reply { blocks: Reply::from(format!("A new act. {}", reply.plain())).blocks, ..reply }
}
