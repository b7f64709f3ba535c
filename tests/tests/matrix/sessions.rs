//! The session files of the project, heard in encrypted rooms as they are written.

use crate::evening::{People, play};
use plugin_testkit::Difference;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tests::matrix::Synapse;

/// Files that are played at a time.
const SIDE_BY_SIDE: usize = 3;

/// All session files of the plugins and of the core.
fn files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ is in the workspace");
    let entries = |path: PathBuf| fs::read_dir(path).into_iter().flatten().map(|entry| entry.expect("readable").path());
    let folders = entries(root.join("plugins")).chain([root.join("tests")]);
    let mut files: Vec<_> = folders.flat_map(|folder| entries(folder.join("sessions"))).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "session"));
    // The longest first: so nobody waits long for the last.
    files.sort_by_key(|path| fs::metadata(path).map_or(0, |file| file.len()));
    files
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sessions_of_the_project_are_heard_as_they_are_written() {
    let left = Arc::new(Mutex::new(files()));
    let players = (0..SIDE_BY_SIDE).map(|_| {
        let left = left.clone();
        tokio::spawn(async move {
            let mut people = People::new(Synapse::shared()).await;
            let mut results: Vec<Result<usize, Difference>> = Vec::new();
            loop {
                let next = left.lock().expect("nothing panics holding it").pop();
                let Some(path) = next else { return results };
                let text = fs::read_to_string(&path).expect("it can be read");
                results.push(play(&mut people, &path.display().to_string(), &text).await);
            }
        })
    });
    let (mut heard, mut wrong) = (0, Vec::new());
    for player in players.collect::<Vec<_>>() {
        for result in player.await.expect("it plays") {
            match result {
                Ok(count) => heard += count,
                Err(difference) => wrong.push(difference.to_string()),
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n\n"));
    assert!(heard > 500, "{heard} lines were heard");
}
