//! What people say, as the command that says it: rows of `words/phrases.toml`, each with an example. A row is a pattern of words and
//! holes, and the line that it stands for.
//!
//! In a pattern, `end|finish` is one of these words, `{number}` a hole, `?` behind either means that it may be missing, and `+` that
//! there may be several. `@lose` is one of the words that are listed so. `...` is a remark, which may be missing: `,...` behind a comma or another end of a part of the sentence, and
//! `because|from...` one that begins with such a word. What follows `any:` may stand in any order.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

/// Phrases that are looked for together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum About {
    /// What was just done is put right, or over.
    Afterthought,
    /// A card changes hands.
    Card,
    /// Somebody loses, gets back or has some of something.
    Counter,
    /// What a roll is against.
    Difficulty,
    /// What a command does not understand, though it is plain what is meant.
    Command,
    /// What a line may be if it is nothing else.
    Otherwise,
    /// A condition is over.
    Recovery,
}

/// A word of a sentence, with the punctuation around it left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said<'a> {
    /// In lower case.
    pub lower: &'a str,
    /// Whether a part of the sentence ends behind it.
    pub ends: bool,
}

/// Finds what may stand in a hole.
pub trait Holes {
    /// What the words from this one on are, as a hole of this name takes them, and how many of them that takes; the likeliest
    /// first.
    fn taken(&self, hole: &str, at: usize) -> Vec<(String, usize)>;
}

/// What a phrase stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meant {
    /// The lines that it may stand for, with holes in them; the first that can be played is meant.
    pub lines: &'static [String],
    /// What was said in each hole.
    pub holes: BTreeMap<&'static str, String>,
    /// The words that are a remark.
    pub remark: Range<usize>,
    /// The example of its row.
    pub example: &'static str,
}

/// All that a sentence may say about this, in the order of the rows.
pub fn phrases<'s>(about: About, words: &'s [Said<'s>], holes: &'s dyn Holes) -> impl Iterator<Item = Meant> + 's {
    let groups = PHRASES.iter().filter(move |group| group.about == about);
    groups.flat_map(|group| &group.rows).filter_map(move |row| Match { row, words, holes }.all())
}

/// How many rows there are about this.
pub fn rows(about: About) -> usize {
    PHRASES.iter().filter(|group| group.about == about).map(|group| group.rows.len()).sum()
}

/// True if a word is one of those that the phrases call by one of these names.
pub fn is_one_of(word: &str, names: &[&str]) -> bool {
    names.iter().any(|name| LISTED.words[*name].split('|').any(|one| one == word))
}

static LISTED: LazyLock<Listed> =
    LazyLock::new(|| toml::from_str(include_str!("../words/phrases.toml")).expect("a test reads it"));

static PHRASES: LazyLock<Vec<Group>> =
    LazyLock::new(|| LISTED.phrases.iter().map(|group| Group::of(group, &LISTED.words)).collect());

#[derive(Deserialize)]
struct Listed {
    /// Words that stand for one another.
    words: BTreeMap<String, String>,
    phrases: Vec<ListedGroup>,
}

#[derive(Deserialize)]
struct ListedGroup {
    about: About,
    /// Words that say nothing, wherever they stand.
    #[serde(default)]
    around: String,
    /// The pattern, the lines, an example, and what that is taken for.
    rows: Vec<[String; 4]>,
}

struct Group {
    about: About,
    rows: Vec<Row>,
}

struct Row {
    around: Vec<String>,
    parts: Vec<Part>,
    any_order: bool,
    remark: Option<Remark>,
    lines: Vec<String>,
    example: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "what the example must become is for the test"))]
    becomes: String,
}

/// A word or a hole.
struct Part {
    what: What,
    optional: bool,
    several: bool,
}

enum What {
    Words(Vec<String>),
    Hole(String),
}

/// Where a remark may begin.
enum Remark {
    Anywhere,
    BehindAClause,
    With(Vec<String>),
}

impl Group {
    fn of(listed: &ListedGroup, words: &BTreeMap<String, String>) -> Self {
        let around: Vec<String> = listed.around.split_whitespace().map(str::to_owned).collect();
        let rows = listed.rows.iter().cloned().map(|row| Row::of(row, around.clone(), words)).collect();
        Group { about: listed.about, rows }
    }
}

