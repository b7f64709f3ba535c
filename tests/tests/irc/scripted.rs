//! What servers may do by the rules but our real ones do not: capabilities, encodings, silence; and whom the bot does
//! not answer.

use crate::irc::played::{MASK, QUIET, SERVER, answer, introduced, let_in, let_join, only_a_roll_is_answered};
use crate::irc::played::{say, seat, seat_again, serve, sounded, welcome};
use crate::irc::stage::{BOT, CHANNEL, Make, OnIrc, settings};
use std::collections::BTreeSet;
use std::time::Duration;
use tests::irc::{Message, Peer, Scripted, plain};

const ACCOUNT: &str = "account = \"dice\"\naccount_password = \"dragon\"";

/// The capabilities in the bot's next request.
#[track_caller]
fn asked(peer: &mut Peer) -> BTreeSet<String> {
    let line = peer.expect("CAP REQ");
    Message::parse(&line).params[1].split(' ').map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn capabilities_come_in_several_lines_and_only_what_is_offered_is_asked_for() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), ACCOUNT));
    // A server may or may not mark that more lines of an answer follow.
    for mark in ["* ", ""] {
        let mut peer = server.accept();
        peer.expect("CAP LS 302");
        peer.send(&format!(":{SERVER} CAP * LS * :multi-prefix sasl=SCRAM-SHA-256,PLAIN example.org/new=a,b"));
        peer.send(&format!(":{SERVER} CAP * LS * :away-notify tls sts=duration=60"));
        assert_eq!(peer.try_expect("CAP", QUIET), None, "there is more to come");
        peer.send(&format!(":{SERVER} CAP * LS :server-time echo-message"));
        let wanted = ["echo-message", "multi-prefix", "sasl", "server-time"].map(str::to_owned);
        assert_eq!(asked(&mut peer), BTreeSet::from(wanted));
        peer.send(&format!(":{SERVER} CAP * ACK {mark}:echo-message multi-prefix"));
        assert_eq!(peer.try_line(QUIET), None, "there is more to come");
        peer.send(&format!(":{SERVER} CAP * ACK :server-time sasl "));
        assert_eq!(peer.line(), "AUTHENTICATE SCRAM-SHA-256");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_grants_nothing_is_joined_all_the_same() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), ""));
    // It may repeat only the beginning of the refused request.
    for (n, refused) in ["account-notify server-time", "acc"].iter().enumerate() {
        let mut peer = server.accept();
        peer.expect("CAP LS 302");
        peer.send(&format!(":{SERVER} CAP * LS :account-notify server-time"));
        asked(&mut peer);
        peer.send(&format!(":{SERVER} CAP * NAK :{refused}"));
        assert_eq!(peer.try_line(Duration::from_secs(5)).as_deref(), Some("CAP END"));
        welcome(&mut peer, BOT, "");
        let_join(&mut peer, BOT);
        if n == 0 {
            introduced(&mut peer);
        }
        say(&mut peer, "mia", "!roll 2d6");
        assert!(answer(&mut peer)[0].starts_with("mia: "));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_capabilities_is_joined() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), ""));
    let mut peer = server.accept();
    sounded(&mut peer);
    welcome(&mut peer, BOT, "");
    let_join(&mut peer, BOT);
    introduced(&mut peer);
    say(&mut peer, "mia", "!roll 2d6");
    assert!(answer(&mut peer)[0].starts_with("mia: "));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_does_not_answer_a_request_is_joined() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), ""));
    let mut peer = server.accept();
    peer.expect("CAP LS 302");
    peer.send(&format!(":{SERVER} CAP * LS :account-notify server-time"));
    asked(&mut peer);
    assert_eq!(peer.try_line(Duration::from_secs(10)), None, "it has patience");
    assert_eq!(peer.line(), "CAP END");
    welcome(&mut peer, BOT, "");
    let_join(&mut peer, BOT);
}

