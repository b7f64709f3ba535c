//! What a roll is against, as it is said of whoever rolled: `Bob's dn is 12`, `Bob needs 15`.

use super::Sentence;
use plugin_api::{CommandSpec, FollowUp, Plugin};

impl Sentence<'_> {
    /// `Bob's dn is 12`, `Bob's roll is vs 14`, `Bob needs 15`
    pub(super) fn settles(&self) -> Option<String> {
        const WORDS: [&str; 4] = ["vs", "dn", "dc", "against"];
        const AROUND: [&str; 19] = [
            "counter",
            "an",
            "needed",
            "roll",
            "is",
            "was",
            "the",
            "a",
            "of",
            "for",
            "check",
            "test",
            "needs",
            "number",
            "target",
            "difficulty",
            "action",
            "that",
            "at",
        ];
        let level = |word: &&String| {
            self.says_something(word) && !WORDS.contains(&word.as_str()) && !AROUND.contains(&word.as_str())
        };
        let number = self.lower.iter().find(|word| word.parse::<u32>().is_ok());
        let number = number.or_else(|| self.lower.last().filter(level))?;
        let (at, who) = (0..self.words.len()).find_map(|at| {
            let word = self.words[at];
            let whose = self.cast.known(word).or_else(|| self.cast.known(word.strip_suffix('s')?))?;
            Some((at, whose))
        })?;
        let says = |word: &&String| {
            WORDS.contains(&word.as_str()) || ["difficulty", "needs", "needed", "counter"].contains(&word.as_str())
        };
        self.lower.iter().find(says)?;
        let idle = |(n, word): (usize, &String)| {
            n == at || word == number || WORDS.contains(&word.as_str()) || AROUND.contains(&word.as_str())
        };
        if !self.lower.iter().enumerate().all(idle) {
            return None;
        }
        let lines = WORDS.iter().flat_map(|word| self.exact(word, &format!("{} {number}", self.cast.written(who))));
        let follows = |(_, spec, _): &(&dyn Plugin, &CommandSpec, String)| spec.follow_up != FollowUp::No;
        lines.into_iter().find(follows).map(|(.., line)| line)
    }
}
