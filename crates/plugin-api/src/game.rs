//! A game, as its author writes it and as the core uses it.

use crate::{
    Answers, Cast, CharacterId, Commands, EarlierRoll, Fit, Kind, Manifest, Past, PrintedDecks, Readers, Refusal,
    Reply, Scenes, Setting, SheetValue, Shown, Turn, Words,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// A game: a reducer over its state.
///
/// `play` is pure: the same state, command, dice and time give the same result. On `Ok` the host stores the new state,
/// the journal entry and the answer together. On `Err` it drops the state it lent, and nothing has happened. To work
/// out the odds of a command, the host plays it any number of times, each time on a fresh copy of the state.
pub trait Game: Send + Sync + 'static {
    /// The game's word, and the key of its stored state. It never changes.
    const ID: &'static str;
    /// Its name.
    const TITLE: &'static str;
    /// One line about it, for lists.
    const ABOUT: &'static str;
    /// Whose rules these are and the terms they are used under, if that must be said.
    const CREDIT: &'static str = "";
    /// The version of `State`. When an old state can no longer be read, add one and write [`upgrade`](Self::upgrade).
    const STATE_VERSION: u32 = 1;
    /// Whether rooms enable it, or every room has it.
    const KIND: Kind = Kind::Game;

    /// What a table stores of this game.
    type State: Clone + Default + PartialEq + Send + Serialize + DeserializeOwned + Sync;
    /// The commands players can type.
    type Command: Clone + Commands + Send + 'static;

    /// Words that players try but that are not commands of this game, each with the line to type instead; `{}` stands
    /// for what they typed after the word: `("attack", "check {} attack")`. Players who type such a word are shown that
    /// line.
    const SYNONYMS: &'static [(&'static str, &'static str)] = &[];

    /// Words of the game, in lower case, and what each means in a sentence or two: `!help triumph` shows them.
    const GLOSSARY: &'static [(&'static str, &'static str)] = &[];

    /// Plays one command.
    ///
    /// # Errors
    /// A sentence for the player; nothing changes.
    fn play(state: &mut Self::State, command: Self::Command, turn: &mut Turn) -> Result<Reply, Refusal>;

    /// Why no game can bring something of this heading in its file, such as `oracle show`, to be used with this tool.
    fn refuses(heading: &str) -> Option<String> {
        let _ = heading;
        None
    }

    /// What can be set for a table or a room.
    fn settings() -> Vec<Setting> {
        Vec::new()
    }

    /// Who may read the part of the state at `place`, a path of fields and keys: `["hands", "3"]`, or just `["hands"]`.
    /// If not everybody may read it, a change to it is left out of entries that everybody reads; only its player and
    /// the referees see the change.
    fn readers(place: &[&str]) -> Readers {
        let _ = place;
        Readers::Everybody
    }

    /// Which values on a character's sheet answer a command against them, so that it is settled at once: `vs Ogre`. If the
    /// players may not know such a value, [`Turn::hides`] is true and the answer must not tell it.
    fn answers() -> Vec<Answers> {
        Vec::new()
    }

    /// The numbers that it has on everybody's sheet: a command reads and changes them as `!set` does.
    fn values() -> Vec<SheetValue> {
        Vec::new()
    }

    /// How well the follow-up called `command` fits this roll, when nobody said which roll it is about.
    fn fits(command: &str, roll: &EarlierRoll) -> Fit {
        let _ = (command, roll);
        Fit::Open
    }

    /// What is going on of it in this scene, and who may see each piece of that: `!now` shows a line or two of it. Nothing
    /// if there is nothing to tell.
    fn now(state: &Self::State, cast: &Cast, scenes: &Scenes) -> Vec<Shown> {
        let _ = (state, cast, scenes);
        Vec::new()
    }

    /// A change of the state at `place` in words, if the place and its value would say little: `it is Ann's turn`. An
    /// empty text if it is not worth a word.
    fn told(place: &[&str], after: Option<&Value>, named: &dyn Fn(CharacterId) -> String) -> Option<String> {
        let _ = (place, after, named);
        None
    }

    /// What was played, as a sentence in the past tense without its full stop: `Ann hit Ogre with 17`. `None` for a plain
    /// one (see [`Past::plainly`]), an empty text if it is no part of the story.
    fn sentence(past: &Past) -> Option<String> {
        let _ = past;
        None
    }

    /// Reads a state stored by an older version.
    ///
    /// # Errors
    /// The state cannot be read; it stays stored as it is.
    fn upgrade(version: u32, state: Value) -> Result<Self::State, Refusal> {
        let _ = state;
        let title = Self::TITLE;
        Err(Refusal::new(format!("this table's {title} was stored as version {version}, which I cannot read")))
    }
}

