//! The bot handles the operator's files and configuration with care.

use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io::{BufRead, BufReader};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tests::{astragal, complaint, program, run};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("a step of the test works").permissions().mode() & 0o777
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

/// A data directory with some play in it.
fn played(home: &Path) -> PathBuf {
    let data = home.join("data");
    let output = run(&data, b"!roll 2d1 # the wolf at the ford\n");
    assert!(output.status.success(), "{}", said(&output));
    data
}

/// The temporary name under which a file is written.
fn part_of(file: &Path) -> PathBuf {
    PathBuf::from(format!("{}.part", file.display()))
}

#[test]
fn a_planted_part_file_neither_exposes_nor_redirects_a_new_file() {
    let home = tempfile::tempdir().unwrap();
    let data = played(home.path());
    let precious = home.path().join("precious");
    fs::write(&precious, "mine").unwrap();
    let tasks: [(&str, &[&str]); 4] = [
        ("a", &["backup"]),
        ("b", &["export", "hall"]),
        ("c", &["export", "--text", "hall"]),
        ("d", &["export", "--move", "hall"]),
    ];
    let try_it = |kind: &str| {
        for (name, words) in tasks {
            let file = home.path().join(format!("{kind}-{name}"));
            match kind {
                "open" => {
                    fs::write(part_of(&file), "old").unwrap();
                    fs::set_permissions(part_of(&file), Permissions::from_mode(0o666)).unwrap();
                }
                _ => symlink(&precious, part_of(&file)).unwrap(),
            }
            let output = astragal(&data).args(words).arg(&file).output().unwrap();
            assert!(output.status.success(), "{words:?}: {}", said(&output));
            assert_eq!(mode(&file), 0o600, "{words:?}");
            assert!(fs::symlink_metadata(&file).unwrap().is_file(), "{words:?}");
        }
    };
    try_it("open");
    try_it("link");
    // The same through the socket of a running bot.
    let bot = tests::Conversation::start(&data);
    for words in [&["backup"][..], &["export", "hall"]] {
        let file = home.path().join(format!("running-{}", words[0]));
        symlink(&precious, part_of(&file)).unwrap();
        let output = astragal(&data).args(words).arg(&file).output().unwrap();
        assert!(output.status.success() && mode(&file) == 0o600, "{words:?}: {}", said(&output));
    }
    assert!(bot.end());
    let config = home.path().join("astragal.toml");
    symlink(&precious, home.path().join("astragal.toml.part")).unwrap();
    let mut init = astragal(&data);
    init.arg("--config").arg(&config).args(["init", "--irc", "127.0.0.1", "--no-tls", "--channel", "#tavern"]);
    let output = init.output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(fs::read_to_string(&precious).unwrap(), "mine");
}

#[test]
fn a_data_directory_that_is_open_to_others_is_closed_or_refused() {
    for before in [0o777, 0o755, 0o770] {
        let home = tempfile::tempdir().unwrap();
        let data = home.path().join("data");
        fs::create_dir(&data).unwrap();
        fs::set_permissions(&data, Permissions::from_mode(before)).unwrap();
        let output = run(&data, b"!roll 2d1\n");
        assert!(output.status.success() && mode(&data) == 0o700, "{before:o}: {}", said(&output));
        let told = said(&output).contains(&format!("was open to others (mode {before:o})"));
        assert_eq!(told, before != 0o755, "a warning that others could have written there: {}", said(&output));
        // If it is opened up later, the next command closes it.
        fs::set_permissions(&data, Permissions::from_mode(before)).unwrap();
        let output = astragal(&data).arg("tables").output().unwrap();
        assert!(output.status.success() && mode(&data) == 0o700, "{before:o}: {}", said(&output));
    }
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("diary"), "dear diary").unwrap();
    fs::set_permissions(home.path(), Permissions::from_mode(0o777)).unwrap();
    let said = complaint(&run(home.path(), b"!roll 2d1\n"));
    assert!(said.contains("is open to others (mode 777)") && said.contains("--data DIR"), "{said}");
    assert_eq!(mode(home.path()), 0o777, "a directory that is not the bot's is left alone");
}

