//! Synapse, on loopback and SQLite, from the environment that `tests/run` makes under `target/`.

use crate::daemon::{self, Daemon, free_port};
use crate::deadline::Deadline;
use crate::directory::Directory;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::time::Duration;

/// How Synapse is set up.
#[derive(Clone, Debug, Default)]
pub struct SynapseOptions {
    /// True if messages are limited as by default: ten at once, then one in five seconds.
    pub limits: bool,
    /// The lifetime of an access token that can be refreshed, in seconds.
    pub token_lifetime_s: Option<u32>,
    /// True if nobody can log in with a password.
    pub no_passwords: bool,
}

/// A running Synapse.
pub struct Synapse {
    daemon: Daemon,
    port: u16,
    directory: Directory,
}

/// How long it may take to answer.
const START: Duration = Duration::from_secs(60);

impl Synapse {
    /// The one that most tests of a program share. Each has its own people and rooms.
    pub fn shared() -> &'static Self {
        static SHARED: LazyLock<Synapse> = LazyLock::new(|| Synapse::start(&SynapseOptions::default()));
        &SHARED
    }

    /// Starts one and waits until it answers.
    pub fn start(options: &SynapseOptions) -> Self {
        daemon::start(|| Self::attempt(options))
    }

    fn attempt(options: &SynapseOptions) -> Result<Self, String> {
        let directory = Directory::make("synapse");
        let port = free_port();
        let log = directory.path().join("homeserver.log");
        directory.write("log.yaml", &log_configuration(&log));
        let file = directory.write("homeserver.yaml", &configuration(options, port, directory.path()));
        directory.folder("media");
        let arguments = vec!["-m".into(), "synapse.app.homeserver".into(), "-c".into(), file.into()];
        let daemon = Daemon::ours("synapse", python(), &directory, arguments);
        let server = Synapse { daemon, port, directory };
        server.up()?;
        Ok(server)
    }

    fn up(&self) -> Result<(), String> {
        self.daemon.start();
        self.daemon.listens(&[self.port])?;
        let deadline = Deadline::after(START);
        while ureq::get(format!("{}/_matrix/client/versions", self.url())).call().is_err() {
            if deadline.left().is_none() || !self.daemon.runs() {
                return Err(format!("Synapse does not answer: {}", self.daemon.said()));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Kills it with -9 and waits for its end.
    pub fn kill(&self) {
        self.daemon.kill();
    }

    /// Shuts it down, if it runs, and starts it again on the same port.
    pub fn restart(&self) {
        self.daemon.stop();
        self.up().expect("it starts as before");
    }

    /// Makes an account. Its password is its name after `pw-`.
    pub fn register(&self, user: &str) -> String {
        let body = json!({
            "username": user, "password": format!("pw-{user}"), "inhibit_login": true,
            "auth": { "type": "m.login.dummy" },
        });
        let made = self.ask("POST", "/_matrix/client/v3/register", None, &body);
        made["user_id"].as_str().unwrap_or_else(|| panic!("{user} is not registered: {made}")).to_owned()
    }

    /// Logs in to an account that [`Synapse::register`] made, as a new device. Returns the access token.
    pub fn log_in(&self, user: &str) -> String {
        let body = json!({
            "type": "m.login.password", "identifier": { "type": "m.id.user", "user": user },
            "password": format!("pw-{user}"),
        });
        let login = self.ask("POST", "/_matrix/client/v3/login", None, &body);
        login["access_token"].as_str().unwrap_or_else(|| panic!("{user} is not let in: {login}")).to_owned()
    }

    /// Deletes every refresh token, like a homeserver that lost them.
    pub fn forget_refresh_tokens(&self) {
        let forget = "import sqlite3, sys; at = sqlite3.connect(sys.argv[1], timeout=30); \
                      at.execute(\"UPDATE refresh_tokens SET token = token || '-gone'\"); at.commit()";
        let done =
            Command::new(python()).args(["-c", forget]).arg(self.directory.path().join("homeserver.db")).status();
        assert!(done.expect("Python runs").success());
    }

    /// A client's request. Returns the answer.
    pub fn ask(&self, method: &str, path: &str, token: Option<&str>, body: &Value) -> Value {
        let request = ureq::http::Request::builder().method(method).uri(format!("{}{path}", self.url()));
        let request = match token {
            Some(token) => request.header("Authorization", format!("Bearer {token}")),
            None => request,
        };
        let request = request.header("Content-Type", "application/json").body(body.to_string());
        let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        let mut response = agent.run(request.expect("a request")).expect("Synapse answers");
        response.body_mut().read_json().expect("JSON")
    }
}

/// The Python with Synapse and matrix-nio.
pub(super) fn python() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ is in the workspace");
    let python = root.join("target/synapse/bin/python");
    assert!(python.exists(), "{} is missing: tests/run makes it", python.display());
    python
}

fn configuration(options: &SynapseOptions, port: u16, home: &Path) -> String {
    let home = home.display();
    let free = "{per_second: 100000, burst_count: 100000}";
    let message = if options.limits { "{per_second: 0.2, burst_count: 10}" } else { free };
    let lifetime =
        options.token_lifetime_s.map_or_else(String::new, |s| format!("refreshable_access_token_lifetime: {s}s"));
    let passwords = if options.no_passwords { "password_config: {enabled: false}" } else { "" };
    format!(
        "\
server_name: localhost
pid_file: {home}/synapse.pid
public_baseurl: http://127.0.0.1:{port}/
listeners:
  - {{port: {port}, tls: false, type: http, bind_addresses: [127.0.0.1], resources: [{{names: [client]}}]}}
database: {{name: sqlite3, args: {{database: {home}/homeserver.db}}}}
log_config: {home}/log.yaml
media_store_path: {home}/media
signing_key: \"ed25519 a_test YvrjRgdgtUNGpbKJaVTyNBrGLTl8z9Xz3ZfM2kMDWnI\"
macaroon_secret_key: tests
form_secret: tests
report_stats: false
trusted_key_servers: []
suppress_key_server_warning: true
federation_domain_whitelist: []
enable_registration: true
enable_registration_without_verification: true
bcrypt_rounds: 4
presence: {{enabled: false}}
{lifetime}
{passwords}
rc_message: {message}
rc_registration: {free}
rc_login: {{address: {free}, account: {free}, failed_attempts: {free}}}
rc_joins: {{local: {free}, remote: {free}}}
rc_joins_per_room: {free}
rc_invites: {{per_room: {free}, per_user: {free}, per_issuer: {free}}}
rc_room_creation: {free}
rc_key_requests: {free}
"
    )
}

fn log_configuration(log: &Path) -> String {
    format!(
        "\
version: 1
formatters: {{p: {{format: '%(asctime)s %(name)s %(levelname)s %(message)s'}}}}
handlers: {{f: {{class: logging.FileHandler, formatter: p, filename: {}}}}}
root: {{level: WARNING, handlers: [f]}}
disable_existing_loggers: false
",
        log.display()
    )
}
