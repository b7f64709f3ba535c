//! Entries read ahead of a walk backwards through a journal, several at once.

use crate::keys::{self, TableId};
use crate::page::Page;
use crate::store::StoreError;
use std::collections::BTreeMap;

/// The fewest and the most entries read at once. A walk begins with few and doubles, because most end soon.
const FEWEST: u64 = 16;
const MOST: u64 = 64;

/// Entries read already.
#[derive(Default)]
pub struct Ahead {
    read: BTreeMap<u64, Option<Vec<u8>>>,
    many: u64,
}

impl Ahead {
    /// Entry `number` of a table, if there is one; those below it are likely to be asked for next.
    ///
    /// # Errors
    /// The entry is damaged, or `read` cannot read it.
    pub fn page(
        &mut self,
        table: &TableId,
        number: u64,
        read: impl Fn(&[String]) -> Result<Vec<Option<Vec<u8>>>, StoreError>,
    ) -> Result<Option<Page>, StoreError> {
        if !self.read.contains_key(&number) {
            self.many = (self.many * 2).clamp(FEWEST, MOST);
            let numbers = number.saturating_sub(self.many - 1).max(1)..=number;
            let keys: Vec<String> = numbers.clone().map(|number| keys::entry(table, number)).collect();
            // If one of those below is damaged, the walk may never come to it.
            let records = read(&keys).map(|records| numbers.zip(records).collect());
            self.read = match records {
                Ok(records) => records,
                Err(_) => read(&[keys::entry(table, number)])?.into_iter().map(|record| (number, record)).collect(),
            };
        }
        let record = self.read.remove(&number).flatten();
        record.map(|record| Page::of_stored(&keys::entry(table, number), &record)).transpose()
    }
}
