//! A line for a group: it is played once for each character, or so many times. All of it is played or none, and each time
//! makes an entry of its own.

pub(super) mod named;

use super::followed::{Followed, replied};
use super::last_roll::in_full;
use super::meant::{SECRET, act_as};
use super::nothing::comes_to_nothing_after;
use super::remarks::{Command, Here};
use super::resolve::resolve;
use crate::attempt::Attempt;
use crate::by_dice::ByDice;
use crate::draft::Draft;
use crate::grouped::Group;
use chat::Message;
use host::Host;
use host::budget::{MOST_LOOKED_AT, MOST_SLOTS, MOST_TEXT};
use host::fuel::too_much;
use host::names::{ACT_AS, named_first};
use host::outcome::{Outcome, OutcomeKind};
use host::room::Answered;
use host::unplayed::Unplayed;
use host::words::{Arguments, CommandLine};
use journal::ordinal;
use journal::store::StoreError;
use named::{Named, Place, REDO, UNDO};
use plugin_api::names::written;
use plugin_api::{ArgumentKind, ArgumentSpec, CharacterId, CommandSpec, FollowUp, Many, Plugin};
use std::ops::Range;
use understand::surroundings::Found;

/// Takes the place of a name: it reads as no name, number or remark, and as any text.
const NO_NAME: &str = "#";

/// The lines that one line is played as.
#[derive(Default)]
pub(super) struct Several {
    pub lines: Vec<CommandLine>,
    /// What each has in place of the group.
    put: Vec<String>,
    /// The group as it was typed.
    typed: String,
    whom: Whom,
    /// What is said of those for whom nothing is played, as they have no such value.
    without: Option<String>,
}

/// For whom of a group a line must be played.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Whom {
    /// For each, or for nobody.
    #[default]
    Each,
    /// For those whom it fits: `vs all 15` settles what is open.
    WhomItFits,
}

/// A place in a line that a group can be typed at.
struct Slot<'a> {
    plugin: &'a dyn Plugin,
    spec: &'a CommandSpec,
    /// The command without its wrappers and its comment.
    body: &'a str,
    /// Where its arguments begin.
    from: usize,
    at: Range<usize>,
}

impl Draft {
    /// The lines that a line is played as, if there are several.
    pub(super) fn several(
        &mut self,
        host: &Host,
        message: &Message,
        line_number: u32,
        line: &CommandLine,
    ) -> Result<Option<Several>, Unplayed> {
        if line.typed.len() > MOST_TEXT || !named::may_be_several(&line.typed) {
            return Ok(None);
        }
        self.room(host, &message.room)?;
        let attempt = self.attempt(host, message, line_number, line);
        match line.word().0.as_str() {
            UNDO | REDO => taken_back_together(self, host, line, &attempt),
            _ => for_each(self, host, line, &attempt),
        }
    }

    /// The same command so many times.
    fn repeated(
        &self,
        host: &Host,
        line: &CommandLine,
        (before, command): (&str, &str),
        times: usize,
        attempt: &Attempt<'_>,
    ) -> Result<Option<Several>, Unplayed> {
        let once = CommandLine { typed: format!("{before}{command}"), ..line.clone() };
        let alone = CommandLine { typed: command.to_owned(), ..line.clone() };
        match resolve(self, host, &alone, attempt) {
            Ok(Found::Plugin(_, spec, _)) if !spec.notation => {}
            _ => return Ok(None),
        }
        named::must_be_few(times)?;
        Ok(Some(Several { lines: vec![once; times], put: vec![String::new(); times], ..Several::default() }))
    }
}

