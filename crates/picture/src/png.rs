//! Charts, clocks and cards as PNG files, two pixels for each unit. What cannot be drawn well is not drawn: a character that the
//! font lacks, or more than fits.

use crate::letters::Letters;
use crate::{around, segments};
use chat::{Bar, Card, Dial, Picture};
use tiny_skia::{Color, FillRule, Paint, Path, PathBuilder, Pixmap, Rect, Stroke, Transform};

/// Pixels in a unit.
const SCALE: f32 = 2.0;
/// The most units across, and square units.
const WIDEST: f32 = 1_000.0;
const MOST: f32 = 800_000.0;
/// In units: margins and gaps, the size of letters.
const FREE: f32 = 10.0;
const LETTERS: f32 = 14.0;

/// Whether pictures are for rooms with a light ground or a dark one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

/// The colours of a scheme, as red, green and blue: those of the page of a table.
struct Colours {
    ground: [u8; 3],
    card: [u8; 3],
    ink: [u8; 3],
    line: [u8; 3],
    accent: [u8; 3],
}

impl Scheme {
    fn colours(self) -> Colours {
        match self {
            Scheme::Light => Colours {
                ground: [0xf7, 0xf6, 0xf3],
                card: [0xff, 0xff, 0xff],
                ink: [0x1d, 0x1c, 0x1a],
                line: [0xa0, 0x9b, 0x90],
                accent: [0x7a, 0x3b, 0x12],
            },
            Scheme::Dark => Colours {
                ground: [0x16, 0x15, 0x14],
                card: [0x1f, 0x1d, 0x1b],
                ink: [0xe9, 0xe6, 0xdf],
                line: [0x6c, 0x67, 0x5f],
                accent: [0xe6, 0xa0, 0x6a],
            },
        }
    }
}

/// Draws a picture; `None` if that cannot be done well.
pub fn drawn(picture: &Picture, scheme: Scheme) -> Option<Vec<u8>> {
    match picture {
        Picture::Clocks(dials) => clocks(dials, scheme),
        Picture::Cards(hand) => cards(hand, scheme),
    }
}

/// The height of a bar with the gap below it, and the length of the longest.
const ROW: f32 = 26.0;
const LONGEST: f32 = 320.0;

/// One line per bar: its name, the bar, its value.
pub fn chart(bars: &[Bar], scheme: Scheme) -> Option<Vec<u8>> {
    let letters = Letters::new()?;
    let widest = |of: fn(&Bar) -> &String| {
        bars.iter().map(|bar| letters.width(of(bar), LETTERS)).try_fold(0.0, |most, width| Some(f32::max(most, width?)))
    };
    let (names, values) = (widest(|bar| &bar.name)?, widest(|bar| &bar.value)?);
    let mut canvas = Canvas::new(names + LONGEST + values + 4.0 * FREE, bars.len() as f32 * ROW + FREE, scheme)?;
    let colours = scheme.colours();
    for (row, bar) in bars.iter().enumerate() {
        let top = row as f32 * ROW + FREE;
        let length = (f32::from(bar.length) * LONGEST / 100.0).max(1.0);
        canvas.fill(&rectangle(names + 2.0 * FREE, top, length, ROW - FREE)?, colours.accent);
        let name = FREE + names - letters.width(&bar.name, LETTERS)?;
        for (text, left) in [(&bar.name, name), (&bar.value, names + length + 3.0 * FREE)] {
            canvas.text(&letters, text, LETTERS, (left, top + 13.0))?;
        }
    }
    canvas.into_file()
}

/// The diameter of a clock, and how many are side by side.
const DIAL: f32 = 44.0;
const ABREAST: usize = 2;

/// Each clock with its name and its numbers beside it.
pub fn clocks(dials: &[Dial], scheme: Scheme) -> Option<Vec<u8>> {
    let letters = Letters::new()?;
    let numbers = |dial: &Dial| format!("{}/{}", dial.filled, dial.size);
    let mut widest = 0.0;
    for dial in dials {
        widest = f32::max(widest, letters.width(&dial.name, LETTERS)?).max(letters.width(&numbers(dial), LETTERS)?);
    }
    let (cell, row) = (DIAL + widest + 2.0 * FREE, DIAL + FREE);
    let columns = dials.len().min(ABREAST);
    let rows = dials.len().div_ceil(ABREAST);
    let mut canvas = Canvas::new(columns as f32 * cell + FREE, rows as f32 * row + FREE, scheme)?;
    for (place, dial) in dials.iter().enumerate() {
        let left = (place % ABREAST) as f32 * cell + FREE;
        let top = (place / ABREAST) as f32 * row + FREE;
        canvas.clock(dial.filled, dial.size, (left + DIAL / 2.0, top + DIAL / 2.0))?;
        canvas.text(&letters, &dial.name, LETTERS, (left + DIAL + FREE, top + 19.0))?;
        canvas.text(&letters, &numbers(dial), LETTERS, (left + DIAL + FREE, top + 37.0))?;
    }
    canvas.into_file()
}

