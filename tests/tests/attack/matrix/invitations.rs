//! A bad invitation harms only itself, and only people on the list can lead the bot into rooms.

use chat::Transport;
use matrix_sdk::ruma::UserId;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tests::matrix::stage::{Make, Table, settings, transport};
use tests::matrix::{BadLine, Heard, Person, Synapse, Weather};

/// The bot's account, which accepts these people's invitations (or `*`), so many rooms a minute.
fn follower(url: &str, user: &str, device: &Path, (invites, pace): (&[String], u32)) -> Arc<dyn Transport> {
    let mut settings = settings(url, user, "");
    (settings.invites, settings.joins_per_minute) = (invites.iter().cloned().collect(), pace);
    transport(settings, device)
}

/// A person's membership in a room, as another member sees it.
async fn membership(seer: &Person, server: &Synapse, room: &str, user: &str) -> Value {
    let token = seer.client.access_token();
    let path = format!("/_matrix/client/v3/rooms/{room}/state/m.room.member/{user}");
    server.ask("GET", &path, token.as_deref(), &json!({}))["membership"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_room_that_lets_nobody_in_holds_up_no_other() {
    let mut table = Table::set(false, &["gus", "mallory"]).await;
    let line = BadLine::to(table.server.port()).await;
    let dead = table.people[1].make_room("Dead", false, &[&table.bot]).await;
    table.people[1].join(&dead).await;
    let (encoded, tries) = (dead[1..].to_owned(), Arc::new(AtomicUsize::new(0)));
    let count = tries.clone();
    line.forecast(move |_, request| {
        let there = request.contains("/join/") && request.contains(&encoded);
        count.fetch_add(usize::from(there), Ordering::SeqCst);
        if there { Weather::Status(502) } else { Weather::Fair }
    });
    let everybody = ["*".to_owned()];
    let network = follower(&line.url(), &table.user, table.device.path(), (&everybody, 1_000));
    let bot = Make::default().serve(vec![network]);
    table.people[0].meet(&table.room, &table.bot).await;
    assert_eq!(table.ask(0, "!roll 1d1").await, "1 | 1d1 [1] #1");
    // The bot gives up and says so.
    let (invited, own) = (dead.clone(), table.bot.clone());
    let declined = |heard: &Heard| {
        let of = heard.room == invited && heard.kind == "m.room.member" && heard.sender == own;
        of && heard.content["membership"] == "leave"
    };
    table.people[1].wait_for("that the invitation is declined", declined).await;
    let tried = tries.load(Ordering::SeqCst);
    assert!((2..=10).contains(&tried), "{tried} times");
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_room_that_does_not_answer_holds_up_no_other() {
    let mut table = Table::set(false, &["gus", "mallory"]).await;
    let line = BadLine::to(table.server.port()).await;
    let mut slow = Vec::new();
    for _ in 0..6 {
        let room = table.people[1].make_room("Slow", false, &[&table.bot]).await;
        slow.push(room[1..].to_owned());
    }
    line.forecast(move |_, request| {
        let there = request.contains("/join/") && slow.iter().any(|room| request.contains(room));
        if there { Weather::Slow(120_000) } else { Weather::Fair }
    });
    let everybody = ["*".to_owned()];
    let network = follower(&line.url(), &table.user, table.device.path(), (&everybody, 1_000));
    let bot = Make::default().serve(vec![network]);
    table.people[0].meet(&table.room, &table.bot).await;
    assert_eq!(table.ask(0, "!roll 1d1").await, "1 | 1d1 [1] #1");
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_listed_person_comes_before_a_crowd_of_strangers() {
    let table = Table::set(false, &["mallory", "gus"]).await;
    for _ in 0..40 {
        table.people[0].make_room("Spam", false, &[&table.bot]).await;
    }
    // The owner invites last, and the bot joins two rooms a minute.
    let wanted = table.people[1].make_room("Tavern", false, &[&table.bot]).await;
    table.people[1].join(&wanted).await;
    let invites = ["*".to_owned(), table.people[1].id()];
    let network = follower(&table.server.url(), &table.user, table.device.path(), (&invites, 2));
    let bot = Make::default().serve(vec![network]);
    table.people[1].meet(&wanted, &table.bot).await;
    bot.stop().await;
}

/// Tries to send a tombstone as this person.
fn close(server: &Synapse, person: &Person, room: &str, replacement: &str) -> Value {
    let token = person.client.access_token();
    let path = format!("/_matrix/client/v3/rooms/{room}/state/m.room.tombstone/");
    let tombstone = json!({ "body": "come along", "replacement_room": replacement });
    server.ask("PUT", &path, token.as_deref(), &tombstone)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tombstone_is_no_way_around_the_list() {
    let mut table = Table::set(false, &["gus", "mallory"]).await;
    let gus = table.people[0].id();
    let network = follower(&table.server.url(), &table.user, table.device.path(), (&[gus], 1_000));
    let bot = Make::default().serve(vec![network]);
    table.people[0].meet(&table.room, &table.bot).await;
    // In her direct room, and in a room where she has power.
    let room = table.room.clone();
    table.people[1].say(&room, "!secret roll 2d1").await;
    let direct = table.hear_alone(1).await.room;
    let powers = json!({ "users": { table.people[1].id(): 100 }, "events": { "m.room.tombstone": 100 } });
    let known = table.people[0].known(&room).expect("in it");
    known.send_state_event_raw("m.room.power_levels", "", powers).await.expect("sent");
    let mut traps = Vec::new();
    for closed in [&direct, &room] {
        let trap = table.people[1].make_room("Trap", false, &[]).await;
        close(table.server, &table.people[1], closed, &trap);
        traps.push(trap);
    }
    // Gus's next room is joined after the bot has seen both.
    let next = table.people[0].make_room("Next", false, &[&table.bot]).await;
    table.people[0].join(&next).await;
    table.people[0].meet(&next, &table.bot).await;
    table.room = next;
    assert_eq!(table.ask(0, "!roll 1d1").await, "1 | 1d1 [1] #1");
    for trap in &traps {
        let there = membership(&table.people[1], table.server, trap, &table.bot).await;
        assert_ne!(there, "join");
    }
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_false_tombstone_does_not_hide_the_true_one() {
    let mut table = Table::set(false, &["gus", "eve"]).await;
    let bot = table.start(Make { plugins: vec!["roll", "mvk"], ..Make::default() }).await;
    assert!(table.ask(0, "!insp +3").await.contains("inspiration 3"));
    let gus = table.people[0].known(&table.room).expect("in it");
    let powers = json!({ "events": { "m.room.tombstone": 0 } });
    gus.send_state_event_raw("m.room.power_levels", "", powers).await.expect("sent");
    let trap = table.people[1].make_room("Trap", false, &[]).await;
    assert!(close(table.server, &table.people[1], &table.room, &trap)["event_id"].is_string());
    assert!(table.ask(0, "!insp +1").await.contains("inspiration 4"), "the table stays");
    let token = table.people[0].client.access_token();
    let path = format!("/_matrix/client/v3/rooms/{}/upgrade", table.room);
    let upgraded = table.server.ask("POST", &path, token.as_deref(), &json!({ "new_version": "12" }));
    let new = upgraded["replacement_room"].as_str().unwrap_or_else(|| panic!("{upgraded}")).to_owned();
    table.people[0].join(&new).await;
    table.people[0].meet(&new, &table.bot).await;
    table.room = new;
    assert!(table.ask(0, "!insp +1").await.contains("inspiration 5"), "the table moves along");
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upgrade_by_an_admin_who_is_not_on_the_list_is_followed_by_invitation() {
    let mut table = Table::set(false, &["gus", "ann"]).await;
    let (gus, ann) = (table.people[0].id(), table.people[1].id());
    let network = follower(&table.server.url(), &table.user, table.device.path(), (&[gus], 1_000));
    let bot = Make { plugins: vec!["roll", "mvk"], ..Make::default() }.serve(vec![network]);
    table.people[0].meet(&table.room, &table.bot).await;
    assert!(table.ask(0, "!insp +3").await.contains("inspiration 3"));
    let known = table.people[0].known(&table.room).expect("in it");
    let powers = json!({ "users": { ann: 100 }, "events": { "m.room.tombstone": 100 } });
    known.send_state_event_raw("m.room.power_levels", "", powers).await.expect("sent");
    let token = table.people[1].client.access_token();
    let path = format!("/_matrix/client/v3/rooms/{}/upgrade", table.room);
    let upgraded = table.server.ask("POST", &path, token.as_deref(), &json!({ "new_version": "12" }));
    let new = upgraded["replacement_room"].as_str().unwrap_or_else(|| panic!("{upgraded}")).to_owned();
    table.people[1].join(&new).await;
    let bot_id = UserId::parse(&table.bot).expect("an id");
    table.people[1].known(&new).expect("in it").invite_user_by_id(&bot_id).await.expect("invited");
    table.people[0].join(&new).await;
    table.people[0].meet(&new, &table.bot).await;
    table.room = new;
    assert!(table.ask(0, "!insp +1").await.contains("inspiration 4"), "the table moves along");
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_room_that_moved_on_leads_nowhere_else() {
    let mut table = Table::set(false, &["gus", "eve"]).await;
    let eve = table.people[1].id();
    let bot = table.start(Make { plugins: vec!["roll", "mvk"], ..Make::default() }).await;
    assert!(table.ask(0, "!insp +3").await.contains("inspiration 3"));
    let old = table.room.clone();
    let powers = json!({ "users": { eve: 50 }, "events": { "m.room.tombstone": 50 } });
    table.people[0]
        .known(&old)
        .expect("in it")
        .send_state_event_raw("m.room.power_levels", "", powers)
        .await
        .expect("sent");
    let token = table.people[0].client.access_token();
    let path = format!("/_matrix/client/v3/rooms/{old}/upgrade");
    let upgraded = table.server.ask("POST", &path, token.as_deref(), &json!({ "new_version": "12" }));
    let new = upgraded["replacement_room"].as_str().unwrap_or_else(|| panic!("{upgraded}")).to_owned();
    table.people[0].join(&new).await;
    table.people[0].meet(&new, &table.bot).await;
    table.room = new;
    assert!(table.ask(0, "!insp +1").await.contains("inspiration 4"), "the table moves along");
    // Another room claims to replace the old one, and someone with power there confirms it.
    let token = table.people[1].client.access_token();
    let made = json!({
        "creation_content": { "predecessor": { "room_id": old, "event_id": "$last" } },
        "preset": "public_chat",
    });
    let trap = table.server.ask("POST", "/_matrix/client/v3/createRoom", token.as_deref(), &made);
    let trap = trap["room_id"].as_str().unwrap_or_else(|| panic!("{trap}")).to_owned();
    assert!(close(table.server, &table.people[1], &old, &trap)["event_id"].is_string());
    let path = format!("/_matrix/client/v3/rooms/{trap}/invite");
    table.server.ask("POST", &path, token.as_deref(), &json!({ "user_id": table.bot }));
    table.people[1].meet(&trap, &table.bot).await;
    let said = table.people[1].say(&trap, "!insp +1").await;
    let answer = table.people[1].answer(&said).await.body().to_owned();
    assert!(answer.contains("inspiration 1") && answer.contains("#1"), "a table of its own: {answer}");
    assert!(table.ask(0, "!insp +1").await.contains("inspiration 5"), "and nobody played at the other");
    bot.stop().await;
}
