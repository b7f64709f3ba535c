//! `!plugin`, `!game`, `!room`, `!table`: what a room and a table are set to.

use super::HouseTurn;
use chat::Reply;
use plugin_api::{Name, Refusal, Role, Setting, SettingKind, Text, suggest};
use std::sync::Arc;

/// Characters a prefix may have.
const MOST_PREFIX: usize = 3;
/// Characters a table's name may have.
const MOST_TABLE_NAME: usize = 60;

pub(super) fn plugin(turn: &mut HouseTurn, enable: Option<Name>, disable: Option<Name>) -> Result<Reply, Refusal> {
    let (name, on) = match (enable, disable) {
        (Some(name), None) => (name.0, true),
        (None, Some(name)) => (name.0, false),
        _ => return Err(Refusal::new("say which plugin to enable or disable")),
    };
    let id = plugin_id(turn, &name)?;
    let title = turn.bot.plugins.get(&id).expect("its id was just found").manifest().title.clone();
    if turn.room.plugins.contains(&id) == on {
        let state = if on { "already enabled" } else { "not enabled" };
        return Err(Refusal::new(format!("the plugin {id} is {state} here")).example("plugins"));
    }
    let room = Arc::make_mut(turn.room);
    let prefix = room.prefix.clone();
    if on {
        room.plugins.insert(id.clone());
        let reply = Reply::new().text(format!("{title} is enabled in this room. "));
        Ok(reply.code(format!("{prefix}help {id}")).text(" teaches it."))
    } else {
        room.plugins.remove(&id);
        Ok(format!("{title} is disabled in this room; what the table holds of it stays.").into())
    }
}

pub(super) fn game(turn: &mut HouseTurn, id: Option<Name>) -> Result<Reply, Refusal> {
    let Some(name) = id else {
        return Ok(match &turn.table.main_game {
            Some(id) => format!("The main game is {id}.").into(),
            None => Reply::from("There is no main game: a word that several games share is asked back."),
        });
    };
    turn.needs(Role::Referee, "set the main game")?;
    let id = plugin_id(turn, &name.0)?;
    if !turn.room.plugins.contains(&id) {
        let what = format!("the plugin {id} is not enabled in this room");
        return Err(Refusal::new(what).about(name.0).example(format!("plugin enable {id}")));
    }
    if turn.table.main_game.as_ref() == Some(&id) {
        return Ok(format!("The main game is {id} already.").into());
    }
    turn.table_mut().main_game = Some(id.clone());
    Ok(format!("The main game is now {id}.").into())
}

pub(super) fn room(turn: &mut HouseTurn, key: Option<Name>, value: Option<Text>) -> Result<Reply, Refusal> {
    let Some(key) = key else {
        let (room, table) = (turn.room.clone(), &turn.room.table);
        let plugins = room.plugins.iter().cloned().collect::<Vec<_>>().join(", ");
        let reply = Reply::new().text(format!("Room {}: prefix ", turn.room_id.id)).code(room.prefix.clone());
        return Ok(reply.text(format!(", plugins {plugins}, table {table}.")));
    };
    if !key.0.eq_ignore_ascii_case("prefix") {
        return Err(Refusal::new(format!("a room has no {}: it has prefix", key.0)).about(key.0));
    }
    let Some(value) = value else {
        return Ok(Reply::new().text("The prefix here is ").code(turn.room.prefix.clone()).text("."));
    };
    turn.needs(Role::Admin, "change how the room is answered")?;
    let prefix = value.text.trim();
    let marks = |c: char| !c.is_alphanumeric() && !c.is_whitespace() && !matches!(c, '/' | '@' | '#');
    if prefix.is_empty() || prefix.chars().count() > MOST_PREFIX || !prefix.chars().all(marks) {
        let what = format!("a prefix is 1 to {MOST_PREFIX} marks such as . or !! (not / @ #)");
        return Err(Refusal::new(what).at(value.at..value.at + value.text.len()));
    }
    if turn.room.prefix == prefix {
        return Ok(Reply::new().text("The prefix here is ").code(prefix).text(" already."));
    }
    Arc::make_mut(turn.room).prefix = prefix.to_owned();
    let name = &turn.bot.settings.name;
    let reply = Reply::new().text("The prefix here is now ").code(prefix).text("; ");
    Ok(reply.code(format!("{name}: help")).text(" works always."))
}

