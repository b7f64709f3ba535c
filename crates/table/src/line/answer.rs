//! Making answers and refusals ready to be shown: comment, offers, number, example, caret.

use chat::{Block, Offer, Offered, OfferedTo, Reply, Span, cut};
use plugin_api::{CommandSpec, Refusal};

/// Characters of a comment that are shown.
const COMMENT: usize = 60;

/// What an answer says of its entry.
#[derive(Clone, Copy)]
pub(super) struct Number {
    pub number: u64,
    /// The entry of the first version, if the message was edited, and how many more dice than that it threw.
    pub replaces: Option<(u64, usize)>,
}

/// A game's answer with what the table adds: the comment, the offers with their numbers, the entry's number.
pub(super) fn answer(mut reply: Reply, comment: Option<&str>, prefix: &str, number: Option<Number>) -> Reply {
    if let Some(comment) = comment {
        reply = reply.text(format!(" | {}", cut(comment, COMMENT)));
    }
    let (own, others): (Vec<_>, Vec<_>) = reply.offers.iter().partition(|offer| offer.to.is_none());
    let offered = (1..).zip(own.into_iter().chain(others)).map(|(number, Offer { command, label, to, chance })| {
        let to = to.clone().map_or(OfferedTo::Asker(number), OfferedTo::Character);
        let (command, label) = (format!("{prefix}{command}"), label.clone());
        Span::Offer(Box::new(Offered { command, label, chance: *chance, to }))
    });
    let offered: Vec<_> = offered.collect();
    reply = offered.into_iter().fold(reply, Reply::span);
    match number {
        Some(Number { number, replaces: Some((first, more)) }) => {
            let more = match more {
                0 => String::new(),
                1 => " and threw 1 die more".to_owned(),
                more => format!(" and threw {more} dice more"),
            };
            reply.text(format!(" (edited, was #{first}{more}) #{number}"))
        }
        // Behind a list it stands on a line of its own.
        Some(Number { number, .. }) if matches!(reply.blocks.last(), Some(Block::List(_) | Block::Chart(_))) => {
            reply.line().text(format!("#{number}"))
        }
        Some(Number { number, .. }) => reply.text(format!(" #{number}")),
        None => reply,
    }
}

/// A refusal as an answer: what was wrong, one right example, and a mark under the place.
pub(super) fn refusal(refusal: Refusal, typed: &str, spec: Option<&CommandSpec>, prefix: &str) -> Reply {
    let what = upper_first(&refusal.what);
    let end = if what.ends_with(['?', '!', '.']) { "" } else { "." };
    let mut reply = Reply::new().text(format!("{what}{end}"));
    let example = refusal.example.or_else(|| spec.and_then(|spec| spec.examples.first().cloned()));
    if let Some(example) = example {
        reply = reply.text(" Example: ").code(format!("{prefix}{example}"));
    }
    let words = || plugin_api::Words::new(typed, 0);
    let at = refusal.at.or_else(|| words().place_of(&refusal.about?));
    if let Some(at) = at.filter(|at| at.end <= typed.len()) {
        let at = at.start + prefix.len()..at.end + prefix.len();
        reply.blocks.push(Block::Caret { typed: format!("{prefix}{typed}"), at });
    }
    reply
}

fn upper_first(text: &str) -> String {
    let mut rest = text.chars();
    // A sentence that begins with something typed keeps it as it was.
    let first = rest.next().map(|c| c.to_uppercase().collect::<String>()).unwrap_or_default();
    first + rest.as_str()
}
