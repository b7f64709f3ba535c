//! `!set`, `!values`: the named values of a character.

use crate::shortcuts::{VALUE, Whose, fits, keep, proper, removes};
use crate::view::{Sheet, sheet};
use chat::{Block, Readers, Reply, Span};
use journal::documents::Named;
use journal::store::StoreError;
use plugin_api::names::{ONESELF, written};
use plugin_api::{CharacterId, Counter, Name, Refusal, Role, Text, Trait, number_word, wrong_number};
use std::borrow::Cow;
use std::ops::Range;
use table::own::{Act, HouseTurn, Looking, People, Unplayed, all_values, named_first};
use understand::english::is_function_word;

/// The word that shares values with the table.
const TABLE: &str = "table";
/// The word that fills all counters.
const FULL: &str = "full";
/// What people say between a name and its value.
const LEADS: [&str; 3] = [" to", " is", " now"];
/// The most values in one line.
const MOST_AT_ONCE: usize = 20;

/// Sets values, `NAME VALUE` or `NAME: VALUE`, divided by `;`, or by commas if each part has a number; shows one if it has a name alone, or all.
pub(super) fn set(turn: &mut HouseTurn, values: Option<Text>) -> Result<Reply, Refusal> {
    let reply = set_by(turn, values, false)?;
    // A foe's wounds are the referee's business; the room would read a line for each.
    turn.effects.unnoticed = turn.effects.readers != Readers::Everybody;
    Ok(reply)
}

/// The same, of `another` character than the actor was at first.
fn set_by(turn: &mut HouseTurn, values: Option<Text>, mut another: bool) -> Result<Reply, Refusal> {
    let Some(Text { mut text, mut at }) = values else {
        for_those_who_know(turn, turn.actor)?;
        return Ok(own(turn));
    };
    while let Some((who, left)) = of_somebody(turn, &text)? {
        another |= who != turn.actor;
        turn.actor = who;
        at += text.len() - left;
        text.drain(..text.len() - left);
    }
    if let Some(full) = all_full(turn, &text) {
        if full.is_empty() {
            for_those_who_know(turn, turn.actor)?;
            return Ok("No counter is below its most.".into());
        }
        return set_by(turn, Some(Text { at, text: full }), another);
    }
    let mut words = text.splitn(2, char::is_whitespace);
    let tables = words.next().is_some_and(|word| word.eq_ignore_ascii_case(TABLE));
    let (whose, typed) = match (tables, words.next()) {
        (true, None) => return Ok(of_the_table(&turn.table.shortcuts.table)),
        (true, Some(rest)) => (Whose::Tables, rest.trim()),
        (false, _) => (Whose::Own, text.trim()),
    };
    let pairs = pairs(typed);
    if pairs.is_empty() || pairs.len() > MOST_AT_ONCE {
        let what = format!("set takes 1 to {MOST_AT_ONCE} values at once");
        return Err(Refusal::usage(what, at..at + text.len()).example(VALUE.example));
    }
    let mut replies = Vec::new();
    for pair in &pairs {
        let (name, value) = named(turn, pair);
        if !name.trim_start_matches('$').starts_with(char::is_alphabetic) {
            let place = at + text.find(name).unwrap_or_default();
            return Err(Refusal::usage("a name begins with a letter", place..place + name.len()).example(VALUE.example));
        }
        let name = as_declared(turn, proper(VALUE, name)?);
        let whose = if turn.declared(&name).is_some_and(|value| value.tables) { Whose::Tables } else { whose };
        match whose {
            Whose::Tables => turn.needs(Act::NameForTable, "name something for the table")?,
            Whose::Own => for_those_who_know(turn, turn.actor)?,
        }
        if value.is_empty() {
            return show(turn, &name);
        }
        let signs = value.chars().all(|sign| sign.is_ascii_punctuation());
        let wrong = wrong_number(value)
            .or_else(|| signs.then(|| format!("{name} needs a value with a letter or a number in it")));
        if let Some(wrong) = wrong {
            return Err(Refusal::new(wrong).about(value).example(format!("set {name} 3")));
        }
        if let Some(several) = several_in(turn, &name, value).filter(|_| pairs.len() == 1 && !turn.stored) {
            let what = format!("\"{value}\" would be all that {name} is: a ; goes between two values");
            return Err(Refusal::new(what).about_meant(typed, several));
        }
        unless_it_is_of_another(turn, (&name, value), at..at + text.len())?;
        if !turn.stored {
            must_be_meant(turn, (&name, value), pair, (text.as_str(), at))?;
            let alone = (pairs.len() == 1).then(|| at..at + text.len());
            must_still_count(turn, whose, (&name, value), alone)?;
            must_be_a_value(turn, (&name, value), replies.is_empty())?;
            must_be_of_somebody(turn, pair, &name, &text)?;
        }
        fits(VALUE, &name, value)?;
        let value = counted(turn, whose, &name, value).unwrap_or_else(|| value.to_owned());
        replies.push(keep(turn, VALUE, whose, name, value)?);
    }
    let [_] = replies.as_slice() else {
        let whose = if whose == Whose::Tables { " for the table" } else { "" };
        let shown: Vec<String> = pairs.iter().map(|pair| pair.replacen(": ", " ", 1)).collect();
        return Ok(Reply::from(format!("{} values{whose}: {}", pairs.len(), shown.join(", "))));
    };
    let mut reply = replies.remove(0);
    if another
        && whose == Whose::Own
        && let Some(Block::Line(line)) = reply.blocks.first_mut()
    {
        line.insert(0, Span::Text(format!("{}: ", turn.table.name_of(turn.actor))));
    }
    Ok(reply)
}

