//! Commands whose dice were rolled but had no effect. Their dice still go into the journal; otherwise players could
//! keep trying until they like the dice.

use super::{changed, note};
use crate::attempt::Attempt;
use crate::draft::Draft;
use chat::{Message, Reply};
use dice::Die;
use host::Host;
use host::done::Done;
use host::outcome::{Outcome, OutcomeKind};
use host::words::CommandLine;
use journal::store::StoreError;
use journal::{Changes, Document, Page};
use plugin_api::CommandSpec;

/// Dice shown in the answer; the journal has all of them.
const SHOWN: usize = 20;

/// The result of a command refused for the reason `why` after its dice were rolled.
pub(crate) fn comes_to_nothing<'a>(
    draft: &Draft,
    game: &'a str,
    spec: &'a CommandSpec,
    why: &str,
    attempt: &mut Attempt<'_>,
) -> Done<'a> {
    let mut changes = Changes::default();
    changed(&Document::Table, &draft.state.doc, &attempt.doc, &attempt.doc, &mut changes);
    let number = draft.state.next_number();
    note(&mut attempt.doc, &draft.state.doc.doc, |doc| doc.touched.note(&Document::Table, changes.all(), number));
    let nothing = Some(why.to_owned());
    Done { game, changes, nothing, ..Done::looked(spec, reply(why, &attempt.thrown)) }
}

/// Writes down that a command of `line` comes to nothing, whose dice fell on another draft: `page` is its entry there.
///
/// # Errors
/// The store cannot be read.
pub(crate) fn comes_to_nothing_after(
    draft: &mut Draft,
    host: &Host,
    message: &Message,
    line: &CommandLine,
    page: &Page,
    why: &str,
) -> Result<Outcome, StoreError> {
    let ordinal = page.entry.key.ordinal;
    let mut attempt = draft.attempt(host, message, ordinal, line);
    // Who came into being there is not here.
    if attempt.doc.characters.contains_key(&page.entry.character) {
        attempt.actor = page.entry.character;
    }
    attempt.narrow(page.seen());
    attempt.thrown = page.dice();
    let spec = CommandSpec { name: page.entry.command.clone(), ..CommandSpec::default() };
    let done = comes_to_nothing(draft, &page.entry.game, &spec, why, &mut attempt);
    let mut outcome = Outcome::silent(&message.speaker.name, attempt.doc.name_of(attempt.actor));
    outcome.kind = OutcomeKind::Played;
    outcome.nothing.clone_from(&done.nothing);
    draft.enter(host, attempt, done, ordinal, &mut outcome)?;
    Ok(outcome)
}

fn reply(why: &str, thrown: &[Die]) -> Reply {
    let reply = Reply::new().bold("no effect").text(format!(": {why} |"));
    let reply = thrown.iter().take(SHOWN).fold(reply, |reply, die| reply.text(" ").die(die.to_string()));
    match thrown.len().saturating_sub(SHOWN) {
        0 => reply,
        more => reply.text(format!(" and {more} more")),
    }
}
