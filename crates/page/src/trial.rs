//! A stream of its own that an operator's program looks at, to learn whether pages and what changes on them reach people.

use crate::answer::with_headers;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;
use std::convert::Infallible;
use tokio::net::TcpListener;

/// What the stream says at once.
pub const SEEN: &str = "data: seen\n\n";

/// Answers at `path` with a stream that says [`SEEN`] at once and never ends, as long as the task runs. Whoever holds it back until it
/// ends never passes anything on.
pub async fn show_trial(listener: TcpListener, path: &str) {
    let stream = async || {
        let seen = futures::stream::iter([Ok::<_, Infallible>(Bytes::from_static(SEEN.as_bytes()))]);
        let stream = futures::StreamExt::chain(seen, futures::stream::pending());
        ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(stream)).into_response()
    };
    let router = Router::new().route(path, get(stream)).layer(axum::middleware::map_response(with_headers));
    if let Err(error) = axum::serve(listener, router).await {
        tracing::error!(%error, "the trial of the pages of tables ended");
    }
}
