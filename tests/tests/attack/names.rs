//! Names that anybody may choose: none takes what is meant for somebody else, and none is read as something else.

use crate::attack::seated::{self, Came, Person, Seated};
use journal::documents::{Character, TableDoc};
use journal::keys;
use journal::store::Store;

/// Ann, Bob and Mal play, Gus is the referee.
fn table() -> (Seated, [Person; 4]) {
    let mut table = Seated::new(games::all);
    let people = ["Ann", "Bob", "Mal", "Gus"].map(Person::account);
    for person in &people {
        table.comes(person);
        assert!(table.say(person, "!join").ok());
    }
    assert!(table.say(&people[3], "!gm me").ok());
    (table, people)
}

/// Gives the character that `player` acts for a name that an older version allowed.
fn called_of_old(table: &mut Seated, player: &Person, name: &str) {
    let key = keys::doc(&seated::table());
    table.restart();
    let mut doc: TableDoc = table.read(&key).expect("it is there");
    let plays = doc.seats[player.player()].plays;
    doc.characters.entry(plays).and_modify(|each| {
        *each = Character { name: name.to_owned(), named: true, ..each.clone() };
    });
    table.write(&key, &doc);
    table.restart();
    for name in ["Ann", "Bob", "Mal", "Gus"] {
        table.comes(&Person::account(name));
    }
}

fn refused(came: &Came, why: &str) {
    let capital = why.chars().take(1).flat_map(char::to_uppercase).chain(why.chars().skip(1)).collect::<String>();
    let says = |why: &str| came.all().contains(why);
    assert!(!came.ok() && (says(why) || says(&capital)), "{}", came.all());
}

#[test]
fn a_name_that_somebody_gave_up_is_nobody_elses() {
    let (mut table, [ann, bob, mal, gus]) = table();
    assert!(table.say(&ann, "!iam Tsubame").ok());
    // Ann shows that name still, and then no longer.
    refused(&table.say(&mal, "!iam Ann"), "Ann is no name here: Ann is another's name");
    let mut renamed = ann.clone();
    renamed.0.name = "Tsubame".to_owned();
    table.comes(&renamed);
    assert!(table.say(&renamed, "!roll d6").ok());
    refused(&table.say(&mal, "!iam Ann"), "Ann is another's name");
    refused(&table.say(&mal, "!iam \u{410}nn"), "it looks like Ann");
    // Nor does a name that somebody shows make them the one who is meant.
    let mut posing = mal.clone();
    posing.0.name = "Ann".to_owned();
    table.comes(&posing);
    assert!(table.say(&posing, "!roll d6").ok());
    for line in ["in hall tell Ann the safe is open", "in hall handout letter to Ann"] {
        assert!(line.contains("tell") || table.aside(&gus, "in hall handout letter at midnight").ok());
        let came = table.aside(&gus, line);
        refused(&came, "several people may be meant by Ann: say which by their id");
        assert!(came.all().contains("@ann:example.org") && came.all().contains("@mal:example.org"), "{}", came.all());
        assert!(came.private(&mal).is_empty() && came.private(&ann).is_empty());
    }
    let came = table.aside(&gus, "in hall tell @ann:example.org, Bob the safe is open");
    assert!(came.ok() && came.private(&ann).contains("safe") && came.private(&bob).contains("safe"), "{}", came.all());
    assert!(came.all().contains("Told Tsubame (@ann:example.org), Bob (@bob:example.org)."), "{}", came.all());
    assert!(came.private(&mal).is_empty());
}

