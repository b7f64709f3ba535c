//! An edit is the author's own, of a message the bot knows.
