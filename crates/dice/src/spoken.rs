//! What people say in words behind dice: parts of the notation, as in `4d6 drop lowest`, or prose that is no part of it.

use crate::dialect::twice;
use crate::{Dialect, End, Notation, NotationError};

/// Words that say something about the dice, so that they are never prose.
const ABOUT_DICE: [&str; 61] = [
    "under",
    "below",
    "over",
    "above",
    "private",
    "privately",
    "hidden",
    "blind",
    "vs",
    "versus",
    "against",
    "dc",
    "dn",
    "drop",
    "dropping",
    "keep",
    "keeping",
    "highest",
    "lowest",
    "higher",
    "lower",
    "least",
    "most",
    "more",
    "less",
    "than",
    "exactly",
    "greater",
    "fewer",
    "tripled",
    "halved",
    "high",
    "low",
    "best",
    "worst",
    "top",
    "explode",
    "exploding",
    "explodes",
    "reroll",
    "rerolling",
    "times",
    "each",
    "twice",
    "thrice",
    "target",
    "success",
    "successes",
    "hits",
    "bonus",
    "plus",
    "minus",
    "half",
    "double",
    "doubled",
    "max",
    "min",
    "secret",
    "secretly",
    "fav",
    "favored",
];
/// Words in such phrases that mean nothing.
const FILLING: [&str; 12] = ["the", "a", "an", "with", "w/", "and", "at", "die", "dice", "roll", "of", "all"];
/// The most slips in a long word.
const SLIPS: usize = 2;
/// What takes away the lowest or keeps the highest dice, in words.
const DROPS: [&str; 2] = ["drop", "dropping"];
const KEEPS: [&str; 5] = ["keep", "keeping", "best", "top", "take"];

impl Notation {
    /// Reads a text as a notation, or as people say it.
    ///
    /// # Errors
    /// It is neither.
    pub fn as_said(text: &str, dialect: Dialect) -> Result<Notation, NotationError> {
        Notation::typed_in(dialect, text).or_else(|error| {
            let plain = Notation::plainly(text, dialect);
            let text = plain.as_deref().unwrap_or(text);
            Notation::typed_in(dialect, text).ok().or_else(|| Notation::of_spoken(text, dialect)).ok_or(error)
        })
    }

    /// A text that is dice and one phrase about them: `4d6 drop lowest` is `4d6dl1`, `d20+5 adv` is `2d20kh1+5`.
    pub fn of_spoken(text: &str, dialect: Dialect) -> Option<Notation> {
        // Of several rolls it is not known which one is meant.
        if text.contains(';') {
            return None;
        }
        let mut words: Vec<&str> = text.split_whitespace().map(|word| word.trim_end_matches(',')).collect();
        let times = take_times(&mut words);
        let begins = words.iter().position(|word| word.starts_with(char::is_alphabetic) && !is_die(word));
        if begins.is_none() && !times.is_empty() {
            return Notation::typed_in(dialect, &format!("{times}{}", words.concat())).ok();
        }
        let begins = begins?;
        let (before, after) = words.split_at(begins);
        // `d20 adv +5`, `d20+5 adv vs 15`
        let goes_on = |word: &&str| word.starts_with(['+', '-']) || word.eq_ignore_ascii_case("vs");
        let ends = after.iter().position(goes_on).unwrap_or(after.len());
        let (phrase, after) = after.split_at(ends);
        let dice = format!("{}{}", before.concat(), after.join(" "));
        let phrase: Vec<String> =
            phrase.iter().map(|word| word.trim_matches(['.', ',', '!', '?']).to_lowercase()).collect();
        let phrase: Vec<&str> = phrase.iter().map(String::as_str).filter(|word| !FILLING.contains(word)).collect();
        let place = first_dice(&dice)?;
        let (count, faces) = dice[place.clone()].split_once(['d', 'D'])?;
        let behind = |modifier: String| format!("{}{modifier}{}", &dice[..place.end], &dice[place.end..]);
        let thrown_twice = |end: &str| {
            let once = count.is_empty() || count == "1";
            once.then(|| format!("{}2d{faces}{end}{}", &dice[..place.start], &dice[place.end..]))
        };
        let number = |word: &str| word.parse::<u32>().ok().filter(|number| *number > 0);
        let end = |word: &str| match word {
            "lowest" | "lower" | "low" | "worst" => Some('l'),
            "highest" | "higher" | "high" | "best" => Some('h'),
            _ => None,
        };
        let said = match phrase.as_slice() {
            [word] if twice(word) == Some(End::High) => thrown_twice("kh1")?,
            [word] if twice(word) == Some(End::Low) => thrown_twice("kl1")?,
            [drops, which] if DROPS.contains(drops) => behind(format!("d{}1", end(which)?)),
            [drops, which, many] | [drops, many, which]
                if DROPS.contains(drops) && (end(which).is_some() && number(many).is_some()) =>
            {
                behind(format!("d{}{many}", end(which)?))
            }
            [keeps, which] if KEEPS.contains(keeps) && end(which).is_some() => behind(format!("k{}1", end(which)?)),
            [keeps, many] if KEEPS.contains(keeps) => behind(format!("kh{}", number(many)?)),
            [keeps, which, many] | [keeps, many, which]
                if KEEPS.contains(keeps) && (end(which).is_some() && number(many).is_some()) =>
            {
                behind(format!("k{}{many}", end(which)?))
            }
            ["reroll" | "rerolling", "1" | "1s" | "ones"] => behind("r1".to_owned()),
            ["explode" | "exploding" | "explodes"] => behind("!".to_owned()),
            ["under" | "below" | "over" | "above", ..] if !after.is_empty() => return None,
            ["under" | "below", most @ ..] => format!("{dice} < {}", share(most)?),
            ["over" | "above", least] => format!("{dice} > {}", number(least)?),
            _ => return None,
        };
        Notation::typed_in(dialect, &format!("{times}{said}")).ok()
    }

