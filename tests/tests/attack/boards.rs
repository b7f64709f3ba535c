//! What the bot says without being asked: who is waited for, and the board of a room. It says it once, in time, and
//! nothing that somebody may not know.

use crate::attack::seated::{Person, Seated, games, text};
use chat::What;
use jiff::SignedDuration;
use plugin_api::Plugin;
use table::Outgoing;

fn all() -> Vec<Box<dyn Plugin>> {
    let tools = ::games::all().into_iter().filter(|plugin| plugin.manifest().id == "turns");
    games().into_iter().chain(tools).collect()
}

/// What was said of itself once so many hours have passed.
fn after(table: &mut Seated, hours: i64, person: &Person) -> String {
    table.pass(SignedDuration::from_hours(hours));
    table.say(person, "nothing in particular").all()
}

/// The boards that were posted once so many minutes have passed.
fn boards(table: &mut Seated, minutes: i64, person: &Person) -> Vec<Outgoing> {
    table.pass(SignedDuration::from_mins(minutes));
    let heard = table.say(person, "nothing in particular").heard;
    heard.posts.into_iter().filter(|outgoing| outgoing.post.board).collect()
}

/// Ann and Bob play, Gus is the referee.
fn table() -> (Seated, [Person; 3]) {
    let mut table = Seated::new(all);
    let people = [Person::account("Ann"), Person::account("Bob"), Person::account("Gus").admin()];
    for person in &people {
        table.comes(person);
        assert!(table.say(person, "!join").ok());
    }
    assert!(table.say(&people[2], "!gm me").ok());
    (table, people)
}

#[test]
fn whoever_is_waited_for_is_called_once_whatever_happens() {
    let (mut table, [ann, bob, gus]) = table();
    assert!(!table.say(&bob, "!nudge 1h").ok(), "that is the referee's");
    assert!(table.say(&gus, "!nudge 24h").ok());
    assert!(table.say(&ann, "!act d8 d10 vs Bob").ok());
    assert_eq!(after(&mut table, 23, &ann), "");
    table.restart();
    let called = after(&mut table, 2, &ann);
    assert!(called.contains("Still waited for") && called.contains("Bob on #"), "{called}");
    assert_eq!(called.matches("Bob").count(), 1, "{called}");
    table.restart();
    assert_eq!(after(&mut table, 50, &ann), "", "once");
    // Neither answering and taking that back, nor another time, calls him again for the same.
    assert!(table.say(&bob, "!counter d6").ok());
    assert!(table.say(&bob, "!undo").ok());
    assert!(table.say(&gus, "!nudge 12h").ok());
    assert_eq!(after(&mut table, 50, &ann), "");
    // Another attack does.
    assert!(table.say(&ann, "!act d8 d10 vs Bob").ok());
    assert!(after(&mut table, 13, &ann).contains("Bob on #"));
    // Nobody is called once it is off, and again after that was undone.
    assert!(table.say(&ann, "!act d8 d10 vs Bob").ok());
    assert!(table.say(&gus, "!nudge off").ok());
    assert_eq!(after(&mut table, 13, &ann), "");
    let called = table.say(&gus, "!undo").all();
    assert_eq!(called.matches("Bob on #").count(), 1, "{called}");
    assert_eq!(after(&mut table, 50, &ann), "");
}

#[test]
fn nobody_is_called_while_away_or_while_it_is_quiet() {
    let (mut table, [ann, bob, gus]) = table();
    assert!(table.say(&gus, "!nudge 2h").ok());
    assert!(table.say(&ann, "!act d8 d10 vs Bob").ok());
    assert!(table.say(&bob, "!away 5h").ok());
    let now = table.say(&ann, "!now").all();
    assert!(now.contains("Bob (away until"), "{now}");
    assert_eq!(after(&mut table, 4, &ann), "");
    assert!(after(&mut table, 2, &ann).contains("Bob on #"), "he is back, and has been waited for long enough");
    // It is quiet for the next ten hours.
    let hour = |table: &mut Seated| {
        let message = table.message(&ann, "x");
        message.sent.strftime("%H").to_string().parse::<i64>().unwrap()
    };
    let from = hour(&mut table);
    assert!(table.say(&gus, &format!("!room quiet {from}-{}", (from + 10) % 24)).ok());
    assert!(table.say(&ann, "!act d8 d10 vs Bob").ok());
    assert_eq!(after(&mut table, 3, &ann), "");
    table.restart();
    assert_eq!(after(&mut table, 6, &ann), "");
    assert!(after(&mut table, 2, &ann).contains("Bob on #"));
    // Nobody is away for somebody else, or where nobody reads it.
    assert!(table.say(&bob, "!away 1d").ok());
    assert!(!table.say(&ann, "!back").ok(), "she never was");
    assert!(table.say(&bob, "!back").ok());
    assert!(!table.say(&bob, "!back").ok());
}

