//! InspIRCd 3 with Anope: accounts, SASL and most of IRCv3.

use super::certificates::Certificates;
use super::client::Client;
use crate::daemon::{self, Daemon, free_port};
use crate::deadline::Deadline;
use crate::directory::Directory;
use std::path::Path;
use std::time::Duration;

const MODULES: &[&str] = &[
    "spanningtree",
    "cap",
    "sasl",
    "services_account",
    "ircv3",
    "ircv3_accounttag",
    "ircv3_batch",
    "ircv3_capnotify",
    "ircv3_chghost",
    "ircv3_ctctags",
    "ircv3_echomessage",
    "ircv3_invitenotify",
    "ircv3_labeledresponse",
    "ircv3_msgid",
    "ircv3_servertime",
    "monitor",
    "ssl_gnutls",
    "sslinfo",
    "botmode",
    "sha256",
    "hidechans",
    "namesx",
    "uhnames",
    "chghost",
    "chgident",
];
/// How long services may take until they are linked and answer.
const LINK: Duration = Duration::from_secs(60);

/// How InspIRCd is set up.
#[derive(Clone, Debug, Default)]
pub struct InspircdOptions {
    /// True if clients that type a lot are slowed down, as in InspIRCd's own configuration.
    pub flood_protection: bool,
    /// Modules left out, for example ircv3_labeledresponse.
    pub without: Vec<&'static str>,
    /// If set, the server announces STS: for so many seconds, clients must connect over TLS, under the name localhost.
    pub sts: Option<u32>,
}

/// A running InspIRCd with its services.
pub struct Inspircd {
    services: Daemon,
    daemon: Daemon,
    port: u16,
    tls_port: u16,
    link_port: u16,
    sasl: bool,
    _directory: Directory,
}

impl Inspircd {
    /// Starts one and waits until its services answer.
    pub fn start(options: &InspircdOptions) -> Self {
        daemon::start(|| Self::attempt(options))
    }

    fn attempt(options: &InspircdOptions) -> Result<Self, String> {
        let directory = Directory::make("inspircd");
        let (port, tls_port, link_port) = (free_port(), free_port(), free_port());
        let file = directory.write("inspircd.conf", &ircd(options, directory.path(), [port, tls_port, link_port]));
        directory.write("motd", "Welcome to the tests\n");
        let anope = directory.folder("anope");
        let (data, logs) = (directory.folder("anope/data"), directory.folder("anope/logs"));
        directory.write("anope/services.conf", &services(directory.path(), link_port));
        directory.hand_over();
        let folder = |name: &str, path: &Path| format!("--{name}={}", path.display()).into();
        let daemon = Daemon::new("inspircd", &directory, vec!["--nofork".into(), "--config".into(), file.into()]);
        let arguments = vec![
            "--nofork".into(),
            folder("confdir", &anope),
            folder("dbdir", &data),
            folder("logdir", &logs),
            folder("modulesdir", Path::new("/usr/lib/anope")),
            folder("localedir", Path::new("/usr/share/locale")),
        ];
        let services = Daemon::new("anope", &directory, arguments);
        let sasl = !["cap", "sasl", "services_account"].iter().any(|module| options.without.contains(module));
        let server = Inspircd { services, daemon, port, tls_port, link_port, sasl, _directory: directory };
        server.up()?;
        Ok(server)
    }

