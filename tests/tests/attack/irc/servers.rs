//! Servers and channels that are slow, full, muted, closed or wrong about the time: others never wait for them.

use jiff::Timestamp;
use std::time::Duration;
use tests::irc::played::{
    MASK, QUIET, SERVER, answer, chatter, cut, enter, introduced, let_in, let_join, names, said, say, seat, seat_again,
    serve,
};
use tests::irc::stage::{BOT, CHANNEL, Make, OnIrc, settings};
use tests::irc::{Message, Peer, Scripted};
use transport_irc::{Channel, Settings};

/// A second channel.
const OTHER: &str = "#other";

fn in_both(port: u16, more: &str) -> Settings {
    let mut irc = settings(port, more);
    irc.channels.insert(OTHER.to_owned(), Channel::default());
    irc
}

/// The bot in both channels, after its introductions.
#[track_caller]
fn seat_in_both(peer: &mut Peer) {
    let nick = peer.register(SERVER, "");
    peer.expect("JOIN ");
    for channel in [CHANNEL, OTHER] {
        peer.send(&format!(":{nick}!{MASK} JOIN {channel}"));
        peer.send(&format!(":{SERVER} 353 {nick} = {channel} :{nick} mia @gus"));
        peer.send(&format!(":{SERVER} 366 {nick} {channel} :End of /NAMES list."));
    }
    while let Some(line) = peer.try_line(QUIET) {
        serve(peer, &line);
    }
}

fn roll_in(peer: &mut Peer, channel: &str, nick: &str) {
    peer.send(&format!(":{nick}!{nick}@home.test PRIVMSG {channel} :!roll 2d6"));
}

/// The bot's messages in the other channel. The first channel refuses each line.
fn heard_beside(peer: &mut Peer, refusal: &str) -> Vec<String> {
    let mut heard = Vec::new();
    while let Some(line) = peer.try_line(QUIET) {
        serve(peer, &line);
        let message = Message::parse(&line);
        match (message.command, message.params.as_slice()) {
            ("PRIVMSG", [CHANNEL, _]) => peer.send(refusal),
            ("PRIVMSG", [OTHER, text]) => heard.push((*text).to_owned()),
            _ => {}
        }
    }
    heard
}

#[tokio::test(flavor = "multi_thread")]
async fn a_muted_channel_with_many_answers_holds_up_no_other() {
    let server = Scripted::listen();
    let _bot = Make { unlimited: true, ..Make::default() }.start(in_both(server.port(), ""));
    let mut peer = server.accept();
    seat_in_both(&mut peer);
    (0..50).for_each(|_| roll_in(&mut peer, CHANNEL, "mia"));
    (0..3).for_each(|_| roll_in(&mut peer, OTHER, "gus"));
    let muted = format!(":{SERVER} 404 {BOT} {CHANNEL} :Cannot send to channel (+m)");
    assert_eq!(heard_beside(&mut peer, &muted).len(), 3);
    // The channel is unmuted, and the bot goes on.
    say(&mut peer, "mia", "!roll 1d4");
    assert!(chatter(&mut peer, QUIET).iter().any(|line| line.contains("1d4")));
}

/// A forward (470) leads into a channel that nobody asked for.
#[tokio::test(flavor = "multi_thread")]
async fn a_forward_leads_nowhere_and_waiting_answers_go_to_their_own_channel() {
    let server = Scripted::listen();
    let _bot = Make::default().start(in_both(server.port(), "rejoin_seconds = 1"));
    let mut peer = server.accept();
    seat_in_both(&mut peer);
    peer.send_bytes(
        format!(":gus!gus@home.test KICK {CHANNEL} {BOT} :out\r\n:mia!mia@home.test PRIVMSG {OTHER} :!roll 1d4\r\n")
            .as_bytes(),
    );
    assert!(heard_beside(&mut peer, "").iter().any(|line| line.contains("1d4")));
    peer.expect(&format!("JOIN {CHANNEL}"));
    peer.send(&format!(":{SERVER} 470 {BOT} {CHANNEL} ##overflow :Forwarding to another channel"));
    peer.send(&format!(":{BOT}!{MASK} JOIN ##overflow"));
    peer.send(&format!(":{SERVER} 353 {BOT} = ##overflow :{BOT} mia"));
    peer.send(&format!(":{SERVER} 366 {BOT} ##overflow :End of /NAMES list."));
    peer.send(":mia!mia@home.test PRIVMSG ##overflow :!roll 2d6");
    peer.expect("PART ##overflow");
    assert_eq!(peer.try_expect("PRIVMSG ##overflow", QUIET), None, "it speaks in a channel it was not asked to join");
}

