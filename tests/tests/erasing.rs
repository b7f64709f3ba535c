//! Words that are erased without a command: because of their age, or because their message was deleted.

use chat::{Block, Event, Message, PlayerId, Recipient, RoomId, Span, Speaker, Standing};
use jiff::{SignedDuration, Timestamp};
use journal::Entropy;
use journal::store::Memory;
use std::sync::Arc;
use table::{FairBox, Host, OutcomeKind, Plugins, Settings, Sitting};

/// Two rooms.
struct Rooms {
    sitting: Sitting,
    said: usize,
}

impl Rooms {
    fn new() -> Self {
        let plugins = Plugins::new(vec![roll::plugin()]).expect("one plugin always fits");
        let store: Arc<Memory> = Arc::default();
        let bot = Host::new(Settings::default(), plugins, store, Entropy::from_seed([1; 32]), Box::new(FairBox));
        Rooms { sitting: Sitting::new(Arc::new(bot.expect("it starts"))), said: 0 }
    }

    fn message(&mut self, standing: Standing, room: &str, day: i64, body: &str) -> Message {
        self.said += 1;
        let speaker = Speaker { standing, ..Speaker::new(PlayerId::new("n", format!("{standing:?}")), "Ann") };
        let sent = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(24 * day);
        let message = Message::new(self.said.to_string(), RoomId::new("n", room), speaker, sent, body);
        Message { unlimited: true, ..message }
    }

    /// The outcome of a line, and the text for all readers.
    fn say(&mut self, standing: Standing, room: &str, day: i64, body: &str) -> (OutcomeKind, String) {
        let message = self.message(standing, room, day, body);
        let heard = self.sitting.play(&Event::Said(message)).expect("memory does not fail");
        (heard.outcomes[0].kind, heard.outcomes[0].reply.plain())
    }
}

#[test]
fn erasing_old_text_comes_to_an_end() {
    let mut rooms = Rooms::new();
    rooms.say(Standing::Admin, "hall", 0, "!roll 1d1 # my street");
    let mut order = |day| rooms.say(Standing::Operator, "hall", day, "!erase older 1").0;
    assert_eq!(order(3), OutcomeKind::Played);
    // By now the operator's own lines are old, too, but they contain no one's words.
    assert_eq!([order(10), order(20)], [OutcomeKind::Refused; 2]);
    assert!(rooms.say(Standing::Admin, "hall", 20, "!history").1.contains("2 entries up to #2"));
}

#[test]
fn the_rest_of_a_long_answer_is_erased_with_the_words() {
    let mut rooms = Rooms::new();
    rooms.say(Standing::Admin, "hall", 0, "!roll 1d1 # my street");
    let mut left = |text: &str| {
        let blocks = vec![Block::Line(vec![Span::Text(text.to_owned())])];
        let rest = Event::Rest { room: RoomId::new("n", "hall"), to: Recipient::Room, blocks };
        rooms.sitting.play(&rest).expect("memory does not fail");
        let more = rooms.say(Standing::Admin, "hall", 0, "!more");
        rooms.sitting.play(&rest).expect("memory does not fail");
        rooms.say(Standing::Admin, "hall", 0, "!erase #1");
        (more, rooms.say(Standing::Admin, "hall", 0, "!more"))
    };
    let (before, behind) = left("#1 my street");
    assert!(before.1.contains("my street"), "{before:?}");
    assert!(behind.1.starts_with("There is nothing more to show here"), "{behind:?}");
}

#[test]
fn a_deleted_message_erases_nothing_at_another_table() {
    let mut rooms = Rooms::new();
    rooms.say(Standing::Admin, "hall", 0, "!roll 1d1 # of the hall");
    let first = rooms.said.to_string();
    rooms.say(Standing::Admin, "attic", 0, "!roll 1d1 # of the attic");
    let told = rooms.say(Standing::Admin, "attic", 0, "!export move").1;
    let word = told.split("!import ").nth(1).and_then(|rest| rest.split_whitespace().next()).expect("a word");
    assert_eq!(rooms.say(Standing::Admin, "hall", 0, &format!("!import {word} really")).0, OutcomeKind::Played);
    let message = rooms.message(Standing::Admin, "hall", 0, "");
    rooms.sitting.play(&Event::Redacted { message, of: first }).expect("memory does not fail");
    let history = rooms.say(Standing::Admin, "hall", 0, "!history").1;
    assert!(history.contains("of the attic") && !history.contains("erased"), "{history}");
}

#[test]
fn a_refused_line_that_was_deleted_is_not_sent_by_a_letter() {
    for taken_back in [false, true] {
        let mut rooms = Rooms::new();
        let (kind, refused) = rooms.say(Standing::Admin, "hall", 0, "!roll 1d1 fire");
        assert!(kind == OutcomeKind::Refused && refused.contains("!roll 1d1 # fire (!y sends it)"), "{refused}");
        let of = rooms.said.to_string();
        if taken_back {
            let message = rooms.message(Standing::Admin, "hall", 0, "");
            rooms.sitting.play(&Event::Redacted { message, of }).expect("memory does not fail");
        }
        let sent = rooms.say(Standing::Admin, "hall", 0, "!y").0;
        assert_eq!(sent, if taken_back { OutcomeKind::Silent } else { OutcomeKind::Played });
    }
}
