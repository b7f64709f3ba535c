//! What ends the bot: a signal, the end of its lease, or an operator who lets another one play on.

use crate::service;
use anyhow::Context;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{Notify, watch};
use tokio::time::timeout;

/// How long another bot gets to take what was handed over to it. It looks each second.
const TAKES: Duration = Duration::from_secs(4);

/// The signals by which the system asks the bot to end. Whoever asks later hears of one that came before.
#[derive(Clone)]
pub struct Signals(watch::Receiver<bool>);

impl Signals {
    /// Listens to them from now on, on a thread of its own.
    ///
    /// # Errors
    /// The system does not let it.
    pub fn listen() -> anyhow::Result<Self> {
        let failed = "cannot listen for signals";
        let runtime = Builder::new_current_thread().enable_all().build().context(failed)?;
        let both = [SignalKind::terminate(), SignalKind::interrupt()];
        let [terminate, interrupt] = runtime.block_on(async { both.map(signal) });
        let (mut terminate, mut interrupt) = (terminate.context(failed)?, interrupt.context(failed)?);
        let (tell, told) = watch::channel(false);
        let listen = async move {
            loop {
                tokio::select! {
                    _ = terminate.recv() => {}
                    _ = interrupt.recv() => {}
                }
                tell.send_replace(true);
            }
        };
        std::thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || runtime.block_on(listen))
            .context(failed)?;
        Ok(Signals(told))
    }

    /// Resolves once one has come.
    pub async fn come(mut self) {
        // The thread that tells it does not end.
        let _ = self.0.wait_for(|come| *come).await;
    }
}

/// Ends the program when the system asks for it, as long as it only waits for its store.
pub async fn end_while_waiting(signals: Signals) {
    signals.come().await;
    tracing::info!("stopped before it played");
    std::process::exit(0)
}

/// An operator's wish that another bot plays on.
#[derive(Default)]
pub struct HandOver {
    wanted: AtomicBool,
    told: Notify,
}

impl HandOver {
    /// From now on it is wanted.
    pub fn begin(&self) {
        self.wanted.store(true, Ordering::Release);
        self.told.notify_one();
    }

    /// True once it is wanted.
    pub fn is_wanted(&self) -> bool {
        self.wanted.load(Ordering::Acquire)
    }
}

/// Resolves when the bot is to end: the system asks for it, its lease is over, or an operator hands over.
pub async fn wanted(signals: Signals, lease_ended: impl Future<Output = ()>, hand_over: &HandOver) {
    tokio::select! {
        () = signals.come() => service::stopping(),
        () = lease_ended => service::stopping(),
        () = hand_over.told.notified() => service::handing_over(),
    }
}

/// Gives another bot the time to play on after a hand-over, and then starts this program again in the same process, where it
/// stands by. Returns if a signal comes.
///
/// # Errors
/// It cannot be started.
pub fn stand_by_again(signals: Signals, program: PathBuf) -> anyhow::Result<()> {
    let runtime = Builder::new_current_thread().enable_time().build().context("cannot wait for another bot")?;
    if runtime.block_on(async { timeout(TAKES, signals.come()).await }).is_ok() {
        return Ok(());
    }
    tracing::info!("this bot let another one play on, and starts again");
    let failed = Command::new(&program).args(std::env::args_os().skip(1)).exec();
    Err(failed).with_context(|| format!("{} cannot be started again", program.display()))
}
