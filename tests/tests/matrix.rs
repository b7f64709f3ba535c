//! The bot on Matrix: a real Synapse, people with clients of their own, and play through them.

#[path = "matrix/conformance.rs"]
mod conformance;
#[path = "matrix/speech.rs"]
mod speech;
#[path = "matrix/stage.rs"]
mod stage;
