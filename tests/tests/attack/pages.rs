//! Links to the pages of tables: whom each shows what, and when it ends.

use crate::attack::seated::{self, Person, Seated, Seating, link_in};
use house::view::{Ask, Reader, Says};
use journal::keys;

/// Ann and Bob play, and Gus is the referee.
fn table() -> (Seated, [Person; 3]) {
    let mut table = Seated::new(seated::games);
    let people = [Person::account("Ann"), Person::account("Bob"), Person::account("Gus").admin()];
    people.iter().for_each(|person| table.comes(person));
    let [ann, bob, gus] = &people;
    for (who, line) in [
        (gus, "!gm me"),
        (gus, "!pc Ogre"),
        (gus, "!set Ogre hp 181/200; claw 7"),
        (ann, "!set hp 33/40"),
        (bob, "!roll 3d6"),
        (ann, "!secret roll 4d1+40 # behind the curtain"),
        (bob, "!secret note the map is a forgery"),
    ] {
        assert!(table.say(who, line).ok(), "{line}");
    }
    (table, people)
}

#[test]
fn a_page_shows_each_reader_what_the_commands_would_tell_them() {
    let (mut table, [ann, bob, gus]) = table();
    let links = [(&ann, "!page"), (&bob, "!page"), (&gus, "!page"), (&gus, "!page everyone")];
    let seen = links.map(|(who, line)| {
        let link = table.link(who, line);
        table.all_seen(&link)
    });
    // What is in it, and whether Ann, Bob, Gus and everyone see it.
    for (what, who) in [
        ("33/40", [true, true, true, true]),
        ("curtain", [true, false, true, false]),
        ("\"44", [true, false, true, false]),
        ("forgery", [false, true, false, false]),
        ("181/200", [false, false, true, false]),
    ] {
        assert_eq!(seen.each_ref().map(|seen| seen.contains(what)), who, "{what}");
    }
}

#[test]
fn nobody_gets_a_page_of_their_own_by_a_name_that_anyone_may_take() {
    let (mut table, [_, _, gus]) = table();
    let mia = Person::nick("Mia");
    table.comes(&mia);
    assert!(table.say(&mia, "!roll d6").ok());
    let came = table.say(&mia, "!page");
    assert!(!came.ok() && came.public().contains("bare nick") && !came.all().contains("/t/"), "{}", came.all());
    // Nor by a link that others make of it.
    let everyone = table.link(&gus, "!page everyone");
    assert_eq!(table.sees(&everyone, &Ask::Now).unwrap().reader, Reader::Anyone);
}

#[test]
fn a_link_is_told_only_to_whom_it_is_for_and_is_in_no_entry() {
    let (mut table, [ann, bob, gus]) = table();
    let came = table.say(&ann, "!page");
    let link = link_in(&came.private(&ann));
    assert!(came.entry().is_none() && !came.public().contains(&link) && !came.private(&gus).contains(&link));
    // Asked again, it is the same.
    assert_eq!(table.link(&ann, "!page"), link);
    for line in ["!macro mine page\n!mine", "!secret page", "!as Ann page"] {
        let came = table.say(&bob, line);
        assert!(!came.all().contains(&link), "{line}: {}", came.all());
    }
    assert!(table.say(&ann, "!page new").ok());
    let next = table.link(&ann, "!page");
    let export = table.say(&gus, "!export").files().join("\n");
    let kept: String = (1..=9).map(|number| format!("{:?}", table.page(number))).collect();
    for link in [link, next] {
        let secret = &link[22..];
        assert!(!export.contains(secret) && !kept.contains(secret));
    }
}

