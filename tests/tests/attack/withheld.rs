//! Cards in a hand: everybody sees that a card was drawn, but not which. The withheld part of an entry stays with its
//! player and the referees, in every answer and every file.

use crate::attack::forging::Verdicts;
use crate::attack::seated::{Person, Seated, hall};
use journal::keys::{self, TableId};
use journal::store::{Memory, Store};
use journal::{Entry, Link, audit, backup, export, moving, schema};
use plugin_api::{CharacterId, Commands, Dice, Game, Plugin, Readers, Refusal, Reply, Turn};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A card game. Each card is a number that nobody would guess.
struct Cards;

#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
struct State {
    hands: BTreeMap<CharacterId, Vec<u32>>,
    laid: Vec<u32>,
}

#[derive(Clone, Commands)]
enum Play {
    /// Draw a card.
    #[command(changes, main, example = "draw")]
    Draw,
    /// Lay the last card that you drew on the table.
    #[command(changes, example = "lay")]
    Lay,
    /// Look at your hand.
    #[command(changes, example = "hand")]
    Hand,
}

/// The number of the first card.
const FIRST: u32 = 7_770_000;

impl Game for Cards {
    const ID: &'static str = "cards";
    const TITLE: &'static str = "Cards";
    const ABOUT: &'static str = "cards in hands";
    type State = State;
    type Command = Play;

    fn play(state: &mut State, command: Play, turn: &mut Turn) -> Result<Reply, Refusal> {
        let hand = state.hands.entry(turn.actor).or_default();
        match command {
            Play::Draw => {
                // Cards need no fair dice in this test.
                hand.push(FIRST + 1_000 * turn.actor.0 + hand.len() as u32);
                Ok(Reply::from(format!("{} cards", hand.len())))
            }
            Play::Hand => Ok(Reply::from(format!("you hold {hand:?}")).to(Readers::Player)),
            Play::Lay => {
                let card = hand.pop().ok_or_else(|| Refusal::new("your hand is empty"))?;
                state.laid.push(card);
                let _ = turn.throw(6)?;
                Ok(Reply::from(format!("lays {card}")))
            }
        }
    }

    fn readers(place: &[&str]) -> Readers {
        match place {
            ["hands", ..] => Readers::Referees,
            _ => Readers::Everybody,
        }
    }
}

fn cards() -> Vec<Box<dyn Plugin>> {
    vec![plugin_api::plugin::<Cards>()]
}

/// Ann, the second character, drew a card; Bob, the third, drew two; Gus, the first, is the referee.
fn dealt() -> (Seated, [Person; 3]) {
    let mut table = Seated::new(cards);
    let people = [Person::account("Ann"), Person::account("Bob"), Person::account("Gus").admin()];
    people.iter().for_each(|person| table.comes(person));
    assert!(table.say(&people[2], "!gm me").ok());
    for who in [0, 1, 1] {
        let came = table.say(&people[who], "!draw");
        assert!(came.ok() && !came.all().contains("777"), "{}", came.all());
    }
    (table, people)
}

/// The file that this line gives to this person.
fn file(table: &mut Seated, who: &Person, line: &str) -> String {
    let came = table.say(who, line);
    came.files().pop().unwrap_or_else(|| panic!("no file: {}", came.all()))
}

fn table_id() -> TableId {
    TableId::of(&hall())
}

fn written(store: &Memory) -> Vec<u8> {
    let mut out = Vec::new();
    backup::write(store, jiff::Timestamp::UNIX_EPOCH, &mut out).expect("memory does not fail");
    out
}

fn restored(file: &[u8]) -> Memory {
    let store = Memory::default();
    backup::read(&mut &*file, |batch| store.commit(&batch)).expect("it is whole");
    store
}

