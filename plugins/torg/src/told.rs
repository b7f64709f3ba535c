//! Changes of the state in words, for undo and recap.

use plugin_api::CharacterId;
use serde_json::Value;

/// A change at `place`, an empty text if it is not worth a word; `None` where the place and its value say enough.
pub(crate) fn of(place: &[&str], after: Option<&Value>, named: &dyn Fn(CharacterId) -> String) -> Option<String> {
    let ["characters", who, rest @ ..] = place else { return None };
    let who = named(CharacterId(who.parse().ok()?));
    let count = after.and_then(Value::as_i64).unwrap_or_default();
    let of = |one, many| format!("{} {}", count.abs(), if count.abs() == 1 { one } else { many });
    Some(match rest {
        // Those from a referee count below 0.
        ["spent"] if count < 0 => format!("{who} was given {}", of("Possibility", "Possibilities")),
        ["spent"] => format!("{who} has spent {}", of("Possibility", "Possibilities")),
        ["harm", "wounds"] => format!("{who} has {}", of("Wound", "Wounds")),
        ["harm", "shock"] => format!("{who} has {count} Shock"),
        // What the game remembers for itself.
        ["soaked" | "reality"] => String::new(),
        _ => return None,
    })
}
