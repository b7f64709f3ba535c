//! `!amend #12 LINE` and `!add #12 +2`: an edit as a command, for networks where nobody can edit, and for referees.
//!
//! It follows the rules of edits: the dice that fell are kept, new ones come after them, and if it cannot be played the
//! entry stands, unless it rolled another die.

use super::edit::{First, NewVersion, Stands, in_its_way};
use super::lines::kept;
use super::{Said, Table};
use crate::draft::Draft;
use crate::line::{play_typed, replied};
use crate::table::edit::{all_to_nothing, replaced, take_first_back};
use chat::Message;
use dice::{Dialect, Notation};
use host::Host;
use host::amends::{ADD, AMEND, amends};
use host::budget::MOST_UNDONE;
use host::notation::throws_dice;
use host::outcome::{Outcome, OutcomeKind};
use host::rights::Rights;
use host::undo::may_take_back;
use host::unplayed::Unplayed;
use host::words::{Arguments, CommandLine};
use journal::documents::{InboxRow, to_json};
use journal::store::StoreError;
use journal::{HOUSE, Page, keys, line_and_place};
use plugin_api::names::written;
use plugin_api::{CommandSpec, FollowUp, Refusal, Role, suggest};
use std::collections::BTreeMap;
use understand::english::{Class, is};

/// An entry that is amended, and its command if there is still one.
type Of<'a> = (&'a Page, Option<&'a CommandSpec>);

/// The line that an entry is to be, after a command `word` with these words and this comment.
fn meant(word: &str, typed: &str, comment: Option<&str>, (page, spec): Of<'_>) -> Result<String, Refusal> {
    let number = page.number();
    let commented = |comment: Option<&str>| comment.map(|comment| format!(" # {comment}")).unwrap_or_default();
    if word == AMEND {
        return match typed {
            change if change.starts_with(['+', '-']) => {
                Err(Refusal::new("what is added goes after add").about_meant(AMEND, ADD))
            }
            "" => Err(Refusal::new("what should it have been?").example(format!("amend #{number} roll d20+2"))),
            _ => Ok(format!("{typed}{}", commented(comment))),
        };
    }
    // `dis was too easy` may be no disadvantage.
    let begins = typed.split(' ').next().unwrap_or_default().to_lowercase();
    if word != ADD && is(&begins, Class::State) {
        let what = format!("\"{typed}\" would only be a comment");
        return Err(Refusal::new(what).about_meant(typed, format!("# {typed}")));
    }
    // `adv I have the high ground`
    let more = if word == ADD { typed.to_owned() } else { format!("{word} {typed}").trim_end().to_owned() };
    let more = more.as_str();
    if more.is_empty() {
        return Err(Refusal::new("what is to be added?").example(format!("add #{number} +2")));
    }
    let Some(text) = page.line() else {
        let what = format!("what #{number} said was erased; say it again");
        return Err(Refusal::new(what).example(format!("amend #{number} roll d20+2")));
    };
    let said = Arguments::of(&text, FollowUp::No);
    // `add 2 for flanking`, `add 2, bless`
    let (first, behind) = more.split_once(' ').unwrap_or((more, ""));
    let first = first.trim_end_matches(',');
    let digits = first.bytes().all(|byte| byte.is_ascii_digit());
    let notation = spec.is_some_and(|spec| spec.notation);
    let changes = word != ADD || first.starts_with(['+', '-']) || throws_dice(first, Dialect::Native);
    let prose = comment.is_none()
        && (digits || changes && is_remark(behind, spec))
        && behind.starts_with(char::is_alphabetic)
        && !behind.contains(|c: char| c.is_ascii_digit());
    let more = match (digits, prose) {
        (true, true) => format!("+{first}"),
        (true, false) => format!("+{first} {behind}").trim_end().to_owned(),
        // `d6` behind `d20+5` would be five of them.
        (false, true) if notation && throws_dice(first, Dialect::Native) => format!("+{first}"),
        (false, true) => first.to_owned(),
        (false, _) if notation && throws_dice(first, Dialect::Native) => format!("+{more}"),
        (false, _) => more.to_owned(),
    };
    let comment = Some(behind).filter(|_| prose).or(comment).or(said.comment.as_deref());
    let (before, after) = said.typed.split_at(end_of_own(&said.typed, &more));
    Ok(format!("{before} {more}{after}{}", commented(comment)))
}

