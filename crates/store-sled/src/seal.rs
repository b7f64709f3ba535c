//! The checksum that every stored record carries: CRC-32 (IEEE) of key, a mark and value, little-endian, in front of the
//! value. The mark, which is not stored, is 0 for a value, and 1 for the note that the value stands in parts.

use journal::store::StoreError;

const LENGTH: usize = 4;
const VALUE: u8 = 0;
const PARTS: u8 = 1;

/// A value that is too large for one record: how many it has, and the checksum of all of them together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InParts {
    pub count: u32,
    pub sum: u32,
}

/// What a stored record holds.
#[derive(Debug, PartialEq, Eq)]
pub enum Sealed {
    Value(Vec<u8>),
    InParts(InParts),
}

impl InParts {
    /// Of the value `whole`, divided into `count`.
    pub fn of(whole: &[u8], count: usize) -> Self {
        InParts { count: u32::try_from(count).expect("no value has billions of parts"), sum: crc32fast::hash(whole) }
    }

    /// The note as it is stored.
    pub fn seal(self, key: &str) -> Vec<u8> {
        sealed(key, PARTS, &[self.count.to_le_bytes(), self.sum.to_le_bytes()].concat())
    }

    fn read(value: &[u8]) -> Option<Self> {
        let (count, sum) = value.split_at_checked(4)?;
        Some(InParts {
            count: u32::from_le_bytes(count.try_into().ok()?),
            sum: u32::from_le_bytes(sum.try_into().ok()?),
        })
    }
}

/// The value as it is stored.
pub fn seal(key: &str, value: &[u8]) -> Vec<u8> {
    sealed(key, VALUE, value)
}

/// What a stored record holds, if it is what was written under this key.
pub fn open(key: &str, sealed: &[u8]) -> Result<Sealed, StoreError> {
    let (sum, value) = sealed.split_at_checked(LENGTH).ok_or_else(|| StoreError::damaged(key, "it is cut off"))?;
    if sum == checksum(key, VALUE, value) {
        return Ok(Sealed::Value(value.to_vec()));
    }
    let parts = InParts::read(value).filter(|_| sum == checksum(key, PARTS, value));
    parts.map(Sealed::InParts).ok_or_else(|| StoreError::damaged(key, "its checksum does not fit"))
}

/// The value of a record that is never in parts.
pub fn open_value(key: &str, sealed: &[u8]) -> Result<Vec<u8>, StoreError> {
    match open(key, sealed)? {
        Sealed::Value(value) => Ok(value),
        Sealed::InParts(_) => Err(StoreError::damaged(key, "it is no value")),
    }
}

fn sealed(key: &str, mark: u8, value: &[u8]) -> Vec<u8> {
    let mut sealed = Vec::with_capacity(LENGTH + value.len());
    sealed.extend_from_slice(&checksum(key, mark, value));
    sealed.extend_from_slice(value);
    sealed
}

fn checksum(key: &str, mark: u8, value: &[u8]) -> [u8; LENGTH] {
    let mut sum = crc32fast::Hasher::new();
    sum.update(key.as_bytes());
    sum.update(&[mark]);
    sum.update(value);
    sum.finalize().to_le_bytes()
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
}