/// A stored state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedState {
    /// The [`Game::STATE_VERSION`] it was written by.
    pub version: u32,
    /// The state.
    pub state: Value,
}

/// What a table stores of a game, decoded: cheap to clone, compared by content.
#[derive(Clone)]
pub struct Held(Arc<dyn HeldState>);

/// What a table stores of a game, as that game's plugin has it.
pub trait HeldState: Any + Send + Sync {
    /// Encodes it for storage.
    fn saved(&self) -> SavedState;

    /// True if it is the same as another.
    fn equals(&self, other: &dyn Any) -> bool;
}

struct StateOf<G: Game>(G::State);

impl<G: Game> HeldState for StateOf<G> {
    fn saved(&self) -> SavedState {
        let state = serde_json::to_value(&self.0).expect("a game's state has text keys and finite numbers");
        SavedState { version: G::STATE_VERSION, state }
    }

    fn equals(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<Self>().is_some_and(|other| self.0 == other.0)
    }
}

impl Held {
    /// Holds the state of a plugin that is no [`Game`].
    pub fn new(state: impl HeldState) -> Self {
        Held(Arc::new(state))
    }

    /// The same for a state that others hold too.
    pub fn shared(state: Arc<impl HeldState>) -> Self {
        Held(state)
    }

    /// The state, if it is of this type.
    pub fn of_type<T: HeldState>(&self) -> Option<Arc<T>> {
        let held: Arc<dyn Any + Send + Sync> = self.0.clone();
        held.downcast().ok()
    }

    fn of<G: Game>(state: G::State) -> Self {
        Held::new(StateOf::<G>(state))
    }

    fn state<G: Game>(&self) -> Arc<StateOf<G>> {
        self.of_type().expect("a game is played on what a table holds of it")
    }

    /// Encodes it for storage.
    pub fn saved(&self) -> SavedState {
        self.0.saved()
    }
}

impl PartialEq for Held {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.equals(&*other.0)
    }
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.saved().fmt(f)
    }
}

/// The result of a played command.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// What the table stores of the game afterwards.
    pub held: Held,
    /// The answer.
    pub reply: Reply,
}

/// A command, already read, with the state it is played on. It can be played any number of times.
pub struct Ready(Box<Playing>);

type Playing = dyn Fn(&mut Turn) -> Result<Played, Refusal> + Send;

impl Ready {
    /// A command of a plugin that is no [`Game`]: what plays it, as often as it is asked.
    pub fn new(play: impl Fn(&mut Turn) -> Result<Played, Refusal> + Send + 'static) -> Self {
        Ready(Box::new(play))
    }

    /// Plays the command on a copy of the state.
    ///
    /// # Errors
    /// The game refuses.
    pub fn play(&self, turn: &mut Turn) -> Result<Played, Refusal> {
        (self.0)(turn)
    }
}

/// A game as the core uses it.
pub trait Plugin: Send + Sync {
    /// Returns the game's description.
    fn manifest(&self) -> &Manifest;

    /// Returns what a table stores of the game before its first command.
    fn first(&self) -> Held;

    /// See [`Game::readers`].
    fn readers(&self, place: &[&str]) -> Readers;

    /// See [`Game::fits`].
    fn fits(&self, command: &str, roll: &EarlierRoll) -> Fit;

    /// See [`Game::now`].
    ///
    /// # Panics
    /// If `held` belongs to another game.
    fn now(&self, held: &Held, cast: &Cast, scenes: &Scenes) -> Vec<Shown>;

    /// See [`Game::refuses`].
    fn refuses(&self, heading: &str) -> Option<String> {
        let _ = heading;
        None
    }

    /// See [`Game::told`].
    fn told(&self, place: &[&str], after: Option<&Value>, named: &dyn Fn(CharacterId) -> String) -> Option<String>;

    /// See [`Game::sentence`].
    fn sentence(&self, past: &Past) -> Option<String>;

    /// Decodes what a table stored of the game.
    ///
    /// # Errors
    /// It cannot be read.
    fn held(&self, saved: &SavedState) -> Result<Held, Refusal>;

    /// Reads the words of the command called `name`, to be played on `held`.
    ///
    /// # Errors
    /// The words do not fit.
    ///
    /// # Panics
    /// If `held` belongs to another game.
    fn ready(&self, held: &Held, name: &str, words: &mut Words) -> Result<Ready, Refusal>;

