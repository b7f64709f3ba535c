//! A chart as a picture.

use chat::{Bar, Block, Image, Post};
use embedded_graphics::Drawable;
use embedded_graphics::mono_font::MonoTextStyle;
use embedded_graphics::mono_font::iso_8859_1::FONT_9X18;
use embedded_graphics::pixelcolor::{Rgb888, RgbColor};
use embedded_graphics::prelude::{DrawTarget, OriginDimensions, Pixel, Point, Primitive, Size};
use embedded_graphics::primitives::{PrimitiveStyle, Rectangle};
use embedded_graphics::text::Text;
use std::convert::Infallible;

/// In pixels: the height of a line, the width of a character, the longest bar, and the margins and gaps.
const LINE: u32 = 26;
const LETTER: u32 = 9;
const LONGEST: u32 = 320;
const FREE: u32 = 10;

const PAPER: Rgb888 = Rgb888::WHITE;
const INK: Rgb888 = Rgb888::new(0x22, 0x22, 0x22);
const BAR: Rgb888 = Rgb888::new(0x3b, 0x6e, 0xa5);

/// The charts of a post as pictures. They need no text of their own: the post says it all.
pub(crate) fn pictures(post: &Post) -> Vec<Image> {
    let drawn = |block: &Block| match block {
        Block::Chart(bars) if !post.plain => draw(bars),
        _ => None,
    };
    let image = |bytes| Image { alt: String::new(), mime: "image/png".to_owned(), bytes };
    post.blocks.iter().filter_map(drawn).map(image).collect()
}

/// One line per bar: its name, the bar, its value. Returns `None` if it cannot be drawn.
fn draw(bars: &[Bar]) -> Option<Vec<u8>> {
    let widest = |of: fn(&Bar) -> &String| bars.iter().map(|bar| of(bar).chars().count()).max();
    let pixels = |letters: usize| u32::try_from(letters).ok().map(|letters| letters * LETTER);
    let (names, values) = (pixels(widest(|bar| &bar.name)?)?, pixels(widest(|bar| &bar.value)?)?);
    let height = u32::try_from(bars.len()).ok()? * LINE + FREE;
    let mut canvas = Canvas::new(names + LONGEST + values + 4 * FREE, height);
    let ink = MonoTextStyle::new(&FONT_9X18, INK);
    for (line, bar) in (0..).zip(bars) {
        let top = line * LINE + FREE;
        let text = |text: &str, left: u32| {
            let at = Point::new(i32::try_from(left).ok()?, i32::try_from(top + 13).ok()?);
            Some((text.to_owned(), at))
        };
        let length = (u32::from(bar.length) * LONGEST / 100).max(1);
        let place = Point::new(i32::try_from(names + 2 * FREE).ok()?, i32::try_from(top).ok()?);
        let Ok(()) = Rectangle::new(place, Size::new(length, LINE - FREE))
            .into_styled(PrimitiveStyle::with_fill(BAR))
            .draw(&mut canvas);
        let name = text(&bar.name, FREE + names - pixels(bar.name.chars().count())?)?;
        for (text, at) in [name, text(&bar.value, names + length + 3 * FREE)?] {
            let Ok(_) = Text::new(&text, at, ink).draw(&mut canvas);
        }
    }
    canvas.into_png()
}

/// RGB pixels, three bytes each.
struct Canvas {
    size: Size,
    bytes: Vec<u8>,
}

impl Canvas {
    fn new(width: u32, height: u32) -> Self {
        let pixels = width as usize * height as usize;
        let paper = [PAPER.r(), PAPER.g(), PAPER.b()];
        Canvas { size: Size::new(width, height), bytes: paper.repeat(pixels) }
    }

    fn into_png(self) -> Option<Vec<u8>> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.size.width, self.size.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.write_header().ok()?.write_image_data(&self.bytes).ok()?;
        Some(file)
    }
}

impl OriginDimensions for Canvas {
    fn size(&self) -> Size {
        self.size
    }
}

impl DrawTarget for Canvas {
    type Color = Rgb888;
    type Error = Infallible;

    fn draw_iter<I: IntoIterator<Item = Pixel<Rgb888>>>(&mut self, pixels: I) -> Result<(), Infallible> {
        for Pixel(at, color) in pixels {
            let inside = |n: i32, end: u32| u32::try_from(n).ok().filter(|n| *n < end);
            let (Some(x), Some(y)) = (inside(at.x, self.size.width), inside(at.y, self.size.height)) else { continue };
            let first = (y as usize * self.size.width as usize + x as usize) * 3;
            self.bytes[first..first + 3].copy_from_slice(&[color.r(), color.g(), color.b()]);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chat::RoomId;

    fn bar(name: &str, length: u8, value: &str) -> Bar {
        Bar { name: name.to_owned(), length, value: value.to_owned() }
    }

    /// The number of pixels of a colour in one line of a picture.
    fn count(png: &[u8], line: usize, color: Rgb888) -> usize {
        let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        let row = &bytes[line * info.line_size..(line + 1) * info.line_size];
        row.chunks(3).filter(|pixel| *pixel == [color.r(), color.g(), color.b()]).count()
    }

    #[test]
    fn bars_are_as_long_as_they_are_likely() {
        let bars = vec![bar("2", 50, "25.0 %"), bar("3 to 4", 100, "50.0 %"), bar("5", 0, "0.01 %")];
        let mut post = Post::new("odds", RoomId::new("matrix", "!r"), vec![Block::Chart(bars)]);
        let pictures = pictures(&post);
        let png = &pictures[0].bytes;
        let middle = |line: u32| (line * LINE + FREE + 2) as usize;
        assert_eq!([0, 1, 2].map(|line| count(png, middle(line), BAR)), [160, 320, 1]);
        let written: usize = (0..LINE as usize).map(|line| count(png, line, INK)).sum();
        assert!(written > 50, "the first line has its words: {written}");
        post.plain = true;
        assert_eq!(super::pictures(&post), []);
    }
}
