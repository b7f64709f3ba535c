//! Attacks: what people try who want to know the cards of others, or to make a table too large.

use crate::attack::seated::{Person, Seated, Seating};
use journal::export;
use plugin_api::SavedState;
use std::collections::BTreeSet;

/// A deck of cards that nobody would name by chance.
const DECK: &str =
    "!deck omens: kestrel, moorhen, nightjar, plover, redpoll, siskin, turnstone, whimbrel, yaffle, zitting";

/// A table with these players. Gus may come too, who runs the room.
fn seated(people: &[&str], admins: &[&str]) -> Seated {
    Seating::of(|| vec![cards::plugin()]).people(people).admins(admins).seat()
}

/// The cards in somebody's hand, as they see them.
fn hand(table: &mut Seated, name: &str) -> Vec<String> {
    hand_by(table, name, "!hand")
}

/// The cards that somebody sees with this line.
fn hand_by(table: &mut Seated, name: &str, line: &str) -> Vec<String> {
    let private = table.plays(name, line).private(name);
    let line = private.lines().next().unwrap_or_default();
    let cards = line.split(", ").filter_map(|card| Some(card.rsplit_once(": ")?.1.to_owned()));
    cards.filter(|card| !card.contains("empty")).collect()
}

/// Ann and Bob hold three cards each, at a table with or without a referee.
fn dealt(maker: &str) -> (Seated, Vec<String>) {
    let mut table = seated(&["Ann", "Bob"], if maker == "Gus" { &["Gus"] } else { &[] });
    if maker == "Gus" {
        table.plays("Gus", "!gm me");
    }
    table.plays(maker, DECK);
    table.plays("Ann", "!draw 3");
    table.plays("Bob", "!draw 3");
    let held = hand(&mut table, "Ann");
    assert_eq!(held.len(), 3, "{held:?}");
    (table, held)
}

/// Lines by which Bob might learn what Ann holds.
const PRYING: [&str; 44] = [
    "!hand Ann",
    "!as Ann hand",
    "!secret as Ann hand",
    "!secret hand Ann",
    "!in hall as Ann hand",
    "!as Ann show hand",
    "!as Ann show 1",
    "!as Ann play 1",
    "!as Ann lay all",
    "!as Ann discard all",
    "!as Ann discard 1",
    "!as Ann pass 1 Bob",
    "!as Ann pass all to Bob",
    "!as Ann draw",
    "!why #3",
    "!secret why #3",
    "!reveal #3",
    "!secret reveal #3",
    "!undo #3",
    "!secret undo #3",
    "!as Ann undo",
    "!why",
    "!secret why",
    "!history",
    "!secret history",
    "!recap",
    "!now",
    "!waiting Ann",
    "!deck",
    "!deck omens",
    "!shuffle all",
    "!deck remove omens",
    "!deal 1 to Ann",
    "!odds draw",
    "!odds draw open",
    "!odds show all",
    "!odds estimate draw",
    "!cursed all",
    "!sheet Ann",
    "!undo #2",
    "!undo #1",
    "!export text",
    "!secret why #1",
    "!secret why #2",
];

#[test]
fn nobody_learns_what_another_holds_with_or_without_a_referee() {
    for maker in ["Ann", "Gus"] {
        let (mut table, held) = dealt(maker);
        for line in PRYING {
            let read = table.say("Bob", line).read_by("Bob");
            // The list of the deck is public, and names every card.
            let read = read.replace(DECK, "").replace(
                "made of kestrel, moorhen, nightjar, plover, redpoll, siskin, turnstone, whimbrel, yaffle, zitting",
                "",
            );
            let read: String = read.lines().filter(|line| !line.contains("kestrel, moorhen")).collect();
            for card in &held {
                assert!(!read.contains(card.as_str()), "{line} tells of {card}: {read}");
            }
        }
        assert_eq!(hand(&mut table, "Ann"), held, "nothing was taken from it");
    }
}

