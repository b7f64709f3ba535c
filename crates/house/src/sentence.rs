//! What was played, as sentences: who did what and how it ended, without secrets and without what was undone. It knows
//! which entries are part of the story; how a game's own result reads is that game's business.

use chat::cut;
use journal::documents::TableDoc;
use journal::{HOUSE, Page};
use plugin_api::{FollowUp, Past};
use std::collections::BTreeSet;
use table::Plugins;
use table::own::{SCENE, title_in};
use table::words::{Arguments, shown_comment};

/// The most characters of a result in a sentence.
const MOST_RESULT: usize = 200;
/// How the answer begins to a command whose dice had no effect, now and in older journals.
const NOTHING: [&str; 2] = ["no effect", "comes to nothing"];
/// How an edit is marked in an answer.
const EDITED: &str = " (edited, was #";

/// A part of a story.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// A scene begins.
    Scene(String),
    /// A scene ends.
    Ends,
    /// Somebody did something.
    Did(Sentence),
    /// Somebody noted something for everybody.
    Noted { who: String, what: String },
}

/// Who did what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sentence {
    /// What they said about it.
    pub remark: Option<String>,
    /// Its subject, with which the rest begins.
    pub who: String,
    /// The sentence with its full stop.
    pub says: String,
    /// The dice that were rolled for it.
    pub dice: String,
    /// How many of them an edit added, in words: `1 die more`.
    pub added: Option<String>,
}

impl Sentence {
    /// What is said of dice that an edit added: ` (edited: 1 die more)`.
    pub fn mark(&self) -> String {
        self.added.as_ref().map_or(String::new(), |added| format!(" (edited: {added})"))
    }

    /// The remark as the beginning of the line: `Over the wall: `, `Is it there? `.
    pub fn begins(&self) -> Option<String> {
        let remark = self.remark.as_deref()?.trim();
        let ends = remark.ends_with(['.', '!', '?', '…', ':', '"']);
        Some(format!("{}{} ", upper_first(remark), if ends { "" } else { ":" }))
    }
}

/// Tells of a table's entries.
pub struct Teller<'a> {
    plugins: &'a Plugins,
    doc: &'a TableDoc,
    names: BTreeSet<&'a str>,
}

impl<'a> Teller<'a> {
    pub fn new(plugins: &'a Plugins, doc: &'a TableDoc) -> Self {
        Teller { plugins, doc, names: doc.characters.values().map(|each| each.name.as_str()).collect() }
    }

    /// What an entry adds to the story; nothing if it is secret, erased or undone, or about the table and not the game.
    pub fn part(&self, page: &Page) -> Option<Part> {
        if page.is_void() || page.is_secret() {
            return None;
        }
        let (text, answer) = (page.text()?, page.answer()?);
        let added = page.entry.replaces.and_then(|_| added(&answer));
        let answer = match answer.find(EDITED) {
            Some(at) => answer[..at].to_owned(),
            None => answer,
        };
        let who = self.doc.name_of(page.entry.character);
        if page.entry.game == HOUSE {
            return of_table(page, who, &text, &answer);
        }
        match self.of_game(page, who, &text, &answer)? {
            Part::Did(did) => Some(Part::Did(Sentence { added, ..did })),
            part => Some(part),
        }
    }

    fn of_game(&self, page: &Page, who: &str, text: &str, answer: &str) -> Option<Part> {
        let (plugin, command) = (self.plugins.get(&page.entry.game), page.entry.command.as_str());
        let manifest = plugin.map(|plugin| plugin.manifest());
        let (who, about, result) = self.whose(page, who, &result(answer));
        if result.is_empty() || NOTHING.iter().any(|nothing| result.starts_with(nothing)) {
            return None;
        }
        let follow_up =
            manifest.and_then(|manifest| manifest.command(command)).map_or(FollowUp::No, |spec| spec.follow_up);
        let remark = Arguments::of(text, follow_up).comment.or_else(|| prose(text, answer));
        // What somebody said about it must not pass for its result.
        let answer = &remark.as_ref().map_or(answer.to_owned(), |remark| without(answer, &shown_comment(remark)));
        let facts = page.facts();
        let past = Past { who: &who, about: about.as_deref(), command, result: &result, answer, facts: &facts };
        let says = plugin.and_then(|plugin| plugin.sentence(&past)).unwrap_or_else(|| past.plainly());
        if says.is_empty() {
            return None;
        }
        // A question that the answer quotes is said once.
        let remark = remark.filter(|remark| !says.contains(remark.as_str()));
        Some(Part::Did(Sentence { remark, who, says: ended(&says), dice: page.dice_shown(), added: None }))
    }

