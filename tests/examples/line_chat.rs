//! The program with one more kind of network: lines of text.

use std::process::ExitCode;

fn main() -> ExitCode {
    astragal::main(&[&tests::line_chat::Lines])
}
