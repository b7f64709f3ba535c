//! How a post looks on IRC: lines short enough for the network, a name in front, mIRC codes for bold and grey.

use chat::{Bar, Block, Post, Recipient, Span, clean, drawn};
use unicode_segmentation::UnicodeSegmentation;

/// Bold.
const BOLD: &str = "\x02";
/// Grey.
const GREY: &str = "\x0314";
/// Black on black, until the reader selects it.
const HIDDEN: &str = "\x031,1";
/// Ends any of them.
const PLAIN: &str = "\x0f";
/// Begins a line that continues another.
const ON: &str = "… ";
/// Separates short list items that share a line.
const BETWEEN: &str = " | ";
/// Bytes up to which a list item may share a line.
const SHORT: usize = 80;

/// The part of a post that can be said at once.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    /// The lines, each within the length limit.
    pub lines: Vec<String>,
    /// The rest, for anyone who asks for more.
    pub rest: Vec<Block>,
}

type Line = Vec<Span>;

/// The position of a line in an answer, or of a span in its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Position {
    First,
    Later,
}

impl Position {
    /// The position after `before` others.
    fn behind(before: usize) -> Self {
        if before == 0 { Position::First } else { Position::Later }
    }
}

/// Makes at most `most` lines of at most `limit` bytes each.
pub fn post(post: &Post, limit: usize, most: usize) -> Said {
    let style = if post.plain { Style::Plain } else { Style::Codes };
    let mut logical = logical(post, limit);
    let front = front(post);
    match logical.first_mut() {
        Some(first) => first.insert(0, Span::Text(front)),
        None => return Said { lines: Vec::new(), rest: Vec::new() },
    }
    let wrapped = logical.into_iter().enumerate().flat_map(|(n, line)| {
        let first = limit.saturating_sub(mark(&line, style, Position::behind(n)).len());
        wrap(line, first, limit, style)
    });
    let wrapped: Vec<Line> = wrapped.collect();
    let (mut shown, mut rest) = (wrapped, Vec::new());
    if shown.len() > most {
        rest = shown.split_off(most);
        let hint =
            vec![Span::Text(" (".to_owned()), Span::Code(post.more.clone()), Span::Text(" shows more)".to_owned())];
        // The hint goes on the last line shown, which is shortened for it.
        let last = shown.pop().unwrap_or_default();
        let around = width(&hint, style) + mark(&last, style, Position::behind(shown.len())).len();
        let (mut last, left) = split(last, limit.saturating_sub(around), style);
        if !left.is_empty() {
            rest.insert(0, left);
        }
        last.extend(hint);
        shown.push(last);
    }
    let room = most.saturating_sub(shown.len());
    let mut lines: Vec<String> =
        shown.iter().enumerate().map(|(n, line)| rendered(line, style, Position::behind(n))).collect();
    // An address is whole or left out, and never a part of what is shown later.
    if let Some(page) = &post.page {
        let fits = |line: &&mut String| line.len() + BETWEEN.len() + page.len() <= limit;
        match lines.last_mut().filter(fits) {
            Some(last) => *last += &format!("{BETWEEN}{page}"),
            None if room > 0 && page.len() <= limit => lines.push(page.clone()),
            None => {}
        }
    }
    Said { lines, rest: rest.into_iter().map(|line| Block::Line(unmarked(line))).collect() }
}

/// The lines of a post before wrapping. Only list items share lines where they fit.
fn logical(post: &Post, limit: usize) -> Vec<Line> {
    let mut logical = Vec::new();
    for block in &post.blocks {
        match block {
            Block::Line(line) => logical.push(drawn(line)),
            Block::List(items) => logical.extend(packed(items, limit)),
            Block::Chart(bars) => logical.extend(packed(&bars.iter().map(Bar::line).collect::<Vec<_>>(), limit)),
            // IRC has no fixed-width font to point in.
            Block::Caret { .. } => {}
        }
    }
    for file in &post.files {
        let what = format!("{} cannot be handed over on IRC: ask the operator for it (astragal export).", file.name);
        logical.push(vec![Span::Text(what)]);
    }
    logical
}

/// The text in front of the first line.
fn front(post: &Post) -> String {
    match &post.to {
        Recipient::Room => post.front(),
        // Where only they and the bot talk, the room says nothing.
        Recipient::Player(player) if player.id == post.room.id => post.front(),
        Recipient::Player(_) => format!("[{}] {}", clean(&post.room.id), post.front()),
    }
}

/// Puts short items together on lines, and long ones on lines of their own.
fn packed(items: &[Line], limit: usize) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut open = false;
    for item in items {
        let short = width(item, Style::Codes) <= SHORT;
        match lines.last_mut() {
            Some(last)
                if open && short && width(last, Style::Codes) + BETWEEN.len() + width(item, Style::Codes) <= limit =>
            {
                last.push(Span::Text(BETWEEN.to_owned()));
                last.extend(item.iter().cloned());
            }
            _ => {
                let mut line = vec![Span::Text("- ".to_owned())];
                line.extend(item.iter().cloned());
                lines.push(line);
            }
        }
        open = short;
    }
    lines
}

