//! The link to a server: TCP, with or without TLS.

use crate::settings::Settings;
use crate::sts::Way;
use crate::trouble::Trouble;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
#[cfg(feature = "aws-lc-rs")]
use tokio_rustls::rustls::crypto::aws_lc_rs as provider;
#[cfg(not(feature = "aws-lc-rs"))]
use tokio_rustls::rustls::crypto::ring as provider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio_rustls::rustls::{self, CertificateError, ClientConfig, RootCertStore};

/// How long connecting may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// A stream of bytes, encrypted or not.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// A link's bytes, and its socket.
pub type Link = (Box<dyn Stream>, Socket);

/// The socket of a link, used to control its acknowledgements.
pub struct Socket(OwnedFd);

impl Socket {
    /// Acknowledges at once what was read. A server that waits for the acknowledgement before it sends more (Nagle's
    /// algorithm) would otherwise delay the next command by 40 ms whenever its previous data, such as a PONG, needed no
    /// answer.
    pub fn acknowledge(&self) {
        // Where the system lacks this, it works, just slower.
        #[cfg(target_os = "linux")]
        let _ = rustix::net::sockopt::set_tcp_quickack(&self.0, true);
    }
}

/// Connects.
///
/// # Errors
/// The reason, in words for the operator.
pub async fn connect(settings: &Settings, way: Way) -> Result<Link, Trouble> {
    let address = format!("{}:{}", settings.server, way.port());
    let late = |_| Trouble::link(format!("{address} does not answer within {} seconds", PATIENCE.as_secs()));
    tokio::time::timeout(PATIENCE, open(settings, way, &address)).await.map_err(late)?
}

async fn open(settings: &Settings, way: Way, address: &str) -> Result<Link, Trouble> {
    let failed = |error| Trouble::link(format!("{address} cannot be reached: {error}"));
    let tcp = TcpStream::connect((settings.server.as_str(), way.port())).await.map_err(failed)?;
    // An answer is a small packet that somebody waits for.
    tcp.set_nodelay(true).map_err(failed)?;
    let socket = Socket(tcp.as_fd().try_clone_to_owned().map_err(failed)?);
    if !way.is_encrypted() {
        return Ok((Box::new(tcp), socket));
    }
    let config = tls(settings)?;
    let name = ServerName::try_from(settings.server.clone())
        .map_err(|_| Trouble::setting(format!("server: {} is no name that a certificate can have", settings.server)))?;
    let stream = TlsConnector::from(Arc::new(config))
        .connect(name, tcp)
        .await
        .map_err(|error| Trouble::link(format!("no encrypted link to {address}: {}", told(&error))))?;
    Ok((Box::new(stream), socket))
}

/// An error of TLS in words for the operator, with the key that helps.
fn told(error: &std::io::Error) -> String {
    let cause = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    match cause {
        Some(rustls::Error::InvalidCertificate(wrong)) => told_of_certificate(wrong),
        Some(rustls::Error::InvalidMessage(_)) => NO_TLS.to_owned(),
        Some(rustls::Error::AlertReceived(alert)) => {
            format!("the server refused it ({alert:?}); it may want a client_cert, or another one")
        }
        Some(rustls::Error::PeerIncompatible(_)) => format!("the server's TLS is too old or too new: {error}"),
        None if error.kind() == std::io::ErrorKind::UnexpectedEof => NO_TLS.to_owned(),
        _ => error.to_string(),
    }
}

/// What it means if the answer is not TLS.
const NO_TLS: &str = "that port may not speak TLS: 6697 usually does (port), or set tls = false";

