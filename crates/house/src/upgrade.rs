//! `!plugin upgrade`: a table goes on with the newest version of a game's file.

use crate::settings::plugin_id;
use chat::Reply;
use journal::documents::{GameDoc, to_json};
use journal::{Document, diff, keys};
use plugin_api::{Name, Refusal, SavedState};
use table::own::{Act, HouseTurn, Unplayed};

pub(super) fn upgrade(turn: &mut HouseTurn, Name(name): &Name) -> Result<Reply, Unplayed> {
    turn.needs(Act::SetTable, "choose the version that this table plays")?;
    let id = plugin_id(turn, name)?;
    let key = keys::game(turn.ledger.id(), &id);
    let stored: Option<GameDoc> = turn.ledger.read(&key)?;
    let newest = turn.host.plugins.newest(&id).zip(stored).and_then(|(newest, before)| {
        let saved = SavedState { version: before.version, state: before.state.clone() };
        Some((newest.manifest().title.clone(), newest.upgrade(&saved)?, before))
    });
    let Some((title, upgrade, before)) = newest else {
        let what = format!("this table plays the newest version of {id} that I have");
        return Err(Refusal::new(what).about(name.as_str()).example("plugins").into());
    };
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
    turn.effects.outdated_games.push(id);
    (turn.effects.begun, turn.effects.made) = (begun, Some(made));
    let news = upgrade.says.iter().map(|news| format!(" | {news}")).collect::<String>();
    let reply = format!(
        "This table plays the newest version of {title} from the next message on{news}. Rolls made before stay as they are."
    );
    Ok(reply.into())
}