#[test]
fn a_file_of_one_endless_line_is_refused_in_little_memory() {
    let home = tempfile::tempdir().unwrap();
    let data = played(home.path());
    let (journal, backup) = (home.path().join("journal"), home.path().join("backup"));
    assert!(astragal(&data).args(["export", "hall"]).arg(&journal).output().unwrap().status.success());
    assert!(astragal(&data).arg("backup").arg(&backup).output().unwrap().status.success());
    for (file, words) in [(&journal, &["verify"][..]), (&journal, &["import", "--yes"]), (&backup, &["restore"])] {
        // Its first line is valid.
        let text = fs::read_to_string(file).unwrap();
        fs::write(file, text.split_inclusive('\n').next().unwrap()).unwrap();
        File::options().append(true).open(file).unwrap().set_len(1_500_000_000).unwrap();
        let mut command = Command::new("prlimit");
        command
            .arg("--as=1200000000")
            .arg(program())
            .arg("--data")
            .arg(home.path().join("other"))
            .args(words)
            .arg(file);
        let output = command.args((words[0] == "import").then_some("console/attic")).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{words:?}: {}", said(&output));
        assert!(said(&output).contains("longer than"), "{words:?}: {}", said(&output));
    }
}

#[test]
fn a_variable_that_is_not_text_is_an_error_only_if_it_is_the_bots() {
    let home = tempfile::tempdir().unwrap();
    let no_text = OsStr::from_bytes(b"\xff\xfe");
    let try_it = |name: &OsStr, words: &[&str]| astragal(home.path()).args(words).env(name, no_text).output().unwrap();
    for words in [&["check-config"][..], &["config", "show"], &["tables"], &["ctl", "status"]] {
        let others = said(&try_it(OsStr::new("PHOTO"), words));
        assert!(!others.contains("PHOTO") && !others.contains("panicked"), "{others}");
        let nameless = said(&try_it(OsStr::from_bytes(b"\xff"), words));
        assert!(!nameless.contains("panicked"), "{nameless}");
    }
    let ours = complaint(&try_it(OsStr::new("ASTRAGAL__NAME"), &["check-config"]));
    assert!(ours.contains("ASTRAGAL__NAME in the environment: its value is no text in UTF-8"), "{ours}");
    let other = complaint(&try_it(OsStr::from_bytes(b"ASTRAGAL__\xff"), &["check-config"]));
    assert!(other.contains("no text in UTF-8"), "{other}");
    let quiet = try_it(OsStr::new("ASTRAGAL_LOG"), &["check-config"]);
    assert!(quiet.status.success(), "{}", said(&quiet));
}

/// CRC-32 (IEEE), as in backups.
fn crc(bytes: &[u8]) -> String {
    let crc = bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 })
    });
    format!("{:08x}", !crc)
}

/// A backup with a forged record and correct checksums.
fn doctored(backup: &str, key: &str, value: &str) -> String {
    let mut lines: Vec<_> = backup.lines().filter(|line| !line.contains(&format!("\"key\":\"{key}\""))).collect();
    lines.pop();
    let sum = crc(format!("{key}\0{value}").as_bytes());
    let line = format!("{{\"crc\":\"{sum}\",\"key\":\"{key}\",\"value\":{value}}}");
    lines.push(&line);
    let text = lines.join("\n") + "\n";
    let records = text.lines().count() - 1;
    let sum = crc(text.as_bytes());
    format!("{text}{{\"end\":true,\"records\":{records},\"crc\":\"{sum}\"}}\n")
}

#[test]
fn a_backup_that_no_bot_could_start_from_is_refused_and_leaves_nothing() {
    let home = tempfile::tempdir().unwrap();
    let data = played(home.path());
    let file = home.path().join("backup.jsonl");
    assert!(astragal(&data).arg("backup").arg(&file).output().unwrap().status.success());
    let backup = fs::read_to_string(&file).unwrap();
    for (key, value) in [
        ("ignored", "7"),
        ("schema", "\"two\""),
        ("schema", "4000000000"),
        ("room/console/hall", "{\"prefix\":7}"),
        ("table/console%2Fhall/doc", "7"),
        ("table/console%2Fhall/head", "\"x\""),
    ] {
        fs::write(&file, doctored(&backup, key, value)).unwrap();
        let fresh = tempfile::tempdir().unwrap();
        let refused = complaint(&astragal(fresh.path()).arg("restore").arg(&file).output().unwrap());
        assert!(refused.contains("and nothing was restored"), "{key}: {refused}");
        let output = run(fresh.path(), b"!roll 2d1\n");
        assert!(output.status.success() && said(&output).contains("#1"), "{key}: {}", said(&output));
    }
    // Unusual but valid values are restored.
    fs::write(&file, doctored(&backup, "alone/console/den", "\"2026-01-01T00:00:00Z\"")).unwrap();
    let output = astragal(&home.path().join("good")).arg("restore").arg(&file).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    assert!(said(&run(&home.path().join("good"), b"!history\n")).contains("the wolf at the ford"));
}

