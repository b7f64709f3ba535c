//! Making text of unknown origin safe to show.

use std::borrow::Cow;
use std::cmp::Ordering::{Equal, Greater, Less};

/// Returns `text` without anything that could end a line, or hide, reverse or colour the text around it. Control
/// characters become spaces, and [unseen](is_unseen) characters are removed. The joiners and variation selectors that
/// emoji and many scripts need stay after a character they can join or vary.
pub fn clean(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| c.is_control() || is_unseen(c)) {
        return Cow::Borrowed(text);
    }
    let mut cleaned = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if c.is_control() => cleaned.push(' '),
            c if is_unseen(c) && !(shapes(c) && cleaned.chars().next_back().is_some_and(|last| is_shaped(last, c))) => {
            }
            c => cleaned.push(c),
        }
    }
    Cow::Owned(cleaned)
}

/// The text in Markdown, where it means nothing but itself.
pub fn markdown(text: &str) -> String {
    let special = |c: char| matches!(c, '\\' | '*' | '_' | '`' | '#' | '[' | ']' | '<' | '>' | '|' | '~');
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        out.extend(special(c).then_some('\\'));
        out.push(if c.is_control() { ' ' } else { c });
    }
    out
}

/// The text in HTML, where it means nothing but itself.
pub fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// True for a character that nobody sees although it is there: format characters (Unicode general category Cf),
/// characters ignored by default where they cannot be shown (`Default_Ignorable_Code_Point`, including reserved ones),
/// and line and paragraph separators. As of Unicode 17.
pub fn is_unseen(c: char) -> bool {
    !c.is_ascii()
        && UNSEEN
            .binary_search_by(|range| {
                if c < range.0 {
                    Greater
                } else if c > range.1 {
                    Less
                } else {
                    Equal
                }
            })
            .is_ok()
}

/// Ranges, both ends included, in order.
const UNSEEN: [(char, char); 25] = [
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{600}', '\u{605}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{6dd}', '\u{6dd}'),
    ('\u{70f}', '\u{70f}'),
    ('\u{890}', '\u{891}'),
    ('\u{8e2}', '\u{8e2}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{2028}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fffb}'),
    ('\u{110bd}', '\u{110bd}'),
    ('\u{110cd}', '\u{110cd}'),
    ('\u{13430}', '\u{1343f}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e0fff}'),
];

/// True for a character that changes the shape of the one before it: joiners, and selectors of text or picture style.
fn shapes(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}')
}

/// True if `c` may change the shape of `last`. Letters of the scripts up to Hebrew have no other shape, so no word can
/// hide one of these after them. Never true twice in a row.
fn is_shaped(last: char, c: char) -> bool {
    let picture = |c: char| matches!(c, '\u{fe0e}' | '\u{fe0f}');
    match picture(c) {
        true => !is_unseen(last) && (!last.is_ascii() || last.is_ascii_digit() || matches!(last, '#' | '*')),
        false => last >= '\u{600}' && !('\u{1e00}'..='\u{1fff}').contains(&last) && (!is_unseen(last) || picture(last)),
    }
}

/// Cuts `text` to at most `most` characters, with an ellipsis in place of the rest.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_steers_a_terminal_or_a_reader_gets_through() {
        assert_eq!(clean("plain é 骰"), "plain é 骰");
        assert_eq!(clean("a\r\nb\x1b[31mc\x03"), "a  b [31mc ");
        assert_eq!(clean("x\u{202e}y\u{200b}z"), "xyz");
        assert_eq!(clean("T\u{200d}su\u{fe0f}\u{ad}bame"), "Tsubame");
        assert_eq!(clean("👩\u{200d}\u{200d}🚀\u{e0067}"), "👩\u{200d}🚀");
    }

    #[test]
    fn what_is_unseen_stands_in_order() {
        assert!(UNSEEN.windows(2).all(|pair| pair[0].1 < pair[1].0) && UNSEEN.iter().all(|range| range.0 <= range.1));
    }

    #[test]
    fn cutting_counts_characters() {
        assert_eq!(cut("éééé", 4), "éééé");
        assert_eq!(cut("éé é!", 4), "éé…");
    }
}
