//! A line without its comment and with its slips corrected, so that it can be guessed what it means.

use super::bare;
use super::slips::{Slips, is_number};
use super::words::{FILLERS, ends_a_clause};
use crate::surroundings::Surroundings;
use dice::number_word;

/// What people say, and what commands call it.
const PLAINLY: [(&str, &str); 15] = [
    (" re-roll", " reroll"),
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
    comment: Option<String>,
    /// The words of that, each as typed and corrected.
    words: Vec<(String, String)>,
}

impl Tidied {
    pub fn of(here: &dyn Surroundings, typed: &str) -> Self {
        let (front, comment) = divided(typed);
        let vocabulary = here.vocabulary();
        let (several, values) =
            here.values(here.actor()).into_iter().partition::<Vec<&str>, _>(|name| name.contains(' '));
        let slips = Slips { vocabulary: &vocabulary, here, values, several };
        let words = slips.joined(front.split_whitespace().filter(|word| !is_emoji(word)));
        let text = words.iter().map(|word| slips.corrected(word)).collect::<Vec<_>>().join(" ");
        let text = PLAINLY.iter().fold(text, |text, (typed, plain)| text.replace(typed, plain));
        let text = POLITE.iter().find_map(|polite| text.strip_suffix(polite)).unwrap_or(&text);
        let text = with_values_attached(text, &slips.values);
        let words = front.split_whitespace().map(|word| (word.to_owned(), slips.corrected(word))).collect();
        let comment = comment.map(str::to_owned);
        Tidied { text: with_numbers_attached(&text), comment, words }
    }

    /// A line made of it, with the comment, which is as it was typed.
    pub fn commented(&self, line: String) -> String {
        let typed =
            line.split_once("# ").and_then(|(command, said)| Some(format!("{command}# {}", self.as_typed(said)?)));
        let line = typed.unwrap_or(line);
        let around = |c: char| matches!(c, ' ' | '-' | '–' | '(' | ')');
        let says =
            |comment: &&str| line.split_once("# ").is_some_and(|(_, said)| said.trim_matches(around) == *comment);
        match self.comment.as_deref().filter(|comment| !comment.is_empty() && !says(comment)) {
            Some(comment) => format!("{line} # {comment}"),
            None => line,
        }
    }

    /// The end of what was typed that says this: of `I shake it off` also the words that were left out.
    fn as_typed(&self, said: &str) -> Option<String> {
        let says = |words: &str| {
            let words = words.split_whitespace().map(|word| bare(word).to_lowercase());
            words.filter(|word| !word.is_empty() && !FILLERS.contains(&word.as_str())).collect::<Vec<_>>()
        };
        let wanted = says(said);
        let ends = |at: &usize| {
            let words: Vec<&str> = self.words[*at..].iter().map(|(_, corrected)| corrected.as_str()).collect();
            says(&words.join(" ")) == wanted
        };
        // `on that, forgot it`: the first two belong to the command.
        let clause = |at: &usize| {
            let words = self.words[*at..].iter().map(|(typed, _)| typed.as_str());
            let mut fillers = words.take_while(|word| FILLERS.contains(&bare(word).to_lowercase().as_str()));
            !fillers.any(ends_a_clause)
        };
        let at = (1..self.words.len()).filter(ends).find(clause).filter(|_| !wanted.is_empty())?;
        let words: Vec<&str> = self.words[at..].iter().map(|(typed, _)| typed.as_str()).collect();
        let around = |c: char| c.is_whitespace() || matches!(c, '"' | '“' | '”' | '(' | ')' | '…');
        Some(words.join(" ").trim_matches(around).to_owned())
    }
}

/// What is in front of a comment, and the comment: behind `#`, or a remark behind a dash or in parentheses.
pub(super) fn divided(typed: &str) -> (&str, Option<&str>) {
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
        let part = part.strip_prefix("my ").unwrap_or(part);
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
        let spelled = number_word(word).filter(|_| attached.ends_with(" +")).map(|number| number.to_string());
        let word = spelled.as_deref().unwrap_or(word);
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
