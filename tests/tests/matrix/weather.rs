//! Homeservers on bad days: limits, errors, lost requests and answers, nonsense, and logins that end.

use crate::matrix::stage::{Make, Table, settings, times, transport};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tests::matrix::{BadLine, Person, Synapse, SynapseOptions, Weather};
use tokio::sync::watch;

/// Three in ten requests fail, each in a different way. Nonsense is not sent where nobody reads the body: nobody could
/// notice then that keys were never handed on.
fn bad(number: usize, request: &str) -> Weather {
    // A hash that does not follow the order of requests.
    let chance = (number as u64).wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407) >> 33;
    match chance % 10 {
        0 => [Weather::Limited(30), Weather::Status(502), Weather::Status(503)][chance as usize % 3].clone(),
        1 => Weather::LostAnswer,
        2 if request.contains("/sendToDevice/") => Weather::LostRequest,
        2 => [Weather::LostRequest, Weather::Status(504), Weather::Nonsense("{".into())][chance as usize % 3].clone(),
        _ => Weather::Fair,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn in_bad_weather_every_answer_is_one_event() {
    let mut table = Table::set(true, &["ann"]).await;
    let line = BadLine::to(table.server.port()).await;
    let settings = settings(&line.url(), &table.user, "");
    let network = transport(settings, table.device.path());
    let bot = Make { unlimited: true, ..Make::default() }.serve(vec![network]);
    let ann = &mut table.people[0];
    ann.meet(&table.room, &table.bot).await;
    let first = ann.say(&table.room, "!roll 1d1").await;
    ann.answer(&first).await;
    line.forecast(bad);
    let mut commands = Vec::new();
    for n in 0..times("ASTRAGAL_MATRIX_SENDS", 60) {
        commands.push(ann.say(&table.room, &format!("!roll 1d1+{n}")).await);
    }
    let mut answers: BTreeMap<String, usize> = BTreeMap::new();
    for command in &commands {
        ann.answer(command).await;
        answers.insert(command.clone(), 1);
    }
    line.forecast(|_, _| Weather::Fair);
    for heard in ann.drain(Duration::from_secs(1)).await {
        if let Some(count) = heard.answers().and_then(|command| answers.get_mut(command)) {
            *count += 1;
        }
    }
    assert!(answers.values().all(|count| *count == 1), "{answers:?}");
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_holds_up_only_its_own_room() {
    let mut table = Table::set(false, &["ann"]).await;
    let other = table.people[0].make_room("Other", false, &[&table.bot]).await;
    table.people[0].join(&other).await;
    let line = BadLine::to(table.server.port()).await;
    let network = transport(settings(&line.url(), &table.user, ""), table.device.path());
    let bot = Make::default().serve(vec![network]);
    let ann = &mut table.people[0];
    ann.meet(&table.room, &table.bot).await;
    ann.meet(&other, &table.bot).await;
    for room in [&table.room, &other] {
        ann.wait_for("a greeting", |heard| heard.room == *room && heard.body().starts_with("I am astragal")).await;
    }
    let limited = table.room.clone();
    let tries = Arc::new(AtomicUsize::new(0));
    let count = tries.clone();
    line.forecast(move |_, request| {
        let here = request.contains("/send/") && request.contains(&limited[1..]);
        match here && count.fetch_add(1, Ordering::SeqCst) < 2 {
            true => Weather::Limited(1_500),
            false => Weather::Fair,
        }
    });
    let slow = ann.say(&table.room, "!roll 2d1").await;
    let quick = ann.say(&other, "!roll 3d1").await;
    ann.answer(&quick).await;
    assert!(tries.load(Ordering::SeqCst) <= 2, "the bot does not wait as told");
    let heard = ann.drain(Duration::from_millis(10)).await;
    assert!(heard.iter().all(|heard| heard.answers() != Some(&*slow)), "it was answered too early");
    assert_eq!(ann.answer(&slow).await.body(), "2 | 2d1 [1 1] #1");
    assert_eq!(tries.load(Ordering::SeqCst), 3);
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_uploads_are_shown_as_typing() {
    let mut table = Table::set(true, &["ann"]).await;
    let line = BadLine::to(table.server.port()).await;
    let network = transport(settings(&line.url(), &table.user, ""), table.device.path());
    let bot = Make::default().serve(vec![network]);
    table.people[0].meet(&table.room, &table.bot).await;
    table.ask(0, "!roll 2d1").await;
    let typing = Arc::new(AtomicUsize::new(0));
    for (takes, told) in [(0, 0), (1_200, 2)] {
        let count = typing.clone();
        line.forecast(move |_, request| {
            count.fetch_add(usize::from(request.contains("/typing/")), Ordering::SeqCst);
            if request.contains("/upload") { Weather::Slow(takes) } else { Weather::Fair }
        });
        table.ask(0, "!export").await;
        assert_eq!(typing.load(Ordering::SeqCst), told, "typing begins and ends");
    }
    bot.stop().await;
}

/// Waits until there were more requests than this.
async fn wait_for_more_than(times: u32, asked: &mut watch::Receiver<u32>) {
    let more = tokio::time::timeout(Duration::from_secs(30), asked.wait_for(|asked| *asked > times)).await;
    more.unwrap_or_else(|_| panic!("there were {times} requests and no more")).expect("the line is open");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_homeserver_that_answers_at_once_is_not_polled_endlessly() {
    let table = Table::set(false, &["ann"]).await;
    let line = BadLine::to(table.server.port()).await;
    let network = transport(settings(&line.url(), &table.user, ""), table.device.path());
    let bot = Make::default().serve(vec![network]);
    table.people[0].meet(&table.room, &table.bot).await;
    let empty = json!({ "next_batch": "s1" }).to_string();
    let asked = watch::Sender::new(0);
    let (count, mut seen) = (asked.clone(), asked.subscribe());
    line.forecast(move |_, request| match request.contains("/sync?") {
        true => {
            count.send_modify(|count| *count += 1);
            Weather::Nonsense(empty.clone())
        }
        false => Weather::Fair,
    });
    wait_for_more_than(0, &mut seen).await;
    let begun = tokio::time::Instant::now();
    wait_for_more_than(4, &mut seen).await;
    let took = begun.elapsed();
    assert!(took > Duration::from_millis(1_400), "four more requests in {took:?}");
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_are_refreshed_and_a_soft_logout_is_recovered_from() {
    let server = Synapse::start(&SynapseOptions { token_lifetime_s: Some(2), ..SynapseOptions::default() });
    let bot = server.register("dice");
    let mut ann = Person::register(&server, "ann").await;
    let room = ann.make_room("Tavern", true, &[&bot]).await;
    ann.join(&room).await;
    let line = BadLine::to(server.port()).await;
    let device = tempfile::tempdir().expect("a directory");
    let running = Make::default().serve(vec![transport(settings(&line.url(), "dice", ""), device.path())]);
    ann.meet(&room, &bot).await;
    for n in 1..=3 {
        let said = ann.say(&room, "!roll 2d1").await;
        assert_eq!(ann.answer(&said).await.body(), format!("2 | 2d1 [1 1] #{n}"));
        // Longer than a token lives.
        tokio::time::sleep(Duration::from_millis(2_500)).await;
    }
    // The token endpoint is unreachable, which does not invalidate the old login.
    let tries = watch::Sender::new(0);
    let (count, mut seen) = (tries.clone(), tries.subscribe());
    line.forecast(move |_, request| {
        if !request.contains("/refresh") {
            return Weather::Fair;
        }
        count.send_modify(|count| *count += 1);
        if *count.borrow() > 2 { Weather::Fair } else { Weather::Status(502) }
    });
    wait_for_more_than(2, &mut seen).await;
    let said = ann.say(&room, "!roll 2d1").await;
    assert_eq!(ann.answer(&said).await.body(), "2 | 2d1 [1 1] #4");
    let device_before = ann.client.encryption().get_user_devices(&user(&bot)).await.expect("known").devices().count();
    // The refresh fails as well, so only the password is left.
    line.forecast(|_, request| match request.contains("/refresh") || request.contains("/sync?") {
        true => Weather::Unauthorised,
        false => Weather::Fair,
    });
    tokio::time::sleep(Duration::from_secs(2)).await;
    line.forecast(|_, _| Weather::Fair);
    let said = ann.say(&room, "!roll 3d1").await;
    assert_eq!(ann.answer(&said).await.body(), "3 | 3d1 [1 1 1] #5");
    // The same from the homeserver itself, whose only answer to a refresh is that it does not know the token.
    server.forget_refresh_tokens();
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    let said = ann.say(&room, "!roll 4d1").await;
    assert_eq!(ann.answer(&said).await.body(), "4 | 4d1 [1 1 1 1] #6");
    let devices = ann.client.encryption().get_user_devices(&user(&bot)).await.expect("known").devices().count();
    assert_eq!(devices, device_before, "it is the same device");
    running.stop().await;
}

fn user(id: &str) -> matrix_sdk::ruma::OwnedUserId {
    matrix_sdk::ruma::UserId::parse(id).expect("an id")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_login_ends_the_bot_with_one_clear_line() {
    let password = |user: &str| format!("password = \"pw-{user}\"");
    let said = revoked(&password, "`astragal matrix login` makes a new device").await;
    assert!(!said.contains("pw-"), "the password is in the output");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_whose_token_was_revoked_asks_for_a_new_token_and_no_login() {
    let token = |user: &str| format!("token = \"{}\"", Synapse::shared().log_in(user));
    let said = revoked(&token, "Put the token of a new device into token_file").await;
    assert!(!said.contains("matrix login"), "{said}");
}

/// What a bot with this secret prints once all its logins are revoked; it ends with an error that names the cure.
async fn revoked(secret: &dyn Fn(&str) -> String, cure: &str) -> String {
    let table = Table::set(false, &["ann"]).await;
    let config = crate::matrix::once::configure(table.device.path(), &table.server.url(), &table.user, "");
    let text = std::fs::read_to_string(&config).expect("it is there");
    let (known, own) = (format!("password = \"pw-{}\"", table.user), secret(&table.user));
    std::fs::write(&config, text.replace(&known, &own)).expect("it can be written");
    let mut command = tests::astragal(&table.device.path().join("data"));
    let child = command.arg("--config").arg(&config).spawn().expect("the program runs");
    table.people[0].meet(&table.room, &table.bot).await;
    // All of the bot's logins are revoked.
    let login = json!({
        "type": "m.login.password", "identifier": { "type": "m.id.user", "user": table.user },
        "password": format!("pw-{}", table.user),
    });
    let login = table.server.ask("POST", "/_matrix/client/v3/login", None, &login);
    table.server.ask("POST", "/_matrix/client/v3/logout/all", login["access_token"].as_str(), &json!({}));
    let output = tokio::task::spawn_blocking(|| child.wait_with_output().expect("it ends")).await.expect("it ends");
    let complaint = tests::complaint(&output);
    assert!(complaint.contains("the login was revoked") && complaint.contains(cure), "{complaint}");
    let said = [output.stderr, output.stdout].map(|said| String::from_utf8_lossy(&said).into_owned()).concat();
    assert!(!said.contains("matrix_sdk"), "the library's own words: {said}");
    said
}

#[tokio::test(flavor = "multi_thread")]
async fn a_homeserver_that_failed_twice_is_not_connected_until_it_answers_again() {
    let table = Table::set(false, &["ann"]).await;
    let line = BadLine::to(table.server.port()).await;
    let network = transport(settings(&line.url(), &table.user, "sync_seconds = 1\n"), table.device.path());
    let bot = Make::default().serve(vec![network.clone()]);
    let until = async |connected: bool| {
        let seen = async {
            loop {
                let status = network.status().await;
                if status.connected == connected {
                    return status;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), seen).await.expect("it is seen soon")
    };
    until(true).await;
    line.forecast(|_, request| if request.contains("/sync") { Weather::Status(502) } else { Weather::Fair });
    let away = until(false).await;
    assert!(away.trouble.is_some_and(|why| why.contains("502")) && away.again.is_some(), "the reason and the next try");
    line.forecast(|_, _| Weather::Fair);
    assert_eq!(until(true).await.trouble, None);
    bot.stop().await;
}