/// Whether words behind what is added say nothing about the roll.
fn is_remark(behind: &str, spec: Option<&CommandSpec>) -> bool {
    let says = |word: &str| spec.is_some_and(|spec| spec.words().any(|known| known == word.to_lowercase()));
    match spec {
        Some(spec) if spec.notation => Notation::prose_behind(&format!("d20 {behind}"), Dialect::Native).is_some(),
        _ => !behind.split_whitespace().any(says),
    }
}

/// Where dice or a number are added to a line: in front of what it is compared with.
fn end_of_own(line: &str, more: &str) -> usize {
    let rolled = more.strip_prefix(['d', 'D']).unwrap_or(more).starts_with(|c: char| c.is_ascii_digit());
    let compared = line.find(" vs ").filter(|_| rolled || more.starts_with(['+', '-']));
    compared.unwrap_or(line.len())
}

/// The line that `page` is to be after this line, which amends it.
fn as_amended(line: &CommandLine, prefix: &str, page: Of<'_>) -> Result<String, Refusal> {
    let arguments = Arguments::of(&line.typed, FollowUp::Own);
    meant(&line.word().0, words_of(&arguments, line, prefix), arguments.comment.as_deref(), page)
}

/// The words after the first of a line, without the prefix that some people type in front of them.
fn words_of<'a>(arguments: &'a Arguments, line: &CommandLine, prefix: &str) -> &'a str {
    let typed = arguments.typed[line.word().1.end.min(arguments.typed.len())..].trim();
    typed.strip_prefix(prefix).unwrap_or(typed).trim_start()
}

/// An entry, and the line that it is to be from now on.
struct Amended {
    page: Page,
    line: CommandLine,
}

impl Table {
    /// Why an edit into `lines` does not change `page`, which its message amended, and what to type instead.
    pub(super) fn amended_before(
        &self,
        host: &Host,
        message: &Message,
        lines: &[CommandLine],
        page: &Page,
    ) -> Result<String, StoreError> {
        let first = page.entry.replaces.map(|number| self.ledger(host).page(number)).transpose()?.flatten();
        let (Some(first), number) = (first, page.number()) else {
            return Ok("it was played as another message.".to_owned());
        };
        let room = &*self.state.rooms[&message.room].doc;
        let amended = |line: &str| format!("{AMEND} #{number} {line}");
        let instead = match lines {
            [line] if !amends(host, room, &line.word().0) => Some(amended(&line.typed)),
            [line] => match Arguments::of(&line.typed, FollowUp::Own).roll {
                Some(other) if self.ledger(host).current(other)? != number => Some(line.typed.clone()),
                _ => as_amended(
                    line,
                    &room.prefix,
                    (&first, host.plugins.of_entry(&first.entry.game, &first.entry.command)),
                )
                .ok()
                .map(|line| amended(&line)),
            },
            _ => None,
        };
        let instead = instead.map_or(String::new(), |line| format!(" Try: {}{line}", room.prefix));
        Ok(format!("it amended #{}, which no edit changes.{instead}", first.number()))
    }
}

