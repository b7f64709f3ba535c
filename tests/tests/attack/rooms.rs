//! A room that replaces another takes its whole table along, leaves nothing behind, and takes nothing from others.

use chat::{Event, Fake, Message, PlayerId, Post, Recipient, RoomId, Speaker, Standing, Trust};
use jiff::Timestamp;
use journal::keys;
use journal::store::Batch;
use std::cell::Cell;
use std::sync::Arc;
use tests::seated::text;
use tests::serving::{Make, Running};

/// Rooms on a network that redelivers messages.
struct Rooms {
    network: Arc<Fake>,
    running: Running,
    said: Cell<u32>,
}

fn room(id: &str) -> RoomId {
    RoomId::new("fake", id)
}

fn player(id: &str) -> PlayerId {
    PlayerId::new("fake", id)
}

impl Rooms {
    fn open() -> Self {
        let network = Fake::redelivering("fake");
        let running = Make::default().serve(vec![network.clone()]);
        Rooms { network, running, said: Cell::new(0) }
    }

    /// Says something and returns the message's id. A room whose id begins with `chat` is a private chat.
    fn say(&self, at: &str, who: &str, body: &str) -> String {
        let message = self.message(at, who, body);
        let id = message.id.clone();
        self.network.happen(Event::Said(message));
        id
    }

    fn message(&self, at: &str, who: &str, body: &str) -> Message {
        self.said.set(self.said.get() + 1);
        let id = format!("${}", self.said.get());
        let standing = if who == "gus" { Standing::Admin } else { Standing::Member };
        let speaker = Speaker { standing, ..Speaker::new(player(who), who) };
        let message = Message::new(id, room(at), speaker, Timestamp::UNIX_EPOCH, body);
        Message { private: at.starts_with("chat"), unlimited: true, ..message }
    }

    /// The answer to a message.
    async fn ask(&self, at: &str, who: &str, body: &str) -> String {
        self.say(at, who, body);
        text(&self.network.hear().await)
    }

    /// Deletes a message.
    fn take_back(&self, at: &str, who: &str, of: &str) {
        let message = self.message(at, who, "");
        self.network.happen(Event::Redacted { message, of: of.to_owned() });
    }

    /// The next post withdraws the answer to this message in this room.
    async fn withdrawn(&self, at: &str, of: &str) {
        let post = self.network.hear().await;
        assert!(post.withdraws().is_some() && post.answers.as_deref() == Some(of), "{post:?}");
        assert_eq!((post.room, post.to), (room(at), Recipient::Room));
    }

    fn comes(&self, at: &str, who: &str) {
        let (room, name, player) = (room(at), who.to_owned(), player(who));
        self.network.happen(Event::Present { room, player, name, trust: Trust::Account });
    }

    fn moves(&self, from: &str, to: &str) {
        self.network.happen(Event::Moved { from: room(from), to: room(to) });
    }
}

#[tokio::test]
async fn people_left_in_a_replaced_room_have_no_say_at_its_table() {
    let rooms = Rooms::open();
    assert!(rooms.ask("old", "ann", "!insp +3").await.contains("inspiration 3"));
    rooms.moves("old", "new");
    assert!(text(&rooms.network.hear().await).contains("This room goes on where the old one ended"));
    assert!(rooms.ask("new", "ann", "!insp +1").await.contains("inspiration 4"));
    assert!(rooms.ask("new", "ann", "!secret roll 2d1 # a trap").await.contains("secret roll"));
    rooms.network.hear().await;
    // Eve is only in the old room, where she is an admin by now.
    rooms.comes("old", "eve");
    assert!(rooms.ask("old", "eve", "!gm me").await.contains("eve is now a referee of this table. #1"));
    for asked in ["in old why #3", "in old history"] {
        let told = rooms.ask("chat-eve", "eve", asked).await;
        assert!(!told.contains("trap") && !told.contains("insp"), "{asked}: {told}");
    }
    assert!(rooms.ask("new", "ann", "!gm").await.contains("No referee yet"));
    rooms.running.stop().await;
}

