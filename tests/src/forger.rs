//! Changes an export and then makes the digests, the chain and the checksums fit again.

use journal::export::{ExportError, Header, verify};
use journal::{Entry, Link, digest, unhex};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// What is wrong with an export, and the number of the entry at fault, if the verifier names one.
pub fn wrong(export: &[u8]) -> Option<(String, Option<u64>)> {
    match verify(&mut &*export, |_| {}) {
        Ok(_) => None,
        Err(ExportError::Entry(wrong)) => Some((wrong.what, Some(wrong.number))),
        Err(other) => Some((other.to_string(), None)),
    }
}

/// The lines, each with its line end.
pub fn lines(export: &[u8]) -> Vec<Vec<u8>> {
    export.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
}

/// The export with its links changed, and digests, chain and checksums made to fit.
pub fn forged(export: &[u8], forge: impl Fn(&mut Vec<Link>)) -> Vec<u8> {
    let lines = lines(export);
    let (first, body) = lines.split_first().expect("a first line");
    let is_link = |line: &&Vec<u8>| line.starts_with(b"{\"hash\"");
    let mut links: Vec<Link> =
        body.iter().filter(is_link).map(|line| serde_json::from_slice(line).expect("a link")).collect();
    forge(&mut links);
    let mut hash = "0".repeat(64);
    for link in &mut links {
        hash = digest(&[unhex(&hash).expect("hexadecimal").as_slice(), link.entry.get().as_bytes()].concat());
        link.hash.clone_from(&hash);
    }
    let mut header: Header = serde_json::from_slice(first).expect("a header");
    header.head = hash;
    header.last = links.last().map_or(0, |last| entry(last)["number"].as_u64().expect("a number"));
    let mut forged = line(&header);
    links.iter().for_each(|link| forged.extend(line(link)));
    forged.extend(body.iter().filter(|line| !is_link(line) && !line.starts_with(b"{\"end\"")).flatten());
    summed(&forged, links.len())
}

fn line(value: &impl serde::Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(value).expect("JSON");
    line.push(b'\n');
    line
}

/// Adds a last line that fits.
pub fn summed(export: &[u8], entries: usize) -> Vec<u8> {
    let end = format!("{{\"end\":true,\"entries\":{entries},\"sha256\":\"{}\"}}\n", digest(export));
    [export, end.as_bytes()].concat()
}

/// A changed export with a last line that fits.
pub fn summed_anew(export: &[u8]) -> Vec<u8> {
    let lines = lines(export);
    let entries = lines.iter().filter(|line| line.starts_with(b"{\"hash\"")).count();
    summed(&lines[..lines.len() - 1].concat(), entries)
}

/// The export with the first occurrence of these words outside the chain changed, and a last line that fits.
pub fn doctored(export: &[u8], old: &str, new: &str) -> Vec<u8> {
    let text = String::from_utf8(export.to_vec()).expect("text");
    assert!(text.contains(old), "no {old} is there");
    summed_anew(text.replacen(old, new, 1).as_bytes())
}

/// An entry as JSON.
pub fn entry(link: &Link) -> Value {
    serde_json::from_str(link.entry.get()).expect("JSON")
}

/// Changes an entry and writes it in the bot's form.
pub fn say(link: &mut Link, change: impl FnOnce(&mut Value)) {
    let mut value = entry(link);
    change(&mut value);
    let entry: Entry = serde_json::from_value(value).expect("an entry");
    link.entry = serde_json::value::to_raw_value(&entry).expect("JSON");
}

/// Changes the text of an entry, in any form.
pub fn spell(link: &mut Link, old: &str, new: &str) {
    let text = link.entry.get();
    assert!(text.contains(old), "no {old} in {text}");
    link.entry = RawValue::from_string(text.replacen(old, new, 1)).expect("JSON");
}

/// Replaces text in a part's value and updates the digest in the entry.
pub fn replace(link: &mut Link, part: &str, old: &str, new: &str) {
    let parts = &mut link.parts;
    let slot = match part {
        "text" => &mut parts.text,
        "answer" => &mut parts.answer,
        "dice" => &mut parts.dice,
        "facts" => &mut parts.facts,
        "record" => &mut parts.record,
        "changes" => &mut parts.changes,
        _ => panic!("there is no part {part}"),
    };
    let slot = slot.as_mut().expect("it is there");
    let value = slot.value.get().replacen(old, new, 1);
    assert_ne!(value, slot.value.get(), "nothing was replaced");
    slot.value = RawValue::from_string(value).expect("JSON");
    let digest = slot.digest().expect("a salt");
    let mut entry = entry(link);
    entry["digests"][part] = json!(digest);
    let entry: Entry = serde_json::from_value(entry).expect("an entry");
    link.entry = serde_json::value::to_raw_value(&entry).expect("JSON");
}