#[test]
fn each_link_ends_when_it_should_and_no_other_with_it() {
    let (mut table, [ann, bob, gus]) = table();
    let (ann_s, bob_s, gus_s) = (table.link(&ann, "!page"), table.link(&bob, "!page"), table.link(&gus, "!page"));
    let all = table.link(&gus, "!page everyone");
    let good = |table: &Seated, links: [&str; 4]| links.map(|link| table.sees(link, &Ask::Now).is_some());
    let links = [&*ann_s, &*bob_s, &*gus_s, &*all];
    assert_eq!(good(&table, links), [true; 4]);
    assert!(table.say(&ann, "!page new").ok());
    assert_eq!(good(&table, links), [false, true, true, true]);
    let ann_s = table.link(&ann, "!page");
    let links = [&*ann_s, &*bob_s, &*gus_s, &*all];
    assert!(table.say(&bob, "!leave").ok());
    assert_eq!(good(&table, links), [true, false, true, true]);
    assert!(table.say(&bob, "!join").ok());
    assert_eq!(good(&table, links), [true, true, true, true]);
    // Only a referee may do what is about everyone.
    for line in ["!page new all", "!page off", "!page everyone"] {
        assert!(!table.say(&ann, line).ok(), "{line}");
    }
    assert!(table.say(&gus, "!page off").ok());
    assert_eq!(good(&table, links), [false; 4]);
    assert!(!table.say(&ann, "!page").ok());
    assert!(table.say(&gus, "!page on").ok());
    assert_eq!(good(&table, links), [true; 4]);
    assert!(table.say(&gus, "!page new").ok());
    assert_eq!(good(&table, links), [true, true, false, false]);
    let gus_s = table.link(&gus, "!page");
    assert!(table.say(&gus, "!gm remove Gus").ok());
    assert!(table.sees(&gus_s, &Ask::Now).is_none());
    assert!(table.say(&gus, "!gm me").ok());
    assert!(table.say(&gus, "!page new all").ok());
    assert_eq!(good(&table, [&ann_s, &bob_s, &gus_s, &all]), [false; 4]);
}

#[test]
fn no_link_lives_again_in_a_restored_backup() {
    let (mut table, [ann, ..]) = table();
    let link = table.link(&ann, "!page");
    assert!(table.sees(&link, &Ask::Now).is_some());
    table.put_away();
    table.write(keys::RESTORED_KEY, &"2026-11-29T12:00:00Z");
    table.restart();
    assert!(table.sees(&link, &Ask::Now).is_none());
    assert_ne!(table.link(&ann, "!page"), link);
}

#[test]
fn a_link_that_is_none_leads_nowhere() {
    let (mut table, [ann, ..]) = table();
    let link = table.link(&ann, "!page");
    let mut others: Vec<String> = (0..link.len()).map(|at| altered(&link, at)).collect();
    others.extend([String::new(), link[1..].to_owned(), format!("{link}A"), format!("{link}="), "..".to_owned()]);
    for other in others {
        assert!(table.sees(&other, &Ask::Now).is_none(), "{other}");
    }
}

/// The link with another letter there that stands for other bytes.
fn altered(link: &str, at: usize) -> String {
    let other = if &link[at..=at] == "A" { "Q" } else { "A" };
    format!("{}{other}{}", &link[..at], &link[at + 1..])
}

#[test]
fn what_is_erased_or_undone_is_so_on_the_page() {
    let (mut table, [ann, bob, gus]) = table();
    let everyone = table.link(&gus, "!page everyone");
    let said = table.say(&bob, "!roll d6 # my real name is Robert").entry().unwrap();
    assert!(table.all_seen(&everyone).contains("Robert"));
    assert!(table.say(&bob, &format!("!erase #{said}")).ok());
    assert!(!table.all_seen(&everyone).contains("Robert"));
    let entry = table.sees(&everyone, &Ask::Entry(said)).unwrap().entries.remove(0);
    assert!(matches!(entry.says, Says::Erased(_)) && entry.dice.len() == 1);
    let taken = table.say(&ann, "!roll d20").entry().unwrap();
    assert!(table.say(&ann, "!undo").ok());
    assert!(table.sees(&everyone, &Ask::Entry(taken)).unwrap().entries[0].is_void);
    // A secret that is revealed is everybody's.
    let secret = table.say(&ann, "!secret roll 5d1+50").entry().unwrap();
    let told = |table: &Seated| {
        matches!(table.sees(&everyone, &Ask::Entry(secret)).unwrap().entries[0].says, Says::Told { .. })
    };
    assert!(!told(&table));
    assert!(table.say(&ann, &format!("!reveal #{secret}")).ok());
    assert!(told(&table));
}

#[test]
fn a_search_finds_what_the_reader_may_read_and_goes_on_where_it_ended() {
    let (mut table, [ann, bob, gus]) = table();
    let (own, everyone) = (table.link(&ann, "!page"), table.link(&gus, "!page everyone"));
    for _ in 0..30 {
        assert!(table.say(&bob, "!roll 2d6").ok());
    }
    let search = |words: &str, before| Ask::Search { words: words.to_owned(), before };
    let found = |link: &str, ask: &Ask| {
        let view = table.sees(link, ask).unwrap();
        (view.entries.iter().map(|entry| entry.number).collect::<Vec<_>>(), view.older)
    };
    assert_eq!(found(&own, &search("CURTAIN", None)).0.len(), 1);
    assert!(found(&everyone, &search("curtain", None)).0.is_empty());
    assert_eq!(found(&everyone, &search("#3", None)).0, [3]);
    let (first, older) = found(&everyone, &search("bob", None));
    let (second, end) = found(&everyone, &search("bob", older));
    assert_eq!((first.len(), second.len(), end), (25, 7, None));
    assert!(second.iter().all(|number| *number < first[24]));
}

