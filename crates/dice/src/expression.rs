//! What a player wrote, as a tree.

use crate::Number;

mod print;
mod words;

/// An arithmetic expression over dice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// A number: `7`, `1.5`.
    Number(Number),
    /// Dice, or results of which some are taken, with their modifiers.
    Pool(Pool),
    /// `-x`
    Negative(Box<Expression>),
    /// `(x)`
    Parentheses(Box<Expression>),
    /// Operators of one precedence, applied from left to right: `first op x op y`.
    Chain(Box<Expression>, Vec<(Operator, Expression)>),
    /// `x ** y`
    Power(Box<Expression>, Box<Expression>),
    /// `floor(x)`, `max(x, y)`
    Function(Function, Vec<Expression>),
    /// `x[fire]`: what it comes to is also counted under that name.
    Labelled(Box<Expression>, String),
    /// `x >= y`: 1 if it holds, else 0.
    Compared(Box<Expression>, Comparison, Box<Expression>),
}

/// An arithmetic operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `*`
    Times,
    /// `/`, exactly.
    Divide,
    /// `//`, rounded down.
    DivideDown,
    /// `%`, with the sign of what stands behind it.
    Modulo,
}

/// A function of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// Rounded down.
    Floor,
    /// Rounded up.
    Ceil,
    /// Rounded to the nearest, a half away from zero.
    Round,
    /// Without its sign.
    Abs,
    /// The smallest.
    Min,
    /// The largest.
    Max,
    /// All together.
    Sum,
}

impl Function {
    /// All of them by name.
    pub const ALL: [(&'static str, Function); 7] = [
        ("floor", Function::Floor),
        ("ceil", Function::Ceil),
        ("round", Function::Round),
        ("abs", Function::Abs),
        ("min", Function::Min),
        ("max", Function::Max),
        ("sum", Function::Sum),
    ];

    /// Whether it takes one number alone.
    pub fn takes_one(self) -> bool {
        matches!(self, Function::Floor | Function::Ceil | Function::Round | Function::Abs)
    }
}

/// Dice or results, and what is done to them, strictly from left to right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pool {
    /// What there is at first.
    pub source: Source,
    /// What is done to it, in order.
    pub modifiers: Vec<Modifier>,
}

/// Where the members of a pool come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// `4d6`: so many dice of one kind.
    Dice(Count, Faces),
    /// `{4d6, 2d8 + 1}`: results. One alone is a sum of dice, and means those dice: `{4d6 + 2d8}`.
    Group(Vec<Expression>),
}

/// How many dice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Count {
    /// So many.
    Number(u32),
    /// `(1d4)d6`: what is thrown for that; none if it is negative.
    Computed(Box<Expression>),
}

/// The faces of a die.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Faces {
    /// 1 to `s`.
    Sides(u32),
    /// `d(2d4)`: 1 to what is thrown for that.
    Computed(Box<Expression>),
    /// `d%`: 1 to 100.
    Percent,
    /// `dF`: -1, 0 and 1, thrown as a d3 (Fudge and Fate games).
    Fudge,
    /// `dF.1`: a -1, a 1 and four blanks, thrown as a d6.
    FudgeRare,
    /// `d[3..8]`: all numbers from the first to the last.
    Range(i64, i64),
    /// `d[1,1,2,3:2,blank]`: these.
    List(FaceList),
}

/// Faces of one's own making.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaceList {
    /// What they show, and how often each is on the die.
    faces: Vec<(Face, u32)>,
    /// How many faces there are, each as often as it is there.
    sides: u32,
}

/// What a face shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Face {
    /// A number, which it counts.
    Number(i64),
    /// A word, which counts 0.
    Word(String),
}

impl FaceList {
    /// These faces, each so often; nothing if that is none, or more than a die can have.
    pub fn new(faces: Vec<(Face, u32)>) -> Option<Self> {
        let sides = faces.iter().try_fold(0_u32, |sides, (_, often)| sides.checked_add(*often))?;
        (sides > 0).then_some(FaceList { faces, sides })
    }

    /// What a thrown die shows, from 1 up.
    pub fn face(&self, thrown: u32) -> &Face {
        let mut left = thrown;
        let found = self.faces.iter().find(|(_, often)| {
            let here = left <= *often;
            left = left.saturating_sub(*often);
            here
        });
        &found.unwrap_or(&self.faces[0]).0
    }
}

impl Face {
    /// What it counts.
    pub fn value(&self) -> i64 {
        match self {
            Face::Number(number) => *number,
            Face::Word(_) => 0,
        }
    }
}

