//! Who made an entry, when, and with which dice: its key is the id of a message from its player, of one that they amended,
//! or of an order that they gave earlier; and every die rolled for a message is in the entry with its key.

use super::Oracle;
use super::journal_of::{Around, Known};
use crate::net::Net;
use chat::{Event, PlayerId, RoomId};
use dice::Die;
use dice::fair::MessageKey;
use std::collections::BTreeMap;

/// The commands that play an entry again in other words.
const AMENDING: [&str; 3] = ["amend ", "add ", "adv"];

impl Oracle {
    /// Checks that each entry has the id of a message from its own player; an edit has that of the first version.
    pub(super) fn keys(&mut self, around: &Around<'_>, entries: &[Known]) {
        let timeline = if self.linked { around.timeline_of_all() } else { around.net.timeline() };
        let room = around.room;
        let firsts = timeline.iter().filter(|event| !matches!(event, Event::Edited { .. })).filter_map(Event::message);
        let amends = |player: &PlayerId| {
            let mut said = timeline.iter().filter_map(Event::message);
            said.any(|message| {
                message.speaker.player == *player && AMENDING.iter().any(|word| message.body.contains(word))
            })
        };
        let firsts: BTreeMap<&str, _> = firsts.map(|message| (message.id.as_str(), &message.speaker.player)).collect();
        for Known { entry, .. } in entries {
            let (number, id, player) = (entry.number, &entry.key.id, &entry.player);
            // A referee may amend what somebody else played.
            let amended = || entry.replaces.is_some() && amends(player);
            if let Some(order) = order_of(id) {
                let asked = entries.iter().find(|known| known.entry.number == order);
                if !asked
                    .is_some_and(|known| known.entry.number < number && (known.entry.player == *player || amended()))
                {
                    self.wrong(format!("#{number} of {room} carries out #{order}, which is no order of {player}'s"));
                }
                continue;
            }
            match firsts.get(id.as_str()) {
                None => self.wrong(format!("#{number} of {room} goes by {id}, which nobody said first")),
                Some(sender) if *sender != player && !amended() => {
                    self.wrong(format!("#{number} of {room} is {player}'s, and {id} was {sender}'s"));
                }
                Some(_) => {}
            }
        }
    }

    /// Checks that the journal mentions every die that was rolled.
    pub(super) fn dice(&mut self, net: &Net, room: &RoomId, entries: &[Known], fell: &BTreeMap<MessageKey, Vec<Die>>) {
        let here = |key: &&MessageKey| key.network == net.name && key.room == room.id;
        for (key, fell) in fell.iter().filter(|(key, _)| here(key)) {
            // What was said in private for another room is in that room's journal.
            let aside =
                self.said.get(&(net.name.clone(), key.id.clone())).is_some_and(|saying| saying.is_for_another());
            let known = entries.iter().filter(|known| known.entry.key == *key).map(|known| known.dice.len()).max();
            if known.unwrap_or_default() < fell.len() && !aside {
                let (id, known, fell) = (&key.id, known.unwrap_or_default(), fell.len());
                self.wrong(format!("{fell} dice fell for {id}, and the journal of {room} has {known} of them"));
            }
        }
    }

    /// Checks that each entry knows the one that its player made before.
    pub(super) fn last_ones(&mut self, room: &RoomId, entries: &[Known]) {
        let mut last = BTreeMap::new();
        for Known { entry, last: known, .. } in entries {
            let before = last.insert(&entry.player, entry.number);
            if before != *known {
                let (number, player) = (entry.number, &entry.player);
                self.wrong(format!(
                    "#{number} of {room} takes {known:?} for the last of {player}, and it is {before:?}"
                ));
            }
        }
    }

    /// Checks that no entry is from the future or earlier than the one before it.
    pub(super) fn times(&mut self, room: &RoomId, entries: &[Known]) {
        let mut last = None;
        for Known { entry, .. } in entries {
            let (number, time) = (entry.number, entry.time);
            if time > self.latest {
                self.wrong(format!("#{number} of {room} is of {time}, and it is not later than {}", self.latest));
            }
            if last.is_some_and(|last| time < last) && !self.set_back {
                self.wrong(format!("#{number} of {room} is of {time}, before the entry in front of it"));
            }
            last = Some(time);
        }
    }
}

/// The entry that asked for what the message with this id does later, if nobody said that.
fn order_of(id: &str) -> Option<u64> {
    id.strip_prefix("order/")?.split_once('/')?.0.parse().ok()
}
