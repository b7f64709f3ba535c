//! What somebody does to somebody, in the order in which people say it, with values of their sheet and without the command:
//! `attack ogre with blade`, `the ghoul does rend damage to Bob`.
//!
//! Each word must be understood: a value, a number or dice, a name, a word of the command, or one that says nothing beside
//! those.

use super::words::{AGAINST, BECOMES, CHECKS, DIFFICULTY, DONE, IDLE, TURNS};
use super::{Sentence, bare, capitalised, question, stems};
use crate::notation::throws_dice;
use crate::phrases::About;
use crate::reading::reads;
use crate::synonyms::synonym;
use plugin_api::{CharacterId, CommandSpec, DiceWord, FollowUp, Kind, Plugin, Words};

/// The most of a kind that are counted in front of what they do.
const MOST_GOONS: u32 = 20;
/// The most words of a value's name.
const LONGEST: usize = 3;

/// What a line is taken for.
#[derive(Clone, Copy)]
enum Sure<'a> {
    /// What surely is meant: a value or somebody who acts is named.
    Yes,
    /// What may be meant.
    No,
    /// This command, which is its first word.
    Of((&'a dyn Plugin, &'a CommandSpec)),
    /// A roll of a value, behind the command for plain dice.
    Roll,
}

/// The parts of what somebody does, in any order.
#[derive(Default)]
struct Parts<'a> {
    command: Option<(&'a dyn Plugin, &'a CommandSpec)>,
    /// Values by name, numbers and dice, as typed.
    values: Vec<String>,
    /// The same with what the values are.
    looked_up: Vec<String>,
    /// Words of the command.
    known: Vec<String>,
    target: Option<CharacterId>,
    /// Which of their values it is against.
    by: Option<String>,
    difficulty: Option<String>,
    /// True if a value is typed by name.
    named: bool,
    /// True if it is said that this is a roll: `stealth check`.
    checks: bool,
    /// True if a word is taken for a verb that nobody knows, so that the rest must say enough.
    verb: bool,
    /// What else the word for it says: `attack` is `check attack`.
    kind: Vec<String>,
    comment: String,
}

impl<'a> Sentence<'a> {
    /// What is surely meant: a line with the name of a value, or of who acts.
    pub(super) fn surely(&self) -> Option<String> {
        // `chance of 3d6 vs 14`
        if synonym(&self.lower[0], "").is_some() {
            return None;
        }
        self.phrase(About::Difficulty)
            .or_else(|| self.phrase(About::Counter))
            .or_else(|| self.phrase(About::Card))
            .or_else(|| self.does(Sure::Yes))
    }

    /// What may be meant.
    pub(super) fn deed(&self) -> Option<String> {
        self.does(Sure::No)
    }

    /// True if a word says that somebody or a difficulty comes next.
    pub(super) fn is_against(&self) -> bool {
        let says =
            |word: &String| AGAINST.contains(&word.as_str()) || DIFFICULTY.contains(&word.as_str()) || word == "on";
        self.lower.iter().any(says)
    }

    /// What a roll of a value alone is meant as: the main game's roll, or a d20 and the value.
    pub(super) fn rolls(&self) -> Option<String> {
        self.does(Sure::Roll)
    }

    /// What is meant by a line that begins with this command.
    pub(super) fn deed_of(&self, found: Option<(&'a dyn Plugin, &'a CommandSpec)>) -> Option<String> {
        self.does(Sure::Of(found?))
    }

