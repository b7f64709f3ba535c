//! Recomputes a journal link by link, from what is published of it: numbers, chain, digests, commitments, dice.
//!
//! It needs no store and no secret. Whatever is erased or secret is skipped; whatever is there must be what was sealed.
//! An entry is bound by the rules it was written under, and none may name older rules than the entry before it.

pub(super) mod form;
mod past;

use crate::entry::{
    Entry, FURTHEST_AHEAD, Link, Part, Parts, WITH_WITHHELD, WITHOUT_WITHHELD, bound, chain, first_hash, unhex,
};
use dice::fair::{FairDice, Ones, commitment};
use dice::{Dice, Die};
use jiff::Timestamp;
use past::Past;
use std::collections::{BTreeMap, BTreeSet};

/// Since when every version writes entries under the rules from 2 on: a journal that begins later and names no rules left
/// them out to be bound by fewer.
const SINCE: Timestamp = Timestamp::constant(1_795_478_400, 0);

/// Checks the links of a journal in order.
#[derive(Debug)]
pub struct Verifier {
    hash: String,
    /// The last number.
    pub last: u64,
    /// The number of entries.
    pub entries: u64,
    /// The number of numbers left out.
    pub skipped: u64,
    /// The number of dice that were rolled again with the same result.
    pub dice: u64,
    /// Entries whose dice cannot be rolled again because the seed of their epoch is unknown.
    pub unproved: u64,
    /// Entries of which only the digests are known.
    pub secret: u64,
    /// Entries that withhold some of their changes.
    pub partly: u64,
    /// Entries whose text is erased.
    pub erased: u64,
    /// Entries written under older, fewer rules.
    pub older: u64,
    /// Entries with missing words that no later entry has erased so far.
    wordless: BTreeSet<u64>,
    /// Entries that withhold something.
    withheld: BTreeSet<u64>,
    epoch: u32,
    rules: u32,
    past: Past,
    /// The value behind the dice of this epoch, if its seed is known.
    bound: Option<[u8; 32]>,
    seeds: BTreeMap<u32, [u8; 32]>,
}

/// An entry is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("entry #{number}: {what}")]
pub struct Wrong {
    /// Its number, or the number expected.
    pub number: u64,
    /// What is wrong.
    pub what: String,
}

impl Verifier {
    /// Starts at the first entry, with the known seeds by epoch.
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

    /// Adds a known seed. Call it before the first entry of its epoch.
    pub fn know(&mut self, epoch: u32, seed: [u8; 32]) {
        self.seeds.insert(epoch, seed);
    }

    /// The epoch of an entry, so that its seed can be added; `None` if it cannot be read.
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
        if self.entries == 0 && entry.rules < WITHOUT_WITHHELD && entry.time >= SINCE {
            return Err("is younger than the rules, and names none".to_owned());
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

    /// Checks that numbers count up by one, except for gaps that a crash can leave. Returns the size of the gap.
    fn check_number(&self, entry: &Entry) -> Result<u64, String> {
        let expected = self.last + 1;
        let skipped = match entry.skipped {
            None => 0,
            Some((from, to)) if from == expected && to >= from => to - from + 1,
            Some((from, _)) => return Err(format!("leaves out numbers from #{from} on")),
        };
        if skipped > FURTHEST_AHEAD {
            return Err(format!("leaves out {skipped} numbers, and a crash leaves out at most {FURTHEST_AHEAD}"));
        }
        match entry.number == expected + skipped {
            true => Ok(skipped),
            false => Err(format!("#{} stands there", entry.number)),
        }
    }

    /// Only secrets may be withheld, and only until they are revealed; only words may be missing.
    fn check_absence(&mut self, entry: &Entry, parts: &Parts) -> Result<(), String> {
        let Parts { text, answer, dice, facts, record, changes, why, withheld, .. } = parts;
        let words = text.is_some() && answer.is_some() && why.is_some() == entry.digests.why.is_some();
        let nothing = [text, answer, dice, facts, record, changes, why].iter().all(|part| part.is_none());
        let withholds = entry.digests.withheld.is_some();
        let named = entry.rules > WITH_WITHHELD || withholds == (entry.rules == WITH_WITHHELD);
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
    /// Words are missing, but no entry erased them.
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
        // An entry that begins no epoch would commit to no seed.
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

/// Each player binds a seed once, with something.
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
        Some((name, ..)) => Err(format!("its part {name} is not what was sealed")),
        None => Ok(()),
    }
}

/// Decodes a seed from hexadecimal.
pub fn seed_of(text: &str) -> Option<[u8; 32]> {
    unhex(text).and_then(|bytes| bytes.try_into().ok())
}
