//! Reads what phones type: what was meant, whatever the keyboard made of it.

use unicode_normalization::UnicodeNormalization;

/// Replaces typographic dashes, quotation marks, spaces and full-width characters in `text` by plain ones, and removes
/// unseen characters. Accented letters are put into one form, so that a name typed twice is one name.
pub fn as_meant(text: &str) -> String {
    let plain = match text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()) {
        true => text.to_owned(),
        false => text.chars().filter_map(plain).nfc().collect(),
    };
    // `vs.Ogre`
    match plain.split_once(" vs.") {
        Some((before, after)) if after.starts_with(char::is_alphanumeric) => format!("{before} vs {after}"),
        _ => plain,
    }
}

fn plain(c: char) -> Option<char> {
    Some(match c {
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' => '-',
        '\u{2018}'..='\u{201b}' | '\u{2032}' | '\u{b4}' => '\'',
        '\u{201c}'..='\u{201f}' | '\u{ab}' | '\u{bb}' | '\u{2033}' => '"',
        '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        // Full-width forms are in ASCII order, from ! to ~.
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xff01 + 0x21).unwrap_or(c),
        '\u{d7}' => 'x',
        '\u{f7}' => '/',
        // A line or paragraph separator inside a line becomes a space.
        '\u{2028}' | '\u{2029}' => ' ',
        c if c.is_control() => ' ',
        c if crate::is_unseen(c) => return None,
        c => c,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_phones_type_reads_as_meant() {
        assert_eq!(as_meant("！ｒｏｌｌ\u{a0}２ｄ６−１"), "!roll 2d6-1");
        assert_eq!(as_meant("6× 4d6 – 1 “Old Tom” it’s"), "6x 4d6 - 1 \"Old Tom\" it's");
        assert_eq!(as_meant("!ro\u{200b}ll\t2d6\x07"), "!roll 2d6 ");
        assert_eq!(as_meant("act d8 vs.Ogre"), "act d8 vs Ogre");
        assert_eq!(as_meant("note Ann vs. Ogre"), "note Ann vs. Ogre");
        assert_eq!(as_meant("é骰"), "é骰");
        assert_eq!(as_meant("Zoe\u{301}"), "Zo\u{e9}");
    }
}
