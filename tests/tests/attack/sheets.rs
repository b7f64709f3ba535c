//! Values of non-player characters are for referees alone. Rolls against them are settled at once, and players try to find
//! out by how much.

use crate::attack::seated::{Came, Person, Seated, hall, tidy};
use journal::audit;
use journal::export;
use journal::keys::TableId;
use journal::moving::Moved;
use journal::store::Store;
use plugin_api::Plugin;
use regex::Regex;

fn games() -> Vec<Box<dyn Plugin>> {
    vec![mvk::plugin(), roll::plugin(), spheres::plugin(), torg::plugin()]
}

/// Ann and Bob play, Gus is the referee, and each value of the Ogre that answers something is this one.
fn table(value: &str) -> (Seated, [Person; 3]) {
    let mut table = Seated::new(games);
    let people = [Person::account("Ann"), Person::account("Bob"), Person::account("Gus").admin()];
    people.iter().for_each(|person| table.comes(person));
    let gus = &people[2];
    for line in [
        "!gm me".to_owned(),
        "!pc Ogre".to_owned(),
        format!("!set Ogre ac {value}; defense {value}; dodge {value}; toughness {value}; counter {value}; hp {value}"),
        "!spheres session Ann Bob".to_owned(),
        "!encounter start".to_owned(),
    ] {
        assert!(table.say(gus, &line).ok(), "{line}");
    }
    // What can be bought is offered.
    assert!(table.say(gus, "!fate triumph +9").ok());
    (table, people)
}

/// Lines by which Ann might find out what the Ogre's sheet says.
const PRYING: [&str; 69] = [
    "!roll d20+5 vs Ogre",
    "!why",
    "!secret why",
    "!d20+5 vs Ogre # once more",
    "!roll 3x d20 vs Ogre",
    "!roll {d20, d20+2}kh1 vs Ogre",
    "!roll d20 vs Ogre; d20 vs Ogre",
    "!roll d20 vs Ogre + 3",
    "!roll d20 vs Ogre hp",
    "!roll d20+{Ogre.ac}",
    "!roll d20+$ac",
    "!roll d20+ac",
    "!as Ogre roll d20+ac",
    "!roll d20 vs Ogre vs 15",
    "!secret roll d20 vs Ogre",
    "!reveal",
    "!odds roll d20+5 vs Ogre",
    "!odds d20+5 vs Ogre",
    "!odds estimate roll d20+5 vs Ogre",
    "!secret odds roll d20+5 vs Ogre",
    "!explain d20+5 vs Ogre",
    "!macro hit roll d20+$1 vs Ogre",
    "!hit 5",
    "!odds hit 5",
    "!amend roll d20+90 vs Ogre",
    "!add +90",
    "!adv",
    "!spheres check 7 +4 vs Ogre",
    "!odds spheres check 7 +4 vs Ogre",
    "!1",
    "!vs 15",
    "!spend 3 stones boost",
    "!spend triumph boost",
    "!why",
    "!waiting",
    "!spheres check 7 +4 vs Ogre attack",
    "!fortune",
    "!check 7 +4 vs Ogre dodge",
    "!spheres luck 7 vs Ogre",
    "!torg test 8 vs Ogre favored",
    "!torg test 8 vs Ogre",
    "!torg test 8 against ogre dodge",
    "!odds torg test 8 vs Ogre",
    "!reroll",
    "!spend possibility",
    "!odds spend possibility",
    "!dn 90",
    "!torg test 8 vs Ogre 14",
    "!torg damage 14 bd 1 vs Ogre",
    "!torg damage 14 on Ogre",
    "!odds torg damage 14 bd 2 on Ogre",
    "!mvk act d8 d10 vs Ogre",
    "!mvk vs 20",
    "!counter d8",
    "!odds mvk act d8 d10 vs Ogre",
    "!undo",
    "!redo",
    "!history",
    "!recap",
    "!values Ogre",
    "!sheet Ogre",
    "!sheet of Ogre",
    "!mvk sheet of ogr",
    "!spheres sheet for Ogre!",
    "!set hp Ogre 3",
    "!condition ac Ogre",
    "!now",
    "!export",
    "!export text",
];

#[test]
fn nothing_that_a_player_reads_differs_if_only_a_hidden_value_does() {
    // Both are out of reach, so that every roll fails.
    let [mut one, mut other] = ["181", "189"].map(table);
    let mut all = String::new();
    for line in PRYING {
        let [ours, theirs] = [&mut one, &mut other].map(|(table, [ann, ..])| {
            let came = table.say(ann, line);
            tidy(&came.read_by(ann))
        });
        assert_eq!(ours, theirs, "{line}");
        all.push_str(&ours);
    }
    // It tried what it is about: each game settled its roll, and offered what may be done about it.
    for told in [
        r"FAILURE \([0-9]+ vs Ogre\)",
        "FAILURE by some degrees: [0-9]+ vs Ogre",
        "FAILURE: [0-9]+ vs Ogre",
        "damage 14: no harm",
        "COUNTERED [0-9]+ vs Ogre",
        "boost with 1 stone",
        "Possibility, 3 left",
    ] {
        assert!(Regex::new(told).expect("a pattern").is_match(&all), "{told}");
    }
}

