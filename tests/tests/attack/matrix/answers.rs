//! The answer to a played command is sent, whatever the command's event contains.

use chat::{Earlier, Post, Reply, RoomId, Span, Transport, What};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tests::matrix::stage::{Make, NETWORK, Table, settings, transport};
use tests::matrix::{BadLine, Foreigner, Heard, Weather, name};

#[tokio::test(flavor = "multi_thread")]
async fn a_relation_that_only_readers_of_the_ciphertext_see_hides_no_answer() {
    let table = Table::set(true, &["gus"]).await;
    let mut nia = Foreigner::register(table.server, &name("nia"));
    nia.join(&table.room);
    let bot = table.start(Make::default()).await;
    nia.meet(&table.room, &table.bot);
    let nothing = "$nothing-that-ever-was";
    let relations = [
        json!({ "rel_type": "m.thread", "event_id": nothing }),
        json!({ "rel_type": "m.thread", "event_id": nothing, "m.in_reply_to": { "event_id": nothing } }),
        json!({ "rel_type": "m.replace", "event_id": nothing }),
        json!({ "rel_type": "m.reference", "event_id": nothing }),
        json!({ "m.in_reply_to": { "event_id": nothing } }),
        json!({ "rel_type": "m.annotation", "event_id": nothing, "key": "1" }),
        json!({ "rel_type": 7, "event_id": [] }),
    ];
    for (number, relation) in relations.into_iter().enumerate() {
        let content = json!({
            "msgtype": "m.text", "body": "!roll 3d1", "m.relates_to": relation,
            "m.new_content": { "msgtype": "m.text", "body": "!roll 4d1" },
        });
        let said = nia.say_relating_in_secret(&table.room, &content);
        let (answer, _) = nia.answer(&said);
        assert_eq!(answer["body"], format!("3 | 3d1 [1 1 1] #{}", number + 1), "{content}");
    }
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nonsense_beside_the_text_does_not_suppress_its_answer() {
    let mut table = Table::set(false, &["ann"]).await;
    let bot = table.start(Make::default()).await;
    table.ask(0, "!roll 1d1").await;
    let token = table.people[0].client.access_token();
    for (number, odd) in [
        json!({ "m.new_content": "x" }),
        json!({ "m.relates_to": 7, "m.new_content": [] }),
        json!({ "format": "org.matrix.custom.html", "formatted_body": 7 }),
        json!({ "m.relates_to": null }),
    ]
    .into_iter()
    .enumerate()
    {
        let mut content = json!({ "msgtype": "m.text", "body": "!roll 3d1" });
        content.as_object_mut().expect("an object").extend(odd.as_object().expect("an object").clone());
        let path = format!("/_matrix/client/v3/rooms/{}/send/m.room.message/odd{number}", table.room);
        let sent = table.server.ask("PUT", &path, token.as_deref(), &content);
        let said = sent["event_id"].as_str().unwrap_or_else(|| panic!("{sent}")).to_owned();
        let answer = table.people[0].answer(&said).await;
        assert!(answer.body().contains("3 | 3d1"), "{content}: {}", answer.body());
    }
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_whose_relation_is_refused_is_said_without_it() {
    for encrypted in [false, true] {
        let mut table = Table::set(encrypted, &["ann"]).await;
        let line = BadLine::to(table.server.port()).await;
        let network: Arc<dyn Transport> = transport(settings(&line.url(), &table.user, ""), table.device.path());
        let bot = Make::default().serve(vec![network]);
        table.people[0].meet(&table.room, &table.bot).await;
        table.ask(0, "!roll 1d1").await;
        let tries = Arc::new(AtomicUsize::new(0));
        let count = tries.clone();
        line.forecast(move |_, request| {
            let says = request.contains("/send/m.room.");
            match says && count.fetch_add(1, Ordering::SeqCst) == 0 {
                true => Weather::Status(400),
                false => Weather::Fair,
            }
        });
        let room = table.room.clone();
        table.people[0].say(&room, "!roll 2d1").await;
        let heard = table.people[0].hear(&room, &table.bot).await;
        let ann = table.people[0].client.user_id().expect("logged in").localpart().to_owned();
        assert_eq!(heard.body(), format!("{ann}: 2 | 2d1 [1 1] #2"));
        assert_eq!(heard.answers(), None);
        assert_eq!(table.ask(0, "!roll 3d1").await, "3 | 3d1 [1 1 1] #3", "the next one has a relation again");
        bot.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_is_played_whatever_nonsense_its_relation_is() {
    let mut table = Table::set(false, &["ann"]).await;
    let bot = table.start(Make::default()).await;
    for (number, relation) in [
        json!({ "rel_type": "m.thread" }),
        json!({ "rel_type": 7 }),
        json!({ "m.in_reply_to": "yesterday" }),
        json!({ "m.in_reply_to": {} }),
        json!([]),
        json!("of old"),
    ]
    .into_iter()
    .enumerate()
    {
        let content = json!({ "msgtype": "m.text", "body": "!roll 3d1", "m.relates_to": relation });
        let said = table.people[0].send(&table.room, "m.room.message", content).await;
        let heard = table.people[0].answer(&said).await;
        assert_eq!(heard.body(), format!("3 | 3d1 [1 1 1] #{}", number + 1), "{relation}");
    }
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_answer_can_be_edited() {
    for encrypted in [false, true] {
        let mut table = Table::set(encrypted, &["ann"]).await;
        let network = table.transport();
        let bot = Make::default().serve(vec![network.clone()]);
        table.people[0].meet(&table.room, &table.bot).await;
        let room = RoomId::new(NETWORK, &table.room);
        // Characters that are longer in HTML and in JSON.
        let items = (0..150).map(|n| vec![Span::Bold(format!("{n}")), Span::Text("<\"&\u{1f3b2}>".repeat(6))]);
        let long = Reply::from("all:").list(items.collect());
        let first = network.send(Post::new("first", room.clone(), long.blocks.clone())).await.expect("said");
        let what = What::Correct(Earlier { key: "first".into(), id: first.id.clone() });
        let edit = Post { what, ..Post::new("second", room, long.blocks) };
        network.send(edit).await.expect("said too");
        let edited = |heard: &Heard| heard.content["m.relates_to"]["event_id"].as_str() == first.id.as_deref();
        table.people[0].wait_for("the edit", edited).await;
        bot.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_not_allowed_in_the_room_goes_to_the_player_alone() {
    let mut table = Table::set(false, &["ann", "bob"]).await;
    let bot = table.start(Make::default()).await;
    table.ask(0, "!roll 1d1").await;
    let (room, ann) = (table.room.clone(), table.people[0].known(&table.room).expect("in it"));
    // Only people with power may speak, and Bob has some.
    let powers = json!({ "events_default": 50, "users": { table.people[1].id(): 50 } });
    ann.send_state_event_raw("m.room.power_levels", "", powers).await.expect("sent");
    table.people[1].say(&room, "!roll 2d1").await;
    assert_eq!(table.hear_alone(1).await.body(), "[Tavern] 2 | 2d1 [1 1] #2");
    ann.send_state_event_raw("m.room.power_levels", "", json!({})).await.expect("sent");
    assert_eq!(table.ask(1, "!roll 3d1").await, "3 | 3d1 [1 1 1] #3");
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_room_that_nothing_can_be_encrypted_for_holds_up_no_other() {
    let mut table = Table::set(false, &["ann", "mallory"]).await;
    let bot = table.start(Make::default()).await;
    let token = table.people[1].client.access_token();
    let made = json!({
        "preset": "private_chat",
        "invite": [table.bot],
        "initial_state": [
            { "type": "m.room.encryption", "state_key": "", "content": { "algorithm": "org.example.nobodys" } },
        ],
    });
    let trap = table.server.ask("POST", "/_matrix/client/v3/createRoom", token.as_deref(), &made);
    let trap = trap["room_id"].as_str().unwrap_or_else(|| panic!("{trap}")).to_owned();
    table.people[1].meet(&trap, &table.bot).await;
    let path = format!("/_matrix/client/v3/rooms/{trap}/send/m.room.message/1");
    let asked = json!({ "msgtype": "m.text", "body": "!roll 7d1" });
    table.server.ask("PUT", &path, token.as_deref(), &asked);
    let told = table.hear_alone(1).await;
    assert!(told.encrypted && told.body().contains("7 | 7d1"), "the player is told alone: {}", told.body());
    // An edit waits for the answer it corrects, and for no other.
    let said = table.people[0].say(&table.room, "!roll 2d1").await;
    table.people[0].answer(&said).await;
    table.people[0].edit(&table.room, &said, "!roll 3d1").await;
    assert!(table.hear(0).await.contains("3 | 3d1 [1 1 1]"));
    assert_eq!(table.ask(0, "!roll 1d1").await, "1 | 1d1 [1] #3");
    bot.stop().await;
}
