//! How much of a log is written, held and kept at a time.

/// Sizes of a log. A test or a simulation takes small ones, so that much happens within few commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Bytes of the first segment after an opening; each one is twice as long as the one before.
    pub least: u64,
    /// Bytes of a segment at the most, unless one commit alone needs more.
    pub most: u64,
    /// Keys that are held before they go into the database.
    pub keys: usize,
    /// Bytes that are held before they go into the database.
    pub bytes: usize,
    /// Segments that are put aside at the most.
    pub aside: usize,
}

impl Default for Sizes {
    fn default() -> Self {
        Sizes { least: 128 << 10, most: 16 << 20, keys: 10_000, bytes: 4 << 20, aside: 64 }
    }
}
