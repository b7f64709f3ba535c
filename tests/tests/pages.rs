//! The pages of tables as a browser gets them from the program.

mod access;
mod cuts;
mod proxies;

use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tests::browser::Browser;
use tests::{Conversation, free_port, program, until};

/// A bot in a terminal, with its pages on a port.
struct Shown {
    home: TempDir,
    bot: Conversation,
    port: u16,
}

/// An answer to a request.
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Shown {
    fn start(more: &str) -> Self {
        let (home, port) = (tempfile::tempdir().expect("a directory"), free_port());
        fs::write(home.path().join("a.toml"), format!("[page]\nlisten = \"127.0.0.1:{port}\"\n{more}"))
            .expect("written");
        let bot = Conversation::with(&mut started(home.path()));
        Shown { home, bot, port }
    }

    /// The link in the answer to a line.
    fn link(&mut self, line: &str) -> String {
        let said = self.bot.ask(line);
        let at = said.find("/t/").unwrap_or_else(|| panic!("no link: {said}"));
        said[at..].split_whitespace().next().expect("a word").to_owned()
    }

    fn get(&self, path: &str) -> Answer {
        self.request(&format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n"))
    }

    fn request(&self, request: &str) -> Answer {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).expect("it listens");
        let mut text = String::new();
        // A request that is too long is cut off.
        let _ = stream.read_to_string(&mut text);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
        Answer { status, head: head.to_lowercase(), body: body.to_owned() }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time");
        stream
    }

    /// A stream of changes, and its status.
    fn stream(&self, path: &str, last: Option<&str>) -> (u16, Stream) {
        let mut stream = self.connect();
        let last = last.map(|last| format!("Last-Event-ID: {last}\r\n")).unwrap_or_default();
        write!(stream, "GET {path}/live HTTP/1.0\r\nHost: x\r\n{last}\r\n").expect("it listens");
        let mut lines = BufReader::new(stream);
        let mut first = String::new();
        lines.read_line(&mut first).expect("an answer");
        let status = first.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
        (status, Stream(lines))
    }
}

fn started(home: &Path) -> Command {
    let mut command = Command::new(program());
    command.arg("--config").arg(home.join("a.toml")).arg("--data").arg(home.join("data")).env("USER", "mia");
    let log = fs::File::options().create(true).append(true).open(home.join("log")).expect("a file");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
    command
}

/// A stream of changes.
struct Stream(BufReader<TcpStream>);

impl Stream {
    /// The next event: its id and the ids of the parts in it, with what they show.
    fn next(&mut self) -> Option<(String, Vec<(String, String)>)> {
        let mut id = String::new();
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).ok()? == 0 {
                return None;
            }
            if let Some(found) = line.strip_prefix("id: ") {
                id = found.trim().to_owned();
            } else if let Some(data) = line.strip_prefix("data: ") {
                let data: Value = serde_json::from_str(data).expect("JSON");
                let text = |value: &Value| value.as_str().expect("text").to_owned();
                let parts = data["parts"].as_array().expect("parts").iter();
                return Some((id, parts.map(|part| (text(&part["id"]), text(&part["html"]))).collect()));
            }
        }
    }

    /// The next event in which an element with this id changes.
    fn until(&mut self, wanted: &str) -> (String, String) {
        loop {
            let (id, parts) = self.next().expect("the stream goes on");
            if let Some((_, html)) = parts.into_iter().find(|(part, _)| part == wanted) {
                return (id, html);
            }
        }
    }
}

#[test]
fn a_page_needs_no_script_and_leaks_nothing_to_others() {
    let mut shown = Shown::start("");
    shown.bot.ask("!roll 4d6kh3 # over the <b>wall</b>");
    shown.bot.ask("!set hp 33/40");
    let link = shown.link("!page everyone");
    let [first, second] = [shown.get(&link), shown.get(&link)];
    assert!(first.status == 200 && first.body == second.body, "{}", first.head);
    for part in ["id=\"e1\"", "33<span class=\"of\">/40", "over the &lt;b&gt;wall&lt;/b&gt;", "http-equiv=\"refresh\""]
    {
        assert!(first.body.contains(part), "{part}: {}", first.body);
    }
    for header in [
        "default-src 'none'; style-src 'sha256-",
        "frame-ancestors 'none'",
        "referrer-policy: no-referrer",
        "x-robots-tag: noindex",
        "x-content-type-options: nosniff",
        "cache-control: no-store",
        "x-accel-buffering: no",
    ] {
        assert!(first.head.contains(header), "{header}: {}", first.head);
    }
    // Nothing comes from elsewhere, and nothing has a style that the policy would block.
    assert!(!first.body.contains("://") && !first.body.contains(" style=") && !first.body.contains(" onclick="));
    // A page of 25 entries is small.
    for _ in 0..30 {
        shown.bot.ask("!roll 4d6kh3");
    }
    let page = shown.get(&link);
    assert!(page.body.len() < 60_000, "{} bytes", page.body.len());
    assert_eq!(page.body.matches("<li id=\"e").count(), 25);
    let older = shown.get(&format!("{link}?before=7"));
    assert!(older.body.contains("id=\"e6\"") && !older.body.contains("id=\"e7\"") && !older.body.contains("before="));
    let one = shown.get(&format!("{link}/e/1"));
    assert!(one.body.contains("rolled, in this order: d6=") && one.body.contains("over the"), "{}", one.body);
    assert!(shown.bot.end());
}

