//! The account's identity. The bot signs its own device with it, so that others give the device their keys, and stores
//! the key that restores the identity. An existing identity is joined, never replaced.

use crate::Settings;
use crate::session::{Home, SessionError};
use matrix_sdk::Client;
use matrix_sdk::encryption::recovery::RecoveryError;
use matrix_sdk::ruma::api::client::uiaa::{AuthData, MatrixUserIdentifier, Password, UserIdentifier};
use std::path::PathBuf;

/// The state of the account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// The device is signed, and this file has the key that restores the identity.
    Kept(PathBuf),
    /// The device is signed, but nobody here has that key.
    Unkept,
    /// Somebody else made the identity, and it has not signed this device.
    Foreign,
}

/// Makes sure, without asking anybody, that the account has an identity and that the identity has signed this device.
pub(crate) async fn settle(settings: &Settings, home: &Home, client: &Client) -> Result<Identity, SessionError> {
    let encryption = client.encryption();
    let own = client.user_id().expect("the bot is logged in");
    let kept = home.recovery_key();
    if !is_signed(client).await? {
        if encryption.request_user_identity(own).await?.is_none() {
            make(settings, client).await?;
            // Signatures are known only after a request.
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
        // Somebody made a backup of the keys elsewhere and has its key.
        Err(RecoveryError::BackupExistsOnServer) => Ok(Identity::Unkept),
        Err(error) => Err(failed(error)),
    }
}

/// Creates a new recovery key, replacing any old one, and stores it. Only a device that has the account's keys can: elsewhere
/// it would restore nothing, and end the key that does.
pub(crate) async fn new_recovery_key(home: &Home, client: &Client) -> Result<(String, PathBuf), SessionError> {
    let encryption = client.encryption();
    if !encryption.cross_signing_status().await.is_some_and(|status| status.is_complete()) {
        return Err(SessionError::Wrong(
            "this device does not have the account's keys, so a new recovery key would restore nothing, and the old one would be \
             lost: type astragal matrix recovery restore and the recovery key that you saved. If there is none, reset the \
             account's identity in another client, stop the bot, remove its device's directory and log in again"
                .to_owned(),
        ));
    }
    let recovery = encryption.recovery();
    let key = match recovery.enable().await {
        Err(RecoveryError::BackupExistsOnServer) => recovery.reset_key().await,
        other => other,
    };
    let key = key.map_err(failed)?;
    let file = home.keep_recovery_key(&key)?;
    Ok((key, file))
}

/// Restores the identity and the keys of old messages, and stores the key that did it.
pub(crate) async fn restore(home: &Home, client: &Client, key: &str) -> Result<PathBuf, SessionError> {
    recover(client, key).await?;
    if !is_signed(client).await? {
        let what = "the recovery key opens the account's storage, but the identity that signs its devices is not in there: it \
                    may have been made before the identity was reset";
        return Err(SessionError::Wrong(what.to_owned()));
    }
    home.keep_recovery_key(key)
}

async fn recover(client: &Client, key: &str) -> Result<(), SessionError> {
    let wrong = |error| SessionError::Wrong(format!("the recovery key does not open the account: {error}"));
    client.encryption().recovery().recover(key).await.map_err(wrong)
}

/// True if the account's identity signed this device.
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
