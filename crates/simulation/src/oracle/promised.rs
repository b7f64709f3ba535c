//! What was promised for later was done: each reminder and each deadline was said.

use super::Oracle;
use super::journal_of::{Around, Known, table_of};
use chat::Repeated;
use journal::keys::{self, TableId};
use journal::store::{Memory, Store};

/// The commands that only say something later.
const SAYING: [&str; 2] = ["remind", "deadline"];

impl Oracle {
    /// Checks that what somebody asked to be said later was said, unless it was taken back in between. Everything that
    /// was asked for is due by now.
    pub(super) fn promised(&mut self, around: &Around<'_>, table: &TableId, entries: &[Known], store: &Memory) {
        let Around { net, room, .. } = *around;
        // Where it is said if its room has left, is not looked for.
        if self.linked && self.shared.moved {
            return;
        }
        // A post that may have been repeated already is not said a third time; a second end may lose it.
        let known = net.kind.guarantees().repeated == Repeated::Once || self.ends < 2;
        if !known || self.limited || self.set_back {
            return;
        }
        for Known { entry, text, again, .. } in entries {
            let number = entry.number;
            let undone = entries.iter().any(|known| known.entry.undoes == Some(number));
            // It was erased, or edited into something that came to nothing.
            let gone = text.as_ref().is_none_or(|text| !text.contains(&entry.command));
            if !SAYING.contains(&entry.command.as_str()) || *again || undone || gone {
                continue;
            }
            // It waits for the room, which plays at another table.
            let waits = || store.read(&keys::due(table, number)).is_ok_and(|due| due.is_some());
            if self.linked && table_of(store, room) != *table && waits() {
                continue;
            }
            // In which of the rooms of the table it was asked for, nobody knows who asked in private.
            let nets = if self.linked { around.nets.iter().map(|net| &**net).collect() } else { vec![net] };
            let said = nets.iter().any(|net| {
                let rooms = net.rooms().filter(|other| self.linked || *other == room).chain([room]);
                rooms.into_iter().any(|room| {
                    let front = format!("{room}/order/{number}/{number}/");
                    let said = self.posts.range((net.name.clone(), front.clone())..).next();
                    said.is_some_and(|((_, key), _)| key.starts_with(&front)) || net.refused_of(&front)
                })
            });
            if !said {
                self.wrong(format!("#{number} of {room} was promised, and not done"));
            }
        }
    }
}
