//! `against: vs, dc by ac`: a number that stands on somebody's sheet, and what players could learn of it. Of a referee's
//! character they may not know it: they read how a roll against it ended, and nothing else that depends on it.

use super::take::words;
use crate::expression::Expression;
use crate::lines::Line;
use crate::mistake::Mistake;
use crate::template::Template;
use plugin_api::{Answers, ArgumentSpec, Place};
use std::collections::BTreeSet;

/// What depends on a number that players may not know.
pub type Hidden = BTreeSet<String>;

/// Reads whose values answer a command that takes these arguments. Returns what is hidden then, and the answer.
///
/// # Errors
/// It cannot be read, or nothing is taken behind these words.
pub fn against(line: &Line, command: &str, taken: &[ArgumentSpec]) -> Result<(String, Answers), Mistake> {
    let Some((after, names)) = line.value().split_once(" by ") else {
        return Err(line.value_wrong("this needs words and the numbers that answer, as in \"against: vs, dc by ac\""));
    };
    let (after, names) = (words(after), words(names));
    let behind = |argument: &&ArgumentSpec| matches!(&argument.place, Place::Word(known) if after.iter().all(|word| known.contains(word)));
    let Some(argument) = taken.iter().find(behind).filter(|_| !after.is_empty() && !names.is_empty()) else {
        let what = format!(
            "nothing is taken behind {}: write \"take: ..., number after {}\" above",
            after.join(", "),
            after.join(", ")
        );
        return Err(line.value_wrong(what));
    };
    let (after, names): (Vec<&str>, Vec<&str>) =
        (after.iter().map(String::as_str).collect(), names.iter().map(String::as_str).collect());
    Ok((argument.field.clone(), Answers::to(&[command], &after, &names)))
}

/// A hidden name in an expression.
pub fn hidden_in(expression: &Expression, hidden: &Hidden) -> Option<String> {
    let mut found = None;
    expression.each_name(&mut |name| {
        if hidden.contains(name) {
            found = Some(name.to_owned());
        }
    });
    found
}

/// True if a text would tell something hidden.
pub fn tells(text: &Template, hidden: &Hidden) -> bool {
    text.expressions().any(|expression| hidden_in(expression, hidden).is_some())
}

/// Refuses what would tell something hidden.
///
/// # Errors
/// One of these depends on it.
pub fn keeps<'e>(
    line: &Line,
    expressions: impl IntoIterator<Item = &'e Expression>,
    hidden: &Hidden,
) -> Result<(), Mistake> {
    match expressions.into_iter().find_map(|expression| hidden_in(expression, hidden)) {
        Some(name) => {
            let what =
                format!("this would tell {name}, which players may not know: it can be used only in the ways to end");
            Err(line.value_wrong(what))
        }
        None => Ok(()),
    }
}
