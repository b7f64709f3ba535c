//! Recomputing a journal link by link, from what is published of it: numbers, chain, digests, commitments, dice.
//!
//! It needs no store and no secret. What is erased or secret is passed over; what is there must be what was sealed. An
//! entry is bound by the rules it was written under, and none may name older ones than the entry before it.

pub(super) mod form;
mod past;

use crate::entry::{
    Entry, FURTHEST_AHEAD, Link, OF_A_GROUP, Part, Parts, WITH_WITHHELD, WITHOUT_WITHHELD, bound, chain, first_hash,
    unhex,
};
use dice::fair::{FairDice, Ones, commitment};
use dice::{Dice, Die};
use past::Past;
use std::collections::{BTreeMap, BTreeSet};

/// Checks the links of a journal in their order.
#[derive(Debug)]
pub struct Verifier {
    hash: String,
    /// The last number.
    pub last: u64,
    /// How many entries.
    pub entries: u64,
    /// How many numbers were left out.
    pub skipped: u64,
    /// How many dice were thrown again and fell the same.
    pub dice: u64,
    /// Entries whose dice cannot be thrown again, since their epoch's seed is not known.
    pub unproved: u64,
    /// Entries of which nothing but digests is known.
    pub secret: u64,
    /// Entries of whose changes some are withheld.
    pub partly: u64,
    /// Entries whose text is erased.
    pub erased: u64,
    /// Entries of an older version, which fewer rules bind.
    pub older: u64,
    /// Entries without words that no later entry has erased so far.
    wordless: BTreeSet<u64>,
    /// Entries of which something is withheld.
    withheld: BTreeSet<u64>,
    epoch: u32,
    rules: u32,
    past: Past,
    /// What the dice of this epoch are made of, if its seed is known.
    bound: Option<[u8; 32]>,
    seeds: BTreeMap<u32, [u8; 32]>,
}

/// An entry is not what it should be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("entry #{number}: {what}")]
pub struct Wrong {
    /// Its number, or the number expected.
    pub number: u64,
    /// What is wrong.
    pub what: String,
}

impl Verifier {
    /// From the first entry on, with the seeds that are known, by epoch.
    pub fn new(seeds: BTreeMap<u32, [u8; 32]>) -> Self {
        Verifier {
            hash: first_hash(),
            last: 0,
            entries: 0,
            skipped: 0,
            dice: 0,
            unproved: 0,
            secret: 0,
            partly: 0,
            erased: 0,
            older: 0,
            wordless: BTreeSet::new(),
            withheld: BTreeSet::new(),
            epoch: 0,
            rules: 0,
            past: Past::default(),
            bound: None,
            seeds,
        }
    }

    /// The chain's hash so far.
    pub fn head(&self) -> &str {
        &self.hash
    }

    /// Makes another seed known, before the first entry of its epoch.
    pub fn know(&mut self, epoch: u32, seed: [u8; 32]) {
        self.seeds.insert(epoch, seed);
    }

    /// The epoch of an entry, so that its seed can be made known; nothing if it cannot be read.
    pub fn epoch_of(link: &Link) -> Option<u32> {
        serde_json::from_str::<Entry>(link.entry.get()).ok().map(|entry| entry.epoch)
    }

