//! Nobody reads a secret that is not theirs.
