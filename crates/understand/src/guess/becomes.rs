//! What becomes of somebody, and what they do with a command of their own: `Duke is staggered`, `Bob isn't prone anymore`, `all
//! heroes get an inspiration`, `Ogre attacks Duke d10`.

use super::words::{ARTICLES, BECOMES, ENDED, FILLERS, GROUPS, HAS, VERBS};
use super::{Sentence, stems, without};
use crate::reading::reads;
use plugin_api::names::written;
use plugin_api::{CommandSpec, Kind, Words};

/// The command for a condition, and the most words of one that is guessed.
const CONDITION: &str = "condition";
const CLEAR: &str = "clear";
const MOST_OF_A_CONDITION: usize = 4;

impl Sentence<'_> {
    /// `Ogre attacks Duke d10`, `Duke is staggered`.
    pub(super) fn names_first(&self) -> Option<String> {
        match self.lower.first()?.as_str() {
            "im" | "i'm" => {
                let rest = &self.words[1..];
                return self.becomes("", rest).or_else(|| self.has_a_condition("", rest));
            }
            "take" | "took" | "gain" | "suffer" => return self.becomes("", &self.words[1..]),
            "i" if self.lower.get(1).is_some_and(|verb| verb == "am" || BECOMES.contains(&verb.as_str())) => {
                let rest = &self.words[2..];
                let condition = || if self.lower[1] == "am" { self.has_a_condition("", rest) } else { None };
                return self.becomes("", rest).or_else(condition);
            }
            _ => {}
        }
        let recovers = || match self.lower[0].as_str() {
            "not" | "no" => self.recovers("", &self.words),
            "i" => self.recovers("", &self.words[1..]),
            _ => None,
        };
        if let Some(line) = self.groups_become().or_else(recovers) {
            return Some(line);
        }
        let the = usize::from(self.lower[0] == "the");
        let known = (1..=2).rev().find_map(|count| {
            let name = self.words.get(the..the + count)?.join(" ");
            let known = if count == 1 { self.cast.meant(&name) } else { self.cast.known(&name) };
            known.map(|id| (self.cast.name(id).to_owned(), the + count))
        });
        // Whoever was never heard of is written like a name.
        let (name, rest) = known.or_else(|| is_new_name(self.words[0]).then(|| (self.words[0].to_owned(), 1)))?;
        let quoted = written(&name);
        let (verb, behind) = (self.lower.get(rest)?, &self.words[rest + 1..]);
        if let Some(line) = self.recovers(&quoted, &self.words[rest..]) {
            return Some(line);
        }
        if BECOMES.contains(&verb.as_str()) {
            let condition = || if HAS.contains(&verb.as_str()) { None } else { self.has_a_condition(&quoted, behind) };
            return self.becomes(&quoted, behind).or_else(condition);
        }
        let behind = without(&FILLERS, behind);
        let acts = |behind: &[&str]| {
            let lines = |verb: &String| {
                let lines = self.commands(verb, &behind.join(" "));
                self.first_that_fits(lines.clone()).or_else(|| self.first_that_follows(lines))
            };
            stems(verb).iter().find_map(lines).map(|line| format!("as {quoted} {line}"))
        };
        acts(&behind).or_else(|| {
            // A game that knows no targets leaves whom they attack to the comment.
            let whom = behind.first().filter(|whom| self.cast.is_called(whom))?;
            Some(format!("{} # {verb} {whom}", acts(&behind[1..])?))
        })
    }

    /// `(Duke) is staggered`, `(Vega) has an obstacle of 2`.
    pub(super) fn becomes(&self, name: &str, what: &[&str]) -> Option<String> {
        if let Some(line) = self.recovers(name, what) {
            return Some(line);
        }
        let one = is_one(what);
        let what = without(&FILLERS, what);
        for (at, word) in what.iter().enumerate() {
            let rest = what.iter().enumerate().filter(|(n, _)| *n != at).map(|(_, word)| *word);
            let others: Vec<&str> =
                std::iter::once(name).chain(rest).filter(|word| !word.is_empty() && *word != "one").collect();
            for stem in stems(&word.to_lowercase()) {
                let changed = |by: &&str| self.with_a_change(&stem, &[&others[..], &[*by]].concat());
                // `Ann is disconnected` is `disconnect Ann on`.
                let on = Some("on").filter(|_| stem != word.to_lowercase());
                let plain = || self.with_a_change(&stem, &others);
                // `a wound` is one more of what `wounds` shows, and `a short rest` is none of anything.
                let counts = one && self.exact(&stem, "").iter().any(|(_, spec, _)| spec.only_shows());
                let added = Some("+1").filter(|_| counts);
                if let Some(line) =
                    added.as_ref().and_then(&changed).or_else(plain).or_else(|| on.as_ref().and_then(changed))
                {
                    return Some(line);
                }
            }
        }
        let known = what.first().filter(|_| !one)?.to_lowercase();
        self.with_argument(&known, |spec| format!("{} {} {name}", spec.name, what.join(" ")))
    }

    /// `(Bob) is not overwhelmed anymore`, `(I) stand up, no longer prone`
    pub(super) fn recovers(&self, name: &str, what: &[&str]) -> Option<String> {
        let lower: Vec<String> = what.iter().map(|word| word.to_lowercase()).collect();
        let ends = lower.iter().position(|word| ENDED.contains(&word.as_str()))?;
        let left: Vec<&str> = lower[ends + 1..].iter().map(String::as_str).collect();
        let left = without(&["anymore", "any", "more", "now"], &left);
        let [condition] = left.as_slice() else { return None };
        let own = || self.cast.written(self.here.actor());
        let called = if name.is_empty() { own() } else { name.to_owned() };
        let clears =
            |spec: &CommandSpec| if spec.words().any(|word| word == CLEAR) { spec.name.clone() } else { String::new() };
        let of_a_game = self.with_argument(condition, |spec| format!("{} {CLEAR} {name}", clears(spec)));
        of_a_game.or_else(|| {
            let lines = self.exact(CONDITION, &format!("{called} {CLEAR} {condition}"));
            lines.into_iter().next().map(|(.., line)| line)
        })
    }

    /// `all heroes get an inspiration`
    pub(super) fn groups_become(&self) -> Option<String> {
        let words = match self.lower.as_slice() {
            [all, group, ..] if all == "all" && GROUPS.contains(&group.as_str()) => 1,
            [group, ..] if GROUPS.contains(&group.as_str()) => 0,
            _ => return None,
        };
        self.lower.get(words + 1).filter(|verb| BECOMES.contains(&verb.as_str()))?;
        let one = ["a", "an"].contains(&self.lower.get(words + 2)?.as_str());
        let what = [if one { &["+1"] } else { &[][..] }, &self.words[words + 2..]].concat();
        self.becomes(self.words[words], &what)
    }

    /// `(Goblin) is on fire for 2 rounds`: a condition in somebody's own words.
    pub(super) fn has_a_condition(&self, name: &str, what: &[&str]) -> Option<String> {
        let mut what = without(&["a", "an", "the", "now", "just"], what);
        if let Some(at) = what.iter().position(|word| ["for", "until"].contains(word)) {
            let lasts = what[at] == "until" || what.get(at + 1).is_some_and(|word| word.parse::<u32>().is_ok());
            if lasts && what[at] == "for" {
                what.remove(at);
            }
        }
        // `Ann gets a triumph` is more than a condition.
        let says_more = |word: &str| {
            let games = self.games.iter().filter(|game| game.manifest().kind == Kind::Game);
            games.flat_map(|game| &game.manifest().commands).any(|spec| spec.words().any(|known| known == word))
        };
        if matches!(what.as_slice(), [word] if says_more(&word.to_lowercase())) {
            return None;
        }
        let plain = |word: &&str| word.chars().all(|c| c.is_alphanumeric() || c == '-');
        if what.is_empty() || what.len() > MOST_OF_A_CONDITION || !what.iter().all(plain) || !self.by_name {
            return None;
        }
        let own = || self.cast.written(self.here.actor());
        let name = if name.is_empty() { own() } else { name.to_owned() };
        let lines = self.exact(CONDITION, &format!("{name} {}", what.join(" ").replace(" and ", ", ")));
        let called = |name: &str| self.cast.is_called(name);
        let (_, _, line) = lines
            .into_iter()
            .take_while(|(.., line)| self.here.affords(line))
            .find(|(game, spec, line)| reads(*game, spec, &mut Words::new(line, spec.name.len()).with_names(called)))?;
        Some(line)
    }
}

/// True if exactly one of something is meant: `a wound`.
fn is_one(words: &[&str]) -> bool {
    let counted = words.iter().any(|word| word.contains(|c: char| c.is_ascii_digit()));
    !counted && words.iter().any(|word| ["a", "an", "one"].contains(&word.to_lowercase().as_str()))
}

/// True if somebody new may be called this.
fn is_new_name(word: &str) -> bool {
    let lower = word.to_lowercase();
    let prose: [&[&str]; 5] = [&VERBS, &FILLERS, &ARTICLES, &BECOMES, &["can", "could", "would", "let"]];
    word.starts_with(char::is_uppercase)
        && word.chars().skip(1).all(char::is_lowercase)
        && !prose.iter().any(|words| words.contains(&lower.as_str()))
}
