//! Nobody else reads what is meant for one person, whatever room an attacker prepared.

use chat::Transport;
use journal::keys;
use journal::store::Batch;
use matrix_sdk::ruma::UserId;
use matrix_sdk::ruma::api::client::room::create_room::v3::{Request, RoomPreset};
use serde_json::{Value, json};
use std::sync::Arc;
use tests::matrix::stage::{Make, NETWORK, Table, settings, transport};
use tests::matrix::{BadLine, Person, Weather, name};
use tokio::sync::watch;

/// The homeserver's response to an attempt to change a room's state.
fn set_state(table: &Table, token: &str, room: &str, (kind, key, content): (&str, &str, Value)) -> Value {
    let path = format!("/_matrix/client/v3/rooms/{room}/state/{kind}/{key}");
    table.server.ask("PUT", &path, Some(token), &content)
}

fn token(person: &Person) -> String {
    person.client.access_token().expect("logged in")
}

/// A person makes a secret roll. Returns the room of the answer.
async fn told_in(table: &mut Table, person: usize, roll: &str) -> String {
    table.people[person].say(&table.room, &format!("!secret roll {roll}")).await;
    let heard = table.hear_alone(person).await;
    assert!(heard.encrypted && heard.body().contains(roll), "{}", heard.body());
    heard.room
}

