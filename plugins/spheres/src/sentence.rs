//! What was played, as sentences for the story.

use plugin_api::Past;

/// The sentence of an entry; `None` for a plain one.
pub(crate) fn of(past: &Past) -> Option<String> {
    let Past { who, about, result, .. } = *past;
    Some(match past.command {
        "next" | "turn" | "order" | "action" | "vote" | "tier" | "dc" | "passive" | "fate" | "destiny" => String::new(),
        // What a die was thrown for comes with the next command.
        "spend" if result.starts_with("worth ") || result.starts_with("throws ") => String::new(),
        "tilt" if !result.contains("bad element") => String::new(),
        "tilt" | "veto" | "hubris" => upper_first(result),
        "surge" => format!("{who} took a Surge"),
        "rest" => format!("{who} took {result}"),
        "recover" => format!("{who} {}", result.replacen("recovers", "recovered", 1)),
        "encounter" if result.starts_with("encounter on") => "An encounter began".to_owned(),
        "encounter" => "The encounter was over".to_owned(),
        "session" => "A session began".to_owned(),
        "award" => {
            let got = result.replacen(" gets ", " got ", 1);
            upper_first(got.split(". TILT").next().unwrap_or_default())
        }
        "heal" | "join" => result.to_owned(),
        "condition" | "fatigue" => format!("{} was now {result}", about.unwrap_or(who)),
        "stress" => format!("{} now had {result}", about.unwrap_or(who)),
        _ => match result.split_once(" -> ") {
            // `boost with a Tragedy: 12 +5 -> SUCCESS by 1 degree: 17 vs DC 15`
            Some((how, ended)) => {
                let how = how.split(':').next().unwrap_or_default();
                let past = Past { result: ended, ..*past };
                format!("{} ({how})", ended_with(&past)?)
            }
            None => ended_with(past)?,
        },
    })
}

/// How a check ended: `SUCCESS by 2 degrees: 20 vs Ogre`.
fn ended_with(past: &Past) -> Option<String> {
    let Past { who, result, .. } = *past;
    let (how, _) = result.split_once(": ").unwrap_or((result, ""));
    let score = past.score();
    let ended = [
        ("CRITICAL SUCCESS", "had a critical success"),
        ("CRITICAL FAILURE", "had a critical failure"),
        ("SUCCESS", "succeeded"),
        ("FAILURE", "failed"),
    ];
    let (word, says) = ended.into_iter().find(|(word, _)| how.starts_with(word))?;
    Some(format!("{who} {says}{}{score}", how.trim_start_matches(word)))
}

fn upper_first(text: &str) -> String {
    let mut rest = text.chars();
    let first = rest.next().map(|c| c.to_uppercase().collect::<String>()).unwrap_or_default();
    first + rest.as_str()
}
