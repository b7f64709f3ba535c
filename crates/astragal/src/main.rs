//! The bot, on the kinds of networks that it is built with.

use std::process::ExitCode;

fn main() -> ExitCode {
    astragal::main(astragal::KINDS)
}
