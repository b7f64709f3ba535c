//! The task of a network: connects, registers, listens and speaks, and starts again when the link is lost.

mod orders;
mod silence;

pub use orders::{Ask, Order};

use crate::link::{self, Link, Socket, Stream};
use crate::login::{Learned, Login, Progress, Registered, Server};
use crate::outbox::Outbox;
use crate::session::{Memory, Moment, Session, Setup};
use crate::settings::Settings;
use crate::sts::{Policies, Way};
use crate::trouble::{Trouble, legible};
use crate::wire::{self, Encoding, Framer, Incoming};
use chat::{Clock, Delivery, Event, Status};
use irc_proto::Command;
use jiff::SignedDuration;
use silence::Silence;
use std::collections::VecDeque;
use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt, ReadHalf, WriteHalf};
use tokio::sync::{OwnedMutexGuard, mpsc, oneshot, watch};
use tokio::time::Instant;

/// Bytes read at once.
const CHUNK: usize = 16 << 10;
/// A connection that lasted this long was good: the next attempt waits only the shortest time.
const HELD: Duration = Duration::from_secs(60);
/// The most bytes that may wait for a server that does not read.
const MOST_WAITING: usize = 1 << 20;
/// How long the server has to end the link when the bot leaves.
const GOODBYE: Duration = Duration::from_secs(2);
/// The metric of logins that the network refused.
const REFUSED: &str = "astragal_logins_refused_total";
/// The quit message others see.
const QUIT: &str = "the table is kept";

/// Returns a fresh secret text each time.
pub type Nonces = Arc<dyn Fn() -> String + Send + Sync>;

/// The task of a network.
pub struct Connection {
    pub network: String,
    /// The settings for the server that is tried or used.
    pub settings: Arc<Settings>,
    /// The same for each server, in the order in which they are tried.
    pub servers: Vec<Arc<Settings>>,
    pub clock: Arc<dyn Clock>,
    pub nonces: Nonces,
    pub orders: OwnedMutexGuard<mpsc::UnboundedReceiver<Order>>,
    /// The channel for what happens; nobody listens once the bot stops.
    pub deliveries: mpsc::UnboundedSender<Delivery>,
    pub ready: watch::Sender<bool>,
    pub memory: Memory,
    pub outbox: Outbox,
    /// The operator's requests.
    pub asked: Vec<Ask>,
    /// True if there are new settings that the session does not know.
    pub adopted: bool,
    pub closing: Option<oneshot::Sender<()>>,
    /// The state while there is no connection.
    pub away: Status,
}

/// How a connection ended.
enum End {
    /// The bot was asked to leave.
    Left,
    /// The link was lost.
    Lost(Trouble),
}

/// A link with its read and write buffers.
struct Wire {
    read: ReadHalf<Box<dyn Stream>>,
    write: WriteHalf<Box<dyn Stream>>,
    framer: Framer,
    chunk: Vec<u8>,
    out: VecDeque<u8>,
    unflushed: bool,
    socket: Socket,
    /// Lines that came along with the last line of registration.
    early: Vec<Incoming>,
}

