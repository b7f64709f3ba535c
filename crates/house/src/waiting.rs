//! `!waiting`: open choices, whose they are and since when.

use crate::{history, show};
use chat::{Line, OfferKind, Reply, Span};
use jiff::tz::TimeZone;
use journal::documents::{Choice, ChoicesDoc, OpenOffer, RollDoc, to_json};
use journal::keys;
use journal::store::StoreError;
use plugin_api::{CharacterId, Name};
use std::collections::{BTreeMap, BTreeSet};
use table::own::{Act, HouseTurn, Unplayed, times};

/// The most characters' choices listed.
const MOST: usize = 30;
/// How many of a character's entries are searched for their newest roll.
const LOOKED_AT: usize = 20;

/// The choices of one kind on one roll for one character.
#[derive(Clone)]
pub(super) struct Open {
    pub entry: u64,
    pub character: CharacterId,
    pub kind: OfferKind,
    pub roll: RollDoc,
}

impl Open {
    /// True if the table waits for it.
    pub fn is_must(&self) -> bool {
        self.kind == OfferKind::Must
    }

    fn offers(&self) -> impl Iterator<Item = &OpenOffer> {
        let by = self.roll.character;
        self.roll.open.iter().filter(move |open| open.character == self.character && open.kind(by) == self.kind)
    }
}

pub(super) fn waiting(turn: &mut HouseTurn, who: Option<Name>) -> Result<Reply, Unplayed> {
    let who = who.map(|Name(name)| history::named(turn, &name)).transpose()?;
    let mut open = all(turn)?;
    open.retain(|open| who.is_none_or(|who| open.character == who));
    if open.is_empty() {
        return Ok(match who {
            Some(who) => format!("{} has nothing to choose.", turn.table.name_of(who)).into(),
            None => "No choices are open.".into(),
        });
    }
    // The asker's own come first, because they get the numbers.
    open.sort_by_key(|open| !turn.may(Act::AnswerFor(open.character)));
    let mut reply = Reply::new().text("Still open:").list(listed(turn, &open, |_| "on"));
    if open.len() > MOST {
        reply = reply.line().text(format!("and {} more", open.len() - MOST));
    }
    Ok(reply)
}

/// A line for each, with these words in front of the roll's number; the asker's own have the numbers to type.
pub(super) fn listed(turn: &mut HouseTurn, open: &[Open], before: fn(&Open) -> &'static str) -> Vec<Line> {
    let mut choices = Vec::new();
    let lines =
        open.iter().take(MOST).map(|open| line(turn, open, before(open), &mut For::Asker(&mut choices))).collect();
    let doc = to_json(&ChoicesDoc { choices, shown: 0 });
    for account in turn.speaker.accounts() {
        turn.effects.writes.put(keys::choices(turn.ledger.id(), account), doc.clone());
    }
    lines
}

/// A line for each, for nobody in particular.
pub(super) fn shown(turn: &HouseTurn, open: &[Open], before: fn(&Open) -> &'static str) -> Vec<Line> {
    open.iter().take(MOST).map(|open| line(turn, open, before(open), &mut For::Everybody)).collect()
}

/// The same in a message that stays: without what changes as time passes.
pub(super) fn on_board(turn: &HouseTurn, open: &[Open], before: fn(&Open) -> &'static str) -> Vec<Line> {
    open.iter().take(MOST).map(|open| line(turn, open, before(open), &mut For::Board)).collect()
}

/// Whom a line is for.
enum For<'a> {
    /// Whoever asked, whose own choices get numbers.
    Asker(&'a mut Vec<Choice>),
    Everybody,
    Board,
}

fn line(turn: &HouseTurn, open: &Open, before: &str, reader: &mut For<'_>) -> Line {
    let (name, entry) = (turn.table.name_of(open.character), open.entry);
    let zone = times::zone_of(turn.table).unwrap_or(TimeZone::UTC);
    let since = open.roll.since.map_or(String::new(), |since| match reader {
        For::Board => format!(", since {}", times::shown(since, &zone)),
        For::Asker(_) | For::Everybody => format!(", {}", show::ago(turn.now, since)),
    });
    let away = turn.table.away(open.character, turn.now).map_or(String::new(), |until| match reader {
        For::Board => format!(" (away until {})", times::shown(until, &zone)),
        For::Asker(_) | For::Everybody => format!(" (away until {})", times::roughly(turn.now, until, &zone)),
    });
    let mut line = vec![Span::Bold(name.to_owned()), Span::Text(format!("{away} {before} #{entry}{since}:"))];
    let mine = turn.may(Act::AnswerFor(open.character));
    for offer in open.offers() {
        let OpenOffer { character, command, label, .. } = offer;
        let prefix = &turn.room.prefix;
        line.push(Span::Text(" ".to_owned()));
        if let For::Asker(choices) = reader
            && mine
        {
            choices.push(Choice { entry, character: *character, command: command.clone() });
            line.push(Span::Code(format!("{prefix}{}", choices.len())));
            line.push(Span::Text(format!(" {label} (")));
            line.push(Span::Code(format!("{prefix}{command}")));
            line.push(Span::Text(")".to_owned()));
        } else {
            line.push(Span::Code(format!("{prefix}{command}")));
            line.push(Span::Text(format!(" ({label})")));
        }
    }
    line
}

/// The rolls on which the asker has a choice.
pub(super) fn own(turn: &HouseTurn) -> Result<Vec<u64>, StoreError> {
    Ok(all(turn)?.iter().filter(|open| turn.may(Act::AnswerFor(open.character))).map(|open| open.entry).collect())
}

/// All open choices, newest first, by character and kind, without what somebody might have done about an earlier roll. Of
/// secret rolls there is only what the asker may see, and only if nobody else reads the answer.
pub(super) fn all(turn: &HouseTurn) -> Result<Vec<Open>, StoreError> {
    let (mut all, mut newest) = (Vec::new(), BTreeMap::new());
    for entry in turn.ledger.head().open.iter().rev() {
        let Some(roll) = turn.ledger.roll(*entry)? else { continue };
        let page = if roll.secret { turn.ledger.page(*entry)? } else { None };
        if page.is_some_and(|page| !turn.in_secret || !turn.may_see(&page)) {
            continue;
        }
        let mut seen = BTreeSet::new();
        for (character, kind) in roll.open.iter().map(|open| (open.character, open.kind(roll.character))) {
            let since = turn.table.scene_since(roll.apart);
            let current = match kind {
                // Nobody is asked any more for a scene that ended when the party came together.
                OfferKind::Must => turn.table.still_apart(roll.apart) == roll.apart,
                OfferKind::Option => *entry >= newest_of(turn, character, &mut newest)?.max(since),
            };
            if current && seen.insert((character, kind)) {
                all.push(Open { entry: *entry, character, kind, roll: roll.clone() });
            }
        }
    }
    Ok(all)
}

/// The newest roll of a character, wherever they made it. A secret roll does not count, because others would notice it.
fn newest_of(turn: &HouseTurn, who: CharacterId, known: &mut BTreeMap<CharacterId, u64>) -> Result<u64, StoreError> {
    if let Some(known) = known.get(&who) {
        return Ok(*known);
    }
    let mut newest = 0;
    for (place, page) in turn.ledger.of_character(who)?.take(LOOKED_AT).enumerate() {
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
