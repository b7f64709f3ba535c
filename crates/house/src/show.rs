//! Puts entries and changes into words.

use crate::view::{Entry, Fate, Says};
use chat::{Line, RoomId, Span, cut};
use jiff::Timestamp;
use journal::{Change, Place, leaves};
use serde_json::Value;
use std::borrow::Cow;
use table::own::Looking;

/// Characters of a typed line, and of an answer, in one line of a list.
const MOST_TYPED: usize = 60;
const MOST_ANSWERED: usize = 80;
/// Characters of a value that is neither a number nor a word.
const MOST_VALUE: usize = 60;

/// An entry on one line: `#12 Ann, 3d: act d8 d10 → SUCCESS 25 vs 17`.
pub(super) fn entry(entry: &Entry, now: Timestamp) -> Line {
    let Entry { number, who, time, command, .. } = entry;
    let mut line = vec![Span::Bold(format!("#{number}")), Span::Text(format!(" {who}, {}: ", ago(now, *time)))];
    match &entry.says {
        Says::Withheld => line.push(Span::Text(format!("{command} in secret"))),
        Says::Told { typed, answer, .. } => {
            let lines = answer.lines().collect::<Vec<_>>().join(" ");
            let result = lines.split(" | ").next().unwrap_or_default();
            line.push(Span::Code(cut(typed, MOST_TYPED).into_owned()));
            line.push(Span::Text(format!(" → {}", cut(result, MOST_ANSWERED))));
        }
        Says::Erased(dice) => line.push(Span::Text(format!("{command} {dice}").trim_end().to_owned())),
    }
    let fates: Vec<String> = entry.fates.iter().map(Fate::to_string).collect();
    if !fates.is_empty() {
        line.push(Span::Text(format!(" ({})", fates.join(", "))));
    }
    line
}

/// How long ago, in a single unit.
pub(super) fn ago(now: Timestamp, then: Timestamp) -> String {
    let seconds = now.as_second() - then.as_second();
    match seconds {
        ..60 => "just now".to_owned(),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..86_400 => format!("{} h ago", seconds / 3_600),
        86_400..172_800 => "1 day ago".to_owned(),
        _ => format!("{} days ago", seconds / 86_400),
    }
}

/// The changes in words, without what only the core uses.
pub(super) fn changes<'a>(looking: &Looking, changes: impl IntoIterator<Item = &'a Change>) -> Vec<String> {
    let mut shown = Vec::new();
    for change in changes.into_iter().flat_map(leaves) {
        if is_no_news(change.before.as_ref(), change.after.as_ref()) {
            continue;
        }
        if let Some(told) = of_game(looking, &change) {
            shown.extend(Some(told).filter(|told| !told.is_empty() && !shown.contains(told)));
            continue;
        }
        if let Some(told) = of_a_scene_apart(looking, &change) {
            shown.push(told);
        } else if let Some(place) = place(looking, &change.path) {
            value(&place, change.before.as_ref(), change.after.as_ref(), &mut shown);
        }
    }
    shown
}

/// A change of a game's state, if the game has words of its own for it.
fn of_game(looking: &Looking, change: &Change) -> Option<String> {
    let words: Vec<_> = journal::words(&change.path).into_iter().collect();
    let [games, id, state, place @ ..] = words.as_slice() else { return None };
    let plugin = looking.host.plugins.get(id).filter(|_| games == "games" && state == "state")?;
    let place: Vec<&str> = place.iter().map(|word| &**word).collect();
    plugin.told(&place, change.after.as_ref(), &|who| looking.table.name_of(who).to_owned())
}

/// Which scene a room plays now, if it plays one apart from the others or did.
fn of_a_scene_apart(looking: &Looking, change: &Change) -> Option<String> {
    let words: Vec<_> = journal::words(&change.path).into_iter().collect();
    let ["table", "apart", room, "since"] = words.iter().map(|word| &**word).collect::<Vec<_>>()[..] else {
        return None;
    };
    let room = room_called(looking, room);
    Some(match change.after.as_ref().and_then(Value::as_u64) {
        Some(since) => format!("{room} plays the scene of #{since}"),
        None => format!("{room} plays the common scene"),
    })
}