impl Connection {
    /// Runs until it is asked to leave.
    pub async fn live(mut self) {
        let first = Duration::from_millis(u64::from(self.settings.reconnect_first_ms));
        let most = Duration::from_millis(u64::from(self.settings.reconnect_most_ms)).max(first);
        let mut wait = first;
        // The server whose turn it is, and how many in a row did not let the bot in.
        let (mut turn, mut failed) = (0, 0);
        loop {
            let mut registered_at = None;
            self.settings = self.servers[turn % self.servers.len()].clone();
            let end = match self.open().await {
                Ok(Some((wire, registered))) => {
                    registered_at = Some(Instant::now());
                    self.away = Status::default();
                    self.serve(wire, registered).await
                }
                Ok(None) => End::Left,
                Err(trouble) => End::Lost(trouble),
            };
            let trouble = match end {
                End::Left => break,
                End::Lost(trouble) => trouble,
            };
            if self.closing.is_some() {
                tracing::warn!(network = self.network, reason = %trouble, "the link was lost on leaving");
                break;
            }
            if registered_at.is_none() {
                (turn, failed) = (turn + 1, failed + 1);
            } else {
                failed = 0;
            }
            // Another server may let the bot in at once.
            let all_failed = failed % self.servers.len() == 0;
            if registered_at.is_some_and(|at| at.elapsed() > HELD) {
                wait = first;
            } else if trouble.lasting {
                metrics::counter!(REFUSED, "network" => self.network.clone()).increment(1);
                wait = most;
            }
            let pause = self.jittered(if all_failed { wait } else { first });
            if self.waits(&trouble, pause).await {
                break;
            }
            if all_failed {
                wait = (wait * 2).min(most);
            }
        }
        self.outbox.give_up();
        if let Some(closed) = self.closing.take() {
            // The receiver may have stopped waiting.
            let _ = closed.send(());
        }
    }

