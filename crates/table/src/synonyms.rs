//! What people call the table's own commands, in one word or two. `{}` is what they type behind it.

const SYNONYMS: [(&str, &str); 42] = [
    ("afk", "away {}"),
    ("brb", "away {}"),
    ("gone", "away {}"),
    ("holiday", "away {}"),
    ("unavailable", "away {}"),
    ("vacation", "away {}"),
    ("character sheet", "sheet {}"),
    ("character", "iam {}"),
    ("name", "iam {}"),
    ("whoami", "iam"),
    ("characters", "pc"),
    ("party", "pc"),
    ("npc", "pc {}"),
    ("alias", "macro {}"),
    ("shortcut", "macro {}"),
    ("charsheet", "sheet {}"),
    ("stats", "sheet {}"),
    ("variables", "values {}"),
    ("luck", "cursed {}"),
    ("chance", "odds {}"),
    ("chances", "odds {}"),
    ("probability", "odds {}"),
    ("correct", "amend {}"),
    ("edit", "amend {}"),
    ("fix", "amend {}"),
    ("oops", "undo"),
    ("revert", "undo {}"),
    ("rollback", "undo {}"),
    ("journal", "history {}"),
    ("log", "history {}"),
    ("rolls", "history {}"),
    ("blind", "secret {}"),
    ("hidden", "secret {}"),
    ("private", "secret {}"),
    ("end scene", "scene end"),
    ("finish scene", "scene end"),
    ("new scene", "scene {}"),
    ("memo", "note {}"),
    ("remember", "note {}"),
    ("commands", "help"),
    ("manual", "help"),
    ("rules", "help {}"),
];

/// The line that a word which is no command means, with the rest of the line in it.
pub(crate) fn synonym(word: &str, rest: &str) -> Option<String> {
    let (second, behind) = rest.split_once(' ').unwrap_or((rest, ""));
    let both = format!("{word} {}", second.to_lowercase());
    let of = |words: &str| SYNONYMS.iter().find(|(each, _)| *each == words).map(|(_, meant)| *meant);
    let (meant, rest) = of(&both).map(|meant| (meant, behind)).or_else(|| Some((of(word)?, rest)))?;
    Some(meant.replace("{}", rest).trim_end().to_owned())
}
