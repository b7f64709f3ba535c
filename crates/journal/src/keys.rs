//! The names of the core's records in the store. Values are JSON, but for [entries](crate::Page::to_stored).

use chat::{CharacterId, PlayerId, Recipient, RoomId};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// The newest version of what the core stores. A newer one is refused:
///
/// 2. Rooms ignore people, and what is accepted may be a redaction: a version that does not know them would lose them.
/// 3. Entries may withhold some of their changes.
/// 4. The newest commits stand in a log beside the database, which an older program would not look into; each player's and
///    each character's last entry has a record of its own, where an older program looks into the head; and entries are
///    stored in a compact form.
///
/// A store is brought up to it at the start. The way back is a backup that is written for an older program.
pub const SCHEMA: u32 = 4;
/// The oldest version that a backup can be written for.
pub const OLDEST_SCHEMA: u32 = 2;
/// The first version whose entries may withhold changes.
pub const WITHHOLDING_SCHEMA: u32 = 3;
/// The first version that has records of last entries.
pub const LAST_ENTRIES_SCHEMA: u32 = 4;
/// Where the version stands.
pub const SCHEMA_KEY: &str = "schema";
/// When the store was last restored from a backup.
pub const RESTORED_KEY: &str = "restored";
/// How old the bot is.
pub const AGE_KEY: &str = "age";
/// Who is answered nowhere, by the operator's word.
pub const IGNORED_KEY: &str = "ignored";
/// Stands while a bot runs: who finds it at the start knows that the run before did not end in order.
pub const RUNNING_KEY: &str = "running";
/// The event that is alone in play, since the bot may not survive it.
pub const SUSPECT_KEY: &str = "suspect";
/// By which day things are old; the operator's side keeps it.
pub const CALENDAR_KEY: &str = "calendar";
/// All rooms' settings begin so.
pub const ROOMS: &str = "room/";
/// All tables' records begin so.
pub const TABLES: &str = "table/";

/// A table: named for ever after the room it was first laid in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TableId(String);

impl TableId {
    /// The table of `room`, unless the room sits at another one.
    pub fn of(room: &RoomId) -> Self {
        TableId(room.to_string())
    }

    /// The table's name where it moved to with this head of its chain: one that no room's own table can have, since no
    /// network's name has a `:`.
    pub fn moved(&self, head: &str) -> Self {
        let name = self.0.rsplit_once('/').map_or(self.0.as_str(), |(_, name)| name);
        TableId(format!("moved:{}/{name}", head.get(..8).unwrap_or(head)))
    }

    /// The new table of a room whose own goes on elsewhere: no room's own can be called so, since no network's name has a `:`.
    pub fn left_behind(room: &RoomId) -> Self {
        TableId(format!("left:{room}"))
    }

    /// The room that it was first laid in, or a name like one: for what is done at it while no room sits there.
    pub fn first_room(&self) -> RoomId {
        let (network, id) = self.0.split_once('/').unwrap_or(("", &self.0));
        RoomId::new(network, id)
    }

    /// The table that a record under `key` belongs to.
    pub fn of_key(key: &str) -> Option<Self> {
        let (name, _) = key.strip_prefix(TABLES)?.split_once('/')?;
        Some(TableId(whole(name)))
    }
}

impl fmt::Display for TableId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A name as one part of a key: `/` must not divide it.
pub fn part(name: &str) -> Cow<'_, str> {
    match name.contains(['%', '/']) {
        true => Cow::Owned(name.replace('%', "%25").replace('/', "%2F")),
        false => Cow::Borrowed(name),
    }
}

/// The name of which [`part`] made a part of a key.
fn whole(part: &str) -> String {
    part.replace("%2F", "/").replace("%25", "%")
}

/// Numbers in keys have ten digits, so that their order is the keys' order.
fn number(number: u64) -> String {
    format!("{number:010}")
}

/// A room's settings.
pub fn room(room: &RoomId) -> String {
    format!("{ROOMS}{}/{}", part(&room.network), part(&room.id))
}

/// The room whose settings stand under `key`.
pub fn room_of_key(key: &str) -> Option<RoomId> {
    let (network, id) = key.strip_prefix(ROOMS)?.split_once('/')?;
    Some(RoomId::new(whole(network), whole(id)))
}

