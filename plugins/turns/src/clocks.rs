//! Clocks: something that fills up step by step, such as a ritual or a pursuit.

use crate::{State, referees};
use plugin_api::piece::{clock_drawn, dials, drawn};
use plugin_api::{Piece, Refusal, Reply, Text, Turn, suggest};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The most clocks at a table.
const MOST_CLOCKS: usize = 20;
/// The most segments of a clock.
const MOST_SEGMENTS: u32 = 60;
/// The most characters of a name.
const MOST_NAME: usize = 40;
/// What people call the parts of a clock.
const SEGMENTS: [&str; 10] =
    ["segment", "segments", "seg", "segs", "ticks", "tick", "steps", "step", "boxes", "slices"];
/// Words that remove a clock.
const REMOVES: [&str; 6] = ["none", "remove", "clear", "off", "delete", "end"];

/// Words that fill a clock, and that empty it.
const FILLS: [&str; 2] = ["full", "filled"];
const EMPTIES: [&str; 3] = ["empty", "reset", "restart"];
/// Words between a clock and a number that say where it moves.
const MOVES: [&str; 11] = ["up", "down", "by", "to", "at", "is", "now", "forward", "back", "plus", "minus"];

/// A clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Clock {
    /// As it was typed.
    name: String,
    filled: u32,
    size: u32,
}

/// The clocks of a table, by name in lower case.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Clocks(BTreeMap<String, Clock>);

/// What becomes of a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Show,
    /// Begin it with this many segments, so many of them filled.
    Begin(u32, u32),
    /// Fill so many segments, or empty them.
    Move(i32),
    Remove,
}

impl Clocks {
    /// All of them as others see them.
    pub fn shown(&self) -> impl Iterator<Item = Piece> {
        self.0.values().map(Clock::piece)
    }
}

impl Clock {
    /// Why no other clock begins with what was typed, and what was probably meant.
    fn is_there(&self, typed: &str, meant: String) -> Refusal {
        Refusal::new(format!("there is already a clock called {}", self.name)).about_meant(typed, meant)
    }

    fn piece(&self) -> Piece {
        Piece::Clock { name: self.name.clone(), filled: self.filled, size: self.size }
    }

    /// It in words and as a picture.
    fn pictured(&self) -> Reply {
        dials([&self.piece()]).into_iter().fold(Reply::from(self.drawn()), Reply::picture)
    }

    fn drawn(&self) -> String {
        clock_drawn(&self.name, self.filled, self.size)
    }
}

/// The fewest letters that may stand for a clock's name.
const PARTLY: usize = 3;

impl Clocks {
    /// The key of the clock with this name, or of the only one in which words begin so: `the bridge`, `bridge`.
    fn meant(&self, name: &str) -> String {
        let typed = name.to_lowercase();
        let typed = match typed.strip_prefix("the ") {
            Some(rest) if !self.0.contains_key(&typed) => rest.to_owned(),
            _ => typed,
        };
        // `bell tower` of The bell tower falls.
        let begins = |key: &&String| format!(" {key}").contains(&format!(" {typed}"));
        let mut partly = self.0.keys().filter(|_| typed.chars().count() >= PARTLY).filter(begins);
        match partly.next().filter(|_| !self.0.contains_key(&typed) && partly.next().is_none()) {
            Some(only) => only.clone(),
            None => typed,
        }
    }

