//! Proves to somebody, emoji by emoji, that the bot's device is the bot's.

use crate::Settings;
use crate::session::SessionError;
use matrix_sdk::Client;
use matrix_sdk::config::SyncSettings;
use matrix_sdk::encryption::verification::{
    SasVerification, Verification, VerificationRequest, VerificationRequestState,
};
use matrix_sdk::ruma::UserId;
use matrix_sdk::ruma::events::key::verification::VerificationMethod;
use matrix_sdk::sync::SyncResponse;
use serde::Deserialize;
use std::time::Duration;

/// Shows and asks things at the operator's terminal.
pub trait Terminal: Send {
    /// Shows a line.
    fn show(&mut self, line: &str);
    /// Asks a yes-or-no question.
    fn ask(&mut self, question: &str) -> bool;
}

/// The beginning of an event that asks for a verification, sent to a device or in a room.
#[derive(Deserialize)]
struct Asks {
    sender: String,
    #[serde(rename = "type")]
    kind: String,
    event_id: Option<String>,
    content: Content,
}

#[derive(Deserialize)]
struct Content {
    transaction_id: Option<String>,
    msgtype: Option<String>,
}

const REQUEST: &str = "m.key.verification.request";

/// Waits until somebody asks to verify the bot, and goes through it with them. Returns true if it succeeds.
pub(crate) async fn verify(
    settings: &Settings,
    client: &Client,
    terminal: &mut dyn Terminal,
) -> Result<bool, SessionError> {
    let request = loop {
        let response = sync(client).await?;
        come_along(settings, client, &response).await?;
        if let Some(request) = asked(client, &response).await {
            break request;
        }
    };
    terminal.show(&format!("{} asks to verify this device", request.other_user_id()));
    request.accept_with_methods(vec![VerificationMethod::SasV1]).await?;
    let sas = loop {
        sync(client).await?;
        match request.state() {
            VerificationRequestState::Transitioned { verification: Verification::SasV1(sas), .. } => break sas,
            VerificationRequestState::Cancelled(why) => return Ok(given_up(terminal, why.reason())),
            VerificationRequestState::Done => return Ok(true),
            _ => {}
        }
    };
    compare(client, terminal, &sas).await
}

async fn compare(client: &Client, terminal: &mut dyn Terminal, sas: &SasVerification) -> Result<bool, SessionError> {
    if !sas.we_started() {
        sas.accept().await?;
    }
    while !sas.can_be_presented() {
        sync(client).await?;
        if let Some(why) = sas.cancel_info() {
            return Ok(given_up(terminal, why.reason()));
        }
    }
    let shown = match sas.emoji() {
        Some(emoji) => emoji.map(|emoji| format!("{} {}", emoji.symbol, emoji.description)).join(", "),
        None => sas.decimals().map_or_else(String::new, |(a, b, c)| format!("{a} {b} {c}")),
    };
    terminal.show(&shown);
    if !terminal.ask("Do they see the same?") {
        sas.mismatch().await?;
        return Ok(false);
    }
    sas.confirm().await?;
    while !sas.is_done() {
        sync(client).await?;
        if let Some(why) = sas.cancel_info() {
            return Ok(given_up(terminal, why.reason()));
        }
    }
    // The next messages are on their way.
    sync(client).await?;
    Ok(true)
}

fn given_up(terminal: &mut dyn Terminal, why: &str) -> bool {
    terminal.show(&format!("the other side gave up: {why}"));
    false
}

/// A sync that waits a little. The bot's own place stays, so what players say meanwhile is heard when the bot starts.
async fn sync(client: &Client) -> Result<SyncResponse, SessionError> {
    Ok(client
        .sync_once(SyncSettings::new().timeout(Duration::from_secs(2)).filter(crate::listen::filter().into()))
        .await?)
}

/// Joins the rooms where somebody may ask: people are verified in direct rooms.
async fn come_along(settings: &Settings, client: &Client, response: &SyncResponse) -> Result<(), SessionError> {
    for id in response.rooms.invited.keys() {
        let Some(room) = client.get_room(id) else { continue };
        let inviter = room.invite_details().await?.inviter;
        if let Some(inviter) = inviter.filter(|inviter| settings.follows(inviter.user_id())) {
            // Requests are accepted only from known devices.
            client.encryption().request_user_identity(inviter.user_id()).await?;
            room.join().await?;
        }
    }
    Ok(())
}

/// A request for verification in a sync, if there is one.
async fn asked(client: &Client, response: &SyncResponse) -> Option<VerificationRequest> {
    let to_device = response.to_device.iter().map(|event| event.as_raw().json().get().to_owned());
    let in_rooms = response.rooms.joined.values().flat_map(|update| &update.timeline.events);
    let in_rooms = in_rooms.map(|event| event.raw().json().get().to_owned());
    for event in to_device.chain(in_rooms) {
        let Ok(asks) = serde_json::from_str::<Asks>(&event) else { continue };
        let Ok(sender) = UserId::parse(&asks.sender) else { continue };
        let flow = match asks.kind.as_str() {
            REQUEST => asks.content.transaction_id,
            "m.room.message" if asks.content.msgtype.as_deref() == Some(REQUEST) => asks.event_id,
            _ => None,
        };
        let Some(flow) = flow else { continue };
        if let Some(request) = client.encryption().get_verification_request(&sender, flow).await
            && !request.we_started()
        {
            return Some(request);
        }
    }
    None
}
