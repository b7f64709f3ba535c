//! Messages sent while the bot was away, or before anybody could know that it listens.

use crate::matrix::stage::{Make, NETWORK, Table, randomness, settings, times};
use chat::{Clock, SystemClock, Transport};
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tests::matrix::Heard;
use transport_matrix::Matrix;

/// A clock ahead of all others.
struct Ahead(SignedDuration);

impl Clock for Ahead {
    fn now(&self) -> Timestamp {
        SystemClock.now() + self.0
    }
}

/// Sends `messages` while the bot is away, one in ten of them a command, and hears the answers in order.
async fn a_gap(encrypted: bool, messages: u32) {
    let mut table = Table::set(encrypted, &["ann"]).await;
    let unlimited = || Make { unlimited: true, ..Make::default() };
    let bot = table.start(unlimited()).await;
    let room = table.room.clone();
    assert_eq!(table.ask(0, "!roll 1d1").await, "1 | 1d1 [1] #1");
    let store = bot.stop().await;
    let mut commands = Vec::new();
    for n in 0..messages {
        let line = if n % 10 == 5 { format!("!roll 2d1+{n}") } else { format!("and then, {n}") };
        let said = table.people[0].say(&room, &line).await;
        commands.extend((n % 10 == 5).then_some((said, n)));
    }
    let bot = table.start(Make { store, ..unlimited() }).await;
    for (said, n) in &commands {
        let heard = table.people[0].hear(&room, &table.bot).await;
        assert_eq!(heard.answers(), Some(said.as_str()), "in order: {}", heard.body());
        assert!(heard.body().contains(&format!("{} | 2d1 [1 1] + {n} ", n + 2)), "{}", heard.body());
    }
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_command_of_a_gap_is_answered_in_order() {
    a_gap(false, times("ASTRAGAL_MATRIX_GAP", 600)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_command_of_an_encrypted_gap_is_answered_in_order() {
    a_gap(true, 200).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn late_answers_say_when_they_were_asked_for() {
    let mut table = Table::set(true, &["ann", "bob"]).await;
    let bot = table.start(Make::default()).await;
    table.ask(0, "!roll 1d1").await;
    let store = bot.stop().await;
    let said = table.people[1].say(&table.room, "!roll 2d1").await;
    let clock = Arc::new(Ahead(SignedDuration::from_hours(1)));
    let settings = settings(&table.server.url(), &table.user, "");
    let network: Arc<dyn Transport> =
        Arc::new(Matrix::new(NETWORK, settings, clock, randomness(), table.device.path()));
    let bot = Make { store, ..Make::default() }.serve(vec![network]);
    let answer = table.people[1].answer(&said).await;
    assert!(
        answer.body().starts_with("(sent 20") && answer.body().ends_with(" UTC) 2 | 2d1 [1 1] #2"),
        "{}",
        answer.body()
    );
    // A message sent now is not marked as late.
    assert_eq!(table.ask(0, "!roll 3d1").await, "3 | 3d1 [1 1 1] #3");
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_hour_of_missed_play_in_three_rooms_is_caught_up_with() {
    let mut table = Table::set(true, &["ann", "bob"]).await;
    let mut rooms = vec![table.room.clone()];
    for (name, encrypted) in [("Cellar", true), ("Attic", false)] {
        let invited = [table.bot.as_str(), &table.people[1].id()];
        let room = table.people[0].make_room(name, encrypted, &invited).await;
        table.people[0].join(&room).await;
        table.people[1].join(&room).await;
        rooms.push(room);
    }
    let unlimited = || Make { unlimited: true, ..Make::default() };
    let bot = table.start(unlimited()).await;
    for room in &rooms {
        for person in &mut table.people {
            person.meet(room, &table.bot).await;
            let said = person.say(room, "!insp +1").await;
            person.answer(&said).await;
        }
    }
    let store = bot.stop().await;
    let mut commands = Vec::new();
    for minute in 0..60 {
        let (room, person) = (minute % rooms.len(), minute / 3 % 2);
        table.people[person].say(&rooms[room], "The rain does not let up.").await;
        commands.push((room, person, table.people[person].say(&rooms[room], "!insp +1").await));
    }
    let settings = settings(&table.server.url(), &table.user, "");
    let clock = Arc::new(Ahead(SignedDuration::from_hours(1)));
    let network: Arc<dyn Transport> =
        Arc::new(Matrix::new(NETWORK, settings, clock, randomness(), table.device.path()));
    let bot = Make { store, ..unlimited() }.serve(vec![network]);
    let mut held = BTreeMap::new();
    for (room, person, said) in &commands {
        let answer = table.people[*person].answer(said).await;
        let now = held.entry((room, person)).or_insert(1);
        *now += 1;
        assert!(answer.body().starts_with("(sent 20"), "{}", answer.body());
        assert!(answer.body().contains(&format!("inspiration {now} ")), "{now}: {}", answer.body());
        assert_eq!(answer.encrypted, *room != 2);
    }
    let more = table.people[0].drain(Duration::from_millis(500)).await;
    let own = |heard: &&Heard| commands.iter().any(|(_, person, said)| *person == 0 && heard.answers() == Some(said));
    assert_eq!(more.iter().filter(own).count(), 0, "something is answered twice");
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_from_before_the_bot_joined_are_not_answered() {
    let mut table = Table::set(false, &["ann"]).await;
    let room = table.room.clone();
    let before = table.people[0].say(&room, "!roll 7d1").await;
    let bot = table.start(Make::default()).await;
    assert_eq!(table.ask(0, "!roll 2d1").await, "2 | 2d1 [1 1] #1");
    // Nor messages from while it was out of the room.
    let (ann, own) = (&table.people[0], table.bot.clone());
    let kicked = ann.known(&room).expect("in it");
    let user = matrix_sdk::ruma::UserId::parse(&own).expect("an id");
    kicked.kick_user(&user, None).await.expect("kicked");
    let out = ann.say(&room, "!roll 8d1").await;
    kicked.invite_user_by_id(&user).await.expect("invited");
    ann.meet(&room, &own).await;
    assert_eq!(table.ask(0, "!roll 3d1").await, "3 | 3d1 [1 1 1] #2", "the table keeps its state");
    let heard = table.people[0].drain(Duration::from_millis(500)).await;
    assert!(heard.iter().all(|heard| ![Some(&*before), Some(&*out)].contains(&heard.answers())));
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redacted_command_is_not_played() {
    let mut table = Table::set(false, &["ann"]).await;
    let room = table.room.clone();
    let bot = table.start(Make::default()).await;
    table.ask(0, "!roll 1d1").await;
    let store = bot.stop().await;
    let said = table.people[0].say(&room, "!roll 9d1").await;
    let event = matrix_sdk::ruma::EventId::parse(&said).expect("an id");
    table.people[0].known(&room).expect("in it").redact(&event, None, None).await.expect("redacted");
    let bot_again = table.start(Make { store, ..Make::default() }).await;
    assert_eq!(table.ask(0, "!roll 2d1").await, "2 | 2d1 [1 1] #2");
    bot_again.stop().await;
}
