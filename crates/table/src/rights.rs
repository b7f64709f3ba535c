//! What a command may do: never more than everybody may whose words it is made of.
//!
//! Who typed it is one of them. Who named a macro or a variable that it holds is another, and of words of which nobody
//! knows whose they are, a player without any right. Everything that asks what somebody may do asks here, and what is not
//! known is not allowed: each act is in one list, [`Act`], and what it takes in one place, [`Rights::takes`].

use crate::host::Host;
use chat::{Message, PlayerId, Speaker, Standing, Trust};
use journal::documents::TableDoc;
use journal::{Entry, HOUSE, Place};
use plugin_api::{CharacterId, Role};
use std::cell::Cell;
use std::collections::BTreeSet;

/// The rights of a command on its way.
pub(crate) struct Rights<'a> {
    speaker: &'a Speaker,
    role: Role,
    words: Words,
    said: Said,
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
enum Said {
    InTheRoom,
    /// In a private chat with the bot.
    Alone,
}

/// What a command is about to do that not everybody may.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Act<'a> {
    /// Give a command that is declared for this role.
    Give(Role),
    /// Change anything of the table that is no game's, or show or erase something, by the table's own commands.
    ChangeTheTable,
    /// Erase all that one ever typed.
    ForgetOwn,
    /// Play a character, go on with their rolls, take what they are offered.
    PlayAs(CharacterId),
    /// Count what a character may choose as one's own to choose.
    AnswerFor(CharacterId),
    /// Bring a new character in by acting for them.
    BringIn,
    /// Make, bind and free characters.
    KeepCharacters,
    /// Take a seat where all are taken.
    SitAtAFullTable,
    /// Read an entry that is secret.
    Read(&'a Entry),
    /// Show what others keep secret.
    Disclose,
    /// Undo anything at this table.
    Undo,
    /// Take an entry back.
    TakeBack(&'a Entry),
    /// Put a place back to what it was before an entry that is taken back.
    PutBack(&'a Place),
    /// Make somebody a referee.
    NameReferee,
    /// Dismiss a referee.
    Dismiss(&'a PlayerId),
    /// Change the table's settings and its main game.
    SetTable,
    /// Begin or end a scene.
    BeginScene,
    /// Name a variable or a macro for everybody.
    NameForTable,
    /// Publish the seed of the dice.
    PublishSeed,
    /// Bind a seed that so many have bound that nobody else may.
    BindBeyondTheLimit,
    /// Change how the room is answered.
    SetRoom,
    /// Erase the words of an entry.
    Erase(&'a Entry),
    /// Erase everybody's words that are old.
    EraseOlder,
}

/// What an act takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    /// It is theirs to do.
    Nothing,
    /// At least this role.
    Role(Role),
    /// Somebody else: no role allows it.
    Another,
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
        let said = if message.private { Said::Alone } else { Said::InTheRoom };
        Rights { speaker, role, words: Words::Own, said, since, took: Cell::new(Role::Player) }
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

    /// Whether it may do this at a table of this document. If that takes a role, it took it: nobody with less takes it back.
    pub fn may(&self, doc: &TableDoc, act: Act<'_>) -> bool {
        match self.takes(doc, act) {
            Takes::Nothing => true,
            Takes::Role(needed) => {
                let may = self.role >= needed;
                if may {
                    self.took(needed);
                }
                may
            }
            Takes::Another => false,
        }
    }

    /// What an act takes of who does it.
    pub fn takes(&self, doc: &TableDoc, act: Act<'_>) -> Takes {
        let own_or = |own: bool, otherwise: Takes| if own { Takes::Nothing } else { otherwise };
        let owner = |character: CharacterId| doc.characters.get(&character).and_then(|each| each.owner.as_ref());
        match act {
            Act::Give(role) => Takes::Role(role),
            Act::ChangeTheTable | Act::ForgetOwn => own_or(self.are_of_one(), Takes::Another),
            Act::PlayAs(character) => {
                own_or(owner(character).is_some_and(|owner| self.is(owner)), Takes::Role(Role::Referee))
            }
            Act::AnswerFor(character) => match owner(character) {
                Some(owner) => own_or(self.is(owner), Takes::Another),
                // Whom nobody plays the referee does.
                None => Takes::Role(Role::Referee),
            },
            // While there is no referee everybody may give a referee's commands, and yet read no secrets; nor may a room's
            // admin, who can become a referee openly.
            Act::Read(entry) => {
                own_or(self.made(entry) || (self.are_of_one() && self.is_named_referee(doc)), Takes::Another)
            }
            Act::Disclose => {
                // Who runs the room does so by the network's word, whatever their nick; a private chat is run by whoever has
                // the nick.
                let runs_the_room = self.speaker.standing == Standing::Admin && self.said == Said::InTheRoom;
                let known = self.speaker.trust == Trust::Account || runs_the_room;
                let needed = if doc.referees.is_empty() { Role::Admin } else { Role::Referee };
                if known { Takes::Role(needed) } else { Takes::Another }
            }
            Act::Undo => own_or(!by_referee_alone(doc), Takes::Role(Role::Referee)),
            Act::TakeBack(entry) => own_or(self.made(entry), Takes::Role(Role::Referee)),
            Act::PutBack(place) => self.takes_to_put_back(doc, place),
            Act::NameReferee
            | Act::BringIn
            | Act::KeepCharacters
            | Act::SetTable
            | Act::BeginScene
            | Act::NameForTable
            | Act::PublishSeed => Takes::Role(Role::Referee),
            Act::Dismiss(referee) => own_or(self.is(referee), Takes::Role(Role::Referee)),
            Act::Erase(entry) => own_or(self.made(entry), Takes::Role(Role::Admin)),
            Act::SetRoom | Act::EraseOlder | Act::BindBeyondTheLimit => Takes::Role(Role::Admin),
            Act::SitAtAFullTable => own_or(doc.referees.contains_key(&self.speaker.player), Takes::Role(Role::Admin)),
        }
    }

    /// What it takes to put this place of the table's documents back to what it was.
    fn takes_to_put_back(&self, doc: &TableDoc, place: &Place) -> Takes {
        let own_character = |id: &CharacterId| {
            // Who is gone is nobody's.
            doc.characters.get(id).is_none_or(|each| each.owner.as_ref().is_some_and(|owner| self.is(owner)))
        };
        let own = match place {
            Place::Room(_) => return Takes::Role(Role::Admin),
            // Nobody knows what it is.
            Place::Other(_) => return Takes::Another,
            // What a game took it noted itself.
            Place::Game(_) | Place::Record(_) | Place::Offers(_) => true,
            Place::Character(id) | Place::Sealed(id) | Place::Shortcuts(id) => own_character(id),
            Place::Seat(player) => self.is(player),
            Place::TableName
            | Place::MainGame
            | Place::Referee(_)
            | Place::TableSetting(_)
            | Place::TableShortcuts
            | Place::Scene => false,
        };
        if own { Takes::Nothing } else { Takes::Role(Role::Referee) }
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
    fn are_of_one(&self) -> bool {
        self.words == Words::Own
    }

    /// Whether what is `player`'s is its to act on.
    fn is(&self, player: &PlayerId) -> bool {
        self.are_of_one() && self.speaker.player == *player
    }

    /// Whether an entry is its own to act on.
    pub fn made(&self, entry: &Entry) -> bool {
        self.is(&entry.player) && entry.number > self.since
    }

    fn is_named_referee(&self, doc: &TableDoc) -> bool {
        self.speaker.trust == Trust::Account && doc.referees.contains_key(&self.speaker.player)
    }
}

/// The table's setting of who may undo, and its value that leaves it to referees.
pub(crate) const WHO_UNDOES: &str = "undo";
pub(crate) const REFEREE: &str = "referee";

/// Whether only referees may undo at this table.
fn by_referee_alone(doc: &TableDoc) -> bool {
    doc.settings.get(HOUSE).and_then(|set| set.get(WHO_UNDOES)).is_some_and(|who| who == REFEREE)
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
mod tests;