fn table(table: &TableId, rest: &str) -> String {
    format!("{TABLES}{}/{rest}", part(&table.0))
}

/// A table's people and settings.
pub fn doc(id: &TableId) -> String {
    table(id, "doc")
}

/// Where a table's journal ends.
pub fn head(id: &TableId) -> String {
    table(id, "head")
}

/// A seed, in hexadecimal.
pub fn seed(id: &TableId, epoch: u32) -> String {
    table(id, &format!("seed/{epoch}"))
}

/// What a game holds at a table.
pub fn game(id: &TableId, game: &str) -> String {
    table(id, &format!("game/{}", part(game)))
}

/// The number up to which the words of a journal's entries were erased because of their age.
pub fn erased_up_to(id: &TableId) -> String {
    table(id, "erased")
}

/// All words begin so by which a table may be gone on with elsewhere.
pub const LEAVES: &str = "leave/";

/// The table that may be gone on with elsewhere by this word.
pub fn leave(word: &str) -> String {
    format!("{LEAVES}{}", part(word))
}

/// Below a table's name all of its entries begin so.
const ENTRY: &str = "entry/";

/// All entries of a journal begin so.
pub fn entries(id: &TableId) -> String {
    table(id, ENTRY)
}

/// An entry with its parts, as a link of the chain.
pub fn entry(id: &TableId, n: u64) -> String {
    table(id, &format!("{ENTRY}{}", number(n)))
}

/// Whether the record under `key` is an entry.
pub fn is_entry(key: &str) -> bool {
    let below = key.strip_prefix(TABLES).and_then(|key| key.split_once('/'));
    below.is_some_and(|(_, below)| below.starts_with(ENTRY))
}

/// What can be followed up: a roll's record as it stands now.
pub fn roll(id: &TableId, n: u64) -> String {
    table(id, &format!("roll/{}", number(n)))
}

/// A character's latest roll of a game.
pub fn latest(id: &TableId, character: u32, game: &str) -> String {
    table(id, &format!("latest/{character}/{}", part(game)))
}

/// All players' last entries stand below the first of these, all characters' below the second.
const OF_PLAYERS: &str = "player/";
const OF_CHARACTERS: &str = "character/";

/// Whose last entry a record is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Last {
    /// A player's.
    OfPlayer(PlayerId),
    /// A character's.
    OfCharacter(CharacterId),
}

impl Last {
    /// Whose last entry stands under `key`, a record of the table `id`.
    pub fn of_key(id: &TableId, key: &str) -> Option<Self> {
        let key = key.strip_prefix(&all_of(id))?;
        match key.strip_prefix(OF_PLAYERS) {
            Some(player) => whole(player).try_into().ok().map(Last::OfPlayer),
            None => key.strip_prefix(OF_CHARACTERS)?.parse().ok().map(|id| Last::OfCharacter(CharacterId(id))),
        }
    }
}

/// The number of a player's last entry.
pub fn last_of_player(id: &TableId, player: &PlayerId) -> String {
    table(id, &format!("{OF_PLAYERS}{}", part(&player.to_string())))
}

/// The number of a character's last entry.
pub fn last_of_character(id: &TableId, character: CharacterId) -> String {
    table(id, &format!("{OF_CHARACTERS}{}", character.0))
}

/// All last entries of a table begin with one of these.
pub fn last_entries(id: &TableId) -> [String; 2] {
    [OF_PLAYERS, OF_CHARACTERS].map(|kind| table(id, kind))
}

/// What a player's numbers mean.
pub fn choices(id: &TableId, player: &PlayerId) -> String {
    table(id, &format!("offers/{}", part(&player.to_string())))
}

/// All entries begin so that are secret and not revealed.
pub fn secrets(id: &TableId) -> String {
    table(id, "secret/")
}

/// The epoch of an entry that is secret and not revealed.
pub fn secret(id: &TableId, n: u64) -> String {
    table(id, &format!("secret/{}", number(n)))
}

/// All published seeds begin so.
pub fn published_seeds(id: &TableId) -> String {
    table(id, "published/")
}

/// The entry that published a seed.
pub fn published(id: &TableId, epoch: u32) -> String {
    table(id, &format!("published/{epoch:010}"))
}

/// All records of a table begin so.
pub fn all_of(id: &TableId) -> String {
    table(id, "")
}

