//! Erased words are gone from everywhere.

use chat::{Block, Event, Message, PlayerId, Recipient, RoomId, Span, Speaker, Standing, Trust};
use jiff::{SignedDuration, Timestamp};
use journal::Entropy;
use journal::keys;
use journal::store::{Memory, Store};
use sha2::{Digest, Sha256};
use std::sync::Arc;
use table::{FairBox, Heard, Host, OutcomeKind, Plugins, Settings, Sitting};
use tests::{Conversation, astragal};

/// Rooms in memory.
struct Rooms {
    sitting: Sitting,
    store: Arc<Memory>,
    said: i64,
}

impl Rooms {
    fn new() -> Self {
        let plugins = Plugins::new(vec![roll::plugin()]).expect("one plugin always fits");
        let store: Arc<Memory> = Arc::default();
        let bot =
            Host::new(Settings::default(), plugins, store.clone(), Entropy::from_seed([1; 32]), Box::new(FairBox));
        Rooms { sitting: Sitting::new(Arc::new(bot.expect("it starts"))), store, said: 0 }
    }

    fn speaker(id: &str, trust: Trust) -> Speaker {
        let standing = if id == "gus" { Standing::Admin } else { Standing::Member };
        Speaker { standing, trust, ..Speaker::new(PlayerId::new("n", id), "Ann") }
    }

    fn message(&mut self, id: &str, trust: Trust, body: &str) -> Message {
        self.said += 1;
        let sent = Timestamp::UNIX_EPOCH + SignedDuration::from_secs(self.said);
        let message = Message::new(self.said.to_string(), hall(), Self::speaker(id, trust), sent, body);
        Message { unlimited: true, ..message }
    }

    fn play(&mut self, event: &Event) -> Heard {
        self.sitting.play(event).expect("memory does not fail")
    }

    fn say(&mut self, id: &str, body: &str) -> (OutcomeKind, String) {
        let trust = if id.starts_with("nick:") { Trust::NickOnly } else { Trust::Account };
        let message = self.message(id, trust, body);
        let heard = self.play(&Event::Said(message));
        (heard.outcomes[0].kind, heard.outcomes[0].reply.plain())
    }

    /// Everything in the store, including keys.
    fn stored(&self) -> String {
        let records = self.store.dump().into_iter();
        records.map(|(key, value)| format!("{key} {}\n", String::from_utf8_lossy(&value))).collect()
    }
}

fn hall() -> RoomId {
    RoomId::new("n", "hall")
}

#[test]
fn the_rest_of_a_long_answer_is_erased_with_the_words_for_every_reader() {
    let readers = [
        (hall(), Recipient::Room),
        (hall(), Recipient::Player(PlayerId::new("n", "ann"))),
        (hall(), Recipient::Player(PlayerId::new("n", "gus"))),
        (RoomId::new("n", "gus alone"), Recipient::Room),
        (RoomId::new("other", "hall"), Recipient::Room),
    ];
    for command in ["!erase #1", "!forget me really", "!erase older 1"] {
        for (room, to) in readers.clone() {
            let mut rooms = Rooms::new();
            rooms.say("ann", "!roll 1d1 # in my street");
            let blocks = vec![Block::Line(vec![Span::Text("#1 in my street".to_owned())])];
            rooms.play(&Event::Rest { room: room.clone(), to: to.clone(), blocks });
            assert!(rooms.stored().contains("my street"), "the words are stored until they are erased");
            rooms.said += 86_400;
            let who = if command.contains("older") { "gus" } else { "ann" };
            let said = rooms.say(who, command);
            assert_eq!(said.0, OutcomeKind::Played, "{said:?}");
            assert!(!rooms.stored().contains("my street"), "{command} left it for {to:?} in {room}");
        }
    }
}

