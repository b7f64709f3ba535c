//! A player's notation, as a tree.

use crate::{Number, digits};

mod print;
mod words;

/// The most faces that are looked at one by one.
const MOST_LOOKED_AT: u32 = 1_000;

/// An arithmetic expression over dice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// A number: `7`, `1.5`.
    Number(Number),
    /// Dice or a group of results, with their modifiers.
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
    /// `x[fire]`: its result is also counted under that name.
    Labelled(Box<Expression>, String),
    /// `x >= y`: 1 if it holds, else 0.
    Compared(Box<Expression>, Comparison, Box<Expression>),
    /// `x vs each 2d10`: with how many of the dice it holds.
    ComparedWithEach(Box<Expression>, Comparison, Pool),
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
    /// `%`, with the sign of the right-hand side.
    Modulo,
}

/// A function of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// Rounded down.
    Floor,
    /// Rounded up.
    Ceil,
    /// Rounded to the nearest whole number, halves away from zero.
    Round,
    /// Absolute value.
    Abs,
    /// The smallest.
    Min,
    /// The largest.
    Max,
    /// The sum.
    Sum,
}

impl Function {
    /// All functions, by name.
    pub const ALL: [(&'static str, Function); 7] = [
        ("floor", Function::Floor),
        ("ceil", Function::Ceil),
        ("round", Function::Round),
        ("abs", Function::Abs),
        ("min", Function::Min),
        ("max", Function::Max),
        ("sum", Function::Sum),
    ];

    /// True if it takes exactly one number.
    pub fn takes_one(self) -> bool {
        matches!(self, Function::Floor | Function::Ceil | Function::Round | Function::Abs)
    }
}

/// Dice or results, and what is done to them, strictly from left to right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pool {
    /// The members at the start.
    pub source: Source,
    /// The modifiers, in order.
    pub modifiers: Vec<Modifier>,
}

/// Where the members of a pool come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// `4d6`: this many dice of one kind.
    Dice(Count, Faces),
    /// `{4d6, 2d8 + 1}`: results. A single sum of dice stands for its dice: `{4d6 + 2d8}`.
    Group(Vec<Expression>),
}

/// How many dice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Count {
    /// A fixed number.
    Number(u32),
    /// `(1d4)d6`: as many as this rolls; none if negative.
    Computed(Box<Expression>),
}

/// The faces of a die.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Faces {
    /// 1 to `s`.
    Sides(u32),
    /// `d(2d4)`: 1 to whatever this rolls.
    Computed(Box<Expression>),
    /// `d66`, `d666`: this many d6, read as the digits of a number.
    Digits(u32),
    /// `d%`: 1 to 100.
    Percent,
    /// `d100b1`, `d100p2`: 1 to 100 from ones and tens, with so many more dice of tens, of which the lowest result counts
    /// (a bonus) or the highest (a penalty).
    Tens(u32, End),
    /// `dF`: -1, 0 and 1, rolled as a d3 (Fudge and Fate games).
    Fudge,
    /// `dF.1`: one -1, one 1 and four blanks, rolled as a d6.
    FudgeRare,
    /// `d[3..8]`: all numbers in this range, both ends included.
    Range(i64, i64),
    /// `d[1,1,2,3:2,blank]`: custom faces.
    List(FaceList),
}

/// The faces of a custom die.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaceList {
    /// Each face, and how often it is on the die.
    faces: Vec<(Face, u32)>,
    /// The total number of faces, repeated ones included.
    sides: u32,
}

/// A face of a custom die.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Face {
    /// A number, which is its value.
    Number(i64),
    /// A word, or several that are joined: `hit+hit`. Its value is 0.
    Word(String),
}

impl FaceList {
    /// Makes a die of these faces, each with its count. Returns `None` if there are none, or more than a die can have.
    pub fn new(faces: Vec<(Face, u32)>) -> Option<Self> {
        let sides = faces.iter().try_fold(0_u32, |sides, (_, often)| sides.checked_add(*often))?;
        (sides > 0).then_some(FaceList { faces, sides })
    }

    /// Each face, and how often it is on the die.
    pub fn faces(&self) -> &[(Face, u32)] {
        &self.faces
    }

    /// The face for a roll of `thrown`, counted from 1.
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
    /// Its value.
    pub fn value(&self) -> i64 {
        match self {
            Face::Number(number) => *number,
            Face::Word(_) => 0,
        }
    }
}

