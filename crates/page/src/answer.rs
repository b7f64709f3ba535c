//! Answers to requests.

use crate::draw::{self, At};
use crate::eyes::Hub;
use crate::limits::Limits;
use crate::style::HEADERS;
use axum::extract::{Path, Query, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use house::view::{Ask, Looks, Place, View};
use maud::Markup;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// The most characters of what is searched for.
const MOST_SEARCHED: usize = 100;
/// Seconds after which whoever finds too many requests comes back.
const SOON: &str = "2";

/// What all requests share.
pub(crate) struct Shared {
    pub looks: Arc<dyn Looks>,
    pub hub: Hub,
    requests: Semaphore,
}

impl Shared {
    pub fn new(looks: Arc<dyn Looks>, limits: Limits) -> Self {
        Shared { hub: Hub::new(looks.clone(), limits), looks, requests: Semaphore::new(limits.requests) }
    }

    /// What a link leads to.
    pub async fn open(&self, link: String) -> Option<Place> {
        let looks = self.looks.clone();
        reading(move || looks.open(&link)).await
    }

    /// What is seen there.
    async fn look(&self, place: &Place, ask: Ask) -> Option<View> {
        let (looks, place) = (self.looks.clone(), place.clone());
        reading(move || looks.look(&place, &ask)).await
    }
}

/// Reads on a thread where waiting for the disk holds up nobody. What cannot be read is not there.
pub(crate) async fn reading<T: Send + 'static, E: std::fmt::Display + Send + 'static>(
    read: impl FnOnce() -> Result<Option<T>, E> + Send + 'static,
) -> Option<T> {
    match tokio::task::spawn_blocking(read).await {
        Ok(Ok(found)) => found,
        Ok(Err(error)) => {
            tracing::error!(%error, "the page of a table cannot be shown");
            None
        }
        Err(_) => {
            tracing::error!("the page of a table cannot be shown: drawing it failed");
            None
        }
    }
}

/// Adds what every answer has, and lets only so many requests in at once.
pub(crate) async fn guarded(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let mut response = match shared.requests.try_acquire() {
        Ok(_let_in) => next.run(request).await,
        Err(_) => later(StatusCode::SERVICE_UNAVAILABLE, SOON),
    };
    for (name, value) in HEADERS.iter() {
        response.headers_mut().insert(name.clone(), value.clone());
    }
    response
}

/// Asks somebody to come back after so many seconds.
pub(crate) fn later(status: StatusCode, seconds: &'static str) -> Response {
    let mut response = (status, "Too many people look at once. Come back in a moment.\n").into_response();
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static(seconds));
    response
}

/// The answer to every link that leads nowhere, whether it once did or never.
pub(crate) fn gone() -> Response {
    (StatusCode::NOT_FOUND, html(draw::gone())).into_response()
}

fn html(page: Markup) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], page.into_string())
}

/// The page of a table, or a part of its journal.
pub(crate) async fn table(
    State(shared): State<Arc<Shared>>,
    Path(link): Path<String>,
    Query(asked): Query<BTreeMap<String, String>>,
) -> Response {
    let Some(place) = shared.open(link.clone()).await else { return gone() };
    let before = asked.get("before").and_then(|before| before.parse().ok());
    let words: String =
        asked.get("q").map(|words| words.trim().chars().take(MOST_SEARCHED).collect()).unwrap_or_default();
    let ask = match (words.is_empty(), before) {
        (false, before) => Ask::Search { words: words.clone(), before },
        (true, Some(before)) => Ask::Before(before),
        (true, None) => Ask::Now,
    };
    let whole = ask == Ask::Now;
    let Some(view) = shared.look(&place, ask).await else { return gone() };
    let at = At { base: &link };
    let page = if whole { draw::whole(&view, at, &shared.hub.state(&view, at)) } else { draw::part(&view, at, &words) };
    html(page).into_response()
}

/// The page of one entry.
pub(crate) async fn entry(State(shared): State<Arc<Shared>>, Path((link, number)): Path<(String, u64)>) -> Response {
    let Some(place) = shared.open(link.clone()).await else { return gone() };
    let base = format!("../../{link}");
    match shared.look(&place, Ask::Entry(number)).await {
        Some(view) if !view.entries.is_empty() => html(draw::one(&view, At { base: &base })).into_response(),
        _ => gone(),
    }
}
