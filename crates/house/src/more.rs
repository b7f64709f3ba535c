//! `!more`: the rest of an answer, on networks where answers must be short.

use chat::{Readers, Recipient, Reply, Trust};
use journal::documents::{RestDoc, from_json};
use journal::keys;
use plugin_api::Refusal;
use table::own::{HouseTurn, Unplayed};

/// The next part of the last long answer here; a private one only for its recipient.
pub(super) fn more(turn: &mut HouseTurn) -> Result<Reply, Unplayed> {
    let room = turn.said_in;
    let own = Recipient::Player(turn.speaker.player.clone());
    for (to, readers) in [(Recipient::Room, Readers::Everybody), (own, Readers::Player)] {
        let key = keys::rest(room, &to);
        let Some(stored) = turn.host.committer().read(&key)? else { continue };
        // A private chat belongs to whoever has the nick; after a restart nobody knows whether that is the same person.
        let alone = turn.in_private && !turn.host.roster.heard_the_cut(room);
        if turn.speaker.trust == Trust::NickOnly && (readers == Readers::Player || alone) {
            let what = "what was left out here was for one reader, and a nick alone does not tell who that is";
            return Err(Refusal::new(what).example("help more").into());
        }
        let blocks = from_json::<RestDoc>(&key, &stored)?.into_blocks();
        turn.effects.writes.delete(key);
        return Ok(Reply { blocks, ..Reply::new().to(readers) });
    }
    Err(Refusal::new("there is nothing more to show here").into())
}
