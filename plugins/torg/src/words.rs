//! The game's own words: difficulties, Mishap ranges, circumstances.

use crate::rules::DIFFICULTIES;
use plugin_api::{Argument, ArgumentKind, Choice, Listed, Number, Spelled, number_word};

/// The difficulties of a test: numbers or names, one or several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difficulties(pub Vec<i64>);

/// The highest difficulty number.
const HIGHEST: i64 = 200;
/// The most targets of one test.
const MOST_TARGETS: usize = 10;
/// The difficulty that `dn` alone means.
pub(crate) const STANDARD: i64 = 10;

/// Just `dn`.
impl Default for Difficulties {
    fn default() -> Self {
        Difficulties(vec![STANDARD])
    }
}

impl Argument for Difficulties {
    fn kind() -> ArgumentKind {
        let one = ArgumentKind::Either(vec![ArgumentKind::between(0, HIGHEST), by_name_of(Listed::Known)]);
        ArgumentKind::All(Box::new(one))
    }

    fn shown() -> Option<String> {
        Some("DIFFICULTY".to_owned())
    }

    fn read(words: &[&str]) -> Result<Option<(Self, usize)>, String> {
        let (mut found, mut taken) = (Vec::new(), 0);
        let counts = |words: &[&str]| words.get(1).is_some_and(|next| COUNTED.contains(&next.to_lowercase().as_str()));
        while taken == 0 || !counts(&words[taken..]) {
            // `10, 12 and 14`
            let and = |word: &&str| ["and", "&"].iter().any(|and| word.eq_ignore_ascii_case(and));
            let and = usize::from(taken > 0 && words.get(taken).is_some_and(and));
            let rest = words.get(taken + and..).unwrap_or_default();
            let Some((dns, count)) = one(rest)? else { break };
            found.extend(dns);
            taken += and + count;
        }
        if found.len() > MOST_TARGETS {
            return Err(format!("{} difficulties are too many: I take at most {MOST_TARGETS}", found.len()));
        }
        Ok((taken > 0).then_some((Difficulties(found), taken)))
    }

    fn words() -> Vec<String> {
        DIFFICULTIES.iter().map(|(name, _)| (*name).to_owned()).collect()
    }
}

/// The difficulties at the start of `words`, one or several as in `10/12`, and the number of words they take.
fn one(words: &[&str]) -> Result<Option<(Vec<i64>, usize)>, String> {
    let Some(first) = words.first().filter(|first| !first.starts_with(['+', '-'])) else { return Ok(None) };
    let number = |text: &str| match text.parse() {
        Ok(dn) if dn <= HIGHEST => Ok(dn),
        _ => Err(format!("{text} is not a difficulty: 0 to {HIGHEST}, or a name such as hard")),
    };
    if first.split('/').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit())) {
        return Ok(Some((first.split('/').map(number).collect::<Result<_, _>>()?, 1)));
    }
    Ok(by_name(words).map(|(dn, count)| (vec![dn], count)))
}

/// The difficulty whose name is at the start of `words`, and the number of words: `very hard`, or `veryhard` or
/// `very-hard`.
fn by_name(words: &[&str]) -> Option<(i64, usize)> {
    // `v. hard`
    let very = |word: String| if word == "v" || word == "v." { "very".to_owned() } else { word };
    let typed: Vec<String> = words.iter().take(2).map(|word| very(word.to_lowercase())).collect();
    let fits = |name: &str| {
        let parts: Vec<&str> = name.split(' ').collect();
        let whole = typed.first().is_some_and(|word| word.replace('-', "") == parts.concat());
        let apart = typed.len() >= parts.len() && parts.iter().zip(&typed).all(|(part, word)| part == word);
        if whole { Some(1) } else { apart.then_some(parts.len()) }
    };
    // The longest name first: "very hard" is not "very" and "hard".
    let named = DIFFICULTIES.iter().filter_map(|(name, dn)| fits(name).map(|count| (*dn, count)));
    named.max_by_key(|(_, count)| *count)
}

