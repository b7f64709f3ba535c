//! Which commands a word may be, and the lines of them that read to the last word.

use super::words::{AGAINST, ARTICLES, FILLERS, GROUPS, LINKS, TURNS};
use super::{Sentence, bare};
use plugin_api::{CommandSpec, Plugin, suggest_within};

/// A shorter word is no slip of a command.
const LONG_ENOUGH: usize = 4;

impl<'a> Sentence<'a> {
    /// The line of the command `word` with these words, in one of the games: as they are, or with a sign for numbers
    /// without one.
    pub(super) fn with_numbers(&self, word: &str, rest: &[&str]) -> Option<String> {
        let plain = self.first_that_fits(self.commands(word, &rest.join(" ")));
        plain.or_else(|| self.first_that_fits(self.commands(word, &with_signs(rest))))
    }

    /// The same, but a sign is preferred: what somebody gets is added.
    pub(super) fn with_a_change(&self, word: &str, rest: &[&str]) -> Option<String> {
        let signed = self.first_that_fits(self.commands(word, &with_signs(rest)));
        signed.or_else(|| self.first_that_fits(self.commands(word, &rest.join(" "))))
    }

    /// The lines that a command or synonym `word` makes with the text behind it.
    pub(super) fn commands(&self, word: &str, behind: &str) -> Vec<(&'a dyn Plugin, &'a CommandSpec, String)> {
        let found = self.games.iter().filter_map(|game| {
            let manifest = game.manifest();
            if let Some(spec) = manifest.command(word) {
                return Some((*game, spec, format!("{} {behind}", spec.name)));
            }
            let said = manifest.takes_more(word) || behind.split_whitespace().all(means_nothing);
            let line = manifest.synonym(word, behind).filter(|_| said)?;
            let spec = manifest.command(line.split(' ').next()?)?;
            Some((*game, spec, line))
        });
        found.map(|(game, spec, line)| (game, spec, line.trim().to_owned())).collect()
    }

    /// The lines that the command `word` itself makes with the text behind it.
    pub(super) fn exact(&self, word: &str, behind: &str) -> Vec<(&'a dyn Plugin, &'a CommandSpec, String)> {
        let mut lines = self.commands(word, behind);
        lines.retain(|(_, spec, _)| spec.answers_to(word));
        lines
    }

    pub(super) fn first_that_fits(&self, lines: Vec<(&dyn Plugin, &CommandSpec, String)>) -> Option<String> {
        lines.into_iter().find(|(game, spec, line)| self.fits(*game, spec, line)).map(|(_, _, line)| line)
    }

    /// The first line that follows up on the roll of somebody who is named first: `counter Ann d6`.
    pub(super) fn first_that_follows(&self, lines: Vec<(&dyn Plugin, &CommandSpec, String)>) -> Option<String> {
        let follows = |(game, spec, line): &(&dyn Plugin, &CommandSpec, String)| {
            let named = line.split(' ').nth(1).is_some_and(|name| self.cast.known(name).is_some());
            named && self.here.reads_perhaps_named((*game, spec), (line, spec.name.len()))
        };
        lines.into_iter().find(follows).map(|(.., line)| line)
    }

    /// The first line that fits, of the commands that have this word among their arguments.
    pub(super) fn with_argument(&self, known: &str, line: impl Fn(&CommandSpec) -> String) -> Option<String> {
        let having = self.all().filter(|(_, spec)| spec.words().any(|word| word == known));
        let mut lines: Vec<_> = having.map(|(game, spec)| (game, spec, line(spec).trim().to_owned())).collect();
        // What shows something when typed alone sets it with this word, and throws no dice.
        lines.sort_by_key(|(_, spec, _)| !spec.only_shows());
        self.first_that_fits(lines)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = (&'a dyn Plugin, &'a CommandSpec)> {
        self.games.iter().flat_map(|game| game.manifest().commands.iter().map(move |spec| (*game, spec)))
    }

    /// The command or synonym that `word` is one slip away from.
    pub(super) fn slip_of(&self, word: &str) -> Option<String> {
        if word.chars().count() < LONG_ENOUGH {
            return None;
        }
        let names = self.all().map(|(_, spec)| spec.name.as_str());
        let synonyms =
            self.games.iter().flat_map(|game| game.manifest().synonyms.iter().map(|(word, _)| word.as_str()));
        suggest_within(1, word, names.chain(synonyms).filter(|known| known.len() > 3)).map(str::to_owned)
    }

    /// True if the line reads as the command, and each of its words is one that the command knows, or a name.
    pub(super) fn fits(&self, game: &dyn Plugin, spec: &CommandSpec, line: &str) -> bool {
        let from = spec.name.len().min(line.len());
        if self.compares_all().is_none() {
            return false;
        }
        let values: Vec<String> = self
            .here
            .values(self.here.actor())
            .into_iter()
            .flat_map(|name| name.split(' '))
            .map(str::to_owned)
            .collect();
        let knows = |word: &str| {
            let lower = word.to_lowercase();
            // `condition Ann clear`, but `init remove Bob`: as an example has it.
            let first = |line: &str| line.split_whitespace().position(|part| part.to_lowercase() == lower) == Some(1);
            let has = |example: &&String| example.split(' ').any(|part| part == lower);
            let shown = || spec.examples.iter().filter(has).any(|example| first(example) == first(line));
            word.contains(|c: char| c.is_ascii_digit())
                || (TURNS.contains(&lower.as_str()) && shown())
                || spec.words().any(|known| known.split(' ').any(|part| part == lower))
                || GROUPS.contains(&lower.as_str())
                || LINKS.contains(&lower.as_str())
                || AGAINST.contains(&lower.as_str())
                || self.cast.meant(word.trim_matches('"')).is_some()
                || values.contains(&lower)
        };
        // A roll that nothing says anything about is no guess.
        let says_nothing = spec.main && line.len() == from && !spec.only_shows();
        !says_nothing
            && line[from..].split_whitespace().map(bare).filter(|word| !word.is_empty()).all(knows)
            && self.here.reads((game, spec), (line, from))
    }
}

fn means_nothing(word: &str) -> bool {
    FILLERS.contains(&word.to_lowercase().as_str()) || ARTICLES.contains(&word.to_lowercase().as_str())
}

/// These words, with a sign for each number without one.
fn with_signs(words: &[&str]) -> String {
    let signed = |word: &&str| match word.bytes().all(|byte| byte.is_ascii_digit()) {
        true => format!("+{word}"),
        false => (*word).to_owned(),
    };
    words.iter().map(signed).collect::<Vec<_>>().join(" ")
}
