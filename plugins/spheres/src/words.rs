//! The game's own words: ranks, difficulties, currencies and uses.

use crate::rules::Kind;
use plugin_api::{Argument, ArgumentKind, Arguments, Choice, Listed, Name, Number, Part, Refusal, Spelled, Words};

/// Ranks with a sign, added up by sign: `+4 -1 +minor`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ranks {
    /// Of Advantage.
    pub advantage: i64,
    /// Of Disadvantage, as a positive number.
    pub disadvantage: i64,
}

/// Circumstances (Modifiers): a minor one is one rank, a major one five.
const CIRCUMSTANCES: [(&str, i64); 2] = [("minor", 1), ("major", 5)];

struct Rank(i64);

impl Argument for Rank {
    fn kind() -> ArgumentKind {
        let named = CIRCUMSTANCES.map(|(name, _)| name);
        ArgumentKind::between(-MOST_RANKS, MOST_RANKS).signed().or_words(&named, Listed::Known)
    }

    fn read(words: &[&str]) -> Result<Option<(Self, usize)>, String> {
        // `+ minor` means `+minor`.
        let named = |word: &str| CIRCUMSTANCES.iter().any(|(name, _)| word.eq_ignore_ascii_case(name));
        let (word, count) = match (words[0], words.get(1)) {
            // `minor +`, `minor+`
            (name, Some(sign @ (&"+" | &"-"))) if named(name) => (format!("{sign}{name}"), 2),
            (word, _) if word.strip_suffix(['+', '-']).is_some_and(named) => {
                (format!("{}{}", &word[word.len() - 1..], &word[..word.len() - 1]), 1)
            }
            ("+" | "-", Some(next)) => (format!("{}{next}", words[0]), 2),
            (word, _) => (word.to_owned(), 1),
        };
        let Some(rank) = word.strip_prefix(['+', '-']) else {
            let bare = CIRCUMSTANCES.iter().find(|(name, _)| word.eq_ignore_ascii_case(name));
            return match bare {
                Some((name, _)) => Err(format!("{name} needs a sign: +{name} is Advantage, -{name} Disadvantage")),
                None => Ok(None),
            };
        };
        let sign = if word.starts_with('-') { -1 } else { 1 };
        let named = CIRCUMSTANCES.iter().find(|(name, _)| rank.eq_ignore_ascii_case(name)).map(|(_, rank)| *rank);
        let rank = match named {
            Some(rank) => rank,
            None if rank.is_empty() || !rank.bytes().all(|byte| byte.is_ascii_digit()) => return Ok(None),
            None => rank.parse().ok().filter(|rank| *rank <= MOST_RANKS).ok_or_else(|| too_many(&word))?,
        };
        Ok(Some((Rank(sign * rank), count)))
    }
}

/// Ranks behind or in front of the word for them: `adv 4`, `minor advantage`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rating<const LEAST: i64>(pub i64);

impl<const LEAST: i64> Argument for Rating<LEAST> {
    /// `+3 adv`, but the skill in `7 adv` is no rank, and `+4 dis` may be both.
    fn leads(word: &str) -> bool {
        let sign = if LEAST < 0 { '-' } else { '+' };
        word.starts_with(sign) || word.starts_with(char::is_alphabetic)
    }

    fn kind() -> ArgumentKind {
        let named = CIRCUMSTANCES.map(|(name, _)| name);
        ArgumentKind::between(LEAST, MOST_RANKS).or_words(&named, Listed::Read)
    }

    fn read(words: &[&str]) -> Result<Option<(Self, usize)>, String> {
        let name = words[0].trim_start_matches(['+', '-']);
        let named = CIRCUMSTANCES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        if let Some((_, rank)) = named {
            return Ok(Some((Rating(*rank), 1)));
        }
        Ok(Number::<LEAST, MOST_RANKS>::read(words)?.map(|(Number(rank), count)| (Rating(rank), count)))
    }
}

/// The most ranks of one check.
pub(crate) const MOST_RANKS: i64 = 40;

