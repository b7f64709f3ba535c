//! `astragal tables`: the tables and the rooms at them.

use crate::backup::between_commits;
use crate::export::quoted;
use crate::out::{columns, out, say};
use crate::place::{self, Home};
use crate::request::Request;
use crate::{ask, check, examine, fresh, store};
use bot::Bot;
use journal::moving;
use journal::store::Store;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::PathBuf;
use store_sled::{ClaimError, DataDir};

/// A table.
#[derive(Debug, Serialize, Deserialize)]
struct Table {
    table: String,
    last: u64,
    rooms: Vec<String>,
}

/// Lists the tables: of a running bot through its socket, otherwise from its store.
pub fn tables(home: &Home) -> anyhow::Result<()> {
    place::must_hold_data(home)?;
    let tables = match DataDir::claim(&home.data) {
        Err(ClaimError::Held(_)) => ask::told(&home.data, &Request::Tables)?,
        claimed => {
            let data = claimed?;
            examine::tidied(home);
            check::check_in_child(&data, home)?;
            of(&*store::of_stopped(&data, &home.kept)?)?
        }
    };
    print(&tables)
}

/// Writes the tables of a running bot to `file`.
pub async fn of_running(bot: &Bot, file: PathBuf) -> anyhow::Result<()> {
    let mut made = fresh::replace(&file)?;
    between_commits(bot, move |store| Ok(made.write_all(&serde_json::to_vec(&of(store)?)?)?)).await
}

fn of(store: &dyn Store) -> anyhow::Result<Vec<Table>> {
    let seatings = moving::seatings(store)?;
    let mut tables = Vec::new();
    for table in moving::tables(store)? {
        let here = seatings.iter().filter(|(_, seat)| *seat == table);
        let rooms = here.map(|(room, _)| room.to_string()).collect();
        tables.push(Table { table: quoted(&table), last: moving::last_entry(store, &table)?, rooms });
    }
    Ok(tables)
}

fn print(tables: &[Table]) -> anyhow::Result<()> {
    let row = |each: &Table| [each.table.clone(), format!("#{}", each.last), each.rooms.join(", ")];
    let rows: Vec<_> = tables.iter().map(row).collect();
    if out().is_terminal() {
        return say(&columns(["Table", "Last entry", "Rooms"], &rows));
    }
    rows.iter().try_for_each(|[table, last, rooms]| {
        let rooms = if rooms.is_empty() { String::new() } else { format!(", rooms {rooms}") };
        say(&format!("{table}: {last}{rooms}"))
    })
}
