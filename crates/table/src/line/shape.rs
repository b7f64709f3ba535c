//! What of an answer is its result, and which dice do not count: facts of each roll, so that nobody has to find out from its
//! text.

use chat::{Block, Reply, Span};
use dice::Die;
use journal::{ENDING, UNCOUNTED};
use serde_json::{Map, Value};

/// The most bytes of an ending.
const MOST: usize = 60;

/// The facts of an answer to a roll of these dice, with those of its shape.
pub(super) fn with_shape(reply: &Reply, thrown: &[Die]) -> Map<String, Value> {
    let mut facts = reply.facts.clone();
    if thrown.is_empty() {
        return facts;
    }
    facts.extend(ending(reply).map(|ending| (ENDING.to_owned(), ending.into())));
    let uncounted = uncounted(reply, thrown).filter(|places| !places.is_empty());
    facts.extend(uncounted.map(|places| (UNCOUNTED.to_owned(), places.into())));
    facts
}

/// The answer up to its first emphasised words, which are its result; `None` if that is long.
fn ending(reply: &Reply) -> Option<String> {
    let Some(Block::Line(line)) = reply.blocks.first() else { return None };
    let bold = line.iter().position(|span| matches!(span, Span::Bold(_)))?;
    let ending: String = line[..=bold].iter().map(Span::plain).collect();
    Some(ending).filter(|ending| ending.len() <= MOST)
}

/// The places of the dice that the answer shows as not counting; `None` if it does not show each die once, in any order.
fn uncounted(reply: &Reply, thrown: &[Die]) -> Option<Vec<usize>> {
    let lines = reply.blocks.iter().flat_map(|block| match block {
        Block::Line(line) => std::slice::from_ref(line),
        Block::List(lines) => lines.as_slice(),
        Block::Chart(_) | Block::Caret { .. } => &[],
    });
    let mut left: Vec<usize> = (0..thrown.len()).collect();
    let mut uncounted = Vec::new();
    for span in lines.flatten() {
        let (text, counts) = match span {
            Span::Die(text) => (text, true),
            Span::Dropped(text) => (text, false),
            _ => continue,
        };
        for die in text.split_whitespace() {
            let (sides, face) = read(die)?;
            let is_it = |place: &usize| {
                let die = thrown[*place];
                die.value == face && sides.is_none_or(|sides| sides == die.sides)
            };
            let place = left.remove(left.iter().position(is_it)?);
            uncounted.extend((!counts).then_some(place));
        }
    }
    uncounted.sort_unstable();
    left.is_empty().then_some(uncounted)
}

/// The faces of a die as it is written out, if it says how many, and the one it shows: `d20=15`, `6!`.
fn read(die: &str) -> Option<(Option<u32>, u32)> {
    let number = |text: &str| text.trim_matches(|c: char| !c.is_ascii_digit()).parse().ok();
    match die.split_once('=') {
        Some((kind, face)) => Some((Some(number(kind)?), number(face)?)),
        None => Some((None, number(die)?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn dice(values: &[u32]) -> Vec<Die> {
        values.iter().map(|value| Die { sides: 6, value: *value }).collect()
    }

    #[test]
    fn the_result_and_the_dice_that_do_not_count_are_facts() {
        let reply = Reply::new().text("Ann's test: ").bold("13").text(" | 4d6kh3 [").die("6").text(" ").dropped("2");
        let facts = with_shape(&reply.fact("total", 13), &dice(&[6, 2]));
        assert_eq!(Value::Object(facts), json!({ "total": 13, "ending": "Ann's test: 13", "uncounted": [1] }));
    }

    #[test]
    fn dice_may_be_shown_in_another_order_than_they_fell() {
        let reply = Reply::new().die("d20=3").text(" ").dropped("d20=1").text(" ").die("d8=1");
        let thrown = [(20, 3), (8, 1), (20, 1)].map(Die::from);
        assert_eq!(with_shape(&reply, &thrown).get(UNCOUNTED), Some(&json!([2])));
    }

    #[test]
    fn an_answer_that_shows_other_dice_says_nothing_of_them() {
        for (shown, thrown) in [(vec!["6"], vec![6, 2]), (vec!["2", "5"], vec![6, 2]), (vec![], vec![6])] {
            let reply = shown.into_iter().fold(Reply::new(), Reply::dropped);
            assert!(with_shape(&reply, &dice(&thrown)).is_empty());
        }
        let long = Reply::new().text("x".repeat(60)).bold("13");
        assert!(with_shape(&long, &dice(&[6])).is_empty());
        assert!(with_shape(&Reply::new().bold("a card"), &[]).is_empty());
    }
}