/// Plays a line, once for each member if it is for a group; `line_number` counts the lines of its message from 1. Each outcome
/// comes with the ordinal of its command.
///
/// # Errors
/// The store cannot be read.
pub fn play_typed(
    draft: &mut Draft,
    host: &Host,
    message: &Message,
    line_number: u32,
    line: &CommandLine,
) -> Result<Vec<(u32, Outcome)>, StoreError> {
    let several = match draft.several(host, message, line_number, line) {
        Ok(Some(several)) => several,
        Ok(None) => return Ok(vec![(line_number, draft.play_line(host, message, line_number, line)?)]),
        Err(Unplayed::Store(error)) => return Err(error),
        Err(unplayed) => {
            return Ok(vec![(line_number, draft.refuse_line(host, message, line_number, line, unplayed)?)]);
        }
    };
    let before = (draft.state.clone(), draft.writes.clone(), draft.replacing.clone(), draft.offered.clone());
    let (first, fuel) = (draft.state.next_number(), draft.fuel.left());
    let mut outcomes = Vec::new();
    let mut refused = None;
    let alone = several.lines.len() == 1;
    for (played, (line, put)) in several.lines.iter().zip(several.put).enumerate() {
        // Each costs about as much as the first.
        let cost = (fuel - draft.fuel.left()) * (several.lines.len() - 1);
        if played == 1 && cost > draft.fuel.left() {
            let ordinal = ordinal(line_number, 2);
            refused = Some((ordinal, draft.refuse_line(host, message, ordinal, line, too_much().into())?));
            break;
        }
        let put = (!several.typed.is_empty()).then(|| (put, several.typed.clone()));
        let without = several.without.clone().filter(|_| played + 1 == several.lines.len());
        draft.group = Some(Group { first, put, without });
        let place = if alone { 0 } else { draft.state.next_number() - first + 1 };
        let ordinal = ordinal(line_number, place as u32);
        let outcome = draft.play_line(host, message, ordinal, line);
        draft.group = None;
        match outcome? {
            played if played.kind == OutcomeKind::Played => outcomes.push((ordinal, played)),
            outcome => {
                refused = Some((ordinal, outcome));
                if several.whom == Whom::Each {
                    break;
                }
            }
        }
    }
    let Some(refused) = refused.filter(|_| outcomes.is_empty() || several.whom == Whom::Each) else {
        return Ok(outcomes);
    };
    // What was played for those before is dropped with it. Where dice fell the journal says so, or else players could try
    // them until they like them.
    let ledger = draft.ledger(host);
    let entries = outcomes.iter().filter_map(|(_, played)| played.entry);
    let pages: Vec<_> = entries.filter_map(|number| ledger.page(number).transpose()).collect::<Result<_, _>>()?;
    (draft.state, draft.writes, draft.replacing, draft.offered) = before;
    outcomes.clear();
    if pages.iter().any(|page| !page.dice().is_empty()) {
        for page in &pages {
            let why = "it was not played for all";
            let ordinal = page.entry.key.ordinal;
            outcomes.push((ordinal, comes_to_nothing_after(draft, host, message, line, page, why)?));
        }
    }
    outcomes.push(refused);
    Ok(outcomes)
}

/// `undo` and `redo` without a number, of what a line did for several.
fn taken_back_together(
    draft: &Draft,
    host: &Host,
    line: &CommandLine,
    attempt: &Attempt<'_>,
) -> Result<Option<Several>, Unplayed> {
    let (word, place) = line.word();
    if !line.typed[place.end..].trim().is_empty() {
        return Ok(None);
    }
    let (ledger, player) = (draft.ledger(host), &attempt.message.speaker);
    let page = match replied(draft, host, attempt.message)?.filter(|_| word == UNDO) {
        Some(number) => ledger.page(ledger.current(number)?)?,
        None if word == UNDO => ledger.last_to_undo(player, MOST_LOOKED_AT)?,
        None => ledger.last_to_redo(player, MOST_LOOKED_AT)?,
    };
    let Some(page) = page else { return Ok(None) };
    let numbers: Vec<u64> = ledger.made_with(&page)?.into_iter().rev().collect();
    if numbers.len() < 2 {
        return Ok(None);
    }
    let lines = numbers.iter().map(|number| CommandLine { typed: format!("{UNDO} #{number}"), by_name: true });
    Ok(Some(Several { lines: lines.collect(), put: vec![String::new(); numbers.len()], ..Several::default() }))
}

