//! Commands that root types on a data directory of the service's user.

use super::{is_root, said};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tests::{Conversation, astragal, complaint, program, run};

/// The user whom the service runs as.
const SERVICE: u32 = 65_534;

/// Everything below a directory, and itself.
fn all(directory: &Path) -> Vec<PathBuf> {
    let mut found = vec![directory.to_owned()];
    let mut next = 0;
    while next < found.len() {
        if found[next].is_dir() {
            let entries: Vec<_> = fs::read_dir(&found[next]).expect("root reads it").collect();
            found.extend(entries.into_iter().map(|entry| entry.expect("readable").path()));
        }
        next += 1;
    }
    found
}

fn hand_over(directory: &Path) {
    for path in all(directory) {
        chown(path, Some(SERVICE), Some(SERVICE)).expect("root may");
    }
}

#[track_caller]
fn belongs_to_the_service(directory: &Path, after: &[&str]) {
    let foreign: Vec<_> = all(directory)
        .into_iter()
        // A socket or a file of a moment may be gone again.
        .filter(|path| fs::symlink_metadata(path).is_ok_and(|found| found.uid() != SERVICE))
        .collect();
    assert!(foreign.is_empty(), "{after:?} leaves {foreign:?}");
}

/// A data directory of the service, below directories that only root enters (as systemd makes them), or that everybody
/// may.
fn of_the_service(home: &Path, mode: u32) -> PathBuf {
    let (private, data) = (home.join("private"), home.join("private/data"));
    fs::create_dir(&private).expect("a step of the test works");
    fs::set_permissions(home, fs::Permissions::from_mode(0o755)).expect("a step of the test works");
    fs::set_permissions(&private, fs::Permissions::from_mode(mode)).expect("a step of the test works");
    assert!(run(&data, b"!plugin enable mvk\n!insp +2\n!roll 2d1\n").status.success());
    hand_over(&data);
    data
}

#[test]
fn what_root_types_leaves_nothing_that_the_service_cannot_open() {
    if !is_root() {
        eprintln!("skipped: only root can act as others");
        return;
    }
    for mode in [0o700, 0o755] {
        let home = tempfile::tempdir().unwrap();
        let data = of_the_service(home.path(), mode);
        // Root's own place for what it names.
        let own = tempfile::tempdir().unwrap();
        let file = |name: &str| own.path().join(name).to_str().unwrap().to_owned();
        let (backup, moved) = (file("all.jsonl.gz"), file("hall.move"));
        let commands: [&[&str]; 9] = [
            &["tables"],
            &["check"],
            &["backup", &backup],
            &["backup", "-"],
            &["export", "hall", &file("hall.jsonl")],
            &["export", "--move", "hall", &moved],
            &["seat", "console/attic", "console/hall", "--yes"],
            &["doctor"],
            // Named from where it is typed.
            &["backup", "here.jsonl"],
        ];
        for words in commands {
            let output = astragal(&data).args(words).current_dir(own.path()).output().unwrap();
            assert!(output.status.success(), "{mode:o} {words:?}: {}", said(&output));
            belongs_to_the_service(&data, words);
        }
        for name in ["all.jsonl.gz", "hall.move", "here.jsonl"] {
            assert_eq!(fs::metadata(file(name)).unwrap().uid(), 0, "{name} is not of whoever typed it");
        }
        assert!(complaint(&astragal(&data).args(["backup", &backup]).output().unwrap()).contains("is there already"));
        // Into an empty directory of the service.
        let empty = data.with_file_name("empty");
        fs::create_dir(&empty).unwrap();
        hand_over(&empty);
        for words in [&["restore", &backup][..], &["import", &moved, "console/den", "--yes"]] {
            let output = astragal(&empty).args(words).output().unwrap();
            // The same table is in the backup.
            assert!(output.status.success() != (words[0] == "import"), "{words:?}: {}", said(&output));
            belongs_to_the_service(&empty, words);
        }
        assert_eq!(as_the_service(home.path(), &empty, &["tables"]).status.success(), mode == 0o755);
    }
}

/// Runs a copy of the program that everybody may run, as the service's user.
fn as_the_service(home: &Path, data: &Path, words: &[&str]) -> Output {
    let copy = home.join("astragal");
    if !copy.exists() {
        assert!(Command::new("cp").arg(program()).arg(&copy).status().expect("a step of the test works").success());
    }
    let mut command = Command::new("setpriv");
    command.args([format!("--reuid={SERVICE}"), format!("--regid={SERVICE}"), "--clear-groups".to_owned()]);
    command.arg(copy).arg("--data").arg(data).args(words).current_dir("/").stdin(Stdio::null());
    command.output().expect("it runs")
}

#[test]
fn root_asks_a_running_bot_of_the_service_and_runs_none_there() {
    if !is_root() {
        eprintln!("skipped: only root can act as others");
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let data = of_the_service(home.path(), 0o755);
    let says = complaint(&run(&data, b"!roll 2d1\n"));
    assert!(says.contains("root would leave files there that the bot cannot open later"), "{says}");
    assert!(says.contains("belongs to nobody: type sudo -u nobody astragal --data "), "{says}");
    belongs_to_the_service(&data, &["a start"]);

    assert!(as_the_service(home.path(), &data, &["check"]).status.success());
    let mut command = Command::new("setpriv");
    command.args([format!("--reuid={SERVICE}"), format!("--regid={SERVICE}"), "--clear-groups".to_owned()]);
    command.arg(home.path().join("astragal")).arg("--data").arg(&data).current_dir("/").stdout(Stdio::piped());
    let bot = Conversation::with(&mut command);
    let own = tempfile::tempdir().unwrap();
    let file = own.path().join("all.jsonl");
    for words in [&["backup", file.to_str().unwrap()][..], &["ctl", "status"], &["ctl", "backup"]] {
        let output = astragal(&data).args(words).output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", said(&output));
        belongs_to_the_service(&data, words);
    }
    assert!(bot.end());
}

#[test]
fn a_file_of_somebody_else_is_named_with_its_cure() {
    if !is_root() {
        eprintln!("skipped: only root can give files to others");
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let data = of_the_service(home.path(), 0o755);
    let database = data.join("store/db");
    chown(&database, Some(0), Some(0)).unwrap();
    fs::set_permissions(&database, fs::Permissions::from_mode(0o600)).unwrap();
    let cure = format!(
        "{} belongs to root, and the directory to nobody: type chown -R {SERVICE}: {}",
        database.display(),
        data.display()
    );
    for words in [&[][..], &["tables"], &["check"]] {
        let says = complaint(&as_the_service(home.path(), &data, words));
        assert!(says.contains("Permission denied") && says.contains(&cure), "{words:?}: {says}");
    }
    // Root meets the same, since it acts as the owner.
    let says = complaint(&astragal(&data).arg("tables").output().unwrap());
    assert!(says.contains(&cure), "{says}");
    hand_over(&data);
    assert!(as_the_service(home.path(), &data, &["tables"]).status.success());
    // Whoever is not the owner is told to be.
    chown(&data, Some(1), Some(1)).unwrap();
    let says = complaint(&as_the_service(home.path(), &data, &["tables"]));
    assert!(says.contains("belongs to daemon: type sudo -u daemon astragal --data "), "{says}");
}
