//! Players bind the operator's hands: with words that enter the chain before the first die of a seed falls, and with
//! message ids that nobody can choose.

use super::forging::{Verdicts, export_of, said};
use super::seated::{Person, Seated, Seating};
use chat::{Edits, Event, Guarantees, Message, PlayerId, RoomId, Speaker, Unaccepted};
use jiff::Timestamp;
use journal::keys::{RESTORED_KEY, TableId};
use journal::store::{Batch, Memory, Store};
use journal::{Entry, Link, Page};
use serde_json::{Value, json};
use std::sync::Arc;
use table::{Host, Table};
use tests::forger::{entry, forged, lines, say, wrong};

#[test]
fn words_that_players_add_bind_the_dice_and_nobody_changes_them_afterwards() {
    let data = tempfile::tempdir().unwrap();
    let before = said(
        data.path(),
        b"/as Ann\n!fair\n!fair add a stone all leaves\n!fair add another\n/as Eve\n!secret fair add psst\n",
    );
    assert!(before.contains("everyone may add words to it, once: !fair add WORDS"), "{before}");
    assert!(before.contains("bound with \"a stone all leaves\" too"), "{before}");
    assert!(
        before.contains("ou have added your words already") && before.contains("concerns the whole table"),
        "{before}"
    );
    // They survive a restart.
    let scene = b"/as Bob\n!fair add an unfound door\n!fair\n!roll 3d20\n!fair add too late\n!roll 3d20\n!fair reveal all\n!fair\n\
        !fair add for epoch 2\n!roll d20\n!fair reveal all\n";
    let after = said(data.path(), scene);
    assert!(after.contains("ann: \"a stone all leaves\"; bob: \"an unfound door\""), "{after}");
    assert!(after.contains("words are added before its first entry"), "{after}");
    let export = export_of(data.path(), b"");
    assert_eq!(wrong(&export), None);
    let first: Link = serde_json::from_slice(&lines(&export)[1]).expect("a link");
    let words = json!([{"player": "console:ann", "words": "a stone all leaves"},
        {"player": "console:bob", "words": "an unfound door"}]);
    assert_eq!(entry(&first)["words"], words);

    let changed = |number: usize, change: fn(&mut Value)| forged(&export, |links| say(&mut links[number - 1], change));
    let forgeries = [
        ("other words", changed(1, |entry| entry["words"][1]["words"] = json!("an opened door"))),
        ("a word dropped", changed(1, |entry| drop(entry["words"].as_array_mut().expect("a list").pop()))),
        ("no words", changed(1, |entry| entry["words"] = json!([]))),
        ("another order", changed(1, |entry| entry["words"].as_array_mut().expect("a list").swap(0, 1))),
        ("another player's", changed(1, |entry| entry["words"][0]["player"] = json!("console:eve"))),
        ("empty words", changed(1, |entry| entry["words"][1]["words"] = json!(""))),
        ("words twice", changed(1, |entry| entry["words"][1]["player"] = json!("console:ann"))),
        ("words too late", changed(2, |entry| entry["words"] = json!([{"player": "console:ann", "words": "x"}]))),
        ("words of the first rules", changed(1, |entry| entry["rules"] = json!(1))),
    ];
    let files: Vec<Vec<u8>> =
        [export.clone()].into_iter().chain(forgeries.iter().map(|(_, file)| file.clone())).collect();
    let theirs = Verdicts::open().of(&files);
    assert_eq!(theirs[0], None, "the page knows the words");
    for ((name, file), theirs) in forgeries.iter().zip(&theirs[1..]) {
        assert!(wrong(file).is_some(), "the program: {name}");
        assert!(theirs.is_some(), "the page: {name}");
    }
}

#[test]
fn many_guests_cannot_keep_an_admin_from_adding_words() {
    let mut table = Seated::new(|| vec![roll::plugin()]);
    for number in 0..=50 {
        let guest = Person::nick(&format!("Guest{number}"));
        table.comes(&guest);
        assert_eq!(table.say(&guest, &format!("!fair add stone {number}")).ok(), number < 50);
    }
    let (late, op) = (Person::account("Late"), Person::account("Op").admin());
    [&late, &op].into_iter().for_each(|person| table.comes(person));
    assert!(table.say(&late, "!fair add a leaf").public().contains("now only a room admin may still do so"));
    assert!(table.say(&op, "!fair add the channel's own word").ok());
}

