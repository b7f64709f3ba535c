//! The stream of changes to an open page.

use crate::answer::{LATER, Shared, later};
use crate::eyes::{Change, Full, Look};
use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use door::Stay;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;

/// How often something is sent, so that everybody between knows that the connection lives.
const ALIVE: Duration = Duration::from_secs(15);

/// Changes to a page, as server-sent events. With `?after=` or `Last-Event-ID` it begins after that state.
pub(crate) async fn live(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(stay): ConnectInfo<Stay>,
    Path(link): Path<String>,
    Query(asked): Query<BTreeMap<String, String>>,
    headers: HeaderMap,
) -> Result<Response, Response> {
    let place = shared.open(link.clone()).await?;
    let look = match shared.hub.look(place, link) {
        Ok(look) => look,
        Err(Full::Bot) => return Err(later(StatusCode::SERVICE_UNAVAILABLE, LATER)),
        Err(Full::Link) => return Err(later(StatusCode::TOO_MANY_REQUESTS, LATER)),
    };
    stay.on();
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok()).map(str::to_owned);
    let known = last.or_else(|| asked.get("after").cloned());
    let first = look.whole(known.as_deref());
    let stream = futures::stream::unfold((look, first), next);
    Ok(([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(stream)).into_response())
}

/// The next piece of the stream; `None` once the link has ended.
async fn next(
    (mut look, first): (Look, Option<Change>),
) -> Option<(Result<Bytes, Infallible>, (Look, Option<Change>))> {
    let change = match first {
        Some(change) => Some(change),
        None => match tokio::time::timeout(ALIVE, look.changes.recv()).await {
            Ok(Ok(change)) => Some(change),
            Ok(Err(RecvError::Lagged(_))) => look.whole(None),
            Ok(Err(RecvError::Closed)) => return None,
            Err(_) => None,
        },
    };
    match change {
        Some(Change::Event(event)) => Some((Ok(event), (look, None))),
        Some(Change::End) => None,
        None => Some((Ok(Bytes::from_static(b": here\n\n")), (look, None))),
    }
}
