//! The journal's promises: undo restores everything exactly, edits gain nothing, secrets stay secret, erased words are
//! gone.

mod stage;

use chat::{Block, Event, OfferedTo, Recipient, RoomId, Span};
use journal::documents::Head;
use journal::keys;
use journal::{Change, apply};
use proptest::prelude::{Strategy, prop};
use proptest::proptest;
use proptest::sample::select;
use serde_json::Value;
use stage::{changes, holds, link, seated, undo};
use table::OutcomeKind;
use tests::seated::{Came, NETWORK, Seated, alone_with, hall, player, table, text};

/// Commands that, in some state of the table, change something or roll dice.
const LINES: &[&str] = &[
    "roll 4d6kh3",
    "act d8 d10",
    "act d8 d10 vs 15",
    "act 2d6 d12 vs 9",
    "act 2d6 adv st",
    "counter d12 dis",
    "check 7 +4 -1 vs 25",
    "session Ann Bob",
    "award Ann triumph",
    "spend triumph",
    "spend triumph edit",
    "spheres vs 30",
    "encounter start",
    "surge trait",
    "turn Bob",
    "vs 12",
    "vs Bob 9",
    "crit impact",
    "crit inspire",
    "1",
    "2",
    "scratch d8",
    "insp +1",
    "insp Bob +2",
    "spend inspiration",
    "stress overwhelmed",
    "stress clear",
    "iam Tsubame",
    "iam Oni",
    "as Ogre act d12",
    "pc Ogre @Cem",
    "pc Ogre free",
    "gm me",
    "gm remove Ann",
    "game mvk",
    "table name Kaiju",
    "table undo referee",
    "room prefix !!",
    "secret act d8 d6",
    "seal strike",
    "undo",
    "redo",
    "join Cem",
    "leave",
];

fn line() -> impl Strategy<Value = (&'static str, &'static str)> {
    (select(&["Ann", "Bob", "Cem"][..]), select(LINES))
}

proptest! {
    #![proptest_config(proptest::test_runner::Config { failure_persistence: None, ..proptest::test_runner::Config::with_cases(60) })]

    /// After each command, its undo restores the previous state, except for things that began with it. Undoing the undo
    /// restores the state after it.
    #[test]
    fn undo_and_redo_restore_everything_exactly(lines in prop::collection::vec(line(), 1..25)) {
        let mut stage = seated();
        for (who, line) in lines {
            let before = holds(&stage);
            // The prefix may have changed, but the name always works.
            let played = stage.say(who, &format!("astragal: {line}"));
            let Some(number) = played.entry() else {
                continue;
            };
            let after = holds(&stage);
            let undone = undo(&mut stage, number);
            let second = undone.entry().expect("an undo is an entry");
            let mut expected = before;
            let begun: Vec<Change> = changes(&stage, second).begun;
            for change in changes(&stage, number).begun.into_iter().chain(begun.clone()) {
                apply(&mut expected, &[change]).expect("it was not there");
            }
            assert_eq!(holds(&stage), expected, "{line}, undone");
            assert_eq!(link(&stage, number).1.fate.undone_by, Some(second));

            undo(&mut stage, second);
            let mut expected = after;
            begun.into_iter().for_each(|change| apply(&mut expected, &[change]).expect("it was not there"));
            assert_eq!(holds(&stage), expected, "{line}, undone and redone");
            assert_eq!(link(&stage, number).1.fate.undone_by, None);
        }
    }

    /// Undoing everything, newest first, leads to a table where nothing was done.
    #[test]
    fn everything_can_be_undone_in_turn(lines in prop::collection::vec(line(), 1..25)) {
        let mut stage = seated();
        let mut entries = Vec::new();
        for (who, line) in lines.iter().filter(|(_, line)| !["undo", "redo"].contains(line)) {
            entries.extend(stage.say(who, &format!("astragal: {line}")).entry());
        }
        for number in entries.iter().rev() {
            undo(&mut stage, *number);
        }
        let mut expected = Value::Null;
        let head: Option<Head> = stage.read(&keys::head(&table()));
        for number in 1..=head.map_or(0, |head| head.number) {
            for change in changes(&stage, number).begun {
                let path = change.path.clone();
                // A seat that was taken and lost again begins again.
                let begins = Change { before: expected.pointer(&path).cloned(), ..change };
                apply(&mut expected, &[begins]).expect("it fits");
            }
        }
        let held = holds(&stage);
        assert_eq!(held.pointer("/games/mvk"), expected.pointer("/games/mvk"));
        assert_eq!(held.get("rolls"), None);
    }
}

