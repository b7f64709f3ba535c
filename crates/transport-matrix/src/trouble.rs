//! What can go wrong between the bot and its homeserver, and what to do about it.

use crate::Randomness;
use matrix_sdk::ruma::api::error::{ErrorKind, FromHttpResponseError, RetryAfter};
use matrix_sdk::{ClientBuildError, Error, HttpError, RefreshTokenError, RumaApiError};
use std::time::Duration;

/// What to do about a failure.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// Wait, as long as the server says if it does, and try again.
    Passing { wait: Option<Duration>, why: String },
    /// Give up: the request will never be granted.
    Refused(String),
    /// The access token is no longer valid. If `soft`, the device and its keys are still the bot's.
    LoggedOut { soft: bool },
}

impl Trouble {
    /// Classifies an error of the SDK.
    pub fn of(error: &Error) -> Self {
        match error {
            Error::Http(error) => Trouble::of_http(error),
            Error::WrongRoomState(_) | Error::InsufficientData => Trouble::Refused("the bot is not in the room".into()),
            // The stores and the cryptography: most likely a full disk, which passes.
            other => Trouble::Passing { wait: None, why: other.to_string() },
        }
    }

    /// The reason in words, for the asker.
    pub fn why(self) -> String {
        match self {
            Trouble::Passing { why, .. } | Trouble::Refused(why) => why,
            Trouble::LoggedOut { .. } => "the login was revoked".to_owned(),
        }
    }

    /// The same for a plain request.
    pub fn of_http(error: &HttpError) -> Self {
        let passing = |wait| Trouble::Passing { wait, why: told(error) };
        if let HttpError::RefreshToken(RefreshTokenError::MatrixAuth(inner)) = error {
            // A login ends only by the homeserver's word, not because it could not be reached for a new token.
            return match Trouble::of_http(inner) {
                Trouble::Refused(_) => Trouble::LoggedOut { soft: false },
                other => other,
            };
        }
        match error.client_api_error_kind() {
            Some(ErrorKind::LimitExceeded(limit)) => passing(limit.retry_after.as_ref().map(delay)),
            Some(ErrorKind::UnknownToken(token)) => Trouble::LoggedOut { soft: token.soft_logout },
            _ => match status(error) {
                Some(status) if (400..500).contains(&status) && status != 408 && status != 429 => {
                    Trouble::Refused(told(error))
                }
                _ if matches!(error, HttpError::RefreshToken(_)) => Trouble::LoggedOut { soft: false },
                _ => passing(None),
            },
        }
    }
}

/// The HTTP status of the server's answer.
fn status(error: &HttpError) -> Option<u16> {
    let HttpError::Api(error) = error else { return None };
    match &**error {
        FromHttpResponseError::Server(RumaApiError::MatrixError(error)) => Some(error.status_code.as_u16()),
        // The server asks for further authentication, which the bot cannot give.
        FromHttpResponseError::Server(RumaApiError::AuthResponse(_)) => Some(401),
        _ => None,
    }
}

/// The same while the homeserver is still being looked up.
pub(crate) fn told_build(error: &ClientBuildError) -> String {
    match error {
        ClientBuildError::Http(error) => told(error),
        other => other.to_string(),
    }
}

fn told(error: &HttpError) -> String {
    let mut told = vec![error.to_string()];
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        let inner_told = inner.to_string();
        if !told.iter().any(|outer| outer.contains(&inner_told)) {
            told.push(inner_told);
        }
        source = inner.source();
    }
    match (told.last(), &error) {
        // The outer errors only name the address.
        (Some(last), HttpError::Reqwest(_)) => match told_of_certificate(last) {
            Some(what) => format!("the homeserver is not trusted: {what}"),
            None => format!("the homeserver does not answer: {last}"),
        },
        _ => told.join(": "),
    }
}

/// What is wrong with the homeserver's certificate, if that is the error, and what helps.
fn told_of_certificate(error: &str) -> Option<&'static str> {
    let what = error.split_once("invalid peer certificate: ")?.1.to_lowercase();
    let is = |words: &[&str]| words.iter().any(|word| what.contains(word));
    Some(if is(&["unknownissuer"]) {
        "nobody this machine trusts signed its certificate; if it is the right one, add its CA to the machine's certificates"
    } else if is(&["not valid for name", "notvalidforname"]) {
        "its certificate is for another name: set homeserver to a name that it has"
    } else if is(&["not valid yet", "notvalidyet"]) {
        "its certificate is not valid yet: is this machine's clock right?"
    } else if is(&["causedasendentity"]) {
        "its certificate is one of an authority, not of a server: whoever runs it must make another"
    } else if is(&["expired"]) {
        "its certificate has expired: whoever runs it must renew it, if this machine's clock is right"
    } else {
        return None;
    })
}

fn delay(after: &RetryAfter) -> Duration {
    match after {
        RetryAfter::Delay(delay) => *delay,
        // A time by another clock: just wait a little.
        RetryAfter::DateTime(_) => Duration::from_secs(5),
    }
}

/// Growing waits between attempts.
pub(crate) struct Backoff {
    first: Duration,
    most: Duration,
    next: Duration,
    randomness: Randomness,
}

impl Backoff {
    pub fn new((first, most): (Duration, Duration), randomness: Randomness) -> Self {
        Backoff { first, most, next: first, randomness }
    }

    /// How long to wait now: as long as the server asks, or twice as long as the last time, give or take a quarter, so
    /// that not all clients return to a restarted server at once.
    pub fn wait(&mut self, asked: Option<Duration>) -> Duration {
        let wait = asked.unwrap_or(self.next);
        self.next = (self.next * 2).min(self.most);
        let spread = f64::from((self.randomness)()[0]) / 512.0;
        if asked.is_some() { wait } else { wait.mul_f64(0.75 + spread) }
    }

    /// Resets the wait after a success.
    pub fn reset(&mut self) {
        self.next = self.first;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_untrusted_homeserver_is_explained_in_plain_words() {
        for (error, says) in [
            ("invalid peer certificate: UnknownIssuer", "add its CA to the machine's certificates"),
            (
                "invalid peer certificate: certificate not valid for name \"a\"; it is for \"b\"",
                "set homeserver to a name",
            ),
            ("invalid peer certificate: certificate expired: verification time 1", "whoever runs it must renew it"),
            (
                "invalid peer certificate: certificate not valid yet: verification time 1",
                "is this machine's clock right?",
            ),
        ] {
            assert!(told_of_certificate(error).is_some_and(|what| what.contains(says)), "{error}");
        }
        assert_eq!(told_of_certificate("Connection refused (os error 111)"), None);
    }
}
