//! What every [`Transport`] must do, as one test suite. Each implementation runs it against the real network.
//!
//! | promise | test |
//! |---|---|
//! | Messages arrive once, in order, with who said them and where | `what_is_said_arrives_once_in_order` |
//! | Posts of a room appear in the order of the calls, whichever is awaited first, and show whom they answer | `what_is_posted_is_heard_in_order_and_addressed` |
//! | No text becomes a line, a control character or a command of its own | `no_text_becomes_a_line_of_its_own` |
//! | A post repeated under its key appears once, or is marked as repeated, as [`Guarantees`](crate::Guarantees) says | `what_is_said_again_is_there_once_or_says_so` |
//! | Where posts cannot be edited, a correction says that it is one | `a_correction_says_that_it_is_one` |
//! | A long answer is shown in full, or says what to type for the rest ([`Post::more`]) | `a_long_answer_is_whole_or_says_what_to_type` |
//! | Offers are visible, whomever they are for, drawn as the network likes | `what_is_offered_is_to_be_seen` |
//! | Anyone who waits for a post learns its outcome, even when the transport closes | `when_it_closes_nobody_waits_for_ever` |
//!
//! The tests of each network check what only that network has: who reads a private post ([`Post::to`],
//! [`Post::only_for`]), edits in place and withdrawals ([`What`]), whom a post calls ([`Post::calls`]), files and
//! pictures, missed messages, and redelivery.

use crate::{
    Block, Chance, Delivery, Desk, DeskError, Earlier, Edits, Event, Message, Offered, OfferedTo, Post, Repeated,
    RoomId, SendError, What,
};
use crate::{Span, Transport};
use async_trait::async_trait;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// Number of lines in a long answer.
const LONG: usize = 60;
/// How long a transport may take to close.
const CLOSING: Duration = Duration::from_secs(60);

/// A network with the transport under test and a second client.
#[async_trait]
pub trait Stand: Send {
    /// The transport under test. The suite runs it.
    fn transport(&self) -> Arc<dyn Transport>;

    /// A room that the bot and the players are in.
    fn room(&self) -> RoomId;

    /// Makes a player say a line in the room.
    async fn say(&mut self, player: &str, line: &str);

    /// The next line that the second client sees the bot say in the room, without styling.
    async fn hear(&mut self) -> String;
}

/// Runs the whole suite, each part on its own stand. Panics with what went wrong.
pub async fn suite<S: Stand>(mut stand: impl AsyncFnMut() -> S) {
    what_is_said_arrives_once_in_order(&mut stand().await).await;
    what_is_posted_is_heard_in_order_and_addressed(&mut stand().await).await;
    no_text_becomes_a_line_of_its_own(&mut stand().await).await;
    what_is_said_again_is_there_once_or_says_so(&mut stand().await).await;
    a_long_answer_is_whole_or_says_what_to_type(&mut stand().await).await;
    what_is_offered_is_to_be_seen(&mut stand().await).await;
    when_it_closes_nobody_waits_for_ever(&mut stand().await).await;
}

async fn what_is_said_arrives_once_in_order(stand: &mut impl Stand) {
    let mut desk = Listening::to(stand.transport());
    let lines = ["!roll 2d6", "well met", "!roll d20 # für Ärger 骰"];
    for (i, line) in lines.iter().enumerate() {
        stand.say(if i == 1 { "Bob" } else { "Ann" }, line).await;
    }
    let mut ids = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let message = desk.next().await;
        assert_eq!(message.body, *line);
        assert_eq!(message.room, stand.room());
        assert_eq!(message.speaker.name, if i == 1 { "Bob" } else { "Ann" });
        assert_eq!(message.speaker.player.network, stand.room().network);
        assert!(!ids.contains(&message.id), "the id {:?} came twice", message.id);
        ids.push(message.id);
    }
}

async fn what_is_posted_is_heard_in_order_and_addressed(stand: &mut impl Stand) {
    let (transport, room) = (stand.transport(), stand.room());
    let _desk = Listening::to(transport.clone());
    let posts = (1..=3).map(|n| transport.send(post(&room, n, &format!("ACTION {n}"))));
    // All are sent together; they must appear in this order, whichever is awaited first.
    for said in posts.collect::<Vec<_>>().into_iter().rev() {
        said.await.expect("it can be said");
    }
    for n in 1..=3 {
        let heard = stand.hear().await;
        assert!(heard.contains(&format!("ACTION {n}")), "expected ACTION {n}, heard {heard:?}");
        assert!(heard.contains("Ann"), "nobody is addressed in {heard:?}");
    }
}

async fn no_text_becomes_a_line_of_its_own(stand: &mut impl Stand) {
    let (transport, room) = (stand.transport(), stand.room());
    let _desk = Listening::to(transport.clone());
    let hostile = post(&room, 1, "x\r\nQUIT :forged\n\x01ACTION\x01 \u{202e}\x1b[2J");
    transport.send(hostile).await.expect("it can be said");
    transport.send(post(&room, 2, "the end")).await.expect("it can be said");
    let heard = stand.hear().await;
    assert!(!heard.contains(['\n', '\r', '\x01', '\x1b', '\u{202e}']), "not cleaned: {heard:?}");
    let next = stand.hear().await;
    assert!(next.contains("the end"), "a text became a line: {next:?}");
}

