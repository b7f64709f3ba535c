//! A command within a line, with other words around it: `start a new act`, `give Bob 2 possibilities`, `use a Hero card`.

use super::words::{ARTICLES, FILLERS, GROUPS, REASONS, THINGS, TURNS, VERBS};
use super::{Sentence, begins_a_sentence, stems, without};
use crate::reading::reads;
use plugin_api::{DiceWord, Words, suggest_within};

/// A shorter word within a sentence is spelled as it is meant: `I duck` asks for no deck.
const SPELLED: usize = 5;
/// The most words in front of the command in a sentence.
const MOST_BEFORE: usize = 4;

impl Sentence<'_> {
    /// `overwhelm Duke`, where `stress overwhelmed` is the command.
    pub(super) fn is_an_argument_first(&self) -> Option<String> {
        let (first, rest) = self.lower.split_first()?;
        if first.len() < 5 {
            return None;
        }
        let rest = without(&FILLERS, &self.words[1..=rest.len()]).join(" ");
        let known = self.all().flat_map(|(_, spec)| spec.words()).find(|word| word.starts_with(first.as_str()))?;
        self.with_argument(known, |spec| format!("{} {known} {rest}", spec.name))
    }

    /// A command in it; what follows `for that` or `because` is its comment.
    pub(super) fn has_command(&self) -> Option<String> {
        self.has_a_command().or_else(|| {
            let reasons = |at: &usize| match self.lower[*at].as_str() {
                "because" | "since" | "cause" => true,
                // `I surge to get an extra action`
                "to" => *at == 2 && self.lower[0] == "i",
                "for" => self.lower.get(at + 1).is_some_and(|word| REASONS.contains(&word.as_str())),
                _ => false,
            };
            let at = (2..self.words.len()).find(reasons)?;
            Some(format!("{} # {}", self.part(..at)?.has_a_command()?, self.words[at..].join(" ")))
        })
    }

    /// `use a Hero card`, `start series with 3 players`, `d8 d10 vs 12`, `firearms 13 vs 12`.
    pub(super) fn has_a_command(&self) -> Option<String> {
        let first = &self.lower[0];
        // `there are 3 players now`
        if ["we", "there"].contains(&first.as_str()) && self.lower.get(1).is_some_and(|word| word == "are") {
            let [_, _, number, word, ..] = self.words.as_slice() else { return None };
            return self.with_numbers(&word.to_lowercase(), &[number]);
        }
        if first == "use" || first == "using" {
            let rest = without(&FILLERS, &self.words[1..]);
            let what = without(&["roll", "check", "test"], &rest);
            if let Some(line) = self.with_numbers("spend", &rest).or_else(|| self.with_numbers("spend", &what)) {
                return Some(line);
            }
        }
        for (at, word) in self.lower.iter().enumerate().take(MOST_BEFORE + 1).skip(1) {
            // `start a new act`
            let both = self.lower.get(at + 1).map(|next| format!("{word}{next}"));
            let behind = || {
                let behind = without(&FILLERS, self.words.get(at + 2..).unwrap_or_default());
                // `a new act begins`
                without(&["begins", "begin", "starts", "start"], &behind)
            };
            if let Some(line) = both.and_then(|both| self.first_that_fits(self.exact(&both, &behind().join(" ")))) {
                return Some(line);
            }
            let (before, after) = (&self.words[..at], &self.words[at + 1..]);
            if let Some(line) = self.with_verb(first, word, [&before[1..], after].concat()) {
                return Some(line);
            }
            let kept: Vec<&str> =
                before.iter().copied().filter(|word| !VERBS.contains(&word.to_lowercase().as_str())).collect();
            for word in stems(word).into_iter().chain(self.slip_of(word).filter(|_| word.len() >= SPELLED)) {
                let turned = before.iter().any(|word| TURNS.contains(&word.to_lowercase().as_str()));
                let alone = if turned { before } else { &[] };
                let rests = [[before, after], [&kept[..], after], [alone, after], [after, alone]];
                for rest in rests.map(|rest| rest.concat()) {
                    // `add misfortune die`
                    let plain = without(&THINGS, &without(&FILLERS, &rest));
                    for rest in [without(&ARTICLES, &rest), without(&FILLERS, &rest), plain] {
                        let one = self.gives_one().map(|one| [&rest[..], &[one]].concat());
                        let one = one.and_then(|rest| self.first_that_fits(self.commands(&word, &rest.join(" "))));
                        let lines = [one, self.with_numbers(&word, &rest)];
                        let mut lines = lines.into_iter().flatten().filter(|line| self.leaves_out_nothing(line));
                        if let Some(line) = lines.next() {
                            return Some(line);
                        }
                    }
                }
            }
        }
        let game = self.games.iter().copied().find(|game| game.manifest().main().is_some_and(|main| !main.notation))?;
        let main = game.manifest().main()?;
        let fits = |words: &[&str]| {
            let line = format!("{} {}", main.name, words.join(" "));
            self.fits(game, main, &line).then_some(line)
        };
        if DiceWord::of(self.words[0]).is_some() {
            return fits(&self.words);
        }
        let rest = self.words.get(1..).filter(|rest| !rest.is_empty())?;
        if first.chars().count() == main.name.chars().count()
            && suggest_within(1, first, [main.name.as_str()]).is_some()
        {
            return fits(rest);
        }
        let counted = rest.first().is_some_and(|word| word.parse::<u32>().is_ok()) && rest.len() > 1;
        let named = counted && first.chars().all(char::is_alphabetic);
        if named { fits(rest).map(|line| format!("{line} # {}", self.words[0])) } else { None }
    }

    /// `add goblin to the order` and `new clock Ritual 6`: a verb that the command `word` knows, or one that begins a thing of that
    /// kind.
    fn with_verb(&self, verb: &str, word: &str, rest: Vec<&str>) -> Option<String> {
        let rest = without(&["the", "to", "a", "an", "in", "into", "called", "with"], &rest);
        let (game, spec, _) = self.exact(word, "").into_iter().next()?;
        let knows = spec.words().any(|known| known == verb)
            || spec.examples.iter().any(|each| each.split(' ').nth(1) == Some(verb));
        let begins =
            ["new", "start", "begin", "make", "add", "create"].contains(&verb) && spec.words().next().is_none();
        let line = match () {
            () if verb == "add" && knows => format!("{} add {}", spec.name, rest.join(" ")),
            () if begins && self.by_name && !rest.is_empty() => format!("{} {}", spec.name, rest.join(" ")),
            () => return None,
        };
        let reads = !spec.notation && self.here.reads((game, spec), (&line, spec.name.len()));
        reads.then_some(line)
    }

    /// The change that `give Bob a possibility` or `lose a card` makes.
    pub(super) fn gives_one(&self) -> Option<&'static str> {
        let one = self.lower.iter().any(|word| ["a", "an", "one"].contains(&word.as_str()));
        let counted = self.lower.iter().any(|word| word.contains(|c: char| c.is_ascii_digit()));
        match self.lower[0].as_str() {
            "gain" | "earn" if !counted => Some("+1"),
            "give" | "grant" | "get" | "add" if one && !counted => Some("+1"),
            "lose" | "remove" | "take" | "use" | "spend" if one && !counted => Some("-1"),
            _ => None,
        }
    }

    /// True if each number, die and name of the sentence is in the line.
    pub(super) fn leaves_out_nothing(&self, line: &str) -> bool {
        let lower = line.to_lowercase();
        let counts = |word: &&String| {
            word.contains(|c: char| c.is_ascii_digit()) || self.cast.is_called(word) || GROUPS.contains(&word.as_str())
        };
        self.lower.iter().filter(counts).all(|word| lower.contains(word.trim_start_matches('+')))
    }

    /// `doom clock +1`: a name in front of the command whose text it is.
    pub(super) fn has_a_name_first(&self) -> Option<String> {
        let [name, command, rest @ ..] = self.words.as_slice() else { return None };
        if !self.by_name || begins_a_sentence(&name.to_lowercase()) {
            return None;
        }
        let lines = self.exact(&command.to_lowercase(), &[&[*name], rest].concat().join(" "));
        let (game, spec, line) =
            lines.into_iter().find(|(_, spec, _)| spec.only_shows() && spec.words().next().is_none())?;
        let called = |name: &str| self.cast.is_called(name);
        let affordable = self.here.affords(&line);
        (affordable && reads(game, spec, &mut Words::new(&line, spec.name.len()).with_names(called))).then_some(line)
    }
}
