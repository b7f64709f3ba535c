//! What one message costs is bounded, whatever it says: what is guessed and tried out for it, and what it rolls.
//! One player has one share at all tables together.

use crate::attack::seated::{Came, Person, Seated, hall};
use chat::{Event, Message, RoomId};
use jiff::Timestamp;
use journal::keys::TableId;
use journal::store::scan_all;
use plugin_api::{
    Cast, CharacterId, EarlierRoll, Fit, Held, Manifest, Past, Plugin, Readers, Ready, Refusal, SavedState, Scenes,
    Shown, Words,
};
use serde_json::Value;
use std::cell::Cell;
use table::Table;
use table::words::CommandLine;

/// The most times that the games may be asked to read words because of one message.
const MOST_READINGS: usize = 10_000;

thread_local! {
    /// How often a game was asked to read words in this test, whose table plays on its thread.
    static READINGS: Cell<usize> = const { Cell::new(0) };
}

/// A game that counts how often it reads words.
struct Counted(Box<dyn Plugin>);

impl Plugin for Counted {
    fn manifest(&self) -> &Manifest {
        self.0.manifest()
    }

    fn first(&self) -> Held {
        self.0.first()
    }

    fn readers(&self, place: &[&str]) -> Readers {
        self.0.readers(place)
    }

    fn fits(&self, command: &str, roll: &EarlierRoll) -> Fit {
        self.0.fits(command, roll)
    }

    fn now(&self, held: &Held, cast: &Cast, scenes: &Scenes) -> Vec<Shown> {
        self.0.now(held, cast, scenes)
    }

    fn told(&self, place: &[&str], after: Option<&Value>, named: &dyn Fn(CharacterId) -> String) -> Option<String> {
        self.0.told(place, after, named)
    }

    fn sentence(&self, past: &Past) -> Option<String> {
        self.0.sentence(past)
    }

    fn held(&self, saved: &SavedState) -> Result<Held, Refusal> {
        self.0.held(saved)
    }

    fn ready(&self, held: &Held, name: &str, words: &mut Words) -> Result<Ready, Refusal> {
        READINGS.set(READINGS.get() + 1);
        self.0.ready(held, name, words)
    }
}

fn counted() -> Vec<Box<dyn Plugin>> {
    games::all().into_iter().map(|plugin| Box::new(Counted(plugin)) as Box<dyn Plugin>).collect()
}

/// Four games, twelve foes and 48 values: a table as many have after a month. Ann runs it.
fn a_full_table() -> (Seated, Person) {
    let (mut table, ann) = (Seated::new(counted), Person::account("Ann").admin());
    table.comes(&ann);
    for line in ["!gm me", "!iam Ann"] {
        assert!(table.say(&ann, line).ok(), "{line}");
    }
    for n in 1..=12 {
        assert!(table.say(&ann, &format!("!pc goon{n}")).ok());
    }
    for n in 0..48 {
        assert!(table.say(&ann, &format!("!set val{n} {n}")).ok());
    }
    (table, ann)
}

/// What a player says who is not exempt from limits.
fn typed(table: &mut Seated, person: &Person, room: &RoomId, body: &str) -> Came {
    let message = Message { room: room.clone(), unlimited: false, ..table.message(person, body) };
    // All at one moment.
    let sent = Timestamp::from_second(1_700_100_000).expect("in range");
    let message = Message { sent, ..message };
    table.hears(message)
}

#[test]
fn a_refused_line_is_guessed_at_no_longer_than_its_share() {
    let (mut table, ann) = a_full_table();
    for line in [
        "!goon10 attacks goon1 goon8 d20 d20 Ann against goon10 d20 dc15 val39 with",
        "!act goon1 d20 goon2 val3 val4 against goon5 with val7 d8 d8 dc15 and",
        "!attcak goon1 stelth agianst goon12 wiht val17 adn val18 vs dc15 goon4",
        "!as goon3 chekc goon4 goon5 d20 d20 goon6 against val1 val2 val3 dc15 with",
    ] {
        READINGS.set(0);
        let came = table.say(&ann, line);
        assert!(!came.ok(), "{line}: {}", came.all());
        assert!(READINGS.get() <= MOST_READINGS, "{line}: the games read it {} times", READINGS.get());
    }
    // Several lines of one message share what it may cost.
    READINGS.set(0);
    table.say(&ann, &["!goon10 attacks goon1 goon8 d20 d20 Ann against goon10 d20 dc15 val39 with"; 5].join("\n"));
    assert!(READINGS.get() <= MOST_READINGS, "the games read five lines {} times", READINGS.get());
    assert!(table.say(&ann, "!roll 2d6").ok());
}