#[test]
fn what_is_handed_or_dealt_asks_who_is_meant_too() {
    let (mut table, [ann, bob, mal, gus]) = table();
    assert!(table.say(&gus, "!deck omens: kestrel, moorhen, nightjar, plover").ok());
    assert!(table.say(&bob, "!draw 1").ok());
    assert!(table.say(&ann, "!iam Tsubame").ok());
    called_of_old(&mut table, &mal, "Ann");
    for (who, line) in [(&bob, "!pass 1 Ann"), (&gus, "!deal 1 to Ann"), (&gus, "!remind Ann 2d the truce ends")] {
        let came = table.say(who, line);
        refused(
            &came,
            "several people may be meant by Ann: say which by their id, @ann:example.org or @mal:example.org",
        );
    }
    let came = table.say(&bob, "!pass 1 @mal:example.org");
    assert!(came.ok() && came.public().contains("gives Ann (@mal:example.org) a card"), "{}", came.all());
    let came = table.say(&gus, "!deal 1 to Tsubame");
    assert!(came.ok() && came.all().contains("deals a card to Tsubame (@ann:example.org)"), "{}", came.all());
}

#[test]
fn a_name_from_before_that_begins_with_anothers_takes_nothing_that_is_meant_for_them() {
    for name in ["Ann, Bob", "Ann and Bob", "Ann the", "Ann;B", "Ann roll"] {
        let (mut table, [ann, _, mal, gus]) = table();
        called_of_old(&mut table, &mal, name);
        let came = table.aside(&gus, &format!("in hall tell {name} traitor is Mal"));
        assert!(came.private(&mal).is_empty(), "{name}: {}", came.all());
        refused(&came, "several people may be meant by");
        let came = table.aside(&gus, &format!("in hall tell \"{name}\" the safe is open"));
        assert!(came.ok() && came.private(&mal).contains("safe") && came.private(&ann).is_empty(), "{}", came.all());
        assert!(table.say(&mal, &format!("!as \"{name}\" roll d6")).ok(), "{name} is theirs still");
        let came = table.say(&gus, &format!("!pc \"{name}\""));
        assert!(came.ok() && came.public().contains(&format!("{name} is played by")), "{}", came.all());
    }
}

#[test]
fn no_name_is_a_part_of_a_line() {
    let (mut table, [_, _, mal, gus]) = table();
    let names = [
        ("Ann, Bob", "there is no , in a name"),
        ("Ann;B", "there is no ; in a name"),
        ("Ann and Bob", "\"and\" stands between names"),
        ("vs", "\"vs\" stands between names"),
        ("Ann the", "\"the\" leads to something else"),
        ("Ann 17", "write it together, Ann17"),
        ("Ann roll", "roll is a command"),
        ("roll", "roll is a command"),
        ("d20", "d20 reads as dice"),
        ("roll d20", "d20 reads as dice"),
        ("x3", "x3 reads as a count"),
        ("all", "all means several at once"),
        ("heroes", "heroes means several at once"),
        ("table", "that word has a meaning of its own in commands"),
        ("none", "that word has a meaning of its own in commands"),
        ("me", "that word has a meaning of its own in commands"),
        ("Gu\u{455}", "it looks like Gus"),
        ("Bob", "Bob is not yours"),
        ("bob", "is not yours"),
        ("home:@bob:localhost", "there is no : in a name"),
        ("account:bob", "there is no : in a name"),
        ("gus (@gus:localhost)", "there is no ( in a name"),
        ("astragal", "I call others that"),
    ];
    for (name, why) in names {
        refused(&table.say(&mal, &format!("!iam {name}")), why);
        let came = table.say(&gus, &format!("!pc \"{name}\""));
        let known = came.ok() && came.public().contains("is played by");
        assert!(known || came.all().contains(why), "{name}: {}", came.all());
    }
    for name in ["Ann-Marie", "Captain Aiko", "Mal the Bold", "Борис", "Mal"] {
        assert!(table.say(&mal, &format!("!iam {name}")).ok(), "{name}");
    }
}

#[test]
fn a_character_named_after_what_their_player_shows_cannot_be_misread_either() {
    let (mut table, [ann, bob, _, gus]) = table();
    let mut eve = Person::account("Eve");
    eve.0.name = "Ann, Bob".to_owned();
    table.comes(&eve);
    let came = table.say(&eve, "!iam");
    assert!(came.ok() && came.public().contains("You are Ann-Bob."), "{}", came.all());
    let came = table.aside(&gus, "in hall tell Ann, Bob the safe is open");
    assert!(came.private(&eve).is_empty(), "{}", came.all());
    let both = came.private(&ann).contains("safe") && came.private(&bob).contains("safe");
    assert!(both || !came.ok(), "{}", came.all());
}

