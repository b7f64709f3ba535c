//! Players who ask for more than a network can say.

use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;
use tests::irc::played::{said, seat, serve};
use tests::irc::stage::{CHANNEL, Make, OnIrc, settings};
use tests::irc::{Peer, Scripted, plain};
use tests::serving::SetClock;
use transport_irc::Settings;

/// Lines to whoever asks a lot that somebody else's answer may have to wait for.
const MOST_BETWEEN: usize = 6;
/// Lines to them that may wait altogether.
const MOST_WAITING: usize = 30;

fn ask(peer: &mut Peer, nick: &str, text: &str) {
    peer.send(&format!(":{nick}!{nick}@home.test PRIVMSG {CHANNEL} :{text}"));
    // The bot has read it before the clock goes on.
    peer.send(&format!("PING :{nick}"));
}

/// The next line that the bot says in the channel, within a time without any other.
fn next(peer: &mut Peer) -> Option<String> {
    while let Some(line) = peer.try_line(std::time::Duration::from_secs(3)) {
        serve(peer, &line);
        if let Some(text) = said(&line) {
            return Some(plain(&text));
        }
    }
    None
}

/// Within the limits: ten commands in ten seconds, for a minute. Each answer has three lines.
#[tokio::test(flavor = "multi_thread")]
async fn one_player_within_all_limits_does_not_make_a_channel_wait() {
    let server = Scripted::listen();
    let clock = Arc::new(SetClock::at(Timestamp::UNIX_EPOCH));
    let irc = Settings { burst: 4, line_every_ms: 500, ..settings(server.port(), "") };
    let _bot = Make { clock: clock.clone(), ..Make::default() }.start(irc);
    let mut peer = server.accept();
    seat(&mut peer);
    for number in 0..60 {
        if number % 10 == 0 {
            clock.go_on(SignedDuration::from_secs(11));
        }
        ask(&mut peer, "mia", &format!("!roll 250d1000 + {number}"));
        peer.expect("PONG mia");
    }
    ask(&mut peer, "gus", "!roll 3d1");
    let (mut before, mut after) = (0, 0);
    while let Some(text) = next(&mut peer).filter(|text| !text.starts_with("gus: 3 | ")) {
        before += 1;
        assert!(before <= 200, "gus is not answered; mia was told {text}");
    }
    while next(&mut peer).is_some() {
        after += 1;
    }
    assert!(before <= MOST_BETWEEN, "{before} lines came first");
    assert!(after <= MOST_WAITING, "{after} lines were still to come");
}
