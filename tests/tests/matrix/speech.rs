//! How people talk to the bot in Matrix's own ways, and how their clients show the answers.

use crate::matrix::stage::{Make, NETWORK, Table};
use chat::{Dial, Picture, Post, Reply, RoomId};
use matrix_sdk::media::{MediaFormat, MediaRequestParameters};
use matrix_sdk::ruma::events::room::MediaSource;
use serde_json::json;
use std::time::Duration;

fn with(plugins: &[&'static str]) -> Make {
    Make { plugins: plugins.to_vec(), ..Make::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_one_notice_that_replies_and_calls_nobody() {
    let mut table = Table::set(true, &["ann"]).await;
    let bot = table.start(Make::default()).await;
    let room = table.room.clone();
    let said = table.people[0].say(&room, "!roll 3d1 # <b>@room</b>").await;
    let heard = table.people[0].hear(&room, &table.bot).await;
    assert!(heard.encrypted, "the room is encrypted, and so is the answer");
    assert_eq!(heard.content["msgtype"], "m.notice");
    assert_eq!(heard.answers(), Some(said.as_str()));
    assert_eq!(heard.content["m.mentions"], json!({}));
    assert_eq!(heard.body(), "3 | 3d1 [1 1 1] | <b>@\u{2060}room</b> #1");
    let html = "<strong>3</strong> #1<br>3d1 [1 1 1] · &lt;b&gt;@\u{2060}room&lt;/b&gt;";
    assert_eq!(heard.content["formatted_body"], html);
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_in_a_thread_is_answered_there() {
    let mut table = Table::set(false, &["ann"]).await;
    let bot = table.start(Make::default()).await;
    let room = table.room.clone();
    let root = table.people[0].say(&room, "The cave").await;
    let in_thread = json!({
        "msgtype": "m.text", "body": "!roll 2d1",
        "m.relates_to": { "rel_type": "m.thread", "event_id": root, "is_falling_back": true,
            "m.in_reply_to": { "event_id": root } },
    });
    let said = table.people[0].send(&room, "m.room.message", in_thread).await;
    let heard = table.people[0].hear(&room, &table.bot).await;
    let relates = &heard.content["m.relates_to"];
    assert_eq!((relates["rel_type"].as_str(), relates["event_id"].as_str()), (Some("m.thread"), Some(root.as_str())));
    assert_eq!(heard.answers(), Some(said.as_str()));
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pill_addresses_the_bot_and_notices_do_not() {
    let mut table = Table::set(false, &["ann"]).await;
    let bot = table.start(Make::default()).await;
    let room = table.room.clone();
    let notice = json!({ "msgtype": "m.notice", "body": "!roll 9d1" });
    table.people[0].send(&room, "m.room.message", notice).await;
    let user = table.bot.clone();
    let pill = json!({
        "msgtype": "m.text", "body": format!("{}: roll 4d1", table.user),
        "format": "org.matrix.custom.html",
        "formatted_body": format!("<a href=\"https://matrix.to/#/{user}\">{}</a>: roll 4d1", table.user),
        "m.mentions": { "user_ids": [user] },
    });
    table.people[0].send(&room, "m.room.message", pill).await;
    assert_eq!(table.hear(0).await, "4 | 4d1 [1 1 1 1] #1");
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_to_an_answer_follows_up_on_that_roll() {
    let mut table = Table::set(true, &["ann", "bob"]).await;
    let dice = plugin_testkit::SessionDice::default();
    let bot = table.start(Make { dice: Box::new(dice.clone()), ..with(&["torg"]) }).await;
    let room = table.room.clone();
    // No difficulty can follow up on a mishap.
    dice.script(Some(vec![(20, 7)]));
    table.people[0].say(&room, "!test 12").await;
    let first = table.people[0].hear(&room, &table.bot).await;
    dice.script(Some(vec![(20, 8)]));
    table.people[0].say(&room, "!test 11").await;
    table.people[0].hear(&room, &table.bot).await;
    let reply = json!({
        "msgtype": "m.text", "body": format!("> <{}> {}\n\n!dn 2", table.bot, first.body()),
        "m.relates_to": { "m.in_reply_to": { "event_id": first.id } },
    });
    table.people[0].send(&room, "m.room.message", reply).await;
    let heard = table.hear(0).await;
    assert!(heard.contains(" vs DN 2 (skill 12, bonus "), "it follows up on the first roll: {heard}");
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edited_command_is_replayed_and_its_answer_edited() {
    let mut table = Table::set(true, &["ann", "bob"]).await;
    let bot = table.start(Make::default()).await;
    let room = table.room.clone();
    let said = table.people[0].say(&room, "!roll 2d1").await;
    let first = table.people[0].hear(&room, &table.bot).await;
    table.people[0].edit(&room, &said, "!roll 2d1+5").await;
    let edit = table.people[0].hear(&room, &table.bot).await;
    assert_eq!(edit.content["m.relates_to"], json!({ "rel_type": "m.replace", "event_id": first.id }));
    assert_eq!(edit.content["m.new_content"]["body"], "7 | 2d1 [1 1] + 5 (edited, was #1) #2");
    // A refused message is played, and its refusal becomes the answer.
    let said = table.people[0].say(&room, "!roll 2d").await;
    let refused = table.people[0].hear(&room, &table.bot).await;
    table.people[0].edit(&room, &said, "!roll 2d1").await;
    let edit = table.people[0].hear(&room, &table.bot).await;
    assert_eq!(edit.content["m.relates_to"]["event_id"], refused.id.as_str());
    assert_eq!(edit.content["m.new_content"]["body"], "2 | 2d1 [1 1] #3");
    // Nobody can edit another person's message.
    table.people[1].edit(&room, &said, "!roll 9d1").await;
    table.people[1].say(&room, "!roll 3d1").await;
    let heard = table.people[0].hear(&room, &table.bot).await;
    assert!(heard.body().contains("3 | 3d1 [1 1 1] #4"), "{}", heard.body());
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn private_answers_go_to_a_direct_room_that_is_made_once() {
    let mut table = Table::set(true, &["gus", "ann"]).await;
    let bot = table.start(Make::default()).await;
    let room = table.room.clone();
    table.people[0].say(&room, "!gm me").await;
    table.hear(0).await;
    let mut direct = None;
    for n in 2..=3 {
        table.people[1].say(&room, "!secret roll 3d1").await;
        assert_eq!(table.hear(0).await, format!("#{n}: a secret roll by {}", name_of(&table, 1)));
        let own = table.bot.clone();
        for person in [0, 1] {
            let private = |heard: &tests::matrix::Heard| {
                heard.room != room && heard.sender == own && heard.kind == "m.room.message"
            };
            let heard = table.people[person].wait_for("the secret", private).await;
            assert!(heard.encrypted && heard.body().contains("3 | 3d1 [1 1 1]"), "{}", heard.body());
            if person == 1 {
                assert_eq!(*direct.get_or_insert(heard.room.clone()), heard.room, "the same room each time");
            }
        }
    }
    // No prefix is needed in that room.
    let direct = direct.expect("it was heard");
    table.people[1].say(&direct, "roll 2d1").await;
    let own = table.bot.clone();
    assert_eq!(table.people[1].hear(&direct, &own).await.body(), "2 | 2d1 [1 1] #1", "at a table of its own");
    // And there other rooms can be named.
    table.people[1].say(&direct, "in tavern roll 4d1").await;
    let aside = table.people[1].hear(&direct, &own).await;
    assert!(aside.body().contains("4 | 4d1 [1 1 1 1] #4"), "{}", aside.body());
    assert_eq!(table.hear(0).await, format!("#4: a secret roll by {}", name_of(&table, 1)));
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_comes_with_its_text_and_encrypted_where_the_room_is() {
    let mut table = Table::set(true, &["ann"]).await;
    let bot = table.start(Make::default()).await;
    table.ask(0, "!roll 2d1").await;
    let said = table.people[0].say(&table.room, "!export").await;
    let heard = table.people[0].answer(&said).await;
    assert!(heard.body().starts_with("The journal up to #1") && !heard.body().contains('\n'), "{}", heard.body());
    assert_eq!(heard.content["msgtype"], "m.file");
    let source: MediaSource = serde_json::from_value(heard.content.clone()).expect("where it is");
    assert!(matches!(source, MediaSource::Encrypted(_)), "{source:?}");
    let request = MediaRequestParameters { source, format: MediaFormat::File };
    let file = table.people[0].client.media().get_media_content(&request, false).await.expect("it can be downloaded");
    let first = String::from_utf8(file).expect("text").lines().next().map(str::to_owned);
    assert!(first.is_some_and(|line| line.starts_with('{')), "lines of JSON");
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_comes_with_its_text_its_size_and_a_thumbnail() {
    for encrypted in [true, false] {
        let mut table = Table::set(encrypted, &["ann"]).await;
        let network = table.transport();
        let bot = Make::default().serve(vec![network.clone()]);
        let ann = &mut table.people[0];
        ann.meet(&table.room, &table.bot).await;
        let picture = Picture::Clocks(vec![Dial { name: "Doom".into(), filled: 2, size: 6 }]);
        let file = picture::drawn(&picture, picture::Scheme::Light).expect("it can be drawn");
        let words = Reply::new().bold("Doom").text(" 2/6");
        let room = RoomId::new(NETWORK, &table.room);
        let post = Post { pictures: vec![picture], ..Post::new("doom", room, words.blocks) };
        // Sent twice, as after a crash, it appears once.
        for _ in 0..2 {
            network.send(post.clone()).await.expect("said");
        }
        let heard = ann.hear(&table.room, &table.bot).await;
        let content = &heard.content;
        assert_eq!(content["msgtype"], "m.image");
        assert_eq!((heard.body(), &content["filename"]), ("Doom 2/6", &json!("picture.png")));
        assert_eq!(content["formatted_body"], "<strong>Doom</strong> 2/6");
        assert_eq!(content["info"]["h"], 2 * (44 + 20));
        let thumbnail = match encrypted {
            true => json!({ "file": content["info"]["thumbnail_file"] }),
            false => json!({ "url": content["info"]["thumbnail_url"] }),
        };
        for source in [content.clone(), thumbnail] {
            let source: MediaSource = serde_json::from_value(source).expect("where it is");
            assert_eq!(matches!(source, MediaSource::Encrypted(_)), encrypted);
            let request = MediaRequestParameters { source, format: MediaFormat::File };
            let seen = ann.client.media().get_media_content(&request, false).await.expect("it can be downloaded");
            assert_eq!(seen, file);
        }
        let more = ann.drain(Duration::from_millis(500)).await;
        assert!(more.iter().all(|heard| heard.content["msgtype"] != "m.image"), "{more:?}");
        // A chart is drawn. Its text says the same in words.
        ann.say(&table.room, "!odds 2d6").await;
        let heard = ann.hear(&table.room, &table.bot).await;
        assert_eq!(heard.content["msgtype"], "m.image");
        assert!(heard.body().contains("\n- 7: ████████████████████ 16.7 %\n"), "{}", heard.body());
        let html = heard.content["formatted_body"].as_str().expect("it is styled");
        assert!(html.ends_with("| 2d6 | 2 to 12, most often 7, deviation 2.42"), "{html}");
        assert_eq!(heard.content["info"]["h"], 2 * (11 * 26 + 10));
        bot.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_player_whose_turn_it_is_is_mentioned() {
    let mut table = Table::set(true, &["ann", "bob"]).await;
    let bot = table.start(with(&["retrostar"])).await;
    table.ask(1, "!spot").await;
    let bob = name_of(&table, 1);
    let said = table.people[0].say(&table.room, &format!("!oppose {bob}")).await;
    let opposed = table.people[0].answer(&said).await;
    assert!(opposed.body().contains(&format!("{bob}: !resist")), "{}", opposed.body());
    assert_eq!(opposed.content["m.mentions"], json!({ "user_ids": [table.people[1].id()] }));
    let said = table.people[1].say(&table.room, "!resist 0").await;
    let resisted = table.people[1].answer(&said).await;
    assert_eq!(resisted.content["m.mentions"], json!({}), "{}", resisted.body());
    bot.stop().await;
}

fn name_of(table: &Table, person: usize) -> String {
    table.people[person].client.user_id().expect("logged in").localpart().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reaction_to_the_ballot_is_a_vote_and_one_to_an_offer_takes_it() {
    let mut table = Table::set(true, &["gus", "ann", "bob"]).await;
    let dice = plugin_testkit::SessionDice::default();
    let make = Make { plugins: vec!["spheres"], dice: Box::new(dice.clone()), unlimited: true, ..Make::default() };
    let bot = table.start(make).await;
    let room = table.room.clone();
    table.ask(0, "!gm me").await;
    dice.use_seed([3; 32]);
    let session = format!("!session {} {}", name_of(&table, 1), name_of(&table, 2));
    let begun = table.ask(0, &session).await;
    assert!(begun.contains("A session begins"), "{begun}");
    dice.script(Some(vec![(20, 2)]));
    let said = table.people[1].say(&room, "!check 3 vs 6").await;
    let failed = table.people[1].answer(&said).await;
    assert!(failed.body().contains("!1 "), "{}", failed.body());
    // Neither a reaction without a meaning nor another player's reaction takes an offer.
    table.people[2].react(&room, &failed.id, "1️⃣").await;
    table.people[1].react(&room, &failed.id, "👍").await;
    dice.use_seed([3; 32]);
    table.people[1].react(&room, &failed.id, "1️⃣").await;
    let spent = table.people[1].answer(&failed.id).await;
    assert!(spent.body().starts_with(&format!("{}: ", name_of(&table, 1))), "{}", spent.body());
    // The last dice leave the Pool, and the players vote on the Tilt.
    let ann = name_of(&table, 1);
    let mut tilt = String::new();
    dice.script(None);
    dice.use_seed([3; 32]);
    for n in 0..12 {
        let said = table.ask(0, &format!("!award {ann} {}", ["triumph", "tragedy"][n % 2])).await;
        if said.contains("TILT!") {
            tilt = said;
            break;
        }
    }
    let shown = tilt.split(&format!("{ann} ")).nth(2).and_then(|own| own.split_once("(T ")).map(|(_, dice)| dice);
    let die = &shown.unwrap_or_else(|| panic!("{tilt}"))[..1];
    let said = table.people[0].say(&room, "!tilt soft").await;
    let ballot = table.people[1].answer(&said).await;
    assert!(
        ["!vote 1-6", "for the good category", "!tilt next"].iter().all(|part| ballot.body().contains(part)),
        "{}",
        ballot.body()
    );
    table.people[1].react(&room, &ballot.id, &format!("{die}\u{fe0f}\u{20e3}")).await;
    let voted = table.people[1].answer(&ballot.id).await;
    assert!(voted.body().contains(&format!("so far {die} ")), "{}", voted.body());
    let again = table.ask(1, &format!("!vote {die}")).await;
    assert!(again.contains("You voted for the good category already"), "a reaction and a word count alike: {again}");
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn offers_have_reactions_to_tap_where_the_operator_wants_them() {
    let mut table = Table::set(true, &["ann"]).await;
    let dice = plugin_testkit::SessionDice::default();
    let make = Make { plugins: vec!["torg"], dice: Box::new(dice.clone()), unlimited: true, ..Make::default() };
    let bot = table.start_on(make, table.transport_with("offer_reactions = true")).await;
    dice.script(Some(vec![(20, 7)]));
    let said = table.people[0].say(&table.room, "!test 12 dn 14 favored").await;
    let answer = table.people[0].answer(&said).await;
    for sign in ["1️⃣", "2️⃣"] {
        let (me, answer) = (table.bot.clone(), answer.id.clone());
        let set = |heard: &tests::matrix::Heard| {
            let relates = &heard.content["m.relates_to"];
            heard.kind == "m.reaction" && heard.sender == me && relates["event_id"] == answer && relates["key"] == sign
        };
        table.people[0].wait_for(sign, set).await;
    }
    // The bot does not take its own reactions for a choice, and a player's tap is one.
    dice.script(Some(vec![(20, 15)]));
    table.people[0].react(&table.room.clone(), &answer.id, "1️⃣").await;
    let saved = table.people[0].answer(&answer.id).await;
    assert!(saved.body().contains("GOOD: 20 vs DN 14"), "{}", saved.body());
    assert!(saved.body().contains("#2"), "one entry for the test and one for the tap: {}", saved.body());
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thumbs_up_on_a_refusal_sends_the_line_it_shows() {
    let mut table = Table::set(true, &["ann", "bob"]).await;
    let bot = table.start(Make::default()).await;
    let room = table.room.clone();
    let said = table.people[0].say(&room, "!roll 2d1 fire").await;
    let refused = table.people[0].hear(&room, &table.bot).await;
    assert!(refused.body().contains("Try: !roll 2d1 # fire (!y sends it)"), "{}", refused.body());
    // Neither another player's thumbs-up nor another reaction sends it.
    table.people[1].react(&room, &refused.id, "👍").await;
    table.people[0].react(&room, &refused.id, "❓").await;
    table.people[0].react(&room, &refused.id, "👍🏽").await;
    let sent = table.people[0].hear(&room, &table.bot).await;
    assert_eq!(sent.content["m.relates_to"]["event_id"], refused.id.as_str());
    assert_eq!(sent.content["m.new_content"]["body"], "2 | 2d1 [1 1] | fire #1");
    // It counts as the message's next version. The message can be edited further, and is not sent again.
    table.people[0].edit(&room, &said, "!roll 2d1+5").await;
    let edit = table.people[0].hear(&room, &table.bot).await;
    assert_eq!(edit.content["m.new_content"]["body"], "7 | 2d1 [1 1] + 5 (edited, was #1) #2");
    table.people[0].react(&room, &refused.id, "✅").await;
    table.people[0].say(&room, "!y").await;
    table.people[0].say(&room, "!roll 3d1").await;
    let heard = table.people[0].hear(&room, &table.bot).await;
    assert!(heard.body().contains("3 | 3d1 [1 1 1] #3"), "{}", heard.body());
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redacted_command_is_erased_and_its_dice_stay() {
    for encrypted in [false, true] {
        let mut table = Table::set(encrypted, &["ann", "bob"]).await;
        let bot = table.start(Make::default()).await;
        let said = table.people[0].say(&table.room, "!roll 1d1 # my street is").await;
        let answer = table.people[0].answer(&said).await;
        assert!(answer.body().contains("my street is"));
        let room = table.people[0].known(&table.room).expect("in it");
        let event = matrix_sdk::ruma::EventId::parse(&said).expect("an event id");
        room.redact(&event, None, None).await.expect("taken back");
        // The answer is redacted too, and the bot says nothing about it.
        let (bot_id, gone) = (table.bot.clone(), answer.id.clone());
        let takes_back = |heard: &tests::matrix::Heard| {
            let of = heard.content["redacts"].as_str().map(str::to_owned);
            heard.kind == "m.room.redaction" && heard.sender == bot_id && of.as_deref() == Some(gone.as_str())
        };
        table.people[0].wait_for("the answer's end", takes_back).await;
        let history = table.ask(1, "!history").await;
        assert!(history.contains("#1") && history.contains("d1=1 (text erased in #2)"), "{history}");
        assert!(!history.contains("street"), "{history}");
        // Redacting a message that was not a command gets no answer.
        let prose = table.people[1].say(&table.room, "hello").await;
        let event = matrix_sdk::ruma::EventId::parse(&prose).expect("an event id");
        table.people[1].known(&table.room).expect("in it").redact(&event, None, None).await.expect("taken back");
        assert!(table.ask(1, "!roll 2d1").await.contains("2d1"), "the next message");
        bot.stop().await;
    }
}
