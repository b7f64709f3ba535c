//! Whatever is played, a page tells each reader of an entry what the chat tells them, and no more.

use crate::attack::seated::{self, Person, Seated};
use house::view::{Ask, Says};
use proptest::prelude::{ProptestConfig, Strategy, prop};
use proptest::sample::select;
use proptest::{prop_assert, prop_assert_eq, proptest};
use std::collections::BTreeMap;

/// Lines that are played or refused, depending on those before them. `{}` is a word that no other line has, `{n}` an entry.
const LINES: &[&str] = &[
    "roll 2d6 # {}",
    "secret roll 2d6 # {}",
    "as Ogre roll d20+claw # {}",
    "as Ogre secret roll d20 # {}",
    "act d8 d10 # {}",
    "secret act d8 # {}",
    "note {}",
    "secret note {}",
    "tell Bob {}",
    "scene {}",
    "set hp 5/9",
    "as Ogre hp -3",
    "deck poker",
    "draw 2",
    "play 1",
    "discard all",
    "init 12",
    "next",
    "macro {} roll d6",
    "erase #{n}",
    "reveal #{n}",
    "undo",
    "undo #{n}",
    "redo",
    "split here",
    "page new",
    "3d6",
];

/// Who plays, and the line.
fn line() -> impl Strategy<Value = (usize, &'static str, u64)> {
    (0..3_usize, select(LINES), 1..15_u64)
}

/// The table with its people, Gus the referee of a hidden Ogre.
fn table() -> (Seated, [Person; 3]) {
    let mut table = Seated::new(seated::games);
    let people = [Person::account("Ann"), Person::account("Bob"), Person::account("Gus").admin()];
    people.iter().for_each(|person| table.comes(person));
    for who in &people[..2] {
        table.say(who, "!set hp 9/9");
    }
    for line in ["!gm me", "!plugin enable mvk", "!pc Ogre", "!set Ogre hp 181/200; claw 7"] {
        table.say(&people[2], line);
    }
    (table, people)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pages_and_the_chat_tell_each_reader_the_same(lines in prop::collection::vec(line(), 8..40)) {
        let (mut table, people) = table();
        let mut words: BTreeMap<u64, String> = BTreeMap::new();
        for (place, (who, line, number)) in lines.iter().enumerate() {
            let word = format!("zebra{place}x");
            let typed = line.replace("{n}", &number.to_string()).replace("{}", &word);
            let came = table.say(&people[*who], &format!("!{typed}"));
            if let Some(entry) = came.entry().filter(|_| line.contains("{}")) {
                words.insert(entry, word);
            }
        }
        let links: Vec<String> = people.iter().map(|who| table.link(who, "!page")).collect();
        let everyone = table.link(&people[2], "!page everyone");
        let export = table.say(&people[0], "!export").files().join("\n");
        for (entry, word) in &words {
            let mut told = [false; 3];
            for (place, (who, link)) in people.iter().zip(&links).enumerate() {
                let view = table.sees(link, &Ask::Entry(*entry)).expect("the link is good");
                let whole = format!("{view:?}");
                let chat = table.say(who, &format!("!secret why #{entry}")).private(who).contains(word.as_str());
                prop_assert_eq!(whole.contains(word.as_str()), chat, "#{} {} {:?}", entry, word, lines);
                prop_assert!(!matches!(view.entries[0].says, Says::Withheld) || !chat);
                told[place] = chat;
            }
            let view = format!("{:?}", table.sees(&everyone, &Ask::Entry(*entry)).expect("the link is good"));
            let anyone = view.contains(word.as_str());
            // What everybody may read is in the export, and all others of the table read it as well. Of what was erased the
            // changes stay there, such as the name of a scene or a macro.
            let (exported, erased) = (export.contains(word.as_str()), view.contains("text erased in"));
            prop_assert!(anyone == exported || (erased && exported), "#{} {} {:?}", entry, word, lines);
            prop_assert!(!anyone || told == [true; 3], "#{} {} {:?}", entry, word, lines);
        }
    }
}
