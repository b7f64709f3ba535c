//! How dice are typed on phones: `3w6`, `two d6 plus 3`, `d20+5 vs 15. 🎲`, and slips such as `1s20`. Changes nothing
//! that reads as a notation.

use crate::parser::numbers::range;
use crate::{Dialect, Expression, Modifier, Notation, Repeated};

/// Numbers that people write as words.
const NUMBERS: [&str; 21] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
];
/// How often, in words.
const TIMES: [(&str, &str); 2] = [("twice", "2x"), ("thrice", "3x")];
/// Letters beside the d of a keyboard.
const BESIDE: [char; 4] = ['s', 'e', 'f', 'c'];
/// Words for counting dice that show enough.
const COUNTING: [&str; 5] = ["success", "successes", "hits", "counting", "count"];

/// The number that a word says: `two`.
pub fn number_word(word: &str) -> Option<u32> {
    let at = NUMBERS.iter().position(|number| number.eq_ignore_ascii_case(word))?;
    u32::try_from(at).ok()
}

impl Notation {
    /// The text with what can only mean one thing put plainly, if anything is: a German W for d, numbers and signs in
    /// words in front of dice, a comma between rolls, punctuation and emoji at the end.
    pub fn plainly(text: &str, dialect: Dialect) -> Option<String> {
        if Notation::typed_in(dialect, text).is_ok() {
            return None;
        }
        let mut words: Vec<String> = text.split_whitespace().map(with_d).collect();
        // Behind prose an emoji belongs to that.
        let plain = words.iter().rposition(|word| !word.chars().all(is_ornament)).map_or(0, |last| last + 1);
        if plain.checked_sub(1).is_some_and(|last| words[last].contains(|c: char| c.is_ascii_digit())) {
            words.truncate(plain);
        }
        if let Some(last) = words.last_mut() {
            last.truncate(last.trim_end_matches(['.', ',', '…']).len());
        }
        if let Some(first) = words.first_mut().filter(|first| first.eq_ignore_ascii_case("percentile")) {
            "d100".clone_into(first);
        }
        if let Some(times) = words.first_mut().and_then(|first| {
            let times = TIMES.iter().find(|(word, _)| first.eq_ignore_ascii_case(word))?.1;
            Some((first, times))
        }) {
            times.1.clone_into(times.0);
        }
        repeated(&mut words);
        let bracketed = text.contains(['{', '(', '[']);
        for at in 1..words.len() {
            let (before, behind) = words.split_at_mut(at);
            let (word, next) = (&mut before[at - 1], &mut behind[0]);
            let lower = word.to_lowercase();
            // `plus four`
            if ["plus", "minus"].contains(&lower.as_str())
                && let Some(number) = number_word(next)
            {
                *next = number.to_string();
            }
            match lower.as_str() {
                "dc" if next.parse::<u32>().is_ok() => "vs".clone_into(word),
                "under" | "below" if next.parse::<u32>().is_ok() => "<".clone_into(word),
                "over" | "above" if next.parse::<u32>().is_ok() => ">".clone_into(word),
                "vs" | "versus" | "against" if next.eq_ignore_ascii_case("ac") => next.clear(),
                "plus" | "add" if begins_a_number(next) => "+".clone_into(word),
                "and" if ["add", "plus"].contains(&next.to_lowercase().as_str()) => word.clear(),
                "minus" if begins_a_number(next) => "-".clone_into(word),
                "a" | "an" if begins_dice(next) => word.clear(),
                _ if begins_dice(next) && !next.starts_with(|c: char| c.is_ascii_digit()) => {
                    if let Some(number) = number_word(&lower) {
                        *next = format!("{number}{next}");
                        word.clear();
                    }
                }
                _ if lower.ends_with(',') && !bracketed && begins_dice(next) => {
                    word.pop();
                    word.push(';');
                }
                _ => {}
            }
        }
        for word in &mut words {
            // `dc15`
            let lower = word.to_lowercase();
            if let Some(number) = lower.strip_prefix("dc").filter(|number| number.parse::<u32>().is_ok()) {
                *word = format!("vs {number}");
            }
        }
        let plain = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        // `vs DC15`
        let plain = plain.replace("vs vs ", "vs ");
        (plain != text.trim()).then_some(plain)
    }

