//! Each of the bot's messages arrives once, or is repeated with a mark, and fits into IRC's lines.

use crate::irc::played::{
    MASK, QUIET, SERVER, answer, chatter, cut, introduced, let_in, let_join, said, say, seat, seat_again,
};
use crate::irc::stage::{BOT, CHANNEL, Make, OnIrc, settings};
use tests::irc::{Message, Peer, Scripted};

/// Capabilities with which a server echoes messages under their label.
const LABELS: &str = "batch echo-message labeled-response message-tags";

/// The bot in its channel, on a new connection to a server with labels.
#[track_caller]
fn seat_with_labels(server: &Scripted) -> Peer {
    let mut peer = seat_again_with_labels(server);
    introduced(&mut peer);
    peer
}

/// The same after a reconnect.
#[track_caller]
fn seat_again_with_labels(server: &Scripted) -> Peer {
    let mut peer = server.accept();
    let nick = let_in(&mut peer, LABELS, "");
    let_join(&mut peer, &nick);
    peer
}

/// The bot's next line in the channel: its label, if it has one, and its text.
#[track_caller]
fn next_said(peer: &mut Peer) -> (Option<String>, String) {
    loop {
        let line = peer.line();
        if let Some(text) = said(&line) {
            let label = Message::parse(&line).tags.iter().find(|(name, _)| *name == "label").map(|(_, value)| *value);
            return (label.map(str::to_owned), text);
        }
        assert!(!line.starts_with("PING said-"), "the echo is proof enough: {line}");
    }
}

#[track_caller]
fn echo(peer: &mut Peer, label: Option<&str>, text: &str) {
    let tags = label.map(|label| format!("@label={label} ")).unwrap_or_default();
    peer.send(&format!("{tags}:{BOT}!{MASK} PRIVMSG {CHANNEL} :{text}"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_may_be_lost_is_repeated_once_with_the_same_dice() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), ""));
    let mut peer = server.accept();
    seat(&mut peer);
    say(&mut peer, "mia", "!roll 20d100");
    let first = said(&peer.expect("PRIVMSG #hall")).unwrap();
    peer.expect("PING said-");
    cut(peer);

    let mut peer = server.accept();
    seat_again(&mut peer);
    let second = said(&peer.expect("PRIVMSG #hall")).unwrap();
    assert_eq!(second, first.replacen("mia: ", "mia: (again) ", 1));
    assert_ne!(second, first);
    peer.expect("PING said-");
    cut(peer);

    // It may have been heard twice by now, and a third time helps nobody.
    let mut peer = server.accept();
    seat_again(&mut peer);
    assert_eq!(chatter(&mut peer, QUIET), [""; 0]);
    say(&mut peer, "mia", "!roll 1d4");
    assert!(answer(&mut peer)[0].starts_with("mia: "), "the bot goes on");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_the_server_has_processed_is_not_repeated() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), ""));
    let mut peer = server.accept();
    seat(&mut peer);
    say(&mut peer, "mia", "!roll 2d6");
    answer(&mut peer);
    // A PONG other than the expected one proves nothing.
    say(&mut peer, "mia", "!roll 3d6");
    let open = said(&peer.expect("PRIVMSG #hall")).unwrap();
    for token in ["said-1", "said-", "said-x", "still-there", "said-99999999999999999999"] {
        peer.send(&format!(":{SERVER} PONG {SERVER} :{token}"));
    }
    cut(peer);
    let mut peer = server.accept();
    seat_again(&mut peer);
    assert_eq!(chatter(&mut peer, QUIET)[0], open.replacen("mia: ", "mia: (again) ", 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_echo_under_its_label_proves_an_answer() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), ""));
    let mut peer = seat_with_labels(&server);
    say(&mut peer, "mia", "!roll 2d6");
    let (label, text) = next_said(&mut peer);
    echo(&mut peer, label.as_deref(), &text);
    say(&mut peer, "gus", "!roll 3d6");
    let (label, open) = next_said(&mut peer);
    assert!(label.is_some(), "{open}");
    // The echo of another message proves nothing.
    echo(&mut peer, None, &open);
    echo(&mut peer, label.map(|label| label + "0").as_deref(), &open);
    cut(peer);

    let mut peer = seat_again_with_labels(&server);
    let (label, again) = next_said(&mut peer);
    assert_eq!(again, open.replacen("gus: ", "gus: (again) ", 1));
    echo(&mut peer, label.as_deref(), &again);
    cut(peer);
    let mut peer = seat_again_with_labels(&server);
    assert_eq!(chatter(&mut peer, QUIET), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_of_several_lines_is_proved_by_its_last() {
    let long = "!help";
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), ""));
    let mut peer = seat_with_labels(&server);
    say(&mut peer, "mia", long);
    let lines: Vec<_> = (0..3).map(|_| next_said(&mut peer)).collect();
    let labelled: Vec<_> = lines.iter().map(|(label, _)| label.is_some()).collect();
    assert_eq!(labelled, [false, false, true], "{lines:?}");
    echo(&mut peer, None, &lines[0].1);
    echo(&mut peer, None, &lines[1].1);
    cut(peer);

    let mut peer = seat_again_with_labels(&server);
    let lines: Vec<_> = (0..3).map(|_| next_said(&mut peer)).collect();
    assert!(lines[0].1.starts_with("mia: (again) "), "{lines:?}");
    echo(&mut peer, None, &lines[0].1);
    echo(&mut peer, None, &lines[1].1);
    echo(&mut peer, lines[2].0.as_deref(), &lines[2].1);
    cut(peer);
    let mut peer = seat_again_with_labels(&server);
    assert_eq!(chatter(&mut peer, QUIET), [""; 0]);
}

