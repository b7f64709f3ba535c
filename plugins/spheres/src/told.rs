//! Changes of the state in words, for undo and recap.

use plugin_api::CharacterId;
use serde_json::Value;

/// A change at `place`, an empty text if it is not worth a word; `None` where the place and its value say enough.
pub(crate) fn of(place: &[&str], after: Option<&Value>, named: &dyn Fn(CharacterId) -> String) -> Option<String> {
    let count = after.and_then(Value::as_i64).unwrap_or_default();
    Some(match place {
        ["turns" | "encounters"] | ["fate", "blocked"] => String::new(),
        ["current"] => match (after.and_then(Value::as_u64), after.and_then(Value::as_str)) {
            (Some(who), _) => format!("it is {}'s turn", named(CharacterId(u32::try_from(who).ok()?))),
            (None, Some(name)) => format!("it is {name}'s turn"),
            (None, None) => "it is nobody's turn".to_owned(),
        },
        ["fate", "stones", "triumph"] => format!("the Fate Pool has {count} Triumph"),
        ["fate", "stones", "tragedy"] => format!("the Fate Pool has {count} Tragedy"),
        ["fate"] if after.is_none_or(Value::is_null) => "no encounter is on".to_owned(),
        ["fate"] => "an encounter is on".to_owned(),
        _ => return None,
    })
}
