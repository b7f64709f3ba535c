//! A party that is split: who may split it, how many scenes there are, and what is left of one that is over.

use crate::attack::links::{Rooms, ann, dan, den, gus};
use crate::attack::seated::{self, Person, Seated, hall};
use chat::{Event, RoomId};
use journal::documents::{Apart, GameDoc, TableDoc};
use journal::keys;
use journal::store::Store;
use serde_json::Value;

/// What is stored of the table of the hall.
fn table(rooms: &Rooms) -> TableDoc {
    rooms.0.read(&keys::doc(&seated::table())).expect("it is there")
}

/// What is stored there of the turn orders.
fn orders(rooms: &Rooms) -> Value {
    let doc: Option<GameDoc> = rooms.0.read(&keys::game(&seated::table(), "turns"));
    doc.map_or(Value::Null, |doc| doc.state)
}

fn plays(rooms: &mut Rooms, room: &RoomId, line: &str) -> String {
    let came = rooms.at(room, &gus(), line);
    assert!(came.ok(), "{line}: {}", came.all());
    came.all()
}

#[test]
fn only_the_referee_of_the_table_splits_the_party_and_brings_it_together() {
    let mut rooms = Rooms::in_turns();
    // Dan runs the den, and somebody else has the referee's nick.
    let strangers = [ann(), dan(), Person::nick("Gus"), Person::nick("Eve")];
    for who in &strangers {
        for line in ["!scene apart At the mill", "!SCENE Apart x", "!as Ann scene apart x", "!secret scene apart x"] {
            rooms.refused(&den(), who, line);
        }
    }
    plays(&mut rooms, &den(), "!scene apart At the mill");
    let (before, split) = (table(&rooms).apart, rooms.at(&den(), &gus(), "!roll d6").entry());
    for who in &strangers {
        for line in ["!scene together", "!scene end", "!scene The cellar", "!scene apart The cellar", "!undo #2"] {
            rooms.refused(&den(), who, line);
        }
    }
    assert_eq!((before.len(), table(&rooms).apart), (1, before));
    assert_eq!(
        rooms.at(&den(), &gus(), "!roll d6").entry(),
        split.map(|number| number + 1),
        "nothing is written of it"
    );
    // Nobody's macro or offer splits it in the referee's name.
    rooms.at(&den(), &ann(), "!macro back scene together");
    rooms.refused(&den(), &ann(), "!back now");
    assert_eq!(table(&rooms).apart.len(), 1);
}

#[test]
fn a_table_of_one_room_has_one_scene() {
    let mut rooms = Rooms(Seated::new(crate::attack::seated::games));
    rooms.0.comes(&gus());
    assert!(rooms.at(&hall(), &gus().admin(), "!gm me").ok());
    for (line, says) in [
        ("!scene apart At the mill", "only this room"),
        ("!scene apart", "what is the scene called"),
        ("!scene together", "no room plays a scene apart"),
    ] {
        let told = rooms.refused(&hall(), &gus(), line).to_lowercase();
        assert!(told.contains(says), "{line}: {told}");
    }
    plays(&mut rooms, &hall(), "!scene The ford");
    let now = plays(&mut rooms, &hall(), "!now");
    assert_eq!(now, plays(&mut rooms, &hall(), "!now all"));
    assert!(!now.contains("split"), "{now}");
}

#[test]
fn there_are_no_more_scenes_than_rooms_and_no_more_orders_than_can_come_back() {
    let mut rooms = Rooms::in_turns();
    for number in 0..40 {
        plays(&mut rooms, &den(), &format!("!scene apart Number {number}"));
        plays(&mut rooms, &den(), "!scene apart The same room again");
        plays(&mut rooms, &den(), "!init Ann 3, Ogre 2");
        plays(&mut rooms, &den(), "!next");
        assert_eq!(table(&rooms).apart.len(), 1);
        plays(&mut rooms, &den(), "!scene together");
    }
    assert!(table(&rooms).apart.is_empty());
    let kept = orders(&rooms)["apart"].as_object().expect("there are orders").len();
    assert!((1..=16).contains(&kept), "{kept}");
    plays(&mut rooms, &hall(), "!scene apart One");
    plays(&mut rooms, &den(), "!scene apart Two");
    assert_eq!(table(&rooms).apart.len(), 2);
    // Only looking at a scene without an order stores nothing.
    let before = orders(&rooms);
    rooms.refused(&den(), &gus(), "!init");
    plays(&mut rooms, &den(), "!condition");
    plays(&mut rooms, &den(), "!now all");
    assert_eq!(orders(&rooms), before);
}

