//! Games that a table has of its own: somebody writes a file, and posts it in the room.

use declared::Files;
use journal::keys;
use plugin_api::Plugin;
use serde_json::{Value, json};
use std::sync::Arc;
use table::Settings;
use tests::seated::{self, Seated, Seating};

/// A message that brings a game.
const RISK: &str = "\
!plugin add
```
format: 1
game: harbour
title: Harbour
about: debts and storms

[sheet]
heat: 0/6

[command risk]
help: Roll so many d6.
take: dice, number 1 to 6
roll: pool = (dice)d6
6: TRIUMPH | success
else: FAILURE | failure
change: heat +1
```";

fn tools() -> Vec<Box<dyn Plugin>> {
    vec![roll::plugin()]
}

/// A table of Ann, who is an admin of the room, and Bob, where tables may bring games.
fn seated(own_games: bool) -> Seated {
    let mut table = Seating::of(tools).people(&["Ann", "Bob"]).admins(&["Ann"]).seat();
    table.apply(Settings { own_games, ..Settings::default() });
    reads_files(&mut table);
    table
}

fn reads_files(table: &mut Seated) {
    let plugins = house::with_plugins(tools()).expect("their words are free");
    table.play_with(plugins.with_kept_files(Arc::new(Files::default())));
}

#[test]
fn a_table_brings_a_game_changes_it_and_takes_it_back() {
    let mut table = seated(true);
    let said = table.plays("Ann", RISK).reply();
    assert!(said.contains(") is this table's own, and enabled here"), "{said}");
    assert!(said.contains("!help harbour teaches it."), "{said}");
    assert!(table.plays("Bob", "!risk 2").reply().contains("heat 1/6 (+1)"));
    let listed = table.say("Bob", "!plugins").all();
    assert!(listed.contains("harbour Harbour: debts and storms (enabled)"), "{listed}");
    let again = table.say("Ann", RISK).all();
    assert!(again.contains("This table plays Harbour as it is in this file already."), "{again}");
    let other = RISK.replace("else: FAILURE", "4-5: AT A PRICE | success\nelse: FAILURE");
    let said = table.plays("Ann", &other).reply();
    assert!(said.contains("plays the newest version of Harbour from the next message on | changed: risk"), "{said}");
    assert!(said.contains("risk 1 succeeded in 16.7 %, and does now in 50.0 %"), "{said}");
    table.restart();
    reads_files(&mut table);
    let odds = table.say("Bob", "!odds risk 1").all();
    assert!(odds.contains("50.0 % to succeed"), "{odds}");
    table.plays("Ann", "!undo");
    let odds = table.say("Bob", "!odds risk 1").all();
    assert!(odds.contains("16.7 % to succeed"), "{odds}");
    table.plays("Ann", "!undo");
    assert!(table.say("Bob", "!risk 1").all().is_empty(), "it is not enabled any more");
    table.plays("Ann", "!plugin enable harbour");
    assert!(table.plays("Bob", "!risk 1").reply().contains("heat 2/6 (+1)"));
}

#[test]
fn what_stands_below_belongs_to_the_file_and_is_no_command() {
    let mut table = seated(true);
    let with_a_scene = format!("!roll 1\n{}\n[scene]\nAnn> risk 1\n!roll 99\n", RISK.trim_end_matches("```"));
    let came = table.say("Ann", &with_a_scene);
    assert!(came.all().contains("Harbour (file "), "{}", came.all());
    assert!(!came.all().contains("99"), "{}", came.all());
}

#[test]
fn a_file_that_may_not_come_is_refused_and_changes_nothing() {
    let mut table = seated(false);
    let refused = table.say("Ann", RISK);
    assert!(refused.all().contains("The operator of this bot lets no table bring a game"), "{}", refused.all());
    let mut table = seated(true);
    let large = RISK.replace("about: debts", &format!("# {}\nabout: debts", "x\n# ".repeat(20_000)));
    for (who, typed, what) in [
        ("Bob", RISK.to_owned(), "admin"),
        ("Ann", "!plugin add".to_owned(), "goes on the lines below that, in one message"),
        ("Ann", RISK.replace("title: ", "titel: "), "line 3: \"titel\" is none of"),
        ("Ann", RISK.replace("game: harbour", "game: roll"), "There is a game or tool called roll"),
        ("Ann", RISK.replace("[command risk]", "[command undo]"), "cannot have a command undo"),
        ("Ann", RISK.replace("game: harbour", "game: undo"), "cannot have a command undo"),
        ("Ann", large, "at most 32 kB"),
    ] {
        let refused = table.say(who, &typed);
        assert!(refused.refused() && refused.all().contains(what), "{typed}: {}", refused.all());
    }
    let listed = table.say("Ann", "!plugins").all();
    assert!(!listed.contains("harbour"), "{listed}");
}

#[test]
fn a_table_has_eight_games_of_its_own_and_what_nobody_sees_is_left_out_of_them() {
    let mut table = seated(true);
    for number in 0..8 {
        table.plays("Ann", &RISK.replace("game: harbour", &format!("game: harbour{number}")));
    }
    let refused = table.say("Ann", RISK);
    assert!(refused.all().contains("A table has at most 8 games of its own"), "{}", refused.all());
    let hidden = RISK.replace("game: harbour", "game: harbour3").replace("title: Harbour", "title: Har\u{202e}bour");
    let came = table.say("Ann", &hidden).all();
    assert!(!came.contains('\u{202e}'), "{came}");
}

#[test]
fn a_wrong_file_is_put_right_by_editing_its_message() {
    let mut table = seated(true);
    let message = table.message("Ann", &RISK.replace("title:", "titel:"));
    let original = message.id.clone();
    assert!(table.hears(message).refused());
    let came = table.edit("Ann", &original, RISK).all();
    assert!(came.contains("Harbour (file "), "{came}");
    assert!(table.plays("Bob", "!risk 1").reply().contains("heat 1/6"));
}

#[test]
fn the_command_is_known_however_it_is_spaced_and_stands_alone() {
    for (typed, what) in [
        ("!plugin add:", "Harbour (file "),
        ("! Plugin   add ", "Harbour (file "),
        ("!plugin add harbour", "Harbour (file "),
        ("!at 20:00 plugin add", "it cannot be left for later"),
        ("!secret plugin add", "concerns the whole table"),
    ] {
        let mut table = seated(true);
        let came = table.say("Ann", &RISK.replace("!plugin add", typed)).all();
        assert!(came.contains(what), "{typed}: {came}");
    }
}

#[test]
fn what_another_game_left_at_the_table_stays_as_it_is() {
    let mut table = seated(true);
    table.plays("Ann", "!roll d6");
    let (key, left) = (keys::game(&seated::table(), "harbour"), json!({ "version": 7, "state": { "debts": 3 } }));
    table.write(&key, &left);
    let refused = table.say("Ann", RISK);
    assert!(refused.refused() && refused.all().contains("This table plays Harbour"), "{}", refused.all());
    assert_eq!(table.read::<Value>(&key), Some(left));
}
