//! A change of a value by dice: `hp -2d6` takes what they come to from hp, and `hp = 2d6+3` sets it.

use crate::attempt::Attempt;
use crate::budget::A_DIE;
use crate::done::Done;
use crate::draft::Draft;
use crate::effects::Effects;
use crate::host::Host;
use crate::notation::dice_of_no_table;
use crate::sheet::Sheet;
use crate::unplayed::Unplayed;
use dice::{Budget, Dialect, Dice, Expression, Fate, Notation, Roll};
use journal::HOUSE;
use plugin_api::{CommandSpec, Refusal};

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
    /// A line that changes a value of this sheet by dice.
    pub fn of(sheet: &Sheet<'_>, line: &str, dialect: Dialect) -> Option<Self> {
        let (line, said) = line.split_once('#').map_or((line, None), |(line, said)| (line, Some(said.trim())));
        let at = line.find(['+', '-', '=']).filter(|at| line[..*at].starts_with(char::is_alphabetic))?;
        let (name, change) = (line[..at].trim(), line[at..].trim());
        let sets = change.starts_with('=');
        let change = change.trim_start_matches('=').trim();
        // A sign in front belongs to what is added.
        let read =
            |typed: &str| Notation::typed_in(dialect, &if sets { typed.to_owned() } else { format!("0{typed}") });
        let (typed, prose) = match read(change) {
            Ok(_) => (change, ""),
            Err(_) => {
                let shifted = usize::from(!sets);
                let prose = Notation::prose_behind(&format!("{}{change}", &"0"[..shifted]), dialect)? - shifted;
                (change[..prose].trim_end(), change[prose..].trim())
            }
        };
        let dice = read(typed).ok()?;
        let [only] = dice.rolls.as_slice() else { return None };
        if only.times.is_some() || matches!(only.expression, Expression::Compared(..)) || !only.expression.throws() {
            return None;
        }
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

impl Draft {
    /// Plays one of the table's own commands.
    pub(super) fn play_of_the_table<'a>(
        &self,
        host: &Host,
        spec: &'a CommandSpec,
        attempt: &mut Attempt<'_>,
    ) -> Result<Done<'a>, Unplayed> {
        match attempt.by_dice.take() {
            Some(by_dice) => self.play_by_dice(host, spec, &by_dice, attempt),
            None => self.play_own(host, spec, attempt),
        }
    }

    /// Plays one of the table's own commands that changes a value by dice. If it is refused when they have fallen, they stay in the
    /// journal, so that nobody throws them until they like them.
    fn play_by_dice<'a>(
        &self,
        host: &Host,
        spec: &'a CommandSpec,
        by_dice: &ByDice,
        attempt: &mut Attempt<'_>,
    ) -> Result<Done<'a>, Unplayed> {
        let (doc, room, head) = (attempt.doc.clone(), attempt.room.clone(), attempt.head.clone());
        let as_it_was = |attempt: &mut Attempt<'_>| {
            (attempt.doc, attempt.room, attempt.head) = (doc.clone(), room.clone(), head.clone());
            attempt.effects = Effects::default();
        };
        // What is refused whatever the dice come to is refused before they fall.
        self.play_own(host, spec, attempt)?;
        as_it_was(attempt);
        let fell = self.fell_before(attempt.key.ordinal).len();
        let played = self.throw_for_a_value(host, by_dice, attempt).map_err(Into::into).and_then(|fallen| {
            let done = self.play_own(host, spec, attempt)?;
            let reply = done.reply.text(" | ").die(fallen.shown).fact("total", fallen.total);
            Ok(Done { reply, ..done })
        });
        match played {
            Err(Unplayed::Refused(refusal)) if attempt.thrown.len() > fell => {
                as_it_was(attempt);
                Ok(self.comes_to_nothing(HOUSE, spec, &refusal.what, attempt))
            }
            played => played,
        }
    }

    /// Throws the dice, and puts what they came to into the line. What is only tried out throws dice of no table.
    fn throw_for_a_value(&self, host: &Host, by_dice: &ByDice, attempt: &mut Attempt<'_>) -> Result<Fallen, Refusal> {
        if attempt.rehearsed {
            return by_dice.thrown(&mut dice_of_no_table(&attempt.typed));
        }
        let mut source = host.dice.dice(&self.dice_seed(), &attempt.key);
        let mut budget = Budget::after(&mut source, self.fell_before(attempt.key.ordinal));
        let fallen = by_dice.thrown(&mut budget);
        attempt.strayed = budget.strayed();
        attempt.thrown = budget.into_thrown();
        self.fuel.takes(attempt.thrown.len() * A_DIE);
        let fallen = fallen?;
        let sheet = Sheet { doc: &attempt.doc, character: attempt.actor };
        let typed = sheet.called(&fallen.line);
        attempt.typed = typed.ok_or_else(|| Refusal::new(format!("{} is more than a value can be", fallen.total)))?;
        Ok(fallen)
    }
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