/// Someone whose client uses Latin-1 rolls in the channel. Returns the comment in the answer.
#[track_caller]
fn latin_1(peer: &mut Peer) -> String {
    peer.send_bytes(b":mia!mia@home.test PRIVMSG #hall :!roll 2d6 # f\xfcr \xc4rger\r\n");
    let line = answer(peer).concat();
    plain(&line).split(" | ").nth(2).unwrap_or_default().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn latin_1_is_understood_where_a_server_does_not_forbid_it() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), ""));
    let mut peer = server.accept();
    seat(&mut peer);
    let comment = latin_1(&mut peer);
    assert!(comment.starts_with("für Ärger"), "{comment}");
    drop(peer);
    let mut peer = server.accept();
    let nick = peer.register(SERVER, "UTF8ONLY");
    let_join(&mut peer, &nick);
    let comment = latin_1(&mut peer);
    assert!(comment.starts_with("f\u{fffd}r \u{fffd}rger"), "{comment}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_silent_link_is_given_up() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), "ping_seconds = 1"));
    let mut peer = server.accept();
    seat(&mut peer);
    // Silence is fine as long as the server answers PINGs.
    for _ in 0..2 {
        let ping = peer.expect("PING still-there");
        serve(&mut peer, &ping);
    }
    peer.expect("PING still-there");
    assert!(peer.closed(Duration::from_secs(3)), "it stays on a dead link");
    let mut peer = server.accept();
    seat_again(&mut peer);
    say(&mut peer, "mia", "!roll 2d6");
    assert!(answer(&mut peer)[0].starts_with("mia: "));
}

/// Open answers are sent after the next start. The bot does not wait for a server that is gone.
#[tokio::test(flavor = "multi_thread")]
async fn the_bot_stops_though_its_server_is_dead() {
    let server = Scripted::listen();
    let bot = Make::default().start(settings(server.port(), "ping_seconds = 1"));
    let mut peer = server.accept();
    seat(&mut peer);
    say(&mut peer, "mia", "!roll 2d6");
    peer.expect("PRIVMSG #hall");
    let stopped = tokio::time::timeout(Duration::from_secs(6), bot.stop()).await;
    let store = stopped.expect("it stops");
    let _bot = Make { store, ..Make::default() }.start(settings(server.port(), ""));
    let mut peer = server.accept();
    seat_again(&mut peer);
    assert!(answer(&mut peer)[0].starts_with("mia: (again) "));
}

#[tokio::test(flavor = "multi_thread")]
async fn ctcp_requests_are_answered_privately_and_rarely() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), ""));
    let mut peer = server.accept();
    seat(&mut peer);
    for _ in 0..20 {
        say(&mut peer, "mia", "\x01VERSION\x01");
    }
    say(&mut peer, "mia", "\x01NONSENSE\x01");
    say(&mut peer, "mia", "\x01ACTION !roll 2d6\x01");
    let mut answers = Vec::new();
    while let Some(line) = peer.try_line(QUIET) {
        let message = Message::parse(&line);
        assert_eq!((message.command, message.params[0]), ("NOTICE", "mia"), "{line}");
        assert!(message.params[1].starts_with("\x01VERSION astragal "), "{line}");
        answers.push(line);
    }
    assert!((1..=4).contains(&answers.len()), "{answers:?}");
    only_a_roll_is_answered(&mut peer, "gus");
}

#[tokio::test(flavor = "multi_thread")]
async fn neither_notices_nor_bots_nor_its_own_words_are_answered() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), ""));
    let mut peer = server.accept();
    let nick = let_in(&mut peer, "message-tags echo-message", "BOT=B");
    let_join(&mut peer, &nick);
    introduced(&mut peer);
    for target in [CHANNEL, BOT] {
        peer.send(&format!(":mia!mia@home.test NOTICE {target} :!roll 2d6"));
        peer.send(&format!(":{SERVER} NOTICE {target} :!roll 2d6"));
        peer.send(&format!("@bot :robo!robo@home.test PRIVMSG {target} :!roll 2d6"));
        peer.send(&format!("@draft/bot;msgid=1 :robo!robo@home.test PRIVMSG {target} :!roll 2d6"));
        peer.send(&format!(":{BOT}!{MASK} PRIVMSG {target} :!roll 2d6"));
        peer.send(&format!(":{}!{MASK} PRIVMSG {target} :!roll 2d6", BOT.to_uppercase()));
    }
    assert_eq!(peer.try_line(QUIET), None);
    only_a_roll_is_answered(&mut peer, "gus");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_to_a_part_of_the_channel_is_not_answered() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), ""));
    // A server may not list its status prefixes.
    for (n, isupport) in ["STATUSMSG=@+ PREFIX=(ov)@+", ""].iter().enumerate() {
        let mut peer = server.accept();
        let nick = peer.register(SERVER, isupport);
        let_join(&mut peer, &nick);
        if n == 0 {
            introduced(&mut peer);
        }
        for target in ["@#hall", "+#hall", "$*", "$$*.test", "#elsewhere"] {
            peer.send(&format!(":mia!mia@home.test PRIVMSG {target} :!roll 2d6"));
        }
        assert_eq!(peer.try_expect("PRIVMSG", QUIET), None, "{isupport}");
        only_a_roll_is_answered(&mut peer, "gus");
    }
}
