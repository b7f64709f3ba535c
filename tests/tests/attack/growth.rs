//! Nothing grows for ever, and no player fills the disk.
