//! Notes and handouts: what they say is in their entries and nowhere else.

use crate::House;
use jiff::Timestamp;
use journal::Page;
use plugin_api::{CharacterId, Commands, Text, Words};
use std::collections::BTreeMap;
use table::own::{Act, Looking, Unplayed};
use table::words::behind;

/// The most notes, the newest.
const MOST: usize = 20;

/// A note, or a handout, that the reader may read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Its entry.
    pub number: u64,
    /// The name of a handout.
    pub name: Option<String>,
    /// Who noted it.
    pub who: String,
    /// When it was noted.
    pub time: Timestamp,
    /// What it says.
    pub says: String,
    /// True if not everybody has it.
    pub is_secret: bool,
}

/// A handout as it is in the journal.
pub(crate) struct Handout {
    pub number: u64,
    pub name: String,
    pub says: String,
    /// Who got it, and the entry by which they did.
    pub to: BTreeMap<CharacterId, u64>,
    pub page: Page,
}

/// The newest notes of the table, and where nobody else reads along the reader's own; the oldest first.
pub(crate) fn notes(looking: &Looking) -> Result<Vec<Kept>, Unplayed> {
    let mut notes = Vec::new();
    for (number, note) in looking.table.notes.iter().rev() {
        if note.to.is_some() || (note.own && !looking.alone) {
            continue;
        }
        let page = looking.ledger.must_have(*number)?;
        if page.is_secret() && !looking.rights.made(&page.entry) {
            continue;
        }
        let Some(says) = page.text().and_then(|typed| noted(&typed)) else { continue };
        let who = looking.table.name_of(page.entry.character).to_owned();
        let (time, is_secret) = (page.entry.time, page.is_secret());
        notes.push(Kept { number: *number, name: None, who, time, says, is_secret });
        if notes.len() == MOST {
            break;
        }
    }
    notes.reverse();
    Ok(notes)
}

/// The handouts that the reader may read, if not here, then in private; the newest first.
pub(crate) fn handouts(looking: &Looking) -> Result<Vec<Handout>, Unplayed> {
    let mut handouts = Vec::new();
    for (number, note) in looking.table.notes.iter().rev() {
        let Some(to) = &note.to else { continue };
        let page = looking.ledger.must_have(*number)?;
        if page.is_secret() && !looking.may(Act::Read(&page.entry)) && !is_given(looking, to) {
            continue;
        }
        let Some((name, says)) = page.text().and_then(|typed| handed(&typed)) else { continue };
        handouts.push(Handout { number: *number, name, says, to: to.clone(), page });
    }
    Ok(handouts)
}

/// The notes and handouts that the reader may read here, the oldest first.
pub(super) fn kept(looking: &Looking) -> Result<Vec<Kept>, Unplayed> {
    let here = handouts(looking)?.into_iter().filter(|each| looking.alone || !each.page.is_secret());
    let shown = |Handout { number, name, says, page, .. }: Handout| Kept {
        number,
        name: Some(name),
        who: looking.table.name_of(page.entry.character).to_owned(),
        time: page.entry.time,
        says,
        is_secret: page.is_secret(),
    };
    let mut all: Vec<Kept> = here.take(MOST).map(shown).chain(notes(looking)?).collect();
    all.sort_by_key(|kept| kept.number);
    Ok(all)
}

/// True if the reader plays somebody who got it. Without a referee anyone could make themselves the player of anyone, and
/// anyone may take a bare nick.
fn is_given(looking: &Looking, to: &BTreeMap<CharacterId, u64>) -> bool {
    let owned = |who: &CharacterId| looking.table.characters.get(who).is_some_and(|each| each.owner.is_some());
    !looking.table.referees.is_empty()
        && looking.host.roster.vouches_for(looking.room_id, &looking.speaker.player)
        && to.keys().any(|who| owned(who) && looking.may(Act::AnswerFor(*who)))
}

/// What a line `note ...` notes.
fn noted(typed: &str) -> Option<String> {
    let said = behind(typed, &["note", "notes"])?;
    match House::parse("note", &mut Words::new(said, 0)) {
        Ok(House::Note { text: Some(Text { text, .. }) }) => Some(text),
        _ => None,
    }
}

/// The name and the words of a line `handout NAME ...`.
fn handed(typed: &str) -> Option<(String, String)> {
    let said = behind(typed, &["handout", "handouts"])?;
    match House::parse("handout", &mut Words::new(said, 0)) {
        Ok(House::Handout { words: Some(Text { text, .. }) }) => {
            let (name, says) = divided(&text);
            Some((name.to_owned(), says.to_owned()))
        }
        _ => None,
    }
}

/// The name in front, which is one word or in quotation marks, and the rest.
pub(crate) fn divided(text: &str) -> (&str, &str) {
    let text = text.trim();
    let quoted = text.strip_prefix('"').and_then(|text| text.split_once('"'));
    let (name, rest) = quoted.unwrap_or_else(|| text.split_once(char::is_whitespace).unwrap_or((text, "")));
    (name.trim_end_matches([':', ',']).trim(), rest.trim_start_matches([':', ' ']).trim())
}
