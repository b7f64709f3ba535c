//! What was played, as sentences for the story.

use plugin_api::Past;

/// The sentence of an entry; `None` for a plain one.
pub(crate) fn of(past: &Past) -> Option<String> {
    let Past { who, result, .. } = *past;
    match past.command {
        "players" | "reboot" | "dial" | "spot" => return Some(String::new()),
        // `Countess vs Vega: DRAW 9 : 7`
        "oppose" | "resist" if result.contains(" vs ") => return Some(result.to_owned()),
        "series" => return Some("A Series began".to_owned()),
        "episode" => return Some("An Episode began".to_owned()),
        _ => {}
    }
    // `SUCCESS on 11: helps Bright, +2d`, `FAILS, control kept (8)`
    let ended = [
        ("SUCCESS", "succeeded"),
        ("SUCCEEDS", "succeeded"),
        ("FAILS", "failed"),
        ("FAIL", "failed"),
        ("CHOICE", "had a choice"),
    ];
    let (word, rest) = result.split_once([' ', ',']).map_or((result, ""), |(word, _)| (word, &result[word.len()..]));
    let (_, says) = ended.into_iter().find(|(shown, _)| *shown == word)?;
    // How many dice were kept is for the answer.
    let rest = match (rest.find(" ("), rest.find("): ")) {
        (Some(from), Some(to)) if from < to => format!("{}{}", &rest[..from], &rest[to + 1..]),
        (Some(from), _) => rest[..from].to_owned(),
        _ => rest.to_owned(),
    };
    Some(format!("{who} {says}{rest}"))
}
