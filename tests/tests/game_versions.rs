//! Each table goes on with the version of a game's file with which it began to play.

use declared::{Files, plugin, read};
use journal::export::{self, Exported};
use journal::moving::Moved;
use plugin_api::Plugin;
use std::sync::Arc;
use table::Plugins;
use tests::seated::{self, Seated, Seating};

/// A game that is going to change.
const FIRST: &str = "\
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
4-5: AT A PRICE | success
else: FAILURE | failure
change: heat +1
offer: if highest(pool) < 6: push: one more die

[command push]
help: One more die.
follows: risk
roll: pool = pool with 1d6
6: TRIUMPH | success
4-5: AT A PRICE | success
else: FAILURE | failure
";

fn game(text: &str) -> Box<dyn Plugin> {
    plugin(Arc::new(read(text).unwrap_or_else(|mistakes| panic!("{mistakes}"))))
}

fn harbour() -> Vec<Box<dyn Plugin>> {
    vec![game(FIRST), roll::plugin()]
}

/// The plugins of a bot with this file.
fn with(text: &str) -> Plugins {
    plugins(vec![game(text), roll::plugin()])
}

fn plugins(list: Vec<Box<dyn Plugin>>) -> Plugins {
    house::with_plugins(list).expect("their words are free").with_kept_files(Arc::new(Files::default()))
}

/// The file after its author thought again.
fn second() -> String {
    FIRST.replace("AT A PRICE", "COSTLY").replace("heat: 0/6", "heat: 0/9")
        + "\n[command calm]\nhelp: Calm down.\nelse: A CALM\nchange: heat = 0\n"
}

/// A table that began to play the first version.
fn began() -> Seated {
    let mut table = Seating::of(harbour).people(&["Ann", "Bob"]).admins(&["Ann"]).seat();
    table.play_with(with(FIRST));
    table.plays("Ann", "!risk 1");
    table
}

#[test]
fn a_table_goes_on_with_the_file_with_which_it_began_until_it_is_upgraded() {
    let mut table = began();
    table.play_with(with(&second()));
    let said = table.plays("Ann", "!risk 6").reply();
    assert!(said.contains("heat 2/6 (+1)"), "{said}");
    assert!(table.say("Ann", "!calm").all().is_empty(), "the old version has no such command");
    let listed = table.say("Ann", "!plugins").all();
    assert!(listed.contains("!plugin upgrade harbour"), "{listed}");
    table.restart();
    table.play_with(with(&second()));
    assert!(table.plays("Bob", "!risk 6").reply().contains("heat 1/6"));
    let said = table.plays("Ann", "!plugin upgrade harbour").reply();
    assert!(said.contains("new: calm | changed: heat, push, risk"), "{said}");
    assert!(table.plays("Ann", "!calm").reply().contains("heat 0/6 (-2)"));
    // A table that begins now begins with the new one.
    let mut fresh = Seating::of(harbour).people(&["Ann"]).seat();
    fresh.play_with(with(&second()));
    assert!(fresh.plays("Ann", "!calm").reply().contains("A CALM"));
    whole(&table);
}

#[test]
fn an_upgrade_says_what_becomes_of_the_chances_of_the_examples() {
    let mut table = began();
    let harder = FIRST.replacen("4-5: AT A PRICE", "5: AT A PRICE", 1);
    table.play_with(with(&harder));
    let said = table.plays("Ann", "!plugin upgrade harbour").reply();
    assert!(said.contains("changed: risk | risk 1 succeeded in 50.0 %, and does now in 33.3 %. Rolls"), "{said}");
    // What nobody can find out soon is left out.
    let mut table = began();
    let large = harder.replace("number 1 to 6", "number 1 to 100").replace("(dice)d6", "(100)d6");
    table.play_with(with(&large));
    let said = table.plays("Ann", "!plugin upgrade harbour").reply();
    assert!(said.contains("changed: risk. Rolls"), "{said}");
}

/// Checks that the journal alone leads to what is stored, and that an export of it is verified.
fn whole(table: &Seated) {
    let audit = journal::audit(&*table.store, &seated::table()).expect("the journal is whole");
    assert_eq!(audit.entries, audit.last);
    let read = |keys: &[String]| table.host().committer().read_many(keys);
    let exported = Exported::of(&seated::table(), read).expect("it can be read").expect("something was played");
    let mut file = Vec::new();
    export::write(&exported, table.host().now(), &mut file).expect("it can be written");
    export::verify(&mut file.as_slice(), |_| {}).expect("it is as it was written");
    let mut all = Vec::new();
    export::write_all(&exported, &*table.store, table.host().now(), &mut all).expect("it can be written");
    let moved = Moved::read(&mut all.as_slice()).expect("nothing contradicts the journal");
    assert_eq!(moved.entries, audit.entries);
}

