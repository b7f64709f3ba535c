//! Pictures of what happens at a table: of dice, clocks and bars as SVG for pages, of charts, clocks and cards as PNG for
//! chats. Text in them is drawn with a font of their own, so they look the same wherever the program runs.

#[cfg(feature = "png")]
mod letters;
#[cfg(feature = "png")]
mod png;
mod svg;

#[cfg(feature = "png")]
pub use png::{Scheme, cards, chart, clocks, drawn};
pub use svg::{Counts, bar, clock, die};

use std::f64::consts::TAU;

/// The most segments of a clock that are drawn one by one.
const MOST_SEGMENTS: u32 = 24;

/// How many segments are drawn of a clock of which `filled` of `size` are filled, and how many of them filled: of very many
/// only their share.
fn segments(filled: u32, size: u32) -> (u32, u32) {
    match size {
        0 => (0, 1),
        1..=MOST_SEGMENTS => (filled.min(size), size),
        _ => ((u64::from(filled.min(size)) * u64::from(MOST_SEGMENTS) / u64::from(size)) as u32, MOST_SEGMENTS),
    }
}

/// The place, `turns` around a circle from its top with the hands of a clock, from its middle: right and down, in radii.
fn around(turns: f64) -> (f64, f64) {
    ((TAU * turns).sin(), -(TAU * turns).cos())
}