    /// `attack ogre with blade`, `ghoul attacks Bob with talon`, `acrobatics dc15`
    fn does(&self, sure: Sure<'a>) -> Option<String> {
        self.compares_all()?;
        let (acting, from) = self.who_acts();
        if acting != self.here.actor() && !self.here.may_act_for(acting) {
            return None;
        }
        let parts = match sure {
            Sure::Of(command) => self.parts_of(acting, 1, Parts { command: Some(command), ..Parts::default() }),
            Sure::Roll => self.parts_of(acting, 1, Parts::default()),
            Sure::Yes | Sure::No => self.parts_of(acting, from, Parts::default()),
        }?;
        let mut games = self.games.iter().filter(|game| game.manifest().kind == Kind::Game);
        let main = || games.find_map(|game| Some((*game, game.manifest().main().filter(|main| !main.notation)?)));
        let dice =
            || self.games.iter().find_map(|game| Some((*game, game.manifest().main().filter(|main| main.notation)?)));
        let (game, spec) = parts.command.or_else(main).or_else(dice)?;
        let aimed = matches!(sure, Sure::Roll)
            || parts.target.is_some()
            || parts.difficulty.is_some()
            || parts.command.is_some()
            || parts.checks
            || !parts.known.is_empty();
        if matches!(sure, Sure::Yes) && !(parts.named || from > 0) {
            return None;
        }
        // `the ogre hits Ann for 15 damage` is compared with a value of Ann's; `guard helps Ann +1` has a command of its own.
        let answered = |(game, spec): (&dyn Plugin, &CommandSpec)| {
            game.manifest().answers.iter().any(|rule| rule.commands.contains(&spec.name))
        };
        let strikes = from > 0 && parts.target.is_some() && parts.command.is_some_and(answered);
        if from > 0 && parts.command.is_some() && !parts.named && !strikes {
            return None;
        }
        if parts.verb && !strikes && !(parts.named && (parts.target.is_some() || parts.difficulty.is_some())) {
            return None;
        }
        // Where other bots may be, a verb of theirs may stand in front of a value.
        if !self.by_name && from == 0 && !self.begins_with_a_value() {
            return None;
        }
        if parts.values.is_empty() || !(aimed && (parts.named || parts.target.is_some())) {
            return None;
        }
        // What the command knows is no comment: `save con vs 10 prof`.
        let knows = |word: &str| spec.words().any(|known| known == bare(word).to_lowercase());
        if parts.comment.split(' ').any(knows) {
            return None;
        }
        let line = if spec.notation { parts.dice(self)? } else { parts.line(self, game, spec)? };
        let line = if parts.comment.is_empty() { line } else { format!("{line} # {}", parts.comment) };
        if acting == self.here.actor() { Some(line) } else { Some(format!("as {} {line}", self.cast.written(acting))) }
    }

    /// `3 goons act d6 d6`
    pub(super) fn several_act(&self) -> Option<String> {
        let [number, several, command, rest @ ..] = self.words.as_slice() else { return None };
        let number = number.parse::<u32>().ok().filter(|number| (2..=MOST_GOONS).contains(number))?;
        let one =
            several.strip_suffix('s').filter(|one| one.chars().count() > 1 && one.chars().all(char::is_alphabetic))?;
        let lines = self.commands(&command.to_lowercase(), &rest.join(" "));
        Some(format!("as {} x{number} {}", capitalised(one), self.first_that_fits(lines)?))
    }

    /// True if the first word is a value, a number or dice.
    fn begins_with_a_value(&self) -> bool {
        let dice = DiceWord::of(self.words[0]).is_some();
        dice || self.words[0].starts_with(|c: char| c.is_ascii_digit()) || self.value(self.here.actor(), 0).is_some()
    }

    /// True if a word may be what somebody does with a value, though nobody knows it: `swipes`, `lunges`.
    fn is_a_verb(&self, word: &str) -> bool {
        let says = |words: &[&str]| words.contains(&word);
        let plain = word.len() > 2 && word.chars().all(char::is_alphabetic);
        let stems = stems(word);
        let command = stems.iter().any(|stem| !self.commands(stem, "").is_empty() || self.own.contains(&stem.as_str()));
        let known = command
            || self.slip_of(word).is_some()
            || says(&IDLE)
            || says(&AGAINST)
            || says(&BECOMES)
            || says(&TURNS)
            || says(&question::ASKS);
        self.by_name && plain && !known && self.cast.known(word).is_none()
    }

    /// Who acts, and the first word behind their name.
    fn who_acts(&self) -> (CharacterId, usize) {
        let verb = |at: usize, who| {
            let uses = |verb: &String| stems(verb).iter().any(|stem| self.here.value(who, stem).is_some());
            let verb = self.lower.get(at);
            let commands = |verb: &String| stems(verb).iter().any(|stem| !self.exact(stem, "").is_empty());
            verb.is_some_and(|verb| {
                DONE.contains(&verb.as_str()) || uses(verb) || self.is_a_verb(verb) || commands(verb)
            })
        };
        let article = usize::from(self.lower[0] == "the");
        let named = (1..=2).rev().find_map(|count| {
            let name = self.words.get(article..article + count)?.join(" ");
            let known = if count == 1 { self.cast.meant(&name) } else { self.cast.known(&name) };
            known.filter(|who| verb(article + count, *who)).map(|id| (id, article + count))
        });
        named.unwrap_or((self.here.actor(), 0))
    }

