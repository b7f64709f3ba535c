//! Strangers, alone or by the hundred, do not keep the bot from answering in its channels.

use chat::PlayerId;
use std::collections::BTreeSet;
use tests::irc::played::{QUIET, SERVER, introduced, let_in, let_join, said, seat, serve, welcome};
use tests::irc::stage::{BOT, CHANNEL, Make, OnIrc, settings};
use tests::irc::{Message, Peer, Scripted, plain};
use transport_irc::Settings;

/// Lines to strangers, or about them, that an answer may have to wait for.
const MOST_BETWEEN: usize = 6;

/// Settings for a server that limits lines. The limit is low, so that answers are ready in time on a busy machine.
fn counted(port: u16) -> Settings {
    Settings { burst: 4, line_every_ms: 500, ..settings(port, "") }
}

/// The bot in its channel, on a server that reveals accounts only on request.
#[track_caller]
fn seat_where_accounts_are_asked_for(peer: &mut Peer) {
    let nick = peer.register(SERVER, "WHOX");
    let_join(peer, &nick);
    peer.expect(&format!("WHO {CHANNEL} "));
    for nick in [BOT, "mia", "gus"] {
        peer.send(&format!(":{SERVER} 354 {BOT} 713 {CHANNEL} {nick} H 0"));
    }
    peer.send(&format!(":{SERVER} 315 {BOT} {CHANNEL} :End of /WHO list."));
    introduced(peer);
}

/// Answers a WHO about one person: the nick in the question, at this mask, with this account.
#[track_caller]
fn tell_who(peer: &mut Peer, line: &str, user: &str, host: &str, account: &str) {
    let message = Message::parse(line);
    let (nick, (fields, token)) = (message.params[0], message.params[1].split_once(',').expect("a token"));
    let told = fields.trim_start_matches('%');
    // The order of fields is the server's, not that of the request.
    let field = |c| match c {
        't' => token,
        'c' => "*",
        'u' => user,
        'h' => host,
        'n' => nick,
        'f' => "H",
        _ => account,
    };
    let words: Vec<&str> = "tcuhnfa".chars().filter(|c| told.contains(*c)).map(field).collect();
    peer.send(&format!(":{SERVER} 354 {BOT} {}", words.join(" ")));
    peer.send(&format!(":{SERVER} 315 {BOT} {nick} :End of /WHO list."));
}

fn whisper(peer: &mut Peer, from: &str, text: &str) {
    peer.send(&format!(":{from} PRIVMSG {BOT} :{text}"));
}

fn roll(peer: &mut Peer, nick: &str) {
    peer.send(&format!(":{nick}!{nick}@home.test PRIVMSG {CHANNEL} :!roll 2d6"));
}

