//! Dice with words on their faces: what shows on all of them together, and words that cancel each other.

use crate::expression::{Count, Expression, Face, FaceList, Faces, Modifier, Operator, Pool, Source};
use crate::notation::Repeated;
use crate::roll::Roll;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// What joins two words on one face, as in `hit+hit`.
pub(crate) const JOINED: char = '+';
/// The word on a face that shows nothing.
pub(crate) const BLANK: &str = "blank";

/// Two words that cancel each other: one of the first and one of the second are nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cancel {
    /// The one.
    pub word: String,
    /// The other.
    pub against: String,
}

/// All words that cancel each other, as they are typed behind a roll; nothing if there are none.
pub(crate) struct Cancelled<'a>(pub &'a [Cancel]);

impl fmt::Display for Cancelled<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().enumerate().try_for_each(|(n, Cancel { word, against })| {
            write!(f, "{} {word}/{against}", if n == 0 { " cancel" } else { "," })
        })
    }
}

impl Face {
    /// The words on it, each as often as it is there.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        let word = match self {
            Face::Word(word) => Some(word.split(JOINED)),
            Face::Number(_) => None,
        };
        word.into_iter().flatten()
    }
}

impl FaceList {
    /// The same die, with a number in place of each face.
    fn numbered(&self, number: impl Fn(&Face) -> i64) -> FaceList {
        let faces = self.faces().iter().map(|(face, often)| (Face::Number(number(face)), *often)).collect();
        FaceList::new(faces).unwrap_or_else(|| self.clone())
    }
}

/// The words of a sum of dice that show nothing but words, once for each face that has them. `None` if it is anything else.
pub(crate) fn words_on(expression: &Expression) -> Option<Vec<&str>> {
    match expression {
        Expression::Parentheses(inner) => words_on(inner),
        Expression::Pool(Pool { source: Source::Dice(_, Faces::List(list)), .. }) => {
            let all_words = list.faces().iter().all(|(face, _)| matches!(face, Face::Word(_)));
            all_words.then(|| list.faces().iter().flat_map(|(face, _)| face.words()).collect())
        }
        Expression::Chain(first, rest) => rest.iter().try_fold(words_on(first)?, |mut all, (operator, each)| {
            all.extend(words_on(each).filter(|_| *operator == Operator::Plus)?);
            Some(all)
        }),
        _ => None,
    }
}

/// True if dice that show nothing but words are compared, or calculated with: their words are no numbers.
pub(crate) fn calculates_with_words(expression: &Expression) -> bool {
    let several = |all: &[Expression]| all.iter().any(calculates_with_words);
    let shows = |each: &Expression| words_on(each).is_some() || calculates_with_words(each);
    match expression {
        Expression::Number(_) => false,
        Expression::Pool(Pool { source, modifiers }) => match source {
            Source::Dice(..) => words_on(expression).is_some() && modifiers.iter().any(Modifier::counts),
            Source::Group(members) => members.iter().any(shows),
        },
        Expression::Parentheses(inner) => calculates_with_words(inner),
        Expression::Chain(first, rest) if words_on(expression).is_some() => {
            calculates_with_words(first) || rest.iter().any(|(_, each)| calculates_with_words(each))
        }
        Expression::Chain(first, rest) => shows(first) || rest.iter().any(|(_, each)| shows(each)),
        Expression::Negative(inner) | Expression::Labelled(inner, _) => shows(inner),
        Expression::Power(left, right) | Expression::Compared(left, _, right) => shows(left) || shows(right),
        Expression::ComparedWithEach(left, _, pool) => shows(left) || shows(&Expression::Pool(pool.clone())),
        Expression::Function(_, arguments) => several(arguments) || arguments.iter().any(shows),
    }
}

/// True if words of this sum of dice may cancel each other: nothing else is done to the dice.
pub(crate) fn may_cancel(expression: &Expression) -> bool {
    match expression {
        Expression::Parentheses(inner) => may_cancel(inner),
        Expression::Pool(Pool { source: Source::Dice(Count::Number(_), Faces::List(_)), modifiers }) => {
            modifiers.is_empty()
        }
        Expression::Chain(first, rest) => may_cancel(first) && rest.iter().all(|(_, each)| may_cancel(each)),
        _ => false,
    }
}

