//! The posts that answer a message: all its lines together, for each reader.

use super::Table;
use crate::draft::person;
use chat::{Block, Earlier, Line, Message, PlayerId, Post, Readers, Recipient, Reply, RoomId, Span, Told, What};
use host::Host;
use host::budget::MOST_LINES;
use host::outcome::{Heard, Outcome, OutcomeKind};
use host::outgoing::{Outgoing, Quotes};
use host::room::{FORMATTING, LINKS};
use journal::documents::When;
use journal::store::StoreError;
use std::collections::{BTreeMap, BTreeSet};

/// Whether all lines of a message were played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lines {
    /// All were.
    All,
    /// Only as many as one message may have.
    First,
}

impl Table {
    /// Makes the posts that answer a message, all lines for one reader together, and adds them to the batch. The answer
    /// to an edit replaces the answers to the message `corrects`.
    pub(super) fn post_answers(
        &mut self,
        host: &Host,
        message: &Message,
        lines: Lines,
        corrects: Option<&str>,
        heard: &mut Heard,
    ) -> Result<(), StoreError> {
        let elsewhere = self.readers_elsewhere(host, message, &heard.outcomes)?;
        let answers = self.answers(host, message, (lines, &elsewhere), &heard.outcomes);
        let limited = !message.late && !message.unlimited && !message.counted && message.ordered.is_none();
        if limited {
            let text: String = answers.public.blocks.iter().map(Block::plain).collect();
            let limits = &host.settings().limits;
            if !text.is_empty() && !host.paces.answer(person(message), &text, message.heard_at(), limits) {
                return Ok(());
            }
        }
        let readers = answers.readers(message);
        let manners = self.state.room(host, &message.room)?.doc.clone();
        let quotes = Quotes::of(&self.state.id, self.state.head.number, &heard.outcomes);
        // A line may have shown what a later line of the same message erased.
        let (erased, last) = (heard.erased(), heard.outcomes.iter().rposition(|outcome| !outcome.erased.is_empty()));
        let before = Quotes::of(&self.state.id, self.state.head.number, &heard.outcomes[..last.unwrap_or_default()]);
        for said in answers.addressed(message, &elsewhere).into_iter().filter(|said| !said.answer.is_empty()) {
            let (roll, rolled, numbers) = (said.answer.roll, said.answer.rolled, said.answer.numbers.clone());
            let mut post = said.into_post(message, corrects, &readers);
            post.plain = !FORMATTING.is_on(&manners);
            post.page = match rolled.filter(|_| post.to == Recipient::Room && post.only_for.is_none()) {
                Some(entry) if LINKS.is_on(&manners) => host.plugins.own().page_of(entry, &self.state.id, host)?,
                _ => None,
            };
            post.more = format!("{}more", manners.prefix);
            let roll = roll.map(|number| (self.state.id.clone(), number));
            let mut outgoing = Outgoing::new(post, host.next_number());
            (outgoing.roll, outgoing.numbers) = (roll, numbers);
            let mut outgoing = outgoing.quoting(quotes.clone());
            if before.any_of(&erased) {
                outgoing.forget(&self.state.id, &erased);
            }
            heard.say(outgoing);
        }
        self.post_elsewhere(host, message, corrects, heard)
    }