/// Counts the lines that the bot sends before it answers the channel, except PINGs.
#[track_caller]
fn lines_before_the_channel(peer: &mut Peer, mut meanwhile: impl FnMut(&mut Peer, &str)) -> usize {
    let mut between = 0;
    loop {
        let line = peer.line();
        serve(peer, &line);
        if said(&line).is_some() {
            return between;
        }
        if !line.starts_with("PING") {
            between += 1;
            assert!(between <= 4 * MOST_BETWEEN, "the channel is not answered");
            meanwhile(peer, &line);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_stranger_silences_no_channel_where_accounts_must_be_asked_for() {
    let server = Scripted::listen();
    let _bot = Make::default().start(counted(server.port()));
    let mut peer = server.accept();
    seat_where_accounts_are_asked_for(&mut peer);
    whisper(&mut peer, "hi!u@far.test", "hi");
    roll(&mut peer, "mia");
    for _ in 0..3 {
        // They speak again as soon as the bot has asked who they are.
        let between = lines_before_the_channel(&mut peer, |peer, line| {
            if line.starts_with("WHO ") {
                tell_who(peer, line, "u", "far.test", "0");
            }
            whisper(peer, "hi!u@far.test", "hi");
        });
        assert!(between <= MOST_BETWEEN, "{between} lines came first");
        roll(&mut peer, "mia");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nor_does_one_who_keeps_changing_nicks() {
    let server = Scripted::listen();
    let _bot = Make::default().start(counted(server.port()));
    let mut peer = server.accept();
    seat_where_accounts_are_asked_for(&mut peer);
    let mut n = 0;
    let mut next = |peer: &mut Peer| {
        n += 1;
        whisper(peer, &format!("x{n}!u{n}@far.test"), "roll 1d6");
    };
    (0..50).for_each(|_| next(&mut peer));
    for _ in 0..3 {
        roll(&mut peer, "mia");
        let between = lines_before_the_channel(&mut peer, |peer, line| {
            if line.starts_with("WHO ") {
                tell_who(peer, line, "u", "far.test", "0");
            }
            (0..5).for_each(|_| next(peer));
        });
        assert!(between <= MOST_BETWEEN, "{between} lines came first");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_strangers_cost_a_channel_no_more_than_one() {
    let server = Scripted::listen();
    let _bot = Make::default().start(counted(server.port()));
    let mut peer = server.accept();
    seat(&mut peer);
    for n in 0..200 {
        whisper(&mut peer, &format!("x{n}!u@host{n}.test"), "roll 1d6");
    }
    for _ in 0..4 {
        roll(&mut peer, "mia");
        let between = lines_before_the_channel(&mut peer, |_, _| {});
        assert!(between <= MOST_BETWEEN, "{between} lines came first");
    }
}

/// The channel is open to anybody, and each visitor has a private chat with the bot.
#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_who_joined_the_channel_cost_it_no_more() {
    let server = Scripted::listen();
    let _bot = Make::default().start(counted(server.port()));
    let mut peer = server.accept();
    seat(&mut peer);
    for n in 0..200 {
        peer.send(&format!(":x{n}!u@host{n}.test JOIN {CHANNEL}"));
        whisper(&mut peer, &format!("x{n}!u@host{n}.test"), "roll 1d6");
    }
    (0..100).for_each(|n| whisper(&mut peer, &format!("y{n}!u@far{n}.test"), "roll 1d6"));
    for _ in 0..4 {
        roll(&mut peer, "mia");
        let between = lines_before_the_channel(&mut peer, |_, _| {});
        assert!(between <= MOST_BETWEEN, "{between} lines came first");
    }
}

/// A stranger drops the nick that the bot wants and takes it again.
#[tokio::test(flavor = "multi_thread")]
async fn toying_with_the_bots_nick_costs_it_a_line_now_and_then() {
    let server = Scripted::listen();
    let _bot = Make::default().start(counted(server.port()));
    let mut peer = server.accept();
    peer.expect("CAP LS 302");
    peer.send(&format!(":{SERVER} 421 * CAP :Unknown command"));
    peer.expect("USER");
    peer.send(&format!(":{SERVER} 433 * {BOT} :Nickname is already in use"));
    let nick = peer.expect("NICK ")["NICK ".len()..].to_owned();
    welcome(&mut peer, &nick, "");
    let_join(&mut peer, &nick);
    introduced(&mut peer);
    peer.send(&format!(":{BOT}!u@far.test JOIN {CHANNEL}"));
    let mut tried = 0;
    for _ in 0..3 {
        for _ in 0..20 {
            peer.send(&format!(":{BOT}!u@far.test NICK x\r\n:x!u@far.test NICK {BOT}"));
        }
        roll(&mut peer, "mia");
        lines_before_the_channel(&mut peer, |_, line| tried += usize::from(line.starts_with("NICK ")));
    }
    assert!(tried <= 2, "{tried} times");
}

/// The bot's lines to strangers until it is quiet.
fn whispered(peer: &mut Peer) -> Vec<String> {
    let mut lines = Vec::new();
    while let Some(line) = peer.try_line(QUIET) {
        serve(peer, &line);
        let message = Message::parse(&line);
        if ["PRIVMSG", "NOTICE"].contains(&message.command) && message.params[0] != CHANNEL {
            lines.push(format!("{} {}", message.params[0], plain(message.params[1])));
        }
    }
    lines
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stranger_who_says_too_much_is_not_heard_and_the_next_one_is() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), ""));
    let mut peer = server.accept();
    seat(&mut peer);
    for n in 0..100 {
        whisper(&mut peer, &format!("x{n}!u{n}@far.test"), "roll 1d6");
    }
    let heard = whispered(&mut peer);
    assert!((1..=15).contains(&heard.len()), "{} lines to one host", heard.len());
    whisper(&mut peer, "ann!ann@near.test", "roll 1d6");
    let heard = whispered(&mut peer);
    assert!(heard.iter().any(|line| line.starts_with("ann ")), "{heard:?}");
}

/// A bot that repeats everything it hears in private.
#[tokio::test(flavor = "multi_thread")]
async fn an_echo_falls_silent_by_itself() {
    for verbs in [["PRIVMSG", "PRIVMSG"], ["PRIVMSG", "NOTICE"]] {
        let server = Scripted::listen();
        let _bot = Make::default().start(settings(server.port(), ""));
        let mut peer = server.accept();
        seat(&mut peer);
        whisper(&mut peer, "echo!e@far.test", "roll 1d6");
        let mut heard = 0;
        while let Some(line) = peer.try_line(QUIET) {
            serve(&mut peer, &line);
            let message = Message::parse(&line);
            if verbs.contains(&message.command) && message.params[0] == "echo" {
                heard += 1;
                assert!(heard < 30, "it never stops: {line}");
                whisper(&mut peer, "echo!e@far.test", message.params[1]);
                peer.send(&format!(":echo!e@far.test PRIVMSG {CHANNEL} :{}", message.params[1]));
            }
        }
        assert!(heard > 0, "the first line is answered");
    }
}

/// The answer to a WHO describes whoever has the nick when the server answers.
#[tokio::test(flavor = "multi_thread")]
async fn an_account_does_not_go_to_the_nicks_previous_owner() {
    let server = Scripted::listen();
    let owners = BTreeSet::from([PlayerId::new("irc", "account:gus")]);
    let _bot = Make { owners, ..Make::default() }.start(settings(server.port(), ""));
    let mut peer = server.accept();
    seat_where_accounts_are_asked_for(&mut peer);
    whisper(&mut peer, "owner!u@far.test", "iam Ogre");
    let line = peer.expect("WHO owner ");
    tell_who(&mut peer, &line, "gus", "home.test", "gus");
    let heard = whispered(&mut peer);
    assert!(heard.iter().any(|line| line.contains("You are Ogre")), "{heard:?}");
    whisper(&mut peer, "owner!gus@home.test", "iam");
    let line = peer.expect("WHO owner ");
    tell_who(&mut peer, &line, "gus", "home.test", "gus");
    let heard = whispered(&mut peer);
    assert!(heard.iter().any(|line| line.contains("You are owner.")), "they get the other's character: {heard:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_stranger_does_not_use_up_the_invitations_of_others() {
    let server = Scripted::listen();
    let more = "invites = \"anybody\"\nadmins = [\"account:gus\"]";
    let _bot = Make::default().start(settings(server.port(), more));
    let mut peer = server.accept();
    let nick = let_in(&mut peer, "account-tag", "");
    let_join(&mut peer, &nick);
    introduced(&mut peer);
    for n in 0..100 {
        peer.send(&format!(":x{n}!u@far.test INVITE {BOT} #trap{n}"));
    }
    peer.send(&format!(":ann!ann@near.test INVITE {BOT} #ann"));
    peer.expect("JOIN #ann");
    for n in 0..100 {
        peer.send(&format!(":x{n}!u@host{n}.test INVITE {BOT} #pit{n}"));
    }
    peer.send(&format!("@account=gus :gus!gus@home.test INVITE {BOT} #gus"));
    peer.expect("JOIN #gus");
}

/// `JOIN 0` leaves every channel, and a comma separates two.
#[tokio::test(flavor = "multi_thread")]
async fn an_invitation_to_something_other_than_a_channel_leads_nowhere() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), "invites = \"anybody\""));
    let mut peer = server.accept();
    seat(&mut peer);
    for (n, name) in ["0", "#a,0", "mia", "#a,#b", ""].iter().enumerate() {
        peer.send(&format!(":x!u@host{n}.test INVITE {BOT} :{name}"));
    }
    assert_eq!(peer.try_expect("JOIN", QUIET), None);
    peer.send(&format!(":x!u@far.test INVITE {BOT} #den"));
    peer.expect("JOIN #den");
}
