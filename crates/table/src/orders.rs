//! What the bot is to do later: at a time, or each time that something happens.
//!
//! An order is part of the table's document, under the entry that asked for it, whose text says what is to be done.
//! When its time is known, a record of its own waits for it ([`DueDoc`]), written together with the entry, and removed
//! together with what is played then. So each order is carried out once, whatever crashes in between; and an order
//! that was undone, or whose words were erased, is not carried out. It comes through the same door as what is typed: while
//! its player is ignored or not in the room, or gives commands too fast, it waits.

use crate::attempt::Attempt;
use crate::draft::{Draft, person};
use crate::table::Table;
use chat::{CharacterId, Event, Message, Moment, RoomId, Speaker, Standing};
use host::done::Done;
use host::ledger::Ledger;
use host::words::behind;
use host::{Host, times};
use jiff::Timestamp;
use journal::documents::{DueDoc, Order, RollDoc, TableDoc, When, from_json, to_json};
use journal::keys::TableId;
use journal::store::StoreError;
use journal::{HOUSE, Page, keys};
use plugin_api::names::written;
use std::collections::{BTreeMap, BTreeSet};

/// The command that has somebody reminded later.
pub const REMIND: &str = "remind";
/// The command that has a command played later.
pub const AT: &str = "at";
pub(crate) const WHEN: &str = "when";
/// The command that gives whoever is asked something time until then.
pub const DEADLINE: &str = "deadline";
pub(crate) const SEAL: &str = "seal";
pub(crate) const NUDGE: &str = "nudge";
pub(crate) const BOARD: &str = "board";

/// What people call the moments that orders can wait for. The longest that fits counts.
const MOMENTS: [(&str, Moment); 12] = [
    ("my turn", Moment::Turn),
    ("it is my turn", Moment::Turn),
    ("it's my turn", Moment::Turn),
    ("attacked", Moment::Asked),
    ("i am attacked", Moment::Asked),
    ("i'm attacked", Moment::Asked),
    ("asked", Moment::Asked),
    ("i am asked", Moment::Asked),
    ("round", Moment::Round),
    ("a round begins", Moment::Round),
    ("scene", Moment::Scene),
    ("a scene begins", Moment::Scene),
];

/// A moment at the beginning of a text, and what is to be done then: `my turn: check stealth`.
pub fn moment(text: &str) -> Option<(Moment, &str)> {
    let fits = |(name, moment): &(&str, Moment)| {
        let begins = text.get(..name.len())?.to_lowercase() == *name;
        let rest = text.get(name.len()..)?;
        let ends = rest.starts_with(|c: char| c.is_whitespace() || matches!(c, ':' | ',')) || rest.is_empty();
        (begins && ends).then(|| (*moment, rest.trim_start_matches([':', ',', ' ']).trim_start()))
    };
    MOMENTS.iter().filter_map(fits).min_by_key(|(_, rest)| rest.len())
}

/// What an order's entry asked for, as the line to play; `None` if its words were erased.
pub fn line_of(page: &Page) -> Option<String> {
    let typed = page.line()?;
    let command = page.entry.command.as_str();
    let asked = behind(&typed, &[command]);
    match command {
        AT => times::behind(asked?).map(str::to_owned),
        WHEN => moment(asked?).map(|(_, line)| line.to_owned()),
        SEAL => asked.map(str::to_owned),
        // The command itself says what it was asked for.
        other => Some(other.to_owned()),
    }
}

impl Draft {
    /// Makes the orders due that wait for what begins with entry `cause`. Returns true if there are any.
    pub(crate) fn carry_out(
        &mut self,
        host: &Host,
        message: &Message,
        cause: u64,
        begins: &[(Moment, Option<CharacterId>)],
    ) -> Result<bool, StoreError> {
        let (mut any, doc) = (false, self.state.doc.doc.clone());
        let mut ordering = BTreeSet::new();
        for (number, order) in &doc.orders {
            let When::Each(moment) = order.when else { continue };
            let mut begun = begins.iter().filter(|(begun, _)| *begun == moment);
            // A round, unlike somebody's turn, is one of a scene.
            let theirs = begun.clone().any(|(_, whose)| *whose == Some(order.by));
            let everybodys = begun.any(|(_, whose)| whose.is_none());
            let begins = theirs || everybodys && is_of_scene(self, host, &doc, *number, &message.room)?;
            // One order each and moment: what somebody types must not make them play any number of lines.
            if begins && ordering.insert((&order.player, order.by, moment)) {
                let due = DueDoc::new(message.heard_at(), message.room.clone(), cause);
                self.writes.put(keys::due(&self.state.id, *number), to_json(&due));
                any = true;
            }
        }
        Ok(any)
    }
}

