//! Commands offered to type next: stored with their roll until taken, and numbered as last shown.

use super::around::Around;
use crate::attempt::Attempt;
use crate::draft::Draft;
use chat::{Message, PlayerId, Reply, Seen};
use host::Host;
use host::done::Done;
use host::rights::Act;
use host::unplayed::Unplayed;
use host::words::CommandLine;
use journal::documents::{Choice, ChoicesDoc, OpenOffer, RollDoc, to_json};
use journal::store::StoreError;
use journal::{Change, Place, diff, keys};
use plugin_api::{CharacterId, Closed, FollowUp, Refusal};
use serde_json::Value;
use std::collections::BTreeSet;
use understand::guess::number_first;

/// The most rolls with open offers that are listed; older offers can still be typed in words.
const MOST_OPEN: usize = 200;

/// The offer number at the beginning of a line, and the text after it: `1`, `1 4 +2`.
pub(super) fn number(line: &CommandLine) -> Option<(usize, &str)> {
    let (number, more) = line.typed.split_once(char::is_whitespace).unwrap_or((&line.typed, ""));
    let number = number.trim_end_matches(['.', ':', '!', ')']);
    // `+1 forward` is no offer.
    let digits = number.starts_with(|c: char| c.is_ascii_digit());
    Some((number.parse().ok().filter(|_| digits)?, more.trim_start()))
}

/// The refusal of a line that begins with a number and means a command: `6 damage to Ghoul`.
pub(super) fn number_in_front(host: &Host, line: &CommandLine, attempt: &Attempt<'_>) -> Option<Refusal> {
    number(line).filter(|(_, more)| !more.is_empty())?;
    let meant = number_first(&Around::of(host, attempt).among_others(line), &line.typed)?;
    Some(Refusal::new("a command comes before its number").mended(0..line.typed.len(), Some(meant)))
}

impl Draft {
    /// Other players whose characters now have something to do about these rolls that they did not have before.
    pub(super) fn called(
        &self,
        host: &Host,
        attempt: &Attempt<'_>,
        rolls: &[(u64, RollDoc)],
    ) -> Result<BTreeSet<PlayerId>, StoreError> {
        let owner = |id| attempt.doc.characters.get(id).and_then(|character| character.owner.clone());
        let mut called: BTreeSet<PlayerId> = self.asked(host, rolls)?.iter().filter_map(owner).collect();
        called.retain(|player| !attempt.message.speaker.is(player));
        self.ledger(host).with_accounts(called, attempt.message.heard_at())
    }

    /// Characters who now have something to do about these rolls that they did not have before.
    pub(crate) fn asked(&self, host: &Host, rolls: &[(u64, RollDoc)]) -> Result<BTreeSet<CharacterId>, StoreError> {
        let (ledger, mut asked) = (self.ledger(host), BTreeSet::new());
        for (number, roll) in rolls {
            // The roll of the entry that was just appended is new.
            let known = if *number == self.state.head.number { None } else { ledger.roll(*number)? };
            let before = known.map(|roll| roll.open).unwrap_or_default();
            asked.extend(roll.open.iter().filter(|open| !before.contains(open)).map(|open| open.character));
        }
        Ok(asked)
    }
}

/// True if a line is an offer's number, alone or with its arguments, and either something is offered or the bot was
/// named.
pub(super) fn takes_offer(
    draft: &Draft,
    host: &Host,
    line: &CommandLine,
    message: &Message,
) -> Result<bool, StoreError> {
    let Some((number, more)) = number(line) else { return Ok(false) };
    let offered = choices(draft, host, message)?.len();
    Ok(line.by_name || if more.is_empty() { offered > 0 } else { (1..=offered).contains(&number) })
}

fn choices(draft: &Draft, host: &Host, message: &Message) -> Result<Vec<Choice>, StoreError> {
    let doc: Option<ChoicesDoc> = draft.read(host, &keys::choices(&draft.state.id, &message.speaker.player))?;
    Ok(doc.unwrap_or_default().choices)
}

