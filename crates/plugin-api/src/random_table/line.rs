//! The lines of a table, read from what was typed: plain, with a weight, or with numbers in front.

use crate::Refusal;
use serde::{Deserialize, Serialize};

/// Most lines of a table, characters of a line, and sides of the die that a table is rolled with.
pub const MOST_LINES: usize = 200;
const MOST_TEXT: usize = 200;
const MOST_SIDES: u32 = 10_000;
/// Characters of a line that a refusal shows.
const SHOWN: usize = 40;
/// A table with numbers, for refusals.
const RANGES: &str = "oracle weather: 1-3: rain | 4-5: wind | 6: snow";

/// A result, and how many faces of the die mean it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// The faces of the die that mean it, 1 to 10,000.
    pub weight: u32,
    /// The result.
    pub text: String,
}

/// Lines as they are kept: as they can be typed again, with `|` between them.
pub fn kept(lines: &[Line]) -> String {
    lines.iter().map(Line::typed).collect::<Vec<_>>().join(" | ")
}

/// Reads lines that were kept.
pub fn of_kept(kept: &str) -> Vec<Line> {
    let plain = |part: &str| Line { weight: 1, text: part.to_owned() };
    kept.split('|')
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(|part| weighted(part).unwrap_or_else(|_| plain(part)))
        .collect()
}

impl Line {
    /// As it can be typed again.
    pub fn typed(&self) -> String {
        let plain = numbered(&self.text).is_none() && weighed(&self.text).is_none() && bare(&self.text) == self.text;
        if self.weight == 1 && plain { self.text.clone() } else { format!("{}x {}", self.weight, self.text) }
    }
}

/// What a list of lines follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    /// The name of a new table.
    Name,
    /// The lines of a table, whose die has this many sides.
    Lines(u32),
}

/// Reads lines, divided by `|`. A new table on one line may be divided by `;` or commas.
///
/// # Errors
/// The first line that is none, or numbers that leave something out or meet twice.
pub fn read(body: &str, after: After) -> Result<Vec<Line>, Refusal> {
    let between = match after {
        After::Name if !body.contains(['|', '[']) => {
            body.find([';', ',']).map_or('|', |at| char::from(body.as_bytes()[at]))
        }
        _ => '|',
    };
    let parts = || body.split(between).map(bare).filter(|part| !part.is_empty());
    if parts().take(MOST_LINES + 1).count() > MOST_LINES {
        return Err(Refusal::new(format!("a table has at most {MOST_LINES} lines")).example("oracle"));
    }
    let first = if let After::Lines(sides) = after { sides } else { 0 };
    let lines = match parts().filter(|part| numbered(part).is_some()).count() {
        0 => parts().map(weighted).collect::<Result<Vec<_>, _>>()?,
        _ => ranges(parts(), first)?,
    };
    if let Some(long) = lines.iter().find(|line| line.text.chars().count() > MOST_TEXT) {
        return Err(Refusal::new(format!(
            "{} is too long: a line has at most {MOST_TEXT} characters",
            quoted(&long.text)
        )));
    }
    let sides = lines.iter().fold(first, |sides, line| sides.saturating_add(line.weight));
    if sides > MOST_SIDES {
        return Err(Refusal::new(format!("that is a d{sides}: a table's die has at most {MOST_SIDES} sides")));
    }
    Ok(lines)
}

/// A line without the mark that a list has in front of it.
fn bare(part: &str) -> &str {
    let mut part = part.trim();
    while let Some(rest) = ["- ", "* ", "• "].iter().find_map(|mark| part.strip_prefix(mark)) {
        part = rest.trim_start();
    }
    if ["-", "*", "•"].contains(&part) { "" } else { part }
}

/// The line as a refusal shows it.
fn quoted(line: &str) -> String {
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("\"{}…\"", &line[..end]),
        None => format!("\"{line}\""),
    }
}

