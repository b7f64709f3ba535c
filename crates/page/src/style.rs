//! What every page is served with: its style, its script, and what a browser may do with it.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

/// How pages look.
pub(crate) const STYLE: &str = include_str!("page.css");
/// What keeps them up to date.
pub(crate) const SCRIPT: &str = include_str!("page.js");

/// The page that verifies journals, which also works from a disk.
pub(crate) const VERIFIER: &str = include_str!("../../../deploy/verify.html");

/// What a browser may do with that page.
pub(crate) static VERIFIER_POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
    let inside = |element: &str| {
        let (_, rest) = VERIFIER.split_once(&format!("<{element}>")).expect("the page has one");
        hash(rest.split(&format!("</{element}>")).next().unwrap_or_default())
    };
    let (style, script) = (inside("style"), inside("script"));
    let policy =
        format!("default-src 'none'; style-src {style}; script-src {script}; base-uri 'none'; frame-ancestors 'none'");
    HeaderValue::try_from(policy).expect("plain text")
});

/// How a policy names a style or a script.
fn hash(text: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)))
}

/// The headers of every answer.
pub(crate) static HEADERS: LazyLock<HeaderMap> = LazyLock::new(|| {
    let policy = format!(
        "default-src 'none'; style-src {}; script-src {}; connect-src 'self'; form-action 'self'; base-uri 'none'; \
         frame-ancestors 'none'",
        hash(STYLE),
        hash(SCRIPT)
    );
    let all: [(HeaderName, String); 7] = [
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::REFERRER_POLICY, "no-referrer".to_owned()),
        (HeaderName::from_static("x-robots-tag"), "noindex, nofollow".to_owned()),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
        (header::CACHE_CONTROL, "no-store".to_owned()),
        // A proxy passes on at once what changes.
        (HeaderName::from_static("x-accel-buffering"), "no".to_owned()),
        // A connection that waits for another request would be closed under it.
        (header::CONNECTION, "close".to_owned()),
    ];
    all.into_iter().map(|(name, value)| (name, HeaderValue::try_from(value).expect("plain text"))).collect()
});
