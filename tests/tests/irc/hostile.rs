//! Servers that break the rules or are unkind: garbage, floods, refusals, forced changes, netsplits.

use crate::irc::played::{MASK, QUIET, SERVER, answer, chatter, enter, introduced, let_join, names};
use crate::irc::played::{only_a_roll_is_answered, said, say, seat, seat_again, serve, sounded, welcome};
use crate::irc::stage::{BOT, CHANNEL, Make, OnIrc, settings};
use std::collections::BTreeMap;
use std::time::Duration;
use tests::irc::Scripted;
use transport_irc::Channel;

/// Lines of garbage.
const LINES: u32 = 1_000_000;
/// Bytes of an endless line, and how much memory it may take.
const ENDLESS: usize = 256 << 20;
const MOST_KIB: u64 = 32 << 10;

/// Pseudo-random numbers, the same on every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or_default() % most
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }
}

/// A line that no server should send: random bytes, or words of the protocol in the wrong places. By the rules of IRC,
/// none of them removes the bot from its channel.
fn garbage(numbers: &mut Numbers, line: &mut Vec<u8>) {
    const HEADS: [&str; 12] = [
        "",
        "",
        "",
        ":",
        ": ",
        "@ ",
        "@= ",
        "@;;a=\\ ",
        "@batch=x;time=never;label= ",
        ":irc.test ",
        ":!@ ",
        "@msgid= :mia!mia@home.test ",
    ];
    const COMMANDS: [&str; 32] = [
        "353",
        "366",
        "354",
        "005",
        "315",
        "352",
        "MODE",
        "BATCH",
        "CAP",
        "396",
        "433",
        "437",
        "471",
        "000",
        "999",
        "99999999999999999999",
        "-1",
        "PING",
        "PONG",
        "AUTHENTICATE",
        "903",
        "ACCOUNT",
        "CHGHOST",
        "INVITE",
        "TOPIC",
        "FAIL",
        "ACK",
        "WHO",
        "001",
        "376",
        "NICK",
        "404",
    ];
    const WORDS: [&str; 28] = [
        "astragal",
        "#hall",
        "#",
        "*",
        "=",
        ":",
        "::",
        "LS",
        "ACK",
        "NAK",
        "DEL",
        "+x",
        "-x",
        "+",
        "-",
        "+ov-b",
        "+o",
        "chathistory",
        "labeled-response",
        "713",
        "PREFIX=",
        "PREFIX=(",
        "NICKLEN=-1",
        "LINELEN=",
        "@",
        "@+",
        "\x01",
        "骰",
    ];
    if numbers.below(4) == 0 {
        let length = numbers.below(60);
        // No letters, which could spell a command by chance.
        line.extend(
            (0..length).map(|_| [0, 1, 7, b' ', b':', b'@', b'!', b'#', 0x7f, 0x80, 0xc3, 0xff][numbers.below(12)]),
        );
    } else {
        line.extend(numbers.one(&HEADS).bytes());
        line.extend(numbers.one(&COMMANDS).bytes());
        for _ in 0..numbers.below(4) {
            line.push(b' ');
            line.extend(numbers.one(&WORDS).bytes());
        }
    }
    line.extend(numbers.one(&["\r\n", "\n", "\r", "\r\n\r\n"]).bytes());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_million_lines_of_garbage_do_no_harm() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), ""));
    let mut peer = server.accept();
    seat(&mut peer);
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let mut bytes = Vec::new();
    for n in 0..LINES {
        garbage(&mut numbers, &mut bytes);
        if bytes.len() > 32 << 10 || n + 1 == LINES {
            peer.send_bytes(&bytes);
            bytes.clear();
            while peer.try_line(Duration::from_millis(1)).is_some() {}
        }
    }
    say(&mut peer, "mia", "!roll 2d6");
    let line = peer.expect("PRIVMSG #hall");
    assert!(said(&line).unwrap().starts_with("mia: "), "{line}");
    assert!(server.try_accept(QUIET).is_none(), "it reconnected");
}

/// The resident memory of this process.
fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("this is Linux");
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("it has memory");
    line.split_whitespace().nth(1).and_then(|kib| kib.parse().ok()).expect("it is a number")
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endless_line_takes_no_memory() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), ""));
    let mut peer = server.accept();
    seat(&mut peer);
    let chunk = vec![b'x'; 64 << 10];
    peer.send_bytes(b":mia!mia@home.test PRIVMSG #hall :!roll 2d6 # ");
    peer.send_bytes(&chunk);
    let before = resident_kib();
    for _ in 0..ENDLESS / chunk.len() {
        peer.send_bytes(&chunk);
    }
    let after = resident_kib();
    peer.send("");
    assert!(after.saturating_sub(before) < MOST_KIB, "{before} KiB before, {after} KiB after it");
    only_a_roll_is_answered(&mut peer, "mia");
}

