//! Values that players gave a name, looked up where a command lacks one: `check acrobatics vs 15`, `roll d20+dex`. And counters:
//! `hp -7`.

use crate::attempt::Attempt;
use crate::saved::{Saved, Taken, saved_for};
use chat::PlayerId;
use host::Host;
use host::notation::name_at;
use journal::documents::{Named, TableDoc};
use plugin_api::{CharacterId, Counter, Refusal, Seen, SheetValue, wrong_number};
use std::borrow::Cow;
use std::ops::Range;
use understand::english::change_in_signs;

/// The most words of a name.
const LONGEST: usize = 3;
/// The most values looked up in a line.
const MOST: usize = 6;
/// Words in front of a number that is no value of the character: `vs 15`.
const AGAINST: [&str; 8] = ["vs", "versus", "against", "dc", "dn", "level", "tier", "counter"];

/// Words in front of the name of a value that say nothing: `counter with my sword`.
const LEADING: [&str; 9] = ["with", "w/", "w", "using", "use", "by", "my", "the", "a"];

/// Words between the names of several values.
const JOINING: [&str; 4] = ["and", "&", "+", "plus"];

/// The values of one character, and those of the table.
#[derive(Clone, Copy)]
pub(crate) struct Sheet<'a> {
    pub doc: &'a TableDoc,
    pub character: CharacterId,
    /// What games have on every sheet, where nothing else is noted.
    pub declared: &'a [SheetValue],
}

/// A line with values in place of their names.
#[derive(Debug)]
#[must_use]
pub(crate) struct Filled {
    typed: String,
    /// What was put in, as it is shown: `acrobatics 7 +4`.
    shown: Vec<String>,
    saved: Saved,
}

/// A value as it is read.
#[derive(Clone)]
struct Value<'a> {
    /// Of a counter, what is left.
    text: Cow<'a, str>,
    counts: bool,
    by: Option<PlayerId>,
    seen: Seen,
}

impl Filled {
    fn of(typed: &str) -> Self {
        Filled { typed: typed.to_owned(), shown: Vec::new(), saved: Saved::default() }
    }

    /// Notes that the value of this name is in the line.
    fn note(&mut self, name: &str, value: Value<'_>) {
        self.shown.push(format!("{name} {}", value.text));
        let name = name.to_owned();
        let taken = if value.counts { Taken::Counter(name) } else { Taken::Value(name) };
        self.saved.add(taken, value.by, value.seen);
    }

    /// The line, to be read but not played.
    pub fn line(&self) -> &str {
        &self.typed
    }

    /// With a word in place of the spaces from byte `at` on.
    pub fn with_word(mut self, at: usize, word: &str) -> Self {
        self.typed.replace_range(at..at + word.len(), word);
        self
    }

    /// Makes it the line of an attempt; see [`Saved`]. Returns what was put in.
    pub fn put_into(self, host: &Host, attempt: &mut Attempt<'_>) -> Vec<String> {
        self.saved.put_into(host, attempt);
        attempt.typed = self.typed;
        self.shown
    }
}

