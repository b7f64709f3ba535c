//! Builds the words that say something at a table.

use super::question;
use super::slips::consonants;
use super::words::{ADVANTAGE, AGAINST, ARTICLES, BECOMES, DONE, FILLERS, GROUPS, LINKS, VERBS};
use crate::attempt::Attempt;
use crate::host::Host;
use crate::sheet::Sheet;
use crate::vocabulary::Vocabulary;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

/// The words for this attempt.
pub(super) fn vocabulary(host: &Host, attempt: &Attempt<'_>) -> Rc<Vocabulary> {
    let is_same = |known: &Rc<Vocabulary>| {
        let (room, table, actor) = &known.of;
        Arc::ptr_eq(room, &attempt.room) && Arc::ptr_eq(table, &attempt.doc) && *actor == attempt.actor
    };
    if let Some(same) = attempt.fuel.vocabulary.borrow().as_ref().filter(|known| is_same(known)) {
        return same.clone();
    }
    let known = known(host, attempt);
    // Others are built only while there is fuel; without any, guesses fail whatever the words.
    attempt.fuel.takes(known.len());
    let built = Rc::new(Vocabulary {
        of: (attempt.room.clone(), attempt.doc.clone(), attempt.actor),
        consonants: known.iter().map(|word| (word.clone(), consonants(word))).collect(),
        known,
        corrected: RefCell::default(),
    });
    attempt.fuel.vocabulary.replace(Some(built.clone()));
    built
}

/// Every word that says something here, in lower case.
fn known(host: &Host, attempt: &Attempt<'_>) -> BTreeSet<String> {
    let mut known = BTreeSet::new();
    let mut add = |text: &str| known.extend(text.split(' ').map(str::to_lowercase));
    for game in host.plugins.enabled(&attempt.room) {
        let manifest = game.manifest();
        for spec in &manifest.commands {
            let own = std::iter::once(&spec.name).chain(&spec.aliases).map(String::as_str);
            own.chain(spec.words()).for_each(&mut add);
        }
        manifest.synonyms.iter().for_each(|(word, _)| add(word));
    }
    host.plugins.house().iter().for_each(|spec| add(&spec.name));
    for words in
        [&VERBS[..], &BECOMES, &ARTICLES, &FILLERS, &LINKS, &GROUPS, &question::ASKS, &DONE, &AGAINST, &ADVANTAGE]
    {
        words.iter().for_each(|word| add(word));
    }
    // No slip of the command `forget`.
    add("forgot");
    Sheet { doc: &attempt.doc, character: attempt.actor }.names().for_each(add);
    known
}
