//! The keys of the core's records in the store. Values are JSON, except for [entries](crate::Page::to_stored).

use chat::{CharacterId, PlayerId, Recipient, RoomId};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// The newest version of what the core stores. A newer one is refused:
///
/// 2. Rooms ignore people, and an accepted event may be a redaction; a version that knows neither would lose them.
/// 3. Entries may withhold some of their changes.
/// 4. The newest commits are in a log next to the database, where an older program would not look; each player's and
///    each character's last entry has its own record, where an older program looks into the head; and entries are stored
///    in a compact form.
///
/// An older store is upgraded at the start. The way back is a backup written for an older program.
pub const SCHEMA: u32 = 4;
/// The oldest version that a backup can be written for.
pub const OLDEST_SCHEMA: u32 = 2;
/// The first version whose entries may withhold changes.
pub const WITHHOLDING_SCHEMA: u32 = 3;
/// The first version that has records of last entries.
pub const LAST_ENTRIES_SCHEMA: u32 = 4;
/// The version of the stored data.
pub const SCHEMA_KEY: &str = "schema";
/// When the store was last restored from a backup.
pub const RESTORED_KEY: &str = "restored";
/// How old the bot is.
pub const AGE_KEY: &str = "age";
/// People whom the operator ignores everywhere.
pub const IGNORED_KEY: &str = "ignored";
/// Exists while a bot runs: finding it at the start means that the previous run did not end in order.
pub const RUNNING_KEY: &str = "running";
/// The event being played alone, because the bot may not survive it.
pub const SUSPECT_KEY: &str = "suspect";
/// The day that decides what is old; kept by the operator's side.
pub const CALENDAR_KEY: &str = "calendar";
/// The prefix of all rooms' settings.
pub const ROOMS: &str = "room/";
/// The prefix of all tables' records.
pub const TABLES: &str = "table/";

/// A table, named for ever after the room it was created in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TableId(String);

impl TableId {
    /// The table of `room`, unless the room sits at another one.
    pub fn of(room: &RoomId) -> Self {
        TableId(room.to_string())
    }

    /// The name of the table after a move with this head of its chain. No room's own table can have such a name,
    /// because no network's name contains a `:`.
    pub fn moved(&self, head: &str) -> Self {
        let name = self.0.rsplit_once('/').map_or(self.0.as_str(), |(_, name)| name);
        TableId(format!("moved:{}/{name}", head.get(..8).unwrap_or(head)))
    }

    /// The new table of a room whose own table continues elsewhere. No room's own table can have such a name, because
    /// no network's name contains a `:`.
    pub fn left_behind(room: &RoomId) -> Self {
        TableId(format!("left:{room}"))
    }

    /// Another such table, for a room that has left several.
    pub fn left_again(room: &RoomId, times: u32) -> Self {
        TableId(format!("left{times}:{room}"))
    }

    /// The room it was created in, or a room with such a name: for actions at the table while no room sits there.
    pub fn first_room(&self) -> RoomId {
        let (network, id) = self.0.split_once('/').unwrap_or(("", &self.0));
        RoomId::new(network, id)
    }

    /// The table that the record under `key` belongs to.
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

/// Encodes a name as one segment of a key, without `/`.
pub fn part(name: &str) -> Cow<'_, str> {
    match name.contains(['%', '/']) {
        true => Cow::Owned(name.replace('%', "%25").replace('/', "%2F")),
        false => Cow::Borrowed(name),
    }
}

/// Decodes the name from a segment made by [`part`].
fn whole(part: &str) -> String {
    part.replace("%2F", "/").replace("%25", "%")
}

/// Families of records that anybody can ask for by a name that they made up, with each message. There are not many of
/// them, so all their keys can be known.
const FAMILIES: [&str; 3] = [ACCOUNTS, ALONE, ROOMS];

