//! Plays the table's own commands, and throws the dice by which one changes a value.

use super::nothing::comes_to_nothing;
use super::play::play_own;
use crate::attempt::Attempt;
use crate::by_dice::{ByDice, Fallen};
use crate::draft::Draft;
use dice::Budget;
use host::Host;
use host::budget::A_DIE;
use host::done::Done;
use host::effects::Effects;
use host::notation::dice_of_no_table;
use host::unplayed::Unplayed;
use journal::HOUSE;
use plugin_api::{CommandSpec, Refusal};

/// Plays one of the table's own commands.
pub(super) fn play_of_the_table<'a>(
    draft: &Draft,
    host: &Host,
    spec: &'a CommandSpec,
    attempt: &mut Attempt<'_>,
) -> Result<Done<'a>, Unplayed> {
    match attempt.by_dice.take() {
        Some(by_dice) => play_by_dice(draft, host, spec, &by_dice, attempt),
        None => play_own(draft, host, spec, attempt),
    }
}

/// Plays one of the table's own commands that changes a value by dice. If it is refused when they have fallen, they stay in the
/// journal, so that nobody throws them until they like them.
fn play_by_dice<'a>(
    draft: &Draft,
    host: &Host,
    spec: &'a CommandSpec,
    by_dice: &ByDice,
    attempt: &mut Attempt<'_>,
) -> Result<Done<'a>, Unplayed> {
    let (doc, room, head) = (attempt.doc.clone(), attempt.room.clone(), attempt.head.clone());
    let as_it_was = |attempt: &mut Attempt<'_>| {
        (attempt.doc, attempt.room, attempt.head) = (doc.clone(), room.clone(), head.clone());
        attempt.effects = Effects::default();
    };
    // What is refused whatever the dice come to is refused before they fall.
    play_own(draft, host, spec, attempt)?;
    as_it_was(attempt);
    let fell = draft.fell_before(attempt.key.ordinal).len();
    let played = throw_for_a_value(draft, host, by_dice, attempt).map_err(Into::into).and_then(|fallen| {
        let done = play_own(draft, host, spec, attempt)?;
        let reply = done.reply.text(" | ").die(fallen.shown).fact("total", fallen.total);
        Ok(Done { reply, ..done })
    });
    match played {
        Err(Unplayed::Refused(refusal)) if attempt.thrown.len() > fell => {
            as_it_was(attempt);
            Ok(comes_to_nothing(draft, HOUSE, spec, &refusal.what, attempt))
        }
        played => played,
    }
}

/// Throws the dice, and puts what they came to into the line. What is only tried out throws dice of no table.
fn throw_for_a_value(
    draft: &Draft,
    host: &Host,
    by_dice: &ByDice,
    attempt: &mut Attempt<'_>,
) -> Result<Fallen, Refusal> {
    if attempt.rehearsed {
        return by_dice.thrown(&mut dice_of_no_table(&attempt.typed));
    }
    let mut source = host.dice.dice(&draft.dice_seed(), &attempt.key);
    let mut budget = Budget::after(&mut source, draft.fell_before(attempt.key.ordinal));
    let fallen = by_dice.thrown(&mut budget);
    attempt.strayed = budget.strayed();
    attempt.thrown = budget.into_thrown();
    draft.fuel.takes(attempt.thrown.len() * A_DIE);
    let fallen = fallen?;
    let typed = attempt.sheet().called(&fallen.line);
    attempt.typed = typed.ok_or_else(|| Refusal::new(format!("{} is more than a value can be", fallen.total)))?;
    Ok(fallen)
}
