//! A change of a value by dice: `hp -2d6` takes what they come to from hp, and `hp = 2d6+3` sets it.

use crate::sheet::Sheet;
use dice::{Dialect, Dice, Fate, Notation, Roll};
use host::budget::MOST_TEXT;
use plugin_api::Refusal;

/// A change of a value, of which the dice are not thrown yet.
#[derive(Clone, Debug)]
pub(crate) struct ByDice {
    /// The value's name, and `=` if it is set.
    front: String,
    /// The dice with their sign, as they were typed.
    typed: String,
    /// What is said behind them, with `#` in front.
    behind: String,
    sets: bool,
    dice: Notation,
}

/// A change whose dice fell.
pub(crate) struct Fallen {
    /// The line with what they came to: `hp -8`.
    pub line: String,
    /// The dice, as they are shown.
    pub shown: String,
    /// What they came to, with its sign.
    pub total: i64,
}

impl ByDice {
    /// A line that changes a value of this sheet by dice; `None` if it does not.
    ///
    /// # Errors
    /// It adds dice to a plain number, `stealth +d20`, which may be a roll as well.
    pub fn of(sheet: &Sheet<'_>, line: &str, dialect: Dialect) -> Result<Option<Self>, Refusal> {
        let Some(found) = Self::read(sheet, line, dialect) else { return Ok(None) };
        let counter = sheet.called(&found.line(0)).is_some_and(|sets| sets.contains('/'));
        match found.typed.strip_prefix('+').map(str::trim_start).filter(|_| !found.sets && !counter) {
            Some(dice) => {
                let name = &found.front;
                let what = format!(
                    "that may be a roll or a change of {name}: {dice}+{name} rolls, and {name} = 12+{dice} sets it"
                );
                Err(Refusal::new(what).about(&found.typed).example(format!("roll {dice}+{name}")))
            }
            None => Ok(Some(found)),
        }
    }

    fn read(sheet: &Sheet<'_>, line: &str, dialect: Dialect) -> Option<Self> {
        let (line, said) = line.split_once('#').map_or((line, None), |(line, said)| (line, Some(said.trim())));
        let signed = [(" minus ", " -"), (" plus ", " +")].iter().find_map(|(word, sign)| {
            let (name, change) = line.split_once(word)?;
            sheet.named(name).map(|_| format!("{name}{sign}{}", change.trim_start()))
        });
        let line = signed.as_deref().unwrap_or(line);
        let at = line.find(['+', '-', '=']).filter(|at| line[..*at].starts_with(char::is_alphabetic))?;
        let (name, change) = (line[..at].trim(), line[at..].trim());
        let sets = change.starts_with('=');
        let change = change.trim_start_matches('=').trim();
        // A sign in front belongs to all behind it: `-2d6+3` takes both, and `+5d10>=3` adds how many succeed.
        let whole = |typed: &str| match typed.split_at_checked(1).filter(|_| !sets) {
            Some((sign, change)) => format!("0{sign}({change})"),
            None => typed.to_owned(),
        };
        let read = |typed: &str| Notation::typed_in(dialect, &whole(&with_values(sheet, typed)));
        let (typed, prose) = match read(change) {
            Ok(_) => (change, ""),
            Err(_) => {
                let shifted = usize::from(!sets);
                let prose = Notation::prose_behind(&format!("{}{change}", &"0"[..shifted]), dialect)? - shifted;
                (change[..prose].trim_end_matches([' ', ',']), change[prose..].trim())
            }
        };
        let dice = read(typed).ok()?;
        dice.sum()?;
        let said = [Some(prose).filter(|prose| !prose.is_empty()), said].into_iter().flatten();
        let said = said.collect::<Vec<_>>().join(" # ");
        let behind = if said.is_empty() { String::new() } else { format!(" # {said}") };
        let front = if sets { format!("{name} =") } else { name.to_owned() };
        let found = ByDice { front, typed: typed.to_owned(), behind, sets, dice };
        // It is a value with a number.
        sheet.called(&found.line(0)).is_some().then_some(found)
    }

    /// The line with a total in place of the dice.
    pub fn line(&self, total: i64) -> String {
        let total = if self.sets { total.to_string() } else { format!("{total:+}") };
        format!("{} {total}{}", self.front, self.behind)
    }

    /// Throws the dice.
    ///
    /// # Errors
    /// They cannot be thrown.
    pub fn thrown(&self, dice: &mut dyn Dice) -> Result<Fallen, Refusal> {
        let rolls = self.dice.roll(dice).map_err(|error| Refusal::new(error.to_string()).about(&self.typed))?;
        let roll = rolls.first().and_then(|rolls| rolls.rolls.first());
        let (total, shown) = roll.map_or((0, String::new()), |roll| (roll.total(), shown(roll)));
        Ok(Fallen { line: self.line(total), shown: format!("{} [{shown}]", self.typed), total })
    }
}

/// The text with the values of names between its signs: `+1d8+wis`. One that would be too long stays as it is, and reads as nothing.
fn with_values(sheet: &Sheet<'_>, typed: &str) -> String {
    let mut filled = String::new();
    for part in typed.split_inclusive(['+', '-']) {
        let (name, sign) = part.split_at(part.trim_end_matches(['+', '-']).len());
        let value = sheet.named(name.trim()).filter(|_| name.contains(char::is_alphabetic));
        filled.push_str(&value.map_or(name.to_owned(), |value| format!("({value})")));
        filled.push_str(sign);
        if filled.len() > MOST_TEXT {
            return typed.to_owned();
        }
    }
    filled
}

/// The most dice of a roll that are shown.
const MOST_SHOWN: usize = 40;

/// The dice of a roll; those that do not count in parentheses.
fn shown(roll: &Roll<'_>) -> String {
    let dice = || roll.throws.iter().flat_map(|throw| &throw.dice);
    let each = dice().take(MOST_SHOWN).map(|die| match die.fate {
        Fate::Kept => die.value.to_string(),
        Fate::Dropped | Fate::Rerolled => format!("({})", die.value),
    });
    let shown = each.collect::<Vec<_>>().join(" ");
    if dice().count() > MOST_SHOWN { shown + " …" } else { shown }
}