#[test]
fn public_text_never_names_a_card_in_a_hand() {
    let (mut table, [ann, bob, gus]) = dealt();
    let lines = ["!why #2", "!secret why #2", "!history", "!recap", "!undo #2", "!redo", "!why #3"];
    for (who, line) in lines.iter().map(|line| (&bob, *line)).chain([(&ann, "!why #2"), (&gus, "!why #2")]) {
        let came = table.say(who, line);
        assert!(!came.all().contains("7772000"), "{line}: {}", came.all());
    }
    let told = table.say(&bob, "!why #2").public();
    assert!(told.contains("something else that only Ann and the referees may know"), "{told}");
    // The player who drew it can read it in private, and so can the referee.
    let hand = table.say(&gus, "!as Ann hand");
    assert!(hand.private(&gus).contains("7772000") && !hand.public().contains("777"), "{}", hand.all());
    for who in [&ann, &gus] {
        let told = table.say(who, "!secret why #2");
        assert!(told.private(who).contains("7772000") && !told.public().contains("777"), "{}", told.all());
    }
    // Undo and redo do not name it.
    for line in ["!undo", "!redo"] {
        let came = table.say(&ann, line);
        assert!(came.ok() && !came.all().contains("777"), "{line}: {}", came.all());
    }
    assert!(table.say(&ann, "!lay").public().contains("lays 7772000"));
    audit(&*table.store, &table_id()).expect("the journal leads to what is stored");
}

#[test]
fn a_file_for_all_holds_no_card_and_is_of_the_second_format() {
    let (mut table, [ann, bob, _]) = dealt();
    let public = file(&mut table, &bob, "!export");
    assert!(public.starts_with("{\"astragal_export\":2,"), "{public}");
    assert!(!public.contains("7772000") && public.contains("\"rules\":3"), "{public}");
    let found = export::verify(&mut public.as_bytes(), |_| {}).expect("it verifies").verifier;
    assert_eq!((found.partly, found.secret), (3, 0));
    // Without withheld parts the format has not changed: an older version verifies all entries before the first card.
    let mut plain = Seated::new(cards);
    plain.comes(&ann);
    assert!(plain.say(&ann, "!gm me").ok());
    let journal = file(&mut plain, &ann, "!export");
    assert!(journal.starts_with("{\"astragal_export\":1,") && journal.contains("\"rules\":2"), "{journal}");

    // Once revealed to all, the card is in the file.
    assert!(!table.say(&bob, "!reveal #2").ok());
    let shown = table.say(&ann, "!reveal #2");
    assert!(shown.public().contains("7772000"), "{}", shown.all());
    assert!(!table.say(&ann, "!reveal #2").ok());
    let revealed = file(&mut table, &bob, "!export");
    assert!(revealed.contains("7772000") && !revealed.contains("7773000"), "{revealed}");
    export::verify(&mut revealed.as_bytes(), |_| {}).expect("it verifies");
    audit(&*table.store, &table_id()).expect("the journal leads to what is stored");

    // The page in a browser reaches the same verdicts, and a forger cannot change the card.
    let other = revealed.replacen("7772000", "7772009", 1);
    let without = revealed.replacen(",\"withheld\":{\"salt\"", ",\"gone\":{\"salt\"", 1);
    let files = [public.clone(), journal, revealed, other, without].map(String::into_bytes);
    let theirs = Verdicts::open().of(&files);
    for (file, theirs) in files.iter().zip(theirs) {
        let ours = export::verify(&mut file.as_slice(), |_| {}).err().map(|error| error.to_string());
        assert_eq!(ours.is_some(), theirs.is_some(), "{ours:?} and in a browser {theirs:?}");
    }
}

