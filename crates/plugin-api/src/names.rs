//! What a name may be made of, so that a line with it reads in one way only, and how names are written in a line.
//!
//! This is about the words of a name alone. Whether a name is a command, or another person's, only a table knows.

use dice::{Dialect, Notation};

/// Words for everybody, for those whom players act for, and for those whom only the referee does.
pub const EVERYBODY: [&str; 3] = ["all", "everyone", "everybody"];
/// See [`EVERYBODY`].
pub const HEROES: [&str; 4] = ["heroes", "players", "party", "pcs"];
/// See [`EVERYBODY`].
pub const FOES: [&str; 4] = ["foes", "enemies", "npcs", "monsters"];
/// Words for whoever types.
pub const ONESELF: [&str; 2] = ["me", "myself"];
/// Words that a line uses for somebody else, for nobody, for the table, or to go on.
const STANDING_FOR: [&str; 17] = [
    "self", "i", "my", "you", "us", "table", "none", "nobody", "no", "off", "free", "secret", "if", "when", "but",
    "then", "so",
];
/// Words that join names, or set them against each other.
const JOINING: [&str; 7] = ["and", "or", "und", "oder", "vs", "versus", "against"];
/// Words that lead to what is behind them: a name may hold them, but not end with one.
const LEADING: [&str; 13] = ["a", "an", "the", "as", "at", "by", "for", "from", "in", "of", "on", "to", "with"];
/// Signs other than letters and numbers that a name may hold.
const SIGNS: [char; 7] = ['\'', '’', '-', '_', '.', '·', ' '];
/// How dice are typed here and elsewhere.
const DIALECTS: [Dialect; 5] =
    [Dialect::Native, Dialect::Roll20, Dialect::Foundry, Dialect::Avrae, Dialect::DiceMaiden];

/// Why a line that holds this name could be read in two ways; `None` if it could not. `name` is in one line, with single
/// spaces.
pub fn misread(name: &str) -> Option<String> {
    let lower = name.to_lowercase();
    let words: Vec<&str> = lower.split(' ').collect();
    by_its_letters(name).or_else(|| by_its_words(&words)).or_else(|| by_its_numbers(name, &words))
}

fn by_its_letters(name: &str) -> Option<String> {
    if !name.chars().next().is_some_and(char::is_alphabetic) {
        return Some("a name begins with a letter".to_owned());
    }
    name.chars().find(|c| is_odd(*c)).map(|odd| format!("there is no {odd} in a name"))
}

/// The same for its words in lower case.
fn by_its_words(words: &[&str]) -> Option<String> {
    let (first, last) = (words.first()?, words.last()?);
    let alone = words.len() == 1;
    if alone && [&EVERYBODY[..], &HEROES, &FOES].iter().any(|group| group.contains(first)) {
        return Some(format!("{first} means several at once"));
    }
    if let Some(word) = words.iter().find(|word| JOINING.contains(word)) {
        return Some(format!("\"{word}\" stands between names"));
    }
    if alone && [&ONESELF[..], &STANDING_FOR].iter().any(|words| words.contains(first)) {
        return Some("that word has a meaning of its own in commands".to_owned());
    }
    let begins = !alone && *first != "the" && LEADING.contains(first);
    let word = if LEADING.contains(last) { last } else { first };
    (begins || LEADING.contains(last))
        .then(|| format!("\"{word}\" leads to something else, so a name has it only inside"))
}

fn by_its_numbers(name: &str, words: &[&str]) -> Option<String> {
    if let Some(number) = words.iter().skip(1).find(|word| word.chars().all(char::is_numeric)) {
        return Some(format!("{number} would be read as a number: write it together, {}", together(name)));
    }
    if let Some(word) = words.iter().find(|word| is_dice(word)) {
        return Some(format!("{word} reads as dice"));
    }
    words.iter().find(|word| is_count(word)).map(|word| format!("{word} reads as a count"))
}

/// True if a name may not hold this character: what divides words, closes a name, or means something in an answer.
fn is_odd(c: char) -> bool {
    let plain = c.is_alphanumeric() || SIGNS.contains(&c);
    // Marks, emoji and the like are letters to whoever has them in a name; punctuation is not, in any script.
    let punctuation = c.is_ascii()
        || c.is_whitespace()
        || c.is_control()
        || matches!(c, '¡'..='¿' | '×' | '÷' | '\u{2010}'..='\u{206f}' | '\u{2190}'..='\u{22ff}')
        || matches!(c, '\u{3000}'..='\u{3003}' | '\u{3008}'..='\u{3020}' | '\u{fe10}'..='\u{fe1f}')
        || matches!(c, '\u{fe30}'..='\u{fe6f}' | '\u{ff00}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}')
        || matches!(c, '\u{ff3b}'..='\u{ff40}' | '\u{ff5b}'..='\u{ff65}' | '،' | '؛' | '؟' | '٫' | '٬');
    // What joins letters in some scripts, and the parts of one emoji.
    !plain && punctuation && !matches!(c, '\u{200c}' | '\u{200d}')
}

/// Whether an unknown word may be the name of somebody new: in small letters without a number it is prose.
pub fn may_be_new(word: &str) -> bool {
    word.chars().any(|c| c.is_uppercase() || c.is_numeric() || c.is_alphabetic() && !c.is_lowercase())
}

