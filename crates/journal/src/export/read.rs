//! Reads an export line by line, each in exactly the form this program writes, up to the footer with the checksum.

use super::{ExportError, FORMAT, FORMAT_WITH_WITHHELD, Footer, Header, Record};
use crate::verify::{form, seed_of};
use crate::{Before, Entry, Fate, Link, Verifier, Wrong, hex};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io::{BufRead, Read};

/// The longest line in bytes; even an entry that erases all words of a long journal is shorter.
const LONGEST_LINE: u64 = 64 << 20;

/// The result for an intact export.
#[derive(Debug)]
pub struct Verdict {
    /// Its first line.
    pub header: Header,
    /// The verifier with its counts.
    pub verifier: Verifier,
}

impl Verdict {
    /// Checks that the chain ends in a head that begins with `head`, if one is given. A journal that was cut short ends
    /// elsewhere, and the file itself cannot show that.
    ///
    /// # Errors
    /// It ends elsewhere.
    pub fn ends_in(self, head: Option<&str>) -> Result<Self, ExportError> {
        let ends = self.verifier.head();
        if head.is_some_and(|head| !ends.starts_with(head)) {
            let what = format!(
                "the chain ends in {ends}, which is not the head that you gave: that one is older or newer than this export, \
                 entries were cut off, or it is another journal"
            );
            return Err(damaged(what));
        }
        Ok(self)
    }
}

/// A line of an export other than the first and the last.
pub enum Body {
    /// A verified entry.
    Link(Box<Link>, Box<Entry>),
    /// A record of the table other than its journal.
    Record(Record),
}

/// Verifies an export line by line: that the file is complete, the chain, the digests, and every die whose seed is
/// included. Verified lines are handed on before the rest is known to be intact.
///
/// # Errors
/// The first thing that is not as it was written; an entry is named.
pub fn verify(input: &mut dyn BufRead, mut hand_on: impl FnMut(Body)) -> Result<Verdict, ExportError> {
    let mut sum = Sha256::new();
    let mut text = Vec::new();
    next_line(input, &mut text)?;
    let header = read_header(&text)?;
    sum.update(&text);
    let seeds: BTreeMap<_, _> =
        header.seeds.iter().filter_map(|(epoch, seed)| Some((*epoch, seed_of(seed)?))).collect();
    let (mut verifier, mut entries) = (Verifier::new(seeds), true);
    loop {
        let next = Wrong { number: verifier.last + 1, what: String::new() };
        if !next_line(input, &mut text)? {
            let what =
                format!("the file is cut off behind #{}; the journal goes on to #{}", verifier.last, header.last);
            return Err(damaged(what));
        }
        let line = text_of(&text);
        if line.starts_with("{\"hash\"") && entries {
            let link = form::link(line).and_then(|link| only_moves(&header, link));
            let link = link.map_err(|what| Wrong { what, ..next })?;
            let entry = verifier.check(&link)?;
            hand_on(Body::Link(Box::new(link), Box::new(entry)));
        } else if let Ok(record) = form::read::<Record>(line)
            && header.moves
            && form::plain(record.value.get()).is_ok()
        {
            entries = false;
            hand_on(Body::Record(record));
        } else if let Ok(footer @ Footer { end: true, .. }) = form::read(line) {
            if input.read(&mut [0])? > 0 {
                return Err(damaged("there is more after its last line".to_owned()));
            }
            check_end(&header, &verifier, &footer, &hex(&sum.finalize()))?;
            return Ok(Verdict { header, verifier });
        } else if verifier.last == header.last {
            return Err(damaged("the lines after its last entry cannot be read".to_owned()));
        } else {
            return Err(Wrong { what: "cannot be read".to_owned(), ..next }.into());
        }
        sum.update(&text);
    }
}

/// Reads a line including its end. Returns true if there is a complete one.
fn next_line(input: &mut dyn BufRead, text: &mut Vec<u8>) -> Result<bool, ExportError> {
    text.clear();
    Read::take(&mut *input, LONGEST_LINE).read_until(b'\n', text)?;
    match text.last() {
        Some(b'\n') => Ok(true),
        _ if text.len() as u64 == LONGEST_LINE => Err(damaged("a line of it is longer than any can be".to_owned())),
        _ => Ok(false),
    }
}

/// A line without its end; empty if it is not text.
fn text_of(line: &[u8]) -> &str {
    std::str::from_utf8(line).unwrap_or_default().trim_end_matches('\n')
}

/// What later entries did to an entry appears only in a file that moves the table.
fn only_moves(header: &Header, link: Link) -> Result<Link, String> {
    let bare = link.fate == Fate::default() && link.before == Before::default();
    if header.moves || bare { Ok(link) } else { Err("says more than an export does".to_owned()) }
}

fn read_header(line: &[u8]) -> Result<Header, ExportError> {
    #[derive(Deserialize)]
    struct Version {
        astragal_export: u32,
    }
    let none = || damaged("this is no export of an astragal journal, or its first line is damaged".to_owned());
    let version: Version = serde_json::from_slice(line).map_err(|_| none())?;
    if version.astragal_export > FORMAT_WITH_WITHHELD {
        return Err(ExportError::Newer);
    }
    let header: Header = form::read(text_of(line)).map_err(|_| none())?;
    let whole = version.astragal_export >= FORMAT && header.seeds.values().all(|seed| form::is_digest(seed));
    whole.then_some(header).ok_or_else(none)
}

fn check_end(header: &Header, verifier: &Verifier, footer: &Footer, sum: &str) -> Result<(), ExportError> {
    verifier.finish()?;
    if verifier.last != header.last || verifier.entries != footer.entries {
        let (found, last) = (verifier.last, header.last);
        return Err(damaged(format!("entries are missing: the last is #{found}, and should be #{last}")));
    }
    if verifier.head() != header.head {
        return Err(damaged("the chain ends elsewhere than the first line says".to_owned()));
    }
    if footer.sha256 != sum {
        return Err(damaged("the entries hold, but the rest of the file is not as it was written".to_owned()));
    }
    Ok(())
}

fn damaged(what: String) -> ExportError {
    ExportError::Damaged(what)
}