/// Breaks a line into lines that fit; `room` is the room in the first.
fn wrap(line: Line, room: usize, limit: usize, style: Style) -> Vec<Line> {
    let (first, mut rest) = split(line, room, style);
    let mut lines = vec![first];
    while !rest.is_empty() {
        rest.insert(0, Span::Text(ON.to_owned()));
        let (next, left) = split(rest, limit, style);
        lines.push(next);
        rest = left;
    }
    lines
}

/// Removes the continuation mark from a line.
fn unmarked(mut line: Line) -> Line {
    if line.first() == Some(&Span::Text(ON.to_owned())) {
        line.remove(0);
    }
    line
}

/// Splits a line into the part that fits and the rest: between words if possible, else between graphemes.
fn split(line: Line, limit: usize, style: Style) -> (Line, Line) {
    if width(&line, style) <= limit {
        return (line, Vec::new());
    }
    let mut used = 0;
    for (n, span) in line.iter().enumerate() {
        let needs = styled(span, style).len();
        if used + needs <= limit {
            used += needs;
            continue;
        }
        let around = styled(&with_text(span, ""), style).len();
        let room = limit.saturating_sub(used + around);
        let text = text_of(span);
        // A line with only the continuation mark would be as good as empty.
        let before = if line[0] == Span::Text(ON.to_owned()) { n.saturating_sub(1) } else { n };
        let at = break_at(text, room, Position::behind(before));
        let (mut head, mut tail) = (line[..n].to_vec(), vec![with_text(span, text[at..].trim_start())]);
        if at > 0 {
            head.push(with_text(span, text[..at].trim_end()));
        }
        tail.extend(line[n + 1..].iter().cloned());
        tail.retain(|span| !text_of(span).is_empty());
        return (head, tail);
    }
    (line, Vec::new())
}

