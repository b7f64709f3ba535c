//! Rooms that share a table: who may link them, what a word opens, and whose rights reach how far.

use crate::attack::seated::{Came, NETWORK, Person, Seated, games, hall};
use chat::{Event, Message, RoomId};
use jiff::SignedDuration;
use journal::store::Store;
use plugin_api::Plugin;

pub fn den() -> RoomId {
    RoomId::new("other", "den")
}

/// A bot in the hall, whose referee is Gus, and in the den.
pub struct Rooms(pub Seated);

impl Rooms {
    fn open() -> Self {
        Self::with(games)
    }

    fn with(make: fn() -> Vec<Box<dyn Plugin>>) -> Self {
        let mut rooms = Rooms(Seated::new(make));
        rooms.0.comes(&gus());
        assert!(rooms.0.say(&ada(), "!gm add Gus").ok());
        rooms
    }

    fn linked() -> Self {
        let mut rooms = Self::open();
        rooms.link();
        rooms
    }

    /// The rooms at one table, with the tool for turns.
    pub fn in_turns() -> Self {
        let mut rooms = Self::with(with_turns);
        rooms.link();
        rooms
    }

    /// Brings the den to the table of the hall.
    pub fn link(&mut self) {
        let word = self.word();
        let linked = self.at(&den(), &dan(), &format!("!link {word} really"));
        assert!(linked.ok(), "{}", linked.all());
    }

    pub fn message(&mut self, room: &RoomId, who: &Person, body: &str) -> Message {
        Message { room: room.clone(), ..self.0.message(who, body) }
    }

    pub fn at(&mut self, room: &RoomId, who: &Person, body: &str) -> Came {
        let message = self.message(room, who, body);
        self.0.hears(message)
    }

    pub fn refused(&mut self, room: &RoomId, who: &Person, body: &str) -> String {
        let came = self.at(room, who, body);
        assert!(!came.ok(), "{body}: {}", came.all());
        came.all()
    }

    pub fn word(&mut self) -> String {
        word_in(&self.at(&hall(), &gus(), "!link").all())
    }
}

fn with_turns() -> Vec<Box<dyn Plugin>> {
    let turns = ::games::all().into_iter().filter(|plugin| plugin.manifest().id == "turns");
    games().into_iter().chain(turns).collect()
}

fn word_in(told: &str) -> String {
    told.split("!link ").nth(1).and_then(|rest| rest.split_whitespace().next()).expect("a word").to_owned()
}

pub fn gus() -> Person {
    Person::account("Gus")
}

/// Runs the hall.
pub fn ada() -> Person {
    Person::account("Ada").admin()
}

/// Runs the den.
pub fn dan() -> Person {
    Person::account("Dan").admin()
}

pub fn ann() -> Person {
    Person::account("Ann")
}

#[test]
fn words_are_guessed_five_times_an_hour() {
    let mut rooms = Rooms::open();
    let word = rooms.word();
    for guess in ["kfbdmpahcoel", "aaaaaaaaaaaa", "back", "b", "seated/x"] {
        let told = rooms.refused(&den(), &dan(), &format!("!link {guess}"));
        assert!(told.contains("o table has that word"), "{told}");
    }
    assert!(rooms.refused(&den(), &dan(), &format!("!link {word}")).contains("oo many wrong words"));
    // An hour later the right one works.
    let mut message = rooms.message(&den(), &dan(), &format!("!link {word}"));
    message.sent += SignedDuration::from_hours(2);
    let came = rooms.0.hears(message);
    assert!(came.ok(), "{}", came.all());
}

#[test]
fn a_slip_of_link_guesses_no_word() {
    let mut rooms = Rooms::open();
    let word = rooms.word();
    for _ in 0..6 {
        // What the line is corrected to is not tried out on the words that there are.
        let told = rooms.refused(&den(), &dan(), "!lnik kfbdmpahcoel");
        assert!(told.contains("did you mean !link?"), "{told}");
    }
    assert!(rooms.at(&den(), &dan(), &format!("!link {word}")).ok());
}