    /// `new Alarm 4` is `Alarm 4`, unless a clock has a name that starts with it.
    fn without_new<'t>(&self, typed: &'t str) -> &'t str {
        let named = self.0.keys().any(|name| name.starts_with("new "));
        typed.strip_prefix("new ").filter(|_| !named).map_or(typed, str::trim_start)
    }

    /// The clock of this name but for an article: `ritual` is The ritual.
    fn without_article(&self, name: &str) -> Option<&Clock> {
        let plain = |name: &str| name.to_lowercase().trim_start_matches("the ").to_owned();
        let whole = name.to_lowercase();
        self.0.values().find(|clock| clock.name.to_lowercase() != whole && plain(&clock.name) == plain(name))
    }

    /// The changes of several clocks: `Doom +1, The ritual +1`. None, if it is not a list of nothing else.
    fn several<'t>(&self, typed: &'t str) -> Vec<&'t str> {
        let parts: Vec<&str> = typed.split([',', ';']).flat_map(|part| part.split(" and ")).map(str::trim).collect();
        let moves = |part: &&str| {
            read(part).is_ok_and(|(name, step)| step != Step::Show && self.0.contains_key(&self.meant(name)))
        };
        if parts.len() > 1 && parts.iter().all(moves) { parts } else { Vec::new() }
    }

    /// Why no clock begins, if this is the name of another and where that moves: `The ritual up by 2`.
    fn moves(&self, typed: &str) -> Option<Refusal> {
        let words: Vec<&str> = typed.split_whitespace().collect();
        let (number, name) = words.split_last()?;
        let number: u32 = number.parse().ok()?;
        let (clock, behind) = (1..name.len()).rev().find_map(|count| {
            let clock = self.0.get(&self.meant(&name[..count].join(" ")))?;
            Some((clock, name[count..].iter().map(|word| word.to_lowercase()).collect::<Vec<_>>()))
        })?;
        let moves = behind.iter().all(|word| MOVES.contains(&word.as_str()));
        if !moves || self.0.contains_key(&name.join(" ").to_lowercase()) {
            return None;
        }
        let says = |word: &str| behind.iter().any(|each| each == word);
        let step = match () {
            () if says("down") || says("back") || says("minus") => format!("-{number}"),
            () if says("up") || says("by") || says("plus") || says("forward") => format!("+{number}"),
            () => format!("{number}/{}", clock.size),
        };
        let meant = format!("{} {step}", clock.name);
        Some(clock.is_there(typed, meant))
    }
}

pub(crate) fn clock(state: &mut State, turn: &Turn, change: Option<Text>) -> Result<Reply, Refusal> {
    let clocks = &mut state.clocks;
    let Some(Text { text, .. }) = change else {
        let none = || Refusal::new("there are no clocks yet").example("clock The ritual 6");
        let all: Vec<Piece> = clocks.shown().collect();
        let line = drawn(&all).pop().ok_or_else(none)?;
        return Ok(dials(&all).into_iter().fold(line.into_iter().fold(Reply::new(), Reply::span), Reply::picture));
    };
    let several = clocks.several(&text);
    if several.is_empty() {
        return changed(clocks, turn, &text);
    }
    if several.len() > MOST_CLOCKS {
        return Err(Refusal::new(format!("{MOST_CLOCKS} clocks at once are the most")).example("clock The ritual +1"));
    }
    let all = several.into_iter().map(|each| changed(clocks, turn, each)).collect::<Result<Vec<_>, Refusal>>()?;
    let mut reply = Reply::from(all.iter().map(Reply::plain).collect::<Vec<_>>().join(" | "));
    all.iter().flat_map(|each| &each.pictures).for_each(|picture| picture.join(&mut reply.pictures));
    Ok(reply)
}