    /// Checks the next link.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(&mut self, link: &Link) -> Result<Entry, Wrong> {
        let number = self.last + 1;
        self.try_check(link).map_err(|what| Wrong { number, what })
    }

    fn try_check(&mut self, link: &Link) -> Result<Entry, String> {
        let entry = form::entry(link.entry.get())?;
        let skipped = self.check_number(&entry)?;
        self.hash = chain(&self.hash, link.entry.get());
        if self.hash != link.hash {
            return Err("the chain is broken: this entry or the order is not what it was".to_owned());
        }
        if entry.rules < self.rules.min(WITHOUT_WITHHELD) {
            return Err(format!("goes back to the rules {}", entry.rules));
        }
        self.rules = entry.rules;
        self.check_epoch(&entry)?;
        check_parts(&entry, &link.parts)?;
        let dice = read_dice(&link.parts)?;
        match entry.rules {
            ..=1 => self.older += 1,
            _ => self.past.check(&entry, dice.as_deref())?,
        }
        self.check_dice(&entry, dice.as_deref().unwrap_or_default())?;
        if let Some(epoch) = entry.publishes.iter().find(|epoch| !self.seeds.contains_key(epoch)) {
            return Err(format!("publishes the seed of epoch {epoch}, which is not there"));
        }
        self.check_absence(&entry, &link.parts)?;
        self.past.note(&entry, dice);
        self.entries += 1;
        self.skipped += skipped;
        self.last = entry.number;
        Ok(entry)
    }

    /// Numbers count up by one, but for what a crash can leave out; how many it left out.
    fn check_number(&self, entry: &Entry) -> Result<u64, String> {
        let expected = self.last + 1;
        let skipped = match entry.skipped {
            None => 0,
            Some((from, to)) if from == expected && to >= from => to - from + 1,
            Some((from, _)) => return Err(format!("leaves out numbers from #{from} on")),
        };
        if skipped > FURTHEST_AHEAD {
            return Err(format!("leaves out {skipped} numbers, and a crash leaves out {FURTHEST_AHEAD} at the most"));
        }
        match entry.number == expected + skipped {
            true => Ok(skipped),
            false => Err(format!("#{} stands there", entry.number)),
        }
    }

    /// Only what is secret may be withheld, and only until it is revealed; only words may be missing.
    fn check_absence(&mut self, entry: &Entry, parts: &Parts) -> Result<(), String> {
        let Parts { text, answer, dice, facts, record, changes, why, withheld, .. } = parts;
        let words = text.is_some() && answer.is_some() && why.is_some() == entry.digests.why.is_some();
        let nothing = [text, answer, dice, facts, record, changes, why].iter().all(|part| part.is_none());
        let withholds = entry.digests.withheld.is_some();
        let named = entry.rules == OF_A_GROUP || withholds == (entry.rules == WITH_WITHHELD);
        if !named || (withholds && entry.secret) {
            return Err("names rules that are not those of an entry that withholds as much".to_owned());
        }
        if withholds && withheld.is_none() {
            self.partly += 1;
            self.withheld.insert(entry.number);
        }
        if nothing && entry.secret {
            self.secret += 1;
            self.withheld.insert(entry.number);
        } else if [dice, facts, record, changes].iter().any(|part| part.is_none()) {
            return Err("parts of it are missing".to_owned());
        } else if !words {
            self.erased += 1;
            self.wordless.insert(entry.number);
        }
        for number in &entry.erases {
            self.wordless.remove(number);
        }
        match entry.reveals.iter().find(|revealed| self.withheld.contains(revealed)) {
            Some(revealed) => Err(format!("reveals #{revealed}, and what it shows of that is not there")),
            None => Ok(()),
        }
    }

    /// Ends the journal.
    ///
    /// # Errors
    /// Words are missing that nothing says were erased.
    pub fn finish(&self) -> Result<(), Wrong> {
        match self.wordless.first() {
            Some(number) => Err(Wrong {
                number: *number,
                what: "its text is missing, and no entry says that it was erased".to_owned(),
            }),
            None => Ok(()),
        }
    }

    /// An epoch's first entry commits to its seed, and epochs come in order.
    fn check_epoch(&mut self, entry: &Entry) -> Result<(), String> {
        if entry.epoch == self.epoch && entry.epoch > 0 {
            return match entry.commitment.is_some() || !entry.words.is_empty() {
                false => Ok(()),
                true => Err("commits to a seed, or binds it, in the middle of an epoch".to_owned()),
            };
        }
        // What begins no epoch would commit to no seed.
        if entry.epoch < self.epoch || entry.epoch == 0 {
            return Err(format!("goes back to epoch {}", entry.epoch));
        }
        self.epoch = entry.epoch;
        let promised = entry.commitment.as_ref().ok_or("begins an epoch and commits to no seed")?;
        check_words(entry)?;
        self.bound = self.seeds.get(&entry.epoch).map(|seed| bound(seed, &entry.words));
        match self.seeds.get(&entry.epoch) {
            Some(seed) if commitment(seed) != *promised => {
                Err(format!("the seed of epoch {} is not the one that was committed to", entry.epoch))
            }
            _ => Ok(()),
        }
    }

    fn check_dice(&mut self, entry: &Entry, dice: &[Die]) -> Result<(), String> {
        if dice.is_empty() {
            return Ok(());
        }
        let Some(seed) = &self.bound else {
            self.unproved += 1;
            return Ok(());
        };
        let ones = if entry.rules < 2 { Ones::TakeAWord } else { Ones::TakeNoWord };
        let mut fair = FairDice::with(ones, seed, &entry.key);
        if let Some(die) = dice.iter().find(|die| fair.throw(die.sides) != Ok(die.value)) {
            return Err(format!("{die} is not what its seed and message give"));
        }
        self.dice += dice.len() as u64;
        Ok(())
    }
}

/// Everybody binds a seed once, with something.
fn check_words(entry: &Entry) -> Result<(), String> {
    let players: BTreeSet<_> = entry.words.iter().map(|added| &added.player).collect();
    let allowed = entry.words.is_empty() || entry.rules > 1;
    match allowed && players.len() == entry.words.len() && entry.words.iter().all(|added| !added.words.is_empty()) {
        true => Ok(()),
        false => Err("binds its seed with words that cannot be".to_owned()),
    }
}

/// The dice of an entry, if they may be known.
fn read_dice(parts: &Parts) -> Result<Option<Vec<Die>>, String> {
    let Some(dice) = &parts.dice else { return Ok(None) };
    let dice: Vec<Die> = form::read(dice.value.get())?;
    match dice.iter().find(|die| !(1..=die.sides).contains(&die.value)) {
        Some(die) => Err(format!("{die} is no die")),
        None => Ok(Some(dice)),
    }
}

fn check_parts(entry: &Entry, parts: &Parts) -> Result<(), String> {
    let digests = &entry.digests;
    let pairs: [(&str, &Option<Part>, Option<&String>); 8] = [
        ("text", &parts.text, Some(&digests.text)),
        ("answer", &parts.answer, Some(&digests.answer)),
        ("dice", &parts.dice, Some(&digests.dice)),
        ("facts", &parts.facts, Some(&digests.facts)),
        ("record", &parts.record, Some(&digests.record)),
        ("changes", &parts.changes, Some(&digests.changes)),
        ("explanation", &parts.why, digests.why.as_ref()),
        ("withheld part", &parts.withheld, digests.withheld.as_ref()),
    ];
    let differs = |part: &Option<Part>, digest: Option<&String>| {
        part.as_ref().is_some_and(|part| part.digest().as_ref() != digest)
    };
    match pairs.into_iter().find(|(_, part, digest)| differs(part, *digest)) {
        Some((name, ..)) => Err(format!("its {name} is not what was sealed")),
        None => Ok(()),
    }
}

/// A seed of its hexadecimal form.
pub fn seed_of(text: &str) -> Option<[u8; 32]> {
    unhex(text).and_then(|bytes| bytes.try_into().ok())
}
