//! Which servers are trusted over TLS: by the authorities that signed their certificates, or by the certificates that the
//! operator names.

use super::provider;
use crate::settings::{Fingerprint, Settings};
use crate::trouble::Trouble;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use tokio_rustls::rustls::client::WebPkiServerVerifier;
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use tokio_rustls::rustls::{
    self, CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
};

/// The certificate that a server showed.
pub type Shown = Arc<OnceLock<Fingerprint>>;

/// The configuration for a link, and where the certificate is noted that the server shows.
///
/// # Errors
/// A file cannot be used, or nothing is trusted.
pub fn tls(settings: &Settings) -> Result<(ClientConfig, Shown), Trouble> {
    // Named explicitly, so another library in the program with another choice does no harm.
    let provider = Arc::new(provider::default_provider());
    let (named, shown) = (settings.fingerprints(), Shown::default());
    let signed = if named.is_empty() { Some(by_authority(settings, provider.clone())?) } else { None };
    let trust = Trust { signed, named, provider: provider.clone(), shown: shown.clone() };
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| Trouble::setting(format!("tls: {error}")))?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(trust));
    let config = match (&settings.client_cert, &settings.client_key) {
        (Some(certificate), Some(key)) => {
            let chain = certificates(certificate, "client_cert")?;
            let private = PrivateKeyDer::from_pem_file(key).map_err(|error| wrong("client_key", key, error))?;
            builder.with_client_auth_cert(chain, private).map_err(|error| wrong("client_cert", certificate, error))?
        }
        _ => builder.with_no_client_auth(),
    };
    Ok((config, shown))
}

fn by_authority(settings: &Settings, provider: Arc<CryptoProvider>) -> Result<Arc<WebPkiServerVerifier>, Trouble> {
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
    let built = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build();
    built.map_err(|error| Trouble::setting(format!("ca: {error}")))
}

/// Trusts a server that shows a named certificate, if any is named; otherwise one that an authority vouches for.
#[derive(Debug)]
struct Trust {
    /// Authorities; `None` if certificates are named.
    signed: Option<Arc<WebPkiServerVerifier>>,
    named: Vec<Fingerprint>,
    provider: Arc<CryptoProvider>,
    shown: Shown,
}

impl ServerCertVerifier for Trust {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let shown = *self.shown.get_or_init(|| Fingerprint::of(end_entity));
        match &self.signed {
            Some(signed) => signed.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now),
            None if self.named.contains(&shown) => Ok(ServerCertVerified::assertion()),
            None => Err(CertificateError::ApplicationVerificationFailure.into()),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

/// An error of TLS in words for the operator, with the key that helps. `shown` is the certificate that the server showed.
pub fn told(error: &std::io::Error, shown: Option<&Fingerprint>) -> String {
    let cause = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    match cause {
        Some(rustls::Error::InvalidCertificate(wrong)) => told_of_certificate(wrong, shown),
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

fn told_of_certificate(wrong: &CertificateError, shown: Option<&Fingerprint>) -> String {
    let add = shown.map_or_else(String::new, |shown| format!("fingerprint = \"{shown}\""));
    let confirmed = "if whoever runs the server confirms that this is its certificate, add the line";
    match wrong {
        CertificateError::UnknownIssuer => format!(
            "nobody this machine trusts signed its certificate; name its CA with ca = \"FILE\", or, {confirmed} {add}"
        ),
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => format!(
            "its certificate has expired: whoever runs the server must renew it, if this machine's clock is right; or, \
             {confirmed} {add}"
        ),
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "its certificate is not valid yet: is this machine's clock right?".to_owned()
        }
        CertificateError::NotValidForNameContext { expected, presented } => {
            let names: Vec<&str> = presented.iter().map(|name| bare(name)).collect();
            let name = expected.to_str();
            match names.is_empty() {
                true => format!("its certificate is for no name, not for {name}; {confirmed} {add}"),
                false => format!(
                    "its certificate is for {}, not for {name}: set server to a name that it has; or, {confirmed} {add}",
                    names.join(", ")
                ),
            }
        }
        CertificateError::NotValidForName => {
            format!("its certificate is for another name: set server to a name that it has; or, {confirmed} {add}")
        }
        CertificateError::ApplicationVerificationFailure => {
            format!("its certificate is another one than that of fingerprint; {confirmed} {add}")
        }
        CertificateError::Revoked => "its certificate was revoked: do not trust it".to_owned(),
        other if format!("{other:?}").contains("CaUsedAsEndEntity") => {
            format!("its certificate is one of an authority, which signed itself; {confirmed} {add}")
        }
        other => format!("its certificate cannot be trusted ({other}); {confirmed} {add}"),
    }
}

/// A name in a certificate, without its type: `DnsName("irc.example.org")`.
fn bare(name: &str) -> &str {
    name.split_once('(').map_or(name, |(_, name)| name.trim_end_matches(')').trim_matches('"'))
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
        let shown = Fingerprint::of(b"a certificate");
        let line = format!("add the line fingerprint = \"{shown}\"");
        let of_certificate = rustls::Error::InvalidCertificate;
        for (error, says) in [
            (of_certificate(CertificateError::UnknownIssuer), &*line),
            (of_certificate(CertificateError::ApplicationVerificationFailure), &line),
            (of_certificate(CertificateError::UnknownIssuer), "name its CA with ca = \"FILE\""),
            (of_certificate(CertificateError::Expired), "its certificate has expired: whoever runs the server"),
            (of_certificate(CertificateError::NotValidYet), "is this machine's clock right?"),
            (
                of_certificate(wrong_name),
                "for irc.example.net, example.net, not for irc.example.org: set server to a name",
            ),
            (rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType), "may not speak TLS"),
        ] {
            let said = told(&Error::new(ErrorKind::InvalidData, error), Some(&shown));
            assert!(said.contains(says), "{said}");
            assert!(!said.contains("InvalidC") && !said.contains("DnsName"), "{said}");
        }
        assert_eq!(told(&Error::from(ErrorKind::UnexpectedEof), None), NO_TLS);
    }
}
