//! Events played in another way than they came. `in ROOM COMMAND`, said in a private chat, is played at that room's
//! table. A number as a reaction to an answer chooses a command. `y` after a refusal plays the corrected line.

use crate::Host;
use crate::room::{EDITS, LATE};
use crate::route::SaidTo;
use crate::words::CommandLine;
use chat::{Event, Message, PlayerId, RoomId, Standing};
use journal::documents::{ChoicesDoc, Head, InboxRow, MendedDoc, RoomDoc, TableDoc, from_json};
use journal::keys::{self, TableId};
use journal::store::StoreError;
use journal::{Page, digest};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The word of the command.
const IN: &str = "in";
/// The word that plays the corrected line.
pub const YES: &str = "y";
/// The most bytes of a message that may say `y` with the bot's name in front.
const LONGEST_YES: usize = 64;
/// Reactions to a refusal that mean the same, in any skin colour.
const AGREEING: [&str; 3] = ["\u{1f44d}", "\u{2705}", "\u{1f197}"];
/// Begins the record of whom a refusal was told. Earlier versions wrote only [`YES`].
const AGREEMENT: &str = "y of ";
/// How many entries to search for a message taken back so late that nothing else is known of it.
const MOST_LOOKED_AT: usize = 1_000;
/// At how many tables.
const MOST_TABLES: usize = 8;

/// The record of a refusal to this player.
pub fn agreement_of(player: &PlayerId) -> String {
    format!("{AGREEMENT}{}", &digest(player.to_string().as_bytes())[..16])
}

