//! How groups are typed: `all`, `heroes`, `foes`, `Ann, Bob and Cem`, `Goon x3`, and `3x` in front of a command.

use crate::line::remarks::Here;
use host::names::ACT_AS;
use host::people::is_one_of;
use journal::MOST_IN_A_GROUP;
use plugin_api::names::{EVERYBODY, FOES, HEROES};
use plugin_api::{CharacterId, Refusal};
use understand::english::{Class, is};

/// The commands that take several entries at once, and put them back.
pub(crate) const UNDO: &str = "undo";
pub(crate) const REDO: &str = "redo";

/// Words that join names.
const JOINING: [&str; 2] = ["and", "&"];
/// The command that sets values.
const SET: &str = "set";
/// Words that a name may have.
const MOST_WORDS: usize = 4;

/// Where names are typed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// After `as`, where somebody new may be named.
    Acts,
    /// In a command, where only those are named who are there.
    Named,
}

/// A group, as it was typed.
pub(super) struct Named {
    names: Vec<String>,
    /// The word for it, if it was one.
    word: Option<String>,
}

impl Named {
    /// Everybody in it.
    ///
    /// # Errors
    /// Nobody is, or too many are.
    pub fn members(self) -> Result<Vec<String>, Refusal> {
        if let (Some(word), []) = (&self.word, self.names.as_slice()) {
            return Err(Refusal::new(format!("there is nobody at this table whom {word} means")).about(word));
        }
        must_be_few(self.names.len())?;
        Ok(self.names)
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    pub fn first(&self) -> Option<&str> {
        self.names().next()
    }

    /// True if it was a word such as `foes`, so its author may not know everyone in it.
    pub fn is_word(&self) -> bool {
        self.word.is_some()
    }
}

impl Here<'_, '_> {
    /// The group that is typed at byte `at`, and where it ends. A single name is none.
    pub(super) fn group_at(&self, text: &str, at: usize, place: Place) -> Option<(Named, usize)> {
        self.word_at(text, at).or_else(|| self.names_at(text, at, place))
    }

    /// `set Wolf x3 ac 13; hp 9/9`, as a line for the group that it begins with: `as Wolf x3 set ac 13; hp 9/9`. A value
    /// has a name and something after it, so `set heroes 3` is a value of that name.
    pub(super) fn sets_for_several(&self, body: &str, text: &str, at: usize) -> Option<String> {
        let who = Some(next_word(body, at)).filter(|_| word_at(body, at).eq_ignore_ascii_case(SET))?;
        let new = times_after(body, who + word_at(body, who).len()).is_some();
        let (_, end) = self.group_at(body, who, if new { Place::Acts } else { Place::Named })?;
        let values = body[end..].split_whitespace().count();
        (values > 1).then(|| format!("{}{ACT_AS} {} {SET}{}", &text[..at], &text[who..end], &text[end..]))
    }

    fn word_at(&self, text: &str, at: usize) -> Option<(Named, usize)> {
        let word = word_at(text, at).trim_end_matches(',');
        let mut end = at + word.len();
        let mut meant = word;
        if is_one_of(&EVERYBODY, word) {
            // `all the heroes` are the heroes.
            let next = skip_article(text, next_word(text, at));
            let whom = word_at(text, next).trim_end_matches(',');
            if is_one_of(&HEROES, whom) || is_one_of(&FOES, whom) {
                (meant, end) = (whom, next + whom.len());
            }
        }
        let known = is_one_of(&EVERYBODY, meant) || is_one_of(&HEROES, meant) || is_one_of(&FOES, meant);
        if !known {
            return None;
        }
        let (left_out, end) = self.left_out(text, end);
        let characters = self.attempt.doc.characters.iter();
        let characters = characters.filter(|(id, each)| each.away != Some(true) && !left_out.contains(id));
        let names: Vec<String> = characters
            .map(|(_, each)| each)
            .filter(|each| match &each.owner {
                Some(owner) => !self.attempt.doc.referees.contains_key(owner) && !is_one_of(&FOES, meant),
                None => !is_one_of(&HEROES, meant),
            })
            .map(|each| each.name.clone())
            .collect();
        Some((Named { names, word: Some(meant.to_owned()) }, end))
    }

