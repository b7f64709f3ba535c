//! Where the device's secrets come from.

use std::sync::Arc;

/// Gives 32 bytes that nobody can guess, other ones each time.
pub type Randomness = Arc<dyn Fn() -> [u8; 32] + Send + Sync>;
