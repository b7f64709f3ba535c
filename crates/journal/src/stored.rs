//! The stored form of an entry with its parts. Whatever can be computed is left out.
//!
//! The first byte tells the form. `{` begins the JSON of a [`Link`], which versions before schema 4 wrote and which a
//! [backup](crate::backup) contains. The byte 1 begins the compact form, a [`Compact`] as written by `postcard`:
//! without field names, without digests that follow from a part, with two secrets instead of eight salts, and with
//! bytes instead of hexadecimal. A roll takes a fifth of the space of its JSON.
//!
//! The chain and the digests cover the JSON of the entry and of the parts. So an entry is stored compactly only if
//! reading it back gives the same bytes, which is checked each time; otherwise its JSON is stored. The output of
//! `postcard` does not describe itself. A new field, or another order, needs another first byte, and this form must
//! stay readable for ever.

use crate::documents::{from_json, to_json};
use crate::entry::{Added, Digests, raw, unhex};
use crate::salt::{Name, Salts, Secret, Secrets};
use crate::store::StoreError;
use crate::{Before, Entry, Fate, Link, Page, Part, Parts, hex};
use chat::{CharacterId, PlayerId, Role};
use dice::Die;
use dice::fair::MessageKey;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// The first bytes of the compact form and of JSON.
const COMPACT: u8 = 1;
const JSON: u8 = b'{';

impl Page {
    /// The stored form: compact if that reads back the same, else JSON.
    pub fn to_stored(&self) -> Vec<u8> {
        let written = write(self).filter(|bytes| read(&bytes[1..]).is_ok_and(|back| same(&back.link, &self.link)));
        written.unwrap_or_else(|| to_json(&self.link))
    }

    /// Reads the record stored under `key`, in either form.
    ///
    /// # Errors
    /// It is damaged.
    pub fn of_stored(key: &str, record: &[u8]) -> Result<Self, StoreError> {
        match record.split_first() {
            Some((&COMPACT, compact)) => read(compact).map_err(|what| StoreError::damaged(key, what)),
            Some((&JSON, _)) => {
                let link: Link = from_json(key, record)?;
                Ok(Page { entry: from_json(key, link.entry.get().as_bytes())?, link })
            }
            _ => Err(StoreError::damaged(key, "it begins as no entry does")),
        }
    }
}

/// An entry's record as JSON, which every version can read.
///
/// # Errors
/// It is damaged.
pub(crate) fn as_json(key: &str, record: Vec<u8>) -> Result<Vec<u8>, StoreError> {
    match record.first() {
        Some(&COMPACT) => Page::of_stored(key, &record).map(|page| to_json(&page.link)),
        _ => Ok(record),
    }
}

/// The stored form of an entry given as JSON; unchanged if it cannot be read.
pub(crate) fn of_json(key: &str, json: &[u8]) -> Vec<u8> {
    Page::of_stored(key, json).map_or_else(|_| json.to_vec(), |page| page.to_stored())
}

/// An entry with its parts, in stored order.
#[derive(Serialize, Deserialize)]
struct Compact<'a> {
    hash: [u8; 32],
    entry: Fields<'a>,
    words: Option<Secret>,
    rest: Option<Secret>,
    parts: [Kept<'a>; Name::ALL.len()],
    fate: Fated,
    before: (Option<u64>, Option<u64>, Option<Role>, Option<u64>),
}

/// What is stored of a part.
#[derive(Serialize, Deserialize)]
enum Kept<'a> {
    /// The entry has none.
    Nothing,
    /// The digest of an erased part.
    Digest([u8; 32]),
    /// Its JSON. The salt derives from a secret of the entry.
    Value(Cow<'a, str>),
    /// A salt that derives from no secret, and the JSON.
    Salted([u8; 32], Cow<'a, str>),
    /// Like [`Kept::Value`], for dice, which may be many.
    Dice(Vec<Die>),
}

/// An [`Entry`] without its digests.
#[derive(Serialize, Deserialize)]
struct Fields<'a> {
    number: u64,
    rules: u32,
    skipped: Option<(u64, u64)>,
    epoch: u32,
    commitment: Option<Cow<'a, str>>,
    words: Cow<'a, [Added]>,
    key: Cow<'a, MessageKey>,
    player: Cow<'a, PlayerId>,
    character: CharacterId,
    /// Seconds, and nanoseconds of the same sign.
    time: (i64, i32),
    game: Cow<'a, str>,
    command: Cow<'a, str>,
    follows: Option<u64>,
    undoes: Option<u64>,
    replaces: Option<u64>,
    reveals: Cow<'a, [u64]>,
    erases: Cow<'a, [u64]>,
    publishes: Cow<'a, [u32]>,
    secret: bool,
}

