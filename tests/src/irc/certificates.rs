//! Certificates for TLS, made by openssl.

use crate::directory::Directory;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

const EXTENSIONS: &str = "\
[req]
distinguished_name = name
prompt = no
[name]
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[server]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectAltName = DNS:localhost, IP:127.0.0.1
[self]
basicConstraints = critical, CA:TRUE
[client]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = clientAuth
";

/// An authority and the certificates it signed, as PEM files.
pub struct Certificates {
    /// The authority that signed the server and the client.
    pub ca: PathBuf,
    /// An authority that signed neither.
    pub other_ca: PathBuf,
    /// The server's certificate, for localhost and 127.0.0.1.
    pub server: PathBuf,
    /// The server's key.
    pub server_key: PathBuf,
    /// A server's certificate that signed itself, as openssl makes it unless told otherwise.
    pub own: PathBuf,
    /// Its key.
    pub own_key: PathBuf,
    /// The client's certificate.
    pub client: PathBuf,
    /// The client's key.
    pub client_key: PathBuf,
    /// Diffie-Hellman parameters. ngIRCd would take seconds to compute its own.
    pub(crate) dh: PathBuf,
    _directory: Directory,
}

impl Certificates {
    /// Makes new ones in a directory that is removed on drop.
    pub fn make() -> Self {
        let directory = Directory::make("certificates");
        directory.write("openssl.cnf", EXTENSIONS);
        let home = directory.path();
        make(home, "ca", "authority", "Astragal test authority", &[]);
        make(home, "other-ca", "authority", "Another test authority", &[]);
        let signed = ["-CA", "ca.pem", "-CAkey", "ca.key"];
        make(home, "server", "server", "localhost", &signed);
        make(home, "own", "self", "irc.example", &[]);
        make(home, "client", "client", "astragal", &signed);
        openssl(home, &["genpkey", "-genparam", "-algorithm", "DH", "-pkeyopt", "group:ffdhe2048", "-out", "dh.pem"]);
        // Servers run as another user, who must be able to read them.
        directory.hand_over();
        Certificates {
            ca: home.join("ca.pem"),
            other_ca: home.join("other-ca.pem"),
            server: home.join("server.pem"),
            server_key: home.join("server.key"),
            own: home.join("own.pem"),
            own_key: home.join("own.key"),
            client: home.join("client.pem"),
            client_key: home.join("client.key"),
            dh: home.join("dh.pem"),
            _directory: directory,
        }
    }

    /// The certificates of this test program, made once. The servers use these.
    pub fn shared() -> &'static Self {
        static SHARED: LazyLock<Certificates> = LazyLock::new(Certificates::make);
        &SHARED
    }

    /// The SHA-256 of the client's certificate in hex, as services expect it.
    pub fn client_fingerprint(&self) -> String {
        let printed = Command::new("openssl")
            .args(["x509", "-noout", "-fingerprint", "-sha256", "-in"])
            .arg(&self.client)
            .output()
            .expect("openssl runs");
        let text = String::from_utf8_lossy(&printed.stdout);
        let digits = text.trim().rsplit('=').next().unwrap_or_default();
        digits.replace(':', "").to_ascii_lowercase()
    }
}

fn make(home: &Path, file: &str, section: &str, name: &str, signed: &[&str]) {
    let (name, key, out) = (format!("/CN={name}"), format!("{file}.key"), format!("{file}.pem"));
    let kind = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30"];
    let this = ["-config", "openssl.cnf", "-extensions", section, "-subj", &name, "-keyout", &key, "-out", &out];
    openssl(home, &[&kind[..], &this[..], signed].concat());
}

fn openssl(home: &Path, arguments: &[&str]) {
    let done = Command::new("openssl").args(arguments).current_dir(home).output().expect("openssl runs");
    assert!(done.status.success(), "openssl: {}", String::from_utf8_lossy(&done.stderr));
}
