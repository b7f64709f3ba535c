//! Nothing grows forever, and no player fills the disk.

use crate::attack::seated::{Came, Person, Seated, Seating, hall, player, table};
use bot::Sweep;
use chat::{Block, CharacterId, Event, Fake, File, Message, Recipient, Span};
use jiff::{SignedDuration, Timestamp};
use journal::documents::{Character, Head, Seat, TableDoc};
use journal::keys;
use journal::store::{Memory, Store};
use serde::de::DeserializeOwned;
use std::sync::Arc;
use table::{Host, OutcomeKind};
use tests::serving::{Make, by_ann};

/// A room where anybody can speak, with limits. Gus runs it.
struct Room(Seated);

impl Room {
    fn new() -> Self {
        Room(Seating::of(|| vec![roll::plugin(), mvk::plugin()]).admins(&["Gus"]).seat())
    }

    /// Messages come slowly enough for the rate limits.
    fn message(&mut self, who: &str, body: &str) -> Message {
        self.0.pass(SignedDuration::from_secs(19));
        Message { unlimited: false, ..self.0.message(who, body) }
    }

    fn say(&mut self, who: &str, body: &str) -> Came {
        let message = self.message(who, body);
        self.0.hears(message)
    }

    /// Seats players up to this number, as if each had rolled.
    fn fill_up_to(&mut self, seats: u32) {
        self.0.put_away();
        let mut doc: TableDoc = self.read(&keys::doc(&table()));
        let mut head: Head = self.read(&keys::head(&table()));
        for n in 1..seats {
            let name = format!("guest{n}");
            let player = player(&name);
            let plays = CharacterId(head.next_character);
            head.next_character += 1;
            doc.characters.insert(
                plays,
                Character { name: name.clone(), owner: Some(player.clone()), named: false, was: None, away: None },
            );
            doc.seats.insert(player, Seat { name, plays, away: None });
        }
        self.0.write(&keys::doc(&table()), &doc);
        self.0.write(&keys::head(&table()), &head);
    }

    fn read<T: DeserializeOwned>(&self, key: &str) -> T {
        self.0.read(key).expect("it is there")
    }

    fn keys(&self, prefix: &str) -> Vec<String> {
        self.0.store.dump().into_keys().filter(|key| key.starts_with(prefix)).collect()
    }
}

fn refused(said: &Came, why: &str) -> bool {
    said.refused() && said.reply().contains(why)
}

/// All stored values as one text.
fn stored(store: &dyn Store) -> String {
    let records = journal::store::scan_all(store, "").map(|record| record.expect("a step of the test works"));
    records.map(|(_, value)| String::from_utf8_lossy(&value).into_owned()).collect()
}

/// Text that appears only in export files.
const IN_FILES: &str = "astragal_export";

#[tokio::test]
async fn an_export_file_is_never_stored_and_is_remade_after_a_restart() {
    let store: Arc<Memory> = Arc::default();
    let say = |network: &Fake, id: &str, body: &str| network.happen(Event::Said(by_ann(id, "hall", body)));
    let network = Fake::new("fake");
    let serve = |network: &Arc<Fake>| Make { store: store.clone(), ..Make::default() }.serve(vec![network.clone()]);
    let running = serve(&network);
    say(&network, "1", "!roll 3d6 # the first");
    network.hear().await;
    say(&network, "2", "!secret roll 2d6 # the second");
    network.hear().await;
    network.hear().await;
    say(&network, "3", "!export");
    let said = network.hear().await;
    running.stop().await;
    assert!(!stored(&*store).contains(IN_FILES), "the file is in the store after it was said");

    // This export is requested, but the bot stops before it is said.
    let network = Fake::new("fake");
    network.go_down();
    let running = serve(&network);
    say(&network, "4", "!export");
    while network.kept() == 0 {
        tokio::task::yield_now().await;
    }
    running.stop().await;
    assert!(!stored(&*store).contains(IN_FILES), "the file is in the store while it waits");
    let network = Fake::new("fake");
    let running = serve(&network);
    let again = network.hear().await;
    running.stop().await;
    let file = |files: &[File]| files[0].text.clone();
    assert!(file(&said.files).contains("the first") && !file(&said.files).contains("the second"));
    // Only entries are compared: the first and last line contain the time of the request.
    let entries =
        |text: &str| text.lines().filter(|line| line.contains("\"entry\"")).map(str::to_owned).collect::<Vec<_>>();
    let (before, after) = (entries(&file(&said.files)), entries(&file(&again.files)));
    assert!(!before.is_empty() && before == after, "the same journal");
    journal::export::verify(&mut file(&again.files).as_bytes(), |_| ()).unwrap();
    assert!(journal::store::scan_all(&*store, keys::OUTBOX).next().is_none());
}