/// Plays a line of a message, which may amend an earlier entry. Each outcome comes with the ordinal of its command.
///
/// # Errors
/// The store cannot be read.
pub(super) fn play_said(
    draft: &mut Draft,
    host: &Host,
    message: &Message,
    line_number: u32,
    line: &CommandLine,
) -> Result<Vec<(u32, Outcome)>, StoreError> {
    let (word, _) = line.word();
    let room = draft.room(host, &message.room)?.doc;
    if !amends(host, &room, &word) {
        return play_typed(draft, host, message, line_number, line);
    }
    let amended = match amended(draft, host, message, line, &word) {
        Ok(amended) => amended,
        Err(Unplayed::Store(error)) => return Err(error),
        Err(refused) => {
            return Ok(vec![(line_number, draft.refuse_line(host, message, line_number, line, refused)?)]);
        }
    };
    let before = (draft.state.clone(), draft.writes.clone(), draft.replacing.take(), draft.offered.clone());
    let first = First { id: amended.page.entry.key.id.clone(), pages: vec![amended.page.clone()] };
    let mut made = BTreeMap::new();
    let played = play_amended(draft, host, message, &amended, &first, &mut made);
    draft.replacing.clone_from(&before.2);
    let why = match played {
        Ok(outcome) => return Ok(vec![(line_number, outcome)]),
        Err(Stands::Store(error)) => return Err(error),
        Err(Stands::Because(why)) => why,
    };
    (draft.state, draft.writes, draft.replacing, draft.offered) = before.clone();
    if let Some(last) = first.with_more_dice(made) {
        // Its result is dropped, but its dice were rolled.
        let ordinal = amended.page.entry.key.ordinal;
        let lines = vec![amended.line; line_and_place(ordinal).0 as usize];
        let version = NewVersion { said: Said { message, lines: &lines }, original: "" };
        let outcomes = all_to_nothing(draft, host, version, (&first, &last), &why);
        draft.replacing = before.2;
        return match outcomes {
            Ok(outcomes) => Ok(outcomes.into_iter().map(|outcome| (line_number, outcome)).collect()),
            Err(Stands::Store(error)) => Err(error),
            Err(Stands::Because(why)) => stands(draft, host, message, (line_number, line), &amended.page, &why),
        };
    }
    stands(draft, host, message, (line_number, line), &amended.page, &why)
}

fn stands(
    draft: &mut Draft,
    host: &Host,
    message: &Message,
    (number, line): (u32, &CommandLine),
    page: &Page,
    why: &str,
) -> Result<Vec<(u32, Outcome)>, StoreError> {
    let prefix = draft.room(host, &message.room)?.doc.prefix.clone();
    // What the line itself would be answered ends with an example of its own, or with how it would be right.
    let (why, right) = why.split_once(" Try: ").map_or((why, None), |(why, right)| (why, Some(right)));
    let why = why.split(" Example: ").next().unwrap_or(why).trim_end_matches('.');
    let refusal = Refusal::new(format!("I left #{} as it is: {why}", page.number()));
    let right = right.and_then(|right| right.lines().next()?.strip_prefix(&*prefix));
    let refusal = match right {
        Some(right) => refusal.mended(0..line.typed.len(), Some(format!("{AMEND} #{} {right}", page.number()))),
        None => refusal.example(format!("why #{}", page.number())),
    };
    Ok(vec![(number, draft.refuse_line(host, message, number, line, refusal.into())?)])
}

