//! What the guides show is what runs: CONTRIBUTING's game compiles and plays, every scene in a guide goes as written.

#[path = "../guide/lib.rs"]
mod ember;

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ is in the workspace").to_owned()
}

fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).expect("it can be read")
}

#[test]
fn contributing_shows_the_game_that_is_tested() {
    let guide = text("CONTRIBUTING.md");
    for path in ["tests/guide/lib.rs", "tests/guide/wall.session"] {
        assert!(guide.contains(text(path).trim_end()), "CONTRIBUTING.md does not show {path} as it is");
    }
}

#[test]
fn every_scene_in_a_guide_goes_as_written() {
    for path in ["README.md", "CONTRIBUTING.md"] {
        let text = text(path);
        let scenes: Vec<&str> =
            text.split("```session\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
        assert!(!scenes.is_empty(), "{path} shows no scene");
        for scene in scenes {
            let plugins = vec![ember::plugin(), mvk::plugin(), roll::plugin()];
            if let Err(difference) =
                plugin_testkit::play(path, scene, plugins, plugin_testkit::Compare::Answers, |_| {})
            {
                panic!("{difference} (lines count from the scene's first)");
            }
        }
    }
}
