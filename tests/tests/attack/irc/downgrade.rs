//! An attacker between the bot and its server, or posing as the server, wants its password.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use std::time::Duration;
use tests::irc::played::{QUIET, SERVER, let_join, stop, welcome};
use tests::irc::stage::{BOT, CHANNEL, Make, OnIrc, meet, settings};
use tests::irc::{Certificates, Client, Inspircd, InspircdOptions, Message, Peer, Scripted};
use transport_irc::Settings;

/// An account whose password may go to the right server even without TLS.
const TOLD: &str = "account = \"dice\"\naccount_password = \"dragon\"\ntell_password = \"always\"";
/// The same with the default setting.
const KEPT: &str = "account = \"dice\"\naccount_password = \"dragon\"";
/// How long the bot waits for a step of SASL, and a bit more.
const STEP: Duration = Duration::from_secs(18);

/// Offers capabilities and grants those requested.
#[track_caller]
fn offer(peer: &mut Peer, caps: &str) {
    peer.expect("CAP LS 302");
    peer.send(&format!(":{SERVER} CAP * LS :{caps}"));
    let line = peer.expect("CAP REQ");
    peer.send(&format!(":{SERVER} CAP * ACK :{}", Message::parse(&line).params[1]));
}

/// Expects the bot to begin with SCRAM, and returns its nonce.
#[track_caller]
fn scram(peer: &mut Peer) -> String {
    peer.expect("AUTHENTICATE SCRAM-SHA-256");
    peer.send("AUTHENTICATE +");
    let line = peer.expect("AUTHENTICATE ");
    let first = BASE64_STANDARD.decode(&line["AUTHENTICATE ".len()..]).expect("base64");
    let first = String::from_utf8(first).expect("text");
    first.split_once("r=").expect("a nonce").1.to_owned()
}

#[track_caller]
fn challenge(peer: &mut Peer, text: &str) {
    peer.send(&format!("AUTHENTICATE {}", BASE64_STANDARD.encode(text)));
}

/// Whatever the server offers now, the bot does not reveal the password: neither by PLAIN nor to services.
#[track_caller]
fn tells_nothing(peer: &mut Peer) {
    let mut welcomed = false;
    let told = |line: &str| {
        let word = line.strip_prefix("AUTHENTICATE ").and_then(|word| BASE64_STANDARD.decode(word).ok());
        let word = word.map(|word| String::from_utf8_lossy(&word).into_owned()).unwrap_or_default();
        line.contains("dragon") || word.contains("dragon")
    };
    while let Some(line) = peer.try_line(QUIET) {
        assert!(!told(&line), "it reveals the password: {line}");
        assert!(line != "AUTHENTICATE PLAIN", "it is about to reveal the password");
        match line.as_str() {
            "AUTHENTICATE *" => peer.send(&format!(":{SERVER} 906 {BOT} :SASL authentication aborted")),
            "CAP END" => {
                welcome(peer, BOT, "");
                welcomed = true;
            }
            _ => {}
        }
    }
    assert!(welcomed || peer.closed(Duration::from_millis(100)), "it neither registers nor leaves");
}

#[tokio::test(flavor = "multi_thread")]
async fn too_few_rounds_get_no_proof_and_no_password() {
    for first in ["i=1", "i=4095"] {
        let server = Scripted::listen();
        let _bot = Make::default().start(settings(server.port(), TOLD));
        let mut peer = server.accept();
        offer(&mut peer, "sasl=SCRAM-SHA-256,PLAIN");
        let nonce = scram(&mut peer);
        challenge(&mut peer, &format!("r={nonce}x,s=AAAA,{first}"));
        assert_eq!(
            peer.expect("AUTHENTICATE "),
            "AUTHENTICATE *",
            "it sends a proof that makes the password easy to guess"
        );
        peer.send(&format!(":{SERVER} 906 {BOT} :SASL authentication aborted"));
        tells_nothing(&mut peer);
    }
}

