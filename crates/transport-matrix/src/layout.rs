//! How a line of an answer is laid out on a screen: the result, its dice, and what can be typed next, each on a line of its own.

use chat::{Line, OfferedTo, Span};

/// What separates the parts of an answer, and what does on a screen.
const BETWEEN: &str = " |";
const ON_A_SCREEN: &str = " ·";

/// The lines that show `line`: one, unless it shows dice or offers something.
pub(crate) fn laid_out(line: &[Span]) -> Vec<Line> {
    let is_roll = line.iter().any(|span| matches!(span, Span::Die(_) | Span::Dropped(_) | Span::Offer(_)));
    if !is_roll {
        return vec![line.to_vec()];
    }
    let (line, number) = match line.split_last() {
        Some((Span::Text(text), before)) if text.starts_with(" #") || text.starts_with(" (edited") => {
            (before, Some(Span::Text(text.clone())))
        }
        _ => (line, None),
    };
    let (mut result, mut details, mut next): (Line, Line, Line) = Default::default();
    let mut in_result = true;
    for span in line {
        match span {
            Span::Offer(offer) => {
                next.extend((!next.is_empty()).then(|| Span::Text(format!("{ON_A_SCREEN} "))));
                if let OfferedTo::Character(name) = &offer.to {
                    next.push(Span::Text(format!("{name}: ")));
                }
                next.push(Span::Code(offer.typed()));
                let does = offer.does();
                next.extend((!does.is_empty()).then(|| Span::Text(format!(" {does}"))));
            }
            Span::Text(text) if in_result && text.contains(BETWEEN) => {
                in_result = false;
                let (first, rest) = text.split_once(BETWEEN).unwrap_or((text, ""));
                result.push(Span::Text(first.to_owned()));
                details.push(Span::Text(rest.trim_start().replace(BETWEEN, ON_A_SCREEN)));
            }
            Span::Text(text) if !in_result => details.push(Span::Text(text.replace(BETWEEN, ON_A_SCREEN))),
            other if in_result => result.push(other.clone()),
            other => details.push(other.clone()),
        }
    }
    result.extend(number);
    [result, details, next].into_iter().filter(|line| line.iter().any(|span| !span.plain().trim().is_empty())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use chat::Offered;

    fn text(text: &str) -> Span {
        Span::Text(text.to_owned())
    }

    fn plain(lines: &[Line]) -> Vec<String> {
        lines.iter().map(|line| line.iter().map(Span::plain).collect()).collect()
    }

    #[test]
    fn the_result_its_dice_and_what_comes_next_have_a_line_each() {
        let offer = |number, label: &str| {
            let (command, prefix) = ("!crit impact".to_owned(), "!".to_owned());
            let to = OfferedTo::Asker(number);
            Span::Offer(Box::new(Offered { command, prefix, label: label.to_owned(), chance: None, to }))
        };
        let line = [
            Span::Bold("ACTION 24".to_owned()),
            text(" (d20 20 + d8 4) | "),
            Span::Die("d20=20".to_owned()),
            text(" | I dive"),
            offer(1, "+2 impact"),
            offer(2, "+1 inspiration"),
            text(" #7"),
        ];
        let lines = ["ACTION 24 (d20 20 + d8 4) #7", "d20=20 · I dive", "!1 +2 impact · !2 +1 inspiration"];
        assert_eq!(plain(&laid_out(&line)), lines);
    }

    #[test]
    fn what_shows_no_dice_stays_as_it_is() {
        let line = [text("open | closed | open #7")];
        assert_eq!(plain(&laid_out(&line)), ["open | closed | open #7"]);
        assert_eq!(plain(&laid_out(&[Span::Die("d6=3".to_owned())])), ["d6=3"]);
    }
}