/// A command is played just before the channel gets a key.
#[tokio::test(flavor = "multi_thread")]
async fn answers_for_a_keyed_channel_hold_up_no_other_and_are_said_once_the_bot_is_in() {
    let server = Scripted::listen();
    let _bot = Make { unlimited: true, ..Make::default() }.start(in_both(server.port(), "rejoin_seconds = 1"));
    let mut peer = server.accept();
    seat_in_both(&mut peer);
    let mut packet = format!(":mia!mia@home.test PRIVMSG {CHANNEL} :!roll 7d7\r\n").repeat(20);
    packet.push_str(&format!(":gus!gus@home.test KICK {CHANNEL} {BOT} :out\r\n"));
    peer.send_bytes(packet.as_bytes());
    peer.expect(&format!("JOIN {CHANNEL}"));
    peer.send(&format!(":{SERVER} 475 {BOT} {CHANNEL} :Cannot join channel (+k)"));
    roll_in(&mut peer, OTHER, "gus");
    assert_eq!(heard_beside(&mut peer, "").len(), 1);
    peer.send(&format!(":gus!gus@home.test INVITE {BOT} {CHANNEL}"));
    peer.expect(&format!("JOIN {CHANNEL}"));
    enter(&mut peer, BOT);
    names(&mut peer, BOT);
    let waited = chatter(&mut peer, QUIET).iter().filter(|line| line.contains("7d7")).count();
    assert_eq!(waited, 20);
}

#[tokio::test(flavor = "multi_thread")]
async fn joins_of_many_channels_with_long_names_fit_into_lines() {
    let server = Scripted::listen();
    let mut irc = settings(server.port(), "");
    let name = |n: usize| format!("#{}{n:02}", "long-".repeat(18));
    let key = |n: usize| "k".repeat(20 + n);
    let channels = (0..20).map(|n| format!("\"{}\" = {{ key = \"{}\" }}\n", name(n), key(n))).collect::<String>();
    irc.channels = toml::from_str(&channels).expect("channels");
    let _bot = Make::default().start(irc);
    let mut peer = server.accept();
    peer.register(SERVER, "");
    let mut joined = 0;
    while joined < 20 {
        let line = peer.expect("JOIN ");
        assert!(line.len() + 2 <= 512, "{} bytes: {line}", line.len() + 2);
        let words: Vec<Vec<&str>> = line.split(' ').skip(1).map(|word| word.split(',').collect()).collect();
        for (channel, key_said) in words[0].iter().zip(&words[1]) {
            let n: usize = channel[channel.len() - 2..].parse().expect("its number");
            assert_eq!(*key_said, key(n), "each channel has its own key");
            joined += 1;
        }
    }
}

