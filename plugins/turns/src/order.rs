//! The turn order: who is in it, whose turn it is, and what comes next. It knows no names, words or dice.

use plugin_api::CharacterId;
use plugin_api::piece::{self, Acting, Group, TurnOrder};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;

/// How turns follow each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Mode {
    /// One after the other, the highest number first.
    #[default]
    Listed,
    /// The heroes as a block, then the opposition.
    Sides,
    /// Whoever acts names the next.
    Free,
}

/// A side of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Side {
    Heroes,
    Opposition,
}

/// Somebody in the order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Place {
    who: CharacterId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<i32>,
}

/// The order of turns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Order {
    #[serde(default)]
    mode: Mode,
    /// The round, from 1; 0 before the first.
    #[serde(default)]
    round: u32,
    #[serde(default)]
    places: Vec<Place>,
    /// Whose turn it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    current: Option<CharacterId>,
    /// Which side's turn it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    side: Option<Side>,
    /// Which side acts first, if a card says that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    first: Option<Side>,
    /// Which side goes first of those with the same number; without one, whoever came first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ties: Option<Side>,
    /// Who has acted this round.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    acted: BTreeSet<CharacterId>,
    /// Who waits with their turn.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    delayed: BTreeSet<CharacterId>,
}

/// What begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Begins {
    /// Somebody's turn.
    Turn(CharacterId),
    /// A side's.
    Side(Side),
    /// With a free order, somebody must be named.
    Choice,
}

impl Order {
    pub fn mode(&self) -> Mode {
        self.mode
    }

    pub fn round(&self) -> u32 {
        self.round
    }

    pub fn current(&self) -> Option<CharacterId> {
        self.current
    }

    pub fn side(&self) -> Option<Side> {
        self.side
    }

    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    pub fn len(&self) -> usize {
        self.places.len()
    }

    pub fn has(&self, who: CharacterId) -> bool {
        self.places.iter().any(|place| place.who == who)
    }

    pub fn has_acted(&self, who: CharacterId) -> bool {
        self.acted.contains(&who)
    }

    pub fn is_delayed(&self, who: CharacterId) -> bool {
        self.delayed.contains(&who)
    }

    /// True if the turn of somebody in the order is still to come in this round.
    pub fn is_to_come(&self, who: CharacterId) -> bool {
        let at = |who| self.places.iter().position(|place| Some(place.who) == who);
        match self.mode {
            Mode::Listed => self.delayed.contains(&who) || self.current.is_none() || at(Some(who)) > at(self.current),
            Mode::Sides | Mode::Free => !self.acted.contains(&who),
        }
    }

    /// Everyone in it with their number, in order.
    pub fn all(&self) -> impl Iterator<Item = (CharacterId, Option<i32>)> {
        self.places.iter().map(|place| (place.who, place.value))
    }

    /// Puts somebody in, after everyone with a higher number, and with the same unless ties say otherwise; without a
    /// number, at the end.
    pub fn enter(&mut self, who: CharacterId, value: Option<i32>, opposes: &dyn Fn(CharacterId) -> bool) {
        self.places.retain(|place| place.who != who);
        let goes_first = |who| self.ties.is_some_and(|first| opposes(who) == (first == Side::Opposition));
        let behind =
            |place: &Place| place.value < value || place.value == value && goes_first(who) && !goes_first(place.who);
        let at = self.places.iter().position(|place| value.is_some() && behind(place)).unwrap_or(self.places.len());
        self.places.insert(at, Place { who, value });
    }

    /// Says which side goes first of those with the same number, and sorts those who are in by it.
    pub fn tie(&mut self, first: Option<Side>, opposes: &dyn Fn(CharacterId) -> bool) {
        self.ties = first;
        if self.round == 0 {
            for Place { who, value } in std::mem::take(&mut self.places) {
                self.enter(who, value, opposes);
            }
        }
    }

    /// Which side goes first of those with the same number.
    pub fn ties(&self) -> Option<Side> {
        self.ties
    }

