//! Spending Destiny dice and Fate stones: paying, rolling, and the uses.

use crate::asking::{die_size, referee_only};
use crate::check;
use crate::record::Record;
use crate::rules::{Kind, Side, half};
use crate::state::{Edit, MOST_STRESS, Paid, State, Thrown};
use crate::words::{Spendable, Use};
use crate::{show, stress};
use plugin_api::{CharacterId, Name, Refusal, Reply, Target, Turn};

/// What a player asked for.
#[derive(Clone, Copy)]
pub(crate) struct Wish {
    /// The currency.
    pub what: Spendable,
    /// The amount, if typed.
    pub count: Option<i64>,
    /// The use; a die may be rolled first.
    pub use_for: Option<Use>,
    /// True if by the power that acts on others' rolls.
    pub control: bool,
}

pub(crate) fn spend(state: &mut State, turn: &mut Turn, wish: Wish) -> Result<Reply, Refusal> {
    match (wish.use_for, wish.what) {
        (None, Spendable::Triumph | Spendable::Tragedy) => throw(state, turn, wish),
        (None, Spendable::Stones) => {
            Err(Refusal::new("say what the stones are for: boost, degree, edit, inspire, recover or stunt")
                .example("spend 3 stones boost"))
        }
        (None, Spendable::Thrown | Spendable::Award) => open(state, turn, wish.what),
        (Some(use_for), _) => put_to_use(state, turn, wish, use_for),
    }
}

/// Rolls held dice, which then wait for a use.
fn throw(state: &mut State, turn: &mut Turn, wish: Wish) -> Result<Reply, Refusal> {
    let actor = turn.actor;
    if let Some(thrown) = state.held(actor).thrown {
        let what = format!("a thrown {} waits for its use already", thrown.value);
        return Err(Refusal::new(what).example("spend thrown edit"));
    }
    let (value, from) = pay(state, turn, wish, None)?;
    state.of(actor).thrown = Some(Thrown { value, from: from.clone() });
    let reply = Reply::new().bold(format!("throws {}: {value}", paid_with(&from)));
    let reply = left_behind(reply, state, turn, &from).fact("value", value);
    Ok(offer_uses(reply, state, turn, "thrown", value))
}

/// Shows the possible uses of a rolled or awarded die.
fn open(state: &State, turn: &Turn, what: Spendable) -> Result<Reply, Refusal> {
    let held = state.held(turn.actor);
    let (value, word) = match what {
        Spendable::Award => {
            let value = held.awards.last().copied().ok_or_else(no_award)?;
            (i64::from(value), "award")
        }
        _ => (held.thrown.ok_or_else(nothing_thrown)?.value, "thrown"),
    };
    Ok(offer_uses(Reply::from(format!("worth {value}")), state, turn, word, value).fact("value", value))
}

fn no_award() -> Refusal {
    Refusal::new("you have no awarded die to use right now").example("spend triumph boost")
}

fn nothing_thrown() -> Refusal {
    Refusal::new("you have no rolled die to use").example("spend triumph boost")
}

/// Offers the uses of a value that are possible now.
fn offer_uses(mut reply: Reply, state: &State, turn: &Turn, word: &str, value: i64) -> Reply {
    let own = turn
        .peek_target::<Record>()
        .filter(|target| own_last(state, turn, target).is_ok() && check::not_answered(state, turn, target).is_ok());
    if let Some(Target { record, .. }) = &own {
        if record.check.succeeds() {
            reply = reply.offer(format!("spend {word} degree"), format!("{:+} degrees", half(value)));
        }
        reply = reply.offer(format!("spend {word} boost"), format!("boost {} by {value}", record.check.total()));
        if may_stunt(record) {
            reply = reply.offer(format!("spend {word} stunt"), "stunt with the attack");
        }
    }
    reply = reply.offer(format!("spend {word} edit"), format!("edit: +{} Advantage or a detail", half(value)));
    reply = reply.offer(format!("spend {word} inspire"), "inspire: a hint");
    if state.held(turn.actor).load() < MOST_STRESS {
        reply = reply.offer(format!("spend {word} recover"), "recover: +1 Stress");
    }
    reply
}

