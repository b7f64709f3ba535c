//! `!page`: the links to the page of a table.

use crate::view::{Keys, Reader, is_at};
use chat::{Readers, Reply, Trust};
use journal::documents::to_json;
use journal::keys::{self, TableId};
use journal::store::StoreError;
use plugin_api::{Forms, Refusal};
use table::Host;
use table::own::{Act, HouseTurn, Unplayed};

/// What to do with the page.
#[derive(Clone, Copy, Forms)]
pub(crate) enum Change {
    #[form("everyone")]
    Everyone,
    #[form("new")]
    New {
        #[flag("all")]
        all: bool,
    },
    #[form("on")]
    On,
    #[form("off")]
    Off,
}

pub(super) fn page(turn: &mut HouseTurn, change: Option<Change>) -> Result<Reply, Unplayed> {
    if turn.host.settings().pages.is_none() {
        return Err(Refusal::new("the operator of this bot shows no pages").example("now").into());
    }
    let keys = read(turn)?;
    match change {
        None => own(turn, keys),
        Some(Change::Everyone) => {
            turn.needs(Act::SetTable, "show everyone the page")?;
            let keys = kept(turn, keys)?;
            let link = told_link(turn, &keys, &Reader::Anyone)?;
            Ok(Reply::new().text("The page of this table, for anyone who has the link: ").text(link))
        }
        Some(Change::New { all: false }) => renew(turn, keys),
        Some(Change::New { all: true }) => {
            turn.needs(Act::SetTable, "end all links of the page")?;
            change_keys(turn, keys, Keys::end_all);
            Ok(told(turn, "All links to the page of this table have ended."))
        }
        Some(Change::Off) => {
            turn.needs(Act::SetTable, "switch the page off")?;
            if keys.as_ref().is_some_and(|keys| keys.off) {
                return Err(Refusal::new("the page is off already").example("page on").into());
            }
            change_keys(turn, keys, |keys| keys.off = true);
            let reply = Reply::from("This table has no page any more. ");
            Ok(reply.code(format!("{}page on", turn.room.prefix)).text(" brings it back, with the same links."))
        }
        Some(Change::On) => {
            turn.needs(Act::SetTable, "switch the page on")?;
            if !keys.as_ref().is_some_and(|keys| keys.off) {
                return Err(Refusal::new("the page is on already").example("page").into());
            }
            change_keys(turn, keys, |keys| keys.off = false);
            Ok(told(turn, "This table has its page again."))
        }
    }
}

fn read(turn: &HouseTurn) -> Result<Option<Keys>, StoreError> {
    turn.ledger.read(&keys::page(turn.ledger.id()))
}

/// What links are computed from, made if there is nothing yet.
fn kept(turn: &mut HouseTurn, keys: Option<Keys>) -> Result<Keys, Refusal> {
    let keys = match keys {
        Some(keys) => keys,
        None => {
            let keys = Keys::new(turn.host);
            turn.effects.writes.put(keys::page(turn.ledger.id()), to_json(&keys));
            // Whoever follows the link at once finds something there.
            turn.effects.shows_head = true;
            keys
        }
    };
    match keys.off {
        true => Err(Refusal::new("the page of this table is off; a referee can switch it on").example("page on")),
        false => Ok(keys),
    }
}

/// Changes what links are computed from. The journal says that it was done, and no link.
fn change_keys(turn: &mut HouseTurn, keys: Option<Keys>, change: impl FnOnce(&mut Keys)) {
    let mut keys = keys.unwrap_or_else(|| Keys::new(turn.host));
    change(&mut keys);
    turn.effects.writes.put(keys::page(turn.ledger.id()), to_json(&keys));
    turn.effects.counts_beside = true;
}

fn told(turn: &HouseTurn, says: &str) -> Reply {
    Reply::new().text(says).text(" ").code(format!("{}page", turn.room.prefix)).text(" tells you yours.")
}

fn link(host: &Host, table: &TableId, keys: &Keys, reader: &Reader) -> Result<Option<String>, StoreError> {
    let damaged = || StoreError::damaged(&keys::page(table), "no link can be made of it");
    let link = keys.link(host.restored.as_deref(), reader).ok_or_else(damaged)?;
    Ok(host.settings().pages.as_ref().map(|address| format!("{address}/t/{link}")))
}

fn told_link(turn: &HouseTurn, keys: &Keys, reader: &Reader) -> Result<String, StoreError> {
    Ok(link(turn.host, turn.ledger.id(), keys, reader)?.unwrap_or_default())
}

/// Where everybody sees an entry, if this table has a page.
pub(super) fn of_entry(entry: u64, table: &TableId, host: &Host) -> Result<Option<String>, StoreError> {
    let keys: Option<Keys> = host.read_doc(&keys::page(table))?;
    let Some(keys) = keys.filter(|keys| !keys.off) else { return Ok(None) };
    // A roll is answered also if no link can be made.
    let link = link(host, table, &keys, &Reader::Anyone).ok().flatten();
    Ok(link.map(|link| format!("{link}/e/{entry}")))
}

/// Whose own page the speaker has.
fn reader(turn: &HouseTurn) -> Result<Reader, Refusal> {
    if turn.speaker.trust != Trust::Account {
        let what = "anybody may take a bare nick, so there is no page of your own: log in to the network, or ask the \
                    referee for the link that is for everyone";
        return Err(Refusal::new(what));
    }
    // Whoever only looks gets no seat that lasts.
    let (player, doc) = (&turn.speaker.player, &*turn.ledger.state.doc.doc);
    if turn.may(Act::Know) && doc.referees.contains_key(player) {
        return Ok(Reader::Referee(player.clone()));
    }
    let seated = turn.speaker.accounts().find(|account| is_at(doc, account));
    let none = || Refusal::new("you have no seat at this table, so there is no page of your own").example("join");
    seated.cloned().map(Reader::Player).ok_or_else(none)
}

fn own(turn: &mut HouseTurn, keys: Option<Keys>) -> Result<Reply, Unplayed> {
    let reader = reader(turn)?;
    let keys = kept(turn, keys)?;
    let link = told_link(turn, &keys, &reader)?;
    let whose = match reader {
        Reader::Referee(_) => "Your page as a referee, with all that is secret: ",
        Reader::Player(_) | Reader::Anyone => "Your page, with what you alone may see: ",
    };
    Ok(Reply::new().text(whose).text(link).text(" | Show it to nobody.").to(Readers::Player))
}

/// Ends the speaker's own link, and a referee's also that for everyone.
fn renew(turn: &mut HouseTurn, keys: Option<Keys>) -> Result<Reply, Unplayed> {
    let reader = reader(turn)?;
    let referee = matches!(reader, Reader::Referee(_));
    change_keys(turn, keys, |keys| {
        keys.end(&reader);
        if referee {
            keys.end(&Reader::Anyone);
        }
    });
    Ok(told(turn, if referee { "Your link and the one for everyone have ended." } else { "Your link has ended." }))
}