#[tokio::test(flavor = "multi_thread")]
async fn numerics_with_the_wrong_parameters_mean_nothing() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), ""));
    let mut peer = server.accept();
    sounded(&mut peer);
    for line in
        ["001", "005", "900", "903", "904", "908", "433 :", "CAP", "CAP *", "CAP * LS *", "AUTHENTICATE", "NICK"]
    {
        peer.send(&format!(":{SERVER} {line}"));
    }
    // 001 without a nick lets the bot in under the nick it asked for, despite the 433 after it.
    peer.send(&format!(":{SERVER} 422"));
    let_join(&mut peer, BOT);
    introduced(&mut peer);
    for number in [1, 5, 315, 353, 354, 366, 396, 401, 403, 404, 433, 437, 471, 473, 474, 475, 900, 903] {
        for params in ["", BOT, "#hall", "astragal #hall", "astragal :", "* * * * *", ":"] {
            if (number, params) != (403, "astragal #hall") {
                peer.send(&format!(":{SERVER} {number:03} {params}"));
            }
        }
    }
    for line in
        ["NICK :", "NICK", "JOIN", "JOIN :", "PART", "PART :", "KICK", "KICK #hall", "QUIT extra", "MODE", "ACCOUNT"]
    {
        let who = if line.starts_with("QUIT") { "nobody!n@home.test".to_owned() } else { format!("{BOT}!{MASK}") };
        peer.send(&format!(":{who} {line}"));
    }
    only_a_roll_is_answered(&mut peer, "mia");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_is_answered_while_the_bot_registers() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), ""));
    let mut peer = server.accept();
    // Some servers let in only clients that answer this.
    peer.send("PING :1234567890");
    assert_eq!(peer.expect("PONG"), "PONG 1234567890");
    peer.send(&format!(":{SERVER} PING :with two words"));
    assert_eq!(peer.expect("PONG"), "PONG :with two words");
    peer.send(&format!(":{SERVER} CAP * LS :"));
    peer.expect("CAP END");
    welcome(&mut peer, BOT, "");
    let_join(&mut peer, BOT);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_bot_comes_back_however_a_server_ends_the_link() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), ""));
    drop(server.accept());
    let mut peer = server.accept();
    peer.expect("CAP LS 302");
    drop(peer);
    let mut peer = server.accept();
    peer.expect("CAP LS 302");
    peer.send(&format!(":{SERVER} CAP * LS :server-time"));
    peer.expect("CAP REQ");
    peer.send_bytes(b":irc.test CAP * AC");
    drop(peer);
    let mut peer = server.accept();
    sounded(&mut peer);
    peer.send(&format!(":{SERVER} 001 {BOT} :Welcome"));
    drop(peer);
    let mut peer = server.accept();
    sounded(&mut peer);
    peer.send("ERROR :Closing Link: too many connections");
    assert!(peer.closed(Duration::from_secs(5)), "it was told to go");
    drop(peer);
    let mut peer = server.accept();
    sounded(&mut peer);
    peer.send(&format!(":{SERVER} 465 {BOT} :You are banned"));
    assert!(peer.closed(Duration::from_secs(5)), "it was told to go");
    drop(peer);
    let mut peer = server.accept();
    seat(&mut peer);
    peer.send("ERROR :Closing Link: Server shutting down");
    assert!(peer.closed(Duration::from_secs(5)), "it was told to go");
    drop(peer);
    let mut peer = server.accept();
    seat_again(&mut peer);
    only_a_roll_is_answered(&mut peer, "mia");
}

#[tokio::test(flavor = "multi_thread")]
async fn alternative_nicks_are_tried_in_turn() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), "alternative_nicks = [\"bones\"]"));
    let mut peer = server.accept();
    peer.expect("CAP LS 302");
    peer.send(&format!(":{SERVER} 421 * CAP :Unknown command"));
    let mut tried = Vec::new();
    // It may be taken, invalid or temporarily unavailable.
    for number in [433, 437, 432, 433] {
        let line = peer.expect("NICK ");
        let nick = line["NICK ".len()..].to_owned();
        peer.send(&format!(":{SERVER} {number} * {nick} :No"));
        tried.push(nick);
    }
    assert_eq!(tried, ["astragal", "bones", "bones_", "bones__"]);
    let nick = peer.expect("NICK ")["NICK ".len()..].to_owned();
    peer.send(&format!(":{SERVER} CAP * LS :"));
    welcome(&mut peer, &nick, "");
    let_join(&mut peer, &nick);
    introduced(&mut peer);
    say(&mut peer, "mia", &format!("{nick}: roll 2d6"));
    assert!(answer(&mut peer)[0].starts_with("mia: "));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_on_which_every_nick_is_taken_is_left() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), ""));
    let mut peer = server.accept();
    peer.expect("CAP LS 302");
    peer.send(&format!(":{SERVER} 421 * CAP :Unknown command"));
    let mut tried = 0;
    while let Some(line) = peer.try_expect("NICK ", Duration::from_secs(1)) {
        tried += 1;
        assert!(tried < 20, "it keeps trying");
        peer.send(&format!(":{SERVER} 433 * {} :Nickname is already in use", &line["NICK ".len()..]));
    }
    assert!(peer.closed(Duration::from_secs(5)), "it stays without a nick");
    drop(peer);
    seat(&mut server.accept());
}

