//! `!history`, `!why`: what was played, line by line and die by die.

use crate::budget::MOST_RECAPPED;
use crate::show;
use chat::{Readers, Reply, Span, cut};
use journal::store::StoreError;
use journal::{Changes, Page};
use plugin_api::{CharacterId, Name, Refusal};
use table::budget::MOST_TEXT;
use table::own::{HouseTurn, Unplayed};

/// Entries listed if no number is given.
const USUAL: u64 = 10;
/// The most changes in a list.
const MOST_CHANGES: usize = 10;
/// Characters of the chain's head shown where nobody copies it.
const HEAD: usize = 16;

pub(super) fn history(turn: &mut HouseTurn, count: Option<i64>, who: Option<Name>) -> Result<Reply, Unplayed> {
    let count = count.and_then(|count| u64::try_from(count).ok()).unwrap_or(USUAL);
    let ledger = turn.ledger;
    let newest = ledger.head().number;
    let pages: Vec<Page> = match &who {
        None => take(ledger.backwards(newest), count)?,
        Some(Name(name)) => take(ledger.of_character(named(turn, name)?)?, count)?,
    };
    if pages.is_empty() {
        let whose =
            who.map_or("Nothing was played at this table".to_owned(), |Name(name)| format!("{name} did nothing here"));
        return Ok(format!("{whose} yet.").into());
    }
    let items = pages.iter().rev().map(|page| show::entry(turn, page)).collect();
    let head = &ledger.head().hash[..HEAD];
    turn.effects.shows_head = true;
    let all = if pages.len() == 1 { "1 entry".to_owned() } else { format!("{} entries", pages.len()) };
    Ok(Reply::new().text(format!("{all} up to #{newest}, chain head {head}…")).list(items))
}

/// The character called `name`.
pub(super) fn named(turn: &HouseTurn, name: &str) -> Result<CharacterId, Refusal> {
    let cast = turn.cast();
    cast.known(name).ok_or_else(|| cast.nobody(name))
}

pub(super) fn take(pages: impl Iterator<Item = Result<Page, StoreError>>, count: u64) -> Result<Vec<Page>, StoreError> {
    pages.take(usize::try_from(count).unwrap_or(usize::MAX)).collect()
}

pub(super) fn why(turn: &mut HouseTurn, number: Option<u64>) -> Result<Reply, Unplayed> {
    let ledger = turn.ledger;
    let page = match number.or(turn.replied) {
        Some(number) => ledger.must_have(number)?,
        None => {
            let shown = |page: &Page| !page.is_secret() || (turn.in_secret && turn.may_see(page));
            let newest = ledger
                .backwards(ledger.head().number)
                .take(MOST_RECAPPED)
                .find(|page| page.as_ref().map_or(true, |page| shown(page) && page.entry.undoes.is_none()));
            newest
                .transpose()?
                .ok_or_else(|| Refusal::new("nothing has been played at this table yet").example("help"))?
        }
    };
    let number = page.number();
    if page.is_secret() && !turn.may_see(&page) {
        let what = format!("#{number} is secret: {} can show it with reveal #{number}", turn.who_reads(&page));
        return Err(Refusal::new(what).about(format!("#{number}")).into());
    }
    let reply = explain(turn, &page)?;
    Ok(if page.is_secret() { reply.to(Readers::Player) } else { reply })
}

fn explain(turn: &HouseTurn, page: &Page) -> Result<Reply, StoreError> {
    let (number, entry) = (page.number(), &page.entry);
    let (name, time) = (turn.table.name_of(entry.character), entry.time.strftime("%Y-%m-%d %H:%M UTC"));
    let player = turn.who(page);
    let by = if player == name { name.to_owned() } else { format!("{name} ({player})") };
    let reply = Reply::new().bold(format!("#{number}")).text(format!(" {by}, {time}: "));
    let untold = turn.tells_values(page) && !(turn.in_secret && turn.may_know(page)?);
    let reply = match page.text() {
        _ if untold => reply.text(format!("{}, values that only the referees may know", entry.command)),
        Some(text) => reply.code(cut(&text, MOST_TEXT).into_owned()),
        None => reply.text(format!("{} (its text was erased)", entry.command)),
    };
    let answer = page.answer().filter(|_| !untold);
    let mut items: Vec<String> =
        answer.iter().map(|answer| format!("answered: {}", answer.replace('\n', " / "))).collect();
    let dice = page.all_dice_shown();
    if !dice.is_empty() {
        items.push(format!("rolled, in this order: {dice}"));
    }
    items.extend(page.why());
    let knows = turn.in_secret && turn.may_know(page)?;
    let mut changes = page.changes().with(page.withheld());
    if !knows {
        changes.withhold(|change| Ok::<_, StoreError>(!turn.ledger.seen_of(change)?.by_everybody()))?;
    }
    let Changes { taken_back, made, .. } = changes;
    items.extend(changed("changed: ", show::changes(turn, taken_back.iter().chain(&made))));
    if page.withholds() && !page.is_secret() && !knows {
        items.push(match turn.hides_a_value(page)? {
            true => "measured against a value that only the referees may know".to_owned(),
            false => format!("changed something else that only {player} and the referees may know"),
        });
    }
    items.extend(entry.follows.map(|follows| format!("follows up on #{follows}")));
    items.extend(entry.undoes.map(|undoes| format!("takes back #{undoes}")));
    items.extend(entry.replaces.map(|first| format!("the message was edited; before that it was #{first}")));
    items.extend(show::fates(page));
    items.push(format!("epoch {}, chain {}…", entry.epoch, &page.link.hash[..HEAD]));
    Ok(reply.list(items.into_iter().map(|item| vec![Span::Text(item)]).collect()))
}

/// Lists changes in one sentence.
pub(super) fn changed(before: &str, mut changes: Vec<String>) -> Option<String> {
    if changes.is_empty() {
        return None;
    }
    if changes.len() > MOST_CHANGES {
        let more = changes.len() - MOST_CHANGES;
        changes.truncate(MOST_CHANGES);
        changes.push(format!("and {more} more"));
    }
    Some(format!("{before}{}", changes.join("; ")))
}