/// Every way we could think of to get new dice for an old roll.
#[test]
fn no_way_of_editing_gets_new_dice_unseen() {
    let mut stage = seated();
    stage.say("Gus", "!gm me");
    let standing = |came: &Came| assert!(came.public().contains("stands"), "{}", came.public());

    // 1. The same roll again: nothing changes, and the bot says nothing.
    let roll = stage.say("Ann", "!roll 3d20");
    let thrown = roll.dice();
    let again = stage.edit("Ann", &roll.id, "!roll 3d20");
    assert!(again.heard.posts.is_empty() && again.heard.outcomes.is_empty());
    // 2. Reading it differently keeps the dice.
    let kept = stage.edit("Ann", &roll.id, "!roll 3d20kh1");
    assert_eq!(kept.dice(), thrown);
    let second = kept.entry().expect("it replaces the first");
    assert!(kept.public().contains("edited, was #"), "{}", kept.public());
    assert_eq!(link(&stage, roll.entry().unwrap()).1.fate.replaced_by, Some(second));
    // 3. Other sides, 4. fewer dice, 5. no dice at all: these would hide dice that fell.
    for other in ["!roll 3d12", "!roll 2d20", "!roll 7", "!help"] {
        standing(&stage.edit("Ann", &roll.id, other));
    }
    // 6. More dice come after the old ones.
    let more = stage.edit("Ann", &roll.id, "!roll 4d20");
    assert_eq!(more.dice()[..3], thrown);
    // 7. A second command in the same message, or the same one on a later line.
    standing(&stage.edit("Ann", &roll.id, "!roll 4d20\n!roll 3d20"));
    standing(&stage.edit("Ann", &roll.id, "!roll d4\n!roll 4d20"));
    // 8. Another plugin's command, or for another character.
    standing(&stage.edit("Ann", &roll.id, "!as Ann2 roll 4d20"));
    // 9. Making it secret.
    standing(&stage.edit("Ann", &roll.id, "!secret roll 4d20"));
    // 10. Another player edits it.
    assert!(stage.edit("Bob", &roll.id, "!roll 4d20kh1").heard.posts.is_empty());
    // 11. Deleted and typed again: the old one stays in the journal, with its number.
    let retyped = stage.say("Ann", "!roll 3d20");
    assert_ne!(retyped.dice(), thrown);
    assert!(stage.say("Bob", "!history").public().contains("roll 4d20"));
    // 12. An edit of the old roll after something else was played.
    standing(&stage.edit("Ann", &roll.id, "!roll 4d20kh3"));
    // 13. After an undo.
    stage.say("Ann", "!undo");
    standing(&stage.edit("Ann", &retyped.id, "!roll 3d20kh1"));
    // 14. After the seed was published.
    let open = stage.say("Ann", "!roll 2d6");
    stage.say("Gus", "!fair reveal all");
    let known = stage.edit("Ann", &open.id, "!roll 2d6 + d20");
    assert!(known.public().contains("stands: the seed of its dice is not in use any more"), "{}", known.public());
    // 15. A refused message is played once, and then counts like any other.
    let refused = stage.say("Ann", "!roll 2d6x");
    assert!(refused.refused());
    let played = stage.edit("Ann", &refused.id, "!roll 2d6");
    let edited = stage.edit("Ann", &refused.id, "!roll 2d6 + 1");
    assert_eq!(edited.dice(), played.dice());
    standing(&stage.edit("Ann", &refused.id, "!roll 3d8"));
    holds(&stage);
}

#[test]
fn an_edit_of_several_lines_is_all_or_nothing() {
    let mut stage = seated();
    let first = stage.say("Ann", "!insp +1\n!roll d20\n!insp +1");
    let before = holds(&stage);
    let refused = stage.edit("Ann", &first.id, "!insp +2\n!roll d20\n!insp -9");
    assert!(refused.public().contains("stands"), "{}", refused.public());
    assert_eq!(holds(&stage), before);
    let edited = stage.edit("Ann", &first.id, "!insp +2\n!roll d20+1\n!insp +3");
    assert!(edited.ok(), "{}", edited.public());
    assert_eq!(edited.dice(), first.dice());
    assert!(stage.say("Ann", "!insp").public().contains("inspiration 5"));
    // The answer replaces the first one.
    let earlier = edited.heard.posts[0].post.corrects().cloned().expect("a correction");
    assert_eq!(earlier.key, first.heard.posts[0].post.key);
    // After the undo neither version has any effect.
    for _ in 0..3 {
        assert!(stage.say("Ann", "!undo").ok());
    }
    assert!(stage.say("Ann", "!insp").public().contains("inspiration 0"));
    holds(&stage);
}

