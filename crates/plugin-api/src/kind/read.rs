//! Reading what a kind says can be typed, from the front of some words.

use super::number::spelled;
use super::{ArgumentKind, Spelled, pattern};
use crate::DiceWord;
use crate::idle::{denies, joins};
use crate::value::{Text, Value};
use dice::{Dialect, Notation};

/// Why words that are meant as a kind are none of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// A sentence without its full stop.
    pub says: String,
    /// What to type in place of the first word, if it is known.
    pub instead: Option<String>,
}

impl Misfit {
    /// This is wrong.
    pub fn new(says: impl Into<String>) -> Self {
        Misfit { says: says.into(), instead: None }
    }
}

impl ArgumentKind {
    /// Reads from the front of `words` (never empty). Returns the value and the number of words it took, or `None` if these
    /// words are something else.
    ///
    /// # Errors
    /// The words are meant as this kind but are no valid value (a number too large).
    pub fn read(&self, words: &[&str]) -> Result<Option<(Value, usize)>, Misfit> {
        let first = words[0];
        let one = |value: Value| Ok(Some((value, 1)));
        match self {
            ArgumentKind::Number(number) => number.read(words),
            ArgumentKind::Dice { most } => {
                let read = DiceWord::at(words, *most).map_err(Misfit::new)?;
                Ok(read.map(|(dice, count)| (Value::Dice(dice), count)))
            }
            ArgumentKind::Notation => Ok(notation(words)),
            ArgumentKind::Who => Ok(somebody(first).map(|name| (Value::Name(name.to_owned()), 1))),
            ArgumentKind::Account if first.starts_with('@') || somebody(first).is_some() => {
                one(Value::Name(first.to_owned()))
            }
            ArgumentKind::Account => Ok(None),
            ArgumentKind::Room => one(Value::Name(first.trim_end_matches([':', ',']).to_owned())),
            ArgumentKind::Thing => Ok(something(first).map(|name| (Value::Name(name.to_owned()), 1))),
            ArgumentKind::Choice(all) => Ok(chosen(all, words)),
            ArgumentKind::Either(kinds) => kinds.iter().find_map(|kind| kind.read(words).transpose()).transpose(),
            ArgumentKind::Pattern(parts) => pattern::read(parts, words),
            ArgumentKind::List { of, most, counted } => list(of, *most, counted, words),
            ArgumentKind::Entry => {
                Ok(first.strip_prefix('#').unwrap_or(first).parse().ok().map(|number| (Value::Entry(number), 1)))
            }
            ArgumentKind::Text | ArgumentKind::Line => {
                Ok(Some((Value::Text(Text { text: words.join(" "), at: 0 }), words.len())))
            }
            // These are read from the whole line, not from its front.
            ArgumentKind::All(_) | ArgumentKind::Forms(_) => Ok(None),
        }
    }

    /// Whether this word may stand in front of the word that leads to the argument: `minor advantage`.
    pub(crate) fn leads(&self, word: &str) -> bool {
        match self {
            ArgumentKind::Number(number) => number.leads(word),
            _ => !word.contains(|c: char| c.is_ascii_digit()),
        }
    }
}

/// The name of somebody. Numbers and signs are none.
fn somebody(word: &str) -> Option<&str> {
    let name = word.strip_prefix('@').unwrap_or(word);
    let first = |c: char| !c.is_ascii_digit() && (c.is_alphanumeric() || c == '_');
    // `init 3 not 17`, `init Ann and Bob`
    (name.chars().next().is_some_and(first) && !denies(name) && !joins(name)).then_some(name)
}

/// The name of something: a word that is no number.
fn something(word: &str) -> Option<&str> {
    let number = word.trim_start_matches(['+', '-']).starts_with(|c: char| c.is_ascii_digit());
    let name = word.strip_prefix('@').unwrap_or(word);
    (!number && !name.is_empty() && !joins(name) && !denies(name)).then_some(name)
}

/// The longest of the ways to say one of these.
fn chosen(all: &[Spelled], words: &[&str]) -> Option<(Value, usize)> {
    let ways = all.iter().flat_map(|each| each.words.iter().map(move |way| (way, &each.words[0])));
    let fits = ways.filter_map(|(way, shown)| Some((spelled(way, words)?, shown)));
    let (count, shown) = fits.max_by_key(|(count, _)| *count)?;
    Some((Value::Word(shown.clone()), count))
}

