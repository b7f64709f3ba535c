//! Plays the project's session files in encrypted rooms and hears them as written: those with something in them that a
//! network can get wrong, and with `tests/run --long`, all.

use crate::matrix::evening::{People, play};
use plugin_testkit::Difference;
use plugin_testkit::session::{self, Directive, What, Whose};
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use tests::matrix::Synapse;
use tests::session_files;

/// Files played at the same time.
const SIDE_BY_SIDE: usize = 3;

#[tokio::test(flavor = "multi_thread")]
async fn the_projects_sessions_are_heard_as_written() {
    let mut files = session_files();
    if std::env::var_os("ASTRAGAL_SESSIONS").is_none() {
        files.retain(|path| is_about_the_network(path));
    }
    let left = Arc::new(Mutex::new(files));
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

/// True if a session has edits, private answers, several rooms, limits or messages of several lines. An evening that is
/// played once more with other words for the same commands says nothing new here.
fn is_about_the_network(path: &Path) -> bool {
    let again = path.file_stem().is_some_and(|name| name.to_string_lossy().ends_with("-typed"));
    let steps = session::parse(&fs::read_to_string(path).expect("it can be read")).expect("a session");
    !again
        && steps.iter().any(|step| match &step.what {
            What::Say { text, edit, .. } => *edit || text.contains('\n'),
            What::Expect { whose, .. } => matches!(whose, Whose::Private(_)),
            What::Direct(directive) => matches!(directive, Directive::Room(_) | Directive::Limits(_)),
        })
}