#[tokio::test(flavor = "multi_thread")]
async fn a_room_that_somebody_prepared_and_left_gets_nobodys_secrets() {
    let mut table = Table::set(true, &["mallory", "dora"]).await;
    let bot = table.start(Make::default()).await;
    let trap = told_in(&mut table, 0, "2d1").await;
    // The test does not depend on whether the homeserver allows all of this.
    let mallory = token(&table.people[0]);
    set_state(&table, &mallory, &trap, ("m.room.join_rules", "", json!({ "join_rule": "public" })));
    let path = format!("/_matrix/client/v3/rooms/{trap}");
    let dora = json!({ "user_id": table.people[1].id() });
    table.server.ask("POST", &format!("{path}/invite"), Some(&mallory), &dora);
    table.server.ask("POST", &format!("{path}/leave"), Some(&mallory), &json!({}));
    assert_ne!(told_in(&mut table, 1, "3d1").await, trap);
    table.server.ask("POST", &format!("{path}/join"), Some(&mallory), &json!({}));
    assert_ne!(told_in(&mut table, 1, "4d1").await, trap);
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_room_that_somebody_marks_as_direct_gets_nobodys_secrets() {
    let mut table = Table::set(true, &["mallory", "dora", "gus"]).await;
    let bot = table.start(Make::default()).await;
    let room = table.room.clone();
    table.people[2].say(&room, "!gm me").await;
    table.hear(2).await;
    for victim in [1, 2] {
        let mut request = Request::new();
        request.preset = Some(RoomPreset::TrustedPrivateChat);
        request.is_direct = true;
        let invited = [table.bot.clone(), table.people[victim].id()];
        request.invite = invited.iter().map(|user| UserId::parse(user).expect("an id")).collect();
        let mallory = &table.people[0];
        let trap = mallory.client.create_room(request).await.expect("a room").room_id().to_string();
        let visible = json!({ "history_visibility": "world_readable" });
        set_state(&table, &token(mallory), &trap, ("m.room.history_visibility", "", visible));
        mallory.meet(&trap, &table.bot).await;
        mallory.meet(&trap, &table.people[victim].id()).await;
        // The bot has processed all events of that room.
        let said = mallory.say(&trap, "!roll 1d1").await;
        for person in [0, victim] {
            table.people[person].answer(&said).await;
        }
        // Dora's secret roll is told to her and to the referee.
        table.people[1].say(&room, "!secret roll 3d1").await;
        let heard = table.hear_alone(victim).await;
        assert!(heard.encrypted && heard.room != trap, "{}", heard.body());
        if victim == 2 {
            table.hear_alone(1).await;
        }
    }
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_player_who_left_is_told_in_a_new_room() {
    let mut table = Table::set(true, &["ann"]).await;
    let bot = table.start(Make::default()).await;
    let first = told_in(&mut table, 0, "2d1").await;
    table.people[0].known(&first).expect("in it").leave().await.expect("left");
    let second = told_in(&mut table, 0, "3d1").await;
    assert_ne!(second, first);
    assert_eq!(told_in(&mut table, 0, "4d1").await, second, "later answers go there, too");
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_person_can_change_nothing_in_their_direct_room() {
    let mut table = Table::set(true, &["mallory", "dora"]).await;
    let bot = table.start(Make::default()).await;
    let room = told_in(&mut table, 0, "2d1").await;
    let mallory = token(&table.people[0]);
    let next = json!({ "body": "come", "replacement_room": table.room });
    for change in [
        ("m.room.join_rules", "", json!({ "join_rule": "public" })),
        ("m.room.history_visibility", "", json!({ "history_visibility": "world_readable" })),
        ("m.room.power_levels", "", json!({ "users_default": 100 })),
        ("m.room.encryption", "", json!({ "algorithm": "none" })),
        ("m.room.tombstone", "", next),
    ] {
        let answer = set_state(&table, &mallory, &room, change.clone());
        assert_eq!(answer["errcode"], "M_FORBIDDEN", "{change:?}");
    }
    let path = format!("/_matrix/client/v3/rooms/{room}/invite");
    let answer = table.server.ask("POST", &path, Some(&mallory), &json!({ "user_id": table.people[1].id() }));
    assert_eq!(answer["errcode"], "M_FORBIDDEN", "an invitation");
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_readers_of_a_direct_room_are_checked_before_every_message() {
    let mut table = Table::set(true, &["ann"]).await;
    let bot = table.start(Make::default()).await;
    // Only the bot's own account and the homeserver's operator can do these.
    let own = table.server.log_in(&table.user);
    let absent = table.server.register(&name("absent"));
    let mut seen = vec![told_in(&mut table, 0, "2d1").await];
    let ann = table.people[0].id();
    for change in [
        ("m.room.member", &*absent, json!({ "membership": "invite" })),
        ("m.room.join_rules", "", json!({ "join_rule": "public" })),
        ("m.room.join_rules", "", json!({ "join_rule": "knock" })),
        ("m.room.history_visibility", "", json!({ "history_visibility": "world_readable" })),
        ("m.room.power_levels", "", json!({ "users": { ann: 50 } })),
        ("m.room.tombstone", "", json!({ "body": "come", "replacement_room": table.room })),
    ] {
        let answer = set_state(&table, &own, seen.last().expect("one"), change.clone());
        assert!(answer["event_id"].is_string(), "{change:?}: {answer}");
        let next = told_in(&mut table, 0, "3d1").await;
        assert!(!seen.contains(&next), "{change:?}");
        seen.push(next);
    }
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_direct_room_of_an_older_version_is_not_used_any_more() {
    let mut table = Table::set(true, &["ann"]).await;
    // Older versions made them like this: the invited person had as much power as the bot.
    let own = table.server.log_in(&table.user);
    let body = json!({
        "preset": "trusted_private_chat", "is_direct": true, "invite": [table.people[0].id()],
        "initial_state": [{ "type": "m.room.encryption", "state_key": "", "content": { "algorithm": "m.megolm.v1.aes-sha2" } }],
    });
    let made = table.server.ask("POST", "/_matrix/client/v3/createRoom", Some(&own), &body);
    let old = made["room_id"].as_str().expect("a room").to_owned();
    let make = Make::default();
    let mut batch = Batch::default();
    let note = format!("direct/{}", table.people[0].id());
    batch.put(keys::note(NETWORK, &note), serde_json::to_vec(&old).expect("JSON"));
    make.store.commit(&batch).expect("written");
    let bot = table.start(make).await;
    assert_ne!(told_in(&mut table, 0, "2d1").await, old);
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redacted_secret_is_redacted_wherever_it_was_told() {
    let mut table = Table::set(true, &["ann", "gus"]).await;
    let bot = table.start(Make::default()).await;
    assert!(table.ask(1, "!gm me").await.contains("referee"));
    let said = table.people[0].say(&table.room, "!secret roll 2d1 # a trap").await;
    let told = [table.hear_alone(0).await, table.hear_alone(1).await];
    assert!(told.iter().all(|told| told.body().contains("a trap")));
    // When this is answered, the bot knows in which rooms its answers are.
    table.ask(0, "!roll 1d1").await;
    let event = matrix_sdk::ruma::EventId::parse(&said).expect("an event id");
    let room = table.people[0].known(&table.room).expect("in it");
    room.redact(&event, None, None).await.expect("taken back");
    for (person, told) in told.iter().enumerate() {
        let (bot, gone) = (table.bot.clone(), told.id.clone());
        let takes_back = |heard: &tests::matrix::Heard| {
            heard.kind == "m.room.redaction" && heard.sender == bot && heard.content["redacts"] == gone.as_str()
        };
        table.people[person].wait_for("the end of what was told alone", takes_back).await;
    }
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_room_that_somebody_else_prepared_is_a_private_chat() {
    let mut table = Table::set(true, &["dora", "zed"]).await;
    let bot = table.start(Make::default()).await;
    for left_behind in [None, Some("key")] {
        // Zed makes a room for the two of them, or Dora does and he invites somebody into it. Then he leaves.
        let maker = usize::from(left_behind.is_none());
        let mut request = Request::new();
        request.preset = Some(RoomPreset::TrustedPrivateChat);
        request.is_direct = true;
        let invited = [table.bot.clone(), table.people[1 - maker].id()];
        request.invite = invited.iter().map(|user| UserId::parse(user).expect("an id")).collect();
        let room = table.people[maker].client.create_room(request).await.expect("a room").room_id().to_string();
        table.people[maker].meet(&room, &table.bot).await;
        table.people[1 - maker].join(&room).await;
        if let Some(key) = left_behind {
            let promise =
                json!({ "display_name": "eve", "public_key": key, "key_validity_url": "https://example.org" });
            let zed = token(&table.people[1]);
            let sent = set_state(&table, &zed, &room, ("m.room.third_party_invite", "promise", promise));
            assert!(sent["event_id"].is_string(), "{sent}");
        }
        table.people[1].known(&room).expect("in it").leave().await.expect("left");
        // In a private chat a command needs no prefix.
        table.people[0].say(&room, "roll 2d1").await;
        let said = table.people[0].say(&room, "!roll 3d1").await;
        let bot = table.bot.clone();
        let heard = table.people[0].hear(&room, &bot).await;
        let heard =
            if heard.body().starts_with("I am astragal") { table.people[0].hear(&room, &bot).await } else { heard };
        assert!(heard.body().contains("3d1") && heard.answers() == Some(said.as_str()), "{}", heard.body());
    }
    bot.stop().await;
}
#[tokio::test(flavor = "multi_thread")]
async fn a_direct_room_whose_note_was_lost_in_a_crash_is_found_again() {
    let mut table = Table::set(true, &["ann"]).await;
    let bot = table.start(Make::default()).await;
    let first = told_in(&mut table, 0, "2d1").await;
    let store = bot.stop().await;
    let note = keys::note(NETWORK, &format!("direct/{}", table.people[0].id()));
    assert!(store.read(&note).expect("memory does not fail").is_some(), "{note}");
    let mut batch = Batch::default();
    batch.delete(note);
    store.commit(&batch).expect("memory does not fail");
    let bot = table.start(Make { store, ..Make::default() }).await;
    assert_eq!(told_in(&mut table, 0, "3d1").await, first);
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_player_who_cannot_be_told_alone_hears_so_in_the_room() {
    let mut table = Table::set(true, &["dora"]).await;
    let line = BadLine::to(table.server.port()).await;
    let network: Arc<dyn Transport> = transport(settings(&line.url(), &table.user, ""), table.device.path());
    let bot = Make::default().serve(vec![network]);
    table.people[0].meet(&table.room, &table.bot).await;
    table.ask(0, "!roll 1d1").await;
    // Their homeserver rejects invitations.
    line.forecast(|_, request| match request.contains("/createRoom") {
        true => Weather::Status(403),
        false => Weather::Fair,
    });
    let room = table.room.clone();
    table.people[0].say(&room, "!secret roll 3d1").await;
    let told = |heard: &tests::matrix::Heard| heard.body().contains("cannot open a private chat with you");
    let heard = table.people[0].wait_for("that there is something", told).await;
    assert_eq!(heard.content["m.mentions"], json!({ "user_ids": [table.people[0].id()] }));
    assert!(!heard.body().contains("[1 1 1]"), "{}", heard.body());
    line.forecast(|_, _| Weather::Fair);
    told_in(&mut table, 0, "4d1").await;
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_private_answer_is_not_sent_once_somebody_else_has_joined() {
    let mut table = Table::set(false, &["ann", "eve"]).await;
    let line = BadLine::to(table.server.port()).await;
    let network: Arc<dyn Transport> = transport(settings(&line.url(), &table.user, ""), table.device.path());
    let bot = Make::default().serve(vec![network]);
    for person in &table.people {
        person.meet(&table.room, &table.bot).await;
    }
    table.ask(0, "!table name Tavern").await;
    let ann = token(&table.people[0]);
    let made = json!({ "preset": "private_chat", "is_direct": true, "invite": [table.bot] });
    let chat = table.server.ask("POST", "/_matrix/client/v3/createRoom", Some(&ann), &made);
    let chat = chat["room_id"].as_str().unwrap_or_else(|| panic!("{chat}")).to_owned();
    table.people[0].meet(&chat, &table.bot).await;
    let said = table.people[0].say(&chat, "roll 3d1").await;
    assert!(table.people[0].answer(&said).await.body().starts_with("3 | "));
    // The homeserver fails just when the answer is sent, and somebody joins in the meantime.
    let (encoded, shut) = (chat[1..].to_owned(), watch::Sender::new(true));
    let (open, tried) = (shut.clone(), watch::Sender::new(false));
    let (seen, mut seeing) = (tried.clone(), tried.subscribe());
    line.forecast(move |_, request| {
        if *open.borrow() && request.contains("/send/") && request.contains(&encoded) {
            seen.send_replace(true);
            return Weather::Status(502);
        }
        Weather::Fair
    });
    table.people[0].say(&chat, "in Tavern secret roll 5d1 # for me").await;
    seeing.wait_for(|tried| *tried).await.expect("it is tried");
    let path = format!("/_matrix/client/v3/rooms/{chat}/invite");
    table.server.ask("POST", &path, Some(&ann), &json!({ "user_id": table.people[1].id() }));
    table.people[1].join(&chat).await;
    // The bot knows about it now.
    table.ask(0, "!roll 1d1").await;
    shut.send_replace(false);
    let bot_id = table.bot.clone();
    let told = |heard: &tests::matrix::Heard| heard.sender == bot_id && heard.body().contains("for me");
    let told = table.people[0].wait_for("the answer", told).await;
    assert!(told.encrypted && told.room != chat, "in {}", told.room);
    bot.stop().await;
}