/// A command for each character of a group, which acts or is named, or so many times: `3x act d6`.
fn for_each(
    draft: &Draft,
    host: &Host,
    line: &CommandLine,
    attempt: &Attempt<'_>,
) -> Result<Option<Several>, Unplayed> {
    let text = line.typed.as_str();
    let cast = attempt.cast(host);
    let known = Here::of(host, &cast, attempt);
    // All bytes are where they were typed; the comment and the number of a roll are spaces.
    let mut body = Arguments::of(text, FollowUp::Own).typed;
    body.push_str(&" ".repeat(text.len() - body.len()));
    let (mut at, mut actor) = (0, attempt.actor);
    if named::word_at(text, at).eq_ignore_ascii_case(SECRET) {
        at = named::next_word(text, at);
    }
    if let Some(times) = named::times(named::word_at(text, at)) {
        let rest = named::next_word(text, at);
        return draft.repeated(host, line, (&text[..at], &text[rest..]), times, attempt);
    }
    if let Some(typed) = known.sets_for_several(&body, text, at) {
        return for_each(draft, host, &CommandLine { typed, ..line.clone() }, attempt);
    }
    if named::word_at(text, at).eq_ignore_ascii_case(ACT_AS) {
        let who = named::skip_article(&body, named::next_word(text, at));
        if let Some((group, end)) = known.group_at(&body, who, Place::Acts)
            && !body[end..].trim().is_empty()
        {
            return acting(draft, host, line, (at, who..end), &group.members()?, attempt).map(Some);
        }
        let Ok((name, rest)) = named_first(&attempt.doc, &text[named::next_word(text, at)..]) else {
            return Ok(None);
        };
        at = text.len() - rest.len();
        actor = cast.known(&name).unwrap_or(actor);
    }
    let rest = text[at..].trim_start_matches(attempt.room.prefix.as_str());
    at = text.len() - rest.len();
    let command = CommandLine { typed: rest.to_owned(), by_name: line.by_name };
    let Ok(Found::Plugin(plugin, spec, from)) = resolve(draft, host, &command, attempt) else { return Ok(None) };
    if spec.notation {
        // `roll initiative heroes d20`
        let full = in_full(draft, host, &command, from, attempt).ok().flatten();
        let full = full.filter(|full| rest.ends_with(&full.typed) && full.typed.len() < rest.len());
        return match full {
            Some(full) => {
                for_each(draft, host, &CommandLine { typed: format!("{}{}", &text[..at], full.typed), ..full }, attempt)
            }
            None => Ok(None),
        };
    }
    let body = &body[at..];
    let groups = named::words_from(body, from)
        .filter_map(|start| Some((start, known.group_at(body, start, Place::Named)?)))
        .take(MOST_SLOTS);
    for (start, (group, end)) in groups {
        let slot = Slot { plugin, spec, body, from, at: start..end };
        let Some(taken) = slot.takes(&known, &group) else { continue };
        let by_word = group.is_word();
        let mut members = group.members()?;
        // `counter all` answers those who wait for that.
        if by_word && matches!(spec.follow_up, FollowUp::Anyone | FollowUp::IfAny) {
            let followed = Followed { command: Command { plugin, spec, from }, here: known, offered: None };
            members = who_ask(draft, host, &followed, (&members, actor))?;
            if members.is_empty() {
                return Ok(None);
            }
        }
        let place = at + start..at + end;
        return Ok(match taken {
            Taken::OneByOne(whom) => Some(several(line, place, &members, whom)?),
            Taken::Together if by_word => {
                let list = members.iter().map(|name| written(name)).collect::<Vec<_>>().join(", ");
                let typed = format!("{}{list}{}", &text[..place.start], &text[place.end..]);
                let lines = vec![CommandLine { typed, ..line.clone() }];
                Some(Several { lines, put: vec![list], typed: text[place].to_owned(), ..Several::default() })
            }
            Taken::Together => None,
        });
    }
    Ok(None)
}

/// A line for each of these, who act: `as heroes hp -2`. A change of a value is for those who have it. `at` is where the command
/// begins, and `place` where the group is named.
fn acting(
    draft: &Draft,
    host: &Host,
    line: &CommandLine,
    (at, place): (usize, Range<usize>),
    members: &[String],
    attempt: &Attempt<'_>,
) -> Result<Several, Unplayed> {
    let all = several(line, place.clone(), members, Whom::Each)?;
    let (mut with, mut without, mut command) = (Vec::new(), Vec::new(), None);
    // Before any die falls for one of them.
    for (each, name) in all.lines.iter().zip(members) {
        let mut attempt = draft.attempt(host, attempt.message, attempt.key.ordinal, each);
        let acting = CommandLine { typed: each.typed[at..].to_owned(), ..each.clone() };
        let behind = act_as(host, &acting, &mut attempt)?;
        let (sheet, dialect) = (attempt.sheet(), attempt.room.dialect());
        let has = sheet.called(&behind.typed).is_some()
            || ByDice::of(&sheet, &behind.typed, dialect).is_ok_and(|by_dice| by_dice.is_some());
        if has && !*command.get_or_insert_with(|| resolve(draft, host, &behind, &attempt).is_ok()) {
            with.push(name.clone());
        } else if attempt.doc.seen_values_of(attempt.actor).by_everybody() {
            without.push(name.as_str());
        }
    }
    if with.is_empty() || with.len() == members.len() {
        return Ok(all);
    }
    let (value, _) = CommandLine::new(line.typed[place.end..].trim()).word();
    let without = (!without.is_empty()).then(|| format!("without {value}: {}", without.join(", ")));
    Ok(Several { without, ..several(line, place, &with, Whom::Each)? })
}