    /// Returns a time between three quarters of `wait` and `wait`, so that many bots do not come back at once.
    fn jittered(&self, wait: Duration) -> Duration {
        let byte = (self.nonces)().bytes().fold(0u8, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte));
        wait - wait / 4 * u32::from(byte) / 255
    }

    /// Waits before the next attempt. Returns true if it was asked to leave.
    async fn waits(&mut self, trouble: &Trouble, pause: Duration) -> bool {
        let (network, server) = (self.network.as_str(), self.settings.server.as_str());
        tracing::warn!(network, server, reason = %trouble, again_in_ms = pause.as_millis(), "no connection");
        let later = SignedDuration::try_from(pause).ok().and_then(|pause| self.clock.now().checked_add(pause).ok());
        self.away = Status { trouble: Some(trouble.to_string()), again: later, ..Status::default() };
        let leaves = self.pause(pause).await;
        self.away.again = None;
        leaves
    }

    /// Waits, taking posts to be said later. Returns true if it was asked to leave.
    async fn pause(&mut self, pause: Duration) -> bool {
        let until = Instant::now() + pause;
        loop {
            tokio::select! {
                () = tokio::time::sleep_until(until) => return false,
                order = self.orders.recv() => self.take(order),
            }
            self.asked.drain(..).for_each(|ask| ask.refuse(&self.away));
            if self.closing.is_some() {
                return true;
            }
        }
    }

    fn refuse(&mut self) {
        self.asked.drain(..).for_each(|ask| ask.refuse(&self.away));
    }

    fn take(&mut self, order: Option<Order>) {
        match order {
            Some(Order::Say(post, said)) => self.outbox.put(*post, said),
            Some(Order::Ask(ask)) => self.asked.push(ask),
            Some(Order::Adopt(settings)) => self.adopt(&settings),
            Some(Order::Close(closed)) => self.closing = Some(closed),
            // The transport itself is gone.
            None => self.closing = Some(oneshot::channel().0),
        }
    }

    /// Goes by other settings, which name the same servers.
    fn adopt(&mut self, settings: &Settings) {
        self.servers = settings.in_turn().into_iter().map(Arc::new).collect();
        let here = (&self.settings.server, self.settings.port);
        let same = self.servers.iter().find(|each| (&each.server, each.port) == here).cloned();
        self.settings = same.unwrap_or_else(|| self.servers[0].clone());
        self.adopted = true;
    }

    /// Connects and registers. Returns `None` if it was asked to leave meanwhile.
    async fn open(&mut self) -> Result<Option<(Wire, Registered)>, Trouble> {
        let settings = self.settings.clone();
        let way = Way::to(&settings, &self.memory.policies, self.clock.now());
        let server = Server { settings: &settings, way, distrusted: self.memory.distrust.is_about(&settings) };
        let (nonce, mut learned) = ((self.nonces)(), Learned::default());
        let opened = {
            let mut opening = std::pin::pin!(open(server, nonce, &mut learned));
            loop {
                tokio::select! {
                    opened = &mut opening => break opened.map(Some),
                    order = self.orders.recv() => self.take(order),
                }
                self.refuse();
                if self.closing.is_some() {
                    break Ok(None);
                }
            }
        };
        self.learn(&learned);
        opened
    }

    /// Stores what was learned about the server.
    fn learn(&mut self, learned: &Learned) {
        let Memory { policies, notes, .. } = &mut self.memory;
        if let Some((port, advice)) = learned.advice {
            policies.heard(&self.settings.server, port, advice, self.clock.now());
            policies.note(notes);
        }
        if learned.caught {
            self.memory.caught(&self.settings, &self.network);
        }
        self.hand_on(Vec::new());
    }

    /// Listens and speaks until the link is lost.
    async fn serve(&mut self, mut wire: Wire, registered: Registered) -> End {
        let now = Instant::now();
        let network = self.network.clone();
        for remark in &registered.remarks {
            tracing::warn!(network, "{remark}");
        }
        let account = legible(registered.account.as_deref().unwrap_or("none"));
        let server = format!("{}:{}", self.settings.server, registered.way.port());
        let wanted = self.settings.account.is_some() || self.settings.client_cert.is_some();
        if wanted && registered.account.is_none() {
            metrics::counter!(REFUSED, "network" => network.clone()).increment(1);
        }
        metrics::counter!("astragal_connections_total", "network" => network.clone()).increment(1);
        tracing::info!(network, server, nick = legible(&registered.nick), account, "connected");
        let nonce = (self.nonces)();
        let setup = Setup { network: &network, settings: &self.settings, clock: &self.clock, nonce };
        let mut session = Session::begin(setup, registered, &self.memory, now);
        session.settle_in(now, &mut self.outbox);
        if !session.knows_accounts() {
            let meaning = match self.settings.trust_nicks {
                true => "the server knows no accounts; trust_nicks is set, so anyone who takes a nick gets its rights",
                false => {
                    "the server knows no accounts: players are known by their nicks, which anybody may take, and only \
                     channel operators have rights; where nobody takes another's nick, set trust_nicks = true"
                }
            };
            tracing::warn!(network, "{meaning}");
        }
        let early = std::mem::take(&mut wire.early);
        let mut moment = self.moment(now);
        let heard = early.iter().try_for_each(|line| session.hear(line, &mut moment, &mut wire.out));
        self.deliver(&mut session);
        let talked = match heard {
            Ok(()) => self.talk(&mut wire, &mut session).await,
            Err(trouble) => Err(trouble),
        };
        session.end();
        self.memory.past.end();
        self.memory.past.note(&mut self.memory.notes);
        self.memory.policies.closed(&self.settings.server, self.clock.now());
        self.memory.policies.note(&mut self.memory.notes);
        self.deliver(&mut session);
        self.outbox.lost(&network, Instant::now());
        if talked.as_ref().is_err_and(|trouble| trouble.flooded) {
            self.outbox.too_fast(Instant::now());
        }
        match talked {
            Ok(()) => End::Left,
            Err(trouble) => End::Lost(trouble),
        }
    }

    /// Speaks and listens until it is asked to leave.
    ///
    /// # Errors
    /// The link is lost.
    async fn talk(&mut self, wire: &mut Wire, session: &mut Session) -> Result<(), Trouble> {
        let mut silence = Silence::new(&self.settings, Instant::now());
        loop {
            if self.closing.is_some() && self.outbox.is_done() {
                wire.goodbye().await;
                return Ok(());
            }
            self.speak(wire, session)?;
            let due = [session.due(), self.outbox.due(), self.memory.past.due()].into_iter().flatten();
            let due = due.fold(silence.until(), Instant::min);
            tokio::select! {
                read = wire.read.read(&mut wire.chunk) => {
                    let now = Instant::now();
                    silence.ended(now);
                    wire.socket.acknowledge();
                    let heard = self.hear(wire, read, session, now);
                    self.deliver(session);
                    heard?;
                }
                written = flush(&mut wire.write, &mut wire.out, &mut wire.unflushed), if !wire.out.is_empty() || wire.unflushed => {
                    written.map_err(|error| Trouble::link(format!("the link broke: {error}")))?;
                }
                order = self.orders.recv() => self.follow(order, session, &silence),
                () = tokio::time::sleep_until(due) => {
                    let now = Instant::now();
                    session.tick(&mut self.moment(now));
                    self.deliver(session);
                    silence.bear(now, &mut wire.out)?;
                }
            }
        }
    }

    /// Writes what may be said now to the buffer, and hands on any events that follow from it.
    ///
    /// # Errors
    /// The server does not read what is sent.
    fn speak(&mut self, wire: &mut Wire, session: &mut Session) -> Result<(), Trouble> {
        let now = Instant::now();
        self.outbox.pump(now, &*session, &mut wire.out);
        session.asked_of(&mut self.outbox.asked, now);
        session.events.append(&mut self.outbox.rests);
        self.deliver(session);
        if session.arrived() {
            self.ready.send_replace(true);
        }
        match wire.out.len() > MOST_WAITING {
            true => Err(Trouble::link("the server does not read what it is sent".to_owned())),
            false => Ok(()),
        }
    }

    /// Takes an order and those waiting after it. The operator's requests are done at once.
    fn follow(&mut self, order: Option<Order>, session: &mut Session, silence: &Silence) {
        self.take(order);
        while let Ok(order) = self.orders.try_recv() {
            self.take(Some(order));
        }
        let now = Instant::now();
        if std::mem::take(&mut self.adopted) {
            session.adopt(&self.settings.clone(), &mut self.moment(now));
        }
        for ask in std::mem::take(&mut self.asked) {
            match ask {
                Ask::Status(asked) => drop(asked.send(silence.judge(session.status(now), now))),
                ask => session.asked(ask, &mut self.moment(now)),
            }
        }
    }

    /// Takes the lines out of what was read.
    fn hear(
        &mut self,
        wire: &mut Wire,
        read: std::io::Result<usize>,
        session: &mut Session,
        now: Instant,
    ) -> Result<(), Trouble> {
        let length = match read {
            Ok(0) => return Err(Trouble::link("the server closed the link".to_owned())),
            Ok(length) => length,
            // The server closed the link without ending TLS properly.
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                return Err(Trouble::link("the server closed the link without a word".to_owned()));
            }
            Err(error) => return Err(Trouble::link(format!("the link broke: {error}"))),
        };
        let Wire { framer, chunk, out, .. } = wire;
        let network = self.network.clone();
        let encoding = session.view.isupport.encoding;
        let mut moment = self.moment(now);
        let mut ended = Ok(());
        framer.feed(&chunk[..length], |line| {
            let Some(line) = Incoming::read(line, encoding) else {
                tracing::debug!(network, "a line that is no message");
                return;
            };
            // Nothing after the server's last word counts.
            if ended.is_ok() {
                ended = session.hear(&line, &mut moment, out);
            }
        });
        ended
    }

    fn moment(&mut self, now: Instant) -> Moment<'_> {
        Moment { now, memory: &mut self.memory, outbox: &mut self.outbox }
    }

    /// Hands events and notes to the core.
    fn deliver(&mut self, session: &mut Session) {
        self.hand_on(std::mem::take(&mut session.events));
    }

    fn hand_on(&mut self, events: Vec<Event>) {
        let notes = std::mem::take(&mut self.memory.notes);
        if !events.is_empty() || !notes.is_empty() {
            // Nobody listens once the bot stops.
            let _ = self.deliveries.send(Delivery { events, notes });
        }
    }
}

