//! A game as it was read from its file.

use crate::die::Die;
use crate::expression::Expression;
use crate::template::Template;
use plugin_api::{Counter, Manifest};
use std::collections::{BTreeMap, BTreeSet};

/// A game.
#[derive(Clone, Debug)]
pub struct Game {
    /// Its description, with what can be typed for each command.
    pub manifest: Manifest,
    /// How each of the manifest's commands is played, in the same order.
    pub commands: Vec<Command>,
    /// The numbers of every sheet, with what they are before anybody sets them.
    pub sheet: BTreeMap<String, Counter>,
    /// What is worked out from other numbers of the sheet.
    pub derived: BTreeMap<String, Expression>,
    /// Its scenes: sessions that show how it is played.
    pub scenes: Vec<Scene>,
    /// The file that it was read from.
    pub text: String,
}

impl Game {
    /// How the command of this name is played.
    pub fn command(&self, name: &str) -> Option<&Command> {
        let at = self.manifest.commands.iter().position(|spec| spec.name == name)?;
        self.commands.get(at)
    }
}

/// A session that shows how a game is played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scene {
    /// The line of the file that its heading is in, from 1.
    pub line: usize,
    /// What is said in it.
    pub text: String,
}

/// How a command is played.
#[derive(Clone, Debug, Default)]
pub struct Command {
    /// The commands whose rolls it follows up on.
    pub follows: Vec<String>,
    /// Whether it may be done on the same roll again, though nothing offers it.
    pub again: bool,
    /// What is done in this order.
    pub steps: Vec<Step>,
    /// What its result is measured by.
    pub total: Option<Expression>,
    /// How it may end; the first that holds is how it ends.
    pub ends: Vec<End>,
    /// The numbers of the sheet that it changes.
    pub changes: Vec<Change>,
    /// What else it says.
    pub tells: Vec<(Option<Expression>, Template)>,
    /// What the story says behind the name of whoever did it; the first that holds.
    pub stories: Vec<(Option<Expression>, Template)>,
    /// What is said if somebody asks how it came about.
    pub whys: Vec<(Option<Expression>, Template)>,
    /// What may be typed next.
    pub offers: Vec<Offer>,
    /// The commands that are offered no longer on the roll that it follows up on.
    pub closes: Vec<String>,
    /// The rolls whose dice have words on their faces.
    pub faced: BTreeMap<String, Die>,
    /// What is typed as the name of a character.
    pub people: Vec<String>,
    /// The names that its rolls keep: those of which the commands that follow them know something.
    pub keeps: BTreeSet<String>,
    /// What a number is if only the word was typed that leads to it.
    pub alone: BTreeMap<String, i64>,
    /// What depends on the number that it is measured against, which players may not know.
    pub hidden: BTreeSet<String>,
}

/// One step of a command.
#[derive(Clone, Debug)]
pub enum Step {
    /// It is refused for this reason, if that holds.
    Refuse(Expression, Template),
    /// Something gets a name.
    Let(String, Expression),
    /// Dice get a name, and are shown.
    Roll(String, Expression),
}

/// One way to end.
#[derive(Clone, Debug)]
pub struct End {
    /// When it ends so; always, if nothing is said.
    pub when: Option<Expression>,
    /// The fixed words that say how it ended.
    pub outcome: String,
    /// What is shown in bold.
    pub headline: Template,
    /// What is shown behind it.
    pub more: Template,
    /// Whether that is a success, if the game says so.
    pub success: Option<bool>,
}

/// A change of a number on the sheet.
#[derive(Clone, Debug)]
pub struct Change {
    /// When it is changed; always, if nothing is said.
    pub when: Option<Expression>,
    /// Which; or what was typed as the name of one.
    pub name: String,
    /// Whether it is added, taken away, or what the number is then.
    pub sign: Sign,
    /// How much.
    pub amount: Expression,
}

/// How a number is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// It becomes more.
    Plus,
    /// It becomes less.
    Minus,
    /// It becomes this.
    Is,
}

/// Something to type next.
#[derive(Clone, Debug)]
pub struct Offer {
    /// When it is offered; always, if nothing is said.
    pub when: Option<Expression>,
    /// The line to type.
    pub line: Template,
    /// What that does.
    pub label: Template,
    /// Whether the table waits for it.
    pub must: bool,
    /// Who is asked for it: what is typed as their name. Whoever typed the command, if nothing is said.
    pub of: Option<String>,
}
