//! Commands of games that change what somebody else's character has. They are played where everybody reads them, and
//! whoever plays that character can take them back if they are about nothing else.

use crate::attempt::Attempt;
use host::rights::Act;
use host::touched::{is_own, sheets};
use journal::Changes;
use plugin_api::CharacterId;

/// Somebody else's character that a command in secret has changed. The referees read what is secret, so their characters
/// and those without a player are not meant. Games refuse this themselves, before a die falls (`Turn::touches`).
pub(super) fn in_secret(attempt: &Attempt<'_>, changes: &Changes) -> Option<CharacterId> {
    if !attempt.is_secret() || attempt.rights.could(&attempt.doc, Act::Know) {
        return None;
    }
    let read_by_another = |who: &CharacterId| {
        let owner = attempt.doc.characters.get(who).and_then(|each| each.owner.as_ref());
        owner.is_some_and(|owner| !attempt.doc.referees.contains_key(owner))
            && !is_own(&attempt.rights, &attempt.doc, *who)
    };
    sheets(changes.made.iter()).into_iter().find(|who| *who != attempt.actor && read_by_another(who))
}
