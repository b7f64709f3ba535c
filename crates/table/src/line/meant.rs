//! What a line means: for whom, with which words, and which command it is. Each line is looked up once. A wrapper
//! around a command, or a shortcut for one, produces a new line.

use super::around::Around;
use super::asked::{Asked, ODDS, asked_of_game};
use super::last_roll::{bare_dice, in_full};
use super::offers::{take_offer, takes_offer};
use super::resolve::resolve;
use super::totals::with_total;
use super::{changes, offers, unknown};
use crate::attempt::{self, Attempt};
use crate::by_dice::ByDice;
use crate::draft::Draft;
use crate::shortcuts::{self, Words as Filled};
use chat::Readers;
use host::Host;
use host::budget::MOST_TEXT;
use host::names::{ACT_AS, named_first};
use host::notation::throws_dice;
use host::people::People;
use host::room::{ALONE, Answered};
use host::unplayed::Unplayed;
use host::words::CommandLine;
use plugin_api::names::written;
use plugin_api::{CommandSpec, Kind, Plugin, Refusal, Trait};
use std::sync::Arc;
use understand::english::{Class, is, is_any};
use understand::guess::{self, Guess, guess, surely};
use understand::notation::AGAIN;
use understand::surroundings::Found;

/// An understood line.
pub(super) enum Meant<'a> {
    /// One of the table's own commands.
    Own(&'a CommandSpec),
    /// A plugin's command, whose arguments begin at this byte of the line.
    Game(&'a dyn Plugin, &'a CommandSpec, usize),
    /// The odds of a plugin's command.
    Odds(Asked<'a>),
}

/// A line whose first word is no command: the question that it asks, as a command, or why it is not played, with the line
/// that was probably meant.
fn guessed(host: &Host, unplayed: Unplayed, line: &CommandLine, attempt: &Attempt<'_>) -> Result<String, Unplayed> {
    let (word, _) = host.plugins.begun(&line.typed, &attempt.room);
    let known = host.plugins.has(&word, &attempt.room) || host.plugins.get(&word).is_some();
    if known || offers::number(line).is_some() {
        return Err(unplayed);
    }
    // `!! go go go` is a cry, and `... and then` a pause.
    if !word.contains(char::is_alphanumeric) && line.typed.starts_with(['!', '?', '.', '…']) {
        return Err(Unplayed::Silent);
    }
    let around = Around::of(host, attempt).among_others(line);
    let character = attempt.cast(host).known(&word).map(|id| attempt.doc.name_of(id).to_owned());
    if let Some(meant) = surely(&around, &line.typed) {
        let what = match guess::begins_a_sentence(&word) {
            true => format!("no command begins with \"{word}\""),
            false => format!("{word} is no command"),
        };
        return Err(Refusal::new(what).mended(0..line.typed.len(), Some(meant)).into());
    }
    if let Some(meant) = unknown::in_other_words(host, line, attempt).filter(|_| character.is_none()) {
        let asked =
            || Refusal::new(format!("there is no command {word}")).mended(0..line.typed.len(), Some(meant.as_str()));
        return if line.by_name { Ok(meant) } else { Err(asked().into()) };
    }
    match unplayed {
        // A slip is the better guess, but nobody who names a character means another word.
        Unplayed::Refused(refusal) if refusal.mended.is_some() && character.is_none() => Err(refusal.into()),
        Unplayed::Silent | Unplayed::Refused(_) => match (guess(&around, &line.typed), character) {
            (Some(Guess::Answer(meant)), _) => Ok(meant),
            (Some(Guess::Line(meant)), _) => {
                let what = format!("there is no command {word}");
                Err(Refusal::new(what).mended(0..line.typed.len(), Some(meant)).into())
            }
            (None, Some(name)) if line.by_name => {
                let what = format!("{name} is a character; say what they do after as");
                Err(Refusal::new(what).example(format!("as {} roll 2d6", written(&name))).into())
            }
            (None, _) => Err(unplayed),
        },
        store => Err(store),
    }
}

/// A line that other bots may be meant by and that begins with something of this room, as it would be corrected if this bot was named.
/// Nothing is said if it is not known what it means.
pub(super) fn among_others(host: &Host, line: &CommandLine, attempt: &Attempt<'_>) -> Option<(CommandLine, Refusal)> {
    let named = CommandLine { by_name: true, ..line.clone() };
    if line.by_name || !begins_with_something_of_the_room(host, &named, attempt) {
        return None;
    }
    let (word, _) = line.word();
    let unplayed = unknown::unknown(host, &attempt.room, &named, &word);
    let refusal = match guessed(host, unplayed, &named, attempt) {
        Ok(meant) => Refusal::new(format!("{word} is no command")).mended(0..line.typed.len(), Some(meant)),
        Err(Unplayed::Refused(refusal)) => refusal,
        Err(Unplayed::Silent) => Refusal::new(format!("{word} is no command")),
        Err(Unplayed::Store(_)) => return None,
    };
    Some((named, refusal))
}

/// A shorter word may be anything.
const SHORT: usize = 3;

/// Whether a verb begins or ends something.
fn turns_or_begins(word: &str) -> bool {
    is_any(word, &[Class::Beginning, Class::Ending])
}

/// Whether a line begins with dice, with the name of somebody here, with a value that whoever typed it may change, or with what
/// begins or ends something of the room: no command of another bot does.
fn begins_with_something_of_the_room(host: &Host, line: &CommandLine, attempt: &Attempt<'_>) -> bool {
    let (word, _) = line.word();
    let cast = attempt.cast(host);
    let known = cast.known(&word);
    let mut own = cast.names().filter_map(|name| cast.known(name)).chain([attempt.actor]);
    let counted = |who| attempt.sheet_of(who).counts(&word) && attempt.doc.may_act_for(who, &attempt.rights).is_ok();
    let dice = word.starts_with(|c: char| c.is_ascii_digit() || c == 'd') && throws_dice(&word, attempt.room.dialect());
    // `end scene`, `new clock Flood 6`, and `clear prone from Ann`
    let mut words = line.typed.split_whitespace().skip(1).map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let second = words.next().map(str::to_lowercase).filter(|second| turns_or_begins(&word) && second.len() > SHORT);
    let commands = second.is_some_and(|second| host.plugins.has(&second, &attempt.room));
    let whom = words.last().is_some_and(|last| turns_or_begins(&word) && cast.known(last).is_some());
    // Every sheet is looked at, so that is paid for first.
    let affordable = || attempt.fuel.takes(cast.names().count());
    dice || known.is_some() || word == AGAIN || commands || whom || affordable() && own.any(counted)
}

/// A line as read, and its command or why there is none.
type Read<'a> = (Result<Found<'a>, Unplayed>, CommandLine);

