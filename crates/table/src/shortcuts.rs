//! Shortcuts that players define: variables (`$str`) in any command, and macros (`!attack 2`) in place of one.

use crate::attempt::Attempt;
use crate::saved::{Saved, Taken, saved_for};
use crate::sheet::current;
use host::Host;
use host::budget::{self, DEEPEST, MOST_TEXT};
use host::notation::variable;
use host::words::{Arguments, CommandLine};
use journal::documents::TableDoc;
use plugin_api::{CharacterId, FollowUp, Refusal, suggest};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A line with words that somebody defined, or why it is none. To get either one must name the attempt, so that nobody's
/// words are played with another's rights or read by others; see [`Saved`].
#[derive(Debug)]
#[must_use]
pub(crate) struct Put {
    line: Result<CommandLine, Refusal>,
    saved: Saved,
}

impl Put {
    /// The line of this attempt.
    ///
    /// # Errors
    /// A word stands for nothing, or the line would be too long.
    pub fn put_into(self, host: &Host, attempt: &mut Attempt<'_>) -> Result<CommandLine, Refusal> {
        self.saved.put_into(host, attempt);
        self.line
    }
}

/// The kind of words in a command, for expanding variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Words {
    /// Dice: a value that is a sum gets parentheses.
    Dice,
    /// Words of a command that is this kind of follow-up: in a follow-up, `#12` is a roll's number, not a comment.
    Any(FollowUp),
}

impl Words {
    fn follow_up(self) -> FollowUp {
        match self {
            Words::Dice => FollowUp::No,
            Words::Any(follow_up) => follow_up,
        }
    }
}

/// Expands the character's variables, `$NAME` or `${NAME}`, in a line; text after `#` stays as it is.
pub(crate) fn filled(doc: &TableDoc, character: CharacterId, line: &CommandLine, words: Words) -> Put {
    let mut saved = Saved::default();
    if !line.typed.contains('$') {
        return Put { line: Ok(line.clone()), saved };
    }
    let end = Arguments::of(&line.typed, words.follow_up()).typed.len();
    let most = line.typed.len().max(MOST_TEXT);
    let fill = Fill { doc, character, dice: words == Words::Dice, most };
    let typed = fill.all(&line.typed[..end], 0, &mut saved).and_then(|mut typed| {
        typed.push_str(&line.typed[end..]);
        budget::fits_within(most, &typed)?;
        Ok(CommandLine { typed, ..*line })
    });
    Put { line: typed, saved }
}

/// Expands variables.
struct Fill<'a> {
    doc: &'a TableDoc,
    character: CharacterId,
    dice: bool,
    /// Most bytes of the line: as many as may be typed, or as were.
    most: usize,
}

impl Fill<'_> {
    /// Expands all variables in the text, and notes what it takes.
    fn all(&self, text: &str, depth: usize, saved: &mut Saved) -> Result<String, Refusal> {
        let mut filled = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            filled.push_str(&rest[..at]);
            let (name, length) = variable(&rest[at + 1..]);
            rest = &rest[at + 1 + length..];
            if name.is_empty() {
                filled.push('$');
                continue;
            }
            let value = self.value(name, saved)?;
            if depth == DEEPEST {
                return Err(Refusal::new(format!("${name} would stand for itself")).example("set"));
            }
            let value = self.all(&value, depth + 1, saved)?;
            let glued =
                filled.ends_with(|c: char| c.is_ascii_digit()) && value.starts_with(|c: char| c.is_ascii_digit());
            if glued {
                let what = format!("a sign is missing before ${name}, which is {value}");
                return Err(Refusal::new(what).about(format!("${name}")));
            }
            let sum = value.trim_start_matches('-').contains(['+', '-', '*', '/', '%', ' ']);
            if self.dice && sum {
                filled.push_str(&format!("({value})"));
            } else {
                filled.push_str(&value);
            }
            budget::fits_within(self.most, &filled)?;
        }
        filled.push_str(rest);
        Ok(filled)
    }

    /// The value of a variable.
    fn value(&self, name: &str, saved: &mut Saved) -> Result<Cow<'_, str>, Refusal> {
        let known = || self.doc.shortcuts.of(self.character).map(|named| &named.variables);
        let wanted = name.to_lowercase();
        let mut all = saved_for(self.doc, self.character);
        if let Some((value, named, seen)) =
            all.find_map(|(named, seen)| Some((named.variables.get(&wanted)?, named, seen)))
        {
            let taken = match current(value).len() < value.len() {
                true => Taken::Counter(wanted.clone()),
                false => Taken::Value(wanted.clone()),
            };
            saved.add(taken, named.author("$", &wanted), seen);
            return Ok(named.as_meant("$", &wanted, value));
        }
        let names = || known().flat_map(BTreeMap::keys).map(String::as_str);
        let begun = names().filter(|name| wanted.starts_with(name)).max_by_key(|name| name.len());
        let meant = match (begun, suggest(&wanted, names())) {
            (Some(begun), _) => format!(": ${{{begun}}} ends a name"),
            (None, Some(near)) => format!(": did you mean ${near}?"),
            (None, None) => "; set gives it a value".to_owned(),
        };
        let what = format!("nothing stands for ${name}{meant}");
        Err(Refusal::new(what).about(format!("${name}")).example(format!("set {wanted} 3")))
    }
}

