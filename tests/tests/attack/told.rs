//! What is told to some people, and what people note for themselves, reaches nobody else.

use crate::attack::seated::{Person, Seated, games};

const WORDS: &str = "the safe is open";

fn table() -> (Seated, [Person; 4]) {
    let mut table = Seated::new(games);
    let people = ["Ann", "Bob", "Cem"].map(Person::account);
    let gus = Person::account("Gus").admin();
    let [ann, bob, cem] = people;
    let people = [ann, bob, cem, gus];
    for person in &people {
        table.comes(person);
        assert!(table.say(person, "!join").ok());
    }
    assert!(table.say(&people[3], "!gm me").ok());
    (table, people)
}

fn file(table: &mut Seated, who: &Person, line: &str) -> String {
    table.say(who, line).files().concat()
}

#[test]
fn only_those_who_are_told_hear_it() {
    let (mut table, [ann, bob, cem, gus]) = table();
    let came = table.aside(&gus, "in hall tell Ann, Bob: the safe is open");
    assert!(came.ok(), "{}", came.all());
    assert_eq!(came.private(&ann), "Gus tells you (to Ann, Bob): the safe is open");
    assert_eq!(came.private(&bob), came.private(&ann));
    assert!(!came.public().contains("safe") && came.private(&cem).is_empty(), "{}", came.public());
    let number = came.entry().expect("it is in the journal");
    for line in
        [format!("!why #{number}"), "!history".into(), "!recap".into(), format!("!reveal #{number}"), "!note".into()]
    {
        for who in [&ann, &cem] {
            let came = table.say(who, &line);
            assert!(!came.all().contains("safe"), "{line}: {}", came.all());
        }
    }
    assert!(!file(&mut table, &gus, "!export").contains(WORDS));
    assert!(!file(&mut table, &gus, "!export text").contains(WORDS));
}

#[test]
fn what_the_room_has_read_is_told_to_nobody() {
    let (mut table, [ann, ..]) = table();
    let came = table.say(&ann, "!tell Bob the safe is open");
    assert!(!came.ok() && came.all().contains("has read that"), "{}", came.all());
}

#[test]
fn nobody_is_told_who_is_away_or_has_only_a_nick() {
    let (mut table, [ann, bob, ..]) = table();
    table.goes(&bob);
    assert!(!table.aside(&ann, "in hall tell Bob the safe is open").ok());
    let nick = Person::nick("Dee");
    table.comes(&nick);
    assert!(table.say(&nick, "!join").ok());
    let came = table.aside(&ann, "in hall tell Dee the safe is open");
    assert!(!came.ok() && came.private(&nick).is_empty(), "{}", came.all());
    assert!(!table.aside(&ann, "in hall tell Ogre the safe is open").ok());
    assert!(!table.aside(&ann, "in hall tell Cem").ok());
}

#[test]
fn a_note_for_oneself_is_nobody_elses() {
    let (mut table, [ann, bob, _, gus]) = table();
    let noted = table.aside(&ann, "in hall note Cem is the traitor");
    assert!(noted.ok() && !noted.public().contains("traitor"), "{}", noted.all());
    assert!(table.say(&bob, "!note the ford is watched").ok());
    assert!(table.aside(&ann, "in hall note").all().contains("Cem is the traitor"));
    for who in [&ann, &bob, &gus] {
        assert!(!table.say(who, "!note").public().contains("traitor"));
    }
    for who in [&bob, &gus] {
        let came = table.aside(who, "in hall note");
        assert!(came.all().contains("the ford is watched") && !came.all().contains("traitor"), "{}", came.all());
    }
    assert!(!file(&mut table, &gus, "!export").contains("traitor"));
}

#[test]
fn an_erased_or_undone_note_is_gone() {
    let (mut table, [ann, ..]) = table();
    let first = table.say(&ann, "!note the ford is watched").entry().expect("it is noted");
    let second = table.say(&ann, "!note the mill is empty").entry().expect("it is noted");
    assert!(table.say(&ann, &format!("!erase #{first}")).ok());
    let left = table.say(&ann, "!note").public();
    assert!(left.contains("mill") && !left.contains("ford"), "{left}");
    assert!(table.say(&ann, &format!("!undo #{second}")).ok());
    assert!(table.say(&ann, "!note").public().contains("There are no notes"));
}