    /// Who is left out of a group whose word ends at this byte, and where that ends: `heroes but Ann and Bob`.
    fn left_out(&self, text: &str, end: usize) -> (Vec<CharacterId>, usize) {
        let (mut out, mut at) = (Vec::new(), end);
        let leaving = next_word(text, end);
        let mut next = is(&word_at(text, leaving).to_lowercase(), Class::Excluding).then(|| next_word(text, leaving));
        while let Some(start) = next.map(|start| skip_article(text, start)) {
            let name = word_at(text, start).trim_end_matches(',');
            let Some(who) = self.cast.known(name) else { break };
            out.push(who);
            at = start + name.len();
            next = joined(text, at).filter(|(_, how)| *how == Apart::Joined).map(|(start, _)| start);
        }
        (out, at)
    }

    fn names_at(&self, text: &str, at: usize, place: Place) -> Option<(Named, usize)> {
        let mut names: Vec<String> = Vec::new();
        let (mut end, mut next, mut apart, mut numbered) = (at, at, Apart::First, false);
        while let Some((name, after)) = self.name_at(text, next, place, apart) {
            let (number, after) = match times_after(text, after) {
                Some((times, after)) => (Some(times), after),
                None => (None, after),
            };
            numbered |= number.is_some();
            let several = number.map_or_else(|| vec![name.clone()], |times| self.numbered(&name, times));
            names.extend(several.into_iter().filter(|name| !names.contains(name)).collect::<Vec<_>>());
            end = after;
            match joined(text, after) {
                Some((start, how)) if how == Apart::Joined || place == Place::Named => (next, apart) = (start, how),
                _ => break,
            }
        }
        (numbered || names.len() > 1).then_some((Named { names, word: None }, end))
    }

    /// `Goon1` to `Goon3`, or `Goon 1` if someone has that name; cut off once they are too many.
    fn numbered(&self, name: &str, times: usize) -> Vec<String> {
        let called = |number: usize| {
            let apart = format!("{name} {number}");
            if self.cast.is_called(&apart) { apart } else { format!("{name}{number}") }
        };
        (1..=times.min(MOST_IN_A_GROUP + 1)).map(called).collect()
    }

    /// The name that is typed at `at`, and where it ends.
    fn name_at(&self, text: &str, at: usize, place: Place, apart: Apart) -> Option<(String, usize)> {
        let rest = &text[at..];
        if let Some(quoted) = rest.strip_prefix('"') {
            let end = quoted.find('"')?;
            let name = &quoted[..end];
            return (place == Place::Acts || self.cast.is_called(name)).then(|| (name.to_owned(), at + end + 2));
        }
        let mut longest = None;
        let mut end = at;
        for _ in 0..MOST_WORDS {
            let word = word_at(text, end);
            let name = text[at..end + word.len()].trim_end_matches(',');
            if !word.is_empty() && self.cast.is_called(name) {
                longest = Some((name.to_owned(), at + name.len()));
            }
            if word.is_empty() || word.ends_with(',') {
                break;
            }
            end = next_word(text, end);
        }
        let word = word_at(text, at).trim_end_matches(',');
        let known = longest.or_else(|| {
            // A part of a name is enough after a comma or the like.
            let part = apart == Apart::Joined && (place == Place::Acts || word.len() > 2);
            let id = part.then(|| self.cast.meant(word)).flatten()?;
            Some((self.cast.name(id).to_owned(), at + word.len()))
        });
        known.or_else(|| {
            let letters = word.chars().take_while(|c| c.is_alphabetic()).count();
            let proper = word.starts_with(char::is_uppercase) || (letters > 1 && word.ends_with(char::is_numeric));
            let new = place == Place::Acts && letters > 0 && (proper || times_after(text, at + word.len()).is_some());
            new.then(|| (word.to_owned(), at + word.len()))
        })
    }
}

/// What separates two names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Apart {
    First,
    Joined,
    /// Nothing does.
    Beside,
}