impl Wire {
    fn new((stream, socket): Link) -> Self {
        let (read, write) = tokio::io::split(stream);
        let (framer, out) = (Framer::default(), VecDeque::new());
        Wire { read, write, framer, chunk: vec![0; CHUNK], out, unflushed: false, socket, early: Vec::new() }
    }

    /// Leaves in order, as far as the server allows.
    async fn goodbye(&mut self) {
        wire::write(&mut self.out, &Command::QUIT(Some(QUIT.to_owned())));
        let leaving = async {
            flush(&mut self.write, &mut self.out, &mut self.unflushed).await?;
            while self.read.read(&mut self.chunk).await? > 0 {}
            std::io::Result::Ok(())
        };
        // If the server does not end the link, the bot does.
        let _ = tokio::time::timeout(GOODBYE, leaving).await;
    }
}

/// Writes the whole buffer. If cancelled, the next call continues where it stopped.
async fn flush(
    write: &mut WriteHalf<Box<dyn Stream>>,
    out: &mut VecDeque<u8>,
    unflushed: &mut bool,
) -> std::io::Result<()> {
    *unflushed = true;
    write.write_all_buf(out).await?;
    write.flush().await?;
    *unflushed = false;
    Ok(())
}

/// Connects and registers, over TLS if the server wants it.
async fn open(server: Server<'_>, nonce: String, learned: &mut Learned) -> Result<(Wire, Registered), Trouble> {
    match register(server, nonce.clone(), learned).await? {
        Opened::In(wire, registered) => Ok((wire, *registered)),
        Opened::Upgrade(port) => {
            let address = server.settings.address_at(port);
            tracing::info!(address, "the server wants an encrypted link");
            match register(Server { way: Way::Tls(port), ..server }, nonce, learned).await? {
                Opened::In(wire, registered) => Ok((wire, *registered)),
                Opened::Upgrade(_) => Err(Trouble::link("the server wants TLS over TLS".to_owned())),
            }
        }
    }
}

