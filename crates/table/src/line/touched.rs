//! Commands of games that change what somebody else's character has. They are played where everybody reads them, and
//! whoever plays that character can take them back if they are about nothing else.

use crate::attempt::Attempt;
use crate::rights::{Act, Rights, Takes};
use journal::documents::TableDoc;
use journal::{Change, Changes, HOUSE, Page, Place, leaves};
use plugin_api::CharacterId;
use std::collections::BTreeSet;

/// The characters whose sheets in games these changes are about.
fn sheets<'a>(changes: impl Iterator<Item = &'a Change>) -> BTreeSet<CharacterId> {
    changes.flat_map(leaves).filter_map(|change| Place::sheet(&change.path)).collect()
}

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

/// True if an entry only changed what the speaker's own characters have, without dice, whoever made it.
pub(super) fn is_about_own(page: &Page, doc: &TableDoc, rights: &Rights<'_>) -> bool {
    if page.entry.game == HOUSE || page.entry.follows.is_some() || !page.dice().is_empty() {
        return false;
    }
    let sheets = sheets(page.reversed().iter());
    !sheets.is_empty() && sheets.into_iter().all(|who| is_own(rights, doc, who))
}

fn is_own(rights: &Rights<'_>, doc: &TableDoc, who: CharacterId) -> bool {
    rights.takes(doc, Act::PlayAs(who)) == Takes::Nothing
}
