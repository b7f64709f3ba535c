//! Words of English, from `words/en.toml`.

use dice::number_word;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// What a word of English does in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// In front of what it belongs to: `the`.
    Article,
    /// The same, and whose it is: `my`.
    Possessive,
    /// It joins, or leads to what is behind it: `and`, `to`.
    Link,
    /// It leads to what somebody uses: `with`.
    Means,
    /// A difficulty follows it: `dc`.
    Difficulty,
    /// It says nothing: `please`.
    Filler,
    /// It turns what follows around: `not`.
    Denial,
    /// It offers something else: `or`.
    Alternative,
    /// What follows decides whether the line is meant: `if`.
    Condition,
    /// What was typed before is not meant: `actually`.
    Correction,
    /// It joins a command to another: `then`.
    Joining,
    /// It goes on with what is in front of it: `of`.
    Continuing,
    /// The same, behind a word that is nobody's name: `by`.
    Cause,
    /// Whoever speaks: `i`.
    Speaker,
    /// It is counted: `minutes`.
    Unit,
    /// Several, without an s: `teeth`.
    Plural,
    /// It only looks like several: `does`.
    Verb,
    /// It compares a number with another: `more`.
    Comparison,
    /// It says how something is: `was`.
    State,
    /// It starts a thing: `new`.
    Beginning,
    /// It ends a thing: `clear`.
    Ending,
    /// It leads to what dice must stay below: `under`.
    Bound,
    /// It says what becomes of dice: `lowest`.
    Dice,
    /// It says how much or how often what is in front of it counts: `halved`.
    Factor,
    /// What follows is left out of a group: `except`.
    Excluding,
    /// Whom something is for follows it: `to`.
    Recipient,
    /// It is to be read by few: `private`.
    Secretly,
    /// It is not to be seen, or is said of a thing that is not: `hidden`.
    Unseen,
    /// It asks for something: `secretly`.
    Asked,
    /// It leads to whom a line is against: `versus`.
    Against,
    /// It leads to something in another language: `mit`.
    Foreign,
}

static WORDS: LazyLock<BTreeMap<&str, BTreeSet<Class>>> = LazyLock::new(|| {
    let all: BTreeMap<Class, &str> = toml::from_str(include_str!("../words/en.toml")).expect("a test reads it");
    let mut words: BTreeMap<&str, BTreeSet<Class>> = BTreeMap::new();
    for (class, listed) in all {
        listed.split_whitespace().for_each(|word| {
            words.entry(word).or_default().insert(class);
        });
    }
    words
});

/// Whether a word, in lower case, is one of this class.
pub fn is(word: &str, class: Class) -> bool {
    WORDS.get(word).is_some_and(|classes| classes.contains(&class))
}

/// Whether it is one of any of these.
pub fn is_any(word: &str, classes: &[Class]) -> bool {
    classes.iter().any(|class| is(word, *class))
}

/// Whether a word turns around what follows: `not`, `unless`.
pub fn turns(word: &str) -> bool {
    is_any(word, &[Class::Denial, Class::Condition])
}

/// Whether a word only serves a sentence, and names nothing: `a`, `not`, `or`.
pub fn is_function_word(word: &str) -> bool {
    use Class::{
        Alternative, Article, Condition, Correction, Denial, Filler, Joining, Link, Means, Possessive, Speaker,
    };
    is_any(
        word,
        &[Alternative, Article, Condition, Correction, Denial, Filler, Joining, Link, Means, Possessive, Speaker],
    )
}

/// A change as it is typed in signs: `is 19` is 19, and `down 5` and `minus five` are -5.
pub fn change_in_signs(words: &[&str]) -> String {
    let [leads, number, rest @ ..] = words else { return words.join(" ") };
    let sign = match *leads {
        "is" | "to" | "now" | "at" => "",
        "down" | "minus" => "-",
        "up" | "plus" => "+",
        _ => return words.join(" "),
    };
    let digits = number.starts_with(|c: char| c.is_ascii_digit()).then(|| (*number).to_owned());
    match digits.or_else(|| number_word(number).map(|number| number.to_string())) {
        Some(number) => [&[format!("{sign}{number}").as_str()], rest].concat().join(" "),
        None => words.join(" "),
    }
}
