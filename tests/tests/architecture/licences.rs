//! What others wrote and the program contains may be passed on with it, and nothing of it is what we do not want.

use serde_json::Value;

/// Licences that ask at most to be named and shown, or, for MPL, to point to the source. The package does both.
const ALLOWED: [&str; 13] = [
    "MIT",
    "MIT-0",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "ISC",
    "Zlib",
    "Unicode-3.0",
    "MPL-2.0",
    "MPL-2.0+",
    "CDLA-Permissive-2.0",
];
/// Crates that must not come in: they bring a C library of the system, or nobody looks after them.
const BANNED: [&str; 6] = ["openssl", "openssl-sys", "native-tls", "atty", "ansi_term", "time-macros-impl"];

/// True if a licence expression leaves a choice that is allowed. `/` is the old way to write `OR`.
fn is_allowed(expression: &str) -> bool {
    let words = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = words.split_whitespace().collect();
    let (allowed, rest) = any_of(&words);
    allowed && rest.is_empty()
}

fn any_of<'w, 't>(words: &'w [&'t str]) -> (bool, &'w [&'t str]) {
    let (mut allowed, mut rest) = all_of(words);
    while let ["OR", behind @ ..] = rest {
        let (other, behind) = all_of(behind);
        (allowed, rest) = (allowed | other, behind);
    }
    (allowed, rest)
}

fn all_of<'w, 't>(words: &'w [&'t str]) -> (bool, &'w [&'t str]) {
    let (mut allowed, mut rest) = one(words);
    while let ["AND", behind @ ..] = rest {
        let (other, behind) = one(behind);
        (allowed, rest) = (allowed & other, behind);
    }
    (allowed, rest)
}

fn one<'w, 't>(words: &'w [&'t str]) -> (bool, &'w [&'t str]) {
    match words {
        ["(", inner @ ..] => match any_of(inner) {
            (allowed, [")", rest @ ..]) => (allowed, rest),
            (_, rest) => (false, rest),
        },
        [name, "WITH", exception, rest @ ..] => (ALLOWED.contains(&&*format!("{name} WITH {exception}")), rest),
        [name, rest @ ..] => (ALLOWED.contains(name), rest),
        [] => (false, words),
    }
}

#[test]
fn everything_in_the_program_may_be_passed_on() {
    let listed = tests::cargo()
        .args([
            "metadata",
            "--format-version",
            "1",
            "--locked",
            // Others are nowhere in the program, and may not be on this machine.
            "--filter-platform",
            "x86_64-unknown-linux-gnu",
        ])
        .output();
    let metadata: Value = serde_json::from_slice(&listed.expect("cargo runs").stdout).expect("cargo prints JSON");
    let packages = metadata["packages"].as_array().expect("a list of packages");
    let others = packages.iter().filter(|package| !package["source"].is_null());
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for package in others {
        let (name, licence) = (package["name"].as_str().expect("a name"), package["license"].as_str());
        if !licence.is_some_and(is_allowed) || BANNED.contains(&name) {
            wrong.push(format!("{name}: {}", licence.unwrap_or("no licence")));
        }
        seen += 1;
    }
    assert!(wrong.is_empty() && seen > 300, "{seen} crates, and these are not wanted: {wrong:#?}");
}

#[test]
fn a_licence_is_allowed_if_one_of_its_choices_is_and_all_that_come_together_are() {
    for right in
        ["MIT/Apache-2.0", "GPL-3.0 OR MIT", "(MIT OR GPL-2.0) AND Unicode-3.0", "Apache-2.0 WITH LLVM-exception"]
    {
        assert!(is_allowed(right), "{right}");
    }
    for wrong in ["GPL-3.0", "MIT AND GPL-3.0", "(MIT OR ISC) AND AGPL-3.0", "", "Apache-2.0 WITH Nonsense"] {
        assert!(!is_allowed(wrong), "{wrong}");
    }
}
