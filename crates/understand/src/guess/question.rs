//! Questions: `whose turn is it`, `what is a surge`, `show me my last 5 rolls`. They are answered by a command that shows
//! something, or by help.

use super::words::{FILLERS, VERBS};
use super::{Guess, Sentence, stems, without};
use crate::notation::throws_dice;

/// Words that begin a question.
pub(super) const ASKS: [&str; 26] = [
    "what", "whats", "what's", "how", "hows", "who", "whos", "who's", "whose", "which", "any", "did", "does", "do",
    "is", "am", "are", "where", "when", "can", "show", "list", "tell", "see", "could", "may",
];
/// Questions about what there is.
const COUNTS: [&str; 11] = ["where", "who", "whos", "who's", "whose", "which", "any", "show", "list", "tell", "see"];
/// Words that ask for odds.
const CHANCES: [&str; 5] = ["likely", "odds", "chance", "chances", "probability"];
/// Questions whether something holds.
const WHETHER: [&str; 3] = ["am", "is", "are"];
/// Questions that a command with a number may answer, and words that mean nothing in them.
const COMPUTED: [&str; 5] = ["what", "whats", "what's", "which", "how"];
const BETWEEN: [&str; 22] = [
    "total", "is", "are", "the", "a", "an", "for", "of", "at", "with", "on", "in", "do", "does", "i", "get", "much",
    "give", "gives", "mean", "means", "you",
];
/// What people call what the table's own commands show. The last word of a line that ends with a space is a number.
const OF_THE_TABLE: [(&str, &str); 26] = [
    ("cards", "hand"),
    ("gm", "gm"),
    ("gms", "gm"),
    ("dm", "gm"),
    ("referee", "gm"),
    ("referees", "gm"),
    ("macros", "macro"),
    ("variables", "values"),
    ("stats", "values"),
    ("characters", "pc"),
    ("players", "pc"),
    ("party", "pc"),
    ("games", "plugins"),
    ("settings", "room"),
    ("rolls", "history "),
    ("history", "history "),
    ("entries", "history "),
    ("happened", "recap"),
    ("missed", "recap"),
    ("miss", "recap"),
    ("story", "recap"),
    ("now", "now"),
    ("on", "now"),
    ("up", "now"),
    ("choices", "waiting"),
    ("commands", "help"),
];