/// The entry that a line is about and what it is to be, if this player may amend it.
fn amended(
    draft: &mut Draft,
    host: &Host,
    message: &Message,
    line: &CommandLine,
    word: &str,
) -> Result<Amended, Unplayed> {
    if let Some(meant) = (word == ADD).then(|| adds_to_another(draft, host, message, line)).flatten() {
        let what = "add is for your last roll";
        return Err(Refusal::new(what).mended(0..line.typed.len(), Some(meant)).into());
    }
    let room = draft.room(host, &message.room)?.doc;
    let ledger = draft.ledger(host);
    let arguments = Arguments::of(&line.typed, FollowUp::Own);
    if let Some(number) = bare_number(words_of(&arguments, line, &room.prefix), |word| host.plugins.has(word, &room)) {
        let at = line.typed.find(number).unwrap_or_default();
        let refusal = Refusal::new("the number of an entry begins with #");
        return Err(refusal.mended(at..at + number.len(), Some(format!("#{number}"))).into());
    }
    let number = match arguments.roll.or(replied(draft, host, message)?) {
        Some(number) => number,
        None => ledger
            .last_to_undo(&message.speaker, MOST_UNDONE)?
            .map(|page| page.number())
            .ok_or_else(|| Refusal::new("you have played nothing that could be amended").example("history"))?,
    };
    let page = ledger.must_have(ledger.current(number)?)?;
    may_be_amended(draft, host, message, &page)?;
    if word == ADD && page.dice().is_empty() {
        let what = format!("#{} is no roll that something could be added to", page.number());
        return Err(Refusal::new(what).example("history").into());
    }
    let typed = words_of(&arguments, line, &room.prefix);
    let spec = host.plugins.of_entry(&page.entry.game, &page.entry.command);
    let meant = meant(word, typed, arguments.comment.as_deref(), (&page, spec))?;
    let name = draft.state.doc.doc.name_of(page.entry.character);
    let acts = CommandLine::new(&meant).word().0;
    let own = draft.state.doc.doc.seats.get(&message.speaker.player).map(|seat| seat.plays);
    let typed = match own == Some(page.entry.character) || acts == "as" {
        true => meant,
        false => format!("as {} {meant}", written(name)),
    };
    Ok(Amended { page, line: CommandLine { typed, by_name: true } })
}

/// The number in front of a command, which can only be that of an entry: `3 roll d20`.
fn bare_number(typed: &str, is_command: impl Fn(&str) -> bool) -> Option<&str> {
    let (number, line) = typed.split_once(' ')?;
    let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    Some(number).filter(|_| digits && is_command(&CommandLine::new(line).word().0))
}

/// The line of the command that `add the goblin to init 12` is about.
fn adds_to_another(draft: &mut Draft, host: &Host, message: &Message, line: &CommandLine) -> Option<String> {
    let words: Vec<&str> = line.typed.split_whitespace().skip(1).collect();
    let room = draft.room(host, &message.room).ok()?.doc;
    let articles = ["the", "a", "an", "my"];
    let to = words.iter().position(|word| ["to", "into", "in"].contains(&word.to_lowercase().as_str()))?;
    let behind = words[to + 1..].iter().position(|word| !articles.contains(&word.to_lowercase().as_str()))?;
    let (command, rest) = words[to + 1 + behind..].split_first()?;
    let command = command.trim_end_matches([',', ':', '.']).to_lowercase();
    let knows = |word: &str| !host.plugins.knowing(word, &room).is_empty();
    let games = host.plugins.enabled(&room);
    let names = || games.iter().flat_map(|game| &game.manifest().commands).map(|spec| spec.name.as_str());
    let right = if knows(&command) { None } else { suggest(&command, names()) };
    let command = right.unwrap_or(&command);
    let known = knows(command);
    let what = words[..to].iter().filter(|word| !articles.contains(&word.to_lowercase().as_str()));
    // `order goblin` would be an order of that goblin alone.
    let mut examples = host.plugins.knowing(command, &room).into_iter().flat_map(|(_, spec)| &spec.examples);
    let adds = examples.any(|example| example.split(' ').nth(1) == Some(ADD)).then_some(ADD);
    let front = std::iter::once(command).chain(adds);
    let meant: Vec<&str> = front.chain(what.copied()).chain(rest.iter().copied()).collect();
    known.then(|| meant.join(" "))
}

