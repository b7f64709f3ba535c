//! Prepares answers and refusals for display: comment, offers, number, example, caret.

use super::reading::corrected;
use crate::grouped::Group;
use chat::{Block, Offer, Offered, OfferedTo, Reply, Span};
use host::words::shown_comment;
use plugin_api::{CommandSpec, Refusal};

/// What an answer says about its entry.
#[derive(Clone, Copy)]
pub(super) struct Number {
    pub number: u64,
    /// If the message was edited, the version before.
    pub replaces: Option<Replaced>,
}

/// The version before.
#[derive(Clone, Copy)]
pub(super) struct Replaced {
    /// Its entry.
    pub entry: u64,
    /// How many dice this version rolled that it had not.
    pub more: usize,
    /// How many that the first version had not.
    pub in_all: usize,
}

/// The answer of a game, which does not know the room's prefix, with the prefix before what is to be typed.
pub(super) fn with_prefix(mut reply: Reply, prefix: &str) -> Reply {
    let lines = reply.blocks.iter_mut().flat_map(|block| match block {
        Block::Line(line) => std::slice::from_mut(line),
        Block::List(lines) => lines.as_mut_slice(),
        _ => &mut [],
    });
    for span in lines.chain([&mut reply.notice]).flatten() {
        if let Span::Code(command) = span {
            command.insert_str(0, prefix);
        }
    }
    reply
}

/// A game's answer with what the table adds: the comment, the offers with their numbers, the entry's number. So many offers
/// were made to the same player before, in the same message.
pub(super) fn answer(
    mut reply: Reply,
    comment: Option<&str>,
    prefix: &str,
    offered: usize,
    number: Option<Number>,
) -> Reply {
    if let Some(comment) = comment {
        let comment = shown_comment(comment);
        reply = if ends_in_a_list(&reply) { reply.line().text(comment) } else { reply.text(format!(" | {comment}")) };
    }
    let (own, others): (Vec<_>, Vec<_>) = reply.offers.iter().partition(|offer| offer.to.is_none());
    let offered =
        (offered + 1..).zip(own.into_iter().chain(others)).map(|(number, Offer { command, label, to, chance, .. })| {
            let to = to.clone().map_or(OfferedTo::Asker(number), OfferedTo::Character);
            let (command, label) = (format!("{prefix}{command}"), label.clone());
            Span::Offer(Box::new(Offered { command, prefix: prefix.to_owned(), label, chance: *chance, to }))
        });
    let offered: Vec<_> = offered.collect();
    reply = offered.into_iter().fold(reply, Reply::span);
    match number {
        Some(Number { number, replaces: Some(Replaced { entry: first, more, in_all }) }) => {
            let dice = |more: usize| if more == 1 { "1 die more".to_owned() } else { format!("{more} dice more") };
            let more = match in_all {
                0 => String::new(),
                in_all if in_all == more => format!(" and threw {}", dice(more)),
                in_all => format!(", {} than at first", dice(in_all)),
            };
            reply.text(format!(" (edited, was #{first}{more}) #{number}"))
        }
        // After a list the number goes on a line of its own.
        Some(Number { number, .. }) if ends_in_a_list(&reply) => reply.line().text(format!("#{number}")),
        Some(Number { number, .. }) => reply.text(format!(" #{number}")),
        None => reply,
    }
}

/// True if what is added needs a line of its own.
fn ends_in_a_list(reply: &Reply) -> bool {
    matches!(reply.blocks.last(), Some(Block::List(_) | Block::Chart(_)))
}

/// A refused line.
pub(super) struct RefusedLine<'a> {
    /// The text that was read.
    pub typed: &'a str,
    /// The text before it, `as Ogre `; `None` if the line is not what was typed.
    pub around: Option<&'a str>,
    /// The command it names, once that is known.
    pub spec: Option<&'a CommandSpec>,
    pub prefix: &'a str,
    /// The group that it is played for.
    pub group: Option<&'a Group>,
}

/// A refusal as an answer: what was wrong, the corrected line or else an example, and a mark under the place. Also
/// returns the corrected line.
pub(super) fn refusal(refusal: Refusal, line: &RefusedLine<'_>) -> (Reply, Option<String>) {
    let RefusedLine { typed, around, spec, prefix, group } = line;
    let what = upper_first(&refusal.what);
    let end = if what.ends_with(['?', '!', '.']) { "" } else { "." };
    let mut reply = Reply::new().text(format!("{what}{end}"));
    let words = || plugin_api::Words::new(typed, 0);
    let at = refusal.at.or_else(|| words().place_of(&refusal.about?));
    let mended = refusal.mended.and_then(|right| {
        let wrong = right.at.or_else(|| at.clone())?;
        let right = format!("{}{}", (*around)?, corrected(typed, wrong, &right.by)?);
        Some(group.map_or(right.clone(), |group| group.as_typed(&right))).filter(|right| right != typed)
    });
    // What was just refused is no example.
    let refused = |example: &String| *around == Some("") && example.eq_ignore_ascii_case(typed);
    // An example helps whoever does not know how a command is typed. It would not mend what is refused for another
    // reason, nor dice, whose refusal says what is wrong in them.
    let asks = refusal.usage || refusal.what.contains('?');
    let unknown_form = |spec: &&CommandSpec| !has_arguments(typed) || (asks && !spec.notation);
    let example = refusal.example.or_else(|| like(typed, &spec.filter(unknown_form)?.examples));
    let example = example.filter(|example| !refused(example));
    match (&mended, example) {
        (Some(mended), _) => reply = reply.text(" Try: ").code(format!("{prefix}{mended}")),
        (None, Some(example)) => reply = reply.text(" Example: ").code(format!("{prefix}{example}")),
        (None, None) => {}
    }
    if let Some(at) = at.filter(|at| at.end <= typed.len()) {
        let at = at.start + prefix.len()..at.end + prefix.len();
        reply.blocks.push(Block::Caret { typed: format!("{prefix}{typed}"), at });
    }
    (reply, mended)
}

fn has_arguments(typed: &str) -> bool {
    typed.split_whitespace().nth(1).is_some()
}

/// The example that has most words of the line in it; if none has any, one with arguments for a line that has some.
fn like(typed: &str, examples: &[String]) -> Option<String> {
    let behind = |line: &str| line.split_whitespace().skip(1).map(str::to_lowercase).collect::<Vec<_>>();
    let words = behind(typed);
    let fits = |example: &&String| {
        let shown = behind(example);
        (shown.iter().filter(|word| words.contains(word)).count(), !words.is_empty() && !shown.is_empty())
    };
    // Of several that fit as well, `max_by_key` takes the last.
    examples.iter().rev().max_by_key(fits).cloned()
}

fn upper_first(text: &str) -> String {
    let mut rest = text.chars();
    // A sentence that begins with something typed keeps its case.
    let first = rest.next().map(|c| c.to_uppercase().collect::<String>()).unwrap_or_default();
    first + rest.as_str()
}