    /// Takes somebody out. If it was their turn, it goes back to whoever acted before them, so that the next turn is
    /// right.
    pub fn leave(&mut self, who: CharacterId) {
        if self.current == Some(who) {
            let at = self.places.iter().position(|place| place.who == who).unwrap_or_default();
            self.current = at.checked_sub(1).map(|before| self.places[before].who);
        }
        self.places.retain(|place| place.who != who);
        self.acted.remove(&who);
        self.delayed.remove(&who);
        if self.places.is_empty() {
            *self = Order { mode: self.mode, ties: self.ties, ..Order::default() };
        }
    }

    /// Sets how turns follow each other. A round that runs begins again.
    pub fn follow(&mut self, mode: Mode) {
        let places = std::mem::take(&mut self.places);
        *self = Order { mode, round: self.round, places, ties: self.ties, ..Order::default() };
    }

    /// Ends it. What was said about ties stays.
    pub fn clear(&mut self) {
        *self = Order { ties: self.ties, ..Order::default() };
    }

    /// Begins the turn of somebody in the order. Whoever had the turn has acted.
    pub fn begin(&mut self, who: CharacterId) {
        self.acted.extend(self.current.filter(|current| *current != who));
        self.round = self.round.max(1);
        self.delayed.remove(&who);
        self.acted.remove(&who);
        self.current = Some(who);
    }

    /// Goes on to what comes next in an order that is not empty; `here` tells who is at the table, `opposes` who is the
    /// opposition.
    pub fn next(&mut self, here: &dyn Fn(CharacterId) -> bool, opposes: &dyn Fn(CharacterId) -> bool) -> Begins {
        match self.mode {
            Mode::Listed => self.next_listed(here),
            Mode::Sides => Begins::Side(self.next_side(opposes)),
            Mode::Free => {
                self.acted.extend(self.current.take());
                let open = self.places.iter().any(|place| here(place.who) && !self.acted.contains(&place.who));
                if !open || self.round == 0 {
                    self.new_round();
                }
                Begins::Choice
            }
        }
    }

    fn next_listed(&mut self, here: &dyn Fn(CharacterId) -> bool) -> Begins {
        let at = self.current.and_then(|who| self.places.iter().position(|place| place.who == who));
        let may = |place: &&Place| here(place.who) && !self.delayed.contains(&place.who);
        let later = self.places.iter().skip(at.map_or(0, |at| at + 1)).find(may).filter(|_| self.round > 0);
        let who = match later {
            Some(place) => place.who,
            None => {
                // Whoever still waits when the round is over acts in their place again.
                let first = self.places.iter().find(|place| here(place.who)).unwrap_or(&self.places[0]).who;
                self.new_round();
                first
            }
        };
        self.begin(who);
        Begins::Turn(who)
    }

    /// Who comes after the one whose turn it is, in this round.
    pub fn after(&self, here: &dyn Fn(CharacterId) -> bool) -> Option<CharacterId> {
        let at = self.places.iter().position(|place| Some(place.who) == self.current)?;
        let may = |place: &&Place| here(place.who) && !self.delayed.contains(&place.who);
        self.places[at + 1..].iter().find(may).map(|place| place.who).filter(|_| self.mode == Mode::Listed)
    }

    fn next_side(&mut self, opposes: &dyn Fn(CharacterId) -> bool) -> Side {
        let [first, second] = self.sides();
        let then = match self.ends_round(opposes) {
            false => second,
            true => {
                let first = if self.has_side(first, opposes) { first } else { second };
                self.new_round();
                first
            }
        };
        self.side = Some(then);
        then
    }

    /// The sides in the order in which they act.
    fn sides(&self) -> [Side; 2] {
        match self.first {
            Some(Side::Opposition) => [Side::Opposition, Side::Heroes],
            Some(Side::Heroes) | None => [Side::Heroes, Side::Opposition],
        }
    }

    fn has_side(&self, side: Side, opposes: &dyn Fn(CharacterId) -> bool) -> bool {
        self.places.iter().any(|place| opposes(place.who) == (side == Side::Opposition))
    }

