//! Checks against a difficulty, and what settles or changes them later.

use crate::rules::{self, Check, Kind, Mode, Purpose, Side, Stones};
use crate::state::State;
use crate::words::{Difficulty, Level, MOST_RANKS, Ranks, too_many};
use crate::{DicePool, What, oppose, show};
use plugin_api::{CharacterId, Number, Refusal, Reply, Target, Turn};
use serde::{Deserialize, Serialize};

/// A check as it is followed up on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The check.
    pub check: Check,
    /// Who is to answer it.
    pub against: Option<CharacterId>,
    /// The other side, once it is known.
    pub opponent: Option<Check>,
    /// The encounter it was made in, by its number.
    pub encounter: Option<u32>,
    /// Turns that had begun when it was made.
    pub turn: u32,
    /// The stones that were put into the Fate Pool for it.
    pub earned: Stones,
    /// The stone of a critical outside an encounter, until it is used.
    pub loose: Option<Kind>,
}

/// A die that is thrown late.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Late {
    /// Fortune.
    Fortune,
    /// Misfortune.
    Misfortune,
}

/// The usual DC of something of no level.
const BASE: i64 = 10;

/// A check as it was typed.
pub(crate) struct Asked<'a> {
    /// What it is judged against.
    pub difficulty: Option<Difficulty>,
    /// What it is for.
    pub what: &'a What,
    /// What is rolled.
    pub dice: &'a DicePool,
    /// How it is made.
    pub mode: Mode,
    /// Ranks of Luck, which are Advantage or, below 0, Disadvantage.
    pub luck: i64,
}

pub(crate) fn check(state: &mut State, turn: &mut Turn, asked: Asked<'_>) -> Result<Reply, Refusal> {
    let Asked { difficulty, what, dice, mode, luck } = asked;
    let plan = Plan { mode, luck, ..plan(turn, what)? };
    match difficulty {
        Some(Difficulty::Somebody(name)) if mode == Mode::Roll => {
            let against = turn.character(&name.0)?;
            oppose::challenge(state, turn, against, plan, dice)
        }
        Some(Difficulty::Somebody(name)) => {
            let what = format!("{} cannot answer this kind of check: type a number", name.0);
            Err(Refusal::new(what).about(name.0))
        }
        difficulty => {
            let mut check = roll(state, turn, turn.actor, dice, plan)?;
            check.dc = difficulty.map(|difficulty| judged_by(turn, difficulty)).transpose()?;
            let record = entered(state, turn, check);
            let reply = show::check(Reply::new(), state, turn, turn.actor, &record, Stones::default());
            Ok(reply.record(&record))
        }
    }
}

/// What a check is made for.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    pub purpose: Purpose,
    pub side: Side,
    pub mode: Mode,
    /// Ranks of Luck.
    pub luck: i64,
}

/// A rolled check by what was typed.
pub(crate) fn plan(turn: &Turn, what: &What) -> Result<Plan, Refusal> {
    let purpose = match (what.attack, what.resist) {
        (true, true) => return Err(Refusal::new("a check is an attack or resistance, not both").about("resist")),
        (true, false) => Purpose::Attack,
        (false, true) => Purpose::Resist,
        (false, false) => Purpose::Skill,
    };
    let side = side_of(turn, turn.actor, what.foe, what.hero)?;
    Ok(Plan { purpose, side, mode: Mode::Roll, luck: 0 })
}

/// The side of a character, unless another was typed.
pub(crate) fn side_of(turn: &Turn, who: CharacterId, foe: bool, hero: bool) -> Result<Side, Refusal> {
    match (foe, hero) {
        (true, true) => Err(Refusal::new("a side is hero or foe, not both").about("hero")),
        (true, false) => Ok(Side::Foe),
        (false, true) => Ok(Side::Hero),
        (false, false) if turn.opposes(who) => Ok(Side::Foe),
        (false, false) => Ok(Side::Hero),
    }
}

