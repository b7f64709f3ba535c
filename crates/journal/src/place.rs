//! The places that changes name, with the only code that parses and prints their paths.
//!
//! A change's path is a JSON pointer into one document that contains the whole table: `/table/...` is the table's
//! document, `/rooms/ROOM/...` a room's settings, `/games/GAME/...` a game's state, `/rolls/N/...` what is left to do
//! about a roll.

use crate::change::pointer;
use chat::{CharacterId, PlayerId, RoomId};
use std::borrow::Cow;

/// A stored document that changes apply to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Document {
    /// The table's people and settings.
    Table,
    /// A room's settings.
    Room(RoomId),
    /// A game's state.
    Game(String),
    /// What can still be done about a roll, by its entry's number.
    Roll(u64),
}

/// What a change is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The name the players gave the table.
    TableName,
    /// The game that wins when games share a command.
    MainGame,
    /// A referee.
    Referee(PlayerId),
    /// A player's seat.
    Seat(PlayerId),
    /// A character, with its name and owner.
    Character(CharacterId),
    /// A setting of the table, by the plugin that declared it.
    TableSetting(String),
    /// The entry of a sealed declaration, by character.
    Sealed(CharacterId),
    /// A note, by its entry.
    Note(u64),
    /// What the bot is to do later, by the entry that asked for it.
    Order(u64),
    /// The shortcuts of everybody at the table.
    TableShortcuts,
    /// The shortcuts of one character.
    Shortcuts(CharacterId),
    /// The scenes: the common one, where the last one ended, and those of rooms that play apart.
    Scene,
    /// Any setting of a room.
    Room(RoomId),
    /// Any part of a game's state.
    Game(String),
    /// A game's record of a roll.
    Record(u64),
    /// The offers of a roll.
    Offers(u64),
    /// A place unknown to this version, by its path. Nobody can undo a change to it.
    Other(String),
}

impl Document {
    /// The document that the path of a change points into.
    pub fn of(path: &str) -> Option<Self> {
        let mut words = path.split('/').skip(1);
        let (kind, id) = (words.next()?, words.next().map(|word| unescaped(word).into_owned()));
        Some(match kind {
            "table" => Document::Table,
            "rooms" => Document::Room(RoomId::try_from(id?).ok()?),
            "games" => Document::Game(id?),
            "rolls" => Document::Roll(id?.parse().ok()?),
            _ => return None,
        })
    }

    /// The common beginning of the paths into it.
    pub fn path(&self) -> String {
        match self {
            Document::Table => "/table".to_owned(),
            Document::Room(room) => pointer("/rooms", &room.to_string()),
            Document::Game(game) => pointer("/games", game),
            Document::Roll(number) => format!("/rolls/{number}"),
        }
    }
}

impl Place {
    /// What the path of a change is about.
    pub fn of(path: &str) -> Self {
        let words = words(path);
        let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
        Self::known(&words).unwrap_or_else(|| Place::Other(path.to_owned()))
    }

    fn known(words: &[&str]) -> Option<Self> {
        let character = |id: &str| id.parse().ok().map(CharacterId);
        Some(match words {
            ["table", "name"] => Place::TableName,
            ["table", "main_game"] => Place::MainGame,
            ["table", "referees", player] => Place::Referee(PlayerId::try_from((*player).to_owned()).ok()?),
            ["table", "seats", player, ..] => Place::Seat(PlayerId::try_from((*player).to_owned()).ok()?),
            ["table", "characters", id, ..] => Place::Character(character(id)?),
            ["table", "settings", by, ..] => Place::TableSetting((*by).to_owned()),
            ["table", "sealed", id] => Place::Sealed(character(id)?),
            ["table", "notes", number, ..] => Place::Note(number.parse().ok()?),
            ["table", "orders", number, ..] => Place::Order(number.parse().ok()?),
            ["table", "shortcuts", "table", ..] => Place::TableShortcuts,
            ["table", "shortcuts", "own", id, ..] => Place::Shortcuts(character(id)?),
            ["table", "scene" | "scene_over" | "apart", ..] => Place::Scene,
            ["rooms", room, ..] => Place::Room(RoomId::try_from((*room).to_owned()).ok()?),
            ["games", game, ..] => Place::Game((*game).to_owned()),
            ["rolls", number, "record", ..] => Place::Record(number.parse().ok()?),
            ["rolls", number, "open", ..] => Place::Offers(number.parse().ok()?),
            _ => return None,
        })
    }

