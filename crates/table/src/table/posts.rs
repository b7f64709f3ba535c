//! What is said of a message: the answers of all its lines together, for each reader.

use super::Table;
use crate::budget::MOST_LINES;
use crate::host::Host;
use crate::outcome::{Heard, Outcome, OutcomeKind, Outgoing};
use crate::room::Answered;
use chat::{Audience, Block, Earlier, Message, PlayerId, Post, Recipient, Reply, Span};
use journal::documents::to_json;
use journal::keys;
use journal::store::StoreError;
use std::collections::{BTreeMap, BTreeSet};

impl Table {
    /// Makes the posts that answer a message, all lines of a reader together, and puts them into the batch. The answer
    /// to an edit takes the place of the answers to the message `corrects`.
    pub(super) fn post_answers(
        &mut self,
        host: &Host,
        message: &Message,
        too_many: bool,
        corrects: Option<&str>,
        heard: &mut Heard,
    ) -> Result<(), StoreError> {
        let asked = &message.speaker.player;
        let present = host.roster.present(&message.room);
        let mut public = Answer::default();
        let mut private: BTreeMap<PlayerId, Answer> = BTreeMap::new();
        for outcome in heard.outcomes.iter().filter(|outcome| outcome.kind != OutcomeKind::Silent) {
            match outcome.reply.audience {
                Audience::Table => public.add(outcome),
                audience => {
                    // A referee who is not there any more reads nothing more.
                    let referees = self.state.doc.doc.referees.keys().filter(|referee| present.contains_key(*referee));
                    let referees = referees.filter(|_| audience == Audience::Referees);
                    let readers: BTreeSet<_> = std::iter::once(asked).chain(referees).collect();
                    readers.into_iter().for_each(|reader| private.entry(reader.clone()).or_default().add(outcome));
                }
            }
            public.notices.extend(outcome.notice.clone());
        }
        if too_many {
            let note = format!("I played the first {MOST_LINES} commands of that message; send the others again.");
            let mut outcome = Outcome::silent(&message.speaker.name, &message.speaker.name);
            (outcome.reply, outcome.kind) = (Reply::from(note), OutcomeKind::Refused);
            public.add(&outcome);
        }
        public.label_late(message);
        private.values_mut().for_each(|answer| answer.label_late(message));
        let limited = !message.late && !message.unlimited;
        let text: String = public.blocks.iter().map(Block::plain).collect();
        if limited && !text.is_empty() && !self.pulse.answer(asked, &text, message.heard_at(), &host.settings().limits)
        {
            return Ok(());
        }
        let readers = self.readers(message, &private);
        let mut posts = Vec::new();
        let mut mine = private.remove(asked);
        match (&message.aside, &mut mine) {
            // Who spoke aside is answered there; the room learns no more than that something happened.
            (Some(_), Some(mine)) if !public.blocks.is_empty() => mine.blocks.append(&mut public.blocks),
            (Some(_), None) if !public.blocks.is_empty() => mine = Some(std::mem::take(&mut public)),
            _ => {}
        }
        if let (Some(aside), Some(mine)) = (&message.aside, &mut mine) {
            public.notices.append(&mut mine.notices);
            posts.push((aside.clone(), Recipient::Room, std::mem::take(mine), false));
        } else if let Some(mine) = mine {
            posts.push((message.room.clone(), Recipient::Player(asked.clone()), mine, false));
        }
        let said = public.notices.drain(..).map(|notice| Block::Line(vec![Span::Text(notice)]));
        if public.blocks.is_empty() {
            public.addressee = None;
        }
        public.blocks.extend(said);
        posts.insert(0, (message.room.clone(), Recipient::Room, public, false));
        let manners = self.state.room(host, &message.room)?.doc.clone();
        let others = private.into_iter();
        posts.extend(others.map(|(reader, answer)| (message.room.clone(), Recipient::Player(reader), answer, true)));
        for (room, to, answer, copy) in posts.into_iter().filter(|(_, _, answer, _)| !answer.is_empty()) {
            let aside = Some(&room) == message.aside.as_ref();
            let is_private = to != Recipient::Room || aside;
            let readers = if is_private { readers.clone() } else { Vec::new() };
            let part = match &to {
                Recipient::Room => room.to_string(),
                Recipient::Player(player) => player.to_string(),
            };
            let earlier = |id: &str| Earlier { key: format!("{}/{id}/{part}", message.said_in()), id: None };
            let key = format!("{}/{}/{part}", message.said_in(), message.id);
            let post = Post {
                answers: (room == *message.said_in()).then(|| corrects.unwrap_or(&message.id).to_owned()),
                corrects: corrects.filter(|_| !answer.refused).map(earlier),
                to,
                only_for: aside.then(|| asked.clone()),
                addressee: answer.addressee,
                calls: answer.calls,
                images: answer.images,
                files: answer.files,
                refusal: answer.refused,
                readers,
                copy,
                plain: manners.is_unstyled(),
                more: format!("{}more", manners.prefix),
                ..Post::new(key, room, answer.blocks)
            };
            let key = keys::outbox(&message.room.network, host.next_number());
            let roll = answer.roll.map(|number| (self.state.id.clone(), number));
            let outgoing = Outgoing { key: key.clone(), post, roll, numbers: answer.numbers };
            heard.batch.put(key, to_json(&outgoing));
            heard.posts.push(outgoing);
        }
        Ok(())
    }

