//! What a command may do: never more than everybody may whose words it is made of.
//!
//! Who typed it is one of them. Who named a macro or a variable that it holds is another, and of words of which nobody
//! knows whose they are, a player without any right. Everything that asks what somebody may do asks here, and what is not
//! known is not allowed.

use crate::host::Host;
use chat::{Message, PlayerId, Speaker, Standing, Trust};
use journal::Entry;
use journal::documents::TableDoc;
use plugin_api::Role;
use std::cell::Cell;
use std::collections::BTreeSet;

/// The rights of a command on its way.
pub(crate) struct Rights<'a> {
    speaker: &'a Speaker,
    role: Role,
    words: Words,
    place: Place,
    /// Entries up to here need not be the speaker's, though they are their id's: a nick may have had another owner.
    since: u64,
    took: Cell<Role>,
}

/// Whose words a command is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Words {
    /// All are the speaker's.
    Own,
    /// Some are somebody else's.
    Mixed,
}

/// Where it was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Room,
    /// In a private chat with the bot.
    Alone,
}

impl<'a> Rights<'a> {
    /// Those of who sent `message`, at a table of this document.
    pub fn of(host: &Host, doc: &TableDoc, message: &'a Message) -> Self {
        let speaker = &message.speaker;
        let since = match speaker.trust {
            Trust::Account => 0,
            Trust::NickOnly => host.roster.met(&message.room, &speaker.player).map_or(u64::MAX, |met| met.since),
        };
        let role = role(doc, speaker, &host.settings().owners);
        let place = if message.private { Place::Alone } else { Place::Room };
        Rights { speaker, role, words: Words::Own, place, since, took: Cell::new(Role::Player) }
    }

    /// Words that `author` named are part of it from now on; nobody knows who named the words of old tables.
    pub fn with_words_of(&mut self, doc: &TableDoc, author: Option<&PlayerId>) {
        let own = author == Some(&self.speaker.player);
        if !own {
            self.words = Words::Mixed;
        }
        // Whoever has a bare nick now need not be who named it.
        if !own || self.speaker.trust == Trust::NickOnly {
            self.no_more_than(doc, author);
        }
    }

    /// It does nothing that `other` may not do.
    pub fn no_more_than(&mut self, doc: &TableDoc, other: Option<&PlayerId>) {
        self.role = self.role.min(role_of(doc, other));
    }

    /// Whether it may do what takes this role. If so, it took it: nobody with less takes it back.
    pub fn may(&self, needed: Role) -> bool {
        let may = self.role >= needed;
        if may {
            self.took(needed);
        }
        may
    }

    /// It took this role.
    pub fn took(&self, role: Role) {
        self.took.set(self.took.get().max(role));
    }

    /// The highest role that it took.
    pub fn taken(&self) -> Role {
        self.took.get()
    }

    /// The role that it has, for a game, whose turn says what it took of it.
    pub fn role(&self) -> Role {
        self.role
    }

    /// All its words are those of who speaks.
    pub fn are_of_one(&self) -> bool {
        self.words == Words::Own
    }

    /// Whether what is `player`'s is its to act on.
    pub fn is(&self, player: &PlayerId) -> bool {
        self.are_of_one() && self.speaker.player == *player
    }

    /// Whether an entry is its own to act on.
    pub fn made(&self, entry: &Entry) -> bool {
        self.is(&entry.player) && entry.number > self.since
    }

    /// Whether it reads an entry that is secret: only its player and the referees do. While there is none everybody may give
    /// a referee's commands, and yet read no secrets; nor may a room's admin, who can become a referee openly.
    pub fn reads(&self, doc: &TableDoc, entry: &Entry) -> bool {
        self.made(entry) || (self.are_of_one() && self.is_named_referee(doc))
    }

    /// Whether it may show what others keep secret: as a referee by name, or where there is none as an admin of the room; not
    /// by a nick alone.
    pub fn discloses(&self, doc: &TableDoc) -> bool {
        let needed = if doc.referees.is_empty() { Role::Admin } else { Role::Referee };
        // Who runs the room does so by the network's word, whatever their nick; a private chat is run by whoever has the nick.
        let runs_the_room = self.speaker.standing == Standing::Admin && self.place == Place::Room;
        let known = self.speaker.trust == Trust::Account || runs_the_room;
        known && self.may(needed)
    }

    fn is_named_referee(&self, doc: &TableDoc) -> bool {
        self.speaker.trust == Trust::Account && doc.referees.contains_key(&self.speaker.player)
    }
}

/// What `speaker` may do here. Rights follow an account, never a bare nick.
pub(crate) fn role(doc: &TableDoc, speaker: &Speaker, owners: &BTreeSet<PlayerId>) -> Role {
    let known = speaker.trust == Trust::Account;
    if known && owners.contains(&speaker.player) {
        Role::Owner
    } else if matches!(speaker.standing, Standing::Admin | Standing::Operator) {
        Role::Admin
    } else if doc.referees.is_empty() || (known && doc.referees.contains_key(&speaker.player)) {
        // While no referee is set, everybody may give a referee's commands.
        Role::Referee
    } else {
        Role::Player
    }
}

/// What somebody may do here who does not speak, so that no network says what they are.
pub(crate) fn role_of(doc: &TableDoc, player: Option<&PlayerId>) -> Role {
    let referee = doc.referees.is_empty() || player.is_some_and(|player| doc.referees.contains_key(player));
    if referee { Role::Referee } else { Role::Player }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id() -> PlayerId {
        PlayerId::new("n", "1")
    }

    #[test]
    fn rights_follow_accounts() {
        let mut doc = TableDoc::default();
        let mut speaker = Speaker {
            player: id(),
            name: "Gus".into(),
            standing: Standing::Member,
            trust: Trust::NickOnly,
            reachable: true,
            address: String::new(),
        };
        let owners = BTreeSet::from([id()]);
        assert_eq!(role(&doc, &speaker, &owners), Role::Referee, "while there is none");
        doc.referees.insert(id(), "Gus".into());
        assert_eq!(role(&doc, &speaker, &BTreeSet::new()), Role::Player);
        assert_eq!(role(&doc, &speaker, &owners), Role::Player);
        speaker.trust = Trust::Account;
        assert_eq!(role(&doc, &speaker, &BTreeSet::new()), Role::Referee);
        assert_eq!(role(&doc, &speaker, &owners), Role::Owner);
        speaker.standing = Standing::Admin;
        assert_eq!(role(&doc, &speaker, &BTreeSet::new()), Role::Admin);
    }
}
