//! `!waiting`: open choices, whose they are and since when.

use crate::view::{self, Open};
use crate::{history, show};
use chat::{Line, Reply, Span};
use jiff::tz::TimeZone;
use journal::documents::{Choice, ChoicesDoc, to_json};
use journal::keys;
use journal::store::StoreError;
use plugin_api::Name;
use table::own::{HouseTurn, Unplayed, times};

/// The most characters' choices listed.
const MOST: usize = 30;
pub(super) fn waiting(turn: &mut HouseTurn, who: Option<Name>) -> Result<Reply, Unplayed> {
    let who = who.map(|Name(name)| history::named(turn, &name)).transpose()?;
    let mut open = view::all(&turn.looking())?;
    open.retain(|open| who.is_none_or(|who| open.character == who));
    if open.is_empty() {
        return Ok(match who {
            Some(who) => format!("{} has nothing to choose.", turn.table.name_of(who)).into(),
            None => "No choices are open.".into(),
        });
    }
    // The asker's own come first, because they get the numbers.
    open.sort_by_key(|open| !open.mine);
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
    let entry = open.entry;
    let zone = times::zone_of(turn.table).unwrap_or(TimeZone::UTC);
    let since = open.since.map_or(String::new(), |since| match reader {
        For::Board => format!(", since {}", times::shown(since, &zone)),
        For::Asker(_) | For::Everybody => format!(", {}", show::ago(turn.now, since)),
    });
    let away = open.away.map_or(String::new(), |until| match reader {
        For::Board => format!(" (away until {})", times::shown(until, &zone)),
        For::Asker(_) | For::Everybody => format!(" (away until {})", times::roughly(turn.now, until, &zone)),
    });
    let mut line = vec![Span::Bold(open.who.clone()), Span::Text(format!("{away} {before} #{entry}{since}:"))];
    for view::Choice { character, command, label } in &open.choices {
        let prefix = &turn.room.prefix;
        line.push(Span::Text(" ".to_owned()));
        if let For::Asker(choices) = reader
            && open.mine
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
    Ok(view::all(&turn.looking())?.iter().filter(|open| open.mine).map(|open| open.entry).collect())
}