/// If a server has more to say than the echo, it puts everything into a batch and the label only on the batch
/// (labeled-response).
#[tokio::test(flavor = "multi_thread")]
async fn an_echo_in_a_labelled_batch_proves_an_answer() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), ""));
    let mut peer = seat_with_labels(&server);
    peer.send(&format!(":mia!mia@home.test PRIVMSG {BOT} :roll 2d6"));
    let line = peer.expect("@label=");
    let message = Message::parse(&line);
    assert_eq!((message.command, message.params[0]), ("PRIVMSG", "mia"), "{line}");
    peer.send(&format!("@label={} :{SERVER} BATCH +b1 labeled-response", message.tags[0].1));
    peer.send(&format!("@batch=b1 :{SERVER} 301 {BOT} mia :at the door"));
    peer.send(&format!("@batch=b1 :{BOT}!{MASK} PRIVMSG mia :{}", message.params[1]));
    peer.send(&format!(":{SERVER} BATCH -b1"));
    cut(peer);
    let mut peer = seat_again_with_labels(&server);
    assert_eq!(peer.try_expect("@label=", QUIET), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_that_may_be_lost_are_repeated_in_order() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), ""));
    let mut peer = server.accept();
    seat(&mut peer);
    let mut first = Vec::new();
    for nick in ["mia", "gus", "ann"] {
        say(&mut peer, nick, "!roll 2d100");
        first.push(said(&peer.expect("PRIVMSG #hall")).unwrap().replacen(": ", ": (again) ", 1));
    }
    cut(peer);
    let mut peer = server.accept();
    seat_again(&mut peer);
    assert_eq!(chatter(&mut peer, QUIET), first);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_waiting_answer_does_not_count_as_said() {
    let server = Scripted::listen();
    let irc = transport_irc::Settings { burst: 4, line_every_ms: 60_000, ..settings(server.port(), "") };
    let _bot = Make::default().start(irc);
    let mut peer = server.accept();
    seat(&mut peer);
    for nick in ["mia", "gus", "ann", "bob"] {
        say(&mut peer, nick, "!roll 2d100");
    }
    let first = chatter(&mut peer, QUIET);
    assert!((1..4).contains(&first.len()), "only so many at once: {first:?}");
    cut(peer);
    let mut peer = server.accept();
    seat_again(&mut peer);
    // Each connection has the same burst: the first answers are repeated, and the next one is said for the first time.
    let next = chatter(&mut peer, QUIET);
    for (said, before) in next.iter().zip(&first) {
        assert_eq!(*said, before.replacen(": ", ": (again) ", 1));
    }
    assert!(next.len() > first.len(), "{next:?}");
    assert!(next[first.len()..].iter().all(|said| !said.contains("(again)")), "{next:?}");
}

/// If a server answers with an error numeric, it has not delivered the line.
#[tokio::test(flavor = "multi_thread")]
async fn a_line_that_the_server_rejects_is_dropped() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), ""));
    let mut peer = server.accept();
    seat(&mut peer);
    say(&mut peer, "mia", "!roll 2d6");
    peer.expect("PRIVMSG #hall");
    let refusal = format!(":{SERVER} 404 {BOT} {CHANNEL} :Cannot send to channel");
    peer.send(&refusal);
    // Some channels block colors, so the bot tries without.
    let plain = peer.expect("PRIVMSG #hall");
    assert!(!plain.contains(['\u{2}', '\u{3}', '\u{f}']), "{plain}");
    peer.send(&refusal);
    say(&mut peer, "gus", "!roll 3d6");
    let next = said(&peer.expect("PRIVMSG #hall")).unwrap();
    assert!(next.starts_with("gus: "), "{next}");
    cut(peer);
    // Only the unproven one is repeated.
    let mut peer = server.accept();
    seat_again(&mut peer);
    let again = chatter(&mut peer, QUIET);
    assert_eq!(again, [next.replacen("gus: ", "gus: (again) ", 1)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rejected_line_is_known_by_its_label() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), ""));
    let mut peer = seat_with_labels(&server);
    let mut open = Vec::new();
    for (nick, refusal) in [("mia", Some("404")), ("gus", None), ("ann", Some("415"))] {
        say(&mut peer, nick, "!roll 2d6");
        let (label, text) = next_said(&mut peer);
        let label = label.expect("it is one line");
        match refusal {
            Some(number) => {
                peer.send(&format!("@label={label} :{SERVER} {number} {BOT} {CHANNEL} :No"));
                let label = next_said(&mut peer).0.expect("tried without colours");
                peer.send(&format!("@label={label} :{SERVER} {number} {BOT} {CHANNEL} :No"));
            }
            None => open.push(text),
        }
    }
    cut(peer);
    let mut peer = seat_again_with_labels(&server);
    assert_eq!(chatter(&mut peer, QUIET), [open[0].replacen("gus: ", "gus: (again) ", 1)]);
}

