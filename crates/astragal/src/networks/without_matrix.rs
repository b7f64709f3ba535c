//! A program built without Matrix.

use chat::{PlayerId, Transport};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// Accounts, by the operator's names for their networks.
pub type Networks = BTreeMap<String, serde_json::Value>;

/// There can be none.
pub fn complete(networks: Networks, _: &BTreeSet<PlayerId>, wrong: &mut dyn FnMut(String)) -> Networks {
    let without = |name| format!("matrix.{name}: this astragal is built without Matrix (cargo feature matrix)");
    networks.keys().map(without).for_each(wrong);
    networks
}

/// All went well.
pub async fn try_all(_: &Networks, _: &Path, _: &mut dyn FnMut(String)) -> bool {
    true
}

/// None.
pub fn transports(_: &Networks, _: &Path) -> Vec<Arc<dyn Transport>> {
    Vec::new()
}