/// Expands a line whose first word is a macro of the character or the table: `$1` is the first word after it, `$*` all
/// of them; unused words are put at the end.
pub(crate) fn called(doc: &TableDoc, character: CharacterId, line: &CommandLine) -> Option<Put> {
    let (word, place) = line.word();
    let mut all = saved_for(doc, character);
    let (body, named, seen) = all.find_map(|(named, seen)| Some((named.macros.get(&word)?, named, seen)))?;
    let mut saved = Saved::default();
    saved.add(Taken::Macro, named.author("", &word), seen);
    let arguments = Arguments::of(&line.typed, FollowUp::No);
    let given = arguments.typed.get(place.end..).unwrap_or_default().trim();
    let comment = line.typed[arguments.typed.len()..].trim();
    let called = inserted(&word, &named.as_meant("", &word, body), given).and_then(|mut typed| {
        if !comment.is_empty() {
            typed = format!("{typed} {comment}");
        }
        budget::fits(&typed)?;
        Ok(CommandLine { typed, ..*line })
    });
    Some(Put { line: called, saved })
}

/// A macro's command with its arguments inserted.
fn inserted(name: &str, body: &str, given: &str) -> Result<String, Refusal> {
    let words: Vec<&str> = given.split_whitespace().collect();
    let (mut typed, mut rest, mut taken) = (String::new(), body, 0);
    while let Some(at) = rest.find('$') {
        typed.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let next = rest.chars().next();
        budget::fits(&typed)?;
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        match rest[..digits].parse::<usize>().ok().filter(|number| *number > 0) {
            Some(number) => {
                let Some(word) = words.get(number - 1) else {
                    let what = format!("{name} needs ${number}, the word in that place: it is {body}");
                    return Err(Refusal::new(what).example(format!("macro {name}")));
                };
                typed.push_str(word);
                (rest, taken) = (&rest[digits..], taken.max(number));
            }
            None if next == Some('*') => {
                typed.push_str(given);
                (rest, taken) = (&rest[1..], words.len());
            }
            None => typed.push('$'),
        }
    }
    typed.push_str(rest);
    let left = words.get(taken..).unwrap_or_default().join(" ");
    if !left.is_empty() {
        // Before the comment.
        let end = Arguments::of(&typed, FollowUp::No).typed.len();
        let comment = typed.split_off(end);
        typed = format!("{typed} {left}{comment}");
    }
    Ok(typed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use journal::documents::{Named, Shortcuts};

    fn doc() -> TableDoc {
        let named = |variables: &[(&str, &str)], macros: &[(&str, &str)]| {
            let kept = |pairs: &[(&str, &str)]| pairs.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
            Named { variables: kept(variables), macros: kept(macros), ..Named::default() }
        };
        let own = named(&[("str", "3"), ("hit", "$str+$dc"), ("loop", "$loop")], &[("attack", "roll 1d20+$1 # axe")]);
        let table = named(&[("str", "1"), ("dc", "12")], &[("stats", "roll 6x 4d6kh3"), ("say", "roll $* vs $2")]);
        let shortcuts = Shortcuts { table, own: BTreeMap::from([(CharacterId(1), own)]) };
        TableDoc { shortcuts, ..TableDoc::default() }
    }

    #[test]
    fn variables_stand_for_what_they_were_set_to() {
        let fill = |id: u32, text: &str| {
            let words = if text.starts_with("roll") { Words::Dice } else { Words::Any(FollowUp::No) };
            filled(&doc(), CharacterId(id), &CommandLine::new(text), words)
                .line
                .map_or_else(|no| no.what, |line| line.typed)
        };
        assert_eq!(fill(1, "roll d20+$STR vs $dc # $gold, $5"), "roll d20+3 vs 12 # $gold, $5");
        assert_eq!(fill(2, "roll d20+$str"), "roll d20+1");
        assert_eq!(fill(1, "roll d20+$hit"), "roll d20+(3+12)");
        assert_eq!(fill(1, "check $hit"), "check 3+12");
        assert_eq!(fill(1, "roll ${str}d6"), "roll 3d6");
        assert!(fill(1, "roll $strd6").contains("${str} ends a name"));
        assert!(fill(1, "roll 4d6$str").contains("a sign is missing before $str"));
        assert!(fill(1, "roll $sttr").contains("did you mean $str?"));
        assert!(fill(1, "roll $loop").contains("would stand for itself"));
    }

    #[test]
    fn macros_take_the_words_behind_them() {
        let call = |id: u32, text: &str| {
            let called = called(&doc(), CharacterId(id), &CommandLine::new(text));
            called.map(|put| put.line.map_or_else(|no| no.what, |line| line.typed))
        };
        assert_eq!(call(1, "Attack 5").as_deref(), Some("roll 1d20+5 # axe"));
        assert!(call(1, "attack").is_some_and(|what| what.contains("needs $1")));
        assert_eq!(call(1, "attack 5 vs 15").as_deref(), Some("roll 1d20+5 vs 15 # axe"));
        assert_eq!(call(2, "attack 5"), None);
        assert_eq!(call(2, "stats sort # Cem").as_deref(), Some("roll 6x 4d6kh3 sort # Cem"));
        assert_eq!(call(2, "say d20 15").as_deref(), Some("roll d20 15 vs 15"));
    }
}
