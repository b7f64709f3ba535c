//! Corrections of refused lines, stored for the player who typed them, who sends one with `!y`.

use super::Table;
use chat::{Block, Message, Span};
use host::Host;
use host::outcome::{Heard, Outcome, OutcomeKind};
use host::quota::Quotas;
use host::redirect::{YES, agreement_of};
use journal::documents::{MendedDoc, to_json};
use journal::keys;
use journal::store::StoreError;

impl Table {
    /// Stores the correction of a message's only line, and says how to send it: for players who have a seat or may have
    /// one. `first` is the id of the message's first version.
    pub(super) fn keep_mended(
        &self,
        host: &Host,
        message: &Message,
        first: &str,
        heard: &mut Heard,
    ) -> Result<(), StoreError> {
        let player = &message.speaker.player;
        let key = keys::mended(&message.room, player);
        let [Outcome { mended: Some(line), reply, .. }] = heard.outcomes.as_mut_slice() else {
            // Whoever agrees now would agree to what an earlier answer showed.
            if heard.outcomes.iter().any(|outcome| outcome.kind == OutcomeKind::Refused)
                && host.committer().read(&key)?.is_some()
            {
                heard.batch.delete(key);
            }
            return Ok(());
        };
        let table = &self.state.doc.doc;
        if message.aside.is_some() || !(table.seats.contains_key(player) || table.has_room()) {
            return Ok(());
        }
        let doc = MendedDoc {
            message: first.to_owned(),
            line: line.clone(),
            reply_to: message.reply_to.clone(),
            table: self.state.id.clone(),
            after: self.ledger(host).last_of_player(player)?,
            seen: None,
        };
        heard.batch.put(key, to_json(&doc));
        let prefix = &self.state.rooms[&message.room].doc.prefix;
        if let Some(Block::Line(words)) = reply.blocks.first_mut() {
            words.push(Span::Text(format!(" ({prefix}{YES} sends it)")));
        }
        reply.numbers = Some(agreement_of(player));
        Ok(())
    }
}
