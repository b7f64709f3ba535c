//! Backups on a full disk, compressed, to standard output, elsewhere, and copied by the operator's own command.

use super::said;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tests::{Conversation, answers, astragal, complaint, free_port, program, run, until, until_backed_up};

/// The unfinished files below a directory.
fn parts(directory: &Path) -> Vec<PathBuf> {
    let (mut folders, mut found) = (vec![directory.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("it is there") {
            let path = entry.expect("readable").path();
            match path.is_dir() {
                true => folders.push(path),
                false => found.extend(Some(path).filter(|path| path.extension().is_some_and(|ends| ends == "part"))),
            }
        }
    }
    found
}

#[test]
fn a_backup_that_does_not_fit_leaves_nothing() {
    let home = tempfile::tempdir().unwrap();
    let (data, file) = (home.path().join("data"), home.path().join("all.jsonl"));
    let mut bot = Conversation::on_a_full_disk(&data, 1_000_000);
    bot.ask("!plugin enable mvk");
    until_backed_up(&data);
    // The command may not write.
    let limited = format!("trap '' XFSZ; ulimit -f 0; exec {} --data \"$0\" backup \"$1\"", program().display());
    let output = Command::new("bash").args(["-c", &limited]).arg(&data).arg(&file).output().unwrap();
    assert!(complaint(&output).contains("is full: make room"), "{}", said(&output));
    assert!(parts(home.path()).is_empty());
    // The bot may not write.
    bot.limit("--fsize=10:");
    for words in [&["ctl", "backup"][..], &["backup", file.to_str().unwrap()]] {
        let output = astragal(&data).args(words).output().unwrap();
        assert!(complaint(&output).contains("is full: make room"), "{words:?}: {}", said(&output));
        assert!(parts(home.path()).is_empty(), "{words:?}");
    }
    // Operators are answered all the same.
    assert!(astragal(&data).args(["ctl", "status"]).output().unwrap().status.success());
    bot.limit("--fsize=unlimited");
    assert!(astragal(&data).arg("backup").arg(&file).output().unwrap().status.success());
    assert!(bot.end());
}

#[test]
fn a_backup_leaves_the_store_room_on_its_disk() {
    if !super::is_root() {
        eprintln!("skipped: only root can make a disk of its own");
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let script = "mount -t tmpfs -o size=12m tmpfs \"$0\" && set -- \"$1\" --data \"$0/data\" && cd \"$0\"\n\
                  echo '!roll 2d1' | \"$@\" >/dev/null && rm -f data/backups/*\n\
                  head -c $(($(df --output=avail -B1 . | tail -1) - 1200000)) /dev/zero >filler\n\
                  \"$@\" backup all.jsonl; ls -d all*\n\
                  rm filler && \"$@\" backup all.jsonl && echo '!roll 2d1' | \"$@\" | tail -1\n\
                  mkdir -p data/backups && cat /dev/zero >data/backups/2001-01-01.jsonl.part; df --output=avail . | tail -1\n\
                  echo '!roll 2d1' | \"$@\" | tail -1";
    let mut command = Command::new("unshare");
    command.args(["--mount", "bash", "-c", script]).arg(home.path()).arg(program());
    let says = said(&command.stdin(Stdio::null()).output().unwrap());
    assert!(says.contains("which the store needs: make room"), "{says}");
    assert!(says.contains("cannot access 'all*'") && says.contains("records written to all.jsonl"), "{says}");
    assert!(says.contains("#2"), "{says}");
    // What a backup left fills the disk, and the bot needs room to open its store.
    assert!(says.lines().any(|line| line.trim() == "0") && says.contains("#3"), "{says}");
}

#[test]
fn a_bot_whose_disk_is_full_says_so_to_whoever_watches_it() {
    if !super::is_root() {
        eprintln!("skipped: only root can make a disk of its own");
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let script = r#"
        port=$2
        mount -t tmpfs -o size=12m tmpfs "$0" && cd "$0" || exit
        printf '[watch]\nlisten = "127.0.0.1:%s"\n' "$port" >a.toml
        set -- "$1" --config a.toml --data data
        coproc bot { "$@"; }
        echo '!roll 2d1' >&"${bot[1]}"
        until [[ $line == *'#1' ]]; do read -r line <&"${bot[0]}" || exit; done
        asked() {
            exec 3<>"/dev/tcp/127.0.0.1/$port" && printf 'GET /ready HTTP/1.0\r\n\r\n' >&3 && cat <&3
            "$@" ctl status --check; echo "checked: $?"
        }
        asked "$@"; head -c 20M /dev/zero >filler; asked "$@"; rm filler; asked "$@"
        eval "exec ${bot[1]}>&-"; wait"#;
    let mut command = Command::new("unshare");
    command.args(["--mount", "bash", "-c", script]).arg(home.path()).arg(program()).arg(free_port().to_string());
    let says = said(&command.stdin(Stdio::null()).output().unwrap());
    let all: Vec<&str> = says.split("HTTP/1.0 ").skip(1).collect();
    let [before, full, after] = all.as_slice() else { panic!("{says}") };
    for well in [before, after] {
        assert!(well.starts_with("200 OK") && well.contains("checked: 0"), "{says}");
    }
    assert!(full.starts_with("503 ") && full.matches("the disk is full: only ").count() == 2, "{says}");
    assert!(full.contains("checked: 1"), "{says}");
}

#[test]
fn what_interrupted_backups_left_is_gone_before_the_store_is_opened() {
    let data = tempfile::tempdir().unwrap();
    assert!(run(data.path(), b"!roll 2d1\n").status.success());
    let backups = data.path().join("backups");
    fs::create_dir_all(&backups).unwrap();
    let left = [
        backups.join("2001-01-01.jsonl.part"),
        backups.join("2001-01-02.jsonl.gz.part"),
        data.path().join("backup-7.part"),
    ];
    let others = backups.join("letter.part");
    let leave = || left.iter().chain([&others]).for_each(|path| fs::write(path, "x").unwrap());
    leave();
    assert!(run(data.path(), b"!roll 2d1\n").status.success());
    // A bot that stops at once may leave today's.
    let gone = || left.iter().all(|path| !path.exists()) && others.exists();
    assert!(gone(), "only what is the bot's is removed: {:?}", parts(data.path()));
    leave();
    assert!(astragal(data.path()).arg("check").output().unwrap().status.success());
    assert!(gone(), "{:?}", parts(data.path()));
    leave();
    assert!(astragal(data.path()).args(["backup", "-"]).output().unwrap().status.success());
    assert!(gone(), "{:?}", parts(data.path()));
}

#[test]
fn backups_are_compressed_and_restored_whatever_their_form() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    let mut bot = Conversation::start(&data);
    until_backed_up(&data);
    bot.ask("!plugin enable mvk");
    for round in 0..40 {
        bot.ask(&format!("!roll 4d6kh3 # the wolf at the ford, round {round}"));
    }
    bot.ask("!insp +2");
    let write = |name: &str| {
        let file = home.path().join(name);
        let output = astragal(&data).arg("backup").arg(&file).output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
        file
    };
    let standard = || {
        let output = astragal(&data).args(["backup", "-"]).output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{}", said(&output));
        output.stdout
    };
    let (plain, packed, piped) = (write("plain.jsonl"), write("packed.jsonl.gz"), standard());
    let older = astragal(&data).args(["backup", "--schema", "3"]).arg(home.path().join("old.gz")).output().unwrap();
    assert!(complaint(&older).contains("an older astragal reads no compressed backup"), "{}", said(&older));
    assert!(bot.end());
    // The same without a running bot.
    let (plain_too, packed_too, piped_too) = (write("plain2.jsonl"), write("packed2.jsonl.gz"), standard());
    let size = |file: &Path| fs::metadata(file).unwrap().len();
    for (plain, packed) in [(&plain, &packed), (&plain_too, &packed_too)] {
        assert!(size(packed) * 5 < size(plain) * 2, "{} of {} bytes", size(packed), size(plain));
    }
    let from_pipe = |name: &str, bytes: &[u8]| {
        let file = home.path().join(name);
        fs::write(&file, bytes).unwrap();
        file
    };
    let files = [plain, packed, from_pipe("a", &piped), plain_too, packed_too, from_pipe("b", &piped_too)];
    for (number, file) in files.iter().enumerate() {
        let there = home.path().join(format!("restored-{number}"));
        let output = astragal(&there).arg("restore").arg(file).output().unwrap();
        assert!(output.status.success(), "{}: {}", file.display(), said(&output));
        let held = answers(&run(&there, b"!insp\n"));
        assert!(held.last().unwrap().ends_with("inspiration 2"), "{held:?}");
    }
    // A compressed backup that is cut off is refused.
    let mut cut = fs::read(&files[1]).unwrap();
    cut.truncate(cut.len() / 2);
    let output = astragal(&home.path().join("cut")).arg("restore").arg(from_pipe("cut.gz", &cut)).output().unwrap();
    assert!(complaint(&output).contains("cannot be used as a backup"), "{}", said(&output));
}

#[test]
fn a_daily_backup_is_kept_elsewhere_and_copied_by_the_operators_command() {
    let home = tempfile::tempdir().unwrap();
    let (data, config) = (home.path().join("data"), home.path().join("a.toml"));
    let [elsewhere, copies] = ["elsewhere", "copies"].map(|name| home.path().join(name));
    fs::create_dir(&copies).unwrap();
    let copy = format!("\"sh\", \"-c\", \"env > {0}/env; cp $0 {0}/ && echo done > {0}/done\"", copies.display());
    let text = format!("[backups]\ndirectory = \"{}\"\nafter = [{copy}]\n", elsewhere.display());
    fs::write(&config, text).unwrap();
    // Whoever opens the pipe to read waits until the command has done its work.
    assert!(Command::new("mkfifo").arg(copies.join("done")).status().unwrap().success());
    let bot =
        Conversation::with(astragal(&data).arg("--config").arg(&config).env("ASTRAGAL__CONSOLE__NAME", "a secret"));
    assert_eq!(fs::read_to_string(copies.join("done")).unwrap(), "done\n");
    let names = |directory: &Path| {
        let names = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.ends_with(".jsonl.gz")).collect::<Vec<_>>()
    };
    assert_eq!((names(&elsewhere).len(), names(&copies)), (1, names(&elsewhere)));
    assert!(!data.join("backups").exists());
    assert!(
        !fs::read_to_string(copies.join("env")).unwrap().contains("a secret"),
        "the command gets the bot's secrets"
    );
    assert!(bot.end());
    let output = astragal(&home.path().join("copied")).arg("restore").arg(copies.join(&names(&copies)[0])).output();
    assert!(output.unwrap().status.success());
}

#[test]
fn a_command_that_fails_after_the_backup_is_in_the_log_the_status_and_the_doctors_words() {
    let home = tempfile::tempdir().unwrap();
    let config = home.path().join("a.toml");
    fs::write(&config, "[backups]\nafter = [\"sh\", \"-c\", \"echo the attic is locked >&2; exit 4\"]\n").unwrap();
    let mut command = astragal(&home.path().join("data"));
    let mut bot = command.arg("--config").arg(&config).stdin(Stdio::piped()).spawn().unwrap();
    let mut log = BufReader::new(bot.stderr.take().unwrap()).lines().map_while(Result::ok);
    let line = log.find(|line| line.contains("the command after the backup failed")).unwrap();
    let why = "sh ended with exit status: 4: the attic is locked";
    assert!(line.contains(why), "{line}");
    let ask = |words: &[&str]| {
        let mut command = astragal(&home.path().join("data"));
        said(&command.arg("--config").arg(&config).args(words).output().unwrap())
    };
    let status = ask(&["ctl", "status"]);
    assert!(status.contains("the command after the backup failed") && status.contains(why), "{status}");
    let doctor = ask(&["doctor"]);
    assert!(doctor.lines().any(|line| line.starts_with("WRONG  backup:") && line.contains(why)), "{doctor}");
    bot.kill().unwrap();
    bot.wait().unwrap();
}

#[test]
fn a_command_that_failed_is_tried_again_at_the_next_start_and_never_after_it_succeeded() {
    let home = tempfile::tempdir().unwrap();
    let (data, config) = (home.path().join("data"), home.path().join("a.toml"));
    let mut tries = Vec::new();
    for (attic, succeeded) in [("away", 0), ("there", 1), ("there", 1)] {
        let script = format!("echo {attic} >> {0}/tries; [ {attic} = there ]", home.path().display());
        fs::write(&config, format!("[backups]\nafter = [\"sh\", \"-c\", \"{script}\"]\n")).unwrap();
        let mut bot = Conversation::with(astragal(&data).arg("--config").arg(&config));
        bot.ask("!roll d6");
        until("the command was tried", || {
            let noted = usize::from(data.join("backups/copied").exists());
            tries =
                fs::read_to_string(home.path().join("tries")).unwrap_or_default().lines().map(str::to_owned).collect();
            !tries.is_empty() && noted == succeeded
        });
        assert!(bot.end());
    }
    assert_eq!(tries, ["away", "there"]);
}

#[test]
fn a_lost_store_is_made_from_the_newest_backup_and_never_begun_empty() {
    let data = tempfile::tempdir().unwrap();
    let mut bot = Conversation::start(data.path());
    bot.ask("!plugin enable mvk");
    bot.ask("!insp +3");
    assert!(bot.end());
    // The backup of today, with what was played.
    let _ = fs::remove_dir_all(data.path().join("backups"));
    let bot = Conversation::start(data.path());
    until_backed_up(data.path());
    assert!(bot.end());
    fs::remove_dir_all(data.path().join("store")).unwrap();
    for words in [&[][..], &["tables"], &["check"]] {
        let says = complaint(&astragal(data.path()).args(words).output().unwrap());
        assert!(says.contains("astragal check --rebuild"), "{words:?}: {says}");
        assert!(!data.path().join("store").exists());
    }
    let output = astragal(data.path()).args(["check", "--rebuild"]).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    assert!(said(&output).contains("what was played after that is lost"), "{}", said(&output));
    let held = answers(&run(data.path(), b"!insp\n"));
    assert!(held.last().unwrap().ends_with("inspiration 3"), "{held:?}");
    // A backup that was ordered later on that day has more.
    let mut bot = Conversation::start(data.path());
    bot.ask("!insp +1");
    assert!(astragal(data.path()).args(["ctl", "backup"]).output().unwrap().status.success());
    assert!(bot.end());
    fs::remove_dir_all(data.path().join("store")).unwrap();
    assert!(astragal(data.path()).args(["check", "--rebuild"]).output().unwrap().status.success());
    let held = answers(&run(data.path(), b"!insp\n"));
    assert!(held.last().unwrap().ends_with("inspiration 4"), "{held:?}");
}

#[test]
fn a_backup_on_standard_output_is_only_a_backup() {
    let data = tempfile::tempdir().unwrap();
    assert!(run(data.path(), b"!roll 2d1\n").status.success());
    let mut child = astragal(data.path()).args(["backup", "-"]).spawn().unwrap();
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert!(child.wait().unwrap().success());
    assert!(text.starts_with("{\"astragal_backup\":1,") && text.lines().last().unwrap().contains("\"end\":true"));
}

#[test]
fn only_somebody_who_looks_at_a_terminal_sees_progress_and_columns() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    assert!(run(&data, b"!plugin enable mvk\n").status.success());
    let file = home.path().join("hall.jsonl");
    assert!(astragal(&data).args(["export", "hall"]).arg(&file).output().unwrap().status.success());
    let on_a_terminal = |words: &str| {
        let line = format!("{} --data {} {words}", program().display(), data.display());
        let mut command = Command::new("script");
        command.args(["--quiet", "--return", "--command", &line, "/dev/null"]).stdin(Stdio::null());
        said(&command.output().expect("util-linux has script"))
    };
    let elsewhere = |words: &str| said(&astragal(&data).args(words.split(' ')).output().unwrap());
    let verify = format!("verify {}", file.display());
    assert!(on_a_terminal(&verify).contains("reading ") && !elsewhere(&verify).contains("reading "));
    assert_eq!(elsewhere("tables"), "console/hall: #1, rooms console/hall\n");
    let shown = on_a_terminal("tables");
    assert!(shown.contains("Table         Last entry  Rooms\r\nconsole/hall  #1          console/hall"), "{shown}");
}
