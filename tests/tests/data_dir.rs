//! An unusable data directory gives one clear line with what to do and an exit status other than 0, and nothing
//! changes.

use chat::RoomId;
use journal::keys::TableId;
use journal::store::{Batch, Store};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use tests::{Conversation, answers, astragal, complaint, program, run, until_backed_up};

/// The user nobody, who cannot write into root's directories.
const NOBODY: u32 = 65_534;

fn play_a_little(data: &Path) {
    let output = run(data, b"!plugin enable mvk\n!insp +2\n");
    assert!(output.status.success());
}

fn content(data: &Path) -> Vec<u8> {
    fs::read(data.join("store/db")).expect("it is there")
}

#[test]
fn a_directory_in_use_by_another_bot_is_left_alone() {
    let data = tempfile::tempdir().unwrap();
    let mut first = Conversation::start(data.path());
    let says = complaint(&run(data.path(), b"!roll d6\n"));
    assert!(says.contains("in use by another astragal") && says.contains("--data DIR"), "{says}");
    assert!(first.ask("!roll 1").ends_with(": 1 | 1"));
    assert!(first.end());
}

#[test]
fn a_directory_that_cannot_be_written_is_named() {
    let data = tempfile::tempdir().unwrap();
    play_a_little(data.path());
    let before = content(data.path());
    // Nobody must be able to run the program and see the directory.
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("astragal");
    // By another program: a file that this one has open for writing may be inherited by what another test starts, and then
    // cannot be run.
    assert!(Command::new("cp").arg(program()).arg(&copy).status().unwrap().success());
    for path in [folder.path(), data.path()] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o555)).unwrap();
    }
    let mut command = Command::new(&copy);
    command.arg("--data").arg(data.path()).stdin(Stdio::null());
    if fs::metadata("/root").is_ok_and(|_| fs::read_dir("/root").is_ok()) {
        command.uid(NOBODY).gid(NOBODY);
    }
    let says = complaint(&command.output().unwrap());
    assert!(says.contains("cannot be used") && says.contains("--data DIR"), "{says}");
    fs::set_permissions(data.path(), fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(content(data.path()), before);
}

#[test]
fn what_only_reads_or_saves_data_creates_none() {
    let home = tempfile::tempdir().unwrap();
    let (typo, file) = (home.path().join("typo/data"), home.path().join("file"));
    fs::write(&file, "diary").unwrap();
    let written = home.path().join("out").into_os_string().into_string().unwrap();
    for command in [
        &["tables"][..],
        &["backup", &written],
        &["export", "hall", &written],
        &["seat", "console/hall", "console/attic", "--yes"],
        &["check"],
        &["check", "--rebuild"],
    ] {
        let says = complaint(&astragal(&typo).args(command).output().unwrap());
        assert!(says.contains("/typo/data: name the bot's data directory with --data"), "{command:?}: {says}");
        assert!(says.contains("there is no data in"), "{command:?}: {says}");
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1, "{command:?} creates something");
        for path in [file.join("below"), file.clone()] {
            let says = complaint(&astragal(&path).args(command).output().unwrap());
            assert!(says.contains("/file is a file, and data needs a directory"), "{command:?}: {says}");
        }
    }
}

#[test]
fn a_full_disk_at_the_start_is_named() {
    let data = tempfile::tempdir().unwrap();
    let limited = format!("trap '' XFSZ; ulimit -f 0; exec {} --data {}", program().display(), data.path().display());
    let output = Command::new("bash").args(["-c", &limited]).stdin(Stdio::null()).output().unwrap();
    let says = complaint(&output);
    assert!(says.contains("cannot be opened") && says.contains("File too large"), "{says}");
}

#[test]
fn a_full_disk_refuses_changes_until_there_is_room_again() {
    let data = tempfile::tempdir().unwrap();
    let mut bot = Conversation::on_a_full_disk(data.path(), 10_000);
    bot.ask("!plugin enable mvk");
    let held = 3;
    for held in 1..=held {
        assert!(bot.ask("!insp +1").contains(&format!("inspiration {held} ")));
    }
    bot.limit("--fsize=1000:");
    for _ in 0..3 {
        let refusal = bot.ask("!insp +1");
        assert!(refusal.contains("cannot store anything now"), "{refusal}");
    }
    bot.limit("--fsize=unlimited");
    assert!(bot.ask("!insp").contains(&format!("inspiration {held}")), "something was lost or half-written");
    assert!(bot.ask("!insp +1").contains(&format!("inspiration {} ", held + 1)));
    assert!(bot.end());
    // If the bot could not record that an answer was said, it repeats that answer first.
    let after = run(data.path(), b"!insp\n");
    assert!(answers(&after).last().unwrap().ends_with(&format!("inspiration {}", held + 1)));
}

