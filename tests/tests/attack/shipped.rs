//! Tests the same programs that users build.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tests::help::{Page, pages};
use tests::shipped::{BUILDS, Build, built};
use tests::{Conversation, session_files, until_backed_up};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ is in the workspace").to_owned()
}

/// The program in a home of its own, as the only astragal on the path.
fn command(build: &Build, home: &Path, name: &str) -> Command {
    let program = build.program();
    let mut command = Command::new(if name == "astragal" { program.as_os_str() } else { name.as_ref() });
    let path = format!("{}:/usr/bin:/bin", program.parent().expect("a directory").display());
    command.env_clear().env("HOME", home).env("PATH", path).current_dir(home).stdin(Stdio::null());
    command
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

#[test]
fn every_session_plays_in_the_programs_that_users_build() {
    let home = tempfile::tempdir().unwrap();
    let files = session_files();
    assert!(files.len() > 15);
    for build in built() {
        let played = command(build, home.path(), "astragal").arg("play").args(&files).output().unwrap();
        assert!(played.status.success(), "{build:?}: {}", said(&played));
        assert_eq!(said(&played).matches(" lines played as written\n").count(), files.len());
        let reported = command(build, home.path(), "astragal").args(["play", "--json"]).args(&files).output().unwrap();
        assert!(reported.status.success(), "{build:?}: {}", String::from_utf8_lossy(&reported.stderr));
    }
}

/// Every command and flag of `--help`, as a user would type it. A `!` marks lines that fail with a clear message. The
/// first lines are typed before the bot runs, those after `running` while it runs, the rest after it has ended.
const TYPED: &str = "\
help
--version
init --config irc.toml --irc 127.0.0.1 --port 1 --no-tls --channel #tavern --nick astra
init --config tls.toml --name astra --owner example:account:mia --irc irc.example.org --account astra --account-password-file secret
! check-config --online --config irc.toml
check-config --config tls.toml
config show --config tls.toml --log-format json
config show --secrets --config tls.toml
config schema
play scene.session
play --json scene.session
read act d8 d10 vs 2 goblins
read --games turns,roll init 2d20kh1+3
read --after scene.session roll 2d1
game new harbour.game
game check harbour.game
game play harbour.game
game odds harbour.game
game odds harbour.game risk 3
! game odds harbour.game risk many
game page harbour.game
game show
game show blades
! game show chess
! game new roll.game
completions bash
man
man backup
man --all pages
! ctl status --data data
running
ctl status
ctl status --check
ctl --json status
! ctl join console hall
! ctl leave console/hall
ctl ignore console:troll
ctl ignore --no console:troll
! ctl plugin enable nowhere/hall mvk
ctl backup
! ctl hand-over
ctl reload
ctl log debug
backup running.jsonl
export hall running-journal.jsonl
ended
tables --data data
export hall journal.jsonl --data data
export hall journal.txt --text --data data
export hall story.md --story --data data
export hall story.html --story --data data
export hall moved.jsonl --move --data data
verify journal.jsonl
! verify journal.jsonl --head 0000000000000000
import moved.jsonl console/attic --yes --data elsewhere
seat console/attic console/hall --yes --data data
check --data data
doctor --data data
backup - --data data
check --rebuild --data data
backup all.jsonl --data data
backup back.jsonl --data data --schema 2
restore all.jsonl --data restored
";

/// Lines that a program without Matrix refuses with a reason.
const WITHOUT_MATRIX: &str = "\
! init --config home.toml --matrix https://example.org --user astra --password-file secret --room #tavern:example.org
";

/// The same lines for a program with Matrix.
const OF_MATRIX: &str = "\
init --config home.toml --matrix https://example.org --user astra --password-file secret --room #tavern:example.org
! matrix login --data data
! matrix verify --data data
! matrix recovery new --data data
! matrix recovery restore --data data
";

#[test]
fn every_command_and_flag_of_help_runs_in_the_programs_that_users_build() {
    for build in built() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("secret"), "sesame\n").unwrap();
        fs::write(home.path().join("scene.session"), "Дуня> roll 2d1 [d1=1 d1=1]\nbot< 2 | 2d1 [1 1] #1\n").unwrap();
        let pages = pages(&build.program());
        let has_matrix = pages.iter().any(|page| page.words == ["matrix"]);
        assert_eq!(has_matrix, build.name != "irc");
        let typed = [TYPED, if has_matrix { OF_MATRIX } else { WITHOUT_MATRIX }].concat();
        let mut bot = None;
        for line in typed.lines() {
            match line {
                "running" => bot = Some(play(build, home.path())),
                "ended" => {
                    until_backed_up(&home.path().join("data"));
                    assert!(bot.take().is_some_and(Conversation::end));
                }
                line if bot.is_some() => type_line(build, home.path(), &format!("{line} --data data")),
                line => type_line(build, home.path(), line),
            }
        }
        let lines: Vec<Vec<&str>> =
            typed.lines().map(|line| line.trim_start_matches("! ").split(' ').collect()).collect();
        let help = ["--help", "--version"];
        for page in pages.iter().filter(|page| page.runs() && !page.words.is_empty()) {
            let typed_of = |words: &[String], flag: Option<&str>| {
                let mut of_it = lines.iter().filter(|line| begins_with(line, words));
                of_it.any(|line| flag.is_none_or(|flag| line.contains(&flag)))
            };
            assert!(typed_of(&page.words, None), "nobody typed {:?}", page.words);
            for flag in page.flags().iter().map(String::as_str).filter(|flag| !help.contains(flag)) {
                // A flag shared by a group of commands is typed with one of them.
                let has_it = |group: &&Page| page.words.starts_with(&group.words) && group.flags().contains(flag);
                let group = pages.iter().filter(has_it).min_by_key(|group| group.words.len()).expect("its own page");
                assert!(typed_of(&group.words, Some(flag)), "nobody typed {flag} of {:?}", page.words);
            }
        }
    }
}