/// The digits at the beginning, and the rest.
fn digits(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// The numbers in front of a line, as typed, and its text: `1-3: rain`, `4. wind`, `96-00) snow`.
fn numbered(part: &str) -> Option<(&str, &str, &str)> {
    let (low, rest) = digits(part)?;
    let range = rest.trim_start().strip_prefix(['-', '\u{2013}']).and_then(|rest| digits(rest.trim_start()));
    let (high, rest) = range.unwrap_or((low, rest));
    let ends = |mark: char| rest.trim_start().strip_prefix(mark);
    // `3.5 gold` and `2) ` with nothing after it are no numbers of a line.
    let apart = |rest: &&str| rest.starts_with(char::is_whitespace);
    let text = ends(':').or_else(|| ends('.').filter(apart)).or_else(|| ends(')').filter(apart))?;
    Some((low, high, text.trim()))
}

/// The weight in front of a line or after it, as typed, and its text: `3x silence`, `silence x3`.
fn weighed(part: &str) -> Option<(&str, &str)> {
    let front = || {
        let (number, rest) = digits(part)?;
        let text = rest.trim_start().strip_prefix(['x', 'X'])?;
        text.starts_with(char::is_whitespace).then(|| (number, text.trim()))
    };
    let back = || {
        let (text, last) = part.rsplit_once(char::is_whitespace)?;
        let number = last.strip_prefix(['x', 'X'])?;
        number.bytes().all(|byte| byte.is_ascii_digit()).then(|| (number, text.trim()))
    };
    front().or_else(back).filter(|(number, text)| !number.is_empty() && !text.is_empty())
}

/// Reads a line that may say how often it counts: `3x silence`.
///
/// # Errors
/// It counts never, or too often.
pub fn weighted(part: &str) -> Result<Line, Refusal> {
    let Some((number, text)) = weighed(part) else { return Ok(Line { weight: 1, text: part.to_owned() }) };
    match number.parse() {
        Ok(weight @ 1..=MOST_SIDES) => Ok(Line { weight, text: text.to_owned() }),
        _ => Err(Refusal::new(format!("{}: a line counts from 1 to {MOST_SIDES} times", quoted(part)))),
    }
}

/// A number in front of a line; `00` is 100.
fn number(typed: &str) -> u32 {
    let zeros = typed.len() > 1 && typed.len() < 5 && typed.bytes().all(|byte| byte == b'0');
    if zeros { 10_u32.pow(typed.len() as u32) } else { typed.parse().unwrap_or(u32::MAX) }
}

/// The lines of a table with numbers, which begin after `last` and go on without a gap.
fn ranges<'a>(parts: impl Iterator<Item = &'a str>, last: u32) -> Result<Vec<Line>, Refusal> {
    let refuse = |what: String| Err(Refusal::new(what).example(RANGES));
    let mut all = Vec::new();
    for part in parts {
        let Some((low, high, text)) = numbered(part) else {
            return refuse(format!("{} has no number in front: number every line or none", quoted(part)));
        };
        let (low, high) = (number(low), number(high));
        if text.is_empty() {
            return refuse(format!("{} says nothing", quoted(part)));
        }
        if low > high || high > MOST_SIDES {
            return refuse(match low > high {
                true => format!("{} runs backwards", quoted(part)),
                false => format!("{} goes too far: {MOST_SIDES} is the highest number", quoted(part)),
            });
        }
        all.push((low, high, text, part));
    }
    all.sort_by_key(|(low, ..)| *low);
    let (mut last, mut before) = (last, None);
    for (low, high, _, part) in &all {
        let next = last + 1;
        match before {
            _ if *low == next => {}
            Some(before) if *low < next => return refuse(format!("{} overlaps {}", quoted(part), quoted(before))),
            None if *low < next => {
                return refuse(format!("{} does not go on from {last}, the last number", quoted(part)));
            }
            _ if *low - next == 1 => return refuse(format!("nothing is on {next}, in front of {}", quoted(part))),
            _ => return refuse(format!("nothing is on {next} to {}, in front of {}", low - 1, quoted(part))),
        }
        (last, before) = (*high, Some(*part));
    }
    Ok(all.into_iter().map(|(low, high, text, _)| Line { weight: high - low + 1, text: text.to_owned() }).collect())
}

#[cfg(test)]
mod tests;
