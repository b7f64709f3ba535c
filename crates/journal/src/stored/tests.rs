//! Whatever an entry contains comes back unchanged, in either form, and damage is reported.

use super::*;
use crate::documents::{Head, TableDoc};
use crate::export::{self, Exported};
use crate::keys::{self, TableId};
use crate::store::{Batch, Memory, Store, scan_all};
use crate::{Change, Changes, Draft, Entropy, WITHOUT_WITHHELD, backup, first_hash};
use chat::RoomId;
use proptest::prelude::{Strategy, any, prop};
use proptest::sample::select;
use proptest::{prop_assert, prop_assert_eq, proptest};
use serde_json::Map;
use std::collections::BTreeMap;

const KEY: &str = "table/n%2Fhall/entry/0000000001";

fn put(parts: &mut Parts, name: Name, part: Option<Part>) {
    *match name {
        Name::Text => &mut parts.text,
        Name::Answer => &mut parts.answer,
        Name::Dice => &mut parts.dice,
        Name::Facts => &mut parts.facts,
        Name::Record => &mut parts.record,
        Name::Changes => &mut parts.changes,
        Name::Why => &mut parts.why,
        Name::Withheld => &mut parts.withheld,
    } = part;
}

/// The properties of a part of an entry.
#[derive(Clone, Debug)]
struct Given {
    value: String,
    /// True if the entry has it; the last two parts are optional.
    has: bool,
    /// True if it may still be known.
    is_there: bool,
    /// A salt of its own, as older versions made them.
    salt: Option<[u8; 32]>,
}

/// JSON that `serde_json` would write differently, and some that it would not.
const ODD: &[&str] = &[
    "null",
    "{}",
    "\"caf\\u00e9 \\/ \\ud83c\\udfb2\"",
    "1.0e5",
    "-0",
    "123456789012345678901234567890",
    "{\"a\":1,\"a\":2}",
    "{ \"a\" : [ 1 , 2 ] }",
    "[[6,3],[6,6]]",
];

fn given() -> impl Strategy<Value = Given> {
    let text = any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap());
    let value = proptest::prop_oneof![select(ODD).prop_map(str::to_owned), text];
    let salt = prop::option::weighted(0.2, any::<[u8; 32]>());
    (value, prop::bool::weighted(0.8), prop::bool::weighted(0.8), salt).prop_map(|(value, has, is_there, salt)| Given {
        value,
        has,
        is_there,
        salt,
    })
}

fn fields() -> impl Strategy<Value = Entry> {
    let texts = prop::collection::vec(any::<String>(), 7);
    let options = prop::collection::vec(any::<Option<u64>>(), 5);
    let lists = (prop::collection::vec(any::<u64>(), 0..3), prop::collection::vec(any::<u32>(), 0..3));
    let time = (-377_705_023_201_i64..=253_402_207_199, prop::option::of(0..1_000_000_000_i32));
    let numbers = (any::<u64>(), 0..5_u32, any::<u32>(), any::<u32>(), any::<bool>());
    (texts, options, lists, time, numbers).prop_map(|(texts, options, (numbers, epochs), time, rest)| {
        let network = texts[0].replace(':', ";");
        let player = PlayerId::new(&network, &texts[1]);
        let key = MessageKey { network, room: texts[2].clone(), id: texts[3].clone(), ordinal: rest.2 };
        let (seconds, nanoseconds) = time;
        Entry {
            number: rest.0,
            rules: rest.1,
            skipped: options[0].zip(options[1]),
            epoch: rest.3,
            commitment: options[1].map(|_| texts[4].clone()),
            words: options[2].map(|_| Added { player: player.clone(), words: texts[4].clone() }).into_iter().collect(),
            key,
            player,
            character: CharacterId(rest.2),
            time: Timestamp::new(seconds, nanoseconds.unwrap_or_default() * seconds.signum() as i32).unwrap(),
            game: texts[5].clone(),
            command: texts[6].clone(),
            follows: options[2],
            undoes: options[3],
            replaces: options[4],
            reveals: numbers.clone(),
            erases: numbers,
            publishes: epochs,
            secret: rest.4,
            digests: Digests {
                text: String::new(),
                answer: String::new(),
                dice: String::new(),
                facts: String::new(),
                record: String::new(),
                changes: String::new(),
                why: None,
                withheld: None,
            },
        }
    })
}

