//! Several rooms at one table, on networks of different kinds: one order, one journal, and what each room sees.

use chat::{Event, Fake, Message, PlayerId, Recipient, RoomId, Speaker, Standing, Trust};
use jiff::Timestamp;
use journal::store::{Batch, Store};
use std::cell::Cell;
use std::sync::Arc;
use tests::seated::text;
use tests::serving::{Make, Running};

/// A room on a network that loses what it does not deliver, and one on a network that redelivers and shows edits.
struct Rooms {
    tavern: Arc<Fake>,
    den: Arc<Fake>,
    running: Running,
    said: Cell<u32>,
}

fn room(network: &str, id: &str) -> RoomId {
    RoomId::new(network, id)
}

impl Rooms {
    fn open() -> Self {
        Self::on(Make::default())
    }

    fn on(make: Make) -> Self {
        let (tavern, den) = (Fake::new("irc"), Fake::redelivering("matrix"));
        let running = make.serve(vec![tavern.clone(), den.clone()]);
        Rooms { tavern, den, running, said: Cell::new(0) }
    }

    /// Both rooms at one table, whose referee is Gus.
    async fn linked() -> Self {
        let rooms = Self::open();
        rooms.link().await;
        rooms
    }

    async fn link(&self) {
        assert!(self.at_tavern("gus", "!gm me").await.contains("gus is now a referee"));
        let given = self.at_tavern("gus", "!link").await;
        let word = given.split("!link ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a word").to_owned();
        let linked = self.at_den("gus", &format!("!link {word}")).await;
        assert!(
            linked.starts_with("This room now plays at the table of tavern on irc: it goes on with #2."),
            "{linked}"
        );
        assert_eq!(text(&self.tavern.hear().await), "den on matrix plays at this table from now on.");
    }

    async fn mirrored() -> Self {
        let rooms = Self::linked().await;
        assert!(rooms.at_tavern("gus", "!mirror on").await.contains("each room of this table sees"));
        rooms
    }

    fn message(&self, at: &RoomId, who: &str, body: &str) -> Message {
        self.said.set(self.said.get() + 1);
        let standing = if who == "gus" { Standing::Admin } else { Standing::Member };
        let speaker = Speaker { standing, ..Speaker::new(PlayerId::new(&at.network, who), who) };
        let message = Message::new(format!("${}", self.said.get()), at.clone(), speaker, Timestamp::UNIX_EPOCH, body);
        Message { unlimited: true, ..message }
    }

    fn say(&self, network: &Fake, at: &RoomId, who: &str, body: &str) -> String {
        let message = self.message(at, who, body);
        let id = message.id.clone();
        network.happen(Event::Said(message));
        id
    }

    async fn at_tavern(&self, who: &str, body: &str) -> String {
        self.say(&self.tavern, &room("irc", "tavern"), who, body);
        text(&self.tavern.hear().await)
    }

    async fn at_den(&self, who: &str, body: &str) -> String {
        self.say(&self.den, &room("matrix", "den"), who, body);
        text(&self.den.hear().await)
    }
}

#[tokio::test]
async fn two_rooms_on_two_networks_play_at_one_table_in_one_order() {
    let rooms = Rooms::linked().await;
    assert_eq!(rooms.at_den("ann", "!roll 1d1").await, "1 | 1d1 [1] #2");
    assert_eq!(rooms.at_tavern("bob", "!roll 1d1").await, "1 | 1d1 [1] #3");
    let history = rooms.at_den("ann", "!history").await;
    assert!(history.contains("#2") && history.contains("#3") && history.contains("bob"), "{history}");
    assert!(rooms.at_den("ann", "!link").await.starts_with("At this table: tavern on irc, den."));
    // Nobody wants to see the other room's rolls: nothing else was said.
    assert!(rooms.at_tavern("bob", "!mirror").await.starts_with("Rolls stay in their room."));
    rooms.running.stop().await;
}

#[tokio::test]
async fn a_mirrored_roll_is_shown_once_in_the_other_room_with_who_and_where() {
    let rooms = Rooms::mirrored().await;
    assert_eq!(rooms.at_den("ann", "!roll 1d1 # I leap").await, "1 | 1d1 [1] | I leap #3");
    assert_eq!(text(&rooms.tavern.hear().await), "[den on matrix] ann: 1 | 1d1 [1] | I leap #3");
    assert_eq!(rooms.at_tavern("bob", "!roll 1d1").await, "1 | 1d1 [1] #4");
    let shown = rooms.den.hear().await;
    assert_eq!((text(&shown).as_str(), &shown.to), ("[tavern on irc] bob: 1 | 1d1 [1] #4", &Recipient::Room));
    // Help, settings and refusals are nobody else's.
    assert!(rooms.at_den("ann", "!help roll").await.contains("roll"));
    assert!(rooms.at_den("ann", "!undo #99").await.contains("#99"));
    assert!(rooms.at_den("gus", "!room inline on").await.contains("inline is now on"));
    // An undo is.
    let undone = rooms.at_den("ann", "!undo").await;
    assert!(undone.contains("#3"), "{undone}");
    assert!(text(&rooms.tavern.hear().await).starts_with("[den on matrix] ann: "));
    rooms.running.stop().await;
}