    /// Whom a result is about, who else is named in front of it, and the rest: `Ann's test #12: FAILURE`, `Ogre: damage 17`.
    fn whose(&self, page: &Page, who: &str, result: &str) -> (String, Option<String>, String) {
        if page.entry.follows.is_some()
            && let Some((owner, rest)) = result.split_once("'s ")
            && let Some((_, rest)) = rest.split_once(": ")
            && self.names.contains(owner)
        {
            return (owner.to_owned(), None, rest.to_owned());
        }
        match result.split_once(": ") {
            Some((about, rest)) if self.names.contains(about) => {
                (who.to_owned(), Some(about.to_owned()), rest.to_owned())
            }
            _ => (who.to_owned(), None, result.to_owned()),
        }
    }
}

/// The dice that an edit added, as its answer says in its last brackets.
fn added(answer: &str) -> Option<String> {
    let edited = &answer[answer.rfind(EDITED)?..];
    let words: Vec<&str> = edited[..edited.find(')')?].split_whitespace().collect();
    let at = words.windows(2).position(|pair| matches!(pair[0], "die" | "dice") && pair[1] == "more")?;
    Some(format!("{} {} more", words[at.checked_sub(1)?], words[at]))
}

/// What one of the table's own commands adds.
fn of_table(page: &Page, who: &str, text: &str, answer: &str) -> Option<Part> {
    let rest = text.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim());
    let did = |says: &str| Some(Part::Did(Sentence { who: who.to_owned(), says: ended(says), ..Sentence::default() }));
    match page.entry.command.as_str() {
        SCENE if answer.starts_with("Scene: ") => Some(Part::Scene(title_in(text)?)),
        SCENE => Some(Part::Ends),
        "note" => Some(Part::Noted { who: who.to_owned(), what: rest.to_owned() }),
        // A handout is shown to everyone.
        "handout" if !page.entry.reveals.is_empty() => {
            did(&format!("{who} showed everyone {}", answer.lines().next()?))
        }
        "join" | "leave" => did(answer.split(['\n', ';']).next().unwrap_or_default()),
        "unseal" => {
            // `- Ann: I strike (#25)`
            let each = answer.lines().filter_map(|line| line.strip_prefix("- "));
            let each: Vec<&str> = each.map(|line| line.rsplit_once(" (#").map_or(line, |(said, _)| said)).collect();
            if each.is_empty() { None } else { did(&format!("What was sealed is opened. {}", each.join("; "))) }
        }
        _ => None,
    }
}

/// The result in an answer: up to its first ` | `, and of a list every item up to there.
fn result(answer: &str) -> String {
    let first = |line: &str| line.split(" | ").next().unwrap_or_default().trim().to_owned();
    let mut lines = answer.lines();
    let mut result = first(lines.next().unwrap_or_default());
    let items: Vec<String> = lines.filter_map(|line| line.strip_prefix("- ")).map(first).collect();
    if !items.is_empty() {
        result = format!("{result} {}", items.join("; "));
    }
    cut(&result, MOST_RESULT).into_owned()
}

/// An answer without this part of it, if it is there; the last one, because what is said comes last.
fn without(answer: &str, part: &str) -> String {
    let part = format!(" | {part}");
    answer.rfind(&part).map_or(answer.to_owned(), |at| format!("{}{}", &answer[..at], &answer[at + part.len()..]))
}

/// What was said without a `#`: the answer repeats the end of the line.
fn prose(text: &str, answer: &str) -> Option<String> {
    let is_prose = |said: &&str| {
        said.split_whitespace().count() > 1
            && !said.contains(|c: char| c.is_ascii_digit())
            && text.trim_end().ends_with(*said)
    };
    answer.lines().flat_map(|line| line.split(" | ").skip(1)).find(is_prose).map(str::to_owned)
}

fn ended(says: &str) -> String {
    let ends = says.ends_with(['.', '!', '?', '…']);
    format!("{says}{}", if ends { "" } else { "." })
}

fn upper_first(text: &str) -> String {
    let mut rest = text.chars();
    let first = rest.next().map(|c| c.to_uppercase().collect::<String>()).unwrap_or_default();
    first + rest.as_str()
}
