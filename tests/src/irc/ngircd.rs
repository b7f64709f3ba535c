//! ngIRCd: a small server without services and with almost no capabilities.

use super::certificates::Certificates;
use crate::daemon::{self, Daemon, free_port};
use crate::directory::Directory;

/// How ngIRCd is set up.
#[derive(Clone, Debug)]
pub struct NgircdOptions {
    /// The password of the server, if it has one.
    pub password: Option<String>,
    /// True if clients that type a lot are slowed down, as by default.
    pub flood_protection: bool,
    /// Seconds of silence before the server sends a PING; the minimum is 5.
    pub ping_timeout: u32,
    /// The longest nick.
    pub max_nick: u32,
    /// True if its certificate signed itself.
    pub self_signed: bool,
}

impl Default for NgircdOptions {
    fn default() -> Self {
        NgircdOptions { password: None, flood_protection: false, ping_timeout: 120, max_nick: 30, self_signed: false }
    }
}

/// A running ngIRCd.
pub struct Ngircd {
    daemon: Daemon,
    port: u16,
    tls_port: u16,
    _directory: Directory,
}

impl Ngircd {
    /// Starts one and waits until it listens.
    pub fn start(options: &NgircdOptions) -> Self {
        daemon::start(|| Self::attempt(options))
    }

    fn attempt(options: &NgircdOptions) -> Result<Self, String> {
        let directory = Directory::make("ngircd");
        let (port, tls_port) = (free_port(), free_port());
        let file = directory.write("ngircd.conf", &configuration(options, port, tls_port));
        directory.hand_over();
        let daemon = Daemon::new("ngircd", &directory, vec!["-n".into(), "-f".into(), file.into()]);
        let server = Ngircd { daemon, port, tls_port, _directory: directory };
        server.up()?;
        Ok(server)
    }

    fn up(&self) -> Result<(), String> {
        self.daemon.start();
        self.daemon.listens(&[self.port, self.tls_port])
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Its TLS port.
    pub fn tls_port(&self) -> u16 {
        self.tls_port
    }

    /// The process id.
    pub fn pid(&self) -> u32 {
        self.daemon.pid()
    }

    /// Kills it with -9 and waits for its end.
    pub fn kill(&self) {
        self.daemon.kill();
    }

    /// Shuts it down, if it runs, and starts it again on the same ports.
    pub fn restart(&self) {
        self.daemon.stop();
        self.up().expect("it starts as before");
    }

    /// Suspends it: links stay open, but it answers nothing.
    pub fn freeze(&self) {
        self.daemon.signal("STOP");
    }

    /// Resumes it.
    pub fn thaw(&self) {
        self.daemon.signal("CONT");
    }
}

fn configuration(options: &NgircdOptions, port: u16, tls_port: u16) -> String {
    let Certificates { server, server_key, own, own_key, dh, .. } = Certificates::shared();
    let (server, server_key) = if options.self_signed { (own, own_key) } else { (server, server_key) };
    let password = options.password.as_ref().map(|password| format!("Password = {password}")).unwrap_or_default();
    // -1 is the default: no limit to the penalty. 0 turns penalties off.
    let penalty = if options.flood_protection { -1 } else { 0 };
    let NgircdOptions { ping_timeout, max_nick, .. } = options;
    let pong_timeout = 20.min(*ping_timeout);
    let (server, server_key, dh) = (server.display(), server_key.display(), dh.display());
    format!(
        "\
[Global]
Name = ngircd.test
Info = A server for tests
Network = NgircdTest
AdminInfo1 = Astragal
AdminEMail = admin@ngircd.test
MotdPhrase = Welcome to the tests
Listen = 127.0.0.1
Ports = {port}
{password}
[Limits]
MaxConnections = 0
MaxConnectionsIP = 0
MaxJoins = 0
MaxNickLength = {max_nick}
MaxPenaltyTime = {penalty}
PingTimeout = {ping_timeout}
PongTimeout = {pong_timeout}
[Options]
DNS = no
Ident = no
PAM = no
OperCanUseMode = yes
[SSL]
CertFile = {server}
KeyFile = {server_key}
DHFile = {dh}
Ports = {tls_port}
[Operator]
Name = oper
Password = operpw
"
    )
}
