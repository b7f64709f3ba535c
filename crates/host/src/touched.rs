//! Whose sheets in games an entry changed.

use crate::rights::{Act, Rights, Takes};
use journal::documents::TableDoc;
use journal::{Change, HOUSE, Page, Place, leaves};
use plugin_api::CharacterId;
use std::collections::BTreeSet;

/// The characters whose sheets in games these changes are about.
pub fn sheets<'a>(changes: impl Iterator<Item = &'a Change>) -> BTreeSet<CharacterId> {
    changes.flat_map(leaves).filter_map(|change| Place::sheet(&change.path)).collect()
}

/// True if an entry only changed what the speaker's own characters have, without dice, whoever made it.
pub fn is_about_own(page: &Page, doc: &TableDoc, rights: &Rights<'_>) -> bool {
    if page.entry.game == HOUSE || page.entry.follows.is_some() || !page.dice().is_empty() {
        return false;
    }
    let sheets = sheets(page.reversed().iter());
    !sheets.is_empty() && sheets.into_iter().all(|who| is_own(rights, doc, who))
}

/// True if the speaker plays the character.
pub fn is_own(rights: &Rights<'_>, doc: &TableDoc, who: CharacterId) -> bool {
    rights.takes(doc, Act::PlayAs(who)) == Takes::Nothing
}
