//! Connections that are encrypted: to every server on another machine, whose certificate is verified.

use crate::Place;
use journal::store::StoreError;
use std::sync::Arc;
use tokio_postgres_rustls::MakeRustlsConnect;
#[cfg(feature = "aws-lc-rs")]
use tokio_rustls::rustls::crypto::aws_lc_rs as provider;
#[cfg(not(feature = "aws-lc-rs"))]
use tokio_rustls::rustls::crypto::ring as provider;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// What encrypts the connections to this database.
///
/// # Errors
/// The certificates to trust cannot be read.
pub fn encrypting(place: &Place) -> Result<MakeRustlsConnect, StoreError> {
    let mut trusted = RootCertStore::empty();
    match &place.authority {
        Some(file) => {
            let unread = |error: &dyn std::fmt::Display| {
                StoreError::Unavailable(format!("the certificates in {} cannot be read: {error}", file.display()))
            };
            for certificate in CertificateDer::pem_file_iter(file).map_err(|error| unread(&error))? {
                let certificate = certificate.map_err(|error| unread(&error))?;
                trusted.add(certificate).map_err(|error| unread(&error))?;
            }
        }
        // One that cannot be read is not trusted.
        None => drop(trusted.add_parsable_certificates(rustls_native_certs::load_native_certs().certs)),
    }
    let config = ClientConfig::builder_with_provider(Arc::new(provider::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| StoreError::Unavailable(error.to_string()))?;
    Ok(MakeRustlsConnect::new(config.with_root_certificates(trusted).with_no_client_auth()))
}
