//! `!waiting`: open choices, whose they are and since when.

use super::{history, show};
use crate::rights::Act;
use crate::turn::HouseTurn;
use crate::unplayed::Unplayed;
use chat::{Line, Reply, Span};
use journal::documents::{Choice, ChoicesDoc, OpenOffer, RollDoc, to_json};
use journal::keys;
use journal::store::StoreError;
use plugin_api::{CharacterId, Name};

/// The most characters' choices listed.
const MOST: usize = 30;

/// The choices on one roll for one character.
pub(super) struct Open {
    pub entry: u64,
    pub character: CharacterId,
    roll: RollDoc,
}

impl Open {
    /// True if another's roll asks for it, so that something stands still until it is answered.
    pub fn is_asked(&self) -> bool {
        self.character != self.roll.character
    }

    fn offers(&self) -> impl Iterator<Item = &OpenOffer> {
        self.roll.open.iter().filter(|open| open.character == self.character)
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
    let lines = open.iter().take(MOST).map(|open| line(turn, open, before(open), &mut choices)).collect();
    let key = keys::choices(turn.ledger.id(), &turn.speaker.player);
    turn.effects.writes.put(key, to_json(&ChoicesDoc { choices, shown: 0 }));
    lines
}

fn line(turn: &HouseTurn, open: &Open, before: &str, choices: &mut Vec<Choice>) -> Line {
    let (name, entry) = (turn.table.name_of(open.character), open.entry);
    let since = open.roll.since.map_or(String::new(), |since| format!(", {}", show::ago(turn.now, since)));
    let mut line = vec![Span::Bold(name.to_owned()), Span::Text(format!(" {before} #{entry}{since}:"))];
    let mine = turn.may(Act::AnswerFor(open.character));
    for offer in open.offers() {
        let OpenOffer { character, command, label } = offer;
        let prefix = &turn.room.prefix;
        line.push(Span::Text(" ".to_owned()));
        if mine {
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

/// All open choices, newest first, by character; of secret rolls only what the asker may see, and only if nobody else
/// reads the answer.
pub(super) fn all(turn: &HouseTurn) -> Result<Vec<Open>, StoreError> {
    let mut all = Vec::new();
    for entry in turn.ledger.head().open.iter().rev() {
        let Some(roll) = turn.ledger.roll(*entry)? else { continue };
        let page = if roll.secret { turn.ledger.page(*entry)? } else { None };
        if page.is_some_and(|page| !turn.in_secret || !turn.may_see(&page)) {
            continue;
        }
        let mut characters: Vec<_> = roll.open.iter().map(|open| open.character).collect();
        characters.dedup();
        all.extend(characters.into_iter().map(|character| Open { entry: *entry, character, roll: roll.clone() }));
    }
    Ok(all)
}
