//! Fair dice: every die is a function of the table's secret seed and of the message that asked for it.
//!
//! Playing a message again, after a crash or from an old backup, gives the same dice. So nobody gets new dice by
//! crashing, retrying or editing, and once a seed is published, anyone can recompute every roll.
//!
//! # The specification
//!
//! 1. **Key of a command.** Four texts: the network, the room, the message's id, and the ordinal of the command in its
//!    message (decimal digits, from 1). Each is written as the number of its UTF-8 bytes, a 32-bit big-endian integer,
//!    followed by those bytes; the four are concatenated.
//! 2. **Stream.** HMAC-SHA-256 with the table's 32-byte seed as its key and the key of the command as its message gives
//!    32 bytes: the key of ChaCha20 (20 rounds, RFC 8439), nonce 0, block counter from 0.
//! 3. **Words.** The key stream is read as 32-bit little-endian words, in order.
//! 4. **A die of `s` sides** (1 to 2^32 - 1) takes words until one is below `floor(2^32 / s) * s`; that word `w` shows
//!    the face `w mod s + 1`. A die of one side takes no word, so no word is spent on a certain result. (In journal
//!    entries under the first rules it takes one.) No face is likelier than another.
//! 5. **Commitment.** SHA-256 of the seed's 32 bytes, which may be shown before the seed is.
//! 6. **Players' words.** Players may bind a seed with words once its commitment is known. Then step 2 uses, instead of
//!    the seed, HMAC-SHA-256 with the seed as its key. Its message is the text `words` and, for each player who added
//!    words, in order, their id and their words, written as in step 1.
//!
//! # Test vectors
//!
//! Seed `000102..1f`, network `console`, room `hall`, id `m-1`, ordinal `1`; computed by a second program that was
//! written from this page. These never change:
//!
//! ```
//! use dice::{Dice, fair::{FairDice, MessageKey, commitment}};
//!
//! let seed: [u8; 32] = std::array::from_fn(|i| i as u8);
//! let key = MessageKey { network: "console".into(), room: "hall".into(), id: "m-1".into(), ordinal: 1 };
//! let throw = |sides| { let mut dice = FairDice::new(&seed, &key); [(); 8].map(|()| dice.throw(sides).unwrap()) };
//!
//! assert_eq!(throw(6), [2, 2, 4, 5, 2, 4, 5, 6]);
//! assert_eq!(throw(20), [6, 20, 16, 5, 4, 20, 17, 6]);
//! // Three words in ten are passed over here.
//! assert_eq!(
//!     throw(3_000_000_000),
//!     [2614767440, 2467319564, 2518989700, 2496983357, 789451746, 1328522493, 1234651621, 1214264046],
//! );
//! assert_eq!(throw(1), [1; 8]);
//! assert_eq!(commitment(&seed), "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd");
//! ```
//!
//! # How even they are
//!
//! `cargo run --release -p dice --example chi_square` rolls 10^8 dice with a fixed seed and prints for each kind of die
//! how far its counts are from even. Fair dice exceed the bound once in 1,000 times. It printed:
//!
//! ```text
#![doc = include_str!("../examples/chi_square.txt")]
//! ```

use crate::source::{Dice, DiceError};
use hmac::{Hmac, KeyInit, Mac};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Identifies a command: no two commands of a table share a key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct MessageKey {
    /// The network's name, as the operator gave it.
    pub network: String,
    /// The room's id on that network.
    pub room: String,
    /// The message's id: an event id, a msgid, or a connection's nonce and the line's number.
    pub id: String,
    /// Which command of the message, from 1.
    pub ordinal: u32,
}

impl MessageKey {
    /// The bytes described by step 1 of the specification.
    pub fn to_bytes(&self) -> Vec<u8> {
        joined([&self.network, &self.room, &self.id, self.ordinal.to_string().as_str()])
    }
}

/// Concatenates texts, each after its length.
fn joined<'a>(parts: impl IntoIterator<Item = &'a str>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for part in parts {
        let length = u32::try_from(part.len()).expect("a name or an id is shorter than 4 GiB");
        bytes.extend_from_slice(&length.to_be_bytes());
        bytes.extend_from_slice(part.as_bytes());
    }
    bytes
}

fn hmac(key: &[u8; 32], message: &[u8]) -> [u8; 32] {
    let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(key).expect("HMAC takes a key of any length");
    mac.update(message);
    mac.finalize().into_bytes().into()
}

/// The value used instead of the seed once players have bound it with their words, given as `(id, words)` in order.
/// Whoever chose the seed did not know the words. Without words it is the seed itself.
pub fn bound<'a>(seed: &[u8; 32], words: impl IntoIterator<Item = (&'a str, &'a str)>) -> [u8; 32] {
    let mut parts = vec!["words"];
    parts.extend(words.into_iter().flat_map(|(id, words)| [id, words]));
    // An odd number of texts cannot be a command's key.
    if parts.len() == 1 { *seed } else { hmac(seed, &joined(parts)) }
}

