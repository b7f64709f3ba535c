//! Changes of the state in words, for undo and recap.

use plugin_api::CharacterId;
use serde_json::Value;

/// A change at `place`, an empty text if it is not worth a word; `None` where the place and its value say enough.
pub(crate) fn of(place: &[&str], after: Option<&Value>, named: &dyn Fn(CharacterId) -> String) -> Option<String> {
    let count = after.and_then(Value::as_i64).unwrap_or_default();
    Some(match place {
        ["characters", who, field @ ..] => {
            let who = named(CharacterId(who.parse().ok()?));
            return of_character(&who, field, after);
        }
        ["tilt", ..] => "the Tilt changes".to_owned(),
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

/// A change of what a character has, where its name in the state would mean nothing to players.
fn of_character(who: &str, field: &[&str], after: Option<&Value>) -> Option<String> {
    let now = after.and_then(Value::as_bool).unwrap_or_default();
    let either = |yes: &str, no: &str| format!("{who} {}", if now { yes } else { no });
    Some(match field {
        ["surge_pending"] => either("gets a Surge's fatigue next turn", "gets no fatigue next turn"),
        ["surge_deferred"] => either("gets a Surge's fatigue once free", "gets no fatigue once free"),
        ["surged_this_turn"] => either("has used the Surge of this turn", "can Surge this turn"),
        ["surge_unsaid"] if now => format!("{who} has yet to say what the Surge gives"),
        ["surge_unsaid"] | ["answered" | "thrown" | "edits", ..] => String::new(),
        ["recovered"] => either("has recovered in this encounter", "can recover in this encounter"),
        ["surges", ..] => format!("{who}'s Surge benefits change"),
        ["actions", ..] => format!("{who}'s actions of this turn change"),
        _ => return None,
    })
}
