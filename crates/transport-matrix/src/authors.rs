//! Who encrypted a message. The homeserver lets anyone send a copy of a ciphertext that they cannot read, and the bot can
//! read it. So a decrypted message counts only if its sender's own device encrypted it, and once.

mod copies;

use crate::link::Link;
use crate::trouble::{Backoff, Trouble};
pub(crate) use copies::Copies;
use copies::Known;
use matrix_sdk::Room;
use matrix_sdk::deserialized_responses::{
    AlgorithmInfo, EncryptionInfo, TimelineEvent, VerificationLevel, VerificationState,
};
use matrix_sdk::ruma::{DeviceKeyAlgorithm, UserId};
use std::time::Duration;
use tokio::time::Instant;

/// How long a request may keep failing while the homeserver answers others.
const PATIENCE: Duration = Duration::from_secs(60);

/// A note to store together with the event.
pub(crate) type Note = (String, Option<String>);

/// Why a decrypted message does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Forged {
    /// Somebody other than its sender encrypted it.
    Foreign,
    /// None of its sender's devices is known to have encrypted it.
    Unknown,
    /// It was sent before, as another event.
    Copy,
}

impl Forged {
    /// What the room is told.
    pub fn words(self) -> &'static str {
        match self {
            Forged::Foreign => {
                "I did not play this. It is a copy of something that somebody else wrote in an encrypted room."
            }
            Forged::Unknown => {
                "I did not play this. I cannot tell whose device encrypted it. If it was yours, please say it again."
            }
            Forged::Copy => "I did not play this. It is a copy of an earlier message.",
        }
    }

    /// The name in the metric and the log.
    pub fn name(self) -> &'static str {
        match self {
            Forged::Foreign => "encrypted by somebody else",
            Forged::Unknown => "encrypted by an unknown device",
            Forged::Copy => "a copy of an earlier message",
        }
    }
}

/// Checks who encrypted a message, and that it is no copy. Returns the note that remembers it; nothing has to be
/// remembered of a message that was not encrypted.
///
/// # Errors
/// The message does not count.
pub(crate) async fn check(link: &Link, room: &Room, event: &TimelineEvent) -> Result<Option<Note>, Forged> {
    let Some(info) = event.encryption_info() else { return Ok(None) };
    let Some(sender) = event.sender() else { return Err(Forged::Unknown) };
    match &info.verification_state {
        VerificationState::Unverified(VerificationLevel::MismatchedSender) => return Err(Forged::Foreign),
        VerificationState::Unverified(VerificationLevel::None(_)) if !is_of(link, info, &sender).await => {
            return Err(Forged::Unknown);
        }
        _ => {}
    }
    match copies::know(link, room, info, event).await {
        Known::New(note) => Ok(note),
        Known::Copy => Err(Forged::Copy),
    }
}

/// True if somebody has a device with the keys that the message was encrypted with. The keys of a device that was never
/// seen, or of a message whose key came from a backup, are compared here; others were compared by the SDK.
async fn is_of(link: &Link, info: &EncryptionInfo, user: &UserId) -> bool {
    if has_device(link, info, user).await {
        return true;
    }
    let asked = insist(link, || async move {
        let asked = link.client.encryption().request_user_identity(user).await;
        asked.map(drop).map_err(|error| Trouble::of(&error))
    });
    asked.await.is_some() && has_device(link, info, user).await
}

/// Asks the homeserver until it answers. Returns `None` if it refuses, or if it answers everything but this for long.
async fn insist<T, F>(link: &Link, ask: impl Fn() -> F) -> Option<T>
where
    F: Future<Output = Result<T, Trouble>>,
{
    let mut backoff = Backoff::new(link.settings.retries(), link.randomness.clone());
    let begun = Instant::now();
    loop {
        match ask().await {
            Ok(answer) => return Some(answer),
            Err(Trouble::Passing { wait: None, .. }) if begun.elapsed() > PATIENCE && link.is_up().await => {
                return None;
            }
            Err(Trouble::Passing { wait, .. }) => tokio::time::sleep(backoff.wait(wait)).await,
            Err(_) => return None,
        }
    }
}

async fn has_device(link: &Link, info: &EncryptionInfo, user: &UserId) -> bool {
    let AlgorithmInfo::MegolmV1AesSha2 { curve25519_key, sender_claimed_keys, .. } = &info.algorithm_info else {
        return false;
    };
    let Ok(devices) = link.client.encryption().get_user_devices(user).await else { return false };
    let signs = sender_claimed_keys.get(&DeviceKeyAlgorithm::Ed25519);
    devices.devices().any(|device| {
        let encrypts = device.curve25519_key().is_some_and(|key| key.to_base64() == *curve25519_key);
        encrypts && device.ed25519_key().map(|key| key.to_base64()).as_ref() == signs
    })
}
