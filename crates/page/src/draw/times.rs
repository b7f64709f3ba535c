//! Times on a page. A script shows them in the reader's own time.

use jiff::Timestamp;
use maud::{Markup, html};

/// A time: `29 Nov 23:12 UTC`.
pub(crate) fn time(at: Timestamp) -> Markup {
    html! { time datetime=(at.strftime("%Y-%m-%dT%H:%M:%SZ")) { (at.strftime("%-d %b %H:%M UTC")) } }
}