impl<'a> Sheet<'a> {
    /// What a value is called of which this, in lower case, may be another name: a game's `dex` is `agility` too. What is
    /// noted under a name comes first.
    fn proper<'n>(&self, name: &'n str) -> &'n str
    where
        'a: 'n,
    {
        let other = || SheetValue::called(name, self.declared.iter());
        match self.noted(name) {
            Some(_) => name,
            None => other().map_or(name, |value| value.name.as_str()),
        }
    }

    /// The value of this name, in lower case, as it is saved.
    pub fn whole(&self, name: &str) -> Option<&'a str> {
        let name = self.proper(name);
        self.noted(name).or_else(|| self.declared(name))
    }

    /// The value that somebody gave this name, in lower case.
    pub fn noted(&self, name: &str) -> Option<&'a str> {
        self.doc.shortcuts.of(self.character).find_map(|named| named.variables.get(name)).map(String::as_str)
    }

    /// What a game has under this name, in lower case, before anybody sets it.
    fn declared(&self, name: &str) -> Option<&'a str> {
        self.declared.iter().find(|value| value.name == name).map(|value| value.first.as_str())
    }

    /// Whether the value of this name is the table's, and not the character's.
    fn is_the_tables(&self, name: &str) -> bool {
        let own = self.doc.shortcuts.own.get(&self.character).is_some_and(|named| named.variables.contains_key(name));
        let tables = || self.declared.iter().any(|value| value.tables && value.name == name);
        !own && (self.noted(name).is_some() || tables())
    }

    /// The value of this name, in lower case, who wrote it, and who may see it.
    fn value(&self, name: &str) -> Option<Value<'a>> {
        let name = self.proper(name);
        let noted = saved_for(self.doc, self.character).find_map(|(named, seen)| {
            let whole = named.variables.get(name)?;
            let text = current(whole);
            let counts = text.len() < whole.len();
            Some(Value { text: named.as_meant("$", name, text), counts, by: named.author("$", name), seen })
        });
        noted.or_else(|| {
            let (whole, seen) = (self.declared(name)?, self.doc.seen_values_of(self.character));
            let text = current(whole);
            Some(Value { text: text.into(), counts: text.len() < whole.len(), by: None, seen })
        })
    }

    /// The names of all values.
    pub fn names(&self) -> impl Iterator<Item = &'a str> {
        let noted = self.doc.shortcuts.of(self.character).flat_map(|named| named.variables.keys().map(String::as_str));
        let declared = self.declared.iter();
        noted.chain(declared.flat_map(|value| std::iter::once(&value.name).chain(&value.also)).map(String::as_str))
    }

    /// The value of this name, in any case: of a counter, what is left.
    pub fn named(&self, name: &str) -> Option<&'a str> {
        self.value(&name.to_lowercase())?;
        self.whole(&name.to_lowercase()).map(current)
    }

    /// True if this value is a counter: `hp 12/40`.
    pub fn counts(&self, name: &str) -> bool {
        self.value(name).is_some_and(|value| value.counts)
    }

    /// The line with values in place of names from byte `from` to `to`, such that it `reads`; as few as that takes.
    /// Words that the command `knows` are never looked up.
    pub fn filled(
        &self,
        line: &str,
        span: Range<usize>,
        knows: impl Fn(&str) -> bool,
        reads: impl Fn(&str) -> bool,
    ) -> Option<Filled> {
        let mut filled = Filled::of(line);
        let mut span = span;
        for _ in 0..MOST {
            let (place, name) = self.first_name(&filled.typed, span.clone(), &knows)?;
            let value = self.value(&name)?;
            span = place.start + value.text.len()..span.end + value.text.len() - place.len();
            filled.typed.replace_range(place, &value.text);
            filled.note(&name, value);
            if reads(&filled.typed) {
                return Some(filled);
            }
        }
        None
    }

    /// The line with the value of the name with which `prose` begins, in its place from byte `at` on; the rest of the prose
    /// becomes the comment: `check acrobatics to cross the ledge`. Dice may be several: `act brawl courage`.
    pub fn filled_before(&self, line: &str, prose: &str, at: usize) -> Option<Filled> {
        let (before, after) = (line.get(..at)?, line.get(at + prose.len()..)?);
        let mut filled = Filled::of(before);
        let mut rest = prose;
        while let Some((place, name)) = self.first_name(rest, 0..rest.len(), &|_| false) {
            let first = filled.shown.is_empty();
            let leads = |word: &str| LEADING.contains(&word) || !first && JOINING.contains(&word);
            let value = self.value(&name)?;
            let led = rest[..place.start].split_whitespace().all(|word| leads(&word.to_lowercase()));
            if !led || filled.shown.len() >= MOST || !(first || is_die(&value.text)) {
                break;
            }
            let apart = if first { "" } else { " " };
            filled.typed.push_str(&format!("{apart}{}", value.text));
            filled.note(&name, value);
            rest = rest[place.end..].trim_start_matches([',', ';', ':', '.', '-', '/', ' ']);
        }
        if filled.shown.is_empty() {
            return None;
        }
        let (after, comment) = after.split_once('#').unwrap_or((after, ""));
        // `intent charm "may I have this dance?"`
        let unquoted = |text: &'_ str| text.trim_matches([' ', '"', '(', ')']).to_owned();
        let said = [unquoted(rest), comment.trim().to_owned()].into_iter().filter(|said| !said.is_empty());
        let said = said.collect::<Vec<_>>().join(", ");
        filled.typed.push_str(after.trim_end_matches([' ', '"']));
        if !said.is_empty() {
            filled.typed.push_str(&format!(" # {said}"));
        }
        Some(filled)
    }

    /// The line with a number of the sheet added to the die that ends at `die`, if the prose from `at` on begins with its name.
    pub fn filled_behind(&self, line: &str, die: usize, at: usize) -> Option<Filled> {
        let (place, name) = self.first_name(line, at..line.len(), &|_| false).filter(|(place, _)| place.start == at)?;
        let value = self.value(&name)?;
        let number: i64 = value.text.parse().ok()?;
        let rest = line[place.end..].trim_start_matches([',', ';', ':', '.', '-', ' ']);
        let rest = rest.trim_start_matches(['#', ' ']);
        let comment = if rest.is_empty() { String::new() } else { format!(" # {rest}") };
        let mut filled = Filled::of(&format!("{}{number:+}{comment}", &line[..die]));
        filled.note(&name, value);
        Some(filled)
    }

    /// The line with a number of the sheet in place of its name, which begins a part of it.
    pub fn filled_at(&self, line: &str, part: Range<usize>) -> Option<Filled> {
        let begins = part.start;
        let (place, name) = self.first_name(line, part, &|_| false).filter(|(place, _)| place.start == begins)?;
        let value = self.value(&name)?;
        value.text.parse::<i64>().ok()?;
        let mut filled = Filled::of(line);
        filled.typed.replace_range(place, &value.text);
        filled.note(&name, value);
        Some(filled)
    }

    /// The first name in a part of the line, the longest that begins there.
    fn first_name(
        &self,
        line: &str,
        span: Range<usize>,
        knows: &impl Fn(&str) -> bool,
    ) -> Option<(Range<usize>, String)> {
        let words: Vec<Range<usize>> = words_of(line, span);
        let name = |words: &[Range<usize>]| {
            words.iter().map(|word| line[word.clone()].to_lowercase()).collect::<Vec<_>>().join(" ")
        };
        for at in 0..words.len() {
            for count in (1..=LONGEST.min(words.len() - at)).rev() {
                let part = &words[at..at + count];
                let name = name(part);
                if !(count == 1 && knows(&name)) && self.value(&name).is_some() {
                    return Some((part[0].start..part[count - 1].end, self.proper(&name).to_owned()));
                }
            }
        }
        None
    }

    /// The same as [`filled`](Self::filled) for dice: `d20+dex`. A value that is a sum gets parentheses.
    pub fn filled_dice(&self, line: &str, from: usize, reads: impl Fn(&str) -> bool) -> Option<Filled> {
        let mut filled = Filled::of(line);
        let mut at = from;
        while at < filled.typed.len() && filled.shown.len() < MOST {
            let rest = &filled.typed[at..];
            let alone = !filled.typed[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$');
            let (name, long) = (name_at(rest).to_lowercase(), name_at(rest).len());
            match self.value(&name).filter(|_| alone && !name.is_empty()) {
                Some(saved) => {
                    let value = &*saved.text;
                    let sum = value.trim_start_matches(['-', '+']).contains(['+', '-', '*', '/', '%', ' ']);
                    let put = if sum { format!("({value})") } else { value.trim_start_matches('+').to_owned() };
                    // `d20 dex` is `d20+dex`.
                    let before = filled.typed[from..at].trim_end().len() + from;
                    let front = &filled.typed[from..before];
                    let apart = before < at && front.ends_with(|c: char| c.is_ascii_digit());
                    // In `d20 + 3 str` the 3 may be str.
                    let sides = front.trim_end_matches(|c: char| c.is_ascii_digit()).ends_with(['d', 'D']);
                    if apart && !sides {
                        return None;
                    }
                    let put = if apart && !put.starts_with('-') { format!("+{put}") } else { put };
                    // `stealth d20` is not five dice.
                    let behind = filled.typed[at + long..].trim_start_matches([' ', '1']);
                    let throws =
                        behind.starts_with(['d', 'D']) && behind[1..].starts_with(|c: char| c.is_ascii_digit());
                    if throws && put.trim_start_matches('+').bytes().all(|byte| byte.is_ascii_digit()) {
                        return None;
                    }
                    filled.typed.replace_range(at..at + long, &put);
                    filled.note(self.proper(&name), saved);
                    at += put.len();
                }
                None => at += rest.chars().next().map_or(1, char::len_utf8),
            }
        }
        (!filled.shown.is_empty() && reads(&filled.typed)).then_some(filled)
    }

    /// The line that a value's name as a command stands for: `hp -7` sets what is left, `hp` shows it.
    pub fn called(&self, line: &str) -> Option<String> {
        let (line, said) = line.split_once('#').map_or((line, None), |(line, said)| (line, Some(said.trim())));
        // `hp-6` is `hp -6`.
        let glued = line.find(['+', '-', '=']).filter(|at| line[at + 1..].starts_with(|c: char| c.is_ascii_digit()));
        let apart = glued.map(|at| format!("{} {}", &line[..at], &line[at..]));
        let line = apart.as_deref().unwrap_or(line);
        let words: Vec<&str> = line.split_whitespace().collect();
        let (name, rest) = (1..=LONGEST.min(words.len())).rev().find_map(|count| {
            let name = words[..count].join(" ").to_lowercase();
            let name = name.trim_end_matches([':', '=', '?']).to_owned();
            self.whole(&name)?;
            Some((self.proper(&name).to_owned(), change_in_signs(&words[count..])))
        })?;
        let value = self.whole(&name)?;
        let whose = if self.is_the_tables(&name) { "table " } else { "" };
        // `hp -7 from the troll`: prose behind a change is its comment.
        let number = |word: &str| word.bytes().any(|byte| byte.is_ascii_digit());
        let end = rest.match_indices(' ').map(|(at, _)| at).find(|at| number(&rest[..*at])).unwrap_or(rest.len());
        let (rest, prose) = rest.split_at(end);
        let rest = rest.trim_end_matches(',');
        let remarks = rest.starts_with(['+', '-']) && is_said(without_dash(prose));
        if !prose.is_empty() && (!remarks || number(prose)) {
            return None;
        }
        let prose = Some(without_dash(prose)).filter(|prose| !prose.is_empty());
        let comment: String = prose.into_iter().chain(said).map(|said| format!(" # {said}")).collect();
        let change = rest.replace(' ', "");
        let counter = Counter::read(value)?;
        if change.is_empty() {
            return Some(format!("set {name}"));
        }
        let Counter { now, most } = counter.changed(&change)?;
        let declared = self.declared.iter().find(|value| value.name == name && most.is_none());
        let next = Counter { now: declared.map_or(now, |value| value.within(now)), most };
        Some(format!("set {whose}{name}: {next}{comment}"))
    }
}

