//! A server whose name has several addresses, of which not all answer.

use super::{is_root, said};
use std::fs;
use std::io::Write;
use std::net::TcpListener;
use std::process::{Command, Stdio};
use tests::program;

/// Of two addresses of this machine the system names 127.0.0.1 first, and nobody listens there.
#[test]
fn a_server_is_reached_at_whichever_of_its_addresses_answers() {
    if !is_root() {
        eprintln!("skipped: only root can give a name two addresses");
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let server = TcpListener::bind("127.0.0.2:0").unwrap();
    let port = server.local_addr().unwrap().port();
    std::thread::spawn(move || {
        server.incoming().flatten().for_each(|mut peer| drop(peer.write_all(b"ERROR :come back tomorrow\r\n")));
    });
    let (hosts, config) = (home.path().join("hosts"), home.path().join("bot.toml"));
    fs::write(&hosts, "127.0.0.1 two.test\n127.0.0.2 two.test\n").unwrap();
    fs::write(&config, format!("[irc.x]\nserver = \"two.test\"\nport = {port}\ntls = false\n")).unwrap();
    let script = "mount --bind \"$0\" /etc/hosts && exec \"$@\" check-config --online";
    let mut command = Command::new("unshare");
    command.args(["--mount", "bash", "-c", script]).arg(&hosts).arg(program()).arg("--config").arg(&config);
    let says = said(&command.stdin(Stdio::null()).output().unwrap());
    assert!(says.contains("come back tomorrow"), "{says}");
}
