//! A real homeserver for the end-to-end tests, people on it with a client of their own, and somebody on the line between
//! it and the bot who does what a homeserver does on its bad days.

mod foreign;
mod line;
mod person;
pub mod stage;
mod synapse;

pub use foreign::Foreigner;
pub use line::{BadLine, Weather};
pub use person::{Heard, Person, name};
pub use synapse::{Synapse, SynapseOptions};