#[test]
fn undo_and_redo_restore_a_scene_apart_to_the_letter() {
    let mut rooms = Rooms::in_turns();
    plays(&mut rooms, &hall(), "!scene The ford");
    plays(&mut rooms, &hall(), "!init Ann 5, Ogre 2");
    plays(&mut rooms, &hall(), "!next");
    let common = (table(&rooms).apart, orders(&rooms));
    let mut steps = vec![common.clone()];
    for line in [
        "!scene apart At the mill",
        "!init Bob 3, Miller 2",
        "!next",
        "!condition Miller prone 2 rounds",
        "!scene The cellar",
        "!next",
        "!scene together",
    ] {
        plays(&mut rooms, &den(), line);
        steps.push((table(&rooms).apart, orders(&rooms)));
    }
    let last = steps.pop().expect("there are steps");
    let newest = rooms.at(&den(), &gus(), "!roll d6").entry().expect("it is an entry");
    for (back, step) in steps.iter().rev().enumerate() {
        plays(&mut rooms, &den(), &format!("!undo #{}", newest - 1 - back as u64));
        assert_eq!((&table(&rooms).apart, &orders(&rooms)), (&step.0, &step.1), "{back}");
    }
    assert_eq!((table(&rooms).apart, orders(&rooms)["order"].clone()), (common.0, common.1["order"].clone()));
    for _ in &steps {
        plays(&mut rooms, &den(), "!redo");
    }
    assert_eq!((table(&rooms).apart, orders(&rooms)), last);
}

#[test]
fn turns_and_offers_of_one_scene_leave_those_of_another_alone() {
    let mut rooms = Rooms::in_turns();
    assert!(rooms.at(&hall(), &ann(), "!join").ok());
    for line in ["!init Ann 5, Ogre 2", "!next"] {
        plays(&mut rooms, &hall(), line);
    }
    for line in ["!scene apart At the mill", "!init Ann 4, Miller 2", "!next"] {
        plays(&mut rooms, &den(), line);
    }
    let waits = |rooms: &mut Rooms, room: &RoomId| plays(rooms, room, "!now").contains("end your turn");
    assert!(waits(&mut rooms, &hall()) && waits(&mut rooms, &den()), "Ann is in both scenes, and has a turn in each");
    plays(&mut rooms, &den(), "!next");
    assert!(waits(&mut rooms, &hall()) && !waits(&mut rooms, &den()));
    plays(&mut rooms, &hall(), "!init clear");
    assert!(plays(&mut rooms, &den(), "!round").contains("Miller 2 (now)"));
    rooms.refused(&hall(), &gus(), "!round");
}

#[test]
fn the_erased_title_of_a_scene_is_nowhere() {
    let mut rooms = Rooms::in_turns();
    let begun = rooms.at(&den(), &gus(), "!scene apart At Zanzibar").entry().expect("it is an entry");
    for line in ["!init Ann 5, Ogre 2", "!next", "!now all", "!scene", "!story"] {
        plays(&mut rooms, &den(), line);
    }
    plays(&mut rooms, &den(), &format!("!erase #{begun}"));
    for line in ["!scene", "!now", "!now all", "!story", "!recap", "!cursed", "!history", "!scene together"] {
        let told = plays(&mut rooms, &den(), line);
        assert!(!told.contains("Zanzibar"), "{line}: {told}");
    }
    plays(&mut rooms, &den(), "!undo");
    assert!(plays(&mut rooms, &den(), "!scene").contains("Scene: (erased)"));
    let kept = rooms.0.store.scan("table/", None, 999).unwrap();
    let words = kept.iter().find(|(_, record)| String::from_utf8_lossy(record).contains("Zanzibar"));
    assert!(words.is_none(), "{words:?}");
}

#[test]
fn a_room_that_leaves_the_table_leaves_no_scene_there() {
    let mut rooms = Rooms::in_turns();
    plays(&mut rooms, &hall(), "!scene The ford");
    plays(&mut rooms, &den(), "!scene apart At the mill");
    plays(&mut rooms, &hall(), "!unlink den");
    assert!(table(&rooms).apart.is_empty());
    let now = plays(&mut rooms, &hall(), "!now all");
    assert!(now.contains("The ford") && !now.contains("mill"), "{now}");
    rooms.link();
    assert!(plays(&mut rooms, &den(), "!scene").contains("The ford"), "it is back in the common scene");
    plays(&mut rooms, &den(), "!scene apart At the mill");
    assert!(rooms.at(&den(), &dan(), "!unlink").ok());
    assert!(table(&rooms).apart.is_empty());
}

