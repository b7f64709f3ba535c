//! Opposed checks: both sides at once, or answered later by the other side.

use crate::asking::die_size;
use crate::check::{self, Plan, Ready, entered, own_side, plan, ready, side_of, use_up};
use crate::record::Record;
use crate::rules::{Check, Mode, Purpose, Side, Stones};
use crate::show;
use crate::state::{Benefit, State};
use crate::words::{DicePool, Opponent, What};
use plugin_api::{CharacterId, Refusal, Reply, Target, Turn};

pub(crate) fn oppose(
    state: &mut State,
    turn: &mut Turn,
    what: &What,
    pool: &DicePool,
    other: &Opponent,
) -> Result<Reply, Refusal> {
    let against = other.character.as_ref().map(|name| turn.character(&name.0)).transpose()?;
    let anything = other.passive || other.whose.foe || other.whose.hero || typed(&other.dice);
    match against {
        Some(against) if !anything => challenge(state, turn, against, plan(turn, what)?, pool),
        Some(against) if against != turn.actor && !turn.by_referee() => {
            let name = turn.name(against).to_owned();
            let what = format!("{name} answers with their own dice: leave the numbers away, they type resist");
            Err(Refusal::new(what).example(format!("oppose 5 +3 vs {name}")))
        }
        _ => both(state, turn, what, Sides { pool, other, against }),
    }
}

/// True if any dice were typed.
fn typed(pool: &DicePool) -> bool {
    let ranks = pool.ranks.advantage != 0 || pool.ranks.disadvantage != 0;
    let more = !pool.advantage.is_empty() || !pool.disadvantage.is_empty() || pool.tier.is_some();
    ranks || more || pool.fortune || pool.misfortune || pool.skill.is_some()
}

/// The dice of both sides.
struct Sides<'a> {
    pool: &'a DicePool,
    other: &'a Opponent,
    /// The opponent, if they are at the table.
    against: Option<CharacterId>,
}

/// Both sides at once.
fn both(state: &mut State, turn: &mut Turn, what: &What, sides: Sides) -> Result<Reply, Refusal> {
    let Sides { pool, other, against } = sides;
    let own = Plan { denied: denies(state, against), ..plan(turn, what)? };
    let opposite = match own.side {
        Side::Hero => Side::Foe,
        Side::Foe => Side::Hero,
    };
    let side = match against {
        None if !other.whose.foe && !other.whose.hero => opposite,
        against => side_of(turn, against.unwrap_or(turn.actor), &other.whose)?,
    };
    let check = ready(state, turn.actor, pool, own)?;
    let mode = if other.passive { Mode::Passive } else { Mode::Roll };
    let opponent = opposing(state, (against, turn.actor), &other.dice, side, mode)?;
    let (check, opponent) = (check.throw(turn)?, opponent.throw(turn)?);
    use_up(state, turn.actor);
    against.into_iter().for_each(|who| use_up(state, who));
    let mut record = entered(state, turn, check);
    record.against = against;
    answered(state, &mut record, opponent);
    Ok(check::answer(state, turn, &record))
}

/// True if a Surge of this character keeps Advantage out of what is done against them.
pub(crate) fn denies(state: &State, who: Option<CharacterId>) -> bool {
    who.is_some_and(|who| state.held(who).surges_for(Benefit::Deny))
}

/// The other side before its dice are rolled: who it is, if at the table, and against whom. Ranks waiting from an edit
/// count only for a named character.
fn opposing(
    state: &State,
    (who, against): (Option<CharacterId>, CharacterId),
    pool: &DicePool,
    side: Side,
    mode: Mode,
) -> Result<Ready, Refusal> {
    let plan = Plan { purpose: Purpose::Skill, side, mode, luck: 0, denied: denies(state, Some(against)) };
    match who {
        Some(who) => ready(state, who, pool, plan),
        None => ready(&State::default(), CharacterId(0), pool, plan),
    }
}

/// The opponent's total becomes the difficulty; its dice and its own 20 or 1 earn stones for its side.
fn answered(state: &mut State, record: &mut Record, opponent: Check) {
    let earned = state.earn(opponent.stones());
    record.earned =
        Stones { triumph: record.earned.triumph + earned.triumph, tragedy: record.earned.tragedy + earned.tragedy };
    record.check.dc = Some(opponent.total());
    record.opponent = Some(opponent);
}

/// Rolls one side now; the other rolls when it answers.
pub(crate) fn challenge(
    state: &mut State,
    turn: &mut Turn,
    against: CharacterId,
    plan: Plan,
    pool: &DicePool,
) -> Result<Reply, Refusal> {
    let name = turn.name(against).to_owned();
    if against == turn.actor {
        return Err(Refusal::new("you cannot oppose yourself").about(name).example("check 7 +4 vs 15"));
    }
    let plan = Plan { denied: denies(state, Some(against)), ..plan };
    let check = ready(state, turn.actor, pool, plan)?.throw(turn)?;
    use_up(state, turn.actor);
    let mut record = entered(state, turn, check);
    record.against = Some(against);
    let reply = check::answer(state, turn, &record);
    Ok(reply.ask_of(name, "resist", "with your skill and ranks: resist 4 +2"))
}

pub(crate) fn resist(state: &mut State, turn: &mut Turn, mode: Mode, pool: &DicePool) -> Result<Reply, Refusal> {
    let nobody = || Refusal::new("nobody opposes you").example("check 7 +4 vs 15");
    let mut target: Target<Record> = turn.target().map_err(|_| nobody())?;
    let against = target.record.against.ok_or_else(nobody)?;
    if target.record.opponent.is_some() || target.record.check.dc.is_some() {
        return Err(Refusal::new(format!("#{} is already answered", target.entry)).example("check 7 +4 vs 15"));
    }
    if against != turn.actor && !turn.by_referee() {
        let what = format!("#{} is for {} to answer, or for a referee", target.entry, turn.name(against));
        return Err(Refusal::new(what).example("check 7 +4 vs 15"));
    }
    if pool.is_empty() {
        let what = "with which skill? Type it with its ranks, 0 if you have none";
        return Err(Refusal::new(what).example("resist 4 +2"));
    }
    let opponent = opposing(state, (Some(against), target.actor), pool, own_side(turn, against), mode)?.throw(turn)?;
    use_up(state, against);
    state.of(against).answered = Some(target.entry);
    turn.close_offers(Some(against), &["boost", "degree", "stunt"]);
    answered(state, &mut target.record, opponent);
    let reply = check::amend(state, turn, &target, "")?;
    Ok(answer_offers(reply, state, turn, against, &target))
}

/// Offers a beaten answerer what turns the result around: a boost of the answer.
fn answer_offers(mut reply: Reply, state: &State, turn: &Turn, against: CharacterId, target: &Target<Record>) -> Reply {
    let check = &target.record.check;
    let die = i64::from(die_size(turn));
    let turned = |bonus: i64| !Check { dc: check.dc.map(|dc| dc + bonus), ..check.clone() }.succeeds();
    if !check.succeeds() || !(1..=die).any(turned) || target.record.turn != state.turns {
        return reply;
    }
    let held = state.held(against).held;
    if let Some((command, label)) = show::boost(|kind| held.of(kind)) {
        let command = format!("{command} #{}", target.entry);
        reply = match against == turn.actor {
            true => reply.offer(command, label),
            false => reply.offer_to(turn.name(against), command, label),
        };
    }
    reply
}
