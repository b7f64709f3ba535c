//! Works an expression out, with what was typed, what fell and what is on the sheet.

use crate::expression::{Expression, Function, IT, Operator};
use crate::thrown::Thrown;
use plugin_api::{Counter, MOST_NUMBER, Refusal, Setting, SettingKind, Turn};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The most dice of a pool.
pub const MOST_DICE: i64 = 100;
/// The most sides of a die.
pub const MOST_SIDES: i64 = 1000;
/// The most that one command works out, and how far within each other.
const MOST_STEPS: u32 = 5000;
const DEEPEST: u32 = 110;
/// The most bytes that a command says.
const MOST_SAID: usize = 2000;

/// What something came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// Yes or no.
    Flag(bool),
    /// A whole number.
    Number(i64),
    /// A word or a text.
    Word(String),
    /// Dice that fell: of each, its sides and its number, which is 0 before it falls.
    Pool(Vec<(u32, u32)>),
    /// A character who was named.
    Somebody {
        /// Their number at the table.
        who: u32,
        /// Their name then.
        name: String,
    },
    /// What nobody typed.
    Nothing,
}

impl Value {
    /// What a setting is at the table.
    pub fn of_setting(setting: &Setting, turn: &Turn<'_>) -> Self {
        let set = turn.set(setting);
        match setting.kind {
            SettingKind::Number(..) => Value::Number(set.parse().unwrap_or(0)),
            _ => Value::Word(set.to_owned()),
        }
    }

    /// As a number: a flag is 0 or 1, dice are their sum, and what nobody typed is 0.
    pub fn number(&self) -> i64 {
        match self {
            Value::Number(number) => *number,
            Value::Flag(yes) => i64::from(*yes),
            Value::Pool(dice) => dice.iter().map(|(_, value)| i64::from(*value)).sum(),
            Value::Word(_) | Value::Somebody { .. } | Value::Nothing => 0,
        }
    }

    /// Whether it is so.
    pub fn holds(&self) -> bool {
        matches!(self, Value::Flag(true))
    }

    /// Its dice.
    pub fn dice(self) -> Vec<(u32, u32)> {
        match self {
            Value::Pool(dice) => dice,
            _ => Vec::new(),
        }
    }

    /// As it is shown.
    pub fn shown(&self) -> String {
        match self {
            Value::Flag(yes) => if *yes { "yes" } else { "no" }.to_owned(),
            Value::Number(number) => number.to_string(),
            Value::Word(word) | Value::Somebody { name: word, .. } => word.clone(),
            Value::Pool(dice) => {
                dice.iter().map(|(sides, value)| format!("d{sides}={value}")).collect::<Vec<_>>().join(" ")
            }
            Value::Nothing => "nothing".to_owned(),
        }
    }
}

/// What has a value while a command is played.
pub struct Scope<'s, 't> {
    /// What was typed, worked out or thrown so far, by name.
    pub names: BTreeMap<String, Value>,
    /// The numbers of every sheet, with what they are before anybody sets them.
    pub sheet: &'s BTreeMap<String, Counter>,
    /// What is worked out from other numbers of the sheet.
    pub derived: &'s BTreeMap<String, Expression>,
    /// The command.
    pub turn: &'s mut Turn<'t>,
    /// The dice that it throws.
    pub thrown: Thrown,
    /// What it has cost so far.
    pub spent: Spent,
}

/// What a command has cost so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spent {
    steps: u32,
    depth: u32,
    said: usize,
}

impl Scope<'_, '_> {
    /// What an expression comes to.
    ///
    /// # Errors
    /// It asks for too many dice, for a die that does not exist, or for a number where something else is noted.
    pub fn value(&mut self, expression: &Expression) -> Result<Value, Refusal> {
        self.spent.steps += 1;
        self.spent.depth += 1;
        if self.spent.steps > MOST_STEPS || self.spent.depth > DEEPEST {
            return Err(Refusal::new("that is worked out through too many other things"));
        }
        let value = self.worked_out(expression);
        self.spent.depth -= 1;
        value
    }

    /// Counts what is said.
    ///
    /// # Errors
    /// It is too much.
    pub fn says(&mut self, bytes: usize) -> Result<(), Refusal> {
        self.spent.said += bytes;
        match self.spent.said <= MOST_SAID {
            true => Ok(()),
            false => Err(Refusal::new("that would be too long an answer")),
        }
    }