/// True if the line runs this command. Flags may come between its words.
fn begins_with(line: &[&str], words: &[String]) -> bool {
    let plain: Vec<_> = line.iter().filter(|word| !word.starts_with("--")).collect();
    plain.len() >= words.len() && words.iter().zip(plain).all(|(word, typed)| word == typed)
}

/// A bot with some play at its table.
fn play(build: &Build, home: &Path) -> Conversation {
    let mut command = command(build, home, "astragal");
    let mut bot = Conversation::with(command.args(["--data", "data"]).stdout(Stdio::piped()).stderr(Stdio::null()));
    assert!(bot.ask("!roll 2d1").ends_with("2 | 2d1 [1 1] #1"));
    bot
}

#[track_caller]
fn type_line(build: &Build, home: &Path, line: &str) {
    let (fails, words) = line.strip_prefix("! ").map_or((false, line), |words| (true, words));
    let output = command(build, home, "astragal").args(words.split(' ')).output().expect("a step of the test works");
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(i32::from(fails)), "{} {line}: {}", build.name, said(&output));
    assert!(!fails || complaint.lines().any(|line| line.starts_with("astragal: ")), "{line}: {complaint}");
}

/// Words of other programs that a shell line may begin with.
const OTHERS: [&str; 16] = [
    "cargo",
    "export",
    "tests/run",
    "apt",
    "systemctl",
    "mkdir",
    "docker",
    "podman",
    "install",
    "curl",
    "initdb",
    "pg_ctl",
    "pg_basebackup",
    "psql",
    "kill",
    "",
];

