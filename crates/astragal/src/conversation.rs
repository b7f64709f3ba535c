//! Conversations with the operator on the control socket, on the bot's side. `ask.rs` is the other side.

use crate::operator::Operator;
use crate::request::Turn;
use async_trait::async_trait;
use chat::Terminal;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWriteExt, Lines};
use tokio::net::unix::OwnedWriteHalf;
use tokio::sync::mpsc;

/// Lets somebody verify the bot on a network while the operator compares; ends if the operator goes.
pub async fn verify(
    operator: &Operator,
    network: &str,
    read: impl AsyncBufRead + Send + Unpin,
    write: OwnedWriteHalf,
) -> anyhow::Result<()> {
    let (sender, answers) = mpsc::channel(1);
    let mut far = Far { write, answers };
    let verified = async {
        let verified = match operator.network(network) {
            Ok(transport) => transport.verify(&mut far).await,
            Err(error) => Err(format!("{error:#}")),
        };
        far.say(&Turn::End(verified)).await
    };
    tokio::select! {
        done = verified => Ok(done?),
        // Nobody waits any more.
        () = listen(read.lines(), sender) => Ok(()),
    }
}

/// Passes the operator's answers on, until the operator goes.
async fn listen(mut lines: Lines<impl AsyncBufRead + Unpin>, answers: mpsc::Sender<String>) {
    while let Ok(Some(line)) = lines.next_line().await {
        // An answer that nobody asked for waits for the next question.
        let _ = answers.send(line).await;
    }
}

/// The operator at the other end of the socket.
struct Far {
    write: OwnedWriteHalf,
    answers: mpsc::Receiver<String>,
}

impl Far {
    async fn say(&mut self, turn: &Turn) -> std::io::Result<()> {
        let line = serde_json::to_string(turn).expect("it is plain data") + "\n";
        self.write.write_all(line.as_bytes()).await
    }
}

#[async_trait]
impl Terminal for Far {
    async fn show(&mut self, line: &str) {
        // If the operator has gone, listening ends, and everything with it.
        let _ = self.say(&Turn::Show(line.to_owned())).await;
    }

    async fn ask(&mut self, question: &str) -> bool {
        if self.say(&Turn::Ask(question.to_owned())).await.is_err() {
            return false;
        }
        self.answers.recv().await.is_some_and(|answer| answer.trim() == "y")
    }
}
