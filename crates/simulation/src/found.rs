//! Bugs found by seeds, as scripts. Each is played in many orders, and none may fail any more.

mod linked;

use crate::dice::DEADLY;
use crate::disk::{Fault, Standby};
use crate::luck::Luck;
use crate::net::Kind;
use crate::players::Wants;
use crate::run::run;
use crate::script::{Act, Move, On, Saying, Script};

/// The number of orders in which each script is played.
const ORDERS: u64 = 40;

/// A message in the only room, with a new id for each line.
fn line(number: usize, who: usize, text: &str) -> Saying {
    let token = text.split_once(" # ").map(|(_, token)| token.to_owned());
    let mistyped = text.starts_with("!rolll");
    let (answer, secret) = (token.is_some() && !mistyped, text.starts_with("!secret"));
    let wants = Wants { token, secret, answer, mistyped, ..Wants::default() };
    Saying { net: 0, room: Some(0), who, id: format!("m{number}"), text: text.to_owned(), wants, forged: 0 }
}

fn say(number: usize, text: &str) -> Act {
    Act::Say(line(number, 1, text))
}

fn edit(number: usize, of: usize, text: &str) -> Act {
    Act::Edit(Saying { wants: Wants::default(), ..line(number, 1, text) }, format!("m{of}"))
}

/// Plays these acts on a network of this kind, in many orders.
fn holds(kind: Kind, acts: &[Act]) {
    holds_within(25, kind, acts);
}

/// The same with fewer than `most` steps after each act.
fn holds_within(most: usize, kind: Kind, acts: &[Act]) {
    for order in 0..ORDERS {
        let moves = acts.iter().map(|act| (act.clone(), most));
        passes(&Script { nets: vec![(kind, 2)], ..script(order, moves) });
    }
}

/// A script of acts with fewer than so many steps after each, in an order.
fn script(order: u64, acts: impl Iterator<Item = (Act, usize)>) -> Script {
    let mut luck = Luck::new(order);
    let moves = acts.map(|(act, most)| Move { act, steps: luck.below(most) as u32, luck: luck.number() }).collect();
    let holds = (order % 2 * 30) as u32;
    let on = if order % 4 < 2 { On::Whole } else { On::Log };
    let groups = if order.is_multiple_of(3) { 1 } else { 1_024 };
    let (nets, refuses, linked, limited) = (Vec::new(), 0, false, false);
    let standby = Standby::Waited;
    Script { seed: order, on, standby, groups, nets, holds, refuses, linked, limited, moves }
}

fn passes(script: &Script) {
    let ended = run(script);
    assert_eq!(ended.wrong, None, "order {}:\n{}", script.seed, ended.log.join("\n"));
}

#[test]
fn a_roll_that_a_history_delivers_again_is_answered_once_and_under_one_number() {
    holds(Kind::History, &[Act::Heal, say(1, "!act d8 # t1t"), say(2, "!roll 1d6 # t2t"), Act::Crash]);
}

#[test]
fn an_edit_that_is_refused_does_not_show_the_dice_of_a_secret_roll() {
    holds(Kind::Matrix, &[say(1, "!secret roll 1d900000+100000 # t1t"), edit(2, 1, "!roll 1d6"), say(3, "!pc")]);
}

#[test]
fn an_edit_that_comes_again_after_a_crash_is_answered_once() {
    let edited = edit(3, 1, "!gm add Ann");
    holds(Kind::Doubtful, &[say(1, "!roll 1d6 # t1t"), say(2, "!act d8 # t2t"), edited, Act::Crash, say(4, "!pc")]);
}

#[test]
fn what_a_write_in_doubt_accepted_is_played_and_before_what_came_later() {
    for fault in [Fault::InDoubtDone, Fault::InDoubtLost] {
        let (first, later) = (say(1, "!roll 1d6 # t1t"), say(2, "!roll 1d8 # t2t"));
        holds(Kind::Matrix, &[Act::Heal, Act::Fail(fault), first, later]);
    }
}

