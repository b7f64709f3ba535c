//! The Debian package in a system of its own: from a bare system to a bot that answers, following the operators' guide;
//! then upgraded, removed and purged.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use tests::help::{Page, pages};
use tests::irc::{Client, Ngircd, NgircdOptions};
use tests::program;
use tests::shipped::with_postgres;

fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ is in the workspace")
}

fn target() -> PathBuf {
    program().parent().and_then(Path::parent).expect("target/PROFILE").to_owned()
}

#[track_caller]
fn run(command: &mut Command) -> String {
    let output: Output = command.stdin(Stdio::null()).output().expect("it runs");
    let said = String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned();
    assert!(output.status.success(), "{command:?}: {said}");
    said
}

/// A bare Debian, copied from one that is made once.
fn bare() -> tempfile::TempDir {
    // The base includes what the package needs, and is named after it: a different base has a different directory.
    const INCLUDED: &str = "ca-certificates";
    let base = target().join(format!("debian-{INCLUDED}"));
    if !base.join("var/lib/dpkg/status").exists() {
        let part = target().join("debian.part");
        if part.exists() {
            fs::remove_dir_all(&part).expect("what was interrupted can be removed");
        }
        run(Command::new("debootstrap")
            .args(["--variant=minbase", &format!("--include={INCLUDED}"), "bookworm"])
            .arg(&part));
        fs::rename(&part, &base).expect("it has one place");
    }
    let root = tempfile::tempdir_in(target()).expect("a directory");
    run(Command::new("cp").arg("-a").arg(base.join(".")).arg(root.path()));
    root
}

/// The package of the program that users build.
fn package(version: &str) -> PathBuf {
    let made =
        run(Command::new(project().join("deploy/package.sh")).arg(with_postgres()).arg(version).stderr(Stdio::null()));
    project().join(made.lines().last().expect("its path"))
}

struct System(tempfile::TempDir);

impl System {
    fn command(&self, words: &[&str]) -> Command {
        // With its own process view, like a booted system. It ends with the command.
        let enter = "mount -t proc proc \"$0/proc\" && exec chroot \"$0\" \"$@\"";
        let mut command = Command::new("unshare");
        command.args(["--mount", "sh", "-c", enter]).arg(self.0.path()).args(words).env_clear();
        command.env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").env("HOME", "/root");
        command
    }

    #[track_caller]
    fn run(&self, words: &[&str]) -> String {
        run(&mut self.command(words))
    }

    fn has(&self, path: &str) -> bool {
        self.0.path().join(path).exists()
    }

    fn install(&self, package: &Path) -> String {
        fs::copy(package, self.0.path().join("tmp/astragal.deb")).expect("copied");
        self.run(&["dpkg", "--install", "/tmp/astragal.deb"])
    }
}

/// A bot in the system, killed on drop.
struct Bot(Child);

impl Drop for Bot {
    fn drop(&mut self) {
        // It may have ended already, which the test notices elsewhere.
        let _ = Command::new("kill").arg(self.0.id().to_string()).status();
        let _ = self.0.wait();
    }
}

#[test]
fn from_a_bare_system_to_a_bot_that_answers_and_back() {
    if !is_root() {
        eprintln!("skipped: only root can make a system of its own");
        return;
    }
    let system = System(bare());
    let told = system.install(&package("0.1.0"));
    assert!(told.contains("astragal --config /etc/astragal/astragal.toml init"), "{told}");
    let mode = |path: &str| fs::metadata(system.0.path().join(path)).expect("there").permissions().mode() & 0o777;
    assert_eq!((mode("etc/astragal"), mode("etc/astragal/secrets")), (0o755, 0o700));
    assert!(system.has("usr/lib/systemd/system/astragal.service") && system.has("usr/share/man/man1/astragal.1.gz"));
    let page = |page: &Page| [&["astragal".to_owned()], &page.words[..]].concat().join("-") + ".1.gz";
    let pages: BTreeSet<String> = pages(&with_postgres()).iter().map(page).collect();
    let there = fs::read_dir(system.0.path().join("usr/share/man/man1")).expect("it is there");
    let there = there.map(|file| file.expect("readable").file_name().into_string().expect("text"));
    let there: BTreeSet<String> = there.filter(|name| name.starts_with("astragal")).collect();
    assert_eq!(there, pages, "each command has its page, and no page is left of another version");

    let files = [
        "alerts.yml",
        "alerts-machines.yml",
        "dashboard.json",
        "manual/operators.md",
        "manual/games/mvk.md",
        "examples/compose.yml",
        "examples/machines.yml",
    ];
    for file in files {
        assert!(system.has(&format!("usr/share/doc/astragal/{file}")), "{file}");
    }
    let notices = fs::read_to_string(system.0.path().join("usr/share/doc/astragal/THIRD-PARTY")).expect("it is there");
    assert!(
        notices.contains("\nsled 0.34.7: MIT/Apache-2.0; ")
            && notices.contains("\ntokio-postgres ")
            && notices.contains("Mozilla Public License")
            && notices.contains("SIL OPEN FONT LICENSE"),
        "licences"
    );

    let server = Ngircd::start(&NgircdOptions::default());
    let port = server.port().to_string();
    let config = ["astragal", "--config", "/etc/astragal/astragal.toml"];
    let flags = ["init", "--irc", "127.0.0.1", "--port", &port, "--no-tls", "--channel", "#tavern"];
    system.run(&[&config[..], &flags].concat());
    assert_eq!(mode("etc/astragal/astragal.toml"), 0o644);
    // From here on the program finds it by itself.
    assert!(system.run(&["astragal", "check-config", "--online"]).contains("let us in"));
    let play = |line: &str| {
        let bot = Bot(system.command(&["astragal"]).stderr(Stdio::null()).spawn().expect("it runs"));
        let mut ann = Client::connect(server.port(), "ann");
        ann.join("#tavern");
        ann.wait_for(|said| {
            said.contains("JOIN") && said.contains(":astragal!") || said.contains("astragal = #tavern")
        });
        ann.say("#tavern", line);
        let answer = ann.answer("astragal", "#tavern");
        drop((bot, ann));
        answer
    };
    assert!(play("!roll 2d1 # at last").contains("2 | 2d1 [1 1] | at last #1"));
    assert!(system.has("var/lib/astragal/store"), "the store is where the service would keep it");

    let told = system.install(&package("0.1.1"));
    assert!(told.contains("Unpacking astragal (0.1.1) over (0.1.0)") && !told.contains("configure it"), "{told}");
    assert!(play("!history").contains("1 entry up to #1"));

    system.run(&["dpkg", "--remove", "astragal"]);
    assert!(!system.has("usr/bin/astragal") && system.has("etc/astragal/astragal.toml"));
    let told = system.run(&["dpkg", "--purge", "astragal"]);
    assert!(told.contains("astragal: what the tables hold was left in /var/lib/astragal"), "{told}");
    assert!(!system.has("etc/astragal") && system.has("var/lib/astragal/store"));
    assert!(!system.has("usr/lib/systemd/system/astragal.service"), "the package removes its unit");
}

fn is_root() -> bool {
    run(Command::new("id").arg("-u")).trim() == "0"
}