/// What a game of the room calls this value, unless one is noted under the name itself: `agility` may be its `dex`.
fn as_declared(turn: &HouseTurn, name: String) -> String {
    let noted = turn.table.shortcuts.of(turn.actor).any(|named| named.variables.contains_key(&name));
    let declared = || turn.declared(&name).map(|value| value.name.clone());
    if noted { name } else { declared().unwrap_or(name) }
}

/// The values of a line: `str 3; dex 2`, and as people type them: `str 3, dex 2`, `str=3 dex=2`, `str 3 dex 2`.
fn pairs(typed: &str) -> Vec<Cow<'_, str>> {
    let parts = typed.split(';').map(str::trim).filter(|part| !part.is_empty());
    parts.flat_map(pairs_of_a_part).collect()
}

fn pairs_of_a_part(part: &str) -> Vec<Cow<'_, str>> {
    // `str 3, dex 2 and con 1`
    let parts = || part.split(',').flat_map(|part| part.split(" and ")).map(str::trim).filter(|pair| !pair.is_empty());
    // A number, with a sign or without, or a die.
    let is_number = |word: &str| {
        let sides = word.strip_prefix(['d', 'D', '+', '-']).unwrap_or(word);
        sides.starts_with(|c: char| c.is_ascii_digit())
    };
    let is_pair = |pair: &str| {
        let mut words = pair.split([' ', '=', ':']);
        words.next().is_some_and(|name| name.starts_with(char::is_alphabetic)) && words.take(3).any(is_number)
    };
    if parts().nth(1).is_some() && parts().all(is_pair) {
        return parts().map(Cow::from).collect();
    }
    let words: Vec<&str> = part.split_whitespace().collect();
    if words.len() > 1 && words.iter().all(|word| is_pair(word)) {
        return words.into_iter().map(Cow::from).collect();
    }
    let alternate =
        |pair: &[&str]| matches!(pair, [name, value] if name.chars().all(char::is_alphabetic) && is_number(value));
    match words.len() > 2 && words.chunks(2).all(alternate) {
        true => words.chunks(2).map(|pair| pair.join(" ").into()).collect(),
        false => vec![part.into()],
    }
}

/// An answer about values that only referees may know goes to them alone.
///
/// # Errors
/// The speaker is none.
pub(super) fn for_those_who_know(turn: &mut HouseTurn, who: CharacterId) -> Result<(), Refusal> {
    let seen = turn.table.seen_values_of(who);
    if !seen.by_everybody() && !turn.may(Act::Know) {
        let what = format!("only the referee sees the values of {}", turn.table.name_of(who));
        return Err(Refusal::new(what).example("values"));
    }
    turn.effects.readers = turn.effects.readers.max(seen.readers);
    Ok(())
}

/// True if `me hp 5` or `my hp 5` begins with this word. `set my trap by the door` sets nothing.
fn is_oneself(word: &str) -> bool {
    ONESELF.contains(&word) || word == "my"
}

