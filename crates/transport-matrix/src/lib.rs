//! [`chat::Transport`] on Matrix, with matrix-sdk: including encrypted rooms, missing nothing and saying nothing twice.
//!
//! `session` is the bot's device, `profile` its account's name and picture. `listen` turns syncs into events of the core
//! (`gap` finds what a sync left out, `undecrypted` what came before its key, `authors` checks who encrypted it, `said`
//! reads the words, `standing` says who spoke, `rooms` where the bot is and `joining` how it comes there). `outbox` says
//! posts (`format` and `layout` are how they look, `related` what they relate to, `direct` where private ones go, `media`
//! what belongs to them). The SDK's event handlers are not used: it saves its place in the stream before it calls them, so
//! that a crash loses what they were told.

mod authors;
mod device;
mod direct;
mod format;
mod gap;
mod health;
mod html;
mod identity;
mod joining;
mod lately;
mod layout;
mod link;
mod listen;
mod media;
mod outbox;
mod pins;
mod profile;
mod randomness;
mod receipts;
mod related;
mod rooms;
mod said;
mod session;
mod settings;
mod standing;
mod taps;
mod trouble;
mod undecrypted;
mod verify;

pub use device::{Device, Told, probe};
pub use identity::Identity;
pub use randomness::Randomness;
pub use settings::Settings;

use async_trait::async_trait;
use chat::{
    Clock, Desk, Edits, Guarantees, Post, Repeated, Saying, Status, Terminal, Transport, TransportError, Unaccepted,
};
use health::Health;
use jiff::{SignedDuration, Timestamp};
use link::{Link, Trail};
use listen::Ended;
use outbox::Outbox;
use session::{Home, SessionError};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::{Mutex, broadcast, watch};
use trouble::{Backoff, Trouble};
use undecrypted::Undecrypted;
use verify::Syncs;

/// How much longer than requested a sync may take before the homeserver counts as gone.
const OVERDUE: SignedDuration = SignedDuration::from_secs(25);

/// Syncs kept for somebody who verifies the bot and is busy.
const SYNCS: usize = 64;

/// An account on a Matrix homeserver.
pub struct Matrix {
    network: String,
    settings: Settings,
    clock: Arc<dyn Clock>,
    randomness: Randomness,
    directory: PathBuf,
    outbox: Arc<Outbox>,
    link: watch::Sender<Option<Arc<Link>>>,
    ready: watch::Sender<bool>,
    health: Arc<Health>,
    /// Held while somebody verifies the bot.
    verifying: Mutex<()>,
}

impl Matrix {
    /// An account, with the operator's name for its network. Everything about its device is in `directory`, which only
    /// one process may use.
    pub fn new(
        network: &str,
        settings: Settings,
        clock: Arc<dyn Clock>,
        randomness: Randomness,
        directory: &Path,
    ) -> Self {
        let link = watch::Sender::new(None);
        Matrix {
            network: network.to_owned(),
            settings,
            clock,
            randomness,
            directory: directory.to_owned(),
            outbox: Arc::new(Outbox::new(link.subscribe())),
            link,
            ready: watch::Sender::new(false),
            health: Arc::default(),
            verifying: Mutex::default(),
        }
    }

    /// The current login, if any.
    fn linked(&self) -> Result<Arc<Link>, String> {
        self.link
            .borrow()
            .clone()
            .ok_or_else(|| "the bot is not connected there now: astragal ctl status says why".to_owned())
    }

    /// What to do about a login that was revoked.
    fn revoked(&self) -> &'static str {
        if self.settings.token.is_some() {
            "the login was revoked: somebody removed the bot's device, or its token has expired. Put the token of a new \
             device into token_file: the bot takes it by itself"
        } else {
            "the login was revoked: somebody removed the bot's device or changed its password. `astragal matrix login` \
             makes a new device; a new password in password_file is taken by itself"
        }
    }

    fn failed(&self, reason: impl Into<String>) -> TransportError {
        TransportError { network: self.network.clone(), reason: reason.into() }
    }

    /// The homeserver does not let the bot in.
    fn refused(&self, reason: impl Into<String>) -> TransportError {
        metrics::counter!("astragal_logins_refused_total", "network" => self.network.clone()).increment(1);
        self.failed(reason)
    }

    /// Opens the device, waiting for a homeserver that does not answer.
    async fn open(&self, home: &Home, desk: &Arc<dyn Desk>) -> Result<Arc<Link>, TransportError> {
        let cursor = desk.note(listen::CURSOR).map_err(|error| self.failed(error.to_string()))?;
        let mut backoff = Backoff::new(self.settings.retries(), self.randomness.clone());
        let (settings, client) = loop {
            let settings = self.settings.with_secrets_of_now();
            let wait = match session::open(&settings, home, &self.randomness, cursor.as_deref()).await {
                Ok(client) => break (settings, client),
                Err(SessionError::Sdk(error)) => match Trouble::of(&error) {
                    Trouble::Passing { wait, why } => {
                        tracing::warn!(network = self.network, reason = why, "no login yet");
                        let wait = backoff.wait(wait);
                        self.health.failed(&why, self.clock.now(), wait);
                        wait
                    }
                    trouble => return Err(self.refused(trouble.why())),
                },
                Err(SessionError::Build(error)) => {
                    let why = SessionError::Build(error).to_string();
                    tracing::warn!(network = self.network, reason = why, "the homeserver is not to be found");
                    let wait = backoff.wait(None);
                    self.health.failed(&why, self.clock.now(), wait);
                    wait
                }
                Err(error) => return Err(self.refused(error.to_string())),
            };
            tokio::time::sleep(wait).await;
        };
        Ok(Arc::new(Link {
            network: self.network.clone(),
            settings,
            client,
            home: home.clone(),
            desk: Arc::downgrade(desk),
            clock: self.clock.clone(),
            randomness: self.randomness.clone(),
            trail: Trail::default(),
            lately: lately::Lately::default(),
            copies: authors::Copies::default(),
            unpinned: link::Once::default(),
            knocked: link::Once::default(),
            health: self.health.clone(),
            awaited: joining::Awaited::default(),
            syncs: broadcast::Sender::new(SYNCS),
        }))
    }
}

