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

/// The places of the dice that the answer shows as not counting; `None` if it does not show all dice in the order in which
/// they fell.
fn uncounted(reply: &Reply, thrown: &[Die]) -> Option<Vec<usize>> {
    let lines = reply.blocks.iter().flat_map(|block| match block {
        Block::Line(line) => std::slice::from_ref(line),
        Block::List(lines) => lines.as_slice(),
        Block::Chart(_) | Block::Caret { .. } => &[],
    });
    let mut shown = Vec::new();
    for span in lines.flatten() {
        let (text, counts) = match span {
            Span::Die(text) => (text, true),
            Span::Dropped(text) => (text, false),
            _ => continue,
        };
        shown.extend(text.split_whitespace().map(|die| (face(die), counts)));
    }
    let alike =
        shown.len() == thrown.len() && shown.iter().zip(thrown).all(|((face, _), die)| *face == Some(die.value));
    alike.then(|| shown.iter().enumerate().filter(|(_, (_, counts))| !counts).map(|(place, _)| place).collect())
}

/// The face in a die as it is written out: `15` of `d20=15`, `6` of `6!`.
fn face(die: &str) -> Option<u32> {
    let face = die.rsplit('=').next()?;
    face.trim_matches(|c: char| !c.is_ascii_digit()).parse().ok()
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
    fn an_answer_that_shows_other_dice_says_nothing_of_them() {
        for (shown, thrown) in [(vec!["6"], vec![6, 2]), (vec!["2", "6"], vec![6, 2]), (vec![], vec![6])] {
            let reply = shown.into_iter().fold(Reply::new(), Reply::dropped);
            assert!(with_shape(&reply, &dice(&thrown)).is_empty());
        }
        let long = Reply::new().text("x".repeat(60)).bold("13");
        assert!(with_shape(&long, &dice(&[6])).is_empty());
        assert!(with_shape(&Reply::new().bold("a card"), &[]).is_empty());
    }
}
