//! Words that are erased without a command: because of their age, or because their message was deleted.

use chat::{Block, Event, Message, Recipient, RoomId, Span, Standing};
use jiff::SignedDuration;
use table::OutcomeKind;
use tests::seated::{Came, NETWORK, Person, Seated, hall, text};

/// A bot in two rooms.
struct Rooms(Seated);

/// Who runs the rooms.
fn ada() -> Person {
    Person::account("Ada").admin()
}

impl Rooms {
    fn new() -> Self {
        Rooms(Seated::new(|| vec![roll::plugin()]))
    }

    /// Ada says something in a room.
    fn say(&mut self, room: &str, body: &str) -> Came {
        let message = Message { room: RoomId::new(NETWORK, room), ..self.0.message(&ada(), body) };
        self.0.hears(message)
    }
}

#[test]
fn erasing_old_text_comes_to_an_end() {
    let mut rooms = Rooms::new();
    rooms.say("hall", "!roll 1d1 # my street");
    let mut operator = Person::account("Olga");
    operator.0.standing = Standing::Operator;
    let mut order = |days: i64| {
        rooms.0.pass(SignedDuration::from_hours(24 * days));
        rooms.0.say(&operator, "!erase older 1").kind()
    };
    assert_eq!(order(3), OutcomeKind::Played);
    // By now the operator's own lines are old, too, but they contain no one's words.
    assert_eq!([order(7), order(10)], [OutcomeKind::Refused; 2]);
    assert!(rooms.say("hall", "!history").reply().contains("2 entries up to #2"));
}

#[test]
fn the_rest_of_a_long_answer_is_erased_with_the_words() {
    let mut rooms = Rooms::new();
    rooms.say("hall", "!roll 1d1 # my street");
    let mut left = |text: &str| {
        let blocks = vec![Block::Line(vec![Span::Text(text.to_owned())])];
        let rest = Event::Rest { room: hall(), to: Recipient::Room, blocks };
        rooms.0.play(&rest);
        let more = rooms.say("hall", "!more").reply();
        rooms.0.play(&rest);
        rooms.say("hall", "!erase #1");
        (more, rooms.say("hall", "!more").reply())
    };
    let (before, behind) = left("#1 my street");
    assert!(before.contains("my street"), "{before}");
    assert!(behind.starts_with("There is nothing more to show here"), "{behind}");
}

#[test]
fn what_a_line_shows_and_a_later_line_of_its_message_erases_is_not_said() {
    let mut rooms = Rooms::new();
    rooms.say("hall", "!roll 1d1 # my street");
    rooms.say("hall", "!roll 1d1 # a lamp");
    let said = rooms.say("hall", "!history\n!erase #1");
    let posts: String = said.heard.posts.iter().map(|outgoing| text(&outgoing.post)).collect();
    assert!(said.ok() && !posts.contains("my street"), "{posts}");
    let said = rooms.say("hall", "!roll 1d1 # a door\n!erase #2");
    let posts: String = said.heard.posts.iter().map(|outgoing| text(&outgoing.post)).collect();
    assert!(posts.contains("a door") && posts.contains("#2 is erased"), "{posts}");
}

#[test]
fn a_deleted_message_erases_nothing_at_another_table() {
    let mut rooms = Rooms::new();
    let first = rooms.say("hall", "!roll 1d1 # of the hall");
    rooms.say("attic", "!roll 1d1 # of the attic");
    let told = rooms.say("attic", "!export move").reply();
    let word = told.split("!import ").nth(1).and_then(|rest| rest.split_whitespace().next()).expect("a word");
    assert!(rooms.say("hall", &format!("!import {word} really")).ok());
    rooms.0.redact(&ada(), &first.id);
    let history = rooms.say("hall", "!history").reply();
    assert!(history.contains("of the attic") && !history.contains("erased"), "{history}");
}

#[test]
fn a_refused_line_that_was_deleted_is_not_sent_by_a_letter() {
    for taken_back in [false, true] {
        let mut table = Seated::new(|| vec![roll::plugin()]);
        let refused = table.say(&ada(), "!roll 1d1 fire");
        assert!(refused.refused() && refused.reply().contains("!roll 1d1 # fire (!y sends it)"), "{}", refused.all());
        if taken_back {
            table.redact(&ada(), &refused.id);
        }
        let sent = table.say(&ada(), "!y").kind();
        assert_eq!(sent, if taken_back { OutcomeKind::Silent } else { OutcomeKind::Played });
    }
}
