//! Checks against a difficulty, and how to settle or change them later.

use crate::record::Record;
use crate::rules::{self, Check, Mode, Negated, Purpose, Side, Stones};
use crate::show::Shown;
use crate::state::{Benefit, State};
use crate::words::{DicePool, Difficulty, Level, MOST_RANKS, Ranks, Rating, What, Whose, too_many};
use crate::{oppose, show};
use plugin_api::{CharacterId, Number, Refusal, Reply, Target, Turn};

/// A die that is rolled late.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Late {
    /// Fortune.
    Fortune,
    /// Misfortune.
    Misfortune,
}

/// The usual DC for something of level 0.
const BASE: i64 = 10;

/// A check as typed.
pub(crate) struct Asked<'a> {
    /// Its difficulty.
    pub difficulty: Option<Difficulty>,
    /// Its purpose.
    pub what: &'a What,
    /// Its dice.
    pub dice: &'a DicePool,
    /// Its mode.
    pub mode: Mode,
    /// Ranks of Luck, which count as Advantage or, below 0, as Disadvantage.
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
            let who = turn.actor;
            let plan = Plan { denied: oppose::denies(state, turn.against()), ..plan };
            let mut check = ready(state, who, dice, plan)?.throw(turn)?;
            if let Some(difficulty) = difficulty {
                (check.dc, check.dc_die) = judged_by(turn, difficulty)?;
            }
            use_up(state, who);
            let record = entered(state, turn, check);
            Ok(answer(state, turn, &record))
        }
    }
}

/// The answer to a new check of the actor.
pub(crate) fn answer(state: &State, turn: &Turn, record: &Record) -> Reply {
    turn.answer(show::ending(&record.check), |reply| {
        show::check(reply, state, turn, &Shown { actor: turn.actor, record, before: Stones::default() }).record(record)
    })
}

/// A passive value. It earns stones by its dice like a check, but cannot be followed up.
pub(crate) fn passive(state: &mut State, turn: &mut Turn, what: &What, dice: &DicePool) -> Result<Reply, Refusal> {
    let plan = Plan { mode: Mode::Passive, ..plan(turn, what)? };
    let check = ready(&state.without_edits(turn.actor), turn.actor, dice, plan)?.throw(turn)?;
    let earned = state.earn(check.stones());
    let record = Record {
        check,
        against: None,
        opponent: None,
        encounter: None,
        turn: state.turns,
        earned,
        loose: None,
        loose_used: false,
    };
    Ok(turn.answer(show::ending(&record.check), |reply| {
        show::check(reply, state, turn, &Shown { actor: turn.actor, record: &record, before: Stones::default() })
    }))
}

/// The purpose and mode of a check.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    pub purpose: Purpose,
    pub side: Side,
    pub mode: Mode,
    /// Ranks of Luck.
    pub luck: i64,
    /// True if a Surge of whoever it is against keeps Advantage out of it.
    pub denied: bool,
}

/// The plan of a rolled check as typed.
pub(crate) fn plan(turn: &Turn, what: &What) -> Result<Plan, Refusal> {
    let purpose = match (what.attack, what.resist) {
        (true, true) => return Err(Refusal::new("a check is an attack or resistance, not both").about("resist")),
        (true, false) => Purpose::Attack,
        (false, true) => Purpose::Resist,
        (false, false) => Purpose::Skill,
    };
    let side = side_of(turn, turn.actor, &what.whose)?;
    Ok(Plan { purpose, side, mode: Mode::Roll, luck: 0, denied: false })
}

/// The side of a character, unless a different one was typed.
pub(crate) fn side_of(turn: &Turn, who: CharacterId, typed: &Whose) -> Result<Side, Refusal> {
    match (typed.foe, typed.hero) {
        (true, true) => Err(Refusal::new("a side is hero or foe, not both").about("hero")),
        (true, false) => Ok(Side::Foe),
        (false, true) => Ok(Side::Hero),
        (false, false) => Ok(own_side(turn, who)),
    }
}

/// The side of a character.
pub(crate) fn own_side(turn: &Turn, who: CharacterId) -> Side {
    if turn.opposes(who) { Side::Foe } else { Side::Hero }
}

/// A check before its dice are rolled.
pub(crate) struct Ready {
    check: Check,
    fortune: bool,
    misfortune: bool,
}