/// The prefix of the family of a key, if it is of one that anybody can ask for.
pub fn family_of(key: &str) -> Option<&'static str> {
    FAMILIES.into_iter().find(|family| key.starts_with(family))
}

/// A number in ten digits, so that keys sort numerically.
fn number(number: u64) -> String {
    format!("{number:010}")
}

/// A room's settings.
pub fn room(room: &RoomId) -> String {
    format!("{ROOMS}{}/{}", part(&room.network), part(&room.id))
}

/// The room whose settings are under `key`.
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

/// The end of a table's journal.
pub fn head(id: &TableId) -> String {
    table(id, "head")
}

/// A seed, in hexadecimal.
pub fn seed(id: &TableId, epoch: u32) -> String {
    table(id, &format!("seed/{epoch}"))
}

/// The prefix of the states of games at a table.
pub fn games(id: &TableId) -> String {
    table(id, "game/")
}

/// A game's state at a table.
pub fn game(id: &TableId, game: &str) -> String {
    format!("{}{}", games(id), part(game))
}

/// The game whose state at a table is under `key`.
pub fn game_of_key(id: &TableId, key: &str) -> Option<String> {
    key.strip_prefix(&games(id)).map(whole)
}

/// The number up to which the words of a journal's entries were erased because of their age.
pub fn erased_up_to(id: &TableId) -> String {
    table(id, "erased")
}

/// The prefix of all words by which a table can be continued elsewhere.
pub const LEAVES: &str = "leave/";

/// The table that can be continued elsewhere with this word.
pub fn leave(word: &str) -> String {
    format!("{LEAVES}{}", part(word))
}

/// The prefix of all orders that wait for their time.
pub const DUE: &str = "due/";

/// The prefix of a table's orders that wait for their time.
pub fn due_at(id: &TableId) -> String {
    format!("{DUE}{}/", part(&id.0))
}

/// An order that waits for its time, by its entry.
pub fn due(id: &TableId, n: u64) -> String {
    format!("{}{}", due_at(id), number(n))
}

/// The table and the entry of the order under `key`.
pub fn order_of_due(key: &str) -> Option<(TableId, u64)> {
    let (table, number) = key.strip_prefix(DUE)?.split_once('/')?;
    Some((TableId(whole(table)), number.parse().ok()?))
}

/// What the board of a room shows.
pub fn board(room: &RoomId) -> String {
    format!("board/{}/{}", part(&room.network), part(&room.id))
}

/// The prefix of all words by which a room can be linked to a table.
pub const LINKS: &str = "link/";

/// The table that a room can be linked to with this word.
pub fn link(word: &str) -> String {
    format!("{LINKS}{}", part(word))
}

/// The prefix of the pages of all tables.
pub const PAGES: &str = "page/";

/// By which links the page of a table is found. It belongs to no table's records: a table that moves to another bot leaves
/// its links behind, and no journal or export has them.
pub fn page(id: &TableId) -> String {
    format!("{PAGES}{}", part(&id.0))
}

/// The table whose page is under `key`.
pub fn table_of_page(key: &str) -> Option<TableId> {
    key.strip_prefix(PAGES).map(|name| TableId(whole(name)))
}

/// The prefix of all words by which two accounts become one player.
pub const ACCOUNT_WORDS: &str = "account-word/";

/// What a word by which two accounts become one player stands for, by the digest of the word.
pub fn account_word(digest: &str) -> String {
    format!("{ACCOUNT_WORDS}{}", part(digest))
}

/// The prefix of all links between two accounts.
pub const ACCOUNTS: &str = "account/";

/// The other account of the same player. It counts only if that one says the same.
pub fn account(player: &PlayerId) -> String {
    format!("{ACCOUNTS}{}/{}", part(&player.network), part(&player.id))
}

/// When one of a player's two accounts was last used.
pub fn account_used(player: &PlayerId) -> String {
    format!("account-used/{}/{}", part(&player.network), part(&player.id))
}

