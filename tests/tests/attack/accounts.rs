//! Players with two accounts: who can link them, what a link gives, and what it never does.

use crate::attack::seated::{Came, Person, Seated, games, link_in};
use chat::{Event, Message, PlayerId, Recipient, RoomId, Speaker};
use house::view::{Looks, Window};
use jiff::SignedDuration;
use journal::store::Store;

/// Another network than that of the hall.
const OTHER: &str = "other";

fn den() -> RoomId {
    RoomId::new(OTHER, "den")
}

/// A person on the other network.
fn there(name: &str) -> Person {
    Person(Speaker::new(PlayerId::new(OTHER, format!("account:{}", name.to_lowercase())), name))
}

fn ann() -> Person {
    Person::account("Ann")
}

/// Ann's other account.
fn annie() -> Person {
    there("annie")
}

fn gus() -> Person {
    Person::account("Gus")
}

fn mal() -> Person {
    there("mal")
}

/// A bot in the hall, whose referee is Gus, and in the den, which shares its table.
struct Two(Seated, SignedDuration);

impl Two {
    fn open() -> Self {
        let mut two = Two(Seated::new(games), SignedDuration::ZERO);
        for person in [gus(), ann(), Person::account("Bob")] {
            two.0.comes(&person);
        }
        for person in [annie(), mal()] {
            two.0.comes_into(&den(), &person);
        }
        assert!(two.here(&Person::account("Ada").admin(), "!gm add Gus").ok());
        let word = word_in(&two.here(&gus(), "!link").all(), "!link ");
        assert!(two.there(&there("Dan").admin(), &format!("!link {word}")).ok());
        two
    }

    /// The same, and Ann and Annie are one player.
    fn linked() -> Self {
        let mut two = Self::open();
        two.link(&ann(), &annie());
        two
    }

    fn link(&mut self, first: &Person, second: &Person) {
        let back = self.word_back(first, second);
        let asked = self.alone(first, &format!("me link {back}")).all();
        assert!(asked.contains("Is that you?") && asked.contains(&second.player().id), "{asked}");
        let linked = self.alone(first, &format!("me link {back} really")).all();
        assert!(linked.contains("are one player now"), "{linked}");
    }

    /// The word that the second account is given for the first.
    fn word_back(&mut self, first: &Person, second: &Person) -> String {
        let word = self.word(first);
        let asked = self.alone(second, &format!("me link {word}")).all();
        assert!(asked.contains("Is that you?") && asked.contains(&first.player().id), "{asked}");
        word_in(&self.alone(second, &format!("me link {word} really")).all(), "me link ")
    }

    fn word(&mut self, who: &Person) -> String {
        word_in(&self.alone(who, "me link").all(), "me link ")
    }

    fn say(&mut self, room: RoomId, private: bool, who: &Person, body: &str) -> Came {
        let mut message = Message { room, private, ..self.0.message(who, body) };
        message.sent += self.1;
        self.0.hears(message)
    }

    fn here(&mut self, who: &Person, body: &str) -> Came {
        self.say(crate::attack::seated::hall(), false, who, body)
    }

    fn there(&mut self, who: &Person, body: &str) -> Came {
        self.say(den(), false, who, body)
    }

    /// In a private chat.
    fn alone(&mut self, who: &Person, body: &str) -> Came {
        let player = who.player();
        let room = RoomId::new(&player.network, format!("private-{}", player.id));
        self.say(room, true, who, body)
    }

    fn refused(&mut self, who: &Person, body: &str) -> String {
        let came = self.alone(who, body);
        assert!(!came.ok(), "{body}: {}", came.all());
        came.all()
    }
}

#[test]
fn an_open_page_hears_that_two_accounts_became_one_player_and_are_two_again() {
    let mut two = Two::open();
    two.here(&ann(), "!set hp 33/40");
    let link = link_in(&two.here(&ann(), "!page").all());
    let host = two.0.host().clone();
    let window = Window::new(move || host.clone()).expect("memory does not fail");
    let place = window.open(&link).expect("memory does not fail").expect("the link is good");
    let mut changes = window.follow(&place);
    two.link(&ann(), &annie());
    assert!(changes.has_changed().expect("the window is there"));
    changes.mark_unchanged();
    assert!(two.alone(&annie(), "me unlink").ok());
    assert!(changes.has_changed().expect("the window is there"));
}

