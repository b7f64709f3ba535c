//! Rooms where people only watch: what changes the table is refused before a die is rolled.

use super::prepared::Prepared;
use crate::attempt::Attempt;
use crate::draft::Draft;
use dice::{Budget, Dice, DiceError};
use host::Host;
use host::room::Answered;
use host::state::GameState;
use host::unplayed::Unplayed;
use plugin_api::{CommandSpec, Left, Played, Refusal, Trait, Wanted};

/// Dice that are not rolled.
struct Lowest;

impl Dice for Lowest {
    fn throw(&mut self, _sides: u32) -> Result<u32, DiceError> {
        Ok(1)
    }
}

/// Refuses a game's command that would do more than look, where people only watch.
pub(super) fn only_looks(
    draft: &Draft,
    host: &Host,
    (play, state): (&Prepared<'_>, &GameState),
    attempt: &Attempt<'_>,
) -> Result<(), Unplayed> {
    if !attempt.room.only_watches() {
        return Ok(());
    }
    let mut none = Lowest;
    let mut dice = Budget::after(&mut none, &[]);
    let played = play.with(&mut dice, Wanted::All);
    let looks = dice.into_thrown().is_empty()
        && match played {
            Some(Ok((Played { held, reply }, Left { cast, .. }))) => {
                let leaves = reply.record.is_some() || !reply.offers.is_empty();
                let brings = !cast.newcomers().is_empty() || !cast.welcomed().is_empty();
                held == state.held && !leaves && !brings
            }
            // It is refused for what is wrong with it, before any die is rolled.
            Some(Err(_)) | None => true,
        };
    if looks { Ok(()) } else { Err(watched(draft, host, attempt)?.into()) }
}

/// Refuses one of the table's own commands that `changes` the table, where people only watch.
pub(super) fn own_only_looks(
    draft: &Draft,
    host: &Host,
    spec: &CommandSpec,
    changes: bool,
    attempt: &Attempt<'_>,
) -> Result<(), Unplayed> {
    if !changes || !attempt.room.only_watches() || spec.is(Trait::Room) {
        return Ok(());
    }
    Err(watched(draft, host, attempt)?.into())
}

/// The refusal, which says where to play.
fn watched(draft: &Draft, host: &Host, attempt: &Attempt<'_>) -> Result<Refusal, Unplayed> {
    let (mut names, here) = (Vec::new(), &attempt.message.room);
    for (room, doc) in draft.ledger(host).rooms_at(&draft.state.id)? {
        if doc.plays_along() && room != *here {
            names.push(host.name_from(&room, here)?);
        }
    }
    let what = match names.is_empty() {
        true => "people only watch in this room, until an admin types room part play".to_owned(),
        false => format!("people only watch in this room: play in {}", names.join(" or ")),
    };
    Ok(Refusal::new(what).example("now"))
}
