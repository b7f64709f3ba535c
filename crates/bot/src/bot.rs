//! A bot: what its tables share, and what it is only while it runs.

use crate::pace::{Pace, Step, Tokio};
use crate::serve::Running;
use crate::serve::operator::Operator;
use std::sync::{Arc, Mutex, OnceLock, Weak};
use table::Host;

/// A bot.
pub struct Bot {
    host: Host,
    pub(crate) pace: Arc<dyn Pace>,
    pub(crate) operator: OnceLock<Arc<dyn Operator>>,
    /// What runs it, while it runs.
    pub(crate) running: Mutex<Weak<Running>>,
}

impl Bot {
    /// A bot that does not run yet.
    pub fn new(host: Host) -> Self {
        Bot::paced(host, Arc::new(Tokio))
    }

    /// One whose tasks another than tokio paces.
    pub fn paced(host: Host, pace: Arc<dyn Pace>) -> Self {
        Bot { host, pace, operator: OnceLock::new(), running: Mutex::default() }
    }

    /// What its tables share.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// A task comes to a place at which it may be held up.
    pub(crate) async fn at(&self, step: Step) {
        if let Some(held) = self.pace.hold(step) {
            held.await;
        }
    }
}
