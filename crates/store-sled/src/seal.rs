//! The record under a key: a value, or a note that the value is split into parts. Each kind is sealed with its own
//! mark.

use journal::store::StoreError;
use journal::store::seal::{self, VALUE};

/// The mark of a note.
const PARTS: u8 = 1;

/// A value too large for one record: the number of its parts, and the checksum of all of them together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InParts {
    pub count: u32,
    pub sum: u32,
}

/// The content of a stored record.
#[derive(Debug, PartialEq, Eq)]
pub enum Sealed {
    Value(Vec<u8>),
    InParts(InParts),
}

impl InParts {
    /// The note for the value `whole`, split into `count` parts.
    pub fn of(whole: &[u8], count: usize) -> Self {
        InParts { count: u32::try_from(count).expect("no value has billions of parts"), sum: crc32fast::hash(whole) }
    }

    /// The stored form of the note.
    pub fn seal(self, key: &str) -> Vec<u8> {
        seal::seal(key, PARTS, &[self.count.to_le_bytes(), self.sum.to_le_bytes()].concat())
    }

    fn read(value: &[u8]) -> Option<Self> {
        let (count, sum) = value.split_at_checked(4)?;
        Some(InParts {
            count: u32::from_le_bytes(count.try_into().ok()?),
            sum: u32::from_le_bytes(sum.try_into().ok()?),
        })
    }
}

/// The stored form of the value.
pub fn seal(key: &str, value: &[u8]) -> Vec<u8> {
    seal::seal(key, VALUE, value)
}

/// The content of a stored record, if it was written under this key.
pub fn open(key: &str, sealed: &[u8]) -> Result<Sealed, StoreError> {
    seal::open(key, VALUE, sealed).map(|value| Sealed::Value(value.to_vec())).or_else(|damaged| {
        let parts = seal::open(key, PARTS, sealed).ok().and_then(InParts::read);
        parts.map(Sealed::InParts).ok_or(damaged)
    })
}

/// The value of a record that is never split.
pub fn open_value(key: &str, sealed: &[u8]) -> Result<Vec<u8>, StoreError> {
    seal::open(key, VALUE, sealed).map(<[u8]>::to_vec)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_bit_anywhere_is_seen_and_so_is_another_records_value() {
        let in_parts = InParts::of(b"large", 2);
        let notes = [
            (seal("key", b"value"), Sealed::Value(b"value".to_vec())),
            (in_parts.seal("key"), Sealed::InParts(in_parts)),
        ];
        for (sealed, held) in notes {
            assert_eq!(open("key", &sealed).unwrap(), held);
            for bit in 0..sealed.len() * 8 {
                let mut changed = sealed.clone();
                changed[bit / 8] ^= 1 << (bit % 8);
                assert!(open("key", &changed).unwrap_err().to_string().contains("\"key\""));
            }
            assert!(open("other", &sealed).is_err());
            assert!(open("key", &sealed[..3]).is_err());
        }
    }

    #[test]
    fn a_note_is_stored_for_ever_as_it_was() {
        let stored = InParts { count: 2, sum: 0x1234_5678 }.seal("key");
        assert_eq!(stored[..4], crc32fast::hash(b"key\x01\x02\0\0\0\x78\x56\x34\x12").to_le_bytes());
        assert_eq!(stored[4..], [2, 0, 0, 0, 0x78, 0x56, 0x34, 0x12]);
        assert!(open_value("key", &stored).is_err());
    }
}
