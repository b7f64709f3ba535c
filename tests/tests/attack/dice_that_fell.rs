//! Nobody chooses their dice: every die that fell is an entry.