#[tokio::test]
async fn what_is_set_in_a_room_while_it_is_replaced_gives_it_no_seat_back() {
    let rooms = Rooms::open();
    assert!(rooms.ask("old", "ann", "!insp +3").await.contains("inspiration 3"));
    let set = Event::Said(rooms.message("old", "gus", "!room verbosity full"));
    // The room has a new table once both are accepted, and its old one plays what was said before.
    rooms.network.deliver(vec![set, Event::Moved { from: room("old"), to: room("new") }]);
    for _ in 0..2 {
        rooms.network.hear().await;
    }
    assert!(rooms.ask("new", "ann", "!secret roll 2d1 # a trap").await.contains("secret roll"));
    rooms.network.hear().await;
    rooms.comes("old", "eve");
    let told = rooms.ask("old", "eve", "!gm me").await;
    assert!(told.contains("eve is now a referee of this table. #1"), "{told}");
    assert!(rooms.ask("new", "ann", "!gm").await.contains("No referee yet"));
    rooms.running.stop().await;
}

#[tokio::test]
async fn a_room_with_a_table_of_its_own_takes_over_no_other() {
    let rooms = Rooms::open();
    assert!(rooms.ask("trap", "mal", "!gm me").await.contains("mal is now a referee"));
    assert!(rooms.ask("tavern", "gus", "!gm me").await.contains("gus is now a referee"));
    rooms.moves("trap", "tavern");
    assert!(text(&rooms.network.hear().await).starts_with("I am astragal"), "a greeting and nothing else");
    assert!(rooms.ask("tavern", "ann", "!gm").await.contains("The referee is gus"));
    assert!(rooms.ask("trap", "mal", "!gm").await.contains("The referee is mal"));
    rooms.running.stop().await;
}

#[tokio::test]
async fn nobody_asks_about_a_room_that_the_bot_has_left() {
    let rooms = Rooms::open();
    rooms.comes("tavern", "eve");
    assert!(rooms.ask("tavern", "ann", "!insp +3").await.contains("inspiration 3"));
    assert!(rooms.ask("chat-eve", "eve", "in tavern history").await.contains("insp"));
    // She leaves and asks at the same moment.
    rooms.network.happen(Event::Gone { room: room("tavern"), player: player("eve") });
    assert!(rooms.ask("chat-eve", "eve", "in tavern history").await.contains("I do not see you in"));
    rooms.comes("tavern", "eve");
    rooms.network.happen(Event::Left { room: room("tavern") });
    assert_eq!(rooms.ask("tavern", "ann", "!roll 1d1").await, "1 | 1d1 [1] #2");
    assert!(rooms.ask("chat-eve", "eve", "in tavern history").await.contains("I do not see you in"));
    rooms.running.stop().await;
}

#[tokio::test]
async fn a_player_who_spoke_and_left_is_not_present() {
    let rooms = Rooms::open();
    assert!(rooms.ask("tavern", "ann", "!insp +3").await.contains("inspiration 3"));
    let message = Message { absent: true, ..rooms.message("tavern", "eve", "!roll 2d1") };
    rooms.network.happen(Event::Said(message));
    assert!(text(&rooms.network.hear().await).starts_with("2 | "));
    assert!(rooms.ask("chat-eve", "eve", "in tavern history").await.contains("I do not see you in"));
    rooms.running.stop().await;
}

#[tokio::test]
async fn a_referee_who_left_reads_no_secrets() {
    let rooms = Rooms::open();
    ["ann", "cal"].into_iter().for_each(|who| rooms.comes("tavern", who));
    assert!(rooms.ask("tavern", "cal", "!gm me").await.contains("cal is now a referee"));
    let told = async |who: &str| {
        rooms.say("tavern", who, "!secret roll 2d1");
        assert!(text(&rooms.network.hear().await).contains("secret roll"));
        rooms.network.hear().await.to
    };
    assert_eq!(told("ann").await, Recipient::Player(player("ann")));
    assert_eq!(rooms.network.hear().await.to, Recipient::Player(player("cal")));
    rooms.network.happen(Event::Gone { room: room("tavern"), player: player("cal") });
    assert_eq!(told("ann").await, Recipient::Player(player("ann")));
    assert!(rooms.ask("tavern", "ann", "!roll 1d1").await.starts_with("1 | "), "and nobody else is told");
    rooms.running.stop().await;
}

