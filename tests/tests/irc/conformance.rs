//! The transport keeps its contract on each kind of server.

use crate::irc::stage::{BOT, CHANNEL, meet, settings, transport};
use async_trait::async_trait;
use chat::conformance::{Stand, suite};
use chat::{RoomId, Transport};
use std::collections::BTreeMap;
use std::sync::Arc;
use tests::irc::{Certificates, Client, Inspircd, InspircdOptions, Ngircd, NgircdOptions};
use transport_irc::Settings;

struct IrcStand {
    transport: Arc<dyn Transport>,
    port: u16,
    players: BTreeMap<String, Client>,
}

impl IrcStand {
    fn new(port: u16, settings: Settings) -> Self {
        IrcStand { transport: transport(settings), port, players: BTreeMap::new() }
    }

    fn player(&mut self, name: &str) -> &mut Client {
        let port = self.port;
        self.players.entry(name.to_owned()).or_insert_with(|| {
            let mut client = Client::connect(port, name);
            client.join(CHANNEL);
            client
        })
    }
}

/// The next stand uses the same names, so the clients must have left.
impl Drop for IrcStand {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            std::mem::take(&mut self.players).into_values().for_each(Client::quit);
        }
    }
}

#[async_trait]
impl Stand for IrcStand {
    fn transport(&self) -> Arc<dyn Transport> {
        self.transport.clone()
    }

    fn room(&self) -> RoomId {
        RoomId::new("irc", CHANNEL)
    }

    async fn say(&mut self, player: &str, line: &str) {
        let client = self.player(player);
        meet(client, BOT, CHANNEL);
        client.say(CHANNEL, line);
        // Servers keep the order of lines on one connection, but not across two.
        client.raw("PING said");
        client.wait_for(|line| line.contains("PONG"));
    }

    async fn hear(&mut self) -> String {
        // Ann listens from the start: somebody who joined after the bot spoke would not have heard it.
        self.player("Ann").hear(BOT, CHANNEL)
    }
}

/// Runs the suite with somebody who listens before the bot joins.
async fn keeps_the_contract(port: u16, settings: impl Fn() -> Settings) {
    suite(async || {
        let mut stand = IrcStand::new(port, settings());
        stand.player("Ann");
        stand
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn on_ngircd() {
    let server = Ngircd::start(&NgircdOptions::default());
    keeps_the_contract(server.port(), || settings(server.port(), "")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn on_ngircd_with_tls_and_flood_protection() {
    let certificates = Certificates::shared();
    let server = Ngircd::start(&NgircdOptions { flood_protection: true, ..NgircdOptions::default() });
    let tls = || Settings {
        server: "localhost".to_owned(),
        tls: true,
        ca: Some(certificates.ca.clone()),
        line_every_ms: 1_000,
        ..settings(server.tls_port(), "")
    };
    keeps_the_contract(server.port(), tls).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn on_inspircd_with_services() {
    let server = Inspircd::start(&InspircdOptions::default());
    server.register("astragal", "dragon");
    let account =
        "account = \"astragal\"\naccount_password = \"dragon\"\ntell_password = \"always\"\nlogin_required = true";
    keeps_the_contract(server.port(), || settings(server.port(), account)).await;
}
