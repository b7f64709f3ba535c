//! Words that were erased are gone from everywhere.
