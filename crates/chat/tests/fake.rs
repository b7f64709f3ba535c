//! The fake network keeps a transport's contract.

use async_trait::async_trait;
use chat::conformance::{Stand, suite};
use chat::{Event, Fake, Message, PlayerId, RoomId, Speaker, Transport};
use std::sync::Arc;

struct FakeStand {
    network: Arc<Fake>,
    said: u32,
}

#[async_trait]
impl Stand for FakeStand {
    fn transport(&self) -> Arc<dyn Transport> {
        self.network.clone()
    }

    fn room(&self) -> RoomId {
        RoomId::new("fake", "hall")
    }

    async fn say(&mut self, player: &str, line: &str) {
        self.said += 1;
        self.network.happen(Event::Said(Message::new(
            format!("m{}", self.said),
            self.room(),
            Speaker::new(PlayerId::new("fake", player), player),
            jiff::Timestamp::UNIX_EPOCH,
            line,
        )));
    }

    async fn hear(&mut self) -> String {
        let post = self.network.hear().await;
        let text = post.blocks.iter().map(chat::Block::plain).collect::<Vec<_>>().join("\n");
        post.front() + &text
    }
}

#[tokio::test]
async fn the_fake_network_keeps_the_contract() {
    suite(async || FakeStand { network: Fake::new("fake"), said: 0 }).await;
}
