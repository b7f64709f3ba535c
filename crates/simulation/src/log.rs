//! What happened, one line per event. The same seed must give the same lines.

use std::sync::{Arc, Mutex};

/// The log of one run, shared by everything that writes to it.
#[derive(Clone, Debug, Default)]
pub struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    /// Adds a line.
    pub fn note(&self, line: impl Into<String>) {
        self.0.lock().expect("nothing panics holding it").push(line.into());
    }

    /// All lines so far.
    pub fn lines(&self) -> Vec<String> {
        self.0.lock().expect("nothing panics holding it").clone()
    }
}
