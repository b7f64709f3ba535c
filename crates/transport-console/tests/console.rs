//! The console keeps a transport's contract.

use async_trait::async_trait;
use chat::conformance::{Stand, suite};
use chat::{RoomId, SystemClock, Transport};
use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Write};
use std::sync::Arc;
use transport_console::{Console, Input, Opening};

struct ConsoleStand {
    console: Arc<Console>,
    keyboard: PipeWriter,
    screen: BufReader<PipeReader>,
}

impl ConsoleStand {
    fn new() -> Self {
        let (typed, keyboard) = std::io::pipe().expect("the system makes pipes");
        let (screen, shown) = std::io::pipe().expect("the system makes pipes");
        let opening = Opening {
            greeting: Vec::new(),
            name: "Ann".to_owned(),
            room: "hall".to_owned(),
            nonce: "n".to_owned(),
            files: "/nonexistent".into(),
        };
        let console = Console::new(opening, Arc::new(SystemClock), Input::pipe(typed), Box::new(shown));
        ConsoleStand { console: Arc::new(console), keyboard, screen: BufReader::new(screen) }
    }
}

#[async_trait]
impl Stand for ConsoleStand {
    fn transport(&self) -> Arc<dyn Transport> {
        self.console.clone()
    }

    fn room(&self) -> RoomId {
        RoomId::new("console", "hall")
    }

    async fn say(&mut self, player: &str, line: &str) {
        write!(self.keyboard, "/as {player}\n{line}\n").expect("the console reads");
    }

    async fn hear(&mut self) -> String {
        let mut line = String::new();
        while line.is_empty() || line.starts_with("You speak as") {
            line.clear();
            self.screen.read_line(&mut line).expect("the console writes");
        }
        line.trim_end_matches('\n').to_owned()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_console_keeps_the_contract() {
    suite(async || ConsoleStand::new()).await;
}
