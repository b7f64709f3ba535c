//! Changes of the state in words, for undo and recap.

use plugin_api::CharacterId;
use serde_json::Value;

/// A change at `place`; `None` where the place and its value say enough.
pub(crate) fn of(place: &[&str], after: Option<&Value>, named: &dyn Fn(CharacterId) -> String) -> Option<String> {
    let ["characters", who, "pending"] = place else { return None };
    let who = named(CharacterId(who.parse().ok()?));
    let waiting = after.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let steps: i64 = waiting.iter().filter_map(|each| each.get("steps")?.as_i64()).sum();
    Some(match waiting {
        [] => format!("nothing waits for {who}'s next roll"),
        _ => format!("{who}'s next roll has {steps:+}d"),
    })
}