/// After the bot's proof, a server that does not know the password either sends a wrong signature or claims success.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_caught_faking_scram_never_gets_the_password() {
    for fake in ["AUTHENTICATE dj1BQUFB", ":irc.test 903 astragal :SASL authentication successful"] {
        let server = Scripted::listen();
        let bot = Make::default().start(settings(server.port(), TOLD));
        let mut peer = server.accept();
        offer(&mut peer, "sasl=SCRAM-SHA-256,PLAIN");
        let nonce = scram(&mut peer);
        challenge(&mut peer, &format!("r={nonce}x,s=AAAA,i=4096"));
        peer.expect("AUTHENTICATE ");
        peer.send(fake);
        tells_nothing(&mut peer);
        drop(peer);
        // The bot reconnects, and the server offers nothing else.
        let mut peer = server.accept();
        offer(&mut peer, "sasl=PLAIN");
        tells_nothing(&mut peer);
        drop(peer);
        let mut peer = server.accept();
        offer(&mut peer, "server-time");
        tells_nothing(&mut peer);
        // The bot is restarted.
        let store = stop(bot, peer).await;
        let _bot = Make { store, ..Make::default() }.start(settings(server.port(), TOLD));
        let mut peer = server.accept();
        offer(&mut peer, "sasl=PLAIN");
        tells_nothing(&mut peer);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_tls_neither_plain_nor_services_get_the_password() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), KEPT));
    for caps in ["sasl=PLAIN", "sasl", "server-time"] {
        let mut peer = server.accept();
        offer(&mut peer, caps);
        if caps == "sasl" {
            peer.expect("AUTHENTICATE SCRAM-SHA-256");
            peer.send(&format!(":{SERVER} 904 {BOT} :SASL authentication failed"));
        }
        tells_nothing(&mut peer);
    }
}

/// Services come back while the bot is registered: it proves the account again, and is as careful as before.
#[tokio::test(flavor = "multi_thread")]
async fn services_that_come_back_get_no_more_than_those_at_the_login() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), &TOLD.replace("always", "never")));
    let mut peer = server.accept();
    offer(&mut peer, "server-time");
    peer.expect("CAP END");
    welcome(&mut peer, BOT, "");
    let_join(&mut peer, BOT);
    peer.send(&format!(":{SERVER} CAP {BOT} NEW :sasl=PLAIN"));
    let line = peer.expect("CAP REQ");
    peer.send(&format!(":{SERVER} CAP {BOT} ACK :{}", Message::parse(&line).params[1]));
    assert_eq!(peer.try_expect("AUTHENTICATE", QUIET), None, "the password is not to be told");
    drop(peer);
    // A server that fakes SCRAM then never gets the password either.
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), TOLD));
    let mut peer = server.accept();
    offer(&mut peer, "server-time");
    peer.expect("CAP END");
    welcome(&mut peer, BOT, "");
    peer.send(&format!(":{SERVER} 401 {BOT} NickServ :No such nick"));
    let_join(&mut peer, BOT);
    peer.send(&format!(":{SERVER} CAP {BOT} NEW :sasl=SCRAM-SHA-256,PLAIN"));
    let line = peer.expect("CAP REQ");
    peer.send(&format!(":{SERVER} CAP {BOT} ACK :{}", Message::parse(&line).params[1]));
    let nonce = scram(&mut peer);
    challenge(&mut peer, &format!("r={nonce}x,s=AAAA,i=4096"));
    peer.expect("AUTHENTICATE ");
    peer.send(&format!(":{SERVER} 900 {BOT} {BOT}!dice@bot.test dice :You are now logged in as dice"));
    peer.send(&format!(":{SERVER} 903 {BOT} :SASL authentication successful"));
    peer.send(&format!(":{SERVER} CAP {BOT} DEL :sasl"));
    peer.send(&format!(":{SERVER} CAP {BOT} NEW :sasl=PLAIN"));
    assert_eq!(peer.try_expect("AUTHENTICATE PLAIN", QUIET), None, "the server was caught");
    drop(peer);
    let mut peer = server.accept();
    offer(&mut peer, "sasl=PLAIN");
    tells_nothing(&mut peer);
}

/// While services are away, anybody may take the nick of NickServ.
#[tokio::test(flavor = "multi_thread")]
async fn a_nickserv_that_comes_later_is_told_the_password_only_as_an_operator_of_the_network() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), TOLD));
    let mut peer = server.accept();
    offer(&mut peer, "server-time");
    peer.expect("CAP END");
    welcome(&mut peer, BOT, "");
    peer.expect("PRIVMSG NickServ");
    peer.send(&format!(":{SERVER} 401 {BOT} NickServ :No such nick"));
    let_join(&mut peer, BOT);
    for (reply, told) in [("", false), ("NickServ=+mallory@home.test", false), ("NickServ*=+services@net.test", true)] {
        peer.expect("CAP LS 302");
        peer.send(&format!(":{SERVER} CAP {BOT} LS :server-time"));
        peer.expect("USERHOST NickServ");
        peer.send(&format!(":{SERVER} 302 {BOT} :{reply}"));
        let heard = peer.try_expect("PRIVMSG NickServ", QUIET);
        assert_eq!(heard.is_some(), told, "{reply}: {heard:?}");
    }
    // Services free the nick for whoever is logged in; no word to them holds the password again.
    peer.send(&format!(":{SERVER} 900 {BOT} {BOT}!dice@bot.test dice :You are now logged in as dice"));
    peer.send(&format!(":{BOT}!dice@bot.test NICK :Guest1"));
    for word in ["REGAIN", "RECOVER", "GHOST"] {
        let line = peer.expect("PRIVMSG NickServ");
        assert!(line.contains(&format!("{word} {BOT}")) && !line.contains("dragon"), "{line}");
        peer.send(&format!(":NickServ!services@net.test NOTICE Guest1 :Unknown command {word}"));
    }
}

