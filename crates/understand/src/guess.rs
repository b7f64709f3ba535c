//! What a line may mean whose first word is no command: a sentence with a command in it, a character's name in front, a
//! question, bare dice. A guess is only shown, as a corrected line; whoever typed it may send it.
//!
//! Nothing is guessed that does not read as a command to the last word, and every word must be one that the command
//! knows, a number, a die or somebody's name.

mod aimed;
mod becomes;
mod command;
mod deed;
mod edits;
mod misread;
mod phrases;
mod question;
mod reads;
mod remarked;
mod said;
mod search;
mod slips;
mod tidied;
mod vocabulary;
mod words;

use crate::english::turns;
use crate::phrases::{About, is_one_of};
use crate::surroundings::Surroundings;
use dice::number_word;
use plugin_api::{Cast, Plugin};
use std::slice::SliceIndex;
use tidied::Tidied;
use words::{ARTICLES, DONE, FILLERS, TURNS, VERBS};

pub use misread::{meant_by, meant_by_tool, meant_by_value};
pub use search::candidates;
pub use slips::{SPOKEN, consonants};
pub use vocabulary::Vocabulary;
pub use words::is_idle;

/// The most words of a line that is guessed at.
const MOST_WORDS: usize = 14;

/// Steps of looking at a word, and how many names it is compared with in one step.
const A_WORD: usize = 5;
const NAMES_IN_A_STEP: usize = 4;

/// Numbers that are typed as words, from two.
const SEVERAL: [&str; 9] = ["2", "3", "4", "5", "6", "7", "8", "9", "10"];

/// The line that was probably meant, without the prefix.
pub enum Guess {
    /// A command that answers the question. It changes nothing, so it may be played at once.
    Answer(String),
    /// Something to be confirmed.
    Line(String),
}

/// Guesses what a line means whose first word is no command.
pub fn guess(here: &dyn Surroundings, typed: &str) -> Option<Guess> {
    let tidied = Tidied::of(here, typed);
    let sentence = Sentence::of(here, (&tidied.text, here.is_addressed()))?;
    let told = || sentence.names_first().or_else(|| sentence.is_an_argument_first()).or_else(|| sentence.has_command());
    let told = || told().or_else(|| sentence.has_a_name_first()).or_else(|| sentence.deed());
    let told = || {
        told()
            .or_else(|| sentence.phrase(About::Recovery).filter(|_| sentence.by_name))
            .or_else(|| sentence.aims_from(0))
    };
    let told = || told().or_else(|| sentence.phrase(About::Otherwise));
    let oracle = || sentence.asks_the_oracle().map(Guess::Line);
    sentence.asks().or_else(|| told().map(|line| Guess::Line(tidied.commented(line)))).or_else(oracle)
}

/// The line of which it can be told without a doubt what somebody does, takes back or should have done: a better guess
/// than a slip or another word for a command.
pub fn surely(here: &dyn Surroundings, typed: &str) -> Option<String> {
    let tidied = Tidied::of(here, typed);
    let sentence = Sentence::of(here, (&tidied.text, here.is_addressed()))?;
    sentence.phrase(About::Afterthought).or_else(|| sentence.surely()).map(|line| tidied.commented(line))
}

/// What a line means that begins with a number: `2 bd`, `+1 inspiration`.
pub fn number_first(here: &dyn Surroundings, typed: &str) -> Option<String> {
    let tidied = Tidied::of(here, typed);
    let sentence = Sentence::of(here, (&tidied.text, here.is_addressed()))?;
    let (number, rest) = sentence.words.split_first()?;
    let (word, behind) = rest.split_first()?;
    let behind = [&[*number], &without(&FILLERS, behind)[..]].concat();
    // `2 bonus dice` is `bonusdice 2`.
    let both = rest.get(1).map(|next| format!("{word}{next}").to_lowercase());
    let both = both.and_then(|both| sentence.first_that_fits(sentence.exact(&both, number)));
    let counted = stems(&word.to_lowercase()).iter().find_map(|word| {
        // `3 shock` is 3 more of what `shock` shows.
        let counted = sentence.all().any(|(_, spec)| spec.answers_to(word) && spec.only_shows());
        if counted { sentence.with_a_change(word, &behind) } else { sentence.with_numbers(word, &behind) }
    });
    let aimed = sentence.deed().filter(|line| line.contains(" on "));
    aimed
        .or(both)
        .or_else(|| sentence.phrase(About::Counter))
        .or(counted)
        .or_else(|| sentence.several_act())
        .or_else(|| sentence.deed())
        .map(|line| tidied.commented(line))
}

/// True if this word begins a sentence rather than being a slip of a command, where others follow it.
pub fn begins_a_sentence(word: &str) -> bool {
    VERBS.contains(&word) || TURNS.contains(&word) || ARTICLES.contains(&word)
}