    /// Who sees the private answers, by name: whoever asked, and the referees as such if they do.
    fn readers(&self, message: &Message, private: &BTreeMap<PlayerId, Answer>) -> Vec<String> {
        let mut readers = vec![message.speaker.name.clone()];
        if private.len() > 1 {
            readers.push("referees".to_owned());
        }
        readers
    }

    /// Answers an edit of a message that was played: its dice and its answer stay.
    pub(super) fn first_version_stands(
        &mut self,
        host: &Host,
        message: &Message,
        why: &str,
    ) -> Result<Heard, StoreError> {
        let mut draft = self.draft();
        let in_time = draft.keep_pace(host, message);
        self.drop_draft(draft);
        if in_time.is_err() {
            return Ok(Heard::nothing());
        }
        let mut heard = Heard::default();
        let mut outcome = Outcome::silent(&message.speaker.name, &message.speaker.name);
        outcome.kind = OutcomeKind::Refused;
        outcome.reply = Reply::from(format!("The first version of that message was played and stands: {why}"));
        if message.aside.is_some() {
            outcome.reply.audience = Audience::Player;
        }
        heard.outcomes.push(outcome);
        self.post_answers(host, message, false, None, &mut heard)?;
        self.reserve(&mut heard);
        Ok(heard)
    }
}

/// The answers to one message for one reader.
#[derive(Clone, Debug, Default)]
struct Answer {
    addressee: Option<String>,
    blocks: Vec<Block>,
    images: Vec<chat::Image>,
    files: Vec<chat::File>,
    /// What everybody is told of what is not for everybody.
    notices: Vec<String>,
    refused: bool,
    calls: BTreeSet<PlayerId>,
    roll: Option<u64>,
    numbers: Option<String>,
}

impl Answer {
    fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.files.is_empty()
    }

    fn add(&mut self, outcome: &Outcome) {
        let (actor, reply) = (&outcome.actor, &outcome.reply);
        let mut blocks = reply.blocks.clone();
        self.refused = outcome.kind == OutcomeKind::Refused && (self.refused || self.blocks.is_empty());
        self.roll = self.roll.or(outcome.entry).or(outcome.follows);
        self.numbers = self.numbers.take().or(reply.numbers.clone());
        match &self.addressee {
            None => self.addressee = Some(actor.clone()),
            Some(first) if first != actor => {
                if let Some(Block::Line(line)) = blocks.first_mut() {
                    line.insert(0, Span::Text(format!("{actor}: ")));
                }
            }
            Some(_) => {}
        }
        self.blocks.extend(blocks);
        self.images.extend(reply.images.iter().cloned());
        self.files.extend(reply.files.iter().cloned());
        self.calls.extend(outcome.calls.iter().cloned());
    }

    /// Says of a late answer when the message was sent.
    fn label_late(&mut self, message: &Message) {
        if let (true, Some(Block::Line(line))) = (message.late, self.blocks.first_mut()) {
            line.insert(0, Span::Text(format!("(sent {} UTC) ", message.sent.strftime("%Y-%m-%d %H:%M"))));
        }
    }
}
