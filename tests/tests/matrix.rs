//! The bot on Matrix: a real Synapse, people with clients of their own, and play through them.

#[path = "matrix/conformance.rs"]
mod conformance;
#[path = "matrix/device.rs"]
mod device;
#[path = "matrix/evening.rs"]
mod evening;
#[path = "matrix/foreign.rs"]
mod foreign;
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