    fn up(&self) -> Result<(), String> {
        self.daemon.start();
        self.daemon.listens(&[self.port, self.tls_port, self.link_port])?;
        self.start_services();
        Ok(())
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Its TLS port.
    pub fn tls_port(&self) -> u16 {
        self.tls_port
    }

    /// The server's process id.
    pub fn pid(&self) -> u32 {
        self.daemon.pid()
    }

    /// Makes an account and waits until services confirm it. The nick must be free.
    pub fn register(&self, account: &str, password: &str) {
        let mut client = Client::connect(self.port, account);
        client.say("NickServ", &format!("REGISTER {password} e@x.org"));
        let heard = client.hear("NickServ", account);
        assert!(heard.ends_with(" registered."), "services say: {heard}");
        client.quit();
    }

    /// Lets the shared client's certificate log in to an account, by SASL EXTERNAL. The nick must be free.
    pub fn register_certificate(&self, account: &str, password: &str) {
        let mut client = Client::connect_tls(self.tls_port, account, Certificates::shared());
        client.say("NickServ", &format!("IDENTIFY {password}"));
        client.wait_for(|line| line.contains(" 900 "));
        client.say("NickServ", "CERT ADD");
        client.wait_for(|line| line.contains("added to"));
        client.quit();
    }

    /// Kills the server with -9 and waits for its end. Services save their accounts and end, too.
    pub fn kill(&self) {
        self.daemon.kill();
        self.services.stop();
    }

    /// Shuts down server and services, if they run, and starts them again on the same ports with the same accounts.
    pub fn restart(&self) {
        self.services.stop();
        self.daemon.stop();
        self.up().expect("it starts as before");
    }

    /// Suspends the server: links stay open, but it answers nothing.
    pub fn freeze(&self) {
        self.daemon.signal("STOP");
    }

    /// Resumes it.
    pub fn thaw(&self) {
        self.daemon.signal("CONT");
    }

    /// Ends only the services; they keep their accounts.
    pub fn stop_services(&self) {
        self.services.stop();
    }

    /// Starts the services and waits until they answer.
    pub fn start_services(&self) {
        self.services.start();
        let mut probe = Client::connect(self.port, "ServiceProbe");
        let deadline = Deadline::after(LINK);
        let pause = Duration::from_millis(250);
        loop {
            probe.raw("CAP LS 302");
            let list = probe.wait_for(|line| line.contains(" CAP ") || line.contains(" 421 "));
            probe.say("NickServ", "INFO ServiceProbe");
            let heard = probe.hear_within("NickServ", "ServiceProbe", pause).is_some();
            if heard && (!self.sasl || list.contains("sasl=")) {
                break;
            }
            assert!(self.services.runs(), "anope ended: {}", self.services.said());
            assert!(deadline.left().is_some(), "services do not answer: {}", self.services.said());
        }
        probe.quit();
    }
}

fn ircd(options: &InspircdOptions, home: &Path, ports: [u16; 3]) -> String {
    let [port, tls_port, link_port] = ports;
    let home = home.display();
    let Certificates { ca, server, server_key, .. } = Certificates::shared();
    let (ca, server, server_key) = (ca.display(), server.display(), server_key.display());
    let modules = MODULES.iter().filter(|module| !options.without.contains(module));
    let modules: String = modules.map(|module| format!("<module name=\"{module}\">\n")).collect();
    let sts = options.sts.map(|seconds| {
        format!("<module name=\"ircv3_sts\">\n<sts host=\"localhost\" duration=\"{seconds}\" port=\"{tls_port}\">\n")
    });
    let sts = sts.unwrap_or_default();
    let flood = if options.flood_protection {
        r#"threshold="10" commandrate="1000" fakelag="yes" recvq="10K""#
    } else {
        r#"threshold="1000" commandrate="100000" fakelag="no" recvq="64K""#
    };
    format!(
        r#"<server name="inspircd.test" description="A server for tests" network="InspTest" id="1AA">
<admin name="Astragal" nick="astragal" email="admin@inspircd.test">
<bind address="127.0.0.1" port="{port}" type="clients">
<bind address="127.0.0.1" port="{tls_port}" type="clients" sslprofile="clients">
<bind address="127.0.0.1" port="{link_port}" type="servers">
<sslprofile name="clients" provider="gnutls" certfile="{server}" keyfile="{server_key}" cafile="{ca}"
 requestclientcert="yes" hash="sha256">
<connect name="main" allow="*" timeout="60" pingfreq="2m" hardsendq="1M" softsendq="10K" {flood}
 localmax="1000" globalmax="1000" limit="5000" maxchans="500" resolvehostnames="no">
<dns server="127.0.0.1" timeout="1">
<files motd="{home}/motd">
<options prefixquit="Quit: " defaultmodes="not" casemapping="ascii" hostintopic="yes" splitwhois="no" announcets="no">
<performance quietbursts="yes">
<security announceinvites="dynamic" maxtargets="20">
<limits maxnick="31" maxchan="64" maxmodes="20" maxident="20" maxquit="255" maxtopic="330" maxkick="255" maxreal="128"
 maxaway="200">
<log method="file" type="* -USERINPUT -USEROUTPUT" level="default" target="{home}/ircd.log">
<pid file="{home}/inspircd.pid">
<path configdir="{home}" datadir="{home}" logdir="{home}" runtimedir="{home}">
<link name="services.test" ipaddr="127.0.0.1" port="{link_port}" allowmask="127.0.0.1" timeout="300"
 sendpass="linkpw" recvpass="linkpw">
<uline server="services.test" silent="yes">
<sasl target="services.test" requiressl="no">
{modules}{sts}"#
    )
}

fn services(home: &Path, link_port: u16) -> String {
    let home = home.display();
    format!(
        r#"define {{ name = "services.host"; value = "services.test" }}
uplink {{ host = "127.0.0.1"; ipv6 = no; ssl = no; port = {link_port}; password = "linkpw" }}
serverinfo {{
    name = "services.test"; description = "Services for tests"; pid = "{home}/anope.pid"; motd = "{home}/motd"
}}
module {{ name = "inspircd3"; use_server_side_mlock = yes; use_server_side_topiclock = yes }}
networkinfo {{
    networkname = "InspTest"; nicklen = 31; userlen = 20; hostlen = 64; chanlen = 64; modelistsize = 100
    vhost_chars = "abcdefghijklmnopqrstuvwxyz0123456789.-"; allow_undotted_vhosts = no; disallow_start_or_end = ".-"
}}
options {{
    casemap = "ascii"; strictpasswords = no; badpasslimit = 0; updatetimeout = 5m; expiretimeout = 30m
    readtimeout = 5s; warningtimeout = 4h; timeoutcheck = 3s; retrywait = 1s; hideprivilegedcommands = yes
}}
log {{ target = "services.log"; logage = 7; admin = "*"; servers = "*"; other = "*" }}
service {{ nick = "NickServ"; user = "services"; host = "services.test"; gecos = "Nickname services" }}
module {{
    name = "nickserv"; client = "NickServ"; forceemail = no; confirmemailchanges = no; defaults = "ns_secure"
    regdelay = 0s; expire = 0; secureadmins = no; modeonid = no; killquick = 20s; kill = 60s; enforceruser = "e"
    enforcerhost = "services.test"; releasetimeout = 1m; guestnickprefix = "Guest"; nonicknameownership = no
    passlen = 32
}}
module {{ name = "ns_register"; registration = "none" }}
command {{ service = "NickServ"; name = "REGISTER"; command = "nickserv/register" }}
module {{ name = "ns_identify" }}
command {{ service = "NickServ"; name = "IDENTIFY"; command = "nickserv/identify" }}
module {{ name = "ns_logout" }}
command {{ service = "NickServ"; name = "LOGOUT"; command = "nickserv/logout" }}
module {{ name = "ns_cert"; max = 5 }}
command {{ service = "NickServ"; name = "CERT"; command = "nickserv/cert" }}
module {{ name = "ns_recover"; restoreonrecover = yes }}
command {{ service = "NickServ"; name = "RECOVER"; command = "nickserv/recover" }}
module {{ name = "ns_info" }}
command {{ service = "NickServ"; name = "INFO"; command = "nickserv/info" }}
module {{ name = "db_flatfile"; database = "anope.db"; keepbackups = 0; nobackupokay = yes; fork = no }}
module {{ name = "enc_sha256" }}
module {{ name = "m_sasl" }}
"#
    )
}