#[tokio::test]
async fn a_deleted_message_is_erased_wherever_it_was_played() {
    let rooms = Rooms::open();
    rooms.comes("tavern", "ann");
    assert_eq!(rooms.ask("tavern", "ann", "!roll 1d1").await, "1 | 1d1 [1] #1");
    // In one room for another.
    let said = rooms.say("chat-ann", "ann", "in tavern roll 2d1 # my sister is ill");
    assert!(text(&rooms.network.hear().await).contains("a secret roll by ann"));
    assert!(text(&rooms.network.hear().await).contains("my sister"));
    rooms.take_back("chat-ann", "ann", &said);
    rooms.withdrawn("chat-ann", &said).await;
    rooms.withdrawn("tavern", &said).await;
    // At a table that moved to another room.
    let said = rooms.say("tavern", "ann", "!roll 3d1 # my sister is worse");
    assert!(text(&rooms.network.hear().await).contains("my sister"));
    rooms.moves("tavern", "new");
    rooms.network.hear().await;
    rooms.take_back("tavern", "ann", &said);
    rooms.withdrawn("tavern", &said).await;
    // By an edit. Only the edit is deleted.
    let first = rooms.say("new", "ann", "!roll 4d1 # my sister");
    assert!(text(&rooms.network.hear().await).contains("my sister"));
    let message = rooms.message("new", "ann", "!roll 4d1 # my sister died");
    let edit = message.id.clone();
    rooms.network.happen(Event::Edited { message, original: first.clone() });
    assert!(text(&rooms.network.hear().await).contains("my sister died"));
    rooms.take_back("new", "ann", &edit);
    rooms.withdrawn("new", &edit).await;
    rooms.withdrawn("new", &first).await;
    // A refused line also has words.
    let said = rooms.say("new", "ann", "!roll my sister");
    assert!(text(&rooms.network.hear().await).contains("!roll my sister"));
    rooms.take_back("new", "ann", &said);
    rooms.withdrawn("new", &said).await;
    let left = rooms.ask("new", "ann", "!history").await;
    assert!(!left.contains("sister") && left.contains("text erased"), "{left}");
    rooms.running.stop().await;
}

#[tokio::test]
async fn a_deleted_message_is_erased_at_the_own_table_of_a_room_that_plays_at_another() {
    for forgotten in [false, true] {
        let rooms = Rooms::open();
        rooms.ask("tavern", "gus", "!gm me").await;
        let said = rooms.say("den", "ann", "!roll 1d1 # my sister is ill");
        assert!(text(&rooms.network.hear().await).contains("my sister"));
        let given = rooms.ask("tavern", "gus", "!link").await;
        let word = given.split("!link ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a word").to_owned();
        // Each of these also tells the tavern.
        let moves = async |line: &str, done: &str| {
            rooms.say("den", "gus", line);
            let told = [text(&rooms.network.hear().await), text(&rooms.network.hear().await)];
            assert!(told.iter().any(|said| said.contains(done)), "{told:?}");
        };
        moves(&format!("!link {word} really"), "This room now plays at").await;
        if forgotten {
            // Its outcome is no longer stored, as after some days.
            let mut batch = Batch::default();
            batch.delete(keys::inbox(&room("den"), &said));
            rooms.running.store.commit(&batch).expect("memory does not fail");
            rooms.running.bot.host().committer().forget();
        }
        rooms.take_back("den", "ann", &said);
        rooms.withdrawn("den", &said).await;
        moves("!unlink", "goes on at its own table").await;
        let left = rooms.ask("den", "ann", "!history").await;
        assert!(!left.contains("sister") && left.contains("text erased"), "{left}");
        rooms.running.stop().await;
    }
}

#[tokio::test]
async fn a_deleted_message_that_waits_is_erased_once_it_was_played() {
    let rooms = Rooms::open();
    // Both are accepted before the first is played, because the table is opened only then.
    let said = rooms.say("tavern", "ann", "!odds 60d100kh30\n!roll 2d1 # my sister is ill");
    rooms.take_back("tavern", "ann", &said);
    assert!(text(&rooms.network.hear().await).contains("my sister"));
    rooms.withdrawn("tavern", &said).await;
    assert!(!rooms.ask("tavern", "ann", "!history").await.contains("sister"));
    rooms.running.stop().await;
}

