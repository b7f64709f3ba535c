//! A journal as a story to read afterwards: scene by scene, who did what and how it ended, without secrets and without
//! what was undone. As Markdown, or as one HTML page with the dice in the margin. It knows no game: what a roll was for is
//! its comment, and how it ended is the beginning of its answer.

use crate::HOUSE;
use crate::export::{ExportError, Exported};
use crate::page::Page;
use std::io::Write;

/// The form of a story.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// Markdown.
    Markdown,
    /// One HTML page.
    Html,
}

/// A part of a story.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// A scene begins.
    Scene(String),
    /// A scene ends.
    Ends,
    /// Somebody did something.
    Did { who: String, what: Option<String>, result: String, dice: String },
    /// Somebody noted something.
    Noted { who: String, what: String },
}

/// Writes the story. Returns the number of its parts.
///
/// # Errors
/// The store or the file failed.
pub fn write(table: &Exported, told: Told, out: &mut dyn Write) -> Result<u64, ExportError> {
    let name = table.doc.name.clone().unwrap_or_else(|| table.id.to_string());
    match told {
        Told::Markdown => writeln!(out, "# {}", markdown(&name))?,
        Told::Html => write!(out, "{HEAD}<title>{0}</title>\n<h1>{0}</h1>\n", html(&name))?,
    }
    let mut parts = 0;
    for page in table.pages() {
        let page = page?;
        let Some(part) = part(&page, table.doc.name_of(page.entry.character)) else { continue };
        parts += 1;
        match told {
            Told::Markdown => out.write_all(part.as_markdown().as_bytes())?,
            Told::Html => out.write_all(part.as_html().as_bytes())?,
        }
    }
    Ok(parts)
}

/// What an entry adds to the story; nothing if it is secret, erased or undone, or about the table and not the game.
fn part(page: &Page, who: &str) -> Option<Part> {
    let fate = &page.link.fate;
    let gone = fate.undone_by.is_some() || fate.replaced_by.is_some();
    if gone || page.is_secret() {
        return None;
    }
    let (text, answer) = (page.text()?, page.answer()?);
    let who = who.to_owned();
    if page.entry.game == HOUSE {
        let rest = text.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim());
        return match page.entry.command.as_str() {
            "scene" if answer.ends_with("ends.") => Some(Part::Ends),
            "scene" => Some(Part::Scene(answer.trim_start_matches("Scene: ").trim_end_matches('.').to_owned())),
            "note" => Some(Part::Noted { who, what: rest.to_owned() }),
            _ => None,
        };
    }
    // The result comes first, then the dice, the comment and what can be done next.
    let result = answer.lines().next().unwrap_or_default().split(" | ").next().unwrap_or_default().to_owned();
    let comment = text.split_once(" # ").map(|(_, comment)| comment.trim().to_owned());
    Some(Part::Did { who, what: comment.filter(|comment| !comment.is_empty()), result, dice: page.dice_shown() })
}

impl Part {
    fn as_markdown(&self) -> String {
        match self {
            Part::Scene(title) => format!("\n## {}\n\n", markdown(title)),
            Part::Ends => "\n---\n\n".to_owned(),
            Part::Noted { who, what } => format!("> {}: {}\n\n", markdown(who), markdown(what)),
            Part::Did { who, what, result, dice } => {
                let what = what.as_ref().map(|what| format!(", *{}*", markdown(what))).unwrap_or_default();
                let dice = if dice.is_empty() { String::new() } else { format!(" ({})", markdown(dice)) };
                format!("**{}**{what}: {}{dice}\n\n", markdown(who), markdown(result))
            }
        }
    }

    fn as_html(&self) -> String {
        match self {
            Part::Scene(title) => format!("<h2>{}</h2>\n", html(title)),
            Part::Ends => "<hr>\n".to_owned(),
            Part::Noted { who, what } => format!("<blockquote>{}: {}</blockquote>\n", html(who), html(what)),
            Part::Did { who, what, result, dice } => {
                let what = what.as_ref().map(|what| format!(", <em>{}</em>", html(what))).unwrap_or_default();
                let dice = if dice.is_empty() { String::new() } else { format!("<small>{}</small>", html(dice)) };
                format!("<p>{dice}<b>{}</b>{what}: {}</p>\n", html(who), html(result))
            }
        }
    }
}

/// The head of the page. It loads nothing from anywhere.
const HEAD: &str = "<!doctype html>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
    <style>body{max-width:40em;margin:2em auto;padding:0 1em;font:1.1em/1.5 serif}\
    small{float:right;clear:right;width:12em;margin:0 -14em 0 1em;color:#777;font:0.8em monospace}\
    @media(max-width:70em){small{float:none;display:block;margin:0;width:auto}}</style>\n";

/// Text that means nothing but itself in Markdown.
fn markdown(text: &str) -> String {
    let special = |c: char| matches!(c, '\\' | '*' | '_' | '`' | '#' | '[' | ']' | '<' | '>' | '|' | '~');
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        out.extend(special(c).then_some('\\'));
        out.push(if c.is_control() { ' ' } else { c });
    }
    out
}

/// Text that means nothing but itself in HTML.
fn html(text: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_typed_is_text_in_either_form() {
        let did = Part::Did {
            who: "*Ann*".into(),
            what: Some("<script>alert(1)</script>\n# over the wall".into()),
            result: "SUCCESS 18 vs 12".into(),
            dice: "d20=11".into(),
        };
        assert_eq!(
            did.as_markdown(),
            "**\\*Ann\\***, *\\<script\\>alert(1)\\</script\\> \\# over the wall*: SUCCESS 18 vs 12 (d20=11)\n\n"
        );
        assert_eq!(
            did.as_html(),
            "<p><small>d20=11</small><b>*Ann*</b>, <em>&lt;script&gt;alert(1)&lt;/script&gt; # over the wall</em>: SUCCESS 18 vs 12</p>\n"
        );
    }
}
