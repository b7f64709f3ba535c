//! What a line may mean whose first word is no command: a sentence with a command in it, a character's name in front, a
//! question, bare dice. A guess is only shown, as a corrected line; whoever typed it may send it.
//!
//! Nothing is guessed that does not read as a command to the last word, and every word must be one that the command
//! knows, a number, a die or somebody's name.

mod afterthought;
mod deed;
mod question;
mod tidied;

use super::filled::reads_whole;
use super::reading::reads;
use crate::attempt::{Attempt, Found};
use crate::host::Host;
use crate::sheet::Sheet;
use crate::words::{Arguments, CommandLine};
use plugin_api::{Argument, Cast, CommandSpec, DiceWord, Kind, Plugin, Refusal, Words, suggest_within};
use tidied::Tidied;

/// The most words of a line that is guessed at.
const MOST_WORDS: usize = 14;
/// The most words in front of the command in a sentence.
const MOST_BEFORE: usize = 4;

/// Verbs in front of what somebody uses, gets or begins.
const VERBS: [&str; 18] = [
    "use", "give", "take", "start", "begin", "new", "add", "make", "do", "get", "go", "play", "set", "put", "grant",
    "gain", "have", "roll",
];
/// Verbs between a character and what becomes of them.
const BECOMES: [&str; 15] = [
    "is", "has", "gets", "get", "takes", "take", "took", "suffers", "suffer", "are", "was", "got", "gains", "gain",
    "becomes",
];
/// Those that say nothing about a condition.
const HAS: [&str; 6] = ["has", "takes", "take", "took", "suffers", "suffer"];
/// Words that turn the meaning of the rest around, so they are never left out.
const TURNS: [&str; 10] = ["no", "not", "reset", "stop", "cancel", "clear", "remove", "without", "never", "end"];
/// Words that mean nothing anywhere.
const ARTICLES: [&str; 6] = ["a", "an", "the", "my", "please", "some"];
/// Words that mean nothing in most commands.
const FILLERS: [&str; 38] = [
    "w", "extra", "another", "pls", "plz", "from", "into", "can", "could", "may", "instead", "back", "a", "an", "the",
    "my", "me", "i", "we", "please", "to", "for", "of", "with", "w/", "on", "in", "it", "that", "this", "at", "now",
    "some", "then", "just", "want", "lets", "let's",
];
/// Words in front of an argument, such as a name.
const LINKS: [&str; 7] = ["on", "for", "to", "with", "at", "of", "in"];
/// Words behind `for` that begin a reason.
const REASONS: [&str; 9] = ["that", "the", "this", "a", "his", "her", "their", "your", "such"];
/// Words that say that something is over: `Bob isn't prone anymore`.
const ENDED: [&str; 6] = ["not", "longer", "isn't", "isnt", "aint", "ain't"];
/// The command for a condition, and the most words of one that is guessed.
const CONDITION: &str = "condition";
const CLEAR: &str = "clear";
/// The table's command whose word is a verb of other commands too: `add goblin to the order`.
const ADD: &str = "add";
const MOST_OF_A_CONDITION: usize = 4;
/// Words for several characters.
const GROUPS: [&str; 5] = ["all", "everyone", "everybody", "heroes", "foes"];

/// The line that was probably meant, without the prefix.
pub(super) enum Guess {
    /// A command that answers the question. It changes nothing, so it may be played at once.
    Answer(String),
    /// Something to be confirmed.
    Line(String),
}

/// Guesses what a line means whose first word is no command.
pub(super) fn guess(host: &Host, line: &CommandLine, attempt: &Attempt<'_>) -> Option<Guess> {
    let cast = attempt.cast(host);
    let tidied = Tidied::of(host, line, attempt, &cast);
    let sentence = Sentence::of(host, (&tidied.text, line.by_name), attempt, &cast)?;
    let told = || sentence.names_first().or_else(|| sentence.is_an_argument_first()).or_else(|| sentence.has_command());
    let told = || told().or_else(|| sentence.has_a_name_first()).or_else(|| sentence.deed());
    sentence.asks().or_else(|| told().map(|line| Guess::Line(tidied.commented(line))))
}

