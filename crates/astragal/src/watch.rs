//! The bot's status over HTTP, for local use: `/metrics` for Prometheus, `/live`, `/ready`.

mod figures;

use crate::beside::keep;
use crate::descriptors::room;
use crate::operator::Operator;
use crate::room;
use crate::store::Kept;
use anyhow::Context;
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use door::Door;
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use metrics_util::MetricKindMask;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;

/// Buckets for answer times, in seconds.
const SECONDS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];

/// How often samples are collected.
const UPKEEP: Duration = Duration::from_secs(5);

/// A figure that nobody measures is forgotten after this time.
const FORGOTTEN: Duration = Duration::from_secs(60);

/// The data to report.
#[derive(Clone)]
struct Watched {
    operator: Arc<Operator>,
    metrics: PrometheusHandle,
}

/// Answers there while the bot runs; what happened before is not counted.
///
/// # Errors
/// The address is in use.
pub async fn listen(address: SocketAddr, operator: Arc<Operator>) -> anyhow::Result<()> {
    let listener = TcpListener::bind(address).await.map_err(|error| {
        let hint = hint(error.kind());
        anyhow::anyhow!("watch.listen: {address} cannot be listened on: {error}; {hint}")
    })?;
    if !address.ip().is_loopback() {
        tracing::warn!(%address, "whoever reaches this address can read how the bot is");
    }
    let seconds = Matcher::Suffix("_seconds".to_owned());
    // What is not measured any more is not shown: the network may be gone.
    let builder = PrometheusBuilder::new().idle_timeout(MetricKindMask::GAUGE, Some(FORGOTTEN));
    let mut builder = builder.set_buckets_for_metric(seconds, &SECONDS)?;
    if let Kept::There(remote) = operator.started.store.kept() {
        // Bots that share a database are told apart.
        builder = builder.add_global_label("shard", remote.shard);
    }
    let metrics = builder.install_recorder().context("nobody else counts in this process")?;
    bot::describe_metrics();
    #[cfg(feature = "page")]
    page::describe_metrics();
    metrics::counter!(bot::ERRORS).increment(0);
    operator.networks().await.iter().for_each(|(network, _)| bot::count_from_nothing(network));
    let kept = metrics.clone();
    keep("counting what happens", move || upkeep(kept.clone()));
    let router = Router::new()
        .route("/metrics", get(all_metrics))
        .route("/live", get(async || "live\n"))
        .route("/ready", get(ready))
        .with_state(Watched { operator, metrics });
    tokio::spawn(async move {
        if let Err(error) = axum::serve(Door::new(listener, room()), router).await {
            tracing::error!(%error, "nobody can watch the bot any more");
        }
    });
    Ok(())
}

/// What to change if an address cannot be listened on.
fn hint(error: ErrorKind) -> &'static str {
    match error {
        ErrorKind::AddrInUse => "another program uses that port: under [watch], set listen to another one",
        ErrorKind::AddrNotAvailable => {
            "this machine has no such address: under [watch], set listen = \"127.0.0.1:9464\""
        }
        ErrorKind::PermissionDenied => "this user may not use that port: under [watch], set listen to one from 1024 up",
        _ => "under [watch], set listen to another address",
    }
}

/// Collects samples, which otherwise wait in memory, whether or not anybody looks.
async fn upkeep(metrics: PrometheusHandle) {
    let mut round = tokio::time::interval(UPKEEP);
    loop {
        round.tick().await;
        metrics.run_upkeep();
    }
}

async fn all_metrics(State(Watched { operator, metrics }): State<Watched>) -> String {
    for (network, status) in operator.networks().await {
        let gauge = |name: &'static str, value: f64| metrics::gauge!(name, "network" => network.clone()).set(value);
        // Numbers of rooms or posts are far below where floating point becomes inexact.
        gauge("astragal_connected", f64::from(u8::from(status.connected)));
        gauge("astragal_rooms", status.rooms.len() as f64);
        gauge("astragal_posts_waiting", operator.bot.unsaid(&network) as f64);
        gauge("astragal_oldest_waiting_seconds", operator.bot.waits(&network).as_secs_f64());
    }
    let measured = tokio::task::spawn_blocking(move || figures::measure(&operator)).await;
    if let Err(error) = measured {
        tracing::warn!(%error, "the figures of the process were not measured");
    }
    metrics.render()
}

/// A bot is ready if it hears all its networks and can keep what is played.
async fn ready(State(watched): State<Watched>) -> (StatusCode, String) {
    if let Some(full) = room::full(&watched.operator.data) {
        return (StatusCode::SERVICE_UNAVAILABLE, full + "\n");
    }
    if let Some(trouble) = watched.operator.standing().await.and_then(|standing| standing.trouble) {
        return (StatusCode::SERVICE_UNAVAILABLE, trouble + "\n");
    }
    let networks = watched.operator.networks().await;
    let away = networks.iter().filter(|(_, status)| !status.connected);
    let away: Vec<&str> = away.map(|(network, _)| network.as_str()).collect();
    match away.is_empty() {
        true => (StatusCode::OK, "ready\n".to_owned()),
        false => (StatusCode::SERVICE_UNAVAILABLE, format!("not connected: {}\n", away.join(", "))),
    }
}
