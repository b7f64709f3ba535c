//! The bot on real servers, IRC networks and Matrix homeservers, and what strangers may try there; its store on PostgreSQL.

mod evening;
mod irc;
mod matrix;
mod postgres;

/// Attacks that need a network.
mod attack {
    mod irc;
    mod matrix;
}
