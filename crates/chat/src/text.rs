//! Making text of unknown origin safe to show.

use std::borrow::Cow;

/// `text` without anything that could end a line, hide, reverse or colour what stands around it: control
/// characters become spaces, bidirectional and zero-width controls vanish (the joiners that emoji need stay).
pub fn clean(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| c.is_control() || invisible(c)) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().filter(|&c| !invisible(c)).map(|c| if c.is_control() { ' ' } else { c }).collect())
}

/// `text` cut to at most `most` characters, an ellipsis in place of the rest.
pub fn cut(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => Cow::Borrowed(text),
        Some(_) => {
            let keep = most.saturating_sub(1);
            let end = text.char_indices().nth(keep).map_or(text.len(), |(at, _)| at);
            Cow::Owned(format!("{}…", text[..end].trim_end()))
        }
    }
}

fn invisible(c: char) -> bool {
    matches!(
        c,
        '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2064}'
            | '\u{2066}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_steers_a_terminal_or_a_reader_gets_through() {
        assert_eq!(clean("plain é 骰"), "plain é 骰");
        assert_eq!(clean("a\r\nb\x1b[31mc\x03"), "a  b [31mc ");
        assert_eq!(clean("x\u{202e}y\u{200b}z"), "xyz");
    }

    #[test]
    fn cutting_counts_characters() {
        assert_eq!(cut("éééé", 4), "éééé");
        assert_eq!(cut("éé é!", 4), "éé…");
    }
}
