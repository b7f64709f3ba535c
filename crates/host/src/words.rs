//! A command line as it was typed, and what is in it: the words, the roll it names, the comment.

use chat::{as_meant, cut};
use dice::{Dialect, Notation};
use plugin_api::{CommandSpec, FollowUp, Refusal};
use std::borrow::Cow;
use std::ops::Range;
use understand::reading::first_word;

/// A word this long behind dice is prose.
const PROSE: usize = 5;

/// A line that is meant for the bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// What was typed, typography mended, without the prefix or name in front.
    pub typed: String,
    /// The bot was spoken to by name or in private, so that it must answer.
    pub by_name: bool,
}

impl CommandLine {
    /// A command typed in this way, whatever the prefix.
    pub fn new(typed: &str) -> Self {
        CommandLine { typed: as_meant(typed).trim().to_owned(), by_name: false }
    }

    /// The first word, in lower case and without punctuation after it, and where it is; `undo#5` is two words.
    pub fn word(&self) -> (String, Range<usize>) {
        first_word(&self.typed)
    }
}

/// The arguments of a command line: what the words are read from, the roll it names, and the comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arguments {
    /// The line without its comment and roll number, all other bytes where they were typed.
    pub typed: String,
    /// `#12`: the roll it is about.
    pub roll: Option<u64>,
    /// What stood after `#`.
    pub comment: Option<String>,
    /// `#12` at the end, where the command is about no roll.
    stray: Option<Range<usize>>,
}

impl Arguments {
    /// Splits a line. A `#12` is a roll's number where the command follows up on rolls, else a comment.
    pub fn of(line: &str, follow_up: FollowUp) -> Self {
        let mut found = Arguments { typed: line.to_owned(), roll: None, comment: None, stray: None };
        if let Some(at) = slashes(line) {
            let comment = line[at + SLASHES.len()..].trim();
            found.typed.truncate(at);
            found.comment = (!comment.is_empty()).then(|| comment.to_owned());
        }
        let mut from = 0;
        while let Some(at) = found.typed[from..].find('#').map(|at| at + from) {
            from = at + 1;
            if repeats(&found.typed[..at], &found.typed[from..]) {
                continue;
            }
            let apart = found.typed[..at].ends_with(char::is_whitespace);
            let digits: String = found.typed[from..].chars().take_while(char::is_ascii_digit).collect();
            let alone = found.typed[from + digits.len()..].chars().next().is_none_or(char::is_whitespace);
            // A number beyond all entries is one too: nobody shall act on another roll than they typed.
            let number = (!digits.is_empty()).then(|| digits.parse().unwrap_or(u64::MAX));
            match number {
                Some(number) if follow_up != FollowUp::No && apart && alone && found.roll.is_none() => {
                    found.roll = Some(number);
                    let start = leading_to(&found.typed[..at]).unwrap_or(at);
                    let end = from + digits.len();
                    found.typed.replace_range(start..end, &" ".repeat(end - start));
                }
                _ => {
                    let end = from + digits.len();
                    found.stray = (apart && number.is_some() && end == found.typed.len()).then_some(at..end);
                    let comment = found.typed[from..].trim().to_owned();
                    found.typed.truncate(at);
                    found.add_remark(Some(&comment).filter(|comment| !comment.is_empty()).map(String::as_str));
                    break;
                }
            }
        }
        found.typed.truncate(found.typed.trim_end().len());
        found
    }

    /// Refuses `#12` in a command that is about no roll: it is meant as one, and would be a comment.
    pub fn takes_numbers_it_names(&self, spec: &CommandSpec) -> Result<(), Refusal> {
        let (Some(stray), Some(number)) = (&self.stray, &self.comment) else { return Ok(()) };
        let what = format!("{} is not about an earlier roll, so #{number} means nothing here", spec.name);
        Err(Refusal::usage(what, stray.clone()).mended(stray.clone(), Some(format!("# {number}"))))
    }

    /// Takes prose behind the dice for a comment, if it is more than a short word, which may be a slip: `d20+4 perception check`.
    /// The dice begin at byte `from`.
    pub fn take_prose(&mut self, from: usize, dialect: Dialect) {
        let Some(at) = self.typed.get(from..).and_then(|dice| Notation::prose_behind(dice, dialect)) else { return };
        let around = |c: char| c.is_whitespace() || matches!(c, '"' | '-' | '(' | ')' | ',');
        let prose = self.typed[from + at..].trim_matches(around).to_owned();
        if prose.contains(' ') || prose.len() >= PROSE || self.typed[from + at..].starts_with(['-', '"', '(', ',']) {
            self.typed.truncate(self.typed[..from + at].trim_end_matches([' ', ',']).len());
            self.add_remark(Some(&prose));
        }
    }

