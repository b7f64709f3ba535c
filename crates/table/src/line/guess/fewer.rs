//! A refused line in fewer words: without those that say nothing to its command, and with figures for numbers in words.

use super::bare;
use super::candidates::{JOINS, Said};
use super::slips::is_number;
use super::words::{FILLERS, IDLE_BEHIND, THINGS};
use plugin_api::{Kind, number_word};

/// The word that makes a number one to add.
const MORE: &str = "more";
/// The command that is about any word.
const HELP: &str = "help";
/// What divides texts that people wrote, so that no word of them is left out: `oracle omen: a crow | a wolf`.
const DIVIDES: [char; 4] = ['|', ':', '#', '"'];

impl Said<'_> {
    /// `award one tragedy die to bob`, with fewer and fewer words.
    pub fn in_fewer_words(&self, text: &str) -> Vec<String> {
        let mut words = text.split_whitespace();
        let Some(command) = words.next().filter(|_| !text.contains(DIVIDES)) else { return Vec::new() };
        let house = self.host.plugins.house_command(&command.to_lowercase(), &self.attempt.room);
        let of_plugins = self.knowing(command);
        let of_a_tool = of_plugins.iter().any(|(plugin, _)| plugin.manifest().kind == Kind::Tool);
        let notation = of_plugins.iter().any(|(_, spec)| spec.notation);
        let figures = self.in_figures(words, notation);
        let known: Vec<_> = of_plugins.into_iter().map(|(_, spec)| spec).chain(house).collect();
        let games = self.host.plugins.enabled(&self.attempt.room);
        let synonym = || games.iter().any(|game| game.manifest().synonym(&command.to_lowercase(), "").is_some());
        if house.is_some_and(|spec| spec.name == HELP) || known.is_empty() && !synonym() {
            return Vec::new();
        }
        let says = |word: &str| known.iter().any(|spec| spec.words().any(|known| known == word));
        let without = |dropped: &[&[&str]]| {
            let idle = |word: &str| dropped.iter().any(|words| words.contains(&word)) && !says(word);
            let left = figures.iter().filter(|word| !idle(&bare(word).to_lowercase()));
            let left: Vec<&str> = left.map(String::as_str).collect();
            // People may have called something `a`.
            let none = left.is_empty() && of_a_tool;
            (!none).then(|| format!("{command} {}", left.join(" ")).trim_end().to_owned())
        };
        let lines = [
            without(&[]),
            without(&[&FILLERS, &IDLE_BEHIND]),
            without(&[&FILLERS, &IDLE_BEHIND, &THINGS]),
            without(&[&FILLERS, &IDLE_BEHIND, &THINGS, &["1"]]),
        ];
        lines.into_iter().flatten().collect()
    }

    /// The words with figures for numbers in words, and dice with their number: `two d8`, `one more`. In a notation, a figure in front of
    /// a die may be what those in front of it are against.
    fn in_figures<'w>(&self, words: impl Iterator<Item = &'w str>, notation: bool) -> Vec<String> {
        let mut figures: Vec<String> = Vec::new();
        let mut counts = false;
        for word in words {
            let number = number_word(bare(word)).filter(|_| self.cast.known(bare(word)).is_none());
            let die = word.strip_prefix('d').is_some_and(is_number);
            match figures.last_mut().filter(|last| is_number(last)) {
                Some(count) if die && counts => count.push_str(word),
                Some(count) if bare(word) == MORE => count.insert(0, '+'),
                _ if JOINS.contains(&word) || word == "-" || !word.chars().all(|c| c.is_ascii_punctuation()) => {
                    figures.push(number.map_or_else(|| word.to_owned(), |number| number.to_string()));
                }
                _ => {}
            }
            counts = !notation || number.is_some();
        }
        figures
    }
}
