//! Nobody gets a right they were not given.

use crate::attack::seated::{self, Came, NETWORK, Person, Seated, games, hall};
use chat::{Block, Event, Fake, Message, PlayerId, RoomId, Speaker, Trust};
use jiff::Timestamp;
use journal::keys;
use journal::store::{Batch, Store};
use plugin_api::{Commands, Game, Name, Refusal, Reply, Text, Turn};
use serde_json::Value;
use tests::serving::Make;

/// Ann plays Tsubame, Bob is a player, and Gus is the referee.
fn table() -> (Seated, [Person; 3]) {
    let mut table = Seated::new(games);
    let people = ["Ann", "Bob", "Gus"].map(Person::account);
    people.iter().for_each(|person| table.comes(person));
    assert!(table.say(&people[2], "!gm me").ok());
    assert!(table.say(&people[0], "!iam Tsubame").ok());
    (table, people)
}

fn referees(table: &mut Seated, who: &Person) -> String {
    table.say(who, "!gm").public()
}

fn refused(came: &Came) {
    assert!(!came.ok() && came.entry().is_none(), "{}", came.all());
}

/// Changes the table's document in the store.
fn with_document(table: &mut Seated, change: impl FnOnce(&mut Value)) {
    let key = keys::doc(&seated::table());
    let mut document = table.read(&key).expect("there is one");
    change(&mut document);
    table.write(&key, &document);
}

#[test]
fn a_macro_never_plays_with_the_referees_rights() {
    let (mut table, [ann, bob, gus]) = table();
    let secret = table.say(&bob, "!secret roll d20").entry().expect("an entry");
    assert!(table.say(&gus, "!pc Ogre").ok());
    for body in [
        "gm add Ann",
        "gm remove Gus",
        "gm remove me",
        "game mvk",
        "insp Bob +2",
        "possibilities Bob +1",
        "as Ogre act d8",
        "as Gus iam Fool",
        "reveal #SECRET",
        "undo",
        "erase #1",
        "forget me really",
        "macro strike gm add Ann",
        "set dc 3",
        "scene Mine",
    ] {
        let body = body.replace("SECRET", &secret.to_string());
        assert!(table.say(&ann, &format!("!macro attack {body}")).ok(), "{body}");
        refused(&table.say(&gus, "!as Tsubame attack"));
        assert_eq!(referees(&mut table, &bob), "The referee is Gus.", "{body}");
    }
    // A command that needs no special right still works.
    assert!(table.say(&ann, "!macro attack act d8 d10").ok());
    assert!(table.say(&gus, "!as Tsubame attack").ok());
}

#[test]
fn a_variable_never_decides_what_only_a_referee_may() {
    let (mut table, [ann, _, gus]) = table();
    assert!(table.say(&ann, "!set who Ann").ok());
    assert!(table.say(&ann, "!set str 3").ok());
    refused(&table.say(&gus, "!as Tsubame possibilities $who +1"));
    assert!(table.say(&gus, "!as Tsubame roll d20+$str").ok());
}

#[test]
fn a_value_that_is_looked_up_never_decides_what_only_a_referee_may() {
    let (mut table, [ann, bob, gus]) = table();
    assert!(table.say(&ann, "!set lots +5").ok());
    assert!(table.say(&ann, "!set hp 30/40").ok());
    refused(&table.say(&gus, "!as Tsubame possibilities Ann lots"));
    assert!(table.say(&gus, "!possibilities Ann +5").ok());
    // Nor does anybody change the values of others by their name, or see those of the opposition.
    assert!(table.say(&gus, "!as Ogre set hp 20/20").ok());
    assert!(!table.say(&bob, "!hp -5").ok());
    refused(&table.say(&bob, "!as Tsubame hp -5"));
    refused(&table.say(&bob, "!as Ogre hp -5"));
    refused(&table.say(&bob, "!values Ogre"));
    assert!(table.say(&gus, "!set table light 3").ok());
    refused(&table.say(&bob, "!light -1"));
    assert!(table.say(&gus, "!values Ogre").all().contains("20/20"));
}

