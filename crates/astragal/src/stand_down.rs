//! Watches the lease of the store, on a thread of its own, which nothing holds up.

use anyhow::{Context, ensure};
use journal::store::{Lease, Store};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tokio::sync::Notify;

/// How often it looks.
const LOOKS: Duration = Duration::from_millis(100);
/// Why a bot ends if the store is no longer its own.
const STOOD_DOWN: &str = "the lease of the store ended: another bot plays, or the database was out of reach for too long, or lost \
                          something (the log says which)";

/// The watch. It ends once this is dropped.
#[derive(Default)]
pub struct Watch {
    over: Arc<Over>,
    thread: Option<(mpsc::Sender<()>, JoinHandle<()>)>,
}

/// Whether the lease is over, and who waits for that.
#[derive(Default)]
struct Over {
    is: AtomicBool,
    told: Notify,
}

impl Watch {
    /// Begins to watch. Once another bot may play, the program ends where it stands: even leaving in order would say too
    /// much.
    ///
    /// # Errors
    /// No thread can be started.
    pub fn start(store: Arc<dyn Store>) -> anyhow::Result<Self> {
        let over = Arc::<Over>::default();
        if store.lease() == Lease::Own {
            return Ok(Watch::default());
        }
        let ((stop, stopped), tell) = (mpsc::channel(), over.clone());
        let watch = move || {
            while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(LOOKS) {
                match store.lease() {
                    Lease::Own | Lease::Held => {}
                    Lease::Ended => {
                        tell.is.store(true, Ordering::Relaxed);
                        tell.told.notify_one();
                    }
                    Lease::Taken => {
                        tracing::error!("{STOOD_DOWN}");
                        std::process::exit(1);
                    }
                }
            }
        };
        let thread = thread::Builder::new().name("lease-watch".to_owned()).spawn(watch);
        Ok(Watch { over, thread: Some((stop, thread.context("cannot start threads")?)) })
    }

    /// Resolves once nothing may be said.
    pub fn end(&self) -> impl Future<Output = ()> + use<> {
        let over = self.over.clone();
        async move { over.told.notified().await }
    }

    /// Checks that it has not ended.
    ///
    /// # Errors
    /// It has.
    pub fn lasted(&self) -> anyhow::Result<()> {
        ensure!(!self.over.is.load(Ordering::Relaxed), "{STOOD_DOWN}");
        Ok(())
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.thread.take() {
            drop(stop);
            // It does not panic.
            let _ = thread.join();
        }
    }
}
