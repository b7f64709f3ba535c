//! What a game declares. Parsing, usage errors, help, role checks and manual pages all come from it.

use crate::printed::PrintedDecks;
use crate::random_table::RandomTable;
use crate::spec::{Many, usage_of};
use crate::{Answers, ArgumentSpec, Effect, Refusal, Setting, SheetValue, Trait, Values, Words, means_nothing};
use chat::Role;
use serde::{Deserialize, Serialize};

/// The commands of a game. Derive it on an enum: one variant per command, one field per argument.
///
/// `///` on a variant is its help and is required; the first sentence is the short form. Players type the variant's name in
/// lower case. On the variant, `#[command(...)]` takes
/// - `shows`, `changes` or `rolls`: what it does when it is typed alone, an [`Effect`]; one of them is required;
/// - `alias = "c"`, any number of times: another word for it, or several words;
/// - `example = "check 7 +4 vs 15"`, one or more: played by a test, shown by help and in refusals;
/// - `main`: what a bare `!GAME ...` means; exactly one command of a game;
/// - `by_object`: a verb that several games have, such as `spend`; the words after it tell which game is meant;
/// - `referee` or `admin`: the role it needs;
/// - `notation`: its words are dice and nothing else, so dice can be typed without it, or in the middle of prose;
/// - `lines`: after a colon at its end, the lines that follow in the same message belong to it, up to an empty line or
///   another command; it reads them with ` | ` between them;
/// - `follow_up`: it acts on an earlier roll ([`Turn::target`](crate::Turn::target)): one's own, for referees any;
///   `follow_up = "anyone"`: anyone may type it; without a number, it acts on the roll on which it was offered to them;
///   `follow_up = "if any"`: the same, but it needs no roll, and the game decides whose roll it may be;
/// - the name of a [`Trait`] in lower case, with `_` between words, any number of times: what else is special about it.
///
/// Fields take their values in the order of this list, each from what the fields before it left of the line:
/// - `#[word("vs", "dc")]`: the value after one of these words; with `#[bare]`, for an `Option`, the word is optional;
/// - `#[flag("adv", "advantage")]`: true if one of these words is there, for `bool` and any type that is `From<bool>`;
///   with `Option<T>`, a `T` may follow the word, else it is `T::default()`;
/// - `#[side("vs")]`: everything after this word, read as [`Arguments`] of its own: the other side of the line;
/// - `#[group]`: [`Arguments`] that several commands share;
/// - `#[signed]`: the numbers with a sign (`+2 -1`), into any `FromIterator<i32>`; `Option<i32>` takes one;
/// - none: the first words of the line that read as its type, an [`Argument`](crate::Argument).
///
/// Usage lines show a field by its name in capitals (`[vs COUNTER]`), or by what can be typed if its type tells.
/// `Option<T>` may be missing; `Vec<T>` takes all there are. Words that no field took are refused by name. A command
/// with several forms, such as `gm me` and `gm add Gus`, has a last field of a type that derives
/// [`Forms`](crate::Forms). A variant `Combat(CombatCommands)` includes all commands of another such enum: a topic,
/// which help lists together under the variant's `///`, or under its name.
pub trait Commands: Sized {
    /// Returns the declared commands.
    fn declare() -> Vec<CommandSpec>;

    /// True if a command is called `name` (as declared, not an alias).
    fn has(name: &str) -> bool;

    /// Reads the arguments of the command called `name` (as declared, not an alias).
    ///
    /// # Errors
    /// The words do not fit; the refusal says which one.
    fn parse(name: &str, words: &mut Words) -> Result<Self, Refusal>;
}

/// Arguments that several commands share, or the arguments of one side of a line. Derive it on a struct with named
/// fields, which take the same attributes as a command's.
pub trait Arguments: Sized {
    /// Returns the declared arguments.
    fn declare() -> Vec<ArgumentSpec>;

    /// Takes its own of the values of a command.
    ///
    /// # Errors
    /// A value is none of its type.
    fn from_values(values: &mut Values) -> Result<Self, Refusal>;
}

