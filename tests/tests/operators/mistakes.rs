//! Mistakes in a configuration: each is refused before anything starts, with what is right, and starting again does not
//! help.

use super::{astragal, said};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tests::{Conversation, program};

/// The status of a wrong configuration (EX_CONFIG).
const MISCONFIGURED: Option<i32> = Some(78);

/// Checks a configuration with this text, and these variables in the environment.
fn checked(home: &Path, text: &str, environment: &[(&str, &str)]) -> Output {
    let file = home.join("checked.toml");
    fs::write(&file, text).expect("a step of the test works");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("a step of the test works");
    let mut command = Command::new(program());
    command.arg("--config").arg(&file).arg("check-config").env_clear().env("HOME", home).stdin(Stdio::null());
    command.envs(environment.iter().copied()).output().expect("astragal runs")
}

#[test]
fn a_wrong_configuration_ends_with_a_status_of_its_own_and_the_unit_does_not_start_it_again() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("wrong.toml");
    fs::write(&file, "nam = 1\n").unwrap();
    for arguments in [vec!["--config", file.to_str().unwrap()], vec!["--config", "/nonexistent.toml"]] {
        let ended = astragal(home.path(), &arguments);
        assert_eq!(ended.status.code(), MISCONFIGURED, "{}", said(&ended));
    }
    // Another failure may pass.
    let none = astragal(home.path(), &["--data", home.path().to_str().unwrap(), "ctl", "status"]);
    assert_eq!(none.status.code(), Some(1), "{}", said(&none));
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/");
    for unit in ["astragal.service", "astragal.container"] {
        let text = fs::read_to_string(format!("{root}{unit}")).unwrap();
        assert!(text.contains("\nRestartPreventExitStatus=78\n") && text.contains("ctl reload\n"), "{unit}");
    }
}

#[test]
fn a_running_bot_is_asked_even_if_the_configuration_has_a_mistake_by_now() {
    let home = tempfile::tempdir().unwrap();
    let (file, data) = (home.path().join("wrong.toml"), home.path().join("data"));
    fs::write(&file, "nam = 1\n").unwrap();
    let asked = ["--config", file.to_str().unwrap(), "--data", data.to_str().unwrap(), "ctl", "status"];
    let none = said(&astragal(home.path(), &asked));
    assert!(none.contains("no bot answers on"), "{none}");
}

#[test]
fn what_can_mean_nothing_is_refused_with_its_cure() {
    let home = tempfile::tempdir().unwrap();
    let empty = home.path().join("empty");
    fs::write(&empty, "\n").unwrap();
    fs::set_permissions(&empty, fs::Permissions::from_mode(0o600)).unwrap();
    let matrix = "[matrix.home]\nhomeserver = \"example.org\"\nuser = \"dice\"\n";
    let irc = "[irc.net]\nserver = \"x\"\n";
    for (text, says) in [
        (
            format!("owners = [\"home:@mia\"]\n{matrix}password = \"x\"\n"),
            "line 1: owners: home:@mia is no user of Matrix; \"home:@mia:example.org\" is one",
        ),
        ("[limits]\nwindow_seconds = 0\n".to_owned(), "line 2: limits.window_seconds: a whole number from 1 up"),
        ("[limits]\nper_player = 0\n".to_owned(), "line 2: limits.per_player: a whole number from 1 up"),
        (
            format!("{matrix}password = \"x\"\nsync_seconds = 0\n"),
            "line 5: matrix.home.sync_seconds: a whole number from 1",
        ),
        (
            format!("{matrix}password = \"\"\n"),
            "line 4: matrix.home.password: it is empty; leave it out if there is none",
        ),
        (format!("{matrix}password_file = \"empty\"\n"), "empty is empty: write the secret into it"),
        (
            format!("{irc}[irc.net.channels]\n\"#A\" = {{}}\n\"#a\" = {{}}\n"),
            "line 5: irc.net.channels.#a: it is the same channel as #A: keep one of them",
        ),
        (
            format!("{irc}channels = [\"#tavern\"]\n"),
            "line 3: irc.net.channels: a section, not a list in brackets: [irc.net.channels], and in it a line \"#tavern\" = {} for each",
        ),
    ] {
        let checked = checked(home.path(), &text, &[]);
        assert_eq!(checked.status.code(), MISCONFIGURED, "{text}: {}", said(&checked));
        assert!(said(&checked).contains(says), "{text}: {}", said(&checked));
    }
    let plain = checked(home.path(), &format!("{irc}port = 6697\ntls = false\n"), &[]);
    let warned = "warning: irc.net: port 6697 is usually for TLS, and tls = false sends everything in the open";
    assert!(plain.status.success() && said(&plain).contains(warned), "{}", said(&plain));
}