/// `!1`: the command shown under that number, for the character it was offered to, with any text typed after it.
pub(super) fn take_offer(
    draft: &Draft,
    host: &Host,
    line: &CommandLine,
    (number, more): (usize, &str),
    attempt: &mut Attempt<'_>,
) -> Result<CommandLine, Unplayed> {
    let choices = choices(draft, host, attempt.message)?;
    // `1 4 +2` gives the first offer its numbers.
    let worded = more.starts_with(char::is_alphabetic);
    if (worded || !(1..=choices.len()).contains(&number))
        && let Some(refusal) = number_in_front(host, line, attempt).filter(|_| attempt.typed == line.typed)
    {
        return Err(refusal.into());
    }
    if choices.is_empty() {
        return Err(Refusal::new("nothing is offered to you").example("waiting").into());
    }
    let choice = number.checked_sub(1).and_then(|at| choices.get(at)).ok_or_else(|| {
        let last = choices.len();
        let shown = if last == 1 { "only 1".to_owned() } else { format!("1 to {last}") };
        Refusal::new(format!("there is no {number}: you can choose {shown}")).example("waiting")
    })?;
    if !attempt.rights.may(&attempt.doc, Act::PlayAs(choice.character)) {
        let name = attempt.doc.name_of(choice.character);
        return Err(Refusal::new(format!("that was offered to {name}, for whom you no longer act")).into());
    }
    let ledger = draft.ledger(host);
    let roll = ledger.roll(choice.entry)?;
    attempt.narrow(roll.as_ref().map_or(Seen::EVERYBODY, RollDoc::seen));
    let open = |roll: &RollDoc| roll.open.iter().any(|open| is(choice, open));
    match &roll {
        Some(roll) if open(roll) => {}
        roll => return Err(ledger.taken(choice, roll.as_ref().map_or(0, |roll| roll.by))?.into()),
    }
    // The words come from the game, and may contain what the roll's player put in.
    let whose = ledger.page(choice.entry)?.map(|page| page.entry.player);
    attempt.rights.no_more_than(&attempt.doc, whose.as_ref());
    attempt.actor = choice.character;
    attempt.apart = attempt.doc.still_apart(roll.as_ref().and_then(|roll| roll.apart));
    let typed = format!("{} {more}", choice.command).trim_end().to_owned();
    attempt.offered = Some(choice.clone());
    Ok(CommandLine { typed, by_name: true })
}

/// The roll on which a command typed in full is offered, unless it is a follow-up, which names its own.
fn offered_in_words(draft: &Draft, host: &Host, attempt: &Attempt<'_>) -> Result<Option<u64>, StoreError> {
    let same = |command: &str| {
        let words = |text: &str| text.to_lowercase().split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        words(command) == words(&attempt.typed)
    };
    let choices = choices(draft, host, attempt.message)?;
    Ok(choices.iter().find(|each| each.character == attempt.actor && same(&each.command)).map(|each| each.entry))
}

/// The new records of rolls after the command: its own, the one it followed up on, the one whose offer it took.
/// Changes to earlier rolls are added to the command's changes.
pub(super) fn settle_rolls(
    draft: &Draft,
    host: &Host,
    attempt: &Attempt<'_>,
    done: &mut Done<'_>,
    reply: &Reply,
    number: u64,
) -> Result<Vec<(u64, RollDoc)>, StoreError> {
    let ledger = draft.ledger(host);
    let mut rolls = Vec::new();
    let by = done.followed.as_ref().map_or(attempt.actor, |(target, _)| target.actor);
    let open: Vec<OpenOffer> = reply
        .offers
        .iter()
        .filter_map(|offer| {
            let character = offer.to.as_ref().map_or(Some(attempt.actor), |name| attempt.doc.find(name))?;
            Some(OpenOffer::new(by, character, offer))
        })
        .collect();
    let followed = done.followed.as_ref().map(|(target, amended)| (target.entry, amended.clone()));
    if let Some((entry, amended)) = &followed
        && let Some(roll) = ledger.roll(*entry)?
    {
        done.changes.made.extend(opened(*entry, &roll.open, &open));
        let since = if roll.open == open { roll.since } else { Some(attempt.message.sent) };
        let record = amended.clone().or(roll.record.clone());
        // Whoever is asked something new is called again.
        let mut called = roll.called;
        called.retain(|who| !open.iter().any(|each| each.character == *who && !roll.open.contains(each)));
        rolls.push((*entry, RollDoc { record, open, since, by: number, called, ..roll }));
    } else if (reply.record.is_some() && followed.is_none()) || !open.is_empty() {
        done.changes.noted.extend(opened(number, &[], &open));
        rolls.push((
            number,
            RollDoc {
                character: attempt.actor,
                game: done.game.to_owned(),
                record: reply.record.clone(),
                previous: draft.read(host, &keys::latest(&draft.state.id, attempt.actor.0, done.game))?,
                since: (!open.is_empty()).then_some(attempt.message.sent),
                open,
                by: number,
                apart: attempt.apart,
                secret: attempt.is_secret(),
                hidden: done.measured.whose(),
                called: BTreeSet::new(),
            },
        ));
    }
    let taken = match attempt.offered.as_ref().map(|choice| choice.entry) {
        None if matches!(done.spec.follow_up, FollowUp::No | FollowUp::IfAny) && !draft.state.head.open.is_empty() => {
            offered_in_words(draft, host, attempt)?
        }
        offered => offered,
    };
    if let Some(taken) = taken.filter(|taken| followed.as_ref().is_none_or(|(entry, _)| entry != taken))
        && let Some(roll) = ledger.roll(taken)?.filter(|roll| !roll.open.is_empty())
        && may_close(draft, host, attempt, taken, &roll)?
    {
        // What is no command of the game settles nothing of the roll: what else it offers stays open.
        let other = |open: &&OpenOffer| {
            roll.game != done.game && attempt.offered.as_ref().is_some_and(|choice| !is(choice, open))
        };
        let left: Vec<_> = roll.open.iter().filter(other).cloned().collect();
        done.changes.made.extend(opened(taken, &roll.open, &left));
        let since = roll.since.filter(|_| !left.is_empty());
        rolls.push((taken, RollDoc { open: left, since, by: number, ..roll }));
    }
    close_impossible(draft, host, attempt, done, &mut rolls)?;
    Ok(rolls)
}