#[test]
fn a_follow_up_finds_the_roll_that_replaced_an_edited_one() {
    let mut stage = seated();
    let first = stage.say("Ann", "!act d8 d10 dis");
    let number = first.entry().unwrap();
    let edited = stage.edit("Ann", &first.id, "!act d8 d10 adv").entry().unwrap();
    let settled = stage.say("Ann", &format!("!vs #{number} 2"));
    assert_eq!(settled.heard.outcomes[0].follows, Some(edited), "{}", settled.public());
}

#[test]
fn results_and_offers_reach_the_network_as_data() {
    let mut stage = seated();
    let came = stage.say("Ann", "!roll 2d6\n!deal");
    let post = &came.heard.posts[0].post;
    assert_eq!(post.told[0].entry, Some(1));
    let total: u32 = came.dice().iter().map(|die| die.value).sum();
    assert_eq!(post.told[0].facts["total"], total);
    let spans = post.blocks.iter().filter_map(|block| match block {
        Block::Line(line) => Some(line),
        _ => None,
    });
    let offers: Vec<_> = spans
        .flatten()
        .filter_map(|span| match span {
            Span::Offer(offer) => Some((offer.command.as_str(), &offer.to)),
            _ => None,
        })
        .collect();
    assert_eq!(offers, [("!pick gold", &OfferedTo::Asker(1)), ("!pick silver", &OfferedTo::Asker(2))]);
}

#[test]
fn a_private_command_is_played_at_the_table_and_read_by_few() {
    let mut stage = seated();
    stage.say("Gus", "!gm me");
    let rolled = stage.aside("Ann", "in hall roll 2d6 # behind the curtain");
    let number = rolled.entry().expect("it was played");
    let posts: Vec<_> = rolled.heard.posts.iter().map(|outgoing| &outgoing.post).collect();
    assert_eq!(posts.len(), 3, "the room, Ann, Gus");
    for post in posts {
        let text = text(post);
        match (&post.to, post.room == hall()) {
            (Recipient::Room, true) => assert_eq!(text, format!("#{number}: a secret roll by Ann")),
            (Recipient::Room, false) => assert!(post.room == alone_with(&player("Ann")) && text.contains("curtain")),
            (Recipient::Player(reader), _) => assert!(*reader == player("Gus") && text.contains("curtain")),
        }
    }
    // A follow-up to it is just as secret.
    let acted = stage.aside("Ann", "in hall act d8 d10");
    let settled = stage.say("Ann", "!vs 9");
    assert_eq!(settled.public(), format!("#{}: a secret command by Ann", acted.entry().unwrap() + 1));
    assert!(!settled.private("Ann").is_empty());
    // A player cannot act in a room they are not in, and nothing is played.
    let nowhere = stage.aside("Ann", "in attic roll 2d6");
    assert!(nowhere.public().contains("I do not see you in attic"), "{}", nowhere.public());
    assert!(stage.aside("Eve", "in hall roll 2d6").entry().is_none());
    // In the room itself it would not be secret.
    assert!(stage.say("Ann", "!in hall roll 2d6").refused());
    // A player who cannot be answered in private hears so before any die falls.
    let mut message = stage.message("Ann", "!secret roll 2d6");
    message.speaker.reachable = false;
    let heard = stage.play(&Event::Said(message));
    assert!(heard.outcomes[0].dice.is_empty() && heard.outcomes[0].kind == OutcomeKind::Refused);
    holds(&stage);
}