/// The names of difficulties, so well known.
fn by_name_of(listed: Listed) -> ArgumentKind {
    ArgumentKind::Choice(DIFFICULTIES.iter().map(|(name, _)| Spelled::new(&[*name], listed)).collect())
}

/// A difficulty by its name: `hard`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NamedDifficulty(pub i64);

impl Argument for NamedDifficulty {
    fn kind() -> ArgumentKind {
        by_name_of(Listed::Read)
    }

    fn shown() -> Option<String> {
        Some("hard".to_owned())
    }

    fn read(words: &[&str]) -> Result<Option<(Self, usize)>, String> {
        Ok(by_name(words).map(|(dn, count)| (NamedDifficulty(dn), count)))
    }
}

/// Words with a number before them that is a count, not a difficulty.
const COUNTED: [&str; 8] = ["card", "cards", "wound", "wounds", "wounded", "bd", "bonus", "actions"];

/// A count of something: `cards 2`, `2 cards`, or `card` for one; and the number of words it takes.
fn counted<const MOST: i64>(words: &[&str], names: &[&str]) -> Result<Option<(i64, usize)>, String> {
    let named = |word: &str| names.iter().any(|name| name.eq_ignore_ascii_case(word));
    // `+1bd`
    let unsigned = [words[0].strip_prefix('+').unwrap_or(words[0])];
    let words = if words.len() == 1 { &unsigned[..] } else { words };
    let number = |word: &str| {
        let spelled = number_word(word).map(|number| number.to_string());
        let read = Number::<1, MOST>::read(&[spelled.as_deref().unwrap_or(word)])?;
        Ok::<_, String>(read.map(|(Number(count), _)| count))
    };
    // `wounds1`
    let letters = words[0].trim_end_matches(|c: char| c.is_ascii_digit());
    if letters.len() < words[0].len() && named(letters) {
        return Ok(number(&words[0][letters.len()..])?.map(|count| (count, 1)));
    }
    // `1bd`
    let digits = words[0].len() - words[0].trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if digits > 0 && named(&words[0][digits..]) {
        return Ok(number(&words[0][..digits])?.map(|count| (count, 1)));
    }
    match words {
        [name, count, ..] if named(name) => Ok(match number(count) {
            Ok(Some(count)) => Some((count, 2)),
            Ok(None) => Some((1, 1)),
            Err(what) => return Err(what),
        }),
        [name] if named(name) => Ok(Some((1, 1))),
        [count, name, ..] if named(name) => Ok(number(count)?.map(|count| (count, 2))),
        _ => Ok(None),
    }
}

/// What people call wounds, cards and bonus dice where they count them, and no wounds.
const WOUNDS: [&str; 3] = ["wounds", "wound", "wounded"];
const CARDS: [&str; 2] = ["cards", "card"];
const BONUS_DICE: [&str; 3] = ["bd", "bonus dice", "bonus die"];
const NONE: [&str; 3] = ["none", "clear", "healed"];

/// A count of wounds: `wounds 2`, `2 wounds`, `wounded`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wounds(pub i64);

impl Argument for Wounds {
    fn kind() -> ArgumentKind {
        ArgumentKind::between(1, 10).behind(&WOUNDS).before(&WOUNDS)
    }

    fn read(words: &[&str]) -> Result<Option<(Self, usize)>, String> {
        Ok(counted::<10>(words, &WOUNDS)?.map(|(count, taken)| (Wounds(count), taken)))
    }

    fn words() -> Vec<String> {
        ["wounds", "wound", "wounded"].map(str::to_owned).to_vec()
    }
}

/// A count of cards played with a test: `cards 2`, `2 cards`, `card`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlayedCards(pub i64);

impl Argument for PlayedCards {
    fn kind() -> ArgumentKind {
        ArgumentKind::between(1, 10).behind(&CARDS).before(&CARDS)
    }

    fn read(words: &[&str]) -> Result<Option<(Self, usize)>, String> {
        if let [name, count, ..] = words
            && name.to_lowercase().starts_with("card")
            && count.starts_with('+')
        {
            Cards::read(&[count])?;
        }
        Ok(counted::<10>(words, &CARDS)?.map(|(count, taken)| (PlayedCards(count), taken)))
    }