fn word_in(told: &str, before: &str) -> String {
    let word = told.split(before).nth(1).and_then(|rest| rest.split_whitespace().next());
    word.unwrap_or_else(|| panic!("a word in {told}")).to_owned()
}

#[test]
fn two_accounts_are_one_player() {
    let mut two = Two::open();
    assert!(two.here(&ann(), "!set str 3").ok());
    let secret = two.here(&ann(), "!secret roll 1d6 # mine").entry().expect("an entry");
    let roll = two.here(&ann(), "!act d8 d10 d12").entry().expect("an entry");
    two.link(&ann(), &annie());
    // The same character, and so the same values; no new one came to the table.
    let came = two.there(&annie(), "!roll 1d1+str");
    assert!(came.all().starts_with("4 |") && came.heard.outcomes[0].actor == "Ann", "{}", came.all());
    assert!(!two.here(&gus(), "!pc").all().contains("annie"));
    // What was secret and what was offered is the same player's too.
    assert!(two.there(&annie(), &format!("!secret why #{secret}")).all().contains("mine"));
    assert!(!two.there(&mal(), &format!("!secret why #{secret}")).all().contains("mine"));
    assert!(two.there(&annie(), &format!("!undo #{roll}")).ok());
    assert!(two.here(&ann(), "!redo").ok(), "whose undo it was does not matter");
    // Without a number it is the last entry of both.
    let last = two.there(&annie(), "!roll d6").entry().expect("an entry");
    assert!(two.here(&ann(), "!undo").all().contains(&format!("#{last} is undone")));
    // Another character, for both.
    assert!(two.there(&annie(), "!iam Rook").ok());
    two.there(&annie(), "!iam Robin");
    let came = two.here(&ann(), "!iam");
    assert!(came.all().contains("Robin"), "{}", came.all());
}

#[test]
fn a_word_alone_makes_nobody_anyone() {
    let mut two = Two::open();
    // Stolen on its way to the other account: whoever types it gets a word that Ann never sees.
    let word = two.word(&ann());
    let back = word_in(&two.alone(&mal(), &format!("me link {word} really")).all(), "me link ");
    assert!(two.refused(&annie(), &format!("me link {word}")).contains("no such word"), "it worked once");
    // Nobody but Ann can use the second one, wherever they got it.
    for who in [mal(), annie(), gus()] {
        assert!(two.refused(&who, &format!("me link {back} really")).contains("no such word"));
    }
    assert!(two.alone(&ann(), "me").all().contains("no other account"));
    // And she is told who it is.
    assert!(two.alone(&ann(), &format!("me link {back}")).all().contains("account:mal on other"));
    assert!(two.alone(&ann(), "me").all().contains("no other account"));
    // Her own word is for her other account.
    let own = two.word(&ann());
    assert!(two.refused(&ann(), &format!("me link {own} really")).contains("for your other account"));
}

#[test]
fn words_are_guessed_five_times_an_hour_and_hold_for_one() {
    let mut two = Two::open();
    let word = two.word(&ann());
    for guess in ["kfbdmpahcoel", "aaaaaaaaaaaa", "ann", "word", "of"] {
        assert!(two.refused(&annie(), &format!("me link {guess} really")).contains("no such word"));
    }
    assert!(two.refused(&annie(), &format!("me link {word} really")).contains("oo many wrong words"));
    two.1 = SignedDuration::from_mins(61);
    assert!(two.refused(&annie(), &format!("me link {word} really")).contains("no such word"));
    let keys = two.0.store.scan("account-word/", None, 99).unwrap();
    assert!(!keys.is_empty() && keys.iter().all(|(key, _)| !key.contains(&word)), "only digests are kept");
}

#[test]
fn only_an_account_links_alone_and_in_its_own_words() {
    let mut two = Two::open();
    assert!(two.here(&ann(), "!me link").all().contains("private chat"));
    assert!(two.alone(&ann(), "in hall me link").all().contains("private chat"));
    assert!(two.alone(&ann(), "secret me link").all().contains("private chat"));
    let nick = Person::nick("Ann");
    assert!(two.refused(&nick, "me link").contains("bare nick"));
    let word = two.word(&ann());
    assert!(two.refused(&nick, &format!("me link {word} really")).contains("bare nick"));
    // Nor by an order given earlier.
    assert!(!two.alone(&ann(), "at 1m me link").all().contains("within the hour"));
}

