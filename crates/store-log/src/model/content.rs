//! The content of a file, and what a power cut leaves of it. Knows nothing of names or failures.

use super::Chance;

/// Bytes that a power cut keeps or loses together.
const SECTOR: usize = 512;

/// The content of a file.
#[derive(Clone, Default)]
pub struct Content {
    /// As it reads now.
    pub now: Vec<u8>,
    /// The part that survives any power cut.
    pub durable: Vec<u8>,
    /// Writes since the last sync, and before a sync that failed.
    pub unsynced: Vec<Write>,
    pub doomed: Vec<Write>,
}

/// A change to a file.
#[derive(Clone)]
pub enum Write {
    /// Write these bytes at an offset.
    Bytes(u64, Vec<u8>),
    /// Truncate to this length.
    Cut(u64),
}

impl Content {
    /// Keeps, loses or tears unsynced writes.
    pub fn power_cut(&mut self, chance: &mut Chance) {
        let mut kept = std::mem::take(&mut self.durable);
        let unsynced = std::mem::take(&mut self.unsynced);
        for write in std::mem::take(&mut self.doomed).into_iter().chain(unsynced) {
            match chance(4) {
                0 => {}
                1 => write.torn(&mut kept, chance),
                _ => write.done(&mut kept),
            }
        }
        self.now.clone_from(&kept);
        self.durable = kept;
    }
}

impl Write {
    /// Applies the whole write.
    pub fn done(&self, content: &mut Vec<u8>) {
        match self {
            Write::Cut(length) => content.truncate(usize::try_from(*length).unwrap_or(usize::MAX)),
            Write::Bytes(offset, bytes) => put(content, *offset, bytes),
        }
    }

    /// Applies some of its sectors.
    fn torn(&self, content: &mut Vec<u8>, chance: &mut Chance) {
        let Write::Bytes(offset, bytes) = self else { return };
        let mut at = 0;
        while at < bytes.len() {
            let in_sector = usize::try_from((offset + at as u64) % SECTOR as u64).unwrap_or(0);
            let end = (at + SECTOR - in_sector).min(bytes.len());
            if chance(2) == 0 {
                put(content, offset + at as u64, &bytes[at..end]);
            }
            at = end;
        }
    }
}

fn put(content: &mut Vec<u8>, offset: u64, bytes: &[u8]) {
    let offset = usize::try_from(offset).expect("a disk in memory is small");
    if content.len() < offset + bytes.len() {
        content.resize(offset + bytes.len(), 0);
    }
    content[offset..offset + bytes.len()].copy_from_slice(bytes);
}