/// The refusal of more ranks than a check can have.
pub(crate) fn too_many(ranks: &str) -> String {
    format!("{ranks} ranks are too many: {MOST_RANKS} is the most")
}

impl Argument for Ranks {
    fn kind() -> ArgumentKind {
        ArgumentKind::All(Box::new(Rank::kind()))
    }

    fn read(_: &[&str]) -> Result<Option<(Self, usize)>, String> {
        Ok(None)
    }

    fn take(words: &mut Words) -> Result<Option<Self>, Refusal> {
        let mut ranks = Ranks::default();
        let named = |word: &&str| CIRCUMSTANCES.iter().any(|(name, _)| name.eq_ignore_ascii_case(word));
        let bare = words.left().find(named).map(str::to_owned);
        if let (Some(Err(refusal)), Some(name)) = (bare.as_ref().map(|_| words.clone().take::<Rank>()), bare) {
            return Err(refusal.about_meant(&name, format!("+{name}")));
        }
        while let Some(Rank(rank)) = words.take::<Rank>()? {
            match rank {
                0.. => ranks.advantage += rank,
                _ => ranks.disadvantage -= rank,
            }
        }
        Ok(Some(ranks))
    }
}

/// The difficulty steps for a level.
const STEPS: [(&str, i64); 3] = [("easy", 0), ("moderate", 1), ("hard", 2)];

/// The difficulty class for something of a level: `5 hard`, `level 5 hard+2`, `5 easy roll`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Level {
    /// 0 to 100.
    pub level: i64,
    /// `easy`, `moderate`, `hard`.
    pub step: &'static str,
    /// How often the level counts.
    pub times: i64,
    /// Added to the difficulty.
    pub extra: i64,
    /// True if a d20 is rolled instead of adding 10.
    pub rolled: bool,
}

impl Level {
    fn step(word: &str) -> Result<Option<(&'static str, i64, i64)>, String> {
        let name = word.split(['+', '-']).next().unwrap_or_default();
        let name = if name.eq_ignore_ascii_case("medium") { "moderate" } else { name };
        let Some((step, times)) = STEPS.iter().find(|(step, _)| step.eq_ignore_ascii_case(name)) else {
            return Ok(None);
        };
        Ok(Some((*step, *times, split_extra(word)?.1)))
    }
}

impl Argument for Level {
    fn kind() -> ArgumentKind {
        let step =
            STEPS.iter().fold(ArgumentKind::Choice(Vec::new()), |all, (step, _)| all.or_words(&[*step], Listed::Shown));
        ArgumentKind::Pattern(vec![
            Part::unlisted("", ArgumentKind::choice(&[&["level"]]).or_words(&["lvl", "lv"], Listed::Read)),
            Part::one("level", ArgumentKind::between(0, 100)),
            Part::one("step", step.or_words(&["medium"], Listed::Read)),
            Part::maybe("", ArgumentKind::choice(&[&["roll"]]).or_words(&["rolled"], Listed::Read)),
        ])
    }

    fn read(words: &[&str]) -> Result<Option<(Self, usize)>, String> {
        // `lvl5`
        let glued = words[0].find(|c: char| c.is_ascii_digit()).filter(|at| is_level(&words[0][..*at]));
        if let Some(at) = glued {
            let apart = [&[&words[0][..at], &words[0][at..]], &words[1..]].concat();
            return Ok(Level::read(&apart)?.map(|(level, taken)| (level, taken - 1)));
        }
        let named = usize::from(is_level(words[0]));
        let at = |place: usize| words.get(place).copied().unwrap_or_default();
        let (level, step, taken) = match (Number::<0, 100>::read(&[at(named)]), Level::step(at(named + 1))?) {
            (Ok(Some((Number(level), _))), Some(step)) => (level, step, named + 2),
            (Err(_), Some(_)) => return Err(format!("level {} is not from 0 to 100", at(named))),
            // `hard level 5`, `hard 5`
            _ => match Level::step(words[0])? {
                Some(step) => {
                    let place = 1 + usize::from(is_level(at(1)));
                    match Number::<0, 100>::read(&[at(place)]) {
                        Ok(Some((Number(level), _))) => (level, step, place + 1),
                        _ => return Err(format!("{} of which level? level 5 {} is right", words[0], step.0)),
                    }
                }
                None if named == 1 => return Err("a level is easy, moderate or hard: level 5 hard".to_owned()),
                None => return Ok(None),
            },
        };
        let rolled = matches!(at(taken).to_lowercase().as_str(), "roll" | "rolled");
        let (step, times, extra) = step;
        Ok(Some((Level { level, step, times, extra, rolled }, taken + usize::from(rolled))))
    }

