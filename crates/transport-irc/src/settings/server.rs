//! Where the servers of a network are, and how their certificates are recognised.

use super::Settings;
use sha2::{Digest, Sha256};
use std::fmt;
use std::net::IpAddr;

/// The SHA-256 of a certificate, as in `sha256:5891b5b5...`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// The fingerprint of a certificate (DER).
    pub fn of(certificate: &[u8]) -> Self {
        Fingerprint(Sha256::digest(certificate).into())
    }

    /// Reads one; colons between the bytes, as openssl writes them, do not matter.
    fn read(text: &str) -> Option<Self> {
        let (kind, digits) = text.split_once(':')?;
        let digits = digits.replace(':', "");
        let known = kind.eq_ignore_ascii_case("sha256") && digits.len() == 64 && digits.is_ascii();
        let byte = |at: usize| u8::from_str_radix(digits.get(2 * at..2 * at + 2)?, 16).ok();
        let bytes: Option<Vec<u8>> = if known { (0..32).map(byte).collect() } else { None };
        Some(Fingerprint(bytes?.try_into().ok()?))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sha256:")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A host and perhaps a port: `irc.example.org`, `[::1]:6697`.
fn host_of(text: &str) -> Option<(&str, Option<u16>)> {
    let (host, port) = match text.strip_prefix('[').and_then(|text| text.split_once(']')) {
        Some((host, rest)) if host.parse::<IpAddr>().is_ok() => (host, rest),
        Some(_) => return None,
        None if text.parse::<IpAddr>().is_ok() => (text, ""),
        None => text.split_at(text.find(':').unwrap_or(text.len())),
    };
    let named = !host.is_empty() && !host.contains([' ', '/', '[', ']']);
    let port = match port {
        "" => None,
        port => Some(port.strip_prefix(':')?.parse().ok().filter(|port| *port > 0)?),
    };
    named.then_some((host, port))
}

impl Settings {
    /// What is wrong in the keys that say where the servers are.
    pub(super) fn wrong_server(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        match host_of(&self.server) {
            Some((host, Some(port))) => {
                wrong.push(format!("server: its port stands in a key of its own: server = {host:?} and port = {port}"))
            }
            Some((_, None)) => {}
            None => wrong.push("server: it needs a host name, such as \"irc.libera.chat\"".to_owned()),
        }
        let others = self.servers.iter().filter(|server| host_of(server).is_none());
        wrong.extend(others.map(|server| {
            format!("servers: {server:?} is no server; \"irc.libera.chat\" is one, or \"irc.libera.chat:6697\"")
        }));
        if self.proxy.is_some() && self.proxy().is_none() {
            wrong.push("proxy: it needs a SOCKS5 proxy, such as \"socks5://127.0.0.1:9050\"".to_owned());
        }
        if self.proxy_user.is_some() && self.proxy_password.is_none() && self.proxy_password_file.is_none() {
            wrong.push("proxy_password: proxy_user needs one: proxy_password_file = \"FILE\"".to_owned());
        }
        let words = self.fingerprint.iter().flat_map(|named| named.split_whitespace());
        wrong.extend(words.filter(|word| Fingerprint::read(word).is_none()).map(|word| {
            format!(
                "fingerprint: {word:?} is none: it is sha256: and 64 digits, which check-config --online shows for a \
                 certificate that is not trusted"
            )
        }));
        wrong
    }

    /// The certificates that are trusted, if the operator names any.
    pub(crate) fn fingerprints(&self) -> Vec<Fingerprint> {
        self.fingerprint.iter().flat_map(|named| named.split_whitespace()).filter_map(Fingerprint::read).collect()
    }

    /// The host and port of the proxy.
    pub(crate) fn proxy(&self) -> Option<(&str, u16)> {
        let address = self.proxy.as_deref()?.strip_prefix("socks5://")?.trim_end_matches('/');
        let (host, port) = host_of(address).filter(|(host, _)| !host.contains('@'))?;
        Some((host, port?))
    }

    /// These settings for each of the network's servers, in the order in which they are tried.
    pub(crate) fn in_turn(&self) -> Vec<Settings> {
        let (server, _) = host_of(&self.server).unwrap_or((&self.server, None));
        let first = (server, self.port);
        let others = self.servers.iter().filter_map(|server| host_of(server));
        let others = others.map(|(host, port)| (host, port.or(self.port)));
        let each = std::iter::once(first).chain(others);
        each.map(|(server, port)| Settings { server: server.to_owned(), port, ..self.clone() }).collect()
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port.unwrap_or(if self.tls { 6_697 } else { 6_667 })
    }

    /// Server and port.
    pub fn address(&self) -> String {
        self.address_at(self.port())
    }

    /// The server and another port.
    pub(crate) fn address_at(&self, port: u16) -> String {
        match self.server.parse() {
            Ok(IpAddr::V6(server)) => format!("[{server}]:{port}"),
            _ => format!("{}:{port}", self.server),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_names_or_addresses_with_or_without_a_port() {
        let text = "server = \"[::1]\"\ntls = false\nservers = [\"a.example:7000\", \"[::2]:7001\", \"1.2.3.4\"]";
        let settings: Settings = toml::from_str(text).unwrap();
        let each: Vec<_> = settings.in_turn().iter().map(Settings::address).collect();
        assert_eq!(each, ["[::1]:6667", "a.example:7000", "[::2]:7001", "1.2.3.4:6667"]);
        for wrong in ["", "a b", "a/b", "a:", "a:x", "a:0", "[::1", "[a]", "::1:70000"] {
            assert_eq!(host_of(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_fingerprint_is_read_as_openssl_writes_it_too() {
        let print = Fingerprint::of(b"");
        assert!(print.to_string().starts_with("sha256:e3b0c44298fc1c14"), "{print}");
        let colons = print.to_string()["sha256:".len()..].to_ascii_uppercase();
        let colons = colons.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap()).collect::<Vec<_>>();
        for text in [print.to_string(), format!("SHA256:{}", colons.join(":"))] {
            assert_eq!(Fingerprint::read(&text), Some(print), "{text}");
        }
        for wrong in ["", "sha256", "sha256:00", "sha1:00", &format!("sha256:{}", "é".repeat(32))] {
            assert_eq!(Fingerprint::read(wrong), None, "{wrong}");
        }
    }
}