/// What is said behind a change, without what divides it from that, if it is more than a sign: `hp -7 -- the troll`.
fn without_dash(prose: &str) -> &str {
    let prose = prose.trim_start();
    ["--", "–", "—"].iter().find_map(|dash| prose.strip_prefix(dash)).unwrap_or(prose).trim_start()
}

/// Whether this is said of a change: words, also in parentheses, or a smiley.
fn is_said(prose: &str) -> bool {
    let words = prose.trim_start_matches(['(', '"', '“']).starts_with(char::is_alphabetic);
    words || !prose.contains(|c: char| c.is_alphanumeric() || "+-*/=".contains(c))
}

impl Sheet<'_> {
    /// Why a line that begins with the name of a number changes it by nothing: `hp -7/2`.
    pub fn no_change(&self, line: &str) -> Option<Refusal> {
        let line = line.split('#').next()?.trim_end();
        let counts = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '=');
        let change = line[line.find(counts)?..].trim();
        let name = line[..line.len() - change.len()].trim();
        let value = self.whole(&name.to_lowercase()).filter(|value| Counter::read(value).is_some())?;
        // A refusal is for the whole room.
        let open = self.doc.seen_values_of(self.character).by_everybody();
        let held = if open { format!("{name} is {value}, and ") } else { String::new() };
        let signs = |c: char| c.is_ascii_digit() || c.is_whitespace() || "+-*/%=.,()d".contains(c);
        // `hp -7 2` may be a change and a remark.
        let digit = |c: char| c.is_ascii_digit();
        let words: Vec<&str> = change.split_whitespace().collect();
        let two = words.windows(2).any(|pair| pair[0].ends_with(digit) && pair[1].starts_with(digit));
        let refused = |what: String| Refusal::new(what).about(change).example(format!("{name} -1"));
        if let Some(wrong) = wrong_number(&change.trim_start_matches('=').replace(' ', "")).filter(|_| !two) {
            return Some(refused(format!("{held}{wrong}")));
        }
        let what = format!("{held}\"{change}\" is not one whole number");
        // `hp 15/20`
        if change.starts_with(|c: char| c.is_ascii_digit())
            && Counter::read(change).is_some_and(|change| change.most.is_some())
        {
            return Some(Refusal::new(what).mended(0..line.len(), Some(format!("set {line}"))));
        }
        (!two && change.chars().all(signs)).then(|| refused(what))
    }
}

