//! How much of a log is written, held and kept at a time.

/// Sizes of a log. Tests and simulations use small ones, so that much happens in few commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Bytes of the first segment after opening; each one is twice as long as the one before.
    pub least: u64,
    /// The most bytes of a segment, unless a single commit needs more.
    pub most: u64,
    /// Keys held before they go into the database.
    pub keys: usize,
    /// Bytes held before they go into the database.
    pub bytes: usize,
    /// The most segments set aside.
    pub aside: usize,
}

impl Default for Sizes {
    fn default() -> Self {
        Sizes { least: 128 << 10, most: 16 << 20, keys: 10_000, bytes: 4 << 20, aside: 64 }
    }
}
