//! Whether the login that is stored is still the one to use: the operator may have given the bot another token, and the
//! device's keys may be lost, or be another program's.

use super::{SessionError, who_am_i, with_token};
use crate::Settings;
use crate::trouble::Trouble;
use matrix_sdk::authentication::matrix::MatrixSession;
use matrix_sdk::reqwest::StatusCode;
use matrix_sdk::ruma::api::client::session::get_login_types::v3::LoginType;
use matrix_sdk::{Client, HttpError};
use serde_json::{Value, json};

/// The login to use.
pub(super) enum Use {
    /// The stored one.
    Stored,
    /// Another token for the stored device.
    Token(MatrixSession),
    /// That of another device, whose keys are not there yet.
    NewDevice,
}

/// Decides which login to use. `lost` is true if the keys of the stored device are gone.
pub(super) async fn now(
    client: &Client,
    settings: &Settings,
    stored: &MatrixSession,
    lost: bool,
) -> Result<Use, SessionError> {
    let other = settings.token.as_ref().filter(|token| token.expose() != stored.tokens.access_token);
    if let Some(token) = other {
        match with_token(client, token.expose()).await {
            Ok(given) if given.meta == stored.meta && !lost => return Ok(Use::Token(given)),
            Ok(_) => return Ok(Use::NewDevice),
            Err(SessionError::Wrong(why)) if works(client, &stored.tokens.access_token).await => {
                tracing::error!(why, "the new token is of no use, so the bot goes on with the old one");
            }
            Err(error) => return Err(error),
        }
    }
    let renewable = settings.token.is_none() && settings.password.is_some();
    let ended = lost && renewable && !works(client, &stored.tokens.access_token).await;
    if ended || (lost && has_keys(client, stored).await?) {
        if !renewable {
            return Err(foreign_keys(stored));
        }
        let device = &stored.meta.device_id;
        tracing::warn!(%device, "the keys of the bot's device are lost: it logs in as a new one; {}", remove(device.as_str()));
        return Ok(Use::NewDevice);
    }
    Ok(Use::Stored)
}

/// Refuses the device of a token if it has keys already. With keys of its own the bot would replace them, and nobody
/// could read what was encrypted for the device.
pub(super) async fn refuse_foreign_keys(client: &Client, session: &MatrixSession) -> Result<(), SessionError> {
    if has_keys(client, session).await? { Err(foreign_keys(session)) } else { Ok(()) }
}

fn foreign_keys(session: &MatrixSession) -> SessionError {
    let device = session.meta.device_id.as_str();
    SessionError::Wrong(format!(
        "the token's device {device} already has encryption keys, which are not here: another program uses it, or the \
         bot's data was lost. Put the token of a new device into token_file, and {}",
        remove(device)
    ))
}

/// How to remove a device of the account.
pub(crate) fn remove(device: &str) -> String {
    format!("remove the old one, {device}, in a client of the bot's account (in Element: Settings, Sessions)")
}

async fn works(client: &Client, token: &str) -> bool {
    matches!(who_am_i(client, token).await, Ok((StatusCode::OK, _)))
}

/// True if the homeserver has keys of the device.
async fn has_keys(client: &Client, session: &MatrixSession) -> Result<bool, SessionError> {
    let (user, device) = (session.meta.user_id.as_str(), session.meta.device_id.as_str());
    let url = client.homeserver().join("_matrix/client/v3/keys/query").expect("a homeserver has paths");
    let asked = client.http_client().post(url).bearer_auth(&session.tokens.access_token);
    let asked = asked.body(json!({ "device_keys": { user: [device] } }).to_string());
    let answer = asked.header("Content-Type", "application/json").send().await.map_err(HttpError::from)?;
    match answer.status() {
        StatusCode::OK => {
            let text = answer.text().await.map_err(HttpError::from)?;
            let known: Value = serde_json::from_str(&text).unwrap_or_default();
            Ok(known["device_keys"][user][device].is_object())
        }
        // The login is not valid any more, so it will not be used.
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Ok(false),
        other => {
            Err(SessionError::Wrong(format!("the homeserver does not say whether the bot's device has keys ({other})")))
        }
    }
}

/// True if the homeserver has no login with a password at all.
pub(super) async fn takes_no_password(client: &Client) -> bool {
    match client.matrix_auth().get_login_types().await {
        Ok(types) => !types.flows.iter().any(|flow| matches!(flow, LoginType::Password(_))),
        Err(error) => matches!(Trouble::of_http(&error), Trouble::Refused(_)),
    }
}