#[test]
fn no_bot_starts_beside_an_interrupted_restore() {
    let home = tempfile::tempdir().unwrap();
    let data = played(home.path());
    let file = home.path().join("backup.jsonl");
    assert!(astragal(&data).arg("backup").arg(&file).output().unwrap().status.success());
    let other = home.path().join("other");
    fs::create_dir_all(other.join("store.part")).unwrap();
    fs::write(other.join("store.part/db"), "the first half").unwrap();
    for words in [&[][..], &["tables"]] {
        let refused = complaint(&astragal(&other).args(words).output().unwrap());
        assert!(
            refused.contains("a restore was interrupted here") && refused.contains("astragal restore"),
            "{refused}"
        );
        assert!(!other.join("store").exists());
    }
    assert!(astragal(&other).arg("restore").arg(&file).output().unwrap().status.success());
    assert!(said(&run(&other, b"!history\n")).contains("the wolf at the ford"));
}

#[test]
fn a_configuration_is_shown_without_its_secrets_unless_they_are_asked_for() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("bot.toml");
    let text = "[irc.net]\nserver = \"x\"\npassword = \"sesame\"\naccount_password = \"sesame\"\n[irc.net.channels]\n\
                \"#a\" = { key = \"sesame\" }\n[matrix.home]\nhomeserver = \"x\"\npasword = \"sesame\"\ntoken = \"sesame\"\n";
    fs::write(&file, text).unwrap();
    let show = |words: &[&str]| {
        let mut command = astragal(home.path());
        command.env("ASTRAGAL__IRC__NET__SASL_PASSWORD", "sesame").env("ASTRAGAL__MATRIX__HOME__PASSWORD", "sesame");
        said(&command.arg("--config").arg(&file).args(["config", "show"]).args(words).output().unwrap())
    };
    let shown = show(&[]);
    assert!(shown.contains("password = \"[secret]\"") && !shown.contains("sesame"), "{shown}");
    assert!(show(&["--secrets"]).contains("password = \"sesame\""));
}

#[test]
fn a_closed_pipe_ends_any_command_quietly() {
    let home = tempfile::tempdir().unwrap();
    let data = played(home.path());
    let file = |name: &str| home.path().join(name).to_str().unwrap().to_owned();
    assert!(astragal(&data).args(["export", "hall", &file("journal")]).output().unwrap().status.success());
    fs::write(file("scene.session"), "Ann> roll 2d1 [d1=1 d1=1]\nbot< 2 | 2d1 [1 1] #1\n").unwrap();
    let (journal, backup, scene) = (file("journal"), file("backup"), file("scene.session"));
    let (config, text) = (file("new.toml"), file("text"));
    let commands: [&[&str]; 20] = [
        &["--help"],
        &["--version"],
        &["help"],
        &["completions", "bash"],
        &["completions", "zsh"],
        &["completions", "fish"],
        &["completions", "elvish"],
        &["completions", "powershell"],
        &["man"],
        &["config", "schema"],
        &["config", "show"],
        &["check-config"],
        &["play", &scene],
        &["play", "--json", &scene],
        &["verify", &journal],
        &["tables"],
        &["export", "--text", "hall", &text],
        &["backup", &backup],
        &["init", "--config", &config, "--irc", "irc.example.org"],
        &[],
    ];
    for words in commands {
        let (reader, writer) = std::io::pipe().unwrap();
        // Nobody reads even the first byte.
        drop(reader);
        let output = astragal(&data).args(words).stdout(Stdio::from(writer)).output().unwrap();
        let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && complaints.is_empty(), "{words:?}: {:?}: {complaints}", output.status);
    }
}

