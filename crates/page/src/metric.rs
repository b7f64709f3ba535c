//! What is counted of pages, under the names that Prometheus shows. Nothing in it names a table.

use axum::http::StatusCode;
use std::sync::atomic::{AtomicUsize, Ordering};

const REQUESTS: &str = "astragal_page_requests_total";
const STREAMS: &str = "astragal_page_streams";

/// The open pages that are kept up to date.
pub(crate) static OPEN: AtomicUsize = AtomicUsize::new(0);

/// Describes each, and lets what is counted begin at nothing.
pub fn describe_metrics() {
    metrics::describe_counter!(REQUESTS, "Requests for pages of tables, by how they were answered");
    metrics::describe_gauge!(STREAMS, "Open pages that are kept up to date");
    for answer in ["shown", "gone", "later", "refused"] {
        metrics::counter!(REQUESTS, "answer" => answer).increment(0);
    }
}

/// Measures what is so now.
pub fn measure() {
    // Far below where floating point becomes inexact.
    metrics::gauge!(STREAMS).set(OPEN.load(Ordering::Relaxed) as f64);
}

/// Counts an answer.
pub(crate) fn count(status: StatusCode) {
    let answer = match status {
        StatusCode::NOT_FOUND => "gone",
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => "later",
        status if status.is_success() => "shown",
        _ => "refused",
    };
    metrics::counter!(REQUESTS, "answer" => answer).increment(1);
}
