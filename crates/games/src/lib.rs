//! The games there are. Which they are stands in this crate's `Cargo.toml`, one line a game; the program, its tests and
//! the manual take them from here.

use plugin_api::Plugin;

/// What makes each of them, in the order of their names.
const ALL: &[fn() -> Box<dyn Plugin>] = &include!(concat!(env!("OUT_DIR"), "/games.rs"));

/// All of them.
pub fn all() -> Vec<Box<dyn Plugin>> {
    ALL.iter().map(|game| game()).collect()
}

/// The ids of all of them.
pub fn ids() -> Vec<String> {
    all().iter().map(|game| game.manifest().id.clone()).collect()
}