fn may_stunt(record: &Record) -> bool {
    record.check.purpose == crate::rules::Purpose::Attack && record.check.succeeds()
}

/// Refuses a check that the actor cannot spend on as their own last one.
fn own_last(state: &State, turn: &Turn, target: &Target<Record>) -> Result<(), Refusal> {
    let number = target.entry;
    let together = turn.opposes(target.actor) && turn.opposes(turn.actor) && turn.by_referee();
    if target.actor != turn.actor && !together && !is_answer(turn, target) {
        let name = turn.name(target.actor);
        let what = format!("#{number} is a roll of {name}: only luck control lets you spend on it");
        return Err(Refusal::new(what).example(format!("spend triumph boost {name} luck control")));
    }
    in_time(state, turn, target)
}

/// True if the actor answered this check: they may spend on the answer.
fn is_answer(turn: &Turn, target: &Target<Record>) -> bool {
    target.actor != turn.actor && target.record.against == Some(turn.actor) && target.record.opponent.is_some()
}

fn in_time(state: &State, turn: &Turn, target: &Target<Record>) -> Result<(), Refusal> {
    let (number, name) = (target.entry, turn.name(target.actor));
    if !target.latest {
        return Err(Refusal::new(format!("#{number} is not the last check of {name} any more")).example("sheet"));
    }
    if target.record.turn != state.turns {
        return Err(Refusal::new(format!("a turn began since #{number}: it stands")).example("sheet"));
    }
    Ok(())
}

/// The check that a use needs, if the rules allow the use.
fn checked(state: &State, turn: &Turn, wish: Wish, use_for: Use) -> Result<Option<Target<Record>>, Refusal> {
    let needs = use_for.needs_check();
    // The stone of a critical outside an encounter belongs to its check.
    let loose = wish.what == Spendable::Stones && state.fate.is_none();
    if !needs && !loose {
        return Ok(None);
    }
    let Some(target) = turn.peek_target::<Record>() else {
        return Err(match state.held(turn.actor).answered {
            Some(number) => Refusal::new(format!("your last check is the answer to #{number}: name it"))
                .example(format!("spend triumph boost #{number}")),
            None => Refusal::new(format!("{} has made no check to spend on", turn.name(turn.actor)))
                .example("check 7 +4 vs 15"),
        });
    };
    // The referee uses the Tragedy stone of a hero's critical failure.
    let referees = loose && target.record.loose == Some(Kind::Tragedy) && turn.by_referee();
    match wish.control || referees {
        true => in_time(state, turn, &target)?,
        false => {
            own_last(state, turn, &target)?;
            check::not_answered(state, turn, &target)?;
        }
    }
    match use_for {
        Use::Degree | Use::Stunt if is_answer(turn, &target) => {
            let (number, name) = (target.entry, turn.name(target.actor));
            let what = format!("#{number} is a check of {name} that you answered: a boost is what you can buy");
            Err(Refusal::new(what).example(format!("spend triumph boost #{number}")))
        }
        Use::Degree if !target.record.check.succeeds() => {
            let what = "degrees are bought only on a successful check";
            Err(Refusal::new(what).about("degree").example("spend triumph boost"))
        }
        Use::Stunt if !may_stunt(&target.record) => {
            let what = "a stunt goes with a successful attack";
            Err(Refusal::new(what).about("stunt").example("check 7 +4 vs 15 attack"))
        }
        _ => Ok(Some(target)),
    }
}

