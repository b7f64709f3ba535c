//! The source of the device's secrets.

use std::sync::Arc;

/// Returns 32 unguessable bytes, different each time.
pub type Randomness = Arc<dyn Fn() -> [u8; 32] + Send + Sync>;