#[test]
fn a_story_of_several_scenes_says_which_one_goes_on() {
    let mut rooms = Rooms::in_turns();
    for (room, line) in [
        (hall(), "!scene The ford"),
        (hall(), "!roll 1d1 # into the ford"),
        (den(), "!scene apart At the <mill>"),
        (den(), "!roll 2d1 # up the stairs"),
        (hall(), "!roll 3d1 # against the ogre"),
        (den(), "!roll 4d1 # through the door"),
        (den(), "!scene together"),
        (den(), "!roll 5d1 # back at the ford"),
    ] {
        plays(&mut rooms, &room, line);
    }
    let story = rooms.at(&hall(), &ann(), "!export story").files().concat();
    let told: Vec<&str> = story.lines().filter(|line| !line.is_empty()).skip(1).collect();
    let begins = [
        "## The ford",
        "*Into the ford:*",
        "## At the \\<mill\\>",
        "*Up the stairs:*",
        "## The ford (continued)",
        "*Against the ogre:*",
        "## At the \\<mill\\> (continued)",
        "*Through the door:*",
        "---",
        "## The ford (continued)",
        "*Back at the ford:*",
    ];
    let fits = told.len() == begins.len() && told.iter().zip(begins).all(|(line, begins)| line.starts_with(begins));
    assert!(fits, "{story}");
    // In the room each scene has its own part of it, and whoever was away hears of both.
    let here = plays(&mut rooms, &den(), "!story");
    assert!(here.contains("Into the ford") && !here.contains("Up the stairs"), "{here}");
    let missed = rooms.at(&hall(), &ann(), "!recap").all();
    assert!(missed.contains("Elsewhere:\n") && missed.contains("Through the door"), "{missed}");
}

#[test]
fn a_room_that_leaves_the_table_leaves_no_board_there() {
    let mut rooms = Rooms::in_turns();
    plays(&mut rooms, &den(), "!nudge 2h");
    plays(&mut rooms, &hall(), "!board on");
    plays(&mut rooms, &den(), "!board on");
    assert_eq!(table(&rooms).boards().count(), 2);
    plays(&mut rooms, &hall(), "!unlink den");
    assert!(table(&rooms).boards().map(|(_, room)| room.clone()).eq([hall()]));
    assert!(table(&rooms).nudge().is_some(), "the others are still called");
}

#[test]
fn a_scene_of_a_room_that_is_not_at_the_table_splits_nobody() {
    let mut rooms = Rooms::in_turns();
    plays(&mut rooms, &hall(), "!scene The ford");
    // A table that was exported while the party was split, and imported elsewhere.
    let mut doc = table(&rooms);
    doc.apart.insert(RoomId::new("elsewhere", "mill"), Apart { from: 1, since: 1 });
    rooms.0.write(&keys::doc(&seated::table()), &doc);
    rooms.0.restart();
    for line in ["!now", "!now all", "!scene"] {
        let told = plays(&mut rooms, &hall(), line);
        assert!(told.contains("The ford") && !told.contains("split") && !told.contains("mill"), "{line}: {told}");
    }
    assert!(rooms.refused(&hall(), &gus(), "!scene together").contains("o room plays a scene apart"));
    plays(&mut rooms, &den(), "!scene apart At the inn");
    assert_eq!(table(&rooms).apart.keys().collect::<Vec<_>>(), [&den()]);
}

#[test]
fn whoever_mends_the_title_of_a_scene_keeps_what_others_played_in_it() {
    let mut rooms = Rooms::in_turns();
    let original = rooms.at(&den(), &gus(), "!scene apart At the mil").id;
    assert!(rooms.at(&den(), &ann(), "!init 17").ok());
    for title in ["At the mill", "In the mill"] {
        let message = rooms.message(&den(), &gus(), &format!("!scene apart {title}"));
        rooms.0.play(&Event::Edited { message, original: original.clone() });
        let shown = rooms.at(&den(), &ann(), "!scene").all();
        assert!(shown.contains(title), "{shown}");
        assert!(rooms.at(&den(), &ann(), "!init").all().contains("Turn order: Ann 17"));
    }
    plays(&mut rooms, &den(), "!scene together");
    rooms.refused(&den(), &gus(), "!init");
}
