//! What a game declares. From these come parsing, usage errors, help, role checks and manual pages.

use crate::{Refusal, Setting, Words};
use chat::Role;
use serde::{Deserialize, Serialize};

/// The commands of a game: derive it on an enum, one variant a command, one field an argument.
///
/// `///` on the variant is its help (its first sentence is the short form) and must be there. The name typed is
/// the variant's in lower case. On the variant, `#[command(...)]` takes
/// - `alias = "c"`, any number of times: another word for it;
/// - `example = "check 7 +4 vs 15"`, one or more: played by a test, shown by help and in refusals;
/// - `main`: what a bare `!GAME ...` means; exactly one command of a game;
/// - `by_object`: a verb that games share, such as `spend`, where what stands behind it tells which game is meant;
/// - `referee` or `admin`: the role it needs;
/// - `notation`: its words are dice and nothing else, so that dice can be typed without it, or stand in prose;
/// - `follow_up`: it acts on an earlier roll ([`Turn::target`](crate::Turn::target)), one's own, a referee on any;
///   `follow_up = "anyone"`: anyone may, and without a number it is the roll on which somebody else offered it to them;
///   `follow_up = "if any"`: likewise, on a roll or on none, and whose it may be the game decides.
///
/// A field takes its value from what is left of the line once the fields before it in this list took theirs:
/// - `#[word("vs", "dc")]`: the value behind one of these words; with `#[bare]`, for an `Option`, the word may be missing;
/// - `#[flag("adv", "advantage")]`: whether one of these words is there, for `bool` and what is `From<bool>`;
///   with `Option<T>`, a `T` may stand behind the word, else it is `T::default()`;
/// - `#[side("vs")]`: all that stands behind this word, as [`Arguments`] of its own: the other side of the line;
/// - `#[group]`: [`Arguments`] that several commands share;
/// - `#[signed]`: the numbers with a sign (`+2 -1`), into any `FromIterator<i32>`; `Option<i32>` takes one;
/// - none: the first words of the line that read as its type, an [`Argument`](crate::Argument).
///
/// Usage lines show a field by its name in capitals (`[vs COUNTER]`), or by what can be typed, where its type tells.
/// `Option<T>` may be missing, `Vec<T>` takes all there are. Words that nothing took are refused by name.
/// A command of several forms, such as `gm me` and `gm add Gus`, has a field of a type that derives
/// [`Forms`](crate::Forms), behind all others.
/// A variant `Combat(CombatCommands)` takes in all the commands of another such enum: a topic, which help shows together
/// under the variant's `///`, or its name.
pub trait Commands: Sized {
    /// What there is.
    fn declare() -> Vec<CommandSpec>;

    /// Whether a command is called `name` (as declared, no alias).
    fn has(name: &str) -> bool;

    /// Reads the arguments of the command called `name` (as declared, no alias).
    ///
    /// # Errors
    /// What was typed does not fit; the refusal says which word.
    fn parse(name: &str, words: &mut Words) -> Result<Self, Refusal>;
}

/// Arguments that several commands share, or that one side of a line has: derive it on a struct with named fields, which
/// take the attributes of a command's.
pub trait Arguments: Sized {
    /// What there is.
    fn declare() -> Vec<ArgumentSpec>;

    /// Takes them from `words`.
    ///
    /// # Errors
    /// What was typed does not fit; the refusal says which word.
    fn take(words: &mut Words) -> Result<Self, Refusal>;
}

/// One command, as declared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandSpec {
    /// The word to type, in lower case.
    pub name: String,
    /// Other words for it.
    pub aliases: Vec<String>,
    /// What it does; paragraphs divided by `\n`.
    pub help: String,
    /// Its arguments, in the order of the usage line.
    pub arguments: Vec<ArgumentSpec>,
    /// Complete commands that show its use, without the prefix.
    pub examples: Vec<String>,
    /// It is what a bare `!GAME ...` means.
    pub main: bool,
    /// Who may give it.
    pub role: Role,
    /// Whether it acts on an earlier roll.
    pub follow_up: FollowUp,
    /// A verb that games share: what stands behind it tells which game is meant.
    #[serde(default)]
    pub by_object: bool,
    /// Its words are dice and nothing else: dice that are typed without a command are its words.
    #[serde(default)]
    pub notation: bool,
    /// What it is listed under; empty for the game's own list.
    #[serde(default)]
    pub topic: String,
}

