//! The plugins of this bot, and which words belong to which.

use crate::turn::OwnCommands;
use journal::HOUSE;
use plugin_api::{CommandSpec, Manifest, Plugin, Role};
use std::collections::{BTreeMap, BTreeSet};

/// The plugins of a bot, by id.
pub struct Plugins {
    plugins: BTreeMap<String, Box<dyn Plugin>>,
    house: Vec<CommandSpec>,
    own: Box<dyn OwnCommands>,
}

/// Words of the table's that a game may define differently. In a room where the game is enabled, its command wins.
const SHARED: [&str; 2] = ["join", "sheet"];

/// The table's own commands that used to belong to games: old entries name the game.
const ONCE_OF_GAMES: [&str; 2] = ["join", "leave"];

/// Plugins that cannot be used together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PluginsError {
    /// Two have the same id.
    #[error("two plugins are called {0}")]
    SameId(String),
    /// A command has the name of one of the table's own.
    #[error("the plugin {plugin} cannot have a command {word}: the table itself has one")]
    Taken {
        /// The plugin.
        plugin: String,
        /// The word.
        word: String,
    },
}

impl Plugins {
    /// These plugins, with the table's own commands.
    ///
    /// # Errors
    /// Two of them, or one and the table's own commands, claim the same word.
    pub(crate) fn beside(own: Box<dyn OwnCommands>, list: Vec<Box<dyn Plugin>>) -> Result<Self, PluginsError> {
        let house = own.declared();
        let mut plugins = BTreeMap::new();
        for plugin in list {
            let Manifest { id, commands, .. } = plugin.manifest().clone();
            let words = commands.iter().flat_map(|command| command.aliases.iter().chain([&command.name])).chain([&id]);
            let taken = |word: &&String| house.iter().any(|command| command.answers_to(word));
            if let Some(word) = words.into_iter().filter(|word| !SHARED.contains(&word.as_str())).find(taken) {
                return Err(PluginsError::Taken { plugin: id.clone(), word: word.clone() });
            }
            if plugins.insert(id.clone(), plugin).is_some() {
                return Err(PluginsError::SameId(id));
            }
        }
        Ok(Plugins { plugins, house, own })
    }

    /// The plugin with this id.
    pub fn get(&self, id: &str) -> Option<&dyn Plugin> {
        self.plugins.get(id).map(|plugin| &**plugin)
    }

    /// All manifests, in id order.
    pub fn manifests(&self) -> impl Iterator<Item = &Manifest> {
        self.plugins.values().map(|plugin| plugin.manifest())
    }

    /// The table's own command called `word`, unless one of the `enabled` games has it.
    pub fn house_command(&self, word: &str, enabled: &BTreeSet<String>) -> Option<&CommandSpec> {
        let found = self.house.iter().find(|command| command.answers_to(word))?;
        let shared = || self.enabled(enabled).into_iter().any(|plugin| plugin.manifest().command(word).is_some());
        (!SHARED.contains(&word) || !shared()).then_some(found)
    }

    /// The existing plugins among `enabled`, in id order.
    pub fn enabled(&self, enabled: &BTreeSet<String>) -> Vec<&dyn Plugin> {
        enabled.iter().filter_map(|id| self.get(id)).collect()
    }

    /// The notation command among those of `enabled`, whose words are dice and nothing else.
    pub fn notation(&self, enabled: &BTreeSet<String>) -> Option<&CommandSpec> {
        let plugins = self.enabled(enabled).into_iter();
        plugins.flat_map(|plugin| &plugin.manifest().commands).find(|command| command.notation)
    }

    /// True if a command's words are dice and nothing else, by the ids used in entries.
    pub fn is_notation(&self, game: &str, command: &str) -> bool {
        let spec =
            self.get(game).and_then(|plugin| plugin.manifest().commands.iter().find(|each| each.name == command));
        spec.is_some_and(|spec| spec.notation)
    }

    /// The role that a command needs, by the ids used in entries; for unknown commands, a referee.
    pub fn role_of(&self, game: &str, command: &str) -> Role {
        let of_game = self.get(game).and_then(|game| game.manifest().commands.iter().find(|each| each.name == command));
        let own = || self.house.iter().find(|each| each.name == command);
        let spec = of_game.or_else(|| own().filter(|_| game == HOUSE || ONCE_OF_GAMES.contains(&command)));
        spec.map_or(Role::Referee, |spec| spec.role)
    }

    /// Plays the table's own commands.
    pub(crate) fn own(&self) -> &dyn OwnCommands {
        &*self.own
    }

    /// The table's own commands.
    pub fn house(&self) -> &[CommandSpec] {
        &self.house
    }
}
