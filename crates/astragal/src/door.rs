//! Limits on connections: few at once, and none for long. A thousand strangers who never finish their request cost the
//! bot neither its descriptors nor its time, and the next client is still answered.

use axum::serve::Listener;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::time::Sleep;

/// The most connections at once, and the largest share of all descriptors for them.
const MOST: usize = 64;
const SHARE: u64 = 8;
/// How long a connection may last: requests here are answered at once.
const STAY: Duration = Duration::from_secs(10);

/// Raises this process's descriptor limit as far as the system allows: when they are short, the store needs them most.
pub fn raise_descriptors() {
    let limit = getrlimit(Resource::Nofile);
    // If it cannot be raised, fewer connections are accepted.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}

/// The largest share of this process's descriptors for connections from outside.
pub fn share() -> usize {
    let all = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    usize::try_from(all / SHARE).unwrap_or(usize::MAX)
}

/// How many connections are accepted at once; the store and the networks keep the other descriptors.
pub fn room() -> usize {
    share().clamp(1, MOST)
}

/// A listener for a few connections. When it is full, the oldest one is closed.
pub struct Door {
    listener: TcpListener,
    /// Dropping a sender closes its connection.
    guests: VecDeque<oneshot::Sender<Infallible>>,
    room: usize,
}

/// A connection that ends when its time is over, or when another needs its place.
pub struct Guest {
    stream: TcpStream,
    leave: Pin<Box<Sleep>>,
    sent_away: oneshot::Receiver<Infallible>,
    gone: bool,
}

impl Door {
    /// Accepts connections from `listener`.
    pub fn new(listener: TcpListener) -> Self {
        Door { listener, guests: VecDeque::new(), room: room() }
    }
}

impl Listener for Door {
    type Io = Guest;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Guest, SocketAddr) {
        // Errors, such as running out of descriptors, are waited out there.
        let (stream, address) = Listener::accept(&mut self.listener).await;
        self.guests.retain(|guest| !guest.is_closed());
        while self.guests.len() >= self.room {
            self.guests.pop_front();
        }
        let (place, sent_away) = oneshot::channel();
        self.guests.push_back(place);
        let leave = Box::pin(tokio::time::sleep(STAY));
        (Guest { stream, leave, sent_away, gone: false }, address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

impl Guest {
    /// The connection, while it may last.
    fn stream(&mut self, context: &mut Context<'_>) -> io::Result<Pin<&mut TcpStream>> {
        self.gone = self.gone
            || self.leave.as_mut().poll(context).is_ready()
            || Pin::new(&mut self.sent_away).poll(context).is_ready();
        if self.gone { Err(ErrorKind::TimedOut.into()) } else { Ok(Pin::new(&mut self.stream)) }
    }
}

impl AsyncRead for Guest {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.stream(context)?.poll_read(context, into)
    }
}

impl AsyncWrite for Guest {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.stream(context)?.poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream(context)?.poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream(context)?.poll_shutdown(context)
    }
}
