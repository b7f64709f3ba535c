//! Names that a server considers equal but services do not, nicks that change hands, and names with odd letters.

use chat::PlayerId;
use std::collections::BTreeSet;
use tests::irc::played::{MASK, QUIET, SERVER, answer, chatter, introduced, let_in, let_join, seat, serve, stop};
use tests::irc::stage::{BOT, CHANNEL, Make, OnIrc, settings};
use tests::irc::{Peer, Scripted, plain};
use transport_irc::Settings;

/// Someone with this account, or without one, says something in the channel.
fn say_as(peer: &mut Peer, account: Option<&str>, nick: &str, text: &str) {
    let tag = account.map(|account| format!("@account={account} ")).unwrap_or_default();
    peer.send(&format!("{tag}:{nick}!{nick}@home.test PRIVMSG {CHANNEL} :{text}"));
}

/// The bot in its channel, on a server that adds the account to each message.
#[track_caller]
fn seat_with_accounts(peer: &mut Peer, isupport: &str) {
    let nick = let_in(peer, "account-tag", isupport);
    let_join(peer, &nick);
    introduced(peer);
}

/// True if this person has admin rights in the room.
#[track_caller]
fn runs_the_room(peer: &mut Peer, account: Option<&str>, nick: &str) -> bool {
    say_as(peer, account, nick, "!room formatting off");
    let heard = answer(peer).concat();
    assert!(heard.contains("formatting is") || heard.contains("Only a room admin"), "{heard}");
    !heard.contains("Only a room admin")
}

#[tokio::test(flavor = "multi_thread")]
async fn an_owner_is_known_by_an_account_with_odd_letters_and_nobody_by_a_similar_one() {
    for isupport in ["", "CASEMAPPING=rfc1459", "CASEMAPPING=strict-rfc1459", "CASEMAPPING=ascii", "CASEMAPPING=x"] {
        let server = Scripted::listen();
        let owners = BTreeSet::from([PlayerId::new("irc", "account:mia[1]~")]);
        let _bot = Make { owners, ..Make::default() }.start(settings(server.port(), "admins = [\"account:Gus\\\\a\"]"));
        let mut peer = server.accept();
        seat_with_accounts(&mut peer, isupport);
        assert!(runs_the_room(&mut peer, Some("Mia[1]~"), "mia"), "{isupport}: the owner");
        assert!(runs_the_room(&mut peer, Some("gus\\\\a"), "gus"), "{isupport}: the admin");
        // Services that compare letter by letter let others register these.
        for other in ["Mia{1}^", "mia[1}~", "gus|a"] {
            assert!(!runs_the_room(&mut peer, Some(other), "ann"), "{isupport}: {other}");
        }
        assert!(!runs_the_room(&mut peer, None, "Mia[1]~"), "{isupport}: by the nick alone");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ignored_person_is_ignored_however_their_name_is_spelled() {
    for isupport in ["", "CASEMAPPING=ascii"] {
        let server = Scripted::listen();
        let ignore = ["irc:account:Troll[x]", "no\\body~!*"].map(str::to_owned).into();
        let _bot = Make { ignore, ..Make::default() }.start(settings(server.port(), ""));
        let mut peer = server.accept();
        seat_with_accounts(&mut peer, isupport);
        for (account, nick) in
            [(Some("Troll[x]"), "x"), (Some("TROLL[X]"), "y"), (None, "No\\body~"), (None, "no|body^")]
        {
            say_as(&mut peer, account, nick, "!roll 1d1");
        }
        assert_eq!(chatter(&mut peer, QUIET), [""; 0], "{isupport}");
        say_as(&mut peer, None, "mia", "!roll 1d1");
        assert!(answer(&mut peer)[0].starts_with("mia: "));
    }
}

/// An operator, an admin by account and a stranger swap nicks, all in one packet.
#[tokio::test(flavor = "multi_thread")]
async fn rights_do_not_follow_a_nick_that_changes_hands() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), "admins = [\"account:ann\"]"));
    let mut peer = server.accept();
    seat_with_accounts(&mut peer, "");
    // Gus is the channel's operator; mia has no rights.
    peer.send_bytes(
        b":gus!gus@home.test NICK :x\r\n:mia!mia@home.test NICK :GUS\r\n:x!gus@home.test NICK :mia\r\n\
          :irc.test MODE #hall +v GUS\r\n",
    );
    assert!(!runs_the_room(&mut peer, None, "GUS"), "a stranger with the operator's nick");
    assert!(runs_the_room(&mut peer, None, "mia"), "the operator with another nick");
    // The operator leaves, and a stranger joins with that nick.
    peer.send_bytes(b":mia!gus@home.test QUIT :gone\r\n:mia!evil@far.test JOIN #hall\r\n");
    assert!(!runs_the_room(&mut peer, None, "mia"), "a stranger who joined with the operator's nick");
    peer.send_bytes(
        b":GUS!mia@home.test PART #hall\r\n:GUS!mia@home.test JOIN #hall\r\n:irc.test MODE #hall +o GUS\r\n",
    );
    assert!(runs_the_room(&mut peer, None, "gus"), "made operator");
    // Once logged out, an admin has no rights.
    assert!(runs_the_room(&mut peer, Some("ann"), "mia"));
    assert!(!runs_the_room(&mut peer, None, "mia"));
    assert!(!runs_the_room(&mut peer, Some("ann2"), "ann"));
}

