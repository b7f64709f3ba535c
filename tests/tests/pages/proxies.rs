//! Pages behind the proxies of the manual, configured as it says, with TLS and HTTP/2.

use super::Shown;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tests::{free_port, program, until};

/// For how many seconds a stream is followed; in a long run more than any proxy waits by itself.
const FOLLOWED: u64 = 20;

/// A proxy that ends with the test.
struct Proxy(Child);

impl Drop for Proxy {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The block of the manual in this language, for a bot on one port and people on another.
fn block(language: &str, bot: u16) -> String {
    let manual = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/operators.md")).expect("it is there");
    let (_, block) = manual.split_once(&format!("```{language}\n")).expect("the manual has it");
    block.split("```").next().expect("it ends").replace("127.0.0.1:9465", &format!("127.0.0.1:{bot}"))
}

fn certificate(home: &Path) {
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"])
        .args(["-addext", "subjectAltName=DNS:localhost", "-addext", "basicConstraints=critical,CA:FALSE", "-keyout"])
        .arg(home.join("key.pem"))
        .arg("-out")
        .arg(home.join("cert.pem"))
        .output()
        .expect("tests/run installs openssl");
    assert!(made.status.success());
}

fn nginx(home: &Path, (bot, people): (u16, u16)) -> Proxy {
    let there = home.display();
    let server = block("nginx", bot)
        .replace("listen 443 ", &format!("listen 127.0.0.1:{people} "))
        .replace("dice.example.org;", "localhost;")
        .replace("/etc/letsencrypt/live/dice.example.org/fullchain.pem", &format!("{there}/cert.pem"))
        .replace("/etc/letsencrypt/live/dice.example.org/privkey.pem", &format!("{there}/key.pem"))
        .replace("/var/log/nginx/", &format!("{there}/"));
    let paths: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|kind| format!("{kind}_temp_path {there}/{kind};\n"))
        .concat();
    let all = format!(
        "daemon off;\nmaster_process off;\npid {there}/nginx.pid;\nerror_log {there}/error.log;\nevents {{}}\nhttp {{\n{paths}{server}}}\n"
    );
    fs::write(home.join("nginx.conf"), all).expect("written");
    let mut command = Command::new("nginx");
    command.arg("-e").arg(home.join("error.log")).arg("-c").arg(home.join("nginx.conf"));
    Proxy(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("tests/run installs nginx"))
}

fn caddy(home: &Path, (bot, people): (u16, u16)) -> Proxy {
    let there = home.display();
    let all = block("caddy", bot).replacen("{\n", "{\n    admin off\n    auto_https disable_redirects\n", 1).replace(
        "dice.example.org {",
        &format!("https://localhost:{people} {{\n    tls {there}/cert.pem {there}/key.pem"),
    );
    fs::write(home.join("Caddyfile"), all).expect("written");
    let mut command = Command::new("caddy");
    command.args(["run", "--adapter", "caddyfile", "--config"]).arg(home.join("Caddyfile"));
    command.env("HOME", home).env("XDG_DATA_HOME", home).env("XDG_CONFIG_HOME", home);
    let log = fs::File::create(home.join("caddy.log")).expect("a file");
    Proxy(command.stdout(Stdio::null()).stderr(log).spawn().expect("tests/run installs caddy"))
}

/// What curl gets through a proxy.
fn curl(people: u16, path: &str, more: &[&str]) -> String {
    let mut command = Command::new("curl");
    command.args(["-sk", "--http2"]).args(more).arg(format!("https://localhost:{people}{path}"));
    String::from_utf8_lossy(&command.output().expect("tests/run installs curl").stdout).into_owned()
}

fn is_shown_live(start: fn(&Path, (u16, u16)) -> Proxy) {
    let mut shown = Shown::start("");
    shown.bot.ask("!roll d6");
    let link = shown.link("!page everyone");
    let home = tempfile::tempdir().expect("a directory");
    certificate(home.path());
    let people = free_port();
    let _proxy = start(home.path(), (shown.port, people));
    until("the proxy shows the page", || curl(people, &link, &[]).contains("id=\"e1\""));
    let head = curl(people, &link, &["-I"]).to_lowercase();
    assert!(head.starts_with("http/2 200") && head.contains("content-security-policy"), "{head}");
    let packed = curl(people, &link, &["-o", "/dev/null", "-w", "%{size_download}", "-H", "Accept-Encoding: gzip"]);
    assert!(packed.parse::<usize>().is_ok_and(|bytes| bytes < 15_000), "{packed} bytes");
    let url = format!("https://localhost:{people}{link}/live");
    let mut stream =
        Command::new("curl").args(["-skN", "--http2", &url]).stdout(Stdio::piped()).spawn().expect("it runs");
    let mut lines = BufReader::new(stream.stdout.take().expect("it was piped")).lines().map_while(Result::ok);
    let _stream = Proxy(stream);
    assert!(lines.any(|line| line.starts_with("data: ") && line.contains("\"e1\"")));
    // Nothing happens for a while, and then it does: the stream is still there, and nothing is held back.
    let seconds = std::env::var("ASTRAGAL_STREAM_SECONDS").ok().and_then(|seconds| seconds.parse().ok());
    let follow = Duration::from_secs(seconds.unwrap_or(FOLLOWED));
    #[expect(clippy::disallowed_methods, reason = "what is tested is a time")]
    let begun = Instant::now();
    assert!(lines.by_ref().take_while(|_| begun.elapsed() < follow).any(|line| line.starts_with(": here")));
    while begun.elapsed() < follow {
        assert!(lines.next().is_some(), "the stream ended");
    }
    #[expect(clippy::disallowed_methods, reason = "what is tested is a time")]
    let rolled = Instant::now();
    shown.bot.ask("!roll 2d6");
    assert!(lines.any(|line| line.starts_with("data: ") && line.contains("\"e2\"")));
    assert!(rolled.elapsed() < Duration::from_secs(10));
    // An operator learns that it is well before the bot is started again.
    let config = shown.home.path().join("a.toml");
    let text = fs::read_to_string(&config).expect("written");
    fs::write(&config, format!("{text}address = \"https://localhost:{people}\"\n")).expect("written");
    // No log of the proxy has the link, whether or not the bot answered.
    assert!(shown.bot.end());
    assert!(curl(people, &link, &["-o", "/dev/null", "-w", "%{http_code}"]).starts_with("50"));
    let found = Command::new("grep").args(["-r", "-l", &link[3..]]).arg(home.path()).output().expect("it runs").stdout;
    assert!(found.is_empty(), "{}", String::from_utf8_lossy(&found));
    let mut check = Command::new(program());
    check
        .arg("--config")
        .arg(&config)
        .args(["check-config", "--online"])
        .env("SSL_CERT_FILE", home.path().join("cert.pem"));
    let said = check.output().expect("it runs");
    let told = String::from_utf8_lossy(&said.stdout);
    let well = format!("page: https://localhost:{people} leads to the pages, and what changes arrives at once");
    assert!(said.status.success() && told.contains(&well), "{told}{}", String::from_utf8_lossy(&said.stderr));
}

#[test]
fn a_page_is_live_behind_nginx_as_the_manual_configures_it() {
    is_shown_live(nginx);
}

#[test]
fn a_page_is_live_behind_caddy_as_the_manual_configures_it() {
    is_shown_live(caddy);
}
