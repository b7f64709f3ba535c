//! A bot: the state its tables share, and the state it has only while it runs.

use crate::pace::{Pace, Step, Tokio};
use crate::serve::operator::Operator;
use crate::serve::{GaveUp, Running};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, Weak};
use table::Host;

/// A bot.
pub struct Bot {
    host: Host,
    pub(crate) pace: Arc<dyn Pace>,
    pub(crate) operator: OnceLock<Arc<dyn Operator>>,
    /// The networks that gave up and wait for another try.
    pub(crate) gave_up: Mutex<BTreeMap<String, GaveUp>>,
    /// The running state, while it runs.
    pub(crate) running: Mutex<Weak<Running>>,
}

impl Bot {
    /// A bot that is not running yet.
    pub fn new(host: Host) -> Self {
        Bot::paced(host, Arc::new(Tokio))
    }

    /// A bot whose tasks are paced by something other than tokio.
    pub fn paced(host: Host, pace: Arc<dyn Pace>) -> Self {
        Bot { host, pace, operator: OnceLock::new(), gave_up: Mutex::default(), running: Mutex::default() }
    }

    /// The state its tables share.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// Marks a place where the current task may be held up.
    pub(crate) async fn at(&self, step: Step) {
        if let Some(held) = self.pace.hold(step) {
            held.await;
        }
    }
}
