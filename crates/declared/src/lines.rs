//! A file as lines of `name: value` under headings.

use crate::mistake::Mistake;
use std::ops::Range;

/// The largest file, in bytes.
pub const MOST_BYTES: usize = 64 << 10;
/// The most characters of a line.
const MOST_IN_A_LINE: usize = 1000;
/// The heading of what is played as an example, whose lines are as people say them.
pub const SCENE: &str = "scene";
/// The headings of a random table and of a deck, whose lines are what is on them.
pub const ORACLE: &str = "oracle";
pub const DECK: &str = "deck";

/// A heading, `[command act]`, and the lines below it. The lines above the first heading has an empty one.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// Its kind: `command`. In lower case.
    pub kind: String,
    /// What follows the kind: `act`. In lower case.
    pub name: String,
    /// The heading itself.
    pub heading: Line,
    /// The lines below it.
    pub lines: Vec<Line>,
}

/// One line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Its number in the file, from 1.
    pub number: usize,
    /// The whole line.
    pub text: String,
    /// The text before the first colon, without spaces around it.
    pub name: String,
    /// Where the value begins in `text`, in bytes.
    pub from: usize,
}

impl Line {
    /// The text behind the first colon.
    pub fn value(&self) -> &str {
        &self.text[self.from..]
    }

    /// A mistake at these bytes of the line, without the spaces around them.
    pub fn wrong(&self, at: Range<usize>, what: impl Into<String>) -> Mistake {
        let wrong = self.text.get(at.clone()).unwrap_or_default();
        let spaces = wrong.len() - wrong.trim_start().len();
        let at = if wrong.trim().is_empty() { at } else { at.start + spaces..at.start + wrong.trim_end().len() };
        let characters = |end: usize| self.text.get(..end).map_or(0, |text| text.chars().count());
        let at = characters(at.start)..characters(at.end.min(self.text.len()));
        Mistake { line: self.number, at, text: self.text.clone(), what: what.into() }
    }

    /// A mistake of the whole line.
    pub fn all_wrong(&self, what: impl Into<String>) -> Mistake {
        self.wrong(0..self.text.len(), what)
    }

    /// A mistake of the name before the colon.
    pub fn name_wrong(&self, what: impl Into<String>) -> Mistake {
        let start = self.text.len() - self.text.trim_start().len();
        self.wrong(start..start + self.name.len(), what)
    }

    /// A mistake of the text behind the colon.
    pub fn value_wrong(&self, what: impl Into<String>) -> Mistake {
        let start = self.text.len() - self.value().trim_start().len();
        self.wrong(start..self.text.trim_end().len().max(start), what)
    }
}

/// What a phone makes of signs, put back.
fn plain(line: &str) -> String {
    let signs = line.replace('≥', ">=").replace('≤', "<=").replace('≠', "<>");
    chat::as_meant(&signs).trim_end().to_owned()
}

/// The words of a heading, in lower case; `[[omen]]` on a random table is none.
fn heading(line: &str) -> Option<String> {
    let inside = line.strip_prefix('[')?.strip_suffix(']')?;
    let words: Vec<&str> = inside.split_whitespace().collect();
    (!inside.starts_with('[')).then(|| words.join(" ").to_lowercase())
}

/// Reads the lines of a file. Lines that are no `name: value`, and a file that is too large, are mistakes.
pub fn sections(text: &str, mistakes: &mut Vec<Mistake>) -> Vec<Section> {
    let mut all = vec![Section::default()];
    if text.len() > MOST_BYTES {
        let what = format!("the file has {} bytes, and {MOST_BYTES} is the most that I read", text.len());
        mistakes.push(Line::default().all_wrong(what));
        return all;
    }
    let mut lines = text.trim_start_matches('\u{feff}').lines().enumerate();
    while let Some((at, typed)) = lines.next() {
        let mut whole = plain(typed);
        let kind = all.last().map_or("", |section| &section.kind);
        let (scene, listed) = (kind == SCENE, kind == ORACLE || kind == DECK);
        while !scene && let Some(begun) = whole.strip_suffix(" \\") {
            let next = lines.next().map_or(String::new(), |(_, next)| plain(next));
            whole = format!("{begun} {}", next.trim_start());
        }
        let mut line = Line { number: at + 1, text: whole, name: String::new(), from: 0 };
        let trimmed = line.text.trim();
        let said = trimmed.is_empty() || trimmed.starts_with('#');
        if line.text.chars().count() > MOST_IN_A_LINE {
            line.text = line.text.chars().take(60).collect();
            mistakes.push(line.all_wrong(format!("no line may have more than {MOST_IN_A_LINE} characters")));
        } else if let Some(heading) = heading(trimmed) {
            let (kind, name) = heading.split_once(' ').unwrap_or((&heading, ""));
            let (kind, name) = (kind.to_owned(), name.to_owned());
            all.push(Section { kind, name, heading: line, lines: Vec::new() });
        } else if scene || listed && !said {
            all.last_mut().expect("there is one").lines.push(line);
        } else if !said {
            // `db = if str > 12 then 1 else 0` is worked out: the = belongs to the value.
            let colon = line.text.find(':').map(|colon| (colon, colon + 1));
            match colon.or_else(|| line.text.find('=').map(|equals| (equals, equals))) {
                Some((end, from)) => {
                    line.name = line.text[..end].trim().to_owned();
                    line.from = from;
                    all.last_mut().expect("there is one").lines.push(line);
                }
                None => {
                    mistakes.push(line.all_wrong("a line is a name, a colon and a value, as in \"title: My game\""));
                }
            }
        }
    }
    all
}
