//! `!erase`, `!forget`: words are erased; dice, changes and the chain stay.

use crate::EntryNumber;
use crate::budget::{MOST_ERASED, MOST_ERASED_BYTES};
use chat::{Recipient, Reply, RoomId};
use jiff::{SignedDuration, Timestamp};
use journal::documents::{InboxRow, OPERATOR, to_json};
use journal::store::{Batch, StoreError};
use journal::{Page, keys};
use plugin_api::{Forms, Number, Refusal};
use std::collections::BTreeSet;
use std::fmt::Display;
use table::own::{Act, HouseTurn, Unplayed};

/// Whose words are erased.
#[derive(Forms)]
pub(super) enum Erased {
    /// the text of one entry
    #[form(bare)]
    Entry { entry: EntryNumber },
    /// all text older than this many days, for a room's admin
    Older { days: Number<1, 36500> },
}

pub(super) fn erase(turn: &mut HouseTurn, number: Option<u64>) -> Result<Reply, Unplayed> {
    forget_rests(turn)?;
    let number = number.or(turn.replied).ok_or_else(|| Refusal::new("which entry's text?").example("erase #12"))?;
    let page = newest_with_words(turn, turn.ledger.must_have(turn.ledger.current(number)?)?)?;
    let number = page.number();
    if !may_erase(turn, page.clone())? {
        let what = format!("#{number} is not yours: its player or a room admin may erase its text");
        return Err(Refusal::new(what).about(format!("#{number}")).into());
    }
    if let Some(by) = page.link.fate.erased_by {
        return Err(Refusal::new(format!("the text of #{number} was erased in #{by} already"))
            .example("history")
            .into());
    }
    // All that one line made has the same words.
    for each in turn.ledger.of_its_line(&page)? {
        forget_versions(turn, each)?;
    }
    let reply =
        format!("What was typed and answered in #{number} is erased; its dice and changes stay, and the chain holds.");
    Ok(reply.into())
}

/// The entry itself; or if it is erased, the newest version before it whose words the speaker may erase: somebody else
/// amended what they said, and erased only that.
fn newest_with_words(turn: &HouseTurn, page: Page) -> Result<Page, StoreError> {
    let mut next = Some(page.clone());
    while let Some(version) = next {
        if version.link.fate.erased_by.is_none() && may_erase(turn, version.clone())? {
            return Ok(version);
        }
        let erased = version.link.fate.erased_by.is_some();
        next = version.entry.replaces.filter(|_| erased).map(|first| turn.ledger.page(first)).transpose()?.flatten();
    }
    Ok(page)
}

/// True if the speaker may erase the words of an entry, or of an earlier version of it, whose words are in it too: a
/// referee may have amended what they said.
fn may_erase(turn: &HouseTurn, page: Page) -> Result<bool, StoreError> {
    let mut next = Some(page);
    while let Some(page) = next {
        if turn.may(Act::Erase(&page.entry)) {
            return Ok(true);
        }
        next = page.entry.replaces.map(|first| turn.ledger.page(first)).transpose()?.flatten();
    }
    Ok(false)
}

/// The later versions of an entry that somebody else made, who amended it.
fn amended(turn: &HouseTurn, page: &Page) -> Result<Vec<Page>, StoreError> {
    let (mut amended, mut next) = (Vec::new(), page.link.fate.replaced_by);
    while let Some(later) = next.map(|by| turn.ledger.page(by)).transpose()?.flatten() {
        next = later.link.fate.replaced_by;
        if later.entry.player != page.entry.player && later.link.fate.erased_by.is_none() {
            amended.push(later);
        }
    }
    Ok(amended)
}

/// Drops the words of an entry. Earlier versions of an edited message, and entries that revealed a secret, contain them too.
/// But a referee's amendment leaves the words that it amended, which are another player's.
fn forget_versions(turn: &mut HouseTurn, page: Page) -> Result<(), StoreError> {
    let mut next = Some(page);
    while let Some(page) = next {
        let (first, shown) = (page.entry.replaces, page.link.fate.revealed_by);
        if !may_erase(turn, page.clone())? {
            break;
        }
        if page.link.fate.erased_by.is_none() {
            forget(turn, page);
        }
        shown.map(|by| turn.ledger.page(by)).transpose()?.flatten().into_iter().for_each(|shown| forget(turn, shown));
        next = first.map(|first| turn.ledger.page(first)).transpose()?.flatten();
    }
    Ok(())
}

/// `!erase older DAYS`: everybody's words. Declarations that are still sealed are kept until they are opened.
pub(super) fn erase_older(turn: &mut HouseTurn, days: i64) -> Result<Reply, Unplayed> {
    turn.needs(Act::EraseOlder, "erase what others typed")?;
    forget_rests(turn)?;
    // Whatever the message's time claims, this many days before it may be out of range.
    let before = turn.heard.checked_sub(SignedDuration::from_hours(24 * days)).unwrap_or(Timestamp::MIN);
    let sealed: BTreeSet<u64> = turn.table.sealed.values().copied().collect();
    let noted = keys::erased_up_to(turn.ledger.id());
    let mut up_to: u64 = turn.ledger.read(&noted)?.unwrap_or_default();
    let (mut erased, mut passed, mut allowance) = (0, false, Allowance::default());
    for number in up_to + 1..=last_before(turn, up_to, before)? {
        let Some(page) = turn.ledger.page(number)? else { continue };
        // The operator's own words are about nobody, and erasing them would create more, and so on for ever.
        let about_somebody = !sealed.contains(&number) && page.entry.character != OPERATOR && has_words(&page);
        if about_somebody && !allowance.takes(&page) {
            break;
        }
        passed |= sealed.contains(&number);
        if !passed {
            up_to = number;
        }
        if about_somebody {
            forget(turn, page);
            erased += 1;
        }
    }
    if erased == 0 {
        return Err(Refusal::new(format!(
            "nothing that was typed here is older than {}",
            counted(days, "day", "days")
        ))
        .into());
    }
    turn.effects.writes.put(noted, to_json(&up_to));
    let (entries, days) = (counted(erased, "entry", "entries"), counted(days, "day", "days"));
    let reply = Reply::from(format!(
        "What was typed and answered more than {days} ago is erased, in {entries}; dice and changes stay, and the chain holds."
    ));
    Ok(reply.fact("erased", erased))
}

