//! How the bot speaks: what fits into its answers, to whom it speaks, how fast, and to whom it does not.

use crate::irc::stage::{BOT, CHANNEL, Make, OnIrc, ask, hear, hear_in, meet, player, settings};
use std::time::{Duration, Instant};
use tests::irc::{Client, Inspircd, InspircdOptions, Message, Ngircd, NgircdOptions, plain};

const MOMENT: Duration = Duration::from_millis(300);

#[tokio::test(flavor = "multi_thread")]
async fn results_are_bold_unless_the_room_wants_plain_text() {
    let server = Ngircd::start(&NgircdOptions::default());
    let mut gus = Client::connect(server.port(), "gus");
    gus.join(CHANNEL);
    let bot = Make::default().start(settings(server.port(), ""));
    let greeting = gus.hear(BOT, CHANNEL);
    assert!(greeting.starts_with("I am astragal: I roll dice") && greeting.contains("!room prefix ."), "{greeting}");
    // It greets once, not at each start.
    let store = bot.stop().await;
    let bot = Make { store, ..Make::default() }.start(settings(server.port(), ""));
    gus.wait_for(|line| line.contains(" JOIN "));
    assert!(gus.hear_within(BOT, CHANNEL, MOMENT).is_none());
    gus.say(CHANNEL, "!roll 2d1kh1");
    assert!(gus.wait_for(|line| line.contains("gus: ")).contains("gus: \u{2}1\u{f} |"));
    gus.say(CHANNEL, "!room formatting off");
    hear(&mut gus);
    gus.say(CHANNEL, "!roll 2d1kh1");
    assert!(gus.wait_for(|line| line.contains("gus: ")).contains("gus: 1 |"));
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_answer_is_cut_and_more_shows_the_rest() {
    let server = Ngircd::start(&NgircdOptions::default());
    let bot = Make { unlimited: true, ..Make::default() }.start(settings(server.port(), ""));
    let mut mia = player(server.port(), "mia");
    for _ in 0..12 {
        ask(&mut mia, "!roll 20d1 # 骰骰骰骰骰 a long day at the crest of the wave");
    }
    mia.say(CHANNEL, "!history 12");
    let mut heard = vec![hear(&mut mia), hear(&mut mia), hear(&mut mia)];
    assert!(heard[2].ends_with(" (!more shows more)"), "{heard:?}");
    assert!(mia.hear_within(BOT, CHANNEL, MOMENT).is_none(), "three lines are the most");
    // Other commands may come in between, and a restart.
    ask(&mut mia, "!roll 1d1");
    let store = bot.stop().await;
    let bot = Make { store, unlimited: true, ..Make::default() }.start(settings(server.port(), ""));
    meet(&mut mia, BOT, CHANNEL);
    while heard.last().is_some_and(|last| last.ends_with("shows more)")) {
        mia.say(CHANNEL, "!more");
        (0..3).for_each(|_| heard.extend(mia.hear_within(BOT, CHANNEL, MOMENT)));
    }
    let told = heard.join(" ");
    for number in 1..=12 {
        assert_eq!(told.matches(&format!("#{number} ")).count(), 1, "#{number} in {told}");
    }
    assert!(ask(&mut mia, "!more").contains("There is nothing more to show here"));
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_and_private_chats_reach_only_their_readers() {
    let server = Inspircd::start(&InspircdOptions::default());
    for account in ["mia", "gus"] {
        server.register(account, "secret");
    }
    let bot = Make::default().start(settings(server.port(), ""));
    let mut gus = Client::login(server.port(), "gus", "gus", "secret");
    gus.join(CHANNEL);
    meet(&mut gus, BOT, CHANNEL);
    let mut mia = Client::login(server.port(), "mia", "mia", "secret");
    mia.join(CHANNEL);
    assert!(ask(&mut gus, "!gm me").contains("gus is now a referee"));
    mia.say(CHANNEL, "!secret roll 1d1 # behind");
    let private = mia.hear(BOT, "mia");
    assert!(private.starts_with("[#hall] mia: (only mia, referees) 1 | 1d1"), "{private}");
    // The message to him and the one to the channel may come in either order.
    let said = |line: &str| line.starts_with(&format!(":{BOT}!"));
    let mut both = [gus.wait_for(said), gus.wait_for(said)].map(|line| plain(Message::parse(&line).text()));
    both.sort();
    assert!(both[0].ends_with("a secret roll by mia") && both[1] == private, "{both:?}");
    // From the private chat into the room.
    mia.say(BOT, "in hall roll 2d1");
    assert!(mia.hear(BOT, "mia").contains("2 | 2d1"));
    assert!(hear(&mut gus).ends_with("a secret roll by mia"));
    // In private no prefix is needed, errors are notices, and the player is an admin of her own room.
    mia.say(BOT, "roll 3d1");
    assert!(mia.hear(BOT, "mia").starts_with("mia: 3 | 3d1"));
    mia.say(BOT, "!rol 3d1");
    assert!(mia.wait_for(|line| line.contains("roll")).contains(" NOTICE mia :mia: "));
    mia.say(BOT, "plugin enable mvk");
    mia.hear(BOT, "mia");
    assert!(gus.hear_within(BOT, CHANNEL, MOMENT).is_none());
    // She changes her nick and the bot still finds her.
    mia.raw("NICK mia2");
    mia.wait_for(|line| line.contains(" NICK "));
    mia.say(CHANNEL, "!secret roll 4d1");
    assert!(mia.hear(BOT, "mia2").contains("4 | 4d1"));
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn it_answers_no_notice_no_bot_and_not_itself() {
    let server = Inspircd::start(&InspircdOptions::default());
    let bot = Make::default().start(settings(server.port(), ""));
    let mut mia = player(server.port(), "mia");
    mia.raw("WHOIS astragal");
    assert!(mia.try_for(Duration::from_secs(5), |line| line.contains(" 335 ")).is_some(), "it says that it is a bot");
    mia.raw("NOTICE #hall :!roll 1d1");
    mia.raw("NOTICE astragal :roll 1d1");
    mia.raw("PRIVMSG #hall :\u{1}ACTION !roll 1d1\u{1}");
    let mut other = player(server.port(), "otherbot");
    other.raw("MODE otherbot +B");
    other.wait_for(|line| line.contains("+B"));
    other.say(CHANNEL, "!roll 1d1");
    other.raw("PING over");
    other.wait_for(|line| line.contains("PONG"));
    // The bot's own message looks like a command here, because a comment is shown as typed.
    assert!(ask(&mut mia, "!roll 2d1 # !roll 2d1").starts_with("mia: 2 | 2d1"));
    assert!(mia.hear_within(BOT, CHANNEL, MOMENT).is_none());
    for request in ["VERSION", "PING 12345", "TIME", "CLIENTINFO"] {
        mia.raw(&format!("PRIVMSG #hall :\u{1}{request}\u{1}"));
    }
    let version = mia.wait_for(|line| line.contains("VERSION"));
    assert!(version.contains("NOTICE mia :\u{1}VERSION astragal "), "{version}");
    assert!(mia.wait_for(|line| line.contains("\u{1}PING")).contains("PING 12345\u{1}"));
    mia.wait_for(|line| line.contains("NOTICE mia :\u{1}TIME 20"));
    // It answers only three at once.
    assert!(mia.try_for(MOMENT, |line| line.contains("CLIENTINFO")).is_none());
    bot.stop().await;
}

/// 1,000 commands within a second from 20 users, on servers with flood protection and with the bot's own limits.
async fn a_flood(port: u16) {
    let irc = settings(port, "");
    let mut irc = transport_irc::Settings { line_every_ms: 1_000, ..irc };
    irc.channels.insert("#quiet".to_owned(), transport_irc::Channel::default());
    let bot = Make::default().start(irc);
    let mut users: Vec<Client> = (0..20).map(|n| player(port, &format!("user{n}"))).collect();
    let mut quiet = Client::connect(port, "quiet");
    quiet.join("#quiet");
    meet(&mut quiet, BOT, "#quiet");
    // Servers with flood protection remember for a while how much a client sent.
    std::thread::sleep(Duration::from_secs(3));
    for line in 0..50 {
        for user in &mut users {
            user.say(CHANNEL, &format!("!roll {line}+1d6"));
        }
    }
    #[expect(clippy::disallowed_methods, reason = "what is tested is that somebody need not wait")]
    let now = Instant::now;
    for round in 0..3 {
        let asked = now();
        quiet.say("#quiet", "!roll 1d1");
        hear_in(&mut quiet, "#quiet");
        assert!(asked.elapsed() < Duration::from_secs(2), "it took {:?} in round {round}", asked.elapsed());
        // Two busy channels get half of the bot's lines each, so this one must pause.
        std::thread::sleep(Duration::from_secs(1));
    }
    // The bot keeps to its limits: a burst, then a line a second.
    let (from, mut lines) = (now(), 0);
    while from.elapsed() < Duration::from_secs(5) {
        lines += usize::from(users[0].hear_within(BOT, CHANNEL, Duration::from_millis(200)).is_some());
    }
    let backlog = users[0].hear_within(BOT, CHANNEL, MOMENT).is_some();
    assert!(lines <= 20, "{lines} lines in 5 seconds, and more: {backlog}");
    // It is still there.
    quiet.say("#quiet", "!roll 7d1");
    assert!(hear_in(&mut quiet, "#quiet").contains("7 | 7d1"));
    drop(users);
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_on_ngircd_neither_kills_it_nor_makes_others_wait() {
    let server = Ngircd::start(&NgircdOptions { flood_protection: true, ..NgircdOptions::default() });
    a_flood(server.port()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_on_inspircd_neither_kills_it_nor_makes_others_wait() {
    let server = Inspircd::start(&InspircdOptions { flood_protection: true, ..InspircdOptions::default() });
    a_flood(server.port()).await;
}
