//! What people call the table's own commands, as rows of data: what they type, and the line that it means.

/// A phrase and the line that it means. In the phrase, `{}` is the rest of the line, which may be empty, and `{1}` and `{2}` are a word
/// each, or a name in quotation marks. A phrase without `{}` is the whole line.
const PHRASES: &[(&str, &str)] = &[
    ("afk {}", "away {}"),
    ("brb {}", "away {}"),
    ("gone {}", "away {}"),
    ("holiday {}", "away {}"),
    ("unavailable {}", "away {}"),
    ("vacation {}", "away {}"),
    ("character sheet {}", "sheet {}"),
    ("character {}", "iam {}"),
    ("name {}", "iam {}"),
    ("whoami", "iam"),
    ("characters", "pc"),
    ("party", "pc"),
    ("npc {}", "pc {}"),
    ("alias {}", "macro {}"),
    ("shortcut {}", "macro {}"),
    ("charsheet {}", "sheet {}"),
    ("stats {}", "sheet {}"),
    ("variables {}", "values {}"),
    ("luck {}", "cursed {}"),
    ("chance {}", "odds {}"),
    ("chances {}", "odds {}"),
    ("probability {}", "odds {}"),
    ("correct {}", "amend {}"),
    ("edit {}", "amend {}"),
    ("fix {}", "amend {}"),
    ("oops", "undo"),
    ("revert {}", "undo {}"),
    ("rollback {}", "undo {}"),
    ("journal {}", "history {}"),
    ("log {}", "history {}"),
    ("rolls {}", "history {}"),
    ("blind {}", "secret {}"),
    ("hidden {}", "secret {}"),
    ("private {}", "secret {}"),
    ("end scene", "scene end"),
    ("finish scene", "scene end"),
    ("new scene {}", "scene {}"),
    ("memo {}", "note {}"),
    ("remember {}", "note {}"),
    ("commands", "help"),
    ("manual", "help"),
    ("rules {}", "help {}"),
    ("rename {1}", "iam {1}"),
    ("rename {1} {2}", "as {1} iam {2}"),
    ("rename {1} to {2}", "as {1} iam {2}"),
];

/// The line that a line means which begins with this word, in lower case; `rest` is what follows it.
pub(crate) fn synonym(word: &str, rest: &str) -> Option<String> {
    PHRASES.iter().find_map(|(phrase, meant)| filled(phrase, meant, word, rest))
}

fn filled(phrase: &str, meant: &str, word: &str, rest: &str) -> Option<String> {
    let mut parts = phrase.split(' ');
    let (mut meant, mut rest) = (meant.to_owned(), rest.trim());
    if parts.next() != Some(word) {
        return None;
    }
    for part in parts {
        if part == "{}" {
            return Some(meant.replace(part, rest).trim_end().to_owned());
        }
        let (next, behind) = first_word(rest)?;
        match part.starts_with('{') {
            true => meant = meant.replace(part, next),
            false if next.eq_ignore_ascii_case(part) => {}
            false => return None,
        }
        rest = behind;
    }
    rest.is_empty().then_some(meant)
}

/// The first word of a text, or a name in quotation marks, and the rest.
fn first_word(text: &str) -> Option<(&str, &str)> {
    let quoted = text.strip_prefix('"').and_then(|text| text.find('"')).map(|end| end + 2);
    let end = quoted.or_else(|| text.find(char::is_whitespace)).unwrap_or(text.len());
    Some((&text[..end], text[end..].trim_start())).filter(|(word, _)| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_filled_in() {
        for (typed, meant) in [
            ("brb ten minutes", Some("away ten minutes")),
            ("end scene", Some("scene end")),
            ("end Scene", Some("scene end")),
            ("new scene The mill", Some("scene The mill")),
            ("rename Mia", Some("iam Mia")),
            ("rename \"Old Ogre\" Troll", Some("as \"Old Ogre\" iam Troll")),
            ("rename Ogre to Troll", Some("as Ogre iam Troll")),
            ("rename", None),
            ("end scene here", None),
        ] {
            let (word, rest) = typed.split_once(' ').unwrap_or((typed, ""));
            assert_eq!(synonym(word, rest).as_deref(), meant, "{typed}");
        }
    }
}