fn is_dice(word: &str) -> bool {
    let sides = word.strip_prefix(['d', 'w']).is_some_and(|sides| sides.starts_with(|c: char| c.is_ascii_digit()));
    sides || DIALECTS.iter().any(|dialect| Notation::typed_in(*dialect, word).is_ok())
}

fn is_count(word: &str) -> bool {
    let digits = |rest: &str| rest.bytes().all(|byte| byte.is_ascii_digit());
    word.starts_with(char::is_numeric) || word.strip_prefix('x').is_some_and(|rest| !rest.is_empty() && digits(rest))
}

/// `Ann 17` as one word.
fn together(name: &str) -> String {
    name.split(' ').collect()
}

/// A name like this one that a line cannot misread, for whoever's name nobody chose for this table.
pub fn mended(name: &str) -> String {
    let begins = name.chars().next().is_some_and(char::is_alphabetic);
    if !begins || misread(name).is_none() {
        return name.to_owned();
    }
    let parts = name.split(|c: char| c == ' ' || is_odd(c)).filter(|part| !part.is_empty());
    let joined = parts.collect::<Vec<_>>().join("-");
    match joined.contains('-') && misread(&joined).is_none() {
        true => joined,
        false => format!("Player-{joined}"),
    }
}

/// A name as it is typed in a line: in quotation marks unless it is one plain word.
pub fn written(name: &str) -> String {
    let plain = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '\''));
    let plain = plain && (misread(name).is_none() || name.starts_with(char::is_numeric));
    if plain || name.contains('"') { name.to_owned() } else { format!("\"{name}\"") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_a_line_could_misread_are_none_and_each_has_its_reason() {
        let why = |name: &str| misread(name).unwrap_or_default();
        for name in ["Ann, Bob", "Ann;B", "R,2", "A & B", "X] Gus", "a:b", "gus (@gus", "A\"nn", "A\u{ff0c}B", "A/B"] {
            assert!(why(name).starts_with("there is no "), "{name}: {}", why(name));
        }
        for name in ["Ann and Bob", "vs", "Bob or Ann", "Ann VS Bob"] {
            assert!(why(name).ends_with("stands between names"), "{name}: {}", why(name));
        }
        for name in ["Ann the", "to Ann", "of"] {
            assert!(why(name).contains("leads to something else"), "{name}: {}", why(name));
        }
        for name in ["d20", "Ann d20", "dF", "w20"] {
            assert!(why(name).ends_with("reads as dice"), "{name}: {}", why(name));
        }
        for name in ["x3", "Goon x3"] {
            assert!(why(name).ends_with("reads as a count"), "{name}: {}", why(name));
        }
        for name in ["me", "None", "table", "I"] {
            assert!(why(name).ends_with("meaning of its own in commands"), "{name}: {}", why(name));
        }
        for name in ["all", "Heroes", "FOES"] {
            assert!(why(name).ends_with("means several at once"), "{name}: {}", why(name));
        }
        assert_eq!(why("Ann 17"), "17 would be read as a number: write it together, Ann17");
        assert_eq!(why("7of9"), "a name begins with a letter");
    }

    #[test]
    fn what_people_are_called_is_a_name() {
        let names = [
            "Ann",
            "Goon17",
            "Oni-7",
            "Captain Aiko",
            "The Old One",
            "Ann the Bold",
            "Knight of Dawn",
            "O'Neill",
            "D’Artagnan",
            "Dr. Who",
            "J.R.",
            "Zoë",
            "Борис",
            "李小龍",
            "ナルト・うずまき",
            "Ann 🐉",
            "Max",
            "Dora",
            "All-Seeing Eye",
            "Xena",
            "guest7",
            "a_b",
            "D",
            "Al",
            "Everyone's Friend",
        ];
        for name in names {
            assert_eq!(misread(name), None, "{name}");
        }
    }

    #[test]
    fn a_name_that_nobody_chose_is_mended() {
        let cases = [
            ("Ann, Bob", "Ann-Bob"),
            ("Ann and Bob", "Ann-and-Bob"),
            ("Ann 17", "Ann-17"),
            ("Ann[m]", "Ann-m"),
            ("d20", "Player-d20"),
            ("all", "Player-all"),
            ("gus (@gus:localhost)", "gus-gus-localhost"),
            ("7of9", "7of9"),
            ("Ann the Bold", "Ann the Bold"),
        ];
        for (shown, name) in cases {
            assert_eq!(mended(shown), name, "{shown}");
            assert_eq!(misread(name).is_some(), name == "7of9", "{name}");
        }
    }

    #[test]
    fn every_name_but_one_plain_word_is_written_in_quotation_marks() {
        let cases =
            [("Ann", "Ann"), ("Oni-7", "Oni-7"), ("Old Ogre", "\"Old Ogre\""), ("R,2", "\"R,2\""), ("7of9", "7of9")];
        for (name, line) in cases.into_iter().chain([("vs", "\"vs\""), ("d20", "\"d20\""), ("me", "\"me\"")]) {
            assert_eq!(written(name), line);
        }
    }
}
