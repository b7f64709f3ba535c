//! SIGHUP, and `astragal ctl reload`: the configuration is read again. What is wrong changes nothing.

use crate::config::Config;
use crate::operator::Operator;
use std::sync::Arc;
use tokio::signal::unix::Signal;
use tokio::sync::Mutex;

/// Applies the configuration each time the signal comes.
pub async fn on_hangup(hangup: Arc<Mutex<Signal>>, operator: Arc<Operator>) {
    let mut hangup = hangup.lock().await;
    while hangup.recv().await.is_some() {
        match again(&operator) {
            Err(error) => tracing::error!("{error:#}"),
            Ok(told) => tracing::warn!("{told}"),
        }
    }
}

/// Reads the configuration again: rooms, owners and limits count from now on. The networks stay as they were at the start.
///
/// # Errors
/// It is wrong, and the old one stays.
pub fn again(operator: &Operator) -> anyhow::Result<String> {
    let config = Config::read(operator.config_file.as_deref())
        .map_err(|error| anyhow::anyhow!("the old configuration stays: {error:#}"))?;
    operator.bot.host().apply(config.settings());
    let told = "the configuration was read again";
    let same = config.networks() == operator.started_on && config.name == operator.config().name;
    *operator.config.write().expect("nothing panics holding it") = Arc::new(config);
    Ok(match same {
        true => format!("{told} and counts now"),
        false => format!("{told}; what is new of its networks or its name counts from the next start on"),
    })
}
