//! How fast the program answers on Matrix: one Synapse on this machine without limits, and one user. For comparison: an
//! echo over bare HTTP, the least that a bot on this homeserver can take, and an echo on the SDK's own sync loop.

// The SDK's futures nest deeper than the default limit.
#![recursion_limit = "256"]

use matrix_sdk::config::SyncSettings;
use matrix_sdk::ruma::events::room::message::OriginalSyncRoomMessageEvent;
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;
use tests::matrix::{Person, Synapse, SynapseOptions, name};

/// Answers to commands asked one at a time.
const ONE_BY_ONE: usize = 200;
/// Answers before those, not measured.
const WARM_UP: usize = 10;
/// The rooms of a busy bot.
const ROOMS: usize = 500;

fn main() {
    // `cargo test --benches` measures nothing.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let program = build();
    let server = Synapse::start(&SynapseOptions::default());
    let runtime = tokio::runtime::Runtime::new().expect("threads");
    let mut out = std::io::stdout().lock();
    let mut line = |text: String| writeln!(out, "{text}").expect("printed");

    let user = User::register(&server, "user");
    server.register("echo");
    let bare = log_in(&server, "echo");
    let room = user.room(&server, "@echo:localhost", &bare);
    let url = server.url();
    std::thread::spawn(move || echo(&url, &bare, WARM_UP + ONE_BY_ONE));
    let bare = user.measure(&server, &room, "echo", ONE_BY_ONE);
    line(format!("bare HTTP echo: {bare}"));

    server.register("sdk");
    let joined = log_in(&server, "sdk");
    let room = user.room(&server, "@sdk:localhost", &joined);
    // It must listen before anybody speaks: no handler sees the messages of its first sync.
    let client = runtime.block_on(sdk_client(server.url()));
    runtime.spawn(async move { client.sync(SyncSettings::new()).await.expect("it syncs") });
    let sdk = user.measure(&server, &room, "echo", 20);
    line(format!("echo on the SDK's sync loop: {sdk}; {:.1} x bare", sdk.median / bare.median));

    server.register("dice");
    let joined = log_in(&server, "dice");
    let room = user.room(&server, "@dice:localhost", &joined);
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let bot = Bot::start(&program, directory.path(), &server.url());
    let plain = user.measure(&server, &room, "!roll 4d6", ONE_BY_ONE);
    line(format!("!roll 4d6 in a plain room: {plain}; {:.2} x bare", plain.median / bare.median));

    let mut ann = runtime.block_on(Person::register(&server, &name("ann")));
    let encrypted = runtime.block_on(async {
        let room = ann.make_room("Encrypted", true, &["@dice:localhost"]).await;
        ann.join(&room).await;
        ann.meet(&room, "@dice:localhost").await;
        let mut times = Vec::new();
        for n in 0..WARM_UP + ONE_BY_ONE {
            let begun = now();
            let said = ann.say(&room, "!roll 4d6").await;
            ann.answer(&said).await;
            times.extend((n >= WARM_UP).then(|| begun.elapsed().as_secs_f64() * 1e3));
        }
        Times::of(times)
    });
    line(format!("!roll 4d6 in an encrypted room: {encrypted}; {:.2} x bare", encrypted.median / bare.median));
    for _ in 0..3 {
        user.room(&server, "@dice:localhost", &joined);
    }
    line(format!("memory with 5 rooms: {}", bot.memory()));
    drop(bot);
    let begun = now();
    let bot = Bot::start(&program, directory.path(), &server.url());
    user.ask(&server, &room, "!roll 4d6");
    line(format!("start to the first answer: {:.2} s", begun.elapsed().as_secs_f64()));
    for _ in 5..ROOMS {
        user.room(&server, "@dice:localhost", &joined);
    }
    for _ in 0..20 {
        user.ask(&server, &room, "!roll 4d6");
    }
    line(format!("memory with {ROOMS} rooms: {}", bot.memory()));
    drop(bot);
    let begun = now();
    let bot = Bot::start(&program, directory.path(), &server.url());
    user.ask(&server, &room, "!roll 4d6");
    line(format!("start to the first answer with {ROOMS} rooms: {:.2} s", begun.elapsed().as_secs_f64()));
    line(format!("memory then: {}", bot.memory()));
}

