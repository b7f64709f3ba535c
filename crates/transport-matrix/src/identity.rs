//! The account's identity: the bot signs its own device with it, so that others give it their keys, and keeps the key that
//! gets it back. An identity that is there already is joined; it is never replaced.

use crate::Settings;
use crate::session::{Home, SessionError};
use matrix_sdk::Client;
use matrix_sdk::encryption::recovery::RecoveryError;
use matrix_sdk::ruma::api::client::uiaa::{AuthData, MatrixUserIdentifier, Password, UserIdentifier};
use std::path::PathBuf;

/// How the account stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// The device is signed, and the key that gets the identity back is kept in this file.
    Kept(PathBuf),
    /// The device is signed, and nobody here has that key.
    Unkept,
    /// There is an identity of somebody else's making, which has not signed this device.
    Foreign,
}

/// Sees to it that the account has an identity and that it signed this device; asks nobody.
pub(crate) async fn settle(settings: &Settings, home: &Home, client: &Client) -> Result<Identity, SessionError> {
    let encryption = client.encryption();
    let own = client.user_id().expect("the bot is logged in");
    let kept = home.recovery_key();
    if !is_signed(client).await? {
        if encryption.request_user_identity(own).await?.is_none() {
            make(settings, client).await?;
            // What was signed is known once it was asked for.
            encryption.request_user_identity(own).await?;
        } else if let Some(key) = &kept {
            recover(client, key).await?;
        }
        if !is_signed(client).await? {
            return Ok(Identity::Foreign);
        }
    }
    if kept.is_some() {
        return Ok(Identity::Kept(home.recovery_file()));
    }
    let whole = encryption.cross_signing_status().await.is_some_and(|status| status.is_complete());
    if !whole {
        return Ok(Identity::Unkept);
    }
    match encryption.recovery().enable().await {
        Ok(key) => Ok(Identity::Kept(home.keep_recovery_key(&key)?)),
        // Somebody made a backup of the keys elsewhere, and has its key.
        Err(RecoveryError::BackupExistsOnServer) => Ok(Identity::Unkept),
        Err(error) => Err(failed(error)),
    }
}

/// Makes a new recovery key, in place of the old one if there is one, and keeps it.
pub(crate) async fn new_recovery_key(home: &Home, client: &Client) -> Result<(String, PathBuf), SessionError> {
    let recovery = client.encryption().recovery();
    let key = match recovery.enable().await {
        Err(RecoveryError::BackupExistsOnServer) => recovery.reset_key().await,
        other => other,
    };
    let key = key.map_err(failed)?;
    let file = home.keep_recovery_key(&key)?;
    Ok((key, file))
}

/// Gets the identity and the keys of old messages back, and keeps the key that did it.
pub(crate) async fn restore(home: &Home, client: &Client, key: &str) -> Result<PathBuf, SessionError> {
    recover(client, key).await?;
    home.keep_recovery_key(key)
}

async fn recover(client: &Client, key: &str) -> Result<(), SessionError> {
    let wrong = |error| SessionError::Wrong(format!("the recovery key does not open the account: {error}"));
    client.encryption().recovery().recover(key).await.map_err(wrong)
}

/// Whether the account's identity signed this device.
async fn is_signed(client: &Client) -> Result<bool, SessionError> {
    let device = client.encryption().get_own_device().await.map_err(matrix_sdk::Error::from)?;
    Ok(device.is_some_and(|device| device.is_cross_signed_by_owner()))
}

async fn make(settings: &Settings, client: &Client) -> Result<(), SessionError> {
    let encryption = client.encryption();
    let Err(error) = encryption.bootstrap_cross_signing(None).await else { return Ok(()) };
    let (Some(asked), Some(password)) = (error.as_uiaa_response(), &settings.password) else {
        return Err(error.into());
    };
    let user = UserIdentifier::Matrix(MatrixUserIdentifier::new(settings.user.clone()));
    let mut proof = Password::new(user, password.expose().to_owned());
    proof.session.clone_from(&asked.session);
    Ok(encryption.bootstrap_cross_signing(Some(AuthData::Password(proof))).await?)
}

fn failed(error: RecoveryError) -> SessionError {
    match error {
        RecoveryError::Sdk(error) => error.into(),
        other => SessionError::Wrong(other.to_string()),
    }
}