/// All that says what became of messages begins so.
pub const INBOX: &str = "inbox/";

/// What became of a message.
pub fn inbox(room: &RoomId, message: &str) -> String {
    format!("{INBOX}{}/{}/{}", part(&room.network), part(&room.id), part(message))
}

/// The message of which the record under `key` says what became.
pub fn message_of_inbox(key: &str) -> Option<(RoomId, String)> {
    let (network, rest) = key.strip_prefix(INBOX)?.split_once('/')?;
    let (room, message) = rest.split_once('/')?;
    Some((RoomId::new(whole(network), whole(room)), whole(message)))
}

/// All accepted events begin so that were not played yet.
pub const WAITING: &str = "waiting/";

/// An accepted event that was not played yet.
pub fn waiting(network: &str, n: u64) -> String {
    format!("{}{}", waiting_of(network), number(n))
}

/// All of a network's accepted events begin so that were not played yet.
pub fn waiting_of(network: &str) -> String {
    format!("{WAITING}{}/", part(network))
}

/// All posts begin so that were not said yet.
pub const OUTBOX: &str = "outbox/";

/// A post that was not said yet.
pub fn outbox(network: &str, n: u64) -> String {
    format!("{}{}", outbox_of(network), number(n))
}

/// All posts of a network begin so.
pub fn outbox_of(network: &str) -> String {
    format!("{OUTBOX}{}/", part(network))
}

/// The roll that an answer of the bot showed.
pub fn said(network: &str, id: &str) -> String {
    format!("said/{}/{}", part(network), part(id))
}

/// The command in front of a number that somebody puts at an answer as a sign.
pub fn numbers(network: &str, id: &str) -> String {
    format!("numbers/{}/{}", part(network), part(id))
}

/// The id that a network gave to a post which may be edited.
pub fn answer(network: &str, post: &str) -> String {
    format!("answer/{}/{}", part(network), part(post))
}

/// Those of all that was answered to a message begin so, to the room and to people alone.
pub fn answers_to(room: &RoomId, message: &str) -> String {
    answer(&room.network, &format!("{room}/{message}/"))
}

/// What stands there in place of whom it was said to, where a message was not played.
pub const SORRY: &str = "sorry/";

/// Whom such an answer was said to.
pub fn answered(prefix: &str, key: &str) -> Option<String> {
    key.strip_prefix(prefix).map(whole)
}

/// All that did not fit of long answers begins so.
pub const RESTS: &str = "rest/";

/// What did not fit of the last long answer in a room, or to one player.
pub fn rest(room: &RoomId, to: &Recipient) -> String {
    let whose = match to {
        Recipient::Room => format!("room/{}", part(&room.id)),
        Recipient::Player(player) => format!("player/{}", part(&player.id)),
    };
    format!("{RESTS}{}/{whose}", part(&room.network))
}

/// All lines that were refused, as they would have been right, begin so.
pub const MENDED: &str = "mended/";

/// How the line would have been right that was last refused to a player in a room.
pub fn mended(room: &RoomId, player: &PlayerId) -> String {
    format!("{MENDED}{}/{}/{}", part(&room.network), part(&room.id), part(&player.to_string()))
}

/// A room was told what the bot is.
pub fn greeted(room: &RoomId) -> String {
    format!("greeted/{}/{}", part(&room.network), part(&room.id))
}

/// What people called a room when that was last told.
pub fn called(room: &RoomId) -> String {
    format!("called/{}/{}", part(&room.network), part(&room.id))
}

/// All records begin so of which each tells of a room of this network: those that were greeted, and those with settings.
pub fn rooms_known(network: &str) -> [String; 2] {
    ["greeted/", ROOMS].map(|kind| format!("{kind}{}/", part(network)))
}

/// The room that such a record tells of.
pub fn known_room(network: &str, prefix: &str, key: &str) -> Option<RoomId> {
    key.strip_prefix(prefix).map(|id| RoomId::new(network, whole(id)))
}

/// Since when nobody else is in a room.
pub fn alone(room: &RoomId) -> String {
    format!("alone/{}/{}", part(&room.network), part(&room.id))
}

/// A transport's own note.
pub fn note(network: &str, name: &str) -> String {
    format!("note/{}/{}", part(network), part(name))
}