#[test]
fn damaged_data_is_left_as_it_is_and_the_newest_backup_is_named() {
    let data = tempfile::tempdir().unwrap();
    play_a_little(data.path());
    let backups = data.path().join("backups");
    // The bot has written today's backup.
    let _ = fs::remove_dir_all(&backups);
    fs::create_dir_all(&backups).unwrap();
    let newest = backups.join("2001-01-02.jsonl");
    fs::write(backups.join("2001-01-01.jsonl"), "old").unwrap();
    fs::write(backups.join("2999-01-01.jsonl"), "of a clock that was wrong").unwrap();
    fs::write(&newest, "new").unwrap();
    let mut db = content(data.path());
    let text = b"\"inspiration\":2";
    let places: Vec<_> = (0..db.len() - text.len()).filter(|at| &db[*at..at + text.len()] == text).collect();
    assert!(!places.is_empty());
    for at in places {
        db[at + text.len() - 1] = b'9';
    }
    fs::write(data.path().join("store/db"), &db).unwrap();
    let says = complaint(&run(data.path(), b"!insp\n"));
    assert!(says.contains("is damaged and was left as it is"), "{says}");
    assert!(says.contains(&format!("astragal restore {}", newest.display())), "{says}");
    assert_eq!(content(data.path()), db);
}

#[test]
fn data_of_a_newer_version_is_refused() {
    let data = tempfile::tempdir().unwrap();
    play_a_little(data.path());
    {
        let store = astragal::store::look(&data.path().join("store")).unwrap();
        let mut batch = Batch::default();
        batch.put(journal::keys::SCHEMA_KEY, (journal::keys::SCHEMA + 1).to_string());
        store.commit(&batch).unwrap();
    }
    let says = complaint(&run(data.path(), b"!insp\n"));
    assert!(says.contains("newer astragal (schema 5, this one knows 4)") && says.contains("--schema 4"), "{says}");
}

#[test]
fn stored_files_are_readable_only_by_their_owner() {
    let data = tempfile::tempdir().unwrap();
    play_a_little(data.path());
    let mut folders = vec![data.path().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let entry = entry.unwrap();
            let mode = entry.metadata().unwrap().permissions().mode() & 0o077;
            assert_eq!(mode, 0, "{} can be seen by others", entry.path().display());
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            }
        }
    }
}

