//! What understanding asks of the place where a line was typed.

use crate::guess::Vocabulary;
use dice::Dialect;
use plugin_api::{Cast, CharacterId, CommandSpec, Plugin};
use std::rc::Rc;

/// A command that was found.
#[derive(Clone, Copy)]
pub enum Found<'a> {
    /// One of the table's own.
    House(&'a CommandSpec),
    /// A plugin's command, and how many bytes of the line named it.
    Plugin(&'a dyn Plugin, &'a CommandSpec, usize),
}

/// A plugin, and a command of it.
pub type Of<'a> = (&'a dyn Plugin, &'a CommandSpec);

/// The room, the table and whoever typed a line there. What whoever typed it may not know is nowhere in it.
pub trait Surroundings {
    /// True if this bot is meant, whatever the words.
    fn is_addressed(&self) -> bool;

    /// True if the line begins with a command.
    fn is_command(&self) -> bool;

    /// True if the line reads, and may be meant otherwise.
    fn is_doubted(&self) -> bool;

    /// The plugins of the room, in id order.
    fn plugins(&self) -> Vec<&dyn Plugin>;

    /// The id of the main game.
    fn main_game(&self) -> Option<&str>;

    /// The table's own commands.
    fn house(&self) -> &[CommandSpec];

    /// The table's own command that a word is in this room.
    fn house_command(&self, word: &str) -> Option<&CommandSpec>;

    /// The commands of plugins that a word is in this room.
    fn knowing(&self, word: &str) -> Vec<Of<'_>>;

    /// Everybody at the table.
    fn cast(&self) -> &Cast;

    /// Who acts.
    fn actor(&self) -> CharacterId;

    /// The name of who acts, if a player typed the line; a referee's is nobody's in particular.
    fn own_name(&self) -> Option<&str>;

    /// True if whoever typed the line may act for somebody.
    fn may_act_for(&self, who: CharacterId) -> bool;

    /// A value of somebody's sheet, by its name in any case: of a counter, what is left.
    fn value(&self, whose: CharacterId, name: &str) -> Option<&str>;

    /// The names of somebody's values.
    fn values(&self, whose: CharacterId) -> Vec<&str>;

    /// True if a value is a counter, such as `12/40`.
    fn counts(&self, whose: CharacterId, name: &str) -> bool;

    /// How dice are typed in the room.
    fn dialect(&self) -> Dialect;

    /// True if a text is dice that are thrown, perhaps with a comment.
    fn throws_dice(&self, text: &str) -> bool;

    /// True if a text is a point in time.
    fn is_a_time(&self, text: &str) -> bool;

    /// True if a line, whose arguments begin at this byte, reads as a command to its last word, once values are put in.
    fn reads(&self, command: Of<'_>, line: (&str, usize)) -> bool;

    /// The same, perhaps with the name of whose roll it follows: `counter Gojinka d6`.
    fn reads_perhaps_named(&self, command: Of<'_>, line: (&str, usize)) -> bool;

    /// The line as the command corrects it when it refuses it.
    fn corrected(&self, command: Of<'_>, line: (&str, usize)) -> Option<String>;

    /// The words that say something here.
    fn vocabulary(&self) -> Rc<Vocabulary>;

    /// Takes so many steps of the work that a message may cost. False if fewer are left.
    fn takes(&self, steps: usize) -> bool;

    /// Takes what it costs to read a line as a command. False if less is left.
    fn affords(&self, line: &str) -> bool;
}