#[test]
fn secrets_and_erased_words_are_in_no_export_and_erased_ones_nowhere() {
    let mut stage = seated();
    stage.say("Gus", "!gm me");
    stage.say("Ann", "!secret roll 2d6 # moonlight");
    stage.say("Ann", "!roll 2d6 # sunlight");
    stage.say("Bob", "!secret roll 2d6 # starlight");
    stage.say("Bob", "!reveal #4");
    let exported = |stage: &mut Seated| {
        let came = stage.say("Bob", "!export");
        let [file] = &came.files()[..] else { panic!("one file: {}", came.public()) };
        journal::export::verify(&mut file.as_bytes(), |_| {}).expect("it holds");
        file.clone()
    };
    let export = exported(&mut stage);
    assert!(!export.contains("moonlight") && export.contains("sunlight") && export.contains("starlight"));
    assert!(stage.say("Ann", "!erase #4").refused(), "it is Bob's");
    for (who, number) in [("Ann", 3), ("Cem", 4)] {
        assert!(stage.say(who, &format!("!erase #{number}")).ok());
    }
    let export = exported(&mut stage);
    assert!(!export.contains("sunlight") && !export.contains("starlight"));
    let everything: Vec<u8> = stage.store.dump().into_values().flatten().collect();
    let everything = String::from_utf8_lossy(&everything);
    // Text kept for later edits would contain the words as well.
    assert!(!everything.contains("sunlight") && !everything.contains("starlight"));
    assert!(everything.contains("moonlight"), "what was not erased is there");
    holds(&stage);
}

#[test]
fn commands_about_other_entries_cannot_be_edited() {
    let mut stage = seated();
    let stands = |came: &Came| assert!(came.public().contains("stands"), "{}", came.public());
    stage.say("Gus", "!gm me");
    let award = stage.say("Ann", "!insp +3");
    let undo = stage.say("Ann", "!undo");
    stands(&stage.edit("Ann", &undo.id, "!roll d6"));
    stands(&stage.edit("Ann", &undo.id, "!redo"));
    assert!(stage.say("Ann", "!redo").ok() && stage.say("Ann", "!redo").refused());
    stands(&stage.edit("Ann", &award.id, "!undo"));
    stage.say("Ann", "!secret roll d6");
    stage.say("Ann", "!secret roll d8");
    let reveal = stage.say("Ann", "!reveal #6");
    stands(&stage.edit("Ann", &reveal.id, "!reveal #7"));
    let erase = stage.say("Ann", "!erase #6");
    stands(&stage.edit("Ann", &erase.id, "!erase #7"));
    let given = stage.say("Ann", "!insp +1");
    let erasing = stage.edit("Ann", &given.id, "!erase #2");
    assert!(erasing.public().contains("type erase as a command of its own"), "{}", erasing.public());
    assert_eq!(link(&stage, 2).1.fate.erased_by, None);
    stage.say("Gus", "!table undo referee");
    stands(&stage.edit("Ann", &given.id, "!insp +5"));
    holds(&stage);
}

#[test]
fn a_secret_stays_secret_in_all_that_follows() {
    let mut stage = seated();
    // Without a referee everybody may use a referee's commands, but still nobody else can read secrets.
    let number = stage.say("Ann", "!secret act d8 d10").entry().expect("it is an entry");
    for who in ["Bob", "Cem"] {
        for line in ["undo", "why", "reveal"] {
            let came = stage.say(who, &format!("!{line} #{number}"));
            assert!(came.refused() && came.public().contains("secret"), "{line}: {}", came.public());
        }
        for line in ["history", "secret history", "recap", "waiting", "secret waiting", "export text"] {
            let came = stage.say(who, &format!("!{line}"));
            let text = [came.files().concat(), came.public(), came.private(who)].concat();
            assert!(!text.contains("d8 d10") && !text.contains("ACTION"), "{line}: {text}");
        }
    }
    // The player who rolled can read it in private.
    assert!(!stage.say("Ann", "!history").public().contains("d8 d10"));
    let own = stage.say("Ann", "!secret history");
    assert!(own.public().is_empty() && own.private("Ann").contains("act d8 d10"));
    // Commands that concern everybody cannot be secret, and a secret one cannot follow up on a public roll.
    for line in ["gm me", "table name Hidden", "fair reveal all", "iam Nobody", &format!("reveal #{number}")] {
        let came = stage.say("Ann", &format!("!secret {line}"));
        assert!(came.refused() && came.entry().is_none(), "{line}");
    }
    assert!(stage.say("Ann", "!act d8").ok());
    assert!(stage.say("Ann", "!secret vs 3").refused());
    assert!(stage.say("Ann", "!vs 3").ok());
    let undone = stage.say("Ann", &format!("!undo #{number}"));
    assert!(undone.ok() && undone.public().ends_with("a secret command by Ann"), "{}", undone.public());
    holds(&stage);
}

