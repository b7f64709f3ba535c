//! The table's own commands: help, plugins, roles, characters, settings. They are declared as a game's are, and need
//! more of the table than any game gets.

mod help;
mod people;
mod settings;

use crate::bot::Bot;
use crate::documents::{Head, RoomDoc, TableDoc};
use crate::roster::Present;
use chat::{Reply, RoomId, Speaker};
use plugin_api::{CharacterId, CommandSpec, Commands, Name, Refusal, Role, Text, Words};
use std::sync::Arc;

/// What stands for the table itself where entries name a game.
pub const GAME: &str = "table";

/// One of the table's own commands on its way.
pub(crate) struct HouseTurn<'a> {
    pub bot: &'a Bot,
    pub speaker: &'a Speaker,
    pub room_id: &'a RoomId,
    pub actor: CharacterId,
    pub role: Role,
    pub present: &'a Present,
    pub table: &'a mut Arc<TableDoc>,
    pub room: &'a mut Arc<RoomDoc>,
    pub head: &'a mut Head,
}

#[derive(Commands)]
enum House {
    /// Show what can be typed here, or how a command or a game works.
    #[command(example = "help", example = "help roll")]
    Help { topic: Option<Text> },
    /// List the games and tools there are, and which are enabled in this room.
    #[command(example = "plugins")]
    Plugins,
    /// Enable or disable a plugin in this room.
    #[command(admin, example = "plugin enable mvk", example = "plugin disable mvk")]
    Plugin {
        #[word("enable", "on")]
        enable: Option<Name>,
        #[word("disable", "off")]
        disable: Option<Name>,
    },
    /// Show or set the main game: the one that a word shared by several games means. Setting it is the referee's.
    #[command(example = "game mvk")]
    Game { id: Option<Name> },
    /// Show who referees, become a referee, or name and dismiss one.
    ///
    /// While a table has no referee, everybody may give a referee's commands.
    #[command(example = "gm me", example = "gm add Gus", example = "gm remove Gus")]
    Gm {
        #[flag("me")]
        me: bool,
        #[word("add")]
        add: Option<Name>,
        #[word("remove")]
        remove: Option<Name>,
    },
    /// Name your character, or switch to another one of yours.
    #[command(example = "iam Ann")]
    Iam { name: Option<Text> },
    /// Do something as another character: one of yours, or as a referee anybody, who comes into being if need be.
    #[command(example = "as Ogre roll 2d6")]
    As { who: Name, command: Text },
    /// List the characters; a referee makes one, binds one to a player, or frees one.
    #[command(example = "pc", example = "pc Ogre", example = "pc Ann @her", example = "pc Ann free")]
    Pc {
        character: Option<Name>,
        player: Option<Name>,
        #[flag("free")]
        free: bool,
    },
    /// Show or change how this room is answered: its prefix, and what its plugins let rooms set.
    #[command(example = "room", example = "room prefix .")]
    Room { key: Option<Name>, value: Option<Text> },
    /// Show or change this table's settings: its name, and what its plugins let tables set. Changing is the referee's.
    #[command(example = "table", example = "table name The Kaiju Files")]
    Table { key: Option<Name>, value: Option<Text> },
}

/// What there is.
pub(crate) fn commands() -> Vec<CommandSpec> {
    House::declare()
}

/// Plays one.
pub(crate) fn play(name: &str, words: &mut Words, turn: &mut HouseTurn) -> Result<Reply, Refusal> {
    match House::parse(name, words)? {
        House::Help { topic } => help::help(turn, topic.map(|topic| topic.text).as_deref()),
        House::Plugins => Ok(help::plugins(turn)),
        House::Plugin { enable, disable } => settings::plugin(turn, enable, disable),
        House::Game { id } => settings::game(turn, id),
        House::Gm { me, add, remove } => people::referees(turn, me, add, remove),
        House::Iam { name } => people::i_am(turn, name.map(|name| name.text).as_deref()),
        // The line behind `as` is played instead of it: what comes here stands behind another `as`.
        House::As { who, command } => {
            let what = format!("act for one at a time: for {}", who.0);
            Err(Refusal::new(what).example(format!("as {} {}", who.0, command.text)))
        }
        House::Pc { character, player, free } => people::characters(turn, character, player, free),
        House::Room { key, value } => settings::room(turn, key, value),
        House::Table { key, value } => settings::table(turn, key, value),
    }
}

impl HouseTurn<'_> {
    /// Refuses who may not do this.
    fn needs(&self, role: Role, what: &str) -> Result<(), Refusal> {
        if self.role >= role {
            return Ok(());
        }
        let who = if role == Role::Referee { "the referee" } else { "a room admin" };
        Err(Refusal::new(format!("only {who} may {what}")))
    }

    /// The table's document, to be changed.
    fn table_mut(&mut self) -> &mut TableDoc {
        Arc::make_mut(self.table)
    }
}