/// Writes down when the orders are due that the table has now and had not `before`, and that the others are not any
/// more. An order that comes back after its time has passed was carried out already, or undone in its time.
pub(crate) fn keep_orders(draft: &mut Draft, before: &BTreeMap<u64, Order>, message: &Message) {
    let (orders, id) = (&draft.state.doc.doc.orders, &draft.state.id);
    for (number, order) in orders.iter().filter(|(number, _)| !before.contains_key(number)) {
        let When::At(at) = order.when else { continue };
        let new = *number == draft.state.head.number;
        if new || at > message.heard_at() {
            let address = message.speaker.address.clone();
            let due = DueDoc { address, ..DueDoc::new(at, message.room.clone(), *number) };
            draft.writes.put(keys::due(id, *number), to_json(&due));
        }
    }
    for number in before.keys().filter(|number| !orders.contains_key(number)) {
        draft.writes.delete(keys::due(id, *number));
    }
}

/// What begins with a command, and whose it is. What an order for such a moment plays begins nothing, so that no
/// two orders carry each other on; nor does a secret command, which nobody else shall notice.
pub(crate) fn moments(
    draft: &Draft,
    host: &Host,
    attempt: &Attempt<'_>,
    done: &mut Done<'_>,
    rolls: &[(u64, RollDoc)],
) -> Result<Vec<(Moment, Option<CharacterId>)>, StoreError> {
    let (doc, mut begins) = (&attempt.doc, std::mem::take(&mut done.begins));
    let order = attempt.message.ordered.and_then(|entry| doc.orders.get(&entry));
    let waits = doc.orders.values().any(|order| matches!(order.when, When::Each(_)));
    if !waits || attempt.is_secret() || order.is_some_and(|order| !matches!(order.when, When::At(_))) {
        return Ok(Vec::new());
    }
    // What somebody may choose in a turn that begins is not asked by a roll.
    if begins.is_empty() {
        let asked = draft.asked(host, rolls)?.into_iter().filter(|who| *who != attempt.actor);
        begins.extend(asked.map(|who| (Moment::Asked, Some(who))));
    }
    let before = &draft.state.doc.doc;
    let common = doc.scene.is_some() && doc.scene != before.scene;
    let apart = doc.apart.values().any(|apart| before.apart.values().all(|each| each.since != apart.since));
    if done.game == HOUSE && (common || apart) {
        begins.push((Moment::Scene, None));
    }
    Ok(begins)
}

/// True if an order was given where the same scene is played as in this room.
fn is_of_scene(draft: &Draft, host: &Host, doc: &TableDoc, number: u64, room: &RoomId) -> Result<bool, StoreError> {
    if doc.apart.is_empty() {
        return Ok(true);
    }
    let page = draft.ledger(host).page(number)?;
    let given = page.map(|page| RoomId::new(&page.entry.key.network, &page.entry.key.room));
    Ok(doc.apart(room) == given.and_then(|given| doc.apart(&given)))
}

/// The ids of the messages by which orders are carried out: one that has one time, and one that has many.
fn once(number: u64, due: &DueDoc) -> String {
    format!("order/{number}/{}", due.cause)
}

fn repeated(number: u64, due: &DueDoc) -> String {
    format!("{}/{}", once(number, due), due.at.as_millisecond())
}

/// True if this is the record of the order that an event carries out, and not of what it left for later itself.
pub fn stands_for(key: &str, record: &[u8], event: &Event) -> bool {
    let (Some((_, number)), Some(message)) = (keys::order_of_due(key), event.message()) else { return true };
    let due = from_json::<DueDoc>(key, record);
    due.is_ok_and(|due| [once(number, &due), repeated(number, &due)].contains(&message.id))
}

/// The orders of a table that are due by this time, by their entries, the first first.
///
/// # Errors
/// The store cannot be read.
pub fn due(host: &Host, id: &TableId, by: Timestamp) -> Result<Vec<(u64, DueDoc)>, StoreError> {
    let mut found = Vec::new();
    for record in host.committer().stored(&keys::due_at(id)) {
        let (key, value) = record?;
        let Some((_, number)) = keys::order_of_due(&key) else { continue };
        match from_json::<DueDoc>(&key, &value) {
            Ok(due) if due.at <= by => found.push((number, due)),
            Ok(_) => {}
            Err(error) => tracing::error!(%error, "an order cannot be read, and is passed over"),
        }
    }
    found.sort_by_key(|(number, due)| (due.at, *number));
    Ok(found)
}

/// What becomes of an order that is due.
pub enum Ordered {
    /// It is carried out by this event.
    Now(Box<Event>),
    /// There is nothing to do any more.
    Never,
    /// It waits until a room plays at the table again, or until its player may speak there.
    Later,
    /// It is due at another time, because its player gave too many commands lately.
    After(Timestamp),
}

