//! Makes answers as short or as long as a room wants them.

use chat::{Block, Line, Reply, Span};

/// The separator between the parts of an answer.
const BETWEEN: &str = " | ";
/// The most steps in a full answer.
const MOST_STEPS: usize = 12;

/// An answer without its parts that show dice.
pub(super) fn brief(mut reply: Reply) -> Reply {
    for block in &mut reply.blocks {
        if let Block::Line(line) = block {
            *line = without_dice(std::mem::take(line));
        }
    }
    reply
}

/// An answer with the explanation of its result.
pub(super) fn full(reply: Reply) -> Reply {
    let steps: Vec<Line> = reply.why.iter().take(MOST_STEPS).map(|step| vec![Span::Text(step.clone())]).collect();
    if steps.is_empty() { reply } else { reply.list(steps) }
}

/// A line without its parts that show dice, except the first part.
fn without_dice(line: Line) -> Line {
    let mut parts: Vec<Line> = vec![Vec::new()];
    for span in joined(line) {
        let part = parts.last_mut().expect("there is a part at first");
        match span {
            Span::Text(text) => {
                let mut pieces = text.split(BETWEEN).map(|piece| Span::Text(piece.to_owned()));
                part.extend(pieces.next());
                parts.extend(pieces.map(|piece| vec![piece]));
            }
            other => part.push(other),
        }
    }
    let dice = |part: &Line| part.iter().any(|span| matches!(span, Span::Die(_) | Span::Dropped(_)));
    let mut kept: Line = Vec::new();
    for (n, part) in parts.into_iter().enumerate().filter(|(n, part)| *n == 0 || !dice(part)) {
        kept.extend((n > 0).then(|| Span::Text(BETWEEN.to_owned())));
        kept.extend(part);
    }
    kept
}

/// Merges adjacent texts.
fn joined(line: Line) -> Line {
    let mut joined: Line = Vec::new();
    for span in line {
        match (joined.last_mut(), span) {
            (Some(Span::Text(text)), Span::Text(more)) => text.push_str(&more),
            (_, span) => joined.push(span),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_brief_answer_has_all_but_the_dice() {
        let reply = Reply::new().bold("SUCCESS +3").text(" | ").die("d20=12").text(" +5").text(" | a stone | pool");
        assert_eq!(brief(reply).plain(), "SUCCESS +3 | a stone | pool");
        let only = Reply::new().text("throws ").die("d6=4");
        assert_eq!(brief(only).plain(), "throws d6=4");
    }

    #[test]
    fn a_full_answer_tells_its_steps() {
        let reply = Reply::new().bold("12").why("5 is dropped").why("a 6 explodes");
        assert_eq!(full(reply).plain(), "12\n- 5 is dropped\n- a 6 explodes");
    }
}
