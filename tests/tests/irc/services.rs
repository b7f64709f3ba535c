//! Services that go away and come back, and nicks that a ghost holds.

use crate::irc::stage::{BOT, CHANNEL, Make, OnIrc, Running, ask, hear_from, meet, settings, transport};
use chat::Transport;
use std::sync::Arc;
use std::time::Duration;
use tests::irc::{Client, Inspircd, InspircdOptions};

const ACCOUNT: &str = "account = \"keeper\"\naccount_password = \"dragon\"\ntell_password = \"always\"";

/// Why the bot does not tell them the password.
const WITHHELD: &str = "NickServ is no operator of the network, so it is not told the password";
/// How long the bot may take to try again.
const PATIENCE: Duration = Duration::from_secs(30);

/// Somebody in the channel who sees who logs in.
fn watcher(port: u16) -> Client {
    let mut gus = Client::connect(port, "gus");
    gus.raw("CAP REQ :account-notify");
    gus.wait_for(|line| line.contains(" ACK "));
    gus.join(CHANNEL);
    gus
}

/// A bot on a server whose services are away, and its state.
async fn without_services(server: &Inspircd) -> (Running, Arc<dyn Transport>, Client) {
    server.register("keeper", "dragon");
    server.stop_services();
    let irc = transport(settings(server.port(), ACCOUNT));
    let bot = Make::default().serve(vec![irc.clone()]);
    let mut gus = watcher(server.port());
    meet(&mut gus, BOT, CHANNEL);
    assert!(ask(&mut gus, "!roll 1d1").starts_with("gus: 1 | 1d1"));
    let status = irc.status().await;
    let trouble = status.trouble.unwrap_or_default();
    assert!(
        status.connected && trouble.starts_with("not logged in to the account keeper: there is no NickServ here"),
        "{trouble}"
    );
    (bot, irc, gus)
}

#[tokio::test(flavor = "multi_thread")]
async fn services_that_come_back_log_the_bot_in() {
    let server = Inspircd::start(&InspircdOptions::default());
    let (bot, irc, mut gus) = without_services(&server).await;
    server.start_services();
    gus.wait_for(|line| line.starts_with(":astragal!") && line.ends_with(" ACCOUNT :keeper"));
    // The bot has heard of it once it has answered what was said later.
    assert!(ask(&mut gus, "!roll 2d1").starts_with("gus: 2 | 2d1"));
    let status = irc.status().await;
    assert_eq!((status.trouble, status.again), (None, None));
    bot.stop().await;
}

/// These services are no operators of the network, so anybody could have taken their nick meanwhile.
#[tokio::test(flavor = "multi_thread")]
async fn without_sasl_the_state_says_why_nickserv_is_not_told_the_password_again() {
    let server = Inspircd::start(&InspircdOptions { without: vec!["sasl"], ..InspircdOptions::default() });
    let (bot, irc, _gus) = without_services(&server).await;
    server.start_services();
    let withheld = async {
        loop {
            let status = irc.status().await;
            if status.trouble.as_ref().is_some_and(|why| why.ends_with(WITHHELD)) {
                return status;
            }
            tokio::task::yield_now().await;
        }
    };
    let status = tokio::time::timeout(PATIENCE, withheld).await.expect("the bot tries again and says why not");
    assert!(status.again.is_some());
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ghost_gives_the_nick_back() {
    let server = Inspircd::start(&InspircdOptions::default());
    server.register(BOT, "dragon");
    let mut ghost = Client::connect(server.port(), BOT);
    let bot = Make::default().start(settings(server.port(), &ACCOUNT.replace("keeper", BOT)));
    let mut mia = Client::connect(server.port(), "mia");
    mia.join(CHANNEL);
    ghost.wait_for(|line| line.contains(" NICK ") || line.starts_with("ERROR"));
    meet(&mut mia, BOT, CHANNEL);
    mia.say(CHANNEL, "!roll 1d1");
    assert!(hear_from(&mut mia, BOT, CHANNEL).starts_with("mia: 1 | 1d1"));
    bot.stop().await;
}
