//! What is told on purpose, though it comes from values that not everybody may see. This is the one list of it, and each
//! thing in it has its reason. Whatever else is computed from such a value is seen by those alone who may see the value.

use crate::saved::Taken;
use host::Host;
use host::trials::{OUTCOME, SUCCESS};

/// The named results of a roll against a hidden value that its answer keeps.
pub(crate) const ENDING: [&str; 2] = [SUCCESS, OUTCOME];

/// Values that say how somebody is, in every game.
const STATE: [&str; 9] = ["hp", "health", "hits", "life", "wounds", "shock", "stress", "damage", "harm"];

/// Something that is told on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// How a roll against a value ended, with its degrees and the harm that was done.
    Ending,
    /// What somebody does in the room: the dice and the bonus of `as Ogre act bite`, or a macro of theirs.
    Deed,
    /// Where somebody stands in the turn order.
    Place,
    /// A condition that the rules announce, and what a game counts in the open: wounds, stress, tokens.
    Condition,
}

impl Told {
    /// All of them.
    pub const ALL: [Told; 4] = [Told::Ending, Told::Deed, Told::Place, Told::Condition];

    /// Why it is told.
    pub fn why(self) -> &'static str {
        match self {
            Told::Ending => "whoever rolled goes on with that: they hit or miss, and somebody is hurt or is not",
            Told::Deed => {
                "the referee chose to roll it where everybody is, and the others roll and count against it; secret keeps it"
            }
            Told::Place => "everybody must know whose turn it is and who is next",
            Told::Condition => "everybody plays by it from then on",
        }
    }
}

/// Whether a value that is put into a line is part of a deed. What somebody's state is and what answers rolls against
/// them is none, whoever takes it for whatever: players try to find that out.
pub(crate) fn is_a_deed(host: &Host, taken: &Taken) -> bool {
    let answers = || host.plugins.manifests().flat_map(|manifest| &manifest.answers);
    let answers = |name: &String| answers().any(|rule| rule.names.contains(name));
    match taken {
        Taken::Macro => true,
        Taken::Counter(_) => false,
        Taken::Value(name) => !answers(name) && !STATE.contains(&name.as_str()),
    }
}
