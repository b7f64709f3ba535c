//! One stranger on IRC costs only themselves.
