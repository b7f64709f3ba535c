//! The records of a moved table other than its journal. Each is checked against the journal. What no journal can prove,
//! such as an unpublished seed, is checked against the rest of the file. Unknown records are refused.

use super::led::Led;
use crate::Document;
use crate::documents::{ChoicesDoc, GameDoc, Head, OpenOffer, RollDoc, TableDoc, to_json};
use crate::export::{ExportError, Header, PLUGINS};
use crate::keys::{self, TableId};
use crate::store::Batch;
use crate::{Audit, FURTHEST_AHEAD, Touched};
use chat::CharacterId;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::{BTreeMap, BTreeSet};

/// The most characters a table may have had: far more than any has, but few enough to count on.
const MOST_CHARACTERS: u32 = 1 << 30;

/// The records of a file, by their keys below the table's prefix.
pub(super) type Records = BTreeMap<String, Box<RawValue>>;

/// A file's records, and what they must agree with.
pub(super) struct Checked<'a> {
    pub table: &'a TableId,
    pub header: &'a Header,
    pub led: &'a Led,
    pub audit: &'a Audit,
    pub records: &'a Records,
}

impl Checked<'_> {
    /// The writes of all records, if nothing in them contradicts the journal.
    ///
    /// # Errors
    /// The first record that does.
    pub fn batch(&self) -> Result<Batch, ExportError> {
        let head: Head = self.must("head")?;
        let mut batch = Batch::default();
        for key in self.records.keys() {
            let value = self.check(key, &head)?.ok_or_else(|| contradicts(key))?;
            batch.put(format!("{}{key}", keys::all_of(self.table)), value);
        }
        self.is_all_there(&head)?;
        // Published seeds and secret entries come from the journal itself.
        for (epoch, by) in &self.led.published {
            batch.put(keys::published(self.table, *epoch), to_json(by));
        }
        for (number, epoch) in self.led.secrets() {
            batch.put(keys::secret(self.table, number), to_json(&epoch));
        }
        Ok(batch)
    }

    /// A record as this program writes it; `None` if it contradicts the journal.
    fn check(&self, key: &str, head: &Head) -> Result<Option<Vec<u8>>, ExportError> {
        let place = |kind: &str| key.strip_prefix(kind)?.strip_prefix('/');
        if let Some(epoch) = place("seed") {
            return self.one(key, |seed: &String| {
                let epoch = epoch.parse().ok().filter(|number: &u32| number.to_string() == epoch);
                epoch.and_then(|epoch| self.header.seeds.get(&epoch)) == Some(seed)
            });
        }
        if let Some(epoch) = place("published") {
            return self.one(key, |by: &u64| {
                self.led.published.iter().any(|(each, known)| format!("{each:010}") == epoch && known == by)
            });
        }
        if let Some(secret) = place("secret") {
            return self.one(key, |epoch: &u32| {
                let known = number(secret).and_then(|number| self.led.entries.get(&number));
                known.is_some_and(|known| known.is_secret() && known.epoch == *epoch)
            });
        }
        if let Some(game) = place("game") {
            return self.one(key, |doc: &GameDoc| {
                let led: Option<GameDoc> = self.led_to("games", game);
                self.knows(&doc.touched)
                    && led.is_some_and(|led| (led.version, &led.state) == (doc.version, &doc.state))
            });
        }
        self.check_other(key, head)
    }

    fn check_other(&self, key: &str, head: &Head) -> Result<Option<Vec<u8>>, ExportError> {
        let place = |kind: &str| key.strip_prefix(kind)?.strip_prefix('/');
        if let Some(roll) = place("roll") {
            return self.one(key, |doc: &RollDoc| self.is_roll(roll, doc));
        }
        if let Some(latest) = place("latest") {
            return self.one(key, |by: &u64| self.is_latest(latest, *by));
        }
        if place("offers").is_some() {
            return self.one(key, |doc: &ChoicesDoc| {
                // Choices that `!waiting` numbered were shown by no entry.
                (doc.shown == 0 || self.led.has(doc.shown))
                    && doc.choices.iter().all(|choice| self.led.has(choice.entry))
            });
        }
        match key {
            "head" => self.one(key, |_: &Head| self.is_head(head)),
            "doc" => self.one(key, |doc: &TableDoc| self.is_doc(doc)),
            "erased" => self.one(key, |up_to: &u64| *up_to <= self.audit.last),
            PLUGINS => self.one(key, |ids: &BTreeSet<String>| {
                ids.iter().all(|id| !id.chars().any(|c| c.is_whitespace() || c.is_control()))
            }),
            _ => Err(ExportError::Damaged(format!("it holds {key:?}, which this version does not know"))),
        }
    }

    fn one<T: DeserializeOwned + Serialize>(
        &self,
        key: &str,
        holds: impl Fn(&T) -> bool,
    ) -> Result<Option<Vec<u8>>, ExportError> {
        let value: T = self.must(key)?;
        Ok(holds(&value).then(|| to_json(&value)))
    }

    fn must<T: DeserializeOwned>(&self, key: &str) -> Result<T, ExportError> {
        let record = self.records.get(key).ok_or_else(|| contradicts(key))?;
        serde_json::from_str(record.get())
            .map_err(|error| ExportError::Damaged(format!("{key} cannot be read: {error}")))
    }

    /// Checks that nothing is missing: a seed for each epoch, and every record that the journal implies.
    fn is_all_there(&self, head: &Head) -> Result<(), ExportError> {
        let has = |key: &str| self.records.contains_key(key);
        let seeds = self.header.seeds.keys().map(|epoch| format!("seed/{epoch}"));
        let games = self.below("games").map(|(game, _)| format!("game/{}", keys::part(game)));
        let open = head.open.iter().copied();
        let led = self.below("rolls").filter(|(_, led)| led.as_object().is_some_and(|led| !led.is_empty()));
        let rolls = led.filter_map(|(number, _)| number.parse().ok()).chain(open);
        let rolls = rolls.map(|number: u64| format!("roll/{number:010}"));
        let doc = self.audit.document.get("table").map(|_| "doc".to_owned());
        let mut needed = seeds.chain(games).chain(rolls).chain(doc);
        needed.find(|key| !has(key)).map_or(Ok(()), |key| Err(contradicts(&key)))
    }

    fn below(&self, kind: &str) -> impl Iterator<Item = (&String, &Value)> {
        self.audit.document.get(kind).and_then(Value::as_object).into_iter().flatten()
    }

    /// The value that the journal led to, for the named part of a key.
    fn led_to<T: DeserializeOwned>(&self, kind: &str, named: &str) -> Option<T> {
        let (_, led) = self.below(kind).find(|(name, _)| keys::part(name) == named)?;
        serde_json::from_value(led.clone()).ok()
    }

    fn is_head(&self, head: &Head) -> bool {
        let Audit { last, head: hash, .. } = self.audit;
        let epochs = self.header.seeds.len();
        let reserved = *last..=last.saturating_add(FURTHEST_AHEAD);
        head.number == *last
            && head.hash == *hash
            && reserved.contains(&head.reserved)
            // As many seeds as epochs, and the last is this epoch's: so none is missing and there is no other.
            && usize::try_from(head.epoch) == Ok(epochs)
            && self.header.seeds.keys().next_back() == Some(&head.epoch)
            && head.epoch >= self.led.epoch
            && head.committed == (head.epoch == self.led.epoch)
            && head.next_character <= MOST_CHARACTERS
            && head.withheld == self.led.withheld
            && self.led.leads_to(head)
    }

    fn is_doc(&self, doc: &TableDoc) -> bool {
        let led: Option<TableDoc> =
            self.audit.document.get("table").and_then(|led| serde_json::from_value(led.clone()).ok());
        let newest = doc.characters.keys().next_back().map_or(0, |id| id.0);
        let next = self.must::<Head>("head").map_or(0, |head| head.next_character);
        let same = TableDoc { touched: Touched::default(), ..doc.clone() } == led.unwrap_or_default();
        same && newest < next && self.knows(&doc.touched)
    }

    fn is_roll(&self, named: &str, doc: &RollDoc) -> bool {
        let Some(number) = number(named) else { return false };
        let Some(entry) = self.led.entries.get(&number) else { return false };
        let led = self.audit.document.pointer(&Document::Roll(number).path());
        let record = led.and_then(|led| led.get("record"));
        let open: Vec<OpenOffer> = led
            .and_then(|led| led.get("open"))
            .and_then(|open| serde_json::from_value(open.clone()).ok())
            .unwrap_or_default();
        let before = |previous: u64| previous < number && self.is_of(previous, doc.character, &doc.game);
        doc.record.as_ref() == record
            && doc.open == open
            && doc.character == entry.character
            && doc.game == entry.game
            && doc.secret == entry.is_secret()
            && doc.previous.is_none_or(before)
            && doc.called.iter().all(|who| who.0 <= MOST_CHARACTERS)
            && self.led.has(doc.by)
    }

    fn is_latest(&self, named: &str, number: u64) -> bool {
        let Some((character, game)) = named.split_once('/') else { return false };
        let of = self.led.entries.get(&number).map(|entry| (entry.character.0.to_string(), keys::part(&entry.game)));
        of.is_some_and(|of| of == (character.to_owned(), game.into()))
    }

    fn is_of(&self, number: u64, character: CharacterId, game: &str) -> bool {
        self.led.entries.get(&number).is_some_and(|entry| entry.character == character && entry.game == game)
    }

    /// True if it names no entry after the last one.
    fn knows(&self, touched: &Touched) -> bool {
        touched.newest() <= self.audit.last
    }
}

/// The entry number in a key.
fn number(named: &str) -> Option<u64> {
    named.parse().ok().filter(|number: &u64| format!("{number:010}") == named)
}

fn contradicts(key: &str) -> ExportError {
    ExportError::Damaged(format!("{key} is not what the journal led to"))
}
