//! SIGHUP: reads the configuration again, like `astragal ctl reload`. A wrong configuration changes nothing.

use crate::operator::Operator;
use std::sync::Arc;
use tokio::signal::unix::Signal;
use tokio::sync::Mutex;

/// Applies the configuration each time the signal comes.
pub async fn on_hangup(hangup: Arc<Mutex<Signal>>, operator: Arc<Operator>) {
    let mut hangup = hangup.lock().await;
    while hangup.recv().await.is_some() {
        match operator.reload() {
            Err(error) => tracing::error!("{error:#}"),
            Ok(told) => tracing::warn!("{told}"),
        }
    }
}
