//! How far a long command is, for somebody who looks at a terminal. Nobody else sees anything of it, and a short one is
//! done before it is shown.

use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};
use std::borrow::Cow;
use std::io::{IsTerminal, stderr};
use std::time::Duration;

/// How often it is drawn while nothing is counted.
const TICK: Duration = Duration::from_millis(200);
/// What is shown of something with an end, and of something whose end nobody knows.
const WITH_END: &str = "{msg} {percent:>3} % [{bar:40}] {bytes} of {total_bytes}, {eta} to go";
const WITHOUT: &str = "{msg} {spinner} {elapsed}";

/// Progress of something that takes this many bytes. It is gone when the value is dropped.
pub fn of(what: &'static str, bytes: u64) -> ProgressBar {
    shown(ProgressBar::new(bytes), what, WITH_END)
}

/// Progress of something whose end nobody knows.
pub fn of_unknown(what: &'static str) -> ProgressBar {
    let bar = shown(ProgressBar::no_length(), what, WITHOUT);
    // It starts a thread.
    if stderr().is_terminal() {
        bar.enable_steady_tick(TICK);
    }
    bar
}

fn shown(bar: ProgressBar, what: &'static str, style: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(style).expect("it is well formed").progress_chars("=> ");
    bar.with_style(style).with_message(Cow::Borrowed(what)).with_finish(ProgressFinish::AndClear)
}