#[test]
fn what_a_page_says_to_type_is_played() {
    let mut table = Seating::of(games::all).without("spheres").seat();
    let (ann, gus) = (Person::account("Ann"), Person::account("Gus").admin());
    [&ann, &gus].into_iter().for_each(|person| table.comes(person));
    for (who, line) in
        [(&gus, "!gm me"), (&ann, "!turns init 12"), (&gus, "!turns next"), (&gus, "!as Ogre mvk act d8 d10 vs Ann")]
    {
        table.plays(who, line);
    }
    let link = table.link(&ann, "!page");
    let scene = table.sees(&link, &Ask::Now).unwrap().scenes.remove(0);
    let mine: Vec<String> = scene
        .open
        .iter()
        .filter(|open| open.mine)
        .flat_map(|open| &open.choices)
        .map(|choice| choice.command.clone())
        .collect();
    assert_eq!(mine, ["counter", "done"]);
    for command in mine {
        let dice = if command == "counter" { " d8 d6" } else { "" };
        let came = table.say(&ann, &format!("!{command}{dice}"));
        assert!(came.ok(), "{command}: {}", came.all());
    }
}

#[test]
fn what_ends_links_is_not_undone_in_name_only() {
    let (mut table, [ann, _, gus]) = table();
    let link = table.link(&ann, "!page");
    let off = table.say(&gus, "!page off").entry().unwrap();
    let came = table.say(&gus, &format!("!undo #{off}"));
    assert!(!came.ok() && came.public().contains("changed nothing that undo brings back"), "{}", came.all());
    // Without a number it is about what was done before.
    let came = table.say(&gus, "!undo");
    assert!(came.all().contains(" is undone") && !came.all().contains("page"), "{}", came.all());
    assert!(table.sees(&link, &Ask::Now).is_none());
}

#[test]
fn a_search_for_a_name_goes_on_along_its_entries_whatever_number_it_is_given() {
    let (mut table, [_, bob, gus]) = table();
    let everyone = table.link(&gus, "!page everyone");
    for _ in 0..30 {
        assert!(table.say(&bob, "!roll 2d6").ok());
    }
    let newest = table.sees(&everyone, &Ask::Now).unwrap().proof.newest;
    for before in (0..=newest + 2).chain([u64::MAX]) {
        let ask = Ask::Search { words: "Bob".to_owned(), before: Some(before) };
        let view = table.sees(&everyone, &ask).unwrap();
        let found: Vec<u64> = view.entries.iter().map(|entry| entry.number).collect();
        assert!(found.iter().all(|number| *number < before) && found.is_sorted_by(|a, b| a > b), "{before}: {found:?}");
        assert!(view.entries.iter().all(|entry| entry.who == "Bob"), "{before}");
        assert_eq!(found.is_empty(), before <= 5, "{before}: {found:?}");
    }
}

#[test]
fn a_roll_in_a_channel_has_the_link_for_everyone_and_nothing_else_has_one() {
    let (mut table, [ann, bob, gus]) = table();
    assert!(table.say(&gus, "!room links on").ok());
    assert!(table.say(&ann, "!roll d6").pages().is_empty(), "nobody has asked for a page yet");
    let everyone = table.link(&gus, "!page everyone");
    let came = table.say(&ann, "!roll d6");
    let [page] = came.pages()[..] else { panic!("{:?}", came.pages()) };
    assert!(page.ends_with(&format!("/t/{everyone}/e/{}", came.entry().expect("a roll"))), "{page}");
    for line in ["!secret roll d6", "!hp -1", "!history", "!page", "!roll", "!note it rains"] {
        assert!(table.say(&bob, line).pages().is_empty(), "{line}");
    }
    assert!(table.aside(&bob, "!roll d6").pages().is_empty());
    // It is in no entry and in nothing that is shown later, and ends with the page.
    assert!(!table.say(&ann, "!more").all().contains(&everyone));
    assert!(table.say(&gus, "!page off").ok());
    assert!(table.say(&ann, "!roll d6").pages().is_empty());
}
