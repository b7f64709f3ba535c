//! A line without its comment and with its slips corrected, so that it can be guessed what it means.

use super::bare;
use super::slips::{Slips, is_number, known};
use crate::attempt::Attempt;
use crate::host::Host;
use crate::sheet::Sheet;
use crate::words::CommandLine;
use dice::number_word;
use plugin_api::Cast;

/// What people say, and what commands call it.
const PLAINLY: [(&str, &str); 14] = [
    (" target number ", " difficulty "),
    (" all heroes", " heroes"),
    (" heros ", " heroes "),
    (" all of them", " all"),
    (" lvl ", " level "),
    ("'s roll ", " "),
    ("'s action ", " "),
    ("'s check ", " "),
    ("'s test ", " "),
    (" v. hard", " very hard"),
    (" v. easy", " very easy"),
    (" v. ", " vs "),
    (" vs. ", " vs "),
    (" – ", " - "),
];

/// What may end a line and says nothing.
const POLITE: [&str; 5] = [" please", " pls", " plz", " thanks", " thx"];

/// A line to guess at.
pub(super) struct Tidied {
    pub text: String,
    /// What was typed in front of the comment.
    pub front: String,
    comment: Option<String>,
}

impl Tidied {
    pub fn of(host: &Host, line: &CommandLine, attempt: &Attempt<'_>, cast: &Cast) -> Self {
        let (front, comment) = divided(&line.typed);
        let known = known(host, attempt);
        let sheet = Sheet { doc: &attempt.doc, character: attempt.actor };
        let (several, values) = sheet.names().partition::<Vec<&str>, _>(|name| name.contains(' '));
        let slips = Slips { known: known.iter().map(String::as_str).collect(), values, several, cast };
        let words = slips.joined(front.split_whitespace().filter(|word| !is_emoji(word)));
        let text = words.iter().map(|word| slips.corrected(word)).collect::<Vec<_>>().join(" ");
        let text = PLAINLY.iter().fold(text, |text, (typed, plain)| text.replace(typed, plain));
        let text = POLITE.iter().find_map(|polite| text.strip_suffix(polite)).unwrap_or(&text);
        let text = with_values_attached(text, &slips.values);
        Tidied { text: with_numbers_attached(&text), front: front.to_owned(), comment: comment.map(str::to_owned) }
    }

    /// A line made of it, with the comment.
    pub fn commented(&self, line: String) -> String {
        match self.comment.as_deref().filter(|comment| !comment.is_empty()) {
            Some(comment) if line.contains('#') => format!("{line}, {comment}"),
            Some(comment) => format!("{line} # {comment}"),
            None => line,
        }
    }
}

/// What is in front of a comment, and the comment: behind `#`, or a remark behind a dash or in parentheses.
fn divided(typed: &str) -> (&str, Option<&str>) {
    let digit = |at: &usize| typed[at + 1..].starts_with(|c: char| c.is_ascii_digit());
    if let Some(at) = typed.match_indices('#').map(|(at, _)| at).find(|at| !digit(at)) {
        return (typed[..at].trim_end(), Some(typed[at + 1..].trim()));
    }
    let letter = |at: &usize, sign: &str| typed[at + sign.len()..].starts_with(char::is_alphabetic);
    let remark = |sign: &str| typed.match_indices(sign).map(|(at, _)| at).find(|at| letter(at, sign));
    match [" - ", " – ", " ("].into_iter().find_map(remark) {
        Some(at) => (&typed[..at], Some(typed[at..].trim_matches([' ', '-', '–', '(', ')']))),
        None => (typed, None),
    }
}

/// `d20 + str` is `d20+str`.
fn with_values_attached(text: &str, values: &[&str]) -> String {
    let text = text.replace(" plus ", " + ");
    let mut parts = text.split(" + ");
    let mut attached = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let value = part.split(' ').next().is_some_and(|word| values.contains(&bare(word).to_lowercase().as_str()));
        let counts = attached.ends_with(|c: char| c.is_ascii_digit()) && value;
        attached.push_str(if counts { "+" } else { " + " });
        attached.push_str(part);
    }
    attached
}

/// `+ 2` and `plus 2` are `+2`, and `two d10` is `2d10`.
fn with_numbers_attached(text: &str) -> String {
    let text = text.replace(" plus ", " + ").replace(" minus ", " - ");
    let mut attached = String::new();
    for word in text.split(' ') {
        let number = word.bytes().all(|byte| byte.is_ascii_digit());
        let die = word.strip_prefix('d').is_some_and(|sides| sides.parse::<u32>().is_ok());
        let last = attached.rsplit(' ').next().unwrap_or_default();
        if let Some(count) = number_word(last).filter(|_| die) {
            attached.truncate(attached.len() - last.len());
            attached.push_str(&format!("{count}{word}"));
            continue;
        }
        // `d12 x2`
        if let Some(times) = word.strip_prefix('x').filter(|times| is_number(times))
            && last.strip_prefix('d').is_some_and(is_number)
        {
            attached.insert_str(attached.len() - last.len(), times);
            continue;
        }
        if !(attached.is_empty() || number && (attached.ends_with(" +") || attached.ends_with(" -"))) {
            attached.push(' ');
        }
        attached.push_str(word);
    }
    attached
}

fn is_emoji(word: &str) -> bool {
    word.chars().all(|c| !c.is_alphanumeric() && !c.is_ascii() && !c.is_ascii_punctuation())
        && !word.starts_with(['…', '–', '—', '“', '”', '‘', '’'])
}
