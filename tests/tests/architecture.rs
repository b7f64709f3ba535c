//! Checks that dependencies between crates point in the allowed direction, and which words the sources must not
//! contain.

#[path = "architecture/circles.rs"]
mod circles;
#[path = "architecture/documents.rs"]
mod documents;
#[path = "architecture/english.rs"]
mod english;
#[path = "architecture/functions.rs"]
mod functions;
#[path = "architecture/licences.rs"]
mod licences;
#[path = "architecture/seams.rs"]
mod seams;

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Which of our crates a crate may depend on. Plugins follow a rule instead.
const ALLOWED: &[(&str, &[&str])] = &[
    ("dice", &[]),
    ("chat", &[]),
    ("plugin-api-derive", &[]),
    ("plugin-api", &["chat", "dice", "plugin-api-derive"]),
    ("understand", &["dice", "plugin-api"]),
    ("journal", &["chat", "dice"]),
    ("host", &["chat", "dice", "journal", "plugin-api", "understand"]),
    ("table", &["chat", "dice", "host", "journal", "plugin-api", "understand"]),
    ("house", &["chat", "dice", "journal", "plugin-api", "table", "understand"]),
    ("picture", &["chat"]),
    ("door", &[]),
    ("page", &["chat", "door", "house", "picture", "plugin-api"]),
    ("bot", &["chat", "journal", "table"]),
    ("store-log", &["journal"]),
    ("store-postgres", &["journal"]),
    ("store-redb", &["journal"]),
    ("store-sled", &["journal"]),
    ("transport-irc", &["chat"]),
    ("transport-console", &["chat"]),
    ("transport-matrix", &["chat", "picture"]),
    ("declared", &["chat", "dice", "plugin-api"]),
    ("games", &["declared", "plugin-api"]),
    (
        "simulation",
        &[
            "bot",
            "chat",
            "declared",
            "dice",
            "games",
            "house",
            "journal",
            "plugin-api",
            "store-log",
            "store-postgres",
            "table",
        ],
    ),
    ("plugin-testkit", &["chat", "dice", "house", "journal", "plugin-api", "table"]),
];
/// Which of our crates a plugin may depend on, and which more its tests may use.
const PLUGIN: &[&str] = &["plugin-api", "dice", "chat"];
const PLUGIN_TESTS: &[&str] = &["plugin-testkit"];
/// Crates that may depend on every other.
const TOP: &[&str] = &["astragal", "tests"];

struct Package {
    name: String,
    folder: PathBuf,
    normal: BTreeSet<String>,
    development: BTreeSet<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ is in the workspace").to_owned()
}

fn packages() -> Vec<Package> {
    let cargo = tests::cargo()
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .output()
        .expect("cargo runs");
    let metadata: Value = serde_json::from_slice(&cargo.stdout).expect("cargo prints JSON");
    let packages = metadata["packages"].as_array().expect("a list of packages");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let names: BTreeSet<String> = packages.iter().map(|package| text(&package["name"])).collect();
    packages
        .iter()
        .map(|package| {
            let mut found = Package {
                name: text(&package["name"]),
                folder: PathBuf::from(text(&package["manifest_path"])).parent().expect("a folder").to_owned(),
                normal: BTreeSet::new(),
                development: BTreeSet::new(),
            };
            for dependency in package["dependencies"].as_array().expect("a list") {
                let name = text(&dependency["name"]);
                if names.contains(&name) {
                    let list = if dependency["kind"] == "dev" { &mut found.development } else { &mut found.normal };
                    list.insert(name);
                }
            }
            found
        })
        .collect()
}