impl Row {
    fn of([says, means, example, becomes]: [String; 4], around: Vec<String>, words: &BTreeMap<String, String>) -> Self {
        let (any_order, pattern) = match says.strip_prefix("any:") {
            Some(pattern) => (true, pattern),
            None => (false, says.as_str()),
        };
        let listed = |part: &str| match part.strip_prefix('@') {
            Some(name) => {
                let plain = name.trim_end_matches(['?', '+', '.']);
                format!("{}{}", words[plain], &name[plain.len()..])
            }
            None => part.to_owned(),
        };
        let mut parts: Vec<String> = pattern.split_whitespace().map(listed).collect();
        let remark = parts.last().and_then(|last| last.strip_suffix("...")).map(|begins| match begins {
            "" => Remark::Anywhere,
            "," => Remark::BehindAClause,
            words => Remark::With(words.split('|').map(str::to_owned).collect()),
        });
        parts.truncate(parts.len() - usize::from(remark.is_some()));
        let lines = means.split(" | ").map(str::to_owned).collect();
        Row {
            around,
            parts: parts.iter().map(|part| Part::of(part)).collect(),
            any_order,
            remark,
            lines,
            example,
            becomes,
        }
    }
}

impl Part {
    fn of(typed: &str) -> Self {
        let plain = typed.trim_end_matches(['?', '+']);
        let hole = plain.strip_prefix('{').and_then(|hole| hole.strip_suffix('}'));
        let what = match hole {
            Some(hole) => What::Hole(hole.to_owned()),
            None => What::Words(plain.split('|').map(str::to_owned).collect()),
        };
        Part { what, optional: typed.ends_with('?'), several: typed.ends_with('+') }
    }
}

/// What was found so far of a row in a sentence.
#[derive(Clone, Default)]
struct Found {
    /// How often each part was there.
    times: Vec<usize>,
    holes: BTreeMap<&'static str, String>,
}

/// A row that is looked for.
struct Match<'s> {
    row: &'static Row,
    words: &'s [Said<'s>],
    holes: &'s dyn Holes,
}