/// The byte at which to cut the text of a span so that it fits into `room`. Returns 0 if the whole span should go to
/// the next line; never for the first span of a line.
fn break_at(text: &str, room: usize, position: Position) -> usize {
    let fits = text.grapheme_indices(true).map(|(at, grapheme)| at + grapheme.len()).take_while(|end| *end <= room);
    let end = fits.last().unwrap_or_default();
    let space = text.get(..end).and_then(|head| head.rfind(' ')).filter(|at| *at > 0);
    match space {
        Some(at) => at,
        None if text[end..].starts_with(' ') => end,
        None if position == Position::Later => 0,
        // Something must go out or this never ends: if need be, half of a grapheme that is longer than a line.
        None if end > 0 => end,
        None => text.char_indices().map(|(at, c)| at + c.len_utf8()).find(|end| *end > 0).unwrap_or(text.len()),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Codes,
    Plain,
}

fn width(line: &[Span], style: Style) -> usize {
    line.iter().map(|span| styled(span, style).len()).sum()
}

fn text_of(span: &Span) -> &str {
    match span {
        Span::Text(text)
        | Span::Bold(text)
        | Span::Code(text)
        | Span::Die(text)
        | Span::Dropped(text)
        | Span::Spoiler(text) => text,
        // Offers have become text by now.
        Span::Offer(offer) => &offer.command,
    }
}

fn with_text(span: &Span, text: &str) -> Span {
    let text = text.to_owned();
    match span {
        Span::Text(_) => Span::Text(text),
        Span::Bold(_) => Span::Bold(text),
        Span::Code(_) => Span::Code(text),
        Span::Die(_) => Span::Die(text),
        Span::Dropped(_) => Span::Dropped(text),
        Span::Spoiler(_) => Span::Spoiler(text),
        Span::Offer(_) => Span::Code(text),
    }
}

fn styled(span: &Span, style: Style) -> String {
    match (span, style) {
        (Span::Bold(_), Style::Codes) => format!("{BOLD}{}{PLAIN}", span.plain()),
        (Span::Dropped(_), Style::Codes) => format!("{GREY}{}{PLAIN}", span.plain()),
        // A digit after the code would be read as part of it.
        (Span::Spoiler(text), Style::Codes) => format!("{HIDDEN} {} {PLAIN}", clean(text)),
        _ => span.plain(),
    }
}

/// The line as sent.
fn rendered(line: &[Span], style: Style, position: Position) -> String {
    let text: String = line.iter().map(|span| styled(span, style)).collect();
    mark(line, style, position).to_owned() + &text
}

/// The prefix of a line that does not begin an answer and must not look like somebody's command.
fn mark(line: &[Span], style: Style, position: Position) -> &'static str {
    let harmless = |c: char| c.is_alphanumeric() || "-…([#\"'\x02\x03".contains(c);
    let first = line.iter().map(|span| styled(span, style)).find(|text| !text.is_empty()).unwrap_or_default();
    if position == Position::Later && !first.starts_with(harmless) { "· " } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chat::{Reply, RoomId};
    use proptest::prelude::*;

    fn of(reply: Reply) -> Post {
        Post {
            addressee: Some("Ann".to_owned()),
            more: "!more".to_owned(),
            ..Post::new("k", RoomId::new("irc", "#t"), reply.blocks)
        }
    }

    #[test]
    fn the_address_of_a_page_is_whole_behind_the_last_line_or_below_it_or_left_out() {
        let linked = |text: &str, limit, most| {
            let page = Some("https://dice.example/t/AAAA/e/5".to_owned());
            post(&Post { page, ..of(Reply::from(text)) }, limit, most)
        };
        assert_eq!(linked("17", 200, 3).lines, ["Ann: 17 | https://dice.example/t/AAAA/e/5"]);
        assert_eq!(linked("17", 36, 3).lines, ["Ann: 17", "https://dice.example/t/AAAA/e/5"]);
        assert_eq!(linked("17", 36, 1).lines, ["Ann: 17"]);
        assert_eq!(linked("17", 20, 3).lines, ["Ann: 17"]);
        // Whoever asks for the rest of a long answer gets no part of it.
        let long = linked(&"word ".repeat(60), 100, 2);
        assert!(!long.rest.is_empty() && long.rest.iter().all(|block| !block.plain().contains("dice.example")));
    }

    #[test]
    fn an_answer_is_one_line_with_its_result_in_bold() {
        let reply = Reply::new().bold("ACTION 11").text(" | ").die("d20=1").text(" ").dropped("d8=3");
        let mut answer = of(reply);
        assert_eq!(post(&answer, 400, 3).lines, ["Ann: \x02ACTION 11\x0f | d20=1 \x0314(d8=3)\x0f"]);
        (answer.plain, answer.again) = (true, true);
        assert_eq!(post(&answer, 400, 3).lines, ["Ann: (again) ACTION 11 | d20=1 (d8=3)"]);
    }

    #[test]
    fn short_items_share_lines() {
        let items = ["one", "two", "three"].map(|item| vec![Span::Text(item.to_owned())]);
        let answer = of(Reply::from("Numbers:").list(items.to_vec()));
        assert_eq!(post(&answer, 400, 3).lines, ["Ann: Numbers:", "- one | two | three"]);
        assert_eq!(post(&answer, 14, 9).lines, ["Ann: Numbers:", "- one | two", "- three"]);
    }

    #[test]
    fn what_does_not_fit_is_left_for_more() {
        let words = "word ".repeat(40);
        let said = post(&of(Reply::from(words.trim())), 60, 3);
        assert_eq!(said.lines.len(), 3);
        assert!(said.lines[1].starts_with("… word") && said.lines[2].ends_with("word (!more shows more)"), "{said:?}");
        assert!(said.lines.iter().all(|line| line.len() <= 60));
        let all = said.lines.concat() + &said.rest.iter().map(Block::plain).collect::<String>();
        assert_eq!(all.matches("word").count(), 40);
        // The rest continues where it was cut.
        let next = post(&of(Reply { blocks: said.rest, ..Reply::new() }), 60, 9);
        assert!(next.lines[0].starts_with("Ann: word") && next.rest.is_empty(), "{next:?}");
    }

    #[test]
    fn a_later_line_never_looks_like_a_command() {
        let said = post(&of(Reply::from("first").line().text("!roll 2d6").line().text(".kick mia")), 400, 3);
        assert_eq!(said.lines[1..], ["· !roll 2d6", "· .kick mia"]);
    }

    proptest! {
        #[test]
        fn whatever_is_said_fits_and_nothing_is_lost(
            parts in prop::collection::vec((0..6, "[!a-z骰é👩‍🚀 ]{0,40}"), 1..12),
            limit in 40..120usize,
            most in 1..5usize,
        ) {
            let reply = parts.iter().fold(Reply::new(), |reply, (kind, text)| match kind {
                0 => reply.text(text),
                1 => reply.bold(text),
                2 => reply.dropped(text),
                3 => reply.die(text),
                4 => reply.line().text(text),
                _ => reply.code(text),
            });
            let letters = |text: &str| text.chars().filter(|c| c.is_ascii_lowercase()).count();
            let wanted = letters(&parts.iter().map(|(_, text)| text.as_str()).collect::<String>());
            let said = post(&of(reply), limit, most);
            prop_assert!(said.lines.len() <= most);
            for line in &said.lines {
                prop_assert!(line.len() <= limit, "{} bytes: {line:?}", line.len());
            }
            let hint = if said.rest.is_empty() { 0 } else { letters("more shows more") };
            let shown = letters(&said.lines.concat()) - letters("nn") - hint;
            let left: usize = said.rest.iter().map(|block| letters(&block.plain())).sum();
            prop_assert_eq!(shown + left, wanted);
        }
    }
}
