//! All that a reader sees of a table at once.

use super::kept::kept;
use super::{Entry, Kept, Reader, Scene, Sheet, Told, Why, choices, sheets, tales};
use crate::history::take;
use crate::odds::{Chances, of_earlier};
use dice::fair::commitment;
use journal::Page;
use plugin_api::{CharacterId, Piece};
use std::collections::BTreeSet;
use table::own::{Answered, Looking, Split, Unplayed};

/// Entries on a page.
const A_PAGE: u64 = 25;
/// The most choices of each kind in a scene.
const MOST_OPEN: usize = 20;
/// How many of the newest entries are read for the story.
const TOLD: u64 = 200;

/// Which part of a table somebody wants to see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Ask {
    /// What is going on, and the newest entries.
    #[default]
    Now,
    /// The entries before this one.
    Before(u64),
    /// Those whose character, command, line or answer has these words, before an entry or from the newest on.
    Search {
        /// In any case; `#120` is an entry.
        words: String,
        /// The entry before which they are looked for.
        before: Option<u64>,
    },
    /// All about this entry.
    Entry(u64),
}

/// A table as somebody sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// What the table is called, or the room.
    pub title: String,
    /// Who sees it.
    pub reader: Reader,
    /// What whoever sees it is called here, unless anyone does.
    pub called: Option<String>,
    /// The characters whom whoever sees it plays.
    pub plays: BTreeSet<CharacterId>,
    /// The prefix of commands.
    pub prefix: String,
    /// The time of the look.
    pub now: jiff::Timestamp,
    /// The scenes that are being played, that of the reader first.
    pub scenes: Vec<Scene>,
    /// What games and tools show that is the same in every scene.
    pub shared: Vec<Piece>,
    /// The values of the characters.
    pub sheets: Vec<Sheet>,
    /// Notes and handouts, the oldest first.
    pub kept: Vec<Kept>,
    /// The entries that were asked for, the newest first.
    pub entries: Vec<Entry>,
    /// Where those before them begin, if there are any: to be asked for with [`Ask::Before`] or a search.
    pub older: Option<u64>,
    /// What the newest entries add to the story, the oldest first.
    pub story: Vec<Told>,
    /// All about the one entry that was asked for.
    pub why: Option<Why>,
    /// Its odds, if it was a roll of nothing but dice.
    pub odds: Option<Chances>,
    /// What proves all this.
    pub proof: Proof,
}

/// The end of the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The number of the newest entry; 0 before the first.
    pub newest: u64,
    /// The head of the chain, in hexadecimal.
    pub head: String,
    /// The epoch of the dice, from 1.
    pub epoch: u32,
    /// The SHA-256 of the seed that makes its dice, in hexadecimal; `None` before the first.
    pub promised: Option<String>,
}

impl View {
    /// What a reader sees of a table.
    ///
    /// # Errors
    /// The store cannot be read, or a game cannot read what it stored.
    pub(crate) fn of(looking: &Looking, reader: &Reader, ask: &Ask) -> Result<Self, Unplayed> {
        let head = looking.head;
        let whole = *ask == Ask::Now;
        let mut scenes = if whole { scenes(looking)? } else { Vec::new() };
        let shared = shared(&mut scenes);
        let (entries, older) = entries(looking, ask)?;
        let seat = reader.player().and_then(|player| looking.table.seats.get(player));
        let plays = seat.map(|seat| looking.table.name_of(seat.plays).to_owned());
        let called = reader.player().map(|_| plays.unwrap_or_else(|| looking.speaker.name.clone()));
        let why = match ask {
            Ask::Entry(number) => why(looking, *number)?,
            _ => None,
        };
        let title = match &looking.table.name {
            Some(name) => name.clone(),
            None => looking.host.name_of_room(looking.room_id)?,
        };
        Ok(View {
            title,
            reader: reader.clone(),
            called,
            plays: looking.plays(),
            prefix: looking.room.prefix.clone(),
            now: looking.now,
            scenes,
            shared,
            sheets: if whole { sheets(looking) } else { Vec::new() },
            kept: if whole { kept(looking)? } else { Vec::new() },
            entries,
            older,
            story: if whole { story(looking)? } else { Vec::new() },
            odds: why.as_ref().and_then(|(page, why)| odds(looking, page, why)),
            why: why.map(|(_, why)| why),
            proof: Proof {
                newest: head.number,
                head: head.hash.clone(),
                epoch: head.epoch,
                promised: looking.ledger.seed().map(commitment),
            },
        })
    }
}