#[tokio::test]
async fn an_edit_corrects_the_mirrored_line_and_a_deletion_takes_it_back() {
    let rooms = Rooms::mirrored().await;
    let den = room("matrix", "den");
    // A third room shows edits too.
    let cellar = room("matrix", "cellar");
    let given = rooms.at_tavern("gus", "!link another").await;
    let word = given.split("!link ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a word");
    rooms.say(&rooms.den, &cellar, "gus", &format!("!link {word}"));
    assert!(text(&rooms.den.hear().await).starts_with("This room now plays at"));
    rooms.den.hear().await;
    rooms.tavern.hear().await;
    let first = rooms.say(&rooms.den, &den, "ann", "!roll 1d1 # my sister");
    let mut seen = [rooms.den.hear().await, rooms.den.hear().await];
    seen.sort_by_key(|post| post.room.clone());
    assert_eq!(text(&seen[0]), "[den] ann: 1 | 1d1 [1] | my sister #3");
    assert_eq!(text(&rooms.tavern.hear().await), "[den on matrix] ann: 1 | 1d1 [1] | my sister #3");
    let message = rooms.message(&den, "ann", "!roll 1d1+1 # my brother");
    let edit = message.id.clone();
    rooms.den.happen(Event::Edited { message, original: first.clone() });
    let mut seen = [rooms.den.hear().await, rooms.den.hear().await];
    seen.sort_by_key(|post| post.room.clone());
    assert!(seen.iter().all(|post| post.corrects().is_some_and(|earlier| earlier.id.is_some())), "{seen:?}");
    assert_eq!(text(&seen[0]), "[den] ann: 2 | 1d1 [1] + 1 | my brother (edited, was #3) #4");
    assert!(rooms.tavern.hear().await.corrects().is_some(), "which says that it corrects");
    let message = rooms.message(&den, "ann", "");
    rooms.den.happen(Event::Redacted { message, of: edit });
    let mut withdrawn = Vec::new();
    for _ in 0..3 {
        let post = rooms.den.hear().await;
        assert!(post.withdraws().is_some(), "{post:?}");
        withdrawn.push(post.room.id);
    }
    assert!(withdrawn.contains(&"cellar".to_owned()) && withdrawn.contains(&"den".to_owned()), "{withdrawn:?}");
    assert!(!rooms.at_den("ann", "!history").await.contains("sister"));
    rooms.running.stop().await;
}

#[tokio::test]
async fn nothing_secret_crosses_and_a_referee_hears_it_wherever_they_are() {
    let rooms = Rooms::mirrored().await;
    let (player, name) = (PlayerId::new("irc", "gus"), "gus".to_owned());
    rooms.tavern.happen(Event::Present { room: room("irc", "tavern"), player, name, trust: Trust::Account });
    assert!(rooms.at_den("ann", "!secret roll 1d1 # poison").await.contains("a secret roll by ann"));
    let own = rooms.den.hear().await;
    assert_eq!(own.to, Recipient::Player(PlayerId::new("matrix", "ann")));
    let copy = rooms.tavern.hear().await;
    assert_eq!(copy.to, Recipient::Player(PlayerId::new("irc", "gus")), "{copy:?}");
    assert!(text(&copy).contains("poison"));
    assert_eq!(rooms.at_tavern("bob", "!roll 1d1").await, "1 | 1d1 [1] #4", "and the room hears nothing");
    assert!(text(&rooms.den.hear().await).starts_with("[tavern on irc] bob"));
    rooms.running.stop().await;
}

#[tokio::test]
async fn the_table_and_its_rooms_outlive_a_restart_and_each_roll_is_mirrored_once() {
    let rooms = Rooms::mirrored().await;
    rooms.tavern.go_down();
    assert_eq!(rooms.at_den("ann", "!roll 1d1").await, "1 | 1d1 [1] #3");
    while rooms.tavern.kept() == 0 {
        tokio::task::yield_now().await;
    }
    let store = rooms.running.stop().await;
    let rooms = Rooms::on(Make { store, ..Make::default() });
    let shown = rooms.tavern.hear().await;
    assert_eq!((text(&shown).as_str(), shown.again), ("[den on matrix] ann: 1 | 1d1 [1] #3", true));
    assert_eq!(rooms.at_tavern("bob", "!roll 1d1").await, "1 | 1d1 [1] #4");
    assert_eq!(text(&rooms.den.hear().await), "[tavern on irc] bob: 1 | 1d1 [1] #4");
    let store = rooms.running.stop().await;
    assert_eq!(store.scan("outbox/", None, 10).unwrap(), []);
}

