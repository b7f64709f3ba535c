//! The bot on Matrix: play through a real Synapse, by people with their own clients.

mod board;
mod conformance;
mod device;
mod evening;
mod foreign;
mod linked;
mod missed;
mod once;
mod operated;
mod rooms;
mod sessions;
mod speech;
mod weather;

use tests::matrix::stage;
