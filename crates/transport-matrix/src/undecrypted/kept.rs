//! The messages waiting for their keys: nobody's messages push out another person's.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How many are kept in all, per room, and per sender in a room.
const MOST: usize = 500;
const OF_ROOM: usize = 100;
const OF_SENDER: usize = 20;

/// A message that waits for its key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Waiting {
    pub room: String,
    pub event: String,
    /// The sender; unknown for messages noted before this field existed.
    #[serde(default)]
    pub sender: String,
    /// The key that it waits for.
    pub session: String,
    /// When it was heard.
    pub since: Timestamp,
    /// True if somebody was told, or will not be.
    pub told: bool,
}

/// The waiting messages, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Kept(Vec<Waiting>);

impl Kept {
    /// Adds a message unless it is there already. If there are too many, whoever has the most loses their oldest.
    pub fn add(&mut self, waiting: Waiting) {
        if self.0.iter().any(|kept| kept.event == waiting.event) {
            return;
        }
        let (room, sender) = (waiting.room.clone(), waiting.sender.clone());
        self.0.push(waiting);
        if self.of(&room, &sender).count() > OF_SENDER {
            self.forget_oldest(&room, &sender);
        }
        if self.0.iter().filter(|kept| kept.room == room).count() > OF_ROOM {
            self.thin_out(&room);
        }
        if self.0.len() > MOST {
            let rooms = counted(self.0.iter().map(|kept| kept.room.as_str()));
            self.thin_out(&rooms);
        }
    }

    pub fn of<'a>(&'a self, room: &'a str, sender: &'a str) -> impl Iterator<Item = &'a Waiting> {
        self.0.iter().filter(move |kept| kept.room == room && kept.sender == sender)
    }

    /// Drops one message of a room.
    fn thin_out(&mut self, room: &str) {
        let senders = self.0.iter().filter(|kept| kept.room == room).map(|kept| kept.sender.as_str());
        let sender = counted(senders);
        self.forget_oldest(room, &sender);
    }

    fn forget_oldest(&mut self, room: &str, sender: &str) {
        if let Some(at) = self.0.iter().position(|kept| kept.room == room && kept.sender == sender) {
            self.0.remove(at);
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &Waiting> {
        self.0.iter()
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Waiting> {
        self.0.iter_mut()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Removes a message that no longer waits.
    pub fn remove(&mut self, event: &str) {
        self.0.retain(|kept| kept.event != event);
    }
}

/// The name that occurs most often; of several, the one that came last, so that earlier messages stay.
fn counted<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (at, name) in names.enumerate() {
        let (count, last) = counts.entry(name).or_default();
        (*count, *last) = (*count + 1, at);
    }
    let most = counts.into_iter().max_by_key(|(_, most)| *most);
    most.map(|(name, _)| name.to_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(room: &str, sender: &str, number: usize) -> Waiting {
        let event = format!("${room}-{sender}-{number}");
        let (room, sender) = (room.to_owned(), sender.to_owned());
        Waiting { room, event, sender, session: String::new(), since: Timestamp::UNIX_EPOCH, told: false }
    }

    #[test]
    fn a_flood_takes_the_place_of_nobody_else() {
        let mut kept = Kept::default();
        kept.add(waiting("tavern", "ann", 0));
        for number in 0..1_000 {
            kept.add(waiting("tavern", "mallory", number));
            kept.add(waiting("own", "mallory", number));
        }
        assert_eq!(kept.of("tavern", "ann").count(), 1);
        assert_eq!(kept.of("tavern", "mallory").count(), OF_SENDER);
        assert!(kept.of("own", "mallory").any(|kept| kept.event.ends_with("-999")), "the newest are kept");
        for sender in 0..500 {
            kept.add(waiting("tavern", &format!("mallory{sender}"), 0));
        }
        assert_eq!(kept.iter().filter(|kept| kept.room == "tavern").count(), OF_ROOM);
        assert_eq!(kept.of("tavern", "ann").count(), 1);
        for room in 0..1_000 {
            kept.add(waiting(&format!("own{room}"), "mallory", 0));
        }
        assert_eq!(kept.iter().count(), MOST);
        assert_eq!(kept.of("tavern", "ann").count(), 1);
    }

    #[test]
    fn what_was_noted_before_senders_were_is_read() {
        let noted =
            "[{\"room\":\"!r\",\"event\":\"$e\",\"session\":\"s\",\"since\":\"2026-01-01T00:00:00Z\",\"told\":true}]";
        let kept: Kept = serde_json::from_str(noted).unwrap();
        assert_eq!(kept.of("!r", "").count(), 1);
    }
}
