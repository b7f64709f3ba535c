//! Proves to somebody, emoji by emoji, that the bot's device is the bot's.

use crate::Settings;
use crate::session::SessionError;
use chat::Terminal;
use matrix_sdk::Client;
use matrix_sdk::config::SyncSettings;
use matrix_sdk::encryption::verification::{
    SasVerification, Verification, VerificationRequest, VerificationRequestState,
};
use matrix_sdk::ruma::UserId;
use matrix_sdk::ruma::events::key::verification::VerificationMethod;
use matrix_sdk::sync::SyncResponse;
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::time::timeout;

/// How long to wait for a sync before looking again at what it may have changed.
const MOMENT: Duration = Duration::from_secs(2);

/// Where the answers of the homeserver come from.
pub(crate) enum Syncs {
    /// Nobody else asks: the bot does not run.
    Own,
    /// The running bot hears them.
    Heard(broadcast::Receiver<Arc<SyncResponse>>),
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
    mut syncs: Syncs,
) -> Result<bool, SessionError> {
    let (user, device) = (client.user_id(), client.device_id());
    let (user, device) = (user.map_or("nobody", |user| user.as_str()), device.map_or("none", |id| id.as_str()));
    let waiting =
        format!("waiting for somebody to verify {user}, device {device} (their app: the bot's profile, Verify)");
    terminal.show(&waiting).await;
    let request = loop {
        let Some(response) = syncs.next(client).await? else { continue };
        come_along(settings, client, &response, &syncs).await?;
        if let Some(request) = asked(client, &response).await {
            break request;
        }
    };
    let who = request.other_user_id().to_owned();
    terminal.show(&format!("{who} asks to verify this device")).await;
    request.accept_with_methods(vec![VerificationMethod::SasV1]).await?;
    let sas = loop {
        syncs.next(client).await?;
        match request.state() {
            VerificationRequestState::Transitioned { verification: Verification::SasV1(sas), .. } => break sas,
            VerificationRequestState::Cancelled(why) => return Ok(given_up(terminal, why.reason()).await),
            VerificationRequestState::Done => return Ok(true),
            _ => {}
        }
    };
    compare(client, terminal, &sas, &mut syncs).await
}

async fn compare(
    client: &Client,
    terminal: &mut dyn Terminal,
    sas: &SasVerification,
    syncs: &mut Syncs,
) -> Result<bool, SessionError> {
    if !sas.we_started() {
        sas.accept().await?;
    }
    while !sas.can_be_presented() {
        syncs.next(client).await?;
        if let Some(why) = sas.cancel_info() {
            return Ok(given_up(terminal, why.reason()).await);
        }
    }
    let shown = match sas.emoji() {
        Some(emoji) => emoji.map(|emoji| format!("{} {}", emoji.symbol, emoji.description)).join(", "),
        None => sas.decimals().map_or_else(String::new, |(a, b, c)| format!("{a} {b} {c}")),
    };
    terminal.show(&shown).await;
    if !terminal.ask("Do they see the same?").await {
        sas.mismatch().await?;
        return Ok(false);
    }
    sas.confirm().await?;
    while !sas.is_done() {
        syncs.next(client).await?;
        if let Some(why) = sas.cancel_info() {
            return Ok(given_up(terminal, why.reason()).await);
        }
    }
    // The next messages are on their way.
    syncs.next(client).await?;
    Ok(true)
}

async fn given_up(terminal: &mut dyn Terminal, why: &str) -> bool {
    terminal.show(&format!("the other side gave up: {why}")).await;
    false
}

impl Syncs {
    /// What the next sync brought, if one came within a moment. The bot's own place stays, so what players say meanwhile
    /// is heard when the bot starts.
    async fn next(&mut self, client: &Client) -> Result<Option<Arc<SyncResponse>>, SessionError> {
        let heard = match self {
            Syncs::Own => {
                let settings = SyncSettings::new().timeout(MOMENT).filter(crate::listen::filter().into());
                return Ok(Some(Arc::new(client.sync_once(settings).await?)));
            }
            Syncs::Heard(heard) => heard,
        };
        match timeout(MOMENT, heard.recv()).await {
            Ok(Ok(response)) => Ok(Some(response)),
            // Nothing came, or more than could be kept.
            Err(_) | Ok(Err(RecvError::Lagged(_))) => Ok(None),
            Ok(Err(RecvError::Closed)) => {
                Err(SessionError::Wrong("the bot lost its connection: begin again".to_owned()))
            }
        }
    }
}

/// Joins the rooms where somebody may ask: people are verified in direct rooms.
async fn come_along(
    settings: &Settings,
    client: &Client,
    response: &SyncResponse,
    syncs: &Syncs,
) -> Result<(), SessionError> {
    for id in response.rooms.invited.keys() {
        let Some(room) = client.get_room(id) else { continue };
        let inviter = room.invite_details().await?.inviter;
        if let Some(inviter) = inviter.filter(|inviter| settings.follows(inviter.user_id())) {
            // Requests are accepted only from known devices.
            client.encryption().request_user_identity(inviter.user_id()).await?;
            // The running bot joins rooms in its own order.
            if matches!(syncs, Syncs::Own) {
                room.join().await?;
            }
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