#[test]
fn a_roll_of_plain_dice_has_its_odds_and_nothing_else_has_any() {
    let mut shown = Shown::start("");
    shown.bot.ask("!set str 3");
    let link = shown.link("!page everyone");
    for (line, odds) in [
        ("!roll 2d6+3 # over the wall", Some("10.00 on average | 2d6 + 3 | 5 to 15, most often 10")),
        ("!4d6kh3", Some("12.24 on average | 4d6kh3 | 3 to 18")),
        ("!roll d20 vs 11", Some("50.0 % | 1d20 vs 11")),
        // A value is the one of then, and several rolls have no total of their own.
        ("!roll d20+str", Some("13.50 on average | 1d20 + 3 | 4 to 23")),
        ("!roll 2x 3d8", None),
        // Whose spelling it was in is not noted, and others read this as at least 15.
        ("!roll d20+5 > 15", None),
        ("!set str 4", None),
    ] {
        let said = shown.bot.ask(line);
        let number = said.trim().rsplit_once('#').unwrap_or_else(|| panic!("{line}: {said}")).1;
        let page = format!("{link}/e/{number}");
        until("it is on the disk", || shown.get(&page).status == 200);
        let body = shown.get(&page).body;
        let there = body.split_once("<h2>Odds</h2><p class=\"soft\">").map(|(_, there)| there);
        assert_eq!(there.is_some(), odds.is_some(), "{line}");
        assert!(odds.is_none_or(|odds| there.is_some_and(|there| there.starts_with(odds))), "{line}: {there:?}");
    }
    assert!(shown.bot.end());
}

#[test]
fn the_cards_of_a_hand_have_the_numbers_by_which_they_are_played() {
    let mut shown = Shown::start("");
    shown.bot.ask("!deck poker");
    let link = shown.link("!page");
    for line in ["!draw 4", "!play 2"] {
        shown.bot.ask(line);
    }
    let hand = || {
        let body = shown.get(&link).body;
        body.split("class=\"card\"><i>").skip(1).map(|card| card[..1].to_owned()).collect::<Vec<_>>()
    };
    until("the card is played", || hand() == ["1", "3", "4"]);
    assert!(shown.bot.end());
}

#[test]
fn the_journal_is_beside_the_page_and_is_verified_by_the_page_beside_it() {
    let mut shown = Shown::start("");
    shown.bot.ask("!roll 4d6kh3");
    shown.bot.type_line("!secret roll 2d6 # behind the curtain");
    let (_, _) = (shown.bot.hear(), shown.bot.hear());
    let link = shown.link("!page");
    let journal = shown.get(&format!("{link}/journal.jsonl"));
    assert!(journal.status == 200 && !journal.body.contains("curtain"), "{}", journal.head);
    let file = shown.home.path().join("journal.jsonl");
    fs::write(&file, &journal.body).expect("written");
    let browser = Browser::at(&format!("http://127.0.0.1:{}/verify", shown.port));
    let (verdict, holds) = browser.verify(&file);
    assert!(holds, "{verdict}");
    assert!(shown.bot.end());
}

