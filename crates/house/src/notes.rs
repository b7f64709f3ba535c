//! `!note`, `!tell`: words kept for the table or for oneself, and words for some people alone. What they say stays in the
//! journal and nowhere else, so that erasing an entry erases it everywhere.

use crate::show;
use crate::view::{self, Kept};
use chat::{Block, Line, Readers, Reply, Span};
use journal::documents::Note;
use plugin_api::{Cast, CharacterId, Refusal, Text};
use std::collections::BTreeSet;
use table::own::{Act, HouseTurn, Reached, Unplayed, with_id};

/// The most notes of a table, those of them that one player keeps, and those that somebody keeps for themselves.
const MOST_NOTES: usize = 100;
const MOST_OF_ONE: usize = 50;
const MOST_OWN: usize = 30;
/// The most people told something at once.
const MOST_TOLD: usize = 12;
/// Words of a name, and words that join names.
const MOST_WORDS: usize = 4;
const JOINING: [&str; 2] = ["and", "&"];
/// Signs after a name.
const ENDS: [char; 3] = [',', ':', ';'];

pub(super) fn note(turn: &mut HouseTurn, text: Option<&Text>) -> Result<Reply, Unplayed> {
    let Some(Text { text, .. }) = text else { return listed(turn) };
    if let Some(number) = taken_back(text).filter(|_| !turn.stored) {
        let what = format!("a note is taken back by undo and its number; to note \"{text}\" put it in quotation marks");
        return Err(Refusal::new(what)
            .about(number)
            .example(format!("undo #{}", number.trim_start_matches('#')))
            .into());
    }
    let own = turn.in_private || turn.in_secret;
    let yours = |note: &Note| turn.rights.could(turn.table, Act::AnswerFor(note.by));
    let all = |note: &Note| note.to.is_none() && note.own == own && (!own || note.by == turn.actor);
    let one_of_yours = |note: &Note| all(note) && yours(note);
    let has_room = |most: usize, whose: &str, counts: &dyn Fn(&Note) -> bool| {
        let mut kept = turn.table.notes.iter().filter(|(_, note)| counts(note)).map(|(number, _)| *number);
        let oldest = kept.next().unwrap_or_default();
        if kept.count() + 1 < most {
            return Ok(());
        }
        let what = format!("{whose} {most} notes, which is the most; undo one that nobody needs");
        Err(Refusal::new(what).example(format!("undo #{oldest}")))
    };
    match own {
        true => has_room(MOST_OWN, "you keep", &all)?,
        false => {
            // Who leads the table may need all of them.
            if !turn.rights.could(turn.table, Act::Know) {
                has_room(MOST_OF_ONE, "you keep", &one_of_yours)?;
            }
            has_room(MOST_NOTES, "the table keeps", &all)?;
        }
    }
    let (by, number) = (turn.actor, turn.number);
    turn.table_mut().notes.insert(number, Note { by, own, to: None });
    if own {
        turn.effects.readers = Readers::Player;
    }
    Ok(if own { "Noted, for you alone." } else { "Noted, for everyone at the table." }.into())
}

/// The number of the note that a text takes back: `delete 2`.
fn taken_back(text: &str) -> Option<&str> {
    let (verb, number) = text.split_once(' ')?;
    let digits = number.trim_start_matches('#');
    let verbs = ["delete", "remove", "erase", "clear", "drop"];
    (verbs.contains(&verb.to_lowercase().as_str()) && digits.parse::<u64>().is_ok()).then_some(number)
}

/// The notes of the table, and where nobody else reads it one's own.
fn listed(turn: &mut HouseTurn) -> Result<Reply, Unplayed> {
    let own = turn.in_private || turn.in_secret;
    let notes = view::notes(&turn.looking())?;
    let line = |Kept { number, who, time, says, is_secret, .. }: Kept| -> Line {
        let whose = if is_secret { "you alone".to_owned() } else { who };
        let when = show::ago(turn.now, time);
        vec![Span::Bold(format!("#{number}")), Span::Text(format!(" {whose}, {when}: {says}"))]
    };
    let lines: Vec<Line> = notes.into_iter().map(line).collect();
    if own {
        turn.effects.readers = Readers::Player;
    }
    if lines.is_empty() {
        let prefix = &turn.room.prefix;
        return Ok(Reply::new().text("There are no notes. ").code(format!("{prefix}note ...")).text(" keeps one."));
    }
    Ok(Reply::new().text("Notes:").list(lines))
}