/// What becomes of one clock.
fn changed(clocks: &mut Clocks, turn: &Turn, text: &str) -> Result<Reply, Refusal> {
    if let Some(refusal) = clocks.moves(text.trim()) {
        return Err(refusal);
    }
    let typed = clocks.without_new(text.trim());
    // A clock may be called `The end` or `Nearly full`.
    let whole = clocks.0.contains_key(&typed.to_lowercase());
    let (name, step) = if whole { (typed, Step::Show) } else { read(typed)? };
    let key = clocks.meant(name);
    if let (Step::Show, Some(clock)) = (step, clocks.0.get(&key)) {
        return Ok(clock.pictured());
    }
    if let Step::Begin(size, filled) = step {
        let another = clocks.without_article(name).filter(|_| !clocks.0.contains_key(&name.to_lowercase()));
        let name = match another {
            // `clock ritual 2/6` is about The ritual.
            Some(clock) if says_both(text) => &clock.name.clone(),
            Some(clock) => {
                let meant = format!("{} {}/{}", clock.name, size.min(clock.size), clock.size);
                return Err(clock.is_there(text.trim(), meant));
            }
            None => name,
        };
        let begun = clocks.0.get(&key).filter(|clock| clock.filled > 0 && !says_both(text));
        if let Some(Clock { name, filled, size: of }) = begun.filter(|clock| clock.size != size) {
            let what = format!("{name} is at {filled} of {of}; with a slash I know what you mean");
            return Err(Refusal::new(what).example(format!("clock {name} {}/{of}", size.min(*of))));
        }
        return begin(clocks, turn, name, size, filled);
    }
    let Some(clock) = clocks.0.get_mut(&key) else { return Err(unknown(clocks, name, step)) };
    referees(turn, "change a clock")?;
    let Step::Move(by) = step else {
        let name = clock.name.clone();
        clocks.0.remove(&key);
        return Ok(format!("The clock {name} is gone.").into());
    };
    let before = clock.filled;
    clock.filled = before.saturating_add_signed(by).min(clock.size);
    if clock.filled == before {
        let full = if by > 0 { "full" } else { "empty" };
        return Err(Refusal::new(format!("{} is {full} already", clock.name)).example(format!("clock {name} none")));
    }
    Ok(shown(clock))
}

/// A change of a clock in words.
pub(crate) fn told(key: &str, field: &str, after: Option<&Value>) -> String {
    // Only the key is known, which is the name in lower case.
    let mut letters = key.chars();
    let name: String = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
    match (field, after.and_then(Value::as_u64)) {
        ("filled", Some(filled)) => format!("the clock {name} is at {filled}"),
        ("filled", None) => format!("the clock {name} is gone"),
        _ => String::new(),
    }
}

fn shown(clock: &Clock) -> Reply {
    let reply = clock.pictured().fact("filled", clock.filled).fact("size", clock.size);
    if clock.filled == clock.size { reply.text(" | ").bold("it is full!") } else { reply }
}

fn begin(clocks: &mut Clocks, turn: &Turn, name: &str, size: u32, filled: u32) -> Result<Reply, Refusal> {
    referees(turn, "begin a clock")?;
    if name.is_empty() {
        return Err(Refusal::new("which clock? Say its name").example(format!("clock The ritual {size}")));
    }
    if name.chars().count() > MOST_NAME {
        return Err(Refusal::new(format!("a clock's name has up to {MOST_NAME} characters")).about(name));
    }
    if !clocks.0.contains_key(&name.to_lowercase()) && clocks.0.len() >= MOST_CLOCKS {
        return Err(Refusal::new(format!("{MOST_CLOCKS} clocks are the most")).example("clock"));
    }
    let clock = Clock { name: name.to_owned(), filled, size };
    let reply = shown(&clock).fact("begun", 1);
    clocks.0.insert(name.to_lowercase(), clock);
    Ok(reply)
}

fn unknown(clocks: &Clocks, name: &str, step: Step) -> Refusal {
    // `Bomb 6 down`
    let number = |word: &str| word.parse::<u32>().is_ok();
    let sized = name.split_whitespace().skip(1).position(number).filter(|_| step == Step::Show);
    if let Some(at) = sized {
        let begins: Vec<&str> = name.split_whitespace().take(at + 2).collect();
        return Refusal::new("the size of a clock comes last").example(format!("clock {}", begins.join(" ")));
    }
    let what = format!("there is no clock {name}");
    match suggest(name, clocks.0.values().map(|clock| clock.name.as_str())) {
        Some(meant) => Refusal::new(format!("{what}: did you mean {meant}?")).about_meant(name, meant),
        None if step == Step::Show => {
            Refusal::new(format!("{what} yet; with a size it begins")).example(format!("clock {name} 6"))
        }
        None => Refusal::new(what).about(name).example("clock"),
    }
}