/// A player's nick changes hands between two lines of an answer to them.
#[tokio::test(flavor = "multi_thread")]
async fn the_rest_of_an_answer_does_not_go_to_the_nicks_new_owner() {
    let server = Scripted::listen();
    let irc = Settings { burst: 1, line_every_ms: 700, ..settings(server.port(), "") };
    let _bot = Make::default().start(irc);
    let mut peer = server.accept();
    seat_with_accounts(&mut peer, "");
    peer.send(&format!("@account=mia :mia!mia@home.test PRIVMSG {BOT} :help"));
    peer.expect("PRIVMSG mia ");
    peer.send(":mia!mia@home.test NICK :mia_has_another_nick\r\n:gus!gus@home.test NICK :mia");
    for _ in 0..2 {
        let line = peer.expect("PRIVMSG ");
        assert!(line.starts_with("PRIVMSG mia_has_another_nick "), "{line}");
    }
    // Once they have left, nobody gets the rest.
    peer.send(&format!("@account=mia :mia_has_another_nick!mia@home.test PRIVMSG {BOT} :help"));
    peer.expect("PRIVMSG mia_has_another_nick ");
    peer.send(":mia_has_another_nick!mia@home.test QUIT :gone\r\n:mia!gus@home.test NICK :mia_has_another_nick");
    assert_eq!(peer.try_expect("PRIVMSG", 2 * QUIET), None);
}

/// A player without an account makes a secret roll and leaves before the answer.
#[tokio::test(flavor = "multi_thread")]
async fn a_secret_on_its_way_does_not_go_to_the_nicks_new_owner() {
    for gone in [":mia!mia@home.test QUIT :gone", ":mia!mia@home.test PART #hall"] {
        let server = Scripted::listen();
        let irc = Settings { burst: 1, line_every_ms: 700, ..settings(server.port(), "") };
        let _bot = Make::default().start(irc);
        let mut peer = server.accept();
        seat_with_accounts(&mut peer, "");
        for number in 1..=3 {
            say_as(&mut peer, None, "mia", &format!("!secret roll {number}d1 # a trap"));
        }
        // The first is sent; the others wait in line.
        peer.expect("PRIVMSG mia ");
        peer.send(&format!("{gone}\r\n:gus!gus@home.test NICK :mia"));
        while let Some(line) = peer.try_line(5 * QUIET) {
            serve(&mut peer, &line);
            assert!(!line.starts_with("PRIVMSG mia"), "{gone}: {line}");
        }
    }
}