    /// The text with its last word `x6` in front, where it may mean six rolls as well as six times the result: `4d6kh3 x6`.
    pub fn as_repeated(text: &str, dialect: Dialect) -> Option<String> {
        let mut words: Vec<&str> = text.split_whitespace().collect();
        let last = words.pop().filter(|word| word.starts_with(['x', 'X']) && word.len() > 1)?;
        let many = last[1..].parse::<u32>().ok().filter(|many| (2..=crate::MAX_REPEATS).contains(many))?;
        let repeated = format!("{many}x {}", words.join(" "));
        let both = Notation::typed_in(dialect, text).is_ok() && Notation::typed_in(dialect, &repeated).is_ok();
        both.then_some(repeated)
    }

    /// Where prose begins behind dice, `d20+4 perception check`, if nothing in it is about the dice.
    pub fn prose_behind(text: &str, dialect: Dialect) -> Option<usize> {
        let at = behind_dice(text, dialect)?;
        let counts = |word: &str| {
            word.contains(|c: char| c.is_ascii_digit() || "+*/%=<>[]{};$".contains(c)) && !is_ordinal(word)
        };
        (!text[at..].split_whitespace().any(counts) && !speaks_of_dice(&text[at..])).then_some(at)
    }

    /// The same of prose that may be meant otherwise, because a number is in it: `2d6 it's 50% off`. It is no prose if a word
    /// in it is about the dice, or is dice or a change of them.
    pub fn prose_in_doubt(text: &str, dialect: Dialect) -> Option<usize> {
        let at = behind_dice(text, dialect)?;
        let changes = |word: &str| {
            let plain = word.trim_start_matches(['(', '"']);
            plain.starts_with(['+', '-', '*', '/', '<', '>', '=', '[', '{', '$']) || word.contains(';')
        };
        let throws = |read: Notation| read.rolls.iter().any(|roll| roll.expression.throws());
        let dice = |word: &str| Notation::typed_in(dialect, word).is_ok_and(throws);
        let says_more = |word: &str| changes(word) || dice(word);
        (!text[at..].split_whitespace().any(says_more) && !speaks_of_dice(&text[at..])).then_some(at)
    }
}

/// Where whole dice end and words begin.
fn behind_dice(text: &str, dialect: Dialect) -> Option<usize> {
    let at = Notation::typed_in(dialect, text).err()?.at.start;
    // A comma behind a number ends the dice.
    let begins_prose = |c: char| c.is_whitespace() || c == ',';
    // The place is inside the first word, or before what surrounds it.
    let at = text
        .get(..at)?
        .rfind(char::is_whitespace)
        .map_or(at, |space| if text[at..].starts_with(begins_prose) { at } else { space + 1 });
    // `2d6 - to hit` takes nothing away.
    let dice = text[..at].trim_end_matches([' ', '-', ',']);
    let at = text.len() - text[dice.len()..].trim_start_matches([' ', ',']).len();
    let prose = &text[at..];
    let begins = prose.trim_start_matches(['-', '"', '(', '“', ' ', ',']).starts_with(char::is_alphabetic);
    // `d20 - dex` takes away what nobody knows; a dash in front of a sentence takes nothing away.
    let taken_away = prose.starts_with('-') && (!prose.starts_with("- ") || prose.split_whitespace().count() < 3);
    // In `d20+5 vs Bob` somebody is missing, and nothing is said.
    let last = dice.split_whitespace().next_back().unwrap_or_default();
    let goes_on = last.chars().all(char::is_alphabetic) && is_about_dice(last);
    let alone = dice.len() < at && begins && !taken_away && !goes_on;
    (alone && Notation::typed_in(dialect, dice).is_ok()).then_some(at)
}

