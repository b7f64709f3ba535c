//! Explains an expression in words.

use super::{
    Choice, Comparison, Condition, Count, Counting, End, Explosion, Expression, Face, Faces, Function, Mark, Modifier,
    Operator, Pool, Source,
};
use crate::symbols::Cancel;
use crate::{Notation, Repeated, Together};

impl Notation {
    /// What it does, one sentence per roll.
    pub fn in_words(&self) -> Vec<String> {
        self.rolls.iter().map(Repeated::in_words).collect()
    }
}

impl Repeated {
    fn in_words(&self) -> String {
        let once = self.expression.in_words();
        let together = match self.together {
            None => "",
            Some(Together::Sum) => ", all added up",
            Some(Together::Sort) => ", shown from the highest down",
        };
        let pairs: Vec<_> =
            self.cancels.iter().map(|Cancel { word, against }| format!("{word} and {against}")).collect();
        let cancels = if pairs.is_empty() { String::new() } else { format!(", where {} cancel", pairs.join(", and ")) };
        let together = format!("{together}{cancels}");
        let sentence = match self.times {
            None => format!("{once}{together}"),
            Some(times) => format!("{times} times, each for itself: {once}{together}"),
        };
        let mut rest = sentence.chars();
        let first: String = rest.next().map(|first| first.to_uppercase().collect()).unwrap_or_default();
        format!("{first}{}.", rest.as_str())
    }
}

impl Expression {
    fn in_words(&self) -> String {
        match self {
            Expression::Number(number) => number.to_string(),
            Expression::Pool(pool) => pool.in_words(),
            Expression::Negative(inner) => format!("minus {}", inner.in_words()),
            Expression::Parentheses(inner) => format!("({})", inner.in_words()),
            Expression::Chain(first, rest) => rest.iter().fold(first.in_words(), |said, (operator, operand)| {
                let pause = if said.contains(',') { ";" } else { "" };
                format!("{said}{pause} {} {}", operator.in_words(), operand.in_words())
            }),
            Expression::Power(base, exponent) => format!("{} to the power of {}", base.in_words(), exponent.in_words()),
            Expression::Function(function, arguments) => {
                let arguments: Vec<_> = arguments.iter().map(Expression::in_words).collect();
                let all = listed(&arguments, "and");
                match function {
                    Function::Floor => format!("{all}, rounded down"),
                    Function::Ceil => format!("{all}, rounded up"),
                    Function::Round => format!("{all}, rounded to the nearest"),
                    Function::Abs => format!("{all} without its sign"),
                    Function::Min => format!("the lowest of {all}"),
                    Function::Max => format!("the highest of {all}"),
                    Function::Sum => format!("the sum of {all}"),
                }
            }
            Expression::Labelled(inner, label) => format!("{} (named {label})", inner.in_words()),
            Expression::Compared(left, comparison, right) => {
                format!("whether {} is {} {}", left.in_words(), comparison.in_words(), right.in_words())
            }
            Expression::ComparedWithEach(left, comparison, pool) => {
                let (left, dice) = (left.in_words(), pool.dice_in_words());
                let where_it_is = match comparison {
                    Comparison::Less => "less",
                    Comparison::AtMost => "at most as much",
                    Comparison::Equal => "the same",
                    Comparison::Unequal => "something else",
                    Comparison::AtLeast => "at least as much",
                    Comparison::Greater => "more",
                };
                format!("{left}, compared with each of {dice}, counting those where it is {where_it_is}")
            }
        }
    }
}

impl Operator {
    fn in_words(self) -> &'static str {
        match self {
            Operator::Plus => "plus",
            Operator::Minus => "minus",
            Operator::Times => "times",
            Operator::Divide => "divided by",
            Operator::DivideDown => "divided, rounded down, by",
            Operator::Modulo => "modulo",
        }
    }
}

impl Comparison {
    fn in_words(self) -> &'static str {
        match self {
            Comparison::Less => "less than",
            Comparison::AtMost => "at most",
            Comparison::Equal => "exactly",
            Comparison::Unequal => "anything but",
            Comparison::AtLeast => "at least",
            Comparison::Greater => "more than",
        }
    }
}

impl Condition {
    fn in_words(self) -> String {
        match self.comparison {
            Comparison::Less => format!("less than {}", self.value),
            Comparison::AtMost => format!("{} or less", self.value),
            Comparison::Equal => format!("{}", self.value),
            Comparison::Unequal => format!("anything but {}", self.value),
            Comparison::AtLeast => format!("{} or more", self.value),
            Comparison::Greater => format!("more than {}", self.value),
        }
    }
}

impl Pool {
    fn in_words(&self) -> String {
        let one = matches!(&self.source, Source::Dice(Count::Number(1), _));
        let counts = self.modifiers.iter().any(Modifier::counts);
        let end = match (&self.source, counts, one) {
            (_, true, _) => "",
            (Source::Group(members), ..) if members.len() == 1 => "",
            (_, _, true) if self.modifiers.is_empty() => "",
            _ => ", added up",
        };
        format!("{}{end}", self.dice_in_words())
    }

    /// Its dice and what is done to them, without what is made of them.
    fn dice_in_words(&self) -> String {
        let what = match &self.source {
            Source::Dice(count, faces) => dice(count, faces),
            Source::Group(members) => listed(&members.iter().map(Expression::in_words).collect::<Vec<_>>(), "and"),
        };
        let steps: String =
            self.modifiers.iter().map(|modifier| format!(", {}", modifier.in_words(&self.source))).collect();
        format!("{what}{steps}")
    }
}

