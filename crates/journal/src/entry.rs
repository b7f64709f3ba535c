//! The journal of a table: a hash chain with one entry for each command that rolled dice or changed something.
//!
//! An entry's bytes are its JSON as written here, exported to the letter. Its *parts* (text, answer, dice, facts,
//! record, changes) appear in it only as digests, `SHA-256(salt + JSON)`, each with a salt of 32 bytes. The values and
//! [salts](crate::salt) are stored next to it. So a part can be kept secret, revealed later, or erased, and the chain
//! still verifies. [`crate::stored`] describes the stored form. `hash = SHA-256(previous hash + entry bytes)`, where
//! the first previous hash is 32 zero bytes.
//!
//! Entries are never deleted or reordered. Numbers count up by one. After a crash, numbers that may have been shown but
//! were lost are left out, and the next entry names them.

use crate::change::Changes;
use crate::entropy::Entropy;
use crate::salt::{Name, Salts, Secrets};
use chat::{CharacterId, PlayerId, Role};
use dice::Die;
use dice::fair::MessageKey;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// The newest rules that entries are written under. Each entry names its own, so the chain covers which rules bind it:
///
/// 1. The chain, the digests, the dice and the order of epochs.
/// 2. No dice from a published seed; each message key once, except for edits, whose dice begin with the first
///    version's; no reference to anything missing; a one-sided die takes no word of the stream; players may bind a seed
///    with words.
/// 3. Like 2, and some of the changes are withheld.
/// 4. Like 2 or 3, for one of several entries that a single line made. They follow one another directly.
/// 5. Like 2 or 3, for a line with a `d66`: two dice read as digits. Under all rules before, that is a die of 66 sides.
/// 6. Like 4, for such a line.
pub const RULES: u32 = OF_A_GROUP_WITH_DIGITS;
/// The rules of an entry that withholds nothing, of one that does, and of one in a group. All bind equally, so they may
/// follow each other in any order.
pub const WITHOUT_WITHHELD: u32 = 2;
/// See [`WITHOUT_WITHHELD`].
pub const WITH_WITHHELD: u32 = 3;
/// See [`WITHOUT_WITHHELD`].
pub const OF_A_GROUP: u32 = 4;
/// The rules of an entry whose line has a `d66`, and of one of these in a group.
pub const WITH_DIGITS: u32 = 5;
/// See [`WITH_DIGITS`].
pub const OF_A_GROUP_WITH_DIGITS: u32 = 6;

/// The most command lines of one message that are played.
pub const MOST_LINES: usize = 5;

/// Entries that one line can make: it is played for so many characters.
pub const MOST_IN_A_GROUP: usize = 12;

/// The ordinal of a command in its message's keys: `line` counts from 1, and `place` is its place among the commands that a
/// single line stands for, from 1, or 0 if the line is one command.
pub fn ordinal(line: u32, place: u32) -> u32 {
    line + place * MOST_LINES as u32
}

/// The line that a command of this [`ordinal`] is from, and its place there.
pub fn line_and_place(ordinal: u32) -> (u32, u32) {
    let (most, before) = (MOST_LINES as u32, ordinal.saturating_sub(1));
    (before % most + 1, before / most)
}

/// The name that entries use instead of a game for the table itself.
pub const HOUSE: &str = "table";

/// The most numbers reserved beyond the last entry, and so the most that a crash can leave out at once.
pub const FURTHEST_AHEAD: u64 = 64;

