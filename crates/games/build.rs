//! Generates the list of games from this crate's manifest, so that a game is named in one place.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=Cargo.toml");
    let manifest = fs::read_to_string("Cargo.toml").expect("cargo builds a crate in its folder");
    let mut list = String::from("[\n");
    for line in manifest.lines().filter(|line| line.contains("path = \"../../plugins/")) {
        let game = line.split('=').next().unwrap_or_default().trim().replace('-', "_");
        writeln!(list, "    {game}::plugin,").expect("memory takes it");
    }
    list.push(']');
    let out = env::var_os("OUT_DIR").expect("cargo says where to");
    fs::write(Path::new(&out).join("games.rs"), list).expect("it can be written");

    println!("cargo::rerun-if-changed=files");
    let folder = fs::read_dir("files").expect("the files of games are there");
    let mut files: Vec<_> = folder.map(|entry| entry.expect("it can be read").path()).collect();
    files.sort();
    let mut list = String::from("[\n");
    for file in files {
        let text = fs::read_to_string(&file).expect("it can be read");
        writeln!(list, "    {text:?},").expect("memory takes it");
    }
    list.push(']');
    fs::write(Path::new(&out).join("files.rs"), list).expect("it can be written");
}
