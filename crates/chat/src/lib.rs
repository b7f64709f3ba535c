//! The vocabulary shared by transports, the core and games: who speaks ([`Speaker`]), for whom ([`CharacterId`]), as
//! what ([`Role`]), where ([`RoomId`]), what comes in ([`Message`], [`Event`]), what goes out ([`Reply`], [`Post`]),
//! and the trait [`Transport`] between them.
//!
//! This crate knows no network, no game and no storage, and makes no decisions about anybody's role.

pub mod conformance;

mod clock;
mod erased;
mod fake;
mod message;
pub mod pattern;
mod people;
mod permit;
mod picture;
mod reply;
mod secret;
mod seen;
mod status;
mod terminal;
mod text;
mod transport;
mod typography;

pub use clock::{Clock, SystemClock};
pub use erased::{Erased, GONE};
pub use fake::Fake;
pub use message::{Delivery, Event, Message};
pub use people::{CharacterId, Moment, PlayerId, Role, RoomId, Speaker, Standing, Trust};
pub use permit::Permit;
pub use picture::{Card, Dial, Picture};
pub use reply::{Bar, Block, Chance, File, Line, Offer, OfferKind, Offered, OfferedTo, Readers, Reply, Span, drawn};
pub use secret::Secret;
pub use seen::Seen;
pub use status::{AwaitedRoom, RoomStatus, Status};
pub use terminal::Terminal;
pub use text::{clean, cut, html, is_unseen, markdown};
pub use transport::{
    Desk, DeskError, Earlier, Edits, Guarantees, Post, Recipient, Repeated, Saying, SendError, Sent, Told, Transport,
    TransportError, Unaccepted, What,
};
pub use typography::as_meant;
