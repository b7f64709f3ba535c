//! Every act, by everyone who may try it, on every place of a table.

use super::*;

use journal::documents::Character;

fn id() -> PlayerId {
    PlayerId::new("n", "1")
}

#[test]
fn rights_follow_accounts() {
    let mut doc = TableDoc::default();
    let mut speaker = Speaker {
        player: id(),
        name: "Gus".into(),
        standing: Standing::Member,
        trust: Trust::NickOnly,
        reachable: true,
        address: String::new(),
        also: None,
    };
    let owners = BTreeSet::from([id()]);
    assert_eq!(role(&doc, &speaker, super::At::Home, &owners), Role::Referee, "while there is none");
    doc.referees.insert(id(), "Gus".into());
    assert_eq!(role(&doc, &speaker, super::At::Home, &BTreeSet::new()), Role::Player);
    assert_eq!(role(&doc, &speaker, super::At::Home, &owners), Role::Player);
    speaker.trust = Trust::Account;
    assert_eq!(role(&doc, &speaker, super::At::Home, &BTreeSet::new()), Role::Referee);
    assert_eq!(role(&doc, &speaker, super::At::Home, &owners), Role::Owner);
    speaker.standing = Standing::Admin;
    assert_eq!(role(&doc, &speaker, super::At::Home, &BTreeSet::new()), Role::Admin);
}

#[test]
fn who_runs_a_guest_runs_the_room_and_not_the_table() {
    let (doc, room) = (table(At::Refereed), RoomId::new("n", "r"));
    let (speaker, _) = speaker(4);
    let mut guest = rights(&doc, &speaker, &room, false, 4);
    let own = Place::Room(room.clone());
    let acts = [Act::SetRoom, Act::SeatRoom, Act::Give(Role::Admin), Act::PutBack(&own)];
    assert!(acts.into_iter().all(|act| guest.may(&doc, act)));
    (guest.at, guest.role) = (super::At::AGuest, role(&doc, &speaker, super::At::AGuest, &BTreeSet::new()));
    assert!(acts.into_iter().all(|act| guest.may(&doc, act)));
    let others = Place::Room(RoomId::new("n", "other"));
    let acts = [Act::Give(Role::Referee), Act::Disclose, Act::NameReferee, Act::EraseOlder, Act::SetTable];
    assert!(!acts.into_iter().chain([Act::PutBack(&others)]).any(|act| guest.may(&doc, act)));
    // Nor is a macro of somebody else's its admin's.
    guest.with_words_of(&doc, Some(&player("bob")));
    assert!(!guest.may(&doc, Act::SetRoom) && !guest.may(&doc, Act::SeatRoom));
}

/// The people who try, in the column order of the tables below.
const WHO: [&str; 8] = [
    "a player",
    "the same by a nick alone",
    "the referee",
    "a referee by a nick alone",
    "a room admin",
    "an admin in private",
    "the owner",
    "the operator",
];

/// The table of `Ann`, who plays character 1, with a referee or without.
#[derive(Clone, Copy)]
enum At {
    Refereed,
    Free,
}

fn player(name: &str) -> PlayerId {
    PlayerId::new("n", name)
}

fn table(at: At) -> TableDoc {
    let mut doc = TableDoc::default();
    let character = |owner: Option<&str>| Character {
        name: "X".into(),
        owner: owner.map(player),
        named: false,
        was: None,
        away: None,
    };
    doc.characters =
        [(1, Some("ann")), (2, Some("bob")), (3, None)].map(|(id, owner)| (CharacterId(id), character(owner))).into();
    if matches!(at, At::Refereed) {
        doc.referees = ["gus", "nick"].map(|name| (player(name), name.to_owned())).into();
    }
    doc
}

/// The person of a column, and whether the words are their own; anyone but the referee is Ann.
fn speaker(column: usize) -> (Speaker, bool) {
    let name = ["ann", "ann", "gus", "nick", "ann", "ann", "ann", "operator"][column];
    let mut speaker = Speaker::new(player(name), name);
    speaker.trust = if matches!(column, 1 | 3) { Trust::NickOnly } else { Trust::Account };
    speaker.standing = match column {
        4 | 5 => Standing::Admin,
        7 => Standing::Operator,
        _ => Standing::Member,
    };
    (speaker, column == 5)
}

