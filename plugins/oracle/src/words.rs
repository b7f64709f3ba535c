//! The words of the command itself, which no table can be called, and the names of tables.

use plugin_api::random_table::MOST_NAME;
use plugin_api::{Refusal, suggest};

/// Most words of a name.
const MOST_WORDS: usize = 4;

/// Something to do with a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Show,
    Export,
    Remove,
}

/// What a word asks for.
pub(crate) fn verb(word: &str) -> Option<Verb> {
    Some(match word.to_lowercase().as_str() {
        "show" | "lines" | "look" | "view" => Verb::Show,
        "export" | "copy" | "share" => Verb::Export,
        "none" | "remove" | "delete" | "clear" | "off" => Verb::Remove,
        _ => return None,
    })
}

/// Whether a word asks for all tables.
pub(crate) fn asks_for_all(word: &str) -> bool {
    ["list", "tables", "all", "show"].contains(&word.to_lowercase().as_str())
}

/// Whether a word only says that a table is made.
pub(crate) fn makes(word: &str) -> bool {
    ["new", "make", "create", "set", "define"].contains(&word.to_lowercase().as_str())
}

/// Whether a word says that lines are added.
pub(crate) fn adds(word: &str) -> bool {
    ["+", "add"].contains(&word.to_lowercase().as_str())
}

/// The chance of a yes that a word stands for, in percent.
pub(crate) fn chance(word: &str) -> Option<u32> {
    let word = word.to_lowercase();
    if let Some(number) = word.strip_suffix('%') {
        return number.parse().ok().filter(|chance| (1..=99).contains(chance));
    }
    match word.as_str() {
        "yes" | "no" | "yes/no" | "yesno" | "y/n" | "even" | "50/50" | "maybe" | "perhaps" => Some(50),
        "likely" | "probably" => Some(75),
        "unlikely" => Some(25),
        _ => None,
    }
}

/// The word for a chance that a word is a slip of.
pub(crate) fn slip_of_a_chance(word: &str) -> Option<&'static str> {
    suggest(word, ["likely", "unlikely"])
}

/// Whether a question that begins with this word asks for more than yes or no.
pub(crate) fn asks_for_more(word: &str) -> bool {
    let word = word.to_lowercase();
    let word = word.split(['\'', '\u{2019}']).next().unwrap_or_default();
    ["who", "whom", "whose", "what", "where", "when", "why", "how", "which"].contains(&word)
}

/// Words that begin a question for yes or no, where one of the others follows.
const ASKING: [&str; 14] =
    ["is", "are", "was", "were", "will", "would", "does", "do", "did", "can", "could", "should", "has", "have"];
const ASKED_ABOUT: [&str; 8] = ["i", "you", "he", "she", "it", "we", "they", "there"];

/// Where such a question begins, in bytes: `is she lying?`.
pub(crate) fn question_in(text: &str) -> Option<usize> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is = |word: &str, of: &[&str]| of.contains(&word.trim_matches(',').to_lowercase().as_str());
    let found =
        words.windows(2).find(|pair| is(pair[0], &ASKING) && is(pair[1].trim_end_matches('?'), &ASKED_ABOUT))?;
    Some(found[0].as_ptr() as usize - text.as_ptr() as usize)
}

/// How often a word says to roll: `3x`, `x3`.
pub(crate) fn times(word: &str) -> Option<u32> {
    let word = word.to_lowercase();
    let digits = word.strip_suffix('x').or_else(|| word.strip_prefix('x'))?;
    let number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    number.then(|| digits.parse().unwrap_or(u32::MAX))
}

/// Whether no name can begin or end with a word, since it is one of the command's own.
fn is_taken(word: &str) -> bool {
    let own = ["oracle", "pick", "choose", "help", "times", "twice", "roll"];
    own.contains(&word.to_lowercase().as_str())
        || verb(word).is_some()
        || asks_for_all(word)
        || makes(word)
        || adds(word)
        || chance(word).is_some()
        || times(word).is_some()
}

/// The name that a table can have.
///
/// # Errors
/// No table can be called that.
pub(crate) fn name(typed: &str) -> Result<String, Refusal> {
    let typed = typed.trim().trim_matches('"');
    let words: Vec<&str> = typed.split_whitespace().take(MOST_WORDS + 1).collect();
    let about = |what: String| Err(Refusal::new(what).example("oracle omen: a crow | blood moon | 3x silence"));
    let (Some(first), Some(last)) = (words.first(), words.last()) else {
        return about("a table needs a name in front of the colon".to_owned());
    };
    if typed.chars().count() > MOST_NAME || words.len() > MOST_WORDS {
        return about(format!("a table's name has at most {MOST_WORDS} words and {MOST_NAME} characters"));
    }
    if let Some(word) = [first, last].into_iter().find(|word| is_taken(word)) {
        return about(format!("{word} is a word of the command itself, so a table's name cannot begin or end with it"));
    }
    let fits = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '\'');
    if !typed.starts_with(char::is_alphabetic) || !typed.chars().all(fits) {
        return about(format!("{typed} is no name for a table: it begins with a letter, and has letters and numbers"));
    }
    Ok(words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_few_plain_words_that_are_none_of_the_commands() {
        assert_eq!(name(" \"Blood  Moon\" ").as_deref(), Ok("Blood Moon"));
        assert_eq!(name("d'Arc-2_b").as_deref(), Ok("d'Arc-2_b"));
        for wrong in ["", "show", "omen none", "Export", "3x", "x3", "likely", "7 dwarfs", "a/b", "a.b", "<b>", "pick"]
        {
            assert!(name(wrong).is_err(), "{wrong}");
        }
        assert!(name("a b c d e").is_err());
        assert!(name(&"a".repeat(MOST_NAME)).is_ok() && name(&"a".repeat(MOST_NAME + 1)).is_err());
    }

    #[test]
    fn numbers_with_an_x_say_how_often() {
        let found = ["3x", "X2", "x", "3", "xx", "99999999999x"].map(times);
        assert_eq!(found, [Some(3), Some(2), None, None, None, Some(u32::MAX)]);
    }
}