    /// Adds what stood among the words and is a comment too.
    pub fn add_remark(&mut self, remark: Option<&str>) {
        let Some(remark) = remark else { return };
        let comment = self.comment.take().map_or(String::new(), |comment| format!(" # {comment}"));
        self.comment = Some(format!("{remark}{comment}"));
    }
}

/// What begins a comment besides `#`, behind a space.
const SLASHES: &str = "//";

/// Where a comment begins with slashes, if one does.
fn slashes(line: &str) -> Option<usize> {
    let mut found = line.match_indices(SLASHES).map(|(at, _)| at);
    let at = found.find(|at| line[..*at].ends_with(char::is_whitespace))?;
    (!line[..at].contains('#')).then_some(at)
}

/// A comment as an answer shows it.
pub fn shown_comment(comment: &str) -> Cow<'_, str> {
    const MOST: usize = 60;
    cut(comment, MOST)
}

/// What was typed after one of these commands, also if it begins with `secret` or `as`.
pub fn behind<'t>(typed: &'t str, commands: &[&str]) -> Option<&'t str> {
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphabetic()).to_lowercase();
    let word = typed.split_whitespace().find(|word| commands.contains(&bare(word).as_str()))?;
    Some(typed[word.as_ptr() as usize - typed.as_ptr() as usize + word.len()..].trim_start())
}

/// Where a word begins that only leads to the roll or the name after it, if the command is not that word itself: `counter d8 vs #4`.
pub fn leading_to(before: &str) -> Option<usize> {
    let start = before.trim_end().rfind(char::is_whitespace)? + 1;
    let word = before[start..].trim();
    ["vs", "versus", "against", "on", "for", "to"].iter().any(|leads| leads.eq_ignore_ascii_case(word)).then_some(start)
}

/// Whether a `#` between these means so many times, as in `6# 4d6`, and begins no comment.
fn repeats(before: &str, behind: &str) -> bool {
    let count = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let dice = behind.trim_start().trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '(' | '{'));
    let sides = dice.strip_prefix(['d', 'D']).and_then(|sides| sides.chars().next());
    let counted = !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit());
    counted && sides.is_some_and(|side| side.is_ascii_digit() || matches!(side, '%' | 'F' | 'f' | '[' | '('))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_roll_numbers_are_told_apart() {
        let split = |line, follow_up| {
            let found = Arguments::of(line, follow_up);
            (found.typed, found.roll, found.comment)
        };
        assert_eq!(split("vs #12 17 # at last", FollowUp::Own), ("vs     17".into(), Some(12), Some("at last".into())));
        assert_eq!(split("roll d20 #12", FollowUp::No), ("roll d20".into(), None, Some("12".into())));
        assert_eq!(split("roll d20 #fire #2", FollowUp::Own), ("roll d20".into(), None, Some("fire #2".into())));
        assert_eq!(split("roll 6# 4d6 # str", FollowUp::No), ("roll 6# 4d6".into(), None, Some("str".into())));
        assert_eq!(split("roll 6 #4d6", FollowUp::No), ("roll 6".into(), None, Some("4d6".into())));
        assert_eq!(split("roll 6# deep cuts", FollowUp::No), ("roll 6".into(), None, Some("deep cuts".into())));
        assert_eq!(split("roll d6#fire", FollowUp::Own), ("roll d6".into(), None, Some("fire".into())));
        assert_eq!(split("roll d6 // fire # 2", FollowUp::Own), ("roll d6".into(), None, Some("fire # 2".into())));
        assert_eq!(split("roll d6 # fire // 2", FollowUp::Own), ("roll d6".into(), None, Some("fire // 2".into())));
        assert_eq!(split("oracle http://a.b/c", FollowUp::No), ("oracle http://a.b/c".into(), None, None));
        assert_eq!(split("roll d6 #", FollowUp::No), ("roll d6".into(), None, None));
        assert_eq!(split("vs #99999999999999999999999", FollowUp::Own).1, Some(u64::MAX));
    }
}
