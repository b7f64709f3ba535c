//! The checksum that every stored record carries: CRC-32 (IEEE) of key, a NUL byte and value, little-endian, in front
//! of the value.

use bot::store::StoreError;

const LENGTH: usize = 4;

/// The value as it is stored.
pub fn seal(key: &str, value: &[u8]) -> Vec<u8> {
    let mut sealed = Vec::with_capacity(LENGTH + value.len());
    sealed.extend_from_slice(&checksum(key, value));
    sealed.extend_from_slice(value);
    sealed
}

/// The value of a stored record, if it is what was written under this key.
pub fn open(key: &str, sealed: &[u8]) -> Result<Vec<u8>, StoreError> {
    match sealed.split_at_checked(LENGTH) {
        Some((sum, value)) if sum == checksum(key, value) => Ok(value.to_vec()),
        Some(_) => Err(StoreError::damaged(key, "its checksum does not fit")),
        None => Err(StoreError::damaged(key, "it is cut off")),
    }
}

fn checksum(key: &str, value: &[u8]) -> [u8; LENGTH] {
    let mut sum = crc32fast::Hasher::new();
    sum.update(key.as_bytes());
    sum.update(&[0]);
    sum.update(value);
    sum.finalize().to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_bit_anywhere_is_seen_and_so_is_another_records_value() {
        let sealed = seal("key", b"value");
        assert_eq!(open("key", &sealed).unwrap(), b"value");
        for bit in 0..sealed.len() * 8 {
            let mut changed = sealed.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(open("key", &changed).unwrap_err().to_string().contains("\"key\""));
        }
        assert!(open("other", &sealed).is_err());
        assert!(open("key", &sealed[..3]).is_err());
    }
}