fn now() -> Instant {
    #[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
    Instant::now()
}

/// Milliseconds from sending a message to seeing the answer in the user's sync.
struct Times {
    median: f64,
    p99: f64,
}

impl Times {
    fn of(mut times: Vec<f64>) -> Self {
        times.sort_by(f64::total_cmp);
        Times { median: times[times.len() / 2], p99: times[times.len() * 99 / 100] }
    }
}

impl std::fmt::Display for Times {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "median {:.1} ms, p99 {:.1} ms", self.median, self.p99)
    }
}

fn log_in(server: &Synapse, user: &str) -> String {
    let body = json!({
        "type": "m.login.password", "identifier": { "type": "m.id.user", "user": user }, "password": format!("pw-{user}"),
    });
    let login = server.ask("POST", "/_matrix/client/v3/login", None, &body);
    login["access_token"].as_str().expect("logged in").to_owned()
}

/// A request on a connection that stays open.
fn ask(agent: &ureq::Agent, url: &str, method: &str, path: &str, token: &str, body: &Value) -> Value {
    let request = ureq::http::Request::builder().method(method).uri(format!("{url}{path}"));
    let request = request.header("Authorization", format!("Bearer {token}")).header("Content-Type", "application/json");
    let body = if method == "GET" { String::new() } else { body.to_string() };
    let mut response = agent.run(request.body(body).expect("a request")).expect("Synapse answers");
    response.body_mut().with_config().limit(1 << 30).read_json().expect("JSON")
}

/// The messages of others in a sync, and its token for the next one.
fn sync(agent: &ureq::Agent, url: &str, token: &str, since: &str) -> (Vec<(String, Value)>, String) {
    let filter = "%7B%22presence%22%3A%7B%22not_types%22%3A%5B%22*%22%5D%7D%7D";
    let wait = if since.is_empty() { "0" } else { "20000" };
    let since = if since.is_empty() { String::new() } else { format!("&since={since}") };
    let path = format!("/_matrix/client/v3/sync?timeout={wait}&filter={filter}{since}");
    let response = ask(agent, url, "GET", &path, token, &Value::Null);
    let mut messages = Vec::new();
    if let Some(rooms) = response["rooms"]["join"].as_object() {
        for (room, update) in rooms {
            let events = update["timeline"]["events"].as_array().into_iter().flatten();
            let said = events.filter(|event| event["type"] == "m.room.message").cloned();
            messages.extend(said.map(|event| (room.clone(), event)));
        }
    }
    (messages, response["next_batch"].as_str().expect("a token").to_owned())
}

/// A user over bare HTTP.
struct User {
    agent: ureq::Agent,
    token: String,
}

impl User {
    fn register(server: &Synapse, user: &str) -> Self {
        server.register(user);
        User { agent: ureq::Agent::new_with_defaults(), token: log_in(server, user) }
    }

    /// A room with the bot that has this token.
    fn room(&self, server: &Synapse, bot: &str, token: &str) -> String {
        let body = json!({ "name": "Bench", "preset": "public_chat", "invite": [bot] });
        let made = server.ask("POST", "/_matrix/client/v3/createRoom", Some(&self.token), &body);
        let room = made["room_id"].as_str().expect("a room").to_owned();
        server.ask("POST", &format!("/_matrix/client/v3/join/{room}"), Some(token), &json!({}));
        room
    }

    fn say(&self, server: &Synapse, room: &str, text: &str) -> String {
        let path = format!("/_matrix/client/v3/rooms/{room}/send/m.room.message/{}", name("t"));
        let body = json!({ "msgtype": "m.text", "body": text });
        let said = ask(&self.agent, &server.url(), "PUT", &path, &self.token, &body);
        said["event_id"].as_str().expect("said").to_owned()
    }

    /// Says something and waits for the answer.
    fn ask(&self, server: &Synapse, room: &str, text: &str) {
        let (_, mut since) = sync(&self.agent, &server.url(), &self.token, "");
        self.ask_from(server, room, text, &mut since);
    }

