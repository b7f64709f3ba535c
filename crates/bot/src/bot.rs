//! A bot: what its tables share, and what it is only while it runs.

use crate::serve::Running;
use crate::serve::operator::Operator;
use std::sync::{Arc, Mutex, OnceLock, Weak};
use table::Host;

/// A bot.
pub struct Bot {
    host: Host,
    pub(crate) operator: OnceLock<Arc<dyn Operator>>,
    /// What runs it, while it runs.
    pub(crate) running: Mutex<Weak<Running>>,
}

impl Bot {
    /// A bot that does not run yet.
    pub fn new(host: Host) -> Self {
        Bot { host, operator: OnceLock::new(), running: Mutex::default() }
    }

    /// What its tables share.
    pub fn host(&self) -> &Host {
        &self.host
    }
}