fn pages() -> impl Strategy<Value = Page> {
    let options = prop::collection::vec(any::<Option<u64>>(), 7);
    let took = select(vec![None, Some(Role::Player), Some(Role::Referee), Some(Role::Admin), Some(Role::Owner)]);
    (fields(), prop::collection::vec(given(), 8), options, took, any::<[u8; 32]>()).prop_map(
        |(mut entry, given, options, took, seed)| {
            let mut parts = Parts { secrets: Secrets::new(&mut Entropy::from_seed(seed)), ..Parts::default() };
            let salts = Salts::of(&parts.secrets);
            let mut digests = Vec::new();
            for (name, Given { value, has, is_there, salt }) in Name::ALL.into_iter().zip(given) {
                let value = RawValue::from_string(value).unwrap();
                let (part, digest) = match salt {
                    Some(salt) => Part::sealed(salt, value),
                    None => Part::made(&salts, name, value).unwrap(),
                };
                let has = has || !matches!(name, Name::Why | Name::Withheld);
                digests.push(digest);
                put(&mut parts, name, Some(part).filter(|_| has && is_there));
                match name {
                    Name::Why => entry.digests.why = digests.pop().filter(|_| has),
                    Name::Withheld => entry.digests.withheld = digests.pop().filter(|_| has),
                    _ => {}
                }
            }
            let mut digests = digests.into_iter();
            let all = &mut entry.digests;
            for digest in
                [&mut all.text, &mut all.answer, &mut all.dice, &mut all.facts, &mut all.record, &mut all.changes]
            {
                *digest = digests.next().unwrap();
            }
            let before = Before { player: options[0], character: options[1], took, also: options[2] };
            let mut link = Link::new(&first_hash(), &entry, parts, before);
            let [undone_by, replaced_by, revealed_by, erased_by] = [options[3], options[4], options[5], options[6]];
            link.fate = Fate { undone_by, replaced_by, revealed_by, erased_by };
            Page { entry, link }
        },
    )
}

/// Ways to write an entry that this program would not use.
#[derive(Clone, Copy, Debug)]
enum Oddly {
    SaltTooShort,
    SaltInCapitals,
    HashTooShort,
    EntryWithSpaces,
    EntrySaysFirstRules,
    DigestOfAnother,
    SaltOfAnother,
}

fn oddly(mut page: Page, how: Oddly) -> Page {
    let other = |link: &Link, from: &str, to: &str| {
        RawValue::from_string(link.entry.get().replacen(from, to, 1)).expect("it is JSON still")
    };
    let (part, _) = Part::sealed([0xab; 32], RawValue::from_string("\"x\"".to_owned()).unwrap());
    let link = &mut page.link;
    match how {
        Oddly::SaltTooShort => link.parts.text = Some(Part { salt: "ab".to_owned(), ..part }),
        Oddly::SaltInCapitals => link.parts.text = Some(Part { salt: "AB".repeat(32), ..part }),
        Oddly::HashTooShort => link.hash.truncate(62),
        Oddly::EntryWithSpaces => link.entry = other(link, "{\"number\":", "{ \"number\": "),
        Oddly::EntrySaysFirstRules => {
            link.entry = other(link, ",\"epoch\"", ",\"rules\":1,\"epoch\"");
            if page.entry.rules != 1 {
                // Otherwise it would be there twice and invalid; the spaces alone make it odd.
                link.entry = other(&Link::new("", &page.entry, Parts::default(), Before::default()), "{", "{ ");
            }
        }
        Oddly::DigestOfAnother => link.parts.text = Some(part),
        Oddly::SaltOfAnother => link.parts.text = Some(Part { made: true, ..part }),
    }
    page
}