#[test]
fn a_follow_up_without_a_number_skips_undone_rolls() {
    let mut stage = seated();
    let first = stage.say("Ann", "!act d8").entry();
    stage.say("Ann", "!act d10");
    stage.say("Ann", "!undo");
    let settled = stage.say("Ann", "!vs 3");
    assert_eq!(settled.heard.outcomes[0].follows, first, "{}", settled.public());
    // After the redo it is the latest roll again.
    stage.say("Ann", "!redo");
    assert_eq!(stage.say("Ann", "!vs 3").heard.outcomes[0].follows, Some(2));
}

#[test]
fn an_offer_is_taken_once_by_its_number_or_its_words_and_an_undo_reopens_it() {
    let mut stage = seated();
    stage.say("Ann", "!deal");
    assert!(stage.say("Bob", "!1").heard.outcomes[0].kind == OutcomeKind::Silent, "nothing is offered to him");
    assert!(stage.say("Ann", "!2").public().starts_with("silver it is"));
    assert!(stage.say("Ann", "!1").public().contains(": #2 settled that"));
    assert!(stage.say("Ann", "!undo").ok());
    assert!(stage.say("Bob", "!waiting").public().contains("Ann on #1"));
    // Typing it out takes it as well.
    assert!(stage.say("Ann", "!Pick  GOLD").ok());
    assert!(stage.say("Ann", "!1").refused());
    assert!(stage.say("Bob", "!waiting").public().starts_with("No choices are open"));
    // Undoing the deal also withdraws its offers.
    stage.say("Ann", "!undo");
    stage.say("Ann", "!undo");
    let gone = stage.say("Ann", "!1").public();
    assert!(gone.contains("#1 was undone in #6"), "{gone}");
    holds(&stage);
}

#[test]
fn nobody_undoes_what_they_may_no_longer_do() {
    let mut stage = seated();
    stage.say("Gus", "!gm me");
    stage.say("Gus", "!gm add Ann");
    let left = stage.say("Ann", "!gm remove me");
    // Neither an undo nor an edit makes her a referee again.
    assert!(stage.say("Ann", "!undo").refused());
    let edited = stage.edit("Ann", &left.id, "!roll d6");
    assert!(edited.public().contains("stands"), "{}", edited.public());
    assert!(stage.say("Ann", "!gm remove Gus").refused());
    // A former referee cannot undo a gift they made as the referee.
    stage.say("Gus", "!pc Ogre @Bob");
    let given = stage.say("Gus", "!gm remove me").entry().expect("an entry") - 1;
    stage.say("Cem", "!gm me");
    assert!(stage.say("Gus", &format!("!undo #{given}")).refused());
    // A room's settings belong to its admin.
    let prefix = stage.say("Cem", "!room prefix !!").entry().expect("an entry");
    stage.say("Cem", "astragal: gm add Bob");
    let undone = stage.say("Bob", &format!("astragal: undo #{prefix}"));
    assert!(undone.public().contains("it takes a room admin"), "{}", undone.public());
    assert!(stage.say("Cem", &format!("astragal: undo #{prefix}")).ok());
    holds(&stage);
}

#[test]
fn a_name_is_kept_for_whoever_had_it() {
    let mut stage = seated();
    let named = stage.say("Ann", "!iam Tsubame").entry().expect("an entry");
    let refused = stage.say("Bob", "!iam Ann");
    assert!(refused.refused(), "{}", refused.public());
    assert!(stage.say("Ann", &format!("!undo #{named}")).ok());
    holds(&stage);
}

#[test]
fn only_those_who_may_see_a_secret_roll_follow_it_up() {
    let mut stage = seated();
    let number = stage.say("Ann", "!secret act d8 d10").entry().expect("an entry");
    for line in [format!("!vs #{number} 5"), "!vs Ann 5".to_owned()] {
        for who in ["Bob", "Cem"] {
            let came = stage.say(who, &line);
            assert!(came.refused() && came.heard.outcomes[0].dice.is_empty(), "{who} {line}: {}", came.public());
            assert!(came.private(who).is_empty());
        }
    }
    assert!(stage.say("Ann", "!vs 5").ok());
    // A character without a player belongs to the referee, including secrets.
    stage.say("Gus", "!gm me");
    stage.say("Gus", "!as Ogre secret act d8");
    assert!(stage.say("Gus", "!vs Ogre 3").ok());
    holds(&stage);
}

