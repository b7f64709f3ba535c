//! Every command of the table, tried in every role, with a referee at the table and without.

use crate::attack::seated::{Came, NETWORK, Person, Seated, games, hall};
use chat::{Event, RoomId};
use jiff::SignedDuration;
use std::collections::BTreeSet;
use table::Settings;

/// A line, who may type it while Gus is the referee, and who may while there is none. n: a bare nick; p: a player; r:
/// the referee (or, without one, another player); a: an admin of the room; b: an admin by a bare nick; o: an owner of
/// the bot. x is not in the room and may do nothing.
const LINES: &[(&str, &str, &str)] = &[
    ("help", "nprabo", "nprabo"),
    ("plugins", "nprabo", "nprabo"),
    ("plugin disable torg", "abo", "abo"),
    ("game", "nprabo", "nprabo"),
    ("game mvk", "rabo", "nprabo"),
    ("gm", "nprabo", "nprabo"),
    ("gm me", "ao", "ao"),
    ("gm add Dora", "rabo", "abo"),
    ("gm remove Gus", "rabo", ""),
    ("iam", "nprabo", "nprabo"),
    ("iam Newcomer", "nprabo", "nprabo"),
    ("iam Hero", "", ""),
    ("as Ogre roll d6", "rabo", "nprabo"),
    ("as Hero roll d6", "rabo", "nprabo"),
    ("pc", "nprabo", "nprabo"),
    ("pc Ogre", "rabo", "nprabo"),
    ("pc Ogre Dora", "rabo", "nprabo"),
    ("pc Hero free", "rabo", "nprabo"),
    ("join", "nprabo", "nprabo"),
    ("join Hero", "nprabo", "nprabo"),
    ("leave", "nprabo", "nprabo"),
    ("leave Hero", "rabo", "nprabo"),
    ("room", "nprabo", "nprabo"),
    ("room prefix .", "abo", "abo"),
    ("dialect", "nprabo", "nprabo"),
    ("dialect roll20", "abo", "abo"),
    ("table", "nprabo", "nprabo"),
    ("table name Ours", "rabo", "nprabo"),
    ("table undo referee", "rabo", "nprabo"),
    ("history", "nprabo", "nprabo"),
    ("why #PUBLIC", "nprabo", "nprabo"),
    ("why #SECRET", "r", ""),
    ("set str 3", "nprabo", "nprabo"),
    ("set table str 3", "rabo", "nprabo"),
    ("values", "nprabo", "nprabo"),
    ("values Hero", "nprabo", "nprabo"),
    ("macro hit roll d20", "nprabo", "nprabo"),
    ("macro table hit roll d20", "rabo", "nprabo"),
    ("explain 2d6", "nprabo", "nprabo"),
    ("odds 2d6", "nprabo", "nprabo"),
    ("more", "nprabo", "nprabo"),
    ("scene", "nprabo", "nprabo"),
    ("scene The wolf", "rabo", "nprabo"),
    ("cursed", "nprabo", "nprabo"),
    ("recap", "nprabo", "nprabo"),
    ("story", "nprabo", "nprabo"),
    ("undo #PUBLIC", "rabo", "nprabo"),
    ("undo #SECRET", "r", ""),
    ("undo #GIVEN", "abo", "abo"),
    ("redo", "", ""),
    ("amend #PUBLIC act d8 d10 d6", "rabo", "nprabo"),
    ("amend #SECRET roll d20+1", "", ""),
    ("amend #GIVEN roll d6", "", ""),
    ("add #PUBLIC vs 17", "rabo", "nprabo"),
    ("now", "nprabo", "nprabo"),
    ("waiting", "nprabo", "nprabo"),
    ("drop #PUBLIC", "", ""),
    ("secret roll d6", "nprabo", "nprabo"),
    ("in hall roll d6", "", ""),
    ("reveal #SECRET", "r", ""),
    ("note", "nprabo", "nprabo"),
    ("note the ford is watched", "nprabo", "nprabo"),
    ("handouts", "nprabo", "nprabo"),
    ("handout map two doors", "rabo", ""),
    ("tell Dora the safe is open", "", ""),
    ("remind", "nprabo", "nprabo"),
    ("remind 2d the truce ends", "nprabo", "nprabo"),
    ("remind all 2d the truce ends", "rabo", "nprabo"),
    ("at 2d roll d6", "nprabo", "nprabo"),
    ("when my turn: roll d6", "nprabo", "nprabo"),
    ("deadline 2d", "rabo", "nprabo"),
    ("away", "nprabo", "nprabo"),
    ("away 5d", "nprabo", "nprabo"),
    ("back", "", ""),
    ("nudge", "nprabo", "nprabo"),
    ("nudge 24h", "rabo", "nprabo"),
    ("page", "r", ""),
    ("page everyone", "rabo", "nprabo"),
    ("page new", "r", ""),
    ("page new all", "rabo", "nprabo"),
    ("page off", "rabo", "nprabo"),
    ("board", "nprabo", "nprabo"),
    ("board on", "rabo", "nprabo"),
    ("seal I strike", "nprabo", "nprabo"),
    ("unseal", "rabo", "abo"),
    ("fair", "nprabo", "nprabo"),
    ("fair reveal", "", ""),
    ("fair reveal all", "rabo", "abo"),
    ("export", "nprabo", "nprabo"),
    ("export story", "nprabo", "nprabo"),
    ("export move", "rabo", "abo"),
    ("import WORD really", "abo", "abo"),
    ("link", "rabo", "abo"),
    ("link LINK really", "rabo", "abo"),
    ("unlink", "", ""),
    // Only in a private chat.
    ("me", "", ""),
    ("me link", "", ""),
    ("mirror", "nprabo", "nprabo"),
    ("mirror on", "rabo", "nprabo"),
    ("erase #PUBLIC", "abo", "abo"),
    ("erase older 1", "abo", "abo"),
    ("forget me really", "nprabo", "nprabo"),
    ("ignore", "abo", "abo"),
    ("ignore Dora", "abo", "abo"),
    ("unignore *!*@*.spam.example", "abo", "abo"),
];