/// What waits for the tavern, as stored.
fn waiting(store: &dyn Store) -> String {
    let rows = store.scan("outbox/irc/", None, 100).expect("it can be read");
    rows.into_iter().map(|(_, row)| String::from_utf8(row).expect("JSON") + "\n").collect()
}

#[tokio::test]
async fn words_erased_while_a_network_is_down_are_not_said_when_it_is_there_again() {
    for crashed in [false, true] {
        let rooms = Rooms::mirrored().await;
        rooms.tavern.go_down();
        rooms.at_den("ann", "!roll 1d1 # my sister").await;
        rooms.at_den("ann", "!roll 1d1 # I leap").await;
        rooms.say(&rooms.tavern, &room("irc", "tavern"), "bob", "!history");
        while rooms.tavern.kept() < 3 {
            tokio::task::yield_now().await;
        }
        let before = rooms.running.store.scan("outbox/irc/", None, 100).expect("it can be read");
        assert_eq!(waiting(&*rooms.running.store).matches("my sister").count(), 2);
        assert!(rooms.at_den("ann", "!erase #3").await.contains("#3"));
        while waiting(&*rooms.running.store).contains("my sister") {
            tokio::task::yield_now().await;
        }
        let store = rooms.running.stop().await;
        if crashed {
            // The bot was killed between erasing the words and rewriting what waits.
            let mut batch = Batch::default();
            before.into_iter().for_each(|(key, row)| batch.put(key, row));
            store.commit(&batch).expect("memory does not fail");
        }
        let rooms = Rooms::on(Make { store, ..Make::default() });
        let gone = "What I wanted to say here is gone: words in it were erased before I could.";
        let said = [rooms.tavern.hear().await, rooms.tavern.hear().await, rooms.tavern.hear().await];
        assert_eq!(said.each_ref().map(text), [gone, "[den on matrix] ann: 1 | 1d1 [1] | I leap #4", gone]);
        let store = rooms.running.stop().await;
        assert_eq!(waiting(&*store), "");
    }
}

#[tokio::test]
async fn a_network_that_is_down_gathers_few_mirrored_lines() {
    let rooms = Rooms::mirrored().await;
    rooms.tavern.go_down();
    for _ in 0..60 {
        assert!(rooms.at_den("ann", "!roll 1d1").await.starts_with("1 | "));
    }
    let store = rooms.running.stop().await;
    let kept = store.scan("outbox/irc/", None, 100).unwrap().len();
    assert!((1..=25).contains(&kept), "{kept}");
}

#[tokio::test]
async fn a_room_that_leaves_goes_back_to_its_own_table_and_the_other_keeps_everything() {
    let rooms = Rooms::open();
    assert_eq!(rooms.at_den("ann", "!roll 1d1").await, "1 | 1d1 [1] #1");
    assert!(rooms.at_tavern("gus", "!gm me").await.contains("referee"));
    let given = rooms.at_tavern("gus", "!link").await;
    let word = given.split("!link ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a word").to_owned();
    let asked = rooms.at_den("gus", &format!("!link {word}")).await;
    assert!(asked.contains("what was played here, up to #1, waits until you unlink"), "{asked}");
    assert!(rooms.at_den("gus", &format!("!link {word} really")).await.contains("goes on with #2"));
    rooms.tavern.hear().await;
    assert_eq!(rooms.at_den("ann", "!roll 1d1").await, "1 | 1d1 [1] #2");
    let left = rooms.at_den("gus", "!unlink").await;
    assert!(left.starts_with("This room has left the table and goes on at its own table, after #2."), "{left}");
    assert_eq!(text(&rooms.tavern.hear().await), "den on matrix has left this table.");
    assert!(rooms.at_den("ann", "!roll 1d1").await.ends_with("#3"), "its own, after the link of #2");
    assert!(rooms.at_tavern("bob", "!roll 1d1").await.ends_with("#4"), "the unlink is #3 of the table");
    rooms.running.stop().await;
}

#[tokio::test]
async fn what_is_said_behind_an_unlink_is_played_where_the_room_is_then_and_in_its_order() {
    let rooms = Rooms::linked().await;
    let den = room("matrix", "den");
    let lines = ["!unlink", "!roll 1d1 # first", "!roll 1d1 # second"];
    rooms.den.deliver(lines.map(|line| Event::Said(rooms.message(&den, "gus", line))).to_vec());
    let mut said = Vec::new();
    for _ in lines {
        said.push(text(&rooms.den.hear().await));
    }
    assert!(said[0].contains("has left the table"), "{said:?}");
    let own = ["1 | 1d1 [1] | first #2", "1 | 1d1 [1] | second #3"];
    assert_eq!(said[1..], own, "behind the link, which is #1 of its own table");
    rooms.running.stop().await;
}
