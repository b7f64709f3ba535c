//! Making answers and refusals ready to be shown: comment, offers, number, example, caret; and posts of them.

use super::{Heard, OutcomeKind, Outgoing, Table};
use crate::bot::Bot;
use crate::documents::to_json;
use crate::keys;
use crate::route::MOST_LINES;
use chat::{Audience, Block, Message, PlayerId, Post, Recipient, Reply, Span, cut};
use plugin_api::{CommandSpec, Refusal};

/// Characters of a comment that are shown.
const COMMENT: usize = 60;

/// A game's answer with what the table adds: the comment, the offers with their numbers, the entry's number.
pub(super) fn answer(mut reply: Reply, comment: Option<&str>, prefix: &str, number: Option<u64>) -> Reply {
    if let Some(comment) = comment {
        reply = reply.text(format!(" | {}", cut(comment, COMMENT)));
    }
    let offers = reply.offers.clone();
    let (own, others): (Vec<_>, Vec<_>) = offers.iter().partition(|offer| offer.to.is_none());
    for (n, offer) in own.iter().enumerate() {
        let before = if n == 0 { " | " } else { "  " };
        reply = reply.text(format!("{before}{}: ", n + 1)).code(format!("{prefix}{}", offer.command));
        reply = reply.text(format!(" ({})", offer.label));
    }
    for offer in others {
        let to = offer.to.as_deref().unwrap_or_default();
        reply = reply.text(format!(" | {to}: ")).code(format!("{prefix}{}", offer.command));
    }
    match number {
        Some(number) => reply.text(format!(" #{number}")),
        None => reply,
    }
}

/// A refusal as an answer: what was wrong, one right example, and a mark under the place.
pub(super) fn refusal(refusal: Refusal, typed: &str, spec: Option<&CommandSpec>, prefix: &str) -> Reply {
    let what = upper_first(&refusal.what);
    let end = if what.ends_with(['?', '!', '.']) { "" } else { "." };
    let mut reply = Reply::new().text(format!("{what}{end}"));
    let example = refusal.example.or_else(|| spec.and_then(|spec| spec.examples.first().cloned()));
    if let Some(example) = example {
        reply = reply.text(" Example: ").code(format!("{prefix}{example}"));
    }
    let words = || plugin_api::Words::new(typed, 0);
    let at = refusal.at.or_else(|| words().place_of(&refusal.about?));
    if let Some(at) = at.filter(|at| at.end <= typed.len()) {
        let at = at.start + prefix.len()..at.end + prefix.len();
        reply.blocks.push(Block::Caret { typed: format!("{prefix}{typed}"), at });
    }
    reply
}

fn upper_first(text: &str) -> String {
    let mut rest = text.chars();
    // A sentence that begins with something typed keeps it as it was.
    let first = rest.next().map(|c| c.to_uppercase().collect::<String>()).unwrap_or_default();
    first + rest.as_str()
}

impl Table {
    /// Makes the posts that answer a message, all lines of an audience together, and puts them into the batch.
    pub(super) fn post_answers(&mut self, bot: &Bot, message: &Message, too_many: bool, heard: &mut Heard) {
        let mut public = Answer::default();
        let mut private = Answer::default();
        let mut referees_too = false;
        for outcome in heard.outcomes.iter().filter(|outcome| outcome.kind != OutcomeKind::Silent) {
            let answer = if outcome.reply.audience == Audience::Table { &mut public } else { &mut private };
            referees_too |= outcome.reply.audience == Audience::Referees;
            answer.add(&outcome.actor, &outcome.reply, outcome.kind);
            answer.roll = answer.roll.or(outcome.follows).or(outcome.entry);
        }
        if too_many {
            let note = format!("I played the first {MOST_LINES} commands of that message; send the others again.");
            public.add(&message.speaker.name, &Reply::from(note), OutcomeKind::Refused);
        }
        if message.late && !public.blocks.is_empty() {
            let label = format!("(sent {} UTC) ", message.sent.strftime("%Y-%m-%d %H:%M"));
            if let Some(Block::Line(line)) = public.blocks.first_mut() {
                line.insert(0, Span::Text(label));
            }
        }
        let limited = !message.late && !message.unlimited;
        let text: String = public.blocks.iter().map(Block::plain).collect();
        if limited
            && !text.is_empty()
            && !self.pulse.answer(&message.speaker.player, &text, message.sent, &bot.settings.limits)
        {
            return;
        }
        let mut posts = vec![(Recipient::Room, public)];
        if !private.blocks.is_empty() {
            let asked = &message.speaker.player;
            let referees = self.doc.doc.referees.keys().filter(|player| referees_too && *player != asked);
            let readers: Vec<PlayerId> = std::iter::once(asked).chain(referees).cloned().collect();
            posts.extend(readers.into_iter().map(|reader| (Recipient::Player(reader), private.clone())));
        }
        for (part, (to, answer)) in posts.into_iter().filter(|(_, answer)| !answer.blocks.is_empty()).enumerate() {
            let post = Post {
                key: format!("{}/{}/{part}", message.room, message.id),
                room: message.room.clone(),
                to,
                answers: Some(message.id.clone()),
                addressee: answer.addressee,
                blocks: answer.blocks,
                images: answer.images,
                refusal: answer.refused,
                again: false,
            };
            let key = keys::outbox(&message.room.network, bot.next_number());
            let roll = answer.roll.map(|number| (self.id.clone(), number));
            let outgoing = Outgoing { key: key.clone(), post, roll };
            heard.batch.put(key, to_json(&outgoing));
            heard.posts.push(outgoing);
        }
    }

    /// An edit of a message that was played: its dice and its answer stay.
    pub(super) fn first_version_stands(&mut self, bot: &Bot, message: &Message) -> Heard {
        let mut heard = Heard::default();
        let text = "The first version of that message was played and stands.";
        let outcome = super::Outcome {
            kind: OutcomeKind::Refused,
            player: message.speaker.name.clone(),
            actor: message.speaker.name.clone(),
            reply: Reply::from(text),
            dice: Vec::new(),
            entry: None,
            follows: None,
            changed: false,
            misread: false,
        };
        heard.outcomes.push(outcome);
        self.post_answers(bot, message, false, &mut heard);
        self.reserve(&mut heard);
        heard
    }
}

/// The answers to one message for one audience.
#[derive(Clone, Debug, Default)]
struct Answer {
    addressee: Option<String>,
    blocks: Vec<Block>,
    images: Vec<chat::Image>,
    refused: bool,
    roll: Option<u64>,
}

impl Answer {
    fn add(&mut self, actor: &str, reply: &Reply, kind: OutcomeKind) {
        let mut blocks = reply.blocks.clone();
        self.refused = kind == OutcomeKind::Refused && (self.refused || self.blocks.is_empty());
        match &self.addressee {
            None => self.addressee = Some(actor.to_owned()),
            Some(first) if first != actor => {
                if let Some(Block::Line(line)) = blocks.first_mut() {
                    line.insert(0, Span::Text(format!("{actor}: ")));
                }
            }
            Some(_) => {}
        }
        self.blocks.extend(blocks);
        self.images.extend(reply.images.iter().cloned());
    }
}