#[test]
fn a_word_works_once_within_a_day_and_stands_in_no_export() {
    let mut rooms = Rooms::open();
    let (word, late) = (rooms.word(), rooms.word());
    assert_ne!(word, late);
    // Nobody who reads the room has it.
    let given = rooms.at(&hall(), &gus(), "!link");
    assert_eq!(given.public(), "", "{}", given.all());
    assert!(rooms.at(&den(), &dan(), &format!("!link {word}")).ok());
    let cellar = RoomId::new(NETWORK, "cellar");
    assert!(rooms.refused(&cellar, &dan(), &format!("!link {word}")).contains("o table has that word"));
    let mut message = rooms.message(&cellar, &dan(), &format!("!link {late}"));
    message.sent += SignedDuration::from_hours(25);
    let heard = rooms.0.play(&Event::Said(message));
    assert!(heard.outcomes[0].reply.plain().contains("No table has that word"), "{:?}", heard.outcomes);
    rooms.at(&hall(), &gus(), "!roll d6");
    let exported = rooms.at(&hall(), &gus(), "!export");
    let posts = format!("{:?}", exported.heard.posts);
    assert!(exported.ok() && [&word, &late].iter().all(|word| !posts.contains(*word)), "{posts}");
    let entries = rooms.0.store.scan("table/test%2Fhall/entry/", None, 99).unwrap();
    assert!(entries.iter().all(|(_, entry)| !String::from_utf8_lossy(entry).contains(&word)));
}

#[test]
fn only_who_runs_a_room_or_its_table_links_it() {
    let mut rooms = Rooms::open();
    let op = Person::nick("Op");
    for who in [&ann(), &op, &Person::nick("Gus")] {
        assert!(rooms.refused(&hall(), who, "!link").contains("nly the referee"));
    }
    let word = rooms.word();
    // In a room without a referee anyone may give a referee's commands, but not give the room away.
    for who in [&ann(), &op] {
        let told = rooms.refused(&den(), who, &format!("!link {word}"));
        assert!(told.contains("nly a room admin or the referee"), "{told}");
    }
    // Nor is a private chat a room for others.
    let mut message = rooms.message(&RoomId::new(NETWORK, "chat"), &dan(), &format!("link {word}"));
    message.private = true;
    let heard = rooms.0.play(&Event::Said(message));
    assert!(heard.outcomes[0].reply.plain().contains("in the open"), "{:?}", heard.outcomes);
    assert!(rooms.at(&den(), &dan(), &format!("!link {word}")).ok(), "and the word still works");
    for who in [&ann(), &op] {
        rooms.refused(&den(), who, "!unlink");
        rooms.refused(&hall(), who, "!unlink den");
    }
}

#[test]
fn a_room_is_linked_to_one_other_table_and_never_to_its_own() {
    let mut rooms = Rooms::open();
    let (first, second) = (rooms.word(), rooms.word());
    assert!(rooms.refused(&hall(), &gus(), &format!("!link {first}")).contains("already at that table"));
    let came = rooms.at(&den(), &dan(), &format!("!link {first}\n!link {second}"));
    assert!(came.all().contains("has just moved to another table"), "{}", came.all());
    assert!(rooms.refused(&den(), &dan(), &format!("!link {second}")).contains("already at that table"));
    // Its table is not handed on by who runs it.
    assert!(rooms.refused(&den(), &dan(), "!link another").contains("nly the referee"));
    // The hall, which others share, goes nowhere either.
    let word = word_in(&rooms.at(&RoomId::new(NETWORK, "cellar"), &dan(), "!link").all());
    assert!(rooms.refused(&hall(), &ada(), &format!("!link {word} really")).contains("shares its table with"));
}

