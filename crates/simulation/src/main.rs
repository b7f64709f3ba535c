//! The whole bot simulated in one thread, with networks, disk and crashes decided by a seed, and checks of what must
//! always hold.
//!
//! The core, its tasks and the committer are the real ones. Around them are a network ([`net`]), a disk ([`disk`]) and
//! time ([`ground`]) controlled by the director ([`run`]). What people type is in [`players`], and what must hold in
//! [`oracle`]. The same seed gives the same run, to the byte.
//!
//! It knows nothing about network protocols or stores on real disks.

mod dice;
mod disk;
#[cfg(test)]
mod found;
mod ground;
mod harbour;
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