/// A counter's number, or the value itself.
pub(crate) fn current(value: &str) -> &str {
    match Counter::read(value) {
        Some(Counter { most: Some(_), .. }) => value.split('/').next().unwrap_or(value).trim(),
        _ => value,
    }
}

/// True for `d8`.
fn is_die(value: &str) -> bool {
    value.strip_prefix(['d', 'D']).is_some_and(|sides| sides.parse::<u32>().is_ok())
}

/// Punctuation that ends a sentence, and so is no part of the word before it.
const ENDS: [char; 5] = ['.', '!', '?', '…', ':'];

/// `acrobatics 7 +4, hp 33/40`.
pub fn all_values(named: &Named) -> String {
    named.variables.iter().map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join(", ")
}

/// The words of a part of a line, without what surrounds them.
pub(crate) fn words_of(line: &str, span: Range<usize>) -> Vec<Range<usize>> {
    let around = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '"' | '(' | ')');
    // `vs=Ogre`, ` +courage` and `gunnery/nerve`, but `ann=17` and `d20+dex` are one word.
    let begins = |at: usize, c: char| match c {
        '=' => true,
        '+' => at == 0 || line[..at].ends_with(char::is_whitespace),
        '/' => line[..at].ends_with(char::is_alphabetic),
        _ => false,
    };
    let names = |at: usize, c: char| begins(at, c) && line[at + 1..].starts_with(char::is_alphabetic);
    let mut words = Vec::new();
    let mut start = None;
    for (at, c) in line[span.clone()].char_indices().chain([(span.len(), ' ')]) {
        let at = span.start + at;
        match (around(c) || names(at, c), start) {
            (false, None) => start = Some(at),
            (true, Some(begun)) => {
                let word = line[begun..at].trim_end_matches(ENDS);
                words.extend((!word.is_empty()).then(|| begun..begun + word.len()));
                start = None;
            }
            _ => {}
        }
    }
    words
}