#[tokio::test]
async fn a_message_that_comes_again_with_its_deletion_is_erased_where_it_was_played() {
    let rooms = Rooms::open();
    rooms.comes("tavern", "ann");
    assert_eq!(rooms.ask("tavern", "ann", "!roll 1d1").await, "1 | 1d1 [1] #1");
    let message = rooms.message("chat-ann", "ann", "in tavern roll 2d1 # my sister is ill");
    rooms.network.happen(Event::Said(message.clone()));
    for _ in 0..2 {
        rooms.network.hear().await;
    }
    // After a start nobody knows who is in the tavern when the network repeats what it said last.
    rooms.network.happen(Event::Left { room: room("tavern") });
    assert_eq!(rooms.ask("tavern", "bob", "!roll 1d1").await, "1 | 1d1 [1] #3");
    let (redaction, of) = (rooms.message("chat-ann", "ann", ""), message.id.clone());
    rooms.network.deliver(vec![Event::Said(message), Event::Redacted { message: redaction, of }]);
    for _ in 0..2 {
        assert!(rooms.network.hear().await.withdraws().is_some());
    }
    assert!(rooms.ask("tavern", "ann", "!history").await.contains("text erased"));
    rooms.running.stop().await;
}

#[tokio::test]
async fn an_answer_that_waits_forever_holds_up_no_other() {
    let rooms = Rooms::open();
    let said = rooms.say("tavern", "ann", "!roll 2d1");
    rooms.network.hear().await;
    rooms.network.go_down();
    rooms.say("trap", "mal", "!roll 1d1");
    while rooms.network.kept() == 0 {
        tokio::task::yield_now().await;
    }
    rooms.network.come_back();
    let message = rooms.message("tavern", "ann", "!roll 3d1");
    rooms.network.happen(Event::Edited { message, original: said });
    let corrected = rooms.network.hear().await;
    assert!(corrected.corrects().is_some() && corrected.room == room("tavern"), "{corrected:?}");
    rooms.running.stop().await;
}

#[tokio::test]
async fn a_room_that_replaces_another_goes_on_with_its_scene_and_its_board() {
    let rooms = Rooms::open();
    rooms.comes("old", "gus");
    assert!(rooms.ask("old", "gus", "!gm me").await.contains("gus is now a referee"));
    let told = rooms.ask("old", "gus", "!link").await;
    let word = told.split("!link ").nth(1).and_then(|rest| rest.split_whitespace().next()).expect("a word");
    assert!(rooms.ask("hall", "gus", &format!("!link {word}")).await.contains("plays at"));
    assert!(text(&rooms.network.hear().await).contains("hall"));
    assert!(rooms.ask("old", "gus", "!scene apart At the mill").await.contains("plays it apart"));
    assert!(rooms.ask("old", "gus", "!board on").await.contains("I keep a board here"));
    let board = rooms.network.hear().await;
    assert!(board.board && board.room == room("old") && text(&board).contains("At the mill"), "{board:?}");
    rooms.moves("old", "new");
    let posts = [rooms.network.hear().await, rooms.network.hear().await];
    let (boards, told): (Vec<&Post>, Vec<&Post>) = posts.iter().partition(|post| post.board);
    assert!(text(told[0]).contains("This room goes on where the old one ended"), "{posts:?}");
    assert!(boards[0].room == room("new") && text(boards[0]).contains("At the mill"), "{posts:?}");
    assert!(rooms.ask("new", "gus", "!scene").await.contains("At the mill, since #2. This room plays it apart"));
    assert!(rooms.ask("new", "gus", "!undo #4").await.contains("#4 seated a room"));
    assert!(rooms.ask("hall", "gus", "!now all").await.contains("At the mill in new"));
    // The old room has a table of its own, and no part in this one.
    assert!(rooms.ask("old", "gus", "!scene").await.contains("No scene was begun here"));
    rooms.running.stop().await;
}