    fn worked_out(&mut self, expression: &Expression) -> Result<Value, Refusal> {
        Ok(match expression {
            Expression::Number(number) => Value::Number(*number),
            Expression::Flag(yes) => Value::Flag(*yes),
            Expression::Word(word) => Value::Word(word.clone()),
            Expression::Name(name) => self.named(name)?,
            Expression::Not(inner) => Value::Flag(!self.value(inner)?.holds()),
            Expression::Both(operator, left, right) => self.both(*operator, left, right)?,
            Expression::If(condition, yes, no) => {
                let meant = if self.value(condition)?.holds() { yes } else { no };
                self.value(meant)?
            }
            Expression::Made(function, all) => self.made(*function, all)?,
            Expression::Where(pool, holds) => Value::Pool(self.those_where(pool, holds)?),
            Expression::Best { highest, count, of } => {
                let count = usize::try_from(self.number(count)?).unwrap_or(0);
                let mut dice = self.value(of)?.dice();
                dice.sort_by_key(|(_, value)| *value);
                if *highest {
                    dice.reverse();
                }
                dice.truncate(count);
                Value::Pool(dice)
            }
            Expression::Shown { each, on } => {
                let shown =
                    |number: u32| usize::try_from(number).ok().and_then(|number| each.get(number.checked_sub(1)?));
                let dice = match self.value(on)? {
                    // The one die that `it` is.
                    Value::Number(number) => vec![(0, u32::try_from(number).unwrap_or(0))],
                    dice => dice.dice(),
                };
                within(dice.iter().filter_map(|(_, number)| shown(*number)).map(|times| i64::from(*times)).sum())
            }
            Expression::With(pool, more) => {
                let mut dice = self.value(pool)?.dice();
                dice.extend(self.value(more)?.dice());
                self.may_be(i64::try_from(dice.len()).unwrap_or(i64::MAX))?;
                Value::Pool(dice)
            }
            Expression::Dice { count, sides } => {
                let (count, sides) = (self.number(count)?, self.number(sides)?);
                Value::Pool(self.fallen(count, sides)?)
            }
            Expression::Throw(name) => {
                let typed = self.names.get(name).cloned().unwrap_or(Value::Nothing).dice();
                let mut dice = Vec::new();
                for alike in typed.chunk_by(|one, other| one.0 == other.0) {
                    let count = i64::try_from(alike.len()).unwrap_or(i64::MAX);
                    dice.extend(self.fallen(count, i64::from(alike[0].0))?);
                }
                Value::Pool(dice)
            }
        })
    }

    /// The dice of a pool for which something is so.
    fn those_where(&mut self, pool: &Expression, holds: &Expression) -> Result<Vec<(u32, u32)>, Refusal> {
        let dice = self.value(pool)?.dice();
        let before = self.names.remove(IT);
        let mut left = Vec::new();
        for die in dice {
            self.names.insert(IT.to_owned(), Value::Number(i64::from(die.1)));
            if self.value(holds)?.holds() {
                left.push(die);
            }
        }
        self.names.remove(IT);
        before.into_iter().for_each(|before| drop(self.names.insert(IT.to_owned(), before)));
        Ok(left)
    }