#[test]
fn who_runs_a_linked_room_runs_that_room_and_not_the_table() {
    let mut rooms = Rooms::linked();
    let roll = rooms.at(&hall(), &ann(), "!roll d6 # mine").entry().expect("an entry");
    let secret = rooms.at(&hall(), &ann(), "!secret roll d6").entry().expect("an entry");
    for line in [
        "!gm me".to_owned(),
        "!gm remove Gus".to_owned(),
        format!("!erase #{roll}"),
        "!erase older 1".to_owned(),
        "!export move".to_owned(),
        format!("!why #{secret}"),
        format!("!reveal #{secret}"),
        format!("!undo #{roll}"),
        "!fair reveal all".to_owned(),
        "!table name Mine".to_owned(),
        "!mirror on".to_owned(),
        "!unlink hall".to_owned(),
        "!link".to_owned() + " another",
    ] {
        rooms.refused(&den(), &dan(), &line);
    }
    for line in ["!room verbosity full", "!undo", "!ignore *!*@*.spam.example", "!plugin disable torg", "!roll d6"] {
        let came = rooms.at(&den(), &dan(), line);
        assert!(came.ok(), "{line}: {}", came.all());
    }
    // The referee of the hall is the referee of the table wherever the network knows the account.
    assert!(rooms.at(&den(), &gus(), "!table name Ours").ok());
    assert!(!rooms.at(&den(), &Person::nick("Gus"), "!table name Nobody's").ok());
    // Where nobody runs the hall's table yet, the den's admin is no first referee who reads secrets.
    let mut free = Rooms(Seated::new(games));
    free.at(&hall(), &ann(), "!secret roll d6");
    let word = word_in(&free.at(&hall(), &ada(), "!link").all());
    assert!(free.at(&den(), &dan(), &format!("!link {word}")).ok());
    free.refused(&den(), &dan(), "!gm me");
}

#[test]
fn nobody_is_mirrored_where_they_are_ignored_and_no_room_that_only_talks() {
    let mut rooms = Rooms::linked();
    assert!(rooms.at(&hall(), &gus(), "!mirror on").ok());
    let seen = |came: Came| came.heard.posts.iter().filter(|post| post.post.room == den()).count();
    assert_eq!(seen(rooms.at(&hall(), &ann(), "!roll d6")), 1);
    for line in ["!secret roll d6", "!help", "!roll d", "!room", "!set str 3 # my own\n!why", "!history"] {
        let came = rooms.at(&hall(), &ann(), line);
        let shown = came.heard.posts.iter().filter(|post| post.post.room == den());
        let shown: String = shown.flat_map(|post| post.post.blocks.iter().map(chat::Block::plain)).collect();
        assert!(
            shown.is_empty() || shown.starts_with("[hall on test] Ann: ") && line.starts_with("!set"),
            "{line}: {shown}"
        );
    }
    assert!(rooms.at(&den(), &dan(), "!ignore @ann:example.org").ok());
    assert_eq!(seen(rooms.at(&hall(), &ann(), "!roll d6")), 0);
    assert_eq!(seen(rooms.at(&hall(), &gus(), "!roll d6")), 1);
    assert!(rooms.at(&den(), &dan(), "!room part talk").ok());
    assert_eq!(seen(rooms.at(&hall(), &gus(), "!roll d6")), 0);
    let came = rooms.at(&den(), &dan(), "!roll d6");
    assert!(came.ok() && came.heard.posts.iter().all(|post| post.post.room == den()));
    // Mirrored lines are no commands, whatever the prefix, and make no new ones.
    assert!(rooms.at(&den(), &dan(), "!room part play").ok());
    let shown = rooms.at(&hall(), &gus(), "!roll d6 # !roll d20").heard.posts;
    let line = shown.iter().find(|post| post.post.room == den()).expect("it is shown").post.blocks[0].plain();
    assert!(rooms.at(&den(), &dan(), &line).heard.outcomes.is_empty(), "{line}");
}

#[test]
fn a_room_leaves_whatever_happens_and_comes_back_only_by_a_word() {
    let mut rooms = Rooms::linked();
    rooms.at(&den(), &ann(), "!roll d6");
    rooms.0.play(&Event::Left { room: den() });
    rooms.0.restart();
    // Thrown out of the den, the bot plays on in the hall, and the referee sends the den away.
    let sent = rooms.at(&hall(), &gus(), "!unlink den");
    assert!(sent.ok() && sent.all().contains("den on other has left this table"), "{}", sent.all());
    let unlink = sent.entry().expect("an entry");
    rooms.refused(&hall(), &ada(), &format!("!undo #{unlink}"));
    assert!(rooms.at(&den(), &ann(), "!roll d6").all().ends_with("#2"), "its own table, where it was linked in #1");
    assert!(rooms.refused(&hall(), &gus(), "!unlink").contains("o other room"));
    // Who leaves a table to others needs their word to return, and may not take it back.
    let word = rooms.word();
    assert!(rooms.at(&den(), &dan(), &format!("!link {word} really")).ok());
    let asked = rooms.refused(&hall(), &ada(), "!unlink");
    assert!(asked.contains("leaves the table and all that was played at it to den on other"), "{asked}");
    assert!(rooms.at(&hall(), &ada(), "!unlink really").all().contains("begins a new table"));
    assert!(rooms.refused(&hall(), &ada(), "!import back").contains("nother room plays at that table"));
    assert!(rooms.at(&den(), &dan(), "!erase older 1").all().contains("older than"), "it is the den's now");
    let word = word_in(&rooms.at(&den(), &dan(), "!link").all());
    assert!(rooms.at(&hall(), &ada(), &format!("!link {word} really")).ok());
    rooms.refused(&hall(), &ada(), "!gm me");
    // A second time it begins a table of its own as well, or goes on at the one it began.
    assert!(rooms.at(&hall(), &ada(), "!unlink").ok());
    assert!(!rooms.at(&hall(), &ada(), "!history").all().contains("d6"));
}