/// In units: the size of a card, and of the letters on it from the largest to the smallest; and how many are side by side.
const CARD: (f32, f32) = (88.0, 112.0);
const ON_CARDS: [f32; 4] = [13.0, 12.0, 11.0, 10.0];
const A_ROW: usize = 5;
const MOST_CARDS: usize = 40;

/// The cards of a hand, each with its number.
pub fn cards(hand: &[Card], scheme: Scheme) -> Option<Vec<u8>> {
    let letters = Letters::new()?;
    if hand.len() > MOST_CARDS {
        return None;
    }
    let (columns, rows) = (hand.len().min(A_ROW) as f32, hand.len().div_ceil(A_ROW) as f32);
    let ((wide, high), colours) = (CARD, scheme.colours());
    let mut canvas = Canvas::new(columns * (wide + FREE) + FREE, rows * (high + FREE) + FREE, scheme)?;
    for (place, Card { number, name }) in hand.iter().enumerate() {
        let left = (place % A_ROW) as f32 * (wide + FREE) + FREE;
        let top = (place / A_ROW) as f32 * (high + FREE) + FREE;
        let edge = rounded(left, top, wide, high, 6.0)?;
        canvas.fill(&edge, colours.card);
        canvas.outline(&edge, colours.line);
        canvas.text_in(&letters, &number.to_string(), 11.0, (left + 8.0, top + 17.0), colours.accent)?;
        let (size, lines) = ON_CARDS.iter().find_map(|size| {
            let lines = wrapped(&letters, name, *size, wide - 16.0)?;
            (lines.len() as f32 * size * 1.25 <= high - 32.0).then_some((*size, lines))
        })?;
        for (line, text) in lines.iter().enumerate() {
            canvas.text(&letters, text, size, (left + 8.0, top + 24.0 + (line + 1) as f32 * size * 1.25))?;
        }
    }
    canvas.into_file()
}

/// A text in lines of at most this width, divided between words.
fn wrapped(letters: &Letters, text: &str, size: f32, most: f32) -> Option<Vec<String>> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let longer = lines.last().map(|line| format!("{line} {word}"));
        match longer.filter(|longer| letters.width(longer, size).is_some_and(|width| width <= most)) {
            Some(longer) => *lines.last_mut()? = longer,
            None if letters.width(word, size)? <= most => lines.push(word.to_owned()),
            None => return None,
        }
    }
    Some(lines)
}

fn rectangle(left: f32, top: f32, wide: f32, high: f32) -> Option<Path> {
    Rect::from_xywh(left, top, wide, high).map(PathBuilder::from_rect)
}

/// A rectangle whose corners are cut round.
fn rounded(left: f32, top: f32, wide: f32, high: f32, corner: f32) -> Option<Path> {
    let (right, bottom) = (left + wide, top + high);
    let mut path = PathBuilder::new();
    path.move_to(left + corner, top);
    path.line_to(right - corner, top);
    path.quad_to(right, top, right, top + corner);
    path.line_to(right, bottom - corner);
    path.quad_to(right, bottom, right - corner, bottom);
    path.line_to(left + corner, bottom);
    path.quad_to(left, bottom, left, bottom - corner);
    path.line_to(left, top + corner);
    path.quad_to(left, top, left + corner, top);
    path.close();
    path.finish()
}

/// A picture that is being drawn, in units.
struct Canvas {
    pixels: Pixmap,
    colours: Colours,
}

impl Canvas {
    fn new(wide: f32, high: f32, scheme: Scheme) -> Option<Canvas> {
        if wide > WIDEST || wide * high > MOST {
            return None;
        }
        let colours = scheme.colours();
        let mut pixels = Pixmap::new((wide * SCALE).ceil() as u32, (high * SCALE).ceil() as u32)?;
        let [r, g, b] = colours.ground;
        pixels.fill(Color::from_rgba8(r, g, b, u8::MAX));
        Some(Canvas { pixels, colours })
    }

    fn fill(&mut self, path: &Path, colour: [u8; 3]) {
        let scale = Transform::from_scale(SCALE, SCALE);
        self.pixels.fill_path(path, &paint(colour), FillRule::Winding, scale, None);
    }

    fn outline(&mut self, path: &Path, colour: [u8; 3]) {
        let scale = Transform::from_scale(SCALE, SCALE);
        self.pixels.stroke_path(path, &paint(colour), &Stroke { width: 1.0, ..Stroke::default() }, scale, None);
    }

    fn text(&mut self, letters: &Letters, text: &str, size: f32, at: (f32, f32)) -> Option<()> {
        self.text_in(letters, text, size, at, self.colours.ink)
    }

    fn text_in(&mut self, letters: &Letters, text: &str, size: f32, at: (f32, f32), colour: [u8; 3]) -> Option<()> {
        if let Some(path) = letters.outline(text, size, at)? {
            self.fill(&path, colour);
        }
        Some(())
    }

