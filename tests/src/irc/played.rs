//! Shared by the tests on a scripted server: letting the bot in and talking to it.

use super::stage::{BOT, CHANNEL};
use super::{Message, Peer};
use crate::serving::Running;
use journal::store::Store;
use std::sync::Arc;
use std::time::Duration;

/// The server's name.
pub const SERVER: &str = "irc.test";
/// The bot's user and host.
pub const MASK: &str = "dice@bot.test";
/// How long to listen to a bot that should say nothing.
pub const QUIET: Duration = Duration::from_millis(600);

/// Lets the bot in with those of these capabilities that it asks for. Returns its nick.
#[track_caller]
pub fn let_in(peer: &mut Peer, caps: &str, isupport: &str) -> String {
    let mut nick = String::new();
    loop {
        let line = peer.line();
        let message = Message::parse(&line);
        match (message.command, message.params.as_slice()) {
            ("NICK", [name, ..]) => nick = (*name).to_owned(),
            ("CAP", ["LS", ..]) => peer.send(&format!(":{SERVER} CAP * LS :{caps}")),
            ("CAP", ["REQ", asked]) => peer.send(&format!(":{SERVER} CAP * ACK :{asked}")),
            ("CAP", ["END"]) => break,
            _ => {}
        }
    }
    welcome(peer, &nick, isupport);
    nick
}

/// For a server without capabilities: after asking, the bot registers.
#[track_caller]
pub fn sounded(peer: &mut Peer) {
    peer.expect("CAP LS 302");
    peer.send(&format!(":{SERVER} 421 * CAP :Unknown command"));
    peer.expect("USER");
}

/// Ends registration.
#[track_caller]
pub fn welcome(peer: &mut Peer, nick: &str, isupport: &str) {
    peer.send(&format!(":{SERVER} 001 {nick} :Welcome to the tests, {nick}"));
    if !isupport.is_empty() {
        peer.send(&format!(":{SERVER} 005 {nick} {isupport} :are supported by this server"));
    }
    peer.send(&format!(":{SERVER} 422 {nick} :There is no message of the day"));
}

/// Waits until the bot joins the channel, and lets it in.
#[track_caller]
pub fn let_join(peer: &mut Peer, nick: &str) {
    peer.expect(&format!("JOIN {CHANNEL}"));
    enter(peer, nick);
    names(peer, nick);
}

/// Tells the bot that it is in the channel.
#[track_caller]
pub fn enter(peer: &mut Peer, nick: &str) {
    peer.send(&format!(":{nick}!{MASK} JOIN {CHANNEL}"));
}

/// Sends the list of who is in the channel.
#[track_caller]
pub fn names(peer: &mut Peer, nick: &str) {
    peer.send(&format!(":{SERVER} 353 {nick} = {CHANNEL} :{nick} mia @gus"));
    peer.send(&format!(":{SERVER} 366 {nick} {CHANNEL} :End of /NAMES list."));
}

/// The bot introduces itself in a channel that is new to it. The server confirms each line.
#[track_caller]
pub fn introduced(peer: &mut Peer) {
    loop {
        let line = peer.line();
        serve(peer, &line);
        if let Some(text) = said(&line).filter(|text| text.starts_with("I am astragal")) {
            match Message::parse(&line).tags.first() {
                Some((_, label)) => peer.send(&format!("@label={label} :{BOT}!{MASK} PRIVMSG {CHANNEL} :{text}")),
                None => {
                    let ping = peer.expect("PING said-");
                    serve(peer, &ping);
                }
            }
            return;
        }
    }
}

/// As a server without capabilities, lets the bot in and into the channel. Returns its nick.
#[track_caller]
pub fn seat_again(peer: &mut Peer) -> String {
    let nick = peer.register(SERVER, "");
    let_join(peer, &nick);
    nick
}

/// The same for the first time.
#[track_caller]
pub fn seat(peer: &mut Peer) -> String {
    let nick = seat_again(peer);
    introduced(peer);
    nick
}

/// Somebody says something in the channel.
#[track_caller]
pub fn say(peer: &mut Peer, nick: &str, text: &str) {
    peer.send(&format!(":{nick}!{nick}@home.test PRIVMSG {CHANNEL} :{text}"));
}

/// The text, if this is a line that the bot says in the channel.
pub fn said(line: &str) -> Option<String> {
    let message = Message::parse(line);
    match (message.command, message.params.as_slice()) {
        ("PRIVMSG", [CHANNEL, text]) => Some((*text).to_owned()),
        _ => None,
    }
}

/// Answers the bot's PINGs.
#[track_caller]
pub fn serve(peer: &mut Peer, line: &str) {
    let message = Message::parse(line);
    if let ("PING", [token, ..]) = (message.command, message.params.as_slice()) {
        peer.send(&format!(":{SERVER} PONG {SERVER} :{token}"));
    }
}

/// The lines of the bot's next answer in the channel. The server confirms that they arrived.
#[track_caller]
pub fn answer(peer: &mut Peer) -> Vec<String> {
    let mut lines = Vec::new();
    loop {
        let line = peer.line();
        serve(peer, &line);
        lines.extend(said(&line));
        if !lines.is_empty() && line.starts_with("PING said-") {
            return lines;
        }
    }
}

/// Everything the bot says in the channel until it is quiet, all of it confirmed.
pub fn chatter(peer: &mut Peer, quiet: Duration) -> Vec<String> {
    let mut lines = Vec::new();
    while let Some(line) = peer.try_line(quiet) {
        serve(peer, &line);
        lines.extend(said(&line));
    }
    lines
}

/// Nothing sent before is answered: the bot's next answer is to a roll of this player's.
#[track_caller]
pub fn only_a_roll_is_answered(peer: &mut Peer, nick: &str) {
    say(peer, nick, "!roll 1d4");
    let mut lines = chatter(peer, QUIET);
    // When the bot is back after a while, it tells everyone once that anybody may have taken their nick.
    lines.retain(|line| !line.contains(" is bound to the nick "));
    assert!(lines.len() == 1 && lines[0].starts_with(&format!("{nick}: ")), "{lines:?}");
}

/// Closes the link once the bot has read everything.
#[track_caller]
pub fn cut(mut peer: Peer) {
    peer.send("PING :cut");
    peer.expect("PONG cut");
}

/// Stops the bot in order and returns its store.
pub async fn stop(running: Running, mut peer: Peer) -> Arc<dyn Store> {
    let stopping = tokio::spawn(running.stop());
    peer.expect("QUIT");
    drop(peer);
    stopping.await.expect("it stops")
}