/// One declared command.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandSpec {
    /// The word to type, in lower case.
    pub name: String,
    /// Other words for it.
    pub aliases: Vec<String>,
    /// What it does; paragraphs are separated by `\n`.
    pub help: String,
    /// What it does when it is typed alone.
    #[serde(default)]
    pub effect: Effect,
    /// What else is special about it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub traits: Vec<Trait>,
    /// Its arguments, in the order of the usage line.
    pub arguments: Vec<ArgumentSpec>,
    /// Complete commands that show how to use it, without the prefix.
    pub examples: Vec<String>,
    /// True if a bare `!GAME ...` means this command.
    pub main: bool,
    /// Who may give it.
    pub role: Role,
    /// Whether it acts on an earlier roll.
    pub follow_up: FollowUp,
    /// True if several games have this verb and the words after it tell which game is meant.
    #[serde(default)]
    pub by_object: bool,
    /// True if its words are dice and nothing else, so dice typed without a command are its words.
    #[serde(default)]
    pub notation: bool,
    /// True if it takes the lines that follow in the same message, after a colon at its end.
    #[serde(default)]
    pub lines: bool,
    /// The topic it is listed under; empty for the game's own list.
    #[serde(default)]
    pub topic: String,
}

/// Whether and how a command acts on an earlier roll.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum FollowUp {
    /// It does not.
    #[default]
    No,
    /// On the player's own roll; referees on any.
    Own,
    /// On any roll, by anyone.
    Anyone,
    /// On any roll or none; the game decides on whose.
    IfAny,
}

/// Whether rooms enable a plugin, or every room has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// A game: rooms enable it.
    #[default]
    Game,
    /// A tool for any game: every room has it, unless it is switched off there. A game's command of the same name wins.
    Tool,
}

/// A game's description, as data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The game's word, and the key of its stored state.
    pub id: String,
    /// Its name.
    pub title: String,
    /// One line about it, for lists.
    pub about: String,
    /// What else people call it, and what it belongs to, in lower case.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found_by: Vec<String>,
    /// Who has it.
    #[serde(default)]
    pub kind: Kind,
    /// Its commands.
    pub commands: Vec<CommandSpec>,
    /// Its settings.
    pub settings: Vec<Setting>,
    /// Whose rules they are and the terms they are used under; empty if nothing need be said.
    #[serde(default)]
    pub credit: String,
    /// Words that are not commands, each with the line it means; `{}` in the line is replaced by what follows the word.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub synonyms: Vec<(String, String)>,
    /// Which values of a character answer its commands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Answers>,
    /// Words of the game, in lower case, and what each means.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub glossary: Vec<(String, String)>,
    /// The numbers that it has on everybody's sheet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<SheetValue>,
    /// The decks that it brings.
    #[serde(default, skip_serializing_if = "PrintedDecks::is_empty")]
    pub decks: PrintedDecks,
    /// The random tables that it brings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<RandomTable>,
}

impl Manifest {
    /// True if people call it so: by its id, its title or what it is found by, ignoring case.
    pub fn is_called(&self, name: &str) -> bool {
        let alike = |known: &str| known.to_lowercase() == name.to_lowercase();
        alike(&self.id) || alike(&self.title) || self.found_by.iter().any(|known| alike(known))
    }

    /// True if what somebody looks for is in what it is called or in what is said about it.
    pub fn is_found_by(&self, sought: &str) -> bool {
        let sought = sought.to_lowercase();
        let said = [&self.id, &self.title, &self.about].into_iter().chain(&self.found_by);
        said.map(|said| said.to_lowercase()).any(|said| said.contains(&sought))
    }
}

impl CommandSpec {
    /// True if the command changes nothing when it is typed alone.
    pub fn only_shows(&self) -> bool {
        self.effect == Effect::Shows
    }

    /// True if this is special about it.
    pub fn is(&self, special: Trait) -> bool {
        self.traits.contains(&special)
    }

    /// The words that its arguments are made of.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.arguments.iter().flat_map(ArgumentSpec::words)
    }

    /// `act [DIE ...] [adv] [vs NUMBER]`. A follow-up may begin with the roll or whose it is: `vs [#N|NAME] NUMBER`.
    pub fn usage(&self) -> String {
        self.usage_with(&usage_of(&self.arguments))
    }

    fn usage_with(&self, arguments: &str) -> String {
        let roll = if self.follow_up == FollowUp::No { "" } else { "[#N|NAME]" };
        let words = [self.name.as_str(), roll, arguments].into_iter().filter(|words| !words.is_empty());
        words.collect::<Vec<_>>().join(" ")
    }

    /// Every way to type it, each with its meaning: one way, or one for each of its forms.
    pub fn forms(&self) -> Vec<(String, &str)> {
        let last = self.arguments.split_last();
        let Some((forms, last, before)) = last.and_then(|(last, before)| Some((last.forms()?, last, before))) else {
            return vec![(self.usage(), "")];
        };
        let before = usage_of(before);
        let shown: Vec<_> = forms.iter().map(|form| (form.usage(), form.help.as_str())).collect();
        let may_be_missing = last.many == Many::Maybe && !shown.iter().any(|(usage, _)| usage.starts_with('['));
        let nothing = may_be_missing.then(|| (self.usage_with(&before), ""));
        let typed = |usage: String| self.usage_with(format!("{before} {usage}").trim_start());
        nothing.into_iter().chain(shown.into_iter().map(|(usage, help)| (typed(usage), help))).collect()
    }

    /// The first sentence of the help.
    pub fn short_help(&self) -> &str {
        let line = self.help.lines().next().unwrap_or_default();
        line.split_once(". ").map_or(line, |(first, _)| first).trim_end_matches('.')
    }

    /// True if `word` (in lower case) is its name or an alias.
    pub fn answers_to(&self, word: &str) -> bool {
        self.name == word || self.aliases.iter().any(|alias| alias == word)
    }
}