/// Whether a word of a text says something about dice. `over the wall` is a place.
fn speaks_of_dice(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let plain = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let place = |at: usize| {
        let next = words.get(at + 1).map(|next| plain(next));
        PLACES.contains(&plain(words[at]).as_str()) && next.is_some_and(|next| ARTICLES.contains(&next.as_str()))
    };
    (0..words.len()).any(|at| is_about_dice(words[at]) && !place(at))
}

/// Words that compare with a number, and in front of an article say where something is.
const PLACES: [&str; 4] = ["under", "below", "over", "above"];
const ARTICLES: [&str; 8] = ["the", "a", "an", "this", "that", "his", "her", "their"];

/// Whether a word says something about dice.
fn is_about_dice(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    // `dc13`
    let word = bare.trim_end_matches(|c: char| c.is_ascii_digit());
    ABOUT_DICE.contains(&word) || twice(word).is_some() || nearly_twice(word)
}

/// Whether a word is nearly one that has dice thrown twice: `avantage`.
fn nearly_twice(word: &str) -> bool {
    ["advantage", "disadvantage"].iter().any(|known| strsim::damerau_levenshtein(word, known) <= SLIPS)
}

/// `2nd`, `10th`: a number that counts no dice.
fn is_ordinal(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let ending = bare.trim_start_matches(|c: char| c.is_ascii_digit());
    ending.len() < bare.len() && ["st", "nd", "rd", "th"].contains(&ending)
}

/// The parts of a number that rules ask for.
const SHARES: [(&str, u32); 4] = [("half", 2), ("third", 3), ("quarter", 4), ("fifth", 5)];

/// A number or a part of one: `45`, `45/5`, `half 45`.
fn share(words: &[&str]) -> Option<String> {
    let number = |word: &str| word.parse::<u32>().ok().filter(|number| *number > 0);
    match words {
        [number_or_part] => {
            let (whole, part) = number_or_part.split_once('/').unwrap_or((number_or_part, "1"));
            Some(if part == "1" { number(whole)?.to_string() } else { format!("{}/{}", number(whole)?, number(part)?) })
        }
        [name, whole] => {
            let (_, part) = SHARES.iter().find(|(known, _)| known == name)?;
            Some(format!("{}/{part}", number(whole)?))
        }
        _ => None,
    }
}

/// Whether a word is dice, such as `d20` or `d%`.
fn is_die(word: &str) -> bool {
    word.strip_prefix(['d', 'D'])
        .is_some_and(|faces| faces.starts_with(|c: char| c.is_ascii_digit() || c == '%' || c == 'F'))
}

/// Takes how often it is rolled, `6x` or `x6` or `6 times` or `6` in front of dice, and returns it in notation.
fn take_times(words: &mut Vec<&str>) -> String {
    let counts = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let glued = |word: &str| {
        let word = word.to_ascii_lowercase();
        word.strip_prefix('x').or(word.strip_suffix('x')).filter(|count| counts(count)).map(str::to_owned)
    };
    if let Some((at, count)) = words.iter().enumerate().find_map(|(at, word)| Some((at, glued(word)?))) {
        words.remove(at);
        return format!("{count}x ");
    }
    let dice = |word: &str| first_dice(word).is_some_and(|place| place.start == 0);
    if let [count, x, first, ..] = words.as_slice()
        && (counts(count) && x.eq_ignore_ascii_case("x") && dice(first))
    {
        let count = words.drain(..2).next().unwrap_or_default();
        return format!("{count}x ");
    }
    // `6 d6` are six dice.
    if let [count, first, ..] = words.as_slice()
        && counts(count)
        && dice(first)
        && first.starts_with(|c: char| c.is_ascii_digit())
    {
        return format!("{}x ", words.remove(0));
    }
    // `2d6 twice`
    let said = words.last().and_then(|last| {
        Some(if last.eq_ignore_ascii_case("twice") {
            "2x "
        } else if last.eq_ignore_ascii_case("thrice") {
            "3x "
        } else {
            return None;
        })
    });
    if let Some(times) = said.filter(|_| words.len() == 2 && dice(words[0])) {
        words.pop();
        return times.to_owned();
    }
    let apart = words.windows(2).position(|pair| counts(pair[0]) && pair[1].eq_ignore_ascii_case("times"));
    apart.map_or(String::new(), |at| format!("{}x ", words.drain(at..at + 2).next().unwrap_or_default()))
}

