//! Compares answers on IRC with a session file: the same words, in a different layout.

use crate::evening::Expected;
use chat::{Post, Recipient};
use regex::Regex;

/// Begins a line that continues another.
const ON: &str = "… ";
/// Begins a line that would look like a command.
const HARMLESS: &str = "· ";
/// Begins an item of a list, in a session, and the first item on a line of IRC.
const ITEM: &str = "- ";
/// Separates items that share a line.
const BETWEEN: &str = " | ";

/// The lines of a post as they were before they were split to fit, without the prefix of the first.
///
/// # Errors
///
/// A prefix is missing.
pub fn heard(post: &Post, lines: &[String]) -> Result<Vec<String>, String> {
    let mut whole: Vec<String> = Vec::new();
    for line in lines {
        match (line.strip_prefix(ON), whole.last_mut()) {
            (Some(rest), Some(last)) => *last = format!("{last} {rest}"),
            (None, Some(_)) => whole.push(line.strip_prefix(HARMLESS).unwrap_or(line).to_owned()),
            (_, None) => whole.push(without_front(post, line)?.to_owned()),
        }
    }
    Ok(whole)
}

fn without_front<'a>(post: &Post, line: &'a str) -> Result<&'a str, String> {
    let room = match post.to {
        Recipient::Room => String::new(),
        Recipient::Player(_) => format!("[{}] ", post.room.id),
    };
    let addressee = post.addressee.as_ref().map(|name| format!("{name}: ")).unwrap_or_default();
    let readers = match post.readers.as_slice() {
        [] => String::new(),
        readers => format!("(only {}) ", readers.join(", ")),
    };
    let front = format!("{room}{addressee}{readers}");
    line.strip_prefix(&front).ok_or_else(|| format!("{front:?} is missing\n  heard: {line}"))
}

/// All lines except those that repeat what was typed and mark a place in it. They are not sent where there is no fixed
/// width.
pub fn without_carets<'a>(expected: &[Expected<'a>]) -> Vec<Expected<'a>> {
    let is_mark =
        |text: &str| text.starts_with("  ") && text.ends_with('^') && text.trim_matches([' ', '^']).is_empty();
    let mut shown: Vec<Expected> = Vec::new();
    for expected in expected {
        if is_mark(expected.text) && shown.last().is_some_and(|typed| typed.text.starts_with("  ")) {
            shown.pop();
        } else {
            shown.push(*expected);
        }
    }
    shown
}

/// The first expected line that was not heard after the ones before it. More lines at the end are not an error.
pub fn first_missing<'a>(expected: &[Expected<'a>], heard: &[String]) -> Option<Expected<'a>> {
    let heard = heard.join("\n");
    let fits = |count: &usize| !Regex::new(&pattern(&expected[..*count])).expect("it is escaped").is_match(&heard);
    (1..=expected.len()).find(fits).map(|count| expected[count - 1])
}

/// Matches lines that begin with these. Each needs its own line, except that items of a list may share one.
fn pattern(expected: &[Expected]) -> String {
    let mut pattern = "^".to_owned();
    let mut list = false;
    for (n, Expected { text, .. }) in expected.iter().enumerate() {
        let item = text.strip_prefix(ITEM);
        pattern += match (n, item, list) {
            (0, Some(_), _) => "- ",
            (0, None, _) => "",
            (_, Some(_), true) => r"(?:\n- | \| )",
            (_, Some(_), false) => r"\n- ",
            (_, None, _) => r"\n",
        };
        list = item.is_some();
        let text = item.unwrap_or(text);
        let found = match text.strip_suffix("...") {
            Some(beginning) => format!("{}[^\n]*?", regex::escape(beginning)),
            None => regex::escape(text),
        };
        pattern.push_str(&found);
    }
    let shared = if list { format!("|{}", regex::escape(BETWEEN)) } else { String::new() };
    format!("{pattern}(?:$|\n{shared})")
}

#[cfg(test)]
mod tests {
    use super::*;
    use chat::{PlayerId, RoomId};

    fn missing(expected: &[&str], heard: &[&str]) -> Option<usize> {
        let expected: Vec<_> = (1..).zip(expected).map(|(line, text)| Expected { line, text }).collect();
        let heard: Vec<_> = heard.iter().map(|line| (*line).to_owned()).collect();
        first_missing(&without_carets(&expected), &heard).map(|expected| expected.line)
    }

    #[test]
    fn lines_are_the_same_word_for_word() {
        assert_eq!(missing(&["3 | 2d6 [1 2] #1"], &["3 | 2d6 [1 2] #1"]), None);
        assert_eq!(missing(&["3 | 2d6 [1 2] #1"], &["3 | 2d6 [1 2] #12"]), Some(1));
        assert_eq!(missing(&["3 | 2d6 [1 2]"], &["3 | 2d6 [1 2] | fire"]), Some(1));
        assert_eq!(missing(&["3 | 2d6...", "b"], &["3 | 2d6 [1 2]", "b", "c"]), None);
        assert_eq!(missing(&["a", "b"], &["a"]), Some(2));
        assert_eq!(missing(&["a", "b"], &["a b"]), Some(1));
        assert_eq!(missing(&["a"], &[]), Some(1));
    }

    #[test]
    fn items_of_a_list_may_share_a_line_and_nothing_else_may() {
        let list = ["L:", "- a | b", "- c...", "- d", "#7"];
        assert_eq!(missing(&list, &["L:", "- a | b | c and more | d", "#7"]), None);
        assert_eq!(missing(&list, &["L:", "- a | b", "- cd | d", "#7"]), None);
        assert_eq!(missing(&list[..4], &["L:", "- a | b | c | d | e"]), None);
        assert_eq!(missing(&list, &["L:", "- a | b | c | e", "#7"]), Some(4));
        assert_eq!(missing(&list, &["L: | a | b | c | d", "#7"]), Some(1));
    }

    #[test]
    fn a_mark_under_the_input_is_not_said() {
        assert_eq!(missing(&["No d7.", "  !act d7", "       ^^", "next"], &["No d7.", "next"]), None);
        assert_eq!(missing(&["No d7.", "  !act d7"], &["No d7."]), Some(2));
    }

    #[test]
    fn the_prefix_is_removed_and_must_be_there() {
        let room = RoomId::new("irc", "#hall");
        let post = Post {
            to: Recipient::Player(PlayerId::new("irc", "nick:bob")),
            addressee: Some("Oni-7".into()),
            readers: vec!["Bob".into(), "referees".into()],
            ..Post::new("k", room, Vec::new())
        };
        let lines = ["[#hall] Oni-7: (only Bob, referees) one", "… two", "· !roll"].map(str::to_owned);
        assert_eq!(heard(&post, &lines).unwrap(), ["one two", "!roll"]);
        assert!(heard(&post, &["Oni-7: one".to_owned()]).unwrap_err().contains("is missing"));
    }
}
