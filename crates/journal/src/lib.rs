//! The journal of a table and how it is stored.
//!
//! There is an [`Entry`] for each command that rolled dice or changed something, in a hash chain that anyone can verify
//! ([`Verifier`], [`export`]). Next to it are the [`documents`] of tables and rooms, under their [`keys`]. The
//! [`store`] is a narrow trait, with a single writer, the [`committer`], and its [`backup`].
//!
//! This crate knows no command, no game and no network.

pub mod backup;
pub mod committer;
pub mod documents;
pub mod export;
pub mod keys;
pub mod moving;
pub mod schema;
pub mod store;

mod ahead;
mod audit;
mod change;
mod entropy;
mod entry;
mod last;
mod page;
mod place;
mod salt;
mod stored;
mod verify;

pub use ahead::Ahead;
pub use audit::{Audit, AuditError, audit};
pub use change::{Change, Changes, Touched, apply, diff, leaves, pointer};
pub use entropy::Entropy;
pub use entry::{
    Added, Before, Digests, Draft, Entry, FURTHEST_AHEAD, Fate, HOUSE, Link, MOST_IN_A_GROUP, MOST_LINES, OF_A_GROUP,
    OF_A_GROUP_WITH_DIGITS, Part, Parts, RULES, WITH_DIGITS, WITH_WITHHELD, WITHOUT_WITHHELD, bound, digest,
    first_hash, hex, line_and_place, ordinal, unhex,
};
pub use page::{ENDING, Page, UNCOUNTED};
pub use place::{Document, Place, words};
pub use verify::{Verifier, Wrong, seed_of};