/// A change to the members of a pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Modifier {
    /// `kh3`, `km2`, `k>4`: keep only these of the members still in.
    Keep(Choice),
    /// `dl1`, `d<3`: drop these of the members still in.
    Drop(Choice),
    /// `!`, `!>=5`: each die that meets the condition (by default, shows its highest face) adds another.
    Explode(Explosion, Option<Condition>),
    /// `r1`, `ro<3`, `rr2<3`, `r1r3`: reroll while any of the conditions is met; at most this often.
    Reroll(Option<u32>, Vec<Condition>),
    /// `u`: reroll a die that shows the same as an earlier one.
    Unique,
    /// `mi2`: lower values count as this.
    Minimum(i64),
    /// `ma5`: higher values count as this.
    Maximum(i64),
    /// `each+2`: each counts so much more.
    Add(i64),
    /// `map[1:0,6:2]`: the first value of each pair counts as the second.
    Map(Vec<(i64, i64)>),
    /// `sa`, `sd`: show them sorted, from this end.
    Sort(End),
    /// A way of counting: the pool's result is the count instead of the sum.
    Count(Counting),
    /// `cs20`, `cf1`: mark dice that meet the condition.
    Mark(Mark, Condition),
}

/// Which members of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// This many from one end.
    End(End, u32),
    /// This many from the middle.
    Middle(u32),
    /// Those that meet the condition.
    Where(Condition),
}

/// How dice explode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Explosion {
    /// `!`: the new die may explode too.
    Each,
    /// `!o`: the new die cannot explode.
    Once,
    /// `!!`: like [`Each`](Self::Each), but all count as one die.
    Compound,
    /// `!p`: like [`Each`](Self::Each), but each new die counts one less.
    Penetrate,
    /// `!i`: the lowest face adds one die, whose value is subtracted.
    Implode,
}

/// What is counted in a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// `>=7`, `c7`: members that meet it.
    Success(Condition),
    /// `f1`: members that meet it, each taking away a success.
    Failure(Condition),
    /// `dbl10`: members that meet it count once more.
    Double(Condition),
    /// `b1`: members that meet it; without any success the roll is a botch.
    Botch(Condition),
    /// `even`
    Even,
    /// `odd`
    Odd,
    /// `m`: members that show the same as another.
    Matches,
    /// `mt3`: sets of this many that show the same.
    Sets(u32),
    /// `pair10`: each two members that show this count two more.
    Pairs(i64),
}

/// How a die is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// A critical success.
    Critical,
    /// A fumble.
    Fumble,
}

/// An end of the sorted dice.
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

impl Expression {
    /// What is compared with something else, if it is a comparison.
    pub fn compared(&self) -> Option<&Expression> {
        match self {
            Expression::Compared(left, ..) | Expression::ComparedWithEach(left, ..) => Some(left),
            _ => None,
        }
    }
}

impl Comparison {
    /// True if the comparison holds.
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
    /// True if `value` meets it.
    pub fn holds(self, value: i64) -> bool {
        self.comparison.holds(value, self.value)
    }
}

impl Source {
    /// True if it is a single d100, to which bonus and penalty dice belong.
    pub(crate) fn may_have_tens(&self) -> bool {
        matches!(self, Source::Dice(Count::Number(1), Faces::Sides(100) | Faces::Percent))
    }

    /// True if some of these members may meet the condition and others not, after the modifiers `before`. Assumed true
    /// if that is unknown before rolling.
    pub(crate) fn tells_apart<'m>(&self, mut before: impl Iterator<Item = &'m Modifier>, condition: Condition) -> bool {
        let Source::Dice(_, faces) = self else { return true };
        let Some(sides) = faces.sides().filter(|_| before.all(Modifier::keeps_faces)) else { return true };
        faces.may_meet(condition, sides) && !faces.all_meet(condition, sides)
    }
}

impl Source {
    /// True if at most one member is left after the modifiers `before`, none of which counts.
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
    /// How many it counts for where their number is bounded.
    pub(crate) fn parts(&self) -> usize {
        match self {
            Modifier::Reroll(_, conditions) => conditions.len(),
            _ => 1,
        }
    }

    /// True if it rolls dice, so it needs more than results.
    pub fn throws(&self) -> bool {
        use Modifier::*;
        matches!(self, Explode(..) | Reroll(..) | Unique)
    }

    /// True if dice still show the faces they were made with.
    pub(crate) fn keeps_faces(&self) -> bool {
        use Modifier::*;
        let changes = matches!(self, Minimum(_) | Maximum(_) | Add(_) | Map(_));
        !changes && !matches!(self, Explode(Explosion::Compound | Explosion::Penetrate | Explosion::Implode, _))
    }

    /// True if it counts, so nothing may be rolled or changed after it.
    pub fn counts(&self) -> bool {
        matches!(self, Modifier::Count(_))
    }
}

