//! `!handout`: what the referee shows to some people alone, now or later. A handout is a note that is given to others: what it
//! says stays in the journal and nowhere else.

use crate::notes::addressees;
use crate::view::{self, Handout, divided};
use crate::{secrets, show};
use chat::{Block, Line, Readers, Reply, Span};
use journal::documents::Note;
use plugin_api::{CharacterId, Refusal, Text};
use std::collections::BTreeMap;
use table::own::{Act, HouseTurn, Reached, Unplayed, with_id};

/// The most handouts of a table, and those listed, the newest.
const MOST: usize = 50;
const MOST_LISTED: usize = 20;
/// The most characters of a name.
const MOST_NAME: usize = 40;
/// Words before those who get it, and words for everybody.
const GIVEN: [&str; 2] = ["to", "for"];
const EVERYBODY: [&str; 5] = ["all", "everyone", "everybody", "the table", "table"];

pub(super) fn handout(turn: &mut HouseTurn, typed: Option<&Text>) -> Result<Reply, Unplayed> {
    let all = view::handouts(&turn.looking())?;
    let shown_here = |each: &Handout| turn.in_private || turn.in_secret || !each.page.is_secret();
    let Some(Text { text, .. }) = typed else {
        let here: Vec<Handout> = all.into_iter().filter(shown_here).collect();
        return Ok(listed(turn, &here));
    };
    let (name, rest) = divided(text);
    // Whoever gives one to people does not show it here.
    let gives = |each: &Handout| turn.may(Act::Read(&each.page.entry)) || !each.page.is_secret();
    let found = |may: &dyn Fn(&Handout) -> bool| all.iter().find(|each| is_called(each, name) && may(each));
    let refers = given_to(rest).filter(|whom| for_everybody(whom) || addressees(turn, whom).is_ok());
    match (given_to(rest), found(&gives), found(&shown_here)) {
        (_, _, Some(found)) if rest.is_empty() => shown(turn, found),
        (Some(whom), Some(found), _) => give(turn, found, whom),
        _ if rest.is_empty() || refers.is_some() => Err(unknown(turn, name).into()),
        _ => make(turn, name),
    }
}

/// Whom the rest of a line gives it to.
fn given_to(rest: &str) -> Option<&str> {
    let (word, whom) = rest.split_once(char::is_whitespace)?;
    GIVEN.contains(&word.to_lowercase().as_str()).then(|| whom.trim())
}

fn for_everybody(whom: &str) -> bool {
    EVERYBODY.contains(&whom.to_lowercase().trim_end_matches(['.', '!']))
}

/// True if somebody means a handout by this: its name, or its number as `#12`.
fn is_called(handout: &Handout, typed: &str) -> bool {
    typed.to_lowercase() == handout.name.to_lowercase()
        || typed.strip_prefix('#').and_then(|number| number.parse().ok()) == Some(handout.number)
}

fn unknown(turn: &HouseTurn, name: &str) -> Refusal {
    let what = match turn.in_private || turn.in_secret {
        true => format!("you have no handout called {name}"),
        false => format!("everyone has no handout called {name}; I show your own in a private chat"),
    };
    let example = if turn.in_private { "handouts".to_owned() } else { format!("in {} handouts", turn.room_id.id) };
    Refusal::new(what).about(name).example(example)
}

fn make(turn: &mut HouseTurn, name: &str) -> Result<Reply, Unplayed> {
    let room = &turn.room_id.id;
    turn.needs(Act::HandOut, "make handouts")?;
    if turn.table.referees.is_empty() {
        return Err(Refusal::new("handouts are the referee's, and there is none yet").example("gm me").into());
    }
    if name.is_empty() || name.starts_with('#') || name.chars().count() > MOST_NAME {
        let what = format!("a handout has a name of up to {MOST_NAME} characters, which is no number");
        return Err(Refusal::new(what)
            .example(format!("in {room} handout letter Come to the mill at midnight"))
            .into());
    }
    if turn.in_secret && !turn.in_private {
        let what = "everyone here has read that; what only some should read goes into a private chat with me";
        return Err(Refusal::new(what).example(format!("in {room} handout {name} ...")).into());
    }
    drop_erased(turn)?;
    let oldest = turn.table.notes.iter().find(|(_, note)| note.to.is_some()).map(|(number, _)| *number);
    if turn.table.notes.values().filter(|note| note.to.is_some()).count() >= MOST {
        let what = format!("the table keeps {MOST} handouts, which is the most; undo one that nobody needs");
        return Err(Refusal::new(what).example(format!("undo #{}", oldest.unwrap_or_default())).into());
    }
    let (by, number, private) = (turn.actor, turn.number, turn.in_private);
    turn.table_mut().notes.insert(number, Note { by, own: private, to: Some(BTreeMap::new()) });
    if !private {
        return Ok(Reply::new().text("Everyone has ").bold(name).text(" now."));
    }
    turn.effects.readers = Readers::Referees;
    let reply = Reply::new().bold(name).text(" is ready, for referees alone. Show it with ");
    let reply = reply.code(format!("in {} handout {name} to Ann, Bob", turn.room_id.id));
    Ok(reply
        .text(", or everyone with ")
        .code(format!("{}handout #{number} to all", turn.room.prefix))
        .text(" in the room."))
}

/// Forgets handouts whose words were erased.
fn drop_erased(turn: &mut HouseTurn) -> Result<(), Unplayed> {
    let mut erased = Vec::new();
    for (number, _) in turn.table.notes.iter().filter(|(_, note)| note.to.is_some()) {
        if turn.ledger.must_have(*number)?.text().is_none() {
            erased.push(*number);
        }
    }
    if !erased.is_empty() {
        turn.table_mut().notes.retain(|number, _| !erased.contains(number));
    }
    Ok(())
}