#[test]
fn dependencies_point_in_the_allowed_direction_only() {
    let allowed: BTreeMap<_, _> = ALLOWED.iter().copied().collect();
    let mut wrong = Vec::new();
    for package in packages() {
        let name = package.name.as_str();
        if TOP.contains(&name) {
            continue;
        }
        let plugin = package.folder.parent().is_some_and(|parent| parent.ends_with("plugins"));
        let may = if plugin { PLUGIN } else { allowed.get(name).copied().unwrap_or_default() };
        if !plugin && !allowed.contains_key(name) {
            wrong.push(format!("{name} is not in the table"));
        }
        // Only the list of games may name games.
        let games = |to: &str| name == "games" && root().join("plugins").join(to).is_dir();
        wrong.extend(
            package
                .normal
                .iter()
                .filter(|to| !may.contains(&to.as_str()) && !games(to))
                .map(|to| format!("{name} -> {to}")),
        );
        let may = if plugin { PLUGIN_TESTS } else { may };
        let development = package.development.iter().filter(|to| !may.contains(&to.as_str()));
        wrong.extend(development.map(|to| format!("{name} dev-> {to}")));
    }
    assert!(wrong.is_empty(), "not allowed: {}", wrong.join(", "));
}

#[test]
fn a_folder_is_named_as_its_crate() {
    for package in packages() {
        assert_eq!(package.folder.file_name().and_then(|name| name.to_str()), Some(package.name.as_str()));
    }
}

#[test]
fn games_use_nothing_but_their_turn() {
    // A game gets dice and time from its turn. It has no use for files, threads, clocks and the network.
    let banned = ["std::fs", "std::net", "std::time", "std::thread", "std::process", "std::env", "rand::", "tokio::"];
    let mut wrong = Vec::new();
    for path in
        sources(&root().join("plugins")).iter().filter(|path| path.components().any(|part| part.as_os_str() == "src"))
    {
        let text = fs::read_to_string(path).expect("it can be read");
        wrong.extend(
            banned.iter().filter(|word| text.contains(*word)).map(|word| format!("{}: {word}", path.display())),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Calls that are easy to get wrong, the one file of the program that may contain them, and why.
const ONE_PLACE: &[(&str, &str, &str)] = &[
    ("stdout()", "out.rs", "the reader may stop"),
    ("File::create", "fresh.rs", "a link or another user's file may be in the way"),
    ("fs::write(", "fresh.rs", "the same"),
];

#[test]
fn risky_calls_have_one_place_in_the_program() {
    let mut wrong = Vec::new();
    for path in sources(&root().join("crates/astragal/src")) {
        let text = fs::read_to_string(&path).expect("it can be read");
        let (program, _) = text.split_once("#[cfg(test)]").unwrap_or((&text, ""));
        let elsewhere = ONE_PLACE.iter().filter(|(word, place, _)| program.contains(word) && !path.ends_with(place));
        wrong.extend(
            elsewhere
                .map(|(word, place, why)| format!("{}: only {place} may contain {word}, since {why}", path.display())),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_source_file_says_what_it_is_and_is_of_a_readable_size() {
    let mut wrong = Vec::new();
    for folder in ["crates", "plugins", "tests"] {
        for path in sources(&root().join(folder)) {
            let text = fs::read_to_string(&path).expect("it can be read");
            if !text.starts_with("//!") {
                wrong.push(format!("{} does not open with //!", path.display()));
            }
            let lines = text.lines().count();
            if lines > 600 {
                wrong.push(format!("{} has {lines} lines: 600 is the most", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_dependency_says_what_it_is_for() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("it can be read");
    let lines = manifest.lines().skip_while(|line| *line != "[workspace.dependencies]").skip(1);
    let lines = lines.take_while(|line| !line.starts_with('['));
    let silent: Vec<_> = lines
        .filter(|line| line.contains(" = ") && !line.starts_with('#') && !line.contains("path = "))
        .filter(|line| !line.contains("# ") && !line.starts_with("tokio"))
        .collect();
    assert!(silent.is_empty(), "without a reason: {}", silent.join("; "));
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    files_of(folder, &["rs"])
}

/// The files with these extensions in a folder and its subfolders.
fn files_of(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("it can be read") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            found.extend(files_of(&path, extensions));
        } else if path.extension().is_some_and(|extension| extensions.iter().any(|each| extension == *each)) {
            found.push(path);
        }
    }
    found
}
