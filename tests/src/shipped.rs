//! The programs that users build: release builds with the features of their choice, in a directory apart from what tests are
//! built in, so that nothing is in them that only tests switch on.

use crate::cargo;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// A program that users build.
#[derive(Debug)]
pub struct Build {
    /// What it is called here.
    pub name: &'static str,
    /// What is typed behind `cargo build --release`.
    pub chosen: &'static [&'static str],
}

/// All of them: the guides name no others.
pub const BUILDS: [Build; 2] = [
    Build { name: "irc", chosen: &["--package", "astragal", "--no-default-features", "--features", "irc"] },
    Build { name: "full", chosen: &["--package", "astragal"] },
];

impl Build {
    /// The program, built once a test run from the sources as they are.
    pub fn program(&self) -> PathBuf {
        PROGRAMS.join(self.name).join("astragal")
    }
}

/// The program as most users have it.
pub fn full() -> PathBuf {
    let [_, full] = &BUILDS;
    full.program()
}

/// Where they stand, each in a directory of its name. They share the directory that they are built in: what both need with
/// the same features is built once.
static PROGRAMS: LazyLock<PathBuf> = LazyLock::new(|| {
    let this = std::env::current_exe().expect("a test knows itself");
    let target = this.ancestors().nth(3).expect("target/PROFILE/deps").join("shipped");
    fs::create_dir_all(&target).expect("it can be made");
    // Test programs that run side by side do not take each other's for their own.
    let lock = File::create(target.join("lock")).expect("it can be made");
    lock.lock().expect("files can be locked");
    BUILDS.iter().for_each(|build| make(build, &target));
    target
});

fn make(build: &Build, target: &Path) {
    let mut command = cargo();
    command.args(["build", "--quiet", "--locked", "--release", "--target-dir"]).arg(target).args(build.chosen);
    assert!(command.status().expect("cargo runs").success(), "{build:?} does not build");
    let place = target.join(build.name);
    fs::create_dir_all(&place).expect("it can be made");
    // One that runs cannot be written to, but replaced.
    let part = place.join("astragal.part");
    fs::copy(target.join("release/astragal"), &part).expect("it was built");
    fs::rename(&part, place.join("astragal")).expect("it has one place");
}
