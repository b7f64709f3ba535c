//! The words that say something at a table.

use super::question;
use super::slips::consonants;
use super::words::{ADVANTAGE, AGAINST, ARTICLES, BECOMES, DONE, FILLERS, GROUPS, LINKS, VERBS};
use crate::surroundings::Surroundings;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// Every word that says something to whoever typed a line. It is dear to build, and the same for all lines of a message.
#[derive(Debug)]
pub struct Vocabulary {
    /// In lower case.
    pub(super) known: BTreeSet<String>,
    /// The consonants of each.
    pub(super) consonants: BTreeMap<String, String>,
    /// Words that were looked for, and what each is a slip of.
    pub(super) corrected: RefCell<BTreeMap<String, Option<String>>>,
}

impl Vocabulary {
    /// The words that say something here.
    pub fn of(here: &dyn Surroundings) -> Self {
        let known = known(here);
        // Others are built only while there is fuel; without any, guesses fail whatever the words.
        here.takes(known.len());
        Vocabulary {
            consonants: known.iter().map(|word| (word.clone(), consonants(word))).collect(),
            known,
            corrected: RefCell::default(),
        }
    }
}

fn known(here: &dyn Surroundings) -> BTreeSet<String> {
    let mut known = BTreeSet::new();
    let mut add = |text: &str| known.extend(text.split(' ').map(str::to_lowercase));
    for game in here.plugins() {
        let manifest = game.manifest();
        for spec in &manifest.commands {
            let own = spec.names();
            own.chain(spec.words()).for_each(&mut add);
        }
        manifest.synonyms.iter().for_each(|(word, _)| add(word));
    }
    here.house().iter().for_each(|spec| add(&spec.name));
    for words in
        [&VERBS[..], &BECOMES, &ARTICLES, &FILLERS, &LINKS, &GROUPS, &question::ASKS, &DONE, &AGAINST, &ADVANTAGE]
    {
        words.iter().for_each(|word| add(word));
    }
    // No slip of the command `forget`.
    add("forgot");
    here.values(here.actor()).into_iter().for_each(add);
    known
}
