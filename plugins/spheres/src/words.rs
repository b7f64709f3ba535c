//! The game's own words: ranks, difficulties, currencies and uses.

use crate::rules::Kind;
use plugin_api::{
    Argument, ArgumentKind, Arguments, Choice, Listed, Name, Number, Part, Parts, Refusal, Spelled, Touching, Value,
};

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

/// One rank or several, with their sign.
fn rank() -> ArgumentKind {
    let number = ArgumentKind::between(-MOST_RANKS, MOST_RANKS).signed().named(&CIRCUMSTANCES, Listed::Known);
    number.or_else(&too_many("{}")).or_unsigned("{} needs a sign: +{} is Advantage, -{} Disadvantage")
}

/// Ranks behind or in front of the word for them: `adv 4`, `minor advantage`. The skill in `7 adv` is no rank, and `+4 dis`
/// may be both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rating<const LEAST: i64>(pub i64);

impl<const LEAST: i64> Argument for Rating<LEAST> {
    fn kind() -> ArgumentKind {
        let number = ArgumentKind::between(LEAST, MOST_RANKS).named(&CIRCUMSTANCES, Listed::Read);
        number.ahead(if LEAST < 0 { '-' } else { '+' })
    }

    fn from_value(value: Value) -> Result<Self, Refusal> {
        Ok(Rating(value.number()?.0))
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
        ArgumentKind::All(Box::new(rank()))
    }