/// A [`Fate`].
#[derive(Serialize, Deserialize)]
struct Fated {
    undone_by: Option<u64>,
    replaced_by: Option<u64>,
    revealed_by: Option<u64>,
    erased_by: Option<u64>,
}

/// The compact form, if there is one.
fn write(page: &Page) -> Option<Vec<u8>> {
    let Page { entry, link } = page;
    let Parts { secrets, .. } = &link.parts;
    let mut compact = Compact {
        hash: bytes(&link.hash)?,
        entry: Fields::of(entry),
        words: None,
        rest: None,
        parts: std::array::from_fn(|_| Kept::Nothing),
        fate: Fated::of(&link.fate),
        before: (link.before.player, link.before.character, link.before.took, link.before.also),
    };
    for (kept, name) in compact.parts.iter_mut().zip(Name::ALL) {
        *kept = match (link.parts.part(name), entry.digests.digest(name)) {
            (Some(part), _) => Kept::of(name, part)?,
            (None, Some(digest)) => Kept::Digest(bytes(digest)?),
            (None, None) => Kept::Nothing,
        };
        // A secret is stored only while some part needs it; so that of erased words is dropped even if it was left
        // behind.
        match kept {
            Kept::Value(_) | Kept::Dice(_) if name.is_words() => compact.words = secrets.words,
            Kept::Value(_) | Kept::Dice(_) => compact.rest = secrets.rest,
            Kept::Nothing | Kept::Digest(_) | Kept::Salted(..) => {}
        }
    }
    postcard::to_extend(&compact, vec![COMPACT]).ok()
}

/// Reads the compact form after its first byte.
fn read(record: &[u8]) -> Result<Page, String> {
    let (compact, behind): (Compact, _) = postcard::take_from_bytes(record).map_err(|error| error.to_string())?;
    if !behind.is_empty() {
        return Err("there is more after its end".to_owned());
    }
    let Compact { hash, entry, words, rest, parts, fate, before } = compact;
    let secrets = Secrets { words, rest };
    let (digests, parts) = unsealed(parts, secrets)?;
    let entry = entry.into_entry(digests)?;
    let (player, character, took, also) = before;
    let before = Before { player, character, took, also };
    let link = Link { hash: hex(&hash), entry: raw(&entry), parts, fate: fate.into(), before };
    Ok(Page { entry, link })
}

/// The parts with their salts, and all digests.
fn unsealed(kept: [Kept; Name::ALL.len()], secrets: Secrets) -> Result<(Digests, Parts), String> {
    let salts = Salts::of(&secrets);
    let mut kept = Name::ALL.into_iter().zip(kept);
    let mut next = || kept.next().map_or(Ok((None, None)), |(name, kept)| kept.unsealed(name, &salts));
    let sealed = |(part, digest): (Option<Part>, Option<String>)| Ok((part, digest.ok_or("a digest is missing")?));
    let (text, text_digest) = next().and_then(sealed)?;
    let (answer, answer_digest) = next().and_then(sealed)?;
    let (dice, dice_digest) = next().and_then(sealed)?;
    let (facts, facts_digest) = next().and_then(sealed)?;
    let (record, record_digest) = next().and_then(sealed)?;
    let (changes, changes_digest) = next().and_then(sealed)?;
    let (why, why_digest) = next()?;
    let (withheld, withheld_digest) = next()?;
    let digests = Digests {
        text: text_digest,
        answer: answer_digest,
        dice: dice_digest,
        facts: facts_digest,
        record: record_digest,
        changes: changes_digest,
        why: why_digest,
        withheld: withheld_digest,
    };
    Ok((digests, Parts { text, answer, dice, facts, record, changes, why, withheld, secrets }))
}

