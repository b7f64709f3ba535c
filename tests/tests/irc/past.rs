//! Messages sent while the bot was away, on a server that keeps a history (draft/chathistory).

use crate::irc::played::{QUIET, SERVER, cut, enter, introduced, let_in, let_join, names, said, serve, stop};
use crate::irc::stage::{BOT, CHANNEL, Make, OnIrc, settings};
use chat::Clock;
use jiff::Timestamp;
use std::sync::Arc;
use std::time::Duration;
use tests::irc::{Message, Peer, Scripted};

const CAPS: &str = "account-tag batch draft/chathistory message-tags server-time";
/// Three messages per page.
const ISUPPORT: &str = "CHATHISTORY=3";
/// How long the bot waits for a server that does not send its history.
const PATIENCE: Duration = Duration::from_secs(30);

/// The bot's clock stands still, before the first message of each of these tests.
struct Noon;

impl Clock for Noon {
    fn now(&self) -> Timestamp {
        "2026-05-01T11:00:00Z".parse().expect("it is a time")
    }
}

fn make() -> Make {
    Make { clock: Arc::new(Noon), unlimited: true, ..Make::default() }
}

/// A second in the hour after noon, in the server's notation.
fn time(second: u32) -> String {
    format!("2026-05-01T12:{:02}:{:02}.000Z", second / 60, second % 60)
}

/// A message in the server's history: its time, its id and its line.
struct Kept {
    time: String,
    id: String,
    line: String,
}

/// A message in the channel at that second.
fn kept(second: u32, nick: &str, text: &str) -> Kept {
    let line = format!(":{nick}!{nick}@home.test PRIVMSG {CHANNEL} :{text}");
    Kept { time: time(second), id: format!("id{second}{nick}"), line }
}

/// Sends a message live.
#[track_caller]
fn live(peer: &mut Peer, kept: &Kept) {
    peer.send(&format!("@time={};msgid={} {}", kept.time, kept.id, kept.line));
}

/// A request for history: the start, and the maximum number of messages.
fn request(line: &str) -> Option<(String, usize)> {
    let message = Message::parse(line);
    let ("CHATHISTORY", ["AFTER", CHANNEL, since, most]) = (message.command, message.params.as_slice()) else {
        return None;
    };
    Some((since.strip_prefix("timestamp=")?.to_owned(), most.parse().ok()?))
}

/// Answers requests with the server's history.
struct Teller {
    history: Vec<Kept>,
    /// The start of each request.
    requests: Vec<String>,
}

impl Teller {
    fn new(history: Vec<Kept>) -> Self {
        Teller { history, requests: Vec::new() }
    }

    /// Answers one request.
    #[track_caller]
    fn tell(&mut self, peer: &mut Peer, since: &str, most: usize) {
        let batch = format!("h{}", self.requests.len());
        self.requests.push(since.to_owned());
        assert!(self.requests.len() < 50, "it keeps asking: {:?}", self.requests);
        peer.send(&format!(":{SERVER} BATCH +{batch} chathistory {CHANNEL}"));
        for kept in self.history.iter().filter(|kept| kept.time.as_str() > since).take(most) {
            peer.send(&format!("@batch={batch};time={};msgid={} {}", kept.time, kept.id, kept.line));
        }
        peer.send(&format!(":{SERVER} BATCH -{batch}"));
    }

    /// Answers everything until the bot is quiet, and returns the bot's messages in the channel.
    #[track_caller]
    fn serve(&mut self, peer: &mut Peer) -> Vec<String> {
        let mut answers = Vec::new();
        while let Some(line) = peer.try_line(QUIET) {
            serve(peer, &line);
            if let Some((since, most)) = request(&line) {
                self.tell(peer, &since, most);
            }
            // When the bot is back after a while, it tells everyone once that anybody may have taken their nick.
            answers.extend(said(&line).filter(|text| !text.contains(" is bound to the nick ")));
        }
        answers
    }
}

/// The bot joins its channel.
#[track_caller]
fn arrive(server: &Scripted) -> Peer {
    let mut peer = server.accept();
    let nick = let_in(&mut peer, CAPS, ISUPPORT);
    let_join(&mut peer, &nick);
    peer
}

/// The bot joins for the first time, and answers a first command at that second.
#[track_caller]
fn first_evening(server: &Scripted, second: u32) -> Peer {
    let mut peer = arrive(server);
    introduced(&mut peer);
    let mut nothing = Teller::new(Vec::new());
    live(&mut peer, &kept(second, "mia", "!roll 2d6"));
    let answers = nothing.serve(&mut peer);
    assert!(answers.len() == 1 && answers[0].starts_with("mia: ") && !answers[0].contains("sent"), "{answers:?}");
    assert_eq!(nothing.requests, [""; 0], "it asks for no history the first time");
    peer
}

