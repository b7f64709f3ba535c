//! The form of a commit in the log:
//!
//! | bytes | |
//! |---|---|
//! | 4 | a mark |
//! | 4 | CRC-32 (IEEE) of the log's identity and all that follows |
//! | 8 | the commit's number |
//! | 4 | length of its writes |
//! | ... | its writes: the key's length and the key, the value's length plus one and the value, or 0 if it is removed |
//!
//! Numbers are little-endian. Each record begins at an offset divisible by 8. The identity is random and secret, so
//! that no player's text can be read as a record.

use journal::store::Batch;

/// The beginning of every record.
const MARK: [u8; 4] = *b"aLog";
/// Bytes before the writes.
pub const HEAD: usize = 20;
/// The divisor of every record's offset.
const ALIGNED: u64 = 8;

/// The random identity of a log.
pub type Identity = [u8; 16];

/// The head of a record, before the record is known to be good.
pub struct Head {
    sum: u32,
    /// The commit's number.
    pub number: u64,
    /// Bytes of its writes.
    pub length: usize,
}

impl Head {
    /// Reads what may be the head of a record.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let (mark, rest) = bytes.get(..HEAD)?.split_at(4);
        (mark == MARK).then_some(())?;
        let (sum, rest) = rest.split_at(4);
        let (number, length) = rest.split_at(8);
        Some(Head {
            sum: u32::from_le_bytes(sum.try_into().ok()?),
            number: u64::from_le_bytes(number.try_into().ok()?),
            length: usize::try_from(u32::from_le_bytes(length.try_into().ok()?)).ok()?,
        })
    }

    /// True if `record`, head and writes, is undamaged.
    pub fn fits(&self, identity: &Identity, record: &[u8]) -> bool {
        record.len() == HEAD + self.length && self.sum == checksum(identity, &record[8..])
    }
}

/// Finds where a record may begin in `bytes`, whose own offset in the file is divisible by 8.
pub fn find(bytes: &[u8]) -> Option<usize> {
    let step = usize::try_from(ALIGNED).expect("it is 8");
    bytes.chunks(step).position(|chunk| chunk.starts_with(&MARK)).map(|chunk| chunk * step)
}

/// Bytes that a record takes in its file, including the padding after it.
pub fn room(record: usize) -> u64 {
    (record as u64).next_multiple_of(ALIGNED)
}

/// Writes the record of commit `number` into `record`, replacing its content. Returns `None` if it is too large for a
/// record.
pub fn write(identity: &Identity, number: u64, batch: &Batch, record: &mut Vec<u8>) -> Option<()> {
    record.clear();
    record.extend_from_slice(&MARK);
    record.extend_from_slice(&[0; 4]);
    record.extend_from_slice(&number.to_le_bytes());
    record.extend_from_slice(&[0; 4]);
    for (key, value) in batch {
        sized(record, key.len())?;
        record.extend_from_slice(key.as_bytes());
        match value {
            Some(value) => {
                sized(record, value.len().checked_add(1)?)?;
                record.extend_from_slice(value);
            }
            None => sized(record, 0)?,
        }
    }
    let length = u32::try_from(record.len() - HEAD).ok()?;
    record[16..HEAD].copy_from_slice(&length.to_le_bytes());
    let sum = checksum(identity, &record[8..]);
    record[4..8].copy_from_slice(&sum.to_le_bytes());
    Some(())
}

/// Decodes the writes of a record whose checksum is right.
pub fn batch(mut writes: &[u8]) -> Option<Batch> {
    let mut batch = Batch::default();
    while !writes.is_empty() {
        let key = take(&mut writes, 0)?.expect("a key is never removed");
        let key = std::str::from_utf8(key).ok()?;
        match take(&mut writes, 1)? {
            Some(value) => batch.put(key, value),
            None => batch.delete(key),
        }
    }
    Some(batch)
}

fn sized(record: &mut Vec<u8>, size: usize) -> Option<()> {
    record.extend_from_slice(&u32::try_from(size).ok()?.to_le_bytes());
    Some(())
}

/// Takes the next bytes after their length, which is stored with `more` added. The inner `None` means that it is less
/// than `more`.
fn take<'a>(writes: &mut &'a [u8], more: u32) -> Option<Option<&'a [u8]>> {
    let (size, rest) = writes.split_at_checked(4)?;
    let size = u32::from_le_bytes(size.try_into().ok()?);
    let Some(size) = size.checked_sub(more) else {
        *writes = rest;
        return Some(None);
    };
    let (bytes, rest) = rest.split_at_checked(usize::try_from(size).ok()?)?;
    *writes = rest;
    Some(Some(bytes))
}

fn checksum(identity: &Identity, bytes: &[u8]) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    sum.update(identity);
    sum.update(bytes);
    sum.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::btree_map;
    use proptest::prelude::{any, proptest};

    const IDENTITY: Identity = [7; 16];

    proptest! {
        #[test]
        fn a_commit_is_read_as_it_was_written(
            writes in btree_map(".{0,9}", proptest::option::of(proptest::collection::vec(any::<u8>(), 0..40)), 0..9),
            number: u64,
            bit: proptest::sample::Index,
        ) {
            let mut whole = Batch::default();
            for (key, value) in writes {
                match value {
                    Some(value) => whole.put(key, value),
                    None => whole.delete(key),
                }
            }
            let mut record = Vec::new();
            write(&IDENTITY, number, &whole, &mut record).unwrap();
            let head = Head::read(&record).unwrap();
            assert!(head.fits(&IDENTITY, &record) && !head.fits(&[8; 16], &record));
            assert_eq!((head.number, batch(&record[HEAD..])), (number, Some(whole)));
            let bit = bit.index(record.len() * 8);
            record[bit / 8] ^= 1 << (bit % 8);
            assert!(Head::read(&record).is_none_or(|head| !head.fits(&IDENTITY, &record)));
        }

        #[test]
        fn no_bytes_make_it_panic(bytes: Vec<u8>) {
            let _ = batch(&bytes);
            let _ = Head::read(&bytes);
        }
    }
}