/// Refuses what cannot be amended, and people who may not amend it.
fn may_be_amended(draft: &Draft, host: &Host, message: &Message, page: &Page) -> Result<(), Unplayed> {
    let (entry, number) = (&page.entry, page.number());
    let refuse = |what: String| Err(Refusal::new(what).about(format!("#{number}")).example("history").into());
    let doc = &draft.state.doc.doc;
    let rights = Rights::of(host, &draft.state, message);
    let own = message.speaker.is(&entry.player);
    if !own && rights.role() < Role::Referee {
        let name = doc.name_of(entry.character);
        return refuse(format!("#{number} is {name}'s: they or the referee may amend it"));
    }
    may_take_back(host, doc, &rights, &message.room, page)?;
    // Whoever knows the outcome must not choose again.
    let accounts = message.speaker.accounts().filter(|_| own).chain([&entry.player]);
    let newest = draft.ledger(host).last_of(accounts)?;
    if rights.role() < Role::Referee && newest != Some(number) {
        let newest = newest.map_or(String::new(), |newest| format!(", #{newest}"));
        return refuse(format!("you did something else since{newest}: only the referee may amend #{number} now"));
    }
    if let Some(by) = page.link.fate.undone_by {
        return refuse(format!("#{number} was undone in #{by}"));
    }
    if entry.is_about_others() || entry.game == HOUSE {
        return refuse(format!("{} cannot be amended: undo #{number} and type it again", entry.command));
    }
    // Its message may be gone, and could not be taken back once more.
    if page.text().is_none() {
        return refuse(format!("the words of #{number} were erased, so it stays as it is"));
    }
    if page.is_secret() {
        return refuse(format!("#{number} is secret: undo it and type it again"));
    }
    // Players could find the value out, a point at a time.
    if page.withholds() && rights.role() < Role::Referee {
        let what = "was measured against a value that you do not know";
        return refuse(format!("#{number} {what}: only the referee may amend it"));
    }
    if entry.key.network != message.room.network || entry.key.room != message.said_in().id {
        return refuse(format!("#{number} was played in another room: amend it there"));
    }
    if line_and_place(entry.key.ordinal).1 > 0 {
        return refuse(format!("#{number} was played for several at once: undo it and type it again"));
    }
    if entry.epoch != draft.state.head.epoch {
        return refuse(format!("the seed of its dice is not in use any more, so #{number} stays as it is"));
    }
    Ok(())
}

/// Plays the line in place of the entry, with its dice.
fn play_amended(
    draft: &mut Draft,
    host: &Host,
    message: &Message,
    Amended { page, line }: &Amended,
    first: &First,
    made: &mut BTreeMap<u32, Page>,
) -> Result<Outcome, Stands> {
    take_first_back(draft, host, message, first)?;
    let ordinal = page.entry.key.ordinal;
    let outcome = draft.play_line(host, message, ordinal, line)?;
    let new = outcome.entry.map(|number| draft.ledger(host).page(number)).transpose()?.flatten();
    made.extend(new.clone().map(|new| (ordinal, new)));
    if let Some(why) = in_its_way(line, &outcome, new.as_ref(), Some(page)) {
        return Err(Stands::Because(why));
    }
    let Some(new) = new.filter(|_| outcome.kind == OutcomeKind::Played) else {
        return Err(Stands::Because("the new line does nothing".to_owned()));
    };
    replaced(draft, host, page, new.number());
    amend_row(draft, host, message, page, (new.number(), line))?;
    Ok(outcome)
}

/// Lets the message of the entry stand for the new one, so that taking it back takes that back.
fn amend_row(
    draft: &mut Draft,
    host: &Host,
    message: &Message,
    page: &Page,
    (number, line): (u64, &CommandLine),
) -> Result<(), StoreError> {
    let key = keys::inbox(message.said_in(), &page.entry.key.id);
    let Some(InboxRow::Played { mut lines, mut entries, table, by }) = draft.read(host, &key)? else {
        return Ok(());
    };
    let at = line_and_place(page.entry.key.ordinal).0 as usize;
    if let Some(digest) = at.checked_sub(1).and_then(|at| lines.get_mut(at)) {
        *digest = kept(host, std::slice::from_ref(line)).remove(0);
    }
    entries.iter_mut().filter(|entry| **entry == page.number()).for_each(|entry| *entry = number);
    draft.writes.put(key, to_json(&InboxRow::Played { lines, entries, table, by }));
    Ok(())
}
