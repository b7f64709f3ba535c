//! The ways to end: `6: TRIUMPH | success`, `7-9: ...`, `if EXPR: ...`, `else: ...`.

use crate::expression::{Dice, Expression, Kind, Names, Operator, parse};
use crate::game::End;
use crate::lines::Line;
use crate::mistake::Mistake;
use crate::template::Template;

/// What a result is called that ends are measured by.
pub const VALUE: &str = "value";

/// Reads one way to end.
///
/// # Errors
/// It cannot be read, or it measures a result that there is none of.
pub fn end(line: &Line, names: &Names) -> Result<End, Mistake> {
    let when = when(line, names)?;
    let (said, result) = match line.value().rsplit_once('|') {
        Some((said, result)) => (said, Some(result.trim())),
        None => (line.value(), None),
    };
    let success = match result {
        None => None,
        Some("success") => Some(true),
        Some("failure") => Some(false),
        Some(other) => {
            let what = format!("behind the | stands success or failure, and not \"{other}\"");
            return Err(line.value_wrong(what));
        }
    };
    let (start, stop) = (line.from, line.from + said.len());
    let colon = outside_braces(&line.text[start..stop]).map_or(stop, |at| start + at);
    let headline = &line.text[start..colon];
    // `{total(die)} DAMAGE` has its fixed words behind what is worked out.
    let mut fixed = headline.split('{').map(|part| part.split_once('}').map_or(part, |(_, behind)| behind));
    let fixed = fixed.find(|part| part.contains(char::is_alphabetic)).unwrap_or_default();
    let outcome = in_capitals(fixed.trim().trim_end_matches([',', '.'])).trim_end_matches([',', '.']).to_owned();
    if outcome.is_empty() {
        return Err(line.value_wrong("a way to end needs fixed words that say how it ended, as in \"FULL SUCCESS\""));
    }
    Ok(End {
        when,
        outcome,
        headline: Template::read(line, start..colon, names)?,
        more: Template::read(line, (colon + 1).min(stop)..stop, names)?,
        success,
    })
}

/// Up to the last word in capitals, if there is one: of `RESISTED at`, the first word.
fn in_capitals(fixed: &str) -> &str {
    let shouts = |word: &str| word.len() > 1 && word.chars().all(|c| !c.is_lowercase());
    let mut end = None;
    for word in fixed.split_inclusive(' ') {
        let from = end.unwrap_or(0).max(word.as_ptr() as usize - fixed.as_ptr() as usize);
        end = if shouts(word.trim()) { Some(from + word.trim_end().len()) } else { end };
    }
    end.map_or(fixed, |end| &fixed[..end])
}

/// Where the first colon is that stands in no braces.
pub fn outside_braces(text: &str) -> Option<usize> {
    let mut depth = 0;
    text.char_indices().find_map(|(at, c)| {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        (c == ':' && depth == 0).then_some(at)
    })
}

/// When it ends so.
fn when(line: &Line, names: &Names) -> Result<Option<Expression>, Mistake> {
    let name = line.name.as_str();
    let start = line.text.len() - line.text.trim_start().len();
    if name == "else" {
        return Ok(None);
    }
    if let Some(condition) = name.strip_prefix("if ") {
        let from = start + name.len() - condition.len();
        let place = from..start + name.len();
        let condition = parse(line, place.clone(), names, Dice::Lie)?;
        if condition.kind != Kind::Flag {
            return Err(line.wrong(place, format!("a condition is yes or no, and this is {}", condition.kind)));
        }
        return Ok(Some(condition.expression));
    }
    if !names.contains_key(VALUE) {
        return Err(
            line.name_wrong("nothing is measured here: write \"total: ...\" above, or \"if ...\" in place of a number")
        );
    }
    let value = || Box::new(Expression::Name(VALUE.to_owned()));
    let compared = |operator, number| Expression::Both(operator, value(), Box::new(Expression::Number(number)));
    let number = |text: &str| text.trim().parse::<i64>();
    let wrong = |_| line.name_wrong("this is none of 6, 10+, 7-9, 3-, \"if ...\" and \"else\"");
    if let Some(least) = name.strip_suffix('+') {
        return Ok(Some(compared(Operator::AtLeast, number(least).map_err(wrong)?)));
    }
    if let Some(most) = name.strip_suffix('-') {
        return Ok(Some(compared(Operator::AtMost, number(most).map_err(wrong)?)));
    }
    let between = name.char_indices().skip(1).find(|(_, c)| *c == '-').map(|(at, _)| at);
    let Some(between) = between else { return Ok(Some(compared(Operator::Equal, number(name).map_err(wrong)?))) };
    let (least, most) = (number(&name[..between]).map_err(wrong)?, number(&name[between + 1..]).map_err(wrong)?);
    let [least, most] = [compared(Operator::AtLeast, least), compared(Operator::AtMost, most)].map(Box::new);
    Ok(Some(Expression::Both(Operator::And, least, most)))
}
