//! Messages taken back: their words are erased and their answers withdrawn, whatever their outcome was.

use super::{Answering, Said, Table};
use chat::{Earlier, Guarantees, Message, PlayerId, Post, Recipient, RoomId, Standing, Unaccepted, What};
use host::Host;
use host::budget::MOST_LINES;
use host::outcome::{Heard, OutcomeKind};
use journal::documents::{InboxRow, MendedDoc, to_json};
use journal::store::StoreError;
use journal::{Page, keys};
use std::collections::BTreeSet;

impl Table {
    /// Hears in `message` that the message `of` is taken back: erases what it made, as far as the sender may, and
    /// withdraws its answers.
    pub(super) fn hear_taken_back(
        &mut self,
        host: &Host,
        message: &Message,
        of: &str,
        network: Guarantees,
    ) -> Result<Heard, StoreError> {
        let key = keys::inbox(message.said_in(), of);
        let row: Option<InboxRow> = host.read_doc(&key)?;
        let entries = match &row {
            Some(InboxRow::Played { entries, table, .. })
                if table.as_ref().is_none_or(|table| *table == self.state.id) =>
            {
                entries.clone()
            }
            None => host.played_long_ago(&self.state.id, message, of)?,
            Some(_) => Vec::new(),
        };
        let pages = entries.iter().map(|number| self.ledger(host).page(*number));
        let pages: Vec<Page> = pages.filter_map(Result::transpose).collect::<Result<_, _>>()?;
        // What one line made is erased together. If there are more lines, the first ones are versions that the last replaced,
        // and are erased with it.
        let lines: Vec<&[Page]> = pages.chunk_by(|before, page| page.entry.continues(&before.entry)).collect();
        let lines = &lines[lines.len().saturating_sub(MOST_LINES)..];
        let room = self.state.room(host, &message.room)?.doc.clone();
        let body = lines.iter().map(|line| format!("{}erase #{}\n", room.prefix, line[0].number())).collect();
        // Wherever it was said, it is erased in its own room; this does not mean that the person is there.
        let mut asked = Message { body, aside: None, absent: true, ..message.clone() };
        if room.table != self.state.id {
            // Who runs a room runs no table that it has left.
            asked.speaker.standing = Standing::Member;
        }
        let kept = keys::inbox(message.said_in(), &message.id);
        let lines = self.lines_of(host, &asked)?;
        let said = Said { message: &asked, lines: &lines };
        let mut heard = self.hear_message(host, said, vec![kept.clone()], Answering::Nothing, network)?;
        if heard.outcomes.is_empty() && network.unaccepted == Unaccepted::ComeAgain {
            // On a network that redelivers, what it takes back may have been edited into something that was played.
            let heard_before = InboxRow::Refused { lines: Vec::new(), by: Some(message.speaker.player.clone()) };
            heard.batch.put(kept, to_json(&heard_before));
        }
        // Nor can its correction be sent with `!y` any more, also if it was edited since to something that was played.
        let by = match &row {
            Some(InboxRow::Refused { by, .. } | InboxRow::Played { by, .. }) => by.as_ref(),
            _ => None,
        };
        let mended = keys::mended(message.said_in(), by.unwrap_or(&message.speaker.player));
        if host.read_doc::<MendedDoc>(&mended)?.is_some_and(|mended| mended.message == of) {
            heard.batch.delete(mended);
        }
        if let Some(InboxRow::Refused { by, .. }) = row {
            heard.batch.put(key, to_json(&InboxRow::Refused { lines: Vec::new(), by }));
            self.withdraw_answers(host, message, of, &mut heard);
            return Ok(heard);
        }
        let erased = heard.outcomes.iter().any(|outcome| outcome.kind == OutcomeKind::Played)
            || pages.iter().all(|page| page.link.fate.erased_by.is_some());
        if erased && !pages.is_empty() {
            // An edit's answer replaced the one to the first version.
            let first = pages.first().filter(|page| page.entry.key.id != of);
            let first = first.map(|page| self.first_of_its_player(host, page)).transpose()?.flatten();
            let ids = [Some(of), first.as_deref()];
            ids.into_iter().flatten().for_each(|of| self.withdraw_answers(host, message, of, &mut heard));
        }
        // What made no entry, or amended that of another message, is known by its lines all the same.
        if let Some(InboxRow::Played { entries, table, by, .. }) = row
            && erased
            && (!pages.is_empty() || entries.is_empty())
        {
            heard.batch.put(key, to_json(&InboxRow::Played { lines: Vec::new(), entries, table, by }));
        }
        Ok(heard)
    }

    /// The message that an entry is a version of, unless that is another player's, who was amended.
    fn first_of_its_player(&self, host: &Host, page: &Page) -> Result<Option<String>, StoreError> {
        let mut next = Some(page.clone());
        while let Some(version) = next {
            if version.entry.player != page.entry.player {
                return Ok(None);
            }
            next = version.entry.replaces.map(|first| self.ledger(host).page(first)).transpose()?.flatten();
        }
        Ok(Some(page.entry.key.id.clone()))
    }

    /// Withdraws the answers to the message with this id, public and private ones.
    fn withdraw_answers(&self, host: &Host, message: &Message, of: &str, heard: &mut Heard) {
        let room = message.said_in();
        let everybody = room.to_string();
        let prefix = keys::answers_to(room, of);
        let said_to = host.committer().stored(&prefix).filter_map(|record| keys::answered(&prefix, &record.ok()?.0));
        // The room may have got an answer though nothing says so yet. The apology for a message that was not played has
        // a key of its own, and stays.
        let said_to = said_to.filter(|to| !to.starts_with(keys::SORRY));
        let said_to: BTreeSet<String> = said_to.chain([everybody.clone()]).collect();
        for to in said_to {
            let said = Earlier { key: format!("{room}/{of}/{to}"), id: None };
            let (what, answers) = (What::Withdraw(said), Some(of.to_owned()));
            let key = format!("{room}/{}/withdrawn/{of}/{to}", message.id);
            let (room, to) = match (PlayerId::try_from(to.clone()), room_called(&to)) {
                (_, Some(other)) => (other, Recipient::Room),
                (Ok(player), None) if player.network == room.network => (room.clone(), Recipient::Player(player)),
                // A referee who was told in another room.
                (Ok(player), None) => (RoomId::new(&player.network, &player.id), Recipient::Player(player)),
                (Err(_), None) => continue,
            };
            self.announce(host, Post { to, what, answers, ..Post::new(key, room, Vec::new()) }, heard);
        }
    }
}

/// Parses a written room id; a written player id has a `:` after the network.
fn room_called(written: &str) -> Option<RoomId> {
    let (network, id) = written.split_once('/')?;
    (!network.contains(':')).then(|| RoomId::new(network, id))
}