/// A played command, as it appears in the chain.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// Its number, from 1.
    pub number: u64,
    /// See [`RULES`]; an entry without this field was written under the first.
    #[serde(skip_serializing_if = "is_first", default = "first_rules")]
    pub rules: u32,
    /// The first and last of the numbers left out before it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub skipped: Option<(u64, u64)>,
    /// The number of the seed its dice came from, from 1.
    pub epoch: u32,
    /// SHA-256 of that seed, in the first entry of the epoch.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub commitment: Option<String>,
    /// The words that players bound that seed with, in the first entry of the epoch.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub words: Vec<Added>,
    /// The key its dice were derived from, together with the seed.
    pub key: MessageKey,
    /// The player who typed it.
    pub player: PlayerId,
    /// The character who acted.
    pub character: CharacterId,
    /// When it was sent.
    pub time: Timestamp,
    /// The plugin that played it, or `table` for the table's own commands.
    pub game: String,
    /// The command's name, as declared.
    pub command: String,
    /// The roll it follows up on.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub follows: Option<u64>,
    /// The entry it undoes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub undoes: Option<u64>,
    /// The entry it replaces because its message was edited.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub replaces: Option<u64>,
    /// The secret entries it reveals.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub reveals: Vec<u64>,
    /// The entries whose words it erases.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub erases: Vec<u64>,
    /// The epochs whose seeds it publishes.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub publishes: Vec<u32>,
    /// True if only its player and the referees may read its parts.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub secret: bool,
    /// Digests of its parts.
    pub digests: Digests,
}

/// Words with which a player bound a seed after its commitment was known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Added {
    /// The player.
    pub player: PlayerId,
    /// The words.
    pub words: String,
}

/// The value that dice are derived from instead of the seed, if it was bound with these words.
pub fn bound(seed: &[u8; 32], words: &[Added]) -> [u8; 32] {
    let ids: Vec<String> = words.iter().map(|added| added.player.to_string()).collect();
    dice::fair::bound(seed, ids.iter().map(String::as_str).zip(words.iter().map(|added| added.words.as_str())))
}

fn first_rules() -> u32 {
    1
}

fn is_first(rules: &u32) -> bool {
    *rules == first_rules()
}

impl Entry {
    /// True if it is one of several that a single line made.
    pub fn is_of_a_group(&self) -> bool {
        [OF_A_GROUP, OF_A_GROUP_WITH_DIGITS].contains(&self.rules)
    }

    /// Whether the same line made this entry and `before`, the one directly before it.
    pub fn continues(&self, before: &Entry) -> bool {
        let by_number = |key: &MessageKey| key.id.starts_with('#');
        let (key, last) = (&self.key, &before.key);
        let (line, place) = line_and_place(key.ordinal);
        place > 1
            && line_and_place(last.ordinal) == (line, place - 1)
            && self.number == before.number + 1
            && self.player == before.player
            && (&key.network, &key.room) == (&last.network, &last.room)
            && (key.id == last.id || by_number(key) && by_number(last))
    }

    /// True if it acts on other entries, or shows something that cannot be hidden again.
    pub fn is_about_others(&self) -> bool {
        self.undoes.is_some() || self.shows()
    }

    /// True if it revealed or erased something, which cannot be undone.
    pub fn shows(&self) -> bool {
        !self.reveals.is_empty() || !self.erases.is_empty() || !self.publishes.is_empty()
    }
}

/// Digests of an entry's parts, in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digests {
    /// Of the typed text.
    pub text: String,
    /// Of the answer, as plain text.
    pub answer: String,
    /// Of the dice.
    pub dice: String,
    /// Of the facts.
    pub facts: String,
    /// Of the record.
    pub record: String,
    /// Of the changes.
    pub changes: String,
    /// Of the explanation.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub why: Option<String>,
    /// Of the withheld changes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub withheld: Option<String>,
}

impl Digests {
    pub(crate) fn digest(&self, name: Name) -> Option<&str> {
        match name {
            Name::Text => Some(&self.text),
            Name::Answer => Some(&self.answer),
            Name::Dice => Some(&self.dice),
            Name::Facts => Some(&self.facts),
            Name::Record => Some(&self.record),
            Name::Changes => Some(&self.changes),
            Name::Why => self.why.as_deref(),
            Name::Withheld => self.withheld.as_deref(),
        }
    }
}

/// The parts of an entry, as far as they may be known.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Parts {
    /// The typed line as read: typography normalised, prefix removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<Part>,
    /// The answer, as plain text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Part>,
    /// The dice, in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dice: Option<Part>,
    /// The content of the answer, as named values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub facts: Option<Part>,
    /// What a follow-up needs to know; `null` if nothing can follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<Part>,
    /// What changed at the table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<Part>,
    /// The explanation of the result, if the game gives one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<Part>,
    /// Further changes, only for its player and the referees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub withheld: Option<Part>,
    /// The secrets behind the salts. They are in no JSON, so nothing that leaves the store contains them.
    #[serde(skip)]
    pub(crate) secrets: Secrets,
}