/// The wrapper `secret COMMAND`.
pub(super) const SECRET: &str = "secret";
/// The command that keeps words.
const NOTE: &str = "note";
/// The command that hands out a file.
const EXPORT: &str = "export";

/// The refusal of a command that may have been meant otherwise, with the line that was probably meant.
pub(super) fn reworded(host: &Host, refusal: Refusal, attempt: &mut Attempt<'_>) -> Refusal {
    let Some((typed, found)) = attempt.said.clone().filter(|_| attempt.offered.is_none()) else { return refusal };
    let around = Around::of(host, attempt);
    let of_a_tool = || match found {
        Found::Plugin(plugin, ..) if plugin.manifest().kind == Kind::Tool => guess::meant_by_tool(&around, &typed),
        _ => None,
    };
    let meant = guess::meant_by(&around, &typed, (found, &refusal)).or_else(of_a_tool);
    let Some(meant) = meant.filter(|meant| *meant != typed) else { return refusal };
    let same = attempt.typed == typed;
    attempt.typed = typed;
    let whole = 0..attempt.typed.len();
    // Places in a line with values are none in the line as it was typed.
    let refusal = if same { refusal } else { Refusal { at: None, about: None, ..refusal } };
    refusal.mended(whole, Some(meant))
}

/// Finds out what a line means, and checks that the speaker may do it and can be answered.
///
/// # Errors
/// It means nothing to this bot, or they may not.
pub(super) fn mean<'a>(
    draft: &mut Draft,
    host: &'a Host,
    line: &CommandLine,
    attempt: &mut Attempt<'a>,
) -> Result<Meant<'a>, Unplayed> {
    let most = host.router.most_bytes(&line.typed);
    if line.typed.len() > most {
        attempt.typed.clear();
        let parts = if most > MOST_TEXT { "; give it to me in parts" } else { "" };
        return Err(Refusal::new(format!("that is longer than {most} bytes{parts}")).example("help").into());
    }
    // If no other bot answers commands, every command is for this one, as if named.
    let line = CommandLine { by_name: line.by_name || ALONE.is_on(&attempt.room), ..line.clone() };
    let own = line.typed.clone();
    let (mut found, mut line) = read_line(draft, host, line, attempt)?;
    if let Err(unplayed) = found {
        found = match guessed(host, unplayed, &line, attempt) {
            Ok(typed) => {
                attempt.reworded = (line.typed == own).then(|| typed.clone());
                line.typed = typed;
                resolve(draft, host, &line, attempt)
            }
            Err(unplayed) => Err(unplayed),
        };
    }
    if matches!(found, Err(Unplayed::Silent)) && !takes_offer(draft, host, &line, attempt.message)? {
        return Err(offers::number_in_front(host, &line, attempt).map_or(Unplayed::Silent, Unplayed::from));
    }
    if !std::mem::replace(&mut attempt.paced, true) {
        draft.keep_pace(host, attempt.message)?;
    }
    let outer = line.typed.len();
    let (found, mut line) = unwrapped(draft, host, (found, line), attempt)?;
    attempt.typed.clone_from(&line.typed);
    let mut found = match found {
        // `as Ogre club vs Ann`
        Err(unplayed) if line.typed.len() < outer => {
            line.typed = guessed(host, unplayed, &line, attempt)?;
            resolve(draft, host, &line, attempt)?
        }
        found => found?,
    };
    if let Found::Plugin(_, spec, from) = found
        && spec.notation
        && let Some(again) = in_full(draft, host, &line, from, attempt)?
    {
        attempt.reworded = (line.typed == own).then(|| again.typed.clone());
        line = again;
        attempt.typed.clone_from(&line.typed);
        found = resolve(draft, host, &line, attempt)?;
    }
    if let Found::House(spec) = found
        && spec.name == ODDS
        && let Some(asked) = asked_of_game(draft, host, spec, &mut line, attempt)?
    {
        return Ok(Meant::Odds(asked));
    }
    attempt.said = Some((line.typed.clone(), found));
    permitted(draft, host, found, &line, attempt)?;
    Ok(match found {
        Found::House(spec) => Meant::Own(spec),
        Found::Plugin(plugin, spec, from) => Meant::Game(plugin, spec, from),
    })
}