fn assert_same_json(page: &Page, back: &Page) {
    assert_eq!(to_json(&back.link), to_json(&page.link));
    assert!(same(&back.link, &page.link));
    assert_eq!(to_json(&back.entry), to_json(&page.entry));
}

proptest! {
    #![proptest_config(proptest::test_runner::Config {
        failure_persistence: None, ..proptest::test_runner::Config::with_cases(150)
    })]

    #[test]
    fn every_entry_comes_back_to_the_byte(page in pages()) {
        let stored = page.to_stored();
        prop_assert_eq!(stored[0], COMPACT);
        let back = Page::of_stored(KEY, &stored).unwrap();
        assert_same_json(&page, &back);
        prop_assert_eq!(back.to_stored(), stored);
        // An entry stored by an older version is read as it is, and is smaller when stored again.
        let old = to_json(&page.link);
        let back = Page::of_stored(KEY, &old).unwrap();
        assert_same_json(&page, &back);
        prop_assert!(back.to_stored()[0] == COMPACT && back.to_stored().len() < old.len());
    }

    #[test]
    fn what_is_written_in_another_way_stays_as_it_is(
        page in pages(),
        how in select(vec![
            Oddly::SaltTooShort, Oddly::SaltInCapitals, Oddly::HashTooShort, Oddly::EntryWithSpaces,
            Oddly::EntrySaysFirstRules, Oddly::DigestOfAnother, Oddly::SaltOfAnother,
        ]),
    ) {
        let page = oddly(page, how);
        let stored = page.to_stored();
        prop_assert_eq!(&stored, &to_json(&page.link));
        let back = Page::of_stored(KEY, &stored).unwrap();
        prop_assert_eq!(back.to_stored(), stored);
    }

    #[test]
    fn damage_is_named_and_never_panics(page in pages(), noise in prop::collection::vec(any::<u8>(), 0..400), at in any::<prop::sample::Index>(), bit in 0..8_u32) {
        let stored = page.to_stored();
        let named = |record: &[u8]| match Page::of_stored(KEY, record) {
            Ok(_) => None,
            Err(StoreError::Damaged { key, .. }) => Some(key == KEY),
            Err(_) => Some(false),
        };
        for first in [COMPACT, JSON, 2] {
            let record = [&[first], noise.as_slice()].concat();
            prop_assert!(named(&record) != Some(false));
        }
        let mut flipped = stored.clone();
        flipped[at.index(stored.len())] ^= 1 << bit;
        prop_assert!(named(&flipped) != Some(false));
        prop_assert_eq!(named(&stored[..at.index(stored.len())]), Some(true));
        prop_assert_eq!(named(&[&stored, &noise[..], &[0]].concat()), Some(true));
    }
}

/// An entry of a chain, sealed the way the bot does it.
fn sealed(previous: &str, number: u64, secret: bool, entropy: &mut Entropy) -> Page {
    let change = |path: &str| Change { path: path.to_owned(), before: None, after: Some(7.into()) };
    let noted = |path: &str| Changes { noted: vec![change(path)], ..Changes::default() };
    let withheld = if number == 3 { noted("/games/cards/state/hand") } else { Changes::default() };
    let facts = Map::from_iter([("total".to_owned(), 13.into())]);
    let draft = Draft {
        text: &format!("roll 4d6kh3 # words {number}"),
        answer: "13 | 4d6kh3 [6 4 3 (2)]",
        dice: &[6, 4, 3, 2].map(|value| Die { sides: 6, value }),
        facts: &facts,
        record: None,
        changes: &noted("/games/cards/state/deck"),
        why: &["6 counts".to_owned()],
        withheld: &withheld,
    };
    let (digests, parts) = draft.seal(entropy);
    let entry = Entry {
        number,
        rules: if withheld.is_empty() { WITHOUT_WITHHELD } else { crate::WITH_WITHHELD },
        skipped: None,
        epoch: 1,
        commitment: (number == 1).then(|| "c".repeat(64)),
        words: Vec::new(),
        key: MessageKey { network: "n".into(), room: "hall".into(), id: number.to_string(), ordinal: 1 },
        player: PlayerId::new("n", "ann"),
        character: CharacterId(1),
        time: Timestamp::UNIX_EPOCH,
        game: "roll".into(),
        command: "roll".into(),
        follows: None,
        undoes: None,
        replaces: None,
        reveals: Vec::new(),
        erases: if number == 4 { vec![2] } else { Vec::new() },
        publishes: Vec::new(),
        secret,
        digests,
    };
    let before = Before { player: number.checked_sub(1), took: Some(Role::Player), ..Before::default() };
    Page { link: Link::new(previous, &entry, parts, before), entry }
}

