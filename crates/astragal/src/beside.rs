//! Tasks that run next to the bot.

use bot::survive;

/// Starts a task, which is started again if it panics.
pub fn keep<F: Future<Output = ()> + Send>(what: &'static str, begin: impl FnMut() -> F + Send + 'static) {
    tokio::spawn(async move { survive(what, begin).await });
}