/// Whose the values are, if somebody is named in front of them, `Ogre hp 30/30` or `me hp 5`, and how many bytes follow the name.
fn of_somebody(turn: &HouseTurn, text: &str) -> Result<Option<(CharacterId, usize)>, Refusal> {
    let Ok((name, rest)) = named_first(turn.table, text) else { return Ok(None) };
    let name = name.to_lowercase();
    let own = || turn.table.shortcuts.of(turn.actor).any(|named| named.variables.contains_key(&name));
    // What was stored when one's own name was part of the value's stays so.
    let mine = |id: CharacterId| id == turn.actor && (turn.stored || !rest.starts_with(char::is_alphabetic));
    let counts = |pair: &Cow<'_, str>| matches!(named(turn, pair), (_, value) if value.is_empty() || is_counted(value));
    let me = || is_oneself(&name) && pairs(rest).first().is_some_and(counts);
    let known = turn.table.find(&name).or_else(|| me().then_some(turn.actor));
    let begins_a_value = rest.is_empty() || rest.starts_with([':', '=']);
    match known.filter(|id| !begins_a_value && !mine(*id) && !own()) {
        Some(id) => turn.table.may_act_for(id, turn.rights).map(|()| Some((id, rest.len()))),
        None => Ok(None),
    }
}

/// True if a value is a number or dice, as far as its beginning says.
fn is_counted(value: &str) -> bool {
    value.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | 'd'))
}

/// What sets each counter of the character to its most, of `full`; not one that a game begins lower, like stress.
fn all_full(turn: &HouseTurn, text: &str) -> Option<String> {
    let typed = text.trim().to_lowercase();
    if typed.strip_prefix("all ").unwrap_or(&typed) != FULL || turn.value(FULL).is_some() {
        return None;
    }
    let lower = |value: &str| Counter::read(value).and_then(|Counter { now, most }| most.filter(|most| now < *most));
    let own = turn.table.shortcuts.own.get(&turn.actor).map(|named| &named.variables);
    let begins_lower = |name: &str| turn.declared(name).is_some_and(|value| lower(&value.first).is_some());
    let counters = own.into_iter().flatten().filter(|(name, _)| !begins_lower(name));
    let full = counters.filter_map(|(name, value)| Some(format!("{name}: {0}/{0}", lower(value)?)));
    Some(full.collect::<Vec<_>>().join("; "))
}

/// A number behind which other values of the character follow, with what divides them: `str 70; luck 60; spot hidden 40`.
fn several_in(turn: &HouseTurn, name: &str, value: &str) -> Option<String> {
    let number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-'));
    let words: Vec<&str> = value.split_whitespace().collect();
    let (first, mut rest) = words.split_first().filter(|(first, rest)| number(first) && !rest.is_empty())?;
    let mut all = format!("{name} {first}");
    while !rest.is_empty() {
        let end = rest.iter().position(|word| number(word))?;
        let name = rest[..end].join(" ").to_lowercase();
        turn.value(&name)?;
        all += &format!("; {name} {}", rest[end]);
        rest = &rest[end + 1..];
    }
    Some(all)
}

/// Refuses a value that is somebody's name and a number: `set hp Bob 3`.
fn unless_it_is_of_another(turn: &HouseTurn, (name, value): (&str, &str), whole: Range<usize>) -> Result<(), Refusal> {
    let pair = format!("{name} {value}");
    let words: Vec<&str> = pair.split_whitespace().collect();
    let number = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
    let Some(at) = words.iter().position(number).and_then(|at| at.checked_sub(1)).filter(|at| *at > 0) else {
        return Ok(());
    };
    let Some(who) = turn.table.find(words[at]) else { return Ok(()) };
    let (name, number) = (words[..at].join(" "), words[at + 1..].join(" "));
    let what = format!("whose {name} is that? The name of the character goes first");
    let meant = format!("{} {name} {number}", turn.table.name_of(who));
    Err(Refusal::usage(what, whole.clone()).mended(whole, Some(meant)))
}

