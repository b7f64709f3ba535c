//! Directories for servers, removed when the test program ends, and the user that servers run as.

use std::fs::{self, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// A directory below that of the test program, removed on drop.
pub(crate) struct Directory {
    path: PathBuf,
}

impl Directory {
    /// Makes one whose name begins like this.
    pub(crate) fn make(name: &str) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = ROOT.path.join(format!("{name}-{number}"));
        folder(&path);
        Directory { path }
    }

    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes a folder in it.
    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        let path = self.path.join(name);
        folder(&path);
        path
    }

    /// Writes a file into it.
    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path.join(name);
        fs::write(&path, text).expect("a file can be written");
        path
    }

    /// Gives it to the user that servers run as, and makes every file readable by all.
    pub(crate) fn hand_over(&self) {
        hand_over(&self.path);
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        // A server may still be writing. The rest goes with the program's directory.
        fs::remove_dir_all(&self.path).ok();
    }
}

/// The user and group ids that servers run as, because they refuse root. `None` if the tests do not run as root.
pub(crate) fn servant() -> Option<(u32, u32)> {
    static SERVANT: LazyLock<Option<(u32, u32)>> = LazyLock::new(|| {
        if fs::metadata("/proc/self").expect("there is a /proc").uid() != 0 {
            return None;
        }
        let users = fs::read_to_string("/etc/passwd").expect("there is a list of users");
        let nobody = users.lines().find(|line| line.starts_with("nobody:")).expect("there is a user nobody");
        let mut numbers = nobody.split(':').skip(2).map(|number| number.parse().expect("a number"));
        Some((numbers.next().expect("a user has a number"), numbers.next().expect("a user has a group")))
    });
    *SERVANT
}

fn folder(path: &Path) {
    fs::create_dir(path).expect("a folder can be made");
    fs::set_permissions(path, Permissions::from_mode(0o755)).expect("it is ours");
}

fn hand_over(path: &Path) {
    let mode = if path.is_dir() { 0o755 } else { 0o644 };
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("it is ours");
    if let Some((user, group)) = servant() {
        chown(path, Some(user), Some(group)).expect("root may give files away");
    }
    if path.is_dir() {
        for entry in fs::read_dir(path).expect("it can be read") {
            hand_over(&entry.expect("it can be read").path());
        }
    }
}

/// The directory of this test program, and the process that removes it.
struct Root {
    path: PathBuf,
    _janitor: Child,
}

static ROOT: LazyLock<Root> = LazyLock::new(|| {
    let path = std::env::temp_dir().join(format!("astragal-tests-{}", std::process::id()));
    match fs::remove_dir_all(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => panic!("{} is in the way: {error}", path.display()),
        _ => folder(&path),
    }
    // Its pipe closes when this program ends, even by kill -9. Then it tidies up.
    let janitor = Command::new("sh")
        .args(["-c", "trap '' HUP INT TERM; read -r _; sleep 0.2; rm -rf \"$1\"", "janitor"])
        .arg(&path)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .expect("sh runs");
    Root { path, _janitor: janitor }
});
