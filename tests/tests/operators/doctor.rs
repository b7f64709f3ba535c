//! `astragal doctor` on an installation that is well, and on one that is not.

use super::said;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tests::irc::{Client, Ngircd, NgircdOptions};
use tests::{astragal, program, until_backed_up};

fn doctor(data: &Path, config: &Path) -> Output {
    astragal(data).arg("--config").arg(config).arg("doctor").output().expect("it runs")
}

fn config(home: &Path, name: &str, text: &str) -> std::path::PathBuf {
    let file = home.join(name);
    fs::write(&file, text).expect("it can be written");
    file
}

#[test]
fn the_doctor_finds_a_healthy_bot_healthy_whether_it_runs_or_not() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    let server = Ngircd::start(&NgircdOptions::default());
    let text = format!("[irc.den]\nserver = \"127.0.0.1\"\nport = {}\ntls = false\n", server.port());
    let config = config(home.path(), "a.toml", &(text + "[irc.den.channels]\n\"#hall\" = {}\n"));
    let mut watcher = Client::connect(server.port(), "ann");
    watcher.join("#hall");
    let mut bot = astragal(&data).arg("--config").arg(&config).spawn().unwrap();
    watcher.wait_for(|said| said.contains("JOIN") && said.contains(":astragal!"));
    until_backed_up(&data);
    let running = doctor(&data, &config);
    assert!(said(&running).contains(&format!("ok     bot: it runs on {} as process {}", data.display(), bot.id())));
    assert!(said(&running).contains("ok     login: den: connected"), "{}", said(&running));
    assert!(Command::new("kill").arg(bot.id().to_string()).status().unwrap().success());
    bot.wait().unwrap();
    let stopped = doctor(&data, &config);
    assert!(said(&stopped).contains("ok     bot: it is stopped"), "{}", said(&stopped));
    for output in [running, stopped] {
        assert!(output.status.success() && !said(&output).contains("WRONG"), "{}", said(&output));
        for about in ["configuration", "bot", "secrets", "clock", "disk", "files", "backup", "limits", "login"] {
            assert!(said(&output).contains(&format!("\nok     {about}: ")) || about == "configuration", "{about}");
        }
    }
}

#[test]
fn the_doctor_names_everything_that_is_wrong_with_its_cure() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    assert!(tests::run(&data, b"!roll 2d1\n").status.success());
    let secret = home.path().join("secret");
    fs::write(&secret, "sesame").unwrap();
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o644)).unwrap();
    let text = "[irc.den]\nserver = \"127.0.0.1\"\nport = 1\ntls = false\npassword_file = \"secret\"\n\
                [matrix.home]\nhomeserver = \"http://127.0.0.1:1\"\nuser = \"dice\"\npassword = \"x\"\n";
    let config = config(home.path(), "a.toml", text);
    fs::set_permissions(&config, fs::Permissions::from_mode(0o600)).unwrap();
    // A device without a key, a backup of long ago, a store from tomorrow, an open directory.
    fs::create_dir_all(data.join("matrix/home")).unwrap();
    let _ = fs::remove_dir_all(data.join("backups"));
    fs::create_dir(data.join("backups")).unwrap();
    fs::write(data.join("backups/2020-01-01.jsonl"), "").unwrap();
    assert!(Command::new("touch").args(["-d", "+1 day"]).arg(data.join("store/db")).status().unwrap().success());
    fs::set_permissions(&data, fs::Permissions::from_mode(0o755)).unwrap();
    if super::is_root() {
        std::os::unix::fs::chown(data.join("lock"), Some(1), Some(1)).unwrap();
    }
    let few = format!("ulimit -n 200; exec {} --data \"$0\" --config \"$1\" doctor", program().display());
    let mut command = Command::new("bash");
    let output = command.args(["-c", &few]).arg(&data).arg(&config).stdin(Stdio::null()).output().unwrap();
    let says = said(&output);
    assert_eq!(output.status.code(), Some(1), "{says}");
    for (about, what, cure) in [
        ("secrets", "can read the secret in", "chmod o-r"),
        ("clock", "data was written later than that", "timedatectl set-ntp true"),
        ("files", "is open to others (mode 755)", "type chmod 700"),
        ("backup", "the newest is from 2020-01-01", "run astragal ctl backup"),
        ("keys", "home: nothing restores the account's keys", "astragal matrix recovery restore home"),
        ("limits", "max open files 200", "LimitNOFILE=65536"),
        ("login", "den: 127.0.0.1:1 cannot be reached", "correct [irc.den]"),
        ("login", "home: the homeserver does not answer", "correct [matrix.home]"),
    ] {
        let found = says.lines().find(|line| line.starts_with(&format!("WRONG  {about}: ")) && line.contains(what));
        assert!(found.is_some_and(|line| line.contains(cure)), "{about}: {what}: {cure}\n{says}");
    }
    if super::is_root() {
        assert!(says.contains("belongs to daemon, and the directory to root; type chown -R 0: "), "{says}");
    }
}

#[test]
fn the_doctor_tells_a_mistake_in_the_configuration_and_data_that_is_not_there() {
    let home = tempfile::tempdir().unwrap();
    let wrong = doctor(home.path(), &config(home.path(), "wrong.toml", "nam = 1\n"));
    assert_eq!(wrong.status.code(), Some(1));
    assert!(said(&wrong).contains("line 1: there is no key nam: did you mean name?"), "{}", said(&wrong));
    let typo = home.path().join("typo");
    let nothing = doctor(&typo, &config(home.path(), "right.toml", ""));
    assert_eq!(nothing.status.code(), Some(1));
    assert!(said(&nothing).contains("WRONG  bot: there is no data in"), "{}", said(&nothing));
    assert!(!typo.exists(), "the doctor makes a directory");
}
