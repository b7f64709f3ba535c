//! Answers to requests.

use crate::draw::{self, At};
use crate::eyes::Hub;
use crate::limits::Limits;
use crate::metric;
use crate::style::{HEADERS, VERIFIER, VERIFIER_POLICY};
use axum::extract::{Path, Query, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use house::view::{Ask, Looks, Place, View};
use maud::{Markup, PreEscaped};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// The most characters of what is searched for.
const MOST_SEARCHED: usize = 100;
/// Seconds after which whoever finds too many requests comes back, and whoever finds too many open pages.
const SOON: &str = "2";
pub(crate) const LATER: &str = "30";

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

    /// What a link leads to, or the answer that it leads nowhere.
    pub async fn open(&self, link: String) -> Result<Place, Response> {
        let looks = self.looks.clone();
        reading(move || looks.open(&link)).await.map_err(unread)?.ok_or_else(gone)
    }

    /// What is seen there, or the answer that it is nothing.
    async fn look(&self, place: &Place, ask: Ask) -> Result<View, Response> {
        let (looks, place) = (self.looks.clone(), place.clone());
        let _searcher = match ask {
            Ask::Search { .. } => SEARCHERS.acquire().await.ok(),
            _ => None,
        };
        reading(move || looks.look(&place, &ask)).await.map_err(unread)?.ok_or_else(gone)
    }
}

/// Something could not be read; the log says why.
pub(crate) struct Unread;

/// The answer if something could not be read. It may be there all the same.
fn unread(_: Unread) -> Response {
    later(StatusCode::SERVICE_UNAVAILABLE, LATER)
}

/// How many read at the same time: each takes a thread.
static READERS: Semaphore = Semaphore::const_new(8);
/// How many of them read much of a journal.
static SEARCHERS: Semaphore = Semaphore::const_new(1);

/// Reads on a thread where waiting for the disk holds up nobody.
pub(crate) async fn reading<T: Send + 'static, E: std::fmt::Display + Send + 'static>(
    read: impl FnOnce() -> Result<Option<T>, E> + Send + 'static,
) -> Result<Option<T>, Unread> {
    let _reader = READERS.acquire().await;
    match tokio::task::spawn_blocking(read).await {
        Ok(Ok(found)) => return Ok(found),
        Ok(Err(error)) => tracing::error!(%error, "the page of a table cannot be shown"),
        Err(_) => tracing::error!("the page of a table cannot be shown: drawing it failed"),
    }
    Err(Unread)
}

/// Counts what is answered, and lets only so many requests in at once.
pub(crate) async fn guarded(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let response = match shared.requests.try_acquire() {
        Ok(_let_in) => next.run(request).await,
        Err(_) => later(StatusCode::SERVICE_UNAVAILABLE, SOON),
    };
    metric::count(response.status());
    with_headers(response).await
}

/// Adds what every answer has.
pub(crate) async fn with_headers(mut response: Response) -> Response {
    for (name, value) in HEADERS.iter() {
        response.headers_mut().entry(name).or_insert_with(|| value.clone());
    }
    response
}

/// Asks somebody to come back after so many seconds.
pub(crate) fn later(status: StatusCode, seconds: &'static str) -> Response {
    let mut response = (status, "This cannot be shown now. Come back in a moment.\n").into_response();
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
) -> Result<Response, Response> {
    let place = shared.open(link.clone()).await?;
    let before = asked.get("before").and_then(|before| before.parse().ok());
    let words: String = asked
        .get("q")
        .map(|words| words.trim().chars().filter(|c| !c.is_control()).take(MOST_SEARCHED).collect())
        .unwrap_or_default();
    let ask = match (words.is_empty(), before) {
        (false, before) => Ask::Search { words: words.clone(), before },
        (true, Some(before)) => Ask::Before(before),
        (true, None) => Ask::Now,
    };
    let whole = ask == Ask::Now;
    let view = shared.look(&place, ask).await?;
    let at = At { base: &link };
    let page = if whole { draw::whole(&view, at, &shared.hub.state(&view, at)) } else { draw::part(&view, at, &words) };
    Ok(html(page).into_response())
}

/// The journal of a table as a file.
pub(crate) async fn journal(State(shared): State<Arc<Shared>>, Path(link): Path<String>) -> Result<Response, Response> {
    let place = shared.open(link).await?;
    let looks = shared.looks.clone();
    let _searcher = SEARCHERS.acquire().await;
    let file = reading(move || looks.journal(&place)).await.map_err(unread)?.ok_or_else(gone)?;
    let disposition = (header::CONTENT_DISPOSITION, "attachment; filename=\"journal.jsonl\"");
    Ok(([(header::CONTENT_TYPE, "application/x-ndjson"), disposition], file).into_response())
}

/// The page that verifies journals. It asks nobody for anything.
pub(crate) async fn verify() -> Response {
    ([(header::CONTENT_SECURITY_POLICY, VERIFIER_POLICY.clone())], html(PreEscaped(VERIFIER.to_owned())))
        .into_response()
}

/// The page of one entry.
pub(crate) async fn entry(
    State(shared): State<Arc<Shared>>,
    Path((link, number)): Path<(String, String)>,
) -> Result<Response, Response> {
    let number = number.parse().map_err(|_| gone())?;
    let place = shared.open(link.clone()).await?;
    let view = shared.look(&place, Ask::Entry(number)).await?;
    if view.entries.is_empty() {
        return Err(gone());
    }
    Ok(html(draw::one(&view, At { base: &format!("../../{link}") })).into_response())
}
