//! The actions of a turn (Actions): a standard, a move and a quick one, as many free ones as the referee allows, and a
//! reaction in each turn.

use crate::state::State;
use plugin_api::{Choice, Refusal, Reply, Turn};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A kind of action.
#[derive(Choice, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An attack, a power.
    #[choice("standard", "std")]
    Standard,
    /// A move.
    Move,
    /// Something quick.
    Quick,
    /// Something that takes no time.
    Free,
    /// An answer to what happens.
    Reaction,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Kind::Standard => "standard",
            Kind::Move => "move",
            Kind::Quick => "quick",
            Kind::Free => "free",
            Kind::Reaction => "reaction",
        }
    }
}

/// `move action`.
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let action = if *self == Kind::Reaction { "" } else { " action" };
        write!(f, "{}{action}", self.word())
    }
}

/// The actions that a character took since their turn began.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Actions {
    /// Standard actions, those used for something quicker included.
    pub standard: u32,
    /// Standard actions that a Surge added.
    pub more: u32,
    /// True if the move action was taken.
    pub moved: bool,
    /// True if the quick action was taken.
    pub quick: bool,
    /// True if the reaction of the turn that is on, whoever's it is, was taken.
    pub reacted: bool,
}

impl Actions {
    /// True if none was taken and none added.
    pub fn is_new(&self) -> bool {
        *self == Actions::default()
    }

    /// Somebody's turn begins.
    pub fn turn_begins(&mut self) {
        self.reacted = false;
    }

    /// The character's own turn begins.
    pub fn own_turn_begins(&mut self) {
        *self = Actions::default();
    }

    fn standard_left(&self) -> u32 {
        (1 + self.more).saturating_sub(self.standard)
    }

    /// Takes an action, or one that may be exchanged for it. False if none is left.
    fn take(&mut self, kind: Kind) -> bool {
        match kind {
            Kind::Free => true,
            Kind::Reaction => !std::mem::replace(&mut self.reacted, true),
            Kind::Quick if !self.quick => !std::mem::replace(&mut self.quick, true),
            Kind::Quick | Kind::Move if !self.moved => !std::mem::replace(&mut self.moved, true),
            Kind::Quick | Kind::Move | Kind::Standard => {
                let left = self.standard_left() > 0;
                self.standard += u32::from(left);
                left
            }
        }
    }
}

/// What is left: `standard, move, reaction`.
impl fmt::Display for Actions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut left: Vec<String> = Vec::new();
        match self.standard_left() {
            0 => {}
            1 => left.push("standard".to_owned()),
            several => left.push(format!("{several} standard")),
        }
        let others = [("move", self.moved), ("quick", self.quick), ("reaction", self.reacted)];
        left.extend(others.into_iter().filter(|(_, taken)| !taken).map(|(name, _)| name.to_owned()));
        f.write_str(if left.is_empty() { "only free actions".to_owned() } else { left.join(", ") }.as_str())
    }
}

pub(crate) fn action(state: &mut State, turn: &Turn, kind: Option<Kind>) -> Result<Reply, Refusal> {
    let mut actions = state.held(turn.actor).actions;
    let Some(kind) = kind else {
        return Ok(Reply::from(format!("left this turn: {actions}")));
    };
    if !actions.take(kind) {
        let what = format!("your {kind} of this turn is taken; left: {actions}");
        return Err(Refusal::new(what).about(kind.word()).example("action"));
    }
    if state.held(turn.actor).actions != actions {
        state.of(turn.actor).actions = actions.clone();
    }
    let reply = Reply::new().bold(kind.to_string()).text(format!(", left: {actions}"));
    Ok(reply.fact("action", kind.word()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(kinds: &[Kind]) -> Option<String> {
        let mut actions = Actions::default();
        kinds.iter().all(|kind| actions.take(*kind)).then(|| actions.to_string())
    }

    #[test]
    fn a_slower_action_can_be_taken_for_a_quicker_one() {
        use Kind::{Free, Move, Quick, Reaction, Standard};
        assert_eq!(after(&[]).as_deref(), Some("standard, move, quick, reaction"));
        assert_eq!(after(&[Move, Move]).as_deref(), Some("quick, reaction"));
        assert_eq!(after(&[Quick, Quick, Quick, Free, Free]).as_deref(), Some("reaction"));
        assert_eq!(after(&[Standard, Move, Quick, Reaction]).as_deref(), Some("only free actions"));
        assert_eq!(after(&[Standard, Standard]), None);
        assert_eq!(after(&[Move, Standard, Move]), None);
        assert_eq!(after(&[Reaction, Reaction]), None);
    }

    #[test]
    fn a_reaction_comes_back_with_any_turn_and_the_rest_with_ones_own() {
        let mut actions = Actions { standard: 1, moved: true, reacted: true, ..Actions::default() };
        actions.turn_begins();
        assert_eq!(actions.to_string(), "quick, reaction");
        actions.own_turn_begins();
        assert!(actions.is_new());
    }
}
