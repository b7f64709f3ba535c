//! The networks of the configuration, as transports. What the program is built without is an error in the configuration.

#[cfg(feature = "matrix")]
pub mod devices;
#[cfg(feature = "irc")]
pub mod irc;
#[cfg(not(feature = "irc"))]
#[path = "networks/without_irc.rs"]
pub mod irc;
#[cfg(feature = "matrix")]
pub mod matrix;
#[cfg(not(feature = "matrix"))]
#[path = "networks/without_matrix.rs"]
pub mod matrix;

use crate::config::Config;
use chat::Transport;
use std::path::Path;
use std::sync::Arc;
use store_sled::DataDir;

/// Where the devices of Matrix accounts are kept, in the data directory.
pub const DEVICES: &str = "matrix";

/// All of them.
pub fn all(config: &Config, data: &DataDir) -> Vec<Arc<dyn Transport>> {
    let mut all = irc::transports(&config.irc);
    all.extend(matrix::transports(&config.matrix, &data.file(DEVICES)));
    all
}

/// Tries to log in to each of them, with the devices that `data` holds; whether all went well. `say` is told how each went.
pub async fn try_all(config: &Config, data: &Path, say: &mut dyn FnMut(String)) -> bool {
    let irc = irc::try_all(&config.irc, say).await;
    let matrix = matrix::try_all(&config.matrix, &data.join(DEVICES), say).await;
    irc && matrix
}
