//! The link to a server: TCP, perhaps through a proxy, with or without TLS.

mod dial;
mod socks;
mod trust;

use crate::settings::Settings;
use crate::sts::Way;
use crate::trouble::Trouble;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
#[cfg(feature = "aws-lc-rs")]
use tokio_rustls::rustls::crypto::aws_lc_rs as provider;
#[cfg(not(feature = "aws-lc-rs"))]
use tokio_rustls::rustls::crypto::ring as provider;
use tokio_rustls::rustls::pki_types::ServerName;

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
    let address = settings.address_at(way.port());
    let late = |_| Trouble::link(format!("{address} does not answer within {} seconds", PATIENCE.as_secs()));
    tokio::time::timeout(PATIENCE, open(settings, way, &address)).await.map_err(late)?
}

async fn open(settings: &Settings, way: Way, address: &str) -> Result<Link, Trouble> {
    let failed = |error| Trouble::link(format!("{address} cannot be reached: {error}"));
    let tcp = reach(settings, way.port()).await.map_err(failed)?;
    let failed = |error| Trouble::link(format!("{address} cannot be reached: {error}"));
    // An answer is a small packet that somebody waits for.
    tcp.set_nodelay(true).map_err(failed)?;
    let socket = Socket(tcp.as_fd().try_clone_to_owned().map_err(failed)?);
    if !way.is_encrypted() {
        return Ok((Box::new(tcp), socket));
    }
    let (config, shown) = trust::tls(settings)?;
    let name = ServerName::try_from(settings.server.clone())
        .map_err(|_| Trouble::setting(format!("server: {} is no name that a certificate can have", settings.server)))?;
    let stream = TlsConnector::from(Arc::new(config)).connect(name, tcp).await.map_err(|error| {
        Trouble::link(format!("no encrypted link to {address}: {}", trust::told(&error, shown.get())))
    })?;
    Ok((Box::new(stream), socket))
}

/// Connects to the server, through the proxy if there is one.
async fn reach(settings: &Settings, port: u16) -> Result<TcpStream, String> {
    let (server, bind) = (settings.server.as_str(), settings.bind);
    let Some((host, proxy_port)) = settings.proxy() else {
        return dial::reach(server, port, bind).await.map_err(|error| error.to_string());
    };
    let of_proxy = |why: String| format!("the proxy {host}:{proxy_port}: {why}");
    let reached = dial::reach(host, proxy_port, bind).await;
    let mut stream = reached.map_err(|error| of_proxy(error.to_string()))?;
    let password = settings.proxy_password.as_ref().map_or("", |password| password.expose());
    let login = settings.proxy_user.as_deref().map(|user| (user, password));
    socks::ask(&mut stream, login, server, port).await.map_err(of_proxy)?;
    Ok(stream)
}
