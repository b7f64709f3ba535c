//! `astragal export`, `astragal verify`, `astragal import`: journals as files.

use crate::backup::between_commits;
use crate::config::Config;
use crate::examine::claimed;
use crate::fresh::{self, Part, must_be_free};
use crate::game_files::{self, with_the_program};
use crate::out::{out, say};
use crate::packed::Form;
use crate::place::Home;
use crate::request::{Journal, Request};
use crate::store::{Playing, Wait};
use crate::{ask, check, lines, place, store};
use anyhow::{Context, bail};
use bot::Bot;
use chat::{Clock, RoomId, SystemClock, clean, cut};
use house::book::{self, Told};
use journal::Entropy;
use journal::documents::{GameDoc, from_json};
use journal::export::{self, Exported};
use journal::keys::{self, TableId};
use journal::moving::{self, Laid, Moved};
use journal::store::Store;
use plugin_api::SavedState;
use std::fs::File;
use std::io::{self, BufRead, BufWriter, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store_sled::{ClaimError, DataDir};
use table::{Plugins, Settings};

/// Characters of a table's name that are shown: the longest room id on any network.
const LONGEST_NAME: usize = 300;
/// Characters of the chain's head shown in a question.
const HEAD: usize = 16;

/// Writes a table's journal to a new file: of a running bot through its socket, otherwise from its store.
pub fn export(home: &Home, room: &str, file: &Path, kind: Journal) -> anyhow::Result<()> {
    must_be_free(file)?;
    place::must_hold_data(home)?;
    let part = Part::of(file);
    match DataDir::claim(&home.data) {
        Ok(data) => {
            check::check_in_child(&data, home)?;
            let store = store::of_stopped(&data, &home.kept)?;
            // Nobody knows the names that people see of rooms, except a running bot.
            let table = meant(&*store, room, &[])?;
            write_file(&*store, &table, kind, part.create_as_typed()?, file)?;
        }
        Err(ClaimError::Held(_)) => {
            let mut made = part.create_as_typed()?;
            let request = Request::Export { room: room.to_owned(), kind };
            ask::fetch(&home.data, &request, Form::Plain, &mut made)?;
            made.sync_all().with_context(|| format!("{} cannot be written", file.display()))?;
        }
        Err(error) => return Err(error.into()),
    }
    part.place()?;
    say(&match kind {
        Journal::Text | Journal::Story | Journal::Page => format!("written to {}", file.display()),
        Journal::Proof => format!("written to {0}; anybody can check it: astragal verify {0}", file.display()),
        Journal::Move => format!(
            "written to {0}, with seeds and secrets: keep it to yourself. Where the table moves to: astragal import {0} \
             ROOM. What is played here from now on is not in it",
            file.display()
        ),
    })
}

/// Writes a table's journal to `file` while the bot runs. `shown` are the rooms that people call `room`.
pub async fn of_running(
    bot: &Bot,
    room: String,
    shown: Vec<RoomId>,
    kind: Journal,
    file: PathBuf,
) -> anyhow::Result<()> {
    let made = fresh::replace(&file)?;
    between_commits(bot, move |store| {
        let table = meant(store, &room, &shown)?;
        write_file(store, &table, kind, made, &file)
    })
    .await
}

/// The table that `room` means: by an id or a table's name, or else by the name that people see.
fn meant(store: &dyn Store, room: &str, shown: &[RoomId]) -> anyhow::Result<TableId> {
    let ids = |ids: Vec<String>| ids.join(", ");
    let tables = match moving::table_called(store, room)? {
        Ok(table) => return Ok(table),
        Err(tables) if tables.is_empty() => bail!("nothing was played yet, in no room"),
        Err(tables) => tables,
    };
    match shown {
        [] => bail!("which table is {room}? There are {}", ids(tables.iter().map(ToString::to_string).collect())),
        [only] => Ok(moving::table_called(store, &only.to_string())?.unwrap_or_else(|_| TableId::of(only))),
        several => bail!(
            "{} rooms are called {room}: name one by its id, which is {}",
            several.len(),
            ids(several.iter().map(ToString::to_string).collect())
        ),
    }
}

fn write_file(store: &dyn Store, table: &TableId, kind: Journal, made: File, file: &Path) -> anyhow::Result<()> {
    let exported = Exported::of(table, |keys| store.read_many(keys))?;
    let exported = exported.with_context(|| format!("nothing was played at {table} yet"))?;
    let failed = || format!("{} cannot be written", file.display());
    let mut out = BufWriter::new(made);
    let now = SystemClock.now();
    match kind {
        Journal::Proof => export::write(&exported, now, &mut out)?,
        Journal::Text => export::write_text(&exported, &mut out)?,
        Journal::Story => book::write(&exported, &played_at(store, table)?, Told::Markdown, &mut out)?,
        Journal::Page => book::write(&exported, &played_at(store, table)?, Told::Html, &mut out)?,
        Journal::Move => export::write_all(&exported, store, now, &mut out)?,
    };
    out.into_inner().map_err(|error| error.into_error()).and_then(|file| file.sync_all()).with_context(failed)
}

/// The games with which a table plays: those of the program, and the files that it keeps.
fn played_at(store: &dyn Store, table: &TableId) -> anyhow::Result<Plugins> {
    let mut plugins = game_files::that_tables_keep(house::with_plugins(with_the_program(None))?);
    for (key, doc) in store.scan(&keys::games(table), None, usize::MAX)? {
        let (id, GameDoc { version, state, .. }) = (keys::game_of_key(table, &key), from_json(&key, &doc)?);
        let id = id.filter(|id| plugins.get(id).is_none_or(|known| known.is_a_file()));
        // What cannot be read any more is told as that of a game that nobody knows.
        let with = id.and_then(|id| plugins.with_kept(&id, &SavedState { version, state }).ok()?);
        plugins = with.unwrap_or(plugins);
    }
    Ok(plugins)
}

/// Verifies an export and reports the result.
pub fn verify(files: &[PathBuf], head: Option<&str>) -> anyhow::Result<()> {
    let mut read: Box<dyn BufRead> = Box::new(io::empty());
    for file in files {
        read = Box::new(read.chain(lines::open_watched(file, lines::OF_A_JOURNAL, "reading")?));
    }
    let names = files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(" and ");
    let verdict = export::verify(&mut read, |_| {}).and_then(|verdict| verdict.ends_in(head));
    let verdict = verdict
        .with_context(|| format!("{names} {}", if files.len() == 1 { "does not hold" } else { "do not hold" }))?;
    let (header, found) = (verdict.header, verdict.verifier);
    say(&format!("{names}: the journal of {} holds, #1 to #{}", quoted(&header.table), found.last))?;
    let seeds: Vec<_> = header.seeds.keys().map(u32::to_string).collect();
    if seeds.is_empty() {
        say("  no seed is published yet, so no die can be rolled again; a referee publishes it with fair reveal")?;
    } else {
        say(&format!(
            "  dice rolled again, all with the same result: {} (seeds of epochs {})",
            found.dice,
            seeds.join(", ")
        ))?;
    }
    let counts = [
        (found.unproved, "rolls that no published seed can prove yet"),
        (found.secret, "secret entries, of which only digests are there"),
        (found.partly, "entries of which some changes are withheld"),
        (found.erased, "entries whose text was erased"),
        (found.older, "entries that an older astragal wrote, whose references and repeated messages nobody checked"),
        (found.skipped, "numbers left out after a crash, as the journal says itself"),
    ];
    for (count, what) in counts.iter().filter(|(count, _)| *count > 0) {
        say(&format!("  {what}: {count}"))?;
    }
    let compared = match head {
        Some(_) => "it is the one that you gave",
        None => "compare it with the one that the room saw (--head HASH), or entries may be missing at the end",
    };
    say(&format!("  chain head {}: {compared}", found.head()))
}

/// A stopped bot: its data and the operator's settings.
pub struct Stopped<'a> {
    pub config: &'a Config,
    pub home: &'a Home,
}