    /// The rolls of a text in which several are named, with what is said of them as a remark: `d20+5 to hit, 2d6+3 damage` is
    /// `d20+5; 2d6+3 # to hit, damage`.
    pub fn of_several(text: &str, dialect: Dialect) -> Option<String> {
        let parts = text.split([',', ';']).flat_map(|part| part.split(" and ")).flat_map(|part| part.split(" then "));
        let parts: Vec<&str> = parts.map(str::trim).filter(|part| !part.is_empty()).collect();
        let throws = |dice: &str| {
            Notation::typed_in(dialect, dice).is_ok_and(|read| read.rolls.iter().all(|roll| roll.expression.throws()))
        };
        let divided = |part: &&str| {
            let at = Notation::prose_behind(part, dialect).unwrap_or(part.len());
            let (dice, said) = part.split_at(at);
            throws(dice.trim()).then(|| (dice.trim().to_owned(), said.trim().to_owned()))
        };
        let all: Vec<(String, String)> =
            parts.iter().map(divided).collect::<Option<_>>().filter(|_| parts.len() > 1)?;
        let (dice, said): (Vec<String>, Vec<String>) = all.into_iter().unzip();
        let said: Vec<String> = said.into_iter().filter(|said| !said.is_empty()).collect();
        (!said.is_empty()).then(|| format!("{} # {}", dice.join("; "), said.join(", ")))
    }

    /// The text with a slip in its dice corrected, if that makes it read: `1s20`, `1d2O`, `10d10 successes 7`.
    pub fn of_slip(text: &str, dialect: Dialect) -> Option<String> {
        let reads = |text: &String| {
            let rolls = Notation::typed_in(dialect, text).map(|notation| notation.rolls);
            rolls.is_ok_and(|rolls| rolls.iter().any(|roll| roll.expression.throws()))
        };
        let right: Vec<String> = text.split_whitespace().map(without_slip).collect();
        let right = right.join(" ");
        Some(right)
            .filter(reads)
            .filter(|right| right != text.trim())
            .or_else(|| counted(text).filter(reads))
            .or_else(|| in_signs(text).filter(reads))
            .or_else(|| bonus_in_front(text).filter(reads))
            .or_else(|| of_range(text).filter(reads))
    }
}

/// What is said behind dice, `{n}` for a number, and the notation that it means.
const SAID_BEHIND: [(&str, &str); 18] = [
    ("at least {n}", " vs {n}"),
    ("need {n}", " vs {n}"),
    ("needs {n}", " vs {n}"),
    ("needing {n}", " vs {n}"),
    ("at most {n}", " <= {n}"),
    ("doubled", "*2"),
    ("tripled", "*3"),
    ("halved", "/2"),
    ("drop {n}", "dl{n}"),
    ("min {n}", "mi{n}"),
    ("minimum {n}", "mi{n}"),
    ("minimum of {n}", "mi{n}"),
    ("max {n}", "ma{n}"),
    ("maximum {n}", "ma{n}"),
    ("reroll {n}", "r{n}"),
    ("reroll 1 and 2", "r<3"),
    ("reroll 1s and 2s", "r<3"),
    ("reroll ones and twos", "r<3"),
];
/// What may be said behind a number that is the least that counts.
const OR_MORE: [&str; 4] = ["or more", "or better", "or higher", "or above"];

/// Whether a notation counts dice: `5d10>=7`.
fn counts_dice(text: &str) -> bool {
    let counts = |roll: &Repeated| match &roll.expression {
        Expression::Pool(pool) => pool.modifiers.iter().any(Modifier::counts),
        _ => false,
    };
    text.parse::<Notation>().is_ok_and(|read| read.rolls.iter().any(counts))
}

