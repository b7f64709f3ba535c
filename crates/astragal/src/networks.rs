//! The kinds of networks that this program knows; a new one is a line in the list.

mod first;
#[cfg(feature = "irc-network")]
pub mod irc;
mod kind;
#[cfg(feature = "matrix")]
pub mod matrix;
mod network;
mod without;

pub use first::{Answers, First, Password};
pub use kind::{Adopted, Kind, Names, OwnCommand, Run};
pub use network::{AnyKind, Kinds, Network, Networks};

use without::Without;

/// Every kind that this program is built with.
pub const KINDS: &[&dyn AnyKind] = &[
    #[cfg(feature = "irc-network")]
    &irc::Irc,
    #[cfg(feature = "matrix")]
    &matrix::Matrix,
];

/// The kinds that a program may be built without.
const OPTIONAL: &[Without] =
    &[Without { section: "irc", title: "IRC" }, Without { section: "matrix", title: "Matrix" }];

/// These kinds, and those that the program is built without: they are known, unlike kinds that do not exist.
pub fn known(kinds: &[&'static dyn AnyKind]) -> Kinds {
    let here = |section: &str| kinds.iter().any(|kind| kind.names().section == section);
    let without = OPTIONAL.iter().filter(|kind| !here(kind.section)).map(|kind| kind as &dyn AnyKind);
    kinds.iter().copied().chain(without).collect()
}
