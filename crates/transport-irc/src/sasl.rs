//! SASL: proves who the bot is before it joins (EXTERNAL, SCRAM-SHA-256, PLAIN). Knows no IRC.

use crate::settings::Settings;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

/// The fewest rounds of hashing that a server may ask for; with fewer, the server could guess the password (RFC 7677,
/// section 4).
const FEWEST_ROUNDS: u32 = 4_096;
const MOST_ROUNDS: u32 = 500_000;

/// The way to prove it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mechanism {
    /// By the client certificate of the link.
    External,
    /// By password, which is never sent (RFC 7677).
    ScramSha256,
    /// By sending the password.
    Plain,
}

impl Mechanism {
    /// The mechanisms possible with these settings, the best first.
    pub fn possible(settings: &Settings) -> Vec<Self> {
        let mut possible = Vec::new();
        if settings.client_cert.is_some() {
            possible.push(Mechanism::External);
        }
        if settings.account.is_some() && settings.account_password.is_some() {
            possible.extend([Mechanism::ScramSha256, Mechanism::Plain]);
        }
        possible
    }

    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Mechanism::External => "EXTERNAL",
            Mechanism::ScramSha256 => "SCRAM-SHA-256",
            Mechanism::Plain => "PLAIN",
        }
    }
}

/// A proof in progress.
#[derive(Debug)]
pub struct Exchange {
    account: String,
    password: String,
    nonce: String,
    step: Step,
}

#[derive(Debug)]
enum Step {
    External,
    Plain,
    ScramFirst,
    /// The first message, without its header.
    ScramProof(String),
    /// The signature that the server must show.
    ScramVerify([u8; 32]),
    Done,
    /// The server did not keep to the protocol.
    Failed,
    /// The server did what no server does that knows the password.
    Faked,
}

impl Exchange {
    /// Starts a proof; `nonce` is fresh randomness.
    pub fn new(mechanism: Mechanism, settings: &Settings, nonce: &str) -> Self {
        let step = match mechanism {
            Mechanism::External => Step::External,
            Mechanism::ScramSha256 => Step::ScramFirst,
            Mechanism::Plain => Step::Plain,
        };
        let password = settings.account_password.as_ref().map_or("", |password| password.expose());
        Exchange {
            account: settings.account.clone().unwrap_or_default(),
            password: password.to_owned(),
            nonce: nonce.to_owned(),
            step,
        }
    }

    /// Answers the server's challenge.
    ///
    /// # Errors
    /// The server does not keep to the protocol, or does not know the password itself.
    pub fn answer(&mut self, challenge: &[u8]) -> Result<Vec<u8>, String> {
        let answer = self.next(challenge);
        if answer.is_err() && !self.is_faked() {
            self.step = Step::Failed;
        }
        answer
    }

    /// True if the server's word on the account can be believed: if the mechanism requires it to know the password, it
    /// has shown that it does.
    pub fn convinces(&self) -> bool {
        matches!(self.step, Step::External | Step::Plain | Step::Done)
    }

    /// True if the server behaved like one that does not know the password and is after it.
    pub fn is_faked(&self) -> bool {
        matches!(self.step, Step::Faked)
    }

    fn next(&mut self, challenge: &[u8]) -> Result<Vec<u8>, String> {
        match std::mem::replace(&mut self.step, Step::Done) {
            Step::External => Ok(Vec::new()),
            Step::Plain => Ok(format!("{0}\0{0}\0{1}", self.account, self.password).into_bytes()),
            Step::ScramFirst => {
                let name = self.account.replace('=', "=3D").replace(',', "=2C");
                let bare = format!("n={name},r={}", self.nonce);
                let first = format!("n,,{bare}");
                self.step = Step::ScramProof(bare);
                Ok(first.into_bytes())
            }
            Step::ScramProof(bare) => self.prove(&bare, challenge),
            Step::ScramVerify(signature) => {
                let said = text(challenge)?;
                if let Some(error) = field(said, "e=") {
                    return Err(format!("the server refuses: {error}"));
                }
                let shown = field(said, "v=").and_then(|shown| BASE64_STANDARD.decode(shown).ok());
                match shown.as_deref() == Some(&signature[..]) {
                    true => Ok(Vec::new()),
                    false => {
                        self.step = Step::Faked;
                        Err("the server does not know the password: it may be another's".to_owned())
                    }
                }
            }
            Step::Done | Step::Failed | Step::Faked => {
                Err("the server asks for more than the mechanism has".to_owned())
            }
        }
    }