#[test]
fn a_backup_of_a_running_bot_brings_the_table_back() {
    let data = tempfile::tempdir().unwrap();
    let file = data.path().with_extension("jsonl");
    let mut bot = Conversation::start(data.path());
    bot.ask("!plugin enable mvk");
    bot.ask("!insp +4");
    let backup = |data: &Path| astragal(data).arg("backup").arg(&file).output().unwrap();
    let done = backup(data.path());
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    bot.ask("!insp +1");
    assert!(bot.end());
    assert!(complaint(&backup(data.path())).contains("is there already"));
    // For a version with an older schema, and for one that is too old.
    let back = data.path().with_extension("back");
    let write_for =
        |schema: &str| astragal(data.path()).arg("backup").arg(&back).args(["--schema", schema]).output().unwrap();
    assert!(complaint(&write_for("1")).contains("no way back to schema 1"));
    assert!(!back.exists());
    assert!(write_for("2").status.success());
    assert!(fs::read_to_string(&back).unwrap().starts_with(r#"{"astragal_backup":1,"schema":2,"#));
    fs::remove_file(&back).unwrap();

    fs::remove_dir_all(data.path()).unwrap();
    let restore = |data: &Path, file: &Path| astragal(data).arg("restore").arg(file).output().unwrap();
    let done = restore(data.path(), &file);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert_eq!(answers(&run(data.path(), b"!insp\n!roll 1d6\n"))[0], "mia: inspiration 4");
    // Players know the rolls made since the backup, so the dice get a new seed.
    {
        let store = astragal::store::look(&data.path().join("store")).unwrap();
        let table = TableId::of(&RoomId::new("console", "hall"));
        assert_eq!(journal::audit(&store, &table).unwrap().entries, 3);
        assert!(store.read(&journal::keys::seed(&table, 2)).unwrap().is_some());
    }
    let before = content(data.path());
    assert!(complaint(&restore(data.path(), &file)).contains("holds data already"));
    assert_eq!(content(data.path()), before);

    let text = fs::read_to_string(&file).unwrap().replacen("inspiration\":4", "inspiration\":9", 1);
    let changed = file.with_extension("changed");
    fs::write(&changed, text).unwrap();
    let other = tempfile::tempdir().unwrap();
    assert!(complaint(&restore(other.path(), &changed)).contains("cannot be used as a backup"));
    assert!(!other.path().join("store").exists());

    // The same for a bot that does not run.
    fs::remove_file(&file).unwrap();
    assert!(backup(data.path()).status.success());
    fs::remove_file(&file).unwrap();
    fs::remove_file(&changed).unwrap();
}

#[test]
fn a_damaged_store_is_rebuilt_to_the_last_command() {
    let data = tempfile::tempdir().unwrap();
    let mut bot = Conversation::start(data.path());
    until_backed_up(data.path());
    bot.ask("!plugin enable mvk");
    bot.ask("!insp +2");
    bot.ask("!insp +1");
    let rolled = bot.ask("!roll 3d6");
    assert!(bot.end());
    let check = |rebuild: &[&str]| astragal(data.path()).arg("check").args(rebuild).output().unwrap();
    let says = String::from_utf8(check(&[]).stdout).unwrap();
    assert!(says.contains("console/hall: ") && says.contains("everything stored is intact"), "{says}");

    let mut db = content(data.path());
    let text = b"\"inspiration\":3";
    for at in 0..db.len() - text.len() {
        if &db[at..at + text.len()] == text {
            db[at + text.len() - 1] = b'9';
        }
    }
    fs::write(data.path().join("store/db"), &db).unwrap();
    assert!(complaint(&check(&[])).contains("is damaged"));
    let says = complaint(&run(data.path(), b"!insp\n"));
    assert!(says.contains("astragal check --rebuild"), "{says}");
    let done = check(&["--rebuild"]);
    let says = String::from_utf8(done.stdout).unwrap();
    assert!(
        done.status.success() && says.contains("rebuilt from ") && says.contains(" commits logged since"),
        "{says}{}",
        String::from_utf8_lossy(&done.stderr)
    );
    assert!(!says.contains("is lost") && data.path().join("store.damaged/db").exists(), "{says}");
    let said = answers(&run(data.path(), b"!insp\n!why\n"));
    assert_eq!(said[0], "mia: inspiration 3");
    assert!(said[1].contains(rolled.rsplit_once('#').unwrap().1), "{said:?} after {rolled}");
    // Only the data set aside the first time is in the way of a second rebuild.
    assert!(complaint(&check(&["--rebuild"])).contains("is there already"));
    // As after a power failure before the new store was in place.
    fs::rename(data.path().join("store"), data.path().join("store.part")).unwrap();
    for says in [complaint(&run(data.path(), b"!insp\n")), complaint(&check(&[]))] {
        assert!(says.contains("a rebuild was interrupted here"), "{says}");
    }
}

#[test]
fn a_backup_of_one_database_is_restored_into_another() {
    let home = tempfile::tempdir().unwrap();
    let (file, config) = (home.path().join("all.jsonl"), home.path().join("redb.toml"));
    fs::write(&config, "[store]\ndatabase = \"redb\"\n").unwrap();
    let [sled, redb, back] = ["sled", "redb", "back"].map(|name| home.path().join(name));
    let on_redb = |data: &Path, words: &[&str]| {
        let output = astragal(data).arg("--config").arg(&config).args(words).arg(&file).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    play_a_little(&sled);
    let held = answers(&run(&sled, b"!insp\n"));
    assert!(astragal(&sled).arg("backup").arg(&file).output().unwrap().status.success());
    on_redb(&redb, &["restore"]);
    assert!(redb.join("store/redb").exists() && !redb.join("store/db").exists());
    // Existing data is not ignored in favor of an empty database.
    let says = complaint(&run(&redb, b"!insp\n"));
    assert!(says.contains("is kept in redb") && says.contains("astragal backup FILE"), "{says}");

    let mut bot = Conversation::with(astragal(&redb).arg("--config").arg(&config));
    assert_eq!(bot.ask("!insp"), held[0]);
    bot.ask("!insp +1");
    bot.kill();
    let mut bot = Conversation::with(astragal(&redb).arg("--config").arg(&config));
    let after = bot.ask("!insp");
    assert_ne!(after, held[0]);
    assert!(bot.end());
    fs::remove_file(&file).unwrap();
    on_redb(&redb, &["backup"]);
    assert!(astragal(&back).arg("restore").arg(&file).output().unwrap().status.success());
    assert!(back.join("store/db").exists());
    assert_eq!(answers(&run(&back, b"!insp\n"))[0], after);
}