/// `d20+5 at least 15` as `d20+5 vs 15`.
fn in_signs(text: &str) -> Option<String> {
    let least = OR_MORE.iter().find_map(|more| text.trim_end().strip_suffix(more)).or_else(|| text.strip_suffix('+'));
    let words: Vec<&str> = least.unwrap_or(text).split_whitespace().collect();
    SAID_BEHIND.iter().find_map(|(said, meant)| {
        let said: Vec<&str> = said.split(' ').collect();
        let (dice, behind) = words.split_at(words.len().checked_sub(said.len()).filter(|at| *at > 0)?);
        let is = |(said, word): (&&str, &&str)| match *said {
            "{n}" => word.parse::<u32>().is_ok(),
            said => said.eq_ignore_ascii_case(word),
        };
        if !said.iter().zip(behind).all(is) {
            return None;
        }
        let (dice, number) = (dice.join(" "), behind.last()?);
        let compared = meant.starts_with(' ');
        if least.is_some() && !meant.contains("vs") {
            return None;
        }
        // In `5d10 at least 7` the dice may be counted as well as summed.
        let sign = if meant.contains("vs") { ">=" } else { "<=" };
        if compared && counts_dice(&format!("{dice}{sign}{number}")) {
            return None;
        }
        let sum = dice.contains(['+', '-']) && !compared;
        let dice = if sum { format!("({dice})") } else { dice };
        Some(format!("{dice}{}", meant.replace("{n}", number)))
    })
}

/// `d20 vs 15 +5` as `d20+5 vs 15`.
fn bonus_in_front(text: &str) -> Option<String> {
    let (dice, behind) = text.split_once(" vs ")?;
    let (target, bonus) = behind.split_at(behind.find(" +").or_else(|| behind.find(" -"))?);
    let spaced = bonus[2..].starts_with(' ');
    (!spaced).then(|| format!("{}{} vs {}", dice.trim_end(), bonus.trim(), target.trim()))
}

/// `1-6` as `d6`, and `3-8` as `d[3..8]`.
fn of_range(text: &str) -> Option<String> {
    let (from, to) = range(text.trim())?;
    Some(if from == 1 { format!("d{to}") } else { format!("d[{from}..{to}]") })
}

/// `d6+2 three times` as `3x d6+2`.
fn repeated(words: &mut Vec<String>) {
    let [first, .., many, times] = words.as_slice() else { return };
    let many = many.parse().ok().or_else(|| number_word(many));
    let Some(many) = many.filter(|_| times.eq_ignore_ascii_case("times") && begins_a_number(first)) else { return };
    words.truncate(words.len() - 2);
    words.insert(0, format!("{many}x"));
}

/// `10d10 successes 7+` as `10d10>=7`.
fn counted(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let at = words.iter().position(|word| COUNTING.iter().any(|counting| counting.eq_ignore_ascii_case(word)))?;
    let number = |word: &str| word.trim_end_matches(['+', 's']).parse::<u32>().ok();
    let fills = |word: &&&str| !["on", "at", "with", "of", "for", "and", "or", "more", "better"].contains(*word);
    let others: Vec<&str> = words[..at].iter().chain(&words[at + 1..]).filter(fills).copied().collect();
    let (dice, needed) = others.split_first()?;
    match needed {
        [needed] => Some(format!("{dice}>={}", number(needed)?)),
        // `5s and 6s`
        [least, next] if number(next)? == number(least)? + 1 => Some(format!("{dice}>={}", number(least)?)),
        _ => None,
    }
}

/// A word with its slip corrected: a letter beside the d, a doubled d, letters for the digits that look like them.
fn without_slip(word: &str) -> String {
    let letters: Vec<char> = word.chars().collect();
    let digit = |at: Option<usize>| at.and_then(|at| letters.get(at)).is_some_and(char::is_ascii_digit);
    let mut right = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let lower = letter.to_ascii_lowercase();
        let front = at.checked_sub(1);
        let in_sides = right.trim_end_matches(|c: char| c.is_ascii_digit()).ends_with(['d', 'D']);
        match lower {
            _ if BESIDE.contains(&lower) && digit(Some(at + 1)) && (at == 0 || digit(front)) => right.push('d'),
            'd' if right.ends_with(['d', 'D']) => {}
            'o' if in_sides && digit(front) => right.push('0'),
            'l' | 'i' if in_sides && digit(Some(at + 1)) => right.push('1'),
            _ => right.push(*letter),
        }
    }
    right
}