/// The place of a change in words; `None` if only the core uses it.
fn place(looking: &Looking, path: &str) -> Option<String> {
    let words: Vec<String> = journal::words(path).into_iter().map(Cow::into_owned).collect();
    let (kind, rest) = words.split_first()?;
    match Place::of(path) {
        Place::Seat(_) | Place::Sealed(_) | Place::Note(_) | Place::Order(_) | Place::Record(_) | Place::Offers(_) => {
            return None;
        }
        // Who defined a shortcut, and whether a name was chosen.
        Place::TableShortcuts | Place::Shortcuts(_) if rest.iter().any(|word| word == "by") => return None,
        Place::Character(_) if path.ends_with("/named") => return None,
        Place::Scene if ["/scene_over", "/from", "/scene/since"].iter().any(|end| path.ends_with(end)) => return None,
        _ => {}
    }
    let rest = rest.iter().filter(|word| !["state", "characters"].contains(&word.as_str()));
    let named = |word: &String| {
        let character = word.parse().ok().map(plugin_api::CharacterId);
        match character.filter(|id| looking.table.characters.contains_key(id)) {
            Some(id) => looking.table.name_of(id).to_owned(),
            // A room is shown by its own name.
            None if word.contains('/') && (kind == "rooms" || path.starts_with("/table/apart")) => word.clone(),
            None => word.replace('_', " "),
        }
    };
    let words: Vec<_> = rest.map(named).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    Some(match (kind.as_str(), words.as_slice()) {
        // Which game it is tells what is kept there.
        ("games", [_, place @ ..]) => place.join(" "),
        ("table", ["shortcuts", "own", name, "variables", word]) => format!("{name}'s {word}"),
        ("table", ["shortcuts", "own", name, _, word]) => format!("{name}'s macro {word}"),
        ("table", ["shortcuts", "table", "variables", word]) => format!("the table's {word}"),
        ("table", ["shortcuts", "table", _, word]) => format!("the table's macro {word}"),
        ("table", ["scene", "title"]) => "scene".to_owned(),
        ("table", place) => place.join(" "),
        _ => format!("{} {}", kind.trim_end_matches('s'), words.join(" ")),
    })
}

/// What people call the room with this id.
fn room_called(looking: &Looking, id: &str) -> String {
    let room = RoomId::try_from(id.to_owned()).ok();
    room.and_then(|room| looking.host.name_of_room(&room).ok()).unwrap_or_else(|| id.to_owned())
}

/// Creating something empty, or removing it, is not worth a word.
fn is_no_news(before: Option<&Value>, after: Option<&Value>) -> bool {
    let nothing = |value: Option<&Value>| match value {
        None | Some(Value::Null | Value::Bool(false)) => true,
        Some(Value::Number(number)) => number.as_f64() == Some(0.0),
        Some(Value::String(text)) => text.is_empty(),
        Some(Value::Array(list)) => list.is_empty(),
        Some(Value::Object(fields)) => fields.is_empty(),
        Some(Value::Bool(true)) => false,
    };
    before == after || (nothing(before) && nothing(after) && before.is_none() != after.is_none())
}

fn value(place: &str, before: Option<&Value>, after: Option<&Value>, shown: &mut Vec<String>) {
    let kind = before.or(after);
    // What a word stood for that came or went with all around it is no news.
    if (before.is_none() || after.is_none()) && kind.is_some_and(Value::is_string) && !place.contains('\'') {
        return;
    }
    shown.push(format!("{place} {} → {}", one(before, kind), one(after, kind)));
}

/// A value in words; a missing one is 0 among numbers and no among yes and no.
fn one(value: Option<&Value>, kind: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => match kind {
            Some(Value::Number(_)) => "0".to_owned(),
            Some(Value::Bool(_)) => "no".to_owned(),
            _ => "nothing".to_owned(),
        },
        Some(Value::Bool(yes)) => if *yes { "yes" } else { "no" }.to_owned(),
        Some(Value::String(text)) => cut(text, MOST_VALUE).into_owned(),
        Some(Value::Array(list)) if list.is_empty() => "nothing".to_owned(),
        Some(Value::Object(_)) => "something".to_owned(),
        Some(Value::Array(list)) if list.iter().all(Value::is_string) => {
            let words: Vec<_> = list.iter().filter_map(Value::as_str).collect();
            cut(&words.join(", "), MOST_VALUE).into_owned()
        }
        Some(Value::Array(list)) if list.iter().any(Value::is_object) => {
            format!("{} item{}", list.len(), if list.len() == 1 { "" } else { "s" })
        }
        Some(other) => cut(&other.to_string(), MOST_VALUE).into_owned(),
    }
}