#[test]
fn a_macro_within_a_macro_or_of_a_variable_has_the_least_of_their_rights() {
    let (mut table, [ann, _, gus]) = table();
    assert!(table.say(&gus, "!macro table give possibilities $1 +1").ok());
    assert!(table.say(&ann, "!macro attack secret give Ann").ok());
    refused(&table.say(&gus, "!as Tsubame attack"));
    // The table's macro is the referee's, and a player runs it with a player's rights.
    refused(&table.say(&ann, "!give Ann"));
    assert!(table.say(&gus, "!give Ann").ok());
}

#[test]
fn a_table_macro_loses_its_rights_with_the_referee_who_made_it() {
    let (mut table, [_, bob, gus]) = table();
    assert!(table.say(&gus, "!gm add Bob").ok());
    assert!(table.say(&bob, "!macro table give possibilities Ann +1").ok());
    assert!(table.say(&gus, "!give").ok());
    assert!(table.say(&gus, "!gm remove Bob").ok());
    refused(&table.say(&gus, "!give"));
}

#[test]
fn a_macro_made_without_a_referee_gains_no_rights_later() {
    let mut table = Seated::new(games);
    let [ann, gus] = ["Ann", "Gus"].map(Person::account);
    [&ann, &gus].into_iter().for_each(|person| table.comes(person));
    assert!(table.say(&ann, "!macro table give possibilities Ann +1").ok());
    assert!(table.say(&gus, "!gm me").ok());
    refused(&table.say(&gus, "!give"));
}

#[test]
fn a_macro_of_an_older_version_has_the_rights_of_a_plain_player() {
    let (mut table, [ann, _, gus]) = table();
    assert!(table.say(&ann, "!macro attack gm add Ann").ok());
    assert!(table.say(&ann, "!macro hit act d8 d10").ok());
    table.restart();
    with_document(&mut table, |document| {
        let own = document["shortcuts"]["own"].as_object_mut().expect("Ann has shortcuts");
        own.values_mut().for_each(|named| drop(named.as_object_mut().expect("names").remove("by")));
    });
    table.comes(&ann);
    refused(&table.say(&gus, "!as Tsubame attack"));
    assert_eq!(referees(&mut table, &ann), "The referee is Gus.");
    assert!(table.say(&ann, "!hit").ok());
}

#[test]
fn a_players_own_macro_has_the_players_rights() {
    let (mut table, [_, _, gus]) = table();
    assert!(table.say(&gus, "!macro boss as Ogre act d8").ok());
    assert!(table.say(&gus, "!boss").ok());
    assert!(table.say(&gus, "!macro begin scene The wolf").ok());
    assert!(table.say(&gus, "!begin").ok());
}

/// A game that offers anything the test wants.
struct Tempter;

#[derive(Clone, Commands)]
enum Bait {
    /// Offer somebody this.
    #[command(changes, main, example = "tempt Ann grin")]
    Tempt { who: Name, offer: Text },
    /// Grin.
    #[command(changes, example = "grin broadly")]
    Grin { how: Text },
    /// Rule.
    #[command(changes, referee, example = "rule")]
    Rule,
}

impl Game for Tempter {
    const ID: &'static str = "tempter";
    const TITLE: &'static str = "Tempter";
    const ABOUT: &'static str = "offers anything";
    type State = u32;
    type Command = Bait;

    fn play(state: &mut u32, command: Bait, _: &mut Turn) -> Result<Reply, Refusal> {
        *state += 1;
        Ok(match command {
            Bait::Tempt { who, offer } => Reply::from("well?").offer_to(&who.0, offer.text.replace('%', "$"), "do it"),
            Bait::Grin { how } => Reply::from(format!("grins {}", how.text)),
            Bait::Rule => Reply::from("rules"),
        })
    }
}