#[test]
fn an_ended_link_and_one_that_never_was_answer_alike_and_no_file_has_any() {
    let mut shown = Shown::start("");
    shown.bot.ask("!roll d6");
    let link = shown.link("!page");
    assert_eq!(shown.get(&link).status, 200);
    shown.bot.ask("!page new");
    let next = shown.link("!page");
    let date =
        |answer: &Answer| answer.head.lines().filter(|line| !line.starts_with("date:")).collect::<Vec<_>>().join("\n");
    let never = shown.get("/t/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
    for path in [
        link.clone(),
        format!("{link}/e/1"),
        format!("{link}/live"),
        format!("{next}/e/99"),
        format!("{next}/e/x"),
        "/".to_owned(),
    ] {
        let gone = shown.get(&path);
        assert_eq!((gone.status, date(&gone), &gone.body), (404, date(&never), &never.body), "{path}");
    }
    assert_eq!(shown.request(&format!("POST {next} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")).status, 405);
    assert_eq!(shown.request(&format!("HEAD {next} HTTP/1.1\r\nHost: x\r\n\r\n")).body, "");
    shown.bot.ask("!history");
    let home = shown.home;
    assert!(shown.bot.end());
    let backup = home.path().join("all.jsonl");
    let data = home.path().join("data");
    let run = |words: &[&str]| Command::new(program()).arg("--data").arg(&data).args(words).output().expect("it runs");
    assert!(run(&["backup", backup.to_str().unwrap()]).status.success());
    assert!(run(&["export", "hall", home.path().join("journal").to_str().unwrap()]).status.success());
    for secret in [&link[3 + 22..], &next[3 + 22..]] {
        // The store itself keeps what it overwrites for a while.
        let found =
            Command::new("grep").args(["-r", "-l", "-a", "--exclude-dir=store", secret]).arg(home.path()).output();
        let found = found.expect("it runs").stdout;
        assert!(found.is_empty(), "{}", String::from_utf8_lossy(&found));
    }
}

#[test]
fn a_stream_brings_what_changed_and_everything_to_whoever_was_away() {
    let mut shown = Shown::start("");
    shown.bot.ask("!roll d6");
    let link = shown.link("!page everyone");
    let (status, mut stream) = shown.stream(&link, None);
    let (id, parts) = stream.next().expect("all parts");
    assert_eq!(status, 200);
    assert!(parts.iter().any(|(part, _)| part == "e1"), "{parts:?}");
    shown.bot.ask("!roll 3d6 # live");
    let (next, html) = stream.until("e2");
    assert!(html.contains("live") && next != id, "{html}");
    // Whoever knows this state gets nothing, and whoever knows another gets all of it.
    let (_, mut knows) = shown.stream(&link, Some(&next));
    assert!(knows.next().expect("an event").1.is_empty());
    for stale in ["x", &id, ""] {
        let (_, parts) = shown.stream(&link, Some(stale)).1.next().expect("an event");
        assert!(parts.iter().any(|(part, _)| part == "e1") && parts.iter().any(|(part, _)| part == "side"));
    }
    // What changes without an entry of its own, and what ends, reaches those who look.
    shown.bot.ask("!erase #2");
    until("the words are gone", || !stream.until("e2").1.contains("live"));
    shown.bot.ask("!page new all");
    while stream.next().is_some() {}
    assert!(shown.bot.end());
}

#[test]
fn whoever_comes_when_it_is_too_much_is_told_when_to_come_back() {
    let mut shown = Shown::start("streams = 4\nstreams_of_a_table = 3\nstreams_of_a_link = 2\n");
    shown.bot.ask("!roll d6");
    let (own, everyone) = (shown.link("!page"), shown.link("!page everyone"));
    let mut open: Vec<Stream> = Vec::new();
    for (link, expected) in [(&own, 200), (&own, 200), (&own, 429), (&everyone, 200), (&everyone, 503)] {
        let (status, mut stream) = shown.stream(link, None);
        assert_eq!(status, expected);
        match expected {
            200 => assert!(stream.next().is_some()),
            429 => assert_eq!(shown.request(&format!("HEAD {link}/live HTTP/1.1\r\nHost: x\r\n\r\n")).status, 429),
            _ => {
                let mut rest = String::new();
                stream.0.read_to_string(&mut rest).expect("an answer");
                assert!(rest.to_lowercase().contains("retry-after: 30"), "{rest}");
            }
        }
        open.push(stream);
    }
    // A page itself is shown all the same, and there is room again once somebody leaves.
    assert_eq!(shown.get(&own).status, 200);
    open.clear();
    until("there is room", || shown.stream(&own, None).0 == 200);
    assert!(shown.bot.end());
}

#[test]
fn half_a_request_and_a_long_one_hold_nobody_up() {
    let mut shown = Shown::start("requests = 2\nstreams = 1\n");
    shown.bot.ask("!roll d6");
    let link = shown.link("!page everyone");
    #[expect(clippy::disallowed_methods, reason = "what is tested is a time")]
    let begun = Instant::now();
    let mut silent: Vec<TcpStream> = (0..3).map(|_| shown.connect()).collect();
    silent.iter_mut().for_each(|stream| stream.write_all(b"GET / HT").expect("it listens"));
    // The oldest of them has to go.
    assert_eq!(shown.get(&link).status, 200);
    assert!(begun.elapsed() < Duration::from_secs(8));
    drop(silent);
    let long = format!("GET {link} HTTP/1.1\r\nHost: x\r\nX: {}\r\n\r\n", "x".repeat(1_000_000));
    assert!(shown.request(&long).status != 200);
    assert_eq!(shown.get(&link).status, 200);
    assert!(shown.bot.end());
}

#[test]
fn in_a_browser_it_is_live_and_what_is_said_stays_text() {
    let mut shown = Shown::start("");
    shown.bot.ask("!roll d6");
    let link = shown.link("!page everyone");
    let browser = Browser::at(&format!("http://127.0.0.1:{}{link}", shown.port));
    let text = |script: &str| browser.script(&format!("return {script}"), &Value::Null);
    until("it is live", || text("document.querySelector('.how').textContent") == json!("live"));
    let hostile = "</script><img src=x onerror=alert(1)> \u{202e}gnihton data: x id: 7 & <b>";
    for line in [format!("!roll 2d6 # {hostile}"), format!("!note {hostile}"), format!("!scene {hostile}")] {
        shown.bot.ask(&line);
    }
    until("the scene is there", || text("document.querySelectorAll('.entry').length") == json!(4));
    assert_eq!(text("document.querySelectorAll('main img, main b b, main script').length"), json!(0));
    let shows = text("document.querySelector('#e2').innerText");
    assert!(shows.as_str().is_some_and(|text| text.contains("</script><img src=x")), "{shows}");
    // The newest is first, and no entry is there twice.
    let ids = text("[...document.querySelectorAll('.entry')].map(each => each.id)");
    assert_eq!(ids, json!(["e4", "e3", "e2", "e1"]));
    shown.bot.ask("!erase #2");
    until("the words are gone", || text("!document.querySelector('#e2').innerText.includes('img')") == json!(true));
    // The bot goes and comes again: the page says so, and goes on.
    let home = shown.home;
    assert!(shown.bot.end());
    until("it says so", || {
        text("document.querySelector('.how').textContent").as_str().is_some_and(|how| how.starts_with("not connected"))
    });
    let mut bot = Conversation::with(&mut started(home.path()));
    bot.ask("!roll d20 # again");
    until("it is live again", || text("document.querySelector('.how').textContent") == json!("live"));
    until("the roll is there", || text("!!document.querySelector('#e6')") == json!(true));
    assert_eq!(text("[...document.querySelectorAll('.entry')].length"), json!(6));
    assert!(bot.end());
}

#[test]
fn an_operator_learns_that_an_address_leads_nowhere() {
    let home = tempfile::tempdir().expect("a directory");
    let (listen, nowhere) = (free_port(), free_port());
    let config = home.path().join("a.toml");
    let text = format!("[page]\nlisten = \"127.0.0.1:{listen}\"\naddress = \"http://127.0.0.1:{nowhere}\"\n");
    fs::write(&config, text).expect("written");
    let check = || {
        let mut check = Command::new(program());
        let check = check.arg("--config").arg(&config).args(["check-config", "--online"]).output().expect("it runs");
        (check.status.success(), String::from_utf8_lossy(&check.stdout).into_owned())
    };
    let (well, said) = check();
    assert!(!well && said.contains(&format!("page: http://127.0.0.1:{nowhere} cannot be reached: ")), "{said}");
    // While the bot runs there, nothing is tried, and that is no mistake.
    let _bot = std::net::TcpListener::bind(("127.0.0.1", listen)).expect("it is free again");
    let (well, said) = check();
    assert!(well && said.contains("not tried, since 127.0.0.1:"), "{said}");
}

#[test]
fn an_open_page_of_one_roll_forgets_erased_words_and_ends_with_its_link() {
    let mut shown = Shown::start("");
    shown.bot.ask("!roll d6 # for my sister Eve");
    let link = shown.link("!page everyone");
    let browser = Browser::at(&format!("http://127.0.0.1:{}{link}/e/1", shown.port));
    let text =
        || browser.script("return document.body.innerText", &Value::Null).as_str().unwrap_or_default().to_owned();
    until("the words are there", || text().contains("my sister Eve"));
    shown.bot.ask("!erase #1");
    until("the words are gone", || !text().contains("Eve") && text().contains("erased"));
    shown.bot.ask("!page new all");
    until("the link has ended", || text().contains("leads nowhere"));
    assert!(shown.bot.end());
}
