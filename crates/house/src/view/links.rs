//! The links by which the page of a table is found.
//!
//! A link is 16 bytes that find the table and 16 that say for whom it is, both as text. The second half is computed from a secret of
//! the table's page, so a link can be told again and is stored nowhere. What ends a link changes what is computed: a number that is
//! counted up, or the time when the store was restored from a backup.

use super::Reader;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use chat::PlayerId;
use hmac::{Hmac, KeyInit, Mac};
use journal::documents::{Seat, TableDoc, to_json};
use journal::{hex, unhex};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use std::collections::BTreeMap;
use table::Host;

/// The bytes of each half of a link.
const HALF: usize = 16;

/// What finds the page of a table.
pub(crate) type Id = [u8; HALF];

/// From what the links of a table are computed.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Keys {
    /// What finds the table, in hexadecimal.
    id: String,
    /// The secret, in hexadecimal.
    secret: String,
    /// True if there is no page for now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub off: bool,
    /// How often all links were ended.
    #[serde(default)]
    all: u32,
    /// How often the readers' link was ended.
    #[serde(default)]
    readers: u32,
    /// How often each player's own link was ended.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    own: BTreeMap<PlayerId, u32>,
}

impl Keys {
    pub fn new(host: &Host) -> Self {
        let (id, secret) = host.with_entropy(|entropy| (entropy.secret(), entropy.secret()));
        let (id, secret) = (hex(&id[..HALF]), hex(&secret));
        Keys { id, secret, off: false, all: 0, readers: 0, own: BTreeMap::new() }
    }

    /// Ends the link of a reader: from now on they have another.
    pub fn end(&mut self, reader: &Reader) {
        let ended = match reader.player() {
            Some(player) => self.own.entry(player.clone()).or_default(),
            None => &mut self.readers,
        };
        *ended = ended.saturating_add(1);
    }

    /// Ends all links.
    pub fn end_all(&mut self) {
        self.all = self.all.saturating_add(1);
    }

    /// What finds the table.
    pub fn id(&self) -> Option<Id> {
        unhex(&self.id)?.try_into().ok()
    }

    /// What finds the table of a link; `None` if it is none.
    pub fn id_of(link: &str) -> Option<Id> {
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(link).ok().filter(|bytes| bytes.len() == 2 * HALF)?;
        bytes[..HALF].try_into().ok()
    }

    /// What the second half of a reader's link is computed from and with.
    fn mac(&self, restored: Option<&str>, reader: &Reader) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&unhex(&self.secret)?).ok()?;
        let (kind, ended) = match reader {
            Reader::Anyone => ("anyone", self.readers),
            Reader::Player(player) => ("player", self.own.get(player).copied().unwrap_or_default()),
            Reader::Referee(player) => ("referee", self.own.get(player).copied().unwrap_or_default()),
        };
        let parts = (kind, reader.player(), ended, self.all, restored);
        mac.update(&to_json(&parts));
        Some(mac)
    }

    /// The link of a reader.
    pub fn link(&self, restored: Option<&str>, reader: &Reader) -> Option<String> {
        let mac = self.mac(restored, reader)?.finalize().into_bytes();
        Some(BASE64_URL_SAFE_NO_PAD.encode([&self.id()?[..], &mac[..HALF]].concat()))
    }

    /// Whom a link is for, at a table with this document: one who still has a seat or is a referee.
    pub fn reader_of(&self, restored: Option<&str>, doc: &TableDoc, link: &str) -> Option<Reader> {
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(link).ok().filter(|bytes| bytes.len() == 2 * HALF && !self.off)?;
        let referees = doc.referees.keys().cloned().map(Reader::Referee);
        let players = doc.seats.keys().filter(|player| is_at(doc, player)).cloned().map(Reader::Player);
        let mut all = std::iter::once(Reader::Anyone).chain(referees).chain(players);
        // The comparison takes equally long however much of it fits.
        all.find(|reader| {
            self.mac(restored, reader).is_some_and(|mac| mac.verify_truncated_left(&bytes[HALF..]).is_ok())
        })
    }
}

/// True if a player has a seat and has not left.
pub(crate) fn is_at(doc: &TableDoc, player: &PlayerId) -> bool {
    let left = |seat: &Seat| doc.characters.get(&seat.plays).is_some_and(|character| character.away == Some(true));
    doc.seats.get(player).is_some_and(|seat| !left(seat))
}