    /// True if a new round begins when the side that acts now has.
    pub fn ends_round(&self, opposes: &dyn Fn(CharacterId) -> bool) -> bool {
        let [first, second] = self.sides();
        self.side != Some(first) || !self.has_side(second, opposes)
    }

    /// Lets this side act first in the round that begins next.
    pub fn begin_with(&mut self, side: Option<Side>) {
        (self.first, self.side) = (side, None);
    }

    /// Ends the round, so that what comes next is a new one.
    pub fn end_round(&mut self) {
        self.current = self.places.last().map(|place| place.who);
        self.side = None;
        self.acted = self.places.iter().map(|place| place.who).collect();
    }

    fn new_round(&mut self) {
        self.round = self.round.saturating_add(1);
        (self.current, self.side) = (None, None);
        self.acted.clear();
        self.delayed.clear();
    }

    /// Marks somebody as having acted. Returns true if their side has.
    pub fn act(
        &mut self,
        who: CharacterId,
        here: &dyn Fn(CharacterId) -> bool,
        of_side: &dyn Fn(CharacterId) -> bool,
    ) -> bool {
        self.acted.insert(who);
        let open = |place: &Place| here(place.who) && of_side(place.who) && !self.acted.contains(&place.who);
        !self.places.iter().any(open)
    }

    /// Lets whoever has the turn wait.
    pub fn delay(&mut self, who: CharacterId) {
        self.delayed.insert(who);
    }

    /// Gives the turn to somebody who waited. From now on their place is right after whoever has the turn.
    pub fn come_in(&mut self, who: CharacterId) {
        let Some(at) = self.places.iter().position(|place| place.who == who) else { return };
        let place = self.places.remove(at);
        let current = self.current.and_then(|who| self.places.iter().position(|place| place.who == who));
        // The number would put them where they were.
        let value = current.and_then(|at| self.places[at].value).or(place.value);
        let to = current.map_or(0, |at| at + 1).min(self.places.len());
        self.places.insert(to, Place { value, ..place });
        self.begin(who);
    }

    /// A change of the order in words: whose turn it is, or which round.
    pub fn told(place: &[&str], after: Option<&Value>, named: &dyn Fn(CharacterId) -> String) -> String {
        let number = after.and_then(Value::as_u64);
        match (place, number) {
            (["current"], Some(who)) => format!("it is {}'s turn", named(CharacterId(who as u32))),
            (["ties"], _) => match after.and_then(Value::as_str) {
                Some(side) => format!("of equal numbers the {side} go first"),
                None => "of equal numbers whoever came first goes first".to_owned(),
            },
            (["round"], Some(round)) if round > 0 => format!("round {round}"),
            (["side"], _) => after.and_then(Value::as_str).map(|side| format!("the {side} act")).unwrap_or_default(),
            _ => String::new(),
        }
    }

    /// The order as others see it; nothing if there is none.
    pub fn shown(
        &self,
        named: &dyn Fn(CharacterId) -> String,
        opposes: &dyn Fn(CharacterId) -> bool,
    ) -> Option<TurnOrder> {
        if self.places.is_empty() {
            return None;
        }
        let each = |(who, value): (CharacterId, Option<i32>)| {
            let state = match () {
                () if self.current == Some(who) => Acting::Now,
                () if self.delayed.contains(&who) => Acting::Waits,
                () if self.acted.contains(&who) && self.mode != Mode::Listed => Acting::Done,
                () => Acting::Listed,
            };
            piece::Place { who, name: named(who), value, state }
        };
        let group = |side: Option<Side>| {
            let of = self.all().filter(|(who, _)| side.is_none_or(|side| opposes(*who) == (side == Side::Opposition)));
            let acts = side.is_some() && self.side == side;
            Group { side: side.map(Side::name), acts, places: of.map(each).collect() }
        };
        let sides = if self.mode == Mode::Sides { self.sides().map(Some).to_vec() } else { vec![None] };
        let groups = sides.into_iter().map(group).filter(|group| !group.places.is_empty()).collect();
        Some(TurnOrder { round: self.round, groups })
    }
}