/// The name and expression of each of these late answers, in order.
#[track_caller]
fn late(answers: &[String]) -> Vec<String> {
    let rolled = |answer: &String| {
        let (name, rest) = answer.split_once(": (sent 2026-05-01 12:").unwrap_or_else(|| panic!("not late: {answer}"));
        assert!(rest[2..].starts_with(" UTC) "), "{answer}");
        format!("{name} {}", rest.split(" | ").nth(1).unwrap_or_default())
    };
    let plain: Vec<_> = answers.iter().map(|answer| tests::irc::plain(answer)).collect();
    plain.iter().map(|answer| rolled(answer).split(" [").next().unwrap_or_default().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn missed_commands_are_answered_once_and_in_order() {
    let server = Scripted::listen();
    let _bot = make().start(settings(server.port(), ""));
    cut(first_evening(&server, 0));
    let mut teller = Teller::new(vec![
        kept(0, "mia", "!roll 2d6"),
        kept(10, "gus", "!roll 3d6"),
        kept(20, "mia", "how is the weather?"),
        kept(30, "mia", "!roll 4d6"),
    ]);
    let mut peer = arrive(&server);
    assert_eq!(late(&teller.serve(&mut peer)), ["gus 3d6", "mia 4d6"]);
    assert!(teller.requests[0] <= time(0), "what came right behind the last message counts: {:?}", teller.requests);
    cut(peer);
    // It also remembers the commands it answered late.
    let mut peer = arrive(&server);
    let mut teller = Teller::new(teller.history);
    assert_eq!(teller.serve(&mut peer), [""; 0]);
    assert!(!teller.requests.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn history_comes_in_pages_and_live_messages_after_it() {
    let server = Scripted::listen();
    let _bot = make().start(settings(server.port(), ""));
    cut(first_evening(&server, 0));
    let mut history: Vec<_> = (1..=8).map(|n| kept(n * 200, "gus", &format!("!roll {n}d6"))).collect();
    history.insert(0, kept(0, "mia", "!roll 2d6"));
    let mut teller = Teller::new(history);
    let mut peer = arrive(&server);
    let (since, most) = request(&peer.expect("CHATHISTORY")).unwrap();
    assert_eq!(most, 3);
    live(&mut peer, &kept(3_000, "mia", "!roll 9d6"));
    teller.tell(&mut peer, &since, most);
    let (since, most) = request(&peer.expect("CHATHISTORY")).unwrap();
    live(&mut peer, &kept(3_001, "ann", "!roll 10d6"));
    teller.tell(&mut peer, &since, most);
    let answers = teller.serve(&mut peer);
    let wanted: Vec<_> = (1..=8).map(|n| format!("gus {n}d6")).collect();
    // People take turns in a room, so the answers to what is new may come between those to what was missed.
    let (missed, rest): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.contains("(sent"));
    assert_eq!(late(&missed), wanted, "{missed:?}");
    let rest: Vec<_> = rest.iter().map(|answer| tests::irc::plain(answer)).collect();
    assert_eq!(rest.len(), 2, "{rest:?}");
    assert!(rest[0].starts_with("mia: ") && rest[0].contains("| 9d6") && !rest[0].contains("(sent"), "{rest:?}");
    assert!(rest[1].starts_with("ann: ") && rest[1].contains("| 10d6") && !rest[1].contains("(sent"), "{rest:?}");
    assert!(teller.requests.is_sorted(), "{:?}", teller.requests);
}

/// The bot asks again for the last two minutes. They may fill more than a page, not only with commands.
#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_known_messages_is_not_the_last() {
    let server = Scripted::listen();
    let _bot = make().start(settings(server.port(), ""));
    let mut peer = first_evening(&server, 0);
    for second in 1..6 {
        live(&mut peer, &kept(second, "mia", "so it goes"));
    }
    Teller::new(Vec::new()).serve(&mut peer);
    cut(peer);
    let mut history = vec![kept(0, "mia", "!roll 2d6")];
    history.extend((1..6).map(|second| kept(second, "mia", "so it goes")));
    history.extend((6..12).map(|second| kept(second, BOT, "mia: 7 | 2d6 [3 4] #1")));
    history.push(kept(60, "gus", "!roll 3d6"));
    let mut teller = Teller::new(history);
    let mut peer = arrive(&server);
    assert_eq!(late(&teller.serve(&mut peer)), ["gus 3d6"]);
}

/// A message before the server has listed the members must not hide earlier ones.
#[tokio::test(flavor = "multi_thread")]
async fn a_message_on_arrival_does_not_hide_earlier_ones() {
    let server = Scripted::listen();
    let _bot = make().start(settings(server.port(), ""));
    cut(first_evening(&server, 0));
    let mut peer = server.accept();
    let nick = let_in(&mut peer, CAPS, ISUPPORT);
    peer.expect("JOIN");
    enter(&mut peer, &nick);
    live(&mut peer, &kept(3_000, "mia", "!roll 5d6"));
    names(&mut peer, &nick);
    let mut teller = Teller::new(vec![kept(10, "gus", "!roll 3d6"), kept(3_000, "mia", "!roll 5d6")]);
    let answers = teller.serve(&mut peer);
    assert!(teller.requests[0] <= time(0), "{:?}", teller.requests);
    assert_eq!(answers.len(), 2, "{answers:?}");
    assert_eq!(late(&answers[..1]), ["gus 3d6"]);
    assert!(answers[1].starts_with("mia: "), "{answers:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn missed_messages_are_played_after_a_restart() {
    let server = Scripted::listen();
    let bot = make().start(settings(server.port(), ""));
    let peer = first_evening(&server, 0);
    let store = stop(bot, peer).await;
    let _bot = Make { store, ..make() }.start(settings(server.port(), ""));
    let mut teller = Teller::new(vec![kept(0, "mia", "!roll 2d6"), kept(30, "gus", "!roll 3d6")]);
    let mut peer = arrive(&server);
    assert_eq!(late(&teller.serve(&mut peer)), ["gus 3d6"]);
    assert!(teller.requests[0] <= time(0), "{:?}", teller.requests);
}

/// A channel where nobody has spoken yet counts as joined, too.
#[tokio::test(flavor = "multi_thread")]
async fn missed_messages_of_a_silent_channel_are_requested() {
    let server = Scripted::listen();
    let bot = make().start(settings(server.port(), ""));
    let mut peer = arrive(&server);
    introduced(&mut peer);
    cut(peer);
    let mut teller = Teller::new(vec![kept(30, "gus", "!roll 3d6")]);
    let mut peer = arrive(&server);
    assert_eq!(late(&teller.serve(&mut peer)), ["gus 3d6"]);
    // Messages from before its first visit are none of its business.
    let noon = Noon.now().to_string();
    assert!(teller.requests[0].as_str() >= &noon[..19], "{:?}", teller.requests);
    drop((bot, peer));
}

/// The bot must not wait forever for a history.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_sends_no_history_is_heard_all_the_same() {
    let server = Scripted::listen();
    let _bot = make().start(settings(server.port(), ""));
    cut(first_evening(&server, 0));
    let mut peer = arrive(&server);
    peer.expect("CHATHISTORY");
    peer.send(&format!(":{SERVER} FAIL CHATHISTORY MESSAGE_ERROR AFTER {CHANNEL} :Messages could not be retrieved"));
    live(&mut peer, &kept(60, "gus", "!roll 3d6"));
    let answers = Teller::new(Vec::new()).serve(&mut peer);
    assert!(answers.len() == 1 && answers[0].starts_with("gus: "), "{answers:?}");
    cut(peer);
    // One server sends nothing at all, and one begins a batch and never ends it.
    for begins in [false, true] {
        let mut peer = arrive(&server);
        peer.expect("CHATHISTORY");
        if begins {
            peer.send(&format!(":{SERVER} BATCH +open chathistory {CHANNEL}"));
        }
        live(&mut peer, &kept(70 + u32::from(begins), "gus", "!roll 3d6"));
        let line = peer.try_expect("PRIVMSG #hall", PATIENCE).expect("it goes on");
        assert!(said(&line).unwrap().starts_with("gus: "), "{line}");
        let ping = peer.expect("PING said-");
        serve(&mut peer, &ping);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ctcp_requests_in_the_history_are_not_answered() {
    let server = Scripted::listen();
    let _bot = make().start(settings(server.port(), ""));
    cut(first_evening(&server, 0));
    let mut peer = arrive(&server);
    let (since, most) = request(&peer.expect("CHATHISTORY")).unwrap();
    Teller::new(vec![kept(10, "gus", "\x01VERSION\x01")]).tell(&mut peer, &since, most);
    assert_eq!(peer.try_expect("NOTICE", QUIET), None);
}
