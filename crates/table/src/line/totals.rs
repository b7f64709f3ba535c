//! The total of an earlier roll in a change of a counter: `hp -#23` is `hp -7` if #23 came to 7.

use crate::attempt::Attempt;
use crate::draft::Draft;
use host::Host;
use host::rights::Act;
use host::unplayed::Unplayed;
use journal::Page;
use plugin_api::Refusal;
use serde_json::Value;

/// The line with the total in place of the roll's number, if it has one and changes a counter.
///
/// # Errors
/// That is no roll with a total that all who read the answer may know. Or the store cannot be read.
pub(super) fn with_total(draft: &Draft, host: &Host, typed: &str, attempt: &Attempt<'_>) -> Result<String, Unplayed> {
    let sheet = attempt.sheet();
    let with = |before: &str, total: i64, after: &str| format!("{before}{total}{after}");
    let changes = |(before, _, after): &(&str, u64, &str)| sheet.called(&with(before, 0, after)).is_some();
    let Some((before, number, after)) = changed_by(typed).filter(changes) else { return Ok(typed.to_owned()) };
    let ledger = draft.ledger(host);
    let known = |page: &Page| {
        !page.is_secret() || (attempt.is_secret() && attempt.rights.may(&attempt.doc, Act::Read(&page.entry)))
    };
    let page = ledger.page(ledger.current(number)?)?.filter(|page| !page.is_void() && known(page));
    match page.and_then(|page| page.facts().get("total").and_then(Value::as_i64)) {
        Some(total) if total >= 0 => Ok(with(before, total, after)),
        _ => Err(Refusal::new(format!("#{number} is no roll that came to a number"))
            .about(format!("#{number}"))
            .example("history")
            .into()),
    }
}

/// The parts of a line around the number of a roll that comes after a sign: `hp -`, 23 and the rest.
fn changed_by(typed: &str) -> Option<(&str, u64, &str)> {
    let at = typed.find('#').filter(|at| typed[..*at].ends_with(['+', '-']))?;
    let digits = typed[at + 1..].bytes().take_while(u8::is_ascii_digit).count();
    let end = at + 1 + digits;
    let alone = typed[end..].is_empty() || typed[end..].starts_with(char::is_whitespace);
    Some((&typed[..at], typed[at + 1..end].parse().ok().filter(|_| alone)?, &typed[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_number_after_a_sign_is_a_roll() {
        assert_eq!(changed_by("hp -#23"), Some(("hp -", 23, "")));
        assert_eq!(changed_by("hp +#4 # the arrow"), Some(("hp +", 4, " # the arrow")));
        for line in ["hp -7 #23", "hp #23", "hp -#x", "hp -#2x", "hp -#", "hp - # 5"] {
            assert_eq!(changed_by(line), None, "{line}");
        }
    }
}
