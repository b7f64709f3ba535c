//! A network made up for the tests, as an example of everything a new one needs: a [`Transport`] and its [`Kind`].
//!
//! The bot connects to a server and both send lines: `room<TAB>name<TAB>text`. A room whose name begins with `@` is a
//! private chat with the person of that name. Nobody has an account, and messages sent while the bot is away are lost.

use astragal::{Kind, Names};
use async_trait::async_trait;
use chat::{
    Block, Clock, Delivery, Desk, Event, Guarantees, Message, Offered, OfferedTo, PlayerId, Post, Recipient, RoomId,
    Saying, SendError, Sent, Span, Speaker, Status, SystemClock, Transport, TransportError, Trust, clean,
};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{mpsc, oneshot, watch};

/// The bot's name in its own lines.
pub const BOT: &str = "astragal";
/// How long it waits before it reconnects.
const PAUSE: Duration = Duration::from_millis(200);

/// One of these networks: `[lines.den]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Where its server listens, as `host:port`.
    pub server: String,
}

/// The network as a transport.
pub struct LineChat {
    network: String,
    settings: Settings,
    orders: mpsc::UnboundedSender<Order>,
    /// The receiving end, until the task that says them takes it.
    unsaid: Mutex<Option<mpsc::UnboundedReceiver<Order>>>,
    link: watch::Sender<Option<Arc<tokio::sync::Mutex<OwnedWriteHalf>>>>,
    closing: watch::Sender<bool>,
}

enum Order {
    Say(Box<Post>, oneshot::Sender<Result<Sent, SendError>>),
    Close(oneshot::Sender<()>),
}

impl LineChat {
    /// A network with the operator's name for it.
    pub fn new(network: &str, settings: Settings) -> Self {
        let (orders, unsaid) = mpsc::unbounded_channel();
        let (unsaid, network) = (Mutex::new(Some(unsaid)), network.to_owned());
        LineChat {
            network,
            settings,
            orders,
            unsaid,
            link: watch::Sender::new(None),
            closing: watch::Sender::new(false),
        }
    }

    /// Reads one connection to its end.
    async fn listen(&self, lines: OwnedReadHalf, desk: &dyn Desk) {
        // Ids are unique across connections and runs.
        let connection = SystemClock.now().as_nanosecond();
        let mut lines = BufReader::new(lines).lines();
        for number in 1.. {
            let Ok(Some(line)) = lines.next_line().await else { return };
            let mut parts = line.splitn(3, '\t');
            let (Some(room), Some(name), Some(text)) = (parts.next(), parts.next(), parts.next()) else { continue };
            let player = PlayerId::new(&self.network, name.to_lowercase());
            let speaker = Speaker { trust: Trust::NickOnly, ..Speaker::new(player, name) };
            let room = RoomId::new(&self.network, room);
            let private = room.id.starts_with('@');
            let said = Message::new(format!("{connection}-{number}"), room, speaker, SystemClock.now(), text);
            // If the core cannot take a message, it is lost.
            let _ = desk.accept(Delivery::from(Event::Said(Message { private, ..said }))).await;
        }
    }
}

/// Says one post after another, even after listening has ended: the bot stops listening before it has answered
/// everything.
async fn speak(
    mut orders: mpsc::UnboundedReceiver<Order>,
    mut link: watch::Receiver<Option<Arc<tokio::sync::Mutex<OwnedWriteHalf>>>>,
    mut closing: watch::Receiver<bool>,
) {
    while let Some(order) = orders.recv().await {
        let (post, said) = match order {
            Order::Say(post, said) => (post, said),
            Order::Close(closed) => return drop(closed),
        };
        let connected = tokio::select! {
            biased;
            Ok(link) = link.wait_for(Option::is_some) => link.clone(),
            _ = closing.wait_for(|closing| *closing) => None,
        };
        let written = match connected {
            Some(link) => link.lock().await.write_all(lines(&post).as_bytes()).await.is_ok(),
            None => false,
        };
        // The caller may be gone.
        let _ = said.send(if written { Ok(Sent::default()) } else { Err(SendError::Unsaid) });
    }
}

