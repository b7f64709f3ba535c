//! The program with one more kind of network, which is this line.

use std::process::ExitCode;

fn main() -> ExitCode {
    astragal::main(&[&tests::line_chat::Lines])
}
