//! Nobody on Matrix reads the secrets of others, stops others or makes answers vanish.

mod alone;
mod answers;
mod copies;
mod invitations;
mod unread;
