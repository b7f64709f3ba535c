//! What was played, as sentences for the story.

use plugin_api::Past;

/// The sentence of an entry; `None` for a plain one.
pub(crate) fn of(past: &Past) -> Option<String> {
    let Past { who, about, result, .. } = *past;
    let whose = about.unwrap_or(who);
    Some(match past.command {
        "act" | "vs" | "scratch" => acted(past),
        "counter" => {
            let answered = past.answer.split(" | ").find_map(|part| part.split_once("'s roll: "));
            let shown = |roll: &str| roll.split_whitespace().nth(1).unwrap_or_default().to_owned();
            let total = shown(result);
            match answered {
                Some((actor, roll)) if roll.starts_with("SUCCESS") => {
                    format!("{who} countered with {total}, but {actor} succeeded with {}{}", shown(roll), impact(roll))
                }
                Some((actor, roll)) if roll.starts_with("COUNTERED") => {
                    format!("{who} countered {actor}: {total} against {}", shown(roll))
                }
                _ => format!("{who} rolled {total} to counter"),
            }
        }
        "crit" => format!("{who} had a critical success: {}", result.trim_start_matches("CRIT: ")),
        "spend" if past.facts.contains_key("impact_spent") => match result.split_once(" is ") {
            Some((foe, stress)) => format!("{who} spent impact, and {foe} was {stress}"),
            None => format!("{who} spent {} impact", past.number("impact_spent")?),
        },
        "spend" => format!("{who} spent inspiration, with {} left", past.number("inspiration")?),
        "inspiration" => format!("{whose} now had {} inspiration", past.number("inspiration")?),
        "stress" => format!("{whose} was {}", result.split(':').next().unwrap_or(result)),
        _ => return None,
    })
}

fn acted(past: &Past) -> String {
    let Past { who, result, .. } = *past;
    if result.starts_with("COUNTERED") {
        return format!("{who} was countered{}", past.score());
    }
    if result.starts_with("SUCCESS") {
        return format!("{who} succeeded{}{}", past.score(), impact(result));
    }
    format!("{}{}", past.plainly(), impact(result))
}

/// `, impact 3`
fn impact(result: &str) -> String {
    let impact = result.split_once("IMPACT ").map(|(_, impact)| impact.split_whitespace().next().unwrap_or_default());
    impact.map(|impact| format!(", impact {impact}")).unwrap_or_default()
}