    /// What an expression comes to as a number.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    pub fn number(&mut self, expression: &Expression) -> Result<i64, Refusal> {
        Ok(self.value(expression)?.number())
    }

    fn named(&mut self, name: &str) -> Result<Value, Refusal> {
        if let Some(value) = self.names.get(name) {
            return Ok(value.clone());
        }
        if let Some(first) = self.sheet.get(name) {
            return Ok(Value::Number(self.turn.value(name)?.map_or(first.now, |noted| noted.now)));
        }
        match self.derived.get(name) {
            Some(expression) => self.value(expression),
            None => Ok(Value::Nothing),
        }
    }

    fn both(&mut self, operator: Operator, left: &Expression, right: &Expression) -> Result<Value, Refusal> {
        let left = self.value(left)?;
        match operator {
            Operator::And => return Ok(Value::Flag(left.holds() && self.value(right)?.holds())),
            Operator::Or => return Ok(Value::Flag(left.holds() || self.value(right)?.holds())),
            _ => {}
        }
        let right = self.value(right)?;
        if let (Value::Word(_), _) | (_, Value::Word(_)) = (&left, &right) {
            return Ok(Value::Flag((left == right) == (operator == Operator::Equal)));
        }
        let (one, other) = (left.number(), right.number());
        Ok(match operator {
            Operator::Add => within(one.saturating_add(other)),
            Operator::Subtract => within(one.saturating_sub(other)),
            Operator::Multiply => within(one.saturating_mul(other)),
            Operator::Divide => self.divided(one, other, false)?,
            Operator::Equal => Value::Flag(one == other),
            Operator::Unequal => Value::Flag(one != other),
            Operator::Less => Value::Flag(one < other),
            Operator::AtMost => Value::Flag(one <= other),
            Operator::More => Value::Flag(one > other),
            Operator::AtLeast => Value::Flag(one >= other),
            Operator::And | Operator::Or => Value::Nothing,
        })
    }

    fn made(&mut self, function: Function, all: &[Expression]) -> Result<Value, Refusal> {
        let mut values = all.iter().map(|each| self.value(each)).collect::<Result<Vec<_>, _>>()?.into_iter();
        let (first, second) = (values.next().unwrap_or(Value::Nothing), values.next().unwrap_or(Value::Nothing));
        let (one, other) = (first.number(), second.number());
        let of_dice = |first: Value| first.dice().into_iter().map(|(_, value)| i64::from(value));
        Ok(match function {
            Function::Highest => Value::Number(of_dice(first).max().unwrap_or(0)),
            Function::Lowest => Value::Number(of_dice(first).min().unwrap_or(0)),
            Function::Total => Value::Number(of_dice(first).sum()),
            Function::Count => Value::Number(i64::try_from(first.dice().len()).unwrap_or(MOST_DICE)),
            Function::Min => Value::Number(one.min(other)),
            Function::Max => Value::Number(one.max(other)),
            Function::Up => self.divided(one, other, true)?,
            Function::Down => self.divided(one, other, false)?,
            Function::Remainder => match other {
                0 => self.divided(one, 0, false)?,
                other => Value::Number(one.wrapping_rem_euclid(other)),
            },
            Function::Known => Value::Flag(!matches!(first, Value::Nothing | Value::Flag(false))),
            Function::Percentiles => {
                let ones = of_dice(second).next().unwrap_or(0) % 10;
                let all = first.dice().into_iter().map(|(_, tens)| match i64::from(tens) % 10 * 10 + ones {
                    0 => 100,
                    number => u32::try_from(number).unwrap_or(100),
                });
                Value::Pool(all.map(|number| (100, number)).collect())
            }
        })
    }

    /// One number by another. Where somebody may not know a number that may be in it, this is never refused: by 0 it is 0.
    fn divided(&self, number: i64, by: i64, up: bool) -> Result<Value, Refusal> {
        match by {
            0 if self.turn.hides().is_some() => Ok(Value::Number(0)),
            0 => Err(Refusal::new("nothing can be divided by 0")),
            by => Ok(quotient(number, by, up)),
        }
    }

    /// Throws dice.
    fn fallen(&mut self, count: i64, sides: i64) -> Result<Vec<(u32, u32)>, Refusal> {
        self.may_be(count)?;
        let Some(sides) = u32::try_from(sides).ok().filter(|sides| (1..=MOST_SIDES).contains(&i64::from(*sides)))
        else {
            return Err(Refusal::new(format!("a die has 1 to {MOST_SIDES} sides, and not {sides}")));
        };
        let dice = self.thrown.throw(self.turn, usize::try_from(count).unwrap_or(0), sides)?;
        Ok(dice.into_iter().map(|die| (die.sides, die.value)).collect())
    }

    fn may_be(&self, count: i64) -> Result<(), Refusal> {
        match count {
            0..=MOST_DICE => Ok(()),
            less if less < 0 => Err(Refusal::new(format!("that would be {less} dice"))),
            more => Err(Refusal::new(format!("that would be {more} dice, and {MOST_DICE} are the most"))),
        }
    }
}

fn within(number: i64) -> Value {
    Value::Number(number.clamp(-MOST_NUMBER, MOST_NUMBER))
}

fn quotient(number: i64, by: i64, up: bool) -> Value {
    let (down, exact) = (number.saturating_div(by), number.wrapping_rem(by) == 0);
    let down = if !exact && (number < 0) != (by < 0) { down - 1 } else { down };
    within(if up && !exact { down + 1 } else { down })
}