/// A word with d for the W of German dice.
fn with_d(word: &str) -> String {
    let letters: Vec<char> = word.chars().collect();
    let is_die = |at: usize| {
        let begins = |c: &char| c.is_ascii_digit() || "+-*/(;".contains(*c);
        letters.get(at + 1).is_some_and(char::is_ascii_digit) && at.checked_sub(1).is_none_or(|at| begins(&letters[at]))
    };
    let d = |(at, letter): (usize, &char)| if matches!(letter, 'w' | 'W') && is_die(at) { 'd' } else { *letter };
    letters.iter().enumerate().map(d).collect()
}

fn begins_dice(word: &str) -> bool {
    let sides = word.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix(['d', 'D']);
    sides.is_some_and(|sides| sides.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '%' | 'F')))
}

fn begins_a_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit()) || begins_dice(word)
}

/// Whether this is an emoji or a part of one.
fn is_ornament(c: char) -> bool {
    !c.is_ascii() && !c.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_only_mean_one_thing_is_put_plainly() {
        for (text, plain) in [
            ("3w6", "3d6"),
            ("1W20 + 4", "1d20 + 4"),
            ("w8+w6 fire", "d8+d6 fire"),
            ("d20 plus 5", "d20 + 5"),
            ("d20 and add 5", "d20 + 5"),
            ("2d6 minus 1 bane", "2d6 - 1 bane"),
            ("two d6", "2d6"),
            ("a d20", "d20"),
            ("percentile", "d100"),
            ("twice d20", "2x d20"),
            ("d20+5 vs 15.", "d20+5 vs 15"),
            ("3d6 🎲🎲", "3d6"),
            ("2d6, 3d8", "2d6; 3d8"),
        ] {
            assert_eq!(Notation::plainly(text, Dialect::Native).as_deref(), Some(plain), "{text}");
        }
        for text in ["3d6", "{2d6, 3d8}kh1", "2d6 with fire", "d20 plus my luck", "2d6, but 3 wolves"] {
            assert_eq!(Notation::plainly(text, Dialect::Native), None, "{text}");
        }
    }

    #[test]
    fn several_rolls_in_a_sentence_are_told_apart() {
        for (text, rolls) in [
            ("d20+5 to hit, 2d6+3 damage", Some("d20+5; 2d6+3 # to hit, damage")),
            ("d20+5 to hit and 2d6+3 fire", Some("d20+5; 2d6+3 # to hit, fire")),
            ("d20+5, 2d6", None),
            ("d20+5 to hit, and run", None),
            ("2d6 fire", None),
        ] {
            assert_eq!(Notation::of_several(text, Dialect::Native).as_deref(), rolls, "{text}");
        }
    }

    #[test]
    fn slips_in_dice_are_corrected_if_that_reads() {
        for (text, right) in [
            ("1s20", "1d20"),
            ("2f6+3", "2d6+3"),
            ("1dd20", "1d20"),
            ("1d2O", "1d20"),
            ("d1o+2", "d10+2"),
            ("10d10 successes 7", "10d10>=7"),
            ("10d10 7+ successes", "10d10>=7"),
            ("5d6 count 5s and 6s", "5d6>=5"),
            ("d20+5 at least 15", "d20+5 vs 15"),
            ("d20+5 need 15", "d20+5 vs 15"),
            ("d20 needs 15 or more", "d20 vs 15"),
            ("d20 needs 15+", "d20 vs 15"),
            ("4d6 drop 1", "4d6dl1"),
            ("2d6 reroll 1s and 2s", "2d6r<3"),
            ("d20 min 10", "d20mi10"),
            ("2d6 doubled", "2d6*2"),
            ("d8+2 halved", "(d8+2)/2"),
            ("d20 vs 15 +5", "d20+5 vs 15"),
            ("1-6", "d6"),
            ("3-8", "d[3..8]"),
        ] {
            assert_eq!(Notation::of_slip(text, Dialect::Native).as_deref(), Some(right), "{text}");
        }
        for text in
            ["2d6", "1s20 fire", "20", "s", "c3po", "2d6 successes", "hits 7", "6d10 needs 7", "4d6 drop 1 or more"]
        {
            assert_eq!(Notation::of_slip(text, Dialect::Native), None, "{text}");
        }
    }
}