#[test]
fn an_offer_has_no_more_rights_than_its_maker() {
    let make = || ::games::all().into_iter().chain([plugin_api::plugin::<Tempter>()]).collect();
    let mut table = Seated::new(make);
    let [ann, gus] = ["Ann", "Gus"].map(Person::account);
    [&ann, &gus].into_iter().for_each(|person| table.comes(person));
    assert!(table.say(&gus, "!gm me").ok());
    assert!(table.say(&gus, "!set str 3").ok() && table.say(&gus, "!macro smile gm add Ann").ok());
    let mut take = |offer: &str| {
        let tempted = table.say(&ann, &format!("!tempt Gus {offer}"));
        assert!(tempted.ok(), "{}", tempted.all());
        assert!(table.say(&gus, "!waiting").ok());
        let came = table.say(&gus, "!1");
        assert_eq!(referees(&mut table, &ann), "The referee is Gus.", "{offer}");
        came
    };
    for offer in [
        "gm add Ann",
        "as Ann gm add Ann",
        "smile",
        "set str 0",
        "str +1",
        "set table str 0",
        "roll d20",
        "clock Doom 4",
    ] {
        let came = take(offer);
        assert!(came.entry().is_none(), "{offer}: {}", came.all());
    }
    // What a tool does may be offered, as far as whoever made the offer could do it.
    let came = take("pick a, b");
    assert!(came.entry().is_some(), "{}", came.all());
    // Variables in an offer are not expanded.
    let came = take("grin %str");
    assert!(came.public().contains("grins $str"), "{}", came.all());
}

/// A referee, and a player whose display name is the id of another.
fn with_an_impostor() -> (Seated, [Person; 4]) {
    let mut table = Seated::new(games);
    let people = [
        Person::account("Ref"),
        Person::of("@gus:example.org", "August"),
        Person::of("@mallory:evil.example", "gus:example.org"),
        Person::of("@eve:evil.example", "@gus:example.org"),
    ];
    people.iter().for_each(|person| table.comes(person));
    assert!(table.say(&people[0], "!gm me").ok());
    (table, people)
}

#[test]
fn an_id_always_outranks_a_display_name() {
    for typed in ["@gus:example.org", "gus:example.org", "test:@gus:example.org", "@GUS:example.org"] {
        let (mut table, [gm, ..]) = with_an_impostor();
        let added = table.say(&gm, &format!("!gm add {typed}"));
        assert!(
            added.public().starts_with("August (@gus:example.org) is now a referee"),
            "{typed}: {}",
            added.public()
        );
        let removed = table.say(&gm, &format!("!gm remove {typed}"));
        assert!(removed.public().contains("(@gus:example.org) is no longer"), "{typed}: {}", removed.public());
        let given = table.say(&gm, &format!("!pc Ogre {typed}"));
        assert!(given.public().contains("(@gus:example.org) now plays Ogre"), "{typed}: {}", given.public());
    }
}

#[test]
fn a_name_that_looks_like_an_id_does_not_count_as_one() {
    let mut table = Seated::new(games);
    let gm = Person::account("Ref");
    let mallory = Person::of("@mallory:evil.example", "gus:example.org");
    [&gm, &mallory].into_iter().for_each(|person| table.comes(person));
    assert!(table.say(&gm, "!gm me").ok());
    for line in ["!gm add @gus:example.org", "!gm add gus:example.org", "!pc Ogre @gus:example.org"] {
        refused(&table.say(&gm, line));
    }
    // Ignoring an id does not ignore somebody who shows it as a name.
    let admin = gm.clone().admin();
    assert!(table.say(&admin, "!ignore @gus:example.org").ok());
    assert!(table.say(&mallory, "!roll d6").ok());
}

#[test]
fn a_characters_name_gives_nobody_a_right() {
    let (mut table, [_, bob, gus]) = table();
    let mallory = Person::account("Mallory");
    table.comes(&mallory);
    assert!(table.say(&mallory, "!iam Gustav").ok());
    refused(&table.say(&gus, "!gm add Gustav"));
    // Nor when somebody else shows that name.
    let real = Person::of("@gustav:example.org", "Gustav");
    table.comes(&real);
    let came = table.say(&gus, "!gm add Gustav");
    refused(&came);
    assert!(came.public().contains("@gustav:example.org or @mallory:example.org"), "{}", came.public());
    assert!(table.say(&gus, "!gm add @gustav:example.org").public().contains("Gustav (@gustav:example.org)"));
    assert!(!referees(&mut table, &bob).contains("Mallory"));
}