/// True if a command that does not follow up on a roll may close its offers. The closing is recorded in the
/// command's entry, withheld for a secret roll, so it is possible only if the same people may read that. Otherwise
/// the offer stays open, and the game says why it cannot be taken.
fn may_close(
    draft: &Draft,
    host: &Host,
    attempt: &Attempt<'_>,
    entry: u64,
    roll: &RollDoc,
) -> Result<bool, StoreError> {
    if !roll.secret {
        return Ok(true);
    }
    let page = draft.ledger(host).page(entry)?;
    let same = page.is_some_and(|page| attempt.message.speaker.is(&page.entry.player));
    Ok(same)
}

/// Closes offers, on rolls the command did not touch, that the rules made impossible.
fn close_impossible(
    draft: &Draft,
    host: &Host,
    attempt: &Attempt<'_>,
    done: &mut Done<'_>,
    rolls: &mut Vec<(u64, RollDoc)>,
) -> Result<(), StoreError> {
    if done.closed.is_empty() {
        return Ok(());
    }
    let number = draft.state.next_number();
    let ledger = draft.ledger(host);
    for entry in &draft.state.head.open {
        if rolls.iter().any(|(touched, _)| touched == entry) {
            continue;
        }
        let Some(roll) = ledger.roll(*entry)?.filter(|roll| roll.game == done.game) else { continue };
        // What is no longer open to everybody may still be in another scene.
        let elsewhere = attempt.doc.still_apart(roll.apart) != attempt.apart;
        let reaches = |each: &&Closed| each.of.is_some() || each.on.is_some() || !elsewhere;
        let closed = |open: &OpenOffer| {
            let mut closed = done.closed.iter().filter(reaches);
            closed.any(|each| each.is_about(*entry, open.character, &open.command))
        };
        let left: Vec<_> = roll.open.iter().filter(|open| !closed(open)).cloned().collect();
        if left.len() < roll.open.len() && may_close(draft, host, attempt, *entry, &roll)? {
            done.changes.made.extend(opened(*entry, &roll.open, &left));
            let since = roll.since.filter(|_| !left.is_empty());
            rolls.push((*entry, RollDoc { open: left, since, by: number, ..roll }));
        }
    }
    Ok(())
}

/// Stores the record of a roll, and whether it is listed as open.
pub(crate) fn keep_roll(draft: &mut Draft, host: &Host, number: u64, roll: &RollDoc) -> Result<(), StoreError> {
    draft.writes.put(keys::roll(&draft.state.id, number), to_json(roll));
    if roll.open.is_empty() {
        if draft.state.head.open.contains(&number) {
            draft.state.head_mut().open.remove(&number);
        }
    } else {
        draft.asks |= roll.asks();
        draft.state.head_mut().open.insert(number);
        while draft.state.head.open.len() > MOST_OPEN {
            let least = least_open(draft, host)?;
            draft.state.head_mut().open.remove(&least);
        }
    }
    Ok(())
}

/// The oldest open roll for which nobody waits, or else the oldest.
fn least_open(draft: &Draft, host: &Host) -> Result<u64, StoreError> {
    let ledger = draft.ledger(host);
    for number in &draft.state.head.open {
        if ledger.roll(*number)?.is_none_or(|roll| !roll.asks()) {
            return Ok(*number);
        }
    }
    Ok(draft.state.head.open.first().copied().unwrap_or_default())
}

/// Stores the numbers of the offers in the answer for the speaker.
pub(super) fn keep_choices(draft: &mut Draft, attempt: &Attempt<'_>, entry: u64, shown: u64, reply: &Reply) {
    let own = reply.offers.iter().filter(|offer| offer.to.is_none());
    let choice = |command: &String| Choice { entry, character: attempt.actor, command: command.clone() };
    let choices: Vec<_> = own.map(|offer| choice(&offer.command)).collect();
    if !choices.is_empty() {
        // The numbers go on from one command of a message to the next.
        draft.offered.extend(choices);
        for account in attempt.message.speaker.accounts() {
            let doc = ChoicesDoc { choices: draft.offered.clone(), shown };
            draft.writes.put(keys::choices(&draft.state.id, account), to_json(&doc));
        }
    }
}

/// True if a choice is that offer.
fn is(choice: &Choice, open: &OpenOffer) -> bool {
    open.character == choice.character && open.command == choice.command
}

/// The change of the open offers on a roll.
pub fn opened(entry: u64, before: &[OpenOffer], after: &[OpenOffer]) -> Vec<Change> {
    let value = |open: &[OpenOffer]| -> Option<Value> {
        (!open.is_empty()).then(|| serde_json::to_value(open).expect("offers are text"))
    };
    diff(&Place::Offers(entry).path(), value(before).as_ref(), value(after).as_ref())
}