pub(super) fn tell(turn: &mut HouseTurn, words: Option<&Text>) -> Result<Reply, Unplayed> {
    let room = &turn.room_id.id;
    let Some(Text { text, .. }) = words else {
        let what = "whom do you tell what?";
        return Err(Refusal::new(what).example(format!("in {room} tell Ann, Bob the safe is open")).into());
    };
    let (people, says) = addressees(turn, text)?;
    if says.is_empty() {
        let what = "what do you tell them?";
        return Err(Refusal::new(what).example(format!("in {room} tell {text} the safe is open")).into());
    }
    if !turn.in_private {
        let what = "everyone here has read that; what only some should read goes into a private chat with me";
        return Err(Refusal::new(what).example(format!("in {room} tell {text}")).into());
    }
    let mut told = Vec::new();
    for character in people {
        let name = turn.table.name_of(character).to_owned();
        // Anybody may have taken a bare nick, and a seat may be another player's from before.
        let owner = turn.table.characters.get(&character).and_then(|each| each.owner.clone());
        let owner = owner.filter(|owner| !turn.speaker.is(owner));
        let reached = owner.map(|owner| turn.ledger.reached(&owner, (turn.room_id, turn.heard))).transpose()?;
        let Some(Reached { account, .. }) = reached.flatten() else {
            return Err(Refusal::new(format!(
                "I cannot tell {name}: whoever plays them is not in {room} now, or has no account there"
            ))
            .into());
        };
        told.push((name, with_id(turn.table.name_of(character), &account), account));
    }
    let from = turn.table.name_of(turn.actor).to_owned();
    let names: Vec<String> = told.iter().map(|(name, ..)| name.clone()).collect();
    let accounts: Vec<String> = told.iter().map(|(_, whole, _)| whole.clone()).collect();
    let also = if names.len() > 1 { format!(" (to {})", names.join(", ")) } else { String::new() };
    for player in told.into_iter().map(|(.., account)| account).collect::<BTreeSet<_>>() {
        let line = vec![Span::Bold(from.clone()), Span::Text(format!(" tells you{also}: {says}"))];
        turn.effects.tells.insert(player, vec![Block::Line(line)]);
    }
    turn.effects.readers = Readers::Player;
    Ok(format!("Told {}.", accounts.join(", ")).into())
}

/// The people named at the beginning of a text, and the rest of it. What follows is for them alone, so nobody is named by
/// what may mean somebody else.
pub(super) fn addressees<'t>(turn: &HouseTurn, text: &'t str) -> Result<(Vec<CharacterId>, &'t str), Refusal> {
    let cast = turn.cast();
    let (mut people, mut rest) = (Vec::new(), text.trim_start());
    while let Some((who, end)) = addressee(&cast, rest, people.is_empty()) {
        if who != turn.actor {
            cast.means_only(who, rest[..end].trim_end_matches(ENDS))?;
        }
        let goes_on = rest[..end].ends_with(',');
        if !people.contains(&who) {
            people.push(who);
        }
        rest = rest[end..].trim_start();
        let joined = rest.split_whitespace().next().filter(|word| JOINING.contains(&word.to_lowercase().as_str()));
        rest = joined.map_or(rest, |word| rest[word.len()..].trim_start());
        if !goes_on && joined.is_none() {
            break;
        }
    }
    match people.len() {
        0 => Err(cast.nobody(text.split_whitespace().next().unwrap_or_default().trim_end_matches(ENDS))),
        1..=MOST_TOLD => Ok((people, rest.trim_start_matches([':', '-', ' ']))),
        _ => Err(Refusal::new(format!("that is for more than {MOST_TOLD} at once"))),
    }
}

/// Who is named at the beginning of this text, and where the name ends: in quotation marks, by their id, by the longest
/// name that somebody has, or for the first also by a part of one.
fn addressee(cast: &Cast, rest: &str, first: bool) -> Option<(CharacterId, usize)> {
    if let Some((name, behind)) = rest.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
        let comma = usize::from(behind.starts_with(','));
        return Some((cast.known(name)?, rest.len() - behind.len() + comma));
    }
    let words: Vec<&str> = rest.split_whitespace().take(MOST_WORDS).collect();
    let ends = |count: usize| words[count - 1].as_ptr() as usize + words[count - 1].len() - rest.as_ptr() as usize;
    let name_of = |count: usize| rest[..ends(count)].trim_end_matches(ENDS);
    let by_id = |count: usize| cast.by_id(name_of(count)).filter(|_| count == 1);
    let found = (1..=words.len())
        .rev()
        .find_map(|count| Some((cast.known(name_of(count)).or_else(|| by_id(count))?, ends(count))));
    found.or_else(|| match first && !words.is_empty() {
        true => cast.meant(name_of(1)).map(|who| (who, ends(1))),
        false => None,
    })
}
