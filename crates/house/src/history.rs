//! `!history`, `!why`: what was played, line by line and die by die.

use crate::budget::MOST_RECAPPED;
use crate::show;
use crate::view::{Entry, Fate, Why, Withheld};
use chat::{Readers, Reply, Span, cut};
use journal::Page;
use journal::store::StoreError;
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
    let looking = turn.looking();
    let items = pages.iter().rev().map(|page| show::entry(&Entry::of(&looking, page), turn.now)).collect();
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
    let (ledger, looking) = (turn.ledger, turn.looking());
    let page = match number.or(turn.replied) {
        Some(number) => ledger.must_have(number)?,
        None => {
            let shown = |page: &Page| !page.is_secret() || (turn.in_secret && looking.may_see(page));
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
    if page.is_secret() && !looking.may_see(&page) {
        let what = format!("#{number} is secret: {} can show it with reveal #{number}", looking.who_reads(&page));
        return Err(Refusal::new(what).about(format!("#{number}")).into());
    }
    let reply = explain(Why::of(&looking, &page)?);
    Ok(if page.is_secret() { reply.to(Readers::Player) } else { reply })
}

fn explain(why: Why) -> Reply {
    let (number, name, player) = (why.number, why.who, why.player);
    let time = why.time.strftime("%Y-%m-%d %H:%M UTC");
    let by = if player == name { name } else { format!("{name} ({player})") };
    let reply = Reply::new().bold(format!("#{number}")).text(format!(" {by}, {time}: "));
    let reply = match why.typed {
        _ if why.is_untold => reply.text(format!("{}, values that only the referees may know", why.command)),
        Some(typed) => reply.code(cut(&typed, MOST_TEXT).into_owned()),
        None => reply.text(format!("{} (its text was erased)", why.command)),
    };
    let mut items: Vec<String> =
        why.answer.iter().map(|answer| format!("answered: {}", answer.replace('\n', " / "))).collect();
    if !why.dice.is_empty() {
        items.push(format!("rolled, in this order: {}", why.dice));
    }
    items.extend(why.steps);
    items.extend(changed("changed: ", why.changes));
    items.extend(why.withholds.map(|withheld| match withheld {
        Withheld::AValue => "measured against a value that only the referees may know".to_owned(),
        Withheld::AChange => format!("changed something else that only {player} and the referees may know"),
    }));
    items.extend(why.follows.map(|follows| format!("follows up on #{follows}")));
    items.extend(why.undoes.map(|undoes| format!("takes back #{undoes}")));
    items.extend(why.replaces.map(|first| format!("the message was edited; before that it was #{first}")));
    items.extend(why.fates.iter().map(Fate::to_string));
    items.push(format!("epoch {}, chain {}…", why.epoch, &why.hash[..HEAD]));
    reply.list(items.into_iter().map(|item| vec![Span::Text(item)]).collect())
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