/// Gives a handout to some people, or shows it to everybody.
fn give(turn: &mut HouseTurn, handout: &Handout, whom: &str) -> Result<Reply, Unplayed> {
    turn.needs(Act::HandOut, "give handouts to people")?;
    let Handout { number, name, says, to, page } = handout;
    if !page.is_secret() {
        return Err(Refusal::new(format!("everyone has {name} already")).example(format!("handout {name}")).into());
    }
    if !turn.may(Act::Read(&page.entry)) {
        return Err(Refusal::new("only the referee gives handouts to people").example("handouts").into());
    }
    if for_everybody(whom) {
        if turn.in_private || turn.in_secret {
            let what = "everyone reads what is shown in the room: type it there";
            return Err(Refusal::new(what).example(format!("handout #{number} to all")).into());
        }
        let reply = Reply::new().bold(name.as_str()).text(format!(": {says}"));
        secrets::publish(turn, page.clone())?;
        return Ok(reply);
    }
    let (people, rest) = addressees(turn, whom)?;
    if !rest.is_empty() {
        let what = format!("whom do you mean by {rest}?");
        return Err(Refusal::new(what).about(rest).into());
    }
    let mut names = Vec::new();
    let mut later = Vec::new();
    for who in people {
        let called = turn.table.name_of(who).to_owned();
        if to.contains_key(&who) {
            return Err(Refusal::new(format!("{called} has {name} already")).about(called).example("handouts").into());
        }
        if turn.table.characters.get(&who).is_none_or(|each| each.owner.is_none()) {
            return Err(Refusal::new(format!("nobody plays {called}")).about(called).into());
        }
        let owner = turn.table.characters.get(&who).and_then(|each| each.owner.clone());
        let owner = owner.filter(|owner| !turn.speaker.is(owner));
        let reached = owner.map(|owner| turn.ledger.reached(&owner, (turn.room_id, turn.heard))).transpose()?.flatten();
        let line = vec![Span::Bold(name.clone()), Span::Text(format!(", a handout for {called}: {says}"))];
        match reached {
            Some(Reached { account, .. }) => turn.effects.tells.entry(account).or_default().push(Block::Line(line)),
            None => later.push(called.clone()),
        }
        let whole = owner_shown(turn, who, &called);
        let entry = turn.number;
        if let Some(Note { to: Some(to), .. }) = turn.table_mut().notes.get_mut(number) {
            to.insert(who, entry);
        }
        names.push(whole);
    }
    if turn.in_private || turn.in_secret {
        turn.effects.readers = Readers::Referees;
    }
    let have = if names.len() == 1 { "has" } else { "have" };
    let mut reply = Reply::new().text(format!("{} {have} ", names.join(", "))).bold(name.as_str()).text(" now.");
    if !later.is_empty() {
        reply = reply.text(format!(" I cannot reach {} now: ", later.join(", ")));
        reply = reply.code(format!("in {} handout #{number}", turn.room_id.id)).text(" shows it to them later.");
    }
    Ok(reply)
}

/// A character's name with the account that plays them.
fn owner_shown(turn: &HouseTurn, who: CharacterId, name: &str) -> String {
    let owner = turn.table.characters.get(&who).and_then(|each| each.owner.as_ref());
    owner.map_or_else(|| name.to_owned(), |owner| with_id(name, owner))
}

/// A handout once more.
fn shown(turn: &mut HouseTurn, handout: &Handout) -> Result<Reply, Unplayed> {
    let Handout { name, says, page, .. } = handout;
    if page.is_secret() {
        turn.effects.readers = Readers::Player;
    }
    Ok(Reply::new().bold(name.as_str()).text(format!(": {says}")))
}

/// Which handouts there are, and for whoever may give them who has which.
fn listed(turn: &mut HouseTurn, handouts: &[Handout]) -> Reply {
    let alone = turn.in_private || turn.in_secret;
    let line = |handout: &Handout| -> Line {
        let Handout { number, name, to, page, .. } = handout;
        let names: Vec<&str> = to.keys().map(|who| turn.table.name_of(*who)).collect();
        let whose = match (page.is_secret(), turn.may(Act::Read(&page.entry)), names.is_empty()) {
            (false, _, _) => "everyone".to_owned(),
            (true, true, true) => "nobody yet".to_owned(),
            (true, true, false) => names.join(", "),
            (true, false, _) => "you".to_owned(),
        };
        let when = show::ago(turn.now, page.entry.time);
        vec![Span::Bold(format!("#{number} {name}")), Span::Text(format!(", {when}: {whose}"))]
    };
    let lines: Vec<Line> = handouts.iter().take(MOST_LISTED).rev().map(line).collect();
    if alone {
        turn.effects.readers = Readers::Player;
    }
    let room = &turn.room_id.id;
    if lines.is_empty() {
        return match alone {
            true if turn.in_private && !turn.in_secret && turn.said_in == turn.room_id => {
                let room = crate::help::a_room_of(turn);
                Reply::from("You have no handouts here. For those of a room, type ")
                    .code(format!("in {room} handouts"))
                    .text(".")
            }
            true => Reply::from("You have no handouts."),
            false => Reply::from("Nothing has been handed out to everyone. For your own handouts, type ")
                .code(format!("in {room} handouts"))
                .text(" in a private chat with me."),
        };
    }
    Reply::new().text("Handouts, and who has them:").list(lines)
}
