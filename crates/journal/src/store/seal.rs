//! The checksum of a stored record, four bytes before the value: CRC-32 (IEEE) of its key, a mark and its value,
//! little-endian. The mark itself is not stored; it says what kind of record it is.
//!
//! A store whose database may return flipped bits as data seals what it writes, and opens what it reads.

use super::StoreError;

/// Bytes before the value.
const LENGTH: usize = 4;

/// The mark of an ordinary value. A store with other kinds of records has marks of its own for them.
pub const VALUE: u8 = 0;

/// The stored form of `value` under `key`, four bytes longer.
pub fn seal(key: &str, mark: u8, value: &[u8]) -> Vec<u8> {
    let mut sealed = Vec::with_capacity(LENGTH + value.len());
    sealed.extend_from_slice(&checksum(key, mark, value));
    sealed.extend_from_slice(value);
    sealed
}

/// The value of a stored record, if it was written under this key with this mark.
///
/// # Errors
/// It is something else: [`StoreError::Damaged`].
pub fn open<'a>(key: &str, mark: u8, sealed: &'a [u8]) -> Result<&'a [u8], StoreError> {
    let (sum, value) = sealed.split_at_checked(LENGTH).ok_or_else(|| StoreError::damaged(key, "it is cut off"))?;
    match sum == checksum(key, mark, value) {
        true => Ok(value),
        false => Err(StoreError::damaged(key, "its checksum does not fit")),
    }
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
    fn a_record_is_stored_for_ever_as_it_was() {
        assert_eq!(seal("key", VALUE, b"value"), b"\xd9\x9f\x91\x02value");
    }

    #[test]
    fn a_changed_bit_anywhere_is_seen_and_so_is_another_records_value() {
        let sealed = seal("key", VALUE, b"value");
        assert_eq!(open("key", VALUE, &sealed).unwrap(), b"value");
        for bit in 0..sealed.len() * 8 {
            let mut changed = sealed.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(open("key", VALUE, &changed).unwrap_err().to_string().contains("\"key\""));
        }
        assert!(open("other", VALUE, &sealed).is_err());
        assert!(open("key", 1, &sealed).is_err());
        assert!(open("key", VALUE, &sealed[..3]).is_err());
    }
}