/// The prefix of the rooms that came to a table from another one. A room counts only if its own settings say the same.
pub fn seated_at(id: &TableId) -> String {
    format!("seated/{}/", part(&id.0))
}

/// A room that came to a table from another one.
pub fn seated(id: &TableId, room: &RoomId) -> String {
    format!("{}{}/{}", seated_at(id), part(&room.network), part(&room.id))
}

/// The room named by such a record.
pub fn seated_room(id: &TableId, key: &str) -> Option<RoomId> {
    let (network, room) = key.strip_prefix(&seated_at(id))?.split_once('/')?;
    Some(RoomId::new(whole(network), whole(room)))
}

/// The prefix of all entries, after the table's own prefix.
const ENTRY: &str = "entry/";

/// The prefix of a journal's entries.
pub fn entries(id: &TableId) -> String {
    table(id, ENTRY)
}

/// An entry with its parts, as a link of the chain.
pub fn entry(id: &TableId, n: u64) -> String {
    table(id, &format!("{ENTRY}{}", number(n)))
}

/// True if the record under `key` is an entry.
pub fn is_entry(key: &str) -> bool {
    let below = key.strip_prefix(TABLES).and_then(|key| key.split_once('/'));
    below.is_some_and(|(_, below)| below.starts_with(ENTRY))
}

/// A roll that can be followed up: its record as it stands now.
pub fn roll(id: &TableId, n: u64) -> String {
    table(id, &format!("roll/{}", number(n)))
}

/// A character's latest roll of a game.
pub fn latest(id: &TableId, character: u32, game: &str) -> String {
    table(id, &format!("latest/{character}/{}", part(game)))
}

/// Below a table: the prefix of players' last entries, and that of characters'.
const OF_PLAYERS: &str = "player/";
const OF_CHARACTERS: &str = "character/";

/// The owner of a last-entry record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Last {
    /// A player's.
    OfPlayer(PlayerId),
    /// A character's.
    OfCharacter(CharacterId),
}