/// A server may change the nick at once, or in the middle of the welcome, all in one packet.
#[tokio::test(flavor = "multi_thread")]
async fn changes_within_the_welcome_are_heard() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), ""));
    let mut peer = server.accept();
    sounded(&mut peer);
    peer.send_bytes(
        format!(
            ":{SERVER} 001 {BOT} :Welcome\r\n:{BOT}!{MASK} NICK :Guest1\r\n:{SERVER} 422 Guest1 :No message of the day\r\n\
             :Guest1!{MASK} NICK :Guest2\r\n:Guest2!{MASK} JOIN {CHANNEL}\r\n:{SERVER} 353 Guest2 = {CHANNEL} :Guest2 mia\r\n\
             :{SERVER} 366 Guest2 {CHANNEL} :End\r\nPING :behind it\r\n"
        )
        .as_bytes(),
    );
    assert_eq!(peer.expect("PONG"), "PONG :behind it");
    introduced(&mut peer);
    say(&mut peer, "mia", "Guest2: roll 2d6");
    assert!(answer(&mut peer)[0].starts_with("mia: "));
    // The bot no longer has its old nick.
    say(&mut peer, "gus", "Guest1: roll 2d6");
    assert_eq!(chatter(&mut peer, QUIET), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_netsplit_and_its_end_do_no_harm() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), ""));
    let mut peer = server.accept();
    seat(&mut peer);
    let users = || (0..200).map(|n| format!("user{n}"));
    users().for_each(|user| peer.send(&format!(":{user}!{user}@far.test JOIN {CHANNEL}")));
    say(&mut peer, "user7", "!iam Ogre");
    let lines = answer(&mut peer);
    assert!(lines[0].contains("Ogre"), "{lines:?}");
    for _ in 0..3 {
        users().for_each(|user| peer.send(&format!(":{user}!{user}@far.test QUIT :*.net *.split")));
        users().for_each(|user| peer.send(&format!(":{user}!{user}@far.test JOIN {CHANNEL}")));
    }
    assert_eq!(chatter(&mut peer, QUIET), [""; 0], "nobody asked anything");
    say(&mut peer, "user7", "!roll 2d6");
    let lines = answer(&mut peer);
    assert!(lines[0].contains("Ogre"), "it is the same player: {lines:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kicked_bot_comes_back_with_its_waiting_answers() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), "rejoin_seconds = 1"));
    let mut peer = server.accept();
    let nick = seat(&mut peer);
    peer.send(&format!(":gus!gus@home.test KICK {CHANNEL} {nick} :out"));
    say(&mut peer, "mia", "!roll 2d6");
    assert_eq!(peer.try_expect("PRIVMSG", QUIET), None, "it is not there");
    let_join(&mut peer, &nick);
    only_a_roll_is_answered(&mut peer, "mia");
    // If it is kicked between a command and its answer, it answers once it is back.
    say(&mut peer, "mia", "!roll 3d6");
    peer.expect("PRIVMSG #hall");
    let ping = peer.expect("PING said-");
    serve(&mut peer, &ping);
    peer.send_bytes(
        format!(":mia!mia@home.test PRIVMSG {CHANNEL} :!roll 4d6\r\n:gus!gus@home.test KICK {CHANNEL} {nick} :out\r\n")
            .as_bytes(),
    );
    peer.expect(&format!("JOIN {CHANNEL}"));
    enter(&mut peer, &nick);
    names(&mut peer, &nick);
    let line = peer.expect("PRIVMSG #hall");
    assert!(line.contains("4d6"), "{line}");
}

#[tokio::test(flavor = "multi_thread")]
async fn channels_that_do_not_let_the_bot_in_are_tried_again() {
    let server = Scripted::listen();
    let mut irc = settings(server.port(), "");
    let refusals = BTreeMap::from([("#471", 471), ("#473", 473), ("#474", 474), ("#475", 475)]);
    irc.channels.extend(refusals.keys().map(|name| ((*name).to_owned(), Channel::default())));
    let _bot = Make::default().start(irc);
    let mut peer = server.accept();
    let nick = peer.register(SERVER, "");
    peer.expect("JOIN");
    for (channel, number) in &refusals {
        peer.send(&format!(":{SERVER} {number} {nick} {channel} :Cannot join channel"));
    }
    enter(&mut peer, &nick);
    names(&mut peer, &nick);
    introduced(&mut peer);
    only_a_roll_is_answered(&mut peer, "mia");
    // A member of the channel may invite it.
    peer.send(&format!(":gus!gus@home.test INVITE {nick} #473"));
    assert_eq!(peer.expect("JOIN"), "JOIN #473");
    peer.send(&format!(":{nick}!{MASK} JOIN #473"));
    let again = peer.try_expect("JOIN", Duration::from_secs(40)).expect("it tries again by itself");
    let mut channels: Vec<_> = again["JOIN ".len()..].split(',').collect();
    channels.sort_unstable();
    assert_eq!(channels, ["#471", "#474", "#475"]);
}
