//! The transport keeps its contract in plain and encrypted rooms.

use crate::matrix::stage::{NETWORK, Table};
use async_trait::async_trait;
use chat::conformance::{Stand, suite};
use chat::{RoomId, Transport};
use std::sync::Arc;

struct MatrixStand {
    table: Table,
    transport: Arc<dyn Transport>,
}

impl MatrixStand {
    async fn new(encrypted: bool) -> Self {
        let table = Table::set(encrypted, &["ann", "bob"]).await;
        for (person, name) in table.people.iter().zip(["Ann", "Bob"]) {
            person.client.account().set_display_name(Some(name)).await.expect("a name");
        }
        table.seat();
        MatrixStand { transport: table.transport(), table }
    }
}

#[async_trait]
impl Stand for MatrixStand {
    fn transport(&self) -> Arc<dyn Transport> {
        self.transport.clone()
    }

    fn room(&self) -> RoomId {
        RoomId::new(NETWORK, &self.table.room)
    }

    async fn say(&mut self, player: &str, line: &str) {
        let person = &self.table.people[usize::from(player == "Bob")];
        person.meet(&self.table.room, &self.table.bot).await;
        // Nobody shares keys with a device that does not exist yet.
        self.transport.ready().await;
        person.say(&self.table.room, line).await;
    }

    async fn hear(&mut self) -> String {
        self.table.hear(0).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn in_a_plain_room() {
    suite(async || MatrixStand::new(false).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn in_an_encrypted_room() {
    suite(async || MatrixStand::new(true).await).await;
}