fn dice(count: &Count, faces: &Faces) -> String {
    if let Faces::Digits(dice) = faces {
        return format!("{dice} dice of 6 sides, read as the digits of one number");
    }
    let how_many = match count {
        Count::Number(1) => "one die".to_owned(),
        Count::Number(count) => format!("{count} dice"),
        Count::Computed(inner) => format!("as many dice as ({}) says", inner.in_words()),
    };
    let of = match faces {
        Faces::Sides(sides) => format!("of {sides} {}", if *sides == 1 { "side" } else { "sides" }),
        Faces::Computed(inner) => format!("of as many sides as ({}) says", inner.in_words()),
        Faces::Digits(dice) => format!("read from {dice} dice of 6 sides"),
        Faces::Percent => "of 100 sides".to_owned(),
        Faces::Tens(more, end) => {
            let which = if *end == End::Low { "lowest" } else { "highest" };
            format!("of 100 sides, read from ones and {} dice of tens: the {which} counts", more + 1)
        }
        Faces::Fudge => "that show -1, 0 or 1".to_owned(),
        Faces::FudgeRare => "that show -1 and 1 once and 0 four times".to_owned(),
        Faces::Range(first, last) => format!("that show {first} to {last}"),
        Faces::List(list) => {
            let face = |(face, often): &(Face, u32)| {
                let shown = match face {
                    Face::Number(number) => number.to_string(),
                    Face::Word(word) => word.clone(),
                };
                if *often == 1 { shown } else { format!("{shown} ({often} times)") }
            };
            format!("that show {}", listed(&list.faces.iter().map(face).collect::<Vec<_>>(), "or"))
        }
    };
    format!("{how_many} {of}")
}

impl Modifier {
    fn in_words(&self, source: &Source) -> String {
        let top = |which: End| match source {
            Source::Dice(_, faces) => faces.sides().map(|sides| {
                let (highest, lowest) = faces.ends(sides);
                if which == End::High { highest } else { lowest }
            }),
            Source::Group(_) => None,
        };
        match self {
            Modifier::Keep(choice) => format!("only {} kept", choice.in_words()),
            Modifier::Drop(choice) => format!("{} dropped", choice.in_words()),
            Modifier::Explode(explosion, condition) => {
                let end = if *explosion == Explosion::Implode { End::Low } else { End::High };
                let which = match (condition, top(end)) {
                    (Some(condition), _) => condition.in_words(),
                    (None, Some(value)) => value.to_string(),
                    (None, None) => "its last face".to_owned(),
                };
                let then = match explosion {
                    Explosion::Each => "explodes: another is rolled, which can explode too",
                    Explosion::Once => "explodes once",
                    Explosion::Compound => "explodes into the same die: rolled again and added as long as that shows",
                    Explosion::Penetrate => "explodes: another is rolled, which counts one less and can explode too",
                    Explosion::Implode => "implodes: another is rolled and subtracted",
                };
                format!("each that shows {which} {then}")
            }
            Modifier::Reroll(times, conditions) => {
                let shown: Vec<_> = conditions.iter().map(|condition| condition.in_words()).collect();
                let often = match times {
                    None => "until it does not show that".to_owned(),
                    Some(1) => "once".to_owned(),
                    Some(times) => format!("at most {times} times"),
                };
                format!("each that shows {} rerolled {often}", listed(&shown, "or"))
            }
            Modifier::Unique => "each that shows the same as an earlier one rerolled".to_owned(),
            Modifier::Minimum(value) => format!("each counting at least {value}"),
            Modifier::Maximum(value) => format!("each counting at most {value}"),
            Modifier::Add(value @ ..0) => format!("each counting {} less", value.unsigned_abs()),
            Modifier::Add(value) => format!("each counting {value} more"),
            Modifier::Map(pairs) => {
                let pairs: Vec<_> = pairs.iter().map(|(from, to)| format!("{from} as {to}")).collect();
                format!("counting {}", listed(&pairs, "and"))
            }
            Modifier::Sort(End::Low) => "shown from the lowest up".to_owned(),
            Modifier::Sort(End::High) => "shown from the highest down".to_owned(),
            Modifier::Count(counting) => counting.in_words(),
            Modifier::Mark(Mark::Critical, condition) => format!("{} marked as critical", condition.in_words()),
            Modifier::Mark(Mark::Fumble, condition) => format!("{} marked as a fumble", condition.in_words()),
        }
    }
}

impl Choice {
    fn in_words(self) -> String {
        match self {
            Choice::End(End::High, 1) => "the highest".to_owned(),
            Choice::End(End::Low, 1) => "the lowest".to_owned(),
            Choice::End(End::High, n) => format!("the {n} highest"),
            Choice::End(End::Low, n) => format!("the {n} lowest"),
            Choice::Middle(n) => format!("the {n} in the middle"),
            Choice::Where(condition) => format!("those that show {}", condition.in_words()),
        }
    }
}

impl Counting {
    fn in_words(self) -> String {
        match self {
            Counting::Success(condition) => format!("each that shows {} counted as a success", condition.in_words()),
            Counting::Failure(condition) => format!("each that shows {} subtracting a success", condition.in_words()),
            Counting::Double(condition) => format!("each that shows {} counting twice", condition.in_words()),
            Counting::Botch(condition) => {
                format!("a botch if {} shows and nothing succeeds", condition.in_words())
            }
            Counting::Even => "the even ones counted".to_owned(),
            Counting::Odd => "the odd ones counted".to_owned(),
            Counting::Matches => "those counted that show the same as another".to_owned(),
            Counting::Sets(n) => format!("sets of {n} alike counted"),
            Counting::Pairs(value) => format!("each pair that shows {value} counting two more"),
        }
    }
}

/// `a, b and c`
fn listed(all: &[String], last: &str) -> String {
    match all {
        [] => String::new(),
        [only] => only.clone(),
        [before @ .., end] => format!("{} {last} {end}", before.join(", ")),
    }
}