/// Throws a check's dice; ranks that wait from an edit are used up by it.
pub(crate) fn roll(
    state: &mut State,
    turn: &mut Turn,
    who: CharacterId,
    pool: &DicePool,
    plan: Plan,
) -> Result<Check, Refusal> {
    let held = state.held(who);
    let tier = pool.tier.map_or(held.tier(), |Number(tier)| tier as u32);
    let sum = |ranks: &[Number<0, 40>]| ranks.iter().map(|Number(rank)| rank).sum::<i64>();
    let Ranks { advantage, disadvantage } = pool.ranks;
    let advantage = advantage + sum(&pool.advantage) + plan.luck.max(0);
    let disadvantage = disadvantage + sum(&pool.disadvantage) + (-plan.luck).max(0);
    if let Some(most) = [advantage, disadvantage].into_iter().find(|ranks| *ranks > MOST_RANKS) {
        return Err(Refusal::new(too_many(&most.to_string())));
    }
    let skill = match (pool.skill_below, pool.skill) {
        (Some(_), Some(_)) => return Err(Refusal::new("a check has one skill").about("skill")),
        (below, skill) => below.map(|Number(skill)| skill).or(skill.map(|Number(skill)| skill)).unwrap_or(0),
    };
    if held.ranks != 0 || held.edit.is_some() {
        let holdings = state.of(who);
        (holdings.ranks, holdings.edit) = (0, None);
    }
    let advantage = advantage + held.ranks;
    let mut d20 = |wanted: bool| -> Result<Option<u32>, Refusal> {
        Ok(if wanted { Some(turn.throw_die(20)?.value) } else { None })
    };
    let lucky = plan.mode == Mode::Luck;
    let normal = d20(matches!(plan.mode, Mode::Roll | Mode::Luck))?;
    let fortune = d20(pool.fortune || lucky)?;
    let misfortune = d20(pool.misfortune || lucky)?;
    Ok(Check {
        skill,
        advantage,
        disadvantage,
        tier,
        purpose: plan.purpose,
        side: plan.side,
        mode: plan.mode,
        d20: normal,
        fortune,
        misfortune,
        advantage_dice: turn.throw_dice(rules::rank_dice(advantage, tier))?,
        disadvantage_dice: turn.throw_dice(rules::rank_dice(disadvantage, tier))?,
        bonus: 0,
        degrees: 0,
        dc: None,
    })
}

/// The difficulty class; a d20 in it is thrown last.
fn judged_by(turn: &mut Turn, difficulty: Difficulty) -> Result<i64, Refusal> {
    match difficulty {
        Difficulty::Number(dc) => Ok(dc),
        Difficulty::Level(level) => class_of(turn, &level),
        Difficulty::Somebody(name) => {
            let what = format!("{} is no difficulty: type a number, or a level", name.0);
            Err(Refusal::new(what).about(name.0))
        }
    }
}

fn class_of(turn: &mut Turn, level: &Level) -> Result<i64, Refusal> {
    let base = if level.rolled { i64::from(turn.throw_die(20)?.value) } else { BASE };
    Ok(rules::difficulty_class(level.level, level.times, base) + level.extra)
}

/// A new check of the actor as it is followed up on: its stones are earned, and what was offered on earlier ones is too
/// late.
pub(crate) fn entered(state: &mut State, turn: &mut Turn, check: Check) -> Record {
    let actor = turn.actor;
    turn.close_offers(Some(actor), &["triumph", "tragedy", "stones", "stone"]);
    let earned = state.earn(check.stones());
    let on = state.fate.is_some();
    Record {
        against: None,
        opponent: None,
        encounter: on.then_some(state.encounters),
        turn: state.turns,
        earned,
        loose: if on { None } else { check.critical_stone() },
        check,
    }
}