/// Refuses a name that is a word of a sentence or, behind another value, a command: `set a trap by the door`,
/// `set str 4; roll d20+str`; and a number that a game of the room keeps itself.
fn must_be_a_value(turn: &HouseTurn, (name, value): (&str, &str), first: bool) -> Result<(), Refusal> {
    let known = turn.value(name).is_some();
    if !known && (name == FULL || !(first && is_counted(value)) && (is_function_word(name) || is_oneself(name))) {
        return Err(Refusal::new(format!("{name} is no name for a value")).example(VALUE.example));
    }
    let commands = turn.host.plugins.knowing(name, turn.room);
    if let Some((game, spec)) = commands.iter().find(|(_, spec)| spec.is(Trait::Keeps) && !removes(value)) {
        let changes = spec.examples.iter().find(|example| example.contains(['+', '-'])).unwrap_or(&spec.name);
        return Err(Refusal::new(format!("{} keeps {name} itself", game.manifest().title)).example(changes));
    }
    if !known && !first && commands.iter().any(|(_, spec)| spec.notation) {
        let what = format!("{name} is a command, and a line has one");
        return Err(Refusal::new(what).about(name).example(VALUE.example));
    }
    Ok(())
}

/// Refuses a number behind which something is said, `str 4 (was 3)`, and one with a sign where a plain number is: it may be what
/// the value becomes or what is added.
fn must_be_meant(
    turn: &HouseTurn,
    (name, value): (&str, &str),
    pair: &str,
    (text, at): (&str, usize),
) -> Result<(), Refusal> {
    if let Some((number, said)) = value.split_once(" (").filter(|(number, _)| number.parse::<i64>().is_ok()) {
        let place = at..at + text.len();
        let right = text.trim_end().strip_suffix(&format!(" ({said}")).map(|front| format!("{front} # ({said}"));
        let what = format!("{name} would be \"{value}\", which is no number: {number} is");
        return Err(Refusal::usage(what, place.clone()).mended(place, right));
    }
    let plain = |held: &&String| held.parse::<i64>().is_ok() && !held.starts_with(['+', '-']);
    let held = turn.table.shortcuts.of(turn.actor).find_map(|named| named.variables.get(name)).filter(plain);
    let signed = value.starts_with(['+', '-']) && value.parse::<i64>().is_ok();
    match held.filter(|_| signed && !pair.contains([':', '=']) && !pair.contains(" to ")) {
        Some(_) => {
            let what = format!("{name} {value} changes {name}, and set {name} = {value} sets it");
            Err(Refusal::new(what).about(value).example(format!("{name} {value}")))
        }
        None => Ok(()),
    }
}

/// Refuses a text in place of a number that is counted, where a number was meant: `set hp max 50`, `set hp 25 for now`, `set gold 25gp`.
fn must_still_count(
    turn: &HouseTurn,
    whose: Whose,
    (name, value): (&str, &str),
    alone: Option<Range<usize>>,
) -> Result<(), Refusal> {
    let Some(Counter { now, most }) = held(turn, whose, name).and_then(Counter::read) else { return Ok(()) };
    let behind = value.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = &value[..value.len() - behind.len()];
    let glued = !number.is_empty() && behind.starts_with(char::is_alphabetic) && !behind.starts_with(['d', 'D']);
    if removes(value) || Counter::read(value).is_some() || most.is_none() && !glued {
        return Ok(());
    }
    // `hp max 45`
    let most = value.strip_prefix("max ").and_then(|most| most.parse::<i64>().ok()).filter(|_| most.is_some());
    let right = match number_word(value) {
        None if let Some(most) = most => Some(format!("{}/{most}", now.min(most))),
        Some(number) => Some(number.to_string()),
        None if number.is_empty() => None,
        None if glued => Some(number.to_owned()),
        None => Some(format!("{number} # {}", behind.trim())),
    };
    let table = if whose == Whose::Tables { "table " } else { "" };
    let right = right.map(|right| format!("{table}{name} {right}"));
    let refusal = Refusal::new(format!("{name} is counted, and \"{value}\" is no number"));
    Err(match alone {
        Some(place) => refusal.at(place.clone()).mended(place, right),
        None => refusal.about(value),
    })
}