impl Table {
    /// The order with this number as if its player gave the command `now`.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn ordered(
        &mut self,
        host: &Host,
        (number, due): (u64, &DueDoc),
        now: Timestamp,
    ) -> Result<Ordered, StoreError> {
        let doc = self.state.doc.doc.clone();
        let page = Ledger { host, state: &self.state, writes: None }.page(number)?;
        let (Some(order), Some(page)) = (doc.orders.get(&number), page) else { return Ok(Ordered::Never) };
        let line = match order.when {
            // Nothing that somebody said is repeated, so it outlives their words.
            When::Waited(_) => Some(NUDGE.to_owned()),
            When::Shown => Some(BOARD.to_owned()),
            When::At(_) | When::Each(_) | When::Opened => line_of(&page),
        };
        let Some(mut line) = line else { return Ok(Ordered::Never) };
        let Some(room) = self.room_for(host, &due.room)? else { return Ok(Ordered::Later) };
        // A board belongs to its room, and to no other of the table.
        if order.when == When::Shown && order.room.as_ref() != Some(&room) {
            return Ok(Ordered::Never);
        }
        let prefix = self.state.rooms[&room].doc.prefix.clone();
        let seat = doc.seats.get(&order.player);
        if [AT, WHEN, SEAL].contains(&page.entry.command.as_str())
            && let Some(character) = doc.characters.get(&order.by)
            && (seat.is_none_or(|seat| seat.plays != order.by) || character.owner.as_ref() != Some(&order.player))
        {
            line = format!("as {} {line}", written(&character.name));
        }
        if order.own {
            line = format!("secret {line}");
        }
        let name = seat.map_or_else(|| doc.name_of(order.by).to_owned(), |seat| seat.name.clone());
        let address = host.roster.address_of(&order.player).unwrap_or_else(|| due.address.clone());
        let speaker = Speaker {
            trust: order.trust,
            standing: Standing::Member,
            address,
            ..Speaker::new(order.player.clone(), name)
        };
        let id = match order.when {
            When::Waited(_) | When::Shown => repeated(number, due),
            When::At(_) | When::Each(_) | When::Opened => once(number, due),
        };
        let mut message = Message::new(id, room, speaker, due.at, format!("{prefix}{line}"));
        message.heard = Some(now);
        (message.ordered, message.comes_again) = (Some(number), true);
        // These are the table's, whoever asked for them.
        message.unlimited = matches!(order.when, When::Waited(_) | When::Shown);
        if message.unlimited {
            return Ok(Ordered::Now(Box::new(Event::Said(message))));
        }
        // Whoever has a bare nick now need not be who asked.
        if order.own && host.roster.since(&message.room, &order.player, order.trust) >= number {
            tracing::info!(table = %self.state.id, number, player = %order.player, "a private order ends: its nick may be another's now");
            return Ok(Ordered::Never);
        }
        let event = host.with_accounts(&Event::Said(message))?.into_owned();
        let Event::Said(message) = &event else { return Ok(Ordered::Never) };
        if host.passes_over(&event) || !self.is_heard(host, message)? {
            tracing::info!(table = %self.state.id, number, player = %order.player, "an order waits: its player is not heard");
            // The moment is over when they come back.
            return Ok(if matches!(order.when, When::Each(_)) { Ordered::Never } else { Ordered::Later });
        }
        if let Some(at) = host.paces.wait(person(message), now, &host.settings().limits) {
            return Ok(Ordered::After(at));
        }
        Ok(Ordered::Now(Box::new(event)))
    }

    /// True if somebody would be heard at the table if they spoke now: in this room, or in another one of its rooms. After a
    /// start nobody knows yet who is there.
    fn is_heard(&self, host: &Host, message: &Message) -> Result<bool, StoreError> {
        let room = &self.state.rooms[&message.room].doc;
        if host.ignores(&message.room, room, &message.speaker) {
            return Ok(false);
        }
        let is_in = |room: &RoomId| {
            let present = host.roster.present(room);
            message.speaker.accounts().any(|account| present.contains_key(account))
        };
        if host.roster.present(&message.room).is_empty() || is_in(&message.room) {
            return Ok(true);
        }
        let rooms = Ledger { host, state: &self.state, writes: None }.rooms_at(&self.state.id)?;
        Ok(rooms.keys().any(is_in))
    }

    /// The room where an order is carried out: where it was given, or another one if that has left the table.
    fn room_for(&mut self, host: &Host, given: &RoomId) -> Result<Option<RoomId>, StoreError> {
        // Nobody may have spoken yet in the rooms that stay, so not all of them are in memory.
        let seated = Ledger { host, state: &self.state, writes: None }.rooms_at(&self.state.id)?;
        let others = self.state.rooms.keys().cloned().chain(seated.into_keys()).chain([self.state.id.first_room()]);
        for room in std::iter::once(given.clone()).chain(others.collect::<Vec<_>>()) {
            let table = self.state.room(host, &room)?.doc.table.clone();
            if table == self.state.id {
                return Ok(Some(room));
            }
        }
        tracing::info!(table = %self.state.id, room = %given, "an order waits: no room plays at its table now");
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_as_people_say_them() {
        assert_eq!(moment("my turn: check stealth"), Some((Moment::Turn, "check stealth")));
        assert_eq!(moment("It's my turn, check stealth"), Some((Moment::Turn, "check stealth")));
        assert_eq!(moment("attacked resist dodge"), Some((Moment::Asked, "resist dodge")));
        assert_eq!(moment("round:"), Some((Moment::Round, "")));
        assert_eq!(moment("roundabout"), None);
        assert_eq!(moment("the sun rises: roll d6"), None);
    }
}
