//! Reactions that the bot sets at its own offers, so that people can tap them. Only where the operator wants them: a
//! homeserver with the usual limits lets an account send a message every five seconds, and each reaction is one.
//!
//! They are a convenience: nothing waits for them, and one that cannot be set is left out.

use crate::format;
use crate::link::Link;
use chat::{Block, OfferedTo, Post, Span};
use matrix_sdk::Room;
use matrix_sdk::ruma::{EventId, OwnedTransactionId};
use serde_json::json;

/// The highest number that has a sign of its own.
const MOST: usize = 9;

/// Sets a reaction for each numbered offer of a post that was just said.
pub(crate) fn set(link: &Link, room: &Room, post: &Post, said: &EventId) {
    let numbers = numbers(post);
    if !link.settings.offer_reactions || numbers.is_empty() {
        return;
    }
    let (room, said, name, network) = (room.clone(), said.to_owned(), format::name(&post.key), link.network.clone());
    tokio::spawn(async move {
        for number in numbers {
            let relates = json!({ "rel_type": "m.annotation", "event_id": said, "key": sign(number) });
            let transaction = OwnedTransactionId::from(format!("{name}-tap-{number}"));
            let sent = room.send_raw("m.reaction", json!({ "m.relates_to": relates }));
            if let Err(error) = sent.with_transaction_id(&transaction).await {
                tracing::info!(network, room = %room.room_id(), %error, "an offer gets no reactions to tap");
                return;
            }
        }
    });
}

/// `3\u{fe0f}\u{20e3}`.
fn sign(number: usize) -> String {
    format!("{number}\u{fe0f}\u{20e3}")
}

/// The numbers that are offered to the player who is answered.
fn numbers(post: &Post) -> Vec<usize> {
    let lines = post.blocks.iter().filter_map(|block| match block {
        Block::Line(line) => Some(line),
        Block::List(_) | Block::Chart(_) | Block::Caret { .. } => None,
    });
    let offered = lines.flatten().filter_map(|span| match span {
        Span::Offer(offer) => match offer.to {
            OfferedTo::Asker(number) => Some(number),
            OfferedTo::Character(_) => None,
        },
        _ => None,
    });
    offered.filter(|number| (1..=MOST).contains(number)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use chat::{Offered, RoomId};

    #[test]
    fn a_sign_is_set_for_each_number_and_for_nobody_else() {
        let offered = |to| {
            let (command, prefix, label) = ("!push".to_owned(), "!".to_owned(), "one more die".to_owned());
            Span::Offer(Box::new(Offered { command, prefix, label, chance: None, to }))
        };
        let line = vec![
            Span::Text("7".to_owned()),
            offered(OfferedTo::Asker(1)),
            offered(OfferedTo::Asker(2)),
            offered(OfferedTo::Character("Bob".to_owned())),
            offered(OfferedTo::Asker(10)),
        ];
        let post = Post::new("key", RoomId::new("home", "!tavern"), vec![Block::Line(line)]);
        assert_eq!(numbers(&post), [1, 2]);
        assert_eq!(sign(2), "2️⃣");
    }
}