impl Last {
    /// The owner of the last entry under `key`, a record of the table `id`.
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

/// The prefixes of all last entries of a table.
pub fn last_entries(id: &TableId) -> [String; 2] {
    [OF_PLAYERS, OF_CHARACTERS].map(|kind| table(id, kind))
}

/// The meaning of a player's numbers.
pub fn choices(id: &TableId, player: &PlayerId) -> String {
    table(id, &format!("offers/{}", part(&player.to_string())))
}

/// The prefix of entries that are secret and not revealed.
pub fn secrets(id: &TableId) -> String {
    table(id, "secret/")
}

/// The epoch of an entry that is secret and not revealed.
pub fn secret(id: &TableId, n: u64) -> String {
    table(id, &format!("secret/{}", number(n)))
}

/// The prefix of published seeds.
pub fn published_seeds(id: &TableId) -> String {
    table(id, "published/")
}

/// The entry that published a seed.
pub fn published(id: &TableId, epoch: u32) -> String {
    table(id, &format!("published/{epoch:010}"))
}

/// The prefix of all records of a table.
pub fn all_of(id: &TableId) -> String {
    table(id, "")
}

/// The prefix of all outcomes of messages.
pub const INBOX: &str = "inbox/";

/// The outcome of a message.
pub fn inbox(room: &RoomId, message: &str) -> String {
    format!("{INBOX}{}/{}/{}", part(&room.network), part(&room.id), part(message))
}

/// The message whose outcome is under `key`.
pub fn message_of_inbox(key: &str) -> Option<(RoomId, String)> {
    let (network, rest) = key.strip_prefix(INBOX)?.split_once('/')?;
    let (room, message) = rest.split_once('/')?;
    Some((RoomId::new(whole(network), whole(room)), whole(message)))
}

/// The prefix of accepted events not played yet.
pub const WAITING: &str = "waiting/";

/// An accepted event not played yet.
pub fn waiting(network: &str, n: u64) -> String {
    format!("{}{}", waiting_of(network), number(n))
}

/// The prefix of a network's accepted events not played yet.
pub fn waiting_of(network: &str) -> String {
    format!("{WAITING}{}/", part(network))
}

/// The prefix of posts not said yet.
pub const OUTBOX: &str = "outbox/";

/// A post not said yet.
pub fn outbox(network: &str, n: u64) -> String {
    format!("{}{}", outbox_of(network), number(n))
}

/// The prefix of a network's posts not said yet.
pub fn outbox_of(network: &str) -> String {
    format!("{OUTBOX}{}/", part(network))
}

/// The roll that one of the bot's answers showed.
pub fn said(network: &str, id: &str) -> String {
    format!("said/{}/{}", part(network), part(id))
}

/// The command to put before a number with which somebody reacts to an answer.
pub fn numbers(network: &str, id: &str) -> String {
    format!("numbers/{}/{}", part(network), part(id))
}

/// The id that a network gave to a post that may be edited. The keys of posts begin with the network of the message they
/// answer, and an answer may be shown on other networks too.
pub fn answer(post: &str) -> String {
    let network = post.split('/').next().unwrap_or_default();
    format!("answer/{}/{}", part(network), part(post))
}

/// The prefix of all answers to a message, to any room or in private.
pub fn answers_to(room: &RoomId, message: &str) -> String {
    answer(&format!("{room}/{message}/"))
}

/// Takes the place of the recipient in the key of an answer to a message that was not played.
pub const SORRY: &str = "sorry/";

/// The recipient of such an answer.
pub fn answered(prefix: &str, key: &str) -> Option<String> {
    key.strip_prefix(prefix).map(whole)
}

/// The prefix of the rests of long answers.
pub const RESTS: &str = "rest/";

/// The rest of the last long answer in a room, or to one player.
pub fn rest(room: &RoomId, to: &Recipient) -> String {
    let whose = match to {
        Recipient::Room => format!("room/{}", part(&room.id)),
        Recipient::Player(player) => format!("player/{}", part(&player.id)),
    };
    format!("{RESTS}{}/{whose}", part(&room.network))
}

/// The prefix of the corrections of refused lines.
pub const MENDED: &str = "mended/";

/// The correction of the line last refused to a player in a room.
pub fn mended(room: &RoomId, player: &PlayerId) -> String {
    format!("{MENDED}{}/{}/{}", part(&room.network), part(&room.id), part(&player.to_string()))
}

/// Exists once a room was told what the bot is.
pub fn greeted(room: &RoomId) -> String {
    format!("greeted/{}/{}", part(&room.network), part(&room.id))
}

/// The names of a room when they were last reported.
pub fn called(room: &RoomId) -> String {
    format!("called/{}/{}", part(&room.network), part(&room.id))
}

/// The prefixes of records that name rooms of this network: greeted rooms, and rooms with settings.
pub fn rooms_known(network: &str) -> [String; 2] {
    ["greeted/", ROOMS].map(|kind| format!("{kind}{}/", part(network)))
}

/// The room named by such a record.
pub fn known_room(network: &str, prefix: &str, key: &str) -> Option<RoomId> {
    key.strip_prefix(prefix).map(|id| RoomId::new(network, whole(id)))
}

/// The prefix of all rooms in which the bot is alone.
pub const ALONE: &str = "alone/";

/// Since when the bot has been alone in a room.
pub fn alone(room: &RoomId) -> String {
    format!("{ALONE}{}/{}", part(&room.network), part(&room.id))
}

/// The private chat in which an owner gives orders.
pub fn owners_chat(owner: &PlayerId) -> String {
    format!("ownerschat/{}/{}", part(&owner.network), part(&owner.id))
}

/// A transport's own note.
pub fn note(network: &str, name: &str) -> String {
    format!("note/{}/{}", part(network), part(name))
}
