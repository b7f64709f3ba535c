//! Open choices: whose they are, since when, and what can be chosen.

use chat::OfferKind;
use jiff::Timestamp;
use journal::documents::RollDoc;
use journal::store::StoreError;
use plugin_api::CharacterId;
use std::collections::{BTreeMap, BTreeSet};
use table::own::{Act, Looking};

/// How many of a character's entries are searched for their newest roll.
const LOOKED_AT: usize = 20;

/// The choices of one kind on one roll for one character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Open {
    /// The entry of the roll.
    pub entry: u64,
    /// Whose they are.
    pub character: CharacterId,
    /// Their name.
    pub who: String,
    /// Whether the table waits for it.
    pub kind: OfferKind,
    /// True if the reader chooses.
    pub mine: bool,
    /// Since when they are open, if that is known.
    pub since: Option<Timestamp>,
    /// Until when whoever chooses is away, if they are.
    pub away: Option<Timestamp>,
    /// What can be chosen.
    pub choices: Vec<Choice>,
    /// The entry with which the room of the roll began to play apart; `None` in the common scene.
    pub apart: Option<u64>,
}

/// Something that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Whom it was offered to.
    pub character: CharacterId,
    /// What they type for it, without the prefix.
    pub command: String,
    /// What it does, in a few words.
    pub label: String,
}

impl Open {
    fn of(looking: &Looking, entry: u64, (character, kind): (CharacterId, OfferKind), roll: &RollDoc) -> Self {
        let offers = roll.open.iter().filter(|open| open.character == character && open.kind(roll.character) == kind);
        let choices = offers.map(|offer| Choice {
            character: offer.character,
            command: offer.command.clone(),
            label: offer.label.clone(),
        });
        Open {
            entry,
            character,
            who: looking.table.name_of(character).to_owned(),
            kind,
            mine: looking.rights.could(looking.table, Act::AnswerFor(character)),
            since: roll.since,
            away: looking.table.away(character, looking.now),
            choices: choices.collect(),
            apart: roll.apart,
        }
    }

    /// True if the table waits for it.
    pub fn is_must(&self) -> bool {
        self.kind == OfferKind::Must
    }
}

/// All open choices, newest first, by character and kind, without what somebody might have done about an earlier roll. Of
/// secret rolls there is only what the reader may see, and only if nobody else reads it.
pub(crate) fn all(looking: &Looking) -> Result<Vec<Open>, StoreError> {
    let (mut all, mut newest) = (Vec::new(), BTreeMap::new());
    for (entry, roll) in looking.ledger.rolls(looking.ledger.head().open.iter().rev().copied())? {
        let page = if roll.secret { looking.ledger.page(entry)? } else { None };
        if page.is_some_and(|page| !looking.in_secret || !looking.may_see(&page)) {
            continue;
        }
        let mut seen = BTreeSet::new();
        for (character, kind) in roll.open.iter().map(|open| (open.character, open.kind(roll.character))) {
            let since = looking.table.scene_since(roll.apart);
            let current = match kind {
                // Nobody is asked any more for a scene that ended when the party came together.
                OfferKind::Must => looking.table.still_apart(roll.apart) == roll.apart,
                OfferKind::Option => entry >= newest_of(looking, character, &mut newest)?.max(since),
            };
            if current && seen.insert((character, kind)) {
                all.push(Open::of(looking, entry, (character, kind), &roll));
            }
        }
    }
    Ok(all)
}

/// The newest roll of a character, wherever they made it. A secret roll does not count, because others would notice it.
fn newest_of(looking: &Looking, who: CharacterId, known: &mut BTreeMap<CharacterId, u64>) -> Result<u64, StoreError> {
    if let Some(known) = known.get(&who) {
        return Ok(*known);
    }
    let mut newest = 0;
    for (place, page) in looking.ledger.of_character(who)?.take(LOOKED_AT).enumerate() {
        let page = page?;
        let rolled = !page.is_secret() && !page.is_void() && page.entry.follows.is_none() && !page.dice().is_empty();
        if rolled || place + 1 == LOOKED_AT {
            newest = page.number();
            break;
        }
    }
    known.insert(who, newest);
    Ok(newest)
}

/// What is waited for in a scene, then what each character may still choose on their newest roll that offers anything;
/// up to `most` of each.
pub(crate) fn shown_first(all: Vec<Open>, most: usize) -> Vec<Open> {
    let (mut asked, mut may): (Vec<_>, Vec<_>) = all.into_iter().partition(Open::is_must);
    let mut seen = BTreeSet::new();
    may.retain(|open| seen.insert(open.character));
    for open in [&mut asked, &mut may] {
        open.truncate(most);
    }
    asked.append(&mut may);
    asked
}