/// With the longest possible names, no line is too long, neither as the bot sends it nor as others receive it.
#[tokio::test(flavor = "multi_thread")]
async fn answers_fit_into_a_line_under_the_longest_names() {
    let server = Scripted::listen();
    let channel = format!("#{}", "c".repeat(199));
    let mut irc = settings(server.port(), "");
    irc.channels = [(channel.clone(), Channel::default())].into();
    let _bot = Make { unlimited: true, ..Make::default() }.start(irc);
    let mut peer = server.accept();
    let nick = peer.register(SERVER, "");
    let (long_nick, mask) = ("N".repeat(60), format!("{}@{}", "u".repeat(10), "h".repeat(63)));
    peer.expect("JOIN ");
    peer.send(&format!(":{nick}!x@y JOIN {channel}"));
    peer.send(&format!(":{SERVER} 366 {nick} {channel} :End of /NAMES list."));
    peer.send(&format!(":{nick}!x@y NICK {long_nick}"));
    peer.send(&format!(":{long_nick}!x@y CHGHOST {}", mask.replace('@', " ")));
    while let Some(line) = peer.try_line(QUIET) {
        serve(&mut peer, &line);
    }
    let asker = "m".repeat(60);
    for text in
        ["!help", "!roll 100d100", "!roll 1d6 # \u{1f469}\u{200d}\u{1f680}\u{1f469}\u{200d}\u{1f680}", "!nonsense"]
    {
        peer.send(&format!(":{asker}!{mask} PRIVMSG {channel} :{text}"));
        peer.send(&format!(":{asker}!{mask} PRIVMSG {long_nick} :{}", &text[1..]));
    }
    let mut heard = 0;
    while let Some(line) = peer.try_line(QUIET) {
        serve(&mut peer, &line);
        if line.starts_with("PRIVMSG") || line.starts_with("NOTICE") {
            heard += 1;
            let relayed = format!(":{long_nick}!{mask} {line}\r\n");
            assert!(relayed.len() <= 512, "{} bytes: {relayed}", relayed.len());
            assert!(!line.contains('\u{fffd}'), "cut inside a character: {line}");
        }
    }
    assert!(heard > 8, "{heard} lines");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_removed_for_flooding_says_less_at_once_when_it_is_back() {
    let server = Scripted::listen();
    let irc = Settings { burst: 6, line_every_ms: 30_000, ..settings(server.port(), "") };
    let _bot = Make { unlimited: true, ..Make::default() }.start(irc);
    let mut peer = server.accept();
    seat_again(&mut peer);
    for nick in ["mia", "gus", "ann", "bob", "cem", "dora", "eve"] {
        say(&mut peer, nick, "!roll 2d100");
    }
    let before = chatter(&mut peer, QUIET).len();
    assert!(before >= 3, "{before}");
    peer.send(&format!("ERROR :Closing Link: {BOT} (Excess Flood)"));
    assert!(peer.closed(Duration::from_secs(5)));
    drop(peer);
    let mut peer = server.accept();
    // One line at a time, including the JOIN.
    peer.register(SERVER, "");
    peer.expect("JOIN");
    enter(&mut peer, BOT);
    names(&mut peer, BOT);
    let at_once = chatter(&mut peer, QUIET).len();
    assert!(at_once <= 1, "{at_once} lines at once, as before");
}

/// The bot uses the times of messages to ask for those it missed.
#[tokio::test(flavor = "multi_thread")]
async fn a_clock_far_ahead_does_not_end_requests_for_history() {
    const CAPS: &str = "account-tag batch draft/chathistory message-tags server-time";
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), ""));
    let mut peer = server.accept();
    let nick = let_in(&mut peer, CAPS, "CHATHISTORY=50");
    let_join(&mut peer, &nick);
    introduced(&mut peer);
    for time in ["9999-12-30T22:00:00.000Z", "-009999-01-02T01:59:59Z", "2999-01-01T00:00:00Z", "x"] {
        peer.send(&format!("@time={time};msgid={time} :mia!mia@home.test PRIVMSG {CHANNEL} :hello"));
    }
    cut(peer);
    let mut peer = server.accept();
    let nick = let_in(&mut peer, CAPS, "CHATHISTORY=50");
    let_join(&mut peer, &nick);
    let asked = peer.expect("CHATHISTORY AFTER");
    let since = asked.split("timestamp=").nth(1).and_then(|rest| rest.split(' ').next()).expect("since when");
    let since: Timestamp = since.parse().expect("a time");
    let ahead = since.duration_since(chat::Clock::now(&chat::SystemClock));
    assert!(ahead <= jiff::SignedDuration::from_hours(24), "asked since {since}");
}

/// Batches that nobody asked for, that never end, or that end twice.
#[tokio::test(flavor = "multi_thread")]
async fn history_that_nobody_asked_for_is_not_played() {
    const CAPS: &str = "account-tag batch draft/chathistory message-tags server-time";
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), ""));
    let mut peer = server.accept();
    let nick = let_in(&mut peer, CAPS, "CHATHISTORY=50");
    let_join(&mut peer, &nick);
    introduced(&mut peer);
    let line = |tags: &str| format!("@{tags} :mia!mia@home.test PRIVMSG {CHANNEL} :!roll 1d6");
    for n in 0..200 {
        peer.send(&format!(":{SERVER} BATCH +b{n} chathistory {CHANNEL}"));
        if n < 60 {
            peer.send(&line(&format!("batch=b{n};msgid=m{n};time=2020-01-01T00:00:00Z")));
        }
    }
    for n in [0, 0, 1, 500] {
        peer.send(&format!(":{SERVER} BATCH -b{n}"));
    }
    peer.send(&format!(":{SERVER} BATCH -"));
    peer.send(&format!(":{SERVER} BATCH"));
    assert_eq!(chatter(&mut peer, QUIET), [""; 0]);
    say(&mut peer, "gus", "!roll 1d4");
    let line = peer.expect("PRIVMSG #hall");
    assert!(said(&line).is_some_and(|text| text.starts_with("gus: ")), "{line}");
}

/// A CAP NEW that repeats itself over and over.
#[tokio::test(flavor = "multi_thread")]
async fn repeated_capabilities_are_requested_once() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), ""));
    let mut peer = server.accept();
    seat(&mut peer);
    peer.send(&format!(":{SERVER} CAP {BOT} NEW :{}", "batch chghost ".repeat(500)));
    let line = peer.expect("CAP REQ");
    assert_eq!(Message::parse(&line).params[1], "batch chghost");
    say(&mut peer, "mia", "!roll 2d6");
    answer(&mut peer);
}
