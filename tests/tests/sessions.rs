//! Sessions of the core itself, played like those of the games.

use std::fs;

#[test]
fn the_core_plays_as_written() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/sessions");
    let mut paths: Vec<_> =
        fs::read_dir(folder).expect("it is there").map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    for path in paths {
        let text = fs::read_to_string(&path).expect("it can be read");
        if let Err(difference) = plugin_testkit::play(
            &path.display().to_string(),
            &text,
            games::all(),
            plugin_testkit::Compare::Answers,
            |_| {},
        ) {
            panic!("{difference}");
        }
    }
}