impl Faces {
    /// True if every face of a die with this many sides meets one of these conditions at least. If it has very many
    /// faces, only a single condition that they all meet counts.
    pub(crate) fn all_meet_any(&self, conditions: &[Condition], sides: u32) -> bool {
        let any = |value: i64| conditions.iter().any(|condition| condition.holds(value));
        conditions.iter().any(|condition| self.all_meet(*condition, sides))
            || sides <= MOST_LOOKED_AT
                && self.different(sides).filter(|(_, often)| *often > 0).all(|(face, _)| any(self.value(face)))
    }

    /// The number of faces; `None` if that is rolled.
    pub fn sides(&self) -> Option<u32> {
        match self {
            Faces::Sides(sides) => Some(*sides),
            Faces::Computed(_) => None,
            Faces::Digits(dice) => 6_u32.checked_pow(*dice),
            Faces::Percent => Some(100),
            Faces::Tens(more, _) => 10_u32.checked_pow(more + 2),
            Faces::Fudge => Some(3),
            Faces::FudgeRare => Some(6),
            Faces::Range(first, last) => u32::try_from(last.abs_diff(*first)).ok()?.checked_add(1),
            Faces::List(list) => Some(list.sides),
        }
    }

    /// The value of a die that shows `thrown`, from 1 up.
    pub fn value(&self, thrown: u32) -> i64 {
        match self {
            Faces::Sides(_) | Faces::Computed(_) | Faces::Percent => i64::from(thrown),
            Faces::Digits(dice) => digits::read(*dice, thrown),
            Faces::Tens(more, end) => digits::of_tens(*more, *end, thrown),
            Faces::Fudge => i64::from(thrown) - 2,
            Faces::FudgeRare => i64::from(thrown == 6) - i64::from(thrown == 1),
            Faces::Range(first, _) => first + (i64::from(thrown) - 1),
            Faces::List(list) => list.face(thrown).value(),
        }
    }

    /// The word on the face `thrown`, if it has one.
    pub fn word(&self, thrown: u32) -> Option<&str> {
        match self {
            Faces::List(list) => match list.face(thrown) {
                Face::Word(word) => Some(word),
                Face::Number(_) => None,
            },
            _ => None,
        }
    }

    /// The distinct faces of a die with this many sides: the number of the first such face, and how often it occurs.
    /// There may be four billion, so check a limit before iterating or collecting.
    pub fn different(&self, sides: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        let (listed, numbered) = match self {
            Faces::List(list) => (list.faces.as_slice(), 0),
            _ => ([].as_slice(), sides),
        };
        let mut next: u32 = 1;
        let begin = move |(_, often): &(Face, u32)| {
            let first = next;
            // No face follows the last.
            next = next.saturating_add(*often);
            (first, *often)
        };
        listed.iter().map(begin).chain((1..=numbered).map(|face| (face, 1)))
    }

    /// The highest value of a die with this many sides, and the lowest.
    pub fn ends(&self, sides: u32) -> (i64, i64) {
        match self {
            Faces::List(list) => {
                let values = || list.faces.iter().map(|(face, _)| face.value());
                (values().max().unwrap_or_default(), values().min().unwrap_or_default())
            }
            Faces::FudgeRare => (1, -1),
            Faces::Tens(..) => (100, 1),
            _ => (self.value(sides), self.value(1)),
        }
    }

    /// True if some face between the ends of a die with this many sides may meet the condition.
    pub(crate) fn may_meet(&self, condition: Condition, sides: u32) -> bool {
        if let Faces::Digits(_) = self {
            return (1..=sides).any(|face| condition.holds(self.value(face)));
        }
        let (highest, lowest) = self.ends(sides);
        match condition.comparison {
            Comparison::Unequal => highest != lowest || highest != condition.value,
            Comparison::Equal => (lowest..=highest).contains(&condition.value),
            _ => condition.holds(highest) || condition.holds(lowest),
        }
    }

    /// True if every face of a die with this many sides meets the condition, so rerolling would never end.
    pub fn all_meet(&self, condition: Condition, sides: u32) -> bool {
        if let Faces::List(list) = self {
            return list.faces.iter().all(|(face, often)| *often == 0 || condition.holds(face.value()));
        }
        if let Faces::Digits(_) = self {
            return (1..=sides).all(|face| condition.holds(self.value(face)));
        }
        let (highest, lowest) = self.ends(sides);
        match condition.comparison {
            // Faces are consecutive numbers.
            Comparison::Unequal => !(lowest..=highest).contains(&condition.value),
            // A condition other than an equality that holds at both ends holds everywhere between them.
            _ => condition.holds(lowest) && condition.holds(highest),
        }
    }
}
