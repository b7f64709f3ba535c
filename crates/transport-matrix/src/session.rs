//! The bot's device: its login, its keys and its encrypted store, together in one directory.
//!
//! `key` opens the store and is 32 random bytes (a passphrase would cost half a minute at each start), `session.json`
//! is the login, `recovery.key` restores the identity when all else is lost, and `store/` is the SDK's.

mod secrets;

use crate::trouble::{self, Trouble};
use crate::{Randomness, Settings};
use matrix_sdk::authentication::matrix::MatrixSession;
use matrix_sdk::config::RequestConfig;
use matrix_sdk::encryption::{BackupDownloadStrategy, EncryptionSettings};
use matrix_sdk::reqwest::StatusCode;
use matrix_sdk::ruma::api::client::session::login;
use matrix_sdk::ruma::api::client::uiaa::{MatrixUserIdentifier, UserIdentifier};
use matrix_sdk::store::{StateStoreDataKey, StateStoreDataValue};
use matrix_sdk::{Client, ClientBuildError, HttpError, SessionMeta, SessionTokens, SqliteStoreConfig};
use secrets::Use;
pub(crate) use secrets::remove;
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a request may take, not counting the waiting time of a sync.
const PATIENCE: Duration = Duration::from_secs(60);

/// The file with the key that restores the identity.
const RECOVERY: &str = "recovery.key";

/// The file with a digest of the password that the bot logged in with.
const PROOF: &str = "logged-in-with";

/// The file that says that the store is newer than the login.
const ANEW: &str = "store-is-new";

/// The directory of one account.
#[derive(Clone, Debug)]
pub(crate) struct Home(PathBuf);

/// Why the bot cannot log in.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SessionError {
    /// A file cannot be read or written.
    #[error("{path}: {error}")]
    File { path: PathBuf, error: io::Error },
    /// The homeserver cannot be found.
    #[error("{}", trouble::told_build(.0))]
    Build(Box<ClientBuildError>),
    /// The homeserver or the store failed.
    #[error("{}", Trouble::of(.0).why())]
    Sdk(#[from] matrix_sdk::Error),
    /// Something the operator must fix.
    #[error("{0}")]
    Wrong(String),
}

impl From<ClientBuildError> for SessionError {
    fn from(error: ClientBuildError) -> Self {
        SessionError::Build(error.into())
    }
}

impl From<HttpError> for SessionError {
    fn from(error: HttpError) -> Self {
        SessionError::Sdk(error.into())
    }
}

impl Home {
    pub fn new(directory: &Path) -> Self {
        Home(directory.to_owned())
    }

    /// The login, if there is one.
    pub fn session(&self) -> Result<Option<MatrixSession>, SessionError> {
        let path = self.0.join("session.json");
        match fs::read(&path) {
            Ok(stored) => serde_json::from_slice(&stored)
                .map(Some)
                .map_err(|error| SessionError::File { path, error: error.into() }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(SessionError::File { path, error }),
        }
    }

    /// Stores the login.
    pub fn keep_session(&self, session: &MatrixSession) -> Result<(), SessionError> {
        let stored = serde_json::to_vec_pretty(session).expect("a session has text keys");
        self.write("session.json", &stored)
    }

    /// The key that restores the account's identity, if the bot was given one or made one.
    pub fn recovery_key(&self) -> Option<String> {
        fs::read_to_string(self.recovery_file()).ok().map(|key| key.trim().to_owned())
    }

    /// Stores that key.
    pub fn keep_recovery_key(&self, key: &str) -> Result<PathBuf, SessionError> {
        self.write(RECOVERY, format!("{key}\n").as_bytes())?;
        Ok(self.recovery_file())
    }

    /// The file where it is stored.
    pub fn recovery_file(&self) -> PathBuf {
        self.0.join(RECOVERY)
    }

    /// True if the device's keys are not there: the SDK's store is gone, or was made after a login that is older.
    fn lacks_keys(&self) -> bool {
        !self.0.join("store").exists() || self.0.join(ANEW).exists()
    }

    /// Notes that the store is newer than the login, until it is known that this does no harm.
    fn begin_anew(&self) -> Result<(), SessionError> {
        self.write(ANEW, b"")
    }

    fn begun_anew(&self) -> Result<(), SessionError> {
        let path = self.0.join(ANEW);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(SessionError::File { path, error }),
            _ => Ok(()),
        }
    }