/// The scenes that are being played, that of the room from which it is looked at first.
fn scenes(looking: &Looking) -> Result<Vec<Scene>, Unplayed> {
    let here = looking.table.apart(looking.room_id);
    let mut apart: Vec<Option<u64>> = looking.table.apart.values().map(|apart| Some(apart.from)).collect();
    let rooms = looking.ledger.rooms_at(looking.ledger.id())?;
    if apart.is_empty() || rooms.keys().any(|room| looking.table.apart(room).is_none()) {
        apart.push(None);
    }
    apart.sort_by_key(|apart| (*apart != here, *apart));
    apart.dedup();
    let all = choices::all(looking)?;
    apart.into_iter().map(|apart| Scene::of(looking, apart, &all, MOST_OPEN)).collect()
}

/// Takes out of scenes what all of them show, if there are several.
fn shared(scenes: &mut [Scene]) -> Vec<Piece> {
    let Some((first, others)) = scenes.split_first() else { return Vec::new() };
    if others.is_empty() {
        return Vec::new();
    }
    let everywhere = |piece: &&Piece| others.iter().all(|scene| scene.pieces.contains(piece));
    let shared: Vec<Piece> = first.pieces.iter().filter(everywhere).cloned().collect();
    scenes.iter_mut().for_each(|scene| scene.pieces.retain(|piece| !shared.contains(piece)));
    shared
}

/// How many entries a search reads in one go.
const SEARCHED: u64 = 5_000;

/// The entries that are asked for, and where those before them begin.
fn entries(looking: &Looking, ask: &Ask) -> Result<(Vec<Entry>, Option<u64>), Unplayed> {
    let newest = looking.head.number;
    let from = |before: &Option<u64>| before.map_or(newest, |before| before.saturating_sub(1).min(newest));
    let shown = |page: &Page| Entry::of(looking, page);
    match ask {
        Ask::Now | Ask::Before(_) => {
            let before = if let Ask::Before(before) = ask { Some(*before) } else { None };
            let pages = take(looking.ledger.backwards(from(&before)), A_PAGE)?;
            let older = pages.last().filter(|page| page.below() > 0).map(Page::number);
            Ok((pages.iter().map(shown).collect(), older))
        }
        Ask::Entry(number) => Ok((looking.ledger.page(*number)?.iter().map(shown).collect(), None)),
        Ask::Search { words, before } => {
            if let Some(number) = words.trim().strip_prefix('#').and_then(|number| number.parse::<u64>().ok()) {
                return entries(looking, &Ask::Entry(number));
            }
            let words = words.trim().to_lowercase();
            // A character's entries are chained, so others need not be read; but from an entry of theirs on.
            let theirs = looking.table.find(&words);
            let begin = before.map(|before| looking.ledger.page(before)).transpose()?.flatten();
            let chain: Box<dyn Iterator<Item = _>> = match (theirs, begin) {
                (Some(character), None) if before.is_none() => Box::new(looking.ledger.of_character(character)?),
                (Some(character), Some(page)) if page.entry.character == character => {
                    Box::new(looking.ledger.of_the_character_from(page.number()).skip(1))
                }
                _ => Box::new(looking.ledger.backwards(from(before))),
            };
            let (mut found, mut read) = (Vec::new(), 0);
            for page in chain {
                let page = page?;
                read += 1;
                let entry = shown(&page);
                if theirs == Some(page.entry.character) || entry.says_any(&words) {
                    found.push(entry);
                }
                if read == SEARCHED || found.len() as u64 == A_PAGE {
                    return Ok((found, Some(page.number()).filter(|last| *last > 1)));
                }
            }
            Ok((found, None))
        }
    }
}

/// What the newest entries add to the story.
fn story(looking: &Looking) -> Result<Vec<Told>, Unplayed> {
    let pages = take(looking.ledger.backwards(looking.head.number), TOLD)?;
    let mut split = Split::now(looking.table);
    let played: Vec<_> = pages.iter().map(|page| (page, split.backwards(page))).collect();
    Ok(tales(looking, played.into_iter().rev(), 0)?)
}

/// All about an entry, if the reader may read it.
fn why(looking: &Looking, number: u64) -> Result<Option<(Page, Why)>, Unplayed> {
    let page = looking.ledger.page(number)?;
    let page = page.filter(|page| !page.is_secret() || (looking.in_secret && looking.may_see(page)));
    let Some(page) = page else { return Ok(None) };
    let why = Why::of(looking, &page)?;
    Ok(Some((page, why)))
}

/// The odds of an entry that was a roll of nothing but dice and that the reader may read.
fn odds(looking: &Looking, page: &Page, why: &Why) -> Option<Chances> {
    let total = page.facts().get("total")?.as_i64()?;
    let game = looking.host.plugins.get(&page.entry.game)?;
    let is_dice = game.manifest().command(&page.entry.command)?.notation;
    of_earlier(why.typed.as_ref().filter(|_| is_dice)?, total, looking.room.dialect())
}