impl Sentence<'_> {
    /// The line that answers the question. In a room with other bots it may be meant for one of them, and is confirmed first.
    pub(super) fn asks(&self) -> Option<Guess> {
        if let Some(line) = self.own_value().filter(|_| self.by_name) {
            return Some(Guess::Answer(line));
        }
        if !ASKS.contains(&self.lower.first()?.as_str()) {
            return None;
        }
        if let Some(line) = self.with_a_number() {
            return Some(Guess::Line(line));
        }
        if let Some(line) = self.chances().or_else(|| self.odds()).filter(|_| self.by_name) {
            return Some(Guess::Answer(line));
        }
        if let Some(line) = self.earlier().filter(|_| self.by_name) {
            return Some(Guess::Answer(line));
        }
        if matches!(self.lower.first()?.as_str(), "can" | "could" | "may") && self.has_command().is_some() {
            return None;
        }
        let line = self.shows_or_explains()?;
        Some(if self.by_name { Guess::Answer(line) } else { Guess::Line(line) })
    }

    /// `my hp`, `how much hp do I have left`: a value of one's own.
    fn own_value(&self) -> Option<String> {
        let lower: Vec<&str> = self.lower.iter().map(String::as_str).collect();
        let of = lower.iter().position(|word| ["my", "much", "many"].contains(word))?;
        let asked = lower[0] == "my" || ASKS.contains(&lower[0]);
        let mine = lower.iter().any(|word| ["my", "i"].contains(word));
        let name = (1..=3).rev().find_map(|count| {
            let name = lower.get(of + 1..of + 1 + count)?.join(" ");
            self.here.value(self.here.actor(), &name).map(|_| (name, count))
        });
        let (name, count) = name.filter(|_| asked && mine)?;
        let around = ["do", "i", "have", "left", "now", "still", "got", "is", "at"];
        lower[of + 1 + count..].iter().all(|word| around.contains(word)).then(|| format!("set {name}"))
    }

    /// `who is next`, `whose turn is it`
    fn whose_turn(&self) -> Option<String> {
        let asks = ["who", "whos", "who's", "whose"].contains(&self.lower[0].as_str());
        let next = self.lower.iter().any(|word| ["next", "turn"].contains(&word.as_str()));
        let shows = |word: &str| self.first_that_fits(self.exact(word, ""));
        if asks && next { shows("turn").or_else(|| shows("init")) } else { None }
    }

    fn shows_or_explains(&self) -> Option<String> {
        let (first, rest) = self.lower.split_first()?;
        let about = || {
            let counts =
                |word: &&String| word.len() > 2 && !ASKS.contains(&word.as_str()) && !VERBS.contains(&word.as_str());
            rest.iter().filter(counts).flat_map(|word| stems(word))
        };
        let means = |word: &String| self.games.iter().any(|game| game.manifest().means(word).is_some());
        let explained = || about().find(means).map(|word| format!("help {word}"));
        let known = || about().find_map(|word| Some(format!("help {}", self.commands(&word, "").first()?.1.name)));
        let shown = || about().find_map(|word| self.shows(&word));
        let own = || self.by_name.then(|| self.of_the_table(rest)).flatten();
        let taught = || {
            about()
                .filter(|_| self.by_name)
                .find(|word| self.own.contains(&word.as_str()))
                .map(|word| format!("help {word}"))
        };
        let otherwise = || match first.as_str() {
            // It may be another bot's command.
            _ if !self.by_name => None,
            "did" => Some("why".to_owned()),
            "who" | "whos" | "who's" | "which" => Some("waiting".to_owned()),
            _ => None,
        };
        let of_somebody = self.lower.iter().skip(1).any(|word| self.named(word).is_some());
        let mine = rest.iter().any(|word| word == "my");
        let held = rest.iter().any(|word| ["have", "got", "hold"].contains(&word.as_str()));
        let counts = mine
            || held && rest.iter().any(|word| word == "i")
            || matches!(rest.first().map(String::as_str), Some("much" | "many" | "in"))
            || COUNTS.contains(&first.as_str());
        let whether = || WHETHER.contains(&first.as_str()).then(|| self.whether()).flatten();
        let waits = rest.iter().any(|word| ["open", "pending", "waiting"].contains(&word.as_str()));
        if waits && self.by_name {
            let mine = rest.iter().any(|word| ["i", "me", "my"].contains(&word.as_str()));
            let own = || format!("waiting {}", self.cast.written(self.here.actor()));
            return Some(if mine { own() } else { "waiting".to_owned() });
        }
        let found = self.whose_turn().or_else(whether).or_else(|| match counts || of_somebody {
            true => shown().or_else(own).or_else(explained),
            false => explained().or_else(known).or_else(shown).or_else(taught).or_else(own),
        });
        found.or_else(otherwise)
    }

    /// The command `word` that only shows something: of a character who is named in the line, or else of everybody.
    fn shows(&self, word: &str) -> Option<String> {
        let named = self.lower.iter().skip(1).find_map(|word| self.named(word));
        let lines = |behind: &str| {
            let lines = self.commands(word, behind).into_iter();
            lines.filter(|(_, spec, _)| spec.only_shows()).collect::<Vec<_>>()
        };
        named.and_then(|name| self.first_that_fits(lines(&name))).or_else(|| {
            let alone = lines("").into_iter().filter(|(_, spec, line)| *line == spec.name).collect();
            self.first_that_fits(alone)
        })
    }

    /// `am I staggered`: the command that shows what this word changes.
    fn whether(&self) -> Option<String> {
        let named = self.lower.iter().skip(1).find_map(|word| self.named(word));
        let changed = self.lower.last()?;
        let line = self.with_argument(changed, |spec| match &named {
            _ if !spec.only_shows() => String::new(),
            Some(name) => format!("{} {name}", spec.name),
            None => spec.name.clone(),
        });
        line.filter(|line| !line.is_empty())
    }

    /// `what is the bonus for 27`, `what dc is level 4 hard`: a command with that number.
    fn with_a_number(&self) -> Option<String> {
        let (_, rest) = self.lower.split_first().filter(|(first, _)| COMPUTED.contains(&first.as_str()))?;
        let words: Vec<&str> = rest.iter().map(String::as_str).filter(|word| !BETWEEN.contains(word)).collect();
        if !words.iter().any(|word| word.parse::<u32>().is_ok()) {
            return None;
        }
        (0..words.len()).find_map(|at| {
            let others = [&words[..at], &words[at + 1..]].concat().join(" ");
            self.first_that_fits(self.commands(words[at], &others))
        })
    }

    /// `what are my odds with d8 d10 against 18`: the odds of what the game rolls.
    fn chances(&self) -> Option<String> {
        let at = self.lower.iter().position(|word| CHANCES.contains(&word.as_str()))?;
        let game = self.games.iter().find(|game| game.manifest().main().is_some())?;
        let main = game.manifest().main().filter(|main| !main.notation)?;
        let asked = self.part(at + 1..)?;
        let plain = || {
            let words = without(&BETWEEN, &without(&FILLERS, &asked.words)).join(" ");
            self.first_that_fits(self.exact(&main.name, &words))
        };
        asked.deed().or_else(plain).map(|line| format!("odds {line}"))
    }

    /// `is the gate guarded? likely`
    pub(super) fn asks_the_oracle(&self) -> Option<String> {
        let asks = ["is", "are", "does", "do", "will", "can", "has", "likely", "unlikely"]
            .contains(&self.lower.first()?.as_str());
        let how = |word: &&str| ["likely", "unlikely"].contains(word);
        let (first, rest): (Vec<&str>, Vec<&str>) = self.text.split_whitespace().partition(|word| how(word));
        let lines = self.exact("oracle", &[first, rest].concat().join(" "));
        let (.., line) = lines.into_iter().next().filter(|_| asks && self.by_name && self.text.contains('?'))?;
        Some(line)
    }

    /// `what are the odds of 15+ on 3d6`, `of 4d6kh3 over 15`.
    fn odds(&self) -> Option<String> {
        let is = |word: &String, of: &[&str]| of.contains(&word.as_str());
        if !self.lower.iter().any(|word| is(word, &CHANCES)) {
            return None;
        }
        let throws = |word: &&String| throws_dice(word);
        let dice = self.lower.iter().find(throws)?;
        let number = |word: &String| {
            let word = word.trim_start_matches(['>', '=']).trim_end_matches('+');
            word.parse::<u32>().ok()
        };
        let number = self.lower.iter().find_map(number)?;
        let sign = match () {
            () if self.lower.iter().any(|word| is(word, &["over", "above", "beat", "beating"])) => ">",
            () if self.lower.iter().any(|word| is(word, &["under", "below"])) => "<",
            () if self.lower.iter().any(|word| is(word, &["less", "lower", "fewer"])) => "<=",
            () => ">=",
        };
        Some(format!("odds {dice} {sign} {number}"))
    }

    /// `what did Mika roll`, `what was the last roll`.
    fn earlier(&self) -> Option<String> {
        let rolls = self.lower.iter().any(|word| ["roll", "rolled", "rolls", "throw"].contains(&word.as_str()));
        let past = self.lower.iter().any(|word| ["did", "last", "was", "rolled", "latest"].contains(&word.as_str()));
        let named = self.lower.iter().skip(1).find_map(|word| self.named(word));
        match named.filter(|_| rolls && past) {
            Some(name) => Some(format!("history 1 {name}")),
            None if rolls && past && !self.lower.iter().any(|word| word == "rolls") => Some("history 1".to_owned()),
            None => None,
        }
    }

    /// A command of the table that shows what it is about.
    fn of_the_table(&self, rest: &[String]) -> Option<String> {
        let line = rest.iter().find_map(|word| OF_THE_TABLE.iter().find(|(about, _)| about == word))?.1;
        let number = rest.iter().find(|word| word.parse::<u32>().is_ok());
        match (line.strip_suffix(' '), number) {
            (Some(line), Some(number)) => Some(format!("{line} {number}")),
            (None, Some(_)) => None,
            _ => Some(line.trim_end().to_owned()),
        }
    }
}