impl Stopped<'_> {
    /// Opens its store; also returns the named room and the operator's settings.
    fn open(&self, room: &str) -> anyhow::Result<(Arc<dyn Store>, RoomId, Settings, DataDir)> {
        let room = RoomId::try_from(room.to_owned())
            .map_err(|_| anyhow::anyhow!("{room} is no room: give network and room, such as console/hall"))?;
        let data = claimed(self.home)?;
        check::check_in_child(&data, self.home)?;
        let Playing { store, .. } = store::open(&data, self.config, Wait::Briefly)?;
        Ok((store, room, self.config.settings(), data))
    }
}

/// Whether the operator agrees to what is shown first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consent {
    /// Ask them.
    Asked,
    /// They agreed in advance.
    Given,
}

/// Stores an exported table and seats a room at it.
pub fn import(here: &Stopped<'_>, file: &Path, room: &str, consent: Consent) -> anyhow::Result<()> {
    let moved = Moved::read(&mut lines::open_watched(file, lines::OF_A_JOURNAL, "reading")?)
        .with_context(|| format!("{} cannot be imported", file.display()))?;
    let (store, room, settings, _data) = here.open(room)?;
    let offered = |plugin: &str| settings.offers(&room, plugin);
    let laid = match moved.lay(&store, &room, settings.fresh_room(&room), offered, &mut Entropy::from_system())? {
        Ok(laid) => laid,
        Err(table) => bail!("that table is here already: astragal seat {room} {}", quoted(table)),
    };
    tell_of(&moved, &settings, &room)?;
    seat_if_meant(&store, &room, &laid, consent)?;
    say(&format!("the table's dice begin epoch {}", moved.next_epoch()))
}

