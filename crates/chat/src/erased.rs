//! Whether the words of a post were erased while it waited to be said.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What is said in place of words that were erased before they could be said.
pub const GONE: &str = "What I wanted to say here is gone: words in it were erased before I could.";

/// A mark that all copies of a post share.
#[derive(Clone, Debug, Default)]
pub struct Erased(Arc<AtomicBool>);

impl Erased {
    /// Marks the post and all its copies.
    pub fn set(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// True if the words were erased.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// It is no part of what a post says.
impl PartialEq for Erased {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
