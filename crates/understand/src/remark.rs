//! Whether what no argument took is a remark. One rule: a remark begins at the first word that no argument took, with the links and
//! articles in front of it, and goes on to the end of the line. If a row of `remark/rows.rs` holds, it may be meant otherwise, and the line
//! is shown with `#` put in instead of being played.

mod left;
mod rows;

use crate::english::Class;
use crate::tokens::{Shape, Token};
use left::{Left, is_number, leads};
use plugin_api::{ArgumentSpec, CommandSpec, Many, Place};
use rows::ROWS;
use std::ops::Range;

/// A line whose arguments were read.
#[derive(Clone, Copy)]
pub struct Read<'a> {
    /// As it was typed.
    pub typed: &'a str,
    /// Where its arguments begin, in bytes.
    pub from: usize,
    /// The places of the words that arguments took.
    pub taken: &'a [Range<usize>],
    /// Its command.
    pub spec: &'a CommandSpec,
}

/// What the room knows, of what whoever typed the line may know.
pub trait Known {
    /// Whether somebody is called this, in lower case.
    fn is_name(&self, word: &str) -> bool;
    /// Whether the actor's sheet has a value of this name.
    fn is_value(&self, word: &str) -> bool;
    /// Whether it is nearly a value of the actor's sheet.
    fn is_nearly_value(&self, word: &str) -> bool;
    /// Whether a command is called this.
    fn is_command(&self, word: &str) -> bool;
    /// Whether it is one that throws dice.
    fn throws_dice(&self, word: &str) -> bool;
    /// Whether every word of the line was typed, and no value was put in for a name.
    fn is_as_typed(&self) -> bool;
}

/// A room of which nothing is known.
pub struct Nowhere;

impl Known for Nowhere {
    fn is_name(&self, _: &str) -> bool {
        false
    }

    fn is_value(&self, _: &str) -> bool {
        false
    }

    fn is_nearly_value(&self, _: &str) -> bool {
        false
    }

    fn is_command(&self, _: &str) -> bool {
        false
    }

    fn throws_dice(&self, _: &str) -> bool {
        false
    }

    fn is_as_typed(&self) -> bool {
        true
    }
}

/// A remark that may be meant otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubted {
    /// Where it is, in bytes: what goes behind `#`.
    pub at: Range<usize>,
    /// What the line may be shown as.
    pub shown: Shown,
    /// Whether it is nearly an argument: one word, or it begins with a number or a value.
    pub nearly: bool,
    /// Why it may be meant otherwise.
    pub because: Doubt,
    /// A line that is in doubt for the same reason.
    pub example: &'static str,
}

/// What a line with a doubted remark may be shown as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// With `#` in front of the remark.
    Commented,
    /// With the remark in front of the command, or commented for whoever may not play that.
    InFront,
    /// Without it.
    Without,
    /// As nothing: what it lacks is not known.
    Nothing,
}

/// Why a remark may be meant otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// No argument was taken, and the command has some.
    NothingTaken,
    /// An argument follows it.
    ArgumentBehind,
    /// It begins with a number, dice or a sign that counts.
    BeginsWithANumber,
    /// It says on which condition the line is meant.
    Condition,
    /// It takes back what was typed.
    Correction,
    /// It denies something, or offers something else.
    Denial,
    /// It holds a word of the command, or a value.
    RoomWord,
    /// It says what becomes of dice.
    DiceWord,
    /// It begins with a command, or joins one.
    Command,
    /// It names somebody whom the command may be about.
    Name,
    /// What follows the last number is counted by it.
    Counted,
    /// An argument took a part of a number.
    Divided,
    /// A word in front of it leads to a value that is not there.
    Dangling,
    /// It holds a number that counts nothing in it, or dice.
    Number,
    /// It says something else for somebody else.
    Another,
    /// Two numbers or dice were taken that are the ends of a range.
    Range,
    /// Nothing is left but a question mark.
    Question,
    /// It goes on with the last argument.
    GoesOn,
    /// What was taken for a word of the command is a part of it.
    Possessed,
    /// It says who acts.
    ActsAs,
    /// It is in parentheses, and an argument was taken out of them.
    Aside,
    /// It says whom the line is against, and the command has nobody to be against.
    Opposes,
    /// It is nearly a word of the command or a value, or the first of several that are one.
    Slip,
    /// It is in another language, in which its first word leads to an argument.
    Foreign,
    /// It is one short word, a name, or one that asks for something.
    Alone,
}