/// SHA-256 of a seed in lower-case hexadecimal; it may be shown while the seed is secret.
pub fn commitment(seed: &[u8; 32]) -> String {
    Sha256::digest(seed).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The stream of dice of one command.
pub struct FairDice {
    stream: ChaCha20Rng,
    ones: Ones,
}

/// What a die of one side takes from the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ones {
    /// Nothing.
    TakeNoWord,
    /// A word, like any other die: the original rule.
    TakeAWord,
}

impl FairDice {
    /// The stream that `seed` and `key` determine.
    pub fn new(seed: &[u8; 32], key: &MessageKey) -> Self {
        FairDice::with(Ones::TakeNoWord, seed, key)
    }

    /// The same, with a choice of what a die of one side takes.
    pub fn with(ones: Ones, seed: &[u8; 32], key: &MessageKey) -> Self {
        FairDice { stream: ChaCha20Rng::from_seed(hmac(seed, &key.to_bytes())), ones }
    }
}

impl Dice for FairDice {
    fn throw(&mut self, sides: u32) -> Result<u32, DiceError> {
        if sides == 0 {
            return Err(DiceError::NoSides);
        }
        if sides == 1 && self.ones == Ones::TakeNoWord {
            return Ok(1);
        }
        // Words from `even` up would favour the low faces. `even` is 2^32 if `sides` divides it.
        let even = (1 << 32) / u64::from(sides) * u64::from(sides);
        loop {
            let word = self.stream.next_u32();
            if u64::from(word) < even {
                return Ok(word % sides + 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(id: &str, ordinal: u32) -> MessageKey {
        MessageKey { network: "n".into(), room: "r".into(), id: id.into(), ordinal }
    }

    fn first(seed: &[u8; 32], key: &MessageKey) -> Vec<u32> {
        let mut dice = FairDice::new(seed, key);
        (0..16).map(|_| dice.throw(1_000_000).unwrap()).collect()
    }

    #[test]
    fn the_stream_is_chacha20_with_counter_and_nonce_zero() {
        // RFC 8439, appendix A.1, test vector 1: the first word of the key stream for an all-zero key.
        let mut stream = ChaCha20Rng::from_seed([0; 32]);
        assert_eq!(stream.next_u32().to_le_bytes(), [0x76, 0xb8, 0xe0, 0xad]);
    }

    #[test]
    fn keys_that_join_alike_are_told_apart() {
        let a = MessageKey { network: "ab".into(), room: "c".into(), id: "1".into(), ordinal: 11 };
        let b = MessageKey { network: "a".into(), room: "bc".into(), id: "11".into(), ordinal: 1 };
        assert_ne!(a.to_bytes(), b.to_bytes());
    }

    #[test]
    fn words_bind_a_seed_in_their_order_and_none_leave_it_as_it_is() {
        let of = |words: &[(&str, &str)]| bound(&[7; 32], words.iter().copied());
        assert_eq!(of(&[]), [7; 32]);
        let all = [of(&[("a", "x")]), of(&[("a", "y")]), of(&[("ax", "")]), of(&[("a", "x"), ("b", "y")])];
        let all: std::collections::BTreeSet<_> =
            all.into_iter().chain([of(&[("b", "y"), ("a", "x")]), [7; 32]]).collect();
        assert_eq!(all.len(), 6);
    }

    #[test]
    fn same_message_same_dice_and_any_other_message_other_dice() {
        let seed = [7; 32];
        assert_eq!(first(&seed, &key("a", 1)), first(&seed, &key("a", 1)));
        assert_ne!(first(&seed, &key("a", 1)), first(&seed, &key("a", 2)));
        assert_ne!(first(&seed, &key("a", 1)), first(&seed, &key("b", 1)));
        assert_ne!(first(&seed, &key("a", 1)), first(&[8; 32], &key("a", 1)));
    }

    #[test]
    fn dice_of_one_side_and_of_none_take_no_word_but_once_those_of_one_did() {
        let dice = |ones| FairDice::with(ones, &[1; 32], &key("a", 1));
        let (mut with, mut without) = (dice(Ones::TakeNoWord), dice(Ones::TakeNoWord));
        assert_eq!(with.throw(1), Ok(1));
        assert_eq!(with.throw(0), Err(DiceError::NoSides));
        let mut old = dice(Ones::TakeAWord);
        assert_eq!(old.throw(1), Ok(1));
        let (first, second) = (without.throw(u32::MAX), without.throw(u32::MAX));
        assert_eq!(with.throw(u32::MAX), first);
        assert_eq!(old.throw(u32::MAX), second);
    }
}