impl Manifest {
    /// The command called `word` (in lower case).
    pub fn command(&self, word: &str) -> Option<&CommandSpec> {
        self.commands.iter().find(|command| command.answers_to(word))
    }

    /// The line that `word` means if it is not a command but a synonym (in lower case), with `rest` filled in. A synonym of
    /// two words goes before one of the first alone.
    pub fn synonym(&self, word: &str, rest: &str) -> Option<String> {
        self.all_synonyms(word, rest).next()
    }

    /// All lines that a synonym may mean, the likeliest first.
    pub fn all_synonyms(&self, word: &str, rest: &str) -> impl Iterator<Item = String> {
        let (next, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let both = format!("{word} {}", next.trim_end_matches([':', ',', '.']).to_lowercase());
        let meant = |typed: &str, rest: &str| {
            let known = self.synonyms.iter().filter(|(each, _)| each == typed);
            known.map(|(_, meant)| self.filled_in(meant, rest)).collect::<Vec<_>>()
        };
        meant(&both, behind).into_iter().chain(meant(word, rest))
    }

    /// What a synonym means, with this text behind it.
    fn filled_in(&self, meant: &str, rest: &str) -> String {
        let means_the_same =
            |word: &str| self.synonyms.iter().any(|(each, other)| *each == word.to_lowercase() && other == meant);
        // What the line says already need not be typed again: `boost with triumph`.
        let rest = match rest.split_once(char::is_whitespace) {
            // `skill check stealth`: both are words for the same command.
            Some((again, rest)) if means_the_same(again) => rest,
            _ => rest,
        };
        let bare = |word: &str| word.trim_end_matches([':', ',', '.', '!']).to_lowercase();
        let says =
            |word: &str| meant.split(' ').any(|said| said.trim_end_matches('s') == bare(word).trim_end_matches('s'));
        let (rest, comment) = rest.find('#').map_or((rest, ""), |at| rest.split_at(at));
        let again = rest.split_whitespace().any(says);
        let more = rest.split_whitespace().filter(|word| !again || !(says(word) || means_nothing(word)));
        let mut more: Vec<_> = more.map(str::to_owned).collect();
        // `heal Ann 1` is `wounds Ann -1`.
        let counts = |word: &String| word.starts_with(|c: char| c.is_ascii_digit());
        let signed = meant.split_once("-{}").filter(|_| !more.first().is_some_and(counts));
        if let Some((number, _)) = more.iter_mut().find(|word| counts(word)).zip(signed) {
            number.insert(0, '-');
        }
        let meant = if signed.is_some() { meant.replace("-{}", "{}") } else { meant.to_owned() };
        let line = meant.replace("{}", &more.join(" "));
        let line = line.trim_end_matches([' ', '-', '+']);
        format!("{line} {comment}").split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// True if what is typed behind a synonym is a part of the line that it means.
    pub fn takes_more(&self, word: &str) -> bool {
        self.synonyms.iter().any(|(each, meant)| each.split(' ').next() == Some(word) && meant.contains("{}"))
    }

    /// What a word of the game (in lower case) means; also in the plural.
    pub fn means(&self, word: &str) -> Option<&str> {
        let is = |known: &str| {
            known == word || word.strip_suffix('s') == Some(known) || known.strip_suffix('s') == Some(word)
        };
        self.glossary.iter().find(|(known, _)| is(known)).map(|(_, says)| says.as_str())
    }

    /// The command that a bare `!GAME ...` means.
    pub fn main(&self) -> Option<&CommandSpec> {
        self.commands.iter().find(|command| command.main)
    }
}