/// `10, 12 and 14`, `10/12`
fn list(of: &ArgumentKind, most: usize, counted: &[String], words: &[&str]) -> Result<Option<(Value, usize)>, Misfit> {
    let counts =
        |next: Option<&&str>| next.is_some_and(|next| counted.iter().any(|known| known.eq_ignore_ascii_case(next)));
    let (mut all, mut taken) = (Vec::new(), 0);
    while taken < words.len() && (taken == 0 || !counts(words.get(taken + 1))) {
        let from = taken + usize::from(taken > 0 && joins(words[taken]));
        let Some(rest) = words.get(from..).filter(|rest| !rest.is_empty()) else { break };
        let Some((values, count)) = several(of, rest)? else { break };
        all.extend(values);
        taken = from + count;
    }
    if all.len() > most {
        return Err(Misfit::new(format!("{} are too many: I take at most {most}", all.len())));
    }
    Ok((taken > 0).then_some((Value::All(all), taken)))
}

/// One of a list, or several in one word.
fn several(of: &ArgumentKind, words: &[&str]) -> Result<Option<(Vec<Value>, usize)>, Misfit> {
    let parts: Vec<&str> = words[0].split('/').collect();
    if parts.len() > 1 && parts.iter().all(|part| !part.is_empty()) {
        let all = parts.iter().map(|part| Ok(of.read(&[part])?.map(|(value, _)| value)));
        return Ok(all.collect::<Result<Option<Vec<Value>>, Misfit>>()?.map(|all| (all, 1)));
    }
    Ok(of.read(words)?.map(|(value, count)| (vec![value], count)))
}

/// How many words go on with the dice in front of them: `+4`, `+ d4`, `kh1`.
fn goes_on(words: &[&str]) -> Option<usize> {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let addend = |text: &str| match text.split_once(['d', 'D']) {
        Some((count, sides)) => digits(count) && digits(sides) && !sides.is_empty(),
        None => digits(text) && !text.is_empty(),
    };
    let first = words.first()?.to_lowercase();
    match first.strip_prefix(['+', '-']) {
        Some("") => words.get(1).filter(|next| addend(next)).map(|_| 2),
        Some(added) => addend(added).then_some(1),
        None => {
            let keeps = ["kh", "kl", "dh", "dl"].iter().find_map(|kept| first.strip_prefix(kept));
            keeps.filter(|count| !count.is_empty() && digits(count)).map(|_| 1)
        }
    }
}

/// `17`, `+3`, `2d6-1`, `2d20kh1`, `d20 +4`, `d20 + d4`, `2d20 kh1`, `+3 adv`, `+3 with advantage`
fn notation(words: &[&str]) -> Option<(Value, usize)> {
    let first = words[0].trim_start_matches(['=', ':']);
    // Letters behind a sign, `d20+dex`, are for whoever takes it to refuse.
    let front = first.split(['+', '-']).find(|part| !part.is_empty()).unwrap_or_default();
    let made = |c: char| c.is_ascii_digit() || matches!(c, 'd' | 'D');
    let sum = !front.is_empty() && front.chars().all(made);
    let signed = first.strip_prefix(['+', '-']);
    let begins = match signed {
        Some(number) => number.starts_with(|c: char| c.is_ascii_digit()) && !front.contains(['d', 'D']),
        None => first.starts_with(made) && first.contains(|c: char| c.is_ascii_digit()),
    };
    if !begins || !(sum || Notation::typed_in(Dialect::Native, first).is_ok()) {
        return None;
    }
    let sums = first.contains(['+', '-']);
    let throws = front.contains(['d', 'D']);
    let mut typed = first.to_lowercase();
    let mut taken = 1;
    while let Some(count) = goes_on(&words[taken..]) {
        let more: String = words[taken..taken + count].concat().to_lowercase();
        // `17 -2` are two numbers.
        if !throws && !more.contains('d') {
            break;
        }
        typed.push_str(&more);
        taken += count;
    }
    // `+3 with advantage`
    let led = words.get(taken).is_some_and(|word| ["with", "w/"].contains(&word.to_lowercase().as_str()));
    let behind = taken + usize::from(led);
    if let Some(twice) = words.get(behind).filter(|next| (throws || sums) && dice::twice(next).is_some()) {
        typed = format!("{typed} {}", twice.to_lowercase());
        taken = behind + 1;
    }
    Some((Value::Notation(typed), taken))
}
