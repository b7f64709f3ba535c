//! What an operator does with the bot's device while the bot is stopped.

use crate::identity::{self, Identity};
use crate::session::{self, Home, SessionError};
use crate::verify::{self, Terminal};
use crate::{Randomness, Settings};
use matrix_sdk::Client;
use matrix_sdk::config::SyncSettings;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The device of an account, opened.
pub struct Device {
    settings: Settings,
    home: Home,
    client: Client,
}

/// What the operator must know; one line.
pub type Told = String;

impl Device {
    /// Opens the device that `directory` holds; logs in as a new one if it holds none, or if that one was revoked.
    ///
    /// # Errors
    /// In plain words what failed.
    pub async fn open(settings: Settings, directory: &Path, randomness: &Randomness) -> Result<Self, Told> {
        let home = Home::new(directory);
        let mut client = session::open(&settings, &home, randomness, None).await.map_err(told)?;
        if let Err(error) = client.whoami().await {
            match crate::trouble::Trouble::of_http(&error) {
                crate::trouble::Trouble::LoggedOut { .. } => {
                    drop(client);
                    home.forget().map_err(told)?;
                    client = session::open(&settings, &home, randomness, None).await.map_err(told)?;
                }
                _ => return Err(error.to_string()),
            }
        }
        let device = Device { settings, home, client };
        // The identity is known and the keys are published with the first sync.
        device
            .client
            .sync_once(SyncSettings::new().timeout(Duration::ZERO))
            .await
            .map_err(|error| error.to_string())?;
        Ok(device)
    }

    /// Who the bot is there.
    pub fn who(&self) -> String {
        let (user, device) = (self.client.user_id(), self.client.device_id());
        let (user, device) = (user.map_or("nobody", |user| user.as_str()), device.map_or("none", |id| id.as_str()));
        format!("{user}, device {device}")
    }

    /// Makes or joins the account's identity.
    ///
    /// # Errors
    /// In plain words what failed.
    pub async fn identity(&self) -> Result<Identity, Told> {
        identity::settle(&self.settings, &self.home, &self.client).await.map_err(told)
    }

    /// Makes a new recovery key and keeps it in the file that is returned with it.
    ///
    /// # Errors
    /// In plain words what failed.
    pub async fn new_recovery_key(&self) -> Result<(String, PathBuf), Told> {
        self.identity().await?;
        identity::new_recovery_key(&self.home, &self.client).await.map_err(told)
    }

    /// Gets the identity back with a recovery key, and keeps that.
    ///
    /// # Errors
    /// In plain words what failed; nothing changed.
    pub async fn restore(&self, key: &str) -> Result<PathBuf, Told> {
        identity::restore(&self.home, &self.client, key).await.map_err(told)
    }

    /// Waits for somebody who asks to verify the bot. Whether it ended well.
    ///
    /// # Errors
    /// In plain words what failed.
    pub async fn verify(&self, terminal: &mut dyn Terminal) -> Result<bool, Told> {
        verify::verify(&self.settings, &self.client, terminal).await.map_err(told)
    }
}

/// Tries these settings: asks the homeserver who the device that `directory` holds is, or, without one, logs in and out
/// again.
///
/// # Errors
/// In plain words what failed.
pub async fn probe(settings: Settings, directory: &Path, randomness: &Randomness) -> Result<String, Told> {
    let home = Home::new(directory);
    let fresh = home.session().map_err(told)?.is_none();
    let client = session::open(&settings, &home, randomness, None).await.map_err(told)?;
    let who = client.whoami().await.map_err(|error| told(error.into()))?;
    let device = who.device_id.map(|device| device.to_string()).unwrap_or_default();
    let homeserver = client.homeserver();
    if fresh {
        // A token may be the only one: it stays.
        if settings.token.is_none() {
            client.logout().await.map_err(|error| error.to_string())?;
        }
        drop(client);
        home.forget().map_err(told)?;
        return Ok(format!("{homeserver} let us in as {}", who.user_id));
    }
    Ok(format!("{homeserver} knows us as {}, device {device}", who.user_id))
}

fn told(error: SessionError) -> Told {
    error.to_string()
}