#[test]
fn whoever_links_two_accounts_at_once_has_one_other_at_most() {
    let mut two = Two::open();
    let (first, second) = (two.word_back(&ann(), &annie()), two.word_back(&gus(), &annie()));
    assert!(two.alone(&ann(), &format!("me link {first} really")).all().contains("one player now"));
    let told = two.refused(&gus(), &format!("me link {second} really"));
    assert!(told.contains("belongs to somebody already") && !told.contains("ann:"), "{told}");
    assert!(two.refused(&annie(), "me link").contains("ou are @ann:example.org on test already"));
    // Even if both are written, half of a link is none.
    let other = journal::documents::to_json(&serde_json::json!({
        "other": "other:account:annie", "since": "2026-01-01T00:00:00Z"
    }));
    let mut batch = journal::store::Batch::default();
    batch.put(journal::keys::account(gus().player()), other);
    batch.put(journal::keys::account_used(gus().player()), journal::documents::to_json(&"2026-01-01T00:00:00Z"));
    two.0.store.commit(&batch).unwrap();
    two.0.host().committer().forget();
    assert!(two.alone(&gus(), "me").all().contains("no other account"));
    assert!(two.alone(&annie(), "me").all().contains("@ann:example.org"));
}

#[test]
fn rights_stay_with_the_account_that_has_them() {
    let mut two = Two::open();
    let secret = two.here(&ann(), "!secret roll 1d6 # hers").entry().expect("an entry");
    two.here(&gus(), "!as Ogre roll 1d6");
    let named = two.here(&gus(), "!table name Ours").entry().expect("an entry");
    two.here(&gus(), "!macro title table name Mine");
    two.link(&gus(), &mal());
    for line in [
        "!gm remove Gus".to_owned(),
        "!gm add mal".to_owned(),
        format!("!secret why #{secret}"),
        format!("!reveal #{secret}"),
        format!("!undo #{named}"),
        "!table name Mine".to_owned(),
        "!title".to_owned(),
        "!as Ogre roll 1d6".to_owned(),
        "!mirror on".to_owned(),
        "!link another".to_owned(),
    ] {
        let came = two.there(&mal(), &line);
        assert!(!came.ok() && !came.all().contains("hers"), "{line}: {}", came.all());
    }
    // What is for referees goes to the account that is one.
    let came = two.here(&ann(), "!secret roll 1d6 # hers");
    assert_eq!(came.to(&Recipient::Player(mal().player().clone())), "");
    assert!(came.private(&gus()).contains("hers"));
    // And no account makes the other one a referee.
    assert!(two.here(&gus(), "!gm remove me").ok());
}

#[test]
fn who_plays_two_characters_keeps_both_and_a_name_that_both_use_is_nobody_elses() {
    let mut two = Two::open();
    let other = there("Ann");
    two.0.comes_into(&den(), &other);
    two.here(&ann(), "!roll d6");
    assert_eq!(two.there(&other, "!roll d6").heard.outcomes[0].actor, "Ann2");
    two.link(&ann(), &other);
    assert_eq!(two.there(&other, "!roll d6").heard.outcomes[0].actor, "Ann2", "nobody is merged");
    assert_eq!(two.there(&other, "!as Ann roll d6").heard.outcomes[0].actor, "Ann");
    assert!(two.there(&other, "!iam Ann").ok());
    assert_eq!(two.there(&other, "!roll d6").heard.outcomes[0].actor, "Ann");
    assert!(two.here(&ann(), "!iam").all().contains("Ann2"));
    // Unlinked, each plays its own again.
    assert!(two.alone(&other, "me unlink").all().contains("two players again"));
    assert_eq!(two.there(&other, "!roll d6").heard.outcomes[0].actor, "Ann2");
    assert!(!two.there(&other, "!as Ann roll d6").ok());
}

