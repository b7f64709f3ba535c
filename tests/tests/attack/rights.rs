//! Nobody gets a right that was not given to them.
