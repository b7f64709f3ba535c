//! The bot proves its identity to a server that plays its side of SASL itself.

use crate::irc::played::{SERVER, let_join, welcome};
use crate::irc::stage::{BOT, Make, OnIrc, settings};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use std::time::Duration;
use tests::irc::{Message, Peer, Scripted};

const SALT: &[u8] = b"salt of the test";
const ROUNDS: u32 = 4_096;
/// Longer than the bot waits for a step of SASL.
const STEP: Duration = Duration::from_secs(19);

fn account(more: &str) -> String {
    format!("account = \"dice\"\naccount_password = \"dragon\"\ntell_password = \"always\"\n{more}")
}

fn mac(key: &[u8], text: &[u8]) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("keys may have any length");
    mac.update(text);
    mac.finalize().into_bytes().to_vec()
}

/// Negotiates capabilities with SASL up to the first AUTHENTICATE. Returns the mechanism it names.
#[track_caller]
fn to_sasl(peer: &mut Peer, mechanisms: &str) -> String {
    peer.expect("CAP LS 302");
    peer.send(&format!(":{SERVER} CAP * LS :sasl={mechanisms} server-time"));
    let line = peer.expect("CAP REQ");
    peer.send(&format!(":{SERVER} CAP * ACK :{}", Message::parse(&line).params[1]));
    mechanism(peer)
}

/// The next AUTHENTICATE's argument.
#[track_caller]
fn mechanism(peer: &mut Peer) -> String {
    let line = peer.expect("AUTHENTICATE ");
    line["AUTHENTICATE ".len()..].to_owned()
}

/// The next AUTHENTICATE's argument, decoded from base64.
#[track_caller]
fn decoded(peer: &mut Peer) -> String {
    let word = mechanism(peer);
    let bytes = BASE64_STANDARD.decode(&word).unwrap_or_else(|_| panic!("not base64: {word}"));
    String::from_utf8(bytes).expect("it is text")
}

#[track_caller]
fn challenge(peer: &mut Peer, text: &str) {
    peer.send(&format!("AUTHENTICATE {}", BASE64_STANDARD.encode(text)));
}

/// The server's state at the end of SCRAM-SHA-256 (RFC 5802, RFC 7677).
struct Scram {
    /// True if the client has proved that it knows the password.
    proved: bool,
    /// Proves that the server knows it, too.
    signature: String,
}

/// Plays the server's side of SCRAM-SHA-256 up to the client's proof.
#[track_caller]
fn scram(peer: &mut Peer, password: &str) -> Scram {
    peer.send("AUTHENTICATE +");
    let first = decoded(peer);
    let bare = first.strip_prefix("n,,").unwrap_or_else(|| panic!("not a first message: {first}"));
    let nonce = bare.strip_prefix("n=dice,r=").unwrap_or_else(|| panic!("not for the account: {first}"));
    let said = format!("r={nonce}and-ours,s={},i={ROUNDS}", BASE64_STANDARD.encode(SALT));
    challenge(peer, &said);
    let last = decoded(peer);
    let (without, proof) = last.split_once(",p=").unwrap_or_else(|| panic!("no proof: {last}"));
    assert_eq!(without, format!("c=biws,r={nonce}and-ours"));
    let mut salted = [0; 32];
    pbkdf2::pbkdf2_hmac::<Sha256>(password.as_bytes(), SALT, ROUNDS, &mut salted);
    let signed = format!("{bare},{said},{without}");
    let stored: [u8; 32] = Sha256::digest(mac(&salted, b"Client Key")).into();
    let proof = BASE64_STANDARD.decode(proof).expect("the proof is base64");
    let key: Vec<u8> = proof.iter().zip(mac(&stored, signed.as_bytes())).map(|(proof, mask)| proof ^ mask).collect();
    let signature = mac(&mac(&salted, b"Server Key"), signed.as_bytes());
    let proved = Sha256::digest(key)[..] == stored[..];
    Scram { proved, signature: format!("v={}", BASE64_STANDARD.encode(signature)) }
}

#[track_caller]
fn logged_in(peer: &mut Peer) {
    peer.send(&format!(":{SERVER} 900 {BOT} {BOT}!dice@bot.test dice :You are now logged in as dice"));
    peer.send(&format!(":{SERVER} 903 {BOT} :SASL authentication successful"));
}

#[track_caller]
fn refuse(peer: &mut Peer) {
    peer.send(&format!(":{SERVER} 904 {BOT} :SASL authentication failed"));
}

/// The bot ends SASL, registers and joins its channel.
#[track_caller]
fn comes(peer: &mut Peer) {
    let line = peer.line();
    assert_eq!(line, "CAP END");
    welcome(peer, BOT, "");
    let_join(peer, BOT);
}

/// The bot drops the link without joining or revealing its password.
#[track_caller]
fn leaves(peer: &mut Peer) {
    while let Some(line) = peer.try_line(Duration::from_secs(5)) {
        assert!(!line.starts_with("JOIN") && !line.starts_with("CAP END"), "it comes all the same: {line}");
        assert!(line == "AUTHENTICATE *" || !line.starts_with("AUTHENTICATE"), "it tries again: {line}");
    }
    assert!(peer.closed(Duration::from_secs(1)), "it stays");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_right_password_logs_in_before_the_bot_joins() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), &account("login_required = true")));
    let mut peer = server.accept();
    assert_eq!(to_sasl(&mut peer, "SCRAM-SHA-256,PLAIN"), "SCRAM-SHA-256");
    let scram = scram(&mut peer, "dragon");
    assert!(scram.proved);
    challenge(&mut peer, &scram.signature);
    assert_eq!(mechanism(&mut peer), "+");
    assert_eq!(peer.try_line(Duration::from_millis(300)), None, "it waits for the server's word");
    logged_in(&mut peer);
    comes(&mut peer);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_password_is_tried_with_each_mechanism_and_the_bot_joins_without_an_account() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), &account("")));
    let mut peer = server.accept();
    assert_eq!(to_sasl(&mut peer, "SCRAM-SHA-256,PLAIN"), "SCRAM-SHA-256");
    assert!(!scram(&mut peer, "griffin").proved);
    refuse(&mut peer);
    assert_eq!(mechanism(&mut peer), "PLAIN");
    peer.send("AUTHENTICATE +");
    assert_eq!(decoded(&mut peer), "dice\0dice\0dragon");
    refuse(&mut peer);
    comes(&mut peer);
}