    /// A clock around a place.
    fn clock(&mut self, filled: u32, size: u32, (x, y): (f32, f32)) -> Option<()> {
        const STEPS: u32 = 24;
        let (filled, size) = segments(filled, size);
        let radius = DIAL / 2.0 - 1.0;
        for segment in 0..size {
            let mut path = PathBuilder::new();
            path.move_to(x, y);
            for step in 0..=STEPS {
                let turns = (f64::from(segment) + f64::from(step) / f64::from(STEPS)) / f64::from(size);
                let (right, down) = around(turns);
                path.line_to(x + radius * right as f32, y + radius * down as f32);
            }
            path.close();
            let path = path.finish()?;
            let (card, accent, line) = (self.colours.card, self.colours.accent, self.colours.line);
            self.fill(&path, if segment < filled { accent } else { card });
            self.outline(&path, line);
        }
        Some(())
    }

    fn into_file(self) -> Option<Vec<u8>> {
        self.pixels.encode_png().ok()
    }
}

fn paint(colour: [u8; 3]) -> Paint<'static> {
    let [r, g, b] = colour;
    let mut paint = Paint::default();
    paint.set_color_rgba8(r, g, b, u8::MAX);
    paint
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pixels(file: &[u8]) -> Pixmap {
        Pixmap::decode_png(file).expect("it is a PNG file")
    }

    /// How many pixels of a row have a colour.
    fn count(pixels: &Pixmap, row: u32, [r, g, b]: [u8; 3]) -> usize {
        let is =
            |x: u32| pixels.pixel(x, row).is_some_and(|pixel| [pixel.red(), pixel.green(), pixel.blue()] == [r, g, b]);
        (0..pixels.width()).filter(|x| is(*x)).count()
    }

    fn bar(name: &str, length: u8, value: &str) -> Bar {
        Bar { name: name.to_owned(), length, value: value.to_owned() }
    }

    fn card(name: &str) -> Card {
        Card { number: 3, name: name.to_owned() }
    }

    fn dial(name: &str, filled: u32, size: u32) -> Dial {
        Dial { name: name.to_owned(), filled, size }
    }

    #[test]
    fn bars_are_as_long_as_they_are_likely_in_both_schemes() {
        let bars = [bar("2", 50, "25.0 %"), bar("3 to 4", 100, "50.0 %"), bar("5", 0, "0.01 %")];
        for scheme in [Scheme::Light, Scheme::Dark] {
            let pixels = pixels(&chart(&bars, scheme).expect("it is drawn"));
            let colours = scheme.colours();
            let middle = |line: u32| (line * ROW as u32 + FREE as u32 + 2) * SCALE as u32;
            let long = [0, 1, 2].map(|line| count(&pixels, middle(line), colours.accent));
            assert!(long[0].abs_diff(320) <= 2 && long[1].abs_diff(640) <= 2 && long[2] <= 3, "{long:?}");
            let written: usize = (0..2 * ROW as u32).map(|line| count(&pixels, line, colours.ink)).sum();
            assert!(written > 100, "the first line has its words: {written}");
        }
    }

    #[test]
    fn a_clock_is_filled_as_far_as_it_is() {
        let filled = |filled| {
            let pixels = pixels(&clocks(&[dial("Судьба", filled, 4)], Scheme::Light).expect("it is drawn"));
            (0..pixels.height()).map(|row| count(&pixels, row, Scheme::Light.colours().accent)).sum::<usize>()
        };
        assert_eq!(filled(0), 0);
        let quarter = filled(1);
        assert!(quarter > 1_000);
        for more in 2..=4 {
            assert!(filled(more).abs_diff(more as usize * quarter) < quarter / 10);
        }
    }

    #[test]
    fn what_the_font_lacks_and_what_is_too_much_is_not_drawn() {
        let named = |name: &str| cards(&[card(name)], Scheme::Light).is_some();
        assert!(named("queen of hearts") && named("Ördög és Łódź") && named("a – “b” … ½ ×"));
        assert!(!named("鬼") && !named("♥ A") && !named("a\u{202e}b") && !named("\u{301}"));
        assert!(!named(&"W".repeat(40)), "a word that is wider than its card");
        assert!(!named(&"many words ".repeat(20)));
        assert!(cards(&vec![card("ace"); MOST_CARDS + 1], Scheme::Light).is_none());
        assert!(cards(&[], Scheme::Light).is_some_and(|file| pixels(&file).width() == 20));
        assert!(clocks(&[dial(&"W".repeat(400), 1, 4)], Scheme::Dark).is_none());
        assert!(chart(&vec![bar("1", 1, "1 %"); 100], Scheme::Dark).is_none());
        assert!(clocks(&[dial("Doom", u32::MAX, u32::MAX), dial("x", 0, 0)], Scheme::Dark).is_some());
    }
}
