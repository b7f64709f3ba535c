//! What an operator meets: rooms that do not let the bot in, homeservers without passwords, secrets that change, and a
//! device that was used before.

use crate::matrix::stage::{Make, NETWORK, Table, randomness, settings, transport};
use chat::{AwaitedRoom, RoomId, Transport};
use jiff::Timestamp;
use journal::keys;
use journal::store::Batch;
use matrix_sdk::config::SyncSettings;
use matrix_sdk::{Client, SqliteStoreConfig};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use tests::matrix::{BadLine, Heard, Person, Synapse, SynapseOptions, Weather, name};
use tests::unattended::Program;
use transport_matrix::{Device, Settings, probe};

/// Makes a room with these join rules.
fn make_room(person: &Person, server: &Synapse, rule: &str) -> String {
    let rules = json!({ "type": "m.room.join_rules", "state_key": "", "content": { "join_rule": rule } });
    let body = json!({ "preset": "private_chat", "name": "Hall", "initial_state": [rules] });
    let token = person.client.access_token();
    let made = server.ask("POST", "/_matrix/client/v3/createRoom", token.as_deref(), &body);
    made["room_id"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned()
}

/// A person's client asks the homeserver to do something with a room.
fn act(person: &Person, server: &Synapse, room: &str, (act, user): (&str, &str)) -> Value {
    let path = format!("/_matrix/client/v3/rooms/{room}/{act}");
    server.ask("POST", &path, person.client.access_token().as_deref(), &json!({ "user_id": user }))
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_login_by_hand_the_bot_knows_that_it_is_not_alone() {
    let mut table = Table::set(false, &["ann"]).await;
    table.seat();
    let account = settings(&table.server.url(), &table.user, "");
    let device = Device::open(account, table.device.path(), &randomness()).await;
    drop(device.expect("logged in"));
    let network = table.transport();
    let bot = table.start_on(Make::default(), network.clone()).await;
    // The bot is in the room already, so nothing in the room shows that it is listening now.
    network.ready().await;
    table.ask(0, "!roll 1d1").await;
    knows_of_one_other(&*network).await;
    bot.stop().await;
}

/// The bot is in one room and knows that one other is there.
async fn knows_of_one_other(network: &dyn Transport) {
    let rooms = network.status().await.rooms;
    assert!(rooms.len() == 1 && rooms[0].others == 1, "{rooms:?}");
}

/// The rooms that do not let the bot in, once they are as wanted.
async fn awaited_once(network: &dyn Transport, wanted: impl Fn(&[AwaitedRoom]) -> bool) -> Vec<AwaitedRoom> {
    let started = tokio::time::Instant::now();
    loop {
        let awaited = network.status().await.awaited;
        if wanted(&awaited) {
            return awaited;
        }
        assert!(started.elapsed() < Duration::from_secs(30), "{awaited:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Logs in as older versions did: the first sync brought no summaries of the rooms, and no later one does.
async fn log_in_without_summaries(server: &Synapse, user: &str, home: &Path) {
    let key = [7; 32];
    std::fs::write(home.join("key"), key).expect("it can be written");
    let store = SqliteStoreConfig::with_low_memory_config(home.join("store")).key(Some(&key));
    let client = Client::builder().homeserver_url(server.url());
    let client = client.sqlite_store_with_config_and_cache_path(store, None::<&Path>).build().await.expect("a client");
    client.matrix_auth().login_username(user, &format!("pw-{user}")).send().await.expect("logged in");
    client.sync_once(SyncSettings::new().timeout(Duration::ZERO)).await.expect("a sync");
    let session = client.matrix_auth().session().expect("logged in");
    std::fs::write(home.join("session.json"), serde_json::to_vec(&session).expect("JSON")).expect("it can be written");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_whose_rooms_have_no_summary_counts_the_people_there() {
    let mut table = Table::set(false, &["ann"]).await;
    table.seat();
    log_in_without_summaries(table.server, &table.user, table.device.path()).await;
    let network = table.transport();
    let bot = table.start_on(Make::default(), network.clone()).await;
    network.ready().await;
    table.ask(0, "!roll 1d1").await;
    knows_of_one_other(&*network).await;
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invitation_into_a_room_that_refused_the_bot_is_a_new_beginning() {
    let mut table = Table::set(false, &["gus"]).await;
    let line = BadLine::to(table.server.port()).await;
    let encoded = table.room[1..].to_owned();
    line.forecast(move |_, request| {
        let there = request.contains("/join/") && request.contains(&encoded);
        if there { Weather::Status(502) } else { Weather::Fair }
    });
    let network = transport(settings(&line.url(), &table.user, ""), table.device.path());
    let bot = Make::default().serve(vec![network.clone()]);
    let (room, own) = (table.room.clone(), table.bot.clone());
    let declined = |heard: &Heard| {
        let of = heard.room == room && heard.kind == "m.room.member" && heard.sender == own;
        of && heard.content["membership"] == "leave"
    };
    table.people[0].wait_for("that the invitation is declined", declined).await;
    // The room may hear that before the bot has noted it.
    let awaited = awaited_once(&*network, |awaited| awaited.len() == 1 && awaited[0].again.is_none()).await;
    assert_eq!(awaited[0].id, table.room);
    let why = "given up, until somebody invites the bot again: ";
    assert!(awaited[0].why.starts_with(why) && !awaited[0].configured, "{awaited:?}");
    line.forecast(|_, _| Weather::Fair);
    act(&table.people[0], table.server, &table.room, ("invite", &table.bot));
    table.people[0].meet(&table.room, &table.bot).await;
    assert_eq!(table.ask(0, "!roll 1d1").await, "1 | 1d1 [1] #1");
    assert_eq!(network.status().await.awaited, []);
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_room_of_the_configuration_is_entered_when_the_invitation_comes_at_last() {
    let mut table = Table::set(false, &["gus"]).await;
    let rooms = ["invite", "knock"].map(|rule| make_room(&table.people[0], table.server, rule));
    let mut settings = settings(&table.server.url(), &table.user, "");
    // Nobody's invitations are followed elsewhere.
    (settings.invites, settings.rooms) = ([].into(), rooms.clone().into());
    let network = transport(settings, table.device.path());
    let bot = Make::default().serve(vec![network.clone()]);
    // The bot knocks where it can.
    let (knocked_at, own) = (rooms[1].clone(), table.bot.clone());
    let knocks = |heard: &Heard| {
        let of = heard.room == knocked_at && heard.kind == "m.room.member" && heard.sender == own;
        of && heard.content["membership"] == "knock"
    };
    table.people[0].wait_for("a knock", knocks).await;
    // The operator sees both, with what helps.
    let awaited = awaited_once(&*network, |awaited| awaited.len() == 2).await;
    let of = |room: &str| awaited.iter().find(|each| each.id == room).unwrap_or_else(|| panic!("{awaited:?}"));
    assert_eq!(of(&rooms[0]).why, format!("the bot is not invited: invite {}", table.bot));
    assert_eq!(of(&rooms[1]).why, "the bot knocked, and waits until somebody there lets it in");
    assert!(awaited.iter().all(|room| room.configured && room.again.is_some()), "{awaited:?}");
    for room in &rooms {
        let invited = act(&table.people[0], table.server, room, ("invite", &table.bot));
        assert!(invited["errcode"].is_null(), "{invited}");
        table.people[0].meet(room, &table.bot).await;
        let said = table.people[0].say(room, "!roll 1d1").await;
        assert!(table.people[0].answer(&said).await.body().starts_with("1 | 1d1 [1] #"));
    }
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn in_a_space_the_bot_says_nothing() {
    let mut table = Table::set(false, &["gus"]).await;
    let token = table.people[0].client.access_token();
    let body = json!({
        "preset": "public_chat", "creation_content": { "type": "m.space" }, "invite": [table.bot],
        "power_level_content_override": { "events_default": 0 },
    });
    let made = table.server.ask("POST", "/_matrix/client/v3/createRoom", token.as_deref(), &body);
    let space = made["room_id"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned();
    let bot = table.start(Make::default()).await;
    table.people[0].meet(&space, &table.bot).await;
    assert_eq!(table.ask(0, "!roll 1d1").await, "1 | 1d1 [1] #1");
    // A room that is entered later is greeted later.
    let later = table.people[0].make_room("Later", false, &[&table.bot]).await;
    table.people[0].join(&later).await;
    table.people[0].meet(&later, &table.bot).await;
    let (own, greets) = (table.bot.clone(), "I am astragal");
    let greeted = |heard: &Heard| heard.sender == own && heard.room == later && heard.body().starts_with(greets);
    table.people[0].wait_for("a greeting", greeted).await;
    let heard = table.people[0].drain(Duration::from_millis(10)).await;
    assert!(!heard.iter().any(|heard| heard.room == space && heard.kind == "m.room.message"), "{heard:#?}");
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn where_somebody_speaks_the_bot_is_not_alone() {
    let mut table = Table::set(false, &["ann"]).await;
    let make = Make::default();
    let alone = keys::alone(&RoomId::new(NETWORK, &table.room));
    let mut batch = Batch::default();
    batch.put(alone.clone(), serde_json::to_vec(&Timestamp::UNIX_EPOCH).expect("JSON"));
    make.store.commit(&batch).expect("written");
    let bot = table.start(make).await;
    table.ask(0, "!roll 1d1").await;
    assert!(bot.stop().await.read(&alone).expect("memory does not fail").is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_token_of_a_device_with_keys_is_refused_and_the_keys_stay() {
    let (server, user) = (Synapse::shared(), name("used"));
    let used = Person::register(server, &user).await;
    let (device, token) = (used.client.device_id().expect("one").to_string(), used.client.access_token());
    let token = token.expect("logged in");
    let query = json!({ "device_keys": { used.id(): [] } });
    let keys = || server.ask("POST", "/_matrix/client/v3/keys/query", Some(&token), &query)["device_keys"].clone();
    let before = keys();
    assert!(before[used.id()][&device]["keys"].is_object(), "{before}");
    let home = tempfile::tempdir().expect("a directory");
    let account = |token: &str| {
        let text = format!("homeserver = \"{}\"\ntoken = \"{token}\"\n", server.url());
        toml::from_str::<Settings>(&text).expect("settings").complete().expect("valid settings")
    };
    let place = home.path().join("device");
    let probed = probe(account(&token), &place, &randomness()).await.expect_err("it has keys");
    let opened = Device::open(account(&token), &place, &randomness()).await.err().expect("it has keys");
    for told in [probed, opened] {
        let cure = "Put the token of a new device into token_file, and remove the old one";
        assert!(told.contains("already has encryption keys") && told.contains(cure), "{told}");
        assert!(told.contains(&device), "{told}");
    }
    assert_eq!(keys(), before);
    let fresh = server.log_in(&user);
    drop(Device::open(account(&fresh), &place, &randomness()).await.expect("logged in"));
    // Its keys are the bot's own from now on.
    probe(account(&fresh), &place, &randomness()).await.expect("known");
    // If they are lost, the token is of no use any longer.
    std::fs::remove_dir_all(place.join("store")).expect("it was there");
    for _ in 0..2 {
        let told = Device::open(account(&fresh), &place, &randomness()).await.err().expect("its keys are lost");
        assert!(told.contains("already has encryption keys"), "{told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_password_and_a_new_token_are_taken_while_the_bot_runs() {
    for secret in ["password", "token"] {
        let mut table = Table::set(false, &["ann"]).await;
        let (server, file) = (table.server, table.device.path().join("secret"));
        let old = server.log_in(&table.user);
        let first = if secret == "token" { old.clone() } else { format!("pw-{}", table.user) };
        std::fs::write(&file, first).expect("it can be written");
        let text = format!(
            "homeserver = \"{}\"\nuser = \"{}\"\n{secret}_file = {file:?}\ninvites = [\"*\"]\n\
             retry_first_ms = 50\nretry_most_ms = 400\n",
            server.url(),
            table.user
        );
        let settings = toml::from_str::<Settings>(&text).expect("settings").complete().expect("valid settings");
        let bot = Make::default().serve(vec![transport(settings, &table.device.path().join("device"))]);
        table.people[0].meet(&table.room, &table.bot).await;
        assert_eq!(table.ask(0, "!roll 1d1").await, "1 | 1d1 [1] #1");
        if secret == "token" {
            std::fs::write(&file, server.log_in(&table.user)).expect("it can be written");
            server.ask("POST", "/_matrix/client/v3/logout", Some(&old), &json!({}));
        } else {
            std::fs::write(&file, "another").expect("it can be written");
            let change = json!({
                "new_password": "another", "logout_devices": true,
                "auth": {
                    "type": "m.login.password", "password": format!("pw-{}", table.user),
                    "identifier": { "type": "m.id.user", "user": table.user },
                },
            });
            let changed = server.ask("POST", "/_matrix/client/v3/account/password", Some(&old), &change);
            assert_eq!(changed, json!({}));
        }
        let answer = table.ask(0, "!roll 2d1").await;
        assert!(answer.contains("2 | 2d1 [1 1] #2"), "{secret}: {answer}");
        bot.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn another_token_is_taken_at_a_start_although_the_first_one_still_works() {
    let (server, user, home) = (Synapse::shared(), name("other"), tempfile::tempdir().expect("a directory"));
    server.register(&user);
    let device = async |token: &str| {
        let text = format!("homeserver = \"{}\"\ntoken = \"{token}\"\n", server.url());
        let account = toml::from_str::<Settings>(&text).expect("settings").complete().expect("valid settings");
        Device::open(account, home.path(), &randomness()).await.expect("logged in").who()
    };
    let first = device(&server.log_in(&user)).await;
    let second = device(&server.log_in(&user)).await;
    assert_ne!(second, first);
    assert_eq!(device("of no use").await, second, "a token that does not work changes nothing");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_first_try_names_what_the_homeserver_does_not_have() {
    let table = Table::set(false, &["ann"]).await;
    let account = settings(&table.server.url(), &table.user, "rooms = [\"#nosuch:localhost\"]");
    let told = probe(account, table.device.path(), &randomness()).await.expect_err("there is no such room");
    assert!(told.contains("#nosuch:localhost"), "{told}");
    let server = Synapse::start(&SynapseOptions { no_passwords: true, ..SynapseOptions::default() });
    let account = settings(&server.url(), "astragal", "");
    let told = probe(account, table.device.path(), &randomness()).await.expect_err("it takes no passwords");
    assert!(told.contains("lets nobody in with a password"), "{told}");
    assert!(told.contains("mas-cli manage issue-compatibility-token astragal"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_first_try_after_the_device_was_removed_tells_whether_the_password_lets_the_bot_in() {
    let table = Table::set(false, &["ann"]).await;
    let (server, directory) = (table.server, table.device.path());
    let account = || settings(&server.url(), &table.user, "");
    drop(Device::open(account(), directory, &randomness()).await.expect("it logs in"));
    let told = probe(account(), directory, &randomness()).await.expect("it is known");
    assert!(told.contains("knows us as"), "{told}");
    server.ask("POST", "/_matrix/client/v3/logout/all", Some(&server.log_in(&table.user)), &json!({}));
    let told = probe(account(), directory, &randomness()).await.expect("the password is right");
    assert!(told.contains("let us in as") && told.contains("so the bot makes a new one"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_journal_of_a_room_is_exported_by_the_name_that_people_see() {
    let mut table = Table::set(false, &["ann"]).await;
    let config = crate::matrix::once::configure(table.device.path(), &table.server.url(), &table.user, "");
    let (data, file) = (table.device.path().join("data"), table.device.path().join("tavern.jsonl"));
    let bot = Program::start(&data, &config);
    table.people[0].meet(&table.room, &table.bot).await;
    table.ask(0, "!roll 2d1").await;
    let output = tests::astragal(&data).args(["export", "Tavern"]).arg(&file).output().expect("the program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(std::fs::read_to_string(file).expect("it is there").contains(&table.room));
    drop(bot);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_account_gets_its_name_and_picture_from_the_configuration_once() {
    let mut table = Table::set(false, &["ann"]).await;
    let picture = table.device.path().join("dice.png");
    std::fs::write(&picture, b"\x89PNG\r\n\x1a\n").expect("it can be written");
    let path = format!("/_matrix/client/v3/profile/{}", table.bot);
    let server = table.server;
    let profile = || server.ask("GET", &path, None, &json!({}));
    let wanted = format!("name = \"The Dice\"\navatar = {picture:?}");
    let make = Make::default();
    let store = make.store.clone();
    let bot = table.start_on(make, table.transport_with(&wanted)).await;
    // When this is answered, the bot has looked at its profile.
    table.ask(0, "!roll 1d1").await;
    let first = profile();
    assert_eq!(first["displayname"], "The Dice");
    assert!(first["avatar_url"].as_str().is_some_and(|url| url.starts_with("mxc://localhost/")), "{first}");
    bot.stop().await;
    let bot = table.start_on(Make { store, ..Make::default() }, table.transport_with(&wanted)).await;
    table.ask(0, "!roll 1d1").await;
    assert_eq!(profile(), first);
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thumb_up_at_a_refusal_sends_only_the_line_of_whom_it_was_told() {
    let mut table = Table::set(false, &["ann", "bob"]).await;
    let bot = table.start(Make::default()).await;
    let room = table.room.clone();
    let mut refusals = Vec::new();
    for (person, line) in [(0, "!rolll 2d1"), (1, "!rolll 3d1")] {
        let said = table.people[person].say(&room, line).await;
        let refusal = table.people[person].answer(&said).await;
        assert!(refusal.body().contains("!y sends it"), "{}", refusal.body());
        refusals.push(refusal.id);
    }
    table.people[1].react(&room, &refusals[0], "👍").await;
    table.people[1].react(&room, &refusals[1], "👍").await;
    let mut played = Vec::new();
    while played.len() < 2 {
        let heard = table.people[0].hear(&room, &table.bot).await;
        if heard.body().contains(" | ") || heard.content["m.new_content"]["body"].is_string() {
            played.push(heard.body().to_owned());
        }
        if played.len() == 1 {
            table.people[0].react(&room, &refusals[0], "👍").await;
        }
    }
    assert!(played[0].contains("3 | 3d1 [1 1 1] #1"), "{played:?}");
    assert!(played[1].contains("2 | 2d1 [1 1] #2"), "{played:?}");
    bot.stop().await;
}