/// Refuses the value of somebody who is not there: `set Troll hp 30/30` is no value of one's own.
fn must_be_of_somebody(turn: &HouseTurn, pair: &str, name: &str, text: &str) -> Result<(), Refusal> {
    let Some((who, behind)) = pair.split_once(char::is_whitespace) else { return Ok(()) };
    let value = behind.split([' ', ':', '=']).next().unwrap_or_default();
    let shortcuts = &turn.table.shortcuts;
    let seen = |who: CharacterId| turn.may(Act::Know) || turn.table.seen_values_of(who).by_everybody();
    let known = || {
        let own = shortcuts.own.iter().filter(|(who, _)| seen(**who)).map(|(_, named)| named);
        own.chain([&shortcuts.table]).any(|named| named.variables.contains_key(value))
    };
    // `Goblin1 hp 12` has a digit in its first word.
    let counts =
        behind.split([' ', ':', '=']).nth(1).is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    let called = who.starts_with(char::is_uppercase) && (name.contains(char::is_whitespace) || counts);
    if !called || turn.cast().known(who).is_some() || !known() {
        return Ok(());
    }
    let values = text.trim_start().strip_prefix(who).unwrap_or(behind).trim();
    Err(Refusal::new(format!("nobody here is called {who}")).example(format!("as {} set {values}", written(who))))
}

/// The name and the value of `fire combat: 13`, `str 3`, `hp = 40/40`. Without a colon, a name of several words is one that
/// has a value already, or one in front of a number or dice: `fire combat 13 favored`.
fn named<'t>(turn: &HouseTurn, pair: &'t str) -> (&'t str, &'t str) {
    let tidy = |value: &'t str| {
        let value = value.trim();
        // `hp to 19`
        let number = |value: &&str| value.starts_with(|c: char| c.is_ascii_digit() || c == '+' || c == '-');
        let leads =
            |value: &'t str| LEADS.iter().find_map(|leads| value.strip_prefix(leads.trim_start())?.strip_prefix(' '));
        let value = leads(value).filter(number).unwrap_or(value);
        // `brawl = d10.`
        let unended = value.strip_suffix('.').filter(|value| value.ends_with(|c: char| c.is_ascii_digit()));
        let value = unended.unwrap_or(value);
        value.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')).unwrap_or(value).trim()
    };
    if let Some((name, value)) = pair.split_once([':', '=']).filter(|(name, _)| !name.contains('$')) {
        return (name.trim(), tidy(value));
    }
    let known = |name: &&str| turn.value(&name.to_lowercase()).is_some();
    let ends = pair.match_indices(char::is_whitespace).map(|(at, _)| &pair[..at]).chain([pair]);
    let name = ends.rev().find(known).or_else(|| before_a_number(pair)).or_else(|| pair.split_whitespace().next());
    let name = name.unwrap_or_default();
    (name, tidy(&pair[name.len()..]))
}

/// The two or three words in front of the number or dice of which the rest is made, but for one word: `fire combat` of
/// `fire combat 13 favored`. A text that has a number somewhere is none: `motto never 1 step behind`.
fn before_a_number(pair: &str) -> Option<&str> {
    let words: Vec<&str> = pair.split_whitespace().collect();
    let counts = |word: &&str| word.contains(|c: char| c.is_ascii_digit());
    let name = words.iter().position(counts).filter(|name| (2..=3).contains(name))?;
    let prose = words[name..].iter().filter(|word| !counts(word)).count();
    let begins = pair.find(words[name]).filter(|_| prose <= 1)?;
    let name = pair[..begins].trim_end();
    // `wis to 2`
    Some(LEADS.iter().find_map(|leads| name.strip_suffix(leads)).unwrap_or(name).trim_end())
}

/// What somebody, or the table, has under this name: noted, or as a game has it on every sheet.
pub(super) fn held<'t>(turn: &'t HouseTurn, whose: Whose, name: &str) -> Option<&'t str> {
    let noted = |named: &'t Named| named.variables.get(name).map(String::as_str);
    let (tables, own) = (noted(&turn.table.shortcuts.table), turn.table.shortcuts.own.get(&turn.actor));
    match whose {
        Whose::Tables => {
            tables.or_else(|| turn.declared(name).filter(|value| value.tables).map(|value| value.first.as_str()))
        }
        Whose::Own => own.and_then(noted).or_else(|| turn.value(name).filter(|_| tables.is_none())),
    }
}

/// A counter with a most after a change of it, within its bounds, or at a number that it can have: `set hp -7`, `set hp 9`.
fn counted(turn: &HouseTurn, whose: Whose, name: &str, value: &str) -> Option<String> {
    let counter = held(turn, whose, name).and_then(Counter::read)?;
    let (number, most) = (value.parse::<i64>().ok()?, counter.most?);
    let signed = value.starts_with(['+', '-']);
    if signed {
        counter.changed(value).map(|next| next.to_string())
    } else {
        (number <= most).then(|| format!("{number}/{most}"))
    }
}

