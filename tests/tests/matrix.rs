//! The bot on Matrix: play through a real Synapse, by people with their own clients.

#[path = "matrix/board.rs"]
mod board;
#[path = "matrix/conformance.rs"]
mod conformance;
#[path = "matrix/device.rs"]
mod device;
#[path = "matrix/evening.rs"]
mod evening;
#[path = "matrix/foreign.rs"]
mod foreign;
#[path = "matrix/linked.rs"]
mod linked;
#[path = "matrix/missed.rs"]
mod missed;
#[path = "matrix/once.rs"]
mod once;
#[path = "matrix/rooms.rs"]
mod rooms;
#[path = "matrix/sessions.rs"]
mod sessions;
#[path = "matrix/speech.rs"]
mod speech;
#[path = "matrix/weather.rs"]
mod weather;

use tests::matrix::stage;