/// A table that a test plays at without a network.
struct Stage {
    bot: Host,
    table: Table,
    store: Arc<Memory>,
    network: Guarantees,
}

impl Stage {
    fn over(store: Arc<Memory>, redelivered: bool) -> Self {
        let network = match redelivered {
            true => Guarantees { unaccepted: Unaccepted::ComeAgain, edits: Edits::Shown, ..Guarantees::default() },
            false => Guarantees::default(),
        };
        let bot = Seating::of(|| vec![roll::plugin()]).over(store.clone()).host();
        let table = Table::open(&bot, TableId::of(&tavern())).expect("memory does not fail");
        Stage { bot, table, store, network }
    }

    fn say(&mut self, id: &str, sent: Timestamp, body: &str) {
        let speaker = Speaker::new(PlayerId::new("libera", "ann"), "Ann");
        let event = Event::Said(Message::new(id, tavern(), speaker, sent, body));
        let lines = self.table.lines(&self.bot, &event).expect("memory does not fail");
        if let Some(batch) = self.table.lay(&self.bot, &event, &lines, self.network) {
            self.bot.committer().commit(Some(self.table.lane()), batch).expect("memory does not fail");
        }
        let heard = self.table.hear(&self.bot, &event, &lines, self.network).expect("memory does not fail");
        self.bot.committer().commit(Some(self.table.lane()), heard.batch).expect("memory does not fail");
    }

    fn entries(&self) -> Vec<Entry> {
        let all = journal::keys::entries(&TableId::of(&tavern()));
        let records = self.store.scan(&all, None, 1_000).expect("memory does not fail");
        records.into_iter().map(|(key, bytes)| Page::of_stored(&key, &bytes).expect("an entry").entry).collect()
    }
}

fn tavern() -> RoomId {
    RoomId::new("libera", "#tavern")
}

/// Where a network gives messages no ids, the operator does, and could choose them. So those ids must not decide the
/// dice.
#[test]
fn without_message_ids_the_key_is_the_entry_number() {
    let mut stage = Stage::over(Arc::default(), false);
    stage.say("chosen", Timestamp::UNIX_EPOCH, "!roll d20");
    stage.say("chosen", Timestamp::UNIX_EPOCH, "!roll d20\n!roll d20");
    let keys: Vec<_> = stage.entries().into_iter().map(|entry| (entry.key.id, entry.key.ordinal)).collect();
    assert_eq!(keys, [("#1".into(), 1), ("#2".into(), 1), ("#3".into(), 2)]);
    journal::audit(&*stage.store, &TableId::of(&tavern())).expect("no key is used twice");
}

/// The seed may have been published after the backup. With it, players could choose messages by their dice.
#[test]
fn a_restored_bot_rolls_nothing_new_with_the_old_seed() {
    let at = |second| Timestamp::from_second(second).expect("a time");
    for redelivered in [false, true] {
        let store: Arc<Memory> = Arc::default();
        Stage::over(store.clone(), redelivered).say("$1", at(100), "!roll d20");
        let mut mark = Batch::default();
        mark.put(RESTORED_KEY, serde_json::to_vec(&at(300)).expect("JSON"));
        store.commit(&mark).expect("memory does not fail");
        let mut stage = Stage::over(store, redelivered);
        // Where the network redelivers, an old message arrives again and keeps its dice.
        stage.say("$2", at(200), "!roll d20");
        stage.say("$3", at(301), "!roll d20");
        stage.say("$4", at(250), "!roll d20");
        let epochs: Vec<u32> = stage.entries().iter().map(|entry| entry.epoch).collect();
        assert_eq!(epochs, if redelivered { [1, 1, 2, 2] } else { [1, 2, 2, 2] });
    }
}