/// What is done to the members of a pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Modifier {
    /// `kh3`, `km2`, `k>4`: of those still in, keep these.
    Keep(Choice),
    /// `dl1`, `d<3`: of those still in, drop these.
    Drop(Choice),
    /// `!`, `!>=5`: each die that meets the condition (its highest face without one) brings another.
    Explode(Explosion, Option<Condition>),
    /// `r1`, `ro<3`, `rr2<3`: throw again while the condition is met; so often at the most.
    Reroll(Option<u32>, Condition),
    /// `u`: throw again what shows the same as one before it.
    Unique,
    /// `mi2`: what is less counts as this.
    Minimum(i64),
    /// `ma5`: what is more counts as this.
    Maximum(i64),
    /// `map[1:0,6:2]`: what shows the first counts as the second.
    Map(Vec<(i64, i64)>),
    /// `sa`, `sd`: show them in order, from this end.
    Sort(End),
    /// A way of counting: the pool comes to what is counted, not to the sum.
    Count(Counting),
    /// `cs20`, `cf1`: point out what meets the condition.
    Mark(Mark, Condition),
}

/// Which members of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// So many from one end.
    End(End, u32),
    /// So many from the middle.
    Middle(u32),
    /// Those that meet it.
    Where(Condition),
}

/// How dice explode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Explosion {
    /// `!`: the other die may bring another.
    Each,
    /// `!o`: the other die brings none.
    Once,
    /// `!!`: as [`Each`](Self::Each), all as one die.
    Compound,
    /// `!p`: as [`Each`](Self::Each), each other die counting one less.
    Penetrate,
    /// `!i`: the lowest face brings another die, once, which is taken away.
    Implode,
}

/// What of a pool is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// `>=7`, `c7`: each that meets it.
    Success(Condition),
    /// `f1`: each that meets it takes a success away.
    Failure(Condition),
    /// `dbl10`: each that meets it counts once more.
    Double(Condition),
    /// `b1`: each that meets it; without a success it is a botch.
    Botch(Condition),
    /// `even`
    Even,
    /// `odd`
    Odd,
    /// `m`: each that shows the same as another.
    Matches,
    /// `mt3`: sets of so many that show the same.
    Sets(u32),
}

/// What is pointed out about a die.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// A critical success.
    Critical,
    /// A fumble.
    Fumble,
}

/// Which end of the sorted dice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The highest.
    High,
    /// The lowest.
    Low,
}

/// A comparison with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    /// How to compare.
    pub comparison: Comparison,
    /// With what.
    pub value: i64,
}

/// How numbers are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `=`
    Equal,
    /// `<>`
    Unequal,
    /// `>=`
    AtLeast,
    /// `>`
    Greater,
}

impl Comparison {
    /// Whether it holds.
    pub fn holds<T: Ord>(self, left: T, right: T) -> bool {
        match self {
            Comparison::Less => left < right,
            Comparison::AtMost => left <= right,
            Comparison::Equal => left == right,
            Comparison::Unequal => left != right,
            Comparison::AtLeast => left >= right,
            Comparison::Greater => left > right,
        }
    }
}

impl Condition {
    /// Whether `value` meets it.
    pub fn holds(self, value: i64) -> bool {
        self.comparison.holds(value, self.value)
    }
}

impl Source {
    /// Whether of these members some may meet a condition and others not, after this was done to them; of what is not known
    /// before it is thrown, it is taken to be so.
    pub(crate) fn tells_apart<'m>(&self, mut before: impl Iterator<Item = &'m Modifier>, condition: Condition) -> bool {
        let Source::Dice(_, faces) = self else { return true };
        let Some(sides) = faces.sides().filter(|_| before.all(Modifier::keeps_faces)) else { return true };
        faces.may_meet(condition, sides) && !faces.all_meet(condition, sides)
    }
}

impl Source {
    /// Whether of these members one at the most is left after this was done to them, none being counted.
    pub(crate) fn leaves_one(&self, before: &[Modifier]) -> bool {
        let mut left = match self {
            Source::Dice(Count::Number(count), _) => Some(*count),
            Source::Group(members) if members.len() > 1 => u32::try_from(members.len()).ok(),
            Source::Dice(Count::Computed(_), _) | Source::Group(_) => None,
        };
        for modifier in before {
            left = match modifier {
                Modifier::Keep(Choice::End(_, n) | Choice::Middle(n)) => Some(left.map_or(*n, |left| left.min(*n))),
                Modifier::Drop(Choice::End(_, n)) => left.map(|left| left.saturating_sub(*n)),
                Modifier::Explode(Explosion::Compound, _) => left,
                Modifier::Explode(..) => None,
                _ => left,
            };
        }
        left == Some(1) && !before.iter().any(Modifier::counts)
    }
}

