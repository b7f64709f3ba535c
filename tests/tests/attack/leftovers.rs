//! What is left of something earlier: the rest of an answer, calls by reminders, questions of a scene that is over.

use crate::attack::links::{Rooms, ann, den, gus};
use crate::attack::seated::{Came, NETWORK, Person, Seated, games};
use chat::{Block, Event, Recipient, RoomId, Span};
use jiff::SignedDuration;

/// The bot cut a long answer short in somebody's private chat, after a roll there.
fn cut_short(table: &mut Seated, person: &Person) {
    table.aside(person, "roll d6");
    let room = RoomId::new(NETWORK, format!("private-{}", person.player().id));
    let blocks = vec![Block::Line(vec![Span::Text("the end of the secret".to_owned())])];
    table.play(&Event::Rest { room, to: Recipient::Room, blocks });
}

#[test]
fn after_a_restart_the_rest_of_a_private_answer_is_for_no_bare_nick() {
    let (nick, account) = (Person::nick("Ann"), Person::account("Bob"));
    let mut table = Seated::new(games);
    for person in [&nick, &account] {
        table.comes(person);
        cut_short(&mut table, person);
        assert!(table.aside(person, "more").all().contains("the end of the secret"), "in one run it is theirs");
        cut_short(&mut table, person);
    }
    table.restart();
    // By now anybody may have the nick.
    let came = table.aside(&nick, "more");
    assert!(!came.ok() && !came.all().contains("the end of the secret"), "{}", came.all());
    assert!(table.aside(&account, "more").all().contains("the end of the secret"));
}

/// How often this person is called.
fn calls(came: &Came, person: &Person) -> usize {
    came.heard.posts.iter().filter(|outgoing| outgoing.post.calls.contains(person.player())).count()
}

#[test]
fn reminders_of_somebody_else_call_a_person_once_an_hour() {
    let (ann, bob, gus) = (Person::account("Ann"), Person::account("Bob"), Person::account("Gus").admin());
    let mut table = Seated::new(games);
    for person in [&ann, &bob, &gus] {
        table.comes(person);
        assert!(table.say(person, "!join").ok());
    }
    assert!(table.say(&gus, "!gm me").ok());
    for line in ["!remind Bob 10m the first", "!remind Bob 11m the second", "!remind Bob 3h the third"] {
        let came = table.say(&ann, line);
        assert!(came.ok(), "{line}: {}", came.all());
    }
    table.pass(SignedDuration::from_mins(30));
    let came = table.say(&gus, "!now");
    assert!(came.all().contains("the first") && came.all().contains("the second"), "{}", came.all());
    assert_eq!(calls(&came, &bob), 1, "the words stand there, and he is called once: {}", came.all());
    table.pass(SignedDuration::from_hours(4));
    let came = table.say(&gus, "!now");
    assert!(came.all().contains("the third"), "{}", came.all());
    assert_eq!(calls(&came, &bob), 1, "an hour later he is called again: {}", came.all());
}

#[test]
fn nobody_is_asked_for_a_scene_that_ended_when_the_party_came_together() {
    let mut rooms = Rooms::in_turns();
    let mut plays = |who: &Person, line: &str| {
        let came = rooms.at(&den(), who, line);
        assert!(came.ok(), "{line}: {}", came.all());
        came.all()
    };
    plays(&ann(), "!join");
    plays(&gus(), "!scene apart At the mill");
    plays(&gus(), "!as Miller roll d6");
    plays(&ann(), "!act d8 d10 vs Miller");
    assert!(plays(&gus(), "!now").contains("Miller"), "the referee is asked for the miller");
    plays(&gus(), "!scene together");
    let now = plays(&gus(), "!now");
    assert!(!now.contains("Miller"), "{now}");
}
