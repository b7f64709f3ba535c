//! What is logged to standard error, how much of it, and which of it the operator is told in their rooms.

mod priority;

use crate::cli::LogFormat;
use crate::full;
use crate::networks::Kinds;
use anyhow::ensure;
use bot::Bot;
use priority::Priority;
use std::collections::BTreeMap;
use std::fmt::{Debug, Write};
use std::io::IsTerminal;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, mpsc};
use tokio::time::Instant;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Registry, fmt, reload};

/// The default log filter, in addition to those of the kinds of networks.
const USUAL: &str = "warn,sled=off,astragal::run=info,astragal::ending=info,store_postgres=info";
/// The same failure is reported again after this time.
const ONCE_IN: Duration = Duration::from_secs(24 * 3600);
/// The most failures waiting to be reported.
const MANY: usize = 100;

/// The log of this process.
pub struct Log {
    usual: Arc<str>,
    filter: reload::Handle<EnvFilter, Registry>,
    failures: Mutex<mpsc::Receiver<Failure>>,
}

/// Sets how much is logged.
#[derive(Clone)]
pub struct Level {
    usual: Arc<str>,
    filter: reload::Handle<EnvFilter, Registry>,
}

/// Something the operator should know.
struct Failure {
    /// The same text for the same failure.
    what: String,
    /// The text with its details.
    told: String,
}

impl Log {
    /// Starts logging: coloured where somebody reads it, without times where the system's journal adds them.
    pub fn begin(format: LogFormat, kinds: &Kinds) -> Self {
        let of_kinds = kinds.iter().map(|kind| kind.names().log).filter(|log| !log.is_empty());
        let usual: Arc<str> = std::iter::once(USUAL).chain(of_kinds).collect::<Vec<_>>().join(",").into();
        let filter = EnvFilter::try_from_env("ASTRAGAL_LOG").unwrap_or_else(|_| EnvFilter::new(&*usual));
        let (filter, handle) = reload::Layer::new(filter);
        let lines = fmt::layer().with_writer(std::io::stderr).with_ansi(std::io::stderr().is_terminal());
        let lines = match (format, priority::reads_errors()) {
            (LogFormat::Json, true) => lines.json().flatten_event(true).map_event_format(Priority).boxed(),
            (LogFormat::Json, false) => lines.json().flatten_event(true).boxed(),
            (LogFormat::Text, true) => lines.without_time().map_event_format(Priority).boxed(),
            (LogFormat::Text, false) => lines.boxed(),
        };
        let (sender, failures) = mpsc::channel(MANY);
        tracing_subscriber::registry().with(filter).with(lines).with(Teller(sender)).init();
        Log { usual, filter: handle, failures: Mutex::new(failures) }
    }

    /// Sets how much is logged.
    pub fn level(&self) -> Level {
        Level { usual: self.usual.clone(), filter: self.filter.clone() }
    }

    /// Reports logged errors to the operator, the same failure once a day.
    pub async fn tell_operator(self: Arc<Self>, bot: Arc<Bot>) {
        let mut told = BTreeMap::<String, Instant>::new();
        let mut failures = self.failures.lock().await;
        while let Some(failure) = failures.recv().await {
            told.retain(|_, at| at.elapsed() < ONCE_IN);
            if told.insert(failure.what, Instant::now()).is_none() {
                let advice = full::advice(&failure.told).map(|advice| format!("; {advice}")).unwrap_or_default();
                bot.tell_operator(&format!("{}{advice} (told once a day; the log has all)", failure.told)).await;
            }
        }
    }
}

impl Level {
    /// Changes what is logged, such as `info` or `warn,transport_irc=debug`; `None` for the default.
    ///
    /// # Errors
    /// It is not a valid filter.
    pub fn set(&self, filter: Option<&str>) -> anyhow::Result<()> {
        let filter = filter.unwrap_or(&self.usual);
        let levels = ["off", "error", "warn", "info", "debug", "trace"];
        for part in filter.split(',').filter(|part| !part.contains('=')) {
            ensure!(levels.contains(&part.trim()), "{part:?} is no level: there are {}", levels.join(", "));
        }
        let parsed = EnvFilter::builder().parse(filter);
        let parsed = parsed.map_err(|error| anyhow::anyhow!("{filter:?} is no filter ({error}); info is one"))?;
        Ok(self.filter.reload(parsed)?)
    }
}

/// Passes logged errors on.
struct Teller(mpsc::Sender<Failure>);

impl<S: Subscriber> Layer<S> for Teller {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if *event.metadata().level() != tracing::Level::ERROR {
            return;
        }
        metrics::counter!(bot::ERRORS).increment(1);
        let mut words = Words::default();
        event.record(&mut words);
        let Words { message, place, rest } = words;
        // If too many wait, the rest are only in the log.
        let _ = self.0.try_send(Failure { what: format!("{message}{place}"), told: format!("{message}{place}{rest}") });
    }
}

/// An event in words: its message, its place, and the rest.
#[derive(Default)]
struct Words {
    message: String,
    place: String,
    rest: String,
}

impl Visit for Words {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        // Writing to a string cannot fail.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            "network" | "table" | "room" => write!(self.place, " | {value:?}"),
            name => write!(self.rest, " | {name}: {value:?}"),
        };
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }
}