/// A template contains the account and its password, in either order.
#[tokio::test(flavor = "multi_thread")]
async fn a_template_that_begins_with_the_account_is_refused_by_the_settings() {
    let text = |identify: &str| format!("server = \"x\"\n{KEPT}\nidentify = \"{identify}\"");
    let complete = |identify: &str| toml::from_str::<Settings>(&text(identify)).expect("these are settings").complete();
    for wrong in ["{account} X {password}", "{password} X", "Nick{account} IDENTIFY", "NickServ", " X", "NickServ "] {
        let said = complete(wrong).expect_err(wrong);
        assert!(said[0].starts_with("identify: whom and with which words"), "{wrong}: {said:?}");
    }
    assert!(complete("Q@CServe.quakenet.org AUTH {account} {password}").is_ok());
}

/// Settings for a server reached by its name without TLS.
fn by_name(port: u16) -> Settings {
    let ca = Some(Certificates::shared().ca.clone());
    Settings { server: "localhost".to_owned(), ca, ..settings(port, "password = \"sesame\"") }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_wants_tls_learns_nothing_without_it_then_or_later() {
    let real = Inspircd::start(&InspircdOptions { sts: Some(300), ..InspircdOptions::default() });
    let mut gus = Client::connect(real.port(), "gus");
    gus.join(CHANNEL);
    let plain = Scripted::listen();
    let bot = Make::default().start(by_name(plain.port()));
    let mut peer = plain.accept();
    assert_eq!(peer.line(), "CAP LS 302");
    assert_eq!(peer.try_line(QUIET), None, "it registers before it knows");
    peer.send(&format!(":{SERVER} CAP * LS * :server-time sts=port={},duration=9", real.tls_port()));
    assert_eq!(peer.try_line(Duration::from_secs(5)), None, "it says more without TLS");
    assert!(peer.closed(Duration::from_secs(5)));
    drop(peer);
    meet(&mut gus, BOT, CHANNEL);
    gus.raw(&format!("WHOIS {BOT}"));
    gus.wait_for(|line| line.contains(" 671 "));
    // Over TLS the server announced a duration.
    let store = bot.stop().await;
    let bot = Make { store, ..Make::default() }.start(by_name(plain.port()));
    meet(&mut gus, BOT, CHANNEL);
    real.kill();
    assert!(plain.try_accept(3 * QUIET).is_none(), "it connects without TLS");
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_real_server_leads_the_bot_to_its_encrypted_port() {
    let server = Inspircd::start(&InspircdOptions { sts: Some(300), ..InspircdOptions::default() });
    let mut gus = Client::connect(server.port(), "gus");
    gus.join(CHANNEL);
    let bot = Make::default().start(by_name(server.port()));
    meet(&mut gus, BOT, CHANNEL);
    gus.raw(&format!("WHOIS {BOT}"));
    gus.wait_for(|line| line.contains(" 671 "));
    // `check-config --online` follows it, too.
    let tried = transport_irc::probe(&by_name(server.port()), &tests::irc::stage::nonces()).await;
    assert!(tried.is_ok(), "{tried:?}");
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_starts_to_want_tls_is_left_and_asked_again() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), "password = \"sesame\""));
    let mut peer = server.accept();
    offer(&mut peer, "cap-notify server-time");
    peer.expect("CAP END");
    welcome(&mut peer, BOT, "");
    let_join(&mut peer, BOT);
    // Without a port, or withdrawn, it has no effect here.
    peer.send(&format!(":{SERVER} CAP {BOT} NEW :sts=duration=60"));
    peer.send(&format!(":{SERVER} CAP {BOT} DEL :sts"));
    peer.send("PING :still");
    peer.expect("PONG still");
    peer.send(&format!(":{SERVER} CAP {BOT} NEW :batch sts=port=1"));
    assert!(peer.closed(Duration::from_secs(5)), "it stays");
    drop(peer);
    let mut peer = server.accept();
    assert_eq!(peer.line(), "CAP LS 302");
    assert_eq!(peer.try_line(QUIET), None);
    // To a bot that gets no answer, this is a server without capabilities.
    assert_eq!(peer.try_line(STEP).as_deref(), Some("PASS sesame"));
}
