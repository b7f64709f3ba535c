//! How a post looks on the terminal: the name in front, bold and dim text where somebody reads it.

use chat::{Block, Post, RoomId, Span, clean, drawn};

/// Whether to write terminal codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Bold results, dim dropped dice.
    Terminal,
    /// Text only.
    Plain,
}

/// The lines of a post as seen from the room `here`, each with its line end.
pub fn post(post: &Post, here: &RoomId, style: Style) -> String {
    let mut lines = Vec::new();
    for block in &post.blocks {
        match block {
            Block::Line(line) => lines.push(line_text(line, style)),
            Block::List(items) => lines.extend(items.iter().map(|item| format!("  - {}", line_text(item, style)))),
            Block::Chart(bars) => {
                lines.extend(bars.iter().map(|bar| format!("  - {}", line_text(&bar.line(), style))));
            }
            Block::Caret { .. } => lines.extend(block.plain().lines().map(str::to_owned)),
        }
    }
    let room = if post.room == *here { String::new() } else { format!("[{}] ", clean(&post.room.id)) };
    room + &post.front() + &lines.join("\n") + "\n"
}

fn line_text(line: &[Span], style: Style) -> String {
    let coded = |code: &str, text: String| match style {
        Style::Terminal => format!("\x1b[{code}m{text}\x1b[0m"),
        Style::Plain => text,
    };
    drawn(line)
        .iter()
        .map(|span| match span {
            Span::Text(_) | Span::Die(_) | Span::Offer(_) => span.plain(),
            Span::Bold(_) => coded("1", span.plain()),
            Span::Code(_) => coded("36", span.plain()),
            Span::Dropped(_) => coded("2", span.plain()),
            // A terminal has nothing to click, and its user sees all rooms anyway.
            Span::Spoiler(text) => coded("2", clean(text).into_owned()),
        })
        .collect()
}