async fn what_is_said_again_is_there_once_or_says_so(stand: &mut impl Stand) {
    let (transport, room) = (stand.transport(), stand.room());
    let _desk = Listening::to(transport.clone());
    let first = post(&room, 1, "the beginning");
    let sent = transport.send(first.clone()).await.expect("it can be said");
    transport.send(Post { again: true, ..first.clone() }).await.expect("it can be said");
    let heard = stand.hear().await;
    assert!(heard.contains("the beginning") && !heard.contains("(again)"), "said for the first time: {heard:?}");
    if transport.guarantees().repeated == Repeated::Twice {
        let again = stand.hear().await;
        assert!(again.contains("the beginning") && again.contains("(again)"), "not marked: {again:?}");
    }
    a_correction_says_that_it_is_one(stand, Earlier { key: first.key, id: sent.id }).await;
    transport.send(post(&room, 3, "the end")).await.expect("it can be said");
    let end = stand.hear().await;
    assert!(end.contains("the end"), "more was said than there was to say: {end:?}");
}

/// Corrects an earlier post. Where posts are edited in place, the tests of that network check the result.
async fn a_correction_says_that_it_is_one(stand: &mut impl Stand, earlier: Earlier) {
    let (transport, room) = (stand.transport(), stand.room());
    if transport.guarantees().edits == Edits::Shown {
        return;
    }
    let correction = Post { what: What::Correct(earlier), ..post(&room, 2, "the middle") };
    transport.send(correction).await.expect("it can be said");
    let heard = stand.hear().await;
    assert!(heard.contains("the middle") && heard.contains("(corrected)"), "not marked: {heard:?}");
}

async fn a_long_answer_is_whole_or_says_what_to_type(stand: &mut impl Stand) {
    let (transport, room) = (stand.transport(), stand.room());
    let _desk = Listening::to(transport.clone());
    let line = |n: usize| Block::Line(vec![Span::Text(format!("line {n} of an answer that goes on and on"))]);
    let blocks = (1..=LONG).map(line).collect();
    let long = Post { blocks, more: "!more".to_owned(), ..post(&room, 1, "") };
    transport.send(long).await.expect("it can be said");
    let mut heard = stand.hear().await;
    assert!(heard.contains("line 1 "), "it does not begin where it begins: {heard:?}");
    while !heard.contains("!more") && !heard.contains(&format!("line {LONG} ")) {
        heard = stand.hear().await;
    }
}

async fn what_is_offered_is_to_be_seen(stand: &mut impl Stand) {
    let (transport, room) = (stand.transport(), stand.room());
    let _desk = Listening::to(transport.clone());
    let to = [OfferedTo::Asker(1), OfferedTo::Character("Bob".to_owned())];
    let mut line = vec![Span::Bold("SUCCESS".to_owned())];
    for (to, command) in to.into_iter().zip(["!push", "!resist 8"]) {
        let (command, label) = (command.to_owned(), "one more die".to_owned());
        line.push(Span::Offer(Box::new(Offered {
            command,
            prefix: "!".to_owned(),
            label,
            chance: Some(Chance::Success(0.5)),
            to,
        })));
    }
    transport.send(Post { blocks: vec![Block::Line(line)], ..post(&room, 1, "") }).await.expect("it can be said");
    transport.send(post(&room, 2, "the end")).await.expect("it can be said");
    let mut heard = stand.hear().await;
    while !heard.contains("the end") {
        heard += &stand.hear().await;
    }
    // An offer is taken by its number or by its command.
    assert!(heard.contains("!1") || heard.contains("!push"), "what to type is missing in {heard:?}");
    for seen in ["SUCCESS", "one more die", "50 %", "Bob", "!resist 8"] {
        assert!(heard.contains(seen), "{seen} is missing in {heard:?}");
    }
}

async fn when_it_closes_nobody_waits_for_ever(stand: &mut impl Stand) {
    let (transport, room) = (stand.transport(), stand.room());
    let _desk = Listening::to(transport.clone());
    transport.ready().await;
    let saying: Vec<_> = (1..=20).map(|n| transport.send(post(&room, n, &format!("number {n}")))).collect();
    tokio::time::timeout(CLOSING, transport.close()).await.expect("it closes");
    for said in saying {
        let said = tokio::time::timeout(CLOSING, said).await.expect("whoever waits is told");
        assert!(matches!(said, Ok(_) | Err(SendError::Unsaid)), "{said:?}");
    }
}

fn post(room: &RoomId, n: u32, text: &str) -> Post {
    let blocks = vec![Block::Line(vec![Span::Bold(text.to_owned())])];
    Post { addressee: Some("Ann".to_owned()), ..Post::new(format!("conformance-{n}"), room.clone(), blocks) }
}

/// A desk that accepts every delivery and passes on the messages. The transport runs as long as this lives.
struct Listening {
    messages: mpsc::UnboundedReceiver<Message>,
    running: tokio::task::JoinHandle<()>,
}

impl Listening {
    fn to(transport: Arc<dyn Transport>) -> Self {
        let (sender, messages) = mpsc::unbounded_channel();
        let running = tokio::spawn(async move {
            transport.run(Arc::new(Open(sender))).await.expect("the transport runs");
        });
        Listening { messages, running }
    }

    async fn next(&mut self) -> Message {
        self.messages.recv().await.expect("the transport is running")
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.running.abort();
    }
}

struct Open(mpsc::UnboundedSender<Message>);

#[async_trait]
impl Desk for Open {
    async fn accept(&self, delivery: Delivery) -> Result<(), DeskError> {
        for event in delivery.events {
            if let Event::Said(message) = event {
                // The suite may be over and the receiver gone.
                let _ = self.0.send(message);
            }
        }
        Ok(())
    }

    async fn settle(&self) {}

    fn note(&self, _: &str) -> Result<Option<String>, DeskError> {
        Ok(None)
    }
}