/// Secrets from a private chat under a nick.
#[tokio::test(flavor = "multi_thread")]
async fn a_private_chat_keeps_its_secrets_from_the_nicks_new_owner() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), ""));
    let mut peer = server.accept();
    seat_with_accounts(&mut peer, "");
    let told = |peer: &mut Peer, text: &str| {
        peer.send(&format!(":mia!mia@home.test PRIVMSG {BOT} :{text}"));
        let mut told = String::new();
        while let Some(line) = peer.try_line(QUIET) {
            serve(peer, &line);
            told.push_str(&plain(&line));
        }
        told
    };
    assert!(told(&mut peer, "secret roll 2d1 # a trap").contains("2 | "));
    assert!(told(&mut peer, "seal I am the traitor").contains("seal"));
    assert!(told(&mut peer, "why #1").contains("a trap"), "she may see it");
    peer.send(":mia!mia@home.test QUIT :gone\r\n:gus!gus@home.test NICK :mia");
    for asked in ["why #1", "secret why #1", "reveal #1", "unseal", "fair reveal all", "export move", "history"] {
        let told = told(&mut peer, asked);
        assert!(!told.is_empty() && !told.contains("trap") && !told.contains("traitor"), "{asked}: {told}");
        assert!(!told.contains("The seed of epoch") && !told.contains("!import"), "{asked}: {told}");
    }
}

/// Announcements of a server in the middle of a connection.
#[tokio::test(flavor = "multi_thread")]
async fn odd_announcements_of_a_server_give_nobody_rights() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), "admins = [\"account:mia[\"]"));
    let mut peer = server.accept();
    seat_with_accounts(&mut peer, "");
    peer.send(&format!(":evil[!e@far.test JOIN {CHANNEL}"));
    for tokens in [
        "CASEMAPPING=ascii",
        "CASEMAPPING=",
        "CASEMAPPING",
        "CHANTYPES=",
        "PREFIX=",
        "PREFIX=()",
        "PREFIX=(ov",
        "LINELEN=-1",
        "CHATHISTORY=99999999999999999999",
        "BOT=",
        "-CASEMAPPING",
        "STATUSMSG=#",
    ] {
        peer.send(&format!(":{SERVER} 005 {BOT} {tokens} :are supported by this server"));
    }
    peer.send(&format!(":{SERVER} 005 {BOT} PREFIX=(ov)@+ STATUSMSG=@+ :are supported by this server"));
    assert!(!runs_the_room(&mut peer, None, "evil["));
    assert!(!runs_the_room(&mut peer, Some("mia{"), "evil["));
    assert!(runs_the_room(&mut peer, Some("mia["), "mia"));
    assert!(runs_the_room(&mut peer, None, "gus"), "the operator is still one");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_channel_with_odd_letters_is_one_channel_after_a_start() {
    let server = Scripted::listen();
    let bot = Make::default().start(settings(server.port(), "invites = \"anybody\""));
    let mut peer = server.accept();
    seat(&mut peer);
    let odd = "#a\u{2003}#b\u{a0}#c\u{85}d";
    peer.send(&format!(":x!u@far.test INVITE {BOT} :{odd}"));
    assert_eq!(peer.expect("JOIN "), format!("JOIN {odd}"));
    peer.send(&format!(":{BOT}!{MASK} JOIN :{odd}"));
    peer.send(&format!(":{SERVER} 366 {BOT} {odd} :End of /NAMES list."));
    // The bot introduces itself there, and the server confirms it.
    let ping = peer.expect("PING said-");
    serve(&mut peer, &ping);
    let store = stop(bot, peer).await;
    let _bot = Make { store, ..Make::default() }.start(settings(server.port(), "invites = \"anybody\""));
    let mut peer = server.accept();
    peer.register(SERVER, "");
    let joined = peer.expect("JOIN ");
    let mut names: Vec<_> = plain(&joined)["JOIN ".len()..].split(',').map(str::to_owned).collect();
    names.sort_unstable();
    let mut expected = [odd.to_owned(), CHANNEL.to_owned()];
    expected.sort_unstable();
    assert_eq!(names, expected);
}