    /// The answers for everybody, and for single people.
    fn answers(
        &self,
        host: &Host,
        message: &Message,
        (lines, elsewhere): (Lines, &BTreeMap<PlayerId, RoomId>),
        outcomes: &[Outcome],
    ) -> Answers {
        let asked = &message.speaker.player;
        let present = host.roster.present(&message.room);
        let mut public = Answer::default();
        let mut private: BTreeMap<PlayerId, Answer> = BTreeMap::new();
        for outcome in outcomes.iter().filter(|outcome| outcome.kind != OutcomeKind::Silent) {
            match outcome.reply.readers {
                Readers::Everybody => public.add(outcome),
                readers => {
                    // A referee who is no longer there reads nothing more.
                    let there =
                        |referee: &&PlayerId| present.contains_key(*referee) || elsewhere.contains_key(*referee);
                    let referees = self.state.doc.doc.referees.keys().filter(there);
                    let referees = referees.filter(|_| readers == Readers::Referees);
                    // Whose secret roll it follows up on reads that too.
                    let followed = outcome.follows.filter(|_| readers == Readers::Referees);
                    let rolled = followed.and_then(|number| self.rolled_in_secret(host, number, &there));
                    let readers: BTreeSet<_> = std::iter::once(asked).chain(referees).chain(&rolled).collect();
                    readers.into_iter().for_each(|reader| private.entry(reader.clone()).or_default().add(outcome));
                }
            }
            if let Some(notice) = &outcome.notice {
                public.notices.push(notice.clone());
                // Who replies to it means this entry, whether they may read it or not.
                public.roll = public.roll.or(outcome.entry);
            }
            for (player, blocks) in &outcome.tells {
                let answer = private.entry(player.clone()).or_default();
                answer.blocks.extend(blocks.iter().cloned());
                answer.told_by = Some(outcome.player.clone());
                answer.roll = answer.roll.or(outcome.entry);
            }
        }
        if lines == Lines::First {
            let note = format!("I played the first {MOST_LINES} commands of that message; send the others again.");
            let mut outcome = Outcome::silent(&message.speaker.name, &message.speaker.name);
            (outcome.reply, outcome.kind) = (Reply::from(note), OutcomeKind::Refused);
            public.add(&outcome);
        }
        for answer in std::iter::once(&mut public).chain(private.values_mut()) {
            answer.name_once();
            answer.label_late(message);
        }
        // Nobody asked for it just now.
        let order = message.ordered.and_then(|number| self.state.doc.doc.orders.get(&number));
        if order.is_some_and(|order| matches!(order.when, When::Waited(_))) {
            public.addressee = None;
        }
        Answers { public, private }
    }

    /// Who rolled roll `number` in secret and may know how it ended.
    fn rolled_in_secret(&self, host: &Host, number: u64, there: &dyn Fn(&&PlayerId) -> bool) -> Option<PlayerId> {
        let ledger = self.ledger(host);
        let roll = ledger.roll(number).ok()??;
        let owner = self.state.doc.doc.characters.get(&roll.character)?.owner.clone()?;
        Some(owner).filter(|owner| roll.secret && roll.measured().by_everybody() && there(&owner))
    }

    /// Answers an edit of a message that was played: its dice and its answer stay.
    pub(super) fn first_version_stands(
        &mut self,
        host: &Host,
        message: &Message,
        why: &str,
        readers: Readers,
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
        outcome.reply.readers = if message.aside.is_some() { Readers::Player } else { readers };
        heard.outcomes.push(outcome);
        self.post_answers(host, message, Lines::All, None, &mut heard)?;
        self.reserve(&mut heard);
        // After a crash the edit may come again, and need a different answer.
        heard.early = false;
        Ok(heard)
    }
}

/// The answers to one message.
struct Answers {
    /// For everybody.
    public: Answer,
    /// For single people.
    private: BTreeMap<PlayerId, Answer>,
}

/// An answer, where it is said, and to whom.
struct Addressed {
    room: RoomId,
    to: Recipient,
    answer: Answer,
    /// True if it repeats for another reader what the asker is told.
    copy: bool,
}

impl Answers {
    /// Who sees the private answers, by name: the asker, and "referees" if they do too.
    fn readers(&self, message: &Message) -> Vec<String> {
        let mut readers = vec![message.speaker.name.clone()];
        if self.private.values().filter(|answer| answer.told_by.is_none()).count() > 1 {
            readers.push("referees".to_owned());
        }
        readers
    }

    /// Each answer with its destination: the room, the asker, others who read it too.
    fn addressed(self, message: &Message, elsewhere: &BTreeMap<PlayerId, RoomId>) -> Vec<Addressed> {
        let Answers { mut public, mut private } = self;
        let asked = &message.speaker.player;
        let addressed = |room: &RoomId, to, answer, copy| Addressed { room: room.clone(), to, answer, copy };
        let mut mine = private.remove(asked);
        match (&message.aside, &mut mine) {
            // People who spoke aside are answered there; the room only learns that something happened.
            (Some(_), Some(mine)) if !public.blocks.is_empty() => mine.blocks.append(&mut public.blocks),
            (Some(_), None) if !public.blocks.is_empty() => mine = Some(std::mem::take(&mut public)),
            _ => {}
        }
        let mut all = Vec::new();
        if let (Some(aside), Some(mine)) = (&message.aside, &mut mine) {
            public.notices.append(&mut mine.notices);
            all.push(addressed(aside, Recipient::Room, std::mem::take(mine), false));
        } else if let Some(mine) = mine {
            all.push(addressed(&message.room, Recipient::Player(asked.clone()), mine, false));
        }
        let said = public.notices.drain(..).map(Block::Line);
        if public.blocks.is_empty() {
            public.addressee = None;
        }
        public.blocks.extend(said);
        all.insert(0, addressed(&message.room, Recipient::Room, public, false));
        let others = private.into_iter();
        all.extend(others.map(|(reader, answer)| {
            let room = elsewhere.get(&reader).unwrap_or(&message.room);
            addressed(room, Recipient::Player(reader), answer, true)
        }));
        all
    }
}