/// The same sum of dice with this number in place of each face.
fn numbered(expression: &Expression, number: &dyn Fn(&Face) -> i64) -> Expression {
    match expression {
        Expression::Parentheses(inner) => Expression::Parentheses(Box::new(numbered(inner, number))),
        Expression::Pool(Pool { source: Source::Dice(count, Faces::List(list)), modifiers }) => {
            let source = Source::Dice(count.clone(), Faces::List(list.numbered(number)));
            Expression::Pool(Pool { source, modifiers: modifiers.clone() })
        }
        Expression::Chain(first, rest) => {
            let rest = rest.iter().map(|(operator, each)| (*operator, numbered(each, number))).collect();
            Expression::Chain(Box::new(numbered(first, number)), rest)
        }
        other => other.clone(),
    }
}

impl Expression {
    /// True if it shows words and no number.
    pub fn shows_words(&self) -> bool {
        words_on(self).is_some()
    }

    /// The chance, 0 to 1, that each word shows, for dice with words to which nothing is done; and on what it shows, in words: on
    /// each die, or on any of a sum of several kinds.
    pub fn chances_of_words(&self) -> Option<(BTreeMap<&str, f64>, &'static str)> {
        let Expression::Chain(first, rest) = self else {
            let on = if self.dice() == Some(1) { "" } else { ", each die for itself" };
            return Some((self.words_of_each()?, on));
        };
        let mut none: BTreeMap<&str, f64> =
            words_on(self).filter(|_| may_cancel(self))?.into_iter().map(|word| (word, 1.0)).collect();
        for each in rest.iter().map(|(_, each)| each).chain([&**first]) {
            let dice = i32::try_from(each.dice()?).ok()?;
            for (word, chance) in each.words_of_each()? {
                none.entry(word).and_modify(|none| *none *= (1.0 - chance).powi(dice));
            }
        }
        Some((none.into_iter().map(|(word, none)| (word, 1.0 - none)).collect(), ", at least once"))
    }

    fn words_of_each(&self) -> Option<BTreeMap<&str, f64>> {
        let Expression::Pool(Pool { source: Source::Dice(_, faces @ Faces::List(list)), modifiers }) = self else {
            return None;
        };
        words_on(self).filter(|_| modifiers.is_empty())?;
        let mut chances: BTreeMap<&str, f64> = BTreeMap::new();
        for (face, often) in list.faces() {
            let share = f64::from(*often) / f64::from(faces.sides()?);
            face.words()
                .collect::<BTreeSet<_>>()
                .into_iter()
                .for_each(|word| *chances.entry(word).or_default() += share);
        }
        Some(chances)
    }
}

impl Repeated {
    /// For two words that cancel each other: a roll of the same dice whose result is how many of the one are left, or below 0
    /// how many of the other.
    pub fn left_of(&self, Cancel { word, against }: &Cancel) -> Repeated {
        let count = |face: &Face, word: &str| face.words().filter(|each| *each == word).count();
        let number = |face: &Face| {
            i64::try_from(count(face, word)).unwrap_or(0) - i64::try_from(count(face, against)).unwrap_or(0)
        };
        Repeated { expression: numbered(&self.expression, &number), cancels: Vec::new(), ..self.clone() }
    }
}

impl Roll<'_> {
    /// The same roll, where words cancel each other with what is left of the first as its result.
    pub(crate) fn cancelled(self) -> Self {
        let Some((Cancel { word, against }, words)) = self.cancels.first().zip(self.words()) else { return self };
        let often = |word: &String| words.get(word.as_str()).and_then(|often| i64::try_from(*often).ok()).unwrap_or(0);
        let value = (often(word) - often(against)).into();
        Roll { value, ..self }
    }

    /// How often each word shows on the dice that count, after some cancelled each other. `None` if dice show anything else.
    pub fn words(&self) -> Option<BTreeMap<&str, usize>> {
        words_on(self.expression)?;
        let mut often: BTreeMap<&str, usize> = BTreeMap::new();
        for (pool, throw) in self.terms() {
            let Source::Dice(_, faces) = &pool.source else { return None };
            for die in throw.kept() {
                faces.word(die.face)?.split(JOINED).for_each(|word| *often.entry(word).or_default() += 1);
            }
        }
        for Cancel { word, against } in self.cancels {
            let both = often.get(word.as_str()).min(often.get(against.as_str())).copied().unwrap_or(0);
            for word in [word, against] {
                often.entry(word).and_modify(|often| *often -= both);
            }
        }
        if !self.cancels.is_empty() {
            often.remove(BLANK);
        }
        often.retain(|_, often| *often > 0);
        Some(often)
    }
}
