//! The same where rooms share tables: what they do in one moment, and what is taken back of a room's own table.

use super::{line, passes, script};
use crate::net::Kind;
use crate::players::Wants;
use crate::script::{ADMIN, ATTACKER, Act, Saying, Script};

/// The number of orders in which each script is played.
const ORDERS: u64 = 10;

/// Long enough for what was said to be played and answered.
const PLAYED: usize = 200;
/// Short enough for what is said next to be heard before that.
const AT_ONCE: usize = 4;

/// The room's admin says something in a room of the first network.
fn at(number: usize, room: usize, text: &str) -> Act {
    Act::Say(Saying { room: Some(room), wants: Wants::default(), ..line(number, ADMIN, text) })
}

/// Somebody says something to the bot alone.
fn alone(number: usize, who: usize, text: &str) -> Act {
    Act::Say(Saying { room: None, wants: Wants::default(), ..line(number, who, text) })
}

/// Plays these acts in many orders: the first ones at leisure, the others in one moment.
fn holds(kind: Kind, rooms: usize, first: &[Act], at_once: &[Act]) {
    for order in 0..ORDERS {
        let first = first.iter().map(|act| (act.clone(), PLAYED));
        let acts = first.chain(at_once.iter().map(|act| (act.clone(), AT_ONCE)));
        passes(&Script { nets: vec![(kind, rooms)], linked: true, ..script(order, acts) });
    }
}

#[test]
fn rooms_that_type_one_word_at_once_use_it_once() {
    for (gives, types) in [("!link", "!link WORD really"), ("!export move", "!import WORD really")] {
        let typed: Vec<Act> = (1..6).map(|room| at(10 + room, room, types)).collect();
        holds(Kind::Matrix, 6, &[Act::Heal, at(1, 0, "!gm me"), at(2, 0, gives)], &typed);
    }
}

#[test]
fn rooms_that_sit_down_at_once_are_no_more_than_a_table_has_seats_for() {
    let given = (0..10).map(|number| at(10 + number, 0, "!link another"));
    let first: Vec<Act> = [Act::Heal, at(1, 0, "!gm me")].into_iter().chain(given).collect();
    let typed: Vec<Act> = (0..10).map(|back| at(30 + back, 1 + back, &format!("!link WORD{back} really"))).collect();
    holds(Kind::Matrix, 11, &first, &typed);
}

#[test]
fn two_rooms_that_link_to_each_other_at_once_swap_nothing() {
    let first = [Act::Heal, at(1, 0, "!gm me"), at(2, 1, "!gm me"), at(3, 0, "!link"), at(4, 1, "!link")];
    holds(Kind::Matrix, 2, &first, &[at(5, 0, "!link WORD really"), at(6, 1, "!link WORD1 really")]);
}

#[test]
fn two_accounts_that_type_one_word_at_once_use_it_once() {
    let typed = [ADMIN, ATTACKER].map(|who| alone(10 + who, who, "me link WORD really"));
    holds(Kind::Matrix, 1, &[Act::Heal, alone(1, 1, "me link")], &typed);
}

#[test]
fn words_at_the_own_table_of_a_room_are_erased_while_it_plays_at_another() {
    let roll = Act::Say(Saying { room: Some(1), ..line(3, 1, "!roll 1d6 # t3t") });
    let redact = Act::Redact(Saying { room: Some(1), ..line(5, 1, "") }, "m3".to_owned());
    let first = [Act::Heal, at(1, 0, "!gm me"), at(2, 0, "!link"), roll, at(4, 1, "!link WORD really")];
    holds(Kind::Matrix, 2, &first, &[redact]);
}

#[test]
fn what_is_due_is_carried_out_in_a_room_where_nobody_spoke_yet() {
    let links = [Act::Heal, at(1, 0, "!gm me"), at(2, 0, "!link"), at(3, 1, "!link WORD really")];
    let leaves = [at(4, 0, "!remind 2m the spy"), at(5, 0, "!unlink really")];
    holds(Kind::Matrix, 2, &links, &leaves);
}

#[test]
fn what_became_due_where_no_room_played_is_carried_out_when_a_room_comes_back() {
    let first = [Act::Heal, at(1, 0, "!gm me"), at(2, 0, "!remind 2m the spy"), at(3, 1, "!roll d6")];
    let leaves = [at(4, 1, "!gm me"), at(5, 1, "!export move"), at(6, 0, "!import WORD really")];
    for away in [121_000, 600_000] {
        let back = [Act::Pass(away), at(7, 0, "!import back really"), Act::Pass(600_000)];
        holds(Kind::Matrix, 2, &[&first[..], &leaves].concat(), &back);
    }
}
