//! Notices copies of encrypted messages. Nobody but the sender can encrypt something new in their name, but whoever can
//! send events in their name, such as the homeserver, can send a message of theirs once more.
//!
//! Each message has a number in its session, which is readable only in the ciphertext, and the SDK drops that. So the
//! bot remembers the words of each session, and only if they come again, it looks up the numbers.

use super::Note;
use crate::link::Link;
use crate::trouble::Trouble;
use matrix_sdk::Room;
use matrix_sdk::deserialized_responses::{EncryptionInfo, TimelineEvent};
use matrix_sdk::ruma::EventId;
use matrix_sdk::ruma::api::client::room::get_room_event::v3::Request;
use matrix_sdk::ruma::events::room::encrypted::OriginalSyncRoomEncryptedEvent;
use matrix_sdk::ruma::serde::{Base64, Raw};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The most messages remembered across restarts. A later one with the same remainder takes the place of an earlier one.
const REMEMBERED: u64 = 8_192;
/// The most messages remembered that may not be stored yet.
const RECENT: usize = 4_096;
/// The most numbers remembered for the same words in one session.
const NUMBERS: usize = 200;

/// The messages with the same words in one session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Said {
    /// The digest of the session and the words.
    of: String,
    /// The latest of them.
    event: String,
    /// Their numbers in the session, as far as they were looked up, each with the beginning of its event's digest.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    numbers: BTreeMap<u32, String>,
}

/// The messages heard lately.
#[derive(Default)]
pub(crate) struct Copies(Mutex<BTreeMap<String, Said>>);

/// The outcome of a look at earlier messages.
pub(super) enum Known {
    /// It is no copy. The note remembers it, if anything is new.
    New(Option<Note>),
    /// It is a copy of an earlier one.
    Copy,
}

/// Looks whether a decrypted message was sent before, as another event.
pub(super) async fn know(link: &Link, room: &Room, info: &EncryptionInfo, event: &TimelineEvent) -> Known {
    let (Some(id), Some(of)) = (event.event_id(), words(info, event)) else { return Known::New(None) };
    let slot = u64::from_str_radix(&of[..8], 16).unwrap_or_default() % REMEMBERED;
    let slot = format!("said/{slot}");
    let said = link.copies.get(&slot).or_else(|| serde_json::from_str(&link.note(&slot)?).ok());
    let said = match said.filter(|said: &Said| said.of == of) {
        None => Said { of, event: id.to_string(), numbers: BTreeMap::new() },
        Some(said) if said.event == id.as_str() => return Known::New(None),
        Some(said) => match compared(link, room, said, &id).await {
            Some(said) => said,
            None => return Known::Copy,
        },
    };
    let note = serde_json::to_string(&said).expect("it has text keys");
    link.copies.put(slot.clone(), said);
    Known::New(Some((slot, Some(note))))
}

/// Compares the number of a message with those of earlier ones with the same words. Returns `None` if it is a copy, or
/// if the homeserver does not show either of them.
async fn compared(link: &Link, room: &Room, mut said: Said, id: &EventId) -> Option<Said> {
    let Number::Is(number) = number(link, room, id, &said.of).await else { return None };
    if said.numbers.is_empty() {
        match self::number(link, room, &EventId::parse(&said.event).ok()?, &said.of).await {
            Number::Is(earlier) => drop(said.numbers.insert(earlier, short(&said.event))),
            Number::TakenBack => {}
            Number::Hidden => return None,
        }
    }
    if said.numbers.insert(number, short(id.as_str())).is_some_and(|event| event != short(id.as_str())) {
        return None;
    }
    while said.numbers.len() > NUMBERS {
        said.numbers.pop_first();
    }
    Some(Said { event: id.to_string(), ..said })
}

/// The number of a message in its session.
enum Number {
    Is(u32),
    /// Its sender took it back, so it has none.
    TakenBack,
    /// The homeserver does not show it, or shows something else.
    Hidden,
}