#[test]
fn a_guess_tells_nobody_what_is_on_a_sheet_that_is_not_theirs() {
    let (mut table, [ann, _, gus]) = table("14");
    table.say(&gus, "!set Ogre talon d8 d10; wrath 9/9");
    for [known, unknown] in [
        ["!ogre attacks ann with talon", "!ogre attacks ann with salon"],
        ["!ogre talons ann", "!ogre salons ann"],
        ["!the ogre does talon damage to ann", "!the ogre does salon damage to ann"],
        ["!ogre -5 wrath", "!ogre -5 broth"],
        ["!ogre takes 5 wrath", "!ogre takes 5 broth"],
        ["!talon vs ann", "!salon vs ann"],
        ["!attack ogre with talon", "!attack ogre with salon"],
    ] {
        let [told, other] = [known, unknown].map(|line| tidy(&table.say(&ann, line).read_by(&ann)));
        let same = |text: &str| text.replace("salon", "talon").replace("Salon", "Talon").replace("broth", "wrath");
        assert_eq!(same(&told), same(&other), "{known}");
    }
    let meant = table.say(&gus, "!ogre attacks ann with talon");
    assert!(meant.all().contains("as Ogre"), "the referee is told: {}", meant.all());
}

#[test]
fn nobody_tries_one_number_after_another_on_the_same_dice_or_on_none() {
    let (mut table, [ann, bob, gus]) = table("14");
    let settled = |came: &Came| came.public().contains("vs Ogre)") && came.ok();
    for line in ["!roll 14 vs Ogre", "!roll 1d1+13 vs Ogre", "!spheres routine 4 vs Ogre"] {
        let came = table.say(&ann, line);
        assert!(came.public().contains("you need a die against it"), "{line}: {}", came.all());
    }
    let came = table.say(&ann, "!roll d20+5 vs Ogre");
    assert!(settled(&came), "{}", came.all());
    let edited = table.edit(&ann, &came.id, "!roll d20+6 vs Ogre");
    assert!(edited.all().contains("what only the referee knows"), "{}", edited.all());
    for (who, line) in [(&ann, "!amend roll d20+6 vs Ogre"), (&ann, "!add +1"), (&bob, "!amend #7 roll d20 vs Ogre")] {
        let came = table.say(who, line);
        assert!(!came.ok() && !came.public().contains("vs Ogre)"), "{line}: {}", came.all());
    }
    // The referee knows it anyway, and rolls in secret with the number.
    let came = table.say(&gus, "!secret roll d20 vs Ogre");
    assert!(came.private(&gus).contains("(Ogre's ac 14)") && !came.public().contains("14"), "{}", came.all());
}

#[test]
fn only_a_referee_reveals_what_a_roll_was_measured_against() {
    let (mut table, [ann, _, gus]) = table("189");
    let number = table.say(&ann, "!spheres check 7 +4 vs Ogre").entry().expect("it is an entry");
    let refused = table.say(&ann, &format!("!reveal #{number}"));
    assert!(!refused.ok() && refused.all().contains("only a referee may reveal"), "{}", refused.all());
    let came = table.say(&ann, "!export");
    assert!(!tidy(&came.read_by(&ann)).contains("189"));
    assert!(table.say(&gus, &format!("!reveal #{number}")).ok());
    let came = table.say(&ann, "!export");
    assert!(tidy(&came.read_by(&ann)).contains("189"));
}

