//! Text as outlines, in the font that comes with the program.

use tiny_skia::{Path, PathBuilder};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

const FONT: &[u8] = include_bytes!("../font/NotoSans-Latin-Greek-Cyrillic.ttf");

/// The font.
pub(crate) struct Letters {
    face: Face<'static>,
}

impl Letters {
    pub fn new() -> Option<Letters> {
        Face::parse(FONT, 0).ok().map(|face| Letters { face })
    }

    /// The glyphs of a text, or none if one of its characters is not in the font: better no picture than one with boxes.
    fn glyphs(&self, text: &str) -> Option<Vec<GlyphId>> {
        text.chars().map(|c| self.face.glyph_index(c)).collect()
    }

    fn advance(&self, glyph: GlyphId, size: f32) -> f32 {
        f32::from(self.face.glyph_hor_advance(glyph).unwrap_or_default()) * size / f32::from(self.face.units_per_em())
    }

    /// How wide a text is in letters of this size.
    pub fn width(&self, text: &str, size: f32) -> Option<f32> {
        Some(self.glyphs(text)?.into_iter().map(|glyph| self.advance(glyph, size)).sum())
    }

    /// The outline of a text that begins at `(x, y)`, `y` being the line on which its letters stand.
    pub fn outline(&self, text: &str, size: f32, (x, y): (f32, f32)) -> Option<Option<Path>> {
        let scale = size / f32::from(self.face.units_per_em());
        let mut pen = Pen { path: PathBuilder::new(), x, y, scale };
        for glyph in self.glyphs(text)? {
            // A space has no outline.
            let _ = self.face.outline_glyph(glyph, &mut pen);
            pen.x += self.advance(glyph, size);
        }
        Some(pen.path.finish())
    }
}

/// Draws glyphs, whose ordinates grow upwards.
struct Pen {
    path: PathBuilder,
    x: f32,
    y: f32,
    scale: f32,
}

impl Pen {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.scale, self.y - y * self.scale)
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}
