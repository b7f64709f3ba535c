//! Erased words are gone from everywhere.

use crate::attack::seated::{self, NETWORK, Person, Seated, Seating, hall, player};
use chat::{Block, Event, Recipient, RoomId, Span};
use jiff::SignedDuration;
use journal::keys;
use journal::store::Store;
use sha2::{Digest, Sha256};
use tests::{Conversation, astragal};

/// A hall that Gus runs.
fn seated() -> Seated {
    Seating::of(|| vec![roll::plugin()]).admins(&["Gus"]).seat()
}

/// Everything in the store, including keys.
fn stored(table: &Seated) -> String {
    let records = table.store.dump().into_iter();
    records.map(|(key, value)| format!("{key} {}\n", String::from_utf8_lossy(&value))).collect()
}

#[test]
fn the_rest_of_a_long_answer_is_erased_with_the_words_for_every_reader() {
    let readers = [
        (hall(), Recipient::Room),
        (hall(), Recipient::Player(player("Ann"))),
        (hall(), Recipient::Player(player("Gus"))),
        (RoomId::new(NETWORK, "gus alone"), Recipient::Room),
        (RoomId::new("other", "hall"), Recipient::Room),
    ];
    for command in ["!erase #1", "!forget me really", "!erase older 1"] {
        for (room, to) in readers.clone() {
            let mut table = seated();
            table.say("Ann", "!roll 1d1 # in my street");
            let blocks = vec![Block::Line(vec![Span::Text("#1 in my street".to_owned())])];
            table.play(&Event::Rest { room: room.clone(), to: to.clone(), blocks });
            assert!(stored(&table).contains("my street"), "the words are stored until they are erased");
            table.pass(SignedDuration::from_hours(24));
            let who = if command.contains("older") { "Gus" } else { "Ann" };
            table.plays(who, command);
            assert!(!stored(&table).contains("my street"), "{command} left it for {to:?} in {room}");
        }
    }
}

#[test]
fn erased_words_cannot_be_confirmed_by_trying() {
    let mut table = seated();
    let words = ["roll 1d1 # Kay", "roll 2d1 # Kay", "nonsense about Kay"];
    let first = table.say("Ann", &format!("!{}\n!{}", words[0], words[0]));
    table.edit("Ann", &first.id, &format!("!{}\n!{}", words[1], words[0]));
    table.say("Ann", &format!("!roll {}", words[2]));
    table.plays("Ann", "!forget me really");
    let stored = stored(&table);
    let digest =
        |text: &str| Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    for tried in words {
        for tried in [tried.to_owned(), format!("roll {tried}"), format!("!{tried}")] {
            assert!(!stored.contains(&digest(&tried)[..16]), "a digest of {tried} is left");
        }
    }
    // Not even with a salt that is still stored.
    for row in table.store.scan(keys::INBOX, None, 100).unwrap() {
        let row = String::from_utf8(row.1).unwrap();
        for (salt, kept) in row.split('"').filter_map(|part| part.split_once(':')).filter(|(salt, _)| salt.len() == 16)
        {
            let recognised = words.iter().any(|tried| digest(&format!("{salt}{tried}")).starts_with(kept));
            assert!(!recognised, "a row of what was erased is left: {row}");
        }
    }
}

#[test]
fn a_player_who_logged_in_is_forgotten_under_both_names() {
    // Whichever name played last leads to the other, by nick or by account.
    let (nick, account) = (Person::nick("Ann"), Person::account("Ann"));
    for order in [[&nick, &account], [&account, &nick]] {
        let mut table = seated();
        for (who, word) in order.into_iter().zip(["the first address", "the second address"]) {
            table.plays(who, &format!("!roll 1d1 # {word}"));
        }
        table.renamed(&nick, &account);
        table.say(&account, "!roll 1d1 # the third address");
        let asked = table.say(&account, "!forget me").reply();
        assert!(asked.contains("in 4 entries"), "{asked}");
        table.plays(&account, "!forget me really");
        assert!(!stored(&table).contains("address"), "{order:?}");
        journal::audit(&*table.store, &seated::table()).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn one_command_erases_no_more_than_fits_into_memory() {
    let mut table = seated();
    for _ in 0..400 {
        table.plays("Ann", "!roll 1000d1000000 # my address");
    }
    assert!(table.say("Ann", "!forget me").reply().contains("in more than "), "few entries, but large ones");
    while table.say("Ann", "!forget me really").reply().contains("until nothing is left") {}
    assert!(!stored(&table).contains("my address"));
}

#[test]
fn old_words_are_erased_at_a_table_that_its_room_has_left() {
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/v1.jsonl");
    let home = tempfile::tempdir().unwrap();
    let (data, config) = (home.path().join("data"), home.path().join("bot.toml"));
    std::fs::write(&config, "[journals]\nkeep_text_days = 1\n").unwrap();
    assert!(astragal(&data).args(["restore", golden]).output().unwrap().status.success());
    {
        let store = astragal::store::look(&data.join("store")).unwrap();
        let key = keys::room(&RoomId::new("console", "hall"));
        let mut room: serde_json::Value = serde_json::from_slice(&store.read(&key).unwrap().unwrap()).unwrap();
        room["table"] = "console/attic".into();
        let mut batch = journal::store::Batch::default();
        batch.put(key, room.to_string());
        store.commit(&batch).unwrap();
    }
    let bot = Conversation::with(astragal(&data).arg("--config").arg(&config));
    assert!(std::fs::read_to_string(golden).unwrap().contains("4d6kh3 # strength"), "the words were there");
    // No room is at the table any more, so a backup is the only way to read its journal.
    let kept = || {
        let file = home.path().join("backup.jsonl");
        // On the first look there is no file.
        let _ = std::fs::remove_file(&file);
        let written = astragal(&data).arg("backup").arg(&file).output().unwrap();
        assert!(written.status.success(), "{written:?}");
        std::fs::read_to_string(&file).unwrap()
    };
    // The bot gets to it a few seconds after the start.
    let gone = (0..300).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(200));
        !kept().contains("4d6kh3 # strength")
    });
    assert!(gone, "the words are still there: {}", kept());
    assert!(bot.end());
}

#[test]
fn a_message_that_others_amended_and_erased_is_erased_by_its_own_deletion() {
    let mut table = seated();
    let first = table.plays("Bob", "!roll 1d100 # my street");
    // Nobody is the referee, so everybody may.
    let second = table.plays("Ann", "!add #1 +1");
    table.redact("Ann", &second.id);
    table.redact("Bob", &first.id);
    assert!(!stored(&table).contains("my street"));
    assert!(!table.say("Bob", "!why #1").reply().contains("my street"));
    assert!(table.say("Bob", "!erase #1").reply().contains("erased in"), "nothing is left to erase");
}

#[test]
fn an_edit_that_comes_behind_the_deletion_plays_nothing() {
    let mut table = seated();
    let first = table.say("Bob", "!rolll 1d1 # my street");
    assert!(first.refused());
    table.redact("Bob", &first.id);
    let heard = table.edit("Bob", &first.id, "!roll 1d1 # my street").heard;
    assert!(heard.outcomes.is_empty() && heard.posts.is_empty());
    assert!(!stored(&table).contains("my street"));
}