    fn parts_of(&self, acting: CharacterId, from: usize, mut parts: Parts<'a>) -> Option<Parts<'a>> {
        let main = self.games.first().and_then(|game| game.manifest().main());
        let plays = |game: &&&dyn Plugin| game.manifest().kind == Kind::Game && game.manifest().main().is_some();
        let plain_dice =
            self.games.iter().find(plays).and_then(|game| game.manifest().main()).is_none_or(|main| main.notation);
        let main_knows = |word: &str| main.is_some_and(|main| main.words().any(|known| known == word));
        let mut at = from;
        let i = usize::from(self.lower.get(from).is_some_and(|word| word == "i"));
        while at < self.lower.len() {
            let word = self.lower[at].as_str();
            let next = self.lower.get(at + 1).map(String::as_str).unwrap_or_default();
            let numbered = next.parse::<u32>().is_ok();
            if plain_dice && self.throws_dice_and_values(word, acting) {
                parts.values.push(word.to_owned());
                parts.looked_up.push("0".to_owned());
                parts.named = true;
                at += 1;
            } else if let Some((name, value, words)) = self.value(acting, at) {
                parts.values.push(name);
                parts.looked_up.push(value);
                parts.named = true;
                at += words;
            } else if let Some((difficulty, words)) = self.level(at).filter(|_| main_knows("level")) {
                parts.difficulty = Some(difficulty);
                at += words;
            } else if numbered && AGAINST.contains(&word) || DIFFICULTY.contains(&word) && parts.difficulty.is_none() {
                parts.difficulty = Some(format!("{word} {next}"));
                at += 2;
            } else if let Some((who, words)) = self.whom(at, acting).filter(|_| parts.target.is_none()) {
                parts.target = Some(who);
                at += words;
                parts.by = self.answers_by(at);
                at += usize::from(parts.by.is_some());
            } else if let Some(glued) = glued(word) {
                parts.difficulty = Some(glued);
                at += 1;
            } else if word.starts_with(|c: char| c.is_ascii_digit() || c == '+' || c == '-')
                || DiceWord::of(self.words[at]).is_some()
            {
                // `+1bd` is 1 more of something, and so is `1bd`.
                let plain = word.trim_start_matches('+');
                let word = if plain.ends_with(char::is_alphabetic) { plain } else { word };
                parts.values.push(word.to_owned());
                parts.looked_up.push(word.to_owned());
                at += 1;
            } else if IDLE.contains(&word) || AGAINST.contains(&word) {
                at += 1;
            } else if plain_dice && CHECKS.contains(&word) {
                parts.checks = true;
                at += 1;
            } else if let Some((game, spec)) =
                self.own_command(word).filter(|_| at == from + i && parts.command.is_none())
            {
                parts.command = Some((game, spec));
                at += 1;
            } else if main_knows(&format!("{word} {next}")) {
                parts.known.push(format!("{word} {next}"));
                at += 2;
            } else if main_knows(word) || advantage(word).is_some() {
                parts.known.push(advantage(word).unwrap_or(word).to_owned());
                at += 1;
            } else if parts
                .command
                .is_some_and(|(_, spec)| self.command_called(word).is_some_and(|(_, other, _)| spec == other))
            {
                at += 1;
            } else if let Some((game, spec, line)) = self.command_called(word).filter(|_| parts.command.is_none()) {
                // `attack` is what one does, and may be a kind of check.
                let main = spec.main && DONE.contains(&word);
                parts.kind = line.split(' ').skip(1).map(str::to_owned).collect();
                parts.command = if main { None } else { Some((game, spec)) };
                at += 1;
            } else if DONE.contains(&word) {
                at += 1;
            } else if self.says_something(word) {
                parts.known.push(word.to_owned());
                at += 1;
            } else if at == from + i && parts.command.is_none() && self.is_a_verb(word) {
                parts.verb = true;
                at += 1;
            } else {
                // What follows a whole command is its comment.
                let from = if at > 0 && self.lower[at - 1] == "to" { at - 1 } else { at };
                parts.comment = self.words[from..].join(" ");
                return Some(parts).filter(|parts| {
                    parts.named
                        && (parts.checks
                            || parts.target.is_some()
                            || parts.command.is_some()
                            || parts.difficulty.is_some())
                });
            }
        }
        Some(parts)
    }

    /// The value of the sheet whose name begins at this word: the name, the value, and how many words that takes.
    fn value(&self, whose: CharacterId, at: usize) -> Option<(String, String, usize)> {
        (1..=LONGEST).rev().filter(|count| at + count <= self.lower.len()).find_map(|count| {
            let name = self.lower[at..at + count].join(" ");
            // `wolf bites Ann`
            let names = if count == 1 { stems(&name) } else { vec![name] };
            names.into_iter().find_map(|name| Some((name.clone(), self.here.value(whose, &name)?.to_owned(), count)))
        })
    }

    /// `d20+str` or `d20+5`: dice, and a value of the sheet or a number.
    fn throws_dice_and_values(&self, word: &str, whose: CharacterId) -> bool {
        let Some((dice, value)) = word.split_once('+') else { return false };
        throws_dice(dice) && (self.here.value(whose, value).is_some() || value.parse::<u32>().is_ok())
    }

    /// The difficulty of a level, and how many words that takes: `level 3 hard`, `hard level 3`.
    fn level(&self, at: usize) -> Option<(String, usize)> {
        let word = |at: usize| self.lower.get(at).map(String::as_str);
        let number = |at: usize| word(at).filter(|word| word.parse::<u32>().is_ok());
        let how = |at: usize| word(at).filter(|word| ["easy", "moderate", "hard"].contains(word));
        let at_level = |at: usize| word(at) == Some("level");
        let skipped = usize::from(AGAINST.contains(&word(at)?));
        let at = at + skipped;
        if at_level(at) {
            let number = number(at + 1)?;
            let how = how(at + 2).map_or((String::new(), 0), |how| (format!(" {how}"), 1));
            return Some((format!("vs level {number}{}", how.0), skipped + 2 + how.1));
        }
        let how = how(at).filter(|_| at_level(at + 1))?;
        Some((format!("vs level {} {how}", number(at + 2)?), skipped + 3))
    }

    /// Who is named here, other than who acts, and in how many words.
    fn whom(&self, at: usize, acting: CharacterId) -> Option<(CharacterId, usize)> {
        (1..=2).rev().filter(|count| at + count <= self.words.len()).find_map(|count| {
            let name = self.words[at..at + count].join(" ");
            let alone =
                |name: &str| if name.chars().count() > 2 { self.cast.meant(name) } else { self.cast.known(name) };
            let found = if count == 1 { alone(&name) } else { self.cast.known(&name) };
            let found = found.or_else(|| self.cast.known(name.strip_suffix('s').filter(|_| count == 1)?));
            found.filter(|who| *who != acting).map(|who| (who, count))
        })
    }

    /// The value, of whom it is against, that a word asks for.
    fn answers_by(&self, at: usize) -> Option<String> {
        let word = self.lower.get(at)?;
        let mut rules = self.games.iter().flat_map(|game| &game.manifest().answers);
        rules.any(|rule| rule.names.contains(word)).then(|| word.clone())
    }

    /// The command of a game that is called this and is not its main roll.
    fn own_command(&self, word: &str) -> Option<(&'a dyn Plugin, &'a CommandSpec)> {
        let (game, spec, _) = self.exact(word, "").into_iter().next()?;
        Some((game, spec)).filter(|_| !spec.main && !spec.notation)
    }

    /// The command of a game that a word is, or means, and the line that it makes.
    fn command_called(&self, word: &str) -> Option<(&'a dyn Plugin, &'a CommandSpec, String)> {
        let found = stems(word).into_iter().find_map(|word| self.commands(&word, "").into_iter().next());
        found.filter(|(_, spec, _)| !spec.notation)
    }

    /// True if a command of the main game knows the word.
    pub(super) fn says_something(&self, word: &str) -> bool {
        self.games.first().is_some_and(|game| {
            let mut words = game.manifest().commands.iter().flat_map(CommandSpec::words);
            words.any(|known| known == word)
        })
    }
}

impl Parts<'_> {
    /// For plain dice, a d20 and a value of the sheet against somebody or a difficulty.
    fn dice(&self, sentence: &Sentence<'_>) -> Option<String> {
        let dice = match self.values.as_slice() {
            [dice] if throws_dice(dice) || dice.contains('+') => dice.clone(),
            [value] => format!("d20+{value}"),
            // `attack the wolf d20+axe`
            [die, value] | [value, die] if ["d20", "1d20"].contains(&die.as_str()) => format!("d20+{value}"),
            _ => return None,
        };
        let number = self.looked_up.iter().any(|value| value.parse::<i64>().is_ok());
        let aim = match (self.target, &self.difficulty) {
            (Some(who), None) => format!(" vs {}", sentence.cast.written(who)),
            (None, Some(difficulty)) => format!(" vs {}", difficulty.rsplit(' ').next()?),
            _ => String::new(),
        };
        let adv = match self.known.as_slice() {
            [] => "",
            [word] if word.starts_with("adv") => " adv",
            [word] if word.starts_with("dis") => " dis",
            _ => return None,
        };
        number.then(|| format!("roll {dice}{adv}{aim}"))
    }

