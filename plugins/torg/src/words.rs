//! The game's own words: difficulties, Mishap ranges, circumstances.

use crate::rules::DIFFICULTIES;
use plugin_api::{Argument, ArgumentKind, Choice, Listed, Refusal, Spelled, Value};

/// The difficulties of a test: numbers or names, one or several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difficulties(pub Vec<i64>);

/// The highest difficulty number.
const HIGHEST: i64 = 200;
/// The most targets of one test.
const MOST_TARGETS: usize = 10;
/// The difficulty that `dn` alone means.
pub(crate) const STANDARD: i64 = 10;
/// Words with a number before them that is a count, not a difficulty.
const COUNTED: [&str; 8] = ["card", "cards", "wound", "wounds", "wounded", "bd", "bonus", "actions"];

/// Just `dn`.
impl Default for Difficulties {
    fn default() -> Self {
        Difficulties(vec![STANDARD])
    }
}

impl Argument for Difficulties {
    fn kind() -> ArgumentKind {
        let wrong = format!("{{}} is not a difficulty: 0 to {HIGHEST}, or a name such as hard");
        let short = DIFFICULTIES.iter().filter_map(|(name, dn)| Some((shorter(name)?, *dn)));
        let short: Vec<(String, i64)> = short.collect();
        let short: Vec<(&str, i64)> = short.iter().map(|(name, dn)| (name.as_str(), *dn)).collect();
        let one = ArgumentKind::between(0, HIGHEST).unsigned().or_else(&wrong);
        let of = Box::new(one.named(&DIFFICULTIES, Listed::Known).named(&short, Listed::Read));
        ArgumentKind::List { of, most: MOST_TARGETS, counted: COUNTED.map(str::to_owned).to_vec() }
    }

    fn shown() -> Option<String> {
        Some("DIFFICULTY".to_owned())
    }

    fn from_value(value: Value) -> Result<Self, Refusal> {
        let numbers = value.all()?.into_iter().map(|one| Ok(one.number()?.0));
        numbers.collect::<Result<_, Refusal>>().map(Difficulties)
    }
}

/// `v hard`
fn shorter(name: &str) -> Option<String> {
    name.strip_prefix("very ").map(|rest| format!("v {rest}"))
}

/// A difficulty by its name: `hard`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NamedDifficulty(pub i64);

impl Argument for NamedDifficulty {
    fn kind() -> ArgumentKind {
        let ways = |name: &'static str| [Some(name.to_owned()), shorter(name)].into_iter().flatten().collect();
        let spelled = DIFFICULTIES.iter().map(|(name, _)| Spelled { words: ways(name), listed: Listed::Read });
        ArgumentKind::Choice(spelled.collect())
    }

    fn shown() -> Option<String> {
        Some("hard".to_owned())
    }

    fn from_value(value: Value) -> Result<Self, Refusal> {
        let name = value.text()?;
        let named = DIFFICULTIES.iter().find(|(known, _)| *known == name);
        Ok(NamedDifficulty(named.map_or(STANDARD, |(_, dn)| *dn)))
    }
}

/// What people call wounds, cards and bonus dice where they count them, and no wounds.
const WOUNDS: [&str; 3] = ["wounds", "wound", "wounded"];
const CARDS: [&str; 2] = ["cards", "card"];
const BONUS_DICE: [&str; 3] = ["bd", "bonus dice", "bonus die"];
const NONE: [(&str, i64); 2] = [("none", 0), ("clear", 0)];
const HEALED: [(&str, i64); 1] = [("healed", 0)];

/// A count of wounds: `wounds 2`, `2 wounds`, `wounded`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wounds(pub i64);

impl Argument for Wounds {
    fn kind() -> ArgumentKind {
        ArgumentKind::between(1, 10).of(&WOUNDS)
    }

    fn from_value(value: Value) -> Result<Self, Refusal> {
        Ok(Wounds(value.number()?.0))
    }
}

/// A count of cards played with a test: `cards 2`, `2 cards`, `card`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlayedCards(pub i64);

impl Argument for PlayedCards {
    fn kind() -> ArgumentKind {
        ArgumentKind::between(1, 10).of(&CARDS)
    }

    fn from_value(value: Value) -> Result<Self, Refusal> {
        Cards::from_value(value).map(|Cards(count)| PlayedCards(count))
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
        ArgumentKind::between(1, 20).of(&BONUS_DICE)
    }

    fn from_value(value: Value) -> Result<Self, Refusal> {
        Ok(BonusDice(value.number()?.0 as u32))
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

    fn from_value(value: Value) -> Result<Self, Refusal> {
        Ok(Mishap(value.number()?.0 as u32))
    }
}

/// A count of cards: `2`. Their bonus is not typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cards(pub i64);

impl Argument for Cards {
    fn kind() -> ArgumentKind {
        ArgumentKind::between(1, 10)
    }