/// Prepares a check. Anything that can be refused is refused here, before any die is rolled. Ranks waiting from an edit
/// count; [`use_up`] takes them.
pub(crate) fn ready(state: &State, who: CharacterId, pool: &DicePool, plan: Plan) -> Result<Ready, Refusal> {
    let held = state.held(who);
    let tier = pool.tier.map_or(held.tier(), |Number(tier)| tier as u32);
    let Ranks { advantage, disadvantage } = pool.ranks;
    let more = |ranks: i64, typed: i64, luck: i64| {
        let sum = ranks + typed + luck.max(0);
        if sum > MOST_RANKS { Err(Refusal::new(too_many(&sum.to_string()))) } else { Ok(sum) }
    };
    let advantage = more(advantage, pool.advantage.iter().map(|Rating(rank)| rank).sum(), plan.luck)?;
    // `dis -2` means the same as `dis 2`.
    let disadvantage = more(disadvantage, pool.disadvantage.iter().map(|Rating(rank)| rank.abs()).sum(), -plan.luck)?;
    let advantage = advantage + held.ranks;
    let negated = Negated {
        advantage: if plan.denied { advantage } else { 0 },
        disadvantage: if held.surges_for(Benefit::Negate) { disadvantage } else { 0 },
    };
    let skill = pool.skill.map_or(0, |Number(skill)| skill);
    let lucky = plan.mode == Mode::Luck;
    let check = Check {
        skill,
        advantage: advantage - negated.advantage,
        disadvantage: disadvantage - negated.disadvantage,
        tier,
        purpose: plan.purpose,
        side: plan.side,
        mode: plan.mode,
        d20: None,
        fortune: None,
        misfortune: None,
        advantage_dice: Vec::new(),
        disadvantage_dice: Vec::new(),
        bonus: 0,
        degrees: 0,
        dc: None,
        dc_die: None,
        negated,
    };
    Ok(Ready { check, fortune: pool.fortune || lucky, misfortune: pool.misfortune || lucky })
}

impl Ready {
    /// Rolls its dice: d20, Fortune, Misfortune, Advantage, Disadvantage.
    pub fn throw(self, turn: &mut Turn) -> Result<Check, Refusal> {
        let Ready { mut check, fortune, misfortune } = self;
        let mut d20 = |wanted: bool| -> Result<Option<u32>, Refusal> {
            Ok(if wanted { Some(turn.throw_die(20)?.value) } else { None })
        };
        check.d20 = d20(matches!(check.mode, Mode::Roll | Mode::Luck))?;
        check.fortune = d20(fortune)?;
        check.misfortune = d20(misfortune)?;
        check.advantage_dice = turn.throw_dice(rules::rank_dice(check.advantage, check.tier))?;
        check.disadvantage_dice = turn.throw_dice(rules::rank_dice(check.disadvantage, check.tier))?;
        Ok(check)
    }
}

/// Takes the ranks waiting for a character's next check.
pub(crate) fn use_up(state: &mut State, who: CharacterId) {
    let held = state.held(who);
    if held.ranks != 0 || !held.edits.is_empty() {
        let holdings = state.of(who);
        holdings.ranks = 0;
        holdings.edits.retain(|edit| edit.ranks == 0);
    }
}

/// The difficulty class, and the d20 in it; that is rolled last.
fn judged_by(turn: &mut Turn, difficulty: Difficulty) -> Result<(Option<i64>, Option<u32>), Refusal> {
    match difficulty {
        Difficulty::Number(dc) => Ok((Some(dc), None)),
        Difficulty::Level(level) => class_of(turn, &level).map(|(dc, die)| (Some(dc), die)),
        Difficulty::Somebody(name) => {
            let what = format!("{} is not a difficulty: type a number, or a level", name.0);
            Err(Refusal::new(what).about(name.0))
        }
    }
}

fn class_of(turn: &mut Turn, level: &Level) -> Result<(i64, Option<u32>), Refusal> {
    let die = if level.rolled { Some(turn.throw_die(20)?.value) } else { None };
    let base = die.map_or(BASE, i64::from);
    Ok((rules::difficulty_class(level.level, level.times, base) + level.extra, die))
}

/// The record of a new check of the actor: its stones are earned, and offers on earlier checks are closed.
pub(crate) fn entered(state: &mut State, turn: &mut Turn, check: Check) -> Record {
    let actor = turn.actor;
    turn.close_offers(Some(actor), &["triumph", "tragedy", "stones", "stone", "boost", "degree", "stunt"]);
    if state.held(actor).answered.is_some() {
        state.of(actor).answered = None;
    }
    let earned = state.earn(check.stones());
    let on = state.fate.is_some();
    Record {
        against: None,
        opponent: None,
        encounter: on.then_some(state.encounters),
        turn: state.turns,
        earned,
        loose: if on { None } else { check.critical_stone() },
        loose_used: false,
        check,
    }
}