#[test]
fn at_a_stop_nothing_overtakes_what_waits_for_the_disk() {
    let (first, later) = (say(1, "!roll 1d6 # t1t"), say(2, "!roll 1d8 # t2t"));
    holds(Kind::Matrix, &[Act::Heal, first, later, Act::Fail(Fault::Broken), Act::Pass(1), Act::Stop]);
}

#[test]
fn what_is_taken_back_in_the_delivery_that_it_came_with_is_taken_back() {
    let redact = Act::Redact(line(2, 1, ""), "m1".to_owned());
    holds(Kind::Matrix, &[say(1, "!roll 1d6 # t1t"), redact, say(3, "!roll 1d8 # t3t")]);
}

#[test]
fn a_refused_command_that_is_edited_to_prose_and_comes_again_is_answered_once() {
    let edited = edit(2, 1, "hello there");
    holds(Kind::Doubtful, &[say(1, "!undo #3"), Act::Pass(1), edited, Act::Crash, say(3, "!roll 1d6 # t3t")]);
}

#[test]
fn what_was_passed_over_can_be_taken_back() {
    let redact = Act::Redact(line(2, 1, ""), "m1".to_owned());
    let first = say(1, "!roll 1d6 # t1t");
    holds(Kind::Matrix, &[first, Act::Crash, Act::Crash, Act::Crash, Act::Crash, redact, say(3, "!roll 1d8 # t3t")]);
}

#[test]
fn what_is_taken_back_twice_and_edited_in_between_is_not_erased() {
    let redact = Act::Redact(line(2, 1, ""), "m1".to_owned());
    let edited = edit(3, 1, "!roll 1d6");
    holds(
        Kind::Doubtful,
        &[say(1, "!nosuchword"), redact, Act::Pass(1), edited, say(4, "!roll 1d8 # t4t"), Act::Crash],
    );
}

#[test]
fn nothing_is_written_behind_what_failed() {
    let several = |number| [say(number, "!roll 1d6"), say(number + 1, "!insp +1"), Act::Fail(Fault::Broken)];
    let acts: Vec<Act> = (1..7).flat_map(|place| several(place * 2)).collect();
    holds(Kind::Irc, &acts);
}

#[test]
fn a_message_that_the_bot_does_not_survive_is_passed_over() {
    let deadly = Act::Say(Saying { id: format!("{DEADLY}1"), ..line(1, 1, "!roll 1d6 # t1t") });
    holds(Kind::Matrix, &[deadly, say(2, "!roll 1d8 # t2t")]);
}

#[test]
fn what_the_disk_refused_again_and_again_is_not_too_fast() {
    // As many commands as somebody may give within ten seconds; they wait for the disk and are tried again.
    let lines = |number: usize| {
        let roll = line(number, 1, &format!("!as Ogre roll 1d6 # t{number}t"));
        Act::Say(Saying { text: format!("{}{}", roll.text, "\n!insp +1".repeat(4)), ..roll })
    };
    let full = [Act::Fail(Fault::Full), Act::Pass(1_000), Act::Pass(2_000), Act::Heal];
    for order in 0..ORDERS {
        let acts = [Act::Heal, lines(1), lines(2)].into_iter().chain(full.clone());
        let script = script(order, acts.map(|act| (act, 12)));
        passes(&Script { nets: vec![(Kind::Matrix, 2)], limited: true, ..script });
    }
}

#[test]
fn what_is_asked_for_while_its_write_is_in_doubt_is_carried_out() {
    for kind in [Kind::Irc, Kind::History, Kind::Matrix] {
        let doubt = Act::Fail(Fault::InDoubtDone);
        let acts = [say(1, "!pc"), Act::Pass(1), doubt, say(2, "!remind 9m the ford"), Act::Pass(1)];
        holds(kind, &acts);
    }
}

#[test]
fn what_changed_the_room_and_is_edited_to_a_roll_that_cannot_stand_keeps_its_dice() {
    let edited = edit(2, 1, "!secret roll 1d6");
    holds(Kind::Matrix, &[say(1, "!plugin enable spheres"), Act::Pass(1), edited, say(3, "!roll 1d6 # t3t")]);
}

