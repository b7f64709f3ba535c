//! What a table's journal is, and how it is kept.
//!
//! An [`Entry`] for each command that threw dice or changed something, in a hash chain that anybody can verify
//! ([`Verifier`], [`export`]); what is kept beside it of tables and rooms ([`documents`]), under which [`keys`]; the
//! narrow trait of a [`store`], its one writer, the [`committer`], and its [`backup`].
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

pub use audit::{Audit, AuditError, audit};
pub use change::{Change, Changes, Touched, apply, diff, leaves, pointer};
pub use entropy::Entropy;
pub use entry::{
    Added, Before, Digests, Draft, Entry, FURTHEST_AHEAD, Fate, HOUSE, Link, MOST_IN_A_GROUP, MOST_LINES, OF_A_GROUP,
    Part, Parts, RULES, WITH_WITHHELD, WITHOUT_WITHHELD, bound, digest, first_hash, hex, line_and_place, ordinal,
    unhex,
};
pub use page::Page;
pub use place::{Document, Place, words};
pub use verify::{Verifier, Wrong, seed_of};
