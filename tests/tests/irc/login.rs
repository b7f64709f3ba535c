//! Logging in: certificates, accounts, NickServ, passwords, nicks that are taken; and the messages when it fails.

use crate::irc::stage::{BOT, CHANNEL, Make, OnIrc, ask, hear_from, meet, nonces, player, settings};
use std::time::Duration;
use tests::irc::{Certificates, Client, Inspircd, InspircdOptions, Ngircd, NgircdOptions};
use transport_irc::{Settings, probe};

const ACCOUNT: &str = "account = \"keeper\"\naccount_password = \"dragon\"\ntell_password = \"always\"";

async fn tried(settings: &Settings) -> String {
    probe(settings, &nonces()).await.unwrap_or_else(|why| format!("failed: {why}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn services_know_the_bot_by_password_certificate_or_nickserv() {
    let server = Inspircd::start(&InspircdOptions::default());
    server.register("keeper", "dragon");
    let in_as_keeper = "let us in on InspTest as astragal, logged in to the account keeper";
    assert!(tried(&settings(server.port(), ACCOUNT)).await.ends_with(in_as_keeper));

    server.register("warden", "griffin");
    server.register_certificate("warden", "griffin");
    let certificates = Certificates::shared();
    let external = Settings {
        server: "localhost".to_owned(),
        tls: true,
        ca: Some(certificates.ca.clone()),
        client_cert: Some(certificates.client.clone()),
        client_key: Some(certificates.client_key.clone()),
        ..settings(server.tls_port(), "")
    };
    assert!(tried(&external).await.contains("logged in to the account warden"), "{}", tried(&external).await);

    let wrong = ACCOUNT.replace("dragon", "wyvern");
    let refused = "the login to the account keeper was refused";
    let without = tried(&settings(server.port(), &wrong)).await;
    assert!(without.contains("not logged in") && without.contains(refused), "{without}");
    let required = tried(&settings(server.port(), &format!("{wrong}\nlogin_required = true"))).await;
    assert!(required.starts_with("failed: ") && required.contains(refused), "{required}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_sasl_the_bot_identifies_to_nickserv() {
    let server = Inspircd::start(&InspircdOptions { without: vec!["sasl"], ..InspircdOptions::default() });
    server.register("keeper", "dragon");
    let done = tried(&settings(server.port(), ACCOUNT)).await;
    assert!(done.contains("logged in to the account keeper"), "{done}");
    let refused = tried(&settings(server.port(), &ACCOUNT.replace("dragon", "wyvern"))).await;
    assert!(refused.contains("not logged in") && refused.contains("NickServ says: "), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn login_failures_are_explained_in_plain_words() {
    let password = Some("sesame".to_owned());
    let server = Ngircd::start(&NgircdOptions { password, ..NgircdOptions::default() });
    let right = settings(server.port(), "password = \"sesame\"");
    assert!(tried(&right).await.contains("as astragal, not logged in to an account"));
    assert!(
        tried(&settings(server.port(), "")).await.contains("password"),
        "{}",
        tried(&settings(server.port(), "")).await
    );
    // A closed port, an untrusted certificate, a port without TLS.
    let closed = tried(&settings(1, "")).await;
    assert!(closed.starts_with("failed: 127.0.0.1:1 cannot be reached"), "{closed}");
    let tls = |port, ca: &std::path::Path| Settings {
        server: "localhost".to_owned(),
        tls: true,
        ca: Some(ca.to_owned()),
        ..settings(port, "password = \"sesame\"")
    };
    let certificates = Certificates::shared();
    assert!(tried(&tls(server.tls_port(), &certificates.ca)).await.contains("let us in"));
    let untrusted = tried(&tls(server.tls_port(), &certificates.other_ca)).await;
    assert!(untrusted.contains("name its CA with ca = \"FILE\""), "{untrusted}");
    let plain = tried(&tls(server.port(), &certificates.ca)).await;
    assert!(plain.contains("may not speak TLS"), "{plain}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_taken_nick_is_claimed_as_soon_as_it_is_free() {
    let server = Ngircd::start(&NgircdOptions::default());
    let mut squatter = Client::connect(server.port(), BOT);
    let mut mia = Client::connect(server.port(), "mia");
    mia.join(CHANNEL);
    let bot = Make::default().start(settings(server.port(), "alternative_nicks = [\"dicebot\"]"));
    meet(&mut mia, "dicebot", CHANNEL);
    mia.say(CHANNEL, "dicebot: roll 1d1");
    assert!(hear_from(&mut mia, "dicebot", CHANNEL).starts_with("mia: 1 | 1d1"));
    // While somebody in the channel has the nick, the bot sees when it becomes free.
    squatter.join(CHANNEL);
    squatter.raw("QUIT");
    mia.wait_for(|line| line.starts_with(":dicebot!") && line.contains(" NICK ") && line.ends_with(BOT));
    assert!(ask(&mut mia, "!roll 1d1").starts_with("mia: 1 | 1d1"));
    bot.stop().await;
    mia.wait_for(|line| line.starts_with(":astragal!") && line.contains(" QUIT "));
}

#[tokio::test(flavor = "multi_thread")]
async fn channels_with_keys_are_joined_and_left_ones_come_back() {
    let server = Ngircd::start(&NgircdOptions::default());
    let mut gus = Client::connect(server.port(), "gus");
    for channel in ["#vault", "#den"] {
        gus.join(channel);
    }
    gus.raw("MODE #vault +k sesame");
    gus.raw("MODE #den +i");
    gus.wait_for(|line| line.contains("MODE #den +i"));
    let mut irc = settings(server.port(), "rejoin_seconds = 1\ninvites = \"anybody\"");
    irc.channels = toml::from_str("\"#vault\" = { key = \"sesame\" }\n\"#den\" = {}\n").expect("channels");
    let bot = Make::default().start(irc);
    meet(&mut gus, BOT, "#vault");
    // The bot accepts an invitation into a configured channel, and comes back after a kick.
    gus.raw(&format!("INVITE {BOT} #den"));
    meet(&mut gus, BOT, "#den");
    gus.raw(&format!("KICK #vault {BOT} :out"));
    gus.wait_for(|line| line.starts_with(":gus!") && line.contains("KICK #vault"));
    gus.wait_for(|line| line.starts_with(&format!(":{BOT}!")) && line.contains("JOIN") && line.contains("#vault"));
    // After an invitation into any other channel it stays there over a restart, until it is kicked.
    gus.join("#lair");
    gus.raw(&format!("INVITE {BOT} #lair"));
    meet(&mut gus, BOT, "#lair");
    let store = bot.stop().await;
    let mut irc = settings(server.port(), "rejoin_seconds = 1");
    irc.channels.clear();
    let bot = Make { store: store.clone(), ..Make::default() }.start(irc.clone());
    meet(&mut gus, BOT, "#lair");
    gus.raw(&format!("KICK #lair {BOT} :out"));
    gus.wait_for(|line| line.contains("KICK #lair"));
    assert!(gus.try_for(Duration::from_secs(2), |line| line.contains("JOIN") && line.contains("#lair")).is_none());
    let store = bot.stop().await;
    let bot = Make { store, ..Make::default() }.start(irc);
    assert!(gus.try_for(Duration::from_secs(1), |line| line.contains("JOIN") && line.contains("#lair")).is_none());
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn trouble_on_one_network_does_not_reach_another() {
    let (one, two) = (Ngircd::start(&NgircdOptions::default()), Ngircd::start(&NgircdOptions::default()));
    let bot = Make::default().start_on(vec![("one", settings(one.port(), "")), ("two", settings(two.port(), ""))]);
    let (mut ann, mut bob) = (player(one.port(), "ann"), player(two.port(), "bob"));
    one.kill();
    for n in 1..=5 {
        assert!(ask(&mut bob, &format!("!roll {n}d1")).starts_with(&format!("bob: {n} | ")));
    }
    assert!(ann.closed(Duration::from_secs(5)));
    one.restart();
    let mut ann = player(one.port(), "ann");
    assert!(ask(&mut ann, "!history").contains("Nothing"), "each has a table of its own");
    bot.stop().await;
}