fn rights<'a>(doc: &TableDoc, speaker: &'a Speaker, room: &'a RoomId, in_private: bool, column: usize) -> Rights<'a> {
    let owners: BTreeSet<_> = (column == 6).then(|| player("ann")).into_iter().collect();
    let said = if in_private { Said::Alone } else { Said::InTheRoom };
    Rights {
        speaker,
        role: role(doc, speaker, super::At::Home, &owners),
        words: Words::Own,
        said,
        room,
        at: super::At::Home,
        since: 0,
        took: Cell::new(Role::Player),
    }
}

fn entry(of: &str) -> Entry {
    let json = serde_json::json!({
        "number": 1, "epoch": 1, "key": {"network": "n", "room": "r", "id": "1", "ordinal": 1},
        "player": player(of), "character": 1, "time": "2026-01-01T00:00:00Z", "game": "roll", "command": "roll",
        "digests": {"text": "", "answer": "", "dice": "", "facts": "", "record": "", "changes": ""},
    });
    serde_json::from_value(json).expect("an entry")
}

/// The columns that may, as a word of `y` and `-`.
fn who_may(at: At, words: Words, act: Act<'_>) -> String {
    let doc = table(at);
    let may = |column: usize| {
        let (speaker, in_private) = speaker(column);
        let room = RoomId::new("n", "r");
        let mut rights = rights(&doc, &speaker, &room, in_private, column);
        if words == Words::Mixed {
            // Words by Bob, who is a player.
            rights.with_words_of(&doc, Some(&player("bob")));
        }
        if rights.may(&doc, act) { 'y' } else { '-' }
    };
    (0..WHO.len()).map(may).collect()
}

