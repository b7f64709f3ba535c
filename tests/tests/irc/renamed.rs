//! A channel is renamed (draft/channel-rename): its table, its settings and the bot follow.

use crate::irc::played::{QUIET, SERVER, cut, introduced, let_in, let_join, serve, stop};
use crate::irc::stage::{CHANNEL, Make, OnIrc, settings};
use tests::irc::{Message, Peer, Scripted};

const CAPS: &str = "account-tag draft/channel-rename";
/// The channel's next names.
const TAVERN: &str = "#Tavern";
const CELLAR: &str = "#cellar";

/// The channel and text of the bot's next message.
#[track_caller]
fn said(peer: &mut Peer) -> (String, String) {
    loop {
        let line = peer.line();
        serve(peer, &line);
        let message = Message::parse(&line);
        if let ("PRIVMSG", [channel, text]) = (message.command, message.params.as_slice()) {
            return ((*channel).to_owned(), tests::irc::plain(text));
        }
    }
}

/// Gus, the channel's operator, says something in it.
fn say(peer: &mut Peer, channel: &str, text: &str) {
    peer.send(&format!("@account=gus :gus!gus@home.test PRIVMSG {channel} :{text}"));
}

fn rename(peer: &mut Peer, from: &str, to: &str) {
    peer.send(&format!(":gus!gus@home.test RENAME {from} {to} :we moved"));
}

/// Confirms everything the bot said.
fn proved(peer: &mut Peer) {
    while let Some(line) = peer.try_line(QUIET) {
        serve(peer, &line);
    }
}

/// The bot rejoins the channel under this name, and no other.
#[track_caller]
fn back(server: &Scripted, channel: &str) -> Peer {
    let mut peer = server.accept();
    let nick = let_in(&mut peer, CAPS, "");
    assert_eq!(peer.expect("JOIN"), format!("JOIN {channel}"));
    peer.send(&format!(":{nick}!dice@bot.test JOIN {channel}"));
    peer.send(&format!(":{SERVER} 353 {nick} = {channel} :{nick} mia @gus"));
    peer.send(&format!(":{SERVER} 366 {nick} {channel} :End of /NAMES list."));
    peer
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_follows_when_its_channel_is_renamed() {
    let server = Scripted::listen();
    let config = || settings(server.port(), "lines_per_answer = 1");
    let bot = Make::default().start(config());
    let mut peer = server.accept();
    let nick = let_in(&mut peer, CAPS, "");
    let_join(&mut peer, &nick);
    introduced(&mut peer);
    say(&mut peer, CHANNEL, "!room prefix .");
    let (channel, told) = said(&mut peer);
    assert!(channel == CHANNEL && told.contains("prefix here is now ."), "{told}");

    // A command from just before is answered under the new name.
    say(&mut peer, CHANNEL, ".roll 2d1");
    rename(&mut peer, CHANNEL, TAVERN);
    say(&mut peer, TAVERN, ".roll 3d1");
    let mut heard: Vec<_> = (0..3).map(|_| said(&mut peer)).collect();
    assert!(heard.iter().skip(1).all(|(channel, _)| channel == "#tavern"), "{heard:?}");
    heard.sort_by_key(|(_, text)| text.split(" | ").next().unwrap_or_default().len());
    let texts: Vec<&str> = heard.iter().map(|(_, text)| text.as_str()).collect();
    assert!(texts[0].starts_with("gus: 2 | 2d1 [1 1] #2"), "{texts:?}");
    assert!(texts[1].starts_with("gus: 3 | 3d1 [1 1 1] #3"), "{texts:?}");
    assert!(texts[2].starts_with("This room goes on where the old one ended"), "{texts:?}");

    // After a reconnect and after a restart it goes there at once, although the configuration has the old name.
    proved(&mut peer);
    cut(peer);
    let mut peer = back(&server, "#tavern");
    say(&mut peer, TAVERN, ".undo");
    let (_, told) = said(&mut peer);
    assert!(told.contains("roll #3 is undone"), "{told}");
    rename(&mut peer, TAVERN, CELLAR);
    assert!(said(&mut peer).1.starts_with("This room goes on"));
    proved(&mut peer);
    let store = stop(bot, peer).await;
    let bot = Make { store, ..Make::default() }.start(config());
    let mut peer = back(&server, CELLAR);
    say(&mut peer, CELLAR, ".room");
    let (channel, told) = said(&mut peer);
    assert!(channel == CELLAR && told.contains("prefix ."), "{told}");
    // Back to the first name, which has no leftovers.
    rename(&mut peer, CELLAR, CHANNEL);
    assert!(said(&mut peer).1.starts_with("This room goes on"));
    proved(&mut peer);
    cut(peer);
    let mut peer = back(&server, CHANNEL);
    say(&mut peer, CHANNEL, ".roll 4d1");
    assert!(said(&mut peer).1.starts_with("gus: 4 | 4d1 [1 1 1 1] #5"));
    proved(&mut peer);
    stop(bot, peer).await;
}