#[test]
fn a_former_and_a_present_player_of_one_name_are_two_people() {
    let (mut table, [_, bob, gus]) = table();
    assert!(table.say(&bob, "!roll d6").ok());
    table.goes(&bob);
    let thief = Person::of("@thief:evil.example", "Bob");
    table.comes(&thief);
    refused(&table.say(&gus, "!gm add Bob"));
    refused(&table.say(&gus, "!pc Ogre @Bob"));
}

#[test]
fn a_player_the_network_does_not_vouch_for_now_holds_no_rights() {
    let (mut table, [_, bob, gus]) = table();
    let nick = Person::nick("Nick");
    table.comes(&nick);
    assert!(table.say(&nick, "!roll d6").ok());
    refused(&table.say(&gus, "!gm add Nick"));
    // After a restart the bot knows nobody yet.
    table.restart();
    refused(&table.say(&gus, "!gm add Nick"));
    refused(&table.say(&gus, "!gm add nick:nick"));
    table.comes(&bob);
    assert!(table.say(&gus, "!gm add Bob").ok());
}

#[test]
fn disclosing_needs_an_admin_where_there_is_no_referee_and_never_a_bare_nick() {
    let mut table = Seated::new(games);
    let [ann, bob, cem] = ["Ann", "Bob", "Cem"].map(Person::account);
    let (nick, op, cem) = (Person::nick("Nick"), Person::nick("Op").admin(), cem.admin());
    [&ann, &bob, &cem, &nick, &op].into_iter().for_each(|person| table.comes(person));
    assert!(table.say(&ann, "!secret roll d20").ok());
    assert!(table.say(&ann, "!seal I strike").ok());
    for line in ["!fair reveal all", "!unseal", "!export move", "!reveal #1"] {
        for who in [&bob, &nick] {
            refused(&table.say(who, line));
        }
    }
    // An admin is one by the network's word, not by nick; not even an admin reads secrets.
    refused(&table.say(&op, "!reveal #1"));
    assert!(table.say(&op, "!unseal").ok());
    assert!(table.say(&cem, "!fair reveal all").ok());
    assert!(table.say(&cem, "!export move").ok());
}

#[test]
fn nobody_makes_themselves_a_reader_of_existing_secrets() {
    let mut table = Seated::new(games);
    let (ann, eve, op) = (Person::account("Ann"), Person::account("Eve"), Person::account("Op").admin());
    [&ann, &eve, &op].into_iter().for_each(|person| table.comes(person));
    assert!(table.say(&ann, "!seal I strike the king").ok());
    for asked in ["!gm me", "!gm add Eve", "!gm add n:Eve"] {
        refused(&table.say(&eve, asked));
    }
    // Her own secrets do not keep her from it.
    assert!(table.say(&ann, "!gm me").ok());
    assert!(table.say(&ann, "!gm remove me").ok());
    assert!(table.say(&ann, "!secret roll d20").ok());
    refused(&table.say(&eve, "!gm me"));
    assert!(table.say(&op, "!gm me").ok());
}

#[test]
fn a_former_referee_undoes_nothing_that_took_a_referee() {
    let (mut table, [_, bob, gus]) = table();
    assert!(table.say(&gus, "!gm add Bob").ok());
    let mut made = Vec::new();
    for line in
        ["!possibilities Ann -1", "!scene The wolf", "!insp Ann +2", "!as Ogre act d8", "!table name Mine", "!game mvk"]
    {
        let came = table.say(&bob, line);
        made.push((line, came.entry().unwrap_or_else(|| panic!("{line}: {}", came.all()))));
    }
    let own = table.say(&bob, "!act d8 d10").entry().expect("an entry");
    assert!(table.say(&gus, "!gm remove Bob").ok());
    for (line, number) in made.iter().rev() {
        let came = table.say(&bob, &format!("!undo #{number}"));
        refused(&came);
        assert!(came.public().contains("it takes the referee"), "{line}: {}", came.public());
    }
    assert!(table.say(&bob, &format!("!undo #{own}")).ok());
}

