//! No hidden character passes, and no sign is taken for a prefix that cannot be one.
