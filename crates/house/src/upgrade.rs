//! `!plugin upgrade`: a table goes on with the newest version of a game's file. `!plugin add`: it brings a file of its own.

use crate::settings::{enabled, plugin_id};
use chat::Reply;
use journal::documents::{GameDoc, to_json};
use journal::{Document, diff, keys};
use plugin_api::{Manifest, Name, Plugin, Refusal, SavedState};
use std::sync::Arc;
use table::own::{Act, HouseTurn, Unplayed};

pub(super) fn upgrade(turn: &mut HouseTurn, Name(name): &Name) -> Result<Reply, Unplayed> {
    turn.needs(Act::SetTable, "choose the version that this table plays")?;
    let id = plugin_id(turn, name)?;
    let plays = turn.host.plugins.newest(&id).map(|newest| plays(turn, newest)).transpose()?;
    plays.flatten().ok_or_else(|| {
        let what = format!("this table plays the newest version of {id} that I have");
        Refusal::new(what).about(name.as_str()).example("plugins").into()
    })
}

/// `!plugin add` with a file on the lines below it.
pub(super) fn add(turn: &mut HouseTurn, file: &str) -> Result<Reply, Unplayed> {
    turn.needs(Act::SetTable, "bring a game to the table")?;
    let game = turn.host.brought(turn.body)?;
    let Manifest { id, title, .. } = game.manifest();
    if let Some(reply) = plays(turn, &*game)? {
        return Ok(reply);
    }
    // What it cannot read was left by another game.
    let held = turn.ledger.read::<GameDoc>(&keys::game(turn.ledger.id(), id))?.is_some();
    let is_in = !Arc::make_mut(turn.room).plugins.insert(id.clone());
    if held && (is_in || !turn.host.plugins.own_games.contains(id)) {
        return Err(Refusal::new(format!("this table plays {title} as it is in this file already")).into());
    }
    if !held {
        let SavedState { version, state } = game.first().saved();
        let place = Document::Game(id.clone());
        let begun = diff(&format!("{}/state", place.path()), None, Some(&state));
        let mut doc = GameDoc { version, state, touched: Default::default() };
        doc.touched.note(&place, begun.iter(), turn.number);
        turn.effects.writes.put(keys::game(turn.ledger.id(), id), to_json(&doc));
        turn.effects.outdated_games.push(id.clone());
        turn.effects.begun = begun;
    }
    let came = format!("{title} (file {file}) is this table's own, and enabled here from the next message on. ");
    Ok(enabled(turn, game.manifest(), came))
}

/// Goes on with this version of a game. `None` if the table has not begun with the game, or plays this version.
fn plays(turn: &mut HouseTurn, newest: &dyn Plugin) -> Result<Option<Reply>, Unplayed> {
    let Manifest { id, title, .. } = newest.manifest();
    let key = keys::game(turn.ledger.id(), id);
    let Some(before) = turn.ledger.read::<GameDoc>(&key)? else { return Ok(None) };
    let saved = SavedState { version: before.version, state: before.state.clone() };
    let Some(upgrade) = newest.upgrade(&saved) else { return Ok(None) };
    let doc = |saved: &SavedState| GameDoc { version: saved.version, state: saved.state.clone(), ..before.clone() };
    let (kept, mut played) = (doc(&upgrade.kept), doc(&upgrade.played));
    let place = Document::Game(id.clone());
    let between = |before: &GameDoc, after: &GameDoc| {
        diff(&format!("{}/state", place.path()), Some(&before.state), Some(&after.state))
    };
    // The file stays when this is undone: rolls may have been made with it.
    let (begun, made) = (between(&before, &kept), between(&kept, &played));
    played.touched.note(&place, begun.iter().chain(&made), turn.number);
    turn.effects.writes.put(key, to_json(&played));
    turn.effects.outdated_games.push(id.clone());
    (turn.effects.begun, turn.effects.made) = (begun, Some(made));
    let news = upgrade.says.iter().map(|news| format!(" | {news}")).collect::<String>();
    let reply = format!(
        "This table plays the newest version of {title} from the next message on{news}. Rolls made before stay as they are."
    );
    Ok(Some(reply.into()))
}
