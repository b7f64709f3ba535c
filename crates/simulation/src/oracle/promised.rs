//! What was promised for later was done: each reminder and each deadline was said.

use super::Oracle;
use super::journal_of::Known;
use crate::net::Net;
use chat::{Repeated, RoomId};

/// The commands that only say something later.
const SAYING: [&str; 2] = ["remind", "deadline"];

impl Oracle {
    /// Checks that what somebody asked to be said later was said, unless it was taken back in between. Everything that
    /// was asked for is due by now.
    pub(super) fn promised(&mut self, net: &Net, room: &RoomId, entries: &[Known]) {
        // A post that may have been repeated already is not said a third time; a second end may lose it.
        let known = net.kind.guarantees().repeated == Repeated::Once || self.ends < 2;
        if !known || self.limited || self.set_back {
            return;
        }
        for Known { entry, text, again, .. } in entries {
            let number = entry.number;
            let undone = entries.iter().any(|known| known.entry.undoes == Some(number));
            if !SAYING.contains(&entry.command.as_str()) || *again || undone || text.is_none() {
                continue;
            }
            let front = format!("{room}/order/{number}/{number}/");
            let said = self.posts.range((net.name.clone(), front.clone())..).next();
            if !said.is_some_and(|((_, key), _)| key.starts_with(&front)) && !net.refused_of(&front) {
                self.wrong(format!("#{number} of {room} was promised, and not done"));
            }
        }
    }
}