fn told_of_certificate(wrong: &CertificateError) -> String {
    match wrong {
        CertificateError::UnknownIssuer => {
            "nobody this machine trusts signed its certificate; if it is the right server, name its CA with ca = \"FILE\""
                .to_owned()
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "its certificate has expired: whoever runs the server must renew it, if this machine's clock is right".to_owned()
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "its certificate is not valid yet: is this machine's clock right?".to_owned()
        }
        CertificateError::NotValidForNameContext { expected, presented } => {
            let names: Vec<&str> = presented.iter().map(|name| bare(name)).collect();
            let names = if names.is_empty() { "no name".to_owned() } else { names.join(", ") };
            let name = expected.to_str();
            format!("its certificate is for {names}, not for {name}: set server to a name that it has")
        }
        CertificateError::NotValidForName => {
            "its certificate is for another name: set server to a name that it has".to_owned()
        }
        other if format!("{other:?}").contains("CaUsedAsEndEntity") => {
            "its certificate is one of an authority, not of a server: whoever runs the server must make another".to_owned()
        }
        CertificateError::Revoked => "its certificate was revoked: do not trust it".to_owned(),
        other => format!("its certificate cannot be trusted ({other}); if it is the right server, name its CA with ca = \"FILE\""),
    }
}

/// A name in a certificate, without its type: `DnsName("irc.example.org")`.
fn bare(name: &str) -> &str {
    name.split_once('(').map_or(name, |(_, name)| name.trim_end_matches(')').trim_matches('"'))
}

fn tls(settings: &Settings) -> Result<ClientConfig, Trouble> {
    let mut roots = RootCertStore::empty();
    match &settings.ca {
        Some(file) => {
            for certificate in certificates(file, "ca")? {
                roots.add(certificate).map_err(|error| wrong("ca", file, error))?;
            }
        }
        None => {
            let found = rustls_native_certs::load_native_certs();
            roots.add_parsable_certificates(found.certs);
            if roots.is_empty() {
                let what = "this machine has no list of trusted certificates: install ca-certificates, or name a file \
                            with ca = \"FILE\"";
                return Err(Trouble::setting(what.to_owned()));
            }
        }
    }
    // Named explicitly, so another library in the program with another choice does no harm.
    let builder = ClientConfig::builder_with_provider(Arc::new(provider::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| Trouble::setting(format!("tls: {error}")))?
        .with_root_certificates(roots);
    match (&settings.client_cert, &settings.client_key) {
        (Some(certificate), Some(key)) => {
            let chain = certificates(certificate, "client_cert")?;
            let private = PrivateKeyDer::from_pem_file(key).map_err(|error| wrong("client_key", key, error))?;
            builder.with_client_auth_cert(chain, private).map_err(|error| wrong("client_cert", certificate, error))
        }
        _ => Ok(builder.with_no_client_auth()),
    }
}

fn certificates(file: &Path, what: &str) -> Result<Vec<CertificateDer<'static>>, Trouble> {
    let read = CertificateDer::pem_file_iter(file).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let found = read.map_err(|error| wrong(what, file, error))?;
    if found.is_empty() {
        return Err(wrong(what, file, "it holds no certificate in PEM"));
    }
    Ok(found)
}

fn wrong(what: &str, file: &Path, error: impl std::fmt::Display) -> Trouble {
    Trouble::setting(format!("{what}: {} cannot be used: {error}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Error, ErrorKind};
    use tokio_rustls::rustls::InvalidMessage;

    #[test]
    fn an_error_of_tls_is_said_in_plain_words_with_the_key_that_helps() {
        let wrong_name = CertificateError::NotValidForNameContext {
            expected: ServerName::try_from("irc.example.org").unwrap().to_owned(),
            presented: vec!["DnsName(\"irc.example.net\")".to_owned(), "DnsName(\"example.net\")".to_owned()],
        };
        let of_certificate = rustls::Error::InvalidCertificate;
        for (error, says) in [
            (of_certificate(CertificateError::UnknownIssuer), "name its CA with ca = \"FILE\""),
            (of_certificate(CertificateError::Expired), "its certificate has expired: whoever runs the server"),
            (of_certificate(CertificateError::NotValidYet), "is this machine's clock right?"),
            (
                of_certificate(wrong_name),
                "for irc.example.net, example.net, not for irc.example.org: set server to a name",
            ),
            (rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType), "may not speak TLS"),
        ] {
            let said = told(&Error::new(ErrorKind::InvalidData, error));
            assert!(said.contains(says), "{said}");
            assert!(!said.contains("InvalidC") && !said.contains("DnsName"), "{said}");
        }
        assert_eq!(told(&Error::from(ErrorKind::UnexpectedEof)), NO_TLS);
    }
}
