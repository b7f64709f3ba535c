//! Shows tables: which there are to everybody, what is on them to whoever made them and to the referee.

use crate::seen::{Origin, Seen, Shown};
use plugin_api::random_table::sides;
use plugin_api::{Readers, Refusal, Reply, Span, Turn};
use std::collections::BTreeMap;

/// Most bytes of a line of an export, which must fit into a message of every network.
const MOST_EXPORTED: usize = 340;

/// All tables, but hidden ones only in secret.
///
/// # Errors
/// There are none.
pub(crate) fn all(seen: &Seen) -> Result<Reply, Refusal> {
    let mut made = Vec::new();
    let mut brought: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (key, Shown { name, lines, origin }) in seen.named() {
        let die = |name: &str| format!("{name} d{}", sides(lines));
        match origin {
            Origin::Made(..) => made.push(die(name)),
            Origin::Brought(game) => brought.entry(&game.title).or_default().push(die(key)),
        }
    }
    let count = made.len() + brought.values().map(Vec::len).sum::<usize>();
    if count == 0 {
        let what = "there are no tables yet: type a name, a colon and the lines";
        return Err(Refusal::new(what).example("oracle omen: a crow | blood moon | 3x silence"));
    }
    let own = (!made.is_empty()).then(|| match made.as_slice() {
        [only] => format!("1 table: {only}"),
        several => format!("{} tables: {}", several.len(), several.join(", ")),
    });
    let of_games = brought.into_iter().map(|(title, names)| format!("{title} brings {}", names.join(", ")));
    let said: Vec<String> = own.into_iter().chain(of_games).collect();
    Ok(Reply::from(said.join(" | ")).fact("tables", count))
}

/// What is on a table, to whoever asks and may know.
///
/// # Errors
/// There is no such table, or it is somebody else's.
pub(crate) fn lines(seen: &Seen, turn: &Turn, name: &str) -> Result<Reply, Refusal> {
    let table = own(seen, turn, name)?;
    let mut last = 0;
    let mut items = Vec::with_capacity(table.lines.len());
    for line in table.lines {
        let (low, high) = (last + 1, last + line.weight);
        let numbers = if low == high { low.to_string() } else { format!("{low}-{high}") };
        items.push(vec![Span::Text(format!("{numbers}: {}", line.text))]);
        last = high;
    }
    let by = match table.origin {
        Origin::Made(by, _) => format!("by {}", turn.name(by)),
        Origin::Brought(game) => format!("of {}", game.title),
    };
    let title = format!("{}, a d{} {by}:", table.name, sides(table.lines));
    Ok(Reply::from(title).list(items).to(Readers::Player))
}

/// A table as it can be typed elsewhere: one line, or several that add to the first.
///
/// # Errors
/// There is no such table, or it is somebody else's.
pub(crate) fn export(seen: &Seen, turn: &Turn, name: &str) -> Result<Reply, Refusal> {
    let table = own(seen, turn, name)?;
    Ok(typed(table).into_iter().fold(Reply::new(), |reply, line| reply.line().code(line)).to(Readers::Player))
}

fn typed(table: Shown) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for line in table.lines {
        let text = line.typed();
        match all.last_mut() {
            Some(last) if last.len() + text.len() < MOST_EXPORTED => {
                last.push_str(" | ");
                last.push_str(&text);
            }
            Some(_) => all.push(format!("oracle {} + {text}", table.name)),
            None => all.push(format!("oracle {}: {text}", table.name)),
        }
    }
    // A single line could be read as several with commas.
    if let ([only], [_]) = (all.as_mut_slice(), table.lines) {
        only.push_str(" |");
    }
    all
}

/// A table that the player may look into. Asked last, because the referee's right is recorded.
fn own<'a>(seen: &Seen<'a>, turn: &Turn, name: &str) -> Result<Shown<'a>, Refusal> {
    let (_, table) = seen.find(name)?;
    let Origin::Made(by, _) = table.origin else { return Ok(table) };
    if turn.may_know(by) {
        return Ok(table);
    }
    let owner = turn.name(by);
    let what = format!("what is on {} is for {owner} and the referee to know", table.name);
    Err(Refusal::new(what).example(format!("oracle {}", table.name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Kept;
    use plugin_api::CharacterId;
    use plugin_api::random_table::Line;

    fn of(lines: impl IntoIterator<Item = String>) -> Vec<String> {
        let lines: Vec<Line> = lines.into_iter().map(|text| Line { weight: 1, text }).collect();
        typed(Shown { name: "omen", lines: &lines, origin: Origin::Made(CharacterId(1), Kept::Openly) })
    }

    #[test]
    fn an_export_is_one_line_or_a_few_that_fit_into_any_message() {
        assert_eq!(of(["a, b".to_owned()]), ["oracle omen: a, b |"]);
        assert_eq!(of(["a".to_owned(), "2. b".to_owned()]), ["oracle omen: a | 1x 2. b"]);
        let long = of((0..40).map(|n| format!("{n} {}", "x".repeat(20))));
        assert!(long.len() > 2 && long.iter().all(|line| line.len() <= MOST_EXPORTED + 4), "{long:?}");
        assert!(long[1].starts_with("oracle omen + 1"), "{}", long[1]);
    }
}
