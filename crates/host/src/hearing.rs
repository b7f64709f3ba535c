//! Decides whether an event is heard at all, and whether it is for the bot itself rather than for a table.

use crate::route::SaidTo;
use crate::shared::Host;
use chat::pattern;
use chat::{Event, Message, PlayerId, RoomId, Speaker, Trust};
use journal::documents::RoomDoc;
use journal::store::StoreError;
use std::collections::BTreeSet;

impl Host {
    /// True if the sender is on the ignore list.
    pub fn passes_over(&self, event: &Event) -> bool {
        let (Event::Said(message) | Event::Edited { message, .. } | Event::Reacted { message, .. }) = event else {
            return false;
        };
        self.ignores_everywhere(&message.speaker)
    }

    /// True if somebody is ignored in all rooms, or was in one of them since they came there.
    fn ignores_everywhere(&self, speaker: &Speaker) -> bool {
        let everywhere = self.ignored();
        if everywhere.is_empty() {
            return false;
        }
        let Some(pattern) = pattern::about(&everywhere, speaker) else {
            return !everywhere.is_disjoint(&self.roster.ignored_anywhere(&speaker.player));
        };
        for room in self.roster.rooms_of(&speaker.player) {
            self.roster.ignore(&room, &speaker.player, [pattern.clone()]);
        }
        true
    }

    /// True if whoever speaks is ignored in the room: by what matches them now, or by what matched them since they came
    /// there. Logging in or out, or another nick, makes nobody another person.
    pub fn ignores(&self, room: &RoomId, doc: &RoomDoc, speaker: &Speaker) -> bool {
        if let Some(pattern) = pattern::about(&doc.ignored, speaker) {
            self.roster.ignore(room, &speaker.player, [pattern.clone()]);
            return true;
        }
        let before = || self.roster.ignored_in(room, &speaker.player);
        (!doc.ignored.is_empty() && !doc.ignored.is_disjoint(&before())) || self.ignores_everywhere(speaker)
    }

    /// Somebody in the room, who was `from` before, is `to` from now on.
    pub fn goes_on_as(&self, room: &RoomId, from: &PlayerId, to: (&PlayerId, &str, Trust)) {
        let ignored = self.roster.ignored_in(room, from);
        self.roster.leave(room, from);
        self.roster.enter(room, to.0, to.1, to.2);
        if !ignored.is_empty() {
            self.roster.ignore(room, to.0, ignored);
        }
    }

    /// People ignored everywhere: by the configuration, and by the operator's commands.
    pub fn ignored(&self) -> BTreeSet<String> {
        self.settings().ignore.iter().cloned().chain(self.ignored_by_word()).collect()
    }

    /// People ignored everywhere by the operator's commands, as stored.
    pub fn ignored_by_word(&self) -> BTreeSet<String> {
        self.ignored.read().expect("nothing panics holding it").clone()
    }

    /// Replaces that list, once it is stored.
    pub fn ignore_by_word(&self, patterns: BTreeSet<String>) {
        *self.ignored.write().expect("nothing panics holding it") = patterns;
    }

    /// An owner's command to the bot itself, which follows `word`, if the message is one: in a private chat, or in one
    /// of the operator's rooms.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn asked_of_the_bot(&self, message: &Message, word: &str) -> Result<Option<String>, StoreError> {
        let settings = self.settings();
        let Speaker { player, trust, .. } = &message.speaker;
        let theirs = message.private || settings.admin_rooms.contains(&message.room);
        if !theirs || *trust != Trust::Account || !settings.owners.contains(player) {
            return Ok(None);
        }
        let prefix = self.prefix_of(&message.room)?;
        let lines = self.router.lines(&message.body, &prefix, SaidTo::of(message), None);
        let first = lines.first().filter(|line| line.word().0 == word);
        Ok(first.map(|line| line.typed[word.len()..].trim().to_owned()))
    }
}
