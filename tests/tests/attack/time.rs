//! A clock or a sender's time that is wrong destroys nothing.
