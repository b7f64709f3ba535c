//! Who is ignored in a channel stays so there under every account and nick, for as long as they stay.

use crate::irc::stage::{BOT, CHANNEL, Make, OnIrc, Running, ask, hear, meet, settings};
use tests::irc::{Client, Inspircd, InspircdOptions};

/// The channel's operator, who was there first, and the bot.
fn gus_and_bot(server: &Inspircd) -> (Client, Running) {
    let mut gus = Client::connect(server.port(), "gus");
    gus.join(CHANNEL);
    let bot = Make::default().start(settings(server.port(), ""));
    meet(&mut gus, BOT, CHANNEL);
    (gus, bot)
}

/// Does something with the services or the server, up to this reply.
fn changes(client: &mut Client, line: &str, reply: &str) {
    client.raw(line);
    client.wait_for(|heard| heard.contains(reply));
}

/// Nobody is answered before the operator, who speaks later.
#[track_caller]
fn is_passed_over(troll: &mut Client, gus: &mut Client, how: &str) {
    troll.say(CHANNEL, "!roll 6d1");
    // The server has that line once it answers the next one, so it comes before what the operator says.
    changes(troll, "PING :heard", " PONG ");
    let heard = ask(gus, "!roll 2d1");
    assert!(heard.starts_with("gus: 2 | 2d1"), "{how}: {heard}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ignored_account_is_ignored_when_it_logs_out_until_somebody_ends_that() {
    let server = Inspircd::start(&InspircdOptions::default());
    for account in ["troll", "other"] {
        server.register(account, "secret");
    }
    let (mut gus, bot) = gus_and_bot(&server);
    let mut troll = Client::login(server.port(), "troll", "troll", "secret");
    troll.join(CHANNEL);
    let told = ask(&mut gus, "!ignore troll");
    assert!(told.contains("account:troll"), "{told}");
    is_passed_over(&mut troll, &mut gus, "with the account");
    changes(&mut troll, "PRIVMSG NickServ :LOGOUT", " 901 ");
    is_passed_over(&mut troll, &mut gus, "logged out");
    changes(&mut troll, "NICK trolly", " NICK ");
    is_passed_over(&mut troll, &mut gus, "under another nick");
    changes(&mut troll, "PRIVMSG NickServ :IDENTIFY other secret", " 900 ");
    is_passed_over(&mut troll, &mut gus, "in another account");
    let told = ask(&mut gus, "!unignore trolly");
    assert!(told.contains("account:troll, is answered again"), "{told}");
    troll.say(CHANNEL, "!roll 3d1");
    let heard = hear(&mut gus);
    assert!(heard.starts_with("trolly: 3 | 3d1"), "{heard}");
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ignored_nick_is_ignored_when_it_changes_or_logs_in_and_its_next_holder_by_name_alone() {
    let server = Inspircd::start(&InspircdOptions::default());
    server.register("mia", "secret");
    let (mut gus, bot) = gus_and_bot(&server);
    let mut zed = Client::connect(server.port(), "zed");
    zed.join(CHANNEL);
    assert!(ask(&mut gus, "!ignore zed").contains("nick:zed"));
    changes(&mut zed, "NICK zedd", " NICK ");
    is_passed_over(&mut zed, &mut gus, "under another nick");
    changes(&mut zed, "PRIVMSG NickServ :IDENTIFY mia secret", " 900 ");
    is_passed_over(&mut zed, &mut gus, "logged in");
    // Mia herself is somebody else, from another connection: the account as such is not ignored.
    zed.raw(&format!("PART {CHANNEL}"));
    zed.wait_for(|line| line.contains(" PART "));
    let mut mia = Client::login(server.port(), "mia", "mia", "secret");
    mia.join(CHANNEL);
    let heard = ask(&mut mia, "!roll 1d1");
    assert!(heard.starts_with("mia: 1 | 1d1"), "{heard}");
    bot.stop().await;
}