#[test]
fn an_order_of_a_name_from_before_is_carried_out_as_theirs() {
    let (mut table, [ann, ..]) = table();
    assert!(table.say(&ann, "!iam Tsubame").ok());
    called_of_old(&mut table, &ann, "Ann; roll");
    assert!(table.say(&ann, "!when scene: roll d6").ok());
    assert!(table.say(&ann, "!iam Other").ok());
    let came = table.say(&Person::account("Gus"), "!scene The ford");
    assert!(came.ok(), "{}", came.all());
    let doc = table.store.read(&keys::doc(&seated::table())).expect("memory does not fail");
    assert!(String::from_utf8_lossy(&doc.expect("it is there")).contains("Ann; roll"), "they keep their name");
}

#[test]
fn whoever_runs_the_room_reads_nothing_that_only_referees_may_know() {
    let (mut table, [ann, _, mal, gus]) = table();
    let admin = mal.clone().admin();
    assert!(table.say(&gus, "!pc Ogre").ok() && table.say(&gus, "!as Ogre set ac 13; hp 30/30").ok());
    assert!(table.say(&ann, "!secret oracle crows: a kestrel | a moorhen").ok());
    assert!(table.say(&gus, "!deck omens: kestrel, moorhen, nightjar").ok());
    assert!(table.say(&ann, "!draw 1").ok());
    let lines = [
        "values Ogre",
        "as Ogre values",
        "as Ogre set hp",
        "as Ogre set hp -1",
        "secret odds d20+5 vs Ogre",
        "secret roll d20+5 vs Ogre",
        "secret oracle crows show",
        "secret oracle",
        "oracle crows",
        "secret oracle crows",
        "hand Ann",
        "as Ann hand",
        "secret hand Ann",
    ];
    for line in lines {
        for came in [table.say(&admin, &format!("!{line}")), table.aside(&admin, &format!("in hall {line}"))] {
            let all = came.all();
            let told = ["13", "30/30", "29/30", "kestrel", "moorhen", "nightjar", "crows d2", "empty"];
            let read = told.into_iter().find(|told| all.contains(told));
            // A roll of theirs may show any number.
            assert!(read.is_none() || (read == Some("13") && line.contains("roll")), "{line}: {all}");
        }
    }
    // The referee reads them.
    assert!(table.say(&gus, "!values Ogre").all().contains("30/30"));
    assert!(table.say(&gus, "!secret oracle").all().contains("crows d2"));
}

#[test]
fn two_people_keep_secret_tables_of_one_name_and_neither_notices() {
    let (mut table, [ann, bob, mal, gus]) = table();
    assert!(table.say(&ann, "!secret oracle crows: a kestrel | a moorhen").ok());
    let answers = |table: &mut Seated, who: &Person, name: &str| {
        let lines = [
            format!("!secret oracle {name}: a siskin | a plover"),
            format!("!secret oracle {name} + a yaffle"),
            format!("!secret oracle {name} show"),
            format!("!secret oracle {name} none"),
            format!("!secret oracel {name}: a siskin | a plover"),
        ];
        lines.map(|line| table.say(who, &line).all().replace(name, "NAME").replace(&who.0.name, "WHO"))
    };
    let taken = answers(&mut table, &mal, "crows");
    let free = answers(&mut table, &bob, "rooks");
    let numbers = |text: &str| text.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    for (taken, free) in taken.iter().zip(&free) {
        assert_eq!(numbers(taken), numbers(free));
        assert!(!taken.contains("Ann"), "{taken}");
    }
    let came = table.say(&ann, "!secret oracle crows show");
    assert!(came.ok() && came.all().contains("kestrel") && !came.all().contains("siskin"), "{}", came.all());
    assert!(table.say(&gus, "!secret oracle crows show").all().contains("kestrel"));
}
