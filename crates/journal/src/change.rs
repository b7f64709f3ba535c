//! What a command changed at its table: places in the table's document with the values before and after.
//!
//! A place is a JSON pointer (RFC 6901) such as `/games/mvk/characters/1/inspiration`. A list counts as one value, and
//! absence as a value, so a change can be checked for still holding, and reversed. That is why these are not RFC 6902
//! patches: `add` there does not know what it replaces, and `test` cannot check for absence.

use crate::place::{Document, Place, unescaped};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// One place that got a new value; `None` stands for absence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// The place, as a JSON pointer.
    pub path: String,
    /// The value before.
    #[serde(skip_serializing_if = "Option::is_none", default, deserialize_with = "present")]
    pub before: Option<Value>,
    /// The value after.
    #[serde(skip_serializing_if = "Option::is_none", default, deserialize_with = "present")]
    pub after: Option<Value>,
}

/// What a command changed, in the order of these lists. Undo reverses what it made, but keeps what began with it,
/// because other things build on that.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Changes {
    /// What an edit took back of the first version; applied before everything else.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub taken_back: Vec<Change>,
    /// What was created on the way, before `made`: a player's character, a game's first state.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub begun: Vec<Change>,
    /// The command's effects.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub made: Vec<Change>,
    /// The offers of the roll it made.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub noted: Vec<Change>,
}

impl Changes {
    /// True if nothing changed.
    pub fn is_empty(&self) -> bool {
        self.all().next().is_none()
    }

    /// Merges in the changes that were withheld from these, in the order they were made.
    pub fn with(mut self, withheld: Changes) -> Self {
        self.taken_back.extend(withheld.taken_back);
        self.begun.extend(withheld.begun);
        self.made.extend(withheld.made);
        self.noted.extend(withheld.noted);
        self
    }

    /// Takes out the changes for which `is_withheld` is true and returns them in the same lists.
    ///
    /// # Errors
    /// Those of `is_withheld`.
    pub fn withhold<E>(&mut self, is_withheld: impl Fn(&Change) -> Result<bool, E>) -> Result<Changes, E> {
        let mut withheld = Changes::default();
        let Changes { taken_back, begun, made, noted } = self;
        let into = [&mut withheld.taken_back, &mut withheld.begun, &mut withheld.made, &mut withheld.noted];
        for (from, into) in [taken_back, begun, made, noted].into_iter().zip(into) {
            for change in std::mem::take(from) {
                if is_withheld(&change)? { into.push(change) } else { from.push(change) }
            }
        }
        Ok(withheld)
    }

    /// Every change, in order.
    pub fn all(&self) -> impl DoubleEndedIterator<Item = &Change> {
        self.taken_back.iter().chain(&self.begun).chain(&self.made).chain(&self.noted)
    }
}

/// The last entry that changed each place of a document, so undo can say what is in its way. If there are very many
/// places, the ones unchanged for longest are forgotten.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Touched(BTreeMap<String, u64>);

/// The most places remembered per document.
const MOST_TOUCHED: usize = 500;

impl Touched {
    /// True if nothing is recorded.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The newest recorded entry; 0 if none.
    pub fn newest(&self) -> u64 {
        self.0.values().max().copied().unwrap_or_default()
    }

    /// Records that entry `number` made those of `changes` that are in `document`.
    pub fn note<'a>(&mut self, document: &Document, changes: impl IntoIterator<Item = &'a Change>, number: u64) {
        let place = document.path();
        let below = changes.into_iter().filter_map(|change| change.path.strip_prefix(&place));
        for path in below.filter(|rest| rest.is_empty() || rest.starts_with('/')) {
            self.0.insert(path.to_owned(), number);
        }
        while self.0.len() > MOST_TOUCHED {
            let oldest = self.0.iter().min_by_key(|(_, number)| **number).map(|(path, _)| path.clone());
            oldest.map(|path| self.0.remove(&path));
        }
    }

    /// The last entry that changed `path` (below `place`), something inside it, or something that contains it.
    pub fn last(&self, place: &str, path: &str) -> Option<u64> {
        let path = path.strip_prefix(place)?;
        let within = |inner: &str, outer: &str| {
            inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let meets = |each: &&String| within(each, path) || within(path, each);
        self.0.iter().filter(|(each, _)| meets(each)).map(|(_, number)| *number).max()
    }
}

/// A field that is present has a value, even if it is `null`.
fn present<'de, D: serde::Deserializer<'de>>(value: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(value).map(Some)
}

impl Change {
    /// What the change is about.
    pub fn place(&self) -> Place {
        Place::of(&self.path)
    }

    /// The document it is in, if that is known.
    pub fn document(&self) -> Option<Document> {
        Document::of(&self.path)
    }

    /// The roll it is about, if any.
    pub fn roll(&self) -> Option<u64> {
        match self.document()? {
            Document::Roll(number) => Some(number),
            Document::Table | Document::Room(_) | Document::Game(_) => None,
        }
    }

    /// True if its value is an object before or after.
    pub fn is_of_an_object(&self) -> bool {
        [&self.before, &self.after].into_iter().any(|value| value.as_ref().is_some_and(Value::is_object))
    }