/// The text up to the prose that follows a comma behind a number: `Doom +1, smoke everywhere`.
fn without_prose(typed: &str) -> &str {
    let number = |text: &str| text.ends_with(|c: char| c.is_ascii_digit());
    typed.match_indices(", ").map(|(at, _)| &typed[..at]).find(|front| number(front)).unwrap_or(typed)
}

/// A name, and the change that is glued to it: `ritual+1`.
fn glued(typed: &str) -> Option<(&str, &str)> {
    let (name, change) = typed.split_at(typed.rfind(['+', '-'])?);
    let is_change = change.len() > 1 && change[1..].bytes().all(|byte| byte.is_ascii_digit());
    (is_change && name.ends_with(char::is_alphabetic)).then_some((name, change))
}

/// True if a text says how full the clock is and how large: `The ritual 2/6`, `The ritual 2 of 6`.
fn says_both(text: &str) -> bool {
    text.contains('/') || text.contains(" of ")
}

/// All but the last word, and that.
fn last_word(text: &str) -> Option<(&str, &str)> {
    text.rsplit_once(char::is_whitespace)
}

/// A name without the quotation marks around it, and without what is between it and a number.
fn plain_name(name: &str) -> &str {
    name.trim_end_matches([':', ' ', '=']).trim_matches('"')
}

