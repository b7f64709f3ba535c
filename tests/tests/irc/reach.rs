//! How the bot reaches a network: several servers, a proxy, an address of its own, certificates that no authority signed.

use crate::irc::played::{answer, say, seat};
use crate::irc::stage::{Make, OnIrc, ask, nonces, player, settings, transport};
use std::time::Duration;
use tests::irc::{Certificates, Ngircd, NgircdOptions, Scripted, Socks};
use transport_irc::{Settings, probe};

#[tokio::test(flavor = "multi_thread")]
async fn the_next_server_is_tried_when_one_cannot_be_reached() {
    let (silent, server) = (Scripted::listen(), Scripted::listen());
    let more =
        format!("servers = [\"127.0.0.1:{}\", \"[127.0.0.1]:{}\"]\nping_seconds = 1", silent.port(), server.port());
    let _bot = Make::default().start(settings(1, &more));
    // The second server closes the link before the bot is in, the third lets it in.
    drop(silent.accept());
    let mut peer = server.accept();
    seat(&mut peer);
    say(&mut peer, "mia", "!roll 1d4");
    assert!(answer(&mut peer)[0].starts_with("mia: "));
    drop(peer);
    // The one that let the bot in is asked again.
    server.accept().expect("CAP LS");
    assert!(silent.try_accept(Duration::from_millis(1)).is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn while_no_server_can_be_reached_the_reason_and_the_next_try_are_known() {
    let irc = transport(Settings { reconnect_first_ms: 60_000, ..settings(1, "") });
    let bot = Make::default().serve(vec![irc.clone()]);
    let tried = async {
        loop {
            let status = irc.status().await;
            if status.again.is_some() {
                return status;
            }
            tokio::task::yield_now().await;
        }
    };
    let status = tokio::time::timeout(Duration::from_secs(30), tried).await.expect("it tries again");
    assert!(!status.connected);
    assert!(status.trouble.is_some_and(|why| why.starts_with("127.0.0.1:1 cannot be reached: ")));
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn through_a_proxy_the_name_is_resolved_there() {
    let server = Ngircd::start(&NgircdOptions::default());
    let proxy = Socks::leading_to(server.port(), "dice", "sesame");
    let more = format!(
        "proxy = \"socks5://127.0.0.1:{}\"\nproxy_user = \"dice\"\nproxy_password = \"sesame\"\nbind = \"127.0.0.1\"",
        proxy.port()
    );
    let through = Settings { server: "irc.nowhere.invalid".to_owned(), ..settings(6_667, &more) };
    let bot = Make::default().start(through.clone());
    let mut mia = player(server.port(), "mia");
    assert!(ask(&mut mia, "!roll 3d1").starts_with("mia: 3 | 3d1"));
    assert_eq!(proxy.asked(), "irc.nowhere.invalid:6667");
    bot.stop().await;
    let wrong = Settings { proxy_user: Some("rice".to_owned()), ..through };
    let refused = probe(&wrong, &nonces()).await.unwrap_err();
    assert!(refused.contains(&format!("the proxy 127.0.0.1:{}: ", proxy.port())), "{refused}");
}

/// The advice in the error can be followed as it stands.
#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_that_signed_itself_is_trusted_by_the_line_that_the_error_names() {
    let server = Ngircd::start(&NgircdOptions { self_signed: true, ..NgircdOptions::default() });
    let tls = |fingerprint: Option<String>| Settings {
        tls: true,
        ca: Some(Certificates::shared().ca.clone()),
        fingerprint,
        ..settings(server.tls_port(), "")
    };
    let refused = probe(&tls(None), &nonces()).await.unwrap_err();
    let (_, line) = refused.split_once("add the line ").unwrap_or_else(|| panic!("no line: {refused}"));
    let trusting: Settings = toml::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    let told = probe(&tls(trusting.fingerprint.clone()), &nonces()).await;
    assert!(told.as_ref().is_ok_and(|told| told.contains("let us in")), "{told:?}");
    // Several may be named; any other one is refused, with the line for it.
    let other = format!("sha256:{}", "0".repeat(64));
    let both = format!("{other} {}", trusting.fingerprint.clone().unwrap());
    assert!(probe(&tls(Some(both)), &nonces()).await.is_ok());
    let refused = probe(&tls(Some(other)), &nonces()).await.unwrap_err();
    assert!(refused.contains("another one than that of fingerprint") && refused.ends_with(line), "{refused}");
}