#[test]
fn every_shell_line_of_the_readme_and_the_manual_runs_in_the_programs_that_users_build() {
    let manual = fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let pages =
        manual.filter(|path| path.extension().is_some_and(|ends| ends == "md")).chain([root().join("README.md")]);
    let text: String = pages.map(|page| fs::read_to_string(page).unwrap() + "\n").collect();
    let blocks = text.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let lines: Vec<&str> = blocks.flat_map(str::lines).collect();
    let first = |line: &str| line.split(' ').next().unwrap_or_default().to_owned();
    let (ours, others): (Vec<&str>, Vec<&str>) = lines.iter().partition(|line| first(line) == "astragal");
    assert!(others.iter().all(|line| OTHERS.contains(&first(line).as_str())), "{others:?}");
    assert!(ours.len() > 25, "{} lines", ours.len());
    for build in built() {
        let home = tempfile::tempdir().unwrap();
        // A program without Matrix has no such command.
        let has_it = |line: &&&str| build.name != "irc" || !line.contains(" matrix ");
        for line in ours.iter().filter(has_it) {
            let output = command(build, home.path(), "bash").args(["-c", line]).output().unwrap();
            // A line may refer to something that does not exist here, such as a configuration (78), but it must parse and
            // not crash.
            assert!(matches!(output.status.code(), Some(0 | 1 | 78)), "{} {line}: {}", build.name, said(&output));
        }
    }
}

/// The packages in a Linux build, each with its features.
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
        // Major versions may coexist; patch versions do not matter.
        let mut words = package.split(' ');
        let (name, version) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let series = version.trim_start_matches('v').split('.').take(2).collect::<Vec<_>>().join(".");
        let found = packages.entry(format!("{name} {series}")).or_default();
        found.extend(features.split(',').filter(|feature| !feature.is_empty()).map(str::to_owned));
    }
    packages
}

/// Compares a list with the checked-in one, or writes it.
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
        "{name} lists {:?}, the build has {:?}: if that is intended, run ASTRAGAL_WRITE=1 cargo test --test program shipped",
        old.difference(&new).collect::<Vec<_>>(),
        new.difference(&old).collect::<Vec<_>>()
    );
}

/// Bytes of the program with all networks. It may become larger for a reason, not unnoticed: games that are files, with
/// the tables, decks, dice and asks that they bring, took 1.2 MB of the 2 MB that they may take; pages may take 4 MB.
/// What an operator sees of machines and their stores took 0.1 MB.
const LARGEST: u64 = 52_700_000;
/// What PostgreSQL may add to it.
const OF_POSTGRES: u64 = 2_000_000;

#[test]
fn the_program_that_most_users_have_does_not_grow_unnoticed() {
    let [_, full, with_postgres] = &BUILDS;
    let [size, with] = [full, with_postgres].map(|build| fs::metadata(build.program()).unwrap().len());
    assert!(size <= LARGEST, "the program has {size} bytes: more than {LARGEST} need a reason");
    assert!(with <= size + OF_POSTGRES, "with PostgreSQL it has {with} bytes, and {size} without it");
}

#[test]
fn the_features_of_the_builds_are_listed_and_so_are_those_only_tests_switch_on() {
    let kinds = ["--edges", "normal,build"];
    let shipped: Vec<_> = BUILDS.iter().map(|build| packages(&[&kinds[..], build.chosen].concat())).collect();
    for (build, packages) in BUILDS.iter().zip(&shipped) {
        is_listed(&format!("features-{}.txt", build.name), packages);
    }
    for packages in &shipped {
        let providers =
            ["aws-lc-rs", "ring"].map(|provider| packages.keys().any(|name| name.starts_with(&format!("{provider} "))));
        assert!(providers[0] != providers[1], "one provider of TLS is enough: aws-lc-rs, ring: {providers:?}");
    }
    // Lists features that tests switch on in the packages of a user's program. Nothing may need them.
    let [_, full, _] = &shipped[..] else { panic!("three builds") };
    let mut only_tests = packages(&["--workspace", "--edges", "normal,build,dev"]);
    only_tests.retain(|name, features| {
        let there = full.get(name);
        features.retain(|feature| there.is_some_and(|there| !there.contains(feature)));
        !features.is_empty()
    });
    is_listed("features-of-tests.txt", &only_tests);
}
