//! A game, as its author writes it and as the core holds it.

use crate::{Commands, Manifest, Refusal, Reply, Setting, Turn, Words};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::marker::PhantomData;

/// A game: a reducer over its state.
///
/// `play` is pure: the same state, command, dice and time give the same result. On `Ok` the host keeps the new
/// state, the journal entry and the answer together; on `Err` it drops the state it lent, and nothing happened.
pub trait Game: Send + Sync + 'static {
    /// The word that stands for the game and the key of its stored state: it never changes.
    const ID: &'static str;
    /// Its name.
    const TITLE: &'static str;
    /// One line on what it is, for lists.
    const ABOUT: &'static str;
    /// Whose rules these are and under which terms they are used, where that must be said.
    const CREDIT: &'static str = "";
    /// The version of `State`; count up when an old one can no longer be read, and write [`upgrade`](Self::upgrade).
    const STATE_VERSION: u32 = 1;

    /// What a table holds of this game.
    type State: Default + Serialize + DeserializeOwned;
    /// What can be typed.
    type Command: Commands;

    /// Plays one command.
    ///
    /// # Errors
    /// A sentence for the player; nothing changes.
    fn play(state: &mut Self::State, command: Self::Command, turn: &mut Turn) -> Result<Reply, Refusal>;

    /// What may be set for a table or a room.
    fn settings() -> Vec<Setting> {
        Vec::new()
    }

    /// Reads a state that an older version stored.
    ///
    /// # Errors
    /// It cannot; the stored state stays as it is.
    fn upgrade(version: u32, state: Value) -> Result<Self::State, Refusal> {
        let _ = state;
        let title = Self::TITLE;
        Err(Refusal::new(format!("this table's {title} was stored as version {version}, which I cannot read")))
    }
}

/// A state as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedState {
    /// The [`Game::STATE_VERSION`] it was written by.
    pub version: u32,
    /// The state.
    pub state: Value,
}

/// What a played command leaves.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// The new state.
    pub state: SavedState,
    /// The answer.
    pub reply: Reply,
}

/// A game as the core holds it: declarations as data, data in, data out.
pub trait Plugin: Send + Sync {
    /// What the game is.
    fn manifest(&self) -> &Manifest;

    /// What a table holds of the game before its first command.
    fn first_state(&self) -> SavedState;

    /// Whether the words read as the command called `name`.
    fn reads(&self, name: &str, words: &mut Words) -> bool;

    /// Plays the command called `name` on a copy of `state`.
    ///
    /// # Errors
    /// The words do not fit, the game refuses, or the state cannot be read.
    fn play(&self, state: &SavedState, name: &str, words: &mut Words, turn: &mut Turn) -> Result<Played, Refusal>;
}

/// `G` as the core holds it.
pub fn plugin<G: Game>() -> Box<dyn Plugin> {
    let manifest = Manifest {
        id: G::ID.to_owned(),
        title: G::TITLE.to_owned(),
        about: G::ABOUT.to_owned(),
        commands: G::Command::declare(),
        settings: G::settings(),
        credit: G::CREDIT.to_owned(),
    };
    assert_eq!(manifest.commands.iter().filter(|command| command.main).count(), 1, "{} needs one main command", G::ID);
    Box::new(Hosted::<G> { manifest, game: PhantomData })
}

struct Hosted<G> {
    manifest: Manifest,
    game: PhantomData<G>,
}

impl<G: Game> Plugin for Hosted<G> {
    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn first_state(&self) -> SavedState {
        saved::<G>(&G::State::default())
    }

    fn reads(&self, name: &str, words: &mut Words) -> bool {
        G::Command::parse(name, words).is_ok()
    }

    fn play(&self, state: &SavedState, name: &str, words: &mut Words, turn: &mut Turn) -> Result<Played, Refusal> {
        let command = G::Command::parse(name, words)?;
        let mut state = if state.version == G::STATE_VERSION {
            G::State::deserialize(&state.state)
                .map_err(|error| Refusal::new(format!("this table's {} cannot be read: {error}", G::TITLE)))?
        } else {
            G::upgrade(state.version, state.state.clone())?
        };
        let reply = G::play(&mut state, command, turn)?;
        Ok(Played { state: saved::<G>(&state), reply })
    }
}

fn saved<G: Game>(state: &G::State) -> SavedState {
    let state = serde_json::to_value(state).expect("a game's state has text keys and finite numbers");
    SavedState { version: G::STATE_VERSION, state }
}
