//! The programs that users build: release builds with the features of their choice. They have a target directory apart
//! from that of the tests, so that they contain nothing that only tests switch on.

use crate::cargo;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// A program that users build.
#[derive(Debug)]
pub struct Build {
    /// Its name in the tests.
    pub name: &'static str,
    /// The arguments after `cargo build --release`.
    pub chosen: &'static [&'static str],
}

/// All of them: the guides mention no others. Tests of what a build does use [`built`].
pub const BUILDS: [Build; 3] = [
    Build { name: "irc", chosen: &["--package", "astragal", "--no-default-features", "--features", "irc"] },
    Build { name: "full", chosen: &["--package", "astragal"] },
    Build { name: "postgres", chosen: &["--package", "astragal", "--features", "postgres"] },
];

impl Build {
    /// The program, built once per test run from the current sources.
    pub fn program(&self) -> PathBuf {
        PROGRAMS.join(self.name).join("astragal")
    }
}

/// Those that this run builds: all but the one without Matrix, which `tests/run --long` builds too.
pub fn built() -> &'static [Build] {
    static BUILT: LazyLock<usize> = LazyLock::new(|| usize::from(std::env::var_os("ASTRAGAL_BUILDS").is_none()));
    &BUILDS[*BUILT..]
}

/// The program that most users have.
pub fn full() -> PathBuf {
    let [_, full, _] = &BUILDS;
    full.program()
}

/// The program whose store may be on PostgreSQL, or the one that `ASTRAGAL_WITH_POSTGRES` names.
pub fn with_postgres() -> PathBuf {
    let [.., with] = &BUILDS;
    std::env::var_os("ASTRAGAL_WITH_POSTGRES").map_or_else(|| with.program(), Into::into)
}

/// The directory with the programs, each in a folder of its name. They share a target directory, so that what both need
/// with the same features is built once.
static PROGRAMS: LazyLock<PathBuf> = LazyLock::new(|| {
    let this = std::env::current_exe().expect("a test knows itself");
    let target = this.ancestors().nth(3).expect("target/PROFILE/deps").join("shipped");
    fs::create_dir_all(&target).expect("it can be made");
    // Test programs that run at the same time must not replace each other's builds.
    let lock = File::create(target.join("lock")).expect("it can be made");
    lock.lock().expect("files can be locked");
    built().iter().for_each(|build| make(build, &target));
    target
});

fn make(build: &Build, target: &Path) {
    let mut command = cargo();
    command.args(["build", "--quiet", "--locked", "--release", "--target-dir"]).arg(target).args(build.chosen);
    assert!(command.status().expect("cargo runs").success(), "{build:?} does not build");
    let place = target.join(build.name);
    fs::create_dir_all(&place).expect("it can be made");
    // A running program cannot be overwritten, but it can be replaced.
    let part = place.join("astragal.part");
    fs::copy(target.join("release/astragal"), &part).expect("it was built");
    fs::rename(&part, place.join("astragal")).expect("it has one place");
}
