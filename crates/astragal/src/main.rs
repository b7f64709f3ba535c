//! The bot, with the kinds of networks it is built with.

use std::process::ExitCode;

/// Answers are made on one thread, written to disk on another and said on a third; the system's allocator is slow at
/// that.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    astragal::main(astragal::KINDS)
}
