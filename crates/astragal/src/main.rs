//! The bot, on the kinds of networks that it is built with.

use std::process::ExitCode;

/// Answers are made on one thread, written down on another and said on a third, which the system's allocator is slow at.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    astragal::main(astragal::KINDS)
}