fn put_to_use(state: &mut State, turn: &mut Turn, wish: Wish, use_for: Use) -> Result<Reply, Refusal> {
    let actor = turn.actor;
    match wish.what {
        Spendable::Thrown if state.held(actor).thrown.is_none() => return Err(nothing_thrown()),
        Spendable::Award if state.held(actor).awards.is_empty() => return Err(no_award()),
        _ => {}
    }
    let target = checked(state, turn, wish, use_for)?;
    if use_for == Use::Recover {
        let own_dice = wish.what.kind().map_or(0, |kind| state.held(actor).held.of(kind).min(wish.count.unwrap_or(1)));
        stress::bears_more(state, turn, actor, own_dice)?;
    }
    let (value, paid) = pay(state, turn, wish, target.as_ref().map(|target| &target.record))?;
    match wish.what {
        Spendable::Stones => close_dear(state, turn, value),
        Spendable::Thrown => turn.close_offers(Some(actor), &["thrown"]),
        Spendable::Award if state.held(actor).awards.is_empty() => turn.close_offers(Some(actor), &["award"]),
        _ => {}
    }
    let control = if wish.control { "luck control, " } else { "" };
    let with = format!("{control}{} with {}", word_of(use_for), paid_with(&paid));
    let reply = match use_for.needs_check() {
        true => on_check(state, turn, wish, (use_for, value, &paid), &with)?,
        false => without_check(state, turn, (use_for, value, &paid), &with)?,
    };
    Ok(left_behind(reply, state, turn, &paid).fact("value", value))
}

/// A use that changes a check; only now does the command become a follow-up on it.
fn on_check(
    state: &State,
    turn: &mut Turn,
    wish: Wish,
    (use_for, value, paid): (Use, i64, &Paid),
    with: &str,
) -> Result<Reply, Refusal> {
    let mut target = turn.target::<Record>()?;
    let answer = is_answer(turn, &target) && !wish.control;
    let record = &mut target.record;
    let changed = match &mut record.opponent {
        Some(opponent) if answer => opponent,
        _ => &mut record.check,
    };
    let before = changed.total();
    let note = match use_for {
        Use::Boost => {
            changed.bonus += value;
            format!("{with}: {before} {value:+} -> ")
        }
        Use::Degree => {
            changed.degrees += half(value);
            format!("{with}: {value} is {:+} degrees -> ", half(value))
        }
        _ => format!("{with}: a stunt worth {value} | "),
    };
    if let Some(opponent) = &record.opponent {
        record.check.dc = Some(opponent.total());
    }
    if *paid == Paid::LooseStone {
        (record.loose, record.loose_used) = (None, true);
    }
    check::amend(state, turn, &target, &note)
}

/// A use that needs no check.
fn without_check(
    state: &mut State,
    turn: &mut Turn,
    (use_for, value, paid): (Use, i64, &Paid),
    with: &str,
) -> Result<Reply, Refusal> {
    let actor = turn.actor;
    if *paid == Paid::LooseStone {
        let target = turn.target::<Record>()?;
        turn.amend(&Record { loose: None, loose_used: true, ..target.record });
    }
    let ranks = half(value);
    Ok(match use_for {
        Use::Edit => {
            let holdings = state.of(actor);
            holdings.ranks += ranks;
            remember(&mut holdings.edits, Edit { ranks, paid: paid.clone() });
            Reply::from(format!("{with}: {value} is +{ranks} Advantage on the next check")).fact("ranks", ranks)
        }
        Use::Detail => {
            remember(&mut state.of(actor).edits, Edit { ranks: 0, paid: paid.clone() });
            Reply::from(format!("{with}: a detail worth {ranks} changes")).fact("ranks", ranks)
        }
        Use::Recover => show::behind(&format!("{with}: "), stress::recover_now(state, turn, actor)?),
        _ => Reply::from(format!("{with}: a hint worth {value}, from the referee")),
    })
}

/// Adds what is left of the currency to the answer.
fn left_behind(reply: Reply, state: &State, turn: &Turn, paid: &Paid) -> Reply {
    let left = match paid {
        Paid::LooseStone => return reply,
        Paid::Stones(..) => return show::fate_behind(reply, state),
        Paid::GmDice(_) => format!("GM {} Tragedy", state.gm.tragedy),
        Paid::Dice(..) | Paid::Award(_) => show::counted(state.held(turn.actor).held),
    };
    reply.text(format!(". Held: {left}")).fact("held", show::held(state, turn))
}