    fn from_value(value: Value) -> Result<Self, Refusal> {
        match value.number()? {
            (count, false) => Ok(Cards(count)),
            (_, true) => Err(Refusal::new("cards are counted: a card adds 3 by itself, cards 2 adds 6")),
        }
    }
}

/// A count that is set: `2`; `none` and `clear` are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Now(pub i64);

impl Argument for Now {
    fn kind() -> ArgumentKind {
        ArgumentKind::between(0, MOST_COUNTED).named(&NONE, Listed::Known).named(&HEALED, Listed::Read)
    }

    fn from_value(value: Value) -> Result<Self, Refusal> {
        Ok(Now(value.number()?.0))
    }
}

/// The most that a count is set to or changed by.
const MOST_COUNTED: i64 = 1000;

/// What becomes of the other count of harm in the same line: `2`, `+2`, `none`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Also {
    Now(i64),
    Change(i32),
}

impl Argument for Also {
    fn kind() -> ArgumentKind {
        let number = ArgumentKind::between(-MOST_COUNTED, MOST_COUNTED);
        number.named(&NONE, Listed::Read).named(&HEALED, Listed::Read)
    }

    fn from_value(value: Value) -> Result<Self, Refusal> {
        Ok(match value.number()? {
            (change, true) => Also::Change(change as i32),
            (now, false) => Also::Now(now),
        })
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

    fn from_value(value: Value) -> Result<Self, Refusal> {
        Ok(Toughness(value.number()?.0))
    }
}

/// A circumstance that changes the action total.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Circumstance(pub i64);

/// Circumstances by name (Modifiers), as typed.
const CIRCUMSTANCES: [(&str, i64); 6] = [
    ("stymied", -2),
    ("vulnerable", 2),
    ("all-out", 4),
    ("very stymied", -4),
    ("very vulnerable", 4),
    ("all-out attack", 4),
];

/// How many of them usage lines show.
const SHOWN: usize = 3;

impl Argument for Circumstance {
    fn kind() -> ArgumentKind {
        let listed = |at| if at < SHOWN { Listed::Shown } else { Listed::Known };
        let named = CIRCUMSTANCES.iter().enumerate().map(|(at, (name, _))| Spelled::new(&[name], listed(at)));
        let apart = [["all-out", "all out"], ["all-out attack", "all out attack"]];
        let apart = apart.map(|words| Spelled::new(&words, Listed::Known));
        ArgumentKind::Choice(named.chain(apart).collect())
    }

    fn from_value(value: Value) -> Result<Self, Refusal> {
        let name = value.text()?;
        let named = CIRCUMSTANCES.iter().find(|(known, _)| *known == name);
        Ok(Circumstance(named.map_or(0, |(_, change)| *change)))
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
        let read = Difficulties::kind().read(&words).map_err(|misfit| misfit.says)?;
        Ok(read.map(|(value, count)| (Difficulties::from_value(value).expect("it is one").0, count)))
    }

    #[test]
    fn difficulties_are_numbers_or_names_of_one_or_two_words() {
        assert_eq!(dns("14"), Ok(Some((vec![14], 1))));
        assert_eq!(dns("Very Hard favored"), Ok(Some((vec![16], 2))));
        assert_eq!(dns("v. hard"), Ok(Some((vec![16], 2))));
        assert_eq!(dns("very-hard veryhard"), Ok(Some((vec![16, 16], 2))));
        assert_eq!(dns("hard easy 7 up"), Ok(Some((vec![14, 8, 7], 3))));
        assert_eq!(dns("10/12 and 14 2 cards"), Ok(Some((vec![10, 12, 14], 3))));
        assert_eq!(dns("very 10"), Ok(None));
        assert_eq!(dns("near"), Ok(None));
        assert_eq!(dns("+2"), Ok(None));
        assert!(dns("201").is_err());
        assert!(dns("1 2 3 4 5 6 7 8 9 10 11").is_err());
    }

    #[test]
    fn what_is_counted_has_a_word_in_front_or_behind() {
        let read = |kind: ArgumentKind, typed: &str| {
            let words: Vec<&str> = typed.split(' ').collect();
            let read = kind.read(&words).map_err(|misfit| misfit.says);
            read.map(|read| read.map(|(value, count)| (value.number().expect("it is one").0, count)))
        };
        for (typed, count, words) in [
            ("wounds 2", 2, 2),
            ("2 wounds", 2, 2),
            ("two wounds", 2, 2),
            ("wounds2 up", 2, 1),
            ("2wounds", 2, 1),
            ("wounded", 1, 1),
            ("wounds up", 1, 1),
        ] {
            assert_eq!(read(Wounds::kind(), typed), Ok(Some((count, words))), "{typed}");
        }
        for (typed, count, words) in
            [("bd 2", 2, 2), ("2 bonus dice", 2, 3), ("bonus die", 1, 2), ("+1bd", 1, 1), ("bd", 1, 1)]
        {
            assert_eq!(read(BonusDice::kind(), typed), Ok(Some((count, words))), "{typed}");
        }
        assert_eq!(read(Wounds::kind(), "2"), Ok(None));
        assert!(read(Wounds::kind(), "wounds 11").is_err());
        assert_eq!(read(Mishap::kind(), "1-4"), Ok(Some((4, 1))));
    }
}
