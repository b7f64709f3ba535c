//! What is rolled once more, and what is added to a roll: `!roll again`, `!roll +2`.

use super::Table;
use super::ledger::{Ledger, Page};
use super::line::Attempt;
use super::resolve::NotFound;
use crate::bot::Bot;
use crate::route::{Arguments, CommandLine};
use plugin_api::Refusal;

/// The plugin whose commands are dice and nothing else.
pub(super) const DICE: &str = "roll";
/// The word for the last roll.
const AGAIN: &str = "again";
/// Entries of a character among which its last roll is looked for.
const MOST_LOOKED_AT: usize = 100;

impl Table {
    /// The line that a roll which begins with `again`, or with an operator, stands for; its words begin at byte `from`.
    pub(super) fn on_the_last(
        &self,
        bot: &Bot,
        line: &CommandLine,
        from: usize,
        attempt: &Attempt<'_>,
    ) -> Result<Option<CommandLine>, NotFound> {
        let arguments = Arguments::of(&line.typed, false);
        let words = arguments.typed.get(from..).unwrap_or_default().trim();
        let comment = arguments.comment.as_deref();
        let again =
            words.get(..AGAIN.len()).filter(|word| word.eq_ignore_ascii_case(AGAIN)).map(|_| &words[AGAIN.len()..]);
        let again = again.filter(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace));
        let typed = match again {
            Some(more) => {
                let Some(last) = self.last_roll(bot, attempt)? else {
                    return Err(Refusal::new("you have not rolled here yet").example("roll 2d6+3").into());
                };
                let text = last.text().unwrap_or_default();
                let first = Arguments::of(&text, false);
                let comment = comment.or(first.comment.as_deref()).map(|comment| format!(" # {comment}"));
                format!("{}{more}{}", first.typed, comment.unwrap_or_default())
            }
            None if words.starts_with(['+', '-', '*', '/']) => {
                let Some(last) = self.last_roll(bot, attempt)? else { return Ok(None) };
                let number = last.number();
                let total = last.facts().get("total").and_then(serde_json::Value::as_i64);
                let (Some(total), false) = (total, last.facts().contains_key("totals")) else {
                    let what = format!("your last roll, #{number}, has several results");
                    return Err(Refusal::new(what).example("roll again").into());
                };
                let why = comment.map_or(format!("on #{number}"), |comment| format!("on #{number}, {comment}"));
                format!("{} {total} {words} # {why}", &line.typed[..from])
            }
            None => return Ok(None),
        };
        Ok(Some(CommandLine { typed, ..*line }))
    }

    /// The last roll of plain dice by who acts, of which everybody who reads the answer may know.
    fn last_roll(&self, bot: &Bot, attempt: &Attempt<'_>) -> Result<Option<Page>, NotFound> {
        let ledger = Ledger { bot, table: self };
        for page in ledger.of_character(attempt.actor).take(MOST_LOOKED_AT) {
            let page = page?;
            let known = !page.is_secret() || attempt.secret;
            if page.entry.game == DICE && known && !page.is_void() && page.text().is_some() {
                return Ok(Some(page));
            }
        }
        Ok(None)
    }
}