/// A table with something of every kind. All of it belongs to Dora or the admin.
struct Fixture {
    table: Seated,
    public: u64,
    secret: u64,
    given: u64,
    word: String,
    link: String,
}

fn fixture(gus: &Person, named: bool) -> Fixture {
    let owners = BTreeSet::from([Person::account("Olga").player().clone()]);
    let mut table = Seated::with(games, Settings { owners, ..Settings::default() });
    let (dora, cem) = (Person::account("Dora"), Person::account("Cem").admin());
    for person in [&dora, &cem, gus] {
        table.comes(person);
    }
    let entry = |came: Came| came.entry().unwrap_or_else(|| panic!("{}", came.all()));
    entry(table.say(&dora, "!iam Hero"));
    let public = entry(table.say(&dora, "!act d8 d10"));
    let secret = entry(table.say(&dora, "!secret roll d20"));
    entry(table.say(&dora, "!seal I leap"));
    let given = entry(table.say(&cem, "!room inline on"));
    entry(table.say(&cem, "!ignore *!*@*.spam.example"));
    let rest = vec![chat::Block::Line(vec![chat::Span::Text("the rest".to_owned())])];
    table.play(&Event::Rest { room: hall(), to: chat::Recipient::Room, blocks: rest });
    if named {
        entry(table.say(&cem, "!gm add Gus"));
    }
    let mut elsewhere = |line: &str| {
        let mut message = table.message(&cem, line);
        message.room = RoomId::new(NETWORK, "den");
        Came { id: message.id.clone(), heard: table.play(&Event::Said(message)) }
    };
    entry(elsewhere("!roll d6"));
    let mut word = |line: &str, before: &str| {
        let told = elsewhere(line).all();
        told.split(before).nth(1).and_then(|rest| rest.split_whitespace().next()).expect("a word").to_owned()
    };
    let (word, link) = (word("!export move", "!import "), word("!link", "!link "));
    Fixture { public, secret, given, word, link, table }
}

fn role(letter: char) -> Person {
    match letter {
        'n' => Person::nick("Nick"),
        'p' => Person::account("Ann"),
        'r' => Person::account("Gus"),
        'a' => Person::account("Ada").admin(),
        'b' => Person::nick("Op").admin(),
        'o' => Person::account("Olga"),
        _ => Person::account("Xeno"),
    }
}

fn tried(letter: char, line: &str, named: bool) -> Came {
    let Fixture { mut table, public, secret, given, word, link } = fixture(&role('r'), named);
    let who = role(letter);
    let line = line.replace("#PUBLIC", &format!("#{public}")).replace("#SECRET", &format!("#{secret}"));
    let line = line.replace("#GIVEN", &format!("#{given}")).replace("WORD", &word).replace("LINK", &link);
    if letter == 'x' {
        return table.aside(&who, &format!("in hall {line}"));
    }
    table.comes(&who);
    let mut message = table.message(&who, &format!("!{line}"));
    if line.starts_with("erase older") {
        message.sent += SignedDuration::from_hours(48);
    }
    Came { id: message.id.clone(), heard: table.play(&Event::Said(message)) }
}

#[test]
fn every_command_is_open_to_the_right_people_and_to_nobody_else() {
    let mut wrong = Vec::new();
    for (line, named, unnamed) in LINES {
        for (referee, allowed) in [(true, named), (false, unnamed)] {
            for letter in "nprabox".chars() {
                let came = tried(letter, line, referee);
                if came.ok() != allowed.contains(letter) {
                    wrong.push(format!("{letter} {line} (a referee: {referee}): {}", came.all()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_command_is_left_out() {
    let tried: BTreeSet<&str> = LINES.iter().filter_map(|(line, ..)| line.split_whitespace().next()).collect();
    let there: Vec<String> = house::commands().into_iter().map(|command| command.name).collect();
    let missing: Vec<_> = there.iter().filter(|name| !tried.contains(name.as_str())).collect();
    assert!(missing.is_empty(), "no line of the table has {missing:?}");
}
