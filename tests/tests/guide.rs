//! The guides show what really runs: the game of docs/authors.md compiles and plays, and every scene in a guide plays as
//! written.

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
fn the_page_for_authors_shows_the_game_that_is_tested() {
    let guide = text("docs/authors.md");
    for path in ["tests/guide/lib.rs", "tests/guide/wall.session"] {
        assert!(guide.contains(text(path).trim_end()), "docs/authors.md does not show {path} as it is");
    }
}

#[test]
fn every_scene_in_a_guide_goes_as_written() {
    for path in [
        "README.md",
        "docs/authors.md",
        "docs/dice.md",
        "docs/between.md",
        "docs/players.md",
        "docs/gamemasters.md",
        "docs/rooms.md",
    ] {
        let text = text(path);
        let scenes: Vec<&str> =
            text.split("```session\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
        assert!(!scenes.is_empty(), "{path} shows no scene");
        for scene in scenes {
            // A scene that enables no plugins is played with plain dice.
            let own: &[fn() -> Box<dyn plugin_api::Plugin>] =
                if path == "docs/authors.md" { &[ember::plugin] } else { &[] };
            let plugins = games::all().into_iter().chain(own.iter().map(|plugin| plugin())).collect();
            if let Err(difference) =
                plugin_testkit::play(path, scene, plugins, plugin_testkit::Compare::Answers, |_| {})
            {
                panic!("{difference} (lines count from the scene's first)");
            }
        }
    }
}

/// The tables of other tools' notations, each under the tool's name.
#[test]
fn other_tools_notations_are_read_as_the_page_of_dice_says() {
    let page = text("docs/dice.md");
    for (name, dialect) in dice::Dialect::ALL.into_iter().filter(|(_, dialect)| *dialect != dice::Dialect::Native) {
        let section = page.split("\n### ").find(|section| section.to_lowercase().starts_with(name)).expect("a section");
        let cells =
            section.lines().filter_map(|line| line.strip_prefix("| `")?.strip_suffix("` |")?.split_once("` | `"));
        let cells: Vec<_> = cells.collect();
        assert!(cells.len() > 5, "{name} has no table");
        for (typed, native) in cells {
            let read = dice::Notation::typed_in(dialect, typed);
            assert_eq!(read.map(|read| read.to_string()).as_deref(), Ok(native), "{name}: {typed}");
        }
    }
}