/// Where the punctuation ends that ends a sentence at this byte of the line, if any.
pub(crate) fn sentence_end(line: &str, at: usize) -> usize {
    let rest = &line[at..];
    let after = rest.trim_start_matches(ENDS);
    if after.is_empty() || after.starts_with(char::is_whitespace) { line.len() - after.len() } else { at }
}

/// True if a part of a line has a number or dice that may be the character's, not the difficulty.
pub(crate) fn has_value(words: &str) -> bool {
    let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
    words.iter().enumerate().any(|(at, word)| {
        let against = AGAINST.iter().any(|against| word.starts_with(against))
            || at.checked_sub(1).is_some_and(|before| AGAINST.contains(&words[before].as_str()));
        // `Guard1` is a name.
        let number = word.strip_prefix('d').unwrap_or(word).starts_with(|c: char| c.is_ascii_digit());
        number && !against
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use journal::documents::{Named, Shortcuts};
    use std::collections::BTreeMap;

    fn doc() -> TableDoc {
        let values = [("acrobatics", "7 +4"), ("fire combat", "13"), ("hp", "33/40"), ("gold", "5"), ("dex", "2+1")];
        let variables = values.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let own = BTreeMap::from([(CharacterId(1), Named { variables, ..Named::default() })]);
        TableDoc { shortcuts: Shortcuts { table: Named::default(), own }, ..TableDoc::default() }
    }

    #[test]
    fn names_are_replaced_by_their_values_until_the_line_reads() {
        let doc = doc();
        let sheet = Sheet { doc: &doc, character: CharacterId(1), declared: &[] };
        let filled = |line: &str| {
            let filled = sheet.filled(line, 5..line.len(), |word| word == "vs", |_| true)?;
            Some((filled.typed, filled.shown.join(", ")))
        };
        assert_eq!(filled("test Fire combat dn 10"), Some(("test 13 dn 10".into(), "fire combat 13".into())));
        assert_eq!(filled("test acrobatics vs 15"), Some(("test 7 +4 vs 15".into(), "acrobatics 7 +4".into())));
        assert_eq!(filled("test hp"), Some(("test 33".into(), "hp 33".into())));
        assert_eq!(filled("test strength"), None);
        let before = sheet.filled_before("test fire combat at the Ogre dn 10", "fire combat at the Ogre", 5);
        assert_eq!(before.map(|filled| filled.typed).as_deref(), Some("test 13 dn 10 # at the Ogre"));
        let dice = |line: &str| sheet.filled_dice(line, 5, |_| true).map(|filled| filled.typed);
        assert_eq!(dice("roll d20+dex+gold").as_deref(), Some("roll d20+(2+1)+5"));
        assert_eq!(dice("roll d20+$dex"), None);
    }

    #[test]
    fn a_counter_changes_within_its_bounds() {
        let doc = doc();
        let sheet = Sheet { doc: &doc, character: CharacterId(1), declared: &[] };
        let called = |line: &str| sheet.called(line);
        assert_eq!(called("hp -7").as_deref(), Some("set hp: 26/40"));
        assert_eq!(called("HP + 30").as_deref(), Some("set hp: 40/40"));
        assert_eq!(called("hp -99").as_deref(), Some("set hp: 0/40"));
        assert_eq!(called("hp = 12").as_deref(), Some("set hp: 12/40"));
        assert_eq!(called("hp").as_deref(), Some("set hp"));
        assert_eq!(called("gold -6").as_deref(), Some("set gold: -1"));
        assert_eq!(called("hp - 7 from the troll").as_deref(), Some("set hp: 26/40 # from the troll"));
        assert_eq!(called("hp -7 2"), None);
        assert_eq!(called("hp 7 is left"), None);
        assert_eq!(called("hp is low"), None);
        assert_eq!(called("strength"), None);
        for large in [
            "gold +9223372036854775807",
            "gold -9223372036854775808",
            "gold = 1000000000001",
            "hp -99999999999999999999",
        ] {
            assert_eq!(called(large), None);
            assert!(sheet.no_change(large).is_some_and(|refusal| refusal.what.contains("is too large")), "{large}");
        }
    }

    #[test]
    fn a_number_that_is_none_is_told_from_a_text() {
        for (typed, wrong) in [
            ("+-3", "no number"),
            ("--", "no number"),
            ("-", "no number"),
            ("1e9", "no whole number"),
            ("-1.5E+3", "no whole number"),
            ("9223372036854775808", "too large"),
            ("5/99999999999999", "too large"),
        ] {
            assert!(wrong_number(typed).is_some_and(|what| what.contains(wrong)), "{typed}");
        }
        for text in
            ["5", "-3", "+3", "5/5", "d8+3", "1d6", "2+1", "7 +4", "east", "--force", "3e", "e9", "", "-x", "12/40"]
        {
            assert_eq!(wrong_number(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_of_a_difficulty_are_no_value() {
        for (words, has) in
            [("7 vs 15", true), ("vs 15", false), ("vs15 +2", false), ("d8", true), ("dn 10", false), ("Guard1", false)]
        {
            assert_eq!(has_value(words), has, "{words}");
        }
    }
}