#[test]
fn an_entry_of_an_older_version_may_have_taken_a_referee() {
    let (mut table, [ann, _, gus]) = table();
    let number = table.say(&ann, "!act d8 d10").entry().expect("an entry");
    let mut page = table.page(number);
    page.link.before.took = None;
    let mut batch = Batch::default();
    batch.put(keys::entry(&seated::table(), number), page.to_stored());
    table.store.commit(&batch).expect("memory does not fail");
    table.host().committer().forget();
    refused(&table.say(&ann, "!undo"));
    assert!(table.say(&gus, &format!("!undo #{number}")).ok());
}

#[test]
fn only_players_the_network_named_count_as_present() {
    let (mut table, [ann, bob, _]) = table();
    assert!(table.say(&bob, "!roll d6").ok());
    assert!(table.aside(&ann, "in hall roll d6").entry().is_some());
    table.restart();
    // Bob was banned while the bot was away, and the bot does not know yet that Ann is here.
    for who in [&ann, &bob] {
        let came = table.aside(who, "in hall roll d6");
        assert!(came.all().contains("I do not see you in hall"), "{}", came.all());
    }
    table.comes(&ann);
    assert!(table.aside(&ann, "in hall roll d6").entry().is_some());
    assert!(table.aside(&bob, "in hall roll d6").entry().is_none());
    // A message from before the start does not prove presence either.
    let mut late = table.message(&bob, "!roll d6");
    late.late = true;
    table.play(&Event::Said(late));
    assert!(table.aside(&bob, "in hall roll d6").entry().is_none());
}

#[test]
fn joining_a_room_again_clears_what_the_bot_knew_of_it() {
    let (mut table, [ann, bob, gus]) = table();
    let nick = Person::nick("Nick");
    table.comes(&nick);
    let secret = table.say(&nick, "!secret roll d20").entry().expect("an entry");
    // The connection broke, and the bot did not see who left meanwhile.
    table.play(&Event::Arrived { room: hall() });
    [&ann, &gus].into_iter().for_each(|person| table.comes(person));
    refused(&table.say(&gus, "!gm add Bob"));
    assert!(table.aside(&bob, "in hall roll d6").entry().is_none());
    table.comes(&nick);
    refused(&table.say(&nick, &format!("!why #{secret}")));
}

#[test]
fn after_a_start_a_name_reaches_no_other_room_than_before() {
    let (mut table, [ann, _, _]) = table();
    let den = RoomId::new(NETWORK, "den");
    let name = |room: &RoomId| Event::Called { room: room.clone(), names: vec!["The Hall".to_owned()] };
    table.play(&Event::Arrived { room: hall() });
    table.comes(&ann);
    table.play(&name(&hall()));
    assert!(table.aside(&ann, "in \"The Hall\" roll d6").entry().is_some());
    // Mallory's den takes the same name, and Ann is in it.
    table.comes_into(&den, &ann);
    table.play(&name(&den));
    let came = table.aside(&ann, "in \"The Hall\" roll d6");
    assert!(came.entry().is_none());
    assert!(came.all().contains("You are in 2 rooms called The Hall: den, hall"), "{}", came.all());
    assert!(table.aside(&ann, "in hall roll d6").entry().is_some());
    table.restart();
    table.comes_into(&den, &ann);
    table.play(&name(&den));
    let came = table.aside(&ann, "in \"The Hall\" roll d6");
    assert!(came.heard.outcomes.iter().all(|outcome| outcome.entry.is_none()), "{}", came.all());
    assert!(table.aside(&ann, "in den roll d6").entry().is_some());
}

