//! Lines that begin with a command and do not read as it, or read with a remark that was more: what was probably meant.

use super::search::respelled;
use super::tidied::Tidied;
use super::words::{FILLERS, is_against};
use super::{Guess, Sentence, bare, begins_a_sentence, without};
use crate::phrases::About;
use crate::reading::first_word;
use crate::surroundings::{Found, Surroundings};
use plugin_api::{CommandSpec, Kind, Plugin, Refusal};

/// The table's command whose word is a verb of other commands too: `add goblin to the order`.
const ADD: &str = "add";

/// The line that was probably meant by one that was refused, though its first word is this command.
pub fn meant_by(here: &dyn Surroundings, typed: &str, (found, refusal): (Found<'_>, &Refusal)) -> Option<String> {
    let tidied = Tidied::of(here, typed);
    let sentence = Sentence::of(here, (&tidied.text, true))?;
    if let Some(line) = sentence.phrase(About::Command) {
        return Some(tidied.commented(line));
    }
    let (word, place) = first_word(typed);
    let (command, right) = match found {
        Found::Plugin(game, spec, from) => (Some((game, spec)), here.reads_perhaps_named((game, spec), (typed, from))),
        // `set Ogre hp 30` says what it means.
        Found::House(spec) if spec.name != ADD => return None,
        Found::House(_) => (None, false),
    };
    if let Some(line) = sentence.phrase(About::Recovery) {
        return Some(tidied.commented(line));
    }
    if right {
        // `damage ghoul with cut` reads, and lacks what it is against.
        let answered = |(game, spec): &(&dyn Plugin, &CommandSpec)| {
            game.manifest().answers.iter().any(|rule| rule.commands.contains(&spec.name))
        };
        let named = !sentence.is_against() || tidied.text != typed;
        let lacks = named && refusal.mended.is_none() && command.as_ref().is_some_and(answered);
        let aimed = if lacks { sentence.deed_of(command) } else { None };
        return aimed.map(|line| tidied.commented(line));
    }
    // `roll d8 d10 vs Gojinka` is the roll of a game that has one of its own.
    if command.is_some_and(|(_, spec)| spec.notation)
        && let Some((_, words)) = tidied.text.split_once(' ')
        && let Some(line) = sentence.of_the_main_game(words)
    {
        return Some(tidied.commented(line));
    }
    // What the notation itself corrects is about the dice, and better than a guess at the words.
    let corrected = refusal.mended.as_ref().is_some_and(|right| !right.by.contains('#'));
    if corrected && command.is_some_and(|(_, spec)| spec.notation) {
        return None;
    }
    let other = || if begins_a_sentence(&word) { sentence.has_command() } else { sentence.has_two_commands(command) };
    let dies = tidied.text.split_whitespace().any(|word| here.throws_dice(word));
    let value = command.filter(|(_, spec)| spec.notation && !dies);
    let value = value.and_then(|_| sentence.rolls().or_else(|| sentence.rolls_several()));
    if let Some(line) = value {
        return Some(tidied.commented(line));
    }
    if let Found::Plugin(game, spec, from) = found {
        // The command may be two words: `bonus dice 3`.
        let same = tidied.text.get(..from) == typed.get(..from);
        let behind = tidied.text.get(if same { from } else { from.min(place.end) }..)?.trim();
        if let Some(right) = respelled(here, typed, (game, spec)) {
            return Some(right);
        }
        // `resist 4 +2 vs 15` answers nobody: in its game that is a check.
        let another = game.manifest().synonym(&spec.name, behind);
        let reads = |line: &String| {
            let command = line.split(' ').next().and_then(|word| game.manifest().command(word));
            command.is_some_and(|spec| here.reads((game, spec), (line, spec.name.len())))
        };
        if let Some(line) = another.filter(reads) {
            return Some(tidied.commented(line));
        }
    }
    let line = sentence.surely().or_else(|| sentence.deed_of(command)).or_else(other);
    let line = line.or_else(|| sentence.phrase(About::Otherwise));
    line.map(|line| tidied.commented(line))
}

/// The line that was probably meant by a roll of a value without dice: `roll stealth`.
pub fn meant_by_value(here: &dyn Surroundings, typed: &str) -> Option<String> {
    let tidied = Tidied::of(here, typed);
    let sentence = Sentence::of(here, (&tidied.text, true))?;
    sentence.rolls().map(|line| tidied.commented(line))
}

/// The line of a game that was probably meant by one that a tool refused: `play hero card`.
pub fn meant_by_tool(here: &dyn Surroundings, typed: &str) -> Option<String> {
    let tidied = Tidied::of(here, typed);
    let sentence = Sentence::of(here, (&tidied.text, true))?;
    // `show me the destiny pool`
    let asked = || match sentence.asks()? {
        Guess::Answer(line) | Guess::Line(line) => Some(line),
    };
    let begins = ["me", "my"].contains(&sentence.lower.get(1)?.as_str());
    if let Some(shown) = asked().filter(|_| begins) {
        return Some(tidied.commented(shown));
    }
    let meant = sentence.has_command().or_else(asked)?;
    let word = meant.split(' ').next()?;
    let of_a_game = |(game, _): &(&dyn Plugin, &CommandSpec)| game.manifest().kind == Kind::Game;
    here.knowing(word).iter().any(of_a_game).then(|| tidied.commented(meant))
}

impl<'a> Sentence<'a> {
    /// `turn order: Ogre, Bob`: two words that name the same thing, of which the second is the command. Behind a tool's it may
    /// be a game's word for one: `go against Ogre`.
    fn has_two_commands(&self, first: Option<(&dyn Plugin, &CommandSpec)>) -> Option<String> {
        let behind = self.text.split_once(char::is_whitespace)?.1;
        let (word, behind) = behind.split_once(char::is_whitespace)?;
        let words: Vec<&str> = behind.split_whitespace().collect();
        let tool = first.is_some_and(|(game, _)| game.manifest().kind == Kind::Tool);
        let word = bare(word).to_lowercase();
        // `routine check 5`: the second says what kind of thing the first is.
        let kind = first.filter(|_| self.exact(&word, "").iter().any(|(_, spec, _)| spec.main));
        if let Some((game, spec)) = kind {
            let line = format!("{} {behind}", spec.name);
            if self.here.reads((game, spec), (&line, spec.name.len())) {
                return Some(line);
            }
        }
        let lines = |behind: &str| match tool {
            true => self.first_that_fits(self.commands(&word, behind)),
            false => self.first_that_fits(self.exact(&word, behind)),
        };
        lines(behind).or_else(|| lines(&without(&FILLERS, &words).join(" ")))
    }

    /// These words as the roll of the main game against something, if that takes all of them and they are no plain dice.
    fn of_the_main_game(&self, words: &str) -> Option<String> {
        let against = self.lower.iter().position(|word| is_against(word)).filter(|at| *at > 1)?;
        if self.here.throws_dice(&self.words[1..against].join(" ")) {
            return None;
        }
        let mut rolling = self.games.iter().copied().filter(|game| game.manifest().kind == Kind::Game);
        let (game, main) =
            rolling.find_map(|game| Some((game, game.manifest().main().filter(|main| !main.notation)?)))?;
        let line = format!("{} {}", main.name, words.trim());
        let reads = self.here.reads((game, main), (&line, main.name.len()));
        reads.then_some(line)
    }

    /// `roll 2 bonus dice`
    fn rolls_several(&self) -> Option<String> {
        let [_, number, rest @ ..] = self.lower.as_slice() else { return None };
        number.parse::<u32>().ok()?;
        self.first_that_fits(self.exact(&rest.concat(), number))
    }
}