/// A journal of five: the second is erased by the fourth, the third withholds something, the last is secret.
fn journal() -> (Vec<Page>, Memory) {
    let (mut entropy, mut hash, mut pages) = (Entropy::from_seed([1; 32]), first_hash(), Vec::new());
    for number in 1..=5 {
        let page = sealed(&hash, number, number == 5, &mut entropy);
        hash.clone_from(&page.link.hash);
        pages.push(page);
    }
    pages[1].link.parts.forget_words();
    pages[1].link.fate.erased_by = Some(4);
    let (store, mut batch) = (Memory::default(), Batch::default());
    let head = Head { number: 5, hash, withheld: Some(3), ..Head::default() };
    batch.put(keys::head(&table()), to_json(&head));
    pages.iter().for_each(|page| batch.put(keys::entry(&table(), page.number()), page.to_stored()));
    store.commit(&batch).unwrap();
    (pages, store)
}

fn table() -> TableId {
    TableId::of(&RoomId::new("n", "hall"))
}

/// The same store with all entries as JSON, as an older version wrote it.
fn older(store: &Memory) -> Memory {
    let (older, mut batch) = (Memory::default(), Batch::default());
    for record in scan_all(store, "") {
        let (key, value) = record.unwrap();
        let value = if keys::is_entry(&key) { as_json(&key, value).unwrap() } else { value };
        batch.put(key, value);
    }
    older.commit(&batch).unwrap();
    older
}

fn proof(store: &Memory) -> Vec<u8> {
    let mut file = Vec::new();
    let table = Exported::of(&table(), |keys| store.read_many(keys)).unwrap().unwrap();
    export::write(&table, Timestamp::UNIX_EPOCH, &mut file).unwrap();
    file
}

fn moved(store: &Memory) -> Vec<u8> {
    let mut file = Vec::new();
    let table = Exported::at_work(
        &table(),
        TableDoc::default(),
        serde_json::from_slice(&store.read(&keys::head(&table())).unwrap().unwrap()).unwrap(),
        |keys| store.read_many(keys),
    );
    export::write_all(&table, store, Timestamp::UNIX_EPOCH, &mut file).unwrap();
    file
}