pub(crate) fn settle(state: &mut State, turn: &mut Turn, difficulty: Difficulty) -> Result<Reply, Refusal> {
    let mut target: Target<Record> = turn.target()?;
    if let Some(dc) = target.record.check.dc {
        let what = format!("#{} was settled against {dc}", target.entry);
        return Err(Refusal::new(what).example("check 7 +4 vs 15"));
    }
    if target.record.against.is_some() {
        let what = format!("#{} is answered with resist, or by a referee", target.entry);
        return Err(Refusal::new(what).example("resist 4 +2"));
    }
    target.record.check.dc = Some(judged_by(turn, difficulty)?);
    amend(state, turn, &target, "")
}

pub(crate) fn late(state: &mut State, turn: &mut Turn, late: Late) -> Result<Reply, Refusal> {
    let mut target: Target<Record> = turn.target()?;
    let check = &mut target.record.check;
    let (name, die) = match late {
        Late::Fortune => ("Fortune", &mut check.fortune),
        Late::Misfortune => ("Misfortune", &mut check.misfortune),
    };
    if die.is_some() {
        let what = format!("#{} has a {name} die already", target.entry);
        return Err(Refusal::new(what).example("check 7 +4 vs 15"));
    }
    *die = Some(turn.throw_die(20)?.value);
    reckon(state, &mut target.record);
    amend(state, turn, &target, &format!("with a {name} die: "))
}

/// Works out anew what a changed check earns.
fn reckon(state: &mut State, record: &mut Record) {
    let (wanted, had) = (record.check.stones(), record.earned);
    if record.encounter.is_some() && record.encounter == state.fate.as_ref().map(|_| state.encounters) {
        let change = Stones { triumph: wanted.triumph - had.triumph, tragedy: wanted.tragedy - had.tragedy };
        let really = state.earn(change);
        record.earned = Stones { triumph: had.triumph + really.triumph, tragedy: had.tragedy + really.tragedy };
    } else if record.encounter.is_none() {
        record.loose = record.check.critical_stone();
    }
}

/// Writes a changed check down, and answers.
pub(crate) fn amend(state: &State, turn: &mut Turn, target: &Target<Record>, note: &str) -> Result<Reply, Refusal> {
    turn.amend(&target.record);
    let whose = match target.actor == turn.actor {
        true => String::new(),
        false => format!("{}'s check: ", turn.name(target.actor)),
    };
    let reply = Reply::from(format!("{whose}{note}"));
    let before = turn.peek_target::<Record>().map_or(Stones::default(), |before| before.record.earned);
    let mut reply = show::check(reply, state, turn, target.actor, &target.record, before);
    if target.actor != turn.actor {
        let name = turn.name(target.actor).to_owned();
        reply.offers.iter_mut().for_each(|offer| offer.to = Some(name.clone()));
    }
    Ok(reply)
}

pub(crate) fn dc(turn: &mut Turn, level: &Level) -> Result<Reply, Refusal> {
    let dc = class_of(turn, level)?;
    let Level { level: of, step, times, extra, .. } = level;
    let base = dc - of * times - extra;
    let extra = if *extra == 0 { String::new() } else { format!("{extra:+}") };
    let reply = Reply::new().bold(format!("DC {dc}"));
    Ok(reply.text(format!(" (level {of} {step}: {of}x{times}+{base}{extra})")).fact("dc", dc))
}

pub(crate) fn percent(turn: &mut Turn, chance: i64) -> Result<Reply, Refusal> {
    if chance % 5 != 0 || chance == 0 {
        let what = format!("{chance} % is no chance that a d20 has: use a multiple of 5 from 5 to 100");
        return Err(Refusal::new(what).about(chance.to_string()));
    }
    let die = turn.throw_die(20)?;
    let shows = i64::from(die.value) * 5;
    let result = if shows <= chance { "YES" } else { "NO" };
    let reply = Reply::new().bold(format!("{result} {shows} % of {chance} %")).text(" | ").die(die.to_string());
    Ok(reply.fact("success", shows <= chance).fact("shows", shows))
}