/// Finds out whether the line has a remark that may be meant otherwise.
pub fn doubted(read: Read<'_>, known: &dyn Known) -> Option<Doubted> {
    let remark = Left::of(read, known).filter(|remark| remark.tokens[remark.content].shape != Shape::Quoted)?;
    let (because, _, example) = ROWS.iter().find(|(_, holds, _)| holds(&remark))?;
    let (at, whole) = match remark.in_front().filter(|_| *because == Doubt::ArgumentBehind) {
        Some(at) => (at, !remark.is_one_word()),
        None => (remark.begins_at(*because)..read.typed.len(), true),
    };
    let shown = match because {
        Doubt::ActsAs => Shown::InFront,
        Doubt::Question => Shown::Without,
        because if whole && !remark.lacks_something(*because) => Shown::Commented,
        _ => Shown::Nothing,
    };
    let turned = matches!(because, Doubt::Range) || shown == Shown::Nothing && remark.turns_an_argument();
    let nearly = !turned
        && (!whole
            || matches!(because, Doubt::Opposes | Doubt::Slip)
            || shown == Shown::Nothing && (*because == Doubt::Number || remark.begins_with_a_name())
            || remark.says_one_word_in(&at)
            || remark.is_nearly_an_argument());
    Some(Doubted { at, shown, nearly, because: *because, example })
}

/// Whether something is left of the line besides its arguments, and it cannot be meant otherwise than as a remark.
pub fn is_remark(read: Read<'_>, known: &dyn Known) -> bool {
    Left::of(read, known).is_some() && doubted(read, known).is_none()
}

/// Among so few words a number is what they are about.
const A_FEW: usize = 2;