impl Modifier {
    /// It needs dice to throw, and not only results.
    pub fn throws(&self) -> bool {
        use Modifier::*;
        matches!(self, Explode(..) | Reroll(..) | Unique)
    }

    /// Dice still show the faces that they were made with.
    pub(crate) fn keeps_faces(&self) -> bool {
        use Modifier::*;
        let changes = matches!(self, Minimum(_) | Maximum(_) | Map(_));
        !changes && !matches!(self, Explode(Explosion::Compound | Explosion::Penetrate | Explosion::Implode, _))
    }

    /// Nothing may be thrown or changed behind it.
    pub fn counts(&self) -> bool {
        matches!(self, Modifier::Count(_))
    }
}

impl Faces {
    /// How many faces a die has; none where that is thrown for.
    pub fn sides(&self) -> Option<u32> {
        match self {
            Faces::Sides(sides) => Some(*sides),
            Faces::Computed(_) => None,
            Faces::Percent => Some(100),
            Faces::Fudge => Some(3),
            Faces::FudgeRare => Some(6),
            Faces::Range(first, last) => u32::try_from(last.abs_diff(*first)).ok()?.checked_add(1),
            Faces::List(list) => Some(list.sides),
        }
    }

    /// What a thrown die counts, from 1 up.
    pub fn value(&self, thrown: u32) -> i64 {
        match self {
            Faces::Sides(_) | Faces::Computed(_) | Faces::Percent => i64::from(thrown),
            Faces::Fudge => i64::from(thrown) - 2,
            Faces::FudgeRare => i64::from(thrown == 6) - i64::from(thrown == 1),
            Faces::Range(first, _) => first + (i64::from(thrown) - 1),
            Faces::List(list) => list.face(thrown).value(),
        }
    }

    /// The word that a thrown die shows, if it shows one.
    pub fn word(&self, thrown: u32) -> Option<&str> {
        match self {
            Faces::List(list) => match list.face(thrown) {
                Face::Word(word) => Some(word),
                Face::Number(_) => None,
            },
            _ => None,
        }
    }

    /// The faces of a die of so many that differ, each as the first of those that show it, and how often it is there. There
    /// may be four billion: whoever walks or collects them asks for a limit first.
    pub fn different(&self, sides: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        let (listed, numbered) = match self {
            Faces::List(list) => (list.faces.as_slice(), 0),
            _ => ([].as_slice(), sides),
        };
        let mut next: u32 = 1;
        let begin = move |(_, often): &(Face, u32)| {
            let first = next;
            // Behind the last face there is none.
            next = next.saturating_add(*often);
            (first, *often)
        };
        listed.iter().map(begin).chain((1..=numbered).map(|face| (face, 1)))
    }

    /// The highest of a die of so many faces, and the lowest.
    pub fn ends(&self, sides: u32) -> (i64, i64) {
        match self {
            Faces::List(list) => {
                let values = || list.faces.iter().map(|(face, _)| face.value());
                (values().max().unwrap_or_default(), values().min().unwrap_or_default())
            }
            Faces::FudgeRare => (1, -1),
            _ => (self.value(sides), self.value(1)),
        }
    }

    /// Whether a face between the ends of a die of so many may meet it.
    pub(crate) fn may_meet(&self, condition: Condition, sides: u32) -> bool {
        let (highest, lowest) = self.ends(sides);
        match condition.comparison {
            Comparison::Unequal => highest != lowest || highest != condition.value,
            Comparison::Equal => (lowest..=highest).contains(&condition.value),
            _ => condition.holds(highest) || condition.holds(lowest),
        }
    }

    /// Whether every face of a die of so many meets it, so that throwing again would never end.
    pub fn all_meet(&self, condition: Condition, sides: u32) -> bool {
        if let Faces::List(list) = self {
            return list.faces.iter().all(|(face, often)| *often == 0 || condition.holds(face.value()));
        }
        let (highest, lowest) = self.ends(sides);
        match condition.comparison {
            // Faces are consecutive numbers.
            Comparison::Unequal => !(lowest..=highest).contains(&condition.value),
            // What holds at both ends, and is no equality, holds between them.
            _ => condition.holds(lowest) && condition.holds(highest),
        }
    }
}
