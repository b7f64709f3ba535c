//! Dice, clocks and bars as SVG. Colours are the page's: each shape has a class, and none has a style of its own.

use crate::{around, segments};
use std::fmt::Write;

/// What the outline of a die looks like on a field of 26 by 26, by its number of faces.
const OUTLINES: [(u32, &str); 6] = [
    (4, "M13 2 25 23H1Z"),
    (6, "M3 3h20v20H3Z"),
    (8, "M13 1 25 13 13 25 1 13Z"),
    (10, "M13 1 25 10 13 25 1 10Z"),
    (12, "M13 1 24.4 9.3 20 23 6 23 1.6 9.3Z"),
    (20, "M13 1 23.4 7v12L13 25 2.6 19V7Z"),
];
/// The outline of any other die.
const ANOTHER: &str = "M8 2h10l6 6v10l-6 6H8l-6-6V8Z";

/// Whether a die counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counts {
    /// It counts.
    Yes,
    /// It was rolled and does not count.
    No,
}

impl From<bool> for Counts {
    fn from(counts: bool) -> Self {
        if counts { Counts::Yes } else { Counts::No }
    }
}

/// A die that shows a face, with its kind below: 26 by 37 units. Its label says the same in words.
///
/// ```
/// use picture::Counts;
/// assert!(picture::die(20, 15, Counts::Yes).contains("aria-label=\"d20 shows 15\""));
/// assert!(picture::die(6, 2, Counts::No).contains("does not count"));
/// ```
pub fn die(sides: u32, value: u32, counts: Counts) -> String {
    let outline = OUTLINES.iter().find(|(of, _)| *of == sides).map_or(ANOTHER, |(_, outline)| outline);
    let middle = match sides {
        4 => "20",
        10 => "15.5",
        _ => "17.2",
    };
    let (class, says, kind) = match counts {
        Counts::Yes => ("die", "", format!("d{sides}")),
        Counts::No => ("die drop", ", does not count", format!("(d{sides})")),
    };
    format!(
        "<svg class=\"{class}\" viewBox=\"0 0 26 37\" role=\"img\" aria-label=\"d{sides} shows {value}{says}\">\
         <path d=\"{outline}\"/><text x=\"13\" y=\"{middle}\">{value}</text><text class=\"of\" x=\"13\" y=\"34\">{kind}</text></svg>"
    )
}

/// A clock of which `filled` of `size` segments are filled, 44 by 44 units. It says nothing to those who cannot see it: the
/// numbers stand beside it.
pub fn clock(filled: u32, size: u32) -> String {
    let (filled, size) = segments(filled, size);
    let mut svg = "<svg viewBox=\"0 0 44 44\" aria-hidden=\"true\">".to_owned();
    let at = |segment: u32| {
        let (right, down) = around(f64::from(segment) / f64::from(size));
        (22.0 + 20.0 * right, 22.0 + 20.0 * down)
    };
    for segment in 0..size {
        let class = if segment < filled { "on" } else { "off" };
        let ((x, y), (to_x, to_y)) = (at(segment), at(segment + 1));
        let large = u8::from(size == 2);
        // Writing to a text cannot fail.
        let _ = match size {
            1 => write!(svg, "<circle class=\"{class}\" cx=\"22\" cy=\"22\" r=\"20\"/>"),
            _ => write!(
                svg,
                "<path class=\"{class}\" d=\"M22 22L{x:.1} {y:.1}A20 20 0 {large} 1 {to_x:.1} {to_y:.1}Z\"/>"
            ),
        };
    }
    svg + "</svg>"
}

/// A bar of which `now` of `most` is filled, as wide as its place. It says nothing to those who cannot see it: the numbers
/// stand beside it.
pub fn bar(now: i64, most: i64) -> String {
    let share = if most > 0 { now.clamp(0, most) as f64 * 100.0 / most as f64 } else { 0.0 };
    format!(
        "<svg viewBox=\"0 0 100 4\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect class=\"bed\" width=\"100\" height=\"4\"/>\
         <rect class=\"fill\" width=\"{share:.0}\" height=\"4\"/></svg>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_has_its_segments_and_never_more_than_can_be_told_apart() {
        let count = |filled, size| {
            let svg = clock(filled, size);
            [svg.matches("\"on\"").count(), svg.matches("\"off\"").count()]
        };
        assert_eq!(count(2, 6), [2, 4]);
        assert_eq!(count(9, 6), [6, 0]);
        assert_eq!(count(30, 60), [12, 12]);
        assert_eq!(count(u32::MAX, u32::MAX), [24, 0]);
        assert_eq!(count(0, 0), [0, 1]);
    }

    #[test]
    fn a_bar_is_never_longer_than_its_bed() {
        for (now, most, share) in
            [(33, 40, "82"), (-5, 20, "0"), (99, 20, "100"), (i64::MAX, i64::MAX, "100"), (3, 0, "0")]
        {
            assert!(bar(now, most).contains(&format!("class=\"fill\" width=\"{share}\"")), "{now}/{most}");
        }
    }

    #[test]
    fn every_kind_of_die_is_drawn_and_said() {
        for sides in [2, 4, 6, 8, 10, 12, 20, 100, 1_000] {
            assert!(die(sides, 1, Counts::Yes).contains(&format!("d{sides} shows 1")));
        }
    }
}