#[test]
fn notes_have_a_limit() {
    let (mut table, [ann, bob, cem, gus]) = table();
    let mut noted = |who| (0..100).filter(|n| table.say(who, &format!("!note {n}")).ok()).count();
    assert_eq!(noted(&ann), 50, "nobody fills the table's");
    assert_eq!(noted(&gus), 50, "who leads the table has the rest");
    assert_eq!((noted(&bob), noted(&cem)), (0, 0));
    assert!(table.aside(&bob, "in hall note mine").ok(), "those for oneself have a limit of their own");
}

#[test]
fn the_story_tells_what_everybody_saw_and_nothing_else() {
    let (mut table, [ann, bob, _, gus]) = table();
    assert!(table.say(&gus, "!scene The ford <b>").ok());
    assert!(table.say(&ann, "!act d8 d10 # over the *wall*").ok());
    assert!(table.say(&bob, "!secret roll d20 # behind the screen").ok());
    assert!(table.aside(&gus, "in hall tell Ann the safe is open").ok());
    assert!(table.say(&bob, "!roll d20 # a slip").ok());
    assert!(table.say(&bob, "!undo").ok());
    let erased = table.say(&ann, "!roll d6 # to be forgotten").entry().expect("it is rolled");
    assert!(table.say(&ann, &format!("!erase #{erased}")).ok());
    assert!(table.say(&bob, "!note the innkeeper lied").ok());
    assert!(table.say(&gus, "!scene end").ok());
    for (line, wall, scene) in [
        ("!export story", "*Over the \\*wall\\*:* **Ann** rolled", "## The ford \\<b\\>"),
        ("!export page", "<em>Over the *wall*:</em> <b>Ann</b> rolled", "<h2>The ford &lt;b&gt;</h2>"),
    ] {
        let story = file(&mut table, &ann, line);
        assert!(story.contains(wall) && story.contains(scene) && story.contains("the innkeeper lied"), "{story}");
        for hidden in ["screen", WORDS, "slip", "forgotten", "join", "undo"] {
            assert!(!story.contains(hidden), "{hidden}: {story}");
        }
    }
    // The same in the room, for somebody who was away.
    let cem = Person::account("Cem");
    for line in ["!story", "!recap"] {
        let told = table.say(&cem, line).public();
        assert!(told.contains("Over the *wall*: Ann rolled"), "{line}: {told}");
        for hidden in ["screen", WORDS, "slip", "forgotten"] {
            assert!(!told.contains(hidden), "{hidden} in {line}: {told}");
        }
    }
}

#[test]
fn a_recap_says_what_was_taken_back_of_what_one_knew() {
    let (mut table, [ann, bob, _, gus]) = table();
    let rolled = table.say(&bob, "!act d8 d10 # over the wall").entry().expect("it is rolled");
    assert!(table.say(&ann, "!roll d6").ok());
    assert!(table.say(&gus, &format!("!undo #{rolled}")).ok());
    let told = table.say(&ann, "!recap").public();
    assert!(told.contains(&format!("Bob's act #{rolled} is undone")) && !told.contains("over the wall"), "{told}");
    // Cem, who never saw it, hears of neither.
    let told = table.say(&Person::account("Eve"), "!recap").public();
    assert!(!told.contains("undone") && !told.contains("wall"), "{told}");
}

