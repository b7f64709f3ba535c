//! The plugins of this bot, and which words belong to which.

use crate::turn::OwnCommands;
use journal::HOUSE;
use journal::documents::{RoomDoc, TableDoc};
use plugin_api::{
    CommandSpec, KeptFiles, Kind, Manifest, Plugin, Refusal, Role, SavedState, SheetValue, Trait, first_words,
    suggest_within,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;
use understand::reading::first_word;

/// The most games that a table alone has.
const MOST_OWN_GAMES: usize = 8;

/// The plugins of a bot, by id. A changed catalogue is another one, which shares what stayed the same.
#[derive(Clone)]
pub struct Plugins {
    plugins: BTreeMap<String, Arc<dyn Plugin>>,
    house: Arc<[CommandSpec]>,
    own: Arc<dyn OwnCommands>,
    /// Reads the files of games that tables keep.
    kept_files: Option<Arc<dyn KeptFiles>>,
    /// Those that the bot has now, of which a table plays another version.
    newest: BTreeMap<String, Arc<dyn Plugin>>,
    /// The games that a table alone has.
    pub own_games: BTreeSet<String>,
    /// How many words the longest name of a command has.
    most_words: usize,
}

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
    /// True if a room has the plugin.
    pub fn are_in(room: &RoomDoc, manifest: &Manifest) -> bool {
        match manifest.kind {
            Kind::Game => room.plugins.contains(&manifest.id),
            Kind::Tool => !room.without.contains(&manifest.id),
        }
    }

    /// These plugins, with the table's own commands.
    ///
    /// # Errors
    /// Two of them, or one and the table's own commands, claim the same word.
    pub fn new(own: Box<dyn OwnCommands>, list: Vec<Box<dyn Plugin>>) -> Result<Self, PluginsError> {
        let (house, own) = (own.declared().into(), own.into());
        let (plugins, newest, own_games) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
        let mut plugins = Plugins { plugins, house, own, kept_files: None, newest, own_games, most_words: 1 };
        for plugin in list {
            let id = plugin.manifest().id.clone();
            if plugins.get(&id).is_some() {
                return Err(PluginsError::SameId(id));
            }
            plugins = plugins.with(plugin.into())?;
        }
        Ok(plugins)
    }

    /// These plugins and another one, which replaces the one with its id.
    ///
    /// # Errors
    /// It claims a word of the table's own commands.
    pub fn with(mut self, plugin: Arc<dyn Plugin>) -> Result<Self, PluginsError> {
        let id = plugin.manifest().id.clone();
        if let Some(word) = self.taken_by(plugin.manifest()) {
            return Err(PluginsError::Taken { plugin: id, word: word.to_owned() });
        }
        self.most_words = self.most_words.max(plugin.manifest().most_words());
        self.plugins.insert(id, plugin);
        Ok(self)
    }

    /// These plugins at a bot where games may be files, which this reads.
    #[must_use]
    pub fn with_kept_files(self, files: Arc<dyn KeptFiles>) -> Self {
        Plugins { kept_files: Some(files), ..self }
    }

    /// These plugins as a table plays them that stored this of the game with this id; `None` if it plays what is there.
    ///
    /// # Errors
    /// What it stored cannot be read, or claims a word of the table's own commands by now.
    pub fn with_kept(&self, id: &str, saved: &SavedState) -> Result<Option<Self>, Refusal> {
        let now = self.plugins.get(id);
        if now.is_some_and(|now| now.is_as_kept(saved)) {
            return Ok(None);
        }
        // A table that was moved here may hold what somebody else wrote.
        let game = self.kept_files.as_ref().and_then(|files| files.game(saved));
        let game = game.filter(|game| game.manifest().id == id);
        let game = game.ok_or_else(|| Refusal::new("the file of the game that it keeps cannot be read"))?;
        let mut plugins = self.clone().with(game.into()).map_err(|error| Refusal::new(error.to_string()))?;
        plugins.newest.extend(now.map(|now| (id.to_owned(), now.clone())));
        plugins.own_games.extend(now.is_none().then(|| id.to_owned()));
        Ok(Some(plugins))
    }

    /// The game of a file that somebody brings to a table that plays with these.
    ///
    /// # Errors
    /// It cannot be read, what it is called is taken, or the table has too many games of its own.
    pub fn brought(&self, file: &str) -> Result<Box<dyn Plugin>, Refusal> {
        let Some(files) = self.kept_files.as_ref().filter(|_| !file.trim().is_empty()) else {
            return Err(Refusal::new(
                "the file of the game goes on the lines below that, in one message; a message of one line cannot bring it",
            ));
        };
        let game = files.read(file)?;
        let id = &game.manifest().id;
        if !self.own_games.contains(id) && self.plugins.contains_key(id) {
            return Err(Refusal::new(format!("there is a game or tool called {id}: give this one another id")));
        }
        if !self.own_games.contains(id) && self.own_games.len() >= MOST_OWN_GAMES {
            return Err(Refusal::new(format!("a table has at most {MOST_OWN_GAMES} games of its own")));
        }
        match self.taken_by(game.manifest()) {
            Some(word) => Err(Refusal::new(format!("a game cannot have a command {word}: the table itself has one"))),
            None => Ok(game),
        }
    }

    /// The plugin as the bot has it now, if a table plays another version of it.
    pub fn newest(&self, id: &str) -> Option<&dyn Plugin> {
        self.newest.get(id).map(|plugin| &**plugin)
    }

    /// A word of this plugin that one of the table's own commands has and does not yield; of several words, the first.
    fn taken_by<'m>(&self, Manifest { id, commands, .. }: &'m Manifest) -> Option<&'m str> {
        let mut names = commands.iter().flat_map(CommandSpec::names).chain([id.as_str()]);
        let own = |word: &str| self.house.iter().any(|command| command.answers_to(word) && !command.is(Trait::Yields));
        names.find(|name| name.split(' ').next().is_some_and(own))
    }

    /// These plugins without one of them. What tables hold of it stays stored.
    #[must_use]
    pub fn without(mut self, id: &str) -> Self {
        self.plugins.remove(id);
        self
    }

    /// The plugin with this id.
    pub fn get(&self, id: &str) -> Option<&dyn Plugin> {
        self.plugins.get(id).map(|plugin| &**plugin)
    }

    /// All manifests, in id order.
    pub fn manifests(&self) -> impl Iterator<Item = &Manifest> {
        self.plugins.values().map(|plugin| plugin.manifest())
    }

    /// Those manifests that are no files. Whoever writes a file chooses its words, so they keep nobody elsewhere from using them.
    pub fn built_in(&self) -> impl Iterator<Item = &Manifest> {
        self.plugins.values().filter(|plugin| !plugin.is_a_file()).map(|plugin| plugin.manifest())
    }

    /// The table's own command called `word`, unless one of the room's games has it.
    pub fn house_command(&self, word: &str, room: &RoomDoc) -> Option<&CommandSpec> {
        let found = self.house.iter().find(|command| command.answers_to(word))?;
        let shared = || self.enabled(room).into_iter().any(|plugin| plugin.manifest().command(word).is_some());
        (!found.is(Trait::Yields) || !shared()).then_some(found)
    }

    /// The plugins that a room has, in id order: the games enabled there, and the tools that are not switched off.
    pub fn enabled(&self, room: &RoomDoc) -> Vec<&dyn Plugin> {
        let all = self.plugins.values().map(|plugin| &**plugin);
        all.filter(|plugin| Plugins::are_in(room, plugin.manifest())).collect()
    }

    /// The games enabled in a room, in id order.
    pub fn games(&self, room: &RoomDoc) -> Vec<&dyn Plugin> {
        self.enabled(room).into_iter().filter(|plugin| plugin.manifest().kind == Kind::Game).collect()
    }

    /// The numbers that a room's plugins have on everybody's sheet.
    pub fn values(&self, room: &RoomDoc) -> impl Iterator<Item = &SheetValue> + Clone {
        self.enabled(room).into_iter().flat_map(|plugin| &plugin.manifest().values)
    }

    /// The main command of a table's main game, if that is a roll of its own and not just dice.
    pub fn rolling(&self, room: &RoomDoc, table: &TableDoc) -> Option<&CommandSpec> {
        let main = self.enabled(room).into_iter().find(|game| Some(&game.manifest().id) == table.main_game.as_ref())?;
        main.manifest().main().filter(|main| !main.notation)
    }

    /// Which of a room's plugins have a command called `word`. A tool gives way to games, also where `word` is short for its
    /// command and the game's has only the long name, and where `word` is short for it and a number on the sheets of a game.
    pub fn knowing(&self, word: &str, room: &RoomDoc) -> Vec<(&dyn Plugin, &CommandSpec)> {
        let called = |word: &str| {
            let plugins = self.enabled(room).into_iter();
            plugins.filter_map(|plugin| Some((plugin, plugin.manifest().command(word)?))).collect::<Vec<_>>()
        };
        let of_games = |mut all: Vec<_>| {
            all.retain(|(plugin, _): &(&dyn Plugin, &CommandSpec)| plugin.manifest().kind == Kind::Game);
            Some(all).filter(|all| !all.is_empty())
        };
        let mut all = called(word);
        let is_a_number = || SheetValue::called(word, self.values(room)).is_some();
        all.retain(|(plugin, spec)| plugin.manifest().kind == Kind::Game || spec.name == word || !is_a_number());
        let long = || all.iter().find_map(|(_, command)| of_games(called(&command.name)));
        of_games(all.clone()).or_else(long).unwrap_or(all)
    }

    /// True if a room has a command called `word`, of the table's own or of a plugin.
    pub fn has(&self, word: &str, room: &RoomDoc) -> bool {
        self.house_command(word, room).is_some() || !self.knowing(word, room).is_empty()
    }

    /// The command that a line begins with in a room, that of most words first, and where it ends; else the first word.
    pub fn begun(&self, typed: &str, room: &RoomDoc) -> (String, Range<usize>) {
        let mut several = first_words(typed, self.most_words).filter(|(name, _)| name.contains(' '));
        several.find(|(name, _)| self.has(name, room)).unwrap_or_else(|| first_word(typed))
    }

    /// The command of several words that a line nearly begins with, and where that ends.
    pub fn nearly_begun(&self, typed: &str, room: &RoomDoc) -> Option<(usize, &str)> {
        if self.most_words == 1 {
            return None;
        }
        let commands = self.enabled(room).into_iter().flat_map(|plugin| &plugin.manifest().commands);
        let several: Vec<&str> = commands.flat_map(CommandSpec::names).filter(|name| name.contains(' ')).collect();
        let mut words = first_words(typed, self.most_words).filter(|(words, _)| words.contains(' '));
        words.find_map(|(words, at)| Some((at.end, suggest_within(1, &words, several.iter().copied())?)))
    }

    /// The notation command among those of a room, whose words are dice and nothing else.
    pub fn notation(&self, room: &RoomDoc) -> Option<&CommandSpec> {
        let plugins = self.enabled(room).into_iter();
        plugins.flat_map(|plugin| &plugin.manifest().commands).find(|command| command.notation)
    }

    /// A plugin's command, by the ids used in entries.
    pub fn of_entry(&self, game: &str, command: &str) -> Option<&CommandSpec> {
        self.get(game).and_then(|plugin| plugin.manifest().commands.iter().find(|each| each.name == command))
    }

    /// True if a command's words are dice and nothing else, by the ids used in entries.
    pub fn is_notation(&self, game: &str, command: &str) -> bool {
        self.of_entry(game, command).is_some_and(|spec| spec.notation)
    }

    /// The role that a command needs, by the ids used in entries; for unknown commands, a referee.
    pub fn role_of(&self, game: &str, command: &str) -> Role {
        let own = || self.house.iter().find(|each| each.name == command);
        let spec =
            self.of_entry(game, command).or_else(|| own().filter(|spec| game == HOUSE || spec.is(Trait::OnceOfGames)));
        spec.map_or(Role::Referee, |spec| spec.role)
    }

    /// Plays the table's own commands.
    pub fn own(&self) -> &dyn OwnCommands {
        &*self.own
    }

    /// The table's own commands.
    pub fn house(&self) -> &[CommandSpec] {
        &self.house
    }
}
