//! Limits on connections: few at once, and none for long that is not kept open on purpose. A thousand strangers who never
//! finish their request cost the bot neither its descriptors nor its time, and the next client is still answered.

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::io::{self, ErrorKind, IoSlice};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::time::Sleep;

/// How long a connection may last that only asks for something: that is answered at once.
const STAY: Duration = Duration::from_secs(10);
/// How long a client may take nothing of what it is sent.
const PATIENCE: Duration = Duration::from_secs(15);

/// Whether a connection may last.
#[derive(Clone, Default)]
pub struct Stay(Arc<AtomicBool>);

impl Stay {
    /// From now on it lasts as long as its client takes what it is sent.
    pub fn on(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_on(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Connected<IncomingStream<'_, Door>> for Stay {
    fn connect_info(stream: IncomingStream<'_, Door>) -> Self {
        stream.io().stay.clone()
    }
}

/// A listener for so many connections at once. When it is full, the oldest one is closed that nobody keeps open on purpose;
/// whoever keeps some open sees to it that there are fewer of them.
pub struct Door {
    listener: TcpListener,
    /// Dropping a sender closes its connection.
    guests: VecDeque<(Stay, oneshot::Sender<Infallible>)>,
    room: usize,
}

/// A connection.
pub struct Guest {
    stream: TcpStream,
    stay: Stay,
    leave: Pin<Box<Sleep>>,
    sent_away: oneshot::Receiver<Infallible>,
    gone: bool,
    /// Set while a write has to wait.
    stuck: Option<Pin<Box<Sleep>>>,
}

impl Door {
    /// Accepts so many connections from `listener`.
    pub fn new(listener: TcpListener, room: usize) -> Self {
        Door { listener, guests: VecDeque::new(), room }
    }
}

impl Listener for Door {
    type Io = Guest;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Guest, SocketAddr) {
        // Errors, such as running out of descriptors, are waited out there.
        let (stream, address) = Listener::accept(&mut self.listener).await;
        self.guests.retain(|(_, guest)| !guest.is_closed());
        while self.guests.len() >= self.room {
            let first = self.guests.iter().position(|(stay, _)| !stay.is_on()).unwrap_or_default();
            self.guests.remove(first);
        }
        let (place, sent_away) = oneshot::channel();
        let stay = Stay::default();
        self.guests.push_back((stay.clone(), place));
        let leave = Box::pin(tokio::time::sleep(STAY));
        (Guest { stream, stay, leave, sent_away, gone: false, stuck: None }, address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

impl Guest {
    /// The connection, while it may last.
    fn stream(&mut self, context: &mut Context<'_>) -> io::Result<Pin<&mut TcpStream>> {
        self.gone = self.gone
            || (!self.stay.is_on() && self.leave.as_mut().poll(context).is_ready())
            || Pin::new(&mut self.sent_away).poll(context).is_ready();
        if self.gone { Err(ErrorKind::TimedOut.into()) } else { Ok(Pin::new(&mut self.stream)) }
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
        self.stream(context)?.poll_read(context, into)
    }
}

impl AsyncWrite for Guest {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = self.stream(context)?.poll_write(context, bytes);
        self.taken(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = self.stream(context)?.poll_write_vectored(context, pieces);
        self.taken(context, written)
    }

    // So that what many are sent is not copied for each.
    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = self.stream(context)?.poll_flush(context);
        self.taken(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream(context)?.poll_shutdown(context)
    }
}