#[test]
fn a_referee_reads_nothing_that_a_player_keeps_for_themselves() {
    let (mut table, [ann, bob, _, gus]) = table();
    let lines =
        ["in hall note the safe is open", "in hall tell Bob the safe is open", "in hall remind 2d the safe is open"];
    for line in lines {
        let came = table.aside(&ann, line);
        assert!(came.ok() && came.private(&gus).is_empty(), "{line}: {}", came.all());
        let number = came.entry().expect("it is in the journal");
        for asked in ["why", "reveal", "undo", "redo", "erase"].map(|word| format!("{word} #{number}")) {
            for came in [table.say(&gus, &format!("!{asked}")), table.aside(&gus, &format!("in hall {asked}"))] {
                assert!(!came.all().contains("safe"), "{line}, {asked}: {}", came.all());
            }
        }
    }
    for line in ["history", "notes", "now", "waiting", "remind", "when", "story", "recap", "why"] {
        let came = table.aside(&gus, &format!("in hall {line}"));
        assert!(!came.all().contains("safe"), "{line}: {}", came.all());
    }
    // Whoever wrote it can still show it.
    let came = table.aside(&ann, "in hall note the safe is open");
    let number = came.entry().expect("it is in the journal");
    let shown = table.say(&ann, &format!("!reveal #{number}"));
    assert!(shown.ok() && shown.public().contains(WORDS), "{}", shown.all());
    assert!(table.say(&bob, &format!("!why #{number}")).all().contains(WORDS));
}

#[test]
fn what_is_only_looked_at_in_private_is_answered_to_nobody_else() {
    let (mut table, [ann, _, _, gus]) = table();
    assert!(table.aside(&ann, "in hall remind 2d the safe is open").ok());
    assert!(table.aside(&ann, "in hall note the safe is open").ok());
    for line in ["in hall now", "in hall remind", "in hall note", "in hall history", "in hall odds roll 2d6"] {
        let came = table.aside(&ann, line);
        assert!(came.ok() && came.private(&gus).is_empty(), "{line}: {}", came.all());
    }
    assert!(table.aside(&ann, "in hall now").all().contains(WORDS));
    assert_eq!(table.say(&ann, "!secret now").private(&gus), "");
    // What is played in secret is still the referee's too.
    assert!(!table.say(&ann, "!secret roll 2d6").private(&gus).is_empty());
}

#[test]
fn whoever_takes_a_bare_nick_reads_nothing_that_was_kept_under_it() {
    let (mut table, _) = table();
    let zed = Person::nick("Zed");
    table.comes(&zed);
    assert!(table.say(&zed, "!join").ok());
    assert!(table.aside(&zed, "in hall note the safe is open").ok());
    assert!(table.aside(&zed, "in hall remind 2d the safe is open").ok());
    let own = format!("{} {}", table.aside(&zed, "in hall note").all(), table.aside(&zed, "in hall remind").all());
    assert_eq!(own.matches(WORDS).count(), 2, "{own}");
    table.goes(&zed);
    table.comes(&zed);
    for line in ["note", "notes", "remind", "when", "now", "history", "waiting"].map(|line| format!("in hall {line}")) {
        let came = table.aside(&zed, &line);
        assert!(!came.all().contains("safe"), "{line}: {}", came.all());
    }
}

#[test]
fn a_reply_to_what_the_room_hears_of_a_secret_is_about_that_secret() {
    let (mut table, [ann, ..]) = table();
    let came = table.say(&ann, "!secret roll 2d6");
    let number = came.entry().expect("it is in the journal");
    let room = came.heard.posts.iter().find(|outgoing| outgoing.post.to == chat::Recipient::Room);
    let room = room.expect("the room hears of it");
    assert_eq!(room.roll.as_ref().map(|(_, number)| *number), Some(number));
}

#[test]
fn nobody_learns_from_a_follow_up_whom_a_secret_roll_is_against() {
    let (mut table, [ann, bob, _, gus]) = table();
    assert!(table.say(&gus, "!as Ogre act d8 d10 vs Ann").ok());
    assert!(table.say(&gus, "!secret as Imp act d6 d6 vs Ann").ok());
    assert!(table.say(&gus, "!secret as Imp act d6 d6 vs Bob").ok());
    // What she is asked in the open is what she answers.
    let came = table.say(&ann, "!counter d12 d12");
    assert!(came.ok() && !came.all().contains("secret"), "{}", came.all());
    for line in ["!odds counter d6", "!counter d6"] {
        let came = table.say(&bob, line);
        assert!(!came.all().contains("is secret"), "{line}: {}", came.all());
    }
}