    fn words() -> Vec<String> {
        ["cards", "card"].map(str::to_owned).to_vec()
    }
}

/// What is typed after `hero` or `drama`.
#[derive(Choice, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CardWord {
    /// As in `hero card`.
    Card,
    /// Without the minimum of 10.
    Nomin,
}

/// A count of bonus dice: `bd 2`, `2 bd`, `bd2`, `2 bonus dice`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BonusDice(pub u32);

impl Argument for BonusDice {
    fn kind() -> ArgumentKind {
        ArgumentKind::between(1, 20).behind(&BONUS_DICE).before(&BONUS_DICE)
    }

    fn read(words: &[&str]) -> Result<Option<(Self, usize)>, String> {
        let dice = |word: &str| ["die", "dice"].iter().any(|die| die.eq_ignore_ascii_case(word));
        let spelled = |at: &usize| {
            let [bonus, die, ..] = words.get(*at..).unwrap_or_default() else { return false };
            bonus.eq_ignore_ascii_case("bonus") && dice(die)
        };
        let Some(at) = (0..=1).find(spelled) else {
            return Ok(counted::<20>(words, &["bd"])?.map(|(count, taken)| (BonusDice(count as u32), taken)));
        };
        let short = [&words[..at], &["bd"], &words[at + 2..]].concat();
        Ok(counted::<20>(&short, &["bd"])?.map(|(count, taken)| (BonusDice(count as u32), taken + 1)))
    }

    fn words() -> Vec<String> {
        vec!["bd".to_owned()]
    }
}

/// The word in `hero card`.
#[derive(Choice, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum OneCard {
    /// It may be missing.
    #[default]
    Card,
}

/// A Mishap range: `4`, or `1-4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mishap(pub u32);

impl Argument for Mishap {
    fn kind() -> ArgumentKind {
        ArgumentKind::between(1, 4).behind(&["1-"])
    }

    fn read(words: &[&str]) -> Result<Option<(Self, usize)>, String> {
        let upper = words[0].strip_prefix("1-").unwrap_or(words[0]);
        match Number::<1, 4>::read(&[upper])? {
            Some((Number(upper), count)) => Ok(Some((Mishap(upper as u32), count))),
            None => Ok(None),
        }
    }
}

/// A count of cards: `2`. Their bonus is not typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cards(pub i64);

impl Argument for Cards {
    fn kind() -> ArgumentKind {
        ArgumentKind::between(1, 10)
    }

    fn read(words: &[&str]) -> Result<Option<(Self, usize)>, String> {
        if words[0].starts_with('+') {
            return Err("cards are counted: a card adds 3 by itself, cards 2 adds 6".to_owned());
        }
        Ok(Number::<1, 10>::read(words)?.map(|(Number(count), taken)| (Cards(count), taken)))
    }
}

/// A count that is set: `2`; `none` and `clear` are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Now(pub i64);

impl Argument for Now {
    fn kind() -> ArgumentKind {
        ArgumentKind::between(0, 1000).or_words(&NONE, Listed::Known)
    }

    fn read(words: &[&str]) -> Result<Option<(Self, usize)>, String> {
        let cleared = NONE.iter().any(|word| word.eq_ignore_ascii_case(words[0]));
        if cleared {
            return Ok(Some((Now(0), 1)));
        }
        Ok(Number::<0, 1000>::read(words)?.map(|(Number(count), taken)| (Now(count), taken)))
    }

    fn words() -> Vec<String> {
        ["none", "clear"].map(str::to_owned).to_vec()
    }
}

/// What becomes of the other count of harm in the same line: `2`, `+2`, `none`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Also {
    Now(i64),
    Change(i32),
}

impl Argument for Also {
    fn kind() -> ArgumentKind {
        ArgumentKind::between(-1000, 1000).or_words(&NONE, Listed::Read)
    }

