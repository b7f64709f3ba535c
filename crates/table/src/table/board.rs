//! The posts that show boards, and those that take them back.

use super::Table;
use chat::{Earlier, Message, Post, RoomId, What};
use host::Host;
use host::outcome::{Heard, OnBoard};
use host::outgoing::{Outgoing, Quotes};
use host::room::FORMATTING;
use journal::documents::{BoardDoc, to_json};
use journal::keys;
use journal::store::StoreError;

impl Table {
    /// Posts what a message's outcomes show on boards, and takes back the boards that nobody wants any more.
    pub(super) fn post_boards(&mut self, host: &Host, message: &Message, heard: &mut Heard) -> Result<(), StoreError> {
        if !heard.erased().is_empty() {
            self.show_boards_anew(host, heard)?;
        }
        for (number, room) in std::mem::take(&mut self.left_boards) {
            self.take_back_board(host, &room, |known| known.order == number, heard)?;
        }
        let Some(OnBoard { order, blocks, digest }) = heard.outcomes.iter_mut().find_map(|each| each.board.take())
        else {
            return Ok(());
        };
        let (room, at) = (&message.room, message.heard_at());
        self.take_back_board(host, room, |known| known.order != order, heard)?;
        let known: Option<BoardDoc> = host.read_doc(&keys::board(room))?;
        let key = format!("{room}/board/{order}/{}", at.as_millisecond());
        let (post, what) = match known.filter(|known| known.order == order) {
            Some(known) => (known.post.clone(), What::Correct(Earlier { key: known.post, id: None })),
            None => (key.clone(), What::Say),
        };
        heard.batch.put(keys::board(room), to_json(&BoardDoc { order, post, shown: digest, at }));
        let plain = !FORMATTING.is_on(&self.state.room(host, room)?.doc);
        let post = Post { what, plain, board: true, ..Post::new(key, room.clone(), blocks) };
        let quotes = Quotes::of(&self.state.id, self.state.head.number, &heard.outcomes);
        heard.say(Outgoing::new(post, host.next_number()).quoting(Quotes { entries: None, ..quotes }));
        Ok(())
    }

    /// Lets every board of the table be shown again, because one that waited to be said may have forgotten what it showed.
    fn show_boards_anew(&self, host: &Host, heard: &mut Heard) -> Result<(), StoreError> {
        for room in self.ledger(host).rooms_at(&self.state.id)?.into_keys() {
            let key = keys::board(&room);
            if let Some(board) = host.read_doc::<BoardDoc>(&key)? {
                heard.batch.put(key, to_json(&BoardDoc { shown: String::new(), ..board }));
            }
        }
        Ok(())
    }

    fn take_back_board(
        &self,
        host: &Host,
        room: &RoomId,
        which: impl Fn(&BoardDoc) -> bool,
        heard: &mut Heard,
    ) -> Result<(), StoreError> {
        let known: Option<BoardDoc> = host.read_doc(&keys::board(room))?;
        if let Some(BoardDoc { post, .. }) = known.filter(which) {
            heard.batch.delete(keys::board(room));
            let (key, what) = (format!("{post}/gone"), What::Withdraw(Earlier { key: post, id: None }));
            let post = Post { what, board: true, ..Post::new(key, room.clone(), Vec::new()) };
            heard.say(Outgoing::new(post, host.next_number()));
        }
        Ok(())
    }
}
