//! `!plugin`, `!game`, `!room`, `!table`: the settings of a room and a table.

use crate::shortcuts::hidden_by;
use crate::upgrade::{add, upgrade};
use chat::Reply;
use journal::HOUSE;
use journal::documents::PluginSettings;
use plugin_api::{Forms, Kind, Manifest, Name, Refusal, Setting, SettingKind, SettingScope, Text, suggest};
use std::sync::Arc;
use table::own::times::{self, TIMEZONE};
use table::own::{Act, DIALECT, HouseTurn, MIRROR, REFEREE, Unplayed, WHO_UNDOES};
use table::{Plugins, RoomSetting};
use unicode_normalization::char::is_combining_mark;

/// The setting that every room has.
const PREFIX: &str = "prefix";
/// The setting that every table has.
const NAME: &str = "name";
/// The most characters of a prefix.
const MOST_PREFIX: usize = 3;
/// The most characters of a table's name.
const MOST_TABLE_NAME: usize = 60;

/// What becomes of a plugin in a room.
#[derive(Forms)]
pub(super) enum Switched {
    #[form("enable", "on")]
    Enable { id: Name },
    #[form("disable", "off")]
    Disable { id: Name },
    #[form("upgrade")]
    Upgrade { id: Name },
    #[form("add")]
    Add { file: Option<Text> },
}

pub(super) fn plugin(turn: &mut HouseTurn, change: Switched) -> Result<Reply, Unplayed> {
    match change {
        Switched::Enable { id } => Ok(switched(turn, id, true)?),
        Switched::Disable { id } => Ok(switched(turn, id, false)?),
        Switched::Upgrade { id } => upgrade(turn, &id),
        Switched::Add { file } => add(turn, &file.map_or_else(String::new, |file| file.text)),
    }
}

fn switched(turn: &mut HouseTurn, Name(name): Name, on: bool) -> Result<Reply, Refusal> {
    let id = plugin_id(turn, &name)?;
    let manifest = turn.host.plugins.get(&id).expect("its id was just found").manifest();
    let title = &manifest.title;
    if Plugins::are_in(turn.room, manifest) == on {
        let state = if on { "already enabled" } else { "not enabled" };
        return Err(Refusal::new(format!("the plugin {id} is {state} here")).example("plugins"));
    }
    if on {
        turn.host.must_offer(turn.room_id, manifest).map_err(|refusal| refusal.about(name))?;
    }
    let room = Arc::make_mut(turn.room);
    match (manifest.kind, on) {
        (Kind::Game, true) => room.plugins.insert(id.clone()),
        (Kind::Game, false) => room.plugins.remove(&id),
        (Kind::Tool, true) => room.without.remove(&id),
        (Kind::Tool, false) => room.without.insert(id.clone()),
    };
    if on {
        Ok(enabled(turn, manifest, format!("{title} is enabled in this room. ")))
    } else {
        Ok(format!("{title} is disabled in this room; what the table holds of it stays.").into())
    }
}

/// What is said of a game that is enabled now, behind how it came.
pub(super) fn enabled(turn: &HouseTurn, manifest: &Manifest, came: String) -> Reply {
    let reply = Reply::new().text(came).code(format!("{}help {}", turn.room.prefix, manifest.id)).text(" teaches it.");
    match hidden_by(turn.table, manifest).as_slice() {
        [] => reply,
        hidden => reply.text(format!(" Here these are its commands now, and no longer macros: {}.", hidden.join(", "))),
    }
}

