//! Nobody on Matrix reads the secrets of others, stops others or makes answers vanish.

#[path = "matrix/alone.rs"]
mod alone;
#[path = "matrix/answers.rs"]
mod answers;
#[path = "matrix/invitations.rs"]
mod invitations;
#[path = "matrix/unread.rs"]
mod unread;
