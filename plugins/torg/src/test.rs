//! Tests, and additions to them.

use crate::harm;
use crate::rules::{self, Added, Chain, Favored, Harm, Test};
use crate::words::{Circumstance, Decide, Mishap, PlayedCards, Wounds};
use crate::{How, State, show};
use plugin_api::{CharacterId, Number, Refusal, Reply, Target, Turn};

/// The largest modifier of one test.
const MOST_MODS: i64 = 100;

/// A follow-up on a test.
pub(crate) enum More {
    /// Spend a Possibility.
    Possibility {
        /// True if its die counts at least 10.
        minimum: bool,
    },
    /// Reroll the first die.
    Reroll,
    /// An Up condition.
    Up,
    /// A Hero card.
    Hero {
        /// True if its die counts at least 10.
        minimum: bool,
    },
    /// A Drama card.
    Drama {
        /// True if its die counts at least 10.
        minimum: bool,
    },
    /// Cards that add 3 each.
    Cards(i64),
    /// Its difficulties.
    Dn(Vec<i64>),
}

/// Rolls a d20 and any dice it adds.
pub(crate) fn chain(turn: &mut Turn, unskilled: bool) -> Result<Chain, Refusal> {
    let mut chain = Vec::new();
    loop {
        let value = turn.throw_die(20)?.value;
        chain.push(value);
        if !rules::explodes(value, unskilled) {
            return Ok(chain);
        }
    }
}

pub(crate) fn test(state: &mut State, turn: &mut Turn, value: i64, dns: Vec<i64>, how: &How) -> Result<Reply, Refusal> {
    if let Some(name) = turn.hides().filter(|_| dns.len() > 1) {
        return Err(Refusal::new(format!("against {name} test one target at a time")));
    }
    let test = throw(state, turn, value, dns, how, Harm::NONE)?;
    Ok(answer(state, turn, &test))
}

/// The answer to a new test.
pub(crate) fn answer(state: &State, turn: &Turn, test: &Test) -> Reply {
    turn.answer(show::ending(test), |reply| show::test(reply, state, turn, turn.actor, test).record(test))
}

/// Rolls a test with everything that was typed. The wounds of harm that is only about to be done do not count.
pub(crate) fn throw(
    state: &mut State,
    turn: &mut Turn,
    value: i64,
    dns: Vec<i64>,
    how: &How,
    about_to_be_done: Harm,
) -> Result<Test, Refusal> {
    let mods = modifiers(how)?;
    if how.possibility {
        payable(state, turn, turn.actor)?;
    }
    let multi = how.multi.map_or(0, |Number(multi)| multi);
    let favored = match (how.favored, multi) {
        (None, _) => Favored::No,
        (Some(_), 0) => Favored::Open,
        (Some(_), _) => Favored::Barred,
    };
    let mut test = Test {
        value,
        mods,
        cards: how.cards.map_or(0, |PlayedCards(cards)| cards),
        unskilled: how.unskilled,
        mishap: how.mishap.iter().map(|Mishap(upper)| *upper).max().unwrap_or(1),
        multi,
        wounds: match how.wounds {
            Some(Wounds(typed)) => typed,
            None => state.held(turn.actor).harm.without(about_to_be_done).wounds,
        },
        first: chain(turn, how.unskilled)?,
        reroll: None,
        favored,
        up: None,
        possibility: None,
        hero: None,
        drama: None,
        dns,
        soak: None,
    };
    if test.is_lost() {
        return Ok(test);
    }
    let more = how.up || how.possibility || how.hero.is_some() || how.drama.is_some();
    let by_itself = how.favored == Some(Decide::Auto) || more;
    if test.favored == Favored::Open && by_itself {
        if !test.is_mishap() && test.wants_reroll() {
            test.reroll = Some(chain(turn, test.unskilled)?);
        }
        test.favored = Favored::Closed;
    }
    let minimum = !how.nomin;
    for (wanted, more) in [
        (how.up, More::Up),
        (how.possibility, More::Possibility { minimum }),
        (how.hero.is_some(), More::Hero { minimum }),
        (how.drama.is_some(), More::Drama { minimum }),
    ] {
        if wanted {
            let actor = turn.actor;
            add(state, turn, actor, &mut test, &more)?;
        }
    }
    Ok(test)
}

/// The sum of the modifiers typed, without cards, extra actions and wounds.
fn modifiers(how: &How) -> Result<i64, Refusal> {
    for Circumstance(change) in &how.circumstances {
        if how.mods.iter().any(|typed| i64::from(*typed) == *change) {
            let what = format!("that circumstance is {change:+} already: leave the number out, or add both up");
            return Err(Refusal::new(what).about_meant(format!("{change:+}"), ""));
        }
    }
    let circumstances: i64 = how.circumstances.iter().map(|Circumstance(change)| change).sum();
    let together = how.combined.map_or(0, |Number(characters)| rules::combined(characters));
    let mods = how.mods.iter().map(|change| i64::from(*change)).sum::<i64>() + circumstances + together;
    if mods.abs() > MOST_MODS {
        return Err(Refusal::new(format!("modifiers of {mods:+} are too many: {MOST_MODS} up or down is the most")));
    }
    Ok(mods)
}