/// Where the next name may begin after one that ends at `at`, and what separates them.
fn joined(text: &str, at: usize) -> Option<(usize, Apart)> {
    let rest = &text[at..];
    let after_comma = rest.trim_start().strip_prefix(',').map(str::trim_start);
    let next = text.len() - after_comma.unwrap_or_else(|| rest.trim_start()).len();
    let joining = word_at(text, next);
    let joins = is_one_of(&JOINING, joining);
    let start = if joins { next_word(text, next) } else { next };
    let how = if joins || after_comma.is_some() { Apart::Joined } else { Apart::Beside };
    (start < text.len()).then_some((start, how))
}

/// Refuses a group that is too large.
pub(super) fn must_be_few(members: usize) -> Result<(), Refusal> {
    if members <= MOST_IN_A_GROUP {
        return Ok(());
    }
    Err(Refusal::new(format!("that is for more than {MOST_IN_A_GROUP} at once: name fewer, and then the others")))
}

/// `x3`, `x 3` or `3x` after a name, and where it ends.
fn times_after(text: &str, at: usize) -> Option<(usize, usize)> {
    let start = text.len() - text[at..].trim_start().len();
    let word = word_at(text, start);
    if ["x", "X", "×"].contains(&word) {
        let next = next_word(text, start);
        let number = word_at(text, next);
        return Some((times(&format!("x{number}"))?, next + number.len()));
    }
    // `Goon 3x act`, but `Ann 6x 4d6` throws six times.
    let counts_first = word.starts_with(|c: char| c.is_ascii_digit());
    let command = word_at(text, next_word(text, start)).chars().take(2).all(char::is_alphabetic);
    let times = times(word).filter(|_| !counts_first || command)?;
    Some((times, start + word.len()))
}

/// `3x`, `x3` or `×3`: so many, two at least.
pub(super) fn times(word: &str) -> Option<usize> {
    let is_sign = |c: char| matches!(c, 'x' | 'X' | '×');
    let number = word.strip_prefix(is_sign).or_else(|| word.strip_suffix(is_sign))?;
    let number = number.bytes().all(|byte| byte.is_ascii_digit()).then(|| number.parse().unwrap_or(usize::MAX));
    number.filter(|number| *number > 1)
}

/// The word that begins at byte `at`, up to the next space.
pub(super) fn word_at(text: &str, at: usize) -> &str {
    text[at..].split(char::is_whitespace).next().unwrap_or_default()
}

/// Where the word after the one at `at` begins.
pub(super) fn next_word(text: &str, at: usize) -> usize {
    let rest = &text[at + word_at(text, at).len()..];
    text.len() - rest.trim_start().len()
}

/// Where the word after a `the` or `of the` at `at` begins.
pub(super) fn skip_article(text: &str, mut at: usize) -> usize {
    for article in ["of", "the"] {
        if word_at(text, at).eq_ignore_ascii_case(article) {
            at = next_word(text, at);
        }
    }
    at
}

/// Where each word from byte `from` on begins, but for those in quotation marks.
pub(super) fn words_from(text: &str, from: usize) -> impl Iterator<Item = usize> {
    let mut quoted = false;
    let mut apart = true;
    let starts = text.char_indices().filter(move |(_, c)| {
        let starts = apart && !c.is_whitespace() && !quoted;
        if *c == '"' {
            quoted = !quoted;
        }
        apart = c.is_whitespace();
        starts
    });
    starts.map(|(at, _)| at).filter(move |at| *at >= from)
}

/// Whether a line is worth a closer look: it holds a word for a group, something that joins names, a number of times, or two
/// words beside each other that could be names; or it takes back.
pub(super) fn may_be_several(typed: &str) -> bool {
    let letters = |word: &str| word.len() > 1 && word.chars().all(char::is_alphabetic);
    let mut last = "";
    for (at, word) in typed.split_whitespace().enumerate() {
        let word_for_a_group = is_one_of(&EVERYBODY, word)
            || is_one_of(&HEROES, word)
            || is_one_of(&FOES, word)
            || is_one_of(&JOINING, word);
        let beside = at > 1 && letters(last) && letters(word);
        if word_for_a_group || beside || word.contains(',') || times(word).is_some() || word == "x" {
            return true;
        }
        if at == 0 && is_one_of(&[UNDO, REDO], word) {
            return true;
        }
        last = word;
    }
    false
}