/// The number of the last entry before `before`, among those after `from`. An entry that claims a future time is as old
/// as the ones after it.
fn last_before(turn: &HouseTurn, from: u64, before: Timestamp) -> Result<u64, Unplayed> {
    let mut last = from;
    for number in from + 1..=turn.ledger.head().number {
        let Some(page) = turn.ledger.page(number)? else { continue };
        match page.entry.time {
            time if time < before => last = number,
            time if time <= turn.heard => break,
            _ => {}
        }
    }
    Ok(last)
}

/// `!forget me`: everything somebody typed here.
pub(super) fn forget_me(turn: &mut HouseTurn, me: bool, really: bool) -> Result<Reply, Unplayed> {
    if !me || turn.actor == OPERATOR || !turn.may(Act::ForgetOwn) {
        return Err(Refusal::new("players can only ask that for themselves").example("forget me").into());
    }
    forget_rests(turn)?;
    let (speaker, ledger) = (turn.speaker, turn.ledger);
    let (mut erased, mut more, mut allowance) = (0, false, Allowance::default());
    for page in ledger.of_player(speaker)? {
        let page = page?;
        // Not what an earlier owner of the nick did. Entries of another id lead here only if it was carried along.
        let own = !speaker.is(&page.entry.player) || turn.rights.made(&page.entry);
        if !own || !has_words(&page) {
            continue;
        }
        more = !allowance.takes(&page);
        if more {
            break;
        }
        erased += 1;
        if really {
            let amended = amended(turn, &page)?;
            std::iter::once(page).chain(amended).for_each(|page| forget(turn, page));
        }
    }
    if !really {
        let entries = if more { format!("more than {erased} entries") } else { counted(erased, "entry", "entries") };
        let what =
            format!("this erases for good what you typed here and was answered, in {entries}; dice and changes stay");
        return Err(Refusal::new(what).example("forget me really").into());
    }
    let reply = match more {
        false => Reply::from("What you typed here is erased. Which id threw which dice stays in the chain."),
        true => Reply::from(format!("What you typed here last is erased, in {erased} entries. Erase the rest with "))
            .code(format!("{}forget me really", turn.room.prefix))
            .text(" until nothing is left."),
    };
    Ok(reply.fact("erased", erased))
}

/// How many more words one command may erase.
struct Allowance {
    entries: usize,
    bytes: usize,
}

impl Default for Allowance {
    fn default() -> Self {
        Allowance { entries: MOST_ERASED, bytes: MOST_ERASED_BYTES }
    }
}

impl Allowance {
    /// Returns true if this entry is within the allowance, and reduces it.
    fn takes(&mut self, page: &Page) -> bool {
        let takes = self.entries > 0 && self.bytes > 0;
        if takes {
            self.entries -= 1;
            self.bytes = self.bytes.saturating_sub(page.link.parts.bytes());
        }
        takes
    }
}

fn counted<N: PartialEq + From<u8> + Display>(number: N, one: &str, many: &str) -> String {
    let noun = if number == N::from(1) { one } else { many };
    format!("{number} {noun}")
}

fn has_words(page: &Page) -> bool {
    let parts = &page.link.parts;
    parts.text.is_some() || parts.answer.is_some() || parts.why.is_some()
}

/// Drops all rests of long answers, for everybody everywhere: they may contain words of the entries.
fn forget_rests(turn: &mut HouseTurn) -> Result<(), StoreError> {
    for record in turn.host.committer().stored(keys::RESTS) {
        turn.effects.writes.delete(record?.0);
    }
    Ok(())
}

/// Drops the words of an entry with their salts, and the digests kept to recognise an edit.
fn forget(turn: &mut HouseTurn, mut page: Page) {
    turn.effects.erases.push(page.number());
    page.link.parts.forget_words();
    page.link.fate.erased_by = Some(turn.number);
    let mut writes = Batch::default();
    turn.ledger.keep_page(&page, &mut writes);
    let entry = page.entry;
    let room = RoomId::new(&entry.key.network, &entry.key.room);
    // What its player was last corrected to may be the entry's own line.
    writes.delete(keys::mended(&room, &entry.player));
    // It may be on its way to the disk.
    for to in [Recipient::Room, Recipient::Player(entry.player)] {
        writes.delete(keys::rest(&room, &to));
    }
    let row = keys::inbox(&room, &entry.key.id);
    if let Ok(Some(InboxRow::Played { entries, table, by, .. })) = turn.ledger.read(&row) {
        writes.put(row, to_json(&InboxRow::Played { lines: Vec::new(), entries, table, by }));
    }
    turn.effects.writes.append(writes);
}