#[test]
fn an_undo_leads_back_to_the_old_version_and_leaves_every_roll_what_settles_it() {
    let mut table = began();
    table.play_with(with(&second()));
    // The undo of the roll with which the table began takes nothing away from a later one.
    let later = table.plays("Bob", "!risk 1").entry();
    table.plays("Ann", "!undo");
    table.plays("Ann", "!plugin upgrade harbour");
    let new = table.plays("Ann", "!risk 1").entry().expect("a roll");
    let undone = table.plays("Ann", "!undo #4").reply();
    assert!(undone.contains("the table plays version 1 of Harbour"), "{undone}");
    assert!(table.say("Ann", "!calm").all().is_empty());
    // Each is settled by the version that rolled it.
    let said = table.plays("Ann", &format!("!push #{new}")).reply();
    assert!(!said.contains("AT A PRICE"), "{said}");
    let said = table.plays("Bob", &format!("!push #{}", later.expect("a roll"))).reply();
    assert!(!said.contains("COSTLY"), "{said}");
    table.plays("Ann", "!redo");
    for line in ["!why #1", "!why #4", "!history", "!story", "!now", "!undo #9", "!redo"] {
        let said = table.say("Ann", line).all();
        assert!(!said.contains("help:") && !said.contains("format"), "{line}: {said}");
    }
    whole(&table);
}

#[test]
fn a_table_whose_file_is_gone_plays_on() {
    let mut table = began();
    table.play_with(plugins(vec![roll::plugin()]));
    assert!(table.plays("Ann", "!risk 1").reply().contains("heat 2/6"));
    table.restart();
    table.play_with(plugins(vec![roll::plugin()]));
    assert!(table.plays("Ann", "!push").reply().contains("d6"));
    let refused = table.say("Ann", "!plugin upgrade harbour");
    assert!(refused.reply().contains("plays the newest version of harbour that I have"), "{}", refused.all());
}

#[test]
fn a_follow_up_that_is_different_now_is_refused() {
    let mut table = began();
    for (file, says) in [
        (FIRST.replace("heat", "smoke"), "was rolled with another version of Harbour, in which push is different"),
        (FIRST.replace("follows: risk", "follows: risk\ntake: n, number 1 to 2"), "in which push is different"),
    ] {
        table.play_with(with(&file));
        table.plays("Ann", "!plugin upgrade harbour");
        let refused = table.say("Ann", "!push #1");
        let refused = if refused.reply().contains(says) { refused } else { table.say("Ann", "!push 1 #1") };
        assert!(refused.refused() && refused.reply().contains(says), "{}", refused.all());
    }
    whole(&table);
}

#[test]
fn nobody_but_who_runs_the_table_upgrades_it_and_only_to_what_is_new() {
    let mut table = began();
    let refused = table.say("Ann", "!plugin upgrade harbour");
    assert!(refused.refused(), "{}", refused.all());
    table.play_with(with(&second()));
    for line in ["!plugin upgrade harbour", "!plugin upgrade roll"] {
        assert!(table.say("Bob", line).refused(), "{line}");
    }
    assert!(table.say("Ann", "!plugin upgrade roll").refused());
    assert!(table.say("Ann", "!plugin upgrade harbor").reply().contains("did you mean harbour?"));
}

#[test]
fn a_table_keeps_sixteen_versions_and_the_one_that_it_plays() {
    let mut table = began();
    for version in 2..40 {
        table.play_with(with(&format!("{FIRST}# {version}\n")));
        table.plays("Ann", "!plugin upgrade harbour");
    }
    let doc: serde_json::Value = table.read(&journal::keys::game(&seated::table(), "harbour")).expect("it is kept");
    let files = doc["state"]["files"].as_object().expect("files");
    assert_eq!((files.len(), doc["state"]["plays"].as_u64()), (16, Some(39)));
    // What rolled is gone, so what it plays now settles it.
    assert!(table.say("Ann", "!push #1").reply().contains("d6"));
    // The same file again is the version that it was.
    table.play_with(with(&format!("{FIRST}# 38\n")));
    table.plays("Ann", "!plugin upgrade harbour");
    let doc: serde_json::Value = table.read(&journal::keys::game(&seated::table(), "harbour")).expect("it is kept");
    assert_eq!(doc["state"]["plays"].as_u64(), Some(38));
    whole(&table);
}

#[test]
fn a_message_that_upgrades_plays_its_other_lines_with_the_version_from_before() {
    let mut table = began();
    table.play_with(with(&second()));
    let came = table.plays("Ann", "!plugin upgrade harbour\n!risk 1");
    assert!(came.all().contains("heat 2/6"), "{}", came.all());
    assert!(table.plays("Ann", "!risk 1").reply().contains("heat 3/6"), "the most on a sheet stays");
    whole(&table);
}

#[test]
fn a_stored_file_takes_the_place_of_no_other_game() {
    let mut table = began();
    let key = journal::keys::game(&seated::table(), "harbour");
    let mut doc: serde_json::Value = table.read(&key).expect("it is kept");
    let text = doc["state"]["files"]["1"].as_str().expect("a text").replace("game: harbour", "game: roll");
    doc["state"]["files"]["1"] = text.into();
    table.put_away();
    table.write(&key, &doc);
    table.restart();
    table.play_with(with(FIRST));
    assert!(table.plays("Ann", "!roll 2d6").reply().contains("2d6"));
}