#[test]
fn who_is_meant_by_an_id_is_not_who_shows_it() {
    let gm = |number, text| Act::Say(line(number, 0, text));
    holds(Kind::Matrix, &[say(1, "!pc"), gm(2, "!gm me"), gm(3, "!gm add @bob"), say(4, "!roll 1d6 # t4t")]);
}

#[test]
fn what_is_noted_of_edits_that_come_to_nothing_does_not_stay_for_ever() {
    let prose = Act::Edit(line(3, 3, "!roll 1d6"), "m1".to_owned());
    holds(Kind::Matrix, &[say(1, "!roll 1d6 # t1t"), prose, edit(4, 9, "!roll 1d6")]);
}

#[test]
fn a_correction_is_played_once_however_fast_its_sender_agrees() {
    for kind in [Kind::Irc, Kind::History, Kind::Matrix] {
        holds(
            kind,
            &[Act::Pass(1), say(1, "!rolll 1d20 # t1t"), say(2, "!y"), say(3, "!y"), say(4, "!roll 1d6 # t4t")],
        );
    }
}

#[test]
fn who_agreed_to_one_correction_and_is_heard_again_does_not_agree_to_the_next() {
    let (first, next) = (say(1, "!rolll 1d20 # t1t"), say(3, "!rolll 4d6 # t3t"));
    holds(Kind::History, &[Act::Heal, first, say(2, "!y"), next, Act::Pass(1), Act::Stop, say(4, "!roll 1d6 # t4t")]);
}

#[test]
fn an_answer_of_an_earlier_run_is_said_once_the_disk_works_again() {
    let fails = || Act::Fail(Fault::Broken);
    for kind in [Kind::Doubtful, Kind::Irc] {
        let roll = say(1, "!act d8 # t1t");
        holds(kind, &[Act::Heal, roll, Act::Pass(1), Act::Crash, fails(), fails(), fails(), say(2, "!roll 1d6")]);
    }
}

#[test]
fn an_undo_is_not_revealed_while_what_it_undid_is_secret() {
    for kind in [Kind::Irc, Kind::Matrix] {
        let (roll, undo) = (say(1, "!secret roll 1d900000+100000 # t1t"), say(2, "!undo"));
        holds(kind, &[Act::Heal, roll, undo, say(3, "!reveal #2"), say(4, "!reveal #1"), say(5, "!reveal #2")]);
    }
}

#[test]
fn what_a_line_for_many_made_is_erased_with_it() {
    let redact = Act::Redact(line(2, 1, ""), "m1".to_owned());
    holds(Kind::Matrix, &[say(1, "!as Goon x7 act d6\n!3x act d6"), redact, say(3, "!roll 1d8 # t3t")]);
}

#[test]
fn nobody_names_the_first_referee_by_an_undo() {
    let admin = |number, text| Act::Say(line(number, 0, text));
    let (add, remove) = (admin(1, "!gm add Ann"), admin(3, "!gm remove Ann"));
    let secret = say(4, "!secret roll 1d900000+100000 # t4t");
    let undo = Act::Say(line(5, 2, "!undo #3"));
    holds(Kind::Matrix, &[Act::Heal, add, say(2, "!scene The ford"), remove, secret, undo, say(6, "!pc")]);
}

#[test]
fn words_that_an_edited_line_showed_are_erased_where_they_came_from() {
    let shown = Act::Say(line(2, 3, "!macro hit roll 1d20"));
    let shows = Act::Edit(Saying { wants: Wants::default(), ..line(3, 3, "!why #1") }, "m2".to_owned());
    let redact = Act::Redact(line(4, 1, ""), "m1".to_owned());
    holds(Kind::Matrix, &[Act::Heal, say(1, "!roll 1d6 # t1t"), shown, Act::Pass(1), shows, redact]);
}

#[test]
fn a_correction_that_somebody_agreed_to_is_played_whatever_others_take_back() {
    let elsewhere = Act::Say(Saying { room: Some(1), ..line(1, 2, "!roll 4d6kh3 # t1t") });
    let redact = Act::Redact(Saying { room: Some(1), ..line(4, 2, "") }, "m1".to_owned());
    let (slip, agrees) = (say(2, "!rolll 1d20 # t2t"), say(3, "!y"));
    holds(Kind::Doubtful, &[elsewhere, slip, Act::Pass(1), agrees, Act::Fail(Fault::InDoubtLost), redact]);
}