fn backed_up(store: &Memory) -> Vec<u8> {
    let mut file = Vec::new();
    backup::write(store, Timestamp::UNIX_EPOCH, &mut file).unwrap();
    file
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[test]
fn files_are_the_same_to_the_byte_whichever_form_is_stored() {
    let (pages, store) = journal();
    let older = older(&store);
    assert!(pages.iter().all(|page| page.to_stored()[0] == COMPACT));
    assert!(scan_all(&older, &keys::entries(&table())).all(|record| record.unwrap().1[0] == JSON));
    assert_eq!(proof(&store), proof(&older));
    assert_eq!(moved(&store), moved(&older));
    assert_eq!(backed_up(&store), backed_up(&older));
    let verdict = export::verify(&mut proof(&store).as_slice(), |_| {}).unwrap();
    let verifier = verdict.verifier;
    assert_eq!((verifier.entries, verifier.erased, verifier.partly, verifier.secret), (5, 1, 1, 1));
}

#[test]
fn no_file_has_a_secret_and_no_export_the_salt_of_what_it_hides() {
    let (pages, store) = journal();
    let (proof, moved, backup) = (proof(&store), moved(&store), backed_up(&store));
    for page in &pages {
        let Secrets { words, rest } = &page.link.parts.secrets;
        for secret in words.iter().chain(rest) {
            let spelled = [secret.to_vec(), hex(secret).into_bytes(), to_json(secret)];
            for (file, secret) in
                [&proof, &moved, &backup].iter().flat_map(|file| spelled.iter().map(move |s| (file, s)))
            {
                assert!(!contains(file, secret), "#{}", page.number());
            }
        }
        let salt = |name| page.link.parts.part(name).map(|part| part.salt.clone().into_bytes());
        let shown = |name| salt(name).is_some_and(|salt| contains(&proof, &salt));
        assert_eq!(shown(Name::Dice), page.number() != 5);
        assert_eq!(shown(Name::Text), ![2, 5].contains(&page.number()));
        assert!(!shown(Name::Withheld) && (page.number() != 3 || contains(&moved, &salt(Name::Withheld).unwrap())));
    }
}

#[test]
fn what_is_erased_leaves_no_secret_behind() {
    let page = sealed(&first_hash(), 1, false, &mut Entropy::from_seed([2; 32]));
    let words = page.link.parts.secrets.words.unwrap();
    let digests = page.entry.digests.clone();
    assert!(contains(&page.to_stored(), &words) && contains(&page.to_stored(), b"words 1"));
    let mut erased = page.clone();
    erased.link.parts.forget_words();
    // Even if the words are removed but the secret is left behind, it is not stored.
    let mut careless = page;
    let parts = &mut careless.link.parts;
    (parts.text, parts.answer, parts.why) = (None, None, None);
    for page in [erased, careless] {
        let stored = page.to_stored();
        assert_eq!(stored[0], COMPACT);
        assert!(!contains(&stored, &words) && !contains(&stored, b"words 1") && !contains(&stored, b"6 counts"));
        let back = Page::of_stored(KEY, &stored).unwrap();
        assert_eq!((back.entry.digests.clone(), back.link.parts.secrets.words), (digests.clone(), None));
        assert!(back.link.parts.dice.is_some() && back.text().is_none());
    }
}

#[test]
fn a_backup_is_read_by_every_version_and_leads_to_the_same_store() {
    let (_, store) = journal();
    let read = Memory::default();
    backup::read(&mut backed_up(&store).as_slice(), |batch| read.commit(&batch)).unwrap();
    assert_eq!(read.dump(), older(&store).dump());
    let mut batch = Batch::default();
    batch.put(keys::entry(&table(), 6), "{\"hash\":7}");
    store.commit(&batch).unwrap();
    let restored = Memory::default();
    backup::restore(&mut backed_up(&store).as_slice(), &restored).unwrap();
    assert_eq!(backed_up(&restored), backed_up(&store));
    for number in 1..=5 {
        let of = |store: &Memory| store.read(&keys::entry(&table(), number)).unwrap().unwrap();
        assert!(of(&restored)[0] == COMPACT && of(&restored).len() < of(&read).len() / 2, "#{number}");
    }
    let lines: BTreeMap<String, String> = String::from_utf8(backed_up(&store))
        .unwrap()
        .lines()
        .filter_map(|line| Some((line.split('"').nth(7)?.to_owned(), line.to_owned())))
        .collect();
    let line = &lines[&keys::entry(&table(), 1)];
    assert!(line.contains("\"value\":{\"hash\":\"") && line.contains("\"salt\":\""), "{line}");
}

/// `golden.hex` is what the first version with this stored form wrote for `golden.json`, with everything that an entry
/// can have. It must stay readable for ever.
#[test]
fn the_compact_form_never_changes() {
    let stored = unhex(include_str!("golden.hex").trim()).unwrap();
    let page = Page::of_stored(KEY, &stored).unwrap();
    assert_eq!(String::from_utf8(to_json(&page.link)).unwrap(), include_str!("golden.json").trim());
    assert_eq!(page.to_stored(), stored);
}