/// Describes the content of a file, so that somebody can decide whether it is what they were promised.
fn tell_of(moved: &Moved, settings: &Settings, room: &RoomId) -> anyhow::Result<()> {
    let named = |text: &str| clean(text).into_owned();
    let header = &moved.header;
    let name = quoted(header.name.clone().unwrap_or_else(|| header.table.to_string()));
    say(&format!("{name}, #1 to #{}, chain head {}…: {room} will sit at it.", header.last, &header.head[..HEAD]))?;
    let referees: Vec<_> =
        moved.referees.iter().map(|(id, name)| format!("{} ({})", named(name), named(&id.to_string()))).collect();
    let referees = if referees.is_empty() { "nobody".to_owned() } else { referees.join(", ") };
    say(&format!("  who runs the game: {referees}"))?;
    let published: Vec<_> = moved.published.iter().map(u32::to_string).collect();
    let published = if published.is_empty() { "none".to_owned() } else { published.join(", ") };
    say(&format!("  epochs of its dice: {}; seeds published: {published}", header.seeds.len()))?;
    for (from, to) in &moved.gaps {
        say(&format!("  left out after a crash: #{from} to #{to}"))?;
    }
    let (offered, kept_out): (Vec<_>, Vec<_>) =
        moved.plugins()?.into_iter().partition(|plugin| settings.offers(room, plugin));
    let names = |some: Vec<String>| some.iter().map(|name| named(name)).collect::<Vec<_>>().join(", ");
    say(&format!("  games enabled with it: {}", names(offered)))?;
    match kept_out.is_empty() {
        true => Ok(()),
        false => say(&format!("  not enabled, since rooms.allowed does not have them: {}", names(kept_out))),
    }
}

/// Seats a room at another table of the store.
pub fn seat(here: &Stopped<'_>, room: &str, table: &str, consent: Consent) -> anyhow::Result<()> {
    place::must_hold_data(here.home)?;
    let (store, room, settings, _data) = here.open(room)?;
    let all = moving::tables(&store)?;
    let Some(table) = all.iter().find(|each| each.to_string() == table) else {
        let names: Vec<_> = all.iter().map(quoted).collect();
        bail!("there is no table {table}; there are {}", names.join(", "));
    };
    seat_if_meant(&store, &room, &moving::seat(&store, &room, table, settings.fresh_room(&room))?, consent)
}

/// Commits it after consent.
fn seat_if_meant(store: &dyn Store, room: &RoomId, laid: &Laid, consent: Consent) -> anyhow::Result<()> {
    let last = moving::last_entry(store, &laid.left)?;
    if last > 0 {
        say(&format!(
            "Its table so far, {}, is kept up to #{last}; astragal seat brings {room} back to it.",
            quoted(&laid.left)
        ))?;
    }
    if consent == Consent::Asked && !confirmed()? {
        bail!("nothing was changed");
    }
    store.commit(&laid.batch)?;
    say(&format!("{room} sits at {} now", quoted(&laid.table)))
}

/// A table's name in quotes: whoever wrote its file chose the name, and could choose a sentence.
pub fn quoted(table: impl ToString) -> String {
    let name = table.to_string();
    let name = cut(&clean(&name), LONGEST_NAME).into_owned();
    if name.contains(char::is_whitespace) { format!("{name:?}") } else { name }
}

/// Asks at the terminal.
fn confirmed() -> anyhow::Result<bool> {
    anyhow::ensure!(std::io::stdin().is_terminal(), "there is no terminal to confirm it in: add --yes");
    write!(out(), "Do it? Type yes: ")?;
    out().flush()?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    Ok(answer.trim().eq_ignore_ascii_case("yes"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use journal::documents::{TableDoc, to_json};
    use journal::store::{Batch, Memory};

    #[test]
    fn a_room_is_found_by_its_id_first_and_else_by_the_name_that_people_see() {
        let store = Memory::default();
        let rooms = ["!a:x", "!b:x", "tavern"].map(|id| RoomId::new("home", id));
        let mut batch = Batch::default();
        for room in &rooms {
            batch.put(journal::keys::doc(&TableId::of(room)), to_json(&TableDoc::default()));
        }
        store.commit(&batch).unwrap();
        let [a, b, tavern] = rooms;
        let found = |name: &str, shown: &[&RoomId]| {
            let shown: Vec<_> = shown.iter().map(|room| (*room).clone()).collect();
            meant(&store, name, &shown).map(|table| table.to_string()).map_err(|error| error.to_string())
        };
        assert_eq!(found("The Inn", &[&b]), Ok("home/!b:x".to_owned()));
        assert_eq!(found("Tavern", &[&a]), Ok(tavern.to_string()), "an id is what it always was");
        let several = "2 rooms are called The Inn: name one by its id, which is home/!a:x, home/!b:x";
        assert_eq!(found("The Inn", &[&a, &b]), Err(several.to_owned()));
        let none = found("The Inn", &[]).unwrap_err();
        assert!(none.starts_with("which table is The Inn? There are ") && none.contains("home/!a:x"), "{none}");
    }
}