#[test]
fn files_have_a_quota_with_a_warning_before_it() {
    let mut room = Room::new();
    room.say("Ann", "!roll d6");
    let mut asked: Vec<_> = (0..7).map(|_| room.say("Ann", "!export")).collect();
    assert!(refused(&asked.pop().unwrap(), "had your 6 exports for this hour"));
    // Exports requested while the bot was away count, too.
    let message = Message { late: true, unlimited: true, ..room.message("Ann", "!export") };
    assert!(room.0.hears(message).refused());
    // What was counted and could not be written does not count again, whenever it was said.
    for late in [false, true] {
        let message = Message { late, unlimited: late, counted: true, ..room.message("Ann", "!export") };
        assert!(room.0.hears(message).ok());
    }
    assert!(asked.iter().all(Came::ok));
    let told: Vec<_> = asked.iter().map(Came::reply).collect();
    assert!(told[4].contains("You have 1 of 6 exports left") && told[5].contains("the last of your 6"), "{told:?}");
    assert!(room.say("Bob", "!export").ok(), "one player's quota does not affect others");
    for n in 0..13 {
        room.say(&format!("Cem{n}"), "!export text");
    }
    assert!(refused(&room.say("Dora", "!export"), "his table has had its 20 exports"));
    assert!(room.say("Ann", "!roll d6").ok());
    room.0.pass(SignedDuration::from_hours(1));
    assert!(room.say("Ann", "!export").ok(), "an hour later");
}

#[test]
fn names_have_a_quota_per_player_and_per_table_and_rolls_have_none() {
    let mut room = Room::new();
    let long = "d6+".repeat(90);
    let (mut kept, mut told) = (0, 0);
    let last = 'all: {
        for character in 0..40 {
            let name = room.say("Ann", &format!("!iam Ann{character}x"));
            if name.refused() {
                break 'all name;
            }
            for n in 0..50 {
                let last = room.say("Ann", &format!("!macro m{} roll {long}d6", letters(n)));
                if last.refused() {
                    break 'all last;
                }
                kept += 1;
                told += u32::from(last.reply().contains("of 20000 bytes"));
            }
        }
        panic!("nothing was refused");
    };
    assert!(refused(&last, "and 20000 is the most"), "{last:?}");
    assert!(told > 5 && told < kept / 2, "{told} warnings in {kept} commands");
    assert!(room.say("Ann", "!roll d6").ok());
    // Others go on until the table's quota is full.
    let mut refusals = Vec::new();
    for player in 0..6 {
        for n in 0..50 {
            refusals.push(room.say(&format!("Bob{player}"), &format!("!macro m{} roll {long}d6", letters(n))));
        }
    }
    assert!(refusals.iter().any(|said| refused(said, "he values and macros here")));
    let doc: TableDoc = room.read(&keys::doc(&table()));
    assert!(serde_json::to_vec(&doc.shortcuts).unwrap().len() < 80_000);
}

/// The bytes of everything that a message writes.
fn written(came: &Came) -> usize {
    came.heard.batch.iter().map(|(key, value)| key.len() + value.as_ref().map_or(0, Vec::len)).sum()
}

