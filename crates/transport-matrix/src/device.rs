//! Operator commands on the bot's device, for use while the bot is stopped.

use crate::identity::{self, Identity};
use crate::session::{self, Home, SessionError};
use crate::trouble::Trouble;
use crate::verify::{self, Syncs};
use crate::{Randomness, Settings};
use chat::Terminal;
use matrix_sdk::Client;
use matrix_sdk::config::SyncSettings;
use matrix_sdk::ruma::RoomAliasId;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The open device of an account.
pub struct Device {
    settings: Settings,
    home: Home,
    client: Client,
}

/// A message for the operator; one line.
pub type Told = String;

impl Device {
    /// Opens the device in `directory`; logs in as a new one if there is none, or if that one was revoked.
    ///
    /// # Errors
    /// What failed, in plain words.
    pub async fn open(settings: Settings, directory: &Path, randomness: &Randomness) -> Result<Self, Told> {
        let home = Home::new(directory);
        let mut client = session::open(&settings, &home, randomness, None).await.map_err(told)?;
        if let Err(error) = client.whoami().await {
            match Trouble::of_http(&error) {
                Trouble::LoggedOut { .. } => {
                    drop(client);
                    home.forget().map_err(told)?;
                    client = session::open(&settings, &home, randomness, None).await.map_err(told)?;
                }
                _ => return Err(error.to_string()),
            }
        }
        let device = Device { settings, home, client };
        // After the first sync the identity is known and the keys are published.
        device
            .client
            .sync_once(SyncSettings::new().timeout(Duration::ZERO).filter(crate::listen::filter().into()))
            .await
            .map_err(|error| error.to_string())?;
        Ok(device)
    }

    /// The bot's user id there.
    pub fn who(&self) -> String {
        let (user, device) = (self.client.user_id(), self.client.device_id());
        let (user, device) = (user.map_or("nobody", |user| user.as_str()), device.map_or("none", |id| id.as_str()));
        format!("{user}, device {device}")
    }

    /// Other devices of the account that have the name of the bot's: perhaps earlier ones of it. Says what to do about
    /// them.
    pub async fn earlier(&self) -> Option<Told> {
        let devices = self.client.devices().await.ok()?.devices;
        let own = self.client.device_id();
        let earlier = devices.into_iter().filter(|device| Some(&*device.device_id) != own);
        let earlier = earlier.filter(|device| device.display_name.as_deref() == Some(self.settings.device.as_str()));
        let earlier: Vec<String> = earlier.map(|device| device.device_id.to_string()).collect();
        (!earlier.is_empty()).then(|| {
            format!(
                "the account also has devices of the same name: if they were the bot's before, {}",
                session::remove(&earlier.join(", "))
            )
        })
    }

    /// Creates the account's identity, or joins it.
    ///
    /// # Errors
    /// What failed, in plain words.
    pub async fn identity(&self) -> Result<Identity, Told> {
        identity::settle(&self.settings, &self.home, &self.client).await.map_err(told)
    }

    /// Creates a new recovery key. Returns it with the file where it is stored.
    ///
    /// # Errors
    /// What failed, in plain words.
    pub async fn new_recovery_key(&self) -> Result<(String, PathBuf), Told> {
        self.identity().await?;
        identity::new_recovery_key(&self.home, &self.client).await.map_err(told)
    }

    /// Restores the identity with a recovery key, and stores the key.
    ///
    /// # Errors
    /// What failed, in plain words; nothing changed.
    pub async fn restore(&self, key: &str) -> Result<PathBuf, Told> {
        identity::restore(&self.home, &self.client, key).await.map_err(told)
    }

    /// Waits for somebody who asks to verify the bot. Returns true if it succeeds.
    ///
    /// # Errors
    /// What failed, in plain words.
    pub async fn verify(&self, terminal: &mut dyn Terminal) -> Result<bool, Told> {
        verify::verify(&self.settings, &self.client, terminal, Syncs::Own).await.map_err(told)
    }
}

/// Tries these settings: asks the homeserver about the device in `directory`. If there is none, or if it was revoked and a
/// password makes another, logs in and out again.
///
/// # Errors
/// What failed, in plain words.
pub async fn probe(settings: Settings, directory: &Path, randomness: &Randomness) -> Result<String, Told> {
    let home = Home::new(directory);
    if home.session().map_err(told)?.is_none() {
        return probe_login(&settings, directory, randomness).await;
    }
    let client = session::open(&settings, &home, randomness, None).await.map_err(told)?;
    let who = match client.whoami().await {
        Err(error) if settings.password.is_some() && matches!(Trouble::of_http(&error), Trouble::LoggedOut { .. }) => {
            let well = probe_login(&settings, directory, randomness).await?;
            return Ok(format!("{well}; it no longer knows the bot's device, so the bot makes a new one"));
        }
        who => who.map_err(|error| told(error.into()))?,
    };
    nowhere(&client, &settings).await?;
    let device = who.device_id.map(|device| device.to_string()).unwrap_or_default();
    Ok(format!("{} knows us as {}, device {device}", client.homeserver(), who.user_id))
}

/// Logs in and out again, with a device that is kept nowhere.
async fn probe_login(settings: &Settings, directory: &Path, randomness: &Randomness) -> Result<String, Told> {
    let mut name = directory.as_os_str().to_owned();
    name.push(".tried");
    // Dropped also if nobody waits for the end.
    let tried = Tried::at(name.into());
    let client = session::open(settings, &Home::new(&tried.directory), randomness, None).await.map_err(told)?;
    let who = client.whoami().await.map_err(|error| told(error.into()))?;
    let nowhere = nowhere(&client, settings).await;
    // A token may be the only one, so it is kept.
    if settings.token.is_none() {
        client.logout().await.map_err(|error| error.to_string())?;
    }
    nowhere?;
    Ok(format!("{} let us in as {}", client.homeserver(), who.user_id))
}

/// Looks up the aliases of the rooms that the bot should join.
async fn nowhere(client: &Client, settings: &Settings) -> Result<(), Told> {
    let aliases = settings.rooms.iter().filter_map(|room| RoomAliasId::parse(room).ok());
    let mut unknown = Vec::new();
    for alias in aliases {
        if let Err(error) = client.resolve_room_alias(&alias).await
            && matches!(Trouble::of_http(&error), Trouble::Refused(_))
        {
            unknown.push(alias.to_string());
        }
    }
    if unknown.is_empty() {
        return Ok(());
    }
    Err(format!("it let us in, but rooms names what no homeserver knows: {}", unknown.join(", ")))
}

/// A directory for a device that is only tried. On drop it is removed, with the empty directories that were made for it.
struct Tried {
    directory: PathBuf,
    made: Vec<PathBuf>,
}

impl Tried {
    fn at(directory: PathBuf) -> Self {
        let made = directory.ancestors().skip(1).take_while(|above| !above.exists()).map(Path::to_owned).collect();
        Tried { directory, made }
    }
}

impl Drop for Tried {
    fn drop(&mut self) {
        // It may not have been made, and a bot that started meanwhile may use what is above it.
        let _ = std::fs::remove_dir_all(&self.directory);
        self.made.iter().for_each(|above| drop(std::fs::remove_dir(above)));
    }
}

fn told(error: SessionError) -> Told {
    error.to_string()
}
