//! Searches for what a refused line may have been meant as: the lines that edits make of it, the cheapest first.

use super::edits::REMARK;
use super::said::Said;
use super::tidied::{Tidied, divided};
use super::{MOST_WORDS, bare, words::JOINS};
use crate::cheapest::{Cheapest, Edit, Edited};
use crate::kept::says_all;
use crate::notation::is_on_the_last;
use crate::surroundings::Surroundings;
use plugin_api::{CommandSpec, Kind, Plugin};

/// The most lines that are looked at for one that is refused.
const MOST_LOOKED_AT: usize = 90;
/// What the edits of a line may cost together.
const DEAREST: u32 = 14;
/// The slips of all words put right.
const SPELLED: Edit = Edit { name: "spelled", price: 4 };

/// Lines that a refused one may have been meant as, the likeliest first.
pub fn candidates(here: &dyn Surroundings, typed: &str) -> Vec<String> {
    searched(here, typed, |said, found| {
        found.filter(|edited| said.may_read(&edited.line)).map(|edited| edited.line).collect()
    })
}

/// The same line with slips and idle words put right, if it reads as its command then.
pub(super) fn respelled(
    here: &dyn Surroundings,
    typed: &str,
    (game, spec): (&dyn Plugin, &CommandSpec),
) -> Option<String> {
    // A tool looks up what people made and named, which is not known here.
    if game.manifest().kind == Kind::Tool {
        return None;
    }
    searched(here, typed, |said, found| {
        let mut right = found.filter(|edited| {
            let command = edited.line.split_whitespace().next().unwrap_or_default();
            let same = said.knowing(command).iter().any(|(_, known)| known.name == spec.name);
            let remarks = edited.edits.contains(&REMARK);
            same && !remarks && says_all(typed, &edited.line) && here.reads((game, spec), (&edited.line, command.len()))
        });
        right.next().map(|edited| edited.line)
    })
}

/// What is found among the lines that edits make of this one, the cheapest first.
fn searched<F: Default>(
    here: &dyn Surroundings,
    typed: &str,
    find: impl FnOnce(&Said<'_>, &mut dyn Iterator<Item = Edited>) -> F,
) -> F {
    if typed.split_whitespace().count() > MOST_WORDS {
        return F::default();
    }
    let tidied = Tidied::of(here, typed);
    let said = Said { here, typed };
    // A comment says nothing more if it was typed as one.
    let start = if typed.contains('#') { divided(typed).0 } else { typed };
    let found = Cheapest::of(start, |from| {
        // What edits make of a line is paid for before it is made.
        if !here.takes(from.line.len()) {
            return Vec::new();
        }
        let spelled = (SPELLED, tidied.text.clone());
        let made = said.made_of(&from.line);
        let all = std::iter::once(spelled).filter(|_| from.edits.is_empty()).chain(made);
        let left = DEAREST - from.price;
        all.filter(|(edit, _)| edit.price <= left).collect()
    });
    let found = found.take(MOST_LOOKED_AT).map(|mut edited| {
        edited.line = tidied.commented(edited.line);
        edited
    });
    find(&said, &mut found.filter(|edited| edited.line != typed))
}

impl Said<'_> {
    /// True if a line may be played: it reads as a command of a plugin, or begins with no such command.
    fn may_read(&self, line: &str) -> bool {
        let command = line.split_whitespace().next().unwrap_or_default();
        let (knowing, from) = (self.knowing(command), command.len());
        let reads = |(plugin, spec): &(&dyn Plugin, &CommandSpec)| {
            let short = spec.notation && is_on_the_last(line[from..].trim_start());
            short || self.here.reads_perhaps_named((*plugin, spec), (&self.for_one(line), from))
        };
        knowing.is_empty() || knowing.iter().any(reads)
    }

    /// `stress Bob overwhelmed` for `stress Bob and Ogre overwhelmed`, which is played for one after the other.
    fn for_one(&self, line: &str) -> String {
        let mut left: Vec<&str> = Vec::new();
        let known = |word: &str| self.here.cast().known(bare(word)).is_some();
        for word in line.split_whitespace() {
            let joined = left.len() > 1 && JOINS.contains(&left[left.len() - 1]) && known(left[left.len() - 2]);
            if joined && known(word) {
                left.pop();
            } else {
                left.push(word);
            }
        }
        left.join(" ")
    }
}
