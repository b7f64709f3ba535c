//! The session files of the project.

use std::fs;
use std::path::{Path, PathBuf};

/// All session files of the plugins and the core, shortest first. A test that starts with the last ones does not wait
/// for a long one at the end.
pub fn session_files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ is in the workspace");
    let entries = |path: PathBuf| fs::read_dir(path).into_iter().flatten().map(|entry| entry.expect("readable").path());
    let folders = entries(root.join("plugins")).chain([root.join("tests")]);
    let mut files: Vec<_> = folders.flat_map(|folder| entries(folder.join("sessions"))).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "session"));
    files.sort_by_key(|path| fs::metadata(path).map_or(0, |file| file.len()));
    files
}
