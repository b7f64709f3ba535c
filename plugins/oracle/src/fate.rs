//! Yes or no. A d100 at or below the chance is a yes. The best fifth of the yeses is a "yes, and", the worst fifth a "yes, but";
//! the noes are divided in the same way.

use plugin_api::{Refusal, Reply, Turn};

/// Characters of a question that are shown.
const MOST_SHOWN: usize = 60;

/// The answer of a d100, at this chance in percent, 1 to 99.
fn answer(die: u32, chance: u32) -> &'static str {
    let (yes, no) = (chance / 5, (100 - chance) / 5);
    match die {
        _ if die <= yes => "Yes, and",
        _ if die <= chance - yes => "Yes",
        _ if die <= chance => "Yes, but",
        _ if die <= chance + no => "No, but",
        _ if die <= 100 - no => "No",
        _ => "No, and",
    }
}

/// Answers a question.
///
/// # Errors
/// The command has no dice left.
pub(crate) fn ask(turn: &mut Turn, chance: u32, question: &str) -> Result<Reply, Refusal> {
    let die = turn.throw_die(100)?;
    let answer = answer(die.value, chance);
    let reply = Reply::new().bold(answer).text(format!(" | {chance} % yes | ")).die(die.to_string());
    let short: String = question.chars().take(MOST_SHOWN).collect();
    let rest = if short.len() < question.len() { "…" } else { "" };
    let reply = if short.is_empty() { reply } else { reply.text(format!(" | {short}{rest}")) };
    let (yes, no) = (chance / 5, (100 - chance) / 5);
    let why = format!(
        "1 to {chance} is a yes: to {yes} with more, above {} with less; 1 to {no} above that is a no with a hope, the last {no} are worse",
        chance - yes
    );
    Ok(reply.why(why).fact("outcome", answer.to_lowercase()).fact("chance", chance))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn chances(chance: u32) -> BTreeMap<&'static str, u32> {
        let mut all = BTreeMap::new();
        (1..=100).for_each(|die| *all.entry(answer(die, chance)).or_default() += 1);
        all
    }

    #[test]
    fn every_answer_has_the_stated_chance() {
        let of = |chance| {
            let all = chances(chance);
            ["Yes, and", "Yes", "Yes, but", "No, but", "No", "No, and"]
                .map(|each| all.get(each).copied().unwrap_or_default())
        };
        assert_eq!(of(50), [10, 30, 10, 10, 30, 10]);
        assert_eq!(of(75), [15, 45, 15, 5, 15, 5]);
        assert_eq!(of(25), [5, 15, 5, 15, 45, 15]);
        for chance in 1..100 {
            assert_eq!(of(chance)[..3].iter().sum::<u32>(), chance);
        }
    }
}