    fn ask_from(&self, server: &Synapse, room: &str, text: &str, since: &mut String) -> f64 {
        let begun = now();
        let said = self.say(server, room, text);
        loop {
            let (messages, next) = sync(&self.agent, &server.url(), &self.token, since);
            *since = next;
            let answers =
                |event: &Value| event["content"]["m.relates_to"]["m.in_reply_to"]["event_id"] == said.as_str();
            if messages.iter().any(|(_, event)| answers(event)) {
                return begun.elapsed().as_secs_f64() * 1e3;
            }
        }
    }

    fn measure(&self, server: &Synapse, room: &str, text: &str, count: usize) -> Times {
        let (_, mut since) = sync(&self.agent, &server.url(), &self.token, "");
        for _ in 0..WARM_UP {
            self.ask_from(server, room, text, &mut since);
        }
        Times::of((0..count).map(|_| self.ask_from(server, room, text, &mut since)).collect())
    }
}

/// Answers the first `count` messages of others: one sync, one message.
fn echo(url: &str, token: &str, mut count: usize) {
    let agent = ureq::Agent::new_with_defaults();
    let (_, mut since) = sync(&agent, url, token, "");
    while count > 0 {
        let (messages, next) = sync(&agent, url, token, &since);
        since = next;
        for (room, event) in messages.iter().filter(|(_, event)| event["content"]["msgtype"] == "m.text") {
            let path = format!("/_matrix/client/v3/rooms/{room}/send/m.room.message/{}", name("e"));
            let relates = json!({ "m.in_reply_to": { "event_id": event["event_id"] } });
            let body = json!({ "msgtype": "m.notice", "body": "echo", "m.relates_to": relates });
            ask(&agent, url, "PUT", &path, token, &body);
            count -= 1;
        }
    }
}

/// The same with a handler on the SDK's sync loop, as the SDK's manual shows it.
async fn sdk_client(url: String) -> matrix_sdk::Client {
    let client = matrix_sdk::Client::builder().homeserver_url(url).build().await.expect("a client");
    client.matrix_auth().login_username("sdk", "pw-sdk").send().await.expect("logged in");
    client.sync_once(SyncSettings::new()).await.expect("a sync");
    client.add_event_handler(|event: OriginalSyncRoomMessageEvent, room: matrix_sdk::Room| async move {
        if event.content.msgtype() == "m.text" {
            let relates = json!({ "m.in_reply_to": { "event_id": event.event_id } });
            let body = json!({ "msgtype": "m.notice", "body": "echo", "m.relates_to": relates });
            room.send_raw("m.room.message", body).await.expect("sent");
        }
    });
    client
}

/// The program, killed on drop.
struct Bot(Child);

impl Bot {
    fn start(program: &Path, directory: &Path, url: &str) -> Self {
        let config = directory.join("astragal.toml");
        let text = format!(
            "[limits]\nper_player = 1000000\nper_table = 1000000\nsame_answers = 1000000\n[matrix.home]\n\
             homeserver = \"{url}\"\nuser = \"dice\"\npassword = \"pw-dice\"\ninvites = [\"*\"]\njoins_per_minute = 100000\n"
        );
        std::fs::write(&config, text).expect("it can be written");
        let child = Command::new(program)
            .arg("--data")
            .arg(directory.join("data"))
            .arg("--config")
            .arg(&config)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        Bot(child.expect("the program runs"))
    }

    /// Its resident memory.
    fn memory(&self) -> String {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.0.id())).expect("it runs");
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
        resident.trim().to_owned()
    }
}

impl Drop for Bot {
    fn drop(&mut self) {
        self.0.kill().expect("it can be killed");
        self.0.wait().expect("it ends");
    }
}

/// Builds the program in release mode.
fn build() -> PathBuf {
    let built = tests::cargo().args(["build", "--release", "--quiet", "--workspace", "--bin", "astragal"]).status();
    assert!(built.expect("cargo runs").success(), "astragal does not build");
    let this = std::env::current_exe().expect("a benchmark knows itself");
    this.ancestors().nth(2).expect("target/PROFILE/deps").join("astragal")
}