#[test]
fn a_stranger_under_an_absent_nick_takes_nothing_along() {
    let mut table = Seated::new(games);
    let (mia, thief) = (Person::nick("Mia"), Person::nick("Thief"));
    table.comes(&mia);
    assert!(table.say(&mia, "!iam Tsubame").ok() && table.say(&mia, "!iam Kaede").ok());
    table.goes(&mia);
    // A stranger joins with her nick, plays, and changes to another nick or logs in.
    let account = Person::of("account:thief", "Thief");
    for other in [&thief, &account] {
        table.comes(&mia);
        assert!(table.say(&mia, "!roll d6").ok());
        table.renamed(&mia, other);
        table.goes(other);
    }
    table.comes(&mia);
    assert!(table.say(&mia, "!iam").public().contains("You are Kaede. Also yours: Tsubame"));
    // Nor through a different nick of their own.
    table.goes(&mia);
    table.comes(&thief);
    assert!(table.say(&thief, "!roll d6").ok());
    table.renamed(&thief, &mia);
    table.renamed(&mia, &thief);
    table.goes(&thief);
    table.comes(&mia);
    assert!(table.say(&mia, "!iam").public().contains("Tsubame"));
}

#[test]
fn a_player_with_a_bare_nick_who_stays_keeps_what_is_theirs() {
    let mut table = Seated::new(games);
    let (mia, phone) = (Person::nick("Mia"), Person::nick("Mia_phone"));
    table.comes(&mia);
    assert!(table.say(&mia, "!iam Tsubame").ok());
    assert!(table.say(&mia, "!macro wipe forget me").ok());
    table.renamed(&mia, &phone);
    assert_eq!(table.say(&phone, "!iam").public(), "You are Tsubame.");
    // The macro still has only the player's own words.
    let asked = table.say(&phone, "!wipe");
    assert!(asked.public().contains("his erases for good what you typed here"), "{}", asked.public());
}

#[test]
fn a_macro_of_a_bare_nick_gains_no_rights_from_a_later_account() {
    let (mut table, [_, _, cem]) = table();
    let nick = Person::nick("Nick");
    table.comes(&nick);
    assert!(table.say(&nick, "!macro wipe forget me").ok());
    table.renamed(&nick, &cem);
    refused(&table.say(&cem, "!wipe"));
}

/// After a start the network lists the members of one room after another.
#[tokio::test]
async fn a_room_named_by_its_id_is_never_another_of_that_name() {
    let gus = Speaker::new(PlayerId::new("fake", "gus"), "Gus");
    let room = |id: &str| RoomId::new("fake", id);
    let say = |network: &Fake, id: &str, at: &RoomId, body: &str| {
        let message = Message::new(id, at.clone(), gus.clone(), Timestamp::UNIX_EPOCH, body);
        network.happen(Event::Said(Message { private: at.id == "chat", unlimited: true, ..message }));
    };
    let network = Fake::redelivering("fake");
    let running = Make::default().serve(vec![network.clone()]);
    network.happen(Event::Arrived { room: room("!real") });
    network.hear().await;
    say(&network, "$1", &room("!real"), "!insp +1");
    network.hear().await;
    let store = running.stop().await;
    let network = Fake::redelivering("fake");
    let running = Make { store, ..Make::default() }.serve(vec![network.clone()]);
    let (trap, player) = (room("!trap"), gus.player.clone());
    network.happen(Event::Called { room: trap.clone(), names: vec!["!real".to_owned(), "real".to_owned()] });
    network.happen(Event::Present { room: trap, player, name: "Gus".to_owned(), trust: Trust::Account });
    for (id, name) in [("$2", "!real"), ("$3", "real"), ("$4", "fake/!real")] {
        say(&network, id, &room("chat"), &format!("in {name} roll 2d1 # mine"));
        let heard = network.hear().await;
        let told: String = heard.blocks.iter().map(Block::plain).collect();
        assert!(heard.room.id == "chat" && told.contains("I do not see you in"), "{name}: {}: {told}", heard.room);
    }
    running.stop().await;
}
