//! Decides whether an event is heard at all, and whether it is for the bot itself rather than for a table.

use crate::host::Host;
use crate::pattern;
use crate::route::SaidTo;
use chat::{Event, Message, Speaker, Trust};
use journal::store::StoreError;
use std::collections::BTreeSet;

impl Host {
    /// True if the sender is on the ignore list.
    pub fn passes_over(&self, event: &Event) -> bool {
        let (Event::Said(message) | Event::Edited { message, .. } | Event::Reacted { message, .. }) = event else {
            return false;
        };
        let told = self.ignored.read().expect("nothing panics holding it");
        pattern::about(&told, &message.speaker).is_some()
            || pattern::about(&self.settings().ignore, &message.speaker).is_some()
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