/// Runs the program with a configuration and a clock that is off by this much, until it has erased old data once and
/// written the daily backup. Returns its log. Gives up after five minutes.
fn makes_a_round(data: &Path, config: &str, clock: &str) -> String {
    let file = data.with_extension("toml");
    fs::write(&file, config).expect("a step of the test works");
    let mut command = Command::new("faketime");
    command.args(["-f", clock, "timeout", "300"]).arg(program()).env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    command.arg("--data").arg(data).arg("--config").arg(file).env("ASTRAGAL_LOG", "warn,astragal=debug");
    let mut bot = command
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a step of the test works");
    let mut log = String::new();
    for line in BufReader::new(bot.stderr.take().expect("a step of the test works")).lines().map_while(Result::ok) {
        log.push_str(&line);
        log.push('\n');
        if log.contains("a round was made") && log.contains("the daily backup is there") {
            break;
        }
    }
    drop(bot.stdin.take());
    bot.wait().expect("a step of the test works");
    log
}

#[test]
fn one_start_with_a_clock_years_ahead_erases_nothing_and_is_reported() {
    let home = tempfile::tempdir().unwrap();
    let data = played(home.path());
    let config = "[journals]\nkeep_text_days = 30\n";
    for start in 0..3 {
        let log = makes_a_round(&data, config, "+3650d");
        assert_eq!(log.contains("set it right if it is wrong"), start == 0, "{log}");
    }
    let history = said(&run(&data, b"!history\n"));
    assert!(history.contains("the wolf at the ford"), "{history}");
}

/// The names of the daily backups.
fn backups(data: &Path) -> Vec<String> {
    let names = fs::read_dir(data.join("backups"))
        .expect("a step of the test works")
        .map(|entry| entry.expect("a step of the test works").file_name());
    let mut names: Vec<_> = names
        .map(|name| name.into_string().expect("a step of the test works"))
        .filter(|name| name.ends_with(".jsonl") || name.ends_with(".jsonl.gz"))
        .collect();
    names.sort();
    names
}

/// Replaces the daily backups with these.
fn backed_up_on(data: &Path, files: &[String]) {
    // The bot that played may have ended before its first backup.
    fs::create_dir_all(data.join("backups")).expect("a step of the test works");
    fs::remove_dir_all(data.join("backups")).expect("a step of the test works");
    fs::create_dir(data.join("backups")).expect("a step of the test works");
    files.iter().for_each(|file| fs::write(data.join("backups").join(file), "").expect("a step of the test works"));
}

#[test]
fn backups_dated_ahead_displace_no_new_one_and_old_ones_go_one_at_a_time() {
    let home = tempfile::tempdir().unwrap();
    let data = played(home.path());
    let days = (1..=9).flat_map(|day| [format!("2020-01-0{day}.jsonl"), format!("2099-01-0{day}.jsonl")]);
    let days: Vec<_> = days.collect();
    backed_up_on(&data, &days);
    let log = makes_a_round(&data, "[backups]\nkeep = 2\n", "+0d");
    let after = backups(&data);
    // Today's is new, and only the oldest is gone.
    assert_eq!(after.iter().filter(|name| !days.contains(name)).count(), 1, "{after:?}\n{log}");
    let gone: Vec<_> = days.iter().filter(|name| !after.contains(name)).collect();
    assert_eq!(gone, ["2020-01-01.jsonl"]);
    assert!(log.contains("2020-01-01.jsonl"), "{log}");
}

#[test]
fn a_clock_that_jumps_deletes_no_backup() {
    let home = tempfile::tempdir().unwrap();
    let data = played(home.path());
    backed_up_on(&data, &(1..=9).map(|day| format!("2020-01-0{day}.jsonl")).collect::<Vec<_>>());
    for clock in ["+3650d", "-3650d", "+0d"] {
        makes_a_round(&data, "[backups]\nkeep = 2\n", clock);
    }
    assert_eq!(backups(&data).iter().filter(|name| name.starts_with("2020-01-")).count(), 9);
}
