//! The last entry of each player and each character, from which their histories lead back. Each has its own record, so
//! a command costs the same however many people have ever played. An older version kept them all in the head, which it
//! wrote with each command. Such a head can still be read.

use crate::documents::{Head, from_json, to_json};
use crate::keys::{self, Last, TableId};
use crate::store::{Batch, Store, StoreError, scan_all};
use chat::{CharacterId, PlayerId};

impl Head {
    /// A player's last entry at `table`, whose head this is. `read` reads the record under a key.
    ///
    /// # Errors
    /// Those of `read`.
    pub fn last_of_player<E>(
        &self,
        table: &TableId,
        player: &PlayerId,
        read: impl FnOnce(&str) -> Result<Option<u64>, E>,
    ) -> Result<Option<u64>, E> {
        match self.players.get(player) {
            Some(number) => Ok(Some(*number)),
            None => read(&keys::last_of_player(table, player)),
        }
    }

    /// A character's last entry, like [`last_of_player`](Self::last_of_player).
    ///
    /// # Errors
    /// Those of `read`.
    pub fn last_of_character<E>(
        &self,
        table: &TableId,
        character: CharacterId,
        read: impl FnOnce(&str) -> Result<Option<u64>, E>,
    ) -> Result<Option<u64>, E> {
        match self.characters.get(&character) {
            Some(number) => Ok(Some(*number)),
            None => read(&keys::last_of_character(table, character)),
        }
    }

    /// True if it holds last entries, as an older version stored them.
    pub fn holds_last_entries(&self) -> bool {
        !self.players.is_empty() || !self.characters.is_empty()
    }

    /// Moves its last entries into records of their own. Write the head in the same batch.
    pub fn move_last_entries(&mut self, table: &TableId, batch: &mut Batch) {
        for (player, number) in std::mem::take(&mut self.players) {
            batch.put(keys::last_of_player(table, &player), number.to_string());
        }
        for (character, number) in std::mem::take(&mut self.characters) {
            batch.put(keys::last_of_character(table, character), number.to_string());
        }
    }

    /// Puts a last entry back in, as an older version stored it.
    ///
    /// # Errors
    /// The record under `key` is not a number.
    pub(crate) fn take_last_entry(&mut self, last: Last, key: &str, value: &[u8]) -> Result<(), StoreError> {
        let number = from_json(key, value)?;
        match last {
            Last::OfPlayer(player) => drop(self.players.insert(player, number)),
            Last::OfCharacter(character) => drop(self.characters.insert(character, number)),
        }
        Ok(())
    }
}

/// A table's head with all last entries in it, as every version can read it; `None` if the table has no head.
///
/// # Errors
/// The store cannot be read.
pub(crate) fn whole_head(store: &dyn Store, table: &TableId) -> Result<Option<Vec<u8>>, StoreError> {
    let key = keys::head(table);
    let Some(head) = store.read(&key)? else { return Ok(None) };
    let mut head: Head = from_json(&key, &head)?;
    for prefix in keys::last_entries(table) {
        for record in scan_all(store, &prefix) {
            let (key, value) = record?;
            let last = Last::of_key(table, &key).ok_or_else(|| StoreError::damaged(&key, "it names nobody"))?;
            head.take_last_entry(last, &key, &value)?;
        }
    }
    Ok(Some(to_json(&head)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Memory;
    use chat::RoomId;

    #[test]
    fn what_is_moved_out_of_a_head_is_found_and_taken_in_again() {
        let table = TableId::of(&RoomId::new("n", "a/b%"));
        let odd = PlayerId::new("n", "@a:b/c%2F");
        let mut old = Head { number: 9, ..Head::default() };
        old.players = [(PlayerId::new("n", "ann"), 9), (odd.clone(), 4)].into();
        old.characters = [(CharacterId(1), 9), (CharacterId(12), 3)].into();
        let nowhere = |_: &str| -> Result<Option<u64>, StoreError> { Ok(None) };
        assert_eq!(old.last_of_player(&table, &odd, nowhere), Ok(Some(4)));

        let (mut head, store, mut batch) = (old.clone(), Memory::default(), Batch::default());
        head.move_last_entries(&table, &mut batch);
        assert!(!head.holds_last_entries() && old.holds_last_entries());
        assert!(!String::from_utf8(to_json(&head)).unwrap().contains("players"));
        batch.put(keys::head(&table), to_json(&head));
        store.commit(&batch).unwrap();
        let read = |key: &str| store.read(key)?.map(|value| from_json(key, &value)).transpose();
        assert_eq!(head.last_of_player(&table, &odd, read), Ok(Some(4)));
        assert_eq!(head.last_of_character(&table, CharacterId(12), read), Ok(Some(3)));
        assert_eq!(head.last_of_character(&table, CharacterId(2), read), Ok(None));
        assert_eq!(whole_head(&store, &table).unwrap().unwrap(), to_json(&old));
    }
}