/// Expands variables, and refuses what the speaker may not do or could not be answered.
fn permitted<'a>(
    draft: &mut Draft,
    host: &Host,
    found: Found<'a>,
    line: &CommandLine,
    attempt: &mut Attempt<'a>,
) -> Result<(), Unplayed> {
    let (Found::House(spec) | Found::Plugin(_, spec, _)) = found;
    let own = matches!(found, Found::House(_));
    // Elsewhere the table's own commands define the values.
    if (!own || spec.is(Trait::Values)) && attempt.offered.is_none() {
        let words = match own || spec.notation {
            true => Filled::Dice,
            false => Filled::Any(spec.follow_up),
        };
        let filled = shortcuts::filled(&attempt.doc, attempt.actor, line, words);
        attempt.typed = filled.put_into(host, attempt)?.typed;
    }
    attempt.spec = Some(spec);
    attempt.may_use(spec)?;
    if !spec.notation {
        attempt.needs_a_seat(spec)?;
    }
    let counts = !attempt.message.counted && (attempt.message.late || !attempt.message.unlimited);
    if own && spec.name == EXPORT && counts && !attempt.rehearsed {
        let (player, now) = (&attempt.message.speaker.player, attempt.message.heard_at());
        attempt.exports = Some(draft.pulse.export(player, now)?);
    }
    Ok(attempt.must_reach()?)
}