    /// Remembers with which password the bot logged in.
    fn keep_proof(&self, proof: &str) -> Result<(), SessionError> {
        self.write(PROOF, proof.as_bytes())
    }

    /// True if the bot last logged in with another password than this one, or if that is not known.
    fn is_new_password(&self, password: &str) -> bool {
        let known = fs::read_to_string(self.0.join(PROOF)).ok().zip(fs::read(self.0.join("key")).ok());
        known.is_none_or(|(proof, key)| proof != proof_of(&key, password))
    }

    /// Forgets the device, so that the next start logs in as a new one. The recovery key stays.
    pub fn forget(&self) -> Result<(), SessionError> {
        let store = self.0.join("store");
        if store.exists() {
            fs::remove_dir_all(&store).map_err(|error| SessionError::File { path: store, error })?;
        }
        let session = self.0.join("session.json");
        match fs::remove_file(&session) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(SessionError::File { path: session, error }),
            _ => Ok(()),
        }
    }

    /// The key of the store, created on first use.
    fn key(&self, randomness: &Randomness) -> Result<[u8; 32], SessionError> {
        let path = self.0.join("key");
        match fs::read(&path) {
            Ok(stored) => stored.try_into().map_err(|_| {
                SessionError::Wrong(format!("{} is damaged: it held the 32 bytes that open the store", path.display()))
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let key = randomness();
                self.write("key", &key)?;
                Ok(key)
            }
            Err(error) => Err(SessionError::File { path, error }),
        }
    }

    /// Writes a file atomically, readable only by this user.
    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), SessionError> {
        let (path, part) = (self.0.join(name), self.0.join(format!("{name}.part")));
        let written = || {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.0)?;
            // The directory may have been created before, with wider permissions.
            fs::set_permissions(&self.0, fs::Permissions::from_mode(0o700))?;
            let mut file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&part)?;
            file.write_all(bytes)?;
            file.sync_all()?;
            fs::rename(&part, &path)?;
            fs::File::open(&self.0)?.sync_all()
        };
        written().map_err(|error| SessionError::File { path: path.clone(), error })
    }
}

