//! What a message says in the other rooms of its table: mirrored rolls, news, and copies for referees who are there.

use super::Table;
use chat::{Block, Earlier, Line, Message, PlayerId, Post, Readers, RoomId, Span, What, cut};
use host::Host;
use host::outcome::{Heard, Outcome, OutcomeKind};
use host::outgoing::{Outgoing, Quotes};
use host::room::{Answered, FORMATTING, MIRROR};
use journal::store::StoreError;
use std::collections::BTreeMap;

/// Characters of a mirrored line.
const LONGEST: usize = 300;
/// Characters of a room's name in front of it.
const LONGEST_NAME: usize = 30;
/// Nothing more is mirrored into a room where so much waits to be shown: its network is slow, or down for days.
const MOST_WAITING: usize = 5;

impl Table {
    /// Where people are whom the network does not report in the room of a message: those who are told something, and
    /// referees, if anything is for referees alone.
    pub(super) fn readers_elsewhere(
        &self,
        host: &Host,
        message: &Message,
        outcomes: &[Outcome],
    ) -> Result<BTreeMap<PlayerId, RoomId>, StoreError> {
        let mut found = BTreeMap::new();
        let present = host.roster.present(&message.room);
        let for_referees = outcomes.iter().any(|outcome| outcome.reply.readers == Readers::Referees);
        let referees = self.state.doc.doc.referees.keys().filter(|_| for_referees);
        let readers = referees.chain(outcomes.iter().flat_map(|outcome| outcome.tells.keys()));
        let mut absent = readers.filter(|reader| !present.contains_key(*reader)).peekable();
        if absent.peek().is_none() {
            return Ok(found);
        }
        let rooms = self.ledger(host).rooms_at(&self.state.id)?;
        for reader in absent {
            let room = rooms.keys().find(|room| host.roster.vouches_for(room, reader));
            found.extend(room.map(|room| (reader.clone(), room.clone())));
        }
        Ok(found)
    }

    /// Tells the other rooms of the table what they are to know of a message.
    pub(super) fn post_elsewhere(
        &self,
        host: &Host,
        message: &Message,
        corrects: Option<&str>,
        heard: &mut Heard,
    ) -> Result<(), StoreError> {
        for (room, news) in heard.outcomes.iter().flat_map(|outcome| outcome.announces.clone()).collect::<Vec<_>>() {
            let key = format!("{}/{}/{room}", message.said_in(), message.id);
            let post = Post::new(key, room, vec![Block::Line(vec![Span::Text(news)])]);
            let quotes = Quotes::of(&self.state.id, self.state.head.number, &heard.outcomes);
            heard.say(Outgoing::new(post, host.next_number()).quoting(quotes));
        }
        self.mirror(host, message, corrects, heard)
    }

    /// Shows the other rooms what was rolled, if the table wants that.
    fn mirror(
        &self,
        host: &Host,
        message: &Message,
        corrects: Option<&str>,
        heard: &mut Heard,
    ) -> Result<(), StoreError> {
        let here = &self.state.rooms[&message.room].doc;
        let open = message.aside.is_none() && !message.private;
        if !MIRROR.is_on(&self.state.doc.doc) || !open || !here.plays_along() || here.table != self.state.id {
            return Ok(());
        }
        let from = cut(&host.name_of_room(&message.room)?, LONGEST_NAME).into_owned();
        if mirrored(&from, &heard.outcomes, corrects).is_empty() {
            return Ok(());
        }
        let shown = heard.outcomes.iter().find(|outcome| !outcome.mirrored.is_empty());
        let roll = shown.and_then(|outcome| outcome.entry).map(|number| (self.state.id.clone(), number));
        let quotes = Quotes::of(&self.state.id, self.state.head.number, &heard.outcomes);
        let part = |id: &str, room: &RoomId| format!("{}/{id}/{room}", message.said_in());
        for (room, doc) in self.ledger(host).rooms_at(&self.state.id)? {
            if room == message.room || !doc.sees_others() || host.ignores(&room, &doc, &message.speaker) {
                continue;
            }
            if host.waiting.mirrored(&room) >= MOST_WAITING {
                if host.waiting.may_warn(&room, message.heard_at()) {
                    tracing::warn!(%room, "too many rolls of other rooms wait there: the next ones are not shown");
                }
                continue;
            }
            // However long its name is, its network stays in sight.
            let from = match room.network == message.room.network {
                true => from.clone(),
                false => format!("{from} on {}", message.room.network),
            };
            let blocks = mirrored(&from, &heard.outcomes, corrects);
            let present = host.roster.present(&room);
            let calls = heard.outcomes.iter().flat_map(|outcome| &outcome.calls);
            let earlier = |id: &str| What::Correct(Earlier { key: part(id, &room), id: None });
            let post = Post {
                what: corrects.map_or(What::Say, earlier),
                by: Some(message.speaker.player.clone()),
                mirrored: true,
                calls: calls.filter(|player| present.contains_key(*player)).cloned().collect(),
                plain: !FORMATTING.is_on(&doc),
                more: format!("{}more", doc.prefix),
                ..Post::new(part(&message.id, &room), room.clone(), blocks)
            };
            let mut outgoing = Outgoing::new(post, host.next_number());
            outgoing.roll.clone_from(&roll);
            heard.say(outgoing.quoting(quotes.clone()));
        }
        Ok(())
    }
}

/// One line for each command that the other rooms are shown.
fn mirrored(from: &str, outcomes: &[Outcome], corrects: Option<&str>) -> Vec<Block> {
    let shown = outcomes.iter().filter(|outcome| !outcome.mirrored.is_empty());
    let lines: Vec<_> = shown.map(|outcome| Block::Line(line(from, outcome))).collect();
    // A new version that is not for them replaces one that they may have seen.
    let replaced = outcomes.iter().find(|outcome| outcome.kind == OutcomeKind::Played && outcome.entry.is_some());
    match replaced.filter(|_| lines.is_empty() && corrects.is_some()) {
        Some(outcome) => vec![Block::Line(vec![Span::Text(format!("[{from}] {}: (edited)", outcome.actor))])],
        None => lines,
    }
}

/// What a command did, on one line, without what its own room is offered.
fn line(from: &str, outcome: &Outcome) -> Line {
    let mut line = vec![Span::Text(format!("[{from}] {}: ", outcome.actor))];
    let mut left = LONGEST;
    for (place, block) in outcome.mirrored.iter().enumerate() {
        if place > 0 {
            line.push(Span::Text("; ".to_owned()));
        }
        let spans = match block {
            Block::Line(spans) => spans.clone(),
            other => vec![Span::Text(other.plain().replace("\n- ", "; ").trim_start_matches("- ").to_owned())],
        };
        for span in spans.into_iter().filter(|span| !matches!(span, Span::Offer(_))) {
            let long = span.plain().chars().count();
            if long > left {
                line.push(Span::Text(cut(&span.plain(), left).into_owned()));
                return line;
            }
            left -= long;
            line.push(span);
        }
    }
    line
}