pub(super) fn game(turn: &mut HouseTurn, id: Option<Name>) -> Result<Reply, Refusal> {
    let Some(name) = id else {
        return Ok(match &turn.table.main_game {
            Some(id) => format!("The main game is {id}.").into(),
            None => Reply::from("There is no main game: when games share a command, I ask which one you mean."),
        });
    };
    turn.needs(Act::SetTable, "set the main game")?;
    let id = plugin_id(turn, &name.0)?;
    let manifest = turn.host.plugins.get(&id).expect("its id was just found").manifest();
    if manifest.kind == Kind::Tool {
        return Err(Refusal::new(format!("{id} is a tool for any game, and no game")).about(name.0).example("plugins"));
    }
    if !Plugins::are_in(turn.room, manifest) {
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
    let Some(key) = key else { return Ok(room_overview(turn)) };
    if key.0.eq_ignore_ascii_case(PREFIX) {
        return prefix(turn, value);
    }
    let own = RoomSetting::ALL.into_iter().find(|setting| key.0.eq_ignore_ascii_case(setting.key));
    let (game, setting) = match own {
        Some(setting) => (HOUSE.to_owned(), setting.declared()),
        None => {
            let own = RoomSetting::ALL.map(|setting| setting.key).join(", ");
            declared(turn, SettingScope::Room, &key.0, "room", &format!("{PREFIX}, {own}"))?
        }
    };
    let set = turn.room.settings.get(&game).and_then(|set| set.get(&setting.key)).cloned();
    let Some(value) = value else { return Ok(shown(&setting, set)) };
    turn.needs(Act::SetRoom, "change how the room is answered")?;
    let value = match own {
        Some(own) => own.read(&value.text)?,
        None => checked(&setting, &value.text, "room")?,
    };
    let reply = format!("{} is now {value}.", setting.key);
    Arc::make_mut(turn.room).settings.entry(game).or_default().insert(setting.key, value);
    Ok(reply.into())
}

fn prefix(turn: &mut HouseTurn, value: Option<Text>) -> Result<Reply, Refusal> {
    let Some(value) = value else {
        return Ok(Reply::new().text("The prefix here is ").code(turn.room.prefix.clone()).text("."));
    };
    turn.needs(Act::SetRoom, "change how the room is answered")?;
    let prefix = value.text.trim();
    // A character that joins the one before it cannot be part of a prefix.
    let joins = |c: char| is_combining_mark(c) || chat::is_unseen(c) || ('\u{1f3fb}'..='\u{1f3ff}').contains(&c);
    let unfit = |c: char| c.is_alphanumeric() || c.is_whitespace() || c.is_control() || joins(c);
    let marks = |c: char| !unfit(c) && !"/@#-*>\"'".contains(c);
    if prefix.is_empty() || prefix.chars().count() > MOST_PREFIX || !prefix.chars().all(marks) {
        let what = format!("a prefix is 1 to {MOST_PREFIX} marks such as . or !! (not / @ # - * > or quotes)");
        return Err(Refusal::new(what).at(value.at..value.at + value.text.len()).example("room prefix ."));
    }
    if turn.room.prefix == prefix {
        return Ok(Reply::new().text("The prefix here is ").code(prefix).text(" already."));
    }
    Arc::make_mut(turn.room).prefix = prefix.to_owned();
    let name = &turn.host.settings().name;
    let reply = Reply::new().text("The prefix here is now ").code(prefix).text("; ");
    Ok(reply.code(format!("{name}: help")).text(" works always."))
}

/// `!dialect`: the setting of that name, for people who expect it as a command.
pub(super) fn dialect(turn: &mut HouseTurn, name: Option<Text>) -> Result<Reply, Refusal> {
    room(turn, Some(Name(DIALECT.key.to_owned())), name)
}

pub(super) fn table(turn: &mut HouseTurn, key: Option<Name>, value: Option<Text>) -> Result<Reply, Refusal> {
    let Some(key) = key else { return Ok(table_overview(turn)) };
    let own = |key: &str, help: &str, default: &str, kind| Setting {
        key: key.to_owned(),
        help: help.to_owned(),
        default: default.to_owned(),
        kind,
        scope: SettingScope::Table,
    };
    let who = SettingKind::Choice(vec!["anyone".to_owned(), REFEREE.to_owned()]);
    let (game, setting) = match key.0.to_lowercase().as_str() {
        NAME => (None, own(NAME, "what the players call this table", "", SettingKind::Text(MOST_TABLE_NAME))),
        WHO_UNDOES => {
            let help = "who may take back: anyone what is theirs, or the referee alone";
            (Some(HOUSE.to_owned()), own(WHO_UNDOES, help, "anyone", who))
        }
        TIMEZONE => {
            let help = "whose clock is meant by 20:00, such as Europe/Berlin";
            (Some(HOUSE.to_owned()), own(TIMEZONE, help, "UTC", SettingKind::Text(MOST_TABLE_NAME)))
        }
        key if key == MIRROR.key => {
            let values = SettingKind::Choice(vec!["off".to_owned(), "on".to_owned()]);
            (Some(HOUSE.to_owned()), own(MIRROR.key, MIRROR.help, "off", values))
        }
        _ => {
            let own = format!("{NAME}, {WHO_UNDOES}, {TIMEZONE}, {}", MIRROR.key);
            declared(turn, SettingScope::Table, &key.0, "table", &own).map(|(game, each)| (Some(game), each))?
        }
    };
    let Some(value) = value else {
        let set = match &game {
            None => turn.table.name.clone(),
            Some(game) => turn.table.settings.get(game).and_then(|set| set.get(&setting.key)).cloned(),
        };
        return Ok(shown(&setting, set));
    };
    turn.needs(Act::SetTable, "change the table's settings")?;
    let value = checked(&setting, &value.text, "table")?;
    let value = if setting.key == TIMEZONE { zone_name(&value)? } else { value };
    let reply = match game {
        None => format!("The table is now called {value}."),
        Some(_) => format!("{} is now {value}.", setting.key),
    };
    match game {
        None => turn.table_mut().name = Some(value),
        Some(game) => {
            turn.table_mut().settings.entry(game).or_default().insert(setting.key, value);
        }
    }
    Ok(reply.into())
}

/// The name of a time zone as it is written.
fn zone_name(typed: &str) -> Result<String, Refusal> {
    let zone = times::zone(typed);
    let name = zone.as_ref().and_then(|zone| zone.iana_name()).map(str::to_owned);
    name.ok_or_else(|| {
        let what = format!("I know no time zone {typed}: they are called after a city, as in Europe/Berlin");
        Refusal::new(what).about(typed).example(format!("table {TIMEZONE} Europe/Berlin"))
    })
}

/// A value in its canonical form. The refusal of another has an example, if the setting has few values.
fn checked(setting: &Setting, value: &str, command: &str) -> Result<String, Refusal> {
    setting.check(value).map_err(|wrong| match &setting.kind {
        SettingKind::Choice(words) => match words.last() {
            Some(word) => wrong.example(format!("{command} {} {word}", setting.key)),
            None => wrong,
        },
        SettingKind::Number(..) | SettingKind::Text(_) => wrong,
    })
}

/// The setting `key` that an enabled plugin declares for tables or rooms, and the plugin.
fn declared(
    turn: &HouseTurn,
    scope: SettingScope,
    key: &str,
    what: &str,
    own: &str,
) -> Result<(String, Setting), Refusal> {
    let plugins = turn.host.plugins.enabled(turn.room).into_iter().map(|plugin| plugin.manifest());
    let settings = plugins.flat_map(|manifest| manifest.settings.iter().map(|setting| (manifest.id.clone(), setting)));
    let settings: Vec<_> = settings.filter(|(_, setting)| setting.scope == scope).collect();
    let found = settings.iter().find(|(_, setting)| setting.key.eq_ignore_ascii_case(key));
    found.map(|(game, setting)| (game.clone(), (*setting).clone())).ok_or_else(|| {
        let keys: Vec<_> = std::iter::once(own).chain(settings.iter().map(|(_, each)| each.key.as_str())).collect();
        Refusal::new(format!("a {what} has no {key}: it has {}", keys.join(", "))).about(key)
    })
}

fn shown(setting: &Setting, set: Option<String>) -> Reply {
    let value = set.unwrap_or_else(|| setting.default.clone());
    let value = if value.is_empty() { "not set".to_owned() } else { value };
    format!("{}: {value} ({}).", setting.key, setting.help).into()
}

fn room_overview(turn: &HouseTurn) -> Reply {
    let room = &turn.room;
    let plugins = room.plugins.iter().cloned().collect::<Vec<_>>().join(", ");
    let reply = Reply::new().text(format!("Room {}: prefix ", turn.room_id.id)).code(room.prefix.clone());
    let reply = reply.text(format!(", plugins {plugins}, table {}.", room.table));
    let own = RoomSetting::ALL.map(|setting| format!("{} {}", setting.key, setting.of(room)));
    let reply = reply.text(format!(" It has {}.", own.join(", ")));
    let of_plugins = room.settings.iter().filter(|(game, _)| *game != HOUSE);
    with_settings(reply, &of_plugins.map(|(game, set)| (game.clone(), set.clone())).collect())
}

fn table_overview(turn: &HouseTurn) -> Reply {
    let table = &turn.table;
    let name = table.name.clone().unwrap_or_else(|| turn.room.table.to_string());
    let game = table.main_game.as_deref().unwrap_or("none");
    let join = |names: Vec<&str>| if names.is_empty() { "nobody".to_owned() } else { names.join(", ") };
    let referees = join(table.referees.values().map(String::as_str).collect());
    let characters = join(table.characters.values().map(|each| each.name.as_str()).collect());
    let reply = format!("Table {name}: main game {game}, referees {referees}, characters {characters}.");
    with_settings(reply.into(), &table.settings)
}

fn with_settings(reply: Reply, settings: &PluginSettings) -> Reply {
    let all = settings.values().flatten();
    all.fold(reply, |reply, (key, value)| reply.text(format!(" {key}: {value}.")))
}

/// The id of the plugin called `name`.
pub(super) fn plugin_id(turn: &HouseTurn, name: &str) -> Result<String, Refusal> {
    let ids: Vec<_> = turn.host.plugins.manifests().map(|manifest| manifest.id.as_str()).collect();
    let exact = ids.iter().find(|id| id.eq_ignore_ascii_case(name));
    let called = || turn.host.plugins.manifests().find(|manifest| manifest.is_called(name)).map(|found| &*found.id);
    if let Some(id) = exact.copied().or_else(called) {
        return Ok(id.to_owned());
    }
    Err(match suggest(name, ids.iter().copied()) {
        Some(meant) => {
            Refusal::new(format!("there is no plugin {name}: did you mean {meant}?")).about_meant(name, meant)
        }
        None => Refusal::new(format!("there is no plugin {name}: there are {}", ids.join(", "))).about(name),
    })
}
