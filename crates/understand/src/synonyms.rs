//! What people call the table's own commands, as rows of data: what they type, and the line that it means.

/// A phrase and the line that it means. `{}` is the rest of the line, which may be empty. A phrase without it is the whole line.
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
    ("again {}", "roll again {}"),
    ("repeat", "roll again"),
    ("same again", "roll again"),
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
];

/// The line that a line means which begins with this word, in lower case; `rest` is what follows it.
pub fn synonym(word: &str, rest: &str) -> Option<String> {
    PHRASES.iter().find_map(|(phrase, meant)| filled(phrase, meant, word, rest))
}

fn filled(phrase: &str, meant: &str, word: &str, rest: &str) -> Option<String> {
    let mut rest = rest.trim();
    let mut parts = phrase.split(' ');
    if parts.next() != Some(word) {
        return None;
    }
    for part in parts {
        if part == "{}" {
            return Some(meant.replace(part, rest).trim_end().to_owned());
        }
        let (next, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        rest = behind.trim_start();
        if !next.eq_ignore_ascii_case(part) {
            return None;
        }
    }
    rest.is_empty().then(|| meant.to_owned())
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
            ("end scene here", None),
        ] {
            let (word, rest) = typed.split_once(' ').unwrap_or((typed, ""));
            assert_eq!(synonym(word, rest).as_deref(), meant, "{typed}");
        }
    }
}