#[test]
fn a_mistake_in_the_environment_names_its_variable_and_not_the_file() {
    let home = tempfile::tempdir().unwrap();
    let text = "[irc.net]\nserver = \"x\"\n";
    for (name, value, says) in [
        ("ASTRAGAL__IRC__NET__PORT", "x", "irc.net.port: a whole number, not \"x\""),
        ("ASTRAGAL__IRC__NET__PORT", "70000", "irc.net.port: a whole number from 0 to 65535"),
        ("ASTRAGAL__IRC__NET__TLS", "yes", "irc.net.tls: true or false, not \"yes\""),
        ("ASTRAGAL__IRC__NET__NICK", "a b", "irc.net.nick: \"a b\" is not a valid nick"),
        ("ASTRAGAL__IRC__NET__INVITES", "some", "irc.net.invites: one of nobody, admins, anybody"),
        ("ASTRAGAL__OWNERS", "mia", "owners: \"mia\" is not right; \"libera:account:mia\" is"),
        ("ASTRAGAL__NAM", "x", "there is no key nam"),
    ] {
        let checked = checked(home.path(), text, &[(name, value)]);
        assert_eq!(checked.status.code(), MISCONFIGURED, "{name}={value}: {}", said(&checked));
        let expected = format!("the configuration has a mistake:\n  {name} in the environment: {says}");
        assert!(said(&checked).contains(&expected), "{name}={value}: {}", said(&checked));
    }
}

#[test]
fn a_missing_secret_says_where_it_was_looked_for() {
    let home = tempfile::tempdir().unwrap();
    let text = "[irc.net]\nserver = \"x\"\npassword_file = \"secrets/irc\"\n";
    let file = home.path().join("secrets/irc");
    let missing = said(&checked(home.path(), text, &[("CREDENTIALS_DIRECTORY", "/run/credentials/astragal.service")]));
    let says = format!(
        "irc.net.password_file: {} cannot be read: No such file or directory (os error 2); it was looked for among the \
         service manager's credentials in /run/credentials/astragal.service too",
        file.display()
    );
    assert!(missing.contains(&says), "{missing}");
}

#[test]
fn the_journal_gets_a_priority_with_each_line_and_other_files_none() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("open.toml");
    fs::write(&file, "[irc.x]\nserver = \"127.0.0.1\"\nport = 1\ntls = false\npassword = \"sesame\"\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let logged = |format: &str, journal: &str| {
        let log = home.path().join("log");
        let script = format!(
            "exec 2>{log}; export JOURNAL_STREAM={journal}; timeout -s KILL 60 {program} --log-format {format} --config {file} \
             --data {data} & until grep -q 'no connection' {log}; do :; done; kill $!; wait",
            log = log.display(),
            program = program().display(),
            file = file.display(),
            data = home.path().join("data").display(),
        );
        assert!(Command::new("bash").args(["-c", &script]).stdin(Stdio::null()).status().unwrap().code().is_some());
        fs::read_to_string(log).unwrap()
    };
    let text = logged("text", "$(stat -Lc %d:%i /dev/stderr)");
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.iter().any(|line| line.starts_with("<4> WARN ") && line.contains("can read the secret")), "{text}");
    assert!(lines.iter().any(|line| line.starts_with("<6> INFO ") && line.contains("started")), "{text}");
    let json = logged("json", "$(stat -Lc %d:%i /dev/stderr)");
    assert!(json.lines().any(|line| line.starts_with("<4>{\"timestamp\"")), "{json}");
    // The variable is inherited by whatever a service starts, also where it writes elsewhere.
    let elsewhere = logged("text", "1:1");
    assert!(elsewhere.lines().all(|line| !line.starts_with('<')), "{elsewhere}");
}

#[test]
fn a_reload_under_systemd_says_that_its_secrets_wait_for_a_restart() {
    let home = tempfile::tempdir().unwrap();
    let told = |secrets: &str| {
        let data = home.path().join(secrets);
        let mut command = tests::astragal(&data);
        let bot = Conversation::with(command.env("INVOCATION_ID", "1").env(secrets, home.path()));
        let output = tests::astragal(&data).args(["ctl", "reload"]).output().unwrap();
        assert!(bot.end());
        String::from_utf8(output.stdout).unwrap()
    };
    let plain = "configuration reloaded: nothing has changed";
    let waits = format!("{plain}; secrets that systemd passes on are read at a start: systemctl restart astragal\n");
    assert_eq!(told("CREDENTIALS_DIRECTORY"), waits);
    assert_eq!(told("ANOTHER_DIRECTORY"), format!("{plain}\n"));
}
