//! Phrases that stand for a command: what may stand in their holes at this table, and the line that they become.

use super::words::{GROUPS, HEALTH, WOUNDS};
use super::{Sentence, stems};
use crate::phrases::{About, Holes, Meant, Said, phrases, rows};
use dice::number_word;
use plugin_api::{CharacterId, CommandSpec, FollowUp, Plugin};

/// The most words of what becomes of somebody, or of what has a name.
const MOST_OF_WHAT: usize = 3;
/// The most words of a time.
const MOST_OF_A_TIME: usize = 5;

impl<'a> Sentence<'a> {
    /// The line of the first phrase about this that can be played.
    pub(super) fn phrase(&self, about: About) -> Option<String> {
        // Each row looks at each word.
        if !self.here.takes(self.words.len() * rows(about)) || self.compares_all().is_none() {
            return None;
        }
        let ends = (0..self.words.len()).map(|at| self.clause_ends_after(at));
        let words: Vec<Said<'_>> = self.lower.iter().zip(ends).map(|(lower, ends)| Said { lower, ends }).collect();
        phrases(about, &words, self).find_map(|meant| self.line_of(about, &meant))
    }

    /// The line that a phrase stands for here.
    fn line_of(&self, about: About, meant: &Meant) -> Option<String> {
        let who = match meant.holes.get("who") {
            Some(name) => self.cast.meant(name)?,
            None => self.here.actor(),
        };
        if who != self.here.actor() && !self.here.may_act_for(who) {
            return None;
        }
        let named = meant.holes.get("counter").map(String::as_str);
        let counter = match meant.holes.contains_key("group") {
            true => self.counter_of_anybody(named),
            false => self.counter(who, named),
        };
        let filled = |line: &String| {
            let holes = meant.holes.iter().filter(|(hole, _)| **hole != "counter");
            let filled = holes.fold(line.clone(), |line, (hole, said)| line.replace(&format!("{{{hole}}}"), said));
            match line.contains("{counter}") {
                true => Some(filled.replace("{counter}", counter.as_ref()?)),
                false => self.as_played(about, filled),
            }
        };
        let line = meant.lines.iter().find_map(filled)?;
        let remark = self.words[meant.remark.clone()].join(" ");
        let line = if remark.is_empty() { line } else { format!("{line} # {remark}") };
        Some(if who == self.here.actor() { line } else { format!("as {} {line}", self.cast.written(who)) })
    }

    /// The line as its command is called, if there is such a command here, and it reads the line.
    fn as_played(&self, about: About, line: String) -> Option<String> {
        let (command, behind) = line.split_once(' ').unwrap_or((&line, ""));
        if self.here.house_command(command).is_some() {
            return Some(line);
        }
        let reads = |(game, spec, line): &(&dyn Plugin, &CommandSpec, String)| {
            (about != About::Difficulty || spec.follow_up != FollowUp::No)
                && self.here.reads_perhaps_named((*game, spec), (line, spec.name.len()))
        };
        self.exact(command, behind).into_iter().find(reads).map(|(.., line)| line)
    }

    /// What anybody counts by that name for whom whoever types may act, so that no sheet of others is shown.
    fn counter_of_anybody(&self, named: Option<&str>) -> Option<String> {
        let all = self.cast.names().filter_map(|name| self.cast.known(name)).chain([self.here.actor()]);
        let mut own = all.filter(|who| self.here.may_act_for(*who));
        own.find_map(|who| self.counter(who, named))
    }

    /// The number that somebody has by that name, or their health.
    fn counter(&self, who: CharacterId, named: Option<&str>) -> Option<String> {
        let health = || HEALTH.iter().find(|name| self.here.counts(who, name)).map(|name| (*name).to_owned());
        let Some(named) = named else { return health() };
        let number = |named: &str| self.here.counts(who, named) || self.here.value(who, named).is_some_and(is_number);
        let own = [named.to_owned(), format!("{named}s")].into_iter().find(|named| number(named));
        own.or_else(|| health().filter(|_| WOUNDS.contains(&named)))
    }
}

impl Holes for Sentence<'_> {
    fn taken(&self, hole: &str, at: usize) -> Vec<(String, usize)> {
        let (word, typed) = (self.lower[at].as_str(), self.words[at]);
        let several =
            |most: usize| (1..=most).filter_map(move |many| Some((self.words.get(at..at + many)?.join(" "), many)));
        let one = |said: Option<String>| said.map(|said| (said, 1)).into_iter().collect();
        let number =
            || number_word(word).map(|number| number.to_string()).or_else(|| is_number(word).then(|| word.to_owned()));
        match hole {
            "number" => one(number()),
            // `3`, `2d8+3`
            "amount" => {
                let dice = self.here.throws_dice(word);
                one(number().or_else(|| dice.then(|| word.to_owned())))
            }
            // `+3`, `-1`
            "change" => one(word.strip_prefix(['+', '-']).filter(|number| is_number(number)).map(|_| word.to_owned())),
            // `d6`, `+1`
            "more" => one(Some(word.to_owned())
                .filter(|word| word.starts_with(['+', '-', 'd']) && word.contains(|c: char| c.is_ascii_digit()))),
            // `12/20`
            "left" => {
                let both = word.split_once('/').is_some_and(|(left, whole)| is_number(left) && is_number(whole));
                one(both.then(|| word.to_owned()))
            }
            "place" => {
                let places = [("first", "1"), ("second", "2"), ("third", "3")];
                let place = places.iter().find(|(place, _)| *place == word).map(|(_, number)| (*number).to_owned());
                one(place.or_else(|| is_number(word).then(|| word.to_owned())))
            }
            "level" => one(number().or_else(|| self.says_something(word).then(|| word.to_owned()))),
            "who" | "whom" => one(self.cast.meant(typed).map(|who| self.cast.written(who))),
            "group" => one(GROUPS.contains(&word).then(|| word.to_owned())),
            "whose" => one(self.named(typed)),
            "counter" => {
                let counted = self.counter_of_anybody(Some(word)).is_some();
                one((counted || WOUNDS.contains(&word)).then(|| word.to_owned()))
            }
            "command" => one(stems(word).into_iter().find(|word| !self.exact(word, "").is_empty())),
            "what" => several(MOST_OF_WHAT).collect(),
            "named" => {
                let plain = |said: &str| said.chars().all(|c| c.is_alphabetic() || c == ' ');
                several(MOST_OF_WHAT).filter(|(said, _)| plain(said)).collect()
            }
            "text" => several(self.words.len()).collect(),
            "time" => several(MOST_OF_A_TIME).filter(|(said, _)| self.here.is_a_time(said)).collect(),
            "roll" => {
                let behind = self.words[at + 1..].join(" ");
                let lines = self.exact(word, &behind).into_iter();
                let main = lines.filter(|(_, spec, _)| spec.main).map(|(.., line)| (line, self.words.len() - at));
                main.take(1).collect()
            }
            _ => Vec::new(),
        }
    }
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}