impl Parts {
    /// The size of the known parts in bytes.
    pub fn bytes(&self) -> usize {
        Name::ALL.iter().filter_map(|name| self.part(*name)).map(|part| part.value.get().len()).sum()
    }

    /// Erases the words, and everything from which their salts could be made again. Their digests stay in the entry.
    pub fn forget_words(&mut self) {
        (self.text, self.answer, self.why) = (None, None, None);
        self.secrets.words = None;
    }

    pub(crate) fn part(&self, name: Name) -> Option<&Part> {
        match name {
            Name::Text => self.text.as_ref(),
            Name::Answer => self.answer.as_ref(),
            Name::Dice => self.dice.as_ref(),
            Name::Facts => self.facts.as_ref(),
            Name::Record => self.record.as_ref(),
            Name::Changes => self.changes.as_ref(),
            Name::Why => self.why.as_ref(),
            Name::Withheld => self.withheld.as_ref(),
        }
    }
}

/// A value and the salt of its digest. The JSON is preserved to the letter.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// 32 bytes in hexadecimal.
    pub salt: String,
    /// The value's JSON.
    pub value: Box<RawValue>,
    /// True if the salt derives from a secret of the entry.
    #[serde(skip)]
    pub(crate) made: bool,
}

/// An entry's bytes, its place in the chain, and its parts, as stored and exported.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// The chain's hash up to and including this entry, in hexadecimal.
    pub hash: String,
    /// The entry's bytes.
    pub entry: Box<RawValue>,
    /// Its parts.
    #[serde(default)]
    pub parts: Parts,
    /// What later entries did to it. This repeats what they say, and is not exported.
    #[serde(default, skip_serializing_if = "Fate::is_open")]
    pub fate: Fate,
    /// Links to earlier entries, and the role this one took; not exported.
    #[serde(default, skip_serializing_if = "Before::is_first")]
    pub before: Before,
}

/// What happened to an entry: the numbers of the entries that did it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fate {
    /// The entry that undid it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub undone_by: Option<u64>,
    /// The entry that replaced it because its message was edited.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub replaced_by: Option<u64>,
    /// The entry that revealed it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub revealed_by: Option<u64>,
    /// The entry that erased its words.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub erased_by: Option<u64>,
}

impl Fate {
    fn is_open(&self) -> bool {
        *self == Fate::default()
    }
}

/// Earlier entries related to an entry, and what only the bot needs to know about it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Before {
    /// The previous entry of the same player.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub player: Option<u64>,
    /// The previous entry of the same character.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub character: Option<u64>,
    /// The role the command needed; unknown if an older version played it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub took: Option<Role>,
    /// The last entry under another id that the player continues with this entry.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub also: Option<u64>,
}

impl Before {
    fn is_first(&self) -> bool {
        *self == Before::default()
    }
}

/// The content of an entry before it is sealed.
#[derive(Debug)]
pub struct Draft<'a> {
    /// See [`Parts::text`].
    pub text: &'a str,
    /// See [`Parts::answer`].
    pub answer: &'a str,
    /// See [`Parts::dice`].
    pub dice: &'a [Die],
    /// See [`Parts::facts`].
    pub facts: &'a Map<String, Value>,
    /// See [`Parts::record`].
    pub record: Option<&'a Value>,
    /// See [`Parts::changes`].
    pub changes: &'a Changes,
    /// See [`Parts::why`].
    pub why: &'a [String],
    /// See [`Parts::withheld`].
    pub withheld: &'a Changes,
}

