//! A handout is read by those it was given to, and by nobody else; what it says is in the journal alone.

use crate::attack::seated::{Came, Person, Seated, games, hall};
use chat::{Block, Recipient};
use journal::store::Store;

const WORDS: &str = "come to the mill";

fn table() -> (Seated, [Person; 4]) {
    let mut table = Seated::new(games);
    let [ann, bob, cem] = ["Ann", "Bob", "Cem"].map(Person::account);
    let people = [ann, bob, cem, Person::account("Gus").admin()];
    for person in &people {
        table.comes(person);
        assert!(table.say(person, "!join").ok());
    }
    assert!(table.say(&people[3], "!gm me").ok());
    (table, people)
}

/// What the room reads.
fn in_the_hall(came: &Came) -> String {
    let posts =
        came.heard.posts.iter().filter(|outgoing| outgoing.post.room == hall() && outgoing.post.to == Recipient::Room);
    posts.flat_map(|outgoing| outgoing.post.blocks.iter().map(Block::plain)).collect::<Vec<_>>().join("\n")
}

/// Makes the handout in private; returns its entry.
fn letter(table: &mut Seated, gus: &Person) -> u64 {
    let came = table.aside(gus, "in hall handout letter come to the mill at midnight");
    assert!(came.ok() && !in_the_hall(&came).contains("letter"), "{}", came.all());
    came.entry().expect("it is in the journal")
}

/// Everything that could show it, to each of these people, in the room and in private.
fn looks(table: &mut Seated, number: u64, people: &[&Person]) {
    let lines = [
        "!handouts".to_owned(),
        "!handout letter".to_owned(),
        format!("!handout #{number}"),
        format!("!handout #{number} to Cem"),
        "!handout letter to all".to_owned(),
        format!("!why #{number}"),
        format!("!reveal #{number}"),
        format!("!undo #{number}"),
        format!("!amend #{number} handout letter x"),
        "!history".to_owned(),
        "!recap".to_owned(),
        "!story".to_owned(),
        "!note".to_owned(),
        "!export text".to_owned(),
    ];
    for who in people {
        for line in &lines {
            let came = table.say(who, line);
            assert!(!came.all().contains("mill"), "{line}: {}", came.all());
            let aside = format!("in hall {}", line.trim_start_matches('!'));
            let came = table.aside(who, &aside);
            assert!(!came.all().contains("mill"), "{aside}: {}", came.all());
        }
    }
}

#[test]
fn only_those_who_got_it_read_it() {
    let (mut table, [ann, bob, cem, gus]) = table();
    let number = letter(&mut table, &gus);
    looks(&mut table, number, &[&ann, &bob, &cem]);
    let came = table.say(&gus, "!handout letter to Ann, Bob");
    assert!(came.ok(), "{}", came.all());
    assert!(came.private(&ann).contains(WORDS) && came.private(&bob).contains(WORDS), "{}", came.all());
    assert!(!came.public().contains("mill") && came.private(&cem).is_empty(), "{}", came.public());
    looks(&mut table, number, &[&cem]);
    // Those who have it read it again, in private.
    for who in [&ann, &bob, &gus] {
        assert!(table.aside(who, "in hall handout letter").all().contains(WORDS));
        assert!(!table.say(who, "!handout letter").public().contains("mill"));
        assert!(table.aside(who, "in hall handouts").all().contains("letter"));
    }
    assert!(table.aside(&gus, "in hall handouts").all().contains("Ann, Bob"));
    assert!(!table.aside(&ann, "in hall handouts").all().contains("Bob"));
    let files = table.say(&ann, "!export").files().concat();
    assert!(!files.is_empty() && !files.contains("mill"));
}