#[test]
fn one_value_writes_little_whatever_letters_the_table_is_full_of() {
    let mut room = Room::new();
    // Four bytes a letter, and short ones that are mostly their author's name.
    let long = "\u{1f3b2}".repeat(280);
    for player in 0..6 {
        for n in 0..50 {
            room.say(&format!("Player{player}"), &format!("!macro m{} roll d6 # {long}", letters(n)));
            room.say(&format!("Player{player}"), &format!("!set v{} 1", letters(n)));
        }
    }
    let written = written(&room.say("Player0", "!set a 1"));
    assert!(written < 80_000, "{written} bytes");
}

fn letters(n: u8) -> String {
    format!("{}{}", char::from(b'a' + n / 26), char::from(b'a' + n % 26))
}

#[test]
fn a_player_makes_twenty_characters_and_no_more() {
    let mut room = Room::new();
    let made: Vec<_> = (0..25).map(|n| room.say("Ann", &format!("!iam Hero{}", letters(n)))).collect();
    assert!(refused(made.last().unwrap(), "20 characters, and that is the most"));
    assert!(made.iter().any(|said| said.reply().contains("You have 16 of 20 characters")), "the player is warned");
    let doc: TableDoc = room.read(&keys::doc(&table()));
    assert_eq!(doc.characters.len(), 20);
}

#[test]
fn seats_have_a_limit_and_latecomers_still_roll() {
    let mut room = Room::new();
    room.say("Gus", "!gm me");
    room.fill_up_to(500);
    for n in 0..30 {
        assert!(room.say(&format!("late{n}"), "!roll d6").ok(), "{n}");
    }
    let doc: TableDoc = room.read(&keys::doc(&table()));
    let head: Head = room.read(&keys::head(&table()));
    assert_eq!((doc.seats.len(), doc.characters.len(), head.number), (500, 500, 31));
    let last = keys::last_entries(&table()).map(|prefix| room.keys(&prefix).len());
    assert_eq!(last, [1, 1], "only a guest's rolls are kept");
    for line in [
        "!as guest3 roll d6",
        "!iam Conan",
        "!insp +1",
        "!set str 3",
        "!macro hit roll d20",
        "!gm me",
        "!seal I flee",
        "!undo",
    ] {
        let said = room.say("late", line);
        assert!(refused(&said, "ll 500 seats at this table are taken"), "{line}: {said:?}");
    }
    assert!(room.say("late", "!history 3").ok());
    assert!(room.say("late", "!roll d6").reply().contains("1d6"));
    // Being named does not give anybody a seat.
    room.0.comes("Xeno");
    room.say("guest1", "!vs Xeno 3");
    let doc: TableDoc = room.read(&keys::doc(&table()));
    assert_eq!((doc.seats.len(), doc.find("Xeno")), (500, None));
    // A referee can free a seat.
    assert!(room.say("Gus", "!pc guest7 free").ok());
    assert!(room.say("late", "!iam Conan").ok());
}

/// Runs one full sweep.
async fn sweep(bot: &Host, hour: i64, days: u16) {
    let now = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(hour);
    let mut next: Option<Sweep> = Some(Sweep::begin(bot, now, days).await.expect("a step of the test works"));
    while let Some(sweep) = next {
        next = sweep.on(bot).await.expect("a step of the test works");
    }
}