#[test]
fn a_journal_with_hidden_values_adds_up_and_moves() {
    let (mut table, [ann, _, gus]) = table("14");
    let id = TableId::of(&hall());
    for (who, line) in [
        (&ann, "!torg test 8 vs Ogre"),
        (&ann, "!spend possibility"),
        (&ann, "!undo"),
        (&ann, "!redo"),
        (&ann, "!mvk act d8 d10 vs Ogre"),
        (&ann, "!undo"),
        (&ann, "!spheres check 7 +4 vs Ogre"),
        (&gus, "!as Ogre hp -3"),
        (&gus, "!undo"),
    ] {
        table.plays(who, line);
    }
    table.restart();
    assert!(table.say(&ann, "!fortune").ok(), "the roll is known after a restart");
    audit(&*table.store, &id).expect("the journal leads to what is stored");
    let read = |keys: &[String]| table.store.read_many(keys);
    let exported = export::Exported::of(&id, read).expect("memory does not fail").expect("it was played at");
    let (mut public, mut moved) = (Vec::new(), Vec::new());
    export::write(&exported, jiff::Timestamp::UNIX_EPOCH, &mut public).expect("memory does not fail");
    let found = export::verify(&mut public.as_slice(), |_| {}).expect("it verifies").verifier;
    assert!(found.partly >= 3 && found.secret >= 2, "{} partly, {} secret", found.partly, found.secret);
    export::write_all(&exported, &*table.store, jiff::Timestamp::UNIX_EPOCH, &mut moved).expect("memory does not fail");
    Moved::read(&mut moved.as_slice()).unwrap_or_else(|error| panic!("it cannot be moved: {error}"));
}

#[test]
fn a_value_typed_in_public_is_not_said_again() {
    let (mut table, [ann, bob, gus]) = table("14");
    for line in ["!set Ogre will 1139", "!as Ogre set will 1139", "!as Ogre set will 1139/1140", "!as Ogre will +1"] {
        let came = table.say(&gus, line);
        assert!(came.ok() && !came.public().contains("11"), "{line}: {}", came.public());
        assert!(came.private(&gus).contains("11"), "{line}: {}", came.all());
    }
    for line in ["!values Ogre", "!values Ogre export", "!as Ogre set", "!as Ogre set will", "!as Ogre will", "!undo"] {
        let came = table.say(&gus, line);
        assert!(came.ok() && !came.public().contains("11"), "{line}: {}", came.public());
    }
    assert!(table.say(&gus, "!redo").ok());
    for line in ["!values Ogre", "!history", "!history Ogre", "!why", "!why #8", "!recap", "!export", "!undo #8"] {
        for who in [&ann, &bob] {
            let read = tidy(&table.say(who, line).read_by(who));
            assert!(!read.contains("1139") && !read.contains("1140"), "{line}: {read}");
        }
    }
}

#[test]
fn what_was_set_before_there_was_a_referee_is_said_to_nobody_any_more() {
    let mut table = Seated::new(games);
    let [ann, gus] = [Person::account("Ann"), Person::account("Gus").admin()];
    [&ann, &gus].into_iter().for_each(|person| table.comes(person));
    for line in ["!pc Ogre", "!as Ogre set ac 1139"] {
        assert!(table.say(&gus, line).ok(), "{line}");
    }
    // While there is no referee, there is nobody to keep it from them.
    assert!(table.say(&ann, "!values Ogre").public().contains("1139"));
    assert!(table.say(&gus, "!gm me").ok());
    for line in ["!values Ogre", "!history", "!why #2", "!recap", "!roll d20 vs Ogre", "!odds d20 vs Ogre"] {
        let read = tidy(&table.say(&ann, line).read_by(&ann));
        assert!(!read.contains("1139"), "{line}: {read}");
    }
    let undone = table.say(&gus, "!undo #2");
    assert!(undone.ok() && !undone.public().contains("1139"), "{}", undone.public());
}

#[test]
fn no_refusal_and_no_proposal_puts_a_hidden_number_into_a_line() {
    let mut bot = Seated::new(games);
    bot.plays("Gus", "!gm me");
    bot.plays("Gus", "!as Ogre set hp 28/30; rage 57; ac 15");
    bot.plays("Ann", "!roll d6");
    for line in [
        "!as Ogre odds hp -2",
        "!as Ogre odds hp -2; rage +1",
        "!as Ogre odds hp -d6",
        "!as Ogre odds rage +1",
        "!as Ogre roll d20+hp for 3 rounds",
        "!as Ogre roll d20+rage vs 15 by 3",
        "!as Ogre roll d20+rage doubled",
        "!as Ogre hp -2; rage +999999999999",
        "!as Ogre rage +1; rage +1",
        "!as Ogre hp 28 or 27",
    ] {
        let came = bot.say("Gus", line);
        let said = came.all();
        let numbers = ["26", "57", "58", "59", "28/", "1000000000056"];
        let told = numbers.into_iter().find(|number| said.contains(number) && !line.contains(number));
        assert_eq!(told, None, "{line}: {said}");
    }
    // What is shown is what was typed, and sending it is as secret as that.
    let came = bot.say("Gus", "!as Ogre roll d20+hp for 3 rounds");
    assert!(came.all().contains("as Ogre roll d20+hp # for 3 rounds"), "{}", came.all());
    let sent = bot.plays("Gus", "!y");
    assert!(bot.page(sent.entry().expect("it is played")).is_secret(), "{}", sent.all());
}