/// The line of which it can be told without a doubt what somebody does, takes back or should have done: a better guess
/// than a slip or another word for a command.
pub(super) fn surely(host: &Host, line: &CommandLine, attempt: &Attempt<'_>) -> Option<String> {
    let cast = attempt.cast(host);
    let tidied = Tidied::of(host, line, attempt, &cast);
    let sentence = Sentence::of(host, (&tidied.text, line.by_name), attempt, &cast)?;
    sentence.afterthought().or_else(|| sentence.surely()).map(|line| tidied.commented(line))
}

/// The line that was probably meant by one that was refused, though its first word is this command.
pub(super) fn meant_by(
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
            (Some((game, spec)), reads_whole(host, (game, spec), (&whole, from), attempt))
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

/// The line of a game that was probably meant by one that a tool refused: `play hero card`.
pub(super) fn meant_by_tool(host: &Host, line: &CommandLine, attempt: &Attempt<'_>) -> Option<String> {
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
pub(super) fn meant_by_remark(
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

/// What a line means that begins with a number: `2 bd`, `+1 inspiration`.
pub(super) fn number_first(host: &Host, line: &CommandLine, attempt: &Attempt<'_>) -> Option<String> {
    let cast = attempt.cast(host);
    let tidied = Tidied::of(host, line, attempt, &cast);
    let sentence = Sentence::of(host, (&tidied.text, line.by_name), attempt, &cast)?;
    let (number, rest) = sentence.words.split_first()?;
    let (word, behind) = rest.split_first()?;
    let behind = [&[*number], &without(&FILLERS, behind)[..]].concat();
    let counted = stems(&word.to_lowercase()).iter().find_map(|word| {
        // `3 shock` is 3 more of what `shock` shows.
        let counted = sentence.all().any(|(_, spec)| spec.answers_to(word) && spec.only_shows());
        if counted { sentence.with_a_change(word, &behind) } else { sentence.with_numbers(word, &behind) }
    });
    let aimed = sentence.deed().filter(|line| line.contains(" on "));
    aimed.or(counted).or_else(|| sentence.several_act()).or_else(|| sentence.deed()).map(|line| tidied.commented(line))
}

/// True if this word begins a sentence rather than being a slip of a command, where others follow it.
pub(super) fn begins_a_sentence(word: &str) -> bool {
    VERBS.contains(&word) || TURNS.contains(&word) || ARTICLES.contains(&word)
}

/// A word without the punctuation around it.
fn bare(word: &str) -> &str {
    let word =
        word.trim_matches(|c: char| matches!(c, '.' | ',' | ':' | ';' | '!' | '?' | '…' | '(' | ')' | '"' | '“' | '”'));
    word.trim_end_matches("'s").trim_end_matches("’s")
}

/// A word and what it may be an inflection of: `attacks`, `ceding`, `overwhelmed`.
fn stems(word: &str) -> Vec<String> {
    let mut stems = vec![word.to_owned()];
    for ending in ["s", "es", "d", "ed", "ing", "ly"] {
        if let Some(stem) = word.strip_suffix(ending).filter(|stem| stem.len() > 2) {
            stems.push(stem.to_owned());
        }
    }
    stems.extend(word.strip_suffix('y').map(|stem| format!("{stem}ies")));
    stems.extend(word.strip_suffix("ing").filter(|stem| stem.len() > 2).map(|stem| format!("{stem}e")));
    stems
}

struct Sentence<'a> {
    /// The main game first.
    games: Vec<&'a dyn Plugin>,
    cast: &'a Cast,
    /// As typed.
    words: Vec<&'a str>,
    lower: Vec<String>,
    /// The names of the table's own commands.
    own: Vec<&'a str>,
    host: &'a Host,
    /// True if this bot is meant, whatever the words.
    by_name: bool,
    attempt: &'a Attempt<'a>,
    text: &'a str,
}

impl<'a> Sentence<'a> {
    /// A line, and whether this bot is meant whatever its words. `None` if it is no sentence to guess at.
    fn of(
        host: &'a Host,
        (text, by_name): (&'a str, bool),
        attempt: &'a Attempt<'a>,
        cast: &'a Cast,
    ) -> Option<Sentence<'a>> {
        let words: Vec<&str> = text.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect();
        if words.is_empty() || words.len() > MOST_WORDS || text.contains('#') {
            return None;
        }
        let mut games = host.plugins.enabled(&attempt.room);
        let main_game = attempt.doc.main_game.as_deref();
        games.sort_by_key(|game| Some(game.manifest().id.as_str()) != main_game);
        Some(Sentence {
            by_name,
            host,
            games,
            own: host.plugins.house().iter().map(|spec| spec.name.as_str()).collect(),
            cast,
            lower: words.iter().map(|word| word.to_lowercase()).collect(),
            words,
            attempt,
            text,
        })
    }

    /// True if a comma follows this word.
    fn comma_after(&self, word: usize) -> bool {
        let mut typed = self.text.split_whitespace().filter(|word| !bare(word).is_empty());
        typed.nth(word).is_some_and(|word| word.ends_with(','))
    }

    /// Who is called this, also with an s behind it: `bobs`.
    fn named(&self, word: &str) -> Option<String> {
        let found = self.cast.known(word).or_else(|| self.cast.known(word.strip_suffix('s')?))?;
        Some(quoted(self.cast.name(found)))
    }

    /// `Ogre attacks Duke d10`, `Duke is staggered`.
    fn names_first(&self) -> Option<String> {
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
        let known = (1..=2).rev().find_map(|count| {
            let name = self.words.get(..count)?.join(" ");
            let known = if count == 1 { self.cast.meant(&name) } else { self.cast.known(&name) };
            known.map(|id| (self.cast.name(id).to_owned(), count))
        });
        // Whoever was never heard of is written like a name.
        let (name, rest) = known.or_else(|| is_new_name(self.words[0]).then(|| (self.words[0].to_owned(), 1)))?;
        let quoted = quoted(&name);
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
            let lines = |verb: &String| self.first_that_fits(self.commands(verb, &behind.join(" ")));
            stems(verb).iter().find_map(lines).map(|line| format!("as {quoted} {line}"))
        };
        acts(&behind).or_else(|| {
            // A game that knows no targets leaves whom they attack to the comment.
            let whom = behind.first().filter(|whom| self.cast.is_called(whom))?;
            Some(format!("{} # {verb} {whom}", acts(&behind[1..])?))
        })
    }

    /// `(Duke) is staggered`, `(Vega) has an obstacle of 2`.
    fn becomes(&self, name: &str, what: &[&str]) -> Option<String> {
        if let Some(line) = self.recovers(name, what) {
            return Some(line);
        }
        let one = is_one(what).then_some("+1");
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
                if let Some(line) =
                    one.as_ref().and_then(&changed).or_else(plain).or_else(|| on.as_ref().and_then(changed))
                {
                    return Some(line);
                }
            }
        }
        let known = what.first()?.to_lowercase();
        self.with_argument(&known, |spec| format!("{} {} {name}", spec.name, what.join(" ")))
    }

    /// `(Bob) is not overwhelmed anymore`, `(I) stand up, no longer prone`
    fn recovers(&self, name: &str, what: &[&str]) -> Option<String> {
        let lower: Vec<String> = what.iter().map(|word| word.to_lowercase()).collect();
        let ends = lower.iter().position(|word| ENDED.contains(&word.as_str()))?;
        let left: Vec<&str> = lower[ends + 1..].iter().map(String::as_str).collect();
        let left = without(&["anymore", "any", "more", "now"], &left);
        let [condition] = left.as_slice() else { return None };
        let own = || quoted(self.cast.name(self.attempt.actor));
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
    fn groups_become(&self) -> Option<String> {
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
    fn has_a_condition(&self, name: &str, what: &[&str]) -> Option<String> {
        let mut what = without(&["a", "an", "the", "now", "just"], what);
        if let Some(at) = what.iter().position(|word| ["for", "until"].contains(word)) {
            let lasts = what[at] == "until" || what.get(at + 1).is_some_and(|word| word.parse::<u32>().is_ok());
            if lasts && what[at] == "for" {
                what.remove(at);
            }
        }
        let plain = |word: &&str| word.chars().all(|c| c.is_alphanumeric() || c == '-');
        if what.is_empty() || what.len() > MOST_OF_A_CONDITION || !what.iter().all(plain) || !self.by_name {
            return None;
        }
        let own = || quoted(self.cast.name(self.attempt.actor));
        let name = if name.is_empty() { own() } else { name.to_owned() };
        let lines = self.exact(CONDITION, &format!("{name} {}", what.join(" ")));
        let called = |name: &str| self.cast.is_called(name);
        let (_, _, line) = lines
            .into_iter()
            .find(|(game, spec, line)| reads(*game, spec, &mut Words::new(line, spec.name.len()).with_names(called)))?;
        Some(line)
    }

    /// `overwhelm Duke`, where `stress overwhelmed` is the command.
    fn is_an_argument_first(&self) -> Option<String> {
        let (first, rest) = self.lower.split_first()?;
        if first.len() < 5 {
            return None;
        }
        let rest = without(&FILLERS, &self.words[1..=rest.len()]).join(" ");
        let known = self.all().flat_map(|(_, spec)| spec.words()).find(|word| word.starts_with(first.as_str()))?;
        self.with_argument(&known.clone(), |spec| format!("{} {known} {rest}", spec.name))
    }

    /// A command in it; what follows `for that` or `because` is its comment.
    fn has_command(&self) -> Option<String> {
        self.has_a_command().or_else(|| {
            let reasons = |at: &usize| match self.lower[*at].as_str() {
                "because" | "since" | "cause" => true,
                "for" => self.lower.get(at + 1).is_some_and(|word| REASONS.contains(&word.as_str())),
                _ => false,
            };
            let at = (2..self.words.len()).find(reasons)?;
            let (words, lower) = (self.words[..at].to_vec(), self.lower[..at].to_vec());
            let (games, own) = (self.games.clone(), self.own.clone());
            let (by_name, attempt, text) = (self.by_name, self.attempt, self.text);
            let host = self.host;
            let head = Sentence { host, games, own, cast: self.cast, words, lower, by_name, attempt, text };
            Some(format!("{} # {}", head.has_a_command()?, self.words[at..].join(" ")))
        })
    }

    /// `use a Hero card`, `start series with 3 players`, `d8 d10 vs 12`, `firearms 13 vs 12`.
    fn has_a_command(&self) -> Option<String> {
        let first = &self.lower[0];
        if first == "use" || first == "using" {
            let rest = without(&FILLERS, &self.words[1..]);
            if let Some(line) = self.with_numbers("spend", &rest) {
                return Some(line);
            }
        }
        for (at, word) in self.lower.iter().enumerate().take(MOST_BEFORE + 1).skip(1) {
            // `start a new act`
            let both = self.lower.get(at + 1).map(|next| format!("{word}{next}"));
            let behind = || without(&FILLERS, self.words.get(at + 2..).unwrap_or_default());
            if let Some(line) = both.and_then(|both| self.first_that_fits(self.exact(&both, &behind().join(" ")))) {
                return Some(line);
            }
            let (before, after) = (&self.words[..at], &self.words[at + 1..]);
            let kept: Vec<&str> =
                before.iter().copied().filter(|word| !VERBS.contains(&word.to_lowercase().as_str())).collect();
            for word in stems(word).into_iter().chain(self.slip_of(word)) {
                let turned = before.iter().any(|word| TURNS.contains(&word.to_lowercase().as_str()));
                let alone = if turned { before } else { &[] };
                let rests = [[before, after], [&kept[..], after], [alone, after], [after, alone]];
                for rest in rests.map(|rest| rest.concat()) {
                    for rest in [without(&ARTICLES, &rest), without(&FILLERS, &rest)] {
                        let one = self.gives_one().map(|one| [&rest[..], &[one]].concat());
                        if let Some(line) =
                            one.and_then(|rest| self.first_that_fits(self.commands(&word, &rest.join(" "))))
                        {
                            return Some(line);
                        }
                        let line = self.with_numbers(&word, &rest).filter(|line| self.leaves_out_nothing(line));
                        if line.is_some() {
                            return line;
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
        if matches!(DiceWord::read(&[self.words[0]]), Ok(Some(_))) {
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

    /// The change that `give Bob a possibility` or `lose a card` makes.
    fn gives_one(&self) -> Option<&'static str> {
        let one = self.lower.iter().any(|word| ["a", "an", "one"].contains(&word.as_str()));
        let counted = self.lower.iter().any(|word| word.contains(|c: char| c.is_ascii_digit()));
        match self.lower[0].as_str() {
            "gain" | "earn" if !counted => Some("+1"),
            "give" | "grant" | "get" | "add" if one && !counted => Some("+1"),
            "lose" | "remove" | "take" if one && !counted => Some("-1"),
            _ => None,
        }
    }

    /// True if each number, die and name of the sentence is in the line.
    fn leaves_out_nothing(&self, line: &str) -> bool {
        let lower = line.to_lowercase();
        let counts = |word: &&String| {
            word.contains(|c: char| c.is_ascii_digit()) || self.cast.is_called(word) || GROUPS.contains(&word.as_str())
        };
        self.lower.iter().filter(counts).all(|word| lower.contains(word.trim_start_matches('+')))
    }

    /// The line of the command `word` with these words, in one of the games: as they are, or with a sign for numbers
    /// without one.
    fn with_numbers(&self, word: &str, rest: &[&str]) -> Option<String> {
        let plain = self.first_that_fits(self.commands(word, &rest.join(" ")));
        plain.or_else(|| self.first_that_fits(self.commands(word, &with_signs(rest))))
    }

    /// The same, but a sign is preferred: what somebody gets is added.
    fn with_a_change(&self, word: &str, rest: &[&str]) -> Option<String> {
        let signed = self.first_that_fits(self.commands(word, &with_signs(rest)));
        signed.or_else(|| self.first_that_fits(self.commands(word, &rest.join(" "))))
    }

    /// The lines that a command or synonym `word` makes with the text behind it.
    fn commands(&self, word: &str, behind: &str) -> Vec<(&'a dyn Plugin, &'a CommandSpec, String)> {
        let found = self.games.iter().filter_map(|game| {
            let manifest = game.manifest();
            if let Some(spec) = manifest.command(word) {
                return Some((*game, spec, format!("{} {behind}", spec.name)));
            }
            let line = manifest.synonym(word, behind)?;
            let spec = manifest.command(line.split(' ').next()?)?;
            Some((*game, spec, line))
        });
        found.map(|(game, spec, line)| (game, spec, line.trim().to_owned())).collect()
    }

    /// The lines that the command `word` itself makes with the text behind it.
    fn exact(&self, word: &str, behind: &str) -> Vec<(&'a dyn Plugin, &'a CommandSpec, String)> {
        let mut lines = self.commands(word, behind);
        lines.retain(|(_, spec, _)| spec.answers_to(word));
        lines
    }

    /// `doom clock +1`: a name in front of the command whose text it is.
    fn has_a_name_first(&self) -> Option<String> {
        let [name, command, rest @ ..] = self.words.as_slice() else { return None };
        if !self.by_name || begins_a_sentence(&name.to_lowercase()) {
            return None;
        }
        let lines = self.exact(&command.to_lowercase(), &[&[*name], rest].concat().join(" "));
        let (game, spec, line) =
            lines.into_iter().find(|(_, spec, _)| spec.only_shows() && spec.words().next().is_none())?;
        let called = |name: &str| self.cast.is_called(name);
        reads(game, spec, &mut Words::new(&line, spec.name.len()).with_names(called)).then_some(line)
    }

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

    fn first_that_fits(&self, lines: Vec<(&dyn Plugin, &CommandSpec, String)>) -> Option<String> {
        lines.into_iter().find(|(game, spec, line)| self.fits(*game, spec, line)).map(|(_, _, line)| line)
    }

    /// The first line that fits, of the commands that have this word among their arguments.
    fn with_argument(&self, known: &str, line: impl Fn(&CommandSpec) -> String) -> Option<String> {
        let having = self.all().filter(|(_, spec)| spec.words().any(|word| word == known));
        let mut lines: Vec<_> = having.map(|(game, spec)| (game, spec, line(spec).trim().to_owned())).collect();
        // What shows something when typed alone sets it with this word, and throws no dice.
        lines.sort_by_key(|(_, spec, _)| !spec.only_shows());
        self.first_that_fits(lines)
    }

    fn all(&self) -> impl Iterator<Item = (&'a dyn Plugin, &'a CommandSpec)> {
        self.games.iter().flat_map(|game| game.manifest().commands.iter().map(move |spec| (*game, spec)))
    }

    /// The command or synonym that `word` is one slip away from.
    fn slip_of(&self, word: &str) -> Option<String> {
        if word.chars().count() < MOST_BEFORE {
            return None;
        }
        let names = self.all().map(|(_, spec)| spec.name.as_str());
        let synonyms =
            self.games.iter().flat_map(|game| game.manifest().synonyms.iter().map(|(word, _)| word.as_str()));
        suggest_within(1, word, names.chain(synonyms).filter(|known| known.len() > 3)).map(str::to_owned)
    }

    /// True if the line reads as the command, and each of its words is one that the command knows, or a name.
    fn fits(&self, game: &dyn Plugin, spec: &CommandSpec, line: &str) -> bool {
        let from = spec.name.len().min(line.len());
        let sheet = Sheet { doc: &self.attempt.doc, character: self.attempt.actor };
        let values: Vec<String> = sheet.names().flat_map(|name| name.split(' ')).map(str::to_owned).collect();
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
                || self.cast.meant(word.trim_matches('"')).is_some()
                || values.contains(&lower)
        };
        // A roll that nothing says anything about is no guess.
        let says_nothing = spec.main && line.len() == from && !spec.only_shows();
        !says_nothing
            && line[from..].split_whitespace().map(bare).filter(|word| !word.is_empty()).all(knows)
            && reads_whole(self.host, (game, spec), (line, from), self.attempt)
    }
}

/// True if exactly one of something is meant: `a wound`.
fn is_one(words: &[&str]) -> bool {
    let counted = words.iter().any(|word| word.contains(|c: char| c.is_ascii_digit()));
    !counted && words.iter().any(|word| ["a", "an", "one"].contains(&word.to_lowercase().as_str()))
}

fn without<'w>(none: &[&str], words: &[&'w str]) -> Vec<&'w str> {
    words.iter().copied().filter(|word| !none.contains(&word.to_lowercase().as_str())).collect()
}

/// True if somebody new may be called this.
fn is_new_name(word: &str) -> bool {
    let lower = word.to_lowercase();
    let prose: [&[&str]; 5] = [&VERBS, &FILLERS, &ARTICLES, &BECOMES, &["can", "could", "would", "let"]];
    word.starts_with(char::is_uppercase)
        && word.chars().skip(1).all(char::is_lowercase)
        && !prose.iter().any(|words| words.contains(&lower.as_str()))
}

/// These words, with a sign for each number without one.
fn with_signs(words: &[&str]) -> String {
    let signed = |word: &&str| match word.bytes().all(|byte| byte.is_ascii_digit()) {
        true => format!("+{word}"),
        false => (*word).to_owned(),
    };
    words.iter().map(signed).collect::<Vec<_>>().join(" ")
}

fn quoted(name: &str) -> String {
    if name.contains(' ') { format!("\"{name}\"") } else { name.to_owned() }
}
