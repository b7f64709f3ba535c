//! Where the salts of an entry's parts come from: two secrets of 16 random bytes that belong to this entry alone.
//!
//! One secret is for the words (the typed line, the answer and the explanation), which can be erased; the other is for
//! all other parts. A part's salt is HMAC-SHA-256 with the secret as its key and `astragal salt NAME` as its message.
//!
//! # What known salts reveal about hidden parts
//!
//! Nothing. HMAC-SHA-256 is a pseudorandom function: anyone who has the salts of some parts but not the secret cannot
//! tell the salt of another part from 32 random bytes, and finding the secret would take 2^128 tries. That is why the
//! secrets never leave the store: exports, files that move a table and backups contain only the salts of the parts that
//! are in them. So a withheld part, though its secret also salts the dice that everybody sees, is as safe as with a
//! salt of its own.
//!
//! The secrets derive from nothing. If they came from the table's seed, then once it is published, anyone could try
//! words against the digests of secret and erased parts. If they came from a secret of the table, every backup would
//! contain it, and salts erased since then could be made again. Erasing destroys the secret of the words along with the
//! words.

use crate::entropy::Entropy;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The secret behind the salts of some parts of one entry.
pub(crate) type Secret = [u8; 16];

/// The names of an entry's parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    Text,
    Answer,
    Dice,
    Facts,
    Record,
    Changes,
    Why,
    Withheld,
}

impl Name {
    /// All names, in the order they are written.
    pub const ALL: [Name; 8] =
        [Name::Text, Name::Answer, Name::Dice, Name::Facts, Name::Record, Name::Changes, Name::Why, Name::Withheld];

    /// True if it is one of the words, which can be erased.
    pub fn is_words(self) -> bool {
        matches!(self, Name::Text | Name::Answer | Name::Why)
    }

    /// The label from which its salt derives, together with the secret. It never changes, because stored entries depend
    /// on it.
    fn label(self) -> &'static str {
        match self {
            Name::Text => "astragal salt text",
            Name::Answer => "astragal salt answer",
            Name::Dice => "astragal salt dice",
            Name::Facts => "astragal salt facts",
            Name::Record => "astragal salt record",
            Name::Changes => "astragal salt changes",
            Name::Why => "astragal salt why",
            Name::Withheld => "astragal salt withheld",
        }
    }
}

/// The secrets of an entry, as far as they are kept. Entries of older versions, and those that came in a file, have
/// salts that do not derive from secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Secrets {
    /// For the parts that can be erased.
    pub words: Option<Secret>,
    /// For all other parts.
    pub rest: Option<Secret>,
}

impl Secrets {
    /// Makes the secrets of a new entry.
    pub fn new(entropy: &mut Entropy) -> Self {
        let bytes = entropy.secret();
        let half = |from: usize| std::array::from_fn(|at| bytes[from + at]);
        Secrets { words: Some(half(0)), rest: Some(half(16)) }
    }
}

/// Derives salts from secrets.
pub(crate) struct Salts {
    words: Option<Hmac<Sha256>>,
    rest: Option<Hmac<Sha256>>,
}

impl Salts {
    pub fn of(secrets: &Secrets) -> Self {
        let keyed = |secret: Secret| {
            <Hmac<Sha256> as KeyInit>::new_from_slice(&secret).expect("HMAC takes a key of any length")
        };
        Salts { words: secrets.words.map(keyed), rest: secrets.rest.map(keyed) }
    }

    /// The salt of a part, if its secret is there.
    pub fn salt(&self, name: Name) -> Option<[u8; 32]> {
        let keyed = if name.is_words() { &self.words } else { &self.rest };
        let mut mac = keyed.clone()?;
        mac.update(name.label().as_bytes());
        Some(mac.finalize().into_bytes().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hex;
    use std::collections::BTreeSet;

    /// Computed by a second program. Stored entries must give the same salts for ever.
    #[test]
    fn salts_never_change() {
        let secrets = Secrets { words: Some(std::array::from_fn(|at| at as u8)), rest: Some([0xff; 16]) };
        let salts = Salts::of(&secrets);
        let salt = |name| hex(&salts.salt(name).unwrap());
        assert_eq!(salt(Name::Text), "11f4f40954b243e675457ac8b619738f603c0e2e7747e7dee872368db7d60785");
        assert_eq!(salt(Name::Why), "5a799a57b7edd64a594a1101590b21c05711cae233b653dc8174beccd953a437");
        assert_eq!(salt(Name::Dice), "eb966ae0cb10a7388fdeda30e7be2c9aef880865ae335c614ffc2affe93c2726");
        assert_eq!(salt(Name::Withheld), "fb4c24312927eb8b04364a546dd5bd4643db51c5bb4890a64bf7863a3ef21216");
    }

    #[test]
    fn every_part_has_a_salt_of_its_own_and_words_none_without_their_secret() {
        let secrets = Secrets::new(&mut Entropy::from_seed([1; 32]));
        assert_ne!(secrets.words, secrets.rest);
        let all: BTreeSet<_> = Name::ALL.map(|name| Salts::of(&secrets).salt(name)).into();
        assert_eq!(all.len(), Name::ALL.len());
        let erased = Salts::of(&Secrets { words: None, ..secrets.clone() });
        for name in Name::ALL {
            let left = erased.salt(name);
            assert_eq!(left, Salts::of(&secrets).salt(name).filter(|_| !name.is_words()), "{name:?}");
        }
    }
}
