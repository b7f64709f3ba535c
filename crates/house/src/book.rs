//! A journal as a story to read afterwards, scene by scene, in sentences. As Markdown, or as one HTML page with the dice in
//! the margin. What each entry says is `sentence`'s business.

use crate::sentence::{Part, Sentence, Teller};
use chat::{html, markdown};
use journal::export::{ExportError, Exported};
use std::collections::BTreeMap;
use std::io::Write;
use table::Plugins;
use table::own::Split;

/// The form of a story.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// Markdown.
    Markdown,
    /// One HTML page.
    Html,
}

/// Writes the story. Returns the number of its parts.
///
/// # Errors
/// The store or the file failed.
pub fn write(table: &Exported, plugins: &Plugins, told: Told, out: &mut dyn Write) -> Result<u64, ExportError> {
    let (name, teller) = (table.name(), Teller::new(plugins, table.doc()));
    match told {
        Told::Markdown => writeln!(out, "# {}\n", markdown(&name))?,
        Told::Html => write!(out, "{HEAD}<title>{0}</title>\n<h1>{0}</h1>\n", html(&name))?,
    }
    let (mut parts, mut scenes) = (0, Scenes::default());
    for page in table.pages() {
        let page = page?;
        let scene = scenes.split.forwards(&page);
        let Some(part) = teller.part(&page) else { continue };
        parts += 1;
        for part in scenes.goes_on(scene, &part).into_iter().chain([part]) {
            match told {
                Told::Markdown => out.write_all(part.as_markdown().as_bytes())?,
                Told::Html => out.write_all(part.as_html().as_bytes())?,
            }
        }
    }
    Ok(parts)
}

/// The scenes that were begun so far, by the entry with which their room began to play apart, and the one that was told last.
#[derive(Default)]
struct Scenes {
    split: Split,
    titles: BTreeMap<Option<u64>, String>,
    last: Option<u64>,
}

impl Scenes {
    /// What comes before a part of the story if it is from another scene than the part before.
    fn goes_on(&mut self, scene: Option<u64>, part: &Part) -> Option<Part> {
        let again = |title: String| Part::Scene(format!("{title} (continued)"));
        let elsewhere = std::mem::replace(&mut self.last, scene) != scene;
        match part {
            Part::Scene(title) => {
                self.titles.insert(scene, title.clone());
                None
            }
            Part::Ends => self.titles.remove(&scene).filter(|_| elsewhere).map(again),
            _ if elsewhere => Some(self.titles.get(&scene).cloned().map_or(Part::Ends, again)),
            _ => None,
        }
    }
}

impl Part {
    fn as_markdown(&self) -> String {
        match self {
            Part::Scene(title) => format!("\n## {}\n\n", markdown(title)),
            Part::Ends => "\n---\n\n".to_owned(),
            Part::Noted { who, what } => format!("> {}: {}\n\n", markdown(who), markdown(what)),
            Part::Did(did) => {
                let begins =
                    did.begins().map(|begins| format!("*{}* ", markdown(begins.trim_end()))).unwrap_or_default();
                let dice = if did.dice.is_empty() { String::new() } else { format!(" ({})", markdown(&did.dice)) };
                let (who, rest) = divided(did);
                let who = if who.is_empty() { String::new() } else { format!("**{}**", markdown(who)) };
                format!("{begins}{who}{}{}{dice}\n\n", markdown(rest), markdown(&did.mark()))
            }
        }
    }

    fn as_html(&self) -> String {
        match self {
            Part::Scene(title) => format!("<h2>{}</h2>\n", html(title)),
            Part::Ends => "<hr>\n".to_owned(),
            Part::Noted { who, what } => format!("<blockquote>{}: {}</blockquote>\n", html(who), html(what)),
            Part::Did(did) => {
                let begins =
                    did.begins().map(|begins| format!("<em>{}</em> ", html(begins.trim_end()))).unwrap_or_default();
                let dice =
                    if did.dice.is_empty() { String::new() } else { format!("<small>{}</small>", html(&did.dice)) };
                let (who, rest) = divided(did);
                let who = if who.is_empty() { String::new() } else { format!("<b>{}</b>", html(who)) };
                format!("<p>{dice}{begins}{who}{}{}</p>\n", html(rest), html(&did.mark()))
            }
        }
    }
}

/// A sentence's subject, if it begins with that, and the rest.
fn divided(did: &Sentence) -> (&str, &str) {
    match did.says.strip_prefix(did.who.as_str()) {
        Some(rest) if !did.who.is_empty() => (&did.who, rest),
        _ => ("", &did.says),
    }
}

/// The head of the page. It loads nothing from anywhere.
pub(crate) const HEAD: &str = "<!doctype html>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
    <style>body{max-width:40em;margin:2em auto;padding:0 1em;font:1.1em/1.5 serif}\
    small{float:right;clear:right;width:12em;margin:0 -14em 0 1em;color:#777;font:0.8em monospace}\
    @media(max-width:70em){small{float:none;display:block;margin:0;width:auto}}</style>\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_typed_is_text_in_either_form() {
        let did = Part::Did(Sentence {
            who: "*Ann*".into(),
            remark: Some("<script>alert(1)</script>\n# over the wall".into()),
            says: "*Ann* succeeded with 18 against <Ogre>.".into(),
            dice: "d20=11".into(),
            added: None,
        });
        assert_eq!(
            did.as_markdown(),
            "*\\<script\\>alert(1)\\</script\\> \\# over the wall:* **\\*Ann\\*** succeeded with 18 against \\<Ogre\\>. (d20=11)\n\n"
        );
        assert_eq!(
            did.as_html(),
            "<p><small>d20=11</small><em>&lt;script&gt;alert(1)&lt;/script&gt; # over the wall:</em> <b>*Ann*</b> succeeded with \
             18 against &lt;Ogre&gt;.</p>\n"
        );
    }
}