    /// The character whose sheet in a game a path leads to. Games keep what a character has under `characters`, by id.
    pub fn sheet(path: &str) -> Option<CharacterId> {
        let words = words(path);
        let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
        match words.as_slice() {
            ["games", _, "state", "characters", id, ..] => id.parse().ok().map(CharacterId),
            _ => None,
        }
    }

    /// Its path.
    pub fn path(&self) -> String {
        let within = |word: &str| pointer(&Document::Table.path(), word);
        match self {
            Place::TableName => within("name"),
            Place::MainGame => within("main_game"),
            Place::Referee(player) => pointer(&within("referees"), &player.to_string()),
            Place::Seat(player) => pointer(&within("seats"), &player.to_string()),
            Place::Character(CharacterId(id)) => pointer(&within("characters"), &id.to_string()),
            Place::TableSetting(by) => pointer(&within("settings"), by),
            Place::Sealed(CharacterId(id)) => pointer(&within("sealed"), &id.to_string()),
            Place::Note(number) => pointer(&within("notes"), &number.to_string()),
            Place::Order(number) => pointer(&within("orders"), &number.to_string()),
            Place::TableShortcuts => within("shortcuts") + "/table",
            Place::Shortcuts(CharacterId(id)) => pointer(&(within("shortcuts") + "/own"), &id.to_string()),
            Place::Scene => within("scene"),
            Place::Room(room) => Document::Room(room.clone()).path(),
            Place::Game(game) => Document::Game(game.clone()).path(),
            Place::Record(number) => Document::Roll(*number).path() + "/record",
            Place::Offers(number) => Document::Roll(*number).path() + "/open",
            Place::Other(path) => path.clone(),
        }
    }

    /// The document that it is part of.
    pub fn document(&self) -> Option<Document> {
        Document::of(&self.path())
    }
}

/// The segments of a path, unescaped.
pub fn words(path: &str) -> Vec<Cow<'_, str>> {
    path.split('/').skip(1).map(unescaped).collect()
}

pub(crate) fn unescaped(word: &str) -> Cow<'_, str> {
    match word.contains('~') {
        true => Cow::Owned(word.replace("~1", "/").replace("~0", "~")),
        false => Cow::Borrowed(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One of each kind.
    fn all() -> Vec<Place> {
        let player = PlayerId::new("net", "a/n~n");
        vec![
            Place::TableName,
            Place::MainGame,
            Place::Referee(player.clone()),
            Place::Seat(player),
            Place::Character(CharacterId(3)),
            Place::TableSetting("torg".to_owned()),
            Place::Sealed(CharacterId(3)),
            Place::Note(7),
            Place::Order(7),
            Place::TableShortcuts,
            Place::Shortcuts(CharacterId(3)),
            Place::Scene,
            Place::Room(RoomId::new("net", "#a/b")),
            Place::Game("mvk".to_owned()),
            Place::Record(7),
            Place::Offers(7),
        ]
    }

    #[test]
    fn a_place_is_read_as_it_was_written() {
        for place in all() {
            let path = place.path();
            assert_eq!(Place::of(&path), place, "{path}");
            assert!(path.starts_with(&place.document().expect("it is in one").path()), "{path}");
        }
    }

    #[test]
    fn what_nobody_knows_is_no_place() {
        for path in ["", "/table", "/table/characters", "/table/oath/3", "/rolls/7", "/rolls/x/open", "/moons/1", "x"] {
            assert_eq!(Place::of(path), Place::Other(path.to_owned()));
            assert_eq!(Place::of(path).path(), path);
        }
    }
}
