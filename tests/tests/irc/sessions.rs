//! Plays the project's session files through a real server and hears them as written.

use crate::irc::evening::{Played, play};
use plugin_testkit::Difference;
use std::path::PathBuf;
use std::sync::Mutex;
use std::{fs, thread};
use tests::irc::{Ngircd, NgircdOptions};
use tests::session_files;
use tokio::runtime::Runtime;

/// Files played at the same time.
const SIDE_BY_SIDE: usize = 4;

/// Plays the files side by side, because most of the time is spent waiting. Each speaker has a connection.
fn play_all(files: Vec<PathBuf>) -> Vec<Result<Played, Difference>> {
    let (files, played) = (Mutex::new(files), Mutex::new(Vec::new()));
    let next = || files.lock().expect("nothing panics holding it").pop();
    thread::scope(|scope| {
        for _ in 0..SIDE_BY_SIDE {
            scope.spawn(|| {
                let server = Ngircd::start(&NgircdOptions::default());
                let runtime = Runtime::new().expect("it starts");
                while let Some(path) = next() {
                    let text = fs::read_to_string(&path).expect("it can be read");
                    let result = runtime.block_on(play(server.port(), &path.display().to_string(), &text));
                    played.lock().expect("nothing panics holding it").push(result);
                }
            });
        }
    });
    played.into_inner().expect("nothing panicked holding it")
}

#[test]
fn the_projects_sessions_are_heard_as_written() {
    let (mut whole, mut in_part, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
    for result in play_all(session_files()) {
        match result {
            Ok(played) if played.left_out == 0 => whole.push(played),
            Ok(played) => in_part.push(played),
            Err(difference) => wrong.push(difference.to_string()),
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n\n"));
    // Edits are left out because IRC has none, but most lines must be played.
    let sum = |of: fn(&Played) -> usize| whole.iter().chain(&in_part).map(of).sum::<usize>();
    let (said, left_out, heard) = (sum(|all| all.said), sum(|all| all.left_out), sum(|all| all.heard));
    let counts = format!("{said} lines said, {left_out} left out, {heard} heard; whole {whole:?}, in part {in_part:?}");
    assert!(whole.len() > in_part.len() && said > left_out && heard > said / 2, "{counts}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_difference_is_named_with_its_line() {
    let server = Ngircd::start(&NgircdOptions::default());
    for (text, line, what) in [
        ("Ann> roll d6 [d6=4]\nbot< 5 | 1d6 [4] #1", 2, "heard:    4 | 1d6 [4] #1"),
        ("Ann> roll d6 [d6=4 d6=5]", 1, "scripted and not thrown: d6=5"),
        ("Ann> roll d6", 1, "no dice"),
        ("\nAnn> secret roll d6 [d6=4]\nbot@Ann< 4...\nbot@Ann< #1", 4, "by Ann alone"),
        ("@referee Gus\nAnn> secret roll d6 [d6=4]\nbot@Bob< 4...\nBob> hm", 3, "by Bob alone"),
        ("Ann> talk\nbot< talk", 2, "expected: talk"),
    ] {
        let difference = play(server.port(), "wrong", text).await.unwrap_err();
        assert!(difference.line == line && difference.what.contains(what), "{text}: {difference}");
    }
}