/// The length of a line in bytes as the server relays it.
fn relayed(nick: &str, text: &str) -> usize {
    format!(":{nick}!{MASK} PRIVMSG {CHANNEL} :{text}\r\n").len()
}

/// Checks that all lines of an answer are valid.
#[track_caller]
fn check(nick: &str, lines: &[String]) {
    assert!((1..=3).contains(&lines.len()), "{lines:?}");
    for line in lines {
        assert!(!line.contains('\u{fffd}'), "cut inside a character: {line}");
        let bytes = relayed(nick, line);
        assert!(bytes <= 512, "{bytes} bytes: {line}");
    }
}

/// A roll with a long answer in small pieces.
fn filling(pieces: usize) -> String {
    format!("!roll 1d6{}", "×1".repeat(pieces))
}

/// All lines that `!more` shows after the first lines of an answer. Each answer is checked.
#[track_caller]
fn and_more(peer: &mut Peer, mut lines: Vec<String>) -> Vec<String> {
    let mut all = Vec::new();
    loop {
        check(BOT, &lines);
        let more = lines.last().is_some_and(|line| line.ends_with(" (!more shows more)"));
        all.extend(lines.iter().map(|line| line.trim_start_matches("mia: ").replace(" (!more shows more)", "")));
        if !more {
            return all;
        }
        assert!(all.len() < 100, "there is no end of it: {all:?}");
        say(peer, "mia", "!more");
        lines = answer(peer);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn long_answers_fit_into_lines_and_more_shows_the_rest() {
    let server = Scripted::listen();
    let _bot = Make { unlimited: true, ..Make::default() }.start(settings(server.port(), ""));
    let mut peer = server.accept();
    seat(&mut peer);
    let comment = |n: usize| {
        let unit = ["骰", "é", "👩‍🚀", "wort ", "x"][n % 5];
        format!("{n:02}>{}", unit.repeat(300 / unit.len()))
    };
    for n in 0..20 {
        say(&mut peer, "mia", &format!("!roll 2d6 # {}", comment(n)));
        let lines = answer(&mut peer);
        check(BOT, &lines);
    }
    say(&mut peer, "mia", "!history 20");
    let first = answer(&mut peer);
    assert!(first.len() == 3 && first[2].ends_with("(!more shows more)"), "{first:?}");
    let all = and_more(&mut peer, first).concat();
    let places: Vec<_> = (0..20).map(|n| all.find(&format!("{n:02}>"))).collect();
    assert!(places.iter().all(Option::is_some), "{places:?} in {all}");
    assert!(places.is_sorted() || places.iter().rev().is_sorted(), "{places:?} in {all}");
    assert_eq!(all.matches('>').count(), 20, "each once: {all}");
    say(&mut peer, "mia", "!more");
    let nothing = answer(&mut peer);
    assert!(!nothing.concat().contains('>'), "{nothing:?}");
    // The characters cross the end of a line.
    for (n, letter) in (95..115).zip(["骰", "é", "🎲", "👩‍🚀"].iter().cycle()) {
        say(&mut peer, "mia", &format!("{} # {}", filling(n), letter.repeat(300 / letter.len())));
        let lines = answer(&mut peer);
        check(BOT, &lines);
        assert!(lines.iter().any(|line| relayed(BOT, line) > 400), "{lines:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forced_nick_counts_against_the_length_of_lines() {
    let server = Scripted::listen();
    let _bot = Make { unlimited: true, ..Make::default() }.start(settings(server.port(), ""));
    let mut peer = server.accept();
    let before = seat(&mut peer);
    let forced = "Guest_of_the_house_number_1234567890";
    peer.send(&format!(":{before}!{MASK} NICK :{forced}"));
    say(&mut peer, "mia", &filling(300));
    let lines = answer(&mut peer);
    check(forced, &lines);
    // The bot uses all the space it has.
    assert!(lines.iter().any(|line| relayed(forced, line) > 500), "{lines:?}");
    let host = "a-much-longer-host-name-than-before.members.test";
    peer.send(&format!(":{forced}!{MASK} CHGHOST dice {host}"));
    say(&mut peer, "mia", &filling(300));
    for line in answer(&mut peer) {
        let bytes = format!(":{forced}!dice@{host} PRIVMSG {CHANNEL} :{line}\r\n").len();
        assert!(bytes <= 512, "{bytes} bytes: {line}");
    }
}