#[test]
fn the_correction_of_what_is_edited_and_then_taken_back_does_not_stay() {
    let redact = Act::Redact(line(3, 1, ""), "m1".to_owned());
    for kind in [Kind::Doubtful, Kind::Matrix] {
        holds(kind, &[Act::Heal, say(1, "!rolll 1d20 # t1t"), Act::Pass(1), edit(2, 1, "!fair"), redact.clone()]);
    }
}

#[test]
fn words_that_somebody_amended_are_still_taken_back_by_who_said_them() {
    let adds = Act::Say(line(2, 3, "!add #1 +1"));
    let redact = Act::Redact(line(3, 1, ""), "m1".to_owned());
    holds(Kind::Matrix, &[Act::Heal, say(1, "!roll 1d20 # t1t"), Act::Pass(1), adds, Act::Pass(1), redact]);
}

#[test]
fn an_edit_of_an_amendment_rolls_no_die_of_another_line() {
    for amends in ["!amend roll 1d20+1", "!adv"] {
        let (rolls, edited) = (say(1, "!roll 1d20\n!roll 1d20"), edit(3, 2, "!r d100"));
        holds(Kind::Matrix, &[Act::Heal, rolls, Act::Pass(1), say(2, amends), Act::Pass(1), edited]);
    }
}

#[test]
fn what_vanishes_with_the_last_shortcut_is_in_the_journal() {
    let undone = ["!undo", "!undo", "!undo #3", "!undo #2", "!set str 3", "!undo", "!redo"];
    let lines = ["!macro hit roll 1d20+$1", "!set dc 15"].into_iter().chain(undone);
    let acts = (1..).zip(lines).flat_map(|(number, text)| [say(number, text), Act::Pass(1)]);
    let acts: Vec<Act> = std::iter::once(Act::Heal).chain(acts).collect();
    holds(Kind::Matrix, &acts);
}

#[test]
fn it_may_not_be_said_that_a_message_was_passed_over_if_the_bot_ends_again_and_again() {
    let crashes = std::iter::repeat_n(Act::Crash, 20);
    let acts: Vec<Act> = std::iter::once(say(1, "!roll 1d6 # t1t")).chain(crashes).collect();
    holds_within(7, Kind::Doubtful, &acts);
}

#[test]
fn what_was_taken_back_is_not_amended() {
    let redact = Act::Redact(line(2, 1, ""), "m1".to_owned());
    for kind in [Kind::Doubtful, Kind::Matrix] {
        let amends = say(3, "!amend roll 1d20+1");
        holds(kind, &[Act::Heal, say(1, "!roll 1d20 # t1t"), Act::Pass(1), redact.clone(), Act::Pass(1), amends]);
    }
}

#[test]
fn who_amends_anothers_words_and_takes_that_back_erases_only_their_own() {
    let adds = Act::Say(line(2, 3, "!add #1 +1"));
    let redact = Act::Redact(line(3, 3, ""), "m2".to_owned());
    holds(Kind::Matrix, &[Act::Heal, say(1, "!roll 1d20 # t1t"), Act::Pass(1), adds, Act::Pass(1), redact]);
}

#[test]
fn nothing_tells_what_an_amendment_said_that_was_taken_back() {
    let redact = Act::Redact(line(3, 1, ""), "m2".to_owned());
    let amends = say(2, "!amend roll 1d20+1");
    holds(Kind::Matrix, &[Act::Heal, say(1, "!roll 1d20 # t1t"), Act::Pass(1), amends, Act::Pass(1), redact]);
}

#[test]
fn the_same_seed_gives_the_same_log() {
    for seed in [1, 2, 3] {
        let (first, second) = (run(&Script::new(seed)), run(&Script::new(seed)));
        assert!(first.log == second.log && first.log.len() > 50);
    }
}
