//! Shows tables: which there are to everybody, what is on them to whoever made them and to the referee.

use crate::state::{Seen, Table};
use plugin_api::{Readers, Refusal, Reply, Span, Turn};

/// Most bytes of a line of an export, which must fit into a message of every network.
const MOST_EXPORTED: usize = 340;

/// All tables, but hidden ones only in secret.
///
/// # Errors
/// There are none.
pub(crate) fn all(seen: &Seen) -> Result<Reply, Refusal> {
    let each = |(_, table): (_, &Table)| format!("{} d{}", table.name, table.sides());
    let names: Vec<String> = seen.named().map(each).collect();
    if names.is_empty() {
        let what = "there are no tables yet: type a name, a colon and the lines";
        return Err(Refusal::new(what).example("oracle omen: a crow | blood moon | 3x silence"));
    }
    let title = if names.len() == 1 { "1 table".to_owned() } else { format!("{} tables", names.len()) };
    Ok(Reply::from(format!("{title}: {}", names.join(", "))).fact("tables", names.len()))
}

/// What is on a table, to whoever asks and may know.
///
/// # Errors
/// There is no such table, or it is somebody else's.
pub(crate) fn lines(seen: &Seen, turn: &Turn, name: &str) -> Result<Reply, Refusal> {
    let table = own(seen, turn, name)?;
    let mut last = 0;
    let mut items = Vec::with_capacity(table.lines.len());
    for line in &table.lines {
        let (low, high) = (last + 1, last + line.weight);
        let numbers = if low == high { low.to_string() } else { format!("{low}-{high}") };
        items.push(vec![Span::Text(format!("{numbers}: {}", line.text))]);
        last = high;
    }
    let title = format!("{}, a d{} by {}:", table.name, table.sides(), turn.name(table.by));
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

fn typed(table: &Table) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for line in &table.lines {
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
    if let ([only], [_]) = (all.as_mut_slice(), table.lines.as_slice()) {
        only.push_str(" |");
    }
    all
}

/// A table that the player may look into. Asked last, because the referee's right is recorded.
fn own<'a>(seen: &Seen<'a>, turn: &Turn, name: &str) -> Result<&'a Table, Refusal> {
    let (_, key) = seen.find(name)?;
    let table = seen.get(key).ok_or_else(|| Refusal::new(format!("there is no table called {key}")))?;
    if table.is_open_to(turn) {
        return Ok(table);
    }
    let owner = turn.name(table.by);
    let what = format!("what is on {} is for {owner} and the referee to know", table.name);
    Err(Refusal::new(what).example(format!("oracle {}", table.name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::Line;
    use plugin_api::CharacterId;

    fn table(lines: impl IntoIterator<Item = String>) -> Table {
        let lines = lines.into_iter().map(|text| Line { weight: 1, text }).collect();
        Table { name: "omen".to_owned(), by: CharacterId(1), lines }
    }

    #[test]
    fn an_export_is_one_line_or_a_few_that_fit_into_any_message() {
        assert_eq!(typed(&table(["a, b".to_owned()])), ["oracle omen: a, b |"]);
        assert_eq!(typed(&table(["a".to_owned(), "2. b".to_owned()])), ["oracle omen: a | 1x 2. b"]);
        let long = typed(&table((0..40).map(|n| format!("{n} {}", "x".repeat(20)))));
        assert!(long.len() > 2 && long.iter().all(|line| line.len() <= MOST_EXPORTED + 4), "{long:?}");
        assert!(long[1].starts_with("oracle omen + 1"), "{}", long[1]);
    }
}
