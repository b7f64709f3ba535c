//! Tasks that run beside the bot.

use bot::survive;

/// Begins one, which is begun again should it panic.
pub fn keep<F: Future<Output = ()> + Send>(what: &'static str, begin: impl FnMut() -> F + Send + 'static) {
    tokio::spawn(async move { survive(what, begin).await });
}