    /// The line of a command with these parts that it reads.
    fn line(&self, sentence: &Sentence<'_>, game: &dyn Plugin, spec: &CommandSpec) -> Option<String> {
        let whom = self.target.map(|who| sentence.cast.written(who));
        let aims: Vec<String> = match (&whom, &self.difficulty) {
            (Some(whom), None) => {
                let by = self.by.iter().map(|by| format!(" {by}")).collect::<String>();
                vec![format!("vs {whom}{by}"), format!("on {whom}{by}"), format!("{whom}{by}")]
            }
            (Some(whom), Some(difficulty)) => vec![format!("{difficulty} on {whom}")],
            (None, Some(difficulty)) => vec![difficulty.clone()],
            (None, None) => vec![String::new()],
        };
        let called = |name: &str| sentence.cast.is_called(name);
        let fits = |line: &str| {
            let affordable = sentence.here.affords(line);
            affordable && reads(game, spec, &mut Words::new(line, spec.name.len()).with_names(called))
        };
        // `I block the ghoul with d10 and d6`: whose roll it follows.
        let follows = whom.as_ref().filter(|_| spec.follow_up != FollowUp::No && self.difficulty.is_none());
        if let Some(whom) = follows {
            let dice = self.values.join(" ");
            if fits(&format!("{} {}", spec.name, self.looked_up.join(" "))) {
                return Some(format!("{} {whom} {dice}", spec.name));
            }
        }
        aims.iter().find_map(|aim| {
            let says =
                |word: &&String| !self.looked_up.iter().any(|value| value.split(' ').any(|said| said == word.as_str()));
            let kind: Vec<&str> = self.kind.iter().chain(&self.known).filter(says).map(String::as_str).collect();
            let line = |values: &[String], aim: &str| {
                let command = vec![spec.name.as_str()];
                let values = values.iter().map(String::as_str).collect();
                let parts = [command, values, kind.clone(), vec![aim]];
                parts.concat().into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
            };
            // A value that answers stands where their name does.
            let answered = format!("{} 10", aim.split(' ').next().unwrap_or_default());
            let answers = game.manifest().answers.iter().any(|rule| rule.commands.contains(&spec.name));
            let answered = answers && aim.starts_with("vs ") && fits(&line(&self.looked_up, &answered));
            (answered || fits(&line(&self.looked_up, aim))).then(|| line(&self.values, aim))
        })
    }
}

/// The word of commands for `advantage`.
fn advantage(word: &str) -> Option<&'static str> {
    match word {
        "advantage" | "adv" => Some("adv"),
        "disadvantage" | "disadv" | "dis" => Some("dis"),
        _ => None,
    }
}

/// `dc15` and `vs14`, as they are.
fn glued(word: &str) -> Option<String> {
    let known = AGAINST.iter().chain(&DIFFICULTY).find(|known| word.starts_with(**known))?;
    let number = word[known.len()..].trim_start_matches('=');
    (!number.is_empty() && number.parse::<u32>().is_ok()).then(|| format!("{known} {number}"))
}