impl Side {
    pub fn name(self) -> &'static str {
        match self {
            Side::Heroes => "heroes",
            Side::Opposition => "opposition",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANN: CharacterId = CharacterId(1);
    const BOB: CharacterId = CharacterId(2);
    const OGRE: CharacterId = CharacterId(3);

    fn order() -> Order {
        let mut order = Order::default();
        [(ANN, 17), (OGRE, 9), (BOB, 12)]
            .into_iter()
            .for_each(|(who, value)| order.enter(who, Some(value), &|_| false));
        order
    }

    fn next(order: &mut Order) -> Begins {
        order.next(&|_| true, &|who| who == OGRE)
    }

    #[test]
    fn the_highest_number_acts_first_and_equal_ones_as_they_came() {
        let mut order = order();
        order.enter(CharacterId(4), Some(12), &|_| false);
        order.enter(CharacterId(5), None, &|_| false);
        let ids: Vec<u32> = order.all().map(|(who, _)| who.0).collect();
        assert_eq!(ids, [1, 2, 4, 3, 5]);
    }

    #[test]
    fn of_equal_numbers_the_side_goes_first_that_ties_say() {
        let opposes = |who| who == OGRE;
        for (first, expected) in
            [(None, [1, 3, 2]), (Some(Side::Heroes), [1, 2, 3]), (Some(Side::Opposition), [3, 1, 2])]
        {
            let mut order = Order::default();
            [ANN, OGRE].into_iter().for_each(|who| order.enter(who, Some(12), &opposes));
            order.tie(first, &opposes);
            order.enter(BOB, Some(12), &opposes);
            assert_eq!(order.all().map(|(who, _)| who.0).collect::<Vec<_>>(), expected, "{first:?}");
            order.clear();
            assert_eq!(order.ties(), first);
        }
    }

    #[test]
    fn a_round_ends_behind_the_last() {
        let mut order = order();
        let turns: Vec<_> = (0..4).map(|_| (next(&mut order), order.round())).collect();
        let turn = Begins::Turn;
        assert_eq!(turns, [(turn(ANN), 1), (turn(BOB), 1), (turn(OGRE), 1), (turn(ANN), 2)]);
    }

    #[test]
    fn whoever_leaves_on_their_turn_takes_no_turn_along() {
        let mut order = order();
        next(&mut order);
        order.leave(ANN);
        assert_eq!(next(&mut order), Begins::Turn(BOB));
        order.leave(BOB);
        assert_eq!(next(&mut order), Begins::Turn(OGRE));
        assert_eq!(order.round(), 1, "it goes on in the same round");
    }

    #[test]
    fn whoever_waits_acts_when_they_want_to_and_keeps_that_place() {
        let mut order = order();
        next(&mut order);
        order.delay(ANN);
        assert_eq!(next(&mut order), Begins::Turn(BOB));
        order.come_in(ANN);
        assert_eq!(order.current(), Some(ANN));
        assert_eq!(next(&mut order), Begins::Turn(OGRE));
        assert_eq!(next(&mut order), Begins::Turn(BOB), "round 2 begins with Bob, since Ann acts after him now");
    }

    #[test]
    fn nobody_who_is_away_gets_a_turn() {
        let mut order = order();
        let here = |who| who != BOB;
        assert_eq!(order.next(&here, &|_| false), Begins::Turn(ANN));
        assert_eq!(order.next(&here, &|_| false), Begins::Turn(OGRE));
    }

    #[test]
    fn sides_take_turns_as_blocks() {
        let mut order = order();
        order.follow(Mode::Sides);
        assert_eq!(next(&mut order), Begins::Side(Side::Heroes));
        let heroes = |who| who != OGRE;
        assert!(!order.act(ANN, &|_| true, &heroes));
        assert!(order.act(BOB, &|_| true, &heroes));
        assert_eq!(next(&mut order), Begins::Side(Side::Opposition));
        assert_eq!((next(&mut order), order.round()), (Begins::Side(Side::Heroes), 2));
    }
}
