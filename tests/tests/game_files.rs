//! Games that are a file: they are read, and their scenes play as written.

use declared::{plugin, read};
use plugin_testkit::Compare;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The files of games in a folder.
fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
    let entries = fs::read_dir(folder).expect("it is there").map(|entry| entry.expect("readable").path());
    let mut files: Vec<_> = entries.filter(|path| path.extension().is_some_and(|end| end == "game")).collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

#[test]
fn the_scenes_of_every_file_play_as_written() {
    let mut wrong = Vec::new();
    for path in files("config/games") {
        let (name, text) = (path.display().to_string(), fs::read_to_string(&path).expect("it can be read"));
        let game = match read(&text) {
            Ok(game) => game,
            Err(mistakes) => {
                wrong.push(format!("{name}:\n{mistakes}"));
                continue;
            }
        };
        assert!(!game.scenes.is_empty(), "{name} has no scene");
        for scene in game.scenes.clone() {
            let mut plugins = games::all();
            plugins.push(plugin(Arc::new(game.clone())));
            if let Err(difference) = plugin_testkit::play(&name, &scene.text, plugins, Compare::Answers, |_| {}) {
                wrong.push(difference.to_string());
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