#[test]
fn once_unlinked_an_account_reads_and_does_nothing_of_the_others() {
    let mut two = Two::linked();
    let secret = two.here(&ann(), "!secret roll 1d6 # mine").entry().expect("an entry");
    let roll = two.here(&ann(), "!act d8 d10 d12").entry().expect("an entry");
    two.there(&annie(), "!at 1h roll 1d6");
    let hers = two.there(&annie(), "!secret roll 1d6 # here").entry().expect("an entry");
    // What she is told goes to the account she used last.
    let told = two.alone(&Person::account("Bob"), "in hall tell Ann the safe is open");
    assert!(told.private(&annie()).contains("safe") && !told.private(&ann()).contains("safe"), "{}", told.all());
    assert!(two.alone(&ann(), "me unlink").ok());
    two.0.restart();
    for person in [ann(), Person::account("Bob")] {
        two.0.comes(&person);
    }
    two.0.comes_into(&den(), &annie());
    let told = two.alone(&Person::account("Bob"), "in hall tell Ann the door is shut");
    assert!(told.private(&ann()).contains("door") && !told.private(&annie()).contains("door"), "{}", told.all());
    for line in
        [format!("!secret why #{secret}"), format!("!undo #{roll}"), "!as Ann roll d6".to_owned(), "!1".to_owned()]
    {
        let came = two.there(&annie(), &line);
        assert!(!came.all().contains("mine") && (!came.ok() || line.contains("why")), "{line}: {}", came.all());
    }
    assert_eq!(two.there(&annie(), "!roll d6").heard.outcomes[0].actor, "annie");
    // And she keeps what she did herself.
    assert!(two.there(&annie(), &format!("!secret why #{hers}")).all().contains("here"));
    assert!(!two.here(&ann(), &format!("!secret why #{hers}")).all().contains("# here"));
}

#[test]
fn an_account_that_was_silent_for_a_month_is_anybodys() {
    let mut two = Two::linked();
    let secret = two.here(&ann(), "!secret roll 1d6 # mine").entry().expect("an entry");
    // Ann plays on, and whoever registers the other name next is somebody else.
    for days in [10, 20, 29] {
        two.1 = SignedDuration::from_hours(24 * days);
        assert!(two.here(&ann(), "!roll d6").ok());
    }
    assert!(two.there(&annie(), &format!("!secret why #{secret}")).all().contains("mine"), "she was there again");
    two.1 = SignedDuration::from_hours(24 * 60);
    two.here(&ann(), "!roll d6");
    let came = two.there(&annie(), &format!("!secret why #{secret}"));
    assert!(!came.all().contains("mine"), "{}", came.all());
    assert_eq!(two.there(&annie(), "!roll d6").heard.outcomes[0].actor, "annie");
    assert!(two.alone(&ann(), "me").all().contains("silent for a month"));
    // Nor does Ann read what that person keeps secret.
    let theirs = two.there(&annie(), "!secret roll 1d6 # theirs").entry().expect("an entry");
    assert!(!two.here(&ann(), &format!("!secret why #{theirs}")).all().contains("theirs"));
    two.link(&ann(), &annie());
}

#[test]
fn a_link_stands_in_no_export_and_outlives_a_restart() {
    let mut two = Two::open();
    two.here(&ann(), "!roll d6");
    two.link(&ann(), &annie());
    two.0.restart();
    two.there(&gus(), "!roll d6");
    let exported = two.here(&gus(), "!export");
    let posts = format!("{:?}", exported.heard.posts);
    assert!(exported.ok() && !posts.contains("annie"), "{posts}");
    assert!(two.alone(&annie(), "me").all().contains("You are also @ann:example.org on test"));
}

#[test]
fn nobody_edits_with_one_account_what_they_know_from_the_other() {
    let mut two = Two::linked();
    let first = two.here(&ann(), "!roll d20");
    let number = first.entry().expect("an entry");
    two.there(&annie(), "!roll d20");
    let edited = two.0.edit(&ann(), &first.id, "!roll d20+9");
    assert!(edited.all().contains("did something else since"), "{}", edited.all());
    let amended = two.here(&ann(), &format!("!amend #{number} roll d20+9"));
    assert!(amended.all().contains("did something else since"), "{}", amended.all());
}

#[test]
fn no_stored_message_brings_a_second_account_with_it() {
    let mut two = Two::open();
    let secret = two.here(&ann(), "!secret roll 1d6 # mine").entry().expect("an entry");
    let mut message = Message { room: den(), ..two.0.message(&mal(), &format!("!secret why #{secret}")) };
    message.speaker.also = Some(ann().player().clone());
    let heard = two.0.play(&Event::Said(message));
    assert!(!format!("{:?}", heard.posts).contains("mine"));
}
