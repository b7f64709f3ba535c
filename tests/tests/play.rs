//! Play through the whole core, in memory: sessions, lines as people type them, and what holds for every command.

// `core` alone would be the standard library's.
mod brought;
mod catalogue;
mod completion;
mod declarations;
mod every_word;
mod game_files;
mod game_scenes;
mod game_versions;
mod games;
mod golden;
mod misread;
mod own_games;
mod properties;
mod published;
mod reads;
mod sessions;
#[path = "core.rs"]
mod the_core;
mod typed;