    fn words() -> Vec<String> {
        let steps = STEPS.iter().map(|(step, _)| (*step).to_owned());
        steps.chain(["level".to_owned(), "roll".to_owned()]).collect()
    }
}

fn is_level(word: &str) -> bool {
    ["level", "lvl", "lv"].iter().any(|level| level.eq_ignore_ascii_case(word))
}

/// What a check is up against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Difficulty {
    /// A difficulty class.
    Number(i64),
    /// An obstacle, by its level.
    Level(Level),
    /// A character who answers.
    Somebody(Name),
}

/// The highest difficulty class.
const HIGHEST: i64 = 1_000;

impl Argument for Difficulty {
    fn kind() -> ArgumentKind {
        let dc = ArgumentKind::between(0, HIGHEST).behind(&["dc"]);
        ArgumentKind::Either(vec![dc, Level::kind(), Name::kind()])
    }

    fn shown() -> Option<String> {
        Some("DC|level N hard|NAME".to_owned())
    }

    fn read(words: &[&str]) -> Result<Option<(Self, usize)>, String> {
        // `DC 15`, `DC15`
        if let [dc, next, ..] = words
            && dc.eq_ignore_ascii_case("dc")
            && next.starts_with(|c: char| c.is_ascii_digit())
        {
            return Ok(Difficulty::read(&words[1..])?.map(|(difficulty, count)| (difficulty, count + 1)));
        }
        if let Some(number) = words[0].get(2..).filter(|_| words[0].to_lowercase().starts_with("dc"))
            && number.starts_with(|c: char| c.is_ascii_digit())
        {
            return Difficulty::read(&[number]);
        }
        if let Some((level, count)) = Level::read(words)? {
            return Ok(Some((Difficulty::Level(level), count)));
        }
        if words[0].starts_with(|c: char| c.is_ascii_digit()) {
            let (number, extra) = split_extra(words[0])?;
            let number: Option<i64> = number.parse().ok();
            let dc = number.and_then(|number| number.checked_add(extra)).filter(|dc| *dc <= HIGHEST);
            let wrong = || format!("{} is not a difficulty: 15, 15+2, or level 5 hard", words[0]);
            return Ok(Some((Difficulty::Number(dc.ok_or_else(wrong)?), 1)));
        }
        if ["foe", "hero", "passive"].iter().any(|side| words[0].eq_ignore_ascii_case(side)) {
            return Err("two sides at once are: oppose 5 +3 vs foe 4 +2".to_owned());
        }
        Ok(Name::read(words)?.map(|(name, count)| (Difficulty::Somebody(name), count)))
    }

    fn words() -> Vec<String> {
        Level::words()
    }
}

/// `hard+2` is `hard` and 2.
fn split_extra(word: &str) -> Result<(&str, i64), String> {
    match word.find(['+', '-']) {
        Some(at) if at > 0 => {
            let extra = word[at..].parse::<i64>().ok().filter(|extra| extra.abs() <= HIGHEST);
            Ok((&word[..at], extra.ok_or_else(|| format!("{word} is not a difficulty: 15+2, or hard+2"))?))
        }
        _ => Ok((word, 0)),
    }
}

/// A currency to spend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spendable {
    /// Held dice.
    Triumph,
    /// Held dice.
    Tragedy,
    /// Stones of the Fate Pool.
    Stones,
    /// A die that was rolled.
    Thrown,
    /// A die that was awarded.
    Award,
}

