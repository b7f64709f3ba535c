//! The bot on real servers, IRC networks and Matrix homeservers, and what strangers may try there.

mod evening;
mod irc;
mod matrix;

/// Attacks that need a network.
mod attack {
    mod irc;
    mod matrix;
}
