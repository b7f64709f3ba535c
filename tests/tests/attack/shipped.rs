//! What is in the programs that users build is listed, and nothing in them needs what only tests switch on.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A program that users build.
struct Build {
    /// What it is called here.
    name: &'static str,
    /// What is typed behind `cargo build --release`.
    chosen: &'static [&'static str],
}

/// All of them: the guides name no others.
const BUILDS: [Build; 2] = [
    Build { name: "irc", chosen: &["--package", "astragal", "--no-default-features", "--features", "irc"] },
    Build { name: "full", chosen: &["--package", "astragal"] },
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ is in the workspace").to_owned()
}

/// The packages of a build on Linux, each with its features.
fn packages(arguments: &[&str]) -> BTreeMap<String, BTreeSet<String>> {
    let mut command = tests::cargo();
    command.args([
        "tree",
        "--locked",
        "--target",
        "x86_64-unknown-linux-gnu",
        "--prefix",
        "none",
        "--format",
        "{p}|{f}",
    ]);
    let output = command.args(arguments).output().expect("a step of the test works");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut packages = BTreeMap::<String, BTreeSet<String>>::new();
    for line in
        String::from_utf8(output.stdout).expect("a step of the test works").lines().filter(|line| !line.is_empty())
    {
        let (package, features) = line.trim_end_matches(" (*)").split_once('|').expect("both are asked for");
        // A major version may be there beside another; patches come and go.
        let mut words = package.split(' ');
        let (name, version) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let series = version.trim_start_matches('v').split('.').take(2).collect::<Vec<_>>().join(".");
        let found = packages.entry(format!("{name} {series}")).or_default();
        found.extend(features.split(',').filter(|feature| !feature.is_empty()).map(str::to_owned));
    }
    packages
}

/// Compares a list with the one that is checked in, or writes it.
#[track_caller]
fn is_listed(name: &str, packages: &BTreeMap<String, BTreeSet<String>>) {
    let line = |(package, features): (&String, &BTreeSet<String>)| {
        let features: Vec<&str> = features.iter().map(String::as_str).collect();
        format!("{package}: {}", features.join(" ")).trim_end().to_owned() + "\n"
    };
    let list: String = packages.iter().map(line).collect();
    let file = root().join("tests/golden").join(name);
    if std::env::var_os("ASTRAGAL_WRITE").is_some() {
        fs::File::create(&file)
            .expect("a step of the test works")
            .write_all(list.as_bytes())
            .expect("a step of the test works");
    }
    let listed = fs::read_to_string(&file).unwrap_or_default();
    let (old, new): (BTreeSet<&str>, BTreeSet<&str>) = (listed.lines().collect(), list.lines().collect());
    assert!(
        listed == list,
        "{name} has {:?}, and there is {:?}: if that is meant, ASTRAGAL_WRITE=1 cargo test --test attack shipped writes it anew",
        old.difference(&new).collect::<Vec<_>>(),
        new.difference(&old).collect::<Vec<_>>()
    );
}

#[test]
fn the_features_of_what_users_build_are_listed_and_so_is_what_only_tests_switch_on() {
    let kinds = ["--edges", "normal,build"];
    let shipped: Vec<_> = BUILDS.iter().map(|build| packages(&[&kinds[..], build.chosen].concat())).collect();
    for (build, packages) in BUILDS.iter().zip(&shipped) {
        is_listed(&format!("features-{}.txt", build.name), packages);
    }
    // Of what is in a program of a user's: what it can do in tests alone, and nothing may need.
    let [_, full] = &shipped[..] else { panic!("two builds") };
    let mut only_tests = packages(&["--workspace", "--edges", "normal,build,dev"]);
    only_tests.retain(|name, features| {
        let there = full.get(name);
        features.retain(|feature| there.is_some_and(|there| !there.contains(feature)));
        !features.is_empty()
    });
    is_listed("features-of-tests.txt", &only_tests);
}