/// The words for each.
const SPENDABLES: [(&str, Spendable); 10] = [
    ("triumph", Spendable::Triumph),
    ("triumphs", Spendable::Triumph),
    ("tragedy", Spendable::Tragedy),
    ("tragedies", Spendable::Tragedy),
    ("stones", Spendable::Stones),
    ("stone", Spendable::Stones),
    ("fate", Spendable::Stones),
    ("thrown", Spendable::Thrown),
    ("award", Spendable::Award),
    ("awarded", Spendable::Award),
];

/// Those that usage lines show.
const SHOWN: [&str; 5] = ["triumph", "tragedy", "stones", "thrown", "award"];

impl Argument for Spendable {
    fn kind() -> ArgumentKind {
        let listed = |word: &str| if SHOWN.contains(&word) { Listed::Shown } else { Listed::Known };
        ArgumentKind::Choice(SPENDABLES.iter().map(|(word, _)| Spelled::new(&[*word], listed(word))).collect())
    }

    fn read(words: &[&str]) -> Result<Option<(Self, usize)>, String> {
        let named = |word: &&str| {
            let found = SPENDABLES.iter().find(|(name, _)| name.eq_ignore_ascii_case(word));
            found.map(|(_, what)| *what)
        };
        Ok(match (named(&words[0]), words.get(1).and_then(named)) {
            // `triumph stones`, `triumph dice`
            (Some(Spendable::Triumph | Spendable::Tragedy), Some(Spendable::Stones)) => Some((Spendable::Stones, 2)),
            (Some(what), _) => {
                let dice =
                    words.get(1).is_some_and(|word| ["die", "dice"].iter().any(|die| die.eq_ignore_ascii_case(word)));
                Some((what, 1 + usize::from(dice)))
            }
            (None, _) => None,
        })
    }

    fn words() -> Vec<String> {
        SPENDABLES.iter().map(|(name, _)| (*name).to_owned()).collect()
    }
}

/// A chance: `45`, `45%`, `45 %`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Percent(pub i64);

impl Argument for Percent {
    fn kind() -> ArgumentKind {
        ArgumentKind::between(0, 100).before(&["%"])
    }

    fn read(words: &[&str]) -> Result<Option<(Self, usize)>, String> {
        let apart = words.get(1).is_some_and(|word| *word == "%");
        let number = words[0].strip_suffix('%').unwrap_or(words[0]);
        let read = Number::<0, 100>::read(&[number])?;
        Ok(read.map(|(Number(chance), count)| (Percent(chance), count + usize::from(apart))))
    }
}

impl Spendable {
    /// The kind of held dice.
    pub fn kind(self) -> Option<Kind> {
        match self {
            Spendable::Triumph => Some(Kind::Triumph),
            Spendable::Tragedy => Some(Kind::Tragedy),
            _ => None,
        }
    }
}

/// An amount: `3`, or `x2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Count(pub i64);

impl Argument for Count {
    fn kind() -> ArgumentKind {
        ArgumentKind::between(1, 999).behind(&["x"]).before(&["x"])
    }

    fn read(words: &[&str]) -> Result<Option<(Self, usize)>, String> {
        let number = words[0].strip_prefix(['x', 'X']).unwrap_or(words[0]);
        let number = number.strip_suffix(['x', 'X']).unwrap_or(number);
        Ok(Number::<1, 999>::read(&[number])?.map(|(Number(count), taken)| (Count(count), taken)))
    }
}

/// What something is spent for.
#[derive(Choice, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// More degrees for a success.
    #[choice("degree", "degrees")]
    Degree,
    /// Ranks of Advantage for the next check.
    Edit,
    /// A changed detail.
    #[choice("detail")]
    Detail,
    /// A higher total for a check.
    #[choice("boost")]
    Boost,
    /// A hint.
    #[choice("inspire", "inspiration", "hint")]
    Inspire,
    /// Recover at once.
    Recover,
    /// A stunt on a successful attack.
    Stunt,
}

impl Use {
    /// True if it changes a check.
    pub fn needs_check(self) -> bool {
        matches!(self, Use::Degree | Use::Boost | Use::Stunt)
    }
}

/// `luck control`: the power that lets a character spend on others' rolls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LuckControl;

