//! Who listens lets few in at once and nobody stay: a thousand strangers who never finish what they ask cost the bot neither its
//! descriptors nor its time, and whoever comes after them is answered.

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

/// Guests at once, and the share of all descriptors that they may have at the most.
const MOST: u64 = 64;
const SHARE: u64 = 8;
/// How long a guest may stay: what is asked here is answered at once.
const STAY: Duration = Duration::from_secs(10);

/// Allows this process as many descriptors as the system lets it have: where there are few, the store needs them most.
pub fn raise_descriptors() {
    let limit = getrlimit(Resource::Nofile);
    // What cannot be raised stays, and fewer are let in.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}

/// How many are let in at once: the store and the networks keep the other descriptors.
pub fn room() -> usize {
    let all = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    usize::try_from((all / SHARE).clamp(1, MOST)).expect("64 at the most")
}

/// A listener with room for a few. When it is full, who came first makes room.
pub struct Door {
    listener: TcpListener,
    /// Whoever drops one sends its guest away.
    guests: VecDeque<oneshot::Sender<Infallible>>,
    room: usize,
}

/// A connection that ends when its time is over, or another needs its place.
pub struct Guest {
    stream: TcpStream,
    leave: Pin<Box<Sleep>>,
    sent_away: oneshot::Receiver<Infallible>,
    gone: bool,
}

impl Door {
    /// Lets in who comes there.
    pub fn new(listener: TcpListener) -> Self {
        Door { listener, guests: VecDeque::new(), room: room() }
    }
}

impl Listener for Door {
    type Io = Guest;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Guest, SocketAddr) {
        // Errors, such as of a machine without descriptors, are waited out there.
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
    /// The connection, as long as it may stay.
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
