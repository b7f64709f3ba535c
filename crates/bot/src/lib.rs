//! Running the bot: everything that happens between a network and the tables.
//!
//! A message is accepted (`desk`), waits in the queue of its table (`serve/queue`), is played there, made durable, and
//! answered (`serve/send`). All tasks are in this crate. The crate `table` decides what is played, and `journal` how it
//! is stored.

mod bot;
mod desk;
mod metric;
mod pace;
mod serve;
mod tidy;

pub use bot::Bot;
pub use metric::{ERRORS, count_from_nothing, describe_metrics};
pub use pace::{Held, LongWork, Pace, Step};
pub use serve::operator::{Ignoring, Operator, WORD as OPERATOR_WORD};
pub use serve::{GaveUp, ServeError, serve, survive};
pub use tidy::Sweep;