/// The first dice of a text, `4d6`.
fn first_dice(text: &str) -> Option<std::ops::Range<usize>> {
    let d = text.find(['d', 'D'])?;
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let before = text[..d].bytes().rev().take_while(u8::is_ascii_digit).count();
    let behind = digits(&text[d + 1..]);
    (behind > 0).then_some(d - before..d + 1 + behind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cancels_words_on_dice_is_no_prose_if_half_of_it_is_typed() {
        let prose = |typed: &str| Notation::prose_in_doubt(typed, Dialect::Native);
        for half in ["cancel hit", "cancel hit, miss", "cancel hit miss", "cancel hit-miss", "Cancel Hit"] {
            assert_eq!(prose(&format!("2d[hit,miss] {half}")), None, "{half}");
        }
        assert_eq!(prose("2d[hit,miss] cancel the order"), Some(13));
    }

    #[test]
    fn phrases_about_dice_have_a_notation() {
        for (said, notation) in [
            ("4d6 drop lowest", "4d6dl1"),
            ("4d6 drop the lowest 2", "4d6dl2"),
            ("1d20+5 adv", "2d20kh1+5"),
            ("d20 + 5 with disadvantage", "2d20kl1+5"),
            ("4d6 keep 3", "4d6kh3"),
            ("5d6 keep highest 3", "5d6kh3"),
            ("3d6 best 2", "3d6kh2"),
            ("2d20 take the lower", "2d20kl1"),
            ("2d20 take the higher", "2d20kh1"),
            ("2d6+3 reroll 1s", "2d6r1+3"),
            ("6d6 exploding", "6d6!"),
            ("d20 adv +5", "2d20kh1+5"),
            ("d100 under 45", "d100 < 45"),
            ("4d6 drop lowest x6", "6x 4d6dl1"),
            ("6x 4d6 drop lowest", "6x 4d6dl1"),
            ("4d6 drop lowest 6 times", "6x 4d6dl1"),
            ("4d6kh3 6x", "6x 4d6kh3"),
            ("6 4d6", "6x 4d6"),
            ("4 d6 drop lowest", "4d6dl1"),
            ("6 x 4d6 drop lowest", "6x 4d6dl1"),
        ] {
            assert_eq!(Notation::of_spoken(said, Dialect::Native), notation.parse().ok(), "{said}");
        }
        for said in
            ["4d6", "4d6 drop", "4d6 drop bob", "3d20 adv", "adv", "2d6 fire", "4d6 keep 0", "4d6 keep best friends"]
        {
            assert_eq!(Notation::of_spoken(said, Dialect::Native), None, "{said}");
        }
    }

    #[test]
    fn rolls_and_products_are_told_apart() {
        let repeated = |text| Notation::as_repeated(text, Dialect::Native);
        assert_eq!(repeated("4d6kh3 x6").as_deref(), Some("6x 4d6kh3"));
        for text in ["4d6kh3 x 6", "4d6x6", "4d6 * 6", "4d6", "x6", "4d6 x1", "4d6 x99999999"] {
            assert_eq!(repeated(text), None, "{text}");
        }
    }

    #[test]
    fn prose_is_told_from_what_is_about_the_dice() {
        for (text, prose) in [
            ("1d20+4 perception check", "perception check"),
            ("1d100 did the guard notice?", "did the guard notice?"),
            ("2d6 - to hit the ogre", "- to hit the ogre"),
            ("2d6+1 fire", "fire"),
            ("d20+2 to climb over the wall", "to climb over the wall"),
            ("d20 I hide under a table", "I hide under a table"),
        ] {
            let at = Notation::prose_behind(text, Dialect::Native);
            assert_eq!(at.map(|at| &text[at..]), Some(prose), "{text}");
        }
        for text in [
            "d20 - dex",
            "d20-dex",
            "d20 -dex",
            "2d6",
            "2d6 drop lowest",
            "2d6 for 3 rounds",
            "d20 vs the wall",
            "2d6x fire",
            "fire",
            "4d6kq",
            "2d6 + fire",
        ] {
            assert_eq!(Notation::prose_behind(text, Dialect::Native), None, "{text}");
        }
    }

    #[test]
    fn prose_with_numbers_in_it_is_in_doubt() {
        for (text, prose) in
            [("2d6 it's 50% off", "it's 50% off"), ("d20 for 3 goblins", "for 3 goblins"), ("2d6 fire", "fire")]
        {
            let at = Notation::prose_in_doubt(text, Dialect::Native);
            assert_eq!(at.map(|at| &text[at..]), Some(prose), "{text}");
        }
        for text in ["2d6 damage +3", "2d6 at least 9", "d20+5 vs Bob", "2d6 with 2d8", "2d6 drop 1", "2d6 one; 3d6"] {
            assert_eq!(Notation::prose_in_doubt(text, Dialect::Native), None, "{text}");
        }
    }
}
