//! Channels in which the bot may not speak.

use crate::irc::stage::{BOT, CHANNEL, Make, ask, settings, transport};
use tests::irc::{Client, Ngircd, NgircdOptions};

#[tokio::test(flavor = "multi_thread")]
async fn in_a_moderated_channel_the_answer_goes_to_the_asker_and_the_state_shows_why() {
    let server = Ngircd::start(&NgircdOptions::default());
    let mut gus = Client::connect(server.port(), "gus");
    gus.join(CHANNEL);
    let irc = transport(settings(server.port(), ""));
    let bot = Make::default().serve(vec![irc.clone()]);
    crate::irc::stage::meet(&mut gus, BOT, CHANNEL);
    assert!(ask(&mut gus, "!roll 2d1").starts_with("gus: 2 | 2d1"));
    assert_eq!(irc.status().await.rooms[0].mute, None);
    gus.raw(&format!("MODE {CHANNEL} +m"));
    gus.wait_for(|line| line.contains("MODE #hall +m"));
    gus.say(CHANNEL, "!roll 3d1");
    let private = gus.hear(BOT, "gus");
    assert_eq!(
        private.split(" #").next(),
        Some("[#hall] gus: I cannot speak in the channel. My answer: 3 | 3d1 [1 1 1]")
    );
    let mute = irc.status().await.rooms[0].mute.clone();
    assert!(mute.is_some_and(|why| why.contains("annot send to channel")));
    gus.raw(&format!("MODE {CHANNEL} +v {BOT}"));
    gus.wait_for(|line| line.contains("MODE #hall +v"));
    assert!(ask(&mut gus, "!roll 4d1").starts_with("gus: 4 | 4d1"));
    assert_eq!(irc.status().await.rooms[0].mute, None);
    bot.stop().await;
}