/// What goes behind `#`, and whether that may be offered.
impl Left<'_> {
    /// Where it begins. A number that counts it belongs to it, with what leads to that, unless the command needs the number.
    fn begins_at(&self, because: Doubt) -> usize {
        let needed = |argument: &ArgumentSpec| {
            let here = matches!(argument.place, Place::Here | Place::Bare(_));
            argument.many == Many::One && here && is_number(&argument.kind)
        };
        let owned = (1..self.tokens.len()).find(|at| self.is_owned(*at)).filter(|_| because == Doubt::Possessed);
        if let Some(owned) = owned {
            return self.tokens[owned - 1].at.start;
        }
        let led = self.first > 1 && self.is_keyword(self.first - 2);
        let bare = self.spec.examples.iter().any(|example| !example.contains(' '));
        if let Some(opens) = self.opening().filter(|_| because == Doubt::Aside) {
            return self.tokens[opens].at.start;
        }
        if because != Doubt::Counted || !led && !bare && self.spec.arguments.iter().any(needed) {
            return self.tokens[self.first].at.start;
        }
        let mut start = self.first - 1;
        while start > 0 && (self.is_keyword(start - 1) || !self.taken[start - 1] && self.tokens[start - 1].says()) {
            start -= 1;
        }
        self.tokens[start].at.start
    }

    /// Whether the line with `#` put in would leave out what was meant: that is not known.
    fn lacks_something(&self, because: Doubt) -> bool {
        let counted = || {
            let next = self.content + 1;
            let number = self.tokens[self.content].number().is_some() && self.tokens[self.content].shape == Shape::Word;
            number
                && self.tokens.get(next).is_some_and(|token| {
                    self.known.is_command(&token.text) || self.known.is_command(token.text.trim_end_matches('s'))
                })
        };
        // `dn impossible`, `vs the wall`
        let against = |at: usize| self.is(at, Class::Difficulty) || self.is(at, Class::Against);
        let led = (self.first.saturating_sub(1)..self.content).any(against);
        if led || self.leaves_somebody_out() {
            return true;
        }
        match because {
            Doubt::NothingTaken
            | Doubt::Divided
            | Doubt::Foreign
            | Doubt::DiceWord
            | Doubt::Correction
            | Doubt::Another
            | Doubt::Range => true,
            Doubt::Aside => self.turns_an_argument(),
            Doubt::BeginsWithANumber => counted() || !self.counts_something(),
            Doubt::Number => {
                let few = self.core().filter(|at| !self.is(*at, Class::Difficulty)).count() <= A_FEW;
                few || self.core().any(|at| self.tokens[at].shape == Shape::Die)
            }
            Doubt::ArgumentBehind => {
                let number = matches!(self.tokens[self.content].shape, Shape::Number { .. });
                let die = |at: usize| self.taken[at] && self.tokens[at].shape == Shape::Die;
                // Dice that an argument took are no remark.
                let dice = self.in_front().is_none() && (self.content..self.tokens.len()).any(die);
                number
                    || dice
                    || self.is(self.content, Class::Dice)
                    || self.first == self.content && self.known.is_value(self.text(self.content))
                    || self.in_front().is_some() && self.turns_an_argument()
            }
            Doubt::Condition => self.core().count() == 1,
            _ => false,
        }
    }

    /// Whether it begins with who is left out, or is who is meant too: `but Kenji`, `and Kenji`.
    fn leaves_somebody_out(&self) -> bool {
        // `insp +1 to Kenji and Bob`
        let joins = ["and", "&"].contains(&self.text(self.first));
        if joins && self.known.is_name(self.text(self.content)) && self.core().count() == 1 {
            return true;
        }
        let whom = self.tokens.get(self.content + 1).is_some_and(|next| self.known.is_name(&next.text));
        whom && self.is(self.content, Class::Excluding)
    }

    /// Whether its first word is a number of what follows, also in words.
    fn counts_something(&self) -> bool {
        let number = self.tokens[self.content].number().is_some();
        number && (self.content + 1..self.tokens.len().min(self.content + 3)).any(|at| self.is_plural(at))
    }

    /// Where it is, if numbers or dice that are arguments follow it, and nothing else does.
    fn in_front(&self) -> Option<Range<usize>> {
        let first = (self.content..self.tokens.len()).find(|at| self.taken[*at])?;
        let last =
            (self.content..first).rev().find(|at| self.tokens[*at].says() && !leads(&self.tokens, &self.taken, *at))?;
        let behind = || self.taken[first..].iter().zip(&self.tokens[first..]);
        let whole = behind().all(|(taken, token)| *taken || !token.says());
        let alone = !self.taken[..self.content].contains(&true);
        let counts = behind().any(|(_, token)| match token.shape {
            Shape::Number { .. } => true,
            Shape::Die => alone,
            _ => false,
        });
        (whole && counts).then(|| self.tokens[self.first].at.start..self.tokens[last].at.end)
    }

    /// Whether there is one word in this place.
    fn says_one_word_in(&self, place: &Range<usize>) -> bool {
        let within = |token: &&Token| token.says() && place.start <= token.at.start && token.at.end <= place.end;
        self.tokens.iter().filter(within).count() == 1
    }

    /// Whether it begins with somebody's name: `Ann's roll`.
    fn begins_with_a_name(&self) -> bool {
        let text = self.tokens[self.content].text.as_str();
        self.known.is_name(text.strip_suffix("'s").unwrap_or(text))
    }

    /// Whether it begins with a number or a value, or is one word in front of the first argument.
    fn is_nearly_an_argument(&self) -> bool {
        let token = &self.tokens[self.content];
        let number = token.shape == Shape::Glued;
        let first = self.taken.iter().position(|taken| *taken) == Some(self.content + 1);
        number || self.known.is_value(&token.text) || first && self.first == self.content
    }

    /// Whether it is one word in front of an argument that is no plain number: perhaps the name of what that lacks.
    fn is_one_word(&self) -> bool {
        let first = self.taken.iter().position(|taken| *taken);
        let plain = first.is_some_and(|first| self.tokens[first].shape == Shape::Number { signed: false });
        first == Some(self.content + 1) && self.first == self.content && !plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plugin_api::{Commands, DiceWord, Name, Number, Words};

    /// The commands of the examples.
    #[derive(Clone, Debug, Commands)]
    #[expect(dead_code, reason = "only read")]
    enum Play {
        /// Act.
        #[command(rolls, alias = "a", example = "act d8 vs 15")]
        Act {
            dice: Vec<DiceWord>,
            #[flag("adv", "advantage")]
            advantage: bool,
            #[flag("overwhelmed", "ow")]
            overwhelmed: bool,
            #[flag("scratch")]
            scratch: Option<i32>,
            #[word("vs", "dc")]
            against: Option<Number<0, 200>>,
            #[word("versus")]
            target: Option<Name>,
        },
        /// Spend.
        #[command(changes, example = "spend 1")]
        Spend { number: Option<Number<0, 9>> },
    }

    struct Room;

    impl Known for Room {
        fn is_name(&self, word: &str) -> bool {
            ["kenji", "gojinka"].contains(&word)
        }

        fn is_value(&self, word: &str) -> bool {
            word == "str"
        }

        fn is_nearly_value(&self, word: &str) -> bool {
            word == "pilotng"
        }

        fn is_command(&self, word: &str) -> bool {
            ["act", "roll", "done"].contains(&word)
        }

        fn throws_dice(&self, word: &str) -> bool {
            ["act", "roll"].contains(&word)
        }

        fn is_as_typed(&self) -> bool {
            true
        }
    }

    fn doubted_in(line: &str) -> Option<Doubted> {
        let from = line.find(' ').unwrap_or(line.len());
        let mut specs = Play::declare();
        let spec = specs.swap_remove(usize::from(line.starts_with("spend")));
        let mut words = Words::new(line, from).with_names(|name| Room.is_name(&name.to_lowercase())).with_remark();
        let _: Result<Play, _> = Play::parse(&spec.name, &mut words);
        doubted(Read { typed: line, from, taken: &words.taken(), spec: &spec }, &Room)
    }

    #[test]
    fn each_row_holds_for_its_example() {
        for (doubt, _, example) in ROWS {
            assert_eq!(doubted_in(example).map(|found| found.because), Some(doubt), "{example}");
        }
    }

    #[test]
    fn what_cannot_be_meant_otherwise_is_a_remark() {
        for line in [
            "act d8 d10",
            "act d8 and d10, please",
            "act d8 swinging across the chasm",
            "act d8 vs 15, I leap at it",
            "act d8 with both hands and my 2 good teeth",
            "act d8 from 30m away",
            "act d8 the 2nd swing",
            "act d8 it's now or never",
            "act d8 I hope Kenji sees this",
            "act d8 vs 15 🐉 roar",
            "act d8 \"2 goblins, adv\"",
            "act d8 // 2 goblins, adv",
            "act d8 飛び込む",
        ] {
            assert_eq!(doubted_in(line), None, "{line}");
        }
    }

    #[test]
    fn a_remark_is_shown_with_what_belongs_to_it() {
        let remark = |line: &str| {
            doubted_in(line).filter(|found| found.shown == Shown::Commented).map(|found| line[found.at].to_owned())
        };
        let check = |line: &str, expected: &str| assert_eq!(remark(line).as_deref(), Some(expected), "{line}");
        check("act d8 vs 15 wet stones", "vs 15 wet stones");
        check("act d8 I swing at it vs 15", "I swing at it");
        check("act I dive at the crest d8 d10", "I dive at the crest");
        check("act d8 Kenji says go for adv", "Kenji says go for adv");
        check("act d8 my adv runs out", "my adv runs out");
        check("act d8 (adv from Kenji)", "(adv from Kenji)");
        check("act d8 versus Kenji, Bob", "Bob");
        for line in ["act natural and calm", "act d8 mit Vorteil", "act d8 vs 17,5", "act d8 double adv"] {
            assert_eq!(remark(line), None, "{line}");
        }
    }
}