impl Host {
    /// Directs the event to where it is played; `None` if it is not played. All lines of a private message that begins
    /// with `in ROOM` go to that room, if its sender is in there. Otherwise it stays where it is, and `in` says why.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn directed(&self, mut event: Event) -> Result<Option<Event>, StoreError> {
        if let Event::Reacted { message, to, sign } = event {
            return self.chosen(message, &to, &sign);
        }
        if let Event::Redacted { message, of } = event {
            return self.taken_back(message, of);
        }
        if let Event::Said(message) | Event::Edited { message, .. } = &event
            && message.late
            && !LATE.is_on(&self.room_doc(&message.room)?)
        {
            return Ok(None);
        }
        if let Event::Said(message) | Event::Edited { message, .. } = &mut event
            && message.private
            && message.aside.is_none()
        {
            self.direct(message)?;
        }
        Ok(Some(event))
    }

    /// The command chosen by a reaction to an answer, if it is a number that the answer showed to the person reacting,
    /// or to everybody.
    fn chosen(&self, mut message: Message, to: &str, sign: &str) -> Result<Option<Event>, StoreError> {
        let network = &message.room.network;
        let of_numbers = self.read_doc::<String>(&keys::numbers(network, to))?;
        let own = agreement_of(&message.speaker.player);
        if of_numbers.as_deref().is_some_and(|of| of != own && of.starts_with(AGREEMENT)) {
            // A refusal to somebody else.
            return Ok(None);
        }
        if of_numbers.as_deref().is_some_and(|of| of == own || of == YES) {
            message.body = format!("{}{YES}", self.prefix_of(&message.room)?);
            let agrees = AGREEING.iter().any(|agreeing| sign.starts_with(agreeing));
            return Ok(agrees.then_some(Event::Said(message)));
        }
        let Some(number) = number(sign) else { return Ok(None) };
        let command = match of_numbers {
            Some(command) => format!("{command} {number}"),
            None => {
                let Some((table, shown)) = self.read_doc::<(TableId, u64)>(&keys::said(network, to))? else {
                    return Ok(None);
                };
                let choices = self.read_doc::<ChoicesDoc>(&keys::choices(&table, &message.speaker.player))?;
                // Numbers refer to the newest answer that showed any.
                if choices.is_none_or(|doc| doc.shown != shown || doc.choices.is_empty()) {
                    return Ok(None);
                }
                number.to_string()
            }
        };
        message.body = format!("{}{command}", self.prefix_of(&message.room)?);
        Ok(Some(Event::Said(message)))
    }

    /// The event as it is played. If somebody says `y`, that is the next version of the line last refused to them, in its
    /// corrected form, unless they have done something else since. Asked just before it is played, since what they
    /// said before may not be played yet when it is heard.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn agreed<'a>(&self, event: &'a Event) -> Result<Cow<'a, Event>, StoreError> {
        match event {
            Event::Said(message) if message.aside.is_none() => {
                Ok(self.next_version(message)?.map_or(Cow::Borrowed(event), Cow::Owned))
            }
            event => Ok(Cow::Borrowed(event)),
        }
    }

    /// The line that this message agrees to, as a new version of the refused one.
    fn next_version(&self, message: &Message) -> Result<Option<Event>, StoreError> {
        // Nearly everything people say is something else and need not be parsed twice.
        let body = message.body.trim();
        if body.len() > LONGEST_YES || !body.ends_with(['y', 'Y', 's', 'S']) {
            return Ok(None);
        }
        let room = self.room_doc(&message.room)?;
        let lines = self.router.lines(&message.body, &room.prefix, SaidTo::of(message), None);
        let yes = |line: &CommandLine| [YES, "yes"].iter().any(|yes| line.typed.eq_ignore_ascii_case(yes));
        if !matches!(lines.as_slice(), [line] if yes(line)) {
            return Ok(None);
        }
        let own = keys::inbox(&message.room, &message.id);
        if message.comes_again && self.read_doc::<InboxRow>(&own)?.is_some() {
            return Ok(None);
        }
        let player = &message.speaker.player;
        let Some(mended) = self.read_doc::<MendedDoc>(&keys::mended(&message.room, player))? else {
            return Ok(None);
        };
        let head: Head = self.read_doc(&keys::head(&room.table))?.unwrap_or_default();
        let newest = head.last_of_player(&room.table, player, |key| self.read_doc(key))?;
        let MendedDoc { message: original, line, reply_to, table, after, .. } = mended;
        if table != room.table || newest != after {
            return Ok(None);
        }
        let row = self.read_doc::<InboxRow>(&keys::inbox(&message.room, &original))?;
        let mut message = message.clone();
        match row {
            Some(InboxRow::Played { .. } | InboxRow::Waiting) => return Ok(None),
            _ => (message.body, message.reply_to) = (format!("{}{line}", room.prefix), reply_to),
        }
        Ok(Some(match row {
            Some(InboxRow::Refused { .. }) if EDITS.is_on(&room) => Event::Edited { message, original },
            _ => Event::Said(message),
        }))
    }

    /// Directs a redaction to where its message was played, which differs from where it was said if it was said aside
    /// or its room was replaced. If the message still waits, the redaction is played after it. At a table where no room
    /// sits any more, it is played for its own room; see [`table_for`](Self::table_for).
    fn taken_back(&self, mut message: Message, of: String) -> Result<Option<Event>, StoreError> {
        let here = self.table_of(&message.room)?;
        let room = match self.read_doc::<InboxRow>(&keys::inbox(&message.room, &of))? {
            Some(InboxRow::Played { table: Some(table), .. }) if table != here => {
                self.room_at(&table, &message.room.network)?.unwrap_or_else(|| message.room.clone())
            }
            Some(InboxRow::Played { .. } | InboxRow::Refused { .. }) => message.room.clone(),
            Some(InboxRow::Waiting) => self.room_of_waiting(&message.room, &of)?,
            None if self.table_long_ago(&message, &of)?.is_none() => return Ok(None),
            None => message.room.clone(),
        };
        if room != message.room {
            message.aside = Some(std::mem::replace(&mut message.room, room));
            message.private = false;
            message.speaker.standing = Standing::Member;
        }
        Ok(Some(Event::Redacted { message, of }))
    }

    /// A room that sits at a table, if any: on this network the one it was created in, or another; else one elsewhere.
    fn room_at(&self, table: &TableId, network: &str) -> Result<Option<RoomId>, StoreError> {
        let (first, mut elsewhere) = (table.first_room(), None);
        if first.network == network && self.table_of(&first)? == *table {
            return Ok(Some(first));
        }
        for record in self.committer().stored(keys::ROOMS) {
            let (key, doc) = record?;
            let Some(room) = keys::room_of_key(&key) else { continue };
            let sits_there = from_json::<RoomDoc>(&key, &doc)?.table == *table;
            match room.network == network {
                true if sits_there => return Ok(Some(room)),
                false if sits_there => elsewhere = Some(room),
                _ => {}
            }
        }
        if elsewhere.is_none() && self.table_of(&first)? == *table {
            elsewhere = Some(first);
        }
        Ok(elsewhere)
    }

    /// The room where a message accepted in `said_in` will be played.
    fn room_of_waiting(&self, said_in: &RoomId, id: &str) -> Result<RoomId, StoreError> {
        for record in self.committer().stored(&keys::waiting_of(&said_in.network)) {
            let (key, event) = record?;
            let mut event: Event = from_json(&key, &event)?;
            if let Some(message) = event.message_mut()
                && message.id == id
                && message.said_in() == said_in
            {
                return Ok(message.room.clone());
            }
        }
        // It was played in between.
        Ok(said_in.clone())
    }

    /// The table at which an event is played: its room's, unless it takes back what was played at another one.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn table_for(&self, event: &Event) -> Result<TableId, StoreError> {
        let here = self.table_of(event.room())?;
        let Event::Redacted { message, of } = event else { return Ok(here) };
        Ok(match self.read_doc::<InboxRow>(&keys::inbox(message.said_in(), of))? {
            Some(InboxRow::Played { table, .. }) => table.unwrap_or(here),
            Some(InboxRow::Refused { .. } | InboxRow::Waiting) => here,
            None => self.table_long_ago(message, of)?.unwrap_or(here),
        })
    }

    /// The table of a message whose outcome is no longer stored, among those where its sender may have played it: that of
    /// the room, those that the room had itself, and those of other rooms where they are.
    fn table_long_ago(&self, message: &Message, of: &str) -> Result<Option<TableId>, StoreError> {
        let mut looked_at = BTreeSet::new();
        let rooms = std::iter::once(message.room.clone()).chain(self.roster.rooms_of(&message.speaker.player));
        let now: Vec<TableId> = rooms.map(|room| self.table_of(&room)).collect::<Result<_, _>>()?;
        let (own, left) = (TableId::of(&message.room), TableId::left_behind(&message.room));
        let again = (2..).map(|times| TableId::left_again(&message.room, times));
        let again = again.take_while(|table| matches!(self.committer().read(&keys::head(table)), Ok(Some(_))));
        for table in now.into_iter().chain([own, left]).chain(again).take(MOST_TABLES) {
            if looked_at.insert(table.clone()) && !self.played_long_ago(&table, message, of)?.is_empty() {
                return Ok(Some(table));
            }
        }
        Ok(None)
    }

    /// The entries of a message whose outcome is no longer stored, if whoever takes it back sent it; searched among
    /// their last entries at the table.
    pub fn played_long_ago(&self, table: &TableId, message: &Message, of: &str) -> Result<Vec<u64>, StoreError> {
        let head: Head = self.read_doc(&keys::head(table))?.unwrap_or_default();
        let mut next = head.last_of_player(table, &message.speaker.player, |key| self.read_doc(key))?;
        let mut entries = Vec::new();
        for _ in 0..MOST_LOOKED_AT {
            let Some(number) = next else { break };
            let key = keys::entry(table, number);
            let Some(record) = self.committer().read(&key)? else { break };
            let Page { entry, link } = Page::of_stored(&key, &record)?;
            if entry.key.id == of && entry.key.room == message.said_in().id {
                entries.push(number);
            }
            next = link.before.player;
        }
        entries.reverse();
        Ok(entries)
    }

    fn direct(&self, message: &mut Message) -> Result<(), StoreError> {
        let lines = self.router.lines(&message.body, &self.prefix_of(&message.room)?, SaidTo::BotAlone, None);
        let Some(first) = lines.first().filter(|line| line.word().0 == IN) else { return Ok(()) };
        let (name, rest) = named(first.typed[IN.len()..].trim_start());
        if rest.trim().is_empty() {
            return Ok(());
        }
        let Some(room) = self.room_called(name, &message.room, &message.speaker.player)? else { return Ok(()) };
        let rest = rest.trim();
        let others = lines.iter().skip(1).map(|line| line.typed.as_str());
        message.body = std::iter::once(rest).chain(others).collect::<Vec<_>>().join("\n");
        message.aside = Some(std::mem::replace(&mut message.room, room));
        message.private = false;
        // A person's standing and name in the private chat say nothing about the room.
        message.speaker.standing = Standing::Member;
        if let Some(name) = self.roster.present(&message.room).get(&message.speaker.player) {
            message.speaker.name.clone_from(name);
        }
        Ok(())
    }

    /// The room with this name that the player is in, if it is only one.
    fn room_called(&self, name: &str, here: &RoomId, player: &PlayerId) -> Result<Option<RoomId>, StoreError> {
        let called = self.rooms_called(name, here, player)?;
        match (called.by, called.rooms.as_slice()) {
            (By::Id, [only]) => Ok(Some(only.clone())),
            (By::Name, [only]) if !self.may_be_another(&called.name, player)? => Ok(Some(only.clone())),
            _ => Ok(None),
        }
    }

    /// The rooms that the player is in and may mean by this name.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn rooms_called(&self, name: &str, here: &RoomId, player: &PlayerId) -> Result<Called, StoreError> {
        let name = name.trim_end_matches([':', ',']);
        let wanted = name.to_lowercase();
        let rooms: Vec<RoomId> = self.roster.rooms_of(player).into_iter().filter(|room| room != here).collect();
        // Room ids come first, because anyone may give a table any name.
        let by_id = |rooms: Vec<RoomId>| Ok(Called { by: By::Id, name: plain(&wanted), rooms });
        if let Some(room) = rooms.iter().find(|room| room.id == name || room.to_string() == name) {
            return by_id(vec![room.clone()]);
        }
        let called = |room: &&RoomId| room.to_string().to_lowercase() == wanted || plain(&room.id) == plain(&wanted);
        let found: Vec<RoomId> = rooms.iter().filter(called).cloned().collect();
        // A name that looks like an id is meant as one, even if that room is not known yet.
        if !found.is_empty() || name.starts_with('!') {
            return by_id(found);
        }
        let mut found = Vec::new();
        for room in &rooms {
            match self.table_doc(room) {
                Ok(doc) => {
                    let shown = self.roster.names_of(room);
                    let mut names = shown.iter().chain(doc.as_ref().and_then(|doc| doc.name.as_ref()));
                    found.extend(names.any(|name| plain(name) == plain(&wanted)).then(|| room.clone()));
                }
                // An unreadable table must not block all private messages.
                Err(error) => tracing::error!(%room, %error, "a table cannot be read"),
            }
        }
        Ok(Called { by: By::Name, name: plain(&wanted), rooms: found })
    }

    /// True if the name may be that of a room where somebody has a seat but the network has not reported who is there,
    /// as after a start: then it must not lead to a different room than before.
    fn may_be_another(&self, wanted: &str, player: &PlayerId) -> Result<bool, StoreError> {
        let network = &player.network;
        for prefix in keys::rooms_known(network) {
            for record in self.committer().stored(&prefix) {
                let Some(room) = keys::known_room(network, &prefix, &record?.0) else { continue };
                if !self.roster.present(&room).is_empty() {
                    continue;
                }
                let Some(doc) = self.table_doc(&room)?.filter(|doc| doc.seats.contains_key(player)) else { continue };
                let called = self.read_doc::<Vec<String>>(&keys::called(&room))?.unwrap_or_default();
                if called.iter().chain(&doc.name).chain([&room.id]).any(|name| plain(name) == wanted) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn table_doc(&self, room: &RoomId) -> Result<Option<TableDoc>, StoreError> {
        let table: TableId = self.table_of(room)?;
        self.read_doc(&keys::doc(&table))
    }
}

/// Rooms that a name may mean.
pub struct Called {
    by: By,
    /// The name, [`plain`].
    name: String,
    /// The rooms.
    pub rooms: Vec<RoomId>,
}

/// What a name is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    /// A room's address, which nobody else's is.
    Id,
    /// What people call it.
    Name,
}

/// A room's name without its leading sign, ignoring case.
fn plain(name: &str) -> String {
    name.trim_start_matches(['#', '!', '&']).to_lowercase()
}

/// The number shown by a sign: 1️⃣ to 9️⃣ and 🔟, or digits.
fn number(sign: &str) -> Option<usize> {
    if sign == "🔟" {
        return Some(10);
    }
    let digits: String = sign.chars().filter(|c| !matches!(c, '\u{fe0f}' | '\u{20e3}')).collect();
    digits.parse().ok().filter(|number| (1..100).contains(number))
}

/// The first word, or the words in quotation marks, and the rest.
fn named(text: &str) -> (&str, &str) {
    match text.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
        Some(parts) => parts,
        None => text.split_once(char::is_whitespace).unwrap_or((text, "")),
    }
}