#[test]
fn nobody_plays_where_people_only_watch() {
    let mut rooms = Rooms::linked();
    rooms.at(&hall(), &ann(), "!roll d6");
    assert!(rooms.at(&hall(), &gus(), "!mirror on").ok());
    assert!(rooms.at(&den(), &dan(), "!room part watch").ok());
    let seen = |came: &Came| came.heard.posts.iter().filter(|post| post.post.room == den()).count();
    assert_eq!(seen(&rooms.at(&hall(), &ann(), "!roll d6")), 1);
    let newest = rooms.at(&hall(), &ann(), "!roll d6").entry();
    for line in [
        "!roll d6",
        "!secret roll d6",
        "!as Ann roll d6",
        "!act d8 d10",
        "!2x act d6",
        "!undo",
        "!undo #2",
        "!set str 3",
        "!iam Rook",
        "!note here",
        "!remind 2d here",
        "!scene The ford",
        "!insp +1",
        "!seal I wait",
        "!gm me",
        "!table name Ours",
        "!fair reveal",
        "!reveal #2",
    ] {
        rooms.refused(&den(), &ann(), line);
        let told = rooms.refused(&den(), &gus(), line);
        let already = ["!gm me", "!reveal #2"].contains(&line);
        assert!(already || told.contains("only watch in this room: play in hall on test"), "{line}: {told}");
    }
    for line in ["!now", "!history", "!odds d6 vs 4", "!odds act d8 d10", "!pc", "!help", "!why", "!insp", "!link"] {
        let came = rooms.at(&den(), &ann(), line);
        assert!(came.ok() || line == "!link", "{line}: {}", came.all());
    }
    // Nothing was rolled, and nothing of it is in the journal.
    assert_eq!(rooms.at(&hall(), &ann(), "!roll d6").entry(), newest.map(|number| number + 1));
    // Whoever runs the room ends that, and the room can leave.
    assert!(rooms.at(&den(), &dan(), "!room verbosity full").ok());
    assert!(rooms.at(&den(), &dan(), "!room part play").ok());
    assert!(rooms.at(&den(), &ann(), "!roll d6").ok());
    assert!(rooms.at(&den(), &dan(), "!room part watch").ok());
    assert!(rooms.at(&den(), &dan(), "!unlink").ok());
    assert!(rooms.refused(&den(), &ann(), "!roll d6").contains("until an admin types room part play"));
}

#[test]
fn what_a_room_left_for_later_waits_until_it_is_back() {
    let mut rooms = Rooms::open();
    let word = rooms.word();
    assert!(rooms.at(&den(), &dan(), "!remind 2h the truce ends").ok());
    assert!(rooms.at(&den(), &dan(), &format!("!link {word} really")).ok());
    rooms.0.pass(SignedDuration::from_hours(3));
    assert!(!rooms.at(&den(), &dan(), "!roll 1d1").all().contains("truce"), "it plays at another table");
    rooms.0.restart();
    assert!(!rooms.at(&den(), &dan(), "!roll 1d1").all().contains("truce"));
    assert!(rooms.at(&den(), &dan(), "!unlink").ok());
    let said = rooms.at(&den(), &dan(), "!roll 1d1").all();
    assert_eq!(said.matches("the truce ends").count(), 1, "{said}");
    assert!(!rooms.at(&den(), &dan(), "!roll 1d1").all().contains("truce"), "once");
}