/// True if this word says what somebody does, or what is not to be done, so that it is no slip of a command where others
/// follow it: `kick Bob`, `dont soak`, `uncondition Ann`.
pub fn says_what_is_done(word: &str, known: &[&str]) -> bool {
    let undone = word.strip_prefix("un").is_some_and(|done| known.contains(&done));
    DONE.contains(&word) || is_one_of(word, &["lose", "consume", "gain"]) || undone || turns(word)
}

/// A word without the punctuation around it.
fn bare(word: &str) -> &str {
    let word =
        word.trim_matches(|c: char| matches!(c, '.' | ',' | ':' | ';' | '!' | '?' | '…' | '(' | ')' | '"' | '“' | '”'));
    word.trim_end_matches("'s").trim_end_matches("’s")
}

/// A word and what it may be an inflection of: `attacks`, `ceding`, `overwhelmed`.
fn stems(word: &str) -> Vec<String> {
    let mut stems = vec![word.to_owned()];
    for ending in ["s", "es", "d", "ed", "ing", "ly"] {
        if let Some(stem) = word.strip_suffix(ending).filter(|stem| stem.len() > 2) {
            stems.push(stem.to_owned());
        }
    }
    stems.extend(word.strip_suffix('y').map(|stem| format!("{stem}ies")));
    stems.extend(word.strip_suffix("ing").filter(|stem| stem.len() > 2).map(|stem| format!("{stem}e")));
    stems
}

struct Sentence<'a> {
    /// The main game first.
    games: Vec<&'a dyn Plugin>,
    cast: &'a Cast,
    /// As typed.
    words: Vec<&'a str>,
    lower: Vec<String>,
    /// The names of the table's own commands.
    own: Vec<&'a str>,
    here: &'a dyn Surroundings,
    /// True if this bot is meant, whatever the words.
    by_name: bool,
    text: &'a str,
}

impl<'a> Sentence<'a> {
    /// A line, and whether this bot is meant whatever its words. `None` if it is no sentence to guess at.
    fn of(here: &'a dyn Surroundings, (text, by_name): (&'a str, bool)) -> Option<Sentence<'a>> {
        let cast = here.cast();
        // `two cards` are 2.
        let counted = |word: &'a str| {
            let number = number_word(word).filter(|_| cast.known(word).is_none())?;
            SEVERAL.get(usize::try_from(number).ok()?.checked_sub(2)?).copied()
        };
        let words = text.split_whitespace().map(bare).filter(|word| !word.is_empty());
        let words: Vec<&str> = words.map(|word| counted(word).unwrap_or(word)).collect();
        if words.is_empty() || words.len() > MOST_WORDS || text.contains('#') {
            return None;
        }
        let mut games = here.plugins();
        let main_game = here.main_game();
        games.sort_by_key(|game| Some(game.manifest().id.as_str()) != main_game);
        Some(Sentence {
            by_name,
            here,
            games,
            own: here.house().iter().map(|spec| spec.name.as_str()).collect(),
            cast,
            lower: words.iter().map(|word| word.to_lowercase()).collect(),
            words,
            text,
        })
    }

    /// Takes what it costs to compare each word with every name and value at the table; `None` if that is too much.
    fn compares_all(&self) -> Option<()> {
        let all = self.cast.names().count() + self.here.values(self.here.actor()).len();
        self.here.takes(self.words.len() * (A_WORD + all / NAMES_IN_A_STEP)).then_some(())
    }

    /// These words as a sentence of their own.
    fn part(&self, words: impl SliceIndex<[&'a str], Output = [&'a str]>) -> Option<Sentence<'a>> {
        let words = self.words.get(words).filter(|words| !words.is_empty())?.to_vec();
        Some(Sentence {
            games: self.games.clone(),
            own: self.own.clone(),
            lower: words.iter().map(|word| word.to_lowercase()).collect(),
            words,
            ..*self
        })
    }

    /// True if a sentence or a part of one ends with this word.
    fn clause_ends_after(&self, word: usize) -> bool {
        self.typed(word).is_some_and(words::ends_a_clause)
    }

    /// A word with the punctuation around it.
    fn typed(&self, word: usize) -> Option<&str> {
        self.text.split_whitespace().filter(|word| !bare(word).is_empty()).nth(word)
    }

    /// Who is called this, also with an s behind it: `bobs`.
    fn named(&self, word: &str) -> Option<String> {
        let found = self.cast.known(word).or_else(|| self.cast.known(word.strip_suffix('s')?))?;
        Some(self.cast.written(found))
    }
}

fn without<'w>(none: &[&str], words: &[&'w str]) -> Vec<&'w str> {
    words.iter().copied().filter(|word| !none.contains(&word.to_lowercase().as_str())).collect()
}

/// A name as it is written: `goon` is Goon.
fn capitalised(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}