    fn from_value(value: Value) -> Result<Self, Refusal> {
        let mut ranks = Ranks::default();
        for rank in value.all()? {
            match rank.number()?.0 {
                rank @ 0.. => ranks.advantage += rank,
                rank => ranks.disadvantage -= rank,
            }
        }
        Ok(ranks)
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

/// The parts of a level, in either order: `level 5 hard+2 roll`, `hard level 5`.
fn level_kinds() -> [ArgumentKind; 2] {
    let word = ArgumentKind::choice(&[&["level"]]).or_words(&["lvl", "lv"], Listed::Read);
    let word = Part::unlisted("word", word);
    let number = ArgumentKind::between(0, 100).or_else("level {} is not from 0 to 100");
    let number =
        Part::one("level", number).touching(Touching::Maybe).or_else("{} of which level? level 5 hard is right");
    let medium = Spelled { words: ["moderate", "medium"].map(str::to_owned).to_vec(), listed: Listed::Read };
    let steps = STEPS.iter().map(|(step, _)| Spelled::new(&[step], Listed::Shown)).chain([medium]);
    let step = Part::one("step", ArgumentKind::Choice(steps.collect()));
    let steps = "a level is easy, moderate or hard: level 5 hard";
    let step = step.or_else(steps);
    let roll = Part::maybe("roll", ArgumentKind::choice(&[&["roll"]]).or_words(&["rolled"], Listed::Read));
    let last = [step.clone(), extra(), roll.clone()];
    [
        ArgumentKind::Pattern([word.clone(), number.clone().or_else(steps)].into_iter().chain(last).collect()),
        ArgumentKind::Pattern(vec![
            step,
            extra(),
            word,
            number.or_else("{} of which level? level 5 hard is right"),
            roll,
        ]),
    ]
}

/// The `+2` of `15+2` and `hard+2`.
fn extra() -> Part {
    let number = ArgumentKind::between(-HIGHEST, HIGHEST).signed().or_else("{} is too much to add to a difficulty");
    Part::unlisted("extra", number).touching(Touching::Must)
}

impl Argument for Level {
    fn kind() -> ArgumentKind {
        ArgumentKind::Either(level_kinds().to_vec())
    }

    fn shown() -> Option<String> {
        let [first, _] = level_kinds();
        Some(first.shape())
    }

    fn from_value(value: Value) -> Result<Self, Refusal> {
        let mut parts = value.parts()?;
        let step = parts.one("step")?;
        let typed = step.text()?;
        let (step, times) = STEPS.into_iter().find(|(step, _)| *step == typed).unwrap_or(STEPS[0]);
        Ok(Level {
            level: parts.one("level")?.number()?.0,
            step,
            times,
            extra: extra_of(&mut parts)?,
            rolled: parts.take("roll").is_some(),
        })
    }
}

fn extra_of(parts: &mut Parts) -> Result<i64, Refusal> {
    parts.take("extra").map_or(Ok(0), |extra| Ok(extra.number()?.0))
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
        let wrong = "{} is not a difficulty: 15, 15+2, or level 5 hard";
        let dc = ArgumentKind::between(0, HIGHEST).unsigned().only().behind(&["dc"]).or_else(wrong);
        let dc = ArgumentKind::Pattern(vec![Part::one("dc", dc), extra()]);
        ArgumentKind::Either(level_kinds().into_iter().chain([dc, Name::kind()]).collect())
    }

    fn shown() -> Option<String> {
        Some("DC|level N hard|NAME".to_owned())
    }

    fn from_value(value: Value) -> Result<Self, Refusal> {
        let mut parts = match value {
            Value::Name(name) if ["foe", "hero", "passive"].iter().any(|side| name.eq_ignore_ascii_case(side)) => {
                return Err(Refusal::new("two sides at once are: oppose 5 +3 vs foe 4 +2"));
            }
            Value::Name(name) => return Ok(Difficulty::Somebody(Name(name))),
            value => value.parts()?,
        };
        match parts.take("dc") {
            Some(dc) => match dc.number()?.0 + extra_of(&mut parts)? {
                dc if dc <= HIGHEST => Ok(Difficulty::Number(dc)),
                dc => Err(Refusal::new(format!("{dc} is not a difficulty: {HIGHEST} is the most"))),
            },
            None => Level::from_value(Value::Parts(parts)).map(Difficulty::Level),
        }
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

/// The words for each: the one that usage lines show, those that slips are taken for, and those that are only read.
const SPENDABLES: [(&str, Spendable, &[&str], &[&str]); 5] = [
    ("triumph", Spendable::Triumph, &["triumphs"], &["triumph die", "triumph dice"]),
    ("tragedy", Spendable::Tragedy, &["tragedies"], &["tragedy die", "tragedy dice"]),
    (
        "stones",
        Spendable::Stones,
        &["stone", "fate"],
        &["triumph stones", "triumph stone", "tragedy stones", "tragedy stone", "fate dice", "fate die"],
    ),
    ("thrown", Spendable::Thrown, &[], &["thrown die", "thrown dice"]),
    ("award", Spendable::Award, &["awarded"], &["award die", "award dice", "awarded die", "awarded dice"]),
];

impl Argument for Spendable {
    fn kind() -> ArgumentKind {
        let ways = |shown: &str, more: &[&str], listed| Spelled { words: also(shown, more), listed };
        let all = SPENDABLES.iter().flat_map(|(shown, _, known, read)| {
            [ways(shown, &[], Listed::Shown), ways(shown, known, Listed::Known), ways(shown, read, Listed::Read)]
        });
        ArgumentKind::Choice(all.collect())
    }

    fn from_value(value: Value) -> Result<Self, Refusal> {
        let typed = value.text()?;
        let named = SPENDABLES.iter().find(|(shown, ..)| *shown == typed);
        named.map(|(_, what, ..)| *what).ok_or_else(|| Refusal::new(format!("there is no {typed} to spend")))
    }
}

fn also(shown: &str, more: &[&str]) -> Vec<String> {
    std::iter::once(&shown).chain(more).map(|word| (*word).to_owned()).collect()
}

/// A chance: `45`, `45%`, `45 %`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Percent(pub i64);

impl Argument for Percent {
    fn kind() -> ArgumentKind {
        ArgumentKind::between(0, 100).before(&["%"])
    }

    fn from_value(value: Value) -> Result<Self, Refusal> {
        Ok(Percent(value.number()?.0))
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

    fn from_value(value: Value) -> Result<Self, Refusal> {
        Ok(Count(value.number()?.0))
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

    fn from_value(_: Value) -> Result<Self, Refusal> {
        Ok(LuckControl)
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
    use plugin_api::Words;

    fn difficulty(typed: &str) -> Result<Option<(Difficulty, usize)>, String> {
        let read = Difficulty::kind().read(&typed.split(' ').collect::<Vec<_>>()).map_err(|misfit| misfit.says)?;
        let made = |(value, count)| Ok((Difficulty::from_value(value).map_err(|refusal| refusal.what)?, count));
        read.map(made).transpose()
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
        assert_eq!(difficulty("lvl5 hard-2"), Ok(Some((level(5, 2, -2, false), 2))));
        assert_eq!(difficulty("DC15"), Ok(Some((Difficulty::Number(15), 1))));
        assert_eq!(difficulty("dc 150 level"), Ok(Some((Difficulty::Number(150), 2))));
        assert_eq!(difficulty("easy level 0"), Ok(Some((level(0, 0, 0, false), 3))));
        assert_eq!(difficulty("+4"), Ok(None));
        assert_eq!(difficulty("Ann"), Ok(Some((Difficulty::Somebody(Name("Ann".into())), 1))));
        for wrong in ["hard", "level 5", "level 101 hard", "99999999999999999999", "15+x", "3d6", "foe 4"] {
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
