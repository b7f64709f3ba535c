//! Nobody plays, or reads, by a copy of a message that the bot can decrypt.

use serde_json::{Value, json};
use tests::matrix::stage::{Make, Table};
use tests::matrix::{Heard, Person, Synapse, name};

/// Sends a copy of an encrypted event as somebody. Returns its id.
fn copy(server: &Synapse, person: &Person, room: &str, event: &str) -> String {
    let token = person.client.access_token();
    let path = format!("/_matrix/client/v3/rooms/{room}/event/{event}");
    let shown = server.ask("GET", &path, token.as_deref(), &json!({}));
    assert_eq!(shown["type"], "m.room.encrypted");
    let path = format!("/_matrix/client/v3/rooms/{room}/send/m.room.encrypted/{}", name("copy"));
    let sent: Value = server.ask("PUT", &path, token.as_deref(), &shown["content"]);
    sent["event_id"].as_str().unwrap_or_else(|| panic!("{sent}")).to_owned()
}

/// What the bot answers to an event.
async fn answer(table: &mut Table, person: usize, event: &str) -> String {
    let heard: Heard = table.people[person].answer(event).await;
    heard.body().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_of_what_somebody_else_encrypted_is_not_played() {
    let mut table = Table::set(true, &["ann", "eve"]).await;
    let bot = table.start(Make::default()).await;
    let said = table.people[0].say(&table.room, "!roll 2d1 # the traitor is Mal").await;
    assert!(answer(&mut table, 0, &said).await.contains("#1"));
    let copied = copy(table.server, &table.people[1], &table.room, &said);
    let told = answer(&mut table, 1, &copied).await;
    assert!(told.contains("did not play this") && !told.contains("traitor"), "{told}");
    // The room is told once.
    copy(table.server, &table.people[1], &table.room, &said);
    assert_eq!(table.ask(0, "!roll 3d1").await, "3 | 3d1 [1 1 1] #2", "nothing was played of the copies");
    let more = table.people[0].drain(std::time::Duration::from_millis(10)).await;
    assert_eq!(more.iter().filter(|heard| heard.body().contains("did not play this")).count(), 1, "{more:#?}");
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_is_sent_again_in_its_senders_name_is_not_played_twice() {
    let mut table = Table::set(true, &["ann"]).await;
    let bot = table.start(Make::default()).await;
    let said = table.people[0].say(&table.room, "!roll 2d1").await;
    assert!(answer(&mut table, 0, &said).await.contains("#1"));
    let copied = copy(table.server, &table.people[0], &table.room, &said);
    let told = answer(&mut table, 0, &copied).await;
    assert!(told.contains("a copy of an earlier message"), "{told}");
    // Whoever types the same again is answered again.
    assert_eq!(table.ask(0, "!roll 2d1").await, "2 | 2d1 [1 1] #2");
    assert_eq!(table.ask(0, "!roll 2d1").await, "2 | 2d1 [1 1] #3");
    let store = bot.stop().await;
    let bot = table.start(Make { store, ..Make::default() }).await;
    let copied = copy(table.server, &table.people[0], &table.room, &said);
    let told = answer(&mut table, 0, &copied).await;
    assert!(told.contains("a copy of an earlier message"), "it is known after a restart: {told}");
    bot.stop().await;
}
