//! `!drop #12`: what a roll still offers, and nobody wants any more.

use chat::Reply;
use journal::documents::{OpenOffer, RollDoc};
use plugin_api::{Refusal, Role};
use table::own::{Act, HouseTurn, Unplayed, opened};

pub(super) fn drop(turn: &mut HouseTurn, number: Option<u64>) -> Result<Reply, Unplayed> {
    let Some(number) = number.or(turn.replied) else {
        return Err(Refusal::new("which roll's choices? waiting lists them").example("drop #12").into());
    };
    let number = turn.ledger.current(number)?;
    let page = turn.ledger.must_have(number)?;
    let about = |what: String| Refusal::new(what).about(format!("#{number}")).example("waiting");
    let roll = turn.ledger.roll(number)?.filter(|roll| !roll.open.is_empty());
    let Some(roll) = roll.filter(|roll| !roll.secret || turn.looking().may_see(&page)) else {
        return Err(about(format!("#{number} leaves nothing to choose")).into());
    };
    if roll.secret {
        return Err(about(format!("#{number} is secret: take a choice of it, or undo it")).into());
    }
    // Whoever rolled may withdraw what they ask of others; everyone may do without what is theirs to choose.
    let own = turn.may(Act::AnswerFor(roll.character));
    let mine = |turn: &HouseTurn, open: &OpenOffer| own || turn.may(Act::AnswerFor(open.character));
    let left: Vec<OpenOffer> = match turn.rights.role() >= Role::Referee {
        true => Vec::new(),
        false => roll.open.iter().filter(|open| !mine(turn, open)).cloned().collect(),
    };
    if left.len() == roll.open.len() {
        let name = turn.table.name_of(roll.open[0].character);
        return Err(about(format!("that is for {name} to choose: they or the referee may drop it")).into());
    }
    let dropped: Vec<String> =
        roll.open.iter().filter(|open| !left.contains(open)).map(|open| open.command.clone()).collect();
    turn.effects.made = Some(opened(number, &roll.open, &left));
    let since = roll.since.filter(|_| !left.is_empty());
    turn.effects.rolls.insert(number, RollDoc { open: left, since, by: turn.number, ..roll });
    Ok(format!("Nobody waits for {} on #{number} any more.", dropped.join(" or ")).into())
}
