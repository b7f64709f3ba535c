//! Real IRC servers for the end-to-end tests, a second client that talks to the bot, and a server played by the test.
//!
//! Everything listens on 127.0.0.1 and blocks; async tests call it from a thread. Servers end with their owner, and
//! with the test program, however it ends.

mod certificates;
mod client;
mod inspircd;
mod message;
mod ngircd;
pub mod played;
mod scripted;
mod socks;
pub mod stage;

pub use certificates::Certificates;
pub use client::Client;
pub use inspircd::{Inspircd, InspircdOptions};
pub use message::{Message, plain};
pub use ngircd::{Ngircd, NgircdOptions};
pub use scripted::{Peer, Scripted};
pub use socks::Socks;