#[test]
fn a_referee_may_look_and_only_in_private() {
    let (mut table, held) = dealt("Gus");
    assert_eq!(hand_by(&mut table, "Gus", "!hand Ann"), held);
    let public = table.say("Gus", "!hand Ann").read_by_all();
    assert!(held.iter().all(|card| !public.contains(card.as_str())), "{public}");
    assert_eq!(hand_by(&mut table, "Gus", "!as Ann hand"), held);
}

#[test]
fn a_public_file_tells_neither_a_card_in_a_hand_nor_a_die_that_chose_it() {
    let (mut table, _) = dealt("Gus");
    table.plays("Gus", "!deal 1 to Ann");
    table.plays("Ann", "!pass 1 to Bob");
    table.plays("Bob", "!draw open");
    table.plays("Ann", "!play 2");
    for line in ["!undo", "!redo"] {
        table.plays("Ann", line);
    }
    let file = table.plays("Bob", "!export").read_by_all();
    let at = file.find("{\"astragal_export\"").expect("a file");
    let file = &file[at..];
    let file = &file[..file.rfind('}').expect("JSON") + 1];
    // Salts are rolled with dice of this size, and places of cards in hands have this path.
    assert!(!file.contains("1073741824") && !file.contains("/hands/"), "{file}");
    // Hidden draws are there, without what is in them, and the open one with its die.
    assert!(file.contains("\"secret\":true") && file.contains("\"withheld\""), "{file}");
    let lines = file.lines().filter(|line| line.starts_with('{')).collect::<Vec<_>>().join("\n") + "\n";
    let found = export::verify(&mut lines.as_bytes(), |_| {}).expect("it verifies").verifier;
    assert!(found.secret >= 3 && found.partly >= 2, "{} secret, {} partly", found.secret, found.partly);
}

#[test]
fn what_is_in_the_way_of_an_undo_does_not_tell_which_card_it_was() {
    // Ann gives Bob a card, and Bob gives Cem either that one or another, and then one more.
    let refused = |first: &str, second: &str| {
        let mut table = seated(&["Ann", "Bob", "Cem"], &[]);
        table.plays("Ann", DECK);
        table.plays("Cem", "!draw");
        table.plays("Bob", "!draw 2");
        table.plays("Ann", "!draw");
        table.plays("Ann", "!pass 1 to Bob");
        table.plays("Bob", &format!("!pass {first} to Cem"));
        table.plays("Bob", &format!("!pass {second} to Cem"));
        let came = table.say("Ann", "!undo #5");
        assert!(!came.ok());
        came.read_by("Ann")
    };
    assert_eq!(refused("3", "1"), refused("1", "2"));
    assert_eq!(refused("3", "1"), refused("1", "3"));
}

#[test]
fn nobody_can_try_whether_somebody_drew_a_card_that_went_back() {
    let mut answers = BTreeSet::new();
    for round in 0..12 {
        let mut table = seated(&["Ann", "Bob"], &[]);
        (0..round).for_each(|_| drop(table.say("Ann", "!deck")));
        table.plays("Ann", "!deck sky: sun, moon");
        table.plays("Ann", "!draw");
        let seen = hand(&mut table, "Ann");
        table.plays("Ann", "!undo");
        table.plays("Bob", "!draw");
        let same = hand(&mut table, "Bob") == seen;
        answers.insert((same, table.say("Ann", "!redo").read_by("Ann")));
    }
    let told: BTreeSet<&String> = answers.iter().map(|(_, told)| told).collect();
    assert!(answers.len() == 2 && told.len() == 1, "both cases came up, with one answer: {answers:?}");
}

#[test]
fn nothing_is_drawn_that_its_player_cannot_be_told() {
    let mut table = seated(&["Ann", "Bob"], &[]);
    table.plays("Ann", DECK);
    let mut bob = Person::account("Bob");
    bob.0.reachable = false;
    let came = table.say(&bob, "!draw 2");
    assert!(!came.read_by("Bob").contains("draws"), "{}", came.read_by("Bob"));
    assert!(hand(&mut table, "Bob").is_empty());
    assert!(table.say(&bob, "!draw open").ok(), "this concerns everybody");
}