/// A clock's name, and what is to become of it: `The ritual +1`, `The ritual 6`, `The ritual 2/6`.
fn read(typed: &str) -> Result<(&str, Step), Refusal> {
    let typed = without_prose(typed.trim()).trim_end_matches(['.', '!']);
    // `Doom 6 segments`
    let counted = |word: &str| SEGMENTS.contains(&word.to_lowercase().as_str());
    let counted = typed.rsplit_once(char::is_whitespace).filter(|(before, last)| {
        let number = before.rsplit(char::is_whitespace).next().unwrap_or_default();
        counted(last) && number.contains(|c: char| c.is_ascii_digit())
    });
    let typed = counted.map_or(typed, |(before, _)| before.trim_end());
    let (name, last) = glued(typed).or_else(|| last_word(typed)).unwrap_or(("", typed));
    // `Reactor meltdown (4)`
    let last = last.strip_prefix('(').and_then(|last| last.strip_suffix(')')).unwrap_or(last);
    let name = plain_name(name);
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let bounds = || Refusal::new(format!("a clock has 2 to {MOST_SEGMENTS} segments")).about(last);
    let size = |text: &str| text.parse().ok().filter(|size| (2..=MOST_SEGMENTS).contains(size)).ok_or_else(bounds);
    if REMOVES.contains(&last.to_lowercase().as_str()) && !name.is_empty() {
        return Ok((name, Step::Remove));
    }
    let is = |words: &[&str]| words.contains(&last.to_lowercase().as_str()) && !name.is_empty();
    if is(&FILLS) || is(&EMPTIES) {
        return Ok((name, Step::Move(if is(&FILLS) { i32::MAX } else { -i32::MAX })));
    }
    if last.strip_prefix(['+', '-']).is_some_and(digits) {
        let by: i32 = last.parse().map_err(|_| bounds())?;
        return Ok((name, Step::Move(by)));
    }
    // `Doom + 2`
    if let Some((before, sign)) = name.rsplit_once(char::is_whitespace).filter(|(_, sign)| ["+", "-"].contains(sign))
        && digits(last)
    {
        let by: i32 = format!("{sign}{last}").parse().map_err(|_| bounds())?;
        return Ok((before.trim_end(), Step::Move(by)));
    }
    // `Doom 2 of 8`
    let spelled = name.strip_suffix(" of").or_else(|| name.strip_suffix(" OF")).and_then(last_word);
    let spelled = spelled.filter(|(_, filled)| digits(filled) && digits(last));
    let parts = last.split_once('/').filter(|(filled, of)| digits(filled) && digits(of));
    let parts = parts.map(|(filled, of)| (name, filled, of));
    if let Some((name, filled, of)) = spelled.map(|(name, filled)| (plain_name(name), filled, last)).or(parts) {
        let of = size(of)?;
        let filled = filled.parse().ok().filter(|filled| *filled <= of).ok_or_else(bounds)?;
        return Ok((name, Step::Begin(of, filled)));
    }
    if digits(last) {
        return Ok((name, Step::Begin(size(last)?, 0)));
    }
    Ok((typed, Step::Show))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_behind_the_name_tells_what_becomes_of_it() {
        let read = |typed| read(typed).expect("it reads");
        assert_eq!(read("The ritual 6"), ("The ritual", Step::Begin(6, 0)));
        assert_eq!(read("The ritual: 2/6"), ("The ritual", Step::Begin(6, 2)));
        assert_eq!(read("The ritual +1"), ("The ritual", Step::Move(1)));
        assert_eq!(read("The ritual none"), ("The ritual", Step::Remove));
        assert_eq!(read("Doom +1, smoke everywhere"), ("Doom", Step::Move(1)));
        assert_eq!(read("Doom 6 segments."), ("Doom", Step::Begin(6, 0)));
        assert_eq!(read("The ritual+1"), ("The ritual", Step::Move(1)));
        assert_eq!(read("Doom + 2"), ("Doom", Step::Move(2)));
        assert_eq!(read("Doom +1 tick"), ("Doom", Step::Move(1)));
        assert_eq!(read("The last steps"), ("The last steps", Step::Show));
        assert_eq!(read("The ritual"), ("The ritual", Step::Show));
        assert_eq!(read("none"), ("none", Step::Show));
        let clock = |name: &str| (name.to_lowercase(), Clock { name: name.into(), filled: 0, size: 6 });
        let clocks = Clocks(BTreeMap::from([clock("Doom"), clock("The ritual")]));
        assert_eq!(clocks.several("Doom +1, ritual +2"), ["Doom +1", "ritual +2"]);
        assert_eq!(clocks.several("Doom +1 and ritual none"), ["Doom +1", "ritual none"]);
        for one in ["Doom +1", "Doom +1, smoke everywhere", "Doom, The ritual", "Doom +1, Alarm 4"] {
            assert!(clocks.several(one).is_empty(), "{one}");
        }
        for wrong in ["Doom 1", "Doom 61", "Doom 99999999999", "Doom 7/6", "Doom +99999999999"] {
            assert!(super::read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_clock_is_known_without_its_article_and_by_no_part_of_its_name() {
        let ritual = Clock { name: "The ritual".into(), filled: 0, size: 6 };
        let clocks = Clocks(BTreeMap::from([("the ritual".to_owned(), ritual)]));
        let known = |name: &str| clocks.without_article(name).is_some();
        assert!(known("ritual") && known("Ritual"));
        assert!(!known("rit") && !known("the ritual") && !known("ritualist"));
        let moves = |typed: &str| clocks.moves(typed).and_then(|refusal| Some(refusal.mended?.by));
        assert_eq!(moves("ritual up by 2").as_deref(), Some("The ritual +2"));
        assert_eq!(moves("the ritual back by 1").as_deref(), Some("The ritual -1"));
        assert_eq!(moves("rit to 3").as_deref(), Some("The ritual 3/6"));
        assert_eq!(moves("Alarm 4"), None);
        assert_eq!(moves("The ritual 4"), None);
    }

    #[test]
    fn only_an_empty_clock_looks_empty_and_only_a_full_one_full() {
        let drawn = |filled, size| Clock { name: "Doom".into(), filled, size }.drawn();
        assert_eq!(drawn(0, 12), "Doom ○ 0/12");
        assert_eq!(drawn(1, 12), "Doom ◔ 1/12");
        assert_eq!(drawn(6, 12), "Doom ◑ 6/12");
        assert_eq!(drawn(11, 12), "Doom ◕ 11/12");
        assert_eq!(drawn(12, 12), "Doom ● 12/12");
    }
}
