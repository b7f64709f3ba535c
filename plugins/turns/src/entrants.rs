//! Who enters the turn order, as typed: a name, how many of them, and a number or dice.

use dice::{Dialect, Expression, Notation};
use plugin_api::{Argument, ArgumentKind, Listed, Name, Part, PartMany, Refusal, Touching, Turn};

/// The most that one name can stand for: `Goon x20`.
const MOST_TIMES: u32 = 20;
/// The most dice of one roll.
const MOST_DICE: i32 = 20;
/// The largest number of an order, either way.
const MOST: i32 = 1_000;

/// Somebody who enters the order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entrant {
    /// The name; the actor if there is none.
    pub name: Option<String>,
    /// So many, numbered, if not just one.
    pub times: Option<u32>,
    pub value: Option<Value>,
}

/// What somebody acts on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// A number.
    Number(i32),
    /// Dice of this many sides, and a number.
    Dice { sides: Vec<u32>, plus: i32 },
    /// Any other roll: `2d20kh1+3`.
    Roll(Expression),
}

/// The die that a bare number with a sign is added to.
const USUAL: &str = "d20";

impl Value {
    /// Reads `17`, `+3`, `d20+3`, `2d20kh1-1`, `+3 adv`; a bare number with a sign is a d20 with it.
    fn read(typed: &str) -> Result<Self, Refusal> {
        if let Ok(number) = typed.parse::<i32>()
            && !typed.starts_with(['+', '-'])
        {
            return if number <= MOST { Ok(Value::Number(number)) } else { Err(too_large(typed)) };
        }
        let whole = if typed.starts_with(['+', '-']) { format!("{USUAL}{typed}") } else { typed.to_owned() };
        if let Some(sum) = sum(&whole) {
            return sum.ok_or_else(|| too_large(typed));
        }
        let wrong = |what: &str| Refusal::new(format!("{typed} is no roll for a place in the order: {what}"));
        // What the notation says about comments is about other lines.
        let said = |error: dice::NotationError| wrong(error.what.split(';').next().unwrap_or_default());
        let read = Notation::as_said(&whole, Dialect::Native).map_err(said)?;
        match read.sum() {
            Some(expression) => match expression.dice() {
                Some(dice) if dice <= MOST_DICE as u64 => Ok(Value::Roll(expression.clone())),
                _ => Err(wrong(&format!("{MOST_DICE} dice are the most"))),
            },
            None => Err(wrong("it must have one result")),
        }
    }

    /// The number, and how it was rolled.
    pub fn settled(&self, turn: &mut Turn) -> Result<(i32, Option<String>), Refusal> {
        match self {
            Value::Number(number) => Ok((*number, None)),
            Value::Dice { sides, plus } => {
                let dice = turn.throw_dice(sides.iter().copied())?;
                let total = dice.iter().map(|die| die.value as i32).sum::<i32>() + plus;
                let shown: Vec<String> = dice.iter().map(ToString::to_string).collect();
                let plus = if *plus == 0 { String::new() } else { format!(" {plus:+}") };
                let sum = if plus.is_empty() && dice.len() == 1 { String::new() } else { format!("{plus} = {total}") };
                Ok((total, Some(format!("{}{sum}", shown.join(" ")))))
            }
            Value::Roll(expression) => {
                let roll = expression.roll(turn)?;
                // Its dice fell, so however large it is, it counts.
                let total = roll.total().clamp(i32::MIN.into(), i32::MAX.into()) as i32;
                Ok((total, Some(format!("{roll} = {total}"))))
            }
        }
    }
}

fn too_large(typed: &str) -> Refusal {
    Refusal::new(format!("{typed} is too large"))
}

/// A sum of dice of one kind and a number, `2d6-1`, if it is one; nothing in it, if it is too large.
fn sum(typed: &str) -> Option<Option<Value>> {
    let (dice, plus) = typed.split_at(typed.find(['+', '-']).unwrap_or(typed.len()));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (count, sides) = dice.split_once('d').filter(|(count, sides)| digits(count) && digits(sides))?;
    let plus = if plus.is_empty() { "+0" } else { plus };
    plus.strip_prefix(['+', '-']).filter(|plus| !plus.is_empty() && digits(plus))?;
    let within = |text: &str, most: i32| text.parse::<i32>().ok().filter(|number| (1..=most).contains(number));
    let count = if count.is_empty() { Some(1) } else { within(count, MOST_DICE) };
    let plus = plus.parse::<i32>().ok().filter(|plus| plus.abs() <= MOST);
    let made =
        |((count, sides), plus): ((i32, i32), i32)| Value::Dice { sides: vec![sides as u32; count as usize], plus };
    Some(count.zip(within(sides, MOST)).zip(plus).map(made))
}