/// Adds to an earlier test, or judges it.
pub(crate) fn follow(state: &mut State, turn: &mut Turn, more: More) -> Result<Reply, Refusal> {
    let target: Target<Test> = turn.target()?;
    let mut test = target.record.clone();
    let number = target.entry;
    match more {
        More::Dn(_) if test.soak.is_some() => {
            return Err(Refusal::new(format!("#{number} is a soak, judged against 10")).example("test 12 dn 14"));
        }
        More::Dn(dns) => {
            if !test.dns.is_empty() && !turn.by_referee() {
                let against = turn.hides().map_or(test.dns[0].to_string(), str::to_owned);
                let what = format!("#{number} is already judged against {against}; only the referee may change that");
                return Err(Refusal::new(what).example("test 12 dn 14"));
            }
            test.dns = dns;
        }
        more => add(state, turn, target.actor, &mut test, &more)?,
    }
    harm::soaked(state, target.actor, Some(&target.record), &test);
    turn.amend(&test);
    Ok(turn.answer(show::ending(&test), |mut reply| {
        reply = reply.text(turn.whose(&target, "test"));
        turn.offered_to(target.actor, show::test(reply, state, turn, target.actor, &test))
    }))
}

/// Adds a die or cards to a test, and takes their cost.
fn add(state: &mut State, turn: &mut Turn, actor: CharacterId, test: &mut Test, more: &More) -> Result<(), Refusal> {
    if test.is_lost() {
        let what = match more {
            More::Reroll => "a Mishap cannot be rerolled: a natural 1 fails",
            _ => "a natural 1 cannot be changed: it fails whatever is added",
        };
        return Err(Refusal::new(what).example("test 12 dn 14"));
    }
    let again =
        |what: &str| Refusal::new(format!("one {what} per test, and this test has one")).example("test 12 dn 14");
    match more {
        More::Reroll => {
            may_reroll(test)?;
            test.reroll = Some(chain(turn, test.unskilled)?);
        }
        More::Possibility { .. } if test.soak.is_some() => {
            let what = "a soak costs one Possibility, and this one is paid";
            return Err(Refusal::new(what).example("test 12 dn 14"));
        }
        More::Possibility { .. } if test.possibility.is_some() => return Err(again("Possibility")),
        More::Possibility { minimum } => {
            pay(state, turn, actor)?;
            test.possibility = Some(Added { chain: chain(turn, test.unskilled)?, minimum: *minimum });
        }
        More::Up if test.up.is_some() => return Err(again("Up die")),
        More::Up => test.up = Some(Added { chain: chain(turn, test.unskilled)?, minimum: false }),
        More::Hero { .. } if test.hero.is_some() => return Err(again("Hero card")),
        More::Hero { minimum } => {
            test.hero = Some(Added { chain: chain(turn, test.unskilled)?, minimum: *minimum });
        }
        More::Drama { .. } if test.drama.is_some() => return Err(again("Drama card")),
        More::Drama { minimum } => {
            test.drama = Some(Added { chain: chain(turn, test.unskilled)?, minimum: *minimum });
        }
        More::Cards(count) if test.cards + count > MOST_CARDS => {
            return Err(Refusal::new(format!("{MOST_CARDS} cards on one test are the most")).example("card"));
        }
        More::Cards(count) => test.cards += count,
        More::Dn(_) => {}
    }
    if test.favored == Favored::Open {
        test.favored = Favored::Closed;
    }
    Ok(())
}

/// The most cards in one test.
const MOST_CARDS: i64 = 20;

/// Refuses a reroll that the rules do not allow.
fn may_reroll(test: &Test) -> Result<(), Refusal> {
    let what = match test.favored {
        _ if test.reroll.is_some() => "it was already rerolled, and the new die counts",
        Favored::Barred => "a Multi-Action has no favored reroll",
        Favored::No => "that test is not favored",
        _ if test.is_mishap() => "a Mishap cannot be rerolled",
        _ if test.first.len() > 1 => "the die has already exploded, which cannot be rerolled",
        Favored::Closed => "something was already added, so the first die counts",
        Favored::Open => return Ok(()),
    };
    Err(Refusal::new(what).example("test 12 dn 14 favored"))
}

/// Refuses somebody who has no Possibility to spend.
pub(crate) fn payable(state: &State, turn: &Turn, actor: CharacterId) -> Result<(), Refusal> {
    let name = turn.name(actor);
    if state.held(actor).disconnected {
        let what = format!("{name} is disconnected, which bars Possibilities");
        return Err(Refusal::new(what).example("disconnect off"));
    }
    if state.possibilities(turn, actor) < 1 {
        return Err(Refusal::new(format!("{name} has no Possibilities left")).example("possibilities"));
    }
    Ok(())
}

/// Takes a Possibility; if it was the last, offers that need one are closed.
pub(crate) fn pay(state: &mut State, turn: &mut Turn, actor: CharacterId) -> Result<(), Refusal> {
    payable(state, turn, actor)?;
    state.of(actor).spent += 1;
    if state.possibilities(turn, actor) == 0 {
        turn.close_offers(Some(actor), &["possibility", "soak"]);
    }
    Ok(())
}
