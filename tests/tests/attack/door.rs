//! What was ordered earlier comes through the door at which people are turned away: nobody who would not be heard now does
//! anything by an order, a reminder or a call. Orders also pay for what they play.

use crate::attack::seated::{Person, Seated, games, hall};
use chat::{Event, Message};
use jiff::SignedDuration;
use plugin_api::Plugin;
use table::Settings;

fn all() -> Vec<Box<dyn Plugin>> {
    let tools = ::games::all().into_iter().filter(|plugin| plugin.manifest().id == "turns");
    games().into_iter().chain(tools).collect()
}

/// Gus and Mal are referees, and Ann plays.
fn table() -> (Seated, [Person; 3]) {
    let mut table = Seated::new(all);
    let people = [Person::account("Ann"), Person::account("Gus").admin(), Person::account("Mal")];
    for person in &people {
        table.comes(person);
        assert!(table.say(person, "!join").ok());
    }
    assert!(table.say(&people[1], "!gm me").ok());
    assert!(table.say(&people[1], "!gm add Mal").ok());
    (table, people)
}

/// What is said in the room once so many hours have passed.
fn after(table: &mut Seated, hours: i64, person: &Person) -> String {
    table.pass(SignedDuration::from_hours(hours));
    table.say(person, "!now").all()
}

#[test]
fn a_banned_referee_takes_no_table_a_minute_later() {
    let (mut table, [ann, gus, mal]) = table();
    assert!(table.say(&mal, "!at 1m gm remove Gus").ok());
    assert!(table.say(&mal, "!remind 1m you will be sorry").ok());
    assert!(table.say(&mal, "!when my turn: roll 5d6").ok());
    table.goes(&mal);
    let came = after(&mut table, 1, &ann);
    assert!(!came.contains("Reminder"), "{came}");
    let referees = table.say(&ann, "!gm").all();
    assert!(referees.contains("Gus"), "{referees}");
    assert!(table.say(&gus, "!init Mal 12, Ann 9").ok());
    let came = table.say(&gus, "!next").all();
    assert!(!came.contains("5d6"), "{came}");
    // The referee sees that it waits, and ends it.
    let listed = table.say(&gus, "!remind").all();
    assert!(listed.contains("Mal, waits: !gm remove Gus"), "{listed}");
    let number = listed.split('#').nth(1).and_then(|rest| rest.split(' ').next()).expect("a number").to_owned();
    assert!(table.say(&gus, &format!("!undo #{number}")).ok());
    // Whoever comes back finds the rest of what was ordered.
    table.comes(&mal);
    let came = after(&mut table, 1, &ann);
    assert!(came.contains("Reminder: you will be sorry"), "{came}");
    assert!(table.say(&ann, "!gm").all().contains("Gus"));
}

#[test]
fn whom_a_room_ignores_orders_nothing_there() {
    let (mut table, [ann, gus, mal]) = table();
    let mut troll = mal.clone();
    troll.0.address = "Mal!~m@host.spam.example".to_owned();
    assert!(table.say(&troll, "!at 1h roll 5d6").ok());
    assert!(table.say(&gus, "!ignore *!*@*.spam.example").ok());
    let came = after(&mut table, 2, &ann);
    assert!(!came.contains("5d6 ["), "{came}");
    // Nobody has spoken since a restart, and the order knows where it came from.
    table.restart();
    let came = after(&mut table, 2, &ann);
    assert!(!came.contains("5d6 ["), "{came}");
}

#[test]
fn whom_the_operator_ignores_everywhere_orders_nothing() {
    let (mut table, [ann, _, mal]) = table();
    assert!(table.say(&mal, "!at 1h roll 5d6").ok());
    table.host().ignore_by_word([mal.player().id.clone()].into());
    let came = after(&mut table, 2, &ann);
    assert!(!came.contains("5d6 ["), "{came}");
    table.host().ignore_by_word([].into());
    table.say(&ann, "!now");
    let by_settings = Settings { ignore: [mal.player().id.clone()].into(), ..(*table.host().settings()).clone() };
    assert!(table.say(&mal, "!at 1h roll 7d6").ok());
    table.apply(by_settings);
    let came = after(&mut table, 2, &ann);
    assert!(!came.contains("7d6 ["), "{came}");
}

#[test]
fn nobody_who_left_is_called() {
    let (mut table, [ann, gus, mal]) = table();
    assert!(table.say(&gus, "!remind Mal 1h come to the hall").ok());
    table.goes(&mal);
    table.pass(SignedDuration::from_hours(2));
    let Message { id, sent, .. } = table.message(&ann, "");
    let heard = table.play(&Event::Said(Message::new(id, hall(), ann.0.clone(), sent, "!now")));
    let called = heard.posts.iter().flat_map(|post| &post.post.calls).filter(|player| *player == mal.player()).count();
    assert!(
        heard.posts.iter().any(|post| post.post.blocks.iter().any(|block| block.plain().contains("come to the hall")))
    );
    assert_eq!(called, 0);
}

#[test]
fn what_somebody_types_sets_off_one_order_of_each_player() {
    let (mut table, ann, bob) = (Seated::new(all), Person::account("Ann"), Person::account("Bob"));
    for person in [&ann, &bob] {
        table.comes(person);
        assert!(table.say(person, "!join").ok());
    }
    assert!(table.say(&ann, "!when attacked: roll 3d6 # mine").ok());
    let again = table.say(&ann, "!when attacked: roll 4d6");
    assert!(!again.ok() && again.all().contains("undo #"), "{}", again.all());
    let came = table.say(&bob, "!act d8 d10 vs Ann").all();
    assert_eq!(came.matches("mine").count(), 1, "{came}");
}

#[test]
fn orders_pay_their_players_pace_and_wait_for_it() {
    let (mut table, ann, bob) = (Seated::new(all), Person::account("Ann"), Person::account("Bob"));
    for person in [&ann, &bob] {
        table.comes(person);
        assert!(table.say(person, "!join").ok());
    }
    for n in 0..15 {
        assert!(table.say(&ann, &format!("!at 2h roll d6 # number {n}")).ok());
    }
    table.pass(SignedDuration::from_hours(3));
    let came = table.say(&bob, "!now").all();
    assert_eq!(came.matches("1d6 [").count(), 10, "{came}");
    table.pass(SignedDuration::from_secs(10));
    let came = table.say(&bob, "!now").all();
    assert_eq!(came.matches("1d6 [").count(), 5, "{came}");
}

#[test]
fn another_nick_carries_nothing_away_from_whom_the_room_ignores() {
    let (mut table, [ann, gus, _]) = table();
    let (zed, zedd) = (Person::nick("Zed"), Person::nick("Zedd"));
    table.comes(&zed);
    assert!(table.say(&zed, "!iam Tsubame").ok());
    let came = table.say(&gus, "!ignore Zed");
    assert!(came.ok(), "{}", came.all());
    let heard = table.renamed(&zed, &zedd);
    assert!(heard.outcomes.is_empty(), "no entry is written for them");
    let came = table.say(&zedd, "!roll d6");
    assert!(!came.all().contains("Tsubame"), "{}", came.all());
    assert!(table.say(&ann, "!roll d6").ok());
}
