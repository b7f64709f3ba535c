//! A database with a standby: what becomes of play when one of the servers dies, stands still, or takes over.
//!
//! `ASTRAGAL_FAILOVERS` sets how often the primary is killed and its standby takes over. The default is 1; `tests/run --long`
//! uses 20.

use super::machine::{LATE, Machine, ask_until_answered, audit, comes, hear, hear_until, mia_on, play};
use crate::irc::endurance::{Heard, times};
use std::fs;
use tests::irc::stage::CHANNEL;
use tests::irc::{Client, Ngircd, NgircdOptions, plain};
use tests::postgres::Server;
use tests::unattended::Program;

/// A primary, its standby, a machine that knows both, and somebody who plays with the bot on it.
struct Scene {
    primary: Server,
    standby: Server,
    machine: Machine,
    bot: Program,
    mia: Client,
    _network: Ngircd,
}

/// How a standby follows.
#[derive(PartialEq)]
enum Follows {
    /// Each commit waits for it.
    Closely,
    /// As fast as it can.
    Loosely,
}

impl Scene {
    fn begin(follows: &Follows) -> Self {
        let (primary, other, network) = (Server::start(), Server::start(), Ngircd::start(&NgircdOptions::default()));
        let standby = other.follow(&primary);
        if *follows == Follows::Closely {
            primary.wait_for_standby();
        }
        let hosts = [&primary, &standby].map(|server| server.directory().display().to_string()).join(",");
        let machine = Machine::new(&format!("host={hosts} user=astragal dbname=postgres"), &network);
        let (mut mia, bot) = (mia_on(&network), machine.start());
        mia.wait_for(comes);
        Scene { primary, standby, machine, bot, mia, _network: network }
    }
}

#[test]
fn a_primary_that_dies_is_replaced_by_its_standby_and_nothing_is_lost_or_doubled() {
    let Scene { mut primary, mut standby, machine, mut bot, mut mia, _network } = Scene::begin(&Follows::Closely);
    let mut heard = Heard::default();
    for round in 0..times("ASTRAGAL_FAILOVERS", 1) as usize {
        play(&mut mia);
        hear(&mut mia, &mut heard, 5 + round * 7 % 15);
        primary.end();
        standby.promote();
        ask_until_answered(&mut mia, &mut heard, &machine, &mut bot);
        let old = primary.follow(&standby);
        (primary, standby) = (standby, old);
        primary.wait_for_standby();
    }
    drop(bot);
    audit(&primary, &heard);
}

#[test]
fn a_primary_that_was_frozen_overtaken_and_thawed_is_not_played_with() {
    let Scene { primary, standby, machine, mut bot, mut mia, _network } = Scene::begin(&Follows::Closely);
    let mut heard = Heard::default();
    play(&mut mia);
    hear(&mut mia, &mut heard, 10);
    primary.freeze();
    standby.promote();
    ask_until_answered(&mut mia, &mut heard, &machine, &mut bot);
    primary.thaw();
    // It takes itself for the primary, is the first in the list, and a bot that is started asks it first.
    assert_eq!(primary.run("select pg_is_in_recovery()"), "f");
    drop(bot);
    bot = machine.start();
    hear_until(&mut mia, &mut heard, comes);
    ask_until_answered(&mut mia, &mut heard, &machine, &mut bot);
    drop(bot);
    audit(&standby, &heard);
}

#[test]
fn while_the_standby_does_not_follow_nothing_is_said_and_nothing_is_lost() {
    let Scene { primary, standby, machine, mut bot, mut mia, _network } = Scene::begin(&Follows::Closely);
    let mut heard = Heard::default();
    play(&mut mia);
    hear(&mut mia, &mut heard, 20);
    standby.freeze();
    mia.say(CHANNEL, "!insp +5");
    assert!(!bot.wait(), "it ends, since it cannot write for longer than its lease");
    assert!(mia.drain(LATE).iter().all(|line| !line.contains("inspiration")), "it was not durable");
    standby.thaw();
    bot = machine.start();
    hear_until(&mut mia, &mut heard, comes);
    ask_until_answered(&mut mia, &mut heard, &machine, &mut bot);
    drop(bot);
    audit(&primary, &heard);
}

#[test]
fn a_standby_that_was_behind_is_noticed_and_nothing_is_played_before_the_operator_says_so() {
    let Scene { mut primary, mut standby, machine, mut bot, mut mia, _network } = Scene::begin(&Follows::Loosely);
    mia.say(CHANNEL, "!insp +3");
    mia.wait_for(|line| line.contains("inspiration"));
    standby.wait_until(&format!("pg_last_wal_replay_lsn() >= '{}'", primary.run("select pg_current_wal_lsn()")));
    // It does not hear of what is answered from now on.
    standby.end();
    mia.say(CHANNEL, "!insp +4");
    mia.wait_for(|line| plain(line).contains("inspiration 7"));
    primary.end();
    let standby = standby.crash();
    standby.promote();
    mia.say(CHANNEL, "!insp");
    assert!(!bot.wait(), "it ends");
    assert!(machine.said("the database lost the last") > 0);
    // Nor does one play that is started again.
    assert!(!machine.start().wait());
    assert!(mia.drain(LATE).iter().all(|line| !line.contains("PRIVMSG")), "nothing was said");
    let log = fs::read_to_string(machine.log()).expect("it has one");
    let (_, word) = log.rsplit_once("by this statement in it: ").expect("it says what to do");
    standby.run(word.lines().next().expect("a line"));
    bot = machine.start();
    mia.wait_for(comes);
    mia.say(CHANNEL, "!insp");
    mia.wait_for(|line| plain(line).contains("inspiration 3"));
    drop(bot);
}
