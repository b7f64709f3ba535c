//! Two machines with one store: one plays, the other stands by and takes over.
//!
//! `ASTRAGAL_TAKEOVERS` sets how often the one that plays is killed, and the database. The default is 2; `tests/run --long`
//! uses 50.

use super::machine::{LATE, Machine, ask_until_answered, audit, comes, goes, hear, hear_until, mia_on, play};
use crate::irc::endurance::{Heard, times};
use std::fs;
use tests::irc::stage::{BOT, CHANNEL};
use tests::irc::{Client, Message, Ngircd, NgircdOptions, plain};
use tests::postgres::Server;

/// Two machines with a database and a network.
fn two() -> (Server, Ngircd, [Machine; 2]) {
    let (server, network) = (Server::start(), Ngircd::start(&NgircdOptions::default()));
    let machines = [(); 2].map(|()| Machine::new(&server.database(), &network));
    (server, network, machines)
}

#[test]
fn whichever_machine_is_killed_the_other_goes_on_and_nothing_is_lost_or_doubled() {
    let (server, network, machines) = two();
    let mut heard = Heard::default();
    let mut mia = mia_on(&network);
    let mut plays = machines[0].start();
    mia.wait_for(comes);
    for round in 0..times("ASTRAGAL_TAKEOVERS", 2) as usize {
        let next = machines[(round + 1) % 2].stand_by();
        play(&mut mia);
        hear(&mut mia, &mut heard, round * 7 % 20);
        drop(plays);
        // Whoever stands by comes once the lease is over, and answers what was left.
        hear_until(&mut mia, &mut heard, comes);
        plays = next;
    }
    mia.drain(LATE).iter().for_each(|line| heard.take(line));
    mia.say(CHANNEL, "!insp +1");
    heard.take(&mia.wait_for(|line| Message::parse(line).is_said(BOT, CHANNEL) && !line.contains("(again)")));
    drop(plays);
    audit(&server, &heard);
}

#[test]
fn one_that_is_told_to_end_hands_over_at_once() {
    let (server, network, machines) = two();
    let mut mia = mia_on(&network);
    let mut first = machines[0].start();
    mia.wait_for(comes);
    let second = machines[1].stand_by();
    mia.say(CHANNEL, "!insp +3");
    mia.wait_for(|line| line.contains("inspiration"));
    first.signal("TERM");
    mia.wait_for(comes);
    assert!(first.wait(), "it ended in order");
    let of_the_first = fs::read_to_string(machines[0].home.path().join("data/bot-id")).expect("it has one");
    let taken = format!("select until = '-infinity' or not starts_with(owner, '{of_the_first}') from lease");
    assert_eq!(server.run(&taken), "t", "it was let go");
    mia.say(CHANNEL, "!insp");
    mia.wait_for(|line| plain(line).contains("inspiration 3"));
    drop(second);
}

#[test]
fn one_that_was_frozen_says_nothing_once_it_is_thawed() {
    let (_server, network, machines) = two();
    let mut mia = mia_on(&network);
    let mut frozen = machines[0].start();
    mia.wait_for(comes);
    let next = machines[1].stand_by();
    mia.say(CHANNEL, "!insp +1");
    mia.wait_for(|line| line.contains("inspiration"));
    frozen.signal("STOP");
    // It has these in its hands as it wakes up.
    ["!roll d6", "!help", "!insp +1"].iter().for_each(|line| mia.say(CHANNEL, line));
    mia.wait_for(comes);
    mia.drain(LATE);
    frozen.signal("CONT");
    let mut said = Vec::new();
    loop {
        let line = mia.next();
        if goes(&line) {
            break;
        }
        said.push(line);
    }
    let of_the_thawed = |line: &&String| line.starts_with(&format!(":{BOT}!")) && line.contains("PRIVMSG");
    assert_eq!(said.iter().find(of_the_thawed), None);
    assert!(!frozen.wait(), "it says that it did not end as it was told to");
    assert_eq!(machines[0].said("the lease of the store ended"), 1);
    mia.say(CHANNEL, "!insp +1");
    mia.wait_for(|line| plain(line).contains("inspiration 2 (+1) #2"));
    drop(next);
}

#[test]
fn a_database_that_crashes_during_play_loses_and_doubles_nothing() {
    let (mut server, network) = (Server::start(), Ngircd::start(&NgircdOptions::default()));
    let machine = Machine::new(&server.database(), &network);
    let mut heard = Heard::default();
    let mut mia = mia_on(&network);
    let mut bot = machine.start();
    mia.wait_for(comes);
    for round in 0..times("ASTRAGAL_TAKEOVERS", 2) as usize {
        play(&mut mia);
        hear(&mut mia, &mut heard, round * 7 % 20);
        server = server.crash();
        ask_until_answered(&mut mia, &mut heard, &machine, &mut bot);
    }
    drop(bot);
    audit(&server, &heard);
}

#[test]
fn bots_with_shards_of_their_own_do_not_notice_that_the_database_of_another_dies() {
    let (shared, mut own) = (Server::start(), Server::start());
    let network = Ngircd::start(&NgircdOptions::default());
    let machine = |name: &str, server: &Server| {
        let channel = format!("#{name}");
        [(); 2].map(|()| Machine::of((name, name, &channel), &server.database(), &network))
    };
    let [one, two, three] = [("one", &shared), ("two", &shared), ("three", &own)].map(|(name, at)| machine(name, at));
    let mut mia = Client::connect(network.port(), "mia");
    let mut play = |name: &str, pair: &[Machine; 2]| {
        mia.join(&format!("#{name}"));
        let plays = pair[0].start();
        mia.wait_for(|line| line.starts_with(&format!(":{name}")) && line.contains(" JOIN "));
        [plays, pair[1].stand_by()]
    };
    let (bots, mut last) = ([play("one", &one), play("two", &two)], play("three", &three));
    own.end();
    for (name, answer) in [("one", "inspiration 1"), ("two", "inspiration 1"), ("one", "inspiration 2")] {
        mia.say(&format!("#{name}"), "!insp +1");
        mia.wait_for(|line| line.starts_with(&format!(":{name}!")) && plain(line).contains(answer));
    }
    assert!(!last[0].wait(), "it ends, since it has no database");
    drop(bots);
    let own = own.crash();
    mia.wait_for(|line| line.starts_with(":three") && line.contains(" JOIN "));
    mia.say("#three", "!insp +1");
    mia.wait_for(|line| line.starts_with(":three") && plain(line).contains("inspiration 1"));
    drop((last, own));
}
