//! Whether a post may be said now. Once another bot may have the store, it may not.

use std::fmt;
use std::sync::Arc;

/// What is asked before each line of a post. Without anybody to ask, it is given.
#[derive(Clone, Default)]
pub struct Permit(Option<Arc<dyn Fn() -> bool + Send + Sync>>);

impl Permit {
    /// One that is given as long as this returns true.
    pub fn while_true(ask: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Permit(Some(Arc::new(ask)))
    }

    /// True if it may be said now.
    pub fn is_given(&self) -> bool {
        self.0.as_ref().is_none_or(|ask| ask())
    }
}

impl fmt::Debug for Permit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Permit")
    }
}

/// It is no part of what a post says.
impl PartialEq for Permit {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