#[test]
fn who_rolled_in_secret_hears_how_it_ended() {
    let (mut table, [ann, bob, _, gus]) = table();
    assert!(table.say(&ann, "!secret act d8 d8").ok());
    let came = table.say(&gus, "!vs Ann 3");
    assert!(came.ok() && came.private(&ann).contains("vs 3"), "{}", came.all());
    assert_eq!((came.private(&ann), came.private(&bob)), (came.private(&gus), String::new()));
    assert!(!came.public().contains("vs 3"), "{}", came.public());
}

#[test]
fn what_is_answered_to_its_player_alone_is_read_by_no_referee() {
    let mut alone = Vec::new();
    for line in house::commands().into_iter().flat_map(|command| command.examples) {
        let (mut table, [ann, _, _, gus]) = table();
        let came = table.aside(&ann, &format!("in hall {line}"));
        let Some(number) = came.entry().filter(|_| came.private(&gus).is_empty()) else { continue };
        if !table.page(number).entry.secret {
            continue;
        }
        let why = table.say(&gus, &format!("!why #{number}"));
        assert!(!why.ok(), "{line}: {}", why.all());
        alone.push(line);
    }
    assert!(alone.len() >= 4, "{alone:?}");
}

/// What one may do later to what one keeps for oneself. `#N` is the newest entry.
const KEPT: [&[&str]; 13] = [
    &["note the safe is open"],
    &["tell Bob the safe is open"],
    &["remind 2d the safe is open"],
    &["at 2d roll d6 # the safe is open"],
    &["when round: roll d6 # the safe is open"],
    &["remind Bob 2d the safe is open"],
    &["at 2d tell Bob the safe is open"],
    &["note the mill is empty", "amend #N note the safe is open"],
    &["remind 2d the mill is empty", "amend #N remind 2d the safe is open"],
    &["note the safe is open", "undo #N"],
    &["remind 2d the safe is open", "undo #N", "redo #N"],
    &["at 2d note the safe is open", "undo #N"],
    &["note the safe is open", "drop #N"],
];

#[test]
fn what_one_referee_keeps_for_themselves_is_read_by_no_other() {
    let mut read = Vec::new();
    for lines in KEPT {
        let (mut table, [ann, _, cem, gus]) = table();
        assert!(table.say(&gus, "!gm add Cem").ok());
        for who in [&gus, &ann] {
            let mut newest = None;
            for line in lines {
                let line = line.replace("#N", &format!("#{}", newest.unwrap_or_default()));
                let came = table.aside(who, &format!("in hall {line}"));
                if !came.private(&cem).is_empty() {
                    read.push(format!("{line}, unasked: {}", came.private(&cem)));
                }
                newest = came.entry().or(newest);
            }
            let last = newest.unwrap_or_default();
            let about = (last.saturating_sub(2)..=last)
                .flat_map(|number| ["why", "reveal", "undo", "redo", "drop"].map(|word| format!("{word} #{number}")));
            let about = ["history", "note", "now", "waiting", "remind", "at", "when", "recap", "story"]
                .map(str::to_owned)
                .into_iter()
                .chain(about);
            for asked in about {
                for came in [table.say(&cem, &format!("!{asked}")), table.aside(&cem, &format!("in hall {asked}"))] {
                    if came.all().contains("safe") {
                        read.push(format!("{lines:?} of {}, {asked}: {}", who.0.name, came.all()));
                    }
                }
            }
        }
    }
    assert!(read.is_empty(), "{}", read.join("\n"));
    // A deadline is for everybody who is asked something, and so it is set in front of them.
    let (mut table, [.., gus]) = table();
    for came in [table.say(&gus, "!secret deadline 2d"), table.aside(&gus, "in hall deadline 2d")] {
        assert!(!came.ok() && came.all().contains("for everybody who is asked"), "{}", came.all());
    }
}
