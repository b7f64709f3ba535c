//! The list of games. It is in this crate's `Cargo.toml`, one line per game; the program, its tests and the manual take
//! it from here.

use plugin_api::Plugin;

/// The constructor of each game, in name order.
const ALL: &[fn() -> Box<dyn Plugin>] = &include!(concat!(env!("OUT_DIR"), "/games.rs"));

/// All games.
pub fn all() -> Vec<Box<dyn Plugin>> {
    ALL.iter().map(|game| game()).collect()
}

/// The ids of all games.
pub fn ids() -> Vec<String> {
    all().iter().map(|game| game.manifest().id.clone()).collect()
}