/// The most edits of one character that a veto can take back.
const MOST_EDITS: usize = 20;

fn remember(edits: &mut Vec<Edit>, edit: Edit) {
    if edits.len() >= MOST_EDITS {
        edits.remove(0);
    }
    edits.push(edit);
}

/// Closes offers that need more stones than there are of any kind after this spend.
fn close_dear(state: &State, turn: &mut Turn, spent: i64) {
    let most = state.fate.as_ref().map_or(0, |fate| fate.stones.triumph.max(fate.stones.tragedy));
    let dear: Vec<String> = (most + 1..=most + spent).map(|count| count.to_string()).collect();
    turn.close_offers(None, &dear.iter().map(String::as_str).collect::<Vec<_>>());
}

fn word_of(use_for: Use) -> &'static str {
    match use_for {
        Use::Degree => "degrees",
        Use::Edit | Use::Detail => "edit",
        Use::Boost => "boost",
        Use::Inspire => "inspiration",
        Use::Recover => "recovery",
        Use::Stunt => "stunt",
    }
}

/// `a Triumph`, `2 Tragedy dice`, `3 Triumph stones`.
fn paid_with(paid: &Paid) -> String {
    match paid {
        Paid::Dice(kind, 1) => format!("a {}", kind.name()),
        Paid::Dice(kind, count) => format!("{count} {} dice", kind.name()),
        Paid::GmDice(1) => "the referee's Tragedy".to_owned(),
        Paid::GmDice(count) => format!("{count} of the referee's Tragedy dice"),
        Paid::Stones(kind, 1, _) => format!("a {} stone", kind.name()),
        Paid::Stones(kind, count, _) => format!("{count} {} stones", kind.name()),
        Paid::LooseStone => "the critical's stone".to_owned(),
        Paid::Award(value) => format!("the award of {value}"),
    }
}

/// Takes the payment, and returns its value.
fn pay(state: &mut State, turn: &mut Turn, wish: Wish, check: Option<&Record>) -> Result<(i64, Paid), Refusal> {
    let actor = turn.actor;
    let count = wish.count.unwrap_or(1);
    if count > 1 && matches!(wish.what, Spendable::Thrown | Spendable::Award) {
        return Err(Refusal::new("one at a time is used").about(format!("x{count}")).example("spend thrown boost"));
    }
    match wish.what {
        Spendable::Triumph | Spendable::Tragedy => {
            let kind = wish.what.kind().expect("it is a kind of dice");
            let paid = pay_dice(state, turn, kind, count)?;
            let size = die_size(turn);
            let dice = turn.throw_dice((0..count).map(|_| size))?;
            Ok((dice.iter().map(|die| i64::from(die.value)).sum(), paid))
        }
        Spendable::Stones => {
            // On a check the stones are those of the check's side, otherwise of the actor's.
            let needs = wish.use_for.is_some_and(Use::needs_check);
            let side = check.filter(|record| needs && record.against != Some(actor)).map(|record| record.check.side);
            let kind = side.unwrap_or_else(|| check::own_side(turn, actor)).kind();
            let loose = check.and_then(|record| record.loose);
            if kind == Kind::Tragedy || loose == Some(Kind::Tragedy) {
                referee_only(turn, "use Tragedy stones")?;
            }
            match (&mut state.fate, loose) {
                (Some(fate), _) => {
                    fate.spend(kind, count)?;
                    Ok((count, Paid::Stones(kind, count, state.encounters)))
                }
                (None, Some(_)) if count == 1 => Ok((1, Paid::LooseStone)),
                (None, _) => {
                    let what = "no encounter is on, so there are no Fate stones";
                    Err(Refusal::new(what).about("stones").example("spend triumph boost"))
                }
            }
        }
        Spendable::Thrown => {
            let thrown = state.of(actor).thrown.take().ok_or_else(nothing_thrown)?;
            Ok((thrown.value, thrown.from))
        }
        Spendable::Award => {
            let value = state.of(actor).awards.pop().ok_or_else(no_award)?;
            Ok((i64::from(value), Paid::Award(value)))
        }
    }
}

