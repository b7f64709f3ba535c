//! Everything a game sees. A game is three nouns and a verb: its `State`, its `Command`s, the [`Reply`] it gives, and
//! [`Game::play`] between them. docs/authors.md adds one in an afternoon.
//!
//! A game cannot send, store, read the clock or make randomness: dice and time come from its [`Turn`]. It does not know
//! about networks, rooms, other games, or how its state and its rolls are stored.

mod answers;
mod argument;
mod brought;
mod called;
mod cast;
mod declare;
mod dice_word;
mod game;
mod idle;
mod kind;
pub mod names;
mod past;
pub mod piece;
mod printed;
pub mod random_table;
mod refusal;
mod scenes;
mod setting;
mod sheet;
mod spec;
mod traits;
mod turn;
mod value;
mod values;
mod words;

pub use answers::Answers;
pub use argument::{Argument, CommandText, Name, Number};
pub use brought::Brought;
pub use called::{ENDS, first_words};
pub use cast::{Cast, Newcomer};
pub use chat::{Card, CharacterId, Line, Moment, Offer, Picture, Readers, Reply, Role, Seen, Span};
pub use declare::{Arguments, CommandSpec, Commands, FollowUp, Kind, Manifest};
pub use dice::{Dice, Die, number_word};
pub use dice_word::DiceWord;
pub use game::{Game, Held, HeldState, KeptFiles, Played, Plugin, Ready, SavedState, Upgrade, plugin};
pub use idle::{denies, means_nothing};
pub use kind::{
    ArgumentKind, Form, Listed, Misfit, NamedNumber, NumberKind, Part, PartMany, Sign, Spelled, Touching, Unit,
};
pub use past::Past;
pub use piece::{Piece, Shown};
pub use plugin_api_derive::{Arguments, Choice, Commands, Forms};
pub use printed::{FirstSide, MOST_CARDS, PrintedCard, PrintedDeck, PrintedDecks, wrong_deck_name};
pub use refusal::{Mended, Refusal, suggest, suggest_within};
pub use scenes::Scenes;
pub use setting::{ChoiceSetting, NumberSetting, Setting, SettingKind, SettingScope, Typed};
pub use sheet::{Counter, MOST_NUMBER, Sheet, SheetValue, wrong_number};
pub use spec::{ArgumentSpec, Many, Place, usage_of};
pub use traits::{Effect, Trait};
pub use turn::{Against, Closed, DIALECT, EarlierRoll, Fit, Left, Secrets, Target, Turn, Wanted, not_in_secret};
pub use value::{Found, Parts, Text, Value, Values};
pub use words::{Next, Words};