impl<'a> Kept<'a> {
    /// What is stored of a known part; `None` if its salt is malformed.
    fn of(name: Name, part: &'a Part) -> Option<Self> {
        let Part { salt, value, made } = part;
        let value = value.get();
        Some(match name {
            _ if !made => Kept::Salted(bytes(salt)?, value.into()),
            Name::Dice => serde_json::from_str(value).map_or_else(|_| Kept::Value(value.into()), Kept::Dice),
            _ => Kept::Value(value.into()),
        })
    }

    /// The part with its salt, and its digest, as far as they are there.
    fn unsealed(self, name: Name, salts: &Salts) -> Result<(Option<Part>, Option<String>), String> {
        let json = |text: Cow<str>| {
            RawValue::from_string(text.into_owned()).map_err(|error| format!("a part is no JSON: {error}"))
        };
        let made = |value| Part::made(salts, name, value).ok_or("the secret of its salts is missing");
        let (part, digest) = match self {
            Kept::Nothing => return Ok((None, None)),
            Kept::Digest(digest) => return Ok((None, Some(hex(&digest)))),
            Kept::Value(value) => made(json(value)?)?,
            Kept::Salted(salt, value) => Part::sealed(salt, json(value)?),
            Kept::Dice(dice) => made(raw(&dice))?,
        };
        Ok((Some(part), Some(digest)))
    }
}

impl<'a> Fields<'a> {
    fn of(entry: &'a Entry) -> Self {
        Fields {
            number: entry.number,
            rules: entry.rules,
            skipped: entry.skipped,
            epoch: entry.epoch,
            commitment: entry.commitment.as_deref().map(Cow::Borrowed),
            words: Cow::Borrowed(&entry.words),
            key: Cow::Borrowed(&entry.key),
            player: Cow::Borrowed(&entry.player),
            character: entry.character,
            time: (entry.time.as_second(), entry.time.subsec_nanosecond()),
            game: Cow::Borrowed(&entry.game),
            command: Cow::Borrowed(&entry.command),
            follows: entry.follows,
            undoes: entry.undoes,
            replaces: entry.replaces,
            reveals: Cow::Borrowed(&entry.reveals),
            erases: Cow::Borrowed(&entry.erases),
            publishes: Cow::Borrowed(&entry.publishes),
            secret: entry.secret,
        }
    }

    fn into_entry(self, digests: Digests) -> Result<Entry, String> {
        let (seconds, nanoseconds) = self.time;
        Ok(Entry {
            number: self.number,
            rules: self.rules,
            skipped: self.skipped,
            epoch: self.epoch,
            commitment: self.commitment.map(Cow::into_owned),
            words: self.words.into_owned(),
            key: self.key.into_owned(),
            player: self.player.into_owned(),
            character: self.character,
            time: Timestamp::new(seconds, nanoseconds).map_err(|error| error.to_string())?,
            game: self.game.into_owned(),
            command: self.command.into_owned(),
            follows: self.follows,
            undoes: self.undoes,
            replaces: self.replaces,
            reveals: self.reveals.into_owned(),
            erases: self.erases.into_owned(),
            publishes: self.publishes.into_owned(),
            secret: self.secret,
            digests,
        })
    }
}

impl Fated {
    fn of(fate: &Fate) -> Self {
        let Fate { undone_by, replaced_by, revealed_by, erased_by } = *fate;
        Fated { undone_by, replaced_by, revealed_by, erased_by }
    }
}

impl From<Fated> for Fate {
    fn from(fated: Fated) -> Self {
        let Fated { undone_by, replaced_by, revealed_by, erased_by } = fated;
        Fate { undone_by, replaced_by, revealed_by, erased_by }
    }
}

/// Decodes 32 bytes of hexadecimal.
fn bytes(text: &str) -> Option<[u8; 32]> {
    unhex(text)?.try_into().ok()
}

/// True if two links have the same JSON.
fn same(a: &Link, b: &Link) -> bool {
    let part = |name: &Name| match (a.parts.part(*name), b.parts.part(*name)) {
        (Some(a), Some(b)) => a.salt == b.salt && a.value.get() == b.value.get(),
        (a, b) => a.is_none() && b.is_none(),
    };
    a.hash == b.hash
        && a.entry.get() == b.entry.get()
        && a.fate == b.fate
        && a.before == b.before
        && Name::ALL.iter().all(part)
}

#[cfg(test)]
mod tests;
