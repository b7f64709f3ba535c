//! A real homeserver for the end-to-end tests, people on it with their own clients, and a connection to it that can act
//! as a homeserver does on bad days.

mod foreign;
mod line;
mod person;
pub mod stage;
mod synapse;

pub use foreign::Foreigner;
pub use line::{BadLine, Weather};
pub use person::{Heard, Person, name};
pub use synapse::{Synapse, SynapseOptions};