#[test]
fn it_survives_a_restart_and_ends_with_its_words() {
    let (mut table, [ann, _, _, gus]) = table();
    let number = letter(&mut table, &gus);
    assert!(table.say(&gus, "!handout letter to Ann").ok());
    table.restart();
    for person in [&ann, &gus] {
        table.comes(person);
    }
    assert!(table.aside(&ann, "in hall handout letter").all().contains(WORDS));
    assert!(table.say(&gus, &format!("!erase #{number}")).ok());
    for who in [&ann, &gus] {
        let came = table.aside(who, "in hall handout letter");
        assert!(!came.ok() && !came.all().contains("mill"), "{}", came.all());
    }
    let doc = table.store.read(&journal::keys::doc(&journal::keys::TableId::of(&hall()))).unwrap().unwrap();
    assert!(!String::from_utf8_lossy(&doc).contains("mill"), "the state holds no words");
}

#[test]
fn shown_to_everyone_it_is_erased_everywhere_too() {
    let (mut table, [ann, _, _, gus]) = table();
    let number = letter(&mut table, &gus);
    let came = table.say(&gus, "!handout letter to all");
    assert!(came.ok() && came.public().contains(WORDS), "{}", came.all());
    assert!(table.say(&ann, "!handout letter").public().contains(WORDS));
    assert!(table.say(&ann, "!story").public().contains(WORDS));
    assert!(table.say(&gus, &format!("!erase #{number}")).ok());
    for line in ["!handout letter", "!handouts", "!story", "!history", "!recap"] {
        let came = table.say(&ann, line);
        assert!(!came.all().contains("mill"), "{line}: {}", came.all());
    }
}

#[test]
fn what_is_given_can_be_taken_back_and_given_again() {
    let (mut table, [ann, _, _, gus]) = table();
    let number = letter(&mut table, &gus);
    let given = table.say(&gus, "!handout letter to Ann").entry().expect("it is in the journal");
    assert!(!table.say(&ann, &format!("!undo #{given}")).ok(), "the referee gave it");
    assert!(table.say(&gus, &format!("!undo #{given}")).ok());
    assert!(!table.aside(&ann, "in hall handout letter").all().contains("mill"));
    assert!(table.say(&gus, "!redo").ok());
    assert!(table.aside(&ann, "in hall handout letter").all().contains(WORDS));
    assert!(!table.say(&gus, &format!("!undo #{number}")).ok(), "Ann has it");
}

#[test]
fn nobody_becomes_the_reader_of_anothers_handout() {
    let (mut table, [ann, bob, _, gus]) = table();
    letter(&mut table, &gus);
    assert!(table.say(&gus, "!handout letter to Ann").ok());
    // With her name, with her nick, or at a table whose referee has left.
    assert!(!table.say(&bob, "!as Ann handout letter").all().contains("mill"));
    assert!(!table.aside(&bob, "in hall as Ann handout letter").all().contains("mill"));
    assert!(table.say(&gus, "!gm remove Gus").ok());
    for line in ["pc Ann @bob", "as Ann handout letter", "handout letter", "handouts", "handout letter to Bob"] {
        assert!(!table.say(&bob, &format!("!{line}")).all().contains("mill"), "{line}");
        assert!(!table.aside(&bob, &format!("in hall {line}")).all().contains("mill"), "{line}");
    }
    assert!(!table.aside(&bob, "in hall handout letter").all().contains("mill"));
    let _ = ann;
}

#[test]
fn only_a_referee_makes_and_gives_them_and_not_without_end() {
    let (mut table, [ann, _, _, gus]) = table();
    assert!(!table.aside(&ann, "in hall handout letter come to the mill").ok());
    assert!(!table.say(&ann, "!handout map two doors").ok());
    letter(&mut table, &gus);
    assert!(!table.say(&ann, "!handout letter to Ann").ok());
    let made = (0..100).filter(|n| table.aside(&gus, &format!("in hall handout h{n} words")).ok()).count();
    assert_eq!(made, 49, "with the letter there are fifty");
    let came = table.say(&gus, "!secret handout plan words");
    assert!(!came.ok() && came.all().contains("has read that"), "{}", came.all());
}