/// One argument, as declared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArgumentSpec {
    /// As the usage line shows it: `[vs NUMBER]`.
    pub usage: String,
    /// What it means; may be empty.
    pub help: String,
    /// The words that are part of it, for "did you mean".
    pub words: Vec<String>,
    /// The forms that it has, if it has several.
    #[serde(default)]
    pub forms: Vec<ArgumentSpec>,
}

/// Whether a command acts on an earlier roll.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum FollowUp {
    /// It does not.
    #[default]
    No,
    /// On one's own; referees on any.
    Own,
    /// Anyone may, on any.
    Anyone,
    /// On any or on none; the game decides on whose.
    IfAny,
}

/// What a game is, as data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The word that stands for the game, and the key of its stored state.
    pub id: String,
    /// Its name.
    pub title: String,
    /// One line on what it is, for lists.
    pub about: String,
    /// Its commands.
    pub commands: Vec<CommandSpec>,
    /// Its settings.
    pub settings: Vec<Setting>,
    /// Whose rules they are and under which terms they are used; empty if nothing must be said.
    #[serde(default)]
    pub credit: String,
    /// Words that are no commands, and the line each means, `{}` for what stands after it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub synonyms: Vec<(String, String)>,
}

/// How these arguments are typed: `[DIE ...] [adv] [vs NUMBER]`.
pub fn usage_of(arguments: &[ArgumentSpec]) -> String {
    arguments.iter().map(|argument| argument.usage.as_str()).collect::<Vec<_>>().join(" ")
}

impl CommandSpec {
    /// `act [DIE ...] [adv] [vs NUMBER]`; a follow-up may say whose roll or which one first: `vs [#N|NAME] NUMBER`.
    pub fn usage(&self) -> String {
        self.usage_with(&usage_of(&self.arguments))
    }

    fn usage_with(&self, arguments: &str) -> String {
        let roll = if self.follow_up == FollowUp::No { "" } else { "[#N|NAME]" };
        let words = [self.name.as_str(), roll, arguments].into_iter().filter(|words| !words.is_empty());
        words.collect::<Vec<_>>().join(" ")
    }

    /// How it can be typed, each way with what it means: one, or one for each of its forms.
    pub fn forms(&self) -> Vec<(String, &str)> {
        let Some((last, before)) = self.arguments.split_last().filter(|(last, _)| !last.forms.is_empty()) else {
            return vec![(self.usage(), "")];
        };
        let before = usage_of(before);
        let may_be_missing = last.usage.starts_with('[') && !last.forms.iter().any(|form| form.usage.starts_with('['));
        let nothing = may_be_missing.then(|| (self.usage_with(&before), ""));
        let form = |form: &ArgumentSpec| self.usage_with(format!("{before} {}", form.usage).trim_start());
        nothing.into_iter().chain(last.forms.iter().map(|each| (form(each), each.help.as_str()))).collect()
    }

    /// The first sentence of the help.
    pub fn short_help(&self) -> &str {
        let line = self.help.lines().next().unwrap_or_default();
        line.split_once(". ").map_or(line, |(first, _)| first).trim_end_matches('.')
    }

    /// Whether `word` (in lower case) is its name or an alias.
    pub fn answers_to(&self, word: &str) -> bool {
        self.name == word || self.aliases.iter().any(|alias| alias == word)
    }
}

impl Manifest {
    /// The command that `word` (in lower case) names.
    pub fn command(&self, word: &str) -> Option<&CommandSpec> {
        self.commands.iter().find(|command| command.answers_to(word))
    }

    /// The line that `word` (in lower case), which is no command, means with `rest` after it.
    pub fn synonym(&self, word: &str, rest: &str) -> Option<String> {
        let (_, meant) = self.synonyms.iter().find(|(each, _)| each == word)?;
        let line = meant.replace("{}", rest);
        Some(line.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// The command that a bare `!GAME ...` means.
    pub fn main(&self) -> Option<&CommandSpec> {
        self.commands.iter().find(|command| command.main)
    }
}