impl Addressed {
    /// The post for it: an answer to a message, or a replacement for the answer to the message `corrects`.
    fn into_post(self, message: &Message, corrects: Option<&str>, readers: &[String]) -> Post {
        let Addressed { room, to, answer, copy } = self;
        let aside = Some(&room) == message.aside.as_ref();
        let is_private = to != Recipient::Room || aside;
        let part = match &to {
            Recipient::Room => room.to_string(),
            Recipient::Player(player) => player.to_string(),
        };
        let earlier = |id: &str| Earlier { key: format!("{}/{id}/{part}", message.said_in()), id: None };
        let key = format!("{}/{}/{part}", message.said_in(), message.id);
        Post {
            answers: (room == *message.said_in() && message.ordered.is_none())
                .then(|| corrects.unwrap_or(&message.id).to_owned()),
            what: corrects.filter(|_| !answer.refused).map_or(What::Say, |id| What::Correct(earlier(id))),
            to,
            by: Some(message.speaker.player.clone()),
            only_for: aside.then(|| message.speaker.player.clone()),
            addressee: answer.addressee,
            calls: answer.calls,
            pictures: answer.pictures,
            files: answer.files,
            refusal: answer.refused,
            told: answer.told,
            readers: match answer.told_by {
                Some(ref by) => vec![format!("you and {by}")],
                None if is_private => readers.to_vec(),
                None => Vec::new(),
            },
            copy: copy && answer.told_by.is_none(),
            ..Post::new(key, room, answer.blocks)
        }
    }
}

/// The answers to a message for one reader.
#[derive(Clone, Debug, Default)]
struct Answer {
    addressee: Option<String>,
    blocks: Vec<Block>,
    pictures: Vec<chat::Picture>,
    files: Vec<chat::File>,
    /// Notices for everybody about answers that are not for everybody.
    notices: Vec<Line>,
    refused: bool,
    calls: BTreeSet<PlayerId>,
    roll: Option<u64>,
    /// The last entry with dice in it.
    rolled: Option<u64>,
    numbers: Option<String>,
    told: Vec<Told>,
    /// Who tells it, if it is something else than the asker is answered.
    told_by: Option<String>,
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
        self.rolled = outcome.entry.filter(|_| !outcome.dice.is_empty()).or(self.rolled);
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
        reply.pictures.iter().for_each(|picture| picture.join(&mut self.pictures));
        self.files.extend(reply.files.iter().cloned());
        self.calls.extend(outcome.calls.iter().cloned());
        if !reply.facts.is_empty() || !reply.why.is_empty() {
            let (facts, why) = (reply.facts.clone(), reply.why.clone());
            self.told.push(Told { entry: outcome.entry, facts, why });
        }
    }

    /// Leaves out whom it is for if it says that name anyway: `Gus: Gus is now a referee`, `Ann: You are Ann`.
    fn name_once(&mut self) {
        let (Some(name), Some(first)) = (&self.addressee, self.blocks.first().map(Block::plain)) else { return };
        let rest = first.strip_prefix("You are ").unwrap_or(&first).strip_prefix(name.as_str());
        if rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric())) {
            self.addressee = None;
        }
    }

    /// Says of a late answer when the message was sent.
    fn label_late(&mut self, message: &Message) {
        if let (true, Some(Block::Line(line))) = (message.late, self.blocks.first_mut()) {
            line.insert(0, Span::Text(format!("(sent {} UTC) ", message.sent.strftime("%Y-%m-%d %H:%M"))));
        }
    }
}
