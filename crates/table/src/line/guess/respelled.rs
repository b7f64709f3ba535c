//! A command with the words behind it put plainly: without those that mean nothing, in their plain form, and with a reason
//! at the end as its comment.

use super::words::{ARTICLES, FILLERS, REASONS};
use super::{Sentence, bare, stems, without};
use crate::line::filled::reads_whole;
use plugin_api::{CommandSpec, Plugin};

impl Sentence<'_> {
    /// The line of a command (as typed) that reads, with these words behind it.
    pub(super) fn respelled(
        &self,
        (game, spec): (&dyn Plugin, &CommandSpec),
        (command, typed): (&str, &str),
    ) -> Option<String> {
        // A full stop behind the last word belongs to the sentence.
        let ends = |c: char| matches!(c, '.' | '!' | '?' | '…' | ',');
        let plain = typed.trim_end_matches(ends);
        let typed = if plain.ends_with(char::is_alphabetic) { plain } else { typed };
        let words: Vec<&str> = typed.split_whitespace().collect();
        let reads = |words: &str| {
            let line = format!("{command} {}", words.trim());
            reads_whole(self.host, (game, spec), (&line, command.len()), self.attempt).then_some(line)
        };
        let reason = (1..words.len()).find(|at| self.is_reason(&words, *at));
        let commented = reason.and_then(|at| {
            let line = reads(&words[..at].join(" "))?;
            Some(format!("{line} # {}", words[at..].join(" ")))
        });
        commented.or_else(|| plainly(spec, &words).iter().find_map(|words| reads(words)))
    }

    /// True if a reason begins at this word: `inspiration +1 for the haiku`.
    fn is_reason(&self, words: &[&str], at: usize) -> bool {
        let next = words.get(at + 1).is_some_and(|word| REASONS.contains(word));
        words[at] == "for" && next && words.get(at + 2).is_some_and(|word| !self.cast.is_called(bare(word)))
    }
}

/// What words may stand for that a command does not read, the likeliest first.
fn plainly(spec: &CommandSpec, words: &[&str]) -> Vec<String> {
    let known = |word: &str| spec.words().any(|known| known == word);
    // `stress cleared` is `stress clear`.
    let plain_form = |word: &&str| stems(word).into_iter().find(|stem| known(stem)).unwrap_or((*word).to_owned());
    let mut all = Vec::new();
    for words in [words.to_vec(), without(&ARTICLES, words), without(&FILLERS, words)] {
        all.push(words.join(" "));
        // `disconnect Ann` is `disconnect Ann on`.
        if known("on") {
            all.push(format!("{} on", words.join(" ")));
        }
        // Dice are compared with `vs` alone.
        if spec.notation {
            let vs = words.iter().map(|word| if ["against", "dc", "dn"].contains(word) { "vs" } else { *word });
            all.push(vs.collect::<Vec<_>>().join(" "));
        }
    }
    all.push(words.iter().map(plain_form).collect::<Vec<_>>().join(" "));
    // `reroll 1s` is `reroll1`.
    let joined = |at: &usize| {
        let [one, next] = words.get(*at..at + 2)? else { return None };
        let joined = format!("{one}{}", next.trim_end_matches('s')).to_lowercase();
        known(&joined).then(|| [&words[..*at], &[joined.as_str()], &words[at + 2..]].concat().join(" "))
    };
    all.extend((0..words.len()).find_map(|at| joined(&at)));
    all
}
