//! The pieces of a result: its words, the dice in it, and the tables that it names.

use super::{MOST_NAME, folded};
use crate::Refusal;
use dice::{Dialect, Expression, Notation};

/// A piece of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Words as they stand.
    Words(&'a str),
    /// `[[2d6]]`
    Dice(Box<Expression>),
    /// `[[eyes]]` or `@eyes`: a table, by the name it is found by.
    Table(String),
    /// `[[eyes]]`, where there is no such table.
    Missing(&'a str),
}

/// The pieces of `text`; `knows` tells whether there is a table of that name.
pub fn pieces<'a>(text: &'a str, knows: impl Fn(&str) -> bool) -> Vec<Piece<'a>> {
    let mut pieces = Vec::new();
    let (mut words, mut at) = (0, 0);
    while let Some(found) = text[at..].find(['[', '@']).map(|found| at + found) {
        let next = brackets(&text[found..]).map(|(inner, length)| (between(inner, &knows), length));
        let next = next.or_else(|| named(text, found, &knows).map(|(name, length)| (Piece::Table(name), length)));
        let Some((piece, length)) = next else {
            at = found + 1;
            continue;
        };
        if words < found {
            pieces.push(Piece::Words(&text[words..found]));
        }
        pieces.push(piece);
        at = found + length;
        words = at;
    }
    if words < text.len() {
        pieces.push(Piece::Words(&text[words..]));
    }
    pieces
}

/// The inside of `[[ ]]` at the beginning of `text`, and the length of the whole.
fn brackets(text: &str) -> Option<(&str, usize)> {
    let inside = text.strip_prefix("[[")?;
    let mut end = inside.find("]]")?;
    // The die in `[[d[1,2]]]` has brackets of its own.
    end += usize::from(inside[end..].starts_with("]]]"));
    Some((inside[..end].trim(), end + 4))
}

/// The piece that brackets are.
fn between<'a>(inner: &'a str, knows: &impl Fn(&str) -> bool) -> Piece<'a> {
    let name = folded(inner);
    if knows(&name) {
        return Piece::Table(name);
    }
    // Lines of older tables may have dice that are written in another way now.
    let before = || one_roll(&dice::as_before(inner), Dialect::Native);
    match one_roll(inner, Dialect::Native).and_then(|read| read.is_err().then(before).unwrap_or(Some(read))) {
        Some(Ok(expression)) => Piece::Dice(Box::new(expression)),
        _ => Piece::Missing(inner),
    }
}

/// The longest known name after an `@` at byte `at`, and its length with the sign.
fn named(text: &str, at: usize, knows: &impl Fn(&str) -> bool) -> Option<(String, usize)> {
    let rest = text[at..].strip_prefix('@')?;
    // `ann@example.org` is no table.
    if text[..at].ends_with(char::is_alphanumeric) {
        return None;
    }
    let whole = |end: &usize| !rest[*end..].starts_with(char::is_alphanumeric);
    let ends = rest.char_indices().map(|(end, c)| end + c.len_utf8()).take(MOST_NAME).filter(whole);
    let longest = ends.filter(|end| knows(&folded(&rest[..*end])) && !rest[..*end].ends_with(' ')).max()?;
    Some((folded(&rest[..longest]), 1 + longest))
}

/// Reads dice as one roll, or says what is wrong with them; `None` if they are not even meant as dice.
fn one_roll(inner: &str, dialect: Dialect) -> Option<Result<Expression, String>> {
    let mut rolls = match Notation::typed_in(dialect, inner) {
        Ok(notation) => notation.rolls,
        Err(error) => return means_dice(inner).then_some(Err(error.what)),
    };
    let first = rolls.pop().filter(|first| first.once().is_some());
    Some(match first {
        Some(first) if first.expression.shows_words() => Err("these dice show words, and no number".to_owned()),
        Some(first) if rolls.is_empty() => Ok(first.expression),
        _ => Err("that is more than one roll".to_owned()),
    })
}

/// Whether something in brackets is meant as dice, though it may not read.
fn means_dice(inner: &str) -> bool {
    let sides = inner.strip_prefix(['d', 'D']).unwrap_or(inner);
    sides.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '(' | '{' | '+' | '-' | '%'))
}

/// The text with its dice as they are always read, whatever notation the room reads.
///
/// # Errors
/// Something in brackets is meant as dice, and cannot be read.
pub fn canonical(text: &str, dialect: Dialect) -> Result<String, Refusal> {
    let mut canonical = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(found) = rest.find("[[") {
        let Some((inner, length)) = brackets(&rest[found..]) else { break };
        canonical.push_str(&rest[..found]);
        match one_roll(inner, dialect) {
            Some(Ok(expression)) => canonical.push_str(&format!("[[{expression}]]")),
            Some(Err(what)) => return Err(Refusal::new(format!("[[{inner}]]: {what}"))),
            None => canonical.push_str(&format!("[[{inner}]]")),
        }
        rest = &rest[found + length..];
    }
    Ok(canonical + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let knows = |name: &str| ["eyes", "blood moon", "blood"].contains(&name);
        let show = |piece| match piece {
            Piece::Words(words) => format!("'{words}'"),
            Piece::Dice(dice) => dice.to_string(),
            Piece::Table(name) => format!("@{name}"),
            Piece::Missing(name) => format!("?{name}"),
        };
        pieces(text, knows).into_iter().map(show).collect()
    }

    #[test]
    fn dice_and_tables_are_found_in_a_result() {
        assert_eq!(shown("[[2d6]] wolves with @Eyes."), ["2d6", "' wolves with '", "@eyes", "'.'"]);
        assert_eq!(shown("a [[ Blood  Moon ]]"), ["'a '", "@blood moon"]);
        assert_eq!(shown("@blood moon, @blood moons"), ["@blood moon", "', '", "@blood", "' moons'"]);
        assert_eq!(shown("[[d[1,2]]] [[nothing]]"), ["1d[1,2]", "' '", "?nothing"]);
        assert_eq!(shown("ann@eyes, @Ann, [x] and [[open"), ["'ann@eyes, @Ann, [x] and [[open'"]);
        assert_eq!(shown("@eyes@eyes"), ["@eyes", "'@eyes'"]);
    }

    #[test]
    fn dice_are_kept_as_every_room_reads_them() {
        let read = |text: &str| canonical(text, Dialect::Native).map_err(|refusal| refusal.what);
        assert_eq!(read("[[D6]] of [[eyes]] [[open").as_deref(), Ok("[[1d6]] of [[eyes]] [[open"));
        for wrong in ["[[999999d6]]", "[[2d]]", "[[6x 4d6]]", "[[d6; d8]]"] {
            assert!(read(wrong).is_err_and(|what| what.starts_with("[[")), "{wrong}");
        }
    }
}