/// Finds the command in a line, or in the line that a macro or bare dice stand for. Also returns that line.
pub(super) fn read_line<'a>(
    draft: &Draft,
    host: &'a Host,
    line: CommandLine,
    attempt: &mut Attempt<'a>,
) -> Result<Read<'a>, Unplayed> {
    let found = resolve(draft, host, &line, attempt);
    match found {
        Ok(_) => Ok((found, line)),
        Err(_) => stood_for(draft, host, (found, line), attempt),
    }
}

/// Expands a line that is not a command, if it stands for another one.
fn stood_for<'a>(
    draft: &Draft,
    host: &'a Host,
    (found, line): Read<'a>,
    attempt: &mut Attempt<'a>,
) -> Result<Read<'a>, Unplayed> {
    // A command of the room comes before a macro from a time when the room did not have it.
    let free = !host.plugins.has(&host.plugins.begun(&line.typed, &attempt.room).0, &attempt.room);
    let stands_for = match shortcuts::called(&attempt.doc, attempt.actor, &line).filter(|_| free) {
        Some(called) => {
            attempt.stored = true;
            Some(called.put_into(host, attempt)?)
        }
        None if let Some(line) = several_changes(&line, attempt)? => Some(line),
        None if let Some(line) = by_dice(host, &line, attempt)? => Some(line),
        None => match bare_dice(host, &line, attempt) {
            Some(dice) => Some(dice),
            None => {
                let called = attempt.sheet().called(&with_total(draft, host, &line.typed, attempt)?);
                if let Some(refusal) = called.as_ref().and_then(|sets| changes::doubted(host, &line, sets, attempt)) {
                    attempt.asked = Some(attempt::Asked::Only);
                    return Err(refusal.into());
                }
                let unchanged = called.is_none() && found.is_err();
                if let Some(refusal) = attempt.sheet().no_change(&line.typed).filter(|_| unchanged) {
                    return Err(refusal.into());
                }
                called.map(|typed| CommandLine { typed, ..line.clone() })
            }
        },
    };
    Ok(match stands_for {
        Some(line) => (resolve(draft, host, &line, attempt), line),
        None => (found, line),
    })
}

/// The command inside its wrappers: `secret`, `as NAME`, or an offer's number in place of its words.
fn unwrapped<'a>(
    draft: &Draft,
    host: &'a Host,
    (mut found, mut line): Read<'a>,
    attempt: &mut Attempt<'a>,
) -> Result<Read<'a>, Unplayed> {
    let mut acted = false;
    while let Ok(Found::House(around)) = found {
        match around.name.as_str() {
            SECRET => {
                attempt.spec = Some(around);
                attempt.only_for(Readers::Referees);
                line = inner(line.typed[line.word().1.end..].trim(), attempt, "what is to be secret?")?;
            }
            // `note secret the innkeeper lies`
            NOTE if let Some(again) = without_secret(&line) => {
                attempt.spec = Some(around);
                attempt.only_for(Readers::Referees);
                line = again;
            }
            ACT_AS if !acted => {
                attempt.spec = Some(around);
                attempt.needs_a_seat(around)?;
                line = act_as(host, &line, attempt)?;
                acted = true;
            }
            _ => break,
        }
        found = resolve(draft, host, &line, attempt);
    }
    match (offers::number(&line), &found) {
        // An offer's words belong to the game alone; nothing in them is expanded.
        (Some(taken), _) => {
            line = take_offer(draft, host, &line, taken, attempt)?;
            found = resolve(draft, host, &line, attempt);
            // But for a change of a value.
            if found.is_err()
                && let Some(typed) = attempt.sheet().called(&line.typed)
            {
                line.typed = typed;
                found = resolve(draft, host, &line, attempt);
            }
            Ok((found, line))
        }
        (None, Ok(_)) => Ok((found, line)),
        (None, Err(_)) => stood_for(draft, host, (found, line), attempt),
    }
}

