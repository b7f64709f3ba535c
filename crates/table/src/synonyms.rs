//! What people call the table's own commands. `{}` is what they type behind it.

const SYNONYMS: [(&str, &str); 37] = [
    ("afk", "away {}"),
    ("brb", "away {}"),
    ("gone", "away {}"),
    ("holiday", "away {}"),
    ("unavailable", "away {}"),
    ("vacation", "away {}"),
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
    ("memo", "note {}"),
    ("remember", "note {}"),
    ("commands", "help"),
    ("manual", "help"),
];

/// The line that a word which is no command means, with the rest of the line in it.
pub(crate) fn synonym(word: &str, rest: &str) -> Option<String> {
    // `character sheet Bob`
    if word == "character" && rest.split(' ').next().is_some_and(|next| next.eq_ignore_ascii_case("sheet")) {
        return Some(rest.to_owned());
    }
    let (_, meant) = SYNONYMS.iter().find(|(each, _)| *each == word)?;
    Some(meant.replace("{}", rest).trim_end().to_owned())
}