    fn read(words: &[&str]) -> Result<Option<(Self, usize)>, String> {
        if words[0].starts_with(['+', '-']) {
            let change = Number::<-1000, 1000>::read(words)?;
            return Ok(change.map(|(Number(change), taken)| (Also::Change(change as i32), taken)));
        }
        Ok(Now::read(words)?.map(|(Now(now), taken)| (Also::Now(now), taken)))
    }
}

/// Toughness: `12`, or `toughness 12`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Toughness(pub i64);

impl Argument for Toughness {
    fn kind() -> ArgumentKind {
        ArgumentKind::between(0, 500).behind(&["toughness"])
    }

    fn shown() -> Option<String> {
        Some("TOUGHNESS".to_owned())
    }

    fn read(words: &[&str]) -> Result<Option<(Self, usize)>, String> {
        let named = usize::from(words[0].eq_ignore_ascii_case("toughness"));
        let Some(number) = words.get(named) else { return Ok(None) };
        Ok(Number::<0, 500>::read(&[number])?.map(|(Number(toughness), taken)| (Toughness(toughness), named + taken)))
    }
}

/// A circumstance that changes the action total.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Circumstance(pub i64);

/// Circumstances by name (Modifiers), as typed.
const CIRCUMSTANCES: [(&str, i64); 9] = [
    ("very stymied", -4),
    ("very vulnerable", 4),
    ("all-out attack", 4),
    ("all out attack", 4),
    ("all-out", 4),
    ("all out", 4),
    ("allout", 4),
    ("stymied", -2),
    ("vulnerable", 2),
];

/// Those that usage lines show.
const SHOWN: [&str; 3] = ["stymied", "vulnerable", "all-out"];

impl Argument for Circumstance {
    fn kind() -> ArgumentKind {
        let others = CIRCUMSTANCES.iter().map(|(name, _)| *name).filter(|name| !SHOWN.contains(name));
        ArgumentKind::choice(&SHOWN.map(|name| [name])).or_words(&others.collect::<Vec<_>>(), Listed::Known)
    }

    fn read(words: &[&str]) -> Result<Option<(Self, usize)>, String> {
        let typed: Vec<String> = words.iter().take(3).map(|word| word.to_lowercase()).collect();
        let begins = |name: &str| {
            let parts = name.split(' ');
            parts.clone().count() <= typed.len() && parts.zip(&typed).all(|(part, word)| part == word)
        };
        // The longest come first.
        let named = CIRCUMSTANCES.iter().find(|(name, _)| begins(name));
        Ok(named.map(|(name, change)| (Circumstance(*change), name.split(' ').count())))
    }

    fn words() -> Vec<String> {
        CIRCUMSTANCES.iter().map(|(name, _)| (*name).to_owned()).collect()
    }
}

/// Who decides about a favored test.
#[derive(Choice, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Decide {
    /// The player, who is offered it.
    #[default]
    Ask,
    /// The bot.
    Auto,
}

/// What can be spent.
#[derive(Clone, Copy, Choice)]
pub(crate) enum Spendable {
    /// One of them.
    #[choice("possibility", "poss", "possibilities")]
    Possibility,
}

/// A switch.
#[derive(Choice, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnOff {
    /// From now on.
    On,
    /// No longer.
    Off,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dns(typed: &str) -> Result<Option<(Vec<i64>, usize)>, String> {
        let words: Vec<&str> = typed.split(' ').collect();
        Difficulties::read(&words).map(|read| read.map(|(found, count)| (found.0, count)))
    }

    #[test]
    fn difficulties_are_numbers_or_names_of_one_or_two_words() {
        assert_eq!(dns("14"), Ok(Some((vec![14], 1))));
        assert_eq!(dns("Very Hard favored"), Ok(Some((vec![16], 2))));
        assert_eq!(dns("hard easy 7 up"), Ok(Some((vec![14, 8, 7], 3))));
        assert_eq!(dns("very 10"), Ok(None));
        assert_eq!(dns("near"), Ok(None));
        assert_eq!(dns("+2"), Ok(None));
        assert!(dns("201").is_err());
        assert!(dns("1 2 3 4 5 6 7 8 9 10 11").is_err());
    }
}
