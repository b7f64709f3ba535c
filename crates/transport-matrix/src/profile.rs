//! The name and the picture of the bot's account, as the configuration wants them. They are written only if the account
//! has others: each change is an event in every room.

use crate::link::Link;
use matrix_sdk::ruma::OwnedMxcUri;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::Path;

/// The note with the picture's digest and the address where it was uploaded.
const NOTE: &str = "avatar";
/// The first bytes of the pictures that clients show, and their types.
const TYPES: [(&[u8], &str); 4] =
    [(b"\x89PNG", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF8", "image/gif"), (b"RIFF", "image/webp")];

/// A picture's bytes and type.
pub(crate) fn picture(file: &Path) -> Result<(Vec<u8>, &'static str), String> {
    let bytes = fs::read(file).map_err(|error| format!("avatar: {} cannot be read: {error}", file.display()))?;
    let kind = TYPES.iter().find(|(first, _)| bytes.starts_with(first)).map(|(_, kind)| *kind);
    let kind = kind.ok_or_else(|| format!("avatar: {} is no PNG, JPEG, GIF or WebP", file.display()))?;
    Ok((bytes, kind))
}

/// Gives the account the name and the picture of the configuration.
pub(crate) async fn settle(link: &Link) -> Result<(), String> {
    let (account, settings) = (link.client.account(), &link.settings);
    if !settings.name.is_empty() {
        let name = account.get_display_name().await.map_err(|error| error.to_string())?;
        if name.as_deref() != Some(settings.name.as_str()) {
            account.set_display_name(Some(&settings.name)).await.map_err(|error| error.to_string())?;
        }
    }
    let Some(file) = &settings.avatar else { return Ok(()) };
    let (bytes, kind) = picture(file)?;
    let digest: String = Sha256::digest(&bytes)[..16].iter().map(|byte| format!("{byte:02x}")).collect();
    let there = account.get_avatar_url().await.map_err(|error| error.to_string())?;
    let noted = |there: &OwnedMxcUri| format!("{digest} {there}");
    if there.as_ref().map(noted).is_some_and(|there| link.note(NOTE).is_some_and(|note| note == there)) {
        return Ok(());
    }
    let kind = kind.parse().map_err(|_| format!("{kind} is no media type"))?;
    let uploaded = account.upload_avatar(&kind, bytes).await.map_err(|error| error.to_string())?;
    link.keep(NOTE.to_owned(), Some(noted(&uploaded))).await;
    Ok(())
}