#[test]
fn a_line_that_may_be_guessed_at_leaves_the_threads_that_play_other_tables() {
    let (mut table, ann) = a_full_table();
    let event = Event::Said(table.message(&ann, "!x"));
    let mut opened = Table::open(table.host(), TableId::of(&hall())).expect("memory does not fail");
    opened.lines(table.host(), &event).expect("memory does not fail");
    let long = |typed: &str| opened.may_take_long(table.host(), &event, &[CommandLine::new(typed)]);
    for line in ["goon10 attacks goon1", "actt d8", "act goon1 with val3 and", "roll 2d6 and then some more"] {
        assert!(long(line), "{line}");
    }
    for line in ["roll 2d6", "2d6+3", "act d8 d10", "roll 2d20kh1 + 5 vs 15"] {
        assert!(!long(line), "{line}");
    }
}

#[test]
fn a_player_has_one_share_at_all_tables() {
    let (mut table, ann, bob) =
        (Seated::new(crate::attack::seated::games), Person::account("Ann"), Person::account("Bob"));
    let rooms = ["hall", "den", "cellar"].map(|room| RoomId::new(crate::attack::seated::NETWORK, room));
    let mut played = 0;
    for n in 0..12 {
        played += usize::from(typed(&mut table, &ann, &rooms[n % 3], "!roll d6").ok());
    }
    assert_eq!(played, 10);
    assert!(typed(&mut table, &bob, &rooms[0], "!roll d6").ok(), "others have their own");
}

/// The bytes that a table takes for good.
fn kept(table: &Seated) -> usize {
    let prefix = journal::keys::entries(&TableId::of(&hall()));
    scan_all(&*table.store, &prefix).map(|record| record.expect("memory does not fail").1.len()).sum()
}

#[test]
fn a_group_rolls_no_more_dice_than_one_message_may() {
    let (mut table, ann) = (Seated::new(crate::attack::seated::games), Person::account("Ann").admin());
    table.comes(&ann);
    assert!(table.say(&ann, "!gm me").ok());
    for n in 3..=13 {
        assert!(table.say(&ann, &format!("!pc M{n}")).ok());
    }
    let all = (3..=13).map(|n| format!("M{n}")).collect::<Vec<_>>().join(", ");
    assert!(table.say(&ann, &format!("!as {all} roll 20d6")).ok());
    let before = kept(&table);
    let came = table.say(&ann, &format!("!as {all} roll 1000d1000"));
    assert!(came.all().contains("too much work for one message"), "{}", came.all());
    assert!(kept(&table) - before < 20_000, "{} bytes", kept(&table) - before);
}

#[test]
fn a_group_asks_for_no_more_odds_than_one_message_may() {
    let (mut table, ann) = a_full_table();
    let all = (1..=12).map(|n| format!("goon{n}")).collect::<Vec<_>>().join(", ");
    assert!(table.say(&ann, &format!("!as {all} odds 2d6")).ok());
    READINGS.set(0);
    let came = table.say(&ann, &format!("!as {all} odds act d12 d10 d8 d6 vs 15"));
    assert!(came.all().contains("too much work for one message"), "{}", came.all());
}

#[test]
fn two_rolls_against_a_hidden_value_are_refused_before_any_die_falls() {
    let (mut table, ann, gus) = (Seated::new(counted), Person::account("Ann"), Person::account("Gus").admin());
    for line in ["!gm me", "!pc Ogre", "!set Ogre ac 13"] {
        assert!(table.say(&gus, line).ok(), "{line}");
    }
    assert!(table.say(&ann, "!macro hit roll d20+5 vs $1; d8+3").ok());
    for line in ["!hit Ogre", "!roll d20+5 vs Ogre; d8+3", "!roll 3x d20+5 vs Ogre"] {
        let before = kept(&table);
        let came = table.say(&ann, line);
        assert!(!came.ok() && !came.all().contains("no effect"), "{line}: {}", came.all());
        assert_eq!(kept(&table), before, "{line}: {}", came.all());
    }
}