#[test]
fn erased_words_cannot_be_confirmed_by_trying() {
    let mut rooms = Rooms::new();
    let words = ["roll 1d1 # Kay", "roll 2d1 # Kay", "nonsense about Kay"];
    let first = rooms.message("ann", Trust::Account, &format!("!{}\n!{}", words[0], words[0]));
    let original = first.id.clone();
    rooms.play(&Event::Said(first));
    let edit = rooms.message("ann", Trust::Account, &format!("!{}\n!{}", words[1], words[0]));
    rooms.play(&Event::Edited { message: edit, original: original.clone() });
    rooms.say("ann", &format!("!roll {}", words[2]));
    assert_eq!(rooms.say("ann", "!forget me really").0, OutcomeKind::Played);
    let stored = rooms.stored();
    let digest =
        |text: &str| Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    for tried in words {
        for tried in [tried.to_owned(), format!("roll {tried}"), format!("!{tried}")] {
            assert!(!stored.contains(&digest(&tried)[..16]), "a digest of {tried} is left");
        }
    }
    // Not even with a salt that is still stored.
    for row in rooms.store.scan(keys::INBOX, None, 100).unwrap() {
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
    for order in [["nick:ann", "account:ann"], ["account:ann", "nick:ann"]] {
        let mut rooms = Rooms::new();
        for (id, word) in order.into_iter().zip(["the first address", "the second address"]) {
            assert_eq!(rooms.say(id, &format!("!roll 1d1 # {word}")).0, OutcomeKind::Played);
        }
        let speaker = Rooms::speaker("account:ann", Trust::Account);
        let (from, sent) = (PlayerId::new("n", "nick:ann"), Timestamp::UNIX_EPOCH + SignedDuration::from_secs(100));
        let (id, trust) = ("login".to_owned(), Trust::NickOnly);
        rooms.play(&Event::Renamed { id, room: hall(), from, trust, speaker, sent });
        rooms.say("account:ann", "!roll 1d1 # the third address");
        let asked = rooms.say("account:ann", "!forget me");
        assert!(asked.1.contains("in 4 entries"), "{asked:?}");
        assert_eq!(rooms.say("account:ann", "!forget me really").0, OutcomeKind::Played);
        assert!(!rooms.stored().contains("address"), "{order:?}");
        journal::audit(&*rooms.store, &keys::TableId::of(&hall())).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn one_command_erases_no_more_than_fits_into_memory() {
    let mut rooms = Rooms::new();
    for _ in 0..400 {
        assert_eq!(rooms.say("ann", "!roll 1000d1000000 # my address").0, OutcomeKind::Played);
    }
    assert!(rooms.say("ann", "!forget me").1.contains("in more than "), "few entries, but large ones");
    while rooms.say("ann", "!forget me really").1.contains("until nothing is left") {}
    assert!(!rooms.stored().contains("my address"));
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
    let mut rooms = Rooms::new();
    assert_eq!(rooms.say("bob", "!roll 1d100 # my street").0, OutcomeKind::Played);
    let first = rooms.said.to_string();
    // Nobody is the referee, so everybody may.
    assert_eq!(rooms.say("ann", "!add #1 +1").0, OutcomeKind::Played);
    for (who, of) in [("ann", rooms.said.to_string()), ("bob", first)] {
        let message = rooms.message(who, Trust::Account, "");
        rooms.play(&Event::Redacted { message, of });
    }
    assert!(!rooms.stored().contains("my street"));
    assert!(!rooms.say("bob", "!why #1").1.contains("my street"));
    assert!(rooms.say("bob", "!erase #1").1.contains("erased in"), "nothing is left to erase");
}

#[test]
fn an_edit_that_comes_behind_the_deletion_plays_nothing() {
    let mut rooms = Rooms::new();
    assert_eq!(rooms.say("bob", "!rolll 1d1 # my street").0, OutcomeKind::Refused);
    let original = rooms.said.to_string();
    let message = rooms.message("bob", Trust::Account, "");
    rooms.play(&Event::Redacted { message, of: original.clone() });
    let message = rooms.message("bob", Trust::Account, "!roll 1d1 # my street");
    let heard = rooms.play(&Event::Edited { message, original });
    assert!(heard.outcomes.is_empty() && heard.posts.is_empty());
    assert!(!rooms.stored().contains("my street"));
}
