//! Plays the project's session files in encrypted rooms and hears them as written.

use crate::matrix::evening::{People, play};
use plugin_testkit::Difference;
use std::fs;
use std::sync::{Arc, Mutex};
use tests::matrix::Synapse;
use tests::session_files;

/// Files played at the same time.
const SIDE_BY_SIDE: usize = 3;

#[tokio::test(flavor = "multi_thread")]
async fn the_projects_sessions_are_heard_as_written() {
    let left = Arc::new(Mutex::new(session_files()));
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