pub(super) fn table(turn: &mut HouseTurn, key: Option<Name>, value: Option<Text>) -> Result<Reply, Refusal> {
    let Some(key) = key else { return Ok(overview(turn)) };
    let own = Setting {
        key: "name".to_owned(),
        help: "what the players call this table".to_owned(),
        default: String::new(),
        kind: SettingKind::Text(MOST_TABLE_NAME),
    };
    let plugins = turn.bot.plugins.enabled(&turn.room.plugins);
    let declared = plugins.into_iter().flat_map(|plugin| {
        let manifest = plugin.manifest();
        manifest.settings.iter().map(|setting| (Some(manifest.id.clone()), setting.clone()))
    });
    let settings: Vec<_> = std::iter::once((None, own)).chain(declared).collect();
    let Some((game, setting)) = settings.iter().find(|(_, setting)| setting.key.eq_ignore_ascii_case(&key.0)) else {
        let keys: Vec<_> = settings.iter().map(|(_, setting)| setting.key.as_str()).collect();
        return Err(Refusal::new(format!("a table has no {}: it has {}", key.0, keys.join(", "))).about(key.0));
    };
    let Some(value) = value else {
        let current = match game {
            None => turn.table.name.clone(),
            Some(game) => turn.table.settings.get(game).and_then(|set| set.get(&setting.key)).cloned(),
        };
        let current = current.unwrap_or_else(|| setting.default.clone());
        return Ok(format!("{}: {} ({})", setting.key, current, setting.help).into());
    };
    turn.needs(Role::Referee, "change the table's settings")?;
    let value = setting.check(&value.text)?;
    let reply = format!("{} is now {value}.", setting.key);
    match game {
        None => turn.table_mut().name = Some(value),
        Some(game) => {
            turn.table_mut().settings.entry(game.clone()).or_default().insert(setting.key.clone(), value);
        }
    }
    Ok(reply.into())
}

fn overview(turn: &HouseTurn) -> Reply {
    let table = &turn.table;
    let name = table.name.clone().unwrap_or_else(|| turn.room.table.to_string());
    let game = table.main_game.as_deref().unwrap_or("none");
    let join = |names: Vec<&str>| {
        if names.is_empty() { "nobody".to_owned() } else { names.join(", ") }
    };
    let referees = join(table.referees.values().map(String::as_str).collect());
    let characters = join(table.characters.values().map(|each| each.name.as_str()).collect());
    let reply = format!("Table {name}: main game {game}, referees {referees}, characters {characters}.");
    let settings = table.settings.iter().flat_map(|(game, set)| set.iter().map(move |pair| (game, pair)));
    settings.fold(Reply::from(reply), |reply, (_, (key, value))| reply.text(format!(" {key}: {value}.")))
}

/// The id of the plugin called `name`.
fn plugin_id(turn: &HouseTurn, name: &str) -> Result<String, Refusal> {
    let ids: Vec<_> = turn.bot.plugins.manifests().map(|manifest| manifest.id.as_str()).collect();
    if let Some(id) = ids.iter().find(|id| id.eq_ignore_ascii_case(name)) {
        return Ok((*id).to_owned());
    }
    let hint = match suggest(name, ids.iter().copied()) {
        Some(meant) => format!("did you mean {meant}?"),
        None => format!("there are {}", ids.join(", ")),
    };
    Err(Refusal::new(format!("there is no plugin {name}: {hint}")).about(name))
}
