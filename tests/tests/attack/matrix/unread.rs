//! A message that nobody can decrypt affects only its own room.

use chat::{Clock, SystemClock};
use jiff::SignedDuration;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tests::matrix::stage::{Make, NETWORK, Table, randomness, settings};
use tests::matrix::{Foreigner, Heard, Person, Synapse, name};
use tests::serving::SetClock;
use transport_matrix::Matrix;

/// An encrypted event as the homeserver shows it.
fn seen(server: &Synapse, person: &Person, room: &str, event: &str) -> Value {
    let path = format!("/_matrix/client/v3/rooms/{room}/event/{event}");
    server.ask("GET", &path, person.client.access_token().as_deref(), &json!({}))["content"].clone()
}

/// Sends many messages, each encrypted with a different key that nobody has.
fn flood(server: &Synapse, token: &str, room: &str, (like, count): (&Value, usize)) {
    for number in 0..count {
        let mut content = like.clone();
        content["session_id"] = format!("no-such-session-{number}").into();
        let path = format!("/_matrix/client/v3/rooms/{room}/send/m.room.encrypted/{}", name("flood"));
        let sent = server.ask("PUT", &path, Some(token), &content);
        assert!(sent["event_id"].is_string(), "{sent}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn strangers_cannot_push_out_a_message_that_waits_for_its_key() {
    let mut table = Table::set(true, &["gus", "mallory"]).await;
    let mut nia = Foreigner::register(table.server, &name("nia"));
    nia.join(&table.room);
    let bot = table.start(Make::default()).await;
    nia.meet(&table.room, &table.bot);
    let own = table.people[1].make_room("Her own", true, &[&table.bot]).await;
    table.people[1].join(&own).await;
    table.people[1].meet(&own, &table.bot).await;
    let said = nia.say_without_key(&table.room, "!roll 4d1");
    let like = seen(table.server, &table.people[0], &table.room, &said);
    let mallory = table.people[1].client.access_token().expect("logged in");
    // In a room of her own, and in the room where the message waits.
    flood(table.server, &mallory, &own, (&like, 510));
    flood(table.server, &mallory, &table.room, (&like, 30));
    assert_eq!(table.ask(0, "!roll 2d1").await, "2 | 2d1 [1 1] #1", "the bot has seen all of it");
    nia.share_key(&table.room);
    let (content, _) = nia.answer(&said);
    // The answer begins with the delay.
    assert!(content["body"].as_str().is_some_and(|body| body.ends_with("4 | 4d1 [1 1 1 1] #2")), "{content}");
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_bot_rarely_complains_about_messages_it_cannot_read() {
    let mut table = Table::set(true, &["gus", "mallory"]).await;
    let mut nia = Foreigner::register(table.server, &name("nia"));
    nia.join(&table.room);
    let clock = Arc::new(SetClock::at(SystemClock.now()));
    let account = settings(&table.server.url(), &table.user, "");
    let network = Matrix::new(NETWORK, account, clock.clone(), randomness(), table.device.path());
    let bot = Make::default().serve(vec![Arc::new(network)]);
    nia.meet(&table.room, &table.bot);
    table.people[0].meet(&table.room, &table.bot).await;
    let said = nia.say_without_key(&table.room, "!roll 4d1");
    let like = seen(table.server, &table.people[0], &table.room, &said);
    let mallory = table.people[1].client.access_token().expect("logged in");
    flood(table.server, &mallory, &table.room, (&like, 60));
    assert_eq!(table.ask(0, "!roll 2d1").await, "2 | 2d1 [1 1] #1", "the bot has seen all of it");
    clock.set(clock.now() + SignedDuration::from_secs(120));
    let complaint = |heard: &Heard| heard.body().contains("I cannot read this");
    table.people[0].wait_for("a complaint", complaint).await;
    // Messages in one room keep their order, so this answer follows all complaints.
    assert_eq!(table.ask(0, "!roll 3d1").await, "3 | 3d1 [1 1 1] #2");
    let more = table.people[0].drain(Duration::from_millis(10)).await;
    let count = 1 + more.iter().filter(|heard| complaint(heard)).count();
    assert!(count <= 3, "{count} complaints");
    bot.stop().await;
}
