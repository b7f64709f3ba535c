//! Games that are files of the operator's: read at the start, and again with the configuration. A wrong file is left out
//! alone, and what was read of it before goes on.

use anyhow::{Context, bail, ensure};
use declared::Game;
use plugin_api::Plugin;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use table::Plugins;

/// How the name of such a file ends.
const ENDING: &str = "game";
/// The most files of a directory, and bytes of a file.
const MOST_FILES: usize = 500;
const MOST_BYTES: u64 = 64 << 10;

/// What was read of the files so far, by their names.
#[derive(Default)]
pub struct GameFiles(Mutex<BTreeMap<String, Played>>);

/// A game that is played.
#[derive(Clone)]
struct Played {
    game: Arc<Game>,
    plugin: Arc<dyn Plugin>,
}

/// The plugins of the bot with those of the files.
pub struct WithFiles {
    /// All of them.
    pub plugins: Plugins,
    /// Which games came, changed or are gone, as somebody may be told.
    pub told: Vec<String>,
    /// What is wrong with files.
    pub wrong: Vec<String>,
    /// The names of the games of the operator's files.
    own: BTreeSet<String>,
}

/// These plugins with what reads the files that tables keep.
pub fn that_tables_keep(plugins: Plugins) -> Plugins {
    plugins.with_kept_files(Arc::new(declared::Files { brought: games::read }))
}

/// Everything that comes with the program, but for the files with this name.
pub fn with_the_program(but: Option<&str>) -> Vec<Box<dyn Plugin>> {
    let files = games::files().into_iter().filter(|game| Some(game.manifest.id.as_str()) != but);
    games::all().into_iter().chain(files.map(declared::plugin)).collect()
}

/// Reads one file.
///
/// # Errors
/// It cannot be read, or everything that is wrong in it.
pub fn read(file: &Path) -> anyhow::Result<Game> {
    let unread = || format!("{} cannot be read", file.display());
    // Opening a pipe would wait for somebody to write to it.
    ensure!(fs::metadata(file).with_context(unread)?.is_file(), "{} is no file", file.display());
    let mut bytes = Vec::new();
    File::open(file).with_context(unread)?.take(MOST_BYTES + 1).read_to_end(&mut bytes).with_context(unread)?;
    ensure!(bytes.len() as u64 <= MOST_BYTES, "{} is larger than {} kB", file.display(), MOST_BYTES >> 10);
    let Ok(text) = String::from_utf8(bytes) else { bail!("{} is no text in UTF-8", file.display()) };
    games::read(&text).map_err(|mistakes| anyhow::anyhow!("{}:\n{mistakes}", file.display()))
}

/// The files of games in a directory, in the order of their names.
///
/// # Errors
/// It cannot be read, or holds too many.
pub fn files_in(directory: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let unread = || format!("the games in {} cannot be read", directory.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).with_context(unread)? {
        let path = entry.with_context(unread)?.path();
        if path.extension().is_some_and(|ending| ending == ENDING) {
            files.push(path);
        }
        ensure!(files.len() <= MOST_FILES, "{} holds more than {MOST_FILES} games", directory.display());
    }
    files.sort();
    Ok(files)
}

impl GameFiles {
    /// Adds the games of a directory to these plugins.
    pub fn added_to(&self, plugins: Plugins, directory: Option<&Path>) -> WithFiles {
        let mut before = self.0.lock().expect("nothing panics holding it");
        let mut plugins = that_tables_keep(plugins);
        for game in games::files() {
            plugins = plugins.with(declared::plugin(game).into()).expect("they go with the table's own commands");
        }
        let mut with = WithFiles { plugins, told: Vec::new(), wrong: Vec::new(), own: BTreeSet::new() };
        let mut now = BTreeMap::new();
        let files = directory.map(files_in).transpose().unwrap_or_else(|error| {
            with.wrong.push(format!("{error:#}\nthe games that were there go on"));
            let there = before.keys().map(|name| directory.unwrap_or(Path::new("")).join(name));
            Some(there.collect())
        });
        for file in files.unwrap_or_default() {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let old = before.remove(&name);
            let (played, wrong) = match Played::read(&file, old.as_ref()) {
                Ok(played) => (Some(played), None),
                Err(error) if old.is_some() => (old.clone(), Some(format!("{error:#}\nwhat it was before goes on"))),
                Err(error) => (None, Some(format!("{error:#}"))),
            };
            with.wrong.extend(wrong);
            let Some(played) = played else { continue };
            match with.added(&name, &played) {
                Ok(()) => {
                    with.told.extend(played.since(old.as_ref()));
                    now.insert(name, played);
                }
                Err(error) => {
                    with.wrong.push(format!("{error:#}"));
                    // What it was before goes on, if it still can.
                    now.extend(old.filter(|old| with.added(&name, old).is_ok()).map(|old| (name, old)));
                }
            }
        }
        with.told.extend(before.values().map(|gone| format!("{} is gone", gone.game.manifest.id)));
        *before = now;
        with
    }
}

impl Played {
    /// Reads a file, of which this was read before.
    fn read(file: &Path, old: Option<&Played>) -> anyhow::Result<Self> {
        let game = Arc::new(read(file)?);
        Ok(match old.filter(|old| old.game.text == game.text) {
            Some(old) => old.clone(),
            None => Played { plugin: declared::plugin(game.clone()).into(), game },
        })
    }

    /// What is new since it was read before.
    fn since(&self, old: Option<&Played>) -> Option<String> {
        let id = &self.game.manifest.id;
        match old {
            None => Some(format!("{id} is new")),
            Some(old) => (old.game.text != self.game.text).then(|| {
                let stay = "tables that have begun with it stay with what it was";
                format!("{id} has changed ({stay}, until somebody types !plugin upgrade {id} there)")
            }),
        }
    }
}

impl WithFiles {
    fn added(&mut self, file: &str, played: &Played) -> anyhow::Result<()> {
        let id = &played.game.manifest.id;
        // A file may take the place of one that comes with the program, and of no other file.
        let taken = games::ids().contains(id) || self.own.contains(id);
        ensure!(!taken, "{file}: there is a game or tool called {id} already");
        self.plugins = self.plugins.clone().with(played.plugin.clone()).with_context(|| file.to_owned())?;
        self.own.insert(id.clone());
        Ok(())
    }
}