/// A post as lines of the network.
fn lines(post: &Post) -> String {
    let room = match &post.to {
        Recipient::Room => clean(&post.room.id).into_owned(),
        Recipient::Player(player) => format!("@{}", clean(&player.id)),
    };
    let text = post.blocks.iter().map(shown).collect::<Vec<_>>().join("\n");
    let text = post.front() + text.as_str();
    text.lines().map(|line| format!("{room}\t{BOT}\t{}\n", clean(line))).collect()
}

/// A block of an answer, with its offers on lines of their own.
fn shown(block: &Block) -> String {
    let Block::Line(line) = block else { return block.plain() };
    let (offers, rest): (Vec<_>, Vec<_>) = line.iter().partition(|span| matches!(span, Span::Offer(_)));
    let mut lines = vec![rest.into_iter().map(Span::plain).collect::<String>()];
    for offer in offers {
        let Span::Offer(offer) = offer else { continue };
        let Offered { command, label, chance, to, .. } = &**offer;
        let chance = chance.map_or(String::new(), |chance| format!(", {chance}"));
        lines.push(match to {
            OfferedTo::Asker(number) => format!("[{number}] {command}: {label}{chance}"),
            OfferedTo::Character(name) => format!("[for {name}] {command}: {label}{chance}"),
        });
    }
    lines.join("\n")
}

#[async_trait]
impl Transport for LineChat {
    fn network(&self) -> &str {
        &self.network
    }

    fn guarantees(&self) -> Guarantees {
        Guarantees::default()
    }

    async fn run(&self, desk: Arc<dyn Desk>) -> Result<(), TransportError> {
        if let Some(orders) = self.unsaid.lock().unwrap_or_else(PoisonError::into_inner).take() {
            tokio::spawn(speak(orders, self.link.subscribe(), self.closing.subscribe()));
        }
        loop {
            if let Ok(stream) = TcpStream::connect(&self.settings.server).await {
                let (heard, said) = stream.into_split();
                self.link.send_replace(Some(Arc::new(said.into())));
                self.listen(heard, &*desk).await;
                self.link.send_replace(None);
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    fn send(&self, post: Post) -> Saying {
        let (said, saying) = oneshot::channel();
        // If the speaking task has ended, so has the other end of the channel.
        let _ = self.orders.send(Order::Say(Box::new(post), said));
        Box::pin(async { saying.await.unwrap_or(Err(SendError::Unsaid)) })
    }

    async fn ready(&self) {
        // This value holds the sender, so waiting cannot fail.
        let _ = self.link.subscribe().wait_for(Option::is_some).await;
    }

    async fn status(&self) -> Status {
        Status { connected: self.link.borrow().is_some(), me: BOT.to_owned(), ..Status::default() }
    }

    async fn close(&self) {
        self.closing.send_replace(true);
        // If speaking never began, the waiting posts are dropped with their channel.
        drop(self.unsaid.lock().unwrap_or_else(PoisonError::into_inner).take());
        let (closed, closing) = oneshot::channel();
        if self.orders.send(Order::Close(closed)).is_ok() {
            // If the task is gone, the link is closed too.
            let _ = closing.await;
        }
        self.link.send_replace(None);
    }
}

/// This kind of network, for the program.
pub struct Lines;

#[async_trait]
impl Kind for Lines {
    type Settings = Settings;

    fn names(&self) -> Names {
        Names { section: "lines", title: "Lines", about: "Networks of lines over TCP.", example: "den", log: "" }
    }

    fn complete(&self, settings: Settings, _: &BTreeSet<String>) -> Result<Settings, Vec<String>> {
        let fits = settings.server.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        fits.then_some(settings)
            .ok_or_else(|| vec!["server: it needs a host and a port, such as \"localhost:7000\"".to_owned()])
    }

    fn transport(&self, name: &str, settings: &Settings, _: &Path) -> Arc<dyn Transport> {
        Arc::new(LineChat::new(name, settings.clone()))
    }

    async fn probe(&self, _: &str, settings: &Settings, _: &Path) -> Result<String, String> {
        let connected = TcpStream::connect(&settings.server).await;
        connected.map(|_| format!("{} let us in", settings.server)).map_err(|error| error.to_string())
    }
}