/// Those of these characters who ask the actor for what a command does.
fn who_ask(
    draft: &Draft,
    host: &Host,
    followed: &Followed<'_, '_>,
    (names, actor): (&[String], CharacterId),
) -> Result<Vec<String>, StoreError> {
    let (ledger, mut asking) = (draft.ledger(host), Vec::new());
    for name in names {
        if let Some(who) = followed.here.cast.known(name)
            && followed.asks(&ledger, (who, actor))?
        {
            asking.push(name.clone());
        }
    }
    Ok(asking)
}

/// How a command takes a group.
enum Taken {
    /// One name at a time.
    OneByOne(Whom),
    /// Names one after the other, of its own.
    Together,
}

impl Slot<'_> {
    /// How the command takes this group, or `None` if no name can be typed here.
    fn takes(&self, known: &Here<'_, '_>, group: &Named) -> Option<Taken> {
        let Some(first) = group.first() else {
            // Nobody is in it, which is worth saying only where a name can be typed.
            return self.takes_a_name(known, "nobody").then_some(Taken::OneByOne(Whom::Each));
        };
        let one = written(first);
        let named = self.takes_a_name(known, &one);
        // Whose roll it is about is no argument of the command.
        let of_a_roll = self.spec.follow_up != FollowUp::No && self.remark_of(known, "") == Some(None);
        if !(named || of_a_roll) || self.takes_anything(known, NO_NAME) && !self.is_for_a_character() {
            return None;
        }
        let list = group.names().map(written).collect::<Vec<_>>().join(", ");
        let takes_all = self.remark_of(known, &list) == Some(None);
        if named && takes_all && !self.takes_anything(known, &format!("{one} {NO_NAME}")) {
            return Some(Taken::Together);
        }
        let fits = self.spec.follow_up != FollowUp::No && group.is_word();
        Some(Taken::OneByOne(if fits { Whom::WhomItFits } else { Whom::Each }))
    }

    fn takes_a_name(&self, known: &Here<'_, '_>, name: &str) -> bool {
        let bare = name.trim_matches('"');
        self.remark_of(known, name).is_some_and(|remark| remark.is_none_or(|remark| !remark.contains(bare)))
    }

    /// True if the command begins with whom it is about, and this is there: `condition heroes prone`.
    fn is_for_a_character(&self) -> bool {
        let first = self.body[self.from.min(self.at.start)..self.at.start].trim().is_empty();
        first && self.spec.arguments.first().is_some_and(is_somebody)
    }

    /// Whether any text would do from here on: `fear of all` is a condition.
    fn takes_anything(&self, known: &Here<'_, '_>, put: &str) -> bool {
        self.read(known, format!("{}{put}", &self.body[..self.at.start])).is_some()
    }

    /// The remark in the command with `put` in this place, if it can be read so.
    fn remark_of(&self, known: &Here<'_, '_>, put: &str) -> Option<Option<String>> {
        self.read(known, format!("{}{put}{}", &self.body[..self.at.start], &self.body[self.at.end..]))
    }

    fn read(&self, known: &Here<'_, '_>, typed: String) -> Option<Option<String>> {
        if !known.attempt.fuel.reads(&typed) {
            return None;
        }
        let command = Command { plugin: self.plugin, spec: self.spec, from: self.from };
        let (remark, clear) = command.read(&typed, known).ok()?;
        clear.then_some(remark)
    }
}

/// True if an argument is a character whom it need not name.
fn is_somebody(argument: &ArgumentSpec) -> bool {
    argument.field == "character" && argument.kind == ArgumentKind::Who && argument.many == Many::Maybe
}

/// The line with each of these names in one place of it.
fn several(line: &CommandLine, at: Range<usize>, members: &[String], whom: Whom) -> Result<Several, Unplayed> {
    let text = &line.typed;
    let put: Vec<String> = members.iter().map(|name| written(name)).collect();
    let lines = put
        .iter()
        .map(|name| CommandLine { typed: format!("{}{name}{}", &text[..at.start], &text[at.end..]), ..line.clone() });
    Ok(Several { lines: lines.collect(), typed: text[at.clone()].to_owned(), put, whom, ..Several::default() })
}