#[test]
fn a_table_takes_its_cards_along() {
    let (table, _) = dealt();
    let mut moved = Vec::new();
    let read = |keys: &[String]| table.store.read_many(keys);
    let exported = export::Exported::of(&table_id(), read).expect("memory does not fail").expect("it was played at");
    export::write_all(&exported, &*table.store, jiff::Timestamp::UNIX_EPOCH, &mut moved).expect("memory does not fail");
    moving::Moved::read(&mut moved.as_slice()).unwrap_or_else(|error| panic!("it cannot be moved: {error}"));
    assert!(String::from_utf8_lossy(&moved).contains("7772000"));
    assert_eq!(Verdicts::open().of(&[moved.clone()]), [None]);
    // A changed card no longer matches the chain.
    let doctored = String::from_utf8(moved).expect("text").replace("7772000", "7772009");
    assert!(moving::Moved::read(&mut doctored.as_bytes()).is_err());
}

#[test]
fn the_previous_version_can_go_on_with_a_backup_written_for_it() {
    let (table, _) = dealt();
    assert_eq!(schema::schema_of(&*table.store), Ok(Some(keys::SCHEMA)), "the version before refuses to start on this");
    let whole = written(&table.store);
    let mut older = Vec::new();
    let back = keys::OLDEST_SCHEMA;
    backup::write_for(back, jiff::Timestamp::UNIX_EPOCH, &mut whole.as_slice(), &mut older).expect("a way back");
    assert!(older.starts_with(b"{\"astragal_backup\":1,\"schema\":2,"));
    let store = restored(&older);
    assert_eq!(schema::schema_of(&store), Ok(Some(back)));
    let (mut before, after) = (restored(&whole).dump(), store.dump());
    // Records of their own in this version are part of the head in the older one.
    let last = |key: &str| keys::Last::of_key(&table_id(), key).is_some();
    assert!(before.keys().any(|key| last(key)) && !after.keys().any(|key| last(key)));
    before.retain(|key, _| !last(key));
    assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>());
    let mut taken_out = 0;
    for (key, value) in before.iter().filter(|(key, value)| after[*key] != **value) {
        if [keys::SCHEMA_KEY, &keys::head(&table_id())].contains(&key.as_str()) {
            continue;
        }
        // Entries differ only if they withhold something, and then only by that part.
        let [mut was, is] = [value, &after[key]].map(|value| serde_json::from_slice::<Link>(value).expect("an entry"));
        let entry: Entry = serde_json::from_str(was.entry.get()).expect("an entry");
        assert!(was.parts.withheld.take().is_some() && entry.rules == 3, "{key}");
        assert_eq!(serde_json::to_string(&was).expect("JSON"), serde_json::to_string(&is).expect("JSON"), "{key}");
        taken_out += 1;
    }
    assert_eq!(taken_out, 3);
    for nowhere in [0, 1, keys::SCHEMA + 1] {
        let asked = backup::write_for(nowhere, jiff::Timestamp::UNIX_EPOCH, &mut whole.as_slice(), &mut Vec::new());
        assert!(asked.unwrap_err().to_string().contains("no way back"), "{nowhere}");
    }
}

#[test]
fn nobody_learns_a_card_by_undoing_its_draw() {
    // Without a referee everybody may use a referee's commands, but still cannot read the secrets of others.
    let mut table = Seated::new(cards);
    let [ann, bob] = ["Ann", "Bob"].map(Person::account);
    [&ann, &bob].into_iter().for_each(|person| table.comes(person));
    assert!(table.say(&ann, "!draw").ok());
    let lines = ["!undo #1", "!secret undo #1", "!secret why #2", "!as Ann undo", "!reveal #1", "!as Ann draw"];
    for line in lines.into_iter().chain([
        "!secret why",
        "!secret as Ann draw",
        "!secret why #2",
        "!secret why #3",
        "!undo #2",
        "!secret undo #3",
        "!reveal #2",
        "!secret why #4",
        "!as Ann hand",
        "!secret as Ann hand",
    ]) {
        let came = table.say(&bob, line);
        assert!(!came.all().contains("777"), "{line}: {}", came.all());
    }
    let hand = table.say(&ann, "!hand");
    assert!(hand.private(&ann).contains("777") && !hand.public().contains("777"), "{}", hand.all());
    assert!(table.say(&ann, "!lay").ok(), "her card was taken");
}
