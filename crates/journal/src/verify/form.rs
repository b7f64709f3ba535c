//! The exact form of an export. Anything that could be written in another way is refused, so that no two programs can
//! read it differently.
//!
//! JSON without spaces, no name twice in an object, fields in order, numbers and times in their shortest form.

use crate::{Entry, Link, Part, Parts, RULES};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::{Serialize, de::DeserializeOwned};
use std::collections::BTreeSet;
use std::fmt;

/// Hexadecimal digits of a digest, a salt, a seed.
const DIGITS: usize = 64;

/// Reads a value in exactly the form this program writes.
pub(crate) fn read<T: DeserializeOwned + Serialize>(text: &str) -> Result<T, String> {
    let value: T = serde_json::from_str(text).map_err(|error| format!("cannot be read: {error}"))?;
    match serde_json::to_string(&value) {
        Ok(written) if written == text => Ok(value),
        _ => Err("is not written as this program writes it: something is there twice, or in another form".to_owned()),
    }
}

/// Reads an entry.
pub(super) fn entry(text: &str) -> Result<Entry, String> {
    #[derive(serde::Deserialize)]
    struct Rules {
        rules: Option<u32>,
    }
    if let Ok(Rules { rules: Some(rules) }) = serde_json::from_str(text)
        && rules > RULES
    {
        return Err("a newer astragal wrote it: use that version to verify it".to_owned());
    }
    let entry: Entry = read(text)?;
    if entry.rules == 0 {
        return Err("was written under no rules".to_owned());
    }
    let digests = &entry.digests;
    let all = [&digests.text, &digests.answer, &digests.dice, &digests.facts, &digests.record, &digests.changes];
    let optional = digests.why.iter().chain(&digests.withheld).chain(&entry.commitment);
    let whole = all.into_iter().chain(optional).all(|digest| is_digest(digest));
    match whole {
        true => Ok(entry),
        false => Err("has a digest that is none".to_owned()),
    }
}

/// Reads a line with an entry.
pub(crate) fn link(line: &str) -> Result<Link, String> {
    let link: Link = read(line)?;
    parts(&link.parts)?;
    Ok(link)
}

fn parts(parts: &Parts) -> Result<(), String> {
    let Parts { text, answer, dice, facts, record, changes, why, withheld, .. } = parts;
    let all = [
        ("text", text, "\""),
        ("answer", answer, "\""),
        ("dice", dice, "["),
        ("facts", facts, "{"),
        // It may be any JSON.
        ("record", record, ""),
        ("changes", changes, "{"),
        ("explanation", why, "["),
        ("withheld part", withheld, "{"),
    ];
    for (name, part, begins) in all {
        let Some(Part { salt, value, .. }) = part else { continue };
        let value = value.get();
        if !is_digest(salt) || !value.starts_with(begins) {
            return Err(format!("its {name} is none"));
        }
        plain(value).map_err(|what| format!("its {name} {what}"))?;
    }
    Ok(())
}

pub(crate) fn is_digest(text: &str) -> bool {
    text.len() == DIGITS && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Checks that JSON has no spaces, and no name twice in an object.
pub(crate) fn plain(json: &str) -> Result<(), String> {
    let (mut quoted, mut escaped) = (false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = quoted,
            b'"' => quoted = !quoted,
            b' ' | b'\t' | b'\r' | b'\n' if !quoted => return Err("has spaces between its words".to_owned()),
            _ => {}
        }
    }
    serde_json::from_str::<Plain>(json).map(drop).map_err(|error| format!("cannot be read: {error}"))
}

/// Any JSON whose objects contain no name twice.
struct Plain;

impl<'de> Deserialize<'de> for Plain {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Plain)
    }
}

impl<'de> Visitor<'de> for Plain {
    type Value = Plain;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Plain, E> {
        Ok(Plain)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Plain, E> {
        Ok(Plain)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Plain, E> {
        Ok(Plain)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Plain, E> {
        Ok(Plain)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Plain, E> {
        Ok(Plain)
    }

    fn visit_str<E>(self, _: &str) -> Result<Plain, E> {
        Ok(Plain)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Plain, A::Error> {
        while seq.next_element::<Plain>()?.is_some() {}
        Ok(Plain)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Plain, A::Error> {
        let mut names = BTreeSet::new();
        while let Some(name) = map.next_key::<String>()? {
            if names.contains(&name) {
                return Err(A::Error::custom(format_args!("{name} stands there twice")));
            }
            names.insert(name);
            map.next_value::<Plain>()?;
        }
        Ok(Plain)
    }
}
