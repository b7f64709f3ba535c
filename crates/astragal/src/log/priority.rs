//! Lines for the system's journal, each with its priority in front: `journalctl -p err` shows the errors.

use std::fmt;
use std::os::fd::AsFd;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::FmtContext;
use tracing_subscriber::fmt::format::{FormatEvent, FormatFields, Writer};
use tracing_subscriber::registry::LookupSpan;

/// True if standard error goes to the system's journal: it names the file that it reads in the environment. A program
/// that was started by such a one may write elsewhere.
pub fn reads_errors() -> bool {
    let Ok(named) = std::env::var("JOURNAL_STREAM") else { return false };
    let Ok(file) = rustix::fs::fstat(std::io::stderr().as_fd()) else { return false };
    named == format!("{}:{}", file.st_dev, file.st_ino)
}

/// Puts the priority in front of what another format writes.
pub struct Priority<F>(pub F);

impl<S, N, F> FormatEvent<S, N> for Priority<F>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
    F: FormatEvent<S, N>,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, mut writer: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        write!(writer, "<{}>", priority(*event.metadata().level()))?;
        self.0.format_event(context, writer, event)
    }
}

/// The priority of a level, as syslog numbers it.
fn priority(level: Level) -> u8 {
    match level {
        Level::ERROR => 3,
        Level::WARN => 4,
        Level::INFO => 6,
        Level::DEBUG | Level::TRACE => 7,
    }
}