/// An act, and who may do it: at a table with a referee, there with somebody else's words, and at one without a
/// referee.
type Row<'a> = (Act<'a>, [&'a str; 3]);

#[test]
fn every_act_is_for_whom_it_is_meant() {
    let (own, others) = (entry("ann"), entry("bob"));
    let (ann, gus) = (player("ann"), player("gus"));
    let rows: Vec<Row> = vec![
        // columns: player, nick, referee, referee's nick, admin, admin in private, owner, operator
        (Act::Give(Role::Player), ["yyyyyyyy", "yyyyyyyy", "yyyyyyyy"]),
        (Act::Give(Role::Referee), ["--y-yyyy", "--------", "yyyyyyyy"]),
        (Act::Give(Role::Admin), ["----yyyy", "--------", "----yyyy"]),
        (Act::Give(Role::Owner), ["------y-", "--------", "------y-"]),
        (Act::ChangeTheTable, ["yyyyyyyy", "--------", "yyyyyyyy"]),
        (Act::ForgetOwn, ["yyyyyyyy", "--------", "yyyyyyyy"]),
        (Act::PlayAs(CharacterId(1)), ["yyy-yyyy", "--------", "yyyyyyyy"]),
        (Act::PlayAs(CharacterId(2)), ["--y-yyyy", "--------", "yyyyyyyy"]),
        (Act::PlayAs(CharacterId(3)), ["--y-yyyy", "--------", "yyyyyyyy"]),
        (Act::AnswerFor(CharacterId(1)), ["yy--yyy-", "--------", "yy--yyy-"]),
        (Act::AnswerFor(CharacterId(2)), ["--------", "--------", "--------"]),
        (Act::AnswerFor(CharacterId(3)), ["--y-yyyy", "--------", "yyyyyyyy"]),
        (Act::BringIn, ["--y-yyyy", "--------", "yyyyyyyy"]),
        (Act::KeepCharacters, ["--y-yyyy", "--------", "yyyyyyyy"]),
        (Act::SitAtAFullTable, ["--yyyyyy", "--yy----", "----yyyy"]),
        (Act::Read(&own), ["yyy-yyy-", "--------", "yy--yyy-"]),
        (Act::Read(&others), ["--y-----", "--------", "--------"]),
        (Act::Know, ["--y-----", "--------", "--------"]),
        (Act::Disclose, ["--y-yyyy", "--------", "----yyyy"]),
        (Act::Undo, ["yyyyyyyy", "yyyyyyyy", "yyyyyyyy"]),
        (Act::TakeBack(&own), ["yyy-yyyy", "--------", "yyyyyyyy"]),
        (Act::TakeBack(&others), ["--y-yyyy", "--------", "yyyyyyyy"]),
        (Act::NameReferee, ["--y-yyyy", "--------", "yyyyyyyy"]),
        (Act::Dismiss(&ann), ["yyy-yyyy", "--------", "yyyyyyyy"]),
        (Act::Dismiss(&gus), ["--y-yyyy", "--------", "yyyyyyyy"]),
        (Act::SetTable, ["--y-yyyy", "--------", "yyyyyyyy"]),
        (Act::BeginScene, ["--y-yyyy", "--------", "yyyyyyyy"]),
        (Act::HandOut, ["--y-yyyy", "--------", "yyyyyyyy"]),
        (Act::NameForTable, ["--y-yyyy", "--------", "yyyyyyyy"]),
        (Act::PublishSeed, ["--y-yyyy", "--------", "yyyyyyyy"]),
        (Act::BindBeyondTheLimit, ["----yyyy", "--------", "----yyyy"]),
        (Act::SeatRoom, ["--y-yyyy", "--------", "----yyyy"]),
        (Act::SetRoom, ["----yyyy", "--------", "----yyyy"]),
        (Act::Erase(&own), ["yy--yyyy", "--------", "yy--yyyy"]),
        (Act::Erase(&others), ["----yyyy", "--------", "----yyyy"]),
        (Act::EraseOlder, ["----yyyy", "--------", "----yyyy"]),
    ];
    hold(rows);
}

#[test]
fn every_place_is_put_back_by_whom_it_is_meant_for() {
    let (ann, bob) = (player("ann"), player("bob"));
    let own = ["yyy-yyyy", "--------", "yyyyyyyy"];
    let referees = ["--y-yyyy", "--------", "yyyyyyyy"];
    let everybodys = ["yyyyyyyy"; 3];
    let rows = [
        (Place::TableName, referees),
        (Place::MainGame, referees),
        (Place::Referee(ann.clone()), referees),
        (Place::Seat(ann), own),
        (Place::Seat(bob), referees),
        (Place::Character(CharacterId(1)), own),
        (Place::Character(CharacterId(2)), referees),
        (Place::Character(CharacterId(9)), everybodys),
        (Place::TableSetting("torg".into()), referees),
        (Place::Sealed(CharacterId(1)), own),
        (Place::Sealed(CharacterId(2)), referees),
        (Place::TableShortcuts, referees),
        (Place::Shortcuts(CharacterId(1)), own),
        (Place::Shortcuts(CharacterId(2)), referees),
        (Place::Scene, referees),
        (Place::Room(chat::RoomId::new("n", "r")), ["----yyyy", "--------", "----yyyy"]),
        // A game reports itself what it needs.
        (Place::Game("mvk".into()), everybodys),
        (Place::Record(1), everybodys),
        (Place::Offers(1), everybodys),
        (Place::Other("/table/oath".into()), ["--------"; 3]),
    ];
    hold(rows.iter().map(|(place, who)| (Act::PutBack(place), *who)).collect());
}

fn hold(rows: Vec<Row>) {
    let mut wrong = Vec::new();
    for (act, [refereed, mixed, free]) in rows {
        for (what, expected, found) in [
            ("with a referee", refereed, who_may(At::Refereed, Words::Own, act)),
            ("in another's words", mixed, who_may(At::Refereed, Words::Mixed, act)),
            ("without a referee", free, who_may(At::Free, Words::Own, act)),
        ] {
            if expected != found {
                wrong.push(format!("{act:?} {what}: expected {expected}, found {found}"));
            }
        }
    }
    assert!(wrong.is_empty(), "columns: {}\n{}", WHO.join(", "), wrong.join("\n"));
}
