//! Limits on connections: so many at once, and none for long that is not kept open on purpose.

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Sleep;

/// How long a connection may last that only asks for something.
const STAY: Duration = Duration::from_secs(10);
/// How long a client may take nothing of what it is sent.
const PATIENCE: Duration = Duration::from_secs(15);

/// Whether a connection may last.
#[derive(Clone, Default)]
pub(crate) struct Stay(Arc<AtomicBool>);

impl Stay {
    /// From now on it lasts as long as its client takes what it is sent.
    pub fn on(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Connected<IncomingStream<'_, Door>> for Stay {
    fn connect_info(stream: IncomingStream<'_, Door>) -> Self {
        stream.io().stay.clone()
    }
}

/// A listener for so many connections at once. When it is full, others wait outside.
pub(crate) struct Door {
    listener: TcpListener,
    room: Arc<tokio::sync::Semaphore>,
}

/// A connection.
pub(crate) struct Guest {
    stream: TcpStream,
    stay: Stay,
    leave: Pin<Box<Sleep>>,
    /// Since a write had to wait.
    stuck: Option<Pin<Box<Sleep>>>,
    _place: tokio::sync::OwnedSemaphorePermit,
}

impl Door {
    /// Accepts so many connections from `listener`.
    pub fn new(listener: TcpListener, most: usize) -> Self {
        Door { listener, room: Arc::new(tokio::sync::Semaphore::new(most)) }
    }
}

impl Listener for Door {
    type Io = Guest;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Guest, SocketAddr) {
        let place = self.room.clone().acquire_owned().await.expect("nobody closes it");
        // Errors, such as running out of descriptors, are waited out there.
        let (stream, address) = Listener::accept(&mut self.listener).await;
        let leave = Box::pin(tokio::time::sleep(STAY));
        (Guest { stream, stay: Stay::default(), leave, stuck: None, _place: place }, address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

impl Guest {
    /// Fails once the connection has lasted too long.
    fn stays(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        let over = !self.stay.0.load(Ordering::Relaxed) && self.leave.as_mut().poll(context).is_ready();
        if over { Err(ErrorKind::TimedOut.into()) } else { Ok(()) }
    }

    /// The result of a write, unless the client takes nothing for too long.
    fn taken<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stuck = None;
            return written;
        }
        let stuck = self.stuck.get_or_insert_with(|| Box::pin(tokio::time::sleep(PATIENCE)));
        ready!(stuck.as_mut().poll(context));
        Poll::Ready(Err(ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Guest {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.stays(context)?;
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl AsyncWrite for Guest {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.stays(context)?;
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.taken(context, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.taken(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
