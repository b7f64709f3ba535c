//! Who enters the turn order, as typed: a name, how many of them, and a number or dice.

use plugin_api::{Argument, ArgumentKind, Name, Part, Refusal, Turn};

/// The most that one name can stand for: `Goon x20`.
const MOST_TIMES: u32 = 20;
/// The most dice of one roll.
const MOST_DICE: u32 = 20;
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
}

impl Value {
    /// Reads `17`, `+3`, `d20+3`, `2d6-1`; a bare number with a sign is a d20 with it.
    fn read(word: &str) -> Result<Option<Self>, String> {
        let word = word.to_lowercase();
        let (dice, plus) = match word.find(['+', '-']) {
            Some(at) => word.split_at(at),
            None => (word.as_str(), ""),
        };
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let signed = |text: &str| text.strip_prefix(['+', '-']).is_some_and(digits);
        let begins_as_dice = dice.split_once('d').is_some_and(|(_, sides)| digits(sides));
        if begins_as_dice && !(plus.is_empty() || signed(plus)) {
            // `d20+dex`, without a value of that name.
            return Err(format!("{word} adds no number"));
        }
        if (dice.is_empty() && plus.is_empty()) || !(plus.is_empty() || signed(plus)) {
            return Ok(None);
        }
        let wrong = || format!("{word} is too large");
        let plus: i32 = if plus.is_empty() { 0 } else { plus.parse().map_err(|_| wrong())? };
        if plus.abs() > MOST {
            return Err(wrong());
        }
        if dice.is_empty() {
            return Ok(Some(Value::Dice { sides: vec![20], plus }));
        }
        if digits(dice) {
            let number = dice.parse::<i32>().ok().filter(|number| *number <= MOST).ok_or_else(wrong)?;
            return Ok((plus == 0).then_some(Value::Number(number)));
        }
        let Some((count, sides)) = dice.split_once('d').filter(|(_, sides)| digits(sides)) else { return Ok(None) };
        if !(count.is_empty() || digits(count)) {
            return Ok(None);
        }
        let count = if count.is_empty() { Some(1) } else { count.parse().ok() };
        let count = count.filter(|count| (1..=MOST_DICE).contains(count)).ok_or_else(wrong)?;
        let sides = sides.parse().ok().filter(|sides| (1..=1_000).contains(sides)).ok_or_else(wrong)?;
        Ok(Some(Value::Dice { sides: vec![sides; count as usize], plus }))
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
        }
    }
}

/// Words between a name and its number: `Ann at 17`, `Ann moves to 5`.
const LINKS: [&str; 12] = ["at", "on", "=", "with", "rolls", "to", "is", "has", "moves", "goes", "gets", "now"];
/// The most of them.
const MOST_LINKS: usize = 2;

/// Reads `x3` or `3x`.
fn times(word: &str) -> Result<Option<u32>, String> {
    let is_sign = |c: char| matches!(c, 'x' | 'X' | '×');
    let Some(number) = word.strip_prefix(is_sign).or_else(|| word.strip_suffix(is_sign)) else { return Ok(None) };
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(None);
    }
    let number = number.parse().ok().filter(|number| (1..=MOST_TIMES).contains(number));
    number.map(Some).ok_or_else(|| format!("{word} is not from x1 to x{MOST_TIMES}"))
}

/// `Ann=17`: a name and what it acts on.
fn glued(word: &str) -> Result<Option<(String, Value)>, String> {
    let Some((name, value)) = word.split_once(['=', ':']).filter(|(_, value)| !value.is_empty()) else {
        return Ok(None);
    };
    let Some((Name(name), _)) = Name::read(&[name])? else { return Ok(None) };
    Ok(Value::read(value)?.map(|value| (name, value)))
}

impl Argument for Entrant {
    fn kind() -> ArgumentKind {
        let value = Part::unlisted("value", ArgumentKind::Notation);
        ArgumentKind::Pattern(vec![
            Part::one("", Name::kind()),
            Part::unlisted("times", ArgumentKind::between(1, MOST_TIMES.into()).behind(&["x"])),
            value,
        ])
    }

    fn read(words: &[&str]) -> Result<Option<(Self, usize)>, String> {
        let and = usize::from(matches!(words[0].to_lowercase().as_str(), "and" | "&"));
        let Some(first) = words.get(and) else { return Ok(None) };
        if let Some((name, value)) = glued(first)? {
            return Ok(Some((Entrant { name: Some(name), times: None, value: Some(value) }, and + 1)));
        }
        let mut taken = and;
        let name = match Value::read(first)? {
            Some(_) => None,
            None => match Name::read(&words[and..])? {
                Some((Name(name), _)) => {
                    taken += 1;
                    Some(name)
                }
                None => return Ok(None),
            },
        };
        let many = words.get(taken).map_or(Ok(None), |word| times(word))?.filter(|_| name.is_some());
        taken += usize::from(many.is_some());
        let links = words.iter().skip(taken).take(MOST_LINKS).take_while(|word| LINKS.contains(word)).count();
        let from = taken + if name.is_some() { links } else { 0 };
        let first = words.get(from).copied().unwrap_or_default();
        // `d20 + 4`
        let apart = words.get(from + 1).filter(|next| next.starts_with(['+', '-']) && !first.contains(['+', '-']));
        let whole = apart.filter(|_| first.contains(['d', 'D'])).map(|next| Value::read(&format!("{first}{next}")));
        let (value, count) = match whole.transpose()?.flatten() {
            Some(value) => (Some(value), 2),
            None => (if first.is_empty() { None } else { Value::read(first)? }, 1),
        };
        taken = if value.is_some() { from + count } else { taken };
        Ok(Some((Entrant { name, times: many, value }, taken)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<(Entrant, usize)> {
        let words: Vec<&str> = line.split(' ').collect();
        Entrant::read(&words).expect("it is no mistake")
    }

    #[test]
    fn a_name_may_have_a_number_of_them_and_a_value() {
        let entrant = |name: Option<&str>, times, value| Entrant { name: name.map(str::to_owned), times, value };
        let d20 = |plus| Some(Value::Dice { sides: vec![20], plus });
        assert_eq!(read("Ann 17 Bob"), Some((entrant(Some("Ann"), None, Some(Value::Number(17))), 2)));
        assert_eq!(read("Goon x3 d20+1"), Some((entrant(Some("Goon"), Some(3), d20(1)), 3)));
        assert_eq!(read("d20 +4"), Some((entrant(None, None, d20(4)), 2)));
        assert_eq!(read("+3"), Some((entrant(None, None, d20(3)), 1)));
        assert_eq!(read("and Bob"), Some((entrant(Some("Bob"), None, None), 2)));
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
            let refused = Entrant::read(&words);
            assert!(refused.is_err() || line.starts_with('x'), "{line}: {refused:?}");
        }
    }
}