/// The answer to a new value: `hp 33/40 (-7)`, of the actor or the table.
pub(super) fn changed(whose: Whose, name: &str, value: &str, before: Option<&str>) -> Reply {
    let reply = Reply::new().text(if whose == Whose::Tables { "the table: " } else { "" });
    let reply = reply.bold(format!("{name} {value}"));
    match before {
        None => reply,
        Some(before) if before == value => reply.text(" as before"),
        Some(before) => match (Counter::read(before), Counter::read(value)) {
            (Some(was), Some(now)) if was.most == now.most => {
                reply.text(format!(" ({:+})", now.now.saturating_sub(was.now)))
            }
            _ => reply.text(format!(" (was {before})")),
        },
    }
}

/// Shows one value.
fn show(turn: &mut HouseTurn, name: &str) -> Result<Reply, Refusal> {
    for_those_who_know(turn, turn.actor)?;
    let found = turn.value(name);
    let owner = turn.table.name_of(turn.actor);
    let found = found.ok_or_else(|| Refusal::new(format!("{owner} has no value {name}")).example(VALUE.example))?;
    Ok(Reply::new().bold(format!("{name} {found}")))
}

/// `!values`, or `!sheet` where no game has one: the values of a character.
pub(super) fn values(turn: &mut HouseTurn, export: bool, character: Option<Name>) -> Result<Reply, Unplayed> {
    let who = match &character {
        None => turn.actor,
        Some(Name(name)) => turn.cast().known(name).ok_or_else(|| turn.cast().nobody(name))?,
    };
    if who != turn.actor && turn.cast().opposes(who) && turn.rights.role() < Role::Referee {
        let what = format!("only the referee sees the values of {}", turn.table.name_of(who));
        return Err(Refusal::new(what).example("values").into());
    }
    for_those_who_know(turn, who)?;
    match sheet_of(turn, who) {
        Some(sheet) if export => {
            let all: Vec<String> = sheet.values.iter().map(|value| format!("{}: {}", value.name, value.text)).collect();
            Ok(Reply::new().code(format!("{}set {}", turn.room.prefix, all.join("; "))))
        }
        Some(sheet) => Ok(told(&sheet).text(asked(turn, who)?)),
        None if who == turn.actor => Ok(own(turn)),
        None => Ok(Reply::from(format!("{} has no values yet", turn.table.name_of(who)))),
    }
}

/// How often players rolled against values that they may not see: who rolls often enough finds them out.
fn asked(turn: &HouseTurn, whose: CharacterId) -> Result<String, StoreError> {
    if turn.table.seen_values_of(whose).by_everybody() {
        return Ok(String::new());
    }
    let often = turn.ledger.asked(whose)?.into_iter();
    let often: Vec<_> = often.map(|(who, often)| format!("{} {often}", turn.table.name_of(who))).collect();
    Ok(if often.is_empty() { String::new() } else { format!(" | rolls against these: {}", often.join(", ")) })
}

/// The actor's values and those of the table.
fn own(turn: &HouseTurn) -> Reply {
    let table = &turn.table.shortcuts.table;
    match (sheet_of(turn, turn.actor), table.variables.is_empty()) {
        (None, true) => {
            let owner = turn.table.name_of(turn.actor);
            let reply = Reply::new().text(format!("{owner} has no values yet. Example: "));
            reply.code(format!("{}{}", turn.room.prefix, VALUE.example))
        }
        (None, false) => of_the_table(table),
        (Some(own), true) => told(&own),
        (Some(own), false) => told(&own).text(format!(" | the table: {}", all_values(table))),
    }
}

/// The sheet of a character, for an answer that only those read who may know it.
fn sheet_of(turn: &HouseTurn, who: CharacterId) -> Option<Sheet> {
    sheet(&Looking { in_secret: true, ..turn.looking() }, who)
}

/// `Ann: acrobatics 7 +4, hp 33/40`.
fn told(sheet: &Sheet) -> Reply {
    let all: Vec<_> = sheet.values.iter().map(|value| format!("{} {}", value.name, value.text)).collect();
    Reply::new().bold(&*sheet.who).text(format!(": {}", all.join(", ")))
}

fn of_the_table(named: &Named) -> Reply {
    Reply::new().bold("The table").text(format!(": {}", all_values(named)))
}
