//! What was played, as sentences for the story.

use plugin_api::Past;

/// The sentence of an entry; `None` for a plain one.
pub(crate) fn of(past: &Past) -> Option<String> {
    let Past { who, about, result, .. } = *past;
    let whose = about.unwrap_or(who);
    Some(match past.command {
        "soak" => soaked(past)?,
        "test" | "spend" | "reroll" | "up" | "hero" | "drama" | "card" | "dn" => match soaked(past) {
            Some(says) => says,
            None => tested(past),
        },
        "damage" => {
            // Values that were looked up follow in parentheses.
            let harm = result.split_once(": ").map_or(result, |(_, harm)| harm).split(" (").next().unwrap_or_default();
            match (about, harm) {
                (Some(hit), "no harm") => format!("{who} did {hit} no harm"),
                (Some(hit), harm) if hit == who => format!("{who} took {harm}"),
                (Some(hit), harm) => format!("{who} hurt {hit}: {harm}"),
                (None, harm) => format!("{who} did damage: {harm}"),
            }
        }
        "wounds" | "shock" => format!("{whose} now had {result}"),
        "possibilities" => format!("{whose} now had {} Possibilities", result.trim_start_matches("Possibilities ")),
        "bd" => format!("{who} rolled {}", result.replace(" BD = ", " bonus dice for ")),
        "defend" => format!("{who} defended with {:+}", past.number("bonus")?),
        "disconnect" if result.starts_with("disconnected") => format!("{whose} lost touch with their reality"),
        "disconnect" => format!("{whose} was connected again"),
        "newact" => "A new act began".to_owned(),
        _ => return None,
    })
}

/// What was done about a test besides making it.
fn done(command: &str) -> &'static str {
    match command {
        "spend" => " spent a Possibility and",
        "hero" => " played a Hero card and",
        "drama" => " played a Drama card and",
        "card" => " played a card and",
        "reroll" => " rerolled and",
        _ => "",
    }
}

fn tested(past: &Past) -> String {
    let Past { who, result, .. } = *past;
    let (done, score) = (done(past.command), past.score());
    if result.starts_with("MISHAP") {
        return format!("{who} had a Mishap and failed");
    }
    // Several targets have a result each: `38: OUTSTANDING vs 10, GOOD vs 14`.
    if let Some((total, each)) = result.split_once(": ")
        && total.parse::<i64>().is_ok()
    {
        let each = each.split(" (").next().unwrap_or_default().to_lowercase();
        return format!("{who}{done} reached {total}: {}", each.replace(" vs ", " against "));
    }
    let ended = match past.word("outcome") {
        Some("good") => "had a Good success",
        Some("outstanding") => "had an Outstanding success",
        Some("standard") => "succeeded",
        Some(_) => "failed",
        None => "rolled",
    };
    match past.word("outcome") {
        Some(_) => format!("{who}{done} {ended}{score}"),
        None => format!("{who}{done} rolled {}", past.number("total").unwrap_or_default()),
    }
}

/// A soak, or more done about one.
fn soaked(past: &Past) -> Option<String> {
    let (who, done) = (past.who, done(past.command));
    let rest = past.result.strip_prefix("soaks ");
    match rest {
        Some(rest) => {
            // `#20: 2 Wounds left`
            let left = rest.split_once(": ").map_or(rest, |(_, left)| left);
            let left = if rest.starts_with('#') { format!("the damage: {left}") } else { left.to_owned() };
            Some(format!("{who}{done} soaked {left}"))
        }
        None => past.result.starts_with("soak ").then(|| format!("{who}{done} could not soak the damage")),
    }
}