impl Argument for LuckControl {
    fn kind() -> ArgumentKind {
        ArgumentKind::choice(&[&["luck control"]])
    }

    fn read(words: &[&str]) -> Result<Option<(Self, usize)>, String> {
        let both = words.len() > 1 && words[0].eq_ignore_ascii_case("luck") && words[1].eq_ignore_ascii_case("control");
        Ok(both.then_some((LuckControl, 2)))
    }

    fn words() -> Vec<String> {
        vec!["luck control".to_owned()]
    }
}

/// What a check is for, and whose.
#[derive(Clone, Arguments)]
pub(crate) struct What {
    /// a 20 always succeeds, a 1 always fails
    #[flag("attack")]
    pub attack: bool,
    /// a 20 always succeeds, a 1 always fails
    #[flag("resist")]
    pub resist: bool,
    #[group]
    pub whose: Whose,
}

/// Whose side a check is on, if not that of who makes it.
#[derive(Clone, Arguments)]
pub(crate) struct Whose {
    #[flag("foe")]
    pub foe: bool,
    #[flag("hero")]
    pub hero: bool,
}

/// What dice are rolled.
#[derive(Clone, Arguments)]
pub(crate) struct DicePool {
    #[word("adv", "advantage")]
    pub advantage: Vec<Rating<0>>,
    #[word("dis", "disadvantage")]
    pub disadvantage: Vec<Rating<-40>>,
    /// a Tier for this check only
    #[word("tier")]
    pub tier: Option<Number<1, 5>>,
    /// roll a Fortune die too
    #[flag("fortune")]
    pub fortune: bool,
    /// roll a Misfortune die too
    #[flag("misfortune")]
    pub misfortune: bool,
    pub ranks: Ranks,
    /// after the word skill, it may be below 0
    #[word("skill")]
    #[bare]
    pub skill: Option<Number<-100, 100>>,
}

impl DicePool {
    /// True if nothing typed says how good somebody is.
    pub fn is_empty(&self) -> bool {
        self.skill.is_none()
            && self.ranks == Ranks::default()
            && self.advantage.is_empty()
            && self.disadvantage.is_empty()
    }
}

/// The other side of an opposed check.
#[derive(Clone, Arguments)]
pub(crate) struct Opponent {
    #[flag("passive")]
    pub passive: bool,
    #[group]
    pub whose: Whose,
    #[group]
    pub dice: DicePool,
    pub character: Option<Name>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difficulty(typed: &str) -> Result<Option<(Difficulty, usize)>, String> {
        Difficulty::read(&typed.split(' ').collect::<Vec<_>>())
    }

    fn level(level: i64, times: i64, extra: i64, rolled: bool) -> Difficulty {
        let step = STEPS[times as usize].0;
        Difficulty::Level(Level { level, step, times, extra, rolled })
    }

    #[test]
    fn difficulties_are_numbers_levels_or_somebody() {
        assert_eq!(difficulty("15"), Ok(Some((Difficulty::Number(15), 1))));
        assert_eq!(difficulty("15+2 +4"), Ok(Some((Difficulty::Number(17), 1))));
        assert_eq!(difficulty("level 5 HARD fortune"), Ok(Some((level(5, 2, 0, false), 3))));
        assert_eq!(difficulty("5 hard+2 roll"), Ok(Some((level(5, 2, 2, true), 3))));
        assert_eq!(difficulty("easy level 0"), Ok(Some((level(0, 0, 0, false), 3))));
        assert_eq!(difficulty("Ann"), Ok(Some((Difficulty::Somebody(Name("Ann".into())), 1))));
        for wrong in ["hard", "level 5", "level 101 hard", "99999999999999999999", "15+x", "foe 4"] {
            assert!(difficulty(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn ranks_add_up_by_their_sign() {
        let ranks = |typed: &str| Words::new(typed, 0).take::<Ranks>().map(Option::unwrap_or_default);
        assert_eq!(ranks("+4 -1 7 +minor -major + 2"), Ok(Ranks { advantage: 7, disadvantage: 6 }));
        assert!(ranks("minor").is_err());
        assert!(ranks("+99").is_err());
    }
}