impl Match<'_> {
    fn all(&self) -> Option<Meant> {
        let start = Found { times: vec![0; self.row.parts.len()], holes: BTreeMap::new() };
        let (found, remark) = self.from(0, start)?;
        let remark = remark..self.words.len();
        Some(Meant { lines: &self.row.lines, holes: found.holes, remark, example: &self.row.example })
    }

    /// What the words from this one on add, and where the remark begins.
    fn from(&self, at: usize, found: Found) -> Option<(Found, usize)> {
        let missing = |(part, times): (&Part, &usize)| !part.optional && *times == 0;
        let whole = !self.row.parts.iter().zip(&found.times).any(missing);
        let Some(word) = self.words.get(at) else { return whole.then_some((found, at)) };
        let open = || {
            let past = |part: &usize| self.row.any_order || found.times[part + 1..].iter().all(|times| *times == 0);
            let needed = |part: usize| {
                let before = self.row.parts[..part].iter().zip(&found.times);
                self.row.any_order || !before.into_iter().any(missing)
            };
            let free = |part: &usize| found.times[*part] == 0 || self.row.parts[*part].several;
            (0..self.row.parts.len()).filter(past).filter(free).filter(move |part| needed(*part))
        };
        for part in open() {
            for (hole, taken) in self.taken(&self.row.parts[part], at) {
                let mut more = found.clone();
                more.times[part] += 1;
                more.holes.extend(hole);
                if let Some(all) = self.from(at + taken, more) {
                    return Some(all);
                }
            }
        }
        if whole && self.remark_begins(at) {
            return Some((found, at));
        }
        self.is_idle(word).then(|| self.from(at + 1, found))?
    }

    /// What a part is here, and how many words that takes.
    fn taken(&self, part: &'static Part, at: usize) -> Vec<(Option<(&'static str, String)>, usize)> {
        match &part.what {
            What::Words(words) => {
                let is = words.iter().any(|word| word == self.words[at].lower);
                is.then_some((None, 1)).into_iter().collect()
            }
            What::Hole(_) if self.is_idle(&self.words[at]) => Vec::new(),
            What::Hole(hole) => {
                let all = self.holes.taken(hole, at).into_iter();
                all.filter(|(_, taken)| *taken > 0).map(|(said, taken)| (Some((hole.as_str(), said)), taken)).collect()
            }
        }
    }

    /// Whether a word says nothing here.
    fn is_idle(&self, word: &Said<'_>) -> bool {
        self.row.around.iter().any(|idle| idle == word.lower)
    }

    fn remark_begins(&self, at: usize) -> bool {
        match &self.row.remark {
            None => false,
            Some(Remark::Anywhere) => !self.is_idle(&self.words[at]),
            Some(Remark::BehindAClause) => at > 0 && self.words[at - 1].ends,
            Some(Remark::With(words)) => words.iter().any(|word| word == self.words[at].lower),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table at which Bob is, with a game whose roll is `test` and that knows `prone`.
    struct Example<'a>(&'a [Said<'a>]);

    impl Holes for Example<'_> {
        fn taken(&self, hole: &str, at: usize) -> Vec<(String, usize)> {
            let word = self.0[at].lower;
            let is = |right: bool, said: &str| if right { vec![(said.to_owned(), 1)] } else { Vec::new() };
            let number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
            match hole {
                "who" | "whom" | "whose" => is(word.trim_end_matches("'s") == "bob", "Bob"),
                "amount" => is(word == "2d8+3", word),
                "number" if word == "one" => is(true, "1"),
                "number" | "level" => is(number, word),
                "change" => is(word.starts_with(['+', '-']), word),
                "more" => is(word.starts_with(['+', '-', 'd']) && word.ends_with(char::is_numeric), word),
                "left" => is(word.contains('/'), word),
                "place" => match word {
                    "first" => is(true, "1"),
                    "second" => is(true, "2"),
                    _ => is(number, word),
                },
                "roll" if word == "test" => {
                    let all: Vec<&str> = self.0[at..].iter().map(|word| word.lower).collect();
                    vec![(all.join(" "), all.len())]
                }
                "counter" => is(["hp", "arrow", "arrows"].contains(&word), if word == "hp" { word } else { "arrows" }),
                "command" => is(word == "condition", word),
                "what" => is(word == "prone", word),
                "group" => is(["heroes", "everyone"].contains(&word), word),
                "text" | "named" => is(word == "eat", word),
                "time" if word == "in" => vec![("in 2 hours".to_owned(), 3)],
                _ => Vec::new(),
            }
        }
    }

    #[test]
    fn each_row_has_an_example_that_it_reads() {
        for group in PHRASES.iter() {
            for row in &group.rows {
                let plain = |word: &str| word.trim_matches(|c: char| ",.!?".contains(c)).to_lowercase();
                let words: Vec<(String, bool)> =
                    row.example.split(' ').map(|word| (plain(word), word.ends_with(['!', ',', '.', '?']))).collect();
                let said: Vec<Said<'_>> = words.iter().map(|(lower, ends)| Said { lower, ends: *ends }).collect();
                let holes = Example(&said);
                let meant = phrases(group.about, &said, &holes).next();
                let meant = meant.unwrap_or_else(|| panic!("{} is read", row.example));
                assert_eq!(meant.example, row.example, "another row reads {}", row.example);
                let mut line = meant.lines[0].clone();
                for (hole, said) in &meant.holes {
                    line = line.replace(&format!("{{{hole}}}"), said);
                }
                line = line.replace("{counter}", "hp");
                if let Some(who) = meant.holes.get("who") {
                    line = format!("as {who} {line}");
                }
                let remark: Vec<&str> = said[meant.remark].iter().map(|word| word.lower).collect();
                if !remark.is_empty() {
                    line = format!("{line} # {}", remark.join(" "));
                }
                assert_eq!(line, row.becomes, "{}", row.example);
            }
        }
    }

    #[test]
    fn what_no_row_says_is_nothing() {
        for said in ["", "turn", "the wolf took", "end my turn again", "give card to Bob", "advantage Bob"] {
            let words: Vec<Said<'_>> = said.split_whitespace().map(|lower| Said { lower, ends: false }).collect();
            let holes = Example(&words);
            let groups = [About::Afterthought, About::Card, About::Counter, About::Recovery];
            for about in groups {
                assert_eq!(phrases(about, &words, &holes).next(), None, "{said}");
            }
        }
    }
}
