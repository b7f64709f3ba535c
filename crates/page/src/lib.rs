//! The page of a table: what is going on there, in a browser, as whoever has the link may see it.
//!
//! What somebody may see comes from [`house::view`], as data; here it becomes HTML. This crate knows neither the journal nor
//! the store, so it cannot show what it was not given.

mod answer;
mod draw;
mod eyes;
mod limits;
mod metric;
mod stream;
mod style;
mod trial;

pub use limits::Limits;
pub use metric::{describe_metrics, measure};
pub use trial::{SEEN, show_trial};

use crate::answer::Shared;
use axum::Router;
use axum::routing::get;
use door::{Door, Stay};
use house::view::Looks;
use std::sync::Arc;
use tokio::net::TcpListener;

/// Shows the pages of tables to whoever comes to `listener` with a link, as long as the process runs.
pub async fn show(listener: TcpListener, looks: Arc<dyn Looks>, limits: Limits) {
    let shared = Arc::new(Shared::new(looks, limits));
    let router = Router::new()
        .route("/t/{link}", get(answer::table))
        .route("/t/{link}/e/{entry}", get(answer::entry))
        .route("/t/{link}/live", get(stream::live))
        .route("/t/{link}/journal.jsonl", get(answer::journal))
        .route("/verify", get(answer::verify))
        .fallback(async || answer::gone())
        .layer(axum::middleware::from_fn_with_state(shared.clone(), answer::guarded))
        .with_state(shared);
    let door = Door::new(listener, limits.connections());
    let guests = router.into_make_service_with_connect_info::<Stay>();
    if let Err(error) = axum::serve(door, guests).await {
        tracing::error!(%error, "nobody can look at the pages of tables any more");
    }
}
