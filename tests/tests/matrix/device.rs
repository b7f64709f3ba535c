//! The bot's device: its account has signed it, it can be recovered, and a new one repeats nothing.

use crate::matrix::once::configure;
use crate::matrix::stage::Table;
use matrix_sdk::encryption::verification::{Verification, VerificationRequestState};
use matrix_sdk::ruma::UserId;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::time::Duration;
use tests::matrix::Person;
use tests::unattended::Program;

/// How long a verification or a key backup may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// Runs `astragal matrix ...` with some input.
fn astragal_matrix(data: &Path, config: &Path, arguments: &[&str], typed: &str) -> Output {
    let mut command = tests::astragal(data);
    command.arg("--config").arg(config).arg("matrix").args(arguments).stdin(Stdio::piped());
    let mut child = command.spawn().expect("the program runs");
    child.stdin.take().expect("it was piped").write_all(typed.as_bytes()).expect("it reads");
    child.wait_with_output().expect("it ends")
}

fn said(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// True if a person sees all of a user's devices signed by that user, and the number of devices.
async fn signed(person: &Person, user: &str) -> (bool, usize) {
    let user = UserId::parse(user).expect("an id");
    person.client.encryption().request_user_identity(&user).await.expect("asked");
    let devices = person.client.encryption().get_user_devices(&user).await.expect("known");
    let all = devices.devices().filter(|device| !device.is_deleted()).collect::<Vec<_>>();
    (all.iter().all(|device| device.is_cross_signed_by_owner()), all.len())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_device_is_signed_and_its_identity_comes_back_with_the_recovery_key() {
    let mut table = Table::set(true, &["ann"]).await;
    let config = configure(table.device.path(), &table.server.url(), &table.user, "");
    let data = table.device.path().join("data");
    let login = said(&astragal_matrix(&data, &config, &["login"], ""));
    assert!(login.contains(&format!("logged in as {}", table.bot)) && login.contains("recovery.key"), "{login}");
    assert_eq!(signed(&table.people[0], &table.bot).await, (true, 1));
    let home = data.join("matrix/matrix");
    for file in ["key", "session.json", "recovery.key"] {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(home.join(file)).expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
    // A second login changes nothing.
    let again = said(&astragal_matrix(&data, &config, &["login"], ""));
    assert_eq!(again, login);
    let key = said(&astragal_matrix(&data, &config, &["recovery", "new"], ""));
    let key = key.lines().next().expect("a key").to_owned();

    // Something encrypted is said, and then the machine burns down.
    let bot = Program::start(&data, &config);
    table.people[0].meet(&table.room, &table.bot).await;
    let answer = table.ask(0, "!roll 2d1").await;
    assert_eq!(answer.lines().next(), Some("2 | 2d1 [1 1] #1"), "{answer}");
    drop(bot);
    let session = std::fs::read(home.join("session.json")).expect("the login");
    let session: Value = serde_json::from_slice(&session).expect("JSON");
    let burnt = session["device_id"].as_str().expect("a device");
    std::fs::remove_dir_all(&home).expect("it burns");
    let login = said(&astragal_matrix(&data, &config, &["login"], ""));
    assert!(login.contains(&format!("remove the old one, {burnt}, in a client")), "{login}");
    assert!(login.contains("did not sign this device"), "the login must not reset anything silently: {login}");
    // A new key made here would restore nothing, and end the one that does.
    let new = astragal_matrix(&data, &config, &["recovery", "new"], "");
    assert!(tests::complaint(&new).contains("a new recovery key would restore nothing"), "{new:?}");
    let wrong = astragal_matrix(&data, &config, &["recovery", "restore"], "EsTc nonsense\n");
    assert!(tests::complaint(&wrong).contains("the recovery key does not open the account"));
    let restored = said(&astragal_matrix(&data, &config, &["recovery", "restore"], &format!("{key}\n")));
    assert!(restored.contains("the identity is back"), "{restored}");
    assert_eq!(signed(&table.people[0], &table.bot).await, (true, 2));
    let bot = Program::start(&data, &config);
    // Numbers reserved at the time of the fire are skipped.
    let now = table.ask(0, "!roll 3d1").await;
    assert!(now.starts_with("3 | 3d1 [1 1 1] #"), "{now}");
    drop(bot);
    let said = std::fs::read_to_string(home.join("recovery.key")).expect("it is kept");
    assert_eq!(said.trim(), key);
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_restored_backup_a_new_device_repeats_nothing() {
    let mut table = Table::set(true, &["ann"]).await;
    let config = configure(table.device.path(), &table.server.url(), &table.user, "");
    let data = table.device.path().join("data");
    let bot = Program::start(&data, &config);
    table.people[0].meet(&table.room, &table.bot).await;
    assert!(table.ask(0, "!insp +1").await.contains("inspiration 1"));
    let backup = table.device.path().join("backup");
    let task = |data: &Path, task: &str| {
        let output = tests::astragal(data).arg("--config").arg(&config).arg(task).arg(&backup).output();
        said(&output.expect("the program runs"));
    };
    task(&data, "backup");
    // The command after the backup is played and answered, and then played again from the backup by another device.
    let behind = table.people[0].say(&table.room, "!insp +1").await;
    assert!(table.people[0].answer(&behind).await.body().contains("inspiration 2"));
    // Before the machine burns down, the room keys from Ann and the bot must be in the account's backup.
    let session = std::fs::read(data.join("matrix/matrix/session.json")).expect("the login");
    let session: Value = serde_json::from_slice(&session).expect("JSON");
    let token = session["access_token"].as_str();
    let kept = || table.server.ask("GET", "/_matrix/client/v3/room_keys/version", token, &json!({}))["count"].as_u64();
    let started = tokio::time::Instant::now();
    while kept().is_none_or(|count| count < 2) {
        assert!(started.elapsed() < PATIENCE, "the keys are not in the backup");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    drop(bot);
    let fresh = table.device.path().join("fresh");
    task(&fresh, "restore");
    let key = std::fs::read_to_string(data.join("matrix/matrix/recovery.key")).expect("a key");
    said(&astragal_matrix(&fresh, &config, &["login"], ""));
    said(&astragal_matrix(&fresh, &config, &["recovery", "restore"], &key));
    let bot = Program::start(&fresh, &config);
    let first = table.ask(0, "!insp +1").await;
    assert!(first.contains("inspiration"), "{first}");
    // Its key may take a while to arrive from the account's backup.
    let started = tokio::time::Instant::now();
    while !table.ask(0, "!insp").await.contains("inspiration 3") {
        assert!(started.elapsed() < PATIENCE, "the command after the backup is played again");
    }
    let now = table.ask(0, "!insp +1").await;
    assert!(now.contains("inspiration 4"), "the command after the backup counts once: {now}");
    let late = table.people[0].drain(Duration::from_millis(500)).await;
    let again: Vec<_> = late.iter().filter(|heard| heard.answers() == Some(&behind)).collect();
    assert!(again.is_empty(), "{again:?}");
    drop(bot);
}

#[tokio::test(flavor = "multi_thread")]
async fn somebody_verifies_the_bot_by_emoji() {
    let table = Table::set(true, &["ann"]).await;
    let config = configure(table.device.path(), &table.server.url(), &table.user, "");
    let data = table.device.path().join("data");
    said(&astragal_matrix(&data, &config, &["login"], ""));
    verify(&table, &data, &config).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn somebody_verifies_the_bot_while_it_runs_and_it_answers_all_the_while() {
    let mut table = Table::set(true, &["ann"]).await;
    let config = configure(table.device.path(), &table.server.url(), &table.user, "");
    let data = table.device.path().join("data");
    let bot = Program::start(&data, &config);
    table.people[0].meet(&table.room, &table.bot).await;
    assert!(table.ask(0, "!insp +1").await.contains("inspiration"));
    // What would break the device of a running bot is refused with what to type.
    let refused = astragal_matrix(&data, &config, &["recovery", "new"], "");
    let refused = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.contains("a bot is running on ") && refused.contains("stop"), "{refused}");
    // Whoever goes while they wait leaves nothing behind.
    let mut gone = waiting(&data, &config).0;
    gone.kill().expect("it runs");
    gone.wait().expect("it ends");
    verify(&table, &data, &config).await;
    assert!(table.ask(0, "!insp +1").await.contains("inspiration"));
    drop(bot);
}

/// Starts `astragal matrix verify`, and returns it with its output once it waits.
fn waiting(data: &Path, config: &Path) -> (Child, BufReader<ChildStdout>) {
    let mut command: Command = tests::astragal(data);
    command.arg("--config").arg(config).args(["matrix", "verify"]).stdin(Stdio::piped());
    let mut child = command.spawn().expect("the program runs");
    let mut lines = BufReader::new(child.stdout.take().expect("it was piped"));
    let mut line = String::new();
    lines.read_line(&mut line).expect("it speaks");
    assert!(line.starts_with("waiting for somebody to verify"), "{line}");
    (child, lines)
}

/// Ann verifies the bot by comparing emoji, and sees that it worked.
async fn verify(table: &Table, data: &Path, config: &Path) {
    let (mut child, mut lines) = waiting(data, config);
    let mut typed = child.stdin.take().expect("it was piped");
    let ann = &table.people[0];
    let started = tokio::time::Instant::now();
    let user = UserId::parse(&table.bot).expect("an id");
    let identity = ann.client.encryption().request_user_identity(&user).await.expect("asked").expect("there");
    let request = identity.request_verification().await.expect("asked");
    let sas = loop {
        assert!(started.elapsed() < PATIENCE, "the bot does not answer: {:?}", request.state());
        match request.state() {
            VerificationRequestState::Ready { .. } => break request.start_sas().await.expect("begun").expect("ready"),
            VerificationRequestState::Transitioned { verification: Verification::SasV1(sas), .. } => break sas,
            VerificationRequestState::Cancelled(why) => panic!("{why:?}"),
            _ => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    };
    while !sas.can_be_presented() {
        assert!(started.elapsed() < PATIENCE && sas.cancel_info().is_none(), "{:?}", sas.state());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let emoji = sas.emoji().expect("both know emoji").map(|emoji| emoji.symbol);
    let (mut line, mut shown) = (String::new(), String::new());
    lines.read_line(&mut line).expect("it speaks");
    lines.read_line(&mut shown).expect("it speaks");
    assert!(emoji.iter().all(|emoji| shown.contains(emoji)), "{emoji:?} and {shown}");
    typed.write_all(b"y\n").expect("it reads");
    sas.confirm().await.expect("confirmed");
    let mut rest = String::new();
    lines.read_to_string(&mut rest).expect("it speaks");
    assert!(rest.contains("verified"), "{rest}");
    assert!(child.wait().expect("it ends").success());
    for _ in 0..500 {
        let seen = ann.client.encryption().get_user_identity(&user).await.expect("known").expect("there");
        if seen.is_verified() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("ann does not see it verified");
}