/// A digest of the password, which nobody can compare with another bot's.
fn proof_of(key: &[u8], password: &str) -> String {
    let digest = Sha256::digest([key, password.as_bytes()].concat());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A client for the account, not logged in yet.
async fn build(settings: &Settings, home: &Home, randomness: &Randomness) -> Result<Client, SessionError> {
    let key = home.key(randomness)?;
    let store = SqliteStoreConfig::with_low_memory_config(home.0.join("store")).key(Some(&key));
    let builder = Client::builder()
        .sqlite_store_with_config_and_cache_path(store, None::<&Path>)
        .handle_refresh_tokens()
        .request_config(RequestConfig::new().disable_retry().timeout(PATIENCE))
        .with_encryption_settings(EncryptionSettings {
            auto_enable_cross_signing: false,
            backup_download_strategy: BackupDownloadStrategy::AfterDecryptionFailure,
            auto_enable_backups: false,
        });
    let address = settings.homeserver.starts_with("http");
    let builder = match address {
        true => builder.homeserver_url(&settings.homeserver),
        false => builder.server_name_or_homeserver_url(&settings.homeserver),
    };
    Ok(builder.build().await?)
}

/// The client of the device in the directory; logs in as a new device if there is none.
///
/// The SDK continues where it last was. `cursor` is the place of the last events the bot itself stored, which may be
/// earlier; it listens from there.
pub(crate) async fn open(
    settings: &Settings,
    home: &Home,
    randomness: &Randomness,
    cursor: Option<&str>,
) -> Result<Client, SessionError> {
    let (client, session) = logged_in(settings, home, randomness).await?;
    home.begun_anew()?;
    // A store without a place in the stream is new, and must learn everything first.
    let store = client.state_store();
    let place = store.get_kv_data(StateStoreDataKey::SyncToken).await.map_err(matrix_sdk::Error::from)?;
    if let (Some(cursor), Some(_)) = (cursor, place) {
        let cursor = StateStoreDataValue::SyncToken(cursor.to_owned());
        store.set_kv_data(StateStoreDataKey::SyncToken, cursor).await.map_err(matrix_sdk::Error::from)?;
    }
    restore(&client, home, session).await?;
    Ok(client)
}

/// A client that is not logged in, and the login for it: the stored one, or that of a new device.
async fn logged_in(
    settings: &Settings,
    home: &Home,
    randomness: &Randomness,
) -> Result<(Client, MatrixSession), SessionError> {
    if let Some(stored) = home.session()? {
        let lost = home.lacks_keys();
        if lost {
            home.begin_anew()?;
        }
        let client = build(settings, home, randomness).await?;
        match secrets::now(&client, settings, &stored, lost).await? {
            Use::Stored => return Ok((client, stored)),
            Use::Token(session) => {
                home.keep_session(&session)?;
                return Ok((client, session));
            }
            Use::NewDevice => {}
        }
    }
    // A store without a login belongs to a device that was never used.
    home.forget()?;
    let client = build(settings, home, randomness).await?;
    let session = log_in(&client, settings, None).await?;
    if settings.token.is_some() {
        secrets::refuse_foreign_keys(&client, &session).await?;
    }
    home.keep_session(&session)?;
    if let Some(password) = &settings.password {
        home.keep_proof(&proof_of(&home.key(randomness)?, password.expose()))?;
    }
    Ok((client, session))
}

/// Logs in again as the same device after the homeserver asked for that (a soft logout).
pub(crate) async fn log_in_again(settings: &Settings, home: &Home, client: &Client) -> Result<(), SessionError> {
    let device = client.device_id().map(ToString::to_string);
    let session = log_in(client, settings, device).await?;
    if client.device_id().is_some_and(|device| device != session.meta.device_id) {
        // The token of another device, with which this one's keys are of no use.
        return home.forget();
    }
    home.keep_session(&session)
}

/// True if the operator gave the bot another password or token than the one it logged in with.
pub(crate) fn has_new_secret(settings: &Settings, home: &Home) -> bool {
    match (&settings.token, &settings.password) {
        (Some(token), _) => {
            home.session().ok().flatten().is_none_or(|session| session.tokens.access_token != token.expose())
        }
        (None, Some(password)) => home.is_new_password(password.expose()),
        (None, None) => false,
    }
}

async fn restore(client: &Client, home: &Home, session: MatrixSession) -> Result<(), SessionError> {
    let (load, keep) = (home.clone(), home.clone());
    let load = move |_: Client| {
        let session = load.session()?.ok_or("the session is gone")?;
        Ok(session.tokens)
    };
    let keep = move |client: Client| match client.matrix_auth().session() {
        Some(session) => Ok(keep.keep_session(&session)?),
        None => Ok(()),
    };
    client.set_session_callbacks(Box::new(load), Box::new(keep))?;
    client.restore_session(session).await?;
    Ok(())
}

/// Logs in with the password or the token of the settings, without telling the client.
async fn log_in(client: &Client, settings: &Settings, device: Option<String>) -> Result<MatrixSession, SessionError> {
    if let Some(token) = &settings.token {
        return with_token(client, token.expose()).await;
    }
    let Some(password) = &settings.password else {
        return Err(SessionError::Wrong(
            "the bot is not logged in: password_file or token_file in its section of the configuration lets it".into(),
        ));
    };
    let user = UserIdentifier::Matrix(MatrixUserIdentifier::new(settings.user.clone()));
    let password = login::v3::Password::new(user, password.expose().to_owned());
    let mut request = login::v3::Request::new(login::v3::LoginInfo::Password(password));
    request.initial_device_display_name = Some(settings.device.clone());
    request.device_id = device.map(Into::into);
    request.refresh_token = true;
    let response = match client.send(request).await {
        Ok(response) => response,
        Err(error) => return Err(refused_login(client, settings, error).await),
    };
    Ok(MatrixSession {
        meta: SessionMeta { user_id: response.user_id, device_id: response.device_id },
        tokens: SessionTokens { access_token: response.access_token, refresh_token: response.refresh_token },
    })
}

async fn refused_login(client: &Client, settings: &Settings, error: HttpError) -> SessionError {
    use matrix_sdk::ruma::api::error::ErrorKind;
    if matches!(Trouble::of_http(&error), Trouble::Refused(_)) && secrets::takes_no_password(client).await {
        return SessionError::Wrong(format!(
            "{} lets nobody in with a password: give the bot an access token of a device of its own, in token_file \
             instead of password_file. If an authentication service runs there, its operator makes one with `mas-cli \
             manage issue-compatibility-token {}`; \"Accounts without a password\" in docs/networks.md has the other \
             ways",
            settings.homeserver, settings.user
        ));
    }
    match error.client_api_error_kind() {
        Some(ErrorKind::Forbidden) | Some(ErrorKind::UserDeactivated) => SessionError::Wrong(format!(
            "{} does not let {} in with this password: {error}",
            settings.homeserver, settings.user
        )),
        _ => error.into(),
    }
}

/// Looks up whose the token is, and returns it as a login.
async fn with_token(client: &Client, token: &str) -> Result<MatrixSession, SessionError> {
    let wrong = |why: String| SessionError::Wrong(format!("the token: {why}"));
    let (status, text) = who_am_i(client, token).await?;
    if status.is_client_error() {
        return Err(wrong(format!(
            "the homeserver does not know it ({status}): it was revoked or has expired. Put one of a new device into \
             token_file"
        )));
    }
    let nonsense = || wrong(format!("the homeserver answered nonsense ({status})"));
    let known: serde_json::Value = serde_json::from_str(&text).map_err(|_| nonsense())?;
    let user = known["user_id"].as_str().and_then(|user| user.try_into().ok()).ok_or_else(nonsense)?;
    let Some(device) = known["device_id"].as_str() else {
        return Err(wrong("it belongs to no device, and without one the bot cannot read encrypted rooms".to_owned()));
    };
    Ok(MatrixSession {
        meta: SessionMeta { user_id: user, device_id: device.into() },
        tokens: SessionTokens { access_token: token.to_owned(), refresh_token: None },
    })
}

/// True if the homeserver still has the device, although it no longer accepts its token: then a login gets a new one.
///
/// # Errors
/// The homeserver does not say now.
pub(crate) async fn device_remains(client: &Client) -> Result<bool, String> {
    let answer = who_am_i(client, &client.access_token().unwrap_or_default()).await;
    let (status, text) = answer.map_err(|error| error.to_string())?;
    let said: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    match status {
        StatusCode::OK => Ok(true),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Ok(said["soft_logout"] == true),
        other => Err(format!("asked whose its token is, the homeserver answered {other}")),
    }
}

/// The homeserver's plain answer to the question whose the token is. The SDK would first try to renew the token.
async fn who_am_i(client: &Client, token: &str) -> Result<(StatusCode, String), HttpError> {
    let url = client.homeserver().join("_matrix/client/v3/account/whoami").expect("a homeserver has paths");
    let response = client.http_client().get(url).bearer_auth(token).send().await?;
    Ok((response.status(), response.text().await?))
}
