//! The rows of the rule, each with a line for which it holds.

use super::Doubt;
use super::left::{Left, SHORT, is_somebody};
use crate::english::{Class, is_any};
use crate::tokens::Shape;
use plugin_api::{Effect, suggest};

/// A row of the rule: the doubt, whether it is one, and a line of the command `act` or `roll` for which it is.
pub type Row = (Doubt, fn(&Left<'_>) -> bool, &'static str);

/// The rule.
pub const ROWS: [Row; 25] = [
    (Doubt::Question, |left| left.asks(), "spend 1?"),
    (Doubt::Range, |left| left.is_a_range(), "act d8 to d10"),
    (Doubt::ActsAs, |left| left.acts_as(), "act d8 as Kenji"),
    (Doubt::Aside, |left| left.opening().is_some(), "act d8 (adv from Kenji)"),
    (Doubt::Divided, |left| left.divides_a_number(), "act d8 vs 17,5"),
    (Doubt::ArgumentBehind, |left| left.has_an_argument_behind(), "act d8 I swing it vs 15"),
    (Doubt::Another, |left| left.is_for_another(), "act d8 vs 15, Kenji 14"),
    (Doubt::Counted, |left| left.is_counted(), "act d8 vs 2 goblins"),
    (Doubt::NothingTaken, |left| left.stands_alone(), "act natural and calm"),
    (Doubt::BeginsWithANumber, |left| left.begins_with_a_number(), "act d8 2 people are there"),
    (Doubt::Condition, |left| left.sets_a_condition(), "act d8 if he hits me"),
    (Doubt::Correction, |left| left.corrects(), "act d8 actually make that more"),
    (Doubt::Denial, |left| left.denies(), "act d8 but not advantages"),
    (Doubt::Dangling, |left| left.lacks_a_value(), "act d8 scratch it"),
    (Doubt::Number, |left| left.has_a_number(), "act d8 crit on 19"),
    (Doubt::Possessed, |left| left.possesses(), "act d8 my adv runs out"),
    (Doubt::GoesOn, |left| left.goes_on(), "act d8 overwhelmed by joy"),
    (Doubt::Opposes, |left| left.opposes(), "act d8 against Kenji"),
    (Doubt::Slip, |left| left.is_a_slip(), "act d8 pilotng"),
    (Doubt::Foreign, |left| left.is_foreign(), "act d8 mit Vorteil"),
    (Doubt::DiceWord, |left| left.is_about_dice(), "act d8 drop the lowest"),
    (Doubt::Command, |left| left.is_a_command(), "act d8 and then roll more"),
    (Doubt::Name, |left| left.names(), "act d8 with Kenji"),
    (Doubt::RoomWord, |left| left.has_a_word_of_the_room(), "act d8 give me more advs"),
    (Doubt::Alone, |left| left.says_one_word(), "act d8 kick"),
];

/// Below this a difficulty is a count.
const SMALL: i64 = 5;
/// A shorter word is a slip of too many others.
const SLIP: usize = 5;
/// A word of so many letters that is like no other is prose even alone.
const PROSE: usize = 6;
/// The last letter of the Latin script, as commands are written.
const LATIN: char = '\u{24f}';

impl Left<'_> {
    fn has_an_argument_behind(&self) -> bool {
        self.taken[self.content..].contains(&true)
    }

    fn stands_alone(&self) -> bool {
        let bare = |example: &String| !example.split('#').next().unwrap_or_default().trim().contains(' ');
        let dash = self.first.checked_sub(1).is_some_and(|before| self.text(before) == "-");
        let short = self.command.len() <= SHORT;
        let alone = dash || !self.soft && (short || !self.spec.examples.iter().any(bare));
        alone && self.spec.effect == Effect::Rolls && !self.taken.contains(&true)
    }

    fn begins_with_a_number(&self) -> bool {
        let token = &self.tokens[self.content];
        let begins = match token.shape {
            Shape::Number { .. } | Shape::Die | Shape::Entry | Shape::Operator => true,
            // `30m` is prose, `7/10` is not.
            Shape::Glued => token.text.ends_with(|c: char| c.is_ascii_digit()),
            _ => token.number().is_some_and(|number| number > 1),
        };
        // `(17)`, and `, 16 vs 11` for the next.
        let numbers = self.core().filter(|at| self.is_exact(*at)).count();
        let more = numbers > 1 || self.core().count() == 1;
        begins && (!self.soft || more && self.is_exact(self.content))
    }

    fn sets_a_condition(&self) -> bool {
        match self.soft {
            true => self.is(self.content, Class::Condition),
            false => self.core().any(|at| self.is(at, Class::Condition)),
        }
    }

    fn corrects(&self) -> bool {
        let core: Vec<usize> = self.core().collect();
        let before = |at: usize| core.get(at + 1).is_some_and(|next| self.is_room_word(*next));
        core.iter().enumerate().any(|(at, token)| self.is(*token, Class::Correction) && (at == 0 || before(at)))
    }

    fn denies(&self) -> bool {
        let core: Vec<usize> = self.core().collect();
        let turns = |at: usize| self.is(at, Class::Denial) || self.is(at, Class::Alternative);
        let pairs = core.windows(2).any(|pair| turns(pair[0]) && self.is_room_word(pair[1]));
        pairs || self.is(self.content, Class::Alternative) && !self.soft
    }

    fn divides_a_number(&self) -> bool {
        self.divided
    }

    fn lacks_a_value(&self) -> bool {
        self.first > 0 && self.is_keyword(self.first - 1)
    }

    fn has_a_number(&self) -> bool {
        let counts = |at: usize| (at + 1..self.tokens.len().min(at + 3)).any(|next| self.is_plural(next));
        let meant = |at: usize| match self.tokens[at].shape {
            Shape::Number { .. } => !counts(at) || self.is_unit_behind(at),
            Shape::Die => true,
            _ => false,
        };
        !self.soft && self.core().any(meant)
    }

    fn asks(&self) -> bool {
        self.text(self.content) == "?"
    }

    fn is_a_range(&self) -> bool {
        self.is_between(self.content)
    }

    fn is_for_another(&self) -> bool {
        let next = self.content + 1;
        let says = next < self.tokens.len() && self.tokens[next].says() && self.is_room_word(next);
        says && self.known.is_name(self.text(self.content)) && self.taken.contains(&true)
    }

    fn goes_on(&self) -> bool {
        let Some(last) = self.first.checked_sub(1).filter(|last| self.taken[*last]) else { return false };
        let word = self.tokens[last].shape == Shape::Word && !self.known.is_name(self.text(last));
        self.is(self.first, Class::Continuing) || word && self.is(self.first, Class::Cause)
    }

    /// A name behind a flag, prose behind a short one, or a possessive in front of one.
    fn possesses(&self) -> bool {
        let owned = (1..self.tokens.len()).any(|at| self.is_owned(at));
        let last = self.first.checked_sub(1).filter(|last| self.is_flag(*last));
        let behind =
            last.is_some_and(|last| self.text(last).len() <= SHORT || self.known.is_name(self.text(self.content)));
        owned || behind
    }

    fn acts_as(&self) -> bool {
        let at = if self.text(self.first) == "as" { self.first } else { self.content };
        let named = self.tokens.get(at + 1).is_some_and(|next| self.known.is_name(&next.text));
        self.text(at) == "as" && named
    }

    fn opposes(&self) -> bool {
        let against = (self.first..self.tokens.len()).find(|at| self.is(*at, Class::Against));
        let whom = against.and_then(|at| (at + 1..self.tokens.len()).find(|at| !self.is(*at, Class::Article)));
        whom.is_some_and(|whom| self.known.is_name(self.text(whom)))
    }

    /// A slip that stands alone or in front of an argument, or the first of several words that are one.
    fn is_a_slip(&self) -> bool {
        let (token, next) = (&self.tokens[self.content], self.content + 1);
        let long = token.shape == Shape::Word && token.text.chars().count() >= SLIP;
        let alone = (next..self.tokens.len()).all(|at| self.taken[at] || !self.tokens[at].says());
        let second = self.tokens.get(next).map(|next| next.text.as_str());
        let begins = |word: &str| {
            let (first, rest) = word.split_once(' ')?;
            (first == token.text).then(|| suggest(second?, [rest])).flatten().map(drop)
        };
        long && alone && self.known.is_nearly_value(&token.text) || self.spec.words().any(|word| begins(word).is_some())
    }

    fn is_foreign(&self) -> bool {
        !self.soft && (self.first..self.tokens.len()).any(|at| self.is(at, Class::Foreign))
    }

    fn is_about_dice(&self) -> bool {
        let mut core = self.core();
        !self.soft
            && match self.spec.notation {
                true => core.any(|at| self.is(at, Class::Dice)),
                false => self.is(self.content, Class::Dice),
            }
    }

    fn is_a_command(&self) -> bool {
        let joined = |at: usize| {
            at.checked_sub(1)
                .is_some_and(|before| self.is(before, Class::Joining) || matches!(self.text(before), ";" | "!"))
        };
        let rolls = self.text(self.content).len() > SHORT && self.known.throws_dice(self.text(self.content));
        !self.soft && rolls || self.core().any(|at| joined(at) && self.known.is_command(self.text(at)))
    }

    fn names(&self) -> bool {
        let open = self.spec.arguments.iter().any(|argument| is_somebody(&argument.kind) && self.is_open(argument));
        let led = |at: usize| at > 0 && (self.is(at - 1, Class::Means) || self.text(at - 1) == "for");
        let named = |at: usize| self.known.is_name(self.text(at)) && (led(at) || open && at == self.content);
        self.goes_on_with_names() || !self.soft && self.core().any(named)
    }

    /// Whether it is nothing but words that may be names, behind a name: `vs Kenji, Bob`.
    fn goes_on_with_names(&self) -> bool {
        let last = (0..self.first).rev().find(|at| self.taken[*at]);
        let word = |at: usize| self.is_capital(at) && !self.is(at, Class::Speaker);
        let may_be_name =
            |at: usize| self.known.is_name(self.text(at)) || word(at) && !self.words.contains(self.text(at));
        last.is_some_and(may_be_name) && self.core().all(may_be_name)
    }

    fn is_counted(&self) -> bool {
        let Some(last) = self.first.checked_sub(1).filter(|last| self.taken[*last]) else { return false };
        let Some(number) = self.tokens[last].number() else { return false };
        let signed = matches!(self.tokens[last].shape, Shape::Number { signed: true });
        let next = is_any(self.text(self.first), &[Class::Unit, Class::Comparison]);
        let doing = self.text(self.first).ends_with("ing") || self.is_capital(self.first);
        let behind = if doing { self.first + 1 } else { self.first + 2 };
        // `dn 14 no mods`
        let denied = self.is(self.first, Class::Denial);
        let several =
            number != 1 && !denied && (self.first..self.tokens.len().min(behind)).any(|at| self.is_plural(at));
        let small = number < SMALL && last > 0 && self.is_keyword(last - 1);
        // A value that was put in for a name counts nothing.
        self.known.is_as_typed() && !self.soft && !signed && (next || several || small)
    }

    fn says_one_word(&self) -> bool {
        let token = &self.tokens[self.content];
        // Another script is nobody's slip.
        let foreign = token.text.chars().any(|c| c > LATIN);
        let long = foreign || token.text.chars().count() >= PROSE && !self.is(self.content, Class::Asked);
        let prose = self.soft || self.spec.notation || long && token.shape == Shape::Word;
        let alone = (self.first..self.tokens.len()).filter(|at| self.tokens[*at].says()).count() == 1;
        alone && !prose
    }

    fn has_a_word_of_the_room(&self) -> bool {
        let word = |at: usize| matches!(self.tokens[at].shape, Shape::Word | Shape::Glued);
        let is = |at: usize| word(at) && self.is_room_word(at);
        if self.soft { is(self.content) } else { self.core().any(is) }
    }
}
