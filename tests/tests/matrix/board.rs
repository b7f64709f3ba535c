//! The board of a room: one event, edited and pinned.

use crate::matrix::stage::{Make, Running, Table};
use chat::{Clock, SystemClock};
use jiff::SignedDuration;
use journal::store::Store;
use serde_json::{Value, json};
use std::sync::Arc;
use tests::matrix::Heard;
use tests::serving::SetClock;

/// The bot with this store, on a clock that the test moves.
async fn start(table: &Table, clock: &Arc<SetClock>, store: Arc<dyn Store>) -> Running {
    table.start(Make { store, own_clock: clock.clone(), unlimited: true, ..Make::default() }).await
}

/// Lets time pass for the bot, and lets it notice by something that is said in another room.
async fn pass(table: &mut Table, other: &str, clock: &SetClock, minutes: i64) {
    clock.go_on(SignedDuration::from_mins(minutes));
    let said = table.people[0].say(other, "!remind 9d tea").await;
    table.people[0].answer(&said).await;
}

/// What is pinned in the room.
fn pinned(table: &Table) -> Vec<String> {
    let token = table.people[0].client.access_token();
    let path = format!("/_matrix/client/v3/rooms/{}/state/m.room.pinned_events", table.room);
    let state = table.server.ask("GET", &path, token.as_deref(), &json!({}));
    let pins = state["pinned"].as_array().into_iter().flatten().filter_map(Value::as_str);
    pins.map(str::to_owned).collect()
}

fn replaces(heard: &Heard) -> Option<&str> {
    let relates = &heard.content["m.relates_to"];
    (relates["rel_type"] == "m.replace").then(|| relates["event_id"].as_str()).flatten()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_board_is_one_event_that_is_pinned_and_edited() {
    let mut table = Table::set(true, &["gus"]).await;
    let clock = Arc::new(SetClock::at(SystemClock.now()));
    let bot = start(&table, &clock, Make::default().store).await;
    let elsewhere = table.people[0].make_room("Cellar", false, &[&table.bot]).await;
    table.people[0].join(&elsewhere).await;
    table.people[0].meet(&elsewhere, &table.bot).await;
    let room = table.people[0].known(&table.room).expect("in it");
    let powers = json!({ "users": { table.bot.as_str(): 50 } });
    room.send_state_event_raw("m.room.power_levels", "", powers).await.expect("sent");
    let other = table.people[0].say(&table.room, "rules of the house").await;
    room.send_state_event_raw("m.room.pinned_events", "", json!({ "pinned": [other] })).await.expect("sent");
    assert!(table.ask(0, "!board on").await.contains("I keep a board here"));
    pass(&mut table, &elsewhere, &clock, 1).await;
    let is_board = |heard: &Heard| heard.body().starts_with("Nobody is waited for.") && replaces(heard).is_none();
    let board = table.people[0].wait_for("the board", is_board).await;
    assert!(table.ask(0, "!set hp 33/40").await.contains("hp 33/40"));
    pass(&mut table, &elsewhere, &clock, 2).await;
    let shows = |text: &'static str| {
        let id = board.id.clone();
        move |heard: &Heard| {
            replaces(heard) == Some(&id)
                && heard.content["m.new_content"]["body"].as_str().is_some_and(|body| body.contains(text))
        }
    };
    table.people[0].wait_for("its first change", shows("hp 33/40")).await;
    assert_eq!(pinned(&table), [other.clone(), board.id.clone()]);
    // A restart makes no other.
    let store = bot.stop().await;
    let bot = start(&table, &clock, store).await;
    assert!(table.ask(0, "!hp -3").await.contains("30"));
    pass(&mut table, &elsewhere, &clock, 2).await;
    table.people[0].wait_for("its second change", shows("hp 30/40")).await;
    assert!(table.ask(0, "!board off").await.contains("gone"));
    let redacted = |heard: &Heard| heard.kind == "m.room.redaction" && heard.sender == table.bot;
    table.people[0].wait_for("its end", redacted).await;
    assert_eq!(pinned(&table), [other]);
    bot.stop().await;
}
