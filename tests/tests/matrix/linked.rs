//! An encrypted room on Matrix and a channel on IRC at one table.

use crate::matrix::stage::{Make, Table};
use std::time::Duration;
use tests::irc::stage::{BOT, CHANNEL, meet, settings, transport};
use tests::irc::{Client, Ngircd, NgircdOptions};

/// The bot's next line in the channel, without its greeting.
fn hear(mia: &mut Client, to: &str) -> String {
    tests::irc::stage::hear_in(mia, to)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_irc_channel_and_an_encrypted_room_play_at_one_table() {
    let server = Ngircd::start(&NgircdOptions::default());
    let mut mia = Client::connect(server.port(), "mia");
    mia.join(CHANNEL);
    let mut table = Table::set(true, &["ann"]).await;
    let networks = vec![table.transport(), transport(settings(server.port(), ""))];
    let running = Make { unlimited: true, ..Make::default() }.serve(networks);
    table.people[0].meet(&table.room, &table.bot).await;
    meet(&mut mia, BOT, CHANNEL);
    mia.say(CHANNEL, "!link");
    let given = hear(&mut mia, "mia");
    let word = given.split("!link ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a word").to_owned();
    let linked = table.ask(0, &format!("!link {word}")).await;
    assert!(linked.contains(&format!("plays at the table of {CHANNEL} on irc")), "{linked}");
    assert!(hear(&mut mia, CHANNEL).contains("Tavern on matrix plays at this table from now on."));
    mia.say(CHANNEL, "!mirror on");
    assert!(hear(&mut mia, CHANNEL).contains("each room of this table sees"));
    // Initiative in both rooms is one order.
    let order = table.ask(0, "!init 17").await;
    assert!(order.contains("Turn order"), "{order}");
    let seen = hear(&mut mia, CHANNEL);
    assert!(seen.starts_with("[Tavern on matrix] ") && seen.contains("17"), "{seen}");
    mia.say(CHANNEL, "!init 12");
    let both = hear(&mut mia, CHANNEL);
    assert!(both.contains("17") && both.contains("mia 12"), "{both}");
    let seen = table.hear(0).await;
    assert!(seen.starts_with("[#hall on irc] mia: ") && seen.contains("mia 12"), "{seen}");
    // Cards and secrets stay where they are.
    let deck = table.ask(0, "!deck poker").await;
    assert!(deck.contains("54 cards") || deck.contains("52 cards"), "{deck}");
    assert!(hear(&mut mia, CHANNEL).starts_with("[Tavern on matrix] "));
    table.ask(0, "!draw 2").await;
    assert!(table.hear_alone(0).await.body().contains("draws 1: "));
    table.ask(0, "!secret roll 3d1 # the safe").await;
    assert!(table.hear_alone(0).await.body().contains("the safe"));
    // The next that the channel hears is the next roll.
    let rolled = table.ask(0, "!roll 1d1 # I leap").await;
    let seen = hear(&mut mia, CHANNEL);
    assert!(seen.starts_with("[Tavern on matrix] ") && seen.contains("1 | 1d1 [1] | I leap"), "{rolled}: {seen}");
    mia.say(CHANNEL, "!roll 2d1");
    assert!(hear(&mut mia, CHANNEL).contains("2 | 2d1 [1 1]"));
    let seen = table.hear(0).await;
    assert!(seen.starts_with("[#hall on irc] mia: 2 | 2d1 [1 1]"), "{seen}");
    assert_eq!(mia.hear_within(BOT, CHANNEL, Duration::from_millis(300)), None);
    running.stop().await;
}
