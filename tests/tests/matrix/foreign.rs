//! matrix-nio, a client that shares no library with the bot and has its own encryption.

use crate::matrix::stage::{Make, NETWORK, Table, randomness, settings};
use chat::{Clock, SystemClock};
use jiff::SignedDuration;
use std::sync::Arc;
use std::time::Duration;
use tests::matrix::{Foreigner, name};
use tests::serving::SetClock;
use transport_matrix::Matrix;

#[tokio::test(flavor = "multi_thread")]
async fn a_foreign_client_plays_in_an_encrypted_room() {
    let mut table = Table::set(true, &["gus"]).await;
    let mut nia = Foreigner::register(table.server, &name("nia"));
    nia.join(&table.room);
    let bot = table.start(Make::default()).await;
    nia.meet(&table.room, &table.bot);
    let said = nia.say(&table.room, "!roll 3d1");
    let (content, encrypted) = nia.answer(&said);
    assert!(encrypted, "{content}");
    assert_eq!((&content["msgtype"], &content["body"]), (&"m.notice".into(), &"3 | 3d1 [1 1 1] #1".into()));
    // The others' clients show the same.
    assert_eq!(table.people[0].answer(&said).await.body(), "3 | 3d1 [1 1 1] #1");
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_whose_key_comes_late_is_played_when_it_comes() {
    let mut table = Table::set(true, &["gus"]).await;
    let mut nia = Foreigner::register(table.server, &name("nia"));
    nia.join(&table.room);
    let bot = table.start(Make::default()).await;
    nia.meet(&table.room, &table.bot);
    let said = nia.say_without_key(&table.room, "!roll 4d1");
    // Meanwhile other commands do not wait for it.
    assert_eq!(table.ask(0, "!roll 2d1").await, "2 | 2d1 [1 1] #1");
    // Over a restart the bot remembers messages it could not decrypt.
    let store = bot.stop().await;
    let bot = table.start(Make { store, ..Make::default() }).await;
    nia.share_key(&table.room);
    let (content, _) = nia.answer(&said);
    assert_eq!(content["body"], "4 | 4d1 [1 1 1 1] #2");
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sender_who_cannot_be_read_hears_so_once() {
    let table = Table::set(true, &["gus"]).await;
    let mut nia = Foreigner::register(table.server, &name("nia"));
    nia.join(&table.room);
    let clock = Arc::new(SetClock::at(SystemClock.now()));
    let settings = settings(&table.server.url(), &table.user, "");
    let network = Matrix::new(NETWORK, settings, clock.clone(), randomness(), table.device.path());
    let bot = Make::default().serve(vec![Arc::new(network)]);
    nia.meet(&table.room, &table.bot);
    let said = nia.say_without_key(&table.room, "!roll 4d1");
    table.people[0].meet(&table.room, &table.bot).await;
    // It waits a minute for the key before it says so.
    let time = tokio::spawn(async move {
        loop {
            clock.set(clock.now() + SignedDuration::from_secs(10));
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    });
    let (content, _nia) = tokio::task::spawn_blocking(move || (nia.answer(&said).0, nia)).await.expect("told");
    time.abort();
    assert!(content["body"].as_str().is_some_and(|body| body.contains("I cannot read this")), "{content}");
    bot.stop().await;
}
