//! Who is who: accounts, nicks that change hands, operators and admins.

use crate::irc::stage::{BOT, CHANNEL, Make, OnIrc, ask, hear, meet, player, settings};
use std::time::Duration;
use tests::irc::{Client, Inspircd, InspircdOptions, Ngircd, NgircdOptions};

fn logged_in(server: &Inspircd, nick: &str, account: &str) -> Client {
    let mut client = Client::login(server.port(), nick, account, "secret");
    client.join(CHANNEL);
    client
}

/// Waits until the bot has seen earlier events, by asking it something.
fn settled(client: &mut Client) {
    client.say(BOT, "roll 1d1");
    let nick = client.nick().to_owned();
    client.hear(BOT, &nick);
}

async fn accounts_make_players(options: InspircdOptions) {
    let server = Inspircd::start(&options);
    for account in ["mia", "gus"] {
        server.register(account, "secret");
    }
    // The first in the channel becomes its operator.
    let mut gus = logged_in(&server, "gus", "gus");
    let bot = Make::default().start(settings(server.port(), ""));
    meet(&mut gus, BOT, CHANNEL);
    let mut mia = logged_in(&server, "mia", "mia");
    assert!(ask(&mut mia, "!gm me").starts_with("mia is now a referee"));
    assert!(ask(&mut mia, "!iam Tsubame").starts_with("You are Tsubame."));
    hear(&mut gus);
    hear(&mut gus);

    // With another nick but the same account she is still the same player.
    mia.raw("NICK mia|away");
    mia.wait_for(|line| line.contains(" NICK "));
    assert!(ask(&mut mia, "!iam").starts_with("You are Tsubame."));
    assert!(ask(&mut mia, "!gm").contains("The referee is mia"));
    hear(&mut gus);
    hear(&mut gus);

    // A stranger with her nick is another player without rights.
    let mut stranger = Client::connect(server.port(), "mia");
    stranger.join(CHANNEL);
    assert!(ask(&mut stranger, "!iam Kuma").starts_with("You are Kuma."));
    assert!(ask(&mut stranger, "!as Ogre roll 1d1").contains("only a referee"));
    // Once logged in, he is that account's player, and his character goes with him.
    stranger.raw("PRIVMSG NickServ :IDENTIFY gus secret");
    stranger.wait_for(|line| line.contains(" 900 "));
    assert_eq!(ask(&mut stranger, "!iam"), "You are Kuma.");
    for _ in 0..3 {
        hear(&mut gus);
    }
    assert_eq!(ask(&mut gus, "!iam"), "You are Kuma.", "one account, one player");
    // She leaves and comes back days later with another nick.
    mia.quit();
    let mut mia = logged_in(&server, "laptop", "mia");
    assert!(ask(&mut mia, "!iam").starts_with("You are Tsubame."));
    assert!(ask(&mut mia, "!as Ogre roll 1d1").starts_with("Ogre: 1 | 1d1"));
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn accounts_make_players_by_their_tags() {
    accounts_make_players(InspircdOptions::default()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn accounts_make_players_by_joins_and_notices_where_there_are_no_tags() {
    let options = InspircdOptions { without: vec!["ircv3_accounttag"], ..InspircdOptions::default() };
    accounts_make_players(options).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn strangers_are_answered_and_hold_up_nobody() {
    let options = InspircdOptions { without: vec!["ircv3_accounttag"], ..InspircdOptions::default() };
    let server = Inspircd::start(&options);
    server.register("mia", "secret");
    let mut op = Client::connect(server.port(), "op");
    op.join(CHANNEL);
    op.raw("MODE #hall -n");
    let bot = Make::default().start(settings(server.port(), ""));
    meet(&mut op, BOT, CHANNEL);
    // From outside the channel, and gone before the server can tell who it was.
    let mut passer = Client::connect(server.port(), "passer");
    passer.say(CHANNEL, "!roll 1d1");
    passer.quit();
    assert!(hear(&mut op).starts_with("passer: 1 | 1d1"));
    assert!(ask(&mut op, "!roll 2d1").starts_with("op: 2 | 2d1"));
    // In private, from somebody in none of its channels: the account decides, not the nick.
    let mut mia = Client::login(server.port(), "mia", "mia", "secret");
    mia.say(BOT, "iam Tsubame");
    assert!(mia.hear(BOT, "mia").starts_with("You are Tsubame."));
    mia.quit();
    let mut thief = Client::connect(server.port(), "mia");
    thief.say(BOT, "iam");
    assert!(thief.hear(BOT, "mia").starts_with("You are mia."));
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_player_who_takes_no_private_lines_hears_so_before_a_die_falls() {
    let server = Inspircd::start(&InspircdOptions::default());
    server.register("mia", "secret");
    let mut mia = Client::login(server.port(), "mia", "mia", "secret");
    mia.join(CHANNEL);
    // She accepts private messages only from people with an account, which the bot does not have here.
    mia.raw("MODE mia +R");
    mia.wait_for(|line| line.contains("MODE mia"));
    let bot = Make::default().start(settings(server.port(), ""));
    meet(&mut mia, BOT, CHANNEL);
    // The bot cannot know that the first time.
    assert!(ask(&mut mia, "!secret roll 2d1").ends_with("a secret roll by mia"));
    let refused = "i cannot message you privately yet, so i did nothing: send me a private message first";
    let told = ask(&mut mia, "!secret roll 4d1");
    assert!(told.to_lowercase().contains(refused), "{told}");
    // Once she accepts messages and writes to the bot.
    mia.raw("MODE mia -R");
    mia.say(BOT, "roll 5d1");
    assert!(mia.hear(BOT, "mia").contains("5 | 5d1"));
    mia.say(CHANNEL, "!secret roll 6d1");
    let told = mia.hear(BOT, "mia");
    assert!(told.contains("6 | 6d1"), "{told}");
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn operators_are_room_admins_and_so_are_those_the_config_names() {
    let server = Inspircd::start(&InspircdOptions::default());
    server.register("gus", "secret");
    let mut op = Client::connect(server.port(), "op");
    op.join(CHANNEL);
    let bot = Make::default().start(settings(server.port(), "admins = [\"account:gus\"]"));
    meet(&mut op, BOT, CHANNEL);
    let mut bob = player(server.port(), "bob");
    let refused = "bob: Only a room admin";
    assert!(ask(&mut bob, "!room prefix .").starts_with(refused));
    // Operator status counts as soon as it is given or taken.
    op.raw("MODE #hall +o bob");
    bob.wait_for(|line| line.contains("MODE #hall +o"));
    assert!(ask(&mut bob, "!room prefix .").contains("is now ."));
    op.raw("MODE #hall -o bob");
    bob.wait_for(|line| line.contains("MODE #hall -o"));
    assert!(ask(&mut bob, ".room prefix !").starts_with(refused));
    // The status follows its owner's nick change, not whoever takes the old nick.
    op.raw("NICK oper");
    op.wait_for(|line| line.contains(" NICK "));
    let mut taken = Client::connect(server.port(), "op");
    taken.join(CHANNEL);
    assert!(ask(&mut taken, ".room prefix !").starts_with("op: Only a room admin"));
    while !hear(&mut op).starts_with("op: Only") {}
    assert!(ask(&mut op, ".room formatting off").contains("formatting is now off"));
    // Gus is not an operator but an admin by account, which a nick alone does not prove.
    let mut fake = player(server.port(), "gus");
    assert!(ask(&mut fake, ".room prefix !").starts_with("gus: Only a room admin"));
    let mut gus = logged_in(&server, "phone", "gus");
    assert!(ask(&mut gus, ".room prefix !").contains("is now !"));
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_accounts_what_a_player_holds_follows_the_nick() {
    let server = Ngircd::start(&NgircdOptions::default());
    let bot = Make::default().start(settings(server.port(), ""));
    let mut mia = player(server.port(), "mia");
    assert!(ask(&mut mia, "!act d8 d10").starts_with("mia: ACTION"));
    assert!(ask(&mut mia, "!iam Tsubame").starts_with("You are Tsubame."));
    let refused = ask(&mut mia, "!gm me");
    assert!(refused.contains("bare nick cannot hold rights"), "{refused}");
    mia.raw("NICK mia_phone");
    mia.wait_for(|line| line.contains(" NICK "));
    // She can still undo her own commands. A nick change is not one of them.
    assert!(ask(&mut mia, "!undo").contains("iam #2 is undone"), "{}", ask(&mut mia, "!history"));
    assert!(ask(&mut mia, "!redo").contains("#2"));
    // A stranger takes the nick and gets nothing of hers.
    let mut stranger = player(server.port(), "mia");
    let told = ask(&mut stranger, "!iam");
    assert!(told.starts_with("You are mia2."), "{told}");
    hear(&mut mia);
    assert_eq!(ask(&mut mia, "!iam"), "You are Tsubame.");
    stranger.quit();
    mia.wait_for(|line| line.contains(" QUIT "));
    mia.quit();
    // A later user of a nick gets its character, with one warning.
    let mut late = player(server.port(), "mia_phone");
    assert_eq!(ask(&mut late, "!iam"), "You are Tsubame.");
    let warning = hear(&mut late);
    assert_eq!(warning, "(Tsubame is bound to the nick mia_phone alone: whoever has it plays them.)");
    assert_eq!(ask(&mut late, "!iam"), "You are Tsubame.");
    assert!(late.hear_within(BOT, CHANNEL, Duration::from_millis(300)).is_none(), "one warning");
    // The journal records it and adds up.
    late.say(CHANNEL, "!history 30");
    loop {
        let line = hear(&mut late);
        if line.contains("renamed nick:mia nick:mia_phone → nick:mia goes on as nick:mia_phone.") {
            break;
        }
        if line.ends_with("(!more shows more)") {
            late.say(CHANNEL, "!more");
        }
    }
    let store = bot.stop().await;
    let room = chat::RoomId::new("irc", CHANNEL);
    journal::audit(&*store, &journal::keys::TableId::of(&room)).expect("the journal leads to what is stored");
}

#[tokio::test(flavor = "multi_thread")]
async fn where_nicks_are_trusted_they_hold_rights() {
    let server = Ngircd::start(&NgircdOptions::default());
    // The first in the channel becomes its operator.
    let mut first = Client::connect(server.port(), "first");
    first.join(CHANNEL);
    let bot = Make::default().start(settings(server.port(), "trust_nicks = true\nadmins = [\"nick:mia\"]"));
    let (mut mia, mut gus) = (player(server.port(), "Mia"), player(server.port(), "gus"));
    assert!(ask(&mut mia, "!room prefix .").contains("is now ."));
    assert!(ask(&mut mia, ".gm me").contains("Mia is now a referee"));
    mia.raw("NICK keeper");
    mia.wait_for(|line| line.contains(" NICK "));
    settled(&mut gus);
    // She stays the referee, but the admin rights from the configuration stay with the nick.
    assert!(ask(&mut mia, ".as Ogre roll 1d1").starts_with("Ogre: 1"));
    assert!(ask(&mut mia, ".room prefix !").contains("Only a room admin"));
    bot.stop().await;
}