#[test]
fn in_private_room_names_come_before_table_names() {
    let mut stage = seated();
    // Eve is an admin of another room and gives its table the name of ours.
    let mut message = stage.message("Eve", "!table name hall");
    message.room = RoomId::new(NETWORK, "attic");
    assert_eq!(stage.play(&Event::Said(message)).outcomes[0].kind, OutcomeKind::Played);
    let mut message = stage.message("Ann", "hello");
    message.room = RoomId::new(NETWORK, "attic");
    stage.play(&Event::Said(message));
    let sealed = stage.aside("Ann", "in hall seal my plan");
    assert!(sealed.heard.posts.iter().any(|outgoing| outgoing.post.room == hall()), "{}", sealed.public());
    assert!(sealed.heard.posts.iter().all(|outgoing| outgoing.post.room.id != "attic"));
    // The full id works, and so does a table's name if it is unique.
    assert!(stage.aside("Ann", "in test/hall: roll d6").entry().is_some());
    stage.say("Ann", "!table name The Bay");
    assert!(stage.aside("Ann", "in \"the bay\" roll d6").entry().is_some());
}

#[test]
fn an_edit_in_private_stays_with_the_table_it_was_played_at() {
    let mut stage = seated();
    let private = stage.aside("Ann", "roll d20");
    let aside = stage.aside("Ann", "in hall roll d20");
    let mut message = stage.message("Ann", "roll d20 + 1");
    (message.room, message.private) = (alone_with(&player("Ann")), true);
    let heard = stage.play(&Event::Edited { message, original: aside.id.clone() });
    assert_eq!(heard.outcomes[0].kind, OutcomeKind::Refused);
    let mut message = stage.message("Ann", "in hall roll d20 + 1");
    (message.room, message.private) = (alone_with(&player("Ann")), true);
    let heard = stage.play(&Event::Edited { message, original: aside.id });
    assert_eq!((heard.outcomes[0].kind, heard.outcomes[0].entry), (OutcomeKind::Played, Some(2)));
    assert_eq!(private.entry(), Some(1));
    holds(&stage);
}

#[test]
fn the_first_message_of_a_table_can_be_exported_with_it() {
    let mut stage = seated();
    let came = stage.say("Ann", "!roll d6\n!export");
    let verdict = journal::export::verify(&mut came.files()[0].as_bytes(), |_| {}).expect("it holds");
    assert_eq!(verdict.verifier.entries, 1);
}

#[test]
fn an_undo_can_be_undone_but_not_forever() {
    let mut stage = seated();
    stage.say("Ann", "!insp +1");
    let refused = (1..100).map(|number| stage.say("Ann", &format!("!undo #{number}"))).find(|came| came.refused());
    assert!(refused.expect("there is an end").public().contains("type the command itself again"));
    holds(&stage);
}

#[test]
fn a_character_who_acted_is_not_undone() {
    let mut stage = seated();
    stage.say("Ann", "!iam Tsubame");
    let made = stage.say("Ann", "!iam Kaede").entry().expect("an entry");
    let acted = stage.say("Ann", "!roll d6").entry().expect("an entry");
    let undone = stage.say("Ann", &format!("!undo #{made}"));
    assert!(
        undone.public().contains(&format!("#{acted} (Kaede's roll) has changed the same thing since")),
        "{}",
        undone.public()
    );
    assert!(stage.say("Ann", "!undo").ok());
    assert!(stage.say("Ann", &format!("!undo #{made}")).ok());
    assert!(stage.say("Ann", "!pc").public().starts_with("Characters: Tsubame (Ann)"));
    holds(&stage);
}

#[test]
fn secret_offers_are_shown_and_taken_in_private() {
    let mut stage = seated();
    stage.say("Gus", "!gm me");
    stage.say("Ann", "!secret deal");
    for (who, line) in
        [("Ann", "!waiting"), ("Bob", "!waiting"), ("Bob", "!secret waiting"), ("Cem", "!secret waiting")]
    {
        let came = stage.say(who, line);
        let all = came.public() + came.private(who).as_str();
        assert!(all.starts_with("No choices are open"), "{who} {line}: {all}");
    }
    assert!(stage.say("Ann", "!secret waiting").private("Ann").contains("(!pick gold)"));
    let taken = stage.say("Ann", "!1");
    assert_eq!(taken.public(), "#3: a secret command by Ann");
    let again = stage.say("Ann", "!1");
    assert!(again.public().is_empty() && again.private("Ann").contains("You can no longer choose"));
    holds(&stage);
}