#[test]
fn temporary_records_age_with_the_bots_own_running_time() {
    let mut room = Room::new();
    let first = room.message("Ann", "!insp +1");
    let original = first.id.clone();
    room.0.play(&Event::Said(first));
    for n in 0..450 {
        room.say("Ann", ["!roll d6", "!insp", "!nonsense of mine", "!iam"][n % 4]);
    }
    let blocks = vec![Block::Line(vec![Span::Text("the rest".to_owned())])];
    room.0.play(&Event::Rest { room: hall(), to: Recipient::Room, blocks });
    room.say("Gus", "!export move");
    room.say("Gus", "!link");
    let alone = Message { private: true, ..room.message("Gus", "me link") };
    room.0.play(&Event::Said(alone));
    let count = |room: &Room| {
        [keys::INBOX, keys::RESTS, keys::LEAVES, keys::LINKS, keys::ACCOUNT_WORDS].map(|prefix| room.keys(prefix).len())
    };
    let before = count(&room);
    assert!(before[0] > 300 && before[1..] == [1, 1, 1, 1], "{before:?}");
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let at = |room: &Room, hour| runtime.block_on(sweep(room.0.host(), hour, 14));
    at(&room, 0);
    assert_eq!(count(&room), before);
    // A jump of the clock makes nothing old.
    at(&room, 24 * 365 * 100);
    assert_eq!(count(&room)[..2], before[..2]);
    at(&room, 1);
    (1..=14 * 24 - 4).for_each(|hour| at(&room, hour));
    assert_eq!(count(&room)[..2], before[..2], "not a day too early");
    let edited = room.message("Ann", "!insp +1");
    room.0.play(&Event::Edited { message: edited, original: original.clone() });
    (14 * 24 - 4..=14 * 24 + 2).for_each(|hour| at(&room, hour));
    assert_eq!(count(&room), [0, 0, 0, 0, 0], "{:?}", room.keys(keys::INBOX));
    // Words of a message that old are still erased when its author deletes it.
    let message = Message { id: "taken".into(), ..room.message("Ann", "") };
    let heard = room.0.play(&Event::Redacted { message, of: original });
    assert!(heard.outcomes.iter().any(|outcome| outcome.kind == OutcomeKind::Played), "{heard:?}");
}

#[test]
fn the_rest_of_long_answers_has_a_size_limit() {
    let mut room = Room::new();
    let blocks = (0..5_000).map(|_| Block::Line(vec![Span::Text("x".repeat(1_000))])).collect();
    room.0.play(&Event::Rest { room: hall(), to: Recipient::Room, blocks });
    let kept: usize = room
        .0
        .store
        .dump()
        .into_iter()
        .filter(|(key, _)| key.starts_with(keys::RESTS))
        .map(|(_, value)| value.len())
        .sum();
    assert!(kept > 10_000 && kept <= 33_000, "{kept} bytes");
    assert!(room.say("Ann", "!more").reply().contains("xxx"));
}

/// One player made this in a quarter of an hour, and then nobody could check a die without the operator.
#[test]
fn a_journal_that_is_too_long_for_one_file_is_handed_out_in_parts() {
    let mut room = Room::new();
    for _ in 0..600 {
        let message = room.0.message(&Person::account("Ann"), "!roll 1000d6");
        room.0.hears(message);
    }
    let gus = Person::account("Gus");
    let first = room.0.say(&gus, "!export");
    let told = first.public();
    let next = told.split("The next part: ").nth(1).unwrap_or_else(|| panic!("{told}")).trim().to_owned();
    assert!(told.contains("Part 1 of 2 of the journal up to #600"), "{told}");
    assert_eq!(next, "!export part 2 of #600");
    // What is played meanwhile is no part of it.
    assert!(room.0.say(&gus, "!roll d20").ok());
    let second = room.0.say(&gus, &next);
    assert!(!second.public().contains("The next part"), "{}", second.public());
    let files = [first.files(), second.files()].concat();
    let verdict = journal::export::verify(&mut files.concat().as_bytes(), |_| {}).expect("the parts are one file");
    assert_eq!(verdict.verifier.last, 600);
    assert!(journal::export::verify(&mut files[0].as_bytes(), |_| {}).is_err(), "one part alone proves nothing");
    assert!(files.iter().all(|file| file.len() <= 4 << 20));
    let refused = room.0.say(&gus, "!export part 3 of #600");
    assert!(!refused.ok() && refused.all().contains("journal up to #600 has 2 parts"), "{}", refused.all());
    let story = room.0.say(&gus, "!export story");
    assert!(story.ok() && story.files()[0].contains("Ann"), "{}", story.all());
}