/// The result of registering.
enum Opened {
    In(Wire, Box<Registered>),
    /// The server wants TLS, on this port.
    Upgrade(u16),
}

async fn register(server: Server<'_>, nonce: String, learned: &mut Learned) -> Result<Opened, Trouble> {
    let mut wire = Wire::new(link::connect(server.settings, server.way).await?);
    let mut send = Vec::new();
    let mut login = Login::begin(server, nonce, Instant::now(), &mut send);
    loop {
        send.drain(..).for_each(|command| wire::write(&mut wire.out, &command));
        flush(&mut wire.write, &mut wire.out, &mut wire.unflushed).await.map_err(broke)?;
        let Wire { read, framer, chunk, early, .. } = &mut wire;
        let mut progress = Ok(Progress::Going);
        tokio::select! {
            read = read.read(chunk) => {
                let length = read.map_err(broke)?;
                if length == 0 {
                    let hint = match server.way {
                        Way::Plain(port) => format!("; if port {port} is for TLS, set tls = true"),
                        Way::Tls(_) => String::new(),
                    };
                    return Err(Trouble::link(format!("the server closed the link while we registered{hint}")));
                }
                let now = Instant::now();
                framer.feed(&chunk[..length], |line| {
                    match (&progress, Incoming::read(line, Encoding::Mixed)) {
                        (Ok(Progress::Going), Some(line)) => progress = login.hear(&line, now, &mut send),
                        (Ok(Progress::Registered(_)), Some(line)) => early.push(line),
                        _ => {}
                    }
                });
            }
            () = tokio::time::sleep_until(login.deadline()) => progress = login.tick(Instant::now(), &mut send),
        }
        *learned = login.learned;
        match progress? {
            Progress::Registered(registered) => return Ok(Opened::In(wire, registered)),
            Progress::Upgrade(port) => return Ok(Opened::Upgrade(port)),
            Progress::Going => {}
        }
    }
}

fn broke(error: std::io::Error) -> Trouble {
    Trouble::link(format!("the link broke while we registered: {error}"))
}

/// Connects, registers and leaves again. Returns the result.
pub async fn probe(settings: &Settings, nonce: String) -> Result<Registered, Trouble> {
    let way = Way::to(settings, &Policies::default(), jiff::Timestamp::UNIX_EPOCH);
    let server = Server { settings, way, distrusted: false };
    let (mut wire, registered) = open(server, nonce, &mut Learned::default()).await?;
    wire.goodbye().await;
    Ok(registered)
}