/// The most dice spent at once.
const MOST_DICE: i64 = 20;

/// Takes held dice: a hero's spent Tragedy goes to the referee, all others are gone.
fn pay_dice(state: &mut State, turn: &Turn, kind: Kind, count: i64) -> Result<Paid, Refusal> {
    let actor = turn.actor;
    let none = |who: &str, held: i64| {
        let what = format!("{who} holds {held} {} dice", kind.name());
        Refusal::new(what).about(kind.word()).example("destiny")
    };
    if count > MOST_DICE {
        let what = format!("{count} dice are too many: I take at most {MOST_DICE}");
        return Err(Refusal::new(what).about(format!("x{count}")).example("spend triumph x2 boost"));
    }
    let opposes = check::own_side(turn, actor) == Side::Foe;
    if opposes && kind == Kind::Tragedy && state.held(actor).held.tragedy < count {
        if state.gm.tragedy < count {
            return Err(none("the referee", state.gm.tragedy));
        }
        state.gm.tragedy -= count;
        return Ok(Paid::GmDice(count));
    }
    let held = state.held(actor).held.of(kind);
    if held < count {
        return Err(none(turn.name(actor), held));
    }
    *state.of(actor).held.of_mut(kind) -= count;
    if kind == Kind::Tragedy && !opposes {
        state.gm.tragedy += count;
    }
    Ok(Paid::Dice(kind, count))
}

pub(crate) fn veto(state: &mut State, turn: &mut Turn, who: Option<Name>) -> Result<Reply, Refusal> {
    let editors: Vec<_> =
        state.characters.iter().filter(|(_, held)| !held.edits.is_empty()).map(|(id, _)| *id).collect();
    let who = match (who, editors.as_slice()) {
        (Some(name), _) => turn.character(&name.0)?,
        (None, [only]) => *only,
        (None, []) => return Err(Refusal::new("there is no edit to veto").example("sheet Ann")),
        (None, several) => {
            let names: Vec<_> = several.iter().map(|id| turn.name(*id)).collect();
            let what = format!("whose edit: {}?", names.join(" or "));
            return Err(Refusal::new(what).example(format!("veto {}", names[0])));
        }
    };
    let Some(Edit { ranks, paid }) = state.of(who).edits.pop() else {
        let what = format!("no edit of {} waits for a veto", turn.name(who));
        return Err(Refusal::new(what).example("sheet Ann"));
    };
    let holdings = state.of(who);
    holdings.ranks = (holdings.ranks - ranks).max(0);
    let back = give_back(state, turn, who, paid)?;
    let reply = Reply::from(format!("{}'s edit is vetoed: {back}", turn.name(who)));
    Ok(show::fate_fact(reply, state).fact("held", show::held(state, turn)))
}

/// Gives back what a vetoed edit was paid with. Returns it in words.
fn give_back(state: &mut State, turn: &Turn, who: CharacterId, paid: Paid) -> Result<String, Refusal> {
    let back = paid_with(&paid);
    match paid {
        Paid::Dice(kind, count) => {
            if kind == Kind::Tragedy && !turn.opposes(who) {
                if state.gm.tragedy < count {
                    let what = "the referee has used that Tragedy since, so it cannot be given back";
                    return Err(Refusal::new(what).example("destiny"));
                }
                state.gm.tragedy -= count;
            }
            *state.of(who).held.of_mut(kind) += count;
        }
        Paid::GmDice(count) => state.gm.tragedy += count,
        Paid::Award(value) => state.of(who).awards.push(value),
        Paid::Stones(kind, count, encounter) => match &mut state.fate {
            Some(fate) if encounter == state.encounters => *fate.stones.of_mut(kind) += count,
            _ => return Ok("its encounter is over, so nothing is given back".to_owned()),
        },
        Paid::LooseStone => return Ok("its stone is gone, so nothing is given back".to_owned()),
    }
    Ok(format!("back to {} goes {back}", turn.name(who)))
}
