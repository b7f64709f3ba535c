//! The whole bot without a server: a network on which a script speaks and hears the answers.

use async_trait::async_trait;
use bot::{Bot, serve};
use chat::{
    Delivery, Desk, Event, Guarantees, Message, PlayerId, Post, RoomId, Saying, Sent, Speaker, Standing, Transport,
    TransportError,
};
use std::pin::Pin;
use std::sync::Arc;
use tokio::sync::{Mutex, mpsc};

type Script = Box<dyn FnOnce(Voice) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send>;

/// Speaks, and hears the answers.
pub struct Voice {
    desk: Arc<dyn Desk>,
    answers: mpsc::UnboundedReceiver<RoomId>,
    /// Prefixes message ids, so that a second run does not reuse them.
    run: u64,
    number: u64,
}

impl Voice {
    /// Says something in a room and waits until the bot has accepted it.
    pub async fn say(&mut self, room: RoomId, text: &str) {
        self.number += 1;
        self.desk.accept(message(room, format!("{}-{}", self.run, self.number), text)).await.expect("accepted");
    }

    /// The room of the bot's next answer.
    pub async fn heard(&mut self) -> RoomId {
        self.answers.recv().await.expect("answered")
    }
}

/// A message of Ann's, who is an admin.
pub fn message(room: RoomId, id: String, text: &str) -> Delivery {
    let speaker = Speaker { standing: Standing::Admin, ..Speaker::new(PlayerId::new("bench", "ann"), "Ann") };
    let sent = jiff::Timestamp::UNIX_EPOCH;
    Delivery::from(Event::Said(Message { unlimited: true, ..Message::new(id, room, speaker, sent, text) }))
}

/// The room of this number.
pub fn room(number: usize) -> RoomId {
    RoomId::new("bench", format!("room{number}"))
}

/// Runs a bot until the script ends. This is the `run`th run on its store.
pub fn play<F: Future<Output = ()> + Send + 'static>(
    bot: Arc<Bot>,
    run: u64,
    script: impl FnOnce(Voice) -> F + Send + 'static,
) {
    let script: Script = Box::new(|voice| Box::pin(script(voice)));
    let (answered, answers) = mpsc::unbounded_channel();
    let stage = Stage { run, answered, part: Mutex::new(Some((answers, script))) };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("threads");
    let transports: Vec<Arc<dyn Transport>> = vec![Arc::new(stage)];
    runtime.block_on(serve(bot, transports, std::future::pending())).expect("it serves");
}

struct Stage {
    run: u64,
    answered: mpsc::UnboundedSender<RoomId>,
    part: Mutex<Option<(mpsc::UnboundedReceiver<RoomId>, Script)>>,
}

#[async_trait]
impl Transport for Stage {
    fn network(&self) -> &str {
        "bench"
    }

    fn guarantees(&self) -> Guarantees {
        Guarantees::default()
    }

    async fn run(&self, desk: Arc<dyn Desk>) -> Result<(), TransportError> {
        let (answers, script) = self.part.lock().await.take().expect("it runs once");
        script(Voice { desk, answers, run: self.run, number: 0 }).await;
        Ok(())
    }

    fn send(&self, post: Post) -> Saying {
        // Nobody listens at the end.
        let _ = self.answered.send(post.room);
        Box::pin(async { Ok(Sent::default()) })
    }
}
