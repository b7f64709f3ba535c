//! A failed write never happened, and what happened is never called failed.