#[test]
fn a_table_full_of_cards_can_still_be_kept() {
    let mut table = seated(&["Ann"], &["Gus"]);
    table.plays("Gus", "!gm me");
    for deck in ["a", "b"] {
        table.plays("Gus", &format!("!deck {deck}{}: 200x {}", deck.repeat(19), "Ж".repeat(40)));
    }
    table.plays("Gus", "!deck tarot");
    assert!(!table.say("Gus", "!deck c: 23x crow").ok(), "500 cards are the most");
    table.plays("Gus", "!deck c: 22x crow");
    let decks = [("a".repeat(20), 200), ("b".repeat(20), 200), ("tarot".to_owned(), 78), ("c".to_owned(), 22)];
    let mut drawn = 0;
    for (deck, size) in decks {
        for at in 0..size {
            let who = (drawn + at) / 50;
            let count = if size - at >= 10 && at % 10 == 0 {
                10
            } else if at % 10 == 0 {
                size - at
            } else {
                continue;
            };
            let came = table.say("Gus", &format!("!as Goon{who} draw {count} from {deck}"));
            if !came.ok() {
                table.plays("Gus", &format!("!as Goon{} draw {count} from {deck}", who + 20));
            }
        }
        drawn += size;
    }
    let shown = table.plays("Ann", "!deck").public();
    assert!(
        shown.contains("0 left of 200") && shown.contains("0 left of 78") && shown.contains("0 left of 22"),
        "{shown}"
    );
    assert!(!table.say("Ann", "!draw from c").ok());
}

/// Whatever people do and undo, each card of the deck is in one place, and none is lost.
#[test]
fn no_card_is_ever_lost_or_in_two_places() {
    let mut table = seated(&["Ann", "Bob"], &["Gus"]);
    table.plays("Gus", "!gm me");
    table.plays("Gus", "!deck poker jokers");
    let lines = [
        "!draw",
        "!draw 2",
        "!draw open",
        "!play 1",
        "!play 2",
        "!discard 1 2",
        "!pass 1 to Bob",
        "!pass 2 to Ann",
        "!undo",
        "!undo",
        "!redo",
        "!shuffle",
        "!draw 3",
        "!deal 1",
        "!shuffle all",
        "!discard all",
    ];
    let (mut random, mut played) = (7_u32, 0);
    for _ in 0..400 {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let [who, line] = [random >> 8, random >> 16].map(|random| random as usize);
        let who = ["Ann", "Bob", "Gus"][who % 3];
        played += u32::from(table.say(who, lines[line % lines.len()]).ok());
        let mut all: Vec<String> = ["Ann", "Bob", "Gus"].iter().flat_map(|who| hand(&mut table, who)).collect();
        let deck = table.plays("Ann", "!deck poker").public();
        let number = |words: &str| {
            let before = deck.split(words).next().unwrap_or_default();
            before.rsplit([' ', ':']).find(|word| !word.is_empty()).and_then(|word| word.parse::<usize>().ok())
        };
        let (left, laid) =
            (number(" left of").expect("a number"), deck.contains("discarded").then(|| number(" discarded")));
        assert_eq!(left + laid.flatten().unwrap_or_default() + all.len(), 54, "{deck}");
        let count = all.len();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), count, "a card is in two hands");
    }
    assert!(played > 150, "only {played} lines were played");
}

/// A stored state that was tampered with, or that a later version wrote, panics nowhere.
#[test]
fn a_state_with_cards_of_no_deck_is_read_and_played_on() {
    let state =
        r#"{"version":1,"state":{"decks":{},"hands":{"gone.3":"1.1.2.3","gone.4294967295":"1.2.2.3"},"moves":{}}}"#;
    let saved: SavedState = serde_json::from_str(state).expect("it reads");
    let plugin = cards::plugin();
    assert!(plugin.held(&saved).is_ok());
    for wrong in [r#"{"decks":{},"hands":{"omens":"1.1.2.3"}}"#, r#"{"decks":{},"hands":{"omens.1":"1.1.2"}}"#] {
        let saved = SavedState { version: 1, state: serde_json::from_str(wrong).expect("JSON") };
        assert!(plugin.held(&saved).is_err(), "{wrong}");
    }
}
