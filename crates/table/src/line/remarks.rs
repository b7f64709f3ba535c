//! What a game's command was typed with besides its arguments: a remark, or a line that may be meant otherwise.

use crate::attempt::Attempt;
use crate::host::Host;
use crate::sheet::Sheet;
use crate::typography::as_meant;
use crate::words::Arguments;
use plugin_api::{Cast, CommandSpec, Effect, Refusal, names};
use std::ops::Range;
use understand::remark::{Doubt, Doubted, Known, Read, doubted, is_remark};

/// The arguments of a line as they were read.
pub(super) struct Reading<'a> {
    pub typed: &'a str,
    pub from: usize,
    /// The places of the words that are arguments.
    pub taken: Vec<Range<usize>>,
    pub spec: &'a CommandSpec,
    pub cast: &'a Cast,
}

fn doubt(host: &Host, reading: &Reading<'_>, attempt: &Attempt<'_>) -> Option<Doubted> {
    let room = Here { host, cast: reading.cast, attempt };
    doubted(read(reading), &room)
}

fn read<'a>(reading: &'a Reading<'_>) -> Read<'a> {
    Read { typed: reading.typed, from: reading.from, taken: &reading.taken, spec: reading.spec }
}

/// Whether what is left of a line cannot be meant otherwise than as a remark.
pub(super) fn is_clear(host: &Host, reading: &Reading<'_>, attempt: &Attempt<'_>) -> bool {
    let room = Here { host, cast: reading.cast, attempt };
    is_remark(read(reading), &room)
}

/// Refuses a line of which it is not clear what of it is a remark, with `#` put in front of that.
///
/// # Errors
/// It may be meant otherwise.
pub(super) fn unless_it_is_clear(host: &Host, reading: &Reading<'_>, attempt: &mut Attempt<'_>) -> Result<(), Refusal> {
    let Some((said, _)) = attempt.said.clone().filter(|_| attempt.offered.is_none()) else { return Ok(()) };
    // What was stored, such as a macro, is played as it was; a correction is shown only if it is clear.
    if attempt.message.ordered.is_some() || !attempt.rehearsed && !as_meant(&attempt.message.body).contains(&said) {
        return Ok(());
    }
    let Some(doubt) = doubt(host, reading, attempt) else { return Ok(()) };
    let remark = reading.typed[doubt.at.clone()].trim();
    // A value that was put in for a name counts nothing.
    let typed = |number: &str| !number.bytes().all(|byte| byte.is_ascii_digit()) || said.contains(number);
    if doubt.because == Doubt::Counted && !remark.split_whitespace().take(2).all(typed) {
        return Ok(());
    }
    let what = format!("\"{remark}\" would only be a comment");
    let place = place_of(&said, reading, doubt.at.clone());
    attempt.typed = said;
    attempt.asks = true;
    let refusal = Refusal { usage: true, ..Refusal::new(what) };
    let Some(place) = place else { return Err(refusal) };
    let right = doubt.shown.then(|| commented(&attempt.typed, &place, reading));
    Err(refusal.at(place).mended(0..attempt.typed.len(), right))
}

/// Where a remark is in the line as it was typed, in which names of values may stand for the values.
fn place_of(said: &str, reading: &Reading<'_>, remark: Range<usize>) -> Option<Range<usize>> {
    let front = Arguments::of(said, reading.spec.follow_up).typed;
    let words = |typed: &str| typed.split_whitespace().count();
    let behind = words(&reading.typed[remark.end..]);
    let end = front.len() - from_behind(&front, behind)?;
    let start = front[..end].len() - from_behind(&front[..end], words(&reading.typed[remark]))?;
    Some(start..front[..end].trim_end().len())
}

/// The line with a part of it behind `#`.
fn commented(said: &str, remark: &Range<usize>, reading: &Reading<'_>) -> String {
    let front = Arguments::of(said, reading.spec.follow_up).typed;
    let around = |c: char| c.is_whitespace() || matches!(c, ',' | '-' | '(');
    let arguments = format!("{} {}", said[..remark.start].trim_end_matches(around), front[remark.end..].trim());
    let comment = said[front.len()..].trim();
    format!("{} # {} {comment}", arguments.trim(), said[remark.clone()].trim()).trim().to_owned()
}

/// How many bytes so many words take up at the end of a text, with what is between them.
fn from_behind(text: &str, words: usize) -> Option<usize> {
    let starts = text.char_indices().filter(|(at, c)| !c.is_whitespace() && text[..*at].ends_with(char::is_whitespace));
    match words {
        0 => Some(text.len() - text.trim_end().len()),
        words => starts.map(|(at, _)| text.len() - at).rev().nth(words - 1),
    }
}

/// What the room of an attempt knows.
struct Here<'a, 'h> {
    host: &'a Host,
    cast: &'a Cast,
    attempt: &'a Attempt<'h>,
}

impl Known for Here<'_, '_> {
    fn is_name(&self, word: &str) -> bool {
        let group = [&names::EVERYBODY[..], &names::HEROES, &names::FOES].iter().any(|group| group.contains(&word));
        group || self.cast.known(word).is_some()
    }

    fn is_value(&self, word: &str) -> bool {
        let sheet = Sheet { doc: &self.attempt.doc, character: self.attempt.actor };
        sheet.names().any(|name| name == word)
    }

    fn is_command(&self, word: &str) -> bool {
        let plugins = &self.host.plugins;
        plugins.house_command(word, &self.attempt.room).is_some()
            || !plugins.knowing(word, &self.attempt.room).is_empty()
    }

    fn throws_dice(&self, word: &str) -> bool {
        let found = self.host.plugins.knowing(word, &self.attempt.room);
        found.iter().any(|(_, spec)| spec.effect == Effect::Rolls)
    }
}
