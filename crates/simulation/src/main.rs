//! The whole bot in one thread, simulated: networks, disk and crashes as a seed decides, and what must hold whatever happens.
//!
//! The core, its tasks and the committer are the program's own; around them stand a network ([`net`]), a disk ([`disk`]) and
//! time ([`ground`]) that do as the director ([`run`]) chooses. What people type is in [`players`], what must hold in
//! [`oracle`]. The same seed gives the same run, to the byte.
//!
//! It knows nothing of the protocols of networks and of the stores on real disks.

mod dice;
mod disk;
#[cfg(test)]
mod found;
mod ground;
mod log;
mod luck;
mod net;
mod options;
mod oracle;
mod players;
mod run;
mod script;
mod seeds;
mod shrink;

use options::Options;
use std::io::{self, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    match Options::read(std::env::args().skip(1)) {
        Ok(options) => seeds::run_all(&options, &mut io::stdout()).unwrap_or(ExitCode::FAILURE),
        Err(wrong) => {
            // Nobody may be reading.
            let _ = writeln!(io::stderr(), "simulation: {wrong}\n{}", options::USAGE);
            ExitCode::FAILURE
        }
    }
}
