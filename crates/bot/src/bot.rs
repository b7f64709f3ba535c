//! A bot: the state its tables share, and the state it has only while it runs.

use crate::pace::{Pace, Step, Tokio};
use crate::serve::operator::Operator;
use crate::serve::{GaveUp, Running};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, Weak};
use table::{Host, Plugins, Settings};

/// A bot.
pub struct Bot {
    host: RwLock<Arc<Host>>,
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
        let host = RwLock::new(Arc::new(host));
        Bot { host, pace, operator: OnceLock::new(), gave_up: Mutex::default(), running: Mutex::default() }
    }

    /// The bot as its tables see it now. A message keeps one from its beginning to its answer.
    pub fn host(&self) -> Arc<Host> {
        self.host.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces the operator's settings, from the next message on. The bot's name stays the same, and so does where
    /// its pages are.
    pub fn apply(&self, settings: Settings) {
        self.go_on_with(|host| host.with_settings(settings));
    }

    /// Replaces the plugins, from the next message on. What tables hold of those that are gone stays stored.
    pub fn play_with(&self, plugins: Plugins) {
        self.go_on_with(|host| host.with_plugins(plugins));
    }

    fn go_on_with(&self, next: impl FnOnce(&Host) -> Host) {
        let mut host = self.host.write().unwrap_or_else(PoisonError::into_inner);
        *host = Arc::new(next(&host));
    }

    /// Marks a place where the current task may be held up.
    pub(crate) async fn at(&self, step: Step) {
        if let Some(held) = self.pace.hold(step) {
            held.await;
        }
    }
}
