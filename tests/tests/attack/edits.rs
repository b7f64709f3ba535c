//! Only the author of a message can edit it.

use crate::attack::seated::{Person, Seated, games, hall};
use chat::Event;
use journal::documents::InboxRow;
use journal::keys;

fn table() -> (Seated, [Person; 3]) {
    let mut table = Seated::new(games);
    let people = ["Ann", "Mallory", "Gus"].map(Person::account);
    people.iter().for_each(|person| table.comes(person));
    assert!(table.say(&people[2], "!gm me").ok());
    (table, people)
}

#[test]
fn nobody_plays_by_editing_another_players_message() {
    let (mut table, [ann, mallory, gus]) = table();
    let typo = table.say(&ann, "!roll 2d6x");
    let played = table.say(&ann, "!roll 2d6");
    for original in [&typo.id, &played.id] {
        for who in [&mallory, &gus] {
            let edited = table.edit(who, original, "!roll d20");
            assert!(edited.heard.posts.is_empty() && edited.entry().is_none(), "{}", edited.all());
        }
    }
    // The authors can still edit their own messages.
    assert!(table.edit(&ann, &played.id, "!roll 2d6+1").ok());
    assert!(table.edit(&ann, &typo.id, "!roll d20").ok());
}

#[test]
fn an_edit_that_comes_to_nothing_undoes_a_change_of_the_room() {
    let (mut table, [_, _, gus]) = table();
    let gus = gus.admin();
    let changed = table.say(&gus, "!plugin disable mvk\n!roll 1d6");
    assert!(changed.ok(), "{}", changed.all());
    // It rolls more dice than before and then overflows, so it comes to nothing.
    let edited = table.edit(&gus, &changed.id, "!plugin disable mvk\n!roll 3d6*9000000000000000000*9");
    assert!(edited.public().contains("no effect"), "{}", edited.all());
    // The game is enabled again.
    assert!(table.say(&gus, "!insp").ok());
}

#[test]
fn nobody_plays_by_editing_an_unknown_message() {
    let (mut table, [ann, mallory, _]) = table();
    for original in ["$never-was:example.org", "", "99"] {
        let edited = table.edit(&mallory, original, "!roll d20");
        assert!(edited.heard.posts.is_empty() && edited.heard.outcomes.is_empty(), "{}", edited.all());
    }
    // The bot has no record of mere talk either.
    let talk = table.say(&ann, "well met");
    let edited = table.edit(&mallory, &talk.id, "!roll d20");
    assert!(edited.heard.posts.is_empty() && edited.heard.outcomes.is_empty(), "{}", edited.all());
}

#[test]
fn an_edit_of_an_edit_counts_only_from_the_same_person() {
    let (mut table, [ann, mallory, _]) = table();
    let typo = table.say(&ann, "!roll 2d6x");
    let edit = table.edit(&ann, &typo.id, "!roll 2d6xx");
    assert!(table.edit(&mallory, &edit.id, "!roll d20").heard.posts.is_empty());
    assert!(table.edit(&mallory, &typo.id, "!roll d20").heard.posts.is_empty());
    assert!(table.edit(&ann, &typo.id, "!roll 2d6").ok());
}

#[test]
fn an_old_row_without_an_author_lets_nobody_play() {
    let (mut table, [ann, mallory, _]) = table();
    let typo = table.say(&ann, "!roll 2d6x");
    let key = keys::inbox(&hall(), &typo.id);
    let mut old: serde_json::Value = table.read(&key).expect("a row");
    old["refused"].as_object_mut().expect("it was refused").remove("by");
    table.write(&key, &old);
    let _: InboxRow = serde_json::from_value(old).expect("an old row is read");
    for who in [&ann, &mallory] {
        assert!(table.edit(who, &typo.id, "!roll d20").heard.posts.is_empty());
    }
}

#[test]
fn edits_that_change_nothing_count_against_the_limit() {
    let (mut table, [ann, ..]) = table();
    let first = table.say(&ann, "!roll d20");
    let mut answers = 0;
    for n in 2..42 {
        // The first version stands each time, for a different reason.
        let mut message = table.message(&ann, &"!roll d20\n".repeat(n));
        (message.unlimited, message.sent) = (false, "2026-11-20T10:00:00Z".parse().expect("a time"));
        answers += table.play(&Event::Edited { message, original: first.id.clone() }).posts.len();
    }
    assert!((1..=11).contains(&answers), "{answers} answers to 40 edits in a second");
}

#[test]
fn dice_that_an_edit_added_are_told_of_wherever_the_roll_is() {
    let (mut table, [ann, mallory, gus]) = table();
    let first = table.plays(&ann, "!roll d20+2 vs 15 # over the wall");
    assert!(table.edit(&ann, &first.id, "!roll d20*0+d20+2 vs 15 # over the wall").ok());
    // A later edit that adds none does not hide them.
    let last = table.edit(&ann, &first.id, "!roll d20*0+d20+3 vs 15 # over the wall");
    assert!(last.public().contains(", 1 die more than at first)"), "{}", last.public());
    // Words in a remark pass for nothing, and an edit without more dice is no news.
    let plain = table.plays(&mallory, "!roll d6");
    assert!(table.edit(&mallory, &plain.id, "!roll d6 # (edited, was #1 and threw 9 dice more)").ok());
    for line in ["!story", "!recap", "!export story", "!export page"] {
        let came = table.say(&gus, line);
        let told = [came.public(), came.files().concat()].concat();
        assert_eq!(told.matches("(edited: 1 die more)").count(), 1, "{line}: {told}");
        assert_eq!(told.matches("(edited: ").count(), 1, "{line}: {told}");
    }
}