/// Services may forget who was logged in.
#[tokio::test(flavor = "multi_thread")]
async fn a_bot_that_services_log_out_proves_its_account_again() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), &account("")));
    let mut peer = server.accept();
    assert_eq!(to_sasl(&mut peer, "PLAIN"), "PLAIN");
    peer.send("AUTHENTICATE +");
    decoded(&mut peer);
    logged_in(&mut peer);
    comes(&mut peer);
    peer.send(&format!(":{SERVER} 901 {BOT} {BOT}!dice@bot.test :You are now logged out"));
    assert_eq!(mechanism(&mut peer), "PLAIN");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_bot_does_not_join_without_a_required_account() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), &account("login_required = true")));
    for _ in 0..2 {
        let mut peer = server.accept();
        to_sasl(&mut peer, "SCRAM-SHA-256,PLAIN");
        assert!(!scram(&mut peer, "griffin").proved);
        refuse(&mut peer);
        assert_eq!(mechanism(&mut peer), "PLAIN");
        refuse(&mut peer);
        leaves(&mut peer);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_sasl_the_bot_identifies_to_services_before_it_joins() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), &account("login_required = true")));
    for knows in [false, true] {
        let mut peer = server.accept();
        peer.expect("CAP LS 302");
        peer.send(&format!(":{SERVER} CAP * LS :server-time"));
        let line = peer.expect("CAP REQ");
        peer.send(&format!(":{SERVER} CAP * ACK :{}", Message::parse(&line).params[1]));
        peer.expect("CAP END");
        welcome(&mut peer, BOT, "");
        assert_eq!(peer.line(), "PRIVMSG NickServ :IDENTIFY dice dragon");
        if knows {
            logged_in(&mut peer);
            let_join(&mut peer, BOT);
        } else {
            peer.send(&format!(":NickServ!services@{SERVER} NOTICE {BOT} :Password incorrect."));
            leaves(&mut peer);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_mechanisms_the_server_has_are_tried() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), &account("")));
    let mut peer = server.accept();
    assert_eq!(to_sasl(&mut peer, "EXTERNAL,PLAIN"), "PLAIN");
    peer.send("AUTHENTICATE +");
    assert_eq!(decoded(&mut peer), "dice\0dice\0dragon");
    logged_in(&mut peer);
    comes(&mut peer);
    drop(peer);
    // 908 lists the mechanisms if CAP did not.
    let mut peer = server.accept();
    peer.expect("CAP LS 302");
    peer.send(&format!(":{SERVER} CAP * LS :sasl"));
    peer.expect("CAP REQ");
    peer.send(&format!(":{SERVER} CAP * ACK :sasl"));
    assert_eq!(mechanism(&mut peer), "SCRAM-SHA-256");
    peer.send(&format!(":{SERVER} 908 {BOT} EXTERNAL,X :are available SASL mechanisms"));
    refuse(&mut peer);
    comes(&mut peer);
}

/// A server that does not know the password could be anyone's, and must not get it.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_fakes_its_signature_is_not_trusted() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), &account("login_required = true")));
    // It signs with another password, then stops or claims success all the same.
    for claims in [false, true] {
        let mut peer = server.accept();
        to_sasl(&mut peer, "SCRAM-SHA-256,PLAIN");
        let scram = scram(&mut peer, "griffin");
        challenge(&mut peer, &scram.signature);
        assert_eq!(mechanism(&mut peer), "*");
        match claims {
            true => logged_in(&mut peer),
            false => peer.send(&format!(":{SERVER} 906 {BOT} :SASL authentication aborted")),
        }
        leaves(&mut peer);
    }
    // It sends no signature at all.
    let mut peer = server.accept();
    to_sasl(&mut peer, "SCRAM-SHA-256,PLAIN");
    scram(&mut peer, "griffin");
    logged_in(&mut peer);
    leaves(&mut peer);
    // It replaces the bot's nonce, or demands endless work.
    for first in ["r=ours,s=AAAA,i=4096", "r=,s=AAAA,i=4096", "i=4096", "\u{0}"] {
        let mut peer = server.accept();
        to_sasl(&mut peer, "SCRAM-SHA-256");
        peer.send("AUTHENTICATE +");
        decoded(&mut peer);
        challenge(&mut peer, first);
        assert_eq!(mechanism(&mut peer), "*");
        peer.send(&format!(":{SERVER} 906 {BOT} :SASL authentication aborted"));
        leaves(&mut peer);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_does_not_answer_is_given_up_after_a_step() {
    let server = Scripted::listen();
    let _bot = Make::default().start(settings(server.port(), &account("")));
    let mut peer = server.accept();
    assert_eq!(to_sasl(&mut peer, "SCRAM-SHA-256,PLAIN"), "SCRAM-SHA-256");
    assert_eq!(peer.try_line(Duration::from_secs(10)), None, "it has patience");
    assert_eq!(peer.try_line(STEP).as_deref(), Some("AUTHENTICATE *"));
    // A late answer changes nothing.
    refuse(&mut peer);
    comes(&mut peer);
}