/// Words between a name and its number: `Ann at 17`, `Ann moves to 5`.
const LINKS: [&str; 12] = ["at", "on", "=", "with", "rolls", "to", "is", "has", "moves", "goes", "gets", "now"];
impl Argument for Entrant {
    fn kind() -> ArgumentKind {
        let value = || Part::one("value", ArgumentKind::Notation);
        let link = || Part::unlisted("link", ArgumentKind::Choice(Vec::new()).or_words(&LINKS, Listed::Read));
        let linked = ArgumentKind::Pattern(vec![link(), link(), value()]);
        let times = ArgumentKind::between(1, MOST_TIMES.into()).times(&["x", "×"]);
        let times = times.or_else(&format!("{{}} is not from x1 to x{MOST_TIMES}"));
        let named = ArgumentKind::Pattern(vec![
            Part::one("name", Name::kind()),
            Part::unlisted("times", times),
            Part::unlisted("linked", linked).touching(Touching::Maybe),
        ]);
        let alone = ArgumentKind::Pattern(vec![Part { many: PartMany::Unlisted, ..value() }]);
        ArgumentKind::Either(vec![alone, named])
    }

    fn from_value(value: plugin_api::Value) -> Result<Self, Refusal> {
        let mut parts = value.parts()?;
        let name = parts.take("name").map(|name| name.text().map(str::to_owned)).transpose()?;
        let times = parts.take("times").map(|times| times.number()).transpose()?;
        let linked = parts.take("linked").map(plugin_api::Value::parts).transpose()?;
        let typed = linked.map_or(parts, |linked| linked).take("value");
        let value = typed.map(|typed| Value::read(typed.text()?)).transpose()?;
        Ok(Entrant { name, times: times.map(|(times, _)| times as u32), value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<(Entrant, usize)> {
        let words: Vec<&str> = line.split(' ').collect();
        let read = Entrant::kind().read(&words).expect("it is no mistake");
        read.map(|(value, count)| (Entrant::from_value(value).expect("it is no mistake"), count))
    }

    #[test]
    fn a_name_may_have_a_number_of_them_and_a_value() {
        let entrant = |name: Option<&str>, times, value| Entrant { name: name.map(str::to_owned), times, value };
        let d20 = |plus| Some(Value::Dice { sides: vec![20], plus });
        assert_eq!(read("Ann 17 Bob"), Some((entrant(Some("Ann"), None, Some(Value::Number(17))), 2)));
        assert_eq!(read("Goon x3 d20+1"), Some((entrant(Some("Goon"), Some(3), d20(1)), 3)));
        assert_eq!(read("d20 +4"), Some((entrant(None, None, d20(4)), 2)));
        assert_eq!(read("+3"), Some((entrant(None, None, d20(3)), 1)));
        assert_eq!(read("and Bob"), None);
        assert_eq!(read("Ann at 17"), Some((entrant(Some("Ann"), None, Some(Value::Number(17))), 3)));
        assert_eq!(read("Ann moves to 17"), Some((entrant(Some("Ann"), None, Some(Value::Number(17))), 4)));
        assert_eq!(read("Ann=17"), Some((entrant(Some("Ann"), None, Some(Value::Number(17))), 1)));
        assert_eq!(read("17 d20"), Some((entrant(None, None, Some(Value::Number(17))), 1)));
        assert_eq!(read("\u{1f600}"), read("\u{1f600}"));
    }

    #[test]
    fn nothing_too_large_is_taken_and_no_dice_with_a_word() {
        for line in ["x99999999999", "Goon x21", "99999999999", "+5000", "21d6", "d1001", "999999999999d6", "d20+dex"] {
            let words: Vec<&str> = line.split(' ').collect();
            let read = Entrant::kind().read(&words);
            let refused = read.is_err()
                || read.is_ok_and(|read| read.is_some_and(|(value, _)| Entrant::from_value(value).is_err()));
            assert!(refused || line.starts_with('x'), "{line}");
        }
    }
}