async fn number(link: &Link, room: &Room, id: &EventId, of: &str) -> Number {
    let shown = super::insist(link, || async move {
        let request = Request::new(room.room_id().to_owned(), id.to_owned());
        link.client.send(request).await.map_err(|error| Trouble::of_http(&error))
    });
    match shown.await {
        Some(answer) => read(link, room, &answer.event.cast_unchecked(), of).await,
        None => Number::Hidden,
    }
}

/// The number of an event, if it is one with these words: what the homeserver shows now may not be what it sent then.
async fn read(link: &Link, room: &Room, event: &Raw<OriginalSyncRoomEncryptedEvent>, of: &str) -> Number {
    let shown: Value = event.deserialize_as_unchecked().unwrap_or_default();
    if shown["content"].as_object().is_some_and(|content| content.is_empty()) {
        return Number::TakenBack;
    }
    let number = shown["content"]["ciphertext"].as_str().and_then(in_ciphertext);
    let session = shown["content"]["session_id"].as_str().unwrap_or_default();
    match number {
        Some(number) if decrypted(link, room, event, session).await.as_deref() == Some(of) => Number::Is(number),
        _ => Number::Hidden,
    }
}

/// The digest of an event's words. A new device may have a session's key only from some message on; then the account's
/// backup is asked for the whole key.
async fn decrypted(
    link: &Link,
    room: &Room,
    event: &Raw<OriginalSyncRoomEncryptedEvent>,
    session: &str,
) -> Option<String> {
    let read = room.decrypt_event(event, None).await.ok()?;
    if let Some(info) = read.encryption_info() {
        return words(info, &read);
    }
    let key = super::insist(link, || async move {
        let key = link.client.encryption().backups().download_room_key(room.room_id(), session).await;
        key.map_err(|error| Trouble::of(&error))
    });
    key.await.filter(|found| *found)?;
    let read = room.decrypt_event(event, None).await.ok()?;
    words(read.encryption_info()?, &read)
}

/// The digest of a session and of the words encrypted in it. What a message relates to may stand outside of the
/// ciphertext, so it does not count.
fn words(info: &EncryptionInfo, event: &TimelineEvent) -> Option<String> {
    let mut read: Value = event.raw().deserialize_as_unchecked().ok()?;
    let mut content = read["content"].take();
    if let Some(content) = content.as_object_mut() {
        content.remove("m.relates_to");
    }
    let words = format!("{}\n{}\n{content}", info.session_id()?, read["type"]);
    Some(digest(&words))
}

fn short(event: &str) -> String {
    digest(event)[..8].to_owned()
}

fn digest(text: &str) -> String {
    Sha256::digest(text.as_bytes())[..16].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The number in a message of Megolm: after the version comes the field 0x08, a number of seven bits per byte.
fn in_ciphertext(ciphertext: &str) -> Option<u32> {
    let bytes: Base64 = Base64::parse(ciphertext).ok()?;
    let [3, 8, rest @ ..] = bytes.as_bytes() else { return None };
    let mut number = 0_u32;
    for (place, byte) in rest.iter().take(5).enumerate() {
        number |= u32::from(byte & 0x7f).checked_shl(7 * u32::try_from(place).ok()?)?;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

impl Copies {
    fn get(&self, slot: &str) -> Option<Said> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(slot).cloned()
    }

    fn put(&self, slot: String, said: Said) {
        let mut recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Those from before are stored by now.
        if recent.len() >= RECENT {
            recent.clear();
        }
        recent.insert(slot, said);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_a_message_is_read_from_its_ciphertext() {
        let of = |bytes: &[u8]| {
            in_ciphertext(&Base64::<matrix_sdk::ruma::serde::base64::Standard>::new(bytes.to_vec()).encode())
        };
        assert_eq!(of(&[3, 8, 0, 0x12, 1]), Some(0));
        assert_eq!(of(&[3, 8, 0xac, 0x02, 0x12, 1]), Some(300));
        assert_eq!(of(&[3, 8, 0xac]), None);
        assert_eq!(of(&[4, 8, 1, 0x12]), None);
        assert_eq!(in_ciphertext("?"), None);
    }
}