    /// The change that undoes this one.
    #[must_use]
    pub fn reversed(self) -> Self {
        Change { path: self.path, before: self.after, after: self.before }
    }
}

/// The changes that turn `before` into `after`, both at `path`.
pub fn diff(path: &str, before: Option<&Value>, after: Option<&Value>) -> Vec<Change> {
    let mut changes = Vec::new();
    if before != after {
        collect(path, before, after, &mut changes);
    }
    changes
}

/// Adds the changes that turn `before` into `after`, which differ.
fn collect(path: &str, before: Option<&Value>, after: Option<&Value>, changes: &mut Vec<Change>) {
    match (before, after) {
        (Some(Value::Object(old)), Some(Value::Object(new))) => {
            // Most of a document stays the same; build pointers only for what differs.
            for (key, value) in old.iter().filter(|(key, value)| new.get(*key) != Some(*value)) {
                collect(&pointer(path, key), Some(value), new.get(key), changes);
            }
            for (key, value) in new.iter().filter(|(key, _)| !old.contains_key(*key)) {
                collect(&pointer(path, key), None, Some(value), changes);
            }
        }
        _ => changes.push(Change { path: path.to_owned(), before: before.cloned(), after: after.cloned() }),
    }
}

/// The pointer of `key` below `path`.
pub fn pointer(path: &str, key: &str) -> String {
    match key.contains(['~', '/']) {
        true => format!("{path}/{}", key.replace('~', "~0").replace('/', "~1")),
        false => format!("{path}/{key}"),
    }
}

/// Splits a change of whole objects into changes of single values.
pub fn leaves(change: &Change) -> Vec<Change> {
    let is_object = |value: &Option<Value>| value.as_ref().is_none_or(Value::is_object);
    let Change { path, before, after } = change;
    if !is_object(before) || !is_object(after) {
        return vec![change.clone()];
    }
    let fields = |value: &Option<Value>| value.as_ref().and_then(Value::as_object).cloned().unwrap_or_default();
    let (mut old, mut new) = (fields(before), fields(after));
    let keys: BTreeSet<String> = old.keys().chain(new.keys()).cloned().collect();
    let below = |key: String| Change { path: pointer(path, &key), before: old.remove(&key), after: new.remove(&key) };
    keys.into_iter().map(below).flat_map(|change| leaves(&change)).collect()
}

/// Applies the changes to `document`, creating objects on the way: all of them, or none. If a place does not have its
/// expected value, returns its path as the error.
pub fn apply(document: &mut Value, changes: &[Change]) -> Result<(), String> {
    if let Some(change) = changes.iter().find(|change| document.pointer(&change.path) != change.before.as_ref()) {
        return Err(change.path.clone());
    }
    for change in changes {
        set(document, &change.path, change.after.clone()).ok_or_else(|| change.path.clone())?;
    }
    Ok(())
}

fn set(document: &mut Value, path: &str, value: Option<Value>) -> Option<()> {
    let mut place = document;
    let mut keys = path.split('/').skip(1).map(unescaped).peekable();
    while let Some(key) = keys.next() {
        if place.is_null() {
            *place = Value::Object(Map::new());
        }
        let object = place.as_object_mut()?;
        match (keys.peek(), value.as_ref()) {
            (None, None) => {
                object.remove(&*key);
                return Some(());
            }
            _ => place = object.entry(&*key).or_insert(Value::Null),
        }
    }
    *place = value.unwrap_or_default();
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_diff_applied_gives_the_new_and_reversed_the_old() {
        let old = json!({"a": {"x": 1, "y": null, "l": [1, 2]}, "gone": true, "a/b~": 1});
        let new = json!({"a": {"x": 2, "l": [1, 3], "z": {}}, "new": null, "a/b~": 2});
        let changes = diff("", Some(&old), Some(&new));
        assert_eq!(changes.iter().filter(|change| change.path == "/a/l").count(), 1, "a list is one value");
        let stored = serde_json::to_string(&changes).unwrap();
        let changes: Vec<Change> = serde_json::from_str(&stored).unwrap();

        let mut document = old.clone();
        apply(&mut document, &changes).unwrap();
        assert_eq!(document, new);
        let back: Vec<_> = changes.into_iter().rev().map(Change::reversed).collect();
        apply(&mut document, &back).unwrap();
        assert_eq!(document, old);
    }

    #[test]
    fn a_change_that_no_longer_holds_changes_nothing() {
        let changes = diff("", Some(&json!({"x": 1, "y": 1})), Some(&json!({"x": 2, "y": 2})));
        let mut document = json!({"x": 1, "y": 5});
        assert_eq!(apply(&mut document, &changes), Err("/y".to_owned()));
        assert_eq!(document, json!({"x": 1, "y": 5}));
    }

    #[test]
    fn objects_on_the_way_come_into_being() {
        let mut document = Value::Null;
        let changes = diff("/games/mvk/characters", None, Some(&json!({"1": 2})));
        apply(&mut document, &changes).unwrap();
        assert_eq!(document, json!({"games": {"mvk": {"characters": {"1": 2}}}}));
    }
}
