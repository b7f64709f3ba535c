//! Lines that begin with a command and do not read as it, or read with a remark that was more: what was probably meant.

use super::tidied::Tidied;
use super::words::{ARTICLES, FILLERS};
use super::{Sentence, begins_a_sentence, without};
use crate::attempt::{Attempt, Found};
use crate::host::Host;
use crate::line::filled::reads_whole;
use crate::notation::throws_dice;
use crate::room::Answered as _;
use crate::words::{Arguments, CommandLine};
use plugin_api::{CommandSpec, FollowUp, Kind, Plugin, Refusal};

/// The table's command whose word is a verb of other commands too: `add goblin to the order`.
const ADD: &str = "add";

/// The line that was probably meant by one that was refused, though its first word is this command.
pub(crate) fn meant_by(
    host: &Host,
    line: &CommandLine,
    (found, refusal): (Found<'_>, &Refusal),
    attempt: &Attempt<'_>,
) -> Option<String> {
    let cast = attempt.cast(host);
    let tidied = Tidied::of(host, line, attempt, &cast);
    let sentence = Sentence::of(host, (&tidied.text, true), attempt, &cast)?;
    let (word, place) = line.word();
    let (command, right) = match found {
        Found::Plugin(game, spec, from) => {
            let whole = Arguments::of(&line.typed, spec.follow_up).typed;
            let reads = |typed: &str| reads_whole(host, (game, spec), (typed, from), attempt);
            // `counter Gojinka d6` names whose roll it follows.
            let unnamed = || {
                let named =
                    whole.get(from..).unwrap_or_default().split_whitespace().filter(|word| cast.known(word).is_some());
                let mut without =
                    named.map(|name| format!("{}{}", &whole[..from], whole[from..].replacen(name, "", 1)));
                spec.follow_up != FollowUp::No && without.any(|typed| reads(&typed))
            };
            (Some((game, spec)), reads(&whole) || unnamed())
        }
        // `set Ogre hp 30` says what it means.
        Found::House(spec) if spec.name != ADD => return None,
        Found::House(_) => (None, false),
    };
    if right {
        // `damage ghoul with cut` reads, and lacks what it is against.
        let answered = |(game, spec): &(&dyn Plugin, &CommandSpec)| {
            game.manifest().answers.iter().any(|rule| rule.commands.contains(&spec.name))
        };
        let lacks = !sentence.is_against() && refusal.mended.is_none() && command.as_ref().is_some_and(answered);
        let aimed = if lacks { sentence.deed_of(command) } else { None };
        return aimed.map(|line| tidied.commented(line));
    }
    let other = || if begins_a_sentence(&word) { sentence.has_command() } else { None };
    let dies = tidied.text.split_whitespace().any(|word| throws_dice(word, attempt.room.dialect()));
    let value = command.filter(|(_, spec)| spec.notation && !dies).and_then(|_| sentence.rolls());
    if let Some(line) = value {
        return Some(tidied.commented(line));
    }
    if let Found::Plugin(game, spec, from) = found {
        let command = line.typed.get(..from)?.trim_end();
        let typed = tidied.text.get(from.min(place.end)..)?.trim();
        if let Some(right) = sentence.respelled((game, spec), (command, typed)) {
            return Some(tidied.commented(right));
        }
    }
    let line = sentence.surely().or_else(|| sentence.deed_of(command)).or_else(other);
    line.map(|line| tidied.commented(line))
}

/// The line that was probably meant by a roll of a value without dice: `roll stealth`.
pub(crate) fn meant_by_value(host: &Host, line: &CommandLine, attempt: &Attempt<'_>) -> Option<String> {
    let cast = attempt.cast(host);
    let tidied = Tidied::of(host, line, attempt, &cast);
    let sentence = Sentence::of(host, (&tidied.text, true), attempt, &cast)?;
    sentence.rolls().map(|line| tidied.commented(line))
}

/// The line of a game that was probably meant by one that a tool refused: `play hero card`.
pub(crate) fn meant_by_tool(host: &Host, line: &CommandLine, attempt: &Attempt<'_>) -> Option<String> {
    let cast = attempt.cast(host);
    let tidied = Tidied::of(host, line, attempt, &cast);
    let sentence = Sentence::of(host, (&tidied.text, true), attempt, &cast)?;
    let meant = sentence.has_command()?;
    let word = meant.split(' ').next()?;
    let of_a_game = |(game, _): &(&dyn Plugin, &CommandSpec)| game.manifest().kind == Kind::Game;
    host.plugins.knowing(word, &attempt.room).iter().any(of_a_game).then(|| tidied.commented(meant))
}

/// The line that was probably meant by one that reads as a command, though with a remark that has the name of a value or a slip
/// of an argument in it.
pub(crate) fn meant_by_remark(
    host: &Host,
    line: &CommandLine,
    (game, spec, from): (&dyn Plugin, &CommandSpec, usize),
    valued: bool,
    attempt: &Attempt<'_>,
) -> Option<String> {
    let cast = attempt.cast(host);
    let tidied = Tidied::of(host, line, attempt, &cast);
    let command = line.typed.get(..from)?.trim_end();
    let words: Vec<&str> = tidied.text.split_whitespace().collect();
    let skipped = command.split_whitespace().count();
    let right = format!("{command} {}", words.get(skipped..)?.join(" "));
    if right != line.typed && reads_whole(host, (game, spec), (&right, command.len()), attempt) {
        return Some(tidied.commented(right));
    }
    if valued {
        return None;
    }
    let sentence = Sentence::of(host, (&tidied.text, true), attempt, &cast)?;
    sentence.surely().map(|line| tidied.commented(line))
}

impl Sentence<'_> {
    /// A command with its slips corrected, and without the words that mean nothing in it.
    fn respelled(&self, (game, spec): (&dyn Plugin, &CommandSpec), (command, typed): (&str, &str)) -> Option<String> {
        // A full stop behind the last word belongs to the sentence.
        let ends = |c: char| matches!(c, '.' | '!' | '?' | '…' | ',');
        let plain = typed.trim_end_matches(ends);
        let typed = if plain.ends_with(char::is_alphabetic) { plain } else { typed };
        let words: Vec<&str> = typed.split_whitespace().collect();
        let fewer = [words.clone(), without(&ARTICLES, &words), without(&FILLERS, &words)];
        fewer.into_iter().find_map(|words| {
            let reads = |words: &[&str]| {
                let line = format!("{command} {}", words.join(" "));
                reads_whole(self.host, (game, spec), (&line, command.len()), self.attempt).then_some(line)
            };
            // `disconnect Ann` is `disconnect Ann on`; dice are compared with `vs` alone.
            let switched =
                || if spec.words().any(|word| word == "on") { reads(&[&words[..], &["on"]].concat()) } else { None };
            let versus = || {
                let against = |word: &&'_ str| ["against", "dc", "dn"].contains(word);
                let versus: Vec<&str> = words.iter().map(|word| if against(word) { "vs" } else { *word }).collect();
                if spec.notation { reads(&versus) } else { None }
            };
            reads(&words).or_else(switched).or_else(versus)
        })
    }
}