    fn prove(&mut self, bare: &str, challenge: &[u8]) -> Result<Vec<u8>, String> {
        let said = text(challenge)?;
        let missing = || format!("not what SCRAM-SHA-256 says: {said:?}");
        let nonce = field(said, "r=").ok_or_else(missing)?;
        let salt = field(said, "s=").and_then(|salt| BASE64_STANDARD.decode(salt).ok()).ok_or_else(missing)?;
        let rounds: u32 = field(said, "i=").and_then(|rounds| rounds.parse().ok()).ok_or_else(missing)?;
        if !nonce.starts_with(&self.nonce) || nonce.len() == self.nonce.len() {
            self.step = Step::Faked;
            return Err("the server's nonce is not made of ours".to_owned());
        }
        if rounds < FEWEST_ROUNDS {
            self.step = Step::Faked;
            return Err(format!("the server asks for {rounds} rounds of hashing; {FEWEST_ROUNDS} are the fewest"));
        }
        if rounds > MOST_ROUNDS {
            return Err(format!("the server asks for {rounds} rounds of hashing; {MOST_ROUNDS} are the most"));
        }
        let password = stringprep::saslprep(&self.password).map_err(|error| format!("the password: {error}"))?;
        let mut salted = [0; 32];
        pbkdf2::pbkdf2_hmac::<Sha256>(password.as_bytes(), &salt, rounds, &mut salted);
        let client_key = mac(&salted, b"Client Key");
        let stored_key: [u8; 32] = Sha256::digest(client_key).into();
        let last = format!("c=biws,r={nonce}");
        let signed = format!("{bare},{said},{last}");
        let signature = mac(&stored_key, signed.as_bytes());
        let proof: Vec<u8> = client_key.iter().zip(signature).map(|(key, signature)| key ^ signature).collect();
        self.step = Step::ScramVerify(mac(&mac(&salted, b"Server Key"), signed.as_bytes()));
        Ok(format!("{last},p={}", BASE64_STANDARD.encode(proof)).into_bytes())
    }
}

fn text(bytes: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(bytes).map_err(|_| "the server says what is no text".to_owned())
}

fn field<'a>(said: &'a str, name: &str) -> Option<&'a str> {
    said.split(',').find_map(|part| part.strip_prefix(name))
}

fn mac(key: &[u8], text: &[u8]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("keys may have any length");
    mac.update(text);
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        toml::from_str("server = \"x\"\naccount = \"user\"\naccount_password = \"pencil\"").unwrap()
    }

    /// The example exchange of RFC 7677, section 3.
    #[test]
    fn scram_is_as_in_the_rfc() {
        let mut exchange = Exchange::new(Mechanism::ScramSha256, &settings(), "rOprNGfwEbeRWgbNEkqO");
        let mut answer = |said: &str| exchange.answer(said.as_bytes()).map(|said| String::from_utf8(said).unwrap());
        assert_eq!(answer("").unwrap(), "n,,n=user,r=rOprNGfwEbeRWgbNEkqO");
        let challenge = "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";
        assert_eq!(
            answer(challenge).unwrap(),
            "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,\
             p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
        );
        assert_eq!(answer("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=").unwrap(), "");
        assert!(answer("more").is_err());
    }

    #[test]
    fn a_server_that_does_not_know_the_password_is_not_believed() {
        for challenge in [
            "r=other,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
            "r=abc,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
            "r=abcd,s=!,i=4096",
            "r=abcd,s=AAAA,i=4294967295",
            "r=abcd,s=AAAA,i=4095",
            "r=abcd,s=AAAA,i=1",
            "nonsense",
        ] {
            let mut exchange = Exchange::new(Mechanism::ScramSha256, &settings(), "abc");
            exchange.answer(b"").unwrap();
            assert!(exchange.answer(challenge.as_bytes()).is_err(), "{challenge}");
        }
        let mut exchange = Exchange::new(Mechanism::ScramSha256, &settings(), "abc");
        exchange.answer(b"").unwrap();
        exchange.answer(b"r=abcd,s=AAAA,i=4096").unwrap();
        assert!(exchange.answer(b"v=AAAA").unwrap_err().contains("does not know the password"));
    }

    #[test]
    fn plain_sends_account_and_password() {
        let mut exchange = Exchange::new(Mechanism::Plain, &settings(), "");
        assert_eq!(exchange.answer(b"").unwrap(), b"user\0user\0pencil");
        assert_eq!(Mechanism::possible(&settings()), [Mechanism::ScramSha256, Mechanism::Plain]);
    }
}
