//! An imported file is never believed.
