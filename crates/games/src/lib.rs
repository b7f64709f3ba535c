//! The list of games. It is in this crate's `Cargo.toml`, one line per game; the program, its tests and the manual take
//! it from here.

use declared::{Game, Mistake, Mistakes};
use plugin_api::{Kind, Manifest, Plugin};
use std::sync::{Arc, OnceLock};

/// The constructor of each game, in name order.
const ALL: &[fn() -> Box<dyn Plugin>] = &include!(concat!(env!("OUT_DIR"), "/games.rs"));

/// The texts of the games that are files and come with the program.
const FILES: &[&str] = &include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// The games that are files and come with the program. An operator's file with the same name takes the place of one.
///
/// # Panics
/// If something is wrong in one.
pub fn files() -> Vec<Arc<Game>> {
    let read = |text: &&str| read(text).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    FILES.iter().map(read).map(Arc::new).collect()
}

/// Reads a game that is a file, to be played beside the tools of every table.
///
/// # Errors
/// All that is wrong in it.
pub fn read(text: &str) -> Result<Game, Mistakes> {
    static TOOLS: OnceLock<Vec<Box<dyn Plugin>>> = OnceLock::new();
    let all = TOOLS.get_or_init(all);
    let tools: Vec<&Manifest> = all.iter().map(|game| game.manifest()).filter(|game| game.kind == Kind::Tool).collect();
    let game = declared::read_beside(text, &tools)?;
    let Manifest { tables, decks, .. } = &game.manifest;
    let headings = tables.iter().map(|table| format!("oracle {}", table.name));
    let headings = headings.chain(decks.keys().map(|deck| format!("deck {deck}")));
    let refused = |heading: &String| all.iter().find_map(|tool| tool.refuses(heading));
    let wrong = headings.filter_map(|heading| Some(declared::wrong_heading(text, &heading, refused(&heading)?)));
    let wrong: Vec<Mistake> = wrong.collect();
    if wrong.is_empty() { Ok(game) } else { Err(Mistakes(wrong)) }
}

/// All games that are made with the program.
pub fn all() -> Vec<Box<dyn Plugin>> {
    ALL.iter().map(|game| game()).collect()
}

/// The ids of all games.
pub fn ids() -> Vec<String> {
    all().iter().map(|game| game.manifest().id.clone()).collect()
}
