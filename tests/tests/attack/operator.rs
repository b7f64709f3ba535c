//! The operator's files and configuration are handled with care.
