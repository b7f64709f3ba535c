//! A program built without IRC.

use chat::Transport;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Networks, by the operator's names for them.
pub type Networks = BTreeMap<String, serde_json::Value>;

/// There can be none.
pub fn complete(networks: Networks, wrong: &mut dyn FnMut(String)) -> Networks {
    let without = |name| format!("irc.{name}: this astragal is built without IRC (cargo feature irc)");
    networks.keys().map(without).for_each(wrong);
    networks
}

/// Nobody does.
pub fn trusts_nicks(_: &Networks, _: &str) -> bool {
    false
}

/// None.
pub fn transports(_: &Networks) -> Vec<Arc<dyn Transport>> {
    Vec::new()
}

/// All went well.
pub async fn try_all(_: &Networks, _: &mut dyn FnMut(String)) -> bool {
    true
}