impl Draft<'_> {
    /// Salts and digests the parts.
    pub fn seal(&self, entropy: &mut Entropy) -> (Digests, Parts) {
        let secrets = Secrets::new(entropy);
        let salts = Salts::of(&secrets);
        let seal = |name, value| Part::made(&salts, name, value).expect("both secrets are there");
        let (text, text_digest) = seal(Name::Text, raw(self.text));
        let (answer, answer_digest) = seal(Name::Answer, raw(self.answer));
        let (dice, dice_digest) = seal(Name::Dice, raw(self.dice));
        let (facts, facts_digest) = seal(Name::Facts, raw(self.facts));
        let (record, record_digest) = seal(Name::Record, raw(&self.record));
        let (changes, changes_digest) = seal(Name::Changes, raw(self.changes));
        let (why, why_digest) = (!self.why.is_empty()).then(|| seal(Name::Why, raw(self.why))).unzip();
        let withheld = (!self.withheld.is_empty()).then(|| seal(Name::Withheld, raw(self.withheld)));
        let (withheld, withheld_digest) = withheld.unzip();
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
        let [text, answer, dice, facts, record, changes] = [text, answer, dice, facts, record, changes].map(Some);
        (digests, Parts { text, answer, dice, facts, record, changes, why, withheld, secrets })
    }
}

impl Part {
    /// Pairs a value with the salt derived from a secret, if there is one, and returns the digest for the entry too.
    pub(crate) fn made(salts: &Salts, name: Name, value: Box<RawValue>) -> Option<(Self, String)> {
        let (part, digest) = Part::sealed(salts.salt(name)?, value);
        Some((Part { made: true, ..part }, digest))
    }

    /// Pairs a value with a salt of its own, and returns the digest for the entry too.
    pub(crate) fn sealed(salt: [u8; 32], value: Box<RawValue>) -> (Self, String) {
        let digest = hex(&Sha256::new().chain_update(salt).chain_update(value.get()).finalize());
        (Part { salt: hex(&salt), value, made: false }, digest)
    }

    /// The digest for the entry.
    pub fn digest(&self) -> Option<String> {
        let salt = unhex(&self.salt)?;
        Some(hex(&Sha256::new().chain_update(salt).chain_update(self.value.get()).finalize()))
    }
}

impl Link {
    /// Appends `entry` with its parts to the chain that ended in `previous`.
    pub fn new(previous: &str, entry: &Entry, parts: Parts, before: Before) -> Self {
        let entry = raw(entry);
        Link { hash: chain(previous, entry.get()), entry, parts, fate: Fate::default(), before }
    }
}

/// The hash before the first entry.
pub fn first_hash() -> String {
    "0".repeat(64)
}

/// The hash after appending an entry with these bytes to the chain that ended in `previous`.
pub(crate) fn chain(previous: &str, entry: &str) -> String {
    let previous = unhex(previous).unwrap_or_default();
    hex(&Sha256::new().chain_update(previous).chain_update(entry).finalize())
}

pub(crate) fn raw(value: &(impl Serialize + ?Sized)) -> Box<RawValue> {
    to_raw_value(value).expect("journal values have text keys and finite numbers")
}

/// SHA-256 of `bytes` in hexadecimal.
pub fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Bytes as lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = vec![0; bytes.len() * 2];
    for (pair, byte) in text.as_chunks_mut().0.iter_mut().zip(bytes) {
        *pair = [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]];
    }
    String::from_utf8(text).expect("digits are text")
}

/// Decodes lower-case hexadecimal; `None` if it is not well-formed.
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    let value = |digit| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    let (pairs, odd) = text.as_bytes().as_chunks();
    let bytes = pairs.iter().map(|[high, low]| Some(value(*high)? << 4 | value(*low)?));
    if odd.is_empty() { bytes.collect() } else { None }
}

#[cfg(test)]
mod tests {
    use super::{hex, unhex};

    #[test]
    fn every_byte_is_two_digits_and_nothing_else_is_decoded() {
        let bytes: Vec<u8> = (0..=255).collect();
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex(&bytes), digits);
        assert_eq!(unhex(&digits), Some(bytes));
        for wrong in ["0", "0A", "0g", "+1", "0é", "é"] {
            assert_eq!(unhex(wrong), None, "{wrong}");
        }
    }
}