    /// True if the words read as the command called `name`.
    fn reads(&self, name: &str, words: &mut Words) -> bool {
        self.ready(&self.first(), name, words).is_ok()
    }

    /// True if it is read from a file. Each table goes on with the version of the file with which it began to play, which
    /// is in what it stores of the game.
    fn is_a_file(&self) -> bool {
        false
    }

    /// True if a table that stored this plays this version of the file.
    fn is_as_kept(&self, _: &SavedState) -> bool {
        true
    }

    /// What a table that stored this stores once it plays this version of the file; `None` if it does already.
    fn upgrade(&self, _: &SavedState) -> Option<Upgrade> {
        None
    }
}

/// A table's way to another version of a game's file.
#[derive(Clone, Debug, PartialEq)]
pub struct Upgrade {
    /// What it stores with the new version, while it plays the old one.
    pub kept: SavedState,
    /// What it stores when it plays the new one.
    pub played: SavedState,
    /// What is new, in words.
    pub says: Vec<String>,
}

/// Reads the files of games that tables keep.
pub trait KeptFiles: Send + Sync {
    /// The game that a table plays that stored this; `None` if no file is in it that can be read.
    fn game(&self, saved: &SavedState) -> Option<Box<dyn Plugin>>;

    /// Reads the text of a file that somebody brings to a table.
    ///
    /// # Errors
    /// It is too long, or what is wrong in it.
    fn read(&self, text: &str) -> Result<Box<dyn Plugin>, Refusal>;
}

/// Wraps the game `G` for the core.
pub fn plugin<G: Game>() -> Box<dyn Plugin> {
    let manifest = Manifest {
        id: G::ID.to_owned(),
        title: G::TITLE.to_owned(),
        about: G::ABOUT.to_owned(),
        found_by: Vec::new(),
        kind: G::KIND,
        commands: G::Command::declare(),
        settings: G::settings(),
        answers: G::answers(),
        credit: G::CREDIT.to_owned(),
        glossary: pairs(G::GLOSSARY),
        synonyms: pairs(G::SYNONYMS),
        values: G::values(),
        decks: PrintedDecks::new(),
        tables: Vec::new(),
    };
    assert_eq!(manifest.commands.iter().filter(|command| command.main).count(), 1, "{} needs one main command", G::ID);
    Box::new(Hosted::<G> { manifest, game: PhantomData })
}

fn pairs(of: &[(&str, &str)]) -> Vec<(String, String)> {
    of.iter().map(|(word, says)| ((*word).to_owned(), (*says).to_owned())).collect()
}

struct Hosted<G> {
    manifest: Manifest,
    game: PhantomData<G>,
}

impl<G: Game> Plugin for Hosted<G> {
    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn first(&self) -> Held {
        Held::of::<G>(G::State::default())
    }

    fn readers(&self, place: &[&str]) -> Readers {
        G::readers(place)
    }

    fn fits(&self, command: &str, roll: &EarlierRoll) -> Fit {
        G::fits(command, roll)
    }

    fn now(&self, held: &Held, cast: &Cast, scenes: &Scenes) -> Vec<Shown> {
        G::now(&held.state::<G>().0, cast, scenes)
    }

    fn told(&self, place: &[&str], after: Option<&Value>, named: &dyn Fn(CharacterId) -> String) -> Option<String> {
        G::told(place, after, named)
    }

    fn refuses(&self, heading: &str) -> Option<String> {
        G::refuses(heading)
    }

    fn sentence(&self, past: &Past) -> Option<String> {
        G::sentence(past)
    }

    fn held(&self, saved: &SavedState) -> Result<Held, Refusal> {
        let state = if saved.version == G::STATE_VERSION {
            G::State::deserialize(&saved.state)
                .map_err(|error| Refusal::new(format!("this table's {} cannot be read: {error}", G::TITLE)))?
        } else {
            G::upgrade(saved.version, saved.state.clone())?
        };
        Ok(Held::of::<G>(state))
    }

    fn ready(&self, held: &Held, name: &str, words: &mut Words) -> Result<Ready, Refusal> {
        let command = G::Command::parse(name, words)?;
        let before = held.state::<G>();
        Ok(Ready::new(move |turn| {
            let mut state = before.0.clone();
            let reply = G::play(&mut state, command.clone(), turn)?;
            Ok(Played { held: Held::of::<G>(state), reply })
        }))
    }
}