#[async_trait]
impl Transport for Matrix {
    fn network(&self) -> &str {
        &self.network
    }

    fn guarantees(&self) -> Guarantees {
        Guarantees { unaccepted: Unaccepted::ComeAgain, repeated: Repeated::Once, edits: Edits::Shown }
    }

    async fn run(&self, desk: Arc<dyn Desk>) -> Result<(), TransportError> {
        let home = Home::new(&self.directory);
        // The login of a run that panicked is gone.
        self.link.send_replace(None);
        loop {
            let link = self.open(&home, &desk).await?;
            let undecrypted = Undecrypted::new(link.clone(), self.outbox.clone());
            // Before the bot knows its rooms it can say nothing in them.
            let connected = || {
                self.link.send_replace(Some(link.clone()));
                self.ready.send_replace(true);
            };
            let ended = tokio::select! {
                ended = listen::listen(link.clone(), undecrypted.clone(), &connected) => ended,
                () = undecrypted.watch() => continue,
            };
            self.link.send_replace(None);
            match ended {
                Ended::SoftLogout => {
                    tracing::warn!(network = self.network, "the homeserver asks for a new login");
                    let again = session::log_in_again(&self.settings.with_secrets_of_now(), &home, &link.client).await;
                    again.map_err(|error| self.failed(error.to_string()))?;
                }
                Ended::Revoked if session::has_new_secret(&self.settings.with_secrets_of_now(), &home) => {
                    tracing::warn!(
                        network = self.network,
                        "the login was revoked: the bot logs in with its new secret, as a new device"
                    );
                    home.forget().map_err(|error| self.failed(error.to_string()))?;
                }
                Ended::Revoked => return Err(self.refused(self.revoked())),
            }
        }
    }

    fn send(&self, post: Post) -> Saying {
        self.outbox.say(post)
    }

    async fn ready(&self) {
        // This holds the sender.
        let _ = self.ready.subscribe().wait_for(|ready| *ready).await;
    }

    async fn status(&self) -> Status {
        let link = self.link.borrow().clone();
        let patience = SignedDuration::from_secs(i64::from(self.settings.sync_seconds)) + OVERDUE;
        let fresh = |heard: Timestamp| self.clock.now().duration_since(heard) < patience;
        let (trouble, again) = self.health.trouble();
        let Some(link) = link else { return Status { trouble, again, ..Status::default() } };
        let connected = link.trail.heard().is_some_and(fresh) && !self.health.is_gone();
        let silent = || (!connected).then(|| "the homeserver does not answer".to_owned());
        Status {
            connected,
            trouble: trouble.or_else(silent),
            again,
            me: link.client.user_id().map(ToString::to_string).unwrap_or_default(),
            heard: link.trail.heard(),
            rooms: rooms::all(&link).await,
            awaited: joining::awaited(&link),
        }
    }

    async fn join(&self, room: &str) -> Result<String, String> {
        rooms::come(&*self.linked()?, room).await
    }

    async fn leave(&self, room: &str) -> Result<(), String> {
        rooms::go(&*self.linked()?, room).await
    }

    async fn verify(&self, operator: &mut dyn Terminal) -> Result<bool, String> {
        let Ok(_one) = self.verifying.try_lock() else { return Err("somebody verifies the bot already".to_owned()) };
        let (client, settings, syncs) = {
            let link = self.linked()?;
            (link.client.clone(), link.settings.clone(), link.syncs.subscribe())
        };
        let verified = verify::verify(&settings, &client, operator, Syncs::Heard(syncs)).await;
        verified.map_err(|error| error.to_string())
    }

    async fn close(&self) {
        self.outbox.close();
    }
}