/// `as NAME COMMAND`: the rest of the line, with another actor.
pub(super) fn act_as(host: &Host, line: &CommandLine, attempt: &mut Attempt<'_>) -> Result<CommandLine, Unplayed> {
    let (name, rest) = named_first(&attempt.doc, &line.typed[ACT_AS.len()..])?;
    let line = inner(rest, attempt, &format!("what does {name} do?"))?;
    let cast = attempt.cast(host);
    attempt.actor = match cast.meant(&name) {
        Some(id) => {
            attempt.doc.may_act_for(id, &attempt.rights)?;
            id
        }
        None => {
            let mut doc = (*attempt.doc).clone();
            let id = attempt.bring_in(host, &mut doc, &name, cast)?;
            attempt.doc = Arc::new(doc);
            id
        }
    };
    Ok(line)
}

/// The line that makes all the changes of this one, if it makes several. If they cannot be made in one line, nothing else is meant.
fn several_changes(line: &CommandLine, attempt: &mut Attempt<'_>) -> Result<Option<CommandLine>, Refusal> {
    let typed = changes::several(&attempt.sheet(), &line.typed, attempt.room.dialect());
    if typed.is_err() {
        attempt.asked = Some(attempt::Asked::Only);
    }
    Ok(typed?.map(|typed| CommandLine { typed, ..line.clone() }))
}

/// The line of a change by dice, with nothing in place of the dice: they are thrown when it is played.
fn by_dice(host: &Host, line: &CommandLine, attempt: &mut Attempt<'_>) -> Result<Option<CommandLine>, Refusal> {
    let sheet = attempt.sheet();
    let Some(found) = ByDice::of(&sheet, &line.typed, attempt.room.dialect())? else { return Ok(None) };
    let sets = sheet.called(&found.line(0));
    if let Some(refusal) = sets.as_ref().and_then(|sets| changes::doubted(host, line, sets, attempt)) {
        attempt.asked = Some(attempt::Asked::Only);
        return Err(refusal);
    }
    let typed = sets.map(|typed| CommandLine { typed, ..line.clone() });
    attempt.by_dice = Some(found);
    Ok(typed)
}

/// True if this word wraps another command, as in `as NAME COMMAND`.
pub(super) fn stands_around(word: &str) -> bool {
    [ACT_AS, SECRET].contains(&word)
}

/// How people begin a note for themselves, besides words such as `secret`.
const TO_ONESELF: [&str; 3] = ["to self", "to myself", "for myself"];

/// A line such as `note secret TEXT` without what says so, if something does.
fn without_secret(line: &CommandLine) -> Option<CommandLine> {
    let (command, rest) = line.typed.split_once(char::is_whitespace)?;
    let rest = rest.trim_start();
    let ends = |c: char| c.is_whitespace() || matches!(c, ':' | ',');
    let behind = |end: usize| rest[end..].starts_with(ends).then(|| rest[end..].trim_start_matches(ends));
    let word = &rest[..rest.find(ends).unwrap_or(rest.len())];
    let phrase = || {
        let begins = |said: &&&str| rest.get(..said.len()).is_some_and(|front| front.eq_ignore_ascii_case(said));
        behind(TO_ONESELF.iter().find(begins)?.len())
    };
    let text = if is(&word.to_lowercase(), Class::Secretly) { behind(word.len()) } else { phrase() };
    let text = text.filter(|text| !text.trim().is_empty())?;
    Some(CommandLine { typed: format!("{command} {text}"), ..line.clone() })
}

/// The command inside a wrapper.
fn inner(rest: &str, attempt: &Attempt<'_>, missing: &str) -> Result<CommandLine, Unplayed> {
    let typed = rest.trim_start_matches(attempt.room.prefix.as_str()).trim().to_owned();
    if typed.is_empty() {
        return Err(Refusal::new(missing).into());
    }
    Ok(CommandLine { typed, by_name: true })
}