pub(crate) fn settle(state: &mut State, turn: &mut Turn, difficulty: Difficulty) -> Result<Reply, Refusal> {
    let mut target: Target<Record> = turn.target()?;
    if let Some(dc) = target.record.check.dc {
        let against = turn.hides().map_or(dc.to_string(), str::to_owned);
        let what = format!("#{} was settled against {against}", target.entry);
        let again = format!("amend #{} check 7 +4 vs 15", target.entry);
        return Err(Refusal::new(what).example(if turn.by_referee() { again.as_str() } else { "check 7 +4 vs 15" }));
    }
    // A referee may set the defense of the opposed character.
    if let Some(against) = target.record.against
        && !turn.by_referee()
    {
        let (number, name) = (target.entry, turn.name(against));
        let what = format!("#{number} is against {name}, who answers with resist, or a referee does");
        return Err(Refusal::new(what).example(format!("resist #{number} 4 +2")));
    }
    let check = &mut target.record.check;
    (check.dc, check.dc_die) = judged_by(turn, difficulty)?;
    amend(state, turn, &target, "")
}

pub(crate) fn late(state: &mut State, turn: &mut Turn, late: Late) -> Result<Reply, Refusal> {
    let mut target: Target<Record> = turn.target()?;
    not_answered(state, turn, &target)?;
    let before = target.record.check.stones();
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
    reckon(state, &mut target.record, before);
    amend(state, turn, &target, &format!("with a {name} die: "))
}

/// Refuses a spend on an older check when it was meant for the actor's answer to somebody's check, which is their last
/// one.
pub(crate) fn not_answered(state: &State, turn: &Turn, target: &Target<Record>) -> Result<(), Refusal> {
    match state.held(turn.actor).answered.filter(|_| target.actor == turn.actor) {
        None => Ok(()),
        Some(number) => {
            let what = format!("your last check is the answer to #{number}, and #{} stands", target.entry);
            Err(Refusal::new(what).example(format!("spend triumph boost #{number}")))
        }
    }
}

/// Recomputes what a changed check earns, compared with what it should have earned `before`. Stones blocked then are
/// not earned now, and no more is taken back than it earned.
fn reckon(state: &mut State, record: &mut Record, before: Stones) {
    let (now, had) = (record.check.stones(), record.earned);
    if record.encounter.is_some() && record.encounter == state.fate.as_ref().map(|_| state.encounters) {
        let change = Stones {
            triumph: (now.triumph - before.triumph).max(-had.triumph),
            tragedy: (now.tragedy - before.tragedy).max(-had.tragedy),
        };
        let really = state.earn(change);
        record.earned = Stones { triumph: had.triumph + really.triumph, tragedy: had.tragedy + really.tragedy };
    } else if record.encounter.is_none() && !record.loose_used {
        record.loose = record.check.critical_stone();
    }
}

/// Stores a changed check, and answers.
pub(crate) fn amend(state: &State, turn: &mut Turn, target: &Target<Record>, note: &str) -> Result<Reply, Refusal> {
    turn.amend(&target.record);
    let whose = turn.whose(target, "check");
    Ok(turn.answer(show::ending(&target.record.check), |reply| {
        let reply = reply.text(format!("{whose}{note}"));
        let before = turn.peek_target::<Record>().map_or(Stones::default(), |before| before.record.earned);
        let mut reply = show::check(reply, state, turn, &Shown { actor: target.actor, record: &target.record, before });
        if !target.latest {
            reply.offers.clear();
        }
        turn.offered_to(target.actor, reply)
    }))
}

pub(crate) fn dc(turn: &mut Turn, level: &Level) -> Result<Reply, Refusal> {
    let (dc, die) = class_of(turn, level)?;
    let Level { level: of, step, times, extra, .. } = level;
    let base = die.map_or(BASE.to_string(), |die| format!("d20 {die}"));
    let extra = if *extra == 0 { String::new() } else { format!(" {extra:+}") };
    let reply = Reply::new().bold(format!("DC {dc}"));
    Ok(reply.text(format!(" = {of}x{times} + {base}{extra} (level {of}, {step})")).fact("dc", dc))
}

pub(crate) fn percent(turn: &mut Turn, chance: i64) -> Result<Reply, Refusal> {
    if chance % 5 != 0 || chance == 0 {
        let what = format!("{chance} % is no chance that a d20 has: use a multiple of 5 from 5 to 100");
        return Err(Refusal::new(what).about(chance.to_string()));
    }
    let die = turn.throw_die(20)?;
    let shows = i64::from(die.value) * 5;
    let result = if shows <= chance { "YES" } else { "NO" };
    let reply =
        Reply::new().bold(result).text(format!(": {shows} %, needed {chance} % or less | ")).die(die.to_string());
    Ok(reply.fact("success", shows <= chance).fact("shows", shows))
}