#[test]
fn what_is_asked_in_secret_is_not_called_out_and_on_no_board() {
    let (mut table, [ann, bob, gus]) = table();
    assert!(table.say(&gus, "!nudge 1h").ok());
    assert!(table.say(&gus, "!board on").ok());
    assert!(table.say(&gus, "!secret act d8 d10 vs Bob").ok());
    assert!(table.aside(&ann, "in hall remind 1d I poison the well").ok());
    assert!(table.say(&gus, "!as Ogre set hp 30/30").ok());
    assert!(table.say(&ann, "!set hp 33/40").ok());
    assert!(table.say(&bob, "!remind 2d the word is swordfish").ok());
    let boards = boards(&mut table, 90, &ann);
    assert_eq!(boards.len(), 1);
    let board = text(&boards[0].post);
    assert!(board.contains("Ann: hp 33/40"), "{board}");
    for hidden in ["Ogre", "poison", "swordfish", "Bob on", "30"] {
        assert!(!board.contains(hidden), "{hidden}: {board}");
    }
}

#[test]
fn a_board_is_one_message_that_changes_at_most_once_a_minute() {
    let (mut table, [ann, bob, gus]) = table();
    assert!(!table.say(&bob, "!board on").ok(), "that is for those who run the table or the room");
    assert!(table.say(&gus, "!board on").ok());
    let first = boards(&mut table, 1, &ann);
    assert_eq!((first.len(), &first[0].post.what), (1, &What::Say));
    let key = first[0].post.key.clone();
    // What it does not show does not change it.
    assert!(table.say(&ann, "!roll d6").ok());
    assert!(boards(&mut table, 5, &ann).is_empty());
    // Several changes are one, and the next ones wait.
    assert!(table.say(&ann, "!set hp 33/40").ok());
    assert!(table.say(&ann, "!hp -1").ok());
    let next = boards(&mut table, 1, &ann);
    assert_eq!(next.len(), 1);
    assert!(text(&next[0].post).contains("hp 32/40"), "{}", text(&next[0].post));
    assert_eq!(next[0].post.corrects().map(|earlier| earlier.key.clone()), Some(key.clone()));
    assert!(table.say(&ann, "!hp -1").ok());
    assert!(boards(&mut table, 0, &ann).is_empty(), "within the minute");
    table.restart();
    let next = boards(&mut table, 2, &ann);
    assert_eq!(next.len(), 1);
    assert_eq!(next[0].post.corrects().map(|earlier| earlier.key.clone()), Some(key.clone()));
    // It is taken back once, and undoing that makes another.
    let off = table.say(&gus, "!board off");
    let gone: Vec<_> = off.heard.posts.iter().filter(|outgoing| outgoing.post.board).collect();
    assert_eq!(gone.len(), 1);
    assert_eq!(gone[0].post.withdraws().map(|earlier| earlier.key.clone()), Some(key.clone()));
    assert!(table.say(&ann, "!hp -1").ok());
    assert!(boards(&mut table, 5, &ann).is_empty());
    assert!(table.say(&gus, "!undo").ok());
    let again = boards(&mut table, 5, &ann);
    assert_eq!((again.len(), &again[0].post.what), (1, &What::Say));
    assert_ne!(again[0].post.key, key);
    // So does asking for another one.
    let on = table.say(&gus, "!board on");
    let gone = on.heard.posts.iter().filter_map(|outgoing| outgoing.post.withdraws()).count();
    assert_eq!(gone, 1);
}

#[test]
fn what_somebody_may_do_goes_with_their_next_roll_and_comes_back_with_its_undo() {
    let (mut table, [ann, bob, gus]) = table();
    let may = |table: &mut Seated| table.say(&bob, "!now").all().contains("Ann may still choose");
    assert!(table.say(&gus, "!scene The ford").ok());
    let offers = |table: &mut Seated| {
        for _ in 0..200 {
            let came = table.say(&ann, "!act d12 d12 d12 vs 1");
            if came.all().contains("!1") {
                return;
            }
        }
        panic!("no roll offered anything");
    };
    offers(&mut table);
    assert!(may(&mut table));
    assert!(table.say(&ann, "!roll d20").ok());
    assert!(!may(&mut table));
    assert!(table.say(&ann, "!undo").ok());
    assert!(may(&mut table));
    assert!(table.say(&gus, "!scene end").ok());
    assert!(!may(&mut table));
    assert!(table.say(&gus, "!undo").ok());
    assert!(may(&mut table));
    assert!(table.say(&gus, "!scene The mill").ok());
    assert!(!may(&mut table));
}

#[test]
fn a_board_that_may_have_forgotten_what_it_showed_is_shown_again() {
    let (mut table, [ann, _, gus]) = table();
    let number = table.say(&ann, "!roll d6 # my street").entry().expect("an entry");
    assert!(table.say(&gus, "!board on").ok());
    assert_eq!(boards(&mut table, 1, &ann).len(), 1);
    assert_eq!(boards(&mut table, 5, &ann).len(), 0, "it did not change");
    // If it waits for its network, it forgets everything now.
    assert!(table.say(&ann, &format!("!erase #{number}")).ok());
    let shown = boards(&mut table, 5, &ann);
    assert!(matches!(shown.as_slice(), [shown] if shown.quotes().is_some_and(|quotes| quotes.entries.is_none())));
    assert_eq!(boards(&mut table, 5, &ann).len(), 0);
}
